/* attractor.c - recall to the end: which fixed point a sample reaches
 *
 * SPDX-License-Identifier: MIT
 *
 * The negative of a pattern is as stable as the pattern, since H(-s) = H(s); other fixed points are
 * spurious, however near they are to a pattern. At a temperature the state never settles, so the
 * dynamics continue from it at zero temperature, down to its inherent structure.
 */
#include <string.h>

#include "base/memory.h"
#include "recall/recall.h"

isg_status isg_fall_plan(isg_fall *out, const isg_hopfield *network, size_t n_states,
                         const isg_dynamics_options *options) {
    isg_fall plan = {.thermal = *options, .cold = *options};
    ISG_TRY(isg_dynamics_check(network, n_states, options));
    plan.is_thermal = isg_dynamics_is_thermal(options->kind);
    if (plan.is_thermal) {
        plan.cold.kind = ISG_DYNAMICS_ASYNCHRONOUS;
        plan.cold.first_sweep += options->sweeps;
        ISG_TRY(isg_dynamics_check(network, n_states, &plan.cold));
    }
    *out = plan;
    return ISG_OK;
}

typedef struct falls {
    const isg_dataset *data;
    const isg_fall *plan;
    uint64_t *states;             /* (n_samples, words) at the end */
    isg_recall_outcome *outcomes; /* (n_samples) */
} falls;

/* The pattern that equals a state, or whose negative does; SIZE_MAX: none. */
static size_t find_pattern(const isg_hopfield *network, const uint64_t *spins, bool is_negative) {
    const size_t distance = is_negative ? network->info.n_visible : 0;
    for (size_t mu = 0; mu < network->info.n_patterns; mu++)
        if (isg_hamming(isg_patterns_spins(network->patterns, mu), spins, network->words) ==
            distance)
            return mu;
    return SIZE_MAX;
}

static isg_recall_end classify(const isg_walker *walker) {
    if (walker->is_two_cycle)
        return ISG_END_TWO_CYCLE;
    if (!isg_hopfield_look(walker->network, walker->spins, walker->h).is_fixed_point)
        return ISG_END_UNDECIDED;
    if (find_pattern(walker->network, walker->spins, false) != SIZE_MAX)
        return ISG_END_PATTERN;
    return find_pattern(walker->network, walker->spins, true) != SIZE_MAX ? ISG_END_NEGATIVE
                                                                          : ISG_END_SPURIOUS;
}

static void fall_down(isg_walker *walker, size_t number, void *user) {
    const falls *all = user;
    const size_t words = walker->network->words;
    isg_dynamics_report warm = {.sweeps = 0}, cold;
    walker->spins = all->states + number * words;
    memcpy(walker->spins, isg_dataset_spins(all->data, number), words * sizeof *walker->spins);
    if (all->plan->is_thermal) {
        walker->options = &all->plan->thermal;
        isg_walk(walker, (uint32_t)number, &warm);
    }
    walker->options = &all->plan->cold;
    isg_walk(walker, (uint32_t)number, &cold);
    all->outcomes[number] = (isg_recall_outcome){
        .end = classify(walker), .updates = warm.sweeps + cold.sweeps, .share = 1};
}

/* Finds the ends of all samples, as states and outcomes. */
static isg_status run_falls(isg_recall *recall, const isg_hopfield *network,
                            const isg_dataset *data, uint64_t *states,
                            const isg_progress *progress) {
    const isg_recall_options *options = &recall->summary.options;
    const size_t n = data->info.n_samples;
    const isg_dynamics_options how = {.kind = options->dynamics,
                                      .beta = options->beta,
                                      .sweeps = options->max_updates,
                                      .seed = options->seed};
    isg_fall plan;
    falls all = {.data = data, .plan = &plan, .states = states, .outcomes = recall->outcomes};
    isg_crew crew = {0};
    isg_status status = ISG_OK;
    ISG_TRY(isg_fall_plan(&plan, network, n, &how));
    ISG_TRY_GOTO(isg_crew_create(&crew, network, &how, ISG_PURPOSE_DYNAMICS, n));
    ISG_TRY_GOTO(isg_crew_run(&crew, n, fall_down, &all, progress));
done:
    isg_crew_release(&crew);
    return status;
}

static isg_status count_updates(isg_recall *recall) {
    isg_recall_summary *summary = &recall->summary;
    for (size_t a = 0; a < summary->n_samples; a++)
        if (recall->outcomes[a].updates >= summary->n_updates)
            summary->n_updates = recall->outcomes[a].updates + 1;
    ISG_TRY(ISG_ALLOCATE(recall->updates, summary->n_updates));
    for (size_t a = 0; a < summary->n_samples; a++)
        recall->updates[recall->outcomes[a].updates]++;
    return ISG_OK;
}

isg_status isg_recall_attractor(isg_recall *recall, const isg_hopfield *network,
                                const isg_dataset *data, const isg_progress *progress) {
    isg_recall_summary *summary = &recall->summary;
    const size_t p = network->info.n_patterns;
    uint64_t *states = NULL;
    double *m = NULL, *projections = NULL;
    size_t right[ISG_N_READOUTS] = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(m, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(projections, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(states, summary->n_samples, network->words));
    ISG_TRY_GOTO(run_falls(recall, network, data, states, progress));
    ISG_TRY_GOTO(count_updates(recall));
    for (size_t a = 0; a < summary->n_samples; a++) {
        const uint64_t *spins = states + a * network->words;
        const size_t row = isg_recall_class(data, a);
        isg_recall_outcome *outcome = &recall->outcomes[a];
        size_t pattern[ISG_N_READOUTS];
        ISG_TRY_GOTO(isg_readout_of(network, spins, m, projections, pattern));
        for (size_t k = 0; k < ISG_N_READOUTS; k++)
            right[k] += recall->label_of[pattern[k]] == recall->right[row];
        outcome->pattern = pattern[summary->options.readout];
        isg_recall_count(recall, recall->confusion, row, ISG_END_PATTERN, outcome->pattern, 1);
        if (outcome->end == ISG_END_PATTERN)
            outcome->pattern = find_pattern(network, spins, false);
        isg_recall_count(recall, recall->ends, row, outcome->end, outcome->pattern, 1);
    }
    for (size_t k = 0; k < ISG_N_READOUTS; k++)
        summary->end_accuracy[k] = (double)right[k] / (double)summary->n_samples;
done:
    isg_release(m);
    isg_release(projections);
    isg_release(states);
    return status;
}
