/* barrier.c - a barrier at which threads wait for each other
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/barrier.h"

#include <sched.h>

/* A few microseconds: longer than evenly loaded threads drift apart. */
enum { PATIENCE = 1000 };

static inline void pause_a_little(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void isg_barrier_wait(isg_barrier *barrier) {
    const size_t round = atomic_load_explicit(&barrier->round, memory_order_relaxed);
    if (atomic_fetch_add(&barrier->waiting, 1) + 1 == barrier->threads) {
        atomic_store_explicit(&barrier->waiting, 0, memory_order_relaxed);
        atomic_store(&barrier->round, round + 1);
        return;
    }
    for (size_t tries = 0; atomic_load(&barrier->round) == round; tries++)
        if (tries < PATIENCE)
            pause_a_little();
        else
            sched_yield();
}
