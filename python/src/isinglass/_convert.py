"""Between what users hold and what the extension takes: spins, seeds, threads, progress.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import contextlib
import math
import numbers
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core

Spins = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

#: What a ``progress`` argument may be: None shows a bar in a terminal or notebook if the work takes more than a moment,
#: True always shows it, False never; a callable gets the fraction done and may return False to cancel.
Progress = Union[None, bool, Callable[[float], Any]]


def as_doubles(array: npt.ArrayLike) -> Floats:
    """Contiguous and aligned, as the extension takes them. Bytes of a file from some place on need not be aligned."""
    return np.require(array, np.float64, ["C", "A", "E"])


def as_spins(values: npt.ArrayLike, name: str, ndim: int | None = None) -> Spins:
    """An array of +1 and -1, also given as 1 and 0 or as bool, as contiguous int8.

    Other values are refused, not thresholded: what is +1 is for a rule to say.

    >>> as_spins([True, False], "s")
    array([ 1, -1], dtype=int8)
    """
    array = np.asarray(values)
    if array.dtype == object or array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected an array of spins, found dtype {array.dtype}")
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name}: expected {ndim} dimension{'s' * (ndim > 1)}, found {array.ndim}")
    if array.dtype == bool:
        return np.where(array, np.int8(1), np.int8(-1))
    is_up = array == 1
    is_down = (array == -1) if np.any(array == -1) else (array == 0)
    if not np.all(is_up | is_down):
        found = array[~(is_up | is_down)].flat[0]
        raise ValueError(
            f"{name}: expected spins, +1 and -1 or 1 and 0, found {found}; "
            "isinglass.Dataset.from_array(X, binarize=...) turns values into spins"
        )
    return np.where(is_up, np.int8(1), np.int8(-1))


def as_seed(random_state: Any) -> int:
    """The seed that an integer, None (a fresh one) or a NumPy generator stands for."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**63))
    if isinstance(random_state, numbers.Integral):
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise ValueError(f"random_state: expected a number from 0 to 2**64 - 1, found {seed}")
        return seed
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state: expected an integer, a NumPy generator or None, found {random_state!r}")


def as_number(value: Any, name: str, is_positive: bool = False) -> float:
    """A number, of any type that float() takes."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a number, found {value!r}") from None
    if is_positive and not 0 < number < math.inf:
        raise ValueError(f"{name}: expected a positive number, found {value!r}")
    return number


def as_whole(value: Any, name: str, least: int = 0) -> int:
    """A whole number from ``least`` on."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found {value!r}") from None
    if not least <= number < 2**63:
        raise ValueError(f"{name}: expected a whole number from {least} on, found {number}")
    return number


@contextlib.contextmanager
def using_threads(n_jobs: int | None) -> Iterator[None]:
    """Runs the block with this many threads: None for a share of all cores, -1 for all, as in scikit-learn."""
    if n_jobs is None:
        yield
        return
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs: expected a number of threads, -1 for all or None, found {n_jobs!r}")
    count = int(n_jobs) if n_jobs > 0 else max(1, _core.threads() + 1 + int(n_jobs))
    _core.want_threads(count)
    try:
        yield
    finally:
        _core.want_threads(0)


def _is_watched() -> bool:
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def reporting(progress: Progress, what: str) -> Iterator[Callable[[float], Any] | None]:
    """What to hand to the extension as its progress callback; a bar of tqdm if that is there."""
    if callable(progress):
        yield progress
        return
    if progress is not None and not isinstance(progress, (bool, np.bool_)):
        raise TypeError(f"progress: expected a callable, True, False or None, found {progress!r}")
    if not progress and (progress is not None or not _is_watched()):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=1.0, desc=what, delay=0 if progress else 1, leave=False,
              bar_format="{desc} {percentage:3.0f}% {bar} {elapsed}<{remaining}") as bar:

        def report(fraction: float) -> None:
            bar.update(max(0.0, fraction - bar.n))

        yield report
