/* classify_run.c - training of experts that may be stopped and resumed
 *
 * SPDX-License-Identifier: MIT
 *
 * The directory holds run.json, checkpoint-1.npz and checkpoint-2.npz, written in turn, each with all
 * that is needed to go on, and in the end classifier.npz. Points of the curve are kept in run.json before training goes on, since the experts
 * they belong to are gone afterwards; when the checkpoint is older than a point, the point is passed
 * a second time with the same result.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/progress.h"
#include "cli/run_settings.h"
#include "cli/signals.h"
#include "cli/verbs/classify_job.h"
#include "src/base/clock.h"
#include "src/base/number.h"

/* Options that are no part of the training, and those that may differ when it is resumed. */
static const char *const not_kept[] = {"output", "model",      "picture", "predictions",
                                       "curve",  "save-every", "resume",  NULL};
static const char *const may_change[] = {"epochs", "error-at", "labels", "test-labels", NULL};

static json_t *optional_text(const char *text) {
    return text ? json_text(text) : json_null();
}

exit_code classify_begin_record(classify_job *my) {
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

/* What may have changed since it was started. A text that has not is borrowed from the record, and
   would be gone if it were set again. */
static int set_options(const classify_job *my) {
    json_t *options = json_object_get(my->record, "options");
    const char *stops = my->settings->error_at;
    const char *old = json_string_value(json_object_get(options, "error-at"));
    const bool is_new = stops && (!old || strcmp(old, stops) != 0);
    return json_object_set_new(options, "epochs", json_integer((json_int_t)my->settings->epochs)) |
           (is_new ? json_object_set_new(options, "error-at", json_text(stops)) : 0);
}

static exit_code write_record(classify_job *my) {
    if (json_object_set_new(my->record, "points", points_json(my)) |
        json_object_set_new(my->record, "seconds", json_real(my->train_s)) | set_options(my))
        return fail_memory();
    char *text = settings_text(my->record);
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
        for (size_t k = 0; k + 1 < my->n_stops; k++) /* the last is made anew */
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
    my->train_s = json_number_value(json_object_get(my->record, "seconds"));
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

static exit_code set_paths(classify_job *my) {
    const char *out = my->settings->out;
    const char *slash = out[strlen(out) - 1] == '/' ? "" : "/";
    bool is_complete = true;
    for (size_t k = 0; k < CLASSIFY_GENERATIONS; k++) {
        my->checkpoint_paths[k] = memory_format("%s%scheckpoint-%zu.npz", out, slash, k + 1);
        is_complete = is_complete && my->checkpoint_paths[k];
    }
    my->classifier_path = memory_format("%s%sclassifier.npz", out, slash);
    return is_complete && my->classifier_path ? EXIT_DONE : fail_memory();
}

exit_code classify_open_run(classify_job *my) {
    const classify_settings *settings = my->settings;
    if (!settings->out)
        return EXIT_DONE;
    exit_code code = set_paths(my);
    if (code == EXIT_DONE)
        code = fail_status(isg_run_open(&my->run, settings->out, my->train_name != NULL));
    if (code != EXIT_DONE)
        return code;
    const isg_run_info info = isg_run_describe(my->run);
    if (settings->resume && info.settings)
        return read_record(my, info.settings);
    return run_may_start(&info, settings->out, settings->resume, my->train_name ? NULL : "TRAIN",
                         &my->call.common);
}

/* ---- starting and going on ------------------------------------------------------------------------ */

static exit_code make_experts(classify_job *my) {
    const classify_settings *settings = my->settings;
    isg_expert_options options = settings->experts;
    progress bar;
    options.joint = settings->classifier == CLASSIFIER_LABELS;
    options.train.rates = my->rates.rates;
    options.train.n_rates = my->rates.n_rates;
    options.train.seed = my->call.common.seed;
    progress_start(&bar, my->call.common.quiet, "clustering");
    options.progress = progress_callback(&bar);
    const isg_status status = isg_experts_create(&my->experts, my->train, &options);
    progress_finish(&bar);
    return status == ISG_ERR_ARGUMENT
               ? fail(EXIT_BAD_INPUT, "%s: %s%s", my->train_name, isg_error_message(),
                      options.per_class > 1 ? "; choose a smaller --per-class" : "")
               : fail_status(status);
}

/* One of the checkpoints, and what became of it. */
typedef struct generation {
    bool is_there;
    isg_status status;
    uint64_t steps; /* epochs of experts that it knows of */
    char sentence[512];
} generation;

static void try_checkpoint(classify_job *my, size_t slot, generation *out) {
    *out = (generation){.is_there = access(my->checkpoint_paths[slot], F_OK) == 0};
    if (!out->is_there)
        return;
    out->status = isg_experts_load(my->experts, my->checkpoint_paths[slot]);
    if (out->status != ISG_OK) {
        snprintf(out->sentence, sizeof out->sentence, "%s", isg_error_message());
        return;
    }
    const isg_experts_info info = isg_experts_describe(my->experts);
    out->steps = info.epochs * info.n_experts + info.next;
}

static exit_code refuse_checkpoint(const generation *one) {
    const bool is_damage = one->status == ISG_ERR_FORMAT || one->status == ISG_ERR_SHAPE ||
                           one->status == ISG_ERR_VERSION;
    return is_damage ? fail(EXIT_CHECKPOINT, "%s; to start anew: --force", one->sentence)
                     : fail(EXIT_FILE, "%s", one->sentence);
}

/* Takes the experts from the newer checkpoint that can be read. */
static exit_code load_newest(classify_job *my) {
    generation all[CLASSIFY_GENERATIONS];
    for (size_t k = 0; k < CLASSIFY_GENERATIONS; k++) {
        try_checkpoint(my, k, all + k);
        if (all[k].status == ISG_ERR_MEMORY)
            return fail_memory();
    }
    const bool first = all[0].is_there && all[0].status == ISG_OK;
    const bool second = all[1].is_there && all[1].status == ISG_OK;
    if (!first && !second)
        return refuse_checkpoint(all[0].is_there ? all : all + 1);
    const size_t best = second && (!first || all[1].steps > all[0].steps), other = 1 - best;
    my->next_slot = other;
    if (all[other].is_there && all[other].status != ISG_OK)
        notice(my->call.common.quiet,
               "%s; going on from the other checkpoint, after %" PRIu64 " epochs of experts",
               all[other].sentence, all[best].steps);
    /* The second was read last, or has left its traces. */
    return best == 1 ? EXIT_DONE
                     : fail_status(isg_experts_load(my->experts, my->checkpoint_paths[best]));
}

static exit_code go_on(classify_job *my) {
    if (access(my->checkpoint_paths[0], F_OK) != 0 && access(my->checkpoint_paths[1], F_OK) != 0) {
        notice(my->call.common.quiet, "%s: has no checkpoint yet; starting from the beginning",
               my->settings->out);
        my->n_points = 0;
        my->train_s = 0;
        return EXIT_DONE;
    }
    const exit_code code = load_newest(my);
    if (code != EXIT_DONE)
        return code;
    my->is_resumed = true;
    const uint64_t epochs = isg_experts_describe(my->experts).epochs;
    if (epochs > my->settings->epochs)
        return fail(EXIT_CHECKPOINT, "--epochs %zu, but the run in %s has %" PRIu64 " already",
                    my->settings->epochs, my->settings->out, epochs);
    return EXIT_DONE;
}

/* ---- training --------------------------------------------------------------------------------- */

static exit_code save(classify_job *my) {
    if (!my->run)
        return EXIT_DONE;
    my->saved_s = isg_clock_s();
    const char *path = my->checkpoint_paths[my->next_slot];
    const exit_code code = fail_status(isg_experts_save(my->experts, path));
    if (code != EXIT_DONE)
        return code;
    my->next_slot = (my->next_slot + 1) % CLASSIFY_GENERATIONS;
    return write_record(my);
}

/* Checkpoints of another run must be gone before run.json speaks of this one. */
static exit_code remove_checkpoints(const classify_job *my) {
    for (size_t k = 0; k < CLASSIFY_GENERATIONS; k++)
        if (unlink(my->checkpoint_paths[k]) != 0 && errno != ENOENT)
            return fail(EXIT_FILE, "%s: could not be removed: %s", my->checkpoint_paths[k],
                        strerror(errno));
    return EXIT_DONE;
}

/* run.json comes before the first checkpoint, so that whoever finds no checkpoint knows how to begin. */
static exit_code begin(classify_job *my) {
    const bool is_recorded = my->record != NULL;
    exit_code code = make_experts(my);
    if (code != EXIT_DONE || !my->run)
        return code;
    if (is_recorded) {
        code = read_points(my);
        return code == EXIT_DONE ? go_on(my) : code;
    }
    code = remove_checkpoints(my);
    if (code == EXIT_DONE)
        code = classify_begin_record(my);
    if (code == EXIT_DONE)
        code = write_record(my);
    return code == EXIT_DONE ? save(my) : code;
}

static exit_code stopped(classify_job *my) {
    const exit_code code = fail_status(ISG_ERR_CANCELLED);
    if (!my->experts)
        return code;
    const uint64_t epochs = isg_experts_describe(my->experts).epochs;
    if (!my->run)
        return fail(code, "%s after %" PRIu64 " epochs; nothing was saved, since -o was not given",
                    failure_sentence(), epochs);
    const exit_code saved = save(my);
    if (saved != EXIT_DONE)
        return saved;
    fail_status(ISG_ERR_CANCELLED);
    char *line = run_resume_line(&my->call, my->settings->out);
    if (!line)
        return fail_memory();
    fail(code, "%s after %" PRIu64 " epochs and %zu of %zu experts, all saved; to go on: %s",
         failure_sentence(), epochs, isg_experts_describe(my->experts).next,
         isg_experts_describe(my->experts).n_experts, line);
    memory_release(line);
    return code;
}

typedef struct training_bar {
    progress bar;
    double done, steps; /* epochs of experts, finished and in all */
    size_t epochs;
    uint64_t epoch;
} training_bar;

static bool show_step(void *user, double fraction) {
    training_bar *shown = user;
    char text[80];
    snprintf(text, sizeof text, "epoch %" PRIu64 " of %zu", shown->epoch + 1, shown->epochs);
    return progress_update(&shown->bar, (shown->done + fraction) / shown->steps, text);
}

/* One epoch of one expert. */
static isg_status step(classify_job *my, training_bar *shown) {
    const isg_experts_info info = isg_experts_describe(my->experts);
    const isg_progress callback = {show_step, shown};
    const double started_s = isg_clock_s();
    shown->epoch = info.epochs;
    shown->done = (double)info.epochs * (double)info.n_experts + (double)info.next;
    const isg_status status = isg_experts_step(my->experts, &callback);
    my->train_s += isg_clock_s() - started_s;
    return status;
}

/* Trains until all have finished so many epochs. */
static exit_code train_until(classify_job *my, size_t until) {
    const isg_experts_info info = isg_experts_describe(my->experts);
    const double steps = (double)my->settings->epochs * (double)info.n_experts;
    training_bar shown = {.steps = steps, .epochs = my->settings->epochs};
    exit_code code = EXIT_DONE;
    isg_status status = ISG_OK;
    if (info.epochs >= until)
        return EXIT_DONE;
    progress_start(&shown.bar, my->call.common.quiet, "training");
    progress_measure(&shown.bar,
                     (double)my->settings->epochs *
                         (double)isg_dataset_describe(my->train).n_samples,
                     "samples");
    shown.bar.origin = ((double)info.epochs * (double)info.n_experts + (double)info.next) / steps;
    while (code == EXIT_DONE && status == ISG_OK &&
           isg_experts_describe(my->experts).epochs < until) {
        status = step(my, &shown);
        if (status == ISG_OK && isg_clock_s() - my->saved_s >= my->settings->save_every)
            code = save(my);
    }
    progress_finish(&shown.bar);
    if (code != EXIT_DONE)
        return code;
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
                .seconds = my->train_s,
                .converged = my->fit.converged});
    return my->run ? write_record(my) : EXIT_DONE;
}

/* With --rbm there is nothing to train. */
static exit_code fit_alone(classify_job *my) {
    exit_code code = fail_status(isg_rbm_load(&my->rbm, my->settings->rbm));
    if (code == EXIT_DONE && my->run && !my->record)
        code = classify_begin_record(my);
    return code == EXIT_DONE ? add_point(my, 0) : code;
}

static exit_code train_and_fit(classify_job *my) {
    exit_code code = begin(my);
    my->saved_s = isg_clock_s();
    for (size_t k = 0; code == EXIT_DONE && k < my->n_stops; k++) {
        const size_t until = my->stops[k];
        const bool is_last = k + 1 == my->n_stops;
        if (!is_last && isg_experts_describe(my->experts).epochs > until && !has_point(my, until))
            notice(my->call.common.quiet, "--error-at %zu: the run is past it, and has not kept it",
                   until);
        else if (is_last || !has_point(my, until)) {
            code = train_until(my, until);
            if (code == EXIT_DONE)
                code = add_point(my, until);
        }
    }
    return code == EXIT_DONE ? save(my) : code;
}

exit_code classify_train(classify_job *my) {
    my->points = memory_allocate(my->n_stops, sizeof *my->points);
    if (!my->points)
        return fail_memory();
    const exit_code code = my->settings->rbm ? fit_alone(my) : train_and_fit(my);
    if (code != EXIT_DONE || !my->run)
        return code;
    return fail_status(isg_classifier_save(my->classifier, my->classifier_path,
                                           my->call.common.seed, my->command));
}
