/* helper_deep.c - small deep models, and what they mean by their definition
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_deep.h"

#include <math.h>

#include "base/elementary.h"
#include "base/rng.h"
#include "test.h"

static isg_cursor random_of(uint64_t number) {
    return isg_cursor_at(isg_stream_at(number, ISG_PURPOSE_TEST, 22, 0));
}

isg_rbm *deep_rbm(double beta, double strength) {
    isg_rbm *rbm = NULL;
    isg_cursor random = random_of(1);
    assert_ok(isg_rbm_create(&rbm, DEEP_UNITS, DEEP_HIDDEN, beta));
    for (size_t k = 0; k < DEEP_UNITS * DEEP_HIDDEN; k++)
        rbm->weights[k] = strength * isg_next_normal(&random);
    for (size_t i = 0; i < DEEP_UNITS; i++)
        rbm->b[i] = 0.2 * isg_next_normal(&random);
    for (size_t mu = 0; mu < DEEP_HIDDEN; mu++)
        rbm->c[mu] = 0.5 * isg_next_normal(&random);
    return rbm;
}

isg_dataset *deep_data(void) {
    int8_t spins[DEEP_SAMPLES * DEEP_UNITS];
    int64_t labels[DEEP_SAMPLES];
    isg_dataset *data = NULL;
    isg_cursor random = random_of(2);
    for (size_t a = 0; a < DEEP_SAMPLES; a++) {
        labels[a] = (int64_t)(a % 7 % DEEP_CLASSES); /* not all alike in number */
        for (size_t i = 0; i < DEEP_UNITS; i++) {
            const bool up = labels[a] == 0 ? i < 3 : labels[a] == 1 ? i % 2 == 0 : i > 1;
            spins[a * DEEP_UNITS + i] = up != (isg_next_uniform(&random) < 0.2) ? 1 : -1;
        }
    }
    assert_ok(isg_dataset_create(&data, DEEP_SAMPLES, DEEP_UNITS, spins, labels));
    return data;
}

isg_deep_model *deep_fit(const isg_rbm *rbm, const isg_dataset *data, double shrinkage) {
    return deep_fit_parts(rbm, data, shrinkage, 1);
}

isg_deep_model *deep_fit_parts(const isg_rbm *rbm, const isg_dataset *data, double shrinkage,
                               size_t parts) {
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    const double beta = isg_rbm_describe(rbm).beta;
    options.betas = &beta;
    options.shrinkages = &shrinkage;
    options.n_betas = options.n_shrinkages = 1;
    options.parts = parts;
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    return model;
}

isg_dataset *deep_states(size_t n_visible) {
    static int8_t spins[1024 * 10];
    isg_dataset *data = NULL;
    for (size_t s = 0; s < (size_t)1 << n_visible; s++)
        for (size_t i = 0; i < n_visible; i++)
            spins[s * n_visible + i] = s >> i & 1 ? 1 : -1;
    assert_ok(isg_dataset_create(&data, (size_t)1 << n_visible, n_visible, spins, NULL));
    return data;
}

double deep_log_normal(const double lambda[2], const double mean[2], const double covariance[4],
                       double plus) {
    const double a = covariance[0] + plus, b = covariance[1], d = covariance[3] + plus;
    const double x = lambda[0] - mean[0], y = lambda[1] - mean[1], det = a * d - b * b;
    return -(d * x * x - 2 * b * x * y + a * y * y) / (2 * det) - log(det) / 2 - log(2 * ISG_PI);
}

double deep_log_spins(isg_rbm *rbm, const uint64_t *spins, const double *lambda) {
    double sum = 0;
    for (size_t i = 0; i < rbm->info.n_visible; i++) {
        double x = rbm->b[i];
        for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
            x += rbm->weights[i * rbm->info.n_hidden + mu] * lambda[mu];
        sum -= log1p(exp(-2 * rbm->info.beta * isg_spin(spins, i) * x));
    }
    return sum;
}

double deep_integral(deep_function *f, const void *user) {
    const double step = 0.12;
    double sum = 0;
    for (int i = -150; i <= 150; i++)
        for (int j = -150; j <= 150; j++)
            sum += f((const double[]){i * step, j * step}, user);
    return sum * step * step;
}

typedef struct state {
    const isg_deep_model *model;
    const uint64_t *spins;
} state;

static double joint_density(const double lambda[2], const void *user) {
    const state *my = user;
    double sum = 0;
    for (size_t k = 0; k < my->model->n_parts; k++)
        sum += my->model->shares[k] *
               exp(deep_log_normal(lambda, my->model->means + 2 * k, my->model->covariances + 4 * k,
                                   1 / my->model->rbm->info.beta));
    return sum * exp(deep_log_spins(my->model->rbm, my->spins, lambda));
}

double deep_log_p(const isg_deep_model *model, const uint64_t *spins) {
    return log(deep_integral(joint_density, &(state){model, spins}));
}

isg_dataset *deep_few(const isg_dataset *data) {
    size_t rows[DEEP_FEW];
    isg_dataset *few = NULL;
    for (size_t a = 0; a < DEEP_FEW; a++)
        rows[a] = 8 * a;
    assert_ok(isg_dataset_select(&few, data, rows, DEEP_FEW));
    return few;
}
