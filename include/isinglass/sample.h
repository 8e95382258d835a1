/* isinglass/sample.h - Gibbs chains, and how fast they decorrelate
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_SAMPLE_H
#define ISINGLASS_SAMPLE_H

#include "isinglass/rbm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Gibbs sampling -------------------------------------------------------------------------- */

/* Many states of one RBM, moved by block-Gibbs sweeps: lambda given the spins, then spins given
   lambda. Chain k in sweep t depends only on the seed, k and t, not on the number of threads, the
   instruction set or the number of calls. W and the fields are copied. */
typedef struct isg_chains isg_chains;

/* Starts from random spins, +1 and -1 equally likely. ISG_ERR_DIVERGED if the weights are not
   finite. */
ISG_API isg_status isg_chains_create(isg_chains **out, const isg_rbm *rbm, size_t count,
                                     uint64_t seed);
ISG_API void isg_chains_free(isg_chains *chains); /* NULL is fine */

/* The spins of one chain, packed. */
ISG_API void isg_chains_set_spins(isg_chains *chains, size_t k, const uint64_t *spins);
ISG_API const uint64_t *isg_chains_spins(const isg_chains *chains, size_t k);

/* A building block: the hidden units (n_hidden) that the last sweep drew and then drew the spins
   from; zero before the first sweep. */
ISG_API const float *isg_chains_hidden(const isg_chains *chains, size_t k);

/* A building block: as if so many sweeps had been done. With the spins of chains that have, set
   before or after, and the same spins clamped, chains of the same RBM and seed then continue with the
   same bits. The hidden units are zero until the next sweep, which draws them anew.
   ISG_ERR_ARGUMENT for more sweeps than there are random numbers for, 2^56 - 1. */
ISG_API isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps);

/* Holds spins fixed from now on, in all chains: packed, set for the fixed spins; NULL for none. */
ISG_API void isg_chains_clamp(isg_chains *chains, const uint64_t *units);

/* The chains are from now on those of this RBM, of the same shape, and keep their spins: for training,
   after an update. ISG_ERR_DIVERGED if the weights are not finite. */
ISG_API isg_status isg_chains_set_rbm(isg_chains *chains, const isg_rbm *rbm);

/* ISG_ERR_ARGUMENT unless beta, which may differ from the RBM's, is positive. */
ISG_API isg_status isg_chains_sweep(isg_chains *chains, size_t sweeps, double beta);

/* H(s) of every chain (count). */
ISG_API void isg_chains_energy(const isg_chains *chains, double *energies);

/* ---- Missing values -------------------------------------------------------------------------- */

/* How missing values are drawn from the law of the model given the known ones, by Gibbs sweeps in
   which these are clamped. Start from isg_impute_defaults(); defaults are in brackets. */
typedef struct isg_impute_options {
    bool marginal; /* take the value that is more probable, given the known ones, than its opposite,
                        instead of one joint draw [false] */
    size_t sweeps; /* from the majority to the draw [50] */
    size_t measured; /* further sweeps, over which probabilities are averaged [200] */
    uint64_t seed;   /* a sample depends only on the seed and its row [1] */
} isg_impute_options;

ISG_API isg_impute_options isg_impute_defaults(void);

/* A copy of the data in which no value is missing: see isg_dataset_missing(). A draw keeps the
   correlations between missing values and is what scores and training need; the marginal value is
   right more often. Chains that mix slowly, in models of a large beta, stay near the majority.
   `options` and `progress` may be NULL. ISG_ERR_SHAPE if data and RBM disagree on n_visible. */
ISG_API isg_status isg_dataset_impute(isg_dataset **out, const isg_dataset *data,
                                      const isg_rbm *rbm, const isg_impute_options *options,
                                      const isg_progress *progress);

/* The probability, given the known values, that a spin is +1, to `out` (n_samples, n_visible); 1 or
   0 for known spins. */
ISG_API isg_status isg_impute_probabilities(isg_matd out, const isg_dataset *data,
                                            const isg_rbm *rbm, const isg_impute_options *options,
                                            const isg_progress *progress);

/* ---- A mixture of Gaussians of the hidden units ---------------------------------------------- */

/* exp(-beta F0(lambda)), the law of the hidden units up to a constant, as a mixture of Gaussians around
   the known minima of F0, each fitted to Gibbs chains. ln Z is computed by draws from it, and chains
   jump from minimum to minimum by proposals from it.

   It is only as good as its list of minima. Gibbs chains annealed from random spins, the witnesses,
   look for missing minima. If they find more than 1 % of Z where the mixture has no weight, if most
   of them end there, or if the effective sample size is small, the mixture is not trusted, and a
   sentence says why; ln Z is then probably too low. A minimum that no search and no witness reaches,
   such as one with a tiny basin, goes unnoticed however much of Z it holds. */

/* Defaults are in brackets. */
typedef struct isg_mixture_options {
    size_t samples;       /* draws, at least 1000; a tenth of them if the result cannot be trusted
                             anyway [100000] */
    size_t random_starts; /* random states to search for minima from [64] */
    size_t witnesses;     /* annealed chains, run twice; 8 times as many fit the Gaussians [256] */
    const isg_dataset *data; /* rows to search for minima from as well [NULL: none] */
    size_t data_starts;      /* how many rows, evenly spaced [256] */
    uint64_t seed;           /* same seed, same result, on any number of threads [1] */
} isg_mixture_options;

/* ---- Chains that change modes ---------------------------------------------------------------- */

/* Sweeps alone hardly ever lead from one deep minimum of F0 to another. Two ways to get there keep the
   law of the RBM exactly, and both give the same occupancies. */

/* Jumps: after every sweep, independence Metropolis proposes hidden units from a mixture of Gaussians
   fitted to their law, and spins given these. A mixture may be older than the weights: the target is
   the RBM of the last isg_jumps_set_rbm(), whatever proposes. So that the law is kept, mixtures are
   fitted to chains of their own, and depend on nothing but the RBM and the options. */
typedef struct isg_jumps isg_jumps;

/* Start from isg_jump_defaults(); defaults are in brackets. */
typedef struct isg_jump_options {
    isg_mixture_options mixture; /* [as above, but 20000 draws] */
    double least_acceptance;     /* with a smaller share of accepted jumps, do without [0.02] */
} isg_jump_options;

ISG_API isg_jump_options isg_jump_defaults(void);

typedef struct isg_jumps_info {
    bool is_usable;    /* if not, isg_chains_jump() only sweeps */
    char reason[160];  /* why not, as a sentence without a trailing period; else empty */
    double beta;       /* of the RBM: steps are taken at this beta */
    size_t minima;     /* of F0 in the mixture, mirror images included */
    double expected;   /* share of accepted jumps in equilibrium, estimated when it was fitted */
    uint64_t fits;     /* so far */
    uint64_t proposed; /* jumps since the first fit */
    uint64_t accepted;
} isg_jumps_info;

/* Fits a mixture to the RBM, which is copied, and takes it for the target. A mixture that misses minima,
   or would be accepted too seldom, is no error, see isg_jumps_info. `options` and
   `progress` may be NULL; data in the options must outlive the jumps. */
ISG_API isg_status isg_jumps_create(isg_jumps **out, const isg_rbm *rbm,
                                    const isg_jump_options *options, const isg_progress *progress);
ISG_API void isg_jumps_free(isg_jumps *jumps); /* NULL is fine */

/* The same mixture, another target of the same shape: cheap, and allocates nothing. */
ISG_API isg_status isg_jumps_set_rbm(isg_jumps *jumps, const isg_rbm *rbm);

/* Another mixture and another target. If it fails, nothing has changed. */
ISG_API isg_status isg_jumps_refit(isg_jumps *jumps, const isg_rbm *rbm,
                                   const isg_progress *progress);

ISG_API isg_jumps_info isg_jumps_describe(const isg_jumps *jumps);

/* So many sweeps, each with a jump after it; they count as sweeps. The chains must be of the RBM that
   is the target. ISG_ERR_UNSUPPORTED while units are clamped. */
ISG_API isg_status isg_chains_jump(isg_chains *chains, isg_jumps *jumps, size_t steps);

/* Tempering, or replica exchange: every chain has copies at smaller beta, and neighbours swap their
   states. It needs no list of minima and serves to check jumps; it costs as many sweeps as there
   are temperatures, and more of them. */
typedef struct isg_tempering isg_tempering;

/* Start from isg_tempering_defaults(); defaults are in brackets. */
typedef struct isg_tempering_options {
    size_t temperatures; /* 2 to 1000, in a geometric sequence [20] */
    double lowest;       /* the smallest beta; 0: 0.9 / |W|^2, where spins without fields are not
                            yet ordered, but at most half of the largest [0] */
} isg_tempering_options;

ISG_API isg_tempering_options isg_tempering_defaults(void);

typedef struct isg_tempering_info {
    size_t temperatures;
    double highest, lowest; /* beta */
    uint64_t steps;         /* done */
    size_t untried;         /* pairs of neighbours that had no turn yet */
    double
        least_rate; /* share of accepted swaps, of the tried pair with the fewest; NaN if none was tried */
    double mean_rate; /* of all tried pairs */
} isg_tempering_info;

/* Copies of these chains, where they are now, at all temperatures from beta down. `options` may be
   NULL. */
ISG_API isg_status isg_tempering_create(isg_tempering **out, const isg_chains *chains, double beta,
                                        const isg_tempering_options *options);
ISG_API void isg_tempering_free(isg_tempering *tempering); /* NULL is fine */
ISG_API isg_tempering_info isg_tempering_describe(const isg_tempering *tempering);

/* beta number t < temperatures, the largest first; share of accepted swaps between t and t + 1, NaN before
   the first try. */
ISG_API double isg_tempering_beta(const isg_tempering *tempering, size_t t);
ISG_API double isg_tempering_rate(const isg_tempering *tempering, size_t t);

/* So many steps of the chains that it was created with, which are the replicas of the largest beta: swaps
   of every other pair of neighbours, then a sweep at every temperature. They count as sweeps. */
ISG_API isg_status isg_chains_temper(isg_chains *chains, isg_tempering *tempering, size_t steps);

/* How isg_rbm_draw() got from mode to mode. */
typedef enum isg_mixing {
    ISG_MIXING_JUMPS,
    ISG_MIXING_TEMPERING,
    ISG_MIXING_DATA /* not at all: chains were swept 20 times, and stayed in the modes of the data */
} isg_mixing;

/* So many samples of the RBM, as data: of chains that jump, after enough steps to forget where they
   started, and between two samples; where jumps are not usable, of replicas at the largest beta. If
   `start` is not NULL, of chains that start at its samples, evenly spread, as in contrastive divergence:
   modes then have the weights of the data, not those of the RBM. Same seed, same samples. `start`,
   `how` and `progress` may be NULL. */
ISG_API isg_status isg_rbm_draw(isg_dataset **out, const isg_rbm *rbm, size_t count,
                                const isg_dataset *start, uint64_t seed, isg_mixing *how,
                                const isg_progress *progress);

/* ---- Samples: files, pictures, and how fast chains decorrelate ------------------------------- */

typedef struct isg_chains_info {
    size_t count;
    size_t n_visible;
    size_t n_hidden;
    uint64_t seed;
    uint64_t sweeps;     /* done so far */
    size_t image_height; /* of the RBM; 0 if its visible units are not an image */
    size_t image_width;
} isg_chains_info;

ISG_API isg_chains_info isg_chains_describe(const isg_chains *chains);

/* A .npz with s (count, N) as int8, lambda (count, p), the hidden units drawn by the last sweep, as
   float32, and energy (count), H(s); `command` is recorded in its meta.json. */
ISG_API isg_status isg_chains_save(const isg_chains *chains, const char *path, const char *command);

/* The integrated autocorrelation time of a quantity followed through many chains, in steps:
       time = 1 + 2 sum over t = 1 .. window of C(t) / C(0)
   with C(t) the autocovariance around the mean of all chains, averaged over them. The mean over n
   steps of a chain is worth n / time independent values. */
typedef struct isg_autocorrelation {
    double time;      /* NaN if nothing varies */
    double error;     /* standard error of time: time sqrt(2 (2 window + 1) / values) */
    size_t window;    /* the first that is at least 5 times `time` (Sokal), but at most half the
                         length of the chains; if that limit applies, `time` is too short */
    bool is_reliable; /* the chains are at least 50 times `time` long */
} isg_autocorrelation;

/* What a number of sweeps showed about the energies H(s) and the hidden units lambda.

   R-hat is the split R-hat (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4): every chain is
   cut into halves of n steps, without the middle step if their number is odd; with W the mean of
   the 2 * chains variances and B / n the variance of the means (both unbiased),
       R = sqrt(((n - 1) W / n + B / n) / W)
   is 1 for chains that agree; above 1.1, or more strictly 1.01, they have not converged. It is
   infinite if every half is constant but not all are equal, NaN if nothing varies at all.

   Chains are trapped if they stay in different modes, so that longer chains will not help: for the
   quantity with the largest R-hat, R-hat is above 1.1, B / (n W) is at least 0.8 of its value in
   the first half of the steps (0.5 is usual for chains that are merely slow), and at most 1 % of
   the variance B / n of the half-chain means lies between the two halves of one chain. */
typedef struct isg_decorrelation {
    size_t chains, sweeps;
    isg_autocorrelation energy;
    isg_autocorrelation hidden; /* of the slowest hidden unit */
    size_t slowest_unit;
    double energy_rhat;
    double hidden_rhat; /* the largest of all hidden units */
    bool is_reliable;   /* whether both times are */
    bool is_trapped;    /* see above */
} isg_decorrelation;

/* Sweeps the chains `skip` times to forget their start, then measures `sweeps` more. All values are
   kept in memory, 8 chains sweeps (n_hidden + 1) bytes: ISG_ERR_UNSUPPORTED above 2 GiB.
   ISG_ERR_ARGUMENT for fewer than 4 sweeps or a beta that is not positive. `progress` may be NULL;
   if it cancels, the chains have still moved. */
ISG_API isg_status isg_chains_measure(isg_chains *chains, size_t skip, size_t sweeps, double beta,
                                      isg_decorrelation *out, const isg_progress *progress);

/* How chains are moved, and what else is followed. All NULL: block-Gibbs sweeps. */
typedef struct isg_moves {
    isg_jumps *jumps;             /* after every sweep */
    isg_tempering *tempering;     /* or swaps before it */
    const isg_patterns *patterns; /* of as many units; NULL: no labels */
} isg_moves;

/* A step of these moves; beta must be that of the jumps, or the largest of the tempering. */
ISG_API isg_status isg_chains_move(isg_chains *chains, const isg_moves *moves, size_t steps,
                                   double beta);

/* How the label of a chain changes, which is the nearest pattern or mirror image of one. */
typedef struct isg_label_times {
    isg_autocorrelation
        time;       /* with C(t) summed over the indicators of all labels; NaN if none ever
                                 changed, as nothing is then known of it */
    double rhat;    /* split R-hat, with W and B summed likewise */
    double changes; /* share of steps in which the label changed */
} isg_label_times;

/* isg_chains_measure() for these moves; `moves`, `labels` and `shares` may be NULL. The last are written
   only if patterns are given: shares (2 n_patterns) of the states nearest to pattern mu, at 2 mu,
   and to its mirror image, at 2 mu + 1. */
ISG_API isg_status isg_chains_measure_moves(isg_chains *chains, const isg_moves *moves, size_t skip,
                                            size_t sweeps, double beta, isg_decorrelation *out,
                                            isg_label_times *labels, double *shares,
                                            const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
