/* label_rbm.c - an RBM trained on samples with labels, as a classifier
 *
 * SPDX-License-Identifier: MIT
 *
 * The visible units are spins s and one unit t_k for every class: +1 for the one that s belongs to, -1
 * for the others. With all t down, h = W_s^T s + c - sum_k w_k, where w_k is the row of W of t_k;
 * raising t_k adds 2 w_k to it, so that
 *
 *     ln p(k | s) = beta / 2 |h + 2 w_k|^2 + 2 beta b_k + const
 *                 = 2 beta w_k.(W_s^T s + c) + 2 beta (b_k + |w_k|^2 - w_k.sum_l w_l) + const
 *
 * The square of h drops out: hidden units are Gaussian, and so p(k | s) is a logistic regression on
 * their means, whatever the weights. No sum over states, no sampling.
 */
#include <string.h>

#include "base/memory.h"
#include "classify/logistic.h"

isg_status isg_dataset_append_labels(isg_dataset **out, const isg_dataset *data) {
    const size_t n = data->info.n_visible, n_samples = data->info.n_samples;
    isg_dataset *longer = NULL;
    size_t *rows = NULL;
    isg_status status = ISG_OK;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "the data have no labels to append");
    if (n > SIZE_MAX / 2 || data->info.n_classes > SIZE_MAX / 2)
        return isg_fail(ISG_ERR_MEMORY, "%zu units do not fit in memory", n);
    ISG_TRY(isg_dataset_new(&longer));
    longer->info = data->info;
    longer->info.n_visible = n + data->info.n_classes;
    longer->info.image_height = longer->info.image_width = 0;
    longer->words = isg_words(longer->info.n_visible);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(longer->spins, n_samples, longer->words));
    ISG_TRY_GOTO(ISG_ALLOCATE(rows, n_samples));
    if (data->missing)
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(longer->missing, n_samples, longer->words));
    for (size_t a = 0; a < n_samples; a++) {
        uint64_t *spins = isg_dataset_spins(longer, a);
        rows[a] = a;
        memcpy(spins, isg_dataset_spins(data, a), data->words * sizeof *spins);
        isg_bit_assign(spins, n + data->labels.index[a], true);
        if (data->missing)
            memcpy(longer->missing + a * longer->words, data->missing + a * data->words,
                   data->words * sizeof *spins);
    }
    ISG_TRY_GOTO(isg_labels_take(&longer->labels, &data->labels, rows, n_samples));
    ISG_TRY_GOTO(isg_dataset_count_classes(longer));
    *out = longer;
    longer = NULL;
done:
    isg_release(rows);
    isg_dataset_free(longer);
    return status;
}

/* The logistic regression above, on W_s^T s + c without standardizing. */
static isg_status make_logistic(isg_logistic **out, const isg_rbm *rbm, size_t n_classes) {
    const size_t p = rbm->info.n_hidden, n = rbm->info.n_visible - n_classes;
    const double *w = rbm->weights + n * p, beta = rbm->info.beta;
    double *means = NULL, *scales = NULL, *coefficients = NULL, *intercepts = NULL, *sum = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(means, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(scales, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(sum, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(coefficients, n_classes, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(intercepts, n_classes));
    double mean = 0;
    for (size_t mu = 0; mu < p; mu++)
        scales[mu] = 1;
    for (size_t k = 0; k < n_classes; k++)
        for (size_t mu = 0; mu < p; mu++) {
            coefficients[k * p + mu] = 2 * beta * w[k * p + mu];
            sum[mu] += w[k * p + mu];
        }
    for (size_t k = 0; k < n_classes; k++) {
        const double *row = w + k * p;
        intercepts[k] =
            2 * beta *
            (rbm->b[n + k] + isg_logistic_dot(row, row, p) - isg_logistic_dot(row, sum, p));
        mean += intercepts[k] / (double)n_classes;
    }
    for (size_t k = 0; k < n_classes; k++)
        intercepts[k] -= mean;
    status = isg_logistic_create(out, n_classes, p, means, scales, coefficients, intercepts);
done:
    isg_release(means);
    isg_release(scales);
    isg_release(sum);
    isg_release(coefficients);
    isg_release(intercepts);
    return status;
}

isg_status isg_classifier_from_labels(isg_classifier **out, const isg_rbm *rbm,
                                      const isg_dataset *data) {
    const size_t n_visible = data->info.n_visible, n_classes = data->info.n_classes;
    isg_classifier *made = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(made, 1));
    ISG_TRY_GOTO(isg_class_names(&made->classes, data));
    if (rbm->info.n_visible < n_classes || rbm->info.n_visible - n_classes != n_visible)
        ISG_TRY_GOTO(isg_fail(
            ISG_ERR_SHAPE, "expected an RBM of %zu visible units and %zu labels, found %zu units",
            n_visible, n_classes, rbm->info.n_visible));
    ISG_TRY_GOTO(isg_feature_map_of(&made->map, ISG_FEATURES_HIDDEN, &rbm, 1, n_visible));
    made->map.betas[0] =
        0; /* without the labels, these units are no model that could fill in others */
    ISG_TRY_GOTO(make_logistic(&made->logistic, rbm, n_classes));
    made->image_height = data->info.image_height;
    made->image_width = data->info.image_width;
    made->encoding = isg_encoding_share(data->encoding);
    *out = made;
    made = NULL;
done:
    isg_classifier_free(made);
    return status;
}
