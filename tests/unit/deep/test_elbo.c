/* test_elbo.c - bounds against exact likelihoods, and against their own definition
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_deep.h"
#include "helper_progress.h"

enum { STATES = 1 << DEEP_UNITS };

/* ---- the bound, by integrals over lambda ------------------------------------------------------------ */

typedef struct sample {
    const isg_deep_model *model;
    const uint64_t *spins;
    double h[2];
    size_t k;
} sample;

static double recognition(const sample *my, const double lambda[2]) {
    return deep_log_normal(lambda, my->h, (const double[4]){0, 0, 0, 0},
                           1 / my->model->rbm->info.beta);
}

/* q (ln p(s | lambda) - ln q) */
static double common_part(const double lambda[2], const void *user) {
    const sample *my = user;
    const double log_q = recognition(my, lambda);
    return exp(log_q) * (deep_log_spins(my->model->rbm, my->spins, lambda) - log_q);
}

/* q ln p(lambda | k) */
static double class_part(const double lambda[2], const void *user) {
    const sample *my = user;
    return exp(recognition(my, lambda)) * deep_log_normal(lambda, my->model->means + 2 * my->k,
                                                          my->model->covariances + 4 * my->k,
                                                          1 / my->model->rbm->info.beta);
}

/* Writes the bounds on ln p(s, k) too. */
static double defined_bound(const isg_deep_model *model, const uint64_t *spins, double *labelled) {
    sample my = {.model = model, .spins = spins};
    double sum = 0;
    isg_rbm_hidden_input(model->rbm, spins, my.h);
    const double common = deep_integral(common_part, &my);
    for (size_t k = 0; k < model->n_classes; k++) {
        double one = 0;
        for (size_t j = 0; j < model->parts; j++) {
            my.k = k * model->parts + j;
            one += exp(common + log(model->shares[my.k]) + deep_integral(class_part, &my));
        }
        labelled[k] = log(one);
        sum += one;
    }
    return log(sum);
}

static void test_definition(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        isg_rbm *rbm = deep_rbm(strong ? 1.5 : 0.8, strong ? 1 : 0.4);
        isg_dataset *data = deep_data(), *few = deep_few(data);
        isg_deep_model *model = deep_fit_parts(rbm, data, strong ? 0.3 : 0, strong ? 2 : 1);
        double each[DEEP_FEW], labelled[DEEP_CLASSES], mean = 0, mean_labelled = 0;
        isg_elbo found;
        assert_ok(isg_deep_model_elbo(model, few, &found, each, NULL));
        for (size_t a = 0; a < DEEP_FEW; a++) {
            const double expected = defined_bound(model, isg_dataset_row(few, a), labelled);
            assert_true(fabs(each[a] - expected) < 1e-9);
            mean += expected / DEEP_FEW;
            mean_labelled += labelled[isg_dataset_labels(few)[a]] / DEEP_FEW;
        }
        assert_true(fabs(found.value - mean) < 1e-9);
        assert_true(fabs(found.labelled_value - mean_labelled) < 1e-9);
        assert_true(fabs(found.reconstruction - found.divergence - found.value) < 1e-12);
        assert_true(found.labelled_value < found.value && found.divergence > 0);
        assert_int_equal(found.n_labelled, DEEP_FEW);
        isg_deep_model_free(model);
        isg_dataset_free(data);
        isg_dataset_free(few);
        isg_rbm_free(rbm);
    }
}

/* ---- what it bounds --------------------------------------------------------------------------------- */

static void test_below_exact(void **state) {
    (void)state;
    isg_dataset *states = deep_states(DEEP_UNITS), *data = deep_data();
    for (int strong = 0; strong < 2; strong++) {
        isg_rbm *rbm = deep_rbm(1, strong ? 0.8 : 0.2);
        isg_deep_model *model = deep_fit(rbm, data, 0.1);
        double each[STATES], sum = 0, gap = 0;
        isg_elbo found;
        assert_ok(isg_deep_model_elbo(model, states, &found, each, NULL));
        for (size_t s = 0; s < STATES; s++) {
            const double exact = deep_log_p(model, isg_dataset_row(states, s));
            assert_true(each[s] < exact);
            gap = fmax(gap, exact - each[s]);
            sum += exp(exact);
        }
        assert_true(fabs(sum - 1) < 1e-9); /* the integrals are good */
        assert_true(gap < (strong ? 3 : 0.5));
        assert_true(isnan(found.labelled_value) && found.n_labelled == 0);
        isg_deep_model_free(model);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(states);
    isg_dataset_free(data);
}

/* Without weights, lambda says nothing about s: q is the prior, and the bound is ln p(s). */
static void test_tight_without_weights(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(1.3, 0);
    isg_dataset *data = deep_data(), *states = deep_states(DEEP_UNITS);
    isg_deep_model *model = deep_fit(rbm, data, 0);
    double each[STATES];
    isg_elbo found;
    assert_ok(isg_deep_model_elbo(model, states, &found, each, NULL));
    for (size_t s = 0; s < STATES; s++) {
        const uint64_t *spins = isg_dataset_row(states, s);
        assert_true(fabs(each[s] - deep_log_spins(rbm, spins, (const double[]){0, 0})) < 1e-11);
    }
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_dataset_free(states);
    isg_rbm_free(rbm);
}

/* One class for every state, cold and strong: lambda tells the state, so that p(lambda | s) is q, p(s) is
   the share of the class, and the bound is its logarithm. */
static void test_tight_where_classes_are_states(void **state) {
    (void)state;
    enum { N = 3, REPEATS = 36 };
    int8_t spins[REPEATS * N];
    int64_t labels[REPEATS];
    double each[1 << N];
    isg_rbm *rbm = NULL;
    isg_dataset *data = NULL, *states = deep_states(N);
    isg_elbo found;
    for (size_t a = 0; a < REPEATS; a++) { /* state k occurs k + 1 times */
        labels[a] = (int64_t)floor((sqrt(8 * (double)a + 1) - 1) / 2);
        for (size_t i = 0; i < N; i++)
            spins[a * N + i] = labels[a] >> i & 1 ? 1 : -1;
    }
    assert_ok(isg_dataset_create(&data, REPEATS, N, spins, labels));
    assert_ok(isg_rbm_create(&rbm, N, N, 20));
    for (size_t i = 0; i < N; i++)
        rbm->weights[i * N + i] = 2;
    isg_deep_model *model = deep_fit(rbm, data, 0);
    assert_ok(isg_deep_model_elbo(model, states, &found, each, NULL));
    for (size_t s = 0; s < 1 << N; s++)
        assert_true(fabs(each[s] - log((double)(s + 1) / REPEATS)) < 1e-10);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_dataset_free(states);
    isg_rbm_free(rbm);
}

/* ---- the closed form is the optimum ------------------------------------------------------------------- */

static double labelled_mean(isg_deep_model *model, const isg_dataset *data) {
    isg_elbo found;
    assert_ok(isg_deep_model_prepare(model));
    assert_ok(isg_deep_model_elbo(model, data, &found, NULL, NULL));
    return found.labelled_value;
}

/* The change of the bound when a number moves by +-step: even, and downward. */
static void assert_top(isg_deep_model *model, const isg_dataset *data, double *number,
                       double *twin) {
    const double step = 1e-3, kept = *number, top = labelled_mean(model, data);
    *number = *twin = kept + step;
    const double above = labelled_mean(model, data);
    *number = *twin = kept - step;
    const double below = labelled_mean(model, data);
    *number = *twin = kept;
    assert_true(above < top && below < top);
    assert_true(fabs(above - below) < 0.02 * (2 * top - above - below));
}

static void test_closed_form_is_best(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(0.9, 0.6);
    isg_dataset *data = deep_data();
    isg_deep_model *model = deep_fit(rbm, data, 0);
    for (size_t k = 0; k < DEEP_CLASSES; k++) {
        double *mean = model->means + 2 * k, *covariance = model->covariances + 4 * k;
        assert_top(model, data, &mean[0], &mean[0]);
        assert_top(model, data, &mean[1], &mean[1]);
        assert_top(model, data, &covariance[0], &covariance[0]);
        assert_top(model, data, &covariance[3], &covariance[3]);
        assert_top(model, data, &covariance[1], &covariance[2]); /* which stays symmetric */
    }
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* ---- classes ---------------------------------------------------------------------------------------- */

static void test_classes(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(0.9, 0.6);
    isg_dataset *data = deep_data(), *few = deep_few(data);
    isg_deep_model *model = deep_fit(rbm, data, 0);
    for (int rule = ISG_DEEP_BOUND; rule <= ISG_DEEP_QUADRATIC; rule++) {
        double p[DEEP_FEW * DEEP_CLASSES], expected[DEEP_CLASSES];
        uint32_t answers[DEEP_FEW];
        assert_ok(isg_deep_model_predict(model, few, (isg_deep_rule)rule, answers,
                                         (isg_matd){p, DEEP_FEW, DEEP_CLASSES, DEEP_CLASSES},
                                         NULL));
        for (size_t a = 0; a < DEEP_FEW; a++) {
            double h[2], sum = 0;
            isg_rbm_hidden_input(rbm, isg_dataset_row(few, a), h);
            defined_bound(model, isg_dataset_row(few, a), expected);
            for (size_t k = 0; k < DEEP_CLASSES; k++) {
                if (rule == ISG_DEEP_QUADRATIC)
                    expected[k] =
                        log(model->shares[k]) +
                        deep_log_normal(h, model->means + 2 * k, model->covariances + 4 * k, 0);
                sum += exp(expected[k]);
            }
            for (size_t k = 0; k < DEEP_CLASSES; k++) {
                assert_true(fabs(p[a * DEEP_CLASSES + k] - exp(expected[k]) / sum) < 1e-9);
                assert_true(p[a * DEEP_CLASSES + answers[a]] >= p[a * DEEP_CLASSES + k]);
            }
        }
    }
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_dataset_free(few);
    isg_rbm_free(rbm);
}

static void test_refusals(void **state) {
    (void)state;
    double p[4];
    isg_elbo found;
    isg_rbm *rbm = deep_rbm(0.9, 0.6), *flat = deep_rbm(0.9, 0);
    isg_dataset *data = deep_data(), *other = deep_states(3), *states = deep_states(DEEP_UNITS);
    isg_deep_model *model = deep_fit(rbm, data, 0), *singular = deep_fit(flat, data, 0);
    const isg_matd none = {.data = NULL};
    assert_fails(isg_deep_model_elbo(model, other, &found, NULL, NULL), ISG_ERR_SHAPE, "3 units");
    assert_fails(isg_deep_model_predict(model, other, ISG_DEEP_BOUND, NULL, none, NULL),
                 ISG_ERR_SHAPE, "3 units");
    assert_fails(
        isg_deep_model_predict(model, data, ISG_DEEP_BOUND, NULL, (isg_matd){p, 2, 2, 2}, NULL),
        ISG_ERR_SHAPE, "90 x 3");
    assert_fails(isg_deep_model_predict(singular, data, ISG_DEEP_QUADRATIC, NULL, none, NULL),
                 ISG_ERR_UNSUPPORTED, "singular");
    assert_fails(isg_deep_model_truth(model, states, NULL), ISG_ERR_ARGUMENT, "no labels");
    isg_progress progress = {cancel_at_once, NULL};
    assert_fails(isg_deep_model_elbo(model, data, &found, NULL, &progress), ISG_ERR_CANCELLED,
                 "cancelled");
    assert_fails(isg_deep_model_predict(model, data, ISG_DEEP_BOUND, NULL, none, &progress),
                 ISG_ERR_CANCELLED, "cancelled");
    isg_deep_model_free(model);
    isg_deep_model_free(singular);
    isg_dataset_free(data);
    isg_dataset_free(other);
    isg_dataset_free(states);
    isg_rbm_free(rbm);
    isg_rbm_free(flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        slow_unit_test(test_below_exact),
        cmocka_unit_test(test_tight_without_weights),
        cmocka_unit_test(test_tight_where_classes_are_states),
        cmocka_unit_test(test_closed_form_is_best),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
