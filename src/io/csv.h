/* csv.h - rows of text fields between separators
 *
 * SPDX-License-Identifier: MIT
 *
 * RFC 4180 with any separator: lines end in LF or CRLF, a field in quotes may hold separators,
 * line ends and doubled quotes. A byte order mark of UTF-8 is skipped. Refused, with the line: a
 * carriage return alone, a quote inside an unquoted field, anything between a closing quote and
 * the next separator, a quote never closed, NUL bytes, and fields and rows of absurd length. Rows
 * may differ in their number of fields: what that means is for the caller to say.
 */
#ifndef ISG_CSV_H
#define ISG_CSV_H

#include "io/source.h"

typedef struct isg_csv isg_csv;

/* Borrows `source`, which must stand at its first byte. */
isg_status isg_csv_create(isg_csv **out, isg_source *source, char separator);

/* Goes to the next row; *has_row is false behind the last, where the source has been found whole.
   Blank lines at the end are no rows; one between rows is a row of one empty field. */
isg_status isg_csv_next(isg_csv *csv, bool *has_row);

/* Of the current row. A field is without its quotes, NUL-terminated, valid until the next call. */
size_t isg_csv_count(const isg_csv *csv);
const char *isg_csv_field(const isg_csv *csv, size_t k);
size_t isg_csv_line(const isg_csv *csv); /* the line of the file where it begins, from 1 */

void isg_csv_free(isg_csv *csv); /* NULL is fine */

#endif
