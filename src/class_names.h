/* class_names.h - the classes of a data set, without its samples
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CLASS_NAMES_H
#define ISG_CLASS_NAMES_H

#include "dataset.h"

/* One label for each class, in order. ISG_ERR_ARGUMENT unless there are at least two classes and
   each has a sample. `out` must be empty. */
isg_status isg_class_names(isg_labels *out, const isg_dataset *data);

#endif
