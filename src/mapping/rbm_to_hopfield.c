/* rbm_to_hopfield.c - an RBM with its hidden layer integrated out
 *
 * SPDX-License-Identifier: MIT
 *
 * The result is H(s) = -s^T J s / 2 - (b + W c).s with J = W W^T (Eqs. 10 and 11 of the paper). It
 * follows a Hopfield rule exactly in two cases: W binary up to one factor w gives the Hebbian rule
 * at beta' = N w^2 beta, orthonormal columns give a projector. The singular values show how far
 * W = U Sigma V^T is from the second case (appendix D): the nearest orthonormal matrix is L = U V^T,
 * and the projection rule of any W X has C = U Sigma^-2 U^T in place of U U^T.
 */
#include "mapping/rbm_to_hopfield.h"

#include <math.h>

#include "base/memory.h"
#include "linalg/linalg.h"

/* Absolute values that differ by less than this fraction are equal up to rounding. */
static const double same_size = 1e-12;

void isg_rbm_effective_field(const isg_rbm *rbm, double *field) {
    isg_rbm_visible_input(rbm, rbm->c, field);
}

bool isg_weights_are_binary(const isg_rbm *rbm, double *scales) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    for (size_t mu = 0; mu < p; mu++) {
        scales[mu] = fabs(rbm->weights[mu]);
        if (!(scales[mu] > 0) || !isfinite(scales[mu]))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            if (!(fabs(fabs(rbm->weights[i * p + mu]) - scales[mu]) <= same_size * scales[mu]))
                return false;
    return true;
}

/* Largest entry of W^T W - I. */
static isg_status orthogonality(const isg_rbm *rbm, double *out) {
    const size_t p = rbm->info.n_hidden;
    double *gram = NULL, largest = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(gram, p, p));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(gram, p, p), isg_rbm_view(rbm), ISG_TRANSPOSED,
                                     isg_rbm_view(rbm), ISG_AS_IS));
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++)
            largest = fmax(largest, fabs(gram[mu * p + nu] - (mu == nu)));
    *out = largest;
done:
    isg_release(gram);
    return status;
}

/* From the singular values (k), descending. Columns beyond the rank count in the distance too: L
   has these columns, W does not. */
static void describe_singular(isg_integrated *out, const double *sigma, size_t k) {
    const double least = isg_rank_tolerance(out->n_visible, out->n_hidden) * sigma[0];
    double square = (double)(out->n_hidden - k);
    for (size_t j = 0; j < k; j++) {
        out->rank += sigma[j] > least;
        square += (sigma[j] - 1) * (sigma[j] - 1);
        out->correction = fmax(out->correction, fabs(1 / (sigma[j] * sigma[j]) - 1));
    }
    out->orthogonal_distance = sqrt(square);
    if (out->rank < out->n_hidden)
        out->correction = HUGE_VAL;
}

static void describe_binary(isg_integrated *out, const isg_rbm *rbm, double *scales) {
    out->is_binary = isg_weights_are_binary(rbm, scales);
    out->is_hebbian = out->is_binary;
    for (size_t mu = 1; out->is_hebbian && mu < out->n_hidden; mu++)
        out->is_hebbian = fabs(scales[mu] - scales[0]) <= same_size * scales[0];
    out->hebbian_beta = out->is_hebbian
                            ? (double)out->n_visible * scales[0] * scales[0] * rbm->info.beta
                            : (double)NAN;
}

isg_status isg_rbm_integrate(const isg_rbm *rbm, isg_integrated *out, double *singular_values,
                             double *field) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, k = n < p ? n : p;
    isg_integrated found = {.n_visible = n, .n_hidden = p};
    double *u = NULL, *sigma = NULL, *vt = NULL, *scratch = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(scratch, n > p ? n : p));
    ISG_TRY_GOTO(isg_svd(isg_matd_of(u, n, k), sigma, isg_matd_of(vt, k, p), isg_rbm_view(rbm)));
    ISG_TRY_GOTO(orthogonality(rbm, &found.orthogonality_error));
    describe_singular(&found, sigma, k);
    describe_binary(&found, rbm, scratch);
    isg_rbm_effective_field(rbm, scratch);
    for (size_t i = 0; i < n; i++) {
        found.has_field = found.has_field || scratch[i] != 0;
        if (field)
            field[i] = scratch[i];
    }
    for (size_t j = 0; singular_values && j < k; j++)
        singular_values[j] = sigma[j];
    *out = found;
done:
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    isg_release(scratch);
    return status;
}

/* |x| for x (count). ISG_ERR_ARGUMENT, with the index, if an entry is not finite. */
static isg_status length_of(double *out, const double *x, size_t count, const char *name) {
    double square = 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k]))
            return isg_fail(ISG_ERR_ARGUMENT, "%s: expected finite numbers, found %g at index %zu",
                            name, x[k], k);
        square += x[k] * x[k];
    }
    *out = sqrt(square);
    return ISG_OK;
}

isg_status isg_rbm_network(isg_hopfield **out, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    double weights = 0, b = 0, c = 0, *field = NULL;
    ISG_TRY(length_of(&weights, rbm->weights, n * p, "W"));
    ISG_TRY(length_of(&b, rbm->b, n, "b"));
    ISG_TRY(length_of(&c, rbm->c, p, "c"));
    ISG_TRY(ISG_ALLOCATE(field, n));
    isg_rbm_effective_field(rbm, field);
    /* |W^T s| <= |W|_F |s|; W c may cancel b, but not the rounding of either. */
    const isg_status status = isg_hopfield_of_factor(
        out, isg_rbm_view(rbm), b > 0 || c > 0 ? field : NULL, weights + c / sqrt((double)n));
    isg_release(field);
    return status;
}

isg_status isg_hopfield_from_rbm(isg_hopfield **out, const isg_rbm *rbm) {
    isg_hopfield *network = NULL;
    ISG_TRY(isg_rbm_network(&network, rbm));
    const isg_status status = rbm->patterns ? isg_hopfield_know(network, rbm->patterns) : ISG_OK;
    if (status == ISG_OK)
        *out = network;
    else
        isg_hopfield_free(network);
    return status;
}

isg_status isg_rbm_orthonormalize(isg_rbm **out, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, k = n < p ? n : p;
    isg_rbm *nearest = NULL;
    double *u = NULL, *sigma = NULL, *vt = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, p));
    const isg_matd left = isg_matd_of(u, n, k), right = isg_matd_of(vt, k, p);
    ISG_TRY_GOTO(isg_svd(left, sigma, right, isg_rbm_view(rbm)));
    if (k < p || !(sigma[p - 1] > isg_rank_tolerance(n, p) * sigma[0]))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_DEPENDENT,
                              "W: expected linearly independent columns, found some that depend "
                              "on others"));
    ISG_TRY_GOTO(isg_rbm_create(&nearest, n, p, rbm->info.beta));
    nearest->info = rbm->info;
    ISG_TRY_GOTO(isg_matrix_multiply(isg_rbm_weights(nearest), isg_matd_const(left), ISG_AS_IS,
                                     isg_matd_const(right), ISG_AS_IS));
    for (size_t i = 0; i < n; i++)
        nearest->b[i] = rbm->b[i];
    for (size_t mu = 0; mu < p; mu++)
        nearest->c[mu] = rbm->c[mu];
    *out = nearest;
    nearest = NULL;
done:
    isg_rbm_free(nearest);
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    return status;
}
