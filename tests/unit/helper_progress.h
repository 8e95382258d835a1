/* helper_progress.h - a user who watches, and may lose patience
 *
 * SPDX-License-Identifier: MIT
 *
 *     patience p = {.last_call = 3};
 *     const isg_progress progress = {lose_patience, &p};
 */
#ifndef HELPER_PROGRESS_H
#define HELPER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct patience {
    size_t calls, last_call; /* it is cancelled in this one; 0: never */
    double fraction;         /* of the last call */
    bool may_stay;           /* the fraction need not grow with every call */
} patience;

/* Asserts that the fraction grows and never exceeds 1. `user` is a patience. */
bool lose_patience(void *user, double fraction);

/* Whatever the fraction; `user` is not looked at. */
bool cancel_at_once(void *user, double fraction);

#endif
