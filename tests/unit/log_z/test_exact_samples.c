/* test_exact_samples.c - exact samples, and the intervals for ln Z that rest on them
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_statistics.h"
#include "log_z/ais.h"
#include "log_z/exact.h"
#include "test.h"

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

/* Units that repeat three rows of W, some with the opposite sign, and units with none. */
static isg_rbm *regular_rbm(size_t n, size_t p, double beta, double size) {
    isg_cursor random = isg_cursor_at(isg_stream_at(n + p, ISG_PURPOSE_TEST, 6, 0));
    double rows[3][4], fields[3];
    isg_rbm *rbm = NULL;
    assert_true(p <= 4);
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    for (size_t k = 0; k < 3; k++) {
        fields[k] = 0.3 * size * isg_next_normal(&random);
        for (size_t mu = 0; mu < p; mu++)
            rows[k][mu] = size * isg_next_normal(&random);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = isg_next_below(&random, 4);
        const double sign = isg_next_below(&random, 2) ? 1 : -1;
        rbm->b[i] = k < 3 ? sign * fields[k] : 0.2;
        for (size_t mu = 0; mu < p; mu++)
            rbm->weights[i * p + mu] = k < 3 ? sign * rows[k][mu] : 0;
    }
    return rbm;
}

typedef isg_status sampler(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins);

/* The chi-square of samples of one model against the probabilities of another, or the same. */
static double misfit(sampler *sample, const isg_rbm *rbm, const isg_rbm *law) {
    enum { COUNT = 50000, STATES = 1 << 10 };
    static uint64_t spins[COUNT];
    static double expected[STATES];
    static size_t counts[STATES];
    memset(counts, 0, sizeof counts);
    assert_int_equal(rbm->info.n_visible, 10);
    assert_ok(sample(rbm, COUNT, test_seed(), spins));
    assert_ok(isg_exact_probabilities(law, expected));
    for (size_t k = 0; k < COUNT; k++) {
        assert_true(spins[k] < STATES);
        counts[spins[k]]++;
    }
    /* States that are too rare for a chi-square go together. */
    size_t cells = 0, rest_count = 0;
    double rest = 0;
    for (size_t s = 0; s < STATES; s++)
        if (COUNT * expected[s] < 10) {
            rest += COUNT * expected[s];
            rest_count += counts[s];
        } else {
            counts[cells] = counts[s];
            expected[cells++] = COUNT * expected[s];
        }
    if (rest > 0) {
        counts[cells] = rest_count;
        expected[cells++] = rest;
    }
    return chi_square_score(counts, expected, cells);
}

static void test_samples_follow_the_law(void **state) {
    (void)state;
    isg_rbm *rbm = regular_rbm(10, 2, 1, 0.3), *other = regular_rbm(10, 2, 1, 0.3);
    other->b[3] += 0.3;
    sampler *const samplers[] = {isg_exact_samples, isg_exact_class_samples};
    for (size_t k = 0; k < 2; k++) {
        const double score = misfit(samplers[k], rbm, rbm);
        if (!(score < 5))
            fail_msg("sampler %zu is %.1f deviations off", k, score);
        assert_true(misfit(samplers[k], rbm, other) > 10);
    }
    isg_rbm_free(other);
    isg_rbm_free(rbm);
}

/* There and back for a model of 784 units with known ln Z, and the interval around it. */
static void test_intervals(void **state) {
    (void)state;
    isg_rbm *small = regular_rbm(14, 3, 2, 0.25), *large = regular_rbm(400, 2, 1, 0.03);
    isg_rbm *const models[] = {small, large};
    for (size_t k = 0; k < 2; k++) {
        double log_z = 0;
        assert_ok(isg_exact_class_sums(models[k], &log_z, NULL));
        isg_ais_options options = isg_ais_defaults();
        options.chains = 50;
        options.repeats = 10;
        options.steps = 100;
        isg_interval wide, narrow;
        assert_ok(isg_ais_certificate(models[k], &options, 0.9, &wide, NULL));
        if (!(wide.low <= log_z && log_z <= wide.high && wide.high - wide.low < 2))
            fail_msg("%.3f is not within %.3f to %.3f, or these are far apart", log_z, wide.low,
                     wide.high);
        options.repeats = 40;
        assert_ok(isg_ais_certificate(models[k], &options, 0.9, &narrow, NULL));
        assert_true(narrow.low <= log_z && log_z <= narrow.high);
        assert_true(narrow.high - narrow.low < wide.high - wide.low);
        assert_fails(isg_ais_certificate(models[k], &options, 1, &narrow, NULL), ISG_ERR_ARGUMENT,
                     "confidence");
    }
    isg_rbm_free(small);
    isg_rbm_free(large);
}

/* How often intervals hold: always or nearly, and not when the way back starts from wrong samples,
   those of a model with another field. */
static void test_intervals_hold(void **state) {
    (void)state;
    isg_rbm *rbm = regular_rbm(12, 2, 2, 0.6);
    double log_z = 0;
    size_t held = 0;
    assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
    isg_ais_options options = isg_ais_defaults();
    options.chains = 1;
    options.repeats = 20;
    options.steps = 3;
    for (uint64_t seed = 0; seed < 200; seed++) {
        isg_interval found;
        options.seed = test_seed() * 1000 + seed;
        assert_ok(isg_ais_certificate(rbm, &options, 0.8, &found, NULL));
        held += found.low <= log_z && log_z <= found.high;
    }
    assert_true(held >= 160);
    isg_rbm_free(rbm);
}

static void test_refusals(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    uint64_t spins[1000];
    assert_ok(isg_rbm_create(&rbm, 100, 3, 1));
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 6, 0));
    for (size_t k = 0; k < 300; k++)
        rbm->weights[k] = isg_next_normal(&random);
    assert_fails(isg_exact_samples(rbm, 10, 1, spins), ISG_ERR_UNSUPPORTED, "different rows");
    isg_ais_options options = isg_ais_defaults();
    isg_interval found;
    assert_fails(isg_ais_certificate(rbm, &options, 0.9, &found, NULL), ISG_ERR_UNSUPPORTED,
                 "rows");
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_follow_the_law),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_intervals_hold),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
