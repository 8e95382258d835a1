/* exact.c - what the ways of computing ln Z exactly share
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_z/exact.h"

#include <math.h>

#include "base/memory.h"
#include "base/progress_part.h"
#include "base/special.h"
#include "base/threads.h"

isg_status isg_exact_add_blocks(double *log_sum, isg_block_sum *block_sum, const void *problem,
                                size_t n_blocks, size_t scratch, const isg_progress *progress) {
    enum { BATCH = 256, CACHE_LINE = 8 }; /* blocks between two reports; doubles */
    const size_t stride = (scratch + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    const size_t slots = n_blocks < BATCH ? n_blocks : BATCH;
    isg_status status = ISG_OK;
    double *sums = NULL, *room = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(sums, n_blocks));
    room = isg_allocate(stride, slots * sizeof *room);
    if (!room)
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    for (size_t first = 0; first < n_blocks; first += slots) {
        const size_t count = n_blocks - first < slots ? n_blocks - first : slots;
        if (progress && !progress->report(progress->user, (double)first / (double)n_blocks))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the exact sum was cancelled"));
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
        for (size_t k = 0; k < count; k++)
            sums[first + k] = block_sum(problem, first + k, room + k * stride);
    }
    ISG_TRY_GOTO(isg_progress_end(progress, "the exact sum"));
    *log_sum = isg_log_sum_exp(sums, n_blocks);
done:
    isg_release(sums);
    isg_release(room);
    return status;
}

static bool all_finite(const double *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

isg_status isg_spin_model_start(isg_spin_model *model, const isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    double *field = NULL;
    if (!all_finite(rbm->weights, n * p) || !all_finite(rbm->b, n) || !all_finite(rbm->c, p))
        return isg_fail(ISG_ERR_DIVERGED, "ln Z: a weight or field is not finite");
    ISG_TRY(ISG_ALLOCATE(field, n));
    isg_rbm_visible_input(rbm, rbm->c, field);
    *model = (isg_spin_model){n, p, rbm->info.beta, rbm->weights, field};
    return ISG_OK;
}

double isg_spin_model_exponent(const isg_spin_model *model, double field_sum, const double *input) {
    double square = 0;
    for (size_t mu = 0; mu < model->p; mu++)
        square += input[mu] * input[mu];
    return model->beta * (field_sum + square / 2);
}

isg_status isg_exact_finish(double *log_z, double value) {
    if (!isfinite(value))
        return isg_fail(ISG_ERR_DIVERGED, "ln Z: the weights or fields are too large");
    *log_z = value;
    return ISG_OK;
}
