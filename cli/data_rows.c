/* data_rows.c - which samples of a data set to take, if some of every class are wanted
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/data_rows.h"

#include "cli/allocation.h"

/* The rows of one class, from rows[0] on; `room` of them. */
static void fill(size_t *rows, size_t room, const isg_dataset *data, size_t class_index) {
    const uint32_t *labels = isg_dataset_labels(data);
    const size_t n_samples = isg_dataset_describe(data).n_samples;
    size_t taken = 0;
    for (size_t a = 0; a < n_samples && taken < room; a++)
        if (!labels || labels[a] == class_index)
            rows[taken++] = a;
    for (size_t k = taken; k < room; k++)
        rows[k] = rows[k - taken];
}

exit_code rows_by_class(size_t **rows, size_t *each, const isg_dataset *data, size_t count) {
    const size_t n_classes = isg_dataset_describe(data).n_classes;
    size_t present = 0, done = 0;
    for (size_t c = 0; c < n_classes; c++)
        present += isg_dataset_class_size(data, c) > 0;
    const size_t share = present ? (count - 1) / present + 1 : count;
    size_t *out = memory_allocate(count, sizeof *out);
    if (!out)
        return fail_memory();
    if (!present)
        fill(out, count, data, 0);
    for (size_t c = 0; c < n_classes && done < count; c++)
        if (isg_dataset_class_size(data, c) > 0) {
            const size_t room = share < count - done ? share : count - done;
            fill(out + done, room, data, c);
            done += room;
        }
    *rows = out;
    *each = present ? share : 0;
    return EXIT_DONE;
}
