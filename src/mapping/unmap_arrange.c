/* unmap_arrange.c - turns chosen candidates into patterns, matched with the nearest known ones
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mapping/unmap.h"

/* Matches each chosen candidate to a known pattern, if any: the pair of largest |overlap| first,
   then the largest among the rest. */
static void match(const isg_pool *pool, const size_t *chosen, size_t count,
                  const isg_patterns *known, size_t *partner, bool *is_taken) {
    const size_t n_known = known->info.n_patterns, n = pool->n;
    for (size_t k = 0; k < count; k++)
        partner[k] = SIZE_MAX;
    for (size_t pairs = count < n_known ? count : n_known; pairs > 0; pairs--) {
        size_t best = 0, best_known = 0, largest = 0;
        bool has_best = false;
        for (size_t k = 0; k < count; k++)
            for (size_t nu = 0; partner[k] == SIZE_MAX && nu < n_known; nu++) {
                if (is_taken[nu])
                    continue;
                const size_t apart = isg_hamming(pool->all[chosen[k]].spins,
                                                 isg_patterns_spins(known, nu), pool->words);
                const size_t overlap = 2 * apart > n ? 2 * apart - n : n - 2 * apart;
                if (!has_best || overlap > largest) {
                    best = k;
                    best_known = nu;
                    largest = overlap;
                    has_best = true;
                }
            }
        partner[best] = best_known;
        is_taken[best_known] = true;
    }
}

/* A place for each of the chosen: known ones in their order, then the others by residual, which is
   the order of the pool. */
typedef struct place {
    size_t known, candidate;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->known != y->known)
        return x->known < y->known ? -1 : 1;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

static void set_spins(isg_unmapping *unmapping, size_t mu, const uint64_t *from) {
    const size_t words = unmapping->patterns->words, n = unmapping->report.n_visible;
    const size_t known = unmapping->each[mu].known;
    uint64_t *spins = isg_patterns_spins(unmapping->patterns, mu);
    memcpy(spins, from, words * sizeof *spins);
    if (known == SIZE_MAX ||
        2 * isg_hamming(spins, isg_patterns_spins(unmapping->known, known), words) <= n)
        return;
    for (size_t w = 0; w < words; w++)
        spins[w] = ~spins[w];
    isg_clear_tail(spins, n);
}

isg_status isg_unmapping_arrange(isg_unmapping *unmapping, const isg_pool *pool, size_t *chosen,
                                 size_t count) {
    size_t *partner = NULL;
    bool *is_taken = NULL;
    place *places = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(partner, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(places, count));
    for (size_t k = 0; k < count; k++)
        partner[k] = SIZE_MAX;
    if (unmapping->known) {
        ISG_TRY_GOTO(ISG_ALLOCATE(is_taken, unmapping->known->info.n_patterns));
        match(pool, chosen, count, unmapping->known, partner, is_taken);
    }
    for (size_t k = 0; k < count; k++)
        places[k] = (place){partner[k], chosen[k]};
    qsort(places, count, sizeof *places, by_place);
    for (size_t mu = 0; mu < count; mu++) {
        chosen[mu] = places[mu].candidate;
        unmapping->each[mu].known = places[mu].known;
        set_spins(unmapping, mu, pool->all[chosen[mu]].spins);
    }
done:
    isg_release(partner);
    isg_release(is_taken);
    isg_release(places);
    return status;
}
