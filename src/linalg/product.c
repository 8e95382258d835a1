/* product.c - matrix products
 *
 * SPDX-License-Identifier: MIT
 *
 * What is computed: the inner index is cut into stretches of ISG_STRETCH; each entry of the result
 * is the sum of its stretches in rising order, each summed from 0 in rising order, and every
 * product is rounded before it is added. Nothing else affects the bits. How it is computed: threads
 * share out blocks of the result; for each block, the operands are repacked into tiles that the
 * kernel reads front to back.
 */
#include <assert.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "linalg/dense.h"

enum {
    BLOCK = 64,                   /* rows and columns of the result at a time */
    PACKED = BLOCK * ISG_STRETCH, /* 128 kB: both operands fit in a second-level cache */
    MAX_TEAM = 64,
    SMALL = 4096,        /* repacking pays only for more multiplications */
    WORTHWHILE = 1 << 21 /* multiplications that justify a second thread */
};

isg_status isg_product_start(isg_product_room *room, double most) {
    const int team = isg_team_size();
    *room = (isg_product_room){.threads = most < WORTHWHILE ? 1
                                          : team < MAX_TEAM ? team
                                                            : MAX_TEAM};
    return most <= SMALL ? ISG_OK : ISG_ALLOCATE(room->packed, (size_t)room->threads * 2 * PACKED);
}

void isg_product_release(isg_product_room *room) {
    isg_release(room->packed);
    room->packed = NULL;
}

/* One operand as vectors along the inner index: vector v is a row or a column of the matrix. */
typedef struct operand {
    isg_matd_view matrix;
    bool is_row;
} operand;

static inline double entry(const operand *from, size_t v, size_t l) {
    return from->is_row ? from->matrix.data[v * from->matrix.stride + l]
                        : from->matrix.data[l * from->matrix.stride + v];
}

/* out (tiles, depth, ISG_TILE): `count` vectors from `first` on, from the inner index `begin` on;
   zeros in place of vectors past the last. */
static void pack(double *out, const operand *from, size_t first, size_t count, size_t begin,
                 size_t depth) {
    for (size_t v = 0; v < count; v += ISG_TILE, out += depth * ISG_TILE) {
        const size_t width = count - v < ISG_TILE ? count - v : ISG_TILE;
        if (width < ISG_TILE)
            memset(out, 0, depth * ISG_TILE * sizeof *out);
        const isg_matd_view m = from->matrix;
        if (!from->is_row) {
            for (size_t l = 0; l < depth; l++)
                memcpy(out + l * ISG_TILE, m.data + (begin + l) * m.stride + first + v,
                       width * sizeof *out);
            continue;
        }
        for (size_t q = 0; q < width; q++) {
            const double *row = m.data + (first + v + q) * m.stride + begin;
            for (size_t l = 0; l < depth; l++)
                out[l * ISG_TILE + q] = row[l];
        }
    }
}

static inline void put(double *c, double sum, isg_update update) {
    *c = update == ISG_SET ? sum : update == ISG_ADD ? *c + sum : *c - sum;
}

/* The block of c that begins at (row, col). */
static void multiply_block(double *packed, isg_update update, isg_matd c, const operand *a,
                           const operand *b, size_t inner, size_t row, size_t col) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t rows = c.rows - row < BLOCK ? c.rows - row : BLOCK;
    const size_t cols = c.cols - col < BLOCK ? c.cols - col : BLOCK;
    double *left = packed, *right = packed + PACKED, sums[ISG_TILE * ISG_TILE];
    for (size_t begin = 0; begin < inner; begin += ISG_STRETCH) {
        const size_t depth = inner - begin < ISG_STRETCH ? inner - begin : ISG_STRETCH;
        const isg_update how = update == ISG_SET && begin > 0 ? ISG_ADD : update;
        pack(left, a, row, rows, begin, depth);
        pack(right, b, col, cols, begin, depth);
        for (size_t j = 0; j < cols; j += ISG_TILE)
            for (size_t i = 0; i < rows; i += ISG_TILE) {
                kernels->tile(depth, left + i * depth, right + j * depth, sums);
                for (size_t q = 0; q < ISG_TILE && i + q < rows; q++)
                    for (size_t r = 0; r < ISG_TILE && j + r < cols; r++)
                        put(isg_row(c, row + i + q) + col + j + r, sums[q * ISG_TILE + r], how);
            }
    }
}

/* The same sums without tiles, for products that are too small for them. */
static void multiply_plainly(isg_update update, isg_matd c, const operand *a, const operand *b,
                             size_t inner) {
    for (size_t i = 0; i < c.rows; i++)
        for (size_t j = 0; j < c.cols; j++)
            for (size_t begin = 0; begin < inner; begin += ISG_STRETCH) {
                const size_t end = inner - begin < ISG_STRETCH ? inner : begin + ISG_STRETCH;
                double sum = 0;
                for (size_t l = begin; l < end; l++)
                    sum += entry(a, i, l) * entry(b, j, l);
                put(isg_row(c, i) + j, sum, update == ISG_SET && begin > 0 ? ISG_ADD : update);
            }
}

void isg_product(const isg_product_room *room, isg_update update, isg_matd c, isg_matd_view a,
                 isg_transpose op_a, isg_matd_view b, isg_transpose op_b) {
    const size_t inner = op_a == ISG_TRANSPOSED ? a.rows : a.cols;
    const operand left = {a, op_a == ISG_AS_IS}, right = {b, op_b == ISG_TRANSPOSED};
    assert(inner == (op_b == ISG_TRANSPOSED ? b.cols : b.rows));
    if (inner == 0 && update == ISG_SET)
        for (size_t i = 0; i < c.rows; i++)
            memset(isg_row(c, i), 0, c.cols * sizeof *c.data);
    const double work = (double)c.rows * (double)c.cols * (double)inner;
    if (work <= SMALL) {
        multiply_plainly(update, c, &left, &right, inner);
        return;
    }
    assert(room->packed);
    const size_t across = (c.cols + BLOCK - 1) / BLOCK;
    const size_t blocks = (c.rows + BLOCK - 1) / BLOCK * across;
    const int threads = work < WORTHWHILE ? 1 : room->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t k = 0; k < blocks; k++)
        multiply_block(room->packed + (size_t)omp_get_thread_num() * 2 * PACKED, update, c, &left,
                       &right, inner, k / across * BLOCK, k % across * BLOCK);
}

isg_status isg_matrix_multiply(isg_matd out, isg_matd_view a, isg_transpose op_a, isg_matd_view b,
                               isg_transpose op_b) {
    assert(isg_has_shape(out, op_a == ISG_TRANSPOSED ? a.cols : a.rows,
                         op_b == ISG_TRANSPOSED ? b.rows : b.cols));
    isg_product_room room;
    ISG_TRY(isg_product_start(&room, (double)out.rows * (double)out.cols *
                                         (double)(op_a == ISG_TRANSPOSED ? a.rows : a.cols)));
    isg_product(&room, ISG_SET, out, a, op_a, b, op_b);
    isg_product_release(&room);
    return ISG_OK;
}

double isg_long_dot(const isg_kernels *kernels, size_t n, const double *x, const double *y) {
    enum { STRETCH = 2 * ISG_STRETCH };
    double sum = 0;
    for (size_t begin = 0; begin < n; begin += STRETCH)
        sum += kernels->dot(n - begin < STRETCH ? n - begin : STRETCH, x + begin, y + begin);
    return sum;
}
