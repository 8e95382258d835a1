/* thresholds.c - the threshold of every unit, learned from its values
 *
 * SPDX-License-Identifier: MIT
 *
 * A dense file and a sparse one, by rows or by columns, must give the same thresholds to the last
 * bit. So sums are carried in two doubles, whose total does not depend on the order in practice,
 * and the other rules work on the sorted different values with their numbers.
 */
#include "data/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"

/* A value, and how often it occurs. */
typedef struct level {
    double value;
    size_t count;
} level;

typedef struct isg_unit_values {
    size_t n_put, n_missing; /* values that were put; of which missing */
    double smallest, largest;
    double sum, rest; /* their sum is the sum of the values */
    level *levels;    /* the first n_sorted ascending and different, the rest as they came */
    size_t n_levels, n_sorted, capacity;
} isg_unit_values;

bool isg_rule_is_learned(isg_binarize rule) {
    return rule >= ISG_BINARIZE_MEAN && rule <= ISG_BINARIZE_MIXTURE;
}

static bool needs_levels(isg_binarize rule) {
    return rule != ISG_BINARIZE_MEAN && rule != ISG_BINARIZE_MIDPOINT;
}

isg_status isg_learner_start(isg_learner *learner, isg_binarize rule, double at, size_t n_units) {
    *learner = (isg_learner){.rule = rule, .at = at, .n_units = n_units};
    ISG_TRY(ISG_ALLOCATE(learner->units, n_units));
    for (size_t i = 0; i < n_units; i++) {
        learner->units[i].smallest = HUGE_VAL;
        learner->units[i].largest = -HUGE_VAL;
    }
    return ISG_OK;
}

void isg_learner_clear(isg_learner *learner) {
    for (size_t i = 0; learner->units && i < learner->n_units; i++)
        isg_release(learner->units[i].levels);
    isg_release(learner->units);
    *learner = (isg_learner){0};
}

static int by_value(const void *a, const void *b) {
    const double x = ((const level *)a)->value, y = ((const level *)b)->value;
    return (x > y) - (x < y);
}

/* Sorts the levels and joins equal ones. */
static void sort_levels(isg_unit_values *unit) {
    size_t kept = 0;
    if (unit->n_levels > 1)
        qsort(unit->levels, unit->n_levels, sizeof *unit->levels, by_value);
    for (size_t k = 0; k < unit->n_levels; k++) {
        if (kept > 0 && unit->levels[kept - 1].value == unit->levels[k].value)
            unit->levels[kept - 1].count += unit->levels[k].count;
        else
            unit->levels[kept++] = unit->levels[k];
    }
    unit->n_levels = unit->n_sorted = kept;
}

static isg_status add_level(isg_unit_values *unit, double value, size_t count) {
    enum { FEW = 32 };
    if (unit->n_levels == unit->capacity && unit->n_levels >= 2 * unit->n_sorted + FEW)
        sort_levels(unit);
    void *levels = unit->levels;
    ISG_TRY(isg_grow(&levels, &unit->capacity, unit->n_levels + 1, sizeof *unit->levels));
    unit->levels = levels;
    unit->levels[unit->n_levels++] = (level){value, count};
    return ISG_OK;
}

/* Adds without rounding, as long as two doubles have room for it. */
static void add_exactly(double *sum, double *rest, double value) {
    const double total = *sum + value, part = total - *sum;
    *rest += (*sum - (total - part)) + (value - part);
    *sum = total;
}

isg_status isg_learner_put(isg_learner *learner, size_t i, double value) {
    isg_unit_values *unit = &learner->units[i];
    unit->n_put++;
    if (isnan(value)) {
        unit->n_missing++;
        return ISG_OK;
    }
    value += 0.0; /* not -0 */
    unit->smallest = value < unit->smallest ? value : unit->smallest;
    unit->largest = value > unit->largest ? value : unit->largest;
    add_exactly(&unit->sum, &unit->rest, value);
    return needs_levels(learner->rule) ? add_level(unit, value, 1) : ISG_OK;
}

/* ---- the rules -------------------------------------------------------------------------------- */

/* (sum + rest) / n, rounded once: the mean of equal values is that value. The quotient is split so
   that the products with n are exact, for n below 2^27. */
static double divide(double sum, double rest, double n) {
    const double quotient = sum / n, wide = 134217729 * quotient;
    const double high = wide - (wide - quotient), low = quotient - high;
    return quotient + ((sum - high * n) - low * n + rest) / n;
}

/* The value at position k, from 0, among all values in order. */
static double value_at(const isg_unit_values *unit, size_t k) {
    size_t at = 0;
    while (at + 1 < unit->n_levels && k >= unit->levels[at].count)
        k -= unit->levels[at++].count;
    return unit->levels[at].value;
}

static double quantile(const isg_unit_values *unit, size_t n, double share) {
    const double position = share * (double)(n - 1);
    const size_t below = (size_t)position;
    const double low = value_at(unit, below);
    const double high = below + 1 < n ? value_at(unit, below + 1) : low;
    return low + (position - (double)below) * (high - low);
}

/* The number of levels in the lower of the two groups that leave the least variance within them; 0
   if all values are equal. */
static size_t split_otsu(const isg_unit_values *unit, size_t n) {
    double total = 0, below = 0, best = 0;
    size_t n_below = 0, split = 0;
    const double origin = unit->levels[0].value; /* differences keep more digits */
    for (size_t k = 0; k < unit->n_levels; k++)
        total += (double)unit->levels[k].count * (unit->levels[k].value - origin);
    for (size_t k = 0; k + 1 < unit->n_levels; k++) {
        n_below += unit->levels[k].count;
        below += (double)unit->levels[k].count * (unit->levels[k].value - origin);
        const double a = (double)n_below, b = (double)(n - n_below);
        const double apart = (total - below) / b - below / a;
        const double between = a * b * apart * apart;
        if (between > best) {
            best = between;
            split = k + 1;
        }
    }
    return split;
}

static double middle(double low, double high) {
    return low + (high - low) / 2;
}

static double otsu(const isg_unit_values *unit, size_t n) {
    const size_t split = split_otsu(unit, n);
    return split ? middle(unit->levels[split - 1].value, unit->levels[split].value)
                 : unit->levels[0].value;
}

/* One of two normal distributions. */
typedef struct component {
    double share, mean, deviation;
} component;

static double log_density(const component *c, double value) {
    const double z = (value - c->mean) / c->deviation;
    return isg_log(c->share) - isg_log(c->deviation) - z * z / 2;
}

/* ln of how much more likely the upper component is. */
static double preference(const component pair[2], double value) {
    return log_density(&pair[1], value) - log_density(&pair[0], value);
}

/* Share, mean and deviation of the values, weighted; a deviation of less than `least` would let a
   component collapse onto a single value. */
static component weighted(const isg_unit_values *unit, size_t n, const double *weights,
                          double least) {
    double mass = 0, mean = 0, variance = 0;
    for (size_t k = 0; k < unit->n_levels; k++) {
        const double w = weights[k] * (double)unit->levels[k].count;
        mass += w;
        mean += w * unit->levels[k].value;
    }
    mean /= mass;
    for (size_t k = 0; k < unit->n_levels; k++) {
        const double d = unit->levels[k].value - mean;
        variance += weights[k] * (double)unit->levels[k].count * d * d;
    }
    const double deviation = sqrt(variance / mass);
    return (component){mass / (double)n, mean, deviation > least ? deviation : least};
}

/* Where the upper component becomes the more likely one, between the two means. */
static double crossing(const component pair[2]) {
    enum { HALVINGS = 60 };
    double low = pair[0].mean, high = pair[1].mean;
    for (size_t k = 0; k < HALVINGS; k++) {
        const double half = middle(low, high);
        *(preference(pair, half) > 0 ? &high : &low) = half;
    }
    return low;
}

/* Expectation and maximization from the groups of Otsu, whose threshold stays if one of the two
   components vanishes or they change places. */
static isg_status mixture(const isg_unit_values *unit, size_t n, double *out) {
    enum { STEPS = 500 };
    const size_t split = split_otsu(unit, n);
    *out = otsu(unit, n);
    if (split == 0 || unit->n_levels < 3)
        return ISG_OK;
    const double least = 1e-3 * (unit->levels[unit->n_levels - 1].value - unit->levels[0].value);
    double *upper = NULL, *lower = NULL; /* shares of the components in every level */
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(upper, unit->n_levels));
    ISG_TRY_GOTO(ISG_ALLOCATE(lower, unit->n_levels));
    for (size_t k = 0; k < unit->n_levels; k++) {
        upper[k] = k >= split;
        lower[k] = 1 - upper[k];
    }
    for (size_t step = 0; step < STEPS; step++) {
        const component pair[2] = {weighted(unit, n, lower, least),
                                   weighted(unit, n, upper, least)};
        double change = 0;
        if (!(pair[0].share > 0 && pair[1].share > 0 && pair[0].mean < pair[1].mean))
            goto done;
        *out = crossing(pair);
        for (size_t k = 0; k < unit->n_levels; k++) {
            const double now = 1 / (1 + isg_exp(-preference(pair, unit->levels[k].value)));
            change = fmax(change, fabs(now - upper[k]));
            upper[k] = now;
            lower[k] = 1 - now;
        }
        if (change < 1e-9)
            break;
    }
done:
    isg_release(upper);
    isg_release(lower);
    return status;
}

static isg_status threshold_of(const isg_learner *learner, isg_unit_values *unit, size_t n_samples,
                               double *out) {
    const size_t n_zeros = n_samples - unit->n_put, n = n_samples - unit->n_missing;
    *out = 0;
    if (n == 0)
        return ISG_OK; /* nothing is known of this unit */
    if (n_zeros > 0) {
        unit->smallest = fmin(unit->smallest, 0);
        unit->largest = fmax(unit->largest, 0);
        if (needs_levels(learner->rule))
            ISG_TRY(add_level(unit, 0, n_zeros));
    }
    sort_levels(unit);
    switch (learner->rule) {
    case ISG_BINARIZE_MEAN:
        *out = divide(unit->sum, unit->rest, (double)n);
        return ISG_OK;
    case ISG_BINARIZE_MIDPOINT:
        *out = middle(unit->smallest, unit->largest);
        return ISG_OK;
    case ISG_BINARIZE_MEDIAN:
        *out = quantile(unit, n, 0.5);
        return ISG_OK;
    case ISG_BINARIZE_QUANTILE:
        *out = quantile(unit, n, learner->at);
        return ISG_OK;
    case ISG_BINARIZE_OTSU:
        *out = otsu(unit, n);
        return ISG_OK;
    case ISG_BINARIZE_MIXTURE:
        return mixture(unit, n, out);
    default:
        return ISG_OK;
    }
}

isg_status isg_learner_finish(isg_learner *learner, size_t n_samples, double *thresholds) {
    for (size_t i = 0; i < learner->n_units; i++)
        ISG_TRY(threshold_of(learner, &learner->units[i], n_samples, &thresholds[i]));
    return ISG_OK;
}
