/* choice.c - choosing beta, and how much covariances are shrunk, by samples held out
 *
 * SPDX-License-Identifier: MIT
 *
 * The moments of h = W^T s + c do not depend on beta, and given both, the fit is closed form. So the
 * moments are computed once, and what takes time about a candidate is its likelihood on samples held out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress_part.h"
#include "deep/deep.h"

enum { MOST_STEPS = 40 };

static const double usual_shrinkages[] = {0, 0.01, 0.03, 0.1, 0.3, 1};

/* ---- trying candidates ------------------------------------------------------------------------------ */

typedef struct search {
    const isg_deep_options *options;
    const isg_dataset *held;
    isg_deep_model *raw, *model; /* moments, and those of the candidate */
    double *numbers;             /* (2, held samples) */
    uint32_t *truth, *answers;   /* (held samples) */
    isg_deep_trials *trials;
    const isg_progress *progress;
    double done;
} search;

static double share_wrong(const search *my) {
    const size_t n = my->held->info.n_samples;
    size_t wrong = 0, known = 0;
    for (size_t a = 0; a < n; a++) {
        known += my->truth[a] != ISG_UNLABELLED;
        wrong += my->truth[a] != ISG_UNLABELLED && my->truth[a] != my->answers[a];
    }
    return my->model->n_classes > 1 && known > 0 ? (double)wrong / (double)known : (double)NAN;
}

/* The candidate of this beta with one of the shrinkages. */
static isg_status try_one(search *my, double beta, double shrinkage, bool is_first,
                          const isg_progress *progress) {
    const size_t n = my->held->info.n_samples;
    const isg_bounds bounds = {.reconstruction = my->numbers,
                               .has_reconstruction = !is_first,
                               .bound = my->numbers + n,
                               .answers = my->answers};
    isg_deep_trials *trials = my->trials;
    void *list = trials->list;
    double unused = 0;
    ISG_TRY(isg_grow(&list, &trials->capacity, trials->count + 1, sizeof *trials->list));
    trials->list = list;
    isg_deep_trial *next = &trials->list[trials->count];
    ISG_TRY(isg_deep_shrink(my->model, my->raw, shrinkage, my->options->toward));
    ISG_TRY(isg_rbm_set_beta(my->model->rbm, beta));
    ISG_TRY(isg_deep_model_prepare(my->model));
    ISG_TRY(isg_find_bounds(my->model, my->held, &bounds, progress));
    *next = (isg_deep_trial){
        .beta = beta, .shrinkage = shrinkage, .parts = my->model->parts, .error = share_wrong(my)};
    isg_mean_and_error(bounds.bound, n, &next->elbo, &unused);
    if (next->elbo > trials->list[trials->best].elbo)
        trials->best = trials->count;
    trials->count++;
    return ISG_OK;
}

/* All shrinkages at this beta; `elbo` is that of the best. */
static isg_status try_beta(search *my, double beta, double *elbo) {
    const isg_deep_options *options = my->options;
    const bool is_given = options->shrinkages != NULL;
    const double *all = is_given ? options->shrinkages : usual_shrinkages;
    const size_t count =
        is_given ? options->n_shrinkages : sizeof usual_shrinkages / sizeof *usual_shrinkages;
    /* How many betas there will be is unknown if they are searched for. */
    const double step = (1 - my->done) / (options->betas ? (double)(options->n_betas + 1) : 8);
    for (size_t k = 0; k < count; k++) {
        isg_part part;
        const double from = my->done + step * (double)k / (double)count;
        ISG_TRY(try_one(my, beta, all[k], k == 0,
                        isg_part_of(&part, my->progress, from, from + step / (double)count)));
        const double found = my->trials->list[my->trials->count - 1].elbo;
        *elbo = k == 0 ? found : fmax(*elbo, found);
    }
    my->done += step;
    return ISG_OK;
}

/* Three digits are plenty, and pleasant to read. */
static double round_beta(double beta) {
    char text[32];
    double rounded = beta;
    snprintf(text, sizeof text, "%.2e", beta);
    return isg_parse_number(text, &rounded) == ISG_NUMBER_OK ? rounded : beta;
}

typedef struct point {
    double log_beta, elbo;
} point;

/* Goes in steps of this factor from `at` as long as it is uphill; `before` and `after` are the points
   beside the best then. */
static isg_status climb(search *my, double factor, point *at, point *before, point *after) {
    for (size_t step = 0; step < MOST_STEPS; step++) {
        const double beta = round_beta(isg_exp(at->log_beta) * factor);
        if (!isg_is_beta(beta))
            return ISG_OK;
        point next = {isg_log(beta), 0};
        ISG_TRY(try_beta(my, beta, &next.elbo));
        if (!(next.elbo > at->elbo)) {
            *after = next;
            return ISG_OK;
        }
        *before = *at;
        *at = next;
    }
    return ISG_OK;
}

/* The top of the parabola through three points. */
static double top_of(point a, point b, point c) {
    const double left = (b.elbo - a.elbo) / (b.log_beta - a.log_beta);
    const double right = (c.elbo - b.elbo) / (c.log_beta - b.log_beta);
    const double bend = (right - left) / (c.log_beta - a.log_beta);
    return (a.log_beta + b.log_beta - left / bend) / 2;
}

static isg_status find_beta(search *my, double start) {
    const double step = sqrt(sqrt(2));
    const point none = {0, -HUGE_VAL};
    point at = {isg_log(start), 0}, up = none, down = none;
    double unused = 0;
    ISG_TRY(try_beta(my, start, &at.elbo));
    const double first = at.log_beta;
    ISG_TRY(climb(my, step, &at, &down, &up));
    if (at.log_beta == first)
        ISG_TRY(climb(my, 1 / step, &at, &up, &down));
    const bool is_enclosed =
        down.elbo > -HUGE_VAL && up.elbo > -HUGE_VAL && (down.elbo < at.elbo || up.elbo < at.elbo);
    const double top = is_enclosed ? round_beta(isg_exp(top_of(down, at, up))) : start;
    for (size_t k = 0; k < my->trials->count; k++)
        if (my->trials->list[k].beta == top)
            return ISG_OK;
    return isg_is_beta(top) ? try_beta(my, top, &unused) : ISG_OK;
}

static isg_status try_all(search *my, double start) {
    double unused = 0;
    if (!my->options->betas)
        return find_beta(my, start);
    for (size_t k = 0; k < my->options->n_betas; k++)
        ISG_TRY(try_beta(my, my->options->betas[k], &unused));
    return ISG_OK;
}

/* The Gaussians of several parts, at the beta that is best for one: all shrinkages once more. */
static isg_status try_parts(search *my, const isg_rbm *rbm, const isg_dataset *fitted) {
    const isg_deep_options *options = my->options;
    const double beta = my->trials->list[my->trials->best].beta;
    isg_deep_model *raw = NULL, *model = NULL;
    double unused = 0;
    isg_part part;
    ISG_TRY(isg_deep_moments(&raw, rbm, fitted, options, options->parts, beta,
                             isg_part_of(&part, my->progress, my->done, 0.9)));
    isg_deep_model_free(my->raw);
    my->raw = raw;
    ISG_TRY(isg_deep_model_create(&model, rbm, raw->n_classes, raw->parts));
    memcpy(model->shares, raw->shares, raw->n_parts * sizeof *raw->shares);
    memcpy(model->means, raw->means, raw->n_parts * rbm->info.n_hidden * sizeof *raw->means);
    model->classes = my->model->classes;
    my->model->classes = (isg_labels){0};
    isg_deep_model_free(my->model);
    my->model = model;
    my->trials->best = my->trials->count;
    my->done = 0.9;
    return try_beta(my, beta, &unused);
}

isg_status isg_deep_choose(isg_deep_trials *trials, const isg_rbm *rbm, const isg_dataset *data,
                           const isg_deep_options *options, const isg_progress *progress) {
    search my = {.options = options, .trials = trials};
    isg_dataset *fitted = NULL, *held = NULL;
    isg_part first, rest;
    isg_status status =
        isg_dataset_split(&fitted, &held, data, 1 - options->hold_out, options->seed);
    if (status == ISG_ERR_ARGUMENT)
        return isg_fail(status,
                        "%zu samples are too few to hold out %g of them; give beta and shrinkage",
                        data->info.n_samples, options->hold_out);
    ISG_TRY(status);
    my.held = held;
    my.progress = isg_part_of(&rest, progress, 0.1, 1);
    const size_t n = held->info.n_samples;
    const double start = rbm->info.beta;
    ISG_TRY_GOTO(isg_deep_moments(&my.raw, rbm, fitted, options, 1, start,
                                  isg_part_of(&first, progress, 0, 0.1)));
    ISG_TRY_GOTO(isg_deep_moments(&my.model, rbm, fitted, options, 1, start, NULL));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.numbers, n, 2));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.answers, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.truth, n));
    isg_find_truth(my.truth, my.model, held);
    ISG_TRY_GOTO(try_all(&my, start));
    if (options->parts > 1)
        ISG_TRY_GOTO(try_parts(&my, rbm, fitted));
done:
    isg_deep_model_free(my.raw);
    isg_deep_model_free(my.model);
    isg_release(my.numbers);
    isg_release(my.answers);
    isg_release(my.truth);
    isg_dataset_free(fitted);
    isg_dataset_free(held);
    return status;
}
