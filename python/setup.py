"""Builds the extension over the static library of the tree above, which CMake builds first.

SPDX-License-Identifier: MIT
"""

import os
import re
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parent

# A build with AddressSanitizer and its friends: ISINGLASS_SANITIZE=address,undefined (see tests/README.md).
SANITIZE = os.environ.get("ISINGLASS_SANITIZE", "")


def version() -> str:
    """The version lives in the header alone."""
    header = (TREE / "include" / "isinglass" / "base.h").read_text()
    found = re.search(r'define ISG_VERSION +"([^"]+)"', header)
    assert found, "include/isinglass/base.h does not define ISG_VERSION"
    return found[1]


class BuildWithLibrary(build_ext):
    """CMake finds compilers and flags of the library; pkg-config what it links with."""

    def run(self) -> None:
        library = Path(self.build_temp).resolve() / ("library-sanitized" if SANITIZE else "library")
        library.mkdir(parents=True, exist_ok=True)
        configure = ["cmake", "-S", str(TREE), "-B", str(library), "-G", "Ninja"]
        if SANITIZE:
            configure += ["-DCMAKE_BUILD_TYPE=Debug", f"-DISG_SANITIZE={SANITIZE}"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", str(library), "--target", "isinglass_static"], check=True,
                       stdout=subprocess.DEVNULL)
        for extension in self.extensions:
            extension.extra_objects.append(str(library / "libisinglass.a"))
            extension.depends.append(str(library / "libisinglass.a"))
        super().run()


class AbiWheel(bdist_wheel):
    """One wheel for this Python and all later ones."""

    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "cp311", "abi3", platform


def flags(*arguments: str) -> list[str]:
    return subprocess.run(["pkg-config", *arguments, "jansson", "zlib"], check=True, capture_output=True,
                          text=True).stdout.split()


sanitize_flags = [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"] if SANITIZE else []
core = Extension(
    "isinglass._core",
    sources=sorted(str(path.relative_to(HERE)) for path in (HERE / "src" / "_core").glob("*.c")),
    depends=["src/_core/core.h", *(str(path) for path in (TREE / "include").rglob("*.h"))],
    include_dirs=[str(TREE / "include")],
    extra_compile_args=["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-fvisibility=hidden", "-Wall", "-Wextra",
                        "-Wno-missing-field-initializers", *sanitize_flags],
    # The library's functions stay inside: another copy of it in the same process does not meet them.
    extra_link_args=["-fopenmp", "-pthread", "-Wl,--exclude-libs,ALL", *flags("--libs"), "-lm", *sanitize_flags],
    py_limited_api=True,
)

# Nothing is written into the sources.
BUILD = TREE / "build" / "python"
BUILD.mkdir(parents=True, exist_ok=True)

setup(options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
      version=version(), ext_modules=[core],
      cmdclass={"build_ext": BuildWithLibrary, "bdist_wheel": AbiWheel})
