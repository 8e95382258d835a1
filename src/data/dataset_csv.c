/* dataset_csv.c - a data set from a table
 *
 * SPDX-License-Identifier: MIT
 *
 * Tables seldom say whether they have a heading, and a guess is easily wrong, so ambiguous ones are
 * refused.
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "data/loader.h"

/* The label column of this file; if there is a label file, the column is in that one. */
static const char *label_column_of(const isg_loader *load) {
    return load->options->labels_path ? NULL : load->options->label_column;
}

static bool is_blank(const char *field) {
    return isg_trim(&field) == 0;
}

/* Whether a word stands for a missing value. */
static bool means_missing(const char *field) {
    static const char *const words[] = {"na", "n/a", "#n/a", "null", "none", "missing", "?"};
    const size_t length = isg_trim(&field);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == length && isg_same_letters(field, words[k], length))
            return true;
    return false;
}

/* What the first row consists of, apart from its label. */
typedef struct first_row {
    size_t numbers, words;
    size_t odd;       /* "0,5": more likely a broken number than a name */
    size_t missing;   /* words for a missing value */
    bool is_counting; /* the numbers count the columns from 0 or 1 */
} first_row;

/* With fewer columns, numbers may count up by chance. */
enum { LEAST_COUNTING = 16 };

static first_row look_at_first_row(const isg_csv *csv, size_t label) {
    first_row row = {.is_counting = true};
    double first = 0;
    for (size_t k = 0; k < isg_csv_count(csv); k++) {
        double number = 0;
        const char *field = isg_csv_field(csv, k);
        if (k == label || is_blank(field))
            continue;
        if (isg_parse_number(field, &number) != ISG_NUMBER_MALFORMED) {
            first = row.numbers == 0 ? number : first;
            row.is_counting = row.is_counting && number == first + (double)row.numbers;
            row.numbers++;
        } else if (strcspn(field, "0123456789+-.") == 0) {
            row.odd++;
        } else {
            row.words++;
            row.missing += means_missing(field);
        }
    }
    row.is_counting =
        row.is_counting && row.numbers >= LEAST_COUNTING && (first == 0 || first == 1);
    return row;
}

/* Whether the first row is a heading: all its fields but the label are words. Ambiguous rows are
   refused, since a wrong guess would lose or invent a sample: a mixture, nothing but words for
   missing values, numbers that count the columns. */
static isg_status find_heading(const isg_loader *load, const isg_csv *csv, const char *name,
                               bool *is_heading) {
    const char *label_column = label_column_of(load);
    size_t column = SIZE_MAX;
    /* A number may occur anywhere in a row of data, so only a word can be matched as a name. */
    const bool is_named = label_column && !isg_is_column_number(label_column);
    if (label_column)
        ISG_TRY(isg_find_column(csv, is_named, label_column, name, &column));
    const first_row row = look_at_first_row(csv, column);
    *is_heading = is_named || (row.words > row.missing && row.numbers == 0 && row.odd == 0);
    if (*is_heading)
        return ISG_OK;
    if (row.words > 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the first row has %zu numbers and %zu other fields, so it may be a "
                        "heading or data; say which with --header yes or no",
                        name, row.numbers, row.words + row.odd);
    if (row.is_counting && row.odd == 0)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the first row counts its columns, so it may be a heading or data; say "
                        "which with --header yes or no",
                        name);
    return ISG_OK;
}

/* A column without a name in the heading holds row numbers, as pandas and R write them; read as
   values, they would add a unit. */
static isg_status check_heading(const isg_csv *csv, const char *name) {
    for (size_t k = 0; k < isg_csv_count(csv); k++) {
        if (is_blank(isg_csv_field(csv, k)))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: line %zu: column %zu has no name, which suggests row "
                            "numbers; name it, or write the file without it",
                            name, isg_csv_line(csv), k + 1);
    }
    return ISG_OK;
}

static isg_status read_field(isg_loader *load, const isg_csv *csv, size_t field, size_t row,
                             size_t column) {
    const char *name = isg_source_name(load->input.source), *text = isg_csv_field(csv, field);
    double value = 0;
    switch (isg_parse_number(text, &value)) {
    case ISG_NUMBER_OK:
        return isg_loader_put(load, row, column, value);
    case ISG_NUMBER_NOT_FINITE:
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: line %zu, column %zu: expected a number, found '%.40s'", name,
                        isg_csv_line(csv), field + 1, text);
    case ISG_NUMBER_MALFORMED:
        break;
    }
    if (is_blank(text))
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu, column %zu: the value is missing", name,
                        isg_csv_line(csv), field + 1);
    const bool is_word = strcspn(text, "0123456789+-.") > 0;
    return isg_fail(ISG_ERR_FORMAT, "%s: line %zu, column %zu: expected a number, found '%.40s'%s",
                    name, isg_csv_line(csv), field + 1, text,
                    strchr(text, ',') ? " (decimals need a point, not a comma)"
                    : is_word && !load->options->label_column && !load->options->labels_path
                        ? " (if these are the labels, name their column)"
                        : "");
}

static isg_status read_csv_row(isg_loader *load, const isg_csv *csv, size_t label, size_t row) {
    const char *name = isg_source_name(load->input.source);
    const size_t expected = load->n_columns + (label != SIZE_MAX);
    if (isg_csv_count(csv) != expected)
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: expected %zu fields, found %zu", name,
                        isg_csv_line(csv), expected, isg_csv_count(csv));
    ISG_TRY(isg_loader_extend(load, row + 1));
    size_t column = 0;
    for (size_t field = 0; field < expected; field++)
        if (field != label)
            ISG_TRY(read_field(load, csv, field, row, column++));
    if (label == SIZE_MAX)
        return ISG_OK;
    char where[512];
    snprintf(where, sizeof where, "%s: line %zu", name, isg_csv_line(csv));
    return isg_labels_add_text(&load->data->labels, isg_csv_field(csv, label), where);
}

isg_status isg_loader_read_csv(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    isg_source *source = load->input.source;
    const char *name = isg_source_name(source);
    isg_csv *csv = NULL;
    isg_status status = ISG_OK;
    bool has_row = false, is_heading = options->header == ISG_HEADER_YES;
    size_t label = SIZE_MAX, row = 0;
    ISG_TRY(isg_csv_create(&csv, source, load->input.format->separator));
    ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    if (!has_row) {
        status = isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
        goto done;
    }
    if (options->header == ISG_HEADER_AUTO)
        ISG_TRY_GOTO(find_heading(load, csv, name, &is_heading));
    const size_t n_fields = isg_csv_count(csv);
    if (label_column_of(load))
        ISG_TRY_GOTO(isg_find_column(csv, is_heading, label_column_of(load), name, &label));
    ISG_TRY_GOTO(isg_loader_start(load, name, SIZE_MAX, n_fields - (label != SIZE_MAX), 0, 0));
    if (is_heading) {
        ISG_TRY_GOTO(check_heading(csv, name));
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    }
    for (; has_row; row++) {
        ISG_TRY_GOTO(read_csv_row(load, csv, label, row));
        ISG_TRY_GOTO(isg_loader_report(load, source));
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    }
    if (row == 0)
        status = isg_fail(ISG_ERR_FORMAT, "%s: there is a heading, but no rows", name);
done:
    isg_csv_free(csv);
    return status;
}
