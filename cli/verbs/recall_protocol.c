/* recall_protocol.c - isinglass recall: the outcome of every sample of DATA
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "cli/allocation.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/verbs/recall_job.h"
#include "cli/verbs/recall_tables.h"
#include "src/base/clock.h"

/* ---- doing it --------------------------------------------------------------------------------------- */

static isg_recall_options plan(const recall_job *my) {
    const recall_settings *settings = my->settings;
    isg_recall_options options = settings->how;
    const isg_recall_options usual = isg_recall_defaults(options.protocol);
    const bool is_published = options.protocol == ISG_RECALL_PUBLISHED;
    options.rule = my->rules[0];
    options.keep_diagonal =
        (usual.keep_diagonal || settings->keep_diagonal) && !settings->no_diagonal;
    options.dynamics = usual.dynamics;
    if (my->n_dynamics && is_published && is_thermal(my->dynamics[0]))
        options.ensemble = my->dynamics[0];
    else if (my->n_dynamics)
        options.dynamics = my->dynamics[0];
    options.max_updates =
        recall_sweeps(my, !is_published && is_thermal(options.dynamics) ? 100 : usual.max_updates);
    options.seed = my->call->common.seed;
    return options;
}

static exit_code run_recall(recall_job *my, recall_found *found) {
    const isg_recall_options options = plan(my);
    const double start = isg_clock_s();
    progress bar;
    progress_start(&bar, my->call->common.quiet, "recalling");
    const isg_status status =
        isg_recall_run(&found->recall, my->patterns, my->data, &options, progress_callback(&bar));
    progress_finish(&bar);
    found->seconds = isg_clock_s() - start;
    const exit_code code = recall_failed(my, status);
    if (code == EXIT_DONE)
        found->summary = isg_recall_describe(found->recall);
    return code;
}

/* The samples that ended in no pattern, as states in a row. */
static exit_code gather_lost(const recall_job *my, recall_found *found, uint64_t **states) {
    const isg_recall_outcome *outcomes = isg_recall_outcomes(found->recall);
    const size_t words = (my->info.n_visible + 63) / 64;
    for (size_t a = 0; a < found->summary.n_samples; a++)
        found->n_lost += outcomes[a].end != ISG_END_PATTERN;
    found->lost = memory_allocate(found->n_lost, sizeof *found->lost);
    *states = memory_allocate(found->n_lost, words * sizeof **states);
    found->shares = memory_allocate(found->n_lost, (my->info.n_patterns + 1) * sizeof(double));
    if (!found->lost || !*states || !found->shares)
        return fail_memory();
    for (size_t a = 0, k = 0; a < found->summary.n_samples; a++)
        if (outcomes[a].end != ISG_END_PATTERN) {
            found->lost[k] = a;
            memcpy(*states + k++ * words, isg_dataset_row(my->data, a), words * sizeof **states);
        }
    return EXIT_DONE;
}

static exit_code run_committor(const recall_job *my, recall_found *found) {
    isg_committor_options options = isg_committor_defaults();
    isg_hopfield_options rule = isg_hopfield_defaults();
    isg_hopfield *network = NULL;
    uint64_t *states = NULL;
    rule.rule = my->rules[0];
    rule.allow_rank_deficient = my->settings->how.allow_rank_deficient;
    options.beta = my->settings->how.beta;
    if (call_has_option(my->call, "overlap"))
        options.threshold = my->settings->how.threshold;
    options.trajectories = my->settings->how.trajectories;
    options.seed = my->call->common.seed;
    exit_code code = gather_lost(my, found, &states);
    if (code == EXIT_DONE)
        code = recall_failed(my, isg_hopfield_create(&network, my->patterns, &rule));
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, my->call->common.quiet, "following");
        code = recall_failed(my, isg_committor(network, states, found->n_lost, &options,
                                               found->shares, progress_callback(&bar)));
        progress_finish(&bar);
    }
    found->committor_overlap = options.threshold;
    found->has_committor = code == EXIT_DONE;
    isg_hopfield_free(network);
    memory_release(states);
    return code;
}

/* ---- a row of FILE.csv for every sample --------------------------------------------------------------- */

typedef struct outcome_row {
    size_t sample;
    const char *id, *class, *label;
    isg_recall_outcome found;
} outcome_row;

static const result_entry outcome_columns[] = {
    RESULT(outcome_row, sample, NULL),
    RESULT(outcome_row, id, NULL),
    RESULT(outcome_row, class, NULL),
    RESULT_ENUM(outcome_row, found.end, "end", end_names, NULL),
    RESULT_AS(outcome_row, found.pattern, "pattern", NULL),
    RESULT(outcome_row, label, NULL),
    RESULT_AS(outcome_row, found.updates, "updates", NULL),
    RESULT_AS(outcome_row, found.trajectories, "trajectories", NULL),
    RESULT_AS(outcome_row, found.share, "share", NULL),
    {.key = NULL}};

static exit_code write_csv(const recall_job *my, const recall_found *found) {
    static const char columns[] = "sample,id,class,end,pattern,label,updates,trajectories,share";
    const isg_recall_outcome *outcomes = isg_recall_outcomes(found->recall);
    const size_t n_shares = found->has_committor ? my->info.n_patterns + 1 : 0;
    output text = {0};
    result_csv_names(&text, columns);
    for (size_t mu = 0; mu < n_shares; mu++)
        output_print(&text, mu + 1 < n_shares ? ",committor_%zu" : ",committor_none", mu);
    output_print(&text, "\n");
    for (size_t a = 0, k = 0; a < found->summary.n_samples; a++) {
        const size_t pattern = outcomes[a].pattern;
        const outcome_row one = {
            .sample = a,
            .id = isg_dataset_sample_id(my->data, a),
            .class = sample_class(my->data, a),
            .label = pattern == SIZE_MAX ? NULL : isg_patterns_label(my->patterns, pattern),
            .found = outcomes[a]};
        result_csv_cells(&text, outcome_columns, &one, columns);
        const bool is_lost = n_shares > 0 && k < found->n_lost && found->lost[k] == a;
        for (size_t mu = 0; mu < n_shares; mu++)
            if (is_lost)
                output_print(&text, ",%g", found->shares[k * n_shares + mu]);
            else
                output_print(&text, ",");
        k += is_lost;
        output_print(&text, "\n");
    }
    const exit_code code = output_save(&text, my->settings->out);
    output_free(&text);
    return code;
}

/* What a reader of the numbers should know about the labels. */
static void remark(const recall_job *my, const recall_found *found) {
    const bool is_quiet = my->call->common.quiet;
    if (!isg_dataset_labels(my->data))
        notice(is_quiet, "%s: has no labels, so there is no accuracy", my->data_name);
    else if (!my->info.has_labels)
        notice(is_quiet,
               "%s: its patterns have no labels, so they are shown by number and there is no "
               "accuracy",
               my->file);
    else if (!found->summary.has_accuracy)
        notice(is_quiet,
               "%s: none of its classes is a class of the patterns of %s, so there is no accuracy",
               my->data_name, my->file);
    else if (found->summary.n_foreign)
        notice(is_quiet, "%s: samples of classes without a pattern in %s count as wrong: %zu",
               my->data_name, my->file, found->summary.n_foreign);
}

exit_code recall_protocol(recall_job *my) {
    recall_found found = {.recall = NULL};
    exit_code code = run_recall(my, &found);
    if (code == EXIT_DONE && my->settings->committor)
        code = run_committor(my, &found);
    if (code == EXIT_DONE && my->settings->projections)
        code = recall_project(my, &found.projection);
    if (code == EXIT_DONE && my->settings->out)
        code = write_csv(my, &found);
    if (code == EXIT_DONE) {
        remark(my, &found);
        code = recall_show(my, &found);
    }
    isg_recall_free(found.recall);
    memory_release(found.lost);
    memory_release(found.shares);
    return code;
}
