/* run_checkpoint.c - the checkpoints of a run, in two generations
 *
 * SPDX-License-Identifier: MIT
 *
 * A checkpoint is one .npz file with all that the trainee needs to continue, and the run's
 * `seconds` and `saves`, which tells the newer of the two files. They are written alternately and
 * replaced atomically, so that a file can only be damaged later, and then the other one remains.
 */
#include "train/run_directory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/ranks.h"

/* ---- writing ---------------------------------------------------------------------------------- */

isg_status isg_run_write_checkpoint(isg_run *run) {
    const isg_array_type whole = isg_array_type_of(ISG_UINT64, 0, NULL);
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, run->files[ISG_RUN_CHECKPOINT + run->next_slot]));
    ISG_TRY_GOTO(run->trainee->write(run->self, writer));
    ISG_TRY_GOTO(isg_npz_writer_add_doubles(writer, "seconds", &run->seconds, 0, 0, 0));
    ISG_TRY_GOTO(isg_npz_writer_add_array(writer, "saves", &whole, &run->saves));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
    run->saves++;
    run->next_slot = (run->next_slot + 1) % ISG_GENERATIONS;
done:
    isg_npz_writer_free(writer);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* One of the files, open, and its status. */
typedef struct generation {
    isg_zip *zip;
    uint64_t saves;
    uint64_t order; /* larger is newer: `saves`, or updates if a file has no count */
    double seconds;
    isg_status status;
    bool is_there, was_tried, lacks_count;
    char sentence[ISG_REMARK_BYTES / 2]; /* why it cannot be used, if it exists and `status` is an
                                            error */
} generation;

static isg_status read_saves(generation *one) {
    isg_array_type type;
    int64_t *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_whole(one->zip, "saves", &type, &numbers));
    if (isg_array_count(&type) != 1 || numbers[0] < 0)
        status =
            isg_fail(ISG_ERR_FORMAT, "%s: saves: expected a number", isg_zip_file_name(one->zip));
    else
        one->saves = (uint64_t)numbers[0];
    isg_release(numbers);
    return status;
}

static isg_status read_seconds(generation *one) {
    isg_array_type type;
    double *numbers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_read_doubles(one->zip, "seconds", &type, &numbers));
    if (isg_array_count(&type) != 1 || !(numbers[0] >= 0))
        status =
            isg_fail(ISG_ERR_FORMAT, "%s: seconds: expected a number", isg_zip_file_name(one->zip));
    else
        one->seconds = numbers[0];
    isg_release(numbers);
    return status;
}

static isg_status open_generation(generation *one, const char *path, const isg_trainee *trainee) {
    ISG_TRY(isg_zip_open_path(&one->zip, path));
    one->lacks_count = trainee->may_lack_count && !isg_npz_has(one->zip, "saves");
    if (one->lacks_count)
        return ISG_OK;
    ISG_TRY(read_saves(one));
    one->order = one->saves;
    return read_seconds(one);
}

static void blame(generation *one, isg_status status) {
    one->status = status;
    snprintf(one->sentence, sizeof one->sentence, "%s", isg_error_message());
}

/* ---- choosing --------------------------------------------------------------------------------- */

/* The newest file that has not been tried and is not known to be damaged; ISG_GENERATIONS if there
   is none. */
static size_t newest(const generation *all) {
    size_t best = ISG_GENERATIONS;
    for (size_t k = 0; k < ISG_GENERATIONS; k++) {
        const bool can_be = all[k].is_there && !all[k].was_tried && all[k].status == ISG_OK;
        if (can_be && (best == ISG_GENERATIONS || all[k].order > all[best].order))
            best = k;
    }
    return best;
}

/* No file can be used: reports the error of the newest, as far as known. */
static isg_status refuse(const isg_run *run, const generation *all, size_t last_tried) {
    const size_t other = (last_tried + 1) % ISG_GENERATIONS;
    if (!all[last_tried].is_there)
        return isg_fail(ISG_ERR_IO, "%s: has no checkpoint to resume from", run->path);
    if (!all[other].is_there || all[last_tried].status == ISG_ERR_SHAPE)
        return isg_fail(all[last_tried].status, "%s", all[last_tried].sentence);
    return isg_fail(all[last_tried].status, "neither checkpoint can be used: %s; %s",
                    all[last_tried].sentence, all[other].sentence);
}

static void adopt(isg_run *run, const generation *all, size_t slot, uint64_t updates) {
    const size_t other = (slot + 1) % ISG_GENERATIONS;
    run->seconds = all[slot].seconds;
    run->saves = (all[slot].saves > all[other].saves ? all[slot] : all[other]).saves + 1;
    run->next_slot = other;
    run->remark[0] = '\0';
    if (all[other].is_there && all[other].status != ISG_OK)
        snprintf(run->remark, sizeof run->remark,
                 "%s; resuming from the other checkpoint, after update %" PRIu64,
                 all[other].sentence, updates);
}

static isg_status open_all(const isg_run *run, const isg_trainee *trainee, generation *all) {
    for (size_t k = 0; k < ISG_GENERATIONS; k++) {
        const char *path = run->files[ISG_RUN_CHECKPOINT + k];
        all[k].is_there = isg_path_exists(path);
        const isg_status status =
            all[k].is_there ? open_generation(all + k, path, trainee) : ISG_OK;
        if (status == ISG_ERR_MEMORY)
            return status;
        if (status != ISG_OK)
            blame(all + k, status);
    }
    return ISG_OK;
}

/* Where a file has no count, the newer one is that with more updates, which only reading tells. */
static isg_status order_by_updates(const isg_trainee *trainee, void *self, generation *all) {
    for (size_t k = 0; k < ISG_GENERATIONS; k++) {
        if (!all[k].is_there || all[k].status != ISG_OK)
            continue;
        const isg_status status = trainee->read(self, all[k].zip);
        if (status == ISG_ERR_MEMORY || status == ISG_ERR_ARGUMENT)
            return status;
        isg_run_info info = {.settings = NULL};
        trainee->describe(self, &info);
        all[k].order = status == ISG_OK ? info.state.updates : 0; /* try_all() says what is wrong */
    }
    return ISG_OK;
}

static isg_status try_all(isg_run *run, const isg_trainee *trainee, void *self, generation *all) {
    size_t tried = all[ISG_GENERATIONS - 1].is_there ? ISG_GENERATIONS - 1 : 0;
    for (size_t k = newest(all); k < ISG_GENERATIONS; k = newest(all)) {
        const isg_status status = trainee->read(self, all[k].zip);
        if (status == ISG_ERR_MEMORY || status == ISG_ERR_ARGUMENT)
            return status;
        if (status == ISG_OK) {
            isg_run_info info = {.settings = NULL};
            trainee->describe(self, &info);
            adopt(run, all, k, info.state.updates);
            return ISG_OK;
        }
        if (!all[tried].was_tried)
            tried = k;
        all[k].was_tried = true;
        blame(all + k, status);
    }
    return refuse(run, all, tried);
}

static isg_status restore_from_files(isg_run *run, const isg_trainee *trainee, void *self) {
    generation all[ISG_GENERATIONS];
    memset(all, 0, sizeof all);
    isg_status status = open_all(run, trainee, all);
    bool lacks_count = false;
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        lacks_count = lacks_count || all[k].lacks_count;
    if (status == ISG_OK && lacks_count)
        status = order_by_updates(trainee, self, all);
    if (status == ISG_OK)
        status = try_all(run, trainee, self, all);
    for (size_t k = 0; k < ISG_GENERATIONS; k++)
        isg_zip_close(all[k].zip);
    return status;
}

/* ---- several ranks ---------------------------------------------------------------------------- */

static isg_status read_whole(void **bytes, size_t *size, const char *path) {
    isg_file *file = NULL;
    ISG_TRY(isg_file_open(&file, path));
    *size = (size_t)isg_file_size(file);
    *bytes = isg_allocate(*size, 1);
    const isg_status status = *bytes ? isg_file_read_at(file, 0, *bytes, *size) : ISG_ERR_MEMORY;
    isg_file_close(file);
    return status;
}

static isg_status read_bytes(const isg_run *run, const isg_trainee *trainee, void *self,
                             const void *bytes, size_t size) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_bytes(&zip, run->path, bytes, size));
    const isg_status status = trainee->read(self, zip);
    isg_zip_close(zip);
    return status;
}

/* The others get the file that rank 0 has restored from. */
static isg_status share_checkpoint(isg_run *run, const isg_trainee *trainee, void *self) {
    const size_t slot = (run->next_slot + 1) % ISG_GENERATIONS;
    void *bytes = NULL;
    size_t size = 0;
    isg_status status = ISG_OK;
    if (isg_rank() == 0)
        status = read_whole(&bytes, &size, run->files[ISG_RUN_CHECKPOINT + slot]);
    ISG_TRY_GOTO(isg_ranks_agree(status));
    ISG_TRY_GOTO(isg_broadcast_buffer(&bytes, &size));
    isg_broadcast(&run->seconds, sizeof run->seconds);
    if (isg_rank() > 0)
        status = read_bytes(run, trainee, self, bytes, size);
    status = isg_ranks_agree(status);
done:
    isg_release(bytes);
    return status;
}

isg_status isg_run_restore(isg_run *run, const isg_trainee *trainee, void *self) {
    if (isg_n_ranks() == 1)
        return restore_from_files(run, trainee, self);
    ISG_TRY(isg_ranks_agree(isg_rank() == 0 ? restore_from_files(run, trainee, self) : ISG_OK));
    return share_checkpoint(run, trainee, self);
}
