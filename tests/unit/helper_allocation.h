/* helper_allocation.h - every allocation of a piece of work fails in turn
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_HELPER_ALLOCATION_H
#define ISG_HELPER_ALLOCATION_H

#include "isinglass.h"

/* Runs `job` with its first, second, ... allocation failing until one run needs no more: a failure
   must be ISG_ERR_MEMORY, with the word in the sentence, and nothing may stay allocated. Returns
   how many allocations the job makes. */
size_t sweep_allocations(isg_status (*job)(void *user), void *user);

/* Runs `job` once, after which nothing may stay allocated, whatever it returns. */
isg_status run_without_leak(isg_status (*job)(void *user), void *user);

/* The most bytes that `job`, which must succeed, has allocated at any one time. */
size_t peak_allocation(isg_status (*job)(void *user), void *user);

#endif
