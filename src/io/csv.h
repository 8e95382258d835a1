/* csv.h - rows of text fields with a separator
 *
 * SPDX-License-Identifier: MIT
 *
 * RFC 4180 with any separator: lines end in LF or CRLF, a field in quotes may hold separators, line
 * ends and doubled quotes. A UTF-8 byte order mark is skipped. Refused, with the line: a carriage
 * return alone, a quote inside an unquoted field, anything between a closing quote and the next
 * separator, a quote never closed, NUL bytes, and absurdly long fields and rows. Rows may differ in
 * their number of fields; the caller decides what that means.
 */
#ifndef ISG_CSV_H
#define ISG_CSV_H

#include "io/source.h"

typedef struct isg_csv isg_csv;

/* Borrows `source`, which must be at its first byte. */
isg_status isg_csv_create(isg_csv **out, isg_source *source, char separator);

/* Before the first row of a comma-separated file: if its first line has semicolons and no commas
   outside quotes, as spreadsheets write where the comma is the decimal point, they separate. */
isg_status isg_csv_allow_semicolons(isg_csv *csv);

/* Goes to the next row; *has_row is false after the last, once the source is known to be complete.
   Blank lines at the end are not rows; one between rows is a row of one empty field. */
isg_status isg_csv_next(isg_csv *csv, bool *has_row);

/* The current row. A field has no quotes, is NUL-terminated and is valid until the next call. */
size_t isg_csv_count(const isg_csv *csv);
const char *isg_csv_field(const isg_csv *csv, size_t k);
size_t isg_csv_line(const isg_csv *csv); /* the line of the file where it begins, from 1 */

void isg_csv_free(isg_csv *csv); /* NULL is fine */

#endif
