/* test_special.c - log-sum-exp, log-cosh and compensated sums against long double
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/special.h"

/* Noise for the inputs, independent of the generator under test elsewhere. */
static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static bool is_close(double value, long double exact, double bound) {
    return fabsl((long double)value - exact) <= (long double)bound * fabsl(exact);
}

static long double exact_log_sum_exp(const double *x, size_t n) {
    long double largest = -HUGE_VALL, sum = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, (long double)x[i]);
    for (size_t i = 0; i < n; i++)
        sum += expl((long double)x[i] - largest);
    return largest + logl(sum);
}

static void log_sum_exp_is_accurate(void **state) {
    (void)state;
    static double x[1000];
    uint64_t seed = 1;
    const double scales[] = {1e-3, 1, 50, 2000, 1e6};
    const double offsets[] = {0, -1e4, 1e4, 1e300, -1e300};
    for (size_t s = 0; s < 5; s++)
        for (size_t o = 0; o < 5; o++)
            for (size_t n = 1; n <= 1000; n += n < 20 ? 1 : 97) {
                double largest = 0;
                for (size_t i = 0; i < n; i++) {
                    x[i] = offsets[o] + scales[s] * (noise(&seed) - 0.5);
                    largest = fmax(largest, fabs(x[i]));
                }
                const long double exact = exact_log_sum_exp(x, n);
                /* The result may cancel to near zero; the inputs set the scale of the error. */
                const double bound = 4 * DBL_EPSILON * (largest + 7);
                assert_true(fabsl((long double)isg_log_sum_exp(x, n) - exact) <=
                            (long double)bound);
            }
}

static void log_sum_exp_keeps_small_terms(void **state) {
    (void)state;
    /* log(1 + e^-50) is 1.9e-22: a form that adds 1 first returns zero. */
    const double x[] = {-50, 0};
    assert_true(is_close(isg_log_sum_exp(x, 2), log1pl(expl(-50)), 4e-16));
    assert_true(log(exp(x[0]) + exp(x[1])) == 0);
    /* A million terms of 1e-16 beside one of 1: each alone is lost in a plain sum. */
    static double many[1000001];
    for (size_t i = 1; i <= 1000000; i++)
        many[i] = log(1e-16);
    assert_true(is_close(isg_log_sum_exp(many, 1000001), log1pl(1e-10L), 1e-14));
}

static void log_sum_exp_handles_infinities(void **state) {
    (void)state;
    const double none[] = {-HUGE_VAL, -HUGE_VAL}, some[] = {-HUGE_VAL, 3, -HUGE_VAL};
    const double above[] = {1, HUGE_VAL, HUGE_VAL, -HUGE_VAL},
                 not_a_number[] = {HUGE_VAL, 0, (double)NAN};
    assert_true(isg_log_sum_exp(NULL, 0) == -HUGE_VAL);
    assert_true(isg_log_sum_exp(none, 2) == -HUGE_VAL);
    assert_true(isg_log_sum_exp(some, 3) == 3);
    assert_true(isg_log_sum_exp(above, 4) == HUGE_VAL);
    assert_true(isnan(isg_log_sum_exp(not_a_number, 3)));
    const double huge[] = {DBL_MAX, -DBL_MAX}, equal[] = {800, 800, 800, 800};
    assert_true(isg_log_sum_exp(huge, 2) == DBL_MAX);
    assert_true(is_close(isg_log_sum_exp(equal, 4), 800 + logl(4), 2e-16));
    assert_true(isg_log_mean_exp(equal, 4) == 800);
    assert_true(isg_log_mean_exp(none, 2) == -HUGE_VAL);
}

static long double exact_log_cosh(long double x) {
    x = fabsl(x);
    if (x < 1e-3L) /* the next term is x^8 17/2520 */
        return x * x / 2 - x * x * x * x / 12 + x * x * x * x * x * x / 45;
    return x < 1 ? log1pl(2 * sinhl(x / 2) * sinhl(x / 2)) : x + log1pl(expl(-2 * x)) - logl(2);
}

static void log_cosh_is_accurate(void **state) {
    (void)state;
    double worst = 0;
    for (double x = 1e-150; x < 1e300; x *= 1.01) {
        const long double exact = exact_log_cosh((long double)x);
        const double error = (double)fabsl(((long double)isg_log_cosh(x) - exact) / exact);
        worst = fmax(worst, error);
        assert_true(isg_log_cosh(-x) == isg_log_cosh(x));
    }
    assert_true(worst < 1e-15);
    assert_true(isg_log_cosh(0) == 0);
    assert_true(isg_log_cosh(1e-200) == 0); /* x^2 / 2 underflows */
    assert_true(isg_log_cosh(-HUGE_VAL) == HUGE_VAL);
    assert_true(isnan(isg_log_cosh((double)NAN)));
    assert_true(isfinite(isg_log_cosh(DBL_MAX)));
    /* What the two easy ways would give. */
    assert_true(isinf(log(cosh(1000))));
    assert_false(is_close(1e-6 + log1p(exp(-2e-6)) - log(2), exact_log_cosh(1e-6L), 1e-6));
}

static double sum_of(const double *x, size_t n) {
    isg_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        isg_sum_add(&sum, x[i]);
    return isg_sum_value(sum);
}

static void sums_are_compensated(void **state) {
    (void)state;
    const double cancelling[] = {1, 1e100, 1, -1e100};
    assert_true(sum_of(cancelling, 4) == 2);
    assert_true(cancelling[0] + cancelling[1] + cancelling[2] + cancelling[3] == 0);
    static double x[100000];
    uint64_t seed = 2;
    long double exact = 0;
    for (size_t i = 0; i < 100000; i++) {
        x[i] = ldexp(noise(&seed) - 0.5, (int)(30 * noise(&seed)));
        exact += (long double)x[i];
    }
    assert_true(is_close(sum_of(x, 100000), exact, 1e-15));
    const double infinite[] = {1, HUGE_VAL, 2}, opposite[] = {HUGE_VAL, -HUGE_VAL};
    const double overflow[] = {DBL_MAX, DBL_MAX};
    assert_true(sum_of(infinite, 3) == HUGE_VAL);
    assert_true(isnan(sum_of(opposite, 2)));
    assert_true(sum_of(overflow, 2) == HUGE_VAL);
    assert_true(sum_of(NULL, 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_sum_exp_is_accurate),
        cmocka_unit_test(log_sum_exp_keeps_small_terms),
        cmocka_unit_test(log_sum_exp_handles_infinities),
        cmocka_unit_test(log_cosh_is_accurate),
        cmocka_unit_test(sums_are_compensated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
