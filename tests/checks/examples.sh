#!/usr/bin/env bash
# examples.sh - the programs in examples/ print what tests/checks/examples says, to the last digit
#
# SPDX-License-Identifier: MIT
set -euo pipefail
# shellcheck source=tests/checks/common/compile.sh
. "$SOURCE/tests/checks/common/compile.sh"
export OMP_WAIT_POLICY=passive
for expected in "$SOURCE"/tests/checks/examples/*.out; do
    name=$(basename "$expected" .out)
    compile_check "../../examples/$name.c" "$SCRATCH/$name"
    "$SCRATCH/$name" >"$SCRATCH/$name.out" || { echo "examples/$name.c: failed"; exit 1; }
    diff "$expected" "$SCRATCH/$name.out" || { echo "examples/$name.c: other output"; exit 1; }
done
# describe.c is run by install.sh, on a file.
for example in "$SOURCE"/examples/*.c; do
    name=$(basename "$example" .c)
    [[ $name == describe || -e $SOURCE/tests/checks/examples/$name.out ]] || { echo "$example: not tested"; exit 1; }
done
