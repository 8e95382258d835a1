/* log_z_text.c - an estimate of ln Z in words and in JSON
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/log_z_text.h"

#include <stdio.h>

#include "cli/progress.h"

const char *const log_z_methods[] = {"auto",  "exact",      "ais", "mixture",
                                     "wells", "population", NULL};
const char *const ais_weights[] = {"spin", "lambda", "joint", NULL};

static const char *const side_names[] = {"exact", "both", "lower", "upper", "bound"};

/* ---- options and the methods that read them --------------------------------------------------- */

enum { METHODS = ISG_LOG_Z_POPULATION + 1, METHODS_BYTES = 80 };

#define OF(method) (1U << ISG_LOG_Z_##method)

/* auto reads those of wells and annealing, which it tries. */
typedef struct reading {
    const char *name;
    unsigned methods;       /* that read it, one bit each */
    bool is_of_certificate; /* which anneals whatever the method */
} reading;

static const reading readings[] = {
    {"method", (1U << METHODS) - 1, true},
    {"particles", OF(AUTO) | OF(WELLS) | OF(POPULATION), false},
    {"chains", OF(AUTO) | OF(AIS), true},
    {"steps", OF(AUTO) | OF(AIS), true},
    {"repeats", OF(AUTO) | OF(AIS) | OF(WELLS) | OF(POPULATION), true},
    {"weights", OF(AIS), false},
    {"hmc", OF(AIS), false},
    {"adaptive", OF(AIS), false},
    {"samples", OF(MIXTURE), false},
    {"draws", OF(AUTO) | OF(WELLS), false},
};
enum { READINGS = sizeof readings / sizeof readings[0] };

const char *log_z_option_given(const invocation *call) {
    for (size_t k = 0; k < READINGS; k++)
        if (call_has_option(call, readings[k].name))
            return readings[k].name;
    return NULL;
}

/* "auto, wells or population" */
static void list_methods(unsigned methods, char text[METHODS_BYTES]) {
    size_t left = 0, end = 0;
    for (unsigned k = 0; k < METHODS; k++)
        left += methods >> k & 1;
    for (unsigned k = 0; k < METHODS; k++)
        if (methods >> k & 1) {
            left--;
            end += (size_t)snprintf(text + end, METHODS_BYTES - end, "%s%s", log_z_methods[k],
                                    left > 1    ? ", "
                                    : left == 1 ? " or "
                                                : "");
        }
}

/* Options that the method would not look at. */
static exit_code refuse_unread(const invocation *call, isg_log_z_method method) {
    const bool is_certified = call_has_option(call, "certificate");
    char methods[METHODS_BYTES];
    for (size_t k = 0; k < READINGS; k++) {
        const reading *of = &readings[k];
        if (!call_has_option(call, of->name) || of->methods >> method & 1 ||
            (is_certified && of->is_of_certificate))
            continue;
        list_methods(of->methods, methods);
        return fail(EXIT_MISUSED, "--%s: is for --method %s, not for %s", of->name, methods,
                    log_z_methods[method]);
    }
    return EXIT_DONE;
}

/* auto may need one. */
static bool has_population(isg_log_z_method method) {
    return method == ISG_LOG_Z_AUTO || method == ISG_LOG_Z_WELLS || method == ISG_LOG_Z_POPULATION;
}

exit_code log_z_check(const invocation *call, const log_z_settings *settings) {
    const isg_log_z_options *how = &settings->how;
    if (settings->hmc && how->ais.weights != ISG_AIS_LAMBDA)
        return fail(EXIT_MISUSED, "--hmc moves the hidden units, so it needs --weights lambda");
    const exit_code code = refuse_unread(call, how->method);
    if (code == EXIT_DONE && has_population(how->method) && how->ais.repeats < 2 &&
        call_has_option(call, "repeats"))
        return fail(EXIT_MISUSED, "--repeats: populations need at least 2, found %zu",
                    how->ais.repeats);
    return code;
}

isg_log_z_options log_z_options(const invocation *call, const log_z_settings *settings,
                                const isg_dataset *data) {
    const uint64_t seed = call->common.seed;
    isg_log_z_options out = settings->how;
    out.fixed_steps = call_has_option(call, "steps");
    out.ais.move = settings->hmc ? ISG_AIS_HMC : ISG_AIS_GIBBS;
    out.ais.adaptive = settings->target;
    out.ais.seed = seed;
    out.mixture.data = data;
    out.mixture.seed = seed;
    out.states.data = data;
    out.states.seed = seed;
    out.population.seed = seed;
    if (call_has_option(call, "repeats"))
        out.population.repeats = out.ais.repeats;
    return out;
}

/* ---- an estimate -------------------------------------------------------------------------------- */

exit_code log_z_find(const invocation *call, const log_z_settings *settings, const isg_rbm *rbm,
                     const isg_dataset *data, isg_log_z *out) {
    const isg_log_z_options options = log_z_options(call, settings, data);
    progress bar;
    progress_start(&bar, call->common.quiet, "ln Z");
    const isg_status status = isg_rbm_log_z(rbm, &options, out, progress_callback(&bar));
    progress_finish(&bar);
    return fail_status(status);
}

const char *log_z_method_name(const isg_log_z *found) {
    return log_z_methods[found->method];
}

static const char *const side_texts[] = {
    "exact: the error is a bound",
    "one standard error, in either direction",
    "ln Z is too low on average and L too high, perhaps by more than the error",
    "ln Z is too high on average and L too low",
    "ln Z is at least this, by the states that are known, and L at most what follows from it",
};

static const char *const rest_texts[] = {"a population of the rest", "draws of the rest"};

/* clang-format off */
#define IS(field, what) RESULT(isg_log_z, field, what)

static const result_entry share_results[] = {
    RESULT(isg_shares, wells, "the share of Z in wells of deep states"),
    RESULT(isg_shares, rest, "the share of all other states"),
    {.key = NULL}};

const result_entry log_z_results[] = {
    IS(value, "ln Z"),
    IS(error, "its standard error, or a bound if exact"),
    RESULT_ENUM(isg_log_z, method, "method", log_z_methods, "exact, ais, mixture, wells or population"),
    RESULT_ENUM(isg_log_z, side, "side", side_names, "exact, both, lower (too low on average), upper or bound (at least)"),
    IS(ess, "effective sample size"),
    IS(samples, "number of chains or draws"),
    IS(spread, "standard deviation between repeats, or null"),
    IS(modes, "Gaussians of the mixture, or wells"),
    IS(laplace, "the estimate by Laplace's method, or null"),
    RESULT_STRUCT(isg_log_z, shares, share_results, "wells: where Z is, else nulls"),
    RESULT_AS(isg_log_z, is_drawn, "drawn", "wells: the rest was found by draws, which a small population confirms"),
    IS(family, "the largest part of a population with one ancestor, or null"),
    IS(bound, "ln Z is not below this: from states that are known; null if none"),
    IS(states, "how many states are known"),
    RESULT_AS(isg_log_z, is_trusted, "trusted", "whether value and error can be trusted"),
    RESULT_CHAR_ARRAY(isg_log_z, reason, "reason", "if not, why"),
    RESULT_CHAR_ARRAY(isg_log_z, choice, "choice", "why auto chose this method"),
    {.kind = RESULT_NAME, .key = "side_text", .offset = offsetof(isg_log_z, side),
     .bytes = sizeof(isg_log_z_side), .names = side_texts, .is_private = true},
    {.kind = RESULT_NAME, .key = "rest_text", .offset = offsetof(isg_log_z, is_drawn),
     .bytes = sizeof(bool), .names = rest_texts, .is_private = true},
    {.when = "error", .label = "ln Z", .text = "{value:.4f} +- {error:.2g}"},
    {.when = "!error", .label = "ln Z", .text = "{value:.4f}, error unknown"},
    {.when = "method=exact", .label = "method", .text = "exact"},
    {.when = "method=ais", .label = "method",
     .text = "annealing, {samples chain}, effective sample size {ess:.4g}"},
    {.when = "method=mixture", .label = "method",
     .text = "mixture of {modes Gaussian}, {samples draw}, effective sample size {ess:.4g}"},
    {.when = "method=wells", .label = "method",
     .text = "{modes well} and {rest_text}, effective sample size {ess:.4g}"},
    {.when = "method=population", .label = "method",
     .text = "population annealing, {samples particle}, effective sample size {ess:.4g}"},
    {.when = "shares.wells", .label = "shares",
     .text = "{shares.wells:.4g} of Z in the wells, {shares.rest:.4g} in the rest"},
    {.when = "spread", .label = "spread", .text = "{spread:.3f} between repeats"},
    {.when = "laplace", .label = "Laplace", .text = "{laplace:.4f}, without sampling"},
    {.when = "states", .label = "bound", .text = "{bound:.4f} or more, by {states known state}"},
    {.label = "error", .text = "{side_text}"},
    {.when = "choice", .label = "chosen", .text = "{choice}"},
    {.when = "!trusted", .label = "beware", .text = "{reason}"},
    {.key = NULL}};
/* clang-format on */
