/* wells.c - the part of Z that lies in balls around deep states
 *
 * SPDX-License-Identifier: MIT
 *
 * Gibbs chains are confined to a ball by rejecting sweeps that leave it, which leaves the
 * distribution restricted to the ball invariant; spins that sweeps hardly flip are drawn by themselves (stiff.c).
 * They give a Gaussian of lambda to draw from
 * (well_draws.c), samples of lambda to compare these draws with, and an estimate of their own: for the
 * deepest state s* of a ball (Chib, 1995), a sweep of the confined chain ends there from elsewhere as
 * often as it leaves it, so
 *
 *     p(s*) (1 - P(rejected from s*)) = mean of prod_i p(s*_i | lambda),   Z = exp(-beta H(s*)) / p(s*).
 *
 * That is precise where s* is likely, which is where draws are at their worst: at low temperature.
 */
#include "log_z/wells.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "base/special.h"
#include "base/threads.h"
#include "linalg/linalg.h"
#include "log_z/stiff.h"

enum {
    TRIAL_CHAINS = ISG_GIBBS_CHAINS * 2, /* that start from a mode to see whether it holds them */
    TRIAL_SWEEPS = 32,
    CHAINS = ISG_WELL_CHAINS, /* confined to a well */
    FROM_TOP = 8,             /* single sweeps of each from s* */
    WARMING_UP = 20,          /* sweeps before the first observation */
    OBSERVATIONS = 48,        /* of each chain, one a sweep, or more if p is large: see below */
    MOST_OBSERVATIONS = 1280,
    APART = 4,             /* observations between two of p(s*) */
    MOST_POINTS = 1 << 15, /* of lambda, about, to keep of all chains */
    MOST_WELLS = 1024
};

/* A ball has at most this radius^2, relative to |W|^2; at least this many |w_i|^2, which is a flip of
   some spins; and between them this many times the distance^2 that nine of ten chains keep. */
static const double widest = 0.6, narrowest = 32, margin = 4;

/* Laplace's Gaussian counts as this many observations, times p. */
static const double prior_per_unit = 4;

/* A covariance has p (p + 1) / 2 numbers: twice as many observations of all chains together, and up to
   8 times that if there are few wells. */
static size_t observations_of(size_t p, size_t wells) {
    const size_t times = wells < 8 ? 8 : wells > 64 ? 1 : 64 / wells;
    const size_t wanted = times * p * p / CHAINS / APART * APART;
    return wanted < OBSERVATIONS        ? OBSERVATIONS
           : wanted > MOST_OBSERVATIONS ? MOST_OBSERVATIONS
                                        : wanted;
}

/* Points of lambda to keep of each chain. */
static size_t points_of(size_t p, size_t wells) {
    const size_t most = observations_of(p, wells) / APART, wanted = MOST_POINTS / CHAINS / wells;
    return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

isg_wells isg_wells_start(const isg_spin_model *model, const isg_anneal *anneal, uint64_t seed) {
    isg_wells wells = {.model = model, .anneal = anneal, .seed = seed};
    wells.balls = (isg_balls){.p = model->p, .is_even = true};
    for (size_t i = 0; i < model->n; i++)
        if (model->field[i] != 0)
            wells.balls.is_even = false;
    return wells;
}

void isg_wells_clear(isg_wells *wells) {
    wells->balls.count = 0;
}

void isg_wells_release(isg_wells *wells) {
    isg_balls_release(&wells->balls);
    isg_release(wells->states);
    isg_release(wells->energies);
}

/* ---- chains ---------------------------------------------------------------------------------- */

void isg_well_hidden(const isg_gibbs_weights *w, const int32_t *input, double *h) {
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        h[mu] = (double)input[mu] * (double)w->unit;
}

/* x (n) = W delta + f */
static void visible_input(const isg_spin_model *model, const double *delta, double *x) {
    const isg_kernels *kernels = isg_kernels_get();
    for (size_t i = 0; i < model->n; i++)
        x[i] = kernels->dot(model->p, model->weights + i * model->p, delta) + model->field[i];
}

static isg_status make_tiles(const isg_spin_model *model, double **out) {
    const size_t n = model->n, p = model->p;
    ISG_TRY(ISG_ALLOCATE_MATRIX(*out, (n + ISG_TILE - 1) / ISG_TILE, p * ISG_TILE));
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            (*out)[(i / ISG_TILE * p + mu) * ISG_TILE + i % ISG_TILE] = model->weights[i * p + mu];
    return ISG_OK;
}

/* The same for several at a time: x (ISG_TILE, n) for delta (p, ISG_TILE). */
void isg_well_inputs(const isg_spin_model *model, const double *tiles, const double *delta,
                     double *x) {
    const isg_kernels *kernels = isg_kernels_get();
    double products[ISG_TILE * ISG_TILE];
    for (size_t first = 0; first < model->n; first += ISG_TILE) {
        const size_t units = model->n - first < ISG_TILE ? model->n - first : ISG_TILE;
        kernels->tile(model->p, tiles + first * model->p, delta, products);
        for (size_t lane = 0; lane < ISG_TILE; lane++)
            for (size_t i = 0; i < units; i++)
                x[lane * model->n + first + i] =
                    products[i * ISG_TILE + lane] + model->field[first + i];
    }
}

static isg_status bench_create(isg_well_bench *b, const isg_gibbs_weights *w, size_t wells) {
    ISG_TRY(ISG_ALLOCATE(b->near, wells));
    ISG_TRY(isg_anneal_group_create(&b->chains, w));
    ISG_TRY(isg_anneal_group_create(&b->before, w));
    ISG_TRY(ISG_ALLOCATE(b->h, w->n_hidden));
    ISG_TRY(ISG_ALLOCATE_MATRIX(b->delta, w->n_hidden, ISG_TILE));
    return ISG_ALLOCATE_MATRIX(b->x, ISG_TILE, w->n_visible);
}

void isg_well_benches_release(isg_well_bench *benches, size_t threads) {
    for (size_t t = 0; benches && t < threads; t++) {
        isg_anneal_group_release(&benches[t].chains);
        isg_anneal_group_release(&benches[t].before);
        isg_release(benches[t].h);
        isg_release(benches[t].x);
        isg_release(benches[t].delta);
        isg_release(benches[t].near);
    }
    isg_release(benches);
}

isg_status isg_well_benches_create(isg_well_bench **out, size_t threads, const isg_wells *wells) {
    ISG_TRY(ISG_ALLOCATE(*out, threads));
    for (size_t t = 0; t < threads; t++)
        ISG_TRY(bench_create(&(*out)[t], &wells->anneal->w, wells->balls.count));
    return ISG_OK;
}

/* The chains' own random numbers. */
static isg_anneal own_numbers(const isg_wells *wells) {
    isg_anneal a = *wells->anneal;
    a.path = ISG_PATH_BETA;
    a.weights = ISG_AIS_SPIN;
    a.seed = wells->seed;
    a.purpose = ISG_PURPOSE_WELLS;
    return a;
}

static void start_at(const isg_anneal *a, isg_anneal_group *g, const uint64_t *spins) {
    for (size_t k = 0; k < g->count; k++)
        memcpy(g->spins + k * a->w.words, spins, a->w.words * sizeof *spins);
    a->kernels->hidden_input(&a->w, g->count, g->spins, g->input);
}

/* ---- does a mode hold chains? ---------------------------------------------------------------- */

typedef struct trial {
    double reach2;  /* the squared distance that nine of ten chains keep */
    double staying; /* the share of chains within the widest ball in the end */
} trial;

static int compare(const void *a, const void *b) {
    const double one = *(const double *)a, two = *(const double *)b;
    return one < two ? -1 : one > two;
}

static double widest_radius2(const isg_spin_model *model) {
    const size_t all = model->n * model->p;
    return widest * isg_kernels_get()->dot(all, model->weights, model->weights);
}

static trial try_mode(const isg_anneal *a, const isg_stiff *stiff, const isg_mode *mode,
                      size_t number, uint64_t step, isg_well_bench *b) {
    enum { SEEN = TRIAL_SWEEPS / 4 };
    const isg_gibbs_weights *w = &a->w;
    const isg_spin_model *model = stiff->model;
    const double most = widest_radius2(model);
    double seen[TRIAL_CHAINS * SEEN];
    size_t count = 0, staying = 0;
    visible_input(model, mode->center, b->x);
    for (size_t first = 0; first < TRIAL_CHAINS; first += ISG_GIBBS_CHAINS) {
        isg_anneal_group *g = &b->chains;
        g->first = number * TRIAL_CHAINS + first;
        g->count = ISG_GIBBS_CHAINS;
        for (size_t k = 0; k < g->count; k++) {
            isg_cursor random =
                isg_cursor_at(isg_stream_at(a->seed, a->purpose, step, (uint32_t)(g->first + k)));
            isg_sample_spins(&random, model->n, model->beta, b->x, g->spins + k * w->words);
        }
        a->kernels->hidden_input(w, g->count, g->spins, g->input);
        for (size_t t = 1; t <= TRIAL_SWEEPS; t++) {
            isg_anneal_move(a, g, model->beta, step + t);
            for (size_t k = 0; k < g->count; k++) {
                double square = 0;
                if (stiff->count > 0)
                    isg_stiff_draw(stiff, a, g, k, step + t, b->h, NULL, NULL);
                isg_well_hidden(w, g->input + k * w->stride, b->h);
                for (size_t mu = 0; mu < model->p; mu++)
                    square += (b->h[mu] - mode->center[mu]) * (b->h[mu] - mode->center[mu]);
                if (t > TRIAL_SWEEPS / 4 && t <= TRIAL_SWEEPS / 2)
                    seen[count++] = square;
                staying += t == TRIAL_SWEEPS && square <= most;
            }
        }
    }
    qsort(seen, count, sizeof *seen, compare);
    return (trial){.reach2 = seen[count * 9 / 10], .staying = (double)staying / TRIAL_CHAINS};
}

/* The deepest state we know in a ball: downhill from the most probable state at its center, as long
   as that stays inside. */
static isg_status find_top(const isg_wells *wells, const isg_mode *mode, double radius2,
                           uint64_t *state, double *energy) {
    const isg_spin_model *model = wells->model;
    isg_deep_list list = isg_deep_list_start(model);
    isg_status status = ISG_OK;
    double *x = NULL, *h = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(x, model->n));
    ISG_TRY_GOTO(ISG_ALLOCATE(h, model->p));
    visible_input(model, mode->center, x);
    for (size_t i = 0; i < model->n; i++)
        isg_bit_assign(state, i, x[i] > 0);
    ISG_TRY_GOTO(isg_deep_list_relax(&list, state, 1, NULL, NULL));
    *energy = isg_spin_model_energy(model, state, h);
    const double relaxed = isg_spin_model_energy(model, list.spins, h);
    double here = 0, there = 0;
    for (size_t mu = 0; mu < model->p; mu++) {
        here += (h[mu] - mode->center[mu]) * (h[mu] - mode->center[mu]);
        there += (h[mu] + mode->center[mu]) * (h[mu] + mode->center[mu]);
    }
    if (relaxed <= *energy && fmin(here, list.is_even ? there : here) <= radius2) {
        *energy = relaxed;
        for (size_t word = 0; word < list.words; word++)
            state[word] = here <= there ? list.spins[word] : ~list.spins[word];
        isg_clear_tail(state, model->n);
    }
done:
    isg_deep_list_release(&list);
    isg_release(x);
    isg_release(h);
    return status;
}

static isg_status accept(isg_wells *wells, const isg_mode *mode, double radius2, size_t *added) {
    isg_balls *balls = &wells->balls;
    const size_t words = isg_words(wells->model->n);
    double sign;
    const size_t inside = isg_balls_find(balls, mode->center, &sign);
    if (inside < balls->count) {
        /* The same well at another beta if its center is well inside; else it is worth a Gaussian of
           its own. */
        double square = 0;
        const double *other = balls->centers + inside * balls->p;
        for (size_t mu = 0; mu < balls->p; mu++)
            square += (mode->center[mu] - sign * other[mu]) * (mode->center[mu] - sign * other[mu]);
        if (square < balls->radius2[inside] / 4) {
            wells->has_grown = wells->has_grown || radius2 > balls->radius2[inside];
            balls->radius2[inside] = fmax(balls->radius2[inside], radius2);
            return ISG_OK;
        }
    }
    if (balls->count == MOST_WELLS)
        return ISG_OK;
    const size_t count = balls->count;
    ISG_TRY(isg_grow((void **)&wells->states, &wells->capacity, (count + 1) * words,
                     sizeof *wells->states));
    ISG_TRY(isg_grow((void **)&wells->energies, &wells->n_energies, count + 1,
                     sizeof *wells->energies));
    ISG_TRY(find_top(wells, mode, radius2, wells->states + count * words, wells->energies + count));
    ++*added;
    wells->has_grown = true;
    return isg_balls_add(balls, mode->center, radius2);
}

isg_status isg_wells_add(isg_wells *wells, const isg_modes *modes, double log_least, size_t *added,
                         const isg_progress *progress) {
    enum { BATCH = 8 }; /* modes between two reports */
    const isg_anneal a = own_numbers(wells);
    const size_t threads = isg_team_for(modes->count);
    const double most = widest_radius2(wells->model);
    const double least = most / widest / (double)wells->model->n * narrowest;
    isg_status status = ISG_OK;
    isg_well_bench *benches = NULL;
    isg_stiff stiff = {.count = 0};
    trial *trials = NULL;
    *added = 0;
    if (modes->count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(isg_well_benches_create(&benches, threads, wells));
    ISG_TRY_GOTO(ISG_ALLOCATE(trials, modes->count));
    ISG_TRY_GOTO(isg_stiff_find(&stiff, modes->model));
    const isg_rows mine = isg_rank_rows(modes->count, 1);
    for (size_t first = mine.begin; first < mine.end; first += BATCH) {
        const size_t end = mine.end - first < BATCH ? mine.end : first + BATCH;
        if (progress && !progress->report(progress->user, 0))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the search for wells was cancelled"));
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
        for (size_t m = first; m < end; m++)
            if (modes->list[m].log_laplace > log_least)
                trials[m] = try_mode(&a, &stiff, &modes->list[m], m, wells->step,
                                     &benches[omp_get_thread_num()]);
    }
    isg_gather_rows(trials, sizeof *trials, modes->count, 1);
    wells->step += TRIAL_SWEEPS + 1;
    for (size_t m = 0; m < modes->count; m++)
        if (modes->list[m].log_laplace > log_least && trials[m].staying >= 0.5)
            ISG_TRY_GOTO(accept(wells, &modes->list[m],
                                fmin(most, fmax(least, margin * trials[m].reach2)), added));
done:
    isg_well_benches_release(benches, threads);
    isg_stiff_release(&stiff);
    isg_release(trials);
    return status;
}

/* ---- confined to a well ---------------------------------------------------------------------- */

/* A well as isg_stiff_draw() asks for it. */
typedef struct confinement {
    const isg_balls *balls;
    size_t m;
    const isg_well_bench *bench;
} confinement;

static bool is_in_well(const void *user, const double *h) {
    const confinement *in = user;
    return isg_balls_holds(in->balls, in->m, in->bench->near, in->bench->n_near, h);
}

static void draw_stiff(const isg_anneal *a, const isg_stiff *stiff, const isg_wells *wells,
                       size_t m, uint64_t step, isg_well_bench *b) {
    const confinement in = {&wells->balls, m, b};
    for (size_t k = 0; k < b->chains.count && stiff->count > 0; k++)
        isg_stiff_draw(stiff, a, &b->chains, k, step, b->h, is_in_well, &in);
}

/* One sweep of all chains; those that left their well stay where they were. Returns how many moved. */
static size_t confined_sweep(const isg_anneal *a, const isg_wells *wells, size_t m, double beta,
                             uint64_t step, isg_well_bench *b) {
    const isg_gibbs_weights *w = &a->w;
    isg_anneal_group *g = &b->chains;
    size_t moved = 0;
    memcpy(b->before.spins, g->spins, g->count * w->words * sizeof *g->spins);
    memcpy(b->before.input, g->input, g->count * w->stride * sizeof *g->input);
    isg_anneal_move(a, g, beta, step);
    for (size_t k = 0; k < g->count; k++) {
        isg_well_hidden(w, g->input + k * w->stride, b->h);
        if (isg_balls_holds(&wells->balls, m, b->near, b->n_near, b->h)) {
            moved++;
            continue;
        }
        memcpy(g->spins + k * w->words, b->before.spins + k * w->words,
               w->words * sizeof *g->spins);
        memcpy(g->input + k * w->stride, b->before.input + k * w->stride,
               w->stride * sizeof *g->input);
    }
    return moved;
}

/* ln prod_i p(s_i | lambda) for the x (n) of lambda. With y = s_i beta x_i,

       ln(1 / (1 + exp(-2 y))) = y - |y| - ln(1 + exp(-2 |y|)),

   and the last are logarithms of products, as in landscape.c. */
static double log_chance(const isg_spin_model *model, const uint64_t *spins, const double *x) {
    double sum = 0, product = 1;
    for (size_t i = 0; i < model->n; i++) {
        const double y = isg_spin(spins, i) * model->beta * x[i];
        sum += y - fabs(y);
        product *= 1 + isg_exp(-2 * fabs(y));
        if (i % 512 == 511) {
            sum -= isg_log(product);
            product = 1;
        }
    }
    return sum - isg_log(product);
}

/* delta (p, ISG_TILE): some lambda given the spins of each chain from `first` on. */
static void draw_hidden(const isg_anneal *a, double beta, uint64_t step, size_t first,
                        isg_well_bench *b) {
    const isg_anneal_group *g = &b->chains;
    for (size_t lane = 0; lane < ISG_TILE; lane++) {
        const size_t k = first + lane;
        isg_cursor random =
            isg_cursor_at(isg_stream_at(a->seed, a->purpose, step, (uint32_t)(g->first + k)));
        isg_well_hidden(&a->w, g->input + k * a->w.stride, b->h);
        for (size_t mu = 0; mu < a->w.n_hidden; mu++)
            b->delta[mu * ISG_TILE + lane] = b->h[mu] + isg_next_normal(&random) / sqrt(beta);
    }
}

/* ln prod_i p(s*_i | lambda) for one lambda of each chain. */
static void log_chances(const isg_anneal *a, const isg_wells_at *at, const uint64_t *top,
                        uint64_t step, isg_well_bench *b, double *out) {
    const isg_spin_model *model = &at->model;
    for (size_t first = 0; first < b->chains.count; first += ISG_TILE) {
        draw_hidden(a, model->beta, step, first, b);
        isg_well_inputs(model, at->tiles, b->delta, b->x);
        for (size_t lane = 0; lane < ISG_TILE; lane++)
            out[first + lane] = log_chance(model, top, b->x + lane * model->n);
    }
}

/* One lambda of each chain becomes its point k. */
static void keep_points(const isg_anneal *a, const isg_wells_at *at, uint64_t step, size_t k,
                        isg_well_bench *b) {
    const size_t p = at->model.p;
    for (size_t first = 0; first < b->chains.count; first += ISG_TILE) {
        draw_hidden(a, at->model.beta, step, first, b);
        for (size_t lane = 0; lane < ISG_TILE; lane++) {
            const size_t chain = b->chains.first + first + lane;
            for (size_t mu = 0; mu < p; mu++)
                at->points[(chain * at->per_chain + k) * p + mu] = b->delta[mu * ISG_TILE + lane];
        }
    }
}

/* The moments of h, and p(s*), of all chains of one well. */
typedef struct well_work {
    isg_moments moments;
    double log_p[CHAINS]; /* of each chain: ln of its mean of prod p(s*_i | lambda) */
    size_t stayed;        /* of CHAINS FROM_TOP sweeps from s* */
    bool has_top;         /* whether s* is known; if not, nothing else is */
} well_work;

/* What a chain does between two looks at it. */
static void move_chains(const isg_anneal *a, const isg_stiff *stiff, const isg_wells *wells,
                        size_t m, uint64_t step, isg_well_bench *b) {
    confined_sweep(a, wells, m, stiff->model->beta, step, b);
    draw_stiff(a, stiff, wells, m, step, b);
}

static void run_well(const isg_anneal *a, const isg_wells_at *at, const isg_stiff *stiff, size_t m,
                     uint64_t step, isg_well_bench *b, well_work *work) {
    const isg_wells *wells = at->wells;
    const isg_spin_model *model = &at->model;
    const size_t words = a->w.words, observations = observations_of(model->p, wells->balls.count);
    const uint64_t *top = wells->states + m * words;
    for (size_t first = 0; first < CHAINS; first += ISG_GIBBS_CHAINS) {
        isg_anneal_group *g = &b->chains;
        double chances[MOST_OBSERVATIONS / APART][ISG_GIBBS_CHAINS],
            of_one[MOST_OBSERVATIONS / APART];
        uint64_t t = step;
        g->first = m * CHAINS + first;
        g->count = ISG_GIBBS_CHAINS;
        for (size_t k = 0; k < FROM_TOP; k++) {
            start_at(a, g, top);
            work->stayed += confined_sweep(a, wells, m, model->beta, t++, b);
        }
        for (size_t k = 0; k < WARMING_UP; k++)
            move_chains(a, stiff, wells, m, t++, b);
        for (size_t k = 0; k < observations; k++) {
            move_chains(a, stiff, wells, m, t++, b);
            for (size_t c = 0; c < g->count; c++) {
                isg_well_hidden(&a->w, g->input + c * a->w.stride, b->h);
                isg_moments_add(&work->moments, model->p, b->h);
            }
            if (k % APART == 0)
                log_chances(a, at, top, t, b, chances[k / APART]);
            t++;
        }
        /* Points must not be those that the Gaussian is fitted to: it would seem to fit too well. */
        for (size_t k = 0; k < at->per_chain; k++) {
            for (size_t apart = 0; apart < APART; apart++)
                move_chains(a, stiff, wells, m, t++, b);
            keep_points(a, at, t++, k, b);
        }
        for (size_t c = 0; c < g->count; c++) {
            for (size_t k = 0; k < observations / APART; k++)
                of_one[k] = chances[k][c];
            work->log_p[first + c] = isg_log_mean_exp(of_one, observations / APART);
        }
    }
}

/* Steps of random numbers that run_well() and keep_top() use. */
enum { WELL_STEPS = FROM_TOP + WARMING_UP + 4 * MOST_OBSERVATIONS, TOP_STEPS = 1 };

/* Whether the first chain of the isg_well_bench is in this well, nearer to its center than to any other. */
static bool is_own(const isg_anneal *a, const isg_wells *wells, size_t m, isg_well_bench *b) {
    a->kernels->hidden_input(&a->w, 1, b->chains.spins, b->chains.input);
    isg_well_hidden(&a->w, b->chains.input, b->h);
    return isg_balls_holds(&wells->balls, m, b->near, b->n_near, b->h);
}

/* Balls overlap, and the deepest state of one may be nearer to the center of another, where no chain of
   this one can start or end. Then the deepest of some states drawn around the center takes its place;
   false if none of them is in the well. */
static bool keep_top(const isg_anneal *a, isg_wells *wells, const isg_spin_model *model, size_t m,
                     uint64_t step, isg_well_bench *b) {
    const size_t words = a->w.words;
    uint64_t *top = wells->states + m * words, *spins = b->chains.spins;
    isg_cursor random = isg_cursor_at(isg_stream_at(a->seed, a->purpose, step, (uint32_t)m));
    bool is_found = false;
    memcpy(spins, top, words * sizeof *spins);
    if (is_own(a, wells, m, b))
        return true;
    visible_input(model, wells->balls.centers + m * model->p, b->x);
    for (size_t k = 0; k < CHAINS; k++) {
        isg_sample_spins(&random, model->n, model->beta, b->x, spins);
        if (!is_own(a, wells, m, b))
            continue;
        const double energy = isg_spin_model_energy(model, spins, b->h);
        if (is_found && energy >= wells->energies[m])
            continue;
        is_found = true;
        wells->energies[m] = energy;
        memcpy(top, spins, words * sizeof *spins);
    }
    return is_found;
}

static isg_well_mass mass_of(const well_work *work, const isg_wells *wells, size_t m, double beta) {
    const double staying = (double)work->stayed / (CHAINS * FROM_TOP);
    const double log_mean = isg_log_mean_exp(work->log_p, CHAINS);
    double square = 0;
    for (size_t k = 0; k < CHAINS; k++) {
        const double ratio = isg_exp(work->log_p[k] - log_mean) - 1;
        square += ratio * ratio;
    }
    if (!work->has_top || !(staying > 0))
        return (isg_well_mass){.log_z = (double)NAN,
                               .error = (double)NAN,
                               .log_p = -HUGE_VAL,
                               .has_chains = work->has_top};
    const double of_mean = square / (CHAINS - 1) / CHAINS;
    const double of_staying = (1 - staying) / staying / (CHAINS * FROM_TOP);
    return (isg_well_mass){.log_z = -beta * wells->energies[m] + isg_log(staying) - log_mean +
                                    (wells->balls.is_even ? ISG_LN_2 : 0),
                           .error = sqrt(of_mean + of_staying),
                           .log_p = log_mean - isg_log(staying),
                           .has_chains = true};
}

/* Precision beta around the center, where the fit starts from. */
static isg_status first_guess(isg_gaussian *gaussian, const double *center, double beta, size_t p,
                              bool is_even) {
    double *precision = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(precision, p, p));
    for (size_t mu = 0; mu < p; mu++)
        precision[mu * (p + 1)] = beta / 1.5;
    const isg_status status =
        isg_gaussian_set(gaussian, center, (isg_matd_view){precision, p, p, p}, beta / 1.5);
    gaussian->has_mirror = is_even;
    isg_release(precision);
    return status;
}

isg_status isg_wells_at_widen(isg_wells_at *at, const isg_gaussian *part, double log_share) {
    size_t parts = at->n_parts, shares = at->n_parts;
    ISG_TRY(isg_grow((void **)&at->parts, &parts, at->n_parts + 1, sizeof *at->parts));
    ISG_TRY(isg_grow((void **)&at->log_shares, &shares, at->n_parts + 1, sizeof *at->log_shares));
    at->parts[at->n_parts] = part;
    at->log_shares[at->n_parts++] = log_share;
    return ISG_OK;
}

/* Those of the wells. A first guess of what each holds is by the probability of its deepest state;
   where that is not known, as much as the largest. */
static isg_status list_parts(isg_wells_at *at) {
    double best = -HUGE_VAL;
    for (size_t m = 0; m < at->wells->balls.count; m++)
        if (isfinite(at->masses[m].log_z))
            best = fmax(best, at->masses[m].log_z);
    for (size_t m = 0; m < at->wells->balls.count; m++) {
        const double guess = isfinite(at->masses[m].log_z) ? at->masses[m].log_z : best;
        ISG_TRY(isg_wells_at_widen(at, &at->gaussians[m], isfinite(guess) ? guess : 0));
    }
    return ISG_OK;
}

/* What ranks found out about some wells; their moments are where `moments` says. */
static void gather_wells(isg_wells_at *at, size_t first, size_t count, well_work *work,
                         double *moments) {
    isg_wells *wells = at->wells;
    const size_t words = isg_words(at->model.n), p = at->model.p, room = p * (p + 1);
    const size_t points = CHAINS * at->per_chain * p;
    if (isg_n_ranks() == 1)
        return;
    isg_gather_rows(work, sizeof *work, count, 1);
    isg_gather_rows(moments, room * sizeof *moments, count, 1);
    isg_gather_rows(at->points + first * points, points * sizeof *at->points, count, 1);
    isg_gather_rows(wells->states + first * words, words * sizeof *wells->states, count, 1);
    isg_gather_rows(wells->energies + first, sizeof *wells->energies, count, 1);
    for (size_t k = 0; k < count; k++) { /* not where they were in another process */
        work[k].moments.sum = moments + k * room;
        work[k].moments.squares = moments + k * room + p;
    }
}

isg_status isg_wells_at_start(isg_wells_at *out, isg_wells *wells, double beta,
                              const isg_progress *progress) {
    enum { BATCH = 32 }; /* wells between two reports */
    const isg_anneal a = own_numbers(wells);
    const size_t count = wells->balls.count, p = wells->model->p;
    const size_t room = p * (p + 1), threads = isg_team_for(count < BATCH ? count : BATCH);
    isg_status status = ISG_OK;
    isg_well_bench *benches = NULL;
    isg_stiff stiff = {.count = 0};
    well_work *work = NULL;
    double *moments = NULL;
    *out = (isg_wells_at){.wells = wells, .model = *wells->model};
    out->model.beta = beta;
    ISG_TRY(make_tiles(&out->model, &out->tiles));
    if (count == 0)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(out->gaussians, count));
    ISG_TRY_GOTO(ISG_ALLOCATE(out->masses, count));
    out->per_chain = points_of(p, count);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(out->points, count * CHAINS, out->per_chain * p));
    ISG_TRY_GOTO(isg_well_benches_create(&benches, threads, wells));
    ISG_TRY_GOTO(isg_stiff_find(&stiff, &out->model));
    ISG_TRY_GOTO(ISG_ALLOCATE(work, BATCH));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(moments, BATCH, room));
    for (size_t first = 0; first < count; first += BATCH) {
        const size_t now = count - first < BATCH ? count - first : BATCH;
        if (progress && !progress->report(progress->user, (double)first / (double)count))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "ln Z was cancelled"));
        memset(moments, 0, BATCH * room * sizeof *moments);
        for (size_t k = 0; k < now; k++)
            work[k] = (well_work){.moments = {0, moments + k * room, moments + k * room + p}};
        const isg_rows mine = isg_rank_rows(now, 1);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
        for (size_t k = mine.begin; k < mine.end; k++) {
            isg_well_bench *own = &benches[omp_get_thread_num()];
            own->n_near = isg_balls_overlapping(&wells->balls, first + k, own->near);
            work[k].has_top = keep_top(&a, wells, &out->model, first + k, wells->step, own);
            if (work[k].has_top)
                run_well(&a, out, &stiff, first + k, wells->step + TOP_STEPS, own, &work[k]);
        }
        gather_wells(out, first, now, work, moments);
        for (size_t k = 0; k < now; k++) {
            const size_t m = first + k;
            isg_gaussian *gaussian = &out->gaussians[m];
            out->masses[m] = mass_of(&work[k], wells, m, beta);
            ISG_TRY_GOTO(isg_gaussian_create(gaussian, p));
            ISG_TRY_GOTO(
                first_guess(gaussian, wells->balls.centers + m * p, beta, p, wells->balls.is_even));
            if (work[k].has_top)
                ISG_TRY_GOTO(isg_gaussian_fit(gaussian, &work[k].moments, beta,
                                              prior_per_unit * (double)p, false));
        }
    }
    wells->step += WELL_STEPS + TOP_STEPS;
    ISG_TRY_GOTO(list_parts(out));
done:
    isg_well_benches_release(benches, threads);
    isg_stiff_release(&stiff);
    isg_release(work);
    isg_release(moments);
    return status;
}

void isg_wells_at_release(isg_wells_at *at) {
    for (size_t m = 0; at->gaussians && m < at->wells->balls.count; m++)
        isg_gaussian_release(&at->gaussians[m]);
    isg_release(at->gaussians);
    isg_release(at->masses);
    isg_release(at->parts);
    isg_release(at->tiles);
    isg_release(at->points);
    isg_release(at->log_shares);
}
