/* nearest_pattern.c - which pattern chains are nearest to, and how fast that changes
 *
 * SPDX-License-Identifier: MIT
 *
 * A label is no number, so its indicators are followed, one for every label k, of mean m_k:
 *
 *     C(t) = sum over k of <(1[label_0 = k] - m_k) (1[label_t = k] - m_k)>
 *          = P(label_0 = label_t) - <m at label_0> - <m at label_t> + sum over k of m_k^2
 *
 * Likewise variances within and between chains are summed over k for split R-hat. Rare labels then
 * count for little, as they should.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "patterns/patterns.h"
#include "sample/sample.h"

isg_status isg_labels_start(isg_labels_seen *out, const isg_patterns *patterns, size_t chains,
                            size_t steps) {
    *out = (isg_labels_seen){.patterns = patterns, .chains = chains, .steps = steps};
    ISG_TRY(ISG_ALLOCATE(out->shares, 2 * patterns->info.n_patterns));
    return ISG_ALLOCATE_MATRIX(out->labels, chains, steps);
}

void isg_labels_release(isg_labels_seen *seen) {
    isg_release(seen->labels);
    isg_release(seen->shares);
}

/* Of equally near ones the first. */
static uint32_t label_of(const isg_patterns *patterns, const uint64_t *spins) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = patterns->info.n_visible;
    size_t least = SIZE_MAX;
    uint32_t label = 0;
    for (size_t mu = 0; mu < patterns->info.n_patterns; mu++) {
        uint32_t apart = 0;
        kernels->hamming(1, patterns->words, spins, isg_patterns_row(patterns, mu), patterns->words,
                         &apart);
        for (uint32_t side = 0; side < 2; side++) {
            const size_t distance = side ? n - apart : apart;
            if (distance < least) {
                least = distance;
                label = 2 * (uint32_t)mu + side;
            }
        }
    }
    return label;
}

void isg_labels_record(isg_labels_seen *seen, const isg_chains *chains, size_t step) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t k = 0; k < seen->chains; k++)
        seen->labels[k * seen->steps + step] =
            label_of(seen->patterns, isg_chains_spins(chains, k));
}

/* ---- autocorrelation ----------------------------------------------------------------------------- */

static double sum_of_squares(const isg_labels_seen *seen) {
    double sum = 0;
    for (size_t k = 0; k < 2 * seen->patterns->info.n_patterns; k++)
        sum += seen->shares[k] * seen->shares[k];
    return sum;
}

static double autocovariance(const void *series, size_t lag) {
    const isg_labels_seen *seen = series;
    const size_t n = seen->steps - lag;
    size_t same = 0;
    isg_sum means = {0};
    for (size_t k = 0; k < seen->chains; k++) {
        const uint32_t *x = seen->labels + k * seen->steps;
        double part = 0;
        for (size_t t = 0; t < n; t++) {
            same += x[t] == x[t + lag];
            part += seen->shares[x[t]] + seen->shares[x[t + lag]];
        }
        isg_sum_add(&means, part);
    }
    const double values = (double)seen->chains * (double)n;
    return ((double)same - isg_sum_value(means)) / values + sum_of_squares(seen);
}

/* ---- split R-hat --------------------------------------------------------------------------------- */

/* Shares of one half of a chain. */
static void count_half(const isg_labels_seen *seen, size_t k, size_t half, double *shares) {
    const size_t n = seen->steps / 2, labels = 2 * seen->patterns->info.n_patterns;
    const uint32_t *x = seen->labels + k * seen->steps + half * (seen->steps - n);
    memset(shares, 0, labels * sizeof *shares);
    for (size_t t = 0; t < n; t++)
        shares[x[t]]++;
    for (size_t label = 0; label < labels; label++)
        shares[label] /= (double)n;
}

/* `scratch` is for two sets of shares. */
static double rhat(const isg_labels_seen *seen, double *scratch) {
    const size_t labels = 2 * seen->patterns->info.n_patterns;
    const double n = (double)(seen->steps / 2), halves = 2 * (double)seen->chains;
    double *own = scratch, *mean = scratch + labels;
    isg_sum within = {0}, between = {0};
    memset(mean, 0, labels * sizeof *mean);
    for (size_t k = 0; k < 2 * seen->chains; k++) {
        count_half(seen, k / 2, k % 2, own);
        for (size_t label = 0; label < labels; label++)
            mean[label] += own[label] / halves;
    }
    for (size_t k = 0; k < 2 * seen->chains; k++) {
        count_half(seen, k / 2, k % 2, own);
        for (size_t label = 0; label < labels; label++) {
            const double off = own[label] - mean[label];
            isg_sum_add(&within, own[label] * (1 - own[label]) * n / (n - 1));
            isg_sum_add(&between, off * off);
        }
    }
    const double inside = isg_sum_value(within) / halves;
    const double outside = isg_sum_value(between) / (halves - 1);
    if (!(inside > 0))
        return outside > 1e-28 ? HUGE_VAL : (double)NAN;
    return sqrt((n - 1) / n + outside / inside);
}

/* ---- all ----------------------------------------------------------------------------------------- */

isg_status isg_labels_evaluate(isg_labels_seen *seen, isg_label_times *out, double *shares) {
    const size_t labels = 2 * seen->patterns->info.n_patterns, steps = seen->steps;
    const double values = (double)seen->chains * (double)steps;
    size_t changes = 0;
    double *scratch = NULL;
    ISG_TRY(ISG_ALLOCATE(scratch, 2 * labels));
    memset(seen->shares, 0, labels * sizeof *seen->shares);
    for (size_t at = 0; at < seen->chains * steps; at++) {
        seen->shares[seen->labels[at]]++;
        changes += at % steps > 0 && seen->labels[at] != seen->labels[at - 1];
    }
    for (size_t label = 0; label < labels; label++)
        seen->shares[label] /= values;
    const double variance = 1 - sum_of_squares(seen);
    /* Without a change there is no decay: labels that differ among chains then only look as if they varied. */
    out->time =
        changes > 0 && variance > 1e-14
            ? isg_integrate_autocorrelation(autocovariance, seen, variance, seen->chains, steps)
            : (isg_autocorrelation){.time = (double)NAN, .error = (double)NAN};
    out->rhat = rhat(seen, scratch);
    out->changes = (double)changes / ((double)seen->chains * (double)(steps - 1));
    if (shares)
        memcpy(shares, seen->shares, labels * sizeof *shares);
    isg_release(scratch);
    return ISG_OK;
}
