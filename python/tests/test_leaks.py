"""A thousand times the same leaves nothing behind: no memory, no object, no reference.

SPDX-License-Identifier: MIT

Measured are the bytes that malloc() has handed out, Python's own blocks, what its garbage collector tracks and the
references to None, True and False; a leak of one small object per call shows in at least one of them. The resident
size would not show less than a page per call.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import isinglass
from isinglass import _core

BEFORE, AFTER = 200, 800  # calls to warm up, and calls that must leave nothing


class Held(NamedTuple):
    """What the process holds."""

    bytes: int
    blocks: int
    objects: int
    references: int


class _MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                     "fsmblks", "uordblks", "fordblks", "keepcost")]


_mallinfo = ctypes.CDLL(None).mallinfo2
_mallinfo.restype = _MallInfo


def held() -> Held:
    gc.collect()
    info = _mallinfo()
    references = sum(sys.getrefcount(thing) for thing in (None, True, False))
    # Integers from 3.12 on, where None is immortal: then the other three have to do.
    return Held(info.uordblks + info.hblkhd, sys.getallocatedblocks(), len(gc.get_objects()), references)


def growth(call: Callable[[], Any], before: int = BEFORE, after: int = AFTER) -> Held:
    """What `after` calls leave behind, after `before` that fill caches."""
    for _ in range(before):
        call()
    start = held()
    for _ in range(after):
        call()
    end = held()
    return Held(*(later - earlier for earlier, later in zip(start, end)))


def assert_flat(call: Callable[[], Any], before: int = BEFORE, after: int = AFTER) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = growth(call, before, after)
        # Caches grow now and then; a leak is there again.
        if found.bytes >= 8 * after or max(found[1:]) >= after // 10:
            found = growth(call, 0, after)
    assert found.bytes < 8 * after and max(found[1:]) < after // 10, f"{after} calls left {found}"


rng = np.random.default_rng(1)
X = np.where(rng.random((24, 16)) < 0.5, 1, -1).astype(np.int8)
y = np.repeat(["a", "b", "c"], 8)
data = isinglass.Dataset.from_array(X, y)
patterns = isinglass.Patterns.from_data(data)
network = isinglass.HopfieldNetwork(patterns)
rbm = network.to_rbm()
half = network.to_rbm(beta=0.5)
deep = isinglass.DeepModel.fit(rbm, data, beta=1, shrinkage=0.5)
floats = rng.normal(size=(24, 16))


def raises(call: Callable[[], Any], *kinds: type[BaseException]) -> Callable[[], None]:
    """A call that is refused; the exception must not keep anything alive."""

    def refused() -> None:
        try:
            call()
        except kinds or (ValueError, TypeError):
            return
        raise AssertionError("was not refused")

    return refused


def stop_at_once(fraction: float) -> bool:
    return False


def raise_at_once(fraction: float) -> bool:
    raise KeyError("of the user")


def through_pickle(thing: Any) -> Callable[[], Any]:
    return lambda: pickle.loads(pickle.dumps(thing))


def annealed(**options: Any) -> Callable[[], Any]:
    return lambda: rbm.log_z(method="ais", steps=5, chains=8, random_state=1, **options)


CASES: dict[str, Callable[[], Any]] = {
    # made and dropped
    "dataset of spins": lambda: isinglass.Dataset.from_array(X, y),
    "dataset of values": lambda: isinglass.Dataset.from_array(floats, y, binarize="median"),
    "dataset with names": lambda: isinglass.Dataset.from_array(
        X, y, unit_names=[f"u{k}" for k in range(16)], ids=[f"s{k}" for k in range(24)]),
    "patterns": lambda: isinglass.Patterns(X, list(y)),
    "patterns of data": lambda: isinglass.Patterns.from_data(data, per_class=2),
    "network": lambda: isinglass.HopfieldNetwork(patterns),
    "network to RBM": lambda: network.to_rbm(),
    "RBM from patterns": lambda: isinglass.SpinGaussianRBM.from_patterns(patterns),
    "deep model": lambda: isinglass.DeepModel.fit(rbm, data, beta=[1, 2], shrinkage=0, hold_out=0.5),
    "what a deep model says": lambda: (deep.elbo(data), deep.predict(data), deep.sample(3, classes="b"), deep.arrays()),
    "a deep model, pickled": through_pickle(deep),
    "a deep model that is refused": raises(lambda: isinglass.DeepModel.fit(rbm, data, beta=-1)),
    "samples of an unknown class": raises(lambda: deep.sample(3, classes=["a", "b", "z"])),
    # looked at
    "what patterns are": lambda: (patterns.spins, patterns.labels, patterns.overlaps(), repr(patterns)),
    "what a dataset is": lambda: (data.spins, data.labels, repr(data), len(data)),
    "views of weights": lambda: (rbm.weights, rbm.weights[0].sum(), np.asarray(rbm.weights).T),
    "energies": lambda: network.energy(X),
    "runs of a network": lambda: network.run(X, sweeps=2, random_state=1),
    "ln p": lambda: rbm.log_likelihood(data),
    "recall": lambda: isinglass.recall(patterns, data, random_state=1),
    # long work
    "ln Z, wells": lambda: rbm.log_z(method="wells", particles=100, repeats=2, sweeps=1, keep=0.5, well_draws=1000),
    "deep states": lambda: rbm.deep_states(data, random_starts=20, majorities=50),
    "deep states, weighed": lambda: rbm.deep_states(random_starts=20, majorities=50, log_z="exact"),
    "ln Z, exact": lambda: rbm.log_z(method="exact"),
    "ln Z, annealed": annealed(),
    "ln Z with progress": annealed(progress=lambda fraction: None),
    # copies
    "pickle of patterns": through_pickle(patterns),
    "pickle of data": through_pickle(data),
    "pickle of a network": through_pickle(network),
    "pickle of an RBM": through_pickle(rbm),
    "copy of an RBM": lambda: copy.deepcopy(rbm),
    # refused
    "no spins": raises(lambda: isinglass.Patterns([[1, 2]])),
    "no numbers": raises(lambda: isinglass.Patterns([["a"]])),
    "too many labels": raises(lambda: isinglass.Patterns([[1, -1]], ["a", "b"])),
    "a wrong file": raises(lambda: isinglass.Patterns.load(__file__)),
    "no file": raises(lambda: isinglass.Patterns.load("/nowhere"), OSError),
    "not a number": raises(lambda: isinglass.Dataset.from_array(np.full((3, 4), np.nan))),
    "another shape": raises(lambda: network.energy(X[:, :3])),
    "an unknown option": raises(lambda: _core.Patterns.from_data(data._handle, {"nothing": 1})),
    "a wrong option": raises(lambda: _core.Patterns.from_data(data._handle, {"per_class": "x"})),
    "no buffer": raises(lambda: _core.Patterns.from_array(None)),
    "a read-only buffer": raises(lambda: patterns._handle.spins(bytes(48))),
    "damaged bytes": raises(lambda: _core.Patterns.from_bytes(b"no archive")),
    "a wrong window": raises(lambda: rbm.deep_states(window=-1.0)),
    "too low a ln Z": raises(lambda: rbm.deep_states(random_starts=20, majorities=50, log_z=0.0)),
    "states of another RBM": raises(lambda: rbm._handle.deep_states().weigh(half._handle)),
    "an unknown method": raises(lambda: rbm.log_z(method="guess")),
    "cancelled": raises(annealed(progress=stop_at_once), isinglass.CancelledError),
    "deep states, cancelled": raises(lambda: rbm.deep_states(random_starts=20, majorities=50, progress=stop_at_once),
                                     isinglass.CancelledError),
    "an error of progress": raises(annealed(progress=raise_at_once), KeyError),
}

FITS: dict[str, Callable[[], Any]] = {
    "SpinBinarizer": lambda: isinglass.SpinBinarizer("mean").fit_transform(floats),
    "HopfieldMemory": lambda: isinglass.HopfieldMemory().fit(floats, y).predict(floats),
    "HopfieldRBM": lambda: isinglass.HopfieldRBM(2, n_iter=1, random_state=1).fit(floats).transform(floats),
    "HopfieldClassifier": lambda: isinglass.HopfieldClassifier(per_class=2).fit(floats, y).predict(floats),
    "refused": raises(lambda: isinglass.HopfieldMemory().fit(np.full((24, 16), np.nan), y)),
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Calls this short would do little but wait for other threads."""
    count = _core.threads()
    _core.set_threads(1)
    yield
    _core.set_threads(count)


@pytest.mark.parametrize("name", CASES)
def test_leaves_nothing(name: str) -> None:
    assert_flat(CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", FITS)
def test_fits_leave_nothing(name: str) -> None:
    assert_flat(FITS[name])


def test_run_directories_leave_nothing(tmp_path: Path) -> None:
    count = iter(range(10**6))

    def train() -> None:
        with isinglass.Training(rbm, data, epochs=1, directory=tmp_path / str(next(count)), random_state=1) as training:
            training.run()

    assert_flat(train, 20, 80)


@pytest.mark.parametrize("leak", [lambda: bytes(40), lambda: 10**9 + id(object()), lambda: [1]])
def test_a_leak_is_noticed(leak: Callable[[], Any]) -> None:
    """One small object for each call."""

    def call() -> None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(leak()))

    with pytest.raises(AssertionError, match="calls left"):
        assert_flat(call)


def test_a_leak_of_malloc_is_noticed() -> None:
    with pytest.raises(AssertionError, match="calls left"):
        assert_flat(lambda: ctypes.CDLL(None).malloc(16))
