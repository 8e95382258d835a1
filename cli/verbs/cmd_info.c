/* cmd_info.c - isinglass info: the program and the machine it runs on
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/command.h"

#define TEXT_OF(x)    #x
#define VERSION_OF(x) TEXT_OF(x)
#if defined(__clang__)
static const char compiler[] = "clang " VERSION_OF(__clang_major__) "." VERSION_OF(
    __clang_minor__) "." VERSION_OF(__clang_patchlevel__);
#elif defined(__GNUC__)
static const char compiler[] =
    "gcc " VERSION_OF(__GNUC__) "." VERSION_OF(__GNUC_MINOR__) "." VERSION_OF(__GNUC_PATCHLEVEL__);
#else
static const char compiler[] = "unknown";
#endif

static long cores(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : 1;
}

static json_t *isa_names(void) {
    json_t *names = json_array();
    for (size_t i = 0; names && isg_isa_name(i); i++)
        if (json_array_append_new(names, json_string(isg_isa_name(i))) != 0) {
            json_decref(names);
            return NULL;
        }
    return names;
}

static void print_json(output *out, const char *directory) {
    output_json(out, json_pack("{s:s, s:s, s:o, s:I, s:I, s:o, s:s, s:o}", //
                               "version", isg_version(),                   //
                               "isa", isg_isa(),                           //
                               "isa_known", isa_names(),                   //
                               "threads", (json_int_t)isg_threads(),       //
                               "cores", (json_int_t)cores(),               //
                               "blas", json_text("none"),                  //
                               "compiler", compiler,                       //
                               "data_directory", directory ? json_text(directory) : json_null()));
}

static void print_text(output *out, const char *directory) {
    output_field(out, "version", "%s", isg_version());
    output_field(out, "compiler", "%s", compiler);
    output_print(out, "%-20s%s (known:", "instruction set", isg_isa());
    for (size_t i = 0; isg_isa_name(i); i++)
        output_print(out, " %s", isg_isa_name(i));
    output_print(out, ")\n");
    output_field(out, "threads", "%zu (%ld cores)", isg_threads(), cores());
    output_field(out, "linear algebra", "own routines, the same bits on every machine");
    output_field(out, "data directory", "%s", directory ? directory : "none: HOME is not set");
}

static exit_code run(const invocation *call) {
    char *directory = NULL;
    /* Not knowing the directory is worth showing, and no reason to fail. */
    if (data_directory(&directory, &call->common) == EXIT_NO_MEMORY)
        return EXIT_NO_MEMORY;
    if (call->common.json)
        print_json(call->out, directory);
    else
        print_text(call->out, directory);
    memory_release(directory);
    return EXIT_DONE;
}

static const json_key json_keys[] = {
    {"version", "of the library in use"},
    {"isa", "instruction set in use"},
    {"isa_known", "all instruction sets this build has code for, best last"},
    {"threads", "number of threads in use"},
    {"cores", "number of processor cores"},
    {"blas", "linear algebra library underneath: none, the routines are our own"},
    {"compiler", "that built the program"},
    {"data_directory", "where data sets are kept; null if HOME is not set"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass info", "What a report of a problem should start with."},
    {"isinglass info --json | jq -r .data_directory", "Where the data sets are, for a script."},
    {"isinglass info --isa ref --threads 1", "Check that a setting is accepted here."},
    {NULL, NULL},
};

const command command_info = {
    .name = "info",
    .section = "This machine",
    .summary = "Show version, instruction set, threads and data directory",
    .description =
        "Shows what the program is and what it found on this machine: its version and compiler, "
        "the instruction set its kernels use and those it knows, the number of threads, the "
        "linear algebra library, and the directory in which data sets are kept.\n"
        "Settings given along with it, such as --threads or --data-dir, are shown as they would "
        "be used.",
    .json_keys = json_keys,
    .examples = examples,
    .run = run,
};
