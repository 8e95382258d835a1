/* gibbs.h - block-Gibbs sweeps of many chains by all threads
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_GIBBS_H
#define ISG_GIBBS_H

#include "base/rng.h"
#include "gibbs_weights.h"

/* The states of `count` chains, and room for the threads to work in. */
typedef struct isg_states {
    size_t count;
    uint64_t *spins; /* (count, words) */
    int32_t *input;  /* (count, stride): as kernel hidden_input makes it of the spins */
    float *lambda;   /* (count, stride) */
    char *scratch;   /* (threads, scratch_bytes) */
    size_t threads, scratch_bytes;
} isg_states;

/* All spins -1, lambda zero. Release with isg_states_release(), after a failure too. */
isg_status isg_states_create(isg_states *states, const isg_gibbs_weights *w, size_t count);
void isg_states_release(isg_states *states);

/* input from spins, after these or the weights have changed. */
void isg_states_set_input(isg_states *states, const isg_gibbs_weights *w);

/* Sweep t of chain k draws from stream (seed, purpose, step + t, k). */
typedef struct isg_sweeps {
    double beta, gain; /* the RBM with weights gain W and fields gain b, gain c */
    uint64_t seed;
    isg_purpose purpose;
    uint64_t step;
    size_t count;
    const uint64_t *clamped; /* (words): set for spins that stay; NULL for none */
} isg_sweeps;

void isg_states_sweep(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps);

/* ---- the same inside a parallel region ---------------------------------------------------------- */

/* The threads that there is scratch for. */
int isg_states_team(const isg_states *states);

/* Rows from `begin` to before `end`. */
typedef struct isg_rows {
    size_t begin, end;
} isg_rows;

/* The share of thread `me` of `all`. */
isg_rows isg_rows_of(size_t count, size_t me, size_t all);

void isg_states_sweep_rows(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                           isg_rows rows, size_t thread);

/* H(s) of chain k. */
double isg_states_energy(const isg_states *states, const isg_gibbs_weights *w, size_t k);

/* The units that are clamped in all chains (words), packed; NULL if none are. */
const uint64_t *isg_chains_clamped(const isg_chains *chains);

#endif
