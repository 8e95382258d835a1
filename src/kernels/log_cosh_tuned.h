/* log_cosh_tuned.h - the kernel log_cosh, for vectors of VECTOR_BYTES
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tuned.h, whose vectors it uses. They run along the lanes. Several units at a time
 * share the loads of delta, as many as the registers hold sums for.
 */
#include "kernels/decay.h"

enum {
    SLICES = ISG_LANES / REALS, /* vectors of one number of all lanes */
    UNITS = VECTOR_BYTES / 16
};

static inline reals decay(reals y) {
    const reals zero = {0}, lowest = isg_decay_lowest - zero;
    reals z = -2 * y;
    const lanes is_low = (lanes)(z < lowest);
    z = (reals)((is_low & (lanes)lowest) | (~is_low & (lanes)z));
    const reals shifted = z * isg_decay_per_ln_2 + isg_decay_magic, k = shifted - isg_decay_magic;
    const reals r = (z - k * isg_decay_ln_2_high) - k * isg_decay_ln_2_low;
    reals sum = isg_decay_terms[0] - zero;
#pragma GCC unroll 13
    for (int term = 1; term < ISG_DECAY_TERMS; term++)
        sum = sum * r + isg_decay_terms[term];
    return (reals)((lanes)sum + ((lanes)shifted << 52));
}

/* y (units, SLICES) = beta (w.delta + f); `units` is a constant here and below, so that its loops
   unroll. */
__attribute__((always_inline)) static inline void
find_inputs(size_t units, size_t p, double beta, const double *weights, const double *field,
            const double *delta, reals y[][SLICES]) {
    const reals zero = {0};
#pragma GCC unroll 4
    for (size_t u = 0; u < units; u++)
#pragma GCC unroll 8
        for (size_t v = 0; v < SLICES; v++)
            y[u][v] = field[u] - zero;
    for (size_t mu = 0; mu < p; mu++) {
        reals x[SLICES];
#pragma GCC unroll 8
        for (size_t v = 0; v < SLICES; v++)
            x[v] = load_reals(delta + mu * ISG_LANES + v * REALS);
#pragma GCC unroll 4
        for (size_t u = 0; u < units; u++)
#pragma GCC unroll 8
            for (size_t v = 0; v < SLICES; v++)
                y[u][v] += weights[u * p + mu] * x[v];
    }
#pragma GCC unroll 4
    for (size_t u = 0; u < units; u++)
#pragma GCC unroll 8
        for (size_t v = 0; v < SLICES; v++)
            y[u][v] = beta * y[u][v];
}

__attribute__((always_inline)) static inline void
add_units(size_t units, size_t p, double beta, const double *weights, const double *field,
          const double *delta, double *sizes, double *product, double *gradient) {
    reals y[UNITS][SLICES];
    find_inputs(units, p, beta, weights, field, delta, y);
#pragma GCC unroll 4
    for (size_t u = 0; u < units; u++)
#pragma GCC unroll 8
        for (size_t v = 0; v < SLICES; v++) {
            const lanes sign = (lanes)y[u][v] & ~(UINT64_MAX >> 1);
            const reals size = (reals)((lanes)y[u][v] ^ sign), e = decay(size);
            store_reals(sizes + v * REALS, load_reals(sizes + v * REALS) + size);
            store_reals(product + v * REALS, load_reals(product + v * REALS) * (1 + e));
            if (gradient) /* y becomes tanh y */
                y[u][v] = (reals)((lanes)((1 - e) / (1 + e)) | sign);
        }
    for (size_t mu = 0; gradient && mu < p; mu++)
#pragma GCC unroll 8
        for (size_t v = 0; v < SLICES; v++) {
            double *at = gradient + mu * ISG_LANES + v * REALS;
            reals g = load_reals(at);
#pragma GCC unroll 4
            for (size_t u = 0; u < units; u++)
                g -= weights[u * p + mu] * y[u][v];
            store_reals(at, g);
        }
}

static void log_cosh(size_t n, size_t p, double beta, const double *weights, const double *field,
                     const double *delta, double *sizes, double *product, double *gradient) {
    size_t i = 0;
    for (; i + UNITS <= n; i += UNITS)
        add_units(UNITS, p, beta, weights + i * p, field + i, delta, sizes, product, gradient);
    for (; i < n; i++)
        add_units(1, p, beta, weights + i * p, field + i, delta, sizes, product, gradient);
}
