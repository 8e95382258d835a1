"""Builds the extension over the static library of the tree above, which CMake builds first.

SPDX-License-Identifier: MIT

$ISINGLASS_PRESET chooses the preset of CMake: release, the default, whose files are those of `make`; dev and asan,
which `make test` has built anyway. Everything goes below build/, nothing into the sources.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
PRESET = os.environ.get("ISINGLASS_PRESET") or "release"
LIBRARY = TREE / "build" if PRESET == "release" else TREE / "build" / PRESET
# What is built with sanitizers must not meet what is built without.
BUILD = TREE / "build" / ("python-asan" if PRESET == "asan" else "python")


def version() -> str:
    """The version lives in the header alone."""
    header = (TREE / "include" / "isinglass" / "base.h").read_text()
    found = re.search(r'define ISG_VERSION +"([^"]+)"', header)
    assert found, "include/isinglass/base.h does not define ISG_VERSION"
    return found[1]


class BuildExtension(build_ext):
    """CMake finds the compiler and the flags of the library; pkg-config what it links with."""

    def run(self) -> None:
        for command in (["cmake", "--preset", PRESET],
                        ["cmake", "--build", str(LIBRARY), "--target", "isinglass_static"]):
            done = subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(command)}:\n{done.stdout}")
        super().run()


class BuildModules(build_py):
    """Without the modules of an earlier build that are gone from the sources."""

    def run(self) -> None:
        for path in (Path(self.build_lib) / "isinglass").glob("*"):
            if path.suffix in {".py", ".pyi"}:
                path.unlink()
            elif path.name == "__pycache__":
                shutil.rmtree(path)
        super().run()


class Wheel(bdist_wheel):
    """One wheel for this Python and all later ones, with the license of the tree."""

    license_paths = [str(TREE / "LICENSE")]

    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "cp311", "abi3", platform


class NoArchive(sdist):
    """The sources of the library are not below this directory."""

    def run(self) -> None:
        raise SystemExit("isinglass: an archive of python/ alone cannot be built; take the whole tree, or a wheel")


def flags(*arguments: str) -> list[str]:
    return subprocess.run(["pkg-config", *arguments, "jansson", "zlib"], check=True, capture_output=True,
                          text=True).stdout.split()


compile_flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-fvisibility=hidden", "-fstack-protector-strong",
                 f"-ffile-prefix-map={TREE}/=", "-Wall", "-Wextra", "-Wno-missing-field-initializers"]
# The library's functions stay inside: another copy of it in the same process does not meet them.
link_flags = ["-fopenmp", "-pthread", "-Wl,--exclude-libs,ALL", "-Wl,-z,relro,-z,now,-z,noexecstack",
              *flags("--libs"), "-lm"]
if PRESET != "release":
    compile_flags.append("-Werror")
if PRESET == "asan":
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    compile_flags += [*sanitize, "-U_FORTIFY_SOURCE", "-g"]
    link_flags += sanitize
else:
    link_flags.append("-Wl,--strip-debug")

core = Extension(
    "isinglass._core",
    sources=sorted(str(path.relative_to(HERE)) for path in (HERE / "src" / "_core").glob("*.c")),
    depends=[str(path) for folder in ("python/src/_core", "include") for path in (TREE / folder).rglob("*.h")]
    + [str(TREE / "python" / "setup.py"), str(LIBRARY / "libisinglass.a")],
    include_dirs=[str(TREE / "include")],
    extra_compile_args=compile_flags,
    extra_objects=[str(LIBRARY / "libisinglass.a")],
    extra_link_args=link_flags,
    py_limited_api=True,
)

BUILD.mkdir(parents=True, exist_ok=True)
setup(version=version(), ext_modules=[core],
      options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)},
               "bdist_wheel": {"dist_dir": str(BUILD / "dist"), "bdist_dir": str(BUILD / "wheel")}},
      cmdclass={"build_ext": BuildExtension, "build_py": BuildModules, "bdist_wheel": Wheel, "sdist": NoArchive})
