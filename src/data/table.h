/* table.h - the rows of a CSV, TSV or ARFF file, and its columns by name or number
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TABLE_H
#define ISG_TABLE_H

#include "base/names.h"
#include "io/arff.h"
#include "io/csv.h"
#include "isinglass/data.h"

/* Columns as a user names them: by a name in the heading, a number from 1, or from -1 backwards;
   `ignored` has several, between commas. Each may be NULL. */
typedef struct isg_wanted {
    const char *label, *id, *ignored;
    bool is_tentative; /* take the first row as names, whatever is in it; the caller decides */
} isg_wanted;

/* Whether one is given by name, so that there must be a heading. A number may occur anywhere in a row
   of data, so only a word can be a name. */
bool isg_wants_names(const isg_wanted *wanted);

typedef struct isg_table {
    const char *name; /* of the file */
    isg_csv *csv;     /* or the other; borrow the source */
    isg_arff *arff;
    size_t n_columns;
    isg_names columns;  /* their names, or none; an empty name is that of the row names */
    bool has_row_names; /* in the first column: the heading has no name for it */
    bool is_guessed;    /* that the first row is a heading */
    bool is_waiting;    /* the first row was read to see what it is */
} isg_table;

/* `separator` is 0 for ARFF; a comma may turn out to be a semicolon. Whether a first row is a
   heading is guessed if `header` is ISG_HEADER_AUTO, and refused if a guess may be wrong; one that
   has a column wanted by name is. ISG_ERR_FORMAT without a row below the heading. */
isg_status isg_table_open(isg_table *out, isg_source *source, char separator, isg_header header,
                          const isg_wanted *wanted);

/* Goes to the next row, which has n_columns fields. */
isg_status isg_table_next(isg_table *table, bool *has_row);
const char *isg_table_field(const isg_table *table, size_t k); /* NULL for the '?' of ARFF */
size_t isg_table_line(const isg_table *table);

/* The column that a user means. ISG_ERR_FORMAT, listing the columns, if there is none. */
isg_status isg_table_find(const isg_table *table, const char *column, size_t *out);
bool isg_table_has(const isg_table *table, const char *column);

/* is_ignored (n_columns), for each column named in the list. */
isg_status isg_table_ignore(const isg_table *table, const char *columns, bool *is_ignored);

/* "2 ('age')", for sentences; in the caller's buffer. */
enum { ISG_COLUMN_ROOM = 80 };
const char *isg_table_column(const isg_table *table, size_t k, char out[ISG_COLUMN_ROOM]);

void isg_table_close(isg_table *table);

/* Whether a field stands for a missing value: NULL, blank, NA, nan, null, ? and the like. */
bool isg_means_missing(const char *field);

/* Whether a field is a word for 1 (true, yes, y) or 0 (false, no, n). */
bool isg_truth_of(const char *field, double *out);

/* Whether a field is a number, so that it cannot be a name. */
bool isg_is_column_number(const char *column);

#endif
