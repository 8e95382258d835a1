/* array.c - the type and shape of an array in a file, and how to decode its items
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/array.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *name;
    size_t bytes;
} dtypes[] = {
    [ISG_BOOL] = {"bool", 1},       [ISG_INT8] = {"int8", 1},       [ISG_INT16] = {"int16", 2},
    [ISG_INT32] = {"int32", 4},     [ISG_INT64] = {"int64", 8},     [ISG_UINT8] = {"uint8", 1},
    [ISG_UINT16] = {"uint16", 2},   [ISG_UINT32] = {"uint32", 4},   [ISG_UINT64] = {"uint64", 8},
    [ISG_FLOAT16] = {"float16", 2}, [ISG_FLOAT32] = {"float32", 4}, [ISG_FLOAT64] = {"float64", 8},
    [ISG_BYTES] = {"bytes", 0},     [ISG_UNICODE] = {"text", 0}};

size_t isg_dtype_bytes(isg_dtype dtype) {
    return dtypes[dtype].bytes;
}

const char *isg_dtype_name(isg_dtype dtype) {
    return dtypes[dtype].name;
}

bool isg_dtype_is_text(isg_dtype dtype) {
    return dtype == ISG_BYTES || dtype == ISG_UNICODE;
}

bool isg_dtype_is_whole(isg_dtype dtype) {
    return dtype <= ISG_UINT64;
}

isg_array_type isg_array_type_of(isg_dtype dtype, size_t n_dims, const size_t *dims) {
    const uint16_t probe = 1;
    uint8_t first;
    memcpy(&first, &probe, 1);
    isg_array_type type = {.dtype = dtype,
                           .item_bytes = isg_dtype_bytes(dtype),
                           .is_big_endian = first == 0,
                           .n_dims = n_dims};
    for (size_t d = 0; d < n_dims; d++)
        type.dims[d] = dims[d];
    return type;
}

size_t isg_array_count(const isg_array_type *type) {
    size_t count = 1;
    for (size_t d = 0; d < type->n_dims; d++)
        count *= type->dims[d];
    return count;
}

isg_status isg_array_check(const isg_array_type *type, const isg_source *source) {
    const char *name = isg_source_name(source);
    /* Zero dimensions are left out of the product, so they cannot hide an overflow. */
    size_t bytes = type->item_bytes;
    bool is_empty = false;
    for (size_t d = 0; d < type->n_dims; d++) {
        is_empty = is_empty || type->dims[d] == 0;
        if (type->dims[d] > 0 && !isg_multiply(&bytes, bytes, type->dims[d]))
            return isg_fail(ISG_ERR_FORMAT, "%s: the header promises more data than can exist",
                            name);
    }
    const unsigned long long most = isg_source_at_most(source);
    if (!is_empty && bytes > most)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the header promises %zu bytes of data, but the file has room for %llu",
                        name, bytes, most);
    return ISG_OK;
}

isg_status isg_array_read(isg_source *source, const isg_array_type *type, size_t count,
                          const char *what, void *raw) {
    ISG_TRY(isg_source_read(source, raw, count * type->item_bytes, what));
    const uint8_t *items = raw;
    for (size_t k = 0; k < count && type->dtype == ISG_BOOL; k++)
        if (items[k] > 1)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected 0 or 1 for a bool, found %u",
                            isg_source_name(source), items[k]);
    return ISG_OK;
}

/* The raw item as an unsigned number in the machine's byte order. */
static uint64_t load(const uint8_t *raw, size_t bytes, bool is_big_endian) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)raw[i] << 8 * (is_big_endian ? bytes - 1 - i : i);
    return value;
}

static int64_t as_signed(uint64_t value, size_t bytes) {
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction; every value is exact. */
static double half_as_double(uint64_t value) {
    const int exponent = (int)(value >> 10 & 0x1f), fraction = (int)(value & 0x3ff);
    const double size = exponent == 0x1f ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent == 0  ? ldexp(fraction, -24)
                                         : ldexp(1024 + fraction, exponent - 25);
    return value >> 15 & 1 ? -size : size;
}

static double as_double(isg_dtype dtype, uint64_t value) {
    float single;
    double number;
    switch (dtype) {
    case ISG_INT8:
    case ISG_INT16:
    case ISG_INT32:
    case ISG_INT64:
        return (double)as_signed(value, dtypes[dtype].bytes);
    case ISG_FLOAT16:
        return half_as_double(value);
    case ISG_FLOAT32: {
        const uint32_t low = (uint32_t)value;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    case ISG_FLOAT64:
        memcpy(&number, &value, sizeof number);
        return number;
    default:
        return (double)value;
    }
}

void isg_array_decode(const isg_array_type *type, const void *raw, size_t count, double *out) {
    const uint8_t *next = raw;
    for (size_t k = 0; k < count; k++, next += type->item_bytes)
        out[k] = as_double(type->dtype, load(next, type->item_bytes, type->is_big_endian));
}

bool isg_array_decode_whole(const isg_array_type *type, const void *raw, size_t count,
                            int64_t *out) {
    const uint8_t *next = raw;
    for (size_t k = 0; k < count; k++, next += type->item_bytes) {
        const uint64_t value = load(next, type->item_bytes, type->is_big_endian);
        if (type->dtype == ISG_UINT64 && value > INT64_MAX)
            return false;
        const bool is_signed = type->dtype >= ISG_INT8 && type->dtype <= ISG_INT64;
        out[k] = is_signed ? as_signed(value, type->item_bytes) : (int64_t)value;
    }
    return true;
}

/* Appends one code point as UTF-8; false if it is invalid or does not fit. */
static bool append_utf8(char *out, size_t room, size_t *length, uint64_t code) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (*length + bytes >= room)
        return false;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6)
        out[*length + i] = (char)(0x80 | (code & 0x3f));
    out[*length] = (char)(lead[bytes] | code);
    *length += bytes;
    return true;
}

bool isg_array_decode_text(const isg_array_type *type, const void *raw, size_t index, char *out,
                           size_t room) {
    const uint8_t *item = (const uint8_t *)raw + index * type->item_bytes;
    const size_t step = type->dtype == ISG_UNICODE ? 4 : 1;
    size_t units = type->item_bytes / step, length = 0;
    while (units > 0 && load(item + (units - 1) * step, step, type->is_big_endian) == 0)
        units--;
    for (size_t k = 0; k < units; k++) {
        const uint64_t code = load(item + k * step, step, type->is_big_endian);
        /* Byte strings have no encoding: beyond ASCII we would have to guess. */
        if (code == 0 || (type->dtype == ISG_BYTES && code > 0x7f) ||
            !append_utf8(out, room, &length, code))
            return false;
    }
    out[length] = '\0';
    return true;
}
