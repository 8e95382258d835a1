/* fuzz_experts.c - any bytes as the .npz file of experts in training
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "isinglass.h"
#include "mutator.h"
#include "small_training.h"
#include "target.h"

MUTATE_ZIPS

static isg_experts *experts;

void prepare(void) {
    isg_dataset *data = small_data();
    experts = small_experts(data);
    isg_dataset_free(data);
}

depth attack(const uint8_t *bytes, size_t size) {
    const isg_status status = isg_experts_load(experts, file_with(0, bytes, size));
    /* Nothing of the archive is known from here but the sentence. */
    if (status != ISG_OK)
        return strstr(isg_error_message(), "zip archive") ? REFUSED : BEGUN;
    /* What was accepted is a state in which the training can be, and goes on from. */
    const isg_experts_info info = isg_experts_describe(experts);
    if (info.next >= info.n_experts)
        abort();
    const isg_status step = isg_experts_step(experts, NULL);
    if (step != ISG_OK && step != ISG_ERR_DIVERGED && step != ISG_ERR_UNSUPPORTED)
        abort();
    return ACCEPTED;
}
