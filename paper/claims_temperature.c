/* claims_temperature.c - Sections 3 and 3.1.1: the data, and likelihood against temperature
 *
 * SPDX-License-Identifier: MIT
 *
 * Where an estimate of ln Z is not trusted, all that is known is that L, a mean of logarithms of
 * probabilities, is not positive.
 */
#include <math.h>

#include "paper/claims_curves.h"

/* ---- Fig. 2 ----------------------------------------------------------------------------------- */

static const char *const estimators[] = {"AIS", "the best estimate"};

/* Holds if from one k to the next, up to 10, L falls at no beta, neither significantly nor by more
   than the tolerance; by the estimator numbers[0]. */
static void judge_monotone(const claim *of, const facts *in, ruling *out) {
    const size_t e = of->numbers[0] > 0;
    grid g;
    if (!read_grid(in, &g, out))
        return;
    const size_t steps = (g.n_k - 1) * g.n_betas;
    size_t falls = 0, open = 0;
    const cell *worst[2] = {NULL, NULL};
    measured most = {.value = 0};
    for (size_t a = 0; a + 1 < g.n_k; a++)
        for (size_t b = 0; b < g.n_betas; b++) {
            const cell *low = &g.at[e][a][b], *high = &g.at[e][a + 1][b];
            const measured fall = less(&low->l, &high->l);
            const answer found = not_positive(out, &fall, steps, TOLERANCE_NATS);
            falls += found == NO;
            open += found == OPEN;
            if (found == NO && fall.value > most.value) {
                most = fall;
                worst[0] = low;
                worst[1] = high;
            }
        }
    decide(out, falls > 0 ? NO : open > 0 ? OPEN : YES, (double)falls, 0);
    say_ours(out, "L falls in %zu of %zu steps of k", falls, steps);
    if (falls > 0)
        say_why(out, "by %s: most by %.2f +- %.2f nats, from k = %g to %g at beta = %g",
                estimators[e], most.value, most.error, worst[0]->k, worst[1]->k, worst[0]->beta);
    else if (g.k[g.n_k - 1] < 10)
        not_computed(out, "by %s: does not fall for k up to %g; the plotted range goes to 10",
                     estimators[e], g.k[g.n_k - 1]);
    else if (open > 0)
        say_why(
            out,
            "%zu of the steps depend on an estimate that is not trusted, or fall by more than %d "
            "nats but within the errors",
            open, TOLERANCE_NATS);
    else
        say_why(out, "by %s, at all %zu beta", estimators[e], g.n_betas);
}

/* The highest L without a flaw, or the first cell if all are flawed; and whether none of the others
   might be higher. */
static const cell *top_of(const grid *g, size_t e, size_t a, bool *is_certain) {
    const cell *best = NULL;
    *is_certain = true;
    for (size_t b = 0; b < g->n_betas; b++) {
        const cell *at = &g->at[e][a][b];
        if (at->l.flaw[0])
            *is_certain = false;
        else if (!best || at->l.value > best->l.value)
            best = at;
    }
    return best ? best : &g->at[e][a][0];
}

/* Whether L at some beta from low to high, other than that of `end`, is higher than at `end`. */
static answer is_passed(const grid *g, size_t a, double low, double high, const cell *end,
                        ruling *out) {
    answer found = NO;
    for (size_t b = 0; b < g->n_betas; b++)
        if (g->beta[b] >= low && g->beta[b] <= high && g->beta[b] != end->beta) {
            const measured ahead = less(&g->at[1][a][b].l, &end->l);
            found = any_of(found, positive(out, &ahead, 1));
        }
    return found;
}

/* Holds if for every k, L at each beta outside 1.5 to 2.5 is exceeded at one inside, by the best
   estimate. */
static void judge_peak(const claim *of, const facts *in, ruling *out) {
    const double low = 1.5, high = 2.5;
    grid g;
    size_t inside = 0, off = 0;
    double last = 0;
    answer all = YES;
    (void)of;
    if (!read_grid(in, &g, out))
        return;
    for (size_t b = 0; b < g.n_betas; b++)
        inside += g.beta[b] >= low && g.beta[b] <= high;
    if (inside == 0 || inside == g.n_betas) {
        not_computed(out, "needs beta both inside and outside 1.5 to 2.5, found %g to %g",
                     g.beta[0], g.beta[g.n_betas - 1]);
        return;
    }
    say_ours(out, "beta");
    for (size_t a = 0; a < g.n_k; a++) {
        bool is_certain;
        answer here = YES;
        for (size_t b = 0; b < g.n_betas; b++)
            if (g.beta[b] < low || g.beta[b] > high)
                here = all_of(here, is_passed(&g, a, low, high, &g.at[1][a][b], out));
        last = top_of(&g, 1, a, &is_certain)->beta;
        off += here == NO;
        all = all_of(all, here);
        say_ours(out, "%s %g%s", a > 0 ? "," : "", last, is_certain ? "" : "?");
    }
    say_ours(out, " (k = %g to %g)", g.k[0], g.k[g.n_k - 1]);
    decide(out, all, last, 0);
    say_why(out,
            "%zu of %zu peaks, by the best estimate, are clearly outside 1.5 to 2.5; "
            "beta = %g to %g were computed",
            off, g.n_k, g.beta[0], g.beta[g.n_betas - 1]);
}

/* Holds if for every k L is higher somewhere than at either end of the range. */
static void judge_ends(const claim *of, const facts *in, ruling *out) {
    grid g;
    measured least = {.value = HUGE_VAL};
    answer all = YES;
    (void)of;
    if (!read_grid(in, &g, out))
        return;
    for (size_t a = 0; a < g.n_k; a++)
        for (size_t side = 0; side < 2; side++) {
            const cell *end = &g.at[1][a][side == 0 ? 0 : g.n_betas - 1];
            bool is_certain;
            const measured fall = less(&top_of(&g, 1, a, &is_certain)->l, &end->l);
            all = all_of(all, is_passed(&g, a, 0, HUGE_VAL, end, out));
            if (!fall.flaw[0] && fall.value < least.value)
                least = fall;
        }
    decide(out, all, least.value, least.error);
    if (isfinite(least.value)) {
        say_measured(out, false, least.value, least.error, "nats");
        say_ours(out, " below the peak, or more");
    }
    say_why(out, "at beta = %g and %g, by the best estimate, for every k from %g to %g", g.beta[0],
            g.beta[g.n_betas - 1], g.k[0], g.k[g.n_k - 1]);
}

/* How far L falls from its peak to the lowest temperature: at least `least` and at most `most`, which
   is larger if the peak may be where an estimate is not trusted and only L <= 0 is known. */
typedef struct drop {
    measured least, most;
} drop;

static drop drop_of(const grid *g, size_t e, size_t a) {
    const cell *end = &g->at[e][a][g->n_betas - 1];
    bool is_certain;
    const measured least = less(&top_of(g, e, a, &is_certain)->l, &end->l);
    return (drop){least, is_certain ? least : minus(&end->l)};
}

/* Holds if L falls significantly less from its peak to the lowest temperature for the largest k than
   for the smallest, by both estimators. */
static void judge_sustained(const claim *of, const facts *in, ruling *out) {
    grid g;
    drop few[2], many[2];
    answer all = YES;
    (void)of;
    if (!read_grid(in, &g, out))
        return;
    for (size_t e = 0; e < 2; e++) {
        few[e] = drop_of(&g, e, 0);
        many[e] = drop_of(&g, e, g.n_k - 1);
        const measured surely = less(&few[e].least, &many[e].most);
        const measured perhaps = less(&few[e].most, &many[e].least);
        const answer yes = positive(out, &surely, 1), no = positive(out, &perhaps, 1);
        all = all_of(all, yes == YES ? YES : no == NO ? NO : OPEN);
    }
    decide(out, all, many[1].least.value, many[1].least.error);
    say_ours(out, "L falls by %.1f for k = %g, %.1f for k = %g", few[1].least.value, g.k[0],
             many[1].least.value, g.k[g.n_k - 1]);
    say_why(out, "from the peak to beta = %g, by the best estimate; by AIS %.1f and %.1f",
            g.beta[g.n_betas - 1], few[0].least.value, many[0].least.value);
    for (size_t side = 0; side < 2; side++) {
        const drop *by = side == 0 ? &few[1] : &many[1];
        if (by->most.value > by->least.value)
            say_why(out,
                    "; by at most %.1f for k = %g, where the peak is not trusted and only L <= 0 "
                    "is known",
                    by->most.value, side == 0 ? g.k[0] : g.k[g.n_k - 1]);
    }
}

/* Holds if AIS and the best estimate nowhere differ significantly, or by more than the
   tolerance. */
static void judge_ais(const claim *of, const facts *in, ruling *out) {
    grid g;
    size_t off = 0, all = 0;
    const cell *clearest = NULL;
    measured most = {.value = 0};
    double widest = 0;
    answer found = YES;
    (void)of;
    if (!read_grid(in, &g, out))
        return;
    for (size_t a = 0; a < g.n_k; a++)
        for (size_t b = 0; b < g.n_betas; b++) {
            const cell *best = &g.at[1][a][b];
            const measured by = less(&g.at[0][a][b].l, &best->l);
            const answer here = no_difference(out, &by, g.n_k * g.n_betas, TOLERANCE_NATS);
            found = all_of(found, here);
            if (by.flaw[0])
                continue;
            all++;
            widest = fmax(widest, fabs(by.value));
            off += here == NO;
            if (!clearest || fabs(by.value) * most.error > fabs(most.value) * by.error) {
                most = by;
                clearest = best;
            }
        }
    decide(out, found, most.value, most.error);
    say_ours(out, "clearest difference ");
    say_measured(out, true, most.value, most.error, "nats");
    if (clearest)
        say_why(out, "at k = %g, beta = %g; ", clearest->k, clearest->beta);
    say_why(out,
            "%zu of %zu points differ by more than chance explains among so many, "
            "at most by %.2g nats; tolerance %d nats",
            off, all, widest, TOLERANCE_NATS);
}

/* ---- data, times and what cannot be measured --------------------------------------------------- */

/* Holds if the printed rule gives the same data. The published figures were made, as ours are, with
   pixel / 255 > 0.01. */
static void judge_pixels(const claim *of, const facts *in, ruling *out) {
    const double bits = fact(in, of->key, PIXELS_BITS), changed = fact(in, of->key, PIXELS_CHANGED);
    rule(out, changed == 0 ? VERDICT_HOLDS : VERDICT_DIFFERS, changed, 0);
    say_ours(out, "+1: %.6f of all pixels; above 0 are %.6f", fact(in, of->key, PIXELS_OURS),
             fact(in, of->key, PIXELS_PRINTED));
    say_why(
        out,
        "the rule behind the published figures is pixel/255 > 0.01; by it, %.2g %% of all pixels "
        "are not zero and yet -1, and %g of %g bits of the class patterns differ",
        100 * changed, bits, fact(in, of->key, PIXELS_ALL_BITS));
}

/* Holds if 50 epochs take more than numbers[1] times as long as the mapping, with the clustering if
   numbers[0]. */
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
    say_why(
        out,
        "a theory of many random patterns in a large network, which the paper quotes and does not "
        "compute; alpha = 80/784 = %.3f is right",
        80.0 / 784);
}

/* clang-format off */
const claim claims_temperature[] = {
    {"nonzero-pixels", "Sec. 3", NULL,
     "Images are made binary by setting all nonzero pixels to +1",
     "pixel > 0", true, judge_pixels, "claims pixels", {0}},
    {"monotone-ais", "Sec. 3.1.1, Fig. 2", "fig2",
     "By AIS, as in the paper, L rises with k at every beta plotted",
     "monotone", false, judge_monotone, NULL, {0}},
    {"monotone", "Sec. 3.1.1, Fig. 2", "fig2",
     "The likelihood itself rises with k at every beta plotted",
     "monotone", false, judge_monotone, NULL, {1}},
    {"peak", "Sec. 3.1.1, Fig. 2", "fig2",
     "L is highest near beta = 2", "near 2", false, judge_peak, NULL, {0}},
    {"both-ends", "Sec. 3.1.1, Fig. 2", "fig2",
     "The data are modeled poorly if the temperature is too high or too low",
     "L falls on both sides", false, judge_ends, NULL, {0}},
    {"sustained", "Sec. 3.1.1, Fig. 2", "fig2",
     "With more sub-patterns, L stays high down to lower temperatures",
     "falls less for larger k", false, judge_sustained, NULL, {0}},
    {"annealing", "Fig. 2", "fig2",
     "AIS with 500 chains of 1000 steps gives the likelihood",
     "500 chains, 1000 steps", false, judge_ais, NULL, {0}},
    {"melting", "Sec. 3.1.1", NULL,
     "Theory puts the melting of the pattern basins at beta = 1.5 for alpha = 0.1, close to the peak",
     "1.5", false, judge_theory, NULL, {0}},
    {"one-shot-time", "Sec. 3.1.1", NULL,
     "Training takes much longer than class averages and a QR decomposition",
     "significantly more", false, judge_time, "claims times", {0, 10}},
    {"clustering-time", "Sec. 3.1.1", NULL,
     "Even with the search for sub-classes it is faster than training",
     "typically faster", false, judge_time, "claims times", {1, 1}},
    {.id = NULL},
};
/* clang-format on */
