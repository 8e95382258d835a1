/* helper_matrix.h - matrices for the tests, in a frame that shows a wrong stride
 *
 * SPDX-License-Identifier: MIT
 *
 * A matrix lives in the middle of a larger one whose other entries are NaN. They spoil every result
 * that they get into, and matrix_release() asserts that they are still there.
 */
#ifndef HELPER_MATRIX_H
#define HELPER_MATRIX_H

#include "linalg/linalg.h"

isg_matd matrix_framed(size_t rows, size_t cols); /* of zeros */
void matrix_release(isg_matd m);
isg_matd matrix_copy(isg_matd m);
double *matrix_at(isg_matd m, size_t i, size_t j);
isg_matd_view matrix_view(isg_matd m);

/* The largest size of an entry; asserts that all are finite. */
double matrix_largest(isg_matd m);

/* op(a) op(b) by its definition, in long double. */
isg_matd matrix_product(isg_matd a, isg_transpose op_a, isg_matd b, isg_transpose op_b);

/* Entry by entry within 1e-12 of `scale`. */
void assert_matrix_close(isg_matd a, isg_matd b, double scale);

/* The same for the identity; releases m. */
void assert_matrix_identity(isg_matd m);

/* From kind to nasty: the rank falls, the condition explodes, numbers leave the usual range. */
enum { NORMAL, SPINS, TWINS, LOW_RANK, HILBERT, GRADED, ZERO, HUGE_ONES, TINY_ONES, KINDS };

isg_matd matrix_example(int kind, size_t rows, size_t cols);

/* A symmetric matrix: a^T a for such an example, plus a multiple of the identity. */
isg_matd matrix_gram(int kind, size_t size, double plus);

#endif
