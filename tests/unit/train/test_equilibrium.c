/* test_equilibrium.c - training by chains that change modes, against the exact gradient
 *
 * SPDX-License-Identifier: MIT
 *
 * The models are small enough to be enumerated and have modes of unequal weight which sweeps do not leave. The
 * data hold as much of each, and the chains start there: if they only swept, the negative phase would be
 * that of a model whose modes weigh the same.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "helper_session.h"
#include "rbm/rbm.h"
#include "train/train.h"

enum { N = 12, STATES = 1 << N, MOST_P = 2, MOST_ENTRIES = N * MOST_P + N + MOST_P };

static uint64_t test_seed(uint64_t seed) {
    const char *given = getenv("ISINGLASS_TEST_SEED");
    return seed + (given ? 1000 * strtoull(given, NULL, 10) : 0);
}

static int set_up(void **state) {
    isg_set_threads(1); /* small models are slower on more */
    return make_directory(state);
}

static double spin(uint64_t s, size_t i) {
    return s >> i & 1 ? 1 : -1;
}

/* ---- models and data ---------------------------------------------------------------------------- */

static const uint64_t patterns[MOST_P] = {0x5a3, 0xc69};

/* Columns of W along the patterns; a field b along the first of them, and one of hidden units. */
static isg_rbm *make_model(size_t p) {
    const double beta = 2, depth = 5, b = 0.03, c = 0.1;
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, N, p, beta));
    for (size_t i = 0; i < N; i++) {
        for (size_t mu = 0; mu < p; mu++)
            rbm->weights[i * p + mu] = sqrt(depth / beta / N) * spin(patterns[mu], i);
        rbm->b[i] = b * spin(patterns[0], i);
    }
    for (size_t mu = 0; mu < p; mu++)
        rbm->c[mu] = mu == 0 ? c : -c;
    return rbm;
}

/* Every pattern and every mirror image of one, with a spin turned over, as often as the others. */
static isg_dataset *make_data(size_t p) {
    int8_t spins[2 * MOST_P * N * N];
    isg_dataset *data = NULL;
    for (size_t row = 0; row < 2 * p * N; row++)
        for (size_t i = 0; i < N; i++) {
            const double s = spin(patterns[row / 2 % p], i) * (row % 2 ? -1 : 1);
            spins[row * N + i] = (int8_t)(row / 2 / p == i ? -s : s);
        }
    assert_ok(isg_dataset_create(&data, 2 * p * N, N, spins, NULL));
    return data;
}

/* ---- what is exact ------------------------------------------------------------------------------ */

typedef double vector[MOST_ENTRIES]; /* one number for every entry of W (N, p), b and c */

/* Adds `share` of the state to the means of s lambda^T, s and lambda, and to those of their squares. */
static void add_state(const isg_rbm *rbm, uint64_t s, double share, double variance, vector mean,
                      vector square) {
    const size_t p = rbm->info.n_hidden;
    double lambda[MOST_P];
    for (size_t mu = 0; mu < p; mu++) {
        lambda[mu] = rbm->c[mu];
        for (size_t i = 0; i < N; i++)
            lambda[mu] += spin(s, i) * rbm->weights[i * p + mu];
    }
    for (size_t k = 0; k < N * p + N + p; k++) {
        const size_t mu = k < N * p ? k % p : k - N * p - N, i = k < N * p ? k / p : k - N * p;
        const bool is_b = k >= N * p && k < N * p + N, has_spin = k < N * p + N;
        mean[k] += share * (has_spin ? spin(s, i) : 1) * (is_b ? 1 : lambda[mu]);
        square[k] += share * (is_b ? 1 : lambda[mu] * lambda[mu] + variance);
    }
}

/* What an update of learning rate 1 does if the chains, so many of them, are independent samples of the model;
   and its standard errors. */
static void expect_update(const isg_rbm *rbm, const isg_dataset *data, isg_estimator estimator,
                          size_t chains, vector update, vector error) {
    static double probabilities[STATES];
    const size_t p = rbm->info.n_hidden, entries = N * p + N + p;
    const double variance = estimator == ISG_ESTIMATOR_SAMPLED ? 1 / rbm->info.beta : 0;
    vector from_data = {0}, from_model = {0}, square = {0}, ignored = {0};
    for (size_t a = 0; a < data->info.n_samples; a++)
        add_state(rbm, *isg_dataset_spins(data, a), 1 / (double)data->info.n_samples, 0, from_data,
                  ignored);
    assert_ok(isg_exact_probabilities(rbm, probabilities));
    for (uint64_t s = 0; s < STATES; s++)
        add_state(rbm, s, probabilities[s], variance, from_model, square);
    for (size_t k = 0; k < entries; k++) {
        update[k] = from_data[k] - from_model[k];
        error[k] = sqrt((square[k] - from_model[k] * from_model[k]) / (double)chains);
    }
}

static void all_entries(const isg_rbm *rbm, vector out) {
    const size_t p = rbm->info.n_hidden;
    memcpy(out, rbm->weights, N * p * sizeof *out);
    memcpy(out + N * p, rbm->b, N * sizeof *out);
    memcpy(out + N * p + N, rbm->c, p * sizeof *out);
}

/* ---- the negative phase ------------------------------------------------------------------------- */

/* So small that the model stays as it is; then one that is not; and the update that is measured. */
static const isg_rate rates[] = {{1e-14, 0}, {0.02, 13}, {1e-14, 14}, {1, 23}};

enum { CHAINS = 5000, EPOCHS = 24 };

static isg_train_options measuring(isg_estimator estimator) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = CHAINS;
    options.gibbs_steps = 3;
    options.rates = rates;
    options.n_rates = sizeof rates / sizeof *rates;
    options.estimator = estimator;
    options.fields = options.equilibrium = true;
    options.chains = CHAINS;
    options.refit_every = 12; /* twice, and once before the step */
    options.seed = test_seed(60 + (uint64_t)estimator);
    return options;
}

/* How many standard errors the last update is away from the exact gradient. */
static double surprise(size_t p, const isg_train_options *options, isg_equilibrium_info *info) {
    isg_dataset *data = make_data(p);
    isg_rbm *rbm = make_model(p);
    isg_trainer *trainer = NULL;
    vector before, found, expected, error;
    assert_ok(isg_trainer_create(&trainer, rbm, data, options));
    for (size_t epoch = 0; epoch + 1 < EPOCHS; epoch++)
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    expect_update(rbm, data, options->estimator, CHAINS, expected, error);
    all_entries(rbm, before);
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    all_entries(rbm, found);
    *info = isg_trainer_equilibrium(trainer);
    double worst = 0;
    for (size_t k = 0; k < N * p + N + p; k++)
        worst = fmax(worst, fabs(found[k] - before[k] - expected[k]) / error[k]);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
    return worst;
}

static void test_negative_phase_is_that_of_the_model(void **state) {
    (void)state;
    for (size_t p = 1; p <= MOST_P; p++)
        for (isg_estimator e = ISG_ESTIMATOR_SAMPLED; e <= ISG_ESTIMATOR_MEAN; e++) {
            isg_train_options options = measuring(e);
            isg_equilibrium_info info;
            const double right = surprise(p, &options, &info);
            if (!(right < 5))
                fail_msg("p = %zu, estimator %d: off by %g standard errors", p, (int)e, right);
            assert_int_equal(info.updates, EPOCHS);
            assert_int_equal(info.fits, 2);
            assert_int_equal(info.refused, 0);
            assert_int_equal(info.proposed, 3 * EPOCHS * CHAINS);
            assert_true(info.is_jumping && info.accepted > info.proposed / 5);
            assert_true(info.accepted < info.proposed);
            assert_string_equal(info.reason, "");
            assert_true(info.minima >= 2 * p);
            /* The same chains without jumps, and chains that start from the data. */
            options.equilibrium = false;
            options.persistent = true;
            assert_true(surprise(p, &options, &info) > 20);
            assert_int_equal(info.proposed + info.fits, 0);
            options.persistent = false;
            assert_true(surprise(p, &options, &info) > 20);
        }
}

/* Sweeps between two jumps are shared out as evenly as can be. */
static void test_jumps_are_spread(void **state) {
    (void)state;
    isg_train_options options = measuring(ISG_ESTIMATOR_MEAN);
    isg_equilibrium_info info;
    for (size_t jumps = 1; jumps <= 5; jumps += 2) {
        options.gibbs_steps = 5;
        options.jumps = jumps;
        options.seed = test_seed(70 + jumps);
        assert_true(surprise(2, &options, &info) < 5);
        assert_int_equal(info.proposed, jumps * EPOCHS * CHAINS);
    }
    const isg_equilibrium even = {.count = 3};
    const size_t after[][3] = {{1, 2, 3}, {1, 3, 5}, {6, 13, 20}}, steps[] = {3, 5, 20};
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(isg_equilibrium_sweeps(&even, j, steps[k]), after[k][j]);
}

/* ---- going on ----------------------------------------------------------------------------------- */

/* A training whose weights move, with three fits in ten updates. */
enum { UPDATES = 10, FEW = 21 };

static const isg_rate moving[] = {{3e-3, 0}};

static isg_train_options small_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = 10; /* five batches, the last of eight samples */
    options.gibbs_steps = 4;
    options.rates = moving;
    options.fields = options.shuffle = options.equilibrium = true;
    options.chains = FEW;
    options.jumps = 2;
    options.refit_every = 4;
    return options;
}

static void assert_same(session a, session b) {
    const isg_equilibrium_info one = isg_trainer_equilibrium(a.trainer),
                               two = isg_trainer_equilibrium(b.trainer);
    session_assert_same(a, b);
    assert_int_equal(one.updates, two.updates);
    assert_int_equal(one.proposed, two.proposed);
    assert_int_equal(one.accepted, two.accepted);
    assert_int_equal(one.fits, two.fits);
    assert_int_equal(one.refused, two.refused);
    assert_int_equal(one.minima, two.minima);
    assert_int_equal(one.is_jumping, two.is_jumping);
    assert_string_equal(one.reason, two.reason);
    assert_int_equal(a.trainer->equilibrium->next_fit, b.trainer->equilibrium->next_fit);
}

/* Saved after any number of updates, and loaded by a trainer that has already done others. */
static void go_on_from_any_update(const isg_train_options options) {
    isg_dataset *data = make_data(2);
    const char *path = in(directory, "any.npz");
    const session whole = session_start(make_model(2), data, &options);
    session_advance(whole, UPDATES);
    const isg_equilibrium_info info = isg_trainer_equilibrium(whole.trainer);
    assert_true(info.fits == 3 && info.refused == 0 && info.updates == UPDATES);
    const session first = session_start(make_model(2), data, &options);
    for (size_t done = 0; done <= UPDATES; done++) {
        assert_ok(isg_trainer_save(first.trainer, path));
        const session second = session_start(make_model(2), data, &options);
        session_advance(second, done % 3);
        assert_ok(isg_trainer_load(second.trainer, path));
        assert_same(first, second);
        session_advance(second, UPDATES - done);
        assert_same(whole, second);
        session_stop(second);
        if (done < UPDATES)
            session_advance(first, 1);
    }
    session_stop(first);
    session_stop(whole);
    isg_dataset_free(data);
}

static void test_goes_on_from_any_update(void **state) {
    (void)state;
    isg_train_options options = small_options();
    go_on_from_any_update(options);
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = true;
    options.estimator = ISG_ESTIMATOR_MEAN;
    go_on_from_any_update(options);
}

/* One by one, by epochs, on any number of threads, with any instruction set. */
static void test_same_bits(void **state) {
    (void)state;
    isg_dataset *data = make_data(2);
    const isg_train_options options = small_options();
    const char *before = isg_isa();
    const session first = session_start(make_model(2), data, &options);
    session_advance(first, UPDATES);
    for (size_t isa = 0; isg_isa_name(isa); isa++) {
        if (isg_set_isa(isg_isa_name(isa)) != ISG_OK)
            continue;
        for (int threads = 1; threads <= 5; threads += 2) {
            isg_set_threads(threads);
            const session other = session_start(make_model(2), data, &options);
            assert_ok(isg_trainer_epoch(other.trainer, NULL, NULL));
            assert_ok(isg_trainer_advance(other.trainer, UPDATES / 2, NULL));
            assert_same(first, other);
            session_stop(other);
        }
    }
    isg_set_threads(1);
    assert_ok(isg_set_isa(before));
    session_stop(first);
    isg_dataset_free(data);
}

/* More threads than there were when the mixture was fitted, and fewer. */
static void test_threads_come_and_go(void **state) {
    (void)state;
    isg_dataset *data = make_data(2);
    const isg_train_options options = small_options();
    const session first = session_start(make_model(2), data, &options);
    isg_set_threads(3);
    const session second = session_start(make_model(2), data, &options);
    const session third = session_start(make_model(2), data, &options);
    session_advance(third, 2);
    isg_set_threads(1);
    session_advance(third, UPDATES - 2);
    session_advance(first, UPDATES);
    session_advance(second, 2);
    isg_set_threads(3);
    session_advance(second, UPDATES - 2);
    assert_same(first, second);
    assert_same(first, third);
    isg_set_threads(1);
    session_stop(first);
    session_stop(second);
    session_stop(third);
    isg_dataset_free(data);
}

/* Cancelled during a fit or an update, it goes on with the same bits. */
static void test_cancel(void **state) {
    (void)state;
    isg_dataset *data = make_data(2);
    const isg_train_options options = small_options();
    const session whole = session_start(make_model(2), data, &options);
    size_t in_fits = 0;
    session_advance(whole, 5);
    for (size_t last = 1; last < 600; last = last < 20 ? last + 1 : 2 * last) {
        const session other = session_start(make_model(2), data, &options);
        patience p = {.last_call = last, .may_stay = true};
        const isg_progress progress = {lose_patience, &p};
        const isg_status status = isg_trainer_epoch(other.trainer, NULL, &progress);
        if (p.calls < last) { /* it was done before */
            assert_ok(status);
            assert_same(whole, other);
            session_stop(other);
            break;
        }
        assert_true(p.calls == last);
        const size_t done = (size_t)isg_trainer_describe(other.trainer).updates;
        if (status == ISG_ERR_CANCELLED)
            assert_non_null(strstr(isg_error_message(), "training was cancelled in epoch 1"));
        else
            assert_true(status == ISG_OK && done == 5);
        in_fits += isg_trainer_equilibrium(other.trainer).fits == 0;
        session_advance(other, 5 - done);
        assert_same(whole, other);
        session_stop(other);
    }
    assert_true(in_fits > 5);
    session_stop(whole);
    isg_dataset_free(data);
}

/* ---- where no mixture fits ---------------------------------------------------------------------- */

enum { BLOCKS = 10, SPINS = 4 * BLOCKS };

/* Blocks of four spins that are up or down independently: 2^10 minima, more than can be listed. */
static isg_rbm *make_blocks(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, SPINS, BLOCKS, 1));
    for (size_t i = 0; i < SPINS; i++)
        rbm->weights[i * BLOCKS + i / 4] = 1;
    return rbm;
}

static isg_dataset *make_block_data(void) {
    int8_t spins[10 * SPINS];
    isg_dataset *data = NULL;
    for (size_t k = 0; k < sizeof spins; k++)
        spins[k] = k / 4 * 7 % 5 < 2 ? 1 : -1;
    assert_ok(isg_dataset_create(&data, 10, SPINS, spins, NULL));
    return data;
}

/* Then it is training with plain persistent chains, bit for bit, and fits are tried ever less often. */
static void test_falls_back_to_persistent_chains(void **state) {
    (void)state;
    isg_dataset *data = make_block_data();
    isg_train_options options = small_options();
    const char *path = in(directory, "blocks.npz");
    options.refit_every = 1;
    const session tried = session_start(make_blocks(), data, &options);
    isg_train_options plain = options;
    plain.equilibrium = false;
    plain.persistent = true;
    const session swept = session_start(make_blocks(), data, &plain);
    const size_t due[] = {0, 2, 6, 14}; /* 1 + 1, 1 + 1 + 4, ... updates */
    for (size_t done = 0; done < 9; done++) {
        session_advance(tried, 1);
        session_advance(swept, 1);
        const isg_equilibrium_info info = isg_trainer_equilibrium(tried.trainer);
        size_t fits = 0;
        while (due[fits] <= done)
            fits++;
        assert_int_equal(info.fits, fits);
        assert_int_equal(info.refused, fits);
        assert_int_equal(info.updates + info.proposed, 0);
        assert_true(!info.is_jumping && strlen(info.reason) > 20);
        assert_memory_equal(tried.rbm->weights, swept.rbm->weights,
                            SPINS * BLOCKS * sizeof(double));
        if (done == 3) {
            const session loaded = session_start(make_blocks(), data, &options);
            assert_ok(isg_trainer_save(tried.trainer, path));
            assert_ok(isg_trainer_load(loaded.trainer, path));
            assert_same(tried, loaded);
            session_advance(tried, 1);
            session_advance(swept, 1);
            session_advance(loaded, 1);
            assert_same(tried, loaded);
            session_stop(loaded);
            done++;
        }
    }
    session_stop(tried);
    session_stop(swept);
    isg_dataset_free(data);
}

/* ---- files and misuse --------------------------------------------------------------------------- */

static void test_other_trainings_are_refused(void **state) {
    (void)state;
    isg_dataset *data = make_data(2);
    const isg_train_options options = small_options();
    const char *path = in(directory, "other.npz");
    const session saved = session_start(make_model(2), data, &options);
    session_advance(saved, 2);
    assert_ok(isg_trainer_save(saved.trainer, path));
    static const char *const sentences[] = {
        "jumps 2, this training has 3", "refit_every 4, this training has 5",
        "chains 21, this training has 22", "for chains with jumps",
        "another number of persistent chains"};
    for (size_t k = 0; k < sizeof sentences / sizeof *sentences; k++) {
        isg_train_options other = options;
        other.jumps += k == 0;
        other.refit_every += k == 1;
        other.chains += k == 2;
        if (k >= 3) {
            other.equilibrium = false;
            other.persistent = true;
        }
        if (k == 4)
            other.chains = 0;
        const session second = session_start(make_model(2), data, &other);
        assert_fails(isg_trainer_load(second.trainer, path), ISG_ERR_SHAPE, sentences[k]);
        session_stop(second);
    }
    session_stop(saved);
    isg_dataset_free(data);
}

static void test_invalid_options(void **state) {
    (void)state;
    isg_dataset *data = make_data(1);
    isg_rbm *rbm = make_model(1);
    isg_trainer *trainer = NULL;
    isg_train_options options = isg_train_defaults();
    assert_true(!options.equilibrium && options.chains == 0 && options.jumps == 3 &&
                options.refit_every == 25);
    options.equilibrium = true;
    options.jumps = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "1 to 20");
    options.jumps = 21;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "found 21");
    options.jumps = 3;
    options.refit_every = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "refit_every");
    options.refit_every = 1;
    options.chains = ((size_t)1 << 31) + 1;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "chains");
    options.chains = 0;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_int_equal(trainer->chains.count, 1000);
    assert_true(trainer->option.persistent);
    isg_trainer_free(trainer);
    options.equilibrium = false;
    options.persistent = true;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_int_equal(trainer->chains.count, options.batch_size);
    assert_int_equal(isg_trainer_equilibrium(trainer).fits, 0);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

typedef struct material {
    isg_dataset *data;
    isg_rbm *rbm;
} material;

static isg_status save_and_go_on(void *user) {
    const material *my = user;
    const isg_train_options options = small_options();
    isg_trainer *trainer = NULL;
    isg_status status = isg_trainer_create(&trainer, my->rbm, my->data, &options);
    const char *path = in(directory, "memory.npz");
    if (status == ISG_OK)
        status = isg_trainer_update(trainer);
    if (status == ISG_OK)
        status = isg_trainer_save(trainer, path);
    if (status == ISG_OK)
        status = isg_trainer_load(trainer, path);
    isg_trainer_free(trainer);
    return status;
}

static void test_allocations(void **state) {
    (void)state;
    material my = {make_data(1), make_model(1)};
    assert_true(sweep_allocations(save_and_go_on, &my) > 60);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_negative_phase_is_that_of_the_model),
        slow_unit_test(test_jumps_are_spread),
        cmocka_unit_test(test_goes_on_from_any_update),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_threads_come_and_go),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_falls_back_to_persistent_chains),
        cmocka_unit_test(test_other_trainings_are_refused),
        cmocka_unit_test(test_invalid_options),
        slow_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, remove_directory);
}
