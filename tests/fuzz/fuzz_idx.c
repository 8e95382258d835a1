/* fuzz_idx.c - any bytes as an IDX file, plain and gzip
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/idx.h"
#include "io/source.h"
#include "isinglass.h"
#include "mutator.h"
#include "target.h"

static bool is_gzip(const uint8_t *bytes, size_t size) {
    return size > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(is_gzip(bytes, size) ? FORM_GZIP : FORM_PLAIN, bytes, size, room, seed);
}

/* Whether there is a header, at least. */
static bool has_header(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_array_type type;
    const bool has = isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
                     isg_source_create(&source, file, is_gzip(bytes, size) ? ISG_GZIP : ISG_PLAIN,
                                       0, size) == ISG_OK &&
                     isg_idx_read_header(source, &type) == ISG_OK;
    isg_source_free(source);
    isg_file_close(file);
    return has;
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_dataset *data = NULL;
    const char *name = is_gzip(bytes, size) ? "x.idx.gz" : "x.idx";
    if (isg_dataset_load_memory(&data, name, bytes, size, NULL, NULL) != ISG_OK)
        return has_header(bytes, size) ? BEGUN : REFUSED;
    const isg_dataset_info info = isg_dataset_describe(data);
    isg_dataset_free(data);
    if (info.n_samples == 0 || info.n_visible == 0 || !has_header(bytes, size))
        abort();
    return ACCEPTED;
}
