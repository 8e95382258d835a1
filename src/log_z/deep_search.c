/* deep_search.c - where to look for states of low energy
 *
 * SPDX-License-Identifier: MIT
 *
 * Searches start from patterns, data, random states and from combinations of the deepest states
 * found so far. A network with more than a few patterns has ground states that are not patterns: if
 * a, b and c are in the span of W, so is a + b - c, and it consists of +1 and -1 where c agrees with
 * a and b wherever these agree with each other. Such combinations of the deepest states are tried,
 * and some of the majorities sgn(+-a +-b +-c) of any three, until nothing new turns up.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/rng.h"
#include "data/data.h"
#include "kernels/kernels.h"
#include "linalg/linalg.h"
#include "log_z/deep_states.h"
#include "sample/sample.h"

enum {
    MOST_ROUNDS = 16,     /* of combining what was found */
    MOST_COMBINED = 320,  /* states, the deepest, whose combinations are tried */
    MOST_FOUND = 1 << 20, /* combinations that are looked at in a round */
    MOST_STARTS = 2048,   /* of these, the deepest, searched from */
    MOST_DRAWN = 1 << 28, /* random starts, and majorities in a round: whose numbers have 32 bits */
    MANY = 500,        /* news of a round that make further ones hopeless unless they get fewer */
    MAJORITIES_OF = 64 /* states, the deepest, of which majorities are drawn */
};

isg_states_options isg_states_defaults(void) {
    return (isg_states_options){.most = 1000,
                                .data_starts = 512,
                                .random_starts = 64,
                                .majorities = 500,
                                .window = 1,
                                .seed = 1};
}

/* ---- where to start -------------------------------------------------------------------------- */

/* The starts before the random ones: patterns, and rows of the data. */
typedef struct given_starts {
    size_t patterns, samples, rows;
} given_starts;

static given_starts count_given(const isg_rbm *rbm, const isg_states_options *options) {
    const size_t samples = options->data ? isg_dataset_describe(options->data).n_samples : 0;
    return (given_starts){.patterns =
                              rbm->patterns ? isg_patterns_describe(rbm->patterns).n_patterns : 0,
                          .samples = samples,
                          .rows = samples < options->data_starts ? samples : options->data_starts};
}

static void draw_start(const isg_states_options *options, size_t k, size_t n, uint64_t *spins) {
    isg_cursor random =
        isg_cursor_at(isg_stream_at(options->seed, ISG_PURPOSE_STATES, 0, (uint32_t)k));
    isg_random_spins(&random, n, spins);
}

static isg_status start_everywhere(isg_deep_list *list, const isg_rbm *rbm,
                                   const isg_states_options *options,
                                   const isg_progress *progress) {
    const size_t words = list->words, n = list->model->n;
    const given_starts given = count_given(rbm, options);
    const size_t own = given.patterns + given.rows + options->random_starts;
    const size_t all = list->is_even ? own : 2 * own; /* mirror images too */
    isg_status status = ISG_OK;
    uint64_t *starts = NULL;
    if (all == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(starts, all, words));
    for (size_t k = 0; k < own; k++) {
        uint64_t *spins = starts + k * words;
        const size_t row = k - given.patterns;
        if (k < given.patterns)
            memcpy(spins, isg_patterns_row(rbm->patterns, k), words * sizeof *spins);
        else if (row < given.rows)
            memcpy(spins, isg_dataset_row(options->data, row * given.samples / given.rows),
                   words * sizeof *spins);
        else
            draw_start(options, k, n, spins);
    }
    for (size_t k = own; k < all; k++) {
        memcpy(starts + k * words, starts + (k - own) * words, words * sizeof *starts);
        isg_mirror(starts + k * words, n);
    }
    ISG_TRY_GOTO(isg_deep_list_relax(list, starts, all, NULL, progress));
done:
    isg_release(starts);
    return status;
}

isg_status isg_deep_list_basins(isg_deep_list *list, const isg_rbm *rbm,
                                const isg_states_options *options, size_t *hits,
                                const isg_progress *progress) {
    const given_starts given = count_given(rbm, options);
    const size_t count = options->random_starts;
    isg_status status = ISG_OK;
    uint64_t *starts = NULL;
    memset(hits, 0, list->count * sizeof *hits);
    if (count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(starts, count, list->words));
    for (size_t k = 0; k < count; k++)
        draw_start(options, given.patterns + given.rows + k, list->model->n,
                   starts + k * list->words);
    status = isg_deep_list_hit(list, starts, count, hits, progress);
done:
    isg_release(starts);
    return status;
}

/* ---- combinations ---------------------------------------------------------------------------- */

/* The deepest states of a list, their products and their fields' energies. */
typedef struct deepest {
    const isg_deep_list *list;
    size_t m, all;    /* all = 2 m with the mirror images, which are states too if H is even */
    double *products; /* (m, m): h_a.h_b */
    double *fields;   /* (m): f.s_a */
    bool *is_old;     /* (m): combined with each other in an earlier round */
} deepest;

/* Bits of state k: the list's, then their mirror images. */
static uint64_t word_of(const deepest *of, size_t k, size_t word) {
    const uint64_t bits = of->list->spins[k % of->m * of->list->words + word];
    return k < of->m ? bits : ~bits;
}

static isg_status deepest_create(deepest *out, const isg_deep_list *list,
                                 const isg_deep_list *combined) {
    const isg_spin_model *model = list->model;
    const size_t m = list->count < MOST_COMBINED ? list->count : MOST_COMBINED, p = model->p;
    isg_status status = ISG_OK;
    double *h = NULL;
    *out = (deepest){.list = list, .m = m, .all = list->is_even ? 2 * m : m};
    if (m == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(out->products, m, m));
    ISG_TRY_GOTO(ISG_ALLOCATE(out->fields, m));
    ISG_TRY_GOTO(ISG_ALLOCATE(out->is_old, m));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(h, m, p));
    for (size_t a = 0; a < m; a++) {
        const uint64_t *spins = list->spins + a * list->words;
        out->is_old[a] = isg_deep_list_has(combined, spins);
        isg_add_spin_rows(h + a * p, spins, model->weights, model->n, p);
        for (size_t i = 0; i < model->n; i++)
            out->fields[a] += isg_spin(spins, i) * model->field[i];
        for (size_t b = 0; b <= a; b++)
            out->products[a * m + b] = out->products[b * m + a] =
                isg_kernels_get()->dot(p, h + a * p, h + b * p);
    }
done:
    isg_release(h);
    return status;
}

static void deepest_release(deepest *of) {
    isg_release(of->products);
    isg_release(of->fields);
    isg_release(of->is_old);
}

/* Whether c agrees with a and b where these agree with each other. */
static bool is_between(const deepest *of, size_t a, size_t b, size_t c) {
    const size_t words = of->list->words, n = of->list->model->n;
    for (size_t word = 0; word < words; word++) {
        const uint64_t here = word_of(of, a, word), there = word_of(of, b, word);
        uint64_t differs = ~(here ^ there) & (here ^ word_of(of, c, word));
        if (word + 1 == words && n % 64)
            differs &= (UINT64_C(1) << n % 64) - 1;
        if (differs)
            return false;
    }
    return true;
}

/* H(a + b - c), without looking at its spins. */
static double combined_energy(const deepest *of, size_t a, size_t b, size_t c) {
    const size_t m = of->m, k[3] = {a % m, b % m, c % m};
    const double sign[3] = {a < m ? 1 : -1, b < m ? 1 : -1, c < m ? -1 : 1};
    double squares = 0, field = 0;
    for (size_t q = 0; q < 3; q++) {
        field += sign[q] * of->fields[k[q]];
        for (size_t r = 0; r < 3; r++)
            squares += sign[q] * sign[r] * of->products[k[q] * m + k[r]];
    }
    return -squares / 2 - field;
}

typedef struct combination {
    double energy;
    uint32_t a, b, c;
} combination;

static int compare_combinations(const void *one, const void *two) {
    const combination *x = one, *y = two;
    if (x->energy != y->energy)
        return x->energy < y->energy ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return x->c < y->c ? -1 : x->c > y->c;
}

/* All a + b - c that are states, were not tried before and, if there are many, are no higher than the
   deepest are; as many as may be looked at. Up to the sign of all, a is from the list itself. */
static isg_status find_combinations(const deepest *of, combination **found, size_t *count) {
    size_t capacity = 0;
    const double limit = of->m < of->list->count ? of->list->energies[of->m - 1] : HUGE_VAL;
    for (size_t a = 0; a < of->m; a++)
        for (size_t b = a + 1; b < of->all; b++) {
            const size_t other = b % of->m;
            const bool is_old = of->is_old[a] && of->is_old[other];
            for (size_t c = 0; c < of->all && other != a; c++) {
                if ((is_old && of->is_old[c % of->m]) || c % of->m == a || c % of->m == other ||
                    !is_between(of, a, b, c))
                    continue;
                const double energy = combined_energy(of, a, b, c);
                if (energy > limit)
                    continue;
                ISG_TRY(isg_grow((void **)found, &capacity, *count + 1, sizeof **found));
                (*found)[(*count)++] = (combination){energy, (uint32_t)a, (uint32_t)b, (uint32_t)c};
                if (*count == MOST_FOUND)
                    return ISG_OK;
            }
        }
    return ISG_OK;
}

/* The deepest are not combined with each other again, unless some combinations were left out. */
static isg_status remember(const deepest *of, bool is_all, isg_deep_list *combined) {
    isg_deep_list_release(combined);
    *combined = isg_deep_list_start(of->list->model);
    for (size_t k = 0; k < of->m && is_all; k++) {
        bool is_new;
        ISG_TRY(isg_deep_list_add(combined, of->list->spins + k * of->list->words,
                                  of->list->energies[k], &is_new));
    }
    return ISG_OK;
}

/* Those that are not in the list, the deepest first. `next` receives the energy of the first that was
   one too many. `combined` has states that were combined before, and receives those of now. */
static isg_status combine(const isg_deep_list *list, isg_deep_list *combined, isg_deep_list *starts,
                          double *next) {
    const size_t words = list->words;
    isg_status status = ISG_OK;
    deepest of = {0};
    combination *found = NULL;
    uint64_t *sum = NULL;
    size_t count = 0;
    *next = HUGE_VAL;
    if (list->count < 3)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(sum, words));
    ISG_TRY_GOTO(deepest_create(&of, list, combined));
    ISG_TRY_GOTO(find_combinations(&of, &found, &count));
    if (count == MOST_FOUND)
        *next = -HUGE_VAL;
    if (count > 0)
        qsort(found, count, sizeof *found, compare_combinations);
    for (size_t k = 0; k < count; k++) {
        if (starts->count == MOST_STARTS) {
            *next = fmin(*next, found[k].energy);
            break;
        }
        for (size_t word = 0; word < words; word++)
            sum[word] = word_of(&of, found[k].a, word) ^ word_of(&of, found[k].b, word) ^
                        word_of(&of, found[k].c, word);
        isg_clear_tail(sum, list->model->n);
        if (list->is_even && !isg_bit(sum, list->model->n - 1))
            isg_mirror(sum, list->model->n);
        if (isg_deep_list_has(list, sum))
            continue;
        bool is_new;
        ISG_TRY_GOTO(isg_deep_list_add(starts, sum, found[k].energy, &is_new));
    }
    ISG_TRY_GOTO(remember(&of, *next == HUGE_VAL, combined));
done:
    deepest_release(&of);
    isg_release(found);
    isg_release(sum);
    return status;
}

static isg_status add_majority(const deepest *of, const size_t *three, uint64_t *majority,
                               isg_deep_list *starts) {
    bool is_new;
    for (size_t word = 0; word < of->list->words; word++) {
        const uint64_t a = word_of(of, three[0], word), b = word_of(of, three[1], word),
                       c = word_of(of, three[2], word);
        majority[word] = (a & b) | (a & c) | (b & c);
    }
    isg_clear_tail(majority, of->list->model->n);
    return isg_deep_list_add(starts, majority, 0, &is_new);
}

/* Majorities of three of the deepest, with signs if H is even: all of the very deepest, as far as
   half of the number wanted goes, and some of the others. */
static isg_status vote(const isg_deep_list *list, const isg_states_options *options, size_t round,
                       isg_deep_list *starts) {
    const size_t m = list->count < MAJORITIES_OF ? list->count : MAJORITIES_OF;
    const size_t signs = list->is_even ? 4 : 1;
    const deepest of = {.list = list, .m = m};
    isg_cursor random =
        isg_cursor_at(isg_stream_at(options->seed, ISG_PURPOSE_STATES, 1 + round, 0));
    isg_status status = ISG_OK;
    uint64_t *majority = NULL;
    size_t tried = 0;
    ISG_TRY_GOTO(ISG_ALLOCATE(majority, list->words));
    for (size_t c = 2; c < m && tried + signs * c * (c - 1) / 2 <= options->majorities / 2; c++)
        for (size_t b = 1; b < c; b++)
            for (size_t a = 0; a < b; a++)
                for (size_t sign = 0; sign < signs; sign++, tried++) {
                    const size_t three[3] = {a, b + sign % 2 * m, c + sign / 2 * m};
                    ISG_TRY_GOTO(add_majority(&of, three, majority, starts));
                }
    for (size_t k = tried; m >= 3 && k < options->majorities; k++) {
        size_t three[3];
        for (size_t q = 0; q < 3; q++)
            three[q] = (size_t)isg_next_below(&random, list->is_even ? 2 * m : m);
        if (three[0] % m != three[1] % m && three[0] % m != three[2] % m &&
            three[1] % m != three[2] % m)
            ISG_TRY_GOTO(add_majority(&of, three, majority, starts));
    }
done:
    isg_release(majority);
    return status;
}

/* States no higher than this. */
static size_t count_below(const isg_deep_list *list, double limit) {
    size_t count = 0;
    for (size_t k = 0; k < list->count; k++)
        count += list->energies[k] <= limit;
    return count;
}

isg_status isg_deep_list_close(isg_deep_list *list, const isg_states_options *options,
                               bool *is_closed, const isg_progress *progress) {
    isg_deep_list starts = isg_deep_list_start(list->model);
    isg_deep_list combined = isg_deep_list_start(list->model);
    isg_status status = ISG_OK;
    size_t last_news = SIZE_MAX;
    *is_closed = false;
    for (size_t round = 0; round < MOST_ROUNDS && !*is_closed; round++) {
        double next;
        isg_part part;
        isg_deep_list_release(&starts);
        starts = isg_deep_list_start(list->model);
        ISG_TRY_GOTO(isg_deep_list_sort(list));
        ISG_TRY_GOTO(combine(list, &combined, &starts, &next));
        ISG_TRY_GOTO(vote(list, options, round, &starts));
        /* What counts is news among the deepest; there is always something new above them. */
        const double limit =
            list->count > 0 ? list->energies[0] + options->window / list->model->beta : 0;
        const size_t before = count_below(list, limit);
        ISG_TRY_GOTO(isg_deep_list_relax(list, starts.spins, starts.count, NULL,
                                         isg_part_of(&part, progress, (double)round / MOST_ROUNDS,
                                                     (double)(round + 1) / MOST_ROUNDS)));
        const size_t news = count_below(list, limit) - before;
        *is_closed = news == 0 && next > limit;
        if (news >= MANY && news > last_news / 2)
            break;
        last_news = news;
    }
    ISG_TRY_GOTO(isg_deep_list_sort(list));
done:
    isg_deep_list_release(&starts);
    isg_deep_list_release(&combined);
    return status;
}

isg_status isg_deep_list_search(isg_deep_list *list, const isg_rbm *rbm,
                                const isg_states_options *options, bool *is_closed,
                                const isg_progress *progress) {
    isg_part part;
    if (options->data && isg_dataset_describe(options->data).n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu visible ones",
                        isg_dataset_describe(options->data).n_visible, rbm->info.n_visible);
    if (options->random_starts > MOST_DRAWN || options->majorities > MOST_DRAWN)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected at most %d random starts and majorities, found %zu and %zu",
                        MOST_DRAWN, options->random_starts, options->majorities);
    ISG_TRY(start_everywhere(list, rbm, options, isg_part_of(&part, progress, 0, 0.3)));
    return isg_deep_list_close(list, options, is_closed, isg_part_of(&part, progress, 0.3, 1));
}

isg_status isg_apply_bound(const isg_rbm *rbm, const isg_log_z_options *options,
                           const double *betas, size_t n, isg_log_z *found,
                           const isg_progress *progress) {
    isg_status status = ISG_OK;
    isg_spin_model model = {0};
    isg_deep_list list = {0};
    bool is_closed;
    ISG_TRY_GOTO(isg_spin_model_start(&model, rbm));
    list = isg_deep_list_start(&model);
    ISG_TRY_GOTO(isg_deep_list_search(&list, rbm, &options->states, &is_closed, progress));
    for (size_t m = 0; m < n; m++) {
        found[m].bound =
            isg_deep_list_bound(&list, betas ? betas[m] : model.beta, &found[m].states);
        isg_log_z_respect_bound(&found[m]);
    }
done:
    isg_deep_list_release(&list);
    isg_release(model.field);
    return status;
}
