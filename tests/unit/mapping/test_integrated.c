/* test_integrated.c - an RBM with its hidden layer integrated out
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "rbm/rbm.h"

static isg_rbm *random_rbm(size_t n, size_t p, double size, uint64_t seed) {
    isg_rbm *rbm = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 3, 0));
    assert_ok(isg_rbm_start_normal(&rbm, n, p, 1.5, size, seed));
    for (size_t i = 0; i < n; i++)
        isg_rbm_visible_field(rbm)[i] = isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        isg_rbm_hidden_field(rbm)[mu] = isg_next_normal(&random);
    return rbm;
}

/* H(s) = -s^T W W^T s / 2 - field.s over all states. */
static void test_energy_of_the_spins(void **state) {
    (void)state;
    enum { N = 8, P = 3 };
    isg_rbm *rbm = random_rbm(N, P, 0.7, 5);
    const isg_matd w = isg_rbm_weights(rbm);
    isg_integrated whole;
    double field[N], sigma[P], trace = 0, squares = 0;
    assert_ok(isg_rbm_integrate(rbm, &whole, sigma, field));
    for (uint64_t s = 0; s < 1 << N; s++) {
        double energy = 0, found = 0;
        for (size_t i = 0; i < N; i++) {
            energy -= field[i] * isg_spin(&s, i);
            for (size_t j = 0; j < N; j++)
                for (size_t mu = 0; mu < P; mu++)
                    energy -= w.data[i * P + mu] * w.data[j * P + mu] * isg_spin(&s, i) *
                              isg_spin(&s, j) / 2;
        }
        assert_ok(isg_rbm_spin_energy(rbm, &s, &found));
        assert_true(fabs(found - energy) < 1e-12);
    }
    for (size_t k = 0; k < N * P; k++)
        trace += w.data[k] * w.data[k];
    for (size_t mu = 0; mu < P; mu++)
        squares += sigma[mu] * sigma[mu];
    assert_true(fabs(trace - squares) < 1e-12);
    assert_true(whole.has_field && !whole.is_binary && isnan(whole.hebbian_beta));
    assert_int_equal(whole.rank, P);
    isg_rbm_free(rbm);
}

/* W = w xi is the Hebbian network of xi at beta' = N w^2 beta: equal energies, times their betas. */
static void test_binary_weights_are_hebbian(void **state) {
    (void)state;
    enum { N = 10, P = 3 };
    const double sizes[3] = {1, 1 / sqrt((double)N), 0.3};
    int8_t xi[N * P];
    isg_cursor random = isg_cursor_at(isg_stream_at(5, ISG_PURPOSE_TEST, 4, 0));
    for (size_t k = 0; k < N * P; k++)
        xi[k] = isg_next_word(&random) & 1 ? 1 : -1;
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    isg_hopfield_options options = isg_hopfield_defaults();
    options.rule = ISG_RULE_HEBBIAN;
    assert_ok(isg_patterns_create(&patterns, N, P, xi, NULL));
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    for (size_t k = 0; k < 3; k++) {
        isg_rbm *rbm = NULL;
        isg_integrated whole;
        assert_ok(isg_rbm_create(&rbm, N, P, 1.25));
        for (size_t j = 0; j < N * P; j++)
            isg_rbm_weights(rbm).data[j] = sizes[k] * xi[j];
        assert_ok(isg_rbm_integrate(rbm, &whole, NULL, NULL));
        assert_true(whole.is_binary && whole.is_hebbian && !whole.has_field);
        assert_true(fabs(whole.hebbian_beta - N * sizes[k] * sizes[k] * 1.25) < 1e-12);
        for (uint64_t s = 0; s < 1 << N; s++) {
            double machine = 0, hebbian = 0;
            assert_ok(isg_rbm_spin_energy(rbm, &s, &machine));
            assert_ok(isg_hopfield_energy(network, &s, &hebbian));
            assert_true(fabs(1.25 * machine - whole.hebbian_beta * hebbian) < 1e-10);
        }
        for (size_t i = 0; i < N; i++) /* columns of different size: binary, but no Hebbian rule */
            isg_rbm_weights(rbm).data[i * P + 1] *= 2;
        assert_ok(isg_rbm_integrate(rbm, &whole, NULL, NULL));
        assert_true(whole.is_binary && !whole.is_hebbian && isnan(whole.hebbian_beta));

        /* Patterns that the model does not know by name are found in its columns. */
        isg_unmapping *found = NULL;
        assert_ok(isg_unmap(&found, rbm, NULL, NULL));
        assert_int_equal(isg_unmapping_describe(found).start, ISG_UNMAP_FROM_MODEL);
        for (size_t mu = 0; mu < P; mu++)
            assert_memory_equal(isg_patterns_row(isg_unmapping_patterns(found), mu),
                                isg_patterns_row(patterns, mu), sizeof(uint64_t));
        isg_unmapping_free(found);
        isg_rbm_weights(rbm).data[4] *= 1 + 1e-9;
        assert_ok(isg_rbm_integrate(rbm, &whole, NULL, NULL));
        assert_false(whole.is_binary);
        isg_rbm_free(rbm);
    }
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
}

static double distance(isg_rbm *a, isg_rbm *b) {
    const isg_matd x = isg_rbm_weights(a), y = isg_rbm_weights(b);
    double sum = 0;
    for (size_t k = 0; k < x.rows * x.cols; k++)
        sum += (x.data[k] - y.data[k]) * (x.data[k] - y.data[k]);
    return sqrt(sum);
}

/* L has orthonormal columns, is as far from W as reported, and no other such matrix is nearer. */
static void test_nearest_orthonormal(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(20, 4, 0.25, 7), *nearest = NULL;
    isg_integrated whole, after;
    double sigma[4], correction = 0;
    assert_ok(isg_rbm_integrate(rbm, &whole, sigma, NULL));
    assert_ok(isg_rbm_orthonormalize(&nearest, rbm));
    assert_ok(isg_rbm_integrate(nearest, &after, NULL, NULL));
    assert_true(whole.orthogonality_error > 0.1 && after.orthogonality_error < 1e-14);
    assert_true(after.correction < 1e-13 && after.orthogonal_distance < 1e-13);
    assert_true(fabs(distance(rbm, nearest) - whole.orthogonal_distance) < 1e-12);
    for (size_t mu = 0; mu < 4; mu++)
        correction = fmax(correction, fabs(1 / (sigma[mu] * sigma[mu]) - 1));
    assert_true(fabs(correction - whole.correction) < 1e-12);
    assert_memory_equal(isg_rbm_visible_field(rbm), isg_rbm_visible_field(nearest),
                        20 * sizeof(double));
    for (uint64_t seed = 1; seed <= 50; seed++) {
        isg_rbm *other = random_rbm(20, 4, 0.25, 7), *also = NULL;
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 5, 0));
        for (size_t k = 0; k < 80; k++)
            isg_rbm_weights(other).data[k] += 0.02 * isg_next_normal(&random);
        assert_ok(isg_rbm_orthonormalize(&also, other));
        assert_true(distance(rbm, also) > whole.orthogonal_distance);
        isg_rbm_free(other);
        isg_rbm_free(also);
    }
    isg_rbm_free(nearest);
    isg_rbm_free(rbm);
}

static void test_dependent_columns(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(9, 3, 1, 7), *wide = random_rbm(3, 5, 1, 7), *nearest = NULL;
    isg_integrated whole;
    double sigma[3];
    for (size_t i = 0; i < 9; i++)
        isg_rbm_weights(rbm).data[i * 3 + 2] = 2 * isg_rbm_weights(rbm).data[i * 3];
    assert_ok(isg_rbm_integrate(rbm, &whole, sigma, NULL));
    assert_int_equal(whole.rank, 2);
    assert_true(isinf(whole.correction) && sigma[2] < 1e-14);
    assert_fails(isg_rbm_orthonormalize(&nearest, rbm), ISG_ERR_DEPENDENT, "independent");
    assert_ok(isg_rbm_integrate(wide, &whole, sigma, NULL));
    assert_int_equal(whole.rank, 3);
    assert_true(isinf(whole.correction));
    assert_fails(isg_rbm_orthonormalize(&nearest, wide), ISG_ERR_DEPENDENT, "independent");
    isg_rbm_weights(rbm).data[3] = HUGE_VAL;
    assert_int_equal(isg_rbm_integrate(rbm, &whole, NULL, NULL), ISG_ERR_ARGUMENT);
    isg_rbm_free(rbm);
    isg_rbm_free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_of_the_spins),
        cmocka_unit_test(test_binary_weights_are_hebbian),
        cmocka_unit_test(test_nearest_orthonormal),
        cmocka_unit_test(test_dependent_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
