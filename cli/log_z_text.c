/* log_z_text.c - an estimate of ln Z in words and in JSON
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/log_z_text.h"

#include "cli/progress.h"

const char *const log_z_methods[] = {"auto", "exact", "ais", "mixture", NULL};
const char *const ais_weights[] = {"spin", "lambda", "joint", NULL};

static const char *const side_names[] = {"exact", "both", "lower", "upper"};

exit_code log_z_check(const log_z_settings *settings) {
    const bool is_ais = settings->how.method == ISG_LOG_Z_AIS;
    const isg_ais_weights weights = settings->how.ais.weights;
    if (settings->hmc && weights != ISG_AIS_LAMBDA)
        return fail(EXIT_MISUSED, "--hmc moves the hidden units, so it needs --weights lambda");
    if ((weights != ISG_AIS_SPIN || settings->hmc) && !is_ais)
        return fail(EXIT_MISUSED, "--weights and --hmc control annealing, so they need --method "
                                  "ais");
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
};

/* clang-format off */
#define IS(field, what) RESULT(isg_log_z, field, what)

const result_entry log_z_results[] = {
    IS(value, "ln Z"),
    IS(error, "its standard error, or a bound if exact"),
    RESULT_ENUM(isg_log_z, method, "method", log_z_methods, "exact, ais or mixture"),
    RESULT_ENUM(isg_log_z, side, "side", side_names, "exact, both, lower (too low on average) or upper"),
    IS(ess, "effective sample size"),
    IS(samples, "number of chains or draws"),
    IS(spread, "standard deviation between repeats, or null"),
    IS(modes, "Gaussians of the mixture"),
    IS(laplace, "the estimate by Laplace's method, or null"),
    RESULT_AS(isg_log_z, is_trusted, "trusted", "whether value and error can be trusted"),
    RESULT_CHAR_ARRAY(isg_log_z, reason, "reason", "if not, why"),
    RESULT_CHAR_ARRAY(isg_log_z, choice, "choice", "why auto chose this method"),
    {.kind = RESULT_NAME, .key = "side_text", .offset = offsetof(isg_log_z, side),
     .bytes = sizeof(isg_log_z_side), .names = side_texts, .is_private = true},
    {.when = "error", .label = "ln Z", .text = "{value:.4f} +- {error:.2g}"},
    {.when = "!error", .label = "ln Z", .text = "{value:.4f}, error unknown"},
    {.when = "method=exact", .label = "method", .text = "exact"},
    {.when = "method=ais", .label = "method",
     .text = "annealing, {samples chain}, effective sample size {ess:.4g}"},
    {.when = "method=mixture", .label = "method",
     .text = "mixture of {modes Gaussian}, {samples draw}, effective sample size {ess:.4g}"},
    {.when = "spread", .label = "spread", .text = "{spread:.3f} between repeats"},
    {.when = "laplace", .label = "Laplace", .text = "{laplace:.4f}, without sampling"},
    {.label = "error", .text = "{side_text}"},
    {.when = "choice", .label = "chosen", .text = "{choice}"},
    {.when = "!trusted", .label = "beware", .text = "{reason}"},
    {.key = NULL}};
/* clang-format on */
