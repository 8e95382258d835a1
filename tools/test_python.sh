#!/usr/bin/env bash
# test_python.sh [--long] - everything about the Python package; the last line is "N passed, M failed"
#
# SPDX-License-Identifier: MIT
#
# The tests see the installed wheel, in a virtual environment below build/, never the sources. Where Python or what
# the tests need cannot be had, that part is left out, and said so: the library does not need it. With --long, all
# tests run under the address sanitizer, in place of those that do not take long there.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh
tree=$PWD
is_long=false
[[ ${1-} != --long ]] || is_long=true

leave_out() { # what, why
    echo "LEFT OUT: $1: $2"
}

# Nothing of this may write beside the sources.
export PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1 HYPOTHESIS_STORAGE_DIRECTORY=$tree/build/python/hypothesis
unset PYTHONPATH VIRTUAL_ENV
export ISINGLASS=${ISINGLASS:-$tree/build/dev/isinglass} ISINGLASS_DATA=${ISINGLASS_DATA:-$tree/build/data}

make_venv() { # directory, wheel
    rm -rf "$1"
    "$python" -m venv --system-site-packages --without-pip "$1" &&
        "$1/bin/python" -m pip install --quiet --no-deps --no-index --disable-pip-version-check "$2"
}

# The folder of packages, for what runs in other processes, such as notebooks: those take Python by its path.
packages_of() { # virtual environment
    "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))'
}

# What tests run under: nothing, or SANITIZED below.
under=()

# Counts by pytest's report. Like everywhere in this tree, what is skipped has failed.
run_pytest() { # name, virtual environment, pytest arguments...
    local name=$1 venv=$2 report=$tree/build/python/$1.xml log=build/python/$1.log start=$SECONDS status ran bad
    shift 2
    rm -rf "$report" "build/python/tmp"
    echo "testing $name"
    (cd python && PYTHONPATH=$(packages_of "$venv") timeout 1800 "${under[@]}" "$venv/bin/python" -m pytest "$@" -p no:cacheprovider --basetemp="$tree/build/python/tmp" --durations=15 -rfEsx \
        --junitxml="$report") >"$log" 2>&1 </dev/null
    status=$?
    read -r ran bad < <("$python" - "$report" <<'CODE'
import sys, xml.etree.ElementTree
suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot().find("testsuite").attrib
bad = sum(int(suite[kind]) for kind in ("failures", "errors", "skipped"))
print(int(suite["tests"]) - bad, bad)
CODE
    )
    if [[ $status -ne 0 && ${bad:-0} -eq 0 || ${ran:-0} -eq 0 ]]; then
        bad=$((${bad:-0} + 1))
    fi
    [[ $bad -eq 0 ]] || cat "$log"
    passed=$((passed + ${ran:-0}))
    failed=$((failed + bad))
    echo "tested $name: ${ran:-0} passed, $bad failed ($((SECONDS - start)) s)"
}

build_wheel() {
    ISINGLASS_PRESET=dev tools/wheel.sh
}

files_of_sources() {
    find python docs/python examples -type f | sort
}

# As people do who have no patience with make, and as packagers do: without a network.
pip_installs() {
    local before
    before=$(files_of_sources)
    rm -rf build/python/pip
    "$python" -m venv --system-site-packages --without-pip build/python/pip &&
        ISINGLASS_PRESET=dev PIP_NO_INDEX=1 build/python/pip/bin/python -m pip install ./python \
            --no-build-isolation --no-deps --disable-pip-version-check &&
        (cd / && "$tree/build/python/pip/bin/python" -c 'import isinglass; print(isinglass.Patterns([[1, -1]]))') &&
        diff <(echo "$before") <(files_of_sources)
}

check_types() {
    (cd python && "$venv/bin/python" -m mypy --cache-dir "$tree/build/python/mypy" --strict src/isinglass)
}

check_stubs() {
    (cd build/python && "$venv/bin/python" -m mypy.stubtest --mypy-config-file "$tree/python/pyproject.toml" isinglass._core)
}

# Those on the path, and all that pyenv has. Its shims are on the path, too, and refuse to run.
other_pythons() {
    local folder candidate
    {
        for candidate in python3 python3.{11..30}; do
            command -v "$candidate"
        done
        folder=${PYENV_ROOT:-$(command -v pyenv >/dev/null && pyenv root)}
        [[ -z $folder ]] || printf '%s\n' "$folder"/versions/*/bin/python3
    } 2>/dev/null | while read -r candidate; do
        "$candidate" -c 'import os, sys
if sys.version_info >= (3, 11): print(os.path.realpath(sys.executable))' 2>/dev/null
    done | sort -u | grep -vxF "$(realpath "$python")"
}

same_hashes() { # python
    diff <("$python" python/tests/other_python.py "$tree/build/python/unpacked") \
        <("$1" python/tests/other_python.py "$tree/build/python/unpacked")
}

# gcc's sanitizers have to be in the process before Python is, and libstdc++ with them for their view of exceptions. What
# Python itself does not free at its end is no leak of ours; test_leaks.py looks for those.
readonly SANITIZED=(env "LD_PRELOAD=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libstdc++.so)"
    PYTHONMALLOC=malloc ISINGLASS_PRESET=asan UBSAN_OPTIONS=print_stacktrace=1
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:strict_string_checks=1)

test_sanitized() {
    # What other processes and the linker do has been seen without.
    local left_out=(--ignore tests/test_package.py --ignore tests/test_leaks.py --ignore tests/test_abi.py -m)
    if ! ISINGLASS_PRESET=asan tools/wheel.sh; then
        count_failure "the extension with sanitizers"
        return
    fi
    make_venv "$tree/build/python-asan/venv" build/python-asan/dist/*.whl || {
        count_failure "the virtual environment with sanitizers"
        return
    }
    # A process that reads beyond an array has to be stopped, or else nothing is tested here.
    count_command "the sanitizer sees what the extension does" sees_planted_error
    if $is_long; then
        left_out+=("not measured")
    else
        left_out+=("not measured and not slow" --ignore-glob 'tests/test_*_checks.py')
        echo "under the sanitizer without what is slow and scikit-learn's checks: see make check-long"
    fi
    under=("${SANITIZED[@]}")
    run_pytest sanitized "$tree/build/python-asan/venv" "${left_out[@]}"
}

sees_planted_error() {
    "${SANITIZED[@]}" build/python-asan/venv/bin/python -c '
import ctypes, isinglass
assert b"libasan" in open("/proc/self/maps", "rb").read() and isinglass.__version__
block = ctypes.create_string_buffer(16)
ctypes.memset(ctypes.addressof(block) + 8, 0, 8)' &&
        ! "${SANITIZED[@]}" build/python-asan/venv/bin/python -c '
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
ctypes.memset(libc.malloc(16), 0, 17)' 2>/dev/null
}

if ! tools/deps.sh --python || ! python=$(tools/python.sh setuptools wheel pip venv numpy); then
    leave_out "the Python package" "it cannot be built here"
    print_counts
    exit
fi
has_tests=true
if ! tools/deps.sh --python-test ||
    ! python=$(tools/python.sh setuptools wheel pip venv numpy scipy sklearn pytest hypothesis mypy anndata xarray); then
    has_tests=false
fi

mkdir -p build/python
build_preset dev --target isinglass_program isinglass_static
"$ISINGLASS" data get mnist --data-dir "$ISINGLASS_DATA" </dev/null || count_failure "MNIST could not be fetched"
unfetched=()
if ! "$ISINGLASS" data get pbmc --data-dir "$ISINGLASS_DATA" </dev/null; then
    leave_out "the notebook on cells" "pbmc could not be fetched"
    unfetched=(--deselect 'tests/test_notebooks.py::test_notebook[cells]')
fi
count_command "the wheel is built" build_wheel
venv=$tree/build/python/venv
ISINGLASS_WHEEL=$(echo "$tree"/build/python/dist/*.whl)
export ISINGLASS_WHEEL
if [[ ! -f $ISINGLASS_WHEEL ]] || ! make_venv "$venv" "$ISINGLASS_WHEEL"; then
    count_failure "the wheel could not be installed"
    print_counts
    exit
fi
count_command "pip installs from the tree, and leaves it alone" pip_installs

rm -rf build/python/unpacked
"$python" -m zipfile -e "$ISINGLASS_WHEEL" build/python/unpacked
mapfile -t others < <(other_pythons)
for other in "${others[@]}"; do
    count_command "the same wheel, $("$other" --version)" same_hashes "$other"
done
[[ ${#others[@]} -gt 0 ]] || leave_out "other versions of Python" "there are none from 3.11 on"

if $has_tests; then
    run_pytest installed "$venv" "${unfetched[@]}"
    count_command "mypy --strict" check_types
    count_command "stubtest" check_stubs
    test_sanitized
else
    leave_out "pytest, mypy, notebooks and the sanitizers" "packages are missing"
fi
print_counts
