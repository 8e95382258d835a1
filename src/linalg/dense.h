/* dense.h - shared by the files of this room: checks, products in place, reflectors
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_DENSE_H
#define ISG_DENSE_H

#include <math.h>

#include "kernels/kernels.h"
#include "linalg/linalg.h"

/* ---- checks and copies ------------------------------------------------------------------------ */

static inline bool isg_has_shape(isg_matd a, size_t rows, size_t cols) {
    return a.rows == rows && a.cols == cols && a.stride >= cols;
}

static inline double *isg_row(isg_matd a, size_t i) {
    return a.data + i * a.stride;
}

static inline const double *isg_row_view(isg_matd_view a, size_t i) {
    return a.data + i * a.stride;
}

/* `rows` x `cols` entries of a, from row i and column j on. */
static inline isg_matd isg_part(isg_matd a, size_t i, size_t j, size_t rows, size_t cols) {
    return (isg_matd){a.data + i * a.stride + j, rows, cols, a.stride};
}

/* ISG_ERR_ARGUMENT, with the row and column, if a number that is read is not finite. */
isg_status isg_check_finite(const char *what, isg_matd_view a);
isg_status isg_check_triangle(const char *what, isg_matd_view a, isg_triangle triangle);

/* out = factor a; out may be a itself. */
void isg_copy_scaled(isg_matd out, isg_matd_view a, double factor);

/* A power of 2 that brings the largest entry near 1 if its square might overflow or vanish; else 1.
   Only the lower triangle of a symmetric matrix is read. */
double isg_safe_factor(isg_matd_view a, bool is_symmetric);

/* ---- products --------------------------------------------------------------------------------- */

/* Sums over the inner index are cut into stretches of this length, each summed from 0; rounding
   grows with the length of a stretch and their number, not with the length of the sum. */
enum { ISG_STRETCH = 256 };

typedef enum isg_update { ISG_SET, ISG_ADD, ISG_SUBTRACT } isg_update;

/* Buffers of each thread, where operands are repacked into tiles. */
typedef struct isg_product_room {
    double *packed;
    int threads;
} isg_product_room;

/* For products of up to `most` multiplications. */
isg_status isg_product_start(isg_product_room *room, double most);
void isg_product_release(isg_product_room *room);

/* Sets c (m, n) to op(a) op(b), or adds that to c or subtracts it, stretch by stretch. The parts of
   c that are written must not overlap a and b. */
void isg_product(const isg_product_room *room, isg_update update, isg_matd c, isg_matd_view a,
                 isg_transpose op_a, isg_matd_view b, isg_transpose op_b);

/* x.y in stretches of 2 ISG_STRETCH. */
double isg_long_dot(const isg_kernels *kernels, size_t n, const double *x, const double *y);

/* ---- reflectors: 1 - tau v v^T with v_0 = 1 ------------------------------------------------------ */

/* The reflector that maps x (n >= 1) to (the return value, 0, 0, ...); x becomes v. */
double isg_reflector(const isg_kernels *kernels, size_t n, double *x, double *tau);

/* Reflectors are applied a panel at a time: H_1 H_2 ... H_w = 1 - V T V^T. */
typedef struct isg_reflectors {
    double *panel;         /* (width, rows): V^T */
    double *t, *gram;      /* (width, width): T and V^T V */
    double *inner, *mixed; /* (width, cols): V^T a and T V^T a */
    isg_product_room room;
} isg_reflectors;

/* For matrices of up to rows x cols. On failure there is nothing to release. */
isg_status isg_reflectors_start(isg_reflectors *work, size_t rows, size_t cols);
void isg_reflectors_release(isg_reflectors *work);

/* a (n, p), n >= p, becomes r in and above its diagonal and the reflectors below; tau (p). */
void isg_factor(isg_reflectors *work, isg_matd a, double *tau);

/* The first p columns of H_1 H_2 ... H_p, in place of the reflectors below the diagonal of
   a (n, p), n >= p. */
void isg_form(isg_reflectors *work, isg_matd a, const double *tau);

/* ---- rotations ---------------------------------------------------------------------------------- */

/* Rotations of pairs of rows are collected and applied together, to one strip of columns at a time,
   which stays in the cache. */
typedef struct isg_rotations {
    isg_matd rows;
    size_t count;
    struct isg_rotation *list;
} isg_rotations;

isg_status isg_rotations_start(isg_rotations *rotations, isg_matd rows);
void isg_rotations_release(isg_rotations *rotations);

/* Row i becomes c row_i + s row_j, row j becomes c row_j - s row_i, at the latest when the list is
   full. */
void isg_rotations_add(isg_rotations *rotations, size_t i, size_t j, double c, double s);
void isg_rotations_flush(isg_rotations *rotations);

/* The rotation that maps (f, g) to (r, 0); returns r = c f + s g, which is never negative. */
double isg_find_rotation(double f, double g, double *c, double *s);

/* If a value takes more iterations than this on average, the iteration is reported as not
   converging. */
enum { ISG_MAX_ITERATIONS = 60 };

/* order (n): which value comes k-th, falling or rising; equal values keep their order. */
void isg_sort_values(size_t *order, const double *values, size_t n, bool is_falling);

#endif
