/* split.c - ln Z as deep states and the rest
 *
 * SPDX-License-Identifier: MIT
 *
 * A population that is cooled from free spins never finds a deep state with a narrow basin, and
 * Gaussians around the deep states miss the many shallow ones. So the states are divided: A, balls
 * around the deep states, in the space of W^T s, and R, the rest.
 *
 *     Z = Z_A + Z_R
 *
 * Z_A is found by chains confined to the balls (wells.c), Z_R by a population confined to the rest
 * (population.c) or, if the rest has few minima, more precisely by draws from Gaussians around them,
 * which a small population must confirm. All are right on average for any choice of balls; a good
 * choice makes them precise. The list of deep states comes from searches at zero temperature (deep_states.c), from
 * minima of F0 (modes.c) and from where populations end, until none of them finds anything new.
 *
 * What cannot be noticed is a deep state that no search reaches. That is why nothing is reported
 * below the bound that known states give, and why the searches combine what they found.
 */
#include "log_z/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/special.h"
#include "linalg/linalg.h"
#include "log_z/verdict.h"

enum {
    PILOT = 2000,      /* particles of the population that looks for wells, at most, */
    LEAST_PILOT = 250, /* and if the model is large */
    WITNESSES = 512,   /* of its states at each beta that are kept, at most */
    LEADS = 128,       /* of these that searches start from, at most */
    DEEPEST = 256,     /* deep states that searches for minima of F0 start from */
    ROUNDS = 4,        /* of adding wells that the rest turned out to contain */
    MOST_MINIMA = 256, /* of the rest, for draws */
    FITTING = 2048,    /* chains that fit Gaussians to them */
    LEAST_DRAWS = 1000,
    LEAST_PARTICLES = 1000,
    AT_ONCE = 4 * ISG_LANES, /* points that minima are searched from between two reports */
    MORE_SWEEPS = 4          /* times as many where a population was inbred */
};

/* Weights of a model whose pilot has fewer particles, so that it takes no longer. */
static const double large_model = 2e5;

/* A well is listed if it may hold this share of Z; one that holds the second share and is found only
   in the rest starts another round. */
static const double log_listed = -14, log_missed = -6.9;

/* Draws of the rest: the share of the population, and of its ancestors' number, that must not be where
   they have no weight; a weight is too large if it is this much above nearly all that they found. */
static const double most_missing = 0.01, least_ancestors = 10, log_margin = 2, log_least_news = 3;

/* The error of ln Z that is worth more particles. */
static const double wanted_error = 0.003;

typedef struct split {
    const isg_rbm *rbm;
    const isg_log_z_options *options;
    isg_progress progress;             /* which never goes back */
    const isg_progress *whole;         /* the caller's; may be NULL */
    isg_population_options population; /* with the number of sweeps in use */
    isg_spin_model model;              /* at the largest beta */
    isg_anneal anneal;
    isg_deep_list deep;
    isg_wells wells;
    bool is_closed;
    size_t n, repeats;
    size_t populations;           /* so far: each has its own random numbers */
    size_t pilot;                 /* particles of a pilot */
    size_t witnesses, leads;      /* of its states that are kept, and that searches start from */
    isg_split_point *points;      /* (n), by rising beta */
    double *betas;                /* (n) */
    uint64_t *states;             /* (n, witnesses, words): of the last pilot */
    isg_moments *moments;         /* (n): of h in the last pilot */
    double *sums;                 /* of these: (n, 1 + p, p) */
    isg_population_point *passed; /* (n): by the last population */
    double *log_wells;            /* (wells): ln Z of each at the last beta */
    isg_remedy *remedies;         /* (n): what may help a point that is not trusted */
    double done;                  /* progress so far */
} split;

static bool report_rising(void *user, double fraction) {
    split *my = user;
    my->done = fmax(my->done, fraction);
    return !my->whole || my->whole->report(my->whole->user, my->done);
}

static isg_status report(split *my, double fraction) {
    return report_rising(my, fraction) ? ISG_OK : isg_fail(ISG_ERR_CANCELLED, "ln Z was cancelled");
}

/* The progress of work that only asks whether to go on. */
static const isg_progress *at_this_point(split *my, isg_part *part) {
    return isg_part_of(part, &my->progress, my->done, my->done);
}

static void release(split *my) {
    for (size_t m = 0; my->points && m < my->n; m++) {
        isg_release(my->points[m].rest);
        isg_release(my->points[m].draws);
    }
    isg_release(my->points);
    isg_release(my->betas);
    isg_release(my->states);
    isg_release(my->moments);
    isg_release(my->sums);
    isg_release(my->passed);
    isg_release(my->log_wells);
    isg_release(my->remedies);
    isg_wells_release(&my->wells);
    isg_deep_list_release(&my->deep);
    isg_anneal_release(&my->anneal);
    isg_release(my->model.field);
}

static int compare(const void *a, const void *b) {
    const isg_split_point *one = a, *two = b;
    return one->beta < two->beta ? -1 : one->beta > two->beta;
}

static size_t at_most(size_t wanted, size_t most) {
    return wanted < most ? wanted : most;
}

static isg_status create(split *my, const double *betas) {
    const size_t n = my->n, p = my->rbm->info.n_hidden;
    ISG_TRY(isg_population_check(&my->options->population));
    if (my->options->well_draws < LEAST_DRAWS || my->options->well_draws > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "well_draws: expected %d to 2^32 - 1, found %zu",
                        LEAST_DRAWS, my->options->well_draws);
    ISG_TRY(isg_spin_model_start(&my->model, my->rbm));
    ISG_TRY(isg_anneal_create(&my->anneal, my->rbm, my->population.seed, ISG_PURPOSE_POPULATION));
    const double large = (double)(my->model.n * p) / large_model;
    my->pilot =
        at_most(my->population.particles, (size_t)fmax(LEAST_PILOT, PILOT / fmax(1, large)));
    my->witnesses = at_most(my->pilot, WITNESSES);
    my->leads = at_most(my->pilot, LEADS);
    ISG_TRY(ISG_ALLOCATE(my->points, n));
    ISG_TRY(ISG_ALLOCATE(my->betas, n));
    ISG_TRY(ISG_ALLOCATE(my->passed, n));
    ISG_TRY(ISG_ALLOCATE(my->remedies, n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->states, n, my->witnesses * my->anneal.w.words));
    ISG_TRY(ISG_ALLOCATE(my->moments, n));
    ISG_TRY(ISG_ALLOCATE_MATRIX(my->sums, n, (1 + p) * p));
    for (size_t m = 0; m < n; m++)
        my->points[m] = (isg_split_point){.beta = betas[m], .place = m, .repeats = my->repeats};
    qsort(my->points, n, sizeof *my->points, compare);
    for (size_t m = 0; m < n; m++) {
        my->betas[m] = my->points[m].beta;
        ISG_TRY(ISG_ALLOCATE(my->points[m].rest, my->repeats));
        ISG_TRY(ISG_ALLOCATE(my->points[m].draws, my->repeats));
    }
    my->model.beta = my->betas[n - 1];
    my->deep = isg_deep_list_start(&my->model);
    my->wells = isg_wells_start(&my->model, &my->anneal, my->population.seed);
    return ISG_OK;
}

/* ---- populations ----------------------------------------------------------------------------- */

/* One population of all states outside the wells that are known so far, through the first n betas. */
static isg_status populate(split *my, isg_population_job job, size_t particles, double until) {
    isg_population_options options = my->population;
    isg_part part;
    options.particles = particles;
    job.outside = &my->wells.balls;
    job.betas = my->betas;
    job.repeat = my->populations++;
    ISG_TRY(isg_population_run(&my->anneal, &options, &job, my->passed,
                               isg_part_of(&part, &my->progress, my->done, until)));
    return report(my, until);
}

/* A small one, whose states are kept. */
static isg_status populate_pilot(split *my, double until) {
    const size_t p = my->model.p, room = (1 + p) * p;
    memset(my->sums, 0, my->n * room * sizeof *my->sums);
    for (size_t m = 0; m < my->n; m++)
        my->moments[m] = (isg_moments){0, my->sums + m * room, my->sums + m * room + p};
    const isg_population_job job = {
        .n = my->n, .samples = my->witnesses, .states = my->states, .moments = my->moments};
    ISG_TRY(populate(my, job, my->pilot, until));
    for (size_t m = 0; m < my->n; m++)
        my->points[m].pilot = my->passed[m];
    return ISG_OK;
}

/* State k of those that searches start from. */
static const uint64_t *lead_of(const split *my, size_t m, size_t k) {
    return my->states + (m * my->witnesses + k * my->witnesses / my->leads) * my->anneal.w.words;
}

/* ---- finding wells --------------------------------------------------------------------------- */

/* Minima of F0 at points[m].beta below the leads and, if wanted, below the deepest states and the
   centers of known wells. */
static isg_status find_modes(split *my, size_t m, bool from_deep, isg_modes *modes) {
    const isg_spin_model *model = modes->model;
    const size_t p = model->p, words = my->anneal.w.words;
    const size_t deep = from_deep ? at_most(my->deep.count, DEEPEST) : 0;
    const size_t known = from_deep ? my->wells.balls.count : 0, all = deep + known + my->leads;
    isg_status status = ISG_OK;
    double *points = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(points, all, p));
    for (size_t k = 0; k < all; k++) {
        double *to = points + k * p;
        if (k >= deep && k < deep + known)
            memcpy(to, my->wells.balls.centers + (k - deep) * p, p * sizeof *to);
        else
            isg_add_spin_rows(
                to, k < deep ? my->deep.spins + k * words : lead_of(my, m, k - deep - known),
                model->weights, model->n, p);
    }
    for (size_t first = 0; first < all; first += AT_ONCE) {
        ISG_TRY_GOTO(report(my, my->done));
        ISG_TRY_GOTO(isg_modes_search(modes, points + first * p, at_most(all - first, AT_ONCE)));
    }
done:
    isg_release(points);
    return status;
}

/* Lists wells at every beta, those of one handed on to the next. */
static isg_status list_wells(split *my, double until) {
    const double from = my->done;
    for (size_t m = 0; m < my->n; m++) {
        isg_spin_model model = my->model;
        model.beta = my->betas[m];
        isg_modes modes = isg_modes_start(&model);
        isg_part part;
        size_t added = 0;
        isg_status status = find_modes(my, m, true, &modes);
        if (status == ISG_OK) {
            const double total = fmax(my->points[m].all.log_z, isg_modes_log_laplace(&modes, 0));
            status = isg_wells_add(&my->wells, &modes, total + log_listed, &added,
                                   at_this_point(my, &part));
        }
        isg_modes_release(&modes);
        ISG_TRY(status);
        ISG_TRY(report(my, from + (until - from) * (double)(m + 1) / (double)my->n));
    }
    return ISG_OK;
}

/* Downhill from the leads. */
static isg_status relax_leads(split *my) {
    const size_t words = my->anneal.w.words, all = my->n * my->leads;
    uint64_t *starts = NULL;
    isg_part part;
    ISG_TRY(ISG_ALLOCATE_MATRIX(starts, all, words));
    for (size_t k = 0; k < all; k++)
        memcpy(starts + k * words, lead_of(my, k / my->leads, k % my->leads),
               words * sizeof *starts);
    const isg_status status =
        isg_deep_list_relax(&my->deep, starts, all, NULL, at_this_point(my, &part));
    isg_release(starts);
    return status;
}

static isg_status search(split *my) {
    isg_part part;
    isg_states_options states = my->options->states;
    ISG_TRY(isg_deep_list_search(&my->deep, my->rbm, &states, &my->is_closed,
                                 isg_part_of(&part, &my->progress, 0, 0.04)));
    ISG_TRY(populate_pilot(my, 0.08));
    for (size_t m = 0; m < my->n; m++)
        my->points[m].all = my->passed[m];
    ISG_TRY(relax_leads(my));
    if (my->is_closed)
        ISG_TRY(isg_deep_list_close(&my->deep, &states, &my->is_closed, at_this_point(my, &part)));
    return list_wells(my, 0.1);
}

/* Wells that the rest turned out to contain: from the leads of a population outside the wells. */
static isg_status search_rest(split *my, size_t *added) {
    isg_part part;
    *added = 0;
    ISG_TRY(relax_leads(my));
    for (size_t m = 0; m < my->n; m++) {
        isg_spin_model model = my->model;
        model.beta = my->betas[m];
        isg_modes modes = isg_modes_start(&model);
        size_t new = 0;
        isg_status status = find_modes(my, m, false, &modes);
        const double total = fmax(my->points[m].all.log_z, my->passed[m].log_z);
        if (status == ISG_OK)
            status = isg_wells_add(&my->wells, &modes, total + log_missed, &new,
                                   at_this_point(my, &part));
        isg_modes_release(&modes);
        ISG_TRY(status);
        my->points[m].is_incomplete = new > 0;
        *added += new;
    }
    return ISG_OK;
}

/* A pilot outside the wells. Where these are nearly everything, as if all weights are zero, nothing needs
   them. */
static isg_status populate_rest(split *my) {
    const isg_status status = populate_pilot(my, my->done + 0.03);
    if (status != ISG_ERR_UNSUPPORTED)
        return status;
    isg_wells_clear(&my->wells);
    return populate_pilot(my, my->done);
}

/* Small populations of the rest tell whether wells are missing. Without wells, the first was one. The last
   is outside the wells as they stay: what is in none must not count twice, nor what is in one not at all. */
static isg_status explore_rest(split *my) {
    size_t added = my->wells.balls.count;
    for (size_t round = 0; round < ROUNDS && added > 0; round++) {
        ISG_TRY(populate_rest(my));
        my->wells.has_grown = false;
        if (my->wells.balls.count == 0) /* any more would only be the same again */
            return ISG_OK;
        ISG_TRY(search_rest(my, &added));
    }
    return my->wells.has_grown ? populate_rest(my) : ISG_OK;
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* Whether ln Z would gain by more draws, or rests on a few of them. */
static bool are_few(const split *my, const isg_wells_at *at, const isg_well_draws *draws,
                    bool of_all) {
    const isg_well_mass chib = isg_wells_at_chib(at);
    double variance = 0, one = 0;
    for (size_t r = 0; r < my->repeats; r++) {
        variance += draws[r].all.error * draws[r].all.error / (double)(my->repeats * my->repeats);
        one = fmax(one, draws[r].all.largest_share);
    }
    if (of_all)
        return variance > wanted_error * wanted_error || one > isg_largest_draw / 2;
    return isg_variance_of_wells(draws, my->repeats, &chib) > wanted_error * wanted_error;
}

/* A first set of draws only learns what each Gaussian holds. */
static isg_status draw_repeats(split *my, isg_wells_at *at, isg_well_draws *draws, bool of_all,
                               double until) {
    const double from = my->done, step = (until - from) / (double)my->repeats;
    size_t samples = my->options->well_draws / 4;
    isg_well_draws first;
    isg_part part;
    ISG_TRY(isg_wells_at_draw(at, samples, &first, at_this_point(my, &part)));
    for (size_t set = 0; set < 2 && (set == 0 || are_few(my, at, draws, of_all)); set++) {
        samples *= 4;
        for (size_t r = 0; r < my->repeats; r++)
            ISG_TRY(isg_wells_at_draw(at, samples, &draws[r],
                                      isg_part_of(&part, &my->progress, from + step * (double)r,
                                                  from + step * (double)(r + 1))));
    }
    return ISG_OK;
}

/* So many particles, in all repeats together, that the rest adds no more than the wanted error to ln
   Z, judged by the pilot. */
static double needed_particles(const split *my, const isg_split_point *here) {
    const double wells = here->has_wells ? isg_mean_inside(here->draws, my->repeats) : -HUGE_VAL;
    const double share = 1 / (1 + isg_exp(fmin(wells - here->pilot.log_z, 700)));
    const double error = share * sqrt(here->pilot.variance) / wanted_error;
    return (double)my->pilot * error * error;
}

/* Gaussians that cover the rest: around its minima, and one for all of it. */
typedef struct cover {
    isg_modes modes;
    isg_gaussian broad;
} cover;

static isg_status cover_rest(split *my, size_t m, isg_wells_at *at, cover *of, bool *is_possible) {
    const double log_rest = my->points[m].pilot.log_z;
    const bool is_even = my->wells.balls.is_even;
    isg_part part;
    double sign;
    ISG_TRY(isg_gaussian_create(&of->broad, my->model.p));
    ISG_TRY(isg_gaussian_fit(&of->broad, &my->moments[m], my->betas[m], 0, is_even));
    ISG_TRY(find_modes(my, m, true, &of->modes));
    *is_possible = of->modes.count <= MOST_MINIMA;
    if (!*is_possible)
        return ISG_OK;
    /* Stages of random numbers that nothing else uses. */
    ISG_TRY(isg_modes_fit(&of->modes, &my->anneal.w, FITTING, my->population.seed,
                          (UINT64_C(1) << 32) + m, at_this_point(my, &part)));
    for (size_t k = 0; k < of->modes.count; k++) {
        const isg_mode *mode = &of->modes.list[k];
        if (mode->log_laplace < log_rest + log_listed ||
            isg_balls_find(&my->wells.balls, mode->center, &sign) < my->wells.balls.count)
            continue;
        ISG_TRY(isg_wells_at_widen(at, &mode->gaussian, fmin(mode->log_laplace, log_rest)));
    }
    return isg_wells_at_widen(at, &of->broad, log_rest);
}

/* Whether the draws found all of the rest: they are many, the pilot agrees, and few of its states are
   where the draws have no weight. */
static isg_status find_missing(split *my, size_t m, const isg_wells_at *at,
                               const isg_well_draws *draws, bool *is_complete) {
    const isg_split_point *here = &my->points[m];
    const size_t count = my->witnesses;
    isg_status status = ISG_OK;
    double *log_weights = NULL, efficiency = 0, variance = 0, one = 0, limit = 0;
    size_t missing = 0;
    for (size_t r = 0; r < my->repeats; r++) {
        const isg_mixture_sum *sum = &draws[r].outside;
        const double outside = (double)(draws[r].samples - draws[r].in_wells);
        efficiency += sum->ess / outside / (double)my->repeats;
        variance += sum->error * sum->error / (double)(my->repeats * my->repeats);
        one = fmax(one, sum->largest_share);
        limit = fmax(limit, sum->log_level + log_margin);
    }
    const double log_z = isg_mean_outside(draws, my->repeats);
    const double apart = fabs(log_z - here->pilot.log_z);
    *is_complete = efficiency >= isg_good_efficiency && one <= isg_largest_draw &&
                   here->pilot.family_squares * least_ancestors <= 1 &&
                   apart <= isg_most_deviations * sqrt(variance + here->pilot.variance);
    if (!*is_complete)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(log_weights, count));
    ISG_TRY_GOTO(
        isg_wells_at_weigh(at, my->states + m * count * my->anneal.w.words, count, log_weights));
    for (size_t k = 0; k < count; k++)
        missing += !(log_weights[k] <= log_z + fmax(limit, log_least_news));
    *is_complete = (double)missing <= most_missing * (double)count;
done:
    isg_release(log_weights);
    return status;
}

/* The same draws for wells and rest, if that works. */
static isg_status draw_rest(split *my, size_t m, isg_wells_at *at) {
    isg_split_point *here = &my->points[m];
    cover of = {.modes = isg_modes_start(&at->model)};
    isg_well_draws *draws = NULL;
    isg_well_draws first;
    isg_part part;
    isg_status status = ISG_OK;
    bool is_possible = false;
    ISG_TRY_GOTO(ISG_ALLOCATE(draws, my->repeats));
    ISG_TRY_GOTO(cover_rest(my, m, at, &of, &is_possible));
    if (!is_possible)
        goto done;
    ISG_TRY_GOTO(
        isg_wells_at_draw(at, my->options->well_draws / 4, &first, at_this_point(my, &part)));
    if (!(first.outside.ess > isg_least_efficiency * (double)(first.samples - first.in_wells)))
        goto done;
    ISG_TRY_GOTO(draw_repeats(my, at, draws, true, my->done));
    ISG_TRY_GOTO(find_missing(my, m, at, draws, &here->is_drawn));
    if (here->is_drawn)
        memcpy(here->draws, draws, my->repeats * sizeof *draws);
done:
    isg_modes_release(&of.modes);
    isg_gaussian_release(&of.broad);
    isg_release(draws);
    return status;
}

static isg_status draw_with(split *my, size_t m, isg_wells_at *at, double until) {
    isg_split_point *here = &my->points[m];
    isg_part part;
    here->is_drawn = false;
    ISG_TRY(
        isg_wells_at_start(at, &my->wells, here->beta,
                           isg_part_of(&part, &my->progress, my->done, (my->done + until) / 2)));
    if (my->wells.balls.count > 0) {
        ISG_TRY(draw_repeats(my, at, here->draws, false, until));
        here->chib = isg_wells_at_chib(at);
        here->has_wells = true;
    }
    if (needed_particles(my, here) > (double)my->pilot)
        ISG_TRY(draw_rest(my, m, at));
    if (m + 1 == my->n) {
        isg_release(my->log_wells);
        my->log_wells = NULL;
        ISG_TRY(ISG_ALLOCATE(my->log_wells, my->wells.balls.count));
        for (size_t k = 0; k < my->wells.balls.count; k++)
            my->log_wells[k] = at->log_shares[k];
    }
    return report(my, until);
}

static isg_status draw_point(split *my, size_t m, double until) {
    isg_wells_at at = {0};
    const isg_status status = draw_with(my, m, &at, until);
    isg_wells_at_release(&at);
    return status;
}

static isg_status draw_all(split *my, double until) {
    const double step = (until - my->done) / (double)my->n, from = my->done;
    for (size_t m = 0; m < my->n; m++)
        ISG_TRY(draw_point(my, m, from + step * (double)(m + 1)));
    return ISG_OK;
}

/* ---- populations of the rest ----------------------------------------------------------------- */

/* The pilot is enough where the rest is a small part of Z. */
static void keep_pilot(const split *my, isg_split_point *here) {
    here->squares = here->pilot.family_squares;
    here->family = here->pilot.largest_family;
    here->variance = here->pilot.variance * (double)my->repeats; /* all repeats are the same one */
    for (size_t r = 0; r < my->repeats; r++)
        here->rest[r] = here->pilot.log_z;
    here->particles = my->pilot;
}

static void keep_repeat(const split *my, isg_split_point *here, const isg_population_point *passed,
                        size_t r) {
    if (r == 0)
        here->squares = here->family = here->variance = 0;
    here->rest[r] = passed->log_z;
    here->squares += passed->family_squares / (double)my->repeats;
    here->family += passed->largest_family / (double)my->repeats;
    here->variance += passed->variance / (double)my->repeats;
}

/* Of at least so many particles as the betas need whose rest was not drawn; no more than the options
   say. */
static isg_status repeat_rest(split *my, double least, double until) {
    const double from = my->done, repeats = (double)my->repeats;
    double needed = least;
    size_t n = 0;
    for (size_t m = 0; m < my->n; m++) {
        isg_split_point *here = &my->points[m];
        const double own = here->is_drawn ? 0 : needed_particles(my, here);
        keep_pilot(my, here);
        if (own <= (double)my->pilot)
            continue;
        needed = fmax(needed, own / repeats);
        n = m + 1;
    }
    const size_t particles = (size_t)fmin((double)my->population.particles, needed);
    for (size_t r = 0; r < my->repeats && n > 0; r++) {
        const isg_population_job job = {.n = n};
        ISG_TRY(populate(my, job, particles, from + (until - from) * (double)(r + 1) / repeats));
        for (size_t m = 0; m < n; m++) {
            keep_repeat(my, &my->points[m], &my->passed[m], r);
            my->points[m].particles = particles;
        }
    }
    return ISG_OK;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static isg_log_z result_of(const split *my, const isg_split_point *here, isg_remedy *remedy) {
    isg_log_z out = isg_split_verdict(here, my->is_closed, remedy);
    const bool has_draws = here->has_wells || here->is_drawn;
    out.samples = my->repeats * ((here->is_drawn ? 0 : here->particles) +
                                 (has_draws ? here->draws[0].samples : 0));
    out.ess = fmin(out.ess, (double)out.samples);
    out.modes = my->wells.balls.count * (my->wells.balls.is_even ? 2 : 1);
    out.bound = isg_deep_list_bound(&my->deep, here->beta, &out.states);
    return out;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static isg_status conclude(split *my, isg_log_z *out) {
    for (size_t m = 0; m < my->n; m++) {
        isg_log_z *here = &out[my->points[m].place];
        *here = result_of(my, &my->points[m], &my->remedies[m]);
        if (!isfinite(here->value))
            return isg_fail(ISG_ERR_DIVERGED, "ln Z: weights or fields are too large");
        isg_log_z_respect_bound(here);
    }
    return ISG_OK;
}

/* Two estimates of the wells that differ get other chains: of the many comparisons of a curve some fail
   by chance, but hardly twice. Large families mean that particles are too slow to follow the cooling:
   four times the sweeps help more than four times the particles, and these are no longer spared. */
static isg_status try_again(split *my, bool *has_changed) {
    bool is_inbred = false;
    *has_changed = false;
    for (size_t m = 0; m < my->n; m++) {
        const bool was_drawn = my->points[m].is_drawn;
        is_inbred = is_inbred || my->remedies[m] == ISG_REMEDY_SWEEPS;
        *has_changed = *has_changed || my->remedies[m] != ISG_REMEDY_NONE;
        if (my->remedies[m] != ISG_REMEDY_CHAINS)
            continue;
        ISG_TRY(draw_point(my, m, my->done));
        /* Its rest needs a population then, which it had none of. */
        is_inbred = is_inbred || (was_drawn && !my->points[m].is_drawn);
    }
    if (!is_inbred)
        return ISG_OK;
    my->population.sweeps *= MORE_SWEEPS;
    return repeat_rest(my, (double)my->population.particles, 0.99);
}

static isg_status run(split *my, const double *betas, isg_log_z *out) {
    bool has_changed = false;
    ISG_TRY(create(my, betas));
    ISG_TRY(report(my, 0));
    ISG_TRY(search(my));
    ISG_TRY(explore_rest(my));
    ISG_TRY(draw_all(my, 0.5));
    ISG_TRY(repeat_rest(my, LEAST_PARTICLES, 0.9));
    ISG_TRY(conclude(my, out));
    if (my->options->patience > 0)
        ISG_TRY(try_again(my, &has_changed));
    if (has_changed)
        ISG_TRY(conclude(my, out));
    return report(my, 1);
}

static isg_status split_or_not(const isg_rbm *rbm, const isg_log_z_options *options,
                               const double *betas, size_t n, isg_log_z *out, isg_well_list *wells,
                               const isg_progress *progress,
                               isg_status (*how)(split *, const double *, isg_log_z *)) {
    isg_log_z *found = NULL;
    split my = {.rbm = rbm,
                .options = options,
                .progress = {report_rising, &my},
                .whole = progress,
                .population = options->population,
                .n = n,
                .repeats = options->population.repeats};
    isg_status status = ISG_ALLOCATE(found, n);
    if (status == ISG_OK)
        status = how(&my, betas, found);
    if (status == ISG_OK)
        memcpy(out, found, n * sizeof *out);
    if (status == ISG_OK && wells) {
        *wells = (isg_well_list){my.wells.balls, my.log_wells};
        my.wells.balls = (isg_balls){0};
        my.log_wells = NULL;
    }
    release(&my);
    isg_release(found);
    return status;
}

void isg_well_list_release(isg_well_list *list) {
    isg_balls_release(&list->balls);
    isg_release(list->log_z);
}

isg_status isg_split_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                           const double *betas, size_t n, isg_log_z *out, isg_well_list *wells,
                           const isg_progress *progress) {
    return split_or_not(rbm, options, betas, n, out, wells, progress, run);
}

/* A population of all states: nothing is outside. */
static isg_status run_population(split *my, const double *betas, isg_log_z *out) {
    ISG_TRY(create(my, betas));
    ISG_TRY(report(my, 0));
    if (my->options->is_bounded) {
        isg_part part;
        ISG_TRY(isg_deep_list_search(&my->deep, my->rbm, &my->options->states, &my->is_closed,
                                     isg_part_of(&part, &my->progress, 0, 0.05)));
    }
    my->is_closed = true;
    for (size_t m = 0; m < my->n; m++) {
        my->points[m].pilot.variance = HUGE_VAL; /* as many particles as there may be */
        my->points[m].all.log_z = -HUGE_VAL;
    }
    ISG_TRY(repeat_rest(my, LEAST_PARTICLES, 0.99));
    ISG_TRY(conclude(my, out));
    for (size_t m = 0; m < my->n; m++) {
        out[m].method = ISG_LOG_Z_POPULATION;
        out[m].shares = (isg_shares){(double)NAN, (double)NAN};
    }
    return report(my, 1);
}

isg_status isg_population_log_z(const isg_rbm *rbm, const isg_log_z_options *options,
                                const double *betas, size_t n, isg_log_z *out,
                                const isg_progress *progress) {
    return split_or_not(rbm, options, betas, n, out, NULL, progress, run_population);
}
