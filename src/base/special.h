/* special.h - logarithms of large sums, without overflow and without cancellation
 *
 * SPDX-License-Identifier: MIT
 *
 * Built on elementary.h, in a fixed order of operations: the same bits on every machine.
 */
#ifndef ISG_SPECIAL_H
#define ISG_SPECIAL_H

#include <stddef.h>

/* A running sum that carries its rounding error along (Neumaier). The result is as good as if
   summed in twice the precision and rounded once. Initialize with {0}. */
typedef struct isg_sum {
    double total, lost;
} isg_sum;

void isg_sum_add(isg_sum *sum, double term);
double isg_sum_value(isg_sum sum);

/* ln sum_i exp(x_i); -inf for n = 0. A term of +inf gives +inf, a NaN gives NaN. */
double isg_log_sum_exp(const double *x, size_t n);

/* ln((1/n) sum_i exp(x_i)), for n > 0. */
double isg_log_mean_exp(const double *x, size_t n);

/* ln cosh x, with a small relative error for every x: x^2/2 near 0, |x| - ln 2 for large |x|. */
double isg_log_cosh(double x);

#endif
