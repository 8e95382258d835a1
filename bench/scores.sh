#!/bin/bash
# scores.sh - log-likelihoods of MNIST: every start before any training, and against temperature
#
# SPDX-License-Identifier: MIT
#
#   bench/scores.sh [BUILD-DIRECTORY [OUTPUT-DIRECTORY]]
#
# Scores six starts with 10 and 50 hidden units, and Hopfield networks of 1, 5 and 10 patterns per
# class at 20 values of beta (Fig. 2 of the paper), with a picture of each curve. About ten minutes on
# two cores; the output directory is kept if it is named.
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build}")/isinglass
if (($# > 1)); then
    mkdir -p "$2"
    out=$(realpath "$2")
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
quiet=(--quiet --force)

echo "L before training, beta = 2"
for k in 1 5; do
    for start in hopfield pca hebbian "normal 0.1" "normal 0.01" "normal 0.0357142857142857"; do
        read -r name sd <<<"$start"
        case $name in
        hopfield | hebbian) options=(--per-class "$k") ;;
        pca) options=(--hidden $((10 * k))) ;;
        normal) options=(--hidden $((10 * k)) --sd "$sd") ;;
        esac
        "$program" train mnist:train -o "$out/start" --init "$name" "${options[@]}" --epochs 0 "${quiet[@]}" \
            >/dev/null
        echo
        echo "p = $((10 * k)), $start"
        "$program" score "$out/start" mnist:train mnist:test --quiet |
            grep -E '^(ln Z|method|error|beware|time|mnist)'
    done
done

for k in 1 5 10; do
    echo
    echo "$k patterns per class"
    "$program" patterns mnist:train --per-class "$k" -o "$out/patterns.npz" "${quiet[@]}" >/dev/null
    "$program" map "$out/patterns.npz" -o "$out/model.npz" "${quiet[@]}" >/dev/null
    "$program" score "$out/model.npz" mnist:train mnist:test --betas 0.5:10:20 \
        --picture "$out/curve-$k.png" "${quiet[@]}"
done
