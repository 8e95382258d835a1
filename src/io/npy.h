/* npy.h - single arrays in NumPy's own file format
 *
 * SPDX-License-Identifier: MIT
 *
 * A magic number, a version, the length of a header, the header (a Python dictionary literal that
 * names type, order and shape), then the numbers. Python objects are never unpickled.
 */
#ifndef ISG_NPY_H
#define ISG_NPY_H

#include "io/array.h"

/* More than any header that isg_npy_header() writes. */
enum { ISG_NPY_HEADER_BYTES = 256 };

/* Reads the header (format 1.0, 2.0 or 3.0) and leaves the source at the first number. Calls
   isg_array_check(), so the source can hold all data that the header promises. */
isg_status isg_npy_read_header(isg_source *source, isg_array_type *out);

/* The header for the array, padded so that the data are aligned; returns its length. */
size_t isg_npy_header(const isg_array_type *type, uint8_t out[ISG_NPY_HEADER_BYTES]);

/* *bytes = the size of the array's data; ISG_ERR_ARGUMENT if it does not fit in memory. */
isg_status isg_npy_data_bytes(const isg_array_type *type, size_t *bytes);

/* Writes the file; `data` holds the numbers as `type` describes them, including the byte order. */
isg_status isg_npy_write(const char *path, const isg_array_type *type, const void *data);

#endif
