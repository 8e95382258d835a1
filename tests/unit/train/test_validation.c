/* test_validation.c - data that are not trained on: what they say, the best epoch, when to stop
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/memory.h"
#include "helper_allocation.h"
#include "helper_run.h"
#include "helper_scratch.h"
#include "train/run_directory.h"

enum { N = 70, P = 5, SAMPLES = 37, OTHERS = 21, BATCH = 10, N_BATCHES = 4, PATIENCE = 3 };

static char path[128]; /* of the run in work */
static isg_dataset *data, *others;

static void use(const char *name, size_t number) {
    snprintf(path, sizeof path, "%.64s/%.32s-%zu", directory, name, number);
}

/* Samples around three prototypes, a third of the spins at random: there is something to learn, and
   something to learn by heart. */
static isg_dataset *make_data(size_t n_samples, size_t n_visible, unsigned x) {
    static int8_t spins[SAMPLES * N];
    isg_dataset *out = NULL;
    for (size_t a = 0; a < n_samples; a++)
        for (size_t i = 0; i < n_visible; i++) {
            x = x * 1103515245u + 12345;
            const bool is_up = (x >> 16) % 3 == 0 ? x >> 20 & 1 : (i * (a % 3 + 2)) % 7 < 3;
            spins[a * n_visible + i] = is_up ? 1 : -1;
        }
    assert_ok(isg_dataset_create(&out, n_samples, n_visible, spins, NULL));
    return out;
}

static int set_up(void **state) {
    isg_set_threads(1); /* which changes nothing, and is quickest for so little */
    make_directory_in_memory(state);
    data = make_data(SAMPLES, N, 1);
    others = make_data(OTHERS, N, 77);
    return 0;
}

static int tear_down(void **state) {
    isg_dataset_free(data);
    isg_dataset_free(others);
    return remove_directory(state);
}

static isg_run_options options(void) {
    static const isg_rate rates[] = {{0.01, 0}};
    isg_run_options how = full_run_options(BATCH, "isinglass train");
    how.train.rates = rates;
    how.train.n_rates = 1;
    how.train.persistent = false;
    how.train.gibbs_steps = 1;
    how.validation = others;
    how.patience = PATIENCE;
    return how;
}

static isg_rbm *start(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 1, 0.05, 1));
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = 0.01 * (double)i - 0.3;
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = 0.2 * (double)mu - 0.5;
    return rbm;
}

static isg_run *begin(const isg_run_options *how) {
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, true));
    assert_ok(isg_run_begin(run, "{}", start(), data, how));
    return run;
}

static isg_run *resume(const isg_run_options *how) {
    isg_run *run = NULL;
    assert_ok(isg_run_open(&run, path, false));
    assert_ok(isg_run_resume(run, data, how));
    return run;
}

/* ---- what is measured --------------------------------------------------------------------------- */

static double spin_energy(const isg_rbm *rbm, const uint64_t *spins) {
    double energy = 0;
    assert_ok(isg_rbm_spin_energy(rbm, spins, &energy));
    return energy;
}

static double mean_energy(const isg_rbm *rbm, const isg_dataset *of) {
    double sum = 0;
    for (size_t a = 0; a < of->info.n_samples; a++)
        sum += spin_energy(rbm, isg_dataset_row(of, a));
    return sum / (double)of->info.n_samples;
}

/* From the energies of states that differ by one spin. */
static double pseudo_likelihood(const isg_rbm *rbm, const isg_dataset *of) {
    double sum = 0;
    for (size_t a = 0; a < of->info.n_samples; a++)
        for (size_t i = 0; i < N; i++) {
            uint64_t spins[2];
            memcpy(spins, isg_dataset_row(of, a), sizeof spins);
            spins[i / 64] ^= UINT64_C(1) << i % 64;
            const double flip = spin_energy(rbm, spins) - spin_energy(rbm, isg_dataset_row(of, a));
            sum -= log1p(exp(-rbm->info.beta * flip));
        }
    return sum / (double)of->info.n_samples;
}

static void test_measures_are_exact(void **state) {
    (void)state;
    const isg_run_options how = options();
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    isg_run_row row[3] = {{.epoch = 0}, {.epoch = 0}, {.epoch = 0}};
    assert_ok(isg_rbm_set_beta(rbm, 1.5));
    assert_ok(isg_trainer_create(&trainer, rbm, data, &how.train));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    for (size_t k = 0; k < 3; k++) { /* the number of threads makes no difference */
        isg_validation validation = {.data = NULL};
        isg_set_threads(1 + k);
        assert_ok(isg_validation_create(&validation, trainer, others));
        isg_set_own_threads(7 * (k % 2)); /* more than there is room for, or as before */
        isg_validation_measure(&validation, trainer, row + k);
        isg_set_own_threads(0);
        isg_validation_release(&validation);
    }
    isg_set_threads(1);
    assert_memory_equal(&row[0], &row[1], sizeof *row);
    assert_memory_equal(&row[0], &row[2], sizeof *row);
    const double logs = pseudo_likelihood(rbm, others);
    const double gap = 1.5 * (mean_energy(rbm, others) - mean_energy(rbm, data));
    if (!(fabs(row->validation_pseudo_likelihood - logs) < 1e-4) ||
        !(fabs(row->validation_gap - gap) < 1e-4))
        fail_msg("found %g and %g, expected %g and %g", row->validation_pseudo_likelihood,
                 row->validation_gap, logs, gap);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

/* Some values of two samples in three, or all values. */
static isg_dataset *with_missing(isg_dataset *some, size_t rare) {
    assert_ok(ISG_ALLOCATE_MATRIX(some->missing, some->info.n_samples, some->words));
    for (size_t a = 0; a < some->info.n_samples; a++)
        for (size_t i = 0; rare && i < N; i++)
            isg_bit_assign(some->missing + a * some->words, i,
                           rare == 1 || (a % 3 && (i * 7 + a) % rare == 0));
    return some;
}

static void test_missing_values(void **state) {
    (void)state;
    const isg_run_options how = options();
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    isg_dataset *lossy = with_missing(make_data(SAMPLES, N, 1), 5);
    isg_dataset *kinds[] = {with_missing(make_data(OTHERS, N, 77), 0),
                            with_missing(make_data(OTHERS, N, 77), 5),
                            with_missing(make_data(OTHERS, N, 77), 1)};
    assert_ok(isg_trainer_create(&trainer, rbm, lossy, &how.train));
    for (size_t kind = 0; kind < 3; kind++) {
        isg_run_row row[3] = {{.epoch = 0}, {.epoch = 0}, {.epoch = 0}};
        for (size_t k = 0; k < 3; k++) {
            isg_validation validation = {.data = NULL};
            isg_set_threads(1 + k);
            assert_ok(isg_validation_create(&validation, trainer, kinds[kind]));
            isg_set_own_threads(7 * (k % 2));
            isg_validation_measure(&validation, trainer, row + k);
            isg_set_own_threads(0);
            isg_validation_release(&validation);
        }
        isg_set_threads(1);
        assert_memory_equal(&row[0], &row[1], sizeof *row);
        assert_memory_equal(&row[0], &row[2], sizeof *row);
        const double found = row->validation_pseudo_likelihood,
                     all = pseudo_likelihood(rbm, others);
        assert_true(isfinite(row->validation_gap));
        if (kind == 0)
            assert_true(fabs(found - all) < 1e-4);
        else if (kind == 1)
            assert_true(found > 0.95 * all && found < 0.8 * all);
        else
            assert_true(found == 0); /* nothing is known, so nothing is judged */
    }
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    for (size_t kind = 0; kind < 3; kind++)
        isg_dataset_free(kinds[kind]);
    isg_dataset_free(lossy);
}

static void test_missing_values_are_resumed(void **state) {
    (void)state;
    enum { EPOCHS = 4 };
    isg_dataset *whole = data;
    isg_dataset *lossy = with_missing(make_data(SAMPLES, N, 1), 5);
    isg_dataset *unknown = with_missing(make_data(OTHERS, N, 77), 5);
    isg_run_options how = options();
    data = lossy;
    how.validation = unknown;
    how.patience = 0;
    isg_run_row rows[2][EPOCHS + 1];
    double weights[2][N * P];
    for (size_t k = 0; k < 2; k++) {
        use("missing", k);
        isg_run *run = begin(&how);
        if (k == 1) {
            assert_ok(isg_run_train_updates(run, 2 * N_BATCHES + 1, NULL));
            isg_run_close(run);
            run = resume(&how);
        }
        assert_ok(isg_run_train(run, EPOCHS, NULL));
        memcpy(rows[k], isg_run_describe(run).rows, sizeof rows[k]);
        memcpy(weights[k], isg_run_rbm(run)->weights, sizeof weights[k]);
        if (k == 1) {
            how.validation = others; /* the same spins, but nothing missing */
            assert_fails(isg_run_resume(run, data, &how), ISG_ERR_SHAPE, "other validation data");
        }
        isg_run_close(run);
    }
    assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
    for (size_t k = 0; k <= EPOCHS; k++) {
        assert_true(rows[0][k].validation_pseudo_likelihood ==
                    rows[1][k].validation_pseudo_likelihood);
        assert_true(rows[0][k].validation_gap == rows[1][k].validation_gap);
    }
    data = whole;
    isg_dataset_free(lossy);
    isg_dataset_free(unknown);
}

/* ---- the best epoch, and the last ---------------------------------------------------------------- */

enum { LONG = 400 }; /* epochs, more than there is patience for */

/* Everything there is to agree on, whatever happened on the way. */
typedef struct outcome {
    uint64_t best_epoch, epochs;
    double weights[N * P], best[N * P];
    double measured[2 * (LONG + 1)];
} outcome;

static void take(outcome *out, isg_run *run) {
    const isg_run_info info = isg_run_describe(run);
    isg_rbm *best = NULL;
    memset(out, 0, sizeof *out);
    out->best_epoch = info.best_epoch;
    out->epochs = info.state.epochs;
    memcpy(out->weights, isg_run_rbm(run)->weights, sizeof out->weights);
    for (size_t k = 0; k < info.n_rows; k++) {
        out->measured[2 * k] = info.rows[k].validation_pseudo_likelihood;
        out->measured[2 * k + 1] = info.rows[k].validation_gap;
    }
    assert_ok(isg_rbm_load(&best, run->files[ISG_RUN_BEST]));
    memcpy(out->best, best->weights, sizeof out->best);
    isg_rbm_free(best);
}

static outcome expected;

/* Also sets what the other tests expect. */
static void test_best_epoch(void **state) {
    (void)state;
    const isg_run_options how = options();
    use("best", 0);
    isg_run *run = begin(&how);
    assert_true(isg_run_describe(run).has_validation);
    assert_ok(isg_run_train(run, LONG, NULL));
    const isg_run_info info = isg_run_describe(run);
    take(&expected, run);
    assert_true(info.is_over && info.state.epochs < LONG);
    assert_int_equal(info.state.epochs, info.best_epoch + PATIENCE);
    assert_true(info.best_epoch > 2);
    for (size_t k = 0; k < info.n_rows; k++) {
        const double best = info.rows[info.best_epoch].validation_pseudo_likelihood;
        if (k != info.best_epoch)
            assert_true(info.rows[k].validation_pseudo_likelihood < best);
    }
    assert_true(info.rows[info.n_rows - 1].validation_gap > info.rows[0].validation_gap);
    /* Nothing more happens, and validation changes no weight. */
    assert_ok(isg_run_train(run, LONG, NULL));
    assert_int_equal(isg_run_describe(run).state.epochs, expected.epochs);
    assert_ok(isg_run_set_score(run, -40, 0.5));
    isg_run_close(run);
    isg_rbm *rbm = start();
    isg_trainer *trainer = NULL;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &how.train));
    for (uint64_t epoch = 1; epoch <= expected.epochs; epoch++) {
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        if (epoch == expected.best_epoch)
            assert_memory_equal(rbm->weights, expected.best, sizeof expected.best);
    }
    assert_memory_equal(rbm->weights, expected.weights, sizeof expected.weights);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    run_python(path,
               "import csv\n"
               "rows = list(csv.DictReader(open('epochs.csv')))\n"
               "scores = [float(r['validation_pseudo_likelihood']) for r in rows]\n"
               "assert np.argmax(scores) + 3 == len(rows) - 1\n"
               "r = rows[-1]\n"
               "assert float(r['validation_log_likelihood']) == -40 - float(r['validation_gap'])\n"
               "assert rows[0]['validation_log_likelihood'] == ''\n"
               "b, m = np.load('best.npz'), np.load('model.npz')\n"
               "assert sorted(b.files) == sorted(m.files) and (b['W'] != m['W']).any()\n");
}

static bool count_down(void *user, double fraction) {
    size_t *left = user;
    (void)fraction;
    return --*left > 0;
}

/* Cancelled after any number of updates, and killed: closing saves nothing. */
static void test_resumed_anywhere(void **state) {
    (void)state;
    isg_run_options how = options();
    const size_t updates = (size_t)expected.epochs * N_BATCHES;
    for (size_t stop = 1; stop < updates; stop += stop < 9 ? 1 : 5) {
        use("resume", stop);
        isg_run *run = begin(&how);
        size_t left = stop;
        const isg_progress progress = {count_down, &left};
        assert_int_equal(isg_run_train(run, LONG, &progress), ISG_ERR_CANCELLED);
        isg_run_close(run);
        write_file(in(path, "best.npz"), "ahead", 5); /* it must not be relied upon */
        run = resume(&how);
        outcome found;
        take(&found, run);
        assert_true(found.best_epoch <= found.epochs && found.epochs == stop / N_BATCHES);
        assert_ok(isg_run_train(run, LONG, NULL));
        take(&found, run);
        assert_memory_equal(&found, &expected, sizeof found);
        isg_run_close(run);
    }
}

/* More patience goes on from there; less is over at once. */
static void test_other_patience(void **state) {
    (void)state;
    isg_run_options how = options();
    use("patience", 0);
    isg_run *run = begin(&how);
    assert_ok(isg_run_train(run, LONG, NULL));
    isg_run_close(run);
    how.patience = PATIENCE + 2;
    run = resume(&how);
    assert_false(isg_run_describe(run).is_over);
    assert_ok(isg_run_train(run, expected.epochs + 1, NULL));
    assert_int_equal(isg_run_describe(run).state.epochs, expected.epochs + 1);
    isg_run_close(run);
    how.patience = 0;
    run = resume(&how);
    assert_ok(isg_run_train(run, expected.epochs + 4, NULL));
    assert_int_equal(isg_run_describe(run).state.epochs, expected.epochs + 4);
    isg_run_close(run);
    how.patience = 1;
    run = resume(&how);
    assert_true(isg_run_describe(run).is_over);
    isg_run_close(run);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void test_other_validation(void **state) {
    (void)state;
    isg_run_options how = options();
    isg_dataset *narrow = make_data(4, N - 1, 5), *strange = make_data(OTHERS, N, 78);
    isg_run *run = NULL;
    use("other", 0);
    assert_ok(isg_run_open(&run, path, true));
    how.validation = narrow;
    isg_rbm *rbm = start();
    assert_fails(isg_run_begin(run, "{}", rbm, data, &how), ISG_ERR_SHAPE, "expected 70 columns");
    how.validation = others;
    assert_ok(isg_run_begin(run, "{}", rbm, data, &how));
    assert_true(access(in(path, "best.npz"), F_OK) == 0);
    how.validation = strange;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_SHAPE, "other validation data");
    how.validation = NULL;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_SHAPE, "written with validation data");
    assert_ok(isg_run_begin(run, "{}", start(), data, &how)); /* which leaves no old best model */
    assert_true(access(in(path, "best.npz"), F_OK) != 0);
    assert_false(isg_run_describe(run).has_validation);
    how.validation = others;
    assert_fails(isg_run_resume(run, data, &how), ISG_ERR_SHAPE, "without validation data");
    isg_run_close(run);
    isg_dataset_free(narrow);
    isg_dataset_free(strange);
}

/* A checkpoint with one member replaced, its checksums right. */
static void test_damaged_members(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *sentence;
    } all[] = {
        {"best.W.npy", "npy(np.zeros((70, 4)))", "best.W"},
        {"best.W.npy", "npy(np.full((70, 5), np.inf))", "best.W"},
        {"best.W.npy", "npy(np.zeros(350))", "best.W"},
        {"best.b.npy", "npy(np.zeros((70, 1)))", "best.b"},
        {"best.c.npy", "npy(np.zeros(0))", "best.c"},
        {"best.c.npy", "None", "best.c"},
        {"validation.sha256", "b'0' * 64", "other validation data"},
        {"epochs.npy", "npy(np.zeros((1, 6)))", "epochs"},
        {"epochs.npy", "npy(np.array([[0, 0, 0, np.nan, np.nan, np.nan, np.nan, 0]]))", "epochs"},
    };
    const isg_run_options how = options();
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        char code[600];
        isg_run *run = NULL;
        use("members", k);
        isg_run_close(begin(&how));
        snprintf(code, sizeof code,
                 "import io, zipfile\n"
                 "def npy(x):\n"
                 "    f = io.BytesIO(); np.save(f, x); return f.getvalue()\n"
                 "old = zipfile.ZipFile('checkpoint-1.npz')\n"
                 "all = {n: old.read(n) for n in old.namelist()}\n"
                 "assert '%s' in all\n"
                 "all['%s'] = %s\n"
                 "with zipfile.ZipFile('checkpoint-1.npz', 'w') as new:\n"
                 "    for n, v in all.items():\n"
                 "        if v is not None: new.writestr(n, v)\n",
                 all[k].name, all[k].name, all[k].value);
        run_python(path, code);
        assert_ok(isg_run_open(&run, path, false));
        const isg_status status = isg_run_resume(run, data, &how);
        assert_true(status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE);
        assert_non_null(strstr(isg_error_message(), all[k].sentence));
        isg_run_close(run);
    }
}

static isg_status whole_run(void *user) {
    const isg_run_options how = options();
    isg_run *run = NULL;
    isg_rbm *rbm = NULL;
    (void)user;
    isg_status status = isg_rbm_start_normal(&rbm, N, P, 1, 0.05, 1);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures_are_exact),
        cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_missing_values_are_resumed),
        cmocka_unit_test(test_best_epoch),
        cmocka_unit_test(test_resumed_anywhere),
        cmocka_unit_test(test_other_patience),
        cmocka_unit_test(test_other_validation),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_damaged_members),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
