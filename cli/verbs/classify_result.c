/* classify_result.c - the classifier, what it gets right, and how that is told
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/progress.h"
#include "cli/share_error.h"
#include "cli/verbs/classify_job.h"

/* Classes up to which the confusion matrix is printed, and mistakes that are listed otherwise. */
enum { MOST_COLUMNS = 12, MISTAKES = 10 };

/* ---- fitting and testing -------------------------------------------------------------------------- */

/* Answers to all samples of `data`, and how many are right. */
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
    out->samples = n_samples;
    out->wrong = 0;
    for (size_t a = 0; status == ISG_OK && a < n_samples; a++) {
        out->counts[truth[a] * n_classes + answers[a]]++;
        out->wrong += truth[a] != answers[a];
    }
    memory_release(truth);
    return fail_status(status);
}

static exit_code test_on_train(classify_job *my) {
    uint32_t *answers = memory_allocate(isg_dataset_describe(my->train).n_samples, sizeof *answers);
    if (!answers)
        return fail_memory();
    exit_code code = fail_status(
        isg_classifier_predict(my->classifier, my->train, answers, (isg_matd){.data = NULL}));
    if (code == EXIT_DONE)
        code = count(&my->train_tally, my->classifier, my->train, answers);
    memory_release(answers);
    return code;
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
    const isg_status status = isg_classifier_predict(my->classifier, my->test, my->answers, room);
    if (status == ISG_ERR_SHAPE)
        return fail(EXIT_BAD_INPUT, "%s: %s", my->test_name, isg_error_message());
    if (status != ISG_OK || info.n_classes == 0)
        return fail_status(status);
    const exit_code code = count(&my->test_tally, my->classifier, my->test, my->answers);
    return code == EXIT_MISUSED || code == EXIT_BAD_INPUT
               ? fail(EXIT_BAD_INPUT, "%s: %s", my->test_name, isg_error_message())
               : code;
}

static isg_status fit_experts(classify_job *my, const isg_logistic_options *options) {
    const size_t n = my->experts ? isg_experts_describe(my->experts).n_experts : 1;
    const isg_rbm **rbms = memory_allocate(n, sizeof *rbms);
    if (!rbms)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < n; k++)
        rbms[k] = my->experts ? isg_experts_rbm(my->experts, k) : my->rbm;
    const isg_status status = isg_classifier_fit(&my->classifier, rbms, n, my->settings->features,
                                                 my->train, options, &my->fit);
    memory_release(rbms);
    return status;
}

exit_code classify_fit(classify_job *my) {
    isg_logistic_options options = my->settings->fit;
    progress bar;
    isg_status status;
    isg_classifier_free(my->classifier);
    my->classifier = NULL;
    progress_start(&bar, my->call.common.quiet, "fitting");
    options.progress = progress_callback(&bar);
    if (my->experts && my->settings->classifier == CLASSIFIER_LABELS) {
        my->fit = (isg_logistic_report){.converged = true};
        status =
            isg_classifier_from_labels(&my->classifier, isg_experts_rbm(my->experts, 0), my->train);
    } else
        status = fit_experts(my, &options);
    progress_finish(&bar);
    exit_code code = status == ISG_ERR_SHAPE && my->rbm
                         ? fail(EXIT_BAD_INPUT, "%s: %s", my->settings->rbm, isg_error_message())
                     : status == ISG_ERR_MEMORY ? fail_memory()
                                                : fail_status(status);
    if (code == EXIT_DONE)
        code = test_on_train(my);
    return code == EXIT_DONE && my->test ? classify_test(my) : code;
}

/* ---- files ---------------------------------------------------------------------------------------- */

/* A cell of a table, in quotes where the text needs them. */
static void put_cell(output *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        output_print(out, "%s", text);
        return;
    }
    output_print(out, "\"");
    for (const char *c = text; *c; c++)
        output_print(out, *c == '"' ? "\"\"" : "%c", *c);
    output_print(out, "\"");
}

static exit_code write_table(const output *table, const char *path) {
    return table->is_out_of_memory ? fail_memory()
                                   : fail_status(isg_file_write(path, table->text, table->length));
}

static exit_code write_predictions(const classify_job *my) {
    const size_t n_classes = isg_classifier_describe(my->classifier).n_classes;
    const size_t n_samples = isg_dataset_describe(my->test).n_samples;
    const uint32_t *labels = isg_dataset_labels(my->test);
    output table = {.text = NULL};
    output_print(&table, "row,class,predicted,probability\n");
    for (size_t a = 0; a < n_samples; a++) {
        const size_t answer = my->answers[a];
        output_print(&table, "%zu,", a + 1);
        put_cell(&table, labels ? isg_dataset_class_name(my->test, labels[a]) : "");
        output_print(&table, ",");
        put_cell(&table, isg_classifier_class_name(my->classifier, answer));
        output_print(&table, ",%.6g\n", my->probabilities[a * n_classes + answer]);
    }
    const exit_code code = write_table(&table, my->settings->predictions);
    output_free(&table);
    return code;
}

static exit_code write_curve(const classify_job *my) {
    output table = {.text = NULL};
    output_print(&table, "epochs,seconds,test_error,train_error,converged\n");
    for (size_t k = 0; k < my->n_points; k++) {
        const curve_point *point = my->points + k;
        output_print(&table, "%zu,%.3f,", point->epochs, point->seconds);
        if (!isnan(point->test_error))
            output_print(&table, "%.9g", point->test_error);
        output_print(&table, ",%.9g,%d\n", point->train_error, point->converged);
    }
    const exit_code code = write_table(&table, my->settings->curve);
    output_free(&table);
    return code;
}

static exit_code write_files(const classify_job *my) {
    const classify_settings *settings = my->settings;
    exit_code code = EXIT_DONE;
    if (settings->picture)
        code = fail_status(isg_confusion_picture(my->test_tally.counts,
                                                 isg_classifier_describe(my->classifier).n_classes,
                                                 my->test, settings->picture));
    if (code == EXIT_DONE && settings->predictions)
        code = write_predictions(my);
    if (code == EXIT_DONE && settings->curve)
        code = write_curve(my);
    return code;
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static double share(size_t part, size_t all) {
    return all > 0 ? (double)part / (double)all : (double)NAN;
}

/* The samples of a class, and how many of them were taken for another. */
static size_t row_sum(const tally *of, size_t n_classes, size_t k, size_t *wrong) {
    size_t sum = 0;
    for (size_t l = 0; l < n_classes; l++)
        sum += of->counts[k * n_classes + l];
    *wrong = sum - of->counts[k * n_classes + k];
    return sum;
}

/* The array, which is given up if an entry is missing. */
static json_t *append(json_t *array, json_t *entry) {
    if (!array || json_array_append_new(array, entry) != 0) {
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *confusion_json(const classify_job *my, size_t n_classes) {
    if (!my->test_tally.counts)
        return json_null();
    json_t *rows = json_array();
    for (size_t k = 0; rows && k < n_classes; k++) {
        json_t *row = json_array();
        for (size_t l = 0; row && l < n_classes; l++)
            row = append(row, json_integer((json_int_t)my->test_tally.counts[k * n_classes + l]));
        rows = append(rows, row);
    }
    return rows;
}

static json_t *class_errors_json(const classify_job *my, size_t n_classes) {
    if (!my->test_tally.counts)
        return json_null();
    json_t *errors = json_array();
    for (size_t k = 0; errors && k < n_classes; k++) {
        size_t wrong = 0;
        const size_t samples = row_sum(&my->test_tally, n_classes, k, &wrong);
        errors = append(errors, json_number(share(wrong, samples)));
    }
    return errors;
}

static json_t *classes_json(const classify_job *my, size_t n_classes) {
    json_t *names = json_array();
    for (size_t k = 0; names && k < n_classes; k++)
        names = append(names, json_text(isg_classifier_class_name(my->classifier, k)));
    return names;
}

static json_t *points_json(const classify_job *my) {
    json_t *points = json_array();
    for (size_t k = 0; points && k < my->n_points; k++) {
        const curve_point *point = my->points + k;
        points = append(points,
                        json_pack("{s:I, s:o, s:f, s:b, s:f}", "epochs", (json_int_t)point->epochs,
                                  "test_error", json_number(point->test_error), "train_error",
                                  point->train_error, "converged", point->converged, "seconds",
                                  point->seconds));
    }
    return points;
}

static json_t *file_json(const char *path) {
    return path ? json_text(path) : json_null();
}

static void as_json(const classify_job *my) {
    const classify_settings *settings = my->settings;
    const isg_classifier_info info = isg_classifier_describe(my->classifier);
    const size_t n = info.n_classes;
    const bool is_fitted = my->train != NULL;
    const double error = share(my->test_tally.wrong, my->test_tally.samples);
    output_json(
        my->call.out,
        json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:b, "
            "s:o, s:o, s:o, s:o}",                                                        //
            "test_error", json_number(error),                                             //
            "test_error_se",                                                              //
            json_number(share_error(error, my->test_tally.samples)),                      //
            "train_error",                                                                //
            json_number(share(my->train_tally.wrong, my->train_tally.samples)),           //
            "confusion", confusion_json(my, n),                                           //
            "classes", classes_json(my, n),                                               //
            "class_errors", class_errors_json(my, n),                                     //
            "converged", is_fitted ? json_boolean(my->fit.converged) : json_null(),       //
            "errors_at", points_json(my),                                                 //
            "test_samples",                                                               //
            my->test ? json_integer((json_int_t)isg_dataset_describe(my->test).n_samples) //
                     : json_null(),                                                       //
            "train_samples",                                                              //
            is_fitted ? json_integer((json_int_t)my->train_tally.samples) : json_null(),  //
            "n_visible", (json_int_t)info.n_visible,                                      //
            "n_rbms", (json_int_t)info.n_rbms,                                            //
            "n_hidden", (json_int_t)info.n_hidden,                                        //
            "epochs",                                                                     //
            my->n_points ? json_integer((json_int_t)my->points[my->n_points - 1].epochs)  //
                         : json_null(),                                                   //
            "seconds", is_fitted ? json_number(classify_seconds(my)) : json_null(),       //
            "resumed", my->is_resumed,                                                    //
            "model",                                                                      //
            file_json(my->classifier_path ? my->classifier_path : settings->model),       //
            "picture", file_json(settings->picture),                                      //
            "predictions", file_json(settings->predictions),                              //
            "curve", file_json(settings->curve)));
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_error(output *out, const char *label, const tally *of) {
    const double error = share(of->wrong, of->samples);
    output_field(out, label, "%.2f %% +- %.2f (%zu of %zu)", 100 * error,
                 100 * share_error(error, of->samples), of->wrong, of->samples);
}

static void put_matrix(output *out, const classify_job *my, size_t n) {
    output_line(out, "confusion (a row for each class, a column for what it was taken for):");
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

/* The most frequent mistakes, where the matrix would be too wide. */
static void put_mistakes(output *out, const classify_job *my, size_t n) {
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
        output_print(out, " taken for ");
        output_cell(out, isg_classifier_class_name(my->classifier, where % n), 20);
        output_print(out, " %7zu\n", best);
        before = best;
        place = where;
    }
}

static void put_curve(output *out, const classify_job *my) {
    output_print(out, "  %8s %12s %12s %10s\n", "epochs", "test error %", "train error %",
                 "training s");
    for (size_t k = 0; k < my->n_points; k++) {
        const curve_point *point = my->points + k;
        char test[16] = "-";
        if (!isnan(point->test_error))
            snprintf(test, sizeof test, "%.2f", 100 * point->test_error);
        output_print(out, "  %8zu %12s %13.2f %10.2f%s\n", point->epochs, test,
                     100 * point->train_error, point->seconds,
                     point->converged ? "" : "  not converged");
    }
}

static void put_model(output *out, const classify_job *my, const isg_classifier_info *info) {
    static const char *const kinds[] = {"energy", "hidden units"};
    if (info->n_rbms > 1)
        output_field(out, "experts", "%zu with %zu hidden units in all; features: %s", info->n_rbms,
                     info->n_hidden, kinds[info->features]);
    else
        output_field(out, "RBM", "%zu hidden units; features: %s", info->n_hidden,
                     kinds[info->features]);
    if (!my->train)
        return;
    if (my->fit.iterations == 0)
        output_field(out, "p(class | s)", "in closed form");
    else if (my->fit.converged)
        output_field(out, "regression", "converged in %zu steps, loss %.4f nats",
                     my->fit.iterations, my->fit.loss);
    else
        output_field(out, "regression", "NOT converged: %s", my->fit.reason);
}

static void as_text(const classify_job *my) {
    output *out = my->call.out;
    const classify_settings *settings = my->settings;
    const isg_classifier_info info = isg_classifier_describe(my->classifier);
    put_model(out, my, &info);
    if (my->n_points > 1)
        put_curve(out, my);
    if (my->experts)
        output_field(out, "training", "%zu epochs, %.2f s", my->points[my->n_points - 1].epochs,
                     classify_seconds(my));
    if (my->train)
        put_error(out, "train error", &my->train_tally);
    if (my->test_tally.counts) {
        put_error(out, "test error", &my->test_tally);
        if (info.n_classes <= MOST_COLUMNS)
            put_matrix(out, my, info.n_classes);
        else
            put_mistakes(out, my, info.n_classes);
    } else if (my->test)
        output_field(out, "test error", "unknown, since %s has no labels", my->test_name);
    if (settings->picture)
        output_field(out, "picture", "%s", settings->picture);
    if (settings->predictions)
        output_field(out, "predictions", "%s", settings->predictions);
    if (settings->curve)
        output_field(out, "curve", "%s", settings->curve);
    if (my->classifier_path)
        output_field(out, "model", "%s", my->classifier_path);
}

exit_code classify_show(classify_job *my) {
    const exit_code code = write_files(my);
    if (code != EXIT_DONE)
        return code;
    if (my->call.common.json)
        as_json(my);
    else
        as_text(my);
    return EXIT_DONE;
}
