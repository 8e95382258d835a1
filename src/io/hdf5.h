/* hdf5.h - reading HDF5 files: the part of the format that AnnData and 10x Genomics use
 *
 * SPDX-License-Identifier: MIT
 *
 * Files as h5py writes them unless told otherwise: groups with symbol tables; numbers, fixed and
 * variable texts of at most two dimensions; compact, contiguous or chunked, packed with gzip or lzf,
 * with or without shuffle. Whatever lies beyond is refused with ISG_ERR_UNSUPPORTED and what to do.
 * Nothing is trusted: each address and size is checked against the file before it is used, trees and
 * lists must make progress, and a data set is read piece by piece.
 */
#ifndef ISG_HDF5_H
#define ISG_HDF5_H

#include "io/array.h"

typedef struct isg_h5 isg_h5;
typedef struct isg_h5_object isg_h5_object;   /* a group or a data set */
typedef struct isg_h5_dataset isg_h5_dataset; /* one that is being read */

/* Borrows the file, which must be whole: one that was cut off says so in its first bytes. */
isg_status isg_h5_open(isg_h5 **out, isg_file *file);
void isg_h5_close(isg_h5 *h5); /* NULL is fine */

/* "/obs/louvain"; "/" is the root. *out = NULL if there is no such object. */
isg_status isg_h5_find(isg_h5_object **out, isg_h5 *h5, const char *path);
void isg_h5_release(isg_h5_object *object); /* NULL is fine */

/* "cells.h5ad(/obs)": the beginning of error sentences. */
const char *isg_h5_object_name(const isg_h5_object *object);
bool isg_h5_is_group(const isg_h5_object *object);

/* Calls `visit` for every member of a group, by the order of names. */
typedef isg_status isg_h5_visit(void *user, const char *name);
isg_status isg_h5_members(const isg_h5_object *group, isg_h5_visit *visit, void *user);

/* The attribute, which is one text; out = "" if there is none of the name. */
isg_status isg_h5_text_attribute(const isg_h5_object *object, const char *name, char *out,
                                 size_t room);

/* The attribute, which is `count` whole numbers; *found says if it is there. */
isg_status isg_h5_whole_attribute(const isg_h5_object *object, const char *name, size_t count,
                                  int64_t *out, bool *found);

typedef enum isg_h5_kind {
    ISG_H5_NUMBER,
    ISG_H5_FIXED_TEXT,    /* padded with zeros or spaces */
    ISG_H5_VARIABLE_TEXT, /* the item says where in the file the text is */
    ISG_H5_OTHER          /* compound, reference, ...: cannot be read */
} isg_h5_kind;

typedef struct isg_h5_type {
    isg_h5_kind kind;
    bool is_bool;         /* a number that is 0 or 1, which mean False and True */
    bool pads_with_space; /* a fixed text */
    const char *what;     /* ISG_H5_OTHER: "a compound type" */
    isg_array_type array; /* 1 or 2 dimensions; a scalar has one item */
} isg_h5_type;

/* Opens a data set for reading from its first item. ISG_ERR_FORMAT if there is none of this path. */
isg_status isg_h5_dataset_open(isg_h5_dataset **out, isg_h5 *h5, const char *path);
void isg_h5_dataset_close(isg_h5_dataset *data); /* NULL is fine */
const char *isg_h5_dataset_name(const isg_h5_dataset *data);
const isg_h5_type *isg_h5_dataset_type(const isg_h5_dataset *data);

/* The next `count` numbers or the next text of a one-dimensional data set, which must have them. A
   text is valid UTF-8 and lives until the next call. */
isg_status isg_h5_read_numbers(isg_h5_dataset *data, size_t count, double *out);
isg_status isg_h5_read_wholes(isg_h5_dataset *data, size_t count, int64_t *out);
isg_status isg_h5_read_text(isg_h5_dataset *data, const char **out);

/* A rectangle of a data set; one of a single dimension has one column. */
typedef struct isg_h5_block {
    size_t row, column, rows, columns;
    const uint8_t *items; /* the first row */
    size_t pitch;         /* bytes from one row to the next */
} isg_h5_block;

/* The next part of a data set, in the order of the file; rows = 0 after the last. Rows are complete
   or not, as the file has it: no more than one chunk is in memory. */
isg_status isg_h5_next_block(isg_h5_dataset *data, isg_h5_block *out);

#endif
