#!/bin/bash
# elementary.sh - nanoseconds per call of our elementary functions and of libm's
#
# SPDX-License-Identifier: MIT
#
#   [CC=COMPILER] bench/elementary.sh
#
# Random arguments, in 41 alternating rounds of 200000 calls each; the ratio is the median of those of the
# rounds. "Alone": calls that do not wait for each other. "Chained": each waits for the one before.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/speed.c" <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/elementary.h"
#include "base/special.h"

enum { COUNT = 4096, REPEATS = 50, ROUNDS = 41 };
typedef double function(double);
static double x[COUNT];
volatile double sink;

static double seconds(void) { /* of the processor: the machine may be busy */
    return (double)clock() / CLOCKS_PER_SEC;
}

static double libm_log_cosh(double y) {
    const double size = fabs(y), half = sinh(size / 2);
    return size < 1 ? log1p(2 * half * half) : size + (log1p(exp(-2 * size)) - ISG_LN_2);
}

static int ascending(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median(double *of) {
    qsort(of, ROUNDS, sizeof *of, ascending);
    return of[ROUNDS / 2];
}

static double alone_ns(function *f) {
    double sum = 0;
    const double start = seconds();
    for (int r = 0; r < REPEATS; r++)
        for (int k = 0; k < COUNT; k++)
            sum += f(x[k]);
    sink = sum;
    return (seconds() - start) / (1e-9 * REPEATS * COUNT);
}

static double chained_ns(function *f) {
    double y = 0;
    const double start = seconds();
    for (int r = 0; r < REPEATS; r++)
        for (int k = 0; k < COUNT; k++)
            y = f(x[k] + y * 1e-200);
    sink = y;
    return (seconds() - start) / (1e-9 * REPEATS * COUNT);
}

static void compare(const char *name, function *ours, function *theirs, double from, double to) {
    double time[4][ROUNDS], ratio[2][ROUNDS];
    for (int k = 0; k < COUNT; k++)
        x[k] = from + (to - from) * rand() / RAND_MAX;
    for (int r = 0; r < ROUNDS; r++) {
        time[0][r] = alone_ns(ours), time[1][r] = alone_ns(theirs);
        time[2][r] = chained_ns(ours), time[3][r] = chained_ns(theirs);
        ratio[0][r] = time[0][r] / time[1][r], ratio[1][r] = time[2][r] / time[3][r];
    }
    printf("%-9s [%4g, %3g]  %6.1f %6.1f %6.2f  %6.1f %6.1f %6.2f\n", name, from, to, median(time[0]),
           median(time[1]), median(ratio[0]), median(time[2]), median(time[3]), median(ratio[1]));
}

int main(void) {
    puts("                         alone: ns, libm, ratio  chained: ns, libm, ratio");
    compare("exp", isg_exp, exp, -20, 20);
    compare("log", isg_log, log, 0.01, 100);
    compare("log", isg_log, log, 0.9, 1.1);
    compare("log1p", isg_log1p, log1p, 0, 1);
    compare("expm1", isg_expm1, expm1, -2, 2);
    compare("tanh", isg_tanh, tanh, -3, 3);
    compare("log_cosh", isg_log_cosh, libm_log_cosh, -3, 3);
    compare("cos", isg_cos, cos, -10, 10);
    return 0;
}
C
"${CC:-cc}" -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc "$scratch/speed.c" \
    src/base/elementary.c src/base/special.c -lm -o "$scratch/speed"
"$scratch/speed"
