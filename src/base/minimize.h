/* minimize.h - the minimum of a smooth function of many variables, by L-BFGS
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread, IEEE basic operations, a fixed order: if evaluate() gives the same bits on every
 * machine, so does the search.
 */
#ifndef ISG_MINIMIZE_H
#define ISG_MINIMIZE_H

#include "base/status.h"

typedef struct isg_smooth {
    /* The value at x (n); fills gradient (n). A value that is not finite counts as too large. */
    double (*evaluate)(void *user, const double *x, double *gradient);
    /* After every iteration: false ends the search. */
    bool (*go_on)(void *user, const double *x, const double *gradient, double value);
    void *user;
} isg_smooth;

typedef enum isg_minimize_end {
    ISG_MINIMIZE_STOPPED,  /* go_on() returned false, or the gradient vanished */
    ISG_MINIMIZE_LIMIT,    /* after max_iterations */
    ISG_MINIMIZE_ROUNDING, /* values differ too little to recognize a better point */
} isg_minimize_end;

/* Minimizes from x (n), where the value must be finite; x receives the last accepted point. The end
   is not necessarily a minimum: check the gradient. Allocates some 45 numbers per variable, all
   before the first evaluation; x is unchanged on ISG_ERR_MEMORY. */
isg_status isg_minimize(size_t n, double *x, const isg_smooth *function, size_t max_iterations,
                        isg_minimize_end *end);

#endif
