/* ais.c - annealed importance sampling of ln Z
 *
 * SPDX-License-Identifier: MIT
 *
 * anneal.c moves the chains; here their weights become an estimate with an error, which claims no
 * more than the weights show: the logarithm of an average is too low on average, more so for a
 * smaller effective sample size, and the error cannot account for chains that were never seen.
 */
#include "log_z/ais.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"
#include "log_z/exact.h"

static const isg_ais_options defaults = {.chains = 500,
                                         .steps = 1000,
                                         .repeats = 1,
                                         .weights = ISG_AIS_SPIN,
                                         .move = ISG_AIS_GIBBS,
                                         .hmc_step = 0.2,
                                         .hmc_leapfrogs = 2,
                                         .seed = 1};

isg_ais_options isg_ais_defaults(void) {
    return defaults;
}

/* ---- from weights to an estimate ------------------------------------------------------------- */

/* ln of the mean weight with its standard error and the effective sample size. */
typedef struct average {
    double value, error, ess;
    double deviation; /* standard deviation of the logarithms */
} average;

static isg_status average_of(average *out, const double *log_weights, size_t n, double sign) {
    double *x = NULL;
    ISG_TRY(ISG_ALLOCATE(x, n));
    double mean = 0, square = 0;
    for (size_t k = 0; k < n; k++) {
        x[k] = sign * log_weights[k];
        mean += x[k] / (double)n;
    }
    for (size_t k = 0; k < n; k++)
        square += (x[k] - mean) * (x[k] - mean);
    out->deviation = n > 1 ? sqrt(square / (double)(n - 1)) : (double)NAN;
    const double log_sum = isg_log_sum_exp(x, n);
    for (size_t k = 0; k < n; k++)
        x[k] *= 2;
    out->ess = isg_exp(2 * log_sum - isg_log_sum_exp(x, n));
    out->value = log_sum - isg_log((double)n);
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

/* ln Z from log_weights (repeats, chains); sign is 1, or -1 for the way back. */
static isg_status conclude(isg_log_z *out, const isg_ais_options *options, size_t n_visible,
                           const double *log_weights, double sign) {
    const size_t repeats = options->repeats, chains = options->chains, all = repeats * chains;
    average mean;
    double spread = 0;
    ISG_TRY(average_of(&mean, log_weights, all, sign));
    ISG_TRY(spread_of(&spread, log_weights, repeats, chains, sign));
    if (!isfinite(mean.value))
        return isg_fail(ISG_ERR_DIVERGED, "the weights of annealing are not finite");
    isg_log_z found = {.value = (double)n_visible * ISG_LN_2 + sign * mean.value,
                       .error = mean.error,
                       .method = ISG_LOG_Z_AIS,
                       .side = sign > 0 ? ISG_SIDE_LOWER : ISG_SIDE_UPPER,
                       .ess = mean.ess,
                       .samples = all,
                       .spread = spread,
                       .laplace = (double)NAN,
                       .shares = {(double)NAN, (double)NAN},
                       .family = (double)NAN,
                       .bound = -HUGE_VAL};
    if (repeats > 1 && spread / sqrt((double)repeats) > found.error)
        found.error = spread / sqrt((double)repeats);
    found.is_trusted = mean.ess >= 0.1 * (double)all && mean.ess >= 25;
    /* If a few weights make up the sum, their variance is no guide: it never exceeds 1. The scatter
       of the logarithms is a guide. */
    found.error =
        found.is_trusted ? found.error : fmax(found.error, mean.deviation / sqrt(mean.ess));
    if (!found.is_trusted)
        snprintf(found.reason, sizeof found.reason,
                 "the effective sample size is only %.3g of %zu chains, so rare ones may be "
                 "missing; more steps help%s",
                 mean.ess, all, isnan(found.error) ? "; a single chain has no error estimate" : "");
    *out = found;
    return ISG_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

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

/* ISG_ERR_ARGUMENT if the options make no sense. */
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
                        "Hamiltonian trajectories move only lambda and need lambda weights");
    if (options->move == ISG_AIS_HMC &&
        (!(options->hmc_step > 0 && isfinite(options->hmc_step)) || options->hmc_leapfrogs == 0))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a trajectory needs a positive step and at least one leapfrog");
    if (!(options->adaptive >= 0 && options->adaptive < 1) ||
        (options->adaptive > 0 && options->schedule))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "adaptive: expected a share from 0 to below 1 and no schedule, found %g",
                        options->adaptive);
    return ISG_OK;
}

/* ---- adaptive schedules ---------------------------------------------------------------------- */

/* Every step keeps the same share (sum w)^2 / (n sum w^2) of the effective sample size. It falls
   from 1 as the step gets longer; bisection finds where it reaches the target. */

enum { MOST_STEPS = 1000000, PILOT_CHAINS = 2000 };

/* The share that chains of equal weight keep on a step from one alpha to another. */
static double share_left(const isg_anneal *a, const isg_slope *slopes, size_t chains, double from,
                         double to) {
    double largest = -HUGE_VAL, sum = 0, squares = 0;
    for (size_t k = 0; k < chains; k++)
        largest = fmax(largest, isg_anneal_log_weight(a, slopes[k], from, to));
    for (size_t k = 0; k < chains; k++) {
        const double weight = isg_exp(isg_anneal_log_weight(a, slopes[k], from, to) - largest);
        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / ((double)chains * squares);
}

static double next_alpha(const isg_anneal *a, const isg_slope *slopes, size_t chains, double from,
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

/* All chains of the pilot move together, since all of them choose the next alpha. */
static isg_status run_pilot(const isg_anneal *a, isg_anneal_group *rooms, size_t groups,
                            size_t chains, double target, const isg_progress *progress,
                            double **schedule, size_t *steps) {
    isg_status status = ISG_OK;
    isg_slope *slopes = NULL;
    double *alphas = NULL;
    size_t capacity = 0, count = 1;
    const isg_rows own = isg_rank_rows(groups, 1);
    ISG_TRY_GOTO(ISG_ALLOCATE(slopes, chains));
    ISG_TRY_GOTO(isg_grow((void **)&alphas, &capacity, 64, sizeof *alphas));
    alphas[0] = 0;
    for (double alpha = 0; alpha < 1; count++) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
        for (size_t n = own.begin; n < own.end; n++) {
            if (alpha > 0)
                isg_anneal_move(a, &rooms[n], alpha, count);
            for (size_t k = 0; k < rooms[n].count; k++)
                slopes[rooms[n].first + k] = isg_anneal_slope(a, &rooms[n], k);
        }
        isg_gather_rows(slopes, sizeof *slopes, chains, ISG_GIBBS_CHAINS);
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
                            double **schedule, size_t *steps, const isg_progress *progress) {
    options = options ? options : &defaults;
    if (!(target > 0 && target < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "target: expected a share between 0 and 1, found %g",
                        target);
    ISG_TRY(check_options(options));
    const size_t groups = isg_anneal_groups(options->chains);
    isg_status status = ISG_OK;
    isg_anneal a;
    isg_anneal_group *rooms = NULL;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed, ISG_PURPOSE_AIS_PILOT));
    ISG_TRY_GOTO(ISG_ALLOCATE(rooms, groups));
    for (size_t n = 0; n < groups; n++) {
        ISG_TRY_GOTO(isg_anneal_group_create(&rooms[n], &a.w));
        isg_anneal_group_take(&rooms[n], n, options->chains);
        isg_anneal_start(&a, &rooms[n]);
    }
    ISG_TRY_GOTO(run_pilot(&a, rooms, groups, options->chains, target, progress, schedule, steps));
done:
    for (size_t n = 0; rooms && n < groups; n++)
        isg_anneal_group_release(&rooms[n]);
    isg_release(rooms);
    isg_anneal_release(&a);
    return status;
}

/* ---- one beta -------------------------------------------------------------------------------- */

/* The alphas and their number, by the options. If they had to be allocated, they are in `own`,
   which the caller releases. */
static isg_status find_alphas(const isg_rbm *rbm, isg_ais_options *options, double **own,
                              const isg_progress *progress) {
    if (options->schedule)
        return check_schedule(options->schedule, options->steps);
    if (options->adaptive > 0) {
        isg_ais_options pilot = *options;
        pilot.chains = pilot.chains < PILOT_CHAINS ? pilot.chains : PILOT_CHAINS;
        ISG_TRY(isg_ais_schedule(rbm, &pilot, options->adaptive, own, &options->steps, progress));
    } else {
        ISG_TRY(ISG_ALLOCATE(*own, options->steps + 1));
        for (size_t k = 0; k <= options->steps; k++)
            (*own)[k] = (double)k / (double)options->steps;
    }
    options->schedule = *own;
    return ISG_OK;
}

/* Spin and joint weights, by the Gibbs kernels. */
static isg_status anneal_spins(const isg_rbm *rbm, const isg_ais_options *options,
                               const uint64_t *start, double *log_weights,
                               const isg_progress *progress) {
    isg_status status = ISG_OK;
    isg_anneal a;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed,
                                   start ? ISG_PURPOSE_AIS_REVERSE : ISG_PURPOSE_AIS));
    a.positions = options->schedule;
    a.steps = options->steps;
    a.weights = options->weights;
    const isg_anneal_job job = {
        .chains = options->chains * options->repeats, .start = start, .log_weights = log_weights};
    ISG_TRY_GOTO(isg_anneal_run(&a, &job, progress));
done:
    isg_anneal_release(&a);
    return status;
}

static isg_status run(const isg_rbm *rbm, const uint64_t *start, const isg_ais_options *given,
                      isg_log_z *out, double *log_weights, const isg_progress *progress) {
    isg_status status = ISG_OK;
    isg_ais_options options = *given;
    const double pilot_share = options.adaptive > 0 ? 0.2 : 0;
    double *found = NULL, *alphas = NULL;
    isg_part p;
    ISG_TRY(check_options(&options));
    const size_t chains = options.chains * options.repeats;
    ISG_TRY_GOTO(find_alphas(rbm, &options, &alphas, isg_part_of(&p, progress, 0, pilot_share)));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, chains));
    progress = isg_part_of(&p, progress, pilot_share, 1);
    ISG_TRY_GOTO(options.weights == ISG_AIS_LAMBDA
                     ? isg_ais_lambda(rbm, &options, found, progress)
                     : anneal_spins(rbm, &options, start, found, progress));
    ISG_TRY_GOTO(conclude(out, &options, rbm->info.n_visible, found, start ? -1 : 1));
    if (log_weights)
        memcpy(log_weights, found, chains * sizeof *log_weights);
done:
    isg_release(found);
    isg_release(alphas);
    return status;
}

isg_status isg_ais_log_z(const isg_rbm *rbm, const isg_ais_options *options, isg_log_z *out,
                         double *log_weights, const isg_progress *progress) {
    return run(rbm, NULL, options ? options : &defaults, out, log_weights, progress);
}

isg_status isg_ais_reverse(const isg_rbm *rbm, const uint64_t *spins,
                           const isg_ais_options *options, isg_log_z *out, double *log_weights,
                           const isg_progress *progress) {
    options = options ? options : &defaults;
    if (options->weights != ISG_AIS_SPIN || options->move != ISG_AIS_GIBBS)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "the way back supports only spin weights and Gibbs sweeps");
    return run(rbm, spins, options, out, log_weights, progress);
}

/* ---- many temperatures ----------------------------------------------------------------------- */

/* The chains move from beta = 0 to the largest beta, with a stop at every other one, so that all
   cost no more than the last. Steps are even in the square root of beta, as they are in alpha when
   the scale of W is annealed (without field b both are the same path). */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Merges the given betas into evenly spaced ones, ascending from 0, each once; returns how many
   follow 0. */
static size_t fill_ladder(double *ladder, size_t steps, const double *betas, size_t n) {
    double largest = 0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, betas[k]);
    size_t count = 0;
    for (size_t k = 0; k < steps; k++) {
        const double root = (double)k / (double)steps;
        ladder[count++] = largest * root * root;
    }
    memcpy(ladder + count, betas, n * sizeof *betas);
    count += n;
    qsort(ladder, count, sizeof *ladder, compare);
    size_t kept = 0;
    for (size_t k = 1; k < count; k++)
        if (ladder[k] > ladder[kept])
            ladder[++kept] = ladder[k];
    return kept;
}

static size_t step_of(const double *ladder, size_t steps, double beta) {
    size_t low = 0, high = steps;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ladder[middle] < beta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static isg_status check_betas(const isg_ais_options *options, const double *betas, size_t n) {
    ISG_TRY(check_options(options));
    if (options->weights != ISG_AIS_SPIN || options->schedule || options->adaptive > 0)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "several betas at once need spin weights and even steps, not a schedule");
    for (size_t k = 0; k < n; k++)
        ISG_TRY(isg_check_beta(betas[k]));
    if (n == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one beta");
    return ISG_OK;
}

/* marks[m] is the step of the m-th smallest beta, and rank[k] = m that of betas[k]. */
static size_t find_marks(const double *ladder, size_t steps, const double *betas, size_t n,
                         size_t *marks, size_t *rank) {
    size_t count = 0;
    for (size_t step = 1; step <= steps; step++) {
        bool is_wanted = false;
        for (size_t k = 0; k < n; k++)
            if (step_of(ladder, steps, betas[k]) == step) {
                rank[k] = count;
                is_wanted = true;
            }
        if (is_wanted)
            marks[count++] = step;
    }
    return count;
}

isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                               const double *betas, size_t n, isg_log_z *out,
                               const isg_progress *progress) {
    options = options ? options : &defaults;
    ISG_TRY(check_betas(options, betas, n));
    const size_t chains = options->chains * options->repeats;
    isg_status status = ISG_OK;
    isg_anneal a;
    double *ladder = NULL, *log_weights = NULL;
    size_t *marks = NULL, *rank = NULL;
    isg_log_z *found = NULL;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed, ISG_PURPOSE_AIS));
    ISG_TRY_GOTO(ISG_ALLOCATE(ladder, options->steps + n));
    ISG_TRY_GOTO(ISG_ALLOCATE(marks, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(rank, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(log_weights, n, chains));
    a.path = ISG_PATH_BETA;
    a.positions = ladder;
    a.steps = fill_ladder(ladder, options->steps, betas, n);
    const isg_anneal_job job = {
        .chains = chains,
        .marks = marks,
        .n_marks = find_marks(ladder, a.steps, betas, n, marks, rank),
        .log_weights = log_weights,
    };
    ISG_TRY_GOTO(isg_anneal_run(&a, &job, progress));
    for (size_t k = 0; k < n; k++)
        ISG_TRY_GOTO(
            conclude(&found[k], options, rbm->info.n_visible, log_weights + rank[k] * chains, 1));
    memcpy(out, found, n * sizeof *out);
done:
    isg_anneal_release(&a);
    isg_release(ladder);
    isg_release(marks);
    isg_release(rank);
    isg_release(found);
    isg_release(log_weights);
    return status;
}

/* ---- a certificate --------------------------------------------------------------------------- */

/* A forward estimate of Z is right on average and never negative, so by Markov it exceeds Z e^t with
   probability at most e^-t; that all of m independent ones do has probability at most e^-mt. The same
   holds for 1 / Z on the way back from exact samples. With t = ln(1 / d) / m, the interval

       min F_i - t  <=  ln Z  <=  max B_i + t

   is wrong with probability at most 2 d. Nothing is assumed about how well the chains mix. */

/* The extreme of the estimates that batches of chains give. */
static double extreme(const double *log_weights, const isg_ais_options *options, double sign) {
    double out = HUGE_VAL;
    for (size_t r = 0; r < options->repeats; r++) {
        const double *batch = log_weights + r * options->chains;
        double largest = -HUGE_VAL, sum = 0;
        for (size_t k = 0; k < options->chains; k++)
            largest = fmax(largest, sign * batch[k]);
        for (size_t k = 0; k < options->chains; k++)
            sum += isg_exp(sign * batch[k] - largest);
        out = fmin(out, largest + isg_log(sum / (double)options->chains));
    }
    return sign * out;
}

isg_status isg_ais_certificate(const isg_rbm *rbm, const isg_ais_options *options,
                               double confidence, isg_interval *out, const isg_progress *progress) {
    options = options ? options : &defaults;
    if (!(confidence > 0 && confidence < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "confidence: expected a number between 0 and 1, found %g",
                        confidence);
    ISG_TRY(check_options(options));
    const size_t chains = options->chains * options->repeats;
    isg_status status = ISG_OK;
    uint64_t *spins = NULL;
    double *log_weights = NULL;
    isg_log_z found;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(spins, chains, isg_words(rbm->info.n_visible)));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, chains));
    ISG_TRY_GOTO(isg_exact_samples(rbm, chains, options->seed, spins));
    const double margin = isg_log(2 / (1 - confidence)) / (double)options->repeats;
    const double free_spins = (double)rbm->info.n_visible * ISG_LN_2;
    isg_part p;
    ISG_TRY_GOTO(
        isg_ais_log_z(rbm, options, &found, log_weights, isg_part_of(&p, progress, 0, 0.5)));
    const double low = free_spins + extreme(log_weights, options, 1) - margin;
    ISG_TRY_GOTO(isg_ais_reverse(rbm, spins, options, &found, log_weights,
                                 isg_part_of(&p, progress, 0.5, 1)));
    *out = (isg_interval){.low = low,
                          .high = free_spins + extreme(log_weights, options, -1) + margin,
                          .confidence = confidence,
                          .batches = options->repeats};
done:
    isg_release(spins);
    isg_release(log_weights);
    return status;
}
