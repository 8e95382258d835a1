/* tuner.c - fine-tuning: backpropagation through the features of a classifier
 *
 * SPDX-License-Identifier: MIT
 *
 * An expert that is trained alone learns what its class looks like; what tells it from the others is
 * learned here. This file makes what that takes; tuner_gradient.c has the gradient of a mini-batch, adam.c
 * the step, tuner_update.c the training.
 */
#include "classify/tuner.h"

#include <math.h>

#include "base/memory.h"

/* ---- options ------------------------------------------------------------------------------------ */

isg_tune_options isg_tune_defaults(void) {
    return (isg_tune_options){
        .epochs = 12, .batch_size = 100, .rate = 1e-3, .logits_rate = 1e-2, .seed = 1};
}

static isg_status check_rate(const char *name, double rate) {
    return rate > 0 && isfinite(rate)
               ? ISG_OK
               : isg_fail(ISG_ERR_ARGUMENT, "%s: expected a positive learning rate, found %g", name,
                          rate);
}

isg_status isg_tune_check(const isg_tune_options *options) {
    const size_t most = (size_t)1 << 31;
    if (options->epochs == 0 || options->epochs > most)
        return isg_fail(ISG_ERR_ARGUMENT, "epochs: expected 1 to 2^31, found %zu", options->epochs);
    if (options->batch_size == 0 || options->batch_size > most)
        return isg_fail(ISG_ERR_ARGUMENT, "batch_size: expected 1 to 2^31 samples, found %zu",
                        options->batch_size);
    ISG_TRY(check_rate("rate", options->rate));
    return check_rate("logits_rate", options->logits_rate);
}

static isg_status check_data(const isg_classifier *start, const isg_dataset *data,
                             const isg_tune_options *options) {
    const isg_dataset_info *info = &data->info;
    if (info->n_visible != start->map.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the classifier expects %zu",
                        info->n_visible, start->map.n_visible);
    if (data->missing)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "values are missing, which fine-tuning cannot fill in; take the majority, "
                        "or impute them first");
    const bool is_image = info->image_height > 0 && info->image_width > 0;
    if (options->shift > 0 && !is_image)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "shift: the samples are not images that could be moved by %zu pixels; "
                        "tune without shifts",
                        options->shift);
    if (options->shift > 0 &&
        (options->shift >= info->image_height || options->shift >= info->image_width))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "shift: expected less than the size of the images, %zu x %zu, found %zu",
                        info->image_height, info->image_width, options->shift);
    return ISG_OK;
}

/* ---- create and free ---------------------------------------------------------------------------- */

/* The classes of the samples, and what each weighs. */
static isg_status take_labels(isg_tuner *tuner) {
    const size_t n_classes = tuner->model->classes.n_classes, n = tuner->data->info.n_samples;
    size_t *counts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(tuner->truth, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(tuner->class_weights, n_classes));
    ISG_TRY_GOTO(ISG_ALLOCATE(counts, n_classes));
    ISG_TRY_GOTO(isg_classifier_truth(tuner->model, tuner->data, tuner->truth));
    for (size_t a = 0; a < n; a++) {
        if (tuner->truth[a] == ISG_UNLABELLED)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                                  "row %zu has no label; leave such samples out to learn from", a));
        counts[tuner->truth[a]]++;
    }
    for (size_t k = 0; k < n_classes; k++)
        tuner->class_weights[k] = tuner->option.balanced && counts[k] > 0
                                      ? (double)n / ((double)n_classes * (double)counts[k])
                                      : 1;
done:
    isg_release(counts);
    return status;
}

/* The same exponents, of features that are divided by S alone. */
static void rescale(isg_logistic *model, double scale) {
    for (size_t k = 0; k < model->n_classes; k++)
        for (size_t j = 0; j < model->n_features; j++) {
            double *coefficient = model->coefficients + k * model->n_features + j;
            *coefficient /= model->scales[j];
            model->intercepts[k] -= *coefficient * model->means[j];
            *coefficient *= scale;
        }
    for (size_t j = 0; j < model->n_features; j++) {
        model->means[j] = 0;
        model->scales[j] = scale;
    }
}

/* Everything whose size depends on the data, the options and the model. */
static isg_status allocate(isg_tuner *tuner) {
    const isg_gibbs_weights *w = &tuner->model->map.packed;
    const size_t n_samples = tuner->data->info.n_samples, batch_size = tuner->option.batch_size;
    const size_t batch = batch_size < n_samples ? batch_size : n_samples;
    const size_t n_classes = tuner->model->logistic->n_classes;
    const size_t n_features = tuner->model->logistic->n_features;
    isg_tuned *const both[] = {&tuner->now, &tuner->next};
    for (size_t k = 0; k < 2; k++) {
        ISG_TRY(isg_adam_create(&both[k]->weights, w->n_visible, w->n_hidden));
        ISG_TRY(isg_adam_create(&both[k]->coefficients, n_classes, n_features));
        ISG_TRY(isg_adam_create(&both[k]->intercepts, n_classes, 1));
    }
    ISG_TRY(ISG_ALLOCATE(tuner->no_b, w->n_visible));
    ISG_TRY(ISG_ALLOCATE(tuner->no_c, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE(tuner->order, n_samples));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->spins, batch, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->input, batch, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->features, batch, n_features));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->residuals, batch, n_classes));
    ISG_TRY(ISG_ALLOCATE(tuner->losses, batch));
    ISG_TRY(ISG_ALLOCATE(tuner->is_wrong, batch));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->slopes, batch, n_features));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->pulls, batch, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(tuner->sums, w->panels * ISG_PANEL, w->stride));
    return ISG_ALLOCATE_MATRIX(tuner->class_sums, n_classes, n_features + 1);
}

/* The values of `now` are the model's own. */
static void share_values(isg_tuner *tuner) {
    tuner->now.weights.values = tuner->model->map.weights;
    tuner->now.coefficients.values = tuner->model->logistic->coefficients;
    tuner->now.intercepts.values = tuner->model->logistic->intercepts;
}

isg_status isg_tuner_make(isg_tuner **out, const isg_classifier *start, const isg_dataset *data,
                          const isg_tune_options *options) {
    isg_tuner *tuner = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_tune_check(options));
    ISG_TRY(check_data(start, data, options));
    ISG_TRY(ISG_ALLOCATE(tuner, 1));
    tuner->data = data;
    tuner->option = *options;
    tuner->thread_products = (size_t)1 << 25; /* a millisecond */
    ISG_TRY_GOTO(isg_classifier_copy(&tuner->model, start));
    share_values(tuner);
    tuner->scale = tuner->model->map.kind == ISG_FEATURES_HIDDEN
                       ? sqrt((double)data->info.n_visible)
                       : (double)data->info.n_visible;
    ISG_TRY_GOTO(take_labels(tuner));
    ISG_TRY_GOTO(allocate(tuner));
    if (options->shift > 0)
        ISG_TRY_GOTO(isg_shifts_create(&tuner->shifts, data->info.image_height,
                                       data->info.image_width, options->shift));
    isg_dataset_checksum(data, tuner->data_sha256);
    isg_dataset_label_checksum(data, tuner->labels_sha256);
    tuner->state.n_batches = (data->info.n_samples - 1) / options->batch_size + 1;
    *out = tuner;
    tuner = NULL;
done:
    isg_tuner_free(tuner);
    return status;
}

isg_status isg_tuner_create(isg_tuner **out, const isg_classifier *start, const isg_dataset *data,
                            const isg_tune_options *options) {
    const isg_tune_options defaults = isg_tune_defaults();
    ISG_TRY(isg_tuner_make(out, start, data, options ? options : &defaults));
    rescale((*out)->model->logistic, (*out)->scale);
    (*out)->model->tuned_epochs = 0;
    (*out)->model->tuned = (isg_tune_options){.epochs = 0};
    return ISG_OK;
}

static void release_tuned(isg_tuned *tuned) {
    isg_adam_release(&tuned->weights);
    isg_adam_release(&tuned->coefficients);
    isg_adam_release(&tuned->intercepts);
}

void isg_tuner_free(isg_tuner *tuner) {
    if (!tuner)
        return;
    tuner->now.weights.values = tuner->now.coefficients.values = NULL;
    tuner->now.intercepts.values = NULL; /* they are the model's */
    isg_classifier_free(tuner->model);
    release_tuned(&tuner->now);
    release_tuned(&tuner->next);
    isg_shifts_release(&tuner->shifts);
    isg_release(tuner->truth);
    isg_release(tuner->class_weights);
    isg_release(tuner->no_b);
    isg_release(tuner->no_c);
    isg_release(tuner->order);
    isg_release(tuner->spins);
    isg_release(tuner->input);
    isg_release(tuner->features);
    isg_release(tuner->residuals);
    isg_release(tuner->losses);
    isg_release(tuner->is_wrong);
    isg_release(tuner->slopes);
    isg_release(tuner->pulls);
    isg_release(tuner->sums);
    isg_release(tuner->class_sums);
    isg_release(tuner);
}

isg_tuner_info isg_tuner_describe(const isg_tuner *tuner) {
    const double n = (double)tuner->data->info.n_samples;
    const bool is_whole = tuner->state.epochs > 0 && tuner->state.batch == 0;
    return (isg_tuner_info){.state = tuner->state,
                            .loss = is_whole ? tuner->loss_sum / n : (double)NAN,
                            .error = is_whole ? (double)tuner->wrong / n : (double)NAN};
}

isg_status isg_tuner_classifier(isg_classifier **out, const isg_tuner *tuner) {
    return isg_classifier_copy(out, tuner->model);
}
