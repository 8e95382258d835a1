/* log_z_text.c - an estimate of ln Z in words and in JSON
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/log_z_text.h"

#include "cli/progress.h"

const char *const log_z_methods[] = {"auto",  "exact",      "ais", "mixture",
                                     "wells", "population", NULL};
const char *const ais_weights[] = {"spin", "lambda", "joint", NULL};

static const char *const side_names[] = {"exact", "both", "lower", "upper", "bound"};

exit_code log_z_check(const invocation *call, const log_z_settings *settings) {
    const bool is_ais = settings->how.method == ISG_LOG_Z_AIS;
    const isg_ais_weights weights = settings->how.ais.weights;
    if (settings->hmc && weights != ISG_AIS_LAMBDA)
        return fail(EXIT_MISUSED, "--hmc moves the hidden units, so it needs --weights lambda");
    if ((weights != ISG_AIS_SPIN || settings->hmc) && !is_ais)
        return fail(EXIT_MISUSED, "--weights and --hmc control annealing, so they need --method "
                                  "ais");
    const bool has_population =
        settings->how.method == ISG_LOG_Z_WELLS || settings->how.method == ISG_LOG_Z_POPULATION;
    if (has_population && settings->how.ais.repeats < 2 && call_has_option(call, "repeats"))
        return fail(EXIT_MISUSED, "--repeats: populations need at least 2, found %zu",
                    settings->how.ais.repeats);
    if (settings->target > 0 && !is_ais)
        return fail(EXIT_MISUSED, "--adaptive controls annealing, so it needs --method ais");
    return EXIT_DONE;
}

isg_log_z_options log_z_options(const invocation *call, const log_z_settings *settings,
                                const isg_dataset *data) {
    const uint64_t seed = call->common.seed;
    isg_log_z_options out = settings->how;
    if (call_has_option(call, "steps")) /* use exactly these, even if the result is not trusted */
        out.patience = 0;
    out.ais.move = settings->hmc ? ISG_AIS_HMC : ISG_AIS_GIBBS;
    out.ais.adaptive = settings->target;
    out.ais.seed = seed;
    out.mixture.data = data;
    out.mixture.seed = seed;
    out.states.data = data;
    out.states.seed = seed;
    out.population.seed = seed;
    if (call_has_option(call, "repeats"))
        out.population.repeats = out.ais.repeats < 2 ? 2 : out.ais.repeats;
    return out;
}

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
