/* cmd_verify.c - isinglass verify: the identities behind the mappings, as numbers
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/allocation.h"
#include "cli/command.h"
#include "cli/progress.h"

typedef struct verify_result {
    result_list checks;
    size_t n_checks, n_failed;
    bool ok;
} verify_result;

static exit_code show(const invocation *call, const isg_checks *checks) {
    verify_result my = {.n_checks = isg_checks_count(checks)};
    isg_check *all = memory_allocate(my.n_checks, sizeof *all);
    if (!all)
        return fail_memory();
    for (size_t k = 0; k < my.n_checks; k++) {
        all[k] = *isg_checks_get(checks, k);
        my.n_failed += !all[k].ok;
    }
    my.checks = (result_list){all, my.n_checks, sizeof *all};
    my.ok = my.n_failed == 0;
    result_show(call, &my);
    memory_release(all);
    return my.ok ? EXIT_DONE
                 : fail(EXIT_FAILED, "%zu of %zu check%s failed", my.n_failed, my.n_checks,
                        plural(my.n_checks));
}

static exit_code run(const invocation *call) {
    isg_patterns *patterns = NULL;
    isg_checks *checks = NULL;
    exit_code code = EXIT_DONE;
    if (call->n_arguments > 0)
        code = fail_status(isg_patterns_load(&patterns, call->arguments[0]));
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, call->common.quiet, "verifying");
        const isg_status status =
            isg_verify(&checks, patterns, call->common.seed, progress_callback(&bar));
        progress_finish(&bar);
        code = patterns && status == ISG_ERR_DEPENDENT
                   ? fail(EXIT_BAD_INPUT, "%s: %s", call->arguments[0], isg_error_message())
                   : fail_status(status);
    }
    if (code == EXIT_DONE)
        code = show(call, checks);
    isg_checks_free(checks);
    isg_patterns_free(patterns);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "P.npz", .help = "Patterns to check; default: small random networks",
     .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const result_entry check_results[] = {
    RESULT_CHAR_ARRAY(isg_check, name, "name", "what was checked"),
    RESULT(isg_check, value, "measured value, zero in theory; null if not finite"),
    RESULT(isg_check, bound, "largest value allowed"),
    RESULT(isg_check, ok, "whether value is within bound"),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_LIST_OF(verify_result, checks, check_results, NULL),
    RESULT(verify_result, ok, "whether all checks passed"),
    RESULT_HIDDEN(verify_result, n_checks), RESULT_HIDDEN(verify_result, n_failed),
    {.each = "checks",
     .heading = "check                                                                  value     bound",
     .text = "{name:-66} {value:9.2g} {bound:9.2g} {ok:ok|FAILED}"},
    {.text = "{n_checks check}, {n_failed} failed"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass verify", "Check energies and ln Z of small networks over all states."},
    {"isinglass verify digits.npz", "Check the mappings of your own patterns."},
    {NULL, NULL},
};
/* clang-format on */

const command command_verify = {
    .name = "verify",
    .section = "Networks",
    .summary = "Check the identities behind the mappings",
    .description =
        "With patterns: checks that the weights of each mapping are orthonormal and reproduce "
        "the patterns, that the couplings J = W W^T are the same projector for all mappings "
        "and keep every pattern, and that the network, the RBMs and the Boltzmann machines "
        "give 10000 random states the same energy; up to 24 units also ln Z, by enumeration.\n"
        "Without patterns: checks small random networks with and without field at beta 0.5, 1 "
        "and 2: the energies of all states, and ln Z by enumeration, quadrature and "
        "integration over the hidden units.\n"
        "Exits with 1 if a check fails.",
    .arguments = arguments,
    .results = results,
    .examples = examples,
    .run = run,
};
