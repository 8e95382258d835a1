/* reconstruction.c - E_q[ln p(s | lambda)], what the hidden units remember of the spins
 *
 * SPDX-License-Identifier: MIT
 *
 *     ln p(s | lambda) = sum_i (beta s_i x_i - ln 2 cosh(beta x_i)),   x = W lambda + b
 *
 * Under q = Normal(h, 1 / beta), beta x_i is normal with mean beta (w_i.h + b_i) and variance
 * beta |w_i|^2.
 */
#include <math.h>
#include <omp.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "deep/deep.h"
#include "linalg/linalg.h"

double isg_recognition_entropy(size_t p, double beta) {
    return (double)p / 2 * (1 + isg_log(2 * ISG_PI / beta));
}

static isg_status start_mean(isg_log_cosh_mean *out, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    double *spreads = NULL;
    *out = (isg_log_cosh_mean){.n = n};
    ISG_TRY(ISG_ALLOCATE(spreads, n));
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t mu = 0; mu < p; mu++)
            square += rbm->weights[i * p + mu] * rbm->weights[i * p + mu];
        spreads[i] = sqrt(rbm->info.beta * square);
    }
    const isg_status status = isg_log_cosh_mean_start(out, spreads, n);
    isg_release(spreads);
    return status;
}

/* For inputs w_i.h to the units (n), which become scratch. */
static double reconstruct(const isg_log_cosh_mean *mean, const isg_rbm *rbm, const uint64_t *spins,
                          double *input) {
    double sum = 0;
    for (size_t i = 0; i < mean->n; i++) {
        input[i] = rbm->info.beta * (input[i] + rbm->b[i]);
        sum += isg_spin(spins, i) * input[i];
    }
    return sum - (double)mean->n * ISG_LN_2 - isg_log_cosh_mean_of(mean, input);
}

isg_status isg_reconstructor_start(isg_reconstructor *out, const isg_rbm *rbm) {
    *out = (isg_reconstructor){.rbm = rbm};
    ISG_TRY(start_mean(&out->mean, rbm));
    return ISG_ALLOCATE_MATRIX(out->inputs, ISG_DEEP_ROWS, rbm->info.n_visible);
}

void isg_reconstructor_release(isg_reconstructor *my) {
    isg_log_cosh_mean_release(&my->mean);
    isg_release(my->inputs);
}

isg_status isg_reconstruct(isg_reconstructor *my, const uint64_t *spins, isg_matd_view h,
                           double *out) {
    const size_t n = my->rbm->info.n_visible, words = isg_words(n);
    ISG_TRY(isg_matrix_multiply(isg_matd_of(my->inputs, h.rows, n), h, ISG_AS_IS,
                                isg_rbm_view(my->rbm), ISG_TRANSPOSED));
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t a = 0; a < h.rows; a++)
        out[a] = reconstruct(&my->mean, my->rbm, spins + a * words, my->inputs + a * n);
    return ISG_OK;
}
