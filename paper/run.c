/* run.c - saves what is computed, computes what is missing, leaves alone what is finished
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/child.h"
#include "cli/log_z_text.h"
#include "cli/run_settings.h"
#include "paper/paper.h"
#include "src/base/clock.h"
#include "src/base/directory.h"

/* ---- files ------------------------------------------------------------------------------------ */

static exit_code make_directory(const char *path) {
    bool is_new;
    return fail_status(isg_directory_create(path, &is_new));
}

exit_code experiment_path(const experiment *my, const char *folder, const char *name, char **out) {
    char *directory = memory_format("%s/%s", my->directory, folder);
    char *path = directory ? memory_format("%s/%s", directory, name) : NULL;
    const exit_code code = path ? make_directory(directory) : fail_memory();
    if (code != EXIT_DONE) {
        memory_release(path);
        path = NULL;
    }
    memory_release(directory);
    *out = path;
    return code;
}

/* Takes the document over; NULL, out of memory, is accepted. */
static exit_code write_json(const char *path, json_t *document) {
    output text = {0};
    output_json(&text, document);
    const exit_code code = output_save(&text, path);
    output_free(&text);
    return code;
}

static exit_code read_json(const char *path, json_t **out) {
    json_error_t error;
    *out = NULL;
    if (access(path, F_OK) != 0)
        return EXIT_DONE;
    *out = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (*out && json_is_object(*out) && !memory_lacked_for_json())
        return EXIT_DONE;
    json_decref(*out);
    *out = NULL;
    if (memory_lacked_for_json())
        return fail_memory();
    return fail(EXIT_CHECKPOINT,
                "%s: not a file written by 'isinglass reproduce'; use --force to start over", path);
}

/* ---- pieces ----------------------------------------------------------------------------------- */

exit_code piece_values(const experiment *my, const char *key, double *values, size_t n) {
    const json_t *kept = json_object_get(json_object_get(my->pieces, key), "values");
    if (json_array_size(kept) != n)
        return fail(
            EXIT_CHECKPOINT,
            "%s/pieces.json: expected %zu values of %s, found %zu; use --force to start over",
            my->directory, n, key, json_array_size(kept));
    for (size_t k = 0; k < n; k++) {
        const json_t *value = json_array_get(kept, k);
        values[k] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return EXIT_DONE;
}

static exit_code write_pieces(const experiment *my) {
    output text = {0};
    char *path = memory_format("%s/pieces.json", my->directory);
    char *sealed = settings_text(my->pieces);
    exit_code code = path && sealed ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE) {
        output_print(&text, "%s", sealed);
        code = output_save(&text, path);
    }
    output_free(&text);
    memory_release(sealed);
    memory_release(path);
    return code;
}

static exit_code keep_piece(experiment *my, const piece *what, const double *values,
                            double seconds) {
    json_t *kept = json_array();
    bool is_fine = kept != NULL;
    for (size_t k = 0; is_fine && k < what->n_values; k++)
        is_fine = json_array_append_new(kept, json_number(values[k])) == 0;
    if (!is_fine) {
        json_decref(kept);
        return fail_memory();
    }
    if (json_object_set_new(my->pieces, what->key,
                            json_pack("{s:o, s:f}", "values", kept, "seconds", seconds)) != 0)
        return fail_memory();
    return write_pieces(my);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static json_t *settings_of(const experiment *my) {
    char seed[24], train[65], test[65];
    snprintf(seed, sizeof seed, "%" PRIu64, my->seed);
    isg_dataset_checksum(my->train, train);
    isg_dataset_checksum(my->test, test);
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "version", isg_version(), "scale",
                     scale_names[my->scale], "seed", seed, "train_sha256", train, "test_sha256",
                     test);
}

static exit_code refuse_others(const experiment *my, const json_t *was, const json_t *is) {
    const char *key;
    const json_t *value;
    json_t *mutable_is;
    memcpy(&mutable_is, &is, sizeof mutable_is);
    json_object_foreach(mutable_is, key, value) {
        const char *old = json_string_value(json_object_get(was, key));
        if (!old || strcmp(old, json_string_value(value)) != 0)
            return fail(EXIT_CHECKPOINT,
                        "%s: was begun with %s %.20s, this is %.20s; choose another directory, or "
                        "use --force to start over",
                        my->directory, key, old ? old : "unknown", json_string_value(value));
    }
    return EXIT_DONE;
}

/* Removes what reproduce writes, including whole directories. */
static exit_code forget(const experiment *my) {
    static const char *const shared[] = {"pieces.json", "settings.json", "runs",       "patterns",
                                         "claims.json", "claims.csv",    "report.html"};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; k++) {
        char *path = memory_format("%s/%s", my->directory, shared[k]);
        if (!path)
            return fail_memory();
        remove_tree(path);
        memory_release(path);
    }
    for (size_t k = 0; figures[k]; k++) {
        char *path = memory_format("%s/%s", my->directory, figures[k]->name);
        if (!path)
            return fail_memory();
        remove_tree(path);
        memory_release(path);
    }
    return EXIT_DONE;
}

static exit_code take_lock(experiment *my) {
    char *path = memory_format("%s/reproduce.lock", my->directory);
    const exit_code code = path ? fail_status(isg_lock_acquire(&my->lock, path)) : fail_memory();
    memory_release(path);
    return code;
}

static exit_code open_records(experiment *my, bool may_replace) {
    char *settings_path = memory_format("%s/settings.json", my->directory);
    char *pieces_path = memory_format("%s/pieces.json", my->directory);
    json_t *is = settings_of(my), *was = NULL;
    exit_code code = settings_path && pieces_path && is ? EXIT_DONE : fail_memory();
    /* A directory without settings.json may be anybody's: nothing in it is removed. */
    const bool is_ours = code == EXIT_DONE && access(settings_path, F_OK) == 0;
    if (code == EXIT_DONE && !is_ours && access(pieces_path, F_OK) == 0)
        code = fail(
            EXIT_CHECKPOINT,
            "%s: has pieces.json without settings.json, so its seed and data are unknown; choose "
            "another directory",
            my->directory);
    if (code == EXIT_DONE && is_ours && may_replace)
        code = forget(my);
    if (code == EXIT_DONE)
        code = read_json(settings_path, &was);
    if (code == EXIT_DONE && was)
        code = refuse_others(my, was, is);
    else if (code == EXIT_DONE)
        code = write_json(settings_path, json_incref(is));
    if (code == EXIT_DONE)
        code = read_json(pieces_path, &my->pieces);
    if (code == EXIT_DONE && my->pieces)
        code = settings_check_text(my->pieces, my->directory, "pieces.json");
    if (code == EXIT_DONE && !my->pieces && !(my->pieces = json_object()))
        code = fail_memory();
    json_decref(is);
    json_decref(was);
    memory_release(settings_path);
    memory_release(pieces_path);
    return code;
}

exit_code experiment_open(experiment *my, const char *directory, bool may_replace) {
    my->directory = memory_format("%s/%s", directory, scale_names[my->scale]);
    exit_code code = my->directory ? make_directory(directory) : fail_memory();
    if (code == EXIT_DONE)
        code = make_directory(my->directory);
    if (code == EXIT_DONE)
        code = take_lock(my);
    return code == EXIT_DONE ? open_records(my, may_replace) : code;
}

void experiment_close(experiment *my) {
    isg_lock_release(my->lock);
    isg_experts_free(my->experts);
    json_decref(my->pieces);
    json_decref(my->files);
    json_decref(my->caption);
    memory_release(my->directory);
    *my = (experiment){0};
}

/* ---- computing -------------------------------------------------------------------------------- */

static bool show(void *user, double fraction) {
    experiment *my = user;
    const double share = my->part_from + (my->part_to - my->part_from) * fraction;
    return progress_update(&my->bar, my->cost_done + my->cost_piece * share, my->now);
}

const isg_progress *part_progress(experiment *my, double from, double to) {
    my->part_from = from;
    my->part_to = to;
    my->callback = (isg_progress){show, my};
    return &my->callback;
}

static bool is_kept(const experiment *my, const piece *what) {
    return json_object_get(my->pieces, what->key) != NULL;
}

/* Rough estimate of the missing work, in seconds of one core. */
static double cost_of(experiment *my, const figure *const *chosen, size_t n) {
    double cost = 0;
    for (size_t f = 0; f < n; f++) {
        my->figure = chosen[f];
        for (size_t k = 0; k < my->figure->count(my); k++) {
            piece what = {.cost = 0};
            my->figure->plan(my, k, &what);
            cost += is_kept(my, &what) ? 0 : what.cost;
        }
    }
    return cost;
}

static exit_code compute_piece(experiment *my, size_t index, double total) {
    double values[MOST_VALUES];
    piece what = {.cost = 0};
    my->figure->plan(my, index, &what);
    if (is_kept(my, &what))
        return EXIT_DONE;
    snprintf(my->now, sizeof my->now, "%s", what.text);
    my->cost_piece = what.cost / total;
    const isg_progress *shown = part_progress(my, 0, 1);
    if (!shown->report(shown->user, 0))
        return fail_status(ISG_ERR_CANCELLED);
    const double started_s = isg_clock_s();
    exit_code code = my->figure->compute(my, index, values);
    if (code == EXIT_DONE)
        code = keep_piece(my, &what, values, isg_clock_s() - started_s);
    my->cost_done += my->cost_piece;
    return code;
}

static exit_code compute_all(experiment *my, const figure *const *chosen, size_t n) {
    const double total = fmax(cost_of(my, chosen, n), 1e-9);
    exit_code code = EXIT_DONE;
    my->cost_done = 0;
    for (size_t f = 0; code == EXIT_DONE && f < n; f++) {
        my->figure = chosen[f];
        my->bar.title = my->figure->name;
        for (size_t k = 0; code == EXIT_DONE && k < my->figure->count(my); k++)
            code = compute_piece(my, k, total);
    }
    my->cost_piece = 0;
    return code;
}

/* ---- finishing -------------------------------------------------------------------------------- */

exit_code figure_path(const experiment *my, const char *name, char **out) {
    return experiment_path(my, my->figure->name, name, out);
}

exit_code leave_file(experiment *my, const char *name, const char *what) {
    json_t *entry = json_pack("{s:s, s:s}", "name", name, "what", what);
    return entry && json_array_append_new(my->files, entry) == 0 ? EXIT_DONE : fail_memory();
}

exit_code leave_text(experiment *my, const char *name, const char *what, output *text) {
    char *path = NULL;
    exit_code code = figure_path(my, name, &path);
    if (code == EXIT_DONE)
        code = output_save(text, path);
    if (code == EXIT_DONE)
        code = leave_file(my, name, what);
    memory_release(path);
    output_free(text);
    return code;
}

exit_code leave_caption(experiment *my, const char *format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_decref(my->caption);
    my->caption = json_text(text);
    return my->caption ? EXIT_DONE : fail_memory();
}

const char *method_title(double saved) {
    const double known = ISG_LOG_Z_POPULATION - ISG_LOG_Z_EXACT;
    return saved >= 0 && saved <= known ? log_z_methods[ISG_LOG_Z_EXACT + (size_t)saved] : "";
}

void csv_number(output *text, double value) {
    if (!isnan(value))
        output_print(text, "%.10g", value);
}

/* Seconds of all pieces, over all calls. */
static double seconds_of(const experiment *my) {
    double seconds = 0;
    for (size_t k = 0; k < my->figure->count(my); k++) {
        piece what = {.cost = 0};
        my->figure->plan(my, k, &what);
        seconds +=
            json_number_value(json_object_get(json_object_get(my->pieces, what.key), "seconds"));
    }
    return seconds;
}

exit_code experiment_record(const experiment *my, const char *name, json_t **out) {
    *out = NULL;
    char *path = memory_format("%s/%s", my->directory, name);
    const exit_code code = path ? read_json(path, out) : fail_memory();
    memory_release(path);
    return code;
}

/* Whether every file that figure.json lists exists. */
static exit_code has_files(const experiment *my, const figure *of, const json_t *record,
                           bool *out) {
    size_t k;
    const json_t *entry;
    *out = true;
    json_array_foreach(json_object_get(record, "files"), k, entry) {
        const char *name = json_string_value(json_object_get(entry, "name"));
        char *path = memory_format("%s/%s/%s", my->directory, of->name, name ? name : "");
        if (!path)
            return fail_memory();
        *out = *out && access(path, R_OK) == 0;
        memory_release(path);
    }
    return EXIT_DONE;
}

exit_code experiment_read(const experiment *my, const figure *what, json_t **out) {
    char name[KEY_BYTES];
    snprintf(name, sizeof name, "%s/figure.json", what->name);
    bool is_whole = false;
    exit_code code = experiment_record(my, name, out);
    if (code == EXIT_DONE && *out)
        code = has_files(my, what, *out, &is_whole);
    if (code != EXIT_DONE || !is_whole) {
        json_decref(*out);
        *out = NULL;
    }
    return code;
}

static exit_code write_record(experiment *my, double finish_s) {
    const figure *of = my->figure;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, my->seed);
    char *path = NULL;
    exit_code code = figure_path(my, "figure.json", &path);
    if (code != EXIT_DONE)
        return code;
    json_t *record =
        json_pack("{s:s, s:s, s:O, s:o, s:s, s:s, s:s, s:f, s:o, s:O}", "name", of->name, "title",
                  of->title, "caption", my->caption, "command", json_text(my->command), "scale",
                  scale_names[my->scale], "seed", seed, "version", isg_version(), "seconds",
                  seconds_of(my) + finish_s, "parameters", of->parameters(my), "files", my->files);
    code = write_json(path, record);
    memory_release(path);
    return code;
}

static exit_code finish(experiment *my, const figure *of) {
    const exit_code drawn_before = my->drawn;
    json_t *record = NULL;
    exit_code code = experiment_read(my, of, &record);
    const bool is_done = record != NULL;
    json_decref(record);
    if (code != EXIT_DONE || is_done)
        return code;
    const double started_s = isg_clock_s();
    my->figure = of;
    json_decref(my->files);
    my->files = json_array();
    my->drawn = EXIT_DONE;
    code = my->files ? of->finish(my) : fail_memory();
    if (code == EXIT_DONE && my->drawn == EXIT_DONE)
        code = write_record(my, isg_clock_s() - started_s);
    if (drawn_before != EXIT_DONE)
        my->drawn = drawn_before;
    return code;
}

exit_code experiment_run(experiment *my, const figure *const *chosen, size_t n) {
    progress_start(&my->bar, my->is_quiet, "");
    exit_code code = compute_all(my, chosen, n);
    for (size_t f = 0; code == EXIT_DONE && f < n; f++)
        code = finish(my, chosen[f]);
    progress_finish(&my->bar);
    return code;
}

exit_code experiment_compute(experiment *my, const figure *what) {
    progress_start(&my->bar, my->is_quiet, "");
    const exit_code code = compute_all(my, &what, 1);
    progress_finish(&my->bar);
    return code;
}
