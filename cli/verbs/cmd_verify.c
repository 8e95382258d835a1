/* cmd_verify.c - isinglass verify: the identities behind the mappings, as numbers
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/command.h"
#include "cli/progress.h"

static json_t *as_json(const isg_checks *checks, bool ok) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < isg_checks_count(checks); k++) {
        const isg_check *check = isg_checks_get(checks, k);
        json_t *one =
            json_pack("{s:s, s:o, s:f, s:b}", "name", check->name, "value",
                      json_number(check->value), "bound", check->bound, "ok", (int)check->ok);
        if (!one || json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:o, s:b}", "checks", list, "ok", (int)ok);
}

static void as_text(output *out, const isg_checks *checks, size_t n_failed) {
    output_print(out, "%-66s %9s %9s\n", "check", "value", "bound");
    for (size_t k = 0; k < isg_checks_count(checks); k++) {
        const isg_check *check = isg_checks_get(checks, k);
        output_print(out, "%-66s %9.2g %9.2g %s\n", check->name, check->value, check->bound,
                     check->ok ? "ok" : "FAILED");
    }
    output_print(out, "%zu checks, %zu failed\n", isg_checks_count(checks), n_failed);
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
    if (code == EXIT_DONE) {
        size_t n_failed = 0;
        for (size_t k = 0; k < isg_checks_count(checks); k++)
            n_failed += !isg_checks_get(checks, k)->ok;
        if (call->common.json)
            output_json(call->out, as_json(checks, n_failed == 0));
        else
            as_text(call->out, checks, n_failed);
        if (n_failed > 0)
            code =
                fail(EXIT_FAILED, "%zu of %zu checks failed", n_failed, isg_checks_count(checks));
    }
    isg_checks_free(checks);
    isg_patterns_free(patterns);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "P.npz", .help = "Patterns to verify; without them, small random networks",
     .is_file = true, .is_optional = true},
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"checks[].name", "what was checked"},
    {"checks[].value", "what was found, zero in theory; null if it is not finite"},
    {"checks[].bound", "what it may be at most"},
    {"checks[].ok", "whether it is"},
    {"ok", "whether all are"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass verify", "Energies and ln Z of small networks, over all states."},
    {"isinglass verify digits.npz", "The mappings of your own patterns."},
    {NULL, NULL},
};
/* clang-format on */

const command command_verify = {
    .name = "verify",
    .section = "Networks",
    .summary = "Check the identities behind the mappings",
    .description =
        "For given patterns: that the weights of each mapping are orthonormal and give the "
        "patterns back, that their couplings J = W W^T are one projector that keeps every pattern, "
        "and that network, RBMs and Boltzmann machines give 10000 random states the same energy; "
        "up "
        "to 24 units also ln Z, by enumeration.\n"
        "Without patterns: the energies over all states, and ln Z by enumeration, quadrature and "
        "integration over the hidden units, of small random networks with and without field at "
        "beta 0.5, 1 and 2.\n"
        "Exits with 1 if a check fails.",
    .arguments = arguments,
    .json_keys = json_keys,
    .examples = examples,
    .run = run,
};
