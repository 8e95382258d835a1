/* test_run_directory.c - runs that are stopped, damaged, locked and resumed
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper_run.h"
#include "helper_scratch.h"
#include "rbm/rbm.h"
#include "train/run_directory.h"

enum { N = 20, P = 3, SAMPLES = 37, BATCH = 10, N_BATCHES = 4, EPOCHS = 3 };

static char path[128]; /* of the run in work */
static isg_dataset *data, *other_data;

static void use(const char *name, size_t number) {
    snprintf(path, sizeof path, "%.64s/%.32s-%zu", directory, name, number);
}

static isg_dataset *make_data(unsigned step) {
    int8_t spins[SAMPLES * N];
    isg_dataset *out = NULL;
    unsigned x = 1;
    for (size_t k = 0; k < SAMPLES * N; k++) {
        x = x * 1103515245u + step;
        spins[k] = x >> 16 & 1 ? 1 : -1;
    }
    assert_ok(isg_dataset_create(&out, SAMPLES, N, spins, NULL));
    return out;
}

static int set_up(void **state) {
    isg_set_threads(1); /* which changes nothing, and is quickest for so little */
    make_directory_in_memory(state);
    data = make_data(12345);
    other_data = make_data(54321);
    return 0;
}

static int tear_down(void **state) {
    isg_dataset_free(data);
    isg_dataset_free(other_data);
    return remove_directory(state);
}

static isg_run_options options(void) {
    return full_run_options(BATCH, "isinglass train");
}

static isg_rbm *start(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 2, 0.1, 1));
    assert_ok(isg_rbm_set_image(rbm, 4, 5));
    return rbm;
}

static isg_run *begin(void) {
    const isg_run_options how = options();
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, true));
    assert_ok(isg_run_begin(run, "{\"a\": 1}\n", start(), data, &how));
    return run;
}

static isg_run *resume(void) {
    const isg_run_options how = options();
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, false));
    assert_ok(isg_run_resume(run, data, &how));
    return run;
}

/* What every way to three epochs must give: W, b and c of an uninterrupted trainer. */
static void assert_same_end(isg_run *run) {
    isg_rbm *rbm = start(), *found = isg_run_rbm(run), *saved = NULL;
    isg_trainer *trainer = NULL;
    isg_epoch_report report;
    const isg_run_options how = options();
    const isg_run_info info = isg_run_describe(run);
    assert_int_equal(info.n_rows, EPOCHS + 1);
    assert_ok(isg_trainer_create(&trainer, rbm, data, &how.train));
    for (size_t k = 1; k <= EPOCHS; k++) {
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
        assert_true(info.rows[k].epoch == k && info.rows[k].updates == N_BATCHES * k);
        assert_true(info.rows[k].reconstruction_error == report.reconstruction_error);
        assert_true(info.rows[k].seconds >= info.rows[k - 1].seconds);
    }
    assert_memory_equal(found->weights, rbm->weights, N * P * sizeof(double));
    assert_memory_equal(found->b, rbm->b, N * sizeof(double));
    assert_memory_equal(found->c, rbm->c, P * sizeof(double));
    assert_ok(isg_rbm_load(&saved, run->files[ISG_RUN_MODEL]));
    assert_memory_equal(saved->weights, rbm->weights, N * P * sizeof(double));
    assert_int_equal(isg_rbm_describe(saved).image_width, 5);
    isg_rbm_free(saved);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

static void finish(isg_run *run) {
    assert_ok(isg_run_train(run, EPOCHS, NULL));
    assert_same_end(run);
    isg_run_close(run);
}

/* Cancels after a number of updates. */
static bool count_down(void *user, double fraction) {
    size_t *left = user;
    (void)fraction;
    return --*left > 0;
}

static bool exists(const char *name) {
    return access(name, F_OK) == 0;
}

static void write_text(const char *name, const char *text) {
    write_file(name, text, strlen(text));
}

/* The cells of epochs.csv except the seconds, which are not a result. */
static void read_table(char *out, size_t room) {
    size_t size = 0, used = 0, column = 0;
    uint8_t *bytes = read_file(in(path, "epochs.csv"), &size);
    for (size_t k = 0; k < size; k++) {
        if (column != 2 && used + 1 < room)
            out[used++] = (char)bytes[k];
        column = bytes[k] == '\n' ? 0 : column + (bytes[k] == ',');
    }
    out[used] = '\0';
    free(bytes);
}

/* ---- the files -------------------------------------------------------------------------------- */

static void test_files(void **state) {
    (void)state;
    use("files", 0);
    isg_run *run = begin();
    char table[2048];
    assert_true(exists(in(path, "run.lock")));
    read_table(table, sizeof table);
    assert_string_equal(table, "epoch,updates,reconstruction_error,log_likelihood,"
                               "log_likelihood_error\n0,0,,,\n");
    for (uint64_t epoch = 1; epoch < EPOCHS; epoch++)
        assert_ok(isg_run_train(run, epoch, NULL));
    finish(run);
    assert_false(exists(in(path, "run.lock")));
    read_table(table, sizeof table);
    assert_non_null(strstr(table, "\n3,12,0."));
    size_t size = 0;
    uint8_t *settings = read_file(in(path, "run.json"), &size);
    assert_int_equal(size, 9);
    assert_memory_equal(settings, "{\"a\": 1}\n", 9);
    free(settings);
    run_python(path, "import os\n"
                     "c = np.load('checkpoint-1.npz'), np.load('checkpoint-2.npz')\n"
                     "new = max(c, key=lambda x: x['saves'])\n"
                     "m = np.load('model.npz')\n"
                     "assert all((new[k] == m[k]).all() for k in ('W', 'b', 'c', 'beta'))\n"
                     "assert new['epochs'].shape == (4, 6) and min(c, key=lambda x: x['saves'])"
                     "['epochs'].shape == (3, 6)\n"
                     "assert not [f for f in os.listdir('.') if 'tmp' in f]\n");
}

/* A checkpoint is a model as well. */
static void test_checkpoint_is_a_model(void **state) {
    (void)state;
    use("model", 0);
    isg_run *run = begin();
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_load(&rbm, run->files[ISG_RUN_CHECKPOINT + 0]));
    assert_memory_equal(rbm->weights, isg_run_rbm(run)->weights, N * P * sizeof(double));
    assert_int_equal(rbm->info.image_height, 4);
    isg_rbm_free(rbm);
    isg_run_close(run);
}

/* ---- stopping and going on ---------------------------------------------------------------------- */

static void test_cancelled_anywhere(void **state) {
    (void)state;
    for (size_t stop = 1; stop < EPOCHS * N_BATCHES; stop++) {
        use("cancel", stop);
        isg_run *run = begin();
        size_t left = stop;
        const isg_progress progress = {count_down, &left};
        assert_int_equal(isg_run_train(run, EPOCHS, &progress), ISG_ERR_CANCELLED);
        assert_int_equal(isg_run_describe(run).state.updates, stop);
        isg_run_close(run);
        run = resume();
        assert_int_equal(isg_run_describe(run).state.updates, stop);
        assert_null(isg_run_describe(run).remark);
        finish(run);
    }
}

/* Stopped at any update without being cancelled, even if progress cancels at the last one. */
static void test_stops_after_updates(void **state) {
    (void)state;
    for (size_t stop = 0; stop <= EPOCHS * N_BATCHES; stop++) {
        use("updates", stop);
        isg_run *run = begin();
        size_t left = stop;
        const isg_progress progress = {count_down, &left};
        assert_ok(isg_run_train_updates(run, stop, &progress));
        assert_int_equal(left, 0);
        assert_int_equal(isg_run_describe(run).state.updates, stop);
        assert_ok(isg_run_train_updates(run, stop / 2, NULL)); /* done already */
        isg_run_close(run);
        run = resume();
        assert_int_equal(isg_run_describe(run).state.updates, stop);
        assert_int_equal(isg_run_describe(run).n_rows, stop / N_BATCHES + 1);
        finish(run);
    }
}

static void test_without_directory(void **state) {
    (void)state;
    const isg_run_options how = options();
    isg_run *run = NULL;
    use("kept", 0);
    isg_run *kept = begin();
    assert_ok(isg_run_train(kept, EPOCHS, NULL));
    assert_ok(isg_run_open(&run, NULL, true));
    assert_null(isg_run_describe(run).in_the_way);
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_ARGUMENT, "without a directory");
    assert_ok(isg_run_begin(run, "{}", start(), data, &how));
    assert_ok(isg_run_train(run, EPOCHS, NULL));
    assert_ok(isg_run_set_score(run, -1, 0.5));
    assert_string_equal(isg_run_describe(run).settings, "{}");
    assert_int_equal(isg_run_describe(run).n_rows, EPOCHS + 1);
    assert_memory_equal(isg_run_rbm(run)->weights, isg_run_rbm(kept)->weights,
                        N * P * sizeof(double));
    isg_run_close(run);
    isg_run_close(kept);
}

/* Another process may take the directory, while the RBM stays where it is and can be trained further. */
static void test_leaves_the_directory(void **state) {
    (void)state;
    const isg_run_options how = options();
    isg_run *run = NULL;
    use("left", 0);
    isg_run *left = begin();
    assert_ok(isg_run_train(left, 1, NULL));
    assert_fails(isg_run_open(&run, path, false), ISG_ERR_IO, "is at work in");
    const isg_rbm *rbm = isg_run_rbm(left);
    isg_run_leave(left);
    isg_run_leave(left);
    assert_null(isg_run_describe(left).in_the_way);
    assert_ptr_equal(isg_run_rbm(left), rbm);
    assert_ok(isg_run_train(left, EPOCHS, NULL));
    assert_ok(isg_run_open(&run, path, false));
    assert_ok(isg_run_resume(run, data, &how));
    assert_int_equal(isg_run_describe(run).state.epochs, 1);
    finish(run);
    isg_run_close(left);
}

/* No options are the default ones. */
static void test_default_options(void **state) {
    (void)state;
    const isg_run_options how = isg_run_defaults();
    isg_run *run = NULL;
    use("defaults", 0);
    assert_ok(isg_run_open(&run, path, true));
    assert_ok(isg_run_begin(run, "{}", start(), data, NULL));
    assert_ok(isg_run_train(run, 1, NULL));
    assert_ok(isg_run_resume(run, data, &how));
    assert_ok(isg_run_resume(run, data, NULL));
    assert_int_equal(isg_run_describe(run).state.epochs, 1);
    isg_run_close(run);
}

/* Saving after every update changes nothing, and a killed process leaves exactly what was saved. */
static void test_saved_always(void **state) {
    (void)state;
    use("always", 0);
    isg_run_options how = options();
    how.save_every_s = 0;
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, true));
    assert_ok(isg_run_begin(run, "{}", start(), data, &how));
    assert_ok(isg_run_train(run, 1, NULL));
    assert_int_equal(run->saves, 1 + (N_BATCHES - 1) + 1);
    assert_fails(isg_run_begin(run, "{}", isg_run_rbm(run), data, &how), ISG_ERR_ARGUMENT,
                 "the run already owns this RBM");
    finish(run);
}

/* ---- damage ----------------------------------------------------------------------------------- */

static void damage(const char *name, bool is_cut) {
    struct stat about;
    assert_int_equal(stat(name, &about), 0);
    if (is_cut) {
        assert_int_equal(truncate(name, about.st_size / 2), 0);
        return;
    }
    FILE *stream = fopen(name, "r+b"); /* somewhere in W */
    assert_non_null(stream);
    fseek(stream, about.st_size / 2, SEEK_SET);
    const int byte = fgetc(stream);
    fseek(stream, about.st_size / 2, SEEK_SET);
    fputc(byte ^ 1, stream);
    assert_int_equal(fclose(stream), 0);
}

static void test_one_damaged(void **state) {
    (void)state;
    for (size_t which = 0; which < 4; which++) {
        use("damaged", which);
        isg_run *run = begin();
        assert_ok(isg_run_train(run, 1, NULL));
        assert_ok(
            isg_run_train(run, 2, NULL)); /* checkpoint-1 is new, checkpoint-2 one epoch old */
        isg_run_close(run);
        damage(in(path, which / 2 == 0 ? "checkpoint-1.npz" : "checkpoint-2.npz"), which % 2 == 0);
        run = resume();
        const isg_run_info info = isg_run_describe(run);
        assert_int_equal(info.state.epochs, which / 2 == 0 ? 1 : 2);
        assert_int_equal(info.n_rows, info.state.epochs + 1);
        /* A flip in the older one is found only by who needs it. */
        assert_true((info.remark != NULL) == (which != 3));
        if (which == 0)
            assert_non_null(strstr(info.remark, "checkpoint-1.npz"));
        finish(run);
    }
}

static void test_both_damaged(void **state) {
    (void)state;
    use("both", 0);
    const isg_run_options how = options();
    isg_run *run = begin();
    assert_ok(isg_run_train(run, 1, NULL));
    isg_run_close(run);
    damage(in(path, "checkpoint-1.npz"), true);
    damage(in(path, "checkpoint-2.npz"), false);
    assert_ok(isg_run_open(&run, path, false));
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_FORMAT, "neither checkpoint");
    assert_null(isg_run_rbm(run));
    assert_true(isg_run_describe(run).has_checkpoint);
    assert_fails(isg_run_train(run, 1, NULL), ISG_ERR_ARGUMENT, "neither begun nor resumed");
    assert_int_equal(remove(in(path, "checkpoint-1.npz")), 0);
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_FORMAT, "checkpoint-2.npz");
    assert_int_equal(remove(in(path, "checkpoint-2.npz")), 0);
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_IO, "no checkpoint");
    isg_run_close(run);
    assert_ok(isg_run_open(&run, path, false));
    assert_false(isg_run_describe(run).has_checkpoint);
    isg_run_close(run);
}

static void test_other_training(void **state) {
    (void)state;
    use("other", 0);
    isg_run_options how = options();
    isg_run_close(begin());
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, false));
    assert_fails(isg_run_resume(run, other_data, &how), ISG_ERR_SHAPE, "other data");
    how.train.batch_size++;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_SHAPE, "batch_size 10");
    how.train.batch_size = 0;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_ARGUMENT, "batch_size");
    how = options();
    how.save_every_s = (double)NAN;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_ARGUMENT, "save_every_s");
    how = options();
    assert_ok(isg_run_resume(run, data, &how));
    finish(run);
}

static void test_missing_results_come_back(void **state) {
    (void)state;
    use("missing", 0);
    finish(begin());
    assert_int_equal(remove(in(path, "model.npz")) | remove(in(path, "epochs.csv")), 0);
    finish(resume());
    assert_true(exists(in(path, "epochs.csv")));
}

/* ---- the directory ---------------------------------------------------------------------------- */

static void test_lock(void **state) {
    (void)state;
    use("lock", 0);
    isg_run *run = begin(), *second = NULL;
    char sentence[64];
    snprintf(sentence, sizeof sentence, "process %ld is at work", (long)getpid());
    assert_fails(isg_run_open(&second, path, true), ISG_ERR_IO, sentence);
    assert_null(second);
    finish(run);
    /* What a killed process leaves is no lock. */
    write_text(in(path, "run.lock"), "1\n");
    finish(resume());
    assert_false(exists(in(path, "run.lock")));
}

static void test_foreign_files_stay(void **state) {
    (void)state;
    static const char *const foreign[] = {"notes.txt", "model.npz.bak", "epochs.csv.1-x.tmp",
                                          "model.npz.12.tmp", "x.1-2.tmp"};
    use("foreign", 0);
    assert_int_equal(mkdir(path, 0777), 0);
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++)
        write_text(in(path, foreign[k]), "mine\n");
    write_text(in(path, "checkpoint-2.npz.77-3.tmp"), "left by a killed process\n");
    write_text(in(path, "run.lock"), "not a number\n");
    isg_run *run = begin();
    assert_false(exists(in(path, "checkpoint-2.npz.77-3.tmp")));
    finish(run);
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++)
        assert_true(exists(in(path, foreign[k])));
    size_t size = 0;
    uint8_t *bytes = read_file(in(path, "run.lock"), &size);
    assert_int_equal(size, 13);
    free(bytes);
}

static void test_directory_is_made_and_unmade(void **state) {
    (void)state;
    use("made", 0);
    isg_run *run = NULL;
    assert_fails(isg_run_open(&run, path, false), ISG_ERR_IO, "no such directory");
    assert_ok(isg_run_open(&run, path, true));
    assert_true(exists(path));
    isg_run_close(run);
    assert_false(exists(path));
    write_text(path, "a file\n");
    assert_fails(isg_run_open(&run, path, true), ISG_ERR_IO, "could not be created");
    assert_fails(isg_run_open(&run, path, false), ISG_ERR_IO, "run.lock");
    assert_fails(isg_run_open(&run, in(directory, "no/such"), true), ISG_ERR_IO,
                 "could not be created");
}

static void test_what_is_in_the_way(void **state) {
    (void)state;
    use("way", 0);
    isg_run *run = NULL;
    assert_int_equal(mkdir(path, 0777), 0);
    assert_ok(isg_run_open(&run, path, true));
    assert_null(isg_run_describe(run).in_the_way);
    assert_null(isg_run_describe(run).settings);
    write_text(in(path, "model.npz"), "");
    isg_run_close(run);
    assert_ok(isg_run_open(&run, path, true));
    assert_string_equal(isg_run_describe(run).in_the_way, in(path, "model.npz"));
    isg_run_close(run);
    run = begin();
    assert_ok(isg_run_train(run, 1, NULL));
    assert_ok(isg_run_train(run, 2, NULL));
    isg_run_close(run);
    /* Beginning again replaces everything. */
    run = begin();
    assert_string_equal(isg_run_describe(run).settings, "{\"a\": 1}\n");
    assert_false(exists(in(path, "checkpoint-2.npz")));
    assert_ok(isg_run_set_settings(run, "{}"));
    finish(run);
    assert_ok(isg_run_open(&run, path, false));
    assert_string_equal(isg_run_describe(run).settings, "{}");
    isg_run_close(run);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void test_divergence_keeps_the_last_model(void **state) {
    (void)state;
    static const isg_rate rate = {1e12, 0};
    use("diverged", 0);
    isg_run_options how = options();
    isg_rbm *rbm = NULL;
    isg_run *run = NULL;
    how.train.rates = &rate;
    how.train.n_rates = 1;
    assert_ok(isg_run_open(&run, path, true));
    assert_ok(isg_run_begin(run, "{}", start(), data, &how));
    assert_int_equal(isg_run_train(run, 100, NULL), ISG_ERR_DIVERGED);
    assert_ok(isg_rbm_load(&rbm, in(path, "model.npz")));
    assert_memory_equal(rbm->weights, isg_run_rbm(run)->weights, N * P * sizeof(double));
    isg_rbm_free(rbm);
    isg_run_close(run);
}

/* A directory where a file should be: the earlier save remains, and so does the training. */
static void test_unwritable(void **state) {
    (void)state;
    use("unwritable", 0);
    isg_run *run = begin();
    assert_ok(isg_run_train(run, 1, NULL));
    assert_int_equal(remove(in(path, "checkpoint-1.npz")), 0);
    assert_int_equal(mkdir(in(path, "checkpoint-1.npz"), 0777), 0);
    assert_fails(isg_run_train(run, 2, NULL), ISG_ERR_IO, "checkpoint-1.npz");
    isg_run_close(run);
    assert_int_equal(rmdir(in(path, "checkpoint-1.npz")), 0);
    run = resume();
    assert_int_equal(isg_run_describe(run).state.epochs, 1);
    finish(run);
    /* If the start cannot be written, the caller keeps the RBM. */
    isg_run_options how = options();
    isg_rbm *rbm = start();
    use("start", 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(mkdir(in(path, "model.npz"), 0777), 0);
    assert_ok(isg_run_open(&run, path, true));
    assert_fails(isg_run_begin(run, "{}", rbm, data, &how), ISG_ERR_IO, "model.npz");
    assert_null(isg_run_rbm(run));
    isg_rbm_free(rbm);
    isg_run_close(run);
}

static isg_status whole_run(void *user) {
    (void)user;
    const isg_run_options how = options();
    isg_run *run = NULL;
    isg_rbm *rbm = NULL;
    isg_status status = isg_rbm_start_normal(&rbm, N, P, 2, 0.1, 1);
    if (status == ISG_OK)
        status = isg_run_open(&run, path, true);
    if (status == ISG_OK)
        status = isg_run_begin(run, "{}", rbm, data, &how);
    if (status != ISG_OK)
        isg_rbm_free(rbm);
    if (status == ISG_OK)
        status = isg_run_train(run, 1, NULL);
    isg_run_close(run);
    run = NULL;
    if (status == ISG_OK)
        status = isg_run_open(&run, path, false);
    if (status == ISG_OK)
        status = isg_run_resume(run, data, &how);
    isg_run_close(run);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    use("memory", 0);
    assert_true(sweep_allocations(whole_run, NULL) > 50);
}

/* The model of a run that did not know how its data were read learns it from them. */
static void test_learns_the_encoding(void **state) {
    (void)state;
    char text[SAMPLES * N * 2];
    isg_dataset *read = NULL;
    isg_rbm *saved = NULL;
    isg_dataset_options how = isg_dataset_defaults();
    const isg_run_options as = options();
    how.binarize = ISG_BINARIZE_VALUE;
    how.binarize_at = 2;
    how.header = ISG_HEADER_NO;
    for (size_t k = 0; k < SAMPLES * N; k++) {
        const uint64_t *row = isg_dataset_row(data, k / N);
        text[2 * k] = row[0] >> k % N & 1 ? '3' : '2';
        text[2 * k + 1] = k % N == N - 1 ? '\n' : ',';
    }
    assert_ok(isg_dataset_load_memory(&read, "a.csv", text, sizeof text, &how, NULL));
    use("encoding", 0);
    isg_run *run = begin();
    assert_ok(isg_run_train(run, 1, NULL));
    assert_null(isg_rbm_encoding(isg_run_rbm(run)));
    isg_run_close(run);
    assert_ok(isg_run_open(&run, path, false));
    assert_ok(isg_run_resume(run, read, &as));
    assert_ok(isg_run_train(run, EPOCHS, NULL));
    assert_same_end(run);
    assert_ok(isg_rbm_load(&saved, run->files[ISG_RUN_MODEL]));
    assert_true(isg_encoding_threshold(isg_rbm_encoding(saved), 0) == 2);
    isg_rbm_free(saved);
    isg_run_close(run);
    isg_dataset_free(read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_checkpoint_is_a_model),
        cmocka_unit_test(test_cancelled_anywhere),
        cmocka_unit_test(test_stops_after_updates),
        cmocka_unit_test(test_without_directory),
        cmocka_unit_test(test_leaves_the_directory),
        cmocka_unit_test(test_default_options),
        cmocka_unit_test(test_saved_always),
        cmocka_unit_test(test_one_damaged),
        cmocka_unit_test(test_both_damaged),
        cmocka_unit_test(test_other_training),
        cmocka_unit_test(test_missing_results_come_back),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_foreign_files_stay),
        cmocka_unit_test(test_directory_is_made_and_unmade),
        cmocka_unit_test(test_what_is_in_the_way),
        cmocka_unit_test(test_divergence_keeps_the_last_model),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_learns_the_encoding),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
