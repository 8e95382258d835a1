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
#include "cli/stopwatch.h"

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

/* One data set and its side of the log-likelihood. */
typedef struct scored {
    const char *name;
    isg_dataset *data;
    isg_data_term all, *by_class; /* by_class is NULL without labels */
} scored;

typedef struct scores {
    isg_rbm *rbm;
    scored *sets; /* n_sets */
    size_t n_sets;
    isg_log_z log_z;
    double seconds;
    isg_interval interval; /* if has_interval */
    bool has_interval;
    const char *no_interval; /* why there is none */
    double *betas;           /* n_betas, and */
    isg_log_z *at;           /* ln Z there */
    size_t n_betas;
    double beta; /* of the data terms */
} scores;

/* ---- finding out -------------------------------------------------------------------------------- */

static exit_code load_sets(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    my->n_sets = call->n_arguments - 1;
    my->sets = memory_allocate(my->n_sets, sizeof *my->sets);
    if (!my->sets)
        return fail_memory();
    const size_t n_visible = isg_rbm_describe(my->rbm).n_visible;
    for (size_t k = 0; k < my->n_sets; k++) {
        scored *set = &my->sets[k];
        set->name = call->arguments[k + 1];
        const exit_code code = data_load(&set->data, call, set->name, &settings->data);
        if (code != EXIT_DONE)
            return code;
        const isg_dataset_info info = isg_dataset_describe(set->data);
        if (info.n_visible != n_visible)
            return fail(EXIT_BAD_INPUT, "%s: has %zu units, but %s has %zu visible ones", set->name,
                        info.n_visible, call->arguments[0], n_visible);
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
    for (size_t k = 0; k < my->n_sets; k++) {
        scored *set = &my->sets[k];
        const exit_code code =
            fail_status(isg_rbm_data_term(my->rbm, set->data, &set->all, set->by_class));
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

/* Where exact samples exist; else `no_interval` says why there is none. */
static exit_code find_interval(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    isg_ais_options options = log_z_options(call, &settings->log_z, NULL).ais;
    options.weights = ISG_AIS_SPIN;
    options.move = ISG_AIS_GIBBS;
    if (options.repeats < 20) /* the margin is ln(2 / (1 - confidence)) over this */
        options.repeats = 20;
    progress bar;
    progress_start(&bar, call->common.quiet, "certificate");
    options.progress = progress_callback(&bar);
    const isg_status status =
        isg_ais_certificate(my->rbm, &options, settings->certificate, &my->interval);
    progress_finish(&bar);
    my->has_interval = status == ISG_OK;
    if (status != ISG_ERR_UNSUPPORTED)
        return fail_status(status);
    my->no_interval = "no exact samples of this model are known";
    return EXIT_DONE;
}

static exit_code find_curve(scores *my, const invocation *call) {
    const score_settings *settings = call->settings;
    exit_code code = beta_list_parse(&my->betas, &my->n_betas, settings->betas);
    my->beta = isg_rbm_describe(my->rbm).beta;
    if (code != EXIT_DONE)
        return code;
    my->at = memory_allocate(my->n_betas, sizeof *my->at);
    if (!my->at)
        return fail_memory();
    const isg_dataset *data = my->n_sets > 0 ? my->sets[0].data : NULL;
    isg_log_z_options options = log_z_options(call, &settings->log_z, data);
    progress bar;
    progress_start(&bar, call->common.quiet, "ln Z");
    options.progress = progress_callback(&bar);
    code = fail_status(isg_rbm_log_z_betas(my->rbm, &options, my->betas, my->n_betas, my->at));
    progress_finish(&bar);
    return code;
}

/* ---- saying it ---------------------------------------------------------------------------------- */

static json_t *likelihood_json(double mean, double log_z, double error) {
    return json_pack("{s:o, s:o}", "value", json_number(mean - log_z), "error", json_number(error));
}

static json_t *classes_json(const scored *set, const isg_log_z *log_z) {
    json_t *list = json_array();
    for (size_t c = 0; list && set->by_class && c < isg_dataset_describe(set->data).n_classes;
         c++) {
        const isg_data_term *term = &set->by_class[c];
        json_t *one =
            json_pack("{s:o, s:I, s:o}", "class", json_text(isg_dataset_class_name(set->data, c)),
                      "samples", (json_int_t)term->samples, "log_likelihood",
                      term->samples > 0 ? likelihood_json(term->mean, log_z->value, log_z->error)
                                        : json_null());
        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *sets_json(const scores *my) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < my->n_sets; k++) {
        const scored *set = &my->sets[k];
        json_t *one =
            json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "name", json_text(set->name), "samples",
                      (json_int_t)set->all.samples, "log_likelihood",
                      likelihood_json(set->all.mean, my->log_z.value, my->log_z.error), "data_term",
                      json_number(set->all.mean), "deviation", json_number(set->all.deviation),
                      "classes", classes_json(set, &my->log_z));
        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *as_json(const scores *my) {
    const bool has_data = my->n_sets > 0;
    json_t *interval = my->has_interval
                           ? json_pack("{s:f, s:f, s:f, s:I}", "low", my->interval.low, "high",
                                       my->interval.high, "confidence", my->interval.confidence,
                                       "batches", (json_int_t)my->interval.batches)
                           : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "log_likelihood",
                     has_data
                         ? likelihood_json(my->sets[0].all.mean, my->log_z.value, my->log_z.error)
                         : json_null(),
                     "data_term", has_data ? json_number(my->sets[0].all.mean) : json_null(),
                     "log_z", log_z_json(&my->log_z), "data", sets_json(my), "interval", interval,
                     "seconds", my->seconds);
}

static void print_classes(output *out, const scored *set, const isg_log_z *log_z) {
    const size_t n = set->by_class ? isg_dataset_describe(set->data).n_classes : 0;
    for (size_t c = 0; c < n; c++)
        if (set->by_class[c].samples > 0)
            output_line(out, "  class %-14s %8zu %12.3f", isg_dataset_class_name(set->data, c),
                        set->by_class[c].samples, set->by_class[c].mean - log_z->value);
}

static void as_text(output *out, const scores *my, const char *model, bool by_class) {
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    output_field(out, "model", "%s: %zu visible, %zu hidden units, beta %g", model, info.n_visible,
                 info.n_hidden, info.beta);
    log_z_print(out, &my->log_z);
    if (my->has_interval)
        output_field(out, "certificate", "%.4f to %.4f holds with probability %g or more",
                     my->interval.low, my->interval.high, my->interval.confidence);
    else if (my->no_interval)
        output_field(out, "certificate", "none: %s", my->no_interval);
    output_field(out, "time", "%.2f s", my->seconds);
    if (my->n_sets > 0)
        output_print(out, "\n%-22s %8s %12s %10s %12s\n", "data", "samples", "L", "+-", "-beta H");
    for (size_t k = 0; k < my->n_sets; k++) {
        const scored *set = &my->sets[k];
        output_line(out, "%-22s %8zu %12.3f %10.2g %12.3f%s", set->name, set->all.samples,
                    set->all.mean - my->log_z.value, my->log_z.error, set->all.mean,
                    my->log_z.is_trusted ? "" : "  beware");
        if (by_class)
            print_classes(out, set, &my->log_z);
    }
}

/* -beta H is proportional to beta, so one pass over the data does for all. */
static double likelihood_at(const scores *my, size_t set, size_t k) {
    return my->sets[set].all.mean * my->betas[k] / my->beta - my->at[k].value;
}

static size_t best_beta(const scores *my, size_t set) {
    size_t best = 0;
    for (size_t k = 1; k < my->n_betas; k++)
        if (likelihood_at(my, set, k) > likelihood_at(my, set, best))
            best = k;
    return best;
}

static json_t *curve_json(const scores *my) {
    json_t *list = json_array(), *peaks = json_array();
    for (size_t k = 0; list && k < my->n_betas; k++) {
        json_t *values = json_array();
        for (size_t s = 0; values && s < my->n_sets; s++)
            json_array_append_new(values, json_number(likelihood_at(my, s, k)));
        json_array_append_new(list, json_pack("{s:f, s:o, s:o}", "beta", my->betas[k], "log_z",
                                              log_z_json(&my->at[k]), "log_likelihood", values));
    }
    for (size_t s = 0; peaks && s < my->n_sets; s++) {
        const size_t best = best_beta(my, s);
        json_array_append_new(
            peaks, json_pack("{s:o, s:f, s:o}", "name", json_text(my->sets[s].name), "beta",
                             my->betas[best], "log_likelihood",
                             likelihood_json(my->sets[s].all.mean * my->betas[best] / my->beta,
                                             my->at[best].value, my->at[best].error)));
    }
    const size_t best = my->n_sets > 0 ? best_beta(my, 0) : my->n_betas - 1;
    const isg_log_z *log_z = &my->at[best];
    const double mean =
        my->n_sets > 0 ? my->sets[0].all.mean * my->betas[best] / my->beta : (double)NAN;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f}", "log_likelihood",
                     my->n_sets > 0 ? likelihood_json(mean, log_z->value, log_z->error)
                                    : json_null(),
                     "data_term", my->n_sets > 0 ? json_number(mean) : json_null(), "log_z",
                     log_z_json(log_z), "betas", list, "peaks", peaks, "seconds", my->seconds);
}

/* Columns that a plotting program reads; what is not a number stands behind a #. */
static void curve_text(output *out, const scores *my) {
    output_print(out, "# %8s %14s %10s %10s %8s", "beta", "ln Z", "+-", "ESS", "method");
    for (size_t s = 0; s < my->n_sets; s++)
        output_print(out, " %14s", my->sets[s].name);
    output_print(out, "\n");
    for (size_t k = 0; k < my->n_betas; k++) {
        output_print(out, "%10.5g %14.4f %10.2g", my->betas[k], my->at[k].value, my->at[k].error);
        if (my->at[k].method == ISG_LOG_Z_EXACT)
            output_print(out, " %10s", "-");
        else
            output_print(out, " %10.4g", my->at[k].ess);
        output_print(out, " %8s", log_z_method_name(&my->at[k]));
        for (size_t s = 0; s < my->n_sets; s++)
            output_print(out, " %14.3f", likelihood_at(my, s, k));
        output_line(out, "%s", my->at[k].is_trusted ? "" : "  # not to be trusted");
    }
    for (size_t s = 0; s < my->n_sets; s++) {
        const size_t best = best_beta(my, s);
        output_line(out, "# %s: best beta %.5g, L %.3f +- %.2g%s", my->sets[s].name,
                    my->betas[best], likelihood_at(my, s, best), my->at[best].error,
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
            y[s * n + k] = my->n_sets > 0 ? likelihood_at(my, s, k) : my->at[k].value;
    }
    for (size_t s = 0; code == EXIT_DONE && s < n_curves; s++)
        curves[s] = (plot_curve){.name = my->n_sets > 0 ? my->sets[s].name : "ln Z",
                                 .x = my->betas,
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
        code = load_sets(my, call);
    if (code == EXIT_DONE)
        code = score_sets(my);
    const double start = stopwatch_s();
    if (code == EXIT_DONE && settings->betas)
        code = find_curve(my, call);
    else if (code == EXIT_DONE)
        code = log_z_find(call, &settings->log_z, my->rbm, my->n_sets > 0 ? my->sets[0].data : NULL,
                          &my->log_z);
    if (code == EXIT_DONE && settings->certificate > 0)
        code = find_interval(my, call);
    my->seconds = stopwatch_s() - start;
    return code;
}

static void release(scores *my) {
    for (size_t k = 0; my->sets && k < my->n_sets; k++) {
        isg_dataset_free(my->sets[k].data);
        memory_release(my->sets[k].by_class);
    }
    memory_release(my->sets);
    memory_release(my->betas);
    memory_release(my->at);
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
        return fail(EXIT_MISUSED, "--by-class: is about DATA, which was not given");
    if (settings->picture && !settings->betas)
        return fail(EXIT_MISUSED, "--picture draws the curve of --betas, which is not given");
    exit_code code = log_z_check(&settings->log_z);
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
    if (code == EXIT_DONE) {
        if (settings->betas && call->common.json)
            output_json(call->out, curve_json(&my));
        else if (settings->betas)
            curve_text(call->out, &my);
        else if (call->common.json)
            output_json(call->out, as_json(&my));
        else
            as_text(call->out, &my, call->arguments[0], settings->by_class);
    }
    release(&my);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "An RBM, as 'isinglass map' and 'isinglass train' write it, or a RUN",
     .is_file = true},
    {.name = "DATA", .help = "What to score; several at once share ln Z. " DATA_HELP,
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
     .help = "Score at n values of beta from A to B, or at B1,B2,..., and name the best; annealing "
             "does all of them at once"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(score_settings, picture), .otherwise = "no picture",
     .help = "Draw the curve of --betas (by gnuplot)"},
    {.name = "certificate", .kind = OPTION_DOUBLE, .metavar = "P", .low = 0, .high = 0.999999,
     .is_above_low = true, .offset = offsetof(score_settings, certificate), .otherwise = "none",
     .help = "Also an interval that holds ln Z with probability P or more, by annealing there and "
             "back, where exact samples exist"},
    {.name = "by-class", .kind = OPTION_FLAG, .offset = offsetof(score_settings, by_class),
     .help = "Also the score of every class"},
    DATA_OPTIONS(score_settings, data),
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"log_likelihood.value", "mean of ln p over the first DATA"},
    {"log_likelihood.error", "error of it, which is that of ln Z"},
    {"data_term", "mean of -beta H over the first DATA"},
    {"log_z.value", "ln Z"},
    {"log_z.error", "its standard error, or a bound if exact"},
    {"log_z.method", "exact, ais or mixture"},
    {"log_z.side", "exact, both, lower (too low on average) or upper"},
    {"log_z.ess", "effective number of chains or draws"},
    {"log_z.samples", "number of chains or draws"},
    {"log_z.spread", "standard deviation between repeats, or null"},
    {"log_z.modes", "Gaussians of the mixture"},
    {"log_z.laplace", "the estimate by Laplace's method, or null"},
    {"log_z.trusted", "whether value and error can be taken at their word"},
    {"log_z.reason", "if not, why"},
    {"log_z.choice", "why this method, if it was chosen"},
    {"data[].name", "DATA"},
    {"data[].samples", "number of samples"},
    {"data[].log_likelihood", "as above"},
    {"data[].data_term", "as above"},
    {"data[].deviation", "standard deviation of ln p over the samples"},
    {"data[].classes[].class", "a class"},
    {"data[].classes[].samples", "its samples"},
    {"data[].classes[].log_likelihood", "as above, or null without samples"},
    {"interval", "low, high, confidence and batches of the certificate, or null"},
    {"seconds", "time for ln Z, the certificate included"},
    {"betas[].beta", "with --betas: a beta; then log_z and one log_likelihood per DATA. Those above "
                     "are then at the best beta of the first DATA, or at the last without DATA"},
    {"peaks[].beta", "with --betas: the best beta of each DATA, with its log_likelihood"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass score model.npz mnist:train mnist:test", "How well a model describes the digits."},
    {"isinglass score model.npz mnist:test --method ais --steps 10000 --repeats 5",
     "By annealing, with a spread."},
    {"isinglass score model.npz mnist:train --betas 0.5:10:20 --picture curve.png",
     "The best temperature (Fig. 2)."},
    {"isinglass score model.npz", "ln Z alone."},
    {NULL, NULL},
};
/* clang-format on */

const command command_score = {
    .name = "score",
    .section = "Models",
    .summary = "ln Z, and how probable data are to a model",
    .description =
        "The log-likelihood L is the mean of ln p(s) = -beta H(s) - ln Z over the samples. The "
        "first "
        "term is exact; ln Z is found in one of three ways, and its error is all the error there "
        "is.\n"
        "exact: by listing all states, by sums over units that are alike, or by integrating over "
        "up "
        "to 3 hidden units. mixture: importance sampling of the hidden units from Gaussians around "
        "the minima of the free energy; good to a few thousandths where the minima can be found, "
        "and "
        "it says so if they cannot. ais: annealed importance sampling from free spins to the "
        "model; "
        "always possible, but ln Z comes out too low on average, and L too high, by more than its "
        "error shows if few chains count.\n"
        "auto takes the first of these that is quick and can be trusted.",
    .arguments = arguments,
    .options = options,
    .json_keys = json_keys,
    .examples = examples,
    .settings_bytes = sizeof(score_settings),
    .defaults = defaults,
    .run = run,
};
