/* transform.c - the hidden units and energies of data
 *
 * SPDX-License-Identifier: MIT
 */
#include <omp.h>

#include "base/threads.h"
#include "linalg/linalg.h"
#include "rbm/rbm.h"

/* H(s) = -b.s - |h|^2 / 2 + |c|^2 / 2 for a known h = W^T s + c. */
static double energy_of(const isg_rbm *rbm, const uint64_t *spins, const double *h) {
    double energy = 0;
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        energy -= rbm->b[i] * isg_spin(spins, i);
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        energy -= (h[mu] * h[mu] - rbm->c[mu] * rbm->c[mu]) / 2;
    return energy;
}

isg_status isg_rbm_transform(const isg_rbm *rbm, const isg_dataset *data, isg_matd h,
                             double *energies, const isg_progress *progress) {
    const isg_dataset_info info = isg_dataset_describe(data);
    if (info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu", info.n_visible,
                        rbm->info.n_visible);
    if (h.rows != info.n_samples || h.cols != rbm->info.n_hidden)
        return isg_fail(ISG_ERR_SHAPE, "expected room for %zu x %zu hidden units, found %zu x %zu",
                        info.n_samples, rbm->info.n_hidden, h.rows, h.cols);
    ISG_TRY(isg_spin_product(h, isg_dataset_row(data, 0), isg_rbm_view(rbm), rbm->c, progress));
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t a = 0; a < (energies ? info.n_samples : 0); a++)
        energies[a] = energy_of(rbm, isg_dataset_row(data, a), h.data + a * h.stride);
    return ISG_OK;
}
