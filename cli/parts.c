/* parts.c - the parts of a text that a user types with separators between them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/parts.h"

#include <string.h>

bool part_cut(const char **rest, char separator, char part[PART_BYTES]) {
    const char *end = strchr(*rest, separator);
    const size_t length = end ? (size_t)(end - *rest) : strlen(*rest);
    if (length >= PART_BYTES)
        return false;
    memcpy(part, *rest, length);
    part[length] = '\0';
    *rest = end ? end + 1 : NULL;
    return true;
}
