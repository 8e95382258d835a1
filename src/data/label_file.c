/* label_file.c - the labels of a file of any format
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data_file.h"
#include "io/npz.h"

enum { ITEMS_AT_ONCE = ISG_BUFFER_BYTES / 16, MOST_ITEM_BYTES = 4 * ISG_LABEL_BYTES };

/* "votes.npy: row 3", in the caller's buffer. */
static const char *where_is(char *buffer, size_t room, const char *name, size_t row) {
    snprintf(buffer, room, "%s: row %zu", name, row + 1);
    return buffer;
}

static isg_status add_item(isg_labels *labels, const isg_array_type *type, const uint8_t *raw,
                           const char *where) {
    char text[4 * ISG_LABEL_BYTES + 1];
    int64_t whole = 0;
    double number = 0;
    if (isg_dtype_is_text(type->dtype)) {
        if (!isg_array_decode_text(type, raw, 0, text, sizeof text))
            return isg_fail(ISG_ERR_FORMAT, "%s: the label is not valid text", where);
        return isg_labels_add_text(labels, text, where);
    }
    if (isg_dtype_is_whole(type->dtype)) {
        if (!isg_array_decode_whole(type, raw, 1, &whole))
            return isg_fail(ISG_ERR_FORMAT, "%s: the label is too large", where);
        return isg_labels_add_whole(labels, whole, where);
    }
    isg_array_decode(type, raw, 1, &number);
    return isg_labels_add_number(labels, number, where);
}

/* Appends the items of a one-dimensional array, and reads it to its end. */
static isg_status read_array(isg_labels *labels, isg_source *source, const isg_array_type *type) {
    const char *name = isg_source_name(source);
    /* scikit-learn users keep y as a column (n, 1) too. */
    if (type->n_dims != 1 && !(type->n_dims == 2 && type->dims[1] == 1))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected labels (1 dimension), found %zu dimensions%s",
                        name, type->n_dims,
                        type->n_dims == 3 ? ": this looks like an image file" : "");
    if (type->item_bytes > MOST_ITEM_BYTES)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected labels of at most %d bytes, found %zu", name,
                        MOST_ITEM_BYTES, type->item_bytes);
    uint8_t *raw = isg_allocate(ITEMS_AT_ONCE, type->item_bytes);
    if (!raw)
        return ISG_ERR_MEMORY;
    isg_status status = ISG_OK;
    char where[512];
    for (size_t row = 0; row < type->dims[0];) {
        const size_t left = type->dims[0] - row;
        const size_t count = left < ITEMS_AT_ONCE ? left : ITEMS_AT_ONCE;
        ISG_TRY_GOTO(isg_array_read(source, type, count, "the labels", raw));
        for (size_t k = 0; k < count; k++, row++)
            ISG_TRY_GOTO(add_item(labels, type, raw + k * type->item_bytes,
                                  where_is(where, sizeof where, name, row)));
    }
done:
    isg_release(raw);
    return status;
}

bool isg_is_column_number(const char *label_column) {
    size_t number = 0;
    return isg_parse_size(label_column + (label_column[0] == '-'), &number);
}

/* Blanks around a name in a heading are ignored. */
static bool is_called(const char *field, const char *name) {
    if (strcmp(field, name) == 0)
        return true;
    const size_t length = isg_trim(&field);
    return length == strlen(name) && memcmp(field, name, length) == 0;
}

static isg_status no_such_column(const isg_csv *csv, const char *name, const char *wanted,
                                 bool is_heading) {
    char known[256] = "";
    size_t used = 0, k = 0;
    for (; is_heading && k < isg_csv_count(csv) && used < sizeof known - 8; k++) {
        const int n = snprintf(known + used, sizeof known - used, "%s%.40s", k ? ", " : "",
                               isg_csv_field(csv, k));
        used += n > 0 ? (size_t)n : 0;
    }
    const bool is_all = k == isg_csv_count(csv) && used < sizeof known;
    return isg_fail(ISG_ERR_FORMAT, "%s: there is no column '%s'%s%.240s%s", name, wanted,
                    is_heading ? "; the columns are " : " (the file has no heading)", known,
                    is_heading && !is_all ? " ..." : "");
}

isg_status isg_find_column(const isg_csv *csv, bool is_heading, const char *label_column,
                           const char *name, size_t *out) {
    const size_t n_fields = isg_csv_count(csv);
    size_t n_found = 0, found = 0;
    for (size_t k = 0; is_heading && k < n_fields; k++)
        if (is_called(isg_csv_field(csv, k), label_column) && n_found++ == 0)
            found = k;
    if (n_found > 1)
        return isg_fail(ISG_ERR_FORMAT, "%s: %zu columns are called '%s'; give the number of one",
                        name, n_found, label_column);
    if (n_found == 1) {
        *out = found;
        return ISG_OK;
    }
    const bool is_from_end = label_column[0] == '-';
    size_t number = 0;
    if (!isg_parse_size(label_column + is_from_end, &number))
        return no_such_column(csv, name, label_column, is_heading);
    if (number < 1 || number > n_fields)
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: label column %s does not exist: columns are numbered from 1 to %zu, or "
            "from -1 for the last",
            name, label_column, n_fields);
    *out = is_from_end ? n_fields - number : number - 1;
    return ISG_OK;
}

/* Text with one label per line, or a column of a table. */
static isg_status read_text_labels(isg_labels *labels, isg_data_file *input,
                                   const char *label_column, bool *may_be_headed) {
    const char *name = isg_source_name(input->source);
    isg_csv *csv = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_csv_create(&csv, input->source, input->format->separator));
    bool has_row = false;
    size_t column = 0, n_fields = 0;
    *may_be_headed = false;
    for (size_t row = 0;; row++) {
        char where[512];
        double number = 0;
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
        if (!has_row)
            break;
        snprintf(where, sizeof where, "%s: line %zu", name, isg_csv_line(csv));
        if (row == 0) {
            n_fields = label_column ? isg_csv_count(csv) : 1;
            if (label_column)
                ISG_TRY_GOTO(isg_find_column(csv, !isg_is_column_number(label_column), label_column,
                                             name, &column));
        }
        if (isg_csv_count(csv) != n_fields)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected %zu field%s, found %zu", where,
                                  n_fields, n_fields > 1 ? "s" : "", isg_csv_count(csv)));
        const char *field = isg_csv_field(csv, column);
        if (row == 0)
            *may_be_headed = isg_parse_number(field, &number) != ISG_NUMBER_OK;
        ISG_TRY_GOTO(isg_labels_add_text(labels, field, where));
    }
done:
    isg_csv_free(csv);
    return status;
}

/* A first line that is a word, above as many labels as there are samples, is a heading. */
static isg_status read_label_table(isg_labels *labels, isg_data_file *input, size_t n_samples,
                                   const char *label_column) {
    bool may_be_headed = false;
    ISG_TRY(read_text_labels(labels, input, label_column, &may_be_headed));
    const bool is_named = label_column && !isg_is_column_number(label_column);
    if (labels->count > 0 && (is_named || (may_be_headed && labels->count == n_samples + 1)))
        isg_labels_drop_first(labels);
    return isg_data_file_end(input);
}

isg_status isg_labels_read_member(isg_labels *labels, isg_zip *zip, const char *name) {
    isg_source *member = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, zip, name));
    ISG_TRY_GOTO(read_array(labels, member, &type));
    ISG_TRY_GOTO(isg_source_end(member));
done:
    isg_source_free(member);
    return status;
}

isg_status isg_labels_read(isg_labels *labels, isg_data_file *input, size_t n_samples,
                           const char *label_column) {
    const isg_format *format = input->format;
    if (label_column && !format->separator)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: only CSV and TSV files have a label column",
                        isg_file_name(input->file));
    if (input->zip)
        return isg_labels_read_member(labels, input->zip, "y");
    if (format->separator)
        return read_label_table(labels, input, n_samples, label_column);
    if (!format->read_header)
        return isg_fail(ISG_ERR_FORMAT, "%s: labels cannot be read from %s files",
                        isg_file_name(input->file), format->ending);
    isg_array_type type;
    ISG_TRY(format->read_header(input->source, &type));
    ISG_TRY(read_array(labels, input->source, &type));
    return isg_data_file_end(input);
}
