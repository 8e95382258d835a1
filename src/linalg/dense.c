/* dense.c - checks and copies shared by all factorizations
 *
 * SPDX-License-Identifier: MIT
 */
#include "linalg/dense.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

/* Registers with more digits than a double, like the x87's, would be rounded at unknown moments. */
_Static_assert(FLT_EVAL_METHOD == 0, "sums must be rounded to double at every step");

/* Columns from `begin` to `end` of row i. */
static isg_status check_row(const char *what, isg_matd_view a, size_t i, size_t begin, size_t end) {
    const double *row = isg_row_view(a, i);
    for (size_t j = begin; j < end; j++)
        if (!isfinite(row[j]))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: expected finite numbers, found %s in row %zu, column %zu", what,
                            isnan(row[j]) ? "nan" : (row[j] > 0 ? "inf" : "-inf"), i, j);
    return ISG_OK;
}

isg_status isg_check_finite(const char *what, isg_matd_view a) {
    for (size_t i = 0; i < a.rows; i++)
        ISG_TRY(check_row(what, a, i, 0, a.cols));
    return ISG_OK;
}

isg_status isg_check_triangle(const char *what, isg_matd_view a, isg_triangle triangle) {
    for (size_t i = 0; i < a.rows; i++)
        ISG_TRY(triangle == ISG_LOWER ? check_row(what, a, i, 0, i + 1)
                                      : check_row(what, a, i, i, a.cols));
    return ISG_OK;
}

void isg_copy_scaled(isg_matd out, isg_matd_view a, double factor) {
    assert(out.data != a.data || out.stride == a.stride);
    if (out.data == a.data && factor == 1)
        return;
    for (size_t i = 0; i < a.rows; i++) {
        const double *from = isg_row_view(a, i);
        double *to = isg_row(out, i);
        if (factor == 1)
            memcpy(to, from, a.cols * sizeof *to);
        else
            for (size_t j = 0; j < a.cols; j++)
                to[j] = factor * from[j];
    }
}

double isg_safe_factor(isg_matd_view a, bool is_symmetric) {
    enum { SAFE = 300 }; /* a sum of as many squares as fit in memory stays within 2^+-1022 */
    double largest = 0;
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < (is_symmetric ? i + 1 : a.cols); j++)
            largest = fmax(largest, fabs(isg_row_view(a, i)[j]));
    int exponent = 0;
    frexp(largest, &exponent);
    if (largest == 0 || (exponent > -SAFE && exponent < SAFE))
        return 1;
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

void isg_add_spin_rows(double *h, const uint64_t *spins, const double *w, size_t n, size_t p) {
    for (size_t i = 0; i < n; i++) {
        const double spin = isg_spin(spins, i);
        for (size_t mu = 0; mu < p; mu++)
            h[mu] += spin * w[i * p + mu];
    }
}

double isg_sign_of_largest(const double *x, size_t n, size_t step) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i * step]) > fabs(largest))
            largest = x[i * step];
    return largest < 0 ? -1 : 1;
}

void isg_sort_values(size_t *order, const double *values, size_t n, bool is_falling) {
    const double sign = is_falling ? -1 : 1;
    for (size_t k = 0; k < n; k++) { /* insertion sort: they are usually nearly sorted */
        size_t place = k;
        for (; place > 0 && sign * values[order[place - 1]] > sign * values[k]; place--)
            order[place] = order[place - 1];
        order[place] = k;
    }
}
