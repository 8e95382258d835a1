/* classify_tune.c - isinglass classify --finetune: where it starts, and how it goes on
 *
 * SPDX-License-Identifier: MIT
 *
 * Experts, an RBM or a classifier that was fitted earlier are where it starts; the training of the run
 * is then that of the tuner. A run that is resumed needs no start, since a checkpoint has it all.
 */
#include <math.h>
#include <string.h>

#include "cli/verbs/classify_job.h"

/* ---- options that go with it -------------------------------------------------------------------- */

void classify_tune_defaults(classify_job *my) {
    classify_settings *settings = my->settings;
    if (!settings->finetune)
        return;
    if (!call_has_option(&my->call, "epochs"))
        settings->epochs = isg_tune_defaults().epochs;
    if (!call_has_option(&my->call, "rate"))
        settings->rate = TUNE_RATE;
    if (!call_has_option(&my->call, "batch"))
        settings->experts.train.batch_size = isg_tune_defaults().batch_size;
}

/* The first of these options that was typed, or NULL. */
static const char *find_typed(const invocation *call, const char *const *names) {
    for (size_t k = 0; names[k]; k++)
        if (call_has_option(call, names[k]))
            return names[k];
    return NULL;
}

exit_code classify_tune_check(const classify_job *my) {
    static const char *const of_tuning[] = {"logits-rate", "shift", NULL};
    static const char *const of_divergence[] = {"sweeps", "pcd", "fields", "estimator", NULL};
    static const char *const of_start[] = {"init", "per-class", "sd", "beta",
                                           "rbm",  "features",  "l2", NULL};
    const classify_settings *settings = my->settings;
    const char *typed = NULL;
    if (!settings->finetune) {
        typed = find_typed(&my->call, of_tuning);
        return typed ? fail(EXIT_MISUSED, "--%s: needs --finetune", typed) : EXIT_DONE;
    }
    typed = find_typed(&my->call, of_divergence);
    if (typed)
        return fail(EXIT_MISUSED,
                    "--%s: cannot be used with --finetune, which is no contrastive divergence; to "
                    "tune experts so trained, save them with -o RUN first, then use --finetune "
                    "--model RUN/classifier.npz",
                    typed);
    if (settings->classifier == CLASSIFIER_LABELS)
        return fail(EXIT_MISUSED, "--classifier labels: cannot be used with --finetune");
    if (settings->data.how.missing == ISG_MISSING_IMPUTE)
        return fail(EXIT_MISUSED,
                    "--missing impute: cannot be used with --finetune; use --missing majority, or "
                    "complete the data with 'isinglass impute'");
    if (settings->epochs == 0)
        return fail(EXIT_MISUSED, "--epochs 0: --finetune needs at least 1");
    typed = settings->model ? find_typed(&my->call, of_start) : NULL;
    return typed ? fail(EXIT_MISUSED, "--%s: cannot be used with --model, which has it", typed)
                 : EXIT_DONE;
}

exit_code classify_tune_check_rate(const classify_job *my) {
    if (my->settings->finetune && my->rates.n_rates > 1)
        return fail(EXIT_MISUSED,
                    "--rate %s: expected one rate with --finetune, where it falls linearly to zero",
                    my->rates.text);
    return EXIT_DONE;
}

/* Before anything that takes long. */
exit_code classify_tune_check_data(const classify_job *my) {
    const size_t shift = my->settings->shift;
    const isg_dataset_info info = isg_dataset_describe(my->train);
    if (shift > 0 && (info.image_height == 0 || info.image_width == 0))
        return fail(EXIT_BAD_INPUT,
                    "--shift %zu: the samples of %s are not images that could be moved" SHAPE_ADVICE
                    ", else leave --shift out",
                    shift, my->train_name);
    if (shift > 0 && (shift >= info.image_height || shift >= info.image_width))
        return fail(EXIT_BAD_INPUT,
                    "--shift %zu: expected fewer pixels than the images of %s have, which are %zu "
                    "x %zu",
                    shift, my->train_name, info.image_height, info.image_width);
    const size_t n_visible = my->start ? isg_classifier_describe(my->start).n_visible : 0;
    if (my->start && info.n_visible != n_visible)
        return fail(EXIT_BAD_INPUT, "%s: has %zu units, but %s has %zu", my->train_name,
                    info.n_visible, my->settings->model, n_visible);
    return EXIT_DONE;
}

/* ---- starting and resuming ---------------------------------------------------------------------- */

static isg_tune_options options_of(const classify_job *my) {
    const classify_settings *settings = my->settings;
    return (isg_tune_options){.epochs = settings->epochs,
                              .batch_size = settings->experts.train.batch_size,
                              .rate = my->rates.rates[0].rate,
                              .logits_rate = settings->logits_rate,
                              .shift = settings->shift,
                              .balanced = settings->fit.balanced,
                              .seed = my->call.common.seed};
}

exit_code classify_tune_begin(classify_job *my, const char *text) {
    return fail_status(isg_run_begin_tuner(my->run, text, my->tuner, my->settings->save_every));
}

exit_code classify_tune_start(classify_job *my) {
    const isg_tune_options options = options_of(my);
    isg_status status = ISG_OK;
    if (!my->start) {
        const exit_code code = classify_fit_features(my);
        if (code != EXIT_DONE)
            return code;
        my->start = my->classifier;
        my->classifier = NULL;
    }
    status = isg_tuner_create(&my->tuner, my->start, my->train, &options);
    isg_experts_free(my->experts); /* with their copies of the data */
    my->experts = NULL;
    return status == ISG_ERR_ARGUMENT || status == ISG_ERR_SHAPE || status == ISG_ERR_UNSUPPORTED
               ? fail(EXIT_BAD_INPUT, "%s: %s", my->train_name, isg_error_message())
               : fail_status(status);
}

isg_status classify_tune_resume(classify_job *my) {
    const isg_tune_options options = options_of(my);
    return isg_run_resume_tuner(my->run, &my->tuner, my->train, &options, my->settings->save_every);
}
