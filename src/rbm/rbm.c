/* rbm.c - restricted Boltzmann machines of spins and Gaussian hidden units
 *
 * SPDX-License-Identifier: MIT
 *
 *     H(s, lambda) = |lambda - c|^2 / 2 - b.s - s^T W lambda
 *     H(s)         = -b.s - |W^T s + c|^2 / 2 + |c|^2 / 2           hidden layer integrated out
 *     F0(lambda)   = |lambda - c|^2 / 2 - sum_i ln cosh(beta x_i) / beta,  x = W lambda + b
 *
 * (Eqs. 6, 8, 10 of the paper, with both fields.) Everything here is plain code in double
 * precision.
 */
#include "rbm/rbm.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "linalg/linalg.h"

isg_status isg_check_beta(double beta) {
    return isg_is_beta(beta)
               ? ISG_OK
               : isg_fail(ISG_ERR_ARGUMENT, "beta: expected a number from %g to %g, found %g",
                          ISG_LEAST_BETA, ISG_MOST_BETA, beta);
}

isg_status isg_rbm_create(isg_rbm **out, size_t n_visible, size_t n_hidden, double beta) {
    if (n_visible == 0 || n_hidden == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one visible and one hidden unit");
    ISG_TRY(isg_check_beta(beta));
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    size_t count = 0;
    if (!isg_multiply(&count, n_visible, n_hidden))
        return isg_fail(ISG_ERR_MEMORY, "%zu x %zu weights do not fit in memory", n_visible,
                        n_hidden);
    ISG_TRY_GOTO(ISG_ALLOCATE(rbm, 1));
    rbm->info.n_visible = n_visible;
    rbm->info.n_hidden = n_hidden;
    rbm->info.beta = beta;
    ISG_TRY_GOTO(ISG_ALLOCATE(rbm->weights, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(rbm->b, n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(rbm->c, n_hidden));
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    return status;
}

void isg_rbm_free(isg_rbm *rbm) {
    if (!rbm)
        return;
    isg_release(rbm->weights);
    isg_release(rbm->b);
    isg_release(rbm->c);
    isg_release(rbm->r);
    isg_patterns_free(rbm->patterns);
    isg_encoding_free(rbm->encoding);
    isg_release(rbm);
}

isg_status isg_rbm_copy(isg_rbm **out, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    isg_rbm *copy = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_rbm_create(&copy, n, p, rbm->info.beta));
    copy->info = rbm->info;
    memcpy(copy->weights, rbm->weights, n * p * sizeof *copy->weights);
    memcpy(copy->b, rbm->b, n * sizeof *copy->b);
    memcpy(copy->c, rbm->c, p * sizeof *copy->c);
    copy->encoding = isg_encoding_share(rbm->encoding);
    copy->r_cols = rbm->r_cols;
    if (rbm->patterns)
        ISG_TRY_GOTO(isg_patterns_copy(&copy->patterns, rbm->patterns, SIZE_MAX, NULL, NULL));
    if (rbm->r) {
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(copy->r, p, rbm->r_cols));
        memcpy(copy->r, rbm->r, p * rbm->r_cols * sizeof *copy->r);
    }
    *out = copy;
    copy = NULL;
done:
    isg_rbm_free(copy);
    return status;
}

isg_rbm_info isg_rbm_describe(const isg_rbm *rbm) {
    return rbm->info;
}

isg_status isg_rbm_set_beta(isg_rbm *rbm, double beta) {
    ISG_TRY(isg_check_beta(beta));
    rbm->info.beta = beta;
    return ISG_OK;
}

isg_status isg_rbm_set_image(isg_rbm *rbm, size_t height, size_t width) {
    size_t pixels = 0;
    if (!isg_multiply(&pixels, height, width) || pixels != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "an image of %zu x %zu does not have %zu pixels", height,
                        width, rbm->info.n_visible);
    rbm->info.image_height = height;
    rbm->info.image_width = width;
    return ISG_OK;
}

isg_matd isg_rbm_weights(isg_rbm *rbm) {
    return isg_matd_of(rbm->weights, rbm->info.n_visible, rbm->info.n_hidden);
}

double *isg_rbm_visible_field(isg_rbm *rbm) {
    return rbm->b;
}

double *isg_rbm_hidden_field(isg_rbm *rbm) {
    return rbm->c;
}

const isg_encoding *isg_rbm_encoding(const isg_rbm *rbm) {
    return rbm->encoding;
}

isg_status isg_rbm_set_encoding(isg_rbm *rbm, const isg_encoding *encoding) {
    if (encoding && encoding->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the encoding has %zu units, the RBM %zu",
                        encoding->info.n_visible, rbm->info.n_visible);
    isg_encoding *before = rbm->encoding;
    rbm->encoding = isg_encoding_share(encoding);
    isg_encoding_free(before);
    return ISG_OK;
}

const isg_patterns *isg_rbm_patterns(const isg_rbm *rbm) {
    return rbm->patterns;
}

void isg_rbm_hidden_input(const isg_rbm *rbm, const uint64_t *spins, double *h) {
    const size_t p = rbm->info.n_hidden;
    for (size_t mu = 0; mu < p; mu++)
        h[mu] = rbm->c[mu];
    isg_add_spin_rows(h, spins, rbm->weights, rbm->info.n_visible, p);
}

/* x_i, the input to one visible unit. */
static double visible_input(const isg_rbm *rbm, const double *lambda, size_t i) {
    const size_t p = rbm->info.n_hidden;
    double x = rbm->b[i];
    for (size_t mu = 0; mu < p; mu++)
        x += rbm->weights[i * p + mu] * lambda[mu];
    return x;
}

void isg_rbm_visible_input(const isg_rbm *rbm, const double *lambda, double *x) {
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        x[i] = visible_input(rbm, lambda, i);
}

/* |lambda - c|^2 / 2 */
static double hidden_energy(const isg_rbm *rbm, const double *lambda) {
    double sum = 0;
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        sum += (lambda[mu] - rbm->c[mu]) * (lambda[mu] - rbm->c[mu]);
    return sum / 2;
}

double isg_rbm_energy(const isg_rbm *rbm, const uint64_t *spins, const double *lambda) {
    double coupling = 0;
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        coupling += isg_spin(spins, i) * visible_input(rbm, lambda, i);
    return hidden_energy(rbm, lambda) - coupling;
}

isg_status isg_rbm_spin_energy(const isg_rbm *rbm, const uint64_t *spins, double *out) {
    double *h = NULL, energy = 0;
    ISG_TRY(ISG_ALLOCATE(h, rbm->info.n_hidden));
    isg_rbm_hidden_input(rbm, spins, h);
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        energy -= rbm->b[i] * isg_spin(spins, i);
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        energy -= (h[mu] * h[mu] - rbm->c[mu] * rbm->c[mu]) / 2;
    isg_release(h);
    *out = energy;
    return ISG_OK;
}

double isg_rbm_free_energy(const isg_rbm *rbm, const double *lambda) {
    const double beta = rbm->info.beta;
    double sum = 0;
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        sum += isg_log_cosh(beta * visible_input(rbm, lambda, i));
    return hidden_energy(rbm, lambda) - sum / beta;
}

void isg_rbm_free_energy_gradient(const isg_rbm *rbm, const double *lambda, double *gradient) {
    const size_t p = rbm->info.n_hidden;
    for (size_t mu = 0; mu < p; mu++)
        gradient[mu] = lambda[mu] - rbm->c[mu];
    for (size_t i = 0; i < rbm->info.n_visible; i++) {
        const double mean = isg_tanh(rbm->info.beta * visible_input(rbm, lambda, i));
        for (size_t mu = 0; mu < p; mu++)
            gradient[mu] -= rbm->weights[i * p + mu] * mean;
    }
}

void isg_sample_spins(isg_cursor *random, size_t n, double beta, const double *field,
                      uint64_t *spins) {
    for (size_t i = 0; i < n; i++)
        isg_bit_assign(spins, i,
                       isg_next_uniform(random) * (1 + isg_exp(-2 * beta * field[i])) < 1);
}

void isg_rbm_sweep(const isg_rbm *rbm, isg_cursor *random, uint64_t *spins, double *lambda,
                   double *input) {
    const double deviation = 1 / sqrt(rbm->info.beta);
    isg_rbm_hidden_input(rbm, spins, lambda);
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        lambda[mu] += deviation * isg_next_normal(random);
    isg_rbm_visible_input(rbm, lambda, input);
    isg_sample_spins(random, rbm->info.n_visible, rbm->info.beta, input, spins);
}
