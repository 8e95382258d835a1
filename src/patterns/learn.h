/* learn.h - single steps of learning patterns, for learn.c and its tests
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_LEARN_H
#define ISG_LEARN_H

#include "patterns/patterns.h"
#include "patterns/unit_columns.h"

typedef struct isg_ascent {
    const isg_dataset *data;
    isg_patterns *patterns; /* as they are now */
    size_t n, p;
    double samples; /* their number */
    double memory;
    isg_unit_columns columns;
    double *xi;      /* (n, p) */
    double *moments; /* (n, p): M C xi, whole numbers */
    double *means;   /* (p, n): of the samples of every pattern, unless memory is 0 */
    double *gram;    /* (p, p): xi^T xi, and xi^T M C xi, whole numbers */
    double *inner;
    double
        *inverse; /* (p, p): of the gram without the pattern visited; zeros in its row and column */
    double *factor; /* (p, p) */
    double *turned; /* (n, p): xi times that inverse, and its product with inner */
    double *inward;
    double
        *lengths; /* (n): q.q and q^T C q, with q the part of unit i outside the other patterns */
    double *spreads;
    double *gains;   /* (n): of flipping each unit of the pattern visited */
    double *scratch; /* (3, p) */
    uint32_t *distances;
    size_t visited;
} isg_ascent;

/* The patterns must be independent. `memory` as in isg_learn_options. */
isg_status isg_ascent_start(isg_ascent *my, const isg_patterns *start, const isg_dataset *data,
                            double memory);
void isg_ascent_release(isg_ascent *my);

/* Turns to pattern mu, and computes `gains`: what flipping each of its units would add to
   N capture + memory (overlap with the means). */
isg_status isg_ascent_visit(isg_ascent *my, size_t mu);

/* Flips unit i of the pattern visited, and computes the gains again. */
void isg_ascent_flip(isg_ascent *my, size_t i);

/* tr(P C) / N, with P the projector on the patterns. */
isg_status isg_ascent_capture(const isg_ascent *my, double *out);

#endif
