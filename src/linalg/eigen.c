/* eigen.c - eigenvalues and eigenvectors of symmetric matrices
 *
 * SPDX-License-Identifier: MIT
 *
 * Reflectors leave only the diagonal and the entries beside it; shifted QL steps (Bowdler, Martin,
 * Reinsch and Wilkinson 1968) make the latter vanish, and their rotations are applied to the
 * vectors.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

/* a (n, n), symmetric, becomes d on the diagonal and `beside` next to it; the reflectors go below
   the diagonal of `vectors` (n, n), shifted by one row and column. v, w (n) are scratch. */
static void tridiagonalize(isg_matd a, double *d, double *beside, isg_matd vectors, double *tau,
                           double *v, double *w) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = a.rows;
    for (size_t k = 0; k < n; k++) {
        const size_t rest = n - k - 1;
        d[k] = isg_row(a, k)[k];
        if (rest == 0)
            break;
        memcpy(v, isg_row(a, k) + k + 1, rest * sizeof *v);
        beside[k] = isg_reflector(kernels, rest, v, &tau[k]);
        memset(w, 0, rest * sizeof *w);
        for (size_t i = 0; i < rest; i++) {
            kernels->add_multiple(rest, tau[k] * v[i], isg_row(a, k + 1 + i) + k + 1, w);
            isg_row(vectors, k + 1 + i)[k + 1] = v[i];
        }
        /* H a H = a - v w^T - w v^T with w = tau a v - (tau^2 / 2) (v.a v) v */
        kernels->add_multiple(rest, -tau[k] / 2 * isg_long_dot(kernels, rest, w, v), v, w);
        for (size_t i = 0; i < rest; i++) {
            double *row = isg_row(a, k + 1 + i) + k + 1;
            kernels->add_multiple(rest, -v[i], w, row);
            kernels->add_multiple(rest, -w[i], v, row);
        }
    }
}

/* One QL step on rows `first` to `end`. If an entry vanishes on the way, the matrix splits there
   and the step ends. */
static void step(double *d, double *beside, size_t first, size_t end, isg_rotations *rotations) {
    double g = (d[first + 1] - d[first]) / (2 * beside[first]);
    const double root = sqrt(g * g + 1);
    g = d[end] - d[first] + beside[first] / (g + (g < 0 ? -root : root));
    double c = 1, s = 1, moved = 0;
    for (size_t i = end; i-- > first;) {
        const double f = s * beside[i], b = c * beside[i];
        const double size = isg_find_rotation(g, f, &c, &s);
        beside[i + 1] = size;
        if (size == 0) {
            d[i + 1] -= moved;
            beside[end] = 0;
            return;
        }
        g = d[i + 1] - moved;
        const double r = (d[i] - g) * s + 2 * c * b;
        moved = s * r;
        d[i + 1] = g + moved;
        g = c * r - b;
        isg_rotations_add(rotations, i + 1, i, c, s);
    }
    d[first] -= moved;
    beside[first] = g;
    beside[end] = 0;
}

/* `beside` has one entry more than there are beside the diagonal. */
static bool iterate(double *d, double *beside, size_t n, isg_rotations *rotations) {
    double norm = 0;
    for (size_t k = 0; k < n; k++)
        norm = fmax(norm, fabs(d[k]) + fabs(beside[k]));
    /* The reflectors' rounding errors already exceed this. */
    const double least = DBL_EPSILON / 16 * norm;
    size_t left = ISG_MAX_ITERATIONS * n;
    for (size_t first = 0; first < n;) {
        size_t end = first;
        while (end + 1 < n &&
               fabs(beside[end]) > fmax(least, DBL_EPSILON * (fabs(d[end]) + fabs(d[end + 1]))))
            end++;
        if (end == first) {
            first++;
            continue;
        }
        if (left-- == 0)
            return false;
        step(d, beside, first, end, rotations);
    }
    isg_rotations_flush(rotations);
    return true;
}

/* Fills both triangles from the lower one. */
static void copy_symmetric(double *out, isg_matd_view a, double factor) {
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j <= i; j++)
            out[i * a.rows + j] = out[j * a.rows + i] = factor * isg_row_view(a, i)[j];
}

/* Columns of `vectors` from rows of `found`, in order and with the right signs. */
static void put_vectors(isg_matd vectors, const double *found, const size_t *order) {
    const size_t n = vectors.rows;
    for (size_t k = 0; k < n; k++) {
        const double *row = found + order[k] * n;
        const double sign = isg_sign_of_largest(row, n, 1);
        for (size_t i = 0; i < n; i++)
            isg_row(vectors, i)[k] = sign * row[i];
    }
}

isg_status isg_symmetric_eigen(double *values, isg_matd vectors, isg_matd_view a) {
    const size_t n = a.rows;
    assert(a.rows == a.cols && isg_has_shape(vectors, n, n));
    ISG_TRY(isg_check_triangle("eigenvalues", a, ISG_LOWER));
    if (n == 0)
        return ISG_OK;
    isg_reflectors work = {0};
    isg_rotations rotations = {0};
    double *full = NULL, *found = NULL, *room = NULL;
    size_t *order = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(full, n, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(found, n, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(room, 5 * n));
    ISG_TRY_GOTO(ISG_ALLOCATE(order, n));
    ISG_TRY_GOTO(isg_rotations_start(&rotations, isg_matd_of(full, n, n)));
    ISG_TRY_GOTO(isg_reflectors_start(&work, n, n));
    double *d = room, *beside = room + n, *tau = room + 2 * n;
    const double factor = isg_safe_factor(a, true);
    const isg_matd square = isg_matd_of(found, n, n);
    copy_symmetric(full, a, factor);
    tridiagonalize(isg_matd_of(full, n, n), d, beside, square, tau, room + 3 * n, room + 4 * n);
    if (n > 1)
        isg_form(&work, isg_part(square, 1, 1, n - 1, n - 1), tau);
    found[0] = 1;
    for (size_t i = 0; i < n; i++) /* rotations act on rows */
        for (size_t j = 0; j < n; j++)
            full[i * n + j] = found[j * n + i];
    if (!iterate(d, beside, n, &rotations))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_DIVERGED,
                              "eigenvalues: the iteration on a matrix of %zu rows did not converge",
                              n));
    isg_sort_values(order, d, n, false);
    for (size_t k = 0; k < n; k++)
        values[k] = d[order[k]] / factor;
    put_vectors(vectors, full, order);
done:
    isg_reflectors_release(&work);
    isg_rotations_release(&rotations);
    isg_release(full);
    isg_release(found);
    isg_release(room);
    isg_release(order);
    return status;
}
