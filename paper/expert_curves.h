/* expert_curves.h - test errors of products of experts, which figures 5 and E1 share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAPER_EXPERT_CURVES_H
#define PAPER_EXPERT_CURVES_H

#include "paper/paper.h"

enum { MOST_SIZES = 3 };

/* What a figure shows at one scale: every size, start, run and stop. Pieces are keyed by these
   alone, so that what one figure has computed the other need not. */
typedef struct expert_plan {
    size_t n_sizes, k[MOST_SIZES]; /* hidden units of an expert */
    size_t epochs[MOST_SIZES];     /* the last stop of each size */
    size_t runs;
    size_t n_starts;
    start_kind starts[N_STARTS];
} expert_plan;

/* The functions of a figure whose design is an expert_plan for every scale. What it leaves behind:
   FIG.csv, FIG-curves.csv, script and picture. */
size_t experts_count(const experiment *my);
void experts_plan(const experiment *my, size_t index, piece *out);
exit_code experts_compute(experiment *my, size_t index, double *values);
json_t *experts_parameters(const experiment *my);
exit_code experts_finish(experiment *my);

#endif
