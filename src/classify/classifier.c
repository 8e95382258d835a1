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
    ISG_TRY_GOTO(isg_feature_map_complete(&completions, &made->map, data));
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
                                 .image_width = classifier->image_width};
}

const char *isg_classifier_class_name(const isg_classifier *classifier, size_t k) {
    return k < classifier->classes.n_classes ? classifier->classes.names[k] : NULL;
}

/* ---- prediction ------------------------------------------------------------------------------- */

static isg_status check_predict(const isg_classifier *classifier, const isg_dataset *data,
                                isg_matd probabilities) {
    const size_t n_samples = data->info.n_samples, n_classes = classifier->classes.n_classes;
    if (data->info.n_visible != classifier->map.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the classifier expects %zu",
                        data->info.n_visible, classifier->map.n_visible);
    if (probabilities.data && (probabilities.rows != n_samples || probabilities.cols != n_classes ||
                               probabilities.stride < n_classes))
        return isg_fail(ISG_ERR_SHAPE,
                        "probabilities: expected room for %zu x %zu numbers, found %zu x %zu",
                        n_samples, n_classes, probabilities.rows, probabilities.cols);
    return ISG_OK;
}

isg_status isg_classifier_predict(const isg_classifier *classifier, const isg_dataset *data,
                                  uint32_t *labels, isg_matd probabilities) {
    const size_t n_samples = data->info.n_samples;
    const size_t n_features = isg_feature_count(&classifier->map);
    isg_dataset **completions = NULL;
    double *features = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_predict(classifier, data, probabilities));
    ISG_TRY(isg_feature_map_complete(&completions, &classifier->map, data));
    status = ISG_ALLOCATE_MATRIX(features, n_samples < ROWS ? n_samples : ROWS, n_features);
    for (size_t first = 0; first < n_samples && status == ISG_OK; first += ROWS) {
        const size_t rows = n_samples - first < ROWS ? n_samples - first : ROWS;
        const isg_matd some = isg_matd_of(features, rows, n_features);
        isg_matd part = probabilities;
        part.rows = rows;
        if (part.data)
            part.data += first * part.stride;
        status = isg_feature_map_apply_all(&classifier->map, data, completions, first, some);
        if (status == ISG_OK)
            status = isg_logistic_predict(classifier->logistic, isg_matd_const(some),
                                          labels ? labels + first : NULL, part);
    }
    isg_completions_free(completions, classifier->map.n_rbms);
    isg_release(features);
    return status;
}

/* The classifier's index of the class with this name; n_classes if it has none. */
static size_t find_class(const isg_classifier *classifier, const char *name) {
    size_t k = 0;
    while (k < classifier->classes.n_classes && strcmp(classifier->classes.names[k], name) != 0)
        k++;
    return k;
}

isg_status isg_classifier_truth(const isg_classifier *classifier, const isg_dataset *data,
                                uint32_t *labels) {
    const size_t n_classes = data->info.n_classes;
    uint32_t *numbers = NULL;
    isg_status status = ISG_OK;
    if (data->labels.count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "the data have no labels to compare with");
    ISG_TRY(ISG_ALLOCATE(numbers, n_classes));
    for (size_t c = 0; c < n_classes; c++) {
        const size_t k = find_class(classifier, data->labels.names[c]);
        if (k == classifier->classes.n_classes && data->class_sizes[c] > 0)
            ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                                  "class '%s' is not one of the classifier's %zu classes",
                                  data->labels.names[c], k));
        numbers[c] = (uint32_t)k;
    }
    for (size_t a = 0; a < data->info.n_samples; a++)
        labels[a] =
            data->labels.index[a] < n_classes ? numbers[data->labels.index[a]] : ISG_UNLABELLED;
done:
    isg_release(numbers);
    return status;
}
