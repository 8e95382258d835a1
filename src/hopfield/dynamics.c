/* dynamics.c - the dynamics of batches of states of a Hopfield network
 *
 * SPDX-License-Identifier: MIT
 *
 * Every state moves independently, with random numbers keyed by (seed, sweep, index of the state),
 * so threads can divide the states in any way. u^T s is computed anew at every sweep: rounding does
 * not accumulate over a run, and a run continued from a state equals one that was never
 * interrupted.
 */
#include "hopfield/hopfield.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

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

bool isg_dynamics_exist(isg_dynamics which) {
    return (size_t)which < sizeof kinds / sizeof *kinds;
}

bool isg_dynamics_is_thermal(isg_dynamics which) {
    return isg_dynamics_exist(which) && kinds[which].has_temperature;
}

isg_status isg_dynamics_check(const isg_hopfield *network, size_t n_states,
                              const isg_dynamics_options *options) {
    if (!isg_dynamics_exist(options->kind))
        return isg_fail(ISG_ERR_ARGUMENT, "dynamics: expected a known kind, found number %d",
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

static bool has_arrived(isg_walker *walker) {
    double overlap = 0;
    if (walker->threshold >= 1)
        return false;
    const size_t nearest = isg_hopfield_nearest(walker->network, walker->spins, &overlap);
    if (overlap > walker->threshold)
        walker->arrival = nearest;
    return overlap > walker->threshold;
}

void isg_walk(isg_walker *walker, uint32_t number, isg_dynamics_report *report) {
    const isg_dynamics_options *options = walker->options;
    const kind *how = &kinds[options->kind];
    *report = (isg_dynamics_report){.sweeps = 0};
    walker->has_before = walker->is_two_cycle = false;
    walker->arrival = SIZE_MAX;
    isg_hopfield_sums(walker->network, walker->spins, walker->h);
    while (!has_arrived(walker) && report->sweeps < options->sweeps && !walker->is_two_cycle) {
        const uint64_t step = options->first_sweep + report->sweeps;
        const size_t flips =
            how->sweep(walker, isg_stream_at(options->seed, walker->purpose, step, number));
        if (flips == 0 && !how->has_temperature)
            break;
        report->sweeps++;
        report->flips += flips;
        isg_hopfield_sums(walker->network, walker->spins, walker->h);
    }
    report->is_two_cycle = walker->is_two_cycle;
}

/* ---- many -------------------------------------------------------------------------------------- */

void isg_crew_release(isg_crew *crew) {
    for (size_t k = 0; crew->walkers && k < crew->count; k++) {
        isg_release(crew->walkers[k].own);
        isg_release(crew->walkers[k].h);
        isg_release(crew->walkers[k].next);
        isg_release(crew->walkers[k].before);
        isg_release(crew->walkers[k].order);
        isg_release(crew->walkers[k].logistic);
    }
    isg_release(crew->walkers);
    crew->walkers = NULL;
}

/* A walk at a temperature does all of its sweeps; one at zero temperature stops after a few. A unit
   costs one product per column, and a draw that costs about as much as eight. */
static size_t portion_of(const isg_hopfield *network, const isg_dynamics_options *options) {
    const double most = 64, products_a_report = 1 << 26; /* some tenths of a second */
    if (!isg_dynamics_is_thermal(options->kind))
        return (size_t)most;
    const double products = fmax((double)options->sweeps, 1) * (double)network->info.n_visible *
                            (double)(network->n_columns + 8);
    return (size_t)fmin(most, fmax(1, products_a_report / products));
}

isg_status isg_crew_create(isg_crew *crew, const isg_hopfield *network,
                           const isg_dynamics_options *options, isg_purpose purpose,
                           size_t n_jobs) {
    *crew = (isg_crew){.count = isg_team_for(n_jobs), .portion = portion_of(network, options)};
    ISG_TRY(ISG_ALLOCATE(crew->walkers, crew->count));
    for (size_t k = 0; k < crew->count; k++) {
        isg_walker *walker = &crew->walkers[k];
        walker->network = network;
        walker->options = options;
        walker->purpose = purpose;
        walker->clamped = options->clamped;
        walker->threshold = 1;
        ISG_TRY(ISG_ALLOCATE(walker->own, network->words));
        ISG_TRY(ISG_ALLOCATE(walker->h, network->n_columns));
        ISG_TRY(ISG_ALLOCATE(walker->next, network->words));
        ISG_TRY(ISG_ALLOCATE(walker->before, network->words));
        ISG_TRY(ISG_ALLOCATE(walker->order, network->info.n_visible));
        ISG_TRY(ISG_ALLOCATE(walker->logistic, ISG_LOGISTIC_POINTS));
        isg_dynamics_fill_table(walker->logistic);
    }
    return ISG_OK;
}

/* Walkers take jobs in turn: all jobs take about the same time. */
isg_status isg_crew_run(isg_crew *crew, size_t n_jobs, isg_crew_job *job, void *user,
                        const isg_progress *progress) {
    const size_t portion = progress ? crew->portion * crew->count : n_jobs;
    for (size_t first = 0; first < n_jobs; first += portion) {
        const size_t end = n_jobs - first < portion ? n_jobs : first + portion;
#pragma omp parallel for num_threads((int)crew->count) schedule(static, 1)
        for (size_t k = 0; k < crew->count; k++)
            for (size_t number = first + k; number < end; number += crew->count)
                job(&crew->walkers[k], number, user);
        if (progress && !progress->report(progress->user, (double)end / (double)n_jobs))
            return isg_fail(ISG_ERR_CANCELLED, "moving states was cancelled");
    }
    return ISG_OK;
}

/* New results, so that the caller's are not touched until all have succeeded. */
typedef struct results {
    uint64_t *states;             /* (n_states, words) */
    isg_dynamics_report *reports; /* (n_states) */
} results;

static void move_state(isg_walker *walker, size_t number, void *user) {
    const results *all = user;
    walker->spins = all->states + number * walker->network->words;
    isg_walk(walker, (uint32_t)number, &all->reports[number]);
    all->reports[number].state = isg_hopfield_look(walker->network, walker->spins, walker->h);
}

isg_status isg_hopfield_run(const isg_hopfield *network, uint64_t *states, size_t n_states,
                            const isg_dynamics_options *options, isg_dynamics_report *reports,
                            const isg_progress *progress) {
    const isg_dynamics_options defaults = isg_dynamics_defaults();
    options = options ? options : &defaults;
    ISG_TRY(isg_dynamics_check(network, n_states, options));
    if (n_states == 0)
        return ISG_OK;
    isg_crew crew = {0};
    results all = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(all.states, n_states, network->words));
    ISG_TRY_GOTO(ISG_ALLOCATE(all.reports, n_states));
    ISG_TRY_GOTO(isg_crew_create(&crew, network, options, ISG_PURPOSE_DYNAMICS, n_states));
    const size_t bytes = n_states * network->words * sizeof *states;
    memcpy(all.states, states, bytes);
    ISG_TRY_GOTO(isg_crew_run(&crew, n_states, move_state, &all, progress));
    memcpy(states, all.states, bytes);
    if (reports)
        memcpy(reports, all.reports, n_states * sizeof *reports);
done:
    isg_crew_release(&crew);
    isg_release(all.states);
    isg_release(all.reports);
    return status;
}
