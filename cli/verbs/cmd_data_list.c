/* cmd_data_list.c - isinglass data list: the data sets known by name
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/allocation.h"
#include "cli/catalog.h"
#include "cli/command.h"

typedef struct known_set {
    const char *name, *what, *values, *labels, *license, *reference;
    char *source;
    size_t samples, units, n_classes;
    bool installed;
} known_set;

typedef struct data_list_result {
    result_list sets;
    const char *directory;
} data_list_result;

/* Whether all files are there; whether they are undamaged, `data get` says. */
static exit_code look_for(const invocation *call, const catalog_entry *entry, bool *is_there) {
    *is_there = true;
    for (size_t k = 0; entry->files[k].name; k++) {
        char *path = NULL;
        const exit_code code = catalog_path(&path, &call->common, entry, k);
        if (code != EXIT_DONE)
            return code;
        *is_there = *is_there && access(path, F_OK) == 0;
        memory_release(path);
    }
    return EXIT_DONE;
}

static exit_code run(const invocation *call) {
    size_t count = 0;
    char *directory = NULL;
    exit_code code = data_directory(&directory, &call->common);
    if (code != EXIT_DONE)
        return code;
    while (catalog[count].name)
        count++;
    known_set *sets = memory_allocate(count, sizeof *sets);
    if (!sets)
        code = fail_memory();
    for (size_t k = 0; k < count && code == EXIT_DONE; k++) {
        const catalog_entry *entry = &catalog[k];
        sets[k] = (known_set){.name = entry->name,
                              .what = entry->what,
                              .values = entry->values,
                              .labels = entry->labels,
                              .license = entry->license,
                              .reference = entry->reference,
                              .source = catalog_package(entry),
                              .samples = entry->samples,
                              .units = entry->units,
                              .n_classes = entry->classes};
        code = sets[k].source ? look_for(call, entry, &sets[k].installed) : fail_memory();
    }
    if (code == EXIT_DONE)
        result_show(
            call, &(data_list_result){.sets = {sets, count, sizeof *sets}, .directory = directory});
    for (size_t k = 0; sets && k < count; k++)
        memory_release(sets[k].source);
    memory_release(sets);
    memory_release(directory);
    return code;
}

/* clang-format off */
#define SET(field, what) RESULT(known_set, field, what)

static const result_entry set_results[] = {
    SET(name, "as DATA and 'isinglass data get' take it"),
    SET(what, "what the samples are"),
    SET(samples, "number of samples; of mnist and fashion, those for training"),
    SET(units, "number of values in a sample"),
    SET(values, "what a value is"),
    SET(n_classes, "number of classes"),
    SET(labels, "what a class is"),
    SET(source, "the package and the version that was verified"),
    SET(license, "what the package says about it"),
    SET(reference, "the publication to cite"),
    SET(installed, "whether its files are in the data directory"),
    {.text = "{name:-12} {samples:8} {units:7} {n_classes:8}  {installed:-9} {what}"},
    {.text = "             values: {values}; classes: {labels}"},
    {.text = "             {source}; license: {license}"},
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_LIST_OF(data_list_result, sets, set_results, NULL),
    RESULT(data_list_result, directory, "the data directory"),
    {.text = "name          samples   units  classes  installed in {directory}"},
    {.each = "sets"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass data list", "Print what 'isinglass data get' can fetch."},
    {NULL, NULL},
};
/* clang-format on */

const command command_data_list = {
    .group = "data",
    .name = "list",
    .section = "Data",
    .summary = "List the data sets known by name, with source and license",
    .description =
        "Prints the data sets that 'isinglass data get' fetches and that all verbs accept by "
        "name: how large they are, what values and classes mean, which package they come "
        "from, its license, and whether they are installed. --json adds the publication to "
        "cite.",
    .results = results,
    .examples = examples,
    .run = run,
};
