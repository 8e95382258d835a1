/* helper_oracle.h - models of which ln Z is known
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_ORACLE_H
#define HELPER_ORACLE_H

#include "rbm/rbm.h"

typedef struct oracle {
    isg_rbm *rbm; /* the caller's to free */
    double log_z;
} oracle;

/* Normal weights of deviation strength / sqrt(beta n), both fields; n <= 20, by enumeration. */
oracle oracle_small(size_t n, size_t p, double beta, double strength);

/* W = xi / sqrt(n) for p random patterns xi, which are not orthogonal; a field b of this size. By
   enumeration, n <= 20. */
oracle oracle_hebbian(size_t n, size_t p, double beta, double field);

/* 20 units at beta 20: 10 with normal weights to 2 hidden units, and 10 with a hidden unit of their own each, in
   fields so small that both of their states count. Sweeps never flip these. By enumeration. */
oracle oracle_stiff(void);

/* Normal weights of deviation strength / sqrt(beta n) and both fields for any n and at most 3 hidden
   units; by quadrature. */
oracle oracle_wide(size_t n, size_t p, double beta, double strength);

/* 784 units, 2 hidden units with weights strength xi / 28 for random patterns xi, which the RBM does
   not know of; a field of this size in the direction of the first. By class sums. */
oracle oracle_classes(double beta, double strength, double field);

/* 784 units in 49 blocks of 16, each coupled to one hidden unit by random weights w; then the
   columns of W are turned by a random rotation and its rows permuted, which changes neither Z nor
   anything that should matter. beta |w|^2 is `strong` in the first n_strong blocks, `weak` in the
   others: above 1 a block has two states, so that there are 2^n_strong minima. By enumeration of
   the blocks. */
oracle oracle_blocks(double beta, size_t n_strong, double strong, double weak);

/* `count` independent samples of it, packed; the caller's to free(). */
uint64_t *oracle_blocks_samples(double beta, size_t n_strong, double strong, double weak,
                                size_t count, uint64_t seed);

#endif
