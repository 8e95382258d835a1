#!/usr/bin/env bash
# demo.sh - fetches MNIST, says what is in it and draws ten binarized digits of each class
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
tools/deps.sh --data
mkdir -p build/demo

build/isinglass data get mnist
build/isinglass data info mnist:train --sheet build/demo/digits.png --force
echo "Ten binarized digits of each class: $PWD/build/demo/digits.png"
