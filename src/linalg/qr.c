/* qr.c - QR with and without pivoting, by Householder's reflectors
 *
 * SPDX-License-Identifier: MIT
 *
 * Reflectors are found a panel of columns at a time, on a transposed copy of the panel, where a
 * column is contiguous. With V the reflectors of a panel side by side,
 *
 *     H_1 H_2 ... H_w = 1 - V T V^T,   T upper triangular,
 *
 * so the rest of the matrix is updated by products alone (Schreiber and Van Loan 1989).
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

enum { PANEL = 32 };

/* ---- reflectors ----------------------------------------------------------------------------------- */

/* The squares of x would lose digits or vanish, so x is scaled to near 1 first. Reflectors do not
   change. */
static double tiny_reflector(const isg_kernels *kernels, size_t n, double *x, double *tau) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    *tau = 0;
    if (largest == 0) {
        x[0] = 1;
        return 0;
    }
    int exponent = 0;
    frexp(largest, &exponent);
    const double factor = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
    return isg_reflector(kernels, n, x, tau) / factor;
}

double isg_reflector(const isg_kernels *kernels, size_t n, double *x, double *tau) {
    const double first = x[0], rest = isg_long_dot(kernels, n - 1, x + 1, x + 1);
    if (rest < 0x1p-900 && fabs(first) < 0x1p-400)
        return tiny_reflector(kernels, n, x, tau);
    x[0] = 1;
    *tau = 0;
    if (rest == 0)
        return first;
    const double norm = sqrt(first * first + rest), value = first > 0 ? -norm : norm;
    const double pivot = first - value; /* a sum of sizes: nothing cancels */
    for (size_t i = 1; i < n; i++)
        x[i] /= pivot;
    *tau = -pivot / value;
    return value;
}

isg_status isg_reflectors_start(isg_reflectors *work, size_t rows, size_t cols) {
    *work = (isg_reflectors){0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work->panel, rows, PANEL));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work->inner, 2 * cols + 2 * PANEL, PANEL));
    work->mixed = work->inner + cols * PANEL;
    work->t = work->mixed + cols * PANEL;
    work->gram = work->t + PANEL * PANEL;
    ISG_TRY_GOTO(isg_product_start(&work->room, (double)rows * (double)cols * PANEL));
    return ISG_OK;
done:
    isg_reflectors_release(work);
    return status;
}

void isg_reflectors_release(isg_reflectors *work) {
    isg_release(work->panel);
    isg_release(work->inner);
    isg_product_release(&work->room);
    *work = (isg_reflectors){0};
}

/* T from the reflectors in the panel: its column k is -tau_k T V^T v_k above the diagonal. */
static void fill_t(isg_reflectors *work, isg_matd_view panel, const double *tau) {
    const size_t width = panel.rows;
    const isg_matd gram = isg_matd_of(work->gram, width, width);
    isg_product(&work->room, ISG_SET, gram, panel, ISG_AS_IS, panel, ISG_TRANSPOSED);
    memset(work->t, 0, width * width * sizeof *work->t);
    for (size_t k = 0; k < width; k++) {
        for (size_t i = 0; i < k; i++) {
            double sum = 0;
            for (size_t j = i; j < k; j++)
                sum += work->t[i * width + j] * work->gram[j * width + k];
            work->t[i * width + k] = -tau[k] * sum;
        }
        work->t[k * width + k] = tau[k];
    }
}

/* a becomes (1 - V op(T) V^T) a. */
static void apply_panel(isg_reflectors *work, isg_matd a, isg_matd_view panel, isg_transpose op) {
    const size_t width = panel.rows;
    const isg_matd inner = isg_matd_of(work->inner, width, a.cols);
    const isg_matd mixed = isg_matd_of(work->mixed, width, a.cols);
    const isg_matd_view t = {work->t, width, width, width};
    isg_product(&work->room, ISG_SET, inner, panel, ISG_AS_IS, isg_matd_const(a), ISG_AS_IS);
    isg_product(&work->room, ISG_SET, mixed, t, op, isg_matd_const(inner), ISG_AS_IS);
    isg_product(&work->room, ISG_SUBTRACT, a, panel, ISG_TRANSPOSED, isg_matd_const(mixed),
                ISG_AS_IS);
}

/* panel (cols, rows) = a^T, and back. */
static void load_panel(isg_matd panel, isg_matd a) {
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < a.cols; j++)
            isg_row(panel, j)[i] = isg_row(a, i)[j];
}

static void store_panel(isg_matd a, isg_matd panel) {
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < a.cols; j++)
            isg_row(a, i)[j] = isg_row(panel, j)[i];
}

/* Overwrites r, which precedes the reflectors, with zeros and ones. */
static void uncover_reflectors(isg_matd panel) {
    for (size_t k = 0; k < panel.rows; k++) {
        memset(isg_row(panel, k), 0, k * sizeof *panel.data);
        isg_row(panel, k)[k] = 1;
    }
}

/* Factors the columns that are stored as rows of the panel. */
static void factor_panel(isg_matd panel, double *tau) {
    const isg_kernels *kernels = isg_kernels_get();
    for (size_t k = 0; k < panel.rows; k++) {
        double *v = isg_row(panel, k) + k;
        const size_t length = panel.cols - k;
        const double value = isg_reflector(kernels, length, v, &tau[k]);
        for (size_t j = k + 1; tau[k] != 0 && j < panel.rows; j++) {
            double *column = isg_row(panel, j) + k;
            const double inner = isg_long_dot(kernels, length, v, column);
            kernels->add_multiple(length, -tau[k] * inner, v, column);
        }
        v[0] = value;
    }
}

void isg_factor(isg_reflectors *work, isg_matd a, double *tau) {
    for (size_t first = 0; first < a.cols; first += PANEL) {
        const size_t width = a.cols - first < PANEL ? a.cols - first : PANEL;
        const size_t length = a.rows - first, left = a.cols - first - width;
        const isg_matd here = isg_part(a, first, first, length, width);
        const isg_matd panel = isg_matd_of(work->panel, width, length);
        load_panel(panel, here);
        factor_panel(panel, tau + first);
        store_panel(here, panel);
        if (left == 0)
            return;
        uncover_reflectors(panel);
        fill_t(work, isg_matd_const(panel), tau + first);
        apply_panel(work, isg_part(a, first, first + width, length, left), isg_matd_const(panel),
                    ISG_TRANSPOSED);
    }
}

/* From the last panel to the first, since columns after a panel are zero above what was formed. */
void isg_form(isg_reflectors *work, isg_matd a, const double *tau) {
    for (size_t left = (a.cols + PANEL - 1) / PANEL; left-- > 0;) {
        const size_t first = left * PANEL, length = a.rows - first;
        const size_t width = a.cols - first < PANEL ? a.cols - first : PANEL;
        const isg_matd panel = isg_matd_of(work->panel, width, length);
        load_panel(panel, isg_part(a, first, first, length, width));
        uncover_reflectors(panel);
        fill_t(work, isg_matd_const(panel), tau + first);
        for (size_t i = 0; i < a.rows; i++)
            memset(isg_row(a, i) + first, 0, width * sizeof *a.data);
        for (size_t k = 0; k < width; k++)
            isg_row(a, first + k)[first + k] = 1;
        apply_panel(work, isg_part(a, first, first, length, a.cols - first), isg_matd_const(panel),
                    ISG_AS_IS);
    }
}

/* ---- QR ------------------------------------------------------------------------------------------- */

/* r (p, p) = factor times what is above the diagonal of `from`. */
static void copy_triangle(isg_matd r, isg_matd_view from, double factor) {
    for (size_t i = 0; i < r.rows; i++)
        for (size_t j = 0; j < r.cols; j++)
            isg_row(r, i)[j] = j < i ? 0 : factor * isg_row_view(from, i)[j];
}

/* Negates row i of the triangle if its diagonal entry is negative; returns whether it was. */
static bool make_diagonal_positive(isg_matd r, size_t i) {
    double *row = isg_row(r, i);
    if (!signbit(row[i]))
        return false;
    for (size_t j = i; j < r.cols; j++)
        row[j] = -row[j];
    return true;
}

isg_status isg_qr(isg_matd q, isg_matd r, isg_matd_view a) {
    const size_t rows = a.rows, cols = a.cols;
    assert(isg_has_shape(q, rows, cols) && isg_has_shape(r, cols, cols));
    if (rows < cols)
        return isg_fail(ISG_ERR_SHAPE,
                        "QR: expected at least as many rows as columns, found %zu rows and %zu "
                        "columns",
                        rows, cols);
    ISG_TRY(isg_check_finite("QR", a));
    isg_reflectors work = {0};
    double *tau = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(tau, cols));
    ISG_TRY_GOTO(isg_reflectors_start(&work, rows, cols));
    const double factor = isg_safe_factor(a, false);
    isg_copy_scaled(q, a, factor);
    isg_factor(&work, q, tau);
    copy_triangle(r, isg_matd_const(q), 1 / factor);
    isg_form(&work, q, tau);
    for (size_t j = 0; j < cols; j++)
        tau[j] = make_diagonal_positive(r, j) ? -1 : 1;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            isg_row(q, i)[j] *= tau[j];
done:
    isg_reflectors_release(&work);
    isg_release(tau);
    return status;
}

/* ---- with pivoting -------------------------------------------------------------------------------- */

/* Squared norms that differ by less count as equal, and the first column is taken. */
static const double tie = 1e-13;

static size_t choose_pivot(const double *squares, size_t begin, size_t end) {
    double largest = 0;
    for (size_t j = begin; j < end; j++)
        largest = fmax(largest, squares[j]);
    size_t pivot = begin;
    while (squares[pivot] < largest * (1 - tie))
        pivot++;
    return pivot;
}

static void swap_columns(isg_matd a, size_t *order, size_t i, size_t j) {
    const size_t place = order[i];
    order[i] = order[j];
    order[j] = place;
    for (size_t k = 0; k < a.rows; k++) {
        double *row = isg_row(a, k), entry = row[i];
        row[i] = row[j];
        row[j] = entry;
    }
}

/* The squared norms of the columns from `first` on, over rows from `first` on. */
static void sum_squares(isg_matd a, size_t first, double *squares) {
    memset(squares + first, 0, (a.cols - first) * sizeof *squares);
    for (size_t i = first; i < a.rows; i++) {
        const double *row = isg_row(a, i);
        for (size_t j = first; j < a.cols; j++)
            squares[j] += row[j] * row[j];
    }
}

/* a (n, p) becomes r in and above its diagonal. `column` (n), `inner` and `squares` (p) are scratch. */
static void factor_pivoted(isg_matd a, size_t *order, double *column, double *inner,
                           double *squares) {
    const isg_kernels *kernels = isg_kernels_get();
    for (size_t k = 0; k < a.rows && k < a.cols; k++) {
        const size_t length = a.rows - k, right = a.cols - k - 1;
        double tau = 0;
        sum_squares(a, k, squares);
        const size_t pivot = choose_pivot(squares, k, a.cols);
        if (pivot != k)
            swap_columns(a, order, k, pivot);
        for (size_t i = 0; i < length; i++)
            column[i] = isg_row(a, k + i)[k];
        isg_row(a, k)[k] = isg_reflector(kernels, length, column, &tau);
        memset(inner, 0, right * sizeof *inner);
        for (size_t i = 0; i < length; i++)
            kernels->add_multiple(right, column[i], isg_row(a, k + i) + k + 1, inner);
        for (size_t i = 0; i < length; i++)
            kernels->add_multiple(right, -tau * column[i], inner, isg_row(a, k + i) + k + 1);
    }
}

/* Plain QR reduces a tall matrix to a square one with the same norms and angles between columns,
   where pivots are searched in the cache. */
isg_status isg_pivoted_qr(isg_matd r, size_t *order, size_t *rank, isg_matd_view a,
                          double tolerance) {
    const size_t rows = a.rows, cols = a.cols, least = rows < cols ? rows : cols;
    assert(isg_has_shape(r, least, cols) && tolerance >= 0);
    ISG_TRY(isg_check_finite("pivoted QR", a));
    isg_reflectors work = {0};
    double *copy = NULL, *room = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(copy, rows, cols));
    ISG_TRY_GOTO(ISG_ALLOCATE(room, least + 2 * cols));
    const isg_matd all = isg_matd_of(copy, rows, cols), square = isg_part(all, 0, 0, least, cols);
    const double factor = isg_safe_factor(a, false);
    isg_copy_scaled(all, a, factor);
    if (rows > cols) {
        ISG_TRY_GOTO(isg_reflectors_start(&work, rows, cols));
        isg_factor(&work, all, room);
        copy_triangle(square, isg_matd_const(square), 1);
    }
    for (size_t j = 0; j < cols; j++)
        order[j] = j;
    factor_pivoted(square, order, room, room + least, room + least + cols);
    for (size_t i = 0; i < least; i++)
        make_diagonal_positive(square, i);
    size_t count = 0;
    while (count < least && isg_row(square, count)[count] > tolerance * copy[0])
        count++;
    *rank = count;
    copy_triangle(r, isg_matd_const(square), 1 / factor);
done:
    isg_reflectors_release(&work);
    isg_release(copy);
    isg_release(room);
    return status;
}
