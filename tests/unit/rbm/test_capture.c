/* test_capture.c - the share of the data in the span of W
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isinglass/mapping.h"
#include "rbm/rbm.h"

enum { N = 30, P = 4, SAMPLES = 5000 };

static isg_dataset *make_data(void) {
    isg_patterns *rows = NULL;
    isg_dataset *data = NULL;
    int8_t *spins = malloc((size_t)SAMPLES * N);
    assert_ok(isg_patterns_random(&rows, N, SAMPLES, 8));
    for (size_t k = 0; k < (size_t)SAMPLES * N; k++)
        spins[k] = (int8_t)(k % N % 3 ? isg_spin(isg_patterns_row(rows, k / N), k % N) : 1);
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, NULL));
    isg_patterns_free(rows);
    free(spins);
    return data;
}

/* By Gram-Schmidt, twice, in long double. */
static double by_definition(const isg_rbm *rbm, const isg_dataset *data) {
    const size_t p = rbm->info.n_hidden;
    long double q[P][N], sum = 0;
    for (size_t mu = 0; mu < p; mu++) {
        for (size_t i = 0; i < N; i++)
            q[mu][i] = (long double)rbm->weights[i * p + mu];
        long double square = 0;
        for (size_t k = 0; k < 2 * mu; k++) {
            long double inner = 0;
            for (size_t i = 0; i < N; i++)
                inner += q[k % mu][i] * q[mu][i];
            for (size_t i = 0; i < N; i++)
                q[mu][i] -= inner * q[k % mu][i];
        }
        for (size_t i = 0; i < N; i++)
            square += q[mu][i] * q[mu][i];
        for (size_t i = 0; i < N; i++)
            q[mu][i] /=
                square > 1e-20L ? sqrtl(square) : (long double)INFINITY; /* it adds nothing */
    }
    for (size_t a = 0; a < SAMPLES; a++)
        for (size_t mu = 0; mu < p; mu++) {
            long double inner = 0;
            for (size_t i = 0; i < N; i++)
                inner += q[mu][i] * isg_spin(isg_dataset_row(data, a), i);
            sum += inner * inner / N / SAMPLES;
        }
    return (double)sum;
}

static void test_capture(void **state) {
    (void)state;
    isg_dataset *data = make_data();
    for (uint64_t seed = 1; seed < 5; seed++) {
        isg_rbm *rbm = NULL;
        double found = 0;
        assert_ok(isg_rbm_start_normal(&rbm, N, P, 1, 0.4, seed));
        for (size_t i = 0; i < N && seed == 4; i++) /* of lower rank */
            rbm->weights[i * P + 3] = 2 * rbm->weights[i * P] - rbm->weights[i * P + 1];
        assert_ok(isg_rbm_capture(rbm, data, &found, NULL));
        assert_true(fabs(found - by_definition(rbm, data)) < 1e-12);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* The network of patterns has theirs; the axes have the most; without weights there is none. */
static void test_is_that_of_the_patterns(void **state) {
    (void)state;
    isg_dataset *data = make_data();
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL, *axes = NULL, *none = NULL;
    const isg_start_options start = {.kind = ISG_START_AXES, .n_hidden = P, .beta = 1};
    double of_patterns = 0, ceiling = 0, found = 1;
    assert_ok(isg_patterns_random(&patterns, N, P, 2));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    assert_ok(isg_patterns_capture(patterns, data, &of_patterns));
    assert_ok(isg_rbm_capture(rbm, data, &found, NULL));
    assert_true(fabs(found - of_patterns) < 1e-12);
    assert_ok(isg_rbm_start(&axes, &start, NULL, data, NULL));
    assert_ok(isg_capture_ceiling(data, P, &ceiling));
    assert_ok(isg_rbm_capture(axes, data, &found, NULL));
    assert_true(fabs(found - ceiling) < 1e-9 && ceiling > of_patterns);
    assert_ok(isg_rbm_create(&none, N, P, 1));
    assert_ok(isg_rbm_capture(none, data, &found, NULL));
    assert_true(found == 0);
    isg_patterns_free(patterns);
    isg_rbm_free(rbm);
    isg_rbm_free(axes);
    isg_rbm_free(none);
    isg_dataset_free(data);
}

static bool refuse(void *user, double fraction) {
    (void)user;
    (void)fraction;
    return false;
}

static void test_refuses(void **state) {
    (void)state;
    isg_dataset *data = make_data();
    isg_rbm *narrow = NULL, *rbm = NULL;
    const isg_progress progress = {refuse, NULL};
    double found = 3;
    assert_ok(isg_rbm_create(&narrow, N - 1, P, 1));
    assert_fails(isg_rbm_capture(narrow, data, &found, NULL), ISG_ERR_SHAPE, "30 units");
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 1, 0.4, 1));
    assert_fails(isg_rbm_capture(rbm, data, &found, &progress), ISG_ERR_CANCELLED, "cancelled");
    assert_true(found == 3);
    isg_rbm_free(narrow);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_capture),
                                       cmocka_unit_test(test_is_that_of_the_patterns),
                                       cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
