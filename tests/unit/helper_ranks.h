/* helper_ranks.h - several processes that are ranks of each other, without MPI
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_RANKS_H
#define HELPER_RANKS_H

#include <stddef.h>

/* Runs `work` in `size` processes. What rank r writes to `out` (out_bytes) is in row r of `results` in the end. Fails the test if one of them
   does not return. The processes are forked, so nothing before may have used several threads. */
void run_ranks(size_t size, void (*work)(const void *user, void *out), const void *user,
               void *results, size_t out_bytes);

#endif
