/* array.h - the type and shape of an array in a file, and how to decode its items
 *
 * SPDX-License-Identifier: MIT
 *
 * IDX and NPY differ only in how they encode the type and shape.
 */
#ifndef ISG_ARRAY_H
#define ISG_ARRAY_H

#include "io/source.h"

typedef enum isg_dtype {
    ISG_BOOL,
    ISG_INT8,
    ISG_INT16,
    ISG_INT32,
    ISG_INT64,
    ISG_UINT8,
    ISG_UINT16,
    ISG_UINT32,
    ISG_UINT64,
    ISG_FLOAT16,
    ISG_FLOAT32,
    ISG_FLOAT64,
    ISG_BYTES,  /* text of item_bytes bytes, padded with zeros */
    ISG_UNICODE /* text of item_bytes / 4 code points of 32 bits, padded with zeros */
} isg_dtype;

enum { ISG_MAX_DIMS = 4 };

typedef struct isg_array_type {
    isg_dtype dtype;
    size_t item_bytes;
    bool is_big_endian;
    bool is_column_major; /* the first index runs fastest ("Fortran order") */
    size_t n_dims;
    size_t dims[ISG_MAX_DIMS];
} isg_array_type;

/* Numbers in this machine's byte order, the last index running fastest. */
isg_array_type isg_array_type_of(isg_dtype dtype, size_t n_dims, const size_t *dims);

size_t isg_dtype_bytes(isg_dtype dtype);     /* of one number; 0 for text */
const char *isg_dtype_name(isg_dtype dtype); /* "float64", as in NumPy */
bool isg_dtype_is_text(isg_dtype dtype);
bool isg_dtype_is_whole(isg_dtype dtype); /* bool and the integers */

/* The product of the dimensions. Header readers call isg_array_check(), so this product times
   item_bytes fits in size_t. */
size_t isg_array_count(const isg_array_type *type);

/* ISG_ERR_FORMAT unless the source, which is at the first item, can hold all bytes that the header
   promises. Call this before allocating anything for them. */
isg_status isg_array_check(const isg_array_type *type, const isg_source *source);

/* Reads the next `count` items into `raw`. ISG_ERR_FORMAT if the source ends early, in the middle
   of `what`, or a bool is neither 0 nor 1. */
isg_status isg_array_read(isg_source *source, const isg_array_type *type, size_t count,
                          const char *what, void *raw);

/* Decodes `count` raw numbers; whole numbers beyond 2^53 are rounded. Not for text. */
void isg_array_decode(const isg_array_type *type, const void *raw, size_t count, double *out);

/* The same for whole-number types, exactly; false if an unsigned number exceeds INT64_MAX. */
bool isg_array_decode_whole(const isg_array_type *type, const void *raw, size_t count,
                            int64_t *out);

/* Text item number `index` of `raw` as UTF-8 in out (`room` bytes with the terminating zero); false
   if it is not valid text or does not fit. */
bool isg_array_decode_text(const isg_array_type *type, const void *raw, size_t index, char *out,
                           size_t room);

#endif
