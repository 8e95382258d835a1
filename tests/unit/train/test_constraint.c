/* test_constraint.c - training that keeps W orthonormal, or in the span of patterns
 *
 * SPDX-License-Identifier: MIT
 *
 * The constrained update is compared with that of a free trainer, which has the same random numbers; on
 * a model that can be enumerated, with the gradient on the manifold.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_train.h"
#include "isinglass/mapping.h"
#include "linalg/linalg.h"
#include "train/train.h"

/* The largest entry of W^T W - 1, in long double. */
static double defect(const double *w, size_t n, size_t p) {
    long double largest = 0;
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++) {
            long double sum = mu == nu ? -1 : 0;
            for (size_t i = 0; i < n; i++)
                sum += (long double)w[i * p + mu] * (long double)w[i * p + nu];
            largest = fmaxl(largest, fabsl(sum));
        }
    return (double)largest;
}

static double largest_difference(const double *a, const double *b, size_t count) {
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

/* ---- orthonormal columns -------------------------------------------------------------------------- */

static void test_every_update_is_orthonormal(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = make_rbm(); /* which is not */
        isg_trainer *trainer = NULL;
        options.constraint = ISG_CONSTRAINT_STIEFEL;
        options.learn_beta = kind % 3 == 0;
        assert_true(defect(rbm->weights, N, P) > 0.1);
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        assert_true(defect(rbm->weights, N, P) < 1e-12);
        for (size_t k = 0; k < 20; k++) {
            assert_ok(isg_trainer_update(trainer));
            assert_true(defect(rbm->weights, N, P) < 1e-12);
        }
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
    }
    isg_dataset_free(data);
}

/* W after one update, from orthonormal weights or, with patterns, those of their network. */
static void after_one(double *out, const isg_rbm *start, isg_constraint constraint, double rate) {
    const isg_rate rates[] = {{rate, 0}};
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    options.rates = rates;
    options.n_rates = 1;
    options.constraint = constraint;
    assert_ok(isg_rbm_copy(&rbm, start));
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_update(trainer));
    memcpy(out, rbm->weights, rbm->info.n_visible * rbm->info.n_hidden * sizeof *out);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

/* d - w sym(w^T d): what is tangent to the orthonormal matrices at w. */
static void make_tangent(double *d, const double *w, size_t n, size_t p) {
    double *inner = calloc(p * p, sizeof *inner);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            for (size_t nu = 0; nu < p; nu++)
                inner[mu * p + nu] +=
                    (w[i * p + mu] * d[i * p + nu] + w[i * p + nu] * d[i * p + mu]) / 2;
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            for (size_t nu = 0; nu < p; nu++)
                d[i * p + mu] -= w[i * p + nu] * inner[nu * p + mu];
    free(inner);
}

static void test_step_is_the_tangent_part(void **state) {
    (void)state;
    isg_rbm *rough = make_rbm(), *start = NULL;
    double free_w[N * P], kept[N * P];
    assert_ok(isg_rbm_orthonormalize(&start, rough));
    const double *w = start->weights;
    for (double rate = 1e-2; rate > 1e-5; rate /= 10) {
        after_one(free_w, start, ISG_CONSTRAINT_NONE, rate);
        after_one(kept, start, ISG_CONSTRAINT_STIEFEL, rate);
        double size = 0, error = 0;
        for (size_t k = 0; k < N * P; k++)
            free_w[k] -= w[k];
        make_tangent(free_w, w, N, P);
        for (size_t k = 0; k < N * P; k++) {
            size = fmax(size, fabs(free_w[k]));
            error = fmax(error, fabs(kept[k] - w[k] - free_w[k]));
        }
        assert_true(size > rate / 100);
        assert_true(error < 30 * rate * rate); /* of second order */
    }
    isg_rbm_free(rough);
    isg_rbm_free(start);
}

static void test_step_ends_at_the_polar_factor(void **state) {
    (void)state;
    isg_rbm *rough = make_rbm(), *start = NULL, *freed = NULL, *expected = NULL;
    double kept[N * P];
    assert_ok(isg_rbm_orthonormalize(&start, rough));
    assert_ok(isg_rbm_copy(&freed, start));
    after_one(freed->weights, start, ISG_CONSTRAINT_NONE, 0.05);
    after_one(kept, start, ISG_CONSTRAINT_STIEFEL, 0.05);
    assert_ok(isg_rbm_orthonormalize(&expected, freed)); /* by singular values */
    assert_true(largest_difference(kept, freed->weights, N * P) > 1e-3);
    assert_true(largest_difference(kept, expected->weights, N * P) < 1e-12);
    isg_rbm_free(rough);
    isg_rbm_free(start);
    isg_rbm_free(freed);
    isg_rbm_free(expected);
}

/* ---- the gradient on the manifold, by enumeration ----------------------------------------------------- */

enum { UNITS = 7, HIDDEN = 2, STATES = 1 << UNITS, ROWS = 3, CHAINS = 30000 };

static const uint64_t rows[ROWS] = {0x13, 0x5d, 0x2e};

static double spin(uint64_t s, size_t i) {
    return s >> i & 1 ? 1 : -1;
}

/* L = mean over the rows of ln p(s). */
static double likelihood(const isg_rbm *rbm) {
    double p[STATES], sum = 0;
    assert_ok(isg_exact_probabilities(rbm, p));
    for (size_t a = 0; a < ROWS; a++)
        sum += log(p[rows[a]]) / ROWS;
    return sum;
}

/* (1 / beta) dL / dW = <s lambda^T> - <s lambda^T>_model with lambda = W^T s. */
static void exact_gradient(const isg_rbm *rbm, double *out) {
    double p[STATES];
    assert_ok(isg_exact_probabilities(rbm, p));
    memset(out, 0, UNITS * HIDDEN * sizeof *out);
    for (uint64_t s = 0; s < STATES; s++) {
        double weight = -p[s], lambda[HIDDEN];
        for (size_t a = 0; a < ROWS; a++)
            weight += rows[a] == s ? 1.0 / ROWS : 0;
        isg_rbm_hidden_input(rbm, &s, lambda);
        for (size_t k = 0; k < UNITS * HIDDEN; k++)
            out[k] += weight * spin(s, k / HIDDEN) * lambda[k % HIDDEN];
    }
}

static isg_rbm *small_model(void) {
    isg_rbm *rough = NULL, *out = NULL;
    assert_ok(isg_rbm_start_normal(&rough, UNITS, HIDDEN, 0.9, 1, 3));
    assert_ok(isg_rbm_orthonormalize(&out, rough));
    isg_rbm_free(rough);
    return out;
}

/* L at the polar factor of W + t D. */
static double likelihood_at(const isg_rbm *rbm, const double *d, double t) {
    isg_rbm *moved = NULL, *kept = NULL;
    assert_ok(isg_rbm_copy(&moved, rbm));
    for (size_t k = 0; k < UNITS * HIDDEN; k++)
        moved->weights[k] += t * d[k];
    assert_ok(isg_rbm_orthonormalize(&kept, moved));
    const double out = likelihood(kept);
    isg_rbm_free(moved);
    isg_rbm_free(kept);
    return out;
}

/* Along every direction D, L changes by the product of D with the tangent part of the gradient, and
   along the gradient itself by the square of that part. */
static void test_gradient_is_that_of_finite_differences(void **state) {
    (void)state;
    const double t = 1e-4;
    isg_rbm *rbm = small_model();
    double gradient[UNITS * HIDDEN], direction[UNITS * HIDDEN];
    exact_gradient(rbm, gradient);
    make_tangent(gradient, rbm->weights, UNITS, HIDDEN);
    for (size_t k = 0; k < UNITS * HIDDEN; k++) {
        memset(direction, 0, sizeof direction);
        direction[k] = 1;
        const double found =
            (likelihood_at(rbm, direction, t) - likelihood_at(rbm, direction, -t)) / (2 * t);
        assert_true(fabs(found - rbm->info.beta * gradient[k]) < 1e-6);
    }
    isg_rbm_free(rbm);
}

/* Chains long enough to forget the data tell that gradient up to their noise. */
static void test_update_follows_the_gradient(void **state) {
    (void)state;
    const isg_rate rates[] = {{1e-6, 0}};
    isg_rbm *rbm = small_model();
    int8_t *spins = malloc(CHAINS * UNITS);
    double gradient[UNITS * HIDDEN], before[UNITS * HIDDEN];
    isg_dataset *data = NULL;
    isg_trainer *trainer = NULL;
    isg_train_options options = isg_train_defaults();
    for (size_t k = 0; k < CHAINS * UNITS; k++)
        spins[k] = (int8_t)spin(rows[k / UNITS % ROWS], k % UNITS);
    assert_ok(isg_dataset_create(&data, CHAINS, UNITS, spins, NULL));
    options.batch_size = CHAINS;
    options.gibbs_steps = 60;
    options.rates = rates;
    options.estimator = ISG_ESTIMATOR_MEAN;
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    exact_gradient(rbm, gradient);
    make_tangent(gradient, rbm->weights, UNITS, HIDDEN);
    memcpy(before, rbm->weights, sizeof before);
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_update(trainer));
    double largest = 0;
    for (size_t k = 0; k < UNITS * HIDDEN; k++) {
        const double found = (rbm->weights[k] - before[k]) / rates->rate;
        /* |s lambda| is at most sqrt(7) */
        assert_true(fabs(found - gradient[k]) < 6 * sqrt(UNITS / (double)CHAINS));
        largest = fmax(largest, fabs(gradient[k]));
    }
    assert_true(largest > 20 * sqrt(UNITS / (double)CHAINS));
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
    free(spins);
}

/* ---- the span of patterns --------------------------------------------------------------------------- */

enum { PATTERNS = 4 };

/* The columns of w (N, hidden) projected on the patterns: xi x with A x = xi^T w, by elimination. */
static void project_by_elimination(const isg_patterns *patterns, const double *w, size_t hidden,
                                   double *out) {
    long double a[PATTERNS][PATTERNS + 1];
    for (size_t column = 0; column < hidden; column++) {
        for (size_t mu = 0; mu < PATTERNS; mu++) {
            for (size_t nu = 0; nu < PATTERNS; nu++)
                a[mu][nu] = (long double)isg_patterns_overlap(patterns, mu, nu) * N;
            a[mu][PATTERNS] = 0;
            for (size_t i = 0; i < N; i++)
                a[mu][PATTERNS] += isg_spin(isg_patterns_row(patterns, mu), i) *
                                   (long double)w[i * hidden + column];
        }
        for (size_t k = 0; k < PATTERNS; k++)
            for (size_t row = 0; row < PATTERNS; row++) {
                const long double factor = row == k ? 0 : a[row][k] / a[k][k];
                for (size_t l = k; l <= PATTERNS; l++)
                    a[row][l] -= factor * a[k][l];
            }
        for (size_t i = 0; i < N; i++) {
            long double sum = 0;
            for (size_t k = 0; k < PATTERNS; k++)
                sum += isg_spin(isg_patterns_row(patterns, k), i) * a[k][PATTERNS] / a[k][k];
            out[i * hidden + column] = (double)sum;
        }
    }
}

static isg_rbm *network_of_patterns(void) {
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    assert_ok(isg_patterns_random(&patterns, N, PATTERNS, 5));
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    isg_patterns_free(patterns);
    return rbm;
}

static void test_stays_in_the_span(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    for (size_t kind = 0; kind < KINDS; kind++) {
        isg_train_options options = kind_of_training(kind);
        isg_rbm *rbm = network_of_patterns(), *start = network_of_patterns();
        isg_trainer *trainer = NULL;
        double expected[N * PATTERNS];
        options.constraint = ISG_CONSTRAINT_SPAN;
        assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
        for (size_t k = 0; k < 20; k++) {
            assert_ok(isg_trainer_update(trainer));
            project_by_elimination(isg_rbm_patterns(rbm), rbm->weights, PATTERNS, expected);
            assert_true(largest_difference(rbm->weights, expected, N * PATTERNS) < 1e-12);
        }
        assert_true(largest_difference(rbm->weights, start->weights, N * PATTERNS) > 1e-3);
        isg_trainer_free(trainer);
        isg_rbm_free(rbm);
        isg_rbm_free(start);
    }
    isg_dataset_free(data);
}

static void test_step_in_the_span_is_a_projection(void **state) {
    (void)state;
    isg_rbm *start = network_of_patterns();
    double free_w[N * PATTERNS], kept[N * PATTERNS], expected[N * PATTERNS];
    after_one(free_w, start, ISG_CONSTRAINT_NONE, 0.05);
    after_one(kept, start, ISG_CONSTRAINT_SPAN, 0.05);
    project_by_elimination(isg_rbm_patterns(start), free_w, PATTERNS, expected);
    assert_true(largest_difference(kept, free_w, N * PATTERNS) > 1e-3);
    assert_true(largest_difference(kept, expected, N * PATTERNS) < 1e-12);
    isg_rbm_free(start);
}

/* ---- what cannot be kept ------------------------------------------------------------------------------ */

static void refuse(isg_rbm *rbm, const isg_dataset *data, isg_constraint constraint,
                   isg_status status, const char *part) {
    const size_t count = rbm->info.n_visible * rbm->info.n_hidden;
    isg_train_options options = small_options();
    isg_trainer *trainer = NULL;
    double *before = malloc(count * sizeof *before);
    memcpy(before, rbm->weights, count * sizeof *before);
    options.constraint = constraint;
    assert_fails(isg_trainer_create(&trainer, rbm, data, &options), status, part);
    assert_null(trainer);
    assert_memory_equal(rbm->weights, before, count * sizeof *before);
    isg_rbm_free(rbm);
    free(before);
}

static void test_refuses(void **state) {
    (void)state;
    isg_dataset *data = make_data(SAMPLES);
    isg_rbm *wide = NULL, *twins = make_rbm();
    assert_ok(isg_rbm_start_normal(&wide, N, N + 1, 1, 0.1, 1));
    for (size_t i = 0; i < N; i++)
        twins->weights[i * P + 3] = -2 * twins->weights[i * P];
    refuse(wide, data, ISG_CONSTRAINT_STIEFEL, ISG_ERR_ARGUMENT, "cannot be orthonormal");
    refuse(twins, data, ISG_CONSTRAINT_STIEFEL, ISG_ERR_DEPENDENT, "linearly dependent");
    refuse(make_rbm(), data, ISG_CONSTRAINT_SPAN, ISG_ERR_ARGUMENT, "patterns");
    refuse(make_rbm(), data, (isg_constraint)3, ISG_ERR_ARGUMENT, "number 3");
    isg_dataset_free(data);
}

/* A rate that throws W away: the weights stay finite, orthonormal and those before it. */
static void test_divergence_is_undone(void **state) {
    (void)state;
    const isg_rate rates[] = {{1e-3, 0}, {1e300, 1}};
    isg_dataset *data = make_data(SAMPLES);
    isg_train_options options = small_options();
    isg_rbm *rbm = make_rbm();
    isg_trainer *trainer = NULL;
    double before[N * P];
    options.rates = rates;
    options.constraint = ISG_CONSTRAINT_STIEFEL;
    options.learn_beta = options.fields = true;
    assert_ok(isg_trainer_create(&trainer, rbm, data, &options));
    assert_ok(isg_trainer_epoch(trainer, NULL, NULL));
    const double beta = rbm->info.beta;
    memcpy(before, rbm->weights, sizeof before);
    assert_fails(isg_trainer_update(trainer), ISG_ERR_DIVERGED, "diverged");
    assert_memory_equal(rbm->weights, before, sizeof before);
    assert_true(rbm->info.beta == beta);
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_update_is_orthonormal),
        cmocka_unit_test(test_step_is_the_tangent_part),
        cmocka_unit_test(test_step_ends_at_the_polar_factor),
        cmocka_unit_test(test_gradient_is_that_of_finite_differences),
        cmocka_unit_test(test_update_follows_the_gradient),
        cmocka_unit_test(test_stays_in_the_span),
        cmocka_unit_test(test_step_in_the_span_is_a_projection),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_divergence_is_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
