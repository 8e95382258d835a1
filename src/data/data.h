/* data.h - the inside of an isg_dataset, and labels, for other rooms
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DATA_H
#define ISG_DATA_H

#include <stdatomic.h>

#include "base/bits.h"
#include "base/names.h"
#include "base/status.h"
#include "io/npz.h"
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
isg_status isg_labels_add_none(isg_labels *labels); /* ISG_UNLABELLED */
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

/* Writes the class names: as whole numbers if all are, else as text. Writes nothing without
   labels. */
isg_status isg_labels_write(const isg_labels *labels, isg_npz_writer *writer, const char *name);

/* Appends the items of a one-dimensional array of an .npz file. */
isg_status isg_labels_read_member(isg_labels *labels, isg_zip *zip, const char *name);

/* The array "classes" of an archive: at least `least` names, 1 or 2, each once and in order. `classes` must
   be empty, and is the caller's to clear, after a failure too. */
isg_status isg_classes_read(isg_labels *classes, isg_zip *zip, size_t least);

/* ---- encodings ---------------------------------------------------------------------------------- */

struct isg_encoding {
    atomic_int users;
    isg_encoding_info info;
    double *thresholds; /* (n_visible) */
    size_t *columns; /* (n_visible), ascending: the column of the file that is unit i; NULL if i */
    uint64_t *fill;  /* packed: the majority of the training data; NULL if unknown */
    isg_names units; /* n_visible, or none */
};

/* Thresholds, columns and fill are the caller's to set until it is shared. */
isg_status isg_encoding_create(isg_encoding **out, size_t n_visible);
void isg_encoding_free(isg_encoding *encoding); /* the last user's frees it; NULL is fine */

/* One more user of it, who frees it; NULL for NULL. */
isg_encoding *isg_encoding_share(const isg_encoding *encoding);

/* Write and read encoding.json, thresholds, columns, fill and units. NULL writes nothing; a file
   without encoding.json gives NULL. ISG_ERR_SHAPE unless it has n_visible units. */
isg_status isg_encoding_write(const isg_encoding *encoding, isg_npz_writer *writer);
isg_status isg_encoding_read(isg_encoding **out, isg_zip *zip, size_t n_visible);

/* Texts as an array of an archive; an empty list writes nothing. Reading appends. */
isg_status isg_names_write(const isg_names *names, isg_npz_writer *writer, const char *array);
isg_status isg_names_read(isg_names *names, isg_zip *zip, const char *array);

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
    isg_encoding *encoding; /* NULL if unknown */
    isg_names ids;          /* n_samples, or none */
    uint64_t *missing;      /* as spins: set where a value is to be imputed; NULL if nowhere */
};

/* An empty one, to be filled. */
isg_status isg_dataset_new(isg_dataset **out);

/* Of spins -1, without labels. */
isg_status isg_dataset_allocate(isg_dataset **out, size_t n_samples, size_t n_visible);

static inline uint64_t *isg_dataset_spins(const isg_dataset *data, size_t row) {
    return data->spins + row * data->words;
}

/* rows (n_samples): all labelled rows, ordered by class and, within a class, as in the file; starts (n + 1):
   where each of the n groups begins. Without labels all rows are one group. Returns n. */
size_t isg_dataset_group(const isg_dataset *data, size_t *rows, size_t *starts);
static inline size_t isg_dataset_groups(const isg_dataset *data) {
    return data->labels.count ? data->info.n_classes : 1;
}

/* Keeps the rows (count), which must be ascending, in place; see isg_dataset_take() for classes. */
isg_status isg_dataset_keep(isg_dataset *data, const size_t *rows, size_t count, bool keep_classes);

/* Leaves out units, which are ascending, of a data set whose encoding nobody shares. */
isg_status isg_dataset_drop_units(isg_dataset *data, const size_t *units, size_t n_dropped);

/* How many samples have +1 in each unit (n_visible), of those whose value is not missing (known,
   unless NULL). */
isg_status isg_dataset_count_units(const isg_dataset *data, size_t *positive, size_t *known);

/* SHA-256 of the plane of missing values, which there must be; as isg_dataset_checksum(). */
void isg_dataset_missing_checksum(const isg_dataset *data, char hex[65]);

/* As isg_dataset_select(), but with `keep_classes` classes without a row stay: a class that lost
   its samples to a limit should be reported as missing, not forgotten. */
isg_status isg_dataset_take(isg_dataset **out, const isg_dataset *data, const size_t *rows,
                            size_t count, bool keep_classes);

/* The labels of the data (n_samples) as places in a list of classes, found by name; ISG_UNLABELLED for a
   sample without one. ISG_ERR_ARGUMENT if the data have no labels, or samples of a class that is not in the
   list, which is that of a `what`. */
isg_status isg_labels_match(uint32_t *labels, const isg_dataset *data, const isg_labels *classes,
                            const char *what);

/* The place of a class in the list; n_classes if it is not there. */
size_t isg_labels_find(const isg_labels *classes, const char *name);

/* Counts the classes of finished labels; call it once rows and labels are in place. */
isg_status isg_dataset_count_classes(isg_dataset *data);

/* The classes of a data set, without its samples: one label for each, in order. ISG_ERR_ARGUMENT unless there are at least two classes and
   each has a sample. `out` must be empty. */
isg_status isg_class_names(isg_labels *out, const isg_dataset *data);

#endif
