/* text_lines.h - reading a source line by line
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TEXT_LINES_H
#define ISG_TEXT_LINES_H

#include "base/buffer.h"
#include "io/source.h"

enum { ISG_MOST_LINE_BYTES = ISG_BUFFER_BYTES }; /* unless isg_text_lines_allow() allows more */

typedef struct isg_text_lines isg_text_lines;

/* Borrows `source`. */
isg_status isg_text_lines_create(isg_text_lines **out, isg_source *source);

/* The next line without its LF or CRLF, NUL-terminated, which the caller may modify until the next
   call; NULL after the last. Refuses lines that are too long and lines with NUL bytes. */
isg_status isg_text_lines_next(isg_text_lines *lines, char **line);
void isg_text_lines_allow(isg_text_lines *lines, size_t most_bytes);

size_t isg_text_lines_number(const isg_text_lines *lines); /* of the current line, from 1 */

/* The most bytes that can still follow the current line. */
uint64_t isg_text_lines_at_most(const isg_text_lines *lines);

void isg_text_lines_free(isg_text_lines *lines); /* NULL is fine */

#endif
