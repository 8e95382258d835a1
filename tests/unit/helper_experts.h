/* helper_experts.h - small data of several classes
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_EXPERTS_H
#define HELPER_EXPERTS_H

#include "isinglass.h"

/* Two words to a row; the classes have 24, 25 and 26 samples. */
enum { CLASS_UNITS = 70, CLASS_COUNT = 3, CLASS_SAMPLES = 75 };

/* Three random patterns with a quarter of the spins flipped, labelled 3, 11 and 20. */
isg_dataset *make_classes(uint64_t seed);

#endif
