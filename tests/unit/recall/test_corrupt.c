/* test_corrupt.c - corruption, recovery, committors and clamped units
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "helper_progress.h"
#include "test.h"

enum { N = 100, WORDS = 2 };

/* ---- corruption ---------------------------------------------------------------------------------------- */

static void shares_are_exact_and_nested(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        uint64_t flipped_before[WORDS] = {0}, masked_before[WORDS] = {0};
        for (int k = 0; k <= 10; k++) {
            uint64_t spins[WORDS] = {0}, masked[WORDS];
            isg_corruption how = {.flip = k / 10.0};
            assert_ok(isg_corrupt(spins, N, &how, 5, number, NULL));
            assert_int_equal(isg_count_ones(spins, WORDS), 10 * k);
            for (size_t w = 0; w < WORDS; w++) {
                assert_true((flipped_before[w] & ~spins[w]) == 0);
                flipped_before[w] = spins[w];
            }
            how = (isg_corruption){.mask = k / 10.0};
            assert_ok(isg_corrupt(spins, N, &how, 5, number, masked));
            assert_int_equal(isg_count_ones(masked, WORDS), 10 * k);
            for (size_t w = 0; w < WORDS; w++) {
                assert_true((masked_before[w] & ~masked[w]) == 0);
                masked_before[w] = masked[w];
            }
        }
    }
}

/* Half of the masked units change on average, and none of the others; flips leave masked units
   alone. */
static void masked_units_are_random_and_the_rest_is_kept(void **state) {
    (void)state;
    const uint64_t units[WORDS] = {UINT64_C(0xffff), 1};
    size_t changed = 0, trials = 400, flipped = 0;
    for (uint64_t number = 0; number < trials; number++) {
        uint64_t spins[WORDS] = {UINT64_C(0x123456789abcdef0), 5}, masked[WORDS];
        const uint64_t before[WORDS] = {spins[0], spins[1]};
        const isg_corruption mask = {.mask = 0.2, .units = units};
        assert_ok(isg_corrupt(spins, N, &mask, 1, number, masked));
        assert_int_equal(masked[0] & units[0], units[0]);
        assert_int_equal(masked[1] & units[1], units[1]);
        for (size_t w = 0; w < WORDS; w++) {
            assert_true(((spins[w] ^ before[w]) & ~masked[w]) == 0);
            changed += isg_count_ones((const uint64_t[]){(spins[w] ^ before[w]) & units[w]}, 1);
        }
        const isg_corruption both = {.flip = 0.5, .units = units};
        uint64_t again[WORDS] = {before[0], before[1]};
        assert_ok(isg_corrupt(again, N, &both, 1, number, masked));
        for (size_t w = 0; w < WORDS; w++)
            flipped += isg_count_ones((const uint64_t[]){(again[w] ^ before[w]) & ~units[w]}, 1);
    }
    const double mean = 17 * (double)trials / 2, sigma = sqrt(17 * (double)trials) / 2;
    assert_true(fabs((double)changed - mean) < 5 * sigma);
    assert_int_equal(flipped, 42 * trials); /* round(0.5 * 83) */
}

/* Each unit is chosen as often as any other; the twin takes the first ones, as if not shuffled. */
static double worst_deviation(bool is_twin) {
    enum { TRIALS = 3000 };
    size_t counts[N] = {0};
    double worst = 0;
    for (uint64_t number = 0; number < TRIALS; number++) {
        uint64_t spins[WORDS] = {0};
        const isg_corruption how = {.flip = 0.3};
        assert_ok(isg_corrupt(spins, N, &how, test_seed(9), number, NULL));
        for (size_t i = 0; i < N; i++)
            counts[i] += is_twin ? i < 30 : isg_bit(spins, i);
    }
    for (size_t i = 0; i < N; i++)
        worst = fmax(worst, fabs((double)counts[i] - 0.3 * TRIALS) / sqrt(0.21 * TRIALS));
    return worst;
}

static void every_unit_is_as_likely(void **state) {
    (void)state;
    assert_true(worst_deviation(false) < 5);
    assert_true(worst_deviation(true) > 5);
}

/* ---- recovery ------------------------------------------------------------------------------------------- */

/* Synchronous, from the definition; `free` units alone move. */
static uint64_t fall(const plain_network *plain, uint64_t state, uint64_t free) {
    for (;;) {
        uint64_t next = state;
        for (size_t i = 0; i < plain->n; i++)
            if (free >> i & 1 && plain_field(plain, state, i) * plain_spin(state, i) < -1e-10)
                next ^= UINT64_C(1) << i;
        if (next == state)
            return state;
        state = next;
    }
}

static void recovery_equals_a_plain_simulation(void **state) {
    (void)state;
    static const isg_corruption ways[] = {{.flip = 0}, {.flip = 0.25}, {.mask = 0.5}, {.mask = 1}};
    enum { WAYS = 4, TRIALS = 50 };
    size_t clamped_matters = 0;
    for (unsigned k = 0; k < 8; k++) {
        plain_network plain;
        plain_create(&plain, 12, 3, k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION, true, 0,
                     60 + k);
        isg_patterns *patterns = NULL;
        assert_ok(isg_patterns_create(&patterns, 12, 3, plain.xi, NULL));
        isg_recovery_options options = isg_recovery_defaults();
        options.rule = plain.options.rule;
        options.dynamics = ISG_DYNAMICS_SYNCHRONOUS;
        options.trials = TRIALS;
        options.near = 0.7;
        options.clamp_known = k & 2;
        isg_recovery found[WAYS];
        assert_ok(isg_recover(patterns, NULL, ways, WAYS, &options, found, NULL));
        for (size_t way = 0; way < WAYS; way++) {
            size_t exact = 0, near = 0, negative = 0;
            for (size_t trial = 0; trial < 3 * TRIALS; trial++) {
                const uint64_t pattern = isg_patterns_row(patterns, trial / TRIALS)[0];
                uint64_t spins = pattern, masked = 0;
                assert_ok(isg_corrupt(&spins, 12, &ways[way], 1, trial, &masked));
                const uint64_t end = fall(&plain, spins, options.clamp_known ? masked : 4095);
                clamped_matters += fall(&plain, spins, masked) != fall(&plain, spins, 4095);
                const int bits = __builtin_popcountll(end ^ pattern);
                exact += bits == 0;
                near += bits <= 1; /* 1 - 2 / 12 > 0.7 > 1 - 4 / 12 */
                negative += bits == 12;
            }
            assert_int_equal(found[way].trials, 3 * TRIALS);
            assert_int_equal(found[way].exact, exact);
            assert_int_equal(found[way].near, near);
            assert_int_equal(found[way].negative, negative);
            assert_true(isnan(found[way].thermal_overlap));
        }
        if (plain.options.rule == ISG_RULE_PROJECTION)
            assert_int_equal(found[0].exact, 3 * TRIALS);
        isg_patterns_free(patterns);
    }
    assert_true(clamped_matters > 0);
}

/* Samples are sought among the patterns of their class, on any number of threads, by any dynamics. */
static void samples_are_recovered_as_their_class(void **state) {
    (void)state;
    static const char *const labels[3] = {"7", "7", "8"};
    static const int64_t classes[3] = {8, 7, 7};
    const size_t threads = isg_threads();
    plain_network plain;
    plain_create(&plain, 12, 3, ISG_RULE_PROJECTION, true, 0, 5);
    isg_patterns *patterns = NULL;
    isg_dataset *data = NULL;
    int8_t rows[3 * 12];
    assert_ok(isg_patterns_create(&patterns, 12, 3, plain.xi, labels));
    for (size_t a = 0; a < 3; a++) /* patterns 2, 1, 0 */
        for (size_t i = 0; i < 12; i++)
            rows[a * 12 + i] = plain.xi[i * 3 + 2 - a];
    assert_ok(isg_dataset_create(&data, 3, 12, rows, classes));
    const isg_corruption none = {.flip = 0}, some = {.flip = 0.17};
    for (isg_dynamics kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        isg_recovery_options options = isg_recovery_defaults();
        options.dynamics = kind;
        options.trials = 20;
        options.max_updates = 20;
        isg_recovery found, again;
        isg_set_threads(1);
        assert_ok(isg_recover(patterns, data, &some, 1, &options, &found, NULL));
        isg_set_threads(3);
        assert_ok(isg_recover(patterns, data, &some, 1, &options, &again, NULL));
        assert_memory_equal(&found.exact, &again.exact, sizeof found.exact);
        assert_true(found.end_overlap == again.end_overlap && found.near == again.near);
        assert_true(isnan(found.thermal_overlap) == (kind <= ISG_DYNAMICS_SYNCHRONOUS));
        if (kind > ISG_DYNAMICS_SYNCHRONOUS)
            continue;
        assert_ok(isg_recover(patterns, data, &none, 1, &options, &found, NULL));
        assert_int_equal(found.exact, 60);
        assert_true(fabs(found.end_overlap - 1) < 1e-12);
    }
    isg_set_threads(threads);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

/* ---- committors ------------------------------------------------------------------------------------------- */

enum { UNITS = 6, STATES = 1 << UNITS, TRAJECTORIES = 4000, MOST = 5 };

/* The pattern whose overlap exceeds the threshold first of all; p if none does. */
static size_t arrival(const plain_network *plain, uint64_t state, double threshold) {
    size_t best = 0;
    double most = -2;
    for (size_t mu = 0; mu < plain->p; mu++) {
        int sum = 0;
        for (size_t i = 0; i < plain->n; i++)
            sum += plain->xi[i * plain->p + mu] * plain_spin(state, i);
        if ((double)sum / (double)plain->n > most) {
            most = (double)sum / (double)plain->n;
            best = mu;
        }
    }
    return most > threshold ? best : plain->p;
}

/* By Little's transition probabilities, one update after another. */
static void exact_committor(const plain_network *plain, uint64_t start, double beta,
                            double threshold, double shares[PLAIN_PATTERNS + 1]) {
    double now[STATES] = {0}, next[STATES];
    memset(shares, 0, (PLAIN_PATTERNS + 1) * sizeof *shares);
    now[start] = 1;
    for (size_t t = 0; t <= MOST; t++) {
        memset(next, 0, sizeof next);
        for (uint64_t s = 0; s < STATES; s++) {
            const size_t there = arrival(plain, s, threshold);
            if (there < plain->p || t == MOST) {
                shares[there] += now[s];
                continue;
            }
            for (uint64_t to = 0; to < STATES && now[s] > 0; to++) {
                double p = now[s];
                for (size_t i = 0; i < UNITS; i++)
                    p /= 1 + exp(-2 * beta * plain_spin(to, i) * plain_field(plain, s, i));
                next[to] += p;
            }
        }
        memcpy(now, next, sizeof now);
    }
}

/* The largest deviation in standard errors over all starts and patterns. */
static double committor_deviation(const plain_network *plain, const double *shares, double beta,
                                  double threshold) {
    double worst = 0;
    for (uint64_t s = 0; s < STATES; s++) {
        double exact[PLAIN_PATTERNS + 1];
        exact_committor(plain, s, beta, threshold, exact);
        for (size_t mu = 0; mu <= plain->p; mu++) {
            const double p = exact[mu], found = shares[s * (plain->p + 1) + mu];
            const double sigma = sqrt(fmax(p * (1 - p), 1e-4) / TRAJECTORIES);
            worst = fmax(worst, fabs(found - p) / sigma);
        }
    }
    return worst;
}

static void committors_are_exact(void **state) {
    (void)state;
    static double shares[STATES * (PLAIN_PATTERNS + 1)];
    uint64_t states[STATES];
    plain_network plain, kept;
    plain_create(&plain, UNITS, 2, ISG_RULE_PROJECTION, false, 0, 3);
    plain_create(&kept, UNITS, 2, ISG_RULE_PROJECTION, true, 0, 3);
    isg_hopfield *network = plain_build(&plain);
    isg_committor_options options = isg_committor_defaults();
    options.dynamics = ISG_DYNAMICS_PARALLEL;
    options.beta = 0.7;
    options.threshold = 2 / 3.0; /* an overlap of 2 / 3, one flip away, is not enough */
    options.max_updates = MOST;
    options.trajectories = TRAJECTORIES;
    options.seed = test_seed(4);
    for (uint64_t s = 0; s < STATES; s++)
        states[s] = s;
    assert_ok(isg_committor(network, states, STATES, &options, shares, NULL));
    assert_true(committor_deviation(&plain, shares, 0.7, 2 / 3.0) < 5);
    assert_true(committor_deviation(&plain, shares, 0.85, 2 / 3.0) > 6);
    assert_true(committor_deviation(&kept, shares, 0.7, 2 / 3.0) > 6);
    assert_true(committor_deviation(&plain, shares, 0.7, 2 / 3.0 - 1e-9) > 6);
    isg_hopfield_free(network);
}

/* ---- clamped units ------------------------------------------------------------------------------------------ */

static void clamped_units_stay(void **state) {
    (void)state;
    plain_network plain;
    plain_create(&plain, 12, 3, ISG_RULE_PROJECTION, true, 0, 8);
    isg_hopfield *network = plain_build(&plain);
    for (isg_dynamics kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        static uint64_t states[4096];
        const uint64_t clamped = 0x5a3;
        size_t moved = 0;
        isg_dynamics_options options = isg_dynamics_defaults();
        options.kind = kind;
        options.beta = 0.5;
        options.sweeps = 3;
        options.clamped = &clamped;
        for (size_t a = 0; a < 4096; a++)
            states[a] = a;
        assert_ok(isg_hopfield_run(network, states, 4096, &options, NULL, NULL));
        for (size_t a = 0; a < 4096; a++) {
            assert_int_equal((states[a] ^ a) & clamped, 0);
            moved += states[a] != a;
        }
        assert_true(moved > 1000);
    }
    isg_hopfield_free(network);
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void nonsense_is_refused(void **state) {
    (void)state;
    static const char *const labels[2] = {"1", "2"};
    plain_network plain;
    plain_create(&plain, 6, 2, ISG_RULE_PROJECTION, false, 0, 1);
    isg_hopfield *network = plain_build(&plain);
    isg_patterns *patterns = NULL, *named = NULL;
    isg_dataset *data = NULL, *unlabelled = NULL;
    assert_ok(isg_patterns_create(&patterns, 6, 2, plain.xi, NULL));
    assert_ok(isg_patterns_create(&named, 6, 2, plain.xi, labels));
    assert_ok(isg_dataset_create(&data, 2, 6, plain.xi, (const int64_t[]){1, 3}));
    assert_ok(isg_dataset_create(&unlabelled, 2, 6, plain.xi, NULL));
    static const isg_corruption bad[] = {
        {.flip = -0.1}, {.flip = 1.1}, {.flip = (double)NAN}, {.mask = 2}, {.mask = -1}};
    uint64_t spins = 0;
    isg_recovery out;
    for (size_t k = 0; k < 5; k++) {
        const char *part = k < 3 ? "flip" : "mask";
        assert_fails(isg_corrupt(&spins, 6, &bad[k], 1, 0, NULL), ISG_ERR_ARGUMENT, part);
        assert_fails(isg_recover(patterns, NULL, &bad[k], 1, NULL, &out, NULL), ISG_ERR_ARGUMENT,
                     part);
    }
    const isg_corruption past = {.units = (const uint64_t[]){64}}, fine = {.flip = 0.5};
    assert_fails(isg_corrupt(&spins, 6, &past, 1, 0, NULL), ISG_ERR_ARGUMENT, "past");
    assert_fails(isg_recover(patterns, data, &fine, 1, NULL, &out, NULL), ISG_ERR_ARGUMENT,
                 "patterns");
    assert_fails(isg_recover(named, unlabelled, &fine, 1, NULL, &out, NULL), ISG_ERR_ARGUMENT,
                 "data");
    assert_fails(isg_recover(named, data, &fine, 1, NULL, &out, NULL), ISG_ERR_ARGUMENT, "class 3");
    isg_recovery_options options = isg_recovery_defaults();
    options.trials = 0;
    assert_fails(isg_recover(patterns, NULL, &fine, 1, &options, &out, NULL), ISG_ERR_ARGUMENT,
                 "trials");
    options = isg_recovery_defaults();
    options.near = 1.5;
    assert_fails(isg_recover(patterns, NULL, &fine, 1, &options, &out, NULL), ISG_ERR_ARGUMENT,
                 "near");
    options = isg_recovery_defaults();
    options.dynamics = ISG_DYNAMICS_GIBBS;
    options.keep_diagonal = false;
    assert_fails(isg_recover(patterns, NULL, &fine, 1, &options, &out, NULL), ISG_ERR_UNSUPPORTED,
                 "diagonal");
    const isg_progress stop = {cancel_at_once, NULL};
    options = isg_recovery_defaults();
    assert_int_equal(isg_recover(patterns, NULL, &fine, 1, &options, &out, &stop),
                     ISG_ERR_CANCELLED);
    double shares[3];
    isg_committor_options way = isg_committor_defaults();
    assert_fails(isg_committor(network, &spins, 1, &way, shares, NULL), ISG_ERR_UNSUPPORTED,
                 "diagonal");
    way.dynamics = ISG_DYNAMICS_SYNCHRONOUS;
    assert_fails(isg_committor(network, &spins, 1, &way, shares, NULL), ISG_ERR_ARGUMENT,
                 "temperature");
    way.dynamics = ISG_DYNAMICS_PARALLEL;
    way.trajectories = 0;
    assert_fails(isg_committor(network, &spins, 1, &way, shares, NULL), ISG_ERR_ARGUMENT,
                 "trajectories");
    way.trajectories = 1;
    way.threshold = 2;
    assert_fails(isg_committor(network, &spins, 1, &way, shares, NULL), ISG_ERR_ARGUMENT,
                 "threshold");
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
    isg_patterns_free(named);
    isg_dataset_free(data);
    isg_dataset_free(unlabelled);
}

static isg_status recover_once(void *user) {
    const isg_patterns *patterns = user;
    const isg_corruption how[2] = {{.flip = 0.2}, {.mask = 0.5}};
    isg_recovery out[2];
    isg_hopfield *network = NULL;
    double shares[3];
    uint64_t spins = 5;
    isg_recovery_options options = isg_recovery_defaults();
    options.trials = 2;
    isg_status status = isg_recover(patterns, NULL, how, 2, &options, out, NULL);
    if (status == ISG_OK)
        status = isg_corrupt(&spins, 4, how, 1, 0, NULL);
    if (status == ISG_OK)
        status = isg_hopfield_create(&network, patterns, NULL);
    if (status == ISG_OK)
        status = isg_committor(network, &spins, 1, NULL, shares, NULL);
    isg_hopfield_free(network);
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    static const int8_t xi[8] = {1, 1, -1, 1, -1, 1, 1, -1};
    const size_t threads = isg_threads();
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 4, 2, xi, NULL));
    isg_set_threads(2);
    assert_true(sweep_allocations(recover_once, patterns) > 30);
    isg_set_threads(threads);
    isg_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_exact_and_nested),
        cmocka_unit_test(masked_units_are_random_and_the_rest_is_kept),
        cmocka_unit_test(every_unit_is_as_likely),
        cmocka_unit_test(recovery_equals_a_plain_simulation),
        cmocka_unit_test(samples_are_recovered_as_their_class),
        cmocka_unit_test(committors_are_exact),
        cmocka_unit_test(clamped_units_stay),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
