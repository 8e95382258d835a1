/* labels.h - labels of any kind become class indices
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_LABELS_H
#define ISG_LABELS_H

#include "base/status.h"

enum { ISG_LABEL_BYTES = 256 }; /* the longest class name, with its final zero */

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
   around a text do not count, as they do not around a number. */
isg_status isg_labels_add_text(isg_labels *labels, const char *text, const char *where);
isg_status isg_labels_add_whole(isg_labels *labels, int64_t value, const char *where);
isg_status isg_labels_add_number(isg_labels *labels, double value, const char *where);

/* Forgets the first label, which turned out to be a heading. */
void isg_labels_drop_first(isg_labels *labels);

/* Sorts the classes, by number if all are numbers, else bytewise, and renumbers the rows. Classes
   without a row are dropped. */
isg_status isg_labels_finish(isg_labels *labels);

/* The labels of some rows of `all`, which is finished, with all its classes, even those left without
   a row. `out` must be empty. */
isg_status isg_labels_take(isg_labels *out, const isg_labels *all, const size_t *rows,
                           size_t count);

void isg_labels_clear(isg_labels *labels);

#endif
