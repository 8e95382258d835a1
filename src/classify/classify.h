/* classify.h - logistic regression, the features it sees, and a classifier made of both
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CLASSIFY_H
#define ISG_CLASSIFY_H

#include "data/data.h"
#include "io/npz.h"
#include "isinglass/classify.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

/* ---- Logistic regression ------------------------------------------------------------------------ */

/* p(class k | x) = exp(u_k) / sum_l exp(u_l),  u_k = intercept_k + sum_j coefficient_kj z_j, where
   z_j = (x_j - mean_j) / scale_j is a standardized feature. All classes have coefficients, and the
   intercepts sum to zero. */
typedef struct isg_logistic {
    size_t n_classes, n_features;
    double *means, *scales; /* (n_features) */
    double *coefficients;   /* (n_classes, n_features) */
    double *intercepts;     /* (n_classes) */
} isg_logistic;

/* Fits features (n_samples, n_features) to labels (n_samples) below n_classes; `options`, `report`
   and `progress` may be NULL. Bit-identical on any number of threads; copies the features once.
   ISG_ERR_ARGUMENT for a feature that is not finite or beyond 1e100 in size, with its row and
   column from 0, for fewer than two classes, for a class without samples and for a label that is
   not a class. */
isg_status isg_logistic_fit(isg_logistic **out, isg_matd_view features, const uint32_t *labels,
                            size_t n_classes, const isg_logistic_options *options,
                            isg_logistic_report *report, const isg_progress *progress);

/* From its numbers, copied: means and scales (n_features), coefficients (n_classes, n_features) and
   intercepts (n_classes). ISG_ERR_ARGUMENT for sizes beyond 1e100, or scales below 1e-50. */
isg_status isg_logistic_create(isg_logistic **out, size_t n_classes, size_t n_features,
                               const double *means, const double *scales,
                               const double *coefficients, const double *intercepts);

void isg_logistic_free(isg_logistic *model); /* NULL is fine */

/* Writes the most probable class of every row of features (n_samples, n_features), the first of
   equals, to labels (n_samples), unless NULL, and all probabilities (n_samples, n_classes), unless
   their data pointer is NULL. ISG_ERR_ARGUMENT for features as above; ISG_ERR_SHAPE if sizes
   disagree. */
isg_status isg_logistic_predict(const isg_logistic *model, isg_matd_view features, uint32_t *labels,
                                isg_matd probabilities);

/* The exponents u_k of every row instead, to out (n_samples, n_classes). */
isg_status isg_logistic_decisions(const isg_logistic *model, isg_matd_view features, isg_matd out);

/* ---- Features: what RBMs side by side compute from a sample ------------------------------------- */

/* The columns starts[k] to starts[k + 1] - 1 belong to RBM number k. */
typedef struct isg_feature_map {
    isg_features kind;
    size_t n_visible, n_rbms, n_hidden;
    size_t *starts;  /* (n_rbms + 1) */
    double *weights; /* W (n_visible, n_hidden) */
    double *b;       /* (n_rbms, n_visible) */
    double *c;       /* (n_hidden) */
    double *betas;   /* (n_rbms); 0 if unknown */
    bool has_b;      /* whether some b is not zero; see isg_feature_map_pack() */
    isg_gibbs_weights packed;
} isg_feature_map;

/* For RBMs of these sizes, all zero. Release it after a failure too. */
isg_status isg_feature_map_create(isg_feature_map *map, isg_features kind, size_t n_visible,
                                  const size_t *n_hidden, size_t n_rbms);
void isg_feature_map_release(isg_feature_map *map);

/* A copy of the first n_visible units of these RBMs, ready for use. */
isg_status isg_feature_map_of(isg_feature_map *map, isg_features kind, const isg_rbm *const *rbms,
                              size_t n_rbms, size_t n_visible);

/* ISG_ERR_ARGUMENT without RBMs or for another kind, ISG_ERR_SHAPE unless all have n_visible units. */
isg_status isg_features_check(const isg_rbm *const *rbms, size_t n_rbms, isg_features kind,
                              size_t n_visible);

/* Call it once W, b and c are set. ISG_ERR_DIVERGED if they are not finite. */
isg_status isg_feature_map_pack(isg_feature_map *map);

/* The number of features: one per RBM or per hidden unit. */
static inline size_t isg_feature_count(const isg_feature_map *map) {
    return map->kind == ISG_FEATURES_ENERGY ? map->n_rbms : map->n_hidden;
}

/* Features of rows `first` to first + out.rows - 1 of the data. Values that are missing are taken as
   the majority. */
isg_status isg_feature_map_apply(const isg_feature_map *map, const isg_dataset *data, size_t first,
                                 isg_matd out);

/* The features of one sample, `out` (features), from its row of input (map->packed.stride). */
void isg_features_of(const isg_feature_map *map, const int32_t *input, const uint64_t *spins,
                     double *out);

/* From a gradient with respect to these (features) to one with respect to (W^T s)_mu: `out` (n_hidden). */
void isg_features_pull(const isg_feature_map *map, const int32_t *input, const double *slopes,
                       float *out);

/* RBM number k, as a copy. ISG_ERR_UNSUPPORTED if the temperatures are unknown. */
isg_status isg_feature_map_rbm(isg_rbm **out, const isg_feature_map *map, size_t k);

/* The data as each RBM completes them (n_rbms), whose features are then those of RBM k in data set k;
   NULL if nothing is missing. ISG_ERR_UNSUPPORTED if the temperatures are unknown. `progress` may be
   NULL. */
isg_status isg_feature_map_complete(isg_dataset ***out, const isg_feature_map *map,
                                    const isg_dataset *data, const isg_progress *progress);
void isg_completions_free(isg_dataset **completions, size_t count); /* NULL is fine */

/* isg_feature_map_apply() for the data, or for their completions if these are not NULL. */
isg_status isg_feature_map_apply_all(const isg_feature_map *map, const isg_dataset *data,
                                     isg_dataset *const *completions, size_t first, isg_matd out);

/* ---- Classifiers -------------------------------------------------------------------------------- */

struct isg_classifier {
    isg_labels classes; /* one label for each */
    isg_feature_map map;
    isg_logistic *logistic;
    size_t image_height, image_width; /* 0 if the visible units are not an image */
    isg_encoding *encoding;           /* of the training data; NULL if unknown */
    uint64_t tuned_epochs;            /* of fine-tuning; 0: none, and `tuned` is all zero */
    isg_tune_options tuned;
};

isg_status isg_classifier_copy(isg_classifier **out, const isg_classifier *classifier);

/* Writes what isg_classifier_save() does to an open archive. */
isg_status isg_classifier_write(const isg_classifier *classifier, uint64_t seed,
                                const char *command, isg_npz_writer *writer);

/* How it was fine-tuned, as tuning.json; nothing if it was not. Reading sets nothing then. */
isg_status isg_tuned_write(const isg_classifier *classifier, isg_npz_writer *writer);
isg_status isg_tuned_read(isg_classifier *classifier, isg_zip *zip);

/* ISG_ERR_ARGUMENT for options that cannot be. */
isg_status isg_tune_check(const isg_tune_options *options);

/* Reads a classifier from an open archive, as isg_classifier_load() does from a file. */
isg_status isg_classifier_read(isg_classifier **out, isg_zip *zip);

#endif
