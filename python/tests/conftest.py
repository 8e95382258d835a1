"""What the tests share.

SPDX-License-Identifier: MIT

`make test` runs them against the installed package. By hand: ISINGLASS_DATA names a data directory with MNIST,
ISINGLASS the program, if it is not build/dev/isinglass; `pytest -m "not slow"` leaves out what takes long.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before NumPy is imported: other libraries must not start threads that fork() would miss, threads that wait must not
# hold a core, and figures need no screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("MPLBACKEND", "Agg")
TREE = Path(__file__).resolve().parents[2]
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(TREE / "build" / "python" / "hypothesis"))

import hypothesis
import numpy as np
import pytest

# The same examples every time, unless somebody asks for others as of the tests in C.
hypothesis.settings.register_profile("ours", deadline=None, derandomize="ISINGLASS_TEST_SEED" not in os.environ)
hypothesis.settings.load_profile("ours")


def read_idx(path: Path) -> np.ndarray:
    """An array of an idx file, packed or not."""
    packed = path.with_name(path.name + ".gz")
    content = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    shape = np.frombuffer(content, ">u4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(shape)


def mnist(part: str) -> tuple[np.ndarray, np.ndarray]:
    folder = os.environ.get("ISINGLASS_DATA")
    if not folder:
        pytest.fail("ISINGLASS_DATA must name a data directory with MNIST, see CONTRIBUTING.md", pytrace=False)
    images = read_idx(Path(folder) / "mnist" / f"{part}-images-idx3-ubyte")
    labels = read_idx(Path(folder) / "mnist" / f"{part}-labels-idx1-ubyte")
    return images.reshape(len(images), -1), labels


@pytest.fixture(scope="session")
def mnist_train() -> tuple[np.ndarray, np.ndarray]:
    """(X, y): (60000, 784) and (60000,), uint8, read-only."""
    return mnist("train")


@pytest.fixture(scope="session")
def mnist_test() -> tuple[np.ndarray, np.ndarray]:
    """(X, y): (10000, 784) and (10000,), uint8, read-only."""
    return mnist("t10k")


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line, to compare with."""
    path = Path(os.environ.get("ISINGLASS") or TREE / "build" / "dev" / "isinglass").resolve()
    if not path.is_file():
        pytest.fail(f"{path}: there is no program; ISINGLASS names another, see CONTRIBUTING.md", pytrace=False)
    return path


@pytest.fixture(scope="session")
def run_program(program: Path) -> Callable[..., str]:
    """What the program prints to its standard output; a failure is a failure of the test."""

    def run(*arguments: Any, cwd: Path | None = None) -> str:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
        assert done.returncode == 0, f"{done.args}: {done.stderr}"
        return done.stdout

    return run


@pytest.fixture(autouse=True)
def _same_for_all() -> Any:
    """NumPy prints alike in every version, and no figure stays open."""
    with np.printoptions(legacy="1.21"):
        yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
