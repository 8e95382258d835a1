/* file.h - the bytes of a regular file, by position
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_FILE_H
#define ISG_FILE_H

#include "base/status.h"

typedef struct isg_file isg_file;

/* Opens a regular file for reading. ISG_ERR_IO if it is missing or unreadable, ISG_ERR_FORMAT if
   it is a directory, a pipe or a device: only a regular file has a size to check against. */
isg_status isg_file_open(isg_file **out, const char *path);

/* The same view of `size` bytes in memory, which are borrowed. */
isg_status isg_file_from_memory(isg_file **out, const char *name, const void *bytes, size_t size);

const char *isg_file_name(const isg_file *file);
uint64_t isg_file_size(const isg_file *file);

/* Reads exactly `count` bytes; ISG_ERR_FORMAT if the file ends before. */
isg_status isg_file_read_at(isg_file *file, uint64_t offset, void *buffer, size_t count);

void isg_file_close(isg_file *file); /* NULL is fine */

#endif
