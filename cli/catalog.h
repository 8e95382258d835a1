/* catalog.h - the data sets known by name
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "cli/common.h"

typedef struct catalog_file {
    const char *name;   /* in the data directory, unpacked */
    const char *sha256; /* of its content */
} catalog_file;

enum {
    CATALOG_TRAIN_IMAGES,
    CATALOG_TRAIN_LABELS,
    CATALOG_TEST_IMAGES,
    CATALOG_TEST_LABELS,
    CATALOG_FILES
};

typedef struct catalog_entry {
    const char *name;       /* "mnist"; NULL ends the catalog */
    const char *npm;        /* the npm package that has the files, or NULL */
    const char *npm_dir;    /* where in the package they are */
    const char *system_dir; /* where the Debian package puts them, or NULL */
    const char *advice;     /* what to do if they cannot be fetched */
    catalog_file files[CATALOG_FILES];
} catalog_entry;

extern const catalog_entry catalog[];

/* The entry of this name; NULL if there is none. `length` is that of the name. */
const catalog_entry *catalog_find(const char *name, size_t length);

/* "DIR/mnist/train-images-idx3-ubyte", whether it exists or not; the caller releases it. */
exit_code catalog_path(char **out, const common_settings *common, const catalog_entry *entry,
                       size_t file);

#endif
