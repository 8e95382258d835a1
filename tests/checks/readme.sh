#!/usr/bin/env bash
# readme.sh - the commands of the README's tour work as they stand there
#
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
rm -rf "${SCRATCH:?}"/* && mkdir -p "$SCRATCH/build" && cd "$SCRATCH"
ln -s "$ISINGLASS" build/isinglass
printf 'party,q1,q2\nleft,1,0\nright,0,1\n' >votes.csv

commands=0
while IFS= read -r line; do
    echo "\$ $line"
    bash -euc "$line" </dev/null
    commands=$((commands + 1))
done < <(sed -n '/^## A tour/,/^## /s|^    \(build/isinglass .*\)|\1|p' "$SOURCE/README.md")
[[ $commands -ge 7 ]] || { echo "only $commands commands found"; exit 1; }
[[ -s sevens.png && -s map.png && -s samples.png ]]
