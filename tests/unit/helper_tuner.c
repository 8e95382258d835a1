/* helper_tuner.c - a small classifier to fine-tune
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_tuner.h"
#include "test.h"

#include <math.h>

#include "helper_experts.h"
#include "rbm/rbm.h"

enum { RBMS = 3 };

isg_classifier *tuner_start(isg_features kind) {
    static const size_t sizes[RBMS] = {4, 3, 17};
    isg_dataset *data = make_classes(1);
    isg_classifier *made = NULL;
    isg_rbm *rbms[RBMS];
    for (size_t k = 0; k < RBMS; k++) {
        assert_ok(isg_rbm_start_normal(&rbms[k], CLASS_UNITS, sizes[k], 2, 0.1, k));
        for (size_t i = 0; i < CLASS_UNITS; i++)
            rbms[k]->b[i] = 0.1 * sin((double)(i + k));
        for (size_t mu = 0; mu < sizes[k]; mu++)
            rbms[k]->c[mu] = 0.3 * cos((double)(mu + k));
    }
    isg_logistic_options options = isg_logistic_defaults();
    options.l2 = 10; /* which leaves something to learn */
    const isg_rbm *const view[RBMS] = {rbms[0], rbms[1], rbms[2]};
    assert_ok(isg_classifier_fit(&made, view, RBMS, kind, data, &options, NULL, NULL));
    for (size_t k = 0; k < RBMS; k++)
        isg_rbm_free(rbms[k]);
    isg_dataset_free(data);
    return made;
}

isg_tune_options tuner_options(void) {
    isg_tune_options options = isg_tune_defaults();
    options.epochs = 3;
    options.batch_size = 20;
    options.seed = 5;
    return options;
}

void make_images(isg_dataset *data) {
    data->info.image_height = 7;
    data->info.image_width = 10;
}

static void assert_same_adam(const isg_adam *a, const isg_adam *b, size_t count) {
    assert_memory_equal(a->values, b->values, count * sizeof(double));
    assert_memory_equal(a->first, b->first, count * sizeof(double));
    assert_memory_equal(a->second, b->second, count * sizeof(double));
}

void assert_same_tuned(const isg_tuner *a, const isg_tuner *b) {
    const isg_logistic *model = a->model->logistic;
    const size_t p = a->model->map.n_hidden;
    assert_true(p == b->model->map.n_hidden && model->n_features == b->model->logistic->n_features);
    assert_same_adam(&a->now.weights, &b->now.weights, a->model->map.n_visible * p);
    assert_same_adam(&a->now.coefficients, &b->now.coefficients,
                     model->n_classes * model->n_features);
    assert_same_adam(&a->now.intercepts, &b->now.intercepts, model->n_classes);
}
