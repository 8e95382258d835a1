/* population.c - population annealing of ln Z, outside a set of balls
 *
 * SPDX-License-Identifier: MIT
 *
 * A population of states is cooled from beta = 0. At each step
 *
 *     ln Z(beta + d) - ln Z(beta) = ln of the mean of exp(-d H(s))
 *
 * is added up, the population is resampled in proportion to exp(-d H), and every state moves by a few
 * Gibbs sweeps at beta + d. The mean of Z over populations is exact, however few the sweeps
 * (Hukushima and Iba, 2003; Machta, 2010).
 *
 * With balls, the sum over states is restricted to those outside: the population starts from free
 * spins outside the balls, whose share of all 2^N states is measured, and a sweep that ends in a ball
 * is rejected, which leaves the restricted distribution invariant as the sweep does the full one.
 *
 * States that descend from the same state at beta = 0 are a family. If a few families make up the
 * population, it has seen only what their ancestors led to; the sum of the squares of the families'
 * shares, less what resampling alone makes of them, estimates the relative variance of Z (Chan and
 * Lai, 2013; Lee and Whiteley, 2018).
 */
#include "log_z/population.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"

enum {
    MOST_TRIES = 1000,   /* to draw free spins outside the balls, per particle */
    CORRECTED = 256,     /* particles whose energies are compared with those in full precision */
    MOST_STEPS = 100000, /* from beta = 0 to the last beta */
    MOST_ROUNDED = 1000  /* of steps that nothing but rounding makes short */
};

/* How much of the rounding of copies does nothing to Z; measured, of 1 if sweeps forget at once. */
static const double rounded = 0.9;

isg_population_options isg_population_defaults(void) {
    return (isg_population_options){
        .particles = 8000, .repeats = 5, .sweeps = 5, .keep = 0.97, .seed = 1};
}

isg_status isg_population_check(const isg_population_options *options) {
    if (options->particles < 100 || options->particles > 1 << 30)
        return isg_fail(ISG_ERR_ARGUMENT, "particles: expected 100 to 2^30, found %zu",
                        options->particles);
    if (options->repeats < 2 || options->repeats > 1 << 15)
        return isg_fail(ISG_ERR_ARGUMENT, "repeats: expected 2 to 2^15, found %zu",
                        options->repeats);
    if (options->sweeps < 1 || options->sweeps > 1000)
        return isg_fail(ISG_ERR_ARGUMENT, "sweeps: expected 1 to 1000, found %zu", options->sweeps);
    if (!(options->keep > 0 && options->keep < 1))
        return isg_fail(ISG_ERR_ARGUMENT, "keep: expected a share between 0 and 1, found %g",
                        options->keep);
    return ISG_OK;
}

/* ---- balls ----------------------------------------------------------------------------------- */

void isg_balls_release(isg_balls *balls) {
    isg_release(balls->centers);
    isg_release(balls->squares);
    isg_release(balls->radius2);
}

isg_status isg_balls_add(isg_balls *balls, const double *center, double radius2) {
    const size_t p = balls->p, needed = balls->count + 1;
    size_t capacity = balls->capacity, scalars = balls->capacity, numbers = balls->capacity * p;
    ISG_TRY(isg_grow((void **)&balls->centers, &numbers, needed * p, sizeof *balls->centers));
    ISG_TRY(isg_grow((void **)&balls->squares, &scalars, needed, sizeof *balls->squares));
    ISG_TRY(isg_grow((void **)&balls->radius2, &capacity, needed, sizeof *balls->radius2));
    balls->capacity = numbers / p < capacity ? numbers / p : capacity;
    memcpy(balls->centers + balls->count * p, center, p * sizeof *center);
    balls->squares[balls->count] = isg_kernels_get()->dot(p, center, center);
    balls->radius2[balls->count++] = radius2;
    return ISG_OK;
}

/* The squared distance of h from a center, or from its mirror image if that is nearer. */
static double distance2_of(const isg_balls *balls, size_t m, const double *h, double square,
                           double *product) {
    *product = isg_kernels_get()->dot(balls->p, h, balls->centers + m * balls->p);
    return square + balls->squares[m] - 2 * (balls->is_even ? fabs(*product) : *product);
}

size_t isg_balls_find(const isg_balls *balls, const double *h, double *sign) {
    const double square = isg_kernels_get()->dot(balls->p, h, h);
    size_t found = balls->count;
    double least = HUGE_VAL, product;
    for (size_t m = 0; m < balls->count; m++) {
        const double distance2 = distance2_of(balls, m, h, square, &product);
        if (distance2 <= balls->radius2[m] && distance2 < least) {
            least = distance2;
            found = m;
            *sign = balls->is_even && product < 0 ? -1 : 1;
        }
    }
    return found;
}

size_t isg_balls_overlapping(const isg_balls *balls, size_t m, size_t *near) {
    const double *center = balls->centers + m * balls->p;
    size_t count = 0;
    double product;
    for (size_t k = 0; k < balls->count; k++) {
        const double reach = sqrt(balls->radius2[m]) + sqrt(balls->radius2[k]);
        const double distance2 = distance2_of(balls, k, center, balls->squares[m], &product);
        if (k != m && distance2 <= reach * reach + 1e-9 * (balls->squares[m] + balls->squares[k]))
            near[count++] = k;
    }
    return count;
}

bool isg_balls_holds(const isg_balls *balls, size_t m, const size_t *near, size_t n_near,
                     const double *h) {
    const double square = isg_kernels_get()->dot(balls->p, h, h);
    double product, other;
    const double distance2 = distance2_of(balls, m, h, square, &product);
    if (!(distance2 <= balls->radius2[m]) || (balls->is_even && product < 0))
        return false;
    for (size_t n = 0; n < n_near; n++) {
        const double there2 = distance2_of(balls, near[n], h, square, &other);
        if (there2 <= balls->radius2[near[n]] &&
            (there2 < distance2 || (there2 == distance2 && near[n] < m)))
            return false;
    }
    return true;
}

isg_status isg_ball_tiles_create(isg_ball_tiles *out, const isg_balls *balls) {
    const size_t p = balls->p, tiles = (balls->count + ISG_TILE - 1) / ISG_TILE;
    *out = (isg_ball_tiles){.balls = balls, .tiles = tiles, .nearest2 = HUGE_VAL};
    ISG_TRY(ISG_ALLOCATE_MATRIX(out->centers, tiles + 1, p * ISG_TILE));
    for (size_t m = 0; m < balls->count; m++) {
        const double norm = sqrt(balls->squares[m]), radius = sqrt(balls->radius2[m]);
        const double near = fmax(0, norm - radius), far = norm + radius;
        for (size_t mu = 0; mu < p; mu++)
            out->centers[(m / ISG_TILE * p + mu) * ISG_TILE + m % ISG_TILE] =
                balls->centers[m * p + mu];
        /* A little wider, since squares are rounded. */
        out->nearest2 = fmin(out->nearest2, near * near * (1 - 1e-9));
        out->farthest2 = fmax(out->farthest2, far * far * (1 + 1e-9));
    }
    return ISG_OK;
}

void isg_ball_tiles_release(isg_ball_tiles *tiles) {
    isg_release(tiles->centers);
}

/* Some h side by side against all centers. */
static void test_tile(const isg_ball_tiles *tiles, const double *h, const size_t *which,
                      const double *squares, size_t count, bool *is_inside, double *packed) {
    const isg_kernels *kernels = isg_kernels_get();
    const isg_balls *balls = tiles->balls;
    const size_t p = balls->p;
    double products[ISG_TILE * ISG_TILE];
    for (size_t mu = 0; mu < p; mu++)
        for (size_t k = 0; k < ISG_TILE; k++)
            packed[mu * ISG_TILE + k] = k < count ? h[which[k] * p + mu] : 0;
    for (size_t t = 0; t < tiles->tiles; t++) {
        kernels->tile(p, tiles->centers + t * p * ISG_TILE, packed, products);
        for (size_t m = t * ISG_TILE; m < balls->count && m < (t + 1) * ISG_TILE; m++)
            for (size_t k = 0; k < count; k++) {
                const double product = products[m % ISG_TILE * ISG_TILE + k];
                const double along = balls->is_even ? fabs(product) : product;
                if (squares[k] + balls->squares[m] - 2 * along <= balls->radius2[m])
                    is_inside[which[k]] = true;
            }
    }
}

void isg_ball_tiles_test(const isg_ball_tiles *tiles, const double *h, size_t count,
                         bool *is_inside, double *scratch) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t p = tiles->balls->p;
    size_t which[ISG_TILE], waiting = 0;
    double squares[ISG_TILE];
    for (size_t k = 0; k < count; k++) {
        const double square = kernels->dot(p, h + k * p, h + k * p);
        is_inside[k] = false;
        if (square >= tiles->nearest2 && square <= tiles->farthest2) {
            which[waiting] = k;
            squares[waiting++] = square;
        }
        if (waiting == ISG_TILE || (k + 1 == count && waiting > 0)) {
            test_tile(tiles, h, which, squares, waiting, is_inside, scratch);
            waiting = 0;
        }
    }
}

/* ---- a population ---------------------------------------------------------------------------- */

typedef struct population {
    isg_anneal anneal; /* a view of the caller's */
    const isg_population_options *options;
    const isg_population_job *job;
    size_t count;
    uint64_t *spins;         /* (count, words) */
    int32_t *input;          /* (count, stride) */
    double *energies;        /* (count): -H */
    double *weights;         /* (count) */
    uint32_t *families;      /* (count): the ancestor at beta = 0 */
    uint32_t *copies;        /* (count): in a resampling; then sizes of families */
    double *corrections;     /* (count) */
    isg_anneal_group *rooms; /* (threads): lambda, scratch, and states before a sweep */
    isg_ball_tiles tiles;
    double *h; /* (threads, ISG_GIBBS_CHAINS + ISG_TILE, p) */
    size_t threads;
    uint64_t step;   /* of random numbers */
    double counting; /* relative variance of the number of states outside the balls */
    double variance; /* relative, of Z, if sweeps forget where they started from */
    double rounding; /* what families owe to resampling alone: see relative_variance() */
} population;

static void release(population *my) {
    isg_release(my->spins);
    isg_release(my->input);
    isg_release(my->energies);
    isg_release(my->weights);
    isg_release(my->families);
    isg_release(my->copies);
    isg_release(my->corrections);
    for (size_t t = 0; my->rooms && t < my->threads; t++)
        isg_anneal_group_release(&my->rooms[t]);
    isg_release(my->rooms);
    isg_release(my->h);
    isg_ball_tiles_release(&my->tiles);
}

static size_t room_of(const population *my) {
    return (ISG_GIBBS_CHAINS + ISG_TILE) * my->anneal.w.n_hidden;
}

static isg_status create(population *my) {
    const isg_gibbs_weights *w = &my->anneal.w;
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->spins, my->count, w->words));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->input, my->count, w->stride));
    ISG_TRY(ISG_ALLOCATE(my->energies, my->count));
    ISG_TRY(ISG_ALLOCATE(my->weights, my->count));
    ISG_TRY(ISG_ALLOCATE(my->families, my->count));
    ISG_TRY(ISG_ALLOCATE(my->copies, my->count));
    ISG_TRY(ISG_ALLOCATE(my->corrections, my->count));
    my->threads = isg_team_for(isg_anneal_groups(my->count));
    ISG_TRY(ISG_ALLOCATE(my->rooms, my->threads));
    for (size_t t = 0; t < my->threads; t++)
        ISG_TRY(isg_anneal_group_create(&my->rooms[t], w));
    if (my->job->outside)
        ISG_TRY(isg_ball_tiles_create(&my->tiles, my->job->outside));
    return ISG_ALLOCATE_MATRIX(my->h, my->threads, room_of(my));
}

/* is_inside (count): which of these chains are in a ball. `h` is one thread's. */
static void find_inside(const population *my, const int32_t *input, size_t count, double *h,
                        bool *is_inside) {
    const isg_gibbs_weights *w = &my->anneal.w;
    const size_t p = w->n_hidden;
    memset(is_inside, 0, count * sizeof *is_inside);
    if (!my->job->outside)
        return;
    for (size_t k = 0; k < count; k++)
        for (size_t mu = 0; mu < p; mu++)
            h[k * p + mu] = (double)input[k * w->stride + mu] * (double)w->unit;
    isg_ball_tiles_test(&my->tiles, h, count, is_inside, h + ISG_GIBBS_CHAINS * p);
}

/* The chains of group n, in place. */
static isg_anneal_group group_of(const population *my, size_t n, isg_anneal_group *room) {
    const isg_gibbs_weights *w = &my->anneal.w;
    isg_anneal_group g = {.lambda = room->lambda, .scratch = room->scratch};
    isg_anneal_group_take(&g, n, my->count);
    g.spins = my->spins + g.first * w->words;
    g.input = my->input + g.first * w->stride;
    return g;
}

/* Free spins outside the balls; adds how many had to be drawn. False if there are hardly any. */
static bool draw_free(const population *my, isg_anneal_group *g, double *h, size_t *tries) {
    const isg_gibbs_weights *w = &my->anneal.w;
    for (size_t k = 0; k < g->count; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(my->options->seed, ISG_PURPOSE_POPULATION,
                                                        my->step, (uint32_t)(g->first + k)));
        bool is_inside = true;
        for (size_t t = 0; is_inside; t++) {
            if (t == MOST_TRIES)
                return false;
            ++*tries;
            isg_random_spins(&random, w->n_visible, g->spins + k * w->words);
            my->anneal.kernels->hidden_input(w, 1, g->spins + k * w->words,
                                             g->input + k * w->stride);
            find_inside(my, g->input + k * w->stride, 1, h, &is_inside);
        }
    }
    return true;
}

static void find_energies(population *my, const isg_anneal_group *g) {
    for (size_t k = 0; k < g->count; k++)
        my->energies[g->first + k] = isg_anneal_slope(&my->anneal, g, k).linear;
}

/* ln of the number of states outside the balls. With n of t draws outside, drawn until the n-th, (n -
   1) / (t - 1) is unbiased. */
static isg_status start(population *my, double *log_z) {
    const size_t groups = isg_anneal_groups(my->count);
    size_t tries = 0, failures = 0;
#pragma omp parallel for schedule(static) num_threads((int)my->threads)                            \
    reduction(+ : tries, failures)
    for (size_t n = 0; n < groups; n++) {
        const size_t me = (size_t)omp_get_thread_num();
        isg_anneal_group g = group_of(my, n, &my->rooms[me]);
        if (!draw_free(my, &g, my->h + me * room_of(my), &tries))
            failures++;
        find_energies(my, &g);
        for (size_t k = 0; k < g.count; k++)
            my->families[g.first + k] = (uint32_t)(g.first + k);
    }
    my->step++;
    if (failures > 0)
        return isg_fail(ISG_ERR_UNSUPPORTED, "the wells contain nearly all of the 2^%zu states",
                        my->anneal.w.n_visible);
    *log_z = (double)my->anneal.w.n_visible * ISG_LN_2 +
             (tries > my->count ? isg_log((double)(my->count - 1) / (double)(tries - 1)) : 0);
    my->variance = (double)(tries - my->count) / (double)tries / (double)my->count;
    my->counting = my->variance;
    return ISG_OK;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* weights = exp(d (E - largest E)); their sum and the share of the effective sample size left. */
static double weigh(population *my, double d, double *largest, double *share) {
    double sum = 0, squares = 0;
    *largest = -HUGE_VAL;
    for (size_t k = 0; k < my->count; k++)
        *largest = fmax(*largest, my->energies[k]);
    const double top = *largest;
#pragma omp parallel for schedule(static) num_threads((int)my->threads)
    for (size_t k = 0; k < my->count; k++)
        my->weights[k] = isg_exp(d * (my->energies[k] - top));
    for (size_t k = 0; k < my->count; k++) {
        sum += my->weights[k];
        squares += my->weights[k] * my->weights[k];
    }
    *share = sum * sum / ((double)my->count * squares);
    return sum;
}

/* The longest step, at most `most`, that keeps the wanted share of the effective sample size, about:
   for normal energies it falls by d^2 times their variance. If that is more than their range allows,
   they are all about the same, and it is the mean that was rounded. */
static double longest_step(population *my, double most, bool *is_rounded) {
    const double n = (double)my->count;
    double mean = 0, variance = 0, low = HUGE_VAL, high = -HUGE_VAL, largest, share;
    for (size_t k = 0; k < my->count; k++) {
        mean += my->energies[k] / n;
        low = fmin(low, my->energies[k]);
        high = fmax(high, my->energies[k]);
    }
    for (size_t k = 0; k < my->count; k++)
        variance += (my->energies[k] - mean) * (my->energies[k] - mean) / n;
    *is_rounded = variance > (high - low) * (high - low);
    double d = fmin(most, sqrt((1 / my->options->keep - 1) / variance));
    for (int k = 0; k < 60; k++, d *= 0.75) {
        weigh(my, d, &largest, &share);
        if (share >= my->options->keep * 0.995)
            break;
    }
    return d;
}

/* Systematic resampling: with one uniform number u, state k gets as many copies as there are whole
   numbers j with (j + u) / n between the cumulated weights before and after it. A state with copies
   keeps its place; the others go to the places of states without. */
static void resample(population *my, double sum) {
    const isg_gibbs_weights *w = &my->anneal.w;
    const size_t n = my->count;
    isg_cursor random =
        isg_cursor_at(isg_stream_at(my->options->seed, ISG_PURPOSE_POPULATION, my->step++, 0));
    const double u = isg_next_uniform(&random);
    double cumulated = 0, rounding = 0;
    size_t taken = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t before = taken;
        cumulated += my->weights[k];
        while (taken < n && ((double)taken + u) * sum <= cumulated * (double)n)
            taken++;
        my->copies[k] = (uint32_t)(taken - before);
        const double wanted = my->weights[k] * (double)n / sum, part = wanted - floor(wanted);
        rounding += part * (1 - part);
    }
    my->rounding += rounding / (double)n;
    if (taken < n) /* by rounding */
        my->copies[n - 1] += (uint32_t)(n - taken);
    for (size_t k = 0, place = 0; k < n; k++)
        for (; my->copies[k] > 1; my->copies[k]--, place++) {
            while (my->copies[place] > 0)
                place++;
            memcpy(my->spins + place * w->words, my->spins + k * w->words,
                   w->words * sizeof *my->spins);
            memcpy(my->input + place * w->stride, my->input + k * w->stride,
                   w->stride * sizeof *my->input);
            my->families[place] = my->families[k];
        }
}

/* Some sweeps of one group; those that end in a ball are undone. */
static void move_group(population *my, isg_anneal_group *g, isg_anneal_group *before, double *h,
                       double beta) {
    const isg_gibbs_weights *w = &my->anneal.w;
    const bool may_reject = my->job->outside && my->job->outside->count > 0;
    bool is_inside[ISG_GIBBS_CHAINS];
    for (size_t t = 0; t < my->options->sweeps; t++) {
        if (may_reject) {
            memcpy(before->spins, g->spins, g->count * w->words * sizeof *g->spins);
            memcpy(before->input, g->input, g->count * w->stride * sizeof *g->input);
        }
        isg_anneal_move(&my->anneal, g, beta, my->step + t);
        if (may_reject)
            find_inside(my, g->input, g->count, h, is_inside);
        for (size_t k = 0; may_reject && k < g->count; k++)
            if (is_inside[k]) {
                memcpy(g->spins + k * w->words, before->spins + k * w->words,
                       w->words * sizeof *g->spins);
                memcpy(g->input + k * w->stride, before->input + k * w->stride,
                       w->stride * sizeof *g->input);
            }
    }
}

static void move(population *my, double beta) {
    const isg_gibbs_weights *w = &my->anneal.w;
    const isg_rows groups = isg_rank_rows(isg_anneal_groups(my->count), 1);
#pragma omp parallel for schedule(dynamic) num_threads((int)my->threads)
    for (size_t n = groups.begin; n < groups.end; n++) {
        const size_t me = (size_t)omp_get_thread_num();
        isg_anneal_group g = group_of(my, n, &my->rooms[me]);
        move_group(my, &g, &my->rooms[me], my->h + me * room_of(my), beta);
        find_energies(my, &g);
    }
    my->step += my->options->sweeps;
    isg_gather_rows(my->spins, w->words * sizeof *my->spins, my->count, ISG_GIBBS_CHAINS);
    isg_gather_rows(my->input, w->stride * sizeof *my->input, my->count, ISG_GIBBS_CHAINS);
    isg_gather_rows(my->energies, sizeof *my->energies, my->count, ISG_GIBBS_CHAINS);
}

/* ---- what it tells --------------------------------------------------------------------------- */

/* ln of the mean weight that takes the rounded model to the given one. It hardly varies, so some of
   the particles suffice. */
static double correction(population *my, double beta) {
    const size_t n = my->count < CORRECTED ? my->count : CORRECTED;
    const size_t groups = isg_anneal_groups(n);
#pragma omp parallel for schedule(static) num_threads((int)my->threads)
    for (size_t m = 0; m < groups; m++) {
        const isg_anneal_group g = group_of(my, m, &my->rooms[omp_get_thread_num()]);
        for (size_t k = 0; k < g.count && g.first + k < n; k++)
            my->corrections[g.first + k] = isg_anneal_correction(&my->anneal, &g, k, beta);
    }
    return isg_log_mean_exp(my->corrections, n);
}

/* The relative variance of Z. Families grow by what weights do to Z and, without any effect on Z, by
   the rounding of numbers of copies: for multinomial resampling by 1 / n a step, which Lee and
   Whiteley (2018) subtract; here by less, which is known. Not less than if every sweep forgot where it
   started from. */
static double relative_variance(const population *my, double squares) {
    const double n = (double)my->count;
    const double by_families = 1 - (1 - squares) * isg_exp((1 + rounded * my->rounding) / n);
    return fmax(my->variance, by_families + my->counting);
}

static isg_population_point look(population *my, double log_z, double beta) {
    const double n = (double)my->count;
    isg_population_point out = {.log_z = log_z + correction(my, beta)};
    memset(my->copies, 0, my->count * sizeof *my->copies);
    for (size_t k = 0; k < my->count; k++) {
        out.energy += my->energies[k] / n;
        my->copies[my->families[k]]++;
    }
    for (size_t k = 0; k < my->count; k++) {
        const double share = (double)my->copies[k] / n;
        out.family_squares += share * share;
        out.largest_family = fmax(out.largest_family, share);
    }
    out.variance = relative_variance(my, out.family_squares);
    return out;
}

/* States from all over the population. */
static void keep_states(const population *my, size_t m) {
    const size_t words = my->anneal.w.words, samples = my->job->samples;
    for (size_t k = 0; k < samples; k++)
        memcpy(my->job->states + (m * samples + k) * words,
               my->spins + k * my->count / samples * words, words * sizeof *my->spins);
}

static void add_moments(const population *my, size_t m) {
    const isg_gibbs_weights *w = &my->anneal.w;
    for (size_t k = 0; k < my->count && my->job->moments; k++) {
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            my->h[mu] = (double)my->input[k * w->stride + mu] * (double)w->unit;
        isg_moments_add(&my->job->moments[m], w->n_hidden, my->h);
    }
}

/* Once every state is in a ground state, the rest of the way is one step; where rounding makes many of
   it, beta times energies has no digits left for ln Z. */
static isg_status check_step(double d, double left, bool is_rounded, double energy, double beta) {
    if (is_rounded && d * MOST_ROUNDED < left)
        return isg_fail(ISG_ERR_DIVERGED,
                        "population annealing: weights, fields or beta are too large: -beta H is "
                        "%.2g, which leaves no digits for ln Z",
                        beta * energy);
    return ISG_OK;
}

static isg_status cool(population *my, isg_population_point *points, const isg_progress *progress) {
    const isg_population_job *job = my->job;
    double log_z = 0, beta = 0;
    size_t steps = 0;
    ISG_TRY(start(my, &log_z));
    for (size_t m = 0; m < job->n; m++) {
        while (beta < job->betas[m]) {
            const double left = job->betas[m] - beta;
            double largest, share;
            bool is_rounded;
            const double d = longest_step(my, left, &is_rounded);
            const double sum = weigh(my, d, &largest, &share);
            if (!(d > 0) || !isfinite(sum * largest) || ++steps > MOST_STEPS)
                return isg_fail(ISG_ERR_DIVERGED,
                                "population annealing: weights or fields are too large");
            ISG_TRY(check_step(d, left, is_rounded, largest, job->betas[m]));
            log_z += d * largest + isg_log(sum / (double)my->count);
            my->variance += (1 / share - 1) / (double)my->count;
            beta = d < left ? beta + d : job->betas[m];
            resample(my, sum);
            move(my, beta);
            if (progress && !progress->report(progress->user, beta / job->betas[job->n - 1]))
                return isg_fail(ISG_ERR_CANCELLED, "population annealing was cancelled");
        }
        points[m] = look(my, log_z, beta);
        keep_states(my, m);
        add_moments(my, m);
    }
    return ISG_OK;
}

isg_status isg_population_run(const isg_anneal *a, const isg_population_options *options,
                              const isg_population_job *job, isg_population_point *points,
                              const isg_progress *progress) {
    population my = {.anneal = *a,
                     .options = options,
                     .job = job,
                     .count = options->particles,
                     .step = (uint64_t)job->repeat << 40};
    my.anneal.path = ISG_PATH_BETA;
    my.anneal.weights = ISG_AIS_SPIN;
    my.anneal.seed = options->seed;
    my.anneal.purpose = ISG_PURPOSE_POPULATION;
    isg_status status = create(&my);
    if (status == ISG_OK)
        status = cool(&my, points, progress);
    release(&my);
    return status;
}
