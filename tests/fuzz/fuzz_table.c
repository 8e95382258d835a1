/* fuzz_table.c - any bytes as a table with names, words and missing values
 *
 * SPDX-License-Identifier: MIT
 *
 * The first two bytes choose the name, which tells the format, and the options. A table that loads must
 * load again, with what it says of its units, to the same spins.
 */
#include <string.h>

#include "isinglass.h"
#include "mutator.h"
#include "target.h"

static const char *const names[] = {"x.csv",  "x.csv",  "x.tsv", "x.txt",
                                    "x.arff", "x.arff", "x.csv", "x.csv.gz"};
static const form forms[] = {FORM_TEXT, FORM_TEXT, FORM_TEXT, FORM_TEXT,
                             FORM_TEXT, FORM_TEXT, FORM_TEXT, FORM_GZIP};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_chosen(forms, 2, bytes, size, room, seed);
}

static void check(const isg_dataset *data, isg_dataset_options options, const char *name,
                  const uint8_t *bytes, size_t size) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const isg_encoding *encoding = isg_dataset_encoding(data);
    const uint32_t *labels = isg_dataset_labels(data);
    for (size_t i = 0; i < info.n_visible; i++)
        if (!isg_encoding_unit_name(encoding, i) != !isg_encoding_unit_name(encoding, 0))
            abort();
    for (size_t a = 0; a < info.n_samples; a++)
        if (!isg_dataset_sample_id(data, a) != !isg_dataset_sample_id(data, 0) ||
            (labels && labels[a] >= info.n_classes && labels[a] != ISG_UNLABELLED))
            abort();
    isg_dataset *again = NULL;
    options.encoding = encoding;
    options.one_hot = false;
    if (isg_dataset_load_memory(&again, name, bytes, size, &options, NULL) == ISG_OK) {
        char one[65], two[65];
        isg_dataset_checksum(data, one);
        isg_dataset_checksum(again, two);
        if (strcmp(one, two) != 0)
            abort();
    }
    isg_dataset_free(again);
}

depth attack(const uint8_t *bytes, size_t size) {
    static const char *const columns[] = {NULL, "1", "-1", "label"};
    if (size < 2)
        return REFUSED;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = columns[bytes[0] >> 3 & 3];
    options.header = (isg_header)((bytes[0] >> 5 & 3) % 3);
    options.keep_unlabelled = bytes[0] & 128;
    options.one_hot = bytes[1] & 1;
    options.transpose = bytes[1] & 2;
    options.missing = (isg_missing)(bytes[1] >> 2 & 3);
    options.id_column = bytes[1] & 16 ? "id" : bytes[1] & 32 ? "2" : NULL;
    options.ignore_columns = bytes[1] & 64 ? "3" : NULL;
    options.binarize = bytes[1] & 128 ? ISG_BINARIZE_MEAN : ISG_BINARIZE_AUTO;
    isg_dataset *data = NULL;
    const char *name = names[bytes[0] & 7];
    if (isg_dataset_load_memory(&data, name, bytes + 2, size - 2, &options, NULL) != ISG_OK)
        return REFUSED; /* or later: not to be told apart from here */
    check(data, options, name, bytes + 2, size - 2);
    isg_dataset_free(data);
    return ACCEPTED;
}
