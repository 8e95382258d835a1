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

/* Counts the classes of finished labels; to be called once rows and labels are in place. */
isg_status isg_dataset_count_classes(isg_dataset *data);

#endif
