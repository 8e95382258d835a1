/* test_linalg_limits.c - what linear algebra refuses, and what must not change its results
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_matrix.h"
#include "linalg/linalg.h"

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

static void a_wide_matrix_has_no_qr(void **state) {
    (void)state;
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

enum { FUNCTIONS = 8, SIDE = 24 }; /* too large for products without tiles */

/* The f-th function, on a positive definite matrix `a` or, where a tall one makes a difference, on
   `tall`. */
static isg_status call(size_t f, isg_matd out, isg_matd more, isg_matd a, isg_matd tall,
                       isg_matd tall_out) {
    size_t order[SIDE], rank = 0;
    double values[SIDE];
    switch (f) {
    case 0:
        return isg_qr(out, more, matrix_view(a));
    case 1:
        return isg_pivoted_qr(out, order, &rank, matrix_view(tall), 0);
    case 2:
        return isg_svd(tall_out, values, more, matrix_view(tall));
    case 3:
        return isg_symmetric_eigen(values, out, matrix_view(a));
    case 4:
        return isg_cholesky(out, matrix_view(a));
    case 5:
        return isg_matrix_multiply(out, matrix_view(a), ISG_AS_IS, matrix_view(a), ISG_AS_IS);
    case 6:
        return isg_triangular_solve(out, matrix_view(a), ISG_LOWER, ISG_AS_IS);
    default:
        return isg_cholesky_solve(out, matrix_view(a));
    }
}

/* Every allocation of every function fails once: nothing stays behind, nothing is written. */
static void failed_allocations_leave_nothing_behind(void **state) {
    (void)state;
    isg_matd a = matrix_gram(NORMAL, SIDE, 1), tall = matrix_example(NORMAL, 40, SIDE);
    isg_matd out = matrix_framed(SIDE, SIDE), more = matrix_framed(SIDE, SIDE),
             tall_out = matrix_framed(40, SIDE);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        isg_status status = ISG_ERR_MEMORY;
        size_t n = 0;
        for (; status != ISG_OK; n++) {
            failing fails = {n, 0};
            const isg_allocator allocator = {allocate_or_fail, count_release, &fails};
            isg_set_allocator(&allocator);
            status = call(f, out, more, a, tall, tall_out);
            isg_set_allocator(NULL);
            assert_int_equal(fails.held, 0);
            assert_true(status == ISG_OK || status == ISG_ERR_MEMORY);
            if (status != ISG_OK)
                assert_true(matrix_largest(out) == 0 && matrix_largest(more) == 0 &&
                            matrix_largest(tall_out) == 0);
        }
        assert_true(n > 1);
        matrix_release(out);
        matrix_release(more);
        matrix_release(tall_out);
        out = matrix_framed(SIDE, SIDE), more = matrix_framed(SIDE, SIDE),
        tall_out = matrix_framed(40, SIDE);
    }
    matrix_release(a);
    matrix_release(tall);
    matrix_release(out);
    matrix_release(more);
    matrix_release(tall_out);
}

/* FNV-1a over the bits of a matrix. */
static uint64_t hash_on(uint64_t hash, isg_matd m) {
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.cols; j++) {
            uint64_t bits;
            memcpy(&bits, matrix_at(m, i, j), sizeof bits);
            for (int byte = 0; byte < 8; byte++)
                hash = (hash ^ (bits >> 8 * byte & 0xFF)) * UINT64_C(0x100000001B3);
        }
    return hash;
}

enum { ROWS = 784, COLS = 100 };

static const uint64_t known_hash = UINT64_C(0x2d6ec72f859a2579);

/* One hash of everything that the room computes, from spins, which are the same on every machine. */
static uint64_t hash_everything(isg_matd a) {
    size_t order[COLS], rank = 0;
    double values[2 * COLS];
    isg_matd q = matrix_framed(ROWS, COLS), r = matrix_framed(COLS, COLS);
    isg_matd g = matrix_framed(COLS, COLS), out = matrix_framed(COLS, COLS);
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    assert_int_equal(
        isg_matrix_multiply(g, matrix_view(a), ISG_TRANSPOSED, matrix_view(a), ISG_AS_IS), ISG_OK);
    hash = hash_on(hash, g);
    assert_int_equal(isg_qr(q, r, matrix_view(a)), ISG_OK);
    hash = hash_on(hash_on(hash, q), r);
    assert_int_equal(isg_svd(q, values, out, matrix_view(a)), ISG_OK);
    hash = hash_on(hash_on(hash, q), out);
    assert_int_equal(isg_symmetric_eigen(values + COLS, out, matrix_view(g)), ISG_OK);
    hash = hash_on(hash_on(hash, out), isg_matd_of(values, 2, COLS));
    assert_int_equal(isg_pivoted_qr(out, order, &rank, matrix_view(a), 1e-12), ISG_OK);
    hash = hash_on(hash, out);
    assert_int_equal(isg_cholesky(out, matrix_view(g)), ISG_OK);
    hash = hash_on(hash, out);
    assert_int_equal(isg_triangular_solve(r, matrix_view(out), ISG_LOWER, ISG_AS_IS), ISG_OK);
    assert_int_equal(isg_cholesky_solve(r, matrix_view(out)), ISG_OK);
    hash = hash_on(hash, r);
    matrix_release(q);
    matrix_release(r);
    matrix_release(g);
    matrix_release(out);
    return hash;
}

/* On every machine, for every number of threads and instruction set. */
static void the_bits_depend_on_the_input_alone(void **state) {
    (void)state;
    const size_t threads[] = {1, 2, 7};
    isg_matd a = matrix_example(SPINS, ROWS, COLS);
    const char *was = isg_isa();
    for (size_t i = 0; isg_isa_name(i); i++) {
        if (isg_set_isa(isg_isa_name(i)) != ISG_OK)
            continue;
        for (size_t k = 0; k < 3; k++) {
            isg_set_threads(threads[k]);
            const uint64_t hash = hash_everything(a);
            if (hash != known_hash)
                fail_msg("%s, %zu threads: hash %016" PRIx64, isg_isa(), threads[k], hash);
            assert_int_equal(isg_threads(), threads[k]);
        }
    }
    isg_set_threads(0);
    isg_set_isa(was);
    matrix_release(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(a_wide_matrix_has_no_qr),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(the_bits_depend_on_the_input_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
