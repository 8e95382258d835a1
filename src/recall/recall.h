/* recall.h - what is inside an isg_recall, and what its parts share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RECALL_H
#define ISG_RECALL_H

#include "base/progress_part.h"
#include "data/data.h"
#include "hopfield/hopfield.h"
#include "isinglass/recall.h"

struct isg_recall {
    isg_recall_summary summary;
    isg_recall_outcome *outcomes; /* (n_samples) */
    char **names;                 /* (n_labels) */
    size_t *label_of;             /* (n_patterns) the class of each pattern */
    size_t *right;                /* (n_classes) the label of the same name; SIZE_MAX: none */
    double *confusion, *ends;     /* (n_classes, n_labels + ISG_N_ENDS - 1) */
    double *updates;              /* (n_updates) */
};

/* The row of the tables that a sample belongs to. */
static inline size_t isg_recall_class(const isg_dataset *data, size_t a) {
    return data->labels.count ? data->labels.index[a] : 0;
}

/* Both protocols fill outcomes, tables, updates, and their part of the summary. */
isg_status isg_recall_published(isg_recall *recall, const isg_hopfield *network,
                                const isg_dataset *data, const isg_progress *progress);
isg_status isg_recall_attractor(isg_recall *recall, const isg_hopfield *network,
                                const isg_dataset *data, const isg_progress *progress);

/* Adds a sample, or a part of one, to a table (n_classes, n_labels + ISG_N_ENDS - 1). */
static inline void isg_recall_count(const isg_recall *recall, double *table, size_t class_index,
                                    isg_recall_end end, size_t pattern, double weight) {
    const size_t labels = recall->summary.n_labels;
    const size_t column =
        end == ISG_END_PATTERN ? recall->label_of[pattern] : labels + (size_t)end - 1;
    table[class_index * (labels + ISG_N_ENDS - 1) + column] += weight;
}

/* The pattern that a state represents; m and a (n_patterns) are scratch. */
isg_status isg_readout_of(const isg_hopfield *network, const uint64_t *spins, double *m, double *a,
                          size_t pattern[ISG_N_READOUTS]);

/* ---- trajectories that end at a pattern -------------------------------------------------------- */

typedef struct isg_passage {
    size_t arrival; /* pattern; SIZE_MAX: none */
    size_t updates; /* until then */
} isg_passage;

typedef struct isg_passages {
    const isg_hopfield *network;
    const uint64_t *const *starts; /* (n_starts) */
    size_t n_starts, trajectories;
    double threshold;
    isg_purpose purpose;
    isg_passage *out; /* (n_starts, trajectories) */
} isg_passages;

/* ISG_ERR_ARGUMENT if such trajectories are impossible; `what` begins the sentence about
   dynamics. */
isg_status isg_passages_check(const char *what, isg_dynamics kind, double threshold,
                              size_t trajectories);

isg_status isg_passages_run(const isg_passages *passages, const isg_dynamics_options *options,
                            const isg_progress *progress);

/* ---- falling to the end ------------------------------------------------------------------------- */

/* How a state settles: at zero temperature, after sweeps at a temperature if there are any. */
typedef struct isg_fall {
    bool is_thermal;
    isg_dynamics_options thermal, cold;
} isg_fall;

/* From options->kind, which may have a temperature; ISG_ERR_* if it cannot be run. */
isg_status isg_fall_plan(isg_fall *out, const isg_hopfield *network, size_t n_states,
                         const isg_dynamics_options *options);

/* ---- corruption --------------------------------------------------------------------------------- */

/* isg_corrupt() for valid shares, with `order` (n_visible) as scratch. */
void isg_corrupt_spins(uint64_t *spins, size_t n_visible, const isg_corruption *how, uint64_t seed,
                       uint64_t number, uint64_t *masked, size_t *order);

#endif
