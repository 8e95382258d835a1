/* fuzz_deep.c - any bytes as the .npz file of a deep model
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "deep/deep.h"
#include "mutator.h"
#include "target.h"

MUTATE_ZIPS

/* What was accepted belongs together, classifies, and can be drawn from. */
static void check(const isg_deep_model *model) {
    const isg_deep_model_info info = isg_deep_model_describe(model);
    isg_dataset *data = NULL;
    isg_elbo found;
    uint32_t label = 0;
    if (info.n_classes < 1 || !(info.beta > 0) || !(info.shrinkage >= 0 && info.shrinkage <= 1))
        abort();
    for (size_t k = 0; k < info.n_classes; k++)
        if (!isfinite(model->logs[k]) || !(model->shares[k] > 0))
            abort();
    if (info.n_visible >= 1024 ||
        isg_deep_model_sample(&data, model, NULL, 1, 0, 1, (isg_matd){.data = NULL}) != ISG_OK)
        return;
    if (isg_deep_model_predict(model, data, ISG_DEEP_BOUND, &label, (isg_matd){.data = NULL},
                               NULL) == ISG_OK &&
        label >= info.n_classes)
        abort();
    if (isg_deep_model_elbo(model, data, &found, NULL, NULL) == ISG_OK && !isfinite(found.value))
        abort();
    isg_dataset_free(data);
}

/* What is written again reads the same. */
static void write_back(const isg_deep_model *model) {
    const size_t p = model->rbm->info.n_hidden, count = model->n_classes * p * p;
    isg_deep_model *again = NULL;
    if (isg_deep_model_save(model, scratch_file(), 1, "fuzz") != ISG_OK ||
        isg_deep_model_load(&again, scratch_file()) != ISG_OK)
        abort();
    if (again->n_classes != model->n_classes || again->rbm_beta != model->rbm_beta ||
        again->shrinkage != model->shrinkage || again->toward != model->toward ||
        memcmp(again->covariances, model->covariances, count * sizeof *model->covariances) != 0 ||
        memcmp(again->factors, model->factors, count * sizeof *model->factors) != 0)
        abort();
    isg_deep_model_free(again);
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    isg_deep_model *model = NULL;
    if (isg_deep_model_read(&model, zip) != ISG_OK)
        return BEGUN;
    check(model);
    if (is_chosen(bytes, size, 16))
        write_back(model);
    isg_deep_model_free(model);
    return ACCEPTED;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
