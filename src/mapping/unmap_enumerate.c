/* unmap_enumerate.c - every binary vector that may lie in the span of W
 *
 * SPDX-License-Identifier: MIT
 *
 * A vector of the span is fixed by its values on any p units I with an invertible U_I, as U U_I^-1
 * s_I. Pivoting finds units for which U U_I^-1 has small entries; 2^(p-1) signs s_I, the others
 * being their negatives, then give every binary vector in the span, and a start near every binary
 * vector that almost lies in it. Each is relaxed (unmap_relax.c).
 *
 * The signs follow a Gray code, so that the next start is one column away. Fields are computed in
 * float, 16 units at a time, and U^T b is updated for the spins that flip. It is enough to get near
 * the limits; the best are relaxed once more at the end, in double. Every block of 256 starts
 * begins from scratch, so its result does not depend on the thread that runs it.
 *
 * If W comes from few patterns, many fields are zero, since U U_I^-1 consists of simple fractions.
 * Rounding of a zero must not decide a spin: the spin is -1 in a start, and relaxing keeps it.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "linalg/linalg.h"
#include "mapping/unmap.h"

enum { BLOCK = 256, BLOCKS_A_REPORT = 64, MOST_SWEEPS = 100, QUADS = 4, LANES = 4 * QUADS };

typedef float quad __attribute__((vector_size(16)));
typedef int32_t whole_quad __attribute__((vector_size(16)));

/* U and U U_I^-1 as the loops read them. */
typedef struct tables {
    const isg_span *span;
    size_t panels;    /* of 16 units, the last padded with zeros */
    size_t row_quads; /* p in quads, padded likewise */
    quad *columns;    /* (panels, p, QUADS) U */
    quad *rows;       /* (n, row_quads) U */
    quad *lift;       /* (p, panels, QUADS) U U_I^-1 */
    quad *no_start;   /* (panels, QUADS) a field up to this size is rounding: in a start ... */
    quad *no_field;   /* (panels, QUADS) ... and while relaxing */
} tables;

/* Relative to the terms of a field: a block adds up 256 of them, each with an error of 6e-8. */
static const double rounding = 1e-5;

/* One thread's state. */
typedef struct walker {
    isg_pool *pool;
    quad *field;             /* (panels, QUADS) of the start */
    quad *start_sums, *sums; /* (row_quads) U^T b of the start, and while relaxing */
    uint64_t *start, *spins; /* (words) */
    double *h;               /* (p) */
} walker;

static void tables_free(tables *my) {
    isg_release(my->columns);
    isg_release(my->rows);
    isg_release(my->lift);
    isg_release(my->no_start);
    isg_release(my->no_field);
}

/* The p rows of U that pivoted QR of U^T takes first: each is the longest outside the span of those
   before, the first of equals. `rest` (n, p) becomes the remainder of U. */
static void choose_units(size_t *order, double *rest, const isg_span *span) {
    const size_t n = span->n, p = span->p;
    const double equal = 1e-9; /* rows of U are no longer than 1 */
    memcpy(rest, span->network->u, n * p * sizeof *rest);
    for (size_t k = 0; k < p; k++) {
        double longest = -1, along[ISG_UNMAP_MAX_P];
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t mu = 0; mu < p; mu++)
                square += rest[i * p + mu] * rest[i * p + mu];
            if (square > longest + equal) {
                longest = square;
                order[k] = i;
            }
        }
        memcpy(along, rest + order[k] * p, p * sizeof *along);
        for (size_t i = 0; i < n; i++) {
            double product = 0;
            for (size_t mu = 0; mu < p; mu++)
                product += along[mu] * rest[i * p + mu];
            for (size_t mu = 0; mu < p; mu++)
                rest[i * p + mu] -= product / longest * along[mu];
        }
    }
}

/* lift (n, p) = U U_I^-1 for the units I: with U_I = q r, the inverse is r^-1 q^T. */
static isg_status find_lift(double *lift, const isg_span *span) {
    const size_t n = span->n, p = span->p;
    double *r = NULL, *q = NULL, *inverse = NULL;
    size_t order[ISG_UNMAP_MAX_P];
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(q, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(inverse, p, p));
    choose_units(order, lift, span);
    for (size_t k = 0; k < p; k++)
        memcpy(q + k * p, span->network->u + order[k] * p, p * sizeof *q);
    const isg_matd square = isg_matd_of(q, p, p), triangle = isg_matd_of(r, p, p);
    ISG_TRY_GOTO(isg_qr(square, triangle, isg_matd_const(square)));
    for (size_t k = 0; k < p; k++)
        for (size_t mu = 0; mu < p; mu++)
            inverse[k * p + mu] = q[mu * p + k];
    const isg_matd solved = isg_matd_of(inverse, p, p);
    ISG_TRY_GOTO(isg_triangular_solve(solved, isg_matd_const(triangle), ISG_UPPER, ISG_AS_IS));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(lift, n, p),
                                     isg_matd_const(isg_matd_of(span->network->u, n, p)), ISG_AS_IS,
                                     isg_matd_const(solved), ISG_AS_IS));
done:
    isg_release(r);
    isg_release(q);
    isg_release(inverse);
    return status;
}

static isg_status tables_create(tables *my, const isg_span *span) {
    const size_t n = span->n, p = span->p;
    double *lift = NULL;
    isg_status status = ISG_OK;
    *my = (tables){.span = span, .panels = (n + LANES - 1) / LANES, .row_quads = (p + 3) / 4};
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(lift, n, p));
    ISG_TRY_GOTO(find_lift(lift, span));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->columns, my->panels, p * QUADS));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->rows, n, my->row_quads));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->lift, p, my->panels * QUADS));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->no_start, my->panels, QUADS));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my->no_field, my->panels, QUADS));
    for (size_t i = 0; i < n; i++) {
        const size_t panel = i / LANES, q = i % LANES / 4, lane = i % 4;
        double lifted = 0;
        for (size_t mu = 0; mu < p; mu++) {
            const float u = (float)span->network->u[i * p + mu];
            my->columns[(panel * p + mu) * QUADS + q][lane] = u;
            my->rows[i * my->row_quads + mu / 4][mu % 4] = u;
            my->lift[(mu * my->panels + panel) * QUADS + q][lane] = (float)lift[i * p + mu];
            lifted += fabs(lift[i * p + mu]);
        }
        my->no_start[panel * QUADS + q][lane] = (float)(rounding * lifted);
        my->no_field[panel * QUADS + q][lane] =
            (float)(rounding *
                    sqrt((double)n * span->network->diagonal[i])); /* as in unmap_relax.c */
    }
done:
    isg_release(lift);
    return status;
}

/* ---- the loop ---------------------------------------------------------------------------------- */

/* 16 bits, set where y is above the bound. */
static inline uint64_t above(const quad y[QUADS], const quad bound[QUADS]) {
    const whole_quad bits = {1, 2, 4, 8};
    const whole_quad all = ((y[0] > bound[0]) & bits) | ((y[1] > bound[1]) & bits) << 4 |
                           ((y[2] > bound[2]) & bits) << 8 | ((y[3] > bound[3]) & bits) << 12;
    return (uint64_t)(uint32_t)(all[0] | all[1] | all[2] | all[3]);
}

/* Signs of U h on the units of one panel; those of `spins` where that is zero. */
static inline uint64_t panel_signs(const tables *my, const float *h, size_t panel, uint64_t spins) {
    const size_t p = my->span->p;
    const quad *u = my->columns + panel * p * QUADS;
    quad y[QUADS] = {{0}, {0}, {0}, {0}};
    for (size_t mu = 0; mu < p; mu++, u += QUADS) {
        const quad factor = h[mu] - (quad){0};
        y[0] += factor * u[0];
        y[1] += factor * u[1];
        y[2] += factor * u[2];
        y[3] += factor * u[3];
    }
    const quad *zero = my->no_field + panel * QUADS;
    const quad below[QUADS] = {-y[0], -y[1], -y[2], -y[3]};
    return above(y, zero) | (spins & ~above(below, zero));
}

/* Sets word w of the spins to `next` and updates the sums; returns whether anything changed. */
static inline bool set_word(const tables *my, uint64_t *spins, quad *sums, size_t w,
                            uint64_t next) {
    uint64_t flipped = spins[w] ^ next;
    const bool is_changed = flipped != 0;
    spins[w] = next;
    for (; flipped; flipped &= flipped - 1) {
        const size_t bit = (size_t)__builtin_ctzll(flipped);
        const quad *row = my->rows + (w * 64 + bit) * my->row_quads;
        const float change = next >> bit & 1 ? 2.0f : -2.0f;
        for (size_t q = 0; q < my->row_quads; q++)
            sums[q] += change * row[q];
    }
    return is_changed;
}

/* b <- sgn(U U^T b) until nothing changes, or nearly so. `next` (words) is scratch. */
static void relax(const tables *my, walker *at, uint64_t *next) {
    const size_t words = my->span->words;
    float h[ISG_UNMAP_MAX_P];
    bool is_moving = true;
    for (size_t t = 0; is_moving && t < MOST_SWEEPS; t++) {
        memcpy(h, at->sums, my->span->p * sizeof *h);
        memset(next, 0, words * sizeof *next);
        for (size_t panel = 0; panel < my->panels; panel++) {
            const size_t shift = panel % 4 * LANES;
            const uint64_t spins = at->spins[panel / 4] >> shift & 0xFFFF;
            next[panel / 4] |= panel_signs(my, h, panel, spins) << shift;
        }
        is_moving = false;
        for (size_t w = 0; w < words; w++)
            is_moving = set_word(my, at->spins, at->sums, w, next[w]) || is_moving;
    }
}

/* Adds the limit to the pool, unless the pool has it or it is clearly not among the best:
   N - |U^T b|^2 in float is far more accurate than the margin. */
static void keep(const tables *my, walker *at) {
    const double n = (double)my->span->n;
    double square = 0;
    for (size_t mu = 0; mu < my->span->p; mu++)
        square += (double)at->sums[mu / 4][mu % 4] * (double)at->sums[mu / 4][mu % 4];
    if (n - square > at->pool->worst + 1e-3 * n)
        return;
    isg_canonical_sign(at->spins, my->span->n);
    if (!isg_pool_knows(at->pool, at->spins, 0))
        isg_pool_add(at->pool, at->spins, isg_span_residual(my->span, at->spins, at->h), 0);
}

/* field += factor times column j of U U_I^-1. */
static void add_lift(const tables *my, quad *field, size_t j, float factor) {
    const size_t count = my->panels * QUADS;
    const quad *column = my->lift + j * count;
    for (size_t q = 0; q < count; q++)
        field[q] += factor * column[q];
}

/* Starts first .. first + count - 1 of the Gray code; the sign of the last unit is always -1. */
static void run_block(const tables *my, walker *at, uint64_t *next, size_t first, size_t count) {
    const size_t p = my->span->p, words = my->span->words;
    const size_t gray = first ^ first >> 1;
    memset(at->field, 0, my->panels * QUADS * sizeof *at->field);
    for (size_t j = 0; j < p; j++)
        add_lift(my, at->field, j, gray >> j & 1 ? 1.0f : -1.0f);
    memset(at->start, 0, words * sizeof *at->start);
    isg_span_sums(my->span, at->start, at->h);
    for (size_t mu = 0; mu < p; mu++)
        at->start_sums[mu / 4][mu % 4] = (float)at->h[mu];
    for (size_t k = first;; k++) {
        memset(next, 0, words * sizeof *next);
        for (size_t panel = 0; panel < my->panels; panel++)
            next[panel / 4] |= above(at->field + panel * QUADS, my->no_start + panel * QUADS)
                               << panel % 4 * LANES;
        for (size_t w = 0; w < words; w++)
            set_word(my, at->start, at->start_sums, w, next[w]);
        memcpy(at->spins, at->start, words * sizeof *at->spins);
        memcpy(at->sums, at->start_sums, my->row_quads * sizeof *at->sums);
        relax(my, at, next);
        keep(my, at);
        if (k + 1 == first + count)
            break;
        const size_t turned = (size_t)__builtin_ctzll(k + 1);
        const bool is_up = ((k + 1) ^ (k + 1) >> 1) >> turned & 1;
        add_lift(my, at->field, turned, is_up ? 2.0f : -2.0f);
    }
}

/* ---- all of them ------------------------------------------------------------------------------- */

static void walkers_free(walker *walkers, size_t count) {
    for (size_t t = 0; walkers && t < count; t++) {
        isg_release(walkers[t].field);
        isg_release(walkers[t].start_sums);
        isg_release(walkers[t].sums);
        isg_release(walkers[t].start);
        isg_release(walkers[t].spins);
        isg_release(walkers[t].h);
    }
    isg_release(walkers);
}

static isg_status walkers_create(walker *walkers, size_t count, isg_pool *pools, const tables *my) {
    for (size_t t = 0; t < count; t++) {
        walkers[t].pool = &pools[t];
        ISG_TRY(ISG_ALLOCATE_MATRIX(walkers[t].field, my->panels, QUADS));
        ISG_TRY(ISG_ALLOCATE(walkers[t].start_sums, my->row_quads));
        ISG_TRY(ISG_ALLOCATE(walkers[t].sums, my->row_quads));
        ISG_TRY(ISG_ALLOCATE(walkers[t].start, my->span->words));
        ISG_TRY(ISG_ALLOCATE_MATRIX(walkers[t].spins, 2, my->span->words));
        ISG_TRY(ISG_ALLOCATE(walkers[t].h, my->span->p));
    }
    return ISG_OK;
}

size_t isg_enumerate_starts(const isg_span *span) {
    return (size_t)1 << (span->p - 1);
}

isg_status isg_unmap_enumerate(isg_pool *pool, const isg_span *span, const isg_progress *progress) {
    const size_t starts = isg_enumerate_starts(span), blocks = (starts + BLOCK - 1) / BLOCK;
    const size_t team = isg_team_for(blocks);
    tables my = {0};
    isg_pool *pools = NULL;
    walker *walkers = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(tables_create(&my, span));
    ISG_TRY_GOTO(isg_pools_create(&pools, team, span->n, starts));
    ISG_TRY_GOTO(ISG_ALLOCATE(walkers, team));
    ISG_TRY_GOTO(walkers_create(walkers, team, pools, &my));
    for (size_t done = 0; done < blocks; done += BLOCKS_A_REPORT) {
        const size_t end = done + BLOCKS_A_REPORT < blocks ? done + BLOCKS_A_REPORT : blocks;
#pragma omp parallel for schedule(dynamic) num_threads((int)team)
        for (size_t block = done; block < end; block++) {
            walker *at = &walkers[omp_get_thread_num()];
            run_block(&my, at, at->spins + span->words, block * BLOCK,
                      starts < BLOCK ? starts : BLOCK);
        }
        if (progress && !progress->report(progress->user, (double)end / (double)blocks))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "the search for patterns was cancelled"));
    }
    isg_pools_gather(&pools[0], pools + 1, team - 1);
    ISG_TRY_GOTO(isg_pool_relax(pool, &pools[0], span));
done:
    walkers_free(walkers, team);
    isg_pools_free(pools, team);
    tables_free(&my);
    return status;
}
