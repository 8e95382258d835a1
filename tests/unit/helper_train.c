/* helper_train.c - small trainings
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rbm/rbm.h"
#include "test.h"

static const isg_rate rates[] = {{0.02, 0}, {0.005, 1}};

isg_dataset *make_data(size_t n_samples) {
    int8_t *spins = malloc(n_samples * N);
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0));
    assert_non_null(spins);
    for (size_t k = 0; k < n_samples * N; k++)
        spins[k] = isg_next_below(&random, 3) ? 1 : -1;
    assert_ok(isg_dataset_create(&data, n_samples, N, spins, NULL));
    free(spins);
    return data;
}

isg_rbm *make_rbm(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 1.5, 0.2, 7));
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = 0.1 * sin((double)i);
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = 0.2 * cos((double)mu);
    return rbm;
}

isg_train_options small_options(void) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = BATCH;
    options.gibbs_steps = SWEEPS;
    options.rates = rates;
    options.n_rates = 2;
    return options;
}

void take(result *out, const isg_rbm *rbm) {
    memset(out, 0, sizeof *out);
    memcpy(out->weights, rbm->weights, sizeof out->weights);
    memcpy(out->b, rbm->b, sizeof out->b);
    memcpy(out->c, rbm->c, sizeof out->c);
}

void train(result *out, const isg_dataset *data, const isg_train_options *options, size_t epochs) {
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    isg_epoch_report report = {0};
    assert_ok(isg_trainer_create(&trainer, rbm, data, options));
    for (size_t k = 0; k < epochs; k++)
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
    take(out, rbm);
    out->report = report;
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
}

isg_train_options kind_of_training(size_t kind) {
    isg_train_options options = small_options();
    options.estimator = kind & 1 ? ISG_ESTIMATOR_MEAN : ISG_ESTIMATOR_SAMPLED;
    options.persistent = kind >> 1 & 1;
    options.fields = kind >> 2 & 1;
    options.shuffle = kind >> 3 & 1;
    return options;
}
