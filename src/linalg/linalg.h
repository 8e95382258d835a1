/* linalg.h - dense linear algebra in double, on row-major views
 *
 * SPDX-License-Identifier: MIT
 *
 * Our own routines, because results must be a function of the input alone: libraries choose their
 * kernels by processor, and the order of their sums by the number of threads. Here everything is
 * built from IEEE additions, multiplications, divisions and square roots in an order that only the
 * sizes determine; the kernels give the same bits with every instruction set. docs/design/0014 has
 * the reasons, accuracies and times. All functions:
 *
 *   - may divide entries among threads, but never the terms of a sum;
 *   - refuse numbers that are not finite (ISG_ERR_ARGUMENT, with row and column counted from 0);
 *     shapes that do not match are the caller's mistake and asserted;
 *   - give infinities where a result is beyond the range of a double;
 *   - write outputs only on success, after reading all inputs: an output may be the same view as an
 *     input, unless the comment says otherwise.
 */
#ifndef ISG_LINALG_H
#define ISG_LINALG_H

#include <float.h>

#include "base/matrix.h"
#include "base/status.h"

typedef enum isg_transpose { ISG_AS_IS, ISG_TRANSPOSED } isg_transpose;
typedef enum isg_triangle { ISG_LOWER, ISG_UPPER } isg_triangle;

/* out (m, n) = op(a) (m, k) op(b) (k, n). `out` must not overlap a and b; infinities and NaN
   propagate as in IEEE arithmetic. */
isg_status isg_matrix_multiply(isg_matd out, isg_matd_view a, isg_transpose op_a, isg_matd_view b,
                               isg_transpose op_b);

/* a (n, p) = q (n, p) r (p, p): orthonormal columns times an upper triangle with a nonnegative
   diagonal, which makes the two unique if a has full rank. ISG_ERR_SHAPE if n < p. */
isg_status isg_qr(isg_matd q, isg_matd r, isg_matd_view a);

/* Orders the columns of a (n, p) so that each is the farthest from the span of those before it:
   column order[j] of a is q times column j of r (min(n, p), p), for a q that is not computed. The
   diagonal of r falls, up to rounding, and is not negative; entries below 1e-150 of the largest may
   be out of order. Of columns equally far, up to rounding, the first comes first. The rank is the
   number of diagonal entries above `tolerance` times the first. */
isg_status isg_pivoted_qr(isg_matd r, size_t *order, size_t *rank, isg_matd_view a,
                          double tolerance);

/* How large rounding alone can make a zero, relative to the largest entry. */
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
   ISG_ERR_ARGUMENT if there is a zero on the diagonal. `b` must not overlap t. */
isg_status isg_triangular_solve(isg_matd b, isg_matd_view t, isg_triangle triangle,
                                isg_transpose op);

/* b (n, m) becomes (l l^T)^-1 b, with l from isg_cholesky(). */
isg_status isg_cholesky_solve(isg_matd b, isg_matd_view l);

/* w (n, p), n >= p, becomes its polar factor w (w^T w)^-1/2: of all matrices with orthonormal columns the
   nearest. Neither allocates nor starts threads; `room` holds isg_polar_room(p) doubles. An error
   of w^T w - 1 that is down to rounding stays as it is. ISG_ERR_DEPENDENT, with w changed, if the
   columns are dependent up to rounding. */
isg_status isg_polar(isg_matd w, double *room);
static inline size_t isg_polar_room(size_t p) {
    return 5 * p * p;
}

/* The largest entry of w^T w - 1 for w (n, p); `room` holds p^2 doubles. */
double isg_orthogonality_error(isg_matd_view w, double *room);

/* h (p) += w^T s for w (n, p) and packed spins s (n), one unit after another: the plain order, used
   wherever results are promised to the bit. */
void isg_add_spin_rows(double *h, const uint64_t *spins, const double *w, size_t n, size_t p);

/* out (m, p) = s w + bias for packed spins s (m, n), w (n, p) and bias (p), NULL for zero. Written
   row by row, also if `progress`, which may be NULL, cancels. */
isg_status isg_spin_product(isg_matd out, const uint64_t *spins, isg_matd_view w,
                            const double *bias, const isg_progress *progress);

/* The sign of the entry of largest magnitude, the first of them if tied: -1 or 1. Entries are
   `step` apart. */
double isg_sign_of_largest(const double *x, size_t n, size_t step);

#endif
