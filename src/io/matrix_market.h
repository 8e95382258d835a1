/* matrix_market.h - matrices in the exchange format of NIST (.mtx)
 *
 * SPDX-License-Identifier: MIT
 *
 * Coordinate and array files of real, integer or pattern entries, general or symmetric; "double"
 * and "unsigned-integer", which some programs write, count as real and integer. Complex, hermitian
 * and skew-symmetric files are refused by name. Errors give the line.
 */
#ifndef ISG_MATRIX_MARKET_H
#define ISG_MATRIX_MARKET_H

#include "io/source.h"

typedef struct isg_matrix_market isg_matrix_market;

typedef struct isg_matrix_market_shape {
    size_t rows, cols;  /* their product fits in size_t; a sparse file need not fill it */
    size_t entries;     /* lines that hold one; the file is large enough for all */
    bool is_coordinate; /* else every entry is listed, column by column */
    bool is_pattern;    /* entries have no value of their own and read as 1 */
    bool is_integer;
    bool is_symmetric; /* square; the file holds the lower triangle only */
    bool is_by_10x;    /* a comment of Cell Ranger says so: the rows are genes, the columns cells */
} isg_matrix_market_shape;

/* Reads the header up to the line of sizes. Borrows `source`. */
isg_status isg_matrix_market_create(isg_matrix_market **out, isg_source *source,
                                    isg_matrix_market_shape *shape);

/* The next entry, counted from zero and finite, in the order of the file; in a symmetric file, each
   entry off the diagonal is followed by its mirror image. *has_entry is false after the last, once
   the source is known to be complete; the other outputs are then left alone. A coordinate file may
   repeat an entry. */
isg_status isg_matrix_market_next(isg_matrix_market *market, size_t *row, size_t *col,
                                  double *value, bool *has_entry);

void isg_matrix_market_free(isg_matrix_market *market); /* NULL is fine */

#endif
