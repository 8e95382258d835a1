/* threads.c - the number of threads
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <omp.h>
#include <stdatomic.h>

static _Thread_local int own_size; /* of teams that this thread starts; 0: as the others */
static atomic_int team_size; /* 0 until set: OpenMP's own default, which follows OMP_NUM_THREADS */

void isg_set_threads(size_t threads) {
    int count = threads > ISG_MAX_THREADS ? ISG_MAX_THREADS : (int)threads;
    if (count == 0)
        count = omp_get_num_procs();
    atomic_store(&team_size, count);
    omp_set_num_threads(count);
}

void isg_set_own_threads(size_t threads) {
    own_size = threads > ISG_MAX_THREADS ? ISG_MAX_THREADS : (int)threads;
}

int isg_team_size(void) {
    if (own_size > 0)
        return own_size;
    const int count = atomic_load(&team_size);
    return count > 0 ? count : omp_get_max_threads();
}

size_t isg_team_for(size_t jobs) {
    const size_t threads = isg_threads();
    return threads < jobs ? threads : jobs;
}

size_t isg_threads(void) {
    return (size_t)isg_team_size();
}
