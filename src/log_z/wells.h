/* wells.h - the part of Z that lies in balls around deep states
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_WELLS_H
#define ISG_WELLS_H

#include "log_z/deep_states.h"
#include "log_z/population.h"
#include "sample/sample.h"

/* Balls in the space of h = W^T s, for all betas of a curve. */
typedef struct isg_wells {
    const isg_spin_model *model; /* borrowed; its beta is not used */
    const isg_anneal *anneal;    /* borrowed */
    uint64_t seed;
    isg_balls balls;
    uint64_t *states;  /* (count, words): the deepest state that is known in each ball */
    double *energies;  /* (count): H of these */
    size_t capacity;   /* of states, in words, and */
    size_t n_energies; /* of energies */
    uint64_t step;     /* next step of random numbers */
    bool has_grown;    /* a ball was added or widened since somebody cleared this */
} isg_wells;

/* Forgets all wells. */
void isg_wells_clear(isg_wells *wells);

isg_wells isg_wells_start(const isg_spin_model *model, const isg_anneal *anneal, uint64_t seed);
void isg_wells_release(isg_wells *wells);

/* Tries each of the modes at their beta that holds more than exp(log_least): if most Gibbs chains
   that start from it stay near, it becomes a well, or widens the one it is in. `added` receives the
   number of new wells. */
isg_status isg_wells_add(isg_wells *wells, const isg_modes *modes, double log_least, size_t *added,
                         const isg_progress *progress);

/* ---- what one thread needs ------------------------------------------------------------------- */

typedef struct isg_well_bench {
    isg_anneal_group chains, before;
    double *h;     /* (p) */
    double *x;     /* (ISG_TILE, n) */
    double *delta; /* (p, ISG_TILE) */
    size_t *near;  /* (count): wells that overlap the one at work */
    size_t n_near;
} isg_well_bench;

isg_status isg_well_benches_create(isg_well_bench **out, size_t threads, const isg_wells *wells);
void isg_well_benches_release(isg_well_bench *benches, size_t threads);

/* h (p) = W^T s in double. */
void isg_well_hidden(const isg_gibbs_weights *w, const int32_t *input, double *h);

/* x (ISG_TILE, n) = W delta + f for delta (p, ISG_TILE), with W in tiles (see below). */
void isg_well_inputs(const isg_spin_model *model, const double *tiles, const double *delta,
                     double *x);

/* ---- at one beta ----------------------------------------------------------------------------- */

/* Z of one well, mirror image included, from the probability of its deepest state. */
typedef struct isg_well_mass {
    double log_z;    /* NaN if it could not be found */
    double error;    /* one standard error */
    double log_p;    /* ln of the probability of the state within the well */
    bool has_chains; /* whether there are points of chains in it */
} isg_well_mass;

/* Z of all wells from draws and chains together. */
typedef struct isg_bridge {
    double log_z;               /* NaN if no draw ended in a well */
    double of_draws, of_chains; /* two parts of its error, the second the same in all repeats */
} isg_bridge;

/* What draws found, per repeat. */
typedef struct isg_well_draws {
    isg_mixture_sum inside;  /* ln of the sum over all states in the wells */
    isg_mixture_sum outside; /* of all others; of use only if Gaussians were added for them */
    isg_mixture_sum all;
    isg_bridge bridge;        /* of the wells, again */
    size_t samples, in_wells; /* draws, and those that ended in a well */
} isg_well_draws;

/* Chains confined to each well. */
enum { ISG_WELL_CHAINS = ISG_GIBBS_CHAINS * 4 };

typedef struct isg_wells_at {
    isg_wells *wells;     /* borrowed */
    isg_spin_model model; /* borrows from wells->model, at this beta */
    double *tiles;        /* (n / ISG_TILE rounded up, p, ISG_TILE): W, zero past the last unit */
    isg_gaussian *gaussians;    /* (count) */
    isg_well_mass *masses;      /* (count) */
    size_t per_chain;           /* points of lambda from each chain */
    double *points;             /* (count, ISG_WELL_CHAINS, per_chain, p) */
    size_t n_parts;             /* to draw from: those of the wells, then others */
    const isg_gaussian **parts; /* (n_parts), borrowed */
    double *log_shares;         /* (n_parts): ln of the part of Z of each, as far as it is known */
} isg_wells_at;

/* Runs chains confined to each well. Release with isg_wells_at_release(), after a failure too. */
isg_status isg_wells_at_start(isg_wells_at *out, isg_wells *wells, double beta,
                              const isg_progress *progress);
void isg_wells_at_release(isg_wells_at *at);

/* Draws from one more Gaussian, borrowed, which covers states outside the wells and holds about
   exp(log_share). */
isg_status isg_wells_at_widen(isg_wells_at *at, const isg_gaussian *part, double log_share);

/* Draws `samples`, or two per Gaussian if that is more, from the mixture of all. */
isg_status isg_wells_at_draw(isg_wells_at *at, size_t samples, isg_well_draws *out,
                             const isg_progress *progress);

/* log_weights (count): ln(f / q) at lambda drawn given each of the states (count, words), with q that
   of the last draws: where it is large, q is missing something. */
isg_status isg_wells_at_weigh(const isg_wells_at *at, const uint64_t *states, size_t count,
                              double *log_weights);

/* The same Z as that of the draws inside, from the probabilities of the deepest states, by all wells
   that hold more than a thousandth of it; NaN if one of those has none. */
isg_well_mass isg_wells_at_chib(const isg_wells_at *at);

#endif
