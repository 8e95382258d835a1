"""DeepModel: the numbers of the program, files, what is drawn, and what is refused.

SPDX-License-Identifier: MIT
"""

import copy
import json
import math
import pickle

import numpy as np
import pytest

from isinglass import Dataset, DeepModel, FormatError, SpinGaussianRBM, _core


def make(seed, count):
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 3
    prototypes = np.random.default_rng(5).random((3, 20)) < 0.5
    X = np.where(prototypes[y] ^ (rng.random((count, 20)) < 0.15), 1, -1)
    return X, np.array(["ant", "bee", "cat"])[y]


@pytest.fixture(scope="module")
def data():
    return Dataset.from_spins(*make(1, 300))


@pytest.fixture(scope="module")
def rbm(data):
    return SpinGaussianRBM.start(data, beta=1.0)


@pytest.fixture(scope="module")
def model(rbm, data):
    return DeepModel.fit(rbm, data, random_state=3)


@pytest.mark.parametrize("parts", [1, 2])
def test_equals_the_program(tmp_path, run_program, rbm, parts):
    X, y = make(1, 300)
    np.savez(tmp_path / "train.npz", X=X, y=y)
    np.savez(tmp_path / "test.npz", **dict(zip("Xy", make(2, 90))))
    rbm.save(tmp_path / "m.npz")
    found = json.loads(run_program(
        "deepen", "m.npz", "train.npz", "-o", "deep.npz", "--seed", 3, "--hold-out", 0.2, "--toward", "diagonal",
        "--parts", parts,
        "--test", "test.npz", "--predictions", "p.npz", "--samples", "s.npz", "--count", 40, "--json", cwd=tmp_path))
    train, test = Dataset.load(tmp_path / "train.npz"), Dataset.load(tmp_path / "test.npz")
    ours = DeepModel.fit(rbm, train, toward="diagonal", parts=parts, hold_out=0.2, random_state=3)
    theirs = DeepModel.load(tmp_path / "deep.npz")
    for name, array in theirs.arrays().items():
        assert np.array_equal(ours.arrays()[name], array), name
    assert [trial["elbo"] for trial in ours.trials] == pytest.approx([trial["elbo"] for trial in found["trials"]])
    assert theirs.trials == []
    assert ours.elbo(test).value == pytest.approx(found["test"]["elbo"]["value"])
    assert ours.elbo(train).labelled_value == pytest.approx(found["data"]["labelled_elbo"]["value"])
    assert np.array_equal(ours.predict_proba(test), np.load(tmp_path / "p.npz")["P"])
    assert ours.score(test) == pytest.approx(1 - found["test"]["error"])
    assert ours.score(test, rule="quadratic") == pytest.approx(1 - found["test"]["quadratic_error"])
    drawn = ours.sample(40, random_state=3)
    with np.load(tmp_path / "s.npz") as table:
        assert np.array_equal(drawn.spins > 0, table["X"] > 0)
        assert np.array_equal(drawn.y, table["y"])


def test_elbo(model, data):
    found = model.elbo(data)
    each = model.score_samples(data)
    assert float(found) == found.value == pytest.approx(each.mean())
    assert found.error == pytest.approx(each.std(ddof=1) / math.sqrt(len(each)))
    assert found.value == pytest.approx(found.reconstruction - found.divergence)
    assert found.labelled_value < found.value < 0
    assert (found.n_samples, found.n_labelled) == (300, 300)
    unlabelled = model.elbo(data.spins)
    assert unlabelled.value == found.value and math.isnan(unlabelled.labelled_value)


def test_classes(model, data):
    probabilities = model.predict_proba(data)
    assert np.allclose(probabilities.sum(1), 1)
    assert model.classes == ["ant", "bee", "cat"]
    assert np.array_equal(model.predict(data), np.array(model.classes)[probabilities.argmax(1)])
    assert model.score(data) == np.mean(model.predict(data) == data.y) > 0.95
    h = data.spins @ model.arrays()["W"] + model.arrays()["c"]
    means, covariances = model.arrays()["means"], model.arrays()["covariances"]
    logs = [-np.linalg.slogdet(S)[1] / 2 - np.einsum("ai,ij,aj->a", h - m, np.linalg.inv(S), h - m) / 2
            for m, S in zip(means, covariances)]
    expected = np.exp(logs - np.max(logs, axis=0)).T
    assert np.allclose(model.predict_proba(data, rule="quadratic"), expected / expected.sum(1, keepdims=True))


def test_choices(rbm, data):
    one = DeepModel.fit(rbm, data, beta=1.5, shrinkage=0.25)
    assert (one.beta, one.shrinkage, one.trials) == (1.5, 0.25, [])
    few = DeepModel.fit(rbm, data, beta=[0.5, 1], shrinkage=[0, 0.5], random_state=1)
    assert [(trial["beta"], trial["shrinkage"]) for trial in few.trials] == [(0.5, 0), (0.5, 0.5), (1, 0), (1, 0.5)]
    best = max(few.trials, key=lambda trial: trial["elbo"])
    assert (few.beta, few.shrinkage) == (best["beta"], best["shrinkage"])
    alone = DeepModel.fit(rbm, Dataset.from_spins(data.spins), one_class=True, beta=1, shrinkage=0)
    assert alone.classes == ["all"]
    defaults = _core.DeepModel.defaults()
    assert defaults["toward"] == "pooled" and defaults["parts"] == 1
    assert defaults["hold_out"] == 0.1 and not defaults["one_class"]


def test_samples(model):
    drawn = model.sample(400, classes="bee", random_state=1)
    assert set(drawn.y) == {"bee"}
    assert model.score(drawn) > 0.8
    assert np.array_equal(drawn.spins, model.sample(400, classes=["bee"] * 400, random_state=1).spins)
    sharp = model.sample(400, classes="bee", beta=math.inf, random_state=1)
    assert model.elbo(sharp).value > model.elbo(drawn).value
    assert len(set(model.sample(100, random_state=2).y)) == 3


def test_files(tmp_path, model, data):
    model.save(tmp_path / "deep.npz")
    for again in (DeepModel.load(tmp_path / "deep.npz"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(again.score_samples(data), model.score_samples(data))
        assert repr(again) == repr(model)
    rbm = SpinGaussianRBM.load(tmp_path / "deep.npz")
    assert rbm.beta == model.beta == model.rbm.beta
    assert np.array_equal(rbm.weights, model.rbm.weights)
    rbm.save(tmp_path / "rbm.npz")
    with pytest.raises(FormatError, match="without a top layer"):
        DeepModel.load(tmp_path / "rbm.npz")


def test_progress(rbm, data):
    seen = []
    DeepModel.fit(rbm, data, progress=seen.append)
    assert all(0 <= fraction <= 1 for fraction in seen)


def with_gaps(data):
    values = data.spins.astype(float)
    values[0, 1] = np.nan
    return Dataset.from_array(values, data.y, binarize=0.0, missing="impute")


@pytest.mark.parametrize("call, error, sentence", [
    (lambda rbm, data: DeepModel(), TypeError, "DeepModel.fit"),
    (lambda rbm, data: DeepModel.fit(None, data), TypeError, "SpinGaussianRBM, found NoneType"),
    (lambda rbm, data: DeepModel.fit(rbm, data.spins), TypeError, "Dataset, found ndarray"),
    (lambda rbm, data: DeepModel.fit(rbm, Dataset.from_spins(data.spins)), ValueError, "no labels"),
    (lambda rbm, data: DeepModel.fit(rbm, Dataset.from_spins(data.spins[:, :3], data.y)), ValueError, "3 units"),
    (lambda rbm, data: DeepModel.fit(rbm, data, beta=0), ValueError, "beta"),
    (lambda rbm, data: DeepModel.fit(rbm, data, beta=[]), ValueError, "beta: expected a number or several"),
    (lambda rbm, data: DeepModel.fit(rbm, data, beta="hot"), ValueError, "found 'hot'"),
    (lambda rbm, data: DeepModel.fit(rbm, data, shrinkage=2), ValueError, "from 0 to 1"),
    (lambda rbm, data: DeepModel.fit(rbm, data, toward="zero"), ValueError, "toward"),
    (lambda rbm, data: DeepModel.fit(rbm, data, parts=0), ValueError, "at least one Gaussian"),
    (lambda rbm, data: DeepModel.fit(rbm, data, hold_out=0.7), ValueError, "hold_out"),
    (lambda rbm, data: DeepModel.fit(rbm, data).predict(data, rule="none"), ValueError, "rule"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(0), ValueError, "count"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(3, beta=-1), ValueError, "beta"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(3, classes="dog"), ValueError, "'dog' is not one of the 3"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(3, classes=["ant"]), ValueError, "classes"),
    (lambda rbm, data: DeepModel.fit(rbm, data).score(Dataset.from_spins(data.spins)), ValueError, "no labels"),
    (lambda rbm, data: DeepModel.fit(rbm, data).score(data.spins), TypeError, "^data: expected a Dataset"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(2.5), TypeError, "^count"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(3, beta="x"), TypeError, "^beta"),
    (lambda rbm, data: DeepModel.fit(rbm, data).sample(3, classes=5), ValueError, "^classes"),
    (lambda rbm, data: DeepModel.fit(rbm, with_gaps(data)), ValueError, "^data: values are missing in row 0"),
    (lambda rbm, data: DeepModel.fit(rbm, data).elbo(with_gaps(data)), ValueError, "^X: values are missing"),
    (lambda rbm, data: DeepModel.fit(rbm, data).predict(with_gaps(data)), ValueError, "^X: values are missing"),
])
def test_refusals(rbm, data, call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(rbm, data)
