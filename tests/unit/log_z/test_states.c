/* test_states.c - deep states against enumeration, and their names against all mixtures
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_network.h"
#include "helper_oracle.h"
#include "helper_progress.h"
#include "isinglass.h"

static isg_states_options from_random(size_t starts) {
    isg_states_options options = isg_states_defaults();
    options.random_starts = starts;
    options.most = 100000;
    return options;
}

static isg_deep_states *search(const isg_rbm *rbm, const isg_states_options *options) {
    isg_deep_states *states = NULL;
    assert_ok(isg_deep_states_create(&states, rbm, options, NULL));
    return states;
}

/* ---- small networks -------------------------------------------------------------------------- */

/* How much the best flip lowers H: negative for a strict minimum. */
static double best_gain(const network *net, uint64_t state) {
    double gain = -HUGE_VAL;
    for (size_t i = 0; i < net->n; i++)
        gain = fmax(gain, network_energy(net, state) - network_energy(net, state ^ 1ULL << i));
    return gain;
}

static bool has(const isg_deep_states *states, uint64_t spins) {
    for (size_t k = 0; k < isg_deep_states_describe(states).count; k++)
        if (isg_deep_states_at(states, k).spins[0] == spins)
            return true;
    return false;
}

static void check_enumerated(const network *net, const isg_deep_states *states) {
    const isg_deep_states_info info = isg_deep_states_describe(states);
    const uint64_t all = (1ULL << net->n) - 1;
    double lowest = HUGE_VAL;
    for (uint64_t s = 0; s <= all; s++) {
        lowest = fmin(lowest, network_energy(net, s));
        if (best_gain(net, s) < -1e-9)
            assert_true(has(states, s) || (info.is_even && has(states, ~s & all)));
    }
    double sum = 0, shares = 0;
    size_t reached = 0, ground = 0;
    for (size_t k = 0; k < info.count; k++) {
        const isg_deep_state state = isg_deep_states_at(states, k);
        assert_true(best_gain(net, state.spins[0]) < 1e-9);
        assert_within(state.energy, network_energy(net, state.spins[0]), 1e-11);
        if (k > 0)
            assert_true(state.energy > isg_deep_states_at(states, k - 1).energy - 1e-9);
        if (info.is_even)
            assert_false(has(states, ~state.spins[0] & all));
        sum += exp(-net->beta * (state.energy - lowest));
        shares += state.share;
        reached += state.reached;
        ground += state.energy < lowest + 1e-9;
    }
    assert_int_equal(info.count, info.found);
    assert_int_equal(info.ground, ground);
    assert_int_equal(reached, info.starts);
    assert_within(isg_deep_states_at(states, 0).energy, lowest, 1e-9);
    assert_within(shares, 1, 1e-12);
    assert_within(info.bound, -net->beta * lowest + log((info.is_even ? 2 : 1) * sum), 1e-10);
}

static void test_all_minima_of_small_networks(void **state) {
    (void)state;
    for (size_t n = 5; n <= 11; n += 2)
        for (size_t p = 2; p <= 4; p++)
            for (int has_field = 0; has_field < 2; has_field++) {
                network net = network_create(n, p, 1.5, has_field);
                isg_rbm *rbm = network_rbm(&net);
                const isg_states_options options = from_random(20000);
                isg_deep_states *states = search(rbm, &options);
                const isg_deep_states_info info = isg_deep_states_describe(states);
                assert_int_equal(info.n_visible, n);
                assert_int_equal(info.is_even, !has_field);
                assert_true(info.is_closed);
                assert_true(info.beta == 1.5);
                check_enumerated(&net, states);
                isg_deep_states_free(states);
                isg_rbm_free(rbm);
                network_release(&net);
            }
}

/* The bound is one: no more than ln Z. */
static void test_the_bound_holds(void **state) {
    (void)state;
    oracle known = oracle_small(13, 3, 2, 3);
    const isg_states_options options = from_random(1000);
    isg_deep_states *states = search(known.rbm, &options);
    const isg_deep_states_info info = isg_deep_states_describe(states);
    assert_true(info.bound < known.log_z);
    assert_true(info.bound > known.log_z - 13 * log(2));
    isg_deep_states_free(states);
    isg_rbm_free(known.rbm);
}

/* ---- mixtures -------------------------------------------------------------------------------- */

enum { N = 200 };

static uint64_t *random_rows(size_t count, uint32_t stream) {
    const size_t words = isg_words(N);
    uint64_t *rows = calloc(count * words, sizeof *rows);
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 7, stream));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < N; i++)
            isg_bit_assign(rows + k * words, i, isg_next_below(&random, 2) == 1);
    return rows;
}

static isg_patterns *patterns_of(const uint64_t *rows, size_t p) {
    int8_t *xi = malloc(p * N);
    isg_patterns *patterns = NULL;
    for (size_t i = 0; i < N; i++)
        for (size_t mu = 0; mu < p; mu++)
            xi[i * p + mu] = isg_bit(rows + mu * isg_words(N), i) ? 1 : -1;
    assert_ok(isg_patterns_create(&patterns, N, p, xi, NULL));
    free(xi);
    return patterns;
}

static isg_rbm *store(const uint64_t *rows, size_t p, isg_decomposition via) {
    isg_mapping_options how = isg_mapping_defaults();
    isg_patterns *patterns = patterns_of(rows, p);
    isg_rbm *rbm = NULL;
    how.via = via;
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &how, NULL));
    isg_patterns_free(patterns);
    return rbm;
}

/* Spins in which a state differs from sgn of the signed sum of three, unit by unit; and whether
   that sum is ever 3 or -3. */
static size_t distance_to(const uint64_t *spins, const uint64_t *rows, const size_t of[3],
                          const int signs[3], bool *is_sum) {
    size_t distance = 0;
    *is_sum = true;
    for (size_t i = 0; i < N; i++) {
        int sum = 0;
        for (size_t q = 0; q < 3; q++)
            sum += isg_bit(rows + of[q] * isg_words(N), i) ? signs[q] : -signs[q];
        distance += (sum > 0) != isg_bit(spins, i);
        *is_sum = *is_sum && abs(sum) == 1;
    }
    return distance;
}

static size_t least_distance(const uint64_t *spins, const uint64_t *rows, size_t p) {
    size_t least = SIZE_MAX;
    for (size_t a = 0; a < p; a++)
        for (size_t b = a + 1; b < p; b++)
            for (size_t c = b + 1; c < p; c++)
                for (int k = 0; k < 8; k++) {
                    bool is_sum;
                    const size_t found = distance_to(
                        spins, rows, (size_t[]){a, b, c},
                        (int[]){k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1}, &is_sum);
                    least = found < least ? found : least;
                }
    return least;
}

/* The nearest of all mixtures is named, if all are tried, and the numbers are right. */
static void check_names(const isg_deep_states *states, const uint64_t *rows, size_t p) {
    const isg_deep_states_info info = isg_deep_states_describe(states);
    for (size_t k = 0; k < info.count && k < 100; k++) {
        const isg_deep_state state = isg_deep_states_at(states, k);
        const size_t of[3] = {state.mixture.patterns[0], state.mixture.patterns[1],
                              state.mixture.patterns[2]};
        size_t nearest = SIZE_MAX;
        bool is_sum;
        for (size_t mu = 0; mu < p; mu++) {
            const size_t apart = isg_hamming(rows + mu * isg_words(N), state.spins, isg_words(N));
            nearest = apart < nearest ? apart : nearest;
        }
        assert_int_equal(state.distance, nearest);
        assert_int_equal(
            nearest, isg_hamming(rows + state.nearest * isg_words(N), state.spins, isg_words(N)));
        assert_within(state.overlap, 1 - 2 * (double)nearest / N, 1e-15);
        assert_true(of[0] < p && of[1] < p && of[2] < p);
        assert_int_equal(state.mixture.distance,
                         distance_to(state.spins, rows, of, state.mixture.signs, &is_sum));
        assert_int_equal(state.mixture.is_sum, is_sum);
        for (size_t q = 0; q < 2; q++)
            assert_true(
                state.mixture.signs[q] > state.mixture.signs[q + 1] ||
                (state.mixture.signs[q] == state.mixture.signs[q + 1] && of[q] < of[q + 1]));
        if (p <= 6)
            assert_int_equal(state.mixture.distance, least_distance(state.spins, rows, p));
    }
}

/* Of random patterns, sgn(+-a +-b +-c) are minima, of either rule. */
static void test_mixtures_of_random_patterns(void **state) {
    (void)state;
    static const isg_decomposition rules[] = {ISG_VIA_QR, ISG_VIA_HEBBIAN};
    static const size_t sizes[] = {6, 15};
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 2; c++) {
            const size_t p = sizes[c];
            uint64_t *rows = random_rows(p, (uint32_t)p);
            isg_rbm *rbm = store(rows, p, rules[r]);
            const isg_states_options options = from_random(200);
            isg_deep_states *states = search(rbm, &options);
            size_t stored = 0, mixtures = 0;
            for (size_t k = 0; k < isg_deep_states_describe(states).count; k++) {
                const isg_deep_state one = isg_deep_states_at(states, k);
                stored += one.distance == 0;
                mixtures += one.distance > 0 && one.mixture.distance <= N / 50;
            }
            if (rules[r] == ISG_VIA_QR) {
                assert_int_equal(stored, p);
                assert_int_equal(isg_deep_states_describe(states).ground, p);
            }
            assert_true(mixtures >=
                        (p == 6 ? 80 : 1)); /* 20 triples with 4 signs; few at a high load */
            check_names(states, rows, p);
            isg_deep_states_free(states);
            isg_rbm_free(rbm);
            free(rows);
        }
}

/* If c agrees with a and b where these agree, a + b - c is a ground state that nobody stored. */
static void test_a_plus_b_minus_c_is_a_ground_state(void **state) {
    (void)state;
    enum { P = 12 };
    const size_t words = isg_words(N);
    uint64_t *rows = random_rows(P, 3);
    for (size_t word = 0; word < words; word++) { /* patterns 2, 9 and 5 are a, b and c */
        const uint64_t same = ~(rows[2 * words + word] ^ rows[9 * words + word]);
        uint64_t *c = &rows[5 * words + word];
        *c = (*c & ~same) | (rows[2 * words + word] & same);
    }
    isg_clear_tail(rows + 5 * words, N);
    isg_rbm *rbm = store(rows, P, ISG_VIA_QR);
    isg_deep_states *states = search(rbm, NULL);
    const isg_deep_states_info info = isg_deep_states_describe(states);
    assert_int_equal(info.ground, P + 1);
    assert_true(info.is_closed);
    assert_within(info.bound, info.beta * N / 2 + log(2 * (P + 1)), 1e-3);
    size_t sums = 0;
    for (size_t k = 0; k < info.ground; k++) {
        const isg_deep_state one = isg_deep_states_at(states, k);
        assert_within(one.energy, -N / 2., 1e-10);
        if (one.distance == 0)
            continue;
        sums++;
        assert_int_equal(one.mixture.distance, 0);
        assert_true(one.mixture.is_sum);
        assert_int_equal(
            one.mixture.patterns[0] + one.mixture.patterns[1] + one.mixture.patterns[2], 2 + 9 + 5);
        assert_int_equal(abs(one.mixture.signs[0] + one.mixture.signs[1] + one.mixture.signs[2]),
                         1);
    }
    assert_int_equal(sums, 1);
    check_names(states, rows, P);
    isg_deep_states_free(states);
    isg_rbm_free(rbm);
    free(rows);
}

/* Dependent patterns have names too: c twice, once as its mirror image. */
static void test_dependent_patterns(void **state) {
    (void)state;
    const size_t words = isg_words(N);
    uint64_t *rows = random_rows(5, 4);
    for (size_t word = 0; word < words; word++)
        rows[4 * words + word] = ~rows[word];
    isg_clear_tail(rows + 4 * words, N);
    isg_rbm *rbm = store(rows, 5, ISG_VIA_HEBBIAN);
    isg_deep_states *states = search(rbm, NULL);
    check_names(states, rows, 5);
    isg_deep_states_free(states);
    isg_rbm_free(rbm);
    free(rows);
}

/* ---- without patterns, few of them, a short list --------------------------------------------- */

static void test_without_patterns(void **state) {
    (void)state;
    oracle known = oracle_classes(2, 1, 0); /* even, and does not know its patterns */
    isg_states_options options = from_random(20);
    isg_deep_states *states = search(known.rbm, &options);
    const isg_deep_states_info info = isg_deep_states_describe(states);
    assert_true(info.is_even);
    for (size_t k = 0; k < info.count; k++) {
        const isg_deep_state one = isg_deep_states_at(states, k);
        assert_true(2 * isg_count_ones(one.spins, isg_words(784)) <= 784);
        assert_true(one.nearest == SIZE_MAX && isnan(one.overlap));
        assert_true(one.mixture.patterns[0] == SIZE_MAX);
    }
    isg_deep_states_free(states);
    /* There is always something to find, even from nothing. */
    options = from_random(0);
    options.majorities = 0;
    states = search(known.rbm, &options);
    assert_int_equal(isg_deep_states_describe(states).found, 1);
    assert_int_equal(isg_deep_states_describe(states).starts, 0);
    isg_deep_states_free(states);
    isg_rbm_free(known.rbm);
}

static void test_two_patterns_have_no_mixture(void **state) {
    (void)state;
    uint64_t *rows = random_rows(2, 5);
    isg_rbm *rbm = store(rows, 2, ISG_VIA_QR);
    isg_deep_states *states = search(rbm, NULL);
    const isg_deep_state one = isg_deep_states_at(states, 0);
    assert_int_equal(one.distance, 0);
    assert_true(one.mixture.patterns[0] == SIZE_MAX);
    isg_deep_states_free(states);
    isg_rbm_free(rbm);
    free(rows);
}

static void test_a_short_list_knows_all(void **state) {
    (void)state;
    uint64_t *rows = random_rows(9, 6);
    isg_rbm *rbm = store(rows, 9, ISG_VIA_QR);
    isg_states_options options = from_random(100);
    isg_deep_states *all = search(rbm, &options);
    options.most = 3;
    isg_deep_states *few = search(rbm, &options);
    const isg_deep_states_info a = isg_deep_states_describe(all), b = isg_deep_states_describe(few);
    assert_int_equal(b.count, 3);
    assert_int_equal(a.count, b.found);
    assert_int_equal(b.ground, 9);
    assert_true(a.bound == b.bound);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(isg_deep_states_at(all, k).spins[0], isg_deep_states_at(few, k).spins[0]);
    isg_deep_states_free(all);
    isg_deep_states_free(few);
    isg_rbm_free(rbm);
    free(rows);
}

/* Data lead to minima that nothing else leads to. */
static void test_data_are_starts(void **state) {
    (void)state;
    oracle known = oracle_classes(2, 1, 0);
    isg_states_options options = from_random(0);
    isg_dataset *data = NULL;
    int8_t *spins = malloc((size_t)20 * 784);
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 8, 0));
    for (size_t k = 0; k < (size_t)20 * 784; k++)
        spins[k] = isg_next_below(&random, 2) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, 20, 784, spins, NULL));
    options.data = data;
    isg_deep_states *states = search(known.rbm, &options);
    assert_true(isg_deep_states_describe(states).found > 1);
    isg_deep_states_free(states);
    isg_dataset_free(data);
    isg_rbm_free(known.rbm);
    free(spins);
}

/* Shares of Z, of states exactly; wells, at low temperature, are little more than their deepest
   states. */
static void test_shares_of_Z(void **state) {
    (void)state;
    oracle known = oracle_hebbian(16, 2, 6, 0);
    isg_log_z_options options = isg_log_z_defaults();
    isg_log_z found;
    isg_deep_states *states = search(known.rbm, NULL);
    const isg_deep_states_info info = isg_deep_states_describe(states);
    double wells = 0;
    assert_true(isnan(isg_deep_states_at(states, 0).well));
    options.method = ISG_LOG_Z_WELLS;
    assert_ok(isg_deep_states_weigh(states, known.rbm, &options, &found, NULL));
    assert_true(fabs(found.value - known.log_z) < 5 * found.error);
    for (size_t k = 0; k < info.count; k++) {
        const isg_deep_state one = isg_deep_states_at(states, k);
        assert_true(fabs(one.share - 2 * exp(-info.beta * one.energy - found.value)) < 1e-9);
        assert_true(isnan(one.well) || one.well > one.share / 1.2);
        wells += isnan(one.well) ? 0 : one.well;
    }
    assert_true(wells > 0.5 && fabs(wells - found.shares.wells) < 0.05);
    /* By another method, wells are not known. */
    options.method = ISG_LOG_Z_EXACT;
    assert_ok(isg_deep_states_weigh(states, known.rbm, &options, &found, NULL));
    assert_true(isnan(isg_deep_states_at(states, 0).well));
    assert_ok(isg_rbm_set_beta(known.rbm, 5));
    found.value = 7;
    assert_fails(isg_deep_states_weigh(states, known.rbm, NULL, &found, NULL), ISG_ERR_SHAPE,
                 "at beta 6, this one has 16 at 5");
    assert_true(found.value == 7);
    isg_deep_states_free(states);
    isg_rbm_free(known.rbm);
}

/* ---- promises -------------------------------------------------------------------------------- */

static void test_every_thread_count_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t *rows = random_rows(12, 8);
    isg_rbm *rbm = store(rows, 12, ISG_VIA_QR);
    const isg_states_options options = from_random(300);
    isg_deep_states *one = search(rbm, &options);
    const isg_deep_states_info info = isg_deep_states_describe(one);
    for (size_t threads = 2; threads <= 7; threads += 5) {
        isg_set_threads(threads);
        isg_deep_states *other = search(rbm, &options);
        const isg_deep_states_info same = isg_deep_states_describe(other);
        assert_int_equal(info.count, same.count);
        assert_true(info.bound == same.bound && info.ground == same.ground);
        for (size_t k = 0; k < info.count; k++) {
            isg_deep_state a = isg_deep_states_at(one, k), b = isg_deep_states_at(other, k);
            assert_memory_equal(a.spins, b.spins, isg_words(N) * sizeof *a.spins);
            assert_true(a.energy == b.energy && a.share == b.share && a.reached == b.reached);
            assert_true(a.nearest == b.nearest && a.overlap == b.overlap);
            assert_memory_equal(a.mixture.patterns, b.mixture.patterns, sizeof a.mixture.patterns);
        }
        isg_deep_states_free(other);
    }
    isg_set_threads(1);
    isg_deep_states_free(one);
    isg_rbm_free(rbm);
    free(rows);
}

static void test_refusals(void **state) {
    (void)state;
    oracle known = oracle_small(9, 2, 1, 1);
    isg_deep_states *states = NULL;
    isg_states_options options = isg_states_defaults();
    options.most = 0;
    assert_fails(isg_deep_states_create(&states, known.rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "at least 1");
    options = isg_states_defaults();
    options.window = -1;
    assert_fails(isg_deep_states_create(&states, known.rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "window");
    options.window = (double)NAN;
    assert_fails(isg_deep_states_create(&states, known.rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "window");
    options = isg_states_defaults();
    options.random_starts = SIZE_MAX / 2 + 8;
    assert_fails(isg_deep_states_create(&states, known.rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "at most 268435456 random starts");
    isg_dataset *data = NULL;
    const int8_t spins[4] = {1, -1, 1, 1};
    assert_ok(isg_dataset_create(&data, 1, 4, spins, NULL));
    options = isg_states_defaults();
    options.data = data;
    assert_fails(isg_deep_states_create(&states, known.rbm, &options, NULL), ISG_ERR_SHAPE,
                 "4 units");
    isg_dataset_free(data);
    isg_rbm_weights(known.rbm).data[3] = (double)NAN;
    assert_fails(isg_deep_states_create(&states, known.rbm, NULL, NULL), ISG_ERR_DIVERGED, "");
    isg_rbm_weights(known.rbm).data[3] = 1e200;
    assert_fails(isg_deep_states_create(&states, known.rbm, NULL, NULL), ISG_ERR_DIVERGED, "");
    assert_null(states);
    isg_deep_states_free(NULL);
    isg_rbm_free(known.rbm);
}

static void test_it_can_be_cancelled(void **state) {
    (void)state;
    uint64_t *rows = random_rows(6, 9);
    isg_rbm *rbm = store(rows, 6, ISG_VIA_QR);
    isg_deep_states *states = NULL;
    patience all = {.may_stay = true};
    isg_progress progress = {lose_patience, &all};
    assert_ok(isg_deep_states_create(&states, rbm, NULL, &progress));
    isg_deep_states_free(states);
    states = NULL;
    assert_true(all.calls >= 3);
    assert_true(all.fraction == 1);
    for (size_t call = 1; call <= all.calls; call++) {
        patience some = {.last_call = call, .may_stay = true};
        progress.user = &some;
        assert_fails(isg_deep_states_create(&states, rbm, NULL, &progress), ISG_ERR_CANCELLED,
                     "cancelled");
        assert_int_equal(some.calls, call);
    }
    assert_null(states);
    isg_rbm_free(rbm);
    free(rows);
}

static isg_status create_and_free(void *user) {
    isg_deep_states *states = NULL;
    isg_states_options options = isg_states_defaults();
    options.random_starts = 3;
    options.majorities = 5;
    const isg_status status = isg_deep_states_create(&states, user, &options, NULL);
    isg_deep_states_free(states);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    uint64_t *rows = random_rows(4, 10);
    isg_rbm *rbm = store(rows, 4, ISG_VIA_QR);
    assert_true(sweep_allocations(create_and_free, rbm) > 10);
    isg_rbm_free(rbm);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_minima_of_small_networks),
        cmocka_unit_test(test_the_bound_holds),
        cmocka_unit_test(test_mixtures_of_random_patterns),
        cmocka_unit_test(test_a_plus_b_minus_c_is_a_ground_state),
        cmocka_unit_test(test_dependent_patterns),
        cmocka_unit_test(test_without_patterns),
        cmocka_unit_test(test_two_patterns_have_no_mixture),
        cmocka_unit_test(test_a_short_list_knows_all),
        cmocka_unit_test(test_data_are_starts),
        cmocka_unit_test(test_shares_of_Z),
        cmocka_unit_test(test_every_thread_count_gives_the_same_bits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_it_can_be_cancelled),
        cmocka_unit_test(test_allocations),
    };
    isg_set_threads(1); /* small work, of which two threads would spend most waiting */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
