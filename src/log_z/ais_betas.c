/* ais_betas.c - ln Z at many temperatures from one annealing
 *
 * SPDX-License-Identifier: MIT
 *
 * The chains are led from beta = 0 to the largest beta that is wanted, with a stop at every other
 * one, so that all of them cost as much as the last. Steps are even in the square root of beta, as
 * they are in alpha when the scale of W is annealed (without field b both are the same path).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log_z/ais.h"

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The wanted betas among evenly spaced ones, rising from 0, each once; returns how many after 0. */
static size_t fill_ladder(double *ladder, size_t steps, const double *betas, size_t n) {
    double largest = 0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, betas[k]);
    size_t count = 0;
    for (size_t k = 0; k < steps; k++) {
        const double root = (double)k / (double)steps;
        ladder[count++] = largest * root * root;
    }
    memcpy(ladder + count, betas, n * sizeof *betas);
    count += n;
    qsort(ladder, count, sizeof *ladder, compare);
    size_t kept = 0;
    for (size_t k = 1; k < count; k++)
        if (ladder[k] > ladder[kept])
            ladder[++kept] = ladder[k];
    return kept;
}

static size_t step_of(const double *ladder, size_t steps, double beta) {
    size_t low = 0, high = steps;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ladder[middle] < beta)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static isg_status check_betas(const isg_ais_options *options, const double *betas, size_t n) {
    ISG_TRY(isg_ais_check(options));
    if (options->weights != ISG_AIS_SPIN || options->schedule)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "many betas at once need spin weights and no other schedule");
    for (size_t k = 0; k < n; k++)
        ISG_TRY(isg_check_beta(betas[k]));
    if (n == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at least one beta");
    return ISG_OK;
}

/* marks[m] is the step of the m-th smallest beta, and rank[k] = m that of betas[k]. */
static size_t find_marks(const double *ladder, size_t steps, const double *betas, size_t n,
                         size_t *marks, size_t *rank) {
    size_t count = 0;
    for (size_t step = 1; step <= steps; step++) {
        bool is_wanted = false;
        for (size_t k = 0; k < n; k++)
            if (step_of(ladder, steps, betas[k]) == step) {
                rank[k] = count;
                is_wanted = true;
            }
        if (is_wanted)
            marks[count++] = step;
    }
    return count;
}

isg_status isg_ais_log_z_betas(const isg_rbm *rbm, const isg_ais_options *options,
                               const double *betas, size_t n, isg_log_z *out) {
    ISG_TRY(check_betas(options, betas, n));
    const size_t chains = options->chains * options->repeats;
    isg_status status = ISG_OK;
    isg_anneal a;
    double *ladder = NULL, *log_weights = NULL;
    size_t *marks = NULL, *rank = NULL;
    isg_log_z *found = NULL;
    ISG_TRY_GOTO(isg_anneal_create(&a, rbm, options->seed, ISG_PURPOSE_AIS));
    ISG_TRY_GOTO(ISG_ALLOCATE(ladder, options->steps + n));
    ISG_TRY_GOTO(ISG_ALLOCATE(marks, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(rank, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(found, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(log_weights, n, chains));
    a.path = ISG_PATH_BETA;
    a.positions = ladder;
    a.steps = fill_ladder(ladder, options->steps, betas, n);
    const isg_anneal_job job = {
        .chains = chains,
        .marks = marks,
        .n_marks = find_marks(ladder, a.steps, betas, n, marks, rank),
        .log_weights = log_weights,
        .progress = options->progress,
    };
    ISG_TRY_GOTO(isg_anneal_run(&a, &job));
    for (size_t k = 0; k < n; k++)
        ISG_TRY_GOTO(isg_ais_conclude(&found[k], options, rbm->info.n_visible,
                                      log_weights + rank[k] * chains, 1));
    memcpy(out, found, n * sizeof *out);
done:
    isg_anneal_release(&a);
    isg_release(ladder);
    isg_release(marks);
    isg_release(rank);
    isg_release(found);
    isg_release(log_weights);
    return status;
}
