/* recall_tables.c - the results of a recall protocol
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/verbs/recall_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/share_error.h"
#include "cli/verbs/recall_job.h"

enum { N_EXTRA = ISG_N_ENDS - 1, MOST_COLUMNS = 12 };

/* ---- the committor in numbers -------------------------------------------------------------------- */

typedef struct committor_result {
    size_t samples;  /* that ended in no pattern */
    double overlap;  /* that counts as a pattern reached */
    double accuracy; /* of the class that most of them come to; NaN without labels */
    double right, none, come_to_one; /* mean shares of trajectories */
} committor_result;

static bool is_right(const recall_job *my, size_t sample, size_t mu) {
    const char *label = isg_patterns_label(my->patterns, mu);
    const uint32_t *labels = isg_dataset_labels(my->data);
    return label && labels && strcmp(label, isg_dataset_class_name(my->data, labels[sample])) == 0;
}

static committor_result look_at_committor(const recall_job *my, const recall_found *found) {
    const size_t p = my->info.n_patterns;
    committor_result sum = {.samples = found->n_lost, .overlap = found->committor_overlap};
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
    sum.come_to_one = 1 - sum.none;
    sum.right = found->summary.has_accuracy ? sum.right / n : (double)NAN;
    sum.accuracy = found->summary.has_accuracy ? sum.accuracy / n : (double)NAN;
    return sum;
}

typedef struct protocol_result {
    const recall_job *job;
    const recall_found *found;
    isg_recall_summary summary;
    double accuracy_error, overlap, seconds;
    const double *end_accuracy; /* by readout; NULL if published */
    result_rows confusion, attractors;
    const char **names; /* of both lists that follow */
    result_list classes, columns, updates;
    committor_result lost;
    const committor_result *committor;   /* NULL without --committor */
    const projection_result *projection; /* NULL without --projections */
    const char *ensemble, *readout, *file, *picture;
    size_t n_visible, n_patterns;
    bool is_thermal;
} protocol_result;

/* ---- text ------------------------------------------------------------------------------------------ */

static void cell(output *out, double value, int width) {
    if (value == 0)
        output_print(out, " %*s", width, ".");
    else if (value == floor(value))
        output_print(out, " %*.0f", width, value);
    else
        output_print(out, " %*.1f", width, value);
}

/* One row per class, one column per outcome. The last columns are shown if they are not empty; with
   very many classes, only right and wrong. */
static void print_table(output *out, const recall_job *my, const recall_found *found,
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

static void print_tables(output *out, const void *results) {
    const protocol_result *of = results;
    const recall_job *my = of->job;
    const recall_found *found = of->found;
    const bool is_published = found->summary.options.protocol == ISG_RECALL_PUBLISHED;
    if (found->summary.n_labels > MOST_COLUMNS) {
        output_field(out, "tables", "too wide to show (%zu classes): see --json",
                     found->summary.n_labels);
        return;
    }
    if (!is_published) {
        output_line(out, "where samples end, exact patterns only:");
        print_table(out, my, found, isg_recall_ends(found->recall));
        output_line(out, "classes read out of the end states (%s):",
                    readout_names[found->summary.options.readout]);
    } else {
        output_line(out, "what samples are recalled as:");
    }
    print_table(out, my, found, isg_recall_confusion(found->recall));
}

/* 0 to 5 one by one, then ever more at a time. */
static void print_updates(output *out, const void *results) {
    const recall_found *found = ((const protocol_result *)results)->found;
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

/* clang-format off */
#define READOUT(k, name) {.kind = RESULT_NUMBER, .key = name, .offset = (k) * sizeof(double)}
#define END(k, name)     {.kind = RESULT_SIZE, .key = name, .offset = (k) * sizeof(size_t)}

static const result_entry readout_results[] = {
    READOUT(ISG_READOUT_OVERLAP, "overlap"),
    READOUT(ISG_READOUT_PROJECTION, "projection"),
    READOUT(ISG_READOUT_ENERGY, "energy"),
    {.key = NULL}};

static const result_entry end_results[] = { /* as in end_names */
    END(ISG_END_PATTERN, "pattern"),
    END(ISG_END_UNDECIDED, "undecided"),
    END(ISG_END_NEGATIVE, "negative"),
    END(ISG_END_SPURIOUS, "spurious"),
    END(ISG_END_TWO_CYCLE, "two-cycle"),
    {.key = NULL}};

static const result_entry committor_results[] = {
    RESULT(committor_result, samples, "samples that ended in no pattern"),
    RESULT(committor_result, overlap, "overlap above which a trajectory has reached a pattern"),
    RESULT(committor_result, accuracy, "accuracy of the class that most trajectories reach"),
    RESULT(committor_result, right, "mean share of trajectories that reach the right class"),
    RESULT(committor_result, none, "mean share of trajectories that reach no pattern"),
    RESULT_HIDDEN(committor_result, come_to_one),
    {.when = "samples", .label = "committor",
     .text = "{samples sample} that end in no pattern: {come_to_one:%.1f} % of the trajectories"},
    {.when = "samples", .label = "", .text = "reach one (overlap > {overlap})"},
    {.when = "samples&accuracy", .label = "",
     .text = "{right:%.1f} % to their class; {accuracy:%.1f} % right by majority"},
    {.key = NULL}};

static const result_entry projection_results[] = {
    RESULT(projection_result, file, "the table"),
    RESULT(projection_result, onto, "patterns or class means"),
    RESULT(projection_result, count, "how many of them"),
    RESULT(projection_result, accuracy, "share of the samples whose largest projection is of their class, or null"),
    RESULT(projection_result, error, "its standard error over samples"),
    {.when = "accuracy", .label = "projections",
     .text = "{accuracy:%.2f} % +- {error:%.2f} % by the largest one, onto {count} {onto}"},
    {.when = "!accuracy", .label = "projections", .text = "onto {count} {onto}"},
    {.label = "", .text = "{file}"},
    {.key = NULL}};

#define IS(field, what)            RESULT(protocol_result, field, what)
#define SUMMARY(field, name, what) RESULT_AS(protocol_result, summary.field, name, what)
#define OPTION(field, name, what)  RESULT_AS(protocol_result, summary.options.field, name, what)
#define NAMED(field, list, what)   RESULT_ENUM(protocol_result, summary.options.field, #field, list, what)
#define LIST(field, items, what)   RESULT_LIST_OF(protocol_result, field, items, what)
#define HIDDEN(field)              RESULT_HIDDEN(protocol_result, field)

#define BY_READOUT(title, key, shown)                                                              \
    {.when = "protocol=attractor&has_accuracy", .label = title,                                    \
     .text = shown " {start_accuracy." key ":%6.2f} % at the start, {end_accuracy." key            \
                   ":%6.2f} % at the end"}

const result_entry recall_protocol_results[] = {
    SUMMARY(accuracy, "accuracy", "share of the samples recalled as their class; null without "
                                  "labels"),
    IS(accuracy_error, "its standard error over samples"),
    SUMMARY(undecided, "undecided", "samples, or fractions of them, that reached no pattern"),
    SUMMARY(start_accuracy[ISG_READOUT_OVERLAP], "nearest_pattern_accuracy",
            "accuracy of the pattern with the largest overlap, without dynamics"),
    SUMMARY(decided_at_start, "decided_at_start", "published: samples decided before any update"),
    SUMMARY(decided, "decided", "published: samples decided by updates at zero temperature"),
    SUMMARY(n_ensembles, "ensembles", "published: samples left to trajectories"),
    {.kind = RESULT_OBJECT, .key = "start_accuracy", .of = readout_results,
     .offset = offsetof(protocol_result, summary.start_accuracy),
     .help = "accuracy of reading out the samples, without dynamics"},
    RESULT_POINTER(protocol_result, end_accuracy, readout_results,
                   "attractor: the same for the end states; else null"),
    LIST(confusion, result_numbers, "samples by class (rows) and columns[]"),
    LIST(attractors, result_numbers,
         "attractor: the same, but only ends that are exactly a pattern count for its class; else "
         "null"),
    LIST(classes, result_texts, "classes of the data"),
    LIST(columns, result_texts, "classes of the patterns, undecided, negative, spurious, two-cycle"),
    {.kind = RESULT_OBJECT, .key = "ends", .of = end_results,
     .offset = offsetof(protocol_result, summary.ends), .help = "samples by their end"},
    LIST(updates, result_numbers, "samples that took 0, 1, ... updates"),
    SUMMARY(n_samples, "samples", "number of samples"),
    SUMMARY(n_foreign, "foreign", "samples of classes that no pattern has; they count as wrong"),
    RESULT_POINTER(protocol_result, committor, committor_results, "null without --committor"),
    RESULT_POINTER(protocol_result, projection, projection_results, "null without --projections"),
    NAMED(protocol, protocol_names, "published or attractor"),
    NAMED(rule, rule_names, "projection or hebbian"),
    NAMED(dynamics, dynamics_names, "dynamics of the samples; published: of the first part"),
    IS(ensemble, "published: dynamics of the trajectories; else null"),
    OPTION(keep_diagonal, "diagonal", "whether J_ii was kept"),
    IS(readout, "attractor: what determines the class of an end state; else null"),
    OPTION(beta, "beta", "inverse temperature of dynamics that have one"),
    IS(overlap, "published: overlap above which a sample has reached a pattern; else null"),
    OPTION(max_updates, "max_updates", "largest number of updates of all units"),
    OPTION(trajectories, "trajectories", "trajectories per sample that has any"),
    IS(seconds, "run time"),
    IS(file, "FILE.csv, or null"),
    IS(picture, "null"),
    HIDDEN(n_visible), HIDDEN(n_patterns), HIDDEN(is_thermal),
    RESULT_HIDDEN_AS(protocol_result, summary.has_accuracy, "has_accuracy"),
    {.label = "samples", .text = "{samples} of {n_visible unit}"},
    {.label = "network",
     .text = "{n_patterns pattern}, {rule} rule, diagonal {diagonal:kept|removed}"},
    {.label = "protocol", .text = "{protocol}"},
    {.when = "protocol=published", .label = "decided",
     .text = "{decided_at_start} before any update (overlap > {overlap}), {decided} by {dynamics} "
             "updates"},
    {.when = "protocol=published&!ensembles", .label = "trajectories", .text = "none needed"},
    {.when = "protocol=published&ensembles", .label = "trajectories",
     .text = "{ensembles sample}, {trajectories} {ensemble} ones each at beta {beta}"},
    {.when = "protocol=published", .label = "undecided", .text = "{undecided}"},
    {.when = "protocol=attractor&is_thermal", .label = "dynamics",
     .text = "{dynamics}, {max_updates update} at beta {beta}, then async at zero temperature"},
    {.when = "protocol=attractor&!is_thermal", .label = "dynamics",
     .text = "{dynamics}, at zero temperature"},
    {.when = "protocol=attractor", .label = "ends",
     .text = "a pattern {ends.pattern}, the negative of one {ends.negative}, spurious {ends.spurious}"},
    {.when = "protocol=attractor&ends.two-cycle", .label = "two-cycles", .text = "{ends.two-cycle}"},
    {.when = "protocol=attractor&ends.undecided", .label = "still moving",
     .text = "{ends.undecided}, after {max_updates update}"},
    {.when = "protocol=published&has_accuracy", .label = "accuracy",
     .text = "{accuracy:%.2f} % +- {accuracy_error:%.2f} %"},
    {.when = "protocol=attractor&has_accuracy", .label = "accuracy",
     .text = "{accuracy:%.2f} % +- {accuracy_error:%.2f} %, read out by {readout}"},
    {.when = "has_accuracy", .label = "nearest pattern",
     .text = "{nearest_pattern_accuracy:%.2f} %, without any dynamics"},
    BY_READOUT("by readout", "overlap", "overlap   "),
    BY_READOUT("", "projection", "projection"),
    BY_READOUT("", "energy", "energy    "),
    {.when = "has_accuracy&foreign", .label = "no such pattern",
     .text = "{foreign} of the samples, counted as wrong"},
    {.each = "projection"},
    {.each = "committor"},
    {.print = print_tables},
    {.print = print_updates},
    {.when = "file", .label = "file", .text = "{file}"},
    {.key = NULL}};
/* clang-format on */

static exit_code list_names(protocol_result *out) {
    const isg_recall_summary *summary = &out->summary;
    const isg_dataset *data = out->job->data;
    const size_t n = summary->n_classes, n_labels = summary->n_labels;
    out->names = memory_allocate(n + n_labels + N_EXTRA, sizeof *out->names);
    if (!out->names)
        return fail_memory();
    const char **columns = out->names + n;
    for (size_t k = 0; k < n; k++)
        out->names[k] = isg_dataset_labels(data) ? isg_dataset_class_name(data, k) : NULL;
    for (size_t k = 0; k < n_labels + N_EXTRA; k++)
        columns[k] =
            k < n_labels ? isg_recall_label(out->found->recall, k) : end_names[k - n_labels + 1];
    out->classes = (result_list){out->names, n, sizeof *out->names};
    out->columns = (result_list){columns, n_labels + N_EXTRA, sizeof *columns};
    return EXIT_DONE;
}

static result_rows rows_of(isg_matd_view table) {
    return (result_rows){table.data, table.rows, table.stride * sizeof *table.data, table.cols};
}

exit_code recall_show(const recall_job *my, const recall_found *found) {
    const isg_recall_summary *summary = &found->summary;
    const isg_recall_options *options = &summary->options;
    const bool is_published = options->protocol == ISG_RECALL_PUBLISHED;
    protocol_result out = {
        .job = my,
        .found = found,
        .summary = *summary,
        .accuracy_error = share_error(summary->accuracy, summary->n_samples), /* over samples */
        .overlap = is_published ? options->threshold : (double)NAN,
        .seconds = found->seconds,
        .end_accuracy = is_published ? NULL : summary->end_accuracy,
        .confusion = rows_of(isg_recall_confusion(found->recall)),
        .updates = {isg_recall_updates(found->recall), summary->n_updates, sizeof(double)},
        .committor = found->has_committor ? &out.lost : NULL,
        .projection = found->projection.file ? &found->projection : NULL,
        .ensemble = is_published ? dynamics_names[options->ensemble] : NULL,
        .readout = is_published ? NULL : readout_names[options->readout],
        .file = my->settings->out,
        .n_visible = my->info.n_visible,
        .n_patterns = my->info.n_patterns,
        .is_thermal = is_thermal(options->dynamics)};
    if (!is_published)
        out.attractors = rows_of(isg_recall_ends(found->recall));
    if (found->has_committor)
        out.lost = look_at_committor(my, found);
    const exit_code code = list_names(&out);
    const recall_result result = {.protocol = &out};
    if (code == EXIT_DONE)
        result_show(my->call, &result);
    memory_release(out.names);
    return code;
}
