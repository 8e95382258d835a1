/* well_draws.c - Z of all wells, by draws from their Gaussians
 *
 * SPDX-License-Identifier: MIT
 *
 * lambda is drawn from the mixture q of the Gaussians of all wells, and of others that cover the rest,
 * then s given lambda. With f(lambda) as in mixture.c,
 *
 *     Z_A = mean of f / q 1[s is in a well]
 *
 * and the same for the rest. Chains confined to the wells (wells.c) give points of f itself there;
 * both together, by a bridge, are more precise where the Gaussians do not fit well.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"
#include "log_z/wells.h"

/* ---- draws from all Gaussians ---------------------------------------------------------------- */

/* Weighs blocks of draws from the proposal if `points` is NULL, else of points (count, p). */
typedef struct drawing {
    const isg_wells_at *at;
    const isg_proposal *proposal;
    const isg_anneal *anneal;
    const double *points;
    uint64_t step;
    size_t count;
    double *log_weights; /* (count): ln(f / q) */
    uint32_t
        *wells; /* (count): which well a state given lambda is in; unused if points are given */
} drawing;

/* wells (ISG_LANES): those of states given delta (p, ISG_LANES). */
static void find_wells(const drawing *my, size_t block, const double *delta, uint32_t *wells,
                       isg_well_bench *b) {
    const isg_spin_model *model = &my->at->model;
    const isg_gibbs_weights *w = &my->anneal->w;
    isg_cursor random = isg_cursor_at(
        isg_stream_at(my->at->wells->seed, ISG_PURPOSE_WELLS, my->step, (uint32_t)block));
    double sign;
    for (size_t first = 0; first < ISG_LANES; first += ISG_TILE) {
        for (size_t mu = 0; mu < model->p; mu++)
            memcpy(b->delta + mu * ISG_TILE, delta + mu * ISG_LANES + first,
                   ISG_TILE * sizeof *delta);
        isg_well_inputs(model, my->at->tiles, b->delta, b->x);
        for (size_t lane = 0; lane < ISG_TILE; lane++)
            isg_sample_spins(&random, model->n, model->beta, b->x + lane * model->n,
                             b->chains.spins + lane * w->words);
        my->anneal->kernels->hidden_input(w, ISG_TILE, b->chains.spins, b->chains.input);
        for (size_t lane = 0; lane < ISG_TILE; lane++) {
            isg_well_hidden(w, b->chains.input + lane * w->stride, b->h);
            wells[first + lane] = (uint32_t)isg_balls_find(&my->at->wells->balls, b->h, &sign);
        }
    }
}

static void draw_block(const drawing *my, size_t block, double *scratch, isg_well_bench *b) {
    const isg_spin_model *model = &my->at->model;
    const size_t first = block * ISG_LANES;
    const size_t lanes = my->count - first < ISG_LANES ? my->count - first : ISG_LANES;
    const double constant = isg_landscape_log_constant(model);
    double *delta = scratch, *rest = scratch + model->p * ISG_LANES;
    double values[ISG_LANES], log_density[ISG_LANES];
    uint32_t wells[ISG_LANES] = {0};
    if (my->points)
        for (size_t at = 0; at < model->p * ISG_LANES; at++) {
            const size_t lane = at % ISG_LANES < lanes ? at % ISG_LANES : 0;
            delta[at] = my->points[(first + lane) * model->p + at / ISG_LANES];
        }
    else
        isg_proposal_draw(my->proposal, my->at->wells->seed, my->step, block, delta, rest);
    isg_landscape(model, delta, values, NULL);
    isg_proposal_log_density(my->proposal, delta, log_density, rest);
    if (!my->points && my->at->wells->balls.count > 0)
        find_wells(my, block, delta, wells, b);
    for (size_t lane = 0; lane < lanes; lane++) {
        my->log_weights[first + lane] = constant + values[lane] - log_density[lane];
        if (!my->points)
            my->wells[first + lane] = wells[lane];
    }
}

/* Of some draws, in whole blocks. */
static void gather_draws(const drawing *my, size_t begin, size_t end) {
    const size_t count = (end < my->count ? end : my->count) - begin;
    isg_gather_rows(my->log_weights + begin, sizeof *my->log_weights, count, ISG_LANES);
    if (!my->points)
        isg_gather_rows(my->wells + begin, sizeof *my->wells, count, ISG_LANES);
}

static isg_status draw_all(const drawing *my, const isg_progress *progress) {
    enum { BATCH = 256 }; /* blocks between two reports */
    const size_t blocks = (my->count + ISG_LANES - 1) / ISG_LANES;
    const size_t threads = isg_team_for(blocks);
    const size_t room = ISG_LANES * (2 * my->at->model.p + my->at->n_parts);
    isg_status status = ISG_OK;
    isg_well_bench *benches = NULL;
    double *scratch = NULL;
    ISG_TRY_GOTO(isg_well_benches_create(&benches, threads, my->at->wells));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(scratch, threads, room));
    for (size_t first = 0; first < blocks; first += BATCH) {
        const size_t end = blocks - first < BATCH ? blocks : first + BATCH;
        if (progress && !progress->report(progress->user, (double)first / (double)blocks))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "ln Z was cancelled"));
        const isg_rows own = isg_rank_rows(end - first, 1);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
        for (size_t k = first + own.begin; k < first + own.end; k++) {
            const size_t me = (size_t)omp_get_thread_num();
            draw_block(my, k, scratch + me * room, &benches[me]);
        }
        gather_draws(my, first * ISG_LANES, end * ISG_LANES);
    }
done:
    isg_well_benches_release(benches, threads);
    isg_release(scratch);
    return status;
}

/* The sum of the weights of draws that are in a well, or of those that are not. `some` is scratch. */
static isg_mixture_sum sum_of(const drawing *my, bool in_wells, double *some) {
    const size_t count = my->at->wells->balls.count;
    for (size_t k = 0; k < my->count; k++)
        some[k] = (my->wells[k] < count) == in_wells ? my->log_weights[k] : -HUGE_VAL;
    return isg_mixture_add_up(some, my->count);
}

/* What each part holds: the wells by the draws that are in them, the others by their own draws that are
   in none. Without any, a tenth of one. */
static void learn_shares(const drawing *my, isg_wells_at *at, double log_mean) {
    const size_t count = at->wells->balls.count;
    const double n = (double)my->count;
    for (size_t m = 0; m < at->n_parts; m++)
        at->log_shares[m] = 0.1;
    for (size_t m = 0; m < at->n_parts; m++)
        for (size_t k = my->proposal->first[m]; k < my->proposal->first[m + 1]; k++)
            if (my->wells[k] < count || m >= count)
                at->log_shares[my->wells[k] < count ? my->wells[k] : m] +=
                    isg_exp(my->log_weights[k] - log_mean);
    for (size_t m = 0; m < at->n_parts; m++)
        at->log_shares[m] = isg_log(at->log_shares[m] / n) + log_mean;
}

/* ---- draws and chains together --------------------------------------------------------------- */

/* With n draws from q, of which those in a well have weights w = f / q, and N points of p = f / Z from
   the chains in it, the estimate of Z with the least variance solves (Meng and Wong, 1996)

       mean over draws of w / (n + N w / Z) = Z mean over points of 1 / (n + N w / Z)

   Terms of both sums are bounded, unlike the weights. */

typedef struct bridging {
    const drawing *draws;
    const double *of_points; /* ln w of all points */
    const size_t *order;     /* (draws): by well */
    const size_t *first;     /* (wells + 1): where each well's draws begin in that order */
} bridging;

/* The two means for one well, over Z and up to a constant, and their relative variances. */
typedef struct sides {
    double draws, points, of_draws, of_points;
} sides;

static sides both_sides(const bridging *my, size_t m, double log_z) {
    const isg_wells_at *at = my->draws->at;
    const size_t of_chain = at->per_chain, of_well = ISG_WELL_CHAINS * of_chain;
    const double n = (double)my->draws->count, ratio = (double)of_well / n;
    const double *points = my->of_points + m * of_well;
    sides out = {0};
    double squares = 0, between = 0;
    for (size_t k = my->first[m]; k < my->first[m + 1]; k++) {
        const double w = isg_exp(my->draws->log_weights[my->order[k]] - log_z);
        const double term = w / (1 + ratio * w);
        out.draws += term / n;
        squares += term * term / n;
    }
    for (size_t c = 0; c < ISG_WELL_CHAINS; c++) {
        double sum = 0;
        for (size_t j = 0; j < of_chain; j++)
            sum += 1 / (1 + ratio * isg_exp(points[c * of_chain + j] - log_z)) / (double)of_chain;
        out.points += sum / ISG_WELL_CHAINS;
        between += sum * sum / ISG_WELL_CHAINS;
    }
    out.of_draws = (squares / (out.draws * out.draws) - 1) / (n - 1);
    out.of_points = (between / (out.points * out.points) - 1) / (ISG_WELL_CHAINS - 1);
    return out;
}

static double bridge_well(const bridging *my, size_t m, double guess, sides *at_end) {
    double log_z = guess;
    sides now = both_sides(my, m, log_z);
    for (int k = 0; k < 50; k++) {
        const double change = isg_log(now.draws / now.points);
        log_z += change;
        now = both_sides(my, m, log_z);
        if (!(fabs(change) > 1e-6))
            break;
    }
    *at_end = now;
    return log_z;
}

/* All wells that draws ended in; those without chains by the draws alone. */
static isg_bridge add_bridges(const bridging *my, const double *log_wells) {
    const isg_wells_at *at = my->draws->at;
    const size_t count = at->wells->balls.count;
    double largest = -HUGE_VAL, sum = 0, of_draws = 0, of_points = 0;
    for (size_t m = 0; m < count; m++)
        largest = fmax(largest, log_wells[m]);
    for (size_t m = 0; m < count; m++) {
        if (my->first[m + 1] == my->first[m])
            continue;
        sides here = both_sides(my, m, log_wells[m]);
        const double log_z =
            at->masses[m].has_chains ? bridge_well(my, m, log_wells[m], &here) : log_wells[m];
        const double z = isg_exp(log_z - largest);
        sum += z;
        of_draws += z * z * here.of_draws;
        of_points += at->masses[m].has_chains ? z * z * here.of_points : 0;
    }
    return (isg_bridge){.log_z = largest + isg_log(sum),
                        .of_draws = sqrt(of_draws) / sum,
                        .of_chains = sqrt(of_points) / sum};
}

/* Draws by well, each well's in their order; those in none come last. first (wells + 2). */
static void sort_by_well(const drawing *my, size_t *order, size_t *first) {
    const size_t count = my->at->wells->balls.count;
    memset(first, 0, (count + 2) * sizeof *first);
    for (size_t k = 0; k < my->count; k++)
        first[my->wells[k] + 1]++;
    for (size_t m = 0; m <= count; m++)
        first[m + 1] += first[m];
    for (size_t k = 0; k < my->count; k++)
        order[first[my->wells[k]]++] = k;
    for (size_t m = count + 1; m > 0; m--)
        first[m] = first[m - 1];
    first[0] = 0;
}

static isg_status bridge_all(const drawing *my, isg_bridge *out) {
    const isg_wells_at *at = my->at;
    const size_t count = at->wells->balls.count;
    const size_t all = count * ISG_WELL_CHAINS * at->per_chain;
    isg_status status = ISG_OK;
    double *of_points = NULL, *log_wells = NULL;
    size_t *order = NULL, *first = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(of_points, all));
    ISG_TRY_GOTO(ISG_ALLOCATE(log_wells, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(order, my->count));
    ISG_TRY_GOTO(ISG_ALLOCATE(first, count + 2));
    drawing points = *my;
    points.points = at->points;
    points.count = all;
    points.log_weights = of_points;
    ISG_TRY_GOTO(draw_all(&points, NULL));
    sort_by_well(my, order, first);
    for (size_t m = 0; m < count; m++) {
        double largest = -HUGE_VAL, sum = 0;
        for (size_t k = first[m]; k < first[m + 1]; k++)
            largest = fmax(largest, my->log_weights[order[k]]);
        for (size_t k = first[m]; k < first[m + 1]; k++)
            sum += isg_exp(my->log_weights[order[k]] - largest);
        log_wells[m] = sum > 0 ? largest + isg_log(sum / (double)my->count) : -HUGE_VAL;
    }
    const bridging bridges = {my, of_points, order, first};
    *out = add_bridges(&bridges, log_wells);
done:
    isg_release(of_points);
    isg_release(log_wells);
    isg_release(order);
    isg_release(first);
    return status;
}

/* ---- one set of draws ------------------------------------------------------------------------ */

isg_status isg_wells_at_draw(isg_wells_at *at, size_t samples, isg_well_draws *out,
                             const isg_progress *progress) {
    const size_t count = at->wells->balls.count;
    samples = samples < 2 * at->n_parts ? 2 * at->n_parts : samples;
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_well_draws found = {.samples = samples};
    double *some = NULL;
    drawing my = {.at = at,
                  .proposal = &proposal,
                  .anneal = at->wells->anneal,
                  .step = at->wells->step++,
                  .count = samples};
    ISG_TRY_GOTO(isg_proposal_create(&proposal, at->parts, at->n_parts, at->log_shares, samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.log_weights, samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.wells, samples));
    ISG_TRY_GOTO(ISG_ALLOCATE(some, samples));
    ISG_TRY_GOTO(draw_all(&my, progress));
    for (size_t k = 0; k < samples; k++)
        found.in_wells += my.wells[k] < count;
    found.inside = sum_of(&my, true, some);
    found.outside = sum_of(&my, false, some);
    found.all = isg_mixture_add_up(my.log_weights, samples);
    found.bridge = (isg_bridge){(double)NAN, (double)NAN, (double)NAN};
    if (isfinite(found.inside.log_z))
        ISG_TRY_GOTO(bridge_all(&my, &found.bridge));
    if (isfinite(found.all.log_z))
        learn_shares(&my, at, found.all.log_z);
    *out = found;
done:
    isg_proposal_release(&proposal);
    isg_release(my.log_weights);
    isg_release(my.wells);
    isg_release(some);
    return status;
}

/* points (count, p): lambda given states (count, words). */
static void draw_given(const isg_wells_at *at, const uint64_t *states, size_t count,
                       isg_well_bench *b, double *points) {
    const isg_anneal *a = at->wells->anneal;
    const size_t p = at->model.p;
    for (size_t k = 0; k < count; k++) {
        isg_cursor random = isg_cursor_at(
            isg_stream_at(at->wells->seed, ISG_PURPOSE_WELLS, at->wells->step, (uint32_t)k));
        a->kernels->hidden_input(&a->w, 1, states + k * a->w.words, b->chains.input);
        isg_well_hidden(&a->w, b->chains.input, points + k * p);
        for (size_t mu = 0; mu < p; mu++)
            points[k * p + mu] += isg_next_normal(&random) / sqrt(at->model.beta);
    }
    at->wells->step++;
}

isg_status isg_wells_at_weigh(const isg_wells_at *at, const uint64_t *states, size_t count,
                              double *log_weights) {
    enum { SAMPLES = 1 << 16 }; /* as many as make shares of q */
    const size_t samples = SAMPLES < 2 * at->n_parts ? 2 * at->n_parts : SAMPLES;
    isg_status status = ISG_OK;
    isg_proposal proposal = {0};
    isg_well_bench *benches = NULL;
    double *points = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(points, count, at->model.p));
    ISG_TRY_GOTO(isg_well_benches_create(&benches, 1, at->wells));
    draw_given(at, states, count, benches, points);
    const drawing my = {.at = at,
                        .proposal = &proposal,
                        .anneal = at->wells->anneal,
                        .points = points,
                        .count = count,
                        .log_weights = log_weights};
    ISG_TRY_GOTO(isg_proposal_create(&proposal, at->parts, at->n_parts, at->log_shares, samples));
    ISG_TRY_GOTO(draw_all(&my, NULL));
done:
    isg_proposal_release(&proposal);
    isg_well_benches_release(benches, 1);
    isg_release(points);
    return status;
}

/* ---- deepest states -------------------------------------------------------------------------- */

isg_well_mass isg_wells_at_chib(const isg_wells_at *at) {
    const size_t count = at->wells->balls.count;
    double largest = -HUGE_VAL, sum = 0, squares = 0;
    isg_well_mass out = {.log_p = 0};
    for (size_t m = 0; m < count; m++)
        if (isfinite(at->masses[m].log_z))
            largest = fmax(largest, at->masses[m].log_z);
    for (size_t m = 0; m < count; m++) {
        if (!isfinite(at->masses[m].log_z)) {
            /* Without it, what the draws found there would be missing. */
            if (at->log_shares[m] > largest - 7)
                return (isg_well_mass){
                    .log_z = (double)NAN, .error = (double)NAN, .log_p = -HUGE_VAL};
            continue;
        }
        const double z = isg_exp(at->masses[m].log_z - largest);
        sum += z;
        squares += z * z * at->masses[m].error * at->masses[m].error;
        if (at->masses[m].log_z > largest - 7)
            out.log_p = fmin(out.log_p, at->masses[m].log_p);
    }
    out.log_z = count > 0 && isfinite(largest) ? largest + isg_log(sum) : (double)NAN;
    out.error = sqrt(squares) / sum;
    return out;
}
