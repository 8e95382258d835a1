/* tempering.c - replica exchange: chains at several temperatures that swap their states
 *
 * SPDX-License-Identifier: MIT
 *
 * Every chain has a copy at each of the inverse temperatures beta = beta_0 > beta_1 > ..., in a geometric
 * sequence. Neighbours swap spins with probability
 *
 *     min(1, exp((beta_t - beta_(t+1)) (H(s_t) - H(s_(t+1)))))
 *
 * and all are then swept, each at its own beta. Pairs of even t and of odd t take turns, which lets a
 * state drift through the temperatures (Okabe et al. 2001); at random it would diffuse.
 */
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "linalg/linalg.h"
#include "rbm/rbm.h"
#include "sample/chains.h"

struct isg_tempering {
    isg_tempering_info info;
    size_t chains;    /* of the coldest */
    double *betas;    /* (temperatures), falling */
    uint64_t *swaps;  /* (temperatures - 1) that were accepted */
    uint64_t *trials; /* (temperatures - 1) */
    isg_states hot;   /* (temperatures - 1, chains) */
};

isg_tempering_options isg_tempering_defaults(void) {
    return (isg_tempering_options){.temperatures = 20, .lowest = 0};
}

void isg_tempering_free(isg_tempering *tempering) {
    if (!tempering)
        return;
    isg_release(tempering->betas);
    isg_release(tempering->swaps);
    isg_release(tempering->trials);
    isg_states_release(&tempering->hot);
    isg_release(tempering);
}

/* ---- the temperatures ---------------------------------------------------------------------------- */

/* Without fields, spins are free of order below beta = 1 / |W|^2, the inverse of the largest eigenvalue of
   W^T W: F0 has one minimum there. */
static isg_status find_onset(const isg_gibbs_weights *w, double *beta) {
    const size_t p = w->n_hidden;
    isg_status status = ISG_OK;
    double *gram = NULL, *vectors = NULL, *values = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(gram, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vectors, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(values, p));
    for (size_t panel = 0; panel < w->panels; panel++) {
        const float *columns = w->weights + panel * p * ISG_PANEL;
        for (size_t mu = 0; mu < p; mu++)
            for (size_t nu = 0; nu <= mu; nu++)
                for (size_t q = 0; q < ISG_PANEL; q++)
                    gram[mu * p + nu] +=
                        (double)columns[mu * ISG_PANEL + q] * (double)columns[nu * ISG_PANEL + q];
    }
    ISG_TRY_GOTO(
        isg_symmetric_eigen(values, isg_matd_of(vectors, p, p), (isg_matd_view){gram, p, p, p}));
    *beta = values[p - 1] > 0 ? 1 / values[p - 1] : HUGE_VAL;
done:
    isg_release(gram);
    isg_release(vectors);
    isg_release(values);
    return status;
}

static isg_status check(const isg_tempering_options *options, double beta, double lowest,
                        size_t chains) {
    enum { MOST = 1000 };
    ISG_TRY(isg_check_beta(beta));
    if (options->temperatures < 2 || options->temperatures > MOST)
        return isg_fail(ISG_ERR_ARGUMENT, "temperatures: expected 2 to %d, found %zu", MOST,
                        options->temperatures);
    if (!(lowest < beta) || !isg_is_beta(lowest))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "lowest beta: expected a number above 0 and below %g, found %g", beta,
                        lowest);
    if (chains > UINT32_MAX / options->temperatures)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "there are no random numbers for %zu chains at %zu temperatures", chains,
                        options->temperatures);
    return ISG_OK;
}

static void copy_states(isg_tempering *my, const isg_chains *chains) {
    const isg_gibbs_weights *w = &chains->weights;
    const isg_states *cold = &chains->states;
    for (size_t t = 0; t + 1 < my->info.temperatures; t++) {
        memcpy(my->hot.spins + t * my->chains * w->words, cold->spins,
               my->chains * w->words * sizeof *cold->spins);
        memcpy(my->hot.input + t * my->chains * w->stride, cold->input,
               my->chains * w->stride * sizeof *cold->input);
    }
}

isg_status isg_tempering_create(isg_tempering **out, const isg_chains *chains, double beta,
                                const isg_tempering_options *options) {
    const isg_tempering_options own = options ? *options : isg_tempering_defaults();
    const double disordered = 0.9; /* times the onset of order */
    const size_t count = chains->states.count, steps = own.temperatures - 1;
    isg_tempering *my = NULL;
    isg_status status = ISG_OK;
    double lowest = own.lowest;
    if (lowest == 0) {
        ISG_TRY(find_onset(&chains->weights, &lowest));
        lowest = fmin(disordered * lowest, beta / 2);
    }
    ISG_TRY(check(&own, beta, lowest, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(my, 1));
    my->info =
        (isg_tempering_info){.temperatures = own.temperatures, .highest = beta, .lowest = lowest};
    my->chains = count;
    ISG_TRY_GOTO(ISG_ALLOCATE(my->betas, own.temperatures));
    ISG_TRY_GOTO(ISG_ALLOCATE(my->swaps, steps));
    ISG_TRY_GOTO(ISG_ALLOCATE(my->trials, steps));
    ISG_TRY_GOTO(isg_states_create(&my->hot, &chains->weights, steps * count));
    const double log_ratio = isg_log(lowest / beta);
    for (size_t t = 0; t < own.temperatures; t++)
        my->betas[t] = beta * isg_exp(log_ratio * (double)t / (double)steps);
    my->betas[steps] = lowest;
    copy_states(my, chains);
    *out = my;
    my = NULL;
done:
    isg_tempering_free(my);
    return status;
}

isg_tempering_info isg_tempering_describe(const isg_tempering *tempering) {
    isg_tempering_info info = tempering->info;
    const size_t pairs = info.temperatures - 1;
    double sum = 0;
    info.least_rate = (double)NAN;
    for (size_t t = 0; t < pairs; t++) {
        const double rate = isg_tempering_rate(tempering, t);
        info.untried += isnan(rate);
        sum += isnan(rate) ? 0 : rate;
        info.least_rate = fmin(info.least_rate, rate); /* which passes over NaN */
    }
    info.mean_rate = info.untried < pairs ? sum / (double)(pairs - info.untried) : (double)NAN;
    return info;
}

double isg_tempering_beta(const isg_tempering *tempering, size_t t) {
    return tempering->betas[t];
}

double isg_tempering_rate(const isg_tempering *tempering, size_t t) {
    return tempering->trials[t] > 0 ? (double)tempering->swaps[t] / (double)tempering->trials[t]
                                    : (double)NAN;
}

/* ---- swaps --------------------------------------------------------------------------------------- */

static void swap_bytes(void *a, void *b, size_t bytes) {
    unsigned char kept[256], *left = a, *right = b;
    for (size_t at = 0; at < bytes; at += sizeof kept) {
        const size_t now = bytes - at < sizeof kept ? bytes - at : sizeof kept;
        memcpy(kept, left + at, now);
        memcpy(left + at, right + at, now);
        memcpy(right + at, kept, now);
    }
}

/* The states that hold chain k at temperature t, and its row there. */
static isg_states *states_at(isg_tempering *my, isg_chains *chains, size_t t, size_t k,
                             size_t *row) {
    *row = t > 0 ? (t - 1) * my->chains + k : k;
    return t > 0 ? &my->hot : &chains->states;
}

/* Hidden units are drawn anew by the next sweep. */
static bool swap_pair(isg_tempering *my, isg_chains *chains, size_t t, size_t k, double u) {
    const isg_gibbs_weights *w = &chains->weights;
    size_t i = 0, j = 0;
    isg_states *cold = states_at(my, chains, t, k, &i), *hot = states_at(my, chains, t + 1, k, &j);
    const double higher = isg_states_energy(cold, w, i), lower = isg_states_energy(hot, w, j);
    const double log_ratio = (my->betas[t] - my->betas[t + 1]) * (higher - lower);
    if (!(u < isg_exp(fmin(log_ratio, 0))))
        return false;
    swap_bytes(cold->spins + i * w->words, hot->spins + j * w->words,
               w->words * sizeof *hot->spins);
    swap_bytes(cold->input + i * w->stride, hot->input + j * w->stride,
               w->stride * sizeof *hot->input);
    return true;
}

static void swap_all(isg_tempering *my, isg_chains *chains, uint64_t step) {
    const size_t first = step % 2;
    for (size_t t = first; t + 1 < my->info.temperatures; t += 2) {
        size_t swapped = 0;
#pragma omp parallel for schedule(static) num_threads(isg_team_size()) reduction(+ : swapped)
        for (size_t k = 0; k < my->chains; k++) {
            isg_cursor random = isg_cursor_at(isg_stream_at(chains->seed, ISG_PURPOSE_SWAP, step,
                                                            (uint32_t)(t * my->chains + k)));
            swapped += swap_pair(my, chains, t, k, isg_next_uniform(&random));
        }
        my->swaps[t] += swapped;
        my->trials[t] += my->chains;
    }
}

/* ---- sweeps -------------------------------------------------------------------------------------- */

static void sweep_hot(isg_tempering *my, const isg_chains *chains, uint64_t step) {
    isg_sweeps sweeps = {.gain = 1,
                         .seed = chains->seed,
                         .purpose = ISG_PURPOSE_TEMPER,
                         .step = step,
                         .count = 1,
                         .clamped = chains->has_clamped ? chains->clamped : NULL};
#pragma omp parallel num_threads(isg_states_team(&my->hot)) firstprivate(sweeps)
    {
        const size_t me = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        for (size_t t = 1; t < my->info.temperatures; t++) {
            isg_rows rows = isg_rows_of(my->chains, me, all);
            rows.begin += (t - 1) * my->chains;
            rows.end += (t - 1) * my->chains;
            sweeps.beta = my->betas[t];
            isg_states_sweep_rows(&my->hot, &chains->weights, &sweeps, rows, me);
        }
    }
}

isg_status isg_chains_temper(isg_chains *chains, isg_tempering *tempering, size_t steps) {
    if (chains->states.count != tempering->chains)
        return isg_fail(ISG_ERR_SHAPE, "the replicas are of %zu chains, found %zu",
                        tempering->chains, chains->states.count);
    ISG_TRY(isg_chains_check(chains, steps));
    for (size_t t = 0; t < steps; t++) {
        const uint64_t step = chains->next_sweep;
        if (tempering->info.steps > 0) /* at first all replicas are the same */
            swap_all(tempering, chains, step);
        sweep_hot(tempering, chains, step);
        ISG_TRY(isg_chains_sweep(chains, 1, tempering->betas[0]));
        tempering->info.steps++;
    }
    return ISG_OK;
}
