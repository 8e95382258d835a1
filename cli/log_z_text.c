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
        return fail(EXIT_MISUSED, "--hmc moves hidden units and needs --weights lambda");
    if ((weights != ISG_AIS_SPIN || settings->hmc) && !is_ais)
        return fail(EXIT_MISUSED, "--weights and --hmc say how to anneal and need --method ais");
    if (settings->target > 0 && !is_ais)
        return fail(EXIT_MISUSED, "--adaptive says how to anneal and needs --method ais");
    return EXIT_DONE;
}

isg_log_z_options log_z_options(const invocation *call, const log_z_settings *settings,
                                const isg_dataset *data) {
    const uint64_t seed = call->common.seed;
    isg_log_z_options out = settings->how;
    if (call_has_option(call, "steps")) /* then they are wanted so, trusted or not */
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

json_t *log_z_json(const isg_log_z *found) {
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:I, s:o, s:I, s:o, s:b, s:s, s:s}", //
                     "value", json_number(found->value),                             //
                     "error", json_number(found->error),                             //
                     "method", log_z_method_name(found),                             //
                     "side", side_names[found->side],                                //
                     "ess", json_number(found->ess),                                 //
                     "samples", (json_int_t)found->samples,                          //
                     "spread", json_number(found->spread),                           //
                     "modes", (json_int_t)found->modes,                              //
                     "laplace", json_number(found->laplace),                         //
                     "trusted", (int)found->is_trusted,                              //
                     "reason", found->reason,                                        //
                     "choice", found->choice);
}

const char *log_z_side_text(isg_log_z_side side) {
    static const char *const texts[] = {
        "exact: the error is a bound",
        "one standard error, either way",
        "ln Z is too low on average, so L is too high, by more than the error may show",
        "ln Z is too high on average, so L is too low",
    };
    return texts[side];
}

void log_z_print(output *out, const isg_log_z *found) {
    if (isnan(found->error))
        output_field(out, "ln Z", "%.4f, without an error", found->value);
    else
        output_field(out, "ln Z", "%.4f +- %.2g", found->value, found->error);
    if (found->method == ISG_LOG_Z_EXACT)
        output_field(out, "method", "exact");
    if (found->method == ISG_LOG_Z_AIS)
        output_field(out, "method", "annealing, %.4g of %zu chains count", found->ess,
                     found->samples);
    if (found->method == ISG_LOG_Z_MIXTURE)
        output_field(out, "method", "mixture of %zu Gaussians, %.4g of %zu draws count",
                     found->modes, found->ess, found->samples);
    if (isfinite(found->spread))
        output_field(out, "spread", "%.3f between repeats", found->spread);
    if (isfinite(found->laplace))
        output_field(out, "Laplace", "%.4f, without sampling", found->laplace);
    output_field(out, "error", "%s", log_z_side_text(found->side));
    if (found->choice[0])
        output_field(out, "chosen", "%s", found->choice);
    if (!found->is_trusted)
        output_field(out, "beware", "%s", found->reason);
}
