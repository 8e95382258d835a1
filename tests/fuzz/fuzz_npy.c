/* fuzz_npy.c - any bytes as a .npy file
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/memory.h"
#include "io/npy.h"
#include "mutator.h"
#include "target.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(FORM_NPY, bytes, size, room, seed);
}

/* Decodes everything that the header promises, item by item. */
static depth read_items(isg_source *source, const isg_array_type *type) {
    uint8_t *raw = isg_allocate(1, type->item_bytes);
    char text[64];
    double number;
    int64_t whole;
    if (!raw)
        return BEGUN;
    for (size_t k = 0; k < isg_array_count(type); k++) {
        if (isg_source_read(source, raw, type->item_bytes, "an item") != ISG_OK)
            abort(); /* it was said to be there */
        if (isg_dtype_is_text(type->dtype)) {
            (void)isg_array_decode_text(type, raw, 0, text, sizeof text);
            continue;
        }
        isg_array_decode(type, raw, 1, &number);
        if (isg_dtype_is_whole(type->dtype))
            (void)isg_array_decode_whole(type, raw, 1, &whole);
    }
    isg_release(raw);
    return isg_source_end(source) == ISG_OK ? ACCEPTED : BEGUN;
}

/* What we write for the array we read must say the same. */
static void write_back(const isg_array_type *type) {
    uint8_t header[ISG_NPY_HEADER_BYTES];
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_array_type again = {.n_dims = 0}, empty = *type;
    if (empty.n_dims == 0)
        return;
    empty.dims[0] = 0; /* so that no data need follow */
    const size_t length = isg_npy_header(&empty, header);
    if (isg_file_from_memory(&file, "again", header, length) != ISG_OK ||
        isg_source_create(&source, file, ISG_PLAIN, 0, length) != ISG_OK ||
        isg_npy_read_header(source, &again) != ISG_OK || again.dtype != type->dtype ||
        again.item_bytes != type->item_bytes || again.n_dims != type->n_dims ||
        again.is_column_major != type->is_column_major || isg_source_end(source) != ISG_OK)
        abort();
    for (size_t d = 1; d < type->n_dims; d++)
        if (again.dims[d] != type->dims[d])
            abort();
    isg_source_free(source);
    isg_file_close(file);
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_array_type type;
    depth how_far = REFUSED;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_source_create(&source, file, ISG_PLAIN, 0, size) == ISG_OK &&
        isg_npy_read_header(source, &type) == ISG_OK) {
        how_far = read_items(source, &type);
        write_back(&type);
    }
    isg_source_free(source);
    isg_file_close(file);
    return how_far;
}
