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
    ISG_ESTIMATOR_SAMPLED, /* the hidden units they were drawn from, as in the paper */
    ISG_ESTIMATOR_MEAN /* the mean hidden units given those spins: less noise, half a sweep more */
} isg_estimator;

/* What the weights keep to, so that the RBM stays a Hopfield network. Every update ends with W moved
   back: to first order, the gradient is projected on what the constraint leaves free. */
typedef enum isg_constraint {
    ISG_CONSTRAINT_NONE,
    ISG_CONSTRAINT_STIEFEL, /* orthonormal columns, |W^T W - 1| < 1e-12: J = W W^T is a projector. W
                               becomes its polar factor, the nearest such matrix */
    ISG_CONSTRAINT_SPAN     /* W = xi K for the patterns xi that the RBM was made from: they stay
                               fixed, K is trained. W becomes its orthogonal projection on their
                               span, so that no pattern weighs more for being longer or correlated */
} isg_constraint;

/* A learning rate from a given epoch on; epochs count from 0. */
typedef struct isg_rate {
    double rate;
    size_t from_epoch;
} isg_rate;

/* Start from isg_train_defaults(); defaults are in brackets. */
typedef struct isg_train_options {
    size_t batch_size;     /* samples per update [100]; the last batch of an epoch may have fewer
                              and then takes a proportionally smaller step */
    size_t gibbs_steps;    /* sweeps per update, the K of CD-K [20] */
    const isg_rate *rates; /* (n_rates), the first from epoch 0, ascending [1e-4 throughout] */
    size_t n_rates;
    isg_estimator estimator; /* [ISG_ESTIMATOR_SAMPLED] */
    bool persistent;         /* PCD: chains continue from update to update, instead of starting from
                                the data [false] */
    size_t chains;           /* how many of those [0: batch_size, or 1000 for equilibrium] */
    bool equilibrium;        /* they also jump between the modes of the RBM, see below; implies
                                persistent [false] */
    size_t jumps;         /* of every chain per update, evenly spread over its sweeps, at most one
                                after each [3] */
    size_t refit_every;   /* updates from one fit of the mixture that proposes jumps to the next
                                [25] */
    bool fields;          /* train b and c too [false] */
    bool shuffle;         /* visit the samples in a new order every epoch [false] */
    size_t impute_sweeps; /* missing values (isg_dataset_missing()) are drawn anew in every update
                                from the model as it is, by so many sweeps from the majority [20] */
    uint64_t seed;        /* same seed, same weights, on any number of threads [1] */
    isg_constraint constraint; /* [ISG_CONSTRAINT_NONE] */
    bool learn_beta;           /* train beta too, by the gradient of the likelihood,
                                <H>_model - <H>_data, with the learning rate of the weights; no
                                update changes it by more than a tenth. Without a constraint, beta
                                and the length of W are one parameter twice [false] */
} isg_train_options;

/* How far training has come. */
typedef struct isg_train_state {
    uint64_t epochs;  /* finished */
    uint64_t updates; /* done in all */
    size_t batch;     /* next batch of the current epoch */
    size_t n_batches; /* in an epoch */
} isg_train_state;

/* What one epoch did. */
typedef struct isg_epoch_report {
    uint64_t epoch;              /* 1 for the first */
    uint64_t updates;            /* done in all */
    double rate;                 /* learning rate */
    double reconstruction_error; /* mean fraction of spins that differ from the data after one
                                    sweep */
} isg_epoch_report;

/* Equilibrium training. Chains that are only swept hardly ever leave their mode, so that training cannot
   tell how much of the probability each mode holds. Jumps (sample.h) correct that: with them, the chains
   are in equilibrium if the rate is small. The mixture that proposes them is fitted before the first
   update and every refit_every updates; a fit takes as long as many updates, and allocates. Where it
   does not succeed, as often with many hidden units, chains are only swept, and the next fit is tried
   after 2, 4, ... 32 times as many updates. */
typedef struct isg_equilibrium_info {
    uint64_t updates;  /* in which chains jumped */
    uint64_t proposed; /* jumps, */
    uint64_t accepted; /* of which so many were accepted */
    uint64_t fits;     /* of mixtures, */
    uint64_t refused;  /* of which so many could not be used */
    size_t minima;     /* of F0 in the last, mirror images included */
    bool is_jumping;   /* whether it is in use */
    char reason[160];  /* why it is not, as a sentence without a trailing period; else empty */
} isg_equilibrium_info;

/* Borrows `rbm`, which it trains, and `data`; both must outlive the trainer, and nothing else may
   change the RBM meanwhile. */
typedef struct isg_trainer isg_trainer;

ISG_API isg_train_options isg_train_defaults(void);

/* The options are copied; `options` may be NULL. ISG_ERR_SHAPE if data and RBM disagree on
   n_visible, ISG_ERR_ARGUMENT for invalid options. A constraint moves W to where it holds, at once:
   ISG_ERR_DEPENDENT if W has columns that cannot be made orthonormal, ISG_ERR_ARGUMENT if it has
   more columns than rows, or if a span is asked for and the RBM knows no patterns. */
ISG_API isg_status isg_trainer_create(isg_trainer **out, isg_rbm *rbm, const isg_dataset *data,
                                      const isg_train_options *options);
ISG_API void isg_trainer_free(isg_trainer *trainer); /* NULL is fine */
ISG_API isg_train_state isg_trainer_describe(const isg_trainer *trainer);
ISG_API isg_equilibrium_info isg_trainer_equilibrium(const isg_trainer *trainer); /* zero without */

/* Trains on one mini-batch. Allocates nothing, unless a mixture is due. ISG_ERR_DIVERGED if a weight would not be finite;
   nothing is changed then. */
ISG_API isg_status isg_trainer_update(isg_trainer *trainer);

/* Finishes the current epoch, or trains the next one. If `progress`, called after every update and
   within long ones, cancels or an update diverges, the trainer keeps the state after the last good update and can
   continue. Cancelling after the last update of the epoch has no effect. `report` and `progress`
   may be NULL. */
ISG_API isg_status isg_trainer_epoch(isg_trainer *trainer, isg_epoch_report *report,
                                     const isg_progress *progress);

/* Building blocks: save everything that a new trainer with the same RBM sizes, data and options
   needs to continue as if it had never stopped, W, b, c and a learned beta included, and load it. A file from a
   different training run (ISG_ERR_SHAPE) or a damaged file (ISG_ERR_FORMAT) is refused and leaves
   the trainer unchanged. */
ISG_API isg_status isg_trainer_save(const isg_trainer *trainer, const char *path);
ISG_API isg_status isg_trainer_load(isg_trainer *trainer, const char *path);

/* ---- Runs: training that can be resumed at any moment ---------------------------------------- */

/* The training of one RBM, or of experts (isg_run_begin_experts() in classify.h), with its
   directory:
       run.json                             the settings, a text from the caller
       checkpoint-1.npz, checkpoint-2.npz   all that is needed to resume, saved alternately
       run.lock                             held while a process uses the directory
   and for one RBM
       model.npz                            the RBM as last saved
       best.npz                             with validation data: the RBM after the best epoch
       epochs.csv                           a row for the start and one for every finished epoch
   Files are replaced atomically. A process may be killed at any moment: the resumed training gives
   the same result, bit for bit, as one that was never interrupted. Other files are not touched. */
typedef struct isg_run isg_run;

/* A row of epochs.csv; NaN, an empty cell, means not computed. */
typedef struct isg_run_row {
    uint64_t epoch;   /* 0 is the start */
    uint64_t updates; /* done by then */
    double seconds;   /* training time by then, over all processes */
    double reconstruction_error;
    double log_likelihood; /* per sample */
    double log_likelihood_error;
    /* With validation data; both are exact and need no ln Z: */
    double validation_pseudo_likelihood; /* sum of ln p(s_i | all others), per sample, over the
                                            values that are not missing */
    double validation_gap; /* log-likelihood of the training data minus that of the validation data,
                              per sample: it grows as the training data are learned by heart */
} isg_run_row;

typedef struct isg_run_info {
    /* The directory as it was when opened: */
    const char *in_the_way; /* a file that isg_run_begin() would replace, or NULL */
    bool has_checkpoint;
    const char *settings; /* run.json; NULL if there is none */
    /* Once begun or resumed: */
    const char *remark;      /* which checkpoint was not used, and why; NULL if nothing was amiss */
    isg_train_state state;   /* for experts: epochs finished by all, total updates */
    double seconds;          /* training time, over all processes */
    const isg_run_row *rows; /* for one RBM; else NULL */
    size_t n_rows;
    bool has_validation;
    uint64_t best_epoch;  /* the first of those with the largest validation_pseudo_likelihood */
    bool has_equilibrium; /* of one RBM, */
    isg_equilibrium_info equilibrium; /* as isg_trainer_equilibrium() */
    bool is_over; /* more epochs would only wait for a better one: see `patience` */
} isg_run_info;

/* Start from isg_run_defaults(); defaults are in brackets. */
typedef struct isg_run_options {
    isg_train_options train;       /* [isg_train_defaults()] */
    const isg_dataset *validation; /* measured at the start and after every epoch; borrowed. The
                                best epoch is that of the largest pseudo-likelihood [NULL: none] */
    size_t patience;     /* end the training after so many epochs in a row without a better
                                one; may differ when it is resumed [0: never] */
    const char *command; /* recorded in the meta.json of model.npz [NULL] */
    double save_every_s; /* seconds between saves within an epoch. The end of an epoch is saved
                                too, unless the last save was less than a second ago and more epochs
                                follow [30] */
} isg_run_options;

ISG_API isg_run_options isg_run_defaults(void);

/* Opens a directory, creating it if `may_create`, for exclusive use by this process: ISG_ERR_IO if
   it does not exist or another process has it open. If `path` is NULL, the run writes no files. */
ISG_API isg_status isg_run_open(isg_run **out, const char *path, bool may_create);
ISG_API void isg_run_close(isg_run *run); /* saves nothing; NULL is fine */
ISG_API void isg_run_leave(isg_run *run); /* frees the directory for others; the RBM stays as it is,
                                             and from now on the run writes no files */
ISG_API isg_run_info isg_run_describe(const isg_run *run); /* valid until the run changes */

/* Begins a new training of `rbm`, which the run owns from then on (only on success), on `data`,
   which it borrows. Replaces an earlier run in the directory. `options` may be NULL. ISG_ERR_ARGUMENT for
   the RBM that the run already owns: begin with a copy. */
ISG_API isg_status isg_run_begin(isg_run *run, const char *settings, isg_rbm *rbm,
                                 const isg_dataset *data, const isg_run_options *options);

/* Resumes training from the last checkpoint, or from the one before if the last is damaged.
   ISG_ERR_FORMAT if both are damaged; ISG_ERR_SHAPE, naming what differs, if the data or options
   are not the same. After an error the run is neither begun nor resumed. `options` may be NULL. */
ISG_API isg_status isg_run_resume(isg_run *run, const isg_dataset *data,
                                  const isg_run_options *options);

/* Trains until a total of `epochs` epochs, or `updates` updates, is reached, or patience ends. Saves at the end,
   periodically before that (see save_every_s), and when `progress`, called after every update,
   cancels. After ISG_ERR_DIVERGED the last finite weights are saved. If a file cannot be written,
   the previous save remains intact. `progress` may be NULL. */
ISG_API isg_status isg_run_train(isg_run *run, uint64_t epochs, const isg_progress *progress);
ISG_API isg_status isg_run_train_updates(isg_run *run, uint64_t updates,
                                         const isg_progress *progress);

/* The RBM in training; NULL for experts, or if the run was neither begun nor resumed. */
ISG_API isg_rbm *isg_run_rbm(isg_run *run);

/* Records the log-likelihood of the RBM, at the start or after the epoch just finished, in that row
   of epochs.csv. */
ISG_API isg_status isg_run_set_score(isg_run *run, double value, double error);

/* Replaces run.json. */
ISG_API isg_status isg_run_set_settings(isg_run *run, const char *settings);

#ifdef __cplusplus
}
#endif

#endif
