/* sparse.h - compressed sparse matrices, from whatever file holds their arrays
 *
 * SPDX-License-Identifier: MIT
 *
 * The row (CSR) or column (CSC) k has the entries starts[k] to starts[k + 1] of two arrays, which are
 * read side by side, piece by piece: `indices`, their columns or rows, and `data`, their values.
 */
#ifndef ISG_SPARSE_H
#define ISG_SPARSE_H

#include <math.h>

#include "data/loader.h"

/* An array of numbers that is read from its beginning to its end. */
typedef struct isg_numbers {
    void *user;
    /* The next `count` numbers. It is never asked for more than the array has. */
    isg_status (*read)(void *user, double *out, size_t count);
} isg_numbers;

typedef struct isg_sparse {
    const char *name;      /* of the file, for error sentences */
    size_t rows, columns;  /* of the matrix in the file, as for isg_loader_start() */
    bool is_by_column;     /* CSC; else CSR */
    const int64_t *starts; /* indptr, one more than there are rows (CSR) or columns (CSC) */
    size_t n_entries;      /* the length of indices and data */
    isg_numbers indices, data;
} isg_sparse;

/* Whether a number is a whole one from 0 to limit - 1; NaN is not. */
static inline bool isg_is_index(double number, double limit) {
    return number >= 0 && number < limit && number == floor(number);
}

/* Ends the sentence about an entry that is listed twice. */
#define ISG_SUM_DUPLICATES "; call sum_duplicates() on the matrix first"

/* Starts the loader and gives it all entries. Indices may be in any order and values may be zero; an
   index out of bounds, an entry that is listed twice, or starts that do not rise from 0 to n_entries
   are ISG_ERR_FORMAT. Absent values are zeros. */
isg_status isg_loader_read_sparse(isg_loader *load, const isg_sparse *matrix);

#endif
