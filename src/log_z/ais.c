/* ais.c - annealed importance sampling of ln Z
 *
 * SPDX-License-Identifier: MIT
 *
 * anneal.c leads the chains; here their weights become an estimate with an error, which never says
 * more than the weights do: ln of an average is too low on average, the more so the fewer chains
 * count, and the error cannot know of chains that nobody has seen.
 */
#include "log_z/ais.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"

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

/* ---- what the weights say --------------------------------------------------------------------- */

/* ln of the mean weight with its standard error and the effective number of weights. */
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

isg_status isg_ais_conclude(isg_log_z *out, const isg_ais_options *options, size_t n_visible,
                            const double *log_weights, double sign) {
    const size_t repeats = options->repeats, chains = options->chains, all = repeats * chains;
    average mean;
    double spread = 0;
    ISG_TRY(average_of(&mean, log_weights, all, sign));
    ISG_TRY(spread_of(&spread, log_weights, repeats, chains, sign));
    if (!isfinite(mean.value))
        return isg_fail(ISG_ERR_DIVERGED, "the weights of annealing left the finite numbers");
    const double ln_2 = 0x1.62e42fefa39efp-1;
    isg_log_z found = {.value = (double)n_visible * ln_2 + sign * mean.value,
                       .error = mean.error,
                       .method = ISG_LOG_Z_AIS,
                       .side = sign > 0 ? ISG_SIDE_LOWER : ISG_SIDE_UPPER,
                       .ess = mean.ess,
                       .samples = all,
                       .spread = spread,
                       .laplace = (double)NAN};
    if (repeats > 1 && spread / sqrt((double)repeats) > found.error)
        found.error = spread / sqrt((double)repeats);
    found.is_trusted = mean.ess >= 0.1 * (double)all && mean.ess >= 25;
    /* Where few weights are all there is of the sum, their variance is no guide: it never comes out
       above 1. How far the logarithms scatter is. */
    found.error =
        found.is_trusted ? found.error : fmax(found.error, mean.deviation / sqrt(mean.ess));
    if (!found.is_trusted)
        snprintf(
            found.reason, sizeof found.reason,
            "only %.3g of %zu chains count, so that rare chains may be missing; more steps help%s",
            mean.ess, all, isnan(found.error) ? "; there is no error of a single chain" : "");
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

isg_status isg_ais_check(const isg_ais_options *options) {
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

/* The alphas of the options, or evenly spaced ones that the caller releases. */
static isg_status find_alphas(const double **alphas, double **even,
                              const isg_ais_options *options) {
    *alphas = options->schedule;
    if (options->schedule)
        return check_schedule(options->schedule, options->steps);
    ISG_TRY(ISG_ALLOCATE(*even, options->steps + 1));
    for (size_t k = 0; k <= options->steps; k++)
        (*even)[k] = (double)k / (double)options->steps;
    *alphas = *even;
    return ISG_OK;
}

/* Spin and joint weights, by the Gibbs kernels. */
static isg_status anneal_spins(const isg_rbm *rbm, const isg_ais_options *options,
                               const double *alphas, const uint64_t *start, double *log_weights) {
    isg_status status = ISG_OK;
    isg_anneal a;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed,
                                   start ? ISG_PURPOSE_AIS_REVERSE : ISG_PURPOSE_AIS));
    a.positions = alphas;
    a.steps = options->steps;
    a.weights = options->weights;
    const isg_anneal_job job = {.chains = options->chains * options->repeats,
                                .start = start,
                                .log_weights = log_weights,
                                .progress = options->progress};
    ISG_TRY_GOTO(isg_anneal_run(&a, &job));
done:
    isg_anneal_release(&a);
    return status;
}

static isg_status run(const isg_rbm *rbm, const uint64_t *start, const isg_ais_options *options,
                      isg_log_z *out, double *log_weights) {
    isg_status status = ISG_OK;
    double *found = NULL, *even = NULL;
    const double *alphas = NULL;
    ISG_TRY(isg_ais_check(options));
    const size_t chains = options->chains * options->repeats;
    ISG_TRY_GOTO(find_alphas(&alphas, &even, options));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, chains));
    ISG_TRY_GOTO(options->weights == ISG_AIS_LAMBDA
                     ? isg_ais_lambda(rbm, options, alphas, found)
                     : anneal_spins(rbm, options, alphas, start, found));
    ISG_TRY_GOTO(isg_ais_conclude(out, options, rbm->info.n_visible, found, start ? -1 : 1));
    if (log_weights)
        memcpy(log_weights, found, chains * sizeof *log_weights);
done:
    isg_release(found);
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
