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
#include "cli/verbs/recall_job.h"
#include "src/base/clock.h"

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

static result_estimate share_of(size_t hits, size_t trials) {
    const double value = (double)hits / (double)trials;
    return (result_estimate){value, share_error(value, trials)};
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
    all->updates = recall_sweeps(my, isg_recovery_defaults().max_updates);
    return EXIT_DONE;
}

static exit_code check_labels(const recall_job *my) {
    if (my->data && !isg_dataset_labels(my->data))
        return fail(EXIT_BAD_INPUT,
                    "%s: has no labels, which recall needs to check corrupted samples",
                    my->data_name);
    if (my->data && !my->info.has_labels)
        return fail(EXIT_BAD_INPUT,
                    "%s: its patterns have no labels, which recall needs to check corrupted "
                    "samples",
                    my->file);
    return EXIT_DONE;
}

static exit_code recover(const recall_job *my, curves *all) {
    isg_recovery_options options = isg_recovery_defaults();
    exit_code code = EXIT_DONE;
    options.allow_rank_deficient = my->settings->how.allow_rank_deficient;
    options.keep_diagonal = !my->settings->no_diagonal;
    options.beta = my->settings->how.beta;
    options.max_updates = all->updates;
    options.trials = all->trials;
    options.clamp_known = all->is_clamped;
    options.seed = my->call->common.seed;
    const double start = isg_clock_s();
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
    all->seconds = isg_clock_s() - start;
    return code;
}

/* ---- files ------------------------------------------------------------------------------------------ */

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
                     dynamics_names[all->dynamics[c]], my->settings->how.beta);
        else
            snprintf(names[c], sizeof names[c], "%s, %s", rule_names[all->rules[c]],
                     dynamics_names[all->dynamics[c]]);
        for (size_t k = 0; k < all->n; k++) {
            const isg_recovery *point = &all->points[c * all->n + k];
            x[k] = is_of_masks(my) ? all->how[k].mask : all->how[k].flip;
            const result_estimate exact = share_of(point->exact, point->trials);
            y[c * all->n + k] = exact.value;
            errors[c * all->n + k] = exact.error;
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

typedef struct point_row {
    const char *rule, *dynamics;
    double flip, mask, negative, start_overlap, thermal_overlap, end_overlap;
    size_t trials;
    result_estimate exact, near;
} point_row;

typedef struct curve_row {
    const char *rule, *dynamics;
    size_t updates;
    double beta;
    bool is_thermal;
    result_list points;
} curve_row;

typedef struct curves_result {
    curve_row rows[N_CURVES];
    result_list curves;
    size_t masked_units, max_updates, n_patterns, n_visible, trials, trials_each;
    bool clamped, diagonal, has_masks, is_of_data;
    double beta, seconds;
    const char *file, *picture;
} curves_result;

/* clang-format off */
#define POINT(field, what) RESULT(point_row, field, what)
#define IS(field, what)    RESULT(curves_result, field, what)
#define HIDDEN(field)      RESULT_HIDDEN(curves_result, field)

static const result_entry point_results[] = {
    POINT(flip, "share of units flipped"),
    POINT(mask, "share of units masked"),
    POINT(trials, "number of trials"),
    RESULT_STRUCT(point_row, exact, result_estimates, "share of trials recovered exactly"),
    RESULT_STRUCT(point_row, near, result_estimates, "share with an overlap above 0.95"),
    POINT(negative, "share that ends in the negative of the pattern"),
    POINT(start_overlap, "mean overlap with the target at the start"),
    POINT(thermal_overlap, "the same before continuing at zero temperature, or null"),
    POINT(end_overlap, "the same at the end"),
    RESULT_HIDDEN(point_row, rule), RESULT_HIDDEN(point_row, dynamics),
    {.key = NULL}};

static const char point_columns[] =
    "rule,dynamics,flip:.10g,mask:.10g,trials,exact.value:.10g,exact.error:.3g,near.value:.10g,"
    "near.error:.3g,negative:.10g,start_overlap:.10g,thermal_overlap:.10g?,end_overlap:.10g";

static const result_entry curve_results[] = {
    RESULT(curve_row, rule, "projection or hebbian"),
    RESULT(curve_row, dynamics, "dynamics of the trials"),
    RESULT_LIST_OF(curve_row, points, point_results, NULL),
    RESULT_HIDDEN(curve_row, updates), RESULT_HIDDEN(curve_row, beta),
    RESULT_HIDDEN(curve_row, is_thermal),
    {.when = "is_thermal",
     .text = "{rule}, {dynamics} ({updates update} at beta {beta}, then async at zero temperature)"},
    {.when = "!is_thermal", .text = "{rule}, {dynamics}"},
    {.each = "points",
     .heading = "   flipped   masked recovered       +-     near negative  overlap",
     .text = "  {flip:8.4g} {mask:8.4g} {exact.value:9.4f} {exact.error:8.4f} {near.value:8.4f} "
             "{negative:8.4f} {end_overlap:8.4f}"},
    {.key = NULL}};

const result_entry recall_curves_results[] = {
    RESULT_LIST_OF(curves_result, curves, curve_results, NULL),
    IS(masked_units, "number of units in --mask-units"),
    IS(clamped, "whether the other units were clamped"),
    IS(diagonal, "whether J_ii was kept"),
    IS(beta, "inverse temperature of dynamics that have one"),
    IS(max_updates, "largest number of updates of all units"),
    IS(seconds, "run time"),
    IS(file, "FILE.csv, or null"),
    IS(picture, "the picture, or null"),
    HIDDEN(n_patterns), HIDDEN(n_visible), HIDDEN(trials), HIDDEN(trials_each), HIDDEN(has_masks),
    HIDDEN(is_of_data),
    {.label = "patterns", .text = "{n_patterns} of {n_visible unit}, diagonal {diagonal:kept|removed}"},
    {.label = "trials", .text = "{trials} a point, {trials_each} of each {is_of_data:sample|pattern}"},
    {.label = "recovered",
     .text = "ends exactly in {is_of_data:a pattern of the sample's class|the pattern}; near: overlap > "
             "0.95"},
    {.when = "masked_units", .label = "masked", .text = "{masked_units given unit}"},
    {.when = "has_masks", .label = "other units", .text = "{clamped:clamped|free to move}"},
    {.each = "curves"},
    {.when = "file", .label = "file", .text = "{file}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.key = NULL}};
/* clang-format on */

static void fill_points(point_row *out, const curves *all) {
    for (size_t c = 0; c < all->count; c++)
        for (size_t k = 0; k < all->n; k++) {
            const isg_recovery *point = &all->points[c * all->n + k];
            out[c * all->n + k] =
                (point_row){.rule = rule_names[all->rules[c]],
                            .dynamics = dynamics_names[all->dynamics[c]],
                            .flip = all->how[k].flip,
                            .mask = all->how[k].mask,
                            .trials = point->trials,
                            .exact = share_of(point->exact, point->trials),
                            .near = share_of(point->near, point->trials),
                            .negative = share_of(point->negative, point->trials).value,
                            .start_overlap = point->start_overlap,
                            .thermal_overlap = point->thermal_overlap,
                            .end_overlap = point->end_overlap};
        }
}

static void show(const recall_job *my, const curves *all, const point_row *points) {
    const recall_settings *settings = my->settings;
    curves_result out = {.masked_units = my->n_units,
                         .clamped = all->is_clamped,
                         .diagonal = !settings->no_diagonal,
                         .beta = settings->how.beta,
                         .max_updates = all->updates,
                         .seconds = all->seconds,
                         .file = settings->out,
                         .picture = settings->picture,
                         .n_patterns = my->info.n_patterns,
                         .n_visible = my->info.n_visible,
                         .trials = points[0].trials,
                         .trials_each = all->trials,
                         .has_masks = my->n_masks || my->units,
                         .is_of_data = my->data != NULL};
    for (size_t c = 0; c < all->count; c++)
        out.rows[c] = (curve_row){.rule = rule_names[all->rules[c]],
                                  .dynamics = dynamics_names[all->dynamics[c]],
                                  .updates = all->updates,
                                  .beta = settings->how.beta,
                                  .is_thermal = is_thermal(all->dynamics[c]),
                                  .points = {points + c * all->n, all->n, sizeof *points}};
    out.curves = (result_list){out.rows, all->count, sizeof out.rows[0]};
    const recall_result result = {.curves = &out};
    result_show(my->call, &result);
}

/* The table of -o, and the result. */
static exit_code finish(const recall_job *my, const curves *all) {
    const size_t n = all->count * all->n;
    point_row *points = memory_allocate(n, sizeof *points);
    if (!points)
        return fail_memory();
    fill_points(points, all);
    exit_code code = EXIT_DONE;
    if (my->settings->out)
        code = result_csv(my->settings->out, point_results,
                          (result_list){points, n, sizeof *points}, point_columns);
    if (code == EXIT_DONE && my->settings->picture)
        code = draw(my, all);
    if (code == EXIT_DONE)
        show(my, all, points);
    memory_release(points);
    return code;
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
    if (code == EXIT_DONE)
        code = finish(my, &all);
    memory_release(all.how);
    memory_release(all.points);
    return code;
}
