/* zip.h - reading the members of a zip archive
 *
 * SPDX-License-Identifier: MIT
 *
 * Enough of zip for NumPy's .npz files: stored and deflated members, zip64. An archive is refused
 * if its parts overlap or contradict each other, or if a name would escape a directory.
 */
#ifndef ISG_ZIP_H
#define ISG_ZIP_H

#include "io/source.h"

typedef struct isg_zip isg_zip;

/* Reads and checks the directory and every local header. The second borrows bytes in memory, whose
   `name` begins error sentences ["bytes" if NULL], the third an open file. */
isg_status isg_zip_open_path(isg_zip **out, const char *path);
isg_status isg_zip_open_bytes(isg_zip **out, const char *name, const void *bytes, size_t size);
isg_status isg_zip_open(isg_zip **out, isg_file *file);

size_t isg_zip_count(const isg_zip *zip);
const char *isg_zip_name(const isg_zip *zip, size_t index); /* in the order of the directory */
const char *isg_zip_file_name(const isg_zip *zip);          /* of the archive itself */
bool isg_zip_find(const isg_zip *zip, const char *name, size_t *index);

/* The unpacked bytes of a member, as a source named "file.npz(X.npy)". isg_source_end() checks
   their number and checksum. Several members may be read at once. */
isg_status isg_zip_member(isg_source **out, isg_zip *zip, size_t index);

void isg_zip_close(isg_zip *zip); /* NULL is fine */

/* Why a member must not have this name, such as "its name is empty"; NULL if it may. */
const char *isg_zip_name_problem(const char *name, size_t length);

#endif
