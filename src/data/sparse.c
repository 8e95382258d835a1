/* sparse.c - compressed sparse matrices, from whatever file holds their arrays
 *
 * SPDX-License-Identifier: MIT
 */
#include "data/sparse.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { PIECE = ISG_BUFFER_BYTES / 16 }; /* entries read at once */

typedef struct piece {
    double indices[PIECE], values[PIECE];
} piece;

static const char *lines_of(const isg_sparse *matrix) {
    return matrix->is_by_column ? "column" : "row";
}

static isg_status check_starts(const isg_sparse *matrix, size_t n_lines) {
    const int64_t *starts = matrix->starts;
    if (starts[0] != 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: indptr: expected 0 as its first number, found %lld",
                        matrix->name, (long long)starts[0]);
    for (size_t k = 0; k < n_lines; k++)
        if (starts[k + 1] < starts[k])
            return isg_fail(ISG_ERR_FORMAT, "%s: indptr: decreases from %lld to %lld at %s %zu",
                            matrix->name, (long long)starts[k], (long long)starts[k + 1],
                            lines_of(matrix), k + 1);
    if ((uint64_t)starts[n_lines] != matrix->n_entries)
        return isg_fail(ISG_ERR_FORMAT,
                        "%s: indptr ends at %lld, but indices and data have %zu entries",
                        matrix->name, (long long)starts[n_lines], matrix->n_entries);
    return ISG_OK;
}

static isg_status bad_index(const isg_sparse *matrix, size_t line, size_t n_across, double found) {
    return isg_fail(ISG_ERR_FORMAT, "%s: indices, %s %zu: expected 0 to %zu, found %.17g",
                    matrix->name, lines_of(matrix), line + 1, n_across - 1, found);
}

/* The entries of one row or column that are in the piece, from `first`. */
static isg_status put_entries(isg_loader *load, const isg_sparse *matrix, size_t line,
                              const double *indices, const double *values, size_t count,
                              uint64_t *seen) {
    const size_t n_across = matrix->is_by_column ? matrix->rows : matrix->columns;
    for (size_t k = 0; k < count; k++) {
        if (!isg_is_index(indices[k], (double)n_across))
            return bad_index(matrix, line, n_across, indices[k]);
        const size_t across = (size_t)indices[k];
        const size_t row = matrix->is_by_column ? across : line;
        const size_t column = matrix->is_by_column ? line : across;
        if (isg_bit(seen, across))
            return isg_fail(ISG_ERR_FORMAT,
                            "%s: row %zu, column %zu is listed twice" ISG_SUM_DUPLICATES,
                            matrix->name, row + 1, column + 1);
        isg_bit_assign(seen, across, true);
        ISG_TRY(isg_loader_put(load, row, column, values[k]));
    }
    return ISG_OK;
}

static isg_status read_entries(isg_loader *load, const isg_sparse *matrix, size_t n_lines,
                               uint64_t *seen, size_t seen_bytes, piece *now) {
    const int64_t *starts = matrix->starts;
    size_t done = 0, at = PIECE; /* entries used, of all and of the piece */
    for (size_t line = 0; line < n_lines; line++) {
        const size_t end = (size_t)starts[line + 1];
        if (done < end)
            memset(seen, 0, seen_bytes);
        while (done < end) {
            if (at == PIECE) {
                const size_t left = matrix->n_entries - done, part = left < PIECE ? left : PIECE;
                ISG_TRY(matrix->indices.read(matrix->indices.user, now->indices, part));
                ISG_TRY(matrix->data.read(matrix->data.user, now->values, part));
                at = 0;
            }
            const size_t count = end - done < PIECE - at ? end - done : PIECE - at;
            ISG_TRY(
                put_entries(load, matrix, line, now->indices + at, now->values + at, count, seen));
            done += count;
            at += count;
        }
    }
    return ISG_OK;
}

isg_status isg_loader_read_sparse(isg_loader *load, const isg_sparse *matrix) {
    const size_t n_lines = matrix->is_by_column ? matrix->columns : matrix->rows;
    const size_t n_across = matrix->is_by_column ? matrix->rows : matrix->columns;
    const size_t words = isg_words(n_across);
    uint64_t *seen = NULL; /* a bit for every entry of the current row or column */
    piece *now = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_starts(matrix, n_lines));
    ISG_TRY(isg_loader_check_size(load, matrix->name, matrix->rows, matrix->columns,
                                  8 * (uint64_t)n_lines + matrix->n_entries));
    ISG_TRY(isg_loader_start(load, matrix->name, matrix->rows, matrix->columns, 0, 0));
    ISG_TRY(isg_loader_extend(load, matrix->rows));
    ISG_TRY_GOTO(ISG_ALLOCATE(seen, words));
    ISG_TRY_GOTO(ISG_ALLOCATE(now, 1));
    ISG_TRY_GOTO(read_entries(load, matrix, n_lines, seen, words * sizeof *seen, now));
    if (matrix->n_entries / matrix->rows < matrix->columns)
        isg_loader_see_zero(load);
done:
    isg_release(seen);
    isg_release(now);
    return status;
}
