/* unmap_baseline.c - the baseline of every result: what the same search finds for a random W
 *
 * SPDX-License-Identifier: MIT
 *
 * Any W of p columns has binary states near its span, and more of them the larger p is and the
 * longer one searches. So the same search, with as many starts, is run in random subspaces of the
 * same size.
 */
#include <math.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "mapping/unmap.h"

enum { MOST_SPANS = 9 };

/* Starts times units times hidden units; a descent takes longer than a relaxation. */
static double work_of(const isg_baseline_plan *plan) {
    const double starts =
        plan->is_exhaustive ? ldexp(1, (int)plan->p - 1) : (double)plan->like.n_random;
    return starts * (double)plan->n * (double)plan->p * (plan->like.descent ? 8 : 1);
}

size_t isg_baseline_spans(const isg_baseline_plan *plan) {
    return (size_t)fmin(MOST_SPANS, fmax(1, 0x1p22 / work_of(plan)));
}

/* The mean residual of a pattern in one random subspace. */
static isg_status mean_residual(double *out, const isg_baseline_plan *plan,
                                const isg_search *search, const isg_progress *progress) {
    const size_t starts =
        plan->is_exhaustive ? isg_enumerate_starts(search->span) : isg_search_starts(search);
    isg_pool *pool = NULL;
    size_t *chosen = NULL, found = 0;
    double sum = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_pools_create(&pool, 1, plan->n, starts));
    ISG_TRY_GOTO(ISG_ALLOCATE(chosen, plan->count));
    ISG_TRY_GOTO(isg_pool_fill(pool, search, plan->is_exhaustive, progress));
    if (plan->is_chosen) {
        ISG_TRY_GOTO(isg_pool_choose(pool, plan->count, chosen, &found));
        for (size_t k = 0; k < found; k++)
            sum += pool->all[chosen[k]].residual;
    } else {
        for (found = 0; found < pool->count; found++)
            sum += pool->all[found].residual;
    }
    *out = sum / (double)found;
done:
    isg_pools_free(pool, 1);
    isg_release(chosen);
    return status;
}

/* A random subspace is searched through an orthonormal basis. Steps of gamma in x are steps of
   gamma sigma^2 in W x. */
static isg_status search_random(double *out, const isg_baseline_plan *plan, uint32_t number,
                                const isg_progress *progress) {
    isg_span random = {0};
    ISG_TRY(isg_span_random(&random, plan->n, plan->p, plan->like.seed, number));
    isg_descent descent;
    isg_search search = {.span = &random,
                         .n_random = plan->like.n_random,
                         .seed = plan->like.seed,
                         .flip = plan->like.flip};
    if (plan->like.descent) {
        descent = *plan->like.descent;
        descent.weights = isg_matd_const(isg_matd_of(random.network->u, plan->n, plan->p));
        search.descent = &descent;
    }
    const isg_status status = mean_residual(out, plan, &search, progress);
    isg_span_free(&random);
    return status;
}

isg_status isg_unmap_baseline(isg_baseline *out, const isg_baseline_plan *plan,
                              const isg_progress *progress) {
    const size_t n_spans = isg_baseline_spans(plan);
    double sum = 0, least = HUGE_VAL;
    for (size_t k = 0; k < n_spans; k++) {
        isg_part part;
        double mean = 0;
        ISG_TRY(search_random(&mean, plan, (uint32_t)k,
                              isg_part_of(&part, progress, (double)k / (double)n_spans,
                                          (double)(k + 1) / (double)n_spans)));
        sum += mean;
        least = fmin(least, mean);
    }
    *out = (isg_baseline){.mean = sum / (double)n_spans * (double)plan->count,
                          .least = least * (double)plan->count,
                          .n_spans = n_spans};
    return ISG_OK;
}
