/* learn.c - binary patterns whose span keeps as much of the data as possible
 *
 * SPDX-License-Identifier: MIT
 *
 * A projection network has J = P, the projector on the span of its patterns, and over data with second
 * moments C = <s s^T> the log-likelihood per sample is
 *
 *     L = beta/2 tr(P C) - ln Z,
 *
 * where ln Z hardly depends on which binary patterns span P. So likelihood is the capture tr(P C) / N. Flipping unit i of pattern mu
 * changes the part r of the pattern that is outside the others' span to r + d q, with d = -2 xi_i and q the
 * part of the unit vector e_i outside it, and so tr(P C) by exactly
 *
 *     (r^T C r + 2 d r^T C q + 4 q^T C q) / (r.r + 2 d r_i + 4 q.q) - r^T C r / r.r.
 *
 * The best flip of a pattern is made until none gains, pattern after pattern, until none of them changes.
 * Every flip raises the objective, so that this ends, and no random numbers are used.
 *
 * All of it follows from xi, M C xi and their products with xi, which are whole numbers and kept exactly:
 * with A the inverse of the others' Gram matrix and S = xi^T C xi, g = A xi^T xi_mu and h = A (S_mu - S g),
 *
 *     r_i = xi_i - x_i.g    (C r)_i = v_i - V_i.g    (q^T C r)_i = (C r)_i - x_i.h
 *     q.q = 1 - x_i A x_i    q^T C q = 1 - 2 x_i A V_i + x_i A S A x_i
 *
 * with the rows x_i of xi and V_i of C xi. No matrix of N x N numbers is needed: a column of C takes N M / 64
 * word operations, from the data's bits.
 */
#include "patterns/learn.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"

enum { PORTION = 200000 }; /* numbers that a thread should have to work on */

/* A flip must gain more than this, so that rounding alone does not keep the search going; and must leave
   the pattern this far, relative to N, from the span of the others. */
static const double least_gain = 1e-9, least_distance = 1e-6;

isg_learn_options isg_learn_defaults(void) {
    return (isg_learn_options){.memory = 0};
}

/* ---- start ------------------------------------------------------------------------------------- */

void isg_ascent_release(isg_ascent *my) {
    isg_patterns_free(my->patterns);
    isg_unit_columns_free(&my->columns);
    isg_release(my->xi);
    isg_release(my->moments);
    isg_release(my->means);
    isg_release(my->gram);
    isg_release(my->inner);
    isg_release(my->inverse);
    isg_release(my->factor);
    isg_release(my->turned);
    isg_release(my->inward);
    isg_release(my->lengths);
    isg_release(my->spreads);
    isg_release(my->gains);
    isg_release(my->scratch);
    isg_release(my->distances);
    *my = (isg_ascent){0};
}

static isg_status allocate(isg_ascent *my) {
    const size_t n = my->n, p = my->p;
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->xi, n, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->moments, n, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->turned, n, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->inward, n, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->gram, p, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->inner, p, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->inverse, p, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->factor, p, p));
    ISG_TRY(ISG_ALLOCATE(my->lengths, n));
    ISG_TRY(ISG_ALLOCATE(my->spreads, n));
    ISG_TRY(ISG_ALLOCATE(my->gains, n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->scratch, 3, p));
    return ISG_ALLOCATE(my->distances, n);
}

/* M C xi_mu: the sum over all samples of s (s.xi_mu). Threads own units. */
static isg_status find_moments(isg_ascent *my, size_t mu) {
    const size_t m = my->data->info.n_samples, words = my->data->words;
    const uint64_t *pattern = isg_patterns_spins(my->patterns, mu);
    int32_t *overlaps = NULL;
    int64_t total = 0;
    ISG_TRY(ISG_ALLOCATE(overlaps, m));
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t a = 0; a < m; a++)
        overlaps[a] = (int32_t)my->n -
                      2 * (int32_t)isg_hamming(isg_dataset_spins(my->data, a), pattern, words);
    for (size_t a = 0; a < m; a++)
        total += overlaps[a];
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t i = 0; i < my->n; i++) {
        const uint64_t *column = isg_unit_column(&my->columns, i);
        int64_t up = 0;
        for (size_t w = 0; w < my->columns.words; w++)
            for (uint64_t left = column[w]; left; left &= left - 1)
                up += overlaps[64 * w + (size_t)__builtin_ctzll(left)];
        my->moments[i * my->p + mu] = (double)(2 * up - total);
    }
    isg_release(overlaps);
    return ISG_OK;
}

/* xi^T M C xi. */
static void find_inner(isg_ascent *my) {
    const size_t n = my->n, p = my->p;
    memset(my->inner, 0, p * p * sizeof *my->inner);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            isg_kernels_get()->add_multiple(p, my->xi[i * p + mu], my->moments + i * p,
                                            my->inner + mu * p);
}

/* The means of the samples that are nearest to each pattern, of their class if they have labels. */
static isg_status find_means(isg_ascent *my) {
    const size_t m = my->data->info.n_samples;
    isg_status status = ISG_OK;
    uint32_t *nearest = NULL;
    size_t *counts = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(nearest, m));
    ISG_TRY_GOTO(ISG_ALLOCATE(counts, my->p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->means, my->p, my->n));
    ISG_TRY_GOTO(isg_patterns_nearest(my->patterns, my->data, nearest));
    for (size_t a = 0; a < m; a++) {
        if (nearest[a] == UINT32_MAX)
            continue;
        double *sum = my->means + nearest[a] * my->n;
        const uint64_t *spins = isg_dataset_spins(my->data, a);
        counts[nearest[a]]++;
        for (size_t i = 0; i < my->n; i++)
            sum[i] += isg_spin(spins, i);
    }
    for (size_t mu = 0; mu < my->p; mu++)
        for (size_t i = 0; counts[mu] > 0 && i < my->n; i++)
            my->means[mu * my->n + i] /= (double)counts[mu];
done:
    isg_release(nearest);
    isg_release(counts);
    return status;
}

isg_status isg_ascent_start(isg_ascent *my, const isg_patterns *start, const isg_dataset *data,
                            double memory) {
    *my = (isg_ascent){.data = data,
                       .n = start->info.n_visible,
                       .p = start->info.n_patterns,
                       .samples = (double)data->info.n_samples,
                       .memory = memory};
    ISG_TRY(isg_patterns_copy(&my->patterns, start, SIZE_MAX, NULL, NULL));
    ISG_TRY(allocate(my));
    ISG_TRY(isg_unit_columns_create(&my->columns, data));
    isg_patterns_fill(my->patterns, isg_matd_of(my->xi, my->n, my->p));
    isg_patterns_gram(my->patterns, isg_matd_of(my->gram, my->p, my->p));
    for (size_t mu = 0; mu < my->p; mu++)
        ISG_TRY(find_moments(my, mu));
    find_inner(my);
    return memory > 0 ? find_means(my) : ISG_OK;
}

/* ---- one pattern -------------------------------------------------------------------------------- */

/* The inverse of the Gram matrix of all patterns but mu, from that of all: b - b_mu b_mu^T / b_mu,mu. */
static isg_status invert_others(isg_ascent *my, size_t mu) {
    const size_t p = my->p;
    double *b = my->inverse, *row = my->scratch;
    const isg_matd square = isg_matd_of(b, p, p), factor = isg_matd_of(my->factor, p, p);
    ISG_TRY(isg_cholesky(factor, isg_matd_const(isg_matd_of(my->gram, p, p))));
    memset(b, 0, p * p * sizeof *b);
    for (size_t nu = 0; nu < p; nu++)
        b[nu * (p + 1)] = 1;
    ISG_TRY(isg_cholesky_solve(square, isg_matd_const(factor)));
    memcpy(row, b + mu * p, p * sizeof *row);
    for (size_t nu = 0; nu < p; nu++)
        isg_kernels_get()->add_multiple(p, -row[nu] / row[mu], row, b + nu * p);
    for (size_t nu = 0; nu < p; nu++)
        b[mu * p + nu] = b[nu * p + mu] = 0;
    return ISG_OK;
}

static double dot(const isg_ascent *my, const double *x, const double *y) {
    return isg_kernels_get()->dot(my->p, x, y);
}

/* What the gains of all units of a pattern have in common. */
typedef struct residue {
    double *g, *h; /* (p) each */
    double square; /* r.r */
    double spread; /* r^T C r */
} residue;

static residue find_residue(const isg_ascent *my) {
    const size_t p = my->p, mu = my->visited;
    const double *gram = my->gram + mu * p, *inner = my->inner + mu * p;
    double *left = my->scratch; /* S_mu - S g */
    residue out = {.g = left + p, .h = left + 2 * p};
    for (size_t nu = 0; nu < p; nu++)
        out.g[nu] = dot(my, my->inverse + nu * p, gram);
    for (size_t nu = 0; nu < p; nu++)
        left[nu] = (inner[nu] - dot(my, my->inner + nu * p, out.g)) / my->samples;
    for (size_t nu = 0; nu < p; nu++)
        out.h[nu] = dot(my, my->inverse + nu * p, left);
    out.square = gram[mu] - dot(my, out.g, gram);
    out.spread = left[mu] - dot(my, out.g, left);
    return out;
}

static double gain_of(const isg_ascent *my, const residue *of, size_t i) {
    const double *x = my->xi + i * my->p, *v = my->moments + i * my->p;
    const double spin = x[my->visited], change = -2 * spin;
    const double r = spin - dot(my, x, of->g);
    const double turned = (v[my->visited] - dot(my, v, of->g)) / my->samples - dot(my, x, of->h);
    const double square = of->square + 2 * change * r + 4 * my->lengths[i];
    const double spread = of->spread + 2 * change * turned + 4 * my->spreads[i];
    if (square < least_distance * (double)my->n)
        return -HUGE_VAL;
    return spread / square - of->spread / of->square +
           (my->means ? my->memory * change * my->means[my->visited * my->n + i] : 0);
}

/* Threads, if each has enough to do for this to be quicker than alone. */
static int team_of(const isg_ascent *my) {
    return (int)isg_team_for(1 + my->n * my->p / PORTION);
}

static void find_gains(isg_ascent *my) {
    const residue of = find_residue(my);
#pragma omp parallel for schedule(static) num_threads(team_of(my))
    for (size_t i = 0; i < my->n; i++)
        my->gains[i] = gain_of(my, &of, i);
}

isg_status isg_ascent_visit(isg_ascent *my, size_t mu) {
    const size_t n = my->n, p = my->p;
    const isg_matd turned = isg_matd_of(my->turned, n, p), inward = isg_matd_of(my->inward, n, p);
    ISG_TRY(invert_others(my, mu));
    my->visited = mu;
    ISG_TRY(isg_matrix_multiply(turned, (isg_matd_view){my->xi, n, p, p}, ISG_AS_IS,
                                (isg_matd_view){my->inverse, p, p, p}, ISG_AS_IS));
    ISG_TRY(isg_matrix_multiply(inward, isg_matd_const(turned), ISG_AS_IS,
                                (isg_matd_view){my->inner, p, p, p}, ISG_AS_IS));
#pragma omp parallel for schedule(static) num_threads(team_of(my))
    for (size_t i = 0; i < n; i++) {
        const double *x = my->turned + i * p; /* A x_i */
        my->lengths[i] = 1 - dot(my, x, my->xi + i * p);
        my->spreads[i] =
            1 +
            (dot(my, x, my->inward + i * p) - 2 * dot(my, x, my->moments + i * p)) / my->samples;
    }
    find_gains(my);
    return ISG_OK;
}

void isg_ascent_flip(isg_ascent *my, size_t i) {
    const size_t p = my->p, mu = my->visited;
    double *x = my->xi + i * p;
    const double *v = my->moments + i * p, change = -2 * x[mu];
    for (size_t nu = 0; nu < p; nu++) {
        if (nu == mu)
            continue;
        my->gram[mu * p + nu] = my->gram[nu * p + mu] += change * x[nu];
        my->inner[mu * p + nu] = my->inner[nu * p + mu] += change * v[nu];
    }
    my->inner[mu * (p + 1)] += 2 * change * v[mu] + 4 * my->samples;
    x[mu] = -x[mu];
    isg_bit_assign(isg_patterns_spins(my->patterns, mu), i, x[mu] > 0);
    isg_unit_columns_distances(&my->columns, i, my->distances);
    for (size_t j = 0; j < my->n; j++)
        my->moments[j * p + mu] += change * (my->samples - 2 * (double)my->distances[j]);
    find_gains(my);
}

/* tr(G^-1 S) / (M N). */
isg_status isg_ascent_capture(const isg_ascent *my, double *out) {
    const size_t p = my->p;
    const isg_matd factor = isg_matd_of(my->factor, p, p), solved = isg_matd_of(my->inverse, p, p);
    double sum = 0;
    ISG_TRY(isg_cholesky(factor, (isg_matd_view){my->gram, p, p, p}));
    memcpy(my->inverse, my->inner, p * p * sizeof *my->inner);
    ISG_TRY(isg_cholesky_solve(solved, isg_matd_const(factor)));
    for (size_t mu = 0; mu < p; mu++)
        sum += my->inverse[mu * (p + 1)];
    *out = sum / (my->samples * (double)my->n);
    return ISG_OK;
}

/* ---- all patterns -------------------------------------------------------------------------------- */

/* The first unit of the largest gain. */
static size_t best_unit(const isg_ascent *my) {
    size_t best = 0;
    for (size_t i = 1; i < my->n; i++)
        if (my->gains[i] > my->gains[best])
            best = i;
    return best;
}

/* Flips units of all patterns in turn, as long as that gains. Of an unknown number of rounds, each brings
   half of what is left to do. */
static isg_status climb_once(isg_ascent *my, isg_learning *so_far, const isg_progress *progress) {
    const double left = ldexp(1, -(int)(so_far->rounds < 1000 ? so_far->rounds : 1000));
    for (size_t mu = 0; mu < my->p; mu++) {
        ISG_TRY(isg_ascent_visit(my, mu));
        for (;;) {
            const size_t best = best_unit(my);
            if (!(my->gains[best] > least_gain))
                break;
            isg_ascent_flip(my, best);
            so_far->flips++;
            const double done = 1 - left * (1 - ((double)mu + 0.5) / (2 * (double)my->p));
            if (progress && !progress->report(progress->user, done))
                return isg_fail(ISG_ERR_CANCELLED, "learning patterns was cancelled");
        }
        const double done = 1 - left * (1 - (double)(mu + 1) / (2 * (double)my->p));
        if (progress && !progress->report(progress->user, done))
            return isg_fail(ISG_ERR_CANCELLED, "learning patterns was cancelled");
    }
    return ISG_OK;
}

/* A pattern and its mirror image are the same to the network. Without a label, it is turned towards the
   mean of the data. */
static void orient(isg_ascent *my) {
    for (size_t mu = 0; mu < my->p && my->patterns->labels.count == 0; mu++) {
        uint64_t *row = isg_patterns_spins(my->patterns, mu);
        double along = 0;
        for (size_t i = 0; i < my->n; i++) {
            const size_t ups = isg_count_ones(isg_unit_column(&my->columns, i), my->columns.words);
            along += isg_spin(row, i) * (2 * (double)ups - my->samples);
        }
        for (size_t w = 0; w < my->patterns->words && along < 0; w++)
            row[w] = ~row[w];
        isg_clear_tail(row, my->n);
    }
}

/* Where a round began: who goes on from there gets the same patterns as without a stop. */
typedef struct whole_round {
    isg_patterns *patterns; /* NULL before the second */
    double capture;
    size_t flips;
} whole_round;

static isg_status remember(whole_round *out, const isg_ascent *my, const isg_learning *so_far) {
    isg_patterns_free(out->patterns);
    *out = (whole_round){.flips = so_far->flips};
    ISG_TRY(isg_ascent_capture(my, &out->capture));
    return isg_patterns_copy(&out->patterns, my->patterns, SIZE_MAX, NULL, NULL);
}

/* Back to where the round began, but for the first: there is nothing before it that was learned. */
static isg_status settle(isg_ascent *my, isg_learning *so_far, whole_round *before) {
    so_far->is_cancelled = true;
    if (!before->patterns)
        return isg_ascent_capture(my, &so_far->capture);
    isg_patterns_free(my->patterns);
    my->patterns = before->patterns;
    before->patterns = NULL;
    so_far->capture = before->capture;
    so_far->flips = before->flips;
    return ISG_OK;
}

/* All rounds, and the capture in the end. */
static isg_status climb(isg_ascent *my, isg_learning *so_far, const isg_learn_options *options,
                        const isg_progress *progress) {
    whole_round before = {.patterns = NULL};
    isg_status status = ISG_OK;
    while (!so_far->is_finished && (options->rounds == 0 || so_far->rounds < options->rounds)) {
        const size_t flips = so_far->flips;
        if (options->keep && so_far->rounds > 0)
            ISG_TRY_GOTO(remember(&before, my, so_far));
        status = climb_once(my, so_far, progress);
        if (status == ISG_ERR_CANCELLED && options->keep) {
            status = settle(my, so_far, &before);
            goto done;
        }
        ISG_TRY_GOTO(status);
        so_far->rounds++;
        so_far->is_finished = so_far->flips == flips;
    }
    ISG_TRY_GOTO(isg_ascent_capture(my, &so_far->capture));
done:
    isg_patterns_free(before.patterns);
    return status;
}

static isg_status check(const isg_patterns *start, const isg_dataset *data,
                        const isg_learn_options *options) {
    size_t rank = 0;
    if (start->info.n_visible != data->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the patterns %zu",
                        data->info.n_visible, start->info.n_visible);
    if (data->info.n_samples == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "learning patterns: the data have no samples");
    if (!(options->memory >= 0 && isfinite(options->memory)))
        return isg_fail(ISG_ERR_ARGUMENT, "memory: expected a number from 0 on, found %g",
                        options->memory);
    return isg_patterns_find_rank(start, false, &rank);
}

isg_status isg_patterns_learn(isg_patterns **out, const isg_patterns *start,
                              const isg_dataset *data, const isg_learn_options *options,
                              isg_learning *report, const isg_progress *progress) {
    const isg_learn_options defaults = isg_learn_defaults();
    options = options ? options : &defaults;
    isg_ascent my = {0};
    isg_learning so_far = {0};
    isg_status status = ISG_OK;
    ISG_TRY(check(start, data, options));
    ISG_TRY_GOTO(isg_ascent_start(&my, start, data, options->memory));
    ISG_TRY_GOTO(isg_ascent_capture(&my, &so_far.capture_before));
    ISG_TRY_GOTO(climb(&my, &so_far, options, progress));
    orient(&my);
    my.patterns->info.n_ties = 0; /* units are no longer signs of means */
    if (report)
        *report = so_far;
    *out = my.patterns;
    my.patterns = NULL;
done:
    isg_ascent_release(&my);
    return status;
}

/* ---- what it is compared with --------------------------------------------------------------------- */

isg_status isg_patterns_capture(const isg_patterns *patterns, const isg_dataset *data,
                                double *out) {
    isg_ascent my = {0};
    isg_status status = ISG_OK;
    const isg_learn_options options = isg_learn_defaults();
    ISG_TRY(check(patterns, data, &options));
    ISG_TRY_GOTO(isg_ascent_start(&my, patterns, data, 0));
    ISG_TRY_GOTO(isg_ascent_capture(&my, out));
done:
    isg_ascent_release(&my);
    return status;
}

isg_status isg_capture_ceiling(const isg_dataset *data, size_t n_patterns, double *out) {
    const size_t n = data->info.n_visible;
    double *axes = NULL, *moments = NULL, sum = 0;
    isg_status status = ISG_OK;
    ISG_TRY(isg_pca_check(data, n_patterns));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(axes, n, n_patterns));
    ISG_TRY_GOTO(ISG_ALLOCATE(moments, n_patterns));
    ISG_TRY_GOTO(
        isg_pca(data, ISG_AXES_OF_MOMENTS, n_patterns, isg_matd_of(axes, n, n_patterns), moments));
    for (size_t mu = 0; mu < n_patterns; mu++)
        sum += moments[mu];
    *out = sum / (double)n;
done:
    isg_release(axes);
    isg_release(moments);
    return status;
}

isg_status isg_patterns_random(isg_patterns **out, size_t n_visible, size_t n_patterns,
                               uint64_t seed) {
    isg_patterns *patterns = NULL;
    if (n_visible == 0 || n_patterns == 0 || n_patterns > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one pattern of one unit");
    ISG_TRY(isg_patterns_allocate(&patterns, n_visible, n_patterns));
    for (size_t mu = 0; mu < n_patterns; mu++) {
        uint64_t *row = isg_patterns_spins(patterns, mu);
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_LEARN, 0, (uint32_t)mu));
        for (size_t i = 0; i < n_visible; i++)
            isg_bit_assign(row, i, isg_next_uniform(&random) < 0.5);
    }
    *out = patterns;
    return ISG_OK;
}
