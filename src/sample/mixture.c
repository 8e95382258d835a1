/* mixture.c - ln Z by importance sampling of lambda from Gaussians around the minima of F0
 *
 * SPDX-License-Identifier: MIT
 *
 *     Z = int f(delta) ddelta,  f = 2^N (beta / 2 pi)^(p/2) exp(G(delta)),   delta = lambda - c
 *     Z = mean of f / q over draws from q
 *
 * q has a Gaussian for every minimum of F0 that was found, and a wide one for all together. Searches
 * for minima start from the patterns, data and random states. Laplace's Gaussians are good enough
 * deep in a minimum; near a critical temperature they are flat or far too narrow, so each is fitted
 * to Gibbs chains that start from its minimum.
 *
 * The one way for this to fail unnoticed is a minimum that was not found: the draws never get
 * there, and their scatter does not show it. So there are witnesses, Gibbs chains annealed from
 * random spins, independent of the list. If one ends where f / q is larger than anything the draws
 * have seen, a search starts from there; after the last draw, new witnesses decide whether the
 * result is trusted. Their weights from annealed importance sampling tell how much of Z was missed,
 * even if there are too many minima to list.
 *
 * A minimum with a basin so narrow that neither a search nor an annealed chain enters it goes
 * unnoticed, however much of Z it holds. Such an error makes ln Z too low, never too high.
 */
#include "sample/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/special.h"
#include "base/threads.h"
#include "data/data.h"
#include "linalg/linalg.h"

enum {
    ROUNDS = 4,           /* most rounds of following witnesses */
    LEADS = 64,           /* witnesses whose lead is followed in one round */
    LEAST_SAMPLES = 1000, /* fewer would not show their scatter */
    LEAST_WITNESSES = 32
};

/* A witness has found something new if ln(f / q Z) is larger there, by this margin, than where the
   draws find all but a tolerated share of Z; and at least as large as the second number. */
static const double margin = 2, least_news = 3;

/* The share of Z that may be missing; the effective sample size needed, relative and absolute. */
static const double tolerated = 0.01, least_efficiency = 0.01, least_ess = 100;
static const double ess_for_error = 10;       /* a smaller one gives no error estimate either */
static const double largest_tolerated = 0.05; /* of the sum, by one draw */

/* ln of weights over their mean is binned in steps of this size. */
enum { LEVELS = 128 };
static const double level_step = 0.25;

/* Below this, a first look shows that more draws will not help. */
static const double hopeless_efficiency = 0.0025;

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
    isg_witnesses_release(&mixture->witnesses);
}

/* Never goes back. */
static isg_status report(isg_mixture *mixture, double fraction) {
    const isg_progress *progress = mixture->progress;
    mixture->done = fmax(mixture->done, fraction);
    if (progress && !progress->report(progress->user, mixture->done))
        return isg_fail(ISG_ERR_CANCELLED, "fitting a mixture of Gaussians was cancelled");
    return ISG_OK;
}

/* For parts that only ask whether to go on. */
static const isg_progress *at_this_point(const isg_mixture *mixture, isg_part *part) {
    return isg_part_of(part, mixture->progress, mixture->done, mixture->done);
}

/* ---- where to look for minima ---------------------------------------------------------------- */

/* delta = W^T s; that of -s, the mirror image, is not needed if G is even. */
static void point_of(const isg_spin_model *model, const uint64_t *spins, double sign,
                     double *delta) {
    memset(delta, 0, model->p * sizeof *delta);
    isg_add_spin_rows(delta, spins, model->weights, model->n, model->p);
    for (size_t mu = 0; sign < 0 && mu < model->p; mu++)
        delta[mu] = 0 - delta[mu]; /* never -0 */
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
        /* In double, since the product may overflow; any row will do. */
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

/* ---- drawing --------------------------------------------------------------------------------- */

/* ln of the weight, over the mean, above which all draws but the largest carry no more than a share
   `tolerated` of the sum; shares (LEVELS) are of the sum, from ln w = 0 up. */
static double find_level(const double *shares) {
    double above = 0;
    for (size_t level = LEVELS; level-- > 0;) {
        above += shares[level];
        if (above > tolerated)
            return level_step * (double)(level + 1);
    }
    return 0;
}

/* The mean of min(1, w_j / w_i) over i drawn from the target, by its weight, and j from q. It takes one
   j for every i, far from it in the list, which is in the order of the Gaussians. */
static double acceptance_of(const double *log_weights, size_t samples, double log_mean) {
    enum { STRIDE = 7919 };
    isg_sum sum = {0};
    size_t j = samples / 2;
    for (size_t i = 0; i < samples; i++, j = (j + STRIDE) % samples)
        isg_sum_add(&sum, isg_exp(fmin(log_weights[i], log_weights[j]) - log_mean));
    return isg_sum_value(sum) / (double)samples;
}

isg_mixture_sum isg_mixture_add_up(const double *log_weights, size_t samples) {
    const double n = (double)samples, log_mean = isg_log_mean_exp(log_weights, samples);
    isg_mixture_sum out = {.log_z = log_mean, .error = (double)NAN};
    double shares[LEVELS] = {0}, largest = -HUGE_VAL;
    isg_sum squares = {0};
    if (!isfinite(log_mean))
        return out;
    for (size_t k = 0; k < samples; k++) {
        const double excess = log_weights[k] - log_mean, weight = isg_exp(excess);
        isg_sum_add(&squares, weight * weight);
        largest = fmax(largest, excess);
        if (excess >= 0)
            shares[(size_t)fmin(excess / level_step, LEVELS - 1)] += weight / n;
    }
    shares[(size_t)fmin(fmax(largest, 0) / level_step, LEVELS - 1)] -= isg_exp(largest) / n;
    const double variance = fmax(isg_sum_value(squares) / n - 1, 0);
    out.ess = n / (variance + 1);
    out.error = sqrt(variance / (n - 1)); /* of the mean, relative: by the delta method, of ln Z */
    out.largest_share = isg_exp(largest) / n;
    out.log_level = find_level(shares);
    out.acceptance = acceptance_of(log_weights, samples, log_mean);
    return out;
}

/* q for the next draws, from the known masses, or else Laplace's terms. */
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

/* Weighs blocks of draws if `points` is NULL, else of points (count, p). */
typedef struct weighing {
    isg_mixture *mixture;
    const isg_proposal *proposal;
    const double *points;
    uint64_t step;
    size_t count;
    double *log_weights; /* (count) */
} weighing;

/* ln(f / q) */
static void weigh_block(const weighing *job, size_t block, double *scratch) {
    const size_t p = job->mixture->model.p, first = block * ISG_LANES;
    const size_t lanes = job->count - first < ISG_LANES ? job->count - first : ISG_LANES;
    const double constant = isg_landscape_log_constant(&job->mixture->model);
    double *delta = scratch, *rest = scratch + p * ISG_LANES;
    double values[ISG_LANES], log_density[ISG_LANES];
    if (job->points)
        for (size_t at = 0; at < p * ISG_LANES; at++) {
            const size_t lane = at % ISG_LANES < lanes ? at % ISG_LANES : 0;
            delta[at] = job->points[(first + lane) * p + at / ISG_LANES];
        }
    else
        isg_proposal_draw(job->proposal, job->mixture->options.seed, job->step, block, delta, rest);
    isg_landscape(&job->mixture->model, delta, values, NULL);
    isg_proposal_log_density(job->proposal, delta, log_density, rest);
    for (size_t lane = 0; lane < lanes; lane++)
        job->log_weights[first + lane] = constant + values[lane] - log_density[lane];
}

/* Progress goes from `from` to `to`. */
static isg_status weigh_all(const weighing *job, double from, double to) {
    enum { BATCH = 256 }; /* blocks between two reports */
    const size_t p = job->mixture->model.p;
    const size_t blocks = (job->count + ISG_LANES - 1) / ISG_LANES;
    const size_t slots = blocks < BATCH ? blocks : BATCH;
    const size_t room = ISG_LANES * (2 * p + job->proposal->count);
    isg_status status = ISG_OK;
    double *scratch = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(scratch, slots, room));
    for (size_t first = 0; first < blocks; first += slots) {
        const size_t now = blocks - first < slots ? blocks - first : slots;
        ISG_TRY_GOTO(report(job->mixture, from + (to - from) * (double)first / (double)blocks));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
        for (size_t k = 0; k < now; k++)
            weigh_block(job, first + k, scratch + k * room);
    }
done:
    isg_release(scratch);
    return status;
}

/* The mass of every part: the sum of the weights of its own draws, whose expectation is f integrated
   over the part's share of q. */
static isg_status learn_masses(isg_mixture *mixture, const isg_proposal *proposal,
                               const double *log_weights) {
    double *log_masses = NULL;
    ISG_TRY(ISG_ALLOCATE(log_masses, proposal->count));
    for (size_t m = 0; m < proposal->count; m++)
        log_masses[m] = isg_log_sum_exp(log_weights + proposal->first[m],
                                        proposal->first[m + 1] - proposal->first[m]) -
                        isg_log((double)proposal->samples);
    isg_release(mixture->log_masses);
    mixture->log_masses = log_masses;
    mixture->known_masses = proposal->count - 1;
    return ISG_OK;
}

isg_status isg_mixture_draw(isg_mixture *mixture, size_t samples, double from, double to,
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
            isg_fail(ISG_ERR_DIVERGED, "ln Z: weights or fields are too large for a mixture"));
    ISG_TRY_GOTO(learn_masses(mixture, proposal, log_weights));
done:
    isg_release(log_weights);
    return status;
}

/* ---- what was missed ------------------------------------------------------------------------- */

/* What witnesses found that the draws did not. */
typedef struct news {
    size_t asked, count; /* witnesses; those where f / q is larger than the draws have seen */
    double log_sum;      /* ln of the sum of their weights, if there are any */
    double *points;      /* (LEADS, p): positions of the first of them */
    size_t n_points;
} news;

/* Adds what these witnesses found. The caller releases the points, after a failure too. */
static isg_status ask(isg_mixture *mixture, const isg_proposal *proposal,
                      const isg_mixture_sum *sum, const isg_witnesses *witnesses, news *found) {
    const size_t p = mixture->model.p, count = witnesses->count;
    const double limit = fmax(sum->log_level + margin, least_news) + sum->log_z;
    isg_status status = ISG_OK;
    double *log_weights = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, count));
    if (!found->points)
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(found->points, LEADS, p));
    const weighing job = {.mixture = mixture,
                          .proposal = proposal,
                          .points = witnesses->points,
                          .count = count,
                          .log_weights = log_weights};
    ISG_TRY_GOTO(weigh_all(&job, 0, 0));
    found->asked += count;
    for (size_t k = 0; k < count; k++) {
        if (!(log_weights[k] > limit))
            continue;
        const double both[] = {found->log_sum, witnesses->log_weights[k]};
        found->log_sum = found->count++ > 0 ? isg_log_sum_exp(both, 2) : both[1];
        if (found->n_points < LEADS)
            memcpy(found->points + found->n_points++ * p, witnesses->points + k * p,
                   p * sizeof *found->points);
    }
done:
    isg_release(log_weights);
    return status;
}

static size_t least_samples(const isg_mixture *mixture, size_t wanted) {
    const size_t parts = 4 * (mixture->modes.count + 1);
    wanted = wanted < LEAST_SAMPLES ? LEAST_SAMPLES : wanted;
    return wanted < parts ? parts : wanted;
}

isg_status isg_mixture_fit(isg_mixture *mixture) {
    enum { PER_WITNESS = 8 };
    const size_t most = PER_WITNESS * mixture->options.witnesses;
    isg_part part;
    return isg_modes_fit(&mixture->modes, &mixture->weights, most, mixture->options.seed,
                         mixture->stage++, at_this_point(mixture, &part));
}

/* One round: fit, draw a few, ask the witnesses, follow their leads. */
static isg_status improve(isg_mixture *mixture, size_t *leads) {
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_mixture_sum sum = {0};
    news found = {0};
    const size_t samples = least_samples(mixture, mixture->options.samples / 10);
    ISG_TRY_GOTO(isg_mixture_fit(mixture));
    ISG_TRY_GOTO(isg_mixture_draw(mixture, samples, 0, 0, &proposal, &sum));
    ISG_TRY_GOTO(ask(mixture, &proposal, &sum, &mixture->witnesses, &found));
    ISG_TRY_GOTO(isg_modes_search(&mixture->modes, found.points, found.n_points));
    *leads = found.count;
    mixture->is_hopeless =
        2 * found.count > found.asked || sum.ess < hopeless_efficiency * (double)samples;
done:
    isg_proposal_release(&proposal);
    isg_release(found.points);
    return status;
}

/* Until nothing new is found, or no less than in the round before: then there are too many minima
   to list. */
static isg_status improve_in_rounds(isg_mixture *mixture) {
    size_t modes = 0, before = SIZE_MAX;
    for (int round = 0; round < ROUNDS && mixture->modes.count > modes; round++) {
        size_t leads = 0;
        modes = mixture->modes.count;
        ISG_TRY(report(mixture, 0.2 + 0.05 * round));
        ISG_TRY(improve(mixture, &leads));
        if (leads > before / 4 * 3)
            break;
        before = leads;
    }
    return ISG_OK;
}

isg_status isg_mixture_start(isg_mixture *out, const isg_rbm *rbm,
                             const isg_mixture_options *options, const isg_progress *progress) {
    *out =
        (isg_mixture){.options = options ? *options : isg_mixture_defaults(), .progress = progress};
    options = &out->options;
    if (options->data && isg_dataset_describe(options->data).n_visible != rbm->info.n_visible)
        return isg_fail(ISG_ERR_SHAPE, "the data have %zu units, the RBM has %zu visible ones",
                        isg_dataset_describe(options->data).n_visible, rbm->info.n_visible);
    if (options->samples < LEAST_SAMPLES || options->samples > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "samples: expected %d to 2^32 - 1, found %zu",
                        LEAST_SAMPLES, options->samples);
    if (options->witnesses < LEAST_WITNESSES || options->witnesses > 1 << 24)
        return isg_fail(ISG_ERR_ARGUMENT, "witnesses: expected %d to 2^24, found %zu",
                        LEAST_WITNESSES, options->witnesses);
    ISG_TRY(isg_spin_model_start(&out->model, rbm));
    out->modes = isg_modes_start(&out->model);
    ISG_TRY(isg_gibbs_weights_create(&out->weights, out->model.n, out->model.p));
    ISG_TRY(isg_gibbs_weights_set(&out->weights, rbm->weights, rbm->b, rbm->c));
    ISG_TRY(isg_gaussian_create(&out->everywhere, out->model.p));
    ISG_TRY(report(out, 0));
    ISG_TRY(search_from_starts(out, rbm));
    ISG_TRY(report(out, 0.1));
    isg_part part;
    ISG_TRY(isg_witnesses_anneal(&out->witnesses, &out->modes, &out->weights, options->witnesses,
                                 options->seed, out->stage++, &out->everywhere,
                                 at_this_point(out, &part)));
    ISG_TRY(improve_in_rounds(out));
    return isg_mixture_fit(out);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* What the Gaussians do not cover; an empty sentence if nothing was found. */
static void name_missing(const isg_mixture_sum *sum, const news *found, double log_fresh,
                         char *reason, size_t room) {
    const double log_seen = found->log_sum - isg_log((double)found->asked) - sum->log_z;
    const double seen = found->count > 0 ? isg_exp(fmin(log_seen, 0)) : 0;
    const double fresh = isg_exp(fmin(log_fresh - sum->log_z, 0));
    *reason = 0;
    if (2 * found->count > found->asked)
        snprintf(reason, room,
                 "%zu of %zu annealed Gibbs chains ended where the Gaussians have no weight",
                 found->count, found->asked);
    else if (seen > tolerated)
        snprintf(reason, room,
                 "annealed Gibbs chains find %.3g %% of Z where the Gaussians have no weight",
                 100 * seen);
    else if (fresh > tolerated)
        snprintf(reason, room, "minima with %.2g %% of Z were found only at the end", 100 * fresh);
}

/* Why the sum is not trusted, if nothing is missing. */
static void judge_scatter(const isg_mixture_sum *sum, size_t samples, char *reason, size_t room) {
    if (sum->ess < least_ess || sum->ess < least_efficiency * (double)samples)
        snprintf(reason, room,
                 "the effective sample size is only %.3g of %zu draws: the Gaussians do not fit",
                 sum->ess, samples);
    else if (sum->largest_share > largest_tolerated)
        snprintf(reason, room, "one draw of %zu carries %.2g %% of the sum", samples,
                 100 * sum->largest_share);
}

static void judge(isg_mixture_verdict *out, const news *found, double log_fresh) {
    const isg_mixture_sum *sum = &out->sum;
    name_missing(sum, found, log_fresh, out->reason, sizeof out->reason);
    out->is_complete = !*out->reason;
    if (out->is_complete)
        judge_scatter(sum, out->samples, out->reason, sizeof out->reason);
    out->has_error = sum->ess >= ess_for_error;
    const size_t length = strlen(out->reason);
    if (!out->has_error)
        snprintf(out->reason + length, sizeof out->reason - length,
                 "%sthere is no error estimate, since the effective sample size is %.3g",
                 length > 0 ? "; " : "", sum->ess);
}

/* Laplace's sum is meaningless if flat minima, where it does not apply, dominate it. */
static double laplace_of(const isg_modes *modes) {
    const double total = isg_modes_log_laplace(modes, 0);
    for (size_t m = 0; m < modes->count; m++)
        if (modes->list[m].is_flat && modes->list[m].log_laplace > total + isg_log(tolerated))
            return (double)NAN;
    return total;
}

static size_t minima_of(const isg_modes *modes) {
    size_t count = modes->count;
    for (size_t m = 0; m < modes->count; m++)
        count += modes->list[m].gaussian.has_mirror;
    return count;
}

/* The number of draws: the full number only if the result may be trusted. */
static size_t final_samples(const isg_mixture *mixture) {
    const size_t wanted = mixture->options.samples;
    return least_samples(mixture, mixture->is_hopeless ? wanted / 10 : wanted);
}

isg_status isg_mixture_conclude(isg_mixture *mixture, isg_mixture_verdict *out) {
    const size_t modes = mixture->modes.count, samples = final_samples(mixture);
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_witnesses fresh = {0};
    news found = {0};
    isg_part part;
    isg_mixture_verdict result = {.samples = samples};
    ISG_TRY_GOTO(isg_mixture_draw(mixture, samples, 0.4, 0.9, &proposal, &result.sum));
    result.minima = minima_of(&mixture->modes);
    result.laplace = laplace_of(&mixture->modes);
    ISG_TRY_GOTO(isg_witnesses_anneal(&fresh, &mixture->modes, &mixture->weights,
                                      mixture->options.witnesses, mixture->options.seed,
                                      mixture->stage++, NULL, at_this_point(mixture, &part)));
    ISG_TRY_GOTO(ask(mixture, &proposal, &result.sum, &fresh, &found));
    ISG_TRY_GOTO(ask(mixture, &proposal, &result.sum, &mixture->witnesses, &found));
    ISG_TRY_GOTO(isg_modes_search(&mixture->modes, found.points, found.n_points));
    ISG_TRY_GOTO(report(mixture, 1));
    judge(&result, &found, isg_modes_log_laplace(&mixture->modes, modes));
    *out = result;
done:
    isg_proposal_release(&proposal);
    isg_witnesses_release(&fresh);
    isg_release(found.points);
    return status;
}
