/* fuzz_labels.c - any bytes as a label file of any format
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses the name, which tells the format, and the options.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "data_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"y.idx", "y.npy", "y.npz",    "y.csv",
                                        "y.tsv", "y.mtx", "y.idx.gz", "y.csv.gz"};
    static const char *const columns[] = {NULL, "2", "-1", "kind"};
    if (size < 1)
        return 0;
    isg_file *file = NULL;
    isg_data_file input = {0};
    isg_labels labels = {0};
    if (isg_file_from_memory(&file, names[bytes[0] & 7], bytes + 1, size - 1) != ISG_OK ||
        isg_data_file_take(&input, file, NULL) != ISG_OK)
        return 0;
    if (isg_labels_read(&labels, &input, 2, columns[bytes[0] >> 3 & 3]) == ISG_OK &&
        isg_labels_finish(&labels) == ISG_OK)
        for (size_t row = 0; row < labels.count; row++)
            if (labels.index[row] >= labels.n_classes)
                abort();
    isg_labels_clear(&labels);
    isg_data_file_close(&input);
    return 0;
}
