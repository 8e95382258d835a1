/* sample.h - block-Gibbs sweeps of many chains by all threads: what the room shows to others
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_SAMPLE_H
#define ISG_SAMPLE_H

#include "base/rng.h"
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

/* Rows from `begin` to before `end`. */
typedef struct isg_rows {
    size_t begin, end;
} isg_rows;

/* The share of thread `me` of `all`. */
isg_rows isg_rows_of(size_t count, size_t me, size_t all);

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

/* ---- series (chains, steps) of a quantity, of at least 4 steps --------------------------------- */

isg_autocorrelation isg_series_autocorrelation(isg_matd_view series);

/* Split R-hat; infinite if every half is constant but not all are equal; NaN if nothing varies at
   all. */
double isg_series_rhat(isg_matd_view series);

/* See isg_decorrelation.is_trapped; false for fewer than 8 steps. */
bool isg_series_is_trapped(isg_matd_view series);

/* ---- parts of isg_chains ------------------------------------------------------------------------ */

/* The units that are clamped in all chains (words), packed; NULL if none are. */
const uint64_t *isg_chains_clamped(const isg_chains *chains);

#endif
