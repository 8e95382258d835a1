/* names.h - a list of names in one block of memory, and how to find one
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_NAMES_H
#define ISG_NAMES_H

#include "base/status.h"

/* Names of units or samples; there may be a hundred thousand. Start from {0}. */
typedef struct isg_names {
    char *text; /* all of them, each with its terminating zero */
    size_t used, text_capacity;
    size_t *starts; /* (count) */
    size_t count, capacity;
} isg_names;

isg_status isg_names_add(isg_names *names, const char *text, size_t length);
const char *isg_names_at(const isg_names *names, size_t k);
isg_status isg_names_copy(isg_names *out, const isg_names *from); /* `out` must be empty */
void isg_names_clear(isg_names *names);

/* The names at `which` (count) only, in this order, which must be ascending. */
void isg_names_keep(isg_names *names, const size_t *which, size_t count);

/* The second unit called A becomes A-1, the third A-2, and so on, as the tools for single cells do:
   gene symbols are not unique. */
isg_status isg_names_make_unique(isg_names *names);

/* A hash table over names, which it borrows. */
typedef struct isg_name_index {
    const isg_names *names;
    size_t *slots; /* name + 1, or 0 */
    size_t n_slots;
    size_t repeated; /* a name that occurs twice, or SIZE_MAX; the first one is found */
} isg_name_index;

isg_status isg_name_index_create(isg_name_index *out, const isg_names *names);
size_t isg_name_index_find(const isg_name_index *index, const char *name); /* or SIZE_MAX */
void isg_name_index_clear(isg_name_index *index);

#endif
