/* whole_file.c - writing a file from the caller's bytes
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/atomic_file.h"
#include "isinglass/data.h"

isg_status isg_file_write(const char *path, const void *bytes, size_t count) {
    return isg_write_file(path, bytes, count);
}
