/* ais.h - annealed importance sampling of ln Z
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_AIS_H
#define ISG_AIS_H

#include <stdatomic.h>

#include "base/rng.h"
#include "isinglass/log_z.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

/* ---- estimates ------------------------------------------------------------------------------- */

isg_ais_options isg_ais_defaults(void);

/* ln Z, too low on average. `log_weights` (repeats, chains) receives the logarithms of the weights,
   whose mean is Z / 2^n_visible; it may be NULL, and so may `options`, here and below. */
isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                         double *log_weights, const isg_progress *progress);

/* In reverse, from states `spins` (repeats, chains; packed) of the RBM to free spins, by spin
   weights and Gibbs sweeps: too high on average if the states are exact samples, meaningless
   otherwise. */
isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                           const isg_ais_options *options, isg_log_z *out, double *log_weights,
                           const isg_progress *progress);

/* ln Z at each of betas (n) instead of the RBM's own beta, into out (n), from a single annealing by
   spin weights that stops at all of them. */
isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                               const double *betas, size_t n, isg_log_z *out,
                               const isg_progress *progress);

/* A schedule for options->adaptive = target, from a pilot of options->chains chains: schedule
   (steps + 1), which the caller releases. */
isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options, double target,
                            double **schedule, size_t *steps, const isg_progress *progress);

/* Lambda weights, in double: log_weights (repeats, chains) for options->schedule. */
isg_status isg_ais_lambda(const isg_rbm *rbm, const isg_ais_options *options, double *log_weights,
                          const isg_progress *progress);

/* ---- chains ---------------------------------------------------------------------------------- */

/* Chains are moved from free spins to an RBM, or back, and weighted on the way. There are two
   paths: by the scale alpha of weights and fields at the RBM's beta, with h = W^T s,

       H_alpha(s)         = -alpha b.s - alpha^2 (|h + c|^2 - |c|^2) / 2
       H_alpha(s, lambda) = |lambda - alpha c|^2 / 2 - alpha (b.s + h.lambda)

   or by beta itself, from 0 on, through every beta whose ln Z is wanted. */

typedef enum isg_path {
    ISG_PATH_SCALE, /* positions are alpha, 0 to 1 */
    ISG_PATH_BETA   /* positions are beta, from 0; spin weights only */
} isg_path;

/* What the threads read while they anneal. */
typedef struct isg_anneal {
    isg_gibbs_weights w; /* owned: W, b and c rounded for the kernels */
    const isg_rbm *rbm;  /* borrowed: not rounded */
    const isg_kernels *kernels;
    isg_path path;
    const double *positions; /* (steps + 1), rising from 0 */
    size_t steps;
    isg_ais_weights weights; /* not ISG_AIS_LAMBDA */
    double beta;
    double hidden_field_square; /* |c|^2 */
    double *field_table;        /* (words, 16, 16): b.s of 4 spins in each of their 16 states; NULL
                                   without b */
    uint64_t seed;
    isg_purpose purpose;
} isg_anneal;

/* For the scale path and spin weights, without positions. Release it after a failure too. */
isg_status isg_anneal_create(isg_anneal *a, const isg_rbm *rbm, uint64_t seed, isg_purpose purpose);
void isg_anneal_release(isg_anneal *a);

/* A few chains that one thread works on. */
typedef struct isg_anneal_group {
    size_t first, count; /* chains, at most ISG_GIBBS_CHAINS */
    uint64_t *spins;     /* (ISG_GIBBS_CHAINS, words) */
    int32_t *input;      /* (ISG_GIBBS_CHAINS, stride) */
    float *lambda;       /* the same */
    void *scratch;
} isg_anneal_group;

isg_status isg_anneal_group_create(isg_anneal_group *g, const isg_gibbs_weights *w);
void isg_anneal_group_release(isg_anneal_group *g);

/* Takes the chains of group number n, of `chains` in total. */
void isg_anneal_group_take(isg_anneal_group *g, size_t n, size_t chains);
size_t isg_anneal_groups(size_t chains);

/* Free spins, and free hidden units: position 0. */
void isg_anneal_start(const isg_anneal *a, isg_anneal_group *g);

/* ln of the weight of a move from one position to another is
   beta ((to - from) linear + (to^2 - from^2) square) on the scale path, (to - from) linear on the beta path. */
typedef struct isg_slope {
    double linear, square;
} isg_slope;

isg_slope isg_anneal_slope(const isg_anneal *a, const isg_anneal_group *g, size_t k);
double isg_anneal_log_weight(const isg_anneal *a, isg_slope s, double from, double to);

/* One sweep at a position; `step` numbers the random numbers. */
void isg_anneal_move(const isg_anneal *a, isg_anneal_group *g, double position, uint64_t step);

/* The chains sample the RBM whose W, b and c are rounded for the kernels, with energy H'. This is
   ln of the weight that corrects for that at a position, beta (H'(s) - H(s)), or the same for the
   joint energies. */
double isg_anneal_correction(const isg_anneal *a, const isg_anneal_group *g, size_t k,
                             double position);

/* log_weights (chains) of the whole path, in reverse if `start` (chains, words) is given. If
   `marks` (n_marks) lists steps, ascending, log_weights (n_marks, chains) receives the weights at
   each. */
typedef struct isg_anneal_job {
    size_t chains;
    const uint64_t *start; /* NULL: forward */
    const size_t *marks;   /* NULL: only the end */
    size_t n_marks;
    double *log_weights;
} isg_anneal_job;

isg_status isg_anneal_run(const isg_anneal *a, const isg_anneal_job *job,
                          const isg_progress *progress);

/* Progress of work that threads do in pieces: counted by all, reported by the calling thread, which
   is thread 0 of the team. */
typedef struct isg_team_progress {
    const isg_progress *progress; /* may be NULL */
    double total;
    atomic_size_t done;
    atomic_bool is_cancelled;
} isg_team_progress;

/* `count` more pieces are done. False if the work should stop. */
bool isg_team_advance(isg_team_progress *team, size_t count);

/* After the parallel region: ISG_ERR_CANCELLED, or reports that all is done. */
isg_status isg_team_end(const isg_team_progress *team);

#endif
