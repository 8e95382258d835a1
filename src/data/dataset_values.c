/* dataset_values.c - values in memory as data: dense with any strides, or compressed by rows
 *
 * SPDX-License-Identifier: MIT
 *
 * Every unit sees its values in the order of a file of them, so that both give the same bits. Nothing is
 * copied but a few rows at a time.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/sparse.h"

enum { TOGETHER = 16 }; /* rows that are read at a time where values lie by columns */

/* ---- numbers ---------------------------------------------------------------------------------- */

/* In the order of isg_number. */
static const size_t number_bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
enum { N_NUMBERS = sizeof number_bytes / sizeof number_bytes[0] };

/* Addresses need not be aligned, so that every number is copied before it is read. */
#define DECODE(type)                                                                               \
    for (size_t k = 0; k < count; k++, from += stride) {                                           \
        type number;                                                                               \
        memcpy(&number, from, sizeof number);                                                      \
        out[k] = (double)number;                                                                   \
    }                                                                                              \
    break

static void decode(isg_number type, const char *from, ptrdiff_t stride, size_t count, double *out) {
    switch (type) {
    case ISG_NUMBER_INT8:
        DECODE(int8_t);
    case ISG_NUMBER_BOOL:
    case ISG_NUMBER_UINT8:
        DECODE(uint8_t);
    case ISG_NUMBER_INT16:
        DECODE(int16_t);
    case ISG_NUMBER_UINT16:
        DECODE(uint16_t);
    case ISG_NUMBER_INT32:
        DECODE(int32_t);
    case ISG_NUMBER_UINT32:
        DECODE(uint32_t);
    case ISG_NUMBER_INT64:
        DECODE(int64_t);
    case ISG_NUMBER_UINT64:
        DECODE(uint64_t);
    case ISG_NUMBER_FLOAT32:
        DECODE(float);
    case ISG_NUMBER_FLOAT64:
        DECODE(double);
    }
}

static isg_status check_bools(const isg_loader *load, const char *from, ptrdiff_t stride,
                              size_t count) {
    for (size_t k = 0; k < count; k++, from += stride)
        if ((unsigned char)*from > 1)
            return isg_fail(ISG_ERR_FORMAT, "%s: expected 0 or 1 for a bool, found %u",
                            isg_file_name(load->input.file), (unsigned char)*from);
    return ISG_OK;
}

static isg_status fetch(const isg_loader *load, const char *from, ptrdiff_t stride, size_t count,
                        double *out) {
    if (load->values->type == ISG_NUMBER_BOOL)
        ISG_TRY(check_bools(load, from, stride, count));
    decode(load->values->type, from, stride, count, out);
    return ISG_OK;
}

/* ---- dense ------------------------------------------------------------------------------------ */

static const char *address(const isg_values *values, size_t row, size_t column) {
    return (const char *)values->data + (ptrdiff_t)row * values->row_stride +
           (ptrdiff_t)column * values->column_stride;
}

static isg_status put_byte_rows(isg_loader *load) {
    const isg_values *values = load->values;
    for (size_t row = 0; row < values->rows; row++) {
        const char *bytes = address(values, row, 0);
        if (values->type == ISG_NUMBER_BOOL)
            ISG_TRY(check_bools(load, bytes, 1, values->columns));
        isg_loader_put_bytes(load, row, (const uint8_t *)bytes);
        ISG_TRY(
            isg_loader_report_part(load, row * values->columns, values->rows * values->columns));
    }
    return ISG_OK;
}

/* A few rows at a time: one, or, where the values of a column lie together, as many as fit into lines
   of the cache. Rows are put in their order in any case, and so are the values of every unit. */
static isg_status put_rows(isg_loader *load, bool is_by_column, double *numbers) {
    const isg_values *values = load->values;
    const size_t columns = values->columns, most = is_by_column ? TOGETHER : 1;
    for (size_t row = 0; row < values->rows;) {
        const size_t left = values->rows - row, count = left < most ? left : most;
        double some[TOGETHER];
        for (size_t k = 0; is_by_column && k < columns; k++) {
            ISG_TRY(fetch(load, address(values, row, k), values->row_stride, count, some));
            for (size_t r = 0; r < count; r++)
                numbers[r * columns + k] = some[r];
        }
        if (!is_by_column)
            ISG_TRY(fetch(load, address(values, row, 0), values->column_stride, columns, numbers));
        for (size_t r = 0; r < count; r++, row++)
            ISG_TRY(isg_loader_put_row(load, row, numbers + r * columns));
        ISG_TRY(isg_loader_report_part(load, row * columns, values->rows * columns));
    }
    return ISG_OK;
}

static size_t length_of(ptrdiff_t stride) {
    return stride < 0 ? -(size_t)stride : (size_t)stride;
}

static isg_status read_dense(isg_loader *load) {
    const isg_values *values = load->values;
    const bool is_by_column = length_of(values->row_stride) < length_of(values->column_stride);
    ISG_TRY(isg_loader_start(load, isg_file_name(load->input.file), values->rows, values->columns,
                             values->image_height, values->image_width));
    ISG_TRY(isg_loader_extend(load, values->rows));
    if (number_bytes[values->type] == 1 && values->type != ISG_NUMBER_INT8 &&
        values->column_stride == 1 && isg_loader_takes_bytes(load))
        return put_byte_rows(load);
    double *numbers = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(numbers, values->columns, is_by_column ? TOGETHER : 1));
    const isg_status status = put_rows(load, is_by_column, numbers);
    isg_release(numbers);
    return status;
}

/* ---- compressed by rows ------------------------------------------------------------------------- */

/* An array that isg_loader_read_sparse() reads from its beginning to its end. */
typedef struct stored {
    isg_loader *load;
    const char *next;
    isg_number type;
    size_t done, all; /* of the array whose position is the progress of both; else 0 */
} stored;

static isg_status read_stored(void *user, double *out, size_t count) {
    stored *numbers = user;
    const size_t bytes = number_bytes[numbers->type];
    if (numbers->type == ISG_NUMBER_BOOL)
        ISG_TRY(check_bools(numbers->load, numbers->next, 1, count));
    decode(numbers->type, numbers->next, (ptrdiff_t)bytes, count, out);
    numbers->next += count * bytes;
    numbers->done += count;
    return numbers->all ? isg_loader_report_part(numbers->load, numbers->done, numbers->all)
                        : ISG_OK;
}

/* indptr as numbers of 64 bits, released by the caller. */
static isg_status copy_starts(const isg_values *values, int64_t **out) {
    const char *from = values->indptr;
    ISG_TRY(ISG_ALLOCATE(*out, values->rows + 1));
    for (size_t k = 0; k <= values->rows; k++) {
        int32_t narrow = 0;
        if (values->index_type == ISG_NUMBER_INT64) {
            memcpy(*out + k, from + k * sizeof **out, sizeof **out);
            continue;
        }
        memcpy(&narrow, from + k * sizeof narrow, sizeof narrow);
        (*out)[k] = narrow;
    }
    return ISG_OK;
}

static isg_status read_compressed(isg_loader *load) {
    const isg_values *values = load->values;
    const char *name = isg_file_name(load->input.file);
    int64_t *starts = NULL;
    ISG_TRY(copy_starts(values, &starts));
    /* Arrays may be longer than the matrix needs, as scipy allows. */
    const int64_t end = starts[values->rows];
    isg_status status = ISG_OK;
    if (end > 0 && (uint64_t)end > values->n_stored)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT,
                              "%s: indptr ends at %lld, but indices and data have %zu entries",
                              name, (long long)end, values->n_stored));
    const size_t n = end > 0 ? (size_t)end : 0;
    stored indices = {load, values->indices, values->index_type, 0, 0};
    stored data = {load, values->data, values->type, 0, n};
    const isg_sparse matrix = {.name = name,
                               .rows = values->rows,
                               .columns = values->columns,
                               .starts = starts,
                               .n_entries = n,
                               .indices = {&indices, read_stored},
                               .data = {&data, read_stored}};
    status = isg_loader_read_sparse(load, &matrix);
done:
    isg_release(starts);
    return status;
}

/* ---- names, labels and all together ------------------------------------------------------------- */

static isg_status take_names(isg_names *names, const char *const *texts, size_t count,
                             const char *name, const char *what) {
    for (size_t k = 0; texts && k < count; k++) {
        if (!texts[k])
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: %s: expected a name for each of %zu, found none "
                            "for number %zu",
                            name, what, count, k + 1);
        ISG_TRY(isg_names_add(names, texts[k], strlen(texts[k])));
    }
    return ISG_OK;
}

static isg_status take_labels(isg_loader *load, size_t count) {
    const char *const *texts = load->values->labels;
    isg_labels *labels = &load->data->labels;
    char where[512];
    for (size_t k = 0; texts && k < count; k++) {
        snprintf(where, sizeof where, "%s: label %zu", isg_file_name(load->input.file), k + 1);
        ISG_TRY(isg_means_unlabelled(texts[k]) ? isg_labels_add_none(labels)
                                               : isg_labels_add_text(labels, texts[k], where));
    }
    return ISG_OK;
}

isg_status isg_loader_read_values(isg_loader *load) {
    const isg_values *values = load->values;
    const char *name = isg_file_name(load->input.file);
    const bool is_transposed = load->columns_are_samples;
    const size_t n_samples = is_transposed ? values->columns : values->rows;
    const size_t n_units = is_transposed ? values->rows : values->columns;
    isg_names *units = is_transposed ? &load->row_names : &load->column_names;
    isg_names *ids = is_transposed ? &load->column_names : &load->row_names;
    ISG_TRY(take_names(units, values->unit_names, n_units, name, "unit_names"));
    ISG_TRY(take_names(ids, values->ids, n_samples, name, "ids"));
    ISG_TRY(values->indices ? read_compressed(load) : read_dense(load));
    return take_labels(load, n_samples);
}

static isg_status check_options(const char *name, const isg_dataset_options *options) {
    const struct {
        const char *name;
        bool is_given;
    } of_files[] = {{"labels_path", options->labels_path != NULL},
                    {"label_column", options->label_column != NULL},
                    {"id_column", options->id_column != NULL},
                    {"ignore_columns", options->ignore_columns != NULL},
                    {"header", options->header != ISG_HEADER_AUTO},
                    {"one_hot", options->one_hot},
                    {"expected_sha256", options->expected_sha256 != NULL},
                    {"expected_labels_sha256", options->expected_labels_sha256 != NULL}};
    for (size_t k = 0; k < sizeof of_files / sizeof of_files[0]; k++)
        if (of_files[k].is_given)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: the option %s is for files, not for values in memory", name,
                            of_files[k].name);
    return ISG_OK;
}

static isg_status check_shape(const char *name, const isg_values *values,
                              const isg_dataset_options *options) {
    const size_t height = values->image_height, width = values->image_width;
    size_t count = 0;
    if (!isg_multiply(&count, values->rows, values->columns))
        return isg_fail(ISG_ERR_MEMORY, "%s: %zu x %zu values do not fit in memory", name,
                        values->rows, values->columns);
    if (!height && !width)
        return ISG_OK;
    if (values->indices)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: image_height: the rows of a sparse matrix cannot be images", name);
    if (options->transpose)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: images cannot be transposed", name);
    if (!isg_multiply(&count, height, width) || count != values->columns)
        return isg_fail(ISG_ERR_SHAPE, "%s: a row of %zu values is not an image of %zu x %zu", name,
                        values->columns, height, width);
    return ISG_OK;
}

isg_status isg_values_check(const isg_values *values, const isg_dataset_options *options) {
    const char *name = values->name ? values->name : ISG_VALUES_NAME;
    const bool is_sparse = values->indices || values->indptr;
    ISG_TRY(check_options(name, options));
    ISG_TRY(check_shape(name, values, options));
    if ((size_t)values->type >= N_NUMBERS)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: type: %d is no type of numbers", name,
                        (int)values->type);
    if (is_sparse && values->index_type != ISG_NUMBER_INT32 &&
        values->index_type != ISG_NUMBER_INT64)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: index_type: expected ISG_NUMBER_INT32 or ISG_NUMBER_INT64, found %d",
                        name, (int)values->index_type);
    if (is_sparse && (!values->indices || !values->indptr))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "%s: %s: expected an array beside the other of a sparse matrix, found NULL",
                        name, values->indices ? "indptr" : "indices");
    const bool has_values =
        values->indices ? values->n_stored > 0 : values->rows > 0 && values->columns > 0;
    if (has_values && !values->data)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: data: expected values, found NULL", name);
    return ISG_OK;
}
