/* cmd_transform.c - isinglass transform: hidden units and energies of data as files
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/log_z_text.h"
#include "cli/model_input.h"
#include "cli/progress.h"
#include "cli/sample_table.h"
#include "cli/typed_number.h"

typedef struct transform_settings {
    data_settings data;
    log_z_settings how;
    const char *out, *energies, *log_z;
} transform_settings;

static void defaults(void *settings) {
    *(transform_settings *)settings =
        (transform_settings){.data = data_defaults(), .how.how = isg_log_z_defaults()};
}

typedef struct hidden_unit {
    const char *name; /* of the pattern it belongs to, or NULL */
    double mean, deviation, smallest, largest;
} hidden_unit;

typedef struct transform_result {
    isg_rbm *rbm;
    isg_dataset *data;
    isg_rbm_info info;
    const char *model, *file, *energies;
    size_t n_samples;
    double *h, *table; /* (n_samples, n_hidden), and (n_samples, 2): energy, ln p */
    const char **names;
    hidden_unit *units; /* n_hidden */
    result_list hidden;
    double mean_energy, mean_log_p, given_log_z;
    isg_log_z found;
    const isg_log_z *log_z; /* NULL if it was not computed */
    bool is_short;
} transform_result;

enum { MOST_LINES = 30 };

/* ---- finding out -------------------------------------------------------------------------------- */

static exit_code parse_log_z(const transform_settings *settings, double *value) {
    *value = (double)NAN;
    if (!settings->log_z || strcmp(settings->log_z, "auto") == 0)
        return EXIT_DONE;
    return number_double(settings->log_z, value) && isfinite(*value)
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--log-z: expected a number or auto, found '%s'",
                      settings->log_z);
}

static exit_code check(const invocation *call, const transform_settings *settings) {
    const char *of_log_z = log_z_option_given(call);
    const common_settings *common = &call->common;
    exit_code code = log_z_check(call, &settings->how);
    if (!settings->out && !settings->energies)
        return fail(EXIT_MISUSED, "expected -o for the hidden units, or --energies");
    if (settings->log_z && !settings->energies)
        return fail(EXIT_MISUSED, "--log-z: needs --energies");
    if (of_log_z && (!settings->log_z || strcmp(settings->log_z, "auto") != 0))
        return fail(EXIT_MISUSED, "--%s: needs --log-z auto", of_log_z);
    if (code == EXIT_DONE && settings->out)
        code = sample_table_may_write(common, settings->out);
    if (code == EXIT_DONE && settings->energies)
        code = sample_table_may_write(common, settings->energies);
    return code;
}

static exit_code load(transform_result *my, const invocation *call) {
    const transform_settings *settings = call->settings;
    exit_code code = model_load(&my->rbm, call->arguments[0]);
    if (code != EXIT_DONE)
        return code;
    my->info = isg_rbm_describe(my->rbm);
    data_settings how = settings->data;
    how.how.keep_unlabelled = true;
    code = data_load(&my->data, call, call->arguments[1], &how,
                     model_encoding(call, call->arguments[0], isg_rbm_encoding(my->rbm)));
    if (code != EXIT_DONE)
        return code;
    const isg_dataset_info info = isg_dataset_describe(my->data);
    my->n_samples = info.n_samples;
    return info.n_visible == my->info.n_visible
               ? data_impute(&my->data, call, my->rbm, false)
               : fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu visible ones",
                      call->arguments[1], info.n_visible, plural(info.n_visible),
                      call->arguments[0], my->info.n_visible);
}

static exit_code transform(transform_result *my, const invocation *call) {
    const size_t p = my->info.n_hidden;
    double *energies = memory_allocate(my->n_samples, sizeof *energies);
    my->h = memory_allocate(my->n_samples, p * sizeof *my->h);
    my->table = memory_allocate(my->n_samples, 2 * sizeof *my->table);
    exit_code code = energies && my->h && my->table ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, call->common.quiet, "transforming");
        code =
            fail_status(isg_rbm_transform(my->rbm, my->data, (isg_matd){my->h, my->n_samples, p, p},
                                          energies, progress_callback(&bar)));
        progress_finish(&bar);
    }
    for (size_t a = 0; code == EXIT_DONE && a < my->n_samples; a++) {
        my->table[2 * a] = energies[a];
        my->mean_energy += energies[a] / (double)my->n_samples;
    }
    memory_release(energies);
    return code;
}

static exit_code find_log_p(transform_result *my, const invocation *call) {
    const transform_settings *settings = call->settings;
    exit_code code = EXIT_DONE;
    double log_z = my->given_log_z;
    if (settings->log_z && isnan(log_z)) {
        code = log_z_find(call, &settings->how, my->rbm, my->data, &my->found);
        my->log_z = &my->found;
        log_z = my->found.value;
    }
    for (size_t a = 0; a < my->n_samples; a++)
        my->table[2 * a + 1] = -my->info.beta * my->table[2 * a] - log_z;
    my->mean_log_p = -my->info.beta * my->mean_energy - log_z;
    return code;
}

static exit_code describe_hidden(transform_result *my) {
    const size_t p = my->info.n_hidden, m = my->n_samples;
    const isg_patterns *patterns = isg_rbm_patterns(my->rbm);
    const bool has_names = patterns && isg_patterns_describe(patterns).n_patterns == p;
    my->units = memory_allocate(p, sizeof *my->units);
    my->names = memory_allocate(p, sizeof *my->names);
    if (!my->units || !my->names)
        return fail_memory();
    for (size_t mu = 0; mu < p; mu++) {
        hidden_unit one = {.smallest = HUGE_VAL, .largest = -HUGE_VAL};
        double squares = 0;
        one.name = my->names[mu] = has_names ? isg_patterns_label(patterns, mu) : NULL;
        for (size_t a = 0; a < m; a++) {
            const double h = my->h[a * p + mu];
            one.mean += h / (double)m;
            one.smallest = fmin(one.smallest, h);
            one.largest = fmax(one.largest, h);
        }
        for (size_t a = 0; a < m; a++)
            squares += (my->h[a * p + mu] - one.mean) * (my->h[a * p + mu] - one.mean);
        one.deviation = m > 1 ? sqrt(squares / (double)(m - 1)) : (double)NAN;
        my->units[mu] = one;
    }
    my->hidden = (result_list){my->units, p, sizeof *my->units};
    my->is_short = p <= MOST_LINES;
    return EXIT_DONE;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Several patterns may have one label, and columns need a name of their own. */
static exit_code write_hidden(const transform_result *my, const invocation *call) {
    const size_t p = my->info.n_hidden;
    char **columns = memory_allocate(p, sizeof *columns);
    bool is_lacking = !columns;
    for (size_t mu = 0; !is_lacking && mu < p; mu++) {
        columns[mu] =
            my->names[mu] ? memory_format("%zu_%s", mu, my->names[mu]) : memory_format("%zu", mu);
        is_lacking = !columns[mu];
    }
    const sample_table table = {.data = my->data,
                                .values = {my->h, my->n_samples, p, p},
                                .columns = (const char *const *)columns,
                                .prefix = "h_",
                                .digits = 12,
                                .array = "H"};
    const exit_code code = is_lacking ? fail_memory() : sample_table_write(call, my->file, &table);
    for (size_t mu = 0; columns && mu < p; mu++)
        memory_release(columns[mu]);
    memory_release(columns);
    return code;
}

static exit_code write_energies(const transform_result *my, const invocation *call) {
    static const char *const columns[] = {"energy", "log_p"};
    const sample_table table = {.data = my->data,
                                .values = {my->table, my->n_samples, 2, 2},
                                .columns = columns,
                                .prefix = "",
                                .digits = 12,
                                .array = "E"};
    return sample_table_write(call, my->energies, &table);
}

static exit_code run(const invocation *call) {
    const transform_settings *settings = call->settings;
    transform_result my = {
        .model = call->arguments[0], .file = settings->out, .energies = settings->energies};
    exit_code code = parse_log_z(settings, &my.given_log_z);
    if (code == EXIT_DONE)
        code = check(call, settings);
    if (code == EXIT_DONE)
        code = load(&my, call);
    if (code == EXIT_DONE)
        code = transform(&my, call);
    if (code == EXIT_DONE)
        code = find_log_p(&my, call);
    if (code == EXIT_DONE)
        code = describe_hidden(&my);
    if (code == EXIT_DONE && my.file)
        code = write_hidden(&my, call);
    if (code == EXIT_DONE && my.energies)
        code = write_energies(&my, call);
    if (code == EXIT_DONE)
        result_show(call, &my);
    memory_release(my.h);
    memory_release(my.table);
    memory_release(my.names);
    memory_release(my.units);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', or the RUN of "
                              "a training",
     .is_file = true},
    {.name = "DATA", .help = "Data to transform. " DATA_HELP, .choices = data_names, .is_open = true,
     .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = TABLE_METAVAR,
     .offset = offsetof(transform_settings, out), .otherwise = "no file",
     .help = "Write the hidden units of every sample"},
    {.name = "energies", .kind = OPTION_FILE, .metavar = TABLE_METAVAR,
     .offset = offsetof(transform_settings, energies), .otherwise = "no file",
     .help = "Write the energy H(s) of every sample and, if ln Z is known, ln p(s)"},
    {.name = "log-z", .kind = OPTION_TEXT, .metavar = "VALUE|auto",
     .offset = offsetof(transform_settings, log_z), .otherwise = "unknown",
     .help = "ln Z of the model, as 'isinglass score' prints it, or auto to compute it as 'score' "
             "does"},
    LOG_Z_OPTIONS(transform_settings, how),
    DATA_OPTIONS(transform_settings, data),
    {.name = NULL},
};

#define IS(field, what)   RESULT(transform_result, field, what)
#define INFO(field, what) RESULT_AS(transform_result, info.field, #field, what)

static const result_entry unit_results[] = {
    RESULT(hidden_unit, name, "label of the pattern of the same number, or null"),
    RESULT(hidden_unit, mean, "mean of h over the samples"),
    RESULT(hidden_unit, deviation, "its standard deviation"),
    RESULT(hidden_unit, smallest, "smallest"),
    RESULT(hidden_unit, largest, "largest"),
    {.key = NULL}};

static const result_entry results[] = {
    IS(file, "the hidden units, or null"),
    IS(energies, "the energies, or null"),
    IS(n_samples, "number of samples"),
    INFO(n_visible, "number of visible units"),
    INFO(n_hidden, "number of hidden units"),
    INFO(beta, "inverse temperature"),
    IS(mean_energy, "mean of H over the samples"),
    IS(mean_log_p, "mean of ln p, the log-likelihood; null if ln Z is unknown"),
    RESULT_POINTER(transform_result, log_z, log_z_results, "with --log-z auto, or null"),
    RESULT_LIST_OF(transform_result, hidden, unit_results, NULL),
    RESULT_HIDDEN(transform_result, model), RESULT_HIDDEN(transform_result, is_short),
    {.label = "model", .text = "{model}: {n_visible} visible, {n_hidden hidden unit}, beta {beta}"},
    {.label = "samples", .text = "{n_samples}"},
    {.label = "mean energy", .text = "{mean_energy:.6g}"},
    {.each = "log_z"},
    {.when = "mean_log_p", .label = "mean of ln p", .text = "{mean_log_p:.4f}"},
    {.when = "is_short", .each = "hidden",
     .heading = "  hidden  pattern                    mean  deviation   smallest    largest",
     .text = "  {#:-6}  {name:-20.20} {mean:10.4f} {deviation:10.4f?} {smallest:10.4f} {largest:10.4f}"},
    {.when = "energies", .label = "energies", .text = "{energies}"},
    {.when = "file", .label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass transform model.npz mnist:test -o hidden.npz",
     "Features for another program: numpy.load(\"hidden.npz\")[\"H\"]."},
    {"isinglass transform RUN cells.csv --energies energies.csv --log-z auto",
     "How unlikely each sample is under the model."},
    {NULL, NULL},
};
/* clang-format on */

const command command_transform = {
    .name = "transform",
    .section = "Models",
    .summary = "Write the hidden units and energies of data",
    .description =
        "Computes h = W's + c, the mean of the hidden units given the spins s of a sample, and the "
        "energy H(s) = -b.s - |h|^2 / 2 + |c|^2 / 2. With ln Z, also ln p(s) = -beta H(s) - ln Z.\n"
        "A .csv has the columns " SAMPLE_COLUMNS
        ", then h_0, h_1, ..., followed by the label of the pattern of that number if the model "
        "has as many patterns, or energy and log_p. " TABLE_ARRAYS
        " H (samples x hidden units), or E (samples x 2: energy, ln p).",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(transform_settings),
    .defaults = defaults,
    .run = run,
};
