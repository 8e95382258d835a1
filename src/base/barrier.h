/* barrier.h - where the threads of a team wait for each other
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP's own barrier spins for milliseconds, which is time that a busy machine takes from the very
 * thread that is being waited for. This one gives way after a moment.
 */
#ifndef ISG_BARRIER_H
#define ISG_BARRIER_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct isg_barrier {
    size_t threads; /* set by one of them before any waits */
    atomic_size_t waiting, round;
} isg_barrier;

/* Returns once all threads have called it; what they wrote before is then seen by all. */
void isg_barrier_wait(isg_barrier *barrier);

#endif
