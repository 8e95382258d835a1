/* rbm.h - what is inside an isg_rbm, and its plain sampler
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RBM_H
#define ISG_RBM_H

#include "base/matrix.h"
#include "base/rng.h"
#include "patterns.h"

struct isg_rbm {
    isg_rbm_info info;
    double *weights; /* (n_visible, n_hidden) */
    double *b;       /* (n_visible) */
    double *c;       /* (n_hidden) */
    /* Where it came from a Hopfield network: */
    isg_patterns *patterns; /* owned; NULL if unknown */
    double *r;              /* (n_hidden, r_cols) with weights r = xi; NULL if unknown */
    size_t r_cols;          /* the number of patterns, which r knows even without them */
};

static inline isg_matd_view isg_rbm_view(const isg_rbm *rbm) {
    return (isg_matd_view){rbm->weights, rbm->info.n_visible, rbm->info.n_hidden,
                           rbm->info.n_hidden};
}

/* One block-Gibbs sweep, lambda from spins, then spins from lambda: the definition that every fast
   sampler is tested against. `input` is scratch of max(n_visible, n_hidden). */
void isg_rbm_sweep(const isg_rbm *rbm, isg_cursor *random, uint64_t *spins, double *lambda,
                   double *input);

/* Draws spins (n), packed, each +1 with probability 1 / (1 + exp(-2 beta field)). */
void isg_sample_spins(isg_cursor *random, size_t n, double beta, const double *field,
                      uint64_t *spins);

#endif
