/* modes.c - the minima of F0, each with a Gaussian around it
 *
 * SPDX-License-Identifier: MIT
 *
 * delta <- W^T tanh(beta (W delta + f)) never raises F0: only its term |delta|^2 / 2 is convex, the
 * rest is concave and so below its tangent, and the step goes to the minimum of the bound that this
 * gives. In terms of the gradient g it is delta - g, a step of length one; longer ones, by the rule
 * of Barzilai and Borwein, are tried first and kept where they lower F0. So a flat valley takes
 * tens of steps, not thousands.
 *
 * At a saddle the gradient vanishes. If the curvature is negative there, the search restarts on
 * both sides.
 */
#include "sample/sample.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "linalg/linalg.h"

enum { MAX_STEPS = 3000 };

/* Minima closer than this, in standard deviations, are the same. */
static const double same_within = 0.1;

/* Eigenvalues of the precision, over beta: below the first, a valley counts as flat and gets that
   precision; below minus the second, F0 falls on both sides. */
static const double flat = 0.1, downhill = 1e-6;

isg_modes isg_modes_start(const isg_spin_model *model) {
    isg_modes modes = {.model = model, .is_even = true};
    for (size_t i = 0; i < model->n; i++)
        if (model->field[i] != 0)
            modes.is_even = false;
    return modes;
}

static void release_mode(isg_mode *mode) {
    isg_release(mode->center);
    isg_gaussian_release(&mode->gaussian);
}

void isg_modes_release(isg_modes *modes) {
    for (size_t k = 0; k < modes->count; k++)
        release_mode(&modes->list[k]);
    isg_release(modes->list);
}

/* ---- downhill -------------------------------------------------------------------------------- */

/* One search in each lane. */
typedef struct descent {
    const isg_spin_model *model;
    double *delta, *gradient;           /* (p, ISG_LANES): current positions */
    double *next_delta, *next_gradient; /* and proposed ones */
    double value[ISG_LANES];            /* G */
    double length[ISG_LANES];           /* of the step to try, over the gradient's */
    bool is_done[ISG_LANES];
} descent;

enum { DESCENT_PARTS = 4 }; /* (p, ISG_LANES) each */

static void try_steps(descent *work) {
    for (size_t mu = 0; mu < work->model->p; mu++)
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            const size_t at = mu * ISG_LANES + lane;
            work->next_delta[at] = work->delta[at] - work->length[lane] * work->gradient[at];
        }
}

/* Takes the step and sets the length of the next: |change of delta|^2 over its product with the
   change of the gradient, the inverse of the curvature along the step. */
static void take_step(descent *work, size_t lane) {
    double along = 0, across = 0, slope = 0, reach = 0;
    for (size_t mu = 0; mu < work->model->p; mu++) {
        const size_t at = mu * ISG_LANES + lane;
        const double step = work->next_delta[at] - work->delta[at];
        along += step * step;
        across += step * (work->next_gradient[at] - work->gradient[at]);
        work->delta[at] = work->next_delta[at];
        work->gradient[at] = work->next_gradient[at];
        slope += work->gradient[at] * work->gradient[at];
        reach += work->delta[at] * work->delta[at];
    }
    const double longest = 1e4, rounding = 1e-13 * sqrt(reach);
    work->length[lane] =
        across > along / longest ? fmax(1, along / across) : 2 * work->length[lane];
    work->length[lane] = fmin(work->length[lane], longest);
    work->is_done[lane] = sqrt(slope) <= 1e-6 / sqrt(work->model->beta) + rounding;
}

static bool is_finished(const descent *work) {
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        if (!work->is_done[lane])
            return false;
    return true;
}

static void descend(descent *work) {
    double value[ISG_LANES];
    isg_landscape(work->model, work->delta, work->value, work->gradient);
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        work->length[lane] = 1;
    for (int step = 0; step < MAX_STEPS && !is_finished(work); step++) {
        try_steps(work);
        isg_landscape(work->model, work->next_delta, value, work->next_gradient);
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            if (work->is_done[lane])
                continue;
            if (value[lane] >= work->value[lane]) {
                work->value[lane] = value[lane];
                take_step(work, lane);
            } else if (work->length[lane] > 1) {
                work->length[lane] = 1;
            } else {
                work->is_done[lane] = true; /* only rounding is left */
            }
        }
    }
}

/* Moves points (count, p) to the minima below them. */
static isg_status descend_all(const isg_spin_model *model, double *points, size_t count) {
    const size_t p = model->p, part = p * ISG_LANES;
    const size_t blocks = (count + ISG_LANES - 1) / ISG_LANES;
    double *room = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(room, blocks, DESCENT_PARTS * part));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t block = 0; block < blocks; block++) {
        double *own = room + block * DESCENT_PARTS * part;
        descent work = {.model = model,
                        .delta = own,
                        .gradient = own + part,
                        .next_delta = own + 2 * part,
                        .next_gradient = own + 3 * part};
        for (size_t lane = 0; lane < ISG_LANES; lane++) {
            const size_t k = block * ISG_LANES + lane;
            work.is_done[lane] = k >= count;
            for (size_t mu = 0; mu < p && k < count; mu++)
                own[mu * ISG_LANES + lane] = points[k * p + mu];
        }
        descend(&work);
        for (size_t lane = 0; lane < ISG_LANES && block * ISG_LANES + lane < count; lane++)
            for (size_t mu = 0; mu < p; mu++)
                points[(block * ISG_LANES + lane) * p + mu] = own[mu * ISG_LANES + lane];
    }
    isg_release(room);
    return ISG_OK;
}

/* ---- the Gaussian of a minimum --------------------------------------------------------------- */

/* Room for the linear algebra of one mode after another. */
typedef struct workbench {
    double *scaled;              /* (n, p): D^1/2 W */
    double *curvature, *vectors; /* (p, p) */
    double *eigenvalues;         /* (p) */
    double *block, values[ISG_LANES];
} workbench;

static isg_status workbench_start(workbench *bench, const isg_spin_model *model) {
    *bench = (workbench){0};
    ISG_TRY(ISG_ALLOCATE_MATRIX(bench->scaled, model->n, model->p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(bench->curvature, model->p, model->p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(bench->vectors, model->p, model->p));
    ISG_TRY(ISG_ALLOCATE(bench->eigenvalues, model->p));
    return ISG_ALLOCATE(bench->block, model->p * ISG_LANES);
}

static void workbench_release(workbench *bench) {
    isg_release(bench->scaled);
    isg_release(bench->curvature);
    isg_release(bench->vectors);
    isg_release(bench->eigenvalues);
    isg_release(bench->block);
}

/* I - beta W^T D W with D = diag sech^2(beta x): the precision over beta. */
static isg_status find_curvature(workbench *bench, const isg_spin_model *model,
                                 const double *delta) {
    const size_t n = model->n, p = model->p;
    for (size_t i = 0; i < n; i++) {
        const double *row = model->weights + i * p;
        double x = model->field[i];
        for (size_t mu = 0; mu < p; mu++)
            x += row[mu] * delta[mu];
        const double e = isg_exp(-2 * model->beta * fabs(x));
        const double root = sqrt(model->beta * e) * 2 / (1 + e);
        for (size_t mu = 0; mu < p; mu++)
            bench->scaled[i * p + mu] = root * row[mu];
    }
    const isg_matd_view scaled = {bench->scaled, n, p, p};
    ISG_TRY(isg_matrix_multiply(isg_matd_of(bench->curvature, p, p), scaled, ISG_TRANSPOSED, scaled,
                                ISG_AS_IS));
    for (size_t k = 0; k < p * p; k++)
        bench->curvature[k] = (k % (p + 1) == 0) - bench->curvature[k];
    return isg_symmetric_eigen(bench->eigenvalues, isg_matd_of(bench->vectors, p, p),
                               (isg_matd_view){bench->curvature, p, p, p});
}

/* The precision of a flat valley: no eigenvalue below `flat`. */
static void stiffen(workbench *bench, size_t p) {
    for (size_t k = 0; k < p && bench->eigenvalues[k] < flat; k++) {
        const double missing = flat - bench->eigenvalues[k];
        for (size_t mu = 0; mu < p; mu++)
            for (size_t nu = 0; nu < p; nu++)
                bench->curvature[mu * p + nu] +=
                    missing * bench->vectors[mu * p + k] * bench->vectors[nu * p + k];
        bench->eigenvalues[k] = flat;
    }
}

static double value_at(workbench *bench, const isg_spin_model *model, const double *delta) {
    for (size_t mu = 0; mu < model->p; mu++)
        bench->block[mu * ISG_LANES] = delta[mu];
    isg_landscape(model, bench->block, bench->values, NULL);
    return bench->values[0];
}

static isg_status fit(isg_mode *mode, workbench *bench, const isg_modes *modes,
                      const double *delta) {
    const isg_spin_model *model = modes->model;
    const size_t p = model->p;
    mode->is_flat = bench->eigenvalues[0] < flat;
    stiffen(bench, p);
    for (size_t k = 0; k < p * p; k++)
        bench->curvature[k] *= model->beta;
    const double stiffness = model->beta * bench->eigenvalues[0];
    ISG_TRY(ISG_ALLOCATE(mode->center, p));
    ISG_TRY(isg_gaussian_create(&mode->gaussian, p));
    ISG_TRY(isg_gaussian_set(&mode->gaussian, delta, (isg_matd_view){bench->curvature, p, p, p},
                             stiffness));
    memcpy(mode->center, delta, p * sizeof *delta);
    mode->radius2 = same_within * same_within / stiffness;
    double square = 0;
    for (size_t mu = 0; mu < p; mu++)
        square += delta[mu] * delta[mu];
    mode->gaussian.has_mirror = modes->is_even && 4 * square > mode->radius2;
    const double log_2_pi = 1.8378770664093454836;
    mode->log_laplace = isg_landscape_log_constant(model) + value_at(bench, model, delta) +
                        (double)p / 2 * log_2_pi - mode->gaussian.log_root +
                        (mode->gaussian.has_mirror ? ISG_LN_2 : 0);
    return ISG_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The squared distance to the nearest center, and its index. */
static double nearest(const isg_modes *modes, const double *delta, size_t *which, double *sign) {
    const size_t p = modes->model->p;
    double least = HUGE_VAL;
    for (size_t k = 0; k < modes->count; k++) {
        const isg_mode *mode = &modes->list[k];
        double here = 0, there = 0;
        for (size_t mu = 0; mu < p; mu++) {
            const double minus = delta[mu] - mode->center[mu], plus = delta[mu] + mode->center[mu];
            here += minus * minus;
            there += plus * plus;
        }
        const double square = mode->gaussian.has_mirror ? fmin(here, there) : here;
        if (square < least) {
            least = square;
            *which = k;
            *sign = square < here ? -1 : 1;
        }
    }
    return least;
}

size_t isg_modes_nearest(const isg_modes *modes, const double *delta, double *sign) {
    size_t which = 0;
    nearest(modes, delta, &which, sign);
    return which;
}

static bool is_known(const isg_modes *modes, const double *delta) {
    size_t which = 0;
    double sign = 1;
    const double square = nearest(modes, delta, &which, &sign);
    return modes->count > 0 && square < modes->list[which].radius2;
}

static isg_status append(isg_modes *modes, workbench *bench, const double *delta) {
    ISG_TRY(
        isg_grow((void **)&modes->list, &modes->capacity, modes->count + 1, sizeof *modes->list));
    isg_mode mode = {0};
    const isg_status status = fit(&mode, bench, modes, delta);
    if (status == ISG_OK)
        modes->list[modes->count++] = mode;
    else
        release_mode(&mode);
    return status;
}

/* Points (count, p) below saddles. */
typedef struct point_list {
    double *points;
    size_t count, capacity; /* the capacity in numbers */
} point_list;

static isg_status add_both_sides(point_list *below, const workbench *bench,
                                 const isg_spin_model *model, const double *saddle) {
    const size_t p = model->p;
    const double push = 0.1 / sqrt(model->beta);
    ISG_TRY(isg_grow((void **)&below->points, &below->capacity, (below->count + 2) * p,
                     sizeof *below->points));
    double *sides = below->points + below->count * p;
    for (size_t mu = 0; mu < p; mu++) {
        sides[mu] = saddle[mu] + push * bench->vectors[mu * p];
        sides[p + mu] = saddle[mu] - push * bench->vectors[mu * p];
    }
    below->count += 2;
    return ISG_OK;
}

static isg_status examine(isg_modes *modes, workbench *bench, const double *delta,
                          point_list *below) {
    if (is_known(modes, delta))
        return ISG_OK;
    ISG_TRY(find_curvature(bench, modes->model, delta));
    return bench->eigenvalues[0] < -downhill ? add_both_sides(below, bench, modes->model, delta)
                                             : append(modes, bench, delta);
}

isg_status isg_modes_search(isg_modes *modes, double *points, size_t count) {
    enum { GENERATIONS = 8 }; /* saddles below saddles below ... */
    const size_t p = modes->model->p;
    isg_status status = ISG_OK;
    workbench bench = {0};
    point_list now = {0}, below = {0};
    ISG_TRY_GOTO(workbench_start(&bench, modes->model));
    for (int generation = 0; count > 0 && generation < GENERATIONS; generation++) {
        ISG_TRY_GOTO(descend_all(modes->model, points, count));
        for (size_t k = 0; k < count; k++)
            ISG_TRY_GOTO(examine(modes, &bench, points + k * p, &below));
        isg_release(now.points);
        now = below;
        below = (point_list){0};
        points = now.points;
        count = now.count;
    }
done:
    workbench_release(&bench);
    isg_release(now.points);
    isg_release(below.points);
    return status;
}

double isg_modes_log_laplace(const isg_modes *modes, size_t first) {
    double sum = -HUGE_VAL;
    for (size_t k = first; k < modes->count; k++) {
        const double both[] = {sum, modes->list[k].log_laplace};
        sum = isg_log_sum_exp(both, 2);
    }
    return sum;
}
