/* diagnostics.c - how fast chains decorrelate, and whether they agree
 *
 * SPDX-License-Identifier: MIT
 *
 * Integrated autocorrelation time with the window of Sokal (Monte Carlo methods in statistical
 * mechanics, 1997): a longer window adds noise, a shorter one truncates correlations; the first
 * window of at least 5 autocorrelation times is a fair compromise, and costs O(length * window).
 *
 * Deviations are taken from the mean of all chains, not of each: chains stuck in different places
 * then show as correlations that do not decay, which their own means would hide.
 */
#include <math.h>

#include "base/memory.h"
#include "base/special.h"
#include "base/status.h"
#include "base/threads.h"
#include "sample/sample.h"

static const double window_times = 5, reliable_times = 50;

/* See isg_series_is_trapped(). If one chain in a hundred changed its mode, the moved share is near
   0.007. */
static const double disagreeing_rhat = 1.1, still_share = 0.01, lasting_share = 0.8;

enum { LEAST_STEPS = 4 };

/* ---- one quantity -------------------------------------------------------------------------------- */

static const double *row_of(isg_matd_view series, size_t k) {
    return series.data + k * series.stride;
}

static double mean_of(const double *values, size_t n) {
    isg_sum sum = {0};
    for (size_t t = 0; t < n; t++)
        isg_sum_add(&sum, values[t]);
    return isg_sum_value(sum) / (double)n;
}

/* C(lag), averaged over chains. */
static double autocovariance(isg_matd_view series, double mean, size_t lag) {
    isg_sum sum = {0};
    for (size_t k = 0; k < series.rows; k++) {
        const double *x = row_of(series, k);
        double part = 0;
        for (size_t t = 0; t + lag < series.cols; t++)
            part += (x[t] - mean) * (x[t + lag] - mean);
        isg_sum_add(&sum, part);
    }
    return isg_sum_value(sum) / ((double)series.rows * (double)(series.cols - lag));
}

isg_autocorrelation isg_integrate_autocorrelation(isg_autocovariance *at, const void *series,
                                                  double variance, size_t chains, size_t n) {
    double time = 1;
    size_t window = 0;
    bool is_enough = false;
    /* A time that needs a window beyond half the length only grows: it is then known to be too
       long, and a chain that never moves does not cost O(length^2). */
    while (!is_enough && window < n / 2 && window_times * time <= (double)n / 2) {
        window++;
        time += 2 * at(series, window) / variance;
        is_enough = (double)window >= window_times * time;
    }
    const double values = (double)chains * (double)n;
    return (isg_autocorrelation){.time = time,
                                 .error = fabs(time) * sqrt(2 * (2 * (double)window + 1) / values),
                                 .window = window,
                                 .is_reliable = is_enough && (double)n >= reliable_times * time};
}

typedef struct centered {
    isg_matd_view series;
    double mean;
} centered;

static double autocovariance_of(const void *series, size_t lag) {
    const centered *my = series;
    return autocovariance(my->series, my->mean, lag);
}

isg_autocorrelation isg_series_autocorrelation(isg_matd_view series) {
    const size_t n = series.cols;
    isg_sum sum = {0};
    for (size_t k = 0; k < series.rows; k++)
        isg_sum_add(&sum, mean_of(row_of(series, k), n));
    const double mean = isg_sum_value(sum) / (double)series.rows;
    const double variance = autocovariance(series, mean, 0);
    /* Rounding errors of a constant are not variance. */
    if (!(variance > 1e-28 * mean * mean))
        return (isg_autocorrelation){.time = (double)NAN, .error = (double)NAN};
    return isg_integrate_autocorrelation(autocovariance_of, &(centered){series, mean}, variance,
                                         series.rows, n);
}

/* For the half-chains: W, B / n, and the part of B / n within chains, which is how far they moved
   from one half to the other. */
typedef struct spread {
    double within, between, moved;
    double rounding; /* less than this counts as zero */
    size_t n;        /* steps of a half */
} spread;

static spread spread_of(isg_matd_view series) {
    const size_t n = series.cols / 2, skip = series.cols - n;
    isg_sum all = {0}, within = {0}, between = {0}, moved = {0};
    for (size_t k = 0; k < series.rows; k++)
        for (size_t half = 0; half < 2; half++)
            isg_sum_add(&all, mean_of(row_of(series, k) + half * skip, n));
    const double halves = 2 * (double)series.rows, mean = isg_sum_value(all) / halves;
    for (size_t k = 0; k < series.rows; k++) {
        double means[2];
        for (size_t half = 0; half < 2; half++) {
            const double *x = row_of(series, k) + half * skip;
            const double own = means[half] = mean_of(x, n);
            for (size_t t = 0; t < n; t++)
                isg_sum_add(&within, (x[t] - own) * (x[t] - own));
            isg_sum_add(&between, (own - mean) * (own - mean));
        }
        isg_sum_add(&moved, (means[1] - means[0]) * (means[1] - means[0]) / 2);
    }
    return (spread){.within = isg_sum_value(within) / (halves * (double)(n - 1)),
                    .between = isg_sum_value(between) / (halves - 1),
                    .moved = isg_sum_value(moved) / (double)series.rows,
                    .rounding = 1e-28 * mean * mean,
                    .n = n};
}

static double rhat_of(spread s) {
    if (!(s.within > s.rounding))
        return s.between > s.rounding ? HUGE_VAL : (double)NAN;
    return sqrt((double)(s.n - 1) / (double)s.n + s.between / s.within);
}

double isg_series_rhat(isg_matd_view series) {
    return rhat_of(spread_of(series));
}

/* Chains that are slow, or not yet in equilibrium, keep spreading, so that B / (n W) halves when
   they get twice as long; or they move from one half to the other. Trapped chains do neither. */
bool isg_series_is_trapped(isg_matd_view series) {
    if (series.cols < 2 * LEAST_STEPS)
        return false;
    const spread whole = spread_of(series);
    isg_matd_view first = series;
    first.cols /= 2;
    const spread half = spread_of(first);
    return rhat_of(whole) > disagreeing_rhat && whole.moved <= still_share * whole.between &&
           whole.between * half.within >= lasting_share * half.between * whole.within;
}

/* ---- chains of an RBM ----------------------------------------------------------------------------- */

/* Series 0 is the energy, series 1 + mu hidden unit mu. */
typedef struct measurement {
    isg_chains_info info;
    size_t sweeps;
    const isg_moves *moves;     /* NULL: sweeps */
    isg_labels_seen seen;       /* if these ask for labels */
    double *series;             /* (1 + n_hidden, count, sweeps) */
    double *energies;           /* (count) */
    isg_autocorrelation *times; /* (1 + n_hidden) */
    double *rhats;              /* (1 + n_hidden) */
    bool *are_trapped;          /* (1 + n_hidden) */
} measurement;

static isg_matd_view series_of(const measurement *m, size_t j) {
    return (isg_matd_view){m->series + j * m->info.count * m->sweeps, m->info.count, m->sweeps,
                           m->sweeps};
}

static isg_status reserve(measurement *m) {
    const size_t quantities = m->info.n_hidden + 1, limit = (size_t)1 << 31;
    size_t values = 0;
    if (m->sweeps < LEAST_STEPS)
        return isg_fail(ISG_ERR_ARGUMENT, "sweeps: expected at least %d, found %zu", LEAST_STEPS,
                        m->sweeps);
    if (!isg_multiply(&values, m->info.count, m->sweeps) ||
        !isg_multiply(&values, values, quantities * sizeof(double)) || values > limit)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "measuring %zu sweeps of %zu chains with %zu hidden units takes more than "
                        "2 GiB of memory; take fewer chains or sweeps",
                        m->sweeps, m->info.count, m->info.n_hidden);
    m->series = isg_allocate(values, 1);
    if (!m->series)
        return ISG_ERR_MEMORY;
    const isg_patterns *patterns = m->moves ? m->moves->patterns : NULL;
    const size_t n = patterns ? isg_patterns_describe(patterns).n_visible : m->info.n_visible;
    if (n != m->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the patterns have %zu units, the chains have %zu", n,
                        m->info.n_visible);
    if (patterns)
        ISG_TRY(isg_labels_start(&m->seen, patterns, m->info.count, m->sweeps));
    ISG_TRY(ISG_ALLOCATE(m->energies, m->info.count));
    ISG_TRY(ISG_ALLOCATE(m->times, quantities));
    ISG_TRY(ISG_ALLOCATE(m->rhats, quantities));
    return ISG_ALLOCATE(m->are_trapped, quantities);
}

static void record(measurement *m, const isg_chains *chains, size_t t) {
    const size_t count = m->info.count, n = m->sweeps;
    isg_chains_energy(chains, m->energies);
    if (m->seen.labels)
        isg_labels_record(&m->seen, chains, t);
    for (size_t k = 0; k < count; k++) {
        const float *lambda = isg_chains_hidden(chains, k);
        m->series[k * n + t] = m->energies[k];
        for (size_t mu = 0; mu < m->info.n_hidden; mu++)
            m->series[((mu + 1) * count + k) * n + t] = (double)lambda[mu];
    }
}

static void evaluate(measurement *m) {
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t j = 0; j < m->info.n_hidden + 1; j++) {
        m->times[j] = isg_series_autocorrelation(series_of(m, j));
        m->rhats[j] = isg_series_rhat(series_of(m, j));
        m->are_trapped[j] = isg_series_is_trapped(series_of(m, j));
    }
}

/* A unit that does not vary is neither slow nor fast. */
static isg_decorrelation summary(const measurement *m) {
    isg_decorrelation out = {.chains = m->info.count,
                             .sweeps = m->sweeps,
                             .energy = m->times[0],
                             .hidden = m->times[1],
                             .energy_rhat = m->rhats[0],
                             .hidden_rhat = m->rhats[1]};
    for (size_t mu = 1; mu < m->info.n_hidden; mu++) {
        const isg_autocorrelation *unit = &m->times[mu + 1];
        if (unit->time > out.hidden.time || isnan(out.hidden.time)) {
            out.hidden = *unit;
            out.slowest_unit = mu;
        }
        out.hidden_rhat = fmax(out.hidden_rhat, m->rhats[mu + 1]);
    }
    out.is_reliable = out.energy.is_reliable && out.hidden.is_reliable;
    /* Judged by the quantity in which chains differ most: among many, some nearly agree by
       chance. */
    size_t worst = 0;
    for (size_t j = 1; j < m->info.n_hidden + 1; j++)
        if (m->rhats[j] > m->rhats[worst] || isnan(m->rhats[worst]))
            worst = j;
    out.is_trapped = m->are_trapped[worst];
    return out;
}

isg_status isg_chains_move(isg_chains *chains, const isg_moves *moves, size_t steps, double beta) {
    if (moves && moves->jumps && moves->tempering)
        return isg_fail(ISG_ERR_ARGUMENT, "moves: expected jumps or tempering, found both");
    const double own = !moves             ? beta
                       : moves->jumps     ? isg_jumps_describe(moves->jumps).beta
                       : moves->tempering ? isg_tempering_beta(moves->tempering, 0)
                                          : beta;
    if (beta != own)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "beta: expected %g, that of the jumps or of the coldest "
                        "replicas, found %g",
                        own, beta);
    return !moves             ? isg_chains_sweep(chains, steps, beta)
           : moves->jumps     ? isg_chains_jump(chains, moves->jumps, steps)
           : moves->tempering ? isg_chains_temper(chains, moves->tempering, steps)
                              : isg_chains_sweep(chains, steps, beta);
}

isg_status isg_chains_measure(isg_chains *chains, size_t skip, size_t sweeps, double beta,
                              isg_decorrelation *out, const isg_progress *progress) {
    return isg_chains_measure_moves(chains, NULL, skip, sweeps, beta, out, NULL, NULL, progress);
}

isg_status isg_chains_measure_moves(isg_chains *chains, const isg_moves *moves, size_t skip,
                                    size_t sweeps, double beta, isg_decorrelation *out,
                                    isg_label_times *labels, double *shares,
                                    const isg_progress *progress) {
    measurement m = {.info = isg_chains_describe(chains), .sweeps = sweeps, .moves = moves};
    const double all = (double)skip + (double)sweeps;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(reserve(&m));
    for (size_t t = 0; t < skip + sweeps; t++) {
        ISG_TRY_GOTO(isg_chains_move(chains, moves, 1, beta));
        if (t >= skip)
            record(&m, chains, t - skip);
        if (progress && !progress->report(progress->user, (double)(t + 1) / all))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "measuring chains was cancelled"));
    }
    evaluate(&m);
    if (m.seen.labels && labels)
        ISG_TRY_GOTO(isg_labels_evaluate(&m.seen, labels, shares));
    *out = summary(&m);
done:
    isg_labels_release(&m.seen);
    isg_release(m.series);
    isg_release(m.energies);
    isg_release(m.times);
    isg_release(m.rhats);
    isg_release(m.are_trapped);
    return status;
}
