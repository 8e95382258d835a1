/* isinglass/log_z.h - ln Z: exact, estimated, and what it says of data
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_LOG_Z_H
#define ISINGLASS_LOG_Z_H

#include "isinglass/rbm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Exact answers --------------------------------------------------------------------------- */

/* ln Z of a machine, Z = sum over s of exp(-beta H(s)), in three ways, none of which samples. Each
   says ISG_ERR_UNSUPPORTED where it does not apply, ISG_ERR_DIVERGED if a weight is not finite.
   The results are the same to the last bit on any number of threads. */

/* All 2^N states, for at most 28 visible units: 2^N p operations. */
ISG_API isg_status isg_exact_enumerate(const isg_rbm *rbm, double *log_z,
                                       const isg_progress *progress);

/* p(s) of all 2^N states, for at most 24 visible units; bit i of the index is set if spin i is
   +1. */
ISG_API isg_status isg_exact_probabilities(const isg_rbm *rbm, double *probabilities);

/* Visible units with the same row of W and the same field, up to one sign for both, form classes,
   of which only the number of up spins matters; for at most 1e9 combinations of these numbers. */
ISG_API isg_status isg_exact_class_sums(const isg_rbm *rbm, double *log_z,
                                        const isg_progress *progress);

/* `count` independent samples of p(s), packed, into spins (count, words of 64): for at most 20
   visible units, or where class sums have at most 4e6 terms. */
ISG_API isg_status isg_exact_samples(const isg_rbm *rbm, size_t count, uint64_t seed,
                                     uint64_t *spins);

/* The integral over lambda, for at most 3 hidden units and any number of visible ones. The error
   is a bound, not an estimate. */
ISG_API isg_status isg_exact_quadrature(const isg_rbm *rbm, double *log_z, double *error,
                                        const isg_progress *progress);

/* ---- Estimates of ln Z ----------------------------------------------------------------------- */

typedef enum isg_log_z_method {
    ISG_LOG_Z_EXACT,
    ISG_LOG_Z_AIS,
    ISG_LOG_Z_MIXTURE
} isg_log_z_method;

/* What the error of an estimate says. */
typedef enum isg_log_z_side {
    ISG_SIDE_EXACT, /* it is a bound on rounding or quadrature */
    ISG_SIDE_BOTH,  /* one standard error, as likely too high as too low */
    ISG_SIDE_LOWER, /* the estimate is too low on average, by more than the error may show */
    ISG_SIDE_UPPER  /* too high on average */
} isg_log_z_side;

/* ln Z as far as it is known. */
typedef struct isg_log_z {
    double value;
    double error; /* one standard error, or a bound if exact; NaN if it cannot be told, and then
                     the value is not trusted, and the reason says so */
    isg_log_z_method method;
    isg_log_z_side side;
    double ess;       /* effective number of samples; 0 if exact */
    size_t samples;   /* chains or draws behind it; 0 if exact */
    double spread;    /* AIS: standard deviation of the repeats; else NaN */
    size_t modes;     /* mixture: minima of F0, mirror images included; else 0 */
    double laplace;   /* mixture: ln of the sum of the Laplace terms alone; else NaN */
    bool is_trusted;  /* whether ess and error are good enough to be taken at their word */
    char reason[160]; /* if not, why, as a sentence without a final point; else empty */
    char choice[160]; /* if the method was chosen for the caller, why; else empty */
} isg_log_z;

/* Annealed importance sampling: chains go from free spins (alpha = 0) to the RBM (alpha = 1), which
   at alpha has weights alpha W and fields alpha b, alpha c, and weigh their way. */

/* Which distribution the weights belong to; what is left out is summed or integrated away. */
typedef enum isg_ais_weights {
    ISG_AIS_SPIN,   /* p(s): the least noise, and O(n_hidden) a step */
    ISG_AIS_LAMBDA, /* p(lambda), as in the paper's Eq. 7: in double, without the fast kernels */
    ISG_AIS_JOINT   /* p(s, lambda) */
} isg_ais_weights;

typedef enum isg_ais_move {
    ISG_AIS_GIBBS, /* a block-Gibbs sweep */
    ISG_AIS_HMC    /* a Hamiltonian trajectory in lambda; for ISG_AIS_LAMBDA only */
} isg_ais_move;

/* Start from isg_ais_defaults(); defaults are in brackets. */
typedef struct isg_ais_options {
    size_t chains;                /* in one repeat [500] */
    size_t steps;                 /* from 0 to 1 [1000] */
    size_t repeats;               /* [1] */
    isg_ais_weights weights;      /* [ISG_AIS_SPIN] */
    isg_ais_move move;            /* [ISG_AIS_GIBBS] */
    double hmc_step;              /* of a leapfrog [0.2] */
    size_t hmc_leapfrogs;         /* in a trajectory [2] */
    const double *schedule;       /* (steps + 1): alpha, rising from 0 to 1 [NULL: evenly spaced] */
    uint64_t seed;                /* [1] */
    const isg_progress *progress; /* [NULL] */
} isg_ais_options;

ISG_API isg_ais_options isg_ais_defaults(void);

/* ln Z, which comes out too low on average. `log_weights` (repeats, chains) receives the logarithms
   of the weights, whose mean is Z / 2^n_visible; it may be NULL. */
ISG_API isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                                 double *log_weights);

/* The other way, from states `spins` (repeats, chains; packed) of the RBM to free spins, by spin
   weights and Gibbs sweeps: too high on average if the states are exact samples, and nothing in
   particular if they are not. */
ISG_API isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                                   const isg_ais_options *options, isg_log_z *out,
                                   double *log_weights);

/* ln Z at each of betas (n) in place of the RBM's own, into out (n), from a single annealing by spin
   weights that stops at all of them. */
ISG_API isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                                       const double *betas, size_t n, isg_log_z *out);

/* An interval that ln Z lies in with at least this probability. */
typedef struct isg_interval {
    double low, high;
    double confidence;
    size_t batches;
} isg_interval;

/* Rigorous, from options->repeats independent batches each way; only where exact samples exist
   (ISG_ERR_UNSUPPORTED elsewhere). Spin weights and Gibbs sweeps. */
ISG_API isg_status isg_ais_certificate(const isg_rbm *rbm, const isg_ais_options *options,
                                       double confidence, isg_interval *out);

/* A schedule in which every step costs the same: a pilot of options->chains chains goes on to the
   alpha at which the effective number of its chains, all equal before the step, is `target` times
   what it was, 0 < target < 1. Release it with isg_schedule_free(). */
ISG_API isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options,
                                    double target, double **schedule, size_t *steps);
ISG_API void isg_schedule_free(double *schedule); /* NULL is fine */

/* ---- Importance sampling of lambda ----------------------------------------------------------- */

/* ln Z = ln of the mean of f / q over draws of lambda from q: a mixture of Gaussians around the minima
   of F0 that could be found, each fitted to Gibbs chains, where f is exp(-beta F0) with the
   constants of Z.

   It is as good as the list of minima. Gibbs chains annealed from random spins, the witnesses, look
   for what is missing; if they find more than 1 % of Z where q has no weight, or most of them end
   there, or few of the draws count, the result is not trusted, says why, and is likely too low. What
   can not be noticed is a minimum that no search and no witness ever came to, however much of Z it
   holds: one with a tiny basin in a landscape with others. */

/* Start from isg_mixture_defaults(); defaults are in brackets. */
typedef struct isg_mixture_options {
    size_t samples;       /* draws, at least 1000; a tenth if they would not be trusted [100000] */
    size_t random_starts; /* random states that searches for minima start from [64] */
    size_t witnesses;     /* annealed chains, twice, and 8 times as many to fit with [256] */
    const isg_dataset *data;      /* whose rows searches start from as well [NULL: none] */
    size_t data_starts;           /* how many of them, evenly spread [256] */
    uint64_t seed;                /* same seed, same result, on any number of threads [1] */
    const isg_progress *progress; /* [NULL] */
} isg_mixture_options;

ISG_API isg_mixture_options isg_mixture_defaults(void);

/* `options` may be NULL. The patterns that the RBM was made of, if known, are starts too.
   ISG_ERR_SHAPE if data and RBM disagree on n_visible. */
ISG_API isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options,
                                     isg_log_z *out);

/* ---- ln Z, by whatever suits the model ------------------------------------------------------- */

/* Which method to take. */
typedef enum isg_log_z_choice {
    ISG_CHOOSE_AUTO, /* exact if that is quick, else mixture if it can be trusted, else AIS, or the
                        larger of the two if that cannot be trusted either */
    ISG_CHOOSE_EXACT,
    ISG_CHOOSE_AIS,
    ISG_CHOOSE_MIXTURE
} isg_log_z_choice;

/* Start from isg_log_z_defaults(); defaults are in brackets. */
typedef struct isg_log_z_options {
    isg_log_z_choice choice;      /* [ISG_CHOOSE_AUTO] */
    size_t patience;              /* auto: how often AIS that cannot be trusted may be done again
                                     with four times the steps [2] */
    isg_ais_options ais;          /* [isg_ais_defaults()] */
    isg_mixture_options mixture;  /* [isg_mixture_defaults()] */
    const isg_progress *progress; /* of all of it [NULL] */
} isg_log_z_options;

ISG_API isg_log_z_options isg_log_z_defaults(void);

/* Where the method was chosen, out->choice says why. */
ISG_API isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                                 isg_log_z *out);

/* The same at each of betas (n) in place of the RBM's own, into out (n); what is left to AIS shares
   one annealing. */
ISG_API isg_status isg_rbm_log_z_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                                       const double *betas, size_t n, isg_log_z *out);

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The mean of ln p(s) + ln Z = -beta H(s) over the samples of a data set: exact, but for rounding. */
typedef struct isg_data_term {
    size_t samples;
    double mean;      /* 0 without samples */
    double deviation; /* standard deviation over the samples; NaN below two */
} isg_data_term;

/* `by_class` (n_classes) may be NULL. ISG_ERR_SHAPE if RBM and data disagree on n_visible. */
ISG_API isg_status isg_rbm_data_term(const isg_rbm *rbm, const isg_dataset *data,
                                     isg_data_term *all, isg_data_term *by_class);

#ifdef __cplusplus
}
#endif

#endif
