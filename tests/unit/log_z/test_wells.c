/* test_wells.c - two estimates of what is in wells, against enumeration
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/special.h"
#include "helper_allocation.h"
#include "helper_oracle.h"
#include "helper_progress.h"
#include "log_z/exact.h"
#include "log_z/wells.h"

enum { MOST_HIDDEN = 8, STARTS = 64 };

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

/* A model and all wells that searches from random points find. */
typedef struct bed {
    oracle known;
    isg_spin_model model;
    isg_anneal anneal;
    isg_wells wells;
} bed;

/* With radii^2 that are `narrower` than the wells'. */
static isg_status bed_fill(bed *out, uint64_t seed, double narrower) {
    isg_modes modes = isg_modes_start(&out->model);
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 77, 0));
    double points[STARTS * MOST_HIDDEN];
    size_t added = 0;
    for (size_t k = 0; k < STARTS * out->model.p; k++)
        points[k] = 3 * isg_next_normal(&random);
    isg_status status = isg_modes_search(&modes, points, STARTS);
    out->wells = isg_wells_start(&out->model, &out->anneal, seed);
    if (status == ISG_OK)
        status = isg_wells_add(&out->wells, &modes, -HUGE_VAL, &added, NULL);
    isg_modes_release(&modes);
    if (status == ISG_OK)
        assert_int_equal(added, out->wells.balls.count);
    for (size_t m = 0; m < out->wells.balls.count; m++)
        out->wells.balls.radius2[m] *= narrower;
    return status;
}

static void bed_start(bed *out, oracle known) {
    *out = (bed){.known = known};
    assert_true(known.rbm->info.n_hidden <= MOST_HIDDEN);
    assert_ok(isg_spin_model_start(&out->model, known.rbm));
    assert_ok(isg_anneal_create(&out->anneal, known.rbm, 1, ISG_PURPOSE_POPULATION));
}

static void bed_end(bed *made) {
    isg_anneal_release(&made->anneal);
    isg_release(made->model.field);
    isg_rbm_free(made->known.rbm);
}

/* log_cells (count): ln of the sum over the states of each well, mirror images included; returns ln of
   the sum of all. */
static double enumerate(const bed *made, double *log_cells) {
    const isg_balls *balls = &made->wells.balls;
    const double zero = made->known.log_z;
    double h[MOST_HIDDEN], sign, all = 0;
    for (size_t m = 0; m < balls->count; m++)
        log_cells[m] = 0;
    for (uint64_t s = 0; s < UINT64_C(1) << made->model.n; s++) {
        const double energy = isg_spin_model_energy(&made->model, &s, h);
        const size_t m = isg_balls_find(balls, h, &sign);
        if (m == balls->count)
            continue;
        log_cells[m] += exp(-made->model.beta * energy - zero);
        all += exp(-made->model.beta * energy - zero);
    }
    for (size_t m = 0; m < balls->count; m++)
        log_cells[m] = log(log_cells[m]) + zero;
    return log(all) + zero;
}

/* Deviations in units of the error. */
typedef struct deviations {
    double sum, squares;
    size_t count;
} deviations;

static void deviate(deviations *to, double found, double expected, double error) {
    const double z = (found - expected) / error;
    to->sum += z;
    to->squares += z * z;
    to->count++;
}

/* The mean is near 0 and the mean square no more than 1, up to what chance does. */
static void check_deviations(const deviations *of, const char *name) {
    const double n = (double)of->count;
    print_message("%s: %zu, mean %.2f, root mean square %.2f errors\n", name, of->count,
                  of->sum / n, sqrt(of->squares / n));
    if (!(fabs(of->sum) < 4.5 * sqrt(n) && of->squares < n + 8 * sqrt(2 * n)))
        fail_msg("%s: %g and %g of %g", name, of->sum, of->squares, n);
}

/* With a Gaussian fitted to exact samples outside the wells, the draws are of these states, too. */
static void draw_rest(const bed *made, isg_wells_at *at, uint64_t seed, double log_wells,
                      deviations *rest) {
    enum { SAMPLES = 4000 };
    const size_t p = made->model.p;
    const double log_all = made->known.log_z, share = -expm1(log_wells - log_all);
    uint64_t states[SAMPLES];
    double sums[MOST_HIDDEN * (MOST_HIDDEN + 1)] = {0}, h[MOST_HIDDEN], sign;
    isg_moments moments = {.sum = sums, .squares = sums + p};
    isg_gaussian wide;
    isg_well_draws found;
    assert_ok(isg_exact_samples(made->known.rbm, SAMPLES, seed, states));
    for (size_t k = 0; k < SAMPLES; k++) {
        isg_spin_model_energy(&made->model, &states[k], h);
        if (isg_balls_find(&made->wells.balls, h, &sign) == made->wells.balls.count)
            isg_moments_add(&moments, p, h);
    }
    if (moments.count < 50)
        return;
    assert_ok(isg_gaussian_create(&wide, p));
    assert_ok(isg_gaussian_fit(&wide, &moments, made->model.beta, 0, false));
    assert_ok(isg_wells_at_widen(at, &wide, log_all + log(share)));
    assert_ok(isg_wells_at_draw(at, 1000, &found, NULL));
    assert_ok(isg_wells_at_draw(at, 4000, &found, NULL));
    assert_true(found.in_wells > 0 && found.in_wells <= 4000);
    const double both[] = {found.inside.log_z, found.outside.log_z};
    assert_true(fabs(isg_log_sum_exp(both, 2) - found.all.log_z) < 1e-9);
    deviate(rest, found.outside.log_z, log_all + log(share), found.outside.error);
    isg_gaussian_release(&wide);
}

/* States of a model without wells are where a Gaussian of all of them has weight, but not where only a
   narrow one has. */
static void test_weighing_states(void **state) {
    (void)state;
    enum { COUNT = 40 };
    uint64_t states[COUNT];
    double log_weights[COUNT], precision[4] = {0};
    bed made;
    bed_start(&made, oracle_small(14, 2, 1, 1));
    made.wells = isg_wells_start(&made.model, &made.anneal, 1);
    assert_ok(isg_exact_samples(made.known.rbm, COUNT, 7, states));
    for (int is_narrow = 0; is_narrow < 2; is_narrow++) {
        isg_wells_at at;
        isg_gaussian part;
        size_t large = 0;
        precision[0] = precision[3] = is_narrow ? 400 : 0.3;
        assert_ok(isg_gaussian_create(&part, 2));
        assert_ok(isg_gaussian_set(&part, (const double[]){0, 0},
                                   (isg_matd_view){precision, 2, 2, 2}, precision[0]));
        assert_ok(isg_wells_at_start(&at, &made.wells, 1, NULL));
        assert_ok(isg_wells_at_widen(&at, &part, 0));
        assert_ok(isg_wells_at_weigh(&at, states, COUNT, log_weights));
        for (size_t k = 0; k < COUNT; k++)
            large += log_weights[k] > made.known.log_z + 5;
        assert_true(is_narrow ? large > COUNT / 2 : large == 0);
        isg_wells_at_release(&at);
        isg_gaussian_release(&part);
    }
    isg_wells_release(&made.wells);
    bed_end(&made);
}

/* Both estimates of all wells, and of each by the probability of its deepest state, which must be in
   it. */
static void look(bed *made, uint64_t seed, double narrower, deviations *draws, deviations *rest,
                 deviations *bridge, deviations *chib, deviations *each) {
    double log_cells[64], h[MOST_HIDDEN], sign = 0;
    isg_wells_at at;
    isg_well_draws first, found;
    assert_ok(bed_fill(made, seed, narrower));
    const size_t count = made->wells.balls.count;
    if (!(count > 0 && count <= 64))
        fail_msg("%zu wells", count);
    const double all = enumerate(made, log_cells);
    assert_ok(isg_wells_at_start(&at, &made->wells, made->model.beta, NULL));
    assert_ok(isg_wells_at_draw(&at, 1000, &first, NULL));
    assert_ok(isg_wells_at_draw(&at, 2000, &found, NULL));
    assert_int_equal(found.samples, 2000);
    assert_true(found.inside.ess > 100 && found.inside.ess < 2000.5);
    assert_true(found.inside.largest_share < 0.05);
    deviate(draws, found.inside.log_z, all, found.inside.error);
    deviate(bridge, found.bridge.log_z, all, hypot(found.bridge.of_draws, found.bridge.of_chains));
    draw_rest(made, &at, seed, all, rest);
    const isg_well_mass sum = isg_wells_at_chib(&at);
    assert_true(sum.log_p <= 1e-3 || isnan(sum.log_z));
    if (sum.log_p > -6 && isfinite(sum.log_z))
        deviate(chib, sum.log_z, all, sum.error);
    for (size_t m = 0; m < count; m++) {
        const isg_well_mass *mass = &at.masses[m];
        /* Those that matter: in others, chains may be slow to go from one minimum to the next. */
        if (!isfinite(mass->log_z) || mass->log_p < -4 || log_cells[m] < all - 7)
            continue;
        deviate(each, mass->log_z, log_cells[m], hypot(mass->error, 1e-3));
        isg_spin_model_energy(&made->model, made->wells.states + m, h);
        assert_int_equal(isg_balls_find(&made->wells.balls, h, &sign), m);
        assert_true(sign == 1);
        assert_true(-made->model.beta * made->wells.energies[m] <= log_cells[m] + 1e-9);
    }
    isg_wells_at_release(&at);
    isg_wells_release(&made->wells);
}

/* One well and several, with fields and without, as wide as they are found and so narrow that many
   sweeps are rejected; but not where a narrow one would hold next to nothing but its deepest state, so
   that a few chains that see another one make the error. */
static void test_estimates(void **state) {
    (void)state;
    enum { SEEDS = 6 };
    deviations draws = {0}, rest = {0}, bridge = {0}, chib = {0}, each = {0};
    for (size_t k = 0; k < 8; k++) {
        bed made;
        bed_start(&made, k == 0   ? oracle_small(14, 4, 0.5, 1.5)
                         : k == 1 ? oracle_small(12, 3, 1, 1.2)
                         : k == 2 ? oracle_small(13, 6, 2, 2.5)
                         : k == 3 ? oracle_small(14, 5, 2, 3)
                         : k == 4 ? oracle_small(13, 2, 1, 4)
                         : k == 5 ? oracle_hebbian(14, 3, 6, 0)
                         : k == 6 ? oracle_hebbian(12, 2, 6, 0)
                                  : oracle_hebbian(13, 3, 5, 0.1));
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            look(&made, SEEDS * test_seed() + seed, seed % 2 && k != 6 ? 0.25 : 1, &draws, &rest,
                 &bridge, &chib, &each);
        bed_end(&made);
    }
    assert_true(rest.count > 12 && chib.count > 24 && each.count > 36);
    check_deviations(&draws, "draws");
    check_deviations(&rest, "draws of the rest");
    check_deviations(&bridge, "draws and chains");
    check_deviations(&chib, "deepest states");
    check_deviations(&each, "each well");
}

/* Balls that overlap: the deepest state of one is nearer to the center of another. */
static void test_overlapping_wells(void **state) {
    (void)state;
    deviations draws = {0}, rest = {0}, bridge = {0}, chib = {0}, each = {0};
    bed made;
    bed_start(&made, oracle_small(16, 6, 2, 2.5));
    for (uint64_t seed = 0; seed < 8; seed++)
        look(&made, 8 * test_seed() + seed, 1, &draws, &rest, &bridge, &chib, &each);
    bed_end(&made);
    check_deviations(&draws, "draws");
    check_deviations(&bridge, "draws and chains");
    check_deviations(&chib, "deepest states");
    check_deviations(&each, "each well");
}

/* ---- the rest --------------------------------------------------------------------------------- */

static void test_every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 7};
    isg_well_draws first = {0};
    isg_well_mass first_mass = {0};
    bed made;
    bed_start(&made, oracle_small(16, 6, 2, 2.5));
    for (size_t k = 0; k < 3; k++) {
        isg_wells_at at;
        isg_well_draws found;
        isg_set_threads(threads[k]);
        assert_ok(bed_fill(&made, 1, 1));
        assert_ok(isg_wells_at_start(&at, &made.wells, made.model.beta, NULL));
        assert_ok(isg_wells_at_draw(&at, 1001, &found, NULL));
        const isg_well_mass mass = isg_wells_at_chib(&at);
        if (k == 0) {
            first = found;
            first_mass = mass;
        }
        assert_true(found.all.log_z == first.all.log_z && found.inside.error == first.inside.error);
        assert_true(mass.log_z == first_mass.log_z && mass.error == first_mass.error);
        isg_wells_at_release(&at);
        isg_wells_release(&made.wells);
    }
    isg_set_threads(1);
    bed_end(&made);
}

/* No wells hold nothing. */
static void test_no_wells(void **state) {
    (void)state;
    bed made;
    isg_wells_at at;
    bed_start(&made, oracle_small(6, 2, 1, 0.5));
    made.wells = isg_wells_start(&made.model, &made.anneal, 1);
    assert_ok(isg_wells_at_start(&at, &made.wells, 1, NULL));
    assert_true(isnan(isg_wells_at_chib(&at).log_z));
    isg_wells_at_release(&at);
    isg_wells_release(&made.wells);
    bed_end(&made);
}

static void test_cancelling(void **state) {
    (void)state;
    const isg_progress cancelling = {cancel_at_once, NULL};
    bed made;
    isg_wells_at at;
    isg_well_draws found = {.samples = 5};
    bed_start(&made, oracle_hebbian(12, 2, 6, 0));
    assert_ok(bed_fill(&made, 1, 1));
    assert_fails(isg_wells_at_start(&at, &made.wells, made.model.beta, &cancelling),
                 ISG_ERR_CANCELLED, "cancelled");
    isg_wells_at_release(&at);
    assert_ok(isg_wells_at_start(&at, &made.wells, made.model.beta, NULL));
    assert_fails(isg_wells_at_draw(&at, 1000, &found, &cancelling), ISG_ERR_CANCELLED, "cancelled");
    assert_int_equal(found.samples, 5);
    isg_wells_at_release(&at);
    isg_wells_release(&made.wells);
    bed_end(&made);
}

static isg_status small_job(void *user) {
    bed *made = user;
    isg_wells_at at = {0};
    isg_well_draws found;
    isg_status status = bed_fill(made, 1, 1);
    if (status == ISG_OK) {
        status = isg_wells_at_start(&at, &made->wells, made->model.beta, NULL);
        if (status == ISG_OK)
            status = isg_wells_at_draw(&at, 1, &found, NULL); /* two per well */
        isg_wells_at_release(&at);
    }
    isg_wells_release(&made->wells);
    return status;
}

/* What a precision becomes if the spread of the wells is so large that rounding leaves nothing of 1 /
   beta. */
static void test_a_precision_that_was_rounded_away(void **state) {
    (void)state;
    isg_gaussian part;
    assert_ok(isg_gaussian_create(&part, 2));
    assert_fails(isg_gaussian_set(&part, (const double[]){0, 0},
                                  (isg_matd_view){(const double[]){1, 0, 1, 1}, 2, 2, 2}, 0),
                 ISG_ERR_DIVERGED, "weights or beta are too large");
    isg_gaussian_release(&part);
}

static void test_allocations(void **state) {
    (void)state;
    bed made;
    bed_start(&made, oracle_hebbian(8, 2, 6, 0.1));
    assert_true(sweep_allocations(small_job, &made) > 20);
    bed_end(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_overlapping_wells),
        cmocka_unit_test(test_weighing_states),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bits),
        cmocka_unit_test(test_no_wells),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_a_precision_that_was_rounded_away),
        cmocka_unit_test(test_allocations),
    };
    isg_set_threads(1); /* small work, of which two threads would spend most waiting */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
