/* states.c - deep states, and what they are in terms of the patterns
 *
 * SPDX-License-Identifier: MIT
 *
 * deep_states.c searches. Here every minimum is compared with the patterns: with each of them, and
 * with mixtures sgn(+-a +-b +-c). There are p^3 of these, so only a few patterns are tried, those
 * with the largest overlaps xi^T s and those with the largest coefficients (xi^T xi)^-1 xi^T s:
 * patterns of a projection rule are correlated, and a + b - c may have a larger overlap with a
 * pattern that is not in it. Its coefficients are 1, 1 and -1, all others 0.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "linalg/linalg.h"
#include "log_z/deep_states.h"
#include "log_z/split.h"

enum { BY_COEFFICIENT = 6, BY_OVERLAP = 6, MOST_CANDIDATES = BY_COEFFICIENT + BY_OVERLAP };

/* Added to the correlations of patterns, relative to 1, so that dependent ones have coefficients
   too. They only choose what is tried. */
static const double ridge = 1e-8;

static const double same_energy = 1e-9;

struct isg_deep_states {
    isg_deep_states_info info;
    size_t words;
    uint64_t *spins;        /* (count, words) */
    isg_deep_state *states; /* (count) */
};

/* ---- what a state is ------------------------------------------------------------------------- */

/* The patterns, and scratch. */
typedef struct naming {
    const isg_patterns *patterns;
    size_t n, p, words;
    double *factor;       /* (p, p): l of xi^T xi / n + ridge = l l^T */
    double *overlaps;     /* (p): xi^T s / n */
    double *coefficients; /* (p) */
} naming;

static isg_status naming_start(naming *my, const isg_patterns *patterns, size_t n) {
    const size_t p = patterns ? isg_patterns_describe(patterns).n_patterns : 0;
    *my = (naming){.patterns = patterns, .n = n, .p = p, .words = isg_words(n)};
    if (p == 0)
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->factor, p, p));
    ISG_TRY(ISG_ALLOCATE(my->overlaps, p));
    ISG_TRY(ISG_ALLOCATE(my->coefficients, p));
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++)
            my->factor[mu * p + nu] =
                isg_patterns_overlap(patterns, mu, nu) + (mu == nu ? ridge : 0);
    const isg_matd factor = isg_matd_of(my->factor, p, p);
    return isg_cholesky(factor, isg_matd_const(factor));
}

static void naming_release(naming *my) {
    isg_release(my->factor);
    isg_release(my->overlaps);
    isg_release(my->coefficients);
}

static void mirror(const naming *my, uint64_t *spins) {
    for (size_t word = 0; word < my->words; word++)
        spins[word] = ~spins[word];
    isg_clear_tail(spins, my->n);
}

/* The nearest pattern. If H is even, moves the state to that pattern's side of the mirror. */
static void find_nearest(naming *my, bool is_even, uint64_t *spins, isg_deep_state *out) {
    const size_t n = my->n;
    out->nearest = SIZE_MAX;
    out->overlap = (double)NAN;
    if (is_even && my->p == 0 && 2 * isg_count_ones(spins, my->words) > n)
        mirror(my, spins);
    for (size_t mu = 0; mu < my->p; mu++) {
        const size_t apart = isg_hamming(isg_patterns_row(my->patterns, mu), spins, my->words);
        const size_t distance = is_even && 2 * apart > n ? n - apart : apart;
        my->overlaps[mu] = ((double)n - 2 * (double)apart) / (double)n;
        if (mu > 0 && distance >= out->distance)
            continue;
        out->nearest = mu;
        out->distance = distance;
        out->overlap = ((double)n - 2 * (double)distance) / (double)n;
    }
    if (my->p == 0 || my->overlaps[out->nearest] == out->overlap)
        return;
    mirror(my, spins);
    for (size_t mu = 0; mu < my->p; mu++)
        my->overlaps[mu] = -my->overlaps[mu];
}

/* Adds the patterns with the `most` largest |values| that are not among the candidates. */
static size_t choose(const double *values, size_t p, size_t most, size_t *candidates,
                     size_t count) {
    for (size_t k = 0; k < most; k++) {
        size_t best = SIZE_MAX;
        for (size_t mu = 0; mu < p; mu++) {
            bool is_new = true;
            for (size_t q = 0; q < count; q++)
                is_new = is_new && candidates[q] != mu;
            if (is_new && (best == SIZE_MAX || fabs(values[mu]) > fabs(values[best])))
                best = mu;
        }
        if (best == SIZE_MAX)
            break;
        candidates[count++] = best;
    }
    return count;
}

/* sgn(+-a +-b +-c), of which bit q of `minus` says whether pattern q has a minus. */
static isg_deep_mixture compare(const naming *my, const uint64_t *spins, const size_t of[3],
                                unsigned minus) {
    isg_deep_mixture found = {.is_sum = true};
    const uint64_t *rows[3], flip[3] = {-(uint64_t)(minus & 1), -(uint64_t)(minus >> 1 & 1),
                                        -(uint64_t)(minus >> 2 & 1)};
    for (size_t q = 0; q < 3; q++)
        rows[q] = isg_patterns_row(my->patterns, of[q]);
    for (size_t word = 0; word < my->words; word++) {
        const uint64_t a = rows[0][word] ^ flip[0], b = rows[1][word] ^ flip[1],
                       c = rows[2][word] ^ flip[2];
        uint64_t apart = ((a & b) | (a & c) | (b & c)) ^ spins[word];
        uint64_t all = ~((a ^ b) | (a ^ c)); /* the three agree, and their sum is 3 or -3 */
        if (word + 1 == my->words && my->n % 64) {
            apart &= (UINT64_C(1) << my->n % 64) - 1;
            all &= (UINT64_C(1) << my->n % 64) - 1;
        }
        found.distance += (size_t)__builtin_popcountll(apart);
        found.is_sum = found.is_sum && all == 0;
    }
    return found;
}

/* With a plus before a minus, and then by number. */
static void put_in_order(isg_deep_mixture *mixture) {
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < 2; q++) {
            const int s = mixture->signs[q], t = mixture->signs[q + 1];
            const size_t a = mixture->patterns[q], b = mixture->patterns[q + 1];
            if (s > t || (s == t && a < b))
                continue;
            mixture->signs[q] = t;
            mixture->signs[q + 1] = s;
            mixture->patterns[q] = b;
            mixture->patterns[q + 1] = a;
        }
}

/* The nearest mixture of three candidates. Of equally near ones, a sum comes first, then the one of
   earlier candidates. */
static void find_among(const naming *my, const uint64_t *spins, const size_t *candidates,
                       size_t count, isg_deep_mixture *out) {
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            for (size_t c = b + 1; c < count; c++)
                for (unsigned minus = 0; minus < 8; minus++) {
                    const size_t of[3] = {candidates[a], candidates[b], candidates[c]};
                    isg_deep_mixture next = compare(my, spins, of, minus);
                    if (out->patterns[0] != SIZE_MAX &&
                        (next.distance > out->distance ||
                         (next.distance == out->distance && next.is_sum <= out->is_sum)))
                        continue;
                    for (unsigned q = 0; q < 3; q++) {
                        next.patterns[q] = of[q];
                        next.signs[q] = minus >> q & 1 ? -1 : 1;
                    }
                    *out = next;
                }
    if (count >= 3)
        put_in_order(out);
}

static isg_status find_mixture(naming *my, const uint64_t *spins, isg_deep_mixture *out) {
    size_t candidates[MOST_CANDIDATES];
    const size_t p = my->p;
    *out = (isg_deep_mixture){.patterns = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    if (p < 3)
        return ISG_OK;
    memcpy(my->coefficients, my->overlaps, p * sizeof *my->coefficients);
    ISG_TRY(isg_cholesky_solve(isg_matd_of(my->coefficients, p, 1),
                               isg_matd_const(isg_matd_of(my->factor, p, p))));
    size_t count = choose(my->coefficients, p, BY_COEFFICIENT, candidates, 0);
    count = choose(my->overlaps, p, BY_OVERLAP, candidates, count);
    find_among(my, spins, candidates, count, out);
    return ISG_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

static isg_status check(const isg_rbm *rbm, const isg_states_options *options) {
    if (options->most == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected to list at least 1 state, found 0");
    if (!(options->window >= 0) || !isfinite(options->window))
        return isg_fail(ISG_ERR_ARGUMENT, "window: expected a number from 0 up, found %g",
                        options->window);
    const size_t n =
        options->data ? isg_dataset_describe(options->data).n_visible : rbm->info.n_visible;
    if (n != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu visible ones", n,
                        rbm->info.n_visible);
    return ISG_OK;
}

/* Something to find, if nothing was given to start from. */
static isg_status start_somewhere(isg_deep_list *list) {
    uint64_t *spins = NULL;
    ISG_TRY(ISG_ALLOCATE(spins, list->words));
    const isg_status status = isg_deep_list_relax(list, spins, 1, NULL, NULL);
    isg_release(spins);
    return status;
}

static bool is_same(double energy, double other) {
    return fabs(energy - other) <= same_energy * fabs(other);
}

static void summarize(isg_deep_states *my, const isg_deep_list *list,
                      const isg_states_options *options) {
    isg_deep_states_info *info = &my->info;
    size_t with_mirrors;
    info->n_visible = list->model->n;
    info->found = list->count;
    info->count = list->count < options->most ? list->count : options->most;
    /* With all that have the energy of the last, so that rounding does not choose among them. */
    while (info->count < list->count &&
           is_same(list->energies[info->count], list->energies[info->count - 1]))
        info->count++;
    info->starts = options->random_starts;
    info->beta = list->model->beta;
    info->is_even = list->is_even;
    info->bound = isg_deep_list_bound(list, info->beta, &with_mirrors);
    while (info->ground < list->count && is_same(list->energies[info->ground], list->energies[0]))
        info->ground++;
}

/* Rounding tells states of the same energy apart, and means nothing: patterns come first, by number,
   then the others by their nearest pattern. */
typedef struct ranked {
    size_t group;
    isg_deep_state state;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *one = a, *two = b;
    const isg_deep_state *x = &one->state, *y = &two->state;
    if (one->group != two->group)
        return one->group < two->group ? -1 : 1;
    if ((x->distance > 0) != (y->distance > 0))
        return x->distance > 0 ? 1 : -1;
    if (x->nearest != y->nearest)
        return x->nearest < y->nearest ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->spins < y->spins ? -1 : x->spins > y->spins; /* as they were found */
}

static isg_status order(isg_deep_states *my) {
    const size_t count = my->info.count;
    ranked *all = NULL;
    uint64_t *spins = NULL;
    isg_status status = ISG_OK;
    double lowest = my->states[0].energy;
    size_t group = 0;
    ISG_TRY_GOTO(ISG_ALLOCATE(all, count));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(spins, count, my->words));
    for (size_t k = 0; k < count; k++) {
        if (!is_same(my->states[k].energy, lowest)) {
            lowest = my->states[k].energy;
            group++;
        }
        all[k] = (ranked){group, my->states[k]};
    }
    qsort(all, count, sizeof *all, compare_ranked);
    for (size_t k = 0; k < count; k++) {
        uint64_t *to = spins + k * my->words;
        memcpy(to, all[k].state.spins, my->words * sizeof *to);
        my->states[k] = all[k].state;
        my->states[k].spins = to;
    }
    isg_release(my->spins);
    my->spins = spins;
    spins = NULL;
done:
    isg_release(all);
    isg_release(spins);
    return status;
}

static isg_status describe_all(isg_deep_states *my, const isg_deep_list *list, const size_t *hits,
                               const isg_rbm *rbm, size_t most) {
    isg_status status = ISG_OK;
    naming names = {0};
    my->words = list->words;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->spins, my->info.count, list->words));
    ISG_TRY_GOTO(ISG_ALLOCATE(my->states, my->info.count));
    ISG_TRY_GOTO(naming_start(&names, rbm->patterns, list->model->n));
    memcpy(my->spins, list->spins, my->info.count * list->words * sizeof *my->spins);
    for (size_t k = 0; k < my->info.count; k++) {
        uint64_t *spins = my->spins + k * list->words;
        isg_deep_state *state = &my->states[k];
        const double weight = isg_exp(-my->info.beta * list->energies[k] - my->info.bound);
        *state = (isg_deep_state){.spins = spins,
                                  .energy = list->energies[k],
                                  .share = my->info.is_even ? 2 * weight : weight,
                                  .well = (double)NAN,
                                  .reached = hits[k]};
        find_nearest(&names, my->info.is_even, spins, state);
        ISG_TRY_GOTO(find_mixture(&names, spins, &state->mixture));
    }
    ISG_TRY_GOTO(order(my));
    my->info.count = my->info.count < most ? my->info.count : most;
done:
    naming_release(&names);
    return status;
}

static isg_status search(isg_deep_states *my, const isg_rbm *rbm, const isg_states_options *options,
                         const isg_progress *progress) {
    isg_part part;
    isg_spin_model model = {0};
    isg_deep_list list = {0};
    size_t *hits = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_spin_model_start(&model, rbm));
    list = isg_deep_list_start(&model);
    ISG_TRY_GOTO(start_somewhere(&list));
    ISG_TRY_GOTO(isg_deep_list_search(&list, rbm, options, &my->info.is_closed,
                                      isg_part_of(&part, progress, 0, 0.9)));
    summarize(my, &list, options);
    if (!isfinite(my->info.bound))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_DIVERGED, "the energies of the RBM are beyond the range of "
                                                "numbers"));
    ISG_TRY_GOTO(ISG_ALLOCATE(hits, list.count));
    ISG_TRY_GOTO(
        isg_deep_list_basins(&list, rbm, options, hits, isg_part_of(&part, progress, 0.9, 1)));
    ISG_TRY_GOTO(describe_all(my, &list, hits, rbm, options->most));
    status = isg_progress_end(progress, "the search for deep states");
done:
    isg_release(hits);
    isg_deep_list_release(&list);
    isg_release(model.field);
    return status;
}

isg_status isg_deep_states_create(isg_deep_states **out, const isg_rbm *rbm,
                                  const isg_states_options *options, const isg_progress *progress) {
    const isg_states_options defaults = isg_states_defaults();
    isg_deep_states *my = NULL;
    if (!options)
        options = &defaults;
    ISG_TRY(check(rbm, options));
    ISG_TRY(ISG_ALLOCATE(my, 1));
    const isg_status status = search(my, rbm, options, progress);
    if (status == ISG_OK)
        *out = my;
    else
        isg_deep_states_free(my);
    return status;
}

void isg_deep_states_free(isg_deep_states *states) {
    if (!states)
        return;
    isg_release(states->spins);
    isg_release(states->states);
    isg_release(states);
}

isg_deep_states_info isg_deep_states_describe(const isg_deep_states *states) {
    return states->info;
}

isg_deep_state isg_deep_states_at(const isg_deep_states *states, size_t k) {
    assert(k < states->info.count);
    return states->states[k];
}

/* ---- of Z ------------------------------------------------------------------------------------ */

/* The well of a state, or their number if it is in none. `h` is scratch (p). */
static size_t well_of(const isg_deep_states *states, size_t k, const isg_spin_model *model,
                      const isg_well_list *wells, double *h) {
    double sign;
    isg_spin_model_energy(model, states->states[k].spins, h);
    return isg_balls_find(&wells->balls, h, &sign);
}

/* Each well belongs to the deepest of the states in it. */
static isg_status share_wells(isg_deep_states *states, const isg_rbm *rbm,
                              const isg_well_list *wells, double log_z) {
    isg_spin_model model = {0};
    isg_status status = ISG_OK;
    bool *is_taken = NULL;
    double *h = NULL;
    ISG_TRY_GOTO(isg_spin_model_start(&model, rbm));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_taken, wells->balls.count));
    ISG_TRY_GOTO(ISG_ALLOCATE(h, model.p));
    for (size_t k = 0; k < states->info.count; k++) {
        const size_t m = well_of(states, k, &model, wells, h);
        states->states[k].well =
            m < wells->balls.count && !is_taken[m] ? isg_exp(wells->log_z[m] - log_z) : (double)NAN;
        if (m < wells->balls.count)
            is_taken[m] = true;
    }
done:
    isg_release(model.field);
    isg_release(is_taken);
    isg_release(h);
    return status;
}

isg_status isg_deep_states_weigh(isg_deep_states *states, const isg_rbm *rbm,
                                 const isg_log_z_options *options, isg_log_z *out,
                                 const isg_progress *progress) {
    isg_well_list wells = {0};
    isg_log_z found;
    isg_status status = ISG_OK;
    if (states->info.n_visible != rbm->info.n_visible || states->info.beta != rbm->info.beta)
        return isg_fail(ISG_ERR_SHAPE,
                        "the states are of an RBM with %zu visible units at beta %g, this one has "
                        "%zu at %g",
                        states->info.n_visible, states->info.beta, rbm->info.n_visible,
                        rbm->info.beta);
    ISG_TRY_GOTO(isg_rbm_log_z_wells(rbm, options, &found, &wells, progress));
    ISG_TRY_GOTO(share_wells(states, rbm, &wells, found.value));
    for (size_t k = 0; k < states->info.count; k++)
        states->states[k].share =
            isg_exp(-states->info.beta * states->states[k].energy - found.value) *
            (states->info.is_even ? 2 : 1);
    *out = found;
done:
    isg_well_list_release(&wells);
    return status;
}
