"""Recall, recovery and corruption, against the program.

SPDX-License-Identifier: MIT
"""

import csv
import inspect
import json
import os
import pickle

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, HopfieldNetwork, Patterns, _core, corrupt, projections, recall, recover



@pytest.fixture(scope="module")
def run(run_program):
    return lambda *arguments: json.loads(run_program(*arguments, "--json", "--quiet"))


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """Patterns, noisy samples of them, of one class without a pattern too, and both as files."""
    folder = tmp_path_factory.mktemp("recall")
    rng = np.random.default_rng(1)
    xi = rng.choice([-1, 1], size=(5, 100)).astype(np.int8)
    source = rng.integers(5, size=150)
    X = xi[source] * rng.choice([1, -1], p=[0.7, 0.3], size=(150, 100))
    y = np.where(rng.random(150) < 0.05, "f", np.array(list("abcde"))[source])
    patterns, data = Patterns(xi, labels="abcde"), Dataset.from_array(X, y, binarize="zero")
    patterns.save(folder / "p.npz")
    np.savez(folder / "d.npz", X=X, y=y)
    return patterns, data, folder


@pytest.mark.parametrize(("options", "flags"), [
    ({}, []),
    ({"protocol": "attractor"}, ["--protocol", "attractor"]),
    ({"rule": "hebbian", "threshold": 0.9, "random_state": 7, "trajectories": 5, "max_updates": 30},
     ["--rule", "hebbian", "--overlap", 0.9, "--seed", 7, "--trajectories", 5, "--sweeps", 30]),
    ({"threshold": 0.95, "ensemble": "glauber", "beta": 3.0},
     ["--overlap", 0.95, "--dynamics", "glauber", "--beta", 3]),
    ({"protocol": "attractor", "keep_diagonal": False, "dynamics": "sync", "readout": "energy", "rule": "hebbian"},
     ["--protocol", "attractor", "--no-diagonal", "--dynamics", "sync", "--readout", "energy", "--rule", "hebbian"]),
    ({"protocol": "attractor", "dynamics": "gibbs", "max_updates": 100}, ["--protocol", "attractor", "--dynamics",
                                                                         "gibbs"]),
])
def test_recall_is_that_of_the_program(run, case, options, flags):
    patterns, data, folder = case
    found = recall(patterns, data, **options)
    (folder / "o.csv").unlink(missing_ok=True)
    expected = run("recall", folder / "p.npz", folder / "d.npz", *flags, "-o", folder / "o.csv")
    assert found.accuracy == expected["accuracy"] and found.undecided == pytest.approx(expected["undecided"], abs=0)
    assert found.n_samples == 150 and found.n_foreign == expected["foreign"] > 0
    assert found.start_accuracy == expected["start_accuracy"] and found.n_ends == expected["ends"]
    assert np.array_equal(found.confusion, expected["confusion"])
    assert found.classes == expected["classes"] and found.columns == expected["columns"]
    assert found.updates_histogram.tolist() == expected["updates"]
    if expected["end_accuracy"]:
        assert found.end_accuracy == expected["end_accuracy"]
        assert np.array_equal(found.ends, expected["attractors"])
    else:
        assert [found.decided_at_start, found.decided, found.n_ensembles] == \
               [expected[name] for name in ("decided_at_start", "decided", "ensembles")]
    with open(folder / "o.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["end"] for row in rows] == found.end.tolist()
    assert [row["label"] or None for row in rows] == found.label.tolist()
    assert [int(row["pattern"]) if row["pattern"] else -1 for row in rows] == found.pattern.tolist()
    for name in ("updates", "trajectories"):
        assert [int(row[name]) for row in rows] == getattr(found, name).tolist()
    assert np.allclose([float(row["share"]) for row in rows], found.share, atol=1e-6)


def test_projections_are_those_of_the_program(run, case):
    patterns, data, folder = case
    (folder / "a.npz").unlink(missing_ok=True)
    run("recall", folder / "p.npz", folder / "d.npz", "--projections", folder / "a.npz")
    expected = np.load(folder / "a.npz")["A"]
    assert np.array_equal(HopfieldNetwork(patterns).projections(data), expected)
    assert np.array_equal(projections(data, patterns.xi), expected)
    means = np.random.default_rng(2).normal(size=(100, 3))
    by_numpy = np.linalg.lstsq(means, data.spins.T.astype(float), rcond=None)[0].T
    assert np.allclose(projections(data, means), by_numpy, atol=1e-12)
    with pytest.raises(isinglass.DependentError):
        projections(data, means[:, [0, 0]])
    assert projections(data, means[:, [0, 0]], allow_rank_deficient=True).shape == (150, 2)


@pytest.mark.parametrize(("options", "flags"), [
    ({"flip": np.linspace(0.1, 0.4, 4)}, ["--flip", "0.1:0.4:4"]),
    ({"mask": [0.5, 0.9], "clamp_known": True, "rule": "hebbian", "trials": 40},
     ["--mask", "0.5:0.9:2", "--rule", "hebbian", "--trials", 40]),
    ({"mask": 0.0, "units": np.arange(20, 60), "clamp_known": True, "dynamics": "gibbs", "beta": 3.0,
      "random_state": 5}, ["--mask-units", "20:60", "--dynamics", "gibbs", "--beta", 3, "--seed", 5]),
])
def test_recovery_is_that_of_the_program(run, case, options, flags):
    patterns, _, folder = case
    found = recover(patterns, **options)
    points = run("recall", folder / "p.npz", *flags)["curves"][0]["points"]
    assert len(points) == len(found.flip) == len(found.exact)
    for k, point in enumerate(points):
        assert found.trials[k] == point["trials"]
        assert found.exact[k] / found.trials[k] == point["exact"]["value"] == found.share[k]
        assert found.near[k] / found.trials[k] == point["near"]["value"]
        assert found.start_overlap[k] == point["start_overlap"] and found.end_overlap[k] == point["end_overlap"]


def test_samples_can_be_recovered(case):
    patterns, data, _ = case
    known = data.select(np.flatnonzero(data.y != "f"))
    found = recover(patterns, known, flip=[0, 0.4], trials=2)
    assert found.trials.tolist() == [2 * len(known)] * 2 and found.exact[0] > found.exact[1]
    with pytest.raises(ValueError, match="class f"):
        recover(patterns, data, flip=0.1)


def test_arrays_without_labels_have_no_accuracy(case):
    patterns, data, _ = case
    found = recall(patterns.spins, data.spins)
    assert np.isnan(found.accuracy) and found.classes == ["all"] and found.columns[:5] == list("01234")
    assert found.confusion.sum() == 150 and "accuracy" not in repr(found)


def test_results_are_plain(case):
    found = recall(*case[:2])
    other = pickle.loads(pickle.dumps(found))
    assert np.array_equal(other.confusion, found.confusion) and other.options == found.options
    assert found.confusion.flags.writeable and found.confusion.flags.owndata
    assert repr(found).startswith("Recall(protocol='published', n_samples=150, accuracy=0.")
    assert "count as wrong" in found._repr_html_()
    assert "spurious" in recall(*case[:2], protocol="attractor")._repr_html_()
    assert callable(isinglass.recall)  # and not the module


def test_pictures(case):
    pytest.importorskip("matplotlib").use("Agg")
    assert recall(*case[:2]).plot() is not None
    assert recover(case[0], flip=[0, 0.3], trials=3).plot() is not None


def test_corrupt():
    spins = np.random.default_rng(1).choice([-1, 1], size=(3, 50))
    before = spins.copy()
    flipped, masked = corrupt(spins, flip=0.2)
    assert np.array_equal((flipped != spins).sum(axis=1), [10] * 3) and not masked.any()
    assert np.array_equal(spins, before)
    more, _ = corrupt(spins, flip=0.4)
    assert np.all((more != spins) >= (flipped != spins))
    _, masked = corrupt(spins, mask=0.5, units=[0, 1])
    assert masked[:, :2].all() and np.all(masked.sum(axis=1) >= 25)
    one, one_masked = corrupt(spins[1], flip=0.2, number=1)
    assert one.shape == one_masked.shape == (50,) and np.array_equal(one, flipped[1])
    assert not np.array_equal(corrupt(spins, flip=0.2, random_state=2)[0], flipped)


@pytest.mark.slow
def test_mnist_by_both_protocols(run, mnist_train, mnist_test, tmp_path):
    train, test = (Dataset.from_array(X.reshape(-1, 28, 28), y) for X, y in (mnist_train, mnist_test))
    patterns = Patterns.from_data(train)
    patterns.save(tmp_path / "p.npz")
    for protocol in ("published", "attractor"):
        found = recall(patterns, test, protocol=protocol)
        expected = run("recall", tmp_path / "p.npz", "mnist:test", "--data-dir", os.environ["ISINGLASS_DATA"],
                       "--protocol", protocol)
        assert found.accuracy == expected["accuracy"] and found.undecided == expected["undecided"]
        assert np.array_equal(found.confusion, expected["confusion"])
        if protocol == "published":
            assert round(found.accuracy, 4) == 0.7689


def test_defaults_are_those_of_the_library():
    for protocol in ("published", "attractor"):
        library = _core.Recall.defaults(protocol)
        given = inspect.signature(recall).parameters
        for name, value in library.items():
            default = given["random_state" if name == "seed" else name].default
            assert default == value or default is None or name == "protocol"
        assert recall([[1, -1]], [[1, -1]], protocol=protocol).options == library
    library = _core.Recall.recovery_defaults()
    given = inspect.signature(recover).parameters
    assert {name: given["random_state" if name == "seed" else name].default for name in library} == library


XI = np.array([[1, 1, -1, -1], [1, -1, 1, -1]])


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: recall(3, XI), ValueError, "^patterns: "),
    (lambda: recall(XI, None), (ValueError, TypeError), "^data: "),
    (lambda: recall(XI, [[1, 2, 3, 4]]), ValueError, "^data: "),
    (lambda: recall(XI, np.ones((1, 5))), ValueError, ""),
    (lambda: recall(XI, XI, protocol="other"), ValueError, "^protocol: "),
    (lambda: recall(XI, XI, protocol=None), ValueError, "^protocol: "),
    (lambda: recall(XI, XI, rule="weights"), ValueError, "^rule: "),
    (lambda: recall(XI, XI, dynamics="gibbs"), ValueError, ""),
    (lambda: recall(XI, XI, dynamics="slow"), ValueError, "^dynamics: "),
    (lambda: recall(XI, XI, ensemble="sync"), ValueError, ""),
    (lambda: recall(XI, XI, beta=-1), ValueError, "beta"),
    (lambda: recall(XI, XI, beta=np.nan), ValueError, "beta"),
    (lambda: recall(XI, XI, threshold=1.5), ValueError, ""),
    (lambda: recall(XI, XI, threshold=np.nan), ValueError, ""),
    (lambda: recall(XI, XI, max_updates=-1), ValueError, "^max_updates: "),
    (lambda: recall(XI, XI, trajectories="x"), TypeError, "^trajectories: "),
    (lambda: recall(XI, XI, readout="best"), ValueError, "^readout: "),
    (lambda: recall(XI, XI, random_state=-3), ValueError, "^random_state: "),
    (lambda: recall([*XI, -XI[0]], XI), isinglass.DependentError, "pattern 2"),
    (lambda: recover(XI, flip=1.5), ValueError, "^flip: "),
    (lambda: recover(XI, flip=np.nan), ValueError, "^flip: "),
    (lambda: recover(XI, mask=[[0.5]]), ValueError, "^mask: "),
    (lambda: recover(XI, mask="x"), ValueError, "^mask: "),
    (lambda: recover(XI, flip=[0, 0.1], mask=[0, 0.1, 0.2]), ValueError, "^mask: "),
    (lambda: recover(XI, flip=[]), ValueError, "^flip: "),
    (lambda: recover(XI, units=[9]), ValueError, "^units: "),
    (lambda: recover(XI, trials=0), ValueError, ""),
    (lambda: recover(XI, near=np.nan), ValueError, ""),
    (lambda: recover(XI, data=XI), ValueError, "label"),
    (lambda: corrupt([1, 2]), ValueError, "^spins: "),
    (lambda: corrupt([]), ValueError, "^spins: "),
    (lambda: corrupt(1), ValueError, "^spins: "),
    (lambda: corrupt(np.ones((2, 2, 2))), ValueError, "^spins: "),
    (lambda: corrupt([1, -1], flip=-0.1), ValueError, "^flip: "),
    (lambda: corrupt([1, -1], flip=[0.1, 0.2]), ValueError, "^flip: "),
    (lambda: corrupt([1, -1], units=[True]), ValueError, "^units: "),
    (lambda: corrupt([1, -1], number=-1), ValueError, "^number: "),
    (lambda: corrupt([1, -1], random_state=2**65), ValueError, ""),
    (lambda: projections(XI, [1, 2]), ValueError, "^x: "),
    (lambda: projections(XI, [[1.0], [2.0]]), ValueError, ""),
    (lambda: projections(XI, [[1.0], [np.nan], [1], [1]]), ValueError, "^x: "),
    (lambda: projections(XI, np.ones((4, 0))), ValueError, "^x: "),
    (lambda: _core.Recall.run(None, None), TypeError, "^patterns: "),
    (lambda: _core.Recall.recover(Patterns(XI)._handle, 3, np.zeros(1), np.zeros(1)), TypeError, "^data: "),
    (lambda: _core.Recall.corrupt(XI.astype(np.int8), np.zeros((1, 1), bool), None, {}), ValueError,
     "^masked: "),
    (lambda: _core.Recall.class_names(3), TypeError, "^data: "),
    (lambda: _core.Recall.defaults("x"), ValueError, "^protocol: "),
])
def test_bad_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
