/* gibbs.c - block-Gibbs sweeps of many chains by all threads
 *
 * SPDX-License-Identifier: MIT
 *
 * Every rank, and in it every thread, takes its share of the chains and runs a few of them through all sweeps before it
 * turns to the next few, so that their states stay in its cache. Chains are independent of each
 * other, so results do not depend on how they are divided.
 */
#include "sample/chains.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "rbm/rbm.h"

/* ---- states ----------------------------------------------------------------------------------- */

isg_status isg_states_create(isg_states *states, const isg_gibbs_weights *w, size_t count) {
    *states = (isg_states){.count = count, .threads = (size_t)isg_team_size()};
    states->scratch_bytes =
        (isg_gibbs_scratch_bytes(w) + ISG_ALIGNMENT - 1) / ISG_ALIGNMENT * ISG_ALIGNMENT;
    ISG_TRY(ISG_ALLOCATE_MATRIX(states->spins, count, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(states->input, count, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(states->lambda, count, w->stride));
    return ISG_ALLOCATE_MATRIX(states->scratch, states->threads, states->scratch_bytes);
}

void isg_states_release(isg_states *states) {
    isg_release(states->spins);
    isg_release(states->input);
    isg_release(states->lambda);
    isg_release(states->scratch);
}

/* isg_set_threads() may have been called since they were made. */
int isg_states_team(const isg_states *states) {
    const int wanted = isg_team_size();
    return (size_t)wanted < states->threads ? wanted : (int)states->threads;
}

void isg_states_set_input(isg_states *states, const isg_gibbs_weights *w) {
    const isg_kernels *kernels = isg_kernels_get();
#pragma omp parallel for schedule(static) num_threads(isg_states_team(states))
    for (size_t k = 0; k < states->count; k++)
        kernels->hidden_input(w, 1, states->spins + k * w->words, states->input + k * w->stride);
}

static void sweep_group(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                        const isg_kernels *kernels, size_t first, size_t chains, void *scratch) {
    isg_gibbs_step step = {
        .beta = sweeps->beta, .gain = sweeps->gain, .clamped_stride = sweeps->clamped_stride};
    if (sweeps->clamped)
        step.clamped = sweeps->clamped + first * sweeps->clamped_stride;
    for (size_t t = 0; t < sweeps->count; t++) {
        const isg_stream stream = isg_stream_at(sweeps->seed, sweeps->purpose, sweeps->step + t,
                                                (uint32_t)(sweeps->number + first));
        memcpy(step.key, stream.key, sizeof step.key);
        memcpy(step.counter, stream.counter, sizeof step.counter);
        kernels->gibbs_sweep(w, &step, chains, states->spins + first * w->words,
                             states->input + first * w->stride, states->lambda + first * w->stride,
                             scratch);
    }
}

void isg_states_sweep_rows(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps,
                           isg_rows rows, size_t thread) {
    const isg_kernels *kernels = isg_kernels_get();
    void *scratch = states->scratch + thread * states->scratch_bytes;
    const size_t count = rows.end - rows.begin;
    /* A call reads all of W once. If W does not fit in the second-level cache, more chains should
       share the read; otherwise, with fewer chains, the random numbers stay in the first-level
       cache. Calls are alike up to whole products. */
    const bool is_large = w->n_visible * w->stride * sizeof *w->rows > 256 * 1024;
    const size_t room = is_large ? ISG_GIBBS_CHAINS : ISG_GIBBS_CHAINS / 2;
    const size_t calls = (count + room - 1) / room;
    const size_t most = calls == 0 ? 0 : ((count + calls - 1) / calls + 5) / 6 * 6;
    for (size_t k = rows.begin; k < rows.end; k += most)
        sweep_group(states, w, sweeps, kernels, k, rows.end - k < most ? rows.end - k : most,
                    scratch);
}

void isg_states_sweep(isg_states *states, const isg_gibbs_weights *w, const isg_sweeps *sweeps) {
#pragma omp parallel num_threads(isg_states_team(states))
    {
        const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        isg_states_sweep_rows(states, w, sweeps, isg_rank_thread_rows(states->count, 1, me, all),
                              me);
    }
    isg_gather_rows(states->spins, w->words * sizeof *states->spins, states->count, 1);
    isg_gather_rows(states->input, w->stride * sizeof *states->input, states->count, 1);
    isg_gather_rows(states->lambda, w->stride * sizeof *states->lambda, states->count, 1);
}

/* H(s) = -b.s - |h + c|^2 / 2 + |c|^2 / 2 */
double isg_states_energy(const isg_states *states, const isg_gibbs_weights *w, size_t k) {
    const uint64_t *spins = states->spins + k * w->words;
    const int32_t *input = states->input + k * w->stride;
    double energy = 0;
    for (size_t i = 0; i < w->n_visible; i++)
        energy -= isg_spin(spins, i) * (double)w->field[i];
    for (size_t mu = 0; mu < w->n_hidden; mu++) {
        const double mean = isg_gibbs_hidden_mean(w, input, mu), c = (double)w->hidden_field[mu];
        energy -= (mean * mean - c * c) / 2;
    }
    return energy;
}

/* ---- chains ----------------------------------------------------------------------------------- */

void isg_random_spins(isg_cursor *random, size_t n_visible, uint64_t *spins) {
    for (size_t word = 0; word < isg_words(n_visible); word++)
        spins[word] = isg_next_word64(random);
    isg_clear_tail(spins, n_visible);
}

static void scatter(isg_chains *chains) {
    const isg_gibbs_weights *w = &chains->weights;
    for (size_t k = 0; k < chains->states.count; k++) {
        const isg_stream stream = isg_stream_at(chains->seed, ISG_PURPOSE_START, 0, (uint32_t)k);
        isg_cursor random = isg_cursor_at(stream);
        isg_random_spins(&random, w->n_visible, chains->states.spins + k * w->words);
    }
    isg_states_set_input(&chains->states, w);
}

isg_status isg_chains_create(isg_chains **out, const isg_rbm *rbm, size_t count, uint64_t seed) {
    isg_chains *chains = NULL;
    isg_status status = ISG_OK;
    if (count == 0 || count > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "chains: expected 1 to 2^32 - 1, found %zu", count);
    ISG_TRY_GOTO(ISG_ALLOCATE(chains, 1));
    chains->seed = seed;
    chains->image_height = rbm->info.image_height;
    chains->image_width = rbm->info.image_width;
    isg_gibbs_weights *w = &chains->weights;
    ISG_TRY_GOTO(isg_gibbs_weights_create(w, rbm->info.n_visible, rbm->info.n_hidden));
    ISG_TRY_GOTO(isg_gibbs_weights_set(w, rbm->weights, rbm->b, rbm->c));
    ISG_TRY_GOTO(isg_states_create(&chains->states, w, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(chains->clamped, w->words));
    scatter(chains);
    *out = chains;
    chains = NULL;
done:
    isg_chains_free(chains);
    return status;
}

void isg_chains_free(isg_chains *chains) {
    if (!chains)
        return;
    isg_gibbs_weights_release(&chains->weights);
    isg_states_release(&chains->states);
    isg_release(chains->clamped);
    isg_release(chains);
}

isg_chains_info isg_chains_describe(const isg_chains *chains) {
    return (isg_chains_info){.count = chains->states.count,
                             .n_visible = chains->weights.n_visible,
                             .n_hidden = chains->weights.n_hidden,
                             .seed = chains->seed,
                             .sweeps = chains->next_sweep,
                             .image_height = chains->image_height,
                             .image_width = chains->image_width};
}

void isg_chains_set_spins(isg_chains *chains, size_t k, const uint64_t *spins) {
    const isg_gibbs_weights *w = &chains->weights;
    uint64_t *own = chains->states.spins + k * w->words;
    memcpy(own, spins, w->words * sizeof *own);
    isg_kernels_get()->hidden_input(w, 1, own, chains->states.input + k * w->stride);
}

isg_status isg_chains_restore(isg_chains *chains, uint64_t sweeps) {
    const isg_states *states = &chains->states;
    if (sweeps > ISG_MAX_STEP)
        return isg_fail(ISG_ERR_ARGUMENT, "sweeps: expected at most 2^56 - 1, found %" PRIu64,
                        sweeps);
    chains->next_sweep = sweeps;
    memset(states->lambda, 0, states->count * chains->weights.stride * sizeof *states->lambda);
    return ISG_OK;
}

const uint64_t *isg_chains_spins(const isg_chains *chains, size_t k) {
    return chains->states.spins + k * chains->weights.words;
}

const float *isg_chains_hidden(const isg_chains *chains, size_t k) {
    return chains->states.lambda + k * chains->weights.stride;
}

void isg_chains_clamp(isg_chains *chains, const uint64_t *units) {
    chains->has_clamped = units != NULL;
    if (units)
        memcpy(chains->clamped, units, chains->weights.words * sizeof *units);
}

const uint64_t *isg_chains_clamped(const isg_chains *chains) {
    return chains->has_clamped ? chains->clamped : NULL;
}

isg_status isg_chains_set_rbm(isg_chains *chains, const isg_rbm *rbm) {
    isg_gibbs_weights *w = &chains->weights;
    if (rbm->info.n_visible != w->n_visible || rbm->info.n_hidden != w->n_hidden)
        return isg_fail(ISG_ERR_SHAPE, "the chains have %zu x %zu units, the RBM has %zu x %zu",
                        w->n_visible, w->n_hidden, rbm->info.n_visible, rbm->info.n_hidden);
    for (size_t k = 0; k < w->n_visible * w->n_hidden; k++)
        if (!isfinite(rbm->weights[k]))
            return isg_fail(ISG_ERR_DIVERGED, "a weight of the RBM is not finite");
    ISG_TRY(isg_gibbs_weights_set(w, rbm->weights, rbm->b, rbm->c));
    isg_states_set_input(&chains->states, w);
    return ISG_OK;
}

isg_status isg_chains_check(const isg_chains *chains, size_t sweeps) {
    if (sweeps > ISG_MAX_STEP - chains->next_sweep)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "sweeps: there are no random numbers for %zu more after %" PRIu64, sweeps,
                        chains->next_sweep);
    return ISG_OK;
}

isg_status isg_chains_sweep(isg_chains *chains, size_t sweeps, double beta) {
    ISG_TRY(isg_check_beta(beta));
    ISG_TRY(isg_chains_check(chains, sweeps));
    const isg_sweeps plan = {.beta = beta,
                             .gain = 1,
                             .seed = chains->seed,
                             .purpose = ISG_PURPOSE_GIBBS,
                             .step = chains->next_sweep,
                             .count = sweeps,
                             .clamped = chains->has_clamped ? chains->clamped : NULL};
    isg_states_sweep(&chains->states, &chains->weights, &plan);
    chains->next_sweep += sweeps;
    return ISG_OK;
}

void isg_chains_energy(const isg_chains *chains, double *energies) {
    const size_t count = chains->states.count;
    const bool is_worth_it = count > ((size_t)1 << 20) / chains->weights.n_visible;
#pragma omp parallel for schedule(static) num_threads(isg_team_size()) if (is_worth_it)
    for (size_t k = 0; k < count; k++)
        energies[k] = isg_states_energy(&chains->states, &chains->weights, k);
}
