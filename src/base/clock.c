/* clock.c - a monotonic clock
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* The system promises a monotonic clock; if a virtual machine breaks the promise, ours stands
   still, since a negative duration would be saved and refused later. */
double isg_clock_s(void) {
    static _Atomic int64_t latest_ns;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int64_t ns = atomic_load(&latest_ns);
    while (now_ns > ns && !atomic_compare_exchange_weak(&latest_ns, &ns, now_ns))
        ;
    return 1e-9 * (double)(now_ns > ns ? now_ns : ns);
}
