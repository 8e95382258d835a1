"""The package as a whole: what importing it costs, what it offers, how it lives with other processes.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import isinglass
from isinglass import _core


def run(code: str, folder: Path, *, seconds: float = 60) -> str:
    """What a program of its own prints, which has to end in time."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(code))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=seconds, cwd=folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_import_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    loaded = run("""
        import sys
        import isinglass
        print(*(name for name in ("numpy", "scipy", "sklearn", "matplotlib", "tqdm", "anndata", "xarray", "pandas")
                if name in sys.modules))
        dir(isinglass), isinglass.__version__, isinglass.FormatError
        print("numpy" in sys.modules)
        isinglass.Patterns
        print("numpy" in sys.modules, "sklearn" in sys.modules)
        """, tmp_path)
    assert loaded.splitlines() == ["", "False", "True False"]


@pytest.mark.parametrize("name", isinglass.__all__)
def test_every_name_is_there(name: str) -> None:
    assert name in dir(isinglass)
    assert getattr(isinglass, name) is not None


def test_names_are_listed_once() -> None:
    assert len(isinglass.__all__) == len(set(isinglass.__all__))
    with pytest.raises(AttributeError, match="no attribute 'Paterns'"):
        isinglass.Paterns


def test_version_is_that_of_the_program(run_program: Callable[..., str]) -> None:
    assert isinglass.__version__ in run_program("--version").split()
    assert re.fullmatch(r"\d+\.\d+\.\d+", isinglass.__version__)


def test_exceptions_are_those_that_people_catch() -> None:
    assert issubclass(isinglass.FormatError, ValueError)
    assert issubclass(isinglass.DivergedError, ArithmeticError)
    assert issubclass(isinglass.DependentError, ValueError)
    assert issubclass(isinglass.CancelledError, RuntimeError)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """What a class itself or a base class of this package defines for users."""
    for base in kind.__mro__:
        if base.__module__.startswith("isinglass"):
            for name, member in vars(base).items():
                if not name.startswith("_") and (callable(member) or inspect.isdatadescriptor(member) or
                                                 isinstance(member, (classmethod, staticmethod, property))):
                    yield name, member


def undocumented() -> Iterator[str]:
    for name in isinglass.__all__:
        thing = getattr(isinglass, name)
        if not inspect.getdoc(thing):
            yield name
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for member, value in members(thing):
                # Slots and fields of tuples have no docstring of their own.
                if inspect.ismemberdescriptor(value) or type(value).__name__ == "_tuplegetter":
                    continue
                if not inspect.getdoc(getattr(value, "__func__", value)):
                    yield f"{name}.{member}"
    for name, thing in vars(_core).items():
        if not name.startswith("_") and not inspect.getdoc(thing):
            yield f"_core.{name}"
        if inspect.isclass(thing):
            yield from (f"_core.{name}.{method}" for method, value in vars(thing).items()
                        if not method.startswith("_") and not inspect.getdoc(value))


def test_everything_public_has_a_docstring() -> None:
    assert list(undocumented()) == []


def test_what_users_see_comes_from_the_package() -> None:
    """So that reports of errors and pickles name what can be imported."""
    for name in isinglass.__all__:
        thing = getattr(isinglass, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__module__.partition(".")[0] == "isinglass"


# Work with more than one thread, and what it gives.
WORK = """
    import sys
    import numpy as np
    import isinglass
    from isinglass import _core

    def work(seed=0):
        X = np.random.default_rng(seed).random((200, 64)) < 0.5
        data = isinglass.Dataset.from_array(X.astype(np.int8) * 2 - 1)
        return isinglass.Patterns.from_data(data, per_class=3).spins.tobytes()

    if __name__ == "__main__":
        _core.set_threads(2)
        expected = work()
"""


@pytest.mark.parametrize("how", ["os.fork", "multiprocessing"])
def test_a_fork_after_threads_is_an_error_and_no_hang(how: str, tmp_path: Path) -> None:
    children = {"os.fork": """
        import os
        pid = os.fork()
        if pid == 0:
            try:
                work()
                print("no error")
            except RuntimeError as error:
                print(error)
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(pid, 0)
        """, "multiprocessing": """
        import multiprocessing
        with multiprocessing.get_context("fork").Pool(1) as pool:
            try:
                pool.apply(work)
                print("no error")
            except RuntimeError as error:
                print(error)
        """}
    code = textwrap.dedent(WORK) + textwrap.indent(textwrap.dedent(children[how]), "    ") + textwrap.indent(
        "\nassert work() == expected  # the parent goes on\n", "    ")
    said = run(code, tmp_path)
    assert said == ("this process was forked after isinglass had started its threads, which a fork does not copy; use "
                    "the start method 'spawn' or 'forkserver', or joblib's default, loky\n")


def test_a_fork_before_any_thread_is_fine(tmp_path: Path) -> None:
    said = run(textwrap.dedent(WORK).replace("expected = work()", "") + textwrap.indent(textwrap.dedent("""
        import os
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            print(len(work()), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        """), "    "), tmp_path)
    assert said == "192\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods_work(method: str, tmp_path: Path) -> None:
    said = run(textwrap.dedent(WORK) + textwrap.indent(textwrap.dedent(f"""
        import multiprocessing
        with multiprocessing.get_context("{method}").Pool(2) as pool:
            print(pool.map(work, [0, 1])[0] == expected)
        """), "    "), tmp_path, seconds=120)
    assert said == "True\n"


def test_joblib_works(tmp_path: Path) -> None:
    said = run(textwrap.dedent(WORK) + textwrap.indent(textwrap.dedent("""
        import joblib
        print(joblib.Parallel(n_jobs=2)(joblib.delayed(work)(seed) for seed in [0, 1, 2])[0] == expected)
        """), "    "), tmp_path, seconds=120)
    assert said == "True\n"
