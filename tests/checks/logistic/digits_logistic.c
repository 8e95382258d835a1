/* digits_logistic.c - logistic regression on coarse digits, and what must be true of the result
 *
 * SPDX-License-Identifier: MIT
 *
 *   digits_logistic IMAGES LABELS
 *
 * The means of 7 x 7 squares of every image are features of the first 5000 digits. Prints for each
 * method whether it converged, the gradient found here, in long double from the coefficients alone,
 * and the share of errors; then the largest difference of the two methods, and whether one and three
 * threads give the same bits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify/classify.h"

enum { SAMPLES = 5000, SIDE = 7, FEATURES = SIDE * SIDE, CLASSES = 10 };

static double features[SAMPLES * FEATURES];
static uint32_t labels[SAMPLES];

static void load(const char *images, const char *label_file) {
    isg_dataset *data = NULL;
    isg_dataset_options options = isg_dataset_defaults();
    options.labels_path = label_file;
    options.limit = SAMPLES;
    if (isg_dataset_load(&data, images, &options, NULL) != ISG_OK) {
        fprintf(stderr, "%s\n", isg_error_message());
        exit(1);
    }
    memcpy(labels, isg_dataset_labels(data), sizeof labels);
    for (size_t a = 0; a < SAMPLES; a++) {
        const uint64_t *row = isg_dataset_row(data, a);
        for (size_t i = 0; i < 784; i++)
            features[a * FEATURES + i / 28 / 4 * SIDE + i % 28 / 4] +=
                (row[i / 64] >> i % 64 & 1) / 16.0;
    }
    isg_dataset_free(data);
}

/* The largest entry of the gradient of mean loss and penalty by what the model was given as: the
   coefficients of standardized features, and the intercepts. */
static double gradient_of(const isg_logistic *model, double l2) {
    static long double sums[CLASSES][FEATURES + 1];
    const double *w = model->coefficients, *b = model->intercepts;
    const double *mean = model->means, *scale = model->scales;
    long double largest = 0;
    memset(sums, 0, sizeof sums);
    for (size_t a = 0; a < SAMPLES; a++) {
        long double z[FEATURES + 1], p[CLASSES], sum = 0;
        for (size_t j = 0; j < FEATURES; j++)
            z[j] = ((long double)features[a * FEATURES + j] - mean[j]) / scale[j];
        z[FEATURES] = 1;
        for (size_t k = 0; k < CLASSES; k++) {
            p[k] = b[k];
            for (size_t j = 0; j < FEATURES; j++)
                p[k] += w[k * FEATURES + j] * z[j];
            sum += p[k] = expl(p[k]);
        }
        for (size_t k = 0; k < CLASSES; k++)
            for (size_t j = 0; j <= FEATURES; j++)
                sums[k][j] += (p[k] / sum - (labels[a] == k)) * z[j];
    }
    for (size_t k = 0; k < CLASSES; k++)
        for (size_t j = 0; j <= FEATURES; j++) {
            const long double penalty = j < FEATURES ? l2 * w[k * FEATURES + j] : 0;
            largest = fmaxl(largest, fabsl(sums[k][j] + penalty) / SAMPLES);
        }
    return (double)largest;
}

static isg_logistic *fit(isg_logistic_method method, isg_logistic_report *report) {
    isg_logistic_options options = isg_logistic_defaults();
    isg_logistic *model = NULL;
    options.method = method;
    options.l2 = 1;
    const isg_matd_view view = {features, SAMPLES, FEATURES, FEATURES};
    if (isg_logistic_fit(&model, view, labels, CLASSES, &options, report, NULL) != ISG_OK) {
        fprintf(stderr, "%s\n", isg_error_message());
        exit(1);
    }
    return model;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    load(argv[1], argv[2]);
    isg_logistic *models[2];
    double largest = 0;
    for (size_t m = 0; m < 2; m++) {
        isg_logistic_report report;
        uint32_t found[SAMPLES];
        size_t errors = 0;
        isg_set_threads(3);
        models[m] = fit(m == 0 ? ISG_LOGISTIC_NEWTON : ISG_LOGISTIC_LBFGS, &report);
        const isg_matd_view view = {features, SAMPLES, FEATURES, FEATURES};
        if (isg_logistic_predict(models[m], view, found, (isg_matd){0}) != ISG_OK)
            return 1;
        for (size_t a = 0; a < SAMPLES; a++)
            errors += found[a] != labels[a];
        isg_set_threads(1);
        isg_logistic *again = fit(report.method, NULL);
        const size_t bytes = CLASSES * FEATURES * sizeof(double);
        const bool same = memcmp(models[m]->coefficients, again->coefficients, bytes) == 0;
        printf("%s %s gradient %.2g errors %.4f bits %s\n", m == 0 ? "newton" : "lbfgs",
               report.converged ? "converged" : "open", gradient_of(models[m], 1),
               (double)errors / SAMPLES, same ? "same" : "other");
        isg_logistic_free(again);
    }
    for (size_t i = 0; i < CLASSES * FEATURES; i++)
        largest = fmax(largest, fabs(models[0]->coefficients[i] - models[1]->coefficients[i]));
    printf("difference %.2g\n", largest);
    isg_logistic_free(models[0]);
    isg_logistic_free(models[1]);
    return 0;
}
