/* linalg.c - dense linear algebra in double, on row-major views
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/linalg.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"

/* ---- LAPACK and BLAS: the Fortran symbols, with the lengths of their text arguments last -- */

void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
void dtrsm_(const char *side, const char *triangle, const char *op, const char *diagonal,
            const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            double *b, const int *ldb, size_t, size_t, size_t, size_t);
void dgelqf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *n_work, int *info);
void dorglq_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *n_work, int *info);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *order, double *tau,
             double *work, const int *n_work, int *info);
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *sigma,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work,
             const int *n_work, int *iwork, int *info, size_t);
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
             double *values, double *work, const int *n_work, int *iwork, const int *n_iwork,
             int *info, size_t, size_t);
void dpotrf_(const char *triangle, const int *n, double *a, const int *lda, int *info, size_t);

/* ---- Checks and copies ---------------------------------------------------------------- */

/* Beyond it the workspace of a divide-and-conquer routine, about 4 n^2, overflows an int. */
enum { MAX_DIVIDED = 20000 };

/* Likewise for the factorizations, whose workspace is the number of columns times a block of 64. */
enum { MAX_COLUMNS = 1 << 24 };

static isg_status check_size(const char *what, size_t size, size_t limit) {
    if (size <= limit)
        return ISG_OK;
    return isg_fail(ISG_ERR_SHAPE, "%s: expected sizes up to %zu, found %zu", what, limit, size);
}

static isg_status check_sizes(const char *what, isg_matd_view a) {
    assert(a.stride >= a.cols);
    ISG_TRY(check_size(what, a.rows, INT_MAX));
    return check_size(what, a.stride, INT_MAX);
}

static const double *row_of(isg_matd_view a, size_t i) {
    return a.data + i * a.stride;
}

/* Columns from `begin` to `end` of row i. */
static isg_status check_row(const char *what, isg_matd_view a, size_t i, size_t begin, size_t end) {
    const double *row = row_of(a, i);
    for (size_t j = begin; j < end; j++)
        if (!isfinite(row[j]))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: expected finite numbers, found %s in row %zu, column %zu", what,
                            isnan(row[j]) ? "nan" : (row[j] > 0 ? "inf" : "-inf"), i, j);
    return ISG_OK;
}

static isg_status check_finite(const char *what, isg_matd_view a) {
    for (size_t i = 0; i < a.rows; i++)
        ISG_TRY(check_row(what, a, i, 0, a.cols));
    return ISG_OK;
}

static isg_status check_triangle(const char *what, isg_matd_view a, isg_triangle triangle) {
    for (size_t i = 0; i < a.rows; i++)
        ISG_TRY(triangle == ISG_LOWER ? check_row(what, a, i, 0, i + 1)
                                      : check_row(what, a, i, i, a.cols));
    return ISG_OK;
}

static void copy_rows(isg_matd out, isg_matd_view a) {
    assert(out.data != a.data || out.stride == a.stride);
    if (out.data == a.data)
        return;
    for (size_t i = 0; i < a.rows; i++)
        memcpy(out.data + i * out.stride, row_of(a, i), a.cols * sizeof *a.data);
}

/* The lower triangle; zeros above. */
static void copy_lower(isg_matd out, isg_matd_view a) {
    for (size_t i = 0; i < a.rows; i++) {
        double *row = out.data + i * out.stride;
        memcpy(row, row_of(a, i), (i + 1) * sizeof *row);
        memset(row + i + 1, 0, (a.cols - i - 1) * sizeof *row);
    }
}

static bool has_shape(isg_matd a, size_t rows, size_t cols) {
    return a.rows == rows && a.cols == cols && a.stride >= cols;
}

/* LAPACK wants at least 1 even where there is nothing. */
static int leading(size_t stride) {
    return stride > 0 ? (int)stride : 1;
}

/* Of the entry that is largest in size, the first of them if several are: -1 or 1. */
static double sign_of_largest(const double *x, size_t n, size_t step) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i * step]) > fabs(largest))
            largest = x[i * step];
    return largest < 0 ? -1 : 1;
}

/* ---- Products and triangular systems --------------------------------------------------- */

isg_status isg_matrix_multiply(isg_matd out, isg_matd_view a, isg_transpose op_a, isg_matd_view b,
                               isg_transpose op_b) {
    const bool turn_a = op_a == ISG_TRANSPOSED, turn_b = op_b == ISG_TRANSPOSED;
    const size_t inner = turn_a ? a.rows : a.cols;
    assert(has_shape(out, turn_a ? a.cols : a.rows, turn_b ? b.rows : b.cols));
    assert(inner == (turn_b ? b.cols : b.rows));
    ISG_TRY(check_sizes("product", a));
    ISG_TRY(check_sizes("product", b));
    ISG_TRY(check_sizes("product", isg_matd_const(out)));
    /* Fortran sees every matrix transposed: out^T = op(b)^T op(a)^T. */
    const int m = (int)out.cols, n = (int)out.rows, k = (int)inner;
    const int lda = leading(a.stride), ldb = leading(b.stride), ldc = leading(out.stride);
    const double one = 1, zero = 0;
    const isg_serial before = isg_serial_begin();
    dgemm_(turn_b ? "T" : "N", turn_a ? "T" : "N", &m, &n, &k, &one, b.data, &ldb, a.data, &lda,
           &zero, out.data, &ldc, 1, 1);
    isg_serial_end(before);
    return ISG_OK;
}

static isg_status check_triangular(const char *what, isg_matd b, isg_matd_view t,
                                   isg_triangle triangle) {
    assert(t.rows == t.cols && has_shape(b, t.rows, b.cols));
    ISG_TRY(check_sizes(what, t));
    ISG_TRY(check_sizes(what, isg_matd_const(b)));
    ISG_TRY(check_triangle(what, t, triangle));
    ISG_TRY(check_finite(what, isg_matd_const(b)));
    for (size_t i = 0; i < t.rows; i++)
        if (row_of(t, i)[i] == 0)
            return isg_fail(ISG_ERR_ARGUMENT,
                            "%s: expected no zero on the diagonal, found one in row %zu", what, i);
    return ISG_OK;
}

/* Seen by Fortran: b^T = x^T op(t)^T, where t^T is what lies in memory. */
static void solve(isg_matd b, isg_matd_view t, isg_triangle triangle, isg_transpose op) {
    const int m = (int)b.cols, n = (int)b.rows, ldt = leading(t.stride), ldb = leading(b.stride);
    const double one = 1;
    const isg_serial before = isg_serial_begin();
    dtrsm_("R", triangle == ISG_LOWER ? "U" : "L", op == ISG_TRANSPOSED ? "T" : "N", "N", &m, &n,
           &one, t.data, &ldt, b.data, &ldb, 1, 1, 1, 1);
    isg_serial_end(before);
}

isg_status isg_triangular_solve(isg_matd b, isg_matd_view t, isg_triangle triangle,
                                isg_transpose op) {
    ISG_TRY(check_triangular("triangular system", b, t, triangle));
    solve(b, t, triangle, op);
    return ISG_OK;
}

isg_status isg_cholesky_solve(isg_matd b, isg_matd_view l) {
    ISG_TRY(check_triangular("Cholesky system", b, l, ISG_LOWER));
    solve(b, l, ISG_LOWER, ISG_AS_IS);
    solve(b, l, ISG_LOWER, ISG_TRANSPOSED);
    return ISG_OK;
}

isg_status isg_cholesky(isg_matd l, isg_matd_view a) {
    const char *what = "Cholesky factor";
    const size_t size = a.rows;
    assert(a.rows == a.cols && has_shape(l, size, size));
    ISG_TRY(check_sizes(what, a));
    ISG_TRY(check_triangle(what, a, ISG_LOWER));
    double *work = NULL;
    ISG_TRY(ISG_ALLOCATE(work, size * size));
    const isg_matd factor = isg_matd_of(work, size, size);
    copy_lower(factor, a);
    const int n = (int)size, ld = leading(size);
    int info = 0;
    const isg_serial before = isg_serial_begin();
    dpotrf_("U", &n, work, &ld, &info, 1);
    isg_serial_end(before);
    assert(info >= 0);
    isg_status status = ISG_OK;
    if (info == 0)
        copy_rows(l, isg_matd_const(factor));
    else
        status = isg_fail(ISG_ERR_ARGUMENT,
                          "%s: expected a positive definite matrix, found one whose pivot in row "
                          "%d is not positive",
                          what, info - 1);
    isg_release(work);
    return status;
}

/* ---- QR ------------------------------------------------------------------------------- */

/* Negates row i of the triangle if its diagonal entry is negative; tells whether it was. */
static bool make_diagonal_positive(isg_matd r, size_t i) {
    double *row = r.data + i * r.stride;
    if (!signbit(row[i]))
        return false;
    for (size_t j = i; j < r.cols; j++)
        row[j] = -row[j];
    return true;
}

/* In memory a is the transpose that LAPACK factors as a^T = r^T q^T, in place. */
isg_status isg_qr(isg_matd q, isg_matd r, isg_matd_view a) {
    const size_t rows = a.rows, cols = a.cols;
    assert(has_shape(q, rows, cols) && has_shape(r, cols, cols));
    ISG_TRY(check_sizes("QR", a));
    ISG_TRY(check_sizes("QR", isg_matd_const(q)));
    ISG_TRY(check_size("QR", cols, MAX_COLUMNS));
    if (rows < cols)
        return isg_fail(ISG_ERR_SHAPE,
                        "QR: expected at least as many rows as columns, found %zu rows and %zu "
                        "columns",
                        rows, cols);
    ISG_TRY(check_finite("QR", a));
    if (cols == 0)
        return ISG_OK;
    const int p = (int)cols, n = (int)rows, ld = leading(q.stride), ask = -1;
    int info = 0;
    double size_1 = 0, size_2 = 0, *tau = NULL;
    dgelqf_(&p, &n, q.data, &ld, NULL, &size_1, &ask, &info);
    dorglq_(&p, &n, &p, q.data, &ld, NULL, &size_2, &ask, &info);
    const int n_work = (int)fmax(size_1, size_2);
    ISG_TRY(ISG_ALLOCATE(tau, cols + (size_t)n_work));
    double *work = tau + cols;
    copy_rows(q, a);
    const isg_serial before = isg_serial_begin();
    dgelqf_(&p, &n, q.data, &ld, tau, work, &n_work, &info);
    assert(info == 0);
    for (size_t i = 0; i < cols; i++) {
        memset(r.data + i * r.stride, 0, i * sizeof *r.data);
        memcpy(r.data + i * r.stride + i, q.data + i * q.stride + i, (cols - i) * sizeof *r.data);
    }
    dorglq_(&p, &n, &p, q.data, &ld, tau, work, &n_work, &info);
    assert(info == 0);
    isg_serial_end(before);
    for (size_t j = 0; j < cols; j++)
        if (make_diagonal_positive(r, j))
            for (size_t i = 0; i < rows; i++)
                q.data[i * q.stride + j] = -q.data[i * q.stride + j];
    isg_release(tau);
    return ISG_OK;
}

static void copy_pivoted(isg_matd r, size_t *order, size_t *rank, const double *factor,
                         const int *pivots, size_t rows, double tolerance) {
    for (size_t i = 0; i < r.rows; i++) {
        for (size_t j = 0; j < r.cols; j++)
            r.data[i * r.stride + j] = j < i ? 0 : factor[i + j * rows];
        make_diagonal_positive(r, i);
    }
    for (size_t j = 0; j < r.cols; j++)
        order[j] = (size_t)pivots[j] - 1;
    size_t count = 0;
    while (count < r.rows && r.data[count * (r.stride + 1)] > tolerance * r.data[0])
        count++;
    *rank = count;
}

/* The one factorization that needs the columns of a themselves, and so a transposed copy. */
isg_status isg_pivoted_qr(isg_matd r, size_t *order, size_t *rank, isg_matd_view a,
                          double tolerance) {
    const size_t rows = a.rows, cols = a.cols, least = rows < cols ? rows : cols;
    assert(has_shape(r, least, cols) && tolerance >= 0);
    ISG_TRY(check_sizes("pivoted QR", a));
    ISG_TRY(check_size("pivoted QR", cols, MAX_COLUMNS));
    ISG_TRY(check_finite("pivoted QR", a));
    if (least == 0) {
        for (size_t j = 0; j < cols; j++)
            order[j] = j;
        *rank = 0;
        return ISG_OK;
    }
    const int m = (int)rows, n = (int)cols, ask = -1;
    int info = 0, *pivots = NULL;
    double size = 0, *factor = NULL;
    isg_status status = ISG_OK;
    dgeqp3_(&m, &n, NULL, &m, NULL, NULL, &size, &ask, &info);
    const int n_work = (int)size;
    ISG_TRY_GOTO(ISG_ALLOCATE(pivots, cols));
    ISG_TRY_GOTO(ISG_ALLOCATE(factor, rows * cols + least + (size_t)n_work));
    double *tau = factor + rows * cols, *work = tau + least;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            factor[i + j * rows] = row_of(a, i)[j];
    const isg_serial before = isg_serial_begin();
    dgeqp3_(&m, &n, factor, &m, pivots, tau, work, &n_work, &info);
    isg_serial_end(before);
    assert(info == 0);
    copy_pivoted(r, order, rank, factor, pivots, rows, tolerance);
done:
    isg_release(factor);
    isg_release(pivots);
    return status;
}

/* ---- Singular values and eigenvalues --------------------------------------------------- */

/* u is what LAPACK calls vt, and the reverse, since it works on a^T. Signs are set on the way. */
static void copy_svd(isg_matd u, isg_matd vt, const double *found_u, const double *found_vt) {
    const size_t least = u.cols;
    for (size_t k = 0; k < least; k++) {
        const double sign = sign_of_largest(found_u + k, u.rows, least);
        for (size_t i = 0; i < u.rows; i++)
            u.data[i * u.stride + k] = sign * found_u[i * least + k];
        for (size_t j = 0; j < vt.cols; j++)
            vt.data[k * vt.stride + j] = sign * found_vt[k * vt.cols + j];
    }
}

isg_status isg_svd(isg_matd u, double *sigma, isg_matd vt, isg_matd_view a) {
    const size_t rows = a.rows, cols = a.cols, least = rows < cols ? rows : cols;
    assert(has_shape(u, rows, least) && has_shape(vt, least, cols));
    ISG_TRY(check_sizes("singular values", a));
    ISG_TRY(check_size("singular values", least, MAX_DIVIDED));
    ISG_TRY(check_finite("singular values", a));
    if (least == 0)
        return ISG_OK;
    const int m = (int)cols, n = (int)rows, k = (int)least, ask = -1;
    int info = 0, *iwork = NULL;
    double size = 0, *copy = NULL;
    isg_status status = ISG_OK;
    dgesdd_("S", &m, &n, NULL, &m, NULL, NULL, &m, NULL, &k, &size, &ask, NULL, &info, 1);
    const int n_work = (int)size;
    ISG_TRY_GOTO(ISG_ALLOCATE(iwork, 8 * least));
    ISG_TRY_GOTO(ISG_ALLOCATE(copy, rows * cols + least * (rows + cols + 1) + (size_t)n_work));
    double *found_u = copy + rows * cols, *found_vt = found_u + rows * least;
    double *found_sigma = found_vt + least * cols, *work = found_sigma + least;
    copy_rows(isg_matd_of(copy, rows, cols), a);
    const isg_serial before = isg_serial_begin();
    dgesdd_("S", &m, &n, copy, &m, found_sigma, found_vt, &m, found_u, &k, work, &n_work, iwork,
            &info, 1);
    isg_serial_end(before);
    assert(info >= 0);
    if (info > 0) {
        status = isg_fail(ISG_ERR_DIVERGED,
                          "singular values: the iteration on a matrix of %zu rows and %zu columns "
                          "did not end",
                          rows, cols);
        goto done;
    }
    copy_svd(u, vt, found_u, found_vt);
    memcpy(sigma, found_sigma, least * sizeof *sigma);
done:
    isg_release(copy);
    isg_release(iwork);
    return status;
}

isg_status isg_symmetric_eigen(double *values, isg_matd vectors, isg_matd_view a) {
    const size_t size = a.rows;
    assert(a.rows == a.cols && has_shape(vectors, size, size));
    ISG_TRY(check_sizes("eigenvalues", a));
    ISG_TRY(check_size("eigenvalues", size, MAX_DIVIDED));
    ISG_TRY(check_triangle("eigenvalues", a, ISG_LOWER));
    if (size == 0)
        return ISG_OK;
    const int n = (int)size, ask = -1;
    int info = 0, n_iwork = 0, *iwork = NULL;
    double n_work_found = 0, *found = NULL;
    isg_status status = ISG_OK;
    dsyevd_("V", "U", &n, NULL, &n, NULL, &n_work_found, &ask, &n_iwork, &ask, &info, 1, 1);
    const int n_work = (int)n_work_found;
    ISG_TRY_GOTO(ISG_ALLOCATE(iwork, (size_t)n_iwork));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, size * size + size + (size_t)n_work));
    double *found_values = found + size * size, *work = found_values + size;
    copy_lower(isg_matd_of(found, size, size), a);
    const isg_serial before = isg_serial_begin();
    dsyevd_("V", "U", &n, found, &n, found_values, work, &n_work, iwork, &n_iwork, &info, 1, 1);
    isg_serial_end(before);
    assert(info >= 0);
    if (info > 0) {
        status = isg_fail(ISG_ERR_DIVERGED,
                          "eigenvalues: the iteration on a matrix of %zu rows did not end", size);
        goto done;
    }
    for (size_t k = 0; k < size; k++) { /* one eigenvector lies in one row of what LAPACK gives */
        const double sign = sign_of_largest(found + k * size, size, 1);
        for (size_t i = 0; i < size; i++)
            vectors.data[i * vectors.stride + k] = sign * found[k * size + i];
    }
    memcpy(values, found_values, size * sizeof *values);
done:
    isg_release(found);
    isg_release(iwork);
    return status;
}
