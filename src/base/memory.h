/* memory.h - the only place that allocates
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_MEMORY_H
#define ISG_MEMORY_H

#include "base/status.h"

/* Every block starts on a cache line, which is also the widest vector. */
enum { ISG_ALIGNMENT = 64 };

/* *out = a * b; false if the product does not fit in size_t. */
bool isg_multiply(size_t *out, size_t a, size_t b);

/* `count` zeroed objects of `size` bytes; a count of zero gives a valid pointer. NULL with the
   message set if out of memory or if the product overflows. */
void *isg_allocate(size_t count, size_t size);
void isg_release(void *pointer); /* NULL is fine */

/* A status for "pointer = count zeroed objects", for use inside ISG_TRY. */
#define ISG_ALLOCATE(pointer, count)                                                               \
    (((pointer) = isg_allocate((count), sizeof *(pointer))) ? ISG_OK : ISG_ERR_MEMORY)

/* The same for a matrix; the product of its sizes is checked. A row must fit in memory. */
#define ISG_ALLOCATE_MATRIX(pointer, rows, cols)                                                   \
    (((pointer) = isg_allocate((rows), (cols) * sizeof *(pointer))) ? ISG_OK : ISG_ERR_MEMORY)

/* Grows *pointer (holding *capacity objects of `size` bytes) to at least `needed` objects, by
   doubling. On failure nothing changes. */
isg_status isg_grow(void **pointer, size_t *capacity, size_t needed, size_t size);

/* A copy of the text; NULL with the message set if out of memory. */
char *isg_copy_text(const char *text);

/* The allocator as zlib and libpng call it. */
void *isg_zlib_allocate(void *user, unsigned count, unsigned size);
void isg_zlib_release(void *user, void *pointer);

#endif
