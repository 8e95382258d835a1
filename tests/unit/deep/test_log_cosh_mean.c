/* test_log_cosh_mean.c - the mean of ln cosh, against sums of many terms in long double
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "deep/deep.h"
#include "helper_allocation.h"

/* By Simpson's rule, whose error here is far below rounding. */
static long double mean_of(double m, double t) {
    const int half = t > 20 ? 40000 : 8000;
    const long double step = 9.5L / half;
    long double sum = 0, weights = 0;
    for (int k = -half; k <= half; k++) {
        const long double z = k * step, y = fabsl((long double)m + (long double)t * z);
        const long double weight = (k % 2 == 0 ? 2 : 4) * expl(-z * z / 2);
        sum += weight * (y + log1pl(expl(-2 * y)) - logl(2));
        weights += weight;
    }
    return sum / weights;
}

static double one(double m, double t) {
    isg_log_cosh_mean mean;
    double input = m;
    assert_ok(isg_log_cosh_mean_start(&mean, &t, 1));
    const double found = isg_log_cosh_mean_of(&mean, &input);
    isg_log_cosh_mean_release(&mean);
    return found;
}

static void test_every_width(void **state) {
    (void)state;
    static const double widths[] = {0, 1e-6, 0.01,   0.16, 0.21, 0.5, 1,  2,
                                    4, 7.9,  7.9999, 8,    8.1,  11,  40, 1000};
    static const double means[] = {0, 1e-3, 0.3, -1, 2.5, -7, 12, 60, -400};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (size_t l = 0; l < sizeof means / sizeof *means; l++) {
            const double expected = (double)mean_of(means[l], widths[k]);
            if (fabs(one(means[l], widths[k]) - expected) > 1e-12 + 1e-14 * expected)
                fail_msg("m %g, t %g: found %.15g, expected %.15g", means[l], widths[k],
                         one(means[l], widths[k]), expected);
        }
}

/* What is far out is |m|, up to a constant, or E|t z|; nothing overflows. */
static void test_extremes(void **state) {
    (void)state;
    assert_true(fabs(one(1e200, 1e-3) / 1e200 - 1) < 1e-12);
    assert_true(fabs(one(-1e200, 50) / 1e200 - 1) < 1e-12);
    assert_true(fabs(one(0, 1e100) / (1e100 * sqrt(2 / ISG_PI)) - 1) < 1e-12);
}

/* Units of all widths together, more than the kernel takes at a time. */
static void test_sum(void **state) {
    (void)state;
    enum { N = 1100 };
    static double spreads[N], inputs[N];
    isg_log_cosh_mean mean;
    double expected = 0;
    for (size_t i = 0; i < N; i++) {
        spreads[i] = i % 100 == 3 ? 9 + (double)i / 100 : 0.3 * (double)(i % 7);
        inputs[i] = 3 * sin((double)i);
        expected += one(inputs[i], spreads[i]);
    }
    assert_ok(isg_log_cosh_mean_start(&mean, spreads, N));
    assert_int_equal(mean.n_wide, 11);
    assert_true(fabs(isg_log_cosh_mean_of(&mean, inputs) - expected) < 1e-9);
    isg_log_cosh_mean_release(&mean);
}

static isg_status start(void *user) {
    (void)user;
    isg_log_cosh_mean mean;
    const isg_status status = isg_log_cosh_mean_start(&mean, (const double[]){1, 20}, 2);
    isg_log_cosh_mean_release(&mean);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    assert_int_equal(sweep_allocations(start, NULL), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
