/* hopfield_to_rbm.c - the RBM that is exactly equivalent to a Hopfield network
 *
 * SPDX-License-Identifier: MIT
 *
 * The projection rule J = xi (xi^T xi)^-1 xi^T is Q Q^T with xi = QR (Eqs. 2 and 3 of the paper),
 * and a Gaussian integral turns exp(beta s^T Q Q^T s / 2) into a layer of hidden units with weights
 * Q (Eqs. 5 and 6). Any W = Q O with an orthogonal O works as well (appendix B). So all that
 * remains, given the QR of the patterns that the network already has, is a p x p problem for O:
 *
 *     qr: O = 1      svd: O = U      sqrt: O = U V^T      where R = U S V^T
 *
 * and O^T R becomes the new R, since W O^T R = Q R = xi.
 */
#include "mapping/hopfield_to_rbm.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/linalg.h"

isg_mapping_options isg_mapping_defaults(void) {
    return (isg_mapping_options){.via = ISG_VIA_QR, .beta = 2};
}

/* O from the singular vectors of R: U for all its columns, or U V^T for the chosen ones, which are
   all if the patterns are independent. */
static isg_status find_rotation(isg_matd rotation, const isg_rbm *rbm, const size_t *order,
                                isg_decomposition via) {
    const size_t k = rbm->info.n_hidden, p = rbm->r_cols, cols = via == ISG_VIA_SVD ? p : k;
    isg_status status = ISG_OK;
    double *r = NULL, *u = NULL, *sigma = NULL, *vt = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, cols));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, k, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, cols));
    for (size_t mu = 0; mu < k; mu++)
        for (size_t j = 0; j < cols; j++)
            r[mu * cols + j] = rbm->r[mu * p + order[j]];
    const isg_matd left = isg_matd_of(u, k, k), right = isg_matd_of(vt, k, cols);
    ISG_TRY_GOTO(isg_svd(left, sigma, right, isg_matd_const(isg_matd_of(r, k, cols))));
    if (via == ISG_VIA_SVD)
        memcpy(rotation.data, u, k * k * sizeof *u);
    else
        ISG_TRY_GOTO(isg_matrix_multiply(rotation, isg_matd_const(left), ISG_AS_IS,
                                         isg_matd_const(right), ISG_AS_IS));
done:
    isg_release(r);
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    return status;
}

/* W becomes W O, R becomes O^T R. */
static isg_status rotate(isg_rbm *rbm, isg_matd_view rotation) {
    const size_t n = rbm->info.n_visible, k = rbm->info.n_hidden, p = rbm->r_cols;
    isg_status status = ISG_OK;
    double *weights = NULL, *r = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(weights, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, p));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(weights, n, k), isg_rbm_view(rbm), ISG_AS_IS,
                                     rotation, ISG_AS_IS));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(r, k, p), rotation, ISG_TRANSPOSED,
                                     isg_rbm_coefficients(rbm), ISG_AS_IS));
    isg_release(rbm->weights);
    isg_release(rbm->r);
    rbm->weights = weights;
    rbm->r = r;
    return ISG_OK;
done:
    isg_release(weights);
    isg_release(r);
    return status;
}

/* W = Q O and O^T R from the network's W = Q and R. */
static isg_status turn(isg_rbm *rbm, const size_t *order, isg_decomposition via) {
    const size_t k = rbm->info.n_hidden;
    isg_status status = ISG_OK;
    double *rotation = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(rotation, k, k));
    ISG_TRY_GOTO(find_rotation(isg_matd_of(rotation, k, k), rbm, order, via));
    ISG_TRY_GOTO(rotate(rbm, isg_matd_const(isg_matd_of(rotation, k, k))));
done:
    isg_release(rotation);
    return status;
}

/* R of W = u with W R = xi: known for projection, sqrt(N) times the identity for Hebbian. */
static isg_status set_coefficients(isg_rbm *rbm, const isg_hopfield *network) {
    const size_t k = rbm->info.n_hidden, p = network->info.n_patterns;
    rbm->r_cols = p;
    ISG_TRY(ISG_ALLOCATE_MATRIX(rbm->r, k, p));
    if (network->info.rule == ISG_RULE_PROJECTION)
        memcpy(rbm->r, network->r, k * p * sizeof *rbm->r);
    for (size_t mu = 0; network->info.rule == ISG_RULE_HEBBIAN && mu < p; mu++)
        rbm->r[mu * p + mu] = sqrt((double)network->info.n_visible);
    return ISG_OK;
}

static isg_status check_via(const isg_hopfield *network, isg_decomposition via) {
    if ((unsigned)via > ISG_VIA_HEBBIAN)
        return isg_fail(ISG_ERR_ARGUMENT, "via: expected qr, svd, sqrt or hebbian, found %d",
                        (int)via);
    if (via == ISG_VIA_HEBBIAN && network->info.rule == ISG_RULE_PROJECTION)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "via: expected qr, svd or sqrt for a network of the projection rule, found "
                        "hebbian");
    return ISG_OK;
}

isg_status isg_rbm_from_hopfield(isg_rbm **out, const isg_hopfield *network, isg_decomposition via,
                                 double beta, isg_mapping_report *report) {
    const isg_hopfield_info *info = &network->info;
    const bool is_projection = info->rule == ISG_RULE_PROJECTION;
    isg_mapping_report found = {.via = is_projection ? via : ISG_VIA_HEBBIAN, .rank = info->rank};
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_via(network, via));
    if (report && info->rule == ISG_RULE_WEIGHTS)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "report: a network made from an RBM has no pattern rule to compare with");
    ISG_TRY(isg_rbm_create(&rbm, info->n_visible, network->n_columns, beta));
    memcpy(rbm->weights, network->u, info->n_visible * network->n_columns * sizeof *rbm->weights);
    memcpy(rbm->b, network->b, info->n_visible * sizeof *rbm->b);
    if (network->patterns) {
        rbm->info.image_height = network->patterns->info.image_height;
        rbm->info.image_width = network->patterns->info.image_width;
        rbm->encoding = isg_encoding_share(network->patterns->encoding);
        ISG_TRY_GOTO(isg_patterns_copy(&rbm->patterns, network->patterns, SIZE_MAX, NULL, NULL));
    }
    if (info->rule != ISG_RULE_WEIGHTS)
        ISG_TRY_GOTO(set_coefficients(rbm, network));
    if (is_projection && via != ISG_VIA_QR)
        ISG_TRY_GOTO(turn(rbm, network->order, via));
    if (report) {
        if (found.rank == 0) /* not computed yet */
            ISG_TRY_GOTO(isg_patterns_find_rank(network->patterns, true, &found.rank));
        ISG_TRY_GOTO(isg_mapping_check(rbm, &found));
        found.energy_shift = info->keeps_diagonal ? 0 : info->trace / 2;
        *report = found;
    }
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    return status;
}

isg_status isg_rbm_from_patterns(isg_rbm **out, const isg_patterns *patterns,
                                 const isg_mapping_options *options, isg_mapping_report *report) {
    const isg_mapping_options chosen = options ? *options : isg_mapping_defaults();
    const isg_hopfield_options how = {.rule = chosen.via == ISG_VIA_HEBBIAN ? ISG_RULE_HEBBIAN
                                                                            : ISG_RULE_PROJECTION,
                                      .keep_diagonal = true,
                                      .allow_rank_deficient = chosen.allow_rank_deficient,
                                      .field = chosen.field};
    isg_hopfield *network = NULL;
    ISG_TRY(isg_hopfield_build(&network, patterns, &how, false));
    const isg_status status = isg_rbm_from_hopfield(out, network, chosen.via, chosen.beta, report);
    isg_hopfield_free(network);
    return status;
}

isg_matd_view isg_rbm_coefficients(const isg_rbm *rbm) {
    return (isg_matd_view){rbm->r, rbm->info.n_hidden, rbm->r_cols, rbm->r_cols};
}
