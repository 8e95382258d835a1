/* threads.h - how many threads
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP keeps its number of threads per calling thread, so a parallel loop of the library names
 * it: num_threads(isg_team_size()) holds whichever thread called isg_set_threads().
 */
#ifndef ISG_THREADS_H
#define ISG_THREADS_H

#include "isinglass/base.h"

enum { ISG_MAX_THREADS = 1024 };

/* isg_threads(), as OpenMP wants it. */
int isg_team_size(void);

#endif
