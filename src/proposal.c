/* proposal.c - a mixture of Gaussians around the minima of F0, to draw lambda from
 *
 * SPDX-License-Identifier: MIT
 */
#include "proposal.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"

/* The widths, in units of the Gaussian's own, and how often each is used. */
enum { WIDTHS = ISG_WIDTHS };
static const double widths[WIDTHS] = {1, 1.15, 1.5}, fractions[WIDTHS] = {0.7, 0.2, 0.1};

/* The share of the draws that is spread evenly over the parts, whatever they seem to hold. */
static const double even_share = 0.1;

/* Terms that far below the largest are left out of a density: together less than rounding. */
static const double negligible = 40;

static const double log_2_pi = 1.8378770664093454836;

isg_status isg_proposal_create(isg_proposal *out, const isg_gaussian *const *parts, size_t count,
                               const double *log_masses, size_t samples) {
    assert(count > 0 && samples >= count);
    *out = (isg_proposal){.p = parts[0]->p, .count = count, .samples = samples};
    for (size_t w = 0; w < WIDTHS; w++)
        out->log_heights[w] = log(fractions[w]) - (double)out->p * (log(widths[w]) + log_2_pi / 2);
    ISG_TRY(ISG_ALLOCATE(out->parts, count));
    ISG_TRY(ISG_ALLOCATE(out->first, count + 1));
    ISG_TRY(ISG_ALLOCATE(out->log_shares, count));
    const double total = isg_log_sum_exp(log_masses, count);
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        sum += (1 - even_share) * exp(log_masses[m] - total) + even_share / (double)count;
        const size_t end = (size_t)(fmin(sum, 1) * (double)(samples - count)) + m + 1;
        out->parts[m] = parts[m];
        out->first[m + 1] = m + 1 == count ? samples : end;
        out->log_shares[m] = log((double)(out->first[m + 1] - out->first[m]) / (double)samples);
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

/* ln of a Gaussian in one of its widths, but for ln sqrt(det precision), where its distance is
   `square`^1/2 standard deviations. */
static inline double log_width(const isg_proposal *proposal, size_t w, double square) {
    return proposal->log_heights[w] - square / (2 * widths[w] * widths[w]);
}

static double log_profile(const isg_proposal *proposal, double square) {
    double terms[WIDTHS];
    for (size_t w = 0; w < WIDTHS; w++)
        terms[w] = log_width(proposal, w, square);
    return isg_log_sum_exp(terms, WIDTHS);
}

static double log_part(const isg_proposal *proposal, size_t m, const double *delta,
                       double *scratch) {
    const isg_gaussian *part = proposal->parts[m];
    double here = 0, there = 0;
    isg_gaussian_distances(part, delta, scratch, &here, &there);
    double profile = log_profile(proposal, here);
    if (part->has_mirror) {
        const double both[] = {profile, log_profile(proposal, there)};
        profile = isg_log_mean_exp(both, 2);
    }
    return proposal->log_shares[m] + part->log_root + profile;
}

/* No more than that, and cheaper: the distance is at least what it is in the softest direction, and
   a sum at most WIDTHS times its largest term. */
static double log_part_bound(const isg_proposal *proposal, size_t m, const double *delta) {
    const isg_gaussian *part = proposal->parts[m];
    double here = 0, there = 0, largest = -HUGE_VAL;
    for (size_t mu = 0; mu < part->p; mu++) {
        const double minus = delta[mu] - part->mean[mu], plus = delta[mu] + part->mean[mu];
        here += minus * minus;
        there += plus * plus;
    }
    const double square = part->stiffness * (part->has_mirror ? fmin(here, there) : here);
    for (size_t w = 0; w < WIDTHS; w++)
        largest = fmax(largest, log_width(proposal, w, square));
    return proposal->log_shares[m] + part->log_root + largest + log(WIDTHS);
}

double isg_proposal_log_density(const isg_proposal *proposal, const double *delta,
                                double *scratch) {
    double *terms = scratch + proposal->p;
    size_t highest = 0, kept = 0;
    for (size_t m = 0; m < proposal->count; m++) {
        terms[m] = log_part_bound(proposal, m, delta);
        if (terms[m] > terms[highest])
            highest = m;
    }
    const double first = log_part(proposal, highest, delta, scratch);
    for (size_t m = 0; m < proposal->count; m++)
        if (m == highest)
            terms[kept++] = first;
        else if (terms[m] > first - negligible)
            terms[kept++] = log_part(proposal, m, delta, scratch);
    return isg_log_sum_exp(terms, kept);
}
