/* dynamics.c - batches of states of a Hopfield network on the move
 *
 * SPDX-License-Identifier: MIT
 *
 * Every state moves by itself, with random numbers named by (seed, sweep, number of the state), so
 * the threads share out states as they like. u^T s is formed anew at every sweep: rounding does not
 * add up over a run, and a run that goes on from a state equals one that was never interrupted.
 */
#include "dynamics.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"

typedef struct kind {
    isg_sweep *sweep;
    bool has_temperature;
} kind;

static const kind kinds[] = {
    [ISG_DYNAMICS_ASYNCHRONOUS] = {isg_sweep_asynchronous, false},
    [ISG_DYNAMICS_SYNCHRONOUS] = {isg_sweep_synchronous, false},
    [ISG_DYNAMICS_GLAUBER] = {isg_sweep_glauber, true},
    [ISG_DYNAMICS_PARALLEL] = {isg_sweep_parallel, true},
    [ISG_DYNAMICS_GIBBS] = {isg_sweep_gibbs, true},
};

isg_dynamics_options isg_dynamics_defaults(void) {
    return (isg_dynamics_options){
        .kind = ISG_DYNAMICS_ASYNCHRONOUS, .beta = 2, .sweeps = 100, .seed = 1};
}

static isg_status check_options(const isg_hopfield *network, size_t n_states,
                                const isg_dynamics_options *options) {
    if ((size_t)options->kind >= sizeof kinds / sizeof *kinds)
        return isg_fail(ISG_ERR_ARGUMENT, "dynamics: there is no kind number %d",
                        (int)options->kind);
    if (kinds[options->kind].has_temperature && !(options->beta > 0 && isfinite(options->beta)))
        return isg_fail(ISG_ERR_ARGUMENT, "beta: expected a positive number, found %g",
                        options->beta);
    if (options->kind == ISG_DYNAMICS_GIBBS && !network->info.keeps_diagonal)
        return isg_fail(
            ISG_ERR_UNSUPPORTED,
            "block Gibbs goes through an RBM, whose couplings have a diagonal: expected "
            "a network that keeps it, found one without");
    if (options->first_sweep > ISG_MAX_STEP ||
        options->sweeps > ISG_MAX_STEP - options->first_sweep)
        return isg_fail(ISG_ERR_ARGUMENT, "sweeps: expected numbers below 2^56");
    if (n_states > UINT32_MAX)
        return isg_fail(ISG_ERR_SHAPE, "%zu states are too many for one run", n_states);
    return ISG_OK;
}

/* ---- one state --------------------------------------------------------------------------------- */

static void walk(isg_walker *walker, uint32_t number, isg_dynamics_report *report) {
    const isg_dynamics_options *options = walker->options;
    const kind *how = &kinds[options->kind];
    *report = (isg_dynamics_report){.sweeps = 0};
    walker->has_before = walker->is_two_cycle = false;
    isg_hopfield_sums(walker->network, walker->spins, walker->h);
    while (report->sweeps < options->sweeps && !walker->is_two_cycle) {
        const uint64_t step = options->first_sweep + report->sweeps;
        const size_t flips =
            how->sweep(walker, isg_stream_at(options->seed, ISG_PURPOSE_DYNAMICS, step, number));
        if (flips == 0 && !how->has_temperature)
            break;
        report->sweeps++;
        report->flips += flips;
        isg_hopfield_sums(walker->network, walker->spins, walker->h);
    }
    report->is_two_cycle = walker->is_two_cycle;
    report->state = isg_hopfield_look(walker->network, walker->spins, walker->h);
}

/* ---- many -------------------------------------------------------------------------------------- */

/* What all threads work with: their walkers, and the results to be, so that the caller's states
   and reports stay as they are until all went well. */
typedef struct crowd {
    size_t n_walkers, words;
    isg_walker *walkers;
    uint64_t *states;             /* (n_states, words) */
    isg_dynamics_report *reports; /* (n_states) */
} crowd;

static void crowd_free(crowd *all) {
    for (size_t k = 0; all->walkers && k < all->n_walkers; k++) {
        isg_release(all->walkers[k].h);
        isg_release(all->walkers[k].next);
        isg_release(all->walkers[k].before);
        isg_release(all->walkers[k].order);
    }
    isg_release(all->walkers);
    isg_release(all->states);
    isg_release(all->reports);
}

static isg_status crowd_create(crowd *all, const isg_hopfield *network, size_t n_states,
                               const isg_dynamics_options *options) {
    const size_t team = (size_t)isg_team_size();
    size_t n_words = 0;
    *all = (crowd){.n_walkers = team < n_states ? team : n_states, .words = network->words};
    if (!isg_multiply(&n_words, n_states, network->words))
        return isg_fail(ISG_ERR_MEMORY, "%zu states do not fit in memory", n_states);
    ISG_TRY(ISG_ALLOCATE(all->states, n_words));
    ISG_TRY(ISG_ALLOCATE(all->reports, n_states));
    ISG_TRY(ISG_ALLOCATE(all->walkers, all->n_walkers));
    for (size_t k = 0; k < all->n_walkers; k++) {
        isg_walker *walker = &all->walkers[k];
        walker->network = network;
        walker->options = options;
        ISG_TRY(ISG_ALLOCATE(walker->h, network->n_columns));
        ISG_TRY(ISG_ALLOCATE(walker->next, network->words));
        ISG_TRY(ISG_ALLOCATE(walker->before, network->words));
        ISG_TRY(ISG_ALLOCATE(walker->order, network->info.n_visible));
    }
    return ISG_OK;
}

/* The states from `first` to `end`, dealt out to the walkers in turn. */
static void move_states(crowd *all, size_t first, size_t end) {
#pragma omp parallel for num_threads((int)all->n_walkers) schedule(static, 1)
    for (size_t k = 0; k < all->n_walkers; k++)
        for (size_t a = first + k; a < end; a += all->n_walkers) {
            all->walkers[k].spins = all->states + a * all->words;
            walk(&all->walkers[k], (uint32_t)a, &all->reports[a]);
        }
}

isg_status isg_hopfield_run(const isg_hopfield *network, uint64_t *states, size_t n_states,
                            const isg_dynamics_options *options, isg_dynamics_report *reports,
                            const isg_progress *progress) {
    const isg_dynamics_options defaults = isg_dynamics_defaults();
    options = options ? options : &defaults;
    ISG_TRY(check_options(network, n_states, options));
    if (n_states == 0)
        return ISG_OK;
    crowd all;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(crowd_create(&all, network, n_states, options));
    const size_t bytes = n_states * all.words * sizeof *states;
    const size_t portion = progress ? 64 * all.n_walkers : n_states; /* between two reports */
    memcpy(all.states, states, bytes);
    for (size_t first = 0; first < n_states; first += portion) {
        const size_t end = n_states - first < portion ? n_states : first + portion;
        move_states(&all, first, end);
        if (progress && !progress->report(progress->user, (double)end / (double)n_states))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "moving states was cancelled"));
    }
    memcpy(states, all.states, bytes);
    if (reports)
        memcpy(reports, all.reports, n_states * sizeof *reports);
done:
    crowd_free(&all);
    return status;
}
