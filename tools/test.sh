#!/usr/bin/env bash
# test.sh - every check and test, from a clean clone to one line: "N passed, M failed"
#
# SPDX-License-Identifier: MIT
#
# The checks of the tree and the tests run with gcc, with clang, and with the address and
# undefined-behavior sanitizers; then those of the Python package. A build that fails, a test that is
# skipped or does not start and a runner that dies all count as failures.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh

tools/deps.sh --test --data --figures || count_failure "the packages are not complete"

built=()
for preset in dev clang asan; do
    build_preset $preset && built+=("$preset")
done

# The tests read MNIST from here. A second run finds it in place.
export ISINGLASS_DATA=$PWD/build/data
build/dev/isinglass data get mnist --data-dir build/data </dev/null ||
    count_failure "MNIST could not be fetched"

# Otherwise the tests would run an older build.
for preset in "${built[@]}"; do
    run_ctest "$preset"
done
count_script tools/test_python.sh build/python.txt
count_script tools/test_mpi.sh build/mpi.txt

# The others are only compiled.
for preset in "${built[@]}"; do
    sets=$(grep -h '^instruction sets' "build/$preset/Testing/Temporary/LastTest.log")
    echo "build/$preset: ${sets:-no instruction set was tested}"
done
print_counts
