# The front door: the work is done by CMake (presets in CMakePresets.json) and by tools/*.sh.
#
#   make             install missing packages, build build/isinglass
#   make demo        the same, then fetch MNIST and reproduce the paper at quick scale
#   make quick       unit tests, without the slow ones; ROOM=recall: of one room; SLOW=1: the slow ones, too
#   make python      the Python package as a wheel, build/python/dist/isinglass-*.whl
#   make mpi         build/isinglass-mpi, for several machines, with the MPI that CMake finds
#   make test-mpi    test it on several ranks of this machine, with Open MPI and MPICH
#   make test        every check and test; the last line is "N passed, M failed"
#   make check-long  thread sanitizer, valgrind, aarch64, fuzzing, fresh seeds (FUZZ_SECONDS=30 per target)
#   make bench       measure, beside PyTorch, NumPy and scikit-learn in the same run
#   make format      clang-format on all C files
#   make install     into PREFIX [/usr/local], below DESTDIR if given
#   make install-python  the wheel for PYTHON [python3]: into the active virtual environment, else for the user, or
#                        as root for everybody; into PREFIX, below DESTDIR, if one of them is given
#   make clean       remove build/ and everything in it
#
# SPDX-License-Identifier: MIT

# Before the default: Python packages have a place of their own unless somebody chooses one.
python_prefix := $(PREFIX)
PREFIX ?= /usr/local
export PYTHON

build: build/build.ninja
	@cmake --build build

build/build.ninja: CMakePresets.json | dependencies
	@cmake --preset release

dependencies:
	@tools/deps.sh

demo: build
	@tools/demo.sh

quick:
	@tools/quick.sh $(ROOM)

test:
	@tools/test.sh

mpi: dependencies
	@tools/deps.sh --mpi
	@cmake --preset release -DISG_MPI=ON
	@cmake --build build

test-mpi:
	@tools/test_mpi.sh

check-long:
	@tools/check_long.sh

bench: build
	@tools/bench.sh

format:
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format-14 -i

# ldconfig lets the loader find the installed library; it needs root.
install: build
	@DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(PREFIX)'
	@test -n '$(DESTDIR)' || test "$$(id -u)" -ne 0 || ldconfig

python: dependencies
	@tools/deps.sh --python
	@tools/wheel.sh

install-python: python
	@PREFIX='$(python_prefix)' DESTDIR='$(DESTDIR)' tools/install_python.sh build/python/dist/isinglass-*.whl

clean:
	@rm -rf build

.PHONY: build dependencies demo quick test mpi test-mpi check-long bench format install python install-python clean
