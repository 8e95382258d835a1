/* exact.c - ln Z, p(s) and samples by enumerating all states, and what the exact methods share
 *
 * SPDX-License-Identifier: MIT
 */
#include "log_z/exact.h"

#include <math.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/progress_part.h"
#include "base/rng.h"
#include "base/special.h"
#include "base/threads.h"
#include "linalg/linalg.h"

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

isg_status isg_exact_finish(double *log_z, double value) {
    if (!isfinite(value))
        return isg_fail(ISG_ERR_DIVERGED, "ln Z: the weights or fields are too large");
    *log_z = value;
    return ISG_OK;
}

/* ---- all states ------------------------------------------------------------------------------ */

/* A Gray code visits the states so that each differs from the one before in a single spin, which
   costs one row of W: O(p) per state, not O(N p). The highest spins number the blocks; within a
   block the lowest run through the code. Every block starts from a fresh W^T s, so rounding errors
   cannot accumulate. */

enum { MAX_ENUMERATED = 28, MAX_PROBABILITIES = 24 };

/* Bit i of a state's number says whether spin i is up. */
typedef struct enumeration {
    isg_spin_model model;
    size_t low_bits; /* spins that change within a block */
    double *table;   /* (2^n) receives every state's exponent; NULL if only the sum is wanted */
} enumeration;

/* f.s and W^T s of the first state of a block, from their definition. */
static double start_block(const isg_spin_model *model, uint64_t state, double *input) {
    double field_sum = 0;
    for (size_t mu = 0; mu < model->p; mu++)
        input[mu] = 0;
    isg_add_spin_rows(input, &state, model->weights, model->n, model->p);
    for (size_t i = 0; i < model->n; i++)
        field_sum += isg_spin(&state, i) * model->field[i];
    return field_sum;
}

static double sum_block(const void *problem, size_t block, double *input) {
    const enumeration *work = problem;
    const isg_spin_model *model = &work->model;
    const size_t p = model->p, count = (size_t)1 << work->low_bits;
    double local[ISG_BLOCK_TERMS];
    double *exponents = work->table ? work->table + block * count : local;
    uint64_t state = (uint64_t)block << work->low_bits;
    double field_sum = start_block(model, state, input);
    exponents[0] = isg_spin_model_exponent(model, field_sum, input);
    for (size_t step = 1; step < count; step++) {
        const size_t i = (size_t)__builtin_ctzll(step);
        state ^= UINT64_C(1) << i;
        const double change = 2 * isg_spin(&state, i);
        const double *row = model->weights + i * p;
        field_sum += change * model->field[i];
        for (size_t mu = 0; mu < p; mu++)
            input[mu] += change * row[mu];
        exponents[state & (count - 1)] = isg_spin_model_exponent(model, field_sum, input);
    }
    return isg_log_sum_exp(exponents, count);
}

static isg_status enumerate(const isg_rbm *rbm, double *table, double *log_z,
                            const isg_progress *progress) {
    enumeration work = {.table = table};
    double value = 0;
    ISG_TRY(isg_spin_model_start(&work.model, rbm));
    work.low_bits = work.model.n < ISG_BLOCK_BITS ? work.model.n : ISG_BLOCK_BITS;
    isg_status status =
        isg_exact_add_blocks(&value, sum_block, &work, (size_t)1 << (work.model.n - work.low_bits),
                             work.model.p, progress);
    if (status == ISG_OK)
        status = isg_exact_finish(log_z, value);
    isg_release(work.model.field);
    return status;
}

isg_status isg_exact_enumerate(const isg_rbm *rbm, double *log_z, const isg_progress *progress) {
    if (rbm->info.n_visible > MAX_ENUMERATED)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "enumeration: expected at most %d visible units, found %zu", MAX_ENUMERATED,
                        rbm->info.n_visible);
    return enumerate(rbm, NULL, log_z, progress);
}

isg_status isg_exact_probabilities(const isg_rbm *rbm, double *probabilities) {
    const size_t n = rbm->info.n_visible;
    if (n > MAX_PROBABILITIES)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "all probabilities: expected at most %d visible units, found %zu",
                        MAX_PROBABILITIES, n);
    double *table = NULL, log_z = 0;
    ISG_TRY(ISG_ALLOCATE(table, (size_t)1 << n));
    const isg_status status = enumerate(rbm, table, &log_z, NULL);
    for (size_t state = 0; status == ISG_OK && state < (size_t)1 << n; state++)
        probabilities[state] = isg_exp(table[state] - log_z);
    isg_release(table);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Beyond this, a list of all states takes too much memory for a sample. */
enum { MAX_LISTED = 20 };

static isg_status sample_listed(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins) {
    const size_t states = (size_t)1 << rbm->info.n_visible;
    double *cumulated = NULL;
    ISG_TRY(ISG_ALLOCATE(cumulated, states));
    const isg_status status = isg_exact_probabilities(rbm, cumulated);
    if (status != ISG_OK) {
        isg_release(cumulated);
        return status;
    }
    for (size_t s = 1; s < states; s++)
        cumulated[s] += cumulated[s - 1];
    for (size_t k = 0; k < count; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_EXACT, 0, (uint32_t)k));
        spins[k] = isg_next_of(&random, cumulated, states);
    }
    isg_release(cumulated);
    return ISG_OK;
}

isg_status isg_exact_samples(const isg_rbm *rbm, size_t count, uint64_t seed, uint64_t *spins) {
    if (count > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "expected at most 2^32 - 1 samples, found %zu", count);
    if (rbm->info.n_visible <= MAX_LISTED)
        return sample_listed(rbm, count, seed, spins);
    return isg_exact_class_samples(rbm, count, seed, spins);
}
