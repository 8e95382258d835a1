/* special.c - logarithms of large sums, without overflow and without cancellation
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/special.h"

#include <assert.h>
#include <math.h>

void isg_sum_add(isg_sum *sum, double term) {
    const double total = sum->total + term;
    /* The smaller of the two lost its low digits; both differences below are exact. */
    if (fabs(sum->total) >= fabs(term))
        sum->lost += (sum->total - total) + term;
    else
        sum->lost += (term - total) + sum->total;
    sum->total = total;
}

double isg_sum_value(isg_sum sum) {
    /* After an overflow or an infinite term, `lost` is inf - inf. */
    return isfinite(sum.total) ? sum.total + sum.lost : sum.total;
}

double isg_log_sum_exp(const double *x, size_t n) {
    if (n == 0)
        return -HUGE_VAL;
    size_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            return x[i];
        if (x[i] > x[largest])
            largest = i;
    }
    if (isinf(x[largest]))
        return x[largest];
    /* exp(x_max) is taken out in front and the rest goes through log1p, so that terms far below
       the largest still count when the result is near zero. */
    isg_sum rest = {0};
    for (size_t i = 0; i < n; i++)
        if (i != largest)
            isg_sum_add(&rest, exp(x[i] - x[largest]));
    return x[largest] + log1p(isg_sum_value(rest));
}

double isg_log_mean_exp(const double *x, size_t n) {
    assert(n > 0);
    return isg_log_sum_exp(x, n) - log((double)n);
}

double isg_log_cosh(double x) {
    const double ln_2 = 0x1.62e42fefa39efp-1;
    const double size = fabs(x);
    if (size < 1) {
        /* cosh x = 1 + 2 sinh^2(x/2); the other form would subtract numbers near ln 2. */
        const double half = sinh(size / 2);
        return log1p(2 * half * half);
    }
    return size + (log1p(exp(-2 * size)) - ln_2);
}
