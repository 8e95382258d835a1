"""Minima of the energy: those of an enumeration, and the numbers of the program.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import inspect
import json
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, DeepStates, HopfieldNetwork, LogZ, Patterns, SpinGaussianRBM, _core

ARRAYS = {"spins": "s", "energy": "energy", "share": "share", "well": "well", "reached": "reached",
          "nearest": "nearest", "distance": "distance", "mixture": "mixture", "signs": "signs",
          "mixture_distance": "mixture_distance", "is_sum": "is_sum"}
EACH = {"energy": "energy", "depth": "depth", "share": "share", "well": "well", "reached": "reached", "basin": "basin",
        "nearest": "nearest", "label": "label", "overlap": "overlap", "distance": "distance", "kind": "kind"}
COMMON = ("n_visible", "beta", "is_even", "is_closed", "found", "ground_states", "bound", "starts")


def related(n: int = 60, seed: int = 3) -> Patterns:
    """Five patterns of which a + b - c is a state as well, as c is what a and b agree on."""
    random = np.random.default_rng(seed)
    a, b, d, e = random.choice([-1, 1], (4, n))
    c = np.where(a == b, a, random.choice([-1, 1], n))
    return Patterns([a, b, c, d, e], list("abcde"))


def some_rbm(n: int = 11, p: int = 4, *, field: bool = False, beta: float = 1.5) -> SpinGaussianRBM:
    random = np.random.default_rng(n + p)
    return SpinGaussianRBM(random.normal(size=(n, p)) / math.sqrt(n), beta=beta,
                           visible_field=0.2 * random.normal(size=n) if field else None)


def all_states(n: int) -> np.ndarray:
    """(2^n, n); spin i of state k is +1 if bit i of k is set."""
    return np.where(np.arange(1 << n)[:, None] >> np.arange(n) & 1, 1, -1).astype(np.int8)


def place(spins: np.ndarray) -> np.ndarray:
    """Where states are among all of them."""
    return (spins > 0) @ (1 << np.arange(spins.shape[1]))


def minima(rbm: SpinGaussianRBM) -> np.ndarray:
    """The places of all states that every flip of a spin raises."""
    energies = rbm.energy(all_states(rbm.n_visible))
    places = np.arange(len(energies))
    flipped = places[:, None] ^ 1 << np.arange(rbm.n_visible)
    return np.flatnonzero((energies[flipped] > energies[:, None] + 1e-9).all(axis=1))


def same(log_z: Any) -> tuple[Any, ...]:
    """What identifies a ln Z; some of its numbers are NaN, which nothing equals."""
    return log_z.value, log_z.error, log_z.method, log_z.shares, log_z.bound, log_z.states


RBM = SpinGaussianRBM.from_patterns(related())


# ---- enumeration -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", [False, True])
@pytest.mark.parametrize(("n", "p"), [(5, 2), (8, 3), (11, 4), (12, 8)])
def test_all_minima_of_small_networks(n: int, p: int, field: bool) -> None:
    rbm = some_rbm(n, p, field=field)
    found, expected = rbm.deep_states(random_starts=5000), minima(rbm)
    places = place(found.spins)
    everywhere = np.concatenate([places, 2**n - 1 - places]) if found.is_even else places
    np.testing.assert_array_equal(np.sort(everywhere), expected)
    assert found.is_even == (not field) and found.is_closed and found.beta == 1.5 and found.n_visible == n
    assert len(found) == found.count == found.found == len(places) and found.spins.dtype == np.int8
    np.testing.assert_allclose(found.energy, rbm.energy(found.spins), rtol=0, atol=1e-12)
    energies = rbm.energy(all_states(n))
    assert found.energy[0] == pytest.approx(energies.min(), abs=1e-12) and (np.diff(found.energy) > -1e-9).all()
    assert found.ground_states == (found.energy < energies.min() + 1e-9).sum()
    assert found.bound == pytest.approx(np.log(np.exp(-1.5 * energies[expected]).sum()), abs=1e-12)
    assert found.reached.sum() == found.starts == 5000 and found.basin.sum() == pytest.approx(1)
    if found.is_even:
        assert ((found.spins > 0).sum(axis=1) <= n / 2).all()


@pytest.mark.parametrize("field", [False, True])
def test_shares_are_probabilities(field: bool) -> None:
    rbm = some_rbm(field=field)
    log_z, p, n = rbm.log_z(method="exact"), rbm.probabilities(), rbm.n_visible
    free = rbm.deep_states()
    assert free.log_z is None and free.share.sum() == pytest.approx(1, abs=1e-12) and np.isnan(free.well).all()
    places = place(free.spins)
    expected = p[places] + p[2**n - 1 - places] if free.is_even else p[places]
    for given in (log_z, log_z.value, np.float64(log_z.value), "exact", "auto"):
        found = rbm.deep_states(log_z=given)
        np.testing.assert_allclose(found.share, expected, rtol=1e-11)
        assert found.log_z == (log_z.value if isinstance(given, float) else found.log_z)
        assert float(found.log_z) == log_z.value and found.share.sum() < 1
        np.testing.assert_array_equal(found.spins, free.spins)
    np.testing.assert_allclose(free.share * np.exp(free.bound - log_z.value), expected, rtol=1e-11)


def test_wells_hold_most_of_z() -> None:
    found = RBM.deep_states(log_z="wells")
    assert isinstance(found.log_z, LogZ) and found.log_z.method == "wells" and found.log_z.is_trusted
    assert same(found.log_z) == same(RBM.log_z(method="wells"))
    is_well = ~np.isnan(found.well)
    assert is_well[:6].all() and (found.well[is_well] > found.share[is_well]).all()
    assert found.well[is_well].sum() == pytest.approx(found.log_z.shares.wells, abs=0.01)


# ---- what states are -----------------------------------------------------------------------------------------------


def test_a_state_that_nobody_stored() -> None:
    found, xi = RBM.deep_states(), related().spins
    assert found.ground_states == 6 and found.kind[:6].tolist() == ["pattern"] * 5 + ["mixture"]
    assert found.nearest[:5].tolist() == [0, 1, 2, 3, 4] and found.label[:5].tolist() == list("abcde")
    np.testing.assert_array_equal(found.spins[:5], xi)
    np.testing.assert_array_equal(found.spins[5], xi[0] + xi[1] - xi[2])
    assert found.formula[5] == "a + b - c" and found.mixture[5].tolist() == [0, 1, 2]
    assert found.signs[5].tolist() == [1, 1, -1] and found.mixture_distance[5] == 0 and found.is_sum[5]
    assert found.is_pattern[:6].tolist() == [True] * 5 + [False] and (found.depth[:6] == 0).all()
    assert found.formula[0] is None and found.formula[6].startswith("sgn(") and not found.is_sum[6]


def test_states_are_compared_with_patterns() -> None:
    found, xi = RBM.deep_states(random_starts=300), related().spins.astype(int)
    np.testing.assert_array_equal(found.distance, (found.spins != xi[found.nearest]).sum(axis=1))
    overlaps = found.spins @ xi.T / found.n_visible
    np.testing.assert_allclose(found.overlap, np.abs(overlaps).max(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.overlap, 1 - 2 * found.distance / found.n_visible, rtol=1e-12)
    sums = (xi[found.mixture] * found.signs[:, :, None]).sum(axis=1)
    np.testing.assert_array_equal(found.mixture_distance, (found.spins != np.sign(sums)).sum(axis=1))
    np.testing.assert_array_equal(found.is_sum, (np.abs(sums) == 1).all(axis=1))
    assert set(found.kind) == {"pattern", "mixture", "other"}


def test_labels_that_are_not_unique_are_numbered() -> None:
    xi = related().spins
    assert SpinGaussianRBM.from_patterns(Patterns(xi, [0, 0, 0, 1, 2])).deep_states().formula[5] == "0#0 + 0#1 - 0#2"
    assert SpinGaussianRBM.from_patterns(Patterns(xi)).deep_states().formula[5] == "#0 + #1 - #2"
    assert SpinGaussianRBM.from_patterns(Patterns(xi)).deep_states().label[5] is None


def test_without_patterns() -> None:
    found = some_rbm().deep_states(random_starts=0)
    assert found.patterns is None and np.isnan(found.overlap).all() and np.isnan(found.basin).all()
    for name in ("nearest", "distance", "mixture", "mixture_distance"):
        assert (getattr(found, name) == -1).all(), name
    assert not found.is_pattern.any() and not found.is_mixture.any() and not found.is_sum.any()
    assert not found.signs.any() and not found.reached.any() and found.starts == 0
    assert {*found.kind, *found.label, *found.formula} == {None}


def test_two_patterns_have_no_mixture() -> None:
    found = SpinGaussianRBM.from_patterns(related().spins[:2]).deep_states()
    assert (found.mixture == -1).all() and (found.mixture_distance == -1).all() and found.is_pattern[:2].all()
    assert not found.is_mixture.any()


def test_of_networks() -> None:
    network = HopfieldNetwork(related())
    found = network.to_rbm(beta=0.7).deep_states()
    assert found.beta == 0.7 and found.ground_states == 6 and network.examine(found.spins).is_stable.all()
    np.testing.assert_array_equal(found.energy.round(9), network.energy(found.spins).round(9))
    hebbian = HopfieldNetwork(related(), rule="hebbian")
    assert hebbian.examine(hebbian.to_rbm().deep_states().spins).n_unstable.max() <= 1  # some flips cost nothing
    J = np.ones((4, 4))
    assert HopfieldNetwork.from_couplings(J).to_rbm().deep_states().spins.tolist() == [[-1, -1, -1, -1]]


# ---- options -------------------------------------------------------------------------------------------------------


def test_defaults_are_those_of_the_library_and_the_program() -> None:
    ours = {name: one.default for name, one in inspect.signature(SpinGaussianRBM.deep_states).parameters.items()}
    library = _core.RBM.states_defaults()
    assert library.pop("random_starts") == 64 and ours["random_starts"] == 1000  # STARTS in cmd_states.c
    for name, value in library.items():
        assert ours["random_state" if name == "seed" else name] == value, name


def test_options_matter() -> None:
    few = {"random_starts": 0, "majorities": 0}
    plain = RBM.deep_states(**few)
    assert len(plain) < len(RBM.deep_states(random_starts=0)) < len(RBM.deep_states())
    assert len(RBM.deep_states(most=7)) == 7 and RBM.deep_states(most=7).found == len(RBM.deep_states())
    noise = np.random.default_rng(1).choice([-1, 1], (400, 60))
    assert len(plain) < len(RBM.deep_states(noise, data_starts=20, **few)) < len(RBM.deep_states(noise, **few))
    assert RBM.deep_states(Dataset.from_spins(noise), **few).energy.tolist() == RBM.deep_states(
        noise, **few).energy.tolist()
    other = RBM.deep_states(random_state=2)
    assert other.reached.sum() == 1000 and other.reached[:6].tolist() != RBM.deep_states().reached[:6].tolist()
    narrow, wide = (RBM.deep_states(window=window, random_starts=0, majorities=20) for window in (0.0, 100.0))
    assert narrow.found < wide.found and narrow.is_closed


@pytest.fixture
def threads() -> Iterator[None]:
    count = _core.threads()
    yield
    _core.set_threads(count)


def test_any_number_of_threads_gives_the_same_bits(threads: None) -> None:
    found = []
    for count in (1, 2):
        _core.set_threads(count)
        found.append(RBM.deep_states(log_z="wells"))
    assert same(found[0].log_z) == same(found[1].log_z) and found[0].bound == found[1].bound
    for name in (*ARRAYS, "overlap"):
        assert getattr(found[0], name).tobytes() == getattr(found[1], name).tobytes(), name


# ---- the program ---------------------------------------------------------------------------------------------------


def in_json(values: Any) -> list[Any]:
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values.tolist()]


@pytest.mark.parametrize(("options", "arguments"), [
    ({}, ["--log-z", "bound"]),
    ({"log_z": "auto"}, []),
    ({"log_z": "auto", "random_state": 9, "most": 20, "random_starts": 50},
     ["--seed", 9, "--most", 20, "--starts", 50]),
    ({"log_z": 71.5}, ["--log-z", "71.5"])])
@pytest.mark.parametrize("has_data", [False, True])
def test_states_are_those_of_the_program(options: dict[str, Any], arguments: list[Any], has_data: bool,
                                         run_program: Any, tmp_path: Path) -> None:
    RBM.save(tmp_path / "m.npz")
    samples = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (90, 60))
    np.savez(tmp_path / "d.npz", X=samples)
    data = [tmp_path / "d.npz"] if has_data else []
    said = json.loads(run_program("states", tmp_path / "m.npz", *data, "-o", tmp_path / "s.npz", "--json", *arguments))
    found = RBM.deep_states(samples if has_data else None, **options)
    is_number = isinstance(found.log_z, float)  # the program and NumPy have different ways to take exp()
    with np.load(tmp_path / "s.npz") as wrote:
        for ours, theirs in ARRAYS.items():
            np.testing.assert_allclose(getattr(found, ours), wrote[theirs], err_msg=ours,
                                       rtol=1e-13 if is_number and ours == "share" else 0)
            assert getattr(found, ours).dtype == wrote[theirs].dtype, ours
    for name in COMMON:
        assert getattr(found, name) == said[name], name
    for ours, theirs in EACH.items():
        if not (is_number and ours == "share"):
            assert in_json(getattr(found, ours)) == [row[theirs] for row in said["states"]], ours
    assert found.formula.tolist() == [row["mixture"] and row["mixture"]["formula"] for row in said["states"]]
    if isinstance(found.log_z, LogZ):
        assert found.log_z.value == said["log_z"]["value"] and found.log_z.method == said["log_z"]["method"]
    assert found.is_pattern.sum() == said["stored"]
    assert found.reached[found.is_pattern].sum() == said["in_patterns"]


# ---- how they are shown --------------------------------------------------------------------------------------------


def test_looks_and_copies() -> None:
    found = RBM.deep_states(log_z="auto")
    assert repr(found) == "DeepStates(count=108, n_visible=60, ground_states=6, lowest=-30)"
    shown = found._repr_html_()
    assert "108 pairs, each a state and its mirror image" in shown and "by wells" in shown and "#b00020" not in shown
    other = pickle.loads(pickle.dumps(found))
    assert same(other.log_z) == same(found.log_z) and other.formula.tolist() == found.formula.tolist()
    assert np.array_equal(other.spins, found.spins) and repr(other) == repr(found)
    with pytest.raises(AttributeError):
        found.bound = 3.0  # type: ignore[misc]
    poor = RBM.deep_states(log_z=RBM.log_z(method="ais", chains=5, steps=2))
    assert isinstance(poor.log_z, LogZ) and not poor.log_z.is_trusted and "#b00020" in poor._repr_html_()
    assert "<td style='text-align:left'>70" in RBM.deep_states(log_z=70.0)._repr_html_()
    assert "patterns" not in some_rbm(field=True).deep_states(random_starts=0)._repr_html_()


def test_table() -> None:
    pandas = pytest.importorskip("pandas")
    found = RBM.deep_states()
    table = pandas.DataFrame(found.table())
    assert len(table) == len(found) and table.formula[5] == "a + b - c" and table.kind[0] == "pattern"
    assert table.energy.tolist() == found.energy.tolist() and table.basin.sum() == pytest.approx(1)
    assert set(EACH) < set(table.columns)


def test_plot() -> None:
    pytest.importorskip("matplotlib")
    axes = RBM.deep_states().plot()
    assert [label.get_text() for label in axes.get_yticklabels()][:6] == [*"abcde", "mixture"]
    rbm = SpinGaussianRBM.from_patterns(Patterns(related().spins, image_shape=(6, 10)))
    assert rbm.deep_states().image_shape == (6, 10)
    assert [text.get_text() for text in rbm.deep_states().plot(limit=6).texts][4:] == ["#4", "mixture"]
    some_rbm().deep_states().plot()


# ---- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "name"), [
    (lambda: RBM.deep_states(most=0), "most"),
    (lambda: RBM.deep_states(most=1.5), "most"),
    (lambda: RBM.deep_states(random_starts=-1), "random_starts"),
    (lambda: RBM.deep_states(random_starts=2**62), "random_starts"),
    (lambda: RBM.deep_states(random_starts="x"), "random_starts"),
    (lambda: RBM.deep_states(majorities=10**18), "majorities"),
    (lambda: RBM.deep_states(data_starts=None), "data_starts"),
    (lambda: RBM.deep_states(window="x"), "window"),
    (lambda: RBM.deep_states(window=-1.0), "window"),
    (lambda: RBM.deep_states(window=math.nan), "window"),
    (lambda: RBM.deep_states(random_state="x"), "random_state"),
    (lambda: RBM.deep_states(data=np.full((2, 60), 7)), "data"),
    (lambda: RBM.deep_states(log_z="best"), "log_z"),
    (lambda: RBM.deep_states(log_z=[70.0]), "log_z"),
    (lambda: RBM.deep_states(log_z=math.nan), "log_z"),
    (lambda: RBM.deep_states(log_z=math.inf), "log_z"),
    (lambda: RBM.deep_states(log_z=60.0), "log_z"),
    (lambda: RBM.deep_states(log_z=1e9), "log_z"),
    (lambda: RBM.deep_states(log_z=RBM.log_z(betas=[1.0], chains=9, steps=9, patience=0)[0]), "log_z"),
    (lambda: RBM.deep_states(progress=3), "progress")])
def test_bad_input_names_the_argument(call: Any, name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        call()


def test_the_library_refuses_the_rest() -> None:
    with pytest.raises(ValueError, match="3 units"):
        RBM.deep_states(np.ones((2, 3)))
    with pytest.raises(ValueError, match="missing"):
        RBM.deep_states(Dataset.from_array(np.where(np.eye(60), np.nan, 1.0), missing="impute"))
    with pytest.raises(NotImplementedError):
        some_rbm(60, 8).deep_states(log_z="exact")
    bad = some_rbm()
    bad.weights[0, 0] = math.nan
    with pytest.raises(isinglass.DivergedError):
        bad.deep_states()


def test_a_ln_z_may_be_rounded_or_have_an_error() -> None:
    bound = RBM.deep_states().bound
    assert RBM.deep_states(log_z=bound - 5e-4).share.sum() == pytest.approx(1, abs=1e-3)
    with pytest.raises(ValueError, match=f"^log_z: at beta 2, ln Z is at least {bound:.4f}, by the states"):
        RBM.deep_states(log_z=bound - 2e-3)
    known = RBM.log_z(method="wells")

    def off(error: float) -> LogZ:
        return LogZ(bound - 0.1, error, "ais", "both", *(getattr(known, name) for name in (
            "ess", "samples", "spread", "modes", "laplace", "is_trusted", "reason", "choice", "beta")))

    assert isinstance(RBM.deep_states(log_z=off(0.05)), DeepStates)
    for error in (0.01, math.nan):
        with pytest.raises(ValueError, match="^log_z: "):
            RBM.deep_states(log_z=off(error))


def test_the_extension_refuses_what_does_not_fit() -> None:
    found = RBM._handle.deep_states({"random_starts": 0})
    count = found.describe()["count"]
    with pytest.raises(ValueError, match="^out: "):
        found.spins(np.empty((count, 59), np.int8))
    with pytest.raises(ValueError, match="^out: "):
        found.spins(np.empty((count, 60)))
    with pytest.raises(ValueError, match="^patterns: "):
        found.mixtures(np.empty((count, 2), np.int64), np.empty((count, 3), np.int8))
    with pytest.raises(ValueError, match="^signs: "):
        found.mixtures(np.empty((count, 3), np.int64), np.empty((count, 3), np.int64))
    with pytest.raises(TypeError, match="there is no option"):
        RBM._handle.deep_states({"starts": 3})
    with pytest.raises(TypeError, match="^rbm: "):
        found.weigh(found)
    for other in (SpinGaussianRBM.from_patterns(related(), beta=1.0), some_rbm()):
        with pytest.raises(ValueError, match="the states are of an RBM with 60 visible units at beta 2"):
            found.weigh(other._handle)
    assert np.isnan(found.columns()["well"]).all()


# ---- progress ------------------------------------------------------------------------------------------------------


def test_progress_can_cancel_and_fail() -> None:
    large = SpinGaussianRBM.from_patterns(np.random.default_rng(1).choice([-1, 1], (10, 784)))
    seen: list[float] = []

    def note(fraction: float) -> bool:
        seen.append(fraction)
        return len(seen) < 3

    for options in ({"random_starts": 200000}, {"random_starts": 200, "log_z": "wells"}):
        seen.clear()
        with pytest.raises(isinglass.CancelledError):
            large.deep_states(progress=note, **options)
        assert len(seen) == 3 and 0 <= seen[0] <= seen[1] <= seen[2] < 1

    def fail(fraction: float) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        large.deep_states(random_starts=200000, progress=fail)
    seen.clear()
    assert large.deep_states(random_starts=10, progress=seen.append).is_pattern[:10].all() and seen[-1] == 1
    seen.clear()
    assert RBM.deep_states(log_z="wells", progress=seen.append).log_z is not None
    assert seen == sorted(seen) and seen[-1] == 1
