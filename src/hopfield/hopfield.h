/* hopfield.h - what is inside an isg_hopfield, and how its states move
 *
 * SPDX-License-Identifier: MIT
 *
 * One low-rank network for all uses: of patterns, of an RBM's weights, of the span of W that unmap
 * searches. Everything is computed from h = u^T s: the energy is -|h|^2 / 2 - b.s, the field
 * u h + b, and a flip of spin i changes h by 2 u_i.
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
    double *negligible; /* (n_visible) a field up to this size counts as zero */
    /* The patterns; NULL if it has none: */
    isg_patterns *patterns; /* its own copy */
    size_t *order; /* (n_patterns) first `rank` that span all, then the others, each ascending */
    double *r;     /* (rank, n_patterns), xi = q r with orthonormal q, which is u for projection */
    double *dual;  /* (n_patterns, rank) r^+ */
};

/* isg_hopfield_create(). If `has_projections` is false, omits what isg_hopfield_projections()
   needs, and for the Hebbian rule even the rank. */
isg_status isg_hopfield_build(isg_hopfield **out, const isg_patterns *patterns,
                              const isg_hopfield_options *options, bool has_projections);

/* The network of J = u u^T for a given u, which is copied, and a field (NULL: zero); diagonal kept, no
   patterns. |u^T s| is at most `norm` times |s|. */
isg_status isg_hopfield_of_factor(isg_hopfield **out, isg_matd_view u, const double *field,
                                  double norm);

/* Gives patterns, which may be dependent, to a network without any; n_visible must agree. */
isg_status isg_hopfield_know(isg_hopfield *network, const isg_patterns *patterns);

/* ISG_ERR_ARGUMENT if the network has no patterns. */
isg_status isg_hopfield_need_patterns(const isg_hopfield *network);

/* h (n_columns) = u^T s */
void isg_hopfield_sums(const isg_hopfield *network, const uint64_t *spins, double *h);

/* (u h + b)_i, including J_ii s_i. Four parallel sums, so that no addition waits for the one
   before. */
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

/* The same without J_ii s_i: a flip raises H by 2 s_i times this. */
static inline double isg_hopfield_flip_field(const isg_hopfield *network, const double *h,
                                             const uint64_t *spins, size_t i) {
    return isg_hopfield_full_field(network, h, i) - network->diagonal[i] * isg_spin(spins, i);
}

/* (J s + b)_i with or without the diagonal, as the options say; exactly zero if it is only
   rounding. */
static inline double isg_hopfield_field(const isg_hopfield *network, const double *h,
                                        const uint64_t *spins, size_t i) {
    const double x = network->info.keeps_diagonal ? isg_hopfield_full_field(network, h, i)
                                                  : isg_hopfield_flip_field(network, h, spins, i);
    return fabs(x) <= network->negligible[i] ? 0 : x;
}

/* Flips spin i and updates h. */
void isg_hopfield_flip(const isg_hopfield *network, uint64_t *spins, double *h, size_t i);

/* The pattern with the largest overlap, the first of equals, and that overlap. */
size_t isg_hopfield_nearest(const isg_hopfield *network, const uint64_t *spins, double *overlap);

/* isg_hopfield_examine() for a known h = u^T s. */
isg_hopfield_state isg_hopfield_look(const isg_hopfield *network, const uint64_t *spins,
                                     const double *h);

/* ---- one state on the move ---------------------------------------------------------------------- */

/* The logistic function at z = -16 to 16 in steps of 1/16, plus one point, since z + 16 < 32 may
   round up. */
enum { ISG_LOGISTIC_STEPS = 16, ISG_LOGISTIC_POINTS = 2 * 16 * ISG_LOGISTIC_STEPS + 2 };
void isg_dynamics_fill_table(double *logistic);

/* A state and what moving it needs. The caller owns the scratch, which is reused for one state
   after another. */
typedef struct isg_walker {
    const isg_hopfield *network;
    const isg_dynamics_options *options;
    isg_purpose purpose;     /* of its random numbers */
    const uint64_t *clamped; /* (words) units held fixed; NULL for none */
    double threshold;        /* a walk ends when an overlap exceeds this; 1 or more: never */
    size_t arrival;          /* the pattern of that overlap; SIZE_MAX if none exceeded it */
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

/* One sweep: moves the spins, may update h, and returns the number of flips, counting a spin each
   time it flips. `random` is the sweep's own. */
typedef size_t isg_sweep(isg_walker *walker, isg_stream random);

isg_sweep isg_sweep_asynchronous, isg_sweep_synchronous;          /* dynamics_zero.c */
isg_sweep isg_sweep_glauber, isg_sweep_parallel, isg_sweep_gibbs; /* dynamics_thermal.c */

/* Restores the clamped spins of `next`. */
static inline void isg_keep_clamped(isg_walker *walker) {
    for (size_t w = 0; walker->clamped && w < walker->network->words; w++)
        walker->next[w] =
            (walker->next[w] & ~walker->clamped[w]) | (walker->spins[w] & walker->clamped[w]);
}

/* Walks from walker->spins, with the random numbers of state `number`, until the options or the
   threshold, tested before every sweep and after the last, end it; h is then u^T s. Fills all of
   the report except `state`. */
void isg_walk(isg_walker *walker, uint32_t number, isg_dynamics_report *report);

/* Whether the kind exists, and whether it has a temperature. */
bool isg_dynamics_exist(isg_dynamics kind);
bool isg_dynamics_is_thermal(isg_dynamics kind);

/* ISG_ERR_ARGUMENT, ISG_ERR_UNSUPPORTED or ISG_ERR_SHAPE if the run is impossible. */
isg_status isg_dynamics_check(const isg_hopfield *network, size_t n_states,
                              const isg_dynamics_options *options);

/* ---- many at once ------------------------------------------------------------------------------ */

/* As many walkers as threads. */
typedef struct isg_crew {
    isg_walker *walkers;
    size_t count;
    size_t portion; /* jobs per walker between two progress reports, fewer if they are long */
} isg_crew;

/* For `n_jobs` walks; network and options are borrowed. Release it after a failure too. */
isg_status isg_crew_create(isg_crew *crew, const isg_hopfield *network,
                           const isg_dynamics_options *options, isg_purpose purpose, size_t n_jobs);
void isg_crew_release(isg_crew *crew);

/* One job. The result may depend on its number, but not on which walker runs it, nor when. */
typedef void isg_crew_job(isg_walker *walker, size_t number, void *user);

/* Runs jobs 0 to n_jobs - 1. ISG_ERR_CANCELLED if `progress`, which may be NULL, cancels. */
isg_status isg_crew_run(isg_crew *crew, size_t n_jobs, isg_crew_job *job, void *user,
                        const isg_progress *progress);

#endif
