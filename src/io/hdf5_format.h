/* hdf5_format.h - what the parts of the HDF5 reader share
 *
 * SPDX-License-Identifier: MIT
 *
 * All numbers of the structures are little-endian, all addresses and lengths have 8 bytes. Names and
 * field offsets are those of the "HDF5 File Format Specification Version 3.0".
 */
#ifndef ISG_HDF5_FORMAT_H
#define ISG_HDF5_FORMAT_H

#include "io/hdf5.h"
#include "io/zip_format.h" /* isg_load16(), ... */

#define ISG_H5_NOWHERE UINT64_MAX
#define ISG_H5_REWRITE "; write it again from Python, with anndata or h5py and compression=\"gzip\""

/* Messages of an object header */
enum {
    ISG_H5_DATASPACE = 0x1,
    ISG_H5_DATATYPE = 0x3,
    ISG_H5_EXTERNAL = 0x7,
    ISG_H5_LAYOUT = 0x8,
    ISG_H5_FILTERS = 0xb,
    ISG_H5_ATTRIBUTE = 0xc,
    ISG_H5_CONTINUATION = 0x10,
    ISG_H5_SYMBOL_TABLE = 0x11,

    ISG_H5_SHARED = 2 /* flag: the message is elsewhere */
};

typedef struct isg_h5_message {
    unsigned type, flags;
    size_t size;
    const uint8_t *body;
} isg_h5_message;

/* A collection of the global heap, which holds variable texts. */
typedef struct isg_h5_heap {
    uint64_t address;
    void *bytes;
    size_t capacity, size;
    size_t next; /* where to look first: texts are read in the order in which they were written */
} isg_h5_heap;

enum { ISG_H5_HEAPS = 8, ISG_H5_MOST_LEVELS = 16 };

struct isg_h5 {
    isg_file *file;
    uint64_t end;  /* no structure reaches beyond */
    uint64_t root; /* the header of the root group */
    isg_h5_heap heaps[ISG_H5_HEAPS];
};

struct isg_h5_object {
    isg_h5 *h5;
    char *name;
    void *messages; /* 8 bytes of type, size and flags before each body */
    size_t used, capacity;
};

isg_status isg_h5_damaged(const char *name, const char *how);

/* Reads bytes that are part of `what`. */
isg_status isg_h5_read_at(isg_h5 *h5, const char *name, uint64_t address, void *bytes, size_t count,
                          const char *what);

/* The message at *at, which moves on to the next; false after the last. The second finds the first
   message of a type. */
bool isg_h5_next_message(const isg_h5_object *object, size_t *at, isg_h5_message *out);
bool isg_h5_find_message(const isg_h5_object *object, unsigned type, isg_h5_message *out);

/* Reads a datatype message; *used = its length. Kinds that the reader has no use for are
   ISG_H5_OTHER. */
isg_status isg_h5_parse_type(const char *name, const uint8_t *body, size_t size, isg_h5_type *out);

/* Reads a dataspace message: the dimensions of type->array. *count = their product. */
isg_status isg_h5_parse_space(const char *name, const uint8_t *body, size_t size, isg_h5_type *type,
                              size_t *count);

/* The text that an item of a data set or attribute stands for, as bytes in a buffer of the file;
   valid until the next call. `item` has the bytes that the type says. */
isg_status isg_h5_text_of(isg_h5 *h5, const char *name, const isg_h5_type *type,
                          const uint8_t *item, const char **text, size_t *length);

/* Walks the leaves of a version 1 B-tree from left to right. A level is reached from the one above
   alone, so the walk ends if the caller sees to it that keys grow. */
typedef struct isg_h5_tree {
    isg_h5 *h5;
    const char *name;
    unsigned kind; /* 0: of a group, 1: of chunks */
    size_t key_bytes;
    size_t depth; /* nodes on the way from the root; 0: nothing is left */
    struct {
        uint64_t address;
        unsigned used, next;
    } path[ISG_H5_MOST_LEVELS];
} isg_h5_tree;

enum { ISG_H5_MOST_KEY = 8 + 8 * (ISG_MAX_DIMS + 1) };

isg_status isg_h5_tree_start(isg_h5_tree *tree, uint64_t root);
isg_status isg_h5_tree_next(isg_h5_tree *tree, uint8_t key[ISG_H5_MOST_KEY], uint64_t *child,
                            bool *has_child);

#endif
