/* test_train.c - training: the same bytes however it runs, refusals, divergence, memory
 *
 * SPDX-License-Identifier: MIT
 *
 * What an update should be is the matter of test_train_exact.c.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "rbm.h"

/* Two words to a row, a panel that is not full, a last batch that is not full. */
enum { N = 70, P = 5, SAMPLES = 21, BATCH = 8, SWEEPS = 3 };

static const isg_rate rates[] = {{0.02, 0}, {0.005, 1}};

static isg_dataset *make_data(size_t n_samples) {
    int8_t *spins = malloc(n_samples * N);
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0));
    assert_non_null(spins);
    for (size_t k = 0; k < n_samples * N; k++)
        spins[k] = isg_next_below(&random, 3) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, n_samples, N, spins, NULL));
    free(spins);
    return data;
}

static isg_rbm *make_rbm(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 1.5, 0.2, 7));
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = 0.1 * sin((double)i);
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = 0.2 * cos((double)mu);
    return rbm;
}

static isg_train_options small_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = SWEEPS;
    options.rates = rates;
    options.n_rates = 2;
    return options;
}

/* Everything that training can change. */
typedef struct result {
    double weights[N * P], b[N], c[P];
    isg_epoch_report report;
} result;

static void take(result *out, const isg_rbm *rbm) {
    memset(out, 0, sizeof *out);
    memcpy(out->weights, rbm->weights, sizeof out->weights);
    memcpy(out->b, rbm->b, sizeof out->b);
    memcpy(out->c, rbm->c, sizeof out->c);
}

static void train(result *out, const isg_dataset *data, const isg_train_options *options,
                  size_t epochs) {
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_epoch_report report = {0};
    assert_ok(isg_trainer_create(&trainer, rbm, data, options));
    for (size_t k = 0; k < epochs; k++)
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
    take(out, rbm);
    out->report = report;
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

/* ---- the same bytes -------------------------------------------------------------------------------- */

enum { KINDS = 16 };

/* Every combination of estimator, chains, fields and order. */
static isg_train_options kind_of_training(size_t kind) {
    isg_train_options options = small_options();
    options.estimator = kind & 1 ? ISG_ESTIMATOR_MEAN : ISG_ESTIMATOR_SAMPLED;
    options.persistent = kind >> 1 & 1;
    options.fields = kind >> 2 & 1;
    options.shuffle = kind >> 3 & 1;
    return options;
}

static void test_threads_and_instructions_do_not_matter(void **state) {
    (void)state;
    static result results[KINDS];
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const isg_train_options options = kind_of_training(kind);
        assert_ok(isg_set_isa("ref"));
        isg_set_threads(1);
        train(&results[kind], data, &options, 2);
        for (size_t isa = 0; isg_isa_name(isa); isa++)
            for (size_t run = 0; run < 4; run++) {
                /* each once in a while; in the last kind, which has it all, every one */
                if ((kind != KINDS - 1 && (kind + isa) % 4 != run) ||
                    isg_set_isa(isg_isa_name(isa)) != ISG_OK)
                    continue;
                result found;
                isg_set_threads((size_t[]){1, 2, 3, 7}[run]);
                train(&found, data, &options, 2);
                assert_memory_equal(&found, &results[kind], sizeof found);
            }
        for (size_t other = 0; other < kind; other++) /* and every option does something */
            assert_memory_not_equal(results[kind].weights, results[other].weights,
                                    sizeof results[kind].weights);
    }
    assert_ok(isg_set_isa(NULL));
    isg_set_threads(1);
    isg_dataset_free(data);
}

static void test_seed_and_sweeps_matter(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    result first, other;
    train(&first, data, &options, 1);
    options.seed = 2;
    train(&other, data, &options, 1);
    assert_memory_not_equal(first.weights, other.weights, sizeof first.weights);
    options.seed = 1;
    options.gibbs_steps++;
    train(&other, data, &options, 1);
    assert_memory_not_equal(first.weights, other.weights, sizeof first.weights);
    /* The first sweep is the same one; only what came of it in later batches is not. */
    options.batch_size = SAMPLES;
    train(&first, data, &options, 1);
    options.gibbs_steps = 1;
    train(&other, data, &options, 1);
    assert_true(first.report.reconstruction_error == other.report.reconstruction_error);
    isg_dataset_free(data);
}

static void test_fields_stay_unless_trained(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rbm *rbm = make_rbm();
    result before, after;
    take(&before, rbm);
    train(&after, data, &options, 1);
    assert_memory_equal(before.b, after.b, sizeof before.b);
    assert_memory_equal(before.c, after.c, sizeof before.c);
    options.fields = true;
    train(&after, data, &options, 1);
    for (size_t mu = 0; mu < P; mu++)
        assert_true(before.c[mu] != after.c[mu]);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* Two shuffled epochs visit the samples as one of the data in both orders, one after the other. */
static void test_order_of_samples(void **state) {
    (void)state;
    enum { WHOLE = 4 * BATCH };
    isg_dataset *data = make_data(WHOLE), *twice = NULL;
    isg_train_options options = small_options();
    size_t order[2 * WHOLE];
    result shuffled, in_order;
    options.shuffle = true;
    options.n_rates = 1;
    train(&shuffled, data, &options, 2);
    for (size_t epoch = 0; epoch < 2; epoch++)
        isg_dataset_shuffle(data, options.seed, epoch, order + epoch * WHOLE);
    assert_memory_not_equal(order, order + WHOLE, WHOLE * sizeof *order);
    assert_ok(isg_dataset_select(&twice, data, order, 2 * WHOLE));
    options.shuffle = false;
    train(&in_order, twice, &options, 1);
    assert_memory_equal(shuffled.weights, in_order.weights, sizeof shuffled.weights);
    isg_dataset_free(twice);
    isg_dataset_free(data);
}

/* A batch that exceeds the data is all of it; unlike persistent chains, it has no other meaning. */
static void test_batch_larger_than_data(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    result exact, larger;
    options.batch_size = SAMPLES;
    train(&exact, data, &options, 2);
    options.batch_size = 100 * SAMPLES;
    train(&larger, data, &options, 2);
    assert_int_equal(larger.report.updates, 2);
    assert_memory_equal(exact.weights, larger.weights, sizeof exact.weights);
    isg_dataset_free(data);
}

/* ---- one step at a time ---------------------------------------------------------------------------- */

static void test_counts(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    const isg_train_options options = small_options();
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_epoch_report report;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    isg_train_state at = isg_trainer_describe(trainer);
    assert_true(at.epochs == 0 && at.updates == 0 && at.batch == 0 && at.n_batches == 3);
    for (size_t k = 0; k < 2; k++)
        assert_ok(isg_trainer_update(trainer));
    at = isg_trainer_describe(trainer);
    assert_true(at.epochs == 0 && at.updates == 2 && at.batch == 2);
    assert_ok(isg_trainer_epoch(trainer, &report, NULL)); /* what is left of it */
    assert_true(report.epoch == 1 && report.updates == 3 && report.rate == 0.02);
    assert_true(report.reconstruction_error > 0 && report.reconstruction_error < 0.6);
    result whole, steps;
    take(&steps, rbm);
    steps.report = report;
    train(&whole, data, &options, 1);
    assert_memory_equal(&whole, &steps, sizeof whole);
    assert_ok(isg_trainer_epoch(trainer, &report, NULL));
    assert_true(report.epoch == 2 && report.updates == 6 && report.rate == 0.005);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* Twice the rate moves the weights twice as far, from its epoch on. */
static void test_rates(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rate slow[] = {{0.01, 0}, {0.001, 1}}, fast[] = {{0.01, 0}, {0.002, 1}};
    result one, two, after[2];
    options.batch_size = SAMPLES;
    options.rates = slow;
    train(&one, data, &options, 1);
    train(&after[0], data, &options, 2);
    options.rates = fast;
    train(&two, data, &options, 1);
    train(&after[1], data, &options, 2);
    assert_memory_equal(&one, &two, sizeof one);
    for (size_t k = 0; k < N * P; k++) {
        const double step = after[0].weights[k] - one.weights[k];
        assert_true(fabs(after[1].weights[k] - one.weights[k] - 2 * step) < 1e-15);
        assert_true(fabs(step) < 0.001 * 20);
    }
    isg_dataset_free(data);
}

typedef struct stopper {
    size_t calls, stop_at;
    double last;
} stopper;

static bool count_calls(void *user, double fraction) {
    stopper *count = user;
    assert_true(fraction > count->last && fraction <= 1);
    count->last = fraction;
    return ++count->calls != count->stop_at;
}

static void test_cancelling(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    const isg_train_options options = small_options();
    result whole, parts;
    train(&whole, data, &options, 1);
    for (size_t stop_at = 1; stop_at <= 3; stop_at++) {
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        stopper count = {.stop_at = stop_at};
        const isg_progress progress = {count_calls, &count};
        isg_epoch_report report = {0};
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        if (stop_at < 3) {
            assert_fails(isg_trainer_epoch(trainer, &report, &progress), ISG_ERR_CANCELLED,
                         "epoch 1");
            assert_int_equal(report.updates, 0);
        }
        assert_ok(isg_trainer_epoch(trainer, &report, &progress)); /* the end is not to be missed */
        assert_true(count.calls == 3 && count.last == 1);
        take(&parts, rbm);
        parts.report = report;
        assert_memory_equal(&whole, &parts, sizeof whole);
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* ---- what stays put is not changed ----------------------------------------------------------------- */

/* Spins that practically never flip, all samples alike: paired with their means, the data and the
   chains cancel to the last bit. Hidden units drawn in the positive phase would show. */
static void test_frozen_data_change_nothing(void **state) {
    (void)state;
    int8_t spins[SAMPLES * N];
    isg_dataset *data = NULL;
    isg_rbm *rbm = NULL;
    memset(spins, 1, sizeof spins);
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    assert_ok(isg_rbm_create(&rbm, N, 1, 10));
    for (size_t i = 0; i < N; i++)
        rbm->weights[i] = 1 + (double)i / 7;
    rbm->c[0] = 1.0 / 3;
    isg_train_options options = small_options();
    options.fields = true;
    for (int kind = 0; kind < 4; kind++) {
        double before[N];
        isg_trainer *trainer = NULL;
        isg_epoch_report report;
        options.estimator = kind & 1 ? ISG_ESTIMATOR_SAMPLED : ISG_ESTIMATOR_MEAN;
        options.persistent = kind >> 1;
        memcpy(before, rbm->weights, sizeof before);
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
        assert_true(report.reconstruction_error == 0);
        if (kind == 0) {
            assert_memory_equal(before, rbm->weights, sizeof before);
            assert_true(rbm->c[0] == 1.0 / 3);
        }
        for (size_t i = 0; i < N; i++)
            assert_true(rbm->b[i] == 0 && fabs(rbm->weights[i] - before[i]) < 0.1);
        if (options.estimator == ISG_ESTIMATOR_SAMPLED)
            assert_true(rbm->weights[0] != before[0]);
        isg_trainer_free(trainer);
    }
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* ---- refusals and divergence ----------------------------------------------------------------------- */

static void test_refusals(void **state) {
    (void)state;
    const isg_rate bad[] = {{0, 0}, {-1, 0}, {(double)NAN, 0}, {HUGE_VAL, 0}, {1, 1}};
    const isg_rate falling[] = {{1, 0}, {1, 3}, {1, 3}};
    isg_dataset *data = make_data(SAMPLES), *narrow = NULL;
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_train_options options = small_options();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        options.rates = bad + k;
        options.n_rates = 1;
        assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                     k < 4 ? "rates: expected a positive" : "from epoch 0, found 1");
    }
    options.rates = falling;
    options.n_rates = 3;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "ascending epochs, found 3 after 3");
    options.n_rates = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "found none");
    options = small_options();
    options.batch_size = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "batch_size: expected 1 to 2^31 samples, found 0");
    options.batch_size = SIZE_MAX;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "batch_size");
    options = small_options();
    options.gibbs_steps = 0;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT,
                 "gibbs_steps: expected 1 to 2^31 sweeps, found 0");
    options = small_options();
    options.estimator = (isg_estimator)2;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_ARGUMENT, "estimator");
    options = small_options();
    assert_ok(isg_dataset_create(&narrow, 1, 3, (const int8_t[]){1, -1, 1}, NULL));
    assert_fails(isg_trainer_create(&trainer, rbm, narrow, &options), ISG_ERR_SHAPE,
                 "data: expected 70 columns, as the RBM has visible units, found 3");
    rbm->weights[3] = (double)NAN;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), ISG_ERR_DIVERGED, "unit 3");
    assert_null(trainer);
    isg_trainer_free(NULL);
    isg_rbm_free(rbm);
    isg_dataset_free(narrow);
    isg_dataset_free(data);
}

static void test_defaults(void **state) {
    (void)state;
    const isg_train_options options = isg_train_defaults();
    assert_true(options.batch_size == 100 && options.gibbs_steps == 20 && options.seed == 1);
    assert_true(options.n_rates == 1 && options.rates[0].rate == 1e-4);
    assert_true(options.rates[0].from_epoch == 0 && options.estimator == ISG_ESTIMATOR_SAMPLED);
    assert_true(!options.persistent && !options.fields && !options.shuffle);
}

/* Good updates, then one that diverges; it leaves everything as it was, chains included. */
static void test_divergence_changes_nothing(void **state) {
    (void)state;
    const isg_rate last_too_fast[] = {{0.01, 0}, {1e30, 1}};
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        result before, after;
        options.rates = last_too_fast;
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        take(&before, rbm);
        const isg_train_state at = isg_trainer_describe(trainer);
        char message[1024] = "";
        for (size_t attempt = 0; attempt < 2; attempt++) {
            assert_fails(isg_trainer_update(trainer), ISG_ERR_DIVERGED,
                         "diverged in update 1 of epoch 2: the weight");
            assert_non_null(strstr(isg_error_message(), "below 1e+30"));
            if (attempt > 0) /* the same draws from the same states */
                assert_string_equal(message, isg_error_message());
            strcpy(message, isg_error_message());
            take(&after, rbm);
            assert_memory_equal(&before, &after, sizeof before);
            const isg_train_state now = isg_trainer_describe(trainer);
            assert_memory_equal(&at, &now, sizeof at);
        }
        assert_fails(isg_trainer_epoch(trainer, NULL, NULL), ISG_ERR_DIVERGED, "epoch 2");
        isg_trainer_free(trainer);
        options.rates = rates; /* a slower training can take it from here */
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* Weights that grow by a factor a billion every update are noticed before they are infinite. */
static void test_divergence_is_noticed(void **state) {
    (void)state;
    const isg_rate too_fast = {1e9, 0};
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = make_rbm();
        isg_trainer *trainer = NULL;
        isg_status status = ISG_OK;
        options.rates = &too_fast;
        options.n_rates = 1;
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        for (size_t k = 0; k < 20 && status == ISG_OK; k++)
            status = isg_trainer_update(trainer);
        /* Spins without temperature may stop moving, and with them the weights. */
        if (status != ISG_OK)
            assert_int_equal(status, ISG_ERR_DIVERGED);
        else
            assert_true(options.estimator == ISG_ESTIMATOR_MEAN);
        for (size_t k = 0; k < N * P; k++)
            assert_true(isfinite(rbm->weights[k]));
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* ---- models ---------------------------------------------------------------------------------------- */

/* A mapped model keeps its patterns and R when W moves away from them, but is no longer extended. */
static void test_training_keeps_the_patterns(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    const isg_train_options options = small_options();
    const isg_mapping_options mapping = isg_mapping_defaults();
    assert_ok(isg_patterns_from_data(&patterns, data, NULL));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    const double *weights = isg_rbm_weights(rbm).data, first = weights[0];
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    assert_ptr_equal(weights, isg_rbm_weights(rbm).data);
    assert_true(weights[0] != first);
    assert_non_null(isg_rbm_patterns(rbm));
    assert_non_null(isg_rbm_coefficients(rbm).data);
    assert_fails(isg_rbm_append_pattern(rbm, isg_dataset_row(data, 0), NULL), ISG_ERR_ARGUMENT,
                 "via qr");
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

static void test_normal_start(void **state) {
    (void)state;
    enum { ROWS = 400, COLS = 50 };
    isg_rbm *rbm = NULL, *shorter = NULL, *other = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, ROWS, COLS, 2, 0.1, 3));
    double sum = 0, squares = 0, fourths = 0;
    for (size_t k = 0; k < ROWS * COLS; k++) {
        const double z = rbm->weights[k] / 0.1;
        sum += z;
        squares += z * z;
        fourths += z * z * z * z;
    }
    const double n = ROWS * COLS;
    assert_true(fabs(sum / n) < 5 / sqrt(n));
    assert_true(fabs(squares / n - 1) < 5 * sqrt(2 / n));  /* a variance of 0.1 gives 10 */
    assert_true(fabs(fourths / n - 3) < 5 * sqrt(96 / n)); /* uniform numbers give 1.8 */
    for (size_t i = 0; i < ROWS; i++)
        assert_true(rbm->b[i] == 0);
    assert_true(rbm->c[0] == 0 && rbm->info.beta == 2);
    assert_ok(isg_rbm_start_normal(&shorter, 3, COLS, 2, 0.1, 3));
    assert_memory_equal(shorter->weights, rbm->weights, 3 * COLS * sizeof(double));
    assert_ok(isg_rbm_start_normal(&other, 3, COLS, 2, 0.1, 4));
    assert_memory_not_equal(shorter->weights, other->weights, 3 * COLS * sizeof(double));
    isg_rbm_free(other);
    isg_rbm_free(shorter);
    isg_rbm_free(rbm);
    rbm = NULL;
    const double bad[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t k = 0; k < 4; k++)
        assert_fails(isg_rbm_start_normal(&rbm, 3, 2, 1, bad[k], 1), ISG_ERR_ARGUMENT,
                     "deviation: expected a positive number");
    assert_fails(isg_rbm_start_normal(&rbm, 3, 0, 1, 1, 1), ISG_ERR_ARGUMENT, "hidden unit");
    assert_fails(isg_rbm_start_normal(&rbm, 3, 2, 0, 1, 1), ISG_ERR_ARGUMENT, "beta");
    assert_null(rbm);
}

static void test_pca_start(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_rbm *rbm = NULL;
    double axes[N * P], variances[P];
    assert_ok(isg_pca(data, P, (isg_matd){axes, N, P, P}, variances));
    assert_ok(isg_rbm_start_pca(&rbm, data, P, 2));
    assert_memory_equal(axes, rbm->weights, sizeof axes);
    assert_true(rbm->info.beta == 2 && rbm->b[N - 1] == 0 && rbm->c[P - 1] == 0);
    isg_rbm_free(rbm);
    rbm = NULL;
    assert_fails(isg_rbm_start_pca(&rbm, data, N + 1, 2), ISG_ERR_ARGUMENT, "1 to 70 of them");
    assert_fails(isg_rbm_start_pca(&rbm, data, SAMPLES, 2), ISG_ERR_ARGUMENT, "directions");
    assert_null(rbm);
    isg_dataset_free(data);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

typedef struct long_run {
    const isg_dataset *data;
    isg_rbm *rbm;
    isg_train_options options;
    size_t epochs;
} long_run;

static isg_status run_epochs(void *user) {
    const long_run *plan = user;
    isg_trainer *trainer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_trainer_create(&trainer, plan->rbm, plan->data, &plan->options));
    for (size_t k = 0; k < plan->epochs && status == ISG_OK; k++)
        status = isg_trainer_epoch(trainer, NULL, NULL);
    isg_trainer_free(trainer);
    return status;
}

static isg_status start_models(void *user) {
    const long_run *plan = user;
    isg_rbm *rbm = NULL;
    ISG_TRY(isg_rbm_start_normal(&rbm, N, P, 1, 0.1, 1));
    isg_rbm_free(rbm);
    ISG_TRY(isg_rbm_start_pca(&rbm, plan->data, P, 1));
    isg_rbm_free(rbm);
    return ISG_OK;
}

static void test_only_creating_allocates(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    long_run plan = {.data = data, .rbm = make_rbm(), .options = kind_of_training(KINDS - 1)};
    const size_t to_create = sweep_allocations(run_epochs, &plan);
    assert_true(to_create > 10);
    plan.epochs = 2;
    assert_int_equal(sweep_allocations(run_epochs, &plan), to_create);
    assert_true(sweep_allocations(start_models, &plan) > 5);
    isg_rbm_free(plan.rbm);
    isg_dataset_free(data);
}

static void test_thousand_epochs_take_no_more_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data(2 * BATCH);
    long_run plan = {.data = data, .rbm = make_rbm(), .options = kind_of_training(KINDS - 1)};
    plan.options.gibbs_steps = 1;
    const size_t at_first = peak_allocation(run_epochs, &plan);
    plan.epochs = 1000;
    assert_int_equal(peak_allocation(run_epochs, &plan), at_first);
    isg_rbm_free(plan.rbm);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_instructions_do_not_matter),
        cmocka_unit_test(test_seed_and_sweeps_matter),
        cmocka_unit_test(test_fields_stay_unless_trained),
        cmocka_unit_test(test_order_of_samples),
        cmocka_unit_test(test_batch_larger_than_data),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_frozen_data_change_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_divergence_changes_nothing),
        cmocka_unit_test(test_divergence_is_noticed),
        cmocka_unit_test(test_training_keeps_the_patterns),
        cmocka_unit_test(test_normal_start),
        cmocka_unit_test(test_pca_start),
        cmocka_unit_test(test_only_creating_allocates),
        cmocka_unit_test(test_thousand_epochs_take_no_more_memory),
    };
    isg_set_threads(1); /* faster for so little work; one test tries others */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
