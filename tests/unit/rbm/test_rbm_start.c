/* test_rbm_start.c - RBMs that training may start from
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "data/data.h"
#include "helper_allocation.h"
#include "patterns/patterns.h"
#include "rbm/rbm.h"

enum { N = 70, P = 5, SAMPLES = 21 };

static isg_dataset *make_data(void) {
    static int8_t spins[SAMPLES * N];
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < SAMPLES * N; k++)
        spins[k] = isg_next_below(&random, 3) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    return data;
}

static void test_normal_start(void **state) {
    (void)state;
    enum { ROWS = 400, COLS = 50 };
    isg_rbm *rbm = NULL, *shorter = NULL, *other = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, ROWS, COLS, 2, 0.1, 3));
    double sum = 0, squares = 0, fourths = 0;
    for (size_t k = 0; k < ROWS * COLS; k++) {
        const double z = rbm->weights[k] / 0.1;
        sum += z;
        squares += z * z;
        fourths += z * z * z * z;
    }
    const double n = ROWS * COLS;
    assert_true(fabs(sum / n) < 5 / sqrt(n));
    assert_true(fabs(squares / n - 1) < 5 * sqrt(2 / n));  /* a variance of 0.1 gives 10 */
    assert_true(fabs(fourths / n - 3) < 5 * sqrt(96 / n)); /* uniform numbers give 1.8 */
    for (size_t i = 0; i < ROWS; i++)
        assert_true(rbm->b[i] == 0);
    assert_true(rbm->c[0] == 0 && rbm->info.beta == 2);
    assert_ok(isg_rbm_start_normal(&shorter, 3, COLS, 2, 0.1, 3));
    assert_memory_equal(shorter->weights, rbm->weights, 3 * COLS * sizeof(double));
    assert_ok(isg_rbm_start_normal(&other, 3, COLS, 2, 0.1, 4));
    assert_memory_not_equal(shorter->weights, other->weights, 3 * COLS * sizeof(double));
    isg_rbm_free(other);
    isg_rbm_free(shorter);
    isg_rbm_free(rbm);
    rbm = NULL;
    const double bad[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t k = 0; k < 4; k++)
        assert_fails(isg_rbm_start_normal(&rbm, 3, 2, 1, bad[k], 1), ISG_ERR_ARGUMENT,
                     "deviation: expected a positive number");
    assert_fails(isg_rbm_start_normal(&rbm, 3, 0, 1, 1, 1), ISG_ERR_ARGUMENT, "hidden unit");
    assert_fails(isg_rbm_start_normal(&rbm, 3, 2, 0, 1, 1), ISG_ERR_ARGUMENT, "beta");
    assert_null(rbm);
}

static void test_pca_start(void **state) {
    (void)state;
    isg_dataset *data = make_data();
    isg_rbm *rbm = NULL;
    double axes[N * P], variances[P];
    assert_ok(isg_pca(data, ISG_AXES_OF_COVARIANCE, P, (isg_matd){axes, N, P, P}, variances));
    data->info.image_height = 7;
    data->info.image_width = 10;
    assert_ok(isg_rbm_start_pca(&rbm, data, ISG_AXES_OF_COVARIANCE, P, 2));
    assert_true(rbm->info.image_height == 7 && rbm->info.image_width == 10);
    assert_memory_equal(axes, rbm->weights, sizeof axes);
    assert_true(rbm->info.beta == 2 && rbm->b[N - 1] == 0 && rbm->c[P - 1] == 0);
    isg_rbm_free(rbm);
    rbm = NULL;
    assert_fails(isg_rbm_start_pca(&rbm, data, ISG_AXES_OF_COVARIANCE, N + 1, 2), ISG_ERR_ARGUMENT,
                 "1 to 70 of them");
    assert_fails(isg_rbm_start_pca(&rbm, data, ISG_AXES_OF_COVARIANCE, SAMPLES, 2),
                 ISG_ERR_ARGUMENT, "directions");
    assert_null(rbm);
    isg_dataset_free(data);
}

static isg_status start_models(void *user) {
    isg_rbm *rbm = NULL;
    ISG_TRY(isg_rbm_start_normal(&rbm, N, P, 1, 0.1, 1));
    isg_rbm_free(rbm);
    ISG_TRY(isg_rbm_start_pca(&rbm, user, ISG_AXES_OF_COVARIANCE, P, 1));
    isg_rbm_free(rbm);
    return ISG_OK;
}

static void test_without_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data();
    assert_true(sweep_allocations(start_models, data) > 5);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_start),
        cmocka_unit_test(test_pca_start),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
