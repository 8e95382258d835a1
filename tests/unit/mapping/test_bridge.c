/* test_bridge.c - a Hopfield network and an RBM as one object: over the bridge, and back
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/special.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "mapping/hopfield_to_rbm.h"

enum { N = 10, P = 4, STATES = 1 << N };

static const double exactly = 1e-11;

/* ln Z of a network, by its own energies, all of them. */
static double network_log_z(const isg_hopfield *network, double beta) {
    static double exponents[STATES];
    for (uint64_t s = 0; s < STATES; s++) {
        double energy = 0;
        assert_ok(isg_hopfield_energy(network, &s, &energy));
        exponents[s] = -beta * energy;
    }
    return isg_log_sum_exp(exponents, STATES);
}

/* H of the network is that of the RBM plus `shift`, in every state; ln Z accordingly. */
static void assert_same(const isg_hopfield *network, const isg_rbm *rbm, double shift) {
    const double beta = isg_rbm_describe(rbm).beta;
    double log_z = 0;
    for (uint64_t s = 0; s < STATES; s++) {
        double here = 0, there = 0;
        assert_ok(isg_hopfield_energy(network, &s, &here));
        assert_ok(isg_rbm_spin_energy(rbm, &s, &there));
        assert_true(fabs(here - there - shift) < exactly);
    }
    assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
    assert_true(fabs(network_log_z(network, beta) - (log_z - beta * shift)) < exactly);
}

static isg_rbm *random_rbm(uint64_t seed, double fields) {
    isg_rbm *rbm = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 9, 0));
    assert_ok(isg_rbm_create(&rbm, N, P, 1.3));
    for (size_t k = 0; k < N * P; k++)
        rbm->weights[k] = 0.5 * isg_next_normal(&random);
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = fields * isg_next_normal(&random);
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = fields * isg_next_normal(&random);
    return rbm;
}

/* Every rule, W, diagonal and field, against explicit J, and back again. */
static void test_there_and_back(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        const isg_rule rule = k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION;
        const bool keeps_diagonal = (k & 2) != 0;
        plain_network plain;
        plain_create(&plain, N, P, rule, keeps_diagonal, k & 4 ? 0.4 : 0, 11 + (uint64_t)k);
        isg_hopfield *network = plain_build(&plain);
        const double shift = keeps_diagonal ? 0 : isg_hopfield_describe(network).trace / 2;
        for (int via = ISG_VIA_QR; via <= ISG_VIA_SQRT; via++) {
            isg_rbm *rbm = NULL, *again = NULL;
            isg_hopfield *back = NULL;
            isg_mapping_report report;
            assert_ok(isg_rbm_from_hopfield(&rbm, network, (isg_decomposition)via, 0.8, &report));
            assert_int_equal(report.via, k & 1 ? ISG_VIA_HEBBIAN : via);
            assert_true(report.rank == P && report.energy_shift == shift);
            assert_same(network, rbm, shift);
            assert_ok(isg_hopfield_from_rbm(&back, rbm));
            assert_same(back, rbm, 0);
            const isg_hopfield_info info = isg_hopfield_describe(back);
            assert_true(info.rule == ISG_RULE_WEIGHTS && info.keeps_diagonal && info.rank == P);
            assert_true(info.has_field == ((k & 4) != 0) && info.n_patterns == P);
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) {
                    double sum = 0;
                    for (size_t mu = 0; mu < P; mu++)
                        sum += back->u[i * P + mu] * back->u[j * P + mu];
                    assert_true(fabs(sum - (i == j && !keeps_diagonal ? back->diagonal[i]
                                                                      : plain.j[i][j])) < exactly);
                }
            assert_ok(isg_rbm_from_hopfield(&again, back, ISG_VIA_QR, 0.8, NULL));
            assert_memory_equal(again->weights, rbm->weights, N * P * sizeof *rbm->weights);
            assert_memory_equal(again->b, rbm->b, N * sizeof *rbm->b);
            isg_rbm_free(rbm);
            isg_rbm_free(again);
            isg_hopfield_free(back);
        }
        isg_hopfield_free(network);
    }
}

/* An RBM with hidden fields, which become fields of the spins. */
static void test_hidden_fields(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        isg_rbm *rbm = random_rbm(seed, 0.7), *again = NULL;
        isg_hopfield *network = NULL;
        assert_ok(isg_hopfield_from_rbm(&network, rbm));
        assert_same(network, rbm, 0);
        assert_ok(isg_rbm_from_hopfield(&again, network, ISG_VIA_QR, 1.3, NULL));
        assert_same(network, again, 0);
        for (size_t mu = 0; mu < P; mu++)
            assert_true(again->c[mu] == 0);
        /* The network's dynamics take every state to a fixed point of no higher energy. */
        for (uint64_t s = 0; s < STATES; s += 37) {
            uint64_t moved = s;
            double before = 0;
            isg_dynamics_report report;
            assert_ok(isg_hopfield_energy(network, &s, &before));
            assert_ok(isg_hopfield_run(network, &moved, 1, NULL, &report, NULL));
            assert_true(report.state.is_fixed_point && report.state.energy <= before + exactly);
        }
        isg_hopfield_free(network);
        isg_rbm_free(rbm);
        isg_rbm_free(again);
    }
}

static isg_patterns *draw_patterns(bool is_dependent) {
    int8_t xi[N * P];
    const char *const labels[P] = {"a", "b", "c", "d"};
    isg_patterns *patterns = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(4, ISG_PURPOSE_TEST, 10, 0));
    for (size_t i = 0; i < N; i++) {
        for (size_t mu = 0; mu < P; mu++)
            xi[i * P + mu] = isg_next_below(&random, 2) ? 1 : -1;
        if (is_dependent)
            xi[i * P + 2] = (int8_t)-xi[i * P];
    }
    assert_ok(isg_patterns_create(&patterns, N, P, xi, labels));
    patterns->info.image_height = 2;
    patterns->info.image_width = 5;
    return patterns;
}

/* isg_rbm_from_patterns() is nothing but the two steps. */
static void test_two_steps_are_one(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int via = ISG_VIA_QR; via <= ISG_VIA_HEBBIAN; via++) {
            isg_patterns *patterns = draw_patterns(k == 1);
            isg_hopfield_options how = isg_hopfield_defaults();
            isg_mapping_options options = isg_mapping_defaults();
            isg_hopfield *network = NULL;
            isg_rbm *one = NULL, *two = NULL;
            options.via = (isg_decomposition)via;
            how.rule = via == ISG_VIA_HEBBIAN ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION;
            options.allow_rank_deficient = how.allow_rank_deficient = true;
            assert_ok(isg_hopfield_create(&network, patterns, &how));
            assert_ok(isg_rbm_from_patterns(&one, patterns, &options, NULL));
            assert_ok(isg_rbm_from_hopfield(&two, network, options.via, 2, NULL));
            const size_t hidden = isg_rbm_describe(one).n_hidden;
            assert_int_equal(hidden, via == ISG_VIA_HEBBIAN ? P : P - (size_t)k);
            assert_memory_equal(one->weights, two->weights, N * hidden * sizeof(double));
            assert_memory_equal(one->r, two->r, hidden * P * sizeof(double));
            assert_int_equal(isg_rbm_describe(two).image_width, 5);
            assert_string_equal(isg_patterns_label(isg_rbm_patterns(two), 3), "d");
            isg_hopfield_free(network);
            isg_rbm_free(one);
            isg_rbm_free(two);
            isg_patterns_free(patterns);
        }
}

/* The patterns that an RBM was made from stay known even when training has moved its weights. */
static void test_patterns_cross(void **state) {
    (void)state;
    isg_patterns *patterns = draw_patterns(false);
    isg_hopfield *network = NULL, *moved = NULL;
    isg_rbm *rbm = NULL;
    assert_ok(isg_hopfield_create(&network, patterns, NULL));
    assert_ok(isg_rbm_from_hopfield(&rbm, network, ISG_VIA_QR, 2, NULL));
    for (size_t k = 0; k < N * P; k++)
        rbm->weights[k] += 0.1 * (double)(k % 3);
    assert_ok(isg_hopfield_from_rbm(&moved, rbm));
    assert_string_equal(isg_patterns_label(isg_hopfield_patterns(moved), 1), "b");
    for (uint64_t s = 0; s < STATES; s += 11) {
        double m[2][P], a[2][P];
        isg_hopfield_overlaps(network, &s, m[0]);
        isg_hopfield_overlaps(moved, &s, m[1]);
        assert_ok(isg_hopfield_projections(network, &s, a[0]));
        assert_ok(isg_hopfield_projections(moved, &s, a[1]));
        for (size_t mu = 0; mu < P; mu++)
            assert_true(m[0][mu] == m[1][mu] && fabs(a[0][mu] - a[1][mu]) < exactly);
    }
    isg_hopfield_free(network);
    isg_hopfield_free(moved);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void test_refusals(void **state) {
    (void)state;
    isg_patterns *patterns = draw_patterns(false);
    isg_hopfield *network = NULL, *other = NULL;
    isg_hopfield_options how = isg_hopfield_defaults();
    isg_mapping_report report;
    isg_rbm *rbm = random_rbm(3, 0), *out = NULL;
    double shares[P + 1];
    const uint64_t spins = 5;
    assert_ok(isg_hopfield_from_rbm(&network, rbm));
    assert_null(isg_hopfield_patterns(network));
    assert_true(!isg_hopfield_describe(network).has_field);
    isg_hopfield_overlaps(network, &spins, NULL); /* there are none to write */
    assert_fails(isg_hopfield_projections(network, &spins, shares), ISG_ERR_ARGUMENT,
                 "without patterns");
    assert_fails(isg_committor(network, &spins, 1, NULL, shares, NULL), ISG_ERR_ARGUMENT,
                 "without patterns");
    assert_fails(isg_rbm_from_hopfield(&out, network, ISG_VIA_QR, 2, &report), ISG_ERR_ARGUMENT,
                 "report");
    assert_fails(isg_rbm_from_hopfield(&out, network, ISG_VIA_QR, 0, NULL), ISG_ERR_ARGUMENT,
                 "beta");
    assert_fails(isg_rbm_from_hopfield(&out, network, (isg_decomposition)9, 2, NULL),
                 ISG_ERR_ARGUMENT, "via");
    how.rule = ISG_RULE_WEIGHTS;
    assert_fails(isg_hopfield_create(&other, patterns, &how), ISG_ERR_ARGUMENT, "rule");
    isg_hopfield_free(network);
    assert_ok(isg_hopfield_create(&network, patterns, NULL));
    assert_fails(isg_rbm_from_hopfield(&out, network, ISG_VIA_HEBBIAN, 2, NULL), ISG_ERR_ARGUMENT,
                 "hebbian");
    rbm->c[1] = (double)INFINITY;
    assert_fails(isg_hopfield_from_rbm(&other, rbm), ISG_ERR_ARGUMENT, "c: expected finite");
    rbm->weights[7] = (double)NAN;
    assert_fails(isg_hopfield_from_rbm(&other, rbm), ISG_ERR_ARGUMENT, "W: expected finite");
    assert_true(out == NULL && other == NULL);
    isg_hopfield_free(network);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static isg_status cross_twice(void *user) {
    isg_hopfield *network = NULL, *back = NULL;
    isg_rbm *rbm = NULL;
    isg_mapping_report report;
    isg_status status = isg_hopfield_create(&network, user, NULL);
    if (status == ISG_OK)
        status = isg_rbm_from_hopfield(&rbm, network, ISG_VIA_SVD, 2, &report);
    if (status == ISG_OK)
        status = isg_hopfield_from_rbm(&back, rbm);
    isg_hopfield_free(network);
    isg_hopfield_free(back);
    isg_rbm_free(rbm);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    isg_patterns *patterns = draw_patterns(false);
    assert_true(sweep_allocations(cross_twice, patterns) > 50);
    isg_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),    cmocka_unit_test(test_hidden_fields),
        cmocka_unit_test(test_two_steps_are_one), cmocka_unit_test(test_patterns_cross),
        cmocka_unit_test(test_refusals),          cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
