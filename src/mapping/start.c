/* start.c - the RBM that training starts from
 *
 * SPDX-License-Identifier: MIT
 *
 * The paper's point is that a Hopfield network is a good start; the others serve for comparison
 * (section 3.1). To add a start, add a value of isg_start and a case below.
 */
#include "base/memory.h"
#include "data/data.h"
#include "isinglass/mapping.h"
#include "patterns/patterns.h"
#include "rbm/rbm.h"

isg_start_options isg_start_defaults(void) {
    return (isg_start_options){
        .kind = ISG_START_HOPFIELD, .per_class = 1, .beta = 2, .deviation = 0.1, .seed = 1};
}

/* The RBM of the given patterns, or of patterns made from the data. */
static isg_status start_from_patterns(isg_rbm **out, const isg_start_options *options,
                                      const isg_patterns *patterns, const isg_dataset *data,
                                      const isg_progress *progress) {
    const isg_pattern_options how = {.per_class = options->per_class, .cap = options->cap};
    const isg_mapping_options mapping = {.via = options->kind == ISG_START_HEBBIAN ? ISG_VIA_HEBBIAN
                                                                                   : ISG_VIA_QR,
                                         .beta = options->beta,
                                         .allow_rank_deficient = options->allow_rank_deficient};
    isg_patterns *own = NULL;
    if (!patterns)
        ISG_TRY(isg_patterns_from_data(&own, data, &how, progress));
    const isg_status status = isg_rbm_from_patterns(out, patterns ? patterns : own, &mapping, NULL);
    isg_patterns_free(own);
    return status;
}

static isg_status make(isg_rbm **out, const isg_start_options *options,
                       const isg_patterns *patterns, const isg_dataset *data,
                       const isg_progress *progress) {
    size_t n_hidden = options->n_hidden;
    if (n_hidden == 0 && !isg_multiply(&n_hidden, options->per_class, isg_dataset_groups(data)))
        return isg_fail(ISG_ERR_MEMORY, "%zu hidden units per class do not fit in memory",
                        options->per_class);
    switch (options->kind) {
    case ISG_START_HOPFIELD:
    case ISG_START_HEBBIAN:
        return start_from_patterns(out, options, patterns, data, progress);
    case ISG_START_PCA:
    case ISG_START_AXES:
        return isg_rbm_start_pca(out, data,
                                 options->kind == ISG_START_PCA ? ISG_AXES_OF_COVARIANCE
                                                                : ISG_AXES_OF_MOMENTS,
                                 n_hidden, options->beta);
    case ISG_START_NORMAL:
        return isg_rbm_start_normal(out, data->info.n_visible, n_hidden, options->beta,
                                    options->deviation, options->seed);
    }
    return isg_fail(ISG_ERR_ARGUMENT, "start: expected one of five, found number %d",
                    (int)options->kind);
}

isg_status isg_rbm_start(isg_rbm **out, const isg_start_options *options,
                         const isg_patterns *patterns, const isg_dataset *data,
                         const isg_progress *progress) {
    const isg_start_options defaults = isg_start_defaults();
    isg_rbm *rbm = NULL;
    if (patterns && patterns->info.n_visible != data->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the patterns %zu",
                        data->info.n_visible, patterns->info.n_visible);
    ISG_TRY(make(&rbm, options ? options : &defaults, patterns, data, progress));
    if (data->info.image_height) {
        rbm->info.image_height = data->info.image_height;
        rbm->info.image_width = data->info.image_width;
    }
    isg_encoding_free(rbm->encoding);
    rbm->encoding = isg_encoding_share(data->encoding);
    *out = rbm;
    return ISG_OK;
}
