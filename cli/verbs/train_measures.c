/* train_measures.c - isinglass train --measure-every: what a model in training is, as a memory too
 *
 * SPDX-License-Identifier: MIT
 *
 * measures.csv is written as a whole after every measurement, before training goes on, from the rows
 * that are in memory. What is read back is the same number for number, so that a resumed run ends
 * with the same bytes; a row that a crash has left behind the checkpoint is measured again.
 */
#include "cli/verbs/train_measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "src/base/directory.h"
#include "src/base/elementary.h"
#include "src/base/file.h"
#include "src/base/number.h"

/* ---- cells -------------------------------------------------------------------------------------- */

/* The columns, in their order. */
static const struct {
    const char *name;
    size_t offset;
    bool is_count;
} columns[] = {
    {"epoch", offsetof(measured, epoch), true},
    {"log_likelihood", offsetof(measured, log_likelihood), false},
    {"log_likelihood_error", offsetof(measured, log_likelihood_error), false},
    {"beta", offsetof(measured, beta), false},
    {"capture", offsetof(measured, capture), false},
    {"singular_largest", offsetof(measured, singular_largest), false},
    {"singular_smallest", offsetof(measured, singular_smallest), false},
    {"singular_mean_log", offsetof(measured, singular_mean_log), false},
    {"orthogonality_error", offsetof(measured, orthogonality_error), false},
    {"patterns", offsetof(measured, patterns), true},
    {"fixed_points", offsetof(measured, fixed_points), true},
    {"recall", offsetof(measured, recall), false},
};
enum { COLUMNS = sizeof columns / sizeof *columns, LINE = COLUMNS * (ISG_NUMBER_ROOM + 1) };

static const void *cell_of(const measured *row, size_t column) {
    return (const char *)row + columns[column].offset;
}

static void print_cell(output *out, const measured *row, size_t column) {
    char number[ISG_NUMBER_ROOM] = "";
    size_t count = 0;
    double value = 0;
    if (columns[column].is_count) {
        memcpy(&count, cell_of(row, column), sizeof count);
        if (count != SIZE_MAX)
            snprintf(number, sizeof number, "%zu", count);
    } else {
        memcpy(&value, cell_of(row, column), sizeof value);
        if (isfinite(value))
            isg_format_number(number, sizeof number, value);
    }
    output_print(out, "%s%s", column > 0 ? "," : "", number);
}

/* False if the text is no such number; an empty one is not known. */
static bool parse_cell(measured *row, size_t column, const char *text) {
    char *cell = (char *)row + columns[column].offset;
    size_t count = SIZE_MAX;
    double value = (double)NAN;
    if (columns[column].is_count) {
        const bool is_right = *text == '\0' || isg_parse_size(text, &count);
        memcpy(cell, &count, sizeof count);
        return is_right;
    }
    const bool is_right = *text == '\0' || isg_parse_number(text, &value) == ISG_NUMBER_OK;
    memcpy(cell, &value, sizeof value);
    return is_right;
}

/* ---- measures.csv --------------------------------------------------------------------------------- */

static void print_header(output *out) {
    for (size_t c = 0; c < COLUMNS; c++)
        output_print(out, "%s%s", c > 0 ? "," : "", columns[c].name);
    output_print(out, "\n");
}

static exit_code save(const measures *all) {
    output out = {0};
    print_header(&out);
    for (size_t k = 0; k < all->n_rows; k++) {
        for (size_t c = 0; c < COLUMNS; c++)
            print_cell(&out, all->rows + k, c);
        output_print(&out, "\n");
    }
    const exit_code code = output_save(&out, all->path);
    output_free(&out);
    return code;
}

static exit_code append(measures *all, const measured *row) {
    if (all->n_rows == all->capacity) {
        const size_t capacity = 2 * all->capacity + 16;
        void *rows =
            memory_resize(all->rows, all->n_rows * sizeof *all->rows, capacity * sizeof *all->rows);
        if (!rows)
            return fail_memory();
        all->rows = rows;
        all->capacity = capacity;
    }
    all->rows[all->n_rows++] = *row;
    return EXIT_DONE;
}

/* A line without its end; it is cut into its cells. */
static bool parse_line(measured *row, char *line) {
    for (size_t c = 0; c < COLUMNS; c++) {
        char *comma = strchr(line, ',');
        if ((comma == NULL) != (c + 1 == COLUMNS))
            return false;
        if (comma)
            *comma = '\0';
        if (!parse_cell(row, c, line))
            return false;
        line = comma ? comma + 1 : line;
    }
    return row->epoch != SIZE_MAX;
}

static exit_code parse(measures *all, char *text, size_t size, uint64_t epochs) {
    output header = {0};
    print_header(&header);
    const size_t length = header.length;
    const bool is_ours =
        !header.is_out_of_memory && strlen(text) == size && strncmp(text, header.text, length) == 0;
    output_free(&header);
    exit_code code = EXIT_DONE;
    size_t number = 2;
    char *line = is_ours ? text + length : text;
    for (char *end; is_ours && code == EXIT_DONE && (end = strchr(line, '\n')); line = end + 1) {
        measured row;
        *end = '\0';
        if (!parse_line(&row, line) ||
            (all->n_rows > 0 && row.epoch <= all->rows[all->n_rows - 1].epoch))
            return fail(EXIT_CHECKPOINT,
                        "%s: line %zu is not as it was written; remove the file to go on "
                        "without its rows",
                        all->path, number);
        number++;
        code = row.epoch <= epochs ? append(all, &row) : EXIT_DONE;
    }
    if (code == EXIT_DONE && (!is_ours || *line != '\0'))
        return fail(EXIT_CHECKPOINT,
                    "%s: is not as it was written; remove the file to go on without its rows",
                    all->path);
    return code;
}

static exit_code read_rows(measures *all, uint64_t epochs) {
    enum { MOST = 1 << 28 };
    isg_file *file = NULL;
    if (isg_file_open(&file, all->path) != ISG_OK)
        return EXIT_DONE; /* nothing has been measured yet */
    const uint64_t size = isg_file_size(file);
    char *text = size < MOST ? memory_allocate((size_t)size + 1, 1) : NULL;
    exit_code code =
        text ? fail_status(isg_file_read_at(file, 0, text, (size_t)size)) : fail_memory();
    isg_file_close(file);
    if (code == EXIT_DONE)
        code = parse(all, text, (size_t)size, epochs);
    memory_release(text);
    return code;
}

exit_code measures_open(measures *all, const char *run, uint64_t epochs, bool is_resumed) {
    const char *slash = run[strlen(run) - 1] == '/' ? "" : "/";
    *all = (measures){.path = memory_format("%s%smeasures.csv", run, slash)};
    if (!all->path)
        return fail_memory();
    return is_resumed ? read_rows(all, epochs) : fail_status(isg_remove_file(all->path));
}

void measures_release(measures *all) {
    memory_release(all->path);
    memory_release(all->rows);
    *all = (measures){.path = NULL};
}

bool measures_have(const measures *all, uint64_t epoch) {
    return all->n_rows > 0 && all->rows[all->n_rows - 1].epoch >= epoch;
}

/* ---- measuring -------------------------------------------------------------------------------------- */

static isg_status measure_weights(measured *row, const isg_rbm *rbm) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const size_t count = info.n_visible < info.n_hidden ? info.n_visible : info.n_hidden;
    isg_integrated found;
    double *values = memory_allocate(count, sizeof *values), sum = 0;
    const isg_status status =
        values ? isg_rbm_integrate(rbm, &found, values, NULL) : ISG_ERR_MEMORY;
    if (status == ISG_OK) {
        for (size_t k = 0; k < count; k++)
            sum += values[k] > 0 ? isg_log(values[k]) : -(double)INFINITY;
        row->beta = info.beta;
        row->singular_largest = values[0];
        row->singular_smallest = values[count - 1];
        row->singular_mean_log = sum / (double)count;
        row->orthogonality_error = found.orthogonality_error;
    }
    memory_release(values);
    return status;
}

static isg_status measure_recall(measured *row, const isg_patterns *patterns,
                                 const isg_dataset *data, uint64_t seed,
                                 const isg_progress *callback) {
    isg_recall_options options = isg_recall_defaults(ISG_RECALL_PUBLISHED);
    isg_recall *recall = NULL;
    options.allow_rank_deficient = true;
    options.seed = seed;
    const isg_status status = isg_recall_run(&recall, patterns, data, &options, callback);
    if (status == ISG_OK)
        row->recall = isg_recall_describe(recall).accuracy;
    isg_recall_free(recall);
    return status;
}

/* The patterns in W, by relaxation from where it started, or from random states. */
static isg_status measure_memory(measured *row, const isg_rbm *rbm, const isg_dataset *data,
                                 uint64_t seed, const isg_progress *callback) {
    isg_unmap_options options = isg_unmap_defaults();
    isg_unmapping *found = NULL;
    options.seed = seed;
    isg_status status = isg_unmap(&found, rbm, &options, callback);
    if (status == ISG_ERR_DEPENDENT) /* columns of W; there is no network of so many patterns */
        return ISG_OK;
    if (status != ISG_OK)
        return status;
    row->patterns = row->fixed_points = 0;
    for (size_t mu = 0; mu < isg_unmapping_describe(found).n_patterns; mu++) {
        const isg_unmapped_pattern pattern = isg_unmapping_pattern(found, mu);
        row->patterns += pattern.same_as == mu;
        row->fixed_points += pattern.same_as == mu && pattern.model.is_fixed_point;
    }
    status = measure_recall(row, isg_unmapping_patterns(found), data, seed, callback);
    isg_unmapping_free(found);
    return status;
}

static isg_status measure(measured *row, const isg_rbm *rbm, const isg_dataset *data, uint64_t seed,
                          const isg_progress *callback) {
    isg_impute_options impute = isg_impute_defaults();
    isg_dataset *full = NULL; /* with the missing values as the model has them now */
    impute.seed = seed;
    isg_status status = isg_dataset_impute(&full, data, rbm, &impute, NULL);
    if (status == ISG_OK)
        status = measure_weights(row, rbm);
    if (status == ISG_OK)
        status = isg_rbm_capture(rbm, full, &row->capture, callback);
    if (status == ISG_OK)
        status = measure_memory(row, rbm, full, seed, callback);
    isg_dataset_free(full);
    return status;
}

exit_code measures_add(measures *all, const measured *row, const isg_rbm *rbm,
                       const isg_dataset *data, const common_settings *common) {
    measured found = *row;
    found.patterns = found.fixed_points = SIZE_MAX;
    found.recall = (double)NAN;
    progress bar;
    progress_start(&bar, common->quiet, "measuring");
    const isg_status status = measure(&found, rbm, data, common->seed, progress_callback(&bar));
    progress_finish(&bar);
    exit_code code = fail_status(status);
    if (code == EXIT_DONE)
        code = append(all, &found);
    return code == EXIT_DONE ? save(all) : code;
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static bool has_point(const measured *row) {
    return isfinite(row->log_likelihood) && isfinite(row->recall);
}

bool measures_can_be_drawn(const measures *all) {
    for (size_t k = 0; k < all->n_rows; k++)
        if (has_point(all->rows + k))
            return true;
    return false;
}

exit_code measures_draw(const measures *all, const char *path, const char *run) {
    double *x = memory_allocate(all->n_rows + 1, sizeof *x);
    double *y = memory_allocate(all->n_rows + 1, sizeof *y);
    double smallest = 1, largest = 0;
    size_t count = 0, last = 0;
    char title[160], end[64];
    exit_code code = x && y ? EXIT_DONE : fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < all->n_rows; k++)
        if (has_point(all->rows + k)) {
            x[count] = all->rows[k].log_likelihood;
            y[count++] = 100 * all->rows[k].recall;
            smallest = fmin(smallest, all->rows[k].recall);
            largest = fmax(largest, all->rows[k].recall);
            last = all->rows[k].epoch;
        }
    snprintf(title, sizeof title, "Memory against likelihood: %.100s", run);
    snprintf(end, sizeof end, "epoch %zu", last);
    if (code == EXIT_DONE) {
        const plot_curve curves[] = {{"from the start", x, y, NULL, count},
                                     {end, x + count - 1, y + count - 1, NULL, 1}};
        const plot_axes axes = {
            .title = title,
            .x_label = "log-likelihood per sample",
            .y_label = "recall by the network of its patterns, %",
            .x_low = (double)NAN,
            .x_high = (double)NAN,
            /* gnuplot makes room around equal values, beyond 100 % too */
            .y_low = smallest < largest ? (double)NAN : fmax(100 * smallest - 1, 0),
            .y_high = smallest < largest ? (double)NAN : fmin(100 * largest + 1, 100)};
        code = plot_curves(path, &axes, curves, 2);
    }
    memory_release(x);
    memory_release(y);
    return code;
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* clang-format off */
const result_entry measured_results[] = {
    RESULT(measured, epoch, "after so many epochs"),
    RESULT(measured, log_likelihood, "per sample"),
    RESULT(measured, log_likelihood_error, "its standard error"),
    RESULT(measured, beta, "inverse temperature"),
    RESULT(measured, capture, "mean share of a sample in the span of W"),
    RESULT(measured, singular_largest, "largest singular value of W"),
    RESULT(measured, singular_smallest, "smallest"),
    RESULT(measured, singular_mean_log, "mean of their logarithms"),
    RESULT(measured, orthogonality_error, "largest entry of W'W - 1"),
    RESULT(measured, patterns, "patterns that unmap finds by relaxation, each once, or null"),
    RESULT(measured, fixed_points, "those that are fixed points of J = WW', or null"),
    RESULT(measured, recall, "share of the samples recalled by the network of these patterns, as published, or null"),
    {.key = NULL}};
/* clang-format on */
