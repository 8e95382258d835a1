#!/usr/bin/env bash
# demo.sh - MNIST as spins, its ten patterns, their Hopfield network as an RBM, trained and scored
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
tools/deps.sh --data
mkdir -p build/demo

run() {
    printf '\n$ isinglass %s\n' "$*"
    build/isinglass "$@"
}
run data get mnist
run patterns mnist:train -o build/demo/patterns.npz --force
run map build/demo/patterns.npz -o build/demo/model.npz --picture build/demo/mapping.png --force
run verify build/demo/patterns.npz
run data info mnist:train --sheet build/demo/digits.png --force
run train mnist:train -o build/demo/run --epochs 2 --score-every 1 --picture build/demo/trained.png --force
run score build/demo/run/model.npz mnist:train mnist:test
run sample build/demo/run/model.npz -o build/demo/samples.png --start mnist:test --force
cat <<END

Ten binarized digits of each class:                  $PWD/build/demo/digits.png
The ten patterns, and the columns of W below them:   $PWD/build/demo/mapping.png
The same after two epochs of training:               $PWD/build/demo/trained.png
Samples of it, from test images of one digit a row:  $PWD/build/demo/samples.png
END
