/* witnesses.c - Gibbs chains that show where the weight of lambda is
 *
 * SPDX-License-Identifier: MIT
 *
 * Annealed chains carry importance weights along the path p(s) ~ exp(-beta_t H): ln w grows by
 * (beta_(t-1) - beta_t) H(s) before the sweep at beta_t, and the mean of w, times 2^N, is Z,
 * however the chains moved.
 */
#include "sample/sample.h"

#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"

enum {
    STEPS = 50,      /* from beta = 0 to beta */
    PER_STEP = 4,    /* sweeps */
    LOOKING = 25,    /* observations that the Gaussian of everything is fitted to */
    WARMING_UP = 20, /* sweeps from a minimum before the first observation */
    FITTING = 50,    /* observations that its Gaussian is fitted to */
    APART = 2,       /* sweeps from one to the next */
    LEAST_CHAINS = 64
};

/* Laplace's Gaussian counts as this many observations, times p. */
static const double prior_per_unit = 4;

void isg_witnesses_release(isg_witnesses *witnesses) {
    isg_release(witnesses->points);
    isg_release(witnesses->log_weights);
}

/* h = W^T s of chain k. */
static void hidden_sum(const isg_states *states, const isg_gibbs_weights *w, size_t k, double *h) {
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        h[mu] = (double)states->input[k * w->stride + mu] * (double)w->unit;
}

static isg_stream stream_of(uint64_t seed, uint64_t step, size_t k) {
    return isg_stream_at(seed, ISG_PURPOSE_MIXTURE, step, (uint32_t)k);
}

/* Moments of `count` Gaussians, in one piece of memory that starts at all[0].sum. */
static isg_status moments_create(isg_moments **all, size_t count, size_t p) {
    double *room = NULL;
    ISG_TRY(ISG_ALLOCATE(*all, count));
    ISG_TRY(ISG_ALLOCATE_MATRIX(room, count * (p + 1), p));
    for (size_t m = 0; m < count; m++)
        (*all)[m] = (isg_moments){0, room + m * (p + 1) * p, room + m * (p + 1) * p + p};
    return ISG_OK;
}

static void moments_release(isg_moments *all) {
    if (all)
        isg_release(all[0].sum);
    isg_release(all);
}

/* Whether to go on. */
static isg_status ask(const isg_progress *progress) {
    return !progress || progress->report(progress->user, 0)
               ? ISG_OK
               : isg_fail(ISG_ERR_CANCELLED, "fitting a mixture of Gaussians was cancelled");
}

/* ---- annealed -------------------------------------------------------------------------------- */

static isg_status cool(isg_states *states, const isg_gibbs_weights *w, double beta,
                       isg_sweeps *sweeps, double *log_weights, const isg_progress *progress) {
    sweeps->count = PER_STEP;
    for (size_t t = 0; t < STEPS; t++, sweeps->step += PER_STEP) {
        ISG_TRY(ask(progress));
        const double before = beta * (double)t / STEPS, after = beta * (double)(t + 1) / STEPS;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
        for (size_t k = 0; k < states->count; k++)
            log_weights[k] += (before - after) * isg_states_energy(states, w, k);
        sweeps->beta = after;
        isg_states_sweep(states, w, sweeps);
    }
    return ISG_OK;
}

static isg_status look(isg_states *states, const isg_gibbs_weights *w, isg_sweeps *sweeps,
                       bool is_even, isg_gaussian *everywhere, const isg_progress *progress) {
    const size_t p = w->n_hidden;
    isg_status status = ISG_OK;
    isg_moments *moments = NULL;
    double *h = NULL;
    ISG_TRY_GOTO(moments_create(&moments, 1, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(h, p));
    sweeps->count = APART;
    for (size_t t = 0; t < LOOKING; t++, sweeps->step += APART) {
        ISG_TRY_GOTO(ask(progress));
        isg_states_sweep(states, w, sweeps);
        for (size_t k = 0; k < states->count; k++) {
            hidden_sum(states, w, k, h);
            isg_moments_add(moments, p, h);
        }
    }
    ISG_TRY_GOTO(isg_gaussian_fit(everywhere, moments, sweeps->beta, 0, is_even));
done:
    moments_release(moments);
    isg_release(h);
    return status;
}

static void scatter(isg_states *states, const isg_gibbs_weights *w, uint64_t seed, uint64_t step) {
    for (size_t k = 0; k < states->count; k++) {
        isg_cursor random = isg_cursor_at(stream_of(seed, step, k));
        for (size_t i = 0; i < w->n_visible; i++)
            isg_bit_assign(states->spins + k * w->words, i, isg_next_word(&random) >> 31);
    }
    isg_states_set_input(states, w);
}

isg_status isg_witnesses_anneal(isg_witnesses *out, const isg_modes *modes,
                                const isg_gibbs_weights *w, size_t count, uint64_t seed,
                                uint64_t stage, isg_gaussian *everywhere,
                                const isg_progress *progress) {
    const size_t p = w->n_hidden;
    const double beta = modes->model->beta;
    isg_status status = ISG_OK;
    isg_states states = {0};
    *out = (isg_witnesses){.count = count};
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(out->points, count, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(out->log_weights, count));
    ISG_TRY_GOTO(isg_states_create(&states, w, count));
    isg_sweeps sweeps = {
        .gain = 1, .seed = seed, .purpose = ISG_PURPOSE_MIXTURE, .step = stage * ISG_STAGE};
    scatter(&states, w, seed, sweeps.step++);
    ISG_TRY_GOTO(cool(&states, w, beta, &sweeps, out->log_weights, progress));
    if (everywhere)
        ISG_TRY_GOTO(look(&states, w, &sweeps, modes->is_even, everywhere, progress));
    for (size_t k = 0; k < count; k++) {
        isg_cursor random = isg_cursor_at(stream_of(seed, sweeps.step, k));
        hidden_sum(&states, w, k, out->points + k * p);
        for (size_t mu = 0; mu < p; mu++)
            out->points[k * p + mu] += isg_next_normal(&random) / sqrt(beta);
        out->log_weights[k] += (double)w->n_visible * ISG_LN_2;
    }
done:
    isg_states_release(&states);
    return status;
}

/* ---- from the minima ------------------------------------------------------------------------- */

/* Chains share_of(m) to share_of(m + 1) start from mode number from + m. */
typedef struct fit_plan {
    size_t from, count, chains;
    double *reach2; /* (count): squared radius within which no other center can be nearer */
} fit_plan;

static size_t share_of(const fit_plan *plan, size_t m) {
    return plan->chains * m / plan->count;
}

static isg_status start_from_modes(isg_states *states, const isg_gibbs_weights *w,
                                   const isg_modes *modes, const fit_plan *plan, uint64_t seed,
                                   uint64_t step) {
    const isg_spin_model *model = modes->model;
    double *x = NULL;
    ISG_TRY(ISG_ALLOCATE(x, model->n));
    for (size_t m = 0; m < plan->count; m++) {
        const double *center = modes->list[plan->from + m].center;
        for (size_t i = 0; i < model->n; i++) {
            x[i] = model->field[i];
            for (size_t mu = 0; mu < model->p; mu++)
                x[i] += model->weights[i * model->p + mu] * center[mu];
        }
        for (size_t k = share_of(plan, m); k < share_of(plan, m + 1); k++) {
            isg_cursor random = isg_cursor_at(stream_of(seed, step, k));
            isg_sample_spins(&random, model->n, model->beta, x, states->spins + k * w->words);
        }
    }
    isg_release(x);
    isg_states_set_input(states, w);
    return ISG_OK;
}

static double distance2(const double *a, const double *b, double sign, size_t p) {
    double sum = 0;
    for (size_t mu = 0; mu < p; mu++)
        sum += (a[mu] - sign * b[mu]) * (a[mu] - sign * b[mu]);
    return sum;
}

/* Half the distance to the nearest other center, mirror images included. */
static void find_reaches(const isg_modes *modes, fit_plan *plan) {
    const size_t p = modes->model->p;
    for (size_t m = 0; m < plan->count; m++) {
        const double *own = modes->list[plan->from + m].center;
        double least = HUGE_VAL;
        for (size_t k = 0; k < modes->count; k++) {
            const isg_mode *other = &modes->list[k];
            if (k != plan->from + m)
                least = fmin(least, distance2(own, other->center, 1, p));
            if (other->gaussian.has_mirror)
                least = fmin(least, distance2(own, other->center, -1, p));
        }
        plan->reach2[m] = least / 4;
    }
}

/* Whether mode m, or its mirror image, is the nearest to h, which is then reflected to the mode. */
static bool is_near(const isg_modes *modes, const fit_plan *plan, size_t m, double *h) {
    const size_t p = modes->model->p;
    double sign = 1;
    if (distance2(h, modes->list[plan->from + m].center, 1, p) < plan->reach2[m])
        return true;
    if (isg_modes_nearest(modes, h, &sign) != plan->from + m)
        return false;
    for (size_t mu = 0; mu < p; mu++)
        h[mu] *= sign;
    return true;
}

/* Adds the h of the chains that are still nearest to the mode they started from. */
static void watch(const isg_states *states, const isg_gibbs_weights *w, const isg_modes *modes,
                  const fit_plan *plan, isg_moments *moments, double *scratch) {
    const size_t p = w->n_hidden;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t m = 0; m < plan->count; m++) {
        double *h = scratch + m * p;
        for (size_t k = share_of(plan, m); k < share_of(plan, m + 1); k++) {
            hidden_sum(states, w, k, h);
            if (is_near(modes, plan, m, h))
                isg_moments_add(&moments[m], p, h);
        }
    }
}

static isg_status use_moments(isg_modes *modes, const fit_plan *plan, const isg_moments *moments) {
    for (size_t m = 0; m < plan->count; m++) {
        isg_mode *mode = &modes->list[plan->from + m];
        const bool is_centered = modes->is_even && !mode->gaussian.has_mirror;
        ISG_TRY(isg_gaussian_fit(&mode->gaussian, &moments[m], modes->model->beta,
                                 prior_per_unit * (double)modes->model->p, is_centered));
        mode->is_fitted = true;
    }
    return ISG_OK;
}

/* A covariance from n independent observations costs about p^2 / 4 n of the logarithm of a weight.
   With some of a chain's observations independent, p^2 / 16 chains make that a small fraction of
   1. */
static fit_plan plan_fit(const isg_modes *modes, size_t most) {
    const double p = (double)modes->model->p, per_mode = p * p / 16 + 16;
    fit_plan plan = {0};
    while (plan.from < modes->count && modes->list[plan.from].is_fitted)
        plan.from++;
    plan.count = modes->count - plan.from;
    plan.chains = (size_t)fmin((double)plan.count * per_mode, (double)most);
    if (plan.chains < LEAST_CHAINS)
        plan.chains = LEAST_CHAINS;
    if (plan.chains < plan.count)
        plan.chains = plan.count;
    return plan;
}

isg_status isg_modes_fit(isg_modes *modes, const isg_gibbs_weights *w, size_t most, uint64_t seed,
                         uint64_t stage, const isg_progress *progress) {
    fit_plan plan = plan_fit(modes, most);
    isg_status status = ISG_OK;
    isg_states states = {0};
    isg_moments *moments = NULL;
    double *scratch = NULL;
    if (plan.count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(isg_states_create(&states, w, plan.chains));
    ISG_TRY_GOTO(moments_create(&moments, plan.count, w->n_hidden));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(scratch, plan.count, w->n_hidden));
    ISG_TRY_GOTO(ISG_ALLOCATE(plan.reach2, plan.count));
    find_reaches(modes, &plan);
    isg_sweeps sweeps = {.beta = modes->model->beta,
                         .gain = 1,
                         .seed = seed,
                         .purpose = ISG_PURPOSE_MIXTURE,
                         .step = stage * ISG_STAGE + 1,
                         .count = WARMING_UP};
    ISG_TRY_GOTO(start_from_modes(&states, w, modes, &plan, seed, stage * ISG_STAGE));
    isg_states_sweep(&states, w, &sweeps);
    sweeps.step += WARMING_UP;
    sweeps.count = APART;
    for (size_t t = 0; t < FITTING; t++, sweeps.step += APART) {
        ISG_TRY_GOTO(ask(progress));
        isg_states_sweep(&states, w, &sweeps);
        watch(&states, w, modes, &plan, moments, scratch);
    }
    ISG_TRY_GOTO(use_moments(modes, &plan, moments));
done:
    isg_states_release(&states);
    moments_release(moments);
    isg_release(scratch);
    isg_release(plan.reach2);
    return status;
}
