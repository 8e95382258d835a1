/* test_pca.c - principal axes from bit counts are those of the plain covariance
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_matrix.h"
#include "patterns/pca.h"

/* Spins that follow three hidden causes, so that the eigenvalues are apart. */
static int8_t *make_spins(size_t m, size_t n) {
    int8_t *spins = malloc(m * n);
    assert_non_null(spins);
    isg_cursor random = isg_cursor_at(isg_stream_at(m, ISG_PURPOSE_TEST, n, 0));
    for (size_t a = 0; a < m; a++) {
        double causes[3];
        for (size_t k = 0; k < 3; k++)
            causes[k] = isg_next_normal(&random) * (double)(3 - k) / 2;
        for (size_t i = 0; i < n; i++) {
            const double x = causes[i % 3] + 0.1 * (double)(i % 5);
            spins[a * n + i] = x + isg_next_normal(&random) > 0.3 ? 1 : -1;
        }
    }
    return spins;
}

/* The covariance, or the second moments, from their definition. */
static isg_matd moments_of(const int8_t *spins, isg_axes of, size_t m, size_t n) {
    isg_matd out = matrix_framed(n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double both = 0, mean_i = 0, mean_j = 0;
            for (size_t a = 0; a < m; a++) {
                both += spins[a * n + i] * spins[a * n + j];
                mean_i += spins[a * n + i];
                mean_j += spins[a * n + j];
            }
            const double count = (double)m;
            *matrix_at(out, i, j) = both / count;
            if (of == ISG_AXES_OF_COVARIANCE)
                *matrix_at(out, i, j) -= mean_i * mean_j / (count * count);
        }
    return out;
}

/* C v = variance v with orthonormal columns, variances descending and adding up to the trace: that
   determines all but the sign, which the largest entry fixes. */
static void check_axes(size_t m, size_t n, isg_axes of) {
    int8_t *spins = make_spins(m, n);
    isg_dataset *data = NULL;
    double *variances = malloc(n * sizeof *variances), trace = 0, total = 0;
    assert_non_null(variances);
    assert_ok(isg_dataset_create(&data, m, n, spins, NULL));
    isg_matd plain = moments_of(spins, of, m, n), axes = matrix_framed(n, n);
    assert_ok(isg_pca(data, of, n, axes, variances));
    isg_matd turned = matrix_product(plain, ISG_AS_IS, axes, ISG_AS_IS);
    for (size_t k = 0; k < n; k++) {
        double largest = 0;
        for (size_t i = 0; i < n; i++) {
            const double entry = *matrix_at(axes, i, k);
            assert_true(fabs(*matrix_at(turned, i, k) - variances[k] * entry) < 1e-12);
            if (fabs(entry) > fabs(largest))
                largest = entry;
        }
        assert_true(largest > 0);
        assert_true(k == 0 || variances[k] <= variances[k - 1]);
        trace += *matrix_at(plain, k, k);
        total += variances[k];
    }
    assert_true(fabs(total - trace) < 1e-12 * trace);
    assert_matrix_identity(matrix_product(axes, ISG_TRANSPOSED, axes, ISG_AS_IS));
    matrix_release(turned);

    isg_matd few = matrix_framed(n, 2); /* fewer axes are the first ones */
    double first[2] = {0};
    assert_ok(isg_pca(data, of, 2, few, first));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++)
            assert_true(*matrix_at(few, i, k) == *matrix_at(axes, i, k));
    assert_memory_equal(first, variances, sizeof first);
    matrix_release(few);
    matrix_release(plain);
    matrix_release(axes);
    isg_dataset_free(data);
    free(variances);
    free(spins);
}

static void test_axes_of_random_data(void **state) {
    (void)state;
    const size_t sizes[][2] = {{40, 2}, {63, 5}, {64, 9}, {65, 20}, {300, 7}, {1000, 70}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        check_axes(sizes[k][0], sizes[k][1], ISG_AXES_OF_COVARIANCE);
        check_axes(sizes[k][0], sizes[k][1], ISG_AXES_OF_MOMENTS);
    }
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    int8_t *spins = make_spins(500, 30);
    isg_dataset *data = NULL;
    double variances[2][4], entries[2][30 * 4];
    assert_ok(isg_dataset_create(&data, 500, 30, spins, NULL));
    for (size_t threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        const size_t into = threads > 1;
        isg_set_threads(threads);
        assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, 4, isg_matd_of(entries[into], 30, 4),
                          variances[into]));
        assert_memory_equal(entries[0], entries[into], sizeof entries[0]);
        assert_memory_equal(variances[0], variances[into], sizeof variances[0]);
    }
    isg_set_threads(0);
    isg_dataset_free(data);
    free(spins);
}

/* Units 0 and 1 are opposite, unit 2 is always up: one direction, (1, -1, 0) / sqrt(2). */
static void test_rank(void **state) {
    (void)state;
    const int8_t spins[] = {1, -1, 1, -1, 1, 1, -1, 1, 1, 1, -1, 1};
    isg_dataset *data = NULL;
    double variances[4] = {7, 7, 7, 7}, axes[12] = {0};
    assert_ok(isg_dataset_create(&data, 4, 3, spins, NULL));
    assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 2, isg_matd_of(axes, 3, 2), variances),
                 ISG_ERR_ARGUMENT, "the data vary in 1 of 3 directions, 2 were asked for");
    assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 4, isg_matd_of(axes, 3, 4), variances),
                 ISG_ERR_ARGUMENT, "1 to 3 of them, found 4");
    assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 0, isg_matd_of(axes, 3, 0), variances),
                 ISG_ERR_ARGUMENT, "found 0");
    assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 1, isg_matd_of(axes, 2, 1), variances),
                 ISG_ERR_SHAPE, "3 x 1");
    assert_true(variances[0] == 7 && axes[0] == 0);
    assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, 1, isg_matd_of(axes, 3, 1), variances));
    assert_true(fabs(variances[0] - 2) < 1e-14 && variances[1] == 7);
    assert_true(fabs(fabs(axes[0]) - sqrt(0.5)) < 1e-14 && fabs(axes[0] + axes[1]) < 1e-14);
    assert_true(fabs(axes[2]) < 1e-14);
    isg_dataset_free(data);
    const int8_t constant[] = {1, -1, 1, -1};
    assert_ok(isg_dataset_create(&data, 2, 2, constant, NULL));
    assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 1, isg_matd_of(axes, 2, 1), variances),
                 ISG_ERR_ARGUMENT, "the data vary in 0 of 2 directions");
    isg_dataset_free(data);
}

/* Iterating comes to the axes of the matrix, whatever the numbers of units and samples leave over
   from whole words. */
static void test_iteration_finds_the_same_axes(void **state) {
    (void)state;
    const size_t sizes[][3] = {{1000, 130, 3}, {64, 200, 7}, {700, 333, 12}, {65, 128, 1}};
    for (size_t s = 0; s < 8; s++) {
        const size_t m = sizes[s / 2][0], n = sizes[s / 2][1], k = sizes[s / 2][2];
        const isg_axes of = s % 2 ? ISG_AXES_OF_MOMENTS : ISG_AXES_OF_COVARIANCE;
        int8_t *spins = make_spins(m, n);
        isg_dataset *data = NULL;
        assert_ok(isg_dataset_create(&data, m, n, spins, NULL));
        isg_matd expected = matrix_framed(n, k), found = matrix_framed(k, n);
        double variances[12], others[12];
        size_t rank = 0;
        assert_ok(isg_pca(data, of, k, expected, variances));
        assert_ok(isg_pca_iterate(data, of, k, found, others, &rank));
        assert_int_equal(rank, k);
        for (size_t j = 0; j < k; j++) {
            const double sign = isg_sign_of_largest(matrix_at(found, j, 0), n, 1);
            assert_true(fabs(others[j] - variances[j]) < 1e-13 * variances[0]);
            for (size_t i = 0; i < n; i++)
                assert_true(fabs(sign * *matrix_at(found, j, i) - *matrix_at(expected, i, j)) <
                            1e-9);
        }
        assert_matrix_identity(matrix_product(found, ISG_AS_IS, found, ISG_TRANSPOSED));
        matrix_release(expected);
        matrix_release(found);
        isg_dataset_free(data);
        free(spins);
    }
}

/* All states of ten free units, each repeated ten times, every other time negated: ten equal
   variances, and no others. A single vector would only ever show one of them. */
static void test_iteration_finds_equal_variances(void **state) {
    (void)state;
    enum { FREE = 10, TIMES = 10, N = FREE * TIMES, M = 1 << FREE };
    int8_t *spins = malloc(M * N);
    assert_non_null(spins);
    for (size_t a = 0; a < M; a++)
        for (size_t i = 0; i < N; i++)
            spins[a * N + i] = ((a >> i % FREE & 1) ^ (i / FREE & 1)) ? 1 : -1;
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_create(&data, M, N, spins, NULL));
    for (size_t k = 3; k <= 12; k += 3) {
        isg_matd axes = matrix_framed(k, N);
        double variances[12];
        size_t rank = 0;
        assert_ok(isg_pca_iterate(data, ISG_AXES_OF_COVARIANCE, k, axes, variances, &rank));
        assert_int_equal(rank, k < FREE ? k : FREE);
        for (size_t j = 0; j < rank; j++) {
            assert_true(fabs(variances[j] - TIMES) < 1e-11);
            for (size_t i = 0; i < N; i++) /* C takes an axis to TIMES times itself */
                assert_true(fabs(*matrix_at(axes, j, i) + *matrix_at(axes, j, (i + FREE) % N)) <
                            1e-12);
        }
        matrix_release(axes);
    }
    isg_dataset_free(data);
    free(spins);
}

/* Too many units to form the covariance: the public function iterates, and C v = variance v. */
static void test_many_units(void **state) {
    (void)state;
    enum { N = 2100, M = 150, K = 4 };
    int8_t *spins = make_spins(M, N);
    isg_dataset *data = NULL;
    isg_matd axes = matrix_framed(N, K), again = matrix_framed(N, K);
    double variances[K], repeated[K];
    assert_ok(isg_dataset_create(&data, M, N, spins, NULL));
    isg_set_threads(1);
    assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, K, axes, variances));
    isg_set_threads(7);
    assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, K, again, repeated));
    isg_set_threads(0);
    assert_matrix_close(axes, again, 0);
    assert_memory_equal(variances, repeated, sizeof variances);
    isg_matd plain = moments_of(spins, ISG_AXES_OF_COVARIANCE, M, N),
             turned = matrix_product(plain, ISG_AS_IS, axes, ISG_AS_IS);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < K; j++)
            assert_true(fabs(*matrix_at(turned, i, j) - variances[j] * *matrix_at(axes, i, j)) <
                        1e-12 * variances[0]);
    assert_true(variances[0] > variances[1] && variances[K - 1] > 0);
    matrix_release(axes);
    matrix_release(again);
    matrix_release(plain);
    matrix_release(turned);
    isg_dataset_free(data);
    free(spins);
}

/* The rank of data that hardly vary is found, however many samples are the same. */
static void test_directions_of_dull_data(void **state) {
    (void)state;
    enum { N = 2101, M = 3000 };
    int8_t *spins = malloc((size_t)N * M);
    assert_non_null(spins);
    memset(spins, 1, (size_t)N * M);
    for (size_t directions = 0; directions <= 3; directions++) {
        if (directions > 0) /* one spin of one sample more is different */
            spins[(directions * 7) * N + directions * 300] = -1;
        isg_dataset *data = NULL;
        double variances[4], *axes = malloc(4 * N * sizeof *axes);
        assert_non_null(axes);
        assert_ok(isg_dataset_create(&data, M, N, spins, NULL));
        char expected[80];
        snprintf(expected, sizeof expected, "the data vary in %zu of 2101 directions", directions);
        assert_fails(isg_pca(data, ISG_AXES_OF_COVARIANCE, 4, isg_matd_of(axes, N, 4), variances),
                     ISG_ERR_ARGUMENT, expected);
        if (directions > 0)
            assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, directions,
                              isg_matd_of(axes, N, directions), variances));
        isg_dataset_free(data);
        free(axes);
    }
    free(spins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_of_random_data),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_iteration_finds_the_same_axes),
        cmocka_unit_test(test_iteration_finds_equal_variances),
        slow_unit_test(test_many_units),
        slow_unit_test(test_directions_of_dull_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
