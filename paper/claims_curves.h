/* claims_curves.h - the saved numbers of figures, as grids and curves with error bars
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAPER_CLAIMS_CURVES_H
#define PAPER_CLAIMS_CURVES_H

#include "paper/claims.h"

enum { MOST_K = 16, MOST_BETAS = 24, MOST_STOPS = 32 };

/* ---- Fig. 2 ----------------------------------------------------------------------------------- */

/* The paper's statements are about L by AIS, whose error is taken to be the standard deviation of the
   runs or, if larger, 1/sqrt(ESS) from the effective sample size, since a few runs may agree by
   chance. */
typedef struct cell {
    double k, beta;
    measured l;
} cell;

typedef struct grid {
    size_t n_k, n_betas;
    double k[MOST_K], beta[MOST_BETAS]; /* rising */
    cell at[2][MOST_K][MOST_BETAS];     /* by AIS, and the best estimate */
} grid;

/* Whether Fig. 2 is complete: both estimates for every k and beta. */
bool read_grid(const facts *in, grid *out, ruling *why_not);

/* ---- Fig. 4 ---------------------------------------------------------------------------------- */

/* The mean over the runs at one stop, by AIS and by the best estimate. The error is the standard
   error of the mean or, if larger, the error that the estimates state: two runs may agree by
   chance. */
typedef struct point {
    double epoch;
    size_t runs; /* numbered from 1, without a gap */
    measured annealed;
    bool has_best; /* in every run, or in one that is not trusted */
    measured best;
} point;

typedef struct curve {
    size_t n;
    point at[MOST_STOPS]; /* by rising epochs */
} curve;

void read_curve(const facts *in, double n_hidden, isg_start start, curve *out);
const point *point_at(const curve *of, double epoch); /* NULL if there is none */

/* L of `one` minus that of `two`, by the best estimate if both have it, else by AIS. If the best
   estimate of either is not trusted, the result is flawed: AIS, which does less work, cannot be
   trusted then either. */
measured point_gap(const point *one, const point *two);

/* ---- Figs. 5 and E1 --------------------------------------------------------------------------- */

/* An error rate: mean over the runs. Its error combines that of counting among the images and, with
   several runs, that of their mean. For comparisons, which have the same test images on both sides,
   it is too large rather than too small. It is trusted if the regression converged in all runs. */
typedef struct share {
    size_t runs; /* 0: not there */
    measured test, training;
} share;

enum { N_SIZES = 3 };
extern const size_t expert_sizes[N_SIZES]; /* hidden units of an expert: 10, 20, 100 */

/* All of a size and a start, by ascending epochs. */
typedef struct expert_curve {
    size_t n, stops[MOST_STOPS];
    share at[MOST_STOPS];
} expert_curve;

typedef struct expert_curves {
    expert_curve of[N_SIZES][N_STARTS];
} expert_curves;

/* Reads all of them. False if a stop that was passed is missing, or has fewer runs than the others:
   the mean over the runs may still change then, and `why_not` says what is missing. What only
   Fig. E1 has, more than 50 epochs and the Hebbian start, may have another number of runs than
   Fig. 5. */
bool read_experts(const facts *in, expert_curves *out, ruling *why_not);

const expert_curve *curve_of(const expert_curves *all, size_t k, isg_start start);
share share_at(const expert_curves *all, size_t k, isg_start start, size_t epoch);

#endif
