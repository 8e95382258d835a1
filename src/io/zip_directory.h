/* zip_directory.h - finding the directory of a zip archive
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_ZIP_DIRECTORY_H
#define ISG_ZIP_DIRECTORY_H

#include "base/file.h"

typedef struct isg_zip_directory {
    uint64_t offset, size; /* in bytes, from the start of the file */
    uint64_t count;        /* of members, according to the end record */
} isg_zip_directory;

/* Finds the directory through the end records, which must end where the file ends and begin where
   the directory ends. It lies inside the file and has room for `count` headers. */
isg_status isg_zip_locate(isg_file *file, isg_zip_directory *out);

#endif
