/* test_train_ranks.c - training by several processes, against the same by one
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "helper_ranks.h"
#include "helper_scratch.h"
#include "helper_train.h"

enum { MOST_RANKS = 7, EPOCHS = 2, WHOLE = 20 };

static void train_one(const void *user, void *out) {
    const isg_train_options *options = user;
    isg_set_threads(1);
    isg_dataset *data = make_data(SAMPLES);
    train(out, data, options, EPOCHS);
    isg_dataset_free(data);
}

/* Every rank has what a process alone has. */
static void check(const isg_train_options *options) {
    static result alone, found[MOST_RANKS];
    run_ranks(1, train_one, options, &alone, sizeof alone);
    for (size_t size = 2; size <= MOST_RANKS; size += size == 3 ? 4 : 1) {
        run_ranks(size, train_one, options, found, sizeof *found);
        for (size_t rank = 0; rank < size; rank++)
            assert_memory_equal(&found[rank], &alone, sizeof alone);
    }
}

/* Small batches, in which each rank sums for itself, and larger ones, in which they share the rows of W. */
static void test_every_kind(void **state) {
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        check(&options);
        options.batch_size = WHOLE;
        check(&options);
    }
}

static void test_constraints_and_beta(void **state) {
    (void)state;
    isg_train_options options = kind_of_training(KINDS - 1);
    options.batch_size = WHOLE;
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = true;
    options.chains = 5;
    check(&options);
    options.persistent = false;
    check(&options);
    options.batch_size = BATCH;
    check(&options);
}

static void test_jumps(void **state) {
    (void)state;
    isg_train_options options = kind_of_training(0);
    const isg_rate slow = {1e-4, 0};
    options.rates = &slow;
    options.n_rates = 1;
    options.equilibrium = true;
    options.chains = 40;
    options.jumps = 2;
    options.refit_every = 2;
    check(&options);
}

/* ---- runs ------------------------------------------------------------------------------------- */

typedef struct job {
    const char *path;
    uint64_t updates; /* in all */
    bool resumes;
} job;

static isg_run_options run_options(void) {
    isg_run_options options = isg_run_defaults();
    options.train = kind_of_training(KINDS - 1);
    options.train.batch_size = 17;
    options.save_every_s = 0;
    return options;
}

static void train_run(const void *user, void *out) {
    const job *my = user;
    const isg_run_options options = run_options();
    isg_set_threads(1);
    isg_dataset *data = make_data(SAMPLES);
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, my->path, !my->resumes));
    const isg_run_info info = isg_run_describe(run);
    assert_true(info.has_checkpoint == my->resumes);
    if (my->resumes) {
        assert_string_equal(info.settings, "as they are");
        assert_ok(isg_run_resume(run, data, &options));
    } else {
        assert_ok(isg_run_begin(run, "as they are", make_rbm(), data, &options));
    }
    assert_ok(isg_run_train_updates(run, my->updates, NULL));
    take(out, isg_run_rbm(run));
    isg_run_close(run);
    isg_dataset_free(data);
}

/* Begun by three ranks, resumed by two, then by one: as one would have done it. */
static void test_resuming_with_other_ranks(void **state) {
    (void)state;
    static result alone, found[3];
    const job whole = {NULL, 6, false};
    run_ranks(1, train_run, &whole, &alone, sizeof alone);
    char path[256];
    snprintf(path, sizeof path, "%s/run", directory);
    const job parts[] = {{path, 1, false}, {path, 3, true}, {path, 6, true}};
    for (size_t k = 0; k < 3; k++)
        run_ranks(3 - k, train_run, &parts[k], found, sizeof *found);
    assert_memory_equal(&found[0], &alone, sizeof alone);
}

/* What keeps rank 0 from a directory, all are told. */
static void open_nothing(const void *user, void *out) {
    isg_run *run = NULL;
    const isg_status status = isg_run_open(&run, user, false);
    *(int *)out = status == ISG_ERR_IO && strstr(isg_error_message(), "no such directory") && !run;
}

static void test_refusal(void **state) {
    (void)state;
    int refused[3] = {0};
    char path[256];
    snprintf(path, sizeof path, "%s/nowhere", directory);
    run_ranks(3, open_nothing, path, refused, sizeof *refused);
    for (size_t rank = 0; rank < 3; rank++)
        assert_true(refused[rank]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind), cmocka_unit_test(test_constraints_and_beta),
        cmocka_unit_test(test_jumps), cmocka_unit_test(test_resuming_with_other_ranks),
        cmocka_unit_test(test_refusal)};
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
