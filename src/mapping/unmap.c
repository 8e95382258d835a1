/* unmap.c - from the weights of an RBM to the patterns of a Hopfield network
 *
 * SPDX-License-Identifier: MIT
 *
 * Sec. 2.2 and appendix D of the paper: find X for which W X is nearly binary. The columns of X are
 * independent: given a start for every pattern, each descends on its own (unmap_descent.c,
 * unmap_relax.c); otherwise many starts are tried (unmap_enumerate.c, unmap_search.c) and a
 * well-conditioned set of the best results is chosen (unmap_pool.c).
 */
#include "mapping/unmap.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "base/threads.h"
#include "data/data.h"
#include "linalg/linalg.h"
#include "mapping/hopfield_to_rbm.h"
#include "mapping/rbm_to_hopfield.h"

/* A residual that is only rounding, and the fraction of the random residual above which the search
   has failed. */
static const double exact_residual = 1e-12, chance = 0.8;

/* States to relax in each random subspace, if patterns are found one by one. */
static const size_t single_starts = 16;

isg_unmap_options isg_unmap_defaults(void) {
    return (isg_unmap_options){.method = ISG_UNMAP_RELAX,
                               .start = ISG_UNMAP_FROM_MODEL,
                               .restarts = 50,
                               .samples = 10000,
                               .alpha = 200,
                               .gamma = 0.05,
                               .steps = 50,
                               .seed = 1};
}

/* Everything the steps below need. */
typedef struct work {
    const isg_rbm *rbm;
    const isg_unmap_options *options;
    const isg_progress *progress; /* NULL: none */
    isg_span span;
    isg_descent descent;
    isg_descent baseline_descent; /* the same for orthonormal weights */
    bool may_descend;             /* whether gamma is small enough for this W */
    double *x0;                   /* (n_hidden, n_starts) X0; NULL if patterns have no own starts */
    size_t n_starts;              /* the columns of x0 */
    double searched;              /* fraction of the work other than the baseline */
    isg_unmapping *made;          /* the result */
} work;

/* ---- what was asked for ------------------------------------------------------------------------ */

static isg_status check_shapes(const isg_rbm *rbm, const isg_unmap_options *options) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    const isg_patterns *patterns = options->patterns;
    if (options->start == ISG_UNMAP_FROM_PATTERNS && !patterns)
        return isg_fail(ISG_ERR_ARGUMENT, "start: no patterns to start from were given");
    if (patterns && patterns->info.n_visible != n)
        return isg_fail(ISG_ERR_SHAPE, "patterns: expected %zu units, as the RBM has, found %zu", n,
                        patterns->info.n_visible);
    if (patterns && options->start == ISG_UNMAP_FROM_PATTERNS &&
        options->method != ISG_UNMAP_ENUMERATE && patterns->info.n_patterns != p)
        return isg_fail(ISG_ERR_SHAPE,
                        "patterns: expected %zu to start from, one per hidden unit, found %zu", p,
                        patterns->info.n_patterns);
    if (options->data && options->data->info.n_visible != n)
        return isg_fail(ISG_ERR_SHAPE, "data: expected %zu units, as the RBM has, found %zu", n,
                        options->data->info.n_visible);
    return ISG_OK;
}

/* Clusters are what learning starts from if the patterns of relax cannot be. */
static isg_status check_samples(const isg_unmap_options *options, size_t count) {
    return options->samples >= count
               ? ISG_OK
               : isg_fail(ISG_ERR_ARGUMENT,
                          "samples: expected at least as many as patterns, %zu, found %zu", count,
                          options->samples);
}

static isg_status check_options(const isg_rbm *rbm, const isg_unmap_options *options) {
    if ((unsigned)options->method > ISG_UNMAP_CAPTURE)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "method: expected descent, relax, enumerate or capture, found %d",
                        (int)options->method);
    if (options->method == ISG_UNMAP_CAPTURE && options->samples == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "samples: expected at least one, found 0");
    if (options->method == ISG_UNMAP_CAPTURE && options->stay && !options->data)
        return isg_fail(ISG_ERR_ARGUMENT, "stay: no data to stay near were given");
    if (options->method == ISG_UNMAP_CAPTURE && options->count > rbm->info.n_visible)
        return isg_fail(ISG_ERR_ARGUMENT, "count: %zu patterns of %zu units cannot be independent",
                        options->count, rbm->info.n_visible);
    if (options->method == ISG_UNMAP_CAPTURE && options->count != rbm->info.n_hidden)
        ISG_TRY(check_samples(options, options->count));
    if (options->method == ISG_UNMAP_CAPTURE && options->flip)
        return isg_fail(ISG_ERR_ARGUMENT, "flip: is not for capture, which flips for likelihood");
    if (options->method == ISG_UNMAP_CAPTURE && options->start == ISG_UNMAP_FROM_PATTERNS &&
        options->count > 0 && options->count != rbm->info.n_hidden)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "start: patterns can be the start of as many only, not of %zu",
                        options->count);
    if ((unsigned)options->start > ISG_UNMAP_FROM_RANDOM)
        return isg_fail(ISG_ERR_ARGUMENT, "start: expected model, patterns or random, found %d",
                        (int)options->start);
    if (!(options->alpha > 0) || !isfinite(options->alpha))
        return isg_fail(ISG_ERR_ARGUMENT, "alpha: expected a positive number, found %g",
                        options->alpha);
    if (!(options->gamma > 0) || !isfinite(options->gamma))
        return isg_fail(ISG_ERR_ARGUMENT, "gamma: expected a positive number, found %g",
                        options->gamma);
    if (options->restarts == 0 || options->restarts > UINT32_MAX / rbm->info.n_hidden)
        return isg_fail(ISG_ERR_ARGUMENT, "restarts: expected from 1 to %zu, found %zu",
                        (size_t)(UINT32_MAX / rbm->info.n_hidden), options->restarts);
    return check_shapes(rbm, options);
}

/* Away from zeros of W X the gradient is 2 W^T (W X - B), and steps of gamma contract only if
   2 gamma sigma^2 < 2. */
static isg_status check_gamma(work *my) {
    const double most = 1 / (my->span.sigma[0] * my->span.sigma[0]);
    my->may_descend = my->options->gamma < most;
    if (my->options->method == ISG_UNMAP_DESCENT && !my->may_descend)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "gamma: expected less than %.3g, one over the square of the largest "
                        "singular value of W, found %g",
                        most, my->options->gamma);
    return ISG_OK;
}

/* ---- where it starts --------------------------------------------------------------------------- */

/* X0 = W^+ xi. */
static isg_status start_from_patterns(work *my, const isg_patterns *patterns) {
    const size_t p = my->span.p, m = patterns->info.n_patterns;
    double *h = NULL, *x = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->x0, p, m));
    ISG_TRY_GOTO(ISG_ALLOCATE(h, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(x, p));
    for (size_t nu = 0; nu < m; nu++) {
        isg_span_pull_back(&my->span, isg_patterns_spins(patterns, nu), h, x);
        for (size_t mu = 0; mu < p; mu++)
            my->x0[mu * m + nu] = x[mu];
    }
    my->n_starts = m;
done:
    isg_release(h);
    isg_release(x);
    return status;
}

/* X0 = R, or W^+ xi, or what scales binary columns to +1 and -1; NULL if the model gives none. */
static isg_status start_from_model(work *my) {
    const size_t p = my->span.p;
    double *scales = NULL;
    isg_status status = ISG_OK;
    if (my->rbm->r) {
        ISG_TRY(ISG_ALLOCATE_MATRIX(my->x0, p, my->rbm->r_cols));
        memcpy(my->x0, my->rbm->r, p * my->rbm->r_cols * sizeof *my->x0);
        my->n_starts = my->rbm->r_cols;
        return ISG_OK;
    }
    if (my->rbm->patterns)
        return start_from_patterns(my, my->rbm->patterns);
    ISG_TRY_GOTO(ISG_ALLOCATE(scales, p));
    if (isg_weights_are_binary(my->rbm, scales)) {
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->x0, p, p));
        for (size_t mu = 0; mu < p; mu++)
            my->x0[mu * p + mu] = 1 / scales[mu];
        my->n_starts = p;
    }
done:
    isg_release(scales);
    return status;
}

/* Finds X0, and the patterns to compare the result with. */
static isg_status find_start(work *my) {
    const isg_unmap_options *options = my->options;
    isg_unmap_report *report = &my->made->report;
    const isg_patterns *known = my->rbm->patterns;
    report->start = options->start;
    if (options->method == ISG_UNMAP_ENUMERATE)
        report->start = ISG_UNMAP_FROM_RANDOM;
    if (report->start != ISG_UNMAP_FROM_MODEL && options->patterns)
        known = options->patterns;
    if (known)
        ISG_TRY(isg_patterns_copy(&my->made->known, known, SIZE_MAX, NULL, NULL));
    if (report->start == ISG_UNMAP_FROM_PATTERNS)
        return start_from_patterns(my, options->patterns);
    if (report->start == ISG_UNMAP_FROM_MODEL)
        ISG_TRY(start_from_model(my));
    if (!my->x0)
        report->start = ISG_UNMAP_FROM_RANDOM;
    return ISG_OK;
}

/* ---- a start for every pattern ----------------------------------------------------------------- */

/* Runs from at->x to the final spins and x. */
static void run_column(const work *my, isg_search_room *at) {
    const isg_span *span = &my->span;
    const bool is_descent = my->options->method == ISG_UNMAP_DESCENT;
    at->error_before = isg_descent_signs(&my->descent, at->x, at->spins);
    at->residual_before = isg_span_residual(span, at->spins, at->h);
    if (my->may_descend) {
        isg_descent_run(&my->descent, at->x, at->gradient);
        isg_descent_signs(&my->descent, at->x, at->other);
    }
    if (is_descent) {
        memcpy(at->spins, at->other, span->words * sizeof *at->spins);
    } else {
        isg_span_relax(span, at->spins, at->h);
        const double residual = isg_span_residual(span, at->spins, at->h);
        if (my->may_descend) {
            isg_span_relax(span, at->other, at->h);
            if (isg_span_residual(span, at->other, at->h) < residual - 1e-9)
                memcpy(at->spins, at->other, span->words * sizeof *at->spins);
        }
    }
    if (my->options->flip)
        isg_span_flip(span, at->spins, at->h);
    if (!is_descent || my->options->flip) {
        isg_span_pull_back(span, at->spins, at->h, at->x);
    }
}

/* Room for the result. */
static isg_status allocate_result(work *my, size_t count) {
    isg_unmapping *made = my->made;
    made->report.n_patterns = count;
    ISG_TRY(isg_patterns_allocate(&made->patterns, my->span.n, count));
    made->patterns->info.image_height = my->rbm->info.image_height;
    made->patterns->info.image_width = my->rbm->info.image_width;
    made->patterns->encoding = isg_encoding_share(my->rbm->encoding);
    ISG_TRY(ISG_ALLOCATE(made->each, count));
    ISG_TRY(ISG_ALLOCATE_MATRIX(made->x, my->span.p, count));
    return ISG_ALLOCATE_MATRIX(made->image, my->span.n, count);
}

static void set_coefficients(work *my, size_t mu, const double *x) {
    const size_t m = my->made->report.n_patterns;
    for (size_t k = 0; k < my->span.p; k++)
        my->made->x[k * m + mu] = x[k];
}

static isg_status run_columns(work *my) {
    const size_t p = my->span.p, m = my->n_starts;
    isg_unmapping *made = my->made;
    isg_search_room *all = NULL;
    isg_status status = ISG_OK;
    double error = 0, residual = 0;
    ISG_TRY_GOTO(allocate_result(my, m));
    ISG_TRY_GOTO(isg_search_rooms_create(&all, m, &my->span));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t mu = 0; mu < m; mu++) {
        for (size_t k = 0; k < p; k++)
            all[mu].x[k] = my->x0[k * m + mu];
        run_column(my, &all[mu]);
    }
    for (size_t mu = 0; mu < m; mu++) {
        memcpy(isg_patterns_spins(made->patterns, mu), all[mu].spins,
               my->span.words * sizeof *all[mu].spins);
        set_coefficients(my, mu, all[mu].x);
        made->each[mu].known = made->known ? mu : SIZE_MAX;
        error += all[mu].error_before;
        residual += all[mu].residual_before;
    }
    made->report.n_starts = m;
    made->report.error_before = sqrt(error);
    made->report.residual_before = residual;
done:
    isg_search_rooms_free(all, m);
    return status;
}

/* ---- patterns chosen from many ----------------------------------------------------------------- */

/* Sets x of the chosen patterns: W^+ b or, for descent, the x at the end of the run that found
   it. */
static isg_status set_chosen(work *my, const isg_pool *pool, const isg_search *search,
                             const size_t *chosen) {
    const isg_span *span = &my->span;
    const bool is_descent = my->options->method == ISG_UNMAP_DESCENT && !my->options->flip;
    isg_search_room *at = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_search_rooms_create(&at, 1, span));
    for (size_t mu = 0; mu < my->made->report.n_patterns; mu++) {
        const uint64_t *spins = isg_patterns_spins(my->made->patterns, mu);
        if (is_descent) {
            ISG_TRY_GOTO(isg_search_repeat(search, pool->all[chosen[mu]].source, at->x));
            isg_descent_signs(&my->descent, at->x, at->spins);
            const bool is_negative = 2 * isg_hamming(spins, at->spins, span->words) > span->n;
            for (size_t k = 0; is_negative && k < span->p; k++)
                at->x[k] = -at->x[k];
        } else {
            isg_span_pull_back(span, spins, at->h, at->x);
        }
        set_coefficients(my, mu, at->x);
    }
done:
    isg_search_rooms_free(at, 1);
    return status;
}

static bool is_exact(const isg_unmap_report *report) {
    return report->residual <= exact_residual * (double)report->n_patterns;
}

/* The baseline for the result; an exact result needs no long search for it. */
static isg_baseline_plan plan_baseline(const work *my, bool is_chosen) {
    const isg_unmap_report *report = &my->made->report;
    isg_baseline_plan plan = {.n = my->span.n,
                              .p = my->span.p,
                              .count = report->n_patterns,
                              .is_exhaustive = is_chosen && report->is_exhaustive,
                              .is_chosen = is_chosen};
    plan.like = (isg_search){.n_random = is_chosen ? report->n_starts : single_starts,
                             .seed = my->options->seed,
                             .flip = my->options->flip};
    if (is_chosen && my->options->method == ISG_UNMAP_DESCENT)
        plan.like.descent = &my->baseline_descent;
    return plan;
}

static isg_status choose_patterns(work *my) {
    const isg_unmap_options *options = my->options;
    const size_t p = my->span.p, n_random = options->restarts * p;
    const size_t rows = options->data ? options->data->info.n_samples : 0;
    const isg_search search = {
        .span = &my->span,
        .descent = options->method == ISG_UNMAP_DESCENT ? &my->descent : NULL,
        .patterns = options->method == ISG_UNMAP_ENUMERATE ? my->made->known : NULL,
        .data = options->data,
        .n_data = rows < n_random ? rows : n_random,
        .n_random = n_random,
        .seed = options->seed,
        .flip = options->flip};
    isg_pool *pool = NULL;
    size_t *chosen = NULL, count = 0;
    isg_part part;
    isg_status status = ISG_OK;
    isg_unmap_report *report = &my->made->report;
    report->is_exhaustive = options->method == ISG_UNMAP_ENUMERATE && p <= ISG_UNMAP_MAX_P;
    report->n_starts =
        report->is_exhaustive ? isg_enumerate_starts(&my->span) : isg_search_starts(&search);
    ISG_TRY_GOTO(isg_pools_create(&pool, 1, my->span.n, report->n_starts));
    ISG_TRY_GOTO(ISG_ALLOCATE(chosen, p));
    const isg_baseline_plan plan = plan_baseline(my, true);
    my->searched = 1 / (1 + (double)isg_baseline_spans(&plan));
    ISG_TRY_GOTO(isg_pool_fill(pool, &search, report->is_exhaustive,
                               isg_part_of(&part, my->progress, 0, my->searched)));
    ISG_TRY_GOTO(isg_pool_choose(pool, p, chosen, &count));
    report->n_candidates = pool->count;
    ISG_TRY_GOTO(allocate_result(my, count));
    ISG_TRY_GOTO(isg_unmapping_arrange(my->made, pool, chosen, count));
    ISG_TRY_GOTO(set_chosen(my, pool, &search, chosen));
    report->error_before = report->residual_before = (double)NAN;
done:
    isg_pools_free(pool, 1);
    isg_release(chosen);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* Copies the known patterns' labels, if every pattern has a known one. */
static isg_status set_labels(isg_unmapping *made) {
    if (!made->known || !made->known->info.has_labels)
        return ISG_OK;
    for (size_t mu = 0; mu < made->report.n_patterns; mu++)
        if (made->each[mu].known == SIZE_MAX)
            return ISG_OK;
    for (size_t mu = 0; mu < made->report.n_patterns; mu++)
        ISG_TRY(isg_labels_add_text(&made->patterns->labels,
                                    isg_patterns_label(made->known, made->each[mu].known),
                                    "labels"));
    made->patterns->info.has_labels = true;
    return isg_labels_finish(&made->patterns->labels);
}

static void release_result(isg_unmapping *made) {
    isg_patterns_free(made->patterns);
    isg_release(made->each);
    isg_release(made->x);
    isg_release(made->image);
    made->patterns = NULL;
    made->each = NULL;
    made->x = made->image = NULL;
}

/* Replaces what relax found by patterns learned from there or, if that is not the number of patterns
   wanted or they are dependent, from clusters. */
static isg_status capture(work *my) {
    isg_unmapping *made = my->made;
    isg_unmap_options options = *my->options;
    isg_patterns *learned = NULL;
    isg_search_room *at = NULL;
    size_t rank = 0;
    isg_part part;
    isg_status status = ISG_OK;
    ISG_TRY(isg_patterns_find_rank(made->patterns, true, &rank));
    if (options.count == 0)
        options.count = my->span.p;
    const bool from_relax = rank == made->report.n_patterns && rank == options.count;
    my->searched = 0.9;
    if (!from_relax)
        ISG_TRY(check_samples(&options, options.count));
    ISG_TRY(isg_unmap_capture(&learned, my->rbm, from_relax ? made->patterns : NULL, &options,
                              &made->report, isg_part_of(&part, my->progress, 0, my->searched)));
    release_result(made);
    made->report.error_before = made->report.residual_before = (double)NAN;
    if (!from_relax)
        made->report.start = ISG_UNMAP_FROM_CLUSTERS;
    ISG_TRY_GOTO(allocate_result(my, learned->info.n_patterns));
    ISG_TRY_GOTO(isg_search_rooms_create(&at, 1, &my->span));
    for (size_t mu = 0; mu < learned->info.n_patterns; mu++) {
        uint64_t *spins = isg_patterns_spins(made->patterns, mu);
        memcpy(spins, isg_patterns_spins(learned, mu), my->span.words * sizeof *spins);
        isg_span_pull_back(&my->span, spins, at->h, at->x);
        set_coefficients(my, mu, at->x);
        made->each[mu].known =
            from_relax && my->x0 && made->known && mu < made->known->info.n_patterns ? mu
                                                                                     : SIZE_MAX;
    }
done:
    isg_search_rooms_free(at, 1);
    isg_patterns_free(learned);
    return status;
}

static double mean_square(const double *values, size_t count) {
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += values[k] * values[k];
    return sum / (double)count;
}

static isg_status judge(work *my) {
    isg_unmap_report *report = &my->made->report;
    const isg_baseline_plan plan =
        plan_baseline(my, !my->x0 && !is_exact(report) && report->method != ISG_UNMAP_CAPTURE);
    isg_baseline found;
    isg_part part;
    ISG_TRY(isg_unmap_baseline(&found, &plan, isg_part_of(&part, my->progress, my->searched, 1)));
    report->random_baseline = found.mean;
    report->verdict = ISG_BINARIZATION_APPROXIMATE;
    if (is_exact(report))
        report->verdict = ISG_BINARIZATION_EXACT;
    else if (report->residual > fmin(chance * found.mean, found.least))
        report->verdict = ISG_BINARIZATION_NONE;
    return ISG_OK;
}

static isg_status run(work *my) {
    const size_t n = my->span.n, p = my->span.p;
    isg_unmapping *made = my->made;
    ISG_TRY(check_gamma(my));
    ISG_TRY(find_start(my));
    const isg_progress *progress = my->progress;
    const bool captures = my->options->method == ISG_UNMAP_CAPTURE;
    my->progress = captures ? NULL : progress; /* what relax needs is short beside the samples */
    ISG_TRY(my->x0 ? run_columns(my) : choose_patterns(my));
    my->progress = progress;
    if (captures)
        ISG_TRY(capture(my));
    const size_t m = made->report.n_patterns;
    ISG_TRY(isg_matrix_multiply(isg_matd_of(made->image, n, m), isg_rbm_view(my->rbm), ISG_AS_IS,
                                isg_matd_const(isg_matd_of(made->x, p, m)), ISG_AS_IS));
    ISG_TRY(set_labels(made));
    ISG_TRY(isg_unmapping_examine(made, my->rbm, &my->span));
    return judge(my);
}

isg_status isg_unmap(isg_unmapping **out, const isg_rbm *rbm, const isg_unmap_options *options,
                     const isg_progress *progress) {
    const isg_unmap_options chosen = options ? *options : isg_unmap_defaults();
    work my = {.rbm = rbm, .options = &chosen, .progress = progress};
    isg_status status = ISG_OK;
    ISG_TRY(check_options(rbm, &chosen));
    ISG_TRY_GOTO(isg_span_of_weights(&my.span, isg_rbm_view(rbm)));
    my.descent = (isg_descent){isg_rbm_view(rbm), chosen.alpha, chosen.gamma, chosen.steps};
    my.baseline_descent = my.descent;
    my.baseline_descent.gamma *= mean_square(my.span.sigma, my.span.p);
    ISG_TRY_GOTO(ISG_ALLOCATE(my.made, 1));
    my.made->report = (isg_unmap_report){.method = chosen.method,
                                         .n_visible = rbm->info.n_visible,
                                         .n_hidden = rbm->info.n_hidden,
                                         .capture_before = (double)NAN,
                                         .capture = (double)NAN};
    ISG_TRY_GOTO(run(&my));
    *out = my.made;
    my.made = NULL;
done:
    isg_span_free(&my.span);
    isg_release(my.x0);
    isg_unmapping_free(my.made);
    return status;
}

void isg_unmapping_free(isg_unmapping *unmapping) {
    if (!unmapping)
        return;
    release_result(unmapping);
    isg_patterns_free(unmapping->known);
    isg_release(unmapping);
}

isg_unmap_report isg_unmapping_describe(const isg_unmapping *unmapping) {
    return unmapping->report;
}

const isg_patterns *isg_unmapping_patterns(const isg_unmapping *unmapping) {
    return unmapping->patterns;
}

isg_unmapped_pattern isg_unmapping_pattern(const isg_unmapping *unmapping, size_t mu) {
    return mu < unmapping->report.n_patterns
               ? unmapping->each[mu]
               : (isg_unmapped_pattern){.known = SIZE_MAX, .bits_changed = SIZE_MAX, .same_as = mu};
}

isg_matd_view isg_unmapping_coefficients(const isg_unmapping *unmapping) {
    const size_t m = unmapping->report.n_patterns;
    return (isg_matd_view){unmapping->x, unmapping->report.n_hidden, m, m};
}
