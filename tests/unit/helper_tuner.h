/* helper_tuner.h - a small classifier to fine-tune
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_TUNER_H
#define HELPER_TUNER_H

#include "classify/tuner.h"

enum { TUNER_HIDDEN = 4 + 3 + 17 }; /* hidden units of its three RBMs */

/* RBMs with random weights and fields, and a regression on what they compute from make_classes(1). */
isg_classifier *tuner_start(isg_features kind);

/* Three epochs of four updates, the last of fewer samples. */
isg_tune_options tuner_options(void);

/* The samples of make_classes() are images of 7 x 10 pixels from now on. */
void make_images(isg_dataset *data);

/* The same numbers, and moments, to the last bit. */
void assert_same_tuned(const isg_tuner *a, const isg_tuner *b);

#endif
