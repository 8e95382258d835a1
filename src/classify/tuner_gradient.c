/* tuner_gradient.c - the gradient of a mini-batch in fine-tuning
 *
 * SPDX-License-Identifier: MIT
 *
 * With z = f(h) / S the features of h = W^T s + c, u = M z + intercepts and p = softmax(u), the loss
 * -ln p_y of a sample of class y, which weighs omega_y, has the gradients
 *
 *     r_k = omega_y (p_k - [k = y])   for u,    sum_a r_k z_j    for M,    sum_a r_k for the intercepts
 *     d_j = sum_k r_k M_kj / S        for f,    g_mu = d_j df_j / dh_mu   for h,    s_i g_mu for W
 *
 * Sums over classes, features and samples are in their order, in double, but for s_i g_mu, which the
 * kernel adds in float, 64 samples at a time, and then in double.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/rng.h"
#include "classify/tuner.h"

/* Sample number k of the mini-batch. */
static size_t row_of(const isg_tuner *tuner, size_t k) {
    return tuner->order[tuner->state.batch * tuner->option.batch_size + k];
}

void isg_tuner_begin(isg_tuner *tuner) {
    const uint64_t epoch = tuner->state.epochs;
    const size_t left = tuner->data->info.n_samples - tuner->state.batch * tuner->option.batch_size;
    if (tuner->order_of != epoch + 1) {
        isg_dataset_shuffle(tuner->data, tuner->option.seed, epoch, tuner->order);
        tuner->order_of = epoch + 1;
    }
    tuner->count = left < tuner->option.batch_size ? left : tuner->option.batch_size;
}

/* From -most to most, all alike but for 2^-32. */
static ptrdiff_t pixels_of(uint32_t word, size_t most) {
    return (ptrdiff_t)((uint64_t)word * (2 * most + 1) >> 32) - (ptrdiff_t)most;
}

static void take_spins(const isg_tuner *tuner, size_t row, uint64_t *out) {
    const uint64_t *spins = isg_dataset_spins(tuner->data, row);
    const size_t most = tuner->option.shift;
    if (most == 0) {
        memcpy(out, spins, tuner->data->words * sizeof *out);
        return;
    }
    const isg_stream stream =
        isg_stream_at(tuner->option.seed, ISG_PURPOSE_SHIFT, tuner->state.epochs, 0);
    uint32_t words[2];
    isg_stream_words(&stream, 2 * (uint64_t)row, 2, words);
    isg_shift(&tuner->shifts, pixels_of(words[0], most), pixels_of(words[1], most), spins, out);
}

/* From exponents u to residuals, in place. Returns the loss. */
static double set_residuals(const isg_tuner *tuner, double *u, uint32_t truth, bool *is_wrong) {
    const size_t n_classes = tuner->model->classes.n_classes;
    const double weight = tuner->class_weights[truth];
    size_t best = 0;
    for (size_t k = 1; k < n_classes; k++)
        if (u[k] > u[best])
            best = k;
    const double top = u[best], mine = u[truth] - top;
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += u[k] = isg_exp(u[k] - top);
    for (size_t k = 0; k < n_classes; k++)
        u[k] = weight * (u[k] / sum - (k == truth));
    *is_wrong = best != truth;
    return weight * (isg_log(sum) - mine);
}

static void look_at(isg_tuner *tuner, size_t a) {
    const isg_feature_map *map = &tuner->model->map;
    const isg_logistic *model = tuner->model->logistic;
    const size_t n_features = model->n_features, stride = map->packed.stride;
    double *z = tuner->features + a * n_features, *slopes = tuner->slopes + a * n_features;
    double *u = tuner->residuals + a * model->n_classes;
    const int32_t *input = tuner->input + a * stride;
    isg_features_of(map, input, tuner->spins + a * map->packed.words, z);
    for (size_t j = 0; j < n_features; j++)
        z[j] /= tuner->scale;
    for (size_t k = 0; k < model->n_classes; k++) {
        const double *row = model->coefficients + k * n_features;
        u[k] = model->intercepts[k];
        for (size_t j = 0; j < n_features; j++)
            u[k] += row[j] * z[j];
    }
    tuner->losses[a] = set_residuals(tuner, u, tuner->truth[row_of(tuner, a)], tuner->is_wrong + a);
    memset(slopes, 0, n_features * sizeof *slopes);
    for (size_t k = 0; k < model->n_classes; k++)
        for (size_t j = 0; j < n_features; j++)
            slopes[j] += u[k] * model->coefficients[k * n_features + j];
    for (size_t j = 0; j < n_features; j++)
        slopes[j] /= tuner->scale;
    isg_features_pull(map, input, slopes, tuner->pulls + a * stride);
}

void isg_tuner_look(isg_tuner *tuner, isg_rows rows) {
    const isg_gibbs_weights *w = &tuner->model->map.packed;
    if (rows.begin == rows.end)
        return;
    for (size_t a = rows.begin; a < rows.end; a++)
        take_spins(tuner, row_of(tuner, a), tuner->spins + a * w->words);
    isg_kernels_get()->hidden_input(w, rows.end - rows.begin, tuner->spins + rows.begin * w->words,
                                    tuner->input + rows.begin * w->stride);
    for (size_t a = rows.begin; a < rows.end; a++)
        look_at(tuner, a);
}

void isg_tuner_sum_panel(isg_tuner *tuner, size_t panel) {
    const isg_gibbs_weights *w = &tuner->model->map.packed;
    double *sums = tuner->sums + panel * ISG_PANEL * w->stride;
    memset(sums, 0, ISG_PANEL * w->stride * sizeof *sums);
    isg_kernels_get()->spin_moments(w, panel, tuner->count, tuner->spins, tuner->pulls, 1, sums);
}

void isg_tuner_sum_class(isg_tuner *tuner, size_t k) {
    const size_t n_features = tuner->model->logistic->n_features;
    const size_t n_classes = tuner->model->classes.n_classes;
    double *sums = tuner->class_sums + k * (n_features + 1);
    memset(sums, 0, (n_features + 1) * sizeof *sums);
    for (size_t a = 0; a < tuner->count; a++) {
        const double residual = tuner->residuals[a * n_classes + k];
        const double *z = tuner->features + a * n_features;
        for (size_t j = 0; j < n_features; j++)
            sums[j] += residual * z[j];
        sums[n_features] += residual;
    }
}
