#!/usr/bin/env bash
# fuzz.sh - lets libFuzzer attack the readers: every target, or those named
#
# SPDX-License-Identifier: MIT
#
#   FUZZ_SECONDS=30 tools/fuzz.sh [--fast] [fuzz_npy ...]
#   tools/fuzz.sh --table
#
# Under AddressSanitizer and UBSan; with --fast under UBSan alone, and the library's memory between
# guards (tests/fuzz/target.c), for more executions. Both share a corpus, so inputs found by --fast
# run under AddressSanitizer the next time.
#
# An input that crashes, leaks, breaks a promise of its target, takes 10 s or 512 MiB is kept in
# build/fuzz/findings, and the exit status is 1. build/fuzz/corpus has the inputs that libFuzzer
# kept, build/fuzz/ledger.csv one line per target and call; --table summarizes it.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly SECONDS_EACH=${FUZZ_SECONDS:-30}
root=$PWD/build/fuzz
ledger=$root/ledger.csv

# Executions, edges, share of inputs that passed the first check and of those accepted whole.
print_table() {
    echo "| target | executions | edges | past the first check | accepted | findings |"
    echo "|---|---:|---:|---:|---:|---:|"
    awk -F, 'function share(part, all) { return all ? sprintf("%.1f %%", 100 * part / all) : "-" }
        NR > 1 {
            names[$3]; runs[$3] += $4; if ($6 > edges[$3]) edges[$3] = $6
            all[$3] += $7 + $8 + $9; begun[$3] += $8 + $9; accepted[$3] += $9
            findings[$3] += $10 != "ok"; total += $4; found += $10 != "ok"
        }
        END {
            for (name in names)
                printf "| %s | %d | %d | %s | %s | %d |\n", name, runs[name], edges[name],
                    share(begun[name], all[name]), share(accepted[name], all[name]), findings[name] | "sort"
            close("sort")
            printf "| **all** | **%d** | | | | **%d** |\n", total, found
        }' "$ledger"
}

preset=fuzz
speed=()
if [[ ${1-} == --table ]]; then
    print_table
    exit
elif [[ ${1-} == --fast ]]; then
    preset=fuzz-fast
    speed=(-entropic=0)
    shift
fi
build=$PWD/build/$preset

mkdir -p "$root" "$build"
if ! { cmake --preset $preset && nice cmake --build "build/$preset" --target fuzzers \
    --parallel "${FUZZ_JOBS:-$(nproc)}"; } >"$build/build.log" 2>&1; then
    cat "$build/build.log"
    exit 1
fi
bash tests/fuzz/seeds.sh "$root/seeds" "$build/tests/fuzz/make_seeds"
[[ -f $ledger ]] ||
    echo "date,build,target,executions,seconds,edges,refused,begun,accepted,verdict" >"$ledger"
export OMP_NUM_THREADS=1 ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=6

targets=("$@")
if [[ $# -eq 0 ]]; then
    for source in tests/fuzz/fuzz_*.c; do
        targets+=("$(basename "$source" .c)")
    done
fi

# All that a format can do shows in inputs of this size; larger ones are only slower.
most_bytes() { # target
    case $1 in
    fuzz_cli_numbers | fuzz_cli_pieces) echo 128 ;;
    fuzz_idx) echo 256 ;;
    fuzz_cells | fuzz_cli_options | fuzz_json | fuzz_matrix_market | fuzz_npy) echo 512 ;;
    fuzz_csv | fuzz_cli_settings | fuzz_cli_report) echo 1024 ;;
    fuzz_dataset | fuzz_labels | fuzz_npz) echo 2048 ;;
    *) echo 4096 ;;
    esac
}

# The result of a run: a statistic, the last number after a word, or how far inputs got.
told() { # target pattern
    sed -n "s/$2/\1/p" "$root/$1.log" | tail -n 1
}

# Reduces the corpus to the inputs needed for its coverage.
shrink() { # target
    local corpus=$root/corpus/$1
    [[ $(find "$corpus" -type f | wc -l) -gt 2000 ]] || return 0
    rm -rf "$corpus.less"
    mkdir "$corpus.less"
    "$build/tests/fuzz/$1" -merge=1 "$corpus.less" "$corpus" >"$root/$1-merge.log" 2>&1 </dev/null ||
        return 0
    rm -rf "$corpus"
    mv "$corpus.less" "$corpus"
}

# Prints one line: target, executions, executions per second, seeds, inputs kept, verdict.
fuzz() { # target
    local verdict=ok number words=()
    mkdir -p "$root/corpus/$1" "$root/findings"
    [[ ! -f $root/seeds/$1.dict ]] || words=("-dict=$root/seeds/$1.dict")
    "$build/tests/fuzz/$1" "$root/corpus/$1" "$root/seeds/$1" "${words[@]}" \
        -max_total_time="$SECONDS_EACH" -timeout=10 -rss_limit_mb=512 \
        -max_len="$(most_bytes "$1")" -mutate_depth=3 "${speed[@]}" -print_final_stats=1 \
        -artifact_prefix="$root/findings/$1-" >"$root/$1.log" 2>&1 </dev/null || verdict=FINDING
    number=$(told "$1" '^stat::number_of_executed_units: *\([0-9]*\)$')
    printf '%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n' "$(date -u +%FT%TZ)" "$preset" "$1" "${number:-0}" \
        "$SECONDS_EACH" "$(told "$1" '.* cov: \([0-9]*\) .*')" \
        "$(told "$1" '^depth: refused \([0-9]*\) .*')" \
        "$(told "$1" '^depth: .* begun \([0-9]*\) .*')" \
        "$(told "$1" '^depth: .* accepted \([0-9]*\)$')" "$verdict" >>"$ledger"
    shrink "$1"
    printf '%-24s %12s %10s/s %6s seeds %6s kept  %s\n' "$1" "${number:-?}" \
        "$(told "$1" '^stat::average_exec_per_sec: *\([0-9]*\)$')" \
        "$(find "$root/seeds/$1" -type f | wc -l)" "$(find "$root/corpus/$1" -type f | wc -l)" \
        "$verdict"
    if [[ $verdict != ok ]]; then
        grep -vE '^#[0-9]' "$root/$1.log" | tail -n 60
        return 1
    fi
}

# One target per core at a time; each prints its line when it is done.
status=0
running=0
for target in "${targets[@]}"; do
    if [[ $running -ge ${FUZZ_JOBS:-$(nproc)} ]]; then
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
awk -F, 'NR > 1 { total += $4 } END { printf "%d executions in all calls\n", total }' "$ledger"
exit $status
