/* arff.h - tables in the attribute-relation file format of Weka (.arff)
 *
 * SPDX-License-Identifier: MIT
 *
 * Keywords in any case, names and values in single or double quotes with backslash escapes, comments
 * behind '%', rows with all values or sparse in braces. Refused, with the line: relational attributes,
 * weights of rows and attributes, values that were not declared, numbers that are none.
 */
#ifndef ISG_ARFF_H
#define ISG_ARFF_H

#include "io/source.h"

typedef struct isg_arff isg_arff;

typedef enum isg_arff_kind { ISG_ARFF_NUMBER, ISG_ARFF_NOMINAL, ISG_ARFF_TEXT } isg_arff_kind;

/* Reads everything before the rows. Borrows `source`, which must be at its first byte. */
isg_status isg_arff_create(isg_arff **out, isg_source *source);

/* The attributes: at least one. The values of a nominal one are in ascending order, bytewise. */
size_t isg_arff_count(const isg_arff *arff);
const char *isg_arff_name(const isg_arff *arff, size_t k);
isg_arff_kind isg_arff_kind_of(const isg_arff *arff, size_t k); /* TEXT: strings and dates */
size_t isg_arff_value_count(const isg_arff *arff, size_t k);
const char *isg_arff_value(const isg_arff *arff, size_t k, size_t value);

/* Goes to the next row; *has_row is false after the last, once the source is known to be complete. */
isg_status isg_arff_next(isg_arff *arff, bool *has_row);

/* The current row: the text of a value, or NULL if it is missing; valid until the next call. What a
   sparse row leaves out is 0, or the first value declared; a text it leaves out is missing. */
const char *isg_arff_field(const isg_arff *arff, size_t k);
size_t isg_arff_line(const isg_arff *arff); /* from 1 */

void isg_arff_free(isg_arff *arff); /* NULL is fine */

#endif
