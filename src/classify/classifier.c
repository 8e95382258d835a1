/* classifier.c - logistic regression on features that RBMs compute from a sample
 *
 * SPDX-License-Identifier: MIT
 *
 * Section 3.2 of the paper with one expert for every class: ln p_k(s) = -beta H_k(s) - ln Z_k, so
 * -2 H_k(s) is all that depends on the sample; beta and the ln Z_k are left to the coefficients.
 */
#include "classify/classify.h"

#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"

enum { ROWS = 4096 }; /* samples predicted at a time */

isg_status isg_classifier_fit(isg_classifier **out, const isg_rbm *const *rbms, size_t n_rbms,
                              isg_features kind, const isg_dataset *data,
                              const isg_logistic_options *options, isg_logistic_report *report,
                              const isg_progress *progress) {
    const size_t n_samples = data->info.n_samples;
    isg_classifier *made = NULL;
    isg_dataset **completions = NULL;
    double *features = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_features_check(rbms, n_rbms, kind, data->info.n_visible));
    ISG_TRY(ISG_ALLOCATE(made, 1));
    ISG_TRY_GOTO(isg_class_names(&made->classes, data));
    ISG_TRY_GOTO(isg_feature_map_of(&made->map, kind, rbms, n_rbms, data->info.n_visible));
    const size_t n_features = isg_feature_count(&made->map);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(features, n_samples, n_features));
    const isg_matd all = isg_matd_of(features, n_samples, n_features);
    ISG_TRY_GOTO(isg_feature_map_complete(&completions, &made->map, data, NULL));
    ISG_TRY_GOTO(isg_feature_map_apply_all(&made->map, data, completions, 0, all));
    ISG_TRY_GOTO(isg_logistic_fit(&made->logistic, isg_matd_const(all), data->labels.index,
                                  data->info.n_classes, options, report, progress));
    made->image_height = data->info.image_height;
    made->image_width = data->info.image_width;
    made->encoding = isg_encoding_share(data->encoding);
    *out = made;
    made = NULL;
done:
    isg_completions_free(completions, n_rbms);
    isg_release(features);
    isg_classifier_free(made);
    return status;
}

void isg_classifier_free(isg_classifier *classifier) {
    if (!classifier)
        return;
    isg_labels_clear(&classifier->classes);
    isg_feature_map_release(&classifier->map);
    isg_logistic_free(classifier->logistic);
    isg_encoding_free(classifier->encoding);
    isg_release(classifier);
}

static isg_status copy_map(isg_feature_map *out, const isg_feature_map *map) {
    const size_t n = map->n_visible, p = map->n_hidden;
    size_t *sizes = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(sizes, map->n_rbms));
    for (size_t k = 0; k < map->n_rbms; k++)
        sizes[k] = map->starts[k + 1] - map->starts[k];
    ISG_TRY_GOTO(isg_feature_map_create(out, map->kind, n, sizes, map->n_rbms));
    memcpy(out->weights, map->weights, n * p * sizeof *out->weights);
    memcpy(out->b, map->b, map->n_rbms * n * sizeof *out->b);
    memcpy(out->c, map->c, p * sizeof *out->c);
    memcpy(out->betas, map->betas, map->n_rbms * sizeof *out->betas);
    status = isg_feature_map_pack(out);
done:
    isg_release(sizes);
    return status;
}

static isg_status copy_classes(isg_labels *out, const isg_labels *classes) {
    size_t *all = NULL;
    ISG_TRY(ISG_ALLOCATE(all, classes->count));
    for (size_t k = 0; k < classes->count; k++)
        all[k] = k;
    const isg_status status = isg_labels_take(out, classes, all, classes->count);
    isg_release(all);
    return status;
}

isg_status isg_classifier_copy(isg_classifier **out, const isg_classifier *classifier) {
    const isg_logistic *model = classifier->logistic;
    isg_classifier *made = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(made, 1));
    ISG_TRY_GOTO(copy_map(&made->map, &classifier->map));
    ISG_TRY_GOTO(copy_classes(&made->classes, &classifier->classes));
    ISG_TRY_GOTO(isg_logistic_create(&made->logistic, model->n_classes, model->n_features,
                                     model->means, model->scales, model->coefficients,
                                     model->intercepts));
    made->image_height = classifier->image_height;
    made->image_width = classifier->image_width;
    made->encoding = isg_encoding_share(classifier->encoding);
    made->tuned_epochs = classifier->tuned_epochs;
    made->tuned = classifier->tuned;
    *out = made;
    made = NULL;
done:
    isg_classifier_free(made);
    return status;
}

const isg_encoding *isg_classifier_encoding(const isg_classifier *classifier) {
    return classifier->encoding;
}

isg_classifier_info isg_classifier_describe(const isg_classifier *classifier) {
    return (isg_classifier_info){.n_classes = classifier->classes.n_classes,
                                 .n_visible = classifier->map.n_visible,
                                 .n_rbms = classifier->map.n_rbms,
                                 .n_hidden = classifier->map.n_hidden,
                                 .features = classifier->map.kind,
                                 .image_height = classifier->image_height,
                                 .image_width = classifier->image_width,
                                 .tuned_epochs = classifier->tuned_epochs,
                                 .tuned = classifier->tuned};
}

const char *isg_classifier_class_name(const isg_classifier *classifier, size_t k) {
    return k < classifier->classes.n_classes ? classifier->classes.names[k] : NULL;
}

/* ---- prediction ------------------------------------------------------------------------------- */

static isg_status check_predict(const isg_classifier *classifier, const isg_dataset *data,
                                isg_matd out, const char *what) {
    const size_t n_samples = data->info.n_samples, n_classes = classifier->classes.n_classes;
    if (data->info.n_visible != classifier->map.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the classifier expects %zu",
                        data->info.n_visible, classifier->map.n_visible);
    if (out.data && (out.rows != n_samples || out.cols != n_classes || out.stride < n_classes))
        return isg_fail(ISG_ERR_SHAPE, "%s: expected room for %zu x %zu numbers, found %zu x %zu",
                        what, n_samples, n_classes, out.rows, out.cols);
    return ISG_OK;
}

/* Labels and probabilities, or decisions. */
typedef struct answers {
    uint32_t *labels; /* NULL if not wanted */
    isg_matd numbers; /* data is NULL if not wanted */
    bool are_decisions;
} answers;

/* Rows first to first + features.rows - 1 of them. */
static isg_status answer_some(const isg_classifier *classifier, isg_matd features, size_t first,
                              const answers *all) {
    isg_matd part = all->numbers;
    part.rows = features.rows;
    if (part.data)
        part.data += first * part.stride;
    if (all->are_decisions)
        return isg_logistic_decisions(classifier->logistic, isg_matd_const(features), part);
    return isg_logistic_predict(classifier->logistic, isg_matd_const(features),
                                all->labels ? all->labels + first : NULL, part);
}

static isg_status answer(const isg_classifier *classifier, const isg_dataset *data,
                         const answers *all, const isg_progress *progress) {
    const size_t n_samples = data->info.n_samples;
    const size_t n_features = isg_feature_count(&classifier->map);
    const double completed = data->missing ? 0.9 : 0; /* the share of the work that this is */
    isg_dataset **completions = NULL;
    double *features = NULL;
    isg_part filling, rest;
    isg_status status = ISG_OK;
    ISG_TRY(isg_feature_map_complete(&completions, &classifier->map, data,
                                     isg_part_of(&filling, progress, 0, completed)));
    progress = isg_part_of(&rest, progress, completed, 1);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(features, n_samples < ROWS ? n_samples : ROWS, n_features));
    for (size_t first = 0; first < n_samples; first += ROWS) {
        const size_t rows = n_samples - first < ROWS ? n_samples - first : ROWS;
        const isg_matd some = isg_matd_of(features, rows, n_features);
        ISG_TRY_GOTO(isg_feature_map_apply_all(&classifier->map, data, completions, first, some));
        ISG_TRY_GOTO(answer_some(classifier, some, first, all));
        if (progress &&
            !progress->report(progress->user, (double)(first + rows) / (double)n_samples))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "classifying was cancelled"));
    }
done:
    isg_completions_free(completions, classifier->map.n_rbms);
    isg_release(features);
    return status;
}

isg_status isg_classifier_predict(const isg_classifier *classifier, const isg_dataset *data,
                                  uint32_t *labels, isg_matd probabilities,
                                  const isg_progress *progress) {
    const answers all = {.labels = labels, .numbers = probabilities};
    ISG_TRY(check_predict(classifier, data, probabilities, "probabilities"));
    return answer(classifier, data, &all, progress);
}

isg_status isg_classifier_decisions(const isg_classifier *classifier, const isg_dataset *data,
                                    isg_matd out, const isg_progress *progress) {
    const answers all = {.numbers = out, .are_decisions = true};
    if (!out.data)
        return isg_fail(ISG_ERR_ARGUMENT, "decisions: expected room for them, found NULL");
    ISG_TRY(check_predict(classifier, data, out, "decisions"));
    return answer(classifier, data, &all, progress);
}

/* ---- what is inside ----------------------------------------------------------------------------- */

isg_status isg_classifier_copy_rbm(isg_rbm **out, const isg_classifier *classifier, size_t k) {
    isg_rbm *rbm = NULL;
    if (k >= classifier->map.n_rbms)
        return isg_fail(ISG_ERR_ARGUMENT, "k: expected the number of one of %zu RBMs, found %zu",
                        classifier->map.n_rbms, k);
    ISG_TRY(isg_feature_map_rbm(&rbm, &classifier->map, k));
    rbm->info.image_height = classifier->image_height;
    rbm->info.image_width = classifier->image_width;
    rbm->encoding = isg_encoding_share(classifier->encoding);
    *out = rbm;
    return ISG_OK;
}

isg_matd_view isg_classifier_coefficients(const isg_classifier *classifier) {
    const isg_logistic *model = classifier->logistic;
    return (isg_matd_view){model->coefficients, model->n_classes, model->n_features,
                           model->n_features};
}

const double *isg_classifier_intercepts(const isg_classifier *classifier) {
    return classifier->logistic->intercepts;
}

/* ---- the truth ---------------------------------------------------------------------------------- */

isg_status isg_classifier_truth(const isg_classifier *classifier, const isg_dataset *data,
                                uint32_t *labels) {
    return isg_labels_match(labels, data, &classifier->classes, "classifier");
}
