/* minimize.c - the minimum of a smooth function of many variables, by L-BFGS
 *
 * SPDX-License-Identifier: MIT
 *
 * Nocedal and Wright, Numerical Optimization (2nd edition): the direction d = -H g by the two-loop
 * recursion (algorithm 7.4) over the last MEMORY steps s and changes of the gradient y, then a step t
 * along d that meets the strong Wolfe conditions (3.7),
 *
 *     f(x + t d) <= f(x) + DECREASE t g.d    and    |g(x + t d).d| <= CURVATURE |g.d|,
 *
 * found by bracketing and cubic interpolation (algorithms 3.5 and 3.6).
 */
#include "base/minimize.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MEMORY = 20, MOST_TRIALS = 40 };

static const double DECREASE = 1e-4, CURVATURE = 0.9;

/* A trial keeps this fraction of the bracket away from its ends; if the last trial left more than
   TOO_MUCH of the bracket, the next one halves it. */
static const double MARGIN = 0.1, TOO_MUCH = 0.66;

/* Without a bracket, the step to the next trial is the last step times a factor in this range. */
static const double LEAST_STRETCH = 1.1, MOST_STRETCH = 4;

/* A step along the line, with f and its slope there. */
typedef struct place {
    double t, value, slope;
} place;

typedef struct search {
    const isg_smooth *function;
    size_t n;
    double *x, *gradient, value;              /* (n): the current point */
    double *start, *start_gradient;           /* (n): where the line begins */
    double *direction;                        /* (n) */
    double *steps, *changes;                  /* (MEMORY, n): s and y, pair k in row k % MEMORY */
    double products[MEMORY], factors[MEMORY]; /* s.y, and alpha of the recursion */
    double scale;                             /* s.y / y.y of the last pair: H before any pair */
    size_t n_pairs;                           /* pairs ever added */
} search;

/* ---- Vectors ------------------------------------------------------------------------------------- */

/* Eight sums side by side, added in a fixed order whatever the width of the machine's vectors. */
static double dot(const double *a, const double *b, size_t n) {
    double s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t lane = 0; lane < 8; lane++)
            s[lane] += a[i + lane] * b[i + lane];
    for (size_t lane = 0; i < n; i++, lane++)
        s[lane] += a[i] * b[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* y += factor x */
static void add(double *y, double factor, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] += factor * x[i];
}

/* ---- The direction ------------------------------------------------------------------------------- */

static void remember(search *s) {
    const size_t n = s->n, row = s->n_pairs % MEMORY;
    double *step = s->steps + row * n, *change = s->changes + row * n;
    for (size_t i = 0; i < n; i++) {
        step[i] = s->x[i] - s->start[i];
        change[i] = s->gradient[i] - s->start_gradient[i];
    }
    const double product = dot(step, change, n);
    const double scale = product / dot(change, change, n);
    /* Positive by the second condition, except for rounding; H would then not be positive. */
    if (!(product > 0 && scale > 0 && isfinite(scale)))
        return;
    s->products[row] = product;
    s->scale = scale;
    s->n_pairs++;
}

static void find_direction(search *s) {
    const size_t n = s->n, first = s->n_pairs < MEMORY ? 0 : s->n_pairs - MEMORY;
    double *d = s->direction;
    for (size_t i = 0; i < n; i++)
        d[i] = -s->gradient[i];
    for (size_t k = s->n_pairs; k-- > first;) {
        const size_t row = k % MEMORY;
        s->factors[row] = dot(s->steps + row * n, d, n) / s->products[row];
        add(d, -s->factors[row], s->changes + row * n, n);
    }
    for (size_t i = 0; i < n; i++)
        d[i] *= s->scale;
    for (size_t k = first; k < s->n_pairs; k++) {
        const size_t row = k % MEMORY;
        const double factor = dot(s->changes + row * n, d, n) / s->products[row];
        add(d, s->factors[row] - factor, s->steps + row * n, n);
    }
}

/* Starts afresh: down the gradient by a step of length 1. */
static void forget(search *s) {
    s->n_pairs = 0;
    s->scale = 1 / sqrt(dot(s->gradient, s->gradient, s->n));
}

/* ---- The step ------------------------------------------------------------------------------------ */

static place probe(search *s, double t) {
    for (size_t i = 0; i < s->n; i++)
        s->x[i] = s->start[i] + t * s->direction[i];
    s->value = s->function->evaluate(s->function->user, s->x, s->gradient);
    return (place){t, s->value, dot(s->gradient, s->direction, s->n)};
}

/* The minimum of the cubic through both places (3.59); NaN if it has none. */
static double cubic(place a, place b) {
    const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
    const double root = sqrt(d1 * d1 - a.slope * b.slope), d2 = b.t > a.t ? root : -root;
    return b.t - (b.t - a.t) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

/* t clamped to two bounds; their midpoint if t is NaN. */
static double clamp(double t, double bound, double other) {
    const double low = bound < other ? bound : other, high = bound < other ? other : bound;
    if (t < low)
        return low;
    return t > high ? high : t == t ? t : low + (high - low) / 2;
}

/* Before a minimum is bracketed: farther out, by the cubic through the last two places. */
static double stretch(place before, place last) {
    const double step = last.t - before.t;
    return clamp(cubic(before, last), last.t + LEAST_STRETCH * step, last.t + MOST_STRETCH * step);
}

/* Between the lower end of a bracket and the higher one. */
static double zoom(place low, place high, double *width) {
    const double across = high.t - low.t, before = *width;
    *width = fabs(across);
    return *width > TOO_MUCH * before
               ? low.t + across / 2
               : clamp(cubic(low, high), low.t + MARGIN * across, high.t - MARGIN * across);
}

/* Goes down the line from `first`. False if no point on it is measurably lower. Otherwise x and
   gradient are at a step that meets the first condition, and the second unless rounding hides
   it. */
static bool go_down(search *s, place first) {
    place low = first, high = first;
    bool has_bracket = false;
    double width = HUGE_VAL, t = 1;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        const place here = probe(s, t), before = low;
        const bool is_low = here.value <= first.value + DECREASE * t * first.slope &&
                            (low.t == 0 || here.value < low.value);
        if (is_low && fabs(here.slope) <= -CURVATURE * first.slope)
            return true;
        if (!is_low) {
            high = here;
            has_bracket = true;
        } else {
            if (!has_bracket ? here.slope >= 0 : here.slope * (high.t - low.t) >= 0) {
                high = low;
                has_bracket = true;
            }
            low = here;
        }
        const double next = has_bracket ? zoom(low, high, &width) : stretch(before, low);
        /* Any further decrease along the line is below the precision of f. */
        if (has_bracket && fabs(low.slope) * width <= DBL_EPSILON * fabs(low.value))
            break;
        if (next == low.t || next == high.t || !isfinite(next))
            break;
        t = next;
    }
    if (low.t > 0)
        probe(s, low.t);
    return low.t > 0;
}

/* ---- The search ---------------------------------------------------------------------------------- */

/* One iteration; false, with x unchanged, if it makes no progress. Where values are equal to the
   last bit the gradient must decrease, so that no search goes in circles. */
static bool iterate(search *s) {
    const size_t n = s->n;
    find_direction(s);
    double slope = dot(s->gradient, s->direction, n);
    if (!(slope < 0)) {
        forget(s);
        find_direction(s);
        slope = dot(s->gradient, s->direction, n);
    }
    if (!(slope < 0))
        return false;
    const double before = s->value, square = dot(s->gradient, s->gradient, n);
    memcpy(s->start, s->x, n * sizeof *s->x);
    memcpy(s->start_gradient, s->gradient, n * sizeof *s->gradient);
    if (go_down(s, (place){0, before, slope}) &&
        (s->value < before || dot(s->gradient, s->gradient, n) < square)) {
        remember(s);
        return true;
    }
    memcpy(s->x, s->start, n * sizeof *s->x);
    return false;
}

static isg_minimize_end descend(search *s, size_t max_iterations) {
    const isg_smooth *function = s->function;
    s->value = function->evaluate(function->user, s->x, s->gradient);
    assert(isfinite(s->value));
    if (dot(s->gradient, s->gradient, s->n) == 0)
        return ISG_MINIMIZE_STOPPED;
    forget(s);
    for (size_t k = 0; k < max_iterations; k++) {
        if (!iterate(s))
            return ISG_MINIMIZE_ROUNDING;
        if (!function->go_on(function->user, s->x, s->gradient, s->value) ||
            dot(s->gradient, s->gradient, s->n) == 0)
            return ISG_MINIMIZE_STOPPED;
    }
    return ISG_MINIMIZE_LIMIT;
}

isg_status isg_minimize(size_t n, double *x, const isg_smooth *function, size_t max_iterations,
                        isg_minimize_end *end) {
    assert(max_iterations > 0);
    search s = {.function = function, .n = n, .x = x};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(s.gradient, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(s.start, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(s.start_gradient, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(s.direction, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(s.steps, n, MEMORY));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(s.changes, n, MEMORY));
    *end = descend(&s, max_iterations);
done:
    isg_release(s.gradient);
    isg_release(s.start);
    isg_release(s.start_gradient);
    isg_release(s.direction);
    isg_release(s.steps);
    isg_release(s.changes);
    return status;
}
