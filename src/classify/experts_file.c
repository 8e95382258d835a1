/* experts_file.c - experts in a file, and in a run
 *
 * SPDX-License-Identifier: MIT
 *
 * An .npz file with the members that isg_trainer_save() writes, for every expert: "expert-3.W" and
 * so on.
 */
#include <stdio.h>

#include "classify/experts.h"

enum { PREFIX_BYTES = 40 };

static const char *prefix_of(size_t k, char prefix[PREFIX_BYTES]) {
    snprintf(prefix, PREFIX_BYTES, "expert-%zu.", k);
    return prefix;
}

static isg_status write_experts(const void *self, isg_npz_writer *writer) {
    const isg_experts *experts = self;
    char prefix[PREFIX_BYTES];
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY(isg_trainer_write(experts->expert[k].trainer, writer, prefix_of(k, prefix)));
    return ISG_OK;
}

/* Experts are trained in turn, so none can be ahead of the one before it, nor two epochs behind the
   first. */
static isg_status check_turns(const isg_experts *experts, const char *file) {
    for (size_t k = 1; k < experts->n_experts; k++) {
        const uint64_t first = experts->expert[0].trainer->state.epochs;
        const uint64_t before = experts->expert[k - 1].trainer->state.epochs;
        const uint64_t mine = experts->expert[k].trainer->state.epochs;
        if (mine > before || first - mine > 1)
            return isg_fail(ISG_ERR_FORMAT, "%s: the experts are not from one training", file);
    }
    return ISG_OK;
}

static isg_status read_experts(void *self, isg_zip *zip) {
    const isg_experts *experts = self;
    char prefix[PREFIX_BYTES];
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY(isg_trainer_read(experts->expert[k].trainer, zip, prefix_of(k, prefix)));
    return check_turns(experts, isg_zip_file_name(zip));
}

isg_status isg_experts_save(const isg_experts *experts, const char *path) {
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(write_experts(experts, writer));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}

isg_status isg_experts_load(isg_experts *experts, const char *path) {
    isg_zip *zip = NULL;
    ISG_TRY(isg_zip_open_path(&zip, path));
    const isg_status status = read_experts(experts, zip);
    isg_zip_close(zip);
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------- */

/* All experts as if they were one: an epoch is one epoch of each. */
static isg_train_state state_of(const isg_experts *experts) {
    isg_train_state state = {.epochs = isg_experts_describe(experts).epochs};
    for (size_t k = 0; k < experts->n_experts; k++) {
        state.updates += experts->expert[k].trainer->state.updates;
        state.n_batches += experts->expert[k].trainer->state.n_batches;
    }
    state.batch = (size_t)(state.updates - state.epochs * state.n_batches);
    return state;
}

static void describe(const void *self, isg_run_info *info) {
    info->state = state_of(self);
}

static isg_status train(void *self, uint64_t updates, const isg_progress *progress) {
    return isg_experts_advance(self, updates - state_of(self).updates, progress);
}

static const isg_trainee all_experts = {.describe = describe,
                                        .train = train,
                                        .write = write_experts,
                                        .read = read_experts,
                                        .may_lack_count = true};

isg_status isg_run_begin_experts(isg_run *run, const char *settings, isg_experts *experts,
                                 double save_every_s) {
    return isg_run_start(run, settings, &all_experts, experts, save_every_s);
}

isg_status isg_run_resume_experts(isg_run *run, isg_experts *experts, double save_every_s) {
    return isg_run_continue(run, &all_experts, experts, save_every_s);
}
