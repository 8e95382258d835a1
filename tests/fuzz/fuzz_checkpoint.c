/* fuzz_checkpoint.c - any bytes as one of the two checkpoints of a run
 *
 * SPDX-License-Identifier: MIT
 *
 * The other is as it was written, so that the run can always be resumed: from the one attacked, if it
 * is accepted and newer, else from the other, with a remark if the one attacked was refused.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mutator.h"
#include "small_training.h"
#include "target.h"
#include "train/run_directory.h"

MUTATE_ZIPS

static isg_dataset *data;
static isg_run_options options;
static const char *whole; /* the checkpoint that is as it was written */
static uint64_t whole_updates;

/* The updates that a checkpoint knows of, by its trainer alone. */
static uint64_t updates_in(const char *path) {
    isg_rbm *rbm = small_rbm();
    isg_trainer *trainer = NULL;
    if (isg_trainer_create(&trainer, rbm, data, &options.train) != ISG_OK ||
        isg_trainer_load(trainer, path) != ISG_OK)
        abort();
    const uint64_t updates = isg_trainer_describe(trainer).updates;
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    return updates;
}

void prepare(void) {
    static uint8_t bytes[1 << 14];
    char name[128], directory[96];
    snprintf(directory, sizeof directory, "%s.run", scratch_file());
    small_run(directory, 1);
    data = small_data();
    options = isg_run_defaults();
    options.train = small_options();
    snprintf(name, sizeof name, "%s/checkpoint-1.npz", directory);
    FILE *file = fopen(name, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (size == 0 || size == sizeof bytes || fclose(file) != 0)
        abort();
    whole = file_with(1, bytes, size);
    whole_updates = updates_in(whole);
    static const char *const left[] = {"checkpoint-1.npz", "checkpoint-2.npz", "model.npz",
                                       "epochs.csv",       "run.json",         "run.lock"};
    for (size_t k = 0; k < sizeof left / sizeof left[0]; k++) {
        snprintf(name, sizeof name, "%s/%s", directory, left[k]);
        remove(name);
    }
    remove(directory);
}

static isg_run *run_of(const char *attacked) {
    isg_run *run = isg_allocate(1, sizeof *run);
    if (!run)
        abort();
    run->path = isg_copy_text("run");
    run->files[ISG_RUN_MODEL] = isg_copy_text(whole); /* there, and not to be written again */
    run->files[ISG_RUN_TABLE] = isg_copy_text(whole);
    run->files[ISG_RUN_CHECKPOINT + 0] = isg_copy_text(attacked);
    run->files[ISG_RUN_CHECKPOINT + 1] = isg_copy_text(whole);
    return run;
}

depth attack(const uint8_t *bytes, size_t size) {
    isg_run *run = run_of(file_with(0, bytes, size));
    if (isg_run_resume(run, data, &options) != ISG_OK)
        abort();
    const isg_run_info info = isg_run_describe(run);
    const isg_rbm_info rbm = isg_rbm_describe(isg_run_rbm(run));
    if (info.n_rows != info.state.epochs + 1 || rbm.n_visible != 11 || rbm.n_hidden != 2 ||
        !(info.seconds >= 0))
        abort();
    const bool is_attacked = run->next_slot == 1;
    if (!is_attacked && info.state.updates != whole_updates)
        abort();
    if (is_attacked && info.remark)
        abort();
    depth how_far = ACCEPTED;
    if (info.remark)
        how_far = strstr(info.remark, "zip archive") ? REFUSED : BEGUN;
    isg_run_close(run);
    return how_far;
}
