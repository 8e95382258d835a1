/* test_ais_oracles.c - annealing at the size of an image, against models with known ln Z
 *
 * SPDX-License-Identifier: MIT
 *
 * There and back, and whether the reported errors are honest: of 100 seeds, at least 90 should be
 * within two errors, and not too many within one.
 */
#include <math.h>
#include <stdlib.h>

#include "helper_oracle.h"
#include "log_z/ais.h"
#include "log_z/exact.h"
#include "test.h"

/* Sanitizers make it ten times slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEEDS = 20, CHAINS = 100 };
#else
enum { SEEDS = 100, CHAINS = 100 };
#endif

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

static isg_ais_options options_of(size_t steps, uint64_t seed) {
    isg_ais_options options = isg_ais_defaults();
    options.chains = CHAINS;
    options.steps = steps;
    options.seed = SEEDS * test_seed() + seed;
    return options;
}

/* Of all seeds, those within two errors and within one of ln Z; and by how many errors the estimates
   are off on average. */
typedef struct coverage {
    size_t in_two, in_one, trusted;
    double mean, least_share;
} coverage;

static coverage cover(const oracle *known, size_t steps, const uint64_t *samples) {
    coverage out = {.least_share = 1};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const isg_ais_options options = options_of(steps, seed);
        const uint64_t *start = samples ? samples + seed * CHAINS * (784 / 64 + 1) : NULL;
        isg_log_z found;
        assert_ok(start ? isg_ais_reverse(known->rbm, start, &options, &found, NULL, NULL)
                        : isg_ais_log_z(known->rbm, &options, &found, NULL, NULL));
        assert_int_equal(found.side, start ? ISG_SIDE_UPPER : ISG_SIDE_LOWER);
        out.trusted += found.is_trusted;
        const double z = (found.value - known->log_z) / found.error;
        out.in_two += fabs(z) < 2;
        out.in_one += fabs(z) < 1;
        out.mean += z / SEEDS;
        out.least_share = fmin(out.least_share, found.ess / CHAINS);
    }
    return out;
}

static void check(const char *what, coverage found, double most_off) {
    if (10 * found.in_two < 9 * SEEDS || 20 * found.in_one > 17 * SEEDS ||
        !(fabs(found.mean) < most_off))
        fail_msg("%s: %zu of %d within two errors, %zu within one, %.2f off on average", what,
                 found.in_two, SEEDS, found.in_one, found.mean);
}

/* Where most chains count, the bias of a logarithm is small beside the error, both ways. */
static void check_there_and_back(oracle known, size_t steps, uint64_t *samples) {
    const coverage there = cover(&known, steps, NULL), back = cover(&known, steps, samples);
    check("there", there, 5 / sqrt(SEEDS));
    check("back", back, 5 / sqrt(SEEDS));
    assert_true(20 * there.trusted >= 19 * SEEDS && 20 * back.trusted >= 19 * SEEDS);
    free(samples);
    isg_rbm_free(known.rbm);
}

static void test_class_sums(void **state) {
    (void)state;
    oracle known = oracle_classes(2, 0.6, 0.01);
    uint64_t *samples = calloc((size_t)SEEDS * CHAINS * (784 / 64 + 1), sizeof *samples);
    assert_non_null(samples);
    assert_ok(isg_exact_samples(known.rbm, (size_t)SEEDS * CHAINS, test_seed(), samples));
    check_there_and_back(known, 50, samples);
}

static void test_rotated_blocks(void **state) {
    (void)state;
    check_there_and_back(
        oracle_blocks(1, 10, 0.9, 0.5), 100,
        oracle_blocks_samples(1, 10, 0.9, 0.5, (size_t)SEEDS * CHAINS, test_seed()));
}

/* Deep in the ordered phase hardly a chain counts, and no result is trusted; yet the errors hold. */
static void test_few_chains_count(void **state) {
    (void)state;
    oracle known = oracle_classes(2, 1, 0.001);
    const coverage found = cover(&known, 200, NULL);
    check("there", found, 2);
    assert_true(found.least_share < 0.05 && found.trusted < SEEDS / 10);
    isg_rbm_free(known.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        slow_unit_test(test_class_sums),
        slow_unit_test(test_rotated_blocks),
        slow_unit_test(test_few_chains_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
