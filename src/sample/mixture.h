/* mixture.h - a mixture of Gaussians of lambda, to draw from: its parts, and how it is fitted
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MIXTURE_H
#define ISG_MIXTURE_H

#include "base/lanes.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "isinglass/sample.h"
#include "kernels/kernels.h"
#include "rbm/rbm.h"

/* ---- the weight of lambda with the spins summed out ------------------------------------------ */

/* With delta = lambda - c and f = b + W c (Eqs. 7 and 8 of the paper),

       Z = 2^N (beta / 2 pi)^(p/2) int exp(G(delta)) ddelta,   G = -beta F0
       G(delta) = -beta |delta|^2 / 2 + sum_i ln cosh(beta (w_i.delta + f_i))

   The hidden field has been absorbed: if f = 0, G is even. libm is not used, so results are the
   same on every machine. */

/* values (ISG_LANES) = G of delta (p, ISG_LANES), and gradient (p, ISG_LANES) = that of F0,
   delta - W^T tanh(beta (W delta + f)), unless it is NULL. */
void isg_landscape(const isg_spin_model *model, const double *delta, double *values,
                   double *gradient);

/* ln(2^N (beta / 2 pi)^(p/2)), the factor in front of the integral. */
double isg_landscape_log_constant(const isg_spin_model *model);

/* ---- Gaussians of lambda, fitted to Gibbs chains --------------------------------------------- */

/* Given the spins, delta = lambda - c is Normal(h, 1 / beta) with h = W^T s. So a Gaussian that fits
   delta has the mean of h, and its covariance plus 1 / beta: fitted to h, it has less noise, and its
   precision is always positive and never above beta. */

typedef struct isg_gaussian {
    size_t p;
    double *mean;     /* (p) */
    double *factor;   /* (p, p), lower triangle: the precision is factor factor^T */
    double *whitened; /* (p): factor^T mean */
    double log_root;  /* ln sqrt(det precision) */
    double stiffness; /* no eigenvalue of the precision is smaller */
    bool has_mirror;  /* whether it represents itself and its mirror image at -mean, half each */
} isg_gaussian;

/* Mean zero and precision zero. Release with isg_gaussian_release(), after a failure too. */
isg_status isg_gaussian_create(isg_gaussian *out, size_t p);
void isg_gaussian_release(isg_gaussian *gaussian);

/* From a mean (p) and a precision (p, p) with this smallest eigenvalue. ISG_ERR_DIVERGED if it is not
   positive definite. */
isg_status isg_gaussian_set(isg_gaussian *gaussian, const double *mean, isg_matd_view precision,
                            double stiffness);

/* Sums over h (p). */
typedef struct isg_moments {
    double count;
    double *sum;     /* (p) */
    double *squares; /* (p, p), lower triangle */
} isg_moments;

void isg_moments_add(isg_moments *moments, size_t p, const double *h);

/* Fits the Gaussian to the moments and to `prior` further samples of h that agree with its current
   values. Keeps a mean of zero if `is_centered`. */
isg_status isg_gaussian_fit(isg_gaussian *gaussian, const isg_moments *moments, double beta,
                            double prior, bool is_centered);

/* ---- the minima of F0, each with a Gaussian around it ---------------------------------------- */

/* A minimum of F0, in delta = lambda - c. If G is even, its mirror image is a minimum too, with the
   same curvature, and is not listed separately. */
typedef struct isg_mode {
    double *center;        /* (p) */
    isg_gaussian gaussian; /* Laplace's, of precision beta (I - beta W^T D W), until it is fitted */
    double log_laplace;    /* ln of Laplace's term of Z, mirror image included */
    double radius2;        /* a minimum within this squared distance is the same */
    bool is_flat;          /* whether that precision had to be raised to be positive */
    bool is_fitted;
} isg_mode;

typedef struct isg_modes {
    const isg_spin_model *model; /* borrowed */
    bool is_even;                /* G(-delta) = G(delta) */
    isg_mode *list;
    size_t count, capacity;
} isg_modes;

isg_modes isg_modes_start(const isg_spin_model *model);
void isg_modes_release(isg_modes *modes);

/* Goes downhill from each of points (count, p), which it moves, and adds the minima that are not
   yet in the list. */
isg_status isg_modes_search(isg_modes *modes, double *points, size_t count);

/* The number of the mode whose center, or its mirror image, is nearest; `sign` says which. */
size_t isg_modes_nearest(const isg_modes *modes, const double *delta, double *sign);

/* ln of the sum of Laplace's terms of the modes from number `first` on. */
double isg_modes_log_laplace(const isg_modes *modes, size_t first);

/* ---- a mixture of Gaussians to draw lambda from ---------------------------------------------- */

/* Each part is a Gaussian in several widths. As exp(-beta F0) is a sum of Gaussians of variance
   1 / beta, and no part is narrower, the wide ones bound the ratio of the two densities. */

/* How many widths each part comes in. */
enum { ISG_WIDTHS = 3 };

/* Draw number k is from part m with first[m] <= k < first[m + 1]. The number of draws of each part is
   fixed beforehand, which removes the randomness of that choice from the variance. */
typedef struct isg_proposal {
    size_t p, count, samples;
    const isg_gaussian **parts;     /* (count), borrowed */
    size_t *first;                  /* (count + 1) */
    double *log_shares;             /* (count): ln of the fraction of the draws */
    double log_heights[ISG_WIDTHS]; /* ln of a part's peak in each width, minus its own log_root */
} isg_proposal;

/* `log_masses` (count) estimates how much of Z each part holds, up to a constant; every part gets
   at least one draw, so samples >= count. Release with isg_proposal_release(), after a failure
   too. */
isg_status isg_proposal_create(isg_proposal *out, const isg_gaussian *const *parts, size_t count,
                               const double *log_masses, size_t samples);
void isg_proposal_release(isg_proposal *proposal);

/* delta (p, ISG_LANES): draws ISG_LANES block ... from stream (seed, ISG_PURPOSE_MIXTURE, step,
   block); lanes past the last draw repeat it. `scratch` holds p numbers. */
void isg_proposal_draw(const isg_proposal *proposal, uint64_t seed, uint64_t step, size_t block,
                       double *delta, double *scratch);

/* delta (p): one draw, from a part drawn by its share. */
void isg_proposal_draw_any(const isg_proposal *proposal, isg_cursor *random, double *delta);

/* log_density (ISG_LANES) at delta (p, ISG_LANES); `scratch` holds ISG_LANES count numbers. */
void isg_proposal_log_density(const isg_proposal *proposal, const double *delta,
                              double *log_density, double *scratch);

/* ---- Gibbs chains that show where the weight of lambda is ------------------------------------ */

/* They do not use the list of minima of F0. Annealed, they find what a downhill search may miss;
   started at a minimum, they show how far it extends. */

/* Where chains ended. */
typedef struct isg_witnesses {
    size_t count;
    double *points;      /* (count, p): delta, drawn given their spins */
    double *log_weights; /* (count): those of annealed importance sampling, whose mean is Z */
} isg_witnesses;

void isg_witnesses_release(isg_witnesses *witnesses);

/* Chains of one stage draw from streams (seed, ISG_PURPOSE_MIXTURE, ISG_STAGE stage ..., chain). */
enum { ISG_STAGE = 1 << 16 };

/* Cools `count` chains from random spins to beta. `everywhere`, if not NULL, is fitted to the
   states they visit after that. `progress`, which may be NULL, is asked whether to go on, always with
   fraction 0. Release with isg_witnesses_release(), after a failure too. */
isg_status isg_witnesses_anneal(isg_witnesses *out, const isg_modes *modes,
                                const isg_gibbs_weights *w, size_t count, uint64_t seed,
                                uint64_t stage, isg_gaussian *everywhere,
                                const isg_progress *progress);

/* Starts at most about `most` chains from every mode that is not yet fitted, and fits its Gaussian
   to them as long as they stay nearer to it than to any other mode. `progress` as above. */
isg_status isg_modes_fit(isg_modes *modes, const isg_gibbs_weights *w, size_t most, uint64_t seed,
                         uint64_t stage, const isg_progress *progress);

/* ---- the mixture of an RBM --------------------------------------------------------------------- */

typedef struct isg_mixture {
    isg_mixture_options options;
    const isg_progress *progress; /* may be NULL */
    isg_spin_model model;
    isg_gibbs_weights weights;
    isg_modes modes;
    isg_gaussian everywhere; /* one Gaussian of all states that annealed chains visited */
    double *log_masses;      /* (modes, then everywhere): shares of Z, as far as known */
    size_t known_masses;     /* number of modes they were found for */
    isg_witnesses witnesses; /* the annealed chains */
    bool is_hopeless;        /* whether most of them end where the draws have no weight */
    uint64_t stage;          /* next stage of random numbers */
    double done;             /* last fraction reported */
} isg_mixture;

isg_mixture_options isg_mixture_defaults(void);

/* ln Z from the weights of importance sampling. */
typedef struct isg_mixture_sum {
    double log_z, error, ess;
    double largest_share; /* of the sum, by one draw */
    double log_level;  /* ln of the weight, over the mean, above which almost no weight is left */
    double acceptance; /* of independence Metropolis that proposes such draws, in equilibrium */
} isg_mixture_sum;

/* Finds modes and fits Gaussians to them. Release with isg_mixture_release(), after a failure too. */
isg_status isg_mixture_start(isg_mixture *out, const isg_rbm *rbm,
                             const isg_mixture_options *options, const isg_progress *progress);
void isg_mixture_release(isg_mixture *mixture);

/* Fits Gaussians to the minima that have none yet. */
isg_status isg_mixture_fit(isg_mixture *mixture);

/* Takes `samples` draws, sums their weights, and learns the mass of each Gaussian; progress goes
   from `from` to `to`. The caller releases the proposal, after a failure too. */
isg_status isg_mixture_draw(isg_mixture *mixture, size_t samples, double from, double to,
                            isg_proposal *proposal, isg_mixture_sum *sum);

/* What the last draws say about the mixture. */
typedef struct isg_mixture_verdict {
    isg_mixture_sum sum;
    size_t samples, minima; /* draws; minima of F0, mirror images included */
    double laplace;         /* ln of the sum of the Laplace terms; NaN if flat minima dominate it */
    bool has_error;         /* whether the draws suffice for an error estimate */
    bool is_complete;       /* whether nothing was found that the Gaussians do not cover */
    char reason[160];       /* why the mixture is not trusted; empty if it is */
} isg_mixture_verdict;

/* Draws, and looks for regions that the Gaussians do not cover; minima in them join the list. */
isg_status isg_mixture_conclude(isg_mixture *mixture, isg_mixture_verdict *out);

isg_mixture_sum isg_mixture_add_up(const double *log_weights, size_t samples);

#endif
