#!/usr/bin/env bash
# mixture.sh - ln Z of the ten class patterns of MNIST by a mixture, against independent values
#
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/common/compile.sh"
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "${SCRATCH:?}"
compile_check mixture/digits_log_z.c mixture
"$ISINGLASS" patterns mnist:train -o patterns.npz --force --quiet >/dev/null
./mixture patterns.npz 2 | tee found
# 803.422 was found with a standard error of 0.003, by another program.
awk '{ off = $2 - 803.422
       if (off < -0.01 || off > 0.01) { print "wrong"; bad = 1 }
       if ($3 > 0.003 || $6 != "yes") { print "not well enough known"; bad = 1 } }
     END { exit bad || NR != 1 }' found

# Where patterns are memories and where they are not, as a curve.
"$ISINGLASS" map patterns.npz -o model.npz --force --quiet >/dev/null
"$ISINGLASS" score model.npz mnist:test --limit 1000 --betas 0.5,1.5,3 --picture curve.png --force \
    --quiet | tee curve
[[ $(head -c 4 curve.png | tail -c 3) == PNG ]]
grep -q '^# mnist:test: best beta 1.5, ' curve
