/* train.h - what is inside an isg_trainer
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TRAIN_H
#define ISG_TRAIN_H

#include "data/data.h"
#include "io/npz.h"
#include "isinglass/train.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

struct isg_trainer {
    isg_rbm *rbm;             /* borrowed */
    const isg_dataset *data;  /* borrowed */
    isg_train_options option; /* its rates are `rates` */
    isg_rate *rates;
    char data_sha256[65];
    isg_train_state state;
    uint64_t wrong_spins; /* after one sweep from the data, in the epoch under way */

    isg_gibbs_weights weights; /* the RBM as it is now, for the kernels */
    uint64_t *data_spins;      /* (batch, words): the mini-batch, */
    float *data_lambda;        /* (batch, stride): and the mean hidden units it implies */
    isg_states batch;          /* from the data; without `chains` it is swept K times */
    isg_states chains;         /* option.persistent: go on from update to update */
    size_t *order;             /* option.shuffle: the samples (n_samples) of epoch order_of - 1 */
    uint64_t order_of;

    double *sums;        /* (panels, ISG_PANEL, stride): of s_i lambda, data less chains */
    double *field_sums;  /* (panels, ISG_PANEL): of s_i, likewise */
    double *hidden_sums; /* (n_hidden): of lambda, likewise */

    /* Before the update under way, in case it diverges: */
    double *old_weights, *old_b, *old_c;
    uint64_t *old_chains;
};

/* Packs W, b and c of the RBM as they are now. */
isg_status isg_trainer_pack(isg_trainer *trainer);

/* What isg_trainer_save() writes, into an archive of the caller's, and isg_trainer_load() reads, from
   one that is open; `prefix`, at most 40 bytes, begins the names of all members. */
isg_status isg_trainer_write(const isg_trainer *trainer, isg_npz_writer *writer,
                             const char *prefix);
isg_status isg_trainer_read(isg_trainer *trainer, isg_zip *zip, const char *prefix);

#endif
