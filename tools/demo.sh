#!/usr/bin/env bash
# demo.sh - every figure of the paper, computed from MNIST in minutes, its claims, and a report
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
tools/deps.sh --data --figures

run() {
    printf '\n$ isinglass %s\n' "$*"
    build/isinglass "$@"
}
run data get mnist
# Reuses the results of an earlier demo, unless they are from another version (exit code 7).
status=0
run reproduce --scale quick -o build/demo || status=$?
if [[ $status -eq 7 ]]; then
    run reproduce --scale quick -o build/demo --force
elif [[ $status -ne 0 ]]; then
    exit "$status"
fi
printf '\nOpen this in a browser: %s\n' "$PWD/build/demo/quick/report.html"
