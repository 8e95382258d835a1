/* claims_experts.c - Section 3.2 and Fig. E1: classification by products of experts
 *
 * SPDX-License-Identifier: MIT
 *
 * Error rates are shares of the test images; claims_curves.h says how accurate they are. Of two that
 * differ by less than two standard errors, neither is called better.
 */
#include <math.h>

#include "paper/claims_curves.h"
#include "src/base/elementary.h"

static const char *const titles[] = {"Hopfield", "Hebbian", "PCA", "random"};
static const size_t *const sizes = expert_sizes;

/* By how much the test error of `one` exceeds that of `two`. */
static measured excess(const share *one, const share *two) {
    return less(&one->test, &two->test);
}

static size_t last_stop(const expert_curve *of) {
    return of->n > 0 ? of->stops[of->n - 1] : 0;
}

/* Says that a point is missing, and what there is instead. */
static void lacks(const expert_curves *all, size_t k, isg_start start, size_t epoch, ruling *out) {
    const expert_curve *mine = curve_of(all, k, start);
    if (mine->n == 0)
        not_computed(out, "k = %zu, %s has not been computed here", k, titles[start]);
    else
        not_computed(out, "needs %zu epochs of k = %zu, %s, found %zu", epoch, k, titles[start],
                     last_stop(mine));
}

/* Holds if the error rate with 100 hidden units of start numbers[0] after numbers[1] epochs is
   numbers[2], within the tolerance and two standard errors, which are binomial on both sides and
   include half of the paper's last digit. */
static void judge_value(const claim *of, const facts *in, ruling *out) {
    const isg_start start = (isg_start)of->numbers[0];
    const size_t epoch = (size_t)of->numbers[1];
    const double expected = of->numbers[2];
    expert_curves x;
    if (!read_experts(in, &x, out))
        return;
    const share found = share_at(&x, 100, start, epoch);
    if (found.runs == 0) {
        lacks(&x, 100, start, epoch, out);
        return;
    }
    const measured paper =
        measure(expected, isg_hypot(sqrt(expected * (1 - expected) / in->test_samples), 0.0005),
                true, "it");
    const measured off = less(&found.test, &paper);
    decide(out, no_difference(out, &off, 1, TOLERANCE_ERROR), 100 * found.test.value,
           100 * found.test.error);
    say_ours(out, "%.2f +- %.2f %%", 100 * found.test.value, 100 * found.test.error);
    say_why(out,
            "%+.2f +- %.2f %% from the paper, whose regression had not converged; tolerance %g %%; "
            "%zu run%s",
            100 * off.value, 100 * off.error, 100 * TOLERANCE_ERROR, found.runs,
            found.runs > 1 ? "s" : "");
}

/* Holds if Hopfield and PCA experts both misclassify a share numbers[2] of the training images, within
   the tolerance and two standard errors, which include half of the paper's last digit. */
static void judge_training_error(const claim *of, const facts *in, ruling *out) {
    static const isg_start shown[] = {ISG_START_HOPFIELD, ISG_START_PCA};
    const size_t epoch = (size_t)of->numbers[1];
    const measured paper = measure(of->numbers[2], 0.0005, true, "it");
    measured most = {.value = 0};
    answer all = YES;
    expert_curves x;
    if (!read_experts(in, &x, out))
        return;
    for (size_t s = 0; s < 2; s++) {
        const share found = share_at(&x, 100, shown[s], epoch);
        if (found.runs == 0) {
            out->ours[0] = '\0';
            lacks(&x, 100, shown[s], epoch, out);
            return;
        }
        const measured off = less(&found.training, &paper);
        all = all_of(all, no_difference(out, &off, 2, TOLERANCE_ERROR));
        if (s == 0 || fabs(off.value) > fabs(most.value))
            most = off;
        say_ours(out, "%s%s %.2f %% (test %.2f %%)", s > 0 ? ", " : "", titles[shown[s]],
                 100 * found.training.value, 100 * found.test.value);
    }
    decide(out, all, 100 * (of->numbers[2] + most.value), 100 * most.error);
    say_why(
        out,
        "error on the training set; at most %+.2f +- %.2f %% from the paper, tolerance %g %%; the "
        "figure shows test errors",
        100 * most.value, 100 * most.error, 100 * TOLERANCE_ERROR);
}

/* Holds if untrained Hopfield experts of 100 are not worse than random ones after 50 epochs, neither
   significantly nor by more than the tolerance; "slightly better" is less than the errors resolve. */
static void judge_untrained(const claim *of, const facts *in, ruling *out) {
    expert_curves x;
    (void)of;
    if (!read_experts(in, &x, out))
        return;
    const share ours = share_at(&x, 100, ISG_START_HOPFIELD, 0);
    const share theirs = share_at(&x, 100, ISG_START_NORMAL, 50);
    if (ours.runs == 0 || theirs.runs == 0) {
        lacks(&x, 100, ours.runs == 0 ? ISG_START_HOPFIELD : ISG_START_NORMAL,
              ours.runs == 0 ? 0 : 50, out);
        return;
    }
    const measured by = excess(&ours, &theirs);
    decide(out, not_positive(out, &by, 1, TOLERANCE_ERROR), 100 * by.value, 100 * by.error);
    say_ours(out, "%+.2f +- %.2f %%", 100 * by.value, 100 * by.error);
    say_why(out,
            "%.2f %% without training, %.2f %% for random weights after 50 epochs; tolerance "
            "%g %%",
            100 * ours.test.value, 100 * theirs.test.value, 100 * TOLERANCE_ERROR);
}

/* "Not worse" without a tolerance: NO only if the lead is significantly negative. */
static answer not_worse(const measured *lead, answer is_better) {
    return lead->flaw[0] ? OPEN : is_better == NO ? NO : YES;
}

/* Holds if for k = 10 and 20, from epoch numbers[0] to numbers[1], start numbers[2] is nowhere
   significantly worse than the others of Fig. 5 and somewhere significantly better; all of them have
   to be trained up to numbers[1]. */
static void judge_best_of_small(const claim *of, const facts *in, ruling *out) {
    static const isg_start shown[] = {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL};
    expert_curves x;
    if (!read_experts(in, &x, out))
        return;
    const isg_start mine = (isg_start)of->numbers[2];
    size_t better = 0, worse = 0, reached = 0;
    measured least = {.value = HUGE_VAL};
    answer nowhere_worse = YES, somewhere_better = OPEN;
    for (size_t k = 0; k < 2; k++) {
        const expert_curve *own = &x.of[k][mine];
        size_t within = 0;
        for (size_t e = 0; e < own->n; e++)
            within +=
                (double)own->stops[e] >= of->numbers[0] && (double)own->stops[e] <= of->numbers[1];
        for (size_t e = 0; e < own->n; e++)
            for (size_t s = 0; s < 3; s++) {
                const double epoch = (double)own->stops[e];
                const share other = share_at(&x, sizes[k], shown[s], own->stops[e]);
                if (shown[s] == mine || other.runs == 0 || epoch < of->numbers[0] ||
                    epoch > of->numbers[1])
                    continue;
                const measured lead = excess(&other, &own->at[e]);
                const answer is_better = positive(out, &lead, 4 * within);
                better += is_better == YES;
                worse += is_better == NO;
                reached++;
                somewhere_better = any_of(somewhere_better, is_better);
                nowhere_worse = all_of(nowhere_worse, not_worse(&lead, is_better));
                if (lead.value < least.value)
                    least = lead;
            }
    }
    for (size_t s = 0; worse == 0 && s < 6; s++)
        if (share_at(&x, sizes[s / 3], shown[s % 3], (size_t)of->numbers[1]).runs == 0) {
            lacks(&x, sizes[s / 3], shown[s % 3], (size_t)of->numbers[1], out);
            return;
        }
    decide(out, all_of(nowhere_worse, somewhere_better), 100 * least.value, 100 * least.error);
    say_ours(out, "better in %zu, worse in %zu of %zu comparisons", better, worse, reached);
    say_why(out,
            "significantly, %s against the others for k = 10 and 20; the smallest lead is %+.2f +- "
            "%.2f %%",
            titles[mine], 100 * least.value, 100 * least.error);
}

/* "About 10 epochs" is taken as 5 to 20. Holds if Hopfield experts of 100 are significantly better than
   PCA at all stops up to 5 and at none after 20, where PCA is not better by 1 % either: then they are
   similar. */
static void judge_large(const claim *of, const facts *in, ruling *out) {
    size_t ahead = 0, early = 0, late = 0;
    double until = (double)NAN;
    answer all = YES;
    expert_curves x;
    (void)of;
    if (!read_experts(in, &x, out))
        return;
    const expert_curve *own = curve_of(&x, 100, ISG_START_HOPFIELD);
    for (size_t e = 0; e < own->n; e++) {
        const size_t epoch = own->stops[e];
        const share pca = share_at(&x, 100, ISG_START_PCA, epoch);
        if (pca.runs == 0)
            continue;
        const measured lead = excess(&pca, &own->at[e]);
        const answer is_ahead = positive(out, &lead, 1);
        const bool is_apart = is_ahead == YES || (is_ahead == NO && lead.value < -0.01);
        if (is_ahead == YES)
            until = (double)epoch;
        early += epoch <= 5;
        ahead += epoch <= 5 && is_ahead == YES;
        late += epoch > 20 && is_apart;
        if (epoch <= 5)
            all = all_of(all, is_ahead);
        else if (epoch > 20)
            all = all_of(all, lead.flaw[0] ? OPEN : is_apart ? NO : YES);
    }
    const size_t last = last_stop(curve_of(&x, 100, ISG_START_PCA));
    if (early == 0) {
        lacks(&x, 100, ISG_START_PCA, 50, out);
        return;
    }
    decide(out, until < 5 ? all_of(all, OPEN) : all, 0, 0);
    rule_stop(out, out->verdict, until);
    if (isnan(until))
        say_ours(out, "never ahead");
    else
        say_ours(out, "ahead until %g epochs", until);
    if (out->verdict != VERDICT_DIFFERS && last < 50)
        not_computed(out, "needs 50 epochs, found %zu", last);
    else
        say_why(
            out,
            "the last stop at which PCA is significantly worse, of %zu epochs, k = 100; ahead at "
            "%zu of %zu stops up to 5, apart at %zu after 20",
            last, ahead, early, late);
}

/* Holds if up to 50 epochs Hopfield and PCA experts of 10 are nowhere worse than random ones of 100,
   neither significantly nor by more than the tolerance. */
static void judge_small_beats_large(const claim *of, const facts *in, ruling *out) {
    static const isg_start mine[] = {ISG_START_HOPFIELD, ISG_START_PCA};
    size_t worse = 0, all = 0, last[2] = {0, 0};
    measured least = {.value = HUGE_VAL};
    answer found = YES;
    expert_curves x;
    (void)of;
    if (!read_experts(in, &x, out))
        return;
    for (size_t s = 0; s < 2; s++) {
        const expert_curve *own = curve_of(&x, 10, mine[s]);
        for (size_t e = 0; e < own->n && own->stops[e] <= 50; e++) {
            const share random = share_at(&x, 100, ISG_START_NORMAL, own->stops[e]);
            if (random.runs == 0)
                continue;
            const measured by = excess(&own->at[e], &random), lead = minus(&by);
            const answer here = not_positive(out, &by, 2 * own->n, TOLERANCE_ERROR);
            found = all_of(found, here);
            worse += here == NO;
            all++;
            last[s] = own->stops[e];
            if (lead.value < least.value)
                least = lead;
        }
    }
    if (all == 0) {
        lacks(&x, 100, ISG_START_NORMAL, 50, out);
        return;
    }
    const size_t both = last[0] < last[1] ? last[0] : last[1];
    decide(out, found, 100 * least.value, 100 * least.error);
    say_ours(out, "worse in %zu of %zu comparisons", worse, all);
    if (worse == 0 && both < 50)
        not_computed(out, "needs 50 epochs of k = 10 and of k = 100, random, found %zu", both);
    else
        say_why(
            out,
            "smallest lead over random weights with k = 100: %+.2f +- %.2f %%, until epoch %zu; "
            "tolerance %g %%",
            100 * least.value, 100 * least.error, both, 100 * TOLERANCE_ERROR);
}

/* Holds if after numbers[0] epochs the error of every start in Fig. 5, or of the Hopfield start alone if
   numbers[1], is significantly lower for k = 100 than for k = 10 and nowhere significantly higher than
   for the k before. */
static void judge_sizes(const claim *of, const facts *in, ruling *out) {
    static const isg_start shown[] = {ISG_START_HOPFIELD, ISG_START_PCA, ISG_START_NORMAL};
    const size_t epoch = (size_t)of->numbers[0], n = of->numbers[1] > 0 ? 1 : 3;
    answer all = YES;
    measured least = {.value = HUGE_VAL};
    expert_curves x;
    if (!read_experts(in, &x, out))
        return;
    for (size_t s = 0; s < n; s++) {
        share found[N_SIZES];
        for (size_t k = 0; k < N_SIZES; k++) {
            found[k] = share_at(&x, sizes[k], shown[s], epoch);
            if (found[k].runs == 0) {
                out->ours[0] = '\0';
                lacks(&x, sizes[k], shown[s], epoch, out);
                return;
            }
        }
        const measured whole = excess(&found[0], &found[2]);
        all = all_of(all, positive(out, &whole, 1));
        for (size_t k = 0; k + 1 < N_SIZES; k++) {
            const measured gain = excess(&found[k], &found[k + 1]);
            all = all_of(all, not_worse(&gain, positive(out, &gain, 1)));
        }
        if (whole.value < least.value)
            least = whole;
        say_ours(out, "%s%s %.2f, %.2f, %.2f %%", s > 0 ? "; " : "", titles[shown[s]],
                 100 * found[0].test.value, 100 * found[1].test.value, 100 * found[2].test.value);
    }
    decide(out, all, 100 * least.value, 100 * least.error);
    say_why(out, "k = 10, 20, 100 after %zu epochs; smallest gain from 10 to 100: %.2f +- %.2f %%",
            epoch, 100 * least.value, 100 * least.error);
}

/* Holds if for all k, at every common stop up to numbers[0] epochs, start numbers[1] is significantly
   worse than the Hopfield start; needs so many epochs of every k. */
static void judge_worse(const claim *of, const facts *in, ruling *out) {
    const isg_start other = (isg_start)of->numbers[1];
    size_t worse = 0, all = 0, last = SIZE_MAX;
    measured least = {.value = HUGE_VAL};
    answer found = YES;
    expert_curves x;
    if (!read_experts(in, &x, out))
        return;
    for (size_t k = 0; k < N_SIZES; k++) {
        const expert_curve *own = &x.of[k][ISG_START_HOPFIELD];
        size_t its_last = 0;
        for (size_t e = 0; e < own->n && (double)own->stops[e] <= of->numbers[0]; e++) {
            const share theirs = share_at(&x, sizes[k], other, own->stops[e]);
            if (theirs.runs == 0)
                continue;
            const measured by = excess(&theirs, &own->at[e]);
            const answer here = positive(out, &by, 1);
            found = all_of(found, here);
            worse += here == YES;
            all++;
            its_last = own->stops[e];
            if (by.value < least.value)
                least = by;
        }
        last = its_last < last ? its_last : last;
    }
    if (all == 0) {
        lacks(&x, 10, other, (size_t)of->numbers[0], out);
        return;
    }
    decide(out, found, 100 * least.value, 100 * least.error);
    say_ours(out, "%s worse in %zu of %zu comparisons", titles[other], worse, all);
    if (out->verdict != VERDICT_DIFFERS && (double)last < of->numbers[0])
        not_computed(out,
                     "smallest difference %+.2f +- %.2f %%; needs %g epochs of every k, found %zu",
                     100 * least.value, 100 * least.error, of->numbers[0], last);
    else
        say_why(
            out,
            "smallest difference from the Hopfield start at the same k and epoch, up to epoch %zu: "
            "%+.2f +- %.2f %%",
            last, 100 * least.value, 100 * least.error);
}

/* Holds if the error of Hopfield and PCA experts does not fall from 50 to 100 epochs, neither
   significantly nor by more than the tolerance. */
static void judge_beyond(const claim *of, const facts *in, ruling *out) {
    static const isg_start shown[] = {ISG_START_HOPFIELD, ISG_START_PCA};
    size_t better = 0;
    measured most = {.value = -HUGE_VAL};
    answer all = YES;
    expert_curves x;
    (void)of;
    if (!read_experts(in, &x, out))
        return;
    for (size_t s = 0; s < 2; s++)
        for (size_t k = 0; k < N_SIZES; k++) {
            const share half = share_at(&x, sizes[k], shown[s], 50);
            const share whole = share_at(&x, sizes[k], shown[s], 100);
            if (half.runs == 0 || whole.runs == 0) {
                lacks(&x, sizes[k], shown[s], 100, out);
                return;
            }
            const measured gain = excess(&half, &whole);
            const answer here = not_positive(out, &gain, 2 * N_SIZES, TOLERANCE_ERROR);
            all = all_of(all, here);
            better += here == NO;
            if (gain.value > most.value)
                most = gain;
        }
    decide(out, all, 100 * most.value, 100 * most.error);
    say_ours(out, "at most %+.2f +- %.2f %%", 100 * most.value, 100 * most.error);
    say_why(
        out,
        "largest gain of Hopfield and PCA experts from 50 to 100 epochs; %zu of 6 are significant; "
        "tolerance %g %%",
        better, 100 * TOLERANCE_ERROR);
}

/* Holds if Hebbian experts of 100 have a significantly larger error than those of 10 for more than half
   of 100 epochs; each stop counts for half of the time to its neighbors. Not testable if the errors
   leave open for how long. */
static void judge_hebbian_lag(const claim *of, const facts *in, ruling *out) {
    double behind = 0, ahead = 0, whole = 0, before = 0;
    answer sign_before = OPEN;
    expert_curves x;
    (void)of;
    if (!read_experts(in, &x, out))
        return;
    const expert_curve *large = curve_of(&x, 100, ISG_START_HEBBIAN);
    for (size_t e = 0; e < large->n && large->stops[e] <= 100; e++) {
        const double epoch = (double)large->stops[e];
        const share small = share_at(&x, 10, ISG_START_HEBBIAN, large->stops[e]);
        if (small.runs == 0)
            continue;
        const measured by = excess(&large->at[e], &small);
        const answer sign = positive(out, &by, 1);
        const double half = (epoch - before) / 2;
        behind += half * ((sign > 0) + (sign_before > 0));
        ahead += half * ((sign < 0) + (sign_before < 0));
        whole += 2 * half;
        before = epoch;
        sign_before = sign;
    }
    if (whole < 100) {
        const bool is_small = last_stop(large) >= 100;
        lacks(&x, is_small ? 10 : 100, ISG_START_HEBBIAN, 100, out);
        return;
    }
    decide(out, behind > whole / 2 ? YES : ahead >= whole / 2 ? NO : OPEN, behind, 0);
    say_ours(out, "behind for %g of %g epochs, ahead for %g", behind, whole, ahead);
    say_why(out,
            "significantly larger or smaller error for k = 100 than for k = 10; each stop counts "
            "for half of the time to its neighbors");
}

static void judge_single(const claim *of, const facts *in, ruling *out) {
    (void)of;
    (void)in;
    rule(out, VERDICT_NOT_TESTABLE, (double)NAN, (double)NAN);
    say_why(out,
            "the paper says neither how a single RBM was used as a classifier nor how well it did");
}

/* clang-format off */
const claim claims_experts[] = {
    {"single-rbm", "Sec. 3.2", NULL,
     "A single large RBM is a relatively poor classifier", "relatively poor", false, judge_single, NULL, {0}},
    {"untrained-error", "Sec. 3.2, Fig. 5", "fig5",
     "Hopfield experts with 100 hidden units and no training have a test error of 4.4 %",
     "4.4 %", false, judge_value, NULL, {ISG_START_HOPFIELD, 0, 0.044}},
    {"hopfield-error", "Sec. 3.2, Fig. 5", "fig5",
     "Hopfield experts with 100 hidden units reach 3.0 % in 50 epochs",
     "3.0 %", false, judge_value, NULL, {ISG_START_HOPFIELD, 50, 0.030}},
    {"pca-error", "Sec. 3.2, Fig. 5", "fig5",
     "PCA experts with 100 hidden units reach 3.0 % in 50 epochs",
     "3.0 %", false, judge_value, NULL, {ISG_START_PCA, 50, 0.030}},
    {"random-error", "Sec. 3.2, Fig. 5", "fig5",
     "Random experts with 100 hidden units reach 4.5 % in 50 epochs",
     "4.5 %", false, judge_value, NULL, {ISG_START_NORMAL, 50, 0.045}},
    {"training-error", "Sec. 3.2", "fig5",
     "The 3.0 % that Hopfield and PCA experts reach is a training error",
     "3.0 % training error", true, judge_training_error, NULL, {0, 50, 0.030}},
    {"untrained-against-random", "Sec. 3.2, Fig. 5", "fig5",
     "Untrained Hopfield experts with k = 100 are slightly better than random ones after 50 epochs",
     "4.4 % and 4.5 %", false, judge_untrained, NULL, {0}},
    {"hopfield-first", "Sec. 3.2, Fig. 5", "fig5",
     "For k = 10 and 20 the Hopfield start is best without training and until 1 epoch",
     "best until 1 epoch", false, judge_best_of_small, NULL, {0, 1, ISG_START_HOPFIELD}},
    {"pca-then", "Sec. 3.2, Fig. 5", "fig5",
     "For k = 10 and 20 PCA is better after 1 epoch",
     "PCA after 1 epoch", false, judge_best_of_small, NULL, {2, 50, ISG_START_PCA}},
    {"hopfield-large", "Sec. 3.2, Fig. 5", "fig5",
     "For k = 100 the Hopfield start leads PCA until about 10 epochs, after which they are similar",
     "until ~10 epochs", false, judge_large, NULL, {0}},
    {"ten-against-hundred", "Sec. 3.2, Fig. 5", "fig5",
     "At each epoch, Hopfield and PCA experts with k = 10 are no worse than random ones with k = 100",
     "better or equal", false, judge_small_beats_large, NULL, {0}},
    {"benefit-at-fixed-size", "Sec. 3.2, Fig. 5", "fig5",
     "At the same k the Hopfield start is significantly better than the random one",
     "significant benefit", false, judge_worse, NULL, {50, ISG_START_NORMAL}},
    {"more-sub-patterns", "Sec. 3.2, Fig. 5", "fig5",
     "Without training, Hopfield experts classify better the more sub-patterns they have",
     "better with k", false, judge_sizes, NULL, {0, 1}},
    {"more-hidden-units", "Sec. 3.2, Fig. 5", "fig5",
     "With sufficient training, more hidden units classify better, whatever the start",
     "better with k", false, judge_sizes, NULL, {50, 0}},
    {"beyond-fifty", "Sec. 3.2, Fig. E.1", "figE1",
     "Training beyond 50 epochs does not significantly improve Hopfield and PCA experts",
     "not significantly", false, judge_beyond, NULL, {0}},
    {"hebbian-worse", "Sec. 3.2, Fig. E.1", "figE1",
     "The Hebbian start classifies much worse than the Hopfield start",
     "much worse", false, judge_worse, NULL, {100, ISG_START_HEBBIAN}},
    {"hebbian-lags", "App. E.3, Fig. E.1", "figE1",
     "Hebbian experts with k = 100 lag behind those with k = 10 for most of the training",
     "for most of it", false, judge_hebbian_lag, NULL, {0}},
    {.id = NULL},
};
/* clang-format on */
