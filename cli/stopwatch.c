/* stopwatch.c - time as the user waits it
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/stopwatch.h"

#include <time.h>

/* Never less than before, whatever the system's clock does: see src/base/clock.c. */
double stopwatch_s(void) {
    static double latest;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double now_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    latest = now_s > latest ? now_s : latest;
    return latest;
}
