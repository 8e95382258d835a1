/* constraint.c - weights that keep to a constraint while they are trained
 *
 * SPDX-License-Identifier: MIT
 *
 * With D the step of an update,
 *
 *     stiefel   W <- polar factor of W + D, which is W + D - W sym(W^T D) to first order: the step
 *               within the tangent space of matrices with orthonormal columns
 *     span      W <- Q Q^T (W + D) for an orthonormal basis Q of the patterns' span. With W = xi K this
 *               is K + A^-1 xi^T D, A = xi^T xi: the gradient step of K in the metric of W, so that it does
 *               not depend on which patterns span the space
 *
 * Sums run over the units in their order, in one thread.
 */
#include "train/constraint.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"

/* ---- create and free -------------------------------------------------------------------------- */

/* The left singular vectors of the patterns whose singular values are not zero. */
static isg_status set_basis(isg_keeping *keeping, const isg_patterns *patterns) {
    const size_t n = patterns->info.n_visible, k = patterns->info.n_patterns, most = n < k ? n : k;
    double *xi = NULL, *sigma = NULL, *u = NULL, *vt = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(xi, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, most));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, most));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, most, k));
    const isg_matd all = isg_matd_of(xi, n, k);
    isg_patterns_fill(patterns, all);
    ISG_TRY_GOTO(
        isg_svd(isg_matd_of(u, n, most), sigma, isg_matd_of(vt, most, k), isg_matd_const(all)));
    size_t rank = 0;
    while (rank < most && sigma[rank] > isg_rank_tolerance(n, k) * sigma[0])
        rank++;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(keeping->basis, n, rank));
    for (size_t i = 0; i < n; i++)
        memcpy(keeping->basis + i * rank, u + i * most, rank * sizeof *u);
    keeping->rank = rank;
done:
    isg_release(xi);
    isg_release(sigma);
    isg_release(u);
    isg_release(vt);
    return status;
}

static isg_status start_span(isg_keeping *keeping, const isg_rbm *rbm) {
    if (!rbm->patterns)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "constraint: expected an RBM that knows the patterns it was "
                        "made from, to keep W in their span");
    ISG_TRY(set_basis(keeping, rbm->patterns));
    return ISG_ALLOCATE_MATRIX(keeping->room, keeping->rank, rbm->info.n_hidden);
}

isg_status isg_keeping_start(isg_keeping *keeping, isg_constraint constraint, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    *keeping = (isg_keeping){.constraint = constraint};
    switch (constraint) {
    case ISG_CONSTRAINT_NONE:
        return ISG_OK;
    case ISG_CONSTRAINT_STIEFEL:
        if (p > n)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "constraint: %zu columns of %zu weights cannot be orthonormal", p, n);
        return ISG_ALLOCATE_MATRIX(keeping->room, isg_polar_room(p) / p, p);
    case ISG_CONSTRAINT_SPAN:
        return start_span(keeping, rbm);
    }
    return isg_fail(ISG_ERR_ARGUMENT, "constraint: expected none, stiefel or span, found number %d",
                    (int)constraint);
}

void isg_keeping_release(isg_keeping *keeping) {
    isg_release(keeping->basis);
    isg_release(keeping->room);
    *keeping = (isg_keeping){.basis = NULL};
}

/* ---- after an update -------------------------------------------------------------------------- */

static void project(const isg_keeping *keeping, isg_matd weights) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t p = weights.cols, rank = keeping->rank;
    double *inner = keeping->room; /* (rank, p): Q^T W */
    memset(inner, 0, rank * p * sizeof *inner);
    for (size_t i = 0; i < weights.rows; i++)
        for (size_t k = 0; k < rank; k++)
            kernels->add_multiple(p, keeping->basis[i * rank + k],
                                  weights.data + i * weights.stride, inner + k * p);
    for (size_t i = 0; i < weights.rows; i++) {
        double *row = weights.data + i * weights.stride;
        memset(row, 0, p * sizeof *row);
        for (size_t k = 0; k < rank; k++)
            kernels->add_multiple(p, keeping->basis[i * rank + k], inner + k * p, row);
    }
}

static bool is_finite(isg_matd weights) {
    for (size_t i = 0; i < weights.rows; i++)
        for (size_t mu = 0; mu < weights.cols; mu++)
            if (!isfinite(weights.data[i * weights.stride + mu]))
                return false;
    return true;
}

isg_status isg_keep(const isg_keeping *keeping, isg_matd weights) {
    if (keeping->constraint == ISG_CONSTRAINT_NONE || !is_finite(weights))
        return ISG_OK;
    if (keeping->constraint == ISG_CONSTRAINT_SPAN)
        project(keeping, weights);
    else if (isg_polar(weights, keeping->room) != ISG_OK)
        return isg_fail(ISG_ERR_DIVERGED, "the columns of W are linearly dependent");
    return ISG_OK;
}
