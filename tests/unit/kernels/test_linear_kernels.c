/* test_linear_kernels.c - the kernels of linear algebra, bit by bit, against what defines them
 *
 * SPDX-License-Identifier: MIT
 *
 * Buffers end at a page that may not be touched. Numbers have all 53 bits and magnitudes that make
 * every sum round, so that another order of additions, or a fused multiply-add, shows.
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "helper_wall.h"

static double rough(isg_cursor *cursor) {
    return ldexp(isg_next_uniform(cursor) - 0.5, (int)isg_next_below(cursor, 9));
}

static void fill(double *x, size_t n, isg_cursor *cursor) {
    for (size_t i = 0; i < n; i++)
        x[i] = rough(cursor);
}

static void tiles_are_sums_of_products(void **state) {
    (void)state;
    enum { AREA = ISG_TILE * ISG_TILE };
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall left = wall_create(), right = wall_create(), result = wall_create();
    isg_cursor cursor = isg_cursor_at(isg_stream_at(7, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 400; trial++) {
        const size_t n = trial < 40 ? trial : (size_t)isg_next_below(&cursor, 600);
        double *a = ending_at(&left, n * ISG_TILE * sizeof *a);
        double *b = ending_at(&right, n * ISG_TILE * sizeof *b);
        double *c = ending_at(&result, AREA * sizeof *c), expected[AREA];
        fill(a, n * ISG_TILE, &cursor);
        fill(b, n * ISG_TILE, &cursor);
        for (size_t k = 0; k < AREA; k++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++) {
                volatile const double product =
                    a[l * ISG_TILE + k / ISG_TILE] * b[l * ISG_TILE + k % ISG_TILE];
                sum += product; /* volatile: never fused */
            }
            expected[k] = sum;
        }
        for (size_t s = 0; s < n_sets; s++) {
            fill(c, AREA, &cursor); /* what was there before does not count */
            c[-1] = 12345;
            sets[s]->tile(n, a, b, c);
            assert_memory_equal(c, expected, sizeof expected);
            assert_true(c[-1] == 12345);
        }
    }
    wall_free(&left);
    wall_free(&right);
    wall_free(&result);
}

/* What `rotate` and `add_multiple` make of one pair, and what a dot product is, without vectors. */
static double plain_dot(size_t n, const double *x, const double *y) {
    double sums[ISG_DOT_LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        volatile const double product = x[i] * y[i];
        sums[i % ISG_DOT_LANES] += product;
    }
    for (size_t half = ISG_DOT_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

static void plain_rotate(double c, double s, double *x, double *y) {
    volatile const double cx = c * *x, sy = s * *y, cy = c * *y, sx = s * *x;
    *x = cx + sy;
    *y = cy - sx;
}

static void rows_are_combined_alike(void **state) {
    (void)state;
    enum { LONGEST = 300 };
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall one = wall_create(), two = wall_create();
    isg_cursor cursor = isg_cursor_at(isg_stream_at(8, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 1000; trial++) {
        const size_t n = trial < 100 ? trial : (size_t)isg_next_below(&cursor, LONGEST);
        const size_t bytes = n * sizeof(double);
        double *x = ending_at(&one, bytes), *y = ending_at(&two, bytes);
        double first[LONGEST], second[LONGEST], sum[LONGEST], turned[2][LONGEST];
        const double c = rough(&cursor), s = rough(&cursor);
        fill(first, n, &cursor);
        fill(second, n, &cursor);
        memcpy(turned[0], first, bytes);
        memcpy(turned[1], second, bytes);
        for (size_t i = 0; i < n; i++) {
            volatile const double product = c * first[i];
            sum[i] = second[i] + product;
            plain_rotate(c, s, &turned[0][i], &turned[1][i]);
        }
        for (size_t k = 0; k < n_sets; k++) {
            memcpy(x, first, bytes);
            memcpy(y, second, bytes);
            x[-1] = y[-1] = 12345;
            assert_true(sets[k]->dot(n, x, y) == plain_dot(n, first, second));
            sets[k]->add_multiple(n, c, x, y);
            assert_memory_equal(x, first, bytes);
            assert_memory_equal(y, sum, bytes);
            memcpy(y, second, bytes);
            sets[k]->rotate(n, c, s, x, y);
            assert_memory_equal(x, turned[0], bytes);
            assert_memory_equal(y, turned[1], bytes);
            assert_true(x[-1] == 12345 && y[-1] == 12345);
        }
    }
    wall_free(&one);
    wall_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_sums_of_products),
        cmocka_unit_test(rows_are_combined_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
