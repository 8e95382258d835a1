/* test_linalg.c - every factorization by the identities that define it
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "helper_matrix.h"
#include "linalg/linalg.h"

static const size_t shapes[][2] = {{1, 1},   {2, 1},   {2, 2},    {7, 3},    {12, 12},
                                   {33, 32}, {64, 40}, {784, 10}, {100, 100}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- Products ------------------------------------------------------------------------- */

static void products_are_products(void **state) {
    (void)state;
    const size_t sizes[][3] = {{1, 1, 1},   {3, 5, 2}, {40, 17, 33},
                               {2, 784, 3}, {5, 0, 4}, {0, 3, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int ops = 0; ops < 4; ops++) {
            const isg_transpose op_a = ops & 1 ? ISG_TRANSPOSED : ISG_AS_IS;
            const isg_transpose op_b = ops & 2 ? ISG_TRANSPOSED : ISG_AS_IS;
            const size_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
            isg_matd a = op_a ? matrix_example(NORMAL, k, m) : matrix_example(NORMAL, m, k);
            isg_matd b = op_b ? matrix_example(NORMAL, n, k) : matrix_example(NORMAL, k, n);
            isg_matd expected = matrix_product(a, op_a, b, op_b), out = matrix_framed(m, n);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < n; j++)
                    *matrix_at(out, i, j) = (double)NAN; /* what was there before does not count */
            assert_int_equal(isg_matrix_multiply(out, matrix_view(a), op_a, matrix_view(b), op_b),
                             ISG_OK);
            assert_matrix_close(out, expected, 30);
            matrix_release(a);
            matrix_release(b);
            matrix_release(expected);
            matrix_release(out);
        }
}

/* ---- QR ------------------------------------------------------------------------------- */

static void check_qr(isg_matd a, bool is_in_place) {
    isg_matd q = is_in_place ? matrix_copy(a) : matrix_framed(a.rows, a.cols),
             r = matrix_framed(a.cols, a.cols);
    assert_int_equal(isg_qr(q, r, matrix_view(is_in_place ? q : a)), ISG_OK);
    assert_matrix_identity(matrix_product(q, ISG_TRANSPOSED, q, ISG_AS_IS));
    isg_matd back = matrix_product(q, ISG_AS_IS, r, ISG_AS_IS);
    assert_matrix_close(back, a, matrix_largest(a));
    for (size_t i = 0; i < r.rows; i++) {
        assert_false(signbit(*matrix_at(r, i, i)));
        for (size_t j = 0; j < i; j++)
            assert_true(*matrix_at(r, i, j) == 0);
    }
    matrix_release(back);
    matrix_release(q);
    matrix_release(r);
}

static void qr_holds(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < SHAPES; s++) {
            isg_matd a = matrix_example(kind, shapes[s][0], shapes[s][1]);
            check_qr(a, false);
            check_qr(a, true);
            matrix_release(a);
        }
    double a[] = {-3, 1, 4, 2}, q[4], r[4]; /* by hand: columns (-3, 4) and (1, 2) */
    assert_int_equal(
        isg_qr(isg_matd_of(q, 2, 2), isg_matd_of(r, 2, 2), isg_matd_const(isg_matd_of(a, 2, 2))),
        ISG_OK);
    const double expected_q[] = {-0.6, 0.8, 0.8, 0.6}, expected_r[] = {5, 1, 0, 2};
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(q[i] - expected_q[i]) < 1e-15);
        assert_true(fabs(r[i] - expected_r[i]) < 1e-15);
    }
    assert_int_equal(
        isg_qr(isg_matd_of(q, 2, 0), isg_matd_of(r, 0, 0), isg_matd_const(isg_matd_of(a, 2, 0))),
        ISG_OK);
}

static size_t known_rank(int kind, size_t rows, size_t cols) {
    const size_t least = rows < cols ? rows : cols;
    if (kind == ZERO)
        return 0;
    if (kind == LOW_RANK)
        return least < 2 ? least : 2;
    if (kind == TWINS)
        return cols / 2 < least ? cols / 2 : least;
    return least;
}

static void check_pivoted(isg_matd a, int kind) {
    const size_t least = a.rows < a.cols ? a.rows : a.cols;
    isg_matd r = matrix_framed(least, a.cols), permuted = matrix_framed(a.rows, a.cols);
    size_t order[200], seen[200] = {0}, rank = 99;
    assert_int_equal(
        isg_pivoted_qr(r, order, &rank, matrix_view(a), isg_rank_tolerance(a.rows, a.cols)),
        ISG_OK);
    for (size_t j = 0; j < a.cols; j++) {
        assert_true(order[j] < a.cols && seen[order[j]]++ == 0);
        for (size_t i = 0; i < a.rows; i++)
            *matrix_at(permuted, i, j) = *matrix_at(a, i, order[j]);
    }
    for (size_t i = 0; i < least; i++) {
        assert_true(*matrix_at(r, i, i) >= 0 &&
                    (i == 0 || *matrix_at(r, i, i) <= *matrix_at(r, i - 1, i - 1) * (1 + 1e-12)));
        for (size_t j = 0; j < i; j++)
            assert_true(*matrix_at(r, i, j) == 0);
    }
    /* q is not given, but q^T q = 1 makes r^T r the Gram matrix of the permuted columns. */
    isg_matd expected = matrix_product(permuted, ISG_TRANSPOSED, permuted, ISG_AS_IS);
    isg_matd found = matrix_product(r, ISG_TRANSPOSED, r, ISG_AS_IS);
    assert_matrix_close(found, expected, matrix_largest(expected));
    if (kind == NORMAL || kind == ZERO || kind == LOW_RANK || kind == TWINS)
        assert_int_equal(rank, known_rank(kind, a.rows, a.cols));
    matrix_release(expected);
    matrix_release(found);
    matrix_release(permuted);
    matrix_release(r);
}

static void pivoted_qr_holds(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < SHAPES; s++) {
            isg_matd a = matrix_example(kind, shapes[s][0], shapes[s][1]);
            check_pivoted(a, kind);
            matrix_release(a);
            if (shapes[s][0] <= 200) { /* wide too */
                a = matrix_example(kind, shapes[s][1], shapes[s][0]);
                check_pivoted(a, kind);
                matrix_release(a);
            }
        }
    size_t order[3] = {9, 9, 9}, rank = 9;
    assert_int_equal(isg_pivoted_qr(isg_matd_of(NULL, 0, 3), order, &rank,
                                    isg_matd_const(isg_matd_of(NULL, 0, 3)), 0),
                     ISG_OK);
    assert_true(order[0] == 0 && order[1] == 1 && order[2] == 2 && rank == 0);
}

/* The tolerance decides, and what r says of a dependent column is true. */
static void a_dependent_column_is_explained(void **state) {
    (void)state;
    isg_matd a = matrix_example(NORMAL, 50, 4), r = matrix_framed(4, 4);
    for (size_t i = 0; i < 50; i++)
        *matrix_at(a, i, 2) =
            0.5 * *matrix_at(a, i, 0) - 0.25 * *matrix_at(a, i, 3) + 1e-6 * *matrix_at(a, i, 2);
    size_t order[4], rank = 0;
    assert_int_equal(isg_pivoted_qr(r, order, &rank, matrix_view(a), isg_rank_tolerance(50, 4)),
                     ISG_OK);
    assert_int_equal(rank, 4);
    assert_int_equal(isg_pivoted_qr(r, order, &rank, matrix_view(a), 1e-4), ISG_OK);
    assert_int_equal(rank, 3);
    assert_int_equal(order[3], 2);
    const isg_matd_view front = {r.data, 3, 3, r.stride};
    const isg_matd coefficients = {matrix_at(r, 0, 3), 3, 1, r.stride};
    assert_int_equal(isg_triangular_solve(coefficients, front, ISG_UPPER, ISG_AS_IS), ISG_OK);
    const double expected[] = {0.5, 0, 0, -0.25};
    for (size_t j = 0; j < 3; j++)
        assert_true(fabs(*matrix_at(r, j, 3) - expected[order[j]]) < 1e-5);
    matrix_release(a);
    matrix_release(r);
}

/* ---- SVD and eigenvalues -------------------------------------------------------------- */

static void check_signs(isg_matd vectors) {
    for (size_t k = 0; k < vectors.cols; k++) {
        double extreme = 0;
        for (size_t i = 0; i < vectors.rows; i++)
            if (fabs(*matrix_at(vectors, i, k)) > fabs(extreme))
                extreme = *matrix_at(vectors, i, k);
        assert_true(extreme > 0);
    }
}

static void check_svd(isg_matd a) {
    const size_t least = a.rows < a.cols ? a.rows : a.cols;
    isg_matd u = matrix_framed(a.rows, least), vt = matrix_framed(least, a.cols);
    double sigma[200];
    assert_int_equal(isg_svd(u, sigma, vt, matrix_view(a)), ISG_OK);
    for (size_t k = 0; k < least; k++)
        assert_true(sigma[k] >= 0 && (k == 0 || sigma[k] <= sigma[k - 1]));
    assert_matrix_identity(matrix_product(u, ISG_TRANSPOSED, u, ISG_AS_IS));
    assert_matrix_identity(matrix_product(vt, ISG_AS_IS, vt, ISG_TRANSPOSED));
    check_signs(u);
    for (size_t i = 0; i < a.rows; i++)
        for (size_t k = 0; k < least; k++)
            *matrix_at(u, i, k) *= sigma[k];
    isg_matd back = matrix_product(u, ISG_AS_IS, vt, ISG_AS_IS);
    assert_matrix_close(back, a, fmax(sigma[0], matrix_largest(a)));
    matrix_release(back);
    matrix_release(u);
    matrix_release(vt);
}

static void svd_holds(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < SHAPES; s++) {
            isg_matd a = matrix_example(kind, shapes[s][0], shapes[s][1]);
            check_svd(a);
            matrix_release(a);
            a = matrix_example(kind, shapes[s][1], shapes[s][0]);
            check_svd(a);
            matrix_release(a);
        }
    double a[] = {0, 3, -2, 0}, u[4], sigma[2], vt[4];
    assert_int_equal(isg_svd(isg_matd_of(u, 2, 2), sigma, isg_matd_of(vt, 2, 2),
                             isg_matd_const(isg_matd_of(a, 2, 2))),
                     ISG_OK);
    assert_true(fabs(sigma[0] - 3) < 1e-15 && fabs(sigma[1] - 2) < 1e-15);
    assert_true(fabs(vt[1] - 1) < 1e-15 && fabs(vt[2] + 1) < 1e-15);
}

static void check_eigen(isg_matd a) {
    const size_t size = a.rows;
    isg_matd lower = matrix_copy(a), vectors = matrix_framed(size, size),
             scaled = matrix_framed(size, size);
    for (size_t i = 0; i < size; i++)
        for (size_t j = i + 1; j < size; j++)
            *matrix_at(lower, i, j) = (double)NAN; /* not to be read */
    double values[200];
    assert_int_equal(isg_symmetric_eigen(values, vectors, matrix_view(lower)), ISG_OK);
    assert_matrix_identity(matrix_product(vectors, ISG_TRANSPOSED, vectors, ISG_AS_IS));
    check_signs(vectors);
    for (size_t k = 0; k < size; k++) {
        assert_true(k == 0 || values[k] >= values[k - 1]);
        for (size_t i = 0; i < size; i++)
            *matrix_at(scaled, i, k) = *matrix_at(vectors, i, k) * values[k];
    }
    isg_matd back = matrix_product(scaled, ISG_AS_IS, vectors, ISG_TRANSPOSED);
    assert_matrix_close(back, a, fmax(fabs(values[0]), fabs(values[size - 1])));
    /* The eigenvectors may take the place of the matrix. */
    assert_int_equal(isg_symmetric_eigen(values, lower, matrix_view(lower)), ISG_OK);
    assert_matrix_close(lower, vectors, 0);
    matrix_release(back);
    matrix_release(lower);
    matrix_release(vectors);
    matrix_release(scaled);
}

static void eigenvectors_hold(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 10, 40, 100};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < 6; s++) {
            isg_matd a = matrix_gram(kind, sizes[s], kind < 2 ? -20 : 0); /* of both signs too */
            check_eigen(a);
            matrix_release(a);
        }
    double a[] = {1, 2, 2, -2}, values[2], vectors[4];
    assert_int_equal(isg_symmetric_eigen(values, isg_matd_of(vectors, 2, 2),
                                         isg_matd_const(isg_matd_of(a, 2, 2))),
                     ISG_OK);
    assert_true(fabs(values[0] + 3) < 1e-14 && fabs(values[1] - 2) < 1e-14);
    assert_true(fabs(vectors[0] + vectors[2] / 2) < 1e-14);
}

/* Numbers at the ends of what a double can be, whose squares vanish, lose digits or overflow. */
static void extremes_are_no_exception(void **state) {
    (void)state;
    const double huge = 1e308, tiny = 1.7e-162, least = 5e-324;
    const double matrices[][9] = {
        {0, 0, tiny, 0, 1, 0, tiny, 0, 0},       {1, 0, 0, 0, tiny, tiny, 0, tiny, -tiny},
        {1e-17, 1e-8, 0, 0, 1e-300, 0, 0, 0, 0}, {huge, 0, 0, 0, huge, 0, 0, 0, huge},
        {least, 0, 0, 0, least, 0, 0, 0, least}, {0, 1e-310, 0, 1e-310, 0, 0, 0, 0, 0},
        {1, 0, 0, 0, 1e-170, 0, 0, 0, 1e-165},   {huge, 0, 1, 0, least, 0, 1, 0, tiny}};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        isg_matd a = matrix_framed(3, 3);
        for (size_t i = 0; i < 9; i++)
            *matrix_at(a, i / 3, i % 3) = matrices[k][i];
        check_qr(a, false);
        check_svd(a);
        isg_matd r = matrix_framed(3, 3);
        size_t order[3], rank = 9;
        assert_int_equal(isg_pivoted_qr(r, order, &rank, matrix_view(a), 0), ISG_OK);
        assert_true(rank >= 1 && rank <= 3 && *matrix_at(r, 0, 0) == matrix_largest(r));
        if (*matrix_at(a, 0, 1) == *matrix_at(a, 1, 0))
            check_eigen(a);
        matrix_release(r);
        matrix_release(a);
    }
}

/* 150 equal singular values: every rotation turns by next to nothing, and none may lengthen. */
static void rotations_keep_lengths(void **state) {
    (void)state;
    enum { N = 150 };
    isg_matd a = matrix_example(NORMAL, N, N), q = matrix_framed(N, N), r = matrix_framed(N, N);
    double sigma[N];
    assert_int_equal(isg_qr(q, r, matrix_view(a)), ISG_OK);
    assert_int_equal(isg_svd(a, sigma, r, matrix_view(q)), ISG_OK);
    isg_matd gram = matrix_product(a, ISG_TRANSPOSED, a, ISG_AS_IS);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(*matrix_at(gram, i, i) - 1) < 1e-14 && fabs(sigma[i] - 1) < 1e-14);
    matrix_release(gram);
    matrix_release(a);
    matrix_release(q);
    matrix_release(r);
}

/* ---- Cholesky and triangular systems -------------------------------------------------- */

static void cholesky_holds(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 10, 100};
    for (size_t s = 0; s < 5; s++) {
        isg_matd a = matrix_gram(SPINS, sizes[s], 1), lower = matrix_copy(a),
                 l = matrix_framed(sizes[s], sizes[s]);
        for (size_t i = 0; i < sizes[s]; i++)
            for (size_t j = i + 1; j < sizes[s]; j++)
                *matrix_at(lower, i, j) = (double)NAN;
        assert_int_equal(isg_cholesky(l, matrix_view(lower)), ISG_OK);
        isg_matd back = matrix_product(l, ISG_AS_IS, l, ISG_TRANSPOSED);
        assert_matrix_close(back, a, matrix_largest(a));
        for (size_t i = 0; i < sizes[s]; i++)
            for (size_t j = i + 1; j < sizes[s]; j++)
                assert_true(*matrix_at(l, i, j) == 0);
        isg_matd x = matrix_example(NORMAL, sizes[s], 5),
                 b = matrix_product(a, ISG_AS_IS, x, ISG_AS_IS);
        assert_int_equal(isg_cholesky_solve(b, matrix_view(l)), ISG_OK);
        assert_matrix_close(b, x, 100);
        assert_int_equal(isg_cholesky(lower, matrix_view(lower)), ISG_OK); /* in place */
        assert_matrix_close(lower, l, 0);
        matrix_release(a);
        matrix_release(lower);
        matrix_release(l);
        matrix_release(back);
        matrix_release(x);
        matrix_release(b);
    }
}

static void a_matrix_that_is_not_positive_is_named(void **state) {
    (void)state;
    double a[] = {4, 0, 0, 2, 5, 0, 0, 1, 0.25}, l[9]; /* the last pivot is 0.25 - 1/4 */
    memset(l, 0x55, sizeof l);
    const isg_matd factor = isg_matd_of(l, 3, 3);
    assert_int_equal(isg_cholesky(factor, isg_matd_const(isg_matd_of(a, 3, 3))), ISG_ERR_ARGUMENT);
    assert_string_equal(isg_error_message(),
                        "Cholesky factor: expected a positive definite matrix, found one whose "
                        "pivot in row 2 is not positive");
    a[0] = -1;
    assert_int_equal(isg_cholesky(factor, isg_matd_const(isg_matd_of(a, 3, 3))), ISG_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof l; i++)
        assert_int_equal(((unsigned char *)l)[i], 0x55);
}

static void triangular_systems_are_solved(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 9, 60};
    for (size_t s = 0; s < 4; s++)
        for (int form = 0; form < 4; form++) {
            const isg_triangle triangle = form & 1 ? ISG_UPPER : ISG_LOWER;
            const isg_transpose op = form & 2 ? ISG_TRANSPOSED : ISG_AS_IS;
            isg_matd t = matrix_example(NORMAL, sizes[s], sizes[s]),
                     x = matrix_example(NORMAL, sizes[s], 7);
            for (size_t i = 0; i < sizes[s]; i++)
                for (size_t j = 0; j < sizes[s]; j++)
                    if (triangle == ISG_LOWER ? j > i : j < i)
                        *matrix_at(t, i, j) = 0;
                    else
                        *matrix_at(t, i, j) = i == j ? 2 : *matrix_at(t, i, j) / (double)sizes[s];
            isg_matd b = matrix_product(t, op, x, ISG_AS_IS);
            for (size_t i = 0; i < sizes[s]; i++)
                for (size_t j = 0; j < sizes[s]; j++)
                    if (triangle == ISG_LOWER ? j > i : j < i)
                        *matrix_at(t, i, j) = (double)NAN; /* not to be read */
            assert_int_equal(isg_triangular_solve(b, matrix_view(t), triangle, op), ISG_OK);
            assert_matrix_close(b, x, 1);
            matrix_release(t);
            matrix_release(x);
            matrix_release(b);
        }
    double t[] = {1, 0, 3, 0}, b[] = {1, 1};
    assert_int_equal(isg_triangular_solve(isg_matd_of(b, 2, 1),
                                          isg_matd_const(isg_matd_of(t, 2, 2)), ISG_LOWER,
                                          ISG_AS_IS),
                     ISG_ERR_ARGUMENT);
    assert_string_equal(isg_error_message(),
                        "triangular system: expected no zero on the diagonal, found one in row 1");
    assert_true(b[0] == 1 && b[1] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_products),
        cmocka_unit_test(qr_holds),
        cmocka_unit_test(pivoted_qr_holds),
        cmocka_unit_test(a_dependent_column_is_explained),
        cmocka_unit_test(svd_holds),
        cmocka_unit_test(eigenvectors_hold),
        cmocka_unit_test(extremes_are_no_exception),
        cmocka_unit_test(rotations_keep_lengths),
        cmocka_unit_test(cholesky_holds),
        cmocka_unit_test(a_matrix_that_is_not_positive_is_named),
        cmocka_unit_test(triangular_systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
