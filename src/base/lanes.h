/* lanes.h - many lambda side by side, in vectors available on every machine
 *
 * SPDX-License-Identifier: MIT
 *
 * A block of them is (p, ISG_LANES), one lane each, so no sum depends on the width of the machine's
 * vectors.
 */
#ifndef ISG_LANES_H
#define ISG_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ISG_LANES = 16, ISG_PAIRS = ISG_LANES / 2 };

typedef double isg_pair __attribute__((vector_size(16)));
typedef int64_t isg_whole_pair __attribute__((vector_size(16)));

static inline isg_pair isg_spread(double x) {
    return x - (isg_pair){0};
}

static inline void isg_load_lanes(isg_pair out[ISG_PAIRS], const double *lanes) {
    memcpy(out, lanes, ISG_LANES * sizeof *lanes);
}

static inline void isg_store_lanes(double *lanes, const isg_pair from[ISG_PAIRS]) {
    memcpy(lanes, from, ISG_LANES * sizeof *lanes);
}

/* sums += factor * lanes */
static inline void isg_add_lanes(isg_pair sums[ISG_PAIRS], double factor, const double *lanes) {
    isg_pair x[ISG_PAIRS];
    isg_load_lanes(x, lanes);
#pragma GCC unroll 8
    for (size_t q = 0; q < ISG_PAIRS; q++)
        sums[q] += factor * x[q];
}

#endif
