/* test_learn_beta.c - the gradient of the likelihood in beta, by enumeration
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rbm/rbm.h"
#include "train/train.h"

enum { N = 5, P = 3, STATES = 1 << N, ROWS = 3, CHAINS = 30000 };

static const uint64_t rows[ROWS] = {0x06, 0x19, 0x1d};

static isg_rbm *model(double beta) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, N, P, beta, 0.5, 4));
    for (size_t i = 0; i < N; i++)
        rbm->b[i] = 0.4 * sin((double)i + 1);
    for (size_t mu = 0; mu < P; mu++)
        rbm->c[mu] = 0.3 * cos((double)mu);
    return rbm;
}

static isg_dataset *make_data(const uint64_t *states, size_t n_states, size_t count) {
    int8_t *spins = malloc(count * N);
    isg_dataset *data = NULL;
    for (size_t k = 0; k < count * N; k++)
        spins[k] = states[k / N % n_states] >> k % N & 1 ? 1 : -1;
    assert_ok(isg_dataset_create(&data, count, N, spins, NULL));
    free(spins);
    return data;
}

/* The mean of ln p(s) over the rows, at any beta. */
static double likelihood(double beta) {
    isg_rbm *rbm = model(beta);
    double p[STATES], sum = 0;
    assert_ok(isg_exact_probabilities(rbm, p));
    for (size_t a = 0; a < ROWS; a++)
        sum += log(p[rows[a]]) / ROWS;
    isg_rbm_free(rbm);
    return sum;
}

static double slope(double beta) {
    const double h = 1e-5;
    return (likelihood(beta + h) - likelihood(beta - h)) / (2 * h);
}

static isg_train_options options_for(size_t batch, size_t sweeps, const isg_rate *rate) {
    isg_train_options options = isg_train_defaults();
    options.batch_size = batch;
    options.gibbs_steps = sweeps;
    options.rates = rate;
    options.learn_beta = true;
    return options;
}

/* The gradient that one sample of data and one state of a chain tell: after an update in which nothing
   moves, with the chain's state replaced by hand. */
static double told_by(isg_trainer *trainer, uint64_t chain, const double *field_of_data) {
    const isg_gibbs_weights *w = &trainer->weights;
    trainer->batch.spins[0] = chain;
    isg_states_set_input(&trainer->batch, w);
    for (size_t i = 0; i < N; i++)
        trainer->field_sums[i] = field_of_data[i] - isg_spin(&chain, i);
    return isg_beta_gradient(trainer, &trainer->batch, trainer->rbm->b);
}

/* The gradient is linear in the data and in the chains, so that the mean over the rows and over p(s)
   is the slope of L. */
static void test_gradient_is_the_slope_of_the_likelihood(void **state) {
    (void)state;
    const isg_rate rate = {1e-12, 0};
    for (double beta = 0.3; beta < 5; beta *= 2) {
        const isg_train_options options = options_for(1, 1, &rate);
        double p[STATES], mean = 0;
        for (size_t a = 0; a < ROWS; a++) {
            isg_dataset *data = make_data(rows + a, 1, 1);
            isg_rbm *rbm = model(beta);
            isg_trainer *trainer = NULL;
            double field[N];
            assert_ok(isg_exact_probabilities(rbm, p));
            assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
            assert_ok(isg_trainer_update(trainer)); /* takes up the data */
            for (size_t i = 0; i < N; i++)
                field[i] = isg_spin(rows + a, i);
            for (uint64_t s = 0; s < STATES; s++)
                mean += p[s] * told_by(trainer, s, field) / ROWS;
            isg_trainer_free(trainer);
            isg_rbm_free(rbm);
            isg_dataset_free(data);
        }
        assert_true(fabs(mean - slope(beta)) < 1e-5 * (1 + fabs(mean)));
    }
}

/* Where beta goes in one update of many long chains. */
static double step_of(double beta, isg_estimator estimator, bool persistent, double *error) {
    const isg_rate rate = {1e-7, 0};
    isg_train_options options = options_for(CHAINS, 40, &rate);
    isg_dataset *data = make_data(rows, ROWS, CHAINS);
    isg_rbm *rbm = model(beta);
    isg_trainer *trainer = NULL;
    double p[STATES], mean = 0, square = 0;
    options.estimator = estimator;
    options.persistent = persistent;
    assert_ok(isg_exact_probabilities(rbm, p));
    for (uint64_t s = 0; s < STATES; s++) {
        double energy = 0;
        assert_ok(isg_rbm_spin_energy(rbm, &s, &energy));
        mean += p[s] * energy;
        square += p[s] * energy * energy;
    }
    *error = sqrt((square - mean * mean) / CHAINS);
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_update(trainer));
    const double out = (rbm->info.beta - beta) / rate.rate;
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
    return out;
}

static void test_update_follows_the_slope(void **state) {
    (void)state;
    for (size_t kind = 0; kind < 4; kind++) {
        double error = 0;
        const double beta = 0.8, expected = slope(beta);
        const double found =
            step_of(beta, kind & 1 ? ISG_ESTIMATOR_MEAN : ISG_ESTIMATOR_SAMPLED, kind >> 1, &error);
        assert_true(fabs(found - expected) < 5 * error);
        assert_true(fabs(expected) > 20 * error);
    }
}

/* Beta alone, by small steps from far away, comes back to that of the model which the data are of. */
static void test_finds_the_beta_of_the_data(void **state) {
    (void)state;
    const double true_beta = 1.3;
    const isg_rate rate = {0.1, 0};
    enum { SAMPLES = 2000, UPDATES = 400 };
    const isg_train_options options = options_for(SAMPLES, 30, &rate);
    isg_rbm *truth = model(true_beta), *rbm = model(0.3);
    isg_trainer *trainer = NULL;
    double p[STATES], weights[N * P], mean = 0;
    uint64_t states[SAMPLES];
    assert_ok(isg_exact_probabilities(truth, p));
    double sum = p[0];
    for (size_t k = 0, s = 0; k < SAMPLES; k++) { /* each as often as its p(s) says */
        while (sum < ((double)k + 0.5) / SAMPLES && s + 1 < STATES)
            sum += p[++s];
        states[k] = s;
    }
    isg_dataset *data = make_data(states, SAMPLES, SAMPLES);
    memcpy(weights, rbm->weights, sizeof weights);
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    for (size_t k = 0; k < UPDATES; k++) {
        assert_ok(isg_trainer_update(trainer));
        memcpy(rbm->weights, weights, sizeof weights); /* only beta may move */
        assert_ok(isg_trainer_pack(trainer));
        mean += k >= UPDATES / 2 ? rbm->info.beta / (UPDATES - UPDATES / 2) : 0;
    }
    if (!(fabs(mean - true_beta) < 0.03))
        fail_msg("beta %g, expected %g", mean, true_beta);
    for (size_t i = 0; i < N; i++) /* fields were not asked for */
        assert_true(rbm->b[i] == truth->b[i]);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_rbm_free(truth);
    isg_dataset_free(data);
}

static void test_steps_are_short(void **state) {
    (void)state;
    assert_true(isg_beta_after(2, 0.1) == 2.1);
    assert_true(fabs(isg_beta_after(2, 1e9) - 2.2) < 1e-12);
    assert_true(fabs(isg_beta_after(2, -1e9) - 1.8) < 1e-12);
    assert_true(isg_beta_after(2, (double)NAN) == 2);
    assert_true(isg_beta_after(ISG_LEAST_BETA, -1) == ISG_LEAST_BETA);
    assert_true(isg_beta_after(ISG_MOST_BETA, (double)INFINITY) == ISG_MOST_BETA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient_is_the_slope_of_the_likelihood),
        cmocka_unit_test(test_update_follows_the_slope),
        slow_unit_test(test_finds_the_beta_of_the_data),
        cmocka_unit_test(test_steps_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
