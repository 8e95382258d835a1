"""ln Z and likelihoods: the numbers of the program, and how they are shown.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, Likelihood, LogZ, Patterns, SpinGaussianRBM

NAMES = {
    "value", "error", "method", "side", "ess", "samples", "spread", "modes", "laplace",
    "family", "bound", "states", "reason", "choice",
}


def interrupt(script: str, after_s: float = 0.5) -> tuple[float, str]:
    """Runs a script that prints "begin", then works for long; SIGINT follows after a while.

    Returns the seconds from the signal to the KeyboardInterrupt, which the script has to note by ``caught()``, and all
    that it printed. For scripts of other tests, too.
    """
    head = "import sys, time\ndef begin(): print('begin', flush=True)\n" \
           "def caught(): print('caught', time.monotonic(), flush=True)\n"
    child = subprocess.Popen([sys.executable, "-c", head + script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    try:
        assert child.stdout is not None and child.stdout.readline() == "begin\n"
        time.sleep(after_s)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 0, out + err
    words = out.split()
    assert words[0] == "caught", out + err
    return float(words[1]) - sent, out


def patterns(count: int = 5, n: int = 40) -> Patterns:
    return Patterns(np.random.default_rng(5).choice([-1, 1], (count, n)))


def in_json(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def agrees(found: LogZ, said: dict[str, Any]) -> None:
    for name in NAMES:
        assert in_json(getattr(found, name)) == said[name], name
    assert {name: in_json(share) for name, share in found.shares._asdict().items()} == said["shares"]
    assert found.is_trusted == said["trusted"]
    assert found.is_drawn == said["drawn"]
    assert said.keys() == NAMES | {"shares", "drawn", "trusted"}


def likelihood_agrees(found: Likelihood, said: dict[str, Any]) -> None:
    for name in ("value", "error"):
        assert getattr(found, name) == said[name], name


# ---- the program -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "arguments"), [
    ({}, []),
    ({"random_state": 9}, ["--seed", 9]),
    ({"method": "wells"}, ["--method", "wells"]),
    ({"method": "population", "random_state": 9}, ["--method", "population", "--seed", 9]),
    ({"method": "mixture", "samples": 5000}, ["--method", "mixture", "--samples", 5000]),
    ({"method": "ais", "chains": 40, "steps": 77, "repeats": 3, "patience": 0},
     ["--method", "ais", "--chains", 40, "--steps", 77, "--repeats", 3]),
    ({"method": "ais", "weights": "lambda", "move": "hmc", "chains": 30, "steps": 50},
     ["--method", "ais", "--weights", "lambda", "--hmc", "--chains", 30, "--steps", 50]),
    ({"method": "ais", "weights": "joint", "chains": 30, "steps": 50},
     ["--method", "ais", "--weights", "joint", "--chains", 30, "--steps", 50]),
    ({"method": "ais", "adaptive": 0.98, "chains": 60}, ["--method", "ais", "--adaptive", "0.98", "--chains", 60])])
def test_scores_are_those_of_the_program(options: dict[str, Any], arguments: list[Any], run_program: Any,
                                         tmp_path: Path) -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(), beta=1.2)
    rbm.save(tmp_path / "m.npz")
    spins = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (50, 40))
    labels = np.arange(50) % 3
    np.savez(tmp_path / "d.npz", X=spins, y=labels)
    said = json.loads(run_program("score", tmp_path / "m.npz", tmp_path / "d.npz", "--by-class", "--json", *arguments))
    data = Dataset.from_spins(spins, y=labels)
    log_z = rbm.log_z(data=data, **options)
    agrees(log_z, said["log_z"])
    found = rbm.log_likelihood(data, log_z, by_class=True)
    assert found.data_term == said["data_term"] and found.samples == 50 and found.log_z is log_z
    likelihood_agrees(found, said["log_likelihood"])
    for row in said["data"][0]["classes"]:
        likelihood_agrees(found.by_class[row["class"]], row["log_likelihood"])
        assert found.by_class[row["class"]].samples == row["samples"]
    assert list(found.by_class) == ["0", "1", "2"]
    if not options.keys() - {"random_state"}:
        assert rbm.log_likelihood(data, **options).value == found.value


def test_betas_are_those_of_the_program(run_program: Any, tmp_path: Path) -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns())
    rbm.save(tmp_path / "m.npz")
    spins = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (50, 40))
    np.savez(tmp_path / "d.npz", X=spins)
    said = json.loads(run_program("score", tmp_path / "m.npz", tmp_path / "d.npz", "--betas", "0.5,1,1.5,3", "--json",
                                  "--chains", 40, "--steps", 200))
    found = rbm.log_z(betas=[0.5, 1, 1.5, 3], data=spins, chains=40, steps=200, fixed_steps=True)
    scores = rbm.log_likelihood(spins, found)
    assert [one.beta for one in found] == [0.5, 1, 1.5, 3] == [row["beta"] for row in said["betas"]]
    for one, score, row in zip(found, scores, said["betas"]):
        agrees(one, row["log_z"])
        assert [score.value] == row["log_likelihood"]
    assert rbm.log_z(betas=[]) == [] and rbm.log_likelihood(spins, []) == []


def test_the_interval_is_that_of_the_program(run_program: Any, tmp_path: Path) -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(3, 12), beta=0.8)
    rbm.save(tmp_path / "m.npz")
    said = json.loads(run_program("score", tmp_path / "m.npz", "--certificate", "0.9", "--json", "--chains", 50,
                                  "--steps", 100))
    low, high = rbm.log_z_interval(0.9, chains=50, steps=100)
    assert (low, high) == (said["interval"]["low"], said["interval"]["high"])
    assert low <= float(rbm.log_z(method="exact")) <= high
    with pytest.raises(NotImplementedError):
        SpinGaussianRBM.from_patterns(patterns()).log_z_interval()


def test_a_schedule_of_even_steps_changes_nothing() -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(3, 12), beta=0.8)
    plain = rbm.log_z(method="ais", steps=64, chains=50)
    assert abs(rbm.log_z(method="ais", schedule=np.linspace(0, 1, 65), chains=50).value - plain.value) < 1e-9
    bent = rbm.log_z(method="ais", schedule=np.linspace(0, 1, 65)**2, chains=50)
    assert bent.value != plain.value and abs(bent.value - rbm.log_z().value) < 1


def test_repeats_are_those_of_the_method() -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(), beta=0.5)
    size = {"particles": 200, "chains": 30, "steps": 20, "patience": 0}
    assert rbm.log_z(method="ais", **size).samples == 30 and rbm.log_z(method="ais", repeats=3, **size).samples == 90
    for method in ("auto", "wells", "population"):
        found, again = rbm.log_z(method=method, **size), rbm.log_z(method=method, repeats=3, **size)
        each = 20000 if found.is_drawn else 200
        assert found.samples == 5 * each and again.samples == 3 * each and found.method == again.method != "ais"
        assert found.is_drawn == again.is_drawn == (method != "population")


def test_options_of_wells_and_populations_matter() -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(4, 60), beta=2.0)
    few = {"method": "wells", "particles": 200, "repeats": 2, "well_draws": 1000, "patience": 0}
    found = rbm.log_z(**few)
    assert found.modes > 0 and found.shares.wells > 0.5 and sum(found.shares) == pytest.approx(1)
    assert 0 < found.family < 1 and found.states > 0 and found.value > found.bound
    for other in ({"particles": 300}, {"sweeps": 3}, {"keep": 0.9}, {"well_draws": 2000}, {"random_state": 2}):
        assert rbm.log_z(**{**few, **other}).value != found.value, other


@pytest.mark.parametrize("method", ["ais", "mixture", "population"])
def test_deep_states_bound_ln_z(method: Any) -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(), beta=30.0)  # nearly all of Z is in its ground states
    few = {"method": method, "particles": 500, "repeats": 3, "samples": 1000}
    found, free = rbm.log_z(**few), rbm.log_z(**few, bounded=False)
    assert found.is_trusted and free.is_trusted
    energies = rbm.energy(np.concatenate([patterns().spins, -patterns().spins]))
    assert found.bound >= np.log(np.exp(-30 * (energies - energies.min())).sum()) - 30 * energies.min() - 1e-9
    assert found.value == max(free.value, found.bound) and found.states >= 10
    assert (found.side == "bound") == (free.value < found.bound + free.error)
    assert free.side != "bound" and free.states == 0 and free.bound == -math.inf and "at least" not in repr(free)
    assert f"by {found.states} known states" in found._repr_html_() and "known states" not in free._repr_html_()


@pytest.mark.slow
def test_the_numbers_of_the_readme() -> None:
    train = isinglass.load_data("mnist:train")
    rbm = SpinGaussianRBM.from_patterns(Patterns.from_data(train))
    log_z = rbm.log_z()
    assert f"{log_z.value:.3f} {log_z.error:.3f}" == "803.418 0.001" and log_z.is_trusted
    assert repr(log_z) == "LogZ(803.4184 +- 0.001, method='wells')"
    found = rbm.log_likelihood(train)
    assert f"{found.value:.3f}" == "-255.367"
    said = found.log_z
    assert said is not None and said.method == "wells"
    each = rbm.log_probability(train, said)
    assert abs(each.mean() - found.value) < 1e-8 and abs(each.std(ddof=1) - found.deviation) < 1e-8


# ---- how it is shown -----------------------------------------------------------------------------------------------


def test_looks() -> None:
    rbm = SpinGaussianRBM.from_patterns(patterns(12, 200), beta=3.0)
    poor = rbm.log_z(method="ais", chains=20, steps=5)
    assert not poor.is_trusted and poor.reason
    assert "NOT TRUSTED: " + poor.reason in repr(poor)
    assert poor.side == "bound" and poor.value == poor.bound and math.isnan(poor.error)
    assert repr(poor).startswith("LogZ(at least ") and "at least" in poor._repr_html_()
    assert "#b00020" in poor._repr_html_() and "not trusted" in poor._repr_html_()
    likelihood = rbm.log_likelihood(patterns(12, 200).spins, poor)
    assert not likelihood.is_trusted and "NOT TRUSTED" in repr(likelihood) and "#b00020" in likelihood._repr_html_()
    with pytest.warns(UserWarning, match="^log_z: ln Z cannot be trusted: "):
        rbm.log_probability(patterns(12, 200).spins, poor)
    good = SpinGaussianRBM.from_patterns(patterns(3, 12)).log_z()
    assert "#b00020" not in good._repr_html_() and float(good) == good.value and good.method == "exact"
    assert pickle.loads(pickle.dumps(good)).__repr__() == repr(good)
    assert pickle.loads(pickle.dumps(likelihood)).value == likelihood.value
    with pytest.raises(AttributeError):
        good.value = 3.0  # type: ignore[misc]


@pytest.mark.parametrize(("value", "error", "text"), [
    (803.42008, 0.0011, "803.420 +- 0.001"), (5.0, 1e-13, "5.000000 +- 1e-13"), (5.0, 12.0, "5 +- 1e+01"),
    (5.0, float("nan"), "5.0000, error unknown"), (float("inf"), 1.0, "inf"), (5.0, 0.0, "5.000000 +- 0")])
def test_errors_decide_on_digits(value: float, error: float, text: str) -> None:
    made = LogZ(value, error, "ais", "both", 1.0, 1, 0.0, 0, 0.0, True, "", "", 1.0)
    assert repr(made) == f"LogZ({text}, method='ais')"


# ---- bad input ---------------------------------------------------------------------------------------------------

RBM = SpinGaussianRBM.from_patterns(patterns())


@pytest.mark.parametrize(("call", "name"), [
    (lambda: RBM.log_z(method="best"), "method"),
    (lambda: RBM.log_z(method=3), "method"),
    (lambda: RBM.log_z(steps=-1), "steps"),
    (lambda: RBM.log_z(steps=1.5), "steps"),
    (lambda: RBM.log_z(chains="many"), "chains"),
    (lambda: RBM.log_z(samples=2**70), "samples"),
    (lambda: RBM.log_z(hmc_step="x"), "hmc_step"),
    (lambda: RBM.log_z(repeats=1.5), "repeats"),
    (lambda: RBM.log_z(particles=-1), "particles"),
    (lambda: RBM.log_z(keep="x"), "keep"),
    (lambda: RBM.log_z(well_draws=None), "well_draws"),
    (lambda: RBM.log_z(weights="all"), "weights"),
    (lambda: RBM.log_z(betas=[[1.0]]), "betas"),
    (lambda: RBM.log_z(betas=[np.nan]), "betas"),
    (lambda: RBM.log_z(betas=["a"]), "betas"),
    (lambda: RBM.log_z(schedule=[0.0]), "schedule"),
    (lambda: RBM.log_z(schedule=[0.0, np.nan]), "schedule"),
    (lambda: RBM.log_z(data=np.full((2, 40), 7)), "data"),
    (lambda: RBM.log_z(random_state="x"), "random_state"),
    (lambda: RBM.log_z_interval("x"), "confidence"),
    (lambda: RBM.log_likelihood(np.ones((2, 40)), "x"), "log_z"),
    (lambda: RBM.log_likelihood(np.ones((2, 40)), [1.0]), "log_z"),
    (lambda: RBM.log_likelihood(np.ones((2, 40)), RBM.log_z(betas=[1.0], chains=9, steps=9, patience=0)[0]), "log_z"),
    (lambda: RBM.log_likelihood(np.ones((2, 40)), 0.0, by_class=True), "X"),
    (lambda: RBM.log_likelihood(np.ones((2, 40)), [], by_class=True), "by_class")])
def test_bad_input_names_the_argument(call: Any, name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        call()


def test_the_library_refuses_the_rest() -> None:
    for bad in ({"chains": 0}, {"steps": 0}, {"repeats": 0}):
        with pytest.raises(ValueError):
            RBM.log_z(method="ais", **bad)
    for bad in ({"particles": 0}, {"sweeps": 0}, {"keep": 1.0}, {"repeats": 1}):
        for method in ("auto", "wells", "population"):
            with pytest.raises(ValueError, match=f"^{next(iter(bad))}: "):
                RBM.log_z(method=method, **bad)
    for bad in ({"well_draws": 10, "method": "wells"}, {"data": np.ones((2, 39)), "method": "wells"},
                {"betas": [-1.0]}, {"samples": 3, "method": "mixture"}, {"move": "hmc", "method": "ais"},
                {"schedule": [0.5, 0.2], "method": "ais"}, {"data": np.ones((2, 39)), "method": "mixture"},
                {"adaptive": 2.0, "method": "ais"}):
        with pytest.raises(ValueError):
            RBM.log_z(**bad)
    with pytest.raises(NotImplementedError):
        SpinGaussianRBM(np.random.default_rng(1).normal(size=(40, 5))).log_z(method="exact")
    assert RBM.log_z(method="ais", steps=10, chains=5).samples == 5


# ---- progress and Ctrl-C --------------------------------------------------------------------------------------------


def test_progress_can_cancel_and_fail() -> None:
    seen: list[float] = []

    def note(fraction: float) -> bool:
        seen.append(fraction)
        return len(seen) < 3

    with pytest.raises(isinglass.CancelledError):
        RBM.log_z(method="ais", steps=200000, progress=note)
    assert len(seen) == 3 and 0 <= seen[0] <= seen[1] <= seen[2] < 1

    def fail(fraction: float) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        RBM.log_z(method="ais", steps=200000, progress=fail)
    assert RBM.log_z(method="ais", steps=10, chains=5).samples == 5


def test_an_interrupt_is_heard_and_leaves_the_model_usable() -> None:
    delay, out = interrupt("""
import numpy as np
from isinglass import SpinGaussianRBM
rbm = SpinGaussianRBM.from_patterns(np.random.default_rng(1).choice([-1, 1], (10, 784)))
expected = rbm.log_z(method="ais", steps=20, chains=10)
begin()
try:
    rbm.log_z(method="ais", steps=200000)
except KeyboardInterrupt:
    caught()
print(rbm.log_z(method="ais", steps=20, chains=10).value == expected.value)
rbm.beta = 3.0
""")
    assert delay < 0.5 and out.split()[2:] == ["True"]
