/* mapping_check.c - how exact a mapping is, without ever forming J
 *
 * SPDX-License-Identifier: MIT
 *
 * With E = W^T W - 1, J^2 - J = W E W^T and J xi - xi = W (W^T xi) - xi. Rows of W are taken a
 * block at a time, so that only blocks and p x p matrices are needed besides W. J^2 - J is
 * symmetric: one triangle of blocks is enough.
 */
#include <math.h>

#include "base/memory.h"
#include "linalg/linalg.h"
#include "mapping/hopfield_to_rbm.h"

enum { BLOCK = 512 };

typedef struct check_work {
    const isg_rbm *rbm;
    size_t block;  /* rows at a time */
    double *e;     /* (n_hidden, n_hidden) W^T W - 1 */
    double *inner; /* (n_hidden, n_patterns) W^T xi */
    double *xi;    /* (block, n_patterns) */
    double *rows;  /* (block, the larger of n_hidden and n_patterns) */
    double *tile;  /* (block, block) */
} check_work;

static double larger(double so_far, double entry) {
    return fabs(entry) > so_far || isnan(entry) ? fabs(entry) : so_far;
}

/* Rows of W from `begin` on: a full block, or the remaining rows. */
static isg_matd_view block_of(const check_work *work, size_t begin) {
    const size_t k = work->rbm->info.n_hidden, left = work->rbm->info.n_visible - begin;
    const size_t rows = left < work->block ? left : work->block;
    return (isg_matd_view){work->rbm->weights + begin * k, rows, k, k};
}

static isg_matd fill_xi(const check_work *work, size_t begin, size_t rows) {
    const size_t p = work->rbm->r_cols;
    for (size_t i = 0; i < rows; i++)
        for (size_t mu = 0; mu < p; mu++)
            work->xi[i * p + mu] = isg_spin(isg_patterns_spins(work->rbm->patterns, mu), begin + i);
    return isg_matd_of(work->xi, rows, p);
}

static isg_status check_orthogonality(check_work *work, isg_mapping_report *report) {
    const size_t k = work->rbm->info.n_hidden;
    const isg_matd_view w = isg_rbm_view(work->rbm);
    ISG_TRY(isg_matrix_multiply(isg_matd_of(work->e, k, k), w, ISG_TRANSPOSED, w, ISG_AS_IS));
    for (size_t mu = 0; mu < k; mu++) {
        report->trace += work->e[mu * k + mu];
        work->e[mu * k + mu] -= 1;
    }
    for (size_t entry = 0; entry < k * k; entry++)
        report->orthogonality_error = larger(report->orthogonality_error, work->e[entry]);
    return ISG_OK;
}

/* W^T xi, block after block. */
static isg_status find_inner(check_work *work) {
    const size_t n = work->rbm->info.n_visible, k = work->rbm->info.n_hidden, p = work->rbm->r_cols;
    double *part = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE_MATRIX(part, k, p));
    for (size_t begin = 0; begin < n; begin += work->block) {
        const isg_matd_view w = block_of(work, begin);
        const isg_matd xi = fill_xi(work, begin, w.rows);
        ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(part, k, p), w, ISG_TRANSPOSED,
                                         isg_matd_const(xi), ISG_AS_IS));
        for (size_t entry = 0; entry < k * p; entry++)
            work->inner[entry] += part[entry];
    }
done:
    isg_release(part);
    return status;
}

/* The largest entry of W factor - xi. */
static isg_status check_patterns(const check_work *work, const double *factor, double *error) {
    const size_t n = work->rbm->info.n_visible, k = work->rbm->info.n_hidden, p = work->rbm->r_cols;
    const isg_matd_view right = {factor, k, p, p};
    for (size_t begin = 0; begin < n; begin += work->block) {
        const isg_matd_view w = block_of(work, begin);
        fill_xi(work, begin, w.rows);
        ISG_TRY(isg_matrix_multiply(isg_matd_of(work->rows, w.rows, p), w, ISG_AS_IS, right,
                                    ISG_AS_IS));
        for (size_t entry = 0; entry < w.rows * p; entry++)
            *error = larger(*error, work->rows[entry] - work->xi[entry]);
    }
    return ISG_OK;
}

/* The largest entry of W E W^T. */
static isg_status check_projector(const check_work *work, double *error) {
    const size_t n = work->rbm->info.n_visible, k = work->rbm->info.n_hidden;
    const isg_matd_view e = {work->e, k, k, k};
    for (size_t begin = 0; begin < n; begin += work->block) {
        const isg_matd_view w = block_of(work, begin);
        const isg_matd left = isg_matd_of(work->rows, w.rows, k);
        ISG_TRY(isg_matrix_multiply(left, w, ISG_AS_IS, e, ISG_AS_IS));
        for (size_t other = begin; other < n; other += work->block) {
            const isg_matd_view right = block_of(work, other);
            ISG_TRY(isg_matrix_multiply(isg_matd_of(work->tile, w.rows, right.rows),
                                        isg_matd_const(left), ISG_AS_IS, right, ISG_TRANSPOSED));
            for (size_t entry = 0; entry < w.rows * right.rows; entry++)
                *error = larger(*error, work->tile[entry]);
        }
    }
    return ISG_OK;
}

isg_status isg_mapping_check(const isg_rbm *rbm, isg_mapping_report *report) {
    const size_t n = rbm->info.n_visible, k = rbm->info.n_hidden, p = rbm->r_cols;
    check_work work = {.rbm = rbm, .block = n < BLOCK ? n : BLOCK};
    isg_mapping_report found = {.via = report->via, .rank = report->rank, .n_hidden = k};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.e, k, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.inner, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.xi, work.block, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.rows, work.block, (k > p ? k : p)));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(work.tile, work.block, work.block));
    ISG_TRY_GOTO(check_orthogonality(&work, &found));
    ISG_TRY_GOTO(find_inner(&work));
    ISG_TRY_GOTO(check_patterns(&work, rbm->r, &found.reconstruction_error));
    ISG_TRY_GOTO(check_patterns(&work, work.inner, &found.fixed_point_error));
    ISG_TRY_GOTO(check_projector(&work, &found.projector_error));
    *report = found;
done:
    isg_release(work.e);
    isg_release(work.inner);
    isg_release(work.xi);
    isg_release(work.rows);
    isg_release(work.tile);
    return status;
}
