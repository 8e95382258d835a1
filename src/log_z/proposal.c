/* proposal.c - a mixture of Gaussians around the minima of F0, to draw lambda from
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_z/proposal.h"

#include <assert.h>
#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"

/* The widths, in units of the Gaussian's own, and how often each is used. */
enum { WIDTHS = ISG_WIDTHS };
static const double widths[WIDTHS] = {1, 1.15, 1.5}, fractions[WIDTHS] = {0.7, 0.2, 0.1};

/* The share of the draws that is spread evenly over the parts, whatever they seem to hold. */
static const double even_share = 0.1;

/* Terms that far below the largest are left out of a density: together less than rounding. */
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

/* ---- drawing ---------------------------------------------------------------------------------- */

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
    isg_gaussian_shape(part, delta);
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

/* ---- density ---------------------------------------------------------------------------------- */

/* ln of a Gaussian in its widths, but for ln sqrt(det precision), where its distance is `square`^1/2
   standard deviations: the largest of the terms, and their sum. */
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

/* No more than the density of part m, and cheaper: the distance is at least what it is in the
   softest direction, and a sum at most WIDTHS times its largest term. */
static void bound_part(const isg_proposal *proposal, size_t m, const double *delta, double *out) {
    const isg_gaussian *part = proposal->parts[m];
    const double offset = proposal->log_shares[m] + part->log_root + isg_log(WIDTHS);
    double here[ISG_LANES], there[ISG_LANES];
    isg_gaussian_plain_distances(part, delta, here, there);
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
    isg_gaussian_distances(part, delta, here, there);
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

/* First, for every lane, the part that promises most, which is usually the same for all; then
   those that can still matter to a lane. */
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
