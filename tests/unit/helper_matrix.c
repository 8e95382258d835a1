/* helper_matrix.c - matrices for the tests, in a frame that shows a wrong stride
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_matrix.h"

isg_matd matrix_framed(size_t rows, size_t cols) {
    const size_t stride = cols + 3;
    double *data = malloc((rows + 2) * stride * sizeof *data);
    assert_non_null(data);
    for (size_t i = 0; i < (rows + 2) * stride; i++)
        data[i] = (double)NAN;
    isg_matd m = {data + stride + 1, rows, cols, stride};
    for (size_t i = 0; i < rows; i++)
        memset(m.data + i * stride, 0, cols * sizeof *data);
    return m;
}

void matrix_release(isg_matd m) {
    double *data = m.data - m.stride - 1;
    for (size_t i = 0; i < (m.rows + 2) * m.stride; i++) {
        const size_t row = i / m.stride, col = i % m.stride;
        if (row < 1 || row > m.rows || col < 1 || col > m.cols)
            assert_true(isnan(data[i]));
    }
    free(data);
}

double *matrix_at(isg_matd m, size_t i, size_t j) {
    return m.data + i * m.stride + j;
}

isg_matd matrix_copy(isg_matd m) {
    isg_matd copy = matrix_framed(m.rows, m.cols);
    for (size_t i = 0; i < m.rows; i++)
        memcpy(matrix_at(copy, i, 0), matrix_at(m, i, 0), m.cols * sizeof(double));
    return copy;
}

double matrix_largest(isg_matd m) {
    double size = 0;
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++) {
            assert_true(isfinite(*matrix_at(m, i, j)));
            size = fmax(size, fabs(*matrix_at(m, i, j)));
        }
    return size;
}

isg_matd matrix_product(isg_matd a, isg_transpose op_a, isg_matd b, isg_transpose op_b) {
    const size_t rows = op_a ? a.cols : a.rows, inner = op_a ? a.rows : a.cols;
    isg_matd out = matrix_framed(rows, op_b ? b.rows : b.cols);
    for (size_t i = 0; i < out.rows; i++)
        for (size_t j = 0; j < out.cols; j++) {
            long double sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum += (long double)(op_a ? *matrix_at(a, k, i) : *matrix_at(a, i, k)) *
                       (long double)(op_b ? *matrix_at(b, j, k) : *matrix_at(b, k, j));
            *matrix_at(out, i, j) = (double)sum;
        }
    return out;
}

void assert_matrix_close(isg_matd a, isg_matd b, double scale) {
    assert_true(a.rows == b.rows && a.cols == b.cols);
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < a.cols; j++)
            assert_true(fabs(*matrix_at(a, i, j) - *matrix_at(b, i, j)) <= 1e-12 * scale);
}

void assert_matrix_identity(isg_matd m) {
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++)
            assert_true(fabs(*matrix_at(m, i, j) - (i == j)) <= 1e-12);
    matrix_release(m);
}

isg_matd matrix_example(int kind, size_t rows, size_t cols) {
    isg_matd m = matrix_framed(rows, cols);
    isg_cursor cursor =
        isg_cursor_at(isg_stream_at(rows * 10000 + cols, ISG_PURPOSE_TEST, (uint64_t)kind, 0));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            const double z = isg_next_normal(&cursor);
            double x = z;
            if (kind == SPINS)
                x = z < 0 ? -1 : 1;
            if (kind == TWINS && j >= cols / 2) /* the second half repeats or negates the first */
                x = *matrix_at(m, i, j - cols / 2) * (j % 2 ? -1 : 1) * (cols > 1 ? 1 : 0);
            if (kind == LOW_RANK) /* rank 2 */
                x = sin((double)i + 1) * (double)(j + 1) + cos((double)i) / (double)(j + 1);
            if (kind == HILBERT)
                x = 1 / (double)(i + j + 1);
            if (kind == GRADED)
                x = z * pow(10, -(double)(j % 30));
            if (kind == ZERO)
                x = 0;
            *matrix_at(m, i, j) = x * (kind == HUGE_ONES ? 1e150 : kind == TINY_ONES ? 1e-150 : 1);
        }
    return m;
}

isg_matd matrix_gram(int kind, size_t size, double plus) {
    isg_matd a = matrix_example(kind, size + 3, size),
             out = matrix_product(a, ISG_TRANSPOSED, a, ISG_AS_IS);
    for (size_t i = 0; i < size; i++)
        *matrix_at(out, i, i) += plus;
    matrix_release(a);
    return out;
}

isg_matd_view matrix_view(isg_matd m) {
    return isg_matd_const(m);
}
