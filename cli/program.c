/* program.c - isinglass, the command line
 *
 * SPDX-License-Identifier: MIT
 *
 * Reads the command line, runs the verb, writes its result to stdout and one sentence to stderr if
 * something failed. What the verbs are is in commands.c.
 *
 * Of several ranks, rank 0 speaks for all; the others are silent, and take part only in verbs that are divided.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/program.h"

#include <fenv.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "src/base/ranks.h"

static void print_help(invocation *call, bool is_full) {
    if (call->verb)
        help_command(call->out, call->verb, is_full);
    else if (call->group)
        help_group(call->out, call->group);
    else
        help_overview(call->out, is_full);
}

/* A verb that is not divided among ranks is for rank 0 alone. */
static exit_code take_part(invocation *call, bool *is_needed) {
    call->common.quiet = call->common.quiet || isg_rank() > 0;
    *is_needed = call->verb->is_divided || isg_rank() == 0;
    if (isg_n_ranks() == 1 || call->verb->is_divided)
        return EXIT_DONE;
    notice(call->common.quiet, "%s is not divided among ranks: one of %zu does it alone",
           call->verb->name, isg_n_ranks());
    return fail_status(isg_set_ranks(NULL));
}

static exit_code run_verb(invocation *call) {
    bool is_needed = true;
    exit_code code = options_check(call);
    if (code == EXIT_DONE)
        code = take_part(call, &is_needed);
    if (code != EXIT_DONE || !is_needed)
        return code;
    code = common_apply(&call->common);
    return code == EXIT_DONE ? call->verb->run(call) : code;
}

static exit_code answer(invocation *call, int argc, char *const *argv) {
    exit_code code = options_parse(call, argc, argv);
    const bool is_full = options_mention(argc, argv, "--help");
    const bool wants_help = is_full || options_mention(argc, argv, "-h");
    const bool has_verb = call->verb || call->group;
    /* Help takes precedence over mistakes elsewhere on the command line. */
    if (wants_help && (code == EXIT_DONE || (code == EXIT_MISUSED && has_verb))) {
        print_help(call, is_full);
        return EXIT_DONE;
    }
    if (code != EXIT_DONE)
        return code;
    if (call->common.version && call->common.json)
        output_json(call->out, json_pack("{s:s}", "version", isg_version()));
    else if (call->common.version)
        output_print(call->out, "isinglass %s\n", isg_version());
    else if (call->common.print_man)
        print_manual(call->out);
    else if (call->common.print_completion)
        print_completion(call->out);
    else
        code = run_verb(call);
    return code;
}

/* Without any argument: prints the overview, but counts as misuse. */
static exit_code answer_nothing(output *out) {
    help_overview(out, true);
    const exit_code code = output_write(out, STDERR_FILENO);
    return code == EXIT_DONE ? EXIT_MISUSED : code;
}

/* Idle threads of OpenMP spin for milliseconds, which on a busy machine takes time from the threads
   they wait for: two threads were five times slower than one. OpenMP reads how to wait from the
   environment before main(), so the program restarts itself. If that fails, it continues. */
static void wait_without_spinning(char **argv) {
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv("/proc/self/exe", argv);
}

/* A preloaded library may have changed the rounding, flushed subnormal numbers to zero, as
   -ffast-math does, or replaced the decimal point by a comma. Threads inherit the state of the
   first one. */
static void standardize_numbers(void) {
    fesetenv(FE_DFL_ENV);
    setlocale(LC_NUMERIC, "C");
}

void program_start(char **argv) {
    wait_without_spinning(argv);
    standardize_numbers();
}

exit_code program_run(int argc, char **argv) {
    const bool speaks = isg_rank() == 0;
    output out = {0};
    invocation call = {.out = &out};
    output_guard_streams();
    signals_start();
    exit_code code = memory_start();
    if (code == EXIT_DONE && argc < 2) {
        code = speaks ? answer_nothing(&out) : EXIT_MISUSED;
    } else if (code == EXIT_DONE) {
        code = answer(&call, argc, argv);
        /* A "no" is a result too. */
        if (speaks && (code == EXIT_DONE || code == EXIT_FAILED)) {
            const exit_code written = output_write(&out, STDOUT_FILENO);
            code = written == EXIT_DONE ? code : written;
        }
    }
    if (code != EXIT_DONE && speaks)
        failure_print();
    options_free(&call);
    output_free(&out);
    return code;
}
