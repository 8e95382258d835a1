/* svd.c - singular values and vectors
 *
 * SPDX-License-Identifier: MIT
 *
 * Golub, Kahan and Reinsch: QR first if the matrix is not square, reflectors from both sides that
 * leave two diagonals, then shifted QR steps on these, whose rotations are applied to the vectors.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

/* A square matrix of size n while it becomes U diag(d) V^T. */
typedef struct decomposition {
    size_t n;
    double *d, *above;            /* (n): the diagonal, and the entries to the right of it */
    double *left, *right;         /* (n, n): vectors, in the end as rows */
    double *left_tau, *right_tau; /* (n) */
    double *column, *inner;       /* (n): scratch */
    isg_rotations of_left, of_right;
    isg_reflectors work;
} decomposition;

/* For a matrix of n columns and `length` rows, n <= length. */
static isg_status start(decomposition *my, size_t n, size_t length) {
    *my = (decomposition){.n = n};
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->left, n, n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->right, n, n));
    ISG_TRY(ISG_ALLOCATE(my->d, 6 * n));
    my->above = my->d + n;
    my->left_tau = my->above + n;
    my->right_tau = my->left_tau + n;
    my->column = my->right_tau + n;
    my->inner = my->column + n;
    ISG_TRY(isg_rotations_start(&my->of_left, isg_matd_of(my->left, n, n)));
    ISG_TRY(isg_rotations_start(&my->of_right, isg_matd_of(my->right, n, n)));
    return isg_reflectors_start(&my->work, length, n);
}

static void finish(decomposition *my) {
    isg_release(my->left);
    isg_release(my->right);
    isg_release(my->d);
    isg_rotations_release(&my->of_left);
    isg_rotations_release(&my->of_right);
    isg_reflectors_release(&my->work);
}

/* ---- two diagonals ----------------------------------------------------------------------------------- */

/* Makes a (n, n) upper bidiagonal by reflectors, stored below the diagonals of `left` and
   `right`. */
static void bidiagonalize(decomposition *my, isg_matd a) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = my->n;
    double *v = my->column, *w = my->inner;
    for (size_t k = 0; k < n; k++) {
        const size_t length = n - k, rest = length - 1;
        double *const row = isg_row(a, k) + k + 1;
        for (size_t i = 0; i < length; i++)
            v[i] = isg_row(a, k + i)[k];
        my->d[k] = isg_reflector(kernels, length, v, &my->left_tau[k]);
        memset(w, 0, rest * sizeof *w);
        for (size_t i = 0; i < length; i++) {
            kernels->add_multiple(rest, v[i], isg_row(a, k + i) + k + 1, w);
            my->left[(k + i) * n + k] = v[i];
        }
        if (rest == 0)
            break;
        const double left_tau = my->left_tau[k];
        kernels->add_multiple(rest, -left_tau, w, row);
        my->above[k] = isg_reflector(kernels, rest, row, &my->right_tau[k]);
        for (size_t i = 1; i < length; i++) {
            double *other = isg_row(a, k + i) + k + 1;
            kernels->add_multiple(rest, -left_tau * v[i], w, other);
            const double along = isg_long_dot(kernels, rest, row, other);
            kernels->add_multiple(rest, -my->right_tau[k] * along, row, other);
        }
        for (size_t i = 0; i < rest; i++)
            my->right[(k + 1 + i) * n + k + 1] = row[i];
    }
}

static void transpose(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double entry = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = entry;
        }
}

/* The products of the reflectors, transposed, since rotations act on rows. */
static void form_vectors(decomposition *my) {
    const size_t n = my->n;
    isg_form(&my->work, isg_matd_of(my->left, n, n), my->left_tau);
    if (n > 1)
        isg_form(&my->work, isg_part(isg_matd_of(my->right, n, n), 1, 1, n - 1, n - 1),
                 my->right_tau);
    my->right[0] = 1;
    transpose(my->left, n);
    transpose(my->right, n);
}

/* ---- QR steps on the diagonals ------------------------------------------------------------------------- */

/* The diagonal entry at `zero` is negligible: chases the one to its right out through the rows down
   to `end`. */
static void chase_zero(decomposition *my, size_t zero, size_t end, double negligible) {
    double moved = my->above[zero];
    my->above[zero] = 0;
    for (size_t i = zero + 1; i <= end && fabs(moved) > negligible; i++) {
        double c, s;
        my->d[i] = isg_find_rotation(my->d[i], moved, &c, &s);
        isg_rotations_add(&my->of_left, i, zero, c, s);
        moved = -s * my->above[i];
        my->above[i] *= c;
    }
}

/* The first entry of the shifted column, divided by d_first; the shift comes from the last two rows. */
static double shifted_start(const double *d, const double *above, size_t first, size_t end) {
    const double last = d[end], x = d[first], y = d[end - 1], h = above[end - 1];
    const double g = end - 1 > first ? above[end - 2] : 0;
    const double f = ((y - last) * (y + last) + (g - h) * (g + h)) / (2 * h * y);
    const double root = sqrt(f * f + 1);
    const double turn = y / (f + (f < 0 ? -root : root));
    return ((x - last) * (x + last) + h * (turn - h)) / x;
}

/* One implicit QR step on rows `first` to `end`. */
static void step(decomposition *my, size_t first, size_t end) {
    double *d = my->d, *above = my->above;
    double f = shifted_start(d, above, first, end), x = d[first], bulge = above[first];
    double g = above[first], c, s;
    for (size_t j = first; j < end; j++) {
        const double size = isg_find_rotation(f, bulge, &c, &s);
        if (j > first)
            above[j - 1] = size;
        isg_rotations_add(&my->of_right, j, j + 1, c, s);
        f = c * x + s * g;
        g = c * g - s * x;
        const double down = s * d[j + 1], y = c * d[j + 1];
        d[j] = isg_find_rotation(f, down, &c, &s);
        isg_rotations_add(&my->of_left, j, j + 1, c, s);
        f = c * g + s * y;
        x = c * y - s * g;
        bulge = s * above[j + 1];
        g = c * above[j + 1];
    }
    above[end - 1] = f;
    d[end] = x;
}

/* The first row of the unreduced part that ends at `end`. *is_zero says that the diagonal entry
   before it is negligible while the one to the right of that is not. */
static size_t find_part(const decomposition *my, size_t end, double negligible, bool *is_zero) {
    size_t first = end;
    *is_zero = false;
    for (; first > 0 && fabs(my->above[first - 1]) > negligible; first--)
        if (fabs(my->d[first - 1]) <= negligible) {
            *is_zero = true;
            break;
        }
    return first;
}

static bool iterate(decomposition *my) {
    const size_t n = my->n;
    double norm = 0;
    for (size_t k = 0; k < n; k++)
        norm = fmax(norm, fabs(my->d[k]) + fabs(my->above[k]));
    const double negligible = DBL_EPSILON * norm;
    size_t left = ISG_MAX_ITERATIONS * n;
    for (size_t end = n - 1; end > 0;) {
        bool is_zero;
        const size_t first = find_part(my, end, negligible, &is_zero);
        if (first == end && !is_zero) {
            my->above[--end] = 0;
            continue;
        }
        if (left-- == 0)
            return false;
        if (is_zero)
            chase_zero(my, first - 1, end, negligible);
        else
            step(my, first, end);
    }
    isg_rotations_flush(&my->of_left);
    isg_rotations_flush(&my->of_right);
    return true;
}

/* ---- all together ---------------------------------------------------------------------------------------- */

/* Makes singular values nonnegative and finds their falling order; vectors stay in place, and
   *order says which row comes when. */
static void sort(decomposition *my, size_t *order) {
    const size_t n = my->n;
    for (size_t k = 0; k < n; k++)
        if (signbit(my->d[k])) {
            my->d[k] = -my->d[k];
            for (size_t i = 0; i < n; i++)
                my->right[k * n + i] = -my->right[k * n + i];
        }
    isg_sort_values(order, my->d, n, true);
}

/* out (rows, n) = q times the vectors that are rows of `from` (n, n), in order; without q, the vectors. */
static void put_vectors(const decomposition *my, isg_matd out, const double *q, const double *from,
                        const size_t *order, double *sorted) {
    const size_t n = my->n;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            sorted[k * n + i] = from[order[k] * n + i];
    if (q)
        isg_product(&my->work.room, ISG_SET, out, (isg_matd_view){q, out.rows, n, n}, ISG_AS_IS,
                    (isg_matd_view){sorted, n, n, n}, ISG_TRANSPOSED);
    for (size_t k = 0; !q && k < n; k++)
        for (size_t i = 0; i < n; i++)
            isg_row(out, i)[k] = sorted[k * n + i];
}

static void set_signs(isg_matd u, isg_matd vt) {
    for (size_t k = 0; k < u.cols; k++)
        if (isg_sign_of_largest(u.data + k, u.rows, u.stride) < 0) {
            for (size_t i = 0; i < u.rows; i++)
                isg_row(u, i)[k] = -isg_row(u, i)[k];
            for (size_t j = 0; j < vt.cols; j++)
                isg_row(vt, k)[j] = -isg_row(vt, k)[j];
        }
}

/* a if it is tall, a^T if it is wide. */
static void copy_tall(isg_matd out, isg_matd_view a, bool is_wide, double factor) {
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < a.cols; j++)
            *(is_wide ? isg_row(out, j) + i : isg_row(out, i) + j) = factor * isg_row_view(a, i)[j];
}

isg_status isg_svd(isg_matd u, double *sigma, isg_matd vt, isg_matd_view a) {
    const bool is_wide = a.rows < a.cols;
    const size_t n = is_wide ? a.rows : a.cols, length = is_wide ? a.cols : a.rows;
    assert(isg_has_shape(u, a.rows, n) && isg_has_shape(vt, n, a.cols));
    ISG_TRY(isg_check_finite("singular values", a));
    if (n == 0)
        return ISG_OK;
    decomposition my = {0};
    double *tall = NULL, *core = NULL, *vectors = NULL;
    size_t *order = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(tall, length, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(core, n, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vectors, length, n)); /* of the longer side */
    ISG_TRY_GOTO(ISG_ALLOCATE(order, n));
    ISG_TRY_GOTO(start(&my, n, length));
    const double factor = isg_safe_factor(a, false);
    const isg_matd long_side = isg_matd_of(tall, length, n), square = isg_matd_of(core, n, n);
    copy_tall(long_side, a, is_wide, factor);
    if (length > n)
        ISG_TRY_GOTO(isg_qr(long_side, square, isg_matd_const(long_side)));
    else
        memcpy(core, tall, n * n * sizeof *core);
    bidiagonalize(&my, square);
    form_vectors(&my);
    if (!iterate(&my))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_DIVERGED,
                              "singular values: the iteration on a matrix of %zu rows and %zu "
                              "columns did not converge",
                              a.rows, a.cols));
    sort(&my, order);
    for (size_t k = 0; k < n; k++)
        sigma[k] = my.d[order[k]] / factor;
    /* From here on, core is scratch. */
    put_vectors(&my, isg_matd_of(vectors, length, n), length > n ? tall : NULL, my.left, order,
                core);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < length; i++)
            *(is_wide ? isg_row(vt, k) + i : isg_row(u, i) + k) = vectors[i * n + k];
        for (size_t i = 0; i < n; i++)
            *(is_wide ? isg_row(u, i) + k : isg_row(vt, k) + i) = my.right[order[k] * n + i];
    }
    set_signs(u, vt);
done:
    finish(&my);
    isg_release(tall);
    isg_release(core);
    isg_release(vectors);
    isg_release(order);
    return status;
}
