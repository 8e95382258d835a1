"""One wheel for Python 3.11 and every later one, which keeps the library to itself.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sysconfig
import zipfile
from pathlib import Path

import pytest

import isinglass
from isinglass import _core

TREE = Path(__file__).resolve().parents[2]
EXTENSION = Path(_core.__file__)


def symbols(*options: str) -> list[str]:
    listed = subprocess.run(["nm", "-D", *options, EXTENSION], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1].partition("@")[0] for line in listed.splitlines()]


def not_in_stable_abi(names: list[str], folder: Path) -> list[str]:
    """Those that Python.h does not declare to whoever keeps to the limited API of 3.11.

    A few are behind macros of the limited API and are declared under the name that the macro calls.
    """
    header = "#define Py_LIMITED_API 0x030b0000\n#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n"
    uses = [f"extern const void *used_{name}; const void *used_{name} = (const void *)&{name};" for name in names]
    source = folder / "uses.c"
    source.write_text(header + "\n".join(uses) + "\n")
    compiler = shlex.split(os.environ.get("CC") or "cc")
    done = subprocess.run([*compiler, "-c", "-w", "-fmax-errors=0", f"-I{sysconfig.get_path('include')}", source, "-o",
                           folder / "uses.o"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    refused = set(re.findall(r"error: ['‘]?(\w+)['’]? undeclared", done.stderr))
    assert (done.returncode == 0) == (not refused), done.stderr
    return sorted(refused)


def test_only_the_stable_abi_is_used(tmp_path: Path) -> None:
    used = [name for name in symbols("--undefined-only") if re.match("_?Py", name)]
    assert len(used) > 30
    assert not_in_stable_abi(used, tmp_path) == []


def test_what_is_not_stable_would_be_noticed(tmp_path: Path) -> None:
    names = ["PyLong_FromLong", "PyUnicode_AsUTF8", "_PyLong_Sign", "PyBuffer_Release", "PyCode_New"]
    assert not_in_stable_abi(names, tmp_path) == ["PyCode_New", "PyUnicode_AsUTF8", "_PyLong_Sign"]


def test_the_library_stays_inside() -> None:
    assert symbols("--defined-only") == ["PyInit__core"]
    assert not [name for name in symbols("--undefined-only") if name.startswith("isg_")]


def test_the_names_say_so() -> None:
    assert EXTENSION.name == "_core.abi3.so"
    version = isinglass.__version__
    wheel = Path(os.environ.get("ISINGLASS_WHEEL") or next((TREE / "build" / "python" / "dist").glob("*.whl")))
    assert re.fullmatch(rf"isinglass-{re.escape(version)}-cp311-abi3-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        information = f"isinglass-{version}.dist-info"
        tags = re.findall("^Tag: (.*)$", archive.read(f"{information}/WHEEL").decode(), re.MULTILINE)
        assert [tag.rpartition("-")[0] for tag in tags] == ["cp311-abi3"]
        names = set(archive.namelist())
        assert {"isinglass/py.typed", "isinglass/_core.pyi", "isinglass/_core.abi3.so"} <= names
        assert any(name.startswith(information) and name.endswith("LICENSE") for name in names)
        sources = {f"isinglass/{path.name}" for path in (TREE / "python" / "src" / "isinglass").glob("*.py")}
        assert {name for name in names if name.endswith(".py")} == sources


def test_no_path_of_the_machine_that_built_it() -> None:
    if os.environ.get("ISINGLASS_PRESET") == "asan":
        return  # has debugging information, and is not for others
    assert str(TREE).encode() not in EXTENSION.read_bytes()
    assert not re.search("RPATH|RUNPATH", subprocess.run(["readelf", "-d", EXTENSION], check=True, text=True,
                                                         capture_output=True).stdout)


@pytest.mark.parametrize("wanted", ["BIND_NOW", "GNU_RELRO"])
def test_hardened(wanted: str) -> None:
    shown = subprocess.run(["readelf", "-dlW", EXTENSION], check=True, text=True, capture_output=True).stdout
    assert wanted in shown or (wanted == "BIND_NOW" and re.search("FLAGS_1.*NOW", shown))
