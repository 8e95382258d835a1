/* recall_curves.c - isinglass recall: what is recovered of what was corrupted
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include "cli/allocation.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/share_error.h"
#include "cli/stopwatch.h"
#include "cli/text_file.h"
#include "cli/verbs/recall_job.h"

enum { N_CURVES = N_RULES * N_DYNAMICS };

typedef struct curves {
    isg_corruption *how; /* (n) */
    size_t n, count;     /* points of a curve, curves */
    isg_rule rules[N_CURVES];
    isg_dynamics dynamics[N_CURVES];
    isg_recovery *points; /* (count, n) */
    bool is_clamped;
    size_t trials, updates;
    double seconds;
} curves;

static double error_of(size_t hits, size_t trials) {
    return share_error((double)hits / (double)trials, trials);
}

/* What the points differ in. */
static bool is_of_masks(const recall_job *my) {
    return my->n_masks > 1 || (my->n_masks == 1 && my->n_flips == 0);
}

static exit_code plan(const recall_job *my, curves *all) {
    const recall_settings *settings = my->settings;
    const size_t n_dynamics = my->n_dynamics ? my->n_dynamics : 1;
    all->n = my->n_flips > 1 ? my->n_flips : my->n_masks > 1 ? my->n_masks : 1;
    all->how = memory_allocate(all->n, sizeof *all->how);
    for (size_t r = 0; r < my->n_rules; r++)
        for (size_t d = 0; d < n_dynamics; d++) {
            all->rules[all->count] = my->rules[r];
            all->dynamics[all->count++] =
                my->n_dynamics ? my->dynamics[d] : ISG_DYNAMICS_ASYNCHRONOUS;
        }
    all->points = memory_allocate(all->count, all->n * sizeof *all->points);
    if (!all->how || !all->points)
        return fail_memory();
    for (size_t k = 0; k < all->n; k++)
        all->how[k] = (isg_corruption){.flip = my->n_flips ? my->flips[my->n_flips > 1 ? k : 0] : 0,
                                       .mask = my->n_masks ? my->masks[my->n_masks > 1 ? k : 0] : 0,
                                       .units = my->units};
    all->is_clamped = (my->n_masks || my->units) && !my->n_flips && !settings->free_known;
    all->trials = settings->trials ? settings->trials : my->data ? 1 : 100;
    all->updates = call_has_option(my->call, "updates") ? settings->updates : 100;
    return EXIT_DONE;
}

static exit_code check_labels(const recall_job *my) {
    if (my->data && !isg_dataset_labels(my->data))
        return fail(EXIT_BAD_INPUT,
                    "%s: has no labels, which tell what a corrupted sample should be recalled as",
                    my->data_name);
    if (my->data && !my->info.has_labels)
        return fail(EXIT_BAD_INPUT,
                    "%s: its patterns have no labels, which tell what a corrupted sample should be "
                    "recalled as",
                    my->file);
    return EXIT_DONE;
}

static exit_code recover(const recall_job *my, curves *all) {
    isg_recovery_options options = isg_recovery_defaults();
    exit_code code = EXIT_DONE;
    options.allow_rank_deficient = my->settings->allow_rank_deficient;
    options.keep_diagonal = !my->settings->no_diagonal;
    options.beta = my->settings->beta;
    options.max_updates = all->updates;
    options.trials = all->trials;
    options.clamp_known = all->is_clamped;
    options.seed = my->call->common.seed;
    const double start = stopwatch_s();
    for (size_t c = 0; code == EXIT_DONE && c < all->count; c++) {
        char title[64];
        progress bar;
        snprintf(title, sizeof title, "recovering (%s, %s)", rule_names[all->rules[c]],
                 dynamics_names[all->dynamics[c]]);
        progress_start(&bar, my->call->common.quiet, title);
        options.rule = all->rules[c];
        options.dynamics = all->dynamics[c];
        const isg_status status = isg_recover(my->patterns, my->data, all->how, all->n, &options,
                                              all->points + c * all->n, progress_callback(&bar));
        code = status == ISG_ERR_ARGUMENT /* a class of the data that no pattern has */
                   ? fail(EXIT_BAD_INPUT, "%s: %s", my->file, isg_error_message())
                   : recall_failed(my, status);
        progress_finish(&bar);
    }
    all->seconds = stopwatch_s() - start;
    return code;
}

/* ---- files ------------------------------------------------------------------------------------------ */

static exit_code write_csv(const recall_job *my, const curves *all) {
    output text = {0};
    output_print(&text, "rule,dynamics,flip,mask,trials,exact,exact_error,near,near_error,negative,"
                        "start_overlap,thermal_overlap,end_overlap\n");
    for (size_t c = 0; c < all->count; c++)
        for (size_t k = 0; k < all->n; k++) {
            const isg_recovery *point = &all->points[c * all->n + k];
            const double n = (double)point->trials;
            output_print(&text, "%s,%s,%.10g,%.10g,%zu,%.10g,%.3g,%.10g,%.3g,%.10g,%.10g,",
                         rule_names[all->rules[c]], dynamics_names[all->dynamics[c]],
                         all->how[k].flip, all->how[k].mask, point->trials,
                         (double)point->exact / n, error_of(point->exact, point->trials),
                         (double)point->near / n, error_of(point->near, point->trials),
                         (double)point->negative / n, point->start_overlap);
            if (!isnan(point->thermal_overlap))
                output_print(&text, "%.10g", point->thermal_overlap);
            output_print(&text, ",%.10g\n", point->end_overlap);
        }
    const exit_code code = text_file_write(my->settings->out, &text);
    output_free(&text);
    return code;
}

static exit_code draw(const recall_job *my, const curves *all) {
    const size_t cells = all->count * all->n;
    double *x = memory_allocate(all->n, sizeof *x);
    double *y = memory_allocate(2 * cells, sizeof *y), *errors = y ? y + cells : NULL;
    char names[N_CURVES][64], title[160];
    plot_curve lines[N_CURVES];
    exit_code code = x && y ? EXIT_DONE : fail_memory();
    for (size_t c = 0; code == EXIT_DONE && c < all->count; c++) {
        if (is_thermal(all->dynamics[c]))
            snprintf(names[c], sizeof names[c], "%s, %s (beta %g)", rule_names[all->rules[c]],
                     dynamics_names[all->dynamics[c]], my->settings->beta);
        else
            snprintf(names[c], sizeof names[c], "%s, %s", rule_names[all->rules[c]],
                     dynamics_names[all->dynamics[c]]);
        for (size_t k = 0; k < all->n; k++) {
            const isg_recovery *point = &all->points[c * all->n + k];
            x[k] = is_of_masks(my) ? all->how[k].mask : all->how[k].flip;
            y[c * all->n + k] = (double)point->exact / (double)point->trials;
            errors[c * all->n + k] = error_of(point->exact, point->trials);
        }
        lines[c] = (plot_curve){names[c], x, y + c * all->n, errors + c * all->n, all->n};
    }
    snprintf(title, sizeof title, "%zu patterns of %zu units, %zu trials a point",
             my->info.n_patterns, my->info.n_visible, all->points[0].trials);
    const plot_axes axes = {.title = title,
                            .x_label = is_of_masks(my) ? "share of units masked"
                                                       : "share of units flipped",
                            .y_label = my->data ? "share that ends in a pattern of its class"
                                                : "share that ends exactly in the pattern",
                            .x_low = (double)NAN,
                            .x_high = (double)NAN,
                            .y_low = -0.02,
                            .y_high = 1.02};
    if (code == EXIT_DONE)
        code = plot_curves(my->settings->picture, &axes, lines, all->count);
    memory_release(x);
    memory_release(y);
    return code;
}

/* ---- results ---------------------------------------------------------------------------------------- */

static json_t *share_as_json(size_t hits, size_t trials) {
    return json_pack("{s:f, s:f}", "value", (double)hits / (double)trials, "error",
                     error_of(hits, trials));
}

static json_t *points_as_json(const curves *all, size_t c) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < all->n; k++) {
        const isg_recovery *point = &all->points[c * all->n + k];
        json_t *item = json_pack("{s:f, s:f, s:I, s:o, s:o, s:f, s:f, s:o, s:f}",             //
                                 "flip", all->how[k].flip, "mask", all->how[k].mask,          //
                                 "trials", (json_int_t)point->trials,                         //
                                 "exact", share_as_json(point->exact, point->trials),         //
                                 "near", share_as_json(point->near, point->trials),           //
                                 "negative", (double)point->negative / (double)point->trials, //
                                 "start_overlap", point->start_overlap,                       //
                                 "thermal_overlap", json_number(point->thermal_overlap),      //
                                 "end_overlap", point->end_overlap);
        if (json_array_append_new(list, item) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *as_json(const recall_job *my, const curves *all) {
    json_t *list = json_array();
    for (size_t c = 0; list && c < all->count; c++)
        if (json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:o}", "rule", rule_names[all->rules[c]],
                                            "dynamics", dynamics_names[all->dynamics[c]], "points",
                                            points_as_json(all, c))) != 0) {
            json_decref(list);
            list = NULL;
        }
    const recall_settings *settings = my->settings;
    return json_pack("{s:o, s:I, s:b, s:b, s:f, s:I, s:f, s:o, s:o}",                //
                     "curves", list,                                                 //
                     "masked_units", (json_int_t)my->n_units,                        //
                     "clamped", (int)all->is_clamped,                                //
                     "diagonal", (int)!settings->no_diagonal,                        //
                     "beta", settings->beta,                                         //
                     "max_updates", (json_int_t)all->updates,                        //
                     "seconds", all->seconds,                                        //
                     "file", settings->out ? json_text(settings->out) : json_null(), //
                     "picture", settings->picture ? json_text(settings->picture) : json_null());
}

static void as_text(output *out, const recall_job *my, const curves *all) {
    const recall_settings *settings = my->settings;
    const isg_recovery *first = &all->points[0];
    output_field(out, "patterns", "%zu of %zu units, diagonal %s", my->info.n_patterns,
                 my->info.n_visible, settings->no_diagonal ? "removed" : "kept");
    output_field(out, "trials", "%zu a point, %zu of each %s", first->trials, all->trials,
                 my->data ? "sample" : "pattern");
    output_field(out, "recovered", "ends exactly in %s; near: overlap > 0.95",
                 my->data ? "a pattern of the sample's class" : "the pattern");
    if (my->n_units)
        output_field(out, "masked", "%zu given units", my->n_units);
    if (my->n_masks || my->units)
        output_field(out, "other units", all->is_clamped ? "clamped" : "free to move");
    for (size_t c = 0; c < all->count; c++) {
        if (is_thermal(all->dynamics[c]))
            output_line(out, "%s, %s (%zu updates at beta %g, then async at zero temperature)",
                        rule_names[all->rules[c]], dynamics_names[all->dynamics[c]], all->updates,
                        settings->beta);
        else
            output_line(out, "%s, %s", rule_names[all->rules[c]], dynamics_names[all->dynamics[c]]);
        output_print(out, "  %8s %8s %9s %8s %8s %8s %8s\n", "flipped", "masked", "recovered", "+-",
                     "near", "negative", "overlap");
        for (size_t k = 0; k < all->n; k++) {
            const isg_recovery *point = &all->points[c * all->n + k];
            const double n = (double)point->trials;
            output_print(out, "  %8.4g %8.4g %9.4f %8.4f %8.4f %8.4f %8.4f\n", all->how[k].flip,
                         all->how[k].mask, (double)point->exact / n,
                         error_of(point->exact, point->trials), (double)point->near / n,
                         (double)point->negative / n, point->end_overlap);
        }
    }
    if (settings->out)
        output_field(out, "file", "%s", settings->out);
    if (settings->picture)
        output_field(out, "picture", "%s", settings->picture);
}

exit_code recall_curves(recall_job *my) {
    curves all = {0};
    exit_code code = check_labels(my);
    if (code == EXIT_DONE)
        code = plan(my, &all);
    if (code == EXIT_DONE && my->settings->picture && all.n < 2)
        code = fail(EXIT_MISUSED, "--picture: a curve needs several points; give --flip or --mask "
                                  "as A:B:n");
    if (code == EXIT_DONE)
        code = recover(my, &all);
    if (code == EXIT_DONE && my->settings->out)
        code = write_csv(my, &all);
    if (code == EXIT_DONE && my->settings->picture)
        code = draw(my, &all);
    if (code == EXIT_DONE && my->call->common.json)
        output_json(my->call->out, as_json(my, &all));
    else if (code == EXIT_DONE)
        as_text(my->call->out, my, &all);
    memory_release(all.how);
    memory_release(all.points);
    return code;
}
