/* test_train_exact.c - the update of contrastive divergence against its exact expectation
 *
 * SPDX-License-Identifier: MIT
 *
 * One sweep takes s to s' with probability T(s' | s), an integral over lambda that a trapezoidal
 * sum finds to rounding: its error falls as exp(-2 pi a / h) with a the distance to the nearest
 * pole. T gives the distribution of s after any number of sweeps, and with the mean of lambda on
 * the way from s to s', what CD-K does to W, b and c on average. The trainer's update over many
 * chains has to agree within its standard error, which is known exactly too.
 */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helper_hopfield.h"
#include "rbm/rbm.h"

enum {
    N = 5,
    P = 2,
    STATES = 1 << N,
    ENTRIES = N * P + N + P, /* of W, b, c */
    ROWS = 3,                /* distinct samples */
    COPIES = 42000           /* of each; a multiple of ROWS */
};

static const double weights[N * P] = {0.5, -0.3, 0.1, 0.6, -0.4, 0.2, 0.7, 0.1, -0.2, -0.5};
static const double visible_field[N] = {0.3, -0.2, 0.1, 0.4, -0.5};
static const double hidden_field[P] = {0.6, -0.35};
static const double beta = 2;
static const uint64_t rows[ROWS] = {0x06, 0x19, 0x1d};

/* ---- exact expectations ---------------------------------------------------------------------------- */

typedef double vector[ENTRIES]; /* one number for every entry of W (N, P), b and c */

typedef struct chain {
    double next[STATES][STATES];           /* T(s' | s) */
    double next_lambda[STATES][STATES][P]; /* the mean of lambda on the way, times T */
    double mean[STATES][P], p[STATES];     /* W^T s + c; p(s) of the model */
    double variance;                       /* of lambda given s */
} chain;

static double spin(uint64_t s, size_t i) {
    return s >> i & 1 ? 1 : -1;
}

/* Adds the part of one lambda, of this weight, to the sweeps that start from s. */
static void add_lambda(chain *out, uint64_t s, const double *lambda, double weight) {
    double up[N];
    for (size_t i = 0; i < N; i++) {
        double x = visible_field[i];
        for (size_t mu = 0; mu < P; mu++)
            x += weights[i * P + mu] * lambda[mu];
        up[i] = 1 / (1 + exp(-2 * beta * x));
    }
    for (uint64_t to = 0; to < STATES; to++) {
        double share = weight;
        for (size_t i = 0; i < N; i++)
            share *= spin(to, i) > 0 ? up[i] : 1 - up[i];
        out->next[s][to] += share;
        for (size_t mu = 0; mu < P; mu++)
            out->next_lambda[s][to][mu] += share * lambda[mu];
    }
}

static isg_rbm *model(void) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_create(&rbm, N, P, beta));
    memcpy(rbm->weights, weights, sizeof weights);
    memcpy(rbm->b, visible_field, sizeof visible_field);
    memcpy(rbm->c, hidden_field, sizeof hidden_field);
    return rbm;
}

/* `variance` is that of lambda: 1 / beta unless the chain is to be a wrong one. */
static chain *make_chain(double variance) {
    const double h = 0.25, reach = 8.5;
    chain *out = calloc(1, sizeof *out);
    assert_non_null(out);
    out->variance = variance;
    for (uint64_t s = 0; s < STATES; s++) {
        for (size_t mu = 0; mu < P; mu++) {
            out->mean[s][mu] = hidden_field[mu];
            for (size_t i = 0; i < N; i++)
                out->mean[s][mu] += spin(s, i) * weights[i * P + mu];
        }
        for (double z = -reach; z <= reach; z += h)
            for (double y = -reach; y <= reach; y += h) {
                const double lambda[P] = {out->mean[s][0] + sqrt(variance) * z,
                                          out->mean[s][1] + sqrt(variance) * y};
                add_lambda(out, s, lambda, h * h * exp(-(z * z + y * y) / 2) / (2 * acos(-1)));
            }
    }
    isg_rbm *rbm = model();
    assert_ok(isg_exact_probabilities(rbm, out->p));
    isg_rbm_free(rbm);
    return out;
}

/* The distribution of s after some sweeps. */
static void run(const chain *t, double *q, size_t sweeps) {
    for (; sweeps > 0; sweeps--) {
        double after[STATES] = {0};
        for (size_t s = 0; s < STATES; s++)
            for (size_t to = 0; to < STATES; to++)
                after[to] += q[s] * t->next[s][to];
        memcpy(q, after, sizeof after);
    }
}

/* Adds `share` of state s with hidden units whose means are `lambda` to the mean of s lambda^T, s
   and lambda. */
static void add_pair(vector out, uint64_t s, const double *lambda, double share) {
    for (size_t i = 0; i < N; i++) {
        for (size_t mu = 0; mu < P; mu++)
            out[i * P + mu] += share * spin(s, i) * lambda[mu];
        out[N * P + i] += share * spin(s, i);
    }
    for (size_t mu = 0; mu < P; mu++)
        out[N * P + N + mu] += share * lambda[mu];
}

/* Squares of the same: s^2 is 1, so only those of lambda count. */
static void add_squares(vector out, const double *lambda, double variance, double share) {
    for (size_t k = 0; k < ENTRIES; k++) {
        const size_t mu = k < N * P ? k % P : k - N * P - N;
        const bool is_b = k >= N * P && k < N * P + N;
        out[k] += share * (is_b ? 1 : lambda[mu] * lambda[mu] + variance);
    }
}

/* The negative phase of CD-K from a distribution q of starts: means, and variances over chains. */
static void expect(const chain *t, const double *q0, size_t sweeps, isg_estimator estimator,
                   vector mean, vector variance) {
    double q[STATES];
    memset(mean, 0, sizeof(vector));
    memset(variance, 0, sizeof(vector));
    memcpy(q, q0, sizeof q);
    if (estimator == ISG_ESTIMATOR_MEAN) {
        run(t, q, sweeps);
        for (uint64_t s = 0; s < STATES; s++) {
            add_pair(mean, s, t->mean[s], q[s]);
            add_squares(variance, t->mean[s], 0, q[s]);
        }
    } else {
        run(t, q, sweeps - 1);
        for (uint64_t s = 0; s < STATES; s++) {
            add_squares(variance, t->mean[s], t->variance, q[s]);
            for (uint64_t to = 0; to < STATES; to++) {
                const double share = q[s] * t->next[s][to];
                const double *sum = t->next_lambda[s][to];
                const double lambda[P] = {sum[0] / t->next[s][to], sum[1] / t->next[s][to]};
                add_pair(mean, to, lambda, share);
            }
        }
    }
    for (size_t k = 0; k < ENTRIES; k++)
        variance[k] -= mean[k] * mean[k];
}

/* What one update with learning rate 1 does on average, and its standard errors: as many chains
   from each row, so that only the variances within these groups count. */
static void expect_update(const chain *t, size_t sweeps, isg_estimator estimator, size_t chains,
                          vector update, vector error) {
    memset(update, 0, sizeof(vector));
    memset(error, 0, sizeof(vector));
    for (size_t a = 0; a < ROWS; a++) {
        double start[STATES] = {0};
        vector mean, variance;
        start[rows[a]] = 1;
        expect(t, start, sweeps, estimator, mean, variance);
        add_pair(update, rows[a], t->mean[rows[a]], 1.0 / ROWS);
        for (size_t k = 0; k < ENTRIES; k++) {
            update[k] -= mean[k] / ROWS;
            error[k] += variance[k] / ROWS / (double)chains;
        }
    }
    for (size_t k = 0; k < ENTRIES; k++)
        error[k] = sqrt(error[k]);
}

static void test_transition_matrix_is_that_of_the_model(void **state) {
    (void)state;
    chain *t = make_chain(1 / beta);
    double q[STATES];
    memcpy(q, t->p, sizeof q);
    run(t, q, 1);
    for (size_t s = 0; s < STATES; s++) {
        double sum = 0, back[P] = {0};
        for (size_t to = 0; to < STATES; to++) {
            sum += t->next[s][to];
            for (size_t mu = 0; mu < P; mu++)
                back[mu] += t->next_lambda[s][to][mu];
        }
        assert_true(fabs(sum - 1) < 1e-12);
        for (size_t mu = 0; mu < P; mu++)
            assert_true(fabs(back[mu] - t->mean[s][mu]) < 1e-12);
        assert_true(fabs(q[s] - t->p[s]) < 1e-12); /* p(s) stays as it is */
    }
    free(t);
}

/* ---- the trainer ----------------------------------------------------------------------------------- */

static isg_dataset *make_data(size_t copies) {
    int8_t *spins = malloc(ROWS * copies * N);
    isg_dataset *data = NULL;
    assert_non_null(spins);
    for (size_t a = 0; a < ROWS * copies; a++)
        for (size_t i = 0; i < N; i++)
            spins[a * N + i] = (int8_t)spin(rows[a % ROWS], i);
    assert_ok(isg_dataset_create(&data, ROWS * copies, N, spins, NULL));
    free(spins);
    return data;
}

static void all_entries(const isg_rbm *rbm, vector out) {
    memcpy(out, rbm->weights, N * P * sizeof *out);
    memcpy(out + N * P, rbm->b, N * sizeof *out);
    memcpy(out + N * P + N, rbm->c, P * sizeof *out);
}

/* So low that later updates see the same model. */
static const isg_rate low_rate = {1e-8, 0};

/* What an epoch of all chains does for learning rate 1. */
static void measure_epoch(size_t sweeps, isg_estimator estimator, bool persistent, size_t batch,
                          vector update, double *wrong) {
    isg_train_options options = isg_train_defaults();
    isg_dataset *data = make_data(COPIES);
    isg_rbm *rbm = model();
    isg_trainer *trainer = NULL;
    isg_epoch_report report;
    vector before;
    options.batch_size = batch;
    options.gibbs_steps = sweeps;
    options.rates = &low_rate;
    options.estimator = estimator;
    options.persistent = persistent;
    options.fields = true;
    options.seed = test_seed(20 + 2 * sweeps + (estimator == ISG_ESTIMATOR_MEAN));
    all_entries(rbm, before);
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, &report, NULL));
    assert_int_equal(report.updates, (ROWS * COPIES - 1) / batch + 1);
    all_entries(rbm, update);
    for (size_t k = 0; k < ENTRIES; k++)
        update[k] = (update[k] - before[k]) / low_rate.rate;
    *wrong = report.reconstruction_error;
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* The largest difference in standard errors. */
static double surprise(const vector found, const vector expected, const vector error) {
    double worst = 0;
    for (size_t k = 0; k < ENTRIES; k++)
        worst = fmax(worst, fabs(found[k] - expected[k]) / error[k]);
    return worst;
}

static void test_update_is_as_expected(void **state) {
    (void)state;
    chain *t = make_chain(1 / beta), *wide = make_chain(1);
    for (size_t sweeps = 1; sweeps <= 5; sweeps += sweeps == 1 ? 1 : 3)
        for (isg_estimator e = ISG_ESTIMATOR_SAMPLED; e <= ISG_ESTIMATOR_MEAN; e++) {
            vector found, expected, error, wrong, ignored;
            double errors;
            measure_epoch(sweeps, e, false, ROWS * COPIES, found, &errors);
            expect_update(t, sweeps, e, ROWS * COPIES, expected, error);
            const double right = surprise(found, expected, error);
            if (!(right < 5))
                fail_msg("K = %zu, estimator %d: off by %g standard errors", sweeps, (int)e, right);
            /* the other estimator; one sweep more; variance 1 for 1 / beta */
            const isg_estimator other = ISG_ESTIMATOR_MEAN - e;
            expect_update(t, sweeps, other, ROWS * COPIES, wrong, ignored);
            assert_true(surprise(found, wrong, error) > 10);
            expect_update(t, sweeps + 1, e, ROWS * COPIES, wrong, ignored);
            assert_true(surprise(found, wrong, error) > 10);
            expect_update(wide, sweeps, e, ROWS * COPIES, wrong, ignored);
            assert_true(surprise(found, wrong, error) > 10);
            for (size_t k = 0; k < ENTRIES; k++) /* a factor beta */
                wrong[k] = beta * expected[k];
            assert_true(surprise(found, wrong, error) > 10);
            memcpy(wrong, expected, sizeof wrong); /* c dropped in the positive phase */
            for (size_t a = 0; a < ROWS; a++) {
                vector part = {0};
                add_pair(part, rows[a], hidden_field, 1.0 / ROWS);
                for (size_t k = 0; k < N * P; k++)
                    wrong[k] -= part[k];
            }
            assert_true(surprise(found, wrong, error) > 10);
        }
    free(t);
    free(wide);
}

/* A full batch and half a batch make one and a half updates, in which all samples weigh the same; two
   updates if the short one took a full step. */
static void test_short_batch_takes_a_short_step(void **state) {
    (void)state;
    chain *t = make_chain(1 / beta);
    vector found, expected, error, scaled;
    double ignored;
    measure_epoch(2, ISG_ESTIMATOR_SAMPLED, false, ROWS * COPIES / 3 * 2, found, &ignored);
    expect_update(t, 2, ISG_ESTIMATOR_SAMPLED, ROWS * COPIES, expected, error);
    for (size_t k = 0; k < ENTRIES; k++)
        scaled[k] = found[k] / 1.5;
    assert_true(surprise(scaled, expected, error) < 5);
    for (size_t k = 0; k < ENTRIES; k++)
        scaled[k] = found[k] / 2;
    assert_true(surprise(scaled, expected, error) > 10);
    free(t);
}

/* Spins changed by one sweep from the data, with and without persistent chains. */
static void test_reconstruction_error(void **state) {
    (void)state;
    chain *t = make_chain(1 / beta);
    vector ignored;
    double expected = 0, square = 0, after_two = 0;
    for (size_t a = 0; a < ROWS; a++) {
        double mean = 0, mean_square = 0;
        for (uint64_t to = 0; to < STATES; to++) {
            const double wrong = __builtin_popcountll(to ^ rows[a]) / (double)N;
            mean += t->next[rows[a]][to] * wrong;
            mean_square += t->next[rows[a]][to] * wrong * wrong;
        }
        expected += mean / ROWS;
        square += (mean_square - mean * mean) / ROWS;
    }
    const double error = sqrt(square / (ROWS * COPIES));
    for (size_t a = 0; a < ROWS; a++) { /* the twin counts after the second sweep */
        double q[STATES] = {0};
        q[rows[a]] = 1;
        run(t, q, 2);
        for (uint64_t to = 0; to < STATES; to++)
            after_two += q[to] * __builtin_popcountll(to ^ rows[a]) / (double)N / ROWS;
    }
    for (int persistent = 0; persistent < 2; persistent++) {
        double found = 0;
        measure_epoch(3, ISG_ESTIMATOR_MEAN, persistent, ROWS * COPIES, ignored, &found);
        assert_true(fabs(found - expected) < 5 * error);
        assert_true(fabs(found - after_two) > 10 * error);
    }
    free(t);
}

/* More persistent chains than samples: the first update has a rate so small that the second
   continues with the same model, 2 K sweeps from the data. */
static void test_persistent_chains_go_on(void **state) {
    (void)state;
    const isg_rate rates[] = {{1e-14, 0}, {1, 1}};
    chain *t = make_chain(1 / beta);
    for (isg_estimator e = ISG_ESTIMATOR_SAMPLED; e <= ISG_ESTIMATOR_MEAN; e++) {
        isg_train_options options = isg_train_defaults();
        isg_dataset *data = make_data(1);
        isg_rbm *rbm = model();
        isg_trainer *trainer = NULL;
        isg_epoch_report report;
        vector before, found, expected, error, wrong, ignored;
        options.batch_size = ROWS * COPIES;
        options.gibbs_steps = 1;
        options.rates = rates;
        options.n_rates = 2;
        options.estimator = e;
        options.persistent = options.fields = true;
        options.seed = test_seed(40 + (uint64_t)e);
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
        all_entries(rbm, before);
        assert_ok(isg_trainer_epoch(trainer, &report, NULL));
        assert_true(report.rate == 1 && report.epoch == 2 && report.updates == 2);
        assert_true(report.reconstruction_error >= 0 && report.reconstruction_error <= 1);
        all_entries(rbm, found);
        for (size_t k = 0; k < ENTRIES; k++)
            found[k] -= before[k];
        expect_update(t, 2, e, ROWS * COPIES, expected, error);
        const double right = surprise(found, expected, error);
        if (!(right < 5))
            fail_msg("estimator %d: off by %g standard errors", (int)e, right);
        expect_update(t, 1, e, ROWS * COPIES, wrong, ignored); /* started from the data again */
        assert_true(surprise(found, wrong, error) > 10);
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
        isg_dataset_free(data);
    }
    free(t);
}

/* ---- what the update tends to ---------------------------------------------------------------------- */

static double largest_difference(const vector a, const vector b) {
    double largest = 0;
    for (size_t k = 0; k < ENTRIES; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

/* <s_a lambda_a^T> - <s lambda^T> of the model, and so on: the gradient of L up to the factor
   beta. */
static void likelihood_gradient(const chain *t, vector out) {
    memset(out, 0, sizeof(vector));
    for (size_t a = 0; a < ROWS; a++)
        add_pair(out, rows[a], t->mean[rows[a]], 1.0 / ROWS);
    for (uint64_t s = 0; s < STATES; s++)
        add_pair(out, s, t->mean[s], -t->p[s]);
}

static void test_estimators_meet_at_the_gradient(void **state) {
    (void)state;
    chain *t = make_chain(1 / beta);
    vector gradient, sampled, mean, ignored;
    likelihood_gradient(t, gradient);
    double last_gap = HUGE_VAL, last_bias = HUGE_VAL;
    for (size_t sweeps = 1; sweeps <= 64; sweeps *= 4) {
        expect_update(t, sweeps, ISG_ESTIMATOR_SAMPLED, 1, sampled, ignored);
        expect_update(t, sweeps, ISG_ESTIMATOR_MEAN, 1, mean, ignored);
        const double gap = largest_difference(sampled, mean);
        const double bias = largest_difference(mean, gradient);
        if (sweeps == 1)
            assert_true(gap > 0.5 && bias > 0.5);
        if (sweeps == 64)
            assert_true(gap < 1e-11 && bias < 1e-11);
        else /* the mean is half a sweep ahead */
            assert_true(bias < largest_difference(sampled, gradient));
        assert_true(gap < 0.3 * last_gap && bias < 0.3 * last_bias);
        last_gap = gap;
        last_bias = bias;
    }
    free(t);
}

/* L of the rows, from the library's exact sums. */
static double likelihood(const isg_rbm *rbm) {
    double log_z = 0, sum = 0;
    assert_ok(isg_exact_enumerate(rbm, &log_z, NULL));
    for (size_t a = 0; a < ROWS; a++) {
        double energy = 0;
        assert_ok(isg_rbm_spin_energy(rbm, &rows[a], &energy));
        sum -= beta * energy + log_z;
    }
    return sum / ROWS;
}

static void test_gradient_is_that_of_the_likelihood(void **state) {
    (void)state;
    const double h = 1e-4;
    chain *t = make_chain(1 / beta);
    isg_rbm *rbm = model();
    vector gradient;
    likelihood_gradient(t, gradient);
    for (size_t k = 0; k < ENTRIES; k++) {
        double *entry = k < N * P       ? rbm->weights + k
                        : k < N * P + N ? rbm->b + (k - N * P)
                                        : rbm->c + (k - N * P - N);
        const double at = *entry;
        double difference = 0; /* of fourth order in h */
        const double steps[] = {-2, -1, 1, 2}, shares[] = {1, -8, 8, -1};
        for (size_t j = 0; j < 4; j++) {
            *entry = at + steps[j] * h;
            difference += shares[j] * likelihood(rbm) / (12 * h);
        }
        *entry = at;
        assert_true(fabs(difference - beta * gradient[k]) < 1e-10);
        assert_true(fabs(difference - gradient[k]) > 1e-3); /* without the factor beta */
    }
    isg_rbm_free(rbm);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transition_matrix_is_that_of_the_model),
        cmocka_unit_test(test_update_is_as_expected),
        cmocka_unit_test(test_short_batch_takes_a_short_step),
        cmocka_unit_test(test_reconstruction_error),
        cmocka_unit_test(test_persistent_chains_go_on),
        cmocka_unit_test(test_estimators_meet_at_the_gradient),
        cmocka_unit_test(test_gradient_is_that_of_the_likelihood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
