/* zip_writer.h - writing zip archives
 *
 * SPDX-License-Identifier: MIT
 *
 * The archive is an isg_atomic_file: complete or absent; or it is made in memory, of the same bytes. Every
 * member has the date 1980-01-01, the earliest in zip, so that equal content gives equal bytes.
 */
#ifndef ISG_ZIP_WRITER_H
#define ISG_ZIP_WRITER_H

#include "base/status.h"

typedef struct isg_zip_writer isg_zip_writer;

/* In memory if `path` is NULL. */
isg_status isg_zip_writer_create(isg_zip_writer **out, const char *path);

/* ISG_ERR_ARGUMENT for a name that isg_zip_open() would refuse, or that already exists. With
   `is_deflated` the member is compressed if that makes it smaller, but never so much that
   isg_zip_member() would take it for a bomb. */
isg_status isg_zip_writer_add(isg_zip_writer *writer, const char *name, const void *bytes,
                              size_t count, bool is_deflated);

typedef struct isg_zip_part {
    const void *bytes;
    size_t count;
} isg_zip_part;

/* The same for a member in several pieces. */
isg_status isg_zip_writer_add_parts(isg_zip_writer *writer, const char *name,
                                    const isg_zip_part *parts, size_t n_parts, bool is_deflated);

/* Gives the archive its name. Nothing can be added afterwards. */
isg_status isg_zip_writer_commit(isg_zip_writer *writer);

/* Hands over the bytes of an archive in memory that was committed, to be released. */
void isg_zip_writer_take(isg_zip_writer *writer, void **bytes, size_t *size);

/* Leaves nothing behind unless committed. NULL is fine. */
void isg_zip_writer_free(isg_zip_writer *writer);

/* For tests: sizes, offsets and counts from `limit` on are written as zip64, so that tests need not
   write 4 GiB. */
void isg_zip_writer_widen_from(isg_zip_writer *writer, uint64_t limit);

#endif
