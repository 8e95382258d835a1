/* hopfield.h - what is inside an isg_hopfield, and how its states move
 *
 * SPDX-License-Identifier: MIT
 *
 * One low-rank network for everybody: of patterns, of an RBM's weights, of the span of W that unmap
 * searches. Everything goes through h = u^T s: the energy is -|h|^2 / 2 - b.s, the field u h + b,
 * and a flip of spin i changes h by 2 u_i.
 */
#ifndef ISG_HOPFIELD_H
#define ISG_HOPFIELD_H

#include <math.h>

#include "base/rng.h"
#include "isinglass/hopfield.h"
#include "patterns/patterns.h"

struct isg_hopfield {
    isg_hopfield_info info;
    size_t words;       /* of one state */
    size_t n_columns;   /* of u: rank for projection, n_patterns for Hebbian */
    double *u;          /* (n_visible, n_columns), J = u u^T */
    double *total;      /* (n_columns) sum over i of u_i */
    double *diagonal;   /* (n_visible) J_ii = |u_i|^2, kept or not */
    double *b;          /* (n_visible) */
    double *negligible; /* (n_visible) a field of this size is what rounding leaves of zero */
    /* What it knows of patterns; NULL if it has none: */
    isg_patterns *patterns; /* its own copy */
    size_t *order; /* (n_patterns) first `rank` that span all, then the others, each rising */
    double *r;     /* (rank, n_patterns), xi = q r with orthonormal q, which is u for projection */
    double *dual;  /* (n_patterns, rank) r^+ */
};

/* isg_hopfield_create(); without what isg_hopfield_projections() needs if `has_projections` is false,
   and without even the rank if the rule is Hebbian. */
isg_status isg_hopfield_build(isg_hopfield **out, const isg_patterns *patterns,
                              const isg_hopfield_options *options, bool has_projections);

/* The network of J = u u^T for a given u, which is copied, and a field (NULL: zero); diagonal kept, no
   patterns. |u^T s| is at most `norm` times |s|. */
isg_status isg_hopfield_of_factor(isg_hopfield **out, isg_matd_view u, const double *field,
                                  double norm);

/* Tells a network without patterns some of as many units, which may be dependent. */
isg_status isg_hopfield_know(isg_hopfield *network, const isg_patterns *patterns);

/* ISG_ERR_ARGUMENT if it knows none. */
isg_status isg_hopfield_need_patterns(const isg_hopfield *network);

/* h (n_columns) = u^T s */
void isg_hopfield_sums(const isg_hopfield *network, const uint64_t *spins, double *h);

/* (u h + b)_i, in which J_ii s_i is included. Four sums side by side, so that no addition waits for
   the one before. */
static inline double isg_hopfield_full_field(const isg_hopfield *network, const double *h,
                                             size_t i) {
    const size_t columns = network->n_columns;
    const double *row = network->u + i * columns;
    double sums[4] = {0, 0, 0, 0};
    size_t mu = 0;
    for (; mu + 4 <= columns; mu += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += row[mu + k] * h[mu + k];
    for (size_t k = 0; mu + k < columns; k++)
        sums[k] += row[mu + k] * h[mu + k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + network->b[i];
}

/* The same without J_ii s_i: 2 s_i times this is the rise of H by a flip. */
static inline double isg_hopfield_flip_field(const isg_hopfield *network, const double *h,
                                             const uint64_t *spins, size_t i) {
    return isg_hopfield_full_field(network, h, i) - network->diagonal[i] * isg_spin(spins, i);
}

/* (J s + b)_i as the options have it; exactly zero where only rounding says otherwise. */
static inline double isg_hopfield_field(const isg_hopfield *network, const double *h,
                                        const uint64_t *spins, size_t i) {
    const double x = network->info.keeps_diagonal ? isg_hopfield_full_field(network, h, i)
                                                  : isg_hopfield_flip_field(network, h, spins, i);
    return fabs(x) <= network->negligible[i] ? 0 : x;
}

/* Flips spin i, and h with it. */
void isg_hopfield_flip(const isg_hopfield *network, uint64_t *spins, double *h, size_t i);

/* The pattern with the largest overlap, the first of equals, and that overlap. */
size_t isg_hopfield_nearest(const isg_hopfield *network, const uint64_t *spins, double *overlap);

/* isg_hopfield_examine() with h = u^T s at hand. */
isg_hopfield_state isg_hopfield_look(const isg_hopfield *network, const uint64_t *spins,
                                     const double *h);

/* ---- one state on the move ---------------------------------------------------------------------- */

/* The logistic function at z = -16 to 16 in steps of 1/16, and one more: z + 16 < 32 may round up. */
enum { ISG_LOGISTIC_STEPS = 16, ISG_LOGISTIC_POINTS = 2 * 16 * ISG_LOGISTIC_STEPS + 2 };
void isg_dynamics_fill_table(double *logistic);

/* A state and what moving it needs. Scratch is the caller's, and used for one state after another. */
typedef struct isg_walker {
    const isg_hopfield *network;
    const isg_dynamics_options *options;
    isg_purpose purpose;     /* of its random numbers */
    const uint64_t *clamped; /* (words) units that stay as they are; NULL for none */
    double threshold;        /* a walk ends where an overlap exceeds this; 1 or more: nowhere */
    size_t arrival;          /* the pattern of that overlap; SIZE_MAX if it did not come so far */
    uint64_t *spins;         /* (words) */
    uint64_t *own;           /* (words) room for a state, if the caller has none */
    double *h;               /* (n_columns) u^T s at the start of every sweep */
    uint64_t *next;          /* (words) scratch */
    uint64_t *before;        /* (words) synchronous: the state one sweep ago ... */
    bool has_before;         /* ... if there was a sweep */
    bool is_two_cycle;
    size_t *order;    /* (n_visible) scratch */
    double *logistic; /* (ISG_LOGISTIC_POINTS) 1 / (1 + exp(-z)), see dynamics_thermal.c */
} isg_walker;

/* One sweep: moves spins, may move h with them, and returns how many spins are not what they were,
   counting a spin each time it flips. `random` is the sweep's own. */
typedef size_t isg_sweep(isg_walker *walker, isg_stream random);

isg_sweep isg_sweep_asynchronous, isg_sweep_synchronous;          /* dynamics_zero.c */
isg_sweep isg_sweep_glauber, isg_sweep_parallel, isg_sweep_gibbs; /* dynamics_thermal.c */

/* Puts those spins of `next` that are clamped back to what they are. */
static inline void isg_keep_clamped(isg_walker *walker) {
    for (size_t w = 0; walker->clamped && w < walker->network->words; w++)
        walker->next[w] =
            (walker->next[w] & ~walker->clamped[w]) | (walker->spins[w] & walker->clamped[w]);
}

/* Walks from walker->spins as far as the options and the threshold let it, which is compared before
   every sweep and after the last, with the random numbers of state `number`; h is u^T s in the end.
   Fills all of the report but `state`. */
void isg_walk(isg_walker *walker, uint32_t number, isg_dynamics_report *report);

/* Whether there is such a kind, and whether it has a temperature. */
bool isg_dynamics_exist(isg_dynamics kind);
bool isg_dynamics_is_thermal(isg_dynamics kind);

/* ISG_ERR_ARGUMENT, ISG_ERR_UNSUPPORTED or ISG_ERR_SHAPE for what cannot be run. */
isg_status isg_dynamics_check(const isg_hopfield *network, size_t n_states,
                              const isg_dynamics_options *options);

/* ---- many at once ------------------------------------------------------------------------------ */

/* As many walkers as threads. */
typedef struct isg_crew {
    isg_walker *walkers;
    size_t count;
    size_t portion; /* jobs of each between two reports of progress, fewer where they are long */
} isg_crew;

/* For `n_jobs` walks; network and options are borrowed. Release it after a failure too. */
isg_status isg_crew_create(isg_crew *crew, const isg_hopfield *network,
                           const isg_dynamics_options *options, isg_purpose purpose, size_t n_jobs);
void isg_crew_release(isg_crew *crew);

/* One job: what it does may depend on its number, but not on who does it, nor when. */
typedef void isg_crew_job(isg_walker *walker, size_t number, void *user);

/* Does the jobs 0 to n_jobs - 1. ISG_ERR_CANCELLED if `progress`, which may be NULL, says so. */
isg_status isg_crew_run(isg_crew *crew, size_t n_jobs, isg_crew_job *job, void *user,
                        const isg_progress *progress);

#endif
