/* fuzz_tuner.c - any bytes as the .npz file of a fine-tuning
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "isinglass.h"
#include "mutator.h"
#include "small_training.h"
#include "target.h"

MUTATE_ZIPS

static isg_dataset *data;

void prepare(void) {
    data = small_data();
}

depth attack(const uint8_t *bytes, size_t size) {
    const isg_tune_options options = small_tune_options();
    isg_tuner *tuner = NULL;
    const isg_status status = isg_tuner_load(&tuner, file_with(0, bytes, size), data, &options);
    /* Nothing of the archive is known from here but the sentence. */
    if (status != ISG_OK)
        return strstr(isg_error_message(), "zip archive") ? REFUSED : BEGUN;
    /* What was accepted is a state in which the training can be, and goes on from. */
    const isg_train_state state = isg_tuner_describe(tuner).state;
    if (state.epochs > options.epochs || state.batch >= state.n_batches)
        abort();
    const isg_status step = isg_tuner_epoch(tuner, NULL);
    const bool is_over = state.epochs == options.epochs && step == ISG_ERR_ARGUMENT;
    if (step != ISG_OK && step != ISG_ERR_DIVERGED && !is_over)
        abort();
    isg_tuner_free(tuner);
    return ACCEPTED;
}
