/* dataset_load.c - a data set from a file
 *
 * SPDX-License-Identifier: MIT
 *
 * Values are thresholded as they stream in, so that a file of any format costs one bit a value in
 * memory (two while it is being read, see binarize.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "binarize.h"
#include "data_file.h"
#include "io/idx.h"
#include "io/matrix_market.h"
#include "io/npy.h"
#include "io/npz.h"

enum { CHUNK_BYTES = 1 << 16 };

/* A sparse file may stand for far more bits than it has bytes; this is where we stop believing. */
enum { SMALL_PLANE = 1 << 24, MOST_BITS_PER_BYTE = 1 << 13 };

typedef struct loader {
    const isg_dataset_options *options;
    isg_data_file input;
    isg_binarizer binarizer;
    isg_dataset *data;
    uint64_t reported; /* position of the last progress report */
} loader;

isg_dataset_options isg_dataset_defaults(void) {
    return (isg_dataset_options){.threshold = (double)NAN};
}

static isg_status report(loader *load, const isg_source *source) {
    const isg_progress *progress = load->options->progress;
    if (!progress || isg_source_position(source) - load->reported < (1u << 20))
        return ISG_OK;
    load->reported = isg_source_position(source);
    if (!progress->report(progress->user, isg_source_fraction(source)))
        return isg_fail(ISG_ERR_CANCELLED, "%s: reading was cancelled", isg_source_name(source));
    return ISG_OK;
}

static isg_status start_rows(loader *load, const char *name, size_t n_visible, size_t height,
                             size_t width) {
    const isg_dataset_options *options = load->options;
    if (n_visible == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: the rows are empty", name);
    if (options->image_height) {
        height = options->image_height;
        width = options->image_width;
        size_t pixels = 0;
        if (!isg_multiply(&pixels, height, width) || pixels != n_visible)
            return isg_fail(ISG_ERR_SHAPE,
                            "%s: a row has %zu values, an image of %zu x %zu has not", name,
                            n_visible, height, width);
    }
    load->data->info.image_height = height;
    load->data->info.image_width = width;
    isg_binarizer_start(&load->binarizer, name, n_visible, options->threshold, height > 0);
    return ISG_OK;
}

/* ---- arrays: IDX and NPY ------------------------------------------------------------------ */

/* In both orders rows are added as their values come in, not all at once: a false promise in the
   header then costs no memory. */

/* Column-major order visits the rows of one column after another; for images the column index
   runs down before it runs right. */
static size_t column_of(const isg_array_type *type, size_t k) {
    if (type->n_dims < 3)
        return k;
    return k % type->dims[1] * type->dims[2] + k / type->dims[1];
}

static isg_status read_column_major(loader *load, isg_source *source, const isg_array_type *type,
                                    uint8_t *raw, double *values) {
    const size_t n_rows = type->dims[0], n_visible = load->binarizer.n_visible;
    const size_t room = CHUNK_BYTES / type->item_bytes;
    for (size_t k = 0; k < n_visible; k++)
        for (size_t row = 0; row < n_rows;) {
            const size_t count = n_rows - row < room ? n_rows - row : room;
            ISG_TRY(isg_array_read(source, type, count, "the data", raw));
            ISG_TRY(isg_binarizer_extend(&load->binarizer, row + count));
            isg_array_decode(type, raw, count, values);
            for (size_t v = 0; v < count; v++, row++)
                ISG_TRY(isg_binarizer_put(&load->binarizer, row, column_of(type, k), values[v]));
            ISG_TRY(report(load, source));
        }
    return ISG_OK;
}

static isg_status put_values(loader *load, const isg_array_type *type, size_t first, size_t count,
                             const uint8_t *raw, double *values) {
    const size_t n_visible = load->binarizer.n_visible;
    ISG_TRY(isg_binarizer_extend(&load->binarizer, (first + count - 1) / n_visible + 1));
    isg_array_decode(type, raw, count, values);
    for (size_t v = 0; v < count; v++)
        ISG_TRY(isg_binarizer_put(&load->binarizer, (first + v) / n_visible,
                                  (first + v) % n_visible, values[v]));
    return ISG_OK;
}

static isg_status put_byte_rows(loader *load, size_t first_row, size_t rows, const uint8_t *raw) {
    ISG_TRY(isg_binarizer_extend(&load->binarizer, first_row + rows));
    for (size_t k = 0; k < rows; k++)
        isg_binarizer_put_bytes(&load->binarizer, first_row + k,
                                raw + k * load->binarizer.n_visible);
    return ISG_OK;
}

static isg_status read_row_major(loader *load, isg_source *source, const isg_array_type *type,
                                 uint8_t *raw, double *values) {
    const size_t n_visible = load->binarizer.n_visible, total = type->dims[0] * n_visible;
    size_t room = CHUNK_BYTES / type->item_bytes;
    const bool are_byte_rows = type->dtype == ISG_UINT8 && n_visible <= room;
    if (are_byte_rows)
        room -= room % n_visible;
    for (size_t first = 0; first < total;) {
        const size_t count = total - first < room ? total - first : room;
        ISG_TRY(isg_array_read(source, type, count, "the data", raw));
        ISG_TRY(are_byte_rows ? put_byte_rows(load, first / n_visible, count / n_visible, raw)
                              : put_values(load, type, first, count, raw, values));
        first += count;
        ISG_TRY(report(load, source));
    }
    return ISG_OK;
}

static isg_status read_array(loader *load, isg_source *source, const isg_array_type *type) {
    const char *name = isg_source_name(source);
    if (isg_dtype_is_text(type->dtype))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected numbers, found text", name);
    if (type->n_dims != 2 && type->n_dims != 3)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: expected rows (2 dimensions) or images (3 dimensions), found %zu%s",
                        name, type->n_dims,
                        type->n_dims == 1 ? ": this looks like a label file" : "");
    if (type->dims[0] == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
    const bool is_image = type->n_dims == 3;
    ISG_TRY(start_rows(load, name, is_image ? type->dims[1] * type->dims[2] : type->dims[1],
                       is_image ? type->dims[1] : 0, is_image ? type->dims[2] : 0));
    uint8_t *raw = NULL;
    double *values = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(raw, CHUNK_BYTES));
    ISG_TRY_GOTO(ISG_ALLOCATE(values, CHUNK_BYTES / type->item_bytes));
    status = type->is_column_major ? read_column_major(load, source, type, raw, values)
                                   : read_row_major(load, source, type, raw, values);
done:
    isg_release(raw);
    isg_release(values);
    return status;
}

static isg_status read_npz(loader *load) {
    isg_zip *zip = load->input.zip;
    isg_source *member = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, zip, "X"));
    ISG_TRY_GOTO(read_array(load, member, &type));
    ISG_TRY_GOTO(isg_source_end(member));
    if (!load->options->labels_path && isg_npz_has(zip, "y"))
        status = isg_labels_read(&load->data->labels, &load->input, NULL, ISG_HEADER_NO);
done:
    isg_source_free(member);
    return status;
}

/* ---- CSV and TSV ------------------------------------------------------------------------------ */

static bool is_blank(const char *field) {
    return isg_trim(&field) == 0;
}

/* Whether a word says that a value is missing. */
static bool means_missing(const char *field) {
    static const char *const words[] = {"na", "n/a", "#n/a", "null", "none", "missing", "?"};
    const size_t length = isg_trim(&field);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strlen(words[k]) == length && isg_same_letters(field, words[k], length))
            return true;
    return false;
}

/* What a first row consists of, its label apart. */
typedef struct first_row {
    size_t numbers, words;
    size_t odd;       /* "0,5": rather a broken number than a name */
    size_t missing;   /* words that say so */
    bool is_counting; /* the numbers count the columns, from 0 or from 1 */
} first_row;

/* Few columns may well count up by chance. */
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

/* Whether the first row is a heading: all its fields but the label are words. What could be either
   is refused, since taking it for the wrong one would lose a sample or invent one: a mixture,
   nothing but words for missing values, numbers that count the columns. */
static isg_status find_heading(const loader *load, const isg_csv *csv, const char *name,
                               bool *is_heading) {
    const char *label_column = load->options->label_column;
    size_t column = SIZE_MAX;
    /* In a row of data a number may stand anywhere, so only a word can be found as a name. */
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

/* A column without a name in a heading holds row numbers, as pandas and R write them: taken for
   values they would be one more unit. */
static isg_status check_heading(const isg_csv *csv, const char *name) {
    for (size_t k = 0; k < isg_csv_count(csv); k++) {
        if (is_blank(isg_csv_field(csv, k)))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: line %zu: column %zu has no name, as a column of row numbers has "
                            "none; name it, or write the file without it",
                            name, isg_csv_line(csv), k + 1);
    }
    return ISG_OK;
}

static isg_status read_field(loader *load, const isg_csv *csv, size_t field, size_t row,
                             size_t column) {
    const char *name = load->binarizer.name, *text = isg_csv_field(csv, field);
    double value = 0;
    switch (isg_parse_number(text, &value)) {
    case ISG_NUMBER_OK:
        return isg_binarizer_put(&load->binarizer, row, column, value);
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
                    : is_word && !load->options->label_column
                        ? " (if these are the labels, name their column)"
                        : "");
}

static isg_status read_csv_row(loader *load, const isg_csv *csv, size_t label, size_t row) {
    const char *name = load->binarizer.name;
    const size_t expected = load->binarizer.n_visible + (label != SIZE_MAX);
    if (isg_csv_count(csv) != expected)
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: expected %zu fields, found %zu", name,
                        isg_csv_line(csv), expected, isg_csv_count(csv));
    ISG_TRY(isg_binarizer_extend(&load->binarizer, row + 1));
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

static isg_status read_csv(loader *load) {
    const isg_dataset_options *options = load->options;
    isg_source *source = load->input.source;
    const char *name = isg_source_name(source);
    isg_csv *csv = NULL;
    isg_status status = ISG_OK;
    bool has_row = false, is_heading = options->header == ISG_HEADER_YES;
    size_t label = SIZE_MAX, row = 0;
    ISG_TRY(isg_csv_create(&csv, source, load->input.format == ISG_FORMAT_CSV ? ',' : '\t'));
    ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    if (!has_row) {
        status = isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
        goto done;
    }
    if (options->header == ISG_HEADER_AUTO)
        ISG_TRY_GOTO(find_heading(load, csv, name, &is_heading));
    const size_t n_fields = isg_csv_count(csv);
    if (options->label_column)
        ISG_TRY_GOTO(isg_find_column(csv, is_heading, options->label_column, name, &label));
    ISG_TRY_GOTO(start_rows(load, name, n_fields - (label != SIZE_MAX), 0, 0));
    if (is_heading) {
        ISG_TRY_GOTO(check_heading(csv, name));
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    }
    for (; has_row; row++) {
        ISG_TRY_GOTO(read_csv_row(load, csv, label, row));
        ISG_TRY_GOTO(report(load, source));
        ISG_TRY_GOTO(isg_csv_next(csv, &has_row));
    }
    if (row == 0)
        status = isg_fail(ISG_ERR_FORMAT, "%s: there is a heading, but there are no rows", name);
done:
    isg_csv_free(csv);
    return status;
}

/* ---- Matrix Market ---------------------------------------------------------------------------- */

static isg_status check_plane(const isg_source *source, size_t rows, size_t cols, size_t *bytes) {
    const unsigned long long most = isg_source_at_most(source);
    if (!isg_multiply(bytes, rows, isg_words(cols) * sizeof(uint64_t)) ||
        (*bytes > SMALL_PLANE && *bytes / (MOST_BITS_PER_BYTE / 8) > most))
        return isg_fail(ISG_ERR_FORMAT, "%s: %zu x %zu is far too large for a file of this size",
                        isg_source_name(source), rows, cols);
    return ISG_OK;
}

static isg_status read_matrix_market(loader *load) {
    isg_source *source = load->input.source;
    const char *name = isg_source_name(source);
    isg_matrix_market *reader = NULL;
    isg_matrix_market_shape shape;
    uint64_t *seen = NULL; /* a bit for every entry listed so far */
    isg_status status = ISG_OK;
    size_t plane = 0, row = 0, column = 0, n_entries = 0; /* with those that symmetry implies */
    double value = 0;
    bool has_entry = false;
    ISG_TRY(isg_matrix_market_create(&reader, source, &shape));
    if (shape.rows == 0) {
        status = isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
        goto done;
    }
    ISG_TRY_GOTO(start_rows(load, name, shape.cols, 0, 0));
    ISG_TRY_GOTO(check_plane(source, shape.rows, shape.cols, &plane));
    ISG_TRY_GOTO(isg_binarizer_extend(&load->binarizer, shape.rows));
    if (shape.is_coordinate)
        ISG_TRY_GOTO(ISG_ALLOCATE(seen, plane / sizeof *seen));
    for (;; n_entries++) {
        ISG_TRY_GOTO(isg_matrix_market_next(reader, &row, &column, &value, &has_entry));
        if (!has_entry)
            break;
        if (seen) {
            uint64_t *seen_row = seen + row * load->binarizer.words;
            if (isg_bit(seen_row, column)) {
                status = isg_fail(ISG_ERR_FORMAT, "%s: row %zu, column %zu is listed twice", name,
                                  row + 1, column + 1);
                goto done;
            }
            isg_bit_assign(seen_row, column, true);
        }
        ISG_TRY_GOTO(isg_binarizer_put(&load->binarizer, row, column, value));
        ISG_TRY_GOTO(report(load, source));
    }
    if (n_entries < shape.rows * shape.cols)
        isg_binarizer_see_zero(&load->binarizer);
done:
    isg_release(seen);
    isg_matrix_market_free(reader);
    return status;
}

/* ---- all together ----------------------------------------------------------------------------- */

static isg_status read_samples(loader *load) {
    isg_array_type type;
    switch (load->input.format) {
    case ISG_FORMAT_IDX:
        ISG_TRY(isg_idx_read_header(load->input.source, &type));
        ISG_TRY(read_array(load, load->input.source, &type));
        break;
    case ISG_FORMAT_NPY:
        ISG_TRY(isg_npy_read_header(load->input.source, &type));
        ISG_TRY(read_array(load, load->input.source, &type));
        break;
    case ISG_FORMAT_NPZ:
        return read_npz(load);
    case ISG_FORMAT_CSV:
    case ISG_FORMAT_TSV:
        ISG_TRY(read_csv(load));
        break;
    case ISG_FORMAT_MATRIX_MARKET:
        ISG_TRY(read_matrix_market(load));
        break;
    }
    return isg_data_file_end(&load->input);
}

static isg_status read_labels(loader *load) {
    const isg_dataset_options *options = load->options;
    isg_labels *labels = &load->data->labels;
    const char *name = isg_file_name(load->input.file);
    if (options->labels_path) {
        isg_data_file input = {0};
        ISG_TRY(isg_data_file_open(&input, options->labels_path, options->expected_labels_sha256));
        isg_labels_clear(labels);
        const isg_status status =
            isg_labels_read(labels, &input, options->label_column, options->header);
        isg_data_file_close(&input);
        ISG_TRY(status);
    }
    const bool has_labels = options->labels_path || labels->count > 0;
    if (has_labels && labels->count != load->data->info.n_samples)
        return isg_fail(ISG_ERR_SHAPE, "%s: has %zu rows, but %s has %zu labels", name,
                        load->data->info.n_samples,
                        options->labels_path ? options->labels_path : "its array y", labels->count);
    return isg_labels_finish(labels);
}

/* Flat grey levels whose number is a square are images all the same. */
static void guess_image_shape(isg_dataset_info *info) {
    if (info->image_height || info->full_scale <= 1)
        return;
    const size_t side = (size_t)sqrt((double)info->n_visible);
    for (size_t k = side; k <= side + 1; k++)
        if (k > 1 && k * k == info->n_visible)
            info->image_height = info->image_width = k;
}

static isg_status no_such_class(const isg_dataset *data, const char *name, const char *wanted) {
    char known[256] = "";
    size_t used = 0;
    for (size_t c = 0; c < data->labels.n_classes && used < sizeof known - 8; c++) {
        const int n = snprintf(known + used, sizeof known - used, "%s%.40s", c ? ", " : "",
                               data->labels.names[c]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used >= sizeof known - 8)
        memcpy(known + sizeof known - 5, " ...", 5);
    return isg_fail(ISG_ERR_ARGUMENT, "%s: there is no class '%s'; the classes are %s", name,
                    wanted, known);
}

/* Keeps the rows that only_class and limit leave. */
static isg_status keep_rows(loader *load) {
    const isg_dataset_options *options = load->options;
    isg_dataset *data = load->data, *part = NULL;
    const size_t n = data->info.n_samples;
    size_t wanted = SIZE_MAX, count = 0;
    if (options->only_class && data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: class %s was asked for, but there are no labels",
                        isg_file_name(load->input.file), options->only_class);
    if (options->only_class) {
        for (size_t c = 0; c < data->labels.n_classes; c++)
            if (strcmp(data->labels.names[c], options->only_class) == 0)
                wanted = c;
        if (wanted == SIZE_MAX)
            return no_such_class(data, isg_file_name(load->input.file), options->only_class);
    }
    const size_t limit = options->limit ? options->limit : n;
    if (wanted == SIZE_MAX && limit >= n)
        return isg_dataset_count_classes(data);
    size_t *rows = NULL;
    ISG_TRY(ISG_ALLOCATE(rows, n));
    for (size_t a = 0; a < n && count < limit; a++)
        if (wanted == SIZE_MAX || data->labels.index[a] == wanted)
            rows[count++] = a;
    const isg_status status = isg_dataset_select(&part, data, rows, count);
    isg_release(rows);
    ISG_TRY(status);
    isg_dataset_free(data);
    load->data = part;
    return ISG_OK;
}

static isg_status check_options(const isg_dataset_options *options) {
    if (isinf(options->threshold))
        return isg_fail(ISG_ERR_ARGUMENT, "expected a finite threshold, found %g",
                        options->threshold);
    if (!options->image_height != !options->image_width)
        return isg_fail(ISG_ERR_ARGUMENT, "an image needs a height and a width, found %zu x %zu",
                        options->image_height, options->image_width);
    return ISG_OK;
}

/* Takes over the file. */
static isg_status load_file(isg_dataset **out, isg_file *file, const isg_dataset_options *options) {
    loader load = {.options = options};
    isg_status status = ISG_OK;
    ISG_TRY(isg_data_file_take(&load.input, file, options->expected_sha256));
    const isg_format format = load.input.format;
    if (options->label_column && format != ISG_FORMAT_CSV && format != ISG_FORMAT_TSV &&
        !options->labels_path) {
        status = isg_fail(ISG_ERR_ARGUMENT, "%s: only CSV and TSV files have a label column",
                          isg_file_name(file));
        goto done;
    }
    ISG_TRY_GOTO(ISG_ALLOCATE(load.data, 1));
    ISG_TRY_GOTO(read_samples(&load));
    isg_binarizer_finish(&load.binarizer, load.data);
    guess_image_shape(&load.data->info);
    ISG_TRY_GOTO(read_labels(&load));
    ISG_TRY_GOTO(keep_rows(&load));
    *out = load.data;
    load.data = NULL;
done:
    isg_binarizer_clear(&load.binarizer);
    isg_dataset_free(load.data);
    isg_data_file_close(&load.input);
    return status;
}

isg_status isg_dataset_load(isg_dataset **out, const char *path,
                            const isg_dataset_options *options) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    ISG_TRY(check_options(options));
    ISG_TRY(isg_file_open(&file, path));
    return load_file(out, file, options);
}

isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                   size_t size, const isg_dataset_options *options) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    ISG_TRY(check_options(options));
    ISG_TRY(isg_file_from_memory(&file, name, bytes, size));
    return load_file(out, file, options);
}
