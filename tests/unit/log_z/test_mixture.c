/* test_mixture.c - importance sampling of lambda against models with known ln Z
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "helper_oracle.h"
#include "log_z/mixture_log_z.h"

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

/* Few enough for a test. */
static isg_mixture_options few(size_t samples) {
    isg_mixture_options options = isg_mixture_defaults();
    options.samples = samples;
    options.witnesses = 32;
    options.seed = test_seed();
    return options;
}

static isg_log_z estimate(const isg_rbm *rbm, size_t samples) {
    const isg_mixture_options options = few(samples);
    isg_log_z out = {0};
    assert_ok(isg_mixture_log_z(rbm, &options, &out, NULL));
    return out;
}

/* Trusted, with an error of at most `error`, and within five of them. */
static void check_right(const isg_log_z *found, double log_z, double error) {
    if (!found->is_trusted)
        fail_msg("not trusted: %s", found->reason);
    assert_int_equal(found->method, ISG_LOG_Z_MIXTURE);
    assert_int_equal(found->side, ISG_SIDE_BOTH);
    if (!(found->error < error))
        fail_msg("the error is %g, expected below %g", found->error, error);
    if (!(fabs(found->value - log_z) < 5 * found->error + 1e-12 * fabs(log_z)))
        fail_msg("found %.6f +- %.6f, expected %.6f", found->value, found->error, log_z);
}

/* ---- the landscape ---------------------------------------------------------------------------- */

static void test_the_landscape_is_the_free_energy(void **state) {
    (void)state;
    for (double size = 0.01; size < 2000; size *= 10) {
        oracle known = oracle_small(13, 3, 1.5, 0.8);
        isg_rbm *rbm = known.rbm;
        isg_spin_model model;
        double delta[3 * ISG_LANES], values[ISG_LANES], gradient[3 * ISG_LANES];
        isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 1, 1));
        assert_ok(isg_spin_model_start(&model, rbm));
        for (size_t k = 0; k < 3 * ISG_LANES; k++)
            delta[k] = size * isg_next_normal(&random);
        isg_landscape(&model, delta, values, gradient);
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            double lambda[3], slope[3];
            for (size_t mu = 0; mu < 3; mu++)
                lambda[mu] = delta[mu * ISG_LANES + lane] + rbm->c[mu];
            const double expected = -1.5 * isg_rbm_free_energy(rbm, lambda);
            assert_true(fabs(values[lane] - expected) < 1e-12 * (1 + fabs(expected)));
            isg_rbm_free_energy_gradient(rbm, lambda, slope);
            for (size_t mu = 0; mu < 3; mu++)
                assert_true(fabs(gradient[mu * ISG_LANES + lane] - slope[mu]) <
                            1e-13 * (10 + size));
        }
        isg_release(model.field);
        isg_rbm_free(rbm);
    }
}

/* ---- minima ----------------------------------------------------------------------------------- */

/* From the saddle between them to all four minima of two patterns, each of which is one. */
static void test_searches_end_in_minima(void **state) {
    (void)state;
    oracle known = oracle_classes(2, 1, 0);
    isg_spin_model model;
    double points[2 * 2] = {0, 0, 3, 3.1}, delta[2 * ISG_LANES] = {0}, values[ISG_LANES];
    double gradient[2 * ISG_LANES];
    assert_ok(isg_spin_model_start(&model, known.rbm));
    isg_modes modes = isg_modes_start(&model);
    assert_true(modes.is_even);
    assert_ok(isg_modes_search(&modes, points, 2));
    assert_true(modes.count >= 1);
    for (size_t m = 0; m < modes.count; m++) {
        assert_true(modes.list[m].gaussian.has_mirror);
        for (size_t mu = 0; mu < 2; mu++)
            delta[mu * ISG_LANES] = modes.list[m].center[mu];
        isg_landscape(&model, delta, values, gradient);
        assert_true(hypot(gradient[0], gradient[ISG_LANES]) < 1e-5);
        const double least = values[0];
        for (double angle = 0; angle < 6.28; angle += 0.1) {
            delta[0] = modes.list[m].center[0] + 0.05 * cos(angle);
            delta[ISG_LANES] = modes.list[m].center[1] + 0.05 * sin(angle);
            isg_landscape(&model, delta, values, NULL);
            assert_true(values[0] < least);
        }
    }
    isg_modes_release(&modes);
    isg_release(model.field);
    isg_rbm_free(known.rbm);
}

/* ---- against known ln Z ----------------------------------------------------------------------- */

static void test_small_models(void **state) {
    (void)state;
    const double betas[] = {0.5, 1, 2};
    for (size_t k = 0; k < 9; k++) {
        oracle known = oracle_small(6 + 2 * k > 20 ? 20 : 6 + 2 * k, 1 + k % 5, betas[k % 3],
                                    0.5 + 0.2 * (double)(k / 3));
        const isg_log_z found = estimate(known.rbm, 4000);
        check_right(&found, known.log_z, 0.03);
        isg_rbm_free(known.rbm);
    }
}

/* Above and below the critical strength, at it, with a field, and with weights whose exponentials
   overflow. */
static void test_models_of_few_classes(void **state) {
    (void)state;
    const struct {
        double beta, strength, field, error;
    } cases[] = {{0.5, 1, 0, 0.03},  {1, 1, 0, 0.03},    {2, 1, 0, 0.03},
                 {1, 1, 0.02, 0.03}, {2, 1, -0.1, 0.03}, {2, 100, 0, 0.03}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        oracle known = oracle_classes(cases[k].beta, cases[k].strength, cases[k].field);
        const isg_log_z found = estimate(known.rbm, 4000);
        check_right(&found, known.log_z, cases[k].error);
        isg_rbm_free(known.rbm);
    }
}

/* One minimum; 16 minima; and more than can be listed, which must not go unnoticed. */
static void test_rotated_blocks(void **state) {
    (void)state;
    const double betas[] = {0.5, 1, 2};
    for (size_t k = 0; k < 3; k++) {
        oracle known = oracle_blocks(betas[k], k == 2 ? 4 : 0, 3, 0.5);
        const isg_log_z found = estimate(known.rbm, 4000);
        check_right(&found, known.log_z, 0.05);
        assert_int_equal(found.modes, k == 2 ? 16 : 1);
        isg_rbm_free(known.rbm);
    }
    /* Half of the draws count, the error is small, and it is 29 too low: only witnesses can tell. */
    oracle many = oracle_blocks(1, 49, 4, 0);
    const isg_log_z found = estimate(many.rbm, 2000);
    assert_true(found.ess > 0.5 * (double)found.samples && found.value < many.log_z - 20);
    assert_false(found.is_trusted);
    assert_non_null(strstr(found.reason, "annealed Gibbs chains"));
    isg_rbm_free(many.rbm);
}

/* ---- the stated error ------------------------------------------------------------------------- */

static void check_coverage(oracle known) {
    enum { SEEDS = 100 };
    const isg_mixture_options options = few(2000);
    isg_mixture mixture;
    size_t inside = 0;
    double sum = 0;
    assert_ok(isg_mixture_start(&mixture, known.rbm, &options, NULL));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        isg_proposal proposal = {0};
        isg_mixture_sum found = {0};
        mixture.options.seed = 1000 * test_seed() + seed;
        assert_ok(isg_mixture_draw(&mixture, 2000, 0, 1, &proposal, &found));
        const double z = (found.log_z - known.log_z) / found.error;
        inside += fabs(z) < 2;
        sum += z;
        isg_proposal_release(&proposal);
    }
    if (inside < 90)
        fail_msg("%zu of %d within two standard errors", inside, SEEDS);
    assert_true(fabs(sum) < 5 * sqrt(SEEDS));
    isg_mixture_release(&mixture);
    isg_rbm_free(known.rbm);
}

static void test_errors_cover(void **state) {
    (void)state;
    check_coverage(oracle_small(10, 3, 1, 0.8));
    check_coverage(oracle_small(8, 2, 2, 1.2));
}

/* ---- mistakes --------------------------------------------------------------------------------- */

typedef enum mistake {
    NONE,
    NO_STATES,     /* without 2^N */
    NO_NORM,       /* without (beta / 2 pi)^(p/2) */
    NO_DENSITY,    /* f instead of f / q */
    COVARIANCE,    /* drawn with the precision as covariance */
    MODE_LEFT_OUT, /* drawn from, but not in the density */
    MISTAKES
} mistake;

static isg_mixture_sum plain_estimate(const isg_mixture *mixture, mistake wrong, size_t samples) {
    const isg_spin_model *model = &mixture->model;
    const size_t p = model->p, count = mixture->modes.count;
    const isg_gaussian **parts = calloc(count, sizeof *parts);
    isg_gaussian *turned = calloc(count, sizeof *turned);
    double *masses = calloc(count, sizeof *masses), *scratch = calloc((p + count) * ISG_LANES, 8);
    double *delta = calloc(p * ISG_LANES, sizeof *delta), *log_weights = calloc(samples, 8);
    assert_true(parts && turned && masses && scratch && delta && log_weights);
    isg_proposal drawn = {0}, weighed = {0};
    for (size_t m = 0; m < count; m++)
        parts[m] = &mixture->modes.list[m].gaussian;
    assert_ok(isg_proposal_create(&weighed, parts, count, masses, samples));
    for (size_t m = 0; m < count; m++) {
        /* The inverse of the factor, transposed, is a factor of the covariance. */
        turned[m] = *parts[m];
        turned[m].factor = calloc(p * p, sizeof(double));
        for (size_t mu = 0; mu < p; mu++)
            turned[m].factor[mu * p + mu] = 1 / parts[m]->factor[mu * p + mu];
        parts[m] = &turned[m];
    }
    assert_ok(isg_proposal_create(&drawn, parts, count, masses, samples));
    if (wrong == MODE_LEFT_OUT)
        weighed.log_shares[0] = -1000;
    for (size_t block = 0; block < samples / ISG_LANES; block++) {
        double values[ISG_LANES], log_density[ISG_LANES];
        isg_proposal_draw(wrong == COVARIANCE ? &drawn : &weighed, 5, 0, block, delta, scratch);
        isg_landscape(model, delta, values, NULL);
        isg_proposal_log_density(&weighed, delta, log_density, scratch);
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            double *out = &log_weights[block * ISG_LANES + lane];
            *out = values[lane];
            if (wrong != NO_STATES)
                *out += (double)model->n * log(2.0);
            if (wrong != NO_NORM)
                *out += (double)p / 2 * log(model->beta / (2 * acos(-1.0)));
            if (wrong != NO_DENSITY)
                *out -= log_density[lane];
        }
    }
    const isg_mixture_sum sum = isg_mixture_add_up(log_weights, samples);
    for (size_t m = 0; m < count; m++)
        free(turned[m].factor);
    isg_proposal_release(&weighed);
    isg_proposal_release(&drawn);
    free(parts);
    free(turned);
    free(masses);
    free(scratch);
    free(delta);
    free(log_weights);
    return sum;
}

/* A plain estimate is right, and wrong by far more than five errors with any of the mistakes. */
static void test_mistakes_are_noticed(void **state) {
    (void)state;
    const isg_mixture_options options = few(4000);
    oracle known = oracle_classes(4, 1, 0.001);
    isg_mixture mixture;
    assert_ok(isg_mixture_start(&mixture, known.rbm, &options, NULL));
    for (int wrong = NONE; wrong < MISTAKES; wrong++) {
        const isg_mixture_sum sum = plain_estimate(&mixture, (mistake)wrong, 8000);
        const double z = fabs(sum.log_z - known.log_z) / sum.error;
        if (wrong == NONE ? !(z < 5) : !(z > 10))
            fail_msg("mistake %d is %.1f standard errors off", wrong, z);
    }
    isg_mixture_release(&mixture);
    isg_rbm_free(known.rbm);
}

/* Removes a minimum and its mass from the list. */
static void drop(isg_mixture *mixture, size_t m) {
    isg_modes *modes = &mixture->modes;
    isg_release(modes->list[m].center);
    isg_gaussian_release(&modes->list[m].gaussian);
    modes->count--;
    memmove(modes->list + m, modes->list + m + 1, (modes->count - m) * sizeof *modes->list);
    if (m >= mixture->known_masses)
        return;
    memmove(mixture->log_masses + m, mixture->log_masses + m + 1,
            (mixture->known_masses - m) * sizeof *mixture->log_masses);
    mixture->known_masses--;
}

/* The result if the list of minima ends after `kept`, or lacks the first. */
static isg_log_z without(const isg_rbm *rbm, size_t kept, bool without_first) {
    const isg_mixture_options options = few(2000);
    isg_mixture mixture;
    isg_log_z found = {0};
    assert_ok(isg_mixture_start(&mixture, rbm, &options, NULL));
    assert_true(mixture.modes.count > 1);
    while (mixture.modes.count > kept)
        drop(&mixture, mixture.modes.count - 1);
    if (without_first)
        drop(&mixture, 0);
    assert_ok(isg_mixture_finish(&mixture, &found));
    isg_mixture_release(&mixture);
    return found;
}

/* The list cut short, or without one of its entries. In two dimensions the wide Gaussian may make
   good what is missing; in 49 it cannot, and the draws do not show it, so witnesses must tell. With
   the whole list the same work is right. */
static void test_missing_minima_are_noticed(void **state) {
    (void)state;
    oracle few_units = oracle_classes(2, 1, 0), blocks = oracle_blocks(1, 4, 100, 0.3);
    isg_log_z found = without(few_units.rbm, SIZE_MAX, false);
    check_right(&found, few_units.log_z, 0.1);
    found = without(few_units.rbm, 1, false);
    assert_true(!found.is_trusted || fabs(found.value - few_units.log_z) < 5 * found.error);
    found = without(blocks.rbm, SIZE_MAX, true);
    assert_true(found.ess > 0.3 * (double)found.samples && found.value < blocks.log_z - 0.1);
    assert_false(found.is_trusted);
    assert_int_equal(found.side, ISG_SIDE_LOWER);
    isg_rbm_free(few_units.rbm);
    isg_rbm_free(blocks.rbm);
}

/* Draws that next to never count have no error: it is not trusted then, and says why. A sum that is
   no number is none. */
static void test_no_error_is_said(void **state) {
    (void)state;
    oracle blocks = oracle_blocks(1, 4, 100, 0.3);
    const isg_mixture_options options = few(2000);
    isg_mixture mixture;
    isg_log_z found = {0};
    assert_ok(isg_mixture_start(&mixture, blocks.rbm, &options, NULL));
    const size_t p = mixture.model.p;
    for (size_t m = 0; m <= mixture.modes.count; m++) {
        isg_gaussian *of =
            m < mixture.modes.count ? &mixture.modes.list[m].gaussian : &mixture.everywhere;
        for (size_t k = 0; k < p * p; k++)
            of->factor[k] *= 4;
    }
    assert_ok(isg_mixture_finish(&mixture, &found));
    if (!isnan(found.error) || found.is_trusted || !(found.ess < 10) ||
        !strstr(found.reason, "there is no error"))
        fail_msg("%g draws count, error %g, reason: %s", found.ess, found.error, found.reason);
    assert_true(strlen(found.reason) + 1 < sizeof found.reason);
    mixture.everywhere.factor[0] = (double)NAN;
    assert_int_equal(isg_mixture_finish(&mixture, &found), ISG_ERR_DIVERGED);
    isg_mixture_release(&mixture);
    isg_rbm_free(blocks.rbm);
}

/* With all minima but the first taken from the list, the wide Gaussian is all that draws from where they
   were. What the first holds by itself is less by far more than the error. */
static void test_the_wide_gaussian_makes_good(void **state) {
    (void)state;
    enum { SAMPLES = 20000 };
    oracle known = oracle_small(16, 2, 1, 2);
    const isg_mixture_options options = few(SAMPLES);
    isg_mixture mixture;
    isg_proposal proposal = {0};
    isg_mixture_sum sum = {0};
    assert_ok(isg_mixture_start(&mixture, known.rbm, &options, NULL));
    const double all = isg_modes_log_laplace(&mixture.modes, 0);
    while (mixture.modes.count > 1)
        drop(&mixture, mixture.modes.count - 1);
    assert_ok(isg_mixture_draw(&mixture, SAMPLES, 0, 0, &proposal, &sum));
    assert_true(fabs(sum.log_z - known.log_z) < 5 * sum.error);
    assert_true(isg_modes_log_laplace(&mixture.modes, 0) < all - 10 * sum.error);
    isg_proposal_release(&proposal);
    isg_mixture_release(&mixture);
    isg_rbm_free(known.rbm);
}

/* ---- the rest --------------------------------------------------------------------------------- */

static void test_every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    oracle known = oracle_small(20, 4, 1, 1.5);
    isg_log_z first = {0};
    for (size_t threads = 1; threads <= 3; threads++) {
        isg_set_threads(threads);
        isg_log_z found = estimate(known.rbm, 2000);
        if (threads == 1)
            first = found;
        assert_true(first.value == found.value && first.error == found.error);
        assert_true(first.modes == found.modes && first.laplace == found.laplace);
    }
    isg_set_threads(1);
    isg_rbm_free(known.rbm);
}

static void test_data_and_patterns_are_starts(void **state) {
    (void)state;
    oracle known = oracle_classes(3, 1, 0);
    int8_t rows[3 * 784];
    isg_dataset *data = NULL, *narrow = NULL;
    for (size_t i = 0; i < 784; i++)
        for (size_t k = 0; k < 3; k++)
            rows[k * 784 + i] = known.rbm->weights[2 * i + k % 2] > 0 ? 1 : -1;
    assert_ok(isg_dataset_create(&data, 3, 784, rows, NULL));
    assert_ok(isg_dataset_create(&narrow, 3, 700, rows, NULL));
    isg_mixture_options options = few(2000);
    options.random_starts = 0;
    options.data = data;
    isg_log_z found = {0};
    assert_ok(isg_mixture_log_z(known.rbm, &options, &found, NULL));
    check_right(&found, known.log_z, 0.05);
    options.data = narrow;
    assert_fails(isg_mixture_log_z(known.rbm, &options, &found, NULL), ISG_ERR_SHAPE, "700 units");
    isg_dataset_free(data);
    isg_dataset_free(narrow);
    isg_rbm_free(known.rbm);
}

static bool stop(void *user, double fraction) {
    double *last = user;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction < 0.5;
}

static bool go_on(void *user, double fraction) {
    stop(user, fraction);
    return true;
}

static void test_refusals(void **state) {
    (void)state;
    oracle known = oracle_small(6, 2, 1, 0.5);
    isg_mixture_options options = few(2000);
    isg_log_z found = {.value = 5};
    options.samples = 10;
    assert_fails(isg_mixture_log_z(known.rbm, &options, &found, NULL), ISG_ERR_ARGUMENT, "samples");
    options = few(2000);
    options.witnesses = 0;
    assert_fails(isg_mixture_log_z(known.rbm, &options, &found, NULL), ISG_ERR_ARGUMENT,
                 "witnesses");
    double last = 0;
    const isg_progress cancelling = {stop, &last}, patient = {go_on, &last};
    options = few(20000);
    assert_fails(isg_mixture_log_z(known.rbm, &options, &found, &cancelling), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_true(found.value == 5 && last >= 0.5);
    last = 0;
    assert_ok(isg_mixture_log_z(known.rbm, &options, &found, &patient));
    assert_true(last == 1);
    known.rbm->weights[3] = (double)NAN;
    found.value = 5;
    assert_fails(isg_mixture_log_z(known.rbm, NULL, &found, NULL), ISG_ERR_DIVERGED, "finite");
    assert_true(found.value == 5);
    isg_rbm_free(known.rbm);
}

static isg_status small_job(void *user) {
    const isg_mixture_options options = few(1000);
    isg_log_z found;
    return isg_mixture_log_z(user, &options, &found, NULL);
}

static void test_allocations(void **state) {
    (void)state;
    oracle known = oracle_small(2, 1, 1, 0.5);
    assert_true(sweep_allocations(small_job, known.rbm) > 20);
    isg_rbm_free(known.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_landscape_is_the_free_energy),
        cmocka_unit_test(test_searches_end_in_minima),
        cmocka_unit_test(test_small_models),
        cmocka_unit_test(test_models_of_few_classes),
        slow_unit_test(test_rotated_blocks),
        cmocka_unit_test(test_errors_cover),
        cmocka_unit_test(test_mistakes_are_noticed),
        cmocka_unit_test(test_missing_minima_are_noticed),
        cmocka_unit_test(test_no_error_is_said),
        cmocka_unit_test(test_the_wide_gaussian_makes_good),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bits),
        cmocka_unit_test(test_data_and_patterns_are_starts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_allocations),
    };
    isg_set_threads(1); /* small work, of which two threads would spend most waiting */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
