/* sample_moves.c - --jump and --tempering of isinglass sample: chains that change modes
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/verbs/sample_moves.h"

#include "cli/allocation.h"
#include "cli/progress.h"

move_settings move_defaults(void) {
    return (move_settings){.temperatures = isg_tempering_defaults().temperatures};
}

bool moves_are_wanted(const move_settings *settings) {
    return settings->jump || settings->tempering;
}

exit_code moves_check(const invocation *call, const move_settings *settings) {
    if (settings->jump && settings->tempering)
        return fail(EXIT_MISUSED, "--jump and --tempering: expected one of the two");
    if (settings->jump && call_has_option(call, "clamp"))
        return fail(EXIT_MISUSED, "--jump: does not work with --clamp; use --tempering");
    if (settings->tempering)
        return EXIT_DONE;
    const char *const names[] = {"temperatures", "lowest-beta"};
    for (size_t k = 0; k < 2; k++)
        if (call_has_option(call, names[k]))
            return fail(EXIT_MISUSED, "--%s: only for --tempering", names[k]);
    return EXIT_DONE;
}

/* ---- what moves chains --------------------------------------------------------------------------- */

/* The mixture is fitted at the beta of the first part of the schedule. */
static exit_code fit_jumps(sample_moves *my, const isg_rbm *rbm, const isg_dataset *data) {
    isg_jump_options options = isg_jump_defaults();
    options.mixture.data = data;
    options.mixture.seed = my->call->common.seed;
    isg_rbm *at_beta = NULL;
    isg_status status = isg_rbm_copy(&at_beta, rbm);
    if (status == ISG_OK)
        status = isg_rbm_set_beta(at_beta, my->beta);
    if (status == ISG_OK) {
        progress bar;
        progress_start(&bar, my->call->common.quiet, "fitting Gaussians");
        status = isg_jumps_create(&my->how.jumps, at_beta, &options, progress_callback(&bar));
        progress_finish(&bar);
    }
    isg_rbm_free(at_beta);
    return fail_status(status);
}

exit_code moves_start(sample_moves *my, const isg_rbm *rbm, const isg_dataset *data) {
    if (!moves_are_wanted(my->settings))
        return EXIT_DONE;
    my->how.patterns = isg_rbm_patterns(rbm);
    if (my->how.patterns) {
        my->shares = memory_allocate(2 * isg_patterns_describe(my->how.patterns).n_patterns,
                                     sizeof *my->shares);
        if (!my->shares)
            return fail_memory();
    }
    return my->settings->jump ? fit_jumps(my, rbm, data) : EXIT_DONE;
}

exit_code moves_replicate(sample_moves *my, const isg_chains *chains) {
    if (!my->settings->tempering)
        return EXIT_DONE;
    isg_tempering *made = NULL;
    const isg_tempering_options options = {.temperatures = my->settings->temperatures,
                                           .lowest = my->settings->lowest_beta};
    if (options.lowest >= my->beta)
        return fail(EXIT_MISUSED, "--lowest-beta: expected a number below %g, found %g", my->beta,
                    options.lowest);
    const exit_code code = fail_status(isg_tempering_create(&made, chains, my->beta, &options));
    if (code == EXIT_DONE) {
        isg_tempering_free(my->how.tempering);
        my->how.tempering = made;
    }
    return code;
}

void moves_release(sample_moves *my) {
    isg_jumps_free(my->how.jumps);
    isg_tempering_free(my->how.tempering);
    memory_release(my->shares);
}

/* ---- results ------------------------------------------------------------------------------------- */

static void describe_jumps(move_result *out, const isg_jumps *jumps) {
    jump_result *found = &out->jump_found;
    found->found = isg_jumps_describe(jumps);
    found->is_used = found->found.is_usable;
    found->reason = found->is_used ? NULL : found->found.reason;
    found->acceptance = found->found.proposed > 0
                            ? (double)found->found.accepted / (double)found->found.proposed
                            : (double)NAN;
    if (!found->is_used)
        found->found.expected = (double)NAN;
    out->jump = found;
}

static exit_code describe_tempering(move_result *out, const isg_tempering *tempering) {
    tempering_result *found = &out->tempering_found;
    found->found = isg_tempering_describe(tempering);
    const size_t count = found->found.temperatures;
    found->is_tried = found->found.untried + 1 < count;
    found->beta_values = memory_allocate(count, sizeof *found->beta_values);
    found->rate_values = memory_allocate(count, sizeof *found->rate_values);
    if (!found->beta_values || !found->rate_values)
        return fail_memory();
    for (size_t t = 0; t < count; t++)
        found->beta_values[t] = isg_tempering_beta(tempering, t);
    for (size_t t = 0; t + 1 < count; t++)
        found->rate_values[t] = isg_tempering_rate(tempering, t);
    found->betas = (result_list){found->beta_values, count, sizeof *found->beta_values};
    found->rates = (result_list){found->rate_values, count - 1, sizeof *found->rate_values};
    out->tempering = found;
    return EXIT_DONE;
}

static exit_code describe_labels(move_result *out, const sample_moves *my,
                                 const isg_patterns *patterns) {
    label_result *found = &out->label_found;
    const size_t count = isg_patterns_describe(patterns).n_patterns;
    found->times = my->times;
    found->never = !(my->times.changes > 0);
    found->items = memory_allocate(count, sizeof *found->items);
    if (!found->items)
        return fail_memory();
    for (size_t mu = 0; mu < count; mu++)
        found->items[mu] = (occupancy){isg_patterns_label(patterns, mu), my->shares[2 * mu],
                                       my->shares[2 * mu + 1]};
    found->occupancies = (result_list){found->items, count, sizeof *found->items};
    out->labels = found;
    return EXIT_DONE;
}

exit_code moves_result(move_result *out, const sample_moves *my, const isg_rbm *rbm,
                       bool is_measured) {
    const isg_patterns *patterns = isg_rbm_patterns(rbm);
    exit_code code = EXIT_DONE;
    *out = (move_result){.jump = NULL};
    if (my->how.jumps)
        describe_jumps(out, my->how.jumps);
    if (my->how.tempering)
        code = describe_tempering(out, my->how.tempering);
    if (code == EXIT_DONE && is_measured && my->shares)
        code = describe_labels(out, my, patterns);
    return code;
}

void moves_result_release(move_result *out) {
    memory_release(out->tempering_found.beta_values);
    memory_release(out->tempering_found.rate_values);
    memory_release(out->label_found.items);
}

/* clang-format off */
#define JUMP(field, name, what) RESULT_AS(jump_result, field, name, what)
#define TEMPER(field, name, what) RESULT_AS(tempering_result, field, name, what)

static const result_entry time_results[] = {
    RESULT_AS(isg_autocorrelation, time, "value", NULL), RESULT(isg_autocorrelation, error, NULL),
    RESULT(isg_autocorrelation, window, NULL),
    RESULT_AS(isg_autocorrelation, is_reliable, "reliable", NULL), {.key = NULL}};

const result_entry jump_results[] = {
    JUMP(is_used, "used", "whether chains jumped; else they were only swept"),
    JUMP(reason, "reason", "why they did not, or null"),
    JUMP(found.minima, "minima", "minima of F0 that have a Gaussian, mirror images included"),
    JUMP(found.expected, "expected", "share of accepted jumps in equilibrium, estimated from the fit"),
    JUMP(acceptance, "acceptance", "share of jumps that were accepted"),
    RESULT_COUNT(jump_result, found.proposed, "proposed", "number of jumps proposed"),
    {.when = "used", .label = "jumps",
     .text = "{acceptance:%.1f} % accepted ({expected:%.1f} % expected), {minima Gaussian}"},
    {.when = "!used", .label = "jumps", .text = "none, plain block Gibbs instead: {reason}"},
    {.key = NULL}};

const result_entry tempering_results[] = {
    RESULT_LIST_OF(tempering_result, betas, result_numbers, "the inverse temperatures"),
    RESULT_LIST_OF(tempering_result, rates, result_numbers,
                   "share of accepted swaps of each with the next, null before the first try"),
    TEMPER(found.least_rate, "least_rate", "the smallest of these, or null"),
    TEMPER(found.mean_rate, "mean_rate", "their mean, or null"),
    RESULT_HIDDEN_AS(tempering_result, found.untried, "untried"), RESULT_HIDDEN(tempering_result, is_tried),
    RESULT_HIDDEN_AS(tempering_result, found.lowest, "lowest"),
    RESULT_HIDDEN_AS(tempering_result, found.highest, "highest"),
    {.when = "is_tried", .label = "tempering",
     .text = "{betas} temperatures, beta {highest} to {lowest}; {mean_rate:%.1f} % of the swaps "
             "accepted, at least {least_rate:%.1f} % of each pair"},
    {.when = "is_tried&untried", .label = "not tried", .text = "{untried pair}, for want of sweeps"},
    {.when = "!is_tried", .label = "tempering",
     .text = "{betas} temperatures, beta {highest} to {lowest}; too few sweeps for any swap"},
    {.key = NULL}};

static const result_entry occupancy_results[] = {
    RESULT(occupancy, label, "label of the pattern, or null"),
    RESULT(occupancy, share, "share of all measured states that are nearest to it"),
    RESULT(occupancy, mirror, "and to its mirror image"),
    {.key = NULL}};

const result_entry label_results[] = {
    {.kind = RESULT_OBJECT, .key = "time", .of = time_results, .offset = offsetof(label_result, times.time),
     .help = "integrated autocorrelation time of the nearest pattern in sweeps, of its indicators together; its "
             "value is null if no chain ever changed it"},
    RESULT_AS(label_result, times.rhat, "rhat", "split R-hat of the same"),
    RESULT_AS(label_result, times.changes, "changes", "share of sweeps that changed the nearest pattern"),
    RESULT_HIDDEN(label_result, never),
    RESULT_LIST_OF(label_result, occupancies, occupancy_results, NULL),
    {.when = "time.value&!never", .label = "nearest pattern",
     .text = "autocorrelation time {time.value:.3g} +- {time.error:.2g} sweeps, split R-hat {rhat:.4f}"},
    {.when = "!time.value&!never", .label = "nearest pattern", .text = "autocorrelation time unknown"},
    {.when = "never", .label = "nearest pattern", .text = "never changed in any chain"},
    {.when = "!never", .each = "occupancies",
     .heading = "  pattern  label                 share %    mirror image %",
     .text = "  {#:-8} {label:-18} {share:%10.2f} {mirror:%17.2f}"},
    {.key = NULL}};
/* clang-format on */
