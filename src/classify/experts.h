/* experts.h - what is inside isg_experts
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_EXPERTS_H
#define ISG_EXPERTS_H

#include "data/data.h"
#include "isinglass/classify.h"
#include "train/train.h"

typedef struct isg_expert {
    isg_dataset *data;
    isg_rbm *rbm;
    isg_trainer *trainer;
} isg_expert;

struct isg_experts {
    isg_labels classes; /* one label for each */
    size_t n_experts;   /* the number of classes, or 1 */
    isg_expert *expert; /* (n_experts); those not made yet are all zero */
};

/* Like isg_experts_step(), but does at most `updates` updates. */
isg_status isg_experts_advance(isg_experts *experts, uint64_t updates,
                               const isg_progress *progress);

#endif
