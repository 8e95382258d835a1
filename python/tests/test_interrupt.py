"""Ctrl-C: heard within half a second, and nothing is lost.

SPDX-License-Identifier: MIT

A child does something long, and its parent sends the signal at a random moment. Both read the same clock. Set
ISINGLASS_TRIALS for more than a few trials, all of which must be within the limit; in the few of every day it is the
median, since other work on the machine may keep a process waiting for longer.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("sklearn")

pytestmark = pytest.mark.measured
TRIALS = int(os.environ.get("ISINGLASS_TRIALS", "3"))
LIMIT_S = 0.5

CHILD = r'''
import sys, time
import numpy as np
from isinglass import Dataset, HopfieldRBM, Patterns, SpinGaussianRBM, Training

rng = np.random.default_rng(0)
what = sys.argv[1]


def images(count, classes):
    """As large as those of MNIST, with the same kind of correlations."""
    y = np.arange(count) % classes
    coarse = rng.normal(size=(classes, 7, 7))
    own = rng.normal(size=(count, 7, 7))
    X = np.kron(coarse[y] + own, np.ones((1, 4, 4))).reshape(count, 784)
    return np.where(X + rng.normal(size=X.shape) > 0, 1, -1).astype(np.int8), y


X, y = images(6000, 1 if what == "ward" else 10)
data = Dataset.from_array(X, y)
start = SpinGaussianRBM.start(data)


def interrupted(work):
    print("ready", flush=True)
    try:
        work()
    except KeyboardInterrupt:
        print(f"{time.monotonic():.6f}", flush=True)
        return
    print("done", flush=True)
    sys.exit(3)


def ward():
    interrupted(lambda: Patterns.from_data(data, per_class=20, progress=False))
    return len(Patterns.from_data(data)) == 1


def fit():
    model = HopfieldRBM(n_components=20, random_state=1, n_iter=10**6)
    interrupted(lambda: model.fit(X, y))
    unchanged = not hasattr(model, "rbm_")
    return unchanged and model.set_params(n_iter=1).fit(X, y).n_iter_ == 1


def partial():
    """Also while few large updates are under way."""
    model = HopfieldRBM(random_state=1, batch_size=6000, gibbs_steps=2000, n_iter=1).fit(X[:100], y[:100])
    before = model.components_.copy()
    interrupted(lambda: [model.partial_fit(X, y) for _ in range(10**6)])
    return model.components_.shape == before.shape


def training():
    directory = sys.argv[2] + "/run"
    options = {"epochs": 60, "persistent": True, "batch_size": 30, "random_state": 3}
    mine = Training(start, data, directory=directory, **options)
    interrupted(mine.run)
    updates = mine.state.updates
    assert 0 < updates < 60 * 200, updates
    for k in range(3):
        next(mine)
    mine.close()
    again = Training.resume(directory, data).run()
    expected = Training(start, data, **options).run()
    return np.array_equal(again.rbm.weights, expected.rbm.weights) and again.epochs[-1].epoch == 60


def log_z():
    interrupted(lambda: [start.log_z(method="ais", steps=10**5) for _ in range(10**6)])
    return np.isfinite(float(start.log_z(method="ais", steps=10, chains=10)))


def wells():
    interrupted(lambda: [start.log_z(method="wells") for _ in range(10**6)])
    return np.isfinite(float(start.log_z(method="ais", steps=10, chains=10)))


def states():
    interrupted(lambda: [start.deep_states(data, random_starts=10**5) for _ in range(10**6)])
    return len(start.deep_states(random_starts=10)) >= 10


def mixture():
    interrupted(lambda: [start.log_z(method="mixture") for _ in range(10**6)])
    return start.n_hidden == 10


def exact():
    small = SpinGaussianRBM(rng.normal(size=(28, 40)))
    interrupted(lambda: [small.log_z(method="exact") for _ in range(10**6)])
    return small.n_hidden == 40


def transform():
    model = HopfieldRBM(random_state=1, n_iter=0).fit(X, y)
    interrupted(lambda: [model.transform(X) for _ in range(10**6)])
    return model.transform(X).shape == (6000, 10)


print("usable" if {name: value for name, value in globals().items() if callable(value)}[what]() else "unusable")
'''


def delay_of(what, directory, after_s):
    """Seconds from the signal to the exception; None if the work was done before."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, what, str(directory)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(after_s)
        sent_s = time.monotonic()
        child.send_signal(signal.SIGINT)
        heard = child.stdout.readline().strip()
        if heard == "done":
            return None
        rest = child.stdout.read()  # not communicate(), which does not know what readline() has read ahead
        complaints = child.stderr.read()
        child.wait(timeout=120)
    finally:
        child.kill()
        child.wait()
    assert rest == "usable\n" and child.returncode == 0, (heard, rest, complaints)
    return float(heard) - sent_s


@pytest.mark.slow
@pytest.mark.parametrize("what", ["training", "fit", "partial", "log_z", "wells", "states", "mixture", "exact",
                                  "ward", "transform"])
def test_interrupt(what, tmp_path):
    delays, latest = [], 0.8
    for trial in range(5 * TRIALS):
        directory = tmp_path / str(trial)
        directory.mkdir()
        moment = random.uniform(0.02, latest)
        delay = delay_of(what, directory, moment)
        if delay is None:  # done by then: this machine is faster
            latest = moment
        else:
            delays.append(delay)
        if len(delays) == TRIALS:
            break
    assert delays
    longest = max(delays) if "ISINGLASS_TRIALS" in os.environ else sorted(delays)[len(delays) // 2]
    assert longest < LIMIT_S, delays
    print(f"{what}: {len(delays)} of {TRIALS}, {max(delays):.3f} s at most")
