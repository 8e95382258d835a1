/* tuner.h - what is inside an isg_tuner
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TUNER_H
#define ISG_TUNER_H

#include "classify/adam.h"
#include "classify/classify.h"
#include "classify/shift.h"
#include "train/train.h"

/* What is learned: W (N, p), coefficients M (n_classes, n_features) and intercepts (n_classes). */
typedef struct isg_tuned {
    isg_adam weights, coefficients, intercepts;
} isg_tuned;

struct isg_tuner {
    isg_classifier *model;   /* as it is now */
    const isg_dataset *data; /* borrowed */
    isg_tune_options option;
    uint32_t *truth;       /* (n_samples): the class of each, numbered as in the model */
    double *class_weights; /* (n_classes) */
    char data_sha256[65], labels_sha256[65];
    isg_train_state state;
    double loss_sum; /* in the current epoch, or the last if none has begun */
    uint64_t wrong;  /* and samples misclassified */

    isg_tuned now, next; /* the values of `now` are those of the model, which owns them */
    double scale;        /* S: features are divided by it */
    double *no_b, *no_c; /* (n_visible), (n_hidden): zeros, since the fields are added in double */
    size_t *order;       /* the samples (n_samples) of epoch order_of - 1 */
    uint64_t order_of;
    isg_shifts shifts; /* option.shift > 0 */

    size_t thread_products; /* as many products of an update are worth a thread */

    /* Of the mini-batch: */
    size_t count;      /* samples */
    uint64_t *spins;   /* (batch, words) */
    int32_t *input;    /* (batch, stride) */
    double *features;  /* (batch, n_features), divided by S */
    double *residuals; /* (batch, n_classes): of the loss with respect to the exponents */
    double *losses;    /* (batch) */
    bool *is_wrong;    /* (batch) */
    double *slopes;    /* (batch, n_features): of the loss with respect to features */
    float *pulls;      /* (batch, stride): and to W^T s */

    double *sums; /* (panels, ISG_PANEL, stride): of s_i pulls */
    double
        *class_sums; /* (n_classes, n_features + 1): of residuals times features, and residuals */
};

/* For the start, which is copied. */
isg_status isg_tuner_make(isg_tuner **out, const isg_classifier *start, const isg_dataset *data,
                          const isg_tune_options *options);

/* Like isg_tuner_epoch(), but does at most `updates` updates. */
isg_status isg_tuner_advance(isg_tuner *tuner, uint64_t updates, const isg_progress *progress);

/* ---- tuner_gradient.c: the parts of an update, for a team of threads ------------------------------ */

/* Chooses the samples of the next mini-batch. */
void isg_tuner_begin(isg_tuner *tuner);

/* Some of them: spins, features, losses and how these pull at W^T s. */
void isg_tuner_look(isg_tuner *tuner, isg_rows rows);

/* Then the sums over all of them, of one panel of W and of one class; the gradients are the sums
   divided by `count`. */
void isg_tuner_sum_panel(isg_tuner *tuner, size_t panel);
void isg_tuner_sum_class(isg_tuner *tuner, size_t k);

#endif
