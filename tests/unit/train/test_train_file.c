/* test_train_file.c - trainings in files: continuing from any update, other trainings, damage
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "helper_scratch.h"
#include "helper_session.h"
#include "rbm/rbm.h"
#include "train/train.h"

/* 70 spins are 9 bytes with two bits to spare; 3 batches, the last of 5 samples. */
enum { N = 70, P = 3, SAMPLES = 21, BATCH = 8, UPDATES = 30 };

static int set_up(void **state) {
    isg_set_threads(1);
    return make_directory(state);
}

static isg_dataset *make_data(size_t n_samples, uint64_t seed) {
    static int8_t spins[2 * SAMPLES * N];
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < n_samples * N; k++)
        spins[k] = isg_next_below(&random, 3) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, n_samples, N, spins, NULL));
    return data;
}

static const isg_rate rates[] = {{0.02, 0}, {1.0 / 300, 4}};

/* Everything that makes a state larger. */
static isg_train_options full_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = 2;
    options.rates = rates;
    options.n_rates = 2;
    options.estimator = ISG_ESTIMATOR_MEAN;
    options.persistent = options.fields = options.shuffle = true;
    options.seed = UINT64_C(0xfedcba9876543210);
    return options;
}

static session start(const isg_dataset *data, const isg_train_options *options) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 0.3, 0.3, 5));
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = -0.2;
    return session_start(rbm, data, options);
}

/* ---- going on -------------------------------------------------------------------------------------- */

/* Saved after any number of updates and loaded by a new trainer, the rest is the same. */
static void test_goes_on_from_any_update(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1);
    const char *path = in(directory, "any.npz");
    for (int kind = 0; kind < 2; kind++) {
        isg_train_options options = full_options();
        if (kind == 1) {
            options.persistent = options.shuffle = options.fields = false;
            options.estimator = ISG_ESTIMATOR_SAMPLED;
        }
        const session whole = start(data, &options);
        session_advance(whole, UPDATES);
        const session first = start(data, &options);
        for (size_t done = 0; done <= UPDATES; done++) {
            assert_ok(isg_trainer_save(first.trainer, path));
            const session second = start(data, &options);
            session_advance(second, done % 4); /* whatever it did before is gone */
            assert_ok(isg_trainer_load(second.trainer, path));
            session_assert_same(first, second);
            session_advance(second, UPDATES - done);
            session_assert_same(whole, second);
            isg_epoch_report one, two;
            if (done == 16) { /* the error of an epoch cut in two */
                const session uncut = start(data, &options);
                session_advance(uncut, 15);
                assert_ok(isg_trainer_epoch(uncut.trainer, &one, NULL));
                assert_ok(isg_trainer_load(second.trainer, path));
                assert_ok(isg_trainer_epoch(second.trainer, &two, NULL));
                assert_memory_equal(&one, &two, sizeof one);
                session_stop(uncut);
            }
            session_stop(second);
            if (done < UPDATES)
                session_advance(first, 1);
        }
        session_stop(first);
        session_stop(whole);
    }
    isg_dataset_free(data);
}

/* ---- missing values -------------------------------------------------------------------------------- */

/* One in `rare` values is missing, or none if that is 0, in two samples of three. */
static void lose_values(isg_dataset *data, size_t rare) {
    isg_cursor random = isg_cursor_at(isg_stream_at(rare, ISG_PURPOSE_TEST, 1, 0));
    assert_ok(ISG_ALLOCATE_MATRIX(data->missing, data->info.n_samples, data->words));
    for (size_t a = 0; a < data->info.n_samples; a++)
        for (size_t i = 0; rare && i < N && a % 3; i++)
            isg_bit_assign(data->missing + a * data->words, i, isg_next_below(&random, rare) == 0);
}

/* They are drawn anew in every update, from numbers that a resumed training draws as well. */
static void test_missing_values_need_no_state(void **state) {
    (void)state;
    isg_dataset *whole = make_data(SAMPLES, 1), *none = make_data(SAMPLES, 1);
    isg_dataset *data = make_data(SAMPLES, 1);
    const char *path = in(directory, "missing.npz");
    lose_values(none, 0);
    lose_values(data, 3);
    for (int kind = 0; kind < 2; kind++) {
        isg_train_options options = full_options();
        options.persistent = options.shuffle = kind == 0;
        options.impute_sweeps = 4;
        const session plain = start(whole, &options), same = start(none, &options);
        const session first = start(data, &options), second = start(data, &options);
        session_advance(plain, UPDATES);
        session_advance(same, UPDATES);
        session_assert_same(plain, same); /* nothing was missing */
        session_advance(first, 7);
        assert_ok(isg_trainer_save(first.trainer, path));
        assert_ok(isg_trainer_load(second.trainer, path));
        isg_set_threads(3);
        const session third = start(data, &options);
        session_advance(third, UPDATES);
        isg_set_threads(1);
        session_advance(first, UPDATES - 7);
        session_advance(second, UPDATES - 7);
        session_assert_same(first, second);
        session_assert_same(first, third);
        assert_memory_not_equal(plain.rbm->weights, first.rbm->weights, N * P * sizeof(double));
        /* What is known was trained on as it is, and something else was not. */
        size_t changed = 0;
        const isg_trainer *trainer = kind == 1 ? first.trainer : NULL;
        for (size_t k = 0; trainer && k < trainer->batch.count; k++)
            for (size_t w = 0; w < data->words; w++) {
                const size_t row = SAMPLES - trainer->batch.count + k; /* the last batch */
                const uint64_t differs =
                    trainer->data_spins[k * data->words + w] ^ isg_dataset_spins(data, row)[w];
                assert_int_equal(differs & ~data->missing[row * data->words + w], 0);
                changed += differs != 0;
            }
        assert_true(kind == 0 || changed > 0);
        session_stop(plain);
        session_stop(same);
        session_stop(first);
        session_stop(second);
        session_stop(third);
    }
    isg_dataset_free(whole);
    isg_dataset_free(none);
    isg_dataset_free(data);
}

static void test_other_missing_values_are_refused(void **state) {
    (void)state;
    isg_dataset *whole = make_data(SAMPLES, 1), *data = make_data(SAMPLES, 1);
    isg_dataset *other = make_data(SAMPLES, 1);
    const char *path = in(directory, "refused.npz");
    lose_values(data, 3);
    lose_values(other, 4);
    isg_train_options options = full_options(), longer = options;
    longer.impute_sweeps++;
    const session mine = start(data, &options), theirs = start(other, &options);
    const session none = start(whole, &options), long_ones = start(data, &longer);
    assert_ok(isg_trainer_save(mine.trainer, path));
    assert_fails(isg_trainer_load(theirs.trainer, path), ISG_ERR_SHAPE, "missing_sha256");
    assert_fails(isg_trainer_load(long_ones.trainer, path), ISG_ERR_SHAPE, "impute_sweeps");
    assert_fails(isg_trainer_load(none.trainer, path), ISG_ERR_SHAPE, "with values to be imputed");
    assert_ok(isg_trainer_save(none.trainer, path));
    assert_fails(isg_trainer_load(mine.trainer, path), ISG_ERR_SHAPE, "without values");
    session_stop(mine);
    session_stop(theirs);
    session_stop(none);
    session_stop(long_ones);
    longer.impute_sweeps = 0;
    isg_trainer *trainer = NULL;
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 0.3, 0.3, 5));
    assert_fails(isg_trainer_create(&trainer, rbm, data, &longer), ISG_ERR_ARGUMENT,
                 "impute_sweeps");
    isg_rbm_free(rbm);
    isg_dataset_free(whole);
    isg_dataset_free(data);
    isg_dataset_free(other);
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* Equal states are equal files, and NumPy can read them. */
static void test_file(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1);
    const isg_train_options options = full_options();
    const session s = start(data, &options);
    session_advance(s, 4);
    assert_ok(isg_trainer_save(s.trainer, in(directory, "one.npz")));
    assert_ok(isg_trainer_save(s.trainer, in(directory, "two.npz")));
    size_t sizes[2];
    uint8_t *one = read_file(in(directory, "one.npz"), &sizes[0]);
    uint8_t *two = read_file(in(directory, "two.npz"), &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(one, two, sizes[0]);
    run_python(directory,
               "import json\n"
               "t = np.load('one.npz')\n"
               "facts = json.loads(t['training.json'])\n"
               "assert facts['seed'] == '18364758544493064720', facts\n"
               "assert facts['rates'] == '0.02 from epoch 0, 0.0033333333333333335 from epoch 4'\n"
               "assert (facts['epochs'], facts['updates'], facts['batch']) == (1, 4, 1), facts\n"
               "assert t['W'].shape == (70, 3) and t['b'].shape == (70,) and t['c'].shape == (3,)\n"
               "spins = np.unpackbits(t['chains'], axis=1)[:, :70]\n"
               "assert spins.shape == (8, 70) and 8 < spins.sum() < 8 * 70\n");
    free(one);
    free(two);
    session_stop(s);
    isg_dataset_free(data);
}

/* ---- files of another training --------------------------------------------------------------------- */

static void assert_refuses(const isg_dataset *data, const isg_train_options *options,
                           const char *name, isg_status status, const char *part) {
    const session s = start(data, options), fresh = start(data, options);
    assert_fails(isg_trainer_load(s.trainer, in(directory, name)), status, part);
    assert_non_null(strstr(isg_error_message(), name));
    session_assert_same(s, fresh);
    session_advance(s, 1); /* and it still works */
    session_advance(fresh, 1);
    session_assert_same(s, fresh);
    session_stop(s);
    session_stop(fresh);
}

static void save_example(const isg_dataset *data) {
    const isg_train_options options = full_options();
    const session s = start(data, &options);
    session_advance(s, 4);
    assert_ok(isg_trainer_save(s.trainer, in(directory, "saved.npz")));
    session_stop(s);
}

static void test_other_options_are_refused_by_name(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1);
    const isg_rate other_rates[] = {{0.02, 0}, {0.003, 4}};
    enum { CASES = 9 };
    isg_train_options others[CASES];
    const char *const parts[CASES] = {
        "was written for batch_size 8, this training has 9",
        "was written for gibbs_steps 2, this training has 3",
        "0.0033333333333333335 from epoch 4, this training has 0.02 from epoch 0, 0.003 from",
        "was written for rates 0.02 from epoch 0, 0.0033",
        "was written for estimator mean, this training has sampled",
        "was written for persistent yes, this training has no",
        "was written for fields yes, this training has no",
        "was written for shuffle yes, this training has no",
        "was written for seed 18364758544493064720, this training has 1",
    };
    for (size_t k = 0; k < CASES; k++)
        others[k] = full_options();
    others[0].batch_size = 9;
    others[1].gibbs_steps = 3;
    others[2].rates = other_rates;
    others[3].n_rates = 1;
    others[4].estimator = ISG_ESTIMATOR_SAMPLED;
    others[5].persistent = false;
    others[6].fields = false;
    others[7].shuffle = false;
    others[8].seed = 1;
    save_example(data);
    for (size_t k = 0; k < CASES; k++)
        assert_refuses(data, &others[k], "saved.npz", ISG_ERR_SHAPE, parts[k]);
    isg_dataset_free(data);
}

static void test_other_data_and_sizes_are_refused(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1), *other = make_data(SAMPLES, 2);
    isg_dataset *more = make_data(2 * SAMPLES, 1);
    const isg_train_options options = full_options();
    save_example(data);
    assert_refuses(other, &options, "saved.npz", ISG_ERR_SHAPE, "was written for other data");
    assert_refuses(more, &options, "saved.npz", ISG_ERR_SHAPE,
                   "n_samples 21, this training has 42");
    const char *path = in(directory, "saved.npz");
    isg_rbm *wide = NULL, *cold = NULL;
    isg_trainer *trainer = NULL;
    assert_ok(isg_rbm_start_normal(&wide, N, P + 1, 0.3, 0.1, 1));
    assert_ok(isg_trainer_create(&trainer, wide, data, &options));
    assert_fails(isg_trainer_load(trainer, path), ISG_ERR_SHAPE, "n_hidden 3, this training has 4");
    isg_trainer_free(trainer);
    assert_ok(isg_rbm_start_normal(&cold, N, P, 0.5, 0.1, 1));
    assert_ok(isg_trainer_create(&trainer, cold, data, &options));
    assert_fails(isg_trainer_load(trainer, path), ISG_ERR_SHAPE, "this training has 0.5");
    /* neither a training, nor a file, nor a place to write to */
    assert_ok(isg_rbm_save(cold, in(directory, "model.npz"), 1, NULL));
    assert_fails(isg_trainer_load(trainer, in(directory, "model.npz")), ISG_ERR_FORMAT,
                 "expected a text \"training.json\"");
    assert_fails(isg_trainer_load(trainer, in(directory, "none.npz")), ISG_ERR_IO, "none.npz");
    assert_fails(isg_trainer_save(trainer, in(directory, "no/where.npz")), ISG_ERR_IO, "where.npz");
    isg_trainer_free(trainer);
    isg_rbm_free(wide);
    isg_rbm_free(cold);
    isg_dataset_free(data);
    isg_dataset_free(other);
    isg_dataset_free(more);
}

/* ---- damage ---------------------------------------------------------------------------------------- */

static void write_bytes(const uint8_t *bytes, size_t size) {
    const char *path = in(directory, "saved.npz");
    remove(path); /* some file systems sync what replaces the content of a file */
    write_file(path, bytes, size);
}

static void test_damaged_files(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1);
    const isg_train_options options = full_options();
    save_example(data);
    size_t size = 0;
    const char *path = in(directory, "saved.npz");
    uint8_t *bytes = read_file(path, &size);
    const session s = start(data, &options), fresh = start(data, &options);
    const session saved = start(data, &options);
    session_advance(saved, 4);
    for (size_t length = 0; length < size; length++) {
        write_bytes(bytes, length);
        assert_int_equal(isg_trainer_load(s.trainer, path), ISG_ERR_FORMAT);
        session_assert_same(s, fresh);
    }
    for (size_t k = 0; k < size; k++) { /* a flipped bit is noticed, or does not matter */
        bytes[k] ^= (uint8_t)(1 << k % 8);
        write_bytes(bytes, size);
        bytes[k] ^= (uint8_t)(1 << k % 8);
        const session damaged = start(data, &options);
        if (isg_trainer_load(damaged.trainer, path) == ISG_OK)
            session_assert_same(damaged, saved);
        else
            session_assert_same(damaged, fresh);
        session_stop(damaged);
    }
    write_bytes(bytes, size);
    assert_ok(isg_trainer_load(s.trainer, path));
    session_assert_same(s, saved);
    free(bytes);
    session_stop(s);
    session_stop(fresh);
    session_stop(saved);
    isg_dataset_free(data);
}

/* Files whole by themselves that say what cannot be. */
static void test_impossible_files(void **state) {
    (void)state;
    const struct {
        const char *change, *part;
        isg_status status;
    } cases[] = {
        {"facts['format'] = 3", "was written by a later version, in format 3", ISG_ERR_VERSION},
        {"facts['format'] = 0", "expected format 1 or 2, found 0", ISG_ERR_FORMAT},
        {"del facts['format']", "format", ISG_ERR_FORMAT},
        {"del facts['seed']", "seed", ISG_ERR_FORMAT},
        {"facts['beta'] = 'cold'", "beta", ISG_ERR_FORMAT},
        {"facts['updates'] = 5", "update 5 cannot be", ISG_ERR_FORMAT},
        {"facts['updates'] = -2; facts['epochs'] = -1", "cannot be", ISG_ERR_FORMAT},
        {"facts['batch'] = 4; facts['epochs'] = 0", "cannot be", ISG_ERR_FORMAT},
        {"facts['updates'] = 3 * 2**58 + 1; facts['epochs'] = 2**58", "cannot be", ISG_ERR_FORMAT},
        {"facts['wrong_spins'] = 21 * 70 + 1", "wrong spins", ISG_ERR_FORMAT},
        {"facts['wrong_spins'] = -1", "wrong spins", ISG_ERR_FORMAT},
        {"del a['W']", "\"W\"", ISG_ERR_FORMAT},
        {"a['W'][7, 1] = np.nan", "visible unit 7 and hidden unit 1", ISG_ERR_FORMAT},
        {"a['W'][7, 1] = 1e300", "is 1e+300", ISG_ERR_FORMAT},
        {"a['b'][69] = np.inf", "the field of visible unit 69", ISG_ERR_FORMAT},
        {"a['c'][2] = -np.inf", "the field of hidden unit 2", ISG_ERR_FORMAT},
        {"a['W'] = a['W'].T", "W: its shape", ISG_ERR_FORMAT},
        {"a['W'] = np.float32(a['W'])", "W: its shape or type", ISG_ERR_FORMAT},
        {"a['b'] = a['b'][1:]", "b: its shape", ISG_ERR_FORMAT},
        {"a['c'] = a['c'].reshape(1, 3)", "c: its shape", ISG_ERR_FORMAT},
        {"del a['chains']", "\"chains\"", ISG_ERR_FORMAT},
        {"a['chains'] = a['chains'][:7]", "chains: its shape", ISG_ERR_FORMAT},
        {"a['chains'][3, 8] |= 1", "chains: row 3 has more than 70 spins", ISG_ERR_FORMAT},
    };
    isg_dataset *data = make_data(SAMPLES, 1);
    const isg_train_options options = full_options();
    enum { COUNT = sizeof cases / sizeof cases[0] };
    save_example(data);
    FILE *script = python_begin(directory);
    for (size_t k = 0; k < COUNT; k++)
        fprintf(script,
                "import json\n"
                "t = np.load('saved.npz')\n"
                "a = {k: t[k] for k in t.files if k != 'training.json'}\n"
                "facts = json.loads(t['training.json'])\n"
                "%s\n"
                "np.savez('saved%zu.npz', **a)\n"
                "with zipfile.ZipFile('saved%zu.npz', 'a') as z:\n"
                "    z.writestr('training.json', json.dumps(facts))\n",
                cases[k].change, k, k);
    python_end(directory, script);
    for (size_t k = 0; k < COUNT; k++) {
        char name[32];
        snprintf(name, sizeof name, "saved%zu.npz", k);
        assert_refuses(data, &options, name, cases[k].status, cases[k].part);
    }
    isg_dataset_free(data);
}

/* ---- without memory -------------------------------------------------------------------------------- */

static isg_status save_and_load(void *user) {
    isg_trainer *trainer = user;
    ISG_TRY(isg_trainer_save(trainer, in(directory, "m.npz")));
    return isg_trainer_load(trainer, in(directory, "m.npz"));
}

static void test_without_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES, 1);
    const isg_train_options options = full_options();
    const session s = start(data, &options), same = start(data, &options);
    session_advance(s, 2);
    session_advance(same, 2);
    assert_true(sweep_allocations(save_and_load, s.trainer) > 50);
    session_assert_same(s, same);
    session_stop(s);
    session_stop(same);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_from_any_update),
        cmocka_unit_test(test_missing_values_need_no_state),
        cmocka_unit_test(test_other_missing_values_are_refused),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_other_options_are_refused_by_name),
        cmocka_unit_test(test_other_data_and_sizes_are_refused),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_impossible_files),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, remove_directory);
}
