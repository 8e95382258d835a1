/* classify_result.c - the classifier, what it gets right, and how that is told
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/share_error.h"
#include "cli/verbs/classify_job.h"

/* Classes up to which the confusion matrix is printed, and mistakes that are listed otherwise. */
enum { MOST_COLUMNS = 12, MISTAKES = 10 };

/* ---- fitting and testing -------------------------------------------------------------------------- */

/* Tallies the answers to all samples of `data`. */
static exit_code count(tally *out, const isg_classifier *classifier, const isg_dataset *data,
                       const uint32_t *answers) {
    const size_t n_samples = isg_dataset_describe(data).n_samples;
    const size_t n_classes = isg_classifier_describe(classifier).n_classes;
    uint32_t *truth = memory_allocate(n_samples, sizeof *truth);
    if (!out->counts)
        out->counts = memory_allocate(n_classes, n_classes * sizeof *out->counts);
    if (!truth || !out->counts) {
        memory_release(truth);
        return fail_memory();
    }
    const isg_status status = isg_classifier_truth(classifier, data, truth);
    memset(out->counts, 0, n_classes * n_classes * sizeof *out->counts);
    out->samples = 0;
    out->wrong = 0;
    for (size_t a = 0; status == ISG_OK && a < n_samples; a++) {
        if (truth[a] >= n_classes) /* it has no label */
            continue;
        out->samples++;
        out->counts[truth[a] * n_classes + answers[a]]++;
        out->wrong += truth[a] != answers[a];
    }
    memory_release(truth);
    return fail_status(status);
}

static exit_code test_on(tally *out, const isg_classifier *classifier, const isg_dataset *data) {
    uint32_t *answers = memory_allocate(isg_dataset_describe(data).n_samples, sizeof *answers);
    if (!answers)
        return fail_memory();
    exit_code code = fail_status(
        isg_classifier_predict(classifier, data, answers, (isg_matd){.data = NULL}, NULL));
    if (code == EXIT_DONE)
        code = count(out, classifier, data, answers);
    memory_release(answers);
    return code;
}

static bool has_labels(const isg_dataset *data) {
    for (size_t c = 0; c < isg_dataset_describe(data).n_classes; c++)
        if (isg_dataset_class_size(data, c) > 0)
            return true;
    return false;
}

exit_code classify_test(classify_job *my) {
    const isg_dataset_info info = isg_dataset_describe(my->test);
    const size_t n_classes = isg_classifier_describe(my->classifier).n_classes;
    if (!my->answers)
        my->answers = memory_allocate(info.n_samples, sizeof *my->answers);
    if (!my->probabilities)
        my->probabilities = memory_allocate(info.n_samples, n_classes * sizeof *my->probabilities);
    if (!my->answers || !my->probabilities)
        return fail_memory();
    const isg_matd room = {my->probabilities, info.n_samples, n_classes, n_classes};
    const isg_status status =
        isg_classifier_predict(my->classifier, my->test, my->answers, room, NULL);
    if (status == ISG_ERR_SHAPE)
        return fail(EXIT_BAD_INPUT, "%s: %s", my->test_name, isg_error_message());
    if (status != ISG_OK || !has_labels(my->test))
        return fail_status(status);
    const exit_code code = count(&my->test_tally, my->classifier, my->test, my->answers);
    return code == EXIT_MISUSED || code == EXIT_BAD_INPUT
               ? fail(EXIT_BAD_INPUT, "%s: %s", my->test_name, isg_error_message())
               : code;
}

exit_code classify_test_all(classify_job *my) {
    exit_code code = test_on(&my->train_tally, my->classifier, my->train);
    if (code == EXIT_DONE && my->validation)
        code = test_on(&my->validation_tally, my->classifier, my->validation);
    return code == EXIT_DONE && my->test ? classify_test(my) : code;
}

static isg_status fit_experts(classify_job *my, const isg_logistic_options *options,
                              const isg_progress *shown) {
    const size_t n = my->experts ? isg_experts_describe(my->experts).n_experts : 1;
    const isg_rbm **rbms = memory_allocate(n, sizeof *rbms);
    if (!rbms)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < n; k++)
        rbms[k] = my->experts ? isg_experts_rbm(my->experts, k) : my->rbm;
    const isg_status status = isg_classifier_fit(&my->classifier, rbms, n, my->settings->features,
                                                 my->train, options, &my->fit, shown);
    memory_release(rbms);
    return status;
}

exit_code classify_fit_features(classify_job *my) {
    isg_logistic_options options = my->settings->fit;
    progress bar;
    isg_status status;
    isg_classifier_free(my->classifier);
    my->classifier = NULL;
    if (my->tuner) {
        my->fit = (isg_logistic_report){.converged = true}; /* there is nothing to converge */
        return fail_status(isg_tuner_classifier(&my->classifier, my->tuner));
    }
    progress_start(&bar, my->call.common.quiet, "fitting");
    if (my->experts && my->settings->classifier == CLASSIFIER_LABELS) {
        my->fit = (isg_logistic_report){.converged = true};
        status =
            isg_classifier_from_labels(&my->classifier, isg_experts_rbm(my->experts, 0), my->train);
    } else
        status = fit_experts(my, &options, progress_callback(&bar));
    progress_finish(&bar);
    return status == ISG_ERR_SHAPE && my->rbm
               ? fail(EXIT_BAD_INPUT, "%s: %s", my->settings->rbm, isg_error_message())
               : fail_status(status);
}

exit_code classify_fit(classify_job *my) {
    const exit_code code = classify_fit_features(my);
    return code == EXIT_DONE ? classify_test_all(my) : code;
}

static double share(size_t part, size_t all) {
    return all > 0 ? (double)part / (double)all : (double)NAN;
}

/* The samples of a class, and how many of them were misclassified. */
static size_t row_sum(const tally *of, size_t n_classes, size_t k, size_t *wrong) {
    size_t sum = 0;
    for (size_t l = 0; l < n_classes; l++)
        sum += of->counts[k * n_classes + l];
    *wrong = sum - of->counts[k * n_classes + k];
    return sum;
}

/* The mean of the errors of the classes that there are samples of. */
static double balanced_error(const tally *of, size_t n_classes) {
    double sum = 0, n_tested = 0;
    for (size_t k = 0; of->counts && k < n_classes; k++) {
        size_t wrong = 0;
        const size_t samples = row_sum(of, n_classes, k, &wrong);
        n_tested += samples > 0;
        sum += samples > 0 ? share(wrong, samples) : 0;
    }
    return sum / n_tested;
}

double classify_validation_error(const classify_job *my) {
    const tally *of = &my->validation_tally;
    return my->settings->fit.balanced
               ? balanced_error(of, isg_classifier_describe(my->classifier).n_classes)
               : share(of->wrong, of->samples);
}

/* ---- files ---------------------------------------------------------------------------------------- */

/* The answer to every sample of TEST, and the probabilities of all classes. */
static exit_code write_predictions(const classify_job *my, const char *const *names) {
    const size_t n = isg_classifier_describe(my->classifier).n_classes;
    const size_t n_samples = isg_dataset_describe(my->test).n_samples;
    const sample_table table = {.data = my->test,
                                .values = {my->probabilities, n_samples, n, n},
                                .columns = names,
                                .prefix = "p_",
                                .digits = 6,
                                .answers = my->answers,
                                .answer = "predicted",
                                .value = "probability",
                                .array = "P"};
    return sample_table_write(&my->call, my->settings->predictions, &table);
}

static const result_entry point_results[] = {
    RESULT(curve_point, epochs, "after so many epochs"),
    RESULT(curve_point, test_error, "share of TEST that was misclassified, or null"),
    RESULT(curve_point, train_error, "the same for TRAIN"),
    RESULT(curve_point, validation_error,
           "and for the validation data (with --balanced, the mean over the classes), or null"),
    RESULT(curve_point, converged, "whether the regression converged, or null with --finetune"),
    RESULT_HIDDEN(curve_point, has_failed),
    RESULT(curve_point, seconds, "of training by then"),
    {.key = NULL}};

static result_list points_of(const classify_job *my) {
    return (result_list){my->points, my->n_points, sizeof *my->points};
}

static exit_code write_curve(const classify_job *my) {
    return result_csv(my->settings->curve, point_results, points_of(my),
                      my->validation ? "epochs,seconds:.3f,test_error:.9g?,train_error:.9g,"
                                       "validation_error:.9g?,converged:1|0"
                                     : "epochs,seconds:.3f,test_error:.9g?,train_error:.9g,"
                                       "converged:1|0");
}

static exit_code write_files(const classify_job *my, const char *const *names) {
    const classify_settings *settings = my->settings;
    exit_code code = EXIT_DONE;
    if (settings->picture)
        code = draw_confusion(settings->picture, my->test_tally.counts,
                              isg_classifier_describe(my->classifier).n_classes, names);
    if (code == EXIT_DONE && settings->predictions)
        code = write_predictions(my, names);
    if (code == EXIT_DONE && settings->curve)
        code = write_curve(my);
    return code;
}

/* ---- results --------------------------------------------------------------------------------------- */

typedef struct validation_result {
    size_t samples, wrong;
    double error, error_se, balanced_error;
} validation_result;

typedef struct tuning_result {
    size_t epochs_done, epochs, batch_size, shift;
    double rate, logits_rate;
    bool balanced;
} tuning_result;

typedef struct classify_result {
    const classify_job *job;
    const tuning_result *tuning;         /* NULL without */
    const validation_result *validation; /* NULL without such data */
    size_t best_epoch;
    bool stopped_early;
    isg_classifier_info info;
    tally test_tally, train_tally;
    isg_logistic_report fit;
    double test_error, test_error_se, balanced_error, train_error, train_error_se, seconds;
    result_rows confusion;
    const char **names;   /* (n_classes), of `classes` */
    double *class_shares; /* (n_classes), of `class_errors` */
    result_list classes, class_errors, errors_at;
    const bool *converged; /* NULL with --model */
    size_t test_samples, unlabelled, train_samples, epochs;
    bool resumed, is_trained, is_tuned, is_one, has_curve;
    const char *model, *picture, *predictions, *curve, *test, *features, *written, *reason;
} classify_result;

static exit_code list_classes(classify_result *out, const classify_job *my) {
    const size_t n = out->info.n_classes;
    const size_t *counts = my->test_tally.counts;
    out->names = memory_allocate(n, sizeof *out->names);
    out->class_shares = memory_allocate(n, sizeof *out->class_shares);
    if (!out->names || !out->class_shares)
        return fail_memory();
    for (size_t k = 0; k < n; k++) {
        size_t wrong = 0;
        const size_t samples = counts ? row_sum(&my->test_tally, n, k, &wrong) : 0;
        out->names[k] = isg_classifier_class_name(my->classifier, k);
        out->class_shares[k] = share(wrong, samples);
    }
    out->balanced_error = balanced_error(&my->test_tally, n);
    out->classes = (result_list){out->names, n, sizeof *out->names};
    if (counts) {
        out->class_errors = (result_list){out->class_shares, n, sizeof *out->class_shares};
        out->confusion = (result_rows){counts, n, n * sizeof *counts, n};
    }
    return EXIT_DONE;
}

static void print_matrix(output *out, const classify_job *my, size_t n) {
    output_line(out, "confusion (one row per class, one column per predicted class):");
    output_print(out, "  %-12s", "");
    for (size_t l = 0; l < n; l++) {
        output_print(out, " ");
        output_cell(out, isg_classifier_class_name(my->classifier, l), -5);
    }
    output_print(out, "   error %%\n");
    for (size_t k = 0; k < n; k++) {
        size_t wrong = 0;
        const size_t samples = row_sum(&my->test_tally, n, k, &wrong);
        output_print(out, "  ");
        output_cell(out, isg_classifier_class_name(my->classifier, k), 12);
        for (size_t l = 0; l < n; l++)
            output_print(out, " %5zu", my->test_tally.counts[k * n + l]);
        if (samples > 0)
            output_print(out, " %9.2f\n", 100 * share(wrong, samples));
        else
            output_print(out, " %9s\n", "-");
    }
}

/* The most frequent mistakes, if the matrix would be too wide. */
static void print_mistakes(output *out, const classify_job *my, size_t n) {
    size_t before = SIZE_MAX, place = 0; /* of the mistake listed last */
    output_line(out, "most frequent mistakes:");
    for (size_t listed = 0; listed < MISTAKES; listed++) {
        size_t best = 0, where = SIZE_MAX;
        for (size_t k = 0; k < n * n; k++) {
            const size_t found = my->test_tally.counts[k];
            const bool is_next = found < before || (found == before && k > place);
            if (k / n != k % n && is_next && found > best) {
                best = found;
                where = k;
            }
        }
        if (where == SIZE_MAX)
            return;
        output_print(out, "  ");
        output_cell(out, isg_classifier_class_name(my->classifier, where / n), 20);
        output_print(out, " mistaken for ");
        output_cell(out, isg_classifier_class_name(my->classifier, where % n), 20);
        output_print(out, " %7zu\n", best);
        before = best;
        place = where;
    }
}

static void print_confusion(output *out, const void *results) {
    const classify_result *my = results;
    const size_t n = my->info.n_classes;
    if (n <= MOST_COLUMNS)
        print_matrix(out, my->job, n);
    else
        print_mistakes(out, my->job, n);
}

/* clang-format off */
#define IS(field, what)   RESULT(classify_result, field, what)
#define INFO(field, what) RESULT_AS(classify_result, info.field, #field, what)
#define HIDDEN(field)     RESULT_HIDDEN(classify_result, field)
#define AS(field, name)   RESULT_HIDDEN_AS(classify_result, field, name)

static const result_entry validation_results[] = {
    RESULT(validation_result, samples, "number of validation samples"),
    RESULT(validation_result, error, "share of them that was misclassified after the best epoch"),
    RESULT(validation_result, error_se, "its standard error, binomial"),
    RESULT(validation_result, balanced_error, "mean of the errors of the classes"),
    RESULT_HIDDEN(validation_result, wrong),
    {.key = NULL}};

static const result_entry tuning_results[] = {
    RESULT(tuning_result, epochs_done, "epochs behind this classifier"),
    RESULT(tuning_result, epochs, "of so many, over which the rates fell to zero"),
    RESULT(tuning_result, rate, "of the weights, at first"),
    RESULT(tuning_result, logits_rate, "of the coefficients and intercepts, at first"),
    RESULT(tuning_result, batch_size, "samples per update"),
    RESULT(tuning_result, shift, "pixels that images were moved by at most"),
    RESULT(tuning_result, balanced, "whether all classes weighed the same"),
    {.key = NULL}};

const result_entry classify_results[] = {
    IS(test_error, "share of TEST that was misclassified, or null"),
    IS(test_error_se, "its standard error, binomial"),
    IS(balanced_error, "mean of class_errors, over the classes that TEST has samples of, or null"),
    IS(train_error, "the same for TRAIN, or null"),
    RESULT_LIST_OF(classify_result, confusion, result_sizes,
                   "numbers of samples of TEST: one row per class, one column per predicted class"),
    RESULT_LIST_OF(classify_result, classes, result_texts, "names of the classes, in the order of the rows"),
    RESULT_LIST_OF(classify_result, class_errors, result_numbers,
                   "share of each class that was misclassified"),
    IS(converged, "whether the regression converged, or null with --model or --finetune"),
    RESULT_POINTER(classify_result, tuning, tuning_results,
                   "how the classifier was fine-tuned, or null"),
    RESULT_LIST_OF(classify_result, errors_at, point_results,
                   "the errors on the way"),
    RESULT_POINTER(classify_result, validation, validation_results,
                   "how the validation data were classified, or null"),
    IS(best_epoch, "the epoch after which that was best, whose classifier all else is about, or null"),
    IS(stopped_early, "whether --patience ended the training"),
    IS(test_samples, "number of samples in TEST"),
    IS(unlabelled, "those of them without a label, which no error counts, or null"),
    IS(train_samples, "and in TRAIN"),
    INFO(n_visible, "number of visible units"),
    INFO(n_rbms, "number of experts"),
    INFO(n_hidden, "number of hidden units of all experts together"),
    IS(epochs, "finished epochs"),
    IS(seconds, "time spent training, in all processes together"),
    IS(resumed, "whether an earlier run was resumed"),
    IS(model, "the classifier, in RUN or as given, or null"),
    IS(picture, "the picture, or null"),
    IS(predictions, "the table of predictions, or null"),
    IS(curve, "the table of errors, or null"),
    HIDDEN(is_one), HIDDEN(features), HIDDEN(has_curve), HIDDEN(is_trained), HIDDEN(train_error_se), HIDDEN(is_tuned),
    HIDDEN(test), HIDDEN(written), HIDDEN(reason), AS(fit.iterations, "iterations"), AS(fit.loss, "loss"),
    AS(test_tally.wrong, "test_wrong"), AS(test_tally.samples, "test_labelled"), AS(train_tally.wrong, "train_wrong"),
    {.when = "!is_one", .label = "experts",
     .text = "{n_rbms} with {n_hidden hidden unit} in all; features: {features}"},
    {.when = "is_one", .label = "RBM", .text = "{n_hidden hidden unit}; features: {features}"},
    {.when = "tuning", .label = "fine-tuning",
     .text = "{tuning.epochs_done} of {tuning.epochs epoch}, rates {tuning.rate} and {tuning.logits_rate}, "
             "batches of {tuning.batch_size}"},
    {.when = "tuning.shift", .label = "shifts", .text = "by up to {tuning.shift pixel}"},
    {.when = "train_samples&!iterations&!is_tuned", .label = "p(class | s)", .text = "in closed form"},
    {.when = "train_samples&iterations&converged", .label = "regression",
     .text = "converged in {iterations step}, loss {loss:.4f} nats"},
    {.when = "train_samples&iterations&!converged", .label = "regression",
     .text = "NOT converged: {reason}"},
    {.when = "has_curve&validation", .each = "errors_at",
     .heading = "    epochs test error % train error % validation error % training s",
     .text = "  {epochs:8} {test_error:%12.2f?} {train_error:%13.2f} {validation_error:%18.2f?} "
             "{seconds:10.2f}{has_failed:  not converged|}"},
    {.when = "has_curve&!validation", .each = "errors_at",
     .heading = "    epochs test error % train error % training s",
     .text = "  {epochs:8} {test_error:%12.2f?} {train_error:%13.2f} {seconds:10.2f}"
             "{has_failed:  not converged|}"},
    {.when = "is_trained", .label = "training", .text = "{epochs epoch}, {seconds:.2f} s"},
    {.when = "stopped_early", .label = "stopped", .text = "early: no better epoch came"},
    {.when = "validation", .label = "best epoch",
     .text = "{best_epoch}, whose classifier the rest is about"},
    {.when = "validation", .label = "validation error",
     .text = "{validation.error:%.2f} % +- {validation.error_se:%.2f} ({validation.wrong} of "
             "{validation.samples})"},
    {.when = "train_samples", .label = "train error",
     .text = "{train_error:%.2f} % +- {train_error_se:%.2f} ({train_wrong} of {train_samples})"},
    {.when = "confusion", .label = "test error",
     .text = "{test_error:%.2f} % +- {test_error_se:%.2f} ({test_wrong} of {test_labelled})"},
    {.when = "confusion", .label = "balanced error",
     .text = "{balanced_error:%.2f} % (mean over the classes)"},
    {.when = "confusion&unlabelled", .label = "unlabelled",
     .text = "{unlabelled sample}, classified but not counted above"},
    {.when = "confusion", .print = print_confusion},
    {.when = "test&!confusion", .label = "test error", .text = "unknown, since {test} has no labels"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.when = "predictions", .label = "predictions", .text = "{predictions}"},
    {.when = "curve", .label = "curve", .text = "{curve}"},
    {.when = "written", .label = "model", .text = "{written}"},
    {.key = NULL}};
/* clang-format on */

static tuning_result tuning_of(const isg_classifier_info *info) {
    const isg_tune_options *how = &info->tuned;
    return (tuning_result){.epochs_done = (size_t)info->tuned_epochs,
                           .epochs = how->epochs,
                           .batch_size = how->batch_size,
                           .shift = how->shift,
                           .rate = how->rate,
                           .logits_rate = how->logits_rate,
                           .balanced = how->balanced};
}

static classify_result look(const classify_job *my, validation_result *validation,
                            tuning_result *tuning) {
    static const char *const kinds[] = {"energy", "hidden units", "squares of hidden units"};
    const classify_settings *settings = my->settings;
    const bool is_fitted = my->train != NULL;
    classify_result out = {.job = my,
                           .info = isg_classifier_describe(my->classifier),
                           .test_tally = my->test_tally,
                           .train_tally = my->train_tally,
                           .fit = my->fit};
    out.test_error = share(my->test_tally.wrong, my->test_tally.samples);
    out.test_error_se = share_error(out.test_error, my->test_tally.samples);
    out.train_error = share(my->train_tally.wrong, my->train_tally.samples);
    out.train_error_se = share_error(out.train_error, my->train_tally.samples);
    out.converged = is_fitted && !my->tuner ? &my->fit.converged : NULL;
    if (out.info.tuned_epochs > 0) {
        *tuning = tuning_of(&out.info);
        out.tuning = tuning;
    }
    out.is_tuned = my->tuner != NULL;
    out.errors_at = points_of(my);
    out.test_samples = my->test ? isg_dataset_describe(my->test).n_samples : SIZE_MAX;
    out.unlabelled = my->test ? out.test_samples - my->test_tally.samples : SIZE_MAX;
    out.train_samples = is_fitted ? my->train_tally.samples : SIZE_MAX;
    out.epochs = my->n_points ? my->points[my->n_points - 1].epochs : SIZE_MAX;
    out.seconds = is_fitted ? classify_seconds(my) : (double)NAN;
    out.resumed = my->is_resumed;
    out.model = my->classifier_path || is_fitted ? my->classifier_path : settings->model;
    out.written = my->classifier_path;
    out.picture = settings->picture;
    out.predictions = settings->predictions;
    out.curve = settings->curve;
    out.is_one = out.info.n_rbms == 1;
    out.features = kinds[out.info.features];
    out.has_curve = my->n_points > 1;
    out.is_trained = my->experts != NULL || my->tuner != NULL;
    out.test = my->test_name;
    out.reason = my->fit.reason;
    out.best_epoch = SIZE_MAX;
    if (my->validation) {
        const tally *of = &my->validation_tally;
        *validation = (validation_result){.samples = of->samples,
                                          .wrong = of->wrong,
                                          .error = share(of->wrong, of->samples),
                                          .balanced_error = balanced_error(of, out.info.n_classes)};
        validation->error_se = share_error(validation->error, of->samples);
        out.validation = validation;
        out.best_epoch = my->best.epochs;
        out.stopped_early = my->stopped_early;
    }
    return out;
}

exit_code classify_show(classify_job *my) {
    validation_result validation;
    tuning_result tuning;
    classify_result found = look(my, &validation, &tuning);
    exit_code code = list_classes(&found, my);
    if (code == EXIT_DONE)
        code = write_files(my, found.names);
    if (code == EXIT_DONE)
        result_show(&my->call, &found);
    memory_release(found.names);
    memory_release(found.class_shares);
    return code;
}
