/* training_bar.h - training with the epoch and the error shown
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_TRAINING_BAR_H
#define CLI_TRAINING_BAR_H

#include "isinglass.h"

/* Trains until `until` epochs are done. The bar is that of all `epochs`, of `n_samples` each; `note`,
   unless NULL, follows their number. */
isg_status train_with_bar(isg_run *run, size_t until, size_t epochs, size_t n_samples,
                          const char *note, bool is_quiet);

#endif
