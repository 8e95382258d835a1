/* triangular.c - Cholesky factors and triangular systems
 *
 * SPDX-License-Identifier: MIT
 *
 * Blocks on the diagonal are computed row by row, everything else by products.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

enum { BLOCK = 64 };

/* ---- Cholesky ----------------------------------------------------------------------------------- */

/* Finishes rows `begin` to `end` of columns `first` to `last` of l, from which products have
   already been subtracted: l_ij = (a_ij - sum_k l_ik l_jk) / l_jj over k from `first` to j, in the
   lower triangle. Returns the row whose pivot is not positive, or SIZE_MAX. */
static size_t finish_rows(isg_matd l, size_t begin, size_t end, size_t first, size_t last) {
    const isg_kernels *kernels = isg_kernels_get();
    for (size_t i = begin; i < end; i++) {
        double *row = isg_row(l, i);
        for (size_t j = first; j < last && j <= i; j++) {
            const double *other = isg_row(l, j);
            const double rest = row[j] - kernels->dot(j - first, row + first, other + first);
            if (j < i)
                row[j] = rest / other[j];
            else if (rest > 0)
                row[j] = sqrt(rest);
            else
                return i;
        }
    }
    return SIZE_MAX;
}

static size_t factor_lower(const isg_product_room *room, isg_matd l) {
    const size_t n = l.rows;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t width = n - first < BLOCK ? n - first : BLOCK, last = first + width;
        const isg_matd below = isg_part(l, first, first, n - first, width);
        isg_product(room, ISG_SUBTRACT, below,
                    isg_matd_const(isg_part(l, first, 0, n - first, first)), ISG_AS_IS,
                    isg_matd_const(isg_part(l, first, 0, width, first)), ISG_TRANSPOSED);
        const size_t bad = finish_rows(l, first, n, first, last);
        if (bad != SIZE_MAX)
            return bad;
    }
    return SIZE_MAX;
}

isg_status isg_cholesky(isg_matd l, isg_matd_view a) {
    const char *what = "Cholesky factor";
    const size_t n = a.rows;
    assert(a.rows == a.cols && isg_has_shape(l, n, n));
    ISG_TRY(isg_check_triangle(what, a, ISG_LOWER));
    double *work = NULL;
    isg_product_room room = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work, n, n));
    ISG_TRY_GOTO(isg_product_start(&room, (double)n * (double)n * BLOCK));
    for (size_t i = 0; i < n; i++)
        memcpy(work + i * n, isg_row_view(a, i), (i + 1) * sizeof *work);
    const size_t bad = factor_lower(&room, isg_matd_of(work, n, n));
    if (bad != SIZE_MAX)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT,
                              "%s: expected a positive definite matrix, found one whose pivot in "
                              "row %zu is not positive",
                              what, bad));
    for (size_t i = 0; i < n; i++) { /* products leave values above the diagonal */
        memcpy(isg_row(l, i), work + i * n, (i + 1) * sizeof *work);
        memset(isg_row(l, i) + i + 1, 0, (n - i - 1) * sizeof *work);
    }
done:
    isg_product_release(&room);
    isg_release(work);
    return status;
}

/* ---- triangular systems -------------------------------------------------------------------------- */

static isg_status check_triangular(const char *what, isg_matd b, isg_matd_view t,
                                   isg_triangle triangle) {
    assert(t.rows == t.cols && isg_has_shape(b, t.rows, b.cols));
    ISG_TRY(isg_check_triangle(what, t, triangle));
    ISG_TRY(isg_check_finite(what, isg_matd_const(b)));
    for (size_t i = 0; i < t.rows; i++)
        if (isg_row_view(t, i)[i] == 0)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: expected no zero on the diagonal, found one in row %zu", what, i);
    return ISG_OK;
}

/* Entry (i, k) of op(t). */
static inline double entry(isg_matd_view t, isg_transpose op, size_t i, size_t k) {
    return op == ISG_TRANSPOSED ? isg_row_view(t, k)[i] : isg_row_view(t, i)[k];
}

/* Solves for rows `begin` to `end` of b, from which the other rows' part has been subtracted. */
static void solve_block(isg_matd b, isg_matd_view t, isg_transpose op, bool is_rising, size_t begin,
                        size_t end) {
    const isg_kernels *kernels = isg_kernels_get();
    for (size_t step = 0; step < end - begin; step++) {
        const size_t i = is_rising ? begin + step : end - 1 - step;
        double *row = isg_row(b, i);
        for (size_t done = 0; done < step; done++) {
            const size_t k = is_rising ? begin + done : end - 1 - done;
            kernels->add_multiple(b.cols, -entry(t, op, i, k), isg_row(b, k), row);
        }
        for (size_t j = 0; j < b.cols; j++)
            row[j] /= isg_row_view(t, i)[i];
    }
}

/* Subtracts from rows `begin` to `end` the part of the `known` unknowns from `first` on. */
static void subtract_known(const isg_product_room *room, isg_matd b, isg_matd_view t,
                           isg_transpose op, size_t begin, size_t end, size_t first, size_t known) {
    const bool is_turned = op == ISG_TRANSPOSED;
    const isg_matd_view factors = {
        t.data + (is_turned ? first * t.stride + begin : begin * t.stride + first),
        is_turned ? known : end - begin, is_turned ? end - begin : known, t.stride};
    isg_product(room, ISG_SUBTRACT, isg_part(b, begin, 0, end - begin, b.cols), factors, op,
                isg_matd_const(isg_part(b, first, 0, known, b.cols)), ISG_AS_IS);
}

/* Finds the unknowns in rising order if op(t) is a lower triangle, else in falling order. */
static void solve(const isg_product_room *room, isg_matd b, isg_matd_view t, isg_triangle triangle,
                  isg_transpose op) {
    const size_t n = t.rows, blocks = (n + BLOCK - 1) / BLOCK;
    const bool is_rising = (triangle == ISG_LOWER) == (op == ISG_AS_IS);
    for (size_t k = 0; k < blocks; k++) {
        const size_t begin = (is_rising ? k : blocks - 1 - k) * BLOCK;
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        const size_t first = is_rising ? 0 : end, known = is_rising ? begin : n - end;
        if (known > 0)
            subtract_known(room, b, t, op, begin, end, first, known);
        solve_block(b, t, op, is_rising, begin, end);
    }
}

isg_status isg_triangular_solve(isg_matd b, isg_matd_view t, isg_triangle triangle,
                                isg_transpose op) {
    isg_product_room room = {0};
    ISG_TRY(check_triangular("triangular system", b, t, triangle));
    ISG_TRY(isg_product_start(&room, (double)b.rows * (double)b.cols * BLOCK));
    solve(&room, b, t, triangle, op);
    isg_product_release(&room);
    return ISG_OK;
}

isg_status isg_cholesky_solve(isg_matd b, isg_matd_view l) {
    isg_product_room room = {0};
    ISG_TRY(check_triangular("Cholesky system", b, l, ISG_LOWER));
    ISG_TRY(isg_product_start(&room, (double)b.rows * (double)b.cols * BLOCK));
    solve(&room, b, l, ISG_LOWER, ISG_AS_IS);
    solve(&room, b, l, ISG_LOWER, ISG_TRANSPOSED);
    isg_product_release(&room);
    return ISG_OK;
}
