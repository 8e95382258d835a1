/* test_constraint_file.c - constrained trainings and a learned beta: resumed, on threads, in files
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "helper_scratch.h"
#include "isinglass/mapping.h"
#include "rbm/rbm.h"
#include "train/run_directory.h"

enum { N = 70, P = 4, SAMPLES = 21, BATCH = 8, N_BATCHES = 3, EPOCHS = 4, MODES = 4, JUMPING = 4 };

/* Each constraint and a learned beta; JUMPING also with chains that jump. */
static isg_train_options mode_of_training(size_t mode) {
    static const isg_rate rates[] = {{0.02, 0}, {0.01, 2}};
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = 2;
    options.rates = rates;
    options.n_rates = 2;
    options.fields = options.shuffle = options.persistent = mode % 2 == 0;
    options.constraint = mode == 0   ? ISG_CONSTRAINT_NONE
                         : mode == 3 ? ISG_CONSTRAINT_SPAN
                                     : ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = mode != 1;
    options.equilibrium = mode == JUMPING;
    options.jumps = 1;
    options.refit_every = 4;
    return options;
}

static isg_dataset *make_data(uint64_t seed) {
    isg_patterns *patterns = NULL;
    isg_dataset *data = NULL;
    int8_t spins[SAMPLES * N];
    assert_ok(isg_patterns_random(&patterns, N, SAMPLES, seed));
    for (size_t k = 0; k < SAMPLES * N; k++)
        spins[k] = (int8_t)isg_spin(isg_patterns_row(patterns, k / N), k % N);
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    isg_patterns_free(patterns);
    return data;
}

/* Of some patterns, with columns that are not orthonormal. */
static isg_rbm *start(void) {
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    const isg_mapping_options how = {.via = ISG_VIA_HEBBIAN, .beta = 1.5};
    assert_ok(isg_patterns_random(&patterns, N, P, 3));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &how, NULL));
    isg_patterns_free(patterns);
    return rbm;
}

static void assert_same(const isg_rbm *a, const isg_rbm *b) {
    assert_memory_equal(a->weights, b->weights, N * P * sizeof(double));
    assert_memory_equal(a->b, b->b, N * sizeof(double));
    assert_memory_equal(a->c, b->c, P * sizeof(double));
    assert_true(a->info.beta == b->info.beta);
}

/* ---- threads and instruction sets --------------------------------------------------------------------- */

static isg_rbm *trained(size_t mode, const isg_dataset *data) {
    const isg_train_options options = mode_of_training(mode);
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    for (size_t k = 0; k < EPOCHS; k++)
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    isg_trainer_free(trainer);
    return rbm;
}

static void test_same_bits_everywhere(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 5};
    isg_dataset *data = make_data(1);
    for (size_t mode = 0; mode < MODES; mode++) {
        isg_set_threads(1);
        isg_rbm *first = trained(mode, data);
        assert_true((isg_rbm_describe(first).beta != 1.5) == mode_of_training(mode).learn_beta);
        for (size_t k = 0; isg_isa_name(k); k++) {
            if (isg_set_isa(isg_isa_name(k)) != ISG_OK)
                continue;
            isg_set_threads(threads[k % 3]);
            isg_rbm *other = trained(mode, data);
            assert_same(first, other);
            isg_rbm_free(other);
        }
        assert_ok(isg_set_isa(NULL));
        isg_rbm_free(first);
    }
    isg_set_threads(1);
    isg_dataset_free(data);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static void test_goes_on_from_any_update(void **state) {
    (void)state;
    isg_dataset *data = make_data(1);
    for (size_t mode = 0; mode < MODES; mode++) {
        const isg_train_options options = mode_of_training(mode);
        isg_rbm *whole = trained(mode, data);
        for (size_t stop = 0; stop < EPOCHS * N_BATCHES; stop++) {
            isg_rbm *rbm = start(), *resumed = start();
            isg_trainer *trainer = NULL, *next = NULL;
            assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
            for (size_t k = 0; k < stop; k++)
                assert_ok(isg_trainer_update(trainer));
            assert_ok(isg_trainer_save(trainer, in(directory, "saved.npz")));
            assert_ok(isg_trainer_create(&next, resumed, data, &options));
            assert_ok(isg_trainer_load(next, in(directory, "saved.npz")));
            assert_same(rbm, resumed);
            for (size_t k = stop; k < EPOCHS * N_BATCHES; k++)
                assert_ok(isg_trainer_update(next));
            assert_same(resumed, whole);
            isg_trainer_free(trainer);
            isg_trainer_free(next);
            isg_rbm_free(rbm);
            isg_rbm_free(resumed);
        }
        isg_rbm_free(whole);
    }
    isg_dataset_free(data);
}

static void load(const isg_dataset *data, const isg_train_options *options, isg_status status,
                 const char *part) {
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    assert_ok(isg_trainer_create(&trainer, rbm, data, options));
    assert_fails(isg_trainer_load(trainer, in(directory, "saved.npz")), status, part);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

static void save(const isg_dataset *data, const isg_train_options *options) {
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    assert_ok(isg_trainer_create(&trainer, rbm, data, options));
    assert_ok(isg_trainer_save(trainer, in(directory, "saved.npz")));
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

static void test_other_modes_are_refused_by_name(void **state) {
    (void)state;
    isg_dataset *data = make_data(1);
    isg_train_options options = isg_train_defaults(), other = options;
    save(data, &options);
    other.constraint = ISG_CONSTRAINT_STIEFEL;
    load(data, &other, ISG_ERR_SHAPE, "for constraint none, this training has stiefel");
    save(data, &other);
    load(data, &options, ISG_ERR_SHAPE, "for constraint stiefel, this training has none");
    other.constraint = ISG_CONSTRAINT_SPAN;
    load(data, &other, ISG_ERR_SHAPE, "for constraint stiefel, this training has span");
    other = options;
    other.learn_beta = true;
    save(data, &options);
    load(data, &other, ISG_ERR_SHAPE, "a beta that is fixed");
    save(data, &other);
    load(data, &options, ISG_ERR_SHAPE, "a beta that is learned");
    isg_dataset_free(data);
}

/* An ordinary training is written as before, which earlier versions read; others say that they cannot. */
static void test_formats(void **state) {
    (void)state;
    isg_dataset *data = make_data(1);
    isg_train_options options = isg_train_defaults();
    const char *const script = "import json\n"
                               "t = np.load('saved.npz')\n"
                               "facts = json.loads(t['training.json'])\n";
    save(data, &options);
    FILE *python = python_begin(directory);
    fprintf(python,
            "%sassert facts['format'] == 1 and facts['beta'] == 1.5, facts\n"
            "assert 'constraint' not in facts and 'learned_beta' not in facts, facts\n",
            script);
    python_end(directory, python);
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = true;
    save(data, &options);
    python = python_begin(directory);
    fprintf(python,
            "%sassert facts['format'] == 2 and facts['learned_beta'] == 1.5, facts\n"
            "assert facts['constraint'] == 'stiefel' and 'beta' not in facts, facts\n"
            "facts['learned_beta'] = -1\n"
            "np.savez('saved.npz', **{k: t[k] for k in t.files if k != 'training.json'})\n"
            "with zipfile.ZipFile('saved.npz', 'a') as z:\n"
            "    z.writestr('training.json', json.dumps(facts))\n",
            script);
    python_end(directory, python);
    load(data, &options, ISG_ERR_FORMAT, "learned_beta cannot be -1");
    isg_dataset_free(data);
}

/* ---- runs ------------------------------------------------------------------------------------------------- */

static bool count_down(void *user, double fraction) {
    size_t *left = user;
    (void)fraction;
    return --*left > 0;
}

/* With both a constraint and chains that jump to where the mixture of an earlier beta says. */
static void test_with_jumps(void **state) {
    (void)state;
    const isg_train_options options = mode_of_training(JUMPING);
    isg_dataset *data = make_data(1);
    isg_rbm *whole = trained(JUMPING, data), *rbm = start(), *resumed = start();
    isg_trainer *trainer = NULL, *next = NULL;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_ok(isg_trainer_save(trainer, in(directory, "saved.npz")));
    assert_ok(isg_trainer_create(&next, resumed, data, &options));
    assert_ok(isg_trainer_load(next, in(directory, "saved.npz")));
    for (size_t k = 2; k < EPOCHS; k++)
        assert_ok(isg_trainer_epoch(next, NULL, NULL));
    assert_same(resumed, whole);
    isg_trainer_free(trainer);
    isg_trainer_free(next);
    isg_rbm_free(whole);
    isg_rbm_free(rbm);
    isg_rbm_free(resumed);
    isg_dataset_free(data);
}

/* Stopped at every update in turn; the best RBM by validation, with its own beta, comes back too. */
static void test_runs_are_resumed(void **state) {
    (void)state;
    isg_dataset *data = make_data(1), *validation = make_data(9);
    for (size_t mode = 0; mode < MODES; mode++) {
        isg_run_options options = isg_run_defaults();
        char path[160];
        isg_run *run = NULL;
        isg_rbm *whole = trained(mode, data), *best = NULL, *found = NULL;
        options.train = mode_of_training(mode);
        options.validation = validation;
        assert_ok(isg_run_open(&run, NULL, false));
        assert_ok(isg_run_begin(run, "{}", start(), data, &options));
        assert_ok(isg_run_train(run, EPOCHS, NULL));
        assert_same(isg_run_rbm(run), whole);
        const uint64_t best_epoch = isg_run_describe(run).best_epoch;
        isg_run_close(run);
        options.save_every_s = 1e9;
        snprintf(path, sizeof path, "%.100s/run-%zu", directory, mode);
        assert_ok(isg_run_open(&run, path, true));
        assert_ok(isg_run_begin(run, "{}", start(), data, &options));
        for (size_t stops = 0;; stops++) {
            size_t updates = 1;
            const isg_progress once = {count_down, &updates};
            const isg_status status = isg_run_train(run, EPOCHS, &once);
            isg_run_close(run);
            assert_ok(isg_run_open(&run, path, false));
            assert_ok(isg_run_resume(run, data, &options));
            if (status == ISG_OK)
                break;
            assert_int_equal(status, ISG_ERR_CANCELLED);
            assert_true(stops < EPOCHS * N_BATCHES);
        }
        assert_same(isg_run_rbm(run), whole);
        assert_int_equal(isg_run_describe(run).best_epoch, best_epoch);
        assert_ok(isg_rbm_load(&found, in(path, "model.npz")));
        assert_same(found, whole);
        isg_rbm_free(found);
        isg_run_close(run);
        /* The best of a training that ends there. */
        assert_ok(isg_run_open(&run, NULL, false));
        assert_ok(isg_run_begin(run, "{}", start(), data, &options));
        assert_ok(isg_run_train(run, best_epoch, NULL));
        assert_ok(isg_rbm_load(&best, in(path, "best.npz")));
        assert_same(best, isg_run_rbm(run));
        isg_run_close(run);
        isg_rbm_free(best);
        isg_rbm_free(whole);
    }
    isg_dataset_free(data);
    isg_dataset_free(validation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_everywhere),
        cmocka_unit_test(test_goes_on_from_any_update),
        cmocka_unit_test(test_other_modes_are_refused_by_name),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_with_jumps),
        cmocka_unit_test(test_runs_are_resumed),
    };
    return cmocka_run_group_tests(tests, make_directory_in_memory, remove_directory);
}
