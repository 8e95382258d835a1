/* tuner.c - fine-tuning: backpropagation through the features of a classifier
 *
 * SPDX-License-Identifier: MIT
 *
 * An expert that is trained alone learns what its class looks like; what tells it from the others is
 * learned here. tuner_gradient.c has the gradient of a mini-batch, adam.c the step. Its new values are
 * written beside the old ones, and change places with them once they are known to be finite.
 *
 * Threads share the samples of a mini-batch, then the visible units and the classes. Every sum over
 * samples is in their order, so no result depends on the number of threads. No update allocates.
 */
#include "classify/tuner.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/barrier.h"
#include "base/memory.h"
#include "base/threads.h"
#include "classify/logistic.h"

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

/* ---- updates and epochs ------------------------------------------------------------------------- */

/* What the threads of a team share while they do updates. */
typedef struct team {
    isg_tuner *tuner;
    const isg_progress *progress; /* may be NULL */
    uint64_t left;                /* updates to be done, unless the epoch ends before */
    isg_adam_step weights, logits;
    isg_barrier barrier;
    isg_status status; /* of the last update */
    bool goes_on, is_cancelled;
} team;

/* One thread, before an update. */
static void begin_update(team *my) {
    isg_tuner *tuner = my->tuner;
    const isg_tune_options *option = &tuner->option;
    const uint64_t done = tuner->state.updates;
    const size_t n_samples = tuner->data->info.n_samples;
    const size_t full = option->batch_size < n_samples ? option->batch_size : n_samples;
    const double all = (double)option->epochs * (double)tuner->state.n_batches;
    isg_tuner_begin(tuner);
    const double share = (double)tuner->count / (double)full * (1 - (double)done / all);
    my->weights = isg_adam_step_of(option->rate * share, done + 1);
    my->logits = isg_adam_step_of(option->logits_rate * share, done + 1);
    my->goes_on = true;
}

/* The rows of some panels of W. */
static void move_panels(const team *my, isg_rows panels) {
    isg_tuner *tuner = my->tuner;
    isg_gibbs_weights *w = &tuner->model->map.packed;
    const size_t p = w->n_hidden;
    for (size_t panel = panels.begin; panel < panels.end; panel++) {
        isg_tuner_sum_panel(tuner, panel);
        for (size_t i = panel * ISG_PANEL; i < (panel + 1) * ISG_PANEL && i < w->n_visible; i++)
            isg_adam_move(&my->weights, &tuner->now.weights, &tuner->next.weights, i * p, p,
                          tuner->sums + i * w->stride, 1 / (double)tuner->count);
        isg_gibbs_weights_set_panel(w, panel, tuner->next.weights.values, tuner->no_b);
    }
}

/* The coefficients and intercepts of some classes. */
static void move_classes(const team *my, isg_rows classes) {
    isg_tuner *tuner = my->tuner;
    const size_t n = tuner->model->logistic->n_features;
    const double scale = 1 / (double)tuner->count;
    for (size_t k = classes.begin; k < classes.end; k++) {
        const double *sums = tuner->class_sums + k * (n + 1);
        isg_tuner_sum_class(tuner, k);
        isg_adam_move(&my->logits, &tuner->now.coefficients, &tuner->next.coefficients, k * n, n,
                      sums, scale);
        isg_adam_move(&my->logits, &tuner->now.intercepts, &tuner->next.intercepts, k, 1, sums + n,
                      scale);
    }
}

/* One thread: whether the new values are fit to be used. */
static isg_status check_values(isg_tuner *tuner) {
    const isg_logistic *model = tuner->model->logistic;
    const double *numbers = tuner->next.coefficients.values;
    for (size_t k = 0; k < model->n_classes * model->n_features; k++)
        if (!(fabs(numbers[k]) <= ISG_LOGISTIC_LARGEST))
            return isg_fail(ISG_ERR_DIVERGED, "a coefficient is %g", numbers[k]);
    numbers = tuner->next.intercepts.values;
    for (size_t k = 0; k < model->n_classes; k++)
        if (!(fabs(numbers[k]) <= ISG_LOGISTIC_LARGEST))
            return isg_fail(ISG_ERR_DIVERGED, "an intercept is %g", numbers[k]);
    return isg_gibbs_weights_scale(&tuner->model->map.packed, tuner->next.weights.values,
                                   tuner->no_b, tuner->no_c);
}

/* The new values become those of the model. */
static void take_values(isg_tuner *tuner) {
    const isg_tuned old = tuner->now;
    tuner->now = tuner->next;
    tuner->next = old;
    tuner->model->map.weights = tuner->now.weights.values;
    tuner->model->logistic->coefficients = tuner->now.coefficients.values;
    tuner->model->logistic->intercepts = tuner->now.intercepts.values;
    isg_gibbs_weights_end(&tuner->model->map.packed);
}

static void count_batch(isg_tuner *tuner) {
    if (tuner->state.batch == 0) {
        tuner->loss_sum = 0;
        tuner->wrong = 0;
    }
    for (size_t a = 0; a < tuner->count; a++) {
        tuner->loss_sum += tuner->losses[a];
        tuner->wrong += tuner->is_wrong[a];
    }
}

/* One thread, after an update. */
static void end_update(team *my) {
    isg_tuner *tuner = my->tuner;
    isg_train_state *state = &tuner->state;
    my->goes_on = false;
    if (my->status != ISG_OK)
        return; /* undone outside the parallel region, by all threads */
    count_batch(tuner);
    take_values(tuner);
    state->updates++;
    state->batch = (state->batch + 1) % state->n_batches;
    state->epochs += state->batch == 0;
    if (state->batch == 0) {
        tuner->model->tuned_epochs = state->epochs;
        tuner->model->tuned = tuner->option;
    }
    const bool is_end = state->batch == 0, is_last = --my->left == 0 || is_end;
    const double fraction = is_end ? 1 : (double)state->batch / (double)state->n_batches;
    /* Nothing is left to cancel after the last update. */
    my->is_cancelled =
        my->progress && !my->progress->report(my->progress->user, fraction) && !is_last;
    if (!is_last && !my->is_cancelled)
        begin_update(my);
}

/* One thread of the team, through as many updates as there are to be. */
static void work(team *my, size_t me, size_t all) {
    isg_tuner *tuner = my->tuner;
    isg_gibbs_weights *w = &tuner->model->map.packed;
    const isg_rows panels = isg_rows_of(w->panels, me, all);
    while (my->goes_on) {
        isg_tuner_look(tuner, isg_rows_of(tuner->count, me, all));
        isg_barrier_wait(&my->barrier);
        move_classes(my, isg_rows_of(tuner->model->classes.n_classes, me, all));
        move_panels(my, panels);
        isg_barrier_wait(&my->barrier);
        if (me == 0)
            my->status = check_values(tuner);
        isg_barrier_wait(&my->barrier);
        for (size_t panel = panels.begin; my->status == ISG_OK && panel < panels.end; panel++)
            isg_gibbs_weights_set_rows(w, panel, tuner->next.weights.values);
        isg_barrier_wait(&my->barrier);
        if (me == 0)
            end_update(my);
        isg_barrier_wait(&my->barrier);
    }
}

/* The model was not changed, but for what the kernels read. */
static isg_status undo(isg_tuner *tuner) {
    isg_fail(ISG_ERR_DIVERGED,
             "fine-tuning diverged in update %zu of epoch %" PRIu64
             ": %s after it; try learning rates below %g and %g",
             tuner->state.batch + 1, tuner->state.epochs + 1, isg_error_message(),
             tuner->option.rate, tuner->option.logits_rate);
    ISG_TRY(isg_gibbs_weights_set(&tuner->model->map.packed, tuner->now.weights.values, tuner->no_b,
                                  tuner->no_c));
    return ISG_ERR_DIVERGED;
}

isg_status isg_tuner_advance(isg_tuner *tuner, uint64_t updates, const isg_progress *progress) {
    team my = {.tuner = tuner, .left = updates, .progress = progress};
    if (updates == 0)
        return ISG_OK;
    if (tuner->state.epochs >= tuner->option.epochs)
        return isg_fail(ISG_ERR_ARGUMENT, "all %zu epochs of the fine-tuning are done",
                        tuner->option.epochs);
    begin_update(&my);
#pragma omp parallel num_threads(isg_team_size())
    {
        const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
#pragma omp single
        my.barrier.threads = all;
        work(&my, me, all);
    }
    if (my.status == ISG_ERR_DIVERGED)
        return undo(tuner);
    if (my.is_cancelled)
        return isg_fail(ISG_ERR_CANCELLED, "fine-tuning was cancelled in epoch %" PRIu64,
                        tuner->state.epochs + 1);
    return my.status;
}

isg_status isg_tuner_epoch(isg_tuner *tuner, const isg_progress *progress) {
    return isg_tuner_advance(tuner, UINT64_MAX, progress);
}
