/* run_directory.c - training that survives anything
 *
 * SPDX-License-Identifier: MIT
 *
 * The checkpoint is the truth: model.npz and epochs.csv are written before the checkpoint that knows
 * of them, so they are never behind it, and after a crash at most ahead, of an epoch that will be
 * done again to the same bits. run.json comes before the first checkpoint, so that whoever finds no
 * checkpoint knows how to begin.
 */
#include "train/run_directory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

static const char settings_name[] = "run.json", model_name[] = "model.npz",
                  table_name[] = "epochs.csv", lock_name[] = "run.lock",
                  classifier_name[] = "classifier.npz"; /* of 'isinglass classify' */
static const char *const checkpoint_names[ISG_GENERATIONS] = {"checkpoint-1.npz",
                                                              "checkpoint-2.npz"};
static const char table_header[] =
    "epoch,updates,seconds,reconstruction_error,log_likelihood,log_likelihood_error\n";

enum { SETTINGS_BYTES = 1 << 20 }; /* more than any run.json needs */

isg_run_options isg_run_defaults(void) {
    return (isg_run_options){.train = isg_train_defaults(), .save_every_s = 30};
}

/* ---- opening ---------------------------------------------------------------------------------- */

static isg_status join(char **out, const isg_run *run, const char *name) {
    *out = isg_join_path(run->path, name);
    return *out ? ISG_OK : ISG_ERR_MEMORY;
}

static isg_status set_paths(isg_run *run, const char *path) {
    run->path = isg_copy_text(path);
    if (!run->path)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        ISG_TRY(join(&run->checkpoint_paths[k], run, checkpoint_names[k]));
    ISG_TRY(join(&run->model_path, run, model_name));
    ISG_TRY(join(&run->table_path, run, table_name));
    return join(&run->settings_path, run, settings_name);
}

static isg_status lock_directory(isg_run *run) {
    char *path = NULL;
    ISG_TRY(join(&path, run, lock_name));
    const isg_status status = isg_lock_acquire(&run->lock, path);
    isg_release(path);
    return status;
}

/* What a killed process was in the middle of writing. */
static void tidy(const isg_run *run) {
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        isg_remove_temporaries(run->path, checkpoint_names[k]);
    isg_remove_temporaries(run->path, model_name);
    isg_remove_temporaries(run->path, table_name);
    isg_remove_temporaries(run->path, settings_name);
    isg_remove_temporaries(run->path, classifier_name);
}

static isg_status read_settings(isg_run *run) {
    isg_file *file = NULL;
    char *text = NULL;
    isg_status status = ISG_OK;
    if (!isg_path_exists(run->settings_path))
        return ISG_OK;
    ISG_TRY(isg_file_open(&file, run->settings_path));
    const uint64_t size = isg_file_size(file);
    if (size > SETTINGS_BYTES)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected at most %d bytes, found %" PRIu64,
                              run->settings_path, SETTINGS_BYTES, size));
    ISG_TRY_GOTO(ISG_ALLOCATE(text, (size_t)size + 1));
    ISG_TRY_GOTO(isg_file_read_at(file, 0, text, (size_t)size));
    run->settings = text;
    text = NULL;
done:
    isg_release(text);
    isg_file_close(file);
    return status;
}

static void look_around(isg_run *run) {
    const char *const paths[] = {run->model_path, run->table_path, run->checkpoint_paths[0],
                                 run->checkpoint_paths[1], run->settings_path};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++)
        if (isg_path_exists(paths[k]))
            run->in_the_way = paths[k];
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        run->has_checkpoint |= isg_path_exists(run->checkpoint_paths[k]);
}

isg_status isg_run_open(isg_run **out, const char *path, bool may_create) {
    isg_run *run = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(run, 1));
    ISG_TRY_GOTO(set_paths(run, path));
    if (may_create)
        ISG_TRY_GOTO(isg_directory_create(path, &run->is_new_directory));
    else if (!isg_path_exists(path))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_IO, "%s: there is no such directory", path));
    ISG_TRY_GOTO(lock_directory(run));
    tidy(run);
    look_around(run);
    ISG_TRY_GOTO(read_settings(run));
    *out = run;
    return ISG_OK;
done:
    isg_run_close(run);
    return status;
}

static void forget_training(isg_run *run) {
    isg_trainer_free(run->trainer);
    isg_rbm_free(run->rbm);
    isg_release(run->command);
    isg_release(run->rows);
    run->trainer = NULL;
    run->rbm = NULL;
    run->command = NULL;
    run->rows = NULL;
    run->n_rows = run->capacity = 0;
}

void isg_run_close(isg_run *run) {
    if (!run)
        return;
    forget_training(run);
    isg_lock_release(run->lock);
    if (run->is_new_directory) /* and nothing came of it */
        isg_directory_remove(run->path);
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        isg_release(run->checkpoint_paths[k]);
    isg_release(run->settings_path);
    isg_release(run->model_path);
    isg_release(run->table_path);
    isg_release(run->settings);
    isg_release(run->path);
    isg_release(run);
}

isg_run_info isg_run_describe(const isg_run *run) {
    isg_run_info info = {.settings = run->settings,
                         .in_the_way = run->in_the_way,
                         .has_checkpoint = run->has_checkpoint,
                         .remark = run->remark[0] ? run->remark : NULL,
                         .seconds = run->seconds,
                         .rows = run->rows,
                         .n_rows = run->n_rows};
    if (run->trainer)
        info.state = isg_trainer_describe(run->trainer);
    return info;
}

isg_rbm *isg_run_rbm(isg_run *run) {
    return run->rbm;
}

/* ---- writing ---------------------------------------------------------------------------------- */

isg_status isg_run_set_settings(isg_run *run, const char *settings) {
    const size_t length = strlen(settings);
    if (length > SETTINGS_BYTES)
        return isg_fail(ISG_ERR_ARGUMENT, "settings: expected at most %d bytes, found %zu",
                        SETTINGS_BYTES, length);
    char *copy = isg_copy_text(settings);
    if (!copy)
        return ISG_ERR_MEMORY;
    const isg_status status = isg_write_file(run->settings_path, settings, length);
    if (status != ISG_OK) {
        isg_release(copy);
        return status;
    }
    isg_release(run->settings);
    run->settings = copy;
    return ISG_OK;
}

/* A cell of epochs.csv with the comma before it. */
static isg_status write_cell(isg_atomic_file *file, double value) {
    char cell[ISG_NUMBER_ROOM + 1] = ",";
    if (!isnan(value))
        isg_format_number(cell + 1, ISG_NUMBER_ROOM, value);
    return isg_atomic_file_write(file, cell, strlen(cell));
}

static isg_status write_row(isg_atomic_file *file, const isg_run_row *row) {
    char begin[64];
    const int length =
        snprintf(begin, sizeof begin, "%" PRIu64 ",%" PRIu64, row->epoch, row->updates);
    ISG_TRY(isg_atomic_file_write(file, begin, (size_t)length));
    ISG_TRY(write_cell(file, round(1000 * row->seconds) / 1000));
    ISG_TRY(write_cell(file, row->reconstruction_error));
    ISG_TRY(write_cell(file, row->log_likelihood));
    ISG_TRY(write_cell(file, row->log_likelihood_error));
    return isg_atomic_file_write(file, "\n", 1);
}

static isg_status write_table(const isg_run *run) {
    isg_atomic_file *file = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_atomic_file_create(&file, run->table_path));
    ISG_TRY_GOTO(isg_atomic_file_write(file, table_header, sizeof table_header - 1));
    for (size_t k = 0; k < run->n_rows; k++)
        ISG_TRY_GOTO(write_row(file, run->rows + k));
    ISG_TRY_GOTO(isg_atomic_file_commit(file));
done:
    isg_atomic_file_free(file);
    return status;
}

static isg_status save_model(const isg_run *run) {
    return isg_rbm_save(run->rbm, run->model_path, run->seed, run->command);
}

/* In this order, see above. */
static isg_status save(isg_run *run) {
    ISG_TRY(save_model(run));
    ISG_TRY(write_table(run));
    ISG_TRY(isg_run_write_checkpoint(run));
    run->saved_updates = isg_trainer_describe(run->trainer).updates;
    run->saved_s = isg_clock_s();
    return ISG_OK;
}

/* Before the epoch and not after it, when failing would leave an epoch without its row. */
static isg_status make_room_for_row(isg_run *run) {
    void *rows = run->rows;
    ISG_TRY(isg_grow(&rows, &run->capacity, run->n_rows + 1, sizeof *run->rows));
    run->rows = rows;
    return ISG_OK;
}

static void add_row(isg_run *run, uint64_t epoch, uint64_t updates, double error) {
    const double unknown = (double)NAN;
    run->rows[run->n_rows++] = (isg_run_row){epoch, updates, run->seconds, error, unknown, unknown};
}

/* ---- training --------------------------------------------------------------------------------- */

static isg_status take_options(isg_run *run, const isg_run_options *options) {
    if (!(options->save_every_s >= 0))
        return isg_fail(ISG_ERR_ARGUMENT, "save_every_s: expected seconds, found %g",
                        options->save_every_s);
    run->command = options->command ? isg_copy_text(options->command) : NULL;
    if (options->command && !run->command)
        return ISG_ERR_MEMORY;
    run->seed = options->train.seed;
    run->save_every_s = options->save_every_s;
    return ISG_OK;
}

/* An old checkpoint must be gone before run.json says something else. */
static isg_status write_start(isg_run *run, const char *settings) {
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        ISG_TRY(isg_remove_file(run->checkpoint_paths[k]));
    ISG_TRY(isg_run_set_settings(run, settings));
    return save(run);
}

isg_status isg_run_begin(isg_run *run, const char *settings, isg_rbm *rbm, const isg_dataset *data,
                         const isg_run_options *options) {
    isg_status status = ISG_OK;
    forget_training(run);
    run->seconds = 0;
    run->saves = run->next_slot = 0;
    run->remark[0] = '\0';
    ISG_TRY_GOTO(take_options(run, options));
    ISG_TRY_GOTO(make_room_for_row(run));
    add_row(run, 0, 0, (double)NAN);
    ISG_TRY_GOTO(isg_trainer_create(&run->trainer, rbm, data, &options->train));
    run->rbm = rbm;
    ISG_TRY_GOTO(write_start(run, settings));
    return ISG_OK;
done:
    run->rbm = NULL; /* it stays the caller's */
    forget_training(run);
    return status;
}

/* What somebody removed from the directory is written again. */
static isg_status complete(const isg_run *run) {
    if (!isg_path_exists(run->model_path))
        ISG_TRY(save_model(run));
    return isg_path_exists(run->table_path) ? ISG_OK : write_table(run);
}

isg_status isg_run_resume(isg_run *run, const isg_dataset *data, const isg_run_options *options) {
    isg_status status = ISG_OK;
    forget_training(run);
    ISG_TRY_GOTO(take_options(run, options));
    ISG_TRY_GOTO(isg_run_restore(run, data, &options->train));
    ISG_TRY_GOTO(complete(run));
    run->saved_updates = isg_trainer_describe(run->trainer).updates;
    run->saved_s = isg_clock_s();
    return ISG_OK;
done:
    forget_training(run);
    return status;
}

/* Stands between the trainer and the caller's progress: an epoch is also interrupted to be saved. */
typedef struct watch {
    const isg_run *run;
    const isg_progress *progress;
    double epochs_done, epochs_wanted;
    bool is_cancelled;
} watch;

static bool is_save_due(const isg_run *run, double after_s) {
    return isg_clock_s() - run->saved_s >= after_s;
}

static bool keep_watch(void *user, double fraction) {
    watch *mine = user;
    const isg_progress *theirs = mine->progress;
    const double all = (mine->epochs_done + fraction) / mine->epochs_wanted;
    mine->is_cancelled = theirs && !theirs->report(theirs->user, all);
    return !mine->is_cancelled && !is_save_due(mine->run, mine->run->save_every_s);
}

/* The rest of an epoch, or as much of it as goes by before it is to be saved or cancelled, which
   both give ISG_ERR_CANCELLED. */
static isg_status train_on(isg_run *run, watch *mine) {
    const isg_progress callback = {keep_watch, mine};
    isg_epoch_report report;
    ISG_TRY(make_room_for_row(run));
    mine->epochs_done = (double)isg_trainer_describe(run->trainer).epochs;
    const double started_s = isg_clock_s();
    const isg_status status = isg_trainer_epoch(run->trainer, &report, &callback);
    run->seconds += isg_clock_s() - started_s;
    if (status == ISG_OK)
        add_row(run, report.epoch, report.updates, report.reconstruction_error);
    return status;
}

isg_status isg_run_train(isg_run *run, uint64_t epochs, const isg_progress *progress) {
    watch mine = {.run = run, .progress = progress, .epochs_wanted = (double)epochs};
    isg_status status = ISG_OK;
    if (!run->trainer)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: the training was neither begun nor resumed",
                        run->path);
    /* Saving waits for the disk: after every epoch of a millisecond it would be all there is. */
    const double pause_s = run->save_every_s < 1 ? run->save_every_s : 1;
    while (status == ISG_OK && isg_trainer_describe(run->trainer).epochs < epochs) {
        if (mine.is_cancelled) {
            status = isg_fail(ISG_ERR_CANCELLED, "training was cancelled");
            break;
        }
        status = train_on(run, &mine);
        if (status == ISG_ERR_CANCELLED && !mine.is_cancelled)
            status = save(run);
        else if (status == ISG_OK && is_save_due(run, pause_s))
            status = save(run);
    }
    const bool is_saved = run->saved_updates == isg_trainer_describe(run->trainer).updates;
    const bool can_save =
        status == ISG_OK || status == ISG_ERR_CANCELLED || status == ISG_ERR_DIVERGED;
    if (can_save && !is_saved)
        ISG_TRY(save(run));
    return status;
}

isg_status isg_run_set_score(isg_run *run, double value, double error) {
    if (!run->trainer || isg_trainer_describe(run->trainer).batch != 0)
        return isg_fail(ISG_ERR_ARGUMENT, "%s: expected an epoch that has just been finished",
                        run->path);
    isg_run_row *row = run->rows + run->n_rows - 1;
    row->log_likelihood = value;
    row->log_likelihood_error = error;
    return save(run);
}
