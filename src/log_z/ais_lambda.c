/* ais_lambda.c - annealed importance sampling with weights from p(lambda), as in the paper
 *
 * SPDX-License-Identifier: MIT
 *
 *     F0_alpha(lambda) = |lambda - alpha c|^2 / 2 - sum_i ln cosh(alpha beta x_i) / beta,
 *     x = W lambda + b                                                            (Eq. 7)
 *
 * The spins are summed out, so the state is lambda alone, moved by Hamiltonian trajectories or by a
 * sweep to the spins and back. Everything is in double, without the fast kernels.
 */
#include <math.h>
#include <omp.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"
#include "log_z/ais.h"

typedef struct walker {
    isg_cursor random;
    double *lambda, *x; /* (n_hidden), (n_visible) with x = W lambda + b */
    /* Where a trajectory may end: */
    double *next_lambda, *next_x, *momentum, *gradient;
    uint64_t *spins;
} walker;

static isg_status walker_create(walker *walk, isg_rbm_info info) {
    ISG_TRY(ISG_ALLOCATE(walk->lambda, info.n_hidden));
    ISG_TRY(ISG_ALLOCATE(walk->x, info.n_visible));
    ISG_TRY(ISG_ALLOCATE(walk->next_lambda, info.n_hidden));
    ISG_TRY(ISG_ALLOCATE(walk->next_x, info.n_visible));
    ISG_TRY(ISG_ALLOCATE(walk->momentum, info.n_hidden));
    ISG_TRY(ISG_ALLOCATE(walk->gradient, info.n_hidden));
    return ISG_ALLOCATE(walk->spins, isg_words(info.n_visible));
}

static void walker_release(walker *walk) {
    isg_release(walk->lambda);
    isg_release(walk->x);
    isg_release(walk->next_lambda);
    isg_release(walk->next_x);
    isg_release(walk->momentum);
    isg_release(walk->gradient);
    isg_release(walk->spins);
}

/* -beta F0_alpha */
static double exponent(const isg_rbm *rbm, const double *lambda, const double *x, double alpha) {
    const double beta = rbm->info.beta;
    double sum = 0, square = 0;
    for (size_t i = 0; i < rbm->info.n_visible; i++)
        sum += isg_log_cosh(alpha * beta * x[i]);
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        square += (lambda[mu] - alpha * rbm->c[mu]) * (lambda[mu] - alpha * rbm->c[mu]);
    return sum - beta * square / 2;
}

/* To the spins and back, at alpha. Written out, since a sweep of the RBM at beta alpha instead of
   beta would have the wrong noise. */
static void move_by_gibbs(const isg_rbm *rbm, walker *walk, double alpha) {
    const double deviation = 1 / sqrt(rbm->info.beta);
    isg_sample_spins(&walk->random, rbm->info.n_visible, alpha * rbm->info.beta, walk->x,
                     walk->spins);
    isg_rbm_hidden_input(rbm, walk->spins, walk->lambda);
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        walk->lambda[mu] = alpha * walk->lambda[mu] + deviation * isg_next_normal(&walk->random);
    isg_rbm_visible_input(rbm, walk->lambda, walk->x);
}

/* Half a kick: momentum -= step / 2 times the gradient of beta F0_alpha. */
static void kick(const isg_rbm *rbm, walker *walk, double alpha, double step) {
    const size_t p = rbm->info.n_hidden;
    const double beta = rbm->info.beta;
    for (size_t mu = 0; mu < p; mu++)
        walk->gradient[mu] = walk->next_lambda[mu] - alpha * rbm->c[mu];
    for (size_t i = 0; i < rbm->info.n_visible; i++) {
        const double mean = alpha * isg_tanh(alpha * beta * walk->next_x[i]);
        for (size_t mu = 0; mu < p; mu++)
            walk->gradient[mu] -= rbm->weights[i * p + mu] * mean;
    }
    for (size_t mu = 0; mu < p; mu++)
        walk->momentum[mu] -= step / 2 * beta * walk->gradient[mu];
}

static double kinetic(const walker *walk, size_t p) {
    double sum = 0;
    for (size_t mu = 0; mu < p; mu++)
        sum += walk->momentum[mu] * walk->momentum[mu];
    return sum / 2;
}

static void move_by_trajectory(const isg_rbm *rbm, walker *walk, double alpha, double step,
                               size_t leapfrogs) {
    const size_t p = rbm->info.n_hidden, n = rbm->info.n_visible;
    for (size_t mu = 0; mu < p; mu++) {
        walk->next_lambda[mu] = walk->lambda[mu];
        walk->momentum[mu] = isg_next_normal(&walk->random);
    }
    for (size_t i = 0; i < n; i++)
        walk->next_x[i] = walk->x[i];
    const double before = kinetic(walk, p) - exponent(rbm, walk->lambda, walk->x, alpha);
    for (size_t t = 0; t < leapfrogs; t++) {
        kick(rbm, walk, alpha, step);
        for (size_t mu = 0; mu < p; mu++)
            walk->next_lambda[mu] += step * walk->momentum[mu];
        isg_rbm_visible_input(rbm, walk->next_lambda, walk->next_x);
        kick(rbm, walk, alpha, step);
    }
    const double after = kinetic(walk, p) - exponent(rbm, walk->next_lambda, walk->next_x, alpha);
    if (isg_next_uniform(&walk->random) < isg_exp(before - after)) {
        for (size_t mu = 0; mu < p; mu++)
            walk->lambda[mu] = walk->next_lambda[mu];
        for (size_t i = 0; i < n; i++)
            walk->x[i] = walk->next_x[i];
    }
}

static double anneal_chain(const isg_rbm *rbm, const isg_ais_options *options, walker *walk,
                           size_t chain, isg_team_progress *team) {
    walk->random = isg_cursor_at(isg_stream_at(options->seed, ISG_PURPOSE_AIS, 0, (uint32_t)chain));
    for (size_t mu = 0; mu < rbm->info.n_hidden; mu++)
        walk->lambda[mu] = isg_next_normal(&walk->random) / sqrt(rbm->info.beta);
    isg_rbm_visible_input(rbm, walk->lambda, walk->x);
    double log_weight = 0;
    for (size_t k = 1; k <= options->steps; k++) {
        const double from = options->schedule[k - 1], to = options->schedule[k];
        log_weight +=
            exponent(rbm, walk->lambda, walk->x, to) - exponent(rbm, walk->lambda, walk->x, from);
        /* Every step has its own stream: a long chain would exhaust a single one. */
        walk->random =
            isg_cursor_at(isg_stream_at(options->seed, ISG_PURPOSE_AIS, k, (uint32_t)chain));
        if (options->move == ISG_AIS_HMC)
            move_by_trajectory(rbm, walk, to, options->hmc_step, options->hmc_leapfrogs);
        else
            move_by_gibbs(rbm, walk, to);
        if (k % 64 == 0 && !isg_team_advance(team, 64))
            break;
    }
    return log_weight;
}

isg_status isg_ais_lambda(const isg_rbm *rbm, const isg_ais_options *options, double *log_weights,
                          const isg_progress *progress) {
    const size_t chains = options->chains * options->repeats;
    const size_t threads = isg_team_for(chains);
    isg_status status = ISG_OK;
    walker *walkers = NULL;
    isg_team_progress team = {.progress = progress,
                              .total =
                                  (double)chains * (double)options->steps / (double)isg_n_ranks()};
    ISG_TRY_GOTO(ISG_ALLOCATE(walkers, threads));
    for (size_t t = 0; t < threads; t++)
        ISG_TRY_GOTO(walker_create(&walkers[t], rbm->info));
    const isg_rows own = isg_rank_rows(chains, 1);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (size_t k = own.begin; k < own.end; k++)
        if (!atomic_load(&team.is_cancelled))
            log_weights[k] = anneal_chain(rbm, options, &walkers[omp_get_thread_num()], k, &team);
    ISG_TRY_GOTO(isg_team_end(&team));
    isg_gather_rows(log_weights, sizeof *log_weights, chains, 1);
done:
    for (size_t t = 0; walkers && t < threads; t++)
        walker_release(&walkers[t]);
    isg_release(walkers);
    return status;
}
