/* cmd_score.c - isinglass score: ln Z and the log-likelihood of data, with errors
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/beta_list.h"
#include "cli/data_input.h"
#include "cli/log_z_text.h"
#include "cli/model_input.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "src/base/clock.h"

typedef struct score_settings {
    data_settings data;
    log_z_settings log_z;
    const char *betas, *picture;
    double beta, certificate;
    bool by_class;
} score_settings;

static void defaults(void *settings) {
    *(score_settings *)settings =
        (score_settings){.data = data_defaults(), .log_z.how = isg_log_z_defaults()};
}

typedef struct class_score {
    const char *name;
    size_t samples;
    const isg_likelihood *log_likelihood; /* NULL without samples */
    bool is_shown;
} class_score;

/* One data set and its log-likelihood. */
typedef struct scored {
    const char *name;
    isg_dataset *data;
    size_t imputed;                /* values drawn from the model */
    isg_likelihood all, *by_class; /* by_class is NULL without labels */
    isg_likelihood *at; /* (n_betas) with --betas, and then all and by_class are unused */
    class_score *rows;  /* of `classes` */
    result_list classes;
} scored;

typedef struct beta_score {
    double beta;
    isg_log_z log_z;
    result_list log_likelihood; /* one for every data set */
} beta_score;

typedef struct peak {
    const char *name;
    double beta;
    isg_likelihood log_likelihood;
} peak;

typedef struct scores {
    isg_rbm *rbm;
    isg_rbm_info info;
    const char *model;
    scored *sets; /* n_sets */
    size_t n_sets;
    isg_log_z log_z; /* with --betas, at the best */
    double seconds;
    isg_interval certificate;
    const isg_interval *interval; /* NULL if there is none, and then: */
    const char *no_interval;      /* why, if one was wanted */
    double *beta_list;            /* n_betas, and */
    isg_log_z *at;                /* ln Z there */
    size_t n_betas;

    beta_score *rows; /* n_betas */
    double *values;   /* (n_betas, n_sets) */
    peak *tops;       /* n_sets */
    const isg_likelihood *log_likelihood;
    double data_term;
    result_list data, betas, peaks;
    bool is_curve;
} scores;

/* ---- finding out -------------------------------------------------------------------------------- */

static exit_code load_sets(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    my->n_sets = call->n_arguments - 1;
    my->sets = memory_allocate(my->n_sets, sizeof *my->sets);
    if (!my->sets)
        return fail_memory();
    const size_t n_visible = my->info.n_visible;
    for (size_t k = 0; k < my->n_sets; k++) {
        scored *set = &my->sets[k];
        set->name = call->arguments[k + 1];
        const exit_code code =
            data_load(&set->data, call, set->name, &settings->data,
                      model_encoding(call, call->arguments[0], isg_rbm_encoding(my->rbm)));
        if (code != EXIT_DONE)
            return code;
        const isg_dataset_info info = isg_dataset_describe(set->data);
        if (info.n_visible != n_visible)
            return fail(EXIT_BAD_INPUT, "%s: has %zu unit%s, but %s has %zu visible ones",
                        set->name, info.n_visible, plural(info.n_visible), call->arguments[0],
                        n_visible);
        set->imputed = settings->data.how.missing == ISG_MISSING_IMPUTE ? info.n_missing : 0;
        const exit_code filled = data_impute(&set->data, call, my->rbm, false);
        if (filled != EXIT_DONE)
            return filled;
        if (info.n_classes > 0) {
            set->by_class = memory_allocate(info.n_classes, sizeof *set->by_class);
            if (!set->by_class)
                return fail_memory();
        } else if (settings->by_class) {
            return fail(EXIT_BAD_INPUT, "%s: has no labels, which --by-class needs", set->name);
        }
    }
    return EXIT_DONE;
}

static exit_code score_sets(scores *my) {
    exit_code code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < my->n_sets; k++) {
        scored *set = &my->sets[k];
        if (!my->beta_list) {
            code = fail_status(
                isg_log_likelihood(my->rbm, set->data, &my->log_z, &set->all, set->by_class, NULL));
            continue;
        }
        set->at = memory_allocate(my->n_betas, sizeof *set->at);
        code = !set->at ? fail_memory()
                        : fail_status(isg_log_likelihood_betas(my->rbm, set->data, my->beta_list,
                                                               my->at, my->n_betas, set->at, NULL));
    }
    return code;
}

/* Where exact samples exist; else `no_interval` says why there is none. */
static exit_code find_interval(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    isg_ais_options options = log_z_options(call, &settings->log_z, NULL).ais;
    options.weights = ISG_AIS_SPIN;
    options.move = ISG_AIS_GIBBS;
    options.adaptive = 0;
    if (options.repeats < 20) /* the margin is ln(2 / (1 - confidence)) over this */
        options.repeats = 20;
    progress bar;
    progress_start(&bar, call->common.quiet, "certificate");
    const isg_status status = isg_ais_certificate(my->rbm, &options, settings->certificate,
                                                  &my->certificate, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_OK)
        my->interval = &my->certificate;
    if (status != ISG_ERR_UNSUPPORTED)
        return fail_status(status);
    my->no_interval = "no exact samples of this model are known";
    return EXIT_DONE;
}

static exit_code find_curve(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    exit_code code = beta_list_parse(&my->beta_list, &my->n_betas, settings->betas);
    if (code != EXIT_DONE)
        return code;
    my->at = memory_allocate(my->n_betas, sizeof *my->at);
    if (!my->at)
        return fail_memory();
    const isg_dataset *data = my->n_sets > 0 ? my->sets[0].data : NULL;
    const isg_log_z_options options = log_z_options(call, &settings->log_z, data);
    progress bar;
    progress_start(&bar, call->common.quiet, "ln Z");
    code = fail_status(isg_rbm_log_z_betas(my->rbm, &options, my->beta_list, my->n_betas, my->at,
                                           progress_callback(&bar)));
    progress_finish(&bar);
    return code;
}

/* ---- saying it ---------------------------------------------------------------------------------- */

static exit_code list_classes(scored *set, bool by_class) {
    const size_t n = set->by_class ? isg_dataset_describe(set->data).n_classes : 0;
    set->rows = memory_allocate(n, sizeof *set->rows);
    if (!set->rows)
        return fail_memory();
    for (size_t c = 0; c < n; c++) {
        const isg_likelihood *found = &set->by_class[c];
        set->rows[c] = (class_score){.name = isg_dataset_class_name(set->data, c),
                                     .samples = found->samples,
                                     .log_likelihood = found->samples > 0 ? found : NULL,
                                     .is_shown = by_class && found->samples > 0};
    }
    set->classes = (result_list){set->rows, n, sizeof *set->rows};
    return EXIT_DONE;
}

static exit_code list_sets(scores *my, bool by_class) {
    exit_code code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < my->n_sets; k++)
        code = list_classes(&my->sets[k], by_class);
    my->data = (result_list){my->sets, my->n_sets, sizeof *my->sets};
    return code;
}

static size_t best_beta(const scores *my, const scored *set) {
    size_t best = 0;
    for (size_t k = 1; k < my->n_betas; k++)
        if (set->at[k].value > set->at[best].value)
            best = k;
    return best;
}

static exit_code list_betas(scores *my) {
    const size_t n = my->n_sets;
    my->rows = memory_allocate(my->n_betas, sizeof *my->rows);
    my->values = memory_allocate(my->n_betas * n, sizeof *my->values);
    my->tops = memory_allocate(n, sizeof *my->tops);
    if (!my->rows || !my->values || !my->tops)
        return fail_memory();
    for (size_t k = 0; k < my->n_betas; k++) {
        for (size_t s = 0; s < n; s++)
            my->values[k * n + s] = my->sets[s].at[k].value;
        my->rows[k] =
            (beta_score){my->beta_list[k], my->at[k], {my->values + k * n, n, sizeof *my->values}};
    }
    for (size_t s = 0; s < n; s++) {
        const scored *set = &my->sets[s];
        const size_t best = best_beta(my, set);
        my->tops[s] = (peak){set->name, my->beta_list[best], set->at[best]};
    }
    my->betas = (result_list){my->rows, my->n_betas, sizeof *my->rows};
    my->peaks = (result_list){my->tops, n, sizeof *my->tops};
    return EXIT_DONE;
}

/* With --betas, results for a single beta are those at the best beta of the first data set. */
static exit_code show(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    const scored *first = my->n_sets > 0 ? my->sets : NULL;
    const size_t best = first ? best_beta(my, first) : my->n_betas - 1;
    my->model = call->arguments[0];
    my->is_curve = settings->betas != NULL;
    if (my->is_curve)
        my->log_z = my->at[best];
    my->log_likelihood = !first ? NULL : my->is_curve ? &first->at[best] : &first->all;
    my->data_term = first ? my->log_likelihood->data_term : (double)NAN;
    const exit_code code = my->is_curve ? list_betas(my) : list_sets(my, settings->by_class);
    if (code == EXIT_DONE)
        result_show(call, my);
    return code;
}

/* Columns for a plotting program; anything but numbers follows a #. */
static void print_curve(output *out, const void *results) {
    const scores *my = results;
    output_print(out, "# %8s %14s %10s %10s %10s", "beta", "ln Z", "+-", "ESS", "method");
    for (size_t s = 0; s < my->n_sets; s++)
        output_print(out, " %14s", my->sets[s].name);
    output_print(out, "\n");
    for (size_t k = 0; k < my->n_betas; k++) {
        output_print(out, "%10.5g %14.4f %10.2g", my->beta_list[k], my->at[k].value,
                     my->at[k].error);
        if (my->at[k].method == ISG_LOG_Z_EXACT)
            output_print(out, " %10s", "-");
        else
            output_print(out, " %10.4g", my->at[k].ess);
        output_print(out, " %10s", log_z_method_name(&my->at[k]));
        for (size_t s = 0; s < my->n_sets; s++)
            output_print(out, " %14.3f", my->sets[s].at[k].value);
        output_line(out, "%s%s%s",
                    my->at[k].side == ISG_SIDE_BOUND ? "  # ln Z is at least this" : "",
                    my->at[k].is_trusted ? "" : "  # not trusted: ", my->at[k].reason);
    }
    for (size_t s = 0; s < my->n_sets; s++) {
        const scored *set = &my->sets[s];
        const size_t best = best_beta(my, set);
        output_line(out, "# %s: best beta %.5g, L %.3f +- %.2g%s", set->name, my->beta_list[best],
                    set->at[best].value, set->at[best].error,
                    best == 0 || best == my->n_betas - 1 ? ", at the end of the range" : "");
    }
}

/* L of every data set against beta, or ln Z without data. */
static exit_code draw_curves(const scores *my, const char *path) {
    const size_t n = my->n_betas, n_curves = my->n_sets > 0 ? my->n_sets : 1;
    plot_curve *curves = memory_allocate(n_curves, sizeof *curves);
    double *y = memory_allocate(n_curves * n, sizeof *y),
           *error = memory_allocate(n, sizeof *error);
    exit_code code = curves && y && error ? EXIT_DONE : fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < n; k++) {
        error[k] = isfinite(my->at[k].error) ? my->at[k].error : 0;
        for (size_t s = 0; s < n_curves; s++)
            y[s * n + k] = my->n_sets > 0 ? my->sets[s].at[k].value : my->at[k].value;
    }
    for (size_t s = 0; code == EXIT_DONE && s < n_curves; s++)
        curves[s] = (plot_curve){.name = my->n_sets > 0 ? my->sets[s].name : "ln Z",
                                 .x = my->beta_list,
                                 .y = y + s * n,
                                 .error = error,
                                 .count = n};
    const plot_axes axes = {.title = my->n_sets > 0 ? "Log-likelihood against temperature"
                                                    : "ln Z against temperature",
                            .x_label = "beta",
                            .y_label = my->n_sets > 0 ? "mean of ln p" : "ln Z",
                            .x_low = (double)NAN,
                            .x_high = (double)NAN,
                            .y_low = (double)NAN,
                            .y_high = (double)NAN};
    if (code == EXIT_DONE)
        code = plot_curves(path, &axes, curves, n_curves);
    memory_release(curves);
    memory_release(y);
    memory_release(error);
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static exit_code find_all(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    exit_code code = model_load(&my->rbm, call->arguments[0]);
    if (code == EXIT_DONE && call_has_option(call, "beta"))
        code = fail_status(isg_rbm_set_beta(my->rbm, settings->beta));
    if (code == EXIT_DONE)
        my->info = isg_rbm_describe(my->rbm);
    if (code == EXIT_DONE)
        code = load_sets(my, call);
    const double start = isg_clock_s();
    if (code == EXIT_DONE && settings->betas)
        code = find_curve(my, call);
    else if (code == EXIT_DONE)
        code = log_z_find(call, &settings->log_z, my->rbm, my->n_sets > 0 ? my->sets[0].data : NULL,
                          &my->log_z);
    if (code == EXIT_DONE && settings->certificate > 0)
        code = find_interval(my, call);
    my->seconds = isg_clock_s() - start;
    return code == EXIT_DONE ? score_sets(my) : code;
}

static void release(scores *my) {
    for (size_t k = 0; my->sets && k < my->n_sets; k++) {
        isg_dataset_free(my->sets[k].data);
        memory_release(my->sets[k].by_class);
        memory_release(my->sets[k].at);
        memory_release(my->sets[k].rows);
    }
    memory_release(my->sets);
    memory_release(my->beta_list);
    memory_release(my->at);
    memory_release(my->rows);
    memory_release(my->values);
    memory_release(my->tops);
    isg_rbm_free(my->rbm);
}

static exit_code check_options(const invocation *call) {
    const score_settings *settings = call->settings;
    if (settings->betas && settings->certificate > 0)
        return fail(EXIT_MISUSED, "--certificate is for one beta, not for --betas");
    if (settings->betas && settings->log_z.target > 0)
        return fail(EXIT_MISUSED, "--adaptive is for one beta, not for --betas");
    if (settings->betas && call_has_option(call, "beta"))
        return fail(EXIT_MISUSED, "--beta and --betas: give only one of them");
    if (settings->betas && settings->by_class)
        return fail(EXIT_MISUSED, "--by-class is for one beta, not for --betas");
    if (call->n_arguments == 1 && settings->by_class)
        return fail(EXIT_MISUSED, "--by-class: needs DATA");
    if (settings->betas && settings->data.how.missing == ISG_MISSING_IMPUTE)
        return fail(EXIT_MISUSED,
                    "--betas: --missing impute draws at one temperature; give --beta");
    if (settings->picture && !settings->betas)
        return fail(EXIT_MISUSED, "--picture: needs --betas, whose curve it draws");
    exit_code code = log_z_check(call, &settings->log_z);
    if (code == EXIT_DONE && call->n_arguments == 1)
        code = data_refuse_options(call, "DATA");
    return code == EXIT_DONE && settings->picture ? plot_may_write(&call->common, settings->picture)
                                                  : code;
}

static exit_code run(const invocation *call) {
    const score_settings *settings = call->settings;
    scores my = {0};
    exit_code code = check_options(call);
    if (code == EXIT_DONE)
        code = find_all(&my, call);
    if (code == EXIT_DONE && settings->picture)
        code = draw_curves(&my, settings->picture);
    if (code == EXIT_DONE)
        code = show(&my, call);
    release(&my);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "RBM written by 'isinglass map' or 'isinglass train', or the RUN of "
                              "a training",
     .is_file = true},
    {.name = "DATA", .help = "Data to score; several share one ln Z. " DATA_HELP,
     .choices = data_names, .is_open = true, .is_file = true, .is_optional = true,
     .is_repeated = true},
    {.name = NULL},
};

static const option_entry options[] = {
    LOG_Z_OPTIONS(score_settings, log_z),
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30, .high = 1e30,
     .offset = offsetof(score_settings, beta), .otherwise = "the model's",
     .help = "Inverse temperature"},
    {.name = "betas", .kind = OPTION_TEXT, .metavar = BETA_LIST_METAVAR,
     .offset = offsetof(score_settings, betas), .otherwise = "the model's alone",
     .help = "Score at n values of beta from A to B, or at B1,B2,..., and show the best; "
             "one population passes all of them, and so does one annealing"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(score_settings, picture), .otherwise = "no picture",
     .help = "Draw the curve of --betas (with gnuplot)"},
    {.name = "certificate", .kind = OPTION_DOUBLE, .metavar = "P", .low = 0, .high = 0.999999,
     .is_above_low = true, .offset = offsetof(score_settings, certificate), .otherwise = "none",
     .help = "Also compute an interval that contains ln Z with probability P or more, by "
             "annealing there and back; possible where exact samples exist"},
    {.name = "by-class", .kind = OPTION_FLAG, .offset = offsetof(score_settings, by_class),
     .help = "Also score every class"},
    DATA_OPTIONS(score_settings, data),
    {.name = NULL},
};

#define SET(field, name, what) RESULT_AS(scored, field, name, what)

static const result_entry likelihood_results[] = {
    RESULT(isg_likelihood, value, NULL),
    RESULT(isg_likelihood, error, NULL),
    {.key = NULL},
};

static const result_entry first_results[] = {
    RESULT(isg_likelihood, value, "mean of ln p over the first DATA"),
    RESULT(isg_likelihood, error, "its error, that of ln Z"),
    {.key = NULL},
};

static const result_entry class_results[] = {
    RESULT_AS(class_score, name, "class", "a class"),
    RESULT(class_score, samples, "its samples"),
    RESULT_POINTER(class_score, log_likelihood, likelihood_results, "as above, or null without samples"),
    RESULT_HIDDEN(class_score, is_shown),
    {.when = "is_shown", .text = "  class {class:-14} {samples:8} {log_likelihood.value:12.3f}"},
    {.key = NULL}};

static const result_entry set_results[] = {
    SET(name, "name", "DATA"),
    SET(all.samples, "samples", "number of samples"),
    {.kind = RESULT_OBJECT, .key = "log_likelihood", .help = "as above", .of = likelihood_results,
     .offset = offsetof(scored, all)},
    SET(all.data_term, "data_term", "as above"),
    SET(imputed, "imputed", "missing values drawn from the model, with --missing impute"),
    SET(all.deviation, "deviation", "standard deviation of ln p over the samples"),
    RESULT_LIST_OF(scored, classes, class_results, NULL),
    {.kind = RESULT_FLAG, .key = "is_trusted", .offset = offsetof(scored, all.is_trusted), .is_private = true},
    {.text = "{name:-22} {samples:8} {log_likelihood.value:12.3f} {log_likelihood.error:10.2g} "
             "{data_term:12.3f}{is_trusted:|  beware}"},
    {.when = "imputed", .text = "  {imputed} missing values drawn from the model"},
    {.each = "classes"},
    {.key = NULL}};

static const result_entry interval_results[] = {
    RESULT(isg_interval, low, NULL), RESULT(isg_interval, high, NULL),
    RESULT(isg_interval, confidence, NULL), RESULT(isg_interval, batches, NULL), {.key = NULL}};

static const result_entry beta_results[] = {
    RESULT(beta_score, beta, "a beta"),
    {.kind = RESULT_OBJECT, .key = "log_z", .help = "as above", .of = log_z_results,
     .offset = offsetof(beta_score, log_z), .is_known = true},
    RESULT_LIST_OF(beta_score, log_likelihood, result_numbers, "one for every DATA"),
    {.key = NULL}};

static const result_entry peak_results[] = {
    RESULT(peak, name, "DATA"),
    RESULT(peak, beta, "its best beta"),
    RESULT_STRUCT(peak, log_likelihood, likelihood_results, "L at that beta"),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_POINTER(scores, log_likelihood, first_results, "null without DATA"),
    RESULT(scores, data_term, "mean of -beta H over the first DATA"),
    RESULT_STRUCT(scores, log_z, log_z_results, NULL),
    RESULT_LIST_IF(scores, data, "!is_curve", set_results, NULL),
    {.kind = RESULT_OBJECT_AT, .key = "interval", .offset = offsetof(scores, interval),
     .of = interval_results, .when = "!is_curve", .help = "the certificate, or null"},
    RESULT_LIST_IF(scores, betas, "is_curve", beta_results,
                   "with --betas, replaces data and interval; the keys above are then at the best "
                   "beta of the first DATA, or at the last beta without DATA"),
    RESULT_LIST_IF(scores, peaks, "is_curve", peak_results, "with --betas"),
    RESULT(scores, seconds, "time for ln Z and the certificate"),
    RESULT_HIDDEN(scores, is_curve), RESULT_HIDDEN(scores, model), RESULT_HIDDEN(scores, no_interval),
    RESULT_HIDDEN_AS(scores, info.n_visible, "n_visible"), RESULT_HIDDEN_AS(scores, info.beta, "beta"),
    RESULT_HIDDEN_AS(scores, info.n_hidden, "n_hidden"),
    {.when = "!is_curve", .label = "model",
     .text = "{model}: {n_visible} visible, {n_hidden hidden unit}, beta {beta}"},
    {.when = "!is_curve", .each = "log_z"},
    {.when = "interval", .label = "certificate",
     .text = "{interval.low:.4f} to {interval.high:.4f} contains ln Z with probability "
             "{interval.confidence} or more"},
    {.when = "no_interval", .label = "certificate", .text = "none: {no_interval}"},
    {.when = "!is_curve", .label = "time", .text = "{seconds:.2f} s"},
    {.each = "data", .heading = "\ndata                    samples            L         +-      -beta H"},
    {.when = "is_curve", .print = print_curve},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass score model.npz mnist:train mnist:test", "How well a model describes the digits."},
    {"isinglass score model.npz mnist:test --method ais --steps 10000 --repeats 5",
     "Use annealing, and show the spread of five repeats."},
    {"isinglass score model.npz mnist:train --betas 0.5:10:20 --picture curve.png",
     "Find the best temperature (Fig. 2)."},
    {"isinglass score model.npz", "Compute ln Z alone."},
    {NULL, NULL},
};
/* clang-format on */

const command command_score = {
    .name = "score",
    .section = "Models",
    .summary = "Compute ln Z and the log-likelihood of data, with errors",
    .description =
        "Computes ln Z of an RBM and, for each DATA, the log-likelihood L: the mean of ln p(s) "
        "= -beta H(s) - ln Z over the samples. The energy term is exact, so the error of L is "
        "the error of ln Z.\n"
        "exact enumerates all states, sums over groups of identical units, or integrates over "
        "up to 3 hidden units. wells divides the states: those near deep states are weighed by "
        "chains that are confined there, all others by population annealing or, if they have few "
        "minima, by draws that a small population confirms. It says how much of Z each part holds "
        "and, if it cannot be trusted, why. population cools many copies of the whole system "
        "together. mixture is importance sampling of the hidden units from Gaussians around "
        "minima of the free energy. ais is annealed importance sampling from free spins to the "
        "model: on average it gives too low a ln Z and too high an L, by more than the error "
        "shown if it never meets the deepest states. So does population, for the same reason.\n"
        "auto is exact if that is quick, else wells, else ais. No ln Z is reported below the "
        "bound of known states, the ln of their sum of exp(-beta H); where the two agree within "
        "the error, ln Z is 'at least' this. 'isinglass states' lists these states.\n"
        "A population takes N / 8 + 4 p + 40 bytes for each of its particles, for N visible and "
        "p hidden units.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(score_settings),
    .defaults = defaults,
    .run = run,
    .is_divided = true,
};
