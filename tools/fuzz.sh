#!/usr/bin/env bash
# fuzz.sh - lets libFuzzer attack the readers: every target, or those named
#
# SPDX-License-Identifier: MIT
#
#   FUZZ_SECONDS=60 tools/fuzz.sh [fuzz_npy ...]
#
# tests/fuzz/seeds.sh DIRECTORY, if there is one, fills DIRECTORY/fuzz_NAME/ with seeds; what
# libFuzzer adds is kept in build/fuzz/corpus and used again. An input that crashes, leaks, takes
# 10 s or 512 MiB is kept in build/fuzz/findings, and makes the exit status 1.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly SECONDS_EACH=${FUZZ_SECONDS:-60}
root=$PWD/build/fuzz

mkdir -p "$root"
if ! { cmake --preset fuzz && cmake --build build/fuzz --parallel "$(nproc)"; } \
    >"$root/build.log" 2>&1; then
    cat "$root/build.log"
    exit 1
fi
if [[ -f tests/fuzz/seeds.sh ]]; then
    bash tests/fuzz/seeds.sh "$root/seeds"
fi

targets=("$@")
if [[ $# -eq 0 ]]; then
    for source in tests/fuzz/fuzz_*.c; do
        [[ ! -e $source ]] || targets+=("$(basename "$source" .c)")
    done
fi

# Prints one line: target, executions, executions per second, seeds, inputs kept, verdict.
fuzz() { # target
    local log=$root/$1.log verdict=ok number
    mkdir -p "$root/seeds/$1" "$root/corpus/$1" "$root/findings"
    "$root/tests/fuzz/$1" "$root/corpus/$1" "$root/seeds/$1" -max_total_time="$SECONDS_EACH" \
        -timeout=10 -rss_limit_mb=512 -max_len=65536 -use_value_profile=1 -print_final_stats=1 \
        -artifact_prefix="$root/findings/$1-" >"$log" 2>&1 </dev/null || verdict=FINDING
    number=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '%-24s %12s %10s/s %6s seeds %6s kept  %s\n' "$1" "${number:-?}" \
        "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
        "$(find "$root/seeds/$1" -type f | wc -l)" "$(find "$root/corpus/$1" -type f | wc -l)" \
        "$verdict"
    if [[ $verdict != ok ]]; then
        grep -vE '^#[0-9]' "$log" | tail -n 60
        return 1
    fi
}

# As many at a time as there are cores; each line comes out whole when its target is done.
status=0
running=0
for target in "${targets[@]}"; do
    if [[ $running -ge $(nproc) ]]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz "$target" &
    running=$((running + 1))
done
while [[ $running -gt 0 ]]; do
    wait -n || status=1
    running=$((running - 1))
done
exit $status
