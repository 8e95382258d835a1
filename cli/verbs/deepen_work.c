/* deepen_work.c - what a deep model says about data, and what it draws
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/share_error.h"
#include "cli/verbs/deepen_job.h"

enum { PER_CLASS = 10, TABLE_COUNT = 1000 };

/* The default in a picture, as for the last update of 'isinglass sample'. */
static const double picture_beta = 20;

/* ---- scores ------------------------------------------------------------------------------------------ */

static exit_code find_bound(const deepen_job *my, const isg_dataset *data, deepen_score *out) {
    isg_elbo found;
    progress bar;
    progress_start(&bar, my->call->common.quiet, "scoring");
    const isg_status status =
        isg_deep_model_elbo(my->model, data, &found, NULL, progress_callback(&bar));
    progress_finish(&bar);
    if (status != ISG_OK)
        return fail_status(status);
    out->samples = found.n_samples;
    out->elbo = (result_estimate){found.value, found.error};
    out->labelled_elbo = (result_estimate){found.labelled_value, found.labelled_error};
    out->reconstruction = found.reconstruction;
    out->divergence = found.divergence;
    return EXIT_DONE;
}

/* Writes how many answers by the rule are wrong; SIZE_MAX if there is no such rule. */
static exit_code count_wrong(const deepen_job *my, const isg_dataset *data, isg_deep_rule rule,
                             const uint32_t *truth, size_t *wrong) {
    const size_t n = isg_dataset_describe(data).n_samples;
    uint32_t *answers = memory_allocate(n, sizeof *answers);
    if (!answers)
        return fail_memory();
    const isg_status status =
        isg_deep_model_predict(my->model, data, rule, answers, (isg_matd){.data = NULL}, NULL);
    *wrong = status == ISG_OK ? 0 : SIZE_MAX;
    for (size_t a = 0; status == ISG_OK && a < n; a++)
        *wrong += truth[a] != ISG_UNLABELLED && truth[a] != answers[a];
    memory_release(answers);
    return status == ISG_ERR_UNSUPPORTED ? EXIT_DONE : fail_status(status);
}

static bool has_classes(const deepen_job *my, const isg_dataset *data) {
    return my->info.n_classes > 1 && isg_dataset_describe(data).n_classes > 0;
}

exit_code deepen_look(const deepen_job *my, const isg_dataset *data, deepen_score *out) {
    const size_t n = isg_dataset_describe(data).n_samples;
    exit_code code = find_bound(my, data, out);
    out->error = out->error_se = out->quadratic_error = (double)NAN;
    if (code != EXIT_DONE || !has_classes(my, data))
        return code;
    uint32_t *truth = memory_allocate(n, sizeof *truth);
    if (!truth)
        return fail_memory();
    if (isg_deep_model_truth(my->model, data, truth) != ISG_OK)
        code = fail(EXIT_BAD_INPUT, "%s: %s", out->name, isg_error_message());
    if (code == EXIT_DONE)
        code = count_wrong(my, data, ISG_DEEP_BOUND, truth, &out->wrong);
    if (code == EXIT_DONE)
        code = count_wrong(my, data, ISG_DEEP_QUADRATIC, truth, &out->quadratic_wrong);
    for (size_t a = 0; a < n; a++)
        out->labelled += truth[a] != ISG_UNLABELLED;
    memory_release(truth);
    if (code != EXIT_DONE || out->labelled == 0)
        return code;
    out->error = (double)out->wrong / (double)out->labelled;
    out->error_se = share_error(out->error, out->labelled);
    if (out->quadratic_wrong != SIZE_MAX)
        out->quadratic_error = (double)out->quadratic_wrong / (double)out->labelled;
    return EXIT_DONE;
}

/* ---- predictions --------------------------------------------------------------------------------------- */

/* The caller releases the list. */
static const char **class_names(const deepen_job *my) {
    const char **names = memory_allocate(my->info.n_classes, sizeof *names);
    for (size_t k = 0; names && k < my->info.n_classes; k++)
        names[k] = isg_deep_model_class_name(my->model, k);
    return names;
}

/* Quadratic discriminants need covariances that can be inverted. */
static exit_code predict_failed(const deepen_job *my, isg_status status) {
    if (status != ISG_ERR_UNSUPPORTED)
        return fail_status(status);
    return my->rbm
               ? fail(EXIT_BAD_INPUT, "--rule quadratic: %s with --shrinkage, or take --rule bound",
                      isg_error_message())
               : fail(EXIT_BAD_INPUT,
                      "--rule quadratic: %s: %s with --shrinkage when it is fitted, or take "
                      "--rule bound",
                      my->model_name, isg_error_message());
}

exit_code deepen_predict(const deepen_job *my, const isg_dataset *data) {
    const size_t n = my->info.n_classes, n_samples = isg_dataset_describe(data).n_samples;
    uint32_t *answers = memory_allocate(n_samples, sizeof *answers);
    double *probabilities = memory_allocate(n_samples, n * sizeof *probabilities);
    const char **names = class_names(my);
    exit_code code = answers && probabilities && names ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = predict_failed(
            my, isg_deep_model_predict(my->model, data, my->settings->rule, answers,
                                       (isg_matd){probabilities, n_samples, n, n}, NULL));
    if (code == EXIT_DONE) {
        const sample_table table = {.data = data,
                                    .values = {probabilities, n_samples, n, n},
                                    .columns = names,
                                    .prefix = "p_",
                                    .digits = 6,
                                    .answers = answers,
                                    .answer = "predicted",
                                    .value = "probability",
                                    .array = "P"};
        code = sample_table_write(my->call, my->settings->predictions, &table);
    }
    memory_release(answers);
    memory_release(probabilities);
    memory_release(names);
    return code;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static bool is_picture(const char *path) {
    return ends_in(path, ".png") || ends_in(path, ".svg");
}

static exit_code find_class(deepen_job *my, const char *name) {
    my->drawn_class = SIZE_MAX;
    for (size_t k = 0; name && k < my->info.n_classes; k++)
        if (strcmp(isg_deep_model_class_name(my->model, k), name) == 0)
            my->drawn_class = k;
    return !name || my->drawn_class != SIZE_MAX
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--class: '%s' is not one of the %zu classes of %s", name,
                      my->info.n_classes, my->model_name);
}

exit_code deepen_plan_samples(deepen_job *my) {
    const deepen_settings *settings = my->settings;
    const bool has_picture = is_picture(settings->samples);
    const exit_code code = find_class(my, settings->data.how.only_class);
    const size_t n_classes = my->drawn_class == SIZE_MAX ? my->info.n_classes : 1;
    if (code != EXIT_DONE)
        return code;
    my->count = settings->count ? settings->count
                : has_picture   ? PER_CLASS * (n_classes > 1 ? n_classes : PER_CLASS)
                                : TABLE_COUNT;
    my->spin_beta = settings->spin_beta > 0 ? settings->spin_beta
                    : has_picture           ? fmax(picture_beta, my->info.beta)
                                            : my->info.beta;
    return EXIT_DONE;
}

/* In a picture, equally many of each class, one row for each; else as the shares have it, unless there
   is only one class to be drawn. NULL for the latter. */
static exit_code plan_classes(const deepen_job *my, uint32_t **classes) {
    const bool is_one = my->drawn_class != SIZE_MAX;
    const size_t n = my->info.n_classes, each = (my->count + n - 1) / n;
    *classes = NULL;
    if (!is_one && !is_picture(my->settings->samples))
        return EXIT_DONE;
    *classes = memory_allocate(my->count, sizeof **classes);
    for (size_t a = 0; *classes && a < my->count; a++)
        (*classes)[a] = (uint32_t)(is_one ? my->drawn_class : a / each);
    return *classes ? EXIT_DONE : fail_memory();
}

/* Values that the rule of the model and the default rule both read as these spins. */
static exit_code write_values(const deepen_job *my, const isg_dataset *drawn) {
    const size_t n = my->info.n_visible;
    const isg_encoding *encoding = isg_rbm_encoding(isg_deep_model_rbm(my->model));
    double *values = memory_allocate(my->count, n * sizeof *values);
    const char **names = memory_allocate(n, sizeof *names);
    exit_code code = values && names ? EXIT_DONE : fail_memory();
    for (size_t i = 0; code == EXIT_DONE && i < n; i++) {
        const double threshold = encoding ? isg_encoding_threshold(encoding, i) : 0;
        const double high = fmax(1, fmax(threshold + 1, nextafter(threshold, HUGE_VAL)));
        names[i] = isg_encoding_unit_name(encoding, i);
        for (size_t a = 0; a < my->count; a++)
            values[a * n + i] =
                isg_spin(isg_dataset_row(drawn, a), i) > 0 ? high : fmin(-1, threshold);
    }
    if (code == EXIT_DONE) {
        const sample_table table = {.data = drawn,
                                    .values = {values, my->count, n, n},
                                    .columns = names[0] ? names : NULL,
                                    .prefix = "",
                                    .digits = 17,
                                    .array = "X"};
        code = sample_table_write(my->call, my->settings->samples, &table);
    }
    memory_release(values);
    memory_release(names);
    return code;
}

exit_code deepen_sample(const deepen_job *my) {
    const size_t n = my->info.n_classes;
    const bool is_one = my->drawn_class != SIZE_MAX || n == 1;
    isg_dataset *drawn = NULL;
    uint32_t *classes = NULL;
    exit_code code = plan_classes(my, &classes);
    if (code == EXIT_DONE)
        code =
            fail_status(isg_deep_model_sample(&drawn, my->model, classes, my->count, my->spin_beta,
                                              my->call->common.seed, (isg_matd){.data = NULL}));
    if (code == EXIT_DONE)
        code = is_picture(my->settings->samples)
                   ? draw_samples(my->settings->samples, drawn,
                                  is_one ? PER_CLASS : (my->count + n - 1) / n,
                                  my->info.image_height, my->info.image_width)
                   : write_values(my, drawn);
    memory_release(classes);
    isg_dataset_free(drawn);
    return code;
}
