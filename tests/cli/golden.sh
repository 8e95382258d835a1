#!/usr/bin/env bash
# golden.sh - run one case of the command line and compare what it prints with what it must print
# SPDX-License-Identifier: MIT
#
#     bash tests/cli/golden.sh [--update] CASE.sh
#
# tests the program $ISINGLASS [build/isinglass] of the source tree $SOURCE [the one this file is
# in], in the directory $SCRATCH [a temporary one].
#
# A case is a bash script. Beside it CASE.out, CASE.err and CASE.exit hold the expected standard
# output, standard error (both empty if there is no such file) and exit code (0). In the first two,
# {*} stands for any text within a line. --update rewrites those that differ; what had {*} in it
# must be masked again by hand. Numbers with more than ten decimals, which --json prints, are compared,
# and kept, with ten digits: rounding may change the others. That results are the same to the last bit
# is for tests/checks/one_answer.sh to see.
#
# A case runs in an empty directory of its own, finds the program as `isinglass` in its PATH and,
# besides bash, has
#     try ARGUMENTS...    run the program and print the command, its standard output, its standard
#                         error with "! " in front of each line, and its exit code if not 0
set -u

update=0
[[ ${1-} == --update ]] && update=1 && shift
if [[ $# -ne 1 || ! -f $1 ]]; then
    echo "usage: golden.sh [--update] CASE.sh" >&2
    exit 2
fi
case=$(realpath "$1")
base=${case%.sh}
SOURCE=$(realpath "${SOURCE:-$(dirname "$0")/../..}")
ISINGLASS=$(realpath "${ISINGLASS:-$SOURCE/build/isinglass}")
if [[ -z ${SCRATCH-} ]]; then
    SCRATCH=$(mktemp -d)
    trap 'rm -rf "$SCRATCH"' EXIT
fi
scratch=$(realpath "$SCRATCH")/golden
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/work"
ln -s "$ISINGLASS" "$scratch/bin/isinglass"

# The same surroundings for everyone. A finding of a sanitizer gets a code of its own.
unset ISINGLASS_DATA ISINGLASS_FAIL_ALLOCATION XDG_DATA_HOME OMP_NUM_THREADS NO_COLOR
export HOME=/nowhere LC_ALL=C TERM=dumb PATH=$scratch/bin:$PATH
export SANITIZE=${SANITIZE-} SOURCE scratch
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

# shellcheck disable=SC2317 # called by the cases
try() {
    local code=0 out=$scratch/try.out err=$scratch/try.err
    printf '$ isinglass'
    [[ $# -eq 0 ]] || printf ' %q' "$@"
    echo
    isinglass "$@" >"$out" 2>"$err" </dev/null || code=$?
    cat "$out"
    sed 's/^/! /; s/^! $/!/' "$err"
    [[ $code -eq 0 ]] || echo "= $code"
}
export -f try

code=0
(cd "$scratch/work" && bash -u "$case") >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
echo "$code" >"$scratch/exit"

# 6.0000000000000027 is 6.0, and 1.5e-15, if it has all its digits, 0.0.
rounded() {
    /usr/bin/python3 -c '
import re, sys
def ten(number):
    value = float(number[0])
    return repr(float("%.10g" % value) if abs(value) > 1e-13 else 0.0).encode()
sys.stdout.buffer.write(re.sub(rb"-?\d+\.\d{11,}(e[-+]\d+)?", ten, sys.stdin.buffer.read()))'
}

# Whether the line $2 is what $1 asks for.
matches() {
    [[ $1 == "$2" ]] && return 0
    [[ $1 == *'{*}'* ]] || return 1
    local mask=$'\001' pattern=$1
    pattern=${pattern//'{*}'/$mask}
    pattern=${pattern//\\/\\\\}
    pattern=${pattern//'*'/\\*}
    pattern=${pattern//'?'/\\?}
    pattern=${pattern//'['/\\[}
    pattern=${pattern//$mask/*}
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $2 == $pattern ]]
}

same_file() { # EXPECTED ACTUAL
    local -a expected actual
    mapfile expected <"$1"
    mapfile actual <"$2"
    [[ ${#expected[@]} -eq ${#actual[@]} ]] || return 1
    local i
    for ((i = 0; i < ${#expected[@]}; i++)); do
        matches "${expected[i]}" "${actual[i]}" || return 1
    done
}

# EXPECTED, but lines that were found as ACTUAL has them, so that a diff shows only what is wrong.
unmasked() {
    local -a expected actual
    mapfile expected <"$1"
    mapfile actual <"$2"
    local i=0 j line
    for line in "${expected[@]}"; do
        for ((j = i; j < ${#actual[@]} && j < i + 50; j++)); do
            matches "$line" "${actual[j]}" && line=${actual[j]} && i=$((j + 1)) && break
        done
        printf '%s' "$line"
    done
}

failed=0
for kind in out err exit; do
    wanted=$base.$kind
    if [[ ! -f $wanted ]]; then
        wanted=$scratch/wanted.$kind
        if [[ $kind == exit ]]; then echo 0; fi >"$wanted"
    fi
    rounded <"$wanted" >"$scratch/expected.$kind"
    rounded <"$scratch/$kind" >"$scratch/found.$kind"
    wanted=$scratch/expected.$kind
    same_file "$wanted" "$scratch/found.$kind" && continue
    if [[ $update -eq 1 ]]; then
        cp "$scratch/found.$kind" "$base.$kind"
        echo "updated $base.$kind"
    else
        unmasked "$wanted" "$scratch/found.$kind" |
            diff -u --label "expected $kind" --label "found $kind" - "$scratch/found.$kind"
        failed=1
    fi
done
exit $failed
