/* helper_dataset.h - two data sets that should be one
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_DATASET_H
#define HELPER_DATASET_H

#include "isinglass.h"

/* Every spin, label, class, id, missing value, threshold, name and number of them is the same. */
void assert_same_dataset(const isg_dataset *a, const isg_dataset *b);
void assert_same_encoding(const isg_encoding *a, const isg_encoding *b); /* or both are NULL */

#endif
