/* verified_file.h - files whose content is known by its SHA-256
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_VERIFIED_FILE_H
#define ISG_VERIFIED_FILE_H

#include "base/status.h"

/* ISG_ERR_FORMAT unless the content of the file, unpacked if its name ends in .gz, has this
   SHA-256 (64 hexadecimal digits, small letters). */
isg_status isg_file_check(const char *path, const char *sha256, const isg_progress *progress);

/* Writes the unpacked content of `from` to `to`, whole or not at all, if it has this SHA-256. */
isg_status isg_file_install(const char *from, const char *to, const char *sha256,
                            const isg_progress *progress);

/* ISG_ERR_FORMAT, naming the file, if the two differ. */
isg_status isg_compare_sha256(const char *name, const char *found, const char *expected);

#endif
