/* cmd_patterns.c - isinglass patterns: class patterns and sub-patterns of a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/progress.h"

typedef struct patterns_settings {
    data_settings data;
    const char *out;
    isg_pattern_options how;
} patterns_settings;

static void defaults(void *settings) {
    *(patterns_settings *)settings =
        (patterns_settings){.data = data_defaults(), .how = isg_pattern_defaults()};
}

typedef struct pattern_row {
    const char *label; /* NULL if it has none */
    size_t members, positive;
} pattern_row;

typedef struct patterns_result {
    const char *file;
    isg_patterns_info info;
    size_t rank, mu, nu; /* mu and nu have the largest overlap */
    double max_overlap;
    bool is_dependent;
    char dependence[256], checksum[65];
    pattern_row *rows; /* n_patterns */
    result_list patterns, positive, labels, members;
} patterns_result;

static exit_code list_patterns(patterns_result *my, const isg_patterns *patterns) {
    const size_t p = my->info.n_patterns, bytes = sizeof *my->rows;
    my->rows = memory_allocate(p, bytes);
    if (!my->rows)
        return fail_memory();
    for (size_t mu = 0; mu < p; mu++)
        my->rows[mu] =
            (pattern_row){isg_patterns_label(patterns, mu), isg_patterns_members(patterns, mu),
                          isg_patterns_positive(patterns, mu)};
    my->patterns = (result_list){my->rows, p, bytes};
    my->positive = (result_list){&my->rows->positive, p, bytes};
    my->labels = (result_list){&my->rows->label, p, bytes};
    my->members = (result_list){&my->rows->members, p, bytes};
    return EXIT_DONE;
}

static exit_code look(patterns_result *my, const isg_patterns *patterns) {
    my->info = isg_patterns_describe(patterns);
    my->max_overlap = (double)NAN;
    for (size_t mu = 0; mu < my->info.n_patterns; mu++)
        for (size_t nu = 0; nu < mu; nu++) {
            const double overlap = isg_patterns_overlap(patterns, nu, mu);
            if (mu == 1 || overlap > my->max_overlap) {
                my->max_overlap = overlap;
                my->mu = nu;
                my->nu = mu;
            }
        }
    exit_code code = fail_status(isg_patterns_checksum(patterns, my->checksum));
    if (code == EXIT_DONE)
        code = fail_status(
            isg_patterns_rank(patterns, &my->rank, my->dependence, sizeof my->dependence));
    my->is_dependent = my->rank < my->info.n_patterns;
    return code == EXIT_DONE ? list_patterns(my, patterns) : code;
}

static exit_code run(const invocation *call) {
    const patterns_settings *settings = call->settings;
    isg_dataset *data = NULL;
    isg_patterns *patterns = NULL;
    patterns_result my = {.file = settings->out};
    exit_code code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE)
        code = data_load(&data, call, call->arguments[0], &settings->data, NULL);
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, call->common.quiet, "clustering");
        const isg_status status =
            isg_patterns_from_data(&patterns, data, &settings->how, progress_callback(&bar));
        progress_finish(&bar);
        code = status == ISG_ERR_ARGUMENT
                   ? fail(EXIT_BAD_INPUT, "%s: %s%s", call->arguments[0], isg_error_message(),
                          settings->how.per_class > 1 ? "; choose a smaller --per-class" : "")
                   : fail_status(status);
    }
    if (code == EXIT_DONE)
        code = look(&my, patterns);
    if (code == EXIT_DONE)
        code = fail_status(
            isg_patterns_save(patterns, settings->out, call->common.seed, call->command_line));
    if (code == EXIT_DONE)
        result_show(call, &my);
    memory_release(my.rows);
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
    {.name = "per-class", .kind = OPTION_SIZE, .metavar = "K", .low = 1,
     .high = HUGE_VAL, .offset = offsetof(patterns_settings, how.per_class),
     .help = "Patterns per class: 1 is the class mean, more are clusters (Ward linkage)"},
    DATA_OPTIONS(patterns_settings, data),
    {.name = NULL},
};

#define IS(field, what)          RESULT(patterns_result, field, what)
#define LIST(field, items, what) RESULT_LIST_OF(patterns_result, field, items, what)

static const result_entry row_results[] = {
    RESULT(pattern_row, label, NULL), RESULT(pattern_row, members, NULL),
    RESULT(pattern_row, positive, NULL), {.key = NULL}};

static const result_entry results[] = {
    IS(file, "the file written"),
    RESULT_AS(patterns_result, info.n_visible, "n_visible", "number of units"),
    RESULT_AS(patterns_result, info.n_patterns, "n_patterns", "number of patterns"),
    IS(rank, "number of linearly independent patterns"),
    LIST(positive, result_sizes, "number of +1 in each pattern"),
    LIST(labels, result_texts, "class of each pattern, or null"),
    LIST(members, result_sizes, "number of samples behind each pattern"),
    IS(max_overlap, "largest overlap of two patterns, or null if there is only one"),
    RESULT_AS(patterns_result, info.n_ties, "ties", "number of units whose mean was zero, over all patterns"),
    RESULT_CHAR_ARRAY(patterns_result, checksum, "sha256",
                      "SHA-256 of the patterns packed (first unit = highest bit), sorted, concatenated"),
    {.kind = RESULT_LIST, .key = "patterns", .offset = offsetof(patterns_result, patterns),
     .of = row_results, .is_private = true},
    {.kind = RESULT_CHARS, .key = "dependence", .offset = offsetof(patterns_result, dependence),
     .is_private = true},
    RESULT_HIDDEN(patterns_result, is_dependent), RESULT_HIDDEN(patterns_result, mu),
    RESULT_HIDDEN(patterns_result, nu),
    {.label = "patterns", .text = "{n_patterns} of {n_visible unit}"},
    {.when = "!is_dependent", .label = "rank", .text = "{rank}: linearly independent"},
    {.when = "is_dependent", .label = "rank", .text = "{rank}: dependent, {dependence}"},
    {.when = "max_overlap", .label = "largest overlap",
     .text = "{max_overlap:.3f} (patterns {mu} and {nu})"},
    {.label = "ties", .text = "{ties} (units whose mean is zero, set to -1)"},
    {.label = "SHA-256", .text = "{sha256} (of the sorted patterns)"},
    {.each = "patterns", .heading = "  pattern  class                 samples       +1",
     .text = "  {#:-8} {label:-20} {members:8} {positive:8}"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

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
    .summary = "Make class patterns or clustered sub-patterns from data",
    .description =
        "A pattern is the sign of the mean over the samples of a class, unit by unit; a mean "
        "of zero gives -1. With --per-class K, every class is first divided into K clusters by "
        "Ward linkage on Hamming distances, with ties broken as SciPy does, and each cluster "
        "gives a pattern. Patterns are ordered by class, then by the first sample of the "
        "cluster.\n"
        "P.npz contains xi (units x patterns, int8), labels and meta.json; open it with "
        "numpy.load.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(patterns_settings),
    .defaults = defaults,
    .run = run,
};
