/* small_training.h - the one training whose checkpoints are attacked, and that made their seeds
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_SMALL_TRAINING_H
#define FUZZ_SMALL_TRAINING_H

#include "isinglass.h"

/* 5 labeled samples of 11 units, in batches of 2: no size divides another. Everything that a
   checkpoint can hold is in use. Functions here end the program if they fail. */
isg_dataset *small_data(void);
isg_rbm *small_rbm(void);
isg_train_options small_options(void);
isg_experts *small_experts(const isg_dataset *data);
isg_tune_options small_tune_options(void);

/* The run of it in this directory, after so many epochs. */
void small_run(const char *directory, uint64_t epochs);

#endif
