/* expert_features.h - RBMs side by side, and what they make of a sample
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_EXPERT_FEATURES_H
#define ISG_EXPERT_FEATURES_H

#include "isinglass/classify.h"
#include "rbm/rbm.h"
#include "sample/sample.h"

/* The columns starts[k] to starts[k + 1] - 1 belong to RBM number k. */
typedef struct isg_feature_map {
    isg_features kind;
    size_t n_visible, n_rbms, n_hidden;
    size_t *starts;  /* (n_rbms + 1) */
    double *weights; /* W (n_visible, n_hidden) */
    double *b;       /* (n_rbms, n_visible) */
    double *c;       /* (n_hidden) */
    bool has_b;      /* whether some b is not zero; see isg_feature_map_pack() */
    isg_gibbs_weights packed;
} isg_feature_map;

/* Room for RBMs of these sizes, all zero. Release it after a failure too. */
isg_status isg_feature_map_create(isg_feature_map *map, isg_features kind, size_t n_visible,
                                  const size_t *n_hidden, size_t n_rbms);
void isg_feature_map_release(isg_feature_map *map);

/* A copy of the first n_visible units of these RBMs, ready for use. */
isg_status isg_feature_map_of(isg_feature_map *map, isg_features kind, const isg_rbm *const *rbms,
                              size_t n_rbms, size_t n_visible);

/* ISG_ERR_ARGUMENT without RBMs or for another kind, ISG_ERR_SHAPE unless all have n_visible units. */
isg_status isg_features_check(const isg_rbm *const *rbms, size_t n_rbms, isg_features kind,
                              size_t n_visible);

/* To be called once W, b and c are in place. ISG_ERR_DIVERGED if they are not finite. */
isg_status isg_feature_map_pack(isg_feature_map *map);

/* The number of features: of RBMs or of hidden units. */
static inline size_t isg_feature_count(const isg_feature_map *map) {
    return map->kind == ISG_FEATURES_ENERGY ? map->n_rbms : map->n_hidden;
}

/* Features of rows `first` to first + out.rows - 1 of the data. */
isg_status isg_feature_map_apply(const isg_feature_map *map, const isg_dataset *data, size_t first,
                                 isg_matd out);

#endif
