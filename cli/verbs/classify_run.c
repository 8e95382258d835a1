/* classify_run.c - training of experts that may be stopped and resumed
 *
 * SPDX-License-Identifier: MIT
 *
 * Directory, checkpoints and resuming are those of isg_run; added here are the points of the curve, kept
 * in run.json, and in the end classifier.npz. Points are written before training continues, since the
 * experts they belong to are gone afterwards; when the checkpoint is older than a point, the point is
 * passed a second time with the same result. With validation data, the best classifier so far is in one
 * of two files, written alternately and before the run.json that says in which; what is passed a second
 * time is not better than it was, so that this one is kept.
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
#include "src/base/memory.h"
#include "src/base/number.h"

static const char classifier_name[] = "classifier.npz";
static const char *const best_names[] = {"best-1.npz", "best-2.npz"};

/* Options that are no part of the training, and those that may differ when it is resumed. */
static const char *const not_kept[] = {"output", "model",      "picture", "predictions",
                                       "curve",  "save-every", "resume",  NULL};
static const char *const may_change[] = {"epochs",   "error-at",   "labels", "test-labels",
                                         "patience", "validation", NULL};
/* The rates of fine-tuning fall over all epochs, so that their number is part of it; and so is where it
   starts. */
static const char *const not_kept_of_tuning[] = {"output",     "picture", "predictions", "curve",
                                                 "save-every", "resume",  NULL};

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
        "options",
        settings_record(&my->call, my->settings->finetune ? not_kept_of_tuning : not_kept), //
        "seconds", 0.0,                                                                     //
        "points",                                                                           //
        "machine", "isa", isg_isa(), "threads", (json_int_t)isg_threads());
    if (my->record && my->validation &&
        json_object_set_new(my->record, "validation_sha256", json_string(my->validation_sha256)))
        return fail_memory();
    return my->record ? EXIT_DONE : fail_memory();
}

/* With --finetune there is no regression. */
static void set_converged(curve_point *point, const classify_job *my, bool converged) {
    static const bool is_so = true, is_not = false;
    const bool is_known = !my->settings->finetune;
    point->converged = !is_known ? NULL : converged ? &is_so : &is_not;
    point->has_failed = is_known && !converged;
}

static json_t *converged_json(const bool *converged) {
    return converged ? json_boolean(*converged) : json_null();
}

static json_t *points_json(const classify_job *my) {
    json_t *all = json_array();
    bool is_whole = all != NULL;
    for (size_t k = 0; is_whole && k < my->n_points; k++) {
        const curve_point *point = my->points + k;
        json_t *entry = json_pack("{s:I, s:o, s:f, s:f, s:o}", "epochs", (json_int_t)point->epochs,
                                  "test_error", json_number(point->test_error), "train_error",
                                  point->train_error, "seconds", point->seconds, "converged",
                                  converged_json(point->converged));
        if (my->validation && entry &&
            json_object_set_new(entry, "validation_error", json_number(point->validation_error)))
            is_whole = false;
        is_whole = json_array_append_new(all, entry) == 0 && is_whole;
    }
    if (is_whole)
        return all;
    json_decref(all);
    return NULL;
}

static int set_best(const classify_job *my) {
    const best_epoch *best = &my->best;
    if (!my->validation || best->epochs == SIZE_MAX)
        return 0;
    return json_object_set_new(
        my->record, "best",
        json_pack("{s:I, s:f, s:I, s:I, s:f, s:o}", "epochs", (json_int_t)best->epochs, "error",
                  best->error, "file", (json_int_t)best->slot + 1, "iterations",
                  (json_int_t)best->fit.iterations, "loss", best->fit.loss, "converged",
                  converged_json(my->settings->finetune ? NULL : &best->fit.converged)));
}

/* What may have changed since the start. A text that has not is borrowed from the record and would
   be freed if it were set again. */
static int set_options(const classify_job *my) {
    json_t *options = json_object_get(my->record, "options");
    const char *stops = my->settings->error_at;
    const char *old = json_string_value(json_object_get(options, "error-at"));
    const bool is_new = stops && (!old || strcmp(old, stops) != 0);
    return json_object_set_new(options, "epochs", json_integer((json_int_t)my->settings->epochs)) |
           json_object_set_new(options, "patience",
                               json_integer((json_int_t)my->settings->patience)) |
           set_best(my) | (is_new ? json_object_set_new(options, "error-at", json_text(stops)) : 0);
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

/* False if it should be there and is not. */
static bool read_converged(bool *out, const classify_job *my, const json_t *entry) {
    const json_t *found = json_object_get(entry, "converged");
    *out = !json_is_false(found);
    return json_is_boolean(found) || my->settings->finetune;
}

/* The points of the curve that are among the stops. */
static exit_code read_points(classify_job *my) {
    const json_t *all = json_object_get(my->record, "points");
    size_t index = 0;
    json_t *entry = NULL;
    json_array_foreach(all, index, entry) {
        json_int_t epochs = 0;
        double seconds = 0, train_error = 0;
        bool converged = false;
        if (json_unpack(entry, "{s:I, s:F, s:F}", "epochs", &epochs, "train_error", &train_error,
                        "seconds", &seconds) != 0 ||
            !read_converged(&converged, my, entry) || epochs < 0)
            return settings_refuse(my->settings->out, "not as 'isinglass classify' writes it");
        const json_t *test = json_object_get(entry, "test_error");
        const json_t *validation = json_object_get(entry, "validation_error");
        bool is_stop = false;
        for (size_t k = 0; k + 1 < my->n_stops; k++) /* the last is computed again */
            is_stop = is_stop || my->stops[k] == (size_t)epochs;
        curve_point point = {
            .epochs = (size_t)epochs,
            .test_error = json_is_number(test) ? json_number_value(test) : (double)NAN,
            .train_error = train_error,
            .validation_error =
                json_is_number(validation) ? json_number_value(validation) : (double)NAN,
            .seconds = seconds};
        set_converged(&point, my, converged);
        if (is_stop && !has_point(my, point.epochs))
            insert_point(my, point);
    }
    return EXIT_DONE;
}

static exit_code read_best(classify_job *my) {
    best_epoch *best = &my->best;
    json_t *found = json_object_get(my->record, "best");
    json_int_t epochs = 0, file = 0, iterations = 0;
    bool converged = false;
    if (!found)
        return EXIT_DONE;
    if (json_unpack(found, "{s:I, s:F, s:I, s:I, s:F}", "epochs", &epochs, "error", &best->error,
                    "file", &file, "iterations", &iterations, "loss", &best->fit.loss) != 0 ||
        !read_converged(&converged, my, found) || epochs < 0 || iterations < 0 ||
        (file != 1 && file != 2))
        return settings_refuse(my->settings->out, "not as 'isinglass classify' writes it");
    if ((size_t)epochs > my->settings->epochs)
        return fail(EXIT_CHECKPOINT, "--epochs %zu, but the run in %s was validated after %zu",
                    my->settings->epochs, my->settings->out, (size_t)epochs);
    best->epochs = (size_t)epochs;
    best->slot = (size_t)file - 1;
    best->fit.iterations = (size_t)iterations;
    best->fit.converged = converged;
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
    const bool is_tuning = json_is_true(json_object_get(kept, "finetune"));
    return settings_restore(&my->call, kept, may_change + is_tuning, my->settings->out);
}

exit_code classify_open_run(classify_job *my) {
    const char *out = my->settings->out;
    const exit_code code = fail_status(isg_run_open(&my->run, out, my->train_name != NULL));
    if (code != EXIT_DONE || !out)
        return code;
    isg_remove_temporaries(out, classifier_name); /* nobody else writes it, now that it is locked */
    for (size_t k = 0; k < 2; k++)
        isg_remove_temporaries(out, best_names[k]);
    my->classifier_path = isg_join_path(out, classifier_name);
    if (!my->classifier_path)
        return fail_memory();
    const isg_run_info info = isg_run_describe(my->run);
    if (my->settings->resume && info.settings)
        return read_record(my, info.settings);
    const exit_code fits = classify_tune_check(my);
    return fits == EXIT_DONE ? run_may_start(&info, out, my->settings->resume,
                                             my->train_name ? NULL : "TRAIN", &my->call.common)
                             : fits;
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

static isg_status remove_best(const classify_job *my, size_t slot) {
    char *path = isg_join_path(my->settings->out, best_names[slot]);
    const isg_status status = path ? isg_remove_file(path) : ISG_ERR_MEMORY;
    isg_release(path);
    return status;
}

static exit_code begin(classify_job *my) {
    my->n_points = 0;
    my->best.epochs = SIZE_MAX;
    char *text = NULL;
    exit_code code = my->record ? EXIT_DONE : make_record(my);
    (void)json_object_del(my->record, "best");
    for (size_t k = 0; my->settings->out && code == EXIT_DONE && k < 2; k++)
        code = fail_status(remove_best(my, k));
    if (code == EXIT_DONE && !(text = record_text(my)))
        code = fail_memory();
    if (code == EXIT_DONE)
        code = my->tuner ? classify_tune_begin(my, text)
                         : fail_status(isg_run_begin_experts(my->run, text, my->experts,
                                                             my->settings->save_every));
    memory_release(text);
    return code;
}

static exit_code resume(classify_job *my) {
    const classify_settings *settings = my->settings;
    const isg_status status =
        settings->finetune ? classify_tune_resume(my)
                           : isg_run_resume_experts(my->run, my->experts, settings->save_every);
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
    const bool is_resumed = is_recorded && has_checkpoint, is_tuning = my->settings->finetune;
    exit_code code = EXIT_DONE;
    if (!my->settings->rbm && !my->start && !(is_tuning && is_resumed))
        code = make_experts(my);
    if (code == EXIT_DONE && is_tuning && !is_resumed)
        code = classify_tune_start(my);
    if (code == EXIT_DONE && is_recorded && !has_checkpoint)
        notice(my->call.common.quiet, "%s: has no checkpoint yet; starting from the beginning",
               my->settings->out);
    if (code == EXIT_DONE && is_resumed) {
        code = read_points(my);
        if (code == EXIT_DONE && my->validation)
            code = read_best(my);
        return code == EXIT_DONE ? resume(my) : code;
    }
    return code == EXIT_DONE ? begin(my) : code;
}

/* ---- training --------------------------------------------------------------------------------- */

static exit_code stopped(classify_job *my) {
    const exit_code code = fail_status(ISG_ERR_CANCELLED);
    if (!my->experts && !my->tuner)
        return code;
    const uint64_t epochs = isg_run_describe(my->run).state.epochs;
    if (!my->settings->out)
        return fail(code, "%s after %" PRIu64 " epoch%s; nothing was saved, since -o was not given",
                    failure_sentence(), epochs, plural(epochs));
    const exit_code saved = write_record(my);
    if (saved != EXIT_DONE)
        return saved;
    fail_status(ISG_ERR_CANCELLED);
    char *line = run_resume_line(&my->call, my->settings->out);
    if (!line)
        return fail_memory();
    if (my->tuner)
        fail(code, "%s after %" PRIu64 " epoch%s, all saved; to go on: %s", failure_sentence(),
             epochs, plural(epochs), line);
    else {
        const isg_experts_info info = isg_experts_describe(my->experts);
        fail(code, "%s after %" PRIu64 " epoch%s and %zu of %zu experts, all saved; to go on: %s",
             failure_sentence(), epochs, plural(epochs), info.next, info.n_experts, line);
    }
    memory_release(line);
    return code;
}

/* Trains until all have finished so many epochs. */
static exit_code train_until(classify_job *my, size_t until) {
    const curve_point *last = my->n_points > 0 ? my->points + my->n_points - 1 : NULL;
    char note[40];
    if (isg_run_describe(my->run).state.epochs >= until)
        return EXIT_DONE;
    const bool has_note = my->validation && last;
    if (has_note)
        snprintf(note, sizeof note, ", validation error %.2f %%", 100 * last->validation_error);
    const isg_status status = train_with_bar(my->run, until, my->settings->epochs,
                                             isg_dataset_describe(my->train).n_samples,
                                             has_note ? note : NULL, my->call.common.quiet);
    return status == ISG_ERR_CANCELLED ? stopped(my) : fail_status(status);
}

/* Keeps the classifier if it is the best. Only multiples of --validate-every count, for the end of a
   run that is resumed to be no different from others. */
static exit_code keep_best(classify_job *my, size_t epochs) {
    best_epoch *best = &my->best;
    const double error = classify_validation_error(my);
    const bool is_better = best->epochs == SIZE_MAX || error < best->error;
    if (!is_better || epochs % my->settings->validate_every != 0)
        return EXIT_DONE;
    isg_classifier_free(best->classifier);
    best->slot = best->epochs == SIZE_MAX ? 0 : 1 - best->slot;
    best->classifier = my->classifier;
    best->fit = my->fit;
    best->epochs = epochs;
    best->error = error;
    my->classifier = NULL;
    if (!my->settings->out)
        return EXIT_DONE;
    char *path = isg_join_path(my->settings->out, best_names[best->slot]);
    const isg_status status =
        path ? isg_classifier_save(best->classifier, path, my->call.common.seed, my->command)
             : ISG_ERR_MEMORY;
    isg_release(path);
    return fail_status(status);
}

/* In the end, the best classifier is the one. */
static exit_code take_best(classify_job *my) {
    best_epoch *best = &my->best;
    if (!best->classifier) {
        char *path = isg_join_path(my->settings->out, best_names[best->slot]);
        const isg_status status =
            path ? isg_classifier_load(&best->classifier, path) : ISG_ERR_MEMORY;
        isg_release(path);
        if (status != ISG_OK)
            return status == ISG_ERR_MEMORY ? fail_memory()
                                            : fail(EXIT_CHECKPOINT, "%s; use --force to start over",
                                                   isg_error_message());
    }
    isg_classifier_free(my->classifier);
    my->classifier = best->classifier;
    best->classifier = NULL;
    my->fit = best->fit;
    const exit_code code = classify_test_all(my);
    if (code == EXIT_DONE && classify_validation_error(my) != best->error)
        return fail(EXIT_CHECKPOINT,
                    "%s/%s: not the classifier of epoch %zu; use --force to start "
                    "over",
                    my->settings->out, best_names[best->slot], best->epochs);
    return code;
}

static exit_code add_point(classify_job *my, size_t epochs) {
    exit_code code = classify_fit(my);
    if (code == EXIT_INTERRUPTED || code == EXIT_TERMINATED)
        return stopped(my);
    if (code != EXIT_DONE)
        return code;
    const double validation_error = my->validation ? classify_validation_error(my) : (double)NAN;
    curve_point point = {
        .epochs = epochs,
        .test_error = my->test_tally.counts
                          ? (double)my->test_tally.wrong / (double)my->test_tally.samples
                          : (double)NAN,
        .train_error = (double)my->train_tally.wrong / (double)my->train_tally.samples,
        .validation_error = validation_error,
        .seconds = classify_seconds(my)};
    set_converged(&point, my, my->fit.converged);
    insert_point(my, point);
    if (my->validation)
        code = keep_best(my, epochs);
    return code == EXIT_DONE ? write_record(my) : code;
}

/* With --rbm there is nothing to train. */
static exit_code fit_alone(classify_job *my) {
    const exit_code code = my->record ? EXIT_DONE : make_record(my);
    return code == EXIT_DONE ? add_point(my, 0) : code;
}

/* Whether --patience ends the training after these epochs. */
static bool is_over(const classify_job *my, size_t epochs) {
    const size_t patience = my->settings->patience;
    return my->validation && patience > 0 && my->best.epochs != SIZE_MAX &&
           epochs >= my->best.epochs && epochs - my->best.epochs >= patience;
}

static exit_code train_and_fit(classify_job *my) {
    my->best.epochs = SIZE_MAX;
    exit_code code = begin_or_resume(my);
    for (size_t k = 0; code == EXIT_DONE && k < my->n_stops && !my->stopped_early; k++) {
        const size_t until = my->stops[k];
        const bool is_last = k + 1 == my->n_stops;
        if (!is_last && isg_run_describe(my->run).state.epochs > until && !has_point(my, until))
            notice(my->call.common.quiet,
                   "--error-at %zu: skipped, since the run is already past "
                   "it",
                   until);
        else if (is_last || !has_point(my, until)) {
            code = train_until(my, until);
            if (code == EXIT_DONE)
                code = add_point(my, until);
        }
        my->stopped_early = !is_last && is_over(my, until);
    }
    return code == EXIT_DONE && my->validation ? take_best(my) : code;
}

exit_code classify_train(classify_job *my) {
    my->points = memory_allocate(my->n_stops, sizeof *my->points);
    if (!my->points)
        return fail_memory();
    const bool is_alone = my->settings->rbm && !my->settings->finetune;
    const exit_code code = is_alone ? fit_alone(my) : train_and_fit(my);
    if (code != EXIT_DONE || !my->settings->out)
        return code;
    return fail_status(isg_classifier_save(my->classifier, my->classifier_path,
                                           my->call.common.seed, my->command));
}
