/* dataset.h - what is inside an isg_dataset
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DATASET_H
#define ISG_DATASET_H

#include "base/bits.h"
#include "labels.h"

struct isg_dataset {
    isg_dataset_info info;
    size_t words;      /* of one row */
    uint64_t *spins;   /* (n_samples, words) */
    isg_labels labels; /* finished; count is n_samples, or 0 without labels */
    size_t *class_sizes;
};

static inline uint64_t *isg_dataset_spins(const isg_dataset *data, size_t row) {
    return data->spins + row * data->words;
}

/* rows (n_samples): all rows, ordered by class, in the file's order within one; starts (n + 1): where
   each of the n groups begins. Without labels all rows are one group. Returns n. */
size_t isg_dataset_group(const isg_dataset *data, size_t *rows, size_t *starts);
static inline size_t isg_dataset_groups(const isg_dataset *data) {
    return data->labels.count ? data->info.n_classes : 1;
}

/* As isg_dataset_select(), but classes left without a row stay if `keep_classes` says so: a class
   that lost its samples to a limit should be missed, not forgotten. */
isg_status isg_dataset_take(isg_dataset **out, const isg_dataset *data, const size_t *rows,
                            size_t count, bool keep_classes);

/* Counts the classes of finished labels; to be called once rows and labels are in place. */
isg_status isg_dataset_count_classes(isg_dataset *data);

#endif
