/* test_thresholds.c - the threshold of every rule, and rules as text
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "data/thresholds.h"
#include "test.h"

/* The threshold of one unit; zeros are left out if `is_sparse`. */
static double learn(isg_binarize rule, double at, const double *values, size_t count,
                    bool is_sparse, bool is_backwards) {
    isg_learner learner = {0};
    double threshold = (double)NAN;
    assert_ok(isg_learner_start(&learner, rule, at, 1));
    for (size_t k = 0; k < count; k++) {
        const double value = values[is_backwards ? count - 1 - k : k];
        if (!is_sparse || value != 0)
            assert_ok(isg_learner_put(&learner, 0, value));
    }
    assert_ok(isg_learner_finish(&learner, count, &threshold));
    isg_learner_clear(&learner);
    return threshold;
}

static void rules_have_their_thresholds(void **state) {
    (void)state;
    const double values[] = {0, 3, 0, 1, 8, 9, 0, 10};
    static const struct {
        isg_binarize rule;
        double at, expected;
    } cases[] = {
        {ISG_BINARIZE_MEAN, 0, 31.0 / 8}, {ISG_BINARIZE_MEDIAN, 0, 2},
        {ISG_BINARIZE_MIDPOINT, 0, 5},    {ISG_BINARIZE_QUANTILE, 0.25, 0},
        {ISG_BINARIZE_QUANTILE, 1, 10},   {ISG_BINARIZE_QUANTILE, 0.75, 8.25},
        {ISG_BINARIZE_OTSU, 0, 5.5},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t k = 0; k < 4; k++)
            assert_true(learn(cases[c].rule, cases[c].at, values, 8, k & 1, k & 2) ==
                        cases[c].expected);
    const double split = learn(ISG_BINARIZE_MIXTURE, 0, values, 8, false, false);
    assert_true(split > 3 && split < 8);
    assert_true(learn(ISG_BINARIZE_MIXTURE, 0, values, 8, true, true) == split);
}

/* The sum of equal values must not round to more or less than their mean: all would be +1. */
static void equal_values_are_their_own_threshold(void **state) {
    (void)state;
    double values[1000];
    for (size_t n = 1; n <= 1000; n++) {
        values[n - 1] = 0.1;
        assert_true(learn(ISG_BINARIZE_MEAN, 0, values, n, false, false) == 0.1);
    }
    for (isg_binarize rule = ISG_BINARIZE_MEAN; rule <= ISG_BINARIZE_MIXTURE; rule++)
        assert_true(learn(rule, 0.5, values, 1000, false, false) == 0.1);
}

/* Sums of 1e16 and 1 lose the 1 in doubles. */
static void the_mean_does_not_depend_on_the_order(void **state) {
    (void)state;
    const double values[] = {1e16, 1, -1e16, 1, 1e16, -1e16};
    assert_true(learn(ISG_BINARIZE_MEAN, 0, values, 6, false, false) == 2.0 / 6);
    assert_true(learn(ISG_BINARIZE_MEAN, 0, values, 6, false, true) == 2.0 / 6);
}

static void missing_values_do_not_count(void **state) {
    (void)state;
    const double values[] = {(double)NAN, 4, 8, (double)NAN};
    assert_true(learn(ISG_BINARIZE_MEAN, 0, values, 4, false, false) == 6);
    assert_true(learn(ISG_BINARIZE_MEDIAN, 0, values, 4, false, false) == 6);
    assert_true(learn(ISG_BINARIZE_MEAN, 0, values, 1, false, false) == 0); /* nothing is known */
}

static void rules_are_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"zero", "value:3", "value:-0.25",
                                        "mean", "median",  "quantile:0.9",
                                        "otsu", "mixture", "midpoint"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        isg_binarize rule = ISG_BINARIZE_AUTO;
        double at = 0;
        char text[ISG_BINARIZE_ROOM];
        assert_ok(isg_binarize_parse(texts[k], &rule, &at));
        isg_binarize_text(rule, at, text);
        assert_string_equal(text, texts[k]);
    }
    static const char *const wrong[] = {
        "",      "Mean",   "value",        "value:",       "value:x",
        "mean:", "zero:1", "quantile:1.5", "quantile:nan", "man"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        isg_binarize rule = ISG_BINARIZE_AUTO;
        double at = 0;
        assert_fails(isg_binarize_parse(wrong[k], &rule, &at), ISG_ERR_ARGUMENT, "expected zero");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_have_their_thresholds),
        cmocka_unit_test(equal_values_are_their_own_threshold),
        cmocka_unit_test(the_mean_does_not_depend_on_the_order),
        cmocka_unit_test(missing_values_do_not_count),
        cmocka_unit_test(rules_are_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
