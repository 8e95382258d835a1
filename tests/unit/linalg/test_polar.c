/* test_polar.c - the polar factor in place, against the singular value decomposition
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_matrix.h"
#include "kernels/kernels.h"

static double *room_for(size_t p) {
    double *room = malloc(isg_polar_room(p) * sizeof *room);
    assert_non_null(room);
    return room;
}

/* U V^T. */
static isg_matd by_svd(isg_matd a) {
    const size_t n = a.rows, p = a.cols;
    isg_matd u = matrix_framed(n, p), vt = matrix_framed(p, p);
    double *sigma = malloc(p * sizeof *sigma);
    assert_ok(isg_svd(u, sigma, vt, isg_matd_const(a)));
    isg_matd out = matrix_product(u, ISG_AS_IS, vt, ISG_AS_IS);
    matrix_release(u);
    matrix_release(vt);
    free(sigma);
    return out;
}

static void check(isg_matd a, double scale) {
    double *room = room_for(a.cols);
    isg_matd expected = by_svd(a), found = matrix_copy(a);
    assert_ok(isg_polar(found, room));
    assert_true(isg_orthogonality_error(isg_matd_const(found), room) <= 1e-13);
    assert_matrix_close(found, expected, scale);
    isg_matd again = matrix_copy(found);
    assert_ok(isg_polar(again, room)); /* which is orthonormal already */
    for (size_t i = 0; i < a.rows; i++)
        assert_memory_equal(matrix_at(again, i, 0), matrix_at(found, i, 0),
                            a.cols * sizeof(double));
    matrix_release(expected);
    matrix_release(found);
    matrix_release(again);
    free(room);
}

static void test_is_that_of_the_svd(void **state) {
    (void)state;
    const struct {
        int kind;
        size_t n, p;
        double scale; /* the condition number */
    } all[] = {{NORMAL, 1, 1, 1},      {NORMAL, 20, 5, 10},  {NORMAL, 300, 40, 10},
               {NORMAL, 7, 7, 1e3},    {SPINS, 200, 30, 10}, {HUGE_ONES, 30, 4, 10},
               {TINY_ONES, 30, 4, 10}, {HILBERT, 12, 4, 1e5}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        isg_matd a = matrix_example(all[k].kind, all[k].n, all[k].p);
        check(a, all[k].scale);
        matrix_release(a);
    }
}

/* The case in training: a short step away from orthonormal columns. */
static void test_after_a_short_step(void **state) {
    (void)state;
    for (double step = 1e-10; step < 0.2; step *= 10) {
        isg_matd a = matrix_example(NORMAL, 100, 12), move = matrix_example(SPINS, 100, 12);
        double *room = room_for(12);
        assert_ok(isg_polar(a, room));
        for (size_t i = 0; i < 100; i++)
            for (size_t j = 0; j < 12; j++)
                *matrix_at(a, i, j) += step * *matrix_at(move, i, j) / 10;
        check(a, 1);
        matrix_release(a);
        matrix_release(move);
        free(room);
    }
}

static void test_refuses(void **state) {
    (void)state;
    const int kinds[] = {TWINS, LOW_RANK, ZERO};
    double *room = room_for(6);
    for (size_t k = 0; k < 3; k++) {
        isg_matd a = matrix_example(kinds[k], 20, 6);
        assert_fails(isg_polar(a, room), ISG_ERR_DEPENDENT, "columns");
        matrix_release(a);
    }
    isg_matd a = matrix_example(NORMAL, 20, 6);
    *matrix_at(a, 3, 2) = (double)NAN;
    assert_fails(isg_polar(a, room), ISG_ERR_ARGUMENT, "polar factor");
    *matrix_at(a, 3, 2) = 0;
    matrix_release(a);
    free(room);
}

static void test_same_bits_with_every_instruction_set(void **state) {
    (void)state;
    double *room = room_for(21);
    isg_matd first = {0};
    for (size_t k = 0; isg_isa_name(k); k++) {
        if (isg_set_isa(isg_isa_name(k)) != ISG_OK)
            continue; /* not on this processor */
        isg_matd a = matrix_example(NORMAL, 90, 21);
        assert_ok(isg_polar(a, room));
        if (!first.data) {
            first = a;
            continue;
        }
        for (size_t i = 0; i < a.rows; i++)
            assert_memory_equal(matrix_at(a, i, 0), matrix_at(first, i, 0),
                                a.cols * sizeof(double));
        matrix_release(a);
    }
    matrix_release(first);
    free(room);
    assert_ok(isg_set_isa("best"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_is_that_of_the_svd),
                                       cmocka_unit_test(test_after_a_short_step),
                                       cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_same_bits_with_every_instruction_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
