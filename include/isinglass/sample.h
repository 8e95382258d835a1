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

#ifdef __cplusplus
}
#endif

#endif
