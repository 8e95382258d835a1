/* draw.c - samples of an RBM as data
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "data/data.h"
#include "sample/sample.h"

/* Steps are taken a few at a time, so that progress is seen and work can be cancelled. */
enum { PORTION = 10 };

/* Chains that jump: how many, and how many accepted jumps each makes before the first sample and between
   two; with as few acceptances as there may be, at most so many steps. */
enum { JUMPING = 500, FIRST_JUMPS = 20, JUMPS = 2, MOST_STEPS = 1000 };

/* Replicas at the largest beta, and steps. */
enum { TEMPERED = 100, FIRST_SWAPS = 1000, SWAPS = 50 };

/* Sweeps of chains that start at data. */
enum { DATA_SWEEPS = 20 };

typedef struct plan {
    isg_moves moves;
    size_t chains, first, between;
    double beta;
} plan;

static size_t steps_for(size_t jumps, double acceptance) {
    return (size_t)fmin(ceil((double)jumps / acceptance), MOST_STEPS);
}

static isg_status move(isg_chains *chains, const plan *how, size_t steps, size_t *done, size_t all,
                       const isg_progress *progress) {
    for (size_t left = steps; left > 0;) {
        const size_t now = left < PORTION ? left : PORTION;
        ISG_TRY(isg_chains_move(chains, &how->moves, now, how->beta));
        left -= now;
        *done += now;
        if (progress && !progress->report(progress->user, (double)*done / (double)all))
            return isg_fail(ISG_ERR_CANCELLED, "drawing samples was cancelled");
    }
    return ISG_OK;
}

static isg_status fill(isg_dataset *data, isg_chains *chains, const plan *how,
                       const isg_progress *progress) {
    const size_t count = data->info.n_samples, bytes = data->words * sizeof *data->spins;
    const size_t rounds = (count + how->chains - 1) / how->chains;
    const size_t all = how->first + (rounds - 1) * how->between;
    size_t done = 0;
    for (size_t a = 0; a < count; a++) {
        const size_t k = a % how->chains;
        if (k == 0)
            ISG_TRY(move(chains, how, a == 0 ? how->first : how->between, &done, all, progress));
        memcpy(isg_dataset_spins(data, a), isg_chains_spins(chains, k), bytes);
    }
    return ISG_OK;
}

/* Room for samples of the RBM. */
static isg_status allocate(isg_dataset **out, const isg_rbm *rbm, size_t count) {
    ISG_TRY(isg_dataset_allocate(out, count, rbm->info.n_visible));
    (*out)->info.image_height = rbm->info.image_height;
    (*out)->info.image_width = rbm->info.image_width;
    (*out)->encoding = isg_encoding_share(rbm->encoding);
    return ISG_OK;
}

static isg_status draw_near(isg_dataset **out, const isg_rbm *rbm, size_t count,
                            const isg_dataset *start, uint64_t seed, const isg_progress *progress) {
    const size_t rows = start->info.n_samples;
    const plan swept = {.chains = count, .first = DATA_SWEEPS, .beta = rbm->info.beta};
    isg_chains *chains = NULL;
    isg_dataset *data = NULL;
    isg_status status = ISG_OK;
    if (start->info.n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "start: expected %zu units, as the RBM has, found %zu",
                        rbm->info.n_visible, start->info.n_visible);
    ISG_TRY_GOTO(isg_chains_create(&chains, rbm, count, seed));
    for (size_t k = 0; k < count; k++)
        isg_chains_set_spins(chains, k,
                             isg_dataset_spins(start, count < rows ? k * rows / count : k % rows));
    ISG_TRY_GOTO(allocate(&data, rbm, count));
    ISG_TRY_GOTO(fill(data, chains, &swept, progress));
    *out = data;
    data = NULL;
done:
    isg_dataset_free(data);
    isg_chains_free(chains);
    return status;
}

static isg_status draw_mixed(isg_dataset **out, const isg_rbm *rbm, size_t count, uint64_t seed,
                             isg_mixing *how, const isg_progress *progress) {
    isg_jump_options options = isg_jump_defaults();
    isg_jumps *jumps = NULL;
    isg_tempering *tempering = NULL;
    isg_chains *chains = NULL;
    isg_dataset *data = NULL;
    isg_status status = ISG_OK;
    isg_part part;
    options.mixture.seed = seed;
    ISG_TRY_GOTO(isg_jumps_create(&jumps, rbm, &options, isg_part_of(&part, progress, 0, 0.3)));
    const isg_jumps_info info = isg_jumps_describe(jumps);
    plan chosen = {
        .chains = TEMPERED, .first = FIRST_SWAPS, .between = SWAPS, .beta = rbm->info.beta};
    if (info.is_usable)
        chosen = (plan){.moves.jumps = jumps,
                        .chains = JUMPING,
                        .first = steps_for(FIRST_JUMPS, info.expected),
                        .between = steps_for(JUMPS, info.expected),
                        .beta = info.beta};
    if (chosen.chains > count)
        chosen.chains = count;
    ISG_TRY_GOTO(isg_chains_create(&chains, rbm, chosen.chains, seed));
    if (!info.is_usable) {
        ISG_TRY_GOTO(isg_tempering_create(&tempering, chains, chosen.beta, NULL));
        chosen.moves.tempering = tempering;
    }
    ISG_TRY_GOTO(allocate(&data, rbm, count));
    ISG_TRY_GOTO(fill(data, chains, &chosen, isg_part_of(&part, progress, 0.3, 1)));
    *how = info.is_usable ? ISG_MIXING_JUMPS : ISG_MIXING_TEMPERING;
    *out = data;
    data = NULL;
done:
    isg_dataset_free(data);
    isg_chains_free(chains);
    isg_tempering_free(tempering);
    isg_jumps_free(jumps);
    return status;
}

isg_status isg_rbm_draw(isg_dataset **out, const isg_rbm *rbm, size_t count,
                        const isg_dataset *start, uint64_t seed, isg_mixing *how,
                        const isg_progress *progress) {
    isg_mixing found = ISG_MIXING_DATA;
    if (count == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "samples: expected at least one, found 0");
    ISG_TRY(start ? draw_near(out, rbm, count, start, seed, progress)
                  : draw_mixed(out, rbm, count, seed, &found, progress));
    if (how)
        *how = found;
    return ISG_OK;
}
