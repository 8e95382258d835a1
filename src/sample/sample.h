/* sample.h - block-Gibbs sweeps of many chains by all threads: what the room shows to others
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_SAMPLE_H
#define ISG_SAMPLE_H

#include "base/rng.h"
#include "base/threads.h"
#include "isinglass/sample.h"
#include "kernels/kernels.h"
#include "sample/mixture.h"

/* Spins (words) drawn at random, +1 and -1 equally likely. */
void isg_random_spins(isg_cursor *random, size_t n_visible, uint64_t *spins);

/* ---- an RBM in the form that the Gibbs kernels read --------------------------------------------- */

/* All zero. Release the parts with isg_gibbs_weights_release(), after a failure too. */
isg_status isg_gibbs_weights_create(isg_gibbs_weights *w, size_t n_visible, size_t n_hidden);
void isg_gibbs_weights_release(isg_gibbs_weights *w);

/* W (n_visible, n_hidden), b and c as they are now. ISG_ERR_DIVERGED if one of them is not finite
   or the absolute sum of a column of W exceeds 2^100; then `w` is undefined. Allocates nothing. */
isg_status isg_gibbs_weights_set(isg_gibbs_weights *w, const double *weights, const double *b,
                                 const double *c);

/* The same in steps, for a team of threads with a barrier between them. Any thread sets any panel;
   then one thread finds the scale; if that succeeds, any thread sets the rows of any panel, and one
   thread ends it. */
void isg_gibbs_weights_set_panel(isg_gibbs_weights *w, size_t panel, const double *weights,
                                 const double *b);
isg_status isg_gibbs_weights_scale(isg_gibbs_weights *w, const double *weights, const double *b,
                                   const double *c);
void isg_gibbs_weights_set_rows(isg_gibbs_weights *w, size_t panel, const double *weights);
void isg_gibbs_weights_end(isg_gibbs_weights *w);

/* h + c of one row of input (stride), in double: the mean of lambda given the spins. */
static inline double isg_gibbs_hidden_mean(const isg_gibbs_weights *w, const int32_t *input,
                                           size_t mu) {
    return (double)input[mu] * (double)w->unit + (double)w->hidden_field[mu];
}

/* ---- chains ------------------------------------------------------------------------------------- */

/* The states of `count` chains, and room for the threads to work in. */
typedef struct isg_states {
    size_t count;
    uint64_t *spins; /* (count, words) */
    int32_t *input;  /* (count, stride): made from the spins by kernel hidden_input */
    float *lambda;   /* (count, stride) */
    char *scratch;   /* (threads, scratch_bytes) */
    size_t threads, scratch_bytes;
} isg_states;

/* All spins -1, lambda zero. Release with isg_states_release(), after a failure too. */
isg_status isg_states_create(isg_states *states, const isg_gibbs_weights *w, size_t count);
void isg_states_release(isg_states *states);

/* Computes input from spins, after these or the weights have changed. */
void isg_states_set_input(isg_states *states, const isg_gibbs_weights *w);

/* Sweep t of chain k draws from stream (seed, purpose, step + t, number + k). */
typedef struct isg_sweeps {
    double beta, gain; /* the RBM with weights gain W and fields gain b, gain c */
    uint64_t seed;
    isg_purpose purpose;
    uint64_t step;
    size_t count;
    size_t number;           /* of the first chain [0] */
    const uint64_t *clamped; /* (words): set for spins held fixed; NULL for none */
    size_t clamped_stride;   /* words between the rows of chains with their own; 0: all share one */
} isg_sweeps;

void isg_states_sweep(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps);

/* ---- the same inside a parallel region ---------------------------------------------------------- */

/* The number of threads with scratch. */
int isg_states_team(const isg_states *states);

void isg_states_sweep_rows(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                           isg_rows rows, size_t thread);

/* The same for those of the rows that have a spin which is not clamped; every chain has its own
   clamp, with clamped_stride = words. */
void isg_states_fill_rows(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                          isg_rows rows, size_t thread);

/* known (words): the spins of a sample that are not missing, and all bits past the last. */
void isg_known_spins(uint64_t *known, const isg_dataset *data, size_t row);

/* H(s) of chain k. */
double isg_states_energy(const isg_states *states, const isg_gibbs_weights *w, size_t k);

/* ---- jumps of states whose (lambda, spins) a sweep has just drawn -------------------------------- */

/* Chain k draws from stream (seed, ISG_PURPOSE_JUMP, step, number + k). */
typedef struct isg_jump_step {
    uint64_t seed, step;
    size_t number; /* of the first chain [0] */
} isg_jump_step;

/* One jump of every chain. `w` is the target of the jumps. */
void isg_states_jump(isg_states *states, const isg_gibbs_weights *w, isg_jumps *jumps,
                     const isg_jump_step *step);

/* The same inside a parallel region, by blocks of chains, all of them in all: the number of threads with
   scratch, the number of blocks, the jumps of some blocks, of which the accepted are counted, and
   the bookkeeping afterwards, by one thread. */
int isg_jumps_team(const isg_jumps *jumps);
size_t isg_jump_blocks(const isg_states *states);
size_t isg_states_jump_blocks(isg_states *states, const isg_gibbs_weights *w,
                              const isg_jumps *jumps, const isg_jump_step *step, isg_rows blocks,
                              size_t thread);
void isg_jumps_count(isg_jumps *jumps, size_t proposed, size_t accepted);

/* ---- series (chains, steps) of a quantity, of at least 4 steps --------------------------------- */

isg_autocorrelation isg_series_autocorrelation(isg_matd_view series);

/* The same for `chains` chains of n steps whose autocovariance at a lag is given by a function;
   `variance`, not zero, is that at lag 0. */
typedef double isg_autocovariance(const void *series, size_t lag);
isg_autocorrelation isg_integrate_autocorrelation(isg_autocovariance *at, const void *series,
                                                  double variance, size_t chains, size_t n);

/* Split R-hat; infinite if every half is constant but not all are equal; NaN if nothing varies at
   all. */
double isg_series_rhat(isg_matd_view series);

/* See isg_decorrelation.is_trapped; false for fewer than 8 steps. */
bool isg_series_is_trapped(isg_matd_view series);

/* ---- which pattern is nearest ------------------------------------------------------------------- */

/* The nearest of the patterns and their mirror images to every chain in every step: 2 mu for pattern
   mu, 2 mu + 1 for its mirror image. */
typedef struct isg_labels_seen {
    const isg_patterns *patterns; /* borrowed */
    size_t chains, steps;
    uint32_t *labels; /* (chains, steps) */
    double *shares;   /* (2 patterns) of all chains and steps */
} isg_labels_seen;

/* Release after a failure too. */
isg_status isg_labels_start(isg_labels_seen *out, const isg_patterns *patterns, size_t chains,
                            size_t steps);
void isg_labels_release(isg_labels_seen *seen);

void isg_labels_record(isg_labels_seen *seen, const isg_chains *chains, size_t step);

/* `shares` (2 patterns) may be NULL. */
isg_status isg_labels_evaluate(isg_labels_seen *seen, isg_label_times *out, double *shares);

/* ---- parts of isg_chains ------------------------------------------------------------------------ */

/* The units that are clamped in all chains (words), packed; NULL if none are. */
const uint64_t *isg_chains_clamped(const isg_chains *chains);

#endif
