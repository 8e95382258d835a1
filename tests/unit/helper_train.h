/* helper_train.h - small trainings
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_TRAIN_H
#define HELPER_TRAIN_H

#include "isinglass.h"
#include "rbm/rbm.h"

/* Two words to a row of spins, two panels of hidden units; a panel and a batch that are not full. */
enum { N = 70, P = 20, SAMPLES = 21, BATCH = 8, SWEEPS = 3 };

isg_dataset *make_data(size_t n_samples);
isg_rbm *make_rbm(void); /* with fields */

/* The rate falls after the first epoch. */
isg_train_options small_options(void);

/* Every combination of estimator, chains, fields and order; the last has it all. */
enum { KINDS = 16 };
isg_train_options kind_of_training(size_t kind);

/* Everything that training can change. */
typedef struct result {
    double weights[N * P], b[N], c[P];
    isg_epoch_report report; /* of the last epoch */
} result;

void take(result *out, const isg_rbm *rbm);
void train(result *out, const isg_dataset *data, const isg_train_options *options, size_t epochs);

#endif
