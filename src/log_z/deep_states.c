/* deep_states.c - the search for states of low energy
 *
 * SPDX-License-Identifier: MIT
 *
 * A search from one state goes through the units in turn and flips every spin that lowers H, until
 * none does. With h = W^T s at hand that takes O(p) a unit,
 *
 *     H(s with s_i flipped) - H(s) = 2 s_i (w_i.h + f_i) - 2 |w_i|^2.
 */
#include "log_z/deep_states.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "base/special.h"
#include "base/threads.h"
#include "data/data.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include "sample/sample.h"

enum {
    MOST_PASSES = 1000, /* through the units; a search ends long before */
    PORTION = 1024      /* searches between two reports */
};

isg_deep_list isg_deep_list_start(const isg_spin_model *model) {
    isg_deep_list list = {.model = model, .is_even = true, .words = isg_words(model->n)};
    for (size_t i = 0; i < model->n; i++)
        if (model->field[i] != 0)
            list.is_even = false;
    return list;
}

void isg_deep_list_release(isg_deep_list *list) {
    isg_release(list->spins);
    isg_release(list->energies);
    isg_release(list->table);
}

/* ---- downhill -------------------------------------------------------------------------------- */

double isg_spin_model_energy(const isg_spin_model *model, const uint64_t *spins, double *h) {
    double field = 0;
    for (size_t i = 0; i < model->n; i++)
        field += isg_spin(spins, i) * model->field[i];
    memset(h, 0, model->p * sizeof *h);
    isg_add_spin_rows(h, spins, model->weights, model->n, model->p);
    return -isg_spin_model_exponent(model, field, h) / model->beta;
}

/* Rounding must not make it flip back and forth: a change below this, relative to the terms, is
   none. */
static const double no_change = 1e-12;

/* Returns H of the minimum. `h` is scratch (p), norms (n) = |w_i|^2. */
static double relax(const isg_spin_model *model, const double *norms, uint64_t *spins, double *h) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = model->n, p = model->p;
    double energy = isg_spin_model_energy(model, spins, h);
    size_t since = 0; /* units since the last flip */
    for (size_t pass = 0; pass < MOST_PASSES && since < n; pass++)
        for (size_t i = 0; i < n && since < n; i++, since++) {
            const double *row = model->weights + i * p;
            const double s = isg_spin(spins, i);
            const double along = s * (kernels->dot(p, row, h) + model->field[i]);
            if (!(along - norms[i] < -no_change * (fabs(along) + norms[i])))
                continue;
            kernels->add_multiple(p, -2 * s, row, h);
            isg_bit_assign(spins, i, s < 0);
            since = 0;
        }
    energy = isg_spin_model_energy(model, spins, h);
    return energy;
}

/* ---- the list -------------------------------------------------------------------------------- */

void isg_mirror(uint64_t *spins, size_t n) {
    for (size_t word = 0; word < isg_words(n); word++)
        spins[word] = ~spins[word];
    isg_clear_tail(spins, n);
}

static size_t hash(const uint64_t *spins, size_t words) {
    uint64_t value = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t word = 0; word < words; word++) {
        value = (value ^ spins[word]) * UINT64_C(0xBF58476D1CE4E5B9);
        value ^= value >> 29;
    }
    return (size_t)value;
}

/* The slot of a state, or the empty one where it belongs. */
static size_t slot_of(const isg_deep_list *list, const uint64_t *spins) {
    size_t slot = hash(spins, list->words) & (list->slots - 1);
    while (list->table[slot] > 0 && memcmp(list->spins + (list->table[slot] - 1) * list->words,
                                           spins, list->words * sizeof *spins) != 0)
        slot = (slot + 1) & (list->slots - 1);
    return slot;
}

static void fill_table(isg_deep_list *list) {
    memset(list->table, 0, list->slots * sizeof *list->table);
    for (size_t k = 0; k < list->count; k++)
        list->table[slot_of(list, list->spins + k * list->words)] = k + 1;
}

static isg_status reserve(isg_deep_list *list, size_t count) {
    size_t spins = list->capacity * list->words, energies = list->capacity;
    ISG_TRY(isg_grow((void **)&list->spins, &spins, count * list->words, sizeof *list->spins));
    ISG_TRY(isg_grow((void **)&list->energies, &energies, count, sizeof *list->energies));
    list->capacity = spins / list->words < energies ? spins / list->words : energies;
    if (list->slots > 2 * count)
        return ISG_OK;
    size_t slots = list->slots > 0 ? list->slots : 64;
    while (slots <= 2 * count)
        slots *= 2;
    size_t *table = NULL;
    ISG_TRY(ISG_ALLOCATE(table, slots));
    isg_release(list->table);
    list->table = table;
    list->slots = slots;
    fill_table(list);
    return ISG_OK;
}

isg_status isg_deep_list_add(isg_deep_list *list, uint64_t *spins, double energy, bool *is_new) {
    ISG_TRY(reserve(list, list->count + 1));
    if (list->is_even && !isg_bit(spins, list->model->n - 1))
        isg_mirror(spins, list->model->n);
    const size_t slot = slot_of(list, spins);
    *is_new = list->table[slot] == 0;
    if (*is_new) {
        memcpy(list->spins + list->count * list->words, spins, list->words * sizeof *spins);
        list->energies[list->count++] = energy;
        list->table[slot] = list->count;
    }
    return ISG_OK;
}

static isg_status relax_portion(isg_deep_list *list, const double *norms, const uint64_t *starts,
                                size_t count, uint64_t *ends, double *energies, double *h,
                                size_t *added) {
    const size_t words = list->words, p = list->model->p;
    const isg_rows own = isg_rank_rows(count, 1);
    memcpy(ends, starts, count * words * sizeof *ends);
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t k = own.begin; k < own.end; k++)
        energies[k] =
            relax(list->model, norms, ends + k * words, h + (size_t)omp_get_thread_num() * p);
    isg_gather_rows(ends, words * sizeof *ends, count, 1);
    isg_gather_rows(energies, sizeof *energies, count, 1);
    for (size_t k = 0; k < count; k++) {
        bool is_new = false;
        ISG_TRY(isg_deep_list_add(list, ends + k * words, energies[k], &is_new));
        *added += is_new;
    }
    return ISG_OK;
}

static isg_status relax_all(isg_deep_list *list, const uint64_t *starts, size_t count,
                            size_t *added, size_t *hits, const isg_progress *progress) {
    const isg_spin_model *model = list->model;
    const size_t portion = count < PORTION ? count : PORTION;
    isg_status status = ISG_OK;
    uint64_t *ends = NULL;
    double *energies = NULL, *norms = NULL, *h = NULL;
    const size_t n_hits = hits ? list->count : 0;
    size_t new = 0;
    if (count == 0)
        goto done;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(ends, portion, list->words));
    ISG_TRY_GOTO(ISG_ALLOCATE(energies, portion));
    ISG_TRY_GOTO(ISG_ALLOCATE(norms, model->n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(h, (size_t)isg_team_size(), model->p));
    for (size_t i = 0; i < model->n; i++)
        norms[i] = isg_kernels_get()->dot(model->p, model->weights + i * model->p,
                                          model->weights + i * model->p);
    for (size_t first = 0; first < count; first += portion) {
        const size_t now = count - first < portion ? count - first : portion;
        ISG_TRY_GOTO(
            relax_portion(list, norms, starts + first * list->words, now, ends, energies, h, &new));
        for (size_t k = 0; hits && k < now; k++) {
            const size_t found = list->table[slot_of(list, ends + k * list->words)] - 1;
            if (found < n_hits)
                hits[found]++;
        }
        if (progress && !progress->report(progress->user, (double)first / (double)count))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the search for deep states was cancelled"));
    }
done:
    if (added && status == ISG_OK)
        *added = new;
    isg_release(ends);
    isg_release(energies);
    isg_release(norms);
    isg_release(h);
    return status;
}

isg_status isg_deep_list_relax(isg_deep_list *list, const uint64_t *starts, size_t count,
                               size_t *added, const isg_progress *progress) {
    return relax_all(list, starts, count, added, NULL, progress);
}

isg_status isg_deep_list_hit(isg_deep_list *list, const uint64_t *starts, size_t count,
                             size_t *hits, const isg_progress *progress) {
    memset(hits, 0, list->count * sizeof *hits);
    return relax_all(list, starts, count, NULL, hits, progress);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* By energy, and by spins where that is the same. */
typedef struct rank {
    double energy;
    const uint64_t *spins;
    size_t words;
} rank;

static int compare(const void *a, const void *b) {
    const rank *one = a, *two = b;
    if (one->energy != two->energy)
        return one->energy < two->energy ? -1 : 1;
    for (size_t word = 0; word < one->words; word++)
        if (one->spins[word] != two->spins[word])
            return one->spins[word] < two->spins[word] ? -1 : 1;
    return 0;
}

isg_status isg_deep_list_sort(isg_deep_list *list) {
    isg_status status = ISG_OK;
    rank *ranks = NULL;
    uint64_t *spins = NULL;
    if (list->count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(ranks, list->count));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(spins, list->count, list->words));
    memcpy(spins, list->spins, list->count * list->words * sizeof *spins);
    for (size_t k = 0; k < list->count; k++)
        ranks[k] = (rank){list->energies[k], spins + k * list->words, list->words};
    qsort(ranks, list->count, sizeof *ranks, compare);
    for (size_t k = 0; k < list->count; k++) {
        list->energies[k] = ranks[k].energy;
        memcpy(list->spins + k * list->words, ranks[k].spins, list->words * sizeof *spins);
    }
    fill_table(list);
done:
    isg_release(ranks);
    isg_release(spins);
    return status;
}

bool isg_deep_list_has(const isg_deep_list *list, const uint64_t *spins) {
    return list->slots > 0 && list->table[slot_of(list, spins)] > 0;
}

/* ---- the bound ------------------------------------------------------------------------------- */

double isg_deep_list_bound(const isg_deep_list *list, double beta, size_t *states) {
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < list->count; k++)
        largest = fmax(largest, -beta * list->energies[k]);
    for (size_t k = 0; k < list->count; k++)
        sum += isg_exp(-beta * list->energies[k] - largest);
    *states = list->is_even ? 2 * list->count : list->count;
    return largest + isg_log(sum) + (list->is_even ? ISG_LN_2 : 0);
}

/* An estimate may be this many of its errors below the bound before it is not trusted. */
static const double most_below = 3;

/* ln Z is not below the bound. An estimate that is, within its error, says "at least". */
void isg_log_z_respect_bound(isg_log_z *found) {
    const double below = found->bound - found->value;
    if (found->states == 0 || found->side == ISG_SIDE_EXACT)
        return;
    const double error = isfinite(found->error) ? found->error : 0;
    if (below > most_below * error && below > 1e-9 * fabs(found->bound)) {
        found->is_trusted = false;
        found->side = ISG_SIDE_BOUND;
        snprintf(
            found->reason, sizeof found->reason,
            "the estimate was %.3g below the bound of %zu known states, which is given instead",
            below, found->states);
        found->error = (double)NAN;
    } else if (below > -error && found->is_trusted) {
        found->side = ISG_SIDE_BOUND;
    }
    found->value = fmax(found->value, found->bound);
}
