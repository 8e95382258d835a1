"""RBMs: arrays without copies, energies, mappings, samples, files.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import gc
import inspect
import json
import pickle
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, HopfieldNetwork, Patterns, SpinGaussianRBM, _core


def random_rbm(n: int = 9, p: int = 3, beta: float = 0.7, seed: int = 3) -> SpinGaussianRBM:
    random = np.random.default_rng(seed)
    return SpinGaussianRBM(random.normal(0, 0.4, (n, p)), beta=beta, visible_field=random.normal(0, 0.3, n),
                           hidden_field=random.normal(0, 0.3, p))


def random_patterns(count: int = 4, n: int = 40, seed: int = 5) -> Patterns:
    spins = np.random.default_rng(seed).choice([-1, 1], (count, n))
    return Patterns(spins, labels=[f"class {mu}" for mu in range(count)])


def all_states(n: int) -> np.ndarray:
    """Bit i of the index is set if spin i is +1."""
    return np.where(np.arange(1 << n)[:, None] >> np.arange(n) & 1, 1, -1).astype(np.int8)


def same(one: SpinGaussianRBM, other: SpinGaussianRBM) -> bool:
    return (one.beta == other.beta and one.weights.tobytes() == other.weights.tobytes()
            and one.visible_field.tobytes() == other.visible_field.tobytes()
            and one.hidden_field.tobytes() == other.hidden_field.tobytes())


# ---- arrays ------------------------------------------------------------------------------------------------------


def test_arrays_are_the_memory_of_the_model() -> None:
    rbm = random_rbm()
    for name in ("weights", "visible_field", "hidden_field"):
        assert np.shares_memory(getattr(rbm, name), getattr(rbm, name)), name
        assert getattr(rbm, name).flags.writeable and getattr(rbm, name).dtype == np.float64
    states = all_states(9)[:5]
    before = rbm.energy(states)
    rbm.weights[2, 1] += 0.25
    rbm.visible_field[...] = 0
    h = states @ rbm.weights + rbm.hidden_field
    expected = -(h**2).sum(1) / 2 + (rbm.hidden_field**2).sum() / 2
    assert not np.allclose(before, rbm.energy(states))
    np.testing.assert_allclose(rbm.energy(states), expected, rtol=1e-12)


def test_an_array_keeps_the_model_alive() -> None:
    rbm = random_rbm()
    watched = weakref.ref(rbm)
    weights, expected = rbm.weights, rbm.weights.copy()
    del rbm
    gc.collect()
    assert watched() is None
    np.testing.assert_array_equal(weights, expected)
    weights[...] = 1.0


def test_new_models_leave_arrays_of_the_old_valid() -> None:
    patterns = random_patterns()
    rbm = SpinGaussianRBM.from_patterns(patterns)
    weights, expected = rbm.weights, rbm.weights.copy()
    extra = np.random.default_rng(9).choice([-1, 1], 40)
    more = rbm.append_pattern(extra, "new")
    less = more.remove_pattern(0)
    assert more.n_hidden == 5 and less.n_hidden == 4 and rbm.n_hidden == 4
    assert more.patterns.labels[-1] == "new" and less.patterns.labels == [*patterns.labels[1:], "new"]
    fresh = SpinGaussianRBM.from_patterns(Patterns(np.vstack([patterns.spins, extra])))
    np.testing.assert_allclose(more.weights, fresh.weights, atol=1e-12)
    np.testing.assert_array_equal(weights, expected)
    assert np.shares_memory(weights, rbm.weights) and not np.shares_memory(weights, more.weights)


def test_coefficients_are_read_only() -> None:
    rbm = SpinGaussianRBM.from_patterns(random_patterns())
    np.testing.assert_allclose(rbm.weights @ rbm.coefficients, random_patterns().xi, atol=1e-12)
    with pytest.raises(ValueError):
        rbm.coefficients[0, 0] = 1
    assert random_rbm().coefficients is None and random_rbm().patterns is None


# ---- energies ----------------------------------------------------------------------------------------------------


def test_energies_and_probabilities_agree_with_numpy() -> None:
    rbm, states = random_rbm(), all_states(9)
    w, b, c, beta = rbm.weights, rbm.visible_field, rbm.hidden_field, rbm.beta
    h = states @ w + c
    energy = -states @ b - (h**2).sum(1) / 2 + (c**2).sum() / 2
    np.testing.assert_allclose(rbm.hidden(states), h, rtol=1e-12)
    np.testing.assert_allclose(rbm.energy(states), energy, rtol=1e-12)
    log_z = np.log(np.exp(-beta * energy).sum())
    found = rbm.log_z()
    assert found.method == "exact" and abs(found.value - log_z) < 1e-9
    np.testing.assert_allclose(rbm.probabilities(), np.exp(-beta * energy - log_z), rtol=1e-9)
    np.testing.assert_allclose(rbm.log_probability(states), -beta * energy - log_z, rtol=1e-9)
    np.testing.assert_allclose(rbm.log_probability(states, 0.0), -beta * energy, rtol=1e-12)
    some = np.random.default_rng(1).normal(size=(len(states), 3))
    joint = ((some - c)**2).sum(1) / 2 - states @ b - (states @ w * some).sum(1)
    np.testing.assert_allclose(rbm.energy(states, some), joint, rtol=1e-12)


def test_capture_is_the_share_in_the_span() -> None:
    rbm, states = random_rbm(), all_states(9)[::3]
    q = np.linalg.qr(rbm.weights)[0]
    assert rbm.capture(states) == pytest.approx(((states @ q) ** 2).sum(axis=1).mean() / 9, abs=1e-12)
    with pytest.raises(ValueError):
        rbm.capture(states[:, :8])


def test_free_energy_and_its_gradient() -> None:
    rbm = random_rbm()
    some = np.random.default_rng(1).normal(size=(6, 3))
    x = some @ rbm.weights.T + rbm.visible_field
    expected = ((some - rbm.hidden_field)**2).sum(1) / 2 - np.log(np.cosh(rbm.beta * x)).sum(1) / rbm.beta
    np.testing.assert_allclose(rbm.free_energy(some), expected, rtol=1e-12)
    assert isinstance(rbm.free_energy(some[0]), float) and rbm.free_energy(some[0]) == rbm.free_energy(some)[0]
    gradient = rbm.free_energy_gradient(some)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        numeric = (rbm.free_energy(some + step) - rbm.free_energy(some - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, k], numeric, atol=1e-7)
    np.testing.assert_allclose(rbm.visible_probability(some), 1 / (1 + np.exp(-2 * rbm.beta * x)), rtol=1e-12)
    assert rbm.visible_probability(some[0]).shape == (9,) and rbm.free_energy_gradient(some[0]).shape == (3,)


# ---- mappings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("via", ["qr", "svd", "sqrt", "hebbian"])
def test_mappings_give_the_bits_of_the_program(via: str, run_program: Any, tmp_path: Path) -> None:
    patterns = random_patterns()
    patterns.save(tmp_path / "p.npz")
    said = json.loads(run_program("map", tmp_path / "p.npz", "-o", tmp_path / "m.npz", "--via", via, "--beta", "1.5",
                                  "--json"))
    rbm = SpinGaussianRBM.from_patterns(patterns, via=via, beta=1.5, report=True)
    loaded = SpinGaussianRBM.load(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as file:
        assert rbm.weights.tobytes() == np.ascontiguousarray(file["W"]).tobytes()
    assert same(rbm, loaded)
    for name in ("via", "rank", "n_hidden", "orthogonality_error", "reconstruction_error", "projector_error",
                 "fixed_point_error", "trace"):
        assert getattr(rbm.mapping, name) == said[name], name
    assert rbm.patterns.labels == patterns.labels and np.array_equal(rbm.patterns.spins, patterns.spins)
    assert loaded.mapping is None


def test_dependent_patterns() -> None:
    spins = random_patterns().spins
    doubled = np.vstack([spins, -spins[:1]])
    with pytest.raises(isinglass.DependentError, match="pattern"):
        SpinGaussianRBM.from_patterns(doubled)
    assert SpinGaussianRBM.from_patterns(doubled, allow_rank_deficient=True).n_hidden == 4
    with pytest.raises(isinglass.DependentError):
        SpinGaussianRBM.from_patterns(spins).append_pattern(spins[1])


@pytest.mark.parametrize("kind", ["hopfield", "hebbian", "pca", "normal", "axes"])
def test_starts(kind: str) -> None:
    random = np.random.default_rng(2)
    data = Dataset.from_spins(random.choice([-1, 1], (60, 20)), y=np.arange(60) % 3)
    rbm = SpinGaussianRBM.start(data, kind=kind, per_class=2, beta=1.25)
    assert (rbm.n_visible, rbm.n_hidden, rbm.beta) == (20, 6, 1.25)
    assert np.linalg.matrix_rank(rbm.weights) == 6
    if kind == "normal":
        assert same(rbm, SpinGaussianRBM.start(data, kind=kind, per_class=2, beta=1.25, random_state=1))
        assert not same(rbm, SpinGaussianRBM.start(data, kind=kind, per_class=2, beta=1.25, random_state=2))


def test_networks_and_back() -> None:
    states = all_states(9)
    rbm = random_rbm()
    np.testing.assert_allclose(rbm.to_hopfield().energy(states), rbm.energy(states), rtol=1e-12)
    stored = random_patterns()
    network = HopfieldNetwork(stored)
    mapped = SpinGaussianRBM.from_hopfield(network, beta=1.5, report=True)
    assert same(mapped, SpinGaussianRBM.from_patterns(stored, beta=1.5)) and mapped.mapping.energy_shift == 0
    np.testing.assert_allclose(mapped.energy(stored.spins), network.energy(stored.spins), rtol=1e-12)
    back = SpinGaussianRBM.from_hopfield(mapped.to_hopfield(), beta=1.5)
    np.testing.assert_array_equal(back.weights, mapped.weights)
    with pytest.raises(ValueError):
        SpinGaussianRBM.from_hopfield(network, via="hebbian")


def test_integrate_and_orthonormalize() -> None:
    rbm = random_rbm()
    found = rbm.integrate()
    np.testing.assert_allclose(found.singular_values, np.linalg.svd(rbm.weights, compute_uv=False), rtol=1e-12)
    np.testing.assert_allclose(found.field, rbm.visible_field + rbm.weights @ rbm.hidden_field, rtol=1e-12)
    assert found.rank == 3 and not found.is_binary and found.has_field and np.isnan(found.hebbian_beta)
    nearest = rbm.orthonormalize()
    np.testing.assert_allclose(nearest.weights.T @ nearest.weights, np.eye(3), atol=1e-12)
    hebbian = SpinGaussianRBM.from_patterns(random_patterns(), via="hebbian").integrate()
    assert hebbian.is_hebbian and abs(hebbian.hebbian_beta - 2) < 1e-12


# ---- defaults ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("function", "defaults"), [
    (SpinGaussianRBM.from_patterns, _core.RBM.mapping_defaults), (SpinGaussianRBM.start, _core.RBM.start_defaults),
    (SpinGaussianRBM.log_z, _core.RBM.log_z_defaults), (SpinGaussianRBM.unmap, _core.RBM.unmap_defaults)])
def test_defaults_are_those_of_the_library(function: Any, defaults: Any) -> None:
    ours = {name: one.default for name, one in inspect.signature(function).parameters.items()}
    for name, value in defaults().items():
        assert ours["random_state" if name == "seed" else name] == value, name


# ---- samples -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "arguments"), [
    ({}, []),
    ({"start": "noise", "random_state": 7}, ["--start", "noise", "--seed", 7]),
    ({"beta": 0.4, "sweeps": 33}, ["--beta", "0.4", "--sweeps", 33]),
    ({"beta": {0: 0.5, 12: 3.0}}, ["--beta", "0.5,3@12"]),
    ({"clamp": slice(3, 21), "start": "noise"}, ["--clamp", "3:21", "--start", "noise"]),
    ({"start": "data"}, ["--start", "data"]),
    ({"start": "unlabelled", "clamp": [0, 39]}, ["--start", "unlabelled", "--clamp", "0,39"])])
def test_samples_are_those_of_the_program(options: dict[str, Any], arguments: list[Any], run_program: Any,
                                          tmp_path: Path) -> None:
    rbm = SpinGaussianRBM.from_patterns(random_patterns(), beta=1.0)
    rbm.save(tmp_path / "m.npz")
    spins = np.random.default_rng(8).choice(np.array([-1, 1], np.int8), (7, 40))
    labels = np.array([1, 0, 2, 2, 0, 0, 0])
    sets = {"data": Dataset.from_spins(spins, y=labels), "unlabelled": spins}
    np.savez(tmp_path / "data.npz", X=spins, y=labels)
    np.savez(tmp_path / "unlabelled.npz", X=spins)
    arguments = [tmp_path / f"{word}.npz" if word in sets else word for word in arguments]
    run_program("sample", tmp_path / "m.npz", "-o", tmp_path / "s.npz", "--count", 23, *arguments)
    start = options.get("start")
    found = rbm.sample(23, **{**options, "start": sets.get(start, start) if isinstance(start, str) else None})
    with np.load(tmp_path / "s.npz") as file:
        assert found.dtype == np.int8 and np.array_equal(found, file["s"])


def test_samples_follow_the_law() -> None:
    rbm = random_rbm(5, 2)
    found = rbm.sample(40000, sweeps=40)
    index = ((found > 0) << np.arange(5)).sum(1)
    shares = np.bincount(index, minlength=32) / len(found)
    p = rbm.probabilities()
    assert np.all(np.abs(shares - p) < 5 * np.sqrt(p / len(found)))


# ---- copies and files ---------------------------------------------------------------------------------------------


def test_copies_and_files(tmp_path: Path) -> None:
    rbm = SpinGaussianRBM.from_patterns(random_patterns(), field=np.linspace(-1, 1, 40), report=True)
    rbm.image_shape = (5, 8)
    rbm.save(tmp_path / "m.npz")
    for other in (rbm.copy(), copy.copy(rbm), copy.deepcopy(rbm), pickle.loads(pickle.dumps(rbm)),
                  SpinGaussianRBM.load(tmp_path / "m.npz"), SpinGaussianRBM.load(str(tmp_path / "m.npz"))):
        assert same(rbm, other) and other.image_shape == (5, 8)
        assert not np.shares_memory(rbm.weights, other.weights)
        assert other.patterns.labels == rbm.patterns.labels
        np.testing.assert_array_equal(other.coefficients, rbm.coefficients)
    assert pickle.loads(pickle.dumps(rbm)).mapping == rbm.mapping
    bare = tmp_path / "bare.npz"
    np.savez(bare, W=rbm.weights, beta=1.0)
    assert np.array_equal(SpinGaussianRBM.load(bare).weights, rbm.weights)


def test_encodings_travel(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    data = Dataset.from_array(random.normal(3, 1, (30, 6)), y=np.arange(30) % 2, binarize="mean",
                              unit_names=list("abcdef"))
    rbm = SpinGaussianRBM.start(data)
    assert rbm.unit_names == list("abcdef") and rbm.encoding == data.encoding
    assert SpinGaussianRBM(rbm.weights, encoding=data.encoding).unit_names == list("abcdef")
    with pytest.raises(ValueError, match="X: are 0 and 1 spins"):
        rbm.energy(np.eye(6))
    assert random_rbm().encoding is None and random_rbm().unit_names is None


def test_missing_values_are_refused() -> None:
    values = np.array([[1.0, 0, 1], [np.nan, 1, 0]])
    data = Dataset.from_array(values, missing="impute")
    rbm = SpinGaussianRBM(np.ones((3, 1)))
    for function in (rbm.hidden, rbm.energy, rbm.log_likelihood, lambda X: rbm.log_z(data=X),
                     lambda X: rbm.sample(2, start=X), lambda X: rbm.unmap(data=X)):
        with pytest.raises(ValueError, match="missing in row 1.*impute"):
            function(data)
    assert rbm.energy(data.impute(rbm)).shape == (2,)


# ---- bad input ---------------------------------------------------------------------------------------------------

RBM = SpinGaussianRBM.from_patterns(random_patterns(), beta=1.0)


@pytest.mark.parametrize(("call", "name"), [
    (lambda: SpinGaussianRBM([[1.0, np.nan]]), "weights"),
    (lambda: SpinGaussianRBM([1.0, 2.0]), "weights"),
    (lambda: SpinGaussianRBM(np.empty((0, 2))), "weights"),
    (lambda: SpinGaussianRBM(np.empty((3, 0))), "weights"),
    (lambda: SpinGaussianRBM([["a"]]), "weights"),
    (lambda: SpinGaussianRBM(np.array([[None]])), "weights"),
    (lambda: SpinGaussianRBM(np.array([[1j]])), "weights"),
    (lambda: SpinGaussianRBM([[1.0]], beta=np.nan), "beta"),
    (lambda: SpinGaussianRBM([[1.0]], beta=-1), "beta"),
    (lambda: SpinGaussianRBM([[1.0]], beta="hot"), "beta"),
    (lambda: SpinGaussianRBM([[1.0]], visible_field=[1, 2]), "visible_field"),
    (lambda: SpinGaussianRBM([[1.0]], hidden_field=[np.inf]), "hidden_field"),
    (lambda: SpinGaussianRBM([[1.0]], image_shape=(2, 2)), "image_shape"),
    (lambda: SpinGaussianRBM([[1.0]], image_shape=(-1, -1)), "image_shape"),
    (lambda: SpinGaussianRBM([[1.0]], image_shape=3), "image_shape"),
    (lambda: SpinGaussianRBM.from_patterns([[1, 2]]), "spins"),
    (lambda: SpinGaussianRBM.from_patterns(random_patterns(), via="lu"), "via"),
    (lambda: SpinGaussianRBM.from_patterns(random_patterns(), beta=0), "beta"),
    (lambda: SpinGaussianRBM.from_patterns(random_patterns(), field=[1.0]), "field"),
    (lambda: SpinGaussianRBM.from_hopfield(3), "network"),
    (lambda: SpinGaussianRBM.start(np.ones((3, 4)), kind="best"), "kind"),
    (lambda: SpinGaussianRBM.start(np.ones((3, 4)), per_class=-1), "per_class"),
    (lambda: SpinGaussianRBM.start(np.ones((3, 4)), patterns="p"), "patterns"),
    (lambda: SpinGaussianRBM.load(7), "path"),
    (lambda: RBM.hidden(np.ones(40)), "X"),
    (lambda: RBM.hidden(np.full((2, 40), 0.5)), "X"),
    (lambda: RBM.energy(np.ones((2, 40)), np.ones((3, 4))), "hidden"),
    (lambda: RBM.free_energy(np.ones((2, 3))), "hidden"),
    (lambda: RBM.free_energy(np.ones((2, 3, 4))), "hidden"),
    (lambda: RBM.free_energy([np.nan] * 4), "hidden"),
    (lambda: RBM.visible_probability("x"), "hidden"),
    (lambda: RBM.append_pattern(np.ones(39)), "pattern"),
    (lambda: RBM.append_pattern(np.full(40, 3)), "pattern"),
    (lambda: RBM.remove_pattern(4), "index"),
    (lambda: RBM.remove_pattern(-1), "index"),
    (lambda: RBM.remove_pattern("x"), "index"),
    (lambda: SpinGaussianRBM([[1.0]], image_shape=("a", 2)), "image_shape"),
    (lambda: RBM.sample(0), "n"),
    (lambda: RBM.sample(2.5), "n"),
    (lambda: RBM.sample(2, sweeps=0), "sweeps"),
    (lambda: RBM.sample(2, sweeps=1.5), "sweeps"),
    (lambda: RBM.sample(2, beta=-1), "beta"),
    (lambda: RBM.sample(2, beta={1: 2}), "beta"),
    (lambda: RBM.sample(2, beta={0: 2, 20: 3}), "beta"),
    (lambda: RBM.sample(2, clamp=[40]), "clamp"),
    (lambda: RBM.sample(2, clamp=["a"]), "clamp"),
    (lambda: RBM.sample(2, start="nowhere"), "start"),
    (lambda: random_rbm().sample(2, start="patterns"), "start"),
    (lambda: RBM.sample(2, start=np.ones((2, 39))), "start"),
    (lambda: RBM.sample(2, random_state=-1), "random_state"),
    (lambda: RBM.unmap(start="here"), "start"),
    (lambda: RBM.unmap(method="guess"), "method"),
    (lambda: RBM.unmap(restarts=-5), "restarts")])
def test_bad_input_names_the_argument(call: Any, name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
        call()


def test_shapes_that_disagree() -> None:
    for call in (RBM.hidden, RBM.energy, RBM.log_likelihood, lambda X: RBM.energy(X, np.ones((2, 4)))):
        with pytest.raises(ValueError, match="39"):
            call(np.ones((2, 39)))
    with pytest.raises(NotImplementedError):
        RBM.probabilities()
    with pytest.raises(OSError):
        SpinGaussianRBM.load("there-is-no-such-file.npz")
    assert RBM.sample(3).shape == (3, 40)  # usable after all that


# ---- threads, pictures --------------------------------------------------------------------------------------------


def test_threads_do_not_meet() -> None:
    rbm = SpinGaussianRBM.from_patterns(random_patterns(12, 200), beta=1.0)
    expected = rbm.log_z(method="ais", steps=400).value
    found, refused, started = [], [], threading.Event()

    def report(fraction: float) -> None:
        started.set()

    def work() -> None:
        found.append(rbm.log_z(method="ais", steps=400, progress=report).value)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    started.wait(10)
    while any(thread.is_alive() for thread in threads):
        try:
            rbm.beta = 1.0
        except RuntimeError as error:
            refused.append(str(error))
    for thread in threads:
        thread.join()
    assert found == [expected, expected]
    assert refused and "another thread is using this" in refused[0]


def test_looks() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    rbm = SpinGaussianRBM.from_patterns(random_patterns())
    assert repr(rbm) == "SpinGaussianRBM(n_visible=40, n_hidden=4, beta=2)"
    assert "4 patterns" in rbm._repr_html_() and "finite" not in rbm._repr_html_()
    rbm.plot()
    rbm.image_shape = (5, 8)
    rbm.plot(columns=2)
    rbm.weights[0, 0] = np.nan
    assert "not finite" in rbm._repr_html_()
    with pytest.raises(isinglass.DivergedError):
        rbm.log_z()
