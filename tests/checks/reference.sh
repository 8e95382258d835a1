#!/usr/bin/env bash
# reference.sh - ln Z of the first class patterns of MNIST, against independently computed values
#
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/common/compile.sh"
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "${SCRATCH:?}"
compile_check reference/reference.c reference
"$ISINGLASS" patterns mnist:train -o patterns.npz --force --quiet >/dev/null
./reference patterns.npz | tee found
cut -d ' ' -f 1-3 found | diff - <(
    cat <<'END'
1 1 545.398979
1 2 546.966375
2 1 800.206611
2 2 800.992295
2 3 801.492277
4 1 1568.959533
4 2 1569.655444
END
)
# The stated error must be small enough for these digits to mean something.
awk '$4 > 1e-7 { print "error too large: " $0; bad = 1 } END { exit bad }' found
