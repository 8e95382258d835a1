#!/usr/bin/env bash
# check_long.sh - the checks that take too long for every change; the last line is "N passed, M failed"
#
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tools/count.sh

# Reads of uninitialized memory, which gcc's sanitizers do not detect. Only valgrind's own verdict
# counts: it computes long double in 64 bits, so a test that needs more may fail here, and the
# tests have already passed without valgrind. OpenMP keeps its threads and their stacks until the end of
# the program, which makes "possible" and "reachable" losses. One thread, since valgrind runs one at
# a time and the others would only spin. It has a function call for every fused multiply-add of AVX2, and takes
# 8 times as long for it; kernels are still compared for all instruction sets.
memcheck() { # test
    OMP_NUM_THREADS=1 ISINGLASS_TEST_ISA=baseline \
        timeout 1800 valgrind --quiet --error-exitcode=99 --leak-check=full \
        --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        --suppressions=tools/valgrind.supp "build/dev/tests/$1"
    local status=$?
    [[ $status -lt 99 ]]
}

sweep_faults() {
    mkdir -p build/faults
    ISINGLASS=$PWD/build/dev/isinglass BUILD=$PWD/build/dev SCRATCH=$PWD/build/faults \
        /usr/bin/python3 tests/faults/sweep.py full >build/faults/table.txt
}

tools/deps.sh --test --data --figures --long || count_failure "the packages are not complete"

if build_preset dev; then
    export ISINGLASS_DATA=$PWD/build/data
    build/dev/isinglass data get mnist --data-dir build/data </dev/null ||
        count_failure "MNIST could not be fetched"

    # Statistics under a seed nobody chose. Their thresholds make a false alarm rarer than one run
    # in a thousand, so reproduce a failure with the seed printed here; do not just retry.
    ISINGLASS_TEST_SEED=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    export ISINGLASS_TEST_SEED
    echo "unit tests with ISINGLASS_TEST_SEED=$ISINGLASS_TEST_SEED"
    run_ctest dev --label-regex unit
    # Training killed at other moments, and more often.
    ISINGLASS_TEST_KILLS=30 run_ctest dev --tests-regex '^check.train_resume$'
    unset ISINGLASS_TEST_SEED
    # All 16 kinds of training, stopped after every update.
    ISINGLASS_TEST_KINDS=$(echo {0..15}) run_ctest dev --tests-regex '^check.one_hash$'

    # The report as a reader sees it.
    count_command "the report in a browser" tools/browser_check.sh

    # Deliberate errors, each of which a test must detect; each counts as one test.
    tests/mutants/run.sh 2>&1 | tee build/mutants.txt
    mutants_status=${PIPESTATUS[0]}
    killed=$(sed -n 's/^\([0-9]*\) of [0-9]* killed$/\1/p' build/mutants.txt)
    passed=$((passed + ${killed:-0}))
    [[ $mutants_status -eq 0 ]] || count_failure "a deliberate error went unnoticed"

    count_command "a one-line error in every room is noticed by make quick" tests/mutants/rooms.sh

    # Every system call, allocation and bit in turn, where `make test` tries some; see
    # docs/reliability.md for the table.
    count_command "fault sweeps" sweep_faults
    cat build/faults/table.txt

    # The longest first, by what they took above: the last one would keep one core busy alone.
    mapfile -t unit_tests < <(basename --suffix .c --multiple tests/unit/*/test_*.c |
        awk 'NR == FNR { cost[$1] = $3; next } { print cost["unit." $1] + 0, $1 }' \
            build/dev/Testing/Temporary/CTestCostData.txt - | sort -rn | cut -d ' ' -f 2)
    [[ ${#unit_tests[@]} -gt 0 ]] || count_failure "no list of unit tests for valgrind"
    count_parallel valgrind memcheck "${unit_tests[@]}"
fi

# All tests of the Python package with the address sanitizer inside it.
count_script tools/test_python.sh build/python.txt --long

# ThreadSanitizer and OpenMP. gcc's libgomp is not instrumented, so TSan would not see its barriers
# and report races everywhere. clang's libomp has a tool, Archer, that tells TSan about
# forks, joins, barriers and locks; libomp loads it by itself when it finds TSan in the program.
# ignore_noninstrumented_modules silences reports about libomp's own memory. Two small programs
# first show that TSan on this machine reports a race, and none where there is none.
tsan_program() { # compiler options...
    clang-14 -fopenmp -fsanitize=thread -g -O1 "$@" -x c - -o build/tsan/planted <<'END'
#include <stdio.h>
int main(void) {
    double x[1000], total = 0;
    for (int pass = 0; pass < 20; pass++) {
#pragma omp parallel for
        for (int i = 0; i < 1000; i++)
            x[i] = i * pass;
#pragma omp parallel for
        for (int i = 0; i < 1000; i++) {
#ifndef RACE
#pragma omp critical
#endif
            total += x[999 - i];
        }
    }
    return total > 0 ? 0 : 1;
}
END
}
tsan_works() {
    mkdir -p build/tsan
    export OMP_NUM_THREADS=4 TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1
    tsan_program && build/tsan/planted && tsan_program -DRACE && ! build/tsan/planted
}
count_command "the thread sanitizer sees races and only races" tsan_works
# More threads than cores: other orders are tried.
build_preset tsan && OMP_NUM_THREADS=4 run_ctest tsan --label-regex unit

# Another processor with other instruction sets; if this machine has it, everything was tested above.
[[ $(uname -m) == aarch64 ]] || count_script tools/check_arm.sh build/arm.txt

# Each target counts as one test.
tools/fuzz.sh 2>&1 | tee build/fuzz.txt
fuzz_status=${PIPESTATUS[0]}
fuzzed=$(grep -cE '^fuzz_[a-z0-9_]+ .* ok$' build/fuzz.txt)
findings=$(grep -cE '^fuzz_[a-z0-9_]+ .* FINDING$' build/fuzz.txt)
if [[ $fuzz_status -ne 0 && $findings -eq 0 ]]; then
    findings=1
fi
passed=$((passed + fuzzed))
failed=$((failed + findings))

# Branch coverage is required where a mistake would not show in the results; the rest is only reported.
if build_preset coverage; then
    find build/coverage -name '*.gcda' -delete
    # Not the checks: gcov writes its counts at exit, which full disks and kills prevent.
    run_ctest coverage --tests-regex '^(unit|cli)\.'
    cover_branches() { tools/coverage.py >build/coverage/branches.txt; }
    count_command "branches covered" cover_branches
    cat build/coverage/branches.txt
    # gcovr 5 gives up on code that is compiled twice, as templates of kernels are.
    if gcovr --root . --filter src/ --filter cli/ --exclude src/kernels/tuned.h \
        --html-details build/coverage/report.html --txt build/coverage/report.txt \
        build/coverage >build/coverage/gcovr.log 2>&1; then
        sed -n 's/^TOTAL */lines, covered: /p' build/coverage/report.txt
        echo "see build/coverage/report.html"
    else
        echo "no coverage report; see build/coverage/gcovr.log"
    fi
fi

print_counts
