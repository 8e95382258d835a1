/* isinglass/train.h - contrastive divergence, and runs that can be resumed at any moment
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_TRAIN_H
#define ISINGLASS_TRAIN_H

#include "isinglass/rbm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Training: contrastive divergence -------------------------------------------------------- */

/* What the spins after the last sweep are paired with. */
typedef enum isg_estimator {
    ISG_ESTIMATOR_SAMPLED, /* the hidden units that they were drawn from, as in the paper */
    ISG_ESTIMATOR_MEAN /* the mean hidden units that they imply: less noise, half a sweep more */
} isg_estimator;

/* A learning rate, from an epoch on; epochs count from 0. */
typedef struct isg_rate {
    double rate;
    size_t from_epoch;
} isg_rate;

/* Start from isg_train_defaults(); defaults are in brackets. */
typedef struct isg_train_options {
    size_t batch_size;     /* samples per update [100]; the last one of an epoch may have fewer, and
                              its step is then smaller in proportion */
    size_t gibbs_steps;    /* sweeps per update, the K of CD-K [20] */
    const isg_rate *rates; /* (n_rates), the first from epoch 0, ascending [1e-4 throughout] */
    size_t n_rates;
    isg_estimator estimator; /* [ISG_ESTIMATOR_SAMPLED] */
    bool persistent;         /* PCD: batch_size chains go on from update to update, instead of
                                starting from the data [false] */
    bool fields;             /* train b and c too [false] */
    bool shuffle;            /* visit the samples in a new order every epoch [false] */
    uint64_t seed;           /* same seed, same weights, on any number of threads [1] */
} isg_train_options;

/* How far a training is. */
typedef struct isg_train_state {
    uint64_t epochs;  /* finished */
    uint64_t updates; /* done in all */
    size_t batch;     /* of the epoch under way, to be done next */
    size_t n_batches; /* in an epoch */
} isg_train_state;

/* What the updates of one epoch did. */
typedef struct isg_epoch_report {
    uint64_t epoch;              /* 1 for the first */
    uint64_t updates;            /* done in all */
    double rate;                 /* the learning rate it had */
    double reconstruction_error; /* mean share of spins that differ from the data after one sweep */
} isg_epoch_report;

/* Borrows `rbm`, which it trains and nobody else may change meanwhile, and `data`; both must
   outlive it. */
typedef struct isg_trainer isg_trainer;

ISG_API isg_train_options isg_train_defaults(void);

/* ISG_ERR_SHAPE if data and RBM disagree on n_visible, ISG_ERR_ARGUMENT for options without a
   meaning. The options, NULL for the defaults, are copied. */
ISG_API isg_status isg_trainer_create(isg_trainer **out, isg_rbm *rbm, const isg_dataset *data,
                                      const isg_train_options *options);
ISG_API void isg_trainer_free(isg_trainer *trainer); /* NULL is fine */
ISG_API isg_train_state isg_trainer_describe(const isg_trainer *trainer);

/* One mini-batch. Allocates nothing. ISG_ERR_DIVERGED if a weight would leave the finite numbers;
   then nothing has changed. */
ISG_API isg_status isg_trainer_update(isg_trainer *trainer);

/* The rest of the epoch under way, or the next one. If `progress`, reported after every update,
   cancels or an update diverges, the trainer stands after the last good one and can go on. After
   the last update of the epoch nothing is left to cancel. `report` and `progress` may be NULL. */
ISG_API isg_status isg_trainer_epoch(isg_trainer *trainer, isg_epoch_report *report,
                                     const isg_progress *progress);

/* Everything that a new trainer of the same RBM sizes, data and options needs to go on as if
   nothing had happened, W, b and c included. Loading refuses a file of another training
   (ISG_ERR_SHAPE) and a damaged one (ISG_ERR_FORMAT), and then leaves the trainer as it was. */
ISG_API isg_status isg_trainer_save(const isg_trainer *trainer, const char *path);
ISG_API isg_status isg_trainer_load(isg_trainer *trainer, const char *path);

/* ---- Runs: training that can be resumed at any moment ---------------------------------------- */

/* The training of one RBM, or of experts (isg_run_begin_experts() in classify.h), and a directory for
   it:
       run.json                             what was asked for, a text of the caller's
       checkpoint-1.npz, checkpoint-2.npz   all that is needed to go on, saved in turn
       run.lock                             while a process is at work there
   and of one RBM
       model.npz                            the RBM as it was saved last
       epochs.csv                           a row for the start and for every finished epoch
   Every file is replaced whole. Whenever a process is killed, training can be resumed from what it
   left as if nothing had happened, to the same last bit. Other files are left alone. */
typedef struct isg_run isg_run;

/* A row of epochs.csv; NaN, an empty cell, is what was not computed. */
typedef struct isg_run_row {
    uint64_t epoch;   /* 0 is the start */
    uint64_t updates; /* done by then */
    double seconds;   /* of training by then, in all processes */
    double reconstruction_error;
    double log_likelihood; /* per sample */
    double log_likelihood_error;
} isg_run_row;

typedef struct isg_run_info {
    /* As the directory was found when it was opened: */
    const char *in_the_way; /* a file that beginning would replace, or NULL */
    bool has_checkpoint;
    const char *settings; /* run.json; NULL if there is none */
    /* Once begun or resumed: */
    const char
        *remark; /* which checkpoint was not used, and why; NULL if there is nothing to tell */
    isg_train_state state;   /* of experts: epochs finished by all, updates of all together */
    double seconds;          /* of training, in all processes */
    const isg_run_row *rows; /* of one RBM, else NULL */
    size_t n_rows;
} isg_run_info;

/* Start from isg_run_defaults(); defaults are in brackets. */
typedef struct isg_run_options {
    isg_train_options train; /* [isg_train_defaults()] */
    const char *command;     /* kept in the meta.json of model.npz [NULL] */
    double save_every_s;     /* within an epoch. Its end is saved too, but if the last save is less
                                than a second ago and there is more to do, only later [30] */
} isg_run_options;

ISG_API isg_run_options isg_run_defaults(void);

/* Opens a directory, which is made first if `may_create`, for this process alone: ISG_ERR_IO if there
   is no such directory, or if it is open elsewhere. A run without a path keeps nothing. */
ISG_API isg_status isg_run_open(isg_run **out, const char *path, bool may_create);
ISG_API void isg_run_close(isg_run *run);                  /* nothing is saved; NULL is fine */
ISG_API isg_run_info isg_run_describe(const isg_run *run); /* valid until the run changes */

/* A new training from `rbm`, which the run takes over if this succeeds, on `data`, which it borrows.
   An earlier run in the directory is replaced. `options` may be NULL. */
ISG_API isg_status isg_run_begin(isg_run *run, const char *settings, isg_rbm *rbm,
                                 const isg_dataset *data, const isg_run_options *options);

/* Resumes the training from the last checkpoint, or from the one before if that is damaged.
   ISG_ERR_FORMAT if both are; ISG_ERR_SHAPE, naming what differs, if it was a training of other data
   or options. The run is then neither begun nor resumed. `options` may be NULL. */
ISG_API isg_status isg_run_resume(isg_run *run, const isg_dataset *data,
                                  const isg_run_options *options);

/* Trains until `epochs` epochs, or so many updates, are done in all. Everything is saved in the end,
   now and then before (see save_every_s), and when `progress`, reported after every update, cancels.
   After ISG_ERR_DIVERGED the last finite weights are saved. If something cannot be written, what was
   saved last is still there. */
ISG_API isg_status isg_run_train(isg_run *run, uint64_t epochs, const isg_progress *progress);
ISG_API isg_status isg_run_train_updates(isg_run *run, uint64_t updates,
                                         const isg_progress *progress);

/* The one RBM; NULL if experts are trained, or if the run was neither begun nor resumed. */
ISG_API isg_rbm *isg_run_rbm(isg_run *run);

/* The log-likelihood of the RBM at the start or after the epoch just finished: kept in its row. */
ISG_API isg_status isg_run_set_score(isg_run *run, double value, double error);

/* Replaces run.json. */
ISG_API isg_status isg_run_set_settings(isg_run *run, const char *settings);

#ifdef __cplusplus
}
#endif

#endif
