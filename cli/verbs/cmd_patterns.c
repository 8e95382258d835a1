/* cmd_patterns.c - isinglass patterns: class patterns and sub-patterns of a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/data_input.h"
#include "cli/progress.h"

typedef struct patterns_settings {
    data_settings data;
    const char *out;
    size_t per_class;
} patterns_settings;

typedef struct pattern_findings {
    isg_patterns_info info;
    size_t rank;
    double max_overlap;
    size_t mu, nu; /* the pair that has it */
    char dependence[256], checksum[65];
} pattern_findings;

static exit_code look(pattern_findings *found, const isg_patterns *patterns) {
    found->info = isg_patterns_describe(patterns);
    for (size_t mu = 0; mu < found->info.n_patterns; mu++)
        for (size_t nu = 0; nu < mu; nu++) {
            const double overlap = isg_patterns_overlap(patterns, nu, mu);
            if (mu == 1 || overlap > found->max_overlap) {
                found->max_overlap = overlap;
                found->mu = nu;
                found->nu = mu;
            }
        }
    const exit_code code = fail_status(isg_patterns_checksum(patterns, found->checksum));
    return code != EXIT_DONE
               ? code
               : fail_status(isg_patterns_rank(patterns, &found->rank, found->dependence,
                                               sizeof found->dependence));
}

static void as_json(output *out, const isg_patterns *patterns, const pattern_findings *found,
                    const char *file) {
    json_t *positive = json_array(), *labels = json_array(), *members = json_array();
    bool is_whole = positive && labels && members;
    for (size_t mu = 0; is_whole && mu < found->info.n_patterns; mu++) {
        const char *label = isg_patterns_label(patterns, mu);
        is_whole =
            json_array_append_new(
                positive, json_integer((json_int_t)isg_patterns_positive(patterns, mu))) == 0 &&
            json_array_append_new(
                members, json_integer((json_int_t)isg_patterns_members(patterns, mu))) == 0 &&
            json_array_append_new(labels, label ? json_text(label) : json_null()) == 0;
    }
    if (!is_whole) {
        json_decref(positive);
        json_decref(labels);
        json_decref(members);
        output_json(out, NULL);
        return;
    }
    const size_t p = found->info.n_patterns;
    output_json(out, json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:s}", //
                               "file", json_text(file),                              //
                               "n_visible", (json_int_t)found->info.n_visible,       //
                               "n_patterns", (json_int_t)p,                          //
                               "rank", (json_int_t)found->rank,                      //
                               "positive", positive,                                 //
                               "labels", labels,                                     //
                               "members", members,                                   //
                               "max_overlap",                                        //
                               p > 1 ? json_real(found->max_overlap) : json_null(),  //
                               "ties", (json_int_t)found->info.n_ties,               //
                               "sha256", found->checksum));
}

static void as_text(output *out, const isg_patterns *patterns, const pattern_findings *found,
                    const char *file) {
    const size_t p = found->info.n_patterns;
    output_field(out, "patterns", "%zu of %zu units", p, found->info.n_visible);
    if (found->rank == p)
        output_field(out, "rank", "%zu: linearly independent", found->rank);
    else
        output_field(out, "rank", "%zu: dependent, %s", found->rank, found->dependence);
    if (p > 1)
        output_field(out, "largest overlap", "%.3f (patterns %zu and %zu)", found->max_overlap,
                     found->mu, found->nu);
    output_field(out, "ties", "%zu (units whose mean is zero, set to -1)", found->info.n_ties);
    output_field(out, "SHA-256", "%s (of the sorted patterns)", found->checksum);
    output_print(out, "  %-8s %-20s %8s %8s\n", "pattern", "class", "samples", "+1");
    for (size_t mu = 0; mu < p; mu++) {
        const char *label = isg_patterns_label(patterns, mu);
        output_print(out, "  %-8zu %-20s %8zu %8zu\n", mu, label ? label : "-",
                     isg_patterns_members(patterns, mu), isg_patterns_positive(patterns, mu));
    }
    output_field(out, "file", "%s", file);
}

static exit_code run(const invocation *call) {
    const patterns_settings *settings = call->settings;
    isg_dataset *data = NULL;
    isg_patterns *patterns = NULL;
    pattern_findings found = {.rank = 0};
    exit_code code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE)
        code = data_load(&data, call, call->arguments[0], &settings->data);
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, call->common.quiet, "clustering");
        isg_pattern_options options = isg_pattern_defaults();
        options.per_class = settings->per_class;
        const isg_status status =
            isg_patterns_from_data(&patterns, data, &options, progress_callback(&bar));
        progress_finish(&bar);
        code = status == ISG_ERR_ARGUMENT
                   ? fail(EXIT_MISUSED, "%s: %s%s", call->arguments[0], isg_error_message(),
                          settings->per_class > 1 ? "; choose a smaller --per-class" : "")
                   : fail_status(status);
    }
    if (code == EXIT_DONE)
        code = look(&found, patterns);
    if (code == EXIT_DONE)
        code = fail_status(
            isg_patterns_save(patterns, settings->out, call->common.seed, call->command_line));
    if (code == EXIT_DONE && call->common.json)
        as_json(call->out, patterns, &found, settings->out);
    else if (code == EXIT_DONE)
        as_text(call->out, patterns, &found, settings->out);
    isg_patterns_free(patterns);
    isg_dataset_free(data);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "DATA", .help = DATA_HELP, .choices = data_names, .is_open = true, .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "P.npz", .is_required = true,
     .offset = offsetof(patterns_settings, out), .help = "Write the patterns to this file"},
    {.name = "per-class", .kind = OPTION_SIZE, .metavar = "K", .initial = "1",
     .low = 1, .high = HUGE_VAL, .offset = offsetof(patterns_settings, per_class),
     .help = "Patterns of each class: 1 is the class mean, more are clusters (Ward linkage)"},
    DATA_OPTIONS(patterns_settings, data),
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"file", "the file written"},
    {"n_visible", "number of units"},
    {"n_patterns", "number of patterns"},
    {"rank", "number of linearly independent patterns"},
    {"positive[]", "+1 count of each pattern"},
    {"labels[]", "class of each pattern, or null"},
    {"members[]", "samples behind each pattern"},
    {"max_overlap", "largest overlap of two patterns, or null if there is one"},
    {"ties", "units whose mean was zero, over all patterns"},
    {"sha256", "SHA-256 of the patterns packed (first unit = highest bit), sorted, concatenated"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass patterns mnist:train -o digits.npz", "The ten class patterns of the paper."},
    {"isinglass patterns mnist:train --per-class 10 -o digits10.npz",
     "A hundred patterns, ten ways to write each digit."},
    {"isinglass patterns votes.csv --label-column party -o parties.npz",
     "One pattern for each party."},
    {NULL, NULL},
};
/* clang-format on */

const command command_patterns = {
    .name = "patterns",
    .section = "Networks",
    .summary = "Make class patterns, or sub-patterns by clustering, from data",
    .description =
        "A pattern is the sign of the mean over the samples of a class, unit by unit; where the "
        "mean is zero it is -1. With --per-class K every class is first divided into K clusters "
        "by Ward linkage on Hamming distances, with ties broken as SciPy does, and each cluster "
        "gives a pattern. Patterns are ordered by class, then by the first sample of a cluster.\n"
        "The file holds xi (units x patterns, int8), labels, and meta.json; numpy.load opens it.",
    .arguments = arguments,
    .options = options,
    .json_keys = json_keys,
    .examples = examples,
    .settings_bytes = sizeof(patterns_settings),
    .run = run,
};
