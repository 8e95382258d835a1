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

/* All sets as the reference does, and that as the C library does, within rounding. */
static void log_cosh_is_summed_in_lanes(void **state) {
    (void)state;
    enum { MOST = 40, BLOCK = MOST * ISG_LANES };
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall one = wall_create(), two = wall_create(), three = wall_create(), four = wall_create();
    isg_cursor cursor = isg_cursor_at(isg_stream_at(9, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 300; trial++) {
        const size_t n = trial < 20 ? trial : (size_t)isg_next_below(&cursor, 512) + 1;
        const size_t p = 1 + (size_t)isg_next_below(&cursor, MOST);
        const double beta = ldexp(0.7, (int)(trial % 12) - 4);
        double *weights = ending_at(&one, n * p * sizeof *weights);
        double *field = ending_at(&two, n * sizeof *field);
        double *delta = ending_at(&three, p * ISG_LANES * sizeof *delta);
        double *gradient = ending_at(&four, p * ISG_LANES * sizeof *gradient);
        double sizes[3][ISG_LANES], product[3][ISG_LANES], expected[BLOCK], start[BLOCK];
        fill(weights, n * p, &cursor);
        fill(field, n, &cursor);
        fill(delta, p * ISG_LANES, &cursor);
        fill(start, p * ISG_LANES, &cursor);
        memcpy(expected, start, p * ISG_LANES * sizeof *start);
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            sizes[0][lane] = rough(&cursor);
            product[0][lane] = 1;
        }
        memcpy(sizes[1], sizes[0], sizeof *sizes);
        memcpy(product[1], product[0], sizeof *product);
        isg_kernels_ref.log_cosh(n, p, beta, weights, field, delta, sizes[1], product[1], expected);
        for (size_t s = 0; s < n_sets; s++)
            for (int has_gradient = 0; has_gradient < 2; has_gradient++) {
                memcpy(sizes[2], sizes[0], sizeof *sizes);
                memcpy(product[2], product[0], sizeof *product);
                memcpy(gradient, start, p * ISG_LANES * sizeof *start);
                gradient[-1] = 12345;
                sets[s]->log_cosh(n, p, beta, weights, field, delta, sizes[2], product[2],
                                  has_gradient ? gradient : NULL);
                assert_memory_equal(sizes[2], sizes[1], sizeof *sizes);
                assert_memory_equal(product[2], product[1], sizeof *product);
                assert_memory_equal(gradient, has_gradient ? expected : start,
                                    p * ISG_LANES * sizeof *start);
                assert_true(gradient[-1] == 12345);
            }
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) {
                double x = field[i];
                for (size_t mu = 0; mu < p; mu++)
                    x += weights[i * p + mu] * delta[mu * ISG_LANES + lane];
                sum += log1p(exp(-2 * fabs(beta * x)));
            }
            assert_true(fabs(log(product[1][lane]) - sum) <= 1e-13 * (1 + sum));
        }
    }
    wall_free(&one);
    wall_free(&two);
    wall_free(&three);
    wall_free(&four);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_sums_of_products),
        cmocka_unit_test(rows_are_combined_alike),
        cmocka_unit_test(log_cosh_is_summed_in_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
