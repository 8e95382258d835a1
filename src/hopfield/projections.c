/* projections.c - the order parameters of many samples
 *
 * SPDX-License-Identifier: MIT
 *
 *     a = (x^T x)^-1 x^T s = x^+ s
 *
 * With x = u diag(sigma) v^T the pseudo-inverse is v diag(1 / sigma) u^T, where singular values that
 * are zero up to rounding are left out: a is then the shortest of all solutions.
 */
#include <math.h>

#include "base/memory.h"
#include "hopfield/hopfield.h"
#include "linalg/linalg.h"

/* dual (n, p) = (x^+)^T */
static isg_status find_dual(isg_matd dual, isg_matd_view x, bool may_depend) {
    const size_t n = x.rows, p = x.cols, k = n < p ? n : p;
    double *u = NULL, *vt = NULL, *sigma = NULL;
    size_t rank = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(isg_svd(isg_matd_of(u, n, k), sigma, isg_matd_of(vt, k, p), x));
    while (rank < k && sigma[rank] > isg_rank_tolerance(n, p) * sigma[0])
        rank++;
    if (rank < p && !may_depend) {
        status = isg_fail(ISG_ERR_DEPENDENT,
                          "%zu patterns or class means are linearly dependent, of rank %zu: "
                          "projections onto them are not unique",
                          p, rank);
        goto done;
    }
    for (size_t j = 0; j < k; j++)
        for (size_t mu = 0; mu < p; mu++)
            vt[j * p + mu] = j < rank ? vt[j * p + mu] / sigma[j] : 0;
    status = isg_matrix_multiply(dual, isg_matd_const(isg_matd_of(u, n, k)), ISG_AS_IS,
                                 isg_matd_const(isg_matd_of(vt, k, p)), ISG_AS_IS);
done:
    isg_release(u);
    isg_release(vt);
    isg_release(sigma);
    return status;
}

isg_status isg_projections(isg_matd out, const isg_dataset *data, isg_matd_view x,
                           bool allow_rank_deficient, const isg_progress *progress) {
    const isg_dataset_info info = isg_dataset_describe(data);
    double *dual = NULL;
    isg_status status = ISG_OK;
    if (info.n_visible != x.rows)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, what to project onto has %zu",
                        info.n_visible, x.rows);
    if (out.rows != info.n_samples || out.cols != x.cols)
        return isg_fail(ISG_ERR_SHAPE, "expected room for %zu x %zu projections, found %zu x %zu",
                        info.n_samples, x.cols, out.rows, out.cols);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(dual, x.rows, x.cols));
    const isg_matd found = isg_matd_of(dual, x.rows, x.cols);
    ISG_TRY_GOTO(find_dual(found, x, allow_rank_deficient));
    status = isg_spin_product(out, isg_dataset_row(data, 0), isg_matd_const(found), NULL, progress);
done:
    isg_release(dual);
    return status;
}
