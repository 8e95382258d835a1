/* exact_quadrature.c - ln Z as an integral over at most three hidden units, with a proven error
 *
 * SPDX-License-Identifier: MIT
 *
 * With delta = lambda - c and f = b + W c (Eqs. 7 and 8 of the paper),
 *
 *     Z = 2^N (beta / 2 pi)^(p/2) int exp(G(delta)) ddelta
 *     G(delta) = -beta |delta|^2 / 2 + sum_i ln cosh(beta (w_i.delta + f_i))
 *
 * The trapezoid rule on the grid delta = step * integers is all that is needed. Summed over s
 * instead, exp(G) is a mixture of 2^N Gaussians of variance 1 / beta, with positive weights, and
 * by Poisson's formula the rule is wrong by at most 2 sum_k exp(-2 (pi k / r)^2) of each, per
 * dimension, with r = step * sqrt(beta): 1.2e-15 for r = 3/4. The centers W^T s bound the box.
 *
 * Most of the box is empty. The sum of ln cosh is convex and -|delta|^2 lies below its tangents,
 * so inside a cube of edge L
 *
 *     G <= (largest G at the 2^p corners) + beta p L^2 / 8.
 *
 * Cubes that this shows to be negligible are dropped, and the most they could contribute is added
 * to the error; the others are halved until they are four steps wide, and summed.
 */
#include <float.h>
#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "log_z/exact.h"

enum { MAX_HIDDEN = 3, LEAF_EDGE = 4, MAX_LEVELS = 40, MAX_CUBES = 1 << 22 };

/* A cube whose bound is this far below the largest G so far is dropped. */
static const double cutoff = 46;

static const double pi = 3.14159265358979323846;

/* Lower corner, in steps. */
typedef struct cube {
    int64_t corner[MAX_HIDDEN];
} cube;

typedef struct quadrature {
    isg_spin_model model;
    double relative_step; /* r */
    double step;
    cube *cubes;   /* of the current level */
    double *peaks; /* (n_cubes) largest G at the corners */
    size_t n_cubes;
    int64_t edge;       /* of the cubes, in steps */
    double best;        /* largest G so far */
    double log_dropped; /* ln of what the dropped cubes can add to the sum over the grid */
} quadrature;

/* sum_i ln cosh(y_i) = sum_i |y_i| + ln prod_i (1 + exp(-2 |y_i|)) / 2, with one logarithm for many
   factors, of which 2^512 is the largest product. Equal units give terms with equal rounding
   errors, so the long sum must compensate for rounding. */
static double log_density(const quadrature *work, const int64_t *point) {
    enum { GROUP = 512 };
    const isg_spin_model *model = &work->model;
    double delta[MAX_HIDDEN] = {0}, square = 0, product = 1;
    isg_sum sum = {0};
    for (size_t mu = 0; mu < model->p; mu++) {
        delta[mu] = work->step * (double)point[mu];
        square += delta[mu] * delta[mu];
    }
    for (size_t i = 0; i < model->n; i++) {
        double x = model->field[i];
        for (size_t mu = 0; mu < model->p; mu++)
            x += model->weights[i * model->p + mu] * delta[mu];
        const double size = model->beta * fabs(x);
        isg_sum_add(&sum, size);
        product *= 1 + isg_exp(-2 * size);
        if (i % GROUP == GROUP - 1) {
            isg_sum_add(&sum, isg_log(product));
            product = 1;
        }
    }
    return isg_sum_value(sum) + isg_log(product) - (double)model->n * ISG_LN_2 -
           model->beta * square / 2;
}

/* Point number k of side^p, counted from the corner in units of `unit` steps. */
static void place(const quadrature *work, const cube *from, size_t k, size_t side, int64_t unit,
                  int64_t *point) {
    for (size_t mu = 0; mu < work->model.p; mu++) {
        point[mu] = from->corner[mu] + (int64_t)(k % side) * unit;
        k /= side;
    }
}

static double peak_of(const quadrature *work, const cube *around) {
    double peak = -HUGE_VAL;
    for (size_t k = 0; k < (size_t)1 << work->model.p; k++) {
        int64_t point[MAX_HIDDEN] = {0};
        place(work, around, k, 2, work->edge, point);
        peak = fmax(peak, log_density(work, point));
    }
    return peak;
}

/* The sum over the grid points of one smallest cube; its upper faces belong to the neighbors. */
static double sum_block(const void *problem, size_t block, double *exponents) {
    const quadrature *work = problem;
    const size_t count = (size_t)1 << (2 * work->model.p);
    for (size_t k = 0; k < count; k++) {
        int64_t point[MAX_HIDDEN] = {0};
        place(work, &work->cubes[block], k, LEAF_EDGE, 1, point);
        exponents[k] = log_density(work, point);
    }
    return isg_log_sum_exp(exponents, count);
}

/* Evaluates the corners of all cubes and keeps those that may matter, in their order. */
static void prune(quadrature *work) {
    const double p = (double)work->model.p, width = (double)work->edge * work->step;
    const double rise = work->model.beta * p * width * width / 8;
    const double log_points = p * isg_log((double)work->edge);
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t k = 0; k < work->n_cubes; k++)
        work->peaks[k] = peak_of(work, &work->cubes[k]);
    for (size_t k = 0; k < work->n_cubes; k++)
        work->best = fmax(work->best, work->peaks[k]);
    size_t kept = 0;
    for (size_t k = 0; k < work->n_cubes; k++) {
        const double bound = work->peaks[k] + rise;
        if (bound >= work->best - cutoff) {
            work->cubes[kept++] = work->cubes[k];
        } else {
            const double both[] = {work->log_dropped, bound + log_points};
            work->log_dropped = isg_log_sum_exp(both, 2);
        }
    }
    work->n_cubes = kept;
}

/* Halves the edge of all cubes. */
static isg_status split(quadrature *work) {
    const size_t children = (size_t)1 << work->model.p;
    cube *cubes = NULL;
    double *peaks = NULL;
    if (work->n_cubes > MAX_CUBES / children)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "quadrature: the weight of lambda spreads over more than %d cubes",
                        MAX_CUBES);
    const size_t count = work->n_cubes * children;
    ISG_TRY(ISG_ALLOCATE(cubes, count));
    const isg_status status = ISG_ALLOCATE(peaks, count);
    if (status != ISG_OK) {
        isg_release(cubes);
        return status;
    }
    work->edge /= 2;
    for (size_t k = 0; k < count; k++)
        place(work, &work->cubes[k / children], k % children, 2, work->edge, cubes[k].corner);
    isg_release(work->cubes);
    isg_release(work->peaks);
    work->cubes = cubes;
    work->peaks = peaks;
    work->n_cubes = count;
    return ISG_OK;
}

/* One cube around all W^T s plus ten standard deviations, beyond which lies 1e-23 of Z. */
static isg_status start(quadrature *work, const isg_rbm *rbm) {
    ISG_TRY(isg_spin_model_start(&work->model, rbm));
    const isg_spin_model *model = &work->model;
    work->step = work->relative_step / sqrt(model->beta);
    work->best = work->log_dropped = -HUGE_VAL;
    double reach = 0;
    for (size_t mu = 0; mu < model->p; mu++) {
        double sum = 0;
        for (size_t i = 0; i < model->n; i++)
            sum += fabs(model->weights[i * model->p + mu]);
        reach = fmax(reach, sum);
    }
    reach = reach / work->step + 10 / work->relative_step;
    work->edge = LEAF_EDGE;
    for (int level = 0; (double)(work->edge / 2) < reach; level++) {
        if (level == MAX_LEVELS)
            return isg_fail(ISG_ERR_UNSUPPORTED, "quadrature: the weights are too large");
        work->edge *= 2;
    }
    ISG_TRY(ISG_ALLOCATE(work->cubes, 1));
    ISG_TRY(ISG_ALLOCATE(work->peaks, 1));
    for (size_t mu = 0; mu < model->p; mu++)
        work->cubes[0].corner[mu] = -work->edge / 2;
    work->n_cubes = 1;
    return ISG_OK;
}

/* How much the rule, the dropped cubes and rounding can change ln Z. */
static double error_bound(const quadrature *work, double log_sum, double log_z) {
    const double n = (double)work->model.n, p = (double)work->model.p;
    double ripple = 0;
    for (int k = 1; k <= 16; k++) {
        const double wave = pi * k / work->relative_step;
        ripple += 2 * isg_exp(-2 * wave * wave);
    }
    const double fraction = isg_expm1(p * isg_log1p(ripple)) + isg_exp(work->log_dropped - log_sum);
    const double rounding = 8 * DBL_EPSILON * (fabs(log_z) + fabs(work->best) + n);
    return fraction < 1 ? rounding - isg_log1p(-fraction) : HUGE_VAL;
}

isg_status isg_exact_quadrature_with(const isg_rbm *rbm, double relative_step, double *log_z,
                                     double *error, const isg_progress *progress) {
    if (rbm->info.n_hidden > MAX_HIDDEN)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "quadrature: expected at most %d hidden units, found %zu", MAX_HIDDEN,
                        rbm->info.n_hidden);
    quadrature work = {.relative_step = relative_step};
    isg_status status = ISG_OK;
    double log_sum = 0, value = 0;
    ISG_TRY_GOTO(start(&work, rbm));
    prune(&work);
    while (work.edge > LEAF_EDGE) {
        ISG_TRY_GOTO(split(&work));
        prune(&work);
    }
    ISG_TRY_GOTO(isg_exact_add_blocks(&log_sum, sum_block, &work, work.n_cubes,
                                      (size_t)1 << (2 * work.model.p), progress));
    /* step^p (beta / 2 pi)^(p/2) = (r / sqrt(2 pi))^p */
    const double log_volume = (double)work.model.p * (isg_log(relative_step) - isg_log(2 * pi) / 2);
    ISG_TRY_GOTO(isg_exact_finish(&value, log_sum + (double)work.model.n * ISG_LN_2 + log_volume));
    *log_z = value;
    *error = error_bound(&work, log_sum, value);
done:
    isg_release(work.model.field);
    isg_release(work.cubes);
    isg_release(work.peaks);
    return status;
}

isg_status isg_exact_quadrature(const isg_rbm *rbm, double *log_z, double *error,
                                const isg_progress *progress) {
    return isg_exact_quadrature_with(rbm, 0.75, log_z, error, progress);
}
