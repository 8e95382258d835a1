/* class_names.c - the classes of a data set, without its samples
 *
 * SPDX-License-Identifier: MIT
 */
#include "class_names.h"

#include "base/memory.h"

isg_status isg_class_names(isg_labels *out, const isg_dataset *data) {
    const size_t n_classes = data->info.n_classes;
    size_t *rows = NULL;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "the data have no labels, so there is nothing to learn");
    if (n_classes < 2)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected at least two classes to tell apart, found only '%s'",
                        data->labels.names[0]);
    for (size_t c = 0; c < n_classes; c++)
        if (data->class_sizes[c] == 0)
            return isg_fail(ISG_ERR_ARGUMENT, "class '%s' has no sample", data->labels.names[c]);
    ISG_TRY(ISG_ALLOCATE(rows, n_classes));
    for (size_t a = data->labels.count; a > 0; a--)
        rows[data->labels.index[a - 1]] = a - 1;
    const isg_status status = isg_labels_take(out, &data->labels, rows, n_classes);
    isg_release(rows);
    return status;
}
