/* train.h - what is inside an isg_trainer, and what a run can train
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TRAIN_H
#define ISG_TRAIN_H

#include "data/data.h"
#include "io/json.h"
#include "io/npz.h"
#include "isinglass/train.h"
#include "rbm/rbm.h"
#include "sample/sample.h"
#include "train/constraint.h"
#include "train/equilibrium.h"

struct isg_trainer {
    isg_rbm *rbm;             /* borrowed */
    const isg_dataset *data;  /* borrowed */
    isg_train_options option; /* its rates are `rates` */
    isg_rate *rates;
    char data_sha256[65], missing_sha256[65]; /* the latter only if values are missing */
    isg_train_state state;
    uint64_t wrong_spins; /* after one sweep from the data, in the current epoch */

    isg_gibbs_weights weights;    /* the RBM as it is now, for the kernels */
    uint64_t *data_spins;         /* (batch, words): the mini-batch, */
    float *data_lambda;           /* (batch, stride): and its mean hidden units */
    uint64_t *known;              /* (batch, words): what is not missing; NULL if nothing is */
    isg_states batch;             /* from the data; without `chains` it is swept K times */
    isg_states chains;            /* option.persistent: continue from update to update */
    isg_equilibrium *equilibrium; /* option.equilibrium: those chains jump; else NULL */
    size_t *order; /* option.shuffle: the samples (n_samples) of epoch order_of - 1 */
    uint64_t order_of;
    uint32_t *wrong; /* (batch): spins that differ after one sweep from the data of this update */
    uint32_t *accepted; /* (chains): jumps; a thread counts all of its chains in the first */
    char *parcels;      /* room for what the ranks tell each other */

    double *sums;        /* (panels, ISG_PANEL, stride): of s_i lambda, data minus chains */
    double *field_sums;  /* (panels, ISG_PANEL): of s_i, likewise */
    double *hidden_sums; /* (n_hidden): of lambda, likewise */
    isg_keeping keeping; /* option.constraint */

    /* Before the current update, in case it diverges: */
    double *old_weights, *old_b, *old_c, old_beta;
    uint64_t *old_chains;
};

/* Packs W, b and c of the RBM as they are now. */
isg_status isg_trainer_pack(isg_trainer *trainer);

/* Like isg_trainer_epoch(), but does at most `updates` updates. */
isg_status isg_trainer_advance(isg_trainer *trainer, uint64_t updates,
                               const isg_progress *progress);

/* For the epoch just finished. */
double isg_trainer_reconstruction_error(const isg_trainer *trainer);

/* d ln p / d beta of the update under way, per sample, as the chains tell it: from the data, the sums of
   s_i over the data less the chains, for b as it was, and the hidden units. And beta after a step,
   which is cut short if it is large. */
double isg_beta_gradient(const isg_trainer *trainer, const isg_states *chains, const double *b);
double isg_beta_after(double beta, double change);

/* Of several ranks: room for what they tell each other, for as many samples and chains as there may be;
   and, by one thread of each, the states of all chains, and all rows of W with what goes with them. */
isg_status isg_trainer_allocate_parcels(isg_trainer *trainer);
void isg_trainer_gather_states(isg_trainer *trainer);
void isg_trainer_gather_panels(isg_trainer *trainer);

/* Like isg_trainer_save() and isg_trainer_load(), but with the caller's open archive; `prefix`, at
   most 40 bytes, begins the names of all members. */
isg_status isg_trainer_write(const isg_trainer *trainer, isg_npz_writer *writer,
                             const char *prefix);
isg_status isg_trainer_read(isg_trainer *trainer, isg_zip *zip, const char *prefix);

/* ---- what must agree for a training to be continued --------------------------------------------- */

/* ISG_ERR_VERSION if `format` is beyond the newest that is known, ISG_ERR_FORMAT if it is before the
   oldest; `file` begins the sentences. */
isg_status isg_traits_check_format(const isg_json *json, const char *file, int64_t oldest,
                                   int64_t newest);

/* ISG_ERR_SHAPE, naming it, if one of the traits is not as expected. */
isg_status isg_traits_compare(const isg_json *json, const char *file, const isg_json_pair *traits,
                              size_t count);

/* Members of such an archive: a name with its prefix; numbers in so many dimensions, to be released, or
   ISG_ERR_FORMAT if the member has others. */
enum { ISG_MEMBER_BYTES = 64 };
const char *isg_member_name(char out[ISG_MEMBER_BYTES], const char *prefix, const char *name);
isg_status isg_member_doubles(double **out, isg_zip *zip, const char *name, size_t n_dims,
                              size_t rows, size_t cols);

/* ---- what a run trains -------------------------------------------------------------------------- */

/* One RBM (run_rbm.c) or experts (classify/experts_file.c), as a run sees them. A function may be
   NULL only where noted. */
typedef struct isg_trainee {
    /* Sets state, and the rows if there are any. */
    void (*describe)(const void *self, isg_run_info *info);
    /* Trains for at least one update, until a total of `updates` at most; a call never goes past
       the end of an epoch. Progress is reported after every update; its fraction is not used. */
    isg_status (*train)(void *self, uint64_t updates, const isg_progress *progress);
    /* Called when train() has finished an epoch, with the total seconds of training. NULL: nothing
       to do. */
    void (*end_epoch)(void *self, double seconds);
    /* Writes the results for users, all or only missing files. NULL: there are none. */
    isg_status (*write_results)(const void *self, bool only_missing);
    /* Write and read all that is needed to continue, as members of a checkpoint. If reading fails,
       another checkpoint may be read next. */
    isg_status (*write)(const void *self, isg_npz_writer *writer);
    isg_status (*read)(void *self, isg_zip *zip);
    void (*release)(void *self); /* NULL: it is borrowed */
    bool may_lack_count;         /* early checkpoints had neither `saves` nor `seconds` */
} isg_trainee;

/* Like isg_run_begin() and isg_run_resume(). On success the run owns `self`. */
isg_status isg_run_start(isg_run *run, const char *settings, const isg_trainee *trainee, void *self,
                         double save_every_s);
isg_status isg_run_continue(isg_run *run, const isg_trainee *trainee, void *self,
                            double save_every_s);

#endif
