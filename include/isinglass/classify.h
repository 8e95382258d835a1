/* isinglass/classify.h - experts, and classifiers of their features by logistic regression
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_CLASSIFY_H
#define ISINGLASS_CLASSIFY_H

#include "isinglass/mapping.h"
#include "isinglass/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Logistic regression --------------------------------------------------------------------- */

/* The last stage of a classifier: p(class k | x) ~ exp(intercept_k + sum_j coefficient_kj z_j), with
   z_j a standardized feature. */

typedef enum isg_logistic_method {
    ISG_LOGISTIC_AUTO,   /* Newton for small problems, else L-BFGS */
    ISG_LOGISTIC_NEWTON, /* damped, with a Cholesky factor: memory ~ (n_classes * n_features)^2 */
    ISG_LOGISTIC_LBFGS   /* then conjugate gradients once rounding stops it */
} isg_logistic_method;

/* Start from isg_logistic_defaults(); defaults are in brackets. */
typedef struct isg_logistic_options {
    isg_logistic_method method; /* [ISG_LOGISTIC_AUTO] */
    double l2;     /* l2 / 2 |coefficients|^2 is added to the SUM of the losses, so l2 is 1 / C
                         of scikit-learn; intercepts are not penalized [1e-3] */
    bool balanced; /* a sample of a class of n_c samples weighs n_samples / (n_classes n_c), so that
                      all classes weigh the same, as class_weight='balanced' of scikit-learn; means
                      and scales of features are of the samples as they are [false] */
    bool standardize; /* if false, means are 0 and scales 1, and the penalty applies to raw features
                         [true] */
    double tolerance; /* for the largest entry of the gradient of the mean loss, always with respect
                         to standardized features [1e-10] */
    size_t max_iterations; /* [5000] */
} isg_logistic_options;

/* The fit minimizes loss + penalty. A fit that does not converge still returns ISG_OK, with
   `converged` false: with l2 = 0 there may be no minimum, if the classes can be separated, or many,
   in which case the fit finds one with small coefficients. A feature that varies by less than 1e-50
   gets scale 1 and coefficients 0. */
typedef struct isg_logistic_report {
    isg_logistic_method method; /* the one used */
    bool converged;             /* a minimum exists and the gradient is within the tolerance */
    size_t iterations;          /* Newton steps, or L-BFGS and conjugate-gradient steps */
    double gradient;            /* its largest entry, as for the tolerance */
    double loss;                /* mean of -ln p(label | x), in nats, weighted if balanced */
    double penalty;             /* l2 / 2 |coefficients|^2 / n_samples */
    char reason
        [160]; /* if not converged, why, as a sentence without a trailing period; else empty */
} isg_logistic_report;

ISG_API isg_logistic_options isg_logistic_defaults(void);

/* ---- Experts: one RBM for every class -------------------------------------------------------- */

/* The expert of a class starts from its samples and is trained on them alone (section 3.2 of the
   paper), with its own random numbers, a function of the seed and the class. Alternatively, one
   joint expert is trained on all classes and their labels: see isg_dataset_append_labels(). */
typedef struct isg_experts isg_experts;

/* Start from isg_expert_defaults(); defaults are in brackets. */
typedef struct isg_expert_options {
    bool joint;       /* one for all classes, on data with appended labels [false] */
    size_t per_class; /* hidden units per class; fewer where patterns are dependent [10] */
    bool cap;         /* fewer for a class with fewer samples, see isg_start_options [false] */
    isg_start start;  /* [ISG_START_HOPFIELD] */
    double deviation; /* of the weights of ISG_START_NORMAL [0.1] */
    double beta;      /* [2] */
    isg_train_options train; /* without learn_beta, since experts share one beta, and without
                                ISG_CONSTRAINT_SPAN [isg_train_defaults(), but shuffled] */
} isg_expert_options;

ISG_API isg_expert_options isg_expert_defaults(void);

/* Copies the data it needs. `options` and `progress`, which reports on the clustering, may be NULL.
   ISG_ERR_ARGUMENT if fewer than two classes have samples, or if a class, which is named, has too
   few for this start. */
ISG_API isg_status isg_experts_create(isg_experts **out, const isg_dataset *data,
                                      const isg_expert_options *options,
                                      const isg_progress *progress);
ISG_API void isg_experts_free(isg_experts *experts); /* NULL is fine */

typedef struct isg_experts_info {
    size_t n_experts;
    size_t n_classes;
    size_t n_visible;
    size_t n_hidden; /* of all experts together */
    uint64_t epochs; /* finished by all */
    size_t next;     /* the expert that isg_experts_step() trains next */
} isg_experts_info;

ISG_API isg_experts_info isg_experts_describe(const isg_experts *experts);
ISG_API isg_rbm *isg_experts_rbm(const isg_experts *experts, size_t k); /* do not change it */

/* Finishes the current epoch, or trains the next one of the expert that is furthest behind, the
   first of equals; see isg_trainer_epoch(). `progress` may be NULL. */
ISG_API isg_status isg_experts_step(isg_experts *experts, const isg_progress *progress);

/* Begin or resume a run of experts, which must outlive it, with checkpoints as written by
   isg_experts_save(); see isg_run_begin() and isg_run_resume() in train.h. If resuming fails, free
   the experts, as after isg_experts_load(). */
ISG_API isg_status isg_run_begin_experts(isg_run *run, const char *settings, isg_experts *experts,
                                         double save_every_s);
ISG_API isg_status isg_run_resume_experts(isg_run *run, isg_experts *experts, double save_every_s);

/* Save everything that new experts with the same data and options need to continue as if they had
   never stopped, and load it. A file from other experts (ISG_ERR_SHAPE) or a damaged file
   (ISG_ERR_FORMAT) is refused; free the experts then, since some may have been loaded and others
   not. */
ISG_API isg_status isg_experts_save(const isg_experts *experts, const char *path);
ISG_API isg_status isg_experts_load(isg_experts *experts, const char *path);

/* ---- Classification -------------------------------------------------------------------------- */

/* Logistic regression on features that one or more RBMs compute from a sample. */
typedef struct isg_classifier isg_classifier;

typedef enum isg_features {
    ISG_FEATURES_ENERGY, /* one per RBM: -2 H(s) = |W^T s + c|^2 - |c|^2 + 2 b.s (Eq. 16) */
    ISG_FEATURES_HIDDEN, /* one per hidden unit: (W^T s + c)_mu */
    ISG_FEATURES_SQUARES /* and its square */
} isg_features;

/* Fits the classes of `data`; the RBMs are copied. `options`, `report` and `progress` may be NULL.
   The result is bit-identical on any number of threads and with any instruction set. Where values
   are missing (isg_dataset_missing()), here and in predictions, every RBM computes its features from
   the values that it holds most probable. ISG_ERR_ARGUMENT if there are no labels, fewer than two classes, or a class without samples. */
ISG_API isg_status isg_classifier_fit(isg_classifier **out, const isg_rbm *const *rbms,
                                      size_t n_rbms, isg_features kind, const isg_dataset *data,
                                      const isg_logistic_options *options,
                                      isg_logistic_report *report, const isg_progress *progress);

/* A building block: the samples with one more unit per class, +1 for the sample's class, -1 for the
   others. */
ISG_API isg_status isg_dataset_append_labels(isg_dataset **out, const isg_dataset *data);

/* The classifier that is exactly equivalent to an RBM over spins s and appended labels t:
       p(class | s) ~ exp(beta |W_s^T s + W_t^T t + c|^2 / 2 + beta b_t.t),  t = +1 for the class, else -1
   whose exponents are linear in s, up to a common term: a logistic regression on the hidden units.
   The class names are those of `data`; its units plus its classes must be the visible units of the
   RBM. */
ISG_API isg_status isg_classifier_from_labels(isg_classifier **out, const isg_rbm *rbm,
                                              const isg_dataset *data);

ISG_API void isg_classifier_free(isg_classifier *classifier); /* NULL is fine */

/* How a classifier is fine-tuned, see isg_tuner below. Start from isg_tune_defaults(); defaults are in
   brackets. */
typedef struct isg_tune_options {
    size_t epochs; /* the rates fall linearly to zero over all updates of these [12] */
    size_t
        batch_size; /* samples per update; the last batch of an epoch may have fewer and then takes
                           a proportionally smaller step [100] */
    double rate;    /* of the first step of the weights W [1e-3] */
    double logits_rate; /* and of the coefficients and intercepts [1e-2] */
    size_t shift;  /* images are moved by up to so many pixels in both directions, drawn anew every
                           time; what enters is -1 [0] */
    bool balanced; /* all classes weigh the same, as in isg_logistic_options [false] */
    uint64_t seed; /* same seed, same classifier, on any number of threads [1] */
} isg_tune_options;

typedef struct isg_classifier_info {
    size_t n_classes;
    size_t n_visible;
    size_t n_rbms;
    size_t n_hidden; /* of all RBMs together */
    isg_features features;
    size_t image_height; /* 0 if the visible units are not an image */
    size_t image_width;
    uint64_t tuned_epochs;  /* of fine-tuning behind it; 0 if there were none */
    isg_tune_options tuned; /* and how; all zero if there were none */
} isg_classifier_info;

ISG_API isg_classifier_info isg_classifier_describe(const isg_classifier *classifier);
ISG_API const char *isg_classifier_class_name(const isg_classifier *classifier, size_t k);

/* How its training data became spins, and the names of the units; NULL if unknown. */
ISG_API const isg_encoding *isg_classifier_encoding(const isg_classifier *classifier);

/* Writes the most probable class of every sample, the first of equals, to labels (n_samples),
   unless NULL, and all probabilities (n_samples, n_classes), unless their data pointer is NULL.
   Classes are numbered as in the classifier. ISG_ERR_SHAPE if sizes disagree. `progress` may be
   NULL. */
ISG_API isg_status isg_classifier_predict(const isg_classifier *classifier, const isg_dataset *data,
                                          uint32_t *labels, isg_matd probabilities,
                                          const isg_progress *progress);

/* The exponents intercept_k + sum_j coefficient_kj z_j to `out` (n_samples, n_classes): their softmax
   are those probabilities, and the largest is that of the most probable class, unless two are equal
   up to rounding. `progress` may be NULL. */
ISG_API isg_status isg_classifier_decisions(const isg_classifier *classifier,
                                            const isg_dataset *data, isg_matd out,
                                            const isg_progress *progress);

/* What is inside: a copy of RBM number k, with image shape and encoding, where its temperature is known
   (ISG_ERR_UNSUPPORTED: not if the labels were units of it); the coefficients (n_classes, n_features)
   of standardized features; and the intercepts (n_classes). */
ISG_API isg_status isg_classifier_copy_rbm(isg_rbm **out, const isg_classifier *classifier,
                                           size_t k);
ISG_API isg_matd_view isg_classifier_coefficients(const isg_classifier *classifier);
ISG_API const double *isg_classifier_intercepts(const isg_classifier *classifier);

/* The true labels (n_samples) in the classifier's numbering, matched by name; ISG_UNLABELLED for a
   sample without one. ISG_ERR_ARGUMENT if
   the data have no labels, or a class that is unknown to the classifier. */
ISG_API isg_status isg_classifier_truth(const isg_classifier *classifier, const isg_dataset *data,
                                        uint32_t *labels);

/* A .npz with W (N, p) of all RBMs side by side, hidden (n_rbms), the columns of each,
   b (n_rbms, N), c (p), beta (n_rbms), is_hidden, 0, 1 or 2 for energies, hidden units or their
   squares, classes, means and scales (n_features),
   coefficients (n_classes, n_features) and intercepts (n_classes); after fine-tuning also tuning.json,
   which says how; `command` is recorded in its meta.json. Loading restores every bit. */
ISG_API isg_status isg_classifier_save(const isg_classifier *classifier, const char *path,
                                       uint64_t seed, const char *command);
ISG_API isg_status isg_classifier_load(isg_classifier **out, const char *path);

/* The same in memory: the bytes of that very file, to be released by isg_bytes_free(). `name` begins
   error sentences [NULL: "bytes"]. */
ISG_API isg_status isg_classifier_to_bytes(const isg_classifier *classifier, uint64_t seed,
                                           const char *command, void **bytes, size_t *size);
ISG_API isg_status isg_classifier_from_bytes(isg_classifier **out, const char *name,
                                             const void *bytes, size_t size);

/* ---- Fine-tuning ----------------------------------------------------------------------------- */

/* Backpropagation through the features, for the classes instead of for the density: the weights W of
   all RBMs, the coefficients and the intercepts follow the gradient of the cross entropy of mini-batches,
   by Adam. The exponents are coefficients f / S + intercepts with S = N for energies and squares,
   sqrt(N) for hidden units, and start where the classifier is; the fields b and c stay. Samples are
   visited in a new order every epoch. */
typedef struct isg_tuner isg_tuner;

typedef struct isg_tuner_info {
    isg_train_state state;
    double
        loss; /* mean cross entropy in the epoch just finished, each sample when its turn came; NaN
                     at the start and within an epoch */
    double error; /* the share of the samples misclassified then */
} isg_tuner_info;

ISG_API isg_tune_options isg_tune_defaults(void);

/* Copies the classifier to start from, borrows the data, which must outlive the tuner; `options` may
   be NULL. ISG_ERR_SHAPE if they disagree on n_visible; ISG_ERR_ARGUMENT for invalid options, a sample
   without a label or with one that is unknown to the classifier, or shifts of what is no image;
   ISG_ERR_UNSUPPORTED if values are missing. */
ISG_API isg_status isg_tuner_create(isg_tuner **out, const isg_classifier *start,
                                    const isg_dataset *data, const isg_tune_options *options);
ISG_API void isg_tuner_free(isg_tuner *tuner); /* NULL is fine */
ISG_API isg_tuner_info isg_tuner_describe(const isg_tuner *tuner);

/* Finishes the current epoch, or does the next one. If `progress`, called after every update, cancels
   or an update diverges (ISG_ERR_DIVERGED), the tuner keeps the state after the last good update and
   can continue. ISG_ERR_ARGUMENT if all epochs are done. `progress` may be NULL. */
ISG_API isg_status isg_tuner_epoch(isg_tuner *tuner, const isg_progress *progress);

/* The classifier as it is now, as a copy. */
ISG_API isg_status isg_tuner_classifier(isg_classifier **out, const isg_tuner *tuner);

/* Save everything needed to continue as if it had never stopped, and make a tuner of that. Such a
   file is a classifier, too. A file of other data or options (ISG_ERR_SHAPE) or a damaged file
   (ISG_ERR_FORMAT) is refused. */
ISG_API isg_status isg_tuner_save(const isg_tuner *tuner, const char *path);
ISG_API isg_status isg_tuner_load(isg_tuner **out, const char *path, const isg_dataset *data,
                                  const isg_tune_options *options);

/* Begin or resume a run of a tuner, which must outlive it, with such checkpoints; see isg_run_begin()
   and isg_run_resume() in train.h. */
ISG_API isg_status isg_run_begin_tuner(isg_run *run, const char *settings, isg_tuner *tuner,
                                       double save_every_s);
ISG_API isg_status isg_run_resume_tuner(isg_run *run, isg_tuner **out, const isg_dataset *data,
                                        const isg_tune_options *options, double save_every_s);

#ifdef __cplusplus
}
#endif

#endif
