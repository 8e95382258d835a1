/* parts.h - the parts of a text that a user types with separators between them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <stdbool.h>

enum { PART_BYTES = 64 };

/* Copies the text before the first separator and sets `rest` to what follows it, or to NULL after
   the last part. False if the part is too long to be valid. */
bool part_cut(const char **rest, char separator, char part[PART_BYTES]);

#endif
