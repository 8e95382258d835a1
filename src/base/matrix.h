/* matrix.h - matrices as views: a pointer, two sizes and the distance between rows
 *
 * SPDX-License-Identifier: MIT
 *
 * Row-major, stride in elements, passed by value, never owning. One sample is one row.
 */
#ifndef ISG_MATRIX_H
#define ISG_MATRIX_H

#include "isinglass/base.h"

static inline isg_matd isg_matd_of(double *data, size_t rows, size_t cols) {
    return (isg_matd){data, rows, cols, cols};
}

static inline isg_matd_view isg_matd_const(isg_matd m) {
    return (isg_matd_view){m.data, m.rows, m.cols, m.stride};
}

#endif
