/* run_directory.h - what is inside an isg_run, and its checkpoints
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RUN_DIRECTORY_H
#define ISG_RUN_DIRECTORY_H

#include "base/directory.h"
#include "isinglass/train.h"
#include "rbm/rbm.h"

enum { ISG_GENERATIONS = 2, ISG_REMARK_BYTES = 1024 };

struct isg_run {
    char *path;
    bool is_new_directory; /* made by this process */
    isg_lock *lock;
    char *settings; /* NULL: there is no run.json */
    char *settings_path, *model_path, *table_path;
    char *checkpoint_paths[ISG_GENERATIONS];
    const char *in_the_way; /* one of these paths */
    bool has_checkpoint;

    /* NULL and zero unless a training was begun or resumed: */
    isg_rbm *rbm;
    isg_trainer *trainer;
    uint64_t seed;
    char *command;
    double save_every_s;
    isg_run_row *rows; /* n_rows: the start and every finished epoch */
    size_t n_rows, capacity;
    double seconds;
    double saved_s;         /* when it was saved last, by the clock */
    uint64_t saved_updates; /* and how far it was */
    uint64_t saves;         /* number of the next checkpoint, rising */
    size_t next_slot;       /* the generation it will replace */
    char remark[ISG_REMARK_BYTES];
};

/* Writes the training as it is over the older of the two checkpoints. */
isg_status isg_run_write_checkpoint(isg_run *run);

/* Sets rbm, trainer, rows, seconds, saves, next_slot and remark from the best checkpoint. */
isg_status isg_run_restore(isg_run *run, const isg_dataset *data, const isg_train_options *options);

#endif
