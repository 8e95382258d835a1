#!/usr/bin/env bash
# demo.sh - MNIST as spins, its ten patterns, and the exact map of their Hopfield network to an RBM
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
cat <<END

Ten binarized digits of each class:                  $PWD/build/demo/digits.png
The ten patterns, and the columns of W below them:   $PWD/build/demo/mapping.png
END
