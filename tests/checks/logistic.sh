#!/usr/bin/env bash
# logistic.sh - logistic regression on digits: both methods, one minimum, whatever the threads
#
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${ISINGLASS_DATA:?must name a data directory with MNIST, see CONTRIBUTING.md}"
cd "${SCRATCH:?}"
instrumentation=()
[[ -z ${SANITIZE:-} ]] || instrumentation=("-fsanitize=$SANITIZE")
# A library instrumented for coverage needs its runtime.
if nm "$BUILD/libisinglass.a" 2>/dev/null | grep -c __gcov >/dev/null; then
    instrumentation+=(--coverage)
fi
read -ra libraries <<<"$(pkg-config --libs openblas zlib libpng jansson liblbfgs)"
"$CC" -std=c11 -O1 "${instrumentation[@]}" -I"$SOURCE/include" \
    "$SOURCE/tests/checks/logistic/digits_logistic.c" "$BUILD/libisinglass.a" "${libraries[@]}" \
    -fopenmp -lm -o logistic
./logistic "$ISINGLASS_DATA"/mnist/train-{images-idx3,labels-idx1}-ubyte | tee found
awk '$1 == "difference" { lines++; if (!($2 < 1e-6)) bad = 1; next }
     { lines++
       if ($2 != "converged" || !($4 < 2e-10) || !($6 > 0.02 && $6 < 0.2) || $8 != "same") bad = 1 }
     END { exit bad || lines != 3 }' found
