/* isinglass/log_z.h - ln Z, deep states, and the log-likelihood of data
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_LOG_Z_H
#define ISINGLASS_LOG_Z_H

#include "isinglass/sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ln Z ------------------------------------------------------------------------------------ */

/* Z = sum over s of exp(-beta H(s)). */

/* How ln Z is computed. */
typedef enum isg_log_z_method {
    ISG_LOG_Z_AUTO,    /* exactly if that is quick, else by wells if these can be trusted, else by
                            annealing; if neither can be trusted, the larger of the two estimates */
    ISG_LOG_Z_EXACT,   /* by enumerating all states, by sums over units with equal rows of W, or by
                            integrating over at most 3 hidden units */
    ISG_LOG_Z_AIS,     /* by annealed importance sampling */
    ISG_LOG_Z_MIXTURE, /* by importance sampling of lambda from a mixture of Gaussians */
    ISG_LOG_Z_WELLS,   /* deep states by confined chains, all others by population annealing */
    ISG_LOG_Z_POPULATION /* by population annealing alone */
} isg_log_z_method;

/* What the error of an estimate means. */
typedef enum isg_log_z_side {
    ISG_SIDE_EXACT, /* a bound on the error of rounding or quadrature */
    ISG_SIDE_BOTH,  /* one standard error; too high is as likely as too low */
    ISG_SIDE_LOWER, /* the estimate is too low on average, perhaps by more than the error */
    ISG_SIDE_UPPER, /* too high on average */
    ISG_SIDE_BOUND /* at least: the estimate agrees, within its error, with the rigorous bound of the
                       states that are known, and ln Z is not lower than that */
} isg_log_z_side;

typedef struct isg_shares {
    double wells, rest; /* of Z, in the wells of deep states and elsewhere */
} isg_shares;

typedef struct isg_log_z {
    double value;
    double error; /* one standard error, or a bound if exact; NaN if unknown: the value is then not
                     trusted, and `reason` says so */
    isg_log_z_method method; /* never ISG_LOG_Z_AUTO */
    isg_log_z_side side;
    double ess;        /* effective sample size; 0 if exact */
    size_t samples;    /* chains or draws behind it; 0 if exact */
    double spread;     /* standard deviation between repeats, of ln Z by AIS, of Z relative to it by
                          wells and populations; else, and without repeats, NaN */
    size_t modes;      /* mixture: minima of F0, wells: wells; mirror images included; else 0 */
    double laplace;    /* mixture: ln of the sum of the Laplace terms alone; else NaN */
    isg_shares shares; /* wells: where Z is; else NaN */
    bool is_drawn;     /* wells: the rest was found by draws, too, and a small population agrees */
    double family; /* wells, population: the share of a population that descends from one state at
                         beta = 0, the largest, averaged over repeats; else NaN */
    double bound;  /* rigorous: ln of the sum of exp(-beta H) over the states that are known, which
                         ln Z is never below; -inf if none are known */
    size_t states; /* how many of them; 0 if not asked for */
    bool is_trusted;  /* whether value and error can be relied on */
    char reason[160]; /* why it cannot, as a sentence without a trailing period; else empty */
    char choice[160]; /* why ISG_LOG_Z_AUTO took this method; empty if the caller chose it */
} isg_log_z;

/* Annealed importance sampling (Neal, 2001): chains move from free spins (alpha = 0) to the RBM
   (alpha = 1) through RBMs with weights alpha W and fields alpha b, alpha c, and collect weights on
   the way. The logarithm of their mean weight is too low on average. */

/* Which distribution is weighted; the other variables are summed or integrated out. */
typedef enum isg_ais_weights {
    ISG_AIS_SPIN,   /* p(s): the least noise, and O(n_hidden) a step */
    ISG_AIS_LAMBDA, /* p(lambda), as in the paper's Eq. 7: in double precision, without the fast
                       kernels */
    ISG_AIS_JOINT   /* p(s, lambda) */
} isg_ais_weights;

typedef enum isg_ais_move {
    ISG_AIS_GIBBS, /* a block-Gibbs sweep */
    ISG_AIS_HMC    /* a Hamiltonian trajectory in lambda; for ISG_AIS_LAMBDA only */
} isg_ais_move;

/* Defaults are in brackets. */
typedef struct isg_ais_options {
    size_t chains;           /* in one repeat [500] */
    size_t steps;            /* from 0 to 1 [1000] */
    size_t repeats;          /* [1] */
    isg_ais_weights weights; /* [ISG_AIS_SPIN] */
    isg_ais_move move;       /* [ISG_AIS_GIBBS] */
    double hmc_step;         /* of a leapfrog [0.2] */
    size_t hmc_leapfrogs;    /* in a trajectory [2] */
    const double *schedule;  /* (steps + 1): alpha, rising from 0 to 1 [NULL: evenly spaced] */
    double adaptive;         /* if above 0: a pilot run places the steps so that each keeps this
                                share, below 1, of the effective sample size; replaces steps and
                                schedule [0] */
    uint64_t seed;           /* [1] */
} isg_ais_options;

/* Importance sampling of lambda: ln Z = ln of the mean of f / q over draws from q, the mixture of
   Gaussians of isg_mixture_options; f is exp(-beta F0) with the constants of Z. */

/* Population annealing (Hukushima and Iba, 2003): many copies of the system are cooled together from
   free spins to the RBM. At every step those that fit the lower temperature better are copied at the
   expense of the others, and all are moved by Gibbs sweeps. */

/* Defaults are in brackets. */
typedef struct isg_population_options {
    size_t particles; /* in one population [8000] */
    size_t repeats;   /* independent populations; at least 2 for an error [5] */
    size_t sweeps;    /* between two temperatures [5] */
    double keep;      /* the share of the effective sample size that a step may leave [0.97] */
    uint64_t seed;    /* same seed, same result, on any number of threads [1] */
} isg_population_options;

/* The search for deep states, minima of H. */

/* Defaults are in brackets. */
typedef struct isg_states_options {
    size_t most;             /* states to list, the deepest [1000] */
    const isg_dataset *data; /* rows to search from as well [NULL: none] */
    size_t data_starts;      /* how many rows, evenly spaced [512] */
    size_t random_starts;    /* random states to search from [64] */
    size_t majorities;       /* of three deep states to search from, per round [500] */
    double window; /* the search ends when combinations of deep states lead to no new state
                                within window / beta of the deepest [1] */
    uint64_t seed; /* [1] */
} isg_states_options;

ISG_API isg_states_options isg_states_defaults(void);

/* Start from isg_log_z_defaults(); defaults are in brackets. */
typedef struct isg_log_z_options {
    isg_log_z_method method;     /* [ISG_LOG_Z_AUTO] */
    size_t patience;             /* auto: how many times to repeat annealing with four times the
                                    steps while it cannot be trusted; wells: the same, at most once,
                                    with four times the sweeps [2] */
    bool fixed_steps;            /* auto: anneal with ais.steps and no more, whatever the patience
                                    [false] */
    bool is_bounded;             /* whether to look for deep states where the method does not need
                                    them, so that ln Z is not reported below their bound [true] */
    isg_ais_options ais;         /* [as above] */
    isg_mixture_options mixture; /* [as in isinglass/sample.h] */
    isg_states_options states;   /* [as above] */
    isg_population_options population; /* [as above] */
    size_t well_draws; /* wells: draws of lambda per repeat, at least 1000 [20000] */
} isg_log_z_options;

ISG_API isg_log_z_options isg_log_z_defaults(void);

/* ln Z. `options` and `progress` may be NULL. The mixture also searches for minima from the
   patterns that the RBM was made from, if known. ISG_ERR_UNSUPPORTED if ISG_LOG_Z_EXACT does not
   apply, or if the wells of ISG_LOG_Z_WELLS contain nearly all of the states; ISG_ERR_DIVERGED if a
   weight is not finite, or weights or beta are too large; ISG_ERR_SHAPE if data and RBM disagree on
   n_visible. */
ISG_API isg_status isg_rbm_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                                 isg_log_z *out, const isg_progress *progress);

/* The same at each of betas (n) instead of the RBM's own beta, into out (n). All betas that need
   annealing share one run, which requires spin weights and evenly spaced steps. `options` and
   `progress` may be NULL. */
ISG_API isg_status isg_rbm_log_z_betas(const isg_rbm *rbm, const isg_log_z_options *options,
                                       const double *betas, size_t n, isg_log_z *out,
                                       const isg_progress *progress);

/* An interval that contains ln Z with at least this probability. */
typedef struct isg_interval {
    double low, high;
    double confidence;
    size_t batches;
} isg_interval;

/* A rigorous interval from options->repeats independent batches of annealing to the RBM, and back
   from exact samples: for at most 20 visible units, or where sums over units with equal rows of W
   have at most 4e6 terms (ISG_ERR_UNSUPPORTED otherwise). Spin weights and Gibbs sweeps only.
   `options` and `progress` may be NULL. */
ISG_API isg_status isg_ais_certificate(const isg_rbm *rbm, const isg_ais_options *options,
                                       double confidence, isg_interval *out,
                                       const isg_progress *progress);

/* ---- One exact method at a time -------------------------------------------------------------- */

/* Each returns ISG_ERR_UNSUPPORTED where it does not apply and ISG_ERR_DIVERGED if a weight is not
   finite. The results are bit-identical on any number of threads. `progress` may be NULL. */

/* All 2^N states, for at most 28 visible units: 2^N p operations. */
ISG_API isg_status isg_exact_enumerate(const isg_rbm *rbm, double *log_z,
                                       const isg_progress *progress);

/* p(s) of all 2^N states, for at most 24 visible units; bit i of the index is set if spin i is
   +1. */
ISG_API isg_status isg_exact_probabilities(const isg_rbm *rbm, double *probabilities);

/* The integral over lambda, for at most 3 hidden units and any number of visible units. The error
   is a bound, not an estimate. */
ISG_API isg_status isg_exact_quadrature(const isg_rbm *rbm, double *log_z, double *error,
                                        const isg_progress *progress);

/* ---- Deep states ----------------------------------------------------------------------------- */

/* The minima of H that a search found: states from which no single flip lowers H. These are the
   stored patterns, where the network remembers them, and spurious states. If H is even, without
   fields, the mirror image of a minimum is one too, and the list has one of the two: that with a
   positive overlap with its nearest pattern or, without patterns, with at most half of its spins
   up. */
typedef struct isg_deep_states isg_deep_states;

/* A mixture of three patterns, sgn(+-a +-b +-c). */
typedef struct isg_deep_mixture {
    size_t patterns[3]; /* SIZE_MAX if there are fewer than three */
    int signs[3];       /* 1 or -1 */
    size_t distance;    /* spins in which the state differs from it */
    bool is_sum;        /* +-a +-b +-c is 1 or -1 at every unit; the mixture is then in the span of
                           the patterns, and as deep as they are in a projection network */
} isg_deep_mixture;

typedef struct isg_deep_state {
    const uint64_t *spins; /* packed; of the list */
    double energy;         /* H(s) */
    double share;          /* of the sum of exp(-beta H) over all that were found or, after
                                 isg_deep_states_weigh(), of Z; if H is even, with its mirror image */
    double well;     /* after isg_deep_states_weigh(): the share of Z in the well whose deepest
                                 state this is; NaN if it is none, or not known */
    size_t reached;  /* random starts that ended in it or, if H is even, in its mirror
                                 image */
    size_t nearest;  /* pattern with the largest overlap, up to a sign if H is even;
                                 SIZE_MAX if the RBM has no patterns */
    double overlap;  /* with it: s.xi / n_visible; NaN if there is none */
    size_t distance; /* spins in which they differ; 0: the state is this pattern */
    isg_deep_mixture mixture; /* the nearest of those tried: of patterns with large overlaps, or
                                 large coefficients (xi^T xi)^-1 xi^T s */
} isg_deep_state;

typedef struct isg_deep_states_info {
    size_t n_visible;
    size_t count;   /* of the list, the deepest: at most options->most */
    size_t found;   /* before the list was cut */
    size_t ground;  /* found with the lowest energy, up to 1e-9 of it */
    size_t starts;  /* random starts */
    double beta;    /* of the RBM */
    double bound;   /* ln of the sum of exp(-beta H) over all that were found and, if H is even,
                       their mirror images: rigorous, ln Z is not below it */
    bool is_even;   /* H(-s) = H(s) */
    bool is_closed; /* combinations of the deepest led to nothing new within window / beta of the
                       ground state, which is no proof that there is nothing */
} isg_deep_states_info;

/* Searches from the patterns that the RBM was made from, if known, from options->data, from random
   states, and from combinations of what was found. Sorted by energy and, where that is the same up to
   1e-9 of it, patterns first; the same bits on any number of threads. `options` and `progress` may be
   NULL. ISG_ERR_DIVERGED if a weight is not finite,
   ISG_ERR_SHAPE if data and RBM disagree on n_visible. */
ISG_API isg_status isg_deep_states_create(isg_deep_states **out, const isg_rbm *rbm,
                                          const isg_states_options *options,
                                          const isg_progress *progress);
ISG_API void isg_deep_states_free(isg_deep_states *states); /* NULL is fine */
ISG_API isg_deep_states_info isg_deep_states_describe(const isg_deep_states *states);

/* ln Z of the RBM that was searched, by isg_rbm_log_z(), and with it the shares of states and wells in
   Z. `options` and `progress` may be NULL. ISG_ERR_SHAPE if the RBM has other sizes, or another
   beta. */
ISG_API isg_status isg_deep_states_weigh(isg_deep_states *states, const isg_rbm *rbm,
                                         const isg_log_z_options *options, isg_log_z *out,
                                         const isg_progress *progress);

/* State k < count; its spins belong to the list. */
ISG_API isg_deep_state isg_deep_states_at(const isg_deep_states *states, size_t k);

/* ---- Log-likelihood -------------------------------------------------------------------------- */

/* L, the mean of ln p(s) = -beta H(s) - ln Z over samples. */
typedef struct isg_likelihood {
    double value;     /* L in nats per sample, the data term minus ln Z; NaN without samples */
    double error;     /* that of ln Z; the data term adds none */
    double data_term; /* mean of -beta H(s), exact except for rounding; 0 without samples */
    double deviation; /* standard deviation of ln p(s) over the samples; NaN below two */
    size_t samples;
    bool is_trusted; /* whether ln Z is */
} isg_likelihood;

/* L of a data set and, unless `by_class` (n_classes) is NULL, of each of its classes. One ln Z
   serves any number of data sets. ISG_ERR_SHAPE if RBM and data disagree on n_visible. `progress`
   may be NULL. */
ISG_API isg_status isg_log_likelihood(const isg_rbm *rbm, const isg_dataset *data,
                                      const isg_log_z *log_z, isg_likelihood *out,
                                      isg_likelihood *by_class, const isg_progress *progress);

/* L at each of betas (n) instead of the RBM's own beta, with log_z (n) of isg_rbm_log_z_betas(),
   into out (n), from one pass over the data. `progress` may be NULL. */
ISG_API isg_status isg_log_likelihood_betas(const isg_rbm *rbm, const isg_dataset *data,
                                            const double *betas, const isg_log_z *log_z, size_t n,
                                            isg_likelihood *out, const isg_progress *progress);

/* Both in one call: computes ln Z, stored in `log_z` unless that is NULL, and L. If the options
   name no data for the mixture, it uses `data`. `options` and `progress` may be NULL. */
ISG_API isg_status isg_rbm_score(const isg_rbm *rbm, const isg_dataset *data,
                                 const isg_log_z_options *options, isg_likelihood *out,
                                 isg_log_z *log_z, const isg_progress *progress);

#ifdef __cplusplus
}
#endif

#endif
