/* test_classifier.c - features by their definition, fits, predictions, and classifiers in files
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "classify/classify.h"
#include "helper_allocation.h"
#include "helper_experts.h"
#include "helper_progress.h"
#include "helper_scratch.h"
#include "rbm/rbm.h"

enum { RBMS = 3, TOTAL = 2 + 17 + 5 }; /* hidden units of the three */

/* RBMs of different sizes, with fields. */
typedef struct trio {
    isg_rbm *rbm[RBMS];
    const isg_rbm *view[RBMS];
} trio;

static trio make_trio(void) {
    static const size_t sizes[RBMS] = {2, 17, 5};
    trio three;
    for (size_t k = 0; k < RBMS; k++) {
        assert_ok(isg_rbm_start_normal(&three.rbm[k], CLASS_UNITS, sizes[k], 2, 0.1, k));
        for (size_t i = 0; i < CLASS_UNITS; i++)
            three.rbm[k]->b[i] = sin((double)(i + k));
        for (size_t mu = 0; mu < sizes[k]; mu++)
            three.rbm[k]->c[mu] = cos((double)(mu + k));
        three.view[k] = three.rbm[k];
    }
    return three;
}

static void free_trio(trio *three) {
    for (size_t k = 0; k < RBMS; k++)
        isg_rbm_free(three->rbm[k]);
}

/* ---- features ----------------------------------------------------------------------------------- */

static isg_status compute_features(const isg_rbm *const *rbms, size_t n_rbms, isg_features kind,
                                   const isg_dataset *data, isg_matd out) {
    isg_feature_map map;
    ISG_TRY(isg_features_check(rbms, n_rbms, kind, CLASS_UNITS));
    isg_status status = isg_feature_map_of(&map, kind, rbms, n_rbms, CLASS_UNITS);
    if (status == ISG_OK) {
        assert_true(out.cols == isg_feature_count(&map));
        status = isg_feature_map_apply(&map, data, 0, out);
    }
    isg_feature_map_release(&map);
    return status;
}

/* The largest difference of the features of `found` from those of `defined`. */
static double energy_error(const trio *found, const trio *defined, const isg_dataset *data) {
    static double f[CLASS_SAMPLES * RBMS];
    double largest = 0;
    assert_ok(compute_features(found->view, RBMS, ISG_FEATURES_ENERGY, data,
                               (isg_matd){f, CLASS_SAMPLES, RBMS, RBMS}));
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        for (size_t k = 0; k < RBMS; k++) {
            double energy = 0;
            assert_ok(isg_rbm_spin_energy(defined->rbm[k], isg_dataset_row(data, a), &energy));
            largest = fmax(largest, fabs(f[a * RBMS + k] + 2 * energy));
        }
    return largest;
}

static void test_energies(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    trio three = make_trio(), twin = make_trio();
    assert_true(energy_error(&three, &three, data) < 1e-6);
    memset(twin.rbm[1]->b, 0, CLASS_UNITS * sizeof(double)); /* a field that was forgotten */
    assert_true(energy_error(&twin, &three, data) > 1);
    free_trio(&twin);
    twin = make_trio();
    memset(twin.rbm[2]->c, 0, 5 * sizeof(double));
    assert_true(energy_error(&twin, &three, data) > 1);
    free_trio(&twin);
    free_trio(&three);
    isg_dataset_free(data);
}

static void test_hidden_units_and_squares(void **state) {
    (void)state;
    static double f[CLASS_SAMPLES * TOTAL], squares[CLASS_SAMPLES * TOTAL];
    isg_dataset *data = make_classes(1);
    trio three = make_trio();
    assert_ok(compute_features(three.view, RBMS, ISG_FEATURES_HIDDEN, data,
                               (isg_matd){f, CLASS_SAMPLES, TOTAL, TOTAL}));
    assert_ok(compute_features(three.view, RBMS, ISG_FEATURES_SQUARES, data,
                               (isg_matd){squares, CLASS_SAMPLES, TOTAL, TOTAL}));
    for (size_t a = 0; a < CLASS_SAMPLES; a++)
        for (size_t k = 0, start = 0; k < RBMS; start += three.rbm[k++]->info.n_hidden) {
            double h[TOTAL];
            isg_rbm_hidden_input(three.rbm[k], isg_dataset_row(data, a), h);
            for (size_t mu = 0; mu < three.rbm[k]->info.n_hidden; mu++) {
                assert_true(fabs(f[a * TOTAL + start + mu] - h[mu]) < 1e-7);
                assert_true(fabs(squares[a * TOTAL + start + mu] - h[mu] * h[mu]) < 1e-6);
            }
        }
    free_trio(&three);
    isg_dataset_free(data);
}

typedef struct completing {
    const isg_classifier *classifier;
    const isg_dataset *data;
} completing;

static isg_status predict_completed(void *user) {
    const completing *my = user;
    static uint32_t answers[CLASS_SAMPLES];
    return isg_classifier_predict(my->classifier, my->data, answers, (isg_matd){NULL, 0, 0, 0},
                                  NULL);
}

/* Every RBM sees the values that it finds most probable itself, before and after a file. */
static void test_missing_values(void **state) {
    (void)state;
    enum { CLASSES_AT_MOST = 16 };
    static double p[3][CLASS_SAMPLES * CLASSES_AT_MOST], f[CLASS_SAMPLES * RBMS];
    isg_dataset *data = make_classes(1), *whole = make_classes(1), **completions = NULL;
    trio three = make_trio();
    isg_classifier *classifier = NULL, *again = NULL;
    assert_ok(ISG_ALLOCATE_MATRIX(data->missing, CLASS_SAMPLES, data->words));
    for (size_t a = 1; a < CLASS_SAMPLES; a += 2)
        for (size_t i = a % 5; i < CLASS_UNITS; i += 5)
            isg_bit_assign(data->missing + a * data->words, i, true);
    assert_ok(isg_classifier_fit(&classifier, three.view, RBMS, ISG_FEATURES_ENERGY, data, NULL,
                                 NULL, NULL));
    assert_ok(isg_feature_map_complete(&completions, &classifier->map, data, NULL));
    const isg_matd room = {f, CLASS_SAMPLES, RBMS, RBMS};
    assert_ok(isg_feature_map_apply_all(&classifier->map, data, completions, 0, room));
    isg_impute_options options = isg_impute_defaults();
    options.marginal = true;
    for (size_t k = 0; k < RBMS; k++) {
        isg_dataset *mine = NULL;
        assert_ok(isg_dataset_impute(&mine, data, three.rbm[k], &options, NULL));
        for (size_t a = 0; a < CLASS_SAMPLES; a++) {
            double energy = 0;
            assert_ok(isg_rbm_spin_energy(three.rbm[k], isg_dataset_row(mine, a), &energy));
            assert_true(fabs(f[a * RBMS + k] + 2 * energy) < 1e-6);
        }
        isg_dataset_free(mine);
    }
    const size_t n_classes = isg_classifier_describe(classifier).n_classes;
    assert_true(n_classes <= CLASSES_AT_MOST);
    assert_ok(isg_classifier_save(classifier, in(directory, "missing.npz"), 1, NULL));
    assert_ok(isg_classifier_load(&again, in(directory, "missing.npz")));
    const isg_classifier *both[] = {classifier, again, classifier};
    for (size_t k = 0; k < 3; k++)
        assert_ok(isg_classifier_predict(both[k], k == 2 ? whole : data, NULL,
                                         (isg_matd){p[k], CLASS_SAMPLES, n_classes, n_classes},
                                         NULL));
    assert_memory_equal(p[0], p[1], CLASS_SAMPLES * n_classes * sizeof *f);
    for (size_t a = 0; a < CLASS_SAMPLES; a += 2)
        assert_memory_equal(p[0] + a * n_classes, p[2] + a * n_classes, n_classes * sizeof *f);
    assert_memory_not_equal(p[0], p[2], CLASS_SAMPLES * n_classes * sizeof *f);
    isg_dataset *few = NULL;
    assert_ok(isg_dataset_select(&few, data, (const size_t[]){0, 1, 2}, 3));
    assert_true(sweep_allocations(predict_completed, &(completing){classifier, few}) > 10);
    isg_dataset_free(few);
    again->map.betas[1] = 0;
    assert_fails(isg_classifier_predict(again, data, NULL, (isg_matd){NULL, 0, 0, 0}, NULL),
                 ISG_ERR_UNSUPPORTED, "temperature");
    isg_completions_free(completions, RBMS);
    isg_classifier_free(classifier);
    isg_classifier_free(again);
    isg_dataset_free(data);
    isg_dataset_free(whole);
    free_trio(&three);
}

static void test_features_are_the_same_everywhere(void **state) {
    (void)state;
    static double one[CLASS_SAMPLES * RBMS], other[CLASS_SAMPLES * RBMS];
    isg_dataset *data = make_classes(1);
    trio three = make_trio();
    isg_set_threads(1);
    assert_ok(compute_features(three.view, RBMS, ISG_FEATURES_ENERGY, data,
                               (isg_matd){one, CLASS_SAMPLES, RBMS, RBMS}));
    for (size_t threads = 2; threads < 8; threads += 5) {
        isg_set_threads(threads);
        assert_ok(isg_set_isa(threads == 2 ? "ref" : "best"));
        assert_ok(compute_features(three.view, RBMS, ISG_FEATURES_ENERGY, data,
                                   (isg_matd){other, CLASS_SAMPLES, RBMS, RBMS}));
        assert_memory_equal(one, other, sizeof one);
    }
    isg_set_threads(0);
    free_trio(&three);
    isg_dataset_free(data);
}

static void test_feature_refusals(void **state) {
    (void)state;
    double f[4];
    const isg_matd room = {f, 2, 2, 2};
    isg_dataset *data = make_classes(1);
    trio three = make_trio();
    assert_fails(compute_features(three.view, 0, ISG_FEATURES_ENERGY, data, room), ISG_ERR_ARGUMENT,
                 "at least one RBM");
    assert_fails(compute_features(three.view, 1, (isg_features)3, data, room), ISG_ERR_ARGUMENT,
                 "number 3");
    isg_rbm_free(three.rbm[1]);
    assert_ok(isg_rbm_create(&three.rbm[1], 5, 1, 1));
    three.view[1] = three.rbm[1];
    assert_fails(compute_features(three.view, RBMS, ISG_FEATURES_ENERGY, data, room), ISG_ERR_SHAPE,
                 "an RBM has 5");
    three.view[1] = three.view[0];
    three.rbm[0]->weights[3] = (double)NAN;
    assert_fails(compute_features(three.view, RBMS, ISG_FEATURES_ENERGY, data,
                                  (isg_matd){f, CLASS_SAMPLES, RBMS, RBMS}),
                 ISG_ERR_DIVERGED, "weight");
    free_trio(&three);
    isg_dataset_free(data);
}

/* ---- classifiers -------------------------------------------------------------------------------- */

static isg_classifier *fit(isg_features kind, isg_logistic_report *report) {
    isg_dataset *data = make_classes(1);
    trio three = make_trio();
    isg_classifier *classifier = NULL;
    assert_ok(isg_classifier_fit(&classifier, three.view, RBMS, kind, data, NULL, report, NULL));
    free_trio(&three); /* they were copied */
    isg_dataset_free(data);
    return classifier;
}

/* The same as a regression on the features. */
static void test_is_a_regression_on_features(void **state) {
    (void)state;
    static double f[CLASS_SAMPLES * RBMS], p[CLASS_SAMPLES * RBMS], q[CLASS_SAMPLES * RBMS];
    uint32_t answers[CLASS_SAMPLES], expected[CLASS_SAMPLES];
    const isg_matd features = {f, CLASS_SAMPLES, RBMS, RBMS};
    isg_logistic_report report;
    isg_logistic *alone = NULL;
    isg_dataset *data = make_classes(1);
    trio three = make_trio();
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, &report);
    assert_true(report.converged);
    assert_ok(compute_features(three.view, RBMS, ISG_FEATURES_ENERGY, data, features));
    assert_ok(isg_logistic_fit(&alone, (isg_matd_view){f, CLASS_SAMPLES, RBMS, RBMS},
                               isg_dataset_labels(data), CLASS_COUNT, NULL, NULL, NULL));
    assert_ok(isg_logistic_predict(alone, (isg_matd_view){f, CLASS_SAMPLES, RBMS, RBMS}, expected,
                                   (isg_matd){q, CLASS_SAMPLES, RBMS, RBMS}));
    assert_ok(isg_classifier_predict(classifier, data, answers,
                                     (isg_matd){p, CLASS_SAMPLES, RBMS, RBMS}, NULL));
    assert_memory_equal(answers, expected, sizeof answers);
    assert_memory_equal(p, q, sizeof p);
    assert_ok(isg_classifier_predict(classifier, data, NULL, (isg_matd){.data = NULL}, NULL));
    const isg_classifier_info info = isg_classifier_describe(classifier);
    assert_true(info.n_classes == CLASS_COUNT && info.n_rbms == RBMS && info.n_hidden == TOTAL);
    assert_true(info.n_visible == CLASS_UNITS && info.features == ISG_FEATURES_ENERGY);
    assert_null(isg_classifier_class_name(classifier, CLASS_COUNT));
    assert_int_equal(classifier->logistic->n_features, RBMS);
    isg_classifier_free(classifier);
    isg_classifier_free(NULL);
    isg_logistic_free(alone);
    free_trio(&three);
    isg_dataset_free(data);
}

/* More samples than are predicted at a time: each has the answer that it has among few, at its place. */
static void test_many_samples_are_predicted_in_parts(void **state) {
    (void)state;
    enum { MANY = 2 * 4096 + 100, STRIDE = CLASS_COUNT + 2 };
    static int8_t spins[MANY * CLASS_UNITS];
    static double p[MANY * STRIDE], expected[CLASS_SAMPLES * CLASS_COUNT];
    static uint32_t answers[MANY], alone[MANY], few[CLASS_SAMPLES];
    isg_dataset *data = make_classes(1), *many = NULL;
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL);
    for (size_t a = 0; a < MANY; a++) /* 4096 is no multiple of the samples there are */
        for (size_t i = 0; i < CLASS_UNITS; i++)
            spins[a * CLASS_UNITS + i] =
                isg_bit(isg_dataset_row(data, a % CLASS_SAMPLES), i) ? 1 : -1;
    assert_ok(isg_dataset_create(&many, MANY, CLASS_UNITS, spins, NULL));
    for (size_t k = 0; k < MANY * STRIDE; k++)
        p[k] = -1;
    assert_ok(isg_classifier_predict(classifier, data, few,
                                     (isg_matd){expected, CLASS_SAMPLES, CLASS_COUNT, CLASS_COUNT},
                                     NULL));
    assert_ok(isg_classifier_predict(classifier, many, answers,
                                     (isg_matd){p, MANY, CLASS_COUNT, STRIDE}, NULL));
    assert_ok(isg_classifier_predict(classifier, many, alone, (isg_matd){.data = NULL}, NULL));
    for (size_t a = 0; a < MANY; a++) {
        const size_t same = a % CLASS_SAMPLES;
        assert_true(answers[a] == few[same] && alone[a] == few[same]);
        assert_memory_equal(p + a * STRIDE, expected + same * CLASS_COUNT, CLASS_COUNT * sizeof *p);
        for (size_t k = CLASS_COUNT; k < STRIDE; k++)
            assert_true(p[a * STRIDE + k] == -1);
    }
    isg_classifier_free(classifier);
    isg_dataset_free(many);
    isg_dataset_free(data);
}

static void test_decisions_are_the_exponents(void **state) {
    (void)state;
    enum { STRIDE = CLASS_COUNT + 1 };
    static double u[CLASS_SAMPLES * STRIDE], p[CLASS_SAMPLES * CLASS_COUNT];
    const isg_matd decisions = {u, CLASS_SAMPLES, CLASS_COUNT, STRIDE};
    uint32_t answers[CLASS_SAMPLES];
    isg_dataset *data = make_classes(1);
    patience few = {.last_call = 1}, all = {0};
    const isg_progress in_vain = {lose_patience, &few}, to_the_end = {lose_patience, &all};
    for (isg_features kind = ISG_FEATURES_ENERGY; kind <= ISG_FEATURES_SQUARES; kind++) {
        isg_classifier *classifier = fit(kind, NULL);
        assert_ok(isg_classifier_predict(classifier, data, answers,
                                         (isg_matd){p, CLASS_SAMPLES, CLASS_COUNT, CLASS_COUNT},
                                         NULL));
        assert_ok(isg_classifier_decisions(classifier, data, decisions, NULL));
        for (size_t a = 0; a < CLASS_SAMPLES; a++) {
            double sum = 0;
            for (size_t k = 0; k < CLASS_COUNT; k++) {
                assert_true(u[a * STRIDE + k] <= u[a * STRIDE + answers[a]]);
                sum += exp(u[a * STRIDE + k] - u[a * STRIDE]);
            }
            for (size_t k = 0; k < CLASS_COUNT; k++)
                assert_true(fabs(exp(u[a * STRIDE + k] - u[a * STRIDE]) / sum -
                                 p[a * CLASS_COUNT + k]) < 1e-12);
            assert_true(u[a * STRIDE + CLASS_COUNT] == 0); /* left alone */
        }
        isg_classifier_free(classifier);
    }
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL);
    assert_ok(isg_classifier_decisions(classifier, data, decisions, &to_the_end));
    assert_true(all.calls > 0 && all.fraction == 1);
    assert_fails(isg_classifier_decisions(classifier, data, decisions, &in_vain), ISG_ERR_CANCELLED,
                 "classifying was cancelled");
    assert_fails(isg_classifier_decisions(classifier, data, (isg_matd){.data = NULL}, NULL),
                 ISG_ERR_ARGUMENT, "decisions: expected room for them");
    assert_fails(isg_classifier_decisions(classifier, data, (isg_matd){u, 2, 2, 2}, NULL),
                 ISG_ERR_SHAPE, "decisions: expected room for");
    /* Missing values are filled in first, which takes most of the time. */
    patience filling = {.may_stay = true};
    const isg_progress watched = {lose_patience, &filling};
    assert_ok(ISG_ALLOCATE_MATRIX(data->missing, CLASS_SAMPLES, data->words));
    data->missing[0] = 5;
    assert_ok(isg_classifier_predict(classifier, data, answers,
                                     (isg_matd){p, CLASS_SAMPLES, CLASS_COUNT, CLASS_COUNT}, NULL));
    assert_ok(isg_classifier_decisions(classifier, data, decisions, &watched));
    assert_true(filling.calls > RBMS && filling.fraction == 1);
    for (size_t k = 0; k < CLASS_COUNT; k++)
        assert_true(u[k] <= u[answers[0]]);
    isg_classifier_free(classifier);
    isg_dataset_free(data);
}

static void test_what_is_inside(void **state) {
    (void)state;
    trio three = make_trio();
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL);
    isg_rbm *rbm = NULL;
    classifier->image_height = 7;
    classifier->image_width = 10;
    for (size_t k = 0; k < RBMS; k++) {
        const isg_rbm *own = three.view[k];
        assert_ok(isg_classifier_copy_rbm(&rbm, classifier, k));
        assert_true(rbm->info.n_hidden == own->info.n_hidden && rbm->info.beta == own->info.beta);
        assert_int_equal(isg_rbm_describe(rbm).image_width, 10);
        assert_memory_equal(rbm->weights, own->weights,
                            CLASS_UNITS * own->info.n_hidden * sizeof(double));
        assert_memory_equal(rbm->b, own->b, CLASS_UNITS * sizeof(double));
        assert_memory_equal(rbm->c, own->c, own->info.n_hidden * sizeof(double));
        isg_rbm_free(rbm);
    }
    rbm = NULL;
    assert_fails(isg_classifier_copy_rbm(&rbm, classifier, RBMS), ISG_ERR_ARGUMENT,
                 "k: expected the number of one of 3 RBMs, found 3");
    classifier->map.betas[1] = 0;
    assert_fails(isg_classifier_copy_rbm(&rbm, classifier, 1), ISG_ERR_UNSUPPORTED, "temperature");
    assert_null(rbm);
    const isg_matd_view coefficients = isg_classifier_coefficients(classifier);
    assert_true(coefficients.rows == CLASS_COUNT && coefficients.cols == RBMS);
    assert_ptr_equal(coefficients.data, classifier->logistic->coefficients);
    double sum = 0;
    for (size_t k = 0; k < CLASS_COUNT; k++)
        sum += isg_classifier_intercepts(classifier)[k];
    assert_true(fabs(sum) < 1e-9);
    isg_classifier_free(classifier);
    free_trio(&three);
}

/* Experts made from patterns recognize their classes: every sample they were made from is
   classified correctly. */
static void test_experts_classify(void **state) {
    (void)state;
    isg_dataset *data = make_classes(1);
    isg_experts *experts = NULL;
    isg_classifier *classifier = NULL;
    const isg_rbm *rbms[CLASS_COUNT];
    uint32_t answers[CLASS_SAMPLES], truth[CLASS_SAMPLES];
    isg_expert_options options = isg_expert_defaults();
    options.per_class = 2;
    assert_ok(isg_experts_create(&experts, data, &options, NULL));
    for (size_t k = 0; k < CLASS_COUNT; k++)
        rbms[k] = isg_experts_rbm(experts, k);
    assert_ok(isg_classifier_fit(&classifier, rbms, CLASS_COUNT, ISG_FEATURES_ENERGY, data, NULL,
                                 NULL, NULL));
    assert_ok(isg_classifier_predict(classifier, data, answers, (isg_matd){.data = NULL}, NULL));
    assert_ok(isg_classifier_truth(classifier, data, truth));
    assert_memory_equal(answers, truth, sizeof truth);
    isg_classifier_free(classifier);
    isg_experts_free(experts);
    isg_dataset_free(data);
}

static void test_truth_goes_by_name(void **state) {
    (void)state;
    const int8_t spins[2 * CLASS_UNITS] = {0};
    const int64_t some[] = {20, 11}, other[] = {20, 12};
    uint32_t truth[2];
    isg_dataset *data = NULL;
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL); /* of 3, 11 and 20 */
    assert_ok(isg_dataset_create(&data, 2, CLASS_UNITS, spins, some));
    assert_ok(isg_classifier_truth(classifier, data, truth));
    assert_true(truth[0] == 2 && truth[1] == 1);
    data->labels.index[0] = ISG_UNLABELLED;
    assert_ok(isg_classifier_truth(classifier, data, truth));
    assert_true(truth[0] == ISG_UNLABELLED && truth[1] == 1);
    isg_dataset_free(data);
    assert_ok(isg_dataset_create(&data, 2, CLASS_UNITS, spins, other));
    assert_fails(isg_classifier_truth(classifier, data, truth), ISG_ERR_ARGUMENT, "class '12'");
    isg_dataset_free(data);
    assert_ok(isg_dataset_create(&data, 2, CLASS_UNITS - 1, spins, NULL));
    assert_fails(isg_classifier_truth(classifier, data, truth), ISG_ERR_ARGUMENT, "no labels");
    assert_fails(isg_classifier_predict(classifier, data, truth, (isg_matd){.data = NULL}, NULL),
                 ISG_ERR_SHAPE, "69 units, the classifier expects 70");
    isg_dataset_free(data);
    double p[4];
    assert_ok(isg_dataset_create(&data, 2, CLASS_UNITS, spins, NULL));
    assert_fails(isg_classifier_predict(classifier, data, truth, (isg_matd){p, 2, 2, 2}, NULL),
                 ISG_ERR_SHAPE, "2 x 3 numbers, found 2 x 2");
    isg_dataset_free(data);
    isg_classifier_free(classifier);
}

/* ---- files -------------------------------------------------------------------------------------- */

static void test_round_trip_is_exact(void **state) {
    (void)state;
    for (isg_features kind = ISG_FEATURES_ENERGY; kind <= ISG_FEATURES_SQUARES; kind++) {
        isg_classifier *classifier = fit(kind, NULL), *again = NULL;
        classifier->image_height = 7;
        classifier->image_width = 10;
        assert_ok(isg_classifier_save(classifier, in(directory, "c.npz"), 7, "isinglass"));
        assert_ok(isg_classifier_load(&again, in(directory, "c.npz")));
        const isg_classifier_info a = isg_classifier_describe(classifier);
        const isg_classifier_info b = isg_classifier_describe(again);
        assert_true(a.features == b.features && b.image_height == 7 && b.image_width == 10);
        assert_true(a.n_rbms == b.n_rbms && a.n_hidden == b.n_hidden && b.n_classes == CLASS_COUNT);
        assert_string_equal(isg_classifier_class_name(again, 1), "11");
        const isg_feature_map *x = &classifier->map, *y = &again->map;
        assert_memory_equal(x->starts, y->starts, (RBMS + 1) * sizeof(size_t));
        assert_memory_equal(x->weights, y->weights, (size_t)CLASS_UNITS * TOTAL * sizeof(double));
        assert_memory_equal(x->b, y->b, (size_t)RBMS * CLASS_UNITS * sizeof(double));
        assert_memory_equal(x->c, y->c, TOTAL * sizeof(double));
        const isg_logistic *p = classifier->logistic, *q = again->logistic;
        assert_true(p->n_classes == q->n_classes && p->n_features == q->n_features);
        assert_memory_equal(p->coefficients, q->coefficients,
                            p->n_classes * p->n_features * sizeof(double));
        isg_classifier_free(classifier);
        isg_classifier_free(again);
    }
}

static void test_bytes_are_those_of_the_file(void **state) {
    (void)state;
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL), *again = NULL;
    void *bytes = NULL, *same = NULL;
    size_t size = 0, same_size = 0, file_size = 0;
    assert_ok(isg_classifier_save(classifier, in(directory, "c.npz"), 7, "isinglass"));
    uint8_t *file = read_file(in(directory, "c.npz"), &file_size);
    assert_ok(isg_classifier_to_bytes(classifier, 7, "isinglass", &bytes, &size));
    assert_int_equal(size, file_size);
    assert_memory_equal(bytes, file, size);
    assert_ok(isg_classifier_from_bytes(&again, "c", bytes, size));
    assert_ok(isg_classifier_to_bytes(again, 7, "isinglass", &same, &same_size));
    assert_int_equal(size, same_size);
    assert_memory_equal(bytes, same, size);
    isg_classifier_free(again);
    again = NULL;
    assert_fails(isg_classifier_from_bytes(&again, NULL, bytes, size - 1), ISG_ERR_FORMAT,
                 "bytes: ");
    assert_null(again);
    isg_bytes_free(bytes);
    isg_bytes_free(same);
    free(file);
    isg_classifier_free(classifier);
}

static void test_numpy_predicts_the_same(void **state) {
    (void)state;
    isg_classifier *classifier = fit(ISG_FEATURES_ENERGY, NULL);
    isg_dataset *data = make_classes(1);
    static double p[CLASS_SAMPLES * CLASS_COUNT];
    assert_ok(isg_classifier_predict(classifier, data, NULL,
                                     (isg_matd){p, CLASS_SAMPLES, CLASS_COUNT, CLASS_COUNT}, NULL));
    assert_ok(isg_classifier_save(classifier, in(directory, "c.npz"), 7, "isinglass classify"));
    static char code[2048];
    char bits[CLASS_UNITS + 1] = "";
    for (size_t i = 0; i < CLASS_UNITS; i++)
        bits[i] = isg_bit(isg_dataset_row(data, 5), i) ? '1' : '0';
    snprintf(code, sizeof code,
             "m = np.load('c.npz')\n"
             "s = np.array([2 * int(c) - 1 for c in '%s'])\n"
             "h = s @ m['W'] + m['c']\n"
             "ends = np.cumsum(m['hidden'])\n"
             "square = [(h[e - n:e] ** 2 - m['c'][e - n:e] ** 2).sum() for e, n in zip(ends, "
             "m['hidden'])]\n"
             "f = np.array(square) + 2 * m['b'] @ s\n"
             "u = m['coefficients'] @ ((f - m['means']) / m['scales']) + m['intercepts']\n"
             "p = np.exp(u - u.max()); p /= p.sum()\n"
             "assert m['is_hidden'].tolist() == [0] and m['classes'].tolist() == [3, 11, 20]\n"
             "assert abs(p - [%.17g, %.17g, %.17g]).max() < 1e-6, p\n",
             bits, p[15], p[16], p[17]);
    run_python(directory, code);
    isg_dataset_free(data);
    isg_classifier_free(classifier);
}

/* One change each to a valid file; the message must name the array. */
static void test_strange_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *change, *part;
        isg_status status;
    } cases[] = {
        {"pass", NULL, ISG_OK},
        {"d.pop('b'); d.pop('c')", NULL, ISG_OK},
        {"d['classes'] = ['a', 'b', 'c']", NULL, ISG_OK},
        {"d['W'] = np.asfortranarray(d['W'].astype('>f4'))", NULL, ISG_OK},
        {"d.pop('W')", "W", ISG_ERR_FORMAT},
        {"d['W'] = d['W'][:, 1:]", "W: expected 4 x 3", ISG_ERR_SHAPE},
        {"d['W'] = d['W'].ravel()", "W: expected visible", ISG_ERR_FORMAT},
        {"d['W'][2, 1] = np.nan", "W, number 8", ISG_ERR_FORMAT},
        {"d['W'][2, 1] = 1e300", "weight between", ISG_ERR_FORMAT},
        {"d['hidden'] = [1, 1, 1]", "b: expected 3 x 4", ISG_ERR_SHAPE},
        {"d['hidden'] = [3, 0]", "hidden: 0 hidden", ISG_ERR_FORMAT},
        {"d['hidden'] = [4, -1]", "hidden: -1 hidden", ISG_ERR_FORMAT},
        {"d['hidden'] = [1, 1 << 60]", "hidden", ISG_ERR_FORMAT},
        {"d['hidden'] = np.zeros(0, int)", "hidden", ISG_ERR_FORMAT},
        {"d['hidden'] = [1.5, 1.5]", "hidden", ISG_ERR_FORMAT},
        {"d['is_hidden'] = [3]", "is_hidden: expected 0, 1 or 2", ISG_ERR_FORMAT},
        {"d['is_hidden'] = [1]", "means: expected 3", ISG_ERR_SHAPE},
        {"d['b'] = d['b'].T", "b: expected 2 x 4", ISG_ERR_SHAPE},
        {"d['c'] = d['c'][1:]", "c: expected 3", ISG_ERR_SHAPE},
        {"d['c'][0] = np.inf", "c, number 1", ISG_ERR_FORMAT},
        {"d['classes'] = [0]", "at least two", ISG_ERR_FORMAT},
        {"d['classes'] = [0, 1]", "coefficients: expected 2 x 2", ISG_ERR_SHAPE},
        {"d['classes'] = [2, 1, 0]", "ascending", ISG_ERR_FORMAT},
        {"d['classes'] = [0, 1, 1]", "each once", ISG_ERR_FORMAT},
        {"d['scales'][1] = 0", "scales", ISG_ERR_FORMAT},
        {"d['means'][1] = np.nan", "means, number 2", ISG_ERR_FORMAT},
        {"d['coefficients'] = d['coefficients'].T", "coefficients: expected 3 x 2", ISG_ERR_SHAPE},
        {"d['intercepts'] = d['intercepts'][1:]", "intercepts: expected 3", ISG_ERR_SHAPE},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    FILE *script = python_begin(directory);
    fputs("def make():\n"
          "    return dict(W=np.arange(12.).reshape(4, 3), hidden=[1, 2], is_hidden=[0], "
          "b=np.ones((2, 4)),\n"
          "        c=np.ones(3), classes=[0, 1, 2], means=np.zeros(2), scales=np.ones(2),\n"
          "        coefficients=np.ones((3, 2)), intercepts=np.zeros(3))\n",
          script);
    for (size_t k = 0; k < COUNT; k++)
        fprintf(script, "d = make()\n%s\nnp.savez('s%zu.npz', **d)\n", cases[k].change, k);
    python_end(directory, script);
    for (size_t k = 0; k < COUNT; k++) {
        char name[32];
        isg_classifier *classifier = NULL;
        snprintf(name, sizeof name, "s%zu.npz", k);
        const isg_status status = isg_classifier_load(&classifier, in(directory, name));
        if (status != cases[k].status ||
            (cases[k].part && !strstr(isg_error_message(), cases[k].part)))
            fail_msg("%s: %d, %s", cases[k].change, (int)status, isg_error_message());
        assert_true((classifier != NULL) == (status == ISG_OK));
        isg_classifier_free(classifier);
    }
}

/* ---- without memory ----------------------------------------------------------------------------- */

static isg_status all_of_it(void *user) {
    isg_classifier *classifier = NULL, *again = NULL;
    trio *three = user;
    isg_dataset *data = NULL;
    uint32_t labels[CLASS_SAMPLES];
    const int8_t spins[4 * CLASS_UNITS] = {1, 1, 0, 1};
    const int64_t names[] = {1, 2, 1, 2};
    void *bytes = NULL;
    size_t size = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_dataset_create(&data, 4, CLASS_UNITS, spins, names));
    ISG_TRY_GOTO(isg_classifier_fit(&classifier, three->view, RBMS, ISG_FEATURES_ENERGY, data, NULL,
                                    NULL, NULL));
    ISG_TRY_GOTO(isg_classifier_predict(classifier, data, labels, (isg_matd){.data = NULL}, NULL));
    ISG_TRY_GOTO(isg_classifier_truth(classifier, data, labels));
    ISG_TRY_GOTO(isg_classifier_save(classifier, in(directory, "m.npz"), 1, NULL));
    ISG_TRY_GOTO(isg_classifier_load(&again, in(directory, "m.npz")));
    ISG_TRY_GOTO(isg_classifier_to_bytes(classifier, 1, NULL, &bytes, &size));
done:
    isg_bytes_free(bytes);
    isg_classifier_free(classifier);
    isg_classifier_free(again);
    isg_dataset_free(data);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    trio three = make_trio();
    isg_set_threads(1);
    assert_true(sweep_allocations(all_of_it, &three) > 100);
    isg_set_threads(0);
    free_trio(&three);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energies),
        cmocka_unit_test(test_hidden_units_and_squares),
        cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_features_are_the_same_everywhere),
        cmocka_unit_test(test_feature_refusals),
        cmocka_unit_test(test_is_a_regression_on_features),
        cmocka_unit_test(test_many_samples_are_predicted_in_parts),
        cmocka_unit_test(test_decisions_are_the_exponents),
        cmocka_unit_test(test_what_is_inside),
        cmocka_unit_test(test_experts_classify),
        cmocka_unit_test(test_truth_goes_by_name),
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_bytes_are_those_of_the_file),
        cmocka_unit_test(test_numpy_predicts_the_same),
        cmocka_unit_test(test_strange_files_are_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
