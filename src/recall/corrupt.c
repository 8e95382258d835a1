/* corrupt.c - corrupted states, and whether a network recovers them
 *
 * SPDX-License-Identifier: MIT
 *
 * A share of the units means exactly that many, so that the abscissa of a recovery curve has no
 * error. The units are the first of a random order that depends only on the trial: more corruption
 * extends less corruption, and all rules and dynamics start from the same states.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "recall/recall.h"

/* ---- corruption ---------------------------------------------------------------------------------- */

typedef enum choice { CHOICE_MASK, CHOICE_VALUES, CHOICE_FLIP, N_CHOICES } choice;

static isg_stream stream_of(uint64_t seed, uint64_t number, choice which) {
    return isg_stream_at(seed, ISG_PURPOSE_CORRUPT, (number >> 32) * N_CHOICES + (uint64_t)which,
                         (uint32_t)number);
}

static void shuffle_units(isg_stream random, size_t *order, size_t n) {
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    isg_shuffle(random, order, n);
}

static size_t share_of(double share, size_t n) {
    return (size_t)lround(share * (double)n);
}

void isg_corrupt_spins(uint64_t *spins, size_t n_visible, const isg_corruption *how, uint64_t seed,
                       uint64_t number, uint64_t *masked, size_t *order) {
    const size_t words = isg_words(n_visible);
    memset(masked, 0, words * sizeof *masked);
    if (how->units)
        memcpy(masked, how->units, words * sizeof *masked);
    if (how->mask > 0) {
        shuffle_units(stream_of(seed, number, CHOICE_MASK), order, n_visible);
        for (size_t k = 0; k < share_of(how->mask, n_visible); k++)
            isg_bit_assign(masked, order[k], true);
    }
    isg_cursor values = isg_cursor_at(stream_of(seed, number, CHOICE_VALUES));
    for (size_t w = 0; w < words; w++)
        spins[w] = (spins[w] & ~masked[w]) | (isg_next_word64(&values) & masked[w]);
    if (how->flip <= 0)
        return;
    size_t left = share_of(how->flip, n_visible - isg_count_ones(masked, words));
    shuffle_units(stream_of(seed, number, CHOICE_FLIP), order, n_visible);
    for (size_t k = 0; k < n_visible && left > 0; k++)
        if (!isg_bit(masked, order[k])) {
            isg_bit_assign(spins, order[k], !isg_bit(spins, order[k]));
            left--;
        }
}

static isg_status check_corruption(const isg_corruption *how, size_t n_visible) {
    const uint64_t past = n_visible % 64 ? ~UINT64_C(0) << n_visible % 64 : 0;
    if (!(how->flip >= 0 && how->flip <= 1))
        return isg_fail(ISG_ERR_ARGUMENT, "flip: expected a share from 0 to 1, found %g",
                        how->flip);
    if (!(how->mask >= 0 && how->mask <= 1))
        return isg_fail(ISG_ERR_ARGUMENT, "mask: expected a share from 0 to 1, found %g",
                        how->mask);
    if (how->units && (how->units[isg_words(n_visible) - 1] & past))
        return isg_fail(ISG_ERR_ARGUMENT, "units to mask: expected none past the last of %zu",
                        n_visible);
    return ISG_OK;
}

isg_status isg_corrupt(uint64_t *spins, size_t n_visible, const isg_corruption *how, uint64_t seed,
                       uint64_t number, uint64_t *masked) {
    size_t *order = NULL;
    uint64_t *own = NULL;
    isg_status status = ISG_OK;
    if (n_visible == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "a state without units cannot be corrupted");
    ISG_TRY(check_corruption(how, n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(order, n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(own, isg_words(n_visible)));
    isg_corrupt_spins(spins, n_visible, how, seed, number, masked ? masked : own, order);
done:
    isg_release(order);
    isg_release(own);
    return status;
}

/* ---- recovery ------------------------------------------------------------------------------------- */

isg_recovery_options isg_recovery_defaults(void) {
    return (isg_recovery_options){.rule = ISG_RULE_PROJECTION,
                                  .keep_diagonal = true,
                                  .dynamics = ISG_DYNAMICS_ASYNCHRONOUS,
                                  .beta = 2,
                                  .max_updates = 100,
                                  .trials = 100,
                                  .near = 0.95,
                                  .seed = 1};
}

/* How near a state is to the patterns sought. */
typedef struct distance {
    double overlap; /* the largest */
    bool is_exact, is_negative;
} distance;

typedef struct trial {
    distance start, warm, end;
} trial;

typedef struct trials {
    const isg_recovery_options *options;
    const isg_corruption *how;
    isg_fall plan;
    const uint64_t *starts; /* (n_starts, words) */
    size_t n_starts;
    const size_t *sought;   /* (n_starts) a class of the patterns ... */
    const size_t *class_of; /* (n_patterns) ... by this numbering */
    uint64_t *masked;       /* (walkers, words) */
    const isg_crew *crew;
    trial *out; /* (n_starts, trials) */
} trials;

static distance distance_to(const trials *all, const isg_walker *walker, size_t sought) {
    const isg_hopfield *network = walker->network;
    const size_t n = network->info.n_visible;
    distance found = {.overlap = -1};
    for (size_t mu = 0; mu < network->info.n_patterns; mu++) {
        if (all->class_of[mu] != sought)
            continue;
        const size_t bits =
            isg_hamming(isg_patterns_spins(network->patterns, mu), walker->spins, network->words);
        found.overlap = fmax(found.overlap, ((double)n - 2 * (double)bits) / (double)n);
        found.is_exact = found.is_exact || bits == 0;
        found.is_negative = found.is_negative || bits == n;
    }
    return found;
}

static void try_one(isg_walker *walker, size_t number, void *user) {
    const trials *all = user;
    const size_t words = walker->network->words, start = number / all->options->trials;
    uint64_t *masked = all->masked + (size_t)(walker - all->crew->walkers) * words;
    isg_dynamics_report report;
    trial *out = &all->out[number];
    walker->spins = walker->own;
    memcpy(walker->spins, all->starts + start * words, words * sizeof *walker->spins);
    isg_corrupt_spins(walker->spins, walker->network->info.n_visible, all->how, all->options->seed,
                      number, masked, walker->order);
    for (size_t i = 0; all->options->clamp_known && i < walker->network->info.n_visible; i++)
        isg_bit_assign(masked, i, !isg_bit(masked, i));
    walker->clamped = all->options->clamp_known ? masked : NULL;
    out->start = distance_to(all, walker, all->sought[start]);
    if (all->plan.is_thermal) {
        walker->options = &all->plan.thermal;
        isg_walk(walker, (uint32_t)number, &report);
        out->warm = distance_to(all, walker, all->sought[start]);
    }
    walker->options = &all->plan.cold;
    isg_walk(walker, (uint32_t)number, &report);
    out->end = distance_to(all, walker, all->sought[start]);
}

static isg_recovery add_up(const trials *all) {
    isg_recovery sum = {.trials = all->n_starts * all->options->trials};
    const double n = (double)sum.trials;
    for (size_t k = 0; k < sum.trials; k++) {
        const trial *one = &all->out[k];
        sum.exact += one->end.is_exact;
        sum.near += one->end.is_exact || one->end.overlap > all->options->near;
        sum.negative += one->end.is_negative && !one->end.is_exact;
        sum.start_overlap += one->start.overlap / n;
        sum.thermal_overlap += one->warm.overlap / n;
        sum.end_overlap += one->end.overlap / n;
    }
    if (!all->plan.is_thermal)
        sum.thermal_overlap = (double)NAN;
    return sum;
}

static isg_status try_all(trials *all, const isg_hopfield *network, const isg_corruption *how,
                          size_t n, isg_recovery *out, const isg_progress *progress) {
    const isg_recovery_options *options = all->options;
    const size_t jobs = all->n_starts * options->trials;
    const isg_dynamics_options dynamics = {.kind = options->dynamics,
                                           .beta = options->beta,
                                           .sweeps = options->max_updates,
                                           .seed = options->seed};
    isg_recovery *found = NULL;
    isg_crew crew = {0};
    isg_status status = ISG_OK;
    ISG_TRY(isg_fall_plan(&all->plan, network, jobs, &dynamics));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(all->out, jobs));
    ISG_TRY_GOTO(isg_crew_create(&crew, network, &dynamics, ISG_PURPOSE_RECALL, jobs));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(all->masked, crew.count, network->words));
    all->crew = &crew;
    for (size_t k = 0; k < n; k++) {
        isg_part part;
        all->how = &how[k];
        ISG_TRY_GOTO(isg_crew_run(
            &crew, jobs, try_one, all,
            isg_part_of(&part, progress, (double)k / (double)n, (double)(k + 1) / (double)n)));
        found[k] = add_up(all);
    }
    memcpy(out, found, n * sizeof *out);
done:
    isg_crew_release(&crew);
    isg_release(all->masked);
    isg_release(all->out);
    isg_release(found);
    return status;
}

/* sought (n_starts), class_of (n_patterns): for a pattern, itself is sought; for a sample, any
   pattern of its class. */
static isg_status find_sought(size_t *sought, size_t *class_of, const isg_patterns *patterns,
                              const isg_dataset *data) {
    const size_t p = patterns->info.n_patterns;
    for (size_t mu = 0; mu < p; mu++)
        class_of[mu] = data ? patterns->labels.index[mu] : mu;
    for (size_t mu = 0; !data && mu < p; mu++)
        sought[mu] = mu;
    for (size_t a = 0; data && a < data->info.n_samples; a++) {
        const char *name = data->labels.names[data->labels.index[a]];
        size_t k = 0;
        while (k < patterns->labels.n_classes && strcmp(patterns->labels.names[k], name) != 0)
            k++;
        if (k == patterns->labels.n_classes)
            return isg_fail(ISG_ERR_ARGUMENT, "class %s of the data: has no pattern", name);
        sought[a] = k;
    }
    return ISG_OK;
}

static isg_status check(const isg_patterns *patterns, const isg_dataset *data,
                        const isg_corruption *how, size_t n, const isg_recovery_options *options) {
    size_t jobs = 0;
    for (size_t k = 0; k < n; k++)
        ISG_TRY(check_corruption(&how[k], patterns->info.n_visible));
    if (data && data->info.n_visible != patterns->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the patterns %zu",
                        data->info.n_visible, patterns->info.n_visible);
    if (data && (data->labels.count == 0 || patterns->labels.count == 0))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "recovering samples needs labels, to know which patterns to seek, but "
                        "the %s have none",
                        data->labels.count == 0 ? "data" : "patterns");
    if (options->trials == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "trials: expected at least 1, found 0");
    if (!isg_multiply(&jobs, data ? data->info.n_samples : patterns->info.n_patterns,
                      options->trials))
        return isg_fail(ISG_ERR_SHAPE, "%zu trials are too many for one run", options->trials);
    if (!(options->near >= 0 && options->near <= 1))
        return isg_fail(ISG_ERR_ARGUMENT, "near: expected an overlap from 0 to 1, found %g",
                        options->near);
    return ISG_OK;
}

isg_status isg_recover(const isg_patterns *patterns, const isg_dataset *data,
                       const isg_corruption *how, size_t n, const isg_recovery_options *options,
                       isg_recovery *out, const isg_progress *progress) {
    const isg_recovery_options defaults = isg_recovery_defaults();
    options = options ? options : &defaults;
    ISG_TRY(check(patterns, data, how, n, options));
    const isg_hopfield_options rule = {.rule = options->rule,
                                       .keep_diagonal = options->keep_diagonal,
                                       .allow_rank_deficient = options->allow_rank_deficient};
    const size_t n_starts = data ? data->info.n_samples : patterns->info.n_patterns;
    isg_hopfield *network = NULL;
    size_t *sought = NULL, *class_of = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_hopfield_create(&network, patterns, &rule));
    ISG_TRY_GOTO(ISG_ALLOCATE(sought, n_starts));
    ISG_TRY_GOTO(ISG_ALLOCATE(class_of, patterns->info.n_patterns));
    ISG_TRY_GOTO(find_sought(sought, class_of, patterns, data));
    trials all = {.options = options,
                  .starts = data ? data->spins : patterns->spins,
                  .n_starts = n_starts,
                  .sought = sought,
                  .class_of = class_of};
    ISG_TRY_GOTO(try_all(&all, network, how, n, out, progress));
done:
    isg_hopfield_free(network);
    isg_release(sought);
    isg_release(class_of);
    return status;
}
