"""Hopfield networks: energies and fields by NumPy, dynamics by their own rules, mappings by the program.

SPDX-License-Identifier: MIT
"""

import copy
import inspect
import json
import os
import pickle
import threading
import time

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, HopfieldNetwork, Patterns, SpinGaussianRBM, _core

N, P = 71, 6


@pytest.fixture(scope="module")
def xi():
    return np.random.default_rng(11).choice([-1, 1], size=(P, N))


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(12).choice([-1, 1], size=(40, N))


def couplings(xi, rule, keep_diagonal):
    x = xi.T.astype(float)
    J = x @ np.linalg.solve(x.T @ x, x.T) if rule == "projection" else x @ x.T / len(x)
    if not keep_diagonal:
        np.fill_diagonal(J, 0)
    return J


@pytest.mark.parametrize("rule", ["projection", "hebbian"])
@pytest.mark.parametrize("keep_diagonal", [True, False])
@pytest.mark.parametrize("has_field", [False, True])
def test_landscape_by_numpy(xi, states, rule, keep_diagonal, has_field):
    b = np.random.default_rng(1).normal(size=N) if has_field else None
    network = HopfieldNetwork(xi, rule=rule, keep_diagonal=keep_diagonal, field=b)
    J, field = couplings(xi, rule, keep_diagonal), np.zeros(N) if b is None else b
    energy = -0.5 * np.einsum("ai,ij,aj->a", states, J, states) - states @ field
    assert np.allclose(network.energy(states), energy, rtol=0, atol=1e-11)
    assert np.allclose(network.fields(states), states @ J + field, rtol=0, atol=1e-12)
    assert np.array_equal(network.overlaps(states), states @ xi.T / N)
    a = np.linalg.lstsq(xi.T.astype(float), states.T.astype(float), rcond=None)[0].T
    assert np.allclose(network.projections(states), a, rtol=0, atol=1e-12)
    assert np.allclose(network.couplings(), J, rtol=0, atol=1e-13)
    assert np.array_equal(network.field, field)
    flips = 2 * states * (states @ (J - np.diag(np.diag(J))) + field)
    found = network.examine(states)
    assert np.array_equal(found.energy, network.energy(states)) and len(found) == len(states)
    assert np.allclose(found.least_rise, flips.min(axis=1), atol=1e-11)
    assert np.array_equal(found.n_unstable, (flips <= 1e-12).sum(axis=1))
    assert np.array_equal(found.is_stable, found.n_unstable == 0)
    assert np.array_equal(found.is_fixed_point, np.all(states * (states @ J + field) >= -1e-12, axis=1))


def test_what_it_knows(xi):
    patterns = Patterns(xi, labels="abcdef")
    network = HopfieldNetwork(patterns, keep_diagonal=False)
    assert network.patterns is patterns and network.n_visible == N
    assert network.rank == P and abs(network.trace - P) < 1e-12
    assert network.rule == "projection" and not network.keeps_diagonal
    assert repr(network) == "HopfieldNetwork(n_patterns=6, n_visible=71, rule='projection', keep_diagonal=False)"
    assert "71" in network._repr_html_()
    assert HopfieldNetwork(xi, rule="hebbian").rank == P


def test_dependent_patterns(xi):
    dependent = np.vstack([xi, -xi[0]])
    with pytest.raises(isinglass.DependentError, match="pattern 6 = -pattern 0"):
        HopfieldNetwork(dependent)
    network = HopfieldNetwork(dependent, allow_rank_deficient=True)
    assert network.rank == P
    a = np.linalg.pinv(dependent.T.astype(float)) @ xi[1]
    assert np.allclose(network.projections(xi[1:2])[0], a, atol=1e-12)
    assert pickle.loads(pickle.dumps(network)).rank == P


def test_patterns_are_fixed_points(xi):
    found = HopfieldNetwork(xi).run(xi)
    assert np.array_equal(found.spins, xi) and found.spins.dtype == np.int8
    assert not found.flips.any() and not found.sweeps.any() and found.is_fixed_point.all()


def test_dynamics_at_zero_temperature(xi, states):
    network = HopfieldNetwork(xi, keep_diagonal=False)
    J, s = couplings(xi, "projection", False), states.copy()
    for _ in range(20):
        for i in range(N):
            s[:, i] = np.where(s @ J[i] > 0, 1, -1)
    found = network.run(states, fixed_order=True)
    assert np.array_equal(found.spins, s) and found.is_fixed_point.all()
    assert np.all(found.energy <= network.energy(states))
    assert np.array_equal(found.energy, network.energy(found.spins))
    once = network.run(states, dynamics="sync", sweeps=1)
    assert np.array_equal(once.spins, np.where(states @ J > 0, 1, -1))
    assert np.array_equal(once.flips, (once.spins != states).sum(axis=1))


def test_two_cycles_are_told():
    network = HopfieldNetwork([[1, -1]], rule="hebbian", keep_diagonal=False)  # J_12 = -1/2
    assert network.run([[1, 1]], dynamics="sync").is_two_cycle.tolist() == [True]


@pytest.mark.parametrize("dynamics", ["glauber", "parallel", "gibbs"])
def test_sweeps_go_on_where_they_stopped(xi, states, dynamics):
    network = HopfieldNetwork(xi)
    options = {"dynamics": dynamics, "beta": 0.7}
    whole = network.run(states, sweeps=9, random_state=4, **options)
    part = network.run(states, sweeps=4, random_state=4, **options)
    rest = network.run(part.spins, sweeps=5, first_sweep=4, random_state=4, **options)
    assert np.array_equal(whole.spins, rest.spins)
    assert np.array_equal(whole.flips, part.flips + rest.flips) and np.all(whole.sweeps == 9)
    assert np.all(whole.flips >= (whole.spins != states).sum(axis=1)) and whole.flips.sum() > 0
    assert np.array_equal(whole.energy, network.energy(whole.spins))
    assert not np.array_equal(whole.spins, network.run(states, sweeps=9, **options).spins)
    none = network.run(states, sweeps=0, **options)
    assert np.array_equal(none.spins, states) and np.array_equal(none.energy, network.energy(states))


def test_clamped_units_stay(xi, states):
    network = HopfieldNetwork(xi)
    mask = np.arange(N) % 3 == 0
    found = network.run(states, dynamics="gibbs", beta=0.3, clamped=mask)
    assert np.array_equal(found.spins[:, mask], states[:, mask])
    assert not np.array_equal(found.spins, states)
    same = network.run(states, dynamics="gibbs", beta=0.3, clamped=np.flatnonzero(mask))
    assert np.array_equal(found.spins, same.spins)
    assert np.array_equal(network.run(states, clamped=[]).spins, network.run(states).spins)


def test_input_is_left_alone_and_may_be_read_only(xi, states):
    given = states.astype(np.int8)
    given.flags.writeable = False
    HopfieldNetwork(xi).run(given)
    assert np.array_equal(given, states)
    data = Dataset.from_spins(states)
    assert np.array_equal(HopfieldNetwork(xi).run(data).spins, HopfieldNetwork(xi).run(states > 0).spins)
    assert np.array_equal(data.spins, states)


def test_committor(xi):
    network = HopfieldNetwork(xi)
    shares = isinglass.committor(network, xi)
    assert np.array_equal(shares, np.eye(P, P + 1))
    mixed = network.committor(np.sign(xi[:3].sum(axis=0, keepdims=True)), beta=4.0, trajectories=200)
    assert mixed.shape == (1, P + 1) and abs(mixed.sum() - 1) < 1e-12
    assert mixed[0, 3:P].sum() < 0.3


def test_to_rbm_and_back(xi, states):
    network = HopfieldNetwork(Patterns(xi, labels="abcdef"), field=np.linspace(-1, 1, N))
    rbm = network.to_rbm(via="svd", beta=1.5)
    assert isinstance(rbm, SpinGaussianRBM) and rbm.beta == 1.5
    back = HopfieldNetwork.from_rbm(rbm)
    assert back.rule == "weights" and back.patterns.labels == list("abcdef") and back.rank == P
    assert np.allclose(back.energy(states), network.energy(states), atol=1e-11)
    assert np.array_equal(back.field, network.field)
    for other in (pickle.loads(pickle.dumps(back)), copy.deepcopy(back)):
        assert np.array_equal(other.energy(states), back.energy(states))
        assert other.patterns.labels == back.patterns.labels
    alone = HopfieldNetwork.from_rbm(SpinGaussianRBM(np.ones((4, 1))))
    assert alone.patterns is None and alone.energy(np.ones((1, 4))).tolist() == [-8.0]
    for method in (alone.overlaps, alone.projections, alone.committor):
        with pytest.raises(ValueError, match="patterns"):
            method(np.ones((1, 4)))


@pytest.mark.parametrize("via", ["qr", "svd", "sqrt", "hebbian"])
def test_mapping_report_is_that_of_the_program(xi, via, tmp_path, run_program):
    Patterns(xi).save(tmp_path / "p.npz")
    expected = json.loads(run_program("map", tmp_path / "p.npz", "-o", tmp_path / "m.npz", "--via", via, "--json"))
    network = HopfieldNetwork(xi, rule="hebbian" if via == "hebbian" else "projection")
    found = network.mapping_report(via=via)
    assert {name: found[name] for name in found if name in expected} == \
           {name: expected[name] for name in found if name in expected}
    assert len([name for name in found if name in expected]) == 8
    assert np.array_equal(network.to_rbm(via=via).weights, np.load(tmp_path / "m.npz")["W"])


def test_copies(xi, states):
    network = HopfieldNetwork(xi, rule="hebbian", keep_diagonal=False, field=np.linspace(0, 1, N))
    for other in (pickle.loads(pickle.dumps(network)), copy.copy(network), copy.deepcopy(network)):
        assert np.array_equal(other.energy(states), network.energy(states))
        assert (other.rule, other.keeps_diagonal) == ("hebbian", False)


def test_progress_can_cancel_and_ctrl_c_works(xi):
    network = HopfieldNetwork(xi)
    many = np.random.default_rng(1).choice([-1, 1], size=(300, N))
    with pytest.raises(isinglass.CancelledError):
        network.run(many, dynamics="glauber", sweeps=10**6, progress=lambda fraction: False)
    seen = []
    network.run(many, dynamics="glauber", sweeps=200, progress=seen.append)
    assert seen == sorted(seen) and all(0 <= fraction <= 1 for fraction in seen)

    def interrupt():
        time.sleep(0.3)
        os.kill(os.getpid(), 2)

    thread = threading.Thread(target=interrupt)
    start = time.monotonic()
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        network.run(many, dynamics="glauber", sweeps=10**8, progress=False)
    assert time.monotonic() - start < 5
    thread.join()
    assert network.run(many[:2]).is_fixed_point.all()


def test_defaults_are_those_of_the_library():
    def given(function, names):
        parameters = inspect.signature(function).parameters
        return {name: parameters["random_state" if name == "seed" else name].default for name in names}

    for function, library in ((HopfieldNetwork.__init__, _core.Hopfield.defaults()),
                              (HopfieldNetwork.run, _core.Hopfield.run_defaults()),
                              (HopfieldNetwork.committor, _core.Hopfield.committor_defaults()),
                              (isinglass.committor, _core.Hopfield.committor_defaults())):
        assert given(function, library) == library


SMALL = np.array([[1, 1, -1, -1], [1, -1, 1, -1]])
ONE = np.array([[1, 1, 1, -1]])


@pytest.fixture(scope="module")
def small():
    return HopfieldNetwork(SMALL)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda n: HopfieldNetwork([[1, 2]]), ValueError, "^patterns: "),
    (lambda n: HopfieldNetwork(None), ValueError, "^patterns: "),
    (lambda n: HopfieldNetwork(SMALL, rule="weights"), ValueError, "^rule: "),
    (lambda n: HopfieldNetwork(SMALL, rule=3), ValueError, "^rule: "),
    (lambda n: HopfieldNetwork(SMALL, field=[1, 2]), ValueError, "^field: "),
    (lambda n: HopfieldNetwork(SMALL, field=[1, 2, 3, np.nan]), ValueError, "^field: "),
    (lambda n: HopfieldNetwork(SMALL, field=["a"] * 4), ValueError, "^field: "),
    (lambda n: HopfieldNetwork.from_rbm(3), TypeError, "^rbm: "),
    (lambda n: HopfieldNetwork.from_rbm(n), TypeError, "^rbm: "),
    (lambda n: n.energy([[1, 1, 1]]), ValueError, "^X: "),
    (lambda n: n.energy([1, 1, 1, 1]), ValueError, "^X: "),
    (lambda n: n.energy([[1, 1, 1, 0.5]]), ValueError, "^X: "),
    (lambda n: n.energy([[1, 1, 1, np.nan]]), ValueError, "^X: "),
    (lambda n: n.energy(np.array([[1, 1, 1, None]], object)), ValueError, "^X: "),
    (lambda n: n.energy(None), (ValueError, TypeError), "^X: "),
    (lambda n: n.energy(np.ones((0, 4))), ValueError, ""),
    (lambda n: n.fields(np.ones((1, 5))), ValueError, "^X: "),
    (lambda n: n.projections(np.ones((1, 5))), ValueError, "^X: "),
    (lambda n: n.overlaps(np.ones((1, 5))), ValueError, "^X: "),
    (lambda n: n.examine(np.ones((1, 5))), ValueError, "^X: "),
    (lambda n: n.run(np.ones((1, 5))), ValueError, "^X: "),
    (lambda n: n.run(ONE, dynamics="fast"), ValueError, "^dynamics: "),
    (lambda n: n.run(ONE, dynamics=None), ValueError, "^dynamics: "),
    (lambda n: n.run(ONE, dynamics="glauber", beta=0), ValueError, "^beta"),
    (lambda n: n.run(ONE, dynamics="glauber", beta=np.inf), ValueError, "^beta"),
    (lambda n: n.run(ONE, dynamics="glauber", beta=np.nan), ValueError, "^beta"),
    (lambda n: n.run(ONE, beta="x"), TypeError, "^beta: "),
    (lambda n: n.run(ONE, sweeps=-1), ValueError, "^sweeps: "),
    (lambda n: n.run(ONE, sweeps=1.5), TypeError, "^sweeps: "),
    (lambda n: n.run(ONE, sweeps=2**70), ValueError, "^sweeps: "),
    (lambda n: n.run(ONE, first_sweep=-1), ValueError, "^first_sweep: "),
    (lambda n: n.run(ONE, clamped=[4]), ValueError, "^clamped: "),
    (lambda n: n.run(ONE, clamped=[-1]), ValueError, "^clamped: "),
    (lambda n: n.run(ONE, clamped=[0.5]), ValueError, "^clamped: "),
    (lambda n: n.run(ONE, clamped=[True]), ValueError, "^clamped: "),
    (lambda n: n.run(ONE, random_state=-1), ValueError, "^random_state: "),
    (lambda n: n.run(ONE, random_state="x"), ValueError, "^random_state: "),
    (lambda n: n.committor(ONE, dynamics="async"), ValueError, ""),
    (lambda n: n.committor(ONE, threshold=2), ValueError, ""),
    (lambda n: n.committor(ONE, threshold=np.nan), ValueError, ""),
    (lambda n: n.committor(ONE, trajectories=0), ValueError, ""),
    (lambda n: isinglass.committor(3, ONE), TypeError, "^network: "),
    (lambda n: n.to_rbm(via="lu"), ValueError, "^via: "),
    (lambda n: n.to_rbm(via="hebbian"), ValueError, ""),
    (lambda n: n.to_rbm(beta=-1), ValueError, "^beta"),
    (lambda n: n.to_rbm(beta=None), TypeError, "^beta: "),
    (lambda n: n.mapping_report(beta=np.nan), ValueError, "^beta"),
    (lambda n: HopfieldNetwork.from_rbm(n.to_rbm()).mapping_report(), ValueError, ""),
    (lambda n: HopfieldNetwork(SMALL, keep_diagonal=False).run(ONE, dynamics="gibbs"), NotImplementedError, ""),
    (lambda n: n._handle.energy(Dataset.from_spins(ONE)._handle, np.empty(2)), ValueError, "^out: "),
    (lambda n: n._handle.energy(Dataset.from_spins(ONE)._handle, np.empty(1, np.float32)), ValueError, "^out: "),
    (lambda n: n._handle.energy(n._handle, np.empty(1)), TypeError, "^X: "),
    (lambda n: n._handle.run(Dataset.from_spins(ONE)._handle, np.empty((1, 4), np.int8), {"speed": 1}), TypeError,
     "speed"),
    (lambda n: _core.Hopfield.create(None), TypeError, "^patterns: "),
])
def test_bad_arguments(small, call, error, message):
    with pytest.raises(error, match=message):
        call(small)


def test_couplings_of_ones_own():
    rng = np.random.default_rng(3)
    n, beta = 9, 1.3
    states = np.array([[1 if k >> i & 1 else -1 for i in range(n)] for k in range(1 << n)])
    a = rng.normal(size=(n, n))
    glass = (a + a.T) / 6
    np.fill_diagonal(glass, 0)
    b = rng.normal(size=n)
    x = 0.1 - np.linalg.eigvalsh(glass)[0]
    network = HopfieldNetwork.from_couplings(glass + x * np.eye(n), field=b)
    energy = -0.5 * np.einsum("ni,ij,nj->n", states, glass, states) - states @ b
    np.testing.assert_allclose(network.energy(states), energy - n * x / 2, atol=1e-12)
    np.testing.assert_allclose(network.couplings(), glass + x * np.eye(n), atol=1e-12)
    np.testing.assert_allclose(network.fields(states), states @ (glass + x * np.eye(n)) + b, atol=1e-12)
    rbm = network.to_rbm(beta=beta)
    p = np.exp(-beta * energy)
    np.testing.assert_allclose(rbm.probabilities(), p / p.sum(), rtol=1e-10)
    assert rbm.log_z().value - beta * n * x / 2 == pytest.approx(np.log(p.sum()), abs=1e-10)
    low = rng.normal(size=(n, 2))
    assert HopfieldNetwork.from_couplings(low @ low.T).to_rbm().n_hidden == 2
    assert HopfieldNetwork.from_couplings(2 * np.eye(n)).to_rbm().n_hidden == n
    assert np.array_equal(pickle.loads(pickle.dumps(network)).energy(states), network.energy(states))


@pytest.mark.parametrize("J, sentence", [
    ([[0.0, 1], [1, 0]], "couplings: J has the negative eigenvalue -1; .* x = 1 or more"),
    ([[1.0, 0.5], [0, 1]], "couplings: expected a symmetric"), ([[1.0, 2]], "couplings: expected a square"),
    (np.zeros((2, 2)), "couplings: expected some that are not zero"), ([[np.nan]], "couplings: expected finite"),
    ([1.0], "couplings: expected 2 dim"), (np.empty((0, 0)), "couplings: expected a square"), ([["a"]], "couplings: ")])
def test_bad_couplings(J, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}"):
        HopfieldNetwork.from_couplings(J)


def test_couplings_in_place_of_patterns():
    with pytest.raises(ValueError, match=r"^patterns: .*from_couplings\(J\)"):
        HopfieldNetwork([[0.0, 0.3], [0.3, 0.0]])
    with pytest.raises(ValueError, match="^patterns: ") as caught:
        HopfieldNetwork([[0.0, 0.3], [0.2, 0.0]])
    assert "from_couplings" not in str(caught.value)
