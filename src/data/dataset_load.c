/* dataset_load.c - a data set from a file
 *
 * SPDX-License-Identifier: MIT
 *
 * Values are thresholded as they stream in, so a file of any format takes one bit per value in
 * memory (two while it is being read, see binarize.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "data/loader.h"
#include "io/idx.h"
#include "io/matrix_market.h"
#include "io/npy.h"
#include "io/npz.h"

enum { CHUNK_BYTES = ISG_BUFFER_BYTES };

/* A sparse file may stand for far more bits than it has bytes; these limits bound how many. */
enum { SMALL_PLANE = 256 * CHUNK_BYTES, MOST_BITS_PER_BYTE = 1 << 13 };

isg_dataset_options isg_dataset_defaults(void) {
    return (isg_dataset_options){.threshold = (double)NAN};
}

isg_status isg_loader_report(isg_loader *load, const isg_source *source) {
    const isg_progress *progress = load->progress;
    if (!progress || isg_source_position(source) - load->reported < (1u << 20))
        return ISG_OK;
    load->reported = isg_source_position(source);
    if (!progress->report(progress->user, isg_source_fraction(source)))
        return isg_fail(ISG_ERR_CANCELLED, "%s: reading was cancelled", isg_source_name(source));
    return ISG_OK;
}

isg_status isg_loader_start(isg_loader *load, const char *name, size_t n_visible, size_t height,
                            size_t width) {
    const isg_dataset_options *options = load->options;
    if (n_visible == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: the rows are empty", name);
    if (options->image_height) {
        height = options->image_height;
        width = options->image_width;
        size_t pixels = 0;
        if (!isg_multiply(&pixels, height, width) || pixels != n_visible)
            return isg_fail(ISG_ERR_SHAPE, "%s: a row of %zu values is not an image of %zu x %zu",
                            name, n_visible, height, width);
    }
    load->data->info.image_height = height;
    load->data->info.image_width = width;
    isg_binarizer_start(&load->binarizer, name, n_visible, options->threshold, height > 0);
    return ISG_OK;
}

/* ---- arrays: IDX and NPY ------------------------------------------------------------------ */

/* In both orders rows are added as their values arrive, not all at once, so a false size in the
   header costs no memory. */

/* Column-major order visits all rows of one column before the next; in images the column index runs
   down before it runs right. */
static size_t column_of(const isg_array_type *type, size_t k) {
    if (type->n_dims < 3)
        return k;
    return k % type->dims[1] * type->dims[2] + k / type->dims[1];
}

static isg_status read_column_major(isg_loader *load, isg_source *source,
                                    const isg_array_type *type, uint8_t *raw, double *values) {
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
            ISG_TRY(isg_loader_report(load, source));
        }
    return ISG_OK;
}

static isg_status put_values(isg_loader *load, const isg_array_type *type, size_t first,
                             size_t count, const uint8_t *raw, double *values) {
    const size_t n_visible = load->binarizer.n_visible;
    ISG_TRY(isg_binarizer_extend(&load->binarizer, (first + count - 1) / n_visible + 1));
    isg_array_decode(type, raw, count, values);
    for (size_t v = 0; v < count; v++)
        ISG_TRY(isg_binarizer_put(&load->binarizer, (first + v) / n_visible,
                                  (first + v) % n_visible, values[v]));
    return ISG_OK;
}

static isg_status put_byte_rows(isg_loader *load, size_t first_row, size_t rows,
                                const uint8_t *raw) {
    ISG_TRY(isg_binarizer_extend(&load->binarizer, first_row + rows));
    for (size_t k = 0; k < rows; k++)
        isg_binarizer_put_bytes(&load->binarizer, first_row + k,
                                raw + k * load->binarizer.n_visible);
    return ISG_OK;
}

static isg_status read_row_major(isg_loader *load, isg_source *source, const isg_array_type *type,
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
        ISG_TRY(isg_loader_report(load, source));
    }
    return ISG_OK;
}

static isg_status read_array(isg_loader *load, isg_source *source, const isg_array_type *type) {
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
    ISG_TRY(isg_loader_start(load, name, is_image ? type->dims[1] * type->dims[2] : type->dims[1],
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

static isg_status read_npz(isg_loader *load) {
    isg_zip *zip = load->input.zip;
    isg_source *member = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, zip, "X"));
    ISG_TRY_GOTO(read_array(load, member, &type));
    ISG_TRY_GOTO(isg_source_end(member));
    if (!load->options->labels_path && isg_npz_has(zip, "y"))
        status = isg_labels_read(&load->data->labels, &load->input, 0, NULL);
done:
    isg_source_free(member);
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

static isg_status read_matrix_market(isg_loader *load) {
    isg_source *source = load->input.source;
    const char *name = isg_source_name(source);
    isg_matrix_market *reader = NULL;
    isg_matrix_market_shape shape;
    uint64_t *seen = NULL; /* a bit for every entry listed so far */
    isg_status status = ISG_OK;
    size_t plane = 0, row = 0, column = 0, n_entries = 0; /* including those implied by symmetry */
    double value = 0;
    bool has_entry = false;
    ISG_TRY(isg_matrix_market_create(&reader, source, &shape));
    if (shape.rows == 0) {
        status = isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
        goto done;
    }
    ISG_TRY_GOTO(isg_loader_start(load, name, shape.cols, 0, 0));
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
        ISG_TRY_GOTO(isg_loader_report(load, source));
    }
    if (n_entries < shape.rows * shape.cols)
        isg_binarizer_see_zero(&load->binarizer);
done:
    isg_release(seen);
    isg_matrix_market_free(reader);
    return status;
}

/* ---- all together ----------------------------------------------------------------------------- */

static isg_status read_array_file(isg_loader *load) {
    isg_array_type type;
    ISG_TRY(load->input.format->read_header(load->input.source, &type));
    return read_array(load, load->input.source, &type);
}

const isg_format isg_formats[] = {
    {.ending = NULL, .read_header = isg_idx_read_header, .read_samples = read_array_file},
    {.ending = ".npy", .read_header = isg_npy_read_header, .read_samples = read_array_file},
    {.ending = ".npz", .is_archive = true, .read_samples = read_npz},
    {.ending = ".csv", .separator = ',', .read_samples = isg_loader_read_csv},
    {.ending = ".tsv", .separator = '\t', .read_samples = isg_loader_read_csv},
    {.ending = ".mtx", .read_samples = read_matrix_market},
    {.ending = ""},
};

static isg_status read_samples(isg_loader *load) {
    ISG_TRY(load->input.format->read_samples(load));
    return load->input.format->is_archive ? ISG_OK : isg_data_file_end(&load->input);
}

static isg_status read_labels(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    isg_labels *labels = &load->data->labels;
    const char *name = isg_file_name(load->input.file);
    if (options->labels_path) {
        isg_data_file input = {0};
        ISG_TRY(isg_data_file_open(&input, options->labels_path, options->expected_labels_sha256));
        isg_labels_clear(labels);
        const isg_status status =
            isg_labels_read(labels, &input, load->data->info.n_samples, options->label_column);
        isg_data_file_close(&input);
        ISG_TRY(status);
    }
    const bool has_labels = options->labels_path || labels->count > 0;
    if (has_labels && labels->count != load->data->info.n_samples)
        return isg_fail(ISG_ERR_SHAPE, "%s: has %zu rows, but %s has %zu labels%s", name,
                        load->data->info.n_samples,
                        options->labels_path ? options->labels_path : "its array y", labels->count,
                        labels->count == load->data->info.n_samples + 1
                            ? "; if the first is a heading, remove it"
                            : "");
    return isg_labels_finish(labels);
}

/* Flat rows of grey levels whose length is a square are images too. */
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
    size_t used = 0, c = 0;
    for (; c < data->labels.n_classes && used < sizeof known - 8; c++) {
        const int n = snprintf(known + used, sizeof known - used, "%s%.40s", c ? ", " : "",
                               data->labels.names[c]);
        used += n > 0 ? (size_t)n : 0;
    }
    const size_t last = sizeof known - sizeof " ...";
    if (c < data->labels.n_classes || used >= sizeof known)
        memcpy(known + (used < last ? used : last), " ...", sizeof " ...");
    return isg_fail(ISG_ERR_FORMAT, "%s: there is no class '%s'; the classes are %s", name, wanted,
                    known);
}

/* Keeps the rows selected by only_class and limit. */
static isg_status keep_rows(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    isg_dataset *data = load->data, *part = NULL;
    const size_t n = data->info.n_samples;
    size_t wanted = SIZE_MAX, count = 0;
    if (options->only_class && data->labels.count == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: class %s was requested, but there are no labels",
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
    const isg_status status = isg_dataset_take(&part, data, rows, count, wanted == SIZE_MAX);
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
static isg_status load_file(isg_dataset **out, isg_file *file, const isg_dataset_options *options,
                            const isg_progress *progress) {
    isg_loader load = {.options = options, .progress = progress};
    isg_status status = ISG_OK;
    ISG_TRY(isg_data_file_take(&load.input, file, options->expected_sha256));
    if (options->label_column && !load.input.format->separator && !options->labels_path) {
        status = isg_fail(ISG_ERR_ARGUMENT, "%s: only CSV and TSV files have a label column",
                          isg_file_name(file));
        goto done;
    }
    ISG_TRY_GOTO(isg_dataset_new(&load.data));
    ISG_TRY_GOTO(read_samples(&load));
    isg_binarizer_finish(&load.binarizer, load.data);
    guess_image_shape(&load.data->info);
    ISG_TRY_GOTO(read_labels(&load));
    ISG_TRY_GOTO(keep_rows(&load));
    ISG_TRY_GOTO(isg_progress_end(progress, "reading"));
    *out = load.data;
    load.data = NULL;
done:
    isg_binarizer_clear(&load.binarizer);
    isg_dataset_free(load.data);
    isg_data_file_close(&load.input);
    return status;
}

isg_status isg_dataset_load(isg_dataset **out, const char *path, const isg_dataset_options *options,
                            const isg_progress *progress) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    ISG_TRY(check_options(options));
    ISG_TRY(isg_file_open(&file, path));
    return load_file(out, file, options, progress);
}

isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                   size_t size, const isg_dataset_options *options,
                                   const isg_progress *progress) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    ISG_TRY(check_options(options));
    ISG_TRY(isg_file_from_memory(&file, name, bytes, size));
    return load_file(out, file, options, progress);
}
