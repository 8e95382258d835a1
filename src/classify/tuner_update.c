/* tuner_update.c - the updates of fine-tuning, by a team of threads
 *
 * SPDX-License-Identifier: MIT
 *
 * New values are written beside the old ones, and change places with them once they are known to be
 * finite.
 *
 * Threads share the samples of a mini-batch, then the visible units and the classes. Every sum over
 * samples is in their order, so no result depends on the number of threads. No update allocates.
 */
#include <inttypes.h>
#include <math.h>
#include <omp.h>

#include "base/barrier.h"
#include "base/threads.h"
#include "classify/logistic.h"
#include "classify/tuner.h"

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

/* Threads meet five times in an update. Where that is short, one that has to wait for a processor costs
   more than all of them gain. */
static int team_of(const isg_tuner *tuner) {
    const isg_gibbs_weights *w = &tuner->model->map.packed;
    const double products = (double)tuner->count * (double)w->n_visible * (double)w->stride;
    const double worth = 1 + products / (double)tuner->thread_products;
    return (int)isg_team_for(worth < 1e9 ? (size_t)worth : (size_t)1e9);
}

isg_status isg_tuner_advance(isg_tuner *tuner, uint64_t updates, const isg_progress *progress) {
    team my = {.tuner = tuner, .left = updates, .progress = progress};
    if (updates == 0)
        return ISG_OK;
    if (tuner->state.epochs >= tuner->option.epochs)
        return isg_fail(ISG_ERR_ARGUMENT, "all %zu epochs of the fine-tuning are done",
                        tuner->option.epochs);
    begin_update(&my);
#pragma omp parallel num_threads(team_of(tuner))
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
