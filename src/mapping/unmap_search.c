/* unmap_search.c - patterns from many starts: known ones, rows of data, random directions
 *
 * SPDX-License-Identifier: MIT
 *
 * If 2^(p-1) starts are too many, or the user wants random starts, the requested number is relaxed,
 * or descends by the paper's method from X0 = W^+ b, and the results go into a pool.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "data/data.h"
#include "mapping/unmap.h"

enum { STARTS_A_REPORT = 128 };

void isg_search_rooms_free(isg_search_room *all, size_t count) {
    for (size_t k = 0; all && k < count; k++) {
        isg_release(all[k].x);
        isg_release(all[k].gradient);
        isg_release(all[k].h);
        isg_release(all[k].spins);
        isg_release(all[k].other);
    }
    isg_release(all);
}

isg_status isg_search_rooms_create(isg_search_room **out, size_t count, const isg_span *span) {
    isg_search_room *all = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(all, count));
    for (size_t k = 0; k < count; k++) {
        ISG_TRY_GOTO(ISG_ALLOCATE(all[k].x, span->p));
        ISG_TRY_GOTO(ISG_ALLOCATE(all[k].gradient, span->p));
        ISG_TRY_GOTO(ISG_ALLOCATE(all[k].h, span->p));
        ISG_TRY_GOTO(ISG_ALLOCATE(all[k].spins, span->words));
        ISG_TRY_GOTO(ISG_ALLOCATE(all[k].other, span->words));
    }
    *out = all;
    return ISG_OK;
done:
    isg_search_rooms_free(all, count);
    return status;
}

static size_t known_starts(const isg_search *search) {
    return search->patterns ? search->patterns->info.n_patterns : 0;
}

size_t isg_search_starts(const isg_search *search) {
    return known_starts(search) + search->n_data + search->n_random;
}

static void set_start(const isg_search *search, size_t k, uint64_t *spins, double *h) {
    const size_t known = known_starts(search), bytes = search->span->words * sizeof *spins;
    if (k < known) {
        memcpy(spins, isg_patterns_spins(search->patterns, k), bytes);
    } else if (k - known < search->n_data) {
        const size_t rows = search->data->info.n_samples;
        memcpy(spins, isg_dataset_spins(search->data, (k - known) * rows / search->n_data), bytes);
    } else {
        isg_span_random_state(search->span, search->seed, k - known - search->n_data, spins, h);
    }
}

/* Runs from start k to its final spins, and x for descent. */
static void run_start(const isg_search *search, size_t k, isg_search_room *my) {
    set_start(search, k, my->spins, my->h);
    if (search->descent) {
        isg_span_pull_back(search->span, my->spins, my->h, my->x);
        isg_descent_run(search->descent, my->x, my->gradient);
        isg_descent_signs(search->descent, my->x, my->spins);
    } else {
        isg_span_relax(search->span, my->spins, my->h);
    }
    if (search->flip)
        isg_span_flip(search->span, my->spins, my->h);
}

isg_status isg_search_repeat(const isg_search *search, size_t source, double *x) {
    isg_search_room *my = NULL;
    ISG_TRY(isg_search_rooms_create(&my, 1, search->span));
    run_start(search, source, my);
    memcpy(x, my->x, search->span->p * sizeof *x);
    isg_search_rooms_free(my, 1);
    return ISG_OK;
}

static isg_status run_search(isg_pool *pool, const isg_search *search,
                             const isg_progress *progress) {
    const isg_span *span = search->span;
    const size_t starts = isg_search_starts(search), team = (size_t)isg_team_size();
    isg_pool *pools = NULL;
    isg_search_room *all = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_pools_create(&pools, team, span->n, starts));
    ISG_TRY_GOTO(isg_search_rooms_create(&all, team, span));
    for (size_t done = 0; done < starts; done += STARTS_A_REPORT) {
        const size_t end = done + STARTS_A_REPORT < starts ? done + STARTS_A_REPORT : starts;
#pragma omp parallel for schedule(dynamic) num_threads((int)team)
        for (size_t k = done; k < end; k++) {
            isg_search_room *my = &all[omp_get_thread_num()];
            run_start(search, k, my);
            isg_canonical_sign(my->spins, span->n);
            isg_pool *own = &pools[omp_get_thread_num()];
            if (!isg_pool_knows(own, my->spins, k))
                isg_pool_add(own, my->spins, isg_span_residual(span, my->spins, my->h), k);
        }
        if (progress && !progress->report(progress->user, (double)end / (double)starts))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the search for patterns was cancelled"));
    }
    isg_pools_gather(pool, pools, team);
done:
    isg_search_rooms_free(all, team);
    isg_pools_free(pools, team);
    return status;
}

/* Adds every candidate of `from`, moved, to the empty pool `to`. */
static isg_status move_pool(isg_pool *to, const isg_pool *from, const isg_span *span,
                            void (*move)(const isg_span *, uint64_t *, double *)) {
    isg_search_room *my = NULL;
    ISG_TRY(isg_search_rooms_create(&my, 1, span));
    for (size_t k = 0; k < from->count; k++) {
        memcpy(my->spins, from->all[k].spins, span->words * sizeof *my->spins);
        move(span, my->spins, my->h);
        isg_canonical_sign(my->spins, span->n);
        isg_pool_add(to, my->spins, isg_span_residual(span, my->spins, my->h), from->all[k].source);
    }
    isg_pool_finish(to);
    isg_search_rooms_free(my, 1);
    return ISG_OK;
}

isg_status isg_pool_relax(isg_pool *to, const isg_pool *from, const isg_span *span) {
    return move_pool(to, from, span, isg_span_relax);
}

static isg_status flip_pool(isg_pool *pool, const isg_span *span) {
    isg_pool *flipped = NULL;
    ISG_TRY(isg_pools_create(&flipped, 1, span->n, pool->room));
    const isg_status status = move_pool(flipped, pool, span, isg_span_flip);
    if (status == ISG_OK) {
        const isg_pool before = *pool;
        *pool = *flipped;
        *flipped = before;
    }
    isg_pools_free(flipped, 1);
    return status;
}

isg_status isg_pool_fill(isg_pool *pool, const isg_search *search, bool is_exhaustive,
                         const isg_progress *progress) {
    if (!is_exhaustive)
        return run_search(pool, search, progress);
    ISG_TRY(isg_unmap_enumerate(pool, search->span, progress));
    return search->flip ? flip_pool(pool, search->span) : ISG_OK;
}
