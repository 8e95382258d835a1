"""FineTuning: what it learns, going on from files, interruption, and what is refused.

SPDX-License-Identifier: MIT
"""

import doctest
import gc
import inspect
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits

import isinglass.finetuning
from isinglass import Classifier, Dataset, Experts, FineTuning, HopfieldClassifier, _core


@pytest.fixture(scope="module")
def data():
    X, y = load_digits(return_X_y=True)
    return Dataset.from_array(X[:900], y[:900], binarize=7.5, image_shape=(8, 8))


@pytest.fixture(scope="module")
def test_data():
    X, y = load_digits(return_X_y=True)
    return Dataset.from_array(X[900:], y[900:], binarize=7.5)


@pytest.fixture(scope="module", params=["energy", "hidden", "squares"])
def start(data, request):
    return Classifier.fit(Experts(data, per_class=3), data, features=request.param)


def same(one, other):
    a, b = one.arrays(), other.arrays()
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def test_it_learns(data, test_data, start):
    tuning = FineTuning(start, data, epochs=8, batch_size=20, learning_rate=3e-3, random_state=1)
    assert tuning.epochs == 0 and np.isnan(tuning.loss) and start.tuning is None
    assert np.allclose(tuning.classifier.predict_proba(test_data), start.predict_proba(test_data), atol=1e-9)
    tuning.train(1)
    first = tuning.loss
    made = tuning.train().classifier
    assert tuning.epochs == 8 and tuning.loss < 0.8 * first and tuning.error < 0.1
    assert made.score(data) >= start.score(data) and made.score(data) > 0.98
    assert made.features == start.features and made.tuning["epochs_done"] == made.tuning["epochs"] == 8
    assert made.tuning["rate"] == 3e-3 and made.tuning["batch_size"] == 20 and made.tuning["seed"] == 1
    again = pickle.loads(pickle.dumps(made))
    assert again.tuning == made.tuning and same(again, made)
    assert "epochs=8 of 8" in repr(tuning)


def plain_loss(weights, arrays, kind, scale, spins, labels):
    """The mean cross entropy, in NumPy."""
    h = spins @ weights
    ends = np.cumsum(arrays["hidden"])
    f = {"hidden": h, "squares": h * h,
         "energy": np.stack([np.sum(part * part, axis=1) for part in np.split(h, ends[:-1], axis=1)], axis=1)}[kind]
    u = f / scale @ arrays["coefficients"].T + arrays["intercepts"]
    u -= u.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(u).sum(axis=1)) - u[np.arange(len(u)), labels])


def test_first_step_is_downhill_by_the_rate(data, start):
    """Adam's first step is the rate times the sign of the gradient, here by finite differences in NumPy."""
    tuning = FineTuning(start, data, epochs=1, batch_size=len(data), learning_rate=1e-4, logits_rate=1e-30)
    before = tuning.classifier.arrays()
    step = tuning.train().classifier.arrays()["W"] - before["W"]
    spins, scale = data.spins.astype(float), 8.0 if start.features == "hidden" else 64.0
    gradient = np.zeros(10)
    for k in range(10):
        change = np.zeros_like(before["W"])
        change[20 + k, k] = 1e-4
        gradient[k] = (plain_loss(before["W"] + change, before, start.features, scale, spins, data.labels)
                       - plain_loss(before["W"] - change, before, start.features, scale, spins, data.labels)) / 2e-4
    clear = np.abs(gradient) > 1e-6
    assert np.sum(clear) >= 5
    assert np.allclose(step[20 + np.arange(10), np.arange(10)][clear], -1e-4 * np.sign(gradient[clear]), rtol=0.02)


def test_same_numbers(data, start):
    options = {"epochs": 2, "batch_size": 50, "shift": 1, "random_state": 5}
    whole = FineTuning(start, data, **options).train().classifier
    before = isinglass.threads()
    isinglass.set_threads(3)
    other = FineTuning(start, data, **options).train().classifier
    isinglass.set_threads(before)
    assert same(whole, other)
    options["random_state"] = 6
    assert not same(whole, FineTuning(start, data, **options).train().classifier)


def test_goes_on_from_a_file(tmp_path, data, start):
    options = {"epochs": 3, "batch_size": 50, "random_state": 5}
    whole = FineTuning(start, data, **options).train().classifier
    first = FineTuning(start, data, **options).train(1)
    with pytest.raises(_core.CancelledError):
        first.train(progress=lambda fraction: False)
    first.save(tmp_path / "t.npz")
    second = FineTuning(None, data, **options, checkpoint=tmp_path / "t.npz")
    assert second.epochs == first.epochs in (1, 2) and same(second.classifier, first.classifier)
    assert same(second.train().classifier, whole) and same(Classifier.load(tmp_path / "t.npz"), first.classifier)
    with pytest.raises(ValueError, match="seed"):
        FineTuning(None, data, epochs=3, batch_size=50, random_state=6, checkpoint=tmp_path / "t.npz")
    with pytest.raises(OSError, match="lost"):
        FineTuning(None, data, checkpoint=tmp_path / "lost.npz")


def test_keeps_its_data(start):
    X, y = load_digits(return_X_y=True)
    tuning = FineTuning(start, Dataset.from_array(X[:300], y[:300], binarize=7.5), epochs=2)
    gc.collect()
    assert tuning.train().epochs == 2


def test_early_stopping(data):
    X, y = load_digits(return_X_y=True)
    parameters = {"binarize": 7.5, "per_class": 3, "finetune": True, "tune_epochs": 12, "tune_rate": 1e-3,
                  "batch_size": 50, "random_state": 3, "validation_fraction": 0.3}
    made = HopfieldClassifier(**parameters, patience=3).fit(X[:900], y[:900])
    errors = made.validation_errors_
    assert made.best_epoch_ == int(np.argmin(errors)) > 0 and made.tuning_["epochs_done"] == made.best_epoch_
    assert len(errors) == 13 or len(errors) - 1 - made.best_epoch_ == 3
    whole = HopfieldClassifier(**parameters).fit(X[:900], y[:900])
    assert len(whole.validation_errors_) == 13 and whole.validation_errors_[:len(errors)] == errors
    plain = HopfieldClassifier(binarize=7.5, per_class=3).fit(X[:900], y[:900])
    assert plain.tuning_ is None and plain.best_epoch_ is None and plain.validation_errors_ == []
    assert errors[made.best_epoch_] < errors[0] and errors[made.best_epoch_] == min(errors)
    assert np.allclose(made.experts_[3].weights, made.classifier_.arrays()["W"][:, 9:12])


def test_defaults_are_the_librarys():
    found = {name: value.default for name, value in inspect.signature(FineTuning.__init__).parameters.items()}
    theirs = _core.Tuner.defaults()
    assert {name: found[name] for name in theirs if name in found} == {
        name: value for name, value in theirs.items() if name not in ("rate", "seed")}
    assert found["learning_rate"] == theirs["rate"]
    ours = {name: value.default for name, value in inspect.signature(HopfieldClassifier.__init__).parameters.items()}
    assert (ours["tune_epochs"], ours["tune_rate"], ours["logits_rate"], ours["shift"], ours["batch_size"]) == (
        theirs["epochs"], theirs["rate"], theirs["logits_rate"], theirs["shift"], theirs["batch_size"])


@pytest.mark.parametrize("options, name", [
    ({"epochs": 0}, "epochs"), ({"epochs": 1.5}, "epochs"), ({"batch_size": 0}, "batch_size"),
    ({"learning_rate": 0.0}, "rate"), ({"learning_rate": "fast"}, "rate"), ({"logits_rate": -1.0}, "logits_rate"),
    ({"logits_rate": np.inf}, "logits_rate"), ({"shift": 8}, "shift"), ({"shift": -1}, "shift"),
    ({"random_state": -1}, "random_state"),
])
def test_refuses_options(data, start, options, name):
    with pytest.raises((ValueError, TypeError, OverflowError), match=name):
        FineTuning(start, data, **options)


@pytest.mark.parametrize("call", [
    lambda s, d: FineTuning(None, d), lambda s, d: FineTuning(3, d), lambda s, d: FineTuning(s, d.spins),
    lambda s, d: FineTuning(s, Dataset.from_spins(d.spins)),
    lambda s, d: FineTuning(s, Dataset.from_spins(d.spins[:, 1:], d.labels)),
    lambda s, d: FineTuning(s, Dataset.from_spins(d.spins, d.labels + 20)),
    lambda s, d: FineTuning(s, Dataset.from_spins(d.spins, d.labels), shift=1),
    lambda s, d: FineTuning(s, d, epochs=2).train(3), lambda s, d: FineTuning(s, d).train(-1),
    lambda s, d: FineTuning(s, d).train("all"),
    lambda s, d: _core.Tuner.create(s._handle, d._handle, {"speed": 1}),
    lambda s, d: _core.Tuner.create(d._handle, s._handle),
    lambda s, d: _core.Tuner.load(3, d._handle),
])
def test_refuses_calls(data, start, call):
    with pytest.raises((ValueError, TypeError)):
        call(start, data)


def test_divergence(data, start):
    with pytest.raises(isinglass.DivergedError, match="try learning rates below"):
        FineTuning(start, data, learning_rate=1e200).train()


def test_doctests():
    assert doctest.testmod(isinglass.finetuning).failed == 0
