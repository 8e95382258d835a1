/* recall_tables.c - the results of a recall protocol, readable and as JSON
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/verbs/recall_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/share_error.h"
#include "cli/verbs/recall_job.h"

enum { N_EXTRA = ISG_N_ENDS - 1, MOST_COLUMNS = 12 };

/* ---- the committor in numbers -------------------------------------------------------------------- */

typedef struct committor_summary {
    double right, none; /* mean shares of trajectories */
    double accuracy;    /* of the class that most of them come to; NaN without labels */
} committor_summary;

static bool is_right(const recall_job *my, size_t sample, size_t mu) {
    const char *label = isg_patterns_label(my->patterns, mu);
    const uint32_t *labels = isg_dataset_labels(my->data);
    return label && labels && strcmp(label, isg_dataset_class_name(my->data, labels[sample])) == 0;
}

static committor_summary look_at_committor(const recall_job *my, const recall_found *found) {
    const size_t p = my->info.n_patterns;
    committor_summary sum = {0};
    for (size_t k = 0; k < found->n_lost; k++) {
        const double *shares = found->shares + k * (p + 1);
        size_t most = 0;
        for (size_t mu = 0; mu < p; mu++) {
            sum.right += is_right(my, found->lost[k], mu) ? shares[mu] : 0;
            most = shares[mu] > shares[most] ? mu : most;
        }
        sum.accuracy += is_right(my, found->lost[k], most) && shares[most] > 0;
        sum.none += shares[p];
    }
    const double n = (double)found->n_lost;
    sum.none /= n;
    sum.right = found->summary.has_accuracy ? sum.right / n : (double)NAN;
    sum.accuracy = found->summary.has_accuracy ? sum.accuracy / n : (double)NAN;
    return sum;
}

/* Over samples, as if each were right or wrong. */
static double accuracy_error(const isg_recall_summary *summary) {
    return share_error(summary->accuracy, summary->n_samples);
}

/* ---- JSON ----------------------------------------------------------------------------------------- */

static bool append(json_t *list, json_t *item) {
    return json_array_append_new(list, item) == 0;
}

static json_t *table_as_json(isg_matd_view table) {
    json_t *rows = json_array();
    bool is_fine = rows != NULL;
    for (size_t c = 0; is_fine && c < table.rows; c++) {
        json_t *row = json_array();
        is_fine = row != NULL;
        for (size_t k = 0; is_fine && k < table.cols; k++)
            is_fine = append(row, json_number(table.data[c * table.stride + k]));
        is_fine = append(rows, row) && is_fine;
    }
    if (is_fine)
        return rows;
    json_decref(rows);
    return NULL;
}

static json_t *names_as_json(const recall_job *my, const recall_found *found, bool are_columns) {
    const isg_recall_summary *summary = &found->summary;
    const size_t count = are_columns ? summary->n_labels + N_EXTRA : summary->n_classes;
    json_t *names = json_array();
    bool is_fine = names != NULL;
    for (size_t k = 0; is_fine && k < count; k++)
        is_fine = append(names, !are_columns ? isg_dataset_labels(my->data)
                                                   ? json_text(isg_dataset_class_name(my->data, k))
                                                   : json_null()
                                : k < summary->n_labels
                                    ? json_text(isg_recall_label(found->recall, k))
                                    : json_string(end_names[k - summary->n_labels + 1]));
    if (is_fine)
        return names;
    json_decref(names);
    return NULL;
}

static json_t *updates_as_json(const recall_found *found) {
    const double *updates = isg_recall_updates(found->recall);
    json_t *list = json_array();
    bool is_fine = list != NULL;
    for (size_t t = 0; is_fine && t < found->summary.n_updates; t++)
        is_fine = append(list, json_number(updates[t]));
    if (is_fine)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *readouts_as_json(const double accuracy[ISG_N_READOUTS]) {
    return json_pack("{s:o, s:o, s:o}",                                           //
                     "overlap", json_number(accuracy[ISG_READOUT_OVERLAP]),       //
                     "projection", json_number(accuracy[ISG_READOUT_PROJECTION]), //
                     "energy", json_number(accuracy[ISG_READOUT_ENERGY]));
}

static json_t *committor_as_json(const recall_job *my, const recall_found *found) {
    if (!found->has_committor)
        return json_null();
    const committor_summary sum = look_at_committor(my, found);
    return json_pack("{s:I, s:f, s:o, s:o, s:o}",           //
                     "samples", (json_int_t)found->n_lost,  //
                     "overlap", found->committor_overlap,   //
                     "accuracy", json_number(sum.accuracy), //
                     "right", json_number(sum.right),       //
                     "none", json_number(sum.none));
}

static json_t *ends_as_json(const isg_recall_summary *summary) {
    json_t *ends = json_object();
    bool is_fine = ends != NULL;
    for (size_t k = 0; is_fine && k < ISG_N_ENDS; k++)
        is_fine = json_object_set_new(ends, end_names[k],
                                      json_integer((json_int_t)summary->ends[k])) == 0;
    if (is_fine)
        return ends;
    json_decref(ends);
    return NULL;
}

json_t *recall_as_json(const recall_job *my, const recall_found *found) {
    const isg_recall_summary *summary = &found->summary;
    const isg_recall_options *options = &summary->options;
    const bool is_published = options->protocol == ISG_RECALL_PUBLISHED;
    json_t *results = json_pack(
        "{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, "
        "s:o}",
        "accuracy", json_number(summary->accuracy),                                            //
        "accuracy_error", json_number(accuracy_error(summary)),                                //
        "undecided", json_number(summary->undecided),                                          //
        "nearest_pattern_accuracy", json_number(summary->start_accuracy[ISG_READOUT_OVERLAP]), //
        "decided_at_start", (json_int_t)summary->decided_at_start,                             //
        "decided", (json_int_t)summary->decided,                                               //
        "ensembles", (json_int_t)summary->n_ensembles,                                         //
        "start_accuracy", readouts_as_json(summary->start_accuracy),                           //
        "end_accuracy", is_published ? json_null() : readouts_as_json(summary->end_accuracy),  //
        "confusion", table_as_json(isg_recall_confusion(found->recall)),                       //
        "attractors", is_published ? json_null() : table_as_json(isg_recall_ends(found->recall)),
        "classes", names_as_json(my, found, false), //
        "columns", names_as_json(my, found, true),  //
        "ends", ends_as_json(summary),              //
        "updates", updates_as_json(found),          //
        "samples", (json_int_t)summary->n_samples,  //
        "foreign", (json_int_t)summary->n_foreign,  //
        "committor", committor_as_json(my, found));
    json_t *settings = json_pack(
        "{s:s, s:s, s:s, s:o, s:b, s:o, s:f, s:o, s:I, s:I, s:f, s:o, s:n}", //
        "protocol", protocol_names[options->protocol],                       //
        "rule", rule_names[options->rule],                                   //
        "dynamics", dynamics_names[options->dynamics],                       //
        "ensemble", is_published ? json_string(dynamics_names[options->ensemble]) : json_null(),
        "diagonal", (int)options->keep_diagonal, //
        "readout", is_published ? json_null() : json_string(readout_names[options->readout]),
        "beta", options->beta,                                                   //
        "overlap", is_published ? json_number(options->threshold) : json_null(), //
        "max_updates", (json_int_t)options->max_updates,                         //
        "trajectories", (json_int_t)options->trajectories,                       //
        "seconds", found->seconds,                                               //
        "file", my->settings->out ? json_text(my->settings->out) : json_null(), "picture");
    if (results && settings && json_object_update(results, settings) == 0) {
        json_decref(settings);
        return results;
    }
    json_decref(results);
    json_decref(settings);
    return NULL;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void cell(output *out, double value, int width) {
    if (value == 0)
        output_print(out, " %*s", width, ".");
    else if (value == floor(value))
        output_print(out, " %*.0f", width, value);
    else
        output_print(out, " %*.1f", width, value);
}

/* Classes down, what they came to across. The last columns are shown where there is something in
   them; of very many classes only the right and the wrong. */
static void table_as_text(output *out, const recall_job *my, const recall_found *found,
                          isg_matd_view table) {
    static const char *const short_names[N_EXTRA] = {"undec.", "negat.", "spur.", "2-cyc."};
    const size_t n_labels = found->summary.n_labels;
    double extra[N_EXTRA] = {0};
    for (size_t c = 0; c < table.rows; c++)
        for (size_t k = 0; k < N_EXTRA; k++)
            extra[k] += table.data[c * table.stride + n_labels + k];
    output_print(out, "  %-10s", "class");
    for (size_t k = 0; k < n_labels; k++) {
        output_print(out, " ");
        output_cell(out, isg_recall_label(found->recall, k), -6);
    }
    for (size_t k = 0; k < N_EXTRA; k++)
        if (extra[k] > 0)
            output_print(out, " %6s", short_names[k]);
    output_print(out, "\n");
    for (size_t c = 0; c < table.rows; c++) {
        const bool has_labels = isg_dataset_labels(my->data) != NULL;
        output_print(out, "  ");
        output_cell(out, has_labels ? isg_dataset_class_name(my->data, c) : "all", 10);
        for (size_t k = 0; k < table.cols; k++)
            if (k < n_labels || extra[k - n_labels] > 0)
                cell(out, table.data[c * table.stride + k], 6);
        output_print(out, "\n");
    }
}

static void tables_as_text(output *out, const recall_job *my, const recall_found *found) {
    const bool is_published = found->summary.options.protocol == ISG_RECALL_PUBLISHED;
    if (found->summary.n_labels > MOST_COLUMNS) {
        output_field(out, "tables", "too wide to be shown (%zu classes): see --json",
                     found->summary.n_labels);
        return;
    }
    if (!is_published) {
        output_line(out, "where samples end, exact patterns only:");
        table_as_text(out, my, found, isg_recall_ends(found->recall));
        output_line(out, "what is read out of the ends (%s):",
                    readout_names[found->summary.options.readout]);
    } else {
        output_line(out, "what samples are recalled as:");
    }
    table_as_text(out, my, found, isg_recall_confusion(found->recall));
}

/* 0 to 5 one by one, then ever more at a time. */
static void updates_as_text(output *out, const recall_found *found) {
    static const size_t ends[] = {1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 200, 500, 1000, SIZE_MAX};
    const double *updates = isg_recall_updates(found->recall);
    const double n = (double)found->summary.n_samples;
    size_t t = 0;
    output_line(out, "updates until %s:",
                found->summary.options.protocol == ISG_RECALL_PUBLISHED ? "decided"
                                                                        : "nothing changes");
    for (size_t bin = 0; t < found->summary.n_updates; bin++) {
        const size_t first = t;
        double sum = 0;
        for (; t < found->summary.n_updates && t < ends[bin]; t++)
            sum += updates[t];
        char range[48], bar[41] = "";
        if (t - first > 1)
            snprintf(range, sizeof range, "%zu-%zu", first, t - 1);
        else
            snprintf(range, sizeof range, "%zu", first);
        memset(bar, '#', (size_t)ceil(40 * sum / n));
        output_print(out, "  %-10s", range);
        cell(out, sum, 8);
        output_print(out, "%s%s\n", sum > 0 ? "  " : "", bar);
    }
}

static void published_as_text(output *out, const isg_recall_summary *summary) {
    const isg_recall_options *options = &summary->options;
    output_field(out, "decided", "%zu before any update (overlap > %g), %zu by %s updates",
                 summary->decided_at_start, options->threshold, summary->decided,
                 dynamics_names[options->dynamics]);
    if (summary->n_ensembles == 0)
        output_field(out, "trajectories", "none needed");
    else
        output_field(out, "trajectories", "%zu samples, %zu %s ones each at beta %g",
                     summary->n_ensembles, options->trajectories, dynamics_names[options->ensemble],
                     options->beta);
    output_field(out, "undecided", "%g", summary->undecided);
}

static void attractor_as_text(output *out, const isg_recall_summary *summary) {
    const isg_recall_options *options = &summary->options;
    if (is_thermal(options->dynamics))
        output_field(out, "dynamics", "%s, %zu updates at beta %g, then async at zero temperature",
                     dynamics_names[options->dynamics], options->max_updates, options->beta);
    else
        output_field(out, "dynamics", "%s, at zero temperature", dynamics_names[options->dynamics]);
    output_field(out, "ends", "a pattern %zu, the negative of one %zu, spurious %zu",
                 summary->ends[0], summary->ends[ISG_END_NEGATIVE],
                 summary->ends[ISG_END_SPURIOUS]);
    if (summary->ends[ISG_END_TWO_CYCLE])
        output_field(out, "two-cycles", "%zu", summary->ends[ISG_END_TWO_CYCLE]);
    if (summary->ends[ISG_END_UNDECIDED])
        output_field(out, "still moving", "%zu, after %zu updates",
                     summary->ends[ISG_END_UNDECIDED], options->max_updates);
}

static void accuracy_as_text(output *out, const isg_recall_summary *summary) {
    const bool is_published = summary->options.protocol == ISG_RECALL_PUBLISHED;
    if (!summary->has_accuracy)
        return;
    output_field(out, "accuracy", "%.2f %% +- %.2f %%%s%s", 100 * summary->accuracy,
                 100 * accuracy_error(summary), is_published ? "" : ", read out by ",
                 is_published ? "" : readout_names[summary->options.readout]);
    output_field(out, "nearest pattern", "%.2f %%, without any dynamics",
                 100 * summary->start_accuracy[ISG_READOUT_OVERLAP]);
    for (size_t k = 0; k < ISG_N_READOUTS && !is_published; k++)
        output_field(out, k == 0 ? "by readout" : "",
                     "%-10s %6.2f %% at the start, %6.2f %% at "
                     "the end",
                     readout_names[k], 100 * summary->start_accuracy[k],
                     100 * summary->end_accuracy[k]);
    if (summary->n_foreign)
        output_field(out, "no such pattern", "%zu of the samples, which count as wrong",
                     summary->n_foreign);
}

void recall_as_text(output *out, const recall_job *my, const recall_found *found) {
    const isg_recall_summary *summary = &found->summary;
    output_field(out, "samples", "%zu of %zu units", summary->n_samples, my->info.n_visible);
    output_field(out, "network", "%zu patterns, %s rule, diagonal %s", my->info.n_patterns,
                 rule_names[summary->options.rule],
                 summary->options.keep_diagonal ? "kept" : "removed");
    output_field(out, "protocol", "%s", protocol_names[summary->options.protocol]);
    if (summary->options.protocol == ISG_RECALL_PUBLISHED)
        published_as_text(out, summary);
    else
        attractor_as_text(out, summary);
    accuracy_as_text(out, summary);
    if (found->has_committor && found->n_lost) {
        const committor_summary sum = look_at_committor(my, found);
        output_field(out, "committor",
                     "%zu samples that end in no pattern: %.1f %% of the trajectories",
                     found->n_lost, 100 * (1 - sum.none));
        output_field(out, "", "come to one (overlap > %g)", found->committor_overlap);
        if (summary->has_accuracy)
            output_field(out, "", "%.1f %% to their class; %.1f %% right by majority",
                         100 * sum.right, 100 * sum.accuracy);
    }
    tables_as_text(out, my, found);
    updates_as_text(out, found);
    if (my->settings->out)
        output_field(out, "file", "%s", my->settings->out);
}
