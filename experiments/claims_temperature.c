/* claims_temperature.c - Sections 3 and 3.1.1: the data, and likelihood against temperature
 *
 * SPDX-License-Identifier: MIT
 *
 * Estimates of ln Z that are not trusted are likely too low, so that an L made of one is likely too
 * high: it can refute that L rises with k, and never support it. Where the shape of the curves is
 * judged, it counts with an error of 20 nats.
 */
#include <math.h>

#include "experiments/claims_curves.h"
#include "src/base/elementary.h"

/* ---- Fig. 2 ----------------------------------------------------------------------------------- */

static const char *const estimators[] = {"AIS", "the best estimate"};

/* Whether Fig. 2 is there, by both estimators for every k at every beta. */
static bool has_grid(const facts *in, grid *of, ruling *out) {
    read_grid(in, of);
    if (of->n_k < 2 || of->n_betas < 2) {
        not_computed(out, "fig2 has not been computed here");
        return false;
    }
    for (size_t a = 0; a < of->n_k; a++)
        for (size_t b = 0; b < of->n_betas; b++)
            if (isnan(of->at[0][a][b].l) || isnan(of->at[1][a][b].l)) {
                not_computed(out, "fig2 is not finished: k = %g, beta = %g is missing", of->k[a],
                             of->beta[b]);
                return false;
            }
    return true;
}

/* Holds if L never falls significantly from one k to the next at any beta, up to k = 10; by the
   estimator numbers[0], and then only if it is trusted everywhere and no step falls by more than the
   tolerance. */
static void judge_monotone(const claim *of, const facts *in, ruling *out) {
    const size_t e = of->numbers[0] > 0;
    grid g;
    if (!has_grid(in, &g, out))
        return;
    size_t falls = 0, steps = 0, doubtful = 0;
    const cell *worst[2] = {NULL, NULL};
    double most = 0, error = 0;
    for (size_t a = 0; a + 1 < g.n_k; a++)
        for (size_t b = 0; b < g.n_betas; b++) {
            const cell *low = &g.at[e][a][b], *high = &g.at[e][a + 1][b];
            const double fall = low->l - high->l, both = isg_hypot(low->error, high->error);
            steps++;
            doubtful += !low->is_trusted || !high->is_trusted || fall > TOLERANCE_NATS;
            if (!low->is_trusted || significant_among(fall, both, (g.n_k - 1) * g.n_betas) <= 0)
                continue;
            falls++;
            if (fall > most) {
                most = fall;
                error = both;
                worst[0] = low;
                worst[1] = high;
            }
        }
    rule(out, falls > 0 ? VERDICT_DIFFERS : VERDICT_HOLDS, (double)falls, 0);
    say_ours(out, "L falls in %zu of %zu steps of k", falls, steps);
    if (falls > 0)
        say_why(out, "by %s: most by %.2f +- %.2f nats, from k = %g to %g at beta = %g",
                estimators[e], most, error, worst[0]->k, worst[1]->k, worst[0]->beta);
    else if (g.k[g.n_k - 1] < 10)
        not_computed(out, "by %s: rises for every k up to %g, the range plotted goes to 10",
                     estimators[e], g.k[g.n_k - 1]);
    else if (doubtful > 0) {
        out->verdict = VERDICT_NOT_TESTABLE;
        say_why(out,
                "%zu of the steps rest on an estimate that is not trusted, or fall by more than %d "
                "nats within the errors",
                doubtful, TOLERANCE_NATS);
    } else
        say_why(out, "by %s, at all %zu beta", estimators[e], g.n_betas);
}

/* The beta at which L is highest, and whether one between low and high is not significantly worse. */
static double peak_of(const grid *g, size_t e, size_t a, double low, double high, bool *is_there) {
    size_t best = 0;
    for (size_t b = 0; b < g->n_betas; b++)
        if (g->at[e][a][b].l > g->at[e][a][best].l)
            best = b;
    *is_there = false;
    for (size_t b = 0; b < g->n_betas; b++)
        if (g->beta[b] >= low && g->beta[b] <= high) {
            const cell *top = &g->at[e][a][best], *at = &g->at[e][a][b];
            *is_there =
                *is_there || significant(top->l - at->l, isg_hypot(top->doubt, at->doubt)) == 0;
        }
    return g->beta[best];
}

/* Holds if for every k the peak, by the best estimate, lies between 1.5 and 2.5. */
static void judge_peak(const claim *of, const facts *in, ruling *out) {
    grid g;
    (void)of;
    if (!has_grid(in, &g, out))
        return;
    size_t off = 0;
    double last = 0;
    say_ours(out, "beta");
    for (size_t a = 0; a < g.n_k; a++) {
        bool is_there;
        last = peak_of(&g, 1, a, 1.5, 2.5, &is_there);
        off += !is_there;
        say_ours(out, "%s %g", a > 0 ? "," : "", last);
    }
    say_ours(out, " (k = %g to %g)", g.k[0], g.k[g.n_k - 1]);
    rule(out, off > 0 ? VERDICT_DIFFERS : VERDICT_HOLDS, last, 0);
    say_why(out,
            "%zu of %zu peaks, by the best estimate, are clearly outside 1.5 to 2.5; "
            "beta = %g to %g were computed",
            off, g.n_k, g.beta[0], g.beta[g.n_betas - 1]);
}

/* Holds if for every k L falls significantly from its peak to both ends of the range. */
static void judge_ends(const claim *of, const facts *in, ruling *out) {
    grid g;
    (void)of;
    if (!has_grid(in, &g, out))
        return;
    size_t off = 0;
    double least = HUGE_VAL, error = 0;
    for (size_t a = 0; a < g.n_k; a++) {
        bool is_there;
        const double peak = peak_of(&g, 1, a, 0, HUGE_VAL, &is_there);
        for (size_t side = 0; side < 2; side++) {
            const cell *end = &g.at[1][a][side == 0 ? 0 : g.n_betas - 1];
            const cell *top = cell_at(&g, 1, a, peak);
            const double both = isg_hypot(top->doubt, end->doubt);
            off += significant(top->l - end->l, both) <= 0;
            if (top->l - end->l < least) {
                least = top->l - end->l;
                error = both;
            }
        }
    }
    rule(out, off > 0 ? VERDICT_DIFFERS : VERDICT_HOLDS, least, error);
    say_measured(out, false, least, error, "nats");
    say_ours(out, " below the peak, or more");
    say_why(out, "at beta = %g and %g, by the best estimate, for every k from %g to %g", g.beta[0],
            g.beta[g.n_betas - 1], g.k[0], g.k[g.n_k - 1]);
}

/* Holds if L falls significantly less from its peak to the lowest temperature for the largest k than
   for the smallest, by both estimators. */
static void judge_sustained(const claim *of, const facts *in, ruling *out) {
    grid g;
    double drop[2][2], error[2][2];
    bool is_fine = true;
    (void)of;
    if (!has_grid(in, &g, out))
        return;
    for (size_t e = 0; e < 2; e++) {
        for (size_t side = 0; side < 2; side++) {
            const size_t a = side == 0 ? 0 : g.n_k - 1;
            bool is_there;
            const cell *top = cell_at(&g, e, a, peak_of(&g, e, a, 0, HUGE_VAL, &is_there));
            const cell *end = &g.at[e][a][g.n_betas - 1];
            drop[e][side] = top->l - end->l;
            error[e][side] = isg_hypot(top->doubt, end->doubt);
        }
        is_fine = is_fine &&
                  significant(drop[e][0] - drop[e][1], isg_hypot(error[e][0], error[e][1])) > 0;
    }
    rule(out, is_fine ? VERDICT_HOLDS : VERDICT_DIFFERS, drop[1][1], error[1][1]);
    say_ours(out, "L falls by %.1f for k = %g, %.1f for k = %g", drop[1][0], g.k[0], drop[1][1],
             g.k[g.n_k - 1]);
    say_why(out, "from the peak to beta = %g, by the best estimate; by AIS %.1f and %.1f",
            g.beta[g.n_betas - 1], drop[0][0], drop[0][1]);
}

/* Holds if AIS and the best estimate, where trusted, nowhere differ significantly, or by more than
   the tolerance. */
static void judge_ais(const claim *of, const facts *in, ruling *out) {
    grid g;
    size_t off = 0, all = 0;
    double most = 0, error = 0, k = 0, beta = 0, widest = 0;
    (void)of;
    if (!has_grid(in, &g, out))
        return;
    for (size_t a = 0; a < g.n_k; a++)
        for (size_t b = 0; b < g.n_betas; b++) {
            const cell *annealed = &g.at[0][a][b], *best = &g.at[1][a][b];
            const double both = isg_hypot(annealed->error, best->error);
            if (!best->is_trusted)
                continue;
            all++;
            widest = fmax(widest, fabs(annealed->l - best->l));
            off += significant_among(annealed->l - best->l, both, g.n_k * g.n_betas) != 0;
            if (fabs(annealed->l - best->l) * error > fabs(most) * both || all == 1) {
                most = annealed->l - best->l;
                error = both;
                k = g.k[a];
                beta = g.beta[b];
            }
        }
    rule(out, all > 0 ? no_difference(off > 0, widest, TOLERANCE_NATS) : VERDICT_NOT_TESTABLE, most,
         error);
    say_ours(out, "clearest difference ");
    say_measured(out, true, most, error, "nats");
    say_why(
        out,
        "at k = %g, beta = %g; %zu of %zu points differ by more than chance allows among so many, "
        "the widest by %.2g; tolerance %d nats",
        k, beta, off, all, widest, TOLERANCE_NATS);
}

/* ---- data, times and what cannot be measured --------------------------------------------------- */

/* Holds if the printed rule gives the same data: what made the published figures, and is used here,
   is the rule pixel / 255 > 0.01. */
static void judge_pixels(const claim *of, const facts *in, ruling *out) {
    const double bits = fact(in, of->key, PIXELS_BITS), changed = fact(in, of->key, PIXELS_CHANGED);
    rule(out, changed == 0 ? VERDICT_HOLDS : VERDICT_DIFFERS, changed, 0);
    say_ours(out, "+1: %.6f of all pixels; above 0 are %.6f", fact(in, of->key, PIXELS_OURS),
             fact(in, of->key, PIXELS_PRINTED));
    say_why(out,
            "the rule behind the published figures is pixel/255 > 0.01; it makes %.2g %% of the "
            "pixels -1 that are not zero, and %g of %g bits of the class patterns others",
            100 * changed, bits, fact(in, of->key, PIXELS_ALL_BITS));
}

/* Holds if 50 epochs take numbers[1] times as long as what numbers[0] names. */
static void judge_time(const claim *of, const facts *in, ruling *out) {
    const bool has_clusters = of->numbers[0] > 0;
    const double once =
        fact(in, of->key, TIME_MAPPING) + (has_clusters ? fact(in, of->key, TIME_CLUSTERING) : 0);
    const double epoch = fact(in, of->key, TIME_EPOCH), ratio = 50 * epoch / once;
    rule(out, ratio > of->numbers[1] ? VERDICT_HOLDS : VERDICT_DIFFERS, ratio, (double)NAN);
    say_ours(out, "%.0f times faster than 50 epochs", ratio);
    say_why(out,
            "%.2g s for %s, %.2g s for an epoch of CD-20 with 10 hidden units, as measured on this "
            "machine; judged by a factor %g",
            once, has_clusters ? "clustering, averages and QR" : "averages and QR", epoch,
            of->numbers[1]);
}

static void judge_theory(const claim *of, const facts *in, ruling *out) {
    (void)of;
    (void)in;
    rule(out, VERDICT_NOT_TESTABLE, (double)NAN, (double)NAN);
    say_why(out,
            "a theory of many random patterns in a large network, quoted and not computed; alpha = "
            "80/784 = %.3f is right",
            80.0 / 784);
}

/* clang-format off */
const claim claims_temperature[] = {
    {"nonzero-pixels", "Sec. 3", NULL,
     "Images become spins by setting all pixels that are not zero to +1",
     "pixel > 0", true, judge_pixels, "claims pixels", {0}},
    {"monotone-ais", "Sec. 3.1.1, Fig. 2", "fig2",
     "By AIS, as the paper has it, L rises with k at every beta plotted",
     "monotone", false, judge_monotone, NULL, {0}},
    {"monotone", "Sec. 3.1.1, Fig. 2", "fig2",
     "The likelihood itself rises with k at every beta plotted",
     "monotone", false, judge_monotone, NULL, {1}},
    {"peak", "Sec. 3.1.1, Fig. 2", "fig2",
     "L is highest near beta = 2", "near 2", false, judge_peak, NULL, {0}},
    {"both-ends", "Sec. 3.1.1, Fig. 2", "fig2",
     "Data are poorly modelled at temperatures too high and too low",
     "L falls on both sides", false, judge_ends, NULL, {0}},
    {"sustained", "Sec. 3.1.1, Fig. 2", "fig2",
     "With more sub-patterns L is sustained at lower temperatures",
     "falls less for larger k", false, judge_sustained, NULL, {0}},
    {"annealing", "Fig. 2", "fig2",
     "AIS with 500 chains of 1000 steps gives the likelihood",
     "500 chains, 1000 steps", false, judge_ais, NULL, {0}},
    {"melting", "Sec. 3.1.1", NULL,
     "Theory puts the melting of the pattern basins at beta = 1.5 for alpha = 0.1, close to the peak",
     "1.5", false, judge_theory, NULL, {0}},
    {"one-shot-time", "Sec. 3.1.1", NULL,
     "Training takes much longer than averaging the classes and a QR decomposition",
     "significantly more", false, judge_time, "claims times", {0, 10}},
    {"clustering-time", "Sec. 3.1.1", NULL,
     "Finding sub-classes too is still faster than training",
     "typically faster", false, judge_time, "claims times", {1, 1}},
    {.id = NULL},
};
/* clang-format on */
