/* logistic_newton.c - logistic regression by damped Newton steps
 *
 * SPDX-License-Identifier: MIT
 *
 * Only differences of classes matter, so the step is found with the last class held at zero,
 * phi_k = theta_k - theta_last, in (n_classes - 1) width unknowns, where the second derivatives are
 *
 *     H_kl = 1/M sum_a p_k ([k = l] - p_l) z z^T + penalty ([k = l] - 1 / n_classes),
 *
 * the last term being the penalty of theta_k = phi_k - mean phi, which sums to zero. Newton steps
 * do not depend on such a choice.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "classify/logistic.h"
#include "linalg/linalg.h"

/* Added to the diagonal, relative to its largest entry. Without a penalty the features may be
   dependent; then this selects small coefficients, and keeps rounding errors from growing along
   directions that change nothing. */
static const double LITTLE_RIDGE = 1e-14, RIDGE_WITHOUT_PENALTY = 1e-9;

/* When theta changes by less than this, relative to its size, and the gradient falls to less, the next
   step reuses the second derivatives: they cost many times what the gradient does. */
static const double NEAR = 0.01;

/* Entries of blocks, 16 bytes each: per thread at a time, and roughly in total. */
enum { NEAR_CACHE = 1 << 12, MOST_ENTRIES = 1 << 21, MOST_PARTS = 16 };

enum { MOST_HALVINGS = 60, MOST_RIDGES = 8, MOST_STALLS = 3 };

typedef struct newton {
    isg_logistic_search *search;
    size_t size;              /* (n_classes - 1) width */
    size_t n_pairs, triangle; /* of classes; and entries of a block, width (width + 1) / 2 */
    size_t n_parts;           /* of the samples */
    isg_pair *blocks;         /* (n_parts, n_pairs, triangle) */
    double *hessian;          /* (size, size), its lower triangle */
    double *factor;           /* (size, size) */
    double *step;             /* (n_classes, width) */
    double *start;            /* (n_classes, width): theta before the step */
} newton;

static size_t count_pairs(size_t n) {
    return n * (n + 1) / 2;
}

/* ---- The second derivatives ------------------------------------------------------------------- */

/* Pair k >= l of a triangle, counted row by row. */
static void pair_at(size_t index, size_t *k, size_t *l) {
    size_t row = 0;
    while (index > row)
        index -= ++row;
    *k = row;
    *l = index;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void add_pair(const isg_logistic_loss *loss, size_t t, size_t k, size_t l, isg_pair *block) {
    const double *panel = loss->panels + t * loss->width * ISG_LANES;
    const double *p = loss->probabilities + t * loss->n_classes * ISG_LANES;
    const size_t first = t * ISG_LANES;
    double weight[ISG_LANES] __attribute__((aligned(16)));
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        weight[lane] = p[k * ISG_LANES + lane] * ((k == l ? 1 : 0) - p[l * ISG_LANES + lane]);
    for (size_t lane = 0; lane < smaller(ISG_LANES, loss->n_samples - first); lane++)
        weight[lane] *= loss->weights[loss->labels[first + lane]];
    for (size_t i = 0; i < loss->width; i++) {
        isg_add_products(block, weight, panel + i * ISG_LANES, panel, i + 1);
        block += i + 1;
    }
}

/* Threads own some pairs of classes, as many as fit in a near cache, in one part of the samples;
   the parts are added in order. Their number depends only on the problem. */
static void fill_blocks(newton *work, size_t n_pairs) {
    const isg_logistic_loss *loss = &work->search->loss;
    const size_t triangle = work->triangle, all = work->n_pairs * triangle;
    const size_t group = 1 + NEAR_CACHE / triangle, n_groups = (n_pairs - 1) / group + 1;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t item = 0; item < n_groups * work->n_parts; item++) {
        const size_t part = item / n_groups, first = item % n_groups * group;
        const size_t last = smaller(first + group, n_pairs);
        isg_pair *blocks = work->blocks + part * all;
        memset(blocks + first * triangle, 0, (last - first) * triangle * sizeof *blocks);
        for (size_t t = part * loss->n_panels / work->n_parts;
             t < (part + 1) * loss->n_panels / work->n_parts; t++) {
            size_t k = 0, l = 0;
            pair_at(first, &k, &l);
            for (size_t index = first; index < last; index++) {
                add_pair(loss, t, k, l, blocks + index * triangle);
                if (++l > k)
                    k++, l = 0;
            }
        }
    }
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t i = 0; i < n_pairs * triangle; i++)
        for (size_t part = 1; part < work->n_parts; part++)
            work->blocks[i] += work->blocks[part * all + i];
}

/* At the start, where only intercepts differ from zero, all samples have the same probabilities, and
   all blocks are multiples of the first. */
static void fill_first_blocks(newton *work) {
    const double *p = work->search->loss.probabilities;
    fill_blocks(work, 1);
    for (size_t index = 1; index < work->n_pairs; index++) {
        size_t k = 0, l = 0;
        pair_at(index, &k, &l);
        const double factor =
            p[k * ISG_LANES] * ((k == l ? 1 : 0) - p[l * ISG_LANES]) / (p[0] * (1 - p[0]));
        for (size_t i = 0; i < work->triangle; i++)
            work->blocks[index * work->triangle + i] = factor * work->blocks[i];
    }
}

/* Every block is symmetric, and all of it lies below the diagonal of H if k > l. */
static void fill_hessian(newton *work) {
    const isg_logistic_loss *loss = &work->search->loss;
    const size_t width = loss->width, size = work->size;
    const double scale = 1 / (double)loss->n_samples, share = 1 / (double)loss->n_classes;
    if (work->search->report.iterations == 0)
        fill_first_blocks(work);
    else
        fill_blocks(work, work->n_pairs);
    for (size_t index = 0; index < work->n_pairs; index++) {
        size_t k = 0, l = 0;
        pair_at(index, &k, &l);
        const isg_pair *block = work->blocks + index * work->triangle;
        double *corner = work->hessian + k * width * size + l * width;
        for (size_t i = 0; i < width; i++) {
            for (size_t j = 0; j <= i; j++, block++) {
                const double sum = scale * ((*block)[0] + (*block)[1]);
                corner[i * size + j] = sum;
                corner[j * size + i] = sum;
            }
            corner[i * size + i] += loss->penalty[i] * ((k == l ? 1 : 0) - share);
        }
    }
}

/* The penalty of this weight on all of theta, intercepts included. */
static void add_ridge(newton *work, double ridge) {
    const isg_logistic_loss *loss = &work->search->loss;
    for (size_t k = 0; k + 1 < loss->n_classes; k++)
        for (size_t l = 0; l <= k; l++)
            for (size_t i = 0; i < loss->width; i++)
                work->hessian[(k * loss->width + i) * work->size + l * loss->width + i] +=
                    ridge * ((k == l ? 1 : 0) - 1 / (double)loss->n_classes);
}

/* ---- Steps ------------------------------------------------------------------------------------ */

/* ISG_ERR_ARGUMENT if H is not positive definite. */
static isg_status factorize(newton *work) {
    const isg_matd hessian = isg_matd_of(work->hessian, work->size, work->size);
    const isg_matd factor = isg_matd_of(work->factor, work->size, work->size);
    fill_hessian(work);
    double largest = DBL_MIN;
    for (size_t i = 0; i < work->size; i++)
        largest = fmax(largest, work->hessian[i * (work->size + 1)]);
    double ridge = largest * (work->search->options->l2 > 0 ? LITTLE_RIDGE : RIDGE_WITHOUT_PENALTY);
    isg_status status = ISG_ERR_ARGUMENT;
    for (int tries = 0; tries < MOST_RIDGES && status == ISG_ERR_ARGUMENT; tries++, ridge *= 100) {
        add_ridge(work, ridge);
        status = isg_cholesky(factor, isg_matd_const(hessian));
    }
    return status;
}

/* step = -H^-1 gradient, its classes summing to zero. */
static isg_status find_step(newton *work) {
    const isg_logistic_search *search = work->search;
    const isg_logistic_loss *loss = &search->loss;
    for (size_t i = 0; i < work->size; i++)
        work->step[i] = -search->gradient[i];
    memset(work->step + work->size, 0, loss->width * sizeof *work->step);
    ISG_TRY(isg_cholesky_solve(isg_matd_of(work->step, work->size, 1),
                               isg_matd_const(isg_matd_of(work->factor, work->size, work->size))));
    isg_logistic_center(work->step, loss->n_classes, loss->width);
    return ISG_OK;
}

/* Halves the step until f falls by a fair part of what its slope promised, as far as rounding can
   tell; false, with theta unchanged, if it never does. */
static bool take_step(newton *work, double slope) {
    isg_logistic_search *search = work->search;
    const size_t size = search->loss.n_classes * search->loss.width;
    const double before = search->value, noise = 8 * DBL_EPSILON * fabs(before);
    memcpy(work->start, search->theta, size * sizeof *work->start);
    double part = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, part /= 2) {
        for (size_t i = 0; i < size; i++)
            search->theta[i] = work->start[i] + part * work->step[i];
        isg_logistic_evaluate(search);
        if (search->value <= before + 1e-4 * part * slope + noise)
            return true;
    }
    memcpy(search->theta, work->start, size * sizeof *work->start);
    isg_logistic_evaluate(search);
    return false;
}

/* Without a penalty, isg_logistic_polish() decides about a small gradient: the ridge shortens steps
   where f is flatter than the ridge, and makes a loss that falls forever look like a minimum. */
static bool is_over(isg_logistic_search *search, double change) {
    if (search->options->l2 == 0 && search->report.gradient <= search->options->tolerance)
        return true;
    return isg_logistic_is_over(search, change);
}

static isg_status iterate(newton *work) {
    isg_logistic_search *search = work->search;
    const size_t size = search->loss.n_classes * search->loss.width;
    double change = HUGE_VAL;
    bool is_factor_good = false;
    int stalls = 0;
    while (!is_over(search, change)) {
        const isg_status status = is_factor_good ? ISG_OK : factorize(work);
        if (status == ISG_ERR_ARGUMENT) {
            isg_logistic_give_up(search);
            return ISG_OK;
        }
        ISG_TRY(status);
        ISG_TRY(find_step(work));
        const double before = search->report.gradient;
        const double slope = isg_logistic_dot(search->gradient, work->step, size);
        change = isg_logistic_largest(work->step, size) /
                 (1 + isg_logistic_largest(search->theta, size));
        const bool moved = take_step(work, slope);
        is_factor_good = moved && change < NEAR && search->report.gradient < NEAR * before;
        /* Near the minimum f is flat to the last bit, and only the gradient tells. */
        stalls = search->report.gradient < before ? 0 : stalls + 1;
        ISG_TRY(isg_logistic_step_done(search));
        const bool is_flat = fabs(slope) < 1e-14 * (1 + fabs(search->value));
        if (!is_over(search, change) && (!moved || (is_flat && stalls >= MOST_STALLS))) {
            isg_logistic_give_up(search);
            return ISG_OK;
        }
    }
    return ISG_OK;
}

isg_status isg_logistic_newton(isg_logistic_search *search) {
    const size_t n_classes = search->loss.n_classes, width = search->loss.width;
    newton work = {.search = search};
    isg_status status = ISG_OK;
    size_t n_entries = 0;
    if (!isg_multiply(&work.size, n_classes - 1, width) ||
        !isg_multiply(&n_entries, count_pairs(n_classes - 1), count_pairs(width)))
        return isg_fail(ISG_ERR_MEMORY,
                        "Newton's method: no memory for second derivatives by %zu x %zu numbers",
                        n_classes, width);
    work.n_pairs = count_pairs(n_classes - 1);
    work.triangle = count_pairs(width);
    work.n_parts = smaller(MOST_PARTS, 1 + MOST_ENTRIES / n_entries);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.hessian, work.size, work.size));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.factor, work.size, work.size));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.blocks, work.n_parts, n_entries));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.step, n_classes, width));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.start, n_classes, width));
    ISG_TRY_GOTO(iterate(&work));
    if (search->options->l2 == 0 && search->report.gradient <= search->options->tolerance)
        ISG_TRY_GOTO(isg_logistic_polish(search));
done:
    isg_release(work.hessian);
    isg_release(work.factor);
    isg_release(work.blocks);
    isg_release(work.step);
    isg_release(work.start);
    return status;
}
