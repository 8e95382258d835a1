/* test_hopfield.c - Hopfield networks against explicit J, state by state
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "test.h"

static void assert_near(double a, double b) {
    if (!(fabs(a - b) < 1e-12 * (1 + fabs(b))))
        fail_msg("expected %.17g, found %.17g", b, a);
}

/* Every network of these tests: two rules, with and without diagonal, with and without field. */
static void for_each_network(void (*check)(const plain_network *, const isg_hopfield *)) {
    static const size_t shapes[][2] = {{1, 1}, {2, 1}, {2, 2}, {5, 2}, {7, 3}, {8, 5}, {10, 4}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (unsigned options = 0; options < 8; options++) {
            plain_network plain;
            plain_create(&plain, shapes[k][0], shapes[k][1],
                         options & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION, options & 2,
                         options & 4 ? 0.4 : 0, 10 * k + options);
            isg_hopfield *network = plain_build(&plain);
            check(&plain, network);
            isg_hopfield_free(network);
        }
}

/* ---- identities over all states ---------------------------------------------------------------- */

static void check_energy(const plain_network *plain, const isg_hopfield *network) {
    for (uint64_t state = 0; state < UINT64_C(1) << plain->n; state++) {
        double energy = (double)NAN, x[PLAIN_UNITS];
        assert_ok(isg_hopfield_energy(network, &state, &energy));
        /* J_ii = 0 in plain->j already has the tr(J) / 2 that removing the diagonal adds. */
        assert_near(energy, plain_energy(plain, state));
        assert_ok(isg_hopfield_local_field(network, &state, x));
        for (size_t i = 0; i < plain->n; i++)
            assert_near(x[i], plain_field(plain, state, i));
    }
}

static void energies_and_fields_are_those_of_j(void **state) {
    (void)state;
    for_each_network(check_energy);
}

static void check_projections(const plain_network *plain, const isg_hopfield *network) {
    const size_t n = plain->n, p = plain->p;
    for (uint64_t state = 0; state < UINT64_C(1) << n; state++) {
        double m[PLAIN_PATTERNS], a[PLAIN_PATTERNS], dot = 0, energy = 0;
        isg_hopfield_overlaps(network, &state, m);
        assert_ok(isg_hopfield_projections(network, &state, a));
        for (size_t mu = 0; mu < p; mu++) {
            double overlap = 0, back = 0; /* xi^T s and (A a), mu by mu */
            for (size_t i = 0; i < n; i++) {
                overlap += plain->xi[i * p + mu] * plain_spin(state, i);
                for (size_t nu = 0; nu < p; nu++)
                    back += plain->xi[i * p + mu] * plain->xi[i * p + nu] * a[nu];
            }
            assert_true(m[mu] == overlap / (double)n);
            assert_near(back, overlap);
            dot += m[mu] * a[mu];
        }
        if (plain->options.rule == ISG_RULE_PROJECTION && !plain->options.field) {
            assert_ok(isg_hopfield_energy(network, &state, &energy));
            assert_near(energy,
                        -(double)n * dot / 2 + (plain->options.keep_diagonal ? 0 : (double)p / 2));
        }
    }
}

static void projections_solve_their_equation(void **state) {
    (void)state;
    for_each_network(check_projections);
}

static void check_examination(const plain_network *plain, const isg_hopfield *network) {
    for (uint64_t state = 0; state < UINT64_C(1) << plain->n; state++) {
        double least = HUGE_VAL;
        size_t n_unstable = 0;
        bool is_fixed = true;
        for (size_t i = 0; i < plain->n; i++) {
            const double rise =
                plain_energy(plain, state ^ UINT64_C(1) << i) - plain_energy(plain, state);
            least = fmin(least, rise);
            n_unstable += rise < 1e-10;
            is_fixed = is_fixed && plain_field(plain, state, i) * plain_spin(state, i) > -1e-10;
        }
        isg_hopfield_state found;
        assert_ok(isg_hopfield_examine(network, &state, &found));
        assert_near(found.energy, plain_energy(plain, state));
        assert_near(found.least_rise, least);
        assert_int_equal(found.n_unstable, n_unstable);
        assert_int_equal(found.is_stable, n_unstable == 0);
        assert_int_equal(found.is_fixed_point, is_fixed);
        assert_true(found.is_fixed_point || !found.is_stable);
    }
}

static void stability_is_what_single_flips_say(void **state) {
    (void)state;
    for_each_network(check_examination);
}

/* (+-+-) is orthogonal to both patterns: every field is an exact zero, which divisions by
   sqrt(N) = sqrt(12) would blur. */
static void a_field_of_zero_keeps_the_spin(void **state) {
    (void)state;
    int8_t xi[12 * 2];
    for (size_t i = 0; i < 12; i++) {
        xi[2 * i] = 1;
        xi[2 * i + 1] = i < 6 ? 1 : -1;
    }
    const uint64_t alternating = 0x555 ^ 0xfc0; /* 3 of each sign in each half, by symmetry */
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 12, 2, xi, NULL));
    for (int rule = 0; rule < 2; rule++) {
        isg_hopfield_options options = isg_hopfield_defaults();
        options.rule = rule ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION;
        isg_hopfield *network = NULL;
        isg_hopfield_state found;
        assert_ok(isg_hopfield_create(&network, patterns, &options));
        assert_ok(isg_hopfield_examine(network, &alternating, &found));
        assert_true(found.is_fixed_point);
        assert_int_equal(found.n_unstable, 12); /* a flip lowers H by 2 J_ii = 1 / 3 */
        assert_near(found.least_rise, -1.0 / 3);
        isg_hopfield_free(network);
        options.keep_diagonal = false;
        assert_ok(isg_hopfield_create(&network, patterns, &options));
        assert_ok(isg_hopfield_examine(network, &alternating, &found));
        assert_false(found.is_fixed_point);
        assert_int_equal(found.n_unstable, 12);
        isg_hopfield_free(network);
    }
    isg_patterns_free(patterns);
}

/* ---- larger networks ----------------------------------------------------------------------------- */

static isg_patterns *random_patterns(size_t n, size_t p, uint64_t seed) {
    int8_t *xi = malloc(n * p);
    assert_non_null(xi);
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < n * p; k++)
        xi[k] = isg_next_below(&random, 2) ? 1 : -1;
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, n, p, xi, NULL));
    free(xi);
    return patterns;
}

static void patterns_are_fixed_points_of_projection(void **state) {
    (void)state;
    isg_patterns *patterns = random_patterns(300, 40, 1);
    isg_hopfield *network = NULL;
    assert_ok(isg_hopfield_create(&network, patterns, NULL));
    const isg_hopfield_info info = isg_hopfield_describe(network);
    assert_int_equal(info.n_visible, 300);
    assert_int_equal(info.n_patterns, 40);
    assert_int_equal(info.rank, 40);
    assert_true(info.rule == ISG_RULE_PROJECTION && info.keeps_diagonal && !info.has_field);
    assert_near(info.trace, 40);
    for (size_t mu = 0; mu < 40; mu++) {
        const uint64_t *pattern = isg_patterns_row(patterns, mu);
        double x[300], a[40];
        isg_hopfield_state found;
        assert_ok(isg_hopfield_local_field(network, pattern, x));
        for (size_t i = 0; i < 300; i++)
            assert_near(x[i], isg_spin(pattern, i)); /* J xi = xi */
        assert_ok(isg_hopfield_projections(network, pattern, a));
        for (size_t nu = 0; nu < 40; nu++)
            assert_near(a[nu], nu == mu);
        assert_ok(isg_hopfield_examine(network, pattern, &found));
        assert_true(found.is_fixed_point && found.is_stable);
        assert_near(found.energy, -150);
    }
    isg_hopfield_free(network);
    /* The Hebbian rule overlooks that random patterns overlap. */
    isg_hopfield_options options = isg_hopfield_defaults();
    options.rule = ISG_RULE_HEBBIAN;
    size_t n_fixed = 0;
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    assert_near(isg_hopfield_describe(network).trace, 40);
    for (size_t mu = 0; mu < 40; mu++) {
        isg_hopfield_state found;
        assert_ok(isg_hopfield_examine(network, isg_patterns_row(patterns, mu), &found));
        n_fixed += found.is_fixed_point;
    }
    assert_true(n_fixed < 40);
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
}

/* ---- dependent patterns -------------------------------------------------------------------------- */

/* Pattern 3 repeats 1, pattern 4 is minus pattern 0, pattern 5 = 0 + 1 - 2. */
static const int8_t dependent[6 * 6] = {
    1,  1,  1,  1,  -1, 1,  //
    1,  -1, 1,  -1, -1, -1, //
    1,  -1, -1, -1, -1, 1,  //
    -1, 1,  1,  1,  1,  -1, //
    -1, 1,  -1, 1,  1,  1,  //
    -1, -1, -1, -1, 1,  -1, //
};

/* The same columns, `count` of them from `first` on. */
static isg_patterns *columns_of_dependent(size_t first, size_t count) {
    int8_t xi[36];
    for (size_t i = 0; i < 6; i++)
        for (size_t mu = 0; mu < count; mu++)
            xi[i * count + mu] = dependent[i * 6 + first + mu];
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 6, count, xi, NULL));
    return patterns;
}

static void dependent_patterns_are_refused_or_spanned(void **state) {
    (void)state;
    isg_patterns *all = columns_of_dependent(0, 6), *basis = columns_of_dependent(0, 3);
    isg_hopfield *refused = NULL, *spanned = NULL, *exact = NULL;
    assert_fails(isg_hopfield_create(&refused, all, NULL), ISG_ERR_DEPENDENT,
                 "6 patterns are linearly dependent, of rank 3: pattern 3 = pattern 1");
    assert_null(refused);
    isg_hopfield_options options = isg_hopfield_defaults();
    options.allow_rank_deficient = true;
    assert_ok(isg_hopfield_create(&spanned, all, &options));
    assert_ok(isg_hopfield_create(&exact, basis, NULL));
    assert_int_equal(isg_hopfield_describe(spanned).rank, 3);
    assert_int_equal(isg_hopfield_describe(spanned).n_patterns, 6);
    assert_near(isg_hopfield_describe(spanned).trace, 3);
    for (uint64_t spins = 0; spins < 64; spins++) {
        double x[6], expected[6], a[6], one = 0, other = 0;
        assert_ok(isg_hopfield_energy(spanned, &spins, &one));
        assert_ok(isg_hopfield_energy(exact, &spins, &other));
        assert_near(one, other);
        assert_ok(isg_hopfield_local_field(spanned, &spins, x));
        assert_ok(isg_hopfield_local_field(exact, &spins, expected));
        assert_ok(isg_hopfield_projections(spanned, &spins, a));
        for (size_t i = 0; i < 6; i++) {
            double projected = 0;
            for (size_t mu = 0; mu < 6; mu++)
                projected += dependent[i * 6 + mu] * a[mu];
            assert_near(x[i], expected[i]);
            assert_near(projected, expected[i]);
        }
        /* The shortest solution divides evenly among equal patterns. */
        assert_near(a[1], a[3]);
        assert_near(a[0], -a[4]);
    }
    isg_hopfield_free(spanned);
    isg_hopfield_free(exact);
    isg_patterns_free(all);
    isg_patterns_free(basis);
}

/* A pattern given twice counts twice; the Hebbian J involves no inverse. */
static void hebbian_takes_dependent_patterns(void **state) {
    (void)state;
    isg_patterns *all = columns_of_dependent(0, 6);
    isg_hopfield_options options = isg_hopfield_defaults();
    options.rule = ISG_RULE_HEBBIAN;
    isg_hopfield *network = NULL;
    assert_ok(isg_hopfield_create(&network, all, &options));
    assert_int_equal(isg_hopfield_describe(network).rank, 3);
    for (uint64_t spins = 0; spins < 64; spins++) {
        double m[6], a[6], energy = 0, expected = 0;
        assert_ok(isg_hopfield_energy(network, &spins, &energy));
        isg_hopfield_overlaps(network, &spins, m);
        assert_ok(isg_hopfield_projections(network, &spins, a));
        for (size_t mu = 0; mu < 6; mu++)
            expected -= 3 * m[mu] * m[mu];
        assert_near(energy, expected);
        assert_near(a[1], a[3]);
    }
    isg_hopfield_free(network);
    isg_patterns_free(all);
}

static void there_may_be_more_patterns_than_units(void **state) {
    (void)state;
    isg_patterns *patterns = random_patterns(5, 30, 3);
    isg_hopfield_options options = isg_hopfield_defaults();
    isg_hopfield *network = NULL;
    assert_fails(isg_hopfield_create(&network, patterns, &options), ISG_ERR_DEPENDENT, "rank 5");
    options.allow_rank_deficient = true;
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    for (uint64_t spins = 0; spins < 32; spins++) { /* J = 1 */
        double energy = 0;
        assert_ok(isg_hopfield_energy(network, &spins, &energy));
        assert_near(energy, -2.5);
    }
    isg_hopfield_free(network);
    options.rule = ISG_RULE_HEBBIAN;
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    assert_near(isg_hopfield_describe(network).trace, 30);
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
}

/* ---- refusals and memory ------------------------------------------------------------------------- */

static void senseless_options_are_refused(void **state) {
    (void)state;
    isg_patterns *patterns = random_patterns(4, 1, 4);
    isg_hopfield *network = NULL;
    isg_hopfield_options options = isg_hopfield_defaults();
    const double field[4] = {0, 1, (double)NAN, 0};
    options.field = field;
    assert_fails(isg_hopfield_create(&network, patterns, &options), ISG_ERR_ARGUMENT,
                 "field of unit 2: expected a number, found");
    options.field = NULL;
    options.rule = (isg_rule)2;
    assert_fails(isg_hopfield_create(&network, patterns, &options), ISG_ERR_ARGUMENT, "rule");
    assert_null(network);
    isg_hopfield_free(NULL);
    isg_patterns_free(patterns);
}

typedef struct build_work {
    isg_patterns *patterns;
    isg_hopfield_options options;
} build_work;

static isg_status build(void *user) {
    const build_work *work = user;
    isg_hopfield *network = NULL;
    isg_status status = isg_hopfield_create(&network, work->patterns, &work->options);
    double energy = 0, a[2000], x[2000];
    isg_hopfield_state found;
    const uint64_t spins[32] = {5};
    if (status == ISG_OK)
        status = isg_hopfield_energy(network, spins, &energy);
    if (status == ISG_OK)
        status = isg_hopfield_projections(network, spins, a);
    if (status == ISG_OK)
        status = isg_hopfield_local_field(network, spins, x);
    if (status == ISG_OK)
        status = isg_hopfield_examine(network, spins, &found);
    isg_hopfield_free(network);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    build_work work = {columns_of_dependent(0, 6), isg_hopfield_defaults()};
    work.options.allow_rank_deficient = true;
    assert_true(sweep_allocations(build, &work) > 15);
    work.options.rule = ISG_RULE_HEBBIAN;
    assert_true(sweep_allocations(build, &work) > 15);
    isg_patterns_free(work.patterns);
}

/* 2000 units: J alone would take 32 MB; the network and its construction take only a few copies of
   xi. */
static void no_matrix_of_couplings_is_formed(void **state) {
    (void)state;
    build_work work = {random_patterns(2000, 20, 5), isg_hopfield_defaults()};
    assert_true(peak_allocation(build, &work) < (size_t)2000 * 20 * sizeof(double) * 6);
    isg_patterns_free(work.patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_and_fields_are_those_of_j),
        cmocka_unit_test(projections_solve_their_equation),
        cmocka_unit_test(stability_is_what_single_flips_say),
        cmocka_unit_test(a_field_of_zero_keeps_the_spin),
        cmocka_unit_test(patterns_are_fixed_points_of_projection),
        cmocka_unit_test(dependent_patterns_are_refused_or_spanned),
        cmocka_unit_test(hebbian_takes_dependent_patterns),
        cmocka_unit_test(there_may_be_more_patterns_than_units),
        cmocka_unit_test(senseless_options_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(no_matrix_of_couplings_is_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
