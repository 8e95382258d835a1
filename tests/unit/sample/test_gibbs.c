/* test_gibbs.c - chains: same bytes however they are swept, hidden units, energies, refusals
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"

/* Normal weights and fields. */
static isg_rbm *build(size_t n, size_t p, double beta, double weights, double fields) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, n, p, beta));
    isg_cursor random = isg_cursor_at(isg_stream_at(n * 1000 + p, ISG_PURPOSE_TEST, 0, 0));
    const isg_matd w = isg_rbm_weights(rbm);
    for (size_t k = 0; k < n * p; k++)
        w.data[k] = weights * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        isg_rbm_visible_field(rbm)[i] = fields * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        isg_rbm_hidden_field(rbm)[mu] = fields * isg_next_normal(&random);
    return rbm;
}

static isg_chains *chains_of(const isg_rbm *rbm, size_t count, uint64_t seed) {
    isg_chains *chains = NULL;
    assert_ok(isg_chains_create(&chains, rbm, count, seed));
    return chains;
}

/* ---- same bytes ------------------------------------------------------------------------------------ */

enum { UNITS = 70, HIDDEN = 18, COUNT = 37, WORDS = 2 };

typedef struct outcome {
    uint64_t spins[COUNT][WORDS];
    float lambda[COUNT][HIDDEN];
    double energies[COUNT];
} outcome;

/* 21 sweeps in parts; `parts` ends with 0. */
static outcome outcome_of(const isg_rbm *rbm, uint64_t seed, const uint64_t *clamped,
                          const size_t *parts) {
    outcome out;
    isg_chains *chains = chains_of(rbm, COUNT, seed);
    isg_chains_clamp(chains, clamped);
    for (; *parts; parts++)
        assert_ok(isg_chains_sweep(chains, *parts, 1.3));
    for (size_t k = 0; k < COUNT; k++) {
        memcpy(out.spins[k], isg_chains_spins(chains, k), sizeof out.spins[k]);
        memcpy(out.lambda[k], isg_chains_hidden(chains, k), sizeof out.lambda[k]);
    }
    isg_chains_energy(chains, out.energies);
    isg_chains_free(chains);
    return out;
}

static void assert_same(const outcome *a, const outcome *b) {
    assert_memory_equal(a->spins, b->spins, sizeof a->spins);
    assert_memory_equal(a->lambda, b->lambda, sizeof a->lambda);
    assert_memory_equal(a->energies, b->energies, sizeof a->energies);
}

static const size_t whole[] = {21, 0};

static void test_calls_can_be_cut_anywhere(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    const size_t cut[] = {5, 16, 0}, other[] = {16, 5, 0};
    size_t single[22] = {0};
    for (size_t t = 0; t < 21; t++)
        single[t] = 1;
    const outcome expected = outcome_of(rbm, 1, NULL, whole);
    const outcome in_two = outcome_of(rbm, 1, NULL, cut), in_21 = outcome_of(rbm, 1, NULL, single);
    const outcome the_other_way = outcome_of(rbm, 1, NULL, other);
    assert_same(&expected, &in_two);
    assert_same(&expected, &in_21);
    assert_same(&expected, &the_other_way);
    isg_rbm_free(rbm);
}

static void test_threads_and_instruction_sets_do_not_matter(void **state) {
    (void)state;
    const char *isa_before = isg_isa();
    static const uint64_t some[WORDS] = {0xF00F00000000FF01, 0x21};
    static const size_t threads[] = {1, 2, 3, 7};
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    for (int is_clamped = 0; is_clamped < 2; is_clamped++) {
        const uint64_t *clamped = is_clamped ? some : NULL;
        assert_ok(isg_set_isa("ref"));
        isg_set_threads(1);
        const outcome expected = outcome_of(rbm, 1, clamped, whole);
        for (size_t isa = 0; isg_isa_name(isa); isa++)
            for (size_t j = 0; j < 4; j++) {
                if (isg_set_isa(isg_isa_name(isa)) != ISG_OK)
                    continue;
                isg_set_threads(threads[j]);
                const outcome found = outcome_of(rbm, 1, clamped, whole);
                assert_same(&expected, &found);
            }
    }
    isg_set_threads(0);
    assert_ok(isg_set_isa(isa_before));
    isg_rbm_free(rbm);
}

/* Chains that were written down after some sweeps, and set up again elsewhere. */
static void test_chains_can_be_restored(void **state) {
    (void)state;
    static const uint64_t some[WORDS] = {0xF00F00000000FF01, 0x21};
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    for (int is_clamped = 0; is_clamped < 2; is_clamped++) {
        const uint64_t *clamped = is_clamped ? some : NULL;
        const outcome expected = outcome_of(rbm, 1, clamped, whole);
        isg_chains *before = chains_of(rbm, COUNT, 1), *after = chains_of(rbm, COUNT, 1);
        isg_chains_clamp(before, clamped);
        isg_chains_clamp(after, clamped);
        assert_ok(isg_chains_sweep(before, 5, 1.3));
        assert_ok(isg_chains_sweep(after, 2, 0.7)); /* which leaves nothing behind */
        for (size_t k = 0; k < COUNT; k++)
            isg_chains_set_spins(after, k, isg_chains_spins(before, k));
        assert_ok(isg_chains_restore(after, isg_chains_describe(before).sweeps));
        assert_int_equal(isg_chains_describe(after).sweeps, 5);
        assert_true(isg_chains_hidden(after, 0)[0] == 0);
        assert_ok(isg_chains_sweep(after, 16, 1.3));
        for (size_t k = 0; k < COUNT; k++) {
            assert_memory_equal(expected.spins[k], isg_chains_spins(after, k),
                                sizeof expected.spins[k]);
            assert_memory_equal(expected.lambda[k], isg_chains_hidden(after, k),
                                sizeof expected.lambda[k]);
        }
        assert_int_equal(isg_chains_describe(after).sweeps, 21);
        assert_fails(isg_chains_restore(after, UINT64_MAX), ISG_ERR_ARGUMENT, "sweeps: expected");
        assert_int_equal(isg_chains_describe(after).sweeps, 21);
        assert_ok(isg_chains_restore(after, (UINT64_C(1) << 56) - 2));
        assert_fails(isg_chains_sweep(after, 2, 1), ISG_ERR_ARGUMENT, "no random numbers for 2");
        assert_ok(isg_chains_sweep(after, 1, 1));
        isg_chains_free(before);
        isg_chains_free(after);
    }
    isg_rbm_free(rbm);
}

/* Threads may become more or fewer while chains exist. */
static void test_threads_may_change(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    const outcome expected = outcome_of(rbm, 1, NULL, whole);
    isg_set_threads(2);
    isg_chains *chains = chains_of(rbm, COUNT, 1);
    for (size_t t = 0; t < 21; t++) {
        isg_set_threads(1 + t % 4);
        assert_ok(isg_chains_sweep(chains, 1, 1.3));
    }
    for (size_t k = 0; k < COUNT; k++)
        assert_memory_equal(expected.spins[k], isg_chains_spins(chains, k),
                            sizeof expected.spins[k]);
    isg_chains_free(chains);
    isg_set_threads(0);
    isg_rbm_free(rbm);
}

static isg_chains *chains_of_one(const isg_rbm *rbm) {
    isg_set_own_threads(1);
    isg_chains *chains = chains_of(rbm, COUNT, 1);
    isg_set_own_threads(7);
    return chains;
}

typedef struct own_work {
    const isg_rbm *rbm;
    size_t threads;
    outcome found;
} own_work;

static void *work_on_its_own(void *user) {
    own_work *my = user;
    isg_set_own_threads(my->threads);
    for (size_t k = 0; k < 20; k++)
        my->found = outcome_of(my->rbm, 1, NULL, whole);
    return NULL;
}

/* Also if every thread of the program has another number, and chains go from one to the next. */
static void test_threads_may_have_their_own(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    const outcome expected = outcome_of(rbm, 1, NULL, whole);
    isg_chains *chains = chains_of_one(rbm);
    assert_ok(isg_chains_sweep(chains, 21, 1.3));
    isg_set_own_threads(0);
    for (size_t k = 0; k < COUNT; k++)
        assert_memory_equal(expected.spins[k], isg_chains_spins(chains, k),
                            sizeof expected.spins[k]);
    own_work work[] = {{.rbm = rbm, .threads = 1}, {.rbm = rbm, .threads = 7}};
    pthread_t threads[2];
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, work_on_its_own, &work[k]), 0);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_same(&expected, &work[k].found);
    }
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

static void test_seeds_and_chains_differ(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.2, 0.1);
    const outcome one = outcome_of(rbm, 1, NULL, whole), two = outcome_of(rbm, 2, NULL, whole);
    for (size_t k = 0; k < COUNT; k++) {
        assert_memory_not_equal(one.spins[k], two.spins[k], sizeof one.spins[k]);
        for (size_t l = 0; l < k; l++)
            assert_memory_not_equal(one.lambda[k], one.lambda[l], sizeof one.lambda[k]);
        assert_true(one.spins[k][WORDS - 1] >> (UNITS % 64) == 0);
    }
    isg_rbm_free(rbm);
}

static void test_chains_start_from_fair_coins(void **state) {
    (void)state;
    enum { MANY = 20000 };
    isg_rbm *rbm = build(UNITS, 1, 1, 1, 1);
    isg_chains *chains = chains_of(rbm, MANY, test_seed(5));
    for (size_t i = 0; i < UNITS; i++) {
        int sum = 0, with_next = 0;
        for (size_t k = 0; k < MANY; k++) {
            const uint64_t *spins = isg_chains_spins(chains, k);
            sum += isg_spin(spins, i);
            with_next += isg_spin(spins, i) * isg_spin(spins, (i + 1) % UNITS);
        }
        assert_true(fabs(sum / sqrt(MANY)) < 5 && fabs(with_next / sqrt(MANY)) < 5);
    }
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* ---- hidden units ---------------------------------------------------------------------------------- */

/* The largest deviation, in standard errors, of means, variances and covariances of rows (count, p)
   that should be independent standard normals. */
static double moments_score(const double *z, size_t count, size_t p) {
    double worst = 0;
    for (size_t mu = 0; mu < p; mu++) {
        double mean = 0;
        for (size_t k = 0; k < count; k++)
            mean += z[k * p + mu];
        worst = fmax(worst, fabs(mean) / sqrt((double)count));
        for (size_t nu = 0; nu <= mu; nu++) {
            double product = 0;
            for (size_t k = 0; k < count; k++)
                product += z[k * p + mu] * z[k * p + nu];
            const double expected = mu == nu ? (double)count : 0;
            const double error = sqrt((mu == nu ? 2 : 1) * (double)count);
            worst = fmax(worst, fabs(product - expected) / error);
        }
    }
    return worst;
}

static void test_hidden_units_have_their_mean_and_variance(void **state) {
    (void)state;
    enum { MANY = 40000, P = 19, N = 21 };
    const double beta = 3;
    isg_rbm *rbm = build(N, P, 1, 0.5, 0.7);
    double *z = malloc(MANY * P * sizeof *z), h[P];
    assert_non_null(z);
    isg_chains *chains = chains_of(rbm, MANY, test_seed(1));
    const uint64_t spins = 0x1A2B3C & ((1 << N) - 1);
    for (size_t k = 0; k < MANY; k++)
        isg_chains_set_spins(chains, k, &spins);
    isg_rbm_hidden_input(rbm, &spins, h);
    assert_ok(isg_chains_sweep(chains, 1, beta));
    for (size_t k = 0; k < MANY; k++)
        for (size_t mu = 0; mu < P; mu++)
            z[k * P + mu] = sqrt(beta) * ((double)isg_chains_hidden(chains, k)[mu] - h[mu]);
    assert_true(moments_score(z, MANY, P) < 5);
    for (size_t k = 0; k < MANY; k++) /* two units share a normal */
        z[k * P + 3] = z[k * P + 11];
    assert_true(moments_score(z, MANY, P) > 10);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
    free(z);
}

/* The largest deviation, in standard errors, of the share of normals beyond 3, 4 and 5 standard
   deviations; `limit` is where they are clipped. */
static double tail_score(const isg_chains *chains, size_t count, size_t p, double limit) {
    size_t beyond[3] = {0};
    for (size_t k = 0; k < count; k++)
        for (size_t mu = 0; mu < p; mu++)
            for (size_t t = 0; t < 3; t++)
                beyond[t] +=
                    fmin(limit, fabs((double)isg_chains_hidden(chains, k)[mu])) > (double)(3 + t);
    double worst = 0;
    for (size_t t = 0; t < 3; t++) {
        const double expected = (double)(count * p) * erfc((double)(3 + t) / sqrt(2));
        worst = fmax(worst, fabs((double)beyond[t] - expected) / sqrt(expected));
    }
    return worst;
}

static void test_hidden_units_reach_far_out(void **state) {
    (void)state;
    enum { MANY = 70000, P = 64 }; /* 4.5 million normals */
    isg_rbm *rbm = build(1, P, 1, 0, 0);
    isg_chains *chains = chains_of(rbm, MANY, test_seed(2));
    assert_ok(isg_chains_sweep(chains, 1, 1));
    assert_true(tail_score(chains, MANY, P, HUGE_VAL) < 5);
    assert_true(tail_score(chains, MANY, P, 4) > 10);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* Spins that go against their field six times in a million: less than half a step of a uniform of 16
   bits, with which they never would. */
static void test_spins_against_a_strong_field(void **state) {
    (void)state;
    enum { MANY = 512, N = 1024, TIMES = 16 };
    const double b = -6.01, up_share = 1 / (1 + exp(-2 * b));
    const double trials = (double)MANY * N * TIMES, expected = trials * up_share;
    isg_rbm *rbm = build(N, 1, 1, 0, 0);
    for (size_t i = 0; i < N; i++)
        isg_rbm_visible_field(rbm)[i] = b;
    isg_chains *chains = chains_of(rbm, MANY, test_seed(3));
    size_t up = 0, coarsely_up = 0;
    for (size_t t = 0; t < TIMES; t++) {
        assert_ok(isg_chains_sweep(chains, 1, 1));
        for (size_t k = 0; k < MANY; k++)
            up += isg_count_ones(isg_chains_spins(chains, k), N / 64);
    }
    isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(4), ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < (size_t)trials; k++)
        coarsely_up += ((double)(isg_next_word(&random) >> 16) + 0.5) * 0x1p-16 < up_share;
    assert_true(fabs((double)up - expected) < 5 * sqrt(expected));
    assert_true(fabs((double)coarsely_up - expected) > 7 * sqrt(expected));
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* ---- energies, cold chains, refusals ------------------------------------------------------------- */

static void test_energy_is_that_of_the_spins(void **state) {
    (void)state;
    isg_rbm *rbm = build(UNITS, HIDDEN, 1, 0.3, 0.2);
    double energies[COUNT], expected = 0;
    isg_chains *chains = chains_of(rbm, COUNT, 3);
    for (size_t part = 0; part < 3; part++) { /* at the start, after sweeps, after setting spins */
        isg_chains_energy(chains, energies);
        for (size_t k = 0; k < COUNT; k++) {
            assert_ok(isg_rbm_spin_energy(rbm, isg_chains_spins(chains, k), &expected));
            assert_true(fabs(energies[k] - expected) < 1e-5 * fmax(1, fabs(expected)));
        }
        assert_ok(isg_chains_sweep(chains, 10, 0.5));
        for (size_t k = 0; part == 1 && k < COUNT; k++)
            isg_chains_set_spins(chains, k, (const uint64_t[WORDS]){k * 0x123456789abcdef, k});
    }
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

/* With weights a hundred times larger the dynamics are deterministic: every chain ends where no
   flip lowers the energy, s_i (W (W^T s + c) + b)_i > 0, and one in the ground state stays
   there. */
static void test_huge_weights_freeze(void **state) {
    (void)state;
    enum { N = 20, P = 4, MANY = 100 };
    isg_rbm *rbm = build(N, P, 2, 100, 50);
    double *p = malloc(((size_t)1 << N) * sizeof *p), h[P], x[N], energies[MANY];
    assert_non_null(p);
    assert_ok(isg_exact_probabilities(rbm, p));
    uint64_t ground = 0;
    for (uint64_t s = 0; s < (uint64_t)1 << N; s++)
        ground = p[s] > p[ground] ? s : ground;
    assert_true(p[ground] > 0.999);
    isg_chains *chains = chains_of(rbm, MANY, 1);
    isg_chains_set_spins(chains, 0, &ground);
    assert_ok(isg_chains_sweep(chains, 50, 2));
    assert_true(*isg_chains_spins(chains, 0) == ground);
    isg_chains_energy(chains, energies);
    for (size_t k = 0; k < MANY; k++) {
        const uint64_t *spins = isg_chains_spins(chains, k);
        for (size_t mu = 0; mu < P; mu++)
            assert_true(isfinite(isg_chains_hidden(chains, k)[mu]));
        isg_rbm_hidden_input(rbm, spins, h);
        isg_rbm_visible_input(rbm, h, x);
        for (size_t i = 0; i < N; i++)
            assert_true(isg_spin(spins, i) * x[i] > 0);
        assert_true(isfinite(energies[k]) && energies[k] >= energies[0] * (1 + 1e-6));
    }
    free(p);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

static void test_what_has_no_meaning_is_refused(void **state) {
    (void)state;
    isg_rbm *rbm = build(5, 2, 1, 1, 1);
    isg_chains *chains = NULL;
    assert_fails(isg_chains_create(&chains, rbm, 0, 1), ISG_ERR_ARGUMENT, "found 0");
    double *places[] = {&isg_rbm_weights(rbm).data[7], &isg_rbm_visible_field(rbm)[3],
                        &isg_rbm_hidden_field(rbm)[1]};
    static const char *const words[] = {"visible unit 3 and hidden unit 1", "visible unit 3",
                                        "hidden unit 1"};
    const double values[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300};
    for (size_t place = 0; place < 3; place++)
        for (size_t v = 0; v < 4; v++) {
            const double before = *places[place];
            *places[place] = values[v];
            assert_fails(isg_chains_create(&chains, rbm, 3, 1), ISG_ERR_DIVERGED, words[place]);
            *places[place] = before;
        }
    assert_null(chains);
    chains = chains_of(rbm, 3, 1);
    const uint64_t before = *isg_chains_spins(chains, 0);
    const double betas[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t v = 0; v < 4; v++)
        assert_fails(isg_chains_sweep(chains, 1, betas[v]), ISG_ERR_ARGUMENT, "beta");
    assert_true(*isg_chains_spins(chains, 0) == before);
    assert_int_equal(isg_chains_save(chains, "/nowhere/x.npz", NULL), ISG_ERR_IO);
    isg_chains_free(chains);
    isg_chains_free(NULL);
    isg_rbm_free(rbm);
}

static isg_status create_and_free(void *rbm) {
    isg_chains *chains = NULL;
    const isg_status status = isg_chains_create(&chains, rbm, 5, 1);
    isg_chains_free(chains);
    return status;
}

static void test_running_out_of_memory(void **state) {
    (void)state;
    isg_rbm *rbm = build(5, 2, 1, 1, 1);
    assert_true(sweep_allocations(create_and_free, rbm) > 5);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_can_be_cut_anywhere),
        cmocka_unit_test(test_threads_and_instruction_sets_do_not_matter),
        cmocka_unit_test(test_chains_can_be_restored),
        cmocka_unit_test(test_threads_may_change),
        cmocka_unit_test(test_threads_may_have_their_own),
        cmocka_unit_test(test_seeds_and_chains_differ),
        cmocka_unit_test(test_chains_start_from_fair_coins),
        cmocka_unit_test(test_hidden_units_have_their_mean_and_variance),
        cmocka_unit_test(test_hidden_units_reach_far_out),
        cmocka_unit_test(test_spins_against_a_strong_field),
        cmocka_unit_test(test_energy_is_that_of_the_spins),
        cmocka_unit_test(test_huge_weights_freeze),
        cmocka_unit_test(test_what_has_no_meaning_is_refused),
        cmocka_unit_test(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
