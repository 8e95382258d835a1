/* helper_hdf5.h - small HDF5 files, put together byte by byte
 *
 * SPDX-License-Identifier: MIT
 *
 * Much smaller than those of libhdf5, which leaves room for members to come; tests/checks/hdf5.sh
 * reads what libhdf5 writes.
 */
#ifndef ISG_HELPER_HDF5_H
#define ISG_HELPER_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H5_ROOM = 1 << 18, H5_MOST = 16 };

typedef struct h5_maker {
    size_t size;
    size_t per_node; /* children of a node of a tree; 0: any number */
    uint8_t bytes[H5_ROOM];
} h5_maker;

/* "i4", "u2" or "f8" are numbers, ">i4" big-endian ones; "S5" texts of 5 bytes; "b" are bools; "v"
   texts of any length, whose items are pointers to them; "c" a compound, which readers refuse. */
typedef struct h5_array {
    const char *name, *type; /* name: of an attribute, else unused; NULL ends a list of them */
    size_t n_dims, dims[3];
    const void *items; /* in this machine's byte order unless ">" */
    /* Data sets alone */
    bool is_compact;
    size_t chunk[3]; /* chunk[0] = 0: none */
    const char *
        filters; /* in the order of writing: "s" shuffle, "z" deflate, "l" lzf, "f" and "?" others */
    const struct h5_array *attributes;
} h5_array;

void h5_begin(h5_maker *maker);

/* Both return the address of the object. Names must be in order. */
uint64_t h5_dataset(h5_maker *maker, const h5_array *array);
uint64_t h5_group(h5_maker *maker, size_t count, const char *const *names, const uint64_t *members,
                  const h5_array *attributes);

void h5_end(h5_maker *maker, uint64_t root);

/* A file with one of everything: what tests and fuzzers start from. */
void h5_make_sample(h5_maker *maker);

/* The same cells as AnnData (`form` 'd': dense, 'r': CSR, 'c': CSC) and as 10x Genomics wrote them
   in their first ('1') and second ('2') form. */
void h5_make_cells(h5_maker *maker, char form);

#endif
