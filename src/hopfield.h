/* hopfield.h - what is inside an isg_hopfield
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything goes through h = u^T s: the energy is -|h|^2 / 2 - b.s, the field u h + b, and a flip
 * of spin i changes h by 2 u_i.
 */
#ifndef ISG_HOPFIELD_H
#define ISG_HOPFIELD_H

#include <math.h>

#include "patterns.h"

struct isg_hopfield {
    isg_hopfield_info info;
    size_t words;       /* of one state */
    uint64_t *xi;       /* (n_patterns, words) packed */
    size_t n_columns;   /* of u: rank for projection, n_patterns for Hebbian */
    double *u;          /* (n_visible, n_columns), J = u u^T */
    double *total;      /* (n_columns) sum over i of u_i */
    double *dual;       /* (n_patterns, rank), xi = q dual^+ with orthonormal q */
    double *diagonal;   /* (n_visible) J_ii = |u_i|^2, kept or not */
    double *b;          /* (n_visible) */
    double *negligible; /* (n_visible) a field of this size is what rounding leaves of zero */
};

/* h (n_columns) = u^T s */
void isg_hopfield_sums(const isg_hopfield *network, const uint64_t *spins, double *h);

/* (u h + b)_i, in which J_ii s_i is included. Four sums side by side, so that no addition waits for
   the one before. */
static inline double isg_hopfield_full_field(const isg_hopfield *network, const double *h,
                                             size_t i) {
    const size_t columns = network->n_columns;
    const double *row = network->u + i * columns;
    double sums[4] = {0, 0, 0, 0};
    size_t mu = 0;
    for (; mu + 4 <= columns; mu += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += row[mu + k] * h[mu + k];
    for (size_t k = 0; mu + k < columns; k++)
        sums[k] += row[mu + k] * h[mu + k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + network->b[i];
}

/* The same without J_ii s_i: 2 s_i times this is the rise of H by a flip. */
static inline double isg_hopfield_flip_field(const isg_hopfield *network, const double *h,
                                             const uint64_t *spins, size_t i) {
    return isg_hopfield_full_field(network, h, i) - network->diagonal[i] * isg_spin(spins, i);
}

/* (J s + b)_i as the options have it; exactly zero where only rounding says otherwise. */
static inline double isg_hopfield_field(const isg_hopfield *network, const double *h,
                                        const uint64_t *spins, size_t i) {
    const double x = network->info.keeps_diagonal ? isg_hopfield_full_field(network, h, i)
                                                  : isg_hopfield_flip_field(network, h, spins, i);
    return fabs(x) <= network->negligible[i] ? 0 : x;
}

/* Flips spin i, and h with it. */
void isg_hopfield_flip(const isg_hopfield *network, uint64_t *spins, double *h, size_t i);

/* The pattern with the largest overlap, the first of equals, and that overlap. */
size_t isg_hopfield_nearest(const isg_hopfield *network, const uint64_t *spins, double *overlap);

/* isg_hopfield_examine() with h = u^T s at hand. */
isg_hopfield_state isg_hopfield_look(const isg_hopfield *network, const uint64_t *spins,
                                     const double *h);

#endif
