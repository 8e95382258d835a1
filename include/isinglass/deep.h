/* isinglass/deep.h - an RBM with a layer on top: a Gaussian of its hidden units for every class
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_DEEP_H
#define ISINGLASS_DEEP_H

#include "isinglass/rbm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Deep models ----------------------------------------------------------------------------- */

/* A directed model on an RBM (n_visible, n_hidden, W, b, c, beta):

       class k with probability share_k,   lambda | k ~ Normal(mean_k, covariance_k + 1 / beta),
       spin i is +1 with probability 1 / (1 + exp(-2 beta x_i)),   x = W lambda + b

   p(s | lambda) is that of the RBM, and q(lambda | s) = Normal(W^T s + c, 1 / beta), its p(lambda | s),
   stands for the posterior. With labels, the bound on ln p(s, k) is largest where mean_k and
   covariance_k are those of W^T s + c in class k: the fit is closed form. It needs no ln Z, samples
   are independent, and the classes have probabilities given s. docs/design/0020-deep.md derives it. With several Gaussians per class, the sum over k runs over all. */
typedef struct isg_deep_model isg_deep_model;

/* What the covariance of a class is mixed with. */
typedef enum isg_shrink {
    ISG_SHRINK_POOLED,  /* the mean of the covariances of all classes, weighted by their shares */
    ISG_SHRINK_DIAGONAL /* its own diagonal */
} isg_shrink;

/* Start from isg_deep_defaults(); defaults are in brackets. */
typedef struct isg_deep_options {
    const double *betas; /* (n_betas) to choose from [NULL: uphill from that of the RBM, in steps of
                            2^(1/4), then to the top of the parabola through the best three] */
    size_t n_betas;
    const double *shrinkages; /* (n_shrinkages) to choose from, 0 (none) to 1 (nothing else)
                                 [NULL: 0, 0.01, 0.03, 0.1, 0.3, 1] */
    size_t n_shrinkages;
    isg_shrink toward; /* [ISG_SHRINK_POOLED] */
    size_t
        parts; /* Gaussians per class, a mixture that is fitted by expectation and maximization [1] */
    double hold_out; /* the share of every class on which the candidates are compared, unless there
                          is only one, after a fit to the others [0.1] */
    bool one_class;  /* a single Gaussian for all samples, whatever their labels [false] */
    uint64_t seed;   /* of what is held out [1] */
} isg_deep_options;

ISG_API isg_deep_options isg_deep_defaults(void);

/* Fits it to data, all of them once beta and shrinkage have been chosen by the held-out mean of the
   bound on ln p(s). The RBM is copied; in the copy, beta is the one chosen, and
   an encoding and image shape that it lacks are those of the data. Samples without a label are
   left out; missing values are taken as the majority. `options` and `progress` may be NULL.
   ISG_ERR_ARGUMENT without labels, for a class without samples, and for too few samples to hold some
   out; ISG_ERR_SHAPE if the units disagree. */
ISG_API isg_status isg_deep_model_fit(isg_deep_model **out, const isg_rbm *rbm,
                                      const isg_dataset *data, const isg_deep_options *options,
                                      const isg_progress *progress);
ISG_API void isg_deep_model_free(isg_deep_model *model); /* NULL is fine */

typedef struct isg_deep_model_info {
    size_t n_visible;
    size_t n_hidden;
    size_t n_classes;
    size_t parts; /* Gaussians per class */
    double beta;
    double rbm_beta; /* of the RBM it was fitted on */
    double shrinkage;
    isg_shrink toward;
    size_t image_height; /* 0 if the visible units are not an image */
    size_t image_width;
} isg_deep_model_info;

ISG_API isg_deep_model_info isg_deep_model_describe(const isg_deep_model *model);

/* What is inside: its RBM at its beta, to be copied rather than changed; the name of class k (NULL
   if there is no such class); and of Gaussian k, where those of class l are l parts to (l + 1) parts - 1,
   the share, the mean (n_hidden) and the covariance (n_hidden, n_hidden) of W^T s + c, shrunk, without
   the 1 / beta. */
ISG_API const isg_rbm *isg_deep_model_rbm(const isg_deep_model *model);
ISG_API const char *isg_deep_model_class_name(const isg_deep_model *model, size_t k);
ISG_API double isg_deep_model_share(const isg_deep_model *model, size_t k);
ISG_API const double *isg_deep_model_mean(const isg_deep_model *model, size_t k);
ISG_API isg_matd_view isg_deep_model_covariance(const isg_deep_model *model, size_t k);

/* One candidate, fitted to part of the data and tried on the rest. */
typedef struct isg_deep_trial {
    double beta, shrinkage;
    size_t parts; /* Gaussians per class */
    double elbo;  /* mean bound on ln p(s) of the samples held out */
    double error; /* the share of them that p(class | s) gets wrong; NaN with a single class */
} isg_deep_trial;

/* What isg_deep_model_fit() tried, in this order; none if it had no choice, or for a loaded model. */
ISG_API const isg_deep_trial *isg_deep_model_trials(const isg_deep_model *model, size_t *count);

/* ---- Likelihood, classes, samples ------------------------------------------------------------ */

/* Means over samples, in nats, with standard errors; NaN where there are no samples. */
typedef struct isg_elbo {
    double value, error;                   /* lower bound on ln p(s):
                              E_q[ln p(s | lambda)] + H(q) + ln sum_k exp(ln share_k + E_q[ln p(lambda | k)]) */
    double reconstruction;                 /* its first term */
    double divergence;                     /* what is missing from that, of q from the prior */
    double labelled_value, labelled_error; /* bound on ln p(s, k), which knows the class */
    size_t n_samples, n_labelled;
} isg_elbo;

/* Also writes the bound on ln p of every sample to `each` (n_samples), unless NULL. Classes are matched
   by name; samples of classes that the model does not know count as unlabelled. ISG_ERR_SHAPE if the
   units disagree. `progress` may be NULL. */
ISG_API isg_status isg_deep_model_elbo(const isg_deep_model *model, const isg_dataset *data,
                                       isg_elbo *out, double *each, const isg_progress *progress);

/* p(class | s). Both are exact for Gaussians with these moments. */
typedef enum isg_deep_rule {
    ISG_DEEP_BOUND, /* ~ share_k exp(E_q[ln p(lambda | k)]), for which the bound on ln p(s) is largest */
    ISG_DEEP_QUADRATIC /* quadratic discriminants: ~ share_k Normal(W^T s + c; mean_k, covariance_k) */
} isg_deep_rule;

/* Writes the most probable class of every sample, the first of equals, to labels (n_samples), unless
   NULL, and all probabilities (n_samples, n_classes), unless their data pointer is NULL.
   ISG_ERR_SHAPE if sizes disagree; ISG_ERR_UNSUPPORTED for quadratic discriminants if a covariance is
   singular, since its class had too few samples and was not shrunk. `progress` may be NULL. */
ISG_API isg_status isg_deep_model_predict(const isg_deep_model *model, const isg_dataset *data,
                                          isg_deep_rule rule, uint32_t *labels,
                                          isg_matd probabilities, const isg_progress *progress);

/* The true labels (n_samples) in the numbering of the model, matched by name; ISG_UNLABELLED for a
   sample without one. ISG_ERR_ARGUMENT if the data have no labels, or a class that is unknown to the
   model. */
ISG_API isg_status isg_deep_model_truth(const isg_deep_model *model, const isg_dataset *data,
                                        uint32_t *labels);

/* `count` independent samples, labelled by class. `classes` (count) says of which class each is; NULL:
   drawn by the shares. `beta` is that of the spins given lambda, and infinite for the most probable
   spins [0: the model's]. Sample number k depends only on the model, the seed, k and its class.
   `lambda` (count, n_hidden), unless its data pointer is NULL, gets the hidden units. */
ISG_API isg_status isg_deep_model_sample(isg_dataset **out, const isg_deep_model *model,
                                         const uint32_t *classes, size_t count, double beta,
                                         uint64_t seed, isg_matd lambda);

/* ---- Files ----------------------------------------------------------------------------------- */

/* The .npz of the RBM (see isg_rbm_save()), with its beta, and besides classes, shares (n_parts), means
   (n_parts, n_hidden), covariances (n_parts, n_hidden, n_hidden), and top, which is rbm_beta,
   shrinkage and toward; `command` is recorded in its meta.json. isg_rbm_load() reads the RBM from it.
   Loading restores every bit. ISG_ERR_FORMAT for an RBM without a top layer. */
ISG_API isg_status isg_deep_model_save(const isg_deep_model *model, const char *path, uint64_t seed,
                                       const char *command);
ISG_API isg_status isg_deep_model_load(isg_deep_model **out, const char *path);

/* The same in memory: the bytes of that very file, to be released by isg_bytes_free(). `name` begins
   error sentences [NULL: "bytes"]. */
ISG_API isg_status isg_deep_model_to_bytes(const isg_deep_model *model, uint64_t seed,
                                           const char *command, void **bytes, size_t *size);
ISG_API isg_status isg_deep_model_from_bytes(isg_deep_model **out, const char *name,
                                             const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
