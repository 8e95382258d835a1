/* parts.h - the parts of a text that a user types with separators between them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <stdbool.h>

enum { PART_BYTES = 64 };

/* Copies what stands before the first separator, and leaves `rest` at what follows it, or NULL after
   the last part. False if the part is longer than any that means something. */
bool part_cut(const char **rest, char separator, char part[PART_BYTES]);

#endif
