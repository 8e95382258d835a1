/* deep_fit.c - fitting the Gaussians of the classes
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/memory.h"
#include "base/progress_part.h"
#include "deep/deep.h"

isg_deep_options isg_deep_defaults(void) {
    return (isg_deep_options){.parts = 1, .toward = ISG_SHRINK_POOLED, .hold_out = 0.1, .seed = 1};
}

/* ---- moments of classes --------------------------------------------------------------------------- */

/* One label for each class, or for all samples. */
static isg_status name_classes(isg_labels *classes, const isg_dataset *data, bool one_class) {
    const bool is_alone = !one_class && data->info.n_classes == 1;
    if (!one_class && (data->labels.count == 0 || data->info.n_classes == 0))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "the data have no labels; all samples can be one class instead");
    if (!one_class && !is_alone)
        return isg_class_names(classes, data);
    ISG_TRY(isg_labels_add_text(classes, is_alone ? data->labels.names[0] : "all", "classes"));
    return isg_labels_finish(classes);
}

/* What the data know about the units and the RBM does not. */
static void learn_units(isg_rbm *rbm, const isg_dataset *data) {
    if (!rbm->encoding)
        rbm->encoding = isg_encoding_share(data->encoding);
    if (rbm->info.image_height == 0) {
        rbm->info.image_height = data->info.image_height;
        rbm->info.image_width = data->info.image_width;
    }
}

isg_status isg_deep_moments(isg_deep_model **out, const isg_rbm *rbm, const isg_dataset *data,
                            const isg_deep_options *options, size_t parts, double beta,
                            const isg_progress *progress) {
    const size_t n = data->info.n_samples;
    isg_labels classes = {0};
    isg_deep_model *made = NULL;
    size_t *rows = NULL, *starts = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(name_classes(&classes, data, options->one_class));
    ISG_TRY_GOTO(isg_deep_model_create(&made, rbm, classes.n_classes, parts));
    made->classes = classes;
    classes = (isg_labels){0};
    learn_units(made->rbm, data);
    ISG_TRY_GOTO(ISG_ALLOCATE(rows, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(starts, made->n_classes + 1));
    ISG_TRY_GOTO(isg_rbm_set_beta(made->rbm, beta));
    if (options->one_class) {
        for (size_t a = 0; a < n; a++)
            rows[a] = a;
        starts[1] = n;
    } else {
        isg_dataset_group(data, rows, starts);
    }
    ISG_TRY_GOTO(parts == 1 ? isg_class_moments(made, data, rows, starts, progress)
                            : isg_part_moments(made, data, rows, starts, options->seed, progress));
    *out = made;
    made = NULL;
done:
    isg_labels_clear(&classes);
    isg_deep_model_free(made);
    isg_release(rows);
    isg_release(starts);
    return status;
}

/* ---- shrinking ------------------------------------------------------------------------------------ */

/* Element i of what part k is mixed with. */
static double target(const isg_deep_model *raw, const double *pooled, isg_shrink toward, size_t k,
                     size_t i) {
    const size_t p = raw->rbm->info.n_hidden;
    if (toward == ISG_SHRINK_POOLED)
        return pooled[i];
    return i % p == i / p ? raw->covariances[k * p * p + i] : 0;
}

isg_status isg_deep_shrink(isg_deep_model *model, const isg_deep_model *raw, double shrinkage,
                           isg_shrink toward) {
    const size_t square = raw->rbm->info.n_hidden * raw->rbm->info.n_hidden;
    double *pooled = NULL;
    ISG_TRY(ISG_ALLOCATE(pooled, square));
    for (size_t k = 0; k < raw->n_parts; k++)
        for (size_t i = 0; i < square; i++)
            pooled[i] += raw->shares[k] * raw->covariances[k * square + i];
    for (size_t k = 0; k < raw->n_parts; k++)
        for (size_t i = 0; i < square; i++)
            model->covariances[k * square + i] =
                (1 - shrinkage) * raw->covariances[k * square + i] +
                shrinkage * target(raw, pooled, toward, k, i);
    isg_release(pooled);
    model->shrinkage = shrinkage;
    model->toward = toward;
    return ISG_OK;
}

/* ---- the fit ------------------------------------------------------------------------------------------ */

static isg_status check(const isg_deep_options *options, const isg_rbm *rbm,
                        const isg_dataset *data) {
    if (data->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu",
                        data->info.n_visible, rbm->info.n_visible);
    if ((options->betas && options->n_betas == 0) ||
        (options->shrinkages && options->n_shrinkages == 0))
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one beta and one shrinkage");
    for (size_t k = 0; options->betas && k < options->n_betas; k++)
        ISG_TRY(isg_check_beta(options->betas[k]));
    for (size_t k = 0; options->shrinkages && k < options->n_shrinkages; k++)
        if (!(options->shrinkages[k] >= 0 && options->shrinkages[k] <= 1))
            return isg_fail(ISG_ERR_ARGUMENT, "shrinkage: expected a number from 0 to 1, found %g",
                            options->shrinkages[k]);
    if (options->toward > ISG_SHRINK_DIAGONAL)
        return isg_fail(ISG_ERR_ARGUMENT, "toward: there is no target number %d",
                        (int)options->toward);
    if (options->parts == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "parts: expected at least one Gaussian per class");
    if (!(options->hold_out > 0 && options->hold_out <= 0.5))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "hold_out: expected a share above 0 and up to 0.5, found %g",
                        options->hold_out);
    return ISG_OK;
}

static bool is_fixed(const isg_deep_options *options) {
    return options->betas && options->n_betas == 1 && options->shrinkages &&
           options->n_shrinkages == 1;
}

isg_status isg_deep_model_fit(isg_deep_model **out, const isg_rbm *rbm, const isg_dataset *data,
                              const isg_deep_options *options, const isg_progress *progress) {
    const isg_deep_options usual = isg_deep_defaults(), *wanted = options ? options : &usual;
    const bool has_choice = !is_fixed(wanted);
    const double share = wanted->parts == 1 ? 0.9 : 0.5; /* of the time, for the choice */
    isg_labels classes = {0}; /* whether they are what they should be, before the work */
    isg_deep_trials trials = {0};
    isg_deep_model *made = NULL;
    isg_part first, rest;
    isg_status status = ISG_OK;
    ISG_TRY(check(wanted, rbm, data));
    ISG_TRY_GOTO(name_classes(&classes, data, wanted->one_class));
    if (has_choice)
        ISG_TRY_GOTO(
            isg_deep_choose(&trials, rbm, data, wanted, isg_part_of(&first, progress, 0, share)));
    const isg_deep_trial best =
        has_choice ? trials.list[trials.best]
                   : (isg_deep_trial){.beta = *wanted->betas, .shrinkage = *wanted->shrinkages};
    ISG_TRY_GOTO(isg_deep_moments(&made, rbm, data, wanted, wanted->parts, best.beta,
                                  isg_part_of(&rest, progress, has_choice ? share : 0, 1)));
    ISG_TRY_GOTO(isg_deep_shrink(made, made, best.shrinkage, wanted->toward));
    ISG_TRY_GOTO(isg_deep_model_prepare(made));
    made->trials = trials.list;
    made->n_trials = trials.count;
    trials.list = NULL;
    *out = made;
    made = NULL;
done:
    isg_labels_clear(&classes);
    isg_release(trials.list);
    isg_deep_model_free(made);
    return status;
}
