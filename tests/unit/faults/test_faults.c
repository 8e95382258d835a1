/* test_faults.c - every reader and every writer while memory and files fail
 *
 * SPDX-License-Identifier: MIT
 *
 * Each job below is done again and again, with another allocation or another call of the system failing
 * each time. It must end in the same result as ever, or in one sentence about the file; then nothing
 * was handed out, and a file that was there is there. What is never allowed: a leak, an open file, a
 * temporary file, half a file, another result.
 */
#include "faulty_system.h"

#include <math.h>
#include <string.h>

#include "base/atomic_file.h"
#include "classify/classify.h"
#include "deep/deep.h"
#include "helper_experts.h"
#include "helper_scratch.h"
#include "io/npy.h"
#include "io/verified_file.h"
#include "rbm/rbm.h"

/* ---- what the jobs are done with ------------------------------------------------------------------- */

enum { HIDDEN = 3 };

static isg_dataset *data;
static isg_patterns *patterns;
static isg_rbm *rbm;
static isg_rbm *trained;
static isg_trainer *trainer;
static isg_experts *experts;
static isg_classifier *classifier;
static isg_deep_model *deep;
static uint64_t digest; /* of what the last job has come to */

/* What an undisturbed job comes to. */
static uint64_t expected_digest;
static uint8_t *expected_file;
static size_t expected_size;

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t count) {
    for (size_t k = 0; k < count; k++)
        hash = (hash ^ ((const uint8_t *)bytes)[k]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t digest_of(isg_rbm *one) {
    const isg_matd w = isg_rbm_weights(one);
    uint64_t hash = 1;
    for (size_t i = 0; i < w.rows; i++)
        hash = add_bytes(hash, w.data + i * w.stride, w.cols * sizeof *w.data);
    hash = add_bytes(hash, isg_rbm_visible_field(one), w.rows * sizeof(double));
    return add_bytes(hash, isg_rbm_hidden_field(one), w.cols * sizeof(double));
}

static isg_train_options train_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = 4;
    options.gibbs_steps = 1;
    options.persistent = options.fields = options.shuffle = true;
    return options;
}

static isg_expert_options expert_options(void) {
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 1;
    options.train = train_options();
    options.train.shuffle = false;
    return options;
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

typedef struct job {
    const char *name; /* of the file that is read or written, in the directory */
    isg_status (*work)(const struct job *job, const char *path);
    bool is_writer;              /* of a file, replacing an old one */
    isg_dataset_options options; /* for data */
} job;

static isg_status load_data(const job *j, const char *path) {
    isg_dataset *found = NULL;
    isg_dataset_options options = j->options;
    char labels[256], hex[65];
    if (options.labels_path) {
        snprintf(labels, sizeof labels, "%s/%s", directory, options.labels_path);
        options.labels_path = labels;
    }
    options.binarize = ISG_BINARIZE_VALUE;
    options.binarize_at = 0.01;
    const isg_status status = isg_dataset_load(&found, path, &options, NULL);
    assert_true((found != NULL) == (status == ISG_OK));
    if (found) {
        isg_dataset_checksum(found, hex);
        digest = add_bytes(1, hex, 64);
        isg_dataset_label_checksum(found, hex);
        digest = add_bytes(digest, hex, 64);
    }
    isg_dataset_free(found);
    return status;
}

static isg_status load_patterns(const job *j, const char *path) {
    (void)j;
    isg_patterns *found = NULL;
    const isg_status status = isg_patterns_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    for (size_t mu = 0; found && mu < isg_patterns_describe(found).n_patterns; mu++)
        digest = add_bytes(digest, isg_patterns_row(found, mu), (CLASS_UNITS + 7) / 8);
    isg_patterns_free(found);
    return status;
}

static isg_status load_rbm(const job *j, const char *path) {
    (void)j;
    isg_rbm *found = NULL;
    const isg_status status = isg_rbm_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    if (found)
        digest = digest_of(found);
    isg_rbm_free(found);
    return status;
}

static isg_status load_classifier(const job *j, const char *path) {
    (void)j;
    isg_classifier *found = NULL;
    const isg_status status = isg_classifier_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    if (found) {
        const isg_logistic *fit = found->logistic;
        digest = add_bytes(digest, fit->coefficients,
                           fit->n_classes * fit->n_features * sizeof *fit->coefficients);
    }
    isg_classifier_free(found);
    return status;
}

static isg_status load_deep(const job *j, const char *path) {
    (void)j;
    isg_deep_model *found = NULL;
    const isg_status status = isg_deep_model_load(&found, path);
    assert_true((found != NULL) == (status == ISG_OK));
    if (found)
        digest = add_bytes(digest, found->means,
                           found->n_classes * found->rbm->info.n_hidden * sizeof *found->means);
    isg_deep_model_free(found);
    return status;
}

/* A file that cannot be read leaves the trainer as it was. */
static isg_status load_trainer(const job *j, const char *path) {
    (void)j;
    const isg_train_options options = train_options();
    isg_rbm *other = NULL;
    isg_trainer *copy = NULL;
    isg_status status = isg_rbm_start_normal(&other, CLASS_UNITS, HIDDEN, 2, 0.1, 5);
    if (status == ISG_OK)
        status = isg_trainer_create(&copy, other, data, &options);
    if (status == ISG_OK) {
        const uint64_t before = digest_of(other);
        status = isg_trainer_load(copy, path);
        digest = digest_of(other);
        assert_true((digest == before) == (status != ISG_OK));
    }
    isg_trainer_free(copy);
    isg_rbm_free(other);
    return status;
}

static isg_status load_experts(const job *j, const char *path) {
    (void)j;
    const isg_expert_options options = expert_options();
    isg_experts *others = NULL;
    isg_status status = isg_experts_create(&others, data, &options, NULL);
    if (status == ISG_OK)
        status = isg_experts_load(others, path);
    if (status == ISG_OK)
        digest = digest_of(isg_experts_rbm(others, CLASS_COUNT - 1));
    isg_experts_free(others);
    return status;
}

static isg_status save_patterns(const job *j, const char *path) {
    (void)j;
    return isg_patterns_save(patterns, path, 1, "test");
}

static isg_status save_rbm(const job *j, const char *path) {
    (void)j;
    return isg_rbm_save(rbm, path, 1, "test");
}

static isg_status save_classifier(const job *j, const char *path) {
    (void)j;
    return isg_classifier_save(classifier, path, 1, "test");
}

static isg_status save_deep(const job *j, const char *path) {
    (void)j;
    return isg_deep_model_save(deep, path, 1, "test");
}

static isg_status save_trainer(const job *j, const char *path) {
    (void)j;
    return isg_trainer_save(trainer, path);
}

static isg_status save_experts(const job *j, const char *path) {
    (void)j;
    return isg_experts_save(experts, path);
}

/* More than the buffer of a file, in one piece and after another. */
static isg_status save_array(const job *j, const char *path) {
    static const uint8_t bytes[70000];
    const isg_array_type type = isg_array_type_of(ISG_UINT8, 1, (const size_t[]){sizeof bytes});
    (void)j;
    return isg_npy_write(path, &type, bytes);
}

static isg_status save_bytes(const job *j, const char *path) {
    static const uint8_t bytes[70000];
    (void)j;
    return isg_write_file(path, bytes, sizeof bytes);
}

static char sha256[65]; /* of what images.idx.gz holds */

static isg_status check_file(const job *j, const char *path) {
    (void)j;
    return isg_file_check(path, sha256, NULL);
}

static isg_status install_file(const job *j, const char *path) {
    (void)j;
    return isg_file_install(in(directory, "images.idx.gz"), path, sha256, NULL);
}

/* ---- the table ------------------------------------------------------------------------------------- */

static job jobs[] = {
    {"images.idx.gz", .work = load_data, .options = {.labels_path = "labels.idx"}},
    {"images.idx.gz", .work = load_data,
     .options = {.labels_path = "labels.npy", .expected_sha256 = sha256}},
    {"fortran.npy", .work = load_data,
     .options = {.labels_path = "labels.csv", .label_column = "name", .only_class = "b"}},
    {"floats.npy", .work = load_data, .options = {.labels_path = "x.npz", .limit = 2}},
    {"x.npz", .work = load_data},
    {"stored.npz", .work = load_data},
    {"x.csv", .work = load_data, .options = {.label_column = "1"}},
    {"x.tsv.gz", .work = load_data, .options = {.labels_path = "labels.tsv"}},
    {"sparse.mtx", .work = load_data},
    {"dense.mtx", .work = load_data},
    {"patterns.npz", .work = load_patterns},
    {"model.npz", .work = load_rbm},
    {"classifier.npz", .work = load_classifier},
    {"deep.npz", .work = load_deep},
    {"trainer.npz", .work = load_trainer},
    {"experts.npz", .work = load_experts},
    {"images.idx.gz", .work = check_file},
    {"out", .work = save_patterns, .is_writer = true},
    {"out", .work = save_rbm, .is_writer = true},
    {"out", .work = save_classifier, .is_writer = true},
    {"out", .work = save_deep, .is_writer = true},
    {"out", .work = save_trainer, .is_writer = true},
    {"out", .work = save_experts, .is_writer = true},
    {"out", .work = save_array, .is_writer = true},
    {"out", .work = save_bytes, .is_writer = true},
    {"out", .work = install_file, .is_writer = true},
};
enum { N_JOBS = sizeof jobs / sizeof jobs[0] };

static void make_files(void) {
    run_python(
        directory,
        "import gzip\n"
        "x = (np.arange(60).reshape(5, 3, 4) * 7 % 11 * 20).astype(np.uint8)\n"
        "y = np.array([2, 0, 1, 2, 0], np.uint8)\n"
        "names = np.array(['a', 'b', 'ä'])[y]\n"
        "def idx(a): return struct.pack('>4B', 0, 0, 8, a.ndim) + struct.pack(\n"
        "    f'>{a.ndim}I', *a.shape) + a.tobytes()\n"
        "open('labels.idx', 'wb').write(idx(y))\n"
        "gzip.open('images.idx.gz', 'wb').write(idx(x))\n"
        "import hashlib; open('sha256', 'w').write(hashlib.sha256(idx(x)).hexdigest())\n"
        "np.save('labels.npy', names)\n"
        "np.save('fortran.npy', np.asfortranarray(x))\n"
        "np.save('floats.npy', x.reshape(5, 12).astype('>f4'))\n"
        "np.savez_compressed('x.npz', X=x, y=y.astype(np.int64))\n"
        "np.savez('stored.npz', X=x.astype(np.float64), y=names)\n"
        "rows = [','.join(map(str, r)) for r in x.reshape(5, 12)]\n"
        "csv = lambda f, head, lines: f.write(head + ''.join(l + '\\n' for l in lines))\n"
        "csv(open('x.csv', 'w'), '', [n + ',' + r for n, r in zip(names, rows)])\n"
        "csv(open('labels.csv', 'w'), 'number,name\\n', map('{},{}'.format, y, names))\n"
        "csv(open('labels.tsv', 'w'), '', names)\n"
        "csv(gzip.open('x.tsv.gz', 'wt'), '', [r.replace(',', '\\t') for r in rows])\n"
        "csv(open('sparse.mtx', 'w'), '%%MatrixMarket matrix coordinate integer general\\n',\n"
        "    ['5 12 3', '1 1 1', '5 12 1', '2 3 -1'])\n"
        "csv(open('dense.mtx', 'w'), '%%MatrixMarket matrix array real general\\n',\n"
        "    ['2 3', '1', '0', '0.5', '-1', '2', '3'])\n");
    size_t size = 0;
    uint8_t *text = read_file(in(directory, "sha256"), &size);
    assert_int_equal(size, 64);
    memcpy(sha256, text, 64);
    free(text);
}

static void make_models(void) {
    const isg_pattern_options pattern_options = isg_pattern_defaults();
    const isg_mapping_options mapping = isg_mapping_defaults();
    const isg_logistic_options logistic = isg_logistic_defaults();
    const isg_train_options training = train_options();
    const isg_expert_options options = expert_options();
    const isg_rbm *rbms[CLASS_COUNT];
    data = make_classes(1);
    assert_ok(isg_patterns_from_data(&patterns, data, &pattern_options, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    assert_ok(isg_rbm_set_image(rbm, 7, CLASS_UNITS / 7));
    assert_ok(isg_deep_model_fit(&deep, rbm, data, NULL, NULL));
    assert_ok(isg_deep_model_save(deep, in(directory, "deep.npz"), 1, "test"));
    assert_ok(isg_rbm_start_normal(&trained, CLASS_UNITS, HIDDEN, 2, 0.1, 1));
    assert_ok(isg_trainer_create(&trainer, trained, data, &training));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    assert_ok(isg_experts_step(experts, NULL));
    for (size_t k = 0; k < CLASS_COUNT; k++)
        rbms[k] = isg_experts_rbm(experts, k);
    assert_ok(isg_classifier_fit(&classifier, rbms, CLASS_COUNT, ISG_FEATURES_HIDDEN, data,
                                 &logistic, NULL, NULL));
    assert_ok(isg_patterns_save(patterns, in(directory, "patterns.npz"), 1, "test"));
    assert_ok(isg_rbm_save(rbm, in(directory, "model.npz"), 1, "test"));
    assert_ok(isg_trainer_save(trainer, in(directory, "trainer.npz")));
    assert_ok(isg_experts_save(experts, in(directory, "experts.npz")));
    assert_ok(isg_classifier_save(classifier, in(directory, "classifier.npz"), 1, "test"));
}

static int set_up(void **state) {
    isg_set_threads(1); /* which changes nothing, and is quickest for so little */
    make_directory_in_memory(state);
    make_files();
    make_models();
    return 0;
}

static int tear_down(void **state) {
    isg_dataset_free(data);
    isg_patterns_free(patterns);
    isg_rbm_free(rbm);
    isg_trainer_free(trainer);
    isg_rbm_free(trained);
    isg_experts_free(experts);
    isg_classifier_free(classifier);
    isg_deep_model_free(deep);
    free(expected_file);
    return remove_directory(state);
}

/* ---- doing a job --------------------------------------------------------------------------------- */

static void check_output(const char *path, isg_status status) {
    size_t size = 0;
    uint8_t *found = read_file(path, &size);
    const bool is_old = size == 3 && memcmp(found, "old", 3) == 0;
    const bool is_new = size == expected_size && memcmp(found, expected_file, size) == 0;
    assert_true(is_new || (is_old && status != ISG_OK));
    assert_int_equal(count_files(".tmp"), 0);
    free(found);
}

static isg_status attempt(void *user) {
    const job *j = user;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, j->name);
    if (j->is_writer)
        write_file(path, "old", 3);
    digest = 1;
    fault.is_armed = true;
    const isg_status status = j->work(j, path);
    fault.is_armed = false;
    if (status == ISG_OK && expected_digest)
        assert_true(digest == expected_digest);
    if (j->is_writer && expected_file)
        check_output(path, status);
    return status;
}

static void learn(job *j) {
    free(expected_file);
    expected_file = NULL;
    expected_digest = 0;
    memset(&fault, 0, sizeof fault);
    assert_ok(run_without_leak(attempt, j));
    expected_digest = digest;
    if (j->is_writer)
        expected_file = read_file(in(directory, j->name), &expected_size);
}

/* ---- tests ----------------------------------------------------------------------------------------- */

static void allocations(void **state) {
    (void)state;
    for (size_t k = 0; k < N_JOBS; k++) {
        learn(jobs + k);
        assert_true(sweep_allocations(attempt, jobs + k) > 2);
    }
}

/* To go on in spite of an error of the disk is allowed only where nothing depends on the call. */
static void clean_or_harmless(void *user, isg_status status) {
    (void)user;
    if (status != ISG_OK)
        assert_fails(status, ISG_ERR_IO, directory);
    else if (fault.reason == EIO)
        assert_true(strcmp(fault.struck, "close") == 0 || strcmp(fault.struck, "stat") == 0);
}

static void each_call_fails(void **state) {
    (void)state;
    static const int reasons[] = {EIO, EACCES, EINVAL};
    for (size_t k = 0; k < N_JOBS; k++) {
        learn(jobs + k);
        for (size_t r = 0; r < 3; r++)
            assert_true(sweep_calls((sweep){.work = attempt,
                                            .user = jobs + k,
                                            .reason = reasons[r],
                                            .judge = clean_or_harmless}) > 3);
    }
}

static void succeeds(void *user, isg_status status) {
    (void)user;
    assert_ok(status);
}

static void signals_and_short_transfers_are_borne(void **state) {
    (void)state;
    static const char *const interrupted[] = {"open", "close", "pread", "pwrite", "fsync"};
    for (size_t k = 0; k < N_JOBS; k++) {
        sweep s = {.work = attempt, .user = jobs + k, .reason = EINTR, .judge = succeeds};
        size_t count = 0;
        learn(jobs + k);
        for (size_t c = 0; c < 5; c++) {
            s.only = interrupted[c];
            count += sweep_calls(s);
        }
        assert_true(count > 2);
        s.only = NULL;
        s.reason = SHORT;
        assert_true(sweep_calls(s) > 0);
    }
}

/* Files that somebody else shortens while they are read; a disk that takes nothing, without a word. */
static void is_noticed(void *user, isg_status status) {
    const job *j = user;
    if (strcmp(fault.struck, "pread") == 0)
        assert_fails(status, ISG_ERR_FORMAT, "the file ends early");
    else
        assert_fails(status, ISG_ERR_IO, "could not be written");
    assert_true(j->is_writer || strcmp(fault.struck, "pread") == 0);
}

static void files_shrink(void **state) {
    (void)state;
    for (size_t k = 0; k < N_JOBS; k++) {
        learn(jobs + k);
        assert_true(
            sweep_calls((sweep){
                .work = attempt, .user = jobs + k, .reason = NOTHING, .judge = is_noticed}) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(each_call_fails),
        cmocka_unit_test(signals_and_short_transfers_are_borne),
        cmocka_unit_test(files_shrink),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
