#!/bin/bash
# All figures of the paper at tiny scale, computed once for claims.sh, report.sh and reproduce.sh, which
# copy from here: some/ has fig3 and figD2, whole/ all figures; beside them is what the calls printed.
set -eu
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "$SCRATCH"
rm -rf ./*

reproduce() { # name of the output, arguments
    "$ISINGLASS" reproduce --scale tiny --quiet --json -o whole "${@:2}" >"$1.json" 2>"$1.err" ||
        { cat "$1.err" >&2 && exit 1; }
    [[ ! -s $1.err ]]
}
reproduce some fig3 figD2
cp -a whole some
reproduce whole
