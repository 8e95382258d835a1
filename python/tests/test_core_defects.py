"""What the extension once did wrong: each of these ended in a crash, or in the wrong answer.

SPDX-License-Identifier: MIT

Some were seen by the address sanitizer alone, so these tests say most under it.
"""

import ctypes
import subprocess
import sys
import threading
import zipfile

import numpy as np
import pytest
from isinglass import SpinGaussianRBM, _core, projections


def some_data(n: int = 9, n_visible: int = 5, **arguments: object) -> _core.Dataset:
    X = np.random.default_rng(0).random((n, n_visible))
    return _core.Dataset.from_values(X, rule="value:0.5", **arguments)


def some_rbm(n_visible: int = 5, n_hidden: int = 4) -> _core.RBM:
    rbm = _core.RBM.create(n_visible, n_hidden, 1.0)
    np.asarray(rbm.weights())[:] = np.random.default_rng(1).normal(size=(n_visible, n_hidden)) * 0.1
    return rbm


def unaligned(array: np.ndarray) -> np.ndarray:
    found = np.frombuffer(bytearray(array.nbytes + 1), array.dtype, array.size, offset=1).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


# ---- options -----------------------------------------------------------------------------------------------------

class Clearing:
    """A number that empties the dictionary it is in when it is asked for."""

    def __init__(self, options: dict, number: int | None) -> None:
        self.options, self.number = options, number

    def __index__(self) -> int:
        self.options.clear()
        if self.number is None:
            raise TypeError
        return self.number

    def __repr__(self) -> str:
        return "Clearing"


def test_options_that_change_while_they_are_read() -> None:
    options: dict = {}
    options["seed"] = Clearing(options, None)
    with pytest.raises(TypeError, match="seed: expected a whole number, found Clearing"):
        _core.RBM.start(some_data(), options)


def test_texts_of_options_outlive_the_dictionary(tmp_path) -> None:
    run = _core.Run.open(str(tmp_path / "run"))
    options: dict = {"command": "x" * 5000 + str(len(str(tmp_path)))}
    options["seed"] = Clearing(options, 3)
    run.begin(some_rbm(), some_data(), "{}", options, [(0.1, 0)])
    run.train(1)
    with zipfile.ZipFile(tmp_path / "run" / "model.npz") as archive:
        assert b"x" * 5000 in archive.read("meta.json")
    options = {"label_column": "y" * 5000}
    options["limit"] = Clearing(options, 3)
    (tmp_path / "data.csv").write_text("a," + "y" * 5000 + "\n1,u\n0,v\n")
    assert _core.Dataset.load(tmp_path / "data.csv", options=options).classes() == ["u", "v"]


@pytest.mark.parametrize("options, error", [
    ({"kind": "normal\0x"}, ValueError), ({"kind\0x": "normal"}, TypeError), ({"kind": "\udc80"}, ValueError)])
def test_zeros_do_not_end_texts(options: dict, error: type) -> None:
    with pytest.raises(error):
        _core.RBM.start(some_data(), options)
    with pytest.raises(ValueError, match="only_class"):
        some_data(options={"only_class": "a\0b"})
    with pytest.raises(TypeError, match="only_class: expected a text, found 3"):
        some_data(options={"only_class": 3})


# ---- arrays ------------------------------------------------------------------------------------------------------

def test_items_without_bytes() -> None:
    class Nothing(ctypes.Structure):
        pass

    rbm = _core.RBM.create(5000, 4, 1.0)
    with pytest.raises(TypeError, match="spins"):
        _core.Chains.create(rbm, 3, 1).set_spins(((Nothing * 5000) * 3)())


def test_arrays_that_do_not_tell_strides() -> None:
    with pytest.raises(TypeError, match="X: .*strides"):
        _core.Dataset.from_values(((ctypes.c_double * 3) * 4)(), rule="zero")


def test_arrays_that_are_not_aligned() -> None:
    rng = np.random.default_rng(2)
    rbm, h = SpinGaussianRBM(rng.normal(size=(5, 4))), rng.normal(size=(7, 4))
    with pytest.raises(ValueError, match="hidden: expected an aligned array"):
        rbm._handle.free_energy(unaligned(h), np.empty(7))
    assert np.array_equal(rbm.free_energy(unaligned(h)), rbm.free_energy(h))
    x = rng.normal(size=(5, 2))
    spins = np.where(rng.random((6, 5)) < 0.5, 1, -1)
    assert np.array_equal(projections(spins, unaligned(x)), projections(spins, x))


@pytest.mark.parametrize("byte", [1, 2, 128, 255])
def test_truth_in_any_byte(byte: int) -> None:
    chains = _core.Chains.create(some_rbm(), 3, 1)
    before, after = np.empty((2, 3, 5), np.int8)
    chains.spins(before)
    chains.clamp(np.full(5, byte, np.uint8).view(bool))
    chains.sweep(50, 1.0)
    chains.spins(after)
    assert np.array_equal(before, after)


class Buffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


def test_views_answer_what_they_are_asked() -> None:
    simple, nd, strided, c, fortran = 0, 8, 0x18, 0x38, 0x58
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release

    def answer(view: _core.View, flags: int) -> tuple[bool, bool]:
        found = Buffer()
        get(ctypes.py_object(view), ctypes.byref(found), flags)
        has = found.shape is not None, found.strides is not None
        release(ctypes.byref(found))
        return has

    matrix, vector = some_rbm().weights(), some_rbm().visible_field()
    assert [answer(vector, flags) for flags in (simple, nd, strided, c, fortran)] == [
        (False, False), (True, False), (True, True), (True, True), (True, True)]
    assert answer(matrix, strided) == (True, True)
    with pytest.raises(BufferError, match="contiguous"):
        answer(matrix, fortran)
    if not np.asarray(matrix).flags.c_contiguous:
        with pytest.raises(BufferError, match="contiguous"):
            answer(matrix, c)


# ---- runs --------------------------------------------------------------------------------------------------------

def test_a_run_keeps_the_data_of_the_thread_that_began() -> None:
    rbm, other = some_rbm(300, 20), some_data(3, 300)
    before = sys.getrefcount(other)
    for _ in range(2):
        run, data, is_begun = _core.Run.open(), some_data(20000, 300), threading.Event()

        def begin(run: _core.Run = run, data: _core.Dataset = data, is_begun: threading.Event = is_begun) -> None:
            run.begin(rbm, data, "{}")
            is_begun.set()

        thread = threading.Thread(target=begin)
        thread.start()
        while run.rbm() is None and not is_begun.is_set():
            try:
                run.begin(rbm, some_data(3, 12), "{}")  # which never fits
            except (RuntimeError, ValueError):
                pass
            try:
                run.resume(other)  # from no directory
            except (RuntimeError, ValueError, OSError):
                pass
        thread.join()
        del thread, begin, data
        assert sys.getrefcount(other) == before
        run.train(1)


def test_a_run_that_could_not_begin_keeps_nothing() -> None:
    run, wrong, right = _core.Run.open(), some_data(9, 12), some_data()
    before = sys.getrefcount(wrong)
    with pytest.raises(ValueError):
        run.begin(some_rbm(), wrong, "{}")
    assert sys.getrefcount(wrong) == before and run.rbm() is None
    run.begin(some_rbm(), right, "{}")
    with pytest.raises(ValueError, match="begun already"):
        run.begin(some_rbm(), right, "{}")
    run.train(1)


# ---- progress ----------------------------------------------------------------------------------------------------

def test_an_exception_stops_all_that_ask() -> None:
    """The clusterings of the other classes ask again when the exception has already been raised."""
    data = some_data(24000, 640, labels=[str(k % 3) for k in range(24000)])
    calls = []

    def report(fraction: float) -> None:
        calls.append(fraction)
        raise KeyError(len(calls))

    _core.want_threads(1)
    try:
        with pytest.raises(KeyError) as caught:
            _core.Patterns.from_data(data, {"per_class": 3, "ward_samples": 8000}, report)
    finally:
        _core.want_threads(0)
    assert caught.value.args == (1,) and len(calls) == 1


@pytest.mark.parametrize("answer, is_cancelled", [
    (False, True), (np.False_, True), (None, False), (0, False), (np.True_, False), (np.zeros(3), False)])
def test_answers_of_progress(answer: object, is_cancelled: bool) -> None:
    chains = _core.Chains.create(some_rbm(), 3, 1)
    if is_cancelled:
        with pytest.raises(_core.CancelledError):
            chains.sweep(10, 1.0, lambda fraction: answer)
    else:
        chains.sweep(10, 1.0, lambda fraction: answer)


def test_calls_of_progress_leave_the_threads_alone() -> None:
    rbm, chains, found = some_rbm(300, 20), _core.Chains.create(some_rbm(300, 20), 500, 1), []

    def report(fraction: float) -> bool:
        found.append(_core.threads())
        rbm.log_z({"method": "ais", "chains": 2, "steps": 2})
        return len(found) < 3

    before = _core.threads()
    _core.set_threads(3)
    _core.want_threads(2)
    try:
        with pytest.raises(_core.CancelledError):
            chains.sweep(10**9, 1.0, report)
    finally:
        _core.want_threads(0)
        _core.set_threads(before)
    assert found == [2, 2, 2]


# ---- the end -----------------------------------------------------------------------------------------------------

END = """
import atexit, threading, time
import numpy as np
from isinglass import _core
rng = np.random.default_rng(0)
data = _core.Dataset.from_values(rng.random((3000, 300)), rule="value:0.5")
rbm = _core.RBM.create(300, 30, 1.0)
atexit.register(lambda: print(len(rbm.log_z({"method": "ais", "chains": 2, "steps": 2}))))

def train():
    run = _core.Run.open()
    run.begin(rbm, data, "{}")
    run.train(10**6, lambda fraction: None)

def transform():
    while True:
        rbm.transform(data, np.empty((3000, 30)))

for work in (train, train, transform):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
"""


def test_daemon_threads_at_the_end() -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", END], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
