/* machine.h - threads, and the linear algebra library underneath
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP keeps its number of threads per calling thread, so a parallel loop of the library names
 * it: num_threads(isg_team_size()) holds whichever thread called isg_set_threads().
 */
#ifndef ISG_MACHINE_H
#define ISG_MACHINE_H

#include "isinglass.h"

enum { ISG_MAX_THREADS = 1024 };

/* isg_threads(), as OpenMP wants it. */
int isg_team_size(void);

/* LAPACK runs on one thread, between these two calls, because the last bits of what OpenBLAS
   computes depend on how many it uses, and the number of threads must never change results. */
typedef struct isg_serial {
    int openmp_threads, blas_threads;
} isg_serial;

isg_serial isg_serial_begin(void);
void isg_serial_end(isg_serial before);

#endif
