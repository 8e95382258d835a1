/* rbm_start.c - RBMs to start training from, other than those of patterns
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "rbm/rbm.h"

isg_status isg_rbm_start_normal(isg_rbm **out, size_t n_visible, size_t n_hidden, double beta,
                                double deviation, uint64_t seed) {
    isg_rbm *rbm = NULL;
    if (!(deviation > 0 && isfinite(deviation)))
        return isg_fail(ISG_ERR_ARGUMENT, "deviation: expected a positive number, found %g",
                        deviation);
    if (n_visible > UINT32_MAX)
        return isg_fail(ISG_ERR_MEMORY, "%zu visible units do not fit in memory", n_visible);
    ISG_TRY(isg_rbm_create(&rbm, n_visible, n_hidden, beta));
    for (size_t i = 0; i < n_visible; i++) {
        const isg_stream stream = isg_stream_at(seed, ISG_PURPOSE_INIT, 0, (uint32_t)i);
        double *row = rbm->weights + i * n_hidden;
        isg_stream_normals(&stream, 0, n_hidden, row);
        for (size_t mu = 0; mu < n_hidden; mu++)
            row[mu] *= deviation;
    }
    *out = rbm;
    return ISG_OK;
}

isg_status isg_rbm_start_pca(isg_rbm **out, const isg_dataset *data, isg_axes of, size_t n_hidden,
                             double beta) {
    isg_rbm *rbm = NULL;
    double *variances = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_pca_check(data, n_hidden)); /* before there is room for so many */
    ISG_TRY_GOTO(isg_rbm_create(&rbm, data->info.n_visible, n_hidden, beta));
    ISG_TRY_GOTO(ISG_ALLOCATE(variances, n_hidden));
    ISG_TRY_GOTO(isg_pca(data, of, n_hidden, isg_rbm_weights(rbm), variances));
    rbm->info.image_height = data->info.image_height;
    rbm->info.image_width = data->info.image_width;
    rbm->encoding = isg_encoding_share(data->encoding);
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    isg_release(variances);
    return status;
}
