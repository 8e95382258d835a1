/* test_exact.c - the exact sums agree with their definition and with each other
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/special.h"
#include "log_z/exact.h"

/* A machine with normal weights of this deviation; fields too if wanted. */
static isg_rbm *random_rbm(size_t n, size_t p, double beta, double deviation, bool has_fields) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    isg_cursor random = isg_cursor_at(isg_stream_at(n, ISG_PURPOSE_TEST, p, has_fields));
    for (size_t k = 0; k < n * p; k++)
        rbm->weights[k] = deviation * isg_next_normal(&random);
    for (size_t i = 0; has_fields && i < n; i++)
        rbm->b[i] = 0.5 * isg_next_normal(&random);
    for (size_t mu = 0; has_fields && mu < p; mu++)
        rbm->c[mu] = 0.7 * isg_next_normal(&random);
    return rbm;
}

/* Weights xi / sqrt(n) of random binary patterns: few different rows. */
static isg_rbm *binary_rbm(size_t n, size_t p, double beta) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    isg_cursor random = isg_cursor_at(isg_stream_at(n, ISG_PURPOSE_TEST, p, 7));
    for (size_t k = 0; k < n * p; k++)
        rbm->weights[k] = (isg_next_word(&random) & 1 ? 1 : -1) / sqrt((double)n);
    return rbm;
}

/* -beta H(s) of all states, from the definition. */
static double *exponents_of(const isg_rbm *rbm) {
    const size_t count = (size_t)1 << rbm->info.n_visible;
    double *exponents = malloc(count * sizeof *exponents);
    assert_non_null(exponents);
    for (uint64_t state = 0; state < count; state++) {
        assert_ok(isg_rbm_spin_energy(rbm, &state, &exponents[state]));
        exponents[state] *= -rbm->info.beta;
    }
    return exponents;
}

static void assert_within(double found, double expected, double bound) {
    if (!(fabs(found - expected) <= bound))
        fail_msg("found %.15g, expected %.15g within %g", found, expected, bound);
}

/* ---- enumeration --------------------------------------------------------------------------- */

static void test_enumeration_is_the_sum_over_states(void **state) {
    (void)state;
    const struct {
        size_t n, p;
        double beta;
    } cases[] = {{1, 1, 0.5}, {3, 2, 2}, {10, 3, 1}, {11, 5, 2}, {12, 4, 0.5}, {14, 20, 1}};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k / 2].n;
        isg_rbm *rbm = random_rbm(n, cases[k / 2].p, cases[k / 2].beta, 0.6, k % 2);
        double *exponents = exponents_of(rbm), *p = malloc(sizeof *p << n);
        const double expected = isg_log_sum_exp(exponents, (size_t)1 << n);
        double log_z = 0;
        assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
        assert_within(log_z, expected, 1e-13 * (1 + fabs(expected)));
        assert_non_null(p);
        assert_ok(isg_exact_probabilities(rbm, p));
        isg_sum total = {0};
        for (size_t s = 0; s < (size_t)1 << n; s++) {
            assert_within(log(p[s]), exponents[s] - expected, 1e-12 * (1 + fabs(expected)));
            isg_sum_add(&total, p[s]);
        }
        assert_within(isg_sum_value(total), 1, 1e-13);
        free(exponents);
        free(p);
        isg_rbm_free(rbm);
    }
}

/* No coupling: Z = prod_i 2 cosh(beta b_i), here with fields that leave no term out of range. */
static void test_free_spins(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    double log_z = 0, expected = 0, error = 0;
    assert_ok(isg_rbm_create(&rbm, 20, 1, 2));
    for (size_t i = 0; i < 20; i++) {
        rbm->b[i] = 50 * sin((double)i);
        expected += log(2) + isg_log_cosh(2 * rbm->b[i]);
    }
    assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
    assert_within(log_z, expected, 1e-12 * expected);
    assert_ok(isg_exact_class_sums(rbm, &log_z, NULL));
    assert_within(log_z, expected, 1e-12 * expected);
    assert_ok(isg_exact_quadrature(rbm, &log_z, &error, NULL));
    assert_within(log_z, expected, error);
    isg_rbm_free(rbm);
}

static void test_every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(16, 3, 1.5, 0.5, true), *binary = binary_rbm(60, 3, 1.5);
    double first[3] = {0};
    for (size_t threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        double log_z[3] = {0}, error = 0;
        isg_set_threads(threads);
        assert_ok(isg_exact_enumerate(rbm, &log_z[0], NULL));
        assert_ok(isg_exact_class_sums(binary, &log_z[1], NULL));
        assert_ok(isg_exact_quadrature(rbm, &log_z[2], &error, NULL));
        if (threads == 1)
            memcpy(first, log_z, sizeof first);
        assert_memory_equal(first, log_z, sizeof first);
    }
    isg_set_threads(0);
    isg_rbm_free(rbm);
    isg_rbm_free(binary);
}

/* ---- class sums ---------------------------------------------------------------------------- */

static void test_class_sums_agree_with_enumeration(void **state) {
    (void)state;
    for (size_t n = 1; n <= 16; n += 3)
        for (size_t p = 1; p <= 4; p++) {
            isg_rbm *rbm = binary_rbm(n, p, 1.3);
            double enumerated = 0, classes = 0;
            for (size_t i = 0; i < n; i++) /* breaks the symmetry s -> -s, and splits classes */
                rbm->b[i] = (i % 2 ? 0.3 : 0.1) * (rbm->weights[i * p] > 0 ? 1 : -1);
            for (size_t mu = 0; mu < p; mu++)
                rbm->c[mu] = 0.2 * (double)mu;
            if (n > 4) /* a unit that meets nobody, and one of a kind */
                rbm->weights[3 * p] = 0.77;
            for (size_t mu = 0; n > 4 && mu < p; mu++)
                rbm->weights[4 * p + mu] = 0;
            assert_ok(isg_exact_enumerate(rbm, &enumerated, NULL));
            assert_ok(isg_exact_class_sums(rbm, &classes, NULL));
            assert_within(classes, enumerated, 1e-13 * (1 + fabs(enumerated)));
            isg_rbm_free(rbm);
        }
}

/* 784 units with 2 patterns: too many for enumeration; the other two methods share nothing. */
static void test_class_sums_agree_with_quadrature(void **state) {
    (void)state;
    for (size_t p = 1; p <= 2; p++)
        for (int k = 0; k < 3; k++) {
            isg_rbm *rbm = binary_rbm(784, p, (double[]){0.5, 1, 2}[k]);
            double classes = 0, integral = 0, error = 0;
            rbm->c[0] = 0.4;
            assert_ok(isg_exact_class_sums(rbm, &classes, NULL));
            assert_ok(isg_exact_quadrature(rbm, &integral, &error, NULL));
            assert_true(error < 1e-10);
            assert_within(integral, classes, error);
            isg_rbm_free(rbm);
        }
}

/* ---- quadrature ---------------------------------------------------------------------------- */

static void test_quadrature_agrees_with_enumeration(void **state) {
    (void)state;
    const double betas[] = {0.01, 0.5, 1, 2, 30};
    for (size_t k = 0; k < 5; k++)
        for (size_t p = 1; p <= 3; p++)
            for (int has_fields = 0; has_fields < 2; has_fields++) {
                isg_rbm *rbm = random_rbm(10, p, betas[k], 0.5, has_fields);
                double enumerated = 0, integral = 0, error = 0;
                if (has_fields)
                    rbm->c[0] = 12; /* far from the origin */
                assert_ok(isg_exact_enumerate(rbm, &enumerated, NULL));
                assert_ok(isg_exact_quadrature(rbm, &integral, &error, NULL));
                assert_true(error < 1e-11 * (1 + fabs(enumerated)));
                assert_within(integral, enumerated, error + 1e-14 * fabs(enumerated));
                isg_rbm_free(rbm);
            }
}

/* The bound holds for steps so wide that the error shows, and is of its size: for one Gaussian
   centered on a grid point it is reached. */
static void test_quadrature_error_is_real(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(8, 2, 1.7, 0.6, true), *single = NULL;
    double enumerated = 0, integral = 0, error = 0;
    assert_ok(isg_exact_enumerate(rbm, &enumerated, NULL));
    for (double step = 1; step < 2.6; step += 0.25) {
        assert_ok(isg_exact_quadrature_with(rbm, step, &integral, &error, NULL));
        assert_within(integral, enumerated, error);
        if (step > 1.2)
            assert_true(fabs(integral - enumerated) > 1e-4 * error);
    }
    assert_ok(isg_rbm_create(&single, 3, 2, 1.7));
    assert_ok(isg_exact_quadrature_with(single, 2, &integral, &error, NULL));
    assert_within(integral, 3 * log(2), error);
    assert_true(fabs(integral - 3 * log(2)) > 0.95 * error);
    isg_rbm_free(single);
    isg_rbm_free(rbm);
}

/* ---- where they do not apply ----------------------------------------------------------------- */

static bool cancel(void *user, double fraction) {
    *(double *)user = fraction;
    return fraction < 0.3;
}

static void test_refusals(void **state) {
    (void)state;
    double log_z = 5, error = 5, seen = -1;
    isg_rbm *large = random_rbm(40, 4, 1, 0.1, false), *small = random_rbm(20, 2, 1, 0.1, false);
    assert_fails(isg_exact_enumerate(large, &log_z, NULL), ISG_ERR_UNSUPPORTED, "at most 28");
    assert_fails(isg_exact_probabilities(large, &log_z), ISG_ERR_UNSUPPORTED, "found 40");
    assert_fails(isg_exact_class_sums(large, &log_z, NULL), ISG_ERR_UNSUPPORTED, "more than 30");
    assert_fails(isg_exact_quadrature(large, &log_z, &error, NULL), ISG_ERR_UNSUPPORTED,
                 "at most 3 hidden units, found 4");
    isg_rbm *many = binary_rbm(784, 5, 1);
    assert_fails(isg_exact_class_sums(many, &log_z, NULL), ISG_ERR_UNSUPPORTED, "16 classes");
    const isg_progress progress = {cancel, &seen};
    assert_fails(isg_exact_enumerate(small, &log_z, &progress), ISG_ERR_CANCELLED, "cancelled");
    assert_true(seen >= 0.3 && seen < 1);
    small->weights[3] = (double)NAN;
    assert_fails(isg_exact_enumerate(small, &log_z, NULL), ISG_ERR_DIVERGED, "not finite");
    small->weights[3] = 1e200;
    assert_fails(isg_exact_enumerate(small, &log_z, NULL), ISG_ERR_DIVERGED, "too large");
    assert_fails(isg_exact_quadrature(small, &log_z, &error, NULL), ISG_ERR_UNSUPPORTED,
                 "too large");
    assert_true(log_z == 5 && error == 5);
    isg_rbm_free(many);
    isg_rbm_free(large);
    isg_rbm_free(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration_is_the_sum_over_states),
        cmocka_unit_test(test_free_spins),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bits),
        cmocka_unit_test(test_class_sums_agree_with_enumeration),
        cmocka_unit_test(test_class_sums_agree_with_quadrature),
        cmocka_unit_test(test_quadrature_agrees_with_enumeration),
        cmocka_unit_test(test_quadrature_error_is_real),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
