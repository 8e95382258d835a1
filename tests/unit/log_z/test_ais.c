/* test_ais.c - annealed importance sampling against enumeration
 *
 * SPDX-License-Identifier: MIT
 *
 * The mean weight is Z / 2^N for every number of steps, and few steps are where book-keeping errors
 * show: the same test must catch each of them in a plainly written twin.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"
#include "helper_allocation.h"
#include "log_z/ais.h"
#include "rbm/rbm.h"
#include "test.h"

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

/* Random weights and both fields; weak enough that one step keeps a quarter of the chains. */
static isg_rbm *random_rbm(size_t n, size_t p, double beta, double size) {
    isg_cursor random = isg_cursor_at(isg_stream_at(n * 100 + p, ISG_PURPOSE_TEST, 5, 0));
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    const double scale = size / sqrt(beta * (double)n);
    for (size_t k = 0; k < n * p; k++)
        rbm->weights[k] = scale * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        rbm->b[i] = scale / sqrt(beta) * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        rbm->c[mu] = size / sqrt(beta) * (0.7 + 0.2 * isg_next_normal(&random));
    return rbm;
}

static double exact(const isg_rbm *rbm) {
    double log_z = 0;
    assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
    return log_z;
}

/* How many standard errors mean(w) 2^N / Z is from 1; the share of chains that count. */
static double score(const double *log_weights, size_t n, double log_ratio, double *share) {
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++) {
        const double weight = exp(log_weights[k] - log_ratio);
        sum += weight;
        squares += weight * weight;
    }
    const double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
    *share = sum * sum / ((double)n * squares);
    return (mean - 1) / sqrt(variance / (double)n);
}

/* ---- unbiased ---------------------------------------------------------------------------------- */

static void check_unbiased(isg_ais_weights weights, isg_ais_move move, size_t chains, double size) {
    const double betas[] = {0.5, 1, 2};
    const size_t steps[] = {1, 2, 4, 16};
    double *log_weights = calloc(chains, sizeof *log_weights);
    assert_non_null(log_weights);
    for (size_t k = 0; k < 3; k++)
        for (size_t t = 0; t < 4; t++) {
            isg_rbm *rbm = random_rbm(12 + 4 * k, 1 + k, betas[k], size);
            isg_ais_options options = isg_ais_defaults();
            options.chains = chains;
            options.steps = steps[t];
            options.weights = weights;
            options.move = move;
            options.seed = test_seed();
            isg_log_z found;
            double share = 0;
            assert_ok(isg_ais_log_z(rbm, &options, &found, log_weights, NULL));
            const double log_z = exact(rbm), free_spins = (double)rbm->info.n_visible * log(2.0);
            const double z = score(log_weights, chains, log_z - free_spins, &share);
            if (!(fabs(z) < 5))
                fail_msg("beta %g, %zu steps: %.1f standard errors off", betas[k], steps[t], z);
            if (!(share >= 0.25))
                fail_msg("beta %g, %zu steps: only %.2f of the chains count", betas[k], steps[t],
                         share);
            assert_true(fabs(found.value - log_z) < 5 * found.error + 1e-12);
            assert_true(fabs(found.ess / (double)chains - share) < 1e-6);
            isg_rbm_free(rbm);
        }
    free(log_weights);
}

static void test_spin_weights_are_unbiased(void **state) {
    (void)state;
    /* 400000 chains in the long tests, which bring a seed of their own. */
    check_unbiased(ISG_AIS_SPIN, ISG_AIS_GIBBS, getenv("ISINGLASS_TEST_SEED") ? 400000 : 60000,
                   0.45);
}

static void test_joint_weights_are_unbiased(void **state) {
    (void)state;
    check_unbiased(ISG_AIS_JOINT, ISG_AIS_GIBBS, 40000, 0.3);
}

static void test_lambda_weights_are_unbiased(void **state) {
    (void)state;
    check_unbiased(ISG_AIS_LAMBDA, ISG_AIS_GIBBS, 8000, 0.4);
}

static void test_trajectories_are_unbiased(void **state) {
    (void)state;
    check_unbiased(ISG_AIS_LAMBDA, ISG_AIS_HMC, 4000, 0.4);
}

/* ---- twins ------------------------------------------------------------------------------------- */

typedef enum mistake {
    NONE,
    FIRST_STEP_LOST, /* the first increment is left out, as if s were 0 at the start */
    MOVED_FIRST,     /* weighed after the move to the next alpha */
    ENDS_EARLY,      /* alphas end one step before 1 */
    NO_FIELD,        /* b is not in the weight */
    NO_HIDDEN_FIELD, /* nor c */
    FULL_NOISE       /* beta alpha where beta belongs: hidden units of the wrong variance */
} mistake;

/* beta (H_from(s) - H_to(s)) from the definition. */
static double increment(const isg_rbm *rbm, uint64_t spins, double from, double to, mistake wrong) {
    double linear = 0, square = 0;
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++) {
        const double c = wrong == NO_HIDDEN_FIELD ? 0 : rbm->c[mu];
        double h = c;
        for (size_t i = 0; i < rbm->info.n_visible; i++)
            h += isg_spin(&spins, i) * rbm->weights[i * rbm->info.n_hidden + mu];
        square += (h * h - c * c) / 2;
    }
    if (wrong != NO_FIELD)
        for (size_t i = 0; i < rbm->info.n_visible; i++)
            linear += isg_spin(&spins, i) * rbm->b[i];
    return rbm->info.beta * ((to - from) * linear + (to * to - from * from) * square);
}

static void twin_move(isg_rbm *scaled, const isg_rbm *rbm, isg_cursor *random, double alpha,
                      mistake wrong, uint64_t *spins) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    for (size_t k = 0; k < n * p; k++)
        scaled->weights[k] = alpha * rbm->weights[k];
    for (size_t i = 0; i < n; i++)
        scaled->b[i] = alpha * rbm->b[i];
    for (size_t mu = 0; mu < p; mu++)
        scaled->c[mu] = alpha * rbm->c[mu];
    scaled->info.beta = rbm->info.beta;
    double lambda[8], input[24];
    if (wrong == FULL_NOISE) {
        memcpy(scaled->weights, rbm->weights, n * p * sizeof(double));
        memcpy(scaled->b, rbm->b, n * sizeof(double));
        memcpy(scaled->c, rbm->c, p * sizeof(double));
        scaled->info.beta = alpha * rbm->info.beta;
    }
    isg_rbm_sweep(scaled, random, spins, lambda, input);
}

static double twin(mistake wrong, size_t steps, size_t chains) {
    isg_rbm *rbm = random_rbm(12, 2, 1, 0.8), *scaled = random_rbm(12, 2, 1, 0.8);
    double *log_weights = calloc(chains, sizeof *log_weights);
    assert_non_null(log_weights);
    for (size_t k = 0; k < chains; k++) {
        isg_cursor random =
            isg_cursor_at(isg_stream_at(test_seed(), ISG_PURPOSE_TEST, steps, (uint32_t)k));
        uint64_t spins = isg_next_word(&random) & 0xFFF;
        for (size_t t = 1; t <= steps; t++) {
            const double last = (double)(wrong == ENDS_EARLY ? steps + 1 : steps);
            const double from = (double)(t - 1) / last, to = (double)t / last;
            if (wrong == MOVED_FIRST)
                twin_move(scaled, rbm, &random, to, wrong, &spins);
            if (wrong != FIRST_STEP_LOST || t > 1)
                log_weights[k] += increment(rbm, spins, from, to, wrong);
            if (wrong != MOVED_FIRST)
                twin_move(scaled, rbm, &random, to, wrong, &spins);
        }
    }
    double share = 0;
    const double z = fabs(score(log_weights, chains, exact(rbm) - 12 * log(2.0), &share));
    free(log_weights);
    isg_rbm_free(rbm);
    isg_rbm_free(scaled);
    return z;
}

static void test_mistakes_are_noticed(void **state) {
    (void)state;
    assert_true(twin(NONE, 2, 30000) < 5);
    assert_true(twin(FIRST_STEP_LOST, 2, 30000) > 10);
    assert_true(twin(MOVED_FIRST, 2, 30000) > 10);
    assert_true(twin(ENDS_EARLY, 2, 30000) > 10);
    assert_true(twin(NO_FIELD, 2, 30000) > 10);
    assert_true(twin(NO_HIDDEN_FIELD, 2, 30000) > 10);
    assert_true(twin(FULL_NOISE, 4, 30000) > 10);
}

/* ---- the way back ------------------------------------------------------------------------------ */

/* Exact samples by inversion of the distribution over all states. */
static uint64_t *exact_samples(const isg_rbm *rbm, size_t count) {
    const size_t states = (size_t)1 << rbm->info.n_visible;
    double *p = calloc(states, sizeof *p);
    uint64_t *out = calloc(count, sizeof *out);
    assert_true(p && out);
    assert_ok(isg_exact_probabilities(rbm, p));
    for (size_t s = 1; s < states; s++)
        p[s] += p[s - 1];
    isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(), ISG_PURPOSE_TEST, 9, 0));
    for (size_t k = 0; k < count; k++) {
        out[k] = isg_next_of(&random, p, states);
    }
    free(p);
    return out;
}

/* The mean of 1 / w is 2^N / Z, if the states are the model's; and not if they are free. */
static void test_the_way_back_is_unbiased(void **state) {
    (void)state;
    enum { CHAINS = 100000 };
    isg_rbm *rbm = random_rbm(12, 2, 2, 0.8);
    uint64_t *spins = exact_samples(rbm, CHAINS);
    double *log_weights = calloc(CHAINS, sizeof *log_weights);
    assert_non_null(log_weights);
    const double log_ratio = exact(rbm) - 12 * log(2.0);
    const size_t steps[] = {1, 2, 4, 16};
    for (size_t t = 0; t < 4; t++)
        for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
            isg_ais_options options = isg_ais_defaults();
            options.chains = CHAINS;
            options.steps = steps[t];
            options.seed = test_seed();
            isg_log_z found;
            double share = 0;
            uint64_t *states = spins;
            if (is_wrong) {
                states = calloc(CHAINS, sizeof *states);
                assert_non_null(states);
                for (size_t k = 0; k < CHAINS; k++)
                    states[k] = k % 4096;
            }
            assert_ok(isg_ais_reverse(rbm, states, &options, &found, log_weights, NULL));
            for (size_t k = 0; k < CHAINS; k++)
                log_weights[k] = -log_weights[k];
            const double z = fabs(score(log_weights, CHAINS, -log_ratio, &share));
            if (is_wrong ? !(z > 10) && steps[t] <= 2 : !(z < 5))
                fail_msg("%zu steps, wrong %d: %.1f standard errors off", steps[t], is_wrong, z);
            assert_int_equal(found.side, ISG_SIDE_UPPER);
            if (is_wrong)
                free(states);
        }
    free(log_weights);
    free(spins);
    isg_rbm_free(rbm);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static void test_threads_and_instruction_sets_agree(void **state) {
    (void)state;
    const char *isa_before = isg_isa();
    isg_rbm *rbm = random_rbm(20, 5, 1, 2);
    double first[70], other[70];
    isg_ais_options options = isg_ais_defaults();
    options.chains = 35;
    options.repeats = 2;
    options.steps = 30;
    const size_t threads[] = {1, 2, 3, 7};
    for (int weights = ISG_AIS_SPIN; weights <= ISG_AIS_JOINT; weights++) {
        options.weights = (isg_ais_weights)weights;
        isg_log_z found;
        isg_set_threads(1);
        assert_ok(isg_ais_log_z(rbm, &options, &found, first, NULL));
        for (size_t t = 0; t < 4; t++)
            for (size_t i = 0; isg_isa_name(i); i++) {
                if (isg_set_isa(isg_isa_name(i)) != ISG_OK)
                    continue;
                isg_set_threads(threads[t]);
                assert_ok(isg_ais_log_z(rbm, &options, &found, other, NULL));
                assert_memory_equal(first, other, sizeof first);
            }
    }
    isg_set_threads(0);
    assert_ok(isg_set_isa(isa_before));
    options.seed = 2;
    isg_log_z found;
    assert_ok(isg_ais_log_z(rbm, &options, &found, other, NULL));
    assert_memory_not_equal(first, other, sizeof first);
    isg_rbm_free(rbm);
}

/* Repeats are distinguished from chains, and the two errors from each other. */
static void test_what_is_reported(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(14, 3, 1, 0.6);
    isg_ais_options options = isg_ais_defaults();
    options.chains = 100;
    options.repeats = 40;
    options.steps = 10;
    isg_log_z all, one;
    double log_weights[4000], values[40], mean = 0, square = 0;
    assert_ok(isg_ais_log_z(rbm, &options, &all, log_weights, NULL));
    for (size_t r = 0; r < 40; r++) {
        values[r] = isg_log_mean_exp(log_weights + 100 * r, 100) + 14 * log(2.0);
        mean += values[r] / 40;
    }
    for (size_t r = 0; r < 40; r++)
        square += (values[r] - mean) * (values[r] - mean) / 39;
    assert_true(fabs(all.spread - sqrt(square)) < 1e-9);
    assert_true(fabs(all.value - isg_log_mean_exp(log_weights, 4000) - 14 * log(2.0)) < 1e-12);
    assert_true(all.error >= all.spread / sqrt(40.0) - 1e-12);
    assert_int_equal(all.samples, 4000);
    assert_int_equal(all.side, ISG_SIDE_LOWER);
    assert_true(all.is_trusted && all.reason[0] == 0);
    options.repeats = 1;
    assert_ok(isg_ais_log_z(rbm, &options, &one, NULL, NULL));
    assert_true(isnan(one.spread));
    assert_true(fabs(one.value - values[0]) < 1e-12);
    /* Weights so strong that a single step says nothing. */
    isg_rbm *strong = random_rbm(14, 3, 1, 12);
    options.steps = 1;
    options.chains = 50;
    assert_ok(isg_ais_log_z(strong, &options, &one, NULL, NULL));
    assert_false(one.is_trusted);
    assert_non_null(strstr(one.reason, "of 50 chains"));
    isg_rbm_free(strong);
    isg_rbm_free(rbm);
}

/* A schedule made for the model loses the same share at every step and gives a good estimate. */
static void test_schedules(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(16, 3, 1, 4);
    isg_ais_options options = isg_ais_defaults();
    options.chains = 2000;
    double *fine = NULL, *coarse = NULL;
    size_t fine_steps = 0, coarse_steps = 0;
    assert_ok(isg_ais_schedule(rbm, &options, 0.99, &fine, &fine_steps, NULL));
    assert_ok(isg_ais_schedule(rbm, &options, 0.9, &coarse, &coarse_steps, NULL));
    assert_true(fine_steps > 2 * coarse_steps && coarse_steps >= 2);
    assert_true(fine[0] == 0 && fine[fine_steps] == 1);
    for (size_t k = 0; k < fine_steps; k++)
        assert_true(fine[k] < fine[k + 1]);
    options.schedule = fine;
    options.steps = fine_steps;
    options.chains = 20000;
    isg_log_z found, adaptive;
    assert_ok(isg_ais_log_z(rbm, &options, &found, NULL, NULL));
    assert_true(fabs(found.value - exact(rbm)) < 5 * found.error);
    options.schedule = NULL; /* a pilot of 2000 chains finds the same one */
    options.steps = 1;
    options.adaptive = 0.99;
    assert_ok(isg_ais_log_z(rbm, &options, &adaptive, NULL, NULL));
    assert_true(adaptive.value == found.value && adaptive.error == found.error);
    options.adaptive = 0;
    options.schedule = fine;
    options.steps = fine_steps;
    fine[1] = fine[2];
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT, "rising");
    isg_release(fine);
    isg_release(coarse);
    isg_rbm_free(rbm);
}

/* Every beta of a list, in any order and even twice, is as good as on its own. */
static void test_many_betas(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(14, 3, 1, 1);
    const double betas[] = {2, 0.1, 0.7, 3, 0.7, 1};
    isg_ais_options options = isg_ais_defaults();
    options.chains = 40000;
    options.steps = 30;
    options.seed = test_seed();
    isg_log_z found[6];
    assert_ok(isg_ais_log_z_betas(rbm, &options, betas, 6, found, NULL));
    for (size_t k = 0; k < 6; k++) {
        rbm->info.beta = betas[k];
        const double z = (found[k].value - exact(rbm)) / found[k].error;
        if (!(fabs(z) < 5 && found[k].error < 0.02))
            fail_msg("beta %g: %.2f +- %.4f, %.1f errors off", betas[k], found[k].value,
                     found[k].error, z);
    }
    assert_true(found[2].value == found[4].value);
    rbm->info.beta = 1;
    const double wrong[] = {1, 0};
    assert_fails(isg_ais_log_z_betas(rbm, &options, wrong, 2, found, NULL), ISG_ERR_ARGUMENT,
                 "beta");
    assert_fails(isg_ais_log_z_betas(rbm, &options, wrong, 0, found, NULL), ISG_ERR_ARGUMENT,
                 "one beta");
    options.weights = ISG_AIS_JOINT;
    assert_fails(isg_ais_log_z_betas(rbm, &options, betas, 6, found, NULL), ISG_ERR_ARGUMENT,
                 "spin");
    isg_rbm_free(rbm);
}

static bool refuse(void *user, double fraction) {
    *(double *)user = fraction;
    return false;
}

static void test_refusals(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(20, 3, 1, 1);
    isg_log_z found;
    isg_ais_options options = isg_ais_defaults();
    options.chains = 0;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "at least one chain");
    options.chains = SIZE_MAX / 2;
    options.repeats = 3;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "at most 2^32");
    options = isg_ais_defaults();
    options.move = ISG_AIS_HMC;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "lambda weights");
    options.weights = ISG_AIS_LAMBDA;
    options.hmc_step = 0;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "positive step");
    const uint64_t spins[500] = {0};
    assert_fails(isg_ais_reverse(rbm, spins, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT,
                 "way back");
    options = isg_ais_defaults();
    double *schedule = NULL;
    size_t steps = 0;
    assert_fails(isg_ais_schedule(rbm, &options, 1, &schedule, &steps, NULL), ISG_ERR_ARGUMENT,
                 "target");
    double fraction = 0;
    const isg_progress progress = {refuse, &fraction};
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_true(fraction > 0 && fraction < 1);
    options.weights = ISG_AIS_LAMBDA;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_fails(isg_ais_schedule(rbm, &options, 0.9, &schedule, &steps, &progress),
                 ISG_ERR_CANCELLED, "cancelled");
    options = isg_ais_defaults();
    options.adaptive = 0.9;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    options.adaptive = 1;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT, "adaptive");
    options.adaptive = (double)NAN;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT, "adaptive");
    options.adaptive = 0.9;
    options.steps = 1;
    options.schedule = (const double[]){0, 1};
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_ARGUMENT, "no schedule");
    options.schedule = NULL;
    assert_fails(isg_ais_log_z_betas(rbm, &options, (const double[]){1}, 1, &found, NULL),
                 ISG_ERR_ARGUMENT, "schedule");
    rbm->weights[7] = (double)NAN;
    options = isg_ais_defaults();
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_DIVERGED,
                 "weight between");
    options.weights = ISG_AIS_LAMBDA;
    options.steps = 2;
    assert_fails(isg_ais_log_z(rbm, &options, &found, NULL, NULL), ISG_ERR_DIVERGED, "finite");
    isg_rbm_free(rbm);
}

/* Weights a hundred times too large: energies of thousands, and still the right answer. */
static void test_large_weights(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(8, 2, 1, 50);
    isg_ais_options options = isg_ais_defaults();
    options.chains = 4000;
    options.steps = 4000;
    isg_log_z found;
    assert_ok(isg_ais_log_z(rbm, &options, &found, NULL, NULL));
    assert_true(isfinite(found.value) && isfinite(found.error));
    if (!(fabs(found.value - exact(rbm)) < 5 * found.error + 1e-4))
        fail_msg("%.6f +- %.6f, but ln Z is %.6f", found.value, found.error, exact(rbm));
    isg_rbm_free(rbm);
}

/* The kernels round W to whole multiples of a unit, which shifts energies of 1e9 by more than the
   chains scatter; the weights must correct for that, there and back. */
static void test_rounding_is_made_good(void **state) {
    (void)state;
    const isg_ais_weights weights[] = {ISG_AIS_SPIN, ISG_AIS_JOINT};
    isg_rbm *rbm = random_rbm(1, 1, 2, 1);
    rbm->weights[0] = 31415.9265358979;
    rbm->b[0] = rbm->c[0] = 0;
    isg_ais_options options = isg_ais_defaults();
    isg_log_z found;
    for (size_t k = 0; k < 2; k++) {
        options.weights = weights[k];
        options.chains = k == 0 ? 500 : 20;
        assert_ok(isg_ais_log_z(rbm, &options, &found, NULL, NULL));
        if (k == 0 && !(fabs(found.value - exact(rbm)) < 1e-3))
            fail_msg("%.6f, but ln Z is %.6f", found.value, exact(rbm));
        assert_true(isfinite(found.value));
    }
    options.weights = ISG_AIS_SPIN;
    options.chains = 500;
    uint64_t *spins = exact_samples(rbm, 500);
    assert_ok(isg_ais_reverse(rbm, spins, &options, &found, NULL, NULL));
    assert_true(fabs(found.value - exact(rbm)) < 1e-3);
    const double betas[] = {0.5, 2};
    isg_log_z many[2];
    assert_ok(isg_ais_log_z_betas(rbm, &options, betas, 2, many, NULL));
    assert_true(fabs(many[1].value - exact(rbm)) < 1e-3);
    free(spins);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_weights_are_unbiased),
        cmocka_unit_test(test_joint_weights_are_unbiased),
        cmocka_unit_test(test_lambda_weights_are_unbiased),
        cmocka_unit_test(test_trajectories_are_unbiased),
        cmocka_unit_test(test_mistakes_are_noticed),
        slow_unit_test(test_the_way_back_is_unbiased),
        cmocka_unit_test(test_threads_and_instruction_sets_agree),
        cmocka_unit_test(test_what_is_reported),
        slow_unit_test(test_schedules),
        cmocka_unit_test(test_many_betas),
        cmocka_unit_test(test_refusals),
        slow_unit_test(test_large_weights),
        cmocka_unit_test(test_rounding_is_made_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
