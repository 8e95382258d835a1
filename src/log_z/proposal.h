/* proposal.h - a mixture of Gaussians around the minima of F0, to draw lambda from
 *
 * SPDX-License-Identifier: MIT
 *
 * Each part is a Gaussian in several widths. As exp(-beta F0) is a sum of Gaussians of variance
 * 1 / beta, and no part is narrower, the wide ones bound the ratio of the two densities.
 */
#ifndef ISG_PROPOSAL_H
#define ISG_PROPOSAL_H

#include "log_z/gaussian.h"

/* How many widths each part comes in. */
enum { ISG_WIDTHS = 3 };

/* Draw number k is of the part m with first[m] <= k < first[m + 1]. How many a part gets is settled
   beforehand, which takes the chance of choosing out of the variance. */
typedef struct isg_proposal {
    size_t p, count, samples;
    const isg_gaussian **parts; /* (count), borrowed */
    size_t *first;              /* (count + 1) */
    double *log_shares;         /* (count): ln of the fraction of the draws */
    double
        log_heights[ISG_WIDTHS]; /* ln of a part's peak in each width, but for its own log_root */
} isg_proposal;

/* `log_masses` (count) says how much of Z each part is thought to hold, up to a constant; every
   part gets at least one draw, so samples >= count. Release with isg_proposal_release(), after a
   failure too. */
isg_status isg_proposal_create(isg_proposal *out, const isg_gaussian *const *parts, size_t count,
                               const double *log_masses, size_t samples);
void isg_proposal_release(isg_proposal *proposal);

/* delta (p, ISG_LANES): draws ISG_LANES block ... from stream (seed, ISG_PURPOSE_MIXTURE, step,
   block); lanes past the last draw repeat it. `scratch` holds p numbers. */
void isg_proposal_draw(const isg_proposal *proposal, uint64_t seed, uint64_t step, size_t block,
                       double *delta, double *scratch);

/* log_density (ISG_LANES) at delta (p, ISG_LANES); `scratch` holds ISG_LANES count numbers. */
void isg_proposal_log_density(const isg_proposal *proposal, const double *delta,
                              double *log_density, double *scratch);

#endif
