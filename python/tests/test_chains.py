"""Gibbs chains: the same draws however they are divided, stopped or stored.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_log_z import interrupt

import isinglass
from isinglass import Chains, Patterns, SpinGaussianRBM


def make(beta: float = 1.0, count: int = 5, n: int = 70) -> SpinGaussianRBM:
    return SpinGaussianRBM.from_patterns(Patterns(np.random.default_rng(5).choice([-1, 1], (count, n))), beta=beta)


def state(chains: Chains) -> tuple[bytes, bytes, int]:
    return chains.spins.tobytes(), chains.energy.tobytes(), chains.sweeps


def test_slices_give_the_same_bits() -> None:
    rbm = make()
    whole, parts = Chains(rbm, 40), Chains(rbm, 40)
    whole.sweep(3000)
    for _ in range(30):
        parts.sweep(100)
    assert state(whole) == state(parts) and whole.hidden.tobytes() == parts.hidden.tobytes()
    assert whole.sweeps == 3000
    other = Chains(rbm, 40, random_state=2)
    other.sweep(3000)
    assert state(other) != state(whole)


def test_spins_hidden_units_and_energies() -> None:
    rbm = make()
    chains = Chains(rbm, 12, start="noise")
    assert not chains.hidden.any() and chains.sweeps == 0 and len(chains) == 12
    chains.sweep(5)
    assert chains.spins.dtype == np.int8 and chains.hidden.dtype == np.float32 and chains.hidden.shape == (12, 5)
    np.testing.assert_allclose(chains.energy, rbm.energy(chains.spins), rtol=1e-5)
    wanted = np.where(np.random.default_rng(0).random((12, 70)) < 0.5, 1, -1).astype(np.int8)
    chains.spins = wanted
    np.testing.assert_array_equal(chains.spins, wanted)
    np.testing.assert_allclose(chains.energy, rbm.energy(wanted), rtol=1e-5)


def test_weights_are_copied() -> None:
    rbm = make()
    chains, other = Chains(rbm, 8), Chains(rbm, 8)
    rbm.weights[...] = 0
    rbm.beta = 9.0
    chains.sweep(10)
    restored = pickle.loads(pickle.dumps(other))
    restored.sweep(10)
    assert state(chains) == state(restored)
    assert chains.rbm.beta == 1.0 and chains.rbm.weights.any()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda chains: pickle.loads(pickle.dumps(chains))])
def test_pickled_chains_go_on_as_if_nothing_happened(how: Any) -> None:
    chains = Chains(make(), 33, random_state=4)
    chains.clamp([1, 5, 69])
    chains.sweep(17)
    other = how(chains)
    assert state(other) == state(chains) and other.seed == 4
    chains.sweep(25)
    other.sweep(25)
    assert state(other) == state(chains) and other.hidden.tobytes() == chains.hidden.tobytes()


def test_clamped_units_stay() -> None:
    chains = Chains(make(0.2), 50, start="noise")
    before = chains.spins
    mask = np.zeros(70, bool)
    mask[10:20] = True
    for units in (mask, np.arange(10, 20), slice(10, 20), list(range(-60, -50))):
        chains.clamp(units)
        chains.sweep(3)
        assert np.array_equal(chains.spins[:, mask], before[:, mask])
        assert not np.array_equal(chains.spins[:, ~mask], before[:, ~mask])
    chains.clamp([])
    chains.sweep(3)
    assert not np.array_equal(chains.spins[:, mask], before[:, mask])
    chains.clamp(None)


def test_files_and_diagnoses_are_those_of_the_program(run_program: Any, tmp_path: Path) -> None:
    rbm = make()
    rbm.save(tmp_path / "m.npz")
    said = json.loads(run_program("sample", tmp_path / "m.npz", "-o", tmp_path / "s.npz", "--count", 12, "--sweeps", 60,
                                  "--diagnose", "--json"))
    chains = Chains(rbm, 12)
    chains.sweep(60)
    chains.save(tmp_path / "ours.npz")
    with np.load(tmp_path / "s.npz") as theirs, np.load(tmp_path / "ours.npz") as ours:
        for name in ("s", "lambda", "energy"):
            assert theirs[name].tobytes() == ours[name].tobytes(), name
    found, told = Chains(rbm, 12).measure(60, 60), said["diagnosis"]
    for ours, theirs in ((found.energy, told["energy_time"]), (found.hidden, told["hidden_time"])):
        assert (ours.time, ours.error, ours.window, ours.is_reliable) == (
            theirs["value"], theirs["error"], theirs["window"], theirs["reliable"])
    for name in ("slowest_unit", "energy_rhat", "hidden_rhat"):
        assert getattr(found, name) == told[name], name
    assert (found.is_reliable, found.is_trapped) == (told["reliable"], told["trapped"])


def test_traces() -> None:
    chains, other = Chains(make(), 6), Chains(make(), 6)
    chains.sweep(4)
    trace = chains.trace(20, every=5, what=("energy", "hidden", "spins"))
    assert trace["energy"].shape == (6, 4) and trace["hidden"].shape == (6, 4, 5) and trace["spins"].shape == (6, 4, 70)
    assert trace.sweeps.tolist() == [9, 14, 19, 24]
    other.sweep(24)
    assert state(other) == state(chains)
    np.testing.assert_array_equal(trace["spins"][:, -1], other.spins)


def test_traces_as_xarray() -> None:
    pytest.importorskip("xarray")
    found = Chains(make(), 6).trace(10, every=2).to_xarray()
    assert dict(found.sizes) == {"chain": 6, "draw": 5, "hidden_unit": 5}
    assert found["energy"].dims == ("chain", "draw") and found.attrs["beta"] == 1.0
    assert found["draw"].values.tolist() == [2, 4, 6, 8, 10]


def test_traces_without_arviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match="arviz"):
        Chains(make(), 2).trace(2).to_arviz()
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match="xarray"):
        Chains(make(), 2).trace(2).to_xarray()


def test_looks() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    rbm = make()
    rbm.image_shape = (7, 10)
    chains = Chains(rbm, 12)
    chains.clamp([0])
    chains.plot()
    assert repr(chains) == "Chains(count=12, n_visible=70, sweeps=0)" and "clamped" in chains._repr_html_()
    assert "sweeps" in chains.measure(2, 8)._repr_html_() and "R-hat" in repr(chains.measure(0, 8))


RBM = make()


@pytest.mark.parametrize(("call", "name"), [
    (lambda: Chains(3, 2), "rbm"),
    (lambda: Chains(RBM, 0), "count"),
    (lambda: Chains(RBM, -3), "count"),
    (lambda: Chains(RBM, "x"), "count"),
    (lambda: Chains(RBM, 2, start="data"), "start"),
    (lambda: Chains(RBM, 2, start=np.ones((3, 69))), "start"),
    (lambda: Chains(RBM, 2).sweep(-1), "sweeps"),
    (lambda: Chains(RBM, 2).sweep("x"), "sweeps"),
    (lambda: Chains(RBM, 2).sweep(2**70), "sweeps"),
    (lambda: Chains(RBM, 2).measure(1.5), "skip"),
    (lambda: Chains(RBM, 2).sweep(1, beta=0), "beta"),
    (lambda: Chains(RBM, 2).sweep(1, beta=float("nan")), "beta"),
    (lambda: Chains(RBM, 2).sweep(1, beta="x"), "beta"),
    (lambda: Chains(RBM, 2).measure(-1, 10), "skip"),
    (lambda: Chains(RBM, 2).measure(0, -10), "sweeps"),
    (lambda: Chains(RBM, 2).clamp([70]), "clamp"),
    (lambda: Chains(RBM, 2).clamp([True] * 69), "clamp"),
    (lambda: Chains(RBM, 2).clamp([0.5]), "clamp"),
    (lambda: Chains(RBM, 2).clamp([[1]]), "clamp"),
    (lambda: setattr(Chains(RBM, 2), "spins", np.ones((3, 70))), "spins"),
    (lambda: setattr(Chains(RBM, 2), "spins", np.full((2, 70), 5)), "spins"),
    (lambda: Chains(RBM, 2).trace(3, every=0), "every"),
    (lambda: Chains(RBM, 2).trace(3, every=4), "every"),
    (lambda: Chains(RBM, 2).trace(3, what=("warmth",)), "what"),
    (lambda: Chains(RBM, 2).trace(3, what=()), "what")])
def test_bad_input_names_the_argument(call: Any, name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        call()


def test_too_few_or_too_many_to_measure() -> None:
    with pytest.raises(ValueError):
        Chains(RBM, 2).measure(0, 3)
    with pytest.raises(NotImplementedError):
        Chains(RBM, 2).measure(0, 10**9)
    with pytest.raises((ValueError, MemoryError)):
        Chains(RBM, 2**33)


def test_cancelling_leaves_the_last_sweep() -> None:
    chains, other = Chains(RBM, 200), Chains(RBM, 200)
    seen: list[float] = []

    def note(fraction: float) -> bool:
        seen.append(fraction)
        return len(seen) < 4

    with pytest.raises(isinglass.CancelledError, match="cancelled"):
        chains.sweep(10**7, progress=note)
    assert 0 < chains.sweeps < 10**7
    other.sweep(chains.sweeps)
    assert state(other) == state(chains)


def test_an_interrupt_is_heard() -> None:
    delay, out = interrupt("""
import numpy as np
from isinglass import Chains, SpinGaussianRBM
rbm = SpinGaussianRBM.from_patterns(np.random.default_rng(1).choice([-1, 1], (10, 784)))
chains = Chains(rbm, 5000)
begin()
try:
    chains.sweep(100000)
except KeyboardInterrupt:
    caught()
done = chains.sweeps
chains.sweep(2)
print(0 < done < 100000, chains.sweeps == done + 2)
""")
    assert delay < 0.5 and out.split()[2:] == ["True", "True"]


# ---- chains that change modes ----------------------------------------------------------------------------------


def deep() -> SpinGaussianRBM:
    """A model whose modes Gibbs sweeps do not leave."""
    return make(beta=3.0, count=3, n=60)


def test_defaults_of_moves_are_those_of_the_library() -> None:
    import inspect

    shown = inspect.signature(Chains).parameters
    found = isinglass._core.Tempering.defaults()
    assert shown["temperatures"].default == found["temperatures"] and shown["lowest_beta"].default == found["lowest"]


def test_jumps_change_modes() -> None:
    rbm = deep()
    swept = Chains(rbm, 60).measure(10, 100)
    chains = Chains(rbm, 60, moves="jump")
    assert chains.moves == "jump" and chains.tempering is None and np.isnan(chains.acceptance)
    found = chains.measure(10, 100)
    assert chains.sweeps == 110 and chains.jumps is not None and chains.jumps.proposed == 110 * 60
    assert 0.2 < chains.acceptance == chains.jumps.acceptance < 1
    assert abs(chains.acceptance - chains.jumps.expected) < 0.05 and chains.jumps.minima >= 6
    assert found.labels is not None and swept.labels is not None
    assert found.labels.changes > 0.1 > 0.001 > swept.labels.changes
    assert found.labels.time.time < 10 and found.labels.rhat < 1.2 and found.labels.shares.shape == (3, 2)
    np.testing.assert_allclose(found.labels.shares, 1 / 6, atol=0.06)
    assert "accepted" in chains._repr_html_() and "nearest pattern" in found._repr_html_()


def test_tempering_changes_modes() -> None:
    chains = Chains(deep(), 30, moves="tempering", temperatures=12, start="noise")
    assert chains.tempering is None and chains.jumps is None and np.isnan(chains.acceptance)
    found = chains.measure(50, 100)
    assert chains.tempering is not None and chains.tempering.steps == 150
    assert len(chains.tempering.betas) == 12 and len(chains.tempering.rates) == 11
    assert chains.tempering.betas[0] == 3 and 0.1 < chains.acceptance < 1
    assert chains.tempering.untried == 0
    assert found.labels is not None and found.labels.changes > 0
    chains.spins = chains.spins
    assert chains.tempering is None  # made anew from where the chains are


def test_what_was_never_tried_or_changed_is_unknown() -> None:
    chains = Chains(deep(), 4, moves="tempering", temperatures=4, lowest_beta=2.9)
    chains.sweep()
    assert chains.tempering is not None and chains.tempering.untried == 3
    assert np.isnan(chains.tempering.rates).all() and np.isnan(chains.acceptance)
    pattern = np.where(np.arange(30) % 3, 1, -1)
    cold = Chains(SpinGaussianRBM.from_patterns([pattern], beta=20), 6, start="noise")
    labels = cold.measure(30, 20).labels
    assert labels is not None and labels.changes == 0 and np.isnan(labels.time.time)


@pytest.mark.parametrize("moves", ["jump", "tempering"])
def test_moves_in_slices_and_pickled(moves: Any) -> None:
    rbm = deep()
    whole, parts = (Chains(rbm, 20, moves=moves) for _ in range(2))
    whole.sweep(30)
    for _ in range(10):
        parts.sweep(3)
    assert state(whole) == state(parts)
    again = pickle.loads(pickle.dumps(whole))
    assert again.moves == moves and state(again) == state(whole)
    if moves == "jump":  # of replicas only the chains themselves are kept
        again.sweep(5)
        whole.sweep(5)
        assert state(again) == state(whole)


def test_where_no_mixture_fits_chains_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    rbm, fit = deep(), isinglass._core.Jumps.create

    class Choosy:
        """No mixture is good enough."""

        @staticmethod
        def create(handle: Any, options: dict[str, Any], *rest: Any) -> Any:
            return fit(handle, {**options, "least_acceptance": 1.0}, *rest)

    monkeypatch.setattr(isinglass._core, "Jumps", Choosy)
    with pytest.warns(UserWarning, match="only swept"):
        chains = Chains(rbm, 10, moves="jump")
    swept = Chains(rbm, 10)
    chains.sweep(7)
    swept.sweep(7)
    assert state(chains) == state(swept) and chains.jumps is not None
    assert chains.jumps.reason and not chains.jumps.is_usable and np.isnan(chains.acceptance)


def test_moves_misused() -> None:
    rbm = deep()
    with pytest.raises(ValueError, match="moves: expected"):
        Chains(rbm, 4, moves="hop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="data: only for"):
        Chains(rbm, 4, data=np.ones((2, 60)))
    jumping = Chains(rbm, 4, moves="jump", data=np.ones((2, 60)))
    with pytest.raises(ValueError, match="expected 3"):
        jumping.sweep(beta=2.0)
    jumping.clamp([0])
    with pytest.raises(NotImplementedError, match="clamped"):
        jumping.sweep()
    with pytest.raises(ValueError, match="lowest beta"):
        Chains(rbm, 4, moves="tempering", lowest_beta=5).sweep()
    with pytest.raises(isinglass.CancelledError):
        Chains(rbm, 4, moves="jump", progress=lambda fraction: False)
