/* jump.c - jumps of chains between the minima of F0
 *
 * SPDX-License-Identifier: MIT
 *
 * After a sweep, (lambda, s) of a chain is a state of the RBM. Independence Metropolis proposes lambda'
 * from the mixture q that was fitted to the law of lambda, exp(G), and s' given lambda'. In the ratio
 * p(lambda', s') q(lambda) p(s | lambda) / (p(lambda, s) q(lambda') p(s' | lambda')) the spins cancel:
 *
 *     accept with probability min(1, exp(G(delta') - G(delta)) q(delta) / q(delta')),  delta = lambda - c
 *
 * so that s' need only be drawn after a proposal was accepted. The law of the RBM is kept whatever q
 * is, as long as q does not depend on the chains: it is fitted to chains of its own.
 *
 * lambda is rounded to float, as sweeps have it, before it is weighed.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "sample/chains.h"

struct isg_jumps {
    isg_jump_options options;
    isg_spin_model target; /* with weights and field of its own */
    double *weights;       /* (n, p), those of the target */
    double *hidden_field;  /* c (p) */
    isg_mixture *mixture;  /* to which the parts of the proposal belong */
    isg_proposal proposal; /* count 0 before the first fit */
    isg_jumps_info info;
    size_t slots, room; /* threads, doubles for each */
    double *scratch;    /* (slots, room) */
};

isg_jump_options isg_jump_defaults(void) {
    isg_jump_options options = {.mixture = isg_mixture_defaults(), .least_acceptance = 0.02};
    options.mixture.samples = 20000;
    return options;
}

isg_jumps_info isg_jumps_describe(const isg_jumps *jumps) {
    return jumps->info;
}

static void release_fit(isg_mixture *mixture, isg_proposal *proposal) {
    isg_proposal_release(proposal);
    if (mixture)
        isg_mixture_release(mixture);
    isg_release(mixture);
}

void isg_jumps_free(isg_jumps *jumps) {
    if (!jumps)
        return;
    release_fit(jumps->mixture, &jumps->proposal);
    isg_release(jumps->target.field);
    isg_release(jumps->weights);
    isg_release(jumps->hidden_field);
    isg_release(jumps->scratch);
    isg_release(jumps);
}

/* ---- what is sampled, and what proposes ---------------------------------------------------------- */

isg_status isg_jumps_set_rbm(isg_jumps *jumps, const isg_rbm *rbm) {
    const size_t n = jumps->target.n, p = jumps->target.p;
    if (rbm->info.n_visible != n || rbm->info.n_hidden != p)
        return isg_fail(ISG_ERR_SHAPE, "the jumps are for %zu x %zu units, the RBM has %zu x %zu",
                        n, p, rbm->info.n_visible, rbm->info.n_hidden);
    ISG_TRY(isg_spin_model_set(&jumps->target, rbm));
    memcpy(jumps->weights, rbm->weights, n * p * sizeof *jumps->weights);
    memcpy(jumps->hidden_field, rbm->c, p * sizeof *jumps->hidden_field);
    jumps->target.weights = jumps->weights;
    jumps->info.beta = jumps->target.beta;
    return ISG_OK;
}

/* Room for a block of chains: delta before and after, as columns, and the scratch of the density; one
   proposal; the input of the spins. */
static size_t room_for(size_t n, size_t p, size_t parts) {
    return 2 * p * ISG_LANES + parts * ISG_LANES + p + n;
}

/* A mixture with its verdict. */
typedef struct new_fit {
    isg_mixture *mixture;
    isg_proposal proposal;
    isg_mixture_verdict verdict;
    isg_mixture_sum sum; /* of draws from the proposal */
    double *scratch;     /* (slots, room) */
    size_t slots, room;
} new_fit;

/* Until the mixture is trusted, or no more minima are found where it has no weight. */
static isg_status conclude(isg_mixture *mixture, isg_mixture_verdict *out) {
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        const size_t before = mixture->modes.count;
        ISG_TRY(isg_mixture_conclude(mixture, out));
        if (!*out->reason || mixture->modes.count == before)
            break;
        ISG_TRY(isg_mixture_fit(mixture));
    }
    return ISG_OK;
}

static isg_status fit(new_fit *out, const isg_rbm *rbm, const isg_mixture_options *options,
                      const isg_progress *progress) {
    ISG_TRY(ISG_ALLOCATE(out->mixture, 1));
    ISG_TRY(isg_mixture_start(out->mixture, rbm, options, progress));
    ISG_TRY(conclude(out->mixture, &out->verdict));
    /* Those draws have shown how much each Gaussian holds. More of them show how good a proposal that
       makes. Minima may have been found since. */
    const size_t samples = out->verdict.samples + out->mixture->modes.count;
    ISG_TRY(isg_mixture_draw(out->mixture, samples, 1, 1, &out->proposal, &out->sum));
    out->slots = (size_t)isg_team_size();
    out->room = room_for(out->mixture->model.n, out->mixture->model.p, out->proposal.count);
    return ISG_ALLOCATE_MATRIX(out->scratch, out->slots, out->room);
}

static void take(isg_jumps *jumps, const new_fit *made) {
    isg_jumps_info *info = &jumps->info;
    release_fit(jumps->mixture, &jumps->proposal);
    isg_release(jumps->scratch);
    jumps->mixture = made->mixture;
    jumps->proposal = made->proposal;
    jumps->scratch = made->scratch;
    jumps->slots = made->slots;
    jumps->room = made->room;
    info->fits++;
    info->minima = made->verdict.minima;
    info->expected = made->sum.acceptance;
    memcpy(info->reason, made->verdict.reason, sizeof made->verdict.reason);
    /* Jumps keep the law whatever proposes: that the weights scatter too much for ln Z does not matter. */
    const bool is_accepted = info->expected >= jumps->options.least_acceptance;
    if (made->verdict.is_complete && made->verdict.has_error && is_accepted)
        *info->reason = 0;
    if (!*info->reason && !is_accepted)
        snprintf(info->reason, sizeof info->reason,
                 "only %.2g %% of the jumps would be accepted: the Gaussians do not fit",
                 100 * info->expected);
    info->is_usable = !*info->reason;
}

/* Weights may be fit for sweeps and too large for a mixture. */
isg_status isg_jumps_refit(isg_jumps *jumps, const isg_rbm *rbm, const isg_progress *progress) {
    new_fit made = {0};
    isg_status status = fit(&made, rbm, &jumps->options.mixture, progress);
    const bool is_too_large = status == ISG_ERR_DIVERGED;
    if (is_too_large)
        snprintf(made.verdict.reason, sizeof made.verdict.reason, "%s", isg_error_message());
    if (status == ISG_OK || is_too_large)
        status = isg_jumps_set_rbm(jumps, rbm);
    if (status == ISG_OK) {
        take(jumps, &made);
        return ISG_OK;
    }
    release_fit(made.mixture, &made.proposal);
    isg_release(made.scratch);
    return status;
}

isg_status isg_jumps_create(isg_jumps **out, const isg_rbm *rbm, const isg_jump_options *options,
                            const isg_progress *progress) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    isg_jumps *jumps = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(jumps, 1));
    jumps->options = options ? *options : isg_jump_defaults();
    jumps->target = (isg_spin_model){.n = n, .p = p};
    if (!(jumps->options.least_acceptance >= 0 && jumps->options.least_acceptance <= 1))
        ISG_TRY_GOTO(isg_fail(ISG_ERR_ARGUMENT, "least_acceptance: expected 0 to 1, found %g",
                              jumps->options.least_acceptance));
    ISG_TRY_GOTO(ISG_ALLOCATE(jumps->target.field, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(jumps->weights, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(jumps->hidden_field, p));
    ISG_TRY_GOTO(isg_jumps_refit(jumps, rbm, progress));
    *out = jumps;
    jumps = NULL;
done:
    isg_jumps_free(jumps);
    return status;
}

/* ---- jumping ------------------------------------------------------------------------------------- */

/* One block of ISG_LANES chains; the last may have fewer. */
typedef struct block_of_chains {
    size_t first, count;
    double *before, *after; /* (p, ISG_LANES): delta */
    double *rest;           /* scratch */
} block_of_chains;

static isg_cursor numbers_of(const isg_jump_step *step, size_t k) {
    return isg_cursor_at(
        isg_stream_at(step->seed, ISG_PURPOSE_JUMP, step->step, (uint32_t)(step->number + k)));
}

/* ln of exp(G) / q at delta. */
static void weigh(const isg_jumps *jumps, const double *delta, double *log_weights, double *rest) {
    double log_density[ISG_LANES];
    isg_landscape(&jumps->target, delta, log_weights, NULL);
    isg_proposal_log_density(&jumps->proposal, delta, log_density, rest);
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        log_weights[lane] -= log_density[lane];
}

/* lambda' and s' given lambda' become the state of chain k. */
static void settle(const isg_jumps *jumps, isg_states *states, const isg_gibbs_weights *w,
                   const block_of_chains *block, size_t lane, isg_cursor *random) {
    const isg_spin_model *target = &jumps->target;
    const size_t p = target->p, k = block->first + lane;
    float *lambda = states->lambda + k * w->stride;
    uint64_t *spins = states->spins + k * w->words;
    double *delta = block->rest, *x = block->rest + p;
    for (size_t mu = 0; mu < p; mu++) {
        delta[mu] = block->after[mu * ISG_LANES + lane];
        lambda[mu] = (float)(delta[mu] + jumps->hidden_field[mu]);
    }
    for (size_t i = 0; i < target->n; i++) {
        x[i] = target->field[i];
        for (size_t mu = 0; mu < p; mu++)
            x[i] += target->weights[i * p + mu] * delta[mu];
    }
    isg_sample_spins(random, target->n, target->beta, x, spins);
    isg_kernels_get()->hidden_input(w, 1, spins, states->input + k * w->stride);
}

static size_t jump_block(const isg_jumps *jumps, isg_states *states, const isg_gibbs_weights *w,
                         const isg_jump_step *step, const block_of_chains *block) {
    const size_t p = jumps->target.p;
    isg_cursor random[ISG_LANES];
    double here[ISG_LANES], there[ISG_LANES];
    size_t accepted = 0;
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        const size_t used = lane < block->count ? lane : 0;
        const float *lambda = states->lambda + (block->first + used) * w->stride;
        random[lane] = numbers_of(step, block->first + used);
        isg_proposal_draw_any(&jumps->proposal, &random[lane], block->rest);
        for (size_t mu = 0; mu < p; mu++) {
            const double c = jumps->hidden_field[mu];
            block->before[mu * ISG_LANES + lane] = (double)lambda[mu] - c;
            block->after[mu * ISG_LANES + lane] = (double)(float)(block->rest[mu] + c) - c;
        }
    }
    weigh(jumps, block->before, here, block->rest);
    weigh(jumps, block->after, there, block->rest);
    for (size_t lane = 0; lane < block->count; lane++)
        if (isg_next_uniform(&random[lane]) < isg_exp(fmin(there[lane] - here[lane], 0))) {
            settle(jumps, states, w, block, lane, &random[lane]);
            accepted++;
        }
    return accepted;
}

size_t isg_jump_blocks(const isg_states *states) {
    return (states->count + ISG_LANES - 1) / ISG_LANES;
}

size_t isg_states_jump_blocks(isg_states *states, const isg_gibbs_weights *w,
                              const isg_jumps *jumps, const isg_jump_step *step, isg_rows blocks,
                              size_t thread) {
    const size_t p = jumps->target.p;
    double *room = jumps->scratch + thread * jumps->room;
    size_t accepted = 0;
    for (size_t b = blocks.begin; b < blocks.end; b++) {
        const size_t first = b * ISG_LANES, left = states->count - first;
        const block_of_chains block = {.first = first,
                                       .count = left < ISG_LANES ? left : ISG_LANES,
                                       .before = room,
                                       .after = room + p * ISG_LANES,
                                       .rest = room + 2 * p * ISG_LANES};
        accepted += jump_block(jumps, states, w, step, &block);
    }
    return accepted;
}

int isg_jumps_team(const isg_jumps *jumps) {
    const int wanted = isg_team_size();
    return (size_t)wanted < jumps->slots ? wanted : (int)jumps->slots;
}

void isg_jumps_count(isg_jumps *jumps, size_t proposed, size_t accepted) {
    jumps->info.proposed += proposed;
    jumps->info.accepted += accepted;
}

void isg_states_jump(isg_states *states, const isg_gibbs_weights *w, isg_jumps *jumps,
                     const isg_jump_step *step) {
    size_t accepted = 0;
#pragma omp parallel num_threads(isg_jumps_team(jumps)) reduction(+ : accepted)
    {
        const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        accepted += isg_states_jump_blocks(states, w, jumps, step,
                                           isg_rows_of(isg_jump_blocks(states), me, all), me);
    }
    isg_jumps_count(jumps, states->count, accepted);
}

isg_status isg_chains_jump(isg_chains *chains, isg_jumps *jumps, size_t steps) {
    const isg_gibbs_weights *w = &chains->weights;
    if (w->n_visible != jumps->target.n || w->n_hidden != jumps->target.p)
        return isg_fail(ISG_ERR_SHAPE,
                        "the jumps are for %zu x %zu units, the chains have %zu x %zu",
                        jumps->target.n, jumps->target.p, w->n_visible, w->n_hidden);
    if (chains->has_clamped)
        return isg_fail(ISG_ERR_UNSUPPORTED, "chains cannot jump while units are clamped");
    ISG_TRY(isg_chains_check(chains, steps));
    for (size_t t = 0; t < steps; t++) {
        const isg_jump_step step = {.seed = chains->seed, .step = chains->next_sweep};
        ISG_TRY(isg_chains_sweep(chains, 1, jumps->target.beta));
        if (jumps->info.is_usable)
            isg_states_jump(&chains->states, w, jumps, &step);
    }
    return ISG_OK;
}
