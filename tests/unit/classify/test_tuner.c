/* test_tuner.c - fine-tuning: gradients by finite differences, updates, refusals
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "classify/tuner.h"
#include "helper_allocation.h"
#include "helper_experts.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "helper_tuner.h"
#include "sample/sample.h"

/* ---- gradients ---------------------------------------------------------------------------------- */

/* The mean loss of the mini-batch, from W, M and intercepts as they are in the model, in the plainest
   way. */
static double plain_loss(const isg_tuner *tuner) {
    const isg_feature_map *map = &tuner->model->map;
    const isg_logistic *model = tuner->model->logistic;
    double sum = 0;
    for (size_t a = 0; a < tuner->count; a++) {
        const size_t row = tuner->order[a];
        double z[TUNER_HIDDEN] = {0}, u[CLASS_COUNT], total = 0;
        for (size_t k = 0; k < map->n_rbms; k++) {
            double energy = 0;
            for (size_t mu = map->starts[k]; mu < map->starts[k + 1]; mu++) {
                double h = map->c[mu];
                for (size_t i = 0; i < map->n_visible; i++)
                    h += map->weights[i * map->n_hidden + mu] *
                         isg_spin(isg_dataset_spins(tuner->data, row), i);
                energy += h * h - map->c[mu] * map->c[mu];
                z[mu] = map->kind == ISG_FEATURES_HIDDEN ? h : h * h;
            }
            for (size_t i = 0; i < map->n_visible; i++)
                energy += 2 * map->b[k * map->n_visible + i] *
                          isg_spin(isg_dataset_spins(tuner->data, row), i);
            if (map->kind == ISG_FEATURES_ENERGY)
                z[k] = energy;
        }
        for (size_t k = 0; k < CLASS_COUNT; k++) {
            u[k] = model->intercepts[k];
            for (size_t j = 0; j < model->n_features; j++)
                u[k] += model->coefficients[k * model->n_features + j] * z[j] / tuner->scale;
            total += exp(u[k]);
        }
        sum += tuner->class_weights[tuner->truth[row]] * (log(total) - u[tuner->truth[row]]);
    }
    return sum / (double)tuner->count;
}

/* How far the gradient is from finite differences, relative to its largest entry. */
static double gradient_error(const isg_tuner *tuner, double *values, size_t count, double step,
                             double (*gradient)(const isg_tuner *, size_t)) {
    double largest = 0, error = 0;
    for (size_t k = 0; k < count; k++) {
        const double value = values[k];
        values[k] = value + step;
        const double up = plain_loss(tuner);
        values[k] = value - step;
        const double down = plain_loss(tuner);
        values[k] = value;
        const double expected = (up - down) / (2 * step);
        largest = fmax(largest, fabs(expected));
        error = fmax(error, fabs(gradient(tuner, k) - expected));
    }
    assert_true(largest > 1e-6);
    return error / largest;
}

static double of_weight(const isg_tuner *tuner, size_t k) {
    const isg_gibbs_weights *w = &tuner->model->map.packed;
    return tuner->sums[k / w->n_hidden * w->stride + k % w->n_hidden] / (double)tuner->count;
}

static double of_coefficient(const isg_tuner *tuner, size_t k) {
    const size_t n = tuner->model->logistic->n_features;
    return tuner->class_sums[k / n * (n + 1) + k % n] / (double)tuner->count;
}

static double of_intercept(const isg_tuner *tuner, size_t k) {
    const size_t n = tuner->model->logistic->n_features;
    return tuner->class_sums[k * (n + 1) + n] / (double)tuner->count;
}

/* Weights as the kernel has them, for the plain loss to be that of the same machine. */
static void round_weights(isg_feature_map *map) {
    for (size_t k = 0; k < map->n_visible * map->n_hidden; k++)
        map->weights[k] =
            rint(map->weights[k] / (double)map->packed.unit) * (double)map->packed.unit;
    assert_ok(isg_feature_map_pack(map));
}

static void test_gradients(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    for (isg_features kind = ISG_FEATURES_ENERGY; kind <= ISG_FEATURES_SQUARES; kind++) {
        isg_classifier *start = tuner_start(kind);
        isg_tune_options options = tuner_options();
        isg_tuner *tuner = NULL;
        options.balanced = true;
        options.batch_size = 70; /* more than the kernel adds at a time */
        assert_ok(isg_tuner_create(&tuner, start, data, &options));
        round_weights(&tuner->model->map);
        const isg_logistic *model = tuner->model->logistic;
        isg_tuner_begin(tuner);
        isg_tuner_look(tuner, (isg_rows){0, 30}); /* in two parts */
        isg_tuner_look(tuner, (isg_rows){30, tuner->count});
        for (size_t panel = 0; panel < tuner->model->map.packed.panels; panel++)
            isg_tuner_sum_panel(tuner, panel);
        for (size_t k = 0; k < CLASS_COUNT; k++)
            isg_tuner_sum_class(tuner, k);
        const size_t n_weights = CLASS_UNITS * tuner->model->map.n_hidden;
        assert_true(gradient_error(tuner, tuner->model->map.weights, n_weights, 1e-5, of_weight) <
                    1e-6);
        assert_true(gradient_error(tuner, model->coefficients, CLASS_COUNT * model->n_features,
                                   1e-4, of_coefficient) < 1e-6);
        assert_true(gradient_error(tuner, model->intercepts, CLASS_COUNT, 1e-4, of_intercept) <
                    1e-6);
        double loss = 0;
        for (size_t a = 0; a < tuner->count; a++)
            loss += tuner->losses[a] / (double)tuner->count;
        assert_true(fabs(loss - plain_loss(tuner)) < 1e-9);
        isg_tuner_free(tuner);
        isg_classifier_free(start);
    }
    isg_dataset_free(data);
}

/* ---- updates ------------------------------------------------------------------------------------ */

static void copy_adam(isg_adam *to, const isg_adam *from, size_t count) {
    memcpy(to->values, from->values, count * sizeof(double));
    memcpy(to->first, from->first, count * sizeof(double));
    memcpy(to->second, from->second, count * sizeof(double));
}

/* The steps of all updates by hand: what the rates are, and that W, M and intercepts follow their own
   gradients. The last of an epoch has 15 samples in place of 20. */
static void test_updates(void **state) {
    (void)state;
    const isg_tune_options options = tuner_options();
    isg_dataset *data = make_classes(1);
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL, *twin = NULL;
    assert_ok(isg_tuner_create(&tuner, start, data, &options));
    assert_ok(isg_tuner_create(&twin, start, data, &options));
    const double all = (double)(options.epochs * tuner->state.n_batches);
    assert_int_equal(tuner->state.n_batches, 4);
    for (size_t t = 0; t < (size_t)all; t++) {
        const double share = (t % 4 == 3 ? 0.75 : 1) * (1 - (double)t / all);
        const isg_adam_step step = isg_adam_step_of(options.rate * share, t + 1);
        const isg_adam_step logits = isg_adam_step_of(options.logits_rate * share, t + 1);
        const size_t p = twin->model->map.n_hidden, n = twin->model->logistic->n_features;
        isg_tuner_begin(twin);
        isg_tuner_look(twin, (isg_rows){0, twin->count});
        for (size_t panel = 0; panel < twin->model->map.packed.panels; panel++)
            isg_tuner_sum_panel(twin, panel);
        for (size_t i = 0; i < CLASS_UNITS; i++)
            isg_adam_move(&step, &twin->now.weights, &twin->next.weights, i * p, p,
                          twin->sums + i * twin->model->map.packed.stride, 1 / (double)twin->count);
        for (size_t k = 0; k < CLASS_COUNT; k++) {
            isg_tuner_sum_class(twin, k);
            isg_adam_move(&logits, &twin->now.coefficients, &twin->next.coefficients, k * n, n,
                          twin->class_sums + k * (n + 1), 1 / (double)twin->count);
            isg_adam_move(&logits, &twin->now.intercepts, &twin->next.intercepts, k, 1,
                          twin->class_sums + k * (n + 1) + n, 1 / (double)twin->count);
        }
        copy_adam(&twin->now.weights, &twin->next.weights, CLASS_UNITS * p);
        copy_adam(&twin->now.coefficients, &twin->next.coefficients, CLASS_COUNT * n);
        copy_adam(&twin->now.intercepts, &twin->next.intercepts, CLASS_COUNT);
        assert_ok(isg_feature_map_pack(&twin->model->map));
        twin->state.batch = (t + 1) % 4;
        twin->state.epochs = (t + 1) / 4;
        assert_ok(isg_tuner_advance(tuner, 1, NULL));
        assert_same_tuned(tuner, twin);
    }
    assert_fails(isg_tuner_epoch(tuner, NULL), ISG_ERR_ARGUMENT, "all 3 epochs");
    isg_tuner_free(tuner);
    isg_tuner_free(twin);
    isg_classifier_free(start);
    isg_dataset_free(data);
}

static double mean_loss(const isg_classifier *classifier, const isg_dataset *data) {
    double p[CLASS_SAMPLES * CLASS_COUNT], sum = 0;
    uint32_t truth[CLASS_SAMPLES];
    assert_ok(isg_classifier_truth(classifier, data, truth));
    assert_ok(isg_classifier_predict(classifier, data, NULL,
                                     (isg_matd){p, CLASS_SAMPLES, CLASS_COUNT, CLASS_COUNT}, NULL));
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        sum -= log(p[a * CLASS_COUNT + truth[a]]);
    return sum / CLASS_SAMPLES;
}

/* It starts as what it starts from, learns, and what it makes is a classifier like others. */
static void test_learns(void **state) {
    (void)state;
    isg_tune_options options = tuner_options();
    isg_dataset *data = make_classes(1);
    for (isg_features kind = ISG_FEATURES_ENERGY; kind <= ISG_FEATURES_SQUARES; kind++) {
        isg_classifier *start = tuner_start(kind), *made = NULL, *again = NULL;
        isg_tuner *tuner = NULL;
        options.epochs = 30;
        options.rate = 3e-3;
        assert_ok(isg_tuner_create(&tuner, start, data, &options));
        assert_ok(isg_tuner_classifier(&made, tuner));
        const double before = mean_loss(start, data);
        assert_true(fabs(mean_loss(made, data) - before) < 1e-9);
        assert_true(isg_classifier_describe(made).tuned_epochs == 0);
        isg_classifier_free(made);
        assert_true(isnan(isg_tuner_describe(tuner).loss));
        for (size_t epoch = 0; epoch < options.epochs; epoch++)
            assert_ok(isg_tuner_epoch(tuner, NULL));
        const isg_tuner_info info = isg_tuner_describe(tuner);
        assert_true(info.state.epochs == 30 && info.loss < 0.5 * before && info.error < 0.1);
        assert_ok(isg_tuner_classifier(&made, tuner));
        assert_true(mean_loss(made, data) < 0.5 * before);
        assert_ok(isg_classifier_save(made, in(directory, "tuned.npz"), 1, NULL));
        assert_ok(isg_classifier_load(&again, in(directory, "tuned.npz")));
        assert_true(mean_loss(made, data) == mean_loss(again, data));
        const isg_classifier_info a = isg_classifier_describe(made);
        const isg_classifier_info b = isg_classifier_describe(again);
        assert_true(a.tuned_epochs == 30 && b.tuned_epochs == 30 && b.features == kind);
        assert_true(b.tuned.epochs == 30 && b.tuned.batch_size == 20 && b.tuned.rate == 3e-3);
        assert_true(b.tuned.logits_rate == options.logits_rate && b.tuned.seed == options.seed);
        assert_true(b.tuned.shift == 0 && !b.tuned.balanced);
        isg_classifier_free(made);
        isg_classifier_free(again);
        isg_tuner_free(tuner);
        isg_classifier_free(start);
    }
    isg_dataset_free(data);
}

static isg_tuner *finished(const isg_dataset *data, const isg_tune_options *options) {
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL;
    assert_ok(isg_tuner_create(&tuner, start, data, options));
    isg_classifier_free(start); /* it was copied */
    tuner->thread_products = 1; /* as many threads as there may be */
    for (size_t epoch = 0; epoch < options->epochs; epoch++)
        assert_ok(isg_tuner_epoch(tuner, NULL));
    return tuner;
}

static void test_same_bits_everywhere(void **state) {
    (void)state;
    isg_tune_options options = tuner_options();
    isg_dataset *data = make_classes(1);
    make_images(data);
    options.shift = 2;
    isg_set_threads(1);
    isg_tuner *one = finished(data, &options);
    static const char *const sets[] = {"ref", "baseline", "best"};
    for (size_t k = 0; k < 3; k++) {
        isg_set_threads(2 + 5 * k);
        assert_ok(isg_set_isa(sets[k]));
        isg_tuner *other = finished(data, &options);
        assert_same_tuned(one, other);
        assert_true(one->loss_sum == other->loss_sum && one->wrong == other->wrong);
        isg_tuner_free(other);
    }
    isg_set_threads(0);
    options.seed++;
    isg_tuner *other = finished(data, &options);
    assert_memory_not_equal(one->model->map.weights, other->model->map.weights,
                            CLASS_UNITS * sizeof(double));
    isg_tuner_free(other);
    isg_tuner_free(one);
    isg_dataset_free(data);
}

/* ---- shifts ------------------------------------------------------------------------------------- */

/* Every sample of a batch is a moved copy, by the pixels that its random numbers name; and all moves
   come about. */
static void test_shifts(void **state) {
    (void)state;
    isg_tune_options options = tuner_options();
    isg_dataset *data = make_classes(1);
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL;
    size_t found[9] = {0};
    make_images(data);
    options.shift = 1;
    options.batch_size = CLASS_SAMPLES;
    options.epochs = 8;
    assert_ok(isg_tuner_create(&tuner, start, data, &options));
    for (size_t epoch = 0; epoch < options.epochs; epoch++) {
        assert_ok(isg_tuner_epoch(tuner, NULL));
        const isg_stream stream = isg_stream_at(options.seed, ISG_PURPOSE_SHIFT, epoch, 0);
        for (size_t a = 0; a < CLASS_SAMPLES; a++) {
            const size_t row = tuner->order[a];
            const uint64_t *moved = tuner->spins + a * data->words;
            uint32_t words[2];
            isg_stream_words(&stream, 2 * row, 2, words);
            const ptrdiff_t down = (ptrdiff_t)((double)words[0] * 0x1p-32 * 3) - 1;
            const ptrdiff_t right = (ptrdiff_t)((double)words[1] * 0x1p-32 * 3) - 1;
            found[(down + 1) * 3 + right + 1]++;
            for (ptrdiff_t y = 0; y < 7; y++)
                for (ptrdiff_t x = 0; x < 10; x++) {
                    const bool is_inside =
                        y - down >= 0 && y - down < 7 && x - right >= 0 && x - right < 10;
                    const size_t from = is_inside ? (size_t)((y - down) * 10 + x - right) : 0;
                    const bool expected = is_inside && isg_bit(isg_dataset_spins(data, row), from);
                    assert_true(isg_bit(moved, (size_t)(y * 10 + x)) == expected);
                }
        }
    }
    for (size_t k = 0; k < 9; k++) /* 67 of each are expected, with a deviation of 7.7 */
        assert_true(found[k] > 30 && found[k] < 105);
    isg_tuner_free(tuner);
    isg_classifier_free(start);
    isg_dataset_free(data);
}

/* ---- refusals ----------------------------------------------------------------------------------- */

static void refuse(const isg_dataset *data, const isg_tune_options *options, isg_status status,
                   const char *part) {
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL;
    assert_fails(isg_tuner_create(&tuner, start, data, options), status, part);
    assert_null(tuner);
    isg_classifier_free(start);
}

static void test_refusals(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1), *other = NULL;
    isg_tune_options options = tuner_options();
    options.epochs = 0;
    refuse(data, &options, ISG_ERR_ARGUMENT, "epochs");
    options = tuner_options();
    options.batch_size = 0;
    refuse(data, &options, ISG_ERR_ARGUMENT, "batch_size");
    options = tuner_options();
    options.rate = -1;
    refuse(data, &options, ISG_ERR_ARGUMENT, "rate");
    options = tuner_options();
    options.logits_rate = (double)NAN;
    refuse(data, &options, ISG_ERR_ARGUMENT, "logits_rate");
    options = tuner_options();
    options.shift = 1;
    refuse(data, &options, ISG_ERR_ARGUMENT, "not images");
    make_images(data);
    options.shift = 7;
    refuse(data, &options, ISG_ERR_ARGUMENT, "7 x 10");
    options = tuner_options();
    data->labels.index[3] = ISG_UNLABELLED;
    refuse(data, &options, ISG_ERR_ARGUMENT, "row 3 has no label");
    data->labels.index[3] = 0;
    assert_ok(ISG_ALLOCATE_MATRIX(data->missing, CLASS_SAMPLES, data->words));
    refuse(data, &options, ISG_ERR_UNSUPPORTED, "missing");
    isg_dataset_free(data);
    const int8_t spins[] = {1, 0, 0, 1};
    assert_ok(isg_dataset_create(&other, 2, 2, spins, (const int64_t[]){3, 11}));
    refuse(other, &options, ISG_ERR_SHAPE, "2 units");
    isg_dataset_free(other);
    static int8_t wide[2 * CLASS_UNITS];
    assert_ok(isg_dataset_create(&other, 2, CLASS_UNITS, wide, (const int64_t[]){3, 4}));
    refuse(other, &options, ISG_ERR_ARGUMENT, "class '4'");
    isg_dataset_free(other);
}

/* The last good state is kept. */
static void test_divergence(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY), *before = NULL, *after = NULL;
    for (int which = 0; which < 2; which++) {
        isg_tune_options options = tuner_options();
        isg_tuner *tuner = NULL;
        *(which ? &options.logits_rate : &options.rate) = 1e200;
        assert_ok(isg_tuner_create(&tuner, start, data, &options));
        assert_ok(isg_tuner_classifier(&before, tuner));
        assert_fails(isg_tuner_epoch(tuner, NULL), ISG_ERR_DIVERGED,
                     "diverged in update 1 of epoch 1");
        assert_ok(isg_tuner_classifier(&after, tuner));
        assert_true(mean_loss(before, data) == mean_loss(after, data));
        assert_true(tuner->state.updates == 0);
        isg_tuner_begin(tuner);
        isg_tuner_look(tuner, (isg_rows){0, tuner->count});
        assert_true(fabs(tuner->losses[0]) < 100); /* the kernels see it, too */
        isg_classifier_free(before);
        isg_classifier_free(after);
        isg_tuner_free(tuner);
    }
    isg_classifier_free(start);
    isg_dataset_free(data);
}

static void test_cancelling(void **state) {
    (void)state;
    const isg_tune_options options = tuner_options();
    isg_dataset *data = make_classes(1);
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    isg_tuner *tuner = NULL, *whole = finished(data, &options);
    patience few = {.last_call = 2}, all = {0};
    const isg_progress in_vain = {lose_patience, &few}, to_the_end = {lose_patience, &all};
    assert_ok(isg_tuner_create(&tuner, start, data, &options));
    assert_fails(isg_tuner_epoch(tuner, &in_vain), ISG_ERR_CANCELLED, "epoch 1");
    assert_true(tuner->state.updates == 2 && isnan(isg_tuner_describe(tuner).error));
    assert_ok(isg_tuner_epoch(tuner, &to_the_end));
    assert_true(all.calls == 2 && all.fraction == 1);
    while (tuner->state.epochs < options.epochs)
        assert_ok(isg_tuner_epoch(tuner, NULL));
    assert_same_tuned(tuner, whole);
    isg_tuner_free(tuner);
    isg_tuner_free(whole);
    isg_classifier_free(start);
    isg_dataset_free(data);
}

static isg_status all_of_it(void *user) {
    isg_dataset *data = user;
    isg_tune_options options = tuner_options();
    isg_classifier *start = NULL, *made = NULL;
    isg_tuner *tuner = NULL, *again = NULL;
    isg_status status = ISG_OK;
    options.shift = 1;
    ISG_TRY(isg_classifier_load(&start, in(directory, "start.npz")));
    ISG_TRY_GOTO(isg_tuner_create(&tuner, start, data, &options));
    ISG_TRY_GOTO(isg_tuner_epoch(tuner, NULL));
    ISG_TRY_GOTO(isg_tuner_save(tuner, in(directory, "m.npz")));
    ISG_TRY_GOTO(isg_tuner_load(&again, in(directory, "m.npz"), data, &options));
    ISG_TRY_GOTO(isg_tuner_classifier(&made, again));
done:
    isg_classifier_free(start);
    isg_classifier_free(made);
    isg_tuner_free(tuner);
    isg_tuner_free(again);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    isg_classifier *start = tuner_start(ISG_FEATURES_ENERGY);
    make_images(data);
    assert_ok(isg_classifier_save(start, in(directory, "start.npz"), 1, NULL));
    isg_set_threads(1);
    assert_true(sweep_allocations(all_of_it, data) > 100);
    isg_set_threads(0);
    isg_classifier_free(start);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),  cmocka_unit_test(test_updates),
        cmocka_unit_test(test_learns),     cmocka_unit_test(test_same_bits_everywhere),
        cmocka_unit_test(test_shifts),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_divergence), cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
