"""Patterns: what they know, and that they are those of the program.

SPDX-License-Identifier: MIT
"""

import copy
import csv
import json
import pickle

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, Patterns, _core



@pytest.fixture(scope="module")
def run(run_program):
    return lambda *arguments: json.loads(run_program(*arguments, "--json", "--quiet"))


@pytest.fixture(scope="module")
def values():
    """Counts in three classes of different genes, with names."""
    rng = np.random.default_rng(5)
    y = np.repeat(["B", "NK", "T"], [40, 30, 50])
    means = rng.choice([0.1, 3.0], size=(3, 70))
    X = rng.poisson(means[np.repeat([0, 1, 2], [40, 30, 50])]).astype(float)
    return X, y, [f"gene{i}" for i in range(70)]


@pytest.fixture(scope="module")
def data(values):
    X, y, names = values
    return Dataset.from_array(X, y, binarize="mean", unit_names=names)


@pytest.fixture(scope="module")
def file(values, tmp_path_factory):
    X, y, names = values
    path = tmp_path_factory.mktemp("patterns") / "data.npz"
    np.savez(path, X=X, y=y, units=names)
    return path


def test_spins_labels_and_shape_come_back():
    spins = np.random.default_rng(1).choice([-1, 1], size=(5, 70))
    p = Patterns(spins, labels=range(5), image_shape=(7, 10))
    assert np.array_equal(p.spins, spins) and p.spins.dtype == np.int8
    assert np.array_equal(p.xi, spins.T)
    assert p.labels == ["0", "1", "2", "3", "4"]
    assert p.image_shape == (7, 10) and p.n_visible == 70 and len(p) == 5
    assert p.members == [0] * 5 and p.encoding is None and p.unit_names is None
    assert np.array_equal(p.overlaps(), spins @ spins.T / 70)
    assert Patterns(spins > 0).checksum == Patterns((spins + 1) // 2).checksum == p.checksum


def test_dependence_is_told():
    a, b, c = np.random.default_rng(2).choice([-1, 1], size=(3, 33))
    assert Patterns([a, b, c]).rank == 3 and Patterns([a, b, c]).dependence == ""
    p = Patterns([a, b, -a])
    assert p.rank == 2 and p.dependence == "pattern 2 = -pattern 0"
    assert "Dependent" in p._repr_html_()


def test_from_data_is_the_sign_of_class_means(data):
    p = Patterns.from_data(data)
    for label, row in zip(p.labels, p.spins):
        mean = data.spins[data.y == label].mean(axis=0)
        assert np.array_equal(row, np.where(mean > 0, 1, -1))
    assert p.labels == ["B", "NK", "T"] and p.members == [40, 30, 50]
    assert p.unit_names == [f"gene{i}" for i in range(70)] and p.encoding == data.encoding


def test_from_spins_without_labels_is_one_class():
    spins = np.random.default_rng(3).choice([-1, 1], size=(9, 12))
    p = Patterns.from_data(spins)
    assert len(p) == 1 and np.array_equal(p.spins[0], np.where(spins.sum(axis=0) > 0, 1, -1))
    assert p.members == [9] and p.labels == [None]


@pytest.mark.parametrize("per_class", [1, 3])
def test_same_as_the_program(run, data, file, per_class, tmp_path):
    table = tmp_path / "units.csv"
    found = run("patterns", file, "-o", tmp_path / "p.npz", "--per-class", per_class, "--binarize", "mean",
                "--table", table, "--top", 7)
    p = Patterns.from_data(data, per_class=per_class, cap=True)
    assert p.checksum == found["sha256"] == Patterns.load(tmp_path / "p.npz").checksum
    assert [p.rank, p.labels, p.members, p.n_ties] == [found[key] for key in ("rank", "labels", "members", "ties")]
    with open(table, newline="") as lines:
        rows = list(csv.DictReader(lines))
    top = p.top_units(data, 7)
    assert len(rows) == len(top["unit"]) == 7 * len(p)
    for name in ("pattern", "rank", "unit"):
        assert [int(row[name]) for row in rows] == top[name].tolist()
    for name in ("label", "name"):
        assert [row[name] for row in rows] == top[name].tolist()
    for name in ("weight", "share_in_class", "share_in_rest"):
        assert [row[name] for row in rows] == [f"{value:.6g}" for value in top[name]]


@pytest.mark.parametrize("memory", [0, 0.2])
def test_learned_as_by_the_program(run, data, file, memory, tmp_path):
    found = run("patterns", file, "-o", tmp_path / "p.npz", "--learn", "--memory", memory, "--binarize", "mean")
    start = Patterns.from_data(data)
    p = start.learn(data, memory=memory)
    assert p.checksum == found["sha256"] and p.labels == start.labels
    assert (start.capture(data), p.capture(data), Patterns.ceiling(data, 3)) == tuple(
        found[key] for key in ("capture_before", "capture", "ceiling"))
    assert start.learn(data, memory=memory, rounds=1).learn(data, memory=0).capture(data) >= p.capture(data) - 0.05


def test_capture_is_that_of_the_projector(data):
    p = Patterns.from_data(data, per_class=2, ignore_labels=True)
    assert p.labels == [None, None]
    q, _ = np.linalg.qr(p.xi.astype(float))
    assert p.capture(data) == pytest.approx(np.mean(((data.spins @ q) ** 2).sum(axis=1)) / p.n_visible, rel=1e-12)
    moments = data.spins.T.astype(float) @ data.spins / len(data.spins)
    assert Patterns.ceiling(data, 2) == pytest.approx(np.linalg.eigvalsh(moments)[-2:].sum() / p.n_visible, rel=1e-12)
    assert Patterns.random(9, 3, random_state=1).checksum == Patterns.random(9, 3, random_state=1).checksum


def test_nearest_is_within_the_class(data):
    p = Patterns.from_data(data, per_class=3)
    overlaps = data.spins.astype(int) @ p.xi
    allowed = np.array(p.labels)[None, :] == data.y[:, None]
    assert np.array_equal(p.nearest(data), np.where(allowed, overlaps, -1000).argmax(axis=1))
    assert np.array_equal(p.nearest(data.spins), overlaps.argmax(axis=1))
    other = Dataset.from_spins(data.spins[:2], ["T", "unknown"])
    assert p.nearest(other)[1] == -1


def test_files_and_copies(data, tmp_path):
    p = Patterns.from_data(data, per_class=2)
    p.save(tmp_path / "p.npz")
    assert np.array_equal(np.load(tmp_path / "p.npz")["xi"], p.xi)
    for other in (Patterns.load(tmp_path / "p.npz"), pickle.loads(pickle.dumps(p)), copy.deepcopy(p), copy.copy(p)):
        assert np.array_equal(other.spins, p.spins)
        assert other.labels == p.labels and other.encoding == p.encoding and other.unit_names == p.unit_names
    assert pickle.loads(pickle.dumps(p)).members == p.members
    picture = Patterns(np.ones((1, 6)), image_shape=(2, 3))
    assert pickle.loads(pickle.dumps(picture)).image_shape == (2, 3)


def test_encoding_goes_into_new_patterns(data):
    p = Patterns(np.ones((1, 70)), encoding=data.encoding)
    assert p.unit_names == [f"gene{i}" for i in range(70)]
    with pytest.raises(ValueError, match="70"):
        Patterns(np.ones((1, 7)), encoding=data.encoding)


def test_zeros_and_ones_are_not_taken_for_spins_of_a_learned_rule(data):
    p = Patterns.from_data(data)
    with pytest.raises(ValueError, match="^data: "):
        p.nearest(np.eye(70)[:3])


def test_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    p = Patterns(np.random.default_rng(1).choice([-1, 1], size=(3, 12)), labels="abc", image_shape=(3, 4))
    assert p.plot() is not None
    assert p._repr_png_()[:4] == b"\x89PNG" and "<img" in p._repr_html_()
    assert "<img" not in Patterns([[1, -1]])._repr_html_()


def test_defaults_are_those_of_the_library():
    import inspect

    given = inspect.signature(Patterns.from_data).parameters
    assert {name: given[name].default for name in _core.Patterns.defaults()} == _core.Patterns.defaults()


SPINS = np.ones((2, 4), np.int8)


@pytest.mark.parametrize(("make", "error", "message"), [
    (lambda: Patterns([[1, 2]]), ValueError, "^spins: "),
    (lambda: Patterns([[1.0, np.nan]]), ValueError, "^spins: "),
    (lambda: Patterns([1, -1]), ValueError, "^spins: "),
    (lambda: Patterns(np.array([[1, None]], object)), ValueError, "^spins: "),
    (lambda: Patterns([["a"]]), ValueError, "^spins: "),
    (lambda: Patterns(None), ValueError, "^spins: "),
    (lambda: Patterns(np.ones((0, 4))), ValueError, ""),
    (lambda: Patterns(np.ones((4, 0))), ValueError, ""),
    (lambda: Patterns(SPINS, labels=["a"]), ValueError, "^labels: "),
    (lambda: Patterns(SPINS, labels=["a", "b\0c"]), ValueError, "^labels: "),
    (lambda: Patterns(SPINS, image_shape=(2, 3)), ValueError, ""),
    (lambda: Patterns(SPINS, image_shape=(-2, -2)), ValueError, "^image_shape: "),
    (lambda: Patterns(SPINS, image_shape=4), ValueError, "^image_shape: "),
    (lambda: Patterns(SPINS, image_shape=(2.0, 2)), ValueError, "^image_shape: "),
    (lambda: Patterns(SPINS).nearest(np.ones((1, 3))), ValueError, ""),
    (lambda: Patterns(SPINS).nearest(np.ones(4)), ValueError, "^data: "),
    (lambda: Patterns(SPINS).nearest(None), (ValueError, TypeError), "^data: "),
    (lambda: Patterns(SPINS).top_units(SPINS, 0), ValueError, "^top: "),
    (lambda: Patterns(SPINS[:1]).top_units(SPINS), ValueError, "one pattern"),
    (lambda: Patterns.from_data(SPINS, per_class=-1), ValueError, "^per_class: "),
    (lambda: Patterns.from_data(SPINS, per_class="x"), TypeError, "^per_class: "),
    (lambda: Patterns.from_data(SPINS, per_class=3), ValueError, ""),
    (lambda: Patterns(SPINS).learn(SPINS), isinglass.DependentError, "pattern 1"),
    (lambda: Patterns(SPINS[:1]).learn(SPINS, memory=-1), ValueError, "^memory: "),
    (lambda: Patterns(SPINS[:1]).learn(SPINS, rounds="x"), TypeError, "^rounds: "),
    (lambda: Patterns.ceiling(SPINS, 2), ValueError, "principal axes"),
    (lambda: Patterns.random(0, 2), ValueError, ""),
    (lambda: Patterns.load("/nonexistent/p.npz"), OSError, ""),
    (lambda: Patterns.load(3), TypeError, "^path: "),
    (lambda: _core.Patterns.from_bytes(b"no zip"), isinglass.FormatError, ""),
    (lambda: _core.Patterns.from_array(SPINS, None, 1, 1, 3), TypeError, "^encoding: "),
    (lambda: Patterns(SPINS)._handle.spins(np.empty((2, 3), np.int8)), ValueError, "^out: "),
    (lambda: Patterns(SPINS)._handle.nearest(SPINS, np.empty(2, np.uint32)), TypeError, "^data: "),
    (lambda: _core.Patterns.shares(None, None, None), TypeError, "^data: "),
])
def test_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()
