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
    ISG_RUN_BEST,
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

/* Validation data, and the RBM that fits them best so far. */
typedef struct isg_validation {
    const isg_dataset *data; /* borrowed; NULL: there are none, and all else is zero */
    size_t n_hidden, patience;
    uint64_t best_epoch;
    double best;             /* pseudo-likelihood then, */
    double *weights, *b, *c; /* W, b and c, */
    double beta;             /* and beta, */
    bool learns_beta;        /* which may change */

    int threads;
    double *squares;   /* (n_visible): |W_i|^2 */
    int32_t *input;    /* (threads, samples of a block, stride) */
    double *hidden;    /* (threads, n_hidden, samples of a block) */
    double *sums;      /* one for each block of samples */
    isg_states filled; /* (threads, samples of a block), and */
    uint64_t *known;   /* (threads, samples of a block, words): if values are missing */
} isg_validation;

/* For the RBM and the data of the trainer. Release it after a failure too. */
isg_status isg_validation_create(isg_validation *my, const isg_trainer *trainer,
                                 const isg_dataset *data);
void isg_validation_release(isg_validation *my);

/* Sets what the row has about validation, for the RBM as it is now, and keeps that if it is the
   best. Allocates nothing. */
void isg_validation_measure(isg_validation *my, const isg_trainer *trainer, isg_run_row *row);

/* The best RBM as a model file, with all that `rbm` knows besides W, b and c. */
isg_status isg_validation_save(const isg_validation *my, const isg_rbm *rbm, uint64_t seed,
                               const char *command, const char *path);

/* Whether the file has the W, b and c of the best RBM. */
bool isg_validation_is_saved(const isg_validation *my, const char *path);

/* ISG_ERR_SHAPE unless the checkpoint is of a training with these validation data; NULL for none. */
isg_status isg_validation_check(const isg_dataset *data, isg_zip *zip);

/* Members of a checkpoint; reading expects the rows that it has, and beta unless that is learned. */
isg_status isg_validation_write(const isg_validation *my, isg_npz_writer *writer);
isg_status isg_validation_read(isg_validation *my, isg_zip *zip, double beta,
                               const isg_run_row *rows, size_t n_rows);

/* The `self` of a run of one RBM. */
typedef struct isg_run_of_rbm {
    const isg_run *run;
    const isg_dataset *data;
    const isg_run_options *options; /* borrowed; used only while reading a checkpoint */
    isg_validation validation;
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
