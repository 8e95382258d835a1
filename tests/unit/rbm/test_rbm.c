/* test_rbm.c - energies, free energies and the plain sampler of an RBM, against enumeration
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/special.h"
#include "helper_statistics.h"
#include "rbm/rbm.h"
#include "test.h"

static isg_cursor inputs(uint64_t step) {
    return isg_cursor_at(isg_stream_at(20210503, ISG_PURPOSE_TEST, step, 0));
}

/* Random weights and both fields, of a size at which all states matter. */
static isg_rbm *random_rbm(size_t n, size_t p, double beta) {
    isg_cursor random = inputs(n * 100 + p);
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    const isg_matd w = isg_rbm_weights(rbm);
    for (size_t k = 0; k < n * p; k++)
        w.data[k] = 0.5 * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        isg_rbm_visible_field(rbm)[i] = 0.3 * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        isg_rbm_hidden_field(rbm)[mu] = 0.5 + 0.2 * isg_next_normal(&random);
    return rbm;
}

static double spin_energy(const isg_rbm *rbm, uint64_t state) {
    double energy = (double)NAN;
    assert_ok(isg_rbm_spin_energy(rbm, &state, &energy));
    return energy;
}

static void assert_close(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by %.2e, more than %.2e", a, b, fabs(a - b), tolerance);
}

/* ---- identities over all states ----------------------------------------------------------------- */

/* H(s, lambda) by its definition, entry by entry. */
static double energy_by_hand(isg_rbm *rbm, uint64_t state, const double *lambda) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    double energy = 0;
    for (size_t mu = 0; mu < info.n_hidden; mu++)
        energy += 0.5 * pow(lambda[mu] - isg_rbm_hidden_field(rbm)[mu], 2);
    for (size_t i = 0; i < info.n_visible; i++) {
        const double s = state >> i & 1 ? 1 : -1;
        energy -= isg_rbm_visible_field(rbm)[i] * s;
        for (size_t mu = 0; mu < info.n_hidden; mu++)
            energy -= s * isg_rbm_weights(rbm).data[i * info.n_hidden + mu] * lambda[mu];
    }
    return energy;
}

/* H(s, lambda) = H(s) + |lambda - h|^2 / 2, the square completed. */
static void test_energies_agree(void **test_state) {
    (void)test_state;
    for (size_t n = 1; n <= 10; n += 3)
        for (size_t p = 1; p <= 4; p++) {
            isg_rbm *rbm = random_rbm(n, p, 1.5);
            isg_cursor random = inputs(7);
            for (uint64_t state = 0; state < UINT64_C(1) << n; state++) {
                double lambda[4], h[4], square = 0;
                isg_rbm_hidden_input(rbm, &state, h);
                for (size_t mu = 0; mu < p; mu++) {
                    lambda[mu] = isg_next_normal(&random);
                    square += (lambda[mu] - h[mu]) * (lambda[mu] - h[mu]);
                }
                const double joint = isg_rbm_energy(rbm, &state, lambda);
                assert_close(joint, energy_by_hand(rbm, state, lambda), 1e-12);
                assert_close(joint, spin_energy(rbm, state) + square / 2, 1e-12);
            }
            isg_rbm_free(rbm);
        }
}

/* exp(-beta F0(lambda)) is the mean over all spins of exp(-beta H(s, lambda)). */
static void test_free_energy_sums_out_spins(void **test_state) {
    (void)test_state;
    enum { N = 10, P = 3, STATES = 1 << N };
    static double terms[STATES];
    const double betas[] = {0.5, 1, 2, 40};
    for (size_t k = 0; k < 4; k++) {
        isg_rbm *rbm = random_rbm(N, P, betas[k]);
        isg_cursor random = inputs(8);
        for (size_t repeat = 0; repeat < 20; repeat++) {
            double lambda[P];
            for (size_t mu = 0; mu < P; mu++)
                lambda[mu] = 3 * isg_next_normal(&random);
            for (uint64_t state = 0; state < STATES; state++)
                terms[state] = -betas[k] * isg_rbm_energy(rbm, &state, lambda);
            assert_close(isg_rbm_free_energy(rbm, lambda),
                         -isg_log_mean_exp(terms, STATES) / betas[k], 1e-11);
        }
        isg_rbm_free(rbm);
    }
}

static void test_gradient_is_slope(void **test_state) {
    (void)test_state;
    enum { N = 9, P = 4 };
    isg_rbm *rbm = random_rbm(N, P, 2);
    isg_cursor random = inputs(9);
    const double step = 1e-5;
    for (size_t repeat = 0; repeat < 20; repeat++) {
        double lambda[P], gradient[P];
        for (size_t mu = 0; mu < P; mu++)
            lambda[mu] = 2 * isg_next_normal(&random);
        isg_rbm_free_energy_gradient(rbm, lambda, gradient);
        for (size_t mu = 0; mu < P; mu++) {
            const double at = lambda[mu];
            lambda[mu] = at + step;
            const double above = isg_rbm_free_energy(rbm, lambda);
            lambda[mu] = at - step;
            const double below = isg_rbm_free_energy(rbm, lambda);
            lambda[mu] = at;
            assert_close(gradient[mu], (above - below) / (2 * step), 1e-8);
        }
    }
    isg_rbm_free(rbm);
}

/* ln Z summed over spins and integrated over lambda; the trapezoidal rule is exact to rounding for
   functions that fall off like these. */
static void test_partition_function_both_ways(void **test_state) {
    (void)test_state;
    enum { N = 10, STATES = 1 << N, POINTS = 4001 };
    static double terms[STATES], values[POINTS];
    const double betas[] = {0.5, 1, 2}, end = 20, step = 2 * end / (POINTS - 1), pi = acos(-1);
    for (size_t k = 0; k < 3; k++) {
        isg_rbm *rbm = random_rbm(N, 1, betas[k]);
        for (uint64_t state = 0; state < STATES; state++)
            terms[state] = -betas[k] * spin_energy(rbm, state);
        for (size_t j = 0; j < POINTS; j++) {
            const double lambda = -end + step * (double)j;
            values[j] = -betas[k] * isg_rbm_free_energy(rbm, &lambda);
        }
        const double integral = isg_log_sum_exp(values, POINTS) + log(step);
        assert_close(isg_log_sum_exp(terms, STATES),
                     N * log(2.0) + 0.5 * log(betas[k] / (2 * pi)) + integral, 1e-11);
        isg_rbm_free(rbm);
    }
}

/* ---- the sampler ---------------------------------------------------------------------------------- */

enum { N_SMALL = 4, P_SMALL = 2, ALL = 1 << N_SMALL, CHAINS = 60000 };

typedef enum mistake { NONE, VARIANCE_ONE, FACTOR_TWO, NO_C, NO_B } mistake;

/* A sweep written anew, right or with one mistake. */
static void twin_sweep(isg_rbm *rbm, isg_cursor *random, uint64_t *spins, mistake wrong) {
    const double beta = isg_rbm_describe(rbm).beta;
    double lambda[P_SMALL];
    for (size_t mu = 0; mu < P_SMALL; mu++) {
        double h = wrong == NO_C ? 0 : rbm->c[mu];
        for (size_t i = 0; i < N_SMALL; i++)
            h += (*spins >> i & 1 ? 1 : -1) * rbm->weights[i * P_SMALL + mu];
        lambda[mu] = h + isg_next_normal(random) / (wrong == VARIANCE_ONE ? 1 : sqrt(beta));
    }
    for (size_t i = 0; i < N_SMALL; i++) {
        double x = wrong == NO_B ? 0 : rbm->b[i];
        for (size_t mu = 0; mu < P_SMALL; mu++)
            x += rbm->weights[i * P_SMALL + mu] * lambda[mu];
        const double up = 1 / (1 + exp(-(wrong == FACTOR_TWO ? 1 : 2) * beta * x));
        const uint64_t bit = UINT64_C(1) << i;
        *spins = isg_next_uniform(random) < up ? *spins | bit : *spins & ~bit;
    }
}

/* Starts every chain from an exact sample of p(s) and sweeps; how far from p(s) are the ends? */
static double stationarity(isg_rbm *rbm, size_t sweeps, bool is_twin, mistake wrong) {
    double log_weights[ALL], expected[ALL];
    size_t counts[ALL] = {0};
    for (uint64_t state = 0; state < ALL; state++)
        log_weights[state] = -isg_rbm_describe(rbm).beta * spin_energy(rbm, state);
    const double log_z = isg_log_sum_exp(log_weights, ALL);
    for (size_t state = 0; state < ALL; state++)
        expected[state] = CHAINS * exp(log_weights[state] - log_z);
    const char *given = getenv("ISINGLASS_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    for (uint32_t chain = 0; chain < CHAINS; chain++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, sweeps, chain));
        double left = CHAINS * isg_next_uniform(&random), lambda[P_SMALL], input[N_SMALL];
        uint64_t state = 0;
        while (state < ALL - 1 && left > expected[state])
            left -= expected[state++];
        for (size_t t = 0; t < sweeps; t++)
            if (is_twin)
                twin_sweep(rbm, &random, &state, wrong);
            else
                isg_rbm_sweep(rbm, &random, &state, lambda, input);
        assert_true(state < ALL);
        counts[state]++;
    }
    return chi_square_score(counts, expected, ALL);
}

static void test_sweep_keeps_the_distribution(void **test_state) {
    (void)test_state;
    isg_rbm *rbm = random_rbm(N_SMALL, P_SMALL, 2);
    const size_t sweeps[] = {1, 5, 21};
    for (size_t k = 0; k < 3; k++) {
        const double score = stationarity(rbm, sweeps[k], false, NONE);
        if (!(score < 5))
            fail_msg("after %zu sweeps the states are %.1f deviations off", sweeps[k], score);
    }
    isg_rbm_free(rbm);
}

static void test_broken_sweeps_are_noticed(void **test_state) {
    (void)test_state;
    isg_rbm *rbm = random_rbm(N_SMALL, P_SMALL, 2);
    assert_true(stationarity(rbm, 5, true, NONE) < 5);
    assert_true(stationarity(rbm, 5, true, VARIANCE_ONE) > 10);
    assert_true(stationarity(rbm, 5, true, FACTOR_TWO) > 10);
    assert_true(stationarity(rbm, 5, true, NO_C) > 10);
    assert_true(stationarity(rbm, 5, true, NO_B) > 10);
    isg_rbm_free(rbm);
}

static void test_refuses_nonsense(void **test_state) {
    (void)test_state;
    isg_rbm *rbm = NULL;
    assert_fails(isg_rbm_create(&rbm, 0, 1, 1), ISG_ERR_ARGUMENT, "visible");
    assert_fails(isg_rbm_create(&rbm, 1, 0, 1), ISG_ERR_ARGUMENT, "hidden");
    assert_fails(isg_rbm_create(&rbm, 1, 1, 0), ISG_ERR_ARGUMENT, "beta");
    assert_fails(isg_rbm_create(&rbm, 1, 1, (double)NAN), ISG_ERR_ARGUMENT, "beta");
    assert_fails(isg_rbm_create(&rbm, SIZE_MAX / 2, 3, 1), ISG_ERR_MEMORY, "memory");
    assert_null(rbm);
    isg_rbm_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energies_agree),
        cmocka_unit_test(test_free_energy_sums_out_spins),
        cmocka_unit_test(test_gradient_is_slope),
        cmocka_unit_test(test_partition_function_both_ways),
        cmocka_unit_test(test_sweep_keeps_the_distribution),
        cmocka_unit_test(test_broken_sweeps_are_noticed),
        cmocka_unit_test(test_refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
