/* text_file.h - a file of text, whole or not at all
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_TEXT_FILE_H
#define CLI_TEXT_FILE_H

#include "cli/output.h"

/* Writes what was gathered in `text`; whatever had the name before is replaced. EXIT_NO_MEMORY if
   gathering ran out of memory, EXIT_FILE if the file cannot be written. */
exit_code text_file_write(const char *path, const output *text);

#endif
