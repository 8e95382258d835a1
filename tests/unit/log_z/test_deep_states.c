/* test_deep_states.c - the search for states of low energy, and the bound that they give
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
#include "linalg/linalg.h"
#include "log_z/deep_states.h"
#include "log_z/split.h"

/* H from the definition of the RBM. */
static double energy_of(const isg_rbm *rbm, const uint64_t *spins) {
    double energy = 0;
    assert_ok(isg_rbm_spin_energy(rbm, spins, &energy));
    return energy;
}

/* Distinct, minima, in order, with their energies; if H is even, on one side of the mirror. */
static void check_list(const isg_deep_list *list, const isg_rbm *rbm) {
    const size_t n = list->model->n;
    uint64_t flipped[16];
    assert_true(list->words <= 16);
    for (size_t k = 0; k < list->count; k++) {
        const uint64_t *spins = list->spins + k * list->words;
        const double energy = list->energies[k], least = 1e-9 * (1 + fabs(energy));
        /* c is on the spins here, but for a constant that H and the bound do not have. */
        assert_true(fabs(energy - energy_of(rbm, spins)) < least);
        assert_true(k == 0 || energy > list->energies[k - 1] - 3 * least);
        assert_true(!list->is_even || isg_bit(spins, n - 1));
        for (size_t j = 0; j < k; j++)
            assert_memory_not_equal(spins, list->spins + j * list->words,
                                    list->words * sizeof *spins);
        for (size_t i = 0; i < n; i++) {
            memcpy(flipped, spins, list->words * sizeof *spins);
            isg_bit_assign(flipped, i, !isg_bit(spins, i));
            assert_true(energy_of(rbm, flipped) > energy - least);
        }
    }
}

/* The ground state is found, and the bound holds, at every temperature; as a result says it. */
static void check_search(oracle known, bool is_even) {
    isg_spin_model model;
    bool is_closed = false;
    double h[8], lowest = HUGE_VAL;
    size_t states = 0;
    assert_ok(isg_spin_model_start(&model, known.rbm));
    isg_deep_list list = isg_deep_list_start(&model);
    assert_int_equal(list.is_even, is_even);
    const isg_states_options options = isg_states_defaults();
    assert_ok(isg_deep_list_search(&list, known.rbm, &options, &is_closed, NULL));
    assert_true(is_closed && list.count > 0);
    check_list(&list, known.rbm);
    for (uint64_t s = 0; s < UINT64_C(1) << model.n; s++)
        lowest = fmin(lowest, isg_spin_model_energy(&model, &s, h));
    assert_true(fabs(list.energies[0] - lowest) < 1e-9 * (1 + fabs(lowest)));
    for (double beta = 0.01; beta < 200; beta *= 3) {
        double log_z = 0;
        assert_ok(isg_rbm_set_beta(known.rbm, beta));
        assert_ok(isg_exact_enumerate(known.rbm, &log_z, NULL));
        const double bound = isg_deep_list_bound(&list, beta, &states);
        assert_int_equal(states, list.is_even ? 2 * list.count : list.count);
        assert_true(bound < log_z + 1e-9 * (1 + fabs(log_z)));
        assert_true(bound > -beta * lowest - 1e-9 && (beta < 20 || bound > log_z - 1));
    }
    isg_deep_list_release(&list);
    isg_release(model.field);
    isg_rbm_free(known.rbm);
}

static void test_ground_states(void **state) {
    (void)state;
    check_search(oracle_small(14, 5, 1, 1), false);
    check_search(oracle_small(16, 4, 2, 2.5), false);
    check_search(oracle_hebbian(15, 5, 1, 0), true);
    check_search(oracle_hebbian(14, 3, 2, 0.1), false);
}

/* ---- combinations ----------------------------------------------------------------------------- */

enum { N = 130, FAMILIES = 6, WORDS = 3, P = 3 * FAMILIES };

/* Orthonormal W that spans triples a, b, c of which c agrees with a and b where these agree with each
   other: so d = a + b - c is a ground state as well, and no pattern. The patterns, and the d's. */
static isg_rbm *make_triples(uint64_t *patterns, uint64_t *others) {
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 130, 0));
    double *xi = calloc(N * P, sizeof *xi), *q = calloc(N * P, sizeof *q), r[P * P];
    isg_rbm *rbm = NULL;
    assert_true(xi && q);
    for (size_t i = 0; i < N; i++)
        for (size_t f = 0; f < FAMILIES; f++) {
            const uint32_t word = isg_next_word(&random);
            const bool a = word >> 31 & 1, b = word >> 30 & 1, c = a == b ? a : word >> 29 & 1;
            const bool spins[] = {a, b, c};
            for (size_t k = 0; k < 3; k++) {
                isg_bit_assign(patterns + (3 * f + k) * WORDS, i, spins[k]);
                xi[i * P + 3 * f + k] = spins[k] ? 1 : -1;
            }
            isg_bit_assign(others + f * WORDS, i, a + b - c);
        }
    assert_ok(isg_qr(isg_matd_of(q, N, P), isg_matd_of(r, P, P), (isg_matd_view){xi, N, P, P}));
    assert_ok(isg_rbm_create(&rbm, N, P, 2));
    memcpy(rbm->weights, q, N * P * sizeof *q);
    free(xi);
    free(q);
    return rbm;
}

static bool has(const isg_deep_list *list, const uint64_t *spins) {
    for (size_t k = 0; k < list->count; k++) {
        size_t same = 0;
        for (size_t i = 0; i < N; i++)
            same += isg_bit(list->spins + k * list->words, i) == isg_bit(spins, i);
        if (same == 0 || same == N)
            return true;
    }
    return false;
}

/* From the patterns alone, without chance: six ground states that are not patterns, which the bound
   needs to know. */
static void test_combinations(void **state) {
    (void)state;
    uint64_t patterns[P * WORDS] = {0}, others[FAMILIES * WORDS] = {0};
    isg_rbm *rbm = make_triples(patterns, others);
    isg_states_options options = isg_states_defaults();
    isg_spin_model model;
    bool is_closed = false;
    size_t added = 0, states = 0;
    options.majorities = 0;
    assert_ok(isg_spin_model_start(&model, rbm));
    isg_deep_list list = isg_deep_list_start(&model);
    assert_ok(isg_deep_list_relax(&list, patterns, P, &added, NULL));
    assert_int_equal(added, P);
    assert_ok(isg_deep_list_relax(&list, patterns, P, &added, NULL));
    assert_int_equal(added, 0);
    for (size_t f = 0; f < FAMILIES; f++)
        assert_false(has(&list, others + f * WORDS));
    assert_ok(isg_deep_list_close(&list, &options, &is_closed, NULL));
    assert_true(is_closed);
    for (size_t f = 0; f < FAMILIES; f++)
        assert_true(has(&list, others + f * WORDS));
    check_list(&list, rbm);
    for (size_t k = 0; k < 4 * FAMILIES; k++)
        assert_true(fabs(list.energies[k] + N / 2.0) < 1e-9);
    const double bound = isg_deep_list_bound(&list, 50, &states);
    assert_true(bound > 50 * N / 2.0 + log(8.0 * FAMILIES) - 1e-9);
    isg_deep_list_release(&list);
    isg_release(model.field);
    isg_rbm_free(rbm);
}

/* The same in a whole search: not one of the six is missing from the bound of ln Z. */
static void test_bound_of_a_result(void **state) {
    (void)state;
    uint64_t patterns[P * WORDS] = {0}, others[FAMILIES * WORDS] = {0};
    isg_rbm *rbm = make_triples(patterns, others);
    int8_t rows[P * N];
    isg_dataset *data = NULL;
    isg_log_z_options options = isg_log_z_defaults();
    for (size_t k = 0; k < P * N; k++)
        rows[k] = isg_bit(patterns + k / N * WORDS, k % N) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, P, N, rows, NULL));
    options.states.data = data;
    options.states.random_starts = 0;
    options.states.majorities = 0;
    /* As if annealing had found the patterns and nothing else. */
    isg_log_z found = {.value = 50 * N / 2.0 + log(2.0 * P),
                       .error = 0.01,
                       .method = ISG_LOG_Z_AIS,
                       .side = ISG_SIDE_LOWER,
                       .is_trusted = true};
    const double beta = 50, least = 50 * N / 2.0 + log(8.0 * FAMILIES);
    assert_ok(isg_apply_bound(rbm, &options, &beta, 1, &found, NULL));
    assert_false(found.is_trusted);
    assert_int_equal(found.side, ISG_SIDE_BOUND);
    assert_true(found.value >= least - 1e-6 && found.states >= 8 * FAMILIES);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* ---- what is done with a bound ---------------------------------------------------------------- */

static void test_bounds_are_respected(void **state) {
    (void)state;
    const struct {
        double value, error, bound;
        size_t states;
        isg_log_z_side side;
        bool is_trusted;
        /* expected */
        double new_value;
        isg_log_z_side new_side;
        bool still_trusted;
    } cases[] = {
        /* Far above: nothing happens. */
        {10, 0.1, 9, 4, ISG_SIDE_BOTH, true, 10, ISG_SIDE_BOTH, true},
        {10, 0.1, 9, 4, ISG_SIDE_LOWER, false, 10, ISG_SIDE_LOWER, false},
        /* Within an error, from above and below: "at least". */
        {10, 0.1, 9.95, 4, ISG_SIDE_BOTH, true, 10, ISG_SIDE_BOUND, true},
        {10, 0.1, 10.2, 4, ISG_SIDE_BOTH, true, 10.2, ISG_SIDE_BOUND, true},
        {10, 0.1, 10.2, 4, ISG_SIDE_LOWER, false, 10.2, ISG_SIDE_LOWER, false},
        /* Below by more than three: the bound instead. */
        {10, 0.1, 10.31, 4, ISG_SIDE_BOTH, true, 10.31, ISG_SIDE_BOUND, false},
        {10, (double)NAN, 10.01, 4, ISG_SIDE_LOWER, false, 10.01, ISG_SIDE_BOUND, false},
        {-HUGE_VAL, 0.1, 3, 4, ISG_SIDE_LOWER, false, 3, ISG_SIDE_BOUND, false},
        /* No states are known, or there is nothing to correct. */
        {10, 0.1, -HUGE_VAL, 0, ISG_SIDE_BOTH, true, 10, ISG_SIDE_BOTH, true},
        {10, 1e-12, 10 + 1e-12, 4, ISG_SIDE_EXACT, true, 10, ISG_SIDE_EXACT, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        isg_log_z found = {.value = cases[k].value,
                           .error = cases[k].error,
                           .bound = cases[k].bound,
                           .states = cases[k].states,
                           .side = cases[k].side,
                           .is_trusted = cases[k].is_trusted};
        isg_log_z_respect_bound(&found);
        if (found.value != cases[k].new_value || found.side != cases[k].new_side ||
            found.is_trusted != cases[k].still_trusted)
            fail_msg("case %zu: %g, side %d, trusted %d", k, found.value, (int)found.side,
                     found.is_trusted);
        const bool is_replaced = cases[k].is_trusted && !cases[k].still_trusted;
        assert_true(!is_replaced ||
                    (isnan(found.error) && strstr(found.reason, "below the bound of 4 known")));
    }
}

/* ---- the rest --------------------------------------------------------------------------------- */

static void test_every_thread_count_gives_the_same_list(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 7};
    uint64_t patterns[P * WORDS] = {0}, others[FAMILIES * WORDS] = {0}, first[50 * WORDS];
    isg_rbm *rbm = make_triples(patterns, others);
    isg_states_options options = isg_states_defaults();
    isg_spin_model model;
    size_t count = 0;
    options.majorities = 20;
    options.random_starts = 32;
    assert_ok(isg_spin_model_start(&model, rbm));
    for (size_t k = 0; k < 3; k++) {
        bool is_closed;
        isg_set_threads(threads[k]);
        isg_deep_list list = isg_deep_list_start(&model);
        assert_ok(isg_deep_list_search(&list, rbm, &options, &is_closed, NULL));
        assert_true(list.count >= 50 && (k == 0 || list.count == count));
        count = list.count;
        if (k == 0)
            memcpy(first, list.spins, sizeof first);
        assert_memory_equal(first, list.spins, sizeof first);
        isg_deep_list_release(&list);
    }
    isg_set_threads(1);
    isg_release(model.field);
    isg_rbm_free(rbm);
}

typedef struct job {
    const isg_rbm *rbm;
    const isg_progress *progress;
} job;

static isg_status small_job(void *user) {
    const job *my = user;
    isg_states_options options = isg_states_defaults();
    isg_spin_model model = {0};
    isg_deep_list list = {0};
    bool is_closed;
    options.random_starts = 100; /* for the table to grow */
    isg_status status = isg_spin_model_start(&model, my->rbm);
    if (status == ISG_OK) {
        list = isg_deep_list_start(&model);
        status = isg_deep_list_search(&list, my->rbm, &options, &is_closed, my->progress);
    }
    isg_deep_list_release(&list);
    isg_release(model.field);
    return status;
}

static void test_progress_and_allocations(void **state) {
    (void)state;
    oracle known = oracle_hebbian(12, 6, 1, 0.1);
    job my = {.rbm = known.rbm};
    assert_true(sweep_allocations(small_job, &my) > 20);
    patience all = {.may_stay = true};
    my.progress = &(isg_progress){lose_patience, &all};
    assert_ok(small_job(&my));
    assert_true(all.calls > 1);
    for (size_t k = 1; k <= all.calls; k++) {
        patience some = {.last_call = k, .may_stay = true};
        my.progress = &(isg_progress){lose_patience, &some};
        assert_fails(run_without_leak(small_job, &my), ISG_ERR_CANCELLED, "cancelled");
    }
    isg_rbm_free(known.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground_states),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_bound_of_a_result),
        cmocka_unit_test(test_bounds_are_respected),
        cmocka_unit_test(test_every_thread_count_gives_the_same_list),
        cmocka_unit_test(test_progress_and_allocations),
    };
    isg_set_threads(1); /* small work, of which two threads would spend most waiting */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
