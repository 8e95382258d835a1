/* test_population.c - population annealing against models with known ln Z, in and outside of balls
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "helper_allocation.h"
#include "helper_oracle.h"
#include "helper_progress.h"
#include "log_z/deep_states.h"
#include "log_z/population.h"
#include "log_z/split.h"

static uint64_t test_seed(void) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : 1;
}

/* Few enough for a test. */
static isg_log_z_options few(size_t particles) {
    isg_log_z_options options = isg_log_z_defaults();
    options.method = ISG_LOG_Z_POPULATION;
    options.is_bounded = false;
    options.population.particles = particles;
    options.population.seed = test_seed();
    return options;
}

static isg_log_z estimate(const isg_rbm *rbm, const isg_log_z_options *options) {
    isg_log_z out = {0};
    assert_ok(isg_rbm_log_z(rbm, options, &out, NULL));
    assert_int_equal(out.method, ISG_LOG_Z_POPULATION);
    assert_true(isnan(out.shares.wells) && isnan(out.shares.rest) && out.modes == 0);
    return out;
}

/* An error of at most `error`, and within so many of them. Releases the model. */
static void check_right(oracle known, size_t particles, double error, double deviations) {
    const isg_log_z_options options = few(particles);
    const isg_log_z found = estimate(known.rbm, &options);
    const double z = fabs(found.value - known.log_z) / found.error;
    if (!(found.error > 0 && found.error < error))
        fail_msg("the error is %g, expected below %g", found.error, error);
    print_message("%zu x %zu, beta %g: %.4f +- %.4f, %.2f errors off\n", known.rbm->info.n_visible,
                  known.rbm->info.n_hidden, known.rbm->info.beta, found.value, found.error, z);
    if (!(z < deviations))
        fail_msg("found %.6f +- %.6f, expected %.6f", found.value, found.error, known.log_z);
    isg_rbm_free(known.rbm);
}

/* ---- against known ln Z ----------------------------------------------------------------------- */

/* Weak and strong weights, both fields; patterns that are not orthogonal, with a field and
   without. */
static void test_small_models(void **state) {
    (void)state;
    const double betas[] = {0.5, 1, 2};
    for (size_t k = 0; k < 3; k++) {
        check_right(oracle_small(14 + 3 * k, 3 + k, betas[k], 0.8), 500, 0.05, 5);
        check_right(oracle_small(20, 6, betas[k], 2.5), 500, 0.1, 5);
        check_right(oracle_hebbian(16, 4, betas[k], 0), 500, 0.05, 5);
        check_right(oracle_hebbian(17, 3, betas[k], 0.1), 500, 0.05, 5);
    }
}

static void test_wide_models(void **state) {
    (void)state;
    const double betas[] = {0.5, 1, 2};
    for (size_t k = 0; k < 3; k++)
        check_right(oracle_wide(300, 1 + k, betas[k], 1.5), 200, 0.12, 5);
    check_right(oracle_classes(0.5, 1, 0), 200, 0.1, 5);
    check_right(oracle_classes(1.5, 1, 0.02), 200, 0.2, 5);
}

/* 2^49 minima, of which no list knows: at the temperature where they appear, and below. */
static void test_rotated_blocks(void **state) {
    (void)state;
    const double betas[] = {1, 2, 4};
    for (size_t k = 0; k < 3; k++)
        check_right(oracle_blocks(betas[k], 49, betas[k], 0), 120, 0.2, 4);
}

/* ---- the stated error ------------------------------------------------------------------------- */

/* Of many seeds 60 to 80 % within one error, and 90 to 100 % within two; more of them if the seed is
   not known to be good. */
static void test_errors_cover(void **state) {
    (void)state;
    const size_t seeds = getenv("ISINGLASS_TEST_SEED") ? 200 : 50;
    size_t in_one = 0, in_two = 0;
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        oracle known = k == 0   ? oracle_small(16, 4, 0.5, 1.5)
                       : k == 1 ? oracle_small(14, 5, 2, 3)
                                : oracle_hebbian(12, 3, 1, 0.1);
        isg_log_z_options options = few(100);
        for (size_t seed = 0; seed < seeds; seed++) {
            options.population.seed = 1000 * test_seed() + seed;
            const isg_log_z found = estimate(known.rbm, &options);
            const double z = (found.value - known.log_z) / found.error;
            in_one += fabs(z) < 1;
            in_two += fabs(z) < 2;
            sum += z;
        }
        isg_rbm_free(known.rbm);
    }
    const double all = 3 * (double)seeds, one = (double)in_one / all, two = (double)in_two / all;
    print_message("%.1f %% within one error, %.1f %% within two\n", 100 * one, 100 * two);
    if (!(one > 0.6 && one < 0.8 && two > 0.9))
        fail_msg("%zu and %zu of %g within one and two errors", in_one, in_two, all);
    assert_true(fabs(sum) < 5 * sqrt(all));
}

/* ---- balls ------------------------------------------------------------------------------------ */

static isg_balls random_balls(size_t p, size_t count, bool is_even, double radius2) {
    isg_cursor random = isg_cursor_at(isg_stream_at(p, ISG_PURPOSE_TEST, count, 0));
    isg_balls balls = {.p = p, .is_even = is_even};
    for (size_t m = 0; m < count; m++) {
        double center[50];
        for (size_t mu = 0; mu < p; mu++)
            center[mu] = isg_next_normal(&random);
        assert_ok(isg_balls_add(&balls, center, radius2 * (0.5 + isg_next_uniform(&random))));
    }
    assert_int_equal(balls.count, count);
    return balls;
}

/* From the definition. */
static size_t plain_find(const isg_balls *balls, const double *h, double *sign) {
    size_t found = balls->count;
    double least = HUGE_VAL;
    for (size_t m = 0; m < balls->count; m++)
        for (int s = 1; s >= (balls->is_even ? -1 : 1); s -= 2) {
            double square = 0;
            for (size_t mu = 0; mu < balls->p; mu++)
                square += pow(h[mu] - s * balls->centers[m * balls->p + mu], 2);
            if (square <= balls->radius2[m] && square < least) {
                least = square;
                found = m;
                *sign = s;
            }
        }
    return found;
}

/* The one that holds h, and many h at once, inside and outside, in every number. */
static void test_balls(void **state) {
    (void)state;
    const size_t sizes[] = {1, 3, 17, 50}, counts[] = {0, 1, 7, 8, 21};
    size_t inside = 0, tried = 0;
    for (size_t k = 0; k < 40; k++) {
        const size_t p = sizes[k % 4], count = counts[k / 8];
        isg_balls balls = random_balls(p, count, k / 4 % 2, 0.7 * (double)p);
        isg_cursor random = isg_cursor_at(isg_stream_at(k, ISG_PURPOSE_TEST, 3, 0));
        isg_ball_tiles tiles;
        double h[ISG_GIBBS_CHAINS * 50], scratch[51 * ISG_TILE];
        assert_ok(isg_ball_tiles_create(&tiles, &balls));
        for (size_t n = 0; n <= ISG_GIBBS_CHAINS; n++) {
            bool is_inside[ISG_GIBBS_CHAINS];
            for (size_t j = 0; j < n * p; j++)
                h[j] = (n % 3 == 2 ? 3 : 0.7) * isg_next_normal(&random) +
                       (count > 0 && n % 3 == 0 ? balls.centers[j % (p * count)] : 0);
            isg_ball_tiles_test(&tiles, h, n, is_inside, scratch);
            for (size_t j = 0; j < n; j++) {
                double sign = 0, expected_sign = 0;
                const size_t found = isg_balls_find(&balls, h + j * p, &sign);
                assert_int_equal(found, plain_find(&balls, h + j * p, &expected_sign));
                assert_true(sign == expected_sign);
                assert_int_equal(is_inside[j], found < count);
                inside += is_inside[j];
                tried++;
            }
        }
        isg_ball_tiles_release(&tiles);
        isg_balls_release(&balls);
    }
    assert_true(inside > tried / 10 && inside < tried / 2);
}

/* ln of the sum over the states outside, and the share of all states that these are. */
static double sum_outside(const isg_rbm *rbm, const isg_balls *balls, double *share) {
    const uint64_t all = UINT64_C(1) << rbm->info.n_visible;
    isg_spin_model model;
    double h[8], sign, sum = 0;
    uint64_t outside = 0;
    assert_ok(isg_spin_model_start(&model, rbm));
    for (uint64_t s = 0; s < all; s++) {
        const double exponent = -model.beta * isg_spin_model_energy(&model, &s, h);
        if (isg_balls_find(balls, h, &sign) < balls->count)
            continue;
        sum += exp(exponent);
        outside++;
    }
    *share = (double)outside / (double)all;
    isg_release(model.field);
    return log(sum);
}

/* Balls of which enumeration says what they hold: around the state of lowest energy, and about h = 0,
   where half of all free spins are. Every state that a population shows is outside. */
static void check_outside(oracle known, bool is_even, double around, double radius2) {
    enum { SEEDS = 12, SAMPLES = 64 };
    const size_t p = known.rbm->info.n_hidden;
    isg_balls balls = {.p = p, .is_even = is_even};
    isg_anneal anneal;
    isg_spin_model model;
    double center[8] = {0}, h[8], sign, share = 0, sum = 0, squares = 0, low = HUGE_VAL;
    assert_ok(isg_anneal_create(&anneal, known.rbm, 1, ISG_PURPOSE_TEST));
    assert_ok(isg_spin_model_start(&model, known.rbm));
    for (uint64_t s = 0; s < UINT64_C(1) << model.n && around > 0; s++) {
        const double energy = isg_spin_model_energy(&model, &s, h);
        if (energy < low)
            memcpy(center, h, sizeof center);
        low = fmin(low, energy);
    }
    for (size_t mu = 0; mu < p; mu++)
        center[mu] *= around;
    assert_ok(isg_balls_add(&balls, center, radius2));
    const double log_z = sum_outside(known.rbm, &balls, &share);
    if (!(share < 0.98 && log_z < known.log_z - 0.05))
        fail_msg("%g of the states are outside, %g of ln Z", share, log_z - known.log_z);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        isg_population_options options = isg_population_defaults();
        uint64_t states[SAMPLES];
        double sums[4 + 4 * 4] = {0};
        isg_moments moments = {.sum = sums, .squares = sums + p};
        const isg_population_job job = {.outside = &balls,
                                        .betas = &model.beta,
                                        .n = 1,
                                        .samples = SAMPLES,
                                        .states = states,
                                        .moments = &moments};
        isg_population_point point;
        options.particles = 400;
        options.seed = SEEDS * test_seed() + seed;
        assert_ok(isg_population_run(&anneal, &options, &job, &point, NULL));
        for (size_t k = 0; k < SAMPLES; k++) {
            isg_spin_model_energy(&model, &states[k], h);
            assert_int_equal(isg_balls_find(&balls, h, &sign), 1);
        }
        sum += exp(point.log_z - log_z) - 1;
        squares += point.variance;
        assert_true(point.variance > 0 && point.variance < 0.05);
        assert_true(point.largest_family >= point.family_squares &&
                    point.family_squares > 1.0 / 400);
    }
    if (!(fabs(sum) < 4.5 * sqrt(squares)))
        fail_msg("off by %g, expected below %g", sum / SEEDS, 4.5 * sqrt(squares) / SEEDS);
    isg_balls_release(&balls);
    isg_anneal_release(&anneal);
    isg_release(model.field);
    isg_rbm_free(known.rbm);
}

static void test_outside(void **state) {
    (void)state;
    check_outside(oracle_small(14, 3, 1, 1.2), false, 1, 9);
    check_outside(oracle_small(13, 2, 2, 1.5), false, 1, 4);
    check_outside(oracle_small(14, 4, 0.5, 0.8), false, 0, 8);
    check_outside(oracle_hebbian(14, 3, 1, 0), true, 1, 4);
    check_outside(oracle_hebbian(12, 2, 2, 0), true, 1, 3);
}

static void test_nothing_outside(void **state) {
    (void)state;
    oracle known = oracle_small(8, 2, 1, 1);
    const isg_population_options options = few(200).population;
    isg_balls balls = {.p = 2};
    isg_anneal anneal;
    isg_population_point point = {.log_z = 5};
    assert_ok(isg_anneal_create(&anneal, known.rbm, 1, ISG_PURPOSE_TEST));
    assert_ok(isg_balls_add(&balls, (const double[]){0, 0}, 1e6));
    const isg_population_job job = {.outside = &balls, .betas = &known.rbm->info.beta, .n = 1};
    assert_fails(isg_population_run(&anneal, &options, &job, &point, NULL), ISG_ERR_UNSUPPORTED,
                 "the wells contain nearly all of the 2^8 states");
    assert_true(point.log_z == 5);
    isg_balls_release(&balls);
    isg_anneal_release(&anneal);
    isg_rbm_free(known.rbm);
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* One population passes all betas, in whatever order they are given; the first as if it were
   alone. */
static void test_many_betas(void **state) {
    (void)state;
    oracle known = oracle_small(16, 4, 1, 1.5);
    const isg_log_z_options options = few(300);
    const double rising[] = {0.5, 1, 2}, mixed[] = {2, 0.5, 1};
    isg_log_z one[3], two[3];
    assert_ok(isg_rbm_log_z_betas(known.rbm, &options, rising, 3, one, NULL));
    assert_ok(isg_rbm_log_z_betas(known.rbm, &options, mixed, 3, two, NULL));
    for (size_t k = 0; k < 3; k++) {
        double exact = 0;
        assert_true(one[k].value == two[(k + 1) % 3].value);
        assert_true(one[k].error == two[(k + 1) % 3].error);
        assert_ok(isg_rbm_set_beta(known.rbm, rising[k]));
        assert_ok(isg_exact_enumerate(known.rbm, &exact, NULL));
        assert_true(fabs(one[k].value - exact) < 5 * one[k].error);
    }
    assert_ok(isg_rbm_set_beta(known.rbm, 0.5));
    const isg_log_z alone = estimate(known.rbm, &options);
    assert_true(alone.value == one[0].value && alone.error == one[0].error);
    isg_rbm_free(known.rbm);
}

static void test_every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 7};
    oracle known = oracle_small(20, 4, 1, 1.5);
    const isg_log_z_options options = few(250);
    isg_log_z first = {0};
    for (size_t k = 0; k < 3; k++) {
        isg_set_threads(threads[k]);
        const isg_log_z found = estimate(known.rbm, &options);
        if (k == 0)
            first = found;
        assert_true(first.value == found.value && first.error == found.error);
        assert_true(first.family == found.family && first.ess == found.ess);
    }
    isg_set_threads(1);
    isg_rbm_free(known.rbm);
}

/* Cancelled by any of its reports, it leaves the result as it was. */
static void test_progress(void **state) {
    (void)state;
    oracle known = oracle_small(8, 2, 1, 1);
    isg_log_z_options options = few(100);
    options.population.repeats = 2;
    options.is_bounded = true;
    isg_log_z found = {.value = 5};
    patience all = {.may_stay = true};
    const isg_progress watching = {lose_patience, &all};
    assert_ok(isg_rbm_log_z(known.rbm, &options, &found, &watching));
    assert_true(all.calls > 5 && all.fraction == 1);
    for (size_t k = 1; k <= all.calls; k++) {
        patience some = {.last_call = k, .may_stay = true};
        const isg_progress cancelling = {lose_patience, &some};
        found.value = 5;
        assert_fails(isg_rbm_log_z(known.rbm, &options, &found, &cancelling), ISG_ERR_CANCELLED,
                     "cancelled");
        assert_true(found.value == 5 && some.calls == k);
    }
    isg_rbm_free(known.rbm);
}

static void test_refusals(void **state) {
    (void)state;
    const struct {
        size_t particles, repeats, sweeps;
        double keep;
        const char *message;
    } cases[] = {
        {99, 2, 1, 0.9, "particles: expected 100 to 2^30, found 99"},
        {((size_t)1 << 30) + 1, 2, 1, 0.9, "particles: expected 100 to 2^30, found 1073741825"},
        {100, 1, 1, 0.9, "repeats: expected 2 to 2^15, found 1"},
        {100, 40000, 1, 0.9, "repeats: expected 2 to 2^15, found 40000"},
        {100, 2, 0, 0.9, "sweeps: expected 1 to 1000, found 0"},
        {100, 2, 1001, 0.9, "sweeps: expected 1 to 1000, found 1001"},
        {100, 2, 1, 0, "keep: expected a share between 0 and 1, found 0"},
        {100, 2, 1, 1, "keep: expected a share between 0 and 1, found 1"},
        {100, 2, 1, (double)NAN, "keep: expected a share between 0 and 1, found nan"},
    };
    oracle known = oracle_small(6, 2, 1, 0.5);
    isg_log_z found = {.value = 5};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        isg_log_z_options options = few(100);
        options.population.particles = cases[k].particles;
        options.population.repeats = cases[k].repeats;
        options.population.sweeps = cases[k].sweeps;
        options.population.keep = cases[k].keep;
        assert_fails(isg_rbm_log_z(known.rbm, &options, &found, NULL), ISG_ERR_ARGUMENT,
                     cases[k].message);
    }
    const isg_log_z_options options = few(100);
    known.rbm->weights[3] = (double)NAN;
    assert_fails(isg_rbm_log_z(known.rbm, &options, &found, NULL), ISG_ERR_DIVERGED, "finite");
    assert_true(found.value == 5);
    isg_rbm_free(known.rbm);
}

/* Energies whose rounding is more than ln 2: the population is soon in a ground state, from where rounding
   alone would make 10^5 steps. A thousandth of that is precise enough. */
static void test_huge_weights(void **state) {
    (void)state;
    oracle known = oracle_small(12, 3, 1, 1.7);
    const isg_log_z_options options = few(1000);
    const size_t all = known.rbm->info.n_visible * known.rbm->info.n_hidden;
    isg_log_z found = {.value = 5};
    for (size_t k = 0; k < all; k++)
        known.rbm->weights[k] *= 1e5;
    assert_ok(isg_rbm_log_z(known.rbm, &options, &found, NULL));
    assert_true(found.value > 1e9);
    found.value = 5;
    for (size_t k = 0; k < all; k++)
        known.rbm->weights[k] *= 1e3;
    assert_fails(isg_rbm_log_z(known.rbm, &options, &found, NULL), ISG_ERR_DIVERGED,
                 "weights, fields or beta are too large");
    assert_true(found.value == 5);
    isg_rbm_free(known.rbm);
}

static isg_status small_job(void *user) {
    isg_log_z_options options = few(100);
    isg_log_z found;
    options.population.repeats = 2;
    options.is_bounded = true;
    return isg_rbm_log_z(user, &options, &found, NULL);
}

static void test_allocations(void **state) {
    (void)state;
    oracle known = oracle_small(4, 1, 1, 0.5);
    assert_true(sweep_allocations(small_job, known.rbm) > 20);
    isg_rbm_free(known.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_nothing_outside),
        cmocka_unit_test(test_small_models),
        slow_unit_test(test_wide_models),
        slow_unit_test(test_rotated_blocks),
        slow_unit_test(test_errors_cover),
        cmocka_unit_test(test_many_betas),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bits),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_huge_weights),
        cmocka_unit_test(test_allocations),
    };
    isg_set_threads(1); /* small work, of which two threads would spend most waiting */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
