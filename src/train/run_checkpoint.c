/* run_checkpoint.c - the checkpoints of a run, in two generations
 *
 * SPDX-License-Identifier: MIT
 *
 * A checkpoint is one .npz file with all that is needed: what isg_trainer_save() writes, the rest of
 * the model (beta, xi, labels, R, meta.json), so that isg_rbm_load() opens it as well, and of the run
 * `epochs` (rows of epochs.csv), `seconds` and `saves`, which tells the newer file of two. They are
 * written in turn, each replaced whole, so that a file can only be damaged after it was good, and
 * then there is the other one.
 */
#include "train/run_directory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "rbm/rbm.h"
#include "train/train.h"

enum { COLUMNS = 6 };

/* ---- writing ---------------------------------------------------------------------------------- */

static isg_status write_rows(const isg_run *run, isg_npz_writer *writer) {
    const isg_array_type type =
        isg_array_type_of(ISG_FLOAT64, 2, (const size_t[]){run->n_rows, COLUMNS});
    double *numbers = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(numbers, run->n_rows, COLUMNS));
    for (size_t k = 0; k < run->n_rows; k++) {
        const isg_run_row *row = run->rows + k;
        const double cells[COLUMNS] = {(double)row->epoch,  (double)row->updates,
                                       row->seconds,        row->reconstruction_error,
                                       row->log_likelihood, row->log_likelihood_error};
        memcpy(numbers + k * COLUMNS, cells, sizeof cells);
    }
    const isg_status status = isg_npz_writer_add_array(writer, "epochs", &type, numbers);
    isg_release(numbers);
    return status;
}

static isg_status write_checkpoint(const isg_run *run, isg_npz_writer *writer) {
    const isg_array_type real = isg_array_type_of(ISG_FLOAT64, 0, NULL);
    const isg_array_type whole = isg_array_type_of(ISG_UINT64, 0, NULL);
    ISG_TRY(isg_trainer_write(run->trainer, writer, ""));
    ISG_TRY(isg_rbm_write_rest(run->rbm, run->seed, run->command, writer));
    ISG_TRY(isg_npz_writer_add_array(writer, "seconds", &real, &run->seconds));
    ISG_TRY(isg_npz_writer_add_array(writer, "saves", &whole, &run->saves));
    return write_rows(run, writer);
}

isg_status isg_run_write_checkpoint(isg_run *run) {
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, run->checkpoint_paths[run->next_slot]));
    ISG_TRY_GOTO(write_checkpoint(run, writer));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
    run->saves++;
    run->next_slot = (run->next_slot + 1) % ISG_GENERATIONS;
done:
    isg_npz_writer_free(writer);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* What a checkpoint holds, complete and checked before any of it is used. */
typedef struct snapshot {
    isg_rbm *rbm;
    isg_trainer *trainer;
    isg_run_row *rows;
    size_t n_rows;
    double seconds;
    uint64_t saves;
} snapshot;

static void release_snapshot(snapshot *shot) {
    isg_trainer_free(shot->trainer);
    isg_rbm_free(shot->rbm);
    isg_release(shot->rows);
    *shot = (snapshot){.rbm = NULL};
}

static isg_status read_saves(uint64_t *out, isg_zip *zip) {
    isg_array_type type;
    int64_t *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(zip, "saves", &type, &numbers));
    if (isg_array_count(&type) != 1 || numbers[0] < 0)
        status = isg_fail(ISG_ERR_FORMAT, "%s: saves: expected a number", isg_zip_file_name(zip));
    else
        *out = (uint64_t)numbers[0];
    isg_release(numbers);
    return status;
}

static isg_status read_seconds(double *out, isg_zip *zip) {
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, "seconds", &type, &numbers));
    if (isg_array_count(&type) != 1 || !(numbers[0] >= 0))
        status = isg_fail(ISG_ERR_FORMAT, "%s: seconds: expected a number", isg_zip_file_name(zip));
    else
        *out = numbers[0];
    isg_release(numbers);
    return status;
}

/* Row k is of epoch k, and there is one for the start and for every epoch that is finished. */
static isg_status read_rows(snapshot *shot, isg_zip *zip) {
    const isg_train_state state = isg_trainer_describe(shot->trainer);
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(zip, "epochs", &type, &numbers));
    bool is_whole = type.n_dims == 2 && type.dims[1] == COLUMNS && type.dims[0] > state.epochs &&
                    type.dims[0] - 1 == state.epochs;
    shot->n_rows = is_whole ? type.dims[0] : 0;
    ISG_TRY_GOTO(ISG_ALLOCATE(shot->rows, shot->n_rows));
    for (size_t k = 0; k < shot->n_rows && is_whole; k++) {
        const double *cells = numbers + k * COLUMNS;
        const uint64_t updates = k * (uint64_t)state.n_batches;
        is_whole = cells[0] == (double)k && cells[1] == (double)updates && cells[2] >= 0;
        shot->rows[k] = (isg_run_row){k, updates, cells[2], cells[3], cells[4], cells[5]};
    }
    if (!is_whole)
        status = isg_fail(ISG_ERR_FORMAT, "%s: epochs: not a row for each of %" PRIu64 " epochs",
                          isg_zip_file_name(zip), state.epochs);
done:
    isg_release(numbers);
    return status;
}

static isg_status read_snapshot(snapshot *shot, isg_zip *zip, const isg_dataset *data,
                                const isg_train_options *options) {
    ISG_TRY(read_saves(&shot->saves, zip));
    ISG_TRY(read_seconds(&shot->seconds, zip));
    ISG_TRY(isg_rbm_read(&shot->rbm, zip));
    ISG_TRY(isg_trainer_create(&shot->trainer, shot->rbm, data, options));
    ISG_TRY(isg_trainer_load(shot->trainer, isg_zip_file_name(zip)));
    return read_rows(shot, zip);
}

static isg_status load(snapshot *shot, const char *path, const isg_dataset *data,
                       const isg_train_options *options) {
    isg_zip *zip = NULL;
    isg_status status = isg_zip_open_path(&zip, path);
    if (status == ISG_OK)
        status = read_snapshot(shot, zip, data, options);
    if (status != ISG_OK)
        release_snapshot(shot);
    isg_zip_close(zip);
    return status;
}

static isg_status look_up_saves(uint64_t *out, const char *path) {
    isg_zip *zip = NULL;
    isg_status status = isg_zip_open_path(&zip, path);
    if (status == ISG_OK)
        status = read_saves(out, zip);
    isg_zip_close(zip);
    return status;
}

/* ---- choosing --------------------------------------------------------------------------------- */

/* One of the files, and what became of it. */
typedef struct generation {
    uint64_t saves;
    isg_status status;
    bool is_there, was_tried;
    char sentence[ISG_REMARK_BYTES / 2]; /* why not, if it is there and `status` says so */
} generation;

static void blame(generation *one, isg_status status) {
    one->status = status;
    snprintf(one->sentence, sizeof one->sentence, "%s", isg_error_message());
}

/* The newest file that was neither tried nor is known to be damaged; ISG_GENERATIONS if none is. */
static size_t newest(const generation *all) {
    size_t best = ISG_GENERATIONS;
    for (size_t k = 0; k < ISG_GENERATIONS; k++) {
        const bool can_be = all[k].is_there && !all[k].was_tried && all[k].status == ISG_OK;
        if (can_be && (best == ISG_GENERATIONS || all[k].saves > all[best].saves))
            best = k;
    }
    return best;
}

/* All files that are there were of no use: what the newest has to say counts, as far as known. */
static isg_status refuse(const isg_run *run, const generation *all, size_t last_tried) {
    const size_t other = (last_tried + 1) % ISG_GENERATIONS;
    if (!all[last_tried].is_there)
        return isg_fail(ISG_ERR_IO, "%s: has no checkpoint to go on from", run->path);
    if (!all[other].is_there || all[last_tried].status == ISG_ERR_SHAPE)
        return isg_fail(all[last_tried].status, "%s", all[last_tried].sentence);
    return isg_fail(all[last_tried].status, "neither checkpoint can be used: %s; %s",
                    all[last_tried].sentence, all[other].sentence);
}

/* The run becomes what the snapshot is, which is empty afterwards. */
static void adopt(isg_run *run, snapshot *shot, const generation *all, size_t slot) {
    const size_t other = (slot + 1) % ISG_GENERATIONS;
    run->rbm = shot->rbm;
    run->trainer = shot->trainer;
    isg_release(run->rows);
    run->rows = shot->rows;
    run->n_rows = run->capacity = shot->n_rows;
    run->seconds = shot->seconds;
    run->saves = shot->saves + 1;
    run->next_slot = other;
    run->remark[0] = '\0';
    if (all[other].is_there && all[other].status != ISG_OK) {
        const isg_train_state state = isg_trainer_describe(run->trainer);
        snprintf(run->remark, sizeof run->remark,
                 "%s; going on from the other checkpoint, after update %" PRIu64,
                 all[other].sentence, state.updates);
    }
}

isg_status isg_run_restore(isg_run *run, const isg_dataset *data,
                           const isg_train_options *options) {
    generation all[ISG_GENERATIONS];
    memset(all, 0, sizeof all);
    size_t tried = 0;
    for (size_t k = 0; k < ISG_GENERATIONS; k++) {
        all[k].is_there = isg_path_exists(run->checkpoint_paths[k]);
        const isg_status status =
            all[k].is_there ? look_up_saves(&all[k].saves, run->checkpoint_paths[k]) : ISG_OK;
        if (status == ISG_ERR_MEMORY)
            return status;
        if (status != ISG_OK)
            blame(all + k, status);
        if (all[k].is_there)
            tried = k;
    }
    for (size_t k = newest(all); k < ISG_GENERATIONS; k = newest(all)) {
        snapshot shot = {.rbm = NULL};
        const isg_status status = load(&shot, run->checkpoint_paths[k], data, options);
        if (status == ISG_ERR_MEMORY || status == ISG_ERR_ARGUMENT)
            return status;
        if (status == ISG_OK) {
            adopt(run, &shot, all, k);
            return ISG_OK;
        }
        if (!all[tried].was_tried)
            tried = k;
        all[k].was_tried = true;
        blame(all + k, status);
    }
    return refuse(run, all, tried);
}
