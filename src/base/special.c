/* special.c - logarithms of large sums, without overflow and without cancellation
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/special.h"

#include <assert.h>
#include <math.h>

#include "base/elementary.h"

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
    /* exp(x_max) is factored out and the rest goes through log1p, so that terms far below the
       largest still count when the result is near zero. */
    isg_sum rest = {0};
    for (size_t i = 0; i < n; i++)
        if (i != largest)
            isg_sum_add(&rest, isg_exp(x[i] - x[largest]));
    return x[largest] + isg_log1p(isg_sum_value(rest));
}

double isg_log_mean_exp(const double *x, size_t n) {
    assert(n > 0);
    return isg_log_sum_exp(x, n) - isg_log((double)n);
}

double isg_log_cosh(double x) {
    const double size = fabs(x);
    if (size < 1) {
        /* cosh x - 1 = e^2 / (2 (e + 1)), e = exp(x) - 1; the other form would subtract numbers
           near ln 2. */
        const double e = isg_expm1(size);
        return isg_log1p(e * e / (2 * (e + 1)));
    }
    return size + (isg_log1p(isg_exp(-2 * size)) - ISG_LN_2);
}
