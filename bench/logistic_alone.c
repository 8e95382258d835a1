/* logistic_alone.c - one fit without loading, for logistic.sh
 *
 * SPDX-License-Identifier: MIT
 *
 *   logistic_alone FEATURES LABELS SAMPLES METHOD L2 STANDARDIZE TOLERANCE THREADS RESULT
 *
 * FEATURES has rows of doubles, LABELS one 32-bit class each, both as they are in memory. Saves the
 * coefficients, and the intercepts after them, to RESULT and prints one line of JSON.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "classify/classify.h"

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*bytes + 1);
    if (data && fread(data, 1, *bytes, file) != *bytes)
        data = NULL;
    fclose(file);
    return data;
}

static int save(const isg_logistic *model, const char *path) {
    const size_t size = model->n_classes * model->n_features;
    FILE *file = fopen(path, "wb");
    return file && fwrite(model->coefficients, sizeof(double), size, file) == size &&
           fwrite(model->intercepts, sizeof(double), model->n_classes, file) == model->n_classes &&
           fclose(file) == 0;
}

int main(int argc, char **argv) {
    size_t feature_bytes = 0, label_bytes = 0, n_classes = 0;
    if (argc != 10) {
        fprintf(stderr, "logistic_alone FEATURES LABELS SAMPLES METHOD L2 STANDARDIZE TOLERANCE "
                        "THREADS RESULT\n");
        return 2;
    }
    double *features = read_all(argv[1], &feature_bytes);
    uint32_t *labels = read_all(argv[2], &label_bytes);
    const size_t n = strtoul(argv[3], NULL, 10);
    if (!features || !labels || n == 0 || label_bytes < n * sizeof *labels) {
        fprintf(stderr, "%s, %s: cannot be read\n", argv[1], argv[2]);
        return 1;
    }
    const size_t width = feature_bytes / sizeof *features / (label_bytes / sizeof *labels);
    for (size_t a = 0; a < n; a++)
        n_classes = labels[a] >= n_classes ? labels[a] + 1 : n_classes;
    isg_logistic_options options = isg_logistic_defaults();
    options.method = strcmp(argv[4], "newton") == 0  ? ISG_LOGISTIC_NEWTON
                     : strcmp(argv[4], "lbfgs") == 0 ? ISG_LOGISTIC_LBFGS
                                                     : ISG_LOGISTIC_AUTO;
    options.l2 = strtod(argv[5], NULL);
    options.standardize = strcmp(argv[6], "yes") == 0;
    options.tolerance = strtod(argv[7], NULL);
    isg_set_threads(strtoul(argv[8], NULL, 10));
    isg_logistic *model = NULL;
    isg_logistic_report report;
    const double start = seconds_now();
    const isg_status status = isg_logistic_fit(&model, (isg_matd_view){features, n, width, width},
                                               labels, n_classes, &options, &report, NULL);
    const double seconds = seconds_now() - start;
    if (status != ISG_OK || !save(model, argv[9])) {
        fprintf(stderr, "%s\n", isg_error_message());
        return 1;
    }
    printf("{\"seconds\": %.4f, \"method\": \"%s\", \"converged\": %s, \"iterations\": %zu, "
           "\"gradient\": %.3g, \"loss\": %.15g, \"reason\": \"%s\"}\n",
           seconds, report.method == ISG_LOGISTIC_NEWTON ? "newton" : "lbfgs",
           report.converged ? "true" : "false", report.iterations, report.gradient, report.loss,
           report.reason);
    isg_logistic_free(model);
    free(features);
    free(labels);
    return 0;
}
