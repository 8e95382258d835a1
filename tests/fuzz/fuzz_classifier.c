/* fuzz_classifier.c - any bytes as the .npz file of a classifier
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "classify/classify.h"
#include "mutator.h"
#include "target.h"

MUTATE_ZIPS

/* What was accepted belongs together, and classifies. */
static void check(const isg_classifier *classifier) {
    const isg_classifier_info info = isg_classifier_describe(classifier);
    const isg_logistic *fit = classifier->logistic;
    if (fit->n_classes != info.n_classes || info.n_classes < 2 ||
        fit->n_features != isg_feature_count(&classifier->map))
        abort();
    int8_t *spins = info.n_visible < 1024 ? calloc(info.n_visible, 1) : NULL;
    isg_dataset *data = NULL;
    uint32_t label = 0;
    if (spins && isg_dataset_create(&data, 1, info.n_visible, spins, NULL) == ISG_OK &&
        isg_classifier_predict(classifier, data, &label, (isg_matd){.data = NULL}, NULL) ==
            ISG_OK &&
        label >= info.n_classes)
        abort();
    isg_dataset_free(data);
    free(spins);
}

/* What is written again reads the same. */
static void write_back(const isg_classifier *classifier) {
    const isg_classifier_info info = isg_classifier_describe(classifier);
    isg_classifier *again = NULL;
    if (isg_classifier_save(classifier, scratch_file(), 1, "fuzz") != ISG_OK ||
        isg_classifier_load(&again, scratch_file()) != ISG_OK)
        abort();
    const isg_classifier_info found = isg_classifier_describe(again);
    const isg_feature_map *one = &classifier->map, *two = &again->map;
    if (found.n_visible != info.n_visible || found.n_classes != info.n_classes ||
        found.image_height != info.image_height || one->n_rbms != two->n_rbms ||
        one->n_hidden != two->n_hidden ||
        memcmp(one->weights, two->weights, info.n_visible * one->n_hidden * sizeof *one->weights) !=
            0)
        abort();
    for (size_t k = 0; k < info.n_classes; k++)
        if (strcmp(isg_classifier_class_name(classifier, k), isg_classifier_class_name(again, k)))
            abort();
    isg_classifier_free(again);
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    isg_classifier *classifier = NULL;
    if (isg_classifier_read(&classifier, zip) != ISG_OK)
        return BEGUN;
    check(classifier);
    if (is_chosen(bytes, size, 16))
        write_back(classifier);
    isg_classifier_free(classifier);
    return ACCEPTED;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
