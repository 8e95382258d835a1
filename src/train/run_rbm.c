/* run_rbm.c - the run of one RBM
 *
 * SPDX-License-Identifier: MIT
 *
 * A checkpoint has what isg_trainer_save() writes, the rest of the model (beta, xi, labels, R,
 * meta.json), so that isg_rbm_load() opens it as well, and `epochs`, the rows of epochs.csv; with
 * validation data also the best RBM so far, since best.npz may be ahead.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/number.h"
#include "train/run_directory.h"

static const char table_header[] =
    "epoch,updates,seconds,reconstruction_error,log_likelihood,log_likelihood_error";
static const char validation_header[] =
    ",validation_pseudo_likelihood,validation_gap,validation_log_likelihood";

enum {
    COLUMNS = 6,
    MOST_COLUMNS = 8
}; /* with validation data; its likelihood follows from the gap */

isg_run_options isg_run_defaults(void) {
    return (isg_run_options){.train = isg_train_defaults(), .save_every_s = 30};
}

static void forget_training(isg_run_of_rbm *my) {
    const size_t patience = my->validation.patience;
    isg_validation_release(&my->validation);
    my->validation.patience = patience;
    isg_trainer_free(my->trainer);
    isg_rbm_free(my->rbm);
    isg_release(my->rows);
    my->trainer = NULL;
    my->rbm = NULL;
    my->rows = NULL;
    my->n_rows = my->capacity = 0;
}

static void release(void *self) {
    isg_run_of_rbm *my = self;
    if (!my)
        return;
    forget_training(my);
    isg_release(my->command);
    isg_release(my);
}

static void describe(const void *self, isg_run_info *info) {
    const isg_run_of_rbm *my = self;
    info->state = my->trainer->state;
    info->rows = my->rows;
    info->n_rows = my->n_rows;
    const isg_validation *validation = &my->validation;
    info->has_equilibrium = my->trainer->equilibrium != NULL;
    info->equilibrium = isg_trainer_equilibrium(my->trainer);
    info->has_validation = validation->data != NULL;
    info->best_epoch = validation->best_epoch;
    info->is_over = info->has_validation && validation->patience > 0 && info->state.batch == 0 &&
                    info->state.epochs - info->best_epoch >= validation->patience;
}

/* ---- training --------------------------------------------------------------------------------- */

static isg_status make_room_for_row(isg_run_of_rbm *my) {
    void *rows = my->rows;
    ISG_TRY(isg_grow(&rows, &my->capacity, my->n_rows + 1, sizeof *my->rows));
    my->rows = rows;
    return ISG_OK;
}

static void add_row(isg_run_of_rbm *my, double seconds, double error) {
    const isg_train_state *state = &my->trainer->state;
    const double unknown = (double)NAN;
    isg_run_row *row = my->rows + my->n_rows++;
    *row = (isg_run_row){state->epochs, state->updates, seconds, error,
                         unknown,       unknown,        unknown, unknown};
    if (my->validation.data)
        isg_validation_measure(&my->validation, my->trainer, row);
}

static isg_status train(void *self, uint64_t updates, const isg_progress *progress) {
    isg_run_of_rbm *my = self;
    /* Now and not after the epoch, when a failure would leave it without its row. */
    ISG_TRY(make_room_for_row(my));
    return isg_trainer_advance(my->trainer, updates - my->trainer->state.updates, progress);
}

static void end_epoch(void *self, double seconds) {
    isg_run_of_rbm *my = self;
    add_row(my, seconds, isg_trainer_reconstruction_error(my->trainer));
}

/* ---- model.npz and epochs.csv ----------------------------------------------------------------- */

/* A cell of epochs.csv with the comma before it. */
static isg_status write_cell(isg_atomic_file *file, double value) {
    char cell[ISG_NUMBER_ROOM + 1] = ",";
    if (!isnan(value))
        isg_format_number(cell + 1, ISG_NUMBER_ROOM, value);
    return isg_atomic_file_write(file, cell, strlen(cell));
}

static isg_status write_row(isg_atomic_file *file, const isg_run_row *row, bool has_validation) {
    char begin[64];
    const int length =
        snprintf(begin, sizeof begin, "%" PRIu64 ",%" PRIu64, row->epoch, row->updates);
    ISG_TRY(isg_atomic_file_write(file, begin, (size_t)length));
    ISG_TRY(write_cell(file, round(1000 * row->seconds) / 1000));
    ISG_TRY(write_cell(file, row->reconstruction_error));
    ISG_TRY(write_cell(file, row->log_likelihood));
    ISG_TRY(write_cell(file, row->log_likelihood_error));
    if (has_validation) {
        ISG_TRY(write_cell(file, row->validation_pseudo_likelihood));
        ISG_TRY(write_cell(file, row->validation_gap));
        ISG_TRY(write_cell(file, row->log_likelihood - row->validation_gap));
    }
    return isg_atomic_file_write(file, "\n", 1);
}

static isg_status write_table(const isg_run_of_rbm *my, const char *path) {
    const bool has_validation = my->validation.data != NULL;
    isg_atomic_file *file = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_atomic_file_create(&file, path));
    ISG_TRY_GOTO(isg_atomic_file_write(file, table_header, sizeof table_header - 1));
    if (has_validation)
        ISG_TRY_GOTO(isg_atomic_file_write(file, validation_header, sizeof validation_header - 1));
    ISG_TRY_GOTO(isg_atomic_file_write(file, "\n", 1));
    for (size_t k = 0; k < my->n_rows; k++)
        ISG_TRY_GOTO(write_row(file, my->rows + k, has_validation));
    ISG_TRY_GOTO(isg_atomic_file_commit(file));
done:
    isg_atomic_file_free(file);
    return status;
}

static isg_status write_results(const void *self, bool only_missing) {
    const isg_run_of_rbm *my = self;
    const char *model = my->run->files[ISG_RUN_MODEL], *table = my->run->files[ISG_RUN_TABLE];
    const char *best = my->run->files[ISG_RUN_BEST];
    /* What is resumed may be behind it. */
    if (my->validation.data && !(only_missing && isg_validation_is_saved(&my->validation, best)))
        ISG_TRY(isg_validation_save(&my->validation, my->rbm, my->seed, my->command, best));
    if (!only_missing || !isg_path_exists(model))
        ISG_TRY(isg_rbm_save(my->rbm, model, my->seed, my->command));
    return only_missing && isg_path_exists(table) ? ISG_OK : write_table(my, table);
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

static isg_status write_rows(const isg_run_of_rbm *my, isg_npz_writer *writer) {
    const size_t columns = my->validation.data ? MOST_COLUMNS : COLUMNS;
    double *numbers = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(numbers, my->n_rows, columns));
    for (size_t k = 0; k < my->n_rows; k++) {
        const isg_run_row *row = my->rows + k;
        const double cells[MOST_COLUMNS] = {(double)row->epoch,
                                            (double)row->updates,
                                            row->seconds,
                                            row->reconstruction_error,
                                            row->log_likelihood,
                                            row->log_likelihood_error,
                                            row->validation_pseudo_likelihood,
                                            row->validation_gap};
        memcpy(numbers + k * columns, cells, columns * sizeof *cells);
    }
    const isg_status status =
        isg_npz_writer_add_doubles(writer, "epochs", numbers, 2, my->n_rows, columns);
    isg_release(numbers);
    return status;
}

static isg_status write_checkpoint(const void *self, isg_npz_writer *writer) {
    const isg_run_of_rbm *my = self;
    ISG_TRY(isg_trainer_write(my->trainer, writer, ""));
    ISG_TRY(isg_rbm_write_rest(my->rbm, my->seed, my->command, writer));
    if (my->validation.data)
        ISG_TRY(isg_validation_write(&my->validation, writer));
    return write_rows(my, writer);
}

/* Row k is for epoch k; row 0 is the start, and every finished epoch has one. */
static isg_status read_rows(isg_run_of_rbm *my, isg_zip *zip) {
    const isg_train_state *state = &my->trainer->state;
    const size_t columns = my->validation.data ? MOST_COLUMNS : COLUMNS;
    const double unknown = (double)NAN;
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, "epochs", &type, &numbers));
    bool is_whole = type.n_dims == 2 && type.dims[1] == columns && type.dims[0] > state->epochs &&
                    type.dims[0] - 1 == state->epochs;
    const size_t n_rows = is_whole ? type.dims[0] : 0;
    ISG_TRY_GOTO(ISG_ALLOCATE(my->rows, n_rows));
    my->n_rows = my->capacity = n_rows;
    for (size_t k = 0; k < n_rows && is_whole; k++) {
        const double *cells = numbers + k * columns;
        const uint64_t updates = k * (uint64_t)state->n_batches;
        is_whole = cells[0] == (double)k && cells[1] == (double)updates && cells[2] >= 0;
        my->rows[k] =
            (isg_run_row){k, updates, cells[2], cells[3], cells[4], cells[5], unknown, unknown};
        if (my->validation.data) {
            my->rows[k].validation_pseudo_likelihood = cells[6];
            my->rows[k].validation_gap = cells[7];
            is_whole = is_whole && isfinite(cells[6]) && isfinite(cells[7]);
        }
    }
    if (!is_whole)
        status = isg_fail(ISG_ERR_FORMAT, "%s: epochs: not a row for each of %" PRIu64 " epochs",
                          isg_zip_file_name(zip), state->epochs);
done:
    isg_release(numbers);
    return status;
}

static isg_status create_validation(isg_run_of_rbm *my) {
    const isg_dataset *data = my->options->validation;
    return data ? isg_validation_create(&my->validation, my->trainer, data) : ISG_OK;
}

static isg_status read_training(isg_run_of_rbm *my, isg_zip *zip) {
    ISG_TRY(isg_rbm_read(&my->rbm, zip));
    ISG_TRY(isg_trainer_create(&my->trainer, my->rbm, my->data, &my->options->train));
    ISG_TRY(isg_trainer_read(my->trainer, zip, ""));
    ISG_TRY(isg_validation_check(my->options->validation, zip));
    ISG_TRY(create_validation(my));
    ISG_TRY(read_rows(my, zip));
    return isg_validation_read(&my->validation, zip, my->rbm->info.beta, my->rows, my->n_rows);
}

static isg_status read_checkpoint(void *self, isg_zip *zip) {
    const isg_status status = read_training(self, zip);
    if (status != ISG_OK)
        forget_training(self);
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static const isg_trainee one_rbm = {.describe = describe,
                                    .train = train,
                                    .end_epoch = end_epoch,
                                    .write_results = write_results,
                                    .write = write_checkpoint,
                                    .read = read_checkpoint,
                                    .release = release};

static isg_status create(isg_run_of_rbm **out, const isg_run *run, const isg_dataset *data,
                         const isg_run_options *options) {
    isg_run_of_rbm *my = NULL;
    ISG_TRY(ISG_ALLOCATE(my, 1));
    my->run = run;
    my->data = data;
    my->options = options;
    my->validation.patience = options->patience;
    my->seed = options->train.seed;
    my->command = options->command ? isg_copy_text(options->command) : NULL;
    if (options->command && !my->command) {
        release(my);
        return ISG_ERR_MEMORY;
    }
    *out = my;
    return ISG_OK;
}

isg_status isg_run_begin(isg_run *run, const char *settings, isg_rbm *rbm, const isg_dataset *data,
                         const isg_run_options *options) {
    const isg_run_options defaults = isg_run_defaults();
    isg_run_of_rbm *my = NULL;
    isg_status status = ISG_OK;
    options = options ? options : &defaults;
    if (rbm == isg_run_rbm(run)) /* which the run would free with the training it replaces */
        return isg_fail(ISG_ERR_ARGUMENT, "the run already owns this RBM; begin with a copy of it");
    ISG_TRY(create(&my, run, data, options));
    ISG_TRY_GOTO(isg_trainer_create(&my->trainer, rbm, data, &options->train));
    ISG_TRY_GOTO(create_validation(my));
    ISG_TRY_GOTO(make_room_for_row(my));
    add_row(my, 0, (double)NAN);
    my->rbm = rbm;
    ISG_TRY_GOTO(isg_run_start(run, settings, &one_rbm, my, options->save_every_s));
    my->options = NULL; /* they are the caller's */
    return ISG_OK;
done:
    my->rbm = NULL; /* it stays the caller's */
    release(my);
    return status;
}

isg_status isg_run_resume(isg_run *run, const isg_dataset *data, const isg_run_options *options) {
    const isg_run_options defaults = isg_run_defaults();
    isg_run_of_rbm *my = NULL;
    options = options ? options : &defaults;
    ISG_TRY(create(&my, run, data, options));
    const isg_status status = isg_run_continue(run, &one_rbm, my, options->save_every_s);
    if (status != ISG_OK) {
        release(my);
        return status;
    }
    my->options = NULL; /* they are the caller's */
    /* A run of an earlier version does not know how its data were read. */
    return isg_rbm_encoding(my->rbm) ? ISG_OK : isg_rbm_set_encoding(my->rbm, data->encoding);
}

isg_rbm *isg_run_rbm(isg_run *run) {
    const isg_run_of_rbm *my = run->self;
    return run->trainee == &one_rbm ? my->rbm : NULL;
}

isg_status isg_run_set_score(isg_run *run, double value, double error) {
    isg_run_of_rbm *my = run->trainee == &one_rbm ? run->self : NULL;
    if (!my || my->trainer->state.batch != 0)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected an epoch that has just been finished, of one RBM");
    isg_run_row *row = my->rows + my->n_rows - 1;
    row->log_likelihood = value;
    row->log_likelihood_error = error;
    return isg_run_save(run);
}
