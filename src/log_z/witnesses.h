/* witnesses.h - Gibbs chains that see where the weight of lambda is
 *
 * SPDX-License-Identifier: MIT
 *
 * They do not know of any minimum of F0. Heated first, they find what a search downhill may miss;
 * started at a minimum, they see how far it reaches.
 */
#ifndef ISG_WITNESSES_H
#define ISG_WITNESSES_H

#include "log_z/modes.h"
#include "sample/sample.h"

/* Where chains ended. */
typedef struct isg_witnesses {
    size_t count;
    double *points;      /* (count, p): delta, drawn given their spins */
    double *log_weights; /* (count): those of annealed importance sampling, whose mean is Z */
} isg_witnesses;

void isg_witnesses_release(isg_witnesses *witnesses);

/* Chains of one stage draw from streams (seed, ISG_PURPOSE_MIXTURE, ISG_STAGE stage ..., chain). */
enum { ISG_STAGE = 1 << 16 };

/* Cools `count` chains from random spins to beta. `everywhere`, if not NULL, is fitted to what they
   see after that. Release with isg_witnesses_release(), after a failure too. */
isg_status isg_witnesses_anneal(isg_witnesses *out, const isg_modes *modes,
                                const isg_gibbs_weights *w, size_t count, uint64_t seed,
                                uint64_t stage, isg_gaussian *everywhere);

/* Starts chains, about `most` at most, from every mode that is not fitted yet, and fits its Gaussian
   to them for as long as they stay nearer to it than to others. */
isg_status isg_modes_fit(isg_modes *modes, const isg_gibbs_weights *w, size_t most, uint64_t seed,
                         uint64_t stage);

#endif
