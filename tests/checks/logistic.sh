#!/usr/bin/env bash
# logistic.sh - logistic regression on digits: both methods, one minimum, whatever the threads
#
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/common/compile.sh"
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "${SCRATCH:?}"
compile_check logistic/digits_logistic.c logistic
./logistic "$ISINGLASS_DATA"/mnist/train-{images-idx3,labels-idx1}-ubyte | tee found
awk '$1 == "difference" { lines++; if (!($2 < 1e-6)) bad = 1; next }
     { lines++
       if ($2 != "converged" || !($4 < 2e-10) || !($6 > 0.02 && $6 < 0.2) || $8 != "same") bad = 1 }
     END { exit bad || lines != 3 }' found
