/* ais_schedule.c - schedules in which every step loses the same
 *
 * SPDX-License-Identifier: MIT
 *
 * The share of chains that is left after a step, (sum w)^2 / (n sum w^2), falls from 1 the further
 * the step goes; bisection finds where it reaches the target.
 */
#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "log_z/ais.h"

enum { MOST_STEPS = 1000000 };

/* Chains of equal weight go from one alpha to another: what share of them is left, effectively. */
static double share_left(const isg_anneal *a, const isg_slope *slopes, size_t chains, double from,
                         double to) {
    double largest = -HUGE_VAL, sum = 0, squares = 0;
    for (size_t k = 0; k < chains; k++)
        largest = fmax(largest, isg_anneal_log_weight(a, slopes[k], from, to));
    for (size_t k = 0; k < chains; k++) {
        const double weight = isg_exp(isg_anneal_log_weight(a, slopes[k], from, to) - largest);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / ((double)chains * squares);
}

static double next_alpha(const isg_anneal *a, const isg_slope *slopes, size_t chains, double from,
                         double target) {
    if (share_left(a, slopes, chains, from, 1) >= target)
        return 1;
    double low = from, high = 1;
    for (int k = 0; k < 40; k++) {
        const double middle = low + (high - low) / 2;
        if (share_left(a, slopes, chains, from, middle) >= target)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* All chains of the pilot, moved together since all of them choose the next alpha. */
static isg_status run_pilot(const isg_anneal *a, isg_anneal_group *rooms, size_t groups,
                            size_t chains, double target, const isg_progress *progress,
                            double **schedule, size_t *steps) {
    isg_status status = ISG_OK;
    isg_slope *slopes = NULL;
    double *alphas = NULL;
    size_t capacity = 0, count = 1;
    ISG_TRY_GOTO(ISG_ALLOCATE(slopes, chains));
    ISG_TRY_GOTO(isg_grow((void **)&alphas, &capacity, 64, sizeof *alphas));
    alphas[0] = 0;
    for (double alpha = 0; alpha < 1; count++) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
        for (size_t n = 0; n < groups; n++) {
            if (alpha > 0)
                isg_anneal_move(a, &rooms[n], alpha, count);
            for (size_t k = 0; k < rooms[n].count; k++)
                slopes[rooms[n].first + k] = isg_anneal_slope(a, &rooms[n], k);
        }
        const double next = next_alpha(a, slopes, chains, alpha, target);
        if (!(next > alpha) || count > MOST_STEPS) {
            status = isg_fail(ISG_ERR_UNSUPPORTED,
                              "a schedule that keeps %g of the chains needs more than %d steps",
                              target, MOST_STEPS);
            goto done;
        }
        alpha = next;
        ISG_TRY_GOTO(isg_grow((void **)&alphas, &capacity, count + 1, sizeof *alphas));
        alphas[count] = alpha;
        if (progress && !progress->report(progress->user, alpha)) {
            status = isg_fail(ISG_ERR_CANCELLED, "annealing was cancelled");
            goto done;
        }
    }
    *schedule = alphas;
    *steps = count - 1;
    alphas = NULL;
done:
    isg_release(slopes);
    isg_release(alphas);
    return status;
}

isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options, double target,
                            double **schedule, size_t *steps) {
    if (!(target > 0 && target < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "target: expected a share between 0 and 1, found %g",
                        target);
    ISG_TRY(isg_ais_check(options));
    const size_t groups = isg_anneal_groups(options->chains);
    isg_status status = ISG_OK;
    isg_anneal a;
    isg_anneal_group *rooms = NULL;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed, ISG_PURPOSE_AIS_PILOT));
    ISG_TRY_GOTO(ISG_ALLOCATE(rooms, groups));
    for (size_t n = 0; n < groups; n++) {
        ISG_TRY_GOTO(isg_anneal_group_create(&rooms[n], &a.w));
        isg_anneal_group_take(&rooms[n], n, options->chains);
        isg_anneal_start(&a, &rooms[n]);
    }
    ISG_TRY_GOTO(
        run_pilot(&a, rooms, groups, options->chains, target, options->progress, schedule, steps));
done:
    for (size_t n = 0; rooms && n < groups; n++)
        isg_anneal_group_release(&rooms[n]);
    isg_release(rooms);
    isg_anneal_release(&a);
    return status;
}

void isg_schedule_free(double *schedule) {
    isg_release(schedule);
}
