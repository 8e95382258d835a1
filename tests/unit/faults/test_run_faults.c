/* test_run_faults.c - runs and their files on a system that fails
 *
 * SPDX-License-Identifier: MIT
 *
 * After any failure the run is resumed, and must come to the same weights as one that nobody
 * disturbed; be it a run of one RBM or of experts.
 */
#include "faulty_system.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "base/directory.h"
#include "base/status.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "isinglass.h"
#include "rbm/rbm.h"
#include "train/run_directory.h"

enum { N = 12, HIDDEN = 3, SAMPLES = 15, BATCH = 8, CLASSES = 2 };
enum { ONE_RBM, EXPERTS, KINDS };

static char path[128]; /* of the run */
static isg_dataset *data;
static int kind;                    /* of the run */
static uint64_t digest;             /* of the weights in the end */
static uint64_t expected[KINDS][3]; /* ... after so many epochs */
static uint64_t epochs;             /* to be done, in all; the first epoch is there if more are */

/* ---- files ------------------------------------------------------------------------------------------ */

static const char *const names[] = {"run.json", "model.npz", "epochs.csv", "checkpoint-1.npz",
                                    "checkpoint-2.npz"};
enum { N_FILES = 5 };
static uint8_t *contents[KINDS][N_FILES]; /* after the first epoch; NULL if there is none */
static size_t sizes[KINDS][N_FILES];

static void remove_run(void) {
    for (size_t k = 0; k < N_FILES; k++)
        remove(in(path, names[k]));
    remove(in(path, "run.lock"));
    remove(path);
    assert_false(isg_path_exists(path));
}

static void prepare(void) {
    remove_run();
    if (epochs == 1)
        return;
    assert_int_equal(mkdirat(AT_FDCWD, path, 0777), 0);
    for (size_t k = 0; k < N_FILES; k++)
        if (contents[kind][k])
            write_file(in(path, names[k]), contents[kind][k], sizes[kind][k]);
}

/* ---- the run ---------------------------------------------------------------------------------------- */

static isg_run_options options(void) {
    isg_run_options out = isg_run_defaults();
    out.train.batch_size = BATCH;
    out.train.gibbs_steps = 1;
    out.train.persistent = out.train.fields = out.train.shuffle = true;
    out.command = "test";
    out.save_every_s = 0;
    return out;
}

static uint64_t digest_of(isg_rbm *rbm) {
    const isg_matd w = isg_rbm_weights(rbm);
    uint64_t hash = 1;
    for (size_t k = 0; k < w.rows * w.cols; k++) {
        uint64_t bits;
        memcpy(&bits, w.data + k / w.cols * w.stride + k % w.cols, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

static isg_status begin(isg_run *run, const char *settings) {
    const isg_run_options how = options();
    isg_rbm *rbm = NULL;
    isg_status status = isg_rbm_start_normal(&rbm, N, HIDDEN, 2, 0.1, 1);
    if (status == ISG_OK)
        status = isg_run_begin(run, settings, rbm, data, &how);
    if (status != ISG_OK)
        isg_rbm_free(rbm);
    return status;
}

/* Begins or resumes the run, whichever is possible, and trains until all epochs are done. */
static isg_status train_one(isg_run *run) {
    const isg_run_options how = options();
    isg_status status =
        isg_run_describe(run).has_checkpoint ? isg_run_resume(run, data, &how) : begin(run, "{}\n");
    if (status == ISG_OK)
        status = isg_run_train(run, epochs, NULL);
    if (status == ISG_OK)
        status = isg_run_set_score(run, -1, 0.5);
    if (status == ISG_OK)
        digest = digest_of(isg_run_rbm(run));
    return status;
}

static isg_status train_experts(isg_run *run) {
    isg_expert_options how = isg_expert_defaults();
    isg_experts *experts = NULL;
    how.per_class = HIDDEN;
    how.start = ISG_START_NORMAL;
    how.train = options().train;
    isg_status status = isg_experts_create(&experts, data, &how, NULL);
    if (status == ISG_OK)
        status = isg_run_describe(run).has_checkpoint
                     ? isg_run_resume_experts(run, experts, 0)
                     : isg_run_begin_experts(run, "{}\n", experts, 0);
    if (status == ISG_OK)
        status = isg_run_train(run, epochs, NULL);
    if (status == ISG_OK)
        digest = digest_of(isg_experts_rbm(experts, 0)) ^ digest_of(isg_experts_rbm(experts, 1));
    isg_experts_free(experts);
    return status;
}

static isg_status go_on(void) {
    isg_run *run = NULL;
    isg_status status = isg_run_open(&run, path, true);
    assert_true((run != NULL) == (status == ISG_OK));
    if (status == ISG_OK)
        status = kind == ONE_RBM ? train_one(run) : train_experts(run);
    isg_run_close(run);
    return status;
}

static isg_status attempt(void *user) {
    (void)user;
    prepare();
    fault.is_armed = true;
    isg_status status = go_on();
    fault.is_armed = false;
    if (status != ISG_OK) {
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s", isg_error_message());
        assert_ok(go_on());
        isg_fail(status, "%s", sentence);
    }
    assert_true(digest == expected[kind][epochs]);
    return status;
}

static int set_up(void **state) {
    int8_t spins[SAMPLES * N];
    int64_t labels[SAMPLES];
    unsigned x = 1;
    isg_set_threads(1); /* which changes nothing, and is quickest for so little */
    /* Giving memory back to the system thousands of times takes longer than all the rest. */
    mallopt(M_TRIM_THRESHOLD, 1 << 26);
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    make_directory_in_memory(state);
    snprintf(path, sizeof path, "%.64s/run", directory);
    for (size_t k = 0; k < SAMPLES * N; k++) {
        x = x * 1103515245u + 12345u;
        spins[k] = x >> 16 & 1 ? 1 : -1;
    }
    for (size_t k = 0; k < SAMPLES; k++)
        labels[k] = (int64_t)k % CLASSES;
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, labels));
    for (kind = 0; kind < KINDS; kind++) {
        remove_run();
        for (epochs = 1; epochs <= 2; epochs++) {
            assert_ok(go_on());
            expected[kind][epochs] = digest;
            for (size_t k = 0; epochs == 1 && k < N_FILES; k++)
                if (isg_path_exists(in(path, names[k])))
                    contents[kind][k] = read_file(in(path, names[k]), &sizes[kind][k]);
        }
    }
    kind = ONE_RBM;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (size_t k = 0; k < N_FILES; k++) {
        free(contents[ONE_RBM][k]);
        free(contents[EXPERTS][k]);
    }
    isg_dataset_free(data);
    return remove_directory(state);
}

/* ---- sweeps ----------------------------------------------------------------------------------------- */

static void allocations(void **state) {
    (void)state;
    for (kind = 0; kind < KINDS; kind++)
        for (epochs = 1; epochs <= 2; epochs++)
            assert_true(sweep_allocations(attempt, NULL) > 100);
    kind = ONE_RBM;
}

/* An error of the files, said in one sentence, or none. */
static void is_clean(void *user, isg_status status) {
    (void)user;
    if (status != ISG_OK && fault.reason == NOTHING && strcmp(fault.struck, "pread") == 0)
        assert_fails(status, ISG_ERR_FORMAT, "the file ends early");
    else if (status != ISG_OK)
        assert_fails(status, ISG_ERR_IO, directory);
}

static void succeeds(void *user, isg_status status) {
    (void)user;
    assert_ok(status);
}

static void calls(void **state) {
    (void)state;
    static const struct {
        int reason;
        const char *only;
        bool is_for_ever, must_succeed;
    } faults[] = {
        {EIO, NULL, false, false},       {EACCES, "open", false, false},
        {ENOSPC, "pwrite", true, false}, {NOTHING, NULL, false, false},
        {SHORT, NULL, false, true},      {EINTR, "open", false, true},
        {EINTR, "close", false, true},   {EINTR, "pread", false, true},
        {EINTR, "pwrite", false, true},  {EINTR, "fsync", false, true},
        {EINTR, "flock", false, true},
    };
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        for (kind = 0; kind < KINDS; kind++) {
            size_t count = 0;
            for (epochs = 1; epochs <= 2; epochs++)
                count +=
                    sweep_calls((sweep){.work = attempt,
                                        .reason = faults[f].reason,
                                        .only = faults[f].only,
                                        .is_for_ever = faults[f].is_for_ever,
                                        .judge = faults[f].must_succeed ? succeeds : is_clean});
            assert_true(count > 0);
        }
    }
    kind = ONE_RBM;
}

/* ---- a new run in the place of an old one ---------------------------------------------------------- */

/* Whatever failed, and whenever: a checkpoint that is there belongs to the settings that are. */
static isg_status begin_anew(void *user) {
    (void)user;
    isg_run *run = NULL;
    prepare();
    fault.is_armed = true;
    isg_status status = isg_run_open(&run, path, false);
    if (status == ISG_OK)
        status = begin(run, "{\"new\": 1}\n");
    isg_run_close(run);
    fault.is_armed = false;
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", isg_error_message());

    const isg_run_options how = options();
    assert_ok(isg_run_open(&run, path, false));
    const bool is_new = strcmp(isg_run_describe(run).settings, "{}\n") != 0;
    assert_true(is_new || status != ISG_OK);
    if (isg_run_describe(run).has_checkpoint) {
        assert_ok(isg_run_resume(run, data, &how));
        assert_int_equal(isg_run_describe(run).state.epochs, is_new ? 0 : 1);
    } else {
        assert_true(status != ISG_OK);
    }
    isg_run_close(run);
    return status == ISG_OK ? status : isg_fail(status, "%s", sentence);
}

static void an_old_checkpoint_is_gone_before_new_settings_are_there(void **state) {
    (void)state;
    epochs = 2;
    for (int is_for_ever = 0; is_for_ever <= 1; is_for_ever++)
        assert_true(
            sweep_calls((sweep){
                .work = begin_anew, .reason = EIO, .is_for_ever = is_for_ever, .judge = is_clean}) >
            10);
}

/* ---- the lock ---------------------------------------------------------------------------------------- */

static void remove_lock(void) {
    assert_int_equal(unlinkat(AT_FDCWD, in(path, "run.lock"), 0), 0);
}

static void replace_lock(void) {
    remove_lock();
    write_file(in(path, "run.lock"), "", 0);
}

/* Its last owner removes the file, and somebody makes another, between our opening and locking it: then
   what we have locked is not what others will find. */
static void a_lock_that_is_replaced_is_taken_again(void **state) {
    (void)state;
    void (*const others[])(void) = {remove_lock, replace_lock};
    epochs = 2;
    for (size_t k = 0; k < 2; k++) {
        isg_run *run = NULL, *second = NULL;
        prepare();
        memset(&fault, 0, sizeof fault);
        before_flock = others[k];
        assert_ok(isg_run_open(&run, path, false));
        assert_null(before_flock);
        assert_fails(isg_run_open(&second, path, false), ISG_ERR_IO,
                     "is at work in this directory");
        assert_null(second);
        isg_run_close(run);
        assert_false(isg_path_exists(in(path, "run.lock")));
    }
}

static void whoever_has_the_lock_is_named(void **state) {
    (void)state;
    char sentence[64];
    isg_run *run = NULL, *second = NULL;
    epochs = 2;
    prepare();
    memset(&fault, 0, sizeof fault);
    assert_ok(isg_run_open(&run, path, false));
    snprintf(sentence, sizeof sentence, "process %ld is at work in this directory", (long)getpid());
    assert_fails(isg_run_open(&second, path, false), ISG_ERR_IO, sentence);
    /* Where the number cannot be read, or is none. */
    fault.reason = EIO;
    fault.call = 1;
    fault.only = "pread";
    fault.is_armed = true;
    assert_fails(isg_run_open(&second, path, false), ISG_ERR_IO, "another process is at work");
    fault.is_armed = false;
    assert_string_equal(fault.struck, "pread");
    write_file(in(path, "run.lock"), "nobody", 6);
    assert_fails(isg_run_open(&second, path, false), ISG_ERR_IO, "another process is at work");
    isg_run_close(run);
}

/* A pipe can be locked as well; what is not ours is neither written to nor removed. */
static void what_is_not_ours_stays(void **state) {
    (void)state;
    isg_run *run = NULL;
    epochs = 2;
    prepare();
    memset(&fault, 0, sizeof fault);
    assert_int_equal(mkfifo(in(path, "run.lock"), 0600), 0);
    assert_ok(isg_run_open(&run, path, false));
    isg_run_close(run);
    assert_true(isg_path_exists(in(path, "run.lock")));
    remove_lock();
    write_file(in(path, "run.lock"), "dear diary", 10);
    assert_ok(isg_run_open(&run, path, false));
    isg_run_close(run);
    assert_true(isg_path_exists(in(path, "run.lock")));
    remove_lock();
    /* Nor what only looks like a file we were in the middle of writing. */
    static const char *const left[] = {"model.npz.12-3.tmpx", "model.npz.12-.tmp",
                                       "model.npz.x-1.tmp"};
    for (size_t k = 0; k < 3; k++)
        write_file(in(path, left[k]), "x", 1);
    write_file(in(path, "model.npz.12-3.tmp"), "x", 1);
    assert_ok(isg_run_open(&run, path, false));
    isg_run_close(run);
    assert_false(isg_path_exists(in(path, "model.npz.12-3.tmp")));
    for (size_t k = 0; k < 3; k++) {
        assert_true(isg_path_exists(in(path, left[k])));
        remove(in(path, left[k]));
    }
    isg_remove_temporaries(in(path, "nowhere"), "model.npz");
}

/* ---- the rest ----------------------------------------------------------------------------------------- */

static void refusals(void **state) {
    (void)state;
    enum { TOO_MUCH = (1 << 20) + 1 };
    char *large = calloc(1, TOO_MUCH + 1);
    isg_run *run = NULL;
    assert_non_null(large);
    memset(large, ' ', TOO_MUCH);
    memset(&fault, 0, sizeof fault);
    epochs = 2;
    prepare();
    assert_fails(isg_run_open(&run, in(path, "nowhere"), false), ISG_ERR_IO, "no such directory");
    assert_fails(isg_run_open(&run, in(path, "run.json"), true), ISG_ERR_IO,
                 "the directory could not be created: File exists");
    assert_ok(isg_run_open(&run, in(path, ""), false)); /* which ends in a slash */
    assert_fails(isg_run_set_settings(run, large), ISG_ERR_ARGUMENT,
                 "settings: expected at most 1048576 bytes, found 1048577");
    assert_string_equal(isg_run_describe(run).settings, "{}\n");
    assert_fails(isg_run_set_score(run, 1, 1), ISG_ERR_ARGUMENT, "an epoch that has just been");
    isg_run_close(run);
    run = NULL;
    write_file(in(path, "run.json"), large, TOO_MUCH);
    assert_fails(isg_run_open(&run, path, false), ISG_ERR_FORMAT,
                 "expected at most 1048576 bytes, found 1048577");
    assert_null(run);
    assert_false(isg_path_exists(in(path, "run.lock")));
    free(large);
}

/* Of two checkpoints that are no use, what the newer one says counts; of damaged ones, both. */
static void two_checkpoints_of_no_use(void **state) {
    (void)state;
    int8_t spins[SAMPLES * N] = {0};
    isg_dataset *others = NULL;
    isg_run *run = NULL;
    const isg_run_options how = options();
    memset(&fault, 0, sizeof fault);
    epochs = 2;
    prepare();
    assert_ok(isg_dataset_create(&others, SAMPLES, N, spins, NULL));
    assert_ok(isg_run_open(&run, path, false));
    assert_fails(isg_run_resume(run, others, &how), ISG_ERR_SHAPE, "was written for other data");
    assert_null(strstr(isg_error_message(), "neither"));
    assert_null(isg_run_rbm(run));
    for (size_t k = 3; k < 5; k++)
        write_file(in(path, names[k]), contents[ONE_RBM][k], sizes[ONE_RBM][k] - 1);
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_FORMAT, "neither checkpoint can be used");
    assert_non_null(strstr(isg_error_message(), names[3]));
    assert_non_null(strstr(isg_error_message(), names[4]));
    assert_null(isg_run_rbm(run));
    isg_run_close(run);
    isg_dataset_free(others);
}

/* In the middle of an epoch there is nothing to score; and no command need be given. */
static void scores_belong_to_epochs(void **state) {
    (void)state;
    const isg_progress progress = {cancel_at_once, NULL};
    isg_run_options how = options();
    isg_run *run = NULL;
    memset(&fault, 0, sizeof fault);
    epochs = 2;
    prepare();
    how.command = NULL;
    assert_ok(isg_run_open(&run, path, false));
    assert_ok(isg_run_resume(run, data, &how));
    assert_fails(isg_run_train(run, 2, &progress), ISG_ERR_CANCELLED, "training was cancelled");
    assert_fails(isg_run_set_score(run, 1, 1), ISG_ERR_ARGUMENT, "an epoch that has just been");
    assert_ok(isg_run_train(run, 2, NULL));
    assert_ok(isg_run_set_score(run, 1, 1));
    assert_true(digest_of(isg_run_rbm(run)) == expected[ONE_RBM][2]);
    isg_run_close(run);
}

/* What somebody removed is written again by resume, or that it cannot be is said. */
static isg_status resume_incomplete(void *user) {
    const isg_run_options how = options();
    isg_run *run = NULL;
    prepare();
    remove(in(path, user));
    fault.is_armed = true;
    isg_status status = isg_run_open(&run, path, false);
    if (status == ISG_OK)
        status = isg_run_resume(run, data, &how);
    assert_true(!run || (isg_run_rbm(run) != NULL) == (status == ISG_OK));
    isg_run_close(run);
    fault.is_armed = false;
    if (status == ISG_OK)
        assert_true(isg_path_exists(in(path, user)));
    return status;
}

static void missing_files(void **state) {
    (void)state;
    char model[] = "model.npz", table[] = "epochs.csv";
    char *const missing[] = {model, table};
    epochs = 2;
    for (size_t k = 0; k < 2; k++)
        assert_true(sweep_calls((sweep){.work = resume_incomplete,
                                        .user = missing[k],
                                        .reason = ENOSPC,
                                        .only = "pwrite",
                                        .judge = is_clean}) > 0);
}

/* A table of more than a buffer, whose end falls on every piece of a row in turn. */
static void long_tables(void **state) {
    (void)state;
    enum { ROWS = 8000 };
    for (uint64_t epoch = 1, shift = 0; shift < 15; shift++, epoch *= 10) {
        const isg_run_options how = options();
        isg_run *run = NULL;
        memset(&fault, 0, sizeof fault);
        epochs = 2;
        prepare();
        assert_ok(isg_run_open(&run, path, false));
        assert_ok(isg_run_resume(run, data, &how));
        isg_run_of_rbm *my = run->self;
        void *rows = my->rows;
        assert_ok(isg_grow(&rows, &my->capacity, ROWS, sizeof *my->rows));
        my->rows = rows;
        for (my->n_rows = 0; my->n_rows < ROWS; my->n_rows++)
            my->rows[my->n_rows] = (isg_run_row){1000, 1000, 0, (double)NAN, (double)NAN, 0, 0, 0};
        my->rows[0].epoch = epoch;
        fault.reason = ENOSPC;
        fault.call = 2; /* after that of the model */
        fault.only = "pwrite";
        fault.is_armed = true;
        assert_fails(isg_run_set_score(run, 1, 1), ISG_ERR_IO, "epochs.csv");
        fault.is_armed = false;
        isg_run_close(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        slow_unit_test(allocations),
        slow_unit_test(calls),
        cmocka_unit_test(an_old_checkpoint_is_gone_before_new_settings_are_there),
        cmocka_unit_test(a_lock_that_is_replaced_is_taken_again),
        cmocka_unit_test(whoever_has_the_lock_is_named),
        cmocka_unit_test(what_is_not_ours_stays),
        cmocka_unit_test(refusals),
        cmocka_unit_test(two_checkpoints_of_no_use),
        cmocka_unit_test(scores_belong_to_epochs),
        cmocka_unit_test(missing_files),
        cmocka_unit_test(long_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
