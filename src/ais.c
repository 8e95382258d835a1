/* ais.c - annealed importance sampling of ln Z
 *
 * SPDX-License-Identifier: MIT
 *
 * At alpha the RBM has weights alpha W and fields alpha b and alpha c, so that with h = W^T s
 *
 *     H_alpha(s)         = -alpha b.s - alpha^2 (|h + c|^2 - |c|^2) / 2
 *     H_alpha(s, lambda) = |lambda - alpha c|^2 / 2 - alpha (b.s + h.lambda)
 *
 * and Z at alpha = 0 is 2^N. A chain that is distributed at alpha_{k-1} is weighed,
 * ln w += beta (H_{k-1} - H_k), and only then moved, by a sweep that leaves p_k as it is. The mean of
 * w is Z / 2^N for any schedule, even of one step (Neal, 2001). The way back starts from states of
 * the model: moved at alpha_k, then weighed; there the mean of 1 / w is 2^N / Z.
 */
#include "ais.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/special.h"
#include "gibbs_weights.h"

isg_ais_options isg_ais_defaults(void) {
    return (isg_ais_options){.chains = 500,
                             .steps = 1000,
                             .repeats = 1,
                             .weights = ISG_AIS_SPIN,
                             .move = ISG_AIS_GIBBS,
                             .hmc_step = 0.2,
                             .hmc_leapfrogs = 2,
                             .seed = 1};
}

bool isg_team_advance(isg_team_progress *team, size_t count) {
    const size_t done = atomic_fetch_add(&team->done, count) + count;
    if (team->progress && omp_get_thread_num() == 0 &&
        !team->progress->report(team->progress->user, fmin(1, (double)done / team->total)))
        atomic_store(&team->is_cancelled, true);
    return !atomic_load(&team->is_cancelled);
}

/* ---- a few chains ----------------------------------------------------------------------------- */

/* What the threads read while they anneal. */
typedef struct annealing {
    const isg_gibbs_weights *w;
    const isg_kernels *kernels;
    const double *alphas;
    double beta, hidden_field_square; /* |c|^2 */
    bool has_field;                   /* b is not zero */
    isg_ais_weights weights;
    uint64_t seed;
    isg_purpose purpose;
} annealing;

/* Room for the chains that one thread has in hand. */
typedef struct group {
    size_t first, count; /* chains */
    uint64_t *spins;     /* (ISG_GIBBS_CHAINS, words) */
    int32_t *input;      /* (ISG_GIBBS_CHAINS, stride) */
    float *lambda;       /* the same */
    void *scratch;
} group;

static isg_status group_create(group *g, const isg_gibbs_weights *w) {
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->spins, ISG_GIBBS_CHAINS, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->input, ISG_GIBBS_CHAINS, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(g->lambda, ISG_GIBBS_CHAINS, w->stride));
    return (g->scratch = isg_allocate(1, isg_gibbs_scratch_bytes(w))) ? ISG_OK : ISG_ERR_MEMORY;
}

static void group_release(group *g) {
    isg_release(g->spins);
    isg_release(g->input);
    isg_release(g->lambda);
    isg_release(g->scratch);
}

/* Free spins, and free hidden units of variance 1 / beta: alpha = 0. */
static void start_free(const annealing *a, group *g) {
    const isg_gibbs_weights *w = a->w;
    const double deviation = 1 / sqrt(a->beta);
    for (size_t k = 0; k < g->count; k++) {
        isg_cursor random =
            isg_cursor_at(isg_stream_at(a->seed, a->purpose, 0, (uint32_t)(g->first + k)));
        uint64_t *spins = g->spins + k * w->words;
        for (size_t word = 0; word < w->words; word++)
            spins[word] = isg_next_word64(&random);
        if (w->n_visible % 64 != 0)
            spins[w->words - 1] &= (UINT64_C(1) << w->n_visible % 64) - 1;
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            g->lambda[k * w->stride + mu] = (float)(deviation * isg_next_normal(&random));
    }
    a->kernels->hidden_input(w, g->count, g->spins, g->input);
}

static double field_energy(const annealing *a, const group *g, size_t k) {
    double sum = 0;
    if (a->has_field)
        for (size_t i = 0; i < a->w->n_visible; i++)
            sum += isg_spin(g->spins + k * a->w->words, i) * (double)a->w->field[i];
    return sum;
}

/* beta (H_from - H_to) is beta ((to - from) linear + (to^2 - from^2) square). */
typedef struct slope {
    double linear, square;
} slope;

static slope slope_of(const annealing *a, const group *g, size_t k) {
    const isg_gibbs_weights *w = a->w;
    const int32_t *input = g->input + k * w->stride;
    const float *lambda = g->lambda + k * w->stride;
    slope out = {.linear = field_energy(a, g, k)};
    if (a->weights == ISG_AIS_JOINT) {
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            out.linear += isg_gibbs_hidden_mean(w, input, mu) * (double)lambda[mu];
        out.square = -a->hidden_field_square / 2;
    } else {
        double sum = 0;
        for (size_t mu = 0; mu < w->n_hidden; mu++) {
            const double mean = isg_gibbs_hidden_mean(w, input, mu);
            sum += mean * mean;
        }
        out.square = (sum - a->hidden_field_square) / 2;
    }
    return out;
}

static double log_weight(const annealing *a, slope s, double from, double to) {
    return a->beta * ((to - from) * s.linear + (to * to - from * from) * s.square);
}

static void weigh(const annealing *a, const group *g, size_t step, double *log_weights) {
    for (size_t k = 0; k < g->count; k++)
        log_weights[g->first + k] +=
            log_weight(a, slope_of(a, g, k), a->alphas[step - 1], a->alphas[step]);
}

/* One sweep at alpha; `step` numbers the random numbers. */
static void move(const annealing *a, group *g, double alpha, uint64_t step) {
    const isg_stream stream = isg_stream_at(a->seed, a->purpose, step, (uint32_t)g->first);
    isg_gibbs_step sweep = {.beta = a->beta, .gain = alpha};
    memcpy(sweep.key, stream.key, sizeof sweep.key);
    memcpy(sweep.counter, stream.counter, sizeof sweep.counter);
    a->kernels->gibbs_sweep(a->w, &sweep, g->count, g->spins, g->input, g->lambda, g->scratch);
}

/* ---- all chains by all threads ---------------------------------------------------------------- */

static void anneal_group(const annealing *a, group *g, size_t steps, const uint64_t *start,
                         double *log_weights, isg_team_progress *team) {
    const bool is_reverse = start != NULL;
    if (is_reverse) {
        memcpy(g->spins, start + g->first * a->w->words, g->count * a->w->words * sizeof *g->spins);
        a->kernels->hidden_input(a->w, g->count, g->spins, g->input);
    } else {
        start_free(a, g);
    }
    for (size_t k = 1; k <= steps; k++) {
        if (is_reverse) {
            move(a, g, a->alphas[steps + 1 - k], k);
            weigh(a, g, steps + 1 - k, log_weights);
        } else {
            weigh(a, g, k, log_weights);
            move(a, g, a->alphas[k], k);
        }
        if (k % 64 == 0 && !isg_team_advance(team, 64 * g->count))
            return;
    }
}

static isg_status anneal(const annealing *a, const isg_anneal *job, const uint64_t *start) {
    const size_t steps = job->options->steps;
    const size_t groups = (job->chains + ISG_GIBBS_CHAINS - 1) / ISG_GIBBS_CHAINS;
    size_t threads = (size_t)isg_team_size();
    if (threads > groups)
        threads = groups;
    isg_status status = ISG_OK;
    group *rooms = NULL;
    isg_team_progress team = {.progress = job->options->progress,
                              .total = (double)job->chains * (double)steps};
    ISG_TRY_GOTO(ISG_ALLOCATE(rooms, threads));
    for (size_t t = 0; t < threads; t++)
        ISG_TRY_GOTO(group_create(&rooms[t], a->w));
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (size_t n = 0; n < groups; n++) {
        group *g = &rooms[omp_get_thread_num()];
        g->first = n * ISG_GIBBS_CHAINS;
        g->count =
            job->chains - g->first < ISG_GIBBS_CHAINS ? job->chains - g->first : ISG_GIBBS_CHAINS;
        if (!atomic_load(&team.is_cancelled))
            anneal_group(a, g, steps, start, job->log_weights, &team);
    }
    if (atomic_load(&team.is_cancelled))
        status = isg_fail(ISG_ERR_CANCELLED, "annealing was cancelled");
done:
    for (size_t t = 0; rooms && t < threads; t++)
        group_release(&rooms[t]);
    isg_release(rooms);
    return status;
}

static isg_status annealing_start(annealing *a, isg_gibbs_weights *w, const isg_rbm *rbm,
                                  const isg_ais_options *options) {
    ISG_TRY(isg_gibbs_weights_set(w, rbm->weights, rbm->b, rbm->c));
    *a = (annealing){.w = w,
                     .kernels = isg_kernels_get(),
                     .beta = rbm->info.beta,
                     .weights = options->weights,
                     .has_field = w->field_size > 0,
                     .seed = options->seed};
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        a->hidden_field_square += (double)w->hidden_field[mu] * (double)w->hidden_field[mu];
    return ISG_OK;
}

/* Spin and joint weights, by the Gibbs kernels. */
static isg_status anneal_spins(const isg_anneal *job, const uint64_t *start) {
    const isg_rbm_info info = job->rbm->info;
    isg_gibbs_weights w;
    annealing a;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_gibbs_weights_create(&w, info.n_visible, info.n_hidden));
    ISG_TRY_GOTO(annealing_start(&a, &w, job->rbm, job->options));
    a.alphas = job->alphas;
    a.purpose = start ? ISG_PURPOSE_AIS_REVERSE : ISG_PURPOSE_AIS;
    ISG_TRY_GOTO(anneal(&a, job, start));
done:
    isg_gibbs_weights_release(&w);
    return status;
}

/* ---- what the weights say --------------------------------------------------------------------- */

/* ln of the mean weight with its standard error and the effective number of weights. */
typedef struct average {
    double value, error, ess;
} average;

static isg_status average_of(average *out, const double *log_weights, size_t n, double sign) {
    double *x = NULL;
    ISG_TRY(ISG_ALLOCATE(x, n));
    for (size_t k = 0; k < n; k++)
        x[k] = sign * log_weights[k];
    const double log_sum = isg_log_sum_exp(x, n);
    for (size_t k = 0; k < n; k++)
        x[k] *= 2;
    out->ess = exp(2 * log_sum - isg_log_sum_exp(x, n));
    out->value = log_sum - log((double)n);
    /* The relative variance of a mean of n weights, in terms of (sum w)^2 / sum w^2. */
    out->error = n > 1 ? sqrt(fmax((double)n / out->ess - 1, 0) / (double)(n - 1)) : (double)NAN;
    isg_release(x);
    return ISG_OK;
}

/* The standard deviation of the estimates of the repeats, each from its own chains. */
static isg_status spread_of(double *out, const double *log_weights, size_t repeats, size_t chains,
                            double sign) {
    double mean = 0, square = 0;
    for (size_t r = 0; r < repeats; r++) {
        average one;
        ISG_TRY(average_of(&one, log_weights + r * chains, chains, sign));
        const double change = one.value - mean;
        mean += change / (double)(r + 1);
        square += change * (one.value - mean);
    }
    *out = repeats > 1 ? sqrt(square / (double)(repeats - 1)) : (double)NAN;
    return ISG_OK;
}

static isg_status conclude(isg_log_z *out, const isg_anneal *job, double sign) {
    const size_t repeats = job->options->repeats, chains = job->options->chains;
    average all;
    double spread = 0;
    ISG_TRY(average_of(&all, job->log_weights, job->chains, sign));
    ISG_TRY(spread_of(&spread, job->log_weights, repeats, chains, sign));
    if (!isfinite(all.value))
        return isg_fail(ISG_ERR_DIVERGED, "the weights of annealing left the finite numbers");
    const double ln_2 = 0x1.62e42fefa39efp-1;
    isg_log_z found = {.value = (double)job->rbm->info.n_visible * ln_2 + sign * all.value,
                       .error = all.error,
                       .method = ISG_LOG_Z_AIS,
                       .side = sign > 0 ? ISG_SIDE_LOWER : ISG_SIDE_UPPER,
                       .ess = all.ess,
                       .samples = job->chains,
                       .spread = spread,
                       .laplace = (double)NAN};
    if (repeats > 1 && spread / sqrt((double)repeats) > found.error)
        found.error = spread / sqrt((double)repeats);
    const double share = all.ess / (double)job->chains;
    found.is_trusted = share >= 0.1 && all.ess >= 25;
    if (!found.is_trusted)
        snprintf(
            found.reason, sizeof found.reason,
            "only %.3g of %zu chains count, so that rare chains may be missing; more steps help",
            all.ess, job->chains);
    *out = found;
    return ISG_OK;
}

/* ---- from options to estimates ---------------------------------------------------------------- */

static isg_status check_schedule(const double *alphas, size_t steps) {
    for (size_t k = 0; k <= steps; k++) {
        const bool is_right = k == 0 ? alphas[0] == 0 : alphas[k] > alphas[k - 1];
        if (!is_right || !(alphas[k] <= 1) || (k == steps && alphas[k] != 1))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "schedule: expected numbers rising from 0 to 1, found %g as number %zu",
                            alphas[k], k);
    }
    return ISG_OK;
}

static isg_status check_options(const isg_ais_options *options) {
    size_t chains = 0;
    if (options->chains == 0 || options->steps == 0 || options->repeats == 0)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "expected at least one chain, step and repeat, found %zu, %zu and %zu",
                        options->chains, options->steps, options->repeats);
    if (!isg_multiply(&chains, options->chains, options->repeats) || chains > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "chains: expected at most 2^32 - 1 over all repeats");
    if (options->move == ISG_AIS_HMC && options->weights != ISG_AIS_LAMBDA)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "Hamiltonian trajectories move lambda alone and need lambda weights");
    if (options->move == ISG_AIS_HMC &&
        (!(options->hmc_step > 0 && isfinite(options->hmc_step)) || options->hmc_leapfrogs == 0))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a trajectory needs a positive step and at least one leapfrog");
    return ISG_OK;
}

static isg_status run(const isg_rbm *rbm, const uint64_t *start, const isg_ais_options *options,
                      isg_log_z *out, double *log_weights) {
    isg_status status = ISG_OK;
    double *own_weights = NULL, *even = NULL;
    ISG_TRY(check_options(options));
    isg_anneal job = {.rbm = rbm,
                      .options = options,
                      .alphas = options->schedule,
                      .chains = options->chains * options->repeats};
    if (job.alphas) {
        ISG_TRY(check_schedule(job.alphas, options->steps));
    } else {
        ISG_TRY_GOTO(ISG_ALLOCATE(even, options->steps + 1));
        for (size_t k = 0; k <= options->steps; k++)
            even[k] = (double)k / (double)options->steps;
        job.alphas = even;
    }
    ISG_TRY_GOTO(ISG_ALLOCATE(own_weights, job.chains));
    job.log_weights = own_weights;
    ISG_TRY_GOTO(options->weights == ISG_AIS_LAMBDA ? isg_anneal_lambda(&job)
                                                    : anneal_spins(&job, start));
    ISG_TRY_GOTO(conclude(out, &job, start ? -1 : 1));
    if (log_weights)
        memcpy(log_weights, own_weights, job.chains * sizeof *log_weights);
done:
    isg_release(own_weights);
    isg_release(even);
    return status;
}

isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                         double *log_weights) {
    return run(rbm, NULL, options, out, log_weights);
}

isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                           const isg_ais_options *options, isg_log_z *out, double *log_weights) {
    if (options->weights != ISG_AIS_SPIN || options->move != ISG_AIS_GIBBS)
        return isg_fail(ISG_ERR_ARGUMENT, "the way back has spin weights and Gibbs sweeps only");
    return run(rbm, spins, options, out, log_weights);
}

/* ---- schedules -------------------------------------------------------------------------------- */

enum { MOST_STEPS = 1000000 };

/* Chains of equal weight go from one alpha to another: what share of them is left, effectively. */
static double share_left(const annealing *a, const slope *slopes, size_t chains, double from,
                         double to) {
    double largest = -HUGE_VAL, sum = 0, squares = 0;
    for (size_t k = 0; k < chains; k++)
        largest = fmax(largest, log_weight(a, slopes[k], from, to));
    for (size_t k = 0; k < chains; k++) {
        const double weight = exp(log_weight(a, slopes[k], from, to) - largest);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / ((double)chains * squares);
}

static double next_alpha(const annealing *a, const slope *slopes, size_t chains, double from,
                         double target) {
    if (share_left(a, slopes, chains, from, 1) >= target)
        return 1;
    double low = from, high = 1;
    for (int k = 0; k < 40; k++) {
        const double middle = low + (high - low) / 2;
        if (share_left(a, slopes, chains, from, middle) >= target)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* All chains of the pilot, moved together since all of them choose the next alpha. */
static isg_status run_pilot(const annealing *a, group *rooms, size_t groups, size_t chains,
                            double target, const isg_progress *progress, double **schedule,
                            size_t *steps) {
    isg_status status = ISG_OK;
    slope *slopes = NULL;
    double *alphas = NULL;
    size_t capacity = 0, count = 1;
    ISG_TRY_GOTO(ISG_ALLOCATE(slopes, chains));
    ISG_TRY_GOTO(isg_grow((void **)&alphas, &capacity, 64, sizeof *alphas));
    alphas[0] = 0;
    for (double alpha = 0; alpha < 1; count++) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
        for (size_t n = 0; n < groups; n++) {
            if (alpha > 0)
                move(a, &rooms[n], alpha, count);
            for (size_t k = 0; k < rooms[n].count; k++)
                slopes[rooms[n].first + k] = slope_of(a, &rooms[n], k);
        }
        const double next = next_alpha(a, slopes, chains, alpha, target);
        if (!(next > alpha) || count > MOST_STEPS) {
            status = isg_fail(ISG_ERR_UNSUPPORTED,
                              "a schedule that keeps %g of the chains needs more than %d steps",
                              target, MOST_STEPS);
            goto done;
        }
        alpha = next;
        ISG_TRY_GOTO(isg_grow((void **)&alphas, &capacity, count + 1, sizeof *alphas));
        alphas[count] = alpha;
        if (progress && !progress->report(progress->user, alpha)) {
            status = isg_fail(ISG_ERR_CANCELLED, "annealing was cancelled");
            goto done;
        }
    }
    *schedule = alphas;
    *steps = count - 1;
    alphas = NULL;
done:
    isg_release(slopes);
    isg_release(alphas);
    return status;
}

isg_status isg_ais_schedule(const isg_rbm *rbm, const isg_ais_options *options, double target,
                            double **schedule, size_t *steps) {
    if (!(target > 0 && target < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "target: expected a share between 0 and 1, found %g",
                        target);
    ISG_TRY(check_options(options));
    const size_t groups = (options->chains + ISG_GIBBS_CHAINS - 1) / ISG_GIBBS_CHAINS;
    isg_status status = ISG_OK;
    isg_gibbs_weights w;
    annealing a;
    group *rooms = NULL;
    ISG_TRY_GOTO(isg_gibbs_weights_create(&w, rbm->info.n_visible, rbm->info.n_hidden));
    ISG_TRY_GOTO(annealing_start(&a, &w, rbm, options));
    a.weights = ISG_AIS_SPIN;
    a.purpose = ISG_PURPOSE_AIS_PILOT;
    ISG_TRY_GOTO(ISG_ALLOCATE(rooms, groups));
    for (size_t n = 0; n < groups; n++) {
        ISG_TRY_GOTO(group_create(&rooms[n], &w));
        rooms[n].first = n * ISG_GIBBS_CHAINS;
        rooms[n].count = options->chains - rooms[n].first < ISG_GIBBS_CHAINS
                             ? options->chains - rooms[n].first
                             : ISG_GIBBS_CHAINS;
        start_free(&a, &rooms[n]);
    }
    ISG_TRY_GOTO(
        run_pilot(&a, rooms, groups, options->chains, target, options->progress, schedule, steps));
done:
    for (size_t n = 0; rooms && n < groups; n++)
        group_release(&rooms[n]);
    isg_release(rooms);
    isg_gibbs_weights_release(&w);
    return status;
}

void isg_schedule_free(double *schedule) {
    isg_release(schedule);
}
