/* claims_measured.c - what can be concluded from numbers with and without errors
 *
 * SPDX-License-Identifier: MIT
 *
 * Every comparison behind a verdict is made here. Answers are the three values of Kleene's logic,
 * NO < OPEN < YES: "all of" is the smallest and "any of" the largest, so that an open answer matters
 * only where the others do not decide.
 */
#include <math.h>
#include <stdio.h>

#include "paper/claims.h"
#include "src/base/elementary.h"

answer all_of(answer one, answer two) {
    return one < two ? one : two;
}

answer any_of(answer one, answer two) {
    return one > two ? one : two;
}

measured measure(double value, double error, bool is_trusted, const char *name) {
    measured out = {.value = value, .error = error};
    const char *flaw = !isfinite(value)                    ? "is not a finite number"
                       : !is_trusted                       ? "is not trusted"
                       : !isfinite(error) || !(error >= 0) ? "has no error"
                                                           : NULL;
    if (flaw)
        snprintf(out.flaw, sizeof out.flaw, "%.50s %s", name, flaw);
    return out;
}

/* A difference may overflow even if both sides are finite. */
static measured with_flaw_of(const measured *one, const measured *two, double value, double error) {
    measured out = measure(value, error, true, "a difference");
    if (one->flaw[0] || two->flaw[0])
        snprintf(out.flaw, sizeof out.flaw, "%s", one->flaw[0] ? one->flaw : two->flaw);
    return out;
}

measured less(const measured *one, const measured *two) {
    return with_flaw_of(one, two, one->value - two->value, isg_hypot(one->error, two->error));
}

measured shift(const measured *one, double by) {
    return with_flaw_of(one, one, one->value + by, one->error);
}

measured minus(const measured *one) {
    return with_flaw_of(one, one, -one->value, one->error);
}

int significant(double difference, double error) {
    return significant_among(difference, error, 1);
}

int significant_among(double difference, double error, size_t comparisons) {
    const double size = fabs(difference);
    if (!isfinite(difference) || !isfinite(error) || !(size > 2 * error))
        return 0;
    const double chance = isg_erfc(sqrt(2)) / (double)(comparisons > 0 ? comparisons : 1);
    if (isg_erfc(size / error / sqrt(2)) > chance)
        return 0;
    return difference > 0 ? 1 : -1;
}

/* Whether nothing can be compared; remembers the first flaw. */
static bool has_flaw(ruling *out, const measured *of) {
    if (of->flaw[0] && out->flaw[0] == '\0')
        snprintf(out->flaw, sizeof out->flaw, "%s", of->flaw);
    return of->flaw[0] != '\0';
}

answer positive(ruling *out, const measured *difference, size_t comparisons) {
    if (has_flaw(out, difference))
        return OPEN;
    return (answer)significant_among(difference->value, difference->error, comparisons);
}

answer not_positive(ruling *out, const measured *difference, size_t comparisons, double tolerance) {
    const answer is_there = positive(out, difference, comparisons);
    if (difference->flaw[0])
        return OPEN;
    return is_there == YES ? NO : difference->value <= tolerance ? YES : OPEN;
}

answer no_difference(ruling *out, const measured *difference, size_t comparisons,
                     double tolerance) {
    const measured turned = minus(difference);
    return all_of(not_positive(out, difference, comparisons, tolerance),
                  not_positive(out, &turned, comparisons, tolerance));
}

void decide(ruling *out, answer found, double value, double error) {
    static const verdict verdicts[] = {VERDICT_DIFFERS, VERDICT_NOT_TESTABLE, VERDICT_HOLDS};
    if (found == OPEN && out->flaw[0] == '\0')
        snprintf(out->flaw, sizeof out->flaw, "the errors are too large to tell");
    rule(out, verdicts[found - NO], value, error);
}
