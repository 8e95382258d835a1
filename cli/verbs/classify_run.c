/* classify_run.c - training of experts that may be stopped and resumed
 *
 * SPDX-License-Identifier: MIT
 *
 * Directory, checkpoints and resuming are those of isg_run; added here are the points of the curve, kept
 * in run.json, and in the end classifier.npz. Points are written before training continues, since the
 * experts they belong to are gone afterwards; when the checkpoint is older than a point, the point is
 * passed a second time with the same result.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/progress.h"
#include "cli/run_settings.h"
#include "cli/signals.h"
#include "cli/starts.h"
#include "cli/training_bar.h"
#include "cli/verbs/classify_job.h"
#include "src/base/directory.h"
#include "src/base/number.h"

static const char classifier_name[] = "classifier.npz";

/* Options that are no part of the training, and those that may differ when it is resumed. */
static const char *const not_kept[] = {"output", "model",      "picture", "predictions",
                                       "curve",  "save-every", "resume",  NULL};
static const char *const may_change[] = {"epochs", "error-at", "labels", "test-labels", NULL};

static json_t *optional_text(const char *text) {
    return text ? json_text(text) : json_null();
}

static exit_code make_record(classify_job *my) {
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, my->call.common.seed);
    my->record = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:f, s:[], s:{s:s, s:I}}", //
        "program", "isinglass",                                                                  //
        "version", isg_version(),                                                                //
        "verb", my->call.verb->name,                                                             //
        "command", json_text(my->command),                                                       //
        "train", json_text(my->train_name),                                                      //
        "train_sha256", my->train_sha256,                                                        //
        "train_labels_sha256", my->train_labels_sha256,                                          //
        "test", optional_text(my->test_name),                                                    //
        "test_sha256", my->test_sha256,                                                          //
        "test_labels_sha256", my->test_labels_sha256,                                            //
        "seed", seed,                                                                            //
        "options", settings_record(&my->call, not_kept),                                         //
        "seconds", 0.0,                                                                          //
        "points",                                                                                //
        "machine", "isa", isg_isa(), "threads", (json_int_t)isg_threads());
    return my->record ? EXIT_DONE : fail_memory();
}

static json_t *points_json(const classify_job *my) {
    json_t *all = json_array();
    bool is_whole = all != NULL;
    for (size_t k = 0; is_whole && k < my->n_points; k++) {
        const curve_point *point = my->points + k;
        json_t *entry =
            json_pack("{s:I, s:o, s:f, s:f, s:b}", "epochs", (json_int_t)point->epochs,
                      "test_error", json_number(point->test_error), "train_error",
                      point->train_error, "seconds", point->seconds, "converged", point->converged);
        is_whole = json_array_append_new(all, entry) == 0;
    }
    if (is_whole)
        return all;
    json_decref(all);
    return NULL;
}

/* What may have changed since the start. A text that has not is borrowed from the record and would
   be freed if it were set again. */
static int set_options(const classify_job *my) {
    json_t *options = json_object_get(my->record, "options");
    const char *stops = my->settings->error_at;
    const char *old = json_string_value(json_object_get(options, "error-at"));
    const bool is_new = stops && (!old || strcmp(old, stops) != 0);
    return json_object_set_new(options, "epochs", json_integer((json_int_t)my->settings->epochs)) |
           (is_new ? json_object_set_new(options, "error-at", json_text(stops)) : 0);
}

double classify_seconds(const classify_job *my) {
    return my->earlier_s + isg_run_describe(my->run).seconds;
}

/* The text of run.json as of now, to be released; NULL if memory ran out. */
static char *record_text(const classify_job *my) {
    const int failed = json_object_set_new(my->record, "points", points_json(my)) |
                       json_object_set_new(my->record, "seconds", json_real(classify_seconds(my))) |
                       set_options(my);
    return failed ? NULL : settings_text(my->record);
}

static exit_code write_record(classify_job *my) {
    char *text = record_text(my);
    const exit_code code = text ? fail_status(isg_run_set_settings(my->run, text)) : fail_memory();
    memory_release(text);
    return code;
}

static const char *recorded(const classify_job *my, const char *key) {
    return json_string_value(json_object_get(my->record, key));
}

static bool has_point(const classify_job *my, size_t epochs) {
    for (size_t k = 0; k < my->n_points; k++)
        if (my->points[k].epochs == epochs)
            return true;
    return false;
}

/* Points rise, and there is one for every stop at most. */
static void insert_point(classify_job *my, curve_point point) {
    size_t k = my->n_points++;
    for (; k > 0 && my->points[k - 1].epochs > point.epochs; k--)
        my->points[k] = my->points[k - 1];
    my->points[k] = point;
}

/* The points of the curve that are among the stops. */
static exit_code read_points(classify_job *my) {
    const json_t *all = json_object_get(my->record, "points");
    size_t index = 0;
    json_t *entry = NULL;
    json_array_foreach(all, index, entry) {
        json_int_t epochs = 0;
        double seconds = 0, train_error = 0;
        int converged = 0;
        if (json_unpack(entry, "{s:I, s:F, s:F, s:b}", "epochs", &epochs, "train_error",
                        &train_error, "seconds", &seconds, "converged", &converged) != 0 ||
            epochs < 0)
            return settings_refuse(my->settings->out, "not as 'isinglass classify' writes it");
        const json_t *test = json_object_get(entry, "test_error");
        bool is_stop = false;
        for (size_t k = 0; k + 1 < my->n_stops; k++) /* the last is computed again */
            is_stop = is_stop || my->stops[k] == (size_t)epochs;
        if (is_stop && !has_point(my, (size_t)epochs))
            insert_point(my,
                         (curve_point){.epochs = (size_t)epochs,
                                       .test_error = json_is_number(test) ? json_number_value(test)
                                                                          : (double)NAN,
                                       .train_error = train_error,
                                       .seconds = seconds,
                                       .converged = converged});
    }
    return EXIT_DONE;
}

static exit_code read_record(classify_job *my, const char *text) {
    json_error_t error;
    uint64_t number = 0;
    my->record = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!my->record)
        return settings_refuse(my->settings->out, error.text);
    const exit_code code = settings_check_text(my->record, my->settings->out, "run.json");
    if (code != EXIT_DONE)
        return code;
    const char *verb = recorded(my, "verb"), *seed = recorded(my, "seed");
    const json_t *kept = json_object_get(my->record, "options");
    if (verb && strcmp(verb, my->call.verb->name) != 0)
        return fail(EXIT_CHECKPOINT, "%s: holds a run of 'isinglass %.40s'", my->settings->out,
                    verb);
    my->command = recorded(my, "command");
    my->train_name = my->train_name ? my->train_name : recorded(my, "train");
    my->test_name = my->test_name ? my->test_name : recorded(my, "test");
    if (!verb || !my->command || !my->train_name || !recorded(my, "train_sha256") ||
        !recorded(my, "test_sha256") || !seed || !isg_parse_uint64(seed, &number) ||
        !json_is_object(kept))
        return settings_refuse(my->settings->out, "not as 'isinglass classify' writes it");
    if (call_has_option(&my->call, "seed") && my->call.common.seed != number)
        return fail(EXIT_CHECKPOINT, "--seed %" PRIu64 ", but the run in %s was started with %s",
                    my->call.common.seed, my->settings->out, seed);
    my->call.common.seed = number;
    return settings_restore(&my->call, kept, may_change, my->settings->out);
}

exit_code classify_open_run(classify_job *my) {
    const char *out = my->settings->out;
    const exit_code code = fail_status(isg_run_open(&my->run, out, my->train_name != NULL));
    if (code != EXIT_DONE || !out)
        return code;
    isg_remove_temporaries(out, classifier_name); /* nobody else writes it, now that it is locked */
    my->classifier_path = isg_join_path(out, classifier_name);
    if (!my->classifier_path)
        return fail_memory();
    const isg_run_info info = isg_run_describe(my->run);
    if (my->settings->resume && info.settings)
        return read_record(my, info.settings);
    return run_may_start(&info, out, my->settings->resume, my->train_name ? NULL : "TRAIN",
                         &my->call.common);
}

/* ---- starting and resuming ------------------------------------------------------------------------ */

static exit_code make_experts(classify_job *my) {
    const classify_settings *settings = my->settings;
    isg_expert_options options = settings->experts;
    progress bar;
    options.joint = settings->classifier == CLASSIFIER_LABELS;
    options.cap = true;
    if (options.start == ISG_START_HOPFIELD || options.start == ISG_START_HEBBIAN)
        start_patterns(&my->call, my->train, my->train_name, options.per_class);
    options.train.rates = my->rates.rates;
    options.train.n_rates = my->rates.n_rates;
    options.train.seed = my->call.common.seed;
    progress_start(&bar, my->call.common.quiet, "clustering");
    const isg_status status =
        isg_experts_create(&my->experts, my->train, &options, progress_callback(&bar));
    progress_finish(&bar);
    return status == ISG_ERR_ARGUMENT
               ? fail(EXIT_BAD_INPUT, "%s: %s%s", my->train_name, isg_error_message(),
                      options.per_class > 1 ? "; choose a smaller --per-class" : "")
               : fail_status(status);
}

static exit_code begin(classify_job *my) {
    my->n_points = 0;
    char *text = NULL;
    exit_code code = my->record ? EXIT_DONE : make_record(my);
    if (code == EXIT_DONE && !(text = record_text(my)))
        code = fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(
            isg_run_begin_experts(my->run, text, my->experts, my->settings->save_every));
    memory_release(text);
    return code;
}

static exit_code resume(classify_job *my) {
    const classify_settings *settings = my->settings;
    const isg_status status = isg_run_resume_experts(my->run, my->experts, settings->save_every);
    if (status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE || status == ISG_ERR_VERSION)
        return fail(EXIT_CHECKPOINT, "%s; use --force to start over", isg_error_message());
    if (status != ISG_OK)
        return fail_status(status);
    const isg_run_info info = isg_run_describe(my->run);
    const double recorded_s = json_number_value(json_object_get(my->record, "seconds"));
    my->is_resumed = true;
    my->earlier_s = fmax(0, recorded_s - info.seconds);
    if (info.remark)
        notice(my->call.common.quiet, "%s", info.remark);
    if (info.state.epochs > settings->epochs)
        return fail(EXIT_CHECKPOINT, "--epochs %zu, but the run in %s has %" PRIu64 " already",
                    settings->epochs, settings->out, info.state.epochs);
    return write_record(my);
}

static exit_code begin_or_resume(classify_job *my) {
    const bool has_checkpoint = isg_run_describe(my->run).has_checkpoint;
    const bool is_recorded = my->record != NULL;
    exit_code code = make_experts(my);
    if (code == EXIT_DONE && is_recorded && !has_checkpoint)
        notice(my->call.common.quiet, "%s: has no checkpoint yet; starting from the beginning",
               my->settings->out);
    if (code == EXIT_DONE && is_recorded && has_checkpoint) {
        code = read_points(my);
        return code == EXIT_DONE ? resume(my) : code;
    }
    return code == EXIT_DONE ? begin(my) : code;
}

/* ---- training --------------------------------------------------------------------------------- */

static exit_code stopped(classify_job *my) {
    const exit_code code = fail_status(ISG_ERR_CANCELLED);
    if (!my->experts)
        return code;
    const isg_experts_info info = isg_experts_describe(my->experts);
    if (!my->settings->out)
        return fail(code, "%s after %" PRIu64 " epoch%s; nothing was saved, since -o was not given",
                    failure_sentence(), info.epochs, plural(info.epochs));
    const exit_code saved = write_record(my);
    if (saved != EXIT_DONE)
        return saved;
    fail_status(ISG_ERR_CANCELLED);
    char *line = run_resume_line(&my->call, my->settings->out);
    if (!line)
        return fail_memory();
    fail(code, "%s after %" PRIu64 " epoch%s and %zu of %zu experts, all saved; to go on: %s",
         failure_sentence(), info.epochs, plural(info.epochs), info.next, info.n_experts, line);
    memory_release(line);
    return code;
}

/* Trains until all have finished so many epochs. */
static exit_code train_until(classify_job *my, size_t until) {
    if (isg_run_describe(my->run).state.epochs >= until)
        return EXIT_DONE;
    const isg_status status =
        train_with_bar(my->run, until, my->settings->epochs,
                       isg_dataset_describe(my->train).n_samples, my->call.common.quiet);
    return status == ISG_ERR_CANCELLED ? stopped(my) : fail_status(status);
}

static exit_code add_point(classify_job *my, size_t epochs) {
    exit_code code = classify_fit(my);
    if (code == EXIT_INTERRUPTED || code == EXIT_TERMINATED)
        return stopped(my);
    if (code != EXIT_DONE)
        return code;
    insert_point(
        my, (curve_point){
                .epochs = epochs,
                .test_error = my->test_tally.counts
                                  ? (double)my->test_tally.wrong / (double)my->test_tally.samples
                                  : (double)NAN,
                .train_error = (double)my->train_tally.wrong / (double)my->train_tally.samples,
                .seconds = classify_seconds(my),
                .converged = my->fit.converged});
    return write_record(my);
}

/* With --rbm there is nothing to train. */
static exit_code fit_alone(classify_job *my) {
    exit_code code = fail_status(isg_rbm_load(&my->rbm, my->settings->rbm));
    if (code == EXIT_DONE && !my->record)
        code = make_record(my);
    return code == EXIT_DONE ? add_point(my, 0) : code;
}

static exit_code train_and_fit(classify_job *my) {
    exit_code code = begin_or_resume(my);
    for (size_t k = 0; code == EXIT_DONE && k < my->n_stops; k++) {
        const size_t until = my->stops[k];
        const bool is_last = k + 1 == my->n_stops;
        if (!is_last && isg_experts_describe(my->experts).epochs > until && !has_point(my, until))
            notice(my->call.common.quiet,
                   "--error-at %zu: skipped, since the run is already past "
                   "it",
                   until);
        else if (is_last || !has_point(my, until)) {
            code = train_until(my, until);
            if (code == EXIT_DONE)
                code = add_point(my, until);
        }
    }
    return code;
}

exit_code classify_train(classify_job *my) {
    my->points = memory_allocate(my->n_stops, sizeof *my->points);
    if (!my->points)
        return fail_memory();
    const exit_code code = my->settings->rbm ? fit_alone(my) : train_and_fit(my);
    if (code != EXIT_DONE || !my->settings->out)
        return code;
    return fail_status(isg_classifier_save(my->classifier, my->classifier_path,
                                           my->call.common.seed, my->command));
}
