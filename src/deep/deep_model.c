/* deep_model.c - an RBM with a Gaussian of its hidden units for every class
 *
 * SPDX-License-Identifier: MIT
 *
 * With h = W^T s + c and q = Normal(h, 1 / beta),
 *
 *     E_q[ln p(lambda | k)] = ln Normal(h; mean_k, Sigma_k) - tr(Sigma_k^-1) / (2 beta)
 *
 * for Sigma_k = covariance_k + 1 / beta. What does not depend on h is kept in `logs`, with ln share_k.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

isg_status isg_deep_model_create(isg_deep_model **out, const isg_rbm *rbm, size_t n_classes,
                                 size_t parts) {
    const size_t p = rbm->info.n_hidden;
    isg_deep_model *made = NULL;
    size_t square = 0, n_parts = 0;
    isg_status status = ISG_OK;
    if (!isg_multiply(&square, p, p) || !isg_multiply(&square, square, sizeof(double)) ||
        !isg_multiply(&n_parts, n_classes, parts))
        return isg_fail(ISG_ERR_MEMORY, "the covariance of %zu hidden units does not fit in memory",
                        p);
    ISG_TRY(ISG_ALLOCATE(made, 1));
    made->n_classes = n_classes;
    made->parts = parts;
    made->n_parts = n_parts;
    made->rbm_beta = rbm->info.beta;
    ISG_TRY_GOTO(isg_rbm_copy(&made->rbm, rbm));
    ISG_TRY_GOTO(ISG_ALLOCATE(made->shares, n_parts));
    ISG_TRY_GOTO(ISG_ALLOCATE(made->logs, n_parts));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(made->means, n_parts, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(made->covariances, n_parts, p * p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(made->factors, n_parts, p * p));
    *out = made;
    made = NULL;
done:
    isg_deep_model_free(made);
    return status;
}

void isg_deep_model_free(isg_deep_model *model) {
    if (!model)
        return;
    isg_rbm_free(model->rbm);
    isg_labels_clear(&model->classes);
    isg_release(model->shares);
    isg_release(model->means);
    isg_release(model->covariances);
    isg_release(model->factors);
    isg_release(model->logs);
    isg_release(model->trials);
    isg_release(model);
}

/* ---- what follows from the moments ---------------------------------------------------------------- */

/* tr((l l^T)^-1) = |l^-1|^2; `inverse` (p, p) is scratch. */
static isg_status trace_of_inverse(double *out, isg_matd_view l, isg_matd inverse) {
    memset(inverse.data, 0, inverse.rows * inverse.cols * sizeof *inverse.data);
    for (size_t mu = 0; mu < inverse.rows; mu++)
        inverse.data[mu * inverse.stride + mu] = 1;
    ISG_TRY(isg_triangular_solve(inverse, l, ISG_LOWER, ISG_AS_IS));
    *out = 0;
    for (size_t i = 0; i < inverse.rows * inverse.cols; i++)
        *out += inverse.data[i] * inverse.data[i];
    return ISG_OK;
}

static isg_status prepare_class(isg_deep_model *model, size_t k, isg_matd scratch) {
    const size_t p = model->rbm->info.n_hidden;
    const double beta = model->rbm->info.beta;
    const isg_matd factor = isg_part_matrix(model->factors, p, k);
    double trace = 0, log_root = 0;
    memcpy(factor.data, model->covariances + k * p * p, p * p * sizeof *factor.data);
    for (size_t mu = 0; mu < p; mu++)
        factor.data[mu * p + mu] += 1 / beta;
    ISG_TRY(isg_cholesky(factor, isg_matd_const(factor)));
    ISG_TRY(trace_of_inverse(&trace, isg_matd_const(factor), scratch));
    for (size_t mu = 0; mu < p; mu++)
        log_root += isg_log(factor.data[mu * p + mu]);
    model->logs[k] = isg_log(model->shares[k]) - (double)p / 2 * isg_log(2 * ISG_PI) - log_root -
                     trace / (2 * beta);
    return isfinite(model->logs[k])
               ? ISG_OK
               : isg_fail(ISG_ERR_DIVERGED, "class '%s': its Gaussian is not finite",
                          model->classes.names[k / model->parts]);
}

isg_status isg_deep_model_prepare(isg_deep_model *model) {
    const size_t p = model->rbm->info.n_hidden;
    double *scratch = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE_MATRIX(scratch, p, p));
    for (size_t k = 0; status == ISG_OK && k < model->n_parts; k++) {
        status = prepare_class(model, k, isg_matd_of(scratch, p, p));
        if (status == ISG_ERR_ARGUMENT)
            status = isg_fail(status, "class '%s': its covariance is not positive definite",
                              model->classes.names[k / model->parts]);
    }
    isg_release(scratch);
    return status;
}

/* ---- looking inside ------------------------------------------------------------------------------- */

isg_deep_model_info isg_deep_model_describe(const isg_deep_model *model) {
    const isg_rbm_info rbm = model->rbm->info;
    return (isg_deep_model_info){.n_visible = rbm.n_visible,
                                 .n_hidden = rbm.n_hidden,
                                 .n_classes = model->n_classes,
                                 .parts = model->parts,
                                 .beta = rbm.beta,
                                 .rbm_beta = model->rbm_beta,
                                 .shrinkage = model->shrinkage,
                                 .toward = model->toward,
                                 .image_height = rbm.image_height,
                                 .image_width = rbm.image_width};
}

const isg_rbm *isg_deep_model_rbm(const isg_deep_model *model) {
    return model->rbm;
}

const char *isg_deep_model_class_name(const isg_deep_model *model, size_t k) {
    return k < model->n_classes ? model->classes.names[k] : NULL;
}

double isg_deep_model_share(const isg_deep_model *model, size_t k) {
    return model->shares[k];
}

const double *isg_deep_model_mean(const isg_deep_model *model, size_t k) {
    return model->means + k * model->rbm->info.n_hidden;
}

isg_matd_view isg_deep_model_covariance(const isg_deep_model *model, size_t k) {
    return isg_matd_const(isg_part_matrix(model->covariances, model->rbm->info.n_hidden, k));
}

const isg_deep_trial *isg_deep_model_trials(const isg_deep_model *model, size_t *count) {
    *count = model->n_trials;
    return model->trials;
}

isg_status isg_deep_model_truth(const isg_deep_model *model, const isg_dataset *data,
                                uint32_t *labels) {
    return isg_labels_match(labels, data, &model->classes, "model");
}
