/* fuzz_dataset.c - any bytes as a data set of any format, under any options
 *
 * SPDX-License-Identifier: MIT
 *
 * The first two bytes choose the name, which tells the format, and the options; an .npz may also be a
 * data set as isg_dataset_to_bytes() writes it. One that loads must keep its promises.
 */
#include "isinglass.h"
#include "mutator.h"
#include "target.h"

static const char *const names[] = {"x.idx", "x.idx.gz", "x.npy", "x.npz",
                                    "x.csv", "x.csv.gz", "x.tsv", "x.mtx"};
static const form forms[] = {FORM_PLAIN, FORM_GZIP, FORM_NPY,  FORM_ZIP,
                             FORM_TEXT,  FORM_GZIP, FORM_TEXT, FORM_TEXT};

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_chosen(forms, 2, bytes, size, room, seed);
}

static void check(const isg_dataset *data) {
    const isg_dataset_info info = isg_dataset_describe(data);
    size_t duplicates = 0, total = 0;
    if (info.n_samples == 0 || info.n_visible == 0)
        abort();
    for (size_t c = 0; c < info.n_classes; c++) {
        if (!isg_dataset_class_name(data, c)[0])
            abort();
        total += isg_dataset_class_size(data, c);
    }
    const uint32_t *labels = isg_dataset_labels(data);
    for (size_t row = 0; labels && row < info.n_samples; row++)
        total += labels[row] == ISG_UNLABELLED;
    if (total != (labels ? info.n_samples : 0) ||
        (info.image_height > 0 && info.image_height * info.image_width != info.n_visible))
        abort();
    for (size_t row = 0; row < info.n_samples; row++) {
        const uint64_t *spins = isg_dataset_row(data, row);
        if (info.n_visible % 64 && spins[info.n_visible / 64] >> info.n_visible % 64)
            abort();
    }
    const double share = isg_dataset_positive_fraction(data);
    if (!(share >= 0 && share <= 1))
        abort();
    if (isg_dataset_count_duplicates(data, &duplicates) != ISG_OK || duplicates >= info.n_samples)
        abort();
}

depth attack(const uint8_t *bytes, size_t size) {
    static const char *const columns[] = {NULL, "1", "-1", "label"};
    if (size < 2)
        return REFUSED;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = columns[bytes[0] >> 3 & 3];
    options.header = (isg_header)((bytes[0] >> 5 & 3) % 3);
    options.limit = bytes[1] & 3;
    options.only_class = bytes[1] & 4 ? "1" : NULL;
    if (bytes[1] & 8)
        options.binarize = (isg_binarize)(bytes[1] >> 4 & 7); /* all rules but the last three */
    options.binarize_at = bytes[1] & 64 ? -0.5 : 0.5;
    options.missing = (isg_missing)(bytes[0] & 3);
    options.transpose = bytes[1] & 128;
    options.drop_constant = bytes[0] & 128;
    if (bytes[1] & 32)
        options.image_height = options.image_width = 2;
    options.transpose = bytes[1] & 64;
    isg_dataset *data = NULL;
    if (isg_dataset_load_memory(&data, names[bytes[0] & 7], bytes + 2, size - 2, &options, NULL) !=
            ISG_OK &&
        (forms[bytes[0] & 7] != FORM_ZIP ||
         isg_dataset_from_bytes(&data, NULL, bytes + 2, size - 2) != ISG_OK))
        return REFUSED; /* or later: not to be told apart from here */
    check(data);
    isg_dataset_free(data);
    return ACCEPTED;
}
