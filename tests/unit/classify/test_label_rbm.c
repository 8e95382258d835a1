/* test_label_rbm.c - p(class | s) of an RBM trained with labels, against all its states
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "helper_allocation.h"
#include "rbm/rbm.h"

enum { SPINS = 5, LABELS = 3, UNITS = SPINS + LABELS, HIDDEN = 4, STATES = 1 << SPINS };

/* All states of the spins, labelled as comes. */
static isg_dataset *all_states(void) {
    int8_t spins[STATES * SPINS];
    int64_t labels[STATES];
    isg_dataset *data = NULL;
    for (size_t a = 0; a < STATES; a++) {
        labels[a] =
            7 - (int64_t)(a % LABELS); /* so that the order of the classes is not that of rows */
        for (size_t i = 0; i < SPINS; i++)
            spins[a * SPINS + i] = a >> i & 1 ? 1 : -1;
    }
    assert_ok(isg_dataset_create(&data, STATES, SPINS, spins, labels));
    return data;
}

static isg_rbm *example(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, UNITS, HIDDEN, 0.7, 0.6, 3));
    for (size_t i = 0; i < UNITS; i++)
        rbm->b[i] = 0.3 * sin(1.0 + 2.0 * (double)i);
    for (size_t mu = 0; mu < HIDDEN; mu++)
        rbm->c[mu] = 0.4 * cos((double)mu);
    return rbm;
}

/* p(k | s) from p over all states of spins and labels: those with one label up. */
static double by_enumeration(const double *joint, size_t a, size_t k) {
    double sum = 0;
    for (size_t l = 0; l < LABELS; l++)
        sum += joint[a | (size_t)1 << (SPINS + l)];
    return joint[a | (size_t)1 << (SPINS + k)] / sum;
}

/* The same with one thing wrong with the RBM. */
typedef enum twin { RIGHT, NO_FIELD, NO_HIDDEN_FIELD, OTHER_BETA, LABELS_TURNED } twin;

static isg_rbm *broken(twin wrong) {
    isg_rbm *rbm = example();
    if (wrong == NO_FIELD)
        memset(rbm->b, 0, UNITS * sizeof *rbm->b);
    if (wrong == NO_HIDDEN_FIELD)
        memset(rbm->c, 0, HIDDEN * sizeof *rbm->c);
    if (wrong == OTHER_BETA)
        rbm->info.beta = 1;
    for (size_t k = SPINS * HIDDEN; wrong == LABELS_TURNED && k < UNITS * HIDDEN; k++)
        rbm->weights[k] = -rbm->weights[k];
    return rbm;
}

static double largest_error(twin wrong) {
    static double joint[1 << UNITS], p[STATES * LABELS];
    isg_dataset *data = all_states();
    isg_rbm *right = example(), *rbm = broken(wrong);
    isg_classifier *classifier = NULL;
    uint32_t answers[STATES];
    double largest = 0;
    assert_ok(isg_exact_probabilities(right, joint));
    assert_ok(isg_classifier_from_labels(&classifier, rbm, data));
    assert_ok(isg_classifier_predict(classifier, data, answers,
                                     (isg_matd){p, STATES, LABELS, LABELS}, NULL));
    for (size_t a = 0; a < STATES; a++) {
        size_t best = 0;
        for (size_t k = 0; k < LABELS; k++) {
            largest = fmax(largest, fabs(p[a * LABELS + k] - by_enumeration(joint, a, k)));
            best = p[a * LABELS + k] > p[a * LABELS + best] ? k : best;
        }
        assert_int_equal(answers[a], best);
    }
    assert_string_equal(isg_classifier_class_name(classifier, 0), "5");
    isg_classifier_free(classifier);
    isg_rbm_free(right);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
    return largest;
}

static void test_is_exact(void **state) {
    (void)state;
    assert_true(largest_error(RIGHT) < 1e-7);
    for (twin wrong = NO_FIELD; wrong <= LABELS_TURNED; wrong++)
        assert_true(largest_error(wrong) > 1e-2);
}

static void test_labels_are_appended(void **state) {
    (void)state;
    isg_dataset *data = all_states(), *longer = NULL;
    assert_ok(isg_dataset_append_labels(&longer, data));
    const isg_dataset_info info = isg_dataset_describe(longer);
    assert_true(info.n_visible == UNITS && info.n_samples == STATES && info.n_classes == LABELS);
    for (size_t a = 0; a < STATES; a++) {
        const size_t k = isg_dataset_labels(data)[a];
        assert_int_equal(*isg_dataset_row(longer, a), a | (size_t)1 << (SPINS + k));
        assert_int_equal(isg_dataset_labels(longer)[a], k);
    }
    isg_dataset_free(longer);
    isg_dataset_free(data);
}

/* 63 units and 3 labels: the last two are in another word. */
static void test_labels_cross_words(void **state) {
    (void)state;
    int8_t spins[3 * 63];
    const int64_t labels[] = {2, 0, 1};
    isg_dataset *data = NULL, *longer = NULL;
    memset(spins, -1, sizeof spins);
    assert_ok(isg_dataset_create(&data, 3, 63, spins, labels));
    assert_ok(isg_dataset_append_labels(&longer, data));
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < 66; i++)
            assert_int_equal(isg_bit(isg_dataset_row(longer, a), i), i == 63 + (size_t)labels[a]);
    isg_dataset_free(longer);
    isg_dataset_free(data);
}

static void test_refusals(void **state) {
    (void)state;
    isg_dataset *data = all_states(), *plain = NULL, *longer = NULL;
    isg_classifier *classifier = NULL;
    isg_rbm *rbm = NULL;
    const int8_t spins[] = {1, -1};
    assert_ok(isg_rbm_create(&rbm, UNITS + 1, 2, 1));
    assert_fails(isg_classifier_from_labels(&classifier, rbm, data), ISG_ERR_SHAPE,
                 "5 visible units and 3 labels, found 9");
    isg_rbm_free(rbm);
    assert_ok(isg_rbm_create(&rbm, 2, 2, 1));
    assert_fails(isg_classifier_from_labels(&classifier, rbm, data), ISG_ERR_SHAPE, "found 2");
    assert_ok(isg_dataset_create(&plain, 2, 1, spins, NULL));
    assert_fails(isg_classifier_from_labels(&classifier, rbm, plain), ISG_ERR_ARGUMENT,
                 "no labels");
    assert_fails(isg_dataset_append_labels(&longer, plain), ISG_ERR_ARGUMENT, "no labels");
    isg_dataset_free(plain);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

static isg_status append_and_make(void *user) {
    isg_dataset *longer = NULL;
    isg_classifier *classifier = NULL;
    isg_rbm *rbm = NULL;
    isg_status status = isg_dataset_append_labels(&longer, user);
    if (status == ISG_OK)
        status = isg_rbm_create(&rbm, UNITS, 2, 1);
    if (status == ISG_OK)
        status = isg_classifier_from_labels(&classifier, rbm, user);
    isg_classifier_free(classifier);
    isg_rbm_free(rbm);
    isg_dataset_free(longer);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    isg_dataset *data = all_states();
    assert_true(sweep_allocations(append_and_make, data) > 20);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_exact),           cmocka_unit_test(test_labels_are_appended),
        cmocka_unit_test(test_labels_cross_words), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
