/* adam.h - Adam (Kingma and Ba, 2015): steps along gradients, each entry at its own scale
 *
 * SPDX-License-Identifier: MIT
 *
 *     m = 0.9 m + 0.1 g,   v = 0.999 v + 0.001 g^2
 *     value -= rate * m / (1 - 0.9^t) / (sqrt(v / (1 - 0.999^t)) + 1e-8),   t = 1 for the first step
 */
#ifndef ISG_ADAM_H
#define ISG_ADAM_H

#include "base/status.h"

/* Numbers that are learned, and what Adam remembers of their gradients. */
typedef struct isg_adam {
    double *values, *first, *second;
} isg_adam;

/* Moments, and values unless there are some, all zero. Release it after a failure too. */
isg_status isg_adam_create(isg_adam *adam, size_t rows, size_t cols);
void isg_adam_release(isg_adam *adam);

typedef struct isg_adam_step {
    double rate, first_share, second_share; /* 1 - 0.9^t and 1 - 0.999^t */
} isg_adam_step;

isg_adam_step isg_adam_step_of(double rate, uint64_t t);

/* `to`, which is another, becomes `from` after a step along scale * gradient, from entry `begin` on;
   gradient (n). */
void isg_adam_move(const isg_adam_step *step, const isg_adam *from, isg_adam *to, size_t begin,
                   size_t n, const double *gradient, double scale);

#endif
