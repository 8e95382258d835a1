/* test_linalg_limits.c - what linear algebra refuses, and what must not change its results
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "helper_matrix.h"

/* ---- What is refused ------------------------------------------------------------------ */

/* All of them on the same square matrix; 5 results. */
static void call_all(isg_status results[5], isg_matd_view a, isg_matd out, isg_matd more) {
    size_t order[64], rank = 0;
    double values[64];
    results[0] = isg_qr(out, more, a);
    results[1] = isg_pivoted_qr(out, order, &rank, a, 0);
    results[2] = isg_svd(out, values, more, a);
    results[3] = isg_symmetric_eigen(values, out, a);
    results[4] = isg_cholesky(out, a);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    const char *const names[] = {"nan", "inf", "-inf"};
    for (size_t k = 0; k < 3; k++) {
        isg_matd a = matrix_gram(NORMAL, 6, 1), out = matrix_framed(6, 6),
                 more = matrix_framed(6, 6);
        *matrix_at(a, 4, 3) = bad[k];
        isg_status results[5];
        call_all(results, matrix_view(a), out, more);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(results[i], ISG_ERR_ARGUMENT);
        assert_true(matrix_largest(out) == 0 &&
                    matrix_largest(more) == 0); /* nothing was written */
        char expected[100] = "Cholesky factor: expected finite numbers, found ";
        strcat(strcat(expected, names[k]), " in row 4, column 3");
        assert_string_equal(isg_error_message(), expected);
        isg_matd b = matrix_example(NORMAL, 6, 2);
        assert_int_equal(isg_triangular_solve(b, matrix_view(a), ISG_LOWER, ISG_AS_IS),
                         ISG_ERR_ARGUMENT);
        assert_int_equal(isg_triangular_solve(b, matrix_view(a), ISG_UPPER, ISG_AS_IS), ISG_OK);
        *matrix_at(b, 0, 1) = bad[k];
        assert_int_equal(isg_cholesky_solve(b, matrix_view(out)), ISG_ERR_ARGUMENT);
        matrix_release(a);
        matrix_release(out);
        matrix_release(more);
        matrix_release(b);
    }
}

static void sizes_beyond_lapack_are_refused(void **state) {
    (void)state;
    /* Nothing is read before the sizes are known to be right, so no such matrix is needed. */
    double one = 1;
    size_t order = 0, rank = 0;
    const size_t big = (size_t)1 << 31, long_side = (size_t)1 << 25, middle = 20001;
    const isg_matd tall = {&one, big, 1, 1}, wide = {&one, 1, long_side, long_side};
    const isg_matd small = {&one, 1, 1, 1}, square = {&one, middle, middle, middle};
    const isg_matd strided = {&one, 1, 1, big};
    assert_int_equal(isg_qr(tall, small, matrix_view(tall)), ISG_ERR_SHAPE);
    assert_string_equal(isg_error_message(),
                        "QR: expected sizes up to 2147483647, found 2147483648");
    assert_int_equal(isg_qr(strided, small, matrix_view(small)), ISG_ERR_SHAPE);
    assert_int_equal(isg_pivoted_qr(wide, &order, &rank, matrix_view(wide), 0), ISG_ERR_SHAPE);
    assert_int_equal(isg_svd(square, &one, square, matrix_view(square)), ISG_ERR_SHAPE);
    assert_int_equal(isg_symmetric_eigen(&one, square, matrix_view(square)), ISG_ERR_SHAPE);
    assert_string_equal(isg_error_message(),
                        "eigenvalues: expected sizes up to 20000, found 20001");
    assert_int_equal(isg_cholesky(small, matrix_view(strided)), ISG_ERR_SHAPE);
    assert_int_equal(
        isg_matrix_multiply(tall, matrix_view(tall), ISG_AS_IS, matrix_view(small), ISG_AS_IS),
        ISG_ERR_SHAPE);
    assert_int_equal(isg_triangular_solve(strided, matrix_view(small), ISG_LOWER, ISG_AS_IS),
                     ISG_ERR_SHAPE);
    double a[6] = {0}, r[9];
    assert_int_equal(
        isg_qr(isg_matd_of(a, 2, 3), isg_matd_of(r, 3, 3), isg_matd_const(isg_matd_of(a, 2, 3))),
        ISG_ERR_SHAPE);
    assert_string_equal(isg_error_message(), "QR: expected at least as many rows as columns, found "
                                             "2 rows and 3 columns");
}

/* ---- Memory and threads --------------------------------------------------------------- */

typedef struct failing {
    size_t left, held;
} failing;

static void *allocate_or_fail(void *user, size_t alignment, size_t bytes) {
    failing *f = user;
    if (f->left == 0)
        return NULL;
    f->left--;
    f->held++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_release(void *user, void *pointer) {
    ((failing *)user)->held--;
    free(pointer);
}

static void failed_allocations_leave_nothing_behind(void **state) {
    (void)state;
    isg_matd a = matrix_gram(NORMAL, 12, 1), out = matrix_framed(12, 12),
             more = matrix_framed(12, 12);
    for (size_t n = 0; n < 3; n++) {
        isg_status results[5];
        failing f = {0, 0};
        size_t order[12], rank = 0;
        double values[12];
        const isg_allocator allocator = {allocate_or_fail, count_release, &f};
        isg_set_allocator(&allocator);
        for (size_t i = 0; i < 5; i++) { /* each with the n-th allocation failing */
            f.left = n;
            results[i] = i == 0   ? isg_qr(out, more, matrix_view(a))
                         : i == 1 ? isg_pivoted_qr(out, order, &rank, matrix_view(a), 0)
                         : i == 2 ? isg_svd(out, values, more, matrix_view(a))
                         : i == 3 ? isg_symmetric_eigen(values, out, matrix_view(a))
                                  : isg_cholesky(out, matrix_view(a));
        }
        isg_set_allocator(NULL);
        assert_int_equal(f.held, 0);
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(results[i],
                             n == 0 || (n == 1 && i >= 1 && i <= 3) ? ISG_ERR_MEMORY : ISG_OK);
        if (n == 0)
            assert_true(matrix_largest(out) == 0 && matrix_largest(more) == 0);
    }
    matrix_release(a);
    matrix_release(out);
    matrix_release(more);
}

static void results_do_not_depend_on_the_threads(void **state) {
    (void)state;
    enum { ROWS = 784, COLS = 100, RUNS = 3 };
    const size_t threads[RUNS] = {1, 2, 7};
    isg_matd a = matrix_example(SPINS, ROWS, COLS);
    isg_matd q[RUNS], r[RUNS], s[RUNS], u[RUNS], vt[RUNS], e[RUNS], l[RUNS], p[RUNS];
    for (size_t k = 0; k < RUNS; k++) {
        size_t order[COLS], rank = 0;
        double values[COLS];
        q[k] = matrix_framed(ROWS, COLS), u[k] = matrix_framed(ROWS, COLS);
        r[k] = matrix_framed(COLS, COLS), s[k] = matrix_framed(COLS, COLS),
        vt[k] = matrix_framed(COLS, COLS);
        e[k] = matrix_framed(COLS, COLS), l[k] = matrix_framed(COLS, COLS),
        p[k] = matrix_framed(COLS, COLS);
        isg_set_threads(threads[k]);
        assert_int_equal(isg_qr(q[k], r[k], matrix_view(a)), ISG_OK);
        assert_int_equal(
            isg_matrix_multiply(s[k], matrix_view(q[k]), ISG_TRANSPOSED, matrix_view(a), ISG_AS_IS),
            ISG_OK);
        assert_int_equal(isg_svd(u[k], values, vt[k], matrix_view(a)), ISG_OK);
        isg_matd g = matrix_product(a, ISG_TRANSPOSED, a, ISG_AS_IS);
        assert_int_equal(isg_symmetric_eigen(values, e[k], matrix_view(g)), ISG_OK);
        assert_int_equal(isg_cholesky(l[k], matrix_view(g)), ISG_OK);
        assert_int_equal(isg_pivoted_qr(p[k], order, &rank, matrix_view(a), 1e-12), ISG_OK);
        assert_int_equal(isg_threads(), threads[k]);
        matrix_release(g);
    }
    isg_set_threads(0);
    isg_matd *const results[] = {q, r, s, u, vt, e, l, p};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        for (size_t k = 1; k < RUNS; k++)
            assert_matrix_close(results[i][k], results[i][0], 0);
        for (size_t k = 0; k < RUNS; k++)
            matrix_release(results[i][k]);
    }
    matrix_release(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(sizes_beyond_lapack_are_refused),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(results_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
