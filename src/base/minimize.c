/* minimize.c - the minimum of a smooth function of many variables, by L-BFGS
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/minimize.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include <lbfgs.h>

#include "base/memory.h"

/* Pairs of steps and changes of the gradient that stand for the curvature. */
enum { MEMORY = 20 };

/* The vectorized builds of liblbfgs want sizes in whole groups, aligned as ours are anyway. */
enum { GROUP = 8 };

enum { ASKED_TO_STOP = 1 };

typedef struct search {
    const isg_smooth *function;
    size_t n;
} search;

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *gradient,
                                int n, lbfgsfloatval_t step) {
    const search *s = instance;
    (void)step;
    const double value = s->function->evaluate(s->function->user, x, gradient);
    memset(gradient + s->n, 0, ((size_t)n - s->n) * sizeof *gradient);
    return value;
}

static int after_iteration(void *instance, const lbfgsfloatval_t *x,
                           const lbfgsfloatval_t *gradient, lbfgsfloatval_t value,
                           lbfgsfloatval_t x_norm, lbfgsfloatval_t gradient_norm,
                           lbfgsfloatval_t step, int n, int iteration, int evaluations) {
    const search *s = instance;
    (void)x_norm, (void)gradient_norm, (void)step, (void)n, (void)iteration, (void)evaluations;
    return s->function->go_on(s->function->user, x, gradient, value) ? 0 : ASKED_TO_STOP;
}

isg_status isg_minimize(size_t n, double *x, const isg_smooth *function, size_t max_iterations,
                        isg_minimize_end *end) {
    assert(max_iterations > 0);
    if (n > INT_MAX - GROUP)
        return isg_fail(ISG_ERR_SHAPE, "L-BFGS: expected sizes up to %d, found %zu",
                        INT_MAX - GROUP, n);
    const size_t padded = (n + GROUP - 1) / GROUP * GROUP;
    double *point = NULL;
    ISG_TRY(ISG_ALLOCATE(point, padded));
    memcpy(point, x, n * sizeof *x);
    lbfgs_parameter_t parameters;
    lbfgs_parameter_init(&parameters);
    parameters.m = MEMORY;
    parameters.epsilon = 0; /* go_on() knows what is small */
    parameters.max_iterations = max_iterations < INT_MAX ? (int)max_iterations : INT_MAX;
    search s = {function, n};
    const int code = lbfgs((int)padded, point, NULL, evaluate, after_iteration, &s, &parameters);
    assert(code >= 0 || code == LBFGSERR_OUTOFMEMORY || code >= LBFGSERR_OUTOFINTERVAL);
    if (code != LBFGSERR_OUTOFMEMORY)
        memcpy(x, point, n * sizeof *x);
    isg_release(point);
    if (code == LBFGSERR_OUTOFMEMORY)
        return isg_fail(ISG_ERR_MEMORY, "L-BFGS: out of memory for %zu variables", n);
    if (code == ASKED_TO_STOP || code == LBFGS_ALREADY_MINIMIZED || code == LBFGS_SUCCESS)
        *end = ISG_MINIMIZE_STOPPED;
    else
        *end = code == LBFGSERR_MAXIMUMITERATION ? ISG_MINIMIZE_LIMIT : ISG_MINIMIZE_ROUNDING;
    return ISG_OK;
}
