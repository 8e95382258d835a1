/* capture.c - how much of the data lies in the span of W
 *
 * SPDX-License-Identifier: MIT
 *
 * With U the left singular vectors of W, tr(P C) is the mean of |U^T s|^2 over the samples.
 */
#include "base/memory.h"
#include "linalg/linalg.h"
#include "rbm/rbm.h"

enum { PORTION = 4096 }; /* samples at a time */

/* The sum of |u^T s|^2 over all samples. */
static isg_status sum_squares(const isg_dataset *data, isg_matd_view u, double *inner,
                              const isg_progress *progress, double *out) {
    const size_t n_samples = data->info.n_samples, p = u.cols;
    double sum = 0;
    for (size_t first = 0; first < n_samples; first += PORTION) {
        const size_t count = n_samples - first < PORTION ? n_samples - first : PORTION;
        if (progress && !progress->report(progress->user, (double)first / (double)n_samples))
            return isg_fail(ISG_ERR_CANCELLED, "measuring the capture was cancelled");
        ISG_TRY(isg_spin_product(isg_matd_of(inner, count, p), isg_dataset_spins(data, first), u,
                                 NULL, NULL));
        for (size_t a = 0; a < count; a++) {
            double square = 0;
            for (size_t k = 0; k < p; k++)
                square += inner[a * p + k] * inner[a * p + k];
            sum += square;
        }
    }
    *out = sum;
    return ISG_OK;
}

isg_status isg_rbm_capture(const isg_rbm *rbm, const isg_dataset *data, double *out,
                           const isg_progress *progress) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, k = n < p ? n : p;
    double *u = NULL, *sigma = NULL, *vt = NULL, *inner = NULL, sum = 0;
    isg_status status = ISG_OK;
    if (data->info.n_visible != n)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu",
                        data->info.n_visible, n);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(inner, PORTION, k));
    ISG_TRY_GOTO(isg_svd(isg_matd_of(u, n, k), sigma, isg_matd_of(vt, k, p), isg_rbm_view(rbm)));
    size_t rank = 0;
    while (rank < k && sigma[rank] > isg_rank_tolerance(n, p) * sigma[0])
        rank++;
    if (rank > 0)
        ISG_TRY_GOTO(sum_squares(data, (isg_matd_view){u, n, rank, k}, inner, progress, &sum));
    *out = sum / ((double)data->info.n_samples * (double)n);
done:
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    isg_release(inner);
    return status;
}
