/* peak.c - the arithmetic speed of this machine
 *
 * SPDX-License-Identifier: MIT
 *
 * All threads run the kernel `peak` at the same time, so that they share clock rate, power and
 * execution units as they do in real work. It runs in rounds of a millisecond, and the best one
 * counts: other work on the machine can only slow a round down.
 */
#include <math.h>
#include <omp.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/threads.h"
#include "kernels/kernels.h"

static const double round_s = 1e-3;

/* The best rate of the calling thread until the time `end`, over at least one full round. */
static double best_rate(const isg_kernels *kernels, double end) {
    double best = 0, now = isg_clock_s();
    size_t repetitions = 1000;
    while (best == 0 || now < end) {
        const double operations = kernels->peak(repetitions), before = now;
        now = isg_clock_s();
        if (now - before < round_s)
            repetitions *= 2;
        else
            best = fmax(best, operations / (now - before));
    }
    return best;
}

isg_status isg_peak(double seconds, double *out) {
    if (!(seconds > 0 && isfinite(seconds)))
        return isg_fail(ISG_ERR_ARGUMENT, "seconds: expected a positive number, found %g", seconds);
    const isg_kernels *kernels = isg_kernels_get();
    const double end = isg_clock_s() + seconds;
    double rates[ISG_MAX_THREADS] = {0};
#pragma omp parallel num_threads(isg_team_size())
    rates[omp_get_thread_num()] = best_rate(kernels, end);
    double sum = 0;
    for (size_t k = 0; k < ISG_MAX_THREADS; k++)
        sum += rates[k];
    *out = sum;
    return ISG_OK;
}
