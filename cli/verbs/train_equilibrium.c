/* train_equilibrium.c - --equilibrium of isinglass train: chains that change modes
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/verbs/train_equilibrium.h"

#include <math.h>

exit_code equilibrium_check(const invocation *call, const isg_train_options *options) {
    const char *const names[] = {"jumps", "refit-every"};
    for (size_t k = 0; k < 2 && !options->equilibrium; k++)
        if (call_has_option(call, names[k]))
            return fail(EXIT_MISUSED, "--%s: only for --equilibrium", names[k]);
    if (call_has_option(call, "chains") && !options->equilibrium && !options->persistent)
        return fail(EXIT_MISUSED, "--chains: only for --pcd or --equilibrium");
    if (options->equilibrium && options->jumps > options->gibbs_steps)
        return fail(EXIT_MISUSED,
                    "--jumps: expected at most %zu, one after each of the --sweeps, "
                    "found %zu",
                    options->gibbs_steps, options->jumps);
    return EXIT_DONE;
}

equilibrium_result equilibrium_of(const isg_run_info *info) {
    equilibrium_result out = {.found = info->equilibrium};
    const isg_equilibrium_info *found = &info->equilibrium;
    out.share = (double)found->updates / (double)info->state.updates;
    out.acceptance = (double)found->accepted / (double)found->proposed;
    out.has_jumped = found->updates > 0;
    out.has_fallen_back = found->updates < info->state.updates;
    return out;
}

/* clang-format off */
#define IS(field, what) RESULT(equilibrium_result, field, what)

const result_entry equilibrium_results[] = {
    IS(share, "share of the updates in which chains jumped; in the others they were only swept"),
    IS(acceptance, "share of all jumps that were accepted, or null"),
    RESULT_COUNT(equilibrium_result, found.proposed, "proposed", "number of jumps proposed"),
    RESULT_COUNT(equilibrium_result, found.fits, "fits", "how often a mixture was fitted"),
    RESULT_COUNT(equilibrium_result, found.refused, "refused", "and could not be used"),
    RESULT_AS(equilibrium_result, found.minima, "minima", "minima of F0 in the last, mirror images included"),
    IS(reason, "why the last could not be used, or null"),
    RESULT_HIDDEN(equilibrium_result, has_jumped), RESULT_HIDDEN(equilibrium_result, has_fallen_back),
    {.when = "has_jumped", .label = "equilibrium",
     .text = "jumps in {share:%.1f} % of the updates, {acceptance:%.1f} % of them accepted"},
    {.when = "has_fallen_back&!has_jumped", .label = "equilibrium",
     .text = "no jumps, plain persistent chains instead"},
    {.when = "fits", .label = "mixtures", .text = "{fits} fitted, {refused} of them refused"},
    {.when = "reason", .label = "refused", .text = "{reason}"},
    {.key = NULL}};
/* clang-format on */
