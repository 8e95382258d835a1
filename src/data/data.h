/* data.h - the inside of an isg_dataset, and labels, for other rooms
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DATA_H
#define ISG_DATA_H

#include <stdatomic.h>

#include "base/bits.h"
#include "base/status.h"
#include "io/zip.h"
#include "isinglass/data.h"

/* ---- labels of any kind become class indices ---------------------------------------------------- */

enum { ISG_LABEL_BYTES = 256 }; /* the longest class name, with its terminating zero */

/* The labels of a file, row after row, and the classes they name. */
typedef struct isg_labels {
    uint32_t *index; /* (count) class of each row */
    size_t count, capacity;
    char **names; /* (n_classes) */
    size_t n_classes, names_capacity;
    uint32_t *slots; /* hash table over names: class + 1, or 0 */
    size_t n_slots;
} isg_labels;

/* Appends the label of the next row. `where` begins the error sentence ("votes.csv: row 3"). Blanks
   around a text are ignored, as around a number. */
isg_status isg_labels_add_text(isg_labels *labels, const char *text, const char *where);
isg_status isg_labels_add_whole(isg_labels *labels, int64_t value, const char *where);
isg_status isg_labels_add_number(isg_labels *labels, double value, const char *where);

/* Drops the first label, which turned out to be a heading. */
void isg_labels_drop_first(isg_labels *labels);

/* Sorts the classes, by number if all are numbers, else bytewise, and renumbers the rows. Classes
   without a row are dropped. */
isg_status isg_labels_finish(isg_labels *labels);

/* The labels of some rows of `all`, which must be finished, with all its classes, even those left
   without a row. `out` must be empty. */
isg_status isg_labels_take(isg_labels *out, const isg_labels *all, const size_t *rows,
                           size_t count);

void isg_labels_clear(isg_labels *labels);

/* Appends the items of a one-dimensional array of an .npz file. */
isg_status isg_labels_read_member(isg_labels *labels, isg_zip *zip, const char *name);

/* ---- data sets ---------------------------------------------------------------------------------- */

/* The checksum of the spins, kept when it is first computed, by whoever has the data set as const. */
typedef struct isg_checksum {
    atomic_int state; /* 0: unknown, 1: being written, 2: known */
    char hex[65];
} isg_checksum;

struct isg_dataset {
    isg_dataset_info info;
    size_t words;      /* of one row */
    uint64_t *spins;   /* (n_samples, words) */
    isg_labels labels; /* finished; count is n_samples, or 0 without labels */
    size_t *class_sizes;
    isg_checksum *checksum;
};

/* An empty one, to be filled. */
isg_status isg_dataset_new(isg_dataset **out);

static inline uint64_t *isg_dataset_spins(const isg_dataset *data, size_t row) {
    return data->spins + row * data->words;
}

/* rows (n_samples): all rows, ordered by class and, within a class, as in the file; starts (n + 1):
   where each of the n groups begins. Without labels all rows are one group. Returns n. */
size_t isg_dataset_group(const isg_dataset *data, size_t *rows, size_t *starts);
static inline size_t isg_dataset_groups(const isg_dataset *data) {
    return data->labels.count ? data->info.n_classes : 1;
}

/* As isg_dataset_select(), but with `keep_classes` classes without a row stay: a class that lost
   its samples to a limit should be reported as missing, not forgotten. */
isg_status isg_dataset_take(isg_dataset **out, const isg_dataset *data, const size_t *rows,
                            size_t count, bool keep_classes);

/* Counts the classes of finished labels; call it once rows and labels are in place. */
isg_status isg_dataset_count_classes(isg_dataset *data);

/* The classes of a data set, without its samples: one label for each, in order. ISG_ERR_ARGUMENT unless there are at least two classes and
   each has a sample. `out` must be empty. */
isg_status isg_class_names(isg_labels *out, const isg_dataset *data);

#endif
