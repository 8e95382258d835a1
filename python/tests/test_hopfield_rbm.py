"""HopfieldRBM: the bits of the program, and the habits of scikit-learn.

SPDX-License-Identifier: MIT
"""

import hashlib
import inspect
import json
import os
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from isinglass import HopfieldRBM, Patterns, _core  # noqa: E402

PROGRAM = os.environ.get("ISINGLASS", "")
DATA = os.environ.get("ISINGLASS_DATA", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="ISINGLASS does not name the program")
needs_mnist = pytest.mark.skipif(not os.path.isdir(os.path.join(DATA, "mnist")), reason="no MNIST in ISINGLASS_DATA")


def sha(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(3)
    prototypes = rng.random((3, 40)) < 0.5
    y = np.arange(230) % 3
    X = (prototypes[y] ^ (rng.random((230, 40)) < 0.15)) * rng.integers(1, 9, (230, 40))
    return X, y


@pytest.fixture(scope="module")
def fitted(arrays):
    return HopfieldRBM(random_state=7).fit(*arrays)


def program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True)


# ---- the program -----------------------------------------------------------------------------------------------

CASES = [
    ({}, []),
    ({"n_components": 6, "n_iter": 3}, ["--per-class", "2", "--epochs", "3"]),
    ({"init": "hebbian", "beta": 1.5, "batch_size": 30}, ["--init", "hebbian", "--beta", "1.5", "--batch", "30"]),
    ({"init": "pca", "n_components": 5, "fields": True}, ["--init", "pca", "--hidden", "5", "--fields"]),
    ({"init": "normal", "deviation": 0.2, "persistent": True}, ["--init", "normal", "--sd", "0.2", "--pcd"]),
    ({"learning_rate": [(5e-4, 0), (1e-4, 4)], "estimator": "mean", "shuffle": True, "gibbs_steps": 2},
     ["--rate", "5e-4,1e-4@4", "--estimator", "mean", "--shuffle", "--sweeps", "2"]),
]


@needs_program
@pytest.mark.parametrize("with_y", [True, False])
@pytest.mark.parametrize("parameters, words", CASES)
def test_the_bits_of_the_program(arrays, tmp_path, parameters, words, with_y):
    X, y = arrays
    if not with_y and parameters.get("n_components") == 6:
        words = ["--per-class", "6", "--epochs", "3"]
    np.savez(tmp_path / "d.npz", X=X, **({"y": y} if with_y else {}))
    program("train", tmp_path / "d.npz", "-o", tmp_path / "run", "--seed", 7, *words)
    model = HopfieldRBM(random_state=7, **parameters).fit(X, y if with_y else None)
    with np.load(tmp_path / "run" / "model.npz") as file:
        assert sha(file["W"]) == sha(model.components_.T)
        assert sha(file["b"]) == sha(model.rbm_.visible_field) and sha(file["c"]) == sha(model.rbm_.hidden_field)
        assert file["beta"] == model.beta_


@needs_program
def test_transform_and_score_of_the_program(arrays, fitted, tmp_path):
    X, y = arrays
    np.savez(tmp_path / "d.npz", X=X, y=y)
    fitted.rbm_.save(tmp_path / "m.npz")
    program("transform", tmp_path / "m.npz", tmp_path / "d.npz", "-o", tmp_path / "t.npz")
    with np.load(tmp_path / "t.npz") as file:
        hidden = next(file[name] for name in file.files if file[name].shape == (len(X), fitted.n_components_))
    assert sha(hidden) == sha(fitted.transform(X))
    found = json.loads(program("score", tmp_path / "m.npz", tmp_path / "d.npz", "--json", "--seed", 7).stdout)
    text = json.dumps(found)
    assert repr(fitted.log_z_.value) in text
    assert fitted.score(X) == pytest.approx(found["log_likelihood"]["value"]
                                            if isinstance(found["log_likelihood"], dict) else found["log_likelihood"],
                                            rel=1e-12)


def test_defaults_are_those_of_the_library():
    shown = inspect.signature(HopfieldRBM).parameters
    train, start = _core.Run.defaults(), _core.RBM.start_defaults()
    for name in ("batch_size", "gibbs_steps", "persistent", "fields", "estimator", "shuffle", "learning_rate"):
        assert shown[name].default == train[name], name
    for name in ("beta", "deviation"):
        assert shown[name].default == start[name], name
    assert shown["init"].default == start["kind"]


# ---- what it computes ------------------------------------------------------------------------------------------


def test_attributes(arrays, fitted):
    X, _ = arrays
    assert fitted.n_components_ == 3 and fitted.n_features_in_ == 40 and fitted.n_iter_ == 10
    assert fitted.components_.shape == (3, 40) and np.shares_memory(fitted.components_, fitted.rbm_.weights)
    assert fitted.components_.flags.writeable  # the training is over, and its memory released
    assert isinstance(fitted.patterns_, Patterns) and fitted.patterns_.labels == ["0", "1", "2"]
    assert [row.epoch for row in fitted.history_] == list(range(11))
    assert list(fitted.get_feature_names_out()) == ["hopfieldrbm0", "hopfieldrbm1", "hopfieldrbm2"]
    spins = np.where(X > 0, 1, -1)
    h = spins @ fitted.components_.T + fitted.rbm_.hidden_field
    np.testing.assert_allclose(fitted.transform(X), h, atol=1e-12)
    b, beta = fitted.rbm_.visible_field, fitted.beta_
    np.testing.assert_allclose(fitted.inverse_transform(h), np.tanh(beta * (h @ fitted.components_ + b)), atol=1e-12)
    log_p = beta * (spins @ b + np.sum(h**2, axis=1) / 2) - fitted.log_z_.value
    np.testing.assert_allclose(fitted.score_samples(X), log_p, rtol=1e-10)
    assert fitted.score(X) == pytest.approx(log_p.mean())


def test_probabilities_sum_to_one():
    rng = np.random.default_rng(0)
    X = rng.random((60, 8)) < 0.5
    model = HopfieldRBM(random_state=1, learning_rate=1e-2, fields=True).fit(X, rng.integers(0, 2, 60))
    states = (np.arange(256)[:, None] >> np.arange(8)) & 1
    assert np.exp(model.score_samples(states)).sum() == pytest.approx(1, abs=1e-9)


def test_sample(fitted):
    spins = fitted.sample(200, random_state=1)
    assert spins.shape == (200, 40) and set(np.unique(spins)) == {-1, 1}
    assert np.array_equal(spins, fitted.sample(200, random_state=1))
    assert fitted.sample().shape == (1, 40)
    for bad in (0, -1, 1.5, True, None, "3"):
        with pytest.raises(ValueError, match="^n_samples: "):
            fitted.sample(bad)


def test_mistrust_is_said(arrays, monkeypatch):
    model = HopfieldRBM(random_state=1).fit(*arrays)
    good = model.log_z_
    import dataclasses

    model._log_z = dataclasses.replace(good, is_trusted=False, reason="of the weather")
    with pytest.warns(UserWarning, match="cannot be trusted: of the weather"):
        model.score_samples(arrays[0])


# ---- y and n_components ----------------------------------------------------------------------------------------


def test_log_z_of_the_model_as_it_is(arrays):
    X, y = arrays
    model = HopfieldRBM(random_state=0, n_iter=1).fit(X, y)
    spins = np.where(X > 0, 1, -1)

    def is_fresh():
        return model.score(X) == pytest.approx(model.rbm_.log_likelihood(spins, model.rbm_.log_z()).value, abs=0.05)

    assert is_fresh() and model.log_z_ is model.log_z_
    model.components_[:] *= 0.5
    assert is_fresh()
    model.rbm_.visible_field[3] = 0.4
    assert is_fresh()
    model.rbm_.hidden_field[0] = -0.3
    assert is_fresh()
    model.rbm_.beta = 0.7
    assert is_fresh()
    assert pickle.loads(pickle.dumps(model)).log_z_.value == model.log_z_.value
    model.set_params(log_z="ais")
    assert model.log_z_.method == "ais"


def test_y(arrays):
    X, y = arrays
    by_number = HopfieldRBM(random_state=1).fit(X, y)
    by_name = HopfieldRBM(random_state=1).fit(X, np.array(["a", "b", "c"])[y])
    assert sha(by_number.components_) == sha(by_name.components_) and by_name.patterns_.labels == ["a", "b", "c"]
    without = HopfieldRBM(random_state=1).fit(X)
    continuous = HopfieldRBM(random_state=1).fit(X, y + 0.5)
    assert without.n_components_ == 1 and sha(without.components_) == sha(continuous.components_)
    names = np.array(["a", "b", "c"], object)[y]
    for bad in ([None, *names[1:]], [np.nan, *names[1:]], [1, *names[1:]], np.where(names == "a", "", names)):
        with pytest.raises(ValueError, match="^y: "):  # not silently a single class, or samples without one
            HopfieldRBM().fit(X, np.array(bad, object))
    with pytest.raises(ValueError, match="^y: "):
        HopfieldRBM().fit(X, np.eye(3)[y])
    with pytest.raises(ValueError, match="NaN"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of scikit-learn
        HopfieldRBM().fit(X, np.where(y == 0, np.nan, y))


def test_n_components(arrays):
    X, y = arrays
    assert HopfieldRBM(6, random_state=1, n_iter=1).fit(X, y).n_components_ == 6
    assert HopfieldRBM(4, random_state=1, n_iter=1).fit(X).n_components_ == 4
    assert HopfieldRBM(2, random_state=1, n_iter=1).fit(X, y).n_components_ == 2  # of all samples
    assert HopfieldRBM(2, random_state=1, n_iter=1).fit(X, y).patterns_.labels != ["0", "1"]
    for bad in (4, 0, -1, 2.0, True, "3"):
        with pytest.raises(ValueError, match="^n_components: "):
            HopfieldRBM(bad).fit(X, y)


def test_dependent_patterns():
    X = np.tile([1.0, 1, 1, 1, 0], (6, 1))
    with pytest.warns(UserWarning, match="^n_components: the patterns are linearly dependent, so there are 1 hidden"):
        model = HopfieldRBM(random_state=1).fit(X, [0, 0, 1, 1, 2, 2])
    assert model.n_components_ == 1 and len(model.get_feature_names_out()) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert HopfieldRBM(init="hebbian", random_state=1).fit(X, [0, 0, 1, 1, 2, 2]).n_components_ == 3
    with pytest.warns(UserWarning, match="^n_components: a class has fewer samples"):
        HopfieldRBM(4, random_state=1).fit(np.eye(5, 9), [0, 0, 0, 0, 1])


def test_start_from_a_model(arrays, fitted):
    X, y = arrays
    before = sha(fitted.rbm_.weights)
    model = HopfieldRBM(init=fitted.rbm_, random_state=2, n_iter=2).fit(X)
    assert model.n_components_ == 3 and sha(fitted.rbm_.weights) == before != sha(model.rbm_.weights)
    assert HopfieldRBM(init=fitted.rbm_, n_iter=0).fit(X).rbm_.beta == fitted.beta_
    with pytest.raises(ValueError, match="^n_components: 4, but init has 3"):
        HopfieldRBM(4, init=fitted.rbm_).fit(X)
    with pytest.raises(ValueError, match="^init: has 40 visible units, but X has 39"):
        HopfieldRBM(init=fitted.rbm_).fit(X[:, 1:])


# ---- partial_fit -----------------------------------------------------------------------------------------------


def test_partial_fit(arrays):
    X, y = arrays
    one = HopfieldRBM(random_state=7, n_iter=1, learning_rate=[(5e-4, 0), (1e-2, 2)]).fit(X, y)
    model = clone(one).partial_fit(X, y)
    assert sha(model.components_) == sha(one.components_) and model.n_iter_ == 1
    steps = []
    for _ in range(3):
        before = model.components_.copy()
        model.partial_fit(X)
        steps.append(np.linalg.norm(model.components_ - before))
    assert model.n_iter_ == 4 and [row.epoch for row in model.history_] == [0, 1, 1, 1, 1]
    assert steps[1] > 5 * steps[0]  # the schedule goes on
    again = clone(one).partial_fit(X, y)
    for _ in range(3):
        again.partial_fit(X)
    assert sha(again.components_) == sha(model.components_)
    log_z = model.log_z_
    assert model.log_z_ is log_z
    model.partial_fit(X)
    assert model.log_z_ is not log_z
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, 1:])
    model.fit(X, y)
    assert model.n_iter_ == 1 and sha(model.components_) == sha(one.components_)


def test_new_random_numbers_in_every_call(arrays):
    """With the numbers of the first call again, the second would undo or repeat its noise."""
    X, y = arrays
    model = HopfieldRBM(random_state=7).partial_fit(X, y)
    start = model.rbm_.copy()
    model.partial_fit(X)
    repeated = HopfieldRBM(init=start, random_state=7, n_iter=1).fit(X)
    assert sha(model.components_) != sha(repeated.components_)


# ---- habits ----------------------------------------------------------------------------------------------------


def test_pickle_clone_and_frames(arrays, fitted):
    X, y = arrays
    copied = pickle.loads(pickle.dumps(fitted))
    assert sha(copied.transform(X)) == sha(fitted.transform(X)) and copied.score(X) == fitted.score(X)
    assert repr(copied.history_) == repr(fitted.history_)  # NaN is not equal to itself
    assert not hasattr(clone(fitted), "rbm_")
    clone(HopfieldRBM(init=fitted.rbm_)).fit(X)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"gene{k}" for k in range(40)])
    model = HopfieldRBM(random_state=7).set_output(transform="pandas").fit(frame, y)
    assert list(model.transform(frame).columns) == list(model.get_feature_names_out())
    assert sha(model.components_) == sha(fitted.components_) and model.rbm_.unit_names[0] == "gene0"


def test_kinds_of_arrays(arrays, fitted, tmp_path):
    scipy = pytest.importorskip("scipy.sparse")
    X, y = arrays
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for other in (mapped, np.asfortranarray(X), X.astype(np.float32), scipy.csr_matrix(X), scipy.csc_matrix(X),
                  X.tolist()):
        model = HopfieldRBM(random_state=7).fit(other, y)
        assert sha(model.components_) == sha(fitted.components_)
        assert sha(model.transform(other)) == sha(fitted.transform(X))
    spins = HopfieldRBM(random_state=7, binarize=None).fit(np.where(X > 0, 1, -1), y)
    assert sha(spins.components_) == sha(fitted.components_)
    high = HopfieldRBM(random_state=7, binarize=4.0).fit(X, y)
    assert sha(high.components_) == sha(HopfieldRBM(random_state=7, binarize=None).fit(X > 4, y).components_)


def test_pipeline(arrays):
    X, y = arrays
    assert make_pipeline(HopfieldRBM(random_state=0), LogisticRegression()).fit(X, y).score(X, y) > 0.95


def test_verbose(arrays, capsys):
    HopfieldRBM(random_state=0, n_iter=2, verbose=1).fit(*arrays)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].startswith("[HopfieldRBM] Iteration 2, reconstruction error = 0.")


BAD = [
    ({"init": "other"}, "init: "), ({"init": 3}, "init: "), ({"beta": 0}, "beta"), ({"beta": float("nan")}, "beta"),
    ({"beta": "x"}, "beta"), ({"beta": None}, "beta"), ({"n_iter": -1}, "n_iter: "), ({"n_iter": 1.5}, "n_iter: "),
    ({"learning_rate": -1}, "learning_rate: "), ({"batch_size": 0}, "batch_size: "),
    ({"batch_size": "x"}, "batch_size: "), ({"gibbs_steps": 0}, "gibbs_steps: "), ({"estimator": "x"}, "estimator: "),
    ({"init": "normal", "deviation": -1}, "deviation"), ({"init": "normal", "deviation": float("inf")}, "deviation"),
    ({"n_jobs": 0}, "n_jobs: "), ({"n_jobs": 1.5}, "n_jobs: "), ({"random_state": -1}, "random_state: "),
    ({"random_state": "x"}, "random_state: "), ({"binarize": "nonsense"}, "binarize"),
    ({"binarize": float("nan")}, "binarize"),
]


@pytest.mark.parametrize("parameters, sentence", BAD)
def test_bad_parameters(arrays, parameters, sentence):
    with pytest.raises((ValueError, TypeError), match=f"^{sentence}"):
        HopfieldRBM(**parameters).fit(*arrays)


def test_bad_log_z(arrays):
    with pytest.raises(ValueError, match="method"):
        HopfieldRBM(log_z="x").fit(*arrays).score(arrays[0])


def test_bad_hidden_units(fitted):
    for bad in (np.ones((2, 4)), np.ones(3), [["a"] * 3], np.full((1, 3), np.nan)):
        with pytest.raises(ValueError):
            fitted.inverse_transform(bad)


# ---- threads and memory ----------------------------------------------------------------------------------------


def test_two_threads_at_once(arrays):
    X, y = arrays
    expected = [sha(HopfieldRBM(random_state=seed, n_iter=40).fit(X, y).components_) for seed in (1, 2, 3)]
    for n_jobs in (None, 1, 2):
        found = {}

        def fit(seed):
            found[seed] = sha(HopfieldRBM(random_state=seed, n_iter=40, n_jobs=n_jobs).fit(X, y).components_)

        threads = [threading.Thread(target=fit, args=(seed,)) for seed in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[seed] for seed in (1, 2, 3)] == expected


MEMORY = """
import gzip, os, sys
import numpy as np
from isinglass import HopfieldRBM

def read(name, skip):
    path = os.path.join(os.environ["ISINGLASS_DATA"], "mnist", name)
    opened = gzip.open(path + ".gz") if os.path.exists(path + ".gz") else open(path, "rb")
    with opened as file:
        return np.frombuffer(file.read()[skip:], np.uint8)

directory = sys.argv[1]
np.save(os.path.join(directory, "X.npy"), read("train-images-idx3-ubyte", 16).reshape(-1, 784))
np.save(os.path.join(directory, "y.npy"), read("train-labels-idx1-ubyte", 8))
"""

MEASURE = """
import sys
import numpy as np
from isinglass import HopfieldRBM

def kib(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))

X, y = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/y.npy")
HopfieldRBM(random_state=1, n_iter=1).fit(X[:500], y[:500])  # what is loaded on first use is none of the data's
X.sum()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = kib("VmHWM")
model = HopfieldRBM(random_state=7, n_iter=1).fit(X, y)
print((kib("VmHWM") - before) / 1024, model.n_components_)
"""


@pytest.mark.measured
@needs_mnist
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="peaks of memory cannot be reset here")
def test_memory(tmp_path):
    subprocess.run([sys.executable, "-c", MEMORY, tmp_path], check=True)
    done = subprocess.run([sys.executable, "-c", MEASURE, tmp_path], check=True, capture_output=True, text=True)
    added, n_components = done.stdout.split()
    assert int(n_components) == 10 and float(added) < 30, done.stdout


def test_features(arrays, fitted):
    X, y = arrays
    h = fitted.transform(X)
    squares = HopfieldRBM(random_state=7, features="squares").fit(X, y)
    both = HopfieldRBM(random_state=7, features="both").fit(X, y)
    assert sha(squares.transform(X)) == sha(h * h)
    assert sha(both.transform(X)) == sha(np.hstack([h, h * h]))
    names = [f"hopfieldrbm{mu}" for mu in range(3)]
    assert list(fitted.get_feature_names_out()) == names
    assert list(both.get_feature_names_out()) == names + [f"{name}_squared" for name in names]
    with pytest.raises(ValueError, match="^features: expected one of hidden, squares, both"):
        HopfieldRBM(features="cubes").fit(X, y)
