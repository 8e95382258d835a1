/* claims_training.c - Section 3.1.2: training from four starts
 *
 * SPDX-License-Identifier: MIT
 *
 * L is by AIS, as in Fig. 4, except where both sides of a comparison have a better estimate: see
 * point_gap().
 */
#include <math.h>
#include <stdio.h>

#include "paper/claims_curves.h"

/* ---- Fig. 3 ----------------------------------------------------------------------------------- */

/* Holds if every column has turned by less than 45 degrees in 50 epochs. */
static void judge_weights(const claim *of, const facts *in, ruling *out) {
    const double least = fact(in, of->key, WEIGHTS_LEAST_COSINE);
    const double epochs = fact(in, of->key, WEIGHTS_EPOCHS);
    rule(out, least > sqrt(0.5) ? VERDICT_HOLDS : VERDICT_DIFFERS, least, 0);
    say_ours(out, "cosine at least %.3f, %.3f on average", least,
             fact(in, of->key, WEIGHTS_MEAN_COSINE));
    if (epochs < 50 && out->verdict == VERDICT_HOLDS)
        not_computed(out, "after %g epochs; the claim is about 50", epochs);
    else
        say_why(out, "between columns of W before and after %g epochs; similar: above 0.707",
                epochs);
}

/* ---- Fig. 4 ---------------------------------------------------------------------------------- */

static const double near = TOLERANCE_NATS;

static const char *const titles[] = {"Hopfield", "Hebbian", "PCA", "random"};

/* Whether all curves with numbers[0] hidden units are complete: with the same stops and as many runs
   at each. */
static bool has_curves(const claim *of, const facts *in, curve *of_starts, ruling *out) {
    size_t runs = 0, stops = 0;
    for (size_t s = 0; s < N_STARTS; s++) {
        read_curve(in, of->numbers[0], (isg_start)s, &of_starts[s]);
        stops = of_starts[s].n > stops ? of_starts[s].n : stops;
        for (size_t k = 0; k < of_starts[s].n; k++)
            runs = of_starts[s].at[k].runs > runs ? of_starts[s].at[k].runs : runs;
    }
    if (stops == 0) {
        not_computed(out, "fig4 has not been computed here");
        return false;
    }
    for (size_t s = 0; s < N_STARTS; s++) {
        size_t whole = 0;
        for (size_t k = 0; k < of_starts[s].n; k++)
            whole += of_starts[s].at[k].runs == runs;
        if (whole < stops) {
            not_computed(out,
                         "fig4 is not finished: p = %g, %s has %zu of %zu stops with %zu run%s",
                         of->numbers[0], titles[s], whole, stops, runs, runs > 1 ? "s" : "");
            return false;
        }
    }
    return true;
}

/* Holds if the Hopfield start is significantly above all others at every stop before numbers[1]
   epochs; numbers[0] hidden units. */
static void judge_early(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    measured least = {.value = HUGE_VAL};
    double at = 0;
    size_t other = 0;
    answer all = YES;
    const curve *mine = &c[ISG_START_HOPFIELD];
    for (size_t k = 0; k < mine->n && (k == 0 || mine->at[k].epoch < of->numbers[1]); k++)
        for (size_t s = 0; s < N_STARTS; s++) {
            const point *theirs = point_at(&c[s], mine->at[k].epoch);
            if (s == ISG_START_HOPFIELD || !theirs)
                continue;
            const measured ahead = point_gap(&mine->at[k], theirs);
            all = all_of(all, positive(out, &ahead, 1));
            if (ahead.value < least.value) {
                least = ahead;
                at = mine->at[k].epoch;
                other = s;
            }
        }
    decide(out, all, least.value, least.error);
    say_ours(out, "leads by ");
    say_measured(out, true, least.value, least.error, "nats");
    say_why(out, "Hopfield less %s at epoch %g, the smallest lead; it starts at L = %.1f",
            titles[other], at, mine->at[0].annealed.value);
}

/* When something happened: not up to stop `before`, perhaps at `perhaps`, and surely by `surely`. If
   at no stop: NaN, and -1 for `before`. */
typedef struct arrival {
    double before, perhaps, surely;
} arrival;

/* When the start is within `near` of the Hopfield start at the same epoch or above it; if `is_level`,
   when it is above the Hopfield start before training. */
static arrival catches_up(const curve *mine, const curve *hopfield, bool is_level, ruling *out) {
    arrival when = {-1, (double)NAN, (double)NAN};
    for (size_t k = 0; k < mine->n && isnan(when.surely); k++) {
        const point *other = is_level ? &hopfield->at[0] : point_at(hopfield, mine->at[k].epoch);
        if (!other)
            continue;
        const measured gap = point_gap(&mine->at[k], other);
        const measured ahead = shift(&gap, is_level ? 0 : near);
        const answer is_there = positive(out, &ahead, 1);
        if (is_there == YES)
            when.surely = mine->at[k].epoch;
        if (is_there != NO && isnan(when.perhaps))
            when.perhaps = mine->at[k].epoch;
        if (isnan(when.perhaps))
            when.before = mine->at[k].epoch;
    }
    return when;
}

/* Rules on whether something took at least (or, if is_more, more than) `least` epochs. */
static void rule_on_time(ruling *out, arrival when, double least, bool is_more) {
    if (when.before >= least || (when.perhaps == least && !is_more))
        rule_stop(out, VERDICT_HOLDS, when.perhaps);
    else if (is_more ? when.surely <= least : when.surely < least)
        rule_stop(out, VERDICT_DIFFERS, when.surely);
    else if (isnan(when.perhaps))
        rule_stop(out, VERDICT_NOT_COMPUTED, when.perhaps);
    else if (when.perhaps == when.surely)
        rule_stop(out, VERDICT_NOT_TESTABLE, when.surely); /* between two stops */
    else {
        decide(out, OPEN, 0, 0);
        rule_stop(out, out->verdict, when.perhaps);
    }
}

static void say_arrival(ruling *out, arrival when, double last) {
    if (isnan(when.perhaps))
        say_ours(out, "not within %g epochs", last);
    else if (when.perhaps == when.surely)
        say_ours(out, "at epoch %g", when.surely);
    else if (isnan(when.surely))
        say_ours(out, "not before epoch %g", when.perhaps);
    else
        say_ours(out, "at epoch %g to %g", when.perhaps, when.surely);
}

/* Holds if start numbers[1] takes at least numbers[2] epochs, or more if numbers[3], to come near
   the Hopfield start. */
static void judge_catching_up(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    const curve *mine = &c[(size_t)of->numbers[1]];
    const double last = mine->at[mine->n - 1].epoch, least = of->numbers[2];
    const arrival when = catches_up(mine, &c[ISG_START_HOPFIELD], false, out);
    rule_on_time(out, when, least, of->numbers[3] > 0);
    say_arrival(out, when, last);
    if (out->verdict == VERDICT_NOT_COMPUTED)
        not_computed(out, "needs %g epochs, found %g", least, last);
    else
        say_why(
            out,
            "the first stop within %g nats of the Hopfield start, up to two errors; farther away "
            "at every stop up to %g",
            near, fmax(when.before, 0));
}

/* Holds if the random start after 5 epochs is still below the Hopfield start before training. */
static void judge_moderate(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    const curve *mine = &c[ISG_START_NORMAL];
    const double last = mine->at[mine->n - 1].epoch;
    const arrival when = catches_up(mine, &c[ISG_START_HOPFIELD], true, out);
    rule_on_time(out, when, 5, true);
    say_arrival(out, when, last);
    if (out->verdict == VERDICT_NOT_COMPUTED)
        not_computed(out, "needs 5 epochs, which is taken for a moderate time, found %g", last);
    else
        say_why(out, "until the random start passes L = %.1f, the Hopfield start without training",
                c[ISG_START_HOPFIELD].at[0].annealed.value);
}

/* Holds if the Hopfield start after 3 epochs is significantly above the random one after 15. */
static void judge_mild(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    const point *few = point_at(&c[ISG_START_HOPFIELD], 3),
                *many = point_at(&c[ISG_START_NORMAL], 15);
    if (!few || !many) {
        not_computed(out, "needs 15 epochs, found %g",
                     c[ISG_START_NORMAL].at[c[ISG_START_NORMAL].n - 1].epoch);
        return;
    }
    const measured ahead = point_gap(few, many);
    decide(out, positive(out, &ahead, 1), ahead.value, ahead.error);
    say_measured(out, true, ahead.value, ahead.error, "nats");
    say_why(out, "Hopfield after 3 epochs less random after 15");
}

/* Holds if the four starts end within `near` of each other at 50 epochs; differs if two are apart by
   more than that and significantly. */
static void judge_same_end(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    measured most = {.value = 0};
    double last = HUGE_VAL;
    size_t pair[2] = {0, 0};
    answer all = YES;
    for (size_t s = 0; s < N_STARTS; s++)
        last = fmin(last, c[s].at[c[s].n - 1].epoch);
    for (size_t s = 0; s < N_STARTS; s++)
        for (size_t t = 0; t < N_STARTS; t++) {
            const point *one = point_at(&c[s], last), *two = point_at(&c[t], last);
            if (!one || !two)
                continue;
            const measured ahead = point_gap(one, two);
            const bool is_near = !ahead.flaw[0] && ahead.value <= near;
            all = all_of(all, is_near ? YES : not_positive(out, &ahead, 1, near));
            if (ahead.value > most.value) {
                most = ahead;
                pair[0] = s;
                pair[1] = t;
            }
        }
    decide(out, all, most.value, most.error);
    say_measured(out, false, most.value, most.error, "nats");
    say_ours(out, " apart at epoch %g", last);
    if (last < 50)
        not_computed(out, "needs 50 epochs, found %g", last);
    else
        say_why(out,
                "%s above %s; the same: within %g nats; different: apart by more than two errors",
                titles[pair[0]], titles[pair[1]], near);
}

/* Holds if at some stop between start and end, at 50 epochs, PCA is significantly above all
   others. */
static void judge_pca(const claim *of, const facts *in, ruling *out) {
    curve c[N_STARTS];
    if (!has_curves(of, in, c, out))
        return;
    const curve *mine = &c[ISG_START_PCA];
    measured most = {.value = -HUGE_VAL};
    double at = 0;
    answer any = NO;
    const double last = mine->at[mine->n - 1].epoch;
    if (last < 50) {
        not_computed(out, "needs 50 epochs, found %g", last);
        return;
    }
    for (size_t k = 1; k + 1 < mine->n; k++) {
        measured least = {.value = HUGE_VAL};
        answer all = YES;
        for (size_t s = 0; s < N_STARTS; s++) {
            const point *other = point_at(&c[s], mine->at[k].epoch);
            if (s == ISG_START_PCA || !other)
                continue;
            const measured ahead = point_gap(&mine->at[k], other);
            all = all_of(all, positive(out, &ahead, mine->n - 2));
            if (ahead.value < least.value)
                least = ahead;
        }
        any = any_of(any, all);
        if (least.value > most.value) {
            most = least;
            at = mine->at[k].epoch;
        }
    }
    decide(out, any, most.value, most.error);
    say_ours(out, "leads by ");
    say_measured(out, true, most.value, most.error, "nats");
    say_why(out, "the largest lead of PCA over all others, at epoch %g of %g", at, last);
}

/* The first stop after which L, by AIS, stays within `near` of `level`. */
static arrival arrives(const curve *of, const measured *level, ruling *out) {
    arrival when = {-1, (double)NAN, (double)NAN};
    bool is_sure = true;
    for (size_t k = of->n; k-- > 0;) {
        const measured gap = less(&of->at[k].annealed, level), ahead = shift(&gap, near);
        const answer is_there = positive(out, &ahead, 1);
        is_sure = is_sure && is_there == YES;
        if (is_there == NO) {
            when.before = of->at[k].epoch;
            break;
        }
        when.perhaps = of->at[k].epoch;
        if (is_sure)
            when.surely = of->at[k].epoch;
    }
    return when;
}

/* When each start comes within reach of the highest end; false if the curves are too short. */
static bool arrivals(const claim *of, const facts *in, ruling *out, arrival *when) {
    curve c[N_STARTS];
    const measured *level = NULL;
    if (!has_curves(of, in, c, out))
        return false;
    for (size_t s = 0; s < N_STARTS; s++) {
        const point *end = &c[s].at[c[s].n - 1];
        if (end->epoch < 50) {
            not_computed(out, "needs 50 epochs, found %g", end->epoch);
            return false;
        }
        if (!level || end->annealed.value > level->value)
            level = &end->annealed;
    }
    for (size_t s = 0; s < N_STARTS; s++)
        when[s] = arrives(&c[s], level, out);
    return true;
}

/* Holds if the random start comes within `near` of the end between 30 and 50 epochs. */
static void judge_forty(const claim *of, const facts *in, ruling *out) {
    arrival all[N_STARTS];
    if (!arrivals(of, in, out, all))
        return;
    const arrival when = all[ISG_START_NORMAL];
    const bool is_late = isnan(when.perhaps) || when.perhaps > 50;
    decide(out,
           when.perhaps >= 30 && when.surely <= 50 ? YES
           : is_late || when.surely < 30           ? NO
                                                   : OPEN,
           0, 0);
    rule_stop(out, out->verdict, when.surely);
    say_arrival(out, when, 50);
    say_why(out,
            "the first stop within %g nats of the highest final L; roughly 40: between 30 and 50",
            near);
}

/* Holds if each of the others arrives in at most half the epochs of the random start. */
static void judge_sooner(const claim *of, const facts *in, ruling *out) {
    arrival when[N_STARTS];
    double perhaps = 0, surely = 0;
    if (!arrivals(of, in, out, when))
        return;
    for (size_t s = 0; s < ISG_START_NORMAL; s++) {
        perhaps = isnan(when[s].perhaps) ? HUGE_VAL : fmax(perhaps, when[s].perhaps);
        surely = isnan(when[s].surely) ? HUGE_VAL : fmax(surely, when[s].surely);
    }
    const arrival mine = when[ISG_START_NORMAL];
    const double least = isnan(mine.perhaps) ? 50 : mine.perhaps;
    const double most = isnan(mine.surely) ? HUGE_VAL : mine.surely;
    decide(out, surely <= least / 2 ? YES : perhaps > most / 2 ? NO : OPEN, 0, 0);
    rule_stop(out, out->verdict, surely);
    for (size_t s = 0; s < N_STARTS; s++) {
        say_ours(out, "%s%s ", s > 0 ? ", " : "", titles[s]);
        say_arrival(out, when[s], 50);
    }
    say_why(out, "until within %g nats of the highest final L; much sooner: in half the epochs",
            near);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

/* Holds if 50 epochs of 60000 samples in batches of 100 are numbers[0] updates. */
static void judge_updates(const claim *of, const facts *in, ruling *out) {
    const double samples = fact(in, of->key, TIME_SAMPLES);
    const double updates = 50 * fact(in, of->key, TIME_UPDATES) * 60000 / samples;
    const double off = fabs(updates / of->numbers[0] - 1);
    rule(out, off < 0.05 ? VERDICT_HOLDS : VERDICT_DIFFERS, updates, 0);
    say_ours(out, "%g", updates);
    say_why(out, "the trainer makes %g updates in an epoch of %g samples",
            fact(in, of->key, TIME_UPDATES), samples);
}

static void judge_eye(const claim *of, const facts *in, ruling *out) {
    (void)of;
    (void)in;
    rule(out, VERDICT_NOT_TESTABLE, (double)NAN, (double)NAN);
    say_why(out, "to be judged by eye; the samples are in fig4c.png and fig4d.png");
}

/* clang-format off */
const claim claims_training[] = {
    {"updates", "Sec. 3.1.2", NULL,
     "50 epochs with batches of 100 are 3e5 updates",
     "3e5", true, judge_updates, "claims times", {3e5}},
    {"weights-stay", "Sec. 3.1.2, Fig. 3", "fig3",
     "Training changes the Hopfield weights little: they are qualitatively similar after 50 epochs",
     "qualitatively similar", false, judge_weights, "claims weights", {0}},
    {"start-small", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "Without training the Hopfield start has a much higher L than the others, p = 10",
     "much lower values", false, judge_early, NULL, {10, 0}},
    {"start-large", "Sec. 3.1.2, Fig. 4(b)", "fig4",
     "Without training the Hopfield start has a much higher L than the others, p = 50",
     "much lower values", false, judge_early, NULL, {50, 0}},
    {"early-small", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "The Hopfield start stays ahead during the first epoch, p = 10",
     "advantage early on", false, judge_early, NULL, {10, 1}},
    {"early-large", "Sec. 3.1.2, Fig. 4(b)", "fig4",
     "The Hopfield start stays ahead during the first epoch, p = 50",
     "advantage early on", false, judge_early, NULL, {50, 1}},
    {"pca-catches-up", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "PCA needs an epoch or more to perform like the Hopfield start",
     "one or more epochs", false, judge_catching_up, NULL, {10, ISG_START_PCA, 1}},
    {"hebbian-catches-up", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "The Hebbian start needs an epoch or more to perform like the Hopfield start",
     "one or more epochs", false, judge_catching_up, NULL, {10, ISG_START_HEBBIAN, 1}},
    {"random-catches-up", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "The random start takes more than 25 epochs to reach a similar level",
     "> 25 epochs", false, judge_catching_up, NULL, {10, ISG_START_NORMAL, 25, 1}},
    {"same-end-small", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "All starts reach the same value in the end, p = 10",
     "the same value", false, judge_same_end, NULL, {10}},
    {"same-end-large", "Sec. 3.1.2, Fig. 4(b)", "fig4",
     "All starts reach the same value in the end, p = 50",
     "the same value", false, judge_same_end, NULL, {50}},
    {"pca-between", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "PCA performs best for intermediate training times",
     "best in between", false, judge_pca, NULL, {10}},
    {"random-slow", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "The random start takes roughly 40 epochs to train",
     "roughly 40 epochs", false, judge_forty, NULL, {10}},
    {"others-sooner", "Sec. 3.1.2, Fig. 4(a)", "fig4",
     "The other starts arrive at the same value much sooner than the random one",
     "much sooner", false, judge_sooner, NULL, {10}},
    {"random-moderate", "Sec. 4, Fig. 4(a)", "fig4",
     "Random weights trained for a moderate time are worse than untrained Hopfield weights",
     "worse", false, judge_moderate, NULL, {10}},
    {"mild-training", "Sec. 4, Fig. 4(a)", "fig4",
     "After a few epochs the Hopfield start is better than the random one trained several times longer",
     "better", false, judge_mild, NULL, {10}},
    {"sample-quality", "Sec. 3.1.2, Fig. 4(c, d)", NULL,
     "Samples of the Hopfield start look better than those of the random start",
     "quality of samples", false, judge_eye, NULL, {0}},
    {.id = NULL},
};
/* clang-format on */
