/* threads.h - the number of threads
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP keeps its number of threads per calling thread, so every parallel loop of the library says
 * num_threads(isg_team_size()), which holds whichever thread called isg_set_threads(). Ask once where
 * threads have room of their own, or cap the team later: the number may change at any moment.
 */
#ifndef ISG_THREADS_H
#define ISG_THREADS_H

#include "isinglass/base.h"

enum { ISG_MAX_THREADS = 1024 };

/* isg_threads() as an int for OpenMP. */
int isg_team_size(void);

/* The same, but no more than there are jobs. */
size_t isg_team_for(size_t jobs);

/* Rows from `begin` to before `end`. */
typedef struct isg_rows {
    size_t begin, end;
} isg_rows;

/* The share of thread `me` of `all`. */
static inline isg_rows isg_rows_of(size_t count, size_t me, size_t all) {
    return (isg_rows){count * me / all, count * (me + 1) / all};
}

#endif
