/* elbo.c - bounds on the likelihood of samples, and the classes they belong to
 *
 * SPDX-License-Identifier: MIT
 *
 * For any q(lambda | s) and any r_k,
 *
 *     ln p(s) >= E_q[ln p(s | lambda)] + H(q) + sum_k r_k (ln share_k + E_q[ln p(lambda | k)] - ln r_k)
 *
 * and the r_k ~ share_k exp(E_q[ln p(lambda | k)]) that make this largest turn the sum into the logarithm
 * of the sum of the exponentials. Where the class is known, r is 1 there and 0 elsewhere.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

/* ---- bounds --------------------------------------------------------------------------------------- */

static uint32_t largest_of(const double *terms, size_t n_classes) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < n_classes; k++)
        if (terms[k] > terms[best])
            best = k;
    return best;
}

static isg_status check_units(const isg_deep_model *model, const isg_dataset *data) {
    const size_t n = model->rbm->info.n_visible;
    return data->info.n_visible == n
               ? ISG_OK
               : isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the model expects %zu",
                          data->info.n_visible, n);
}

/* What there is to work with, for ISG_DEEP_ROWS samples at a time. */
typedef struct block {
    isg_reconstructor reconstructor;
    isg_class_sums sums;
    double *h, *terms; /* (ISG_DEEP_ROWS, p), (ISG_DEEP_ROWS, n_parts) */
    double *by_class;  /* (n_classes) */
} block;

static isg_status start_block(block *my, const isg_deep_model *model) {
    const size_t p = model->rbm->info.n_hidden;
    memset(my, 0, sizeof *my);
    ISG_TRY(isg_reconstructor_start(&my->reconstructor, model->rbm));
    ISG_TRY(isg_class_sums_start(&my->sums, model, model->factors, model->logs));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->h, ISG_DEEP_ROWS, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->terms, ISG_DEEP_ROWS, model->n_parts));
    return ISG_ALLOCATE(my->by_class, model->n_classes);
}

static void release_block(block *my) {
    isg_reconstructor_release(&my->reconstructor);
    isg_class_sums_release(&my->sums);
    isg_release(my->h);
    isg_release(my->terms);
    isg_release(my->by_class);
}

/* h and the terms of rows `first` to first + rows - 1. */
static isg_status find_terms(block *my, const isg_deep_model *model, const isg_dataset *data,
                             size_t first, size_t rows) {
    const isg_matd h = isg_matd_of(my->h, rows, model->rbm->info.n_hidden);
    ISG_TRY(isg_spin_product(h, isg_dataset_spins(data, first), isg_rbm_view(model->rbm),
                             model->rbm->c, NULL));
    return isg_class_terms(&my->sums, isg_matd_const(h), my->terms);
}

/* The terms of the classes: logarithms of the sums over their parts. */
static const double *class_terms(const block *my, const isg_deep_model *model, size_t a) {
    const double *terms = my->terms + a * model->n_parts;
    for (size_t k = 0; k < model->n_classes; k++)
        my->by_class[k] = isg_log_sum_exp(terms + k * model->parts, model->parts);
    return my->by_class;
}

static void add_up(const block *my, const isg_deep_model *model, size_t first, size_t rows,
                   const isg_bounds *out) {
    const size_t n_classes = model->n_classes;
    const double entropy =
        isg_recognition_entropy(model->rbm->info.n_hidden, model->rbm->info.beta);
    for (size_t a = 0; a < rows; a++) {
        const double *terms = class_terms(my, model, a);
        const double rest = out->reconstruction[first + a] + entropy;
        out->bound[first + a] = rest + isg_log_sum_exp(terms, n_classes);
        if (out->labelled) {
            const uint32_t k = out->truth ? out->truth[first + a] : ISG_UNLABELLED;
            out->labelled[first + a] = k < n_classes ? rest + terms[k] : (double)NAN;
        }
        if (out->answers)
            out->answers[first + a] = largest_of(terms, n_classes);
    }
}

isg_status isg_find_bounds(const isg_deep_model *model, const isg_dataset *data,
                           const isg_bounds *out, const isg_progress *progress) {
    const size_t n_samples = data->info.n_samples;
    block my;
    isg_status status = ISG_OK;
    ISG_TRY(check_units(model, data));
    ISG_TRY_GOTO(start_block(&my, model));
    for (size_t first = 0; first < n_samples; first += ISG_DEEP_ROWS) {
        const size_t left = n_samples - first, rows = left < ISG_DEEP_ROWS ? left : ISG_DEEP_ROWS;
        const isg_matd_view h = {my.h, rows, model->rbm->info.n_hidden, model->rbm->info.n_hidden};
        ISG_TRY_GOTO(find_terms(&my, model, data, first, rows));
        if (!out->has_reconstruction)
            ISG_TRY_GOTO(isg_reconstruct(&my.reconstructor, isg_dataset_spins(data, first), h,
                                         out->reconstruction + first));
        add_up(&my, model, first, rows, out);
        if (progress &&
            !progress->report(progress->user, (double)(first + rows) / (double)n_samples))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "finding the likelihood was cancelled"));
    }
    for (size_t a = 0; a < n_samples; a++)
        if (!isfinite(out->bound[a]))
            ISG_TRY_GOTO(
                isg_fail(ISG_ERR_DIVERGED, "the likelihood of sample %zu is not finite", a));
done:
    release_block(&my);
    return status;
}

size_t isg_mean_and_error(const double *values, size_t count, double *mean, double *error) {
    isg_sum sum = {0}, squares = {0};
    size_t n = 0;
    for (size_t a = 0; a < count; a++)
        if (!isnan(values[a])) {
            isg_sum_add(&sum, values[a]);
            n++;
        }
    *mean = n > 0 ? isg_sum_value(sum) / (double)n : (double)NAN;
    for (size_t a = 0; a < count; a++)
        if (!isnan(values[a]))
            isg_sum_add(&squares, (values[a] - *mean) * (values[a] - *mean));
    *error = n > 1 ? sqrt(isg_sum_value(squares) / ((double)n * (double)(n - 1))) : (double)NAN;
    return n;
}

void isg_find_truth(uint32_t *truth, const isg_deep_model *model, const isg_dataset *data) {
    for (size_t a = 0; a < data->info.n_samples; a++)
        truth[a] = ISG_UNLABELLED;
    for (size_t c = 0; data->labels.count && c < data->info.n_classes; c++) {
        const size_t k = isg_labels_find(&model->classes, data->labels.names[c]);
        for (size_t a = 0; k < model->n_classes && a < data->info.n_samples; a++)
            if (data->labels.index[a] == c)
                truth[a] = (uint32_t)k;
    }
}

isg_status isg_deep_model_elbo(const isg_deep_model *model, const isg_dataset *data, isg_elbo *out,
                               double *each, const isg_progress *progress) {
    const size_t n = data->info.n_samples;
    double *numbers = NULL, unused = 0;
    uint32_t *truth = NULL;
    isg_elbo found = {.n_samples = n};
    isg_status status = ISG_OK;
    ISG_TRY(check_units(model, data));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(numbers, n, 3));
    ISG_TRY_GOTO(ISG_ALLOCATE(truth, n));
    isg_find_truth(truth, model, data);
    const isg_bounds bounds = {.reconstruction = numbers,
                               .bound = numbers + n,
                               .labelled = numbers + 2 * n,
                               .truth = truth};
    ISG_TRY_GOTO(isg_find_bounds(model, data, &bounds, progress));
    isg_mean_and_error(bounds.bound, n, &found.value, &found.error);
    isg_mean_and_error(bounds.reconstruction, n, &found.reconstruction, &unused);
    found.divergence = found.reconstruction - found.value;
    found.n_labelled =
        isg_mean_and_error(bounds.labelled, n, &found.labelled_value, &found.labelled_error);
    if (each)
        memcpy(each, bounds.bound, n * sizeof *each);
    *out = found;
done:
    isg_release(numbers);
    isg_release(truth);
    return status;
}

/* ---- classes -------------------------------------------------------------------------------------- */

/* Factors of the covariances themselves, and ln share_k Normal(mean_k; mean_k, covariance_k). */
static isg_status quadratic_rule(const isg_deep_model *model, double *factors, double *logs) {
    const size_t p = model->rbm->info.n_hidden;
    for (size_t k = 0; k < model->n_parts; k++) {
        const isg_matd factor = isg_part_matrix(factors, p, k);
        const isg_status status = isg_cholesky(factor, isg_deep_model_covariance(model, k));
        double smallest = HUGE_VAL, largest = 0;
        logs[k] = isg_log(model->shares[k]) - (double)p / 2 * isg_log(2 * ISG_PI);
        for (size_t mu = 0; status == ISG_OK && mu < p; mu++) {
            const double root = factor.data[mu * p + mu];
            logs[k] -= isg_log(root);
            smallest = fmin(smallest, root);
            largest = fmax(largest, root);
        }
        if (status == ISG_ERR_ARGUMENT || (status == ISG_OK && smallest <= 1e-7 * largest))
            return isg_fail(ISG_ERR_UNSUPPORTED,
                            "class '%s': its covariance is singular, so there is no quadratic "
                            "discriminant; shrink it",
                            model->classes.names[k / model->parts]);
        ISG_TRY(status);
    }
    return ISG_OK;
}

static void answer(const block *my, const isg_deep_model *model, size_t first, size_t rows,
                   uint32_t *labels, isg_matd probabilities) {
    const size_t n_classes = model->n_classes;
    for (size_t a = 0; a < rows; a++) {
        const double *terms = class_terms(my, model, a);
        const double all = isg_log_sum_exp(terms, n_classes);
        if (labels)
            labels[first + a] = largest_of(terms, n_classes);
        for (size_t k = 0; probabilities.data && k < n_classes; k++)
            probabilities.data[(first + a) * probabilities.stride + k] = isg_exp(terms[k] - all);
    }
}

static isg_status predict(block *my, const isg_deep_model *model, const isg_dataset *data,
                          uint32_t *labels, isg_matd probabilities, const isg_progress *progress) {
    const size_t n_samples = data->info.n_samples;
    for (size_t first = 0; first < n_samples; first += ISG_DEEP_ROWS) {
        const size_t left = n_samples - first, rows = left < ISG_DEEP_ROWS ? left : ISG_DEEP_ROWS;
        ISG_TRY(find_terms(my, model, data, first, rows));
        answer(my, model, first, rows, labels, probabilities);
        if (progress &&
            !progress->report(progress->user, (double)(first + rows) / (double)n_samples))
            return isg_fail(ISG_ERR_CANCELLED, "classifying was cancelled");
    }
    return ISG_OK;
}

isg_status isg_deep_model_predict(const isg_deep_model *model, const isg_dataset *data,
                                  isg_deep_rule rule, uint32_t *labels, isg_matd probabilities,
                                  const isg_progress *progress) {
    const size_t n_samples = data->info.n_samples, n_classes = model->n_classes;
    const size_t p = model->rbm->info.n_hidden;
    double *factors = NULL, *logs = NULL;
    block my = {0};
    isg_status status = ISG_OK;
    ISG_TRY(check_units(model, data));
    if (probabilities.data && (probabilities.rows != n_samples || probabilities.cols != n_classes ||
                               probabilities.stride < n_classes))
        return isg_fail(ISG_ERR_SHAPE,
                        "probabilities: expected room for %zu x %zu numbers, found %zu x %zu",
                        n_samples, n_classes, probabilities.rows, probabilities.cols);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.h, ISG_DEEP_ROWS, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.terms, ISG_DEEP_ROWS, model->n_parts));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(factors, model->n_parts, p * p));
    ISG_TRY_GOTO(ISG_ALLOCATE(logs, model->n_parts));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.by_class, n_classes));
    if (rule == ISG_DEEP_QUADRATIC)
        ISG_TRY_GOTO(quadratic_rule(model, factors, logs));
    ISG_TRY_GOTO(rule == ISG_DEEP_QUADRATIC
                     ? isg_class_sums_start(&my.sums, model, factors, logs)
                     : isg_class_sums_start(&my.sums, model, model->factors, model->logs));
    ISG_TRY_GOTO(predict(&my, model, data, labels, probabilities, progress));
done:
    release_block(&my);
    isg_release(factors);
    isg_release(logs);
    return status;
}
