/* test_verdict.c - when ln Z from wells and the rest is trusted, from made-up numbers
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "log_z/verdict.h"

enum { REPEATS = 5, DRAWS = 10000 };

typedef struct found {
    isg_split_point point;
    isg_well_draws draws[REPEATS];
    double rest[REPEATS];
} found;

/* Wells of ln Z = 100 with errors of 0.01, by draws and by a bridge, and a rest that holds `share` of
   all; the three estimates of the wells agree. */
static void good(found *my, double share) {
    memset(my, 0, sizeof *my);
    for (size_t r = 0; r < REPEATS; r++) {
        const double log_z = 100 + 0.004 * ((double)r - 2);
        const isg_mixture_sum sum = {
            .log_z = log_z, .error = 0.01, .ess = 0.5 * DRAWS, .largest_share = 0.001};
        my->draws[r] = (isg_well_draws){.inside = sum,
                                        .outside = sum,
                                        .all = sum,
                                        .bridge = {log_z, 0.01, 0.005},
                                        .samples = DRAWS,
                                        .in_wells = DRAWS};
        my->rest[r] = share > 0 ? 100 + log(share / (1 - share)) : -HUGE_VAL;
    }
    my->point = (isg_split_point){.beta = 1,
                                  .repeats = REPEATS,
                                  .rest = my->rest,
                                  .squares = 0.001,
                                  .family = 0.01,
                                  .variance = 0.001,
                                  .draws = my->draws,
                                  .chib = {100, 0.004, -1, true},
                                  .has_wells = true};
}

static isg_log_z judged(const found *my, isg_remedy *remedy) {
    return isg_split_verdict(&my->point, true, remedy);
}

static void trusted(const found *my) {
    isg_remedy remedy = ISG_REMEDY_CHAINS;
    const isg_log_z out = judged(my, &remedy);
    if (!out.is_trusted)
        fail_msg("not trusted: %s", out.reason);
    assert_int_equal(out.side, ISG_SIDE_BOTH);
    assert_int_equal(remedy, ISG_REMEDY_NONE);
    assert_true(out.error > 0);
}

static void refused(const found *my, const char *part, isg_remedy expected) {
    isg_remedy remedy = ISG_REMEDY_NONE;
    const isg_log_z out = judged(my, &remedy);
    if (out.is_trusted || !strstr(out.reason, part))
        fail_msg("expected '%s', found '%s'", part, out.reason);
    assert_int_equal(out.side, ISG_SIDE_LOWER);
    assert_int_equal(remedy, expected);
}

static void test_sum(void **state) {
    (void)state;
    found my;
    isg_remedy remedy;
    good(&my, 0.25);
    const isg_log_z out = judged(&my, &remedy);
    assert_true(fabs(out.shares.rest - 0.25) < 1e-3 && fabs(out.shares.wells - 0.75) < 1e-3);
    assert_true(fabs(out.value - (100 - log(0.75))) < 1e-3);
    trusted(&my);
    good(&my, 0);
    trusted(&my);
    /* The most precise way is Chib's. */
    my.point.chib.log_z = 100.005;
    assert_true(judged(&my, &remedy).value == 100.005);
    my.point.chib.log_p = -11;
    assert_true(judged(&my, &remedy).value < 100.001);
}

static void test_families(void **state) {
    (void)state;
    found my;
    good(&my, 0.25);
    my.point.family = 0.051;
    my.point.squares = 0.003;
    refused(&my, "descends from one of its first states", ISG_REMEDY_SWEEPS);
    my.point.family = 0.049;
    trusted(&my);
    my.point.squares = 0.021;
    refused(&my, "descends from one of its first states", ISG_REMEDY_SWEEPS);
    /* In a rest that hardly matters they do not, nor where it was drawn. */
    good(&my, 0.009);
    my.point.family = 0.5;
    my.point.squares = 0.3;
    trusted(&my);
    good(&my, 0.25);
    my.point.family = 0.5;
    my.point.squares = 0.3;
    my.point.is_drawn = true;
    trusted(&my);
}

static void test_draws(void **state) {
    (void)state;
    found my;
    good(&my, 0.25);
    /* Only the draws are precise enough to be used. */
    my.point.chib.log_p = -30;
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].bridge.of_chains = 0.04;
    trusted(&my);
    my.draws[3].inside.largest_share = 0.051;
    refused(&my, "one draw carries", ISG_REMEDY_NONE);
    my.draws[3].inside.largest_share = 0.049;
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].inside.ess = 0.009 * DRAWS;
    refused(&my, "of the draws count", ISG_REMEDY_NONE);
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].inside.ess = 0.05 * DRAWS;
    trusted(&my); /* confirmed by the bridge */
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].bridge.of_chains = 0.1;
    refused(&my, "no second estimate applies", ISG_REMEDY_NONE);
    /* Chib's from an improbable state confirms them if it must, and only then. */
    my.point.chib.log_p = -19;
    trusted(&my);
    my.point.chib.log_z = 100.2;
    refused(&my, "two estimates of the wells differ", ISG_REMEDY_CHAINS);
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].bridge.of_chains = 0.04;
    trusted(&my);
}

static void test_differing(void **state) {
    (void)state;
    found my;
    good(&my, 0.25);
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].bridge.log_z += 0.05;
    refused(&my, "two estimates of the wells differ", ISG_REMEDY_CHAINS);
    good(&my, 0.995); /* of wells that do not matter */
    for (size_t r = 0; r < REPEATS; r++)
        my.draws[r].bridge.log_z += 0.05;
    trusted(&my);
}

/* A population of all states that found more than wells and rest, by more than its error. */
static void test_excess(void **state) {
    (void)state;
    found my;
    good(&my, 0.25);
    my.point.all = (isg_population_point){.log_z = 100.5, .variance = 1e-4};
    refused(&my, "has found 24 % more", ISG_REMEDY_NONE);
    my.point.all.variance = 0.01;
    trusted(&my);
    my.point.all = (isg_population_point){.log_z = 90, .variance = 1e-4}; /* it missed the wells */
    trusted(&my);
}

/* Errors are never below rounding. */
static void test_rounding(void **state) {
    (void)state;
    found my;
    isg_remedy remedy;
    good(&my, 0);
    for (size_t r = 0; r < REPEATS; r++) {
        my.draws[r].inside.log_z = my.draws[r].bridge.log_z = 100;
        my.draws[r].inside.error = my.draws[r].bridge.of_draws = my.draws[r].bridge.of_chains = 0;
    }
    my.point.chib.error = 0;
    const double error = judged(&my, &remedy).error;
    assert_true(error >= 1e-10 && error < 1e-9);
}

static void test_searches(void **state) {
    (void)state;
    found my;
    isg_remedy remedy;
    good(&my, 0.25);
    my.point.is_incomplete = true;
    refused(&my, "still being found", ISG_REMEDY_NONE);
    my.point.is_incomplete = false;
    assert_false(isg_split_verdict(&my.point, false, &remedy).is_trusted);
    good(&my, 1 - 1e-7); /* nothing is in wells */
    assert_true(isg_split_verdict(&my.point, false, &remedy).is_trusted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),      cmocka_unit_test(test_families),
        cmocka_unit_test(test_draws),    cmocka_unit_test(test_differing),
        cmocka_unit_test(test_searches), cmocka_unit_test(test_excess),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
