/* idx.c - the IDX format of MNIST: a big-endian header, then the numbers
 *
 * SPDX-License-Identifier: MIT
 *
 * Two zero bytes, one byte for the number type, one for the number of dimensions, each dimension in
 * 32 bits, then the numbers, last index fastest; all big-endian.
 */
#include "io/idx.h"

static bool dtype_of(uint8_t code, isg_dtype *out) {
    static const struct {
        uint8_t code;
        isg_dtype dtype;
    } codes[] = {{0x08, ISG_UINT8}, {0x09, ISG_INT8},    {0x0b, ISG_INT16},
                 {0x0c, ISG_INT32}, {0x0d, ISG_FLOAT32}, {0x0e, ISG_FLOAT64}};
    for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
        if (codes[k].code == code) {
            *out = codes[k].dtype;
            return true;
        }
    return false;
}

isg_status isg_idx_read_header(isg_source *source, isg_array_type *out) {
    const char *name = isg_source_name(source);
    uint8_t magic[4];
    ISG_TRY(isg_source_read(source, magic, sizeof magic, "the IDX header"));
    isg_array_type type = {.is_big_endian = true, .n_dims = magic[3]};
    if (magic[0] != 0 || magic[1] != 0 || !dtype_of(magic[2], &type.dtype))
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: not an IDX file: it begins with %02x %02x %02x %02x, expected 00 00, "
                        "a number type (08 for bytes) and the number of dimensions",
                        name, magic[0], magic[1], magic[2], magic[3]);
    if (type.n_dims < 1 || type.n_dims > ISG_MAX_DIMS)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected 1 to %d dimensions, found %zu", name,
                        ISG_MAX_DIMS, type.n_dims);
    type.item_bytes = isg_dtype_bytes(type.dtype);
    for (size_t d = 0; d < type.n_dims; d++) {
        uint8_t size[4];
        ISG_TRY(isg_source_read(source, size, sizeof size, "the IDX header"));
        type.dims[d] =
            (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    }
    ISG_TRY(isg_array_check(&type, source));
    *out = type;
    return ISG_OK;
}
