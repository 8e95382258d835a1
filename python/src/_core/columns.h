/* columns.h - many structs of the library as arrays, one per member
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISINGLASS_COLUMNS_H
#define ISINGLASS_COLUMNS_H

#include "core.h"

/* A new dictionary with a memoryview per member, which numpy.asarray() takes without a copy: bool
   as '?', sizes as 64 bits with -1 for SIZE_MAX, numbers as 'd', choices as 'b' by their place in
   `choices`. `records` (count) are structs of `bytes` bytes that `fields` describes. */
PyObject *core_columns(const void *records, size_t count, size_t bytes, const core_field *fields);

/* A packed row of units from an array of bool (n); None gives NULL without an error. Free it with
   PyMem_Free(). */
bool core_mask(uint64_t **out, PyObject *object, const char *name, size_t n);

/* A handle of data with this many units; else NULL with an exception. */
isg_dataset *core_data_of(PyObject *data, const char *name, size_t n_visible);

#endif
