/* dynamics.h - one state of a Hopfield network on the move
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DYNAMICS_H
#define ISG_DYNAMICS_H

#include "base/rng.h"
#include "hopfield.h"

/* A state and what moving it needs. Scratch is the caller's, and used for one state after another. */
typedef struct isg_walker {
    const isg_hopfield *network;
    const isg_dynamics_options *options;
    uint64_t *spins;  /* (words) */
    double *h;        /* (n_columns) u^T s at the start of every sweep */
    uint64_t *next;   /* (words) scratch */
    uint64_t *before; /* (words) synchronous: the state one sweep ago ... */
    bool has_before;  /* ... if there was a sweep */
    bool is_two_cycle;
    size_t *order; /* (n_visible) scratch */
} isg_walker;

/* One sweep: moves spins, may move h with them, and returns how many spins are not what they were,
   counting a spin each time it flips. `random` is the sweep's own. */
typedef size_t isg_sweep(isg_walker *walker, isg_stream random);

isg_sweep isg_sweep_asynchronous, isg_sweep_synchronous;          /* dynamics_zero.c */
isg_sweep isg_sweep_glauber, isg_sweep_parallel, isg_sweep_gibbs; /* dynamics_thermal.c */

#endif
