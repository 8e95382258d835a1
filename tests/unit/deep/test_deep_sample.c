/* test_deep_sample.c - samples against the moments and probabilities of the model
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_deep.h"
#include "helper_statistics.h"

enum { STATES = 1 << DEEP_UNITS };

/* All samples are one class, whose parts differ as the classes did. */
static isg_deep_model *fit_one_class(const isg_rbm *rbm, const isg_dataset *data, size_t parts) {
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    options.betas = (const double[]){3};
    options.shrinkages = (const double[]){0};
    options.n_betas = options.n_shrinkages = 1;
    options.one_class = true;
    options.parts = parts;
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    return model;
}

/* Classes by their shares, or all of the only one, as given; states by p(s). */
static void check_frequencies(size_t parts, bool is_given) {
    enum { COUNT = 20000 };
    isg_rbm *rbm = is_given ? deep_rbm(3, 1) : deep_rbm(1, 0.5);
    isg_dataset *data = deep_data(), *states = deep_states(DEEP_UNITS), *drawn = NULL;
    isg_deep_model *model =
        is_given ? fit_one_class(rbm, data, parts) : deep_fit_parts(rbm, data, 0.1, parts);
    size_t classes[DEEP_CLASSES] = {0}, counts[STATES] = {0};
    double by_class[DEEP_CLASSES] = {0}, by_state[STATES];
    static const uint32_t zeros[COUNT];
    assert_ok(isg_deep_model_sample(&drawn, model, is_given ? zeros : NULL, COUNT, 0, 3,
                                    (isg_matd){.data = NULL}));
    for (size_t a = 0; a < COUNT; a++) {
        classes[isg_dataset_labels(drawn)[a]]++;
        counts[isg_dataset_row(drawn, a)[0]]++;
    }
    for (size_t k = 0; k < model->n_parts; k++)
        by_class[k / parts] += COUNT * model->shares[k];
    for (size_t s = 0; s < STATES; s++)
        by_state[s] = COUNT * exp(deep_log_p(model, isg_dataset_row(states, s)));
    assert_true(is_given || chi_square_score(classes, by_class, DEEP_CLASSES) < 5);
    assert_true(chi_square_score(counts, by_state, STATES) < 5);
    by_state[5] *= 1.5; /* the test has power where these states are not rare */
    by_state[6] -= by_state[5] * 0.5 / 1.5;
    assert_true(is_given || chi_square_score(counts, by_state, STATES) > 5);
    isg_dataset_free(drawn);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_dataset_free(states);
    isg_rbm_free(rbm);
}

static void test_frequencies(void **state) {
    (void)state;
    check_frequencies(1, false);
    check_frequencies(2, false);
    check_frequencies(3, true);
}

/* Hidden units of a class by its mean and its covariance plus 1 / beta. */
static void test_hidden_moments(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    isg_rbm *rbm = deep_rbm(2, 0.5);
    isg_dataset *data = deep_data(), *drawn = NULL;
    isg_deep_model *model = deep_fit(rbm, data, 0.1);
    double *lambda = calloc(2 * COUNT, sizeof *lambda);
    uint32_t *classes = calloc(COUNT, sizeof *classes);
    for (uint32_t k = 0; k < DEEP_CLASSES; k++) {
        const double *mean = isg_deep_model_mean(model, k);
        for (size_t a = 0; a < COUNT; a++)
            classes[a] = k;
        assert_ok(isg_deep_model_sample(&drawn, model, classes, COUNT, 0, 11 + k,
                                        (isg_matd){lambda, COUNT, 2, 2}));
        for (size_t mu = 0; mu < 2; mu++)
            for (size_t nu = 0; nu <= mu; nu++) {
                const double *c = isg_deep_model_covariance(model, k).data;
                const double expected = c[2 * mu + nu] + (mu == nu ? 0.5 : 0);
                const double spread = (c[3 * mu] + 0.5) * (c[3 * nu] + 0.5) + expected * expected;
                double sum = 0, first = 0;
                for (size_t a = 0; a < COUNT; a++) {
                    first += lambda[2 * a + mu] - mean[mu];
                    sum += (lambda[2 * a + mu] - mean[mu]) * (lambda[2 * a + nu] - mean[nu]);
                }
                assert_true(fabs(sum / COUNT - expected) < 5 * sqrt(spread / COUNT));
                assert_true(fabs(first / COUNT) < 5 * sqrt((c[3 * mu] + 0.5) / COUNT));
            }
        isg_dataset_free(drawn);
    }
    free(lambda);
    free(classes);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* At an infinite beta, spins are the signs of W lambda + b. */
static void test_most_probable_spins(void **state) {
    (void)state;
    enum { COUNT = 50 };
    double lambda[2 * COUNT], x[DEEP_UNITS];
    isg_rbm *rbm = deep_rbm(2, 0.5);
    isg_dataset *data = deep_data(), *drawn = NULL;
    isg_deep_model *model = deep_fit(rbm, data, 0.1);
    assert_ok(isg_deep_model_sample(&drawn, model, NULL, COUNT, HUGE_VAL, 3,
                                    (isg_matd){lambda, COUNT, 2, 2}));
    for (size_t a = 0; a < COUNT; a++) {
        isg_rbm_visible_input(rbm, lambda + 2 * a, x);
        for (size_t i = 0; i < DEEP_UNITS; i++)
            assert_int_equal(isg_spin(isg_dataset_row(drawn, a), i), x[i] > 0 ? 1 : -1);
    }
    isg_dataset_free(drawn);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* A sample does not depend on how many there are, nor on who draws it. */
static void test_same_bits(void **state) {
    (void)state;
    enum { COUNT = 37 };
    isg_rbm *rbm = deep_rbm(2, 0.5);
    isg_dataset *data = deep_data(), *one = NULL, *other = NULL;
    isg_deep_model *model = deep_fit(rbm, data, 0.1);
    isg_set_threads(1);
    assert_ok(isg_deep_model_sample(&one, model, NULL, COUNT, 0, 3, (isg_matd){.data = NULL}));
    isg_set_threads(5);
    assert_ok(
        isg_deep_model_sample(&other, model, NULL, 2 * COUNT, 0, 3, (isg_matd){.data = NULL}));
    isg_set_threads(0);
    for (size_t a = 0; a < COUNT; a++) {
        assert_int_equal(isg_dataset_row(one, a)[0], isg_dataset_row(other, a)[0]);
        assert_int_equal(isg_dataset_labels(one)[a], isg_dataset_labels(other)[a]);
    }
    isg_dataset_free(one);
    isg_dataset_free(other);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

static void test_refusals(void **state) {
    (void)state;
    double lambda[8];
    const uint32_t wrong = DEEP_CLASSES;
    const isg_matd none = {.data = NULL}, small = {lambda, 2, 2, 2};
    isg_rbm *rbm = deep_rbm(2, 0.5);
    isg_dataset *data = deep_data(), *out = NULL;
    isg_deep_model *model = deep_fit(rbm, data, 0.1);
    assert_fails(isg_deep_model_sample(&out, model, NULL, 0, 0, 1, none), ISG_ERR_ARGUMENT,
                 "count");
    assert_fails(isg_deep_model_sample(&out, model, NULL, 1, -1, 1, none), ISG_ERR_ARGUMENT,
                 "beta");
    assert_fails(isg_deep_model_sample(&out, model, &wrong, 1, 0, 1, none), ISG_ERR_ARGUMENT,
                 "below 3");
    assert_fails(isg_deep_model_sample(&out, model, NULL, 3, 0, 1, small), ISG_ERR_SHAPE, "3 x 2");
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_hidden_moments),
        cmocka_unit_test(test_most_probable_spins),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
