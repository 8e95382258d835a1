/* test_diagnostics.c - autocorrelation times and R-hat against known series and chains
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "sample/sample.h"

/* ---- series --------------------------------------------------------------------------------------- */

/* Chains of x <- rho x + sqrt(1 - rho^2) z, in equilibrium from the start: autocorrelations rho^t, so
   that the time is (1 + rho) / (1 - rho). The caller frees the data. */
static isg_matd autoregression(double rho, size_t chains, size_t steps, uint64_t seed) {
    isg_matd series = {malloc(chains * (steps + 3) * sizeof(double)), chains, steps, steps + 3};
    assert_non_null(series.data);
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < chains; k++) {
        double x = isg_next_normal(&random);
        for (size_t t = 0; t < series.stride; t++) {
            series.data[k * series.stride + t] = t < steps ? 7 + x : (double)NAN;
            x = rho * x + sqrt(1 - rho * rho) * isg_next_normal(&random);
        }
    }
    return series;
}

static isg_autocorrelation time_of(isg_matd series) {
    return isg_series_autocorrelation(isg_matd_const(series));
}

static double rhat_of(isg_matd series) {
    return isg_series_rhat(isg_matd_const(series));
}

static void test_time_of_autoregressions(void **state) {
    (void)state;
    static const double rhos[] = {0, 0.5, 0.9};
    for (size_t r = 0; r < 3; r++)
        for (size_t chains = 1; chains <= 16; chains *= 16) {
            const size_t steps = 256000 / chains;
            isg_matd series = autoregression(rhos[r], chains, steps, test_seed(r));
            const isg_autocorrelation found = time_of(series);
            const double expected = (1 + rhos[r]) / (1 - rhos[r]);
            assert_true(fabs(found.time - expected) < 5 * found.error);
            assert_true(found.error < 0.1 * expected && found.is_reliable);
            assert_true((double)found.window >= 5 * found.time);
            assert_true((double)(found.window - 1) < 5 * found.time + 1);
            if (rhos[r] > 0) { /* every second value is less correlated, by 10 errors or more */
                isg_matd sparse = autoregression(rhos[r] * rhos[r], chains, steps, test_seed(r));
                assert_true(fabs(time_of(sparse).time - expected) > 5 * found.error);
                free(sparse.data);
            }
            free(series.data);
        }
}

/* Deviations from the known time, in units of the reported error, scatter by about 1. */
static void test_error_of_time_is_honest(void **state) {
    (void)state;
    enum { REPEATS = 100 };
    double square = 0, sum = 0;
    for (size_t r = 0; r < REPEATS; r++) {
        isg_matd series = autoregression(0.6, 5, 1000, test_seed(100 + r));
        const isg_autocorrelation found = time_of(series);
        const double score = (found.time - 4) / found.error;
        sum += score;
        square += score * score;
        free(series.data);
    }
    assert_true(sqrt(square / REPEATS) > 0.6 && sqrt(square / REPEATS) < 1.5);
    assert_true(fabs(sum / REPEATS) < 0.8);
}

static void test_short_series_are_not_reliable(void **state) {
    (void)state;
    isg_matd brief = autoregression(0.9, 50, 600, 1), still = autoregression(0.999, 4, 100, 1);
    assert_false(time_of(brief).is_reliable); /* 600 < 50 * 19 */
    const isg_autocorrelation found = time_of(still);
    assert_false(found.is_reliable);
    assert_true(found.window < 50 && found.time > 10);
    for (size_t k = 0; k < 4; k++) /* each chain at a place of its own, hardly moving */
        for (size_t t = 0; t < 100; t++)
            still.data[k * still.stride + t] = (double)k + 1e-3 * (double)(t % 2);
    assert_true(time_of(still).time > 10 && rhat_of(still) > 100);
    for (size_t k = 0; k < 4; k++)
        for (size_t t = 0; t < 100; t++)
            still.data[k * still.stride + t] = (double)k;
    assert_true(isinf(rhat_of(still)));
    for (size_t k = 0; k < 4; k++)
        for (size_t t = 0; t < 100; t++)
            still.data[k * still.stride + t] = 0.1;
    assert_true(isnan(time_of(still).time) && isnan(rhat_of(still)));
    assert_false(time_of(still).is_reliable);
    free(brief.data);
    free(still.data);
}

static void test_rhat_by_hand(void **state) {
    (void)state;
    /* Halves of means 1.5, 3.5, 1.5, 2.5 and variances 1/2: R^2 = 1/2 + (2.75 / 3) / (1/2). */
    double even[] = {1, 2, 3, 4, 2, 1, 2, 3}, odd[] = {1, 2, 99, 3, 4, 2, 1, -99, 2, 3};
    const double expected = sqrt(0.5 + 2.75 / 3 * 2);
    assert_true(fabs(rhat_of(isg_matd_of(even, 2, 4)) - expected) < 1e-15);
    assert_true(fabs(rhat_of(isg_matd_of(odd, 2, 5)) - expected) < 1e-15);
}

/* Of series of variance 1, or 1 + 1.5^2 / 12 on the way, from the variance of the means of their eight halves.
   These scatter by sqrt(3 / 1000), which leaves 0.009 and 0.011 in R. */
static void test_rhat_tells_chains_that_disagree(void **state) {
    (void)state;
    enum { CHAINS = 4, STEPS = 2000 };
    isg_matd series = autoregression(0.5, CHAINS, STEPS, test_seed(1));
    assert_true(fabs(rhat_of(series) - 1) < 0.01);
    for (size_t t = 0; t < STEPS; t++) /* one chain elsewhere, by a standard deviation */
        series.data[2 * series.stride + t] += 1;
    assert_true(fabs(rhat_of(series) - sqrt(1 + 1.5 / 7)) < 0.045);
    free(series.data);
    series = autoregression(0.5, CHAINS, STEPS, test_seed(2));
    for (size_t k = 0; k < CHAINS; k++) /* all on the way together: halves differ, chains do not */
        for (size_t t = 0; t < STEPS; t++)
            series.data[k * series.stride + t] += 3 * (double)t / STEPS;
    assert_true(fabs(rhat_of(series) - sqrt(1 + 4.5 / 7 / 1.1875)) < 0.055);
    free(series.data);
}

static bool is_trapped(isg_matd series) {
    return isg_series_is_trapped(isg_matd_const(series));
}

/* Adds what `move` says to every chain. */
static isg_matd moved_series(double rho, double (*move)(size_t chain, double part), uint64_t seed) {
    enum { CHAINS = 20, STEPS = 1000 };
    isg_matd series = autoregression(rho, CHAINS, STEPS, seed);
    for (size_t k = 0; k < CHAINS; k++)
        for (size_t t = 0; t < STEPS; t++)
            series.data[k * series.stride + t] += move(k, (double)t / STEPS);
    return series;
}

static double stay_put(size_t chain, double part) {
    (void)chain, (void)part;
    return 0;
}

static double two_wells(size_t chain, double part) {
    (void)part;
    return chain % 2 == 0 ? -4 : 4;
}

static double slightly_apart(size_t chain, double part) {
    return 0.075 * two_wells(chain, part);
}

static double one_elsewhere(size_t chain, double part) {
    (void)part;
    return chain == 3 ? 8 : 0;
}

static double one_hops(size_t chain, double part) {
    return chain == 3 && part >= 0.5 ? -two_wells(3, 0) : two_wells(chain, 0);
}

static double relax(size_t chain, double part) {
    return two_wells(chain, 0) * exp(-2 * part);
}

static double far_apart(size_t chain, double part) {
    (void)part;
    return 100 * (double)chain;
}

/* Trapped chains differ however long they get; chains that are slow, still drifting, or of which
   some change sides only need more steps, though they differ as much. */
static void test_trapped_or_slow(void **state) {
    (void)state;
    const struct {
        double rho;
        double (*move)(size_t chain, double part);
        bool differ, trapped;
    } cases[] = {
        {0.5, stay_put, false, false},
        {-0.9, slightly_apart, false, false},
        {0.5, two_wells, true, true},
        {0.9, two_wells, true, true},
        {0.5, one_elsewhere, true, true},
        {0.5, one_hops, true, false},
        {0.5, relax, true, false},
        {0.9999, far_apart, true, false}, /* far from each other, and wandering */
        {0.999, stay_put, true, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        isg_matd series = moved_series(cases[c].rho, cases[c].move, test_seed(30 + c));
        if ((rhat_of(series) > 1.1) != cases[c].differ || is_trapped(series) != cases[c].trapped)
            fail_msg("case %zu: R-hat %.4f, trapped %d", c, rhat_of(series), is_trapped(series));
        series.cols = 7; /* too short to tell */
        assert_false(is_trapped(series));
        free(series.data);
    }
}

/* ---- chains ---------------------------------------------------------------------------------------- */

enum { N = 3, STATES = 1 << N };

/* Three spins, a hidden unit that couples them, and another that does nothing, from which nothing is
   remembered. */
static isg_rbm *small_rbm(double beta) {
    static const double weights[N][2] = {{0, 0.9}, {0, 0.8}, {0, -0.7}};
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, N, 2, beta));
    for (size_t i = 0; i < N; i++) {
        memcpy(isg_rbm_weights(rbm).data + 2 * i, weights[i], sizeof weights[i]);
        isg_rbm_visible_field(rbm)[i] = 0.1 + 0.1 * (double)i;
    }
    isg_rbm_hidden_field(rbm)[1] = 0.2;
    return rbm;
}

/* The chance of going from one state to another in a sweep, by the trapezoid rule over lambda. */
static void transition_matrix(isg_rbm *rbm, double beta, double matrix[STATES][STATES]) {
    const double step = 0.01, pi = 3.14159265358979323846;
    for (uint64_t from = 0; from < STATES; from++) {
        double h[2], x[N];
        isg_rbm_hidden_input(rbm, &from, h);
        memset(matrix[from], 0, sizeof matrix[from]);
        for (double z = -9; z < 9; z += step) {
            const double lambda[2] = {0, h[1] + z / sqrt(beta)};
            const double weight = step * exp(-z * z / 2) / sqrt(2 * pi);
            isg_rbm_visible_input(rbm, lambda, x);
            for (uint64_t to = 0; to < STATES; to++) {
                double p = weight;
                for (size_t i = 0; i < N; i++)
                    p /= 1 + exp(-2 * beta * plain_spin(to, i) * x[i]);
                matrix[from][to] += p;
            }
        }
    }
}

static double dot(const double *p, const double *f, const double *g) {
    double sum = 0;
    for (size_t s = 0; s < STATES; s++)
        sum += p[s] * f[s] * g[s];
    return sum;
}

/* sum over t >= 0 of <f, P^t f> for f of mean zero. */
static double summed_correlations(double matrix[STATES][STATES], const double *p, const double *f) {
    double g[STATES], sum = 0;
    memcpy(g, f, sizeof g);
    for (size_t t = 0; t < 2000; t++) {
        double next[STATES] = {0};
        sum += dot(p, f, g);
        for (size_t s = 0; s < STATES; s++)
            for (size_t to = 0; to < STATES; to++)
                next[s] += matrix[s][to] * g[to];
        memcpy(g, next, sizeof g);
    }
    return sum;
}

/* The exact times of the energy and of the hidden unit. That one has noise of variance 1 / beta on
   top of its mean h(s), and what it has in common with the next one it has through the spins between:
   C(0) = <h, h> + 1 / beta, C(t) = <h, P^(t - 1) h>. */
static void exact_times(isg_rbm *rbm, double beta, double *energy, double *hidden) {
    static const double one[STATES] = {1, 1, 1, 1, 1, 1, 1, 1};
    double p[STATES], matrix[STATES][STATES], f[STATES], g[STATES];
    assert_ok(isg_exact_probabilities(rbm, p));
    transition_matrix(rbm, beta, matrix);
    for (uint64_t s = 0; s < STATES; s++) {
        double h[2], into = 0;
        isg_rbm_hidden_input(rbm, &s, h);
        assert_ok(isg_rbm_spin_energy(rbm, &s, &f[s]));
        g[s] = h[1];
        for (uint64_t from = 0; from < STATES; from++)
            into += p[from] * matrix[from][s];
        assert_true(fabs(into - p[s]) < 1e-10);
    }
    const double mean_f = dot(p, f, one), mean_g = dot(p, g, one);
    for (size_t s = 0; s < STATES; s++) {
        f[s] -= mean_f;
        g[s] -= mean_g;
    }
    *energy = 2 * summed_correlations(matrix, p, f) / dot(p, f, f) - 1;
    *hidden = 1 + 2 * summed_correlations(matrix, p, g) / (dot(p, g, g) + 1 / beta);
}

static void test_measured_times_are_those_of_the_transition_matrix(void **state) {
    (void)state;
    const double beta = 0.8;
    isg_rbm *rbm = small_rbm(beta);
    isg_chains *chains = NULL;
    isg_decorrelation found;
    double energy = 0, hidden = 0;
    isg_set_threads(1); /* thousands of sweeps too short to share */
    exact_times(rbm, beta, &energy, &hidden);
    assert_true(energy > 1.2 && hidden > 1.5); /* else there is nothing to tell */
    assert_ok(isg_chains_create(&chains, rbm, 50, test_seed(3)));
    assert_ok(isg_chains_measure(chains, 200, 3000, beta, &found, NULL));
    assert_true(fabs(found.energy.time - energy) < 5 * found.energy.error);
    assert_true(fabs(found.hidden.time - hidden) < 5 * found.hidden.error);
    assert_true(found.energy.error < 0.05 * energy && found.hidden.error < 0.05 * hidden);
    assert_true(found.slowest_unit == 1 && found.is_reliable);
    assert_true(found.energy_rhat < 1.01 && found.hidden_rhat < 1.01);
    assert_true(found.chains == 50 && found.sweeps == 3000);
    /* At another temperature, another time: the test can tell. */
    assert_ok(isg_chains_measure(chains, 0, 3000, beta / 2, &found, NULL));
    assert_true(fabs(found.hidden.time - hidden) > 10 * found.hidden.error);
    assert_int_equal(isg_chains_describe(chains).sweeps, 6200);
    isg_set_threads(0);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* Cold chains that start on both sides stay there. */
static void test_stuck_chains_show(void **state) {
    (void)state;
    const uint64_t sides[] = {0x3, 0x4};
    isg_rbm *rbm = small_rbm(20);
    isg_chains *chains = NULL;
    isg_decorrelation found;
    assert_ok(isg_chains_create(&chains, rbm, 10, 1));
    for (size_t k = 0; k < 10; k++)
        isg_chains_set_spins(chains, k, &sides[k % 2]);
    assert_ok(isg_chains_measure(chains, 0, 100, 20, &found, NULL));
    assert_true(found.hidden_rhat > 1.5 && found.hidden.time > 10 && !found.is_reliable);
    assert_true(found.is_trapped);
    assert_ok(isg_chains_measure(chains, 0, 100, 1.5, &found, NULL)); /* warmer: slow */
    assert_true(found.hidden_rhat > 1.1 && !found.is_reliable && !found.is_trapped);
    assert_ok(isg_chains_measure(chains, 0, 2000, 0.5, &found, NULL));
    assert_true(found.hidden_rhat < 1.1 && found.is_reliable && !found.is_trapped);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* One pattern and its mirror image, which have the same energy: only the hidden unit tells them
   apart. */
static void test_trapped_between_mirror_images(void **state) {
    (void)state;
    enum { SPINS = 64 };
    const uint64_t sides[] = {0, UINT64_MAX};
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    isg_decorrelation found;
    assert_ok(isg_rbm_create(&rbm, SPINS, 1, 4));
    for (size_t i = 0; i < SPINS; i++)
        isg_rbm_weights(rbm).data[i] = 0.125;
    assert_ok(isg_chains_create(&chains, rbm, 20, 1));
    for (size_t k = 0; k < 20; k++)
        isg_chains_set_spins(chains, k, &sides[k % 2]);
    assert_ok(isg_chains_measure(chains, 200, 400, 4, &found, NULL));
    assert_true(found.energy_rhat < 1.1 && found.hidden_rhat > 5 && found.is_trapped);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* ---- same bytes, refusals ------------------------------------------------------------------------ */

static void test_measuring_does_not_depend_on_threads(void **state) {
    (void)state;
    isg_rbm *rbm = small_rbm(1);
    isg_decorrelation found[2];
    for (size_t run = 0; run < 4; run++) {
        isg_chains *chains = NULL;
        isg_set_threads((size_t[]){1, 2, 3, 7}[run]);
        memset(&found[run > 0], 0, sizeof found[0]);
        assert_ok(isg_chains_create(&chains, rbm, 20, 1));
        assert_ok(isg_chains_measure(chains, 0, 50, 1, &found[run > 0], NULL));
        isg_chains_free(chains);
        assert_true(found[0].energy.time == found[run > 0].energy.time &&
                    found[0].hidden.time == found[run > 0].hidden.time &&
                    found[0].energy_rhat == found[run > 0].energy_rhat &&
                    found[0].hidden_rhat == found[run > 0].hidden_rhat);
    }
    isg_set_threads(0);
    isg_rbm_free(rbm);
}

static bool refuse(void *user, double fraction) {
    *(double *)user = fraction;
    return fraction < 0.5;
}

static void test_refusals(void **state) {
    (void)state;
    double seen = 0;
    isg_decorrelation found = {.sweeps = 77};
    isg_rbm *rbm = small_rbm(1);
    isg_chains *chains = NULL;
    assert_ok(isg_chains_create(&chains, rbm, 1000, 1));
    assert_fails(isg_chains_measure(chains, 0, 3, 1, &found, NULL), ISG_ERR_ARGUMENT, "found 3");
    assert_fails(isg_chains_measure(chains, 0, 4, 0, &found, NULL), ISG_ERR_ARGUMENT, "beta");
    assert_fails(isg_chains_measure(chains, 0, 100000, 1, &found, NULL), ISG_ERR_UNSUPPORTED,
                 "2 GiB");
    assert_fails(isg_chains_measure(chains, 0, SIZE_MAX / 2, 1, &found, NULL), ISG_ERR_UNSUPPORTED,
                 "fewer");
    assert_int_equal(isg_chains_describe(chains).sweeps, 0);
    const isg_progress progress = {refuse, &seen};
    assert_fails(isg_chains_measure(chains, 0, 10, 1, &found, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_true(seen == 0.5 && found.sweeps == 77);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

static isg_status measure(void *chains) {
    isg_decorrelation found;
    return isg_chains_measure(chains, 0, 5, 1, &found, NULL);
}

static void test_running_out_of_memory(void **state) {
    (void)state;
    isg_rbm *rbm = small_rbm(1);
    isg_chains *chains = NULL;
    assert_ok(isg_chains_create(&chains, rbm, 3, 1));
    assert_int_equal(sweep_allocations(measure, chains), 5);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_of_autoregressions),
        cmocka_unit_test(test_error_of_time_is_honest),
        cmocka_unit_test(test_short_series_are_not_reliable),
        cmocka_unit_test(test_rhat_by_hand),
        cmocka_unit_test(test_rhat_tells_chains_that_disagree),
        cmocka_unit_test(test_trapped_or_slow),
        cmocka_unit_test(test_measured_times_are_those_of_the_transition_matrix),
        cmocka_unit_test(test_stuck_chains_show),
        cmocka_unit_test(test_trapped_between_mirror_images),
        cmocka_unit_test(test_measuring_does_not_depend_on_threads),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
