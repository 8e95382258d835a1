/* helper_claims.h - numbers made up such that the paper is right in everything
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_CLAIMS_H
#define HELPER_CLAIMS_H

#include "test.h"
#undef fail /* a name of failure.h */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper/claims_exact.h"

/* fail_msg() of cmocka needs its fail(). */
static inline void stop_at(const char *format, ...) CLI_PRINTF(1, 2);
static inline void stop_at(const char *format, ...) {
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s\n", text);
    assert_true(false);
}

/* ---- a world in which the paper is right ------------------------------------------------------ */

static inline void put(json_t *pieces, const char *key, const double *values, size_t n) {
    json_t *list = json_array();
    for (size_t k = 0; k < n; k++)
        json_array_append_new(list, json_number(values[k]));
    json_object_set_new(pieces, key, json_pack("{s:o, s:f}", "values", list, "seconds", 1.0));
}
#define PUT(pieces, key, ...)                                                                      \
    put(pieces, key, (const double[]){__VA_ARGS__},                                                \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static inline void put_exact(json_t *pieces) {
    PUT(pieces, "claims mapping", 1e-14, 1e-15, 1e-15, 1e-14, 1e-12, 10, 3, 10, 784);
    PUT(pieces, "claims family", 1e-15, 1e-15, 1e-15, 0.3, 1e-14, 1e-16, 0.05);
    PUT(pieces, "claims machines", 1e-15, 1e-15, 1e-15, -1, 5);
    PUT(pieces, "claims partition", 1e-14, 1e-14, 1e-14, 0, 1e-14);
    PUT(pieces, "claims gradients", 1e-7, 1e-9, 5, 1e-10, 1e-9);
    PUT(pieces, "claims landscape", 1e-14, 20, 1e-7);
    PUT(pieces, "claims projections", 0.9, 0.8, 0.9, 1, 1e-14, 1e-14, 784);
    PUT(pieces, "claims pixels", 0, 0.19, 0.19, 0, 7840);
    PUT(pieces, "claims times", 0.05, 5, 2, 6000, 60000);
    PUT(pieces, "claims weights", 50, 0.9, 0.95);
    PUT(pieces, "claims back", 10, 10, 10, 10, 10, 10, 0.3, 0.6, 0.02);
    PUT(pieces, "figD2 xi0 published", 0.7678, 0.0042, 10000, 0, 0, 0, 0, 0, 0, 0, 0, 0.77, 0.7);
    PUT(pieces, "figD2 xi10 published", 0.7371, 0.0044, 10000, 0, 0, 0, 0, 0, 0, 0, 0, 0.74, 0.7);
    /* Two classes; 1000 images of 10000 end in no pattern, and 7300 in that of their class. */
    PUT(pieces, "figD2 xi0 attractor", 0.7678, 0.0042, 10000, 0, 0, 0, 0, 9000, 0, 1000, 0, 0.77,
        0.7, 0.7, 0.2, 0, 0, 0.1, 0, 0.15, 0.75, 0, 0, 0.1, 0);
}

/* L against beta: highest at 2, and rising with k. */
static inline void put_fig2(json_t *pieces) {
    static const double ks[] = {1, 2, 10}, betas[] = {1, 2, 4};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) {
            static const double base[] = {-280, -250, -450}, rise[] = {1, 5, 20};
            const double l = base[b] + rise[b] * ks[a];
            char key[KEY_BYTES];
            snprintf(key, sizeof key, "fig2 k=%g beta=%g ais", ks[a], betas[b]);
            PUT(pieces, key, 0, l, 0.1, 100);
            snprintf(key, sizeof key, "fig2 k=%g beta=%g better", ks[a], betas[b]);
            PUT(pieces, key, -l, 0.1, 2, 1);
        }
}

enum { N_EPOCHS = 10, N_EXPERT_EPOCHS = 8 };
static const double epochs[N_EPOCHS] = {0, 0.5, 1, 3, 5, 10, 15, 25, 40, 50};
static const double levels[N_STARTS][N_EPOCHS] = {
    [ISG_START_HOPFIELD] = {-255, -220, -205, -190, -180, -172, -165, -163, -162, -161},
    [ISG_START_HEBBIAN] = {-1500, -330, -252, -200, -186, -174, -165, -163, -162, -161},
    [ISG_START_PCA] = {-440, -294, -230, -165, -163, -162, -161.5, -161, -161, -161},
    [ISG_START_NORMAL] = {-4800, -600, -540, -400, -350, -300, -270, -220, -164, -161},
};

static inline void put_fig4(json_t *pieces, double last) {
    for (size_t p = 10; p <= 50; p += 40)
        for (size_t s = 0; s < N_STARTS; s++)
            for (size_t run = 1; run <= 2; run++)
                for (size_t e = 0; e < N_EPOCHS && epochs[e] <= last; e++) {
                    char key[KEY_BYTES];
                    snprintf(key, sizeof key, "fig4 p=%zu %s run=%zu epoch=%g", p, start_titles[s],
                             run, epochs[e]);
                    PUT(pieces, key, 500, levels[s][e] + 0.1 * (double)run, 0.3, (double)NAN,
                        (double)NAN, (double)NAN, (double)NAN);
                }
}

static const size_t expert_epochs[N_EXPERT_EPOCHS] = {0, 1, 2, 5, 10, 20, 50, 100};
static const size_t expert_sizes[] = {10, 20, 100};
static const double percent[N_STARTS][3][N_EXPERT_EPOCHS] = {
    [ISG_START_HOPFIELD] = {{7.0, 6.5, 6.4, 6.0, 5.5, 5.0, 4.5, 4.4},
                            {5.7, 5.5, 5.4, 5.0, 4.5, 4.0, 3.8, 3.7},
                            {4.4, 4.0, 3.9, 3.6, 3.4, 3.2, 3.0, 2.95}},
    [ISG_START_HEBBIAN] = {{12.5, 9.3, 8.5, 8.0, 7.8, 7.5, 7.0, 6.8},
                           {12.3, 9.7, 9.6, 9.0, 8.5, 8.0, 7.5, 7.0},
                           {14.0, 12, 11.5, 11, 10.5, 10, 9.0, 8.5}},
    [ISG_START_PCA] = {{10, 7.0, 5.5, 5.0, 4.5, 4.3, 4.0, 3.9},
                       {8.0, 5.7, 4.4, 4.0, 3.8, 3.6, 3.4, 3.3},
                       {11.3, 6.0, 5.0, 4.5, 3.6, 3.2, 3.0, 2.95}},
    [ISG_START_NORMAL] = {{49, 15, 12, 11, 9.0, 8.0, 7.0, 6.5},
                          {50, 14, 11.5, 10, 8.0, 7.0, 6.0, 5.5},
                          {52, 13, 11, 10, 8.0, 6.0, 4.5, 4.4}},
};

static inline void put_experts(json_t *pieces, size_t last) {
    for (size_t s = 0; s < N_STARTS; s++)
        for (size_t k = 0; k < 3; k++)
            for (size_t e = 0; e < N_EXPERT_EPOCHS && expert_epochs[e] <= last; e++) {
                char key[KEY_BYTES];
                snprintf(key, sizeof key, "experts k=%zu %s run=1 epoch=%zu", expert_sizes[k],
                         start_titles[s], expert_epochs[e]);
                PUT(pieces, key, percent[s][k][e] / 100, percent[s][k][e] / 100, 1, 0.1);
            }
}

static inline json_t *paper_world(double last) {
    json_t *pieces = json_object();
    put_exact(pieces);
    put_fig2(pieces);
    put_fig4(pieces, last);
    put_experts(pieces, (size_t)(2 * last));
    return pieces;
}

static inline facts facts_of(json_t *pieces) {
    return (facts){.pieces = pieces,
                   .test_samples = 10000,
                   .train_samples = 60000,
                   .n_classes = 2,
                   .class_samples = {4000, 6000}};
}

static inline ruling judge_by(const facts *in, const claim *of) {
    ruling found;
    claim_judge(of, in, &found);
    assert_true(found.ours[0] != '\0' && found.why[0] != '\0');
    assert_true(strlen(found.ours) + 1 < sizeof found.ours &&
                strlen(found.why) + 1 < sizeof found.why);
    return found;
}

static inline ruling judge(json_t *pieces, const claim *of) {
    const facts in = facts_of(pieces);
    return judge_by(&in, of);
}

static inline const claim *claim_called(const char *id) {
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *of = claim_lists[list]; of->id; of++)
            if (strcmp(of->id, id) == 0)
                return of;
    stop_at("no claim is called %s", id);
    return NULL;
}

static inline void set_value(json_t *pieces, const char *key, size_t index, double value) {
    json_t *values = json_object_get(json_object_get(pieces, key), "values");
    if (index >= json_array_size(values))
        stop_at("no number %zu in %s", index, key);
    json_array_set_new(values, index, json_number(value));
}

/* ---- numbers that refute the paper ----------------------------------------------------------- */

typedef struct edit {
    const char *id, *key;
    size_t index;
    double value;
} edit;

/* Those of one claim stand together and are made together. */
static const edit edits[] = {
    {"exact-energy", "claims mapping", MAPPING_ENERGY, 1e-6},
    {"exact-couplings", "claims mapping", MAPPING_COUPLINGS, 1e-6},
    {"exact-basis", "claims mapping", MAPPING_ORTHOGONALITY, 1e-6},
    {"exact-partition", "claims partition", PARTITION_ENUMERATED, 1e-3},
    {"lambda-representation", "claims partition", PARTITION_LAMBDA, 1e-3},
    {"free-energy-integral", "claims partition", PARTITION_PRINTED, -9},
    {"field-carries", "claims family", FAMILY_FIELD, 1e-3},
    {"order-irrelevant", "claims family", FAMILY_ORDER, 1e-3},
    {"orthogonal-limit", "claims family", FAMILY_ORTHOGONAL, 1e-3},
    {"patterns-are-minima", "claims mapping", MAPPING_STABLE, 9},
    {"hebbian-fails", "claims mapping", MAPPING_HEBB_FIXED, 10},
    {"lyapunov", "claims landscape", LANDSCAPE_RISE, 1e-6},
    {"integrate-hidden", "claims partition", PARTITION_HIDDEN, 1e-3},
    {"other-decompositions", "claims family", FAMILY_SQRT, 1e-3},
    {"fewer-weights", "claims mapping", MAPPING_PATTERNS, 500},
    {"nonzero-pixels", "claims pixels", PIXELS_CHANGED, 0.001},
    {"monotone-ais", "fig2 k=10 beta=2 ais", 1, -245},
    {"monotone", "fig2 k=10 beta=2 better", 0, 245},
    {"peak", "fig2 k=2 beta=4 better", 0, 200},
    {"both-ends", "fig2 k=1 beta=4 better", 0, 200},
    {"sustained", "fig2 k=10 beta=4 better", 0, 450},
    {"annealing", "fig2 k=2 beta=4 ais", 1, -400},
    {"one-shot-time", "claims times", TIME_MAPPING, 20},
    {"clustering-time", "claims times", TIME_CLUSTERING, 200},
    {"updates", "claims times", TIME_UPDATES, 600},
    {"weights-stay", "claims weights", WEIGHTS_LEAST_COSINE, 0.5},
    {"start-small", "fig4 p=10 pca run=1 epoch=0", 1, -100},
    {"start-small", "fig4 p=10 pca run=2 epoch=0", 1, -100},
    {"start-large", "fig4 p=50 hebbian run=1 epoch=0", 1, -100},
    {"start-large", "fig4 p=50 hebbian run=2 epoch=0", 1, -100},
    {"early-small", "fig4 p=10 pca run=1 epoch=0.5", 1, -100},
    {"early-small", "fig4 p=10 pca run=2 epoch=0.5", 1, -100},
    {"early-large", "fig4 p=50 pca run=1 epoch=0.5", 1, -100},
    {"early-large", "fig4 p=50 pca run=2 epoch=0.5", 1, -100},
    {"pca-catches-up", "fig4 p=10 pca run=1 epoch=0.5", 1, -220},
    {"pca-catches-up", "fig4 p=10 pca run=2 epoch=0.5", 1, -220},
    {"hebbian-catches-up", "fig4 p=10 hebbian run=1 epoch=0", 1, -250},
    {"hebbian-catches-up", "fig4 p=10 hebbian run=2 epoch=0", 1, -250},
    {"random-catches-up", "fig4 p=10 normal run=1 epoch=3", 1, -191},
    {"random-catches-up", "fig4 p=10 normal run=2 epoch=3", 1, -191},
    {"same-end-small", "fig4 p=10 normal run=1 epoch=50", 1, -180},
    {"same-end-small", "fig4 p=10 normal run=2 epoch=50", 1, -180},
    {"same-end-large", "fig4 p=50 hopfield run=1 epoch=50", 1, -130},
    {"same-end-large", "fig4 p=50 hopfield run=2 epoch=50", 1, -130},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=3", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=3", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=5", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=5", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=10", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=10", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=15", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=15", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=25", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=25", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=1 epoch=40", 1, -160},
    {"pca-between", "fig4 p=10 hopfield run=2 epoch=40", 1, -160},
    {"random-slow", "fig4 p=10 normal run=1 epoch=25", 1, -163},
    {"random-slow", "fig4 p=10 normal run=2 epoch=25", 1, -163},
    {"others-sooner", "fig4 p=10 hebbian run=1 epoch=40", 1, -180},
    {"others-sooner", "fig4 p=10 hebbian run=2 epoch=40", 1, -180},
    {"random-moderate", "fig4 p=10 normal run=1 epoch=5", 1, -254},
    {"random-moderate", "fig4 p=10 normal run=2 epoch=5", 1, -254},
    {"mild-training", "fig4 p=10 normal run=1 epoch=15", 1, -170},
    {"mild-training", "fig4 p=10 normal run=2 epoch=15", 1, -170},
    {"untrained-error", "experts k=100 hopfield run=1 epoch=0", 0, 0.052},
    {"hopfield-error", "experts k=100 hopfield run=1 epoch=50", 0, 0.036},
    {"pca-error", "experts k=100 pca run=1 epoch=50", 0, 0.024},
    {"random-error", "experts k=100 normal run=1 epoch=50", 0, 0.056},
    {"training-error", "experts k=100 hopfield run=1 epoch=50", 1, 0.02},
    {"untrained-against-random", "experts k=100 normal run=1 epoch=50", 0, 0.036},
    {"hopfield-first", "experts k=20 pca run=1 epoch=1", 0, 0.04},
    {"pca-then", "experts k=10 pca run=1 epoch=20", 0, 0.06},
    {"hopfield-large", "experts k=100 pca run=1 epoch=1", 0, 0.03},
    {"ten-against-hundred", "experts k=10 hopfield run=1 epoch=50", 0, 0.06},
    {"benefit-at-fixed-size", "experts k=20 normal run=1 epoch=20", 0, 0.03},
    {"more-sub-patterns", "experts k=20 hopfield run=1 epoch=0", 0, 0.08},
    {"more-hidden-units", "experts k=100 normal run=1 epoch=50", 0, 0.07},
    {"beyond-fifty", "experts k=10 pca run=1 epoch=100", 0, 0.03},
    {"hebbian-worse", "experts k=10 hebbian run=1 epoch=100", 0, 0.036},
    /* three stops of eight, and 85 epochs of 100 */
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=20", 0, 0.2},
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=50", 0, 0.2},
    {"hebbian-lags", "experts k=10 hebbian run=1 epoch=100", 0, 0.2},
    {"projection-range", "claims projections", PROJECTION_LARGEST, 1.34},
    {"projection-definition", "claims projections", PROJECTION_FACTOR, 784},
    {"quadratic-forms", "claims projections", PROJECTION_FORMS, 1e-3},
    {"overlap-machine", "claims machines", MACHINE_OVERLAP, 1e-3},
    {"projection-machine", "claims machines", MACHINE_PROJECTION, 1e-3},
    {"three-layers-energy", "claims machines", MACHINE_LAYERS, 1e-3},
    {"three-layers-machine", "claims machines", MACHINE_FAR, -1000},
    {"binarization-start", "claims mapping", MAPPING_RECOVERED, 0.5},
    {"binarization-gradient", "claims gradients", BINARIZE_PRINTED, 4},
    {"nearly-binary", "claims back", BACK_ROOT_MEAN_SQUARE, 0.7},
    {"sufficient-conditions", "claims back", BACK_MET_FIXED, 9},
    {"recall-before", "figD2 xi0 published", 0, 0.70},
    {"recall-after", "figD2 xi10 published", 0, 0.77},
    {"recall-cost", "figD2 xi10 published", 0, 0.7678},
    {"recall-as-printed", "figD2 xi0 attractor", 7, 10000}, /* 73 % then, and none is left */
    {"likelihood-gradient", "claims gradients", SLOPE_PRINTED, 4},
};
enum { N_EDITS = sizeof edits / sizeof edits[0] };

/* Makes the edits of a claim; returns how many there are. */
static inline size_t refute(json_t *pieces, const claim *of) {
    size_t n = 0;
    for (size_t k = 0; k < N_EDITS; k++)
        if (strcmp(edits[k].id, of->id) == 0) {
            set_value(pieces, edits[k].key, edits[k].index, edits[k].value);
            n++;
        }
    return n;
}

#endif
