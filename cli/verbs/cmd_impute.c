/* cmd_impute.c - isinglass impute: data without missing values, as a file
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/model_input.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "src/base/bits.h"

typedef struct impute_settings {
    data_settings data;
    const char *out, *probabilities;
    isg_impute_options how;
    bool draw;
} impute_settings;

static void defaults(void *settings) {
    impute_settings *my = settings;
    *my = (impute_settings){.data = data_defaults(), .how = isg_impute_defaults()};
    my->data.how.missing = ISG_MISSING_IMPUTE;
    my->data.how.keep_unlabelled = true;
}

typedef struct impute_result {
    isg_rbm *rbm;
    isg_dataset *data, *drawn; /* the latter with --draw */
    const char *model, *data_name, *file, *probabilities;
    size_t n_samples, n_visible, n_missing, n_missing_samples;
    size_t differ; /* of the missing, from the majority */
    double certainty;
    double *table; /* (n_samples, n_visible): p(+1), then values */
    const char **names;
} impute_result;

static exit_code load(impute_result *my, const invocation *call) {
    const impute_settings *settings = call->settings;
    if (settings->data.how.missing != ISG_MISSING_IMPUTE)
        return fail(EXIT_MISUSED,
                    "--missing: this verb fills in values from the model; leave it out");
    exit_code code = sample_table_may_write(&call->common, my->file);
    if (code == EXIT_DONE && my->probabilities)
        code = sample_table_may_write(&call->common, my->probabilities);
    if (code == EXIT_DONE)
        code = model_load(&my->rbm, my->model);
    if (code == EXIT_DONE)
        code = data_load(&my->data, call, my->data_name, &settings->data,
                         model_encoding(call, call->arguments[0], isg_rbm_encoding(my->rbm)));
    if (code != EXIT_DONE)
        return code;
    const isg_dataset_info info = isg_dataset_describe(my->data);
    const size_t expected = isg_rbm_describe(my->rbm).n_visible;
    my->n_samples = info.n_samples;
    my->n_visible = info.n_visible;
    my->n_missing = info.n_missing;
    my->n_missing_samples = info.n_missing_samples;
    return info.n_visible == expected
               ? EXIT_DONE
               : fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu visible ones",
                      my->data_name, info.n_visible, plural(info.n_visible), my->model, expected);
}

static exit_code fill(impute_result *my, const invocation *call) {
    const impute_settings *settings = call->settings;
    isg_impute_options options = settings->how;
    my->table = memory_allocate(my->n_samples, my->n_visible * sizeof *my->table);
    my->names = memory_allocate(my->n_visible, sizeof *my->names);
    if (!my->table || !my->names)
        return fail_memory();
    const isg_matd p = {my->table, my->n_samples, my->n_visible, my->n_visible};
    options.seed = call->common.seed;
    progress bar;
    progress_start(&bar, call->common.quiet, "imputing");
    isg_status status =
        isg_impute_probabilities(p, my->data, my->rbm, &options, progress_callback(&bar));
    if (status == ISG_OK && settings->draw)
        status = isg_dataset_impute(&my->drawn, my->data, my->rbm, &options, NULL);
    progress_finish(&bar);
    return fail_status(status);
}

/* The spin filled in, from the table while that has the probabilities. */
static bool is_up(const impute_result *my, size_t a, size_t i) {
    return my->drawn ? isg_bit(isg_dataset_row(my->drawn, a), i)
                     : my->table[a * my->n_visible + i] > 0.5;
}

static void look(impute_result *my) {
    double sum = 0;
    for (size_t a = 0; a < my->n_samples; a++) {
        const uint64_t *missing = isg_dataset_missing(my->data, a);
        for (size_t i = 0; missing && i < my->n_visible; i++) {
            if (!isg_bit(missing, i))
                continue;
            const double p = my->table[a * my->n_visible + i];
            sum += fmax(p, 1 - p);
            my->differ += is_up(my, a, i) != isg_bit(isg_dataset_row(my->data, a), i);
        }
    }
    my->certainty = my->n_missing ? sum / (double)my->n_missing : (double)NAN;
}

/* Values on the right side of the threshold, so that reading the file gives the same spins. */
static void set_values(impute_result *my) {
    const isg_encoding *encoding = isg_dataset_encoding(my->data);
    for (size_t a = 0; a < my->n_samples; a++)
        for (size_t i = 0; i < my->n_visible; i++) {
            const double low = encoding ? isg_encoding_threshold(encoding, i) : 0;
            const double high = fmax(low + 1, nextafter(low, HUGE_VAL)); /* 1 may be too little */
            my->table[a * my->n_visible + i] = is_up(my, a, i) ? high : low;
        }
}

static exit_code write_table(const impute_result *my, const invocation *call, const char *path,
                             bool is_data) {
    const sample_table table = {.data = my->data,
                                .values = {my->table, my->n_samples, my->n_visible, my->n_visible},
                                .columns = my->names[0] ? my->names : NULL,
                                .prefix = is_data ? "" : "p_",
                                .digits = is_data ? 17 : -4,
                                .array = is_data ? "X" : "P"};
    return sample_table_write(call, path, &table);
}

static exit_code run(const invocation *call) {
    const impute_settings *settings = call->settings;
    impute_result my = {.model = call->arguments[0],
                        .data_name = call->arguments[1],
                        .file = settings->out,
                        .probabilities = settings->probabilities};
    exit_code code = load(&my, call);
    if (code == EXIT_DONE)
        code = fill(&my, call);
    for (size_t i = 0; code == EXIT_DONE && i < my.n_visible; i++)
        my.names[i] = isg_encoding_unit_name(isg_dataset_encoding(my.data), i);
    if (code == EXIT_DONE)
        look(&my);
    if (code == EXIT_DONE && my.probabilities)
        code = write_table(&my, call, my.probabilities, false);
    if (code == EXIT_DONE) {
        set_values(&my);
        code = write_table(&my, call, my.file, true);
    }
    if (code == EXIT_DONE)
        result_show(call, &my);
    memory_release(my.table);
    memory_release(my.names);
    isg_dataset_free(my.data);
    isg_dataset_free(my.drawn);
    isg_rbm_free(my.rbm);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', or the RUN of "
                              "a training",
     .is_file = true},
    {.name = "DATA", .help = "Data with missing values. " DATA_HELP, .choices = data_names,
     .is_open = true, .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = TABLE_METAVAR,
     .offset = offsetof(impute_settings, out), .is_required = true,
     .help = "Write the completed data"},
    {.name = "probabilities", .kind = OPTION_FILE, .metavar = TABLE_METAVAR,
     .offset = offsetof(impute_settings, probabilities), .otherwise = "no file",
     .help = "Write the probability of +1 of every value, given those of its sample that are known, "
             "for which it is 1 or 0"},
    {.name = "draw", .kind = OPTION_FLAG, .offset = offsetof(impute_settings, draw),
     .help = "Draw the missing values of a sample together, instead of taking the more probable "
             "of each: less often right, but with their variance and correlations"},
    {.name = "sweeps", .kind = OPTION_SIZE, .metavar = "T", .low = 1, .high = 1e9,
     .offset = offsetof(impute_settings, how.sweeps),
     .help = "Gibbs sweeps from the majority, with the known values clamped, before values are "
             "drawn or probabilities averaged"},
    {.name = "average", .kind = OPTION_SIZE, .metavar = "T", .low = 1, .high = 1e9,
     .offset = offsetof(impute_settings, how.measured),
     .help = "Sweeps over which probabilities are averaged"},
    DATA_OPTIONS(impute_settings, data),
    {.name = NULL},
};

#define IS(field, what) RESULT(impute_result, field, what)

static const result_entry results[] = {
    IS(file, "the completed data"),
    IS(probabilities, "the probabilities, or null"),
    IS(n_samples, "number of samples"),
    IS(n_visible, "number of units"),
    IS(n_missing, "values that were missing"),
    IS(n_missing_samples, "samples in which some were"),
    IS(differ, "values filled in that are not the majority of their unit"),
    IS(certainty, "mean probability of the more probable value, or null if none was missing"),
    RESULT_HIDDEN(impute_result, model), RESULT_HIDDEN(impute_result, data_name),
    {.label = "model", .text = "{model}"},
    {.label = "data", .text = "{data_name}: {n_samples sample} of {n_visible unit}"},
    {.label = "missing", .text = "{n_missing value} in {n_missing_samples sample}"},
    {.when = "certainty", .label = "filled in",
     .text = "{differ} against the majority; mean probability {certainty:.3f}"},
    {.when = "probabilities", .label = "probabilities", .text = "{probabilities}"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass impute RUN votes -o complete.csv --probabilities sure.csv",
     "How absent members would have voted, and how sure the model is."},
    {NULL, NULL},
};
/* clang-format on */

const command command_impute = {
    .name = "impute",
    .section = "Models",
    .summary = "Fill in missing values of data from a model",
    .description =
        "Completes data: the known values of a sample are clamped, and the missing ones follow the "
        "law of the model given these, by Gibbs sampling. Each becomes the value that is more "
        "probable than its opposite.\n"
        "Other verbs do the same to data given with --missing impute: score, sample, transform, "
        "train and unmap draw the missing values, so that L is that of samples completed by one "
        "draw; recall takes the more probable ones, and classify lets every expert take those that "
        "it holds more probable.\n"
        "Values are written as the threshold of their unit, for -1, and that plus one, for +1: 0 "
        "and 1 unless the model has another --binarize. A .csv has the columns " SAMPLE_COLUMNS
        ", then one for every unit. An .npz has X, units, ids and y, as DATA may have them, or P, "
        "the "
        "probabilities, and columns.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(impute_settings),
    .defaults = defaults,
    .run = run,
};
