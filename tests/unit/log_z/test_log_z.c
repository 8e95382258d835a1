/* test_log_z.c - the choice of a method for ln Z, and the log-likelihood of data
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_oracle.h"
#include "helper_progress.h"
#include "rbm/rbm.h"
#include "test.h"

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static isg_rbm *random_rbm(size_t n, size_t p, double beta, double size) {
    isg_cursor random = isg_cursor_at(isg_stream_at(n * 100 + p, ISG_PURPOSE_TEST, 8, 0));
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    for (size_t k = 0; k < n * p; k++)
        rbm->weights[k] = size * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        rbm->b[i] = 0.2 * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        rbm->c[mu] = 0.3 * isg_next_normal(&random);
    return rbm;
}

enum { SAMPLES = 500 };

static isg_dataset *random_data(size_t n, bool has_labels) {
    isg_cursor random = isg_cursor_at(isg_stream_at(n, ISG_PURPOSE_TEST, 9, 0));
    int8_t *spins = calloc(SAMPLES, n);
    int64_t labels[SAMPLES];
    isg_dataset *data = NULL;
    assert_non_null(spins);
    for (size_t k = 0; k < SAMPLES * n; k++)
        spins[k] = isg_next_below(&random, 5) == 0 ? 1 : -1;
    for (size_t a = 0; a < SAMPLES; a++)
        labels[a] = (int64_t)(a % 7);
    assert_ok(isg_dataset_create(&data, SAMPLES, n, spins, has_labels ? labels : NULL));
    free(spins);
    return data;
}

/* Means and deviations of -beta H, sample by sample from the definition, minus ln Z. */
static void test_likelihood(void **state) {
    (void)state;
    const size_t sizes[] = {1, 63, 64, 100, 200};
    for (size_t k = 0; k < 5; k++) {
        isg_rbm *rbm = random_rbm(sizes[k], 3, 1.7, 0.2);
        isg_dataset *data = random_data(sizes[k], true);
        isg_likelihood all, by_class[7];
        const isg_log_z log_z = {.value = 3.25, .error = 0.5, .is_trusted = k % 2 == 0};
        double exponents[SAMPLES], mean = 0, square = 0;
        assert_ok(isg_log_likelihood(rbm, data, &log_z, &all, by_class, NULL));
        for (size_t a = 0; a < SAMPLES; a++) {
            assert_ok(isg_rbm_spin_energy(rbm, isg_dataset_row(data, a), &exponents[a]));
            exponents[a] *= -1.7;
            mean += exponents[a] / SAMPLES;
        }
        for (size_t a = 0; a < SAMPLES; a++)
            square += (exponents[a] - mean) * (exponents[a] - mean) / (SAMPLES - 1);
        assert_true(fabs(all.data_term - mean) < 1e-10);
        assert_true(all.value == all.data_term - 3.25 && all.error == 0.5);
        assert_int_equal(all.is_trusted, k % 2 == 0);
        assert_true(fabs(all.deviation - sqrt(square)) < 1e-10);
        assert_int_equal(all.samples, SAMPLES);
        double together = 0;
        for (size_t c = 0; c < 7; c++) {
            double sum = 0;
            for (size_t a = c; a < SAMPLES; a += 7)
                sum += exponents[a];
            assert_true(fabs(by_class[c].data_term * (double)by_class[c].samples - sum) < 1e-9);
            assert_true(by_class[c].value == by_class[c].data_term - 3.25);
            assert_true(by_class[c].error == 0.5 && by_class[c].is_trusted == all.is_trusted);
            together += by_class[c].data_term * (double)by_class[c].samples;
        }
        assert_true(fabs(together / SAMPLES - all.data_term) < 1e-10);
        isg_dataset_free(data);
        isg_rbm_free(rbm);
    }
}

/* At every beta as if it were the RBM's own, and the same whichever function computes ln Z. */
static void test_likelihood_agrees(void **state) {
    (void)state;
    const double betas[] = {0.5, 1.7, 2};
    isg_rbm *rbm = random_rbm(12, 3, 1.7, 0.2);
    isg_dataset *data = random_data(12, false);
    isg_likelihood at[3], alone, scored;
    isg_log_z log_z[3], found;
    assert_ok(isg_rbm_log_z_betas(rbm, NULL, betas, 3, log_z, NULL));
    assert_ok(isg_log_likelihood_betas(rbm, data, betas, log_z, 3, at, NULL));
    patience watcher = {.last_call = 0};
    const isg_progress watching = {lose_patience, &watcher}, cancelling = {cancel_at_once, NULL};
    assert_ok(isg_log_likelihood(rbm, data, &log_z[1], &alone, NULL, &watching));
    assert_true(watcher.calls > 0 && watcher.fraction == 1);
    assert_fails(isg_log_likelihood(rbm, data, &log_z[1], &alone, NULL, &cancelling),
                 ISG_ERR_CANCELLED, "the likelihood was cancelled");
    for (size_t k = 0; k < 3; k++) {
        assert_ok(isg_rbm_set_beta(rbm, betas[k]));
        assert_ok(isg_log_likelihood(rbm, data, &log_z[k], &alone, NULL, NULL));
        assert_ok(isg_rbm_score(rbm, data, NULL, &scored, &found, NULL));
        assert_true(same_bits(found.value, log_z[k].value));
        assert_true(same_bits(scored.value, alone.value));
        assert_true(same_bits(scored.error, alone.error));
        assert_true(fabs(at[k].value - alone.value) < 1e-12);
        assert_true(fabs(at[k].data_term - alone.data_term) < 1e-12);
        assert_true(fabs(at[k].deviation - alone.deviation) < 1e-12);
        assert_true(at[k].error == alone.error && at[k].samples == SAMPLES && at[k].is_trusted);
        double sum = 0;
        double *probabilities = calloc((size_t)1 << 12, sizeof *probabilities);
        assert_non_null(probabilities);
        assert_ok(isg_exact_probabilities(rbm, probabilities));
        for (size_t a = 0; a < SAMPLES; a++)
            sum += log(probabilities[isg_dataset_row(data, a)[0]]);
        free(probabilities);
        assert_true(fabs(alone.value - sum / SAMPLES) < 1e-10);
    }
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* The rows of the data are starting points, unless the options name others. */
static void test_score_starts_from_data(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(100, 6, 1, 0.05);
    isg_dataset *data = random_data(100, false);
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z scored, with, without;
    isg_likelihood found;
    options.method = ISG_LOG_Z_MIXTURE;
    options.mixture.samples = 1000;
    assert_ok(isg_rbm_score(rbm, data, &options, &found, &scored, NULL));
    assert_ok(isg_rbm_log_z(rbm, &options, &without, NULL));
    options.mixture.data = data;
    assert_ok(isg_rbm_log_z(rbm, &options, &with, NULL));
    assert_true(same_bits(scored.value, with.value) && found.value == found.data_term - with.value);
    options.mixture.data = NULL;
    options.mixture.data_starts = 0;
    assert_ok(isg_rbm_score(rbm, data, &options, &found, NULL, NULL));
    assert_true(same_bits(found.value, found.data_term - without.value));
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

static void test_likelihood_refuses(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(20, 3, 1, 0.2);
    isg_dataset *data = random_data(21, false), *right = random_data(20, false);
    const isg_log_z log_z = {0};
    isg_likelihood all;
    assert_fails(isg_log_likelihood(rbm, data, &log_z, &all, NULL, NULL), ISG_ERR_SHAPE,
                 "the data have 21 units, the RBM has 20");
    assert_fails(isg_rbm_score(rbm, data, NULL, &all, NULL, NULL), ISG_ERR_SHAPE, "21 units");
    rbm->weights[5] = (double)NAN;
    assert_fails(isg_log_likelihood(rbm, right, &log_z, &all, NULL, NULL), ISG_ERR_DIVERGED,
                 "not finite");
    isg_dataset_free(right);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* Each way where it belongs, and all of them agree. */
static void test_choice(void **state) {
    (void)state;
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z found;
    double exact = 0;
    options.ais.chains = 200;
    options.ais.steps = 100;
    options.mixture.samples = 20000;
    isg_rbm *small = random_rbm(12, 4, 1, 0.2);
    assert_ok(isg_exact_enumerate(small, &exact, NULL));
    const isg_log_z_method methods[] = {ISG_LOG_Z_EXACT,   ISG_LOG_Z_EXACT, ISG_LOG_Z_AIS,
                                        ISG_LOG_Z_MIXTURE, ISG_LOG_Z_WELLS, ISG_LOG_Z_POPULATION};
    for (int k = ISG_LOG_Z_AUTO; k <= ISG_LOG_Z_POPULATION; k++) {
        options.method = (isg_log_z_method)k;
        assert_ok(isg_rbm_log_z(small, &options, &found, NULL));
        assert_int_equal(found.method, methods[k]);
        if (!(fabs(found.value - exact) < 5 * found.error))
            fail_msg("way %d: %.6f +- %.6f, but ln Z is %.6f", k, found.value, found.error, exact);
    }
    options.method = ISG_LOG_Z_AUTO;
    isg_rbm *narrow = random_rbm(100, 2, 1, 0.1);
    assert_ok(isg_rbm_log_z(narrow, &options, &found, NULL));
    assert_int_equal(found.method, ISG_LOG_Z_EXACT);
    assert_non_null(strstr(found.choice, "integrated"));
    isg_rbm *large = random_rbm(100, 6, 1, 0.05);
    assert_ok(isg_rbm_log_z(large, &options, &found, NULL));
    assert_int_equal(found.method, ISG_LOG_Z_WELLS);
    assert_true(found.is_trusted);
    options.method = ISG_LOG_Z_EXACT;
    assert_fails(isg_rbm_log_z(large, &options, &found, NULL), ISG_ERR_UNSUPPORTED,
                 "100 x 6 units");
    options.method = (isg_log_z_method)17;
    assert_fails(isg_rbm_log_z(large, &options, &found, NULL), ISG_ERR_ARGUMENT, "17");
    isg_rbm_free(large);
    isg_rbm_free(narrow);
    isg_rbm_free(small);
}

/* Populations of 100 that hardly move. */
static isg_log_z_options hopeless(void) {
    isg_log_z_options options = isg_log_z_defaults();
    options.population.particles = 100;
    options.population.repeats = 2;
    options.population.sweeps = 1;
    options.population.keep = 0.5;
    options.states.random_starts = 2;
    options.states.majorities = 10;
    options.well_draws = 1000;
    options.patience = 0;
    return options;
}

/* Such populations have no hope with 2^12 minima. With few steps annealing has none either, and the
   larger of the two is taken; patience helps. */
static void test_patience(void **state) {
    (void)state;
    oracle known = oracle_blocks(1, 12, 2.5, 0.2);
    isg_log_z_options options = hopeless();
    isg_log_z wells, annealed, found, tried_again;
    options.ais.chains = 100;
    options.ais.steps = 4;
    options.method = ISG_LOG_Z_WELLS;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &wells, NULL));
    options.method = ISG_LOG_Z_AIS;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &annealed, NULL));
    assert_true(!wells.is_trusted && !annealed.is_trusted && wells.value > annealed.value);
    options.method = ISG_LOG_Z_AUTO;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &found, NULL));
    assert_int_equal(found.method, ISG_LOG_Z_WELLS);
    assert_true(same_bits(found.value, wells.value) && !found.is_trusted);
    assert_non_null(strstr(found.choice, "neither"));
    options.patience = 4; /* up to 1024 steps */
    assert_ok(isg_rbm_log_z(known.rbm, &options, &found, NULL));
    if (!found.is_trusted || !(fabs(found.value - known.log_z) < 5 * found.error))
        fail_msg("%.3f +- %.3f, but ln Z is %.3f", found.value, found.error, known.log_z);
    assert_int_equal(found.method, ISG_LOG_Z_AIS);
    assert_non_null(strstr(found.choice, "wells: "));
    /* Fixed steps are those of annealing: wells keep their second try. */
    options.fixed_steps = true;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &found, NULL));
    options.method = ISG_LOG_Z_WELLS;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &tried_again, NULL));
    assert_true(!same_bits(tried_again.value, wells.value));
    assert_true(!found.is_trusted && same_bits(found.value, tried_again.value));
    isg_rbm_free(known.rbm);
}

/* Every beta gets the method that it would get alone, and the same ln Z within the errors. */
static void test_many_betas(void **state) {
    (void)state;
    const double betas[] = {2, 0.5, 1};
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z found[3], alone;
    isg_rbm *small = random_rbm(12, 4, 1, 0.2), *large = random_rbm(100, 6, 1, 0.05);
    options.mixture.samples = 2000;
    assert_ok(isg_rbm_log_z_betas(small, &options, betas, 3, found, NULL));
    for (size_t k = 0; k < 3; k++) {
        double exact = 0;
        assert_int_equal(found[k].method, ISG_LOG_Z_EXACT);
        assert_ok(isg_rbm_set_beta(small, betas[k]));
        assert_ok(isg_exact_enumerate(small, &exact, NULL));
        assert_true(same_bits(found[k].value, exact));
    }
    assert_ok(isg_rbm_log_z_betas(large, &options, betas, 3, found, NULL));
    for (size_t k = 0; k < 3; k++) {
        assert_ok(isg_rbm_set_beta(large, betas[k]));
        assert_ok(isg_rbm_log_z(large, &options, &alone, NULL));
        assert_int_equal(found[k].method, alone.method);
        assert_true(fabs(found[k].value - alone.value) < 5 * (found[k].error + alone.error));
    }
    isg_rbm_free(small);
    isg_rbm_free(large);
}

/* One annealing serves three betas, and gives the known ln Z at the model's own. */
static void test_betas_left_to_annealing(void **state) {
    (void)state;
    const double betas[] = {1.01, 1, 0.99};
    oracle known = oracle_blocks(1, 12, 2.5, 0.2);
    isg_log_z_options options = hopeless();
    isg_log_z found[3];
    options.ais.chains = 100;
    options.ais.steps = 1024;
    assert_ok(isg_rbm_log_z_betas(known.rbm, &options, betas, 3, found, NULL));
    assert_true(found[0].value > found[1].value && found[1].value > found[2].value);
    for (size_t k = 0; k < 3; k++)
        assert_true(found[k].method == ISG_LOG_Z_AIS && found[k].is_trusted);
    if (!(fabs(found[1].value - known.log_z) < 5 * found[1].error))
        fail_msg("%.3f +- %.3f, but ln Z is %.3f", found[1].value, found[1].error, known.log_z);
    assert_fails(isg_rbm_log_z_betas(known.rbm, &options, betas, 0, found, NULL), ISG_ERR_ARGUMENT,
                 "at least one beta");
    const double wrong[] = {1, -1};
    assert_fails(isg_rbm_log_z_betas(known.rbm, &options, wrong, 2, found, NULL), ISG_ERR_ARGUMENT,
                 "");
    isg_rbm_free(known.rbm);
}

static void test_cancel(void **state) {
    (void)state;
    const isg_progress progress = {cancel_at_once, NULL};
    isg_rbm *rbm = random_rbm(100, 6, 1, 0.05);
    isg_log_z found;
    assert_fails(isg_rbm_log_z(rbm, NULL, &found, &progress), ISG_ERR_CANCELLED, "");
    isg_rbm_free(rbm);
}

/* NULL options are the defaults, bit for bit. */
static void test_no_options(void **state) {
    (void)state;
    const double betas[] = {1, 0.5};
    const isg_log_z_options options = isg_log_z_defaults();
    isg_rbm *rbm = random_rbm(30, 4, 1, 0.1);
    isg_dataset *data = random_data(30, false);
    isg_log_z found[2], same[2];
    isg_interval interval, equal;
    isg_likelihood score, again;
    assert_ok(isg_rbm_log_z(rbm, NULL, found, NULL));
    assert_ok(isg_rbm_log_z(rbm, &options, same, NULL));
    assert_true(same_bits(found->value, same->value) && found->method == ISG_LOG_Z_WELLS);
    assert_ok(isg_rbm_log_z_betas(rbm, NULL, betas, 2, found, NULL));
    assert_ok(isg_rbm_log_z_betas(rbm, &options, betas, 2, same, NULL));
    assert_true(same_bits(found[1].value, same[1].value));
    assert_ok(isg_rbm_score(rbm, data, NULL, &score, NULL, NULL));
    assert_ok(isg_rbm_score(rbm, data, &options, &again, NULL, NULL));
    assert_true(same_bits(score.value, again.value));
    isg_rbm_free(rbm);
    rbm = random_rbm(12, 4, 1, 0.1);
    assert_ok(isg_ais_certificate(rbm, NULL, 0.9, &interval, NULL));
    assert_ok(isg_ais_certificate(rbm, &options.ais, 0.9, &equal, NULL));
    assert_true(same_bits(interval.low, equal.low) && same_bits(interval.high, equal.high));
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* ---- progress ----------------------------------------------------------------------------------- */

typedef struct watcher {
    size_t reports;
    double last;
    bool falls; /* or leaves 0 to 1 */
} watcher;

static bool watch(void *user, double fraction) {
    watcher *w = user;
    w->falls = w->falls || !(fraction >= w->last && fraction <= 1);
    w->last = fraction;
    w->reports++;
    return true;
}

static void check_watcher(watcher *w, const char *what) {
    if (w->reports == 0 || w->falls || w->last != 1)
        fail_msg("%s: %zu reports, the last %.17g%s", what, w->reports, w->last,
                 w->falls ? ", not rising" : "");
    *w = (watcher){0};
}

/* Every method, at one beta and at several, whether it goes through all of its stages or not. */
static void test_progress_ends_at_1(void **state) {
    (void)state;
    enum { WAYS = ISG_LOG_Z_POPULATION + 1 };
    watcher seen = {0};
    const isg_progress progress = {watch, &seen};
    const double betas[] = {1.01, 1};
    isg_log_z_options options = hopeless();
    isg_log_z found[2];
    oracle known = oracle_blocks(1, 12, 2.5, 0.2); /* hopeless, so that auto also anneals */
    isg_rbm *rbms[] = {random_rbm(12, 2, 1, 0.2), random_rbm(100, 2, 1, 0.1),
                       random_rbm(100, 6, 1, 0.05), known.rbm};
    options.mixture.samples = 1000;
    options.mixture.witnesses = 32;
    options.mixture.random_starts = 2;
    options.ais.chains = 100;
    for (size_t k = 0; k <= 3 * WAYS * 2; k++) { /* the last model by auto alone */
        char what[64];
        isg_rbm *rbm = rbms[k / 2 / WAYS];
        options.method = (isg_log_z_method)(k / 2 % WAYS);
        options.ais.steps = k % 2 == 0 ? 4 : 64; /* trusted at last; at once */
        options.ais.repeats = 1 + k % 2;
        options.patience = k % 2 == 0 ? 4 : 1;
        snprintf(what, sizeof what, "model %zu, way %zu, steps %zu", k / 2 / WAYS, k / 2 % WAYS,
                 options.ais.steps);
        const isg_status status = isg_rbm_log_z(rbm, &options, found, &progress);
        assert_true(status == ISG_OK ||
                    (status == ISG_ERR_UNSUPPORTED && options.method == ISG_LOG_Z_EXACT));
        if (status == ISG_OK)
            check_watcher(&seen, what);
        if (options.method == ISG_LOG_Z_AUTO && rbm == rbms[3])
            assert_null(strstr(found->choice, "wells can be trusted"));
        if (k % 2 == 0 && status == ISG_OK) {
            assert_ok(isg_rbm_log_z_betas(rbm, &options, betas, 2, found, &progress));
            check_watcher(&seen, what);
        }
    }
    isg_interval interval;
    options.ais.repeats = 4;
    assert_ok(isg_ais_certificate(rbms[0], &options.ais, 0.9, &interval, &progress));
    check_watcher(&seen, "certificate");
    options.method = ISG_LOG_Z_AIS;
    options.ais.adaptive = 0.9;
    assert_ok(isg_rbm_log_z(rbms[0], &options, found, &progress));
    check_watcher(&seen, "adaptive");
    for (size_t k = 0; k < 4; k++)
        isg_rbm_free(rbms[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likelihood),
        cmocka_unit_test(test_likelihood_agrees),
        cmocka_unit_test(test_score_starts_from_data),
        cmocka_unit_test(test_likelihood_refuses),
        cmocka_unit_test(test_no_options),
        cmocka_unit_test(test_choice),
        slow_unit_test(test_patience),
        cmocka_unit_test(test_many_betas),
        slow_unit_test(test_betas_left_to_annealing),
        cmocka_unit_test(test_cancel),
        slow_unit_test(test_progress_ends_at_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
