/* proposal.c - Gaussians of lambda, and a mixture of them to draw from
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"
#include "linalg/linalg.h"
#include "sample/sample.h"

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
    const isg_status status = isg_cholesky(isg_matd_of(gaussian->factor, p, p), precision);
    if (status ==
        ISG_ERR_ARGUMENT) /* of large numbers, rounding leaves nothing of the small ones */
        return isg_fail(ISG_ERR_DIVERGED,
                        "a Gaussian of the hidden units: its precision is not positive definite; "
                        "weights or beta are too large");
    ISG_TRY(status);
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

/* The squared distances of delta (p, ISG_LANES) from the mean and from -mean, in standard deviations;
   with u = factor^T delta, one product gives both. */
static void distances(const isg_gaussian *gaussian, const double *delta, double here[ISG_LANES],
                      double there[ISG_LANES]) {
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

/* The same in units of delta. */
static void plain_distances(const isg_gaussian *gaussian, const double *delta,
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

/* offset (p), standard normals, becomes factor^-T offset, a draw from the Gaussian minus its
   mean. */
static void shape(const isg_gaussian *gaussian, double *offset) {
    const size_t p = gaussian->p;
    for (size_t mu = p; mu-- > 0;) {
        const double *row = gaussian->factor + mu * p;
        offset[mu] /= row[mu];
        for (size_t nu = 0; nu < mu; nu++)
            offset[nu] -= row[nu] * offset[mu];
    }
}

/* ---- fitting a Gaussian ---------------------------------------------------------------------- */

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

/* ---- the mixture ----------------------------------------------------------------------------- */

/* The widths, in units of the Gaussian's own, and how often each is used. */
enum { WIDTHS = ISG_WIDTHS };
static const double widths[WIDTHS] = {1, 1.15, 1.5}, fractions[WIDTHS] = {0.7, 0.2, 0.1};

/* The share of the draws that is divided evenly among the parts, whatever their estimated mass. */
static const double even_share = 0.1;

/* Terms this far below the largest are omitted from a density: together they are below rounding. */
static const double negligible = 36;

static const double log_2_pi = 1.8378770664093454836;

isg_status isg_proposal_create(isg_proposal *out, const isg_gaussian *const *parts, size_t count,
                               const double *log_masses, size_t samples) {
    assert(count > 0 && samples >= count);
    *out = (isg_proposal){.p = parts[0]->p, .count = count, .samples = samples};
    for (size_t w = 0; w < WIDTHS; w++)
        out->log_heights[w] =
            isg_log(fractions[w]) - (double)out->p * (isg_log(widths[w]) + log_2_pi / 2);
    ISG_TRY(ISG_ALLOCATE(out->parts, count));
    ISG_TRY(ISG_ALLOCATE(out->first, count + 1));
    ISG_TRY(ISG_ALLOCATE(out->log_shares, count));
    const double total = isg_log_sum_exp(log_masses, count);
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        sum += (1 - even_share) * isg_exp(log_masses[m] - total) + even_share / (double)count;
        const size_t end = (size_t)(fmin(sum, 1) * (double)(samples - count)) + m + 1;
        out->parts[m] = parts[m];
        out->first[m + 1] = m + 1 == count ? samples : end;
        out->log_shares[m] = isg_log((double)(out->first[m + 1] - out->first[m]) / (double)samples);
    }
    return ISG_OK;
}

void isg_proposal_release(isg_proposal *proposal) {
    isg_release(proposal->parts);
    isg_release(proposal->first);
    isg_release(proposal->log_shares);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static const isg_gaussian *part_of(const isg_proposal *proposal, size_t k) {
    size_t low = 0, high = proposal->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (proposal->first[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return proposal->parts[low];
}

static void draw(const isg_gaussian *part, isg_cursor *random, double *delta) {
    const double u = isg_next_uniform(random);
    size_t w = 0;
    for (double sum = fractions[0]; w + 1 < WIDTHS && u > sum; w++)
        sum += fractions[w + 1];
    for (size_t mu = 0; mu < part->p; mu++)
        delta[mu] = widths[w] * isg_next_normal(random);
    shape(part, delta);
    const double sign = part->has_mirror && isg_next_word(random) & 1 ? -1 : 1;
    for (size_t mu = 0; mu < part->p; mu++)
        delta[mu] += sign * part->mean[mu];
}

void isg_proposal_draw(const isg_proposal *proposal, uint64_t seed, uint64_t step, size_t block,
                       double *delta, double *scratch) {
    isg_cursor random =
        isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_MIXTURE, step, (uint32_t)block));
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        const size_t k = block * ISG_LANES + lane;
        if (k < proposal->samples)
            draw(part_of(proposal, k), &random, scratch);
        for (size_t mu = 0; mu < proposal->p; mu++)
            delta[mu * ISG_LANES + lane] = scratch[mu];
    }
}

void isg_proposal_draw_any(const isg_proposal *proposal, isg_cursor *random, double *delta) {
    draw(part_of(proposal, (size_t)isg_next_below(random, proposal->samples)), random, delta);
}

/* ---- density --------------------------------------------------------------------------------- */

/* ln of a Gaussian in its widths, less ln sqrt(det precision), at a distance of `square`^1/2 standard
   deviations: one term, the largest, and their sum. */
static inline double log_term(const isg_proposal *proposal, size_t w, double square) {
    return proposal->log_heights[w] - square / (2 * widths[w] * widths[w]);
}

static double log_largest(const isg_proposal *proposal, double square) {
    double largest = -HUGE_VAL;
    for (size_t w = 0; w < WIDTHS; w++)
        largest = fmax(largest, log_term(proposal, w, square));
    return largest;
}

static double log_profile(const isg_proposal *proposal, double square) {
    double terms[WIDTHS];
    for (size_t w = 0; w < WIDTHS; w++)
        terms[w] = log_term(proposal, w, square);
    return isg_log_sum_exp(terms, WIDTHS);
}

/* A cheap upper bound on the density of part m: the distance is at least that in the softest
   direction, and a sum at most WIDTHS times its largest term. */
static void bound_part(const isg_proposal *proposal, size_t m, const double *delta, double *out) {
    const isg_gaussian *part = proposal->parts[m];
    const double offset = proposal->log_shares[m] + part->log_root + isg_log(WIDTHS);
    double here[ISG_LANES], there[ISG_LANES];
    plain_distances(part, delta, here, there);
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        const double square = part->has_mirror ? fmin(here[lane], there[lane]) : here[lane];
        out[lane] = offset + log_largest(proposal, part->stiffness * square);
    }
}

/* Adds part m to the densities. */
static void add_part(const isg_proposal *proposal, size_t m, const double *delta,
                     double *log_density) {
    const isg_gaussian *part = proposal->parts[m];
    const double offset = proposal->log_shares[m] + part->log_root;
    double here[ISG_LANES], there[ISG_LANES];
    distances(part, delta, here, there);
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        for (int side = 0; side <= part->has_mirror; side++) {
            const double square = side ? there[lane] : here[lane];
            const double half = part->has_mirror ? -ISG_LN_2 : 0;
            if (offset + log_largest(proposal, square) < log_density[lane] - negligible)
                continue;
            const double both[] = {log_density[lane],
                                   offset + half + log_profile(proposal, square)};
            log_density[lane] = isg_log_sum_exp(both, 2);
        }
}

/* First, for every lane, the part with the largest bound, usually the same for all; then those that
   can still matter to a lane. */
void isg_proposal_log_density(const isg_proposal *proposal, const double *delta,
                              double *log_density, double *scratch) {
    const size_t count = proposal->count;
    size_t best[ISG_LANES] = {0};
    for (size_t m = 0; m < count; m++) {
        double *bounds = scratch + m * ISG_LANES;
        bound_part(proposal, m, delta, bounds);
        for (size_t lane = 0; lane < ISG_LANES; lane++)
            if (bounds[lane] > scratch[best[lane] * ISG_LANES + lane])
                best[lane] = m;
    }
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        log_density[lane] = -HUGE_VAL;
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        bool is_done = false;
        for (size_t before = 0; before < lane; before++)
            is_done = is_done || best[before] == best[lane];
        if (!is_done)
            add_part(proposal, best[lane], delta, log_density);
    }
    for (size_t m = 0; m < count; m++) {
        bool matters = false, is_done = false;
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            is_done = is_done || best[lane] == m;
            matters = matters || scratch[m * ISG_LANES + lane] > log_density[lane] - negligible;
        }
        if (matters && !is_done)
            add_part(proposal, m, delta, log_density);
    }
}
