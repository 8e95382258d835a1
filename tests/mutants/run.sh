#!/usr/bin/env bash
# run.sh [NAME...] - shows that the tests notice every deliberate error in tests/mutants/table.cmake
#
# SPDX-License-Identifier: MIT
#
# Prints one line for each mutant, "name | what noticed it | seconds", and last "N of N killed". The
# tests must pass without an error first. Only an assertion that fails counts: not a crash, not a
# program that does not start, not a compiler that refuses. The tests that the table names are run
# first, linked against the mutated objects; if they pass, all unit tests of a build with the mutant in.
# Uses BUILD [build/dev], a build with ISG_TREE_CHECKS, and JOBS [all processors] for compiling.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build/dev}
jobs=${JOBS:-$(nproc)}
export OMP_WAIT_POLICY=passive
unset ISINGLASS_TEST_SEED # the errors are known; so are the seeds they are seen with
log=$(mktemp)
trap 'rm -f "$log"' EXIT

die() {
    echo "mutants: $*" >&2
    exit 1
}

compile() { # targets...
    cmake --build "$build" --parallel "$jobs" -- -k 0 "$@" >"$log" 2>&1
}

# Runs a test program until its first test fails: passed, crashed, or the name of that test. The next
# thing it says ends a program that nobody listens to.
run_test() { # program
    local status
    timeout 300 "$1" 2>&1 </dev/null | sed '/^\[  FAILED  \]/q' >"$log"
    status=${PIPESTATUS[0]}
    REPLY=$(sed -n 's/^\[  FAILED  \] \([A-Za-z_0-9]*\)$/\1/p' "$log")
    if [[ $status -eq 0 && -z $REPLY ]]; then
        REPLY=passed
    elif [[ -z $REPLY ]] || grep -qE 'failed with exception|Could not run' "$log"; then
        REPLY=crashed
    fi
}

# Every unit test against the mutant, in a build of its own.
run_all() { # name
    local whole=build/mutant source test
    {
        cmake --preset dev -B $whole -DISG_MUTANT="$1" -DISG_WERROR=OFF -DISG_TREE_CHECKS=OFF &&
            cmake --build $whole --parallel "$jobs"
    } >"$log" 2>&1 </dev/null || {
        REPLY=crashed
        return
    }
    for source in tests/unit/*/test_*.c; do
        test=$(basename "$source" .c)
        run_test "$whole/tests/$test"
        [[ $REPLY == passed || $REPLY == crashed ]] || REPLY="$test: $REPLY (not in the table)"
        [[ $REPLY == passed ]] || return
    done
}

find_killer() { # name
    local test
    if [[ $all_compile == no ]] && ! compile "mutant_$1"; then
        REPLY="NOT KILLED: does not compile"
        return
    fi
    for test in ${tests[$1]}; do
        run_test "$build/tests/mutants/$1/$test"
        case $REPLY in
        passed) continue ;;
        crashed) REPLY="NOT KILLED: $test crashed" ;;
        *) REPLY="$test: $REPLY" ;;
        esac
        return
    done
    run_all "$1"
    case $REPLY in
    passed) REPLY="NOT KILLED: all unit tests pass" ;;
    crashed) REPLY="NOT KILLED: its build or a test crashed" ;;
    esac
}

compile build.ninja || die "$build cannot be configured: $(tail -n 3 "$log")"
declare -A tests
names=()
while IFS='|' read -r name list _; do
    tests[$name]=$list
    [[ $name == control ]] || names+=("$name")
done <"$build/tests/mutants/list.txt"
[[ $# -eq 0 ]] || names=("$@")
[[ ${#names[@]} -gt 0 ]] || die "there are no mutants"
for name in "${names[@]}"; do
    [[ -n ${tests[$name]:-} ]] || die "$name: is not in the table"
done

# ---- without an error, and with none but in a comment ---------------------------------------------
sound=()
for name in control "${names[@]}"; do
    for test in ${tests[$name]}; do
        [[ " ${sound[*]} " == *" $test "* ]] || sound+=("$test")
    done
done
compile "${sound[@]}" || die "the tests do not compile: $(tail -n 20 "$log")"
for test in "${sound[@]}"; do
    run_test "$build/tests/$test"
    [[ $REPLY == passed ]] || die "$test: $REPLY, without any mutant"
done
echo "without a mutant, ${#sound[@]} of ${#sound[@]} test programs pass"
compile mutant_control || die "the control does not compile: $(tail -n 20 "$log")"
for test in ${tests[control]}; do
    run_test "$build/tests/mutants/control/$test"
    [[ $REPLY == passed ]] || die "$test: $REPLY, although only a comment differs"
done

# ---- one after the other -----------------------------------------------------------------------------
compile "${names[@]/#/mutant_}" && all_compile=yes || all_compile=no
killed=0
for name in "${names[@]}"; do
    begun=$EPOCHREALTIME
    find_killer "$name"
    [[ $REPLY == "NOT KILLED"* ]] || killed=$((killed + 1))
    printf '%s | %s | %.1f\n' "$name" "$REPLY" "$(awk "BEGIN { print $EPOCHREALTIME - $begun }")"
done
echo "$killed of ${#names[@]} killed"
[[ $killed -eq ${#names[@]} ]]
