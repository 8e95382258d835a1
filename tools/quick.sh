#!/usr/bin/env bash
# quick.sh [ROOM] - build and run the unit tests of one room, or of all, while working on it
#
# SPDX-License-Identifier: MIT
#
# Tests declared with slow_unit_test() are left out unless SLOW=1. The rooms cli and paper come with their golden
# tests. The last line is "N passed, M failed"; programs are counted.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh

room=${1-}
rooms=(tests/unit/*/)
rooms=("${rooms[@]#tests/unit/}")
rooms=("${rooms[@]%/}")
if [[ $# -gt 1 || (-n $room && " ${rooms[*]} " != *" $room "*) ]]; then
    echo "quick.sh: '$*' is not a room; the rooms are: ${rooms[*]}" >&2
    exit 2
fi

[[ -e build/dev/build.ninja ]] || tools/deps.sh --test || exit 1
targets=("${rooms[@]/#/room_}")
chosen=(-L '^unit$')
if [[ -n $room ]]; then
    targets=("room_$room")
    chosen=(-L "^$room\$")
fi
build_preset dev --target "${targets[@]}" || {
    print_counts
    exit 1
}
[[ ${SLOW:-0} == 1 ]] || export ISINGLASS_TEST_QUICK=1
run_ctest dev "${chosen[@]}"
if [[ -n ${ISINGLASS_TEST_QUICK-} ]]; then
    slow=$(grep -roh --include='test_*.c' ' slow_unit_test(' "tests/unit/$room" | wc -l)
    [[ $slow -eq 0 ]] || echo "slow tests left out: $slow (run them with make quick${room:+ ROOM=$room} SLOW=1)"
fi
print_counts
