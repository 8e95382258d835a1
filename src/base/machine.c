/* machine.c - threads, and the linear algebra library underneath
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/machine.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* OpenBLAS; its header would bring its own complex types and thread functions along. */
char *openblas_get_config(void);
int openblas_get_parallel(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

enum { BLAS_WITH_OWN_THREADS = 1 };

static atomic_int team_size; /* 0 until set: then what OpenMP says, and so OMP_NUM_THREADS */

void isg_set_threads(size_t threads) {
    int count = threads > ISG_MAX_THREADS ? ISG_MAX_THREADS : (int)threads;
    if (count == 0)
        count = omp_get_num_procs();
    atomic_store(&team_size, count);
    omp_set_num_threads(count);
}

int isg_team_size(void) {
    const int count = atomic_load(&team_size);
    return count > 0 ? count : omp_get_max_threads();
}

size_t isg_threads(void) {
    return (size_t)isg_team_size();
}

/* Built with OpenMP, OpenBLAS follows the calling thread's number at every call. Built with its
   own threads it has one number for the process, which may be the host program's concern too. */
isg_serial isg_serial_begin(void) {
    const isg_serial before = {omp_get_max_threads(), openblas_get_num_threads()};
    omp_set_num_threads(1);
    if (openblas_get_parallel() == BLAS_WITH_OWN_THREADS)
        openblas_set_num_threads(1);
    return before;
}

void isg_serial_end(isg_serial before) {
    omp_set_num_threads(before.openmp_threads);
    if (openblas_get_parallel() == BLAS_WITH_OWN_THREADS)
        openblas_set_num_threads(before.blas_threads);
}

/* OpenBLAS writes its description into one buffer at every call: ask once, and keep a copy. */
static char description[256];
static pthread_once_t described = PTHREAD_ONCE_INIT;

static void describe(void) {
    snprintf(description, sizeof description, "%s", openblas_get_config());
}

const char *isg_blas(void) {
    pthread_once(&described, describe);
    return description;
}
