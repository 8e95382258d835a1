/* unmap_pool.c - candidates for patterns, and the choice among them
 *
 * SPDX-License-Identifier: MIT
 *
 * Relaxations from many starts end in few states, found again and again in either sign, and the
 * deepest have neighbors a few spins away that are nearly as deep. So a pool keeps the best states,
 * each once, and patterns are chosen as pivoted QR chooses columns, by their distance d from the
 * span of those before, weighted by the residual: d / rho^2. Halving the residual is worth a
 * fourfold distance; a neighbor three spins from a chosen pattern, d = 3.5 where others have 15,
 * would need half the residual of its competitors. Residuals below 1e-6 N count as 1e-6 N.
 *
 * Candidates that are equally good, such as all that lie in the span, must not be ordered by the
 * rounding of their residuals: residuals are stored as multiples of 1e-10 N, and merits that differ
 * by less than 1e-9 are equal. Then the spins decide.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "mapping/unmap.h"

/* ---- pools ------------------------------------------------------------------------------------- */

static isg_status pool_create(isg_pool *pool, size_t n, size_t most) {
    pool->n = n;
    pool->words = isg_words(n);
    pool->room = most < 2 * ISG_POOL_KEPT ? most : 2 * ISG_POOL_KEPT;
    pool->worst = HUGE_VAL;
    ISG_TRY(ISG_ALLOCATE(pool->all, pool->room));
    ISG_TRY(ISG_ALLOCATE_MATRIX(pool->spins, pool->room, pool->words));
    ISG_TRY(ISG_ALLOCATE(pool->slots, 4 * pool->room));
    for (size_t k = 0; k < pool->room; k++)
        pool->all[k] =
            (isg_candidate){.spins = pool->spins + k * pool->words, .words = pool->words};
    return ISG_OK;
}

isg_status isg_pools_create(isg_pool **out, size_t count, size_t n, size_t most) {
    isg_pool *pools = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(pools, count));
    for (size_t k = 0; k < count && status == ISG_OK; k++)
        status = pool_create(&pools[k], n, most);
    if (status == ISG_OK)
        *out = pools;
    else
        isg_pools_free(pools, count);
    return status;
}

void isg_pools_free(isg_pool *pools, size_t count) {
    for (size_t k = 0; pools && k < count; k++) {
        isg_release(pools[k].all);
        isg_release(pools[k].spins);
        isg_release(pools[k].slots);
    }
    isg_release(pools);
}

bool isg_canonical_sign(uint64_t *spins, size_t n) {
    const size_t words = isg_words(n), ups = isg_count_ones(spins, words);
    if (2 * ups < n || (2 * ups == n && !isg_bit(spins, 0)))
        return false;
    for (size_t w = 0; w < words; w++)
        spins[w] = ~spins[w];
    isg_clear_tail(spins, n);
    return true;
}

/* The slot of these spins, or the empty one where they belong. */
static uint32_t *find_slot(const isg_pool *pool, const uint64_t *spins) {
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t w = 0; w < pool->words; w++) {
        hash = (hash ^ spins[w]) * UINT64_C(0xD6E8FEB86659FD93);
        hash ^= hash >> 32;
    }
    const size_t n_slots = 4 * pool->room;
    size_t at = hash % n_slots;
    while (pool->slots[at] != 0 &&
           memcmp(pool->all[pool->slots[at] - 1].spins, spins, pool->words * sizeof *spins) != 0)
        at = (at + 1) % n_slots;
    return &pool->slots[at];
}

bool isg_pool_knows(isg_pool *pool, const uint64_t *spins, size_t source) {
    const uint32_t number = *find_slot(pool, spins);
    if (number == 0)
        return false;
    isg_candidate *known = &pool->all[number - 1];
    known->source = source < known->source ? source : known->source;
    return true;
}

/* By bytes, the lowest first, on machines of either byte order. */
static int compare_spins(const uint64_t *x, const uint64_t *y, size_t words) {
    size_t w = 0;
    while (w < words && x[w] == y[w])
        w++;
    if (w == words)
        return 0;
    const int shift = __builtin_ctzll(x[w] ^ y[w]) & ~7;
    return (x[w] >> shift & 0xff) < (y[w] >> shift & 0xff) ? -1 : 1;
}

/* By residual, then by spins, which are all different. */
static int by_residual(const void *a, const void *b) {
    const isg_candidate *x = a, *y = b;
    if (x->residual != y->residual)
        return x->residual < y->residual ? -1 : 1;
    return compare_spins(x->spins, y->spins, x->words);
}

void isg_pool_finish(isg_pool *pool) {
    qsort(pool->all, pool->count, sizeof *pool->all, by_residual);
    if (pool->count >= ISG_POOL_KEPT) {
        pool->count = ISG_POOL_KEPT;
        pool->worst = pool->all[pool->count - 1].residual;
    }
    memset(pool->slots, 0, 4 * pool->room * sizeof *pool->slots);
    for (size_t k = 0; k < pool->count; k++)
        *find_slot(pool, pool->all[k].spins) = (uint32_t)(k + 1);
}

void isg_pool_add(isg_pool *pool, const uint64_t *spins, double exact, size_t source) {
    const double grain = 1e-10 * (double)pool->n, residual = grain * rint(exact / grain);
    if (residual > pool->worst || isg_pool_knows(pool, spins, source))
        return;
    if (pool->count == pool->room)
        isg_pool_finish(pool);
    isg_candidate *next = &pool->all[pool->count++];
    memcpy(next->spins, spins, pool->words * sizeof *spins);
    next->residual = residual;
    next->source = source;
    *find_slot(pool, spins) = (uint32_t)pool->count;
}

void isg_pools_gather(isg_pool *into, const isg_pool *pools, size_t count) {
    for (size_t t = 0; t < count; t++)
        for (size_t k = 0; k < pools[t].count; k++) {
            const isg_candidate *one = &pools[t].all[k];
            isg_pool_add(into, one->spins, one->residual, one->source);
        }
    isg_pool_finish(into);
}

/* ---- the choice -------------------------------------------------------------------------------- */

/* Pivoted Cholesky of the candidates' overlaps: `square` (count) is the squared length of each
   outside the span of the chosen, and row k of `factor` (wanted, count) the part along the k-th
   direction. */
typedef struct choice {
    const isg_pool *pool;
    double *square, *merit; /* (count); merit is -2 ln rho^2 */
    double *factor;
} choice;

static size_t best_of(const choice *my) {
    const double least = 1e-9 * (double)my->pool->n, equal = 1e-9;
    double best = -HUGE_VAL;
    size_t found = my->pool->count;
    for (size_t j = 0; j < my->pool->count; j++) {
        const double merit = isg_log(my->square[j]) + my->merit[j];
        if (my->square[j] > least && merit > best + equal) {
            best = merit;
            found = j;
        }
    }
    return found;
}

static void take(choice *my, size_t pivot, size_t rank) {
    const isg_pool *pool = my->pool;
    const size_t count = pool->count;
    const double root = sqrt(my->square[pivot]);
    double *row = my->factor + rank * count;
    for (size_t j = 0; j < count; j++)
        row[j] = (double)pool->n -
                 2 * (double)isg_hamming(pool->all[pivot].spins, pool->all[j].spins, pool->words);
    for (size_t k = 0; k < rank; k++) {
        const double *before = my->factor + k * count, along = before[pivot];
        for (size_t j = 0; j < count; j++)
            row[j] -= along * before[j];
    }
    for (size_t j = 0; j < count; j++) {
        row[j] /= root;
        my->square[j] -= row[j] * row[j];
    }
    my->square[pivot] = 0;
}

isg_status isg_pool_choose(const isg_pool *pool, size_t count, size_t *chosen, size_t *found) {
    choice my = {.pool = pool};
    isg_status status = ISG_OK;
    size_t rank = 0;
    ISG_TRY_GOTO(ISG_ALLOCATE(my.square, pool->count));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.merit, pool->count));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.factor, count, pool->count));
    for (size_t j = 0; j < pool->count; j++) {
        my.square[j] = (double)pool->n;
        my.merit[j] = -4 * isg_log(fmax(pool->all[j].residual, 1e-6 * (double)pool->n));
    }
    for (; rank < count; rank++) {
        const size_t pivot = best_of(&my);
        if (pivot == pool->count)
            break;
        take(&my, pivot, rank);
        chosen[rank] = pivot;
    }
    *found = rank;
done:
    isg_release(my.square);
    isg_release(my.merit);
    isg_release(my.factor);
    return status;
}
