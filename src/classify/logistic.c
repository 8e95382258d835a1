/* logistic.c - multinomial logistic regression
 *
 * SPDX-License-Identifier: MIT
 *
 * Checks, standardizes and searches by one of the two methods; then converts the coefficients to the
 * scale of the options. The methods are in logistic_newton.c and logistic_lbfgs.c, the loss in
 * logistic_loss.c.
 */
#include "classify/logistic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"

/* Number of unknowns, (n_classes - 1) (n_features + 1), up to which Newton is faster: see
   docs/design/0009-logistic.md. */
enum { MOST_NEWTON = 1000 };

isg_logistic_options isg_logistic_defaults(void) {
    return (isg_logistic_options){.method = ISG_LOGISTIC_AUTO,
                                  .l2 = 1e-3,
                                  .standardize = true,
                                  .tolerance = 1e-10,
                                  .max_iterations = 5000};
}

/* ---- The search ---------------------------------------------------------------------------------- */

double isg_logistic_largest(const double *x, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

void isg_logistic_center(double *theta, size_t n_classes, size_t width) {
    for (size_t j = 0; j < width; j++) {
        double mean = 0;
        for (size_t k = 0; k < n_classes; k++)
            mean += theta[k * width + j] / (double)n_classes;
        for (size_t k = 0; k < n_classes; k++)
            theta[k * width + j] -= mean;
    }
}

void isg_logistic_evaluate(isg_logistic_search *search) {
    search->value = isg_logistic_loss_at(&search->loss, search->theta, search->gradient);
    search->report.gradient =
        isg_logistic_largest(search->gradient, search->loss.n_classes * search->loss.width);
}

/* The gradient falls by orders of magnitude, so its logarithm measures the progress. */
isg_status isg_logistic_step_done(isg_logistic_search *search) {
    const isg_progress *progress = search->progress;
    search->report.iterations++;
    if (!progress)
        return ISG_OK;
    const double all = isg_log(search->first / search->options->tolerance);
    const double left = isg_log(search->report.gradient / search->options->tolerance);
    const double fraction = all > 0 ? fmax(0, fmin(1, 1 - left / all)) : 1;
    if (!progress->report(progress->user, fraction))
        return isg_fail(ISG_ERR_CANCELLED, "logistic regression was cancelled");
    return ISG_OK;
}

static void report_no_minimum(isg_logistic_report *report) {
    snprintf(report->reason, sizeof report->reason,
             "the loss keeps falling as the coefficients grow: classes that can be separated "
             "have no minimum without a penalty (l2 = 0)");
}

bool isg_logistic_is_over(isg_logistic_search *search, double change) {
    const isg_logistic_options *options = search->options;
    isg_logistic_report *report = &search->report;
    const double little = 1e-3; /* of theta, or of the tolerance */
    report->converged = report->gradient <= options->tolerance && change <= little;
    if (report->converged)
        return true;
    if (options->l2 == 0 && report->gradient <= little * options->tolerance && change < HUGE_VAL) {
        report_no_minimum(report);
        return true;
    }
    if (report->iterations < options->max_iterations)
        return false;
    snprintf(report->reason, sizeof report->reason,
             "%zu iterations were not enough: the gradient is %.2g, the tolerance %.2g",
             report->iterations, report->gradient, options->tolerance);
    return true;
}

void isg_logistic_give_up(isg_logistic_search *search) {
    const bool is_small = search->report.gradient <= search->options->tolerance;
    search->report.converged = is_small && search->options->l2 > 0;
    if (search->report.converged)
        return;
    if (is_small)
        report_no_minimum(&search->report);
    else
        snprintf(search->report.reason, sizeof search->report.reason,
                 "rounding ended the search at a gradient of %.2g, the tolerance is %.2g",
                 search->report.gradient, search->options->tolerance);
}

/* ---- Checks -------------------------------------------------------------------------------------- */

static isg_status check_features(isg_matd_view features) {
    for (size_t i = 0; i < features.rows; i++) {
        const double *row = features.data + i * features.stride;
        for (size_t j = 0; j < features.cols; j++)
            if (!(fabs(row[j]) <= ISG_LOGISTIC_LARGEST))
                return isg_fail(ISG_ERR_ARGUMENT,
                                "features: expected finite numbers up to %g in size, found %g in "
                                "row %zu, column %zu",
                                ISG_LOGISTIC_LARGEST, row[j], i, j);
    }
    return ISG_OK;
}

static isg_status check_options(const isg_logistic_options *options) {
    if (options->method > ISG_LOGISTIC_LBFGS)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "method: expected a method of logistic regression, found %d",
                        (int)options->method);
    if (!(options->l2 >= 0 && options->l2 <= ISG_LOGISTIC_LARGEST))
        return isg_fail(ISG_ERR_ARGUMENT, "l2: expected a number from 0 to %g, found %g",
                        ISG_LOGISTIC_LARGEST, options->l2);
    if (!(options->tolerance > 0 && isfinite(options->tolerance)))
        return isg_fail(ISG_ERR_ARGUMENT, "tolerance: expected a positive number, found %g",
                        options->tolerance);
    if (options->max_iterations == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "max_iterations: expected at least 1, found 0");
    return ISG_OK;
}

/* counts (n_classes) = how many samples each class has */
static isg_status count_labels(size_t *counts, const uint32_t *labels, size_t n_samples,
                               size_t n_classes) {
    for (size_t a = 0; a < n_samples; a++) {
        if (labels[a] >= n_classes)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "labels: expected a class below %zu, found %u in row %zu", n_classes,
                            (unsigned)labels[a], a);
        counts[labels[a]]++;
    }
    for (size_t k = 0; k < n_classes; k++)
        if (counts[k] == 0)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "labels: expected samples of all %zu classes, found none of class %zu",
                            n_classes, k);
    return ISG_OK;
}

/* ---- The model ----------------------------------------------------------------------------------- */

static isg_status allocate(isg_logistic **out, size_t n_classes, size_t n_features) {
    isg_status status = ISG_OK;
    isg_logistic *model = NULL;
    ISG_TRY(ISG_ALLOCATE(model, 1));
    model->n_classes = n_classes;
    model->n_features = n_features;
    ISG_TRY_GOTO(ISG_ALLOCATE(model->means, n_features));
    ISG_TRY_GOTO(ISG_ALLOCATE(model->scales, n_features));
    ISG_TRY_GOTO(ISG_ALLOCATE(model->intercepts, n_classes));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(model->coefficients, n_classes, n_features));
    *out = model;
    return ISG_OK;
done:
    isg_logistic_free(model);
    return status;
}

void isg_logistic_free(isg_logistic *model) {
    if (!model)
        return;
    isg_release(model->means);
    isg_release(model->scales);
    isg_release(model->coefficients);
    isg_release(model->intercepts);
    isg_release(model);
}

static isg_status check_sizes(size_t n_classes, size_t n_features) {
    if (n_classes < 2 || n_classes > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "n_classes: expected 2 to 2^32 - 1 classes, found %zu",
                        n_classes);
    if (n_features == 0 || n_features > UINT32_MAX / 2)
        return isg_fail(ISG_ERR_ARGUMENT, "n_features: expected 1 to 2^31 - 1, found %zu",
                        n_features);
    return ISG_OK;
}

static isg_status check_numbers(const char *name, const double *x, size_t n, double smallest) {
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= smallest && x[i] <= ISG_LOGISTIC_LARGEST))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: expected numbers from %g to %g, found %g at index %zu", name,
                            smallest, ISG_LOGISTIC_LARGEST, x[i], i);
    return ISG_OK;
}

isg_status isg_logistic_create(isg_logistic **out, size_t n_classes, size_t n_features,
                               const double *means, const double *scales,
                               const double *coefficients, const double *intercepts) {
    size_t size = 0;
    ISG_TRY(check_sizes(n_classes, n_features));
    if (!isg_multiply(&size, n_classes, n_features))
        return isg_fail(ISG_ERR_MEMORY, "coefficients: no memory for %zu x %zu numbers", n_classes,
                        n_features);
    ISG_TRY(check_numbers("means", means, n_features, -ISG_LOGISTIC_LARGEST));
    ISG_TRY(check_numbers("scales", scales, n_features, ISG_LOGISTIC_SMALLEST));
    ISG_TRY(check_numbers("coefficients", coefficients, size, -ISG_LOGISTIC_LARGEST));
    ISG_TRY(check_numbers("intercepts", intercepts, n_classes, -ISG_LOGISTIC_LARGEST));
    isg_logistic *model = NULL;
    ISG_TRY(allocate(&model, n_classes, n_features));
    memcpy(model->means, means, n_features * sizeof *means);
    memcpy(model->scales, scales, n_features * sizeof *scales);
    memcpy(model->coefficients, coefficients, size * sizeof *coefficients);
    memcpy(model->intercepts, intercepts, n_classes * sizeof *intercepts);
    *out = model;
    return ISG_OK;
}

/* ---- Fitting ------------------------------------------------------------------------------------- */

/* Mean and standard deviation of every column, in order of the rows. Columns in groups that share
   their cache lines. */
enum { COLUMNS = 8 };

static void describe_column(isg_matd_view features, size_t j, double *mean, double *scale) {
    const double n = (double)features.rows, *x = features.data + j;
    double smallest = x[0], largest = x[0], sum = 0, rest = 0, square = 0;
    for (size_t a = 0; a < features.rows; a++) {
        const double value = x[a * features.stride];
        smallest = value < smallest ? value : smallest;
        largest = value > largest ? value : largest;
        sum += value;
    }
    const double middle = sum / n;
    for (size_t a = 0; a < features.rows; a++) {
        const double off = x[a * features.stride] - middle;
        rest += off;
        square += off * off;
    }
    /* The first sum was rounded; `rest` has the remainder. */
    *mean = middle + rest / n;
    *scale = sqrt(fmax(0, square / n - rest / n * (rest / n)));
    if (smallest == largest || *scale < ISG_LOGISTIC_SMALLEST) {
        *mean = smallest == largest ? smallest : *mean;
        *scale = 1;
    }
}

static void describe_columns(isg_logistic *model, isg_matd_view features) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t group = 0; group <= (features.cols - 1) / COLUMNS; group++)
        for (size_t j = group * COLUMNS; j < features.cols && j < (group + 1) * COLUMNS; j++)
            describe_column(features, j, model->means + j, model->scales + j);
}

/* The penalty of feature j, per sample, on the standardized scale. */
static double penalty_of(const isg_logistic *model, const isg_logistic_options *options, size_t n,
                         size_t j) {
    const double scale = options->standardize ? 1 : model->scales[j];
    return options->l2 / (double)n / scale / scale;
}

/* From standardized features to those of the search, whose curvature is at most about 1. */
static double stretch_of(const isg_logistic *model, const isg_logistic_options *options, size_t n,
                         size_t j) {
    return sqrt(1 + penalty_of(model, options, n, j));
}

static isg_status begin(isg_logistic_search *search, const isg_logistic *model,
                        isg_matd_view features, const uint32_t *labels, const size_t *counts) {
    const size_t n = features.rows, n_classes = model->n_classes, width = features.cols + 1;
    isg_status status = ISG_OK;
    double *scales = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(scales, features.cols));
    ISG_TRY_GOTO(ISG_ALLOCATE(search->weights, n_classes));
    for (size_t k = 0; k < n_classes; k++)
        search->weights[k] =
            search->options->balanced ? (double)n / ((double)n_classes * (double)counts[k]) : 1;
    for (size_t j = 0; j < features.cols; j++)
        scales[j] = model->scales[j] * stretch_of(model, search->options, n, j);
    ISG_TRY_GOTO(isg_logistic_loss_create(&search->loss, features, labels, n_classes,
                                          search->weights, model->means, scales));
    for (size_t j = 0; j < features.cols; j++) {
        const double penalty = penalty_of(model, search->options, n, j);
        search->loss.penalty[j] = penalty / (1 + penalty);
    }
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(search->theta, n_classes, width));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(search->gradient, n_classes, width));
    for (size_t k = 0; k < n_classes; k++)
        search->theta[k * width + features.cols] =
            isg_log(search->weights[k] * (double)counts[k] / (double)n);
    isg_logistic_center(search->theta, n_classes, width);
    isg_logistic_evaluate(search);
    search->first = search->report.gradient;
done:
    isg_release(scales);
    return status;
}

/* theta, on the scale of the options. */
static void finish(const isg_logistic_search *search, isg_logistic *model) {
    const size_t n = search->loss.n_samples, n_features = model->n_features;
    const size_t width = n_features + 1;
    for (size_t k = 0; k < model->n_classes; k++) {
        model->intercepts[k] = search->theta[k * width + n_features];
        for (size_t j = 0; j < n_features; j++) {
            double *coefficient = model->coefficients + k * n_features + j;
            *coefficient = search->theta[k * width + j] / stretch_of(model, search->options, n, j);
            if (!search->options->standardize) {
                *coefficient /= model->scales[j];
                model->intercepts[k] -= *coefficient * model->means[j];
            }
        }
    }
    for (size_t j = 0; j < n_features && !search->options->standardize; j++) {
        model->means[j] = 0;
        model->scales[j] = 1;
    }
    isg_logistic_center(model->intercepts, model->n_classes, 1);
}

static isg_status search_minimum(isg_logistic_search *search) {
    isg_logistic_report *report = &search->report;
    report->method = search->options->method;
    if (report->method == ISG_LOGISTIC_AUTO)
        report->method = search->loss.width <= MOST_NEWTON / (search->loss.n_classes - 1)
                             ? ISG_LOGISTIC_NEWTON
                             : ISG_LOGISTIC_LBFGS;
    ISG_TRY(report->method == ISG_LOGISTIC_NEWTON ? isg_logistic_newton(search)
                                                  : isg_logistic_lbfgs(search));
    report->penalty = isg_logistic_loss_penalty(&search->loss, search->theta);
    report->loss = search->value - report->penalty;
    return ISG_OK;
}

isg_status isg_logistic_fit(isg_logistic **out, isg_matd_view features, const uint32_t *labels,
                            size_t n_classes, const isg_logistic_options *options,
                            isg_logistic_report *report, const isg_progress *progress) {
    const isg_logistic_options defaults = isg_logistic_defaults();
    isg_logistic_search search = {.options = options ? options : &defaults, .progress = progress};
    isg_logistic *model = NULL;
    size_t *counts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_options(search.options));
    ISG_TRY(check_sizes(n_classes, features.cols));
    if (features.stride < features.cols)
        return isg_fail(ISG_ERR_SHAPE, "features: expected a stride of at least %zu, found %zu",
                        features.cols, features.stride);
    if (features.rows < n_classes) /* before anything is allocated per class */
        return isg_fail(ISG_ERR_ARGUMENT,
                        "features: expected samples of all %zu classes, found %zu in all",
                        n_classes, features.rows);
    ISG_TRY(check_features(features));
    ISG_TRY_GOTO(ISG_ALLOCATE(counts, n_classes));
    ISG_TRY_GOTO(count_labels(counts, labels, features.rows, n_classes));
    ISG_TRY_GOTO(allocate(&model, n_classes, features.cols));
    describe_columns(model, features);
    ISG_TRY_GOTO(begin(&search, model, features, labels, counts));
    ISG_TRY_GOTO(search_minimum(&search));
    finish(&search, model);
    if (report)
        *report = search.report;
    *out = model;
    model = NULL;
done:
    isg_logistic_free(model);
    isg_logistic_loss_release(&search.loss);
    isg_release(search.weights);
    isg_release(search.theta);
    isg_release(search.gradient);
    isg_release(counts);
    return status;
}

/* ---- Prediction ---------------------------------------------------------------------------------- */

/* Blocks of rows, each with scratch for one sample. */
enum { MOST_BLOCKS = 64 };

/* u_k of every class, see classify.h. */
static void find_exponents(const isg_logistic *model, const double *row, double *z,
                           double *scores) {
    for (size_t j = 0; j < model->n_features; j++)
        z[j] = (row[j] - model->means[j]) / model->scales[j];
    for (size_t k = 0; k < model->n_classes; k++) {
        const double *coefficients = model->coefficients + k * model->n_features;
        scores[k] = model->intercepts[k];
        for (size_t j = 0; j < model->n_features; j++)
            scores[k] += coefficients[j] * z[j];
    }
}

/* Exponents become probabilities. */
static void normalize(double *scores, size_t n_classes) {
    double top = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        top = fmax(top, scores[k]);
    for (size_t k = 0; k < n_classes; k++)
        sum += isg_exp(scores[k] - top);
    for (size_t k = 0; k < n_classes; k++)
        scores[k] = isg_exp(scores[k] - top) / sum;
}

static isg_status check_predict(const isg_logistic *model, isg_matd_view features, isg_matd out,
                                const char *what) {
    if (features.cols != model->n_features || features.stride < features.cols)
        return isg_fail(ISG_ERR_SHAPE, "features: expected %zu columns, found %zu",
                        model->n_features, features.cols);
    if (out.data &&
        (out.rows != features.rows || out.cols != model->n_classes || out.stride < out.cols))
        return isg_fail(ISG_ERR_SHAPE, "%s: expected room for %zu x %zu numbers, found %zu x %zu",
                        what, features.rows, model->n_classes, out.rows, out.cols);
    return check_features(features);
}

/* Labels, and the exponents or probabilities of all classes, of every row. */
static isg_status answer(const isg_logistic *model, isg_matd_view features, uint32_t *labels,
                         isg_matd out, bool is_exponent) {
    const size_t room = model->n_features + model->n_classes;
    const size_t n_blocks = features.rows < MOST_BLOCKS ? features.rows : MOST_BLOCKS;
    double *scratch = NULL;
    ISG_TRY(check_predict(model, features, out, is_exponent ? "decisions" : "probabilities"));
    ISG_TRY(ISG_ALLOCATE_MATRIX(scratch, n_blocks, room));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t block = 0; block < n_blocks; block++) {
        double *z = scratch + block * room, *scores = z + model->n_features;
        for (size_t a = block * features.rows / n_blocks;
             a < (block + 1) * features.rows / n_blocks; a++) {
            find_exponents(model, features.data + a * features.stride, z, scores);
            if (!is_exponent)
                normalize(scores, model->n_classes);
            size_t best = 0;
            for (size_t k = 1; k < model->n_classes; k++)
                if (scores[k] > scores[best])
                    best = k;
            if (labels)
                labels[a] = (uint32_t)best;
            if (out.data)
                memcpy(out.data + a * out.stride, scores, model->n_classes * sizeof *scores);
        }
    }
    isg_release(scratch);
    return ISG_OK;
}

isg_status isg_logistic_predict(const isg_logistic *model, isg_matd_view features, uint32_t *labels,
                                isg_matd probabilities) {
    return answer(model, features, labels, probabilities, false);
}

isg_status isg_logistic_decisions(const isg_logistic *model, isg_matd_view features, isg_matd out) {
    return answer(model, features, NULL, out, true);
}
