/* polar.c - the orthonormal matrix nearest to a given one, in place
 *
 * SPDX-License-Identifier: MIT
 *
 * W (W^T W)^-1/2, without the allocations of a singular value decomposition: the inverse root is
 * that of a small matrix, by the coupled iteration of Newton and Schulz,
 *
 *     Y <- Y T,  Z <- T Z,  T = (3 - Z Y) / 2,    from Y = G / s, Z = 1 to Z = (G / s)^-1/2
 *
 * which only multiplies and converges quadratically if no eigenvalue of G / s exceeds 1 or if G is
 * near 1 already. What rounding leaves of W^T W - 1, more the worse W was conditioned, goes when all
 * is done once more. A W that is orthonormal up to rounding is not touched.
 */
#include <assert.h>
#include <string.h>

#include "linalg/dense.h"

enum { MOST_STEPS = 100, MOST_ROUNDS = 8 };

/* p x p matrices in the caller's room. */
typedef struct scratch {
    size_t p;
    double *gram;      /* of w */
    double *y, *z, *t; /* of the iteration */
    double *product;   /* of two of them; its first row also holds a row of w */
} scratch;

static scratch scratch_in(double *room, size_t p) {
    return (scratch){p, room, room + p * p, room + 2 * p * p, room + 3 * p * p, room + 4 * p * p};
}

/* out (p, p) = a b */
static void multiply(size_t p, const double *a, const double *b, double *out) {
    const isg_kernels *kernels = isg_kernels_get();
    memset(out, 0, p * p * sizeof *out);
    for (size_t i = 0; i < p; i++)
        for (size_t l = 0; l < p; l++)
            kernels->add_multiple(p, a[i * p + l], b + l * p, out + i * p);
}

/* gram (p, p) = w^T w */
static void set_gram(double *gram, isg_matd_view w) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t p = w.cols;
    memset(gram, 0, p * p * sizeof *gram);
    for (size_t i = 0; i < w.rows; i++) {
        const double *row = isg_row_view(w, i);
        for (size_t mu = 0; mu < p; mu++)
            kernels->add_multiple(p - mu, row[mu], row + mu, gram + mu * p + mu);
    }
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < mu; nu++)
            gram[mu * p + nu] = gram[nu * p + mu];
}

/* The largest entry of a - 1; NaN passes through. */
static double distance_from_one(size_t p, const double *a) {
    double largest = 0;
    for (size_t k = 0; k < p * p; k++) {
        const double size = fabs(a[k] - (k % (p + 1) == 0));
        if (!(size <= largest))
            largest = size;
        if (isnan(size))
            return size;
    }
    return largest;
}

/* The largest sum of sizes over a row: no eigenvalue is larger. */
static double largest_row(size_t p, const double *a) {
    double largest = 0;
    for (size_t i = 0; i < p; i++) {
        double sum = 0;
        for (size_t j = 0; j < p; j++)
            sum += fabs(a[i * p + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* z = gram^-1/2; false if that was not found, since the matrix is singular. */
static bool inverse_root(const scratch *my) {
    const size_t p = my->p, bytes = p * p * sizeof(double);
    const bool is_near = distance_from_one(p, my->gram) * (double)p < 1;
    const double scale = is_near ? 1 : largest_row(p, my->gram), root = sqrt(scale);
    if (!(scale > 0))
        return false;
    memset(my->z, 0, bytes);
    for (size_t k = 0; k < p * p; k++)
        my->y[k] = my->gram[k] / scale;
    for (size_t k = 0; k < p; k++)
        my->z[k * (p + 1)] = 1;
    bool is_last = false;
    for (size_t step = 0; step < MOST_STEPS && !is_last; step++) {
        multiply(p, my->z, my->y, my->t);
        const double error = distance_from_one(p, my->t);
        if (!isfinite(error))
            return false;
        is_last = error < 1e-9; /* and after this step its square */
        for (size_t k = 0; k < p * p; k++)
            my->t[k] = ((k % (p + 1) == 0 ? 3 : 0) - my->t[k]) / 2;
        multiply(p, my->y, my->t, my->product);
        memcpy(my->y, my->product, bytes);
        multiply(p, my->t, my->z, my->product);
        memcpy(my->z, my->product, bytes);
    }
    for (size_t k = 0; k < p * p; k++)
        my->z[k] /= root;
    return is_last;
}

double isg_orthogonality_error(isg_matd_view w, double *room) {
    set_gram(room, w);
    return distance_from_one(w.cols, room);
}

isg_status isg_polar(isg_matd w, double *room) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t p = w.cols;
    const scratch my = scratch_in(room, p);
    const double enough = fmax(1e-13, (double)w.rows * DBL_EPSILON / 8); /* that of rounding */
    assert(w.rows >= p && w.stride >= p);
    ISG_TRY(isg_check_finite("polar factor", isg_matd_const(w)));
    const double factor = isg_safe_factor(isg_matd_const(w), false);
    if (factor != 1) /* the polar factor stays the same */
        isg_copy_scaled(w, isg_matd_const(w), factor);
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        if (isg_orthogonality_error(isg_matd_const(w), my.gram) <= enough)
            return ISG_OK;
        if (!inverse_root(&my))
            break;
        for (size_t i = 0; i < w.rows; i++) {
            double *row = isg_row(w, i);
            memset(my.product, 0, p * sizeof *my.product);
            for (size_t mu = 0; mu < p; mu++)
                kernels->add_multiple(p, row[mu], my.z + mu * p, my.product);
            memcpy(row, my.product, p * sizeof *row);
        }
    }
    return isg_fail(ISG_ERR_DEPENDENT, "polar factor: expected linearly independent columns, found "
                                       "some that depend on others");
}
