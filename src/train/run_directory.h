/* run_directory.h - what is inside an isg_run, and its checkpoints
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_RUN_DIRECTORY_H
#define ISG_RUN_DIRECTORY_H

#include "base/directory.h"
#include "train/train.h"

enum { ISG_GENERATIONS = 2, ISG_REMARK_BYTES = 1024 };

/* The files of a run. */
enum {
    ISG_RUN_MODEL,
    ISG_RUN_TABLE,
    ISG_RUN_CHECKPOINT, /* the first of ISG_GENERATIONS */
    ISG_RUN_SETTINGS = ISG_RUN_CHECKPOINT + ISG_GENERATIONS,
    ISG_RUN_FILES
};

struct isg_run {
    char *path;                 /* NULL: no files are written */
    char *files[ISG_RUN_FILES]; /* paths in it */
    bool is_new_directory;      /* made by this process */
    isg_lock *lock;
    char *settings;         /* NULL: no run.json */
    const char *in_the_way; /* one of the files */
    bool has_checkpoint;

    /* NULL and zero until a training is begun or resumed: */
    const isg_trainee *trainee;
    void *self; /* of the trainee */
    double save_every_s;
    double seconds;
    double saved_s;         /* time of the last save, by the clock */
    uint64_t saved_updates; /* and updates at that time */
    uint64_t saves;         /* number of the next checkpoint, ascending */
    size_t next_slot;       /* the generation it will replace */
    char remark[ISG_REMARK_BYTES];
};

/* The `self` of a run of one RBM. */
typedef struct isg_run_of_rbm {
    const isg_run *run;
    const isg_dataset *data;
    const isg_train_options *options; /* borrowed; used only while reading a checkpoint */
    uint64_t seed;
    char *command;
    isg_rbm *rbm;
    isg_trainer *trainer;
    isg_run_row *rows; /* n_rows: the start and every finished epoch */
    size_t n_rows, capacity;
} isg_run_of_rbm;

/* Writes the results, then a checkpoint over the older of the two. */
isg_status isg_run_save(isg_run *run);
isg_status isg_run_write_checkpoint(isg_run *run);

/* Lets the trainee read the best checkpoint, and sets seconds, saves, next_slot and remark. */
isg_status isg_run_restore(isg_run *run, const isg_trainee *trainee, void *self);

#endif
