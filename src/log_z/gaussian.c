/* gaussian.c - Gaussians of lambda, fitted to where Gibbs chains go
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_z/gaussian.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "linalg/linalg.h"

isg_status isg_gaussian_create(isg_gaussian *out, size_t p) {
    *out = (isg_gaussian){.p = p};
    ISG_TRY(ISG_ALLOCATE(out->mean, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(out->factor, p, p));
    return ISG_ALLOCATE(out->whitened, p);
}

void isg_gaussian_release(isg_gaussian *gaussian) {
    isg_release(gaussian->mean);
    isg_release(gaussian->factor);
    isg_release(gaussian->whitened);
}

isg_status isg_gaussian_set(isg_gaussian *gaussian, const double *mean, isg_matd_view precision,
                            double stiffness) {
    const size_t p = gaussian->p;
    ISG_TRY(isg_cholesky(isg_matd_of(gaussian->factor, p, p), precision));
    memcpy(gaussian->mean, mean, p * sizeof *mean);
    gaussian->stiffness = stiffness;
    gaussian->log_root = 0;
    for (size_t nu = 0; nu < p; nu++) {
        gaussian->log_root += isg_log(gaussian->factor[nu * p + nu]);
        gaussian->whitened[nu] = 0;
        for (size_t mu = nu; mu < p; mu++)
            gaussian->whitened[nu] += gaussian->factor[mu * p + nu] * mean[mu];
    }
    return ISG_OK;
}

/* Adds (u - v)^2 and (u + v)^2. */
static inline void add_squares(isg_pair *here, isg_pair *there, const isg_pair *u, double v) {
#pragma GCC unroll 8
    for (size_t q = 0; q < ISG_PAIRS; q++) {
        here[q] += (u[q] - v) * (u[q] - v);
        there[q] += (u[q] + v) * (u[q] + v);
    }
}

/* With u = factor^T delta, one product gives both. */
void isg_gaussian_distances(const isg_gaussian *gaussian, const double *delta,
                            double here[ISG_LANES], double there[ISG_LANES]) {
    const size_t p = gaussian->p;
    isg_pair minus[ISG_PAIRS] = {{0}}, plus[ISG_PAIRS] = {{0}};
    for (size_t nu = 0; nu < p; nu++) {
        isg_pair u[ISG_PAIRS] = {{0}};
        for (size_t mu = nu; mu < p; mu++)
            isg_add_lanes(u, gaussian->factor[mu * p + nu], delta + mu * ISG_LANES);
        add_squares(minus, plus, u, gaussian->whitened[nu]);
    }
    isg_store_lanes(here, minus);
    isg_store_lanes(there, plus);
}

void isg_gaussian_plain_distances(const isg_gaussian *gaussian, const double *delta,
                                  double here[ISG_LANES], double there[ISG_LANES]) {
    isg_pair minus[ISG_PAIRS] = {{0}}, plus[ISG_PAIRS] = {{0}};
    for (size_t mu = 0; mu < gaussian->p; mu++) {
        isg_pair u[ISG_PAIRS];
        isg_load_lanes(u, delta + mu * ISG_LANES);
        add_squares(minus, plus, u, gaussian->mean[mu]);
    }
    isg_store_lanes(here, minus);
    isg_store_lanes(there, plus);
}

/* factor^-T offset */
void isg_gaussian_shape(const isg_gaussian *gaussian, double *offset) {
    const size_t p = gaussian->p;
    for (size_t mu = p; mu-- > 0;) {
        const double *row = gaussian->factor + mu * p;
        offset[mu] /= row[mu];
        for (size_t nu = 0; nu < mu; nu++)
            offset[nu] -= row[nu] * offset[mu];
    }
}

/* ---- fitting ---------------------------------------------------------------------------------- */

void isg_moments_add(isg_moments *moments, size_t p, const double *h) {
    moments->count++;
    for (size_t mu = 0; mu < p; mu++) {
        moments->sum[mu] += h[mu];
        for (size_t nu = 0; nu <= mu; nu++)
            moments->squares[mu * p + nu] += h[mu] * h[nu];
    }
}

/* spread (p, p) = the covariance of h under the Gaussian and the moments together. */
static isg_status mix_spread(const isg_gaussian *gaussian, const isg_moments *moments,
                             const double *mean, double beta, double prior, double *spread) {
    const size_t p = gaussian->p;
    const double n = moments->count;
    for (size_t mu = 0; mu < p && prior > 0; mu++)
        spread[mu * (p + 1)] = 1;
    if (prior > 0)
        ISG_TRY(isg_cholesky_solve(isg_matd_of(spread, p, p),
                                   (isg_matd_view){gaussian->factor, p, p, p}));
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu <= mu; nu++) {
            const double before = spread[mu * p + nu] - (mu == nu ? 1 / beta : 0);
            const double seen = moments->squares[mu * p + nu] / n - mean[mu] * mean[nu];
            spread[mu * p + nu] = (n * seen + prior * before) / (n + prior);
        }
    return ISG_OK;
}

/* Precision and stiffness of the covariance spread + 1 / beta; eigenvalues that rounding made
   negative count as zero. `vectors` and `scaled` are scratch (p, p), `values` (p). */
static isg_status invert(double *spread, size_t p, double beta, double *vectors, double *scaled,
                         double *values) {
    ISG_TRY(
        isg_symmetric_eigen(values, isg_matd_of(vectors, p, p), (isg_matd_view){spread, p, p, p}));
    for (size_t k = 0; k < p; k++)
        values[k] = 1 / (fmax(values[k], 0) + 1 / beta);
    for (size_t at = 0; at < p * p; at++)
        scaled[at] = vectors[at] * values[at % p];
    return isg_matrix_multiply(isg_matd_of(spread, p, p), (isg_matd_view){scaled, p, p, p},
                               ISG_AS_IS, (isg_matd_view){vectors, p, p, p}, ISG_TRANSPOSED);
}

isg_status isg_gaussian_fit(isg_gaussian *gaussian, const isg_moments *moments, double beta,
                            double prior, bool is_centered) {
    const size_t p = gaussian->p;
    const double n = moments->count;
    isg_status status = ISG_OK;
    double *room = NULL;
    if (n == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(room, 3 * p + 2, p));
    double *spread = room, *vectors = room + p * p, *scaled = room + 2 * p * p;
    double *mean = room + 3 * p * p, *values = mean + p;
    for (size_t mu = 0; mu < p && !is_centered; mu++)
        mean[mu] = moments->sum[mu] / n;
    ISG_TRY_GOTO(mix_spread(gaussian, moments, mean, beta, prior, spread));
    for (size_t mu = 0; mu < p && !is_centered; mu++)
        mean[mu] = (n * mean[mu] + prior * gaussian->mean[mu]) / (n + prior);
    ISG_TRY_GOTO(invert(spread, p, beta, vectors, scaled, values));
    ISG_TRY_GOTO(isg_gaussian_set(gaussian, mean, (isg_matd_view){spread, p, p, p}, values[p - 1]));
done:
    isg_release(room);
    return status;
}
