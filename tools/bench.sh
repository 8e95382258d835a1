#!/usr/bin/env bash
# bench.sh - every benchmark in bench/, one after the other, on an otherwise idle machine
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
tools/deps.sh --test --data
[[ ! -e ../shared/peers/peers.py ]] || tools/deps.sh --peers
for benchmark in bench/*.sh; do
    echo "== $benchmark"
    bash "$benchmark"
done
