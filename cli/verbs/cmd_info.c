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

enum { MOST_ISAS = 16 };

typedef struct info_result {
    const char *version, *isa, *blas, *compiler, *data_directory;
    const char *names[MOST_ISAS];
    result_list isa_known;
    size_t threads, cores;
} info_result;

static void print_isas(output *out, const void *results) {
    const info_result *my = results;
    output_print(out, "%-20s%s (known:", "instruction set", my->isa);
    for (size_t i = 0; i < my->isa_known.count; i++)
        output_print(out, " %s", my->names[i]);
    output_print(out, ")\n");
}

static exit_code run(const invocation *call) {
    char *directory = NULL;
    /* An unknown directory is shown, not an error. */
    if (data_directory(&directory, &call->common) == EXIT_NO_MEMORY)
        return EXIT_NO_MEMORY;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    info_result my = {.version = isg_version(),
                      .isa = isg_isa(),
                      .blas = "none",
                      .compiler = compiler,
                      .data_directory = directory,
                      .threads = isg_threads(),
                      .cores = cores > 0 ? (size_t)cores : 1};
    size_t n = 0;
    for (; n < MOST_ISAS && isg_isa_name(n); n++)
        my.names[n] = isg_isa_name(n);
    my.isa_known = (result_list){my.names, n, sizeof my.names[0]};
    result_show(call, &my);
    memory_release(directory);
    return EXIT_DONE;
}

#define IS(field, what) RESULT(info_result, field, what)

static const result_entry results[] = {
    IS(version, "version of the library in use"),
    IS(isa, "instruction set in use"),
    RESULT_LIST_OF(info_result, isa_known, result_texts,
                   "all instruction sets this build supports, best last"),
    IS(threads, "number of threads in use"),
    IS(cores, "number of processor cores"),
    IS(blas, "linear algebra library in use: none, isinglass has its own"),
    IS(compiler, "compiler that built the program"),
    IS(data_directory, "where data sets are kept; null if HOME is not set"),
    {.label = "version", .text = "{version}"},
    {.label = "compiler", .text = "{compiler}"},
    {.print = print_isas},
    {.label = "threads", .text = "{threads} ({cores core})"},
    {.label = "linear algebra", .text = "built in, the same bits on every machine"},
    {.when = "data_directory", .label = "data directory", .text = "{data_directory}"},
    {.when = "!data_directory", .label = "data directory", .text = "none: HOME is not set"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass info", "Include this when you report a problem."},
    {"isinglass info --json | jq -r .data_directory", "Tell a script where the data sets are."},
    {"isinglass info --isa ref --threads 1", "Check that this machine accepts a setting."},
    {NULL, NULL},
};

const command command_info = {
    .name = "info",
    .section = "This machine",
    .summary = "Show version, instruction set, threads and data directory",
    .description =
        "Shows the version and compiler of the program, the instruction set in use and those it "
        "knows, the number of threads, the linear algebra library, and the directory of data "
        "sets.\nOptions such as --threads or --data-dir are shown as they would take effect.",
    .results = results,
    .examples = examples,
    .run = run,
};
