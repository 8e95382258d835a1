/* train_measures.h - isinglass train --measure-every: what a model in training is, as a memory too
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_TRAIN_MEASURES_H
#define CLI_TRAIN_MEASURES_H

#include "cli/command.h"

/* A row of measures.csv. NaN, and SIZE_MAX, an empty cell, mean not known. */
typedef struct measured {
    size_t epoch;
    double log_likelihood, log_likelihood_error; /* as scored */
    double beta;
    double capture; /* tr(P C) / N, with P the projector on the span of W */
    double singular_largest, singular_smallest, singular_mean_log; /* of W */
    double orthogonality_error;                                    /* largest entry of W^T W - 1 */
    size_t patterns;     /* that unmap finds by relaxation, up to sign and each once */
    size_t fixed_points; /* those of them that are fixed points of the model's own J = W W^T */
    double recall; /* share of the samples that the network of the patterns puts in their class */
} measured;

typedef struct measures {
    char *path; /* RUN/measures.csv; NULL: nothing is to be measured */
    measured *rows;
    size_t n_rows, capacity;
} measures;

/* Reads the rows of a run that is resumed after so many epochs: those of later ones, from before a
   crash, are dropped. A new run removes the file of an older one. Release in any case. */
exit_code measures_open(measures *all, const char *run, uint64_t epochs, bool is_resumed);
void measures_release(measures *all);

bool measures_have(const measures *all, uint64_t epoch);

/* Measures the RBM; `row` gives the epoch and the score. Adds a row, and writes measures.csv.
   EXIT_INTERRUPTED if that was cancelled, and nothing is changed. */
exit_code measures_add(measures *all, const measured *row, const isg_rbm *rbm,
                       const isg_dataset *data, const common_settings *common);

/* Recall against log-likelihood, one point for every row that has both, if there are any. */
bool measures_can_be_drawn(const measures *all);
exit_code measures_draw(const measures *all, const char *path, const char *run);

extern const result_entry measured_results[];

#endif
