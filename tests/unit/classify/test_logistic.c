/* test_logistic.c - logistic regression against plain Newton steps in long double
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classify/classify.h"
#include "helper_allocation.h"

enum { SAMPLES = 90, FEATURES = 3, CLASSES = 3, WIDTH = FEATURES + 1, SIZE = CLASSES * WIDTH };

/* Overlapping classes, from formulas; the features differ in scale and position. */
static double features[SAMPLES * FEATURES];
static uint32_t labels[SAMPLES];

static isg_matd_view view_of(const double *data, size_t rows, size_t cols) {
    return (isg_matd_view){data, rows, cols, cols};
}

static int make_data(void **state) {
    (void)state;
    for (size_t a = 0; a < SAMPLES; a++) {
        const double t = (double)a;
        labels[a] = (uint32_t)((a * a + a / 7) % 5 % CLASSES);
        features[a * FEATURES] = 0.2 * labels[a] + sin(1.7 * t);
        features[a * FEATURES + 1] = 300 + 40 * cos(2.3 * t * t) - 9 * (labels[a] == 1);
        features[a * FEATURES + 2] = 0.01 * sin(0.9 * t + labels[a]) + 0.02 * cos(t * t);
    }
    return 0;
}

/* ---- the reference ---------------------------------------------------------------------------- */

typedef enum twin { RIGHT, PENALIZED_INTERCEPT, NOT_STANDARDIZED, DOUBLE_PENALTY } twin;

typedef long double real;

static void describe(const double *x, size_t j, real *mean, real *scale) {
    *mean = *scale = 0;
    for (size_t a = 0; a < SAMPLES; a++)
        *mean += (real)x[a * FEATURES + j] / SAMPLES;
    for (size_t a = 0; a < SAMPLES; a++) {
        const real off = (real)x[a * FEATURES + j] - *mean;
        *scale += off * off / SAMPLES;
    }
    *scale = sqrtl(*scale);
}

/* Gradient and second derivatives of the sum of the losses and the penalty, all classes alike. */
static void derivatives(const real *z, const real *theta, const real *penalty, real *gradient,
                        real *hessian) {
    memset(gradient, 0, SIZE * sizeof *gradient);
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (size_t a = 0; a < SAMPLES; a++) {
        real p[CLASSES], sum = 0;
        for (size_t k = 0; k < CLASSES; k++) {
            p[k] = 0;
            for (size_t j = 0; j < WIDTH; j++)
                p[k] += theta[k * WIDTH + j] * z[a * WIDTH + j];
            sum += p[k] = expl(p[k]);
        }
        for (size_t k = 0; k < CLASSES; k++)
            p[k] /= sum;
        for (size_t r = 0; r < SIZE; r++) {
            const size_t k = r / WIDTH;
            const real x = z[a * WIDTH + r % WIDTH];
            gradient[r] += (p[k] - (labels[a] == k)) * x;
            for (size_t c = 0; c < SIZE; c++)
                hessian[r * SIZE + c] +=
                    p[k] * ((k == c / WIDTH) - p[c / WIDTH]) * x * z[a * WIDTH + c % WIDTH];
        }
    }
    for (size_t r = 0; r < SIZE; r++) {
        gradient[r] += penalty[r % WIDTH] * theta[r];
        hessian[r * SIZE + r] += penalty[r % WIDTH];
        /* Nothing depends on what all classes have in common: hold it at zero. */
        for (size_t c = r % WIDTH; c < SIZE; c += WIDTH)
            hessian[r * SIZE + c] += 1;
    }
}

/* x (SIZE) becomes the solution, by Gaussian elimination with pivots. */
static void eliminate(real *m, real *x) {
    for (size_t c = 0; c < SIZE; c++) {
        size_t best = c;
        for (size_t r = c; r < SIZE; r++)
            if (fabsl(m[r * SIZE + c]) > fabsl(m[best * SIZE + c]))
                best = r;
        for (size_t j = 0; j < SIZE; j++) {
            const real kept = m[c * SIZE + j];
            m[c * SIZE + j] = m[best * SIZE + j];
            m[best * SIZE + j] = kept;
        }
        const real kept = x[c];
        x[c] = x[best];
        x[best] = kept;
        for (size_t r = 0; r < SIZE; r++) {
            const real factor = r == c ? 0 : m[r * SIZE + c] / m[c * SIZE + c];
            for (size_t j = c; j < SIZE; j++)
                m[r * SIZE + j] -= factor * m[c * SIZE + j];
            x[r] -= factor * x[c];
        }
    }
    for (size_t c = 0; c < SIZE; c++)
        x[c] /= m[c * SIZE + c];
}

/* theta (CLASSES, WIDTH), the intercept last, on the requested scale. */
static void reference(double l2, bool standardize, twin kind, real *theta) {
    static real z[SAMPLES * WIDTH];
    real gradient[SIZE], hessian[SIZE * SIZE], penalty[WIDTH];
    if (kind == NOT_STANDARDIZED)
        standardize = !standardize;
    for (size_t j = 0; j < WIDTH; j++) {
        real mean = 0, scale = 1;
        if (j < FEATURES && standardize)
            describe(features, j, &mean, &scale);
        for (size_t a = 0; a < SAMPLES; a++)
            z[a * WIDTH + j] = j < FEATURES ? ((real)features[a * FEATURES + j] - mean) / scale : 1;
        penalty[j] = kind == DOUBLE_PENALTY ? 2 * (real)l2 : (real)l2;
    }
    if (kind != PENALIZED_INTERCEPT)
        penalty[FEATURES] = 0;
    memset(theta, 0, SIZE * sizeof *theta);
    for (int t = 0; t < 40; t++) {
        derivatives(z, theta, penalty, gradient, hessian);
        eliminate(hessian, gradient);
        for (size_t r = 0; r < SIZE; r++)
            theta[r] -= gradient[r];
    }
}

static double difference(const isg_logistic *model, const real *theta) {
    const isg_matd_view w = {model->coefficients, model->n_classes, model->n_features,
                             model->n_features};
    double largest = 0;
    for (size_t k = 0; k < CLASSES; k++) {
        for (size_t j = 0; j < FEATURES; j++)
            largest = fmax(largest, fabs(w.data[k * w.stride + j] - (double)theta[k * WIDTH + j]));
        largest = fmax(largest, fabs(model->intercepts[k] - (double)theta[k * WIDTH + FEATURES]));
    }
    return largest;
}

static isg_logistic_options options_of(isg_logistic_method method, double l2) {
    isg_logistic_options options = isg_logistic_defaults();
    options.method = method;
    options.l2 = l2;
    return options;
}

static isg_logistic *fit(const isg_logistic_options *options, isg_logistic_report *report) {
    isg_logistic *model = NULL;
    assert_ok(isg_logistic_fit(&model, view_of(features, SAMPLES, FEATURES), labels, CLASSES,
                               options, report, NULL));
    return model;
}

static const isg_logistic_method methods[] = {ISG_LOGISTIC_NEWTON, ISG_LOGISTIC_LBFGS};

/* Wrong variants must be far off: this is what the comparison can detect. */
static void test_agrees_with_reference(void **state) {
    (void)state;
    const double l2[] = {0, 1e-3, 0.5, 20};
    for (size_t c = 0; c < 16; c++) {
        isg_logistic_options options = options_of(methods[c % 2], l2[c / 4]);
        isg_logistic_report report;
        real right[SIZE], wrong[SIZE];
        options.standardize = c / 2 % 2 == 0;
        isg_logistic *model = fit(&options, &report);
        assert_true(report.converged && report.method == methods[c % 2]);
        assert_true(report.gradient <= options.tolerance && report.reason[0] == '\0');
        reference(options.l2, options.standardize, RIGHT, right);
        const double off = difference(model, right);
        if (!(off < 1e-6))
            fail_msg("case %zu: %g from the reference", c, off);
        for (twin kind = PENALIZED_INTERCEPT; kind <= DOUBLE_PENALTY; kind++) {
            reference(options.l2, options.standardize, kind, wrong);
            if (options.l2 >= 0.5 || kind == NOT_STANDARDIZED)
                assert_true(difference(model, wrong) > 1e-3);
        }
        isg_logistic_free(model);
    }
}

/* Shifts and scales of the features change nothing if they are standardized, up to rounding. */
static void test_scales(void **state) {
    (void)state;
    static double large[SAMPLES * FEATURES];
    for (size_t i = 0; i < SAMPLES * FEATURES; i++)
        large[i] = 3e8 + 1e8 * features[i];
    for (size_t m = 0; m < 2; m++) {
        const isg_logistic_options options = options_of(methods[m], 0.5);
        isg_logistic_report report;
        isg_logistic *model = NULL;
        real theta[SIZE];
        assert_ok(isg_logistic_fit(&model, view_of(large, SAMPLES, FEATURES), labels, CLASSES,
                                   &options, &report, NULL));
        assert_true(report.converged);
        reference(0.5, true, RIGHT, theta);
        assert_true(difference(model, theta) < 1e-6);
        isg_logistic_free(model);
    }
}

/* Balanced classes are classes of the same size: 36, 18 and 12 samples weigh as much as if the second
   class were there twice and the third three times. The sum of the losses is then 108 / 66 as
   large. */
static void test_balanced(void **state) {
    (void)state;
    enum { FEW = 66, ALL = 108 };
    static double some[FEW * FEATURES], more[ALL * FEATURES];
    static const size_t sizes[CLASSES] = {36, 18, 12}, times[CLASSES] = {1, 2, 3};
    uint32_t classes[FEW], repeated[ALL];
    size_t taken[CLASSES] = {0}, n = 0, m = 0;
    for (size_t a = 0; n < FEW; a++) {
        const uint32_t k = (uint32_t)(a * 7 % 11 < 4 ? 0 : a * 7 % 11 < 8 ? 1 : 2);
        if (taken[k]++ >= sizes[k])
            continue;
        for (size_t time = 0; time < times[k]; time++, m++) {
            repeated[m] = k;
            memcpy(more + m * FEATURES, features + a % SAMPLES * FEATURES, FEATURES * sizeof *more);
        }
        classes[n] = k;
        memcpy(some + n++ * FEATURES, features + a % SAMPLES * FEATURES, FEATURES * sizeof *some);
    }
    assert_int_equal(m, ALL);
    for (size_t c = 0; c < 4; c++) {
        isg_logistic_options options = options_of(methods[c % 2], c / 2 ? 0.5 : 1e-3);
        isg_logistic_report report[3];
        isg_logistic *model[3] = {NULL, NULL, NULL};
        options.standardize = false; /* the scales of repeated samples are others */
        assert_ok(isg_logistic_fit(&model[2], view_of(some, FEW, FEATURES), classes, CLASSES,
                                   &options, &report[2], NULL));
        options.balanced = true;
        assert_ok(isg_logistic_fit(&model[0], view_of(some, FEW, FEATURES), classes, CLASSES,
                                   &options, &report[0], NULL));
        options.balanced = c % 2; /* where nothing changes */
        options.l2 *= (double)ALL / FEW;
        assert_ok(isg_logistic_fit(&model[1], view_of(more, ALL, FEATURES), repeated, CLASSES,
                                   &options, &report[1], NULL));
        assert_true(report[0].converged && report[1].converged);
        assert_true(fabs(report[0].loss - report[1].loss) < 1e-9);
        double off = 0, unbalanced = 0;
        for (size_t k = 0; k < CLASSES; k++) {
            off = fmax(off, fabs(model[0]->intercepts[k] - model[1]->intercepts[k]));
            for (size_t j = 0; j < FEATURES; j++) {
                const size_t at = k * FEATURES + j;
                off = fmax(off, fabs(model[0]->coefficients[at] - model[1]->coefficients[at]));
                unbalanced =
                    fmax(unbalanced, fabs(model[0]->coefficients[at] - model[2]->coefficients[at]));
            }
        }
        if (!(off < 1e-5 && unbalanced > 1e-3))
            fail_msg("case %zu: %g apart, unbalanced %g", c, off, unbalanced);
        for (size_t k = 0; k < 3; k++)
            isg_logistic_free(model[k]);
    }
}

/* ---- what has no minimum, or many --------------------------------------------------------------- */

static void test_separable(void **state) {
    (void)state;
    const double x[] = {-3, -2, -1.5, 1, 2, 4}; /* apart */
    const double meet[] = {-3, -2, 0, 0, 2, 4}; /* apart but for one point */
    const uint32_t y[] = {0, 0, 0, 1, 1, 1};
    for (size_t c = 0; c < 4; c++) {
        isg_logistic_options options = options_of(methods[c % 2], 0);
        isg_logistic_report report;
        isg_logistic *model = NULL;
        uint32_t found[6];
        const isg_matd_view view = view_of(c < 2 ? x : meet, 6, 1);
        assert_ok(isg_logistic_fit(&model, view, y, 2, &options, &report, NULL));
        assert_false(report.converged);
        assert_non_null(strstr(report.reason, "l2 = 0"));
        assert_ok(isg_logistic_predict(model, view, found, (isg_matd){0}));
        if (c < 2)
            assert_memory_equal(found, y, sizeof y);
        isg_logistic_free(model);
        options.l2 = 1e-6; /* any penalty makes a minimum */
        assert_ok(isg_logistic_fit(&model, view, y, 2, &options, &report, NULL));
        assert_true(report.converged);
        isg_logistic_free(model);
    }
}

/* A constant feature gets nothing, twins share. */
static void test_dependent_features(void **state) {
    (void)state;
    static double x[SAMPLES * 4];
    for (size_t c = 0; c < 4; c++) {
        const isg_logistic_options options = options_of(methods[c % 2], c < 2 ? 0 : 0.1);
        isg_logistic_report report, one;
        isg_logistic *model = NULL, *plain = NULL;
        for (size_t a = 0; a < SAMPLES; a++) {
            x[a * 4] = x[a * 4 + 2] = features[a * FEATURES];
            x[a * 4 + 1] = 0.1;
            x[a * 4 + 3] = features[a * FEATURES + 1];
        }
        assert_ok(isg_logistic_fit(&model, view_of(x, SAMPLES, 4), labels, CLASSES, &options,
                                   &report, NULL));
        assert_ok(isg_logistic_fit(&plain, (isg_matd_view){x + 2, SAMPLES, 2, 4}, labels, CLASSES,
                                   &options, &one, NULL));
        assert_true(report.converged && one.converged);
        const isg_matd_view w = {model->coefficients, model->n_classes, model->n_features,
                                 model->n_features};
        assert_true(model->scales[1] == 1 && model->means[1] == 0.1);
        for (size_t k = 0; k < CLASSES; k++) {
            assert_true(w.data[k * 4 + 1] == 0);
            assert_true(fabs(w.data[k * 4] - w.data[k * 4 + 2]) < 1e-6);
            if (c < 2) /* without a penalty, two halves make a whole */
                assert_true(fabs(w.data[k * 4] + w.data[k * 4 + 2] - plain->coefficients[k * 2]) <
                            1e-5);
        }
        isg_logistic_free(model);
        isg_logistic_free(plain);
    }
}

static void test_says_when_not_converged(void **state) {
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        isg_logistic_options options = options_of(methods[m], 0.1);
        isg_logistic_report report;
        options.max_iterations = 1;
        isg_logistic_free(fit(&options, &report));
        assert_false(report.converged);
        assert_int_equal(report.iterations, 1);
        assert_non_null(strstr(report.reason, "not enough"));
        options = options_of(methods[m], 0.1);
        options.tolerance = 1e-300;
        isg_logistic_free(fit(&options, &report));
        assert_true(report.converged || strstr(report.reason, "rounding"));
        assert_true(report.gradient < 1e-12);
    }
}

/* ---- bits, probabilities, refusals ----------------------------------------------------------------- */

static void test_threads_do_not_matter(void **state) {
    (void)state;
    const size_t before = isg_threads(), threads[] = {1, 2, 7};
    for (size_t m = 0; m < 2; m++) {
        const isg_logistic_options options = options_of(methods[m], 0.01);
        double first[CLASSES * FEATURES] = {0};
        for (size_t t = 0; t < 3; t++) {
            isg_set_threads(threads[t]);
            isg_logistic *model = fit(&options, NULL);
            const double *w = model->coefficients;
            if (t == 0)
                memcpy(first, w, sizeof first);
            assert_memory_equal(first, w, sizeof first);
            isg_logistic_free(model);
        }
    }
    isg_set_threads(before);
}

/* The report is what the probabilities say; the intercepts sum to zero. */
static void test_report(void **state) {
    (void)state;
    for (size_t c = 0; c < 4; c++) {
        isg_logistic_options options = options_of(methods[c % 2], 0.3);
        isg_logistic_report report;
        double p[SAMPLES * CLASSES], loss = 0, square = 0, sum = 0;
        uint32_t found[SAMPLES];
        options.standardize = c < 2;
        isg_logistic *model = fit(&options, &report);
        assert_ok(isg_logistic_predict(model, view_of(features, SAMPLES, FEATURES), found,
                                       (isg_matd){p, SAMPLES, CLASSES, CLASSES}));
        for (size_t a = 0; a < SAMPLES; a++) {
            const double *row = p + a * CLASSES;
            assert_true(fabs(row[0] + row[1] + row[2] - 1) < 1e-14);
            for (size_t k = 0; k < CLASSES; k++)
                assert_true(row[k] <= row[found[a]]);
            loss -= log(row[labels[a]]) / SAMPLES;
        }
        for (size_t i = 0; i < CLASSES * FEATURES; i++)
            square += pow(model->coefficients[i], 2);
        for (size_t k = 0; k < CLASSES; k++)
            sum += model->intercepts[k];
        assert_true(fabs(loss - report.loss) < 1e-12);
        assert_true(fabs(0.3 / 2 * square / SAMPLES - report.penalty) < 1e-12);
        assert_true(fabs(sum) < 1e-12);
        isg_logistic_free(model);
    }
}

static void test_large_scores(void **state) {
    (void)state;
    const double mean[] = {0, 1e8}, scale[] = {1, 1e-50}, w[] = {1e100, -1e100, 3, 1e100, 2, 1};
    const double b[] = {0, 1e100, -5}, x[] = {1e100, -1e100, 0, 1e8, -1e8, 1e8};
    double p[9];
    uint32_t found[3];
    isg_logistic *model = NULL;
    assert_ok(isg_logistic_create(&model, 3, 2, mean, scale, w, b));
    assert_int_equal(model->n_classes, 3);
    assert_int_equal(model->n_features, 2);
    assert_ok(isg_logistic_predict(model, view_of(x, 3, 2), found, (isg_matd){p, 3, 3, 3}));
    for (size_t a = 0; a < 3; a++)
        assert_true(p[3 * a] + p[3 * a + 1] + p[3 * a + 2] == 1 && p[3 * a + found[a]] == 1);
    assert_true(found[0] == 0 && found[1] == 1);
    isg_logistic_free(model);
}

static isg_status try_fit(size_t rows, size_t cols, const uint32_t *y, size_t n_classes,
                          const isg_logistic_options *options) {
    isg_logistic *model = NULL;
    const isg_status status =
        isg_logistic_fit(&model, view_of(features, rows, cols), y, n_classes, options, NULL, NULL);
    assert_null(model);
    return status;
}

static void test_refusals(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e101};
    for (size_t i = 0; i < 4; i++) {
        const double kept = features[5 * FEATURES + 2];
        features[5 * FEATURES + 2] = bad[i];
        assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, NULL), ISG_ERR_ARGUMENT,
                     "in row 5, column 2");
        features[5 * FEATURES + 2] = kept;
    }
    assert_fails(try_fit(SAMPLES, FEATURES, labels, 4, NULL), ISG_ERR_ARGUMENT, "none of class 3");
    assert_fails(try_fit(SAMPLES, FEATURES, labels, 2, NULL), ISG_ERR_ARGUMENT,
                 "expected a class below 2, found 2");
    assert_fails(try_fit(SAMPLES, FEATURES, labels, 1, NULL), ISG_ERR_ARGUMENT, "n_classes");
    assert_fails(try_fit(SAMPLES, 0, labels, CLASSES, NULL), ISG_ERR_ARGUMENT, "n_features");
    assert_fails(try_fit(2, FEATURES, labels, CLASSES, NULL), ISG_ERR_ARGUMENT, "found 2 in all");
    isg_logistic_options options = options_of((isg_logistic_method)3, 1);
    assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, &options), ISG_ERR_ARGUMENT, "method");
    options = options_of(ISG_LOGISTIC_AUTO, -1);
    assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, &options), ISG_ERR_ARGUMENT, "l2");
    options = options_of(ISG_LOGISTIC_AUTO, (double)NAN);
    assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, &options), ISG_ERR_ARGUMENT, "l2");
    options = options_of(ISG_LOGISTIC_AUTO, 1);
    options.tolerance = 0;
    assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, &options), ISG_ERR_ARGUMENT,
                 "tolerance");
    options = options_of(ISG_LOGISTIC_AUTO, 1);
    options.max_iterations = 0;
    assert_fails(try_fit(SAMPLES, FEATURES, labels, CLASSES, &options), ISG_ERR_ARGUMENT,
                 "max_iterations");
}

static void test_other_refusals(void **state) {
    (void)state;
    const double zeros[4] = {0}, ones[2] = {1, 1}, wrong[] = {0, (double)NAN};
    double p[4], x[4] = {0, 0, HUGE_VAL, 0};
    uint32_t found[2];
    isg_logistic *model = NULL;
    assert_fails(isg_logistic_create(&model, 1, 2, zeros, ones, zeros, zeros), ISG_ERR_ARGUMENT,
                 "n_classes");
    assert_fails(isg_logistic_create(&model, 2, 2, zeros, zeros, zeros, zeros), ISG_ERR_ARGUMENT,
                 "scales");
    assert_fails(isg_logistic_create(&model, 2, 2, wrong, ones, zeros, zeros), ISG_ERR_ARGUMENT,
                 "means: expected numbers from -1e+100 to 1e+100, found nan at index 1");
    assert_fails(isg_logistic_create(&model, 2, 2, zeros, ones, zeros, wrong), ISG_ERR_ARGUMENT,
                 "intercepts");
    assert_null(model);
    assert_ok(isg_logistic_create(&model, 2, 2, zeros, ones, zeros, zeros));
    assert_fails(isg_logistic_predict(model, view_of(x, 2, 2), found, (isg_matd){0}),
                 ISG_ERR_ARGUMENT, "found inf in row 1, column 0");
    assert_fails(isg_logistic_predict(model, view_of(x, 1, 1), found, (isg_matd){0}), ISG_ERR_SHAPE,
                 "expected 2 columns, found 1");
    assert_fails(isg_logistic_predict(model, view_of(x, 1, 2), found, (isg_matd){p, 2, 2, 2}),
                 ISG_ERR_SHAPE, "probabilities");
    assert_ok(isg_logistic_predict(model, view_of(x, 1, 2), found, (isg_matd){p, 1, 2, 2}));
    assert_true(found[0] == 0 && p[0] == 0.5 && p[1] == 0.5);
    assert_ok(isg_logistic_predict(model, view_of(x, 0, 2), NULL, (isg_matd){0}));
    isg_logistic_free(model);
    isg_logistic_free(NULL);
}

static bool stop_at_third(void *user, double fraction) {
    size_t *calls = user;
    assert_true(fraction >= 0 && fraction <= 1);
    return ++*calls < 3;
}

static void test_cancel(void **state) {
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        const isg_logistic_options options = options_of(methods[m], 0.01);
        size_t calls = 0;
        const isg_progress progress = {stop_at_third, &calls};
        isg_logistic *model = NULL;
        assert_fails(isg_logistic_fit(&model, view_of(features, SAMPLES, FEATURES), labels, CLASSES,
                                      &options, NULL, &progress),
                     ISG_ERR_CANCELLED, "cancelled");
        assert_int_equal(calls, 3);
    }
}

static isg_status predict_job(void *user) {
    uint32_t found[SAMPLES];
    return isg_logistic_predict(user, view_of(features, SAMPLES, FEATURES), found, (isg_matd){0});
}

static isg_status create_job(void *user) {
    const isg_logistic *m = user;
    isg_logistic *copy = NULL;
    const isg_status status = isg_logistic_create(&copy, CLASSES, FEATURES, m->means, m->scales,
                                                  m->coefficients, m->intercepts);
    isg_logistic_free(copy);
    return status;
}

static isg_status fit_job(void *user) {
    isg_logistic *model = NULL;
    const isg_status status = isg_logistic_fit(&model, view_of(features, SAMPLES, FEATURES), labels,
                                               CLASSES, user, NULL, NULL);
    isg_logistic_free(model);
    return status;
}

static void test_memory_failures(void **state) {
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        isg_logistic_options options = options_of(methods[m], 0.5);
        assert_true(sweep_allocations(fit_job, &options) > 10);
    }
    isg_logistic *model = fit(NULL, NULL);
    assert_true(sweep_allocations(predict_job, model) == 1);
    assert_true(sweep_allocations(create_job, model) == 5);
    isg_logistic_free(model);
}

/* Wide data go to L-BFGS, narrow ones to Newton; more than one panel and one tile of features. */
static void test_auto(void **state) {
    (void)state;
    enum { N = 200, D = 800 };
    double *x = malloc(N * D * sizeof *x);
    uint32_t y[N];
    assert_non_null(x);
    for (size_t a = 0; a < N; a++) {
        y[a] = (uint32_t)(a % 3);
        for (size_t j = 0; j < D; j++)
            x[a * D + j] = sin((double)(a * (j + 1)) + (double)(j * j)) + 0.1 * (j % 3 == y[a]);
    }
    isg_logistic_options options = options_of(ISG_LOGISTIC_AUTO, 5);
    isg_logistic_report wide, narrow;
    isg_logistic *model = NULL, *other = NULL;
    assert_ok(isg_logistic_fit(&model, view_of(x, N, D), y, 3, &options, &wide, NULL));
    assert_true(wide.converged && wide.method == ISG_LOGISTIC_LBFGS);
    isg_logistic_free(model);
    assert_ok(
        isg_logistic_fit(&model, (isg_matd_view){x, N, 100, D}, y, 3, &options, &narrow, NULL));
    assert_true(narrow.converged && narrow.method == ISG_LOGISTIC_NEWTON);
    options.method = ISG_LOGISTIC_LBFGS;
    assert_ok(isg_logistic_fit(&other, (isg_matd_view){x, N, 100, D}, y, 3, &options, &wide, NULL));
    assert_true(wide.converged);
    for (size_t i = 0; i < 300; i++)
        assert_true(fabs(model->coefficients[i] - other->coefficients[i]) < 1e-7);
    isg_logistic_free(model);
    isg_logistic_free(other);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_reference),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_separable),
        cmocka_unit_test(test_dependent_features),
        cmocka_unit_test(test_says_when_not_converged),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_refusals),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_memory_failures),
        cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
