/* atomic_file.h - files that are either complete or absent
 *
 * SPDX-License-Identifier: MIT
 *
 * Bytes go to a temporary name in the same directory; commit() syncs them to disk, renames the file
 * and syncs the directory. A crash at any moment leaves the old file or the new one. Of several ranks, only
 * rank 0 writes; what others write is dropped.
 */
#ifndef ISG_ATOMIC_FILE_H
#define ISG_ATOMIC_FILE_H

#include "base/status.h"

typedef struct isg_atomic_file isg_atomic_file;

isg_status isg_atomic_file_create(isg_atomic_file **out, const char *path);
isg_status isg_atomic_file_write(isg_atomic_file *file, const void *bytes, size_t count);
uint64_t isg_atomic_file_size(const isg_atomic_file *file); /* bytes written so far */

/* Gives the file its name. Call isg_atomic_file_free() afterwards, even on failure. */
isg_status isg_atomic_file_commit(isg_atomic_file *file);

/* Removes the temporary file unless it was committed. NULL is fine. */
void isg_atomic_file_free(isg_atomic_file *file);

/* Creates, writes and commits in one call. */
isg_status isg_write_file(const char *path, const void *bytes, size_t count);

#endif
