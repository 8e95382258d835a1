#!/usr/bin/env bash
# readme.sh - the README's commands work as printed, and print what it says; its C program compiles
#
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
: "${BUILD:?}" "${CC:?}"
rm -rf "${SCRATCH:?}"/* && mkdir -p "$SCRATCH/build" && cd "$SCRATCH"
ln -s "$ISINGLASS" build/isinglass
export PATH=$SCRATCH/build:$PATH
printf 'party,q1,q2\nleft,1,0\nright,0,1\n' >votes.csv

die() {
    echo "$*"
    exit 1
}

# "    $ command", and below it lines of its output.
commands=0 lines=0
while IFS= read -r line; do
    if [[ $line == '    $ '* ]]; then
        line=${line#    \$ }
        echo "\$ $line"
        bash -euc "$line" </dev/null >out.txt
        commands=$((commands + 1))
    else
        grep -qxF -e "${line#    }" out.txt || die "not among what it printed: ${line#    }"
        lines=$((lines + 1))
    fi
done < <(sed -n '/^    \$ /,/^$/{/^$/d;p}' "$SOURCE/README.md")
[[ $commands -ge 5 && $lines -ge 5 ]] || die "only $commands commands with $lines lines found"

# shellcheck disable=SC2016 # the backquotes are Markdown's
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$SOURCE/README.md" >program.c
expected=$(sed -n 's|.*printf(.*/\* \(.*\) \*/$|\1|p' program.c)
"$CC" -std=c11 -Wall -Werror -I"$SOURCE/include" program.c -L"$BUILD" -lisinglass -Wl,-rpath,"$BUILD" -o program
[[ $(./program) == "$expected" ]] || die "the C program says '$(./program)', expected '$expected'"

commands=0
while IFS= read -r line; do
    echo "\$ $line"
    bash -euc "$line --force" </dev/null
    commands=$((commands + 1))
done < <(sed -n '/^## A tour/,/^## /s|^    \(build/isinglass [^#]*[^# ]\) *#.*|\1|p' "$SOURCE/README.md")
[[ $commands -ge 7 ]] || die "only $commands commands found"
[[ -s sevens.png && -s map.png && -s samples.png ]]
