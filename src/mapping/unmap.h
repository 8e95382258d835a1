/* unmap.h - what the searches for binary patterns in the span of W share
 *
 * SPDX-License-Identifier: MIT
 *
 * Only the span matters: with W = U Sigma V^T, P = W W^+ = U U^T, and a pattern b has the residual
 * |b - P b|^2 = N - |U^T b|^2. The first form is accurate even where the residual is zero.
 */
#ifndef ISG_UNMAP_H
#define ISG_UNMAP_H

#include "hopfield/hopfield.h"
#include "isinglass/mapping.h"
#include "rbm/rbm.h"

/* ---- the span of W (unmap_relax.c) ------------------------------------------------------------- */

typedef struct isg_span {
    size_t n, p, words;
    isg_hopfield *network; /* of J = P, without patterns: its u (n, p) has orthonormal columns */
    double *sigma, *vt;    /* (p), (p, p): W = u diag(sigma) vt; both 1 for a random span */
} isg_span;

/* ISG_ERR_DEPENDENT if the columns of W are linearly dependent. Release either with isg_span_free(). */
isg_status isg_span_of_weights(isg_span *out, isg_matd_view weights);
isg_status isg_span_random(isg_span *out, size_t n, size_t p, uint64_t seed, uint32_t number);
void isg_span_free(isg_span *span); /* an empty one is fine */

/* h (p) = U^T s for packed spins. */
void isg_span_sums(const isg_span *span, const uint64_t *spins, double *h);

/* |s - U U^T s|^2; h (p) becomes U^T s. */
double isg_span_residual(const isg_span *span, const uint64_t *spins, double *h);

/* b <- sgn(P b) until nothing changes; h (p) becomes U^T b. */
void isg_span_relax(const isg_span *span, uint64_t *spins, double *h);

/* Flips the spin that lowers the residual most, until none does; h (p) becomes U^T b. */
void isg_span_flip(const isg_span *span, uint64_t *spins, double *h);

/* x (p) = W^+ s; h (p) becomes U^T s. */
void isg_span_pull_back(const isg_span *span, const uint64_t *spins, double *h, double *x);

/* A random direction of the span, as a state: sgn(U g), g normal, number k. */
void isg_span_random_state(const isg_span *span, uint64_t seed, size_t k, uint64_t *spins,
                           double *h);

/* ---- the paper's descent (unmap_descent.c) ----------------------------------------------------- */

typedef struct isg_descent {
    isg_matd_view weights; /* W (n, p) */
    double alpha, gamma;
    size_t steps;
} isg_descent;

/* |W x - tanh(alpha W x)|^2 of one column x (p), and its gradient (p). */
double isg_descent_error(const isg_descent *descent, const double *x);
void isg_descent_gradient(const isg_descent *descent, const double *x, double *gradient);

/* All steps for one column x (p), in place; `gradient` (p) is scratch. */
void isg_descent_run(const isg_descent *descent, double *x, double *gradient);

/* spins = sgn(W x), sgn(0) = -1; returns |W x - sgn(W x)|^2. */
double isg_descent_signs(const isg_descent *descent, const double *x, uint64_t *spins);

/* ---- candidates, each once up to sign (unmap_pool.c) ------------------------------------------- */

enum { ISG_POOL_KEPT = 8192 };

typedef struct isg_candidate {
    double residual;
    size_t source;   /* lowest number of a start that led to it */
    uint64_t *spins; /* packed, in the sign with fewer +1 */
    size_t words;
} isg_candidate;

/* The ISG_POOL_KEPT candidates of smallest residual among all that were added, in any order, by any
   number of threads with a pool each: ties are broken by the spins, so the set is unique. */
typedef struct isg_pool {
    size_t n, words, count;
    size_t room;        /* capacity: twice ISG_POOL_KEPT, or less if fewer suffice */
    isg_candidate *all; /* (room), `count` of them in use; each has a place for its spins */
    uint64_t *spins;    /* (room, words) those places */
    uint32_t *slots;    /* (4 room) hash table: number + 1, or 0 */
    double worst;       /* a larger residual is not among the best */
} isg_pool;

/* A pool for each of `count` threads, for at most `most` candidates; and a merge of all into
   one. */
isg_status isg_pools_create(isg_pool **out, size_t count, size_t n, size_t most);
void isg_pools_free(isg_pool *pools, size_t count); /* NULL is fine */
void isg_pools_gather(isg_pool *into, const isg_pool *pools, size_t count);

/* Negates spins if that leaves fewer +1 (on a tie, if the first spin is +1); returns whether it
   did. */
bool isg_canonical_sign(uint64_t *spins, size_t n);

/* Whether the pool has these spins, of canonical sign; if so, records the lower source. */
bool isg_pool_knows(isg_pool *pool, const uint64_t *spins, size_t source);

/* Adds spins of canonical sign, unless the pool has them. The residual is rounded, so that equals
   stay equal. */
void isg_pool_add(isg_pool *pool, const uint64_t *spins, double exact, size_t source);

/* Drops all but the best and sorts them by residual. */
void isg_pool_finish(isg_pool *pool);

/* Chooses at most `count` candidates of a finished pool, as independent as their residuals rho
   allow: each has the largest d / rho^2, where d is the distance from the span of those chosen
   before. `found` is smaller than `count` if the pool has too few independent candidates. */
isg_status isg_pool_choose(const isg_pool *pool, size_t count, size_t *chosen, size_t *found);

/* ---- searches that fill a pool (unmap_enumerate.c, unmap_search.c) ------------------------------ */

enum { ISG_UNMAP_MAX_P = 24 };

/* All 2^(p-1) sign vectors on p units, p <= ISG_UNMAP_MAX_P. */
size_t isg_enumerate_starts(const isg_span *span);
isg_status isg_unmap_enumerate(isg_pool *pool, const isg_span *span, const isg_progress *progress);

/* States to relax or descend from: patterns, then rows of data, then random ones. */
typedef struct isg_search {
    const isg_span *span;
    const isg_descent *descent;   /* NULL: relax */
    const isg_patterns *patterns; /* NULL: none */
    const isg_dataset *data;      /* NULL: none */
    size_t n_data, n_random;
    uint64_t seed;
    bool flip;
} isg_search;

size_t isg_search_starts(const isg_search *search);

/* The pool of all results: from the starts of the search, or of all 2^(p-1) sign vectors. */
isg_status isg_pool_fill(isg_pool *pool, const isg_search *search, bool is_exhaustive,
                         const isg_progress *progress);

/* Working space for one start. */
typedef struct isg_search_room {
    double *x, *gradient, *h;             /* (p) */
    uint64_t *spins, *other;              /* (words) */
    double residual_before, error_before; /* of a pattern with its own start */
} isg_search_room;

isg_status isg_search_rooms_create(isg_search_room **out, size_t count, const isg_span *span);
void isg_search_rooms_free(isg_search_room *all, size_t count); /* NULL is fine */

/* The final x (p) of start number `source` in a search by descent. */
isg_status isg_search_repeat(const isg_search *search, size_t source, double *x);

/* Relaxes all candidates of `from` into the empty pool `to`, and finishes that. */
isg_status isg_pool_relax(isg_pool *to, const isg_pool *from, const isg_span *span);

/* ---- the nearest network (unmap_capture.c) ------------------------------------------------------ */

/* Patterns learned from samples of the RBM, from `start`, whose signs they keep, or, if that is NULL, from
   options->count clusters of the samples. Sets capture, flips and mixing of the report. */
isg_status isg_unmap_capture(isg_patterns **out, const isg_rbm *rbm, const isg_patterns *start,
                             const isg_unmap_options *options, isg_unmap_report *report,
                             const isg_progress *progress);

/* ---- the result (unmap.c, unmap_arrange.c, unmap_report.c) ------------------------------------------------------ */

struct isg_unmapping {
    isg_unmap_report report;
    isg_patterns *patterns;     /* found */
    isg_patterns *known;        /* NULL if none are */
    isg_unmapped_pattern *each; /* (n_patterns) */
    double *x;                  /* (n_hidden, n_patterns) */
    double *image;              /* (n_visible, n_patterns) W X */
};

/* Makes patterns from candidates `chosen` (count) and sorts these alike: in the order of the
   nearest known patterns, whose signs they take, or by residual. Sets each[].known. */
isg_status isg_unmapping_arrange(isg_unmapping *unmapping, const isg_pool *pool, size_t *chosen,
                                 size_t count);

/* Fills the rest of `each` and the report, from the patterns, x and the known patterns of
   each[].known. */
isg_status isg_unmapping_examine(isg_unmapping *unmapping, const isg_rbm *rbm,
                                 const isg_span *span);

/* What a search finds for random W of the same size: the residual of as many patterns, over several
   such W. If W itself is random, its residual is below the smallest of n_spans with probability
   1 / (n_spans + 1). */
typedef struct isg_baseline {
    double mean, least;
    size_t n_spans; /* 1 to 9, to take about as long as one search for this W */
} isg_baseline;

/* How that search is done. */
typedef struct isg_baseline_plan {
    size_t n, p, count; /* units, hidden units, patterns */
    isg_search like;    /* as for this W; its span, patterns and data are not used ... */
    bool is_exhaustive; /* ... nor are its starts, if all 2^(p-1) are tried */
    bool is_chosen;     /* choose the best of all results, or take each by itself */
} isg_baseline_plan;

size_t isg_baseline_spans(const isg_baseline_plan *plan);
isg_status isg_unmap_baseline(isg_baseline *out, const isg_baseline_plan *plan,
                              const isg_progress *progress);

#endif
