/* run_directory.c - training that can be killed at any moment
 *
 * SPDX-License-Identifier: MIT
 *
 * What is trained is a table of functions; the directory, when to save and how to resume are
 * handled here, alike for all. The checkpoint is authoritative: results are written before the
 * checkpoint that includes them, so they are never behind it; after a crash they may be ahead, by
 * an epoch that will be repeated with the same bits. run.json is written before the first
 * checkpoint, so that a directory without a checkpoint still says how to begin.
 *
 * Of several ranks, rank 0 alone looks into the directory, and tells the others what it found.
 */
#include "train/run_directory.h"

#include <inttypes.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/ranks.h"

static const char lock_name[] = "run.lock";
static const char *const file_names[ISG_RUN_FILES] = {[ISG_RUN_MODEL] = "model.npz",
                                                      [ISG_RUN_BEST] = "best.npz",
                                                      [ISG_RUN_TABLE] = "epochs.csv",
                                                      [ISG_RUN_CHECKPOINT] = "checkpoint-1.npz",
                                                      [ISG_RUN_CHECKPOINT + 1] = "checkpoint-2.npz",
                                                      [ISG_RUN_SETTINGS] = "run.json"};

enum { SETTINGS_BYTES = 1 << 20 }; /* more than any run.json needs */

/* ---- opening ---------------------------------------------------------------------------------- */

static isg_status join(char **out, const isg_run *run, const char *name) {
    *out = isg_join_path(run->path, name);
    return *out ? ISG_OK : ISG_ERR_MEMORY;
}

static isg_status set_paths(isg_run *run, const char *path) {
    run->path = isg_copy_text(path);
    if (!run->path)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < ISG_RUN_FILES; k++)
        ISG_TRY(join(&run->files[k], run, file_names[k]));
    return ISG_OK;
}

static isg_status lock_directory(isg_run *run) {
    char *path = NULL;
    ISG_TRY(join(&path, run, lock_name));
    const isg_status status = isg_lock_acquire(&run->lock, path);
    isg_release(path);
    return status;
}

/* Lists the directory's files, and removes those that a killed process left half written. */
static void look_around(isg_run *run) {
    for (size_t k = 0; k < ISG_RUN_FILES; k++) {
        isg_remove_temporaries(run->path, file_names[k]);
        if (isg_path_exists(run->files[k]))
            run->in_the_way = run->files[k];
    }
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        run->has_checkpoint |= isg_path_exists(run->files[ISG_RUN_CHECKPOINT + k]);
}

static isg_status read_settings(isg_run *run) {
    isg_file *file = NULL;
    char *text = NULL;
    isg_status status = ISG_OK;
    const char *path = run->files[ISG_RUN_SETTINGS];
    if (!isg_path_exists(path))
        return ISG_OK;
    ISG_TRY(isg_file_open(&file, path));
    const uint64_t size = isg_file_size(file);
    if (size > SETTINGS_BYTES)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_FORMAT, "%s: expected at most %d bytes, found %" PRIu64, path,
                              SETTINGS_BYTES, size));
    ISG_TRY_GOTO(ISG_ALLOCATE(text, (size_t)size + 1));
    ISG_TRY_GOTO(isg_file_read_at(file, 0, text, (size_t)size));
    run->settings = text;
    text = NULL;
done:
    isg_release(text);
    isg_file_close(file);
    return status;
}

static isg_status look_inside(isg_run *run, bool may_create) {
    if (may_create)
        ISG_TRY(isg_directory_create(run->path, &run->is_new_directory));
    else if (!isg_path_exists(run->path))
        return isg_fail(ISG_ERR_IO, "%s: no such directory", run->path);
    ISG_TRY(lock_directory(run));
    look_around(run);
    return read_settings(run);
}

static isg_status tell_others(isg_run *run) {
    struct {
        size_t in_the_way; /* ISG_RUN_FILES: nothing is */
        bool has_checkpoint, has_settings;
    } found = {0, run->has_checkpoint, run->settings != NULL};
    while (found.in_the_way < ISG_RUN_FILES && run->files[found.in_the_way] != run->in_the_way)
        found.in_the_way++;
    isg_broadcast(&found, sizeof found);
    run->in_the_way = found.in_the_way < ISG_RUN_FILES ? run->files[found.in_the_way] : NULL;
    run->has_checkpoint = found.has_checkpoint;
    if (!found.has_settings)
        return ISG_OK;
    size_t size = run->settings ? strlen(run->settings) + 1 : 0;
    void *text = run->settings;
    ISG_TRY(isg_broadcast_buffer(&text, &size));
    run->settings = text;
    return ISG_OK;
}

static isg_status open_directory(isg_run *run, const char *path, bool may_create) {
    isg_status status = set_paths(run, path);
    if (status == ISG_OK && isg_rank() == 0)
        status = look_inside(run, may_create);
    ISG_TRY(isg_ranks_agree(status));
    return tell_others(run);
}

isg_status isg_run_open(isg_run **out, const char *path, bool may_create) {
    isg_run *run = NULL;
    ISG_TRY(ISG_ALLOCATE(run, 1));
    const isg_status status = path ? open_directory(run, path, may_create) : ISG_OK;
    if (status == ISG_OK)
        *out = run;
    else
        isg_run_close(run);
    return status;
}

static void forget_training(isg_run *run) {
    if (run->trainee && run->trainee->release)
        run->trainee->release(run->self);
    run->trainee = NULL;
    run->self = NULL;
}

void isg_run_leave(isg_run *run) {
    isg_lock_release(run->lock);
    if (run->is_new_directory) /* and the run was never begun */
        isg_directory_remove(run->path);
    for (size_t k = 0; k < ISG_RUN_FILES; k++) {
        isg_release(run->files[k]);
        run->files[k] = NULL;
    }
    isg_release(run->path);
    run->path = NULL;
    run->lock = NULL;
    run->in_the_way = NULL; /* one of the names just released */
    run->is_new_directory = run->has_checkpoint = false;
}

void isg_run_close(isg_run *run) {
    if (!run)
        return;
    forget_training(run);
    isg_run_leave(run);
    isg_release(run->settings);
    isg_release(run);
}

isg_run_info isg_run_describe(const isg_run *run) {
    isg_run_info info = {.settings = run->settings,
                         .in_the_way = run->in_the_way,
                         .has_checkpoint = run->has_checkpoint,
                         .remark = run->remark[0] ? run->remark : NULL,
                         .seconds = run->seconds};
    if (run->trainee)
        run->trainee->describe(run->self, &info);
    return info;
}

static isg_train_state state_of(const isg_run *run) {
    return isg_run_describe(run).state;
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
    const isg_status status =
        run->path ? isg_write_file(run->files[ISG_RUN_SETTINGS], settings, length) : ISG_OK;
    if (status != ISG_OK) {
        isg_release(copy);
        return status;
    }
    isg_release(run->settings);
    run->settings = copy;
    return ISG_OK;
}

static void note_save(isg_run *run) {
    run->saved_updates = state_of(run).updates;
    run->saved_s = isg_clock_s();
}

/* In this order, see above. */
isg_status isg_run_save(isg_run *run) {
    const bool writes = run->path && isg_rank() == 0;
    if (writes && run->trainee->write_results)
        ISG_TRY(run->trainee->write_results(run->self, false));
    if (writes)
        ISG_TRY(isg_run_write_checkpoint(run));
    note_save(run);
    return ISG_OK;
}

/* ---- training --------------------------------------------------------------------------------- */

static isg_status set_pace(isg_run *run, double save_every_s) {
    run->save_every_s = save_every_s;
    return save_every_s >= 0 ? ISG_OK
                             : isg_fail(ISG_ERR_ARGUMENT,
                                        "save_every_s: expected seconds, found %g", save_every_s);
}

/* An old checkpoint must be removed before run.json changes, and so must a best model, which the new
   training may never write. */
static isg_status write_start(isg_run *run, const char *settings) {
    if (run->path)
        ISG_TRY(isg_remove_file(run->files[ISG_RUN_BEST]));
    for (size_t k = 0; run->path && k < ISG_GENERATIONS; k++)
        ISG_TRY(isg_remove_file(run->files[ISG_RUN_CHECKPOINT + k]));
    ISG_TRY(isg_run_set_settings(run, settings));
    return isg_run_save(run);
}

isg_status isg_run_start(isg_run *run, const char *settings, const isg_trainee *trainee, void *self,
                         double save_every_s) {
    forget_training(run);
    ISG_TRY(set_pace(run, save_every_s));
    run->seconds = 0;
    run->saves = run->next_slot = 0;
    run->remark[0] = '\0';
    run->trainee = trainee;
    run->self = self;
    const isg_status status = write_start(run, settings);
    if (status != ISG_OK) { /* it stays the caller's */
        run->trainee = NULL;
        run->self = NULL;
    }
    return status;
}

isg_status isg_run_continue(isg_run *run, const isg_trainee *trainee, void *self,
                            double save_every_s) {
    forget_training(run);
    ISG_TRY(set_pace(run, save_every_s));
    if (!run->path)
        return isg_fail(ISG_ERR_ARGUMENT, "a run without a directory cannot be resumed");
    ISG_TRY(isg_run_restore(run, trainee, self));
    /* Files that were removed from the directory are written again. */
    if (trainee->write_results && isg_rank() == 0)
        ISG_TRY(trainee->write_results(self, true));
    run->trainee = trainee;
    run->self = self;
    note_save(run);
    return ISG_OK;
}

/* Wraps the caller's progress, so that an epoch can also be interrupted for saving. */
typedef struct watch {
    const isg_run *run;
    const isg_progress *progress;
    uint64_t updates; /* wanted */
    uint64_t seen;    /* done at the last report; within an update there is nothing new to save */
    bool is_cancelled;
} watch;

static bool is_save_due(const isg_run *run, double after_s) {
    return isg_clock_s() - run->saved_s >= after_s;
}

static bool keep_watch(void *user, double fraction) {
    watch *mine = user;
    const isg_progress *theirs = mine->progress;
    (void)fraction; /* of the epoch */
    const uint64_t done = state_of(mine->run).updates;
    const bool is_new = done > mine->seen;
    mine->seen = done;
    mine->is_cancelled =
        theirs && !theirs->report(theirs->user, (double)done / (double)mine->updates);
    return !mine->is_cancelled && !(is_new && is_save_due(mine->run, mine->run->save_every_s));
}

/* Trains until an epoch ends, of all or of a part, or until it is time to save or to cancel, which
   both give ISG_ERR_CANCELLED. */
static isg_status train_on(isg_run *run, watch *mine, bool *is_end) {
    const isg_progress callback = {keep_watch, mine};
    const uint64_t epochs = state_of(run).epochs;
    const double started_s = isg_clock_s();
    mine->seen = state_of(run).updates;
    const isg_status status = run->trainee->train(run->self, mine->updates, &callback);
    run->seconds += isg_clock_s() - started_s;
    *is_end = state_of(run).epochs > epochs;
    if (*is_end && run->trainee->end_epoch)
        run->trainee->end_epoch(run->self, run->seconds);
    return status;
}

isg_status isg_run_train_updates(isg_run *run, uint64_t updates, const isg_progress *progress) {
    watch mine = {.run = run, .progress = progress, .updates = updates};
    isg_status status = ISG_OK;
    if (!run->trainee)
        return isg_fail(ISG_ERR_ARGUMENT, "the training was neither begun nor resumed");
    /* Saving waits for the disk: after every epoch of a millisecond, it would take nearly all the
       time. */
    const double pause_s = run->save_every_s < 1 ? run->save_every_s : 1;
    while (status == ISG_OK && state_of(run).updates < updates && !isg_run_describe(run).is_over) {
        bool is_end = false;
        if (mine.is_cancelled) {
            status = isg_fail(ISG_ERR_CANCELLED, "training was cancelled");
            break;
        }
        status = train_on(run, &mine, &is_end);
        if (status == ISG_ERR_CANCELLED && !mine.is_cancelled)
            status = isg_run_save(run);
        else if (status == ISG_OK && is_save_due(run, is_end ? pause_s : run->save_every_s))
            status = isg_run_save(run);
    }
    const bool is_saved = run->saved_updates == state_of(run).updates;
    const bool can_save =
        status == ISG_OK || status == ISG_ERR_CANCELLED || status == ISG_ERR_DIVERGED;
    if (can_save && !is_saved)
        ISG_TRY(isg_run_save(run));
    return status;
}

isg_status isg_run_train(isg_run *run, uint64_t epochs, const isg_progress *progress) {
    const uint64_t n_batches = state_of(run).n_batches;
    const bool is_finite = n_batches == 0 || epochs <= UINT64_MAX / n_batches;
    return isg_run_train_updates(run, is_finite ? epochs * n_batches : UINT64_MAX, progress);
}
