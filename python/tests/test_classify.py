"""Experts, Classifier and HopfieldClassifier: the numbers of the program, files, and what is refused.

SPDX-License-Identifier: MIT
"""

import copy
import csv
import doctest
import inspect
import json
import os
import pickle
import subprocess
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression

import isinglass
import isinglass.classifier
import isinglass.classify
from isinglass import Classifier, Dataset, Experts, HopfieldClassifier, SpinGaussianRBM, _core

PROGRAM = os.environ.get("ISINGLASS", "")
MNIST = Path(os.environ.get("ISINGLASS_DATA", "")) / "mnist"
needs_program = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason="$ISINGLASS is not the program")
needs_mnist = pytest.mark.skipif(not (MNIST / "train-images-idx3-ubyte").exists(), reason="no MNIST in $ISINGLASS_DATA")


def idx(name, count):
    images = np.fromfile(MNIST / f"{name}-images-idx3-ubyte", np.uint8, 16 + 784 * count)[16:].reshape(-1, 784)
    return images, np.fromfile(MNIST / f"{name}-labels-idx1-ubyte", np.uint8, 8 + count)[8:]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[:1200], order[1200:]
    return X[train], y[train], X[test], y[test]


def as_data(X, y):
    return Dataset.from_array(X, y, binarize=7.5)


@pytest.fixture(scope="module")
def data(digits):
    return as_data(digits[0], digits[1])


@pytest.fixture(scope="module")
def fitted(digits):
    return HopfieldClassifier(binarize=7.5).fit(digits[0], digits[1])


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def classify(folder, train, test, *options):
    """The answers of the program: predicted classes, probabilities (P of its table), and its JSON."""
    for name, (X, y) in {"train": train, "test": test}.items():
        np.savez(folder / f"{name}.npz", X=X, y=y)
    found = json.loads(run("classify", folder / "train.npz", folder / "test.npz", "--predictions", folder / "p.npz",
                           "-o", folder / "run", "--json", *options))
    run("classify", "--model", folder / "run" / "classifier.npz", folder / "test.npz", "--predictions",
        folder / "p.csv")
    with open(folder / "p.csv", newline="") as table:
        predicted = [row["predicted"] for row in csv.DictReader(table)]
    return np.array(predicted), np.load(folder / "p.npz")["P"], found


# ---- the program ----------------------------------------------------------------------------------------------------


@needs_program
@needs_mnist
@pytest.mark.parametrize("options, parameters", [
    ([], {}),
    (["--features", "hidden", "--balanced", "--l2", "0.5"], {"features": "hidden", "balanced": True, "l2": 0.5}),
    (["--features", "squares", "--per-class", "3"], {"features": "squares", "per_class": 3}),
    (["--epochs", "2", "--per-class", "5", "--fields", "--rate", "1e-3,1e-4@1", "--seed", "7"],
     {"n_iter": 2, "per_class": 5, "fields": True, "learning_rate": [(1e-3, 0), (1e-4, 1)], "random_state": 7}),
    (["--epochs", "1", "--pcd", "--init", "normal", "--sd", "0.05", "--estimator", "mean", "--seed", "3", "--batch",
      "50", "--sweeps", "3", "--beta", "1.5"],
     {"n_iter": 1, "persistent": True, "init": "normal", "deviation": 0.05, "estimator": "mean", "random_state": 3,
      "batch_size": 50, "gibbs_steps": 3, "beta": 1.5}),
    (["--finetune", "--epochs", "2", "--seed", "4", "--shift", "1", "--shape", "28x28", "--per-class", "4"],
     {"finetune": True, "tune_epochs": 2, "random_state": 4, "shift": 1, "image_shape": (28, 28), "per_class": 4}),
    (["--finetune", "--epochs", "5", "--seed", "2", "--hold-out", "0.2", "--patience", "1", "--features", "squares",
      "--balanced", "--rate", "5e-3", "--logits-rate", "0.1", "--batch", "50", "--per-class", "3"],
     {"finetune": True, "tune_epochs": 5, "random_state": 2, "validation_fraction": 0.2, "patience": 1,
      "features": "squares", "balanced": True, "tune_rate": 5e-3, "logits_rate": 0.1, "batch_size": 50,
      "per_class": 3}),
    (["--classifier", "labels", "--epochs", "1", "--seed", "1"],
     {"features": "labels", "n_iter": 1, "random_state": 1}),
])
def test_equals_the_program(tmp_path, options, parameters):
    train, test = idx("train", 3000), idx("t10k", 1500)
    names, probabilities, found = classify(tmp_path, train, test, *options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = HopfieldClassifier(**parameters).fit(*train)
    assert ours.classes_.dtype == np.uint8
    assert np.array_equal(ours.predict(test[0]).astype(str), names)
    assert np.array_equal(ours.predict_proba(test[0]), probabilities)
    assert ours.score(*test) == pytest.approx(1 - found["test_error"], abs=1e-12)
    loaded = Classifier.load(tmp_path / "run" / "classifier.npz")
    theirs = loaded.arrays()
    for name, array in ours.classifier_.arrays().items():
        if name != "thresholds":
            assert np.array_equal(theirs[name], array), name
    again = Dataset.load(tmp_path / "test.npz", like=loaded)
    assert np.array_equal(loaded.predict(again), names)
    assert np.array_equal(loaded.predict_proba(again), probabilities)
    assert loaded.score(again) == pytest.approx(1 - found["test_error"], abs=1e-12)


@needs_program
@needs_mnist
def test_rare_classes_choose_the_epoch_as_in_the_program(tmp_path):
    X, y = idx("train", 3000)
    train = (X[(y < 3) | (np.arange(len(y)) % 10 == 0)], y[(y < 3) | (np.arange(len(y)) % 10 == 0)])
    _, _, found = classify(tmp_path, train, idx("t10k", 500), "--finetune", "--epochs", "12", "--seed", "3",
                           "--hold-out", "0.3", "--balanced", "--rate", "5e-3", "--batch", "20", "--per-class", "1")
    ours = HopfieldClassifier(per_class=1, finetune=True, tune_epochs=12, random_state=3, validation_fraction=0.3,
                              balanced=True, tune_rate=5e-3, batch_size=20).fit(*train)
    assert ours.best_epoch_ == found["best_epoch"]
    plain = HopfieldClassifier(per_class=1, finetune=True, tune_epochs=12, random_state=3, validation_fraction=0.3,
                               tune_rate=5e-3, batch_size=20).fit(*train)
    assert ours.validation_errors_[0] != plain.validation_errors_[0]
    theirs = Classifier.load(tmp_path / "run" / "classifier.npz").arrays()
    assert np.array_equal(ours.classifier_.arrays()["W"], theirs["W"])


@needs_program
def test_the_program_reads_ours(tmp_path, digits, fitted):
    fitted.save(tmp_path / "ours.npz")
    np.savez(tmp_path / "test.npz", X=digits[2], y=digits[3])
    found = json.loads(run("classify", "--model", tmp_path / "ours.npz", tmp_path / "test.npz", "--json"))
    assert 1 - found["test_error"] == pytest.approx(fitted.score(digits[2], digits[3]), abs=1e-12)


@pytest.mark.parametrize("ours, theirs", [
    (Experts.__init__, _core.Experts.defaults()),
    (Classifier.fit.__func__, _core.Classifier.defaults()),
    (HopfieldClassifier.__init__, {**_core.Experts.defaults(), **_core.Classifier.defaults()}),
])
def test_defaults_are_the_librarys(ours, theirs):
    found = {name: value.default for name, value in inspect.signature(ours).parameters.items()}
    shared = set(found) & set(theirs)
    assert len(shared) >= 6 and {name: found[name] for name in shared} == {name: theirs[name] for name in shared}


# ---- objects --------------------------------------------------------------------------------------------------------


def test_experts(data):
    experts = Experts(data, per_class=4, random_state=1)
    assert repr(experts) == "Experts(n_experts=10, n_visible=64, n_hidden=40, epochs=0)"
    assert experts.classes == [str(k) for k in range(10)] and len(experts.rbms) == len(experts) == 10
    before = experts.rbms[3]
    assert isinstance(before, SpinGaussianRBM)
    kept = np.array(before.weights)
    seen = []
    assert experts.train(2, progress=seen.append) is experts and experts.epochs == 2
    assert seen == sorted(seen) and seen[-1] == 1
    assert np.array_equal(before.weights, kept) and not np.array_equal(experts.rbms[3].weights, kept)


def test_checkpoint_goes_on(data, tmp_path):
    options = {"per_class": 3, "random_state": 5, "learning_rate": 1e-2}
    whole = Experts(data, **options).train(3)
    half = Experts(data, **options)
    with pytest.raises(isinglass.CancelledError):
        half.train(3, progress=lambda fraction: fraction < 0.5)
    half.save(tmp_path / "c.npz")
    rest = Experts(data, **options, checkpoint=tmp_path / "c.npz")
    assert 0 < rest.epochs < 3 or rest._handle.describe()["next"] > 0
    rest.train(3 - rest.epochs)
    for one, other in zip(whole.rbms, rest.rbms):
        assert np.array_equal(one.weights, other.weights)
    with pytest.raises(ValueError):
        Experts(data, per_class=4, random_state=5, checkpoint=tmp_path / "c.npz")
    with pytest.raises(OSError):
        Experts(data, checkpoint=tmp_path / "none.npz")


def test_classifier_by_hand(data, digits):
    """The regression is what its arrays say, and scikit-learn finds the same minimum."""
    experts = Experts(data)
    made = Classifier.fit(experts, data, l2=1.0)
    assert made.report["converged"] and made.report["gradient"] <= 1e-10
    test = as_data(digits[2], digits[3])
    features = np.stack([np.sum((test.spins @ rbm.weights) ** 2, axis=1) for rbm in experts.rbms], axis=1)
    arrays = made.arrays()
    z = (features - arrays["means"]) / arrays["scales"]
    exponents = made.intercepts + z @ made.coefficients.T
    assert np.allclose(made.decision_function(test), exponents, rtol=0, atol=1e-4)  # features are fixed-point sums
    proba = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    proba /= proba.sum(axis=1, keepdims=True)
    assert np.allclose(made.predict_proba(test), proba, rtol=0, atol=1e-4)
    assert np.array_equal(made.predict(test), np.array(made.classes)[proba.argmax(axis=1)])
    assert made.score(test) == np.mean(made.predict(test) == digits[3].astype(str))
    train = np.stack([np.sum((data.spins @ rbm.weights) ** 2, axis=1) for rbm in experts.rbms], axis=1)
    train = (train - arrays["means"]) / arrays["scales"]
    theirs = LogisticRegression(C=1.0, tol=1e-9, max_iter=5000).fit(train, digits[1])
    assert np.allclose(theirs.predict_proba(z), proba, atol=1e-4)
    assert made.features == "energy" and made.image_shape is None
    for one, other in zip(made.rbms, experts.rbms):
        assert np.array_equal(one.weights, other.weights) and one.beta == other.beta and one.encoding == data.encoding
    assert "Classifier" in made._repr_html_() and "n_rbms=10" in repr(made)


def test_slices_change_nothing(digits, fitted):
    """More samples than are predicted at a time."""
    X = np.tile(digits[2], (15, 1))
    assert len(X) > 2 * 4096
    assert np.array_equal(fitted.predict_proba(X), np.tile(fitted.predict_proba(digits[2]), (15, 1)))
    assert np.array_equal(fitted.predict(X), np.tile(fitted.predict(digits[2]), 15))


def test_cancelled(digits, fitted):
    samples = fitted._dataset(np.tile(digits[2], (500, 1)))
    with pytest.raises(ZeroDivisionError):
        fitted.classifier_.predict_proba(samples, progress=lambda fraction: 1 / 0)
    with pytest.raises(isinglass.CancelledError):
        Classifier.fit(fitted.experts_, as_data(digits[0], digits[1]), features="hidden", method="lbfgs",
                       progress=lambda fraction: False)


def test_bytes(tmp_path, fitted, digits):
    made = fitted.classifier_
    made.save(tmp_path / "c.npz")
    test = fitted._dataset(digits[2])
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), Classifier.load(tmp_path / "c.npz")):
        assert np.array_equal(other.predict_proba(test), made.predict_proba(test))
        assert other.classes == made.classes
    assert pickle.loads(pickle.dumps(made)).report == made.report
    other = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(other.predict(digits[2]), fitted.predict(digits[2]))
    with pytest.raises(isinglass.FormatError):
        _core.Classifier.from_bytes(b"PK nothing of the kind")
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(isinglass.FormatError):
        Classifier.load(tmp_path / "bad.npz")


def test_threads_share(data, digits):
    """Two threads may read one classifier; a second one may not train the same experts."""
    experts = Experts(data, random_state=1)
    problems = []

    def train():
        try:
            experts.train(3)
        except RuntimeError as error:
            problems.append(str(error))

    threads = [threading.Thread(target=train) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in problem for problem in problems) and experts.epochs >= 3


# ---- the estimator --------------------------------------------------------------------------------------------------


def test_attributes(fitted, digits):
    assert fitted.score(digits[2], digits[3]) > 0.89
    assert np.array_equal(fitted.classes_, np.arange(10)) and fitted.n_features_in_ == 64 and fitted.n_iter_ == 0
    assert len(fitted.experts_) == 10 and all(rbm.weights.shape == (64, 10) for rbm in fitted.experts_)
    assert fitted.coef_.shape == (10, 10) and fitted.intercept_.shape == (10,)
    assert fitted.report_["converged"]
    assert np.allclose(np.exp(fitted.predict_log_proba(digits[2])), fitted.predict_proba(digits[2]), atol=1e-12)
    assert np.array_equal(fitted.decision_function(digits[2]).argmax(axis=1), fitted.predict(digits[2]))


def test_twins():
    """The energy of an expert is even: a class and its negative need more."""
    random = np.random.default_rng(1)
    one, other = random.choice([-1, 1], (2, 1, 30))
    noise = np.where(random.random((2, 15, 30)) < 0.1, -1, 1)
    X, y = np.concatenate([one * noise[0], other * noise[1], -one * noise[0]]), np.repeat([0, 1, 2], 15)
    made = HopfieldClassifier(per_class=1, binarize=None).fit(X, y)
    assert made.classifier_.features == "hidden" and made.score(X, y) == 1 and made.coef_.shape == (3, 3)
    even = HopfieldClassifier(per_class=1, binarize=None, features="energy").fit(X, y)
    assert even.score(X, y) == pytest.approx(2 / 3)
    assert HopfieldClassifier(per_class=1, binarize=None).fit(X[:30], y[:30]).classifier_.features == "energy"


def test_two_classes(digits):
    X, y = digits[0], digits[1] > 4
    made = HopfieldClassifier(binarize=7.5).fit(X, y)
    decisions = made.decision_function(X)
    assert made.classes_.dtype == bool and decisions.shape == (len(X),)
    assert np.array_equal(decisions > 0, made.predict(X))
    assert np.allclose(1 / (1 + np.exp(-decisions)), made.predict_proba(X)[:, 1], atol=1e-12)


@pytest.mark.parametrize("features", ["energy", "hidden", "squares", "labels"])
def test_order_of_classes(digits, features):
    """Texts of numbers are sorted as texts by NumPy, and as numbers by the library: 10 before 9."""
    X, y = digits[0], digits[1]
    texts = np.array([str(8 + k) for k in y])
    made = HopfieldClassifier(binarize=7.5, features=features, l2=1.0).fit(X, texts)
    plain = HopfieldClassifier(binarize=7.5, features=features, l2=1.0).fit(X, y)
    assert list(made.classes_) == sorted(set(texts)) != made.classifier_.classes
    numbers = made.classes_.astype(int) - 8
    assert np.array_equal(made.predict(X).astype(int) - 8, plain.predict(X))
    assert np.array_equal(made.predict_proba(X), plain.predict_proba(X)[:, numbers])
    assert np.array_equal(made.decision_function(X), plain.decision_function(X)[:, numbers])
    if features != "labels":
        for k, number in enumerate(numbers):
            assert np.array_equal(made.experts_[k].weights, plain.experts_[number].weights)
        inputs = [made._dataset(X).spins @ rbm.weights for rbm in made.experts_]
        columns = {"energy": [np.sum(h * h, axis=1, keepdims=True) for h in inputs], "hidden": inputs,
                   "squares": [h * h for h in inputs]}[features]
        raw = np.concatenate(columns, axis=1)
        z = (raw - raw.mean(axis=0)) / raw.std(axis=0)
        assert np.allclose(made.intercept_ + z @ made.coef_.T, made.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("labels", [
    np.array(["dog", "cat", "eel"]), np.array([-1, 0, 10]), np.array([1.0, 2.0, 30.0]),
    np.array(["a b", "ü", "z,\"q\""]), np.array(["x", "y", "z"], object), np.array([3, 70000, 5], np.int64),
])
def test_labels_of_any_kind(digits, labels):
    keep = digits[1] < 3
    X, y = digits[0][keep], labels[digits[1][keep]]
    made = HopfieldClassifier(binarize=7.5).fit(X, y)
    assert made.classes_.dtype == labels.dtype and made.predict(X).dtype == labels.dtype
    assert np.mean(made.predict(X) == y) > 0.98


def test_names_that_mean_no_label(digits):
    keep = digits[1] < 3
    y = np.array(["NA", "b", "c"])[digits[1][keep]]
    try:
        made = HopfieldClassifier(binarize=7.5).fit(digits[0][keep], y)
    except ValueError as error:
        assert "NA" in str(error) or "label" in str(error)
    else:
        assert np.mean(made.predict(digits[0][keep]) == y) > 0.98


def test_small_and_odd_classes():
    random = np.random.default_rng(0)
    X = random.choice([-1.0, 1.0], (40, 12))
    X[:, 3] = 1  # constant
    X[20:30] = X[20]  # a class of equal samples
    y = np.repeat([0, 1, 2, 3], [19, 1, 10, 10])  # and one of a single sample
    made = HopfieldClassifier(per_class=10).fit(X, y)
    sizes = [rbm.weights.shape[1] for rbm in made.experts_]
    assert sizes[1] == 1 and sizes[2] == 1 and sizes[0] <= 10
    assert made.predict(X).shape == (40,) and np.allclose(made.predict_proba(X).sum(axis=1), 1)


def test_kinds_of_input(digits, fitted):
    X, y, test, _ = digits
    expected = fitted.predict_proba(test)
    sparse = HopfieldClassifier(binarize=7.5).fit(scipy.sparse.csr_matrix(X), y)
    assert np.array_equal(sparse.predict_proba(scipy.sparse.csc_matrix(test)), expected)
    for kind in (np.float32, np.uint8, np.int64):
        assert np.array_equal(fitted.predict_proba(test.astype(kind)), expected)
    assert np.array_equal(fitted.predict_proba(np.asfortranarray(test)), expected)
    spins = np.where(X > 7.5, 1, -1)
    direct = HopfieldClassifier(binarize=None).fit(spins, y)
    assert np.array_equal(direct.predict_proba(np.where(test > 7.5, 1, -1)), expected)


def test_threads_change_nothing(digits):
    X, y, test, _ = digits
    one, two = (HopfieldClassifier(binarize=7.5, n_iter=1, random_state=2, n_jobs=n).fit(X, y).predict_proba(test)
                for n in (1, 2))
    assert np.array_equal(one, two)


def test_not_converged(digits):
    X, y = digits[0][digits[1] < 2], digits[1][digits[1] < 2]
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        made = HopfieldClassifier(binarize=7.5, l2=0.0).fit(X, y)
    assert not made.report_["converged"] and made.report_["reason"]


@pytest.mark.parametrize("parameters, name", [
    ({"per_class": 0}, "per_class"), ({"per_class": -1}, "per_class"), ({"per_class": 1.5}, "per_class"),
    ({"init": "zeros"}, "init"), ({"init": None}, "init"), ({"n_iter": -1}, "n_iter"), ({"n_iter": 1.5}, "n_iter"),
    ({"n_iter": None}, "n_iter"), ({"learning_rate": np.nan}, "learning_rate"),
    ({"learning_rate": -1.0}, "learning_rate"), ({"learning_rate": "fast"}, "learning_rate"),
    ({"learning_rate": []}, "learning_rate"), ({"learning_rate": [(1e-3, 0.5)]}, "rate"),
    ({"learning_rate": [(1e-3, 1)]}, "rate"), ({"batch_size": 0}, "batch_size"), ({"batch_size": 2**70}, "batch_size"),
    ({"gibbs_steps": 0}, "gibbs_steps"), ({"beta": 0.0}, "beta"),
    ({"beta": np.inf}, "beta"), ({"beta": np.nan}, "beta"),
    ({"beta": "hot"}, "beta"), ({"features": "pixels"}, "features"), ({"l2": -1.0}, "l2"), ({"l2": np.nan}, "l2"),
    ({"estimator": "best"}, "estimator"), ({"init": "normal", "deviation": 0.0}, "deviation"),
    ({"init": "normal", "deviation": np.nan}, "deviation"), ({"random_state": -1}, "random_state"),
    ({"random_state": "one"}, "random_state"), ({"n_jobs": 0}, "n_jobs"), ({"binarize": "modulo"}, "binarize"),
    ({"binarize": np.nan}, "binarize"), ({"finetune": True, "tune_epochs": 0}, "^tune_epochs"),
    ({"finetune": True, "tune_epochs": 1.5}, "^tune_epochs"), ({"finetune": True, "tune_rate": 0.0}, "^tune_rate"),
    ({"finetune": True, "patience": 2}, "^patience"), ({"finetune": True, "batch_size": 0}, "^batch_size"),
    ({"finetune": True, "validation_fraction": "a"}, "^validation_fraction"),
    ({"finetune": True, "logits_rate": np.nan}, "logits_rate"), ({"finetune": True, "shift": 1}, "image_shape"),
    ({"finetune": True, "shift": 8, "image_shape": (8, 8)}, "shift"), ({"image_shape": (7, 7)}, "7"),
    ({"finetune": True, "shift": -1, "image_shape": (8, 8)}, "shift"),
    ({"finetune": True, "features": "labels"}, "finetune"), ({"finetune": True, "patience": -1}, "patience"),
    ({"finetune": True, "validation_fraction": 0.6}, "validation_fraction"),
    ({"finetune": True, "validation_fraction": np.nan}, "validation_fraction"),
])
def test_refuses_parameters(digits, parameters, name):
    with pytest.raises((ValueError, TypeError), match=name):
        HopfieldClassifier(**{"binarize": 7.5, **parameters}).fit(digits[0][:300], digits[1][:300])


@pytest.mark.parametrize("call", [
    lambda data: Classifier(),
    lambda data: Classifier.fit([], data),
    lambda data: Classifier.fit([1], data),
    lambda data: Classifier.fit(None, data),
    lambda data: Classifier.fit(Experts(data), np.ones((3, 64))),
    lambda data: Classifier.fit(Experts(data), data, method="guess"),
    lambda data: Classifier.fit(Experts(data), data, tolerance=0.0),
    lambda data: Classifier.from_labels(Experts(data).rbms[0], data),
    lambda data: Experts(np.ones((3, 64))),
    lambda data: Experts(Dataset.from_array(np.ones((3, 4)), binarize=0.0)),
    lambda data: Experts(Dataset.from_array(np.eye(3), [1, 1, 1], binarize=0.0)),
    lambda data: Experts(data, per_class=5000),
    lambda data: Experts(data).train(-1),
    lambda data: Experts(data).train(None),
    lambda data: Classifier.load(3),
])
def test_refuses_calls(data, call):
    with pytest.raises((ValueError, TypeError)):
        call(data)


@pytest.mark.parametrize("call", [
    lambda c, d: c.predict(None), lambda c, d: c.predict(d, np.empty(3, np.uint32)),
    lambda c, d: c.predict(d, np.empty(1200, np.int64)), lambda c, d: c.predict(d, None, np.empty((2, 2))),
    lambda c, d: c.decisions(d, np.empty((1, 10))), lambda c, d: c.decisions(d, None),
    lambda c, d: c.truth(d, np.empty(2, np.uint32)), lambda c, d: _core.Classifier.fit(3, "energy", d),
    lambda c, d: _core.Classifier.fit([], 3, d), lambda c, d: _core.Classifier.fit([c], "energy", d),
    lambda c, d: _core.Classifier.from_labels(c, d), lambda c, d: _core.Experts.create(d, {"nothing": 1}),
    lambda c, d: _core.Experts.create(d, None, np.empty((0, 2))), lambda c, d: _core.Experts.create(d, None, [1]),
    lambda c, d: _core.Experts.create(d, None, np.array([[1e-3, np.nan]])),
    lambda c, d: _core.Experts.create(d).rbm(10), lambda c, d: _core.Experts.create(d).rbm(-1),
    lambda c, d: _core.Experts.create(d).save(None),
])
def test_extension_refuses(fitted, data, call):
    with pytest.raises((ValueError, TypeError, IndexError)):
        call(fitted.classifier_._handle, data._handle)


def test_refuses_samples(fitted, digits):
    with pytest.raises(NotFittedError):
        clone(fitted).predict(digits[2])
    with pytest.raises(NotFittedError):
        clone(fitted).save("x.npz")
    with pytest.raises(ValueError, match="64"):
        fitted.predict(digits[2][:, :60])
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(np.full((2, 64), np.nan))
    with pytest.raises(ValueError, match="class"):
        HopfieldClassifier().fit(digits[0][:5], np.ones(5))
    with pytest.raises((ValueError, TypeError)):
        fitted.classifier_.predict(np.full((2, 64), 0.5))
    with pytest.raises(ValueError):
        fitted.classifier_.score(Dataset.from_array(digits[2], digits[3] + 10, binarize=7.5))


def test_doctests():
    for module in (isinglass.classify, isinglass.classifier):
        assert doctest.testmod(module).failed == 0
