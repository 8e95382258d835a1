/* fuzz_classifier.c - any bytes as the .npz file of a classifier
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "classifier.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    isg_classifier *classifier = NULL;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_zip_open(&zip, file) == ISG_OK && isg_classifier_read(&classifier, zip) == ISG_OK) {
        /* What was accepted belongs together, and classifies. */
        const isg_classifier_info info = isg_classifier_describe(classifier);
        const isg_logistic_info fit = isg_logistic_describe(classifier->logistic);
        if (fit.n_classes != info.n_classes || info.n_classes < 2 ||
            fit.n_features != isg_feature_count(&classifier->map))
            abort();
        int8_t *spins = info.n_visible < 1024 ? calloc(info.n_visible, 1) : NULL;
        isg_dataset *data = NULL;
        uint32_t label = 0;
        if (spins && isg_dataset_create(&data, 1, info.n_visible, spins, NULL) == ISG_OK &&
            isg_classifier_predict(classifier, data, &label, (isg_matd){.data = NULL}) == ISG_OK &&
            label >= info.n_classes)
            abort();
        isg_dataset_free(data);
        free(spins);
    }
    isg_classifier_free(classifier);
    isg_zip_close(zip);
    isg_file_close(file);
    return 0;
}
