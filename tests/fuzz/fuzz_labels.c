/* fuzz_labels.c - any bytes as a label file of any format
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses the name, which tells the format, and the options.
 */
#include "data/data_file.h"
#include "mutator.h"
#include "target.h"

static const char *const names[] = {"y.idx", "y.npy", "y.npz",    "y.csv",
                                    "y.tsv", "y.mtx", "y.idx.gz", "y.csv.gz"};
static const form forms[] = {FORM_PLAIN, FORM_NPY,  FORM_ZIP,  FORM_TEXT,
                             FORM_TEXT,  FORM_TEXT, FORM_GZIP, FORM_GZIP};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_chosen(forms, 1, bytes, size, room, seed);
}

static depth read_labels(isg_data_file *input, const char *column, bool with_ids) {
    isg_labels labels = {0};
    depth how_far = BEGUN;
    isg_names ids = {0};
    if (isg_names_add(&ids, "1", 1) != ISG_OK || isg_names_add(&ids, "cat", 3) != ISG_OK)
        abort();
    isg_join join = {.n_samples = 2, .ids = with_ids ? &ids : NULL};
    if (isg_labels_read(&labels, input, column, &join) == ISG_OK &&
        isg_labels_finish(&labels) == ISG_OK) {
        how_far = ACCEPTED;
        for (size_t row = 0; row < labels.count; row++)
            if (labels.index[row] >= labels.n_classes && labels.index[row] != ISG_UNLABELLED)
                abort();
    }
    isg_labels_clear(&labels);
    isg_names_clear(&ids);
    return how_far;
}

depth attack(const uint8_t *bytes, size_t size) {
    static const char *const columns[] = {NULL, "2", "-1", "kind"};
    isg_file *file = NULL;
    isg_data_file input = {0};
    if (size < 1 ||
        isg_file_from_memory(&file, names[bytes[0] & 7], bytes + 1, size - 1) != ISG_OK ||
        isg_data_file_take(&input, file, NULL) != ISG_OK)
        return REFUSED;
    const depth how_far = read_labels(&input, columns[bytes[0] >> 3 & 3], bytes[0] & 32);
    isg_data_file_close(&input);
    return how_far;
}
