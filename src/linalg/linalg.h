/* linalg.h - dense linear algebra in double, on row-major views
 *
 * SPDX-License-Identifier: MIT
 *
 * Own routines, because the results are promised to be a function of the input alone: libraries choose
 * their kernels by processor, and their sums by the number of threads. Here everything is made of IEEE
 * additions, multiplications, divisions and square roots in an order that the sizes alone determine;
 * the kernels behind it give the same bits with every instruction set. docs/design/0014 has the
 * reasons, accuracies and times. All functions:
 *
 *   - use all threads where these share out entries, never the terms of a sum;
 *   - refuse numbers that are not finite (ISG_ERR_ARGUMENT, naming the place, counted from 0); shapes
 *     that do not belong together are the caller's mistake and asserted;
 *   - give infinities where a result is beyond the range of a double;
 *   - write their outputs only on success, and read all inputs before: an output may be the very
 *     view that is the input, unless the comment says otherwise.
 */
#ifndef ISG_LINALG_H
#define ISG_LINALG_H

#include <float.h>

#include "base/matrix.h"
#include "base/status.h"

typedef enum isg_transpose { ISG_AS_IS, ISG_TRANSPOSED } isg_transpose;
typedef enum isg_triangle { ISG_LOWER, ISG_UPPER } isg_triangle;

/* out (m, n) = op(a) (m, k) op(b) (k, n). `out` must be apart from a and b; infinities and NaN
   propagate as in IEEE arithmetic. */
isg_status isg_matrix_multiply(isg_matd out, isg_matd_view a, isg_transpose op_a, isg_matd_view b,
                               isg_transpose op_b);

/* a (n, p) = q (n, p) r (p, p): orthonormal columns times an upper triangle with a diagonal that
   is never negative, which makes the two unique if a has full rank. ISG_ERR_SHAPE if n < p. */
isg_status isg_qr(isg_matd q, isg_matd r, isg_matd_view a);

/* Columns of a (n, p) ordered such that each is the one farthest from the span of those before it: column order[j] of a
   is q times column j of r (min(n, p), p), for some q that is not given. The diagonal of r falls,
   up to rounding, and is not negative; what is below 1e-150 of the largest may be out of order. Where several add the same, up to rounding, the first of them comes first. The rank is how many of its entries exceed `tolerance` times the first. */
isg_status isg_pivoted_qr(isg_matd r, size_t *order, size_t *rank, isg_matd_view a,
                          double tolerance);

/* What rounding alone can leave of a zero, relative to the largest entry. */
static inline double isg_rank_tolerance(size_t rows, size_t cols) {
    return (double)(rows > cols ? rows : cols) * DBL_EPSILON;
}

/* a (n, p) = u (n, k) diag(sigma) vt (k, p), k = min(n, p), sigma falling. The largest entry of
   each column of u is positive. ISG_ERR_DIVERGED if the iteration does not converge. */
isg_status isg_svd(isg_matd u, double *sigma, isg_matd vt, isg_matd_view a);

/* a (n, n) = vectors diag(values) vectors^T for symmetric a, of which only the lower triangle is
   read. Eigenvalues rise; eigenvectors are columns, signed as in isg_svd(). ISG_ERR_DIVERGED if
   the iteration does not converge. */
isg_status isg_symmetric_eigen(double *values, isg_matd vectors, isg_matd_view a);

/* a (n, n) = l l^T for symmetric positive definite a, of which only the lower triangle is read;
   zeros above the diagonal of l. ISG_ERR_ARGUMENT if a is not positive definite. */
isg_status isg_cholesky(isg_matd l, isg_matd_view a);

/* b (n, m) becomes op(t)^-1 b for triangular t (n, n), whose other triangle is not read.
   ISG_ERR_ARGUMENT if there is a zero on the diagonal. `b` must be apart from t. */
isg_status isg_triangular_solve(isg_matd b, isg_matd_view t, isg_triangle triangle,
                                isg_transpose op);

/* b (n, m) becomes (l l^T)^-1 b, with l from isg_cholesky(). */
isg_status isg_cholesky_solve(isg_matd b, isg_matd_view l);

/* h (p) += w^T s for w (n, p) and packed spins s (n), one unit after another: the plain order, which all
   use whose results are promised to the bit. */
void isg_add_spin_rows(double *h, const uint64_t *spins, const double *w, size_t n, size_t p);

/* Of the entry that is largest in size, the first of them if several are: -1 or 1. Entries are `step`
   apart. */
double isg_sign_of_largest(const double *x, size_t n, size_t step);

#endif
