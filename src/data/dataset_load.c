/* dataset_load.c - a data set from a file
 *
 * SPDX-License-Identifier: MIT
 *
 * Values are thresholded as they stream in, so a file of any format takes one bit per value in
 * memory (two while images are being read, see binarize.h). Thresholds that depend on the values
 * take a pass of their own.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "data/loader.h"
#include "io/idx.h"
#include "io/npy.h"
#include "io/npz.h"

enum { CHUNK_BYTES = ISG_BUFFER_BYTES };

isg_dataset_options isg_dataset_defaults(void) {
    return (isg_dataset_options){.binarize = ISG_BINARIZE_AUTO};
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
    const size_t n_rows = type->dims[0], n_columns = isg_array_count(type) / n_rows;
    const size_t room = CHUNK_BYTES / type->item_bytes;
    for (size_t k = 0; k < n_columns; k++)
        for (size_t row = 0; row < n_rows;) {
            const size_t count = n_rows - row < room ? n_rows - row : room;
            ISG_TRY(isg_array_read(source, type, count, "the data", raw));
            ISG_TRY(isg_loader_extend(load, row + count));
            isg_array_decode(type, raw, count, values);
            for (size_t v = 0; v < count; v++, row++)
                ISG_TRY(isg_loader_put(load, row, column_of(type, k), values[v]));
            ISG_TRY(isg_loader_report(load, source));
        }
    return ISG_OK;
}

static isg_status put_values(isg_loader *load, const isg_array_type *type, size_t n_columns,
                             size_t first, size_t count, const uint8_t *raw, double *values) {
    ISG_TRY(isg_loader_extend(load, (first + count - 1) / n_columns + 1));
    isg_array_decode(type, raw, count, values);
    for (size_t v = 0; v < count; v++)
        ISG_TRY(isg_loader_put(load, (first + v) / n_columns, (first + v) % n_columns, values[v]));
    return ISG_OK;
}

static isg_status put_byte_rows(isg_loader *load, size_t n_columns, size_t first_row, size_t rows,
                                const uint8_t *raw) {
    ISG_TRY(isg_loader_extend(load, first_row + rows));
    for (size_t k = 0; k < rows; k++)
        isg_loader_put_bytes(load, first_row + k, raw + k * n_columns);
    return ISG_OK;
}

static isg_status read_row_major(isg_loader *load, isg_source *source, const isg_array_type *type,
                                 uint8_t *raw, double *values) {
    const size_t total = isg_array_count(type), n_columns = total / type->dims[0];
    size_t room = CHUNK_BYTES / type->item_bytes;
    const bool are_byte_rows =
        type->dtype == ISG_UINT8 && n_columns <= room && isg_loader_takes_bytes(load);
    if (are_byte_rows)
        room -= room % n_columns;
    for (size_t first = 0; first < total;) {
        const size_t count = total - first < room ? total - first : room;
        ISG_TRY(isg_array_read(source, type, count, "the data", raw));
        ISG_TRY(are_byte_rows
                    ? put_byte_rows(load, n_columns, first / n_columns, count / n_columns, raw)
                    : put_values(load, type, n_columns, first, count, raw, values));
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
    if (is_image && load->columns_are_samples)
        return isg_fail(ISG_ERR_FORMAT, "%s: images cannot be transposed", name);
    ISG_TRY(isg_loader_start(load, name, type->dims[0],
                             is_image ? type->dims[1] * type->dims[2] : type->dims[1],
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

/* The names of units and samples, whichever of them are columns. */
static isg_status read_npz_names(isg_loader *load) {
    isg_zip *zip = load->input.zip;
    isg_names *rows = &load->row_names, *columns = &load->column_names;
    if (isg_npz_has(zip, "units"))
        ISG_TRY(isg_names_read(load->columns_are_samples ? rows : columns, zip, "units"));
    if (isg_npz_has(zip, "ids"))
        ISG_TRY(isg_names_read(load->columns_are_samples ? columns : rows, zip, "ids"));
    return ISG_OK;
}

static isg_status read_npz_array(isg_loader *load, const char *name) {
    isg_source *member = NULL;
    isg_array_type type;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_open(&member, &type, load->input.zip, name));
    ISG_TRY_GOTO(read_array(load, member, &type));
    status = isg_source_end(member);
done:
    isg_source_free(member);
    return status;
}

static isg_status read_npz(isg_loader *load) {
    isg_zip *zip = load->input.zip;
    /* Samples as isg_chains_save() writes them are spins already. */
    load->are_spins = !isg_npz_has(zip, "X") && isg_npz_has(zip, "s") && isg_npz_has(zip, "lambda");
    ISG_TRY(read_npz_names(load));
    ISG_TRY(isg_is_scipy(zip) ? isg_loader_read_scipy(load)
                              : read_npz_array(load, load->are_spins ? "s" : "X"));
    if (load->options->labels_path || !isg_npz_has(zip, "y"))
        return ISG_OK;
    return isg_labels_read(&load->data->labels, &load->input, NULL, &(isg_join){0});
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
    {.ending = ".csv", .is_table = true, .separator = ',', .read_samples = isg_loader_read_table},
    {.ending = ".tsv", .is_table = true, .separator = '\t', .read_samples = isg_loader_read_table},
    {.ending = ".txt", .is_table = true, .separator = '\t', .read_samples = isg_loader_read_table},
    {.ending = ".arff", .is_table = true, .read_samples = isg_loader_read_table},
    {.ending = ".mtx", .read_samples = isg_loader_read_matrix_market},
    {.ending = ".h5ad", .is_archive = true, .is_hdf5 = true, .read_samples = isg_loader_read_hdf5},
    {.ending = ".h5", .is_archive = true, .is_hdf5 = true, .read_samples = isg_loader_read_hdf5},
    {.ending = ""},
};

static void forget_names(isg_loader *load) {
    isg_names_clear(&load->row_names);
    isg_names_clear(&load->column_names);
    isg_release(load->unit_of);
    load->unit_of = NULL;
}

static isg_status read_pass(isg_loader *load) {
    ISG_TRY(load->input.format->read_samples(load));
    return load->input.format->is_archive ? ISG_OK : isg_data_file_end(&load->input);
}

/* The first pass, if thresholds are to be learned. */
static isg_status learn_thresholds(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    const bool is_given = options->encoding && !options->use_own_rule;
    load->n_passes = 1;
    if (is_given || !isg_rule_is_learned(options->binarize))
        return ISG_OK;
    load->n_passes = 2;
    load->is_learning = true;
    ISG_TRY(read_pass(load));
    load->is_learning = false;
    const size_t n_samples = load->n_samples == SIZE_MAX ? load->binarizer.n_rows : load->n_samples;
    load->binarizer.n_rows = 0;
    if (!load->are_spins)
        ISG_TRY(isg_learner_finish(&load->learner, n_samples, load->encoding->thresholds));
    for (size_t i = 0; i < load->encoding->info.n_visible; i++)
        if (!isfinite(load->encoding->thresholds[i]))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: the values of unit %zu, counted from 0, are too large to find its "
                            "threshold; divide all values by the same number",
                            isg_file_name(load->input.file), i);
    isg_learner_clear(&load->learner);
    forget_names(load);
    isg_labels_clear(&load->data->labels);
    load->reported = 0;
    load->pass = 1;
    return isg_data_file_rewind(&load->input);
}

/* A model that was made from grey levels must not be given pixels from 0 to 1, or the other way
   round: every spin would be wrong. */
static isg_status check_scale(const isg_loader *load) {
    const isg_encoding *model = load->options->encoding;
    const isg_dataset_info *info = &load->data->info;
    if (!model || load->options->use_own_rule || load->are_spins)
        return ISG_OK;
    const char *name = isg_file_name(load->input.file);
    if (model->info.full_scale == ISG_GREY_SCALE && info->largest <= 2)
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: the values lie between %g and %g, but the model was made from 8-bit grey "
            "levels; if these are spins, give --binarize zero --force",
            name, info->smallest, info->largest);
    if (info->smallest == -1 && info->largest == 1 && isg_rule_is_learned(model->info.rule) &&
        (model->info.smallest >= 0 || model->info.largest > 2))
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: the values lie between -1 and 1, but those that the model was made "
                        "from between %g "
                        "and %g; if these are spins, give --binarize zero --force",
                        name, model->info.smallest, model->info.largest);
    if (load->is_image && model->info.full_scale == 1 && model->info.largest <= 2 &&
        info->largest > 2)
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: the values lie between %g and %g, but those that the model was made "
            "from between %g and %g; if these are grey levels, give --scale 255 --force",
            name, info->smallest, info->largest, model->info.smallest, model->info.largest);
    return ISG_OK;
}

/* What the values turned out to be: grey levels, and how large. */
static isg_status finish_encoding(isg_loader *load) {
    bool is_grey = false;
    isg_dataset_info *info = &load->data->info;
    isg_encoding *encoding = load->encoding;
    isg_binarizer_finish(&load->binarizer, load->data, &is_grey);
    if (info->smallest > info->largest) /* nothing was put */
        info->smallest = info->largest = 0;
    ISG_TRY(check_scale(load));
    if (encoding != load->options->encoding) {
        encoding->info.smallest = info->smallest;
        encoding->info.largest = info->largest;
        if (is_grey)
            encoding->info.full_scale = ISG_GREY_SCALE;
        for (size_t i = 0; is_grey && i < info->n_visible; i++)
            encoding->thresholds[i] = encoding->info.at * ISG_GREY_SCALE;
    }
    load->data->encoding = encoding;
    load->encoding = NULL;
    info->full_scale = encoding->info.full_scale;
    info->threshold = isg_encoding_describe(encoding).threshold / info->full_scale;
    if (encoding->info.rule == ISG_BINARIZE_VALUE)
        info->threshold = encoding->info.at;
    isg_names *ids = load->columns_are_samples ? &load->column_names : &load->row_names;
    if (ids->count && ids->count != info->n_samples)
        return isg_fail(ISG_ERR_SHAPE, "%s: has %zu samples, but %zu names for them",
                        isg_file_name(load->input.file), info->n_samples, ids->count);
    load->data->ids = *ids;
    *ids = (isg_names){0};
    return ISG_OK;
}

static isg_status read_labels(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    isg_labels *labels = &load->data->labels;
    const char *name = isg_file_name(load->input.file);
    if (options->labels_path) {
        isg_data_file input = {0};
        ISG_TRY(isg_data_file_open(&input, options->labels_path, options->expected_labels_sha256));
        isg_labels_clear(labels);
        isg_join join = {.n_samples = load->data->info.n_samples,
                         .ids = &load->data->ids,
                         .id_column = options->id_column};
        const isg_status status = isg_labels_read(labels, &input, options->label_column, &join);
        load->data->info.joined_by_id = join.is_by_id;
        load->data->info.n_unmatched_labels = join.n_unmatched;
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

static isg_status find_class(const isg_loader *load, size_t *out) {
    const isg_dataset *data = load->data;
    const char *wanted = load->options->only_class, *name = isg_file_name(load->input.file);
    *out = SIZE_MAX;
    if (!wanted)
        return ISG_OK;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: class %s was requested, but there are no labels", name,
                        wanted);
    for (size_t c = 0; c < data->labels.n_classes; c++)
        if (strcmp(data->labels.names[c], wanted) == 0)
            *out = c;
    return *out == SIZE_MAX ? no_such_class(data, name, wanted) : ISG_OK;
}

static bool is_incomplete(const isg_dataset *data, size_t row) {
    return data->missing && isg_count_ones(data->missing + row * data->words, data->words) > 0;
}

/* Keeps the rows that the options select: of one class, labelled, complete, the first so many. */
static isg_status keep_rows(isg_loader *load) {
    const isg_dataset_options *options = load->options;
    isg_dataset *data = load->data;
    isg_dataset_info *info = &data->info;
    const size_t n = info->n_samples, limit = options->limit ? options->limit : n;
    const bool drops = options->missing == ISG_MISSING_DROP_SAMPLES;
    size_t wanted = SIZE_MAX, count = 0, *rows = NULL;
    ISG_TRY(find_class(load, &wanted));
    ISG_TRY(ISG_ALLOCATE(rows, n));
    for (size_t a = 0; a < n && count < limit; a++) {
        const uint32_t label = data->labels.count ? data->labels.index[a] : 0;
        const bool is_unlabelled = label == ISG_UNLABELLED, is_short = is_incomplete(data, a);
        if (wanted != SIZE_MAX && label != wanted)
            continue;
        info->n_unlabelled += is_unlabelled;
        info->n_missing_samples += is_short;
        if (is_short)
            info->n_missing += isg_count_ones(data->missing + a * data->words, data->words);
        if ((!is_unlabelled || options->keep_unlabelled) && !(is_short && drops))
            rows[count++] = a;
    }
    const char *name = isg_file_name(load->input.file);
    isg_status status = ISG_OK;
    if (count == 0 && info->n_unlabelled > 0)
        status = isg_fail(ISG_ERR_FORMAT, "%s: no sample has a label", name);
    else if (count == 0)
        status =
            isg_fail(ISG_ERR_FORMAT, "%s: every sample has missing values; see --missing", name);
    else
        status = isg_dataset_keep(data, rows, count, wanted == SIZE_MAX);
    isg_release(rows);
    return status;
}

/* Sets missing values to the majority of the training data, which this may be. */
static isg_status fill_missing(isg_loader *load) {
    isg_dataset *data = load->data;
    const size_t n = data->info.n_visible;
    size_t *positive = NULL, *known = NULL;
    isg_status status = ISG_OK;
    if (data->encoding != load->options->encoding) {
        isg_encoding *encoding = data->encoding;
        ISG_TRY_GOTO(ISG_ALLOCATE(positive, n));
        ISG_TRY_GOTO(ISG_ALLOCATE(known, n));
        ISG_TRY_GOTO(ISG_ALLOCATE(encoding->fill, data->words));
        ISG_TRY_GOTO(isg_dataset_count_units(data, positive, known));
        for (size_t i = 0; i < n; i++)
            isg_bit_assign(encoding->fill, i, 2 * positive[i] > known[i]);
    }
    if (data->missing && !data->encoding->fill)
        ISG_TRY_GOTO(
            isg_fail(ISG_ERR_FORMAT,
                     "%s: values are missing, and the model does not say what to put in their "
                     "place; --missing drop-samples leaves out these samples",
                     isg_file_name(load->input.file)));
    for (size_t a = 0; data->missing && a < data->info.n_samples; a++) {
        uint64_t *spins = isg_dataset_spins(data, a);
        const uint64_t *missing = data->missing + a * data->words;
        for (size_t w = 0; w < data->words; w++)
            spins[w] = (spins[w] & ~missing[w]) | (data->encoding->fill[w] & missing[w]);
    }
    if (load->options->missing != ISG_MISSING_IMPUTE || data->info.n_missing == 0) {
        isg_release(data->missing);
        data->missing = NULL;
    }
done:
    isg_release(positive);
    isg_release(known);
    return status;
}

/* Leaves out the units that are the same in all samples. */
static isg_status drop_constant(isg_loader *load) {
    isg_dataset *data = load->data;
    size_t *units = NULL, count = 0;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(units, data->info.n_visible));
    ISG_TRY_GOTO(isg_dataset_constant_units(data, units, &count));
    data->info.n_constant = count;
    if (!load->options->drop_constant || count == 0)
        goto done;
    if (data->encoding == load->options->encoding)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                              "%s: the model decides which units there are; --drop-constant is for "
                              "the data that it is made from",
                              isg_file_name(load->input.file)));
    if (count == data->info.n_visible)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: every unit is the same in all samples",
                              isg_file_name(load->input.file)));
    status = isg_dataset_drop_units(data, units, count);
done:
    isg_release(units);
    return status;
}

static isg_status check_options(const isg_dataset_options *options) {
    if (options->binarize == ISG_BINARIZE_THRESHOLDS)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "binarize: thresholds are given as an encoding, not as a rule");
    if (!isfinite(options->binarize_at))
        return isg_fail(ISG_ERR_ARGUMENT, "expected a finite threshold, found %g",
                        options->binarize_at);
    if (!(options->full_scale >= 0 && isfinite(options->full_scale)))
        return isg_fail(ISG_ERR_ARGUMENT, "expected a full scale above 0, found %g",
                        options->full_scale);
    if (!options->image_height != !options->image_width)
        return isg_fail(ISG_ERR_ARGUMENT, "an image needs a height and a width, found %zu x %zu",
                        options->image_height, options->image_width);
    return ISG_OK;
}

/* Reads the input of the loader, and releases all that it has. */
static isg_status load_input(isg_dataset **out, isg_loader *load) {
    isg_status status = ISG_OK;
    load->columns_are_samples = load->options->transpose;
    ISG_TRY_GOTO(isg_dataset_new(&load->data));
    ISG_TRY_GOTO(learn_thresholds(load));
    ISG_TRY_GOTO(read_pass(load));
    ISG_TRY_GOTO(finish_encoding(load));
    guess_image_shape(&load->data->info);
    ISG_TRY_GOTO(read_labels(load));
    ISG_TRY_GOTO(keep_rows(load));
    ISG_TRY_GOTO(fill_missing(load));
    ISG_TRY_GOTO(drop_constant(load));
    ISG_TRY_GOTO(isg_progress_end(load->progress, "reading"));
    *out = load->data;
    load->data = NULL;
done:
    forget_names(load);
    isg_learner_clear(&load->learner);
    isg_encoding_free(load->encoding);
    isg_binarizer_clear(&load->binarizer);
    isg_dataset_free(load->data);
    isg_data_file_close(&load->input);
    return status;
}

/* Takes over the file; `cells` has the names that go with it, or is NULL. */
static isg_status load_file(isg_dataset **out, isg_file *file, const isg_cells *cells,
                            const isg_dataset_options *options, const isg_progress *progress) {
    isg_loader load = {.options = options, .progress = progress, .cells = cells};
    ISG_TRY(isg_data_file_take(&load.input, file, options->expected_sha256));
    if (options->label_column && !load.input.format->is_table && !load.input.format->is_hdf5 &&
        !options->labels_path && !isg_loader_may_lack_labels(&load)) {
        const isg_status status = isg_fail(
            ISG_ERR_ARGUMENT, "%s: only CSV, TSV, ARFF and .h5ad files have a label column",
            isg_file_name(file));
        isg_data_file_close(&load.input);
        return status;
    }
    return load_input(out, &load);
}

isg_status isg_dataset_load(isg_dataset **out, const char *path, const isg_dataset_options *options,
                            const isg_progress *progress) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    isg_cells cells = {0};
    ISG_TRY(check_options(options));
    ISG_TRY(isg_cells_find(&cells, path));
    isg_status status = isg_file_open(&file, cells.matrix ? cells.matrix : path);
    if (status == ISG_OK)
        status = load_file(out, file, cells.matrix ? &cells : NULL, options, progress);
    isg_cells_clear(&cells);
    return status;
}

isg_status isg_dataset_load_memory(isg_dataset **out, const char *name, const void *bytes,
                                   size_t size, const isg_dataset_options *options,
                                   const isg_progress *progress) {
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_file *file = NULL;
    ISG_TRY(check_options(options));
    ISG_TRY(isg_file_from_memory(&file, name, bytes, size));
    return load_file(out, file, NULL, options, progress);
}

isg_status isg_dataset_from_values(isg_dataset **out, const isg_values *values,
                                   const isg_dataset_options *options,
                                   const isg_progress *progress) {
    static const isg_format in_memory = {.is_archive = true,
                                         .read_samples = isg_loader_read_values};
    const isg_dataset_options defaults = isg_dataset_defaults();
    options = options ? options : &defaults;
    isg_loader load = {.options = options,
                       .progress = progress,
                       .values = values,
                       .input = {.format = &in_memory}};
    ISG_TRY(check_options(options));
    ISG_TRY(isg_values_check(values, options));
    ISG_TRY(isg_file_from_memory(&load.input.file, values->name ? values->name : ISG_VALUES_NAME,
                                 "", 0)); /* lends its name to error sentences */
    const isg_status status = load_input(out, &load);
    return status == ISG_ERR_FORMAT ? ISG_ERR_ARGUMENT : status; /* no file was read */
}
