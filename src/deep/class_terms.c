/* class_terms.c - how well the hidden units of samples go with every class
 *
 * SPDX-License-Identifier: MIT
 */

#include "base/memory.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

isg_status isg_class_sums_start(isg_class_sums *out, const isg_deep_model *model,
                                const double *factors, const double *logs) {
    const size_t p = model->rbm->info.n_hidden, n_parts = model->n_parts;
    *out = (isg_class_sums){n_parts, p, model->means, NULL, logs, NULL};
    ISG_TRY(ISG_ALLOCATE_MATRIX(out->inverses, n_parts, p * p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(out->centered, 2 * ISG_DEEP_ROWS, p));
    for (size_t k = 0; k < n_parts; k++) {
        const isg_matd inverse = isg_part_matrix(out->inverses, p, k);
        const isg_matd_view factor = {factors + k * p * p, p, p, p};
        for (size_t mu = 0; mu < p; mu++)
            inverse.data[mu * p + mu] = 1;
        ISG_TRY(isg_triangular_solve(inverse, factor, ISG_LOWER, ISG_AS_IS));
    }
    return ISG_OK;
}

void isg_class_sums_release(isg_class_sums *sums) {
    isg_release(sums->inverses);
    isg_release(sums->centered);
}

isg_status isg_class_terms(isg_class_sums *sums, isg_matd_view h, double *terms) {
    const size_t p = sums->p, n_parts = sums->n_parts;
    const isg_matd centered = isg_matd_of(sums->centered, h.rows, p);
    const isg_matd whitened = isg_matd_of(sums->centered + ISG_DEEP_ROWS * p, h.rows, p);
    for (size_t k = 0; k < n_parts; k++) {
        const double *mean = sums->means + k * p;
        for (size_t a = 0; a < h.rows; a++)
            for (size_t mu = 0; mu < p; mu++)
                centered.data[a * p + mu] = h.data[a * h.stride + mu] - mean[mu];
        ISG_TRY(isg_matrix_multiply(whitened, isg_matd_const(centered), ISG_AS_IS,
                                    isg_matd_const(isg_part_matrix(sums->inverses, p, k)),
                                    ISG_TRANSPOSED));
        for (size_t a = 0; a < h.rows; a++) {
            double square = 0;
            for (size_t mu = 0; mu < p; mu++)
                square += whitened.data[a * p + mu] * whitened.data[a * p + mu];
            terms[a * n_parts + k] = sums->logs[k] - square / 2;
        }
    }
    return ISG_OK;
}
