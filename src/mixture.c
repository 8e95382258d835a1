/* mixture.c - ln Z by importance sampling of lambda from Gaussians around the minima of F0
 *
 * SPDX-License-Identifier: MIT
 *
 *     Z = int f(delta) ddelta,  f = 2^N (beta / 2 pi)^(p/2) exp(G(delta)),   delta = lambda - c
 *     Z = mean of f / q over draws from q
 *
 * q has a Gaussian for every minimum of F0 that was found, and a wide one for all together. The
 * minima are looked for from the patterns, data and random states. Laplace's Gaussians would do
 * deep in a minimum; near a critical temperature they are flat or far too narrow, so each is fitted
 * to Gibbs chains that start from its minimum.
 *
 * A minimum that nobody found is the one way for this to go wrong unnoticed: the draws never get
 * there, and their scatter does not show it. So there are witnesses, Gibbs chains annealed from
 * random spins, which know nothing of the list. If one ends where f / q is larger than in any draw,
 * it starts a search from there; after the last draw, new witnesses are asked, and what they still
 * find decides whether the result is trusted. What no witness reaches stays unknown: a minimum with
 * a basin so narrow that neither a search nor an annealed chain ever enters it cannot be noticed by
 * this method, however much of Z it holds. Such an error makes ln Z too low, never too high.
 */
#include "mixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "base/special.h"
#include "dataset.h"

enum {
    ROUNDS = 4,          /* of asking witnesses, at most */
    LEADS = 64,          /* witnesses whose lead is followed in one round */
    LEAST_SAMPLES = 1000 /* fewer would say nothing of their scatter */
};

/* ln(f / q Z) of a witness must exceed that of all draws by this to be news. */
static const double margin = 2;
static const double least_news = 3;

/* Shares of Z that may be missing, and of the draws that may be worthless. */
static const double tolerated = 0.01, least_efficiency = 0.01, least_ess = 100;

isg_mixture_options isg_mixture_defaults(void) {
    return (isg_mixture_options){
        .samples = 100000, .random_starts = 64, .witnesses = 256, .data_starts = 256, .seed = 1};
}

void isg_mixture_release(isg_mixture *mixture) {
    isg_release(mixture->model.field);
    isg_gibbs_weights_release(&mixture->weights);
    isg_modes_release(&mixture->modes);
    isg_gaussian_release(&mixture->everywhere);
    isg_release(mixture->log_masses);
}

static isg_status report(const isg_mixture *mixture, double fraction) {
    const isg_progress *progress = mixture->options.progress;
    if (progress && !progress->report(progress->user, fraction))
        return isg_fail(ISG_ERR_CANCELLED, "ln Z by a mixture was cancelled");
    return ISG_OK;
}

/* ---- where to look for minima ------------------------------------------------------------------- */

/* delta = W^T s; that of -s, the mirror image, is known beforehand if G is even. */
static void point_of(const isg_spin_model *model, const uint64_t *spins, double sign,
                     double *delta) {
    memset(delta, 0, model->p * sizeof *delta);
    for (size_t i = 0; i < model->n; i++)
        for (size_t mu = 0; mu < model->p; mu++)
            delta[mu] += sign * isg_spin(spins, i) * model->weights[i * model->p + mu];
}

static size_t pattern_count(const isg_rbm *rbm) {
    return rbm->patterns ? isg_patterns_describe(rbm->patterns).n_patterns : 0;
}

static size_t row_count(const isg_mixture_options *options) {
    if (!options->data)
        return 0;
    const size_t rows = isg_dataset_describe(options->data).n_samples;
    return rows < options->data_starts ? rows : options->data_starts;
}

/* Start number k: the patterns, rows of data, then random states; `random` is room for one. */
static const uint64_t *start_state(const isg_mixture *mixture, const isg_rbm *rbm, size_t k,
                                   uint64_t *random) {
    const isg_mixture_options *options = &mixture->options;
    const size_t patterns = pattern_count(rbm), rows = row_count(options);
    if (k < patterns)
        return isg_patterns_row(rbm->patterns, k);
    if (k < patterns + rows) {
        const size_t all = isg_dataset_describe(options->data).n_samples;
        /* In double, since the product may not fit; any row will do. */
        const size_t row = (size_t)((double)all * (double)(k - patterns) / (double)rows);
        return isg_dataset_row(options->data, row < all ? row : all - 1);
    }
    isg_cursor cursor = isg_cursor_at(
        isg_stream_at(options->seed, ISG_PURPOSE_MIXTURE, mixture->stage * ISG_STAGE, (uint32_t)k));
    for (size_t i = 0; i < mixture->model.n; i++)
        isg_bit_assign(random, i, isg_next_word(&cursor) >> 31);
    return random;
}

static isg_status search_from_starts(isg_mixture *mixture, const isg_rbm *rbm) {
    const size_t p = mixture->model.p, signs = mixture->modes.is_even ? 1 : 2;
    const size_t starts =
        pattern_count(rbm) + row_count(&mixture->options) + mixture->options.random_starts;
    isg_status status = ISG_OK;
    double *points = NULL;
    uint64_t *random = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(points, signs * starts + 1, p)); /* the last one is zero */
    ISG_TRY_GOTO(ISG_ALLOCATE(random, isg_words(mixture->model.n)));
    for (size_t k = 0; k < starts; k++) {
        const uint64_t *spins = start_state(mixture, rbm, k, random);
        for (size_t sign = 0; sign < signs; sign++)
            point_of(&mixture->model, spins, sign ? -1 : 1, points + (signs * k + sign) * p);
    }
    mixture->stage++;
    ISG_TRY_GOTO(isg_modes_search(&mixture->modes, points, signs * starts + 1));
done:
    isg_release(points);
    isg_release(random);
    return status;
}

/* ---- drawing ---------------------------------------------------------------------------------- */

isg_mixture_sum isg_mixture_add_up(const double *log_weights, size_t samples) {
    const double n = (double)samples, log_mean = isg_log_mean_exp(log_weights, samples);
    isg_mixture_sum out = {.log_z = log_mean, .log_largest = -HUGE_VAL};
    isg_sum squares = {0}, halves[2] = {{0}};
    for (size_t k = 0; k < samples; k++) {
        const double weight = exp(log_weights[k] - log_mean);
        isg_sum_add(&squares, weight * weight);
        isg_sum_add(&halves[k % 2], weight);
        out.log_largest = fmax(out.log_largest, log_weights[k] - log_mean);
    }
    const double variance = fmax(isg_sum_value(squares) / n - 1, 0);
    out.ess = n / (variance + 1);
    out.error = sqrt(variance / (n - 1)); /* of the mean, relative: by the delta method, of ln Z */
    const double difference = (isg_sum_value(halves[0]) - isg_sum_value(halves[1])) / n;
    out.halves = out.error > 0 ? fabs(difference) / out.error : 0;
    return out;
}

/* q for the next draws, from what the masses are known to be, or Laplace's terms. */
static isg_status propose(const isg_mixture *mixture, size_t samples, isg_proposal *out) {
    const size_t modes = mixture->modes.count;
    isg_status status = ISG_OK;
    const isg_gaussian **parts = NULL;
    double *log_masses = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(parts, modes + 1));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_masses, modes + 1));
    for (size_t m = 0; m < modes; m++) {
        parts[m] = &mixture->modes.list[m].gaussian;
        log_masses[m] =
            m < mixture->known_masses ? mixture->log_masses[m] : mixture->modes.list[m].log_laplace;
    }
    parts[modes] = &mixture->everywhere;
    log_masses[modes] = mixture->known_masses > 0 ? mixture->log_masses[mixture->known_masses]
                                                  : isg_modes_log_laplace(&mixture->modes, 0);
    ISG_TRY_GOTO(isg_proposal_create(out, parts, modes + 1, log_masses, samples));
done:
    isg_release(parts);
    isg_release(log_masses);
    return status;
}

/* ln(f / q) of points in lanes; `scratch` holds 2 p + count numbers. */
static void weigh(const isg_mixture *mixture, const isg_proposal *proposal, const double *delta,
                  double *scratch, double *log_weights, size_t count) {
    const size_t p = mixture->model.p;
    const double constant = isg_landscape_log_constant(&mixture->model);
    double values[ISG_LANES], *one = scratch + p + proposal->count;
    isg_landscape(&mixture->model, delta, values, NULL);
    for (size_t lane = 0; lane < count; lane++) {
        for (size_t mu = 0; mu < p; mu++)
            one[mu] = delta[mu * ISG_LANES + lane];
        log_weights[lane] =
            constant + values[lane] - isg_proposal_log_density(proposal, one, scratch);
    }
}

/* Weighs blocks of draws if `points` is NULL, else of points (count, p). */
typedef struct weighing {
    const isg_mixture *mixture;
    const isg_proposal *proposal;
    const double *points;
    uint64_t step;
    size_t count;
    double *log_weights; /* (count) */
} weighing;

static void weigh_block(const weighing *job, size_t block, double *scratch) {
    const size_t p = job->mixture->model.p, first = block * ISG_LANES;
    const size_t lanes = job->count - first < ISG_LANES ? job->count - first : ISG_LANES;
    double *delta = scratch, *rest = scratch + p * ISG_LANES;
    if (job->points)
        for (size_t at = 0; at < p * ISG_LANES; at++) {
            const size_t lane = at % ISG_LANES < lanes ? at % ISG_LANES : 0;
            delta[at] = job->points[(first + lane) * p + at / ISG_LANES];
        }
    else
        isg_proposal_draw(job->proposal, job->mixture->options.seed, job->step, block, delta, rest);
    weigh(job->mixture, job->proposal, delta, rest, job->log_weights + first, lanes);
}

/* Progress goes from `from` to `to`. */
static isg_status weigh_all(const weighing *job, double from, double to) {
    enum { BATCH = 256 }; /* blocks between two reports */
    const size_t p = job->mixture->model.p;
    const size_t blocks = (job->count + ISG_LANES - 1) / ISG_LANES;
    const size_t slots = blocks < BATCH ? blocks : BATCH;
    const size_t room = ((ISG_LANES + 2) * p + job->proposal->count + 7) / 8 * 8;
    isg_status status = ISG_OK;
    double *scratch = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(scratch, slots, room));
    for (size_t first = 0; first < blocks; first += slots) {
        const size_t count = blocks - first < slots ? blocks - first : slots;
        ISG_TRY_GOTO(report(job->mixture, from + (to - from) * (double)first / (double)blocks));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
        for (size_t k = 0; k < count; k++)
            weigh_block(job, first + k, scratch + k * room);
    }
done:
    isg_release(scratch);
    return status;
}

/* What every part holds of Z: the sum of the weights of its own draws, whose expectation is
   f integrated over the part's share of q. */
static isg_status learn_masses(isg_mixture *mixture, const isg_proposal *proposal,
                               const double *log_weights) {
    double *log_masses = NULL;
    ISG_TRY(ISG_ALLOCATE(log_masses, proposal->count));
    for (size_t m = 0; m < proposal->count; m++)
        log_masses[m] = isg_log_sum_exp(log_weights + proposal->first[m],
                                        proposal->first[m + 1] - proposal->first[m]);
    isg_release(mixture->log_masses);
    mixture->log_masses = log_masses;
    mixture->known_masses = proposal->count - 1;
    return ISG_OK;
}

/* Draws that many, sums them up, and learns from them. The proposal is the caller's to release. */
static isg_status draw(isg_mixture *mixture, size_t samples, double from, double to,
                       isg_proposal *proposal, isg_mixture_sum *sum) {
    isg_status status = ISG_OK;
    double *log_weights = NULL;
    ISG_TRY_GOTO(propose(mixture, samples, proposal));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, samples));
    const weighing job = {.mixture = mixture,
                          .proposal = proposal,
                          .step = mixture->stage++ * ISG_STAGE,
                          .count = samples,
                          .log_weights = log_weights};
    ISG_TRY_GOTO(weigh_all(&job, from, to));
    *sum = isg_mixture_add_up(log_weights, samples);
    if (!isfinite(sum->log_z))
        ISG_TRY_GOTO(
            isg_fail(ISG_ERR_DIVERGED, "ln Z: the weights or fields are too large for a mixture"));
    ISG_TRY_GOTO(learn_masses(mixture, proposal, log_weights));
done:
    isg_release(log_weights);
    return status;
}

/* ---- what was missed -------------------------------------------------------------------------- */

/* What the witnesses saw that the draws did not. */
typedef struct news {
    size_t count;    /* of witnesses where f / q is larger than in any draw */
    double log_mass; /* ln of their mean weight: what they say lies there */
    double *points;  /* (LEADS, p): where the first of them are */
    size_t n_points;
} news;

static isg_status ask(const isg_mixture *mixture, const isg_proposal *proposal,
                      const isg_mixture_sum *sum, const isg_witnesses *witnesses, news *out) {
    const size_t p = mixture->model.p, count = witnesses->count;
    const double limit = fmax(sum->log_largest + margin, least_news) + sum->log_z;
    isg_status status = ISG_OK;
    double *log_weights = NULL, *log_news = NULL;
    *out = (news){.log_mass = -HUGE_VAL};
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(out->points, LEADS, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_news, count));
    const weighing job = {.mixture = mixture,
                          .proposal = proposal,
                          .points = witnesses->points,
                          .count = count,
                          .log_weights = log_weights};
    ISG_TRY_GOTO(weigh_all(&job, 0.4, 0.4));
    for (size_t k = 0; k < count; k++) {
        if (!(log_weights[k] > limit))
            continue;
        log_news[out->count++] = witnesses->log_weights[k];
        if (out->n_points < LEADS)
            memcpy(out->points + out->n_points++ * p, witnesses->points + k * p,
                   p * sizeof *out->points);
    }
    out->log_mass = isg_log_sum_exp(log_news, out->count) - log((double)count);
done:
    isg_release(log_weights);
    isg_release(log_news);
    return status;
}

static size_t least_samples(const isg_mixture *mixture, size_t wanted) {
    const size_t parts = 4 * (mixture->modes.count + 1);
    wanted = wanted < LEAST_SAMPLES ? LEAST_SAMPLES : wanted;
    return wanted < parts ? parts : wanted;
}

/* One round: fit, draw a few, ask the witnesses, follow their leads. */
static isg_status improve(isg_mixture *mixture, const isg_witnesses *witnesses, bool *is_better) {
    const size_t before = mixture->modes.count;
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_mixture_sum sum = {0};
    news found = {0};
    ISG_TRY_GOTO(
        isg_modes_fit(&mixture->modes, &mixture->weights, mixture->options.seed, mixture->stage++));
    ISG_TRY_GOTO(draw(mixture, least_samples(mixture, mixture->options.samples / 10), 0.3, 0.3,
                      &proposal, &sum));
    ISG_TRY_GOTO(ask(mixture, &proposal, &sum, witnesses, &found));
    ISG_TRY_GOTO(isg_modes_search(&mixture->modes, found.points, found.n_points));
    *is_better = mixture->modes.count > before;
done:
    isg_proposal_release(&proposal);
    isg_release(found.points);
    return status;
}

isg_status isg_mixture_start(isg_mixture *out, const isg_rbm *rbm,
                             const isg_mixture_options *options) {
    isg_status status = ISG_OK;
    isg_witnesses witnesses = {0};
    *out = (isg_mixture){.options = options ? *options : isg_mixture_defaults()};
    options = &out->options;
    if (options->data && isg_dataset_describe(options->data).n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu visible ones",
                        isg_dataset_describe(options->data).n_visible, rbm->info.n_visible);
    if (options->samples < LEAST_SAMPLES || options->samples > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "samples: expected %d to 2^32 - 1, found %zu",
                        LEAST_SAMPLES, options->samples);
    if (options->witnesses < 2 * ISG_LANES || options->witnesses > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "witnesses: expected %d to 2^32 - 1, found %zu",
                        2 * ISG_LANES, options->witnesses);
    ISG_TRY(isg_spin_model_start(&out->model, rbm));
    out->modes = isg_modes_start(&out->model);
    ISG_TRY(isg_gibbs_weights_create(&out->weights, out->model.n, out->model.p));
    ISG_TRY(isg_gibbs_weights_set(&out->weights, rbm->weights, rbm->b, rbm->c));
    ISG_TRY(isg_gaussian_create(&out->everywhere, out->model.p));
    ISG_TRY(report(out, 0));
    ISG_TRY(search_from_starts(out, rbm));
    ISG_TRY(report(out, 0.1));
    ISG_TRY_GOTO(isg_witnesses_anneal(&witnesses, &out->modes, &out->weights, options->witnesses,
                                      options->seed, out->stage++, &out->everywhere));
    bool is_better = true;
    for (int round = 0; is_better && round < ROUNDS; round++) {
        ISG_TRY_GOTO(report(out, 0.2));
        ISG_TRY_GOTO(improve(out, &witnesses, &is_better));
    }
    ISG_TRY_GOTO(isg_modes_fit(&out->modes, &out->weights, options->seed, out->stage++));
done:
    isg_witnesses_release(&witnesses);
    return status;
}

/* ---- the verdict ------------------------------------------------------------------------------ */

/* Why the sum is not to be trusted; an empty sentence if it is. Returns whether something may be
   missing, rather than noisy. */
static bool judge(const isg_mixture_sum *sum, size_t samples, const news *found, size_t witnesses,
                  double log_fresh, char *reason, size_t room) {
    const double seen = exp(fmin(found->log_mass - sum->log_z, 0));
    const double fresh = exp(fmin(log_fresh - sum->log_z, 0));
    *reason = 0;
    if (2 * found->count > witnesses)
        snprintf(reason, room,
                 "%zu of %zu annealed Gibbs chains ended where the Gaussians have no weight",
                 found->count, witnesses);
    else if (seen > tolerated)
        snprintf(reason, room,
                 "annealed Gibbs chains find %.2g %% of Z where the Gaussians have no weight",
                 100 * seen);
    else if (fresh > tolerated)
        snprintf(reason, room, "minima with %.2g %% of Z were found only at the end", 100 * fresh);
    if (*reason)
        return true;
    if (sum->ess < least_ess || sum->ess < least_efficiency * (double)samples)
        snprintf(reason, room, "only %.3g of %zu draws count, the Gaussians do not fit", sum->ess,
                 samples);
    else if (sum->halves > 5)
        snprintf(reason, room, "two halves of the draws differ by %.2g standard errors",
                 sum->halves);
    return false;
}

/* Laplace's sum means nothing if flat minima, where it does not apply, carry it. */
static double laplace_of(const isg_modes *modes) {
    const double total = isg_modes_log_laplace(modes, 0);
    for (size_t m = 0; m < modes->count; m++)
        if (modes->list[m].is_flat && modes->list[m].log_laplace > total + log(tolerated))
            return (double)NAN;
    return total;
}

static size_t minima_of(const isg_modes *modes) {
    size_t count = modes->count;
    for (size_t m = 0; m < modes->count; m++)
        count += modes->list[m].gaussian.has_mirror;
    return count;
}

isg_status isg_mixture_finish(isg_mixture *mixture, isg_log_z *out) {
    const size_t modes = mixture->modes.count;
    const size_t samples = least_samples(mixture, mixture->options.samples);
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_witnesses witnesses = {0};
    isg_mixture_sum sum = {0};
    news found = {0};
    isg_log_z result = {.method = ISG_LOG_Z_MIXTURE, .samples = samples, .spread = (double)NAN};
    ISG_TRY_GOTO(draw(mixture, samples, 0.4, 0.9, &proposal, &sum));
    result.modes = minima_of(&mixture->modes);
    result.laplace = laplace_of(&mixture->modes);
    ISG_TRY_GOTO(isg_witnesses_anneal(&witnesses, &mixture->modes, &mixture->weights,
                                      mixture->options.witnesses, mixture->options.seed,
                                      mixture->stage++, NULL));
    ISG_TRY_GOTO(ask(mixture, &proposal, &sum, &witnesses, &found));
    ISG_TRY_GOTO(isg_modes_search(&mixture->modes, found.points, found.n_points));
    ISG_TRY_GOTO(report(mixture, 1));
    const bool is_missing =
        judge(&sum, samples, &found, witnesses.count, isg_modes_log_laplace(&mixture->modes, modes),
              result.reason, sizeof result.reason);
    result.value = sum.log_z;
    result.error = sum.ess < 10 ? (double)NAN : sum.error;
    result.ess = sum.ess;
    result.is_trusted = !*result.reason;
    result.side = is_missing || sum.ess < least_ess ? ISG_SIDE_LOWER : ISG_SIDE_BOTH;
    *out = result;
done:
    isg_proposal_release(&proposal);
    isg_witnesses_release(&witnesses);
    isg_release(found.points);
    return status;
}

isg_status isg_mixture_log_z(const isg_rbm *rbm, const isg_mixture_options *options,
                             isg_log_z *out) {
    isg_mixture mixture;
    isg_status status = isg_mixture_start(&mixture, rbm, options);
    if (status == ISG_OK)
        status = isg_mixture_finish(&mixture, out);
    isg_mixture_release(&mixture);
    return status;
}
