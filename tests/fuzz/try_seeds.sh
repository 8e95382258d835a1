#!/usr/bin/env bash
# try_seeds.sh BUILD - every fuzz target in BUILD with each of its seeds, once
#
# SPDX-License-Identifier: MIT
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bash seeds.sh "$scratch/seeds" "$build/make_seeds"
export OMP_NUM_THREADS=1
status=0
for source in fuzz_*.c; do
    target=${source%.c}
    seeds=("$scratch/seeds/$target"/*)
    if "$build/$target" "${seeds[@]}" >"$scratch/log" 2>&1; then
        echo "$target: ${#seeds[@]} seeds"
    else
        cat "$scratch/log"
        echo "$target: FAILED"
        status=1
    fi
done
exit $status
