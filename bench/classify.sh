#!/bin/bash
# classify.sh - errors of products of experts by start, size and epochs, on MNIST and Fashion-MNIST
#
# SPDX-License-Identifier: MIT
#
#   bench/classify.sh [BUILD-DIRECTORY [RESULTS [PROCESSES [THREADS]]]]
#
# One run for every start and number K of hidden units per expert: MNIST with 50 epochs, tested after 0, 1,
# 5, 10 and 50, Fashion-MNIST with 10; and two more seeds of the best, for which the paper gives the mean of
# three runs. RESULTS keeps the answer of every run, so that those that are there already are not done
# again; without it they go to a temporary directory. Prints tables: test error in %, and seconds of
# training until then. Fails if an error without training is larger than it must be.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
results=${2:-}
processes=${3:-1}
threads=${4:-$(nproc)}
if [[ -z $results ]]; then
    results=$(mktemp -d)
    trap 'rm -rf "$results"' EXIT
fi
mkdir -p "$results"
for data in mnist fashion; do
    "$build/isinglass" data get $data >/dev/null
done

cell() { # data, start, K, epochs, points, seed
    local file="$results/$1-$2-$3${6:+-$6}.json"
    [[ -s $file ]] || "$build/isinglass" classify "$1:train" "$1:test" --init "$2" --per-class "$3" \
        --epochs "$4" --error-at "$5" --seed "${6:-1}" --threads "$threads" --quiet --json >"$file.part"
    [[ -s $file ]] || mv "$file.part" "$file"
}
export -f cell
export build results threads

cells() { # the long ones last
    local start k
    for k in 10 20; do
        for start in hopfield normal pca hebbian; do
            echo "mnist $start $k 50 0,1,5,10"
        done
    done
    for k in 10 100; do
        for start in hopfield normal pca hebbian; do
            echo "fashion $start $k 10 0"
        done
    done
    for start in hopfield normal pca hebbian; do
        echo "mnist $start 100 50 0,1,5,10"
    done
    for k in 2 3; do
        echo "mnist hopfield 100 50 0,10,20,30 $k"
    done
}
# shellcheck disable=SC2016 # expanded by the shell that xargs starts
cells | xargs -P "$processes" -L 1 bash -euc 'cell "$@"' cell

/usr/bin/python3 - "$results" <<'PYTHON'
import json, os, sys
results = sys.argv[1]
starts = ["hopfield", "hebbian", "pca", "normal"]
def points(data, start, k):
    with open(os.path.join(results, f"{data}-{start}-{k}.json")) as file:
        run = json.load(file)
    assert all(p["converged"] for p in run["errors_at"])
    return {p["epochs"]: (100 * p["test_error"], p["seconds"]) for p in run["errors_at"]}
def table(title, data, sizes, epochs):
    print(f"\n{title}, test error in % (seconds of training)\n")
    print("| start | K | " + " | ".join(f"{e} epochs" for e in epochs) + " |")
    print("|---" * (2 + len(epochs)) + "|")
    for start in starts:
        for k in sizes:
            row = points(data, start, k)
            print(f"| {start} | {k} | " + " | ".join(f"{row[e][0]:.2f} ({row[e][1]:.0f})" for e in epochs) + " |")
table("MNIST", "mnist", [10, 20, 100], [0, 1, 5, 10, 50])
table("Fashion-MNIST", "fashion", [10, 100], [0, 10])
for k, bound in (10, 6.95), (100, 4.45):
    error = points("mnist", "hopfield", k)[0][0]
    print(f"\nhopfield, K = {k}, no training: {error:.2f} %, at most {bound} %", end="")
    assert error <= bound
last = [points("mnist", "hopfield", k)[50][0] for k in ("100", "100-2", "100-3")]
mean = sum(last) / 3
print(f"\nhopfield, K = 100, 50 epochs, seeds 1, 2, 3: {last[0]:.2f} {last[1]:.2f} {last[2]:.2f}, mean {mean:.2f} %; 3.1 % is the aim")
PYTHON
