/* convert_r.c - data sets of R packages
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/convert.h"
#include "cli/r_data.h"
#include "src/base/memory.h"

/* What one conversion looks at. */
typedef struct r_job {
    const converter_input *input;
    r_data *data;
    converted *out;
} r_job;

static isg_status lacks(const r_job *job, const char *what) {
    return isg_fail(ISG_ERR_FORMAT, "%s: expected %s, found none, or of another kind or length",
                    job->input->name, what);
}

/* Opens the input and does the work on it. */
static isg_status with_r(converted *out, const converter_input *input,
                         isg_status (*work)(r_job *job)) {
    r_job job = {.input = input, .out = out};
    ISG_TRY(r_data_read(&job.data, input->name, input->bytes, input->size));
    const isg_status status = work(&job);
    r_data_free(job.data);
    return status;
}

static bool is_vector(const r_value *value, r_kind kind, size_t count) {
    return value && value->kind == kind && value->count == count;
}

static isg_status add_text(const r_job *job, isg_names *names, const r_value *texts, size_t k) {
    size_t length = 0;
    const char *text = r_text(job->data, texts, k, &length);
    return text ? isg_names_add(names, text, length) : lacks(job, "names in UTF-8");
}

static isg_status add_texts(const r_job *job, isg_names *names, const r_value *texts,
                            size_t count) {
    if (!is_vector(texts, R_TEXTS, count))
        return lacks(job, "a list of names");
    for (size_t k = 0; k < count; k++)
        ISG_TRY(add_text(job, names, texts, k));
    return ISG_OK;
}

/* ---- Factors ------------------------------------------------------------------------------- */

/* Whole numbers that count the texts of `levels` from 1, or are missing. */
typedef struct r_factor {
    const r_value *codes, *levels;
} r_factor;

static isg_status as_factor(const r_job *job, const r_value *value, size_t count, r_factor *out) {
    const r_value *levels = r_get(job->data, value, "levels");
    if (!is_vector(value, R_INTEGERS, count) || !levels || levels->kind != R_TEXTS)
        return lacks(job, "a factor");
    for (size_t a = 0; a < count; a++) {
        const int32_t code = r_integer(value, a);
        if (code != R_MISSING && (code < 1 || (size_t)code > levels->count))
            return lacks(job, "a factor within its levels");
    }
    *out = (r_factor){value, levels};
    return ISG_OK;
}

/* The labels: a missing one is an empty text. */
static isg_status add_labels(const r_job *job, const r_value *value, size_t count) {
    r_factor factor;
    ISG_TRY(as_factor(job, value, count, &factor));
    for (size_t a = 0; a < count; a++) {
        const int32_t code = r_integer(factor.codes, a);
        ISG_TRY(code == R_MISSING
                    ? isg_names_add(&job->out->labels, "", 0)
                    : add_text(job, &job->out->labels, factor.levels, (size_t)code - 1));
    }
    return ISG_OK;
}

static bool has_missing(const r_factor *factor) {
    for (size_t a = 0; a < factor->codes->count; a++)
        if (r_integer(factor->codes, a) == R_MISSING)
            return true;
    return false;
}

/* "0" and "1" in this order: the column is binary as it is. */
static bool is_binary(const r_job *job, const r_factor *factor) {
    size_t length[2] = {0, 0};
    if (factor->levels->count != 2)
        return false;
    const char *zero = r_text(job->data, factor->levels, 0, &length[0]);
    const char *one = r_text(job->data, factor->levels, 1, &length[1]);
    return zero && one && length[0] == 1 && length[1] == 1 && *zero == '0' && *one == '1';
}

static size_t units_of(const r_job *job, const r_factor *factor) {
    return is_binary(job, factor) ? 1 : factor->levels->count + has_missing(factor);
}

/* "odor=almond" for every level, and "odor=?" if some values are missing. */
static isg_status add_units(const r_job *job, const r_value *names, size_t column,
                            const r_factor *factor) {
    isg_names *units = &job->out->units;
    size_t length = 0, level_length = 0;
    const char *name = r_text(job->data, names, column, &length);
    if (!name)
        return lacks(job, "names in UTF-8");
    if (is_binary(job, factor))
        return isg_names_add(units, name, length);
    for (size_t k = 0; k < units_of(job, factor); k++) {
        const bool is_level = k < factor->levels->count;
        const char *level = is_level ? r_text(job->data, factor->levels, k, &level_length) : "?";
        if (!level)
            return lacks(job, "names in UTF-8");
        level_length = is_level ? level_length : 1;
        char *unit = isg_allocate(length + level_length + 2, 1);
        if (!unit)
            return ISG_ERR_MEMORY;
        memcpy(unit, name, length);
        unit[length] = '=';
        memcpy(unit + length + 1, level, level_length);
        const isg_status status = isg_names_add(units, unit, length + 1 + level_length);
        isg_release(unit);
        ISG_TRY(status);
    }
    return ISG_OK;
}

/* ---- Data frames of factors ---------------------------------------------------------------- */

/* Calls `add_units` or fills the samples, for all columns but the labels. */
static isg_status frame_columns(r_job *job, const r_value *frame, const r_value *labels,
                                size_t *n_units, bool is_filling) {
    const r_value *names = r_get(job->data, frame, "names");
    *n_units = 0;
    for (size_t c = 0; c < frame->count; c++) {
        r_factor factor;
        if (r_item(job->data, frame, c) == labels)
            continue;
        ISG_TRY(as_factor(job, r_item(job->data, frame, c), labels->count, &factor));
        if (!is_filling)
            ISG_TRY(add_units(job, names, c, &factor));
        for (size_t a = 0; is_filling && a < labels->count; a++) {
            const int32_t code = r_integer(factor.codes, a);
            uint8_t *row = job->out->bits + a * job->out->cols + *n_units;
            if (is_binary(job, &factor))
                row[0] = code == 2;
            else
                row[code == R_MISSING ? factor.levels->count : (size_t)code - 1] = 1;
        }
        *n_units += units_of(job, &factor);
    }
    return ISG_OK;
}

/* Factors, one of which are the labels: two levels 0 and 1 are a unit, others one for every level. */
static isg_status convert_frame(r_job *job, const char *name, const char *label_column) {
    const r_value *frame = r_get(job->data, r_root(job->data), name);
    const r_value *labels = r_get(job->data, frame, label_column);
    size_t n_units = 0;
    if (!frame || frame->kind != R_LIST || !labels ||
        !is_vector(r_get(job->data, frame, "names"), R_TEXTS, frame->count))
        return lacks(job, "a data frame with labels");
    ISG_TRY(add_labels(job, labels, labels->count));
    ISG_TRY(frame_columns(job, frame, labels, &n_units, false));
    ISG_TRY(converted_set_bits(job->out, labels->count, n_units));
    return frame_columns(job, frame, labels, &n_units, true);
}

static isg_status splice(r_job *job) {
    return convert_frame(job, "DNA", "Class");
}

static isg_status mushrooms(r_job *job) {
    return convert_frame(job, "Mushroom", "class");
}

isg_status convert_splice(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, splice);
}

isg_status convert_mushrooms(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, mushrooms);
}

/* ---- Matrices ------------------------------------------------------------------------------ */

/* The two sizes in a vector of whole numbers. */
static isg_status take_sizes(const r_job *job, const r_value *dim, size_t sizes[2]) {
    if (!is_vector(dim, R_INTEGERS, 2) || r_integer(dim, 0) < 1 || r_integer(dim, 1) < 1)
        return lacks(job, "the sizes of a matrix");
    sizes[0] = (size_t)r_integer(dim, 0);
    sizes[1] = (size_t)r_integer(dim, 1);
    return ISG_OK;
}

/* The names of rows and columns, of which `columns_are_samples` says what they are. */
static isg_status take_names(const r_job *job, const r_value *names, const size_t sizes[2],
                             bool columns_are_samples) {
    if (!is_vector(names, R_LIST, 2))
        return lacks(job, "names of rows and columns");
    for (size_t side = 0; side < 2; side++)
        ISG_TRY(add_texts(job,
                          (side == 0) == columns_are_samples ? &job->out->units : &job->out->ids,
                          r_item(job->data, names, side), sizes[side]));
    return ISG_OK;
}

/* A dense matrix: R keeps its columns one after the other. */
static isg_status take_matrix(r_job *job, const r_value *matrix, bool columns_are_samples) {
    size_t sizes[2];
    ISG_TRY(take_sizes(job, r_get(job->data, matrix, "dim"), sizes));
    if (!is_vector(matrix, R_NUMBERS, matrix->count) || matrix->count / sizes[0] != sizes[1] ||
        matrix->count % sizes[0] != 0)
        return lacks(job, "a matrix of numbers");
    ISG_TRY(take_names(job, r_get(job->data, matrix, "dimnames"), sizes, columns_are_samples));
    if (columns_are_samples) {
        ISG_TRY(converted_set_values(job->out, sizes[1], sizes[0]));
        for (size_t k = 0; k < matrix->count; k++)
            job->out->values[k] = r_number(matrix, k);
        return ISG_OK;
    }
    ISG_TRY(converted_set_values(job->out, sizes[0], sizes[1]));
    for (size_t k = 0; k < matrix->count; k++)
        job->out->values[k % sizes[0] * sizes[1] + k / sizes[0]] = r_number(matrix, k);
    return ISG_OK;
}

static isg_status tissues(r_job *job) {
    const r_value *matrix = r_get(job->data, r_root(job->data), "x");
    if (!matrix)
        return lacks(job, "the matrix x");
    ISG_TRY(take_matrix(job, matrix, false));
    return add_labels(job, r_get(job->data, r_root(job->data), "y"), job->out->rows);
}

isg_status convert_tissues(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, tissues);
}

/* An ExpressionSet: `exprs` is in an environment, somewhere; the labels say lineage and subtype. */
static isg_status leukaemia(r_job *job) {
    const r_value *set = r_get(job->data, r_root(job->data), "ALL");
    const r_value *matrix = r_find_matrix(job->data, "exprs");
    const r_value *frame = r_get(job->data, r_get(job->data, set, "phenoData"), "data");
    r_factor lineage, subtype;
    if (!matrix)
        return lacks(job, "the matrix exprs");
    ISG_TRY(take_matrix(job, matrix, true));
    const size_t count = job->out->rows;
    ISG_TRY(as_factor(job, r_get(job->data, frame, "BT"), count, &lineage));
    ISG_TRY(as_factor(job, r_get(job->data, frame, "mol.biol"), count, &subtype));
    for (size_t a = 0; a < count; a++) {
        char label[64];
        size_t length[2] = {0, 0};
        const int32_t codes[2] = {r_integer(lineage.codes, a), r_integer(subtype.codes, a)};
        if (codes[0] == R_MISSING || codes[1] == R_MISSING)
            return lacks(job, "a lineage and a subtype of every patient");
        const char *type = r_text(job->data, lineage.levels, (size_t)codes[0] - 1, &length[0]);
        const char *kind = r_text(job->data, subtype.levels, (size_t)codes[1] - 1, &length[1]);
        if (!type || length[0] == 0 || !kind || length[1] + 2 > sizeof label)
            return lacks(job, "a lineage and a subtype of every patient");
        label[0] = type[0]; /* B or T, without the stage */
        label[1] = ' ';
        memcpy(label + 2, kind, length[1]);
        ISG_TRY(isg_names_add(&job->out->labels, label, length[1] + 2));
    }
    return ISG_OK;
}

isg_status convert_leukaemia(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, leukaemia);
}

/* Votes as coded by the Inter-university Consortium: 1 to 3 are yea, 4 to 6 nay, the others missing. */
static isg_status senate(r_job *job) {
    const r_value *root = r_root(job->data), *votes = r_get(job->data, root, "votes");
    if (!votes)
        return lacks(job, "the matrix votes");
    ISG_TRY(take_matrix(job, votes, false));
    for (size_t k = 0; k < job->out->rows * job->out->cols; k++) {
        double *vote = &job->out->values[k];
        *vote = *vote >= 1 && *vote <= 3 ? 1 : *vote >= 4 && *vote <= 6 ? 0 : (double)NAN;
    }
    return add_labels(job, r_get(job->data, r_get(job->data, root, "legis.data"), "party"),
                      job->out->rows);
}

isg_status convert_senate(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, senate);
}

static isg_status expression_of_myoblasts(r_job *job) {
    const r_value *matrix = r_get(job->data, r_root(job->data), "HSMM_expr_matrix");
    return matrix ? take_matrix(job, matrix, true) : lacks(job, "the matrix HSMM_expr_matrix");
}

static isg_status sheet_of_myoblasts(r_job *job) {
    const r_value *sheet = r_get(job->data, r_root(job->data), "HSMM_sample_sheet");
    const r_value *rows = r_get(job->data, sheet, "row.names");
    isg_names ids = {0};
    isg_status status = add_texts(job, &ids, rows, job->out->rows);
    for (size_t a = 0; status == ISG_OK && a < ids.count; a++)
        if (strcmp(isg_names_at(&ids, a), isg_names_at(&job->out->ids, a)) != 0)
            status = lacks(job, "the cells in the order of the matrix");
    isg_names_clear(&ids);
    ISG_TRY(status);
    return add_labels(job, r_get(job->data, sheet, "Hours"), job->out->rows);
}

isg_status convert_myoblasts(converted *out, const converter_input *inputs) {
    ISG_TRY(with_r(out, &inputs[0], expression_of_myoblasts));
    return with_r(out, &inputs[1], sheet_of_myoblasts);
}

/* ---- Sparse matrices ----------------------------------------------------------------------- */

/* A dgCMatrix: columns, which are samples, with the rows `i` and values `x` of what is not 0. */
static isg_status take_sparse(r_job *job, const r_value *matrix) {
    const r_value *rows = r_get(job->data, matrix, "i"), *starts = r_get(job->data, matrix, "p");
    const r_value *values = r_get(job->data, matrix, "x");
    size_t sizes[2];
    ISG_TRY(take_sizes(job, r_get(job->data, matrix, "Dim"), sizes));
    if (!rows || !is_vector(rows, R_INTEGERS, rows->count) ||
        !is_vector(values, R_NUMBERS, rows->count) || !is_vector(starts, R_INTEGERS, sizes[1] + 1))
        return lacks(job, "a sparse matrix");
    ISG_TRY(take_names(job, r_get(job->data, matrix, "Dimnames"), sizes, true));
    ISG_TRY(converted_set_values(job->out, sizes[1], sizes[0]));
    for (size_t a = 0, k = 0; a < sizes[1]; a++) {
        const int32_t end = r_integer(starts, a + 1);
        if (r_integer(starts, a) < 0 || (size_t)r_integer(starts, a) != k || end < 0 ||
            (size_t)end < k || (size_t)end > rows->count)
            return lacks(job, "the columns of a sparse matrix");
        for (; k < (size_t)end; k++) {
            const int32_t row = r_integer(rows, k);
            if (row < 0 || (size_t)row >= sizes[0])
                return lacks(job, "rows within a sparse matrix");
            job->out->values[a * sizes[0] + (size_t)row] = r_number(values, k);
        }
    }
    return ISG_OK;
}

/* A Seurat object. */
static isg_status pbmc(r_job *job) {
    const r_value *root = r_root(job->data);
    const r_value *assay = r_get(job->data, r_get(job->data, root, "assays"), "RNA");
    ISG_TRY(take_sparse(job, r_get(job->data, assay, "data")));
    return add_labels(job, r_get(job->data, root, "active.ident"), job->out->rows);
}

isg_status convert_pbmc(converted *out, const converter_input *inputs) {
    return with_r(out, inputs, pbmc);
}
