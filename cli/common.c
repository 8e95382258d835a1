/* common.c - the options that every verb takes, and what they do
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/common.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/command.h"
#include "src/base/number.h"
#include "src/base/ranks.h"

enum { MAXIMUM_THREADS = 1024 };

#define FIELD(name) offsetof(common_settings, name)

/* clang-format off */
/* What completion offers; the library knows which of these exist. */
static const char *const isa_names[] = {
    "ref", "baseline",
#if defined(__x86_64__)
    "avx2", "avx512",
#elif defined(__aarch64__)
    "neon",
#endif
    "best", NULL,
};

const option_entry common_options[] = {
    {.name = "seed", .kind = OPTION_UINT64, .metavar = "N", .offset = FIELD(seed),
     .help = "Random seed; the same seed gives the same result on any number of threads"},
    {.name = "threads", .kind = OPTION_SIZE, .metavar = "N", .low = 1, .high = MAXIMUM_THREADS,
     .otherwise = "$OMP_NUM_THREADS or one per core", .offset = FIELD(threads),
     .help = "Use N threads, 1 to 1024; does not change the result"},
    {.name = "isa", .kind = OPTION_TEXT, .metavar = "NAME", .otherwise = "best",
     .choices = isa_names, .offset = FIELD(isa),
     .help = "Use this instruction set; 'isinglass info' lists them"},
    {.name = "json", .kind = OPTION_FLAG, .offset = FIELD(json),
     .help = "Print the result as one JSON document"},
    {.name = "quiet", .kind = OPTION_FLAG, .offset = FIELD(quiet),
     .help = "Show only results and errors, no progress and no remarks"},
    {.name = "force", .kind = OPTION_FLAG, .offset = FIELD(force),
     .help = "Overwrite existing files; with a model, allow another --binarize"},
    {.name = "data-dir", .kind = OPTION_DIRECTORY, .metavar = "DIR", .offset = FIELD(data_dir),
     .otherwise = "$ISINGLASS_DATA, else $XDG_DATA_HOME/isinglass, else "
                  "~/.local/share/isinglass",
     .help = "Keep data sets in this directory"},
    {.name = "", .letter = 'h', .kind = OPTION_FLAG, .offset = FIELD(short_help),
     .help = "Show short help"},
    {.name = "help", .kind = OPTION_FLAG, .offset = FIELD(full_help),
     .help = "Show full help, with examples"},
    {.name = "version", .kind = OPTION_FLAG, .offset = FIELD(version),
     .help = "Show the version"},
    {.name = "print-man", .kind = OPTION_FLAG, .is_hidden = true, .offset = FIELD(print_man),
     .help = "Print the manual page"},
    {.name = "print-completion", .kind = OPTION_FLAG, .is_hidden = true,
     .offset = FIELD(print_completion), .help = "Print the completion for bash"},
    {.name = NULL},
};
/* clang-format on */

const environment_variable environment_variables[] = {
    {"ISINGLASS_DATA", "Directory of data sets, if --data-dir is not given"},
    {"XDG_DATA_HOME", "If neither is given, data sets are in its subdirectory isinglass; must be "
                      "an absolute path"},
    {"OMP_NUM_THREADS", "Number of threads, if --threads is not given"},
    {"OMP_WAIT_POLICY", "How idle threads wait: active or passive [default: passive]"},
    {"NO_COLOR", "If set and not empty, the progress bar has no color"},
    {NULL, NULL},
};

common_settings common_defaults(void) {
    return (common_settings){.seed = 1};
}

/* An empty variable counts as not set, as the XDG specification asks. */
static const char *environment(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

/* The first number of OMP_NUM_THREADS, which may be a list for nested regions; 0 (one per core) if
   there is no valid one. */
static size_t threads_of_environment(void) {
    const char *list = environment("OMP_NUM_THREADS");
    char first[8] = "";
    size_t threads = 0;
    const size_t length = list ? strcspn(list, ", ") : 0;
    if (length == 0 || length >= sizeof first)
        return 0;
    memcpy(first, list, length);
    return isg_parse_size(first, &threads) && threads <= MAXIMUM_THREADS ? threads : 0;
}

static void *pass_gate(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many threads, at most `wanted` and including this one, can exist at a time. */
static size_t count_possible(size_t wanted) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t others[MAXIMUM_THREADS];
    size_t started = 0;
    pthread_mutex_lock(&gate);
    while (started + 1 < wanted && started < MAXIMUM_THREADS &&
           pthread_create(&others[started], NULL, pass_gate, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (size_t k = 0; k < started; k++)
        pthread_join(others[k], NULL);
    return started + 1;
}

/* OpenMP aborts the program if it cannot create its threads (ulimit -u, a small container). Results
   do not depend on their number, so use fewer instead. */
static void choose_threads(const common_settings *common) {
    isg_set_threads(common->threads ? common->threads : threads_of_environment());
    const size_t wanted = isg_threads(), possible = count_possible(wanted);
    if (possible >= wanted)
        return;
    isg_set_threads(possible);
    notice(common->quiet, "using %zu of %zu threads, since the system allows no more", possible,
           wanted);
}

exit_code common_apply(const common_settings *common) {
    choose_threads(common);
    return common->isa ? fail_status(isg_set_isa(common->isa)) : EXIT_DONE;
}

exit_code data_directory(char **out, const common_settings *common) {
    const char *given = common->data_dir ? common->data_dir : environment("ISINGLASS_DATA");
    const char *xdg = environment("XDG_DATA_HOME"), *home = environment("HOME");
    char *path = NULL;
    if (given)
        path = memory_format("%s", given);
    else if (xdg && xdg[0] == '/')
        path = memory_format("%s/isinglass", xdg);
    else if (home)
        path = memory_format("%s/.local/share/isinglass", home);
    else
        return fail(EXIT_MISUSED, "data directory: HOME is not set, so give --data-dir DIR or set "
                                  "ISINGLASS_DATA");
    if (!path)
        return fail_memory();
    *out = path;
    return EXIT_DONE;
}

bool ends_in(const char *path, const char *ending) {
    const size_t length = strlen(path), expected = strlen(ending);
    return length > expected && strcmp(path + length - expected, ending) == 0;
}

/* The file's directory must be there before the work begins. */
static exit_code check_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return EXIT_DONE;
    char *directory = memory_format("%.*s", (int)(slash - path), path);
    if (!directory)
        return fail_memory();
    const exit_code code =
        access(directory, W_OK) == 0
            ? EXIT_DONE
            : fail(EXIT_FILE, "%s: could not be written: %s", path, strerror(errno));
    memory_release(directory);
    return code;
}

/* A call must not write one of its files over another. */
static exit_code check_others(const char *path) {
    enum { MOST = 8 };
    static const char *others[MOST]; /* arguments of the program, which stay */
    size_t k = 0;
    for (; k < MOST && others[k]; k++)
        if (others[k] != path && strcmp(others[k], path) == 0)
            return fail(EXIT_MISUSED, "%s: is named for two results; give each a file of its own",
                        path);
    if (k < MOST)
        others[k] = path;
    return EXIT_DONE;
}

exit_code may_write(const common_settings *common, const char *path, const char *ending) {
    if (!ends_in(path, ending))
        return fail(EXIT_MISUSED, "%s: expected a file name that ends in %s", path, ending);
    exit_code code = check_others(path);
    if (code == EXIT_DONE)
        code = check_directory(path);
    if (code != EXIT_DONE)
        return code;
    if (!common->force && isg_rank() == 0 &&
        access(path, F_OK) == 0) /* others may see what it writes */
        return fail(EXIT_FILE, "%s: already exists; use --force to overwrite it", path);
    return EXIT_DONE;
}

exit_code may_write_picture(const common_settings *common, const char *path) {
    const bool is_svg = ends_in(path, ".svg");
    if (!is_svg && !ends_in(path, ".png"))
        return fail(EXIT_MISUSED, "%s: expected a file name that ends in .png or .svg", path);
    return may_write(common, path, is_svg ? ".svg" : ".png");
}
