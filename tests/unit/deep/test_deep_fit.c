/* test_deep_fit.c - moments of classes, the choice of beta and shrinkage, and what is refused
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_deep.h"
#include "helper_experts.h"
#include "helper_progress.h"

/* ---- moments ---------------------------------------------------------------------------------------- */

/* Mean and covariance of W^T s + c over the samples of class k, or of all (DEEP_CLASSES), in long double;
   returns their share. */
static double defined_moments(const isg_rbm *rbm, const isg_dataset *data, size_t k, double mean[2],
                              double covariance[4]) {
    long double sum[2] = {0}, squares[4] = {0}, count = 0;
    for (size_t a = 0; a < DEEP_SAMPLES; a++) {
        double h[2];
        if (k < DEEP_CLASSES && isg_dataset_labels(data)[a] != k)
            continue;
        isg_rbm_hidden_input(rbm, isg_dataset_row(data, a), h);
        count += 1;
        for (size_t mu = 0; mu < 2; mu++) {
            sum[mu] += (long double)h[mu];
            for (size_t nu = 0; nu < 2; nu++)
                squares[2 * mu + nu] += (long double)h[mu] * (long double)h[nu];
        }
    }
    for (size_t mu = 0; mu < 2; mu++)
        mean[mu] = (double)(sum[mu] / count);
    for (size_t i = 0; i < 4; i++)
        covariance[i] = (double)(squares[i] / count - sum[i / 2] / count * sum[i % 2] / count);
    return (double)(count / DEEP_SAMPLES);
}

static void test_moments(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(0.9, 0.6);
    isg_dataset *data = deep_data();
    isg_deep_model *raw = deep_fit(rbm, data, 0), *shrunk = deep_fit(rbm, data, 0.25);
    double mean[2], covariances[DEEP_CLASSES][4], pooled[4] = {0};
    for (size_t k = 0; k < DEEP_CLASSES; k++) {
        const double share = defined_moments(rbm, data, k, mean, covariances[k]);
        assert_true(fabs(isg_deep_model_share(raw, k) - share) < 1e-15);
        for (size_t mu = 0; mu < 2; mu++)
            assert_true(fabs(isg_deep_model_mean(raw, k)[mu] - mean[mu]) < 1e-13);
        for (size_t i = 0; i < 4; i++) {
            const double found = isg_deep_model_covariance(raw, k).data[i];
            assert_true(fabs(found - covariances[k][i]) < 1e-13);
            pooled[i] += share * covariances[k][i];
        }
    }
    for (size_t k = 0; k < DEEP_CLASSES; k++)
        for (size_t i = 0; i < 4; i++) {
            const double found = isg_deep_model_covariance(shrunk, k).data[i];
            assert_true(fabs(found - 0.75 * covariances[k][i] - 0.25 * pooled[i]) < 1e-13);
        }
    isg_deep_model_free(raw);
    isg_deep_model_free(shrunk);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

static void test_diagonal_and_one_class(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(0.9, 0.6);
    isg_dataset *data = deep_data();
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    double mean[2], covariance[4];
    options.betas = (const double[]){1.5};
    options.shrinkages = (const double[]){0.5};
    options.n_betas = options.n_shrinkages = 1;
    options.toward = ISG_SHRINK_DIAGONAL;
    options.one_class = true;
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    defined_moments(rbm, data, DEEP_CLASSES, mean, covariance);
    const double *found = isg_deep_model_covariance(model, 0).data;
    assert_true(fabs(found[0] - covariance[0]) < 1e-13 && fabs(found[3] - covariance[3]) < 1e-13);
    assert_true(fabs(found[1] - covariance[1] / 2) < 1e-13 && found[1] == found[2]);
    assert_true(isg_deep_model_share(model, 0) == 1);
    assert_string_equal(isg_deep_model_class_name(model, 0), "all");
    assert_null(isg_deep_model_class_name(model, 1));
    const isg_deep_model_info info = isg_deep_model_describe(model);
    assert_true(info.beta == 1.5 && info.rbm_beta == 0.9 && info.n_classes == 1);
    assert_true(isg_rbm_describe(isg_deep_model_rbm(model)).beta == 1.5);
    assert_true(info.shrinkage == 0.5 && info.toward == ISG_SHRINK_DIAGONAL);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* ---- choosing --------------------------------------------------------------------------------------- */

/* What is tried is fitted to one part of the data and judged on the other, which the seed tells. */
static void test_trials(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1), *fitted = NULL, *held = NULL;
    isg_rbm *rbm = NULL;
    isg_deep_model *model = NULL, *again = NULL;
    isg_deep_options options = isg_deep_defaults();
    size_t count = 0, best = 0;
    assert_ok(isg_rbm_start_normal(&rbm, CLASS_UNITS, 5, 1, 0.2, 7));
    options.seed = 5;
    options.hold_out = 0.3;
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    const isg_deep_trial *trials = isg_deep_model_trials(model, &count);
    assert_true(count >= 18 && count % 6 == 0);
    assert_ok(isg_dataset_split(&fitted, &held, data, 0.7, 5));
    for (size_t t = 0; t < count; t++) {
        isg_elbo found;
        const double beta = trials[t].beta, shrinkage = trials[t].shrinkage;
        const isg_deep_options one = {.betas = &beta,
                                      .n_betas = 1,
                                      .shrinkages = &shrinkage,
                                      .n_shrinkages = 1,
                                      .parts = 1,
                                      .hold_out = 0.1};
        best = trials[t].elbo > trials[best].elbo ? t : best;
        assert_ok(isg_deep_model_fit(&again, rbm, fitted, &one, NULL));
        assert_ok(isg_deep_model_elbo(again, held, &found, NULL, NULL));
        assert_true(found.value == trials[t].elbo);
        assert_true(trials[t].error >= 0 && trials[t].error < 1);
        isg_deep_model_free(again);
    }
    const isg_deep_model_info info = isg_deep_model_describe(model);
    assert_true(info.beta == trials[best].beta && info.shrinkage == trials[best].shrinkage);
    /* uphill, until both neighbours are lower */
    bool is_above = false, is_below = false;
    for (size_t t = 0; t < count; t++) {
        is_above = is_above || trials[t].beta > info.beta;
        is_below = is_below || trials[t].beta < info.beta;
    }
    assert_true(is_above && is_below);
    /* all of the data at the end */
    again = deep_fit(isg_deep_model_rbm(model), data, info.shrinkage);
    assert_memory_equal(model->covariances, again->covariances, 3 * 25 * sizeof(double));
    assert_memory_equal(model->logs, again->logs, 3 * sizeof(double));
    isg_deep_model_free(again);
    isg_deep_model_free(model);
    isg_dataset_free(fitted);
    isg_dataset_free(held);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

static void check_same_bits(size_t parts) {
    isg_deep_options options = isg_deep_defaults();
    options.parts = parts;
    isg_dataset *data = make_classes(1);
    isg_rbm *rbm = NULL;
    double each[2][CLASS_SAMPLES];
    isg_deep_model *models[2] = {NULL, NULL};
    assert_ok(isg_rbm_start_normal(&rbm, CLASS_UNITS, 5, 1, 0.2, 7));
    for (size_t k = 0; k < 2; k++) {
        isg_elbo found;
        isg_set_threads(k == 0 ? 1 : 5);
        assert_ok(isg_set_isa(k == 0 ? "ref" : "best"));
        assert_ok(isg_deep_model_fit(&models[k], rbm, data, &options, NULL));
        assert_ok(isg_deep_model_elbo(models[k], data, &found, each[k], NULL));
    }
    isg_set_threads(0);
    assert_memory_equal(each[0], each[1], sizeof each[0]);
    assert_memory_equal(models[0]->factors, models[1]->factors, 3 * parts * 25 * sizeof(double));
    isg_deep_model_free(models[0]);
    isg_deep_model_free(models[1]);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

static void test_same_bits(void **state) {
    (void)state;
    check_same_bits(1);
    check_same_bits(3);
}

/* ---- several Gaussians per class ------------------------------------------------------------------- */

/* Every state has a Gaussian of its own if there are as many, and the bound is ln p(s); see test_elbo. */
static void test_parts_are_found(void **state) {
    (void)state;
    enum { N = 3, REPEATS = 36 };
    int8_t spins[REPEATS * N];
    double each[1 << N];
    isg_rbm *rbm = NULL;
    isg_dataset *data = NULL, *states = deep_states(N);
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    isg_elbo found;
    for (size_t a = 0; a < REPEATS; a++) { /* state k occurs k + 1 times */
        const int k = (int)floor((sqrt(8 * (double)a + 1) - 1) / 2);
        for (size_t i = 0; i < N; i++)
            spins[a * N + i] = k >> i & 1 ? 1 : -1;
    }
    assert_ok(isg_dataset_create(&data, REPEATS, N, spins, NULL));
    assert_ok(isg_rbm_create(&rbm, N, N, 20));
    for (size_t i = 0; i < N; i++)
        rbm->weights[i * N + i] = 2;
    options.betas = (const double[]){20};
    options.shrinkages = (const double[]){0};
    options.n_betas = options.n_shrinkages = 1;
    options.one_class = true;
    options.parts = 8;
    for (options.seed = 1; options.seed < 5; options.seed++) {
        assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
        assert_ok(isg_deep_model_elbo(model, states, &found, each, NULL));
        for (size_t s = 0; s < 1 << N; s++)
            assert_true(fabs(each[s] - log((double)(s + 1) / REPEATS)) < 1e-9);
        isg_deep_model_free(model);
    }
    isg_dataset_free(data);
    isg_dataset_free(states);
    isg_rbm_free(rbm);
}

static double labelled_bound(isg_deep_model *model, const isg_dataset *data) {
    isg_elbo found;
    assert_ok(isg_deep_model_prepare(model));
    assert_ok(isg_deep_model_elbo(model, data, &found, NULL, NULL));
    return found.labelled_value;
}

/* By how much the bound changes if a number does. */
static double slope(isg_deep_model *model, const isg_dataset *data, double *number) {
    const double kept = *number, step = 1e-4;
    *number = kept + step;
    const double above = labelled_bound(model, data);
    *number = kept - step;
    const double below = labelled_bound(model, data);
    *number = kept;
    return (above - below) / (2 * step);
}

/* The bound is stationary where the fit has ended, and higher than for one Gaussian. */
static void test_parts_are_best(void **state) {
    (void)state;
    isg_rbm *rbm = deep_rbm(1.5, 0.8);
    isg_dataset *data = deep_data();
    isg_deep_model *one = deep_fit(rbm, data, 0), *two = deep_fit_parts(rbm, data, 0, 2);
    assert_true(labelled_bound(two, data) > labelled_bound(one, data) + 0.001);
    for (size_t i = 0; i < 2 * DEEP_CLASSES * 2; i++)
        assert_true(fabs(slope(two, data, &two->means[i])) < 0.01);
    for (size_t i = 0; i < 2 * DEEP_CLASSES * 4; i += 3 - 2 * (i % 4 == 3))
        assert_true(fabs(slope(two, data, &two->covariances[i])) < 0.01);
    /* of two shares of a class, one is free */
    for (size_t k = 0; k < 2 * DEEP_CLASSES; k += 2) {
        const double a = slope(two, data, &two->shares[k]),
                     b = slope(two, data, &two->shares[k + 1]);
        assert_true(fabs(a - b) < 0.05);
    }
    isg_deep_model_free(one);
    isg_deep_model_free(two);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* beta is chosen with one Gaussian per class, shrinkage with all. */
static void test_trials_of_parts(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    isg_rbm *rbm = NULL;
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    size_t count = 0, best = 4;
    assert_ok(isg_rbm_start_normal(&rbm, CLASS_UNITS, 5, 1, 0.2, 7));
    options.betas = (const double[]){0.5, 1};
    options.shrinkages = (const double[]){0.1, 0.5};
    options.n_betas = options.n_shrinkages = 2;
    options.parts = 3;
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    const isg_deep_trial *trials = isg_deep_model_trials(model, &count);
    assert_int_equal(count, 6);
    size_t best_of_one = 0;
    for (size_t t = 0; t < 4; t++) {
        assert_int_equal(trials[t].parts, 1);
        best_of_one = trials[t].elbo > trials[best_of_one].elbo ? t : best_of_one;
    }
    for (size_t t = 4; t < 6; t++) {
        assert_true(trials[t].parts == 3 && trials[t].beta == trials[best_of_one].beta);
        best = trials[t].elbo > trials[best].elbo ? t : best;
    }
    const isg_deep_model_info info = isg_deep_model_describe(model);
    assert_true(info.parts == 3 && info.shrinkage == trials[best].shrinkage);
    assert_true(info.beta == trials[best].beta);
    isg_deep_model_free(model);
    isg_dataset_free(data);
    isg_rbm_free(rbm);
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

typedef struct fitting {
    isg_rbm *rbm;
    isg_dataset *data;
} fitting;

static isg_status fit_few(void *user) {
    const fitting *my = user;
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    options.betas = (const double[]){1};
    options.shrinkages = (const double[]){0, 0.1};
    options.n_betas = 1;
    options.n_shrinkages = 2;
    options.parts = 2;
    const isg_status status = isg_deep_model_fit(&model, my->rbm, my->data, &options, NULL);
    isg_deep_model_free(model);
    return status;
}

static void test_memory_and_patience(void **state) {
    (void)state;
    fitting my = {deep_rbm(0.9, 0.6), deep_data()};
    patience user = {0};
    const isg_progress progress = {lose_patience, &user};
    isg_deep_model *model = NULL;
    assert_true(sweep_allocations(fit_few, &my) > 50);
    assert_ok(isg_deep_model_fit(&model, my.rbm, my.data, NULL, &progress));
    isg_deep_model_free(model);
    assert_true(user.calls > 10 && user.fraction <= 1);
    const size_t calls = user.calls;
    for (size_t last = 1; last <= calls; last += calls / 7) {
        user = (patience){.last_call = last};
        assert_fails(isg_deep_model_fit(&model, my.rbm, my.data, NULL, &progress),
                     ISG_ERR_CANCELLED, "cancelled");
    }
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
}

static void assert_refused_with(const fitting *my, isg_deep_options options, const char *part) {
    isg_deep_model *model = NULL;
    assert_fails(isg_deep_model_fit(&model, my->rbm, my->data, &options, NULL), ISG_ERR_ARGUMENT,
                 part);
}

static void test_refused_options(void **state) {
    (void)state;
    const fitting my = {deep_rbm(0.9, 0.6), deep_data()};
    static const double numbers[] = {-1, 2, 1e40};
    isg_deep_options options = isg_deep_defaults();
    options.betas = numbers;
    assert_refused_with(&my, options, "at least one beta");
    options.n_betas = 1;
    assert_refused_with(&my, options, "beta");
    options = isg_deep_defaults();
    options.shrinkages = numbers + 1;
    options.n_shrinkages = 1;
    assert_refused_with(&my, options, "from 0 to 1, found 2");
    options = isg_deep_defaults();
    options.parts = 0;
    assert_refused_with(&my, options, "at least one Gaussian");
    options.parts = 40;
    assert_refused_with(&my, options, "samples for 40 Gaussians");
    options = isg_deep_defaults();
    options.toward = (isg_shrink)2;
    assert_refused_with(&my, options, "number 2");
    for (size_t k = 0; k < 2; k++) {
        options = isg_deep_defaults();
        options.hold_out = k ? 0 : 0.6;
        assert_refused_with(&my, options, "up to 0.5");
    }
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
}

static void test_refused_data(void **state) {
    (void)state;
    fitting my = {deep_rbm(0.9, 0.6), deep_states(DEEP_UNITS)};
    isg_dataset *all = deep_data();
    isg_deep_options options = isg_deep_defaults();
    isg_deep_model *model = NULL;
    assert_refused_with(&my, options, "no labels");
    isg_dataset_free(my.data);
    my.data = deep_states(3);
    assert_fails(isg_deep_model_fit(&model, my.rbm, my.data, NULL, NULL), ISG_ERR_SHAPE, "3 units");
    isg_dataset_free(my.data);
    assert_ok(isg_dataset_take(&my.data, all, (const size_t[]){0, 1, 7}, 3, true));
    assert_refused_with(&my, options, "class '2' has no sample");
    isg_dataset_free(my.data);
    assert_ok(isg_dataset_select(&my.data, all, (const size_t[]){0, 1, 2}, 3));
    assert_refused_with(&my, options, "too few");
    options.betas = options.shrinkages = (const double[]){1};
    options.n_betas = options.n_shrinkages = 1;
    assert_ok(
        isg_deep_model_fit(&model, my.rbm, my.data, &options, NULL)); /* one of each is enough */
    isg_deep_model_free(model);
    isg_dataset_free(my.data);
    /* one class that has a name, and a sample without one */
    my.data = all;
    for (size_t a = 0; a < DEEP_SAMPLES; a++)
        all->labels.index[a] = a == 4 ? ISG_UNLABELLED : all->labels.index[a];
    assert_ok(isg_dataset_count_classes(all));
    model = deep_fit(my.rbm, all, 0);
    assert_true(fabs(isg_deep_model_share(model, 1) * (DEEP_SAMPLES - 1) -
                     (double)isg_dataset_class_size(all, 1)) < 1e-12);
    isg_deep_model_free(model);
    my.rbm->weights[3] = (double)NAN;
    assert_fails(isg_deep_model_fit(&model, my.rbm, all, NULL, NULL), ISG_ERR_DIVERGED, "finite");
    isg_dataset_free(all);
    isg_rbm_free(my.rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),         cmocka_unit_test(test_diagonal_and_one_class),
        cmocka_unit_test(test_trials),          cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_parts_are_found), cmocka_unit_test(test_parts_are_best),
        cmocka_unit_test(test_trials_of_parts), cmocka_unit_test(test_memory_and_patience),
        cmocka_unit_test(test_refused_options), cmocka_unit_test(test_refused_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
