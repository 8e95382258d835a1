#!/usr/bin/env bash
# wheel.sh - builds the Python package, build/python/dist/isinglass-VERSION-cp311-abi3-PLATFORM.whl
#
# SPDX-License-Identifier: MIT
#
# $ISINGLASS_PRESET: see python/setup.py; with asan, the wheel is in build/python-asan/dist.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(tools/python.sh setuptools wheel)
build=build/python
[[ ${ISINGLASS_PRESET-} != asan ]] || build=build/python-asan
rm -rf "$build/dist"
mkdir -p "$build"
if ! (cd python && "$python" -W ignore setup.py -q bdist_wheel) >"$build/wheel.log" 2>&1 </dev/null; then
    cat "$build/wheel.log"
    exit 1
fi
echo "$build"/dist/isinglass-*.whl
