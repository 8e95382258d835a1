"""Trainings: the bits of the program, interrupted and resumed, by whoever began them.

SPDX-License-Identifier: MIT
"""

import csv
import hashlib
import json
import math
import os
import pickle
import subprocess
import threading

import numpy as np
import pytest

import isinglass
from isinglass import Dataset, SpinGaussianRBM, Training, _core, _run_record

PROGRAM = os.environ.get("ISINGLASS", "")
needs_program = pytest.mark.skipif(not PROGRAM, reason="ISINGLASS does not name the program")


def digest(rbm):
    return hashlib.sha256(np.ascontiguousarray(rbm.weights).tobytes()
                          + rbm.visible_field.tobytes() + rbm.hidden_field.tobytes()).hexdigest()


def weights_sha(path):
    with np.load(path) as model:
        return hashlib.sha256(np.ascontiguousarray(model["W"]).tobytes()).hexdigest()


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(3)
    prototypes = rng.random((3, 40)) < 0.5
    y = np.arange(230) % 3
    X = np.where(prototypes[y] ^ (rng.random((230, 40)) < 0.15), 1, -1).astype(np.int8)
    return X, y


@pytest.fixture(scope="module")
def data(arrays):
    return Dataset.from_array(*arrays)


@pytest.fixture
def start(data):
    return SpinGaussianRBM.start(data)


def whole(start, data, **options):
    return digest(Training(start, data, **options).run().rbm)


def program(*arguments, check=True):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=check)


OPTIONS = [
    {},
    {"batch_size": 7, "gibbs_steps": 3, "shuffle": True, "random_state": 5},
    {"persistent": True, "fields": True, "estimator": "mean"},
    {"learning_rate": [(5e-4, 0), (1e-4, 2)], "batch_size": 1000},
    {"equilibrium": True, "chains": 50, "jumps": 2, "refit_every": 3, "gibbs_steps": 4},
    {"constraint": "stiefel", "learn_beta": True, "learning_rate": 1e-3},
    {"constraint": "span", "learning_rate": 1e-3},
]


def test_defaults_are_those_of_the_library():
    import inspect

    found = _core.Run.defaults()
    shown = inspect.signature(Training).parameters
    for name, value in found.items():
        if name not in ("command", "seed"):
            assert shown[name].default == value, name
    assert shown["random_state"].default == found["seed"]


@pytest.mark.parametrize("options", OPTIONS)
def test_iterating_gives_the_bits_of_running(start, data, options):
    before = digest(start)
    training = Training(start, data, epochs=4, **options)
    seen = [epoch.epoch for epoch in training]
    assert seen == [1, 2, 3, 4] and training.is_over
    assert [row.epoch for row in training.epochs] == [0, 1, 2, 3, 4]
    assert digest(training.rbm) == whole(start, data, epochs=4, **options)
    assert digest(start) == before != digest(training.rbm)


@needs_program
@pytest.mark.parametrize("options, words", [
    (OPTIONS[0], []),
    (OPTIONS[1], ["--batch", "7", "--sweeps", "3", "--shuffle", "--seed", "5"]),
    (OPTIONS[2], ["--pcd", "--fields", "--estimator", "mean"]),
    (OPTIONS[3], ["--rate", "5e-4,1e-4@2", "--batch", "1000"]),
    (OPTIONS[4], ["--equilibrium", "--chains", "50", "--jumps", "2", "--refit-every", "3", "--sweeps", "4"]),
    (OPTIONS[5], ["--constraint", "stiefel", "--learn-beta", "--rate", "1e-3"]),
    (OPTIONS[6], ["--constraint", "span", "--rate", "1e-3"]),
])
def test_the_bits_of_the_program(start, data, arrays, tmp_path, options, words):
    np.savez(tmp_path / "d.npz", X=arrays[0], y=arrays[1])
    program("train", tmp_path / "d.npz", "-o", tmp_path / "run", "--epochs", 4, *words)
    training = Training(start, data, epochs=4, **options).run()
    with np.load(tmp_path / "run" / "model.npz") as model:
        assert np.array_equal(model["W"], training.rbm.weights)
        assert np.array_equal(model["b"], training.rbm.visible_field)
        assert model["beta"] == training.rbm.beta
    with open(tmp_path / "run" / "epochs.csv") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["reconstruction_error"] or "nan") for row in rows[1:]] == [
        row.reconstruction_error for row in training.epochs[1:]]


def test_equilibrium(start, data):
    assert Training(start, data, epochs=1).run().equilibrium is None
    training = Training(start, data, epochs=2, equilibrium=True, gibbs_steps=3, chains=40, refit_every=2)
    assert math.isnan(training.equilibrium.share) and math.isnan(training.equilibrium.acceptance)
    found = training.run().equilibrium
    updates = training.state.updates
    assert found.is_jumping and not found.reason and found.updates == updates and found.share == 1
    assert found.proposed == 3 * 40 * updates and found.fits == (updates + 1) // 2 and found.refused == 0
    assert 0.1 < found.acceptance < 1 and found.minima > 0
    assert "accepted" in training._repr_html_()
    with pytest.raises(ValueError, match="jumps"):
        Training(start, data, equilibrium=True, gibbs_steps=2)


def test_equilibrium_falls_back():
    rbm = SpinGaussianRBM(np.kron(np.eye(10), np.ones((4, 1))), beta=1)
    noise = np.random.default_rng(2).choice([-1, 1], (20, 40))
    options = {"epochs": 3, "batch_size": 20, "chains": 20, "gibbs_steps": 3}
    training = Training(rbm, noise, equilibrium=True, **options).run()
    found = training.equilibrium
    assert not found.is_jumping and found.reason and found.share == 0 and found.refused == found.fits == 1
    assert "none" in training._repr_html_()
    assert digest(training.rbm) == whole(rbm, noise, persistent=True, **options)


# ---- directories -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS)
def test_resumed(start, data, tmp_path, options):
    with Training(start, data, directory=tmp_path / "run", epochs=2, **options) as first:
        next(first)
        next(first)
    again = Training.resume(tmp_path / "run", data, epochs=5)
    assert again.state.epochs == 2 and again.settings["options"]["epochs"] == 5
    assert digest(again.run().rbm) == whole(start, data, epochs=5, **options)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["options"]["epochs"] == 5
    assert weights_sha(tmp_path / "run" / "model.npz") == hashlib.sha256(again.rbm.weights.tobytes()).hexdigest()


@pytest.mark.parametrize("is_resumed", [False, True])
def test_cancelled_and_continued(start, data, tmp_path, is_resumed):
    options = {"epochs": 200, "batch_size": 10, "persistent": True}
    training = Training(start, data, directory=tmp_path / "run", **options, progress=lambda fraction: False)
    n_cancelled = 0
    while not training.is_over:
        try:
            training.run()
        except isinglass.CancelledError:
            n_cancelled += 1
        if is_resumed:
            training.close()
            training = Training.resume(tmp_path / "run", data, progress=lambda fraction: False)
    assert n_cancelled > 1 and training.state.updates == 200 * 23
    assert digest(training.rbm) == whole(start, data, **options)


@pytest.mark.parametrize("persistent", [False, True])
def test_cancelled_within_an_update(start, data, tmp_path, persistent):
    options = {"epochs": 2, "batch_size": 1000, "gibbs_steps": 6000, "persistent": persistent}
    answers = iter([])
    training = Training(start, data, directory=tmp_path / "run", save_every=0.0, **options,
                        progress=lambda fraction: next(answers, None))
    for updates in range(2):  # persistent chains begin with the first update and have a past in the second
        before = training.rbm.weights.copy()
        answers = iter([False] * 2)
        for _ in range(2):
            with pytest.raises(isinglass.CancelledError):
                next(training)
            assert training.state.updates == updates and np.array_equal(training.rbm.weights, before)
        next(training)
    assert digest(training.rbm) == whole(start, data, **options)


@needs_program
def test_the_program_resumes_ours(start, data, arrays, tmp_path):
    np.savez(tmp_path / "d.npz", X=arrays[0], y=arrays[1])
    options = {"batch_size": 9, "learning_rate": [(3e-4, 0), (1.25e-5, 3)], "shuffle": True, "random_state": 11}
    with Training(start, data, directory=tmp_path / "run", epochs=2, **options) as training:
        training.run()
    done = program("train", "--resume", "-o", tmp_path / "run", "--epochs", 5, "--rate", "3e-4,1.25e-5@3",
                   tmp_path / "d.npz", "--json")
    assert json.loads(done.stdout)["epochs"] == 5
    assert weights_sha(tmp_path / "run" / "model.npz") == hashlib.sha256(
        Training(start, data, epochs=5, **options).run().rbm.weights.tobytes()).hexdigest()
    again = Training.resume(tmp_path / "run", data)  # and once more by us
    assert again.state.epochs == 5 and again.is_over
    refused = program("train", "--resume", "-o", tmp_path / "run", "--batch", 10, tmp_path / "d.npz", check=False)
    again.close()
    assert refused.returncode != 0


@needs_program
def test_what_the_program_refuses(start, data, arrays, tmp_path):
    np.savez(tmp_path / "d.npz", X=arrays[0], y=arrays[1])
    with Training(start, data, directory=tmp_path / "run", epochs=1) as training:
        training.run()
    refused = program("train", "--resume", "-o", tmp_path / "run", "--batch", 10, tmp_path / "d.npz", check=False)
    assert "--batch 10, but the run" in refused.stderr and "was started with 100" in refused.stderr
    np.savez(tmp_path / "other.npz", X=-arrays[0], y=arrays[1])
    refused = program("train", "--resume", "-o", tmp_path / "run", tmp_path / "other.npz", check=False)
    assert "not the data that the run" in refused.stderr


@needs_program
@pytest.mark.parametrize("words", [[], ["--hold-out", "0.2", "--beta", "0.1", "--rate", "2e-4,1e-5@2"]])
def test_we_resume_the_program_s(start, data, arrays, tmp_path, words):
    np.savez(tmp_path / "d.npz", X=arrays[0], y=arrays[1])
    program("train", tmp_path / "d.npz", "-o", tmp_path / "a", "--epochs", 5, "--batch", 20, "--seed", 9, *words)
    program("train", tmp_path / "d.npz", "-o", tmp_path / "b", "--epochs", 2, "--batch", 20, "--seed", 9, *words)
    with Training.resume(tmp_path / "b", data, epochs=5) as training:
        training.run()
    assert weights_sha(tmp_path / "a" / "model.npz") == weights_sha(tmp_path / "b" / "model.npz")
    assert (training.best_epoch is not None) == bool(words)
    if words:
        assert weights_sha(tmp_path / "a" / "best.npz") == weights_sha(tmp_path / "b" / "best.npz")
    with pytest.raises(ValueError, match="^batch_size: 21, but the run .* was started with 20"):
        Training.resume(tmp_path / "b", data, batch_size=21)
    with pytest.raises(ValueError, match="^random_state: 8, but"):
        Training.resume(tmp_path / "b", data, random_state=8)
    Training.resume(tmp_path / "b", data, batch_size=20, random_state=9).close()


def test_other_data_are_refused(start, data, arrays, tmp_path):
    Training(start, data, directory=tmp_path / "run", epochs=1).run().close()
    with pytest.raises(ValueError, match="^data: not the data that the run"):
        Training.resume(tmp_path / "run", -arrays[0])
    with pytest.raises(ValueError, match="^validation: the run in .* was started without validation data"):
        Training.resume(tmp_path / "run", data, validation=arrays[0][:10])


def test_a_changed_run_json_is_refused(start, data, tmp_path):
    Training(start, data, directory=tmp_path / "run", epochs=1).run().close()
    path = tmp_path / "run" / "run.json"
    text = path.read_text()
    for changed in (text.replace('"batch": 100', '"batch": 101'), text[:-30], "[]", "{}", "\xff"):
        path.write_text(changed, "latin-1")
        with pytest.raises(isinglass.FormatError, match="run.json: "):
            Training.resume(tmp_path / "run", data)
    path.write_text(text.replace('"verb": "train"', '"verb": "classify"').replace('"checksum"', '"was"'))
    with pytest.raises(ValueError, match="holds a run of 'isinglass classify'"):
        Training.resume(tmp_path / "run", data)


def test_the_lock_and_what_is_in_the_way(start, data, tmp_path):
    training = Training(start, data, directory=tmp_path / "run", epochs=2)
    next(training)
    with pytest.raises(OSError, match="at work in this directory"):
        Training.resume(tmp_path / "run", data)
    rbm, weights = training.rbm, training.rbm.weights
    kept = weights.copy()
    training.close()
    training.close()
    with pytest.raises(ValueError, match="closed"):
        next(training)
    with pytest.raises(FileExistsError, match="^directory: .*Training.resume"):
        Training(start, data, directory=tmp_path / "run")
    with Training(start, data, directory=tmp_path / "run", overwrite=True) as other:
        assert other.state.epochs == 0
    del training, other
    assert np.array_equal(weights, kept) and np.array_equal(rbm.weights, kept)
    del rbm
    assert np.array_equal(weights, kept)
    with pytest.raises(FileNotFoundError, match="^directory: "):
        Training.resume(tmp_path, data)
    with pytest.raises(OSError, match="no such directory"):
        Training.resume(tmp_path / "nowhere", data)
    assert not (tmp_path / "nowhere").exists()


def test_a_refused_beginning_leaves_no_directory(start, tmp_path):
    with pytest.raises(ValueError, match="40"):
        Training(start, np.ones((3, 4), np.int8), directory=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# ---- objects ---------------------------------------------------------------------------------------------------


def test_the_rbm_in_training(start, data):
    training = Training(start, data, epochs=2)
    rbm, weights = training.rbm, training.rbm.weights
    before = weights.copy()
    next(training)
    assert not np.array_equal(before, weights) and weights is not start.weights
    with pytest.raises(ValueError):
        weights[0, 0] = 1
    with pytest.raises((ValueError, RuntimeError)):
        rbm.beta = 3
    copied = pickle.loads(pickle.dumps(rbm))
    assert digest(copied) == digest(rbm)
    again = Training(rbm, data, epochs=1).run()  # a copy of it can be trained
    assert digest(again.rbm) != digest(rbm)


def test_a_second_thread_is_refused(start, data):
    training = Training(start, data, epochs=10**6)
    rbm, failures, looked = training.rbm, [], threading.Event()

    def look():
        try:
            rbm.copy()
        except RuntimeError as error:
            failures.append(str(error))
        looked.set()

    def watch(fraction):
        if not looked.is_set():
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
        return False

    training._progress = watch
    with pytest.raises(isinglass.CancelledError):
        training.run()
    assert failures and "another thread" in failures[0]
    assert rbm.copy().n_hidden == 3


def test_an_exception_of_the_callback(start, data):
    def fail(fraction):
        raise KeyError("mine")

    for epochs in (1, 5000):  # also in the last report, whose answer the library does not look at
        training = Training(start, data, epochs=epochs, batch_size=1000, gibbs_steps=1, progress=fail)
        with pytest.raises(KeyError, match="mine"):
            training.run()
        assert training.state.updates > 0


def test_validation_and_patience(start, data, tmp_path):
    training_data, held_out = data.split(0.8, 1)
    training = Training(start, training_data, directory=tmp_path / "run", epochs=200, validation=held_out, patience=2,
                        learning_rate=3e-2)
    training.run()
    rows = training.epochs
    best = max(rows, key=lambda row: row.validation_pseudo_likelihood)
    assert training.best_epoch == best.epoch and len(rows) == best.epoch + 3 < 200
    assert not np.isnan(best.validation_gap) and np.isnan(best.validation_log_likelihood)
    assert training.best_rbm().n_hidden == 3
    training.set_score(-10.0, 0.5)
    assert training.epochs[-1].log_likelihood == -10 and training.epochs[-1].log_likelihood_error == 0.5
    assert training.epochs[-1].validation_log_likelihood == -10 - training.epochs[-1].validation_gap
    training.close()
    with pytest.raises(ValueError, match="^validation: the run in .* was started with validation data"):
        Training.resume(tmp_path / "run", training_data)


def test_running_away_is_said(start, data):
    with pytest.warns(UserWarning, match="runs away"):
        Training(start, data, epochs=5, learning_rate=0.3).run()


def test_divergence(start, data, tmp_path):
    training = Training(start, data, directory=tmp_path / "run", learning_rate=1e300)
    with pytest.raises(isinglass.DivergedError, match="diverged"):
        training.run()
    assert np.isfinite(training.rbm.weights).all()


def test_looks(start, data):
    training = Training(start, data, epochs=2)
    assert repr(training) == "Training(epochs=0 of 2, updates=0)"
    training.run()
    assert "reconstruction error" in training._repr_html_()
    assert training.state == (2, 6, 0, 3) and training.seconds > 0
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    training.plot()


BAD = [
    ({"epochs": -1}, "epochs: "), ({"epochs": 1.5}, "epochs: "), ({"epochs": True}, "epochs: "),
    ({"epochs": 2**63}, "epochs: "), ({"batch_size": 0}, "batch_size: "), ({"batch_size": -1}, "batch_size: "),
    ({"batch_size": 2.5}, "batch_size: "), ({"batch_size": None}, "batch_size: "),
    ({"gibbs_steps": 0}, "gibbs_steps: "),
    ({"learning_rate": 0}, "learning_rate: "), ({"learning_rate": float("nan")}, "learning_rate: "),
    ({"learning_rate": "fast"}, "learning_rate: "), ({"learning_rate": []}, "learning_rate: "),
    ({"learning_rate": [(1e-4, 1)]}, "learning_rate: "), ({"learning_rate": [(1, 0), (1, 0)]}, "learning_rate: "),
    ({"learning_rate": [1e-4, 2e-4]}, "learning_rate: "), ({"learning_rate": [(1, 0), (1, 2**64)]}, "learning_rate: "),
    ({"estimator": "other"}, "estimator: "), ({"estimator": 1}, "estimator: "), ({"patience": 1}, "patience: "),
    ({"constraint": "other"}, "constraint: "), ({"constraint": 1}, "constraint: "),
    ({"patience": -1}, "patience: "), ({"save_every": -1.0}, "save_every"),
    ({"save_every": float("nan")}, "save_every"),
    ({"save_every": "x"}, "save_every"), ({"random_state": -1}, "random_state: "),
    ({"random_state": "x"}, "random_state: "), ({"impute_sweeps": 0}, "impute_sweeps: "),
    ({"validation": [[0.5]]}, "validation: "), ({"validation": 3}, "validation: "),
    ({"directory": 3}, ""), ({"directory": "a\0b"}, ""),
]


@pytest.mark.parametrize("options, sentence", BAD)
def test_bad_options(start, data, options, sentence):
    with pytest.raises((ValueError, TypeError), match=f"^{sentence}"):
        Training(start, data, **options).run()


@pytest.mark.parametrize("bad", [None, 3, [[0.5, 1]], np.ones(3), [["a"]], np.empty((0, 40), np.int8),
                                 np.ones((3, 40)) * np.nan])
def test_bad_data(start, bad):
    with pytest.raises((ValueError, TypeError), match="data|^X: "):
        Training(start, bad)


def test_bad_rbm(data):
    for bad in (None, 3, data):
        with pytest.raises(TypeError, match="^rbm: expected a SpinGaussianRBM"):
            Training(bad, data)


def test_the_extension_does_not_crash(data, start):
    run = _core.Run.open()
    assert run.rbm() is None and run.rows() == [] and run.describe()["settings"] is None
    with pytest.raises(ValueError, match="neither begun nor resumed"):
        run.train(3)
    with pytest.raises(ValueError):
        run.set_score(1.0, 2.0)
    with pytest.raises(ValueError, match="without a directory"):
        run.resume(data._handle)
    with pytest.raises(TypeError, match="^rbm: "):
        run.begin(None, data._handle, "")
    with pytest.raises(TypeError, match="^data: "):
        run.begin(start._handle, None, "")
    for rates in ([None], [(1, 2, 3)], [("a", 0)], [(1.0, -1)], [(1.0, 2**70)], [[1.0, 0]]):
        with pytest.raises(ValueError, match="^learning_rate: "):
            run.begin(start._handle, data._handle, "", None, rates)
    with pytest.raises(ValueError):
        run.begin(start._handle, data._handle, "", None, [])
    run.begin(start._handle, data._handle, "")
    with pytest.raises(ValueError, match="begun already"):
        run.begin(start._handle, data._handle, "")
    run.leave()
    run.train(1)
    assert run.describe()["epochs"] == 1 and len(run.rows(1)) == 1 and run.rows(5) == [] and len(run.rows(-3)) == 2


def test_texts_of_run_json():
    assert _run_record.read_rates("0.0005,1.25e-05@3") == [(5e-4, 0), (1.25e-5, 3)]
    for rates in ([(1e-4, 0)], [(1.0, 0), (1e-22, 7)], [(0.1 + 0.2, 0)]):
        assert _run_record.read_rates(_run_record.rates_text(rates)) == rates
