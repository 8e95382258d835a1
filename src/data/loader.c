/* loader.c - what is a sample, what a unit, and what +1
 *
 * SPDX-License-Identifier: MIT
 */
#include "data/loader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* A sparse file may stand for far more bits than it has bytes; these limits bound how many. */
enum { SMALL_PLANE = 256 * ISG_BUFFER_BYTES, MOST_BITS_PER_BYTE = 1 << 13 };

isg_status isg_loader_check_size(const isg_loader *load, const char *name, size_t rows,
                                 size_t columns, uint64_t most_bytes) {
    const size_t samples = load->columns_are_samples ? columns : rows;
    const size_t units = load->columns_are_samples ? rows : columns;
    size_t bytes = 0;
    if (load->values) /* in memory already, as large as it says */
        return ISG_OK;
    if (!isg_multiply(&bytes, samples, isg_words(units) * sizeof(uint64_t)) ||
        (bytes > SMALL_PLANE && bytes / (MOST_BITS_PER_BYTE / 8) > most_bytes))
        return isg_fail(ISG_ERR_FORMAT, "%s: %zu x %zu is far too large for a file of this size",
                        name, rows, columns);
    return ISG_OK;
}

static isg_status report(isg_loader *load, const char *name, uint64_t position, double fraction) {
    const isg_progress *progress = load->progress;
    load->reported = position;
    const double done = ((double)load->pass + fraction) / (double)load->n_passes;
    if (!progress->report(progress->user, done))
        return isg_fail(ISG_ERR_CANCELLED, "%s: reading was cancelled", name);
    return ISG_OK;
}

isg_status isg_loader_report(isg_loader *load, const isg_source *source) {
    const uint64_t position = isg_source_position(source);
    if (!load->progress || position - load->reported < (1u << 20))
        return ISG_OK;
    return report(load, isg_source_name(source), position, isg_source_fraction(source));
}

isg_status isg_loader_report_part(isg_loader *load, size_t done, size_t all) {
    if (!load->progress || done - load->reported < (1u << 20))
        return ISG_OK;
    return report(load, isg_file_name(load->input.file), done, (double)done / (double)all);
}

/* ---- columns of the file and units of a model -------------------------------------------------- */

/* "CD3D, NKG7, GNLY and 12 more" of the units that unit_of does not lead to. */
static void list_absent(const isg_encoding *encoding, const bool *is_present, size_t n_absent,
                        char *out, size_t room) {
    enum { SHOWN = 3 };
    size_t used = 0, shown = 0;
    out[0] = '\0';
    for (size_t i = 0; i < encoding->info.n_visible && shown < SHOWN; i++) {
        if (is_present[i])
            continue;
        const int n = snprintf(out + used, room - used, "%s'%.40s'", shown ? ", " : "",
                               isg_names_at(&encoding->units, i));
        used += n > 0 ? (size_t)n : 0;
        shown++;
    }
    if (n_absent > shown)
        snprintf(out + used, room - used, " and %zu more", n_absent - shown);
}

/* By name. A column of words has units for all words of the model, and for those of its own. */
static isg_status join_by_name(isg_loader *load, const char *name, const isg_names *columns,
                               const isg_encoding *model) {
    isg_name_index index = {0};
    bool *is_present = NULL;
    isg_status status = ISG_OK;
    size_t n_found = 0;
    ISG_TRY(isg_name_index_create(&index, &model->units));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_present, model->info.n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(load->unit_of, load->n_columns));
    for (size_t k = 0; k < load->n_columns; k++) {
        const size_t unit = isg_name_index_find(&index, isg_names_at(columns, k));
        load->unit_of[k] = unit;
        if (unit == SIZE_MAX)
            continue;
        n_found += !is_present[unit];
        is_present[unit] = true;
    }
    const size_t n_absent = model->info.n_visible - n_found;
    load->data->info.n_unused_columns = load->n_columns - n_found;
    if (n_absent > 0) {
        char absent[256];
        list_absent(model, is_present, n_absent, absent, sizeof absent);
        status =
            isg_fail(ISG_ERR_SHAPE,
                     "%s: %zu of %zu units of the model are not among its %zu columns: %s; the "
                     "data need the columns that the model was made from, in any order",
                     name, n_absent, model->info.n_visible, load->n_columns, absent);
    }
done:
    isg_release(is_present);
    isg_name_index_clear(&index);
    return status;
}

static isg_status join_by_position(isg_loader *load, const char *name, const isg_encoding *model) {
    const size_t n = model->info.n_visible;
    load->data->info.columns_by_position = model->units.count > 0 && !load->are_spins;
    if (load->n_columns == n)
        return ISG_OK;
    if (load->n_columns != model->info.n_columns || !model->columns)
        return isg_fail(ISG_ERR_SHAPE,
                        "%s: expected %zu values in a row, as the model has units, "
                        "found %zu%s",
                        name, model->info.n_columns, load->n_columns,
                        load->n_samples == model->info.n_columns
                            ? "; if its columns are the samples, give --transpose"
                            : "");
    ISG_TRY(ISG_ALLOCATE(load->unit_of, load->n_columns));
    for (size_t k = 0; k < load->n_columns; k++)
        load->unit_of[k] = SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        load->unit_of[model->columns[i]] = i;
    load->data->info.n_unused_columns = load->n_columns - n;
    return ISG_OK;
}

/* ---- starting ---------------------------------------------------------------------------------- */

static isg_status take_shape(isg_loader *load, const char *name, size_t n_units, size_t height,
                             size_t width) {
    const isg_dataset_options *options = load->options;
    load->is_image = height > 0 && !load->columns_are_samples;
    if (options->image_height) {
        height = options->image_height;
        width = options->image_width;
        size_t pixels = 0;
        if (!isg_multiply(&pixels, height, width) || pixels != n_units)
            return isg_fail(ISG_ERR_SHAPE, "%s: a row of %zu values is not an image of %zu x %zu",
                            name, n_units, height, width);
    }
    load->data->info.image_height = height;
    load->data->info.image_width = width;
    return ISG_OK;
}

/* The rule of the options, which depends on whether this is an image file. */
static isg_binarize rule_of(const isg_loader *load, double *at, double *full_scale) {
    const isg_dataset_options *options = load->options;
    *at = options->binarize_at;
    *full_scale = options->full_scale != 0 ? options->full_scale : 1;
    if (load->are_spins)
        return ISG_BINARIZE_SPINS;
    if (options->binarize != ISG_BINARIZE_AUTO)
        return options->binarize;
    const bool is_image = load->is_image || *full_scale == ISG_GREY_SCALE;
    *at = is_image ? ISG_IMAGE_THRESHOLD : 0;
    return is_image ? ISG_BINARIZE_VALUE : ISG_BINARIZE_ZERO;
}

/* An encoding for `n_units` units by the rule of the options, whose thresholds are yet to be
   learned if the rule says so. */
static isg_status make_encoding(isg_loader *load, size_t n_units, const isg_names *names) {
    double at = 0, full_scale = 1;
    isg_encoding *encoding = NULL;
    const isg_binarize rule = rule_of(load, &at, &full_scale);
    ISG_TRY(isg_encoding_create(&encoding, n_units));
    encoding->info.rule = rule;
    encoding->info.at = at;
    encoding->info.full_scale = full_scale;
    for (size_t i = 0; rule == ISG_BINARIZE_VALUE && i < n_units; i++)
        encoding->thresholds[i] = at * full_scale;
    load->encoding = encoding;
    if (!names->count)
        return ISG_OK;
    ISG_TRY(isg_names_copy(&encoding->units, names));
    return isg_names_make_unique(&encoding->units);
}

/* The columns of a model, with a rule of its own. */
static isg_status take_columns(isg_loader *load, const isg_encoding *model) {
    ISG_TRY(make_encoding(load, model->info.n_visible, &model->units));
    load->encoding->info.n_columns = model->info.n_columns;
    if (!model->columns)
        return ISG_OK;
    const size_t bytes = model->info.n_visible * sizeof *model->columns;
    ISG_TRY(ISG_ALLOCATE(load->encoding->columns, model->info.n_visible));
    memcpy(load->encoding->columns, model->columns, bytes);
    return ISG_OK;
}

static isg_status find_units(isg_loader *load, const char *name) {
    isg_names *names = load->columns_are_samples ? &load->row_names : &load->column_names;
    const isg_encoding *model = load->options->encoding;
    if (load->encoding || !model) /* learned in the first pass, or none given */
        ISG_TRY(load->encoding ? ISG_OK : make_encoding(load, load->n_columns, names));
    if (!model)
        return ISG_OK;
    if (names->count && model->units.count) {
        ISG_TRY(isg_names_make_unique(names));
        ISG_TRY(join_by_name(load, name, names, model));
    } else {
        ISG_TRY(join_by_position(load, name, model));
    }
    if (load->encoding)
        return ISG_OK;
    if (load->options->use_own_rule || load->are_spins)
        return take_columns(load, model);
    load->encoding = isg_encoding_share(model);
    return ISG_OK;
}

static isg_status check_names(const isg_names *names, const char *name, const char *of,
                              size_t count) {
    if (names->count == 0 || names->count == count)
        return ISG_OK;
    return isg_fail(ISG_ERR_SHAPE, "%s: has %zu %s, but %zu names for them", name, count, of,
                    names->count);
}

isg_status isg_loader_start(isg_loader *load, const char *name, size_t rows, size_t columns,
                            size_t height, size_t width) {
    const bool is_transposed = load->columns_are_samples;
    if (is_transposed && rows == SIZE_MAX)
        return isg_fail(ISG_ERR_UNSUPPORTED, "%s: cannot be transposed while it is read", name);
    load->n_samples = is_transposed ? columns : rows;
    load->n_columns = is_transposed ? rows : columns;
    if (load->n_columns == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: the rows are empty", name);
    if (load->n_samples == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: there are no rows", name);
    ISG_TRY(check_names(&load->column_names, name, "columns", columns));
    if (rows != SIZE_MAX)
        ISG_TRY(check_names(&load->row_names, name, "rows", rows));
    ISG_TRY(take_shape(load, name, load->n_columns, height, width));
    ISG_TRY(find_units(load, name));
    const isg_encoding_info *info = &load->encoding->info;
    if (info->n_visible != load->n_columns) /* pixels that the model lacks */
        load->data->info.image_height = load->data->info.image_width = 0;
    if (load->is_learning)
        return isg_learner_start(&load->learner, info->rule, info->at, info->n_visible);
    const bool may_be_grey = load->is_image && load->options->full_scale == 0 && !load->are_spins &&
                             info->rule == ISG_BINARIZE_VALUE &&
                             (!load->options->encoding || load->options->use_own_rule);
    ISG_TRY(isg_binarizer_start(&load->binarizer, load->encoding,
                                may_be_grey ? info->at * ISG_GREY_SCALE : (double)NAN));
    return is_transposed ? isg_binarizer_extend(&load->binarizer, load->n_samples) : ISG_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

isg_status isg_loader_extend(isg_loader *load, size_t rows) {
    if (load->columns_are_samples)
        return ISG_OK;
    if (load->is_learning) {
        load->binarizer.n_rows = rows > load->binarizer.n_rows ? rows : load->binarizer.n_rows;
        return ISG_OK;
    }
    return isg_binarizer_extend(&load->binarizer, rows);
}

isg_status isg_loader_put(isg_loader *load, size_t row, size_t column, double value) {
    const size_t sample = load->columns_are_samples ? column : row;
    size_t unit = load->columns_are_samples ? row : column;
    if (load->unit_of) {
        unit = load->unit_of[unit];
        if (unit == SIZE_MAX)
            return ISG_OK;
    }
    if (isnan(value) && load->options->missing == ISG_MISSING_REFUSE)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: row %zu, column %zu: the value is missing; see --missing",
                        isg_file_name(load->input.file), row + 1, column + 1);
    if (isinf(value))
        return isg_fail(ISG_ERR_FORMAT, "%s: row %zu, column %zu: expected a number, found %g",
                        isg_file_name(load->input.file), row + 1, column + 1, value);
    return load->is_learning ? isg_learner_put(&load->learner, unit, value)
                             : isg_binarizer_put(&load->binarizer, sample, unit, value);
}

bool isg_loader_may_lack_labels(const isg_loader *load) {
    const isg_encoding *model = load->options->encoding;
    return load->options->keep_unlabelled && model && model->units.count > 0;
}

bool isg_loader_takes_bytes(const isg_loader *load) {
    return !load->columns_are_samples && !load->unit_of && !load->is_learning &&
           load->binarizer.has_common;
}

void isg_loader_put_bytes(isg_loader *load, size_t row, const uint8_t *values) {
    isg_binarizer_put_bytes(&load->binarizer, row, values);
}

isg_status isg_loader_put_row(isg_loader *load, size_t row, const double *values) {
    const size_t columns = load->columns_are_samples ? load->n_samples : load->n_columns;
    const bool is_plain = !load->columns_are_samples && !load->unit_of && !load->is_learning;
    if (is_plain && isg_binarizer_put_row(&load->binarizer, row, values))
        return ISG_OK;
    for (size_t k = 0; k < columns; k++)
        ISG_TRY(isg_loader_put(load, row, k, values[k]));
    return ISG_OK;
}

void isg_loader_see_zero(isg_loader *load) {
    if (!load->is_learning)
        isg_binarizer_see_zero(&load->binarizer);
}
