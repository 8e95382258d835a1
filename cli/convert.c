/* convert.c - tables of samples and units in one .npz each
 *
 * SPDX-License-Identifier: MIT
 *
 * The members are stored and not deflated: what deflating gives depends on the version of zlib. For the
 * same reason all numbers are written with the low byte first.
 */
#include "cli/convert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/io/npy.h"
#include "src/io/zip_writer.h"

isg_status converted_set_bits(converted *out, size_t rows, size_t cols) {
    out->rows = rows;
    out->cols = cols;
    return ISG_ALLOCATE_MATRIX(out->bits, rows, cols);
}

isg_status converted_set_values(converted *out, size_t rows, size_t cols) {
    out->rows = rows;
    out->cols = cols;
    return ISG_ALLOCATE_MATRIX(out->values, rows, cols);
}

void converted_clear(converted *table) {
    isg_release(table->bits);
    isg_release(table->values);
    isg_names_clear(&table->labels);
    isg_names_clear(&table->units);
    isg_names_clear(&table->ids);
    *table = (converted){0};
}

static isg_status add_array(isg_zip_writer *zip, const char *name, isg_array_type type,
                            const void *data) {
    uint8_t header[ISG_NPY_HEADER_BYTES];
    char member[16];
    size_t bytes = 0;
    type.is_big_endian = false;
    snprintf(member, sizeof member, "%s.npy", name);
    ISG_TRY(isg_npy_data_bytes(&type, &bytes));
    const isg_zip_part parts[] = {{header, isg_npy_header(&type, header)}, {data, bytes}};
    return isg_zip_writer_add_parts(zip, member, parts, 2, false);
}

static void put_number(uint8_t *out, uint64_t number, size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        out[k] = (uint8_t)(number >> 8 * k);
}

/* The code points of a text, up to one that is not valid UTF-8, and their number. */
static size_t decode(const char *text, uint8_t *out) {
    size_t count = 0;
    const size_t length = strlen(text);
    for (size_t at = 0, step = 0; at < length; at += step, count++) {
        const uint8_t *c = (const uint8_t *)text + at;
        step = isg_utf8_length(text + at, length - at);
        if (step == 0)
            break;
        uint32_t point = step == 1 ? c[0] : c[0] & (0x7fU >> step);
        for (size_t k = 1; k < step; k++)
            point = point << 6 | (c[k] & 0x3f);
        if (out)
            put_number(out + 4 * count, point, 4);
    }
    return count;
}

static isg_status add_names(isg_zip_writer *zip, const char *name, const isg_names *names) {
    size_t longest = 1;
    if (names->count == 0)
        return ISG_OK;
    for (size_t k = 0; k < names->count; k++) {
        const size_t length = decode(isg_names_at(names, k), NULL);
        longest = length > longest ? length : longest;
    }
    isg_array_type type = {.dtype = ISG_UNICODE, .item_bytes = 4 * longest, .n_dims = 1};
    type.dims[0] = names->count;
    uint8_t *data = isg_allocate(names->count, type.item_bytes);
    if (!data)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < names->count; k++)
        decode(isg_names_at(names, k), data + k * type.item_bytes);
    const isg_status status = add_array(zip, name, type, data);
    isg_release(data);
    return status;
}

/* The smallest type that holds all values. */
static isg_dtype smallest(const double *values, size_t count) {
    bool is_whole = true, is_single = true;
    double low = 0, high = 0;
    for (size_t k = 0; k < count; k++) {
        const double value = values[k];
        is_whole = is_whole && value == floor(value) && fabs(value) <= INT32_MAX &&
                   !(value == 0 && signbit(value));
        is_single = is_single && (isnan(value) || (double)(float)value == value);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (!is_whole)
        return is_single ? ISG_FLOAT32 : ISG_FLOAT64;
    return low >= 0 && high <= UINT8_MAX         ? ISG_UINT8
           : low >= INT8_MIN && high <= INT8_MAX ? ISG_INT8
                                                 : ISG_INT32;
}

static void put_value(uint8_t *out, isg_dtype dtype, double value) {
    const float single = (float)value;
    uint32_t word = 0;
    uint64_t pair = 0;
    switch (dtype) {
    case ISG_FLOAT64:
        memcpy(&pair, &value, sizeof pair);
        put_number(out, isnan(value) ? (uint64_t)0x7ff8 << 48 : pair, 8);
        break;
    case ISG_FLOAT32:
        memcpy(&word, &single, sizeof word);
        put_number(out, isnan(value) ? 0x7fc00000 : word, 4);
        break;
    default:
        put_number(out, (uint64_t)(int64_t)value, isg_dtype_bytes(dtype));
    }
}

static isg_status add_samples(isg_zip_writer *zip, const converted *table) {
    const size_t flat[] = {table->rows, table->cols};
    const size_t images[] = {table->rows, table->height, table->width};
    const size_t count = table->rows * table->cols;
    isg_array_type type =
        isg_array_type_of(table->bits ? ISG_UINT8 : smallest(table->values, count),
                          table->height ? 3 : 2, table->height ? images : flat);
    if (table->bits)
        return add_array(zip, "X", type, table->bits);
    uint8_t *data = isg_allocate(count, type.item_bytes);
    if (!data)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        put_value(data + k * type.item_bytes, type.dtype, table->values[k]);
    const isg_status status = add_array(zip, "X", type, data);
    isg_release(data);
    return status;
}

isg_status converted_save(const converted *table, const char *path) {
    isg_zip_writer *zip = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_zip_writer_create(&zip, path));
    ISG_TRY_GOTO(add_samples(zip, table));
    ISG_TRY_GOTO(add_names(zip, "y", &table->labels));
    ISG_TRY_GOTO(add_names(zip, "units", &table->units));
    ISG_TRY_GOTO(add_names(zip, "ids", &table->ids));
    ISG_TRY_GOTO(isg_zip_writer_commit(zip));
done:
    isg_zip_writer_free(zip);
    return status;
}
