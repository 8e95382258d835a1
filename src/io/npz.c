/* npz.c - named arrays in one file, as numpy.savez writes and numpy.load reads them
 *
 * SPDX-License-Identifier: MIT
 */
#include "io/npz.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "io/npy.h"
#include "io/zip_writer.h"

enum { BATCH = ISG_BUFFER_BYTES / 8 }; /* numbers decoded at a time */

struct isg_npz_writer {
    isg_zip_writer *zip;
};

/* ---- Writing ------------------------------------------------------------------------------ */

isg_status isg_npz_writer_create(isg_npz_writer **out, const char *path) {
    isg_npz_writer *writer = NULL;
    ISG_TRY(ISG_ALLOCATE(writer, 1));
    const isg_status status = isg_zip_writer_create(&writer->zip, path);
    if (status != ISG_OK) {
        isg_release(writer);
        return status;
    }
    *out = writer;
    return ISG_OK;
}

/* "W" -> "W.npy", released by the caller; NULL with the message set if out of memory. */
static char *member_name(const char *name) {
    const size_t room = strlen(name) + sizeof ".npy";
    char *member = isg_allocate(room, 1);
    if (member)
        snprintf(member, room, "%s.npy", name);
    return member;
}

static isg_status add_array(isg_npz_writer *writer, const char *name, const isg_array_type *type,
                            const void *data, bool is_deflated) {
    uint8_t header[ISG_NPY_HEADER_BYTES];
    size_t bytes = 0;
    ISG_TRY(isg_npy_data_bytes(type, &bytes));
    const isg_zip_part parts[] = {{header, isg_npy_header(type, header)}, {data, bytes}};
    char *member = member_name(name);
    if (!member)
        return ISG_ERR_MEMORY;
    const isg_status status = isg_zip_writer_add_parts(writer->zip, member, parts, 2, is_deflated);
    isg_release(member);
    return status;
}

isg_status isg_npz_writer_add_array(isg_npz_writer *writer, const char *name,
                                    const isg_array_type *type, const void *data) {
    return add_array(writer, name, type, data,
                     isg_dtype_is_whole(type->dtype) || isg_dtype_is_text(type->dtype));
}

isg_status isg_npz_writer_add_stored(isg_npz_writer *writer, const char *name,
                                     const isg_array_type *type, const void *data) {
    return add_array(writer, name, type, data, false);
}

isg_status isg_npz_writer_add_doubles(isg_npz_writer *writer, const char *name,
                                      const double *numbers, size_t n_dims, size_t rows,
                                      size_t cols) {
    const isg_array_type type =
        isg_array_type_of(ISG_FLOAT64, n_dims, (const size_t[]){rows, cols});
    return isg_npz_writer_add_array(writer, name, &type, numbers);
}

isg_status isg_npz_writer_add_text(isg_npz_writer *writer, const char *name, const char *text) {
    return isg_zip_writer_add(writer->zip, name, text, strlen(text), true);
}

isg_status isg_npz_writer_commit(isg_npz_writer *writer) {
    return isg_zip_writer_commit(writer->zip);
}

void isg_npz_writer_free(isg_npz_writer *writer) {
    if (!writer)
        return;
    isg_zip_writer_free(writer->zip);
    isg_release(writer);
}

isg_status isg_npz_writer_end(isg_npz_writer *writer, isg_status status, void **bytes,
                              size_t *size) {
    if (status == ISG_OK)
        status = isg_npz_writer_commit(writer);
    if (status == ISG_OK && bytes)
        isg_zip_writer_take(writer->zip, bytes, size);
    isg_npz_writer_free(writer);
    return status;
}

/* ---- Finding a member --------------------------------------------------------------------- */

/* The length of the array name in a member's name; 0 if the member is not an array. */
static size_t array_name_length(const char *member) {
    const size_t length = strlen(member);
    return length > 4 && strcmp(member + length - 4, ".npy") == 0 ? length - 4 : 0;
}

static bool find_array(const isg_zip *zip, const char *name, size_t *index) {
    const size_t length = strlen(name);
    for (size_t k = 0; k < isg_zip_count(zip); k++) {
        const char *member = isg_zip_name(zip, k);
        if (length > 0 && array_name_length(member) == length &&
            memcmp(member, name, length) == 0) {
            *index = k;
            return true;
        }
    }
    return false;
}

/* Says what the archive holds instead, as far as one sentence has room. */
static isg_status missing(const isg_zip *zip, const char *what, const char *name) {
    char list[512] = "an empty archive";
    size_t used = 0;
    for (size_t k = 0; k < isg_zip_count(zip); k++) {
        const char *member = isg_zip_name(zip, k), *comma = k > 0 ? ", " : "";
        const size_t array = array_name_length(member), length = array ? array : strlen(member);
        if (used + length + sizeof ", \"\", ..." > sizeof list) {
            snprintf(list + used, sizeof list - used, "%s...", comma);
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.*s\"", comma, (int)length,
                                 member);
    }
    return isg_fail(ISG_ERR_FORMAT, "%s: expected %s \"%s\", found %s", isg_zip_file_name(zip),
                    what, name, list);
}

bool isg_npz_has(const isg_zip *zip, const char *name) {
    size_t index;
    return find_array(zip, name, &index);
}

/* ---- Reading ------------------------------------------------------------------------------ */

isg_status isg_npz_open(isg_source **out, isg_array_type *type, isg_zip *zip, const char *name) {
    isg_source *source = NULL;
    size_t index;
    if (!find_array(zip, name, &index))
        return missing(zip, "an array", name);
    ISG_TRY(isg_zip_member(&source, zip, index));
    const isg_status status = isg_npy_read_header(source, type);
    if (status != ISG_OK) {
        isg_source_free(source);
        return status;
    }
    *out = source;
    return ISG_OK;
}

/* Decodes raw items as numbers of eight bytes each: doubles or whole numbers. */
typedef isg_status decoder(const isg_source *source, const isg_array_type *type, const uint8_t *raw,
                           size_t count, void *out);

static isg_status decode_doubles(const isg_source *source, const isg_array_type *type,
                                 const uint8_t *raw, size_t count, void *out) {
    (void)source;
    isg_array_decode(type, raw, count, out);
    return ISG_OK;
}

static isg_status decode_whole(const isg_source *source, const isg_array_type *type,
                               const uint8_t *raw, size_t count, void *out) {
    int64_t *whole = out;
    if (isg_dtype_is_whole(type->dtype)) {
        if (!isg_array_decode_whole(type, raw, count, whole))
            return isg_fail(ISG_ERR_FORMAT, "%s: expected whole numbers below 2^63, found more",
                            isg_source_name(source));
        return ISG_OK;
    }
    for (size_t k = 0; k < count; k++) {
        double value;
        isg_array_decode(type, raw + k * type->item_bytes, 1, &value);
        /* Written so that NaN fails too; the cast is defined only if the first test passes. */
        if (!(value >= -0x1p63 && value < 0x1p63) || (double)(int64_t)value != value)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected whole numbers, found %g",
                            isg_source_name(source), value);
        whole[k] = (int64_t)value;
    }
    return ISG_OK;
}

/* The position of a walk through an array in column-major order. */
typedef struct walk {
    size_t index[ISG_MAX_DIMS];
    size_t strides[ISG_MAX_DIMS]; /* of the row-major result, in numbers */
    size_t position;              /* in the row-major result */
} walk;

static walk start_walk(const isg_array_type *type) {
    walk w = {.position = 0};
    size_t stride = 1;
    for (size_t d = type->n_dims; d-- > 0;) {
        w.strides[d] = stride;
        stride *= type->dims[d];
    }
    return w;
}

static void advance(walk *w, const isg_array_type *type) {
    for (size_t d = 0; d < type->n_dims; d++) {
        w->position += w->strides[d];
        if (++w->index[d] < type->dims[d])
            return;
        w->position -= type->dims[d] * w->strides[d];
        w->index[d] = 0;
    }
}

typedef struct batch {
    uint8_t raw[8 * BATCH];
    union {
        double doubles[BATCH];
        int64_t whole[BATCH];
    } decoded;
} batch;

/* Reads the numbers, eight bytes each, into `out` in row-major order. */
static isg_status read_numbers(isg_source *source, const isg_array_type *type, decoder *decode,
                               uint8_t *out) {
    const size_t count = isg_array_count(type);
    isg_status status = ISG_OK;
    batch *b = NULL;
    walk w = start_walk(type);
    ISG_TRY(ISG_ALLOCATE(b, 1));
    for (size_t done = 0; done < count;) {
        const size_t part = count - done < BATCH ? count - done : BATCH;
        ISG_TRY_GOTO(isg_array_read(source, type, part, "the numbers", b->raw));
        void *target = type->is_column_major ? (void *)&b->decoded : out + 8 * done;
        ISG_TRY_GOTO(decode(source, type, b->raw, part, target));
        for (size_t k = 0; k < part && type->is_column_major; k++, advance(&w, type))
            memcpy(out + 8 * w.position, (const uint8_t *)&b->decoded + 8 * k, 8);
        done += part;
    }
    status = isg_source_end(source);
done:
    isg_release(b);
    return status;
}

/* All numbers of an array whose header was read. */
static isg_status read_all(isg_source *source, isg_array_type *type, decoder *decode, void **out) {
    if (isg_dtype_is_text(type->dtype))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected numbers, found text",
                        isg_source_name(source));
    uint8_t *numbers = isg_allocate(isg_array_count(type), 8);
    if (!numbers)
        return ISG_ERR_MEMORY;
    const isg_status status = read_numbers(source, type, decode, numbers);
    if (status != ISG_OK) {
        isg_release(numbers);
        return status;
    }
    type->is_column_major = false;
    *out = numbers;
    return ISG_OK;
}

static isg_status read_array(isg_zip *zip, const char *name, decoder *decode, isg_array_type *type,
                             void **out) {
    isg_source *source = NULL;
    isg_array_type found;
    ISG_TRY(isg_npz_open(&source, &found, zip, name));
    const isg_status status = read_all(source, &found, decode, out);
    isg_source_free(source);
    if (status == ISG_OK && type)
        *type = found;
    return status;
}

isg_status isg_npz_read_doubles(isg_zip *zip, const char *name, isg_array_type *type,
                                double **out) {
    void *numbers = NULL;
    ISG_TRY(read_array(zip, name, decode_doubles, type, &numbers));
    *out = numbers;
    return ISG_OK;
}

static isg_status has_other_shape(const isg_zip *zip, const char *name, size_t n_dims,
                                  const size_t *dims) {
    char shape[24 * ISG_MAX_DIMS] = "";
    for (size_t d = 0, length = 0; d < n_dims; d++)
        length +=
            (size_t)snprintf(shape + length, sizeof shape - length, d ? " x %zu" : "%zu", dims[d]);
    return isg_fail(ISG_ERR_SHAPE, "%s: %s: expected %s numbers", isg_zip_file_name(zip), name,
                    shape);
}

isg_status isg_npz_read_shape(isg_zip *zip, const char *name, size_t n_dims, const size_t *dims,
                              double **out) {
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, name, &type, &numbers));
    if (type.n_dims != n_dims || memcmp(type.dims, dims, n_dims * sizeof *dims) != 0)
        ISG_TRY_GOTO(has_other_shape(zip, name, n_dims, dims));
    for (size_t k = 0; k < isg_array_count(&type); k++)
        if (!isfinite(numbers[k]))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                                  "%s: %s, number %zu: expected a finite number, found %g",
                                  isg_zip_file_name(zip), name, k + 1, numbers[k]));
    *out = numbers;
    numbers = NULL;
done:
    isg_release(numbers);
    return status;
}

isg_status isg_npz_read_whole(isg_zip *zip, const char *name, isg_array_type *type, int64_t **out) {
    void *numbers = NULL;
    ISG_TRY(read_array(zip, name, decode_whole, type, &numbers));
    *out = numbers;
    return ISG_OK;
}

isg_status isg_npy_read_whole(isg_source *source, isg_array_type *type, int64_t **out) {
    void *numbers = NULL;
    isg_array_type found;
    ISG_TRY(isg_npy_read_header(source, &found));
    ISG_TRY(read_all(source, &found, decode_whole, &numbers));
    *type = found;
    *out = numbers;
    return ISG_OK;
}

isg_status isg_npz_read_text(isg_zip *zip, const char *name, char **out) {
    isg_source *source = NULL;
    char *text = NULL;
    size_t index;
    isg_status status = ISG_OK;
    if (!isg_zip_find(zip, name, &index))
        return missing(zip, "a text", name);
    ISG_TRY(isg_zip_member(&source, zip, index));
    const uint64_t length = isg_source_at_most(source);
    if (length > ISG_NPZ_TEXT_BYTES)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected a text of at most %d bytes, found %llu",
                              isg_source_name(source), ISG_NPZ_TEXT_BYTES,
                              (unsigned long long)length));
    ISG_TRY_GOTO(ISG_ALLOCATE(text, (size_t)length + 1));
    ISG_TRY_GOTO(isg_source_read(source, text, (size_t)length, "the text"));
    ISG_TRY_GOTO(isg_source_end(source));
    if (memchr(text, '\0', (size_t)length))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected text, found a zero byte",
                              isg_source_name(source)));
    *out = text;
    text = NULL;
done:
    isg_release(text);
    isg_source_free(source);
    return status;
}
