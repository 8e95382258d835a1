# count.sh - builds presets, runs ctest and counts what passed; sourced by test.sh, check_long.sh
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
passed=0
failed=0
jobs=$(nproc)
export OMP_WAIT_POLICY=passive # tests run side by side; a waiting thread must not hold a core

count_failure() { # what
    echo "FAILED: $1"
    failed=$((failed + 1))
}

# Runs a command as one test; its output is shown only if it fails.
count_command() { # name, command...
    local name=$1 log start=$SECONDS
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "passed: $name ($((SECONDS - start)) s)"
    else
        cat "$log"
        count_failure "$name"
    fi
    rm -f "$log"
}

# Runs a function with each of the items as one test, as many at a time as there are cores.
count_parallel() { # name, function, items...
    local name=$1 function=$2 item results
    shift 2
    results=$(mktemp -d)
    export -f "${function?}"
    # shellcheck disable=SC2016 # for the shell that xargs starts
    printf '%s\n' "$@" | xargs -P "$jobs" -I '{}' bash -c '
        if "$1" "$2" >"$3/$2.log" 2>&1 </dev/null; then
            touch "$3/$2.passed"
            echo "passed: $0 $2 ($SECONDS s)"
        fi' "$name" "$function" '{}' "$results"
    for item in "$@"; do
        if [[ -e $results/$item.passed ]]; then
            passed=$((passed + 1))
        else
            cat "$results/$item.log"
            count_failure "$name $item"
        fi
    done
    rm -rf "$results"
}

# Runs a script whose last line is "N passed, M failed", and adds its counts.
count_script() { # script, log, arguments...
    local counts script=$1 log=$2
    shift 2
    "$script" "$@" 2>&1 </dev/null | tee "$log"
    counts=$(tail -n 1 "$log")
    if [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        count_failure "$script broke off"
    fi
}

build_preset() { # preset, options of cmake --build...
    local preset=$1 log=build/$1.log start=$SECONDS
    shift
    mkdir -p build
    echo "building build/$preset"
    if cmake --preset "$preset" >"$log" 2>&1 </dev/null &&
        cmake --build "build/$preset" --parallel "$jobs" "$@" >>"$log" 2>&1 </dev/null; then
        echo "built build/$preset ($((SECONDS - start)) s)"
    else
        grep -v '^\[[0-9]*/[0-9]*\] [A-Z]' "$log" # what went wrong, without what went well
        count_failure "building build/$preset"
        return 1
    fi
}

# Reads the counts from ctest's report, and rejects counts that do not add up.
# LLVM's OpenMP keeps a file for every process id, and hangs if a killed process, as in some tests, left a
# file with the same id.
forget_killed_processes() {
    local file pid
    for file in /dev/shm/__KMP_REGISTERED_LIB_*_"$(id -u)"; do
        pid=${file#*_LIB_}
        [[ -d /proc/${pid%_*} ]] || rm -f "$file"
    done
}

run_ctest() { # preset, ctest options...
    local preset=$1 report=$PWD/build/$1/junit.xml log=build/$1/ctest.log start=$SECONDS
    local expected ran bad
    shift
    echo "testing build/$preset"
    forget_killed_processes
    expected=$(ctest --test-dir "build/$preset" -N "$@" 2>/dev/null </dev/null |
        sed -n 's/^Total Tests: //p')
    rm -f "$report"
    ctest --test-dir "build/$preset" -j "$jobs" --timeout 300 --no-tests=error --output-on-failure \
        --output-junit "$report" "$@" >"$log" 2>&1 </dev/null
    local status=$?
    ran=$(grep -c '<testcase .*status="run"' "$report" 2>/dev/null)
    ran=${ran:-0}
    bad=$((${expected:-0} - ran))
    if [[ $bad -lt 0 || ($bad -eq 0 && $status -ne 0) || ${expected:-0} -eq 0 ]]; then
        bad=1
    fi
    passed=$((passed + ran))
    failed=$((failed + bad))
    [[ $bad -eq 0 ]] || sed -n '/^test [0-9]/!p' "$log"
    echo "tested build/$preset: $ran of ${expected:-0} passed ($((SECONDS - start)) s)"
}

print_counts() {
    echo "$passed passed, $failed failed"
    [[ $failed -eq 0 && $passed -gt 0 ]]
}
