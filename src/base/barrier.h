/* barrier.h - a barrier at which threads wait for each other
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP's own barrier spins for milliseconds, which on a busy machine takes the processor away
 * from the thread being waited for. This one yields after a moment.
 */
#ifndef ISG_BARRIER_H
#define ISG_BARRIER_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct isg_barrier {
    size_t threads; /* set by one thread before any waits */
    atomic_size_t waiting, round;
} isg_barrier;

/* Returns once all threads have called it; each then sees what the others wrote before. */
void isg_barrier_wait(isg_barrier *barrier);

#endif
