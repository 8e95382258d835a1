/* mixture.h - mixture importance sampling, and its steps for the tests
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MIXTURE_H
#define ISG_MIXTURE_H

#include "isinglass/log_z.h"
#include "log_z/proposal.h"
#include "log_z/witnesses.h"

typedef struct isg_mixture {
    isg_mixture_options options;
    const isg_progress *progress; /* may be NULL */
    isg_spin_model model;
    isg_gibbs_weights weights;
    isg_modes modes;
    isg_gaussian everywhere; /* one Gaussian of all that annealed chains saw */
    double *log_masses;      /* (modes and everywhere, which is the last): of Z, as far as known */
    size_t known_masses;     /* for how many modes they were found */
    isg_witnesses witnesses; /* the chains that showed where to look */
    bool is_hopeless;        /* whether most of them still see something else than the draws */
    uint64_t stage;          /* of random numbers, the next to be used */
    double done;             /* what was last reported */
} isg_mixture;

isg_mixture_options isg_mixture_defaults(void);

/* ln Z; `options` may be NULL. */
isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options, isg_log_z *out,
                             const isg_progress *progress);

/* What weights (samples) of importance sampling say. */
typedef struct isg_mixture_sum {
    double log_z, error, ess;
    double largest_share; /* of the sum, by one draw */
    double log_level;     /* ln of the weight, over the mean, above which next to nothing is left */
} isg_mixture_sum;

/* Finds modes and fits Gaussians to them. Release with isg_mixture_release(), after a failure too. */
isg_status isg_mixture_start(isg_mixture *out, const isg_rbm *rbm,
                             const isg_mixture_options *options, const isg_progress *progress);
void isg_mixture_release(isg_mixture *mixture);

/* Draws that many, sums them up, and learns from them what each Gaussian holds; progress goes from
   `from` to `to`. The proposal is the caller's to release, after a failure too. */
isg_status isg_mixture_draw(isg_mixture *mixture, size_t samples, double from, double to,
                            isg_proposal *proposal, isg_mixture_sum *sum);

/* Draws, and looks for what the Gaussians do not cover. */
isg_status isg_mixture_finish(isg_mixture *mixture, isg_log_z *out);

isg_mixture_sum isg_mixture_add_up(const double *log_weights, size_t samples);

#endif
