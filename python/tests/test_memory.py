"""HopfieldMemory beyond scikit-learn's own checks.

SPDX-License-Identifier: MIT
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import isinglass
from isinglass import HopfieldMemory, HopfieldNetwork, Patterns


@pytest.fixture(scope="module")
def cells():
    """Counts of 60 genes in 3 types of cells."""
    rng = np.random.default_rng(3)
    means = rng.choice([0.2, 2.0], size=(3, 60))
    y = rng.integers(3, size=300)
    return rng.poisson(means[y]), np.array(["B", "NK", "T"])[y]


def test_it_is_the_network_of_the_class_patterns(cells):
    X, y = cells
    memory = HopfieldMemory().fit(X[:200], y[:200])
    spins = np.where(X > 0, 1, -1)
    expected = [np.where(spins[:200][y[:200] == label].mean(axis=0) > 0, 1, -1) for label in memory.classes_]
    assert np.array_equal(memory.patterns_.spins, expected)
    assert memory.patterns_.labels == memory.classes_.tolist() == ["B", "NK", "T"]
    assert memory.n_components_ == 3 and memory.n_features_in_ == 60
    network = HopfieldNetwork(Patterns(expected))
    assert np.array_equal(memory.transform(X), network.projections(spins))
    ends = network.run(spins, dynamics="sync", sweeps=1000).spins
    assert np.array_equal(memory.recall(X), ends)
    assert np.array_equal(memory.decision_function(X), network.projections(ends))
    assert np.array_equal(memory.predict(X), memory.classes_[network.projections(ends).argmax(axis=1)])
    assert memory.score(X[200:], y[200:]) > 0.9


@pytest.mark.parametrize("parameters", [
    {"per_class": 3}, {"dynamics": "async"}, {"keep_diagonal": False}, {"readout": "overlap"}, {"readout": "energy"},
    {"rule": "hebbian", "readout": "energy"}, {"sweeps": 0}, {"binarize": "mean"}, {"binarize": 0.5}, {"n_jobs": 2},
])
def test_every_parameter_works(cells, parameters):
    X, y = cells
    memory = HopfieldMemory(**parameters).fit(X[:200], y[:200])
    assert memory.score(X[200:], y[200:]) > 0.7
    scores = memory.decision_function(X[200:])
    assert scores.shape == (100, 3)
    assert np.array_equal(memory.predict(X[200:]), memory.classes_[scores.argmax(axis=1)])
    assert memory.transform(X).shape[1] == len(memory.patterns_) == len(memory.get_feature_names_out())


@pytest.mark.parametrize("dynamics", ["sync", "async"])
def test_no_sample_depends_on_the_others(dynamics):
    rng = np.random.default_rng(4)
    X, hard = rng.normal(size=(2, 60, 50))
    memory = HopfieldMemory(dynamics=dynamics, keep_diagonal=False).fit(X, np.arange(60) % 12)
    ends = memory.recall(hard)
    assert not np.array_equal(ends, np.where(hard > 0, 1, -1))
    assert np.array_equal(ends[::-7], memory.recall(hard[::-7]))
    assert np.array_equal(memory.predict(hard)[5:], memory.predict(hard[5:]))


def test_two_classes(cells):
    X, y = cells
    is_b = y == "B"
    memory = HopfieldMemory().fit(X, is_b)
    assert memory.decision_function(X).shape == (300,)
    assert np.array_equal(memory.predict(X), memory.decision_function(X) > 0)
    assert memory.predict(X).dtype == bool


def test_names_of_features(cells):
    X, y = cells
    assert HopfieldMemory().fit(X, y).get_feature_names_out().tolist() == [
        "hopfieldmemory_B", "hopfieldmemory_NK", "hopfieldmemory_T"]
    names = HopfieldMemory(per_class=2).fit(X, y).get_feature_names_out()
    assert names[:2].tolist() == ["hopfieldmemory_B_0", "hopfieldmemory_B_1"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"gene{i}" for i in range(60)])
    memory = HopfieldMemory(binarize="mean").fit(frame, y)
    assert memory.patterns_.unit_names == list(frame.columns) == memory.feature_names_in_.tolist()
    table = memory.patterns_.top_units(isinglass.Dataset.from_array(frame, y, like=memory.encoding_), 3)
    assert len(pandas.DataFrame(table)) == 9


def test_sparse_is_the_same(cells):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = cells
    dense, memory = HopfieldMemory().fit(X, y), HopfieldMemory().fit(sparse.csr_matrix(X), y)
    assert memory.patterns_.checksum == dense.patterns_.checksum
    assert np.array_equal(memory.transform(sparse.csc_matrix(X)), dense.transform(X))


def test_dependent_patterns_are_stored_by_their_span():
    X = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]])
    memory = HopfieldMemory().fit(X, [0, 1, 2])
    assert memory.n_components_ == 2 and len(memory.patterns_) == 3
    assert memory.predict(X).tolist() == [0, 1, 2]
    with pytest.raises(isinglass.DependentError):
        HopfieldMemory(allow_rank_deficient=False).fit(X, [0, 1, 2])


def test_committor(cells):
    X, y = cells
    memory = HopfieldMemory(random_state=1).fit(X, y)
    shares = memory.committor(X[:20], beta=3.0)
    assert shares.shape == (20, 4) and np.allclose(shares.sum(axis=1), 1)
    assert np.array_equal(shares, memory.committor(X[:20], beta=3.0))
    assert HopfieldMemory(keep_diagonal=False).fit(X, y).committor(X[:2]).shape == (2, 4)


def test_in_the_tools_of_scikit_learn(cells):
    X, y = cells
    assert cross_val_score(HopfieldMemory(), X, y, cv=3).mean() > 0.85
    search = GridSearchCV(HopfieldMemory(), {"per_class": [1, 2], "readout": ["projection", "overlap"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.85
    pipeline = make_pipeline(HopfieldMemory(per_class=2), LogisticRegression()).fit(X[:200], y[:200])
    assert pipeline.score(X[200:], y[200:]) > 0.85
    memory = pickle.loads(pickle.dumps(clone(HopfieldMemory(per_class=2)).fit(X, y)))
    assert np.array_equal(memory.predict(X), HopfieldMemory(per_class=2).fit(X, y).predict(X))


@pytest.mark.parametrize(("parameters", "error", "message"), [
    ({"dynamics": "gibbs"}, ValueError, "^dynamics: "),
    ({"readout": "best"}, ValueError, "^readout: "),
    ({"rule": "weights"}, ValueError, "^rule: "),
    ({"per_class": -1}, ValueError, "^per_class: "),
    ({"per_class": 1.5}, TypeError, "^per_class: "),
    ({"per_class": 200, "cap": False}, ValueError, "class"),
    ({"binarize": "often"}, ValueError, ""),
    ({"n_jobs": 0}, ValueError, "^n_jobs: "),
])
def test_bad_parameters(cells, parameters, error, message):
    with pytest.raises(error, match=message):
        HopfieldMemory(**parameters).fit(*cells)


def test_bad_sweeps(cells):
    with pytest.raises(ValueError, match="^sweeps: "):
        HopfieldMemory(sweeps=-1).fit(*cells).predict(cells[0])
