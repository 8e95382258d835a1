/* spin_product.c - many rows of packed spins times a matrix
 *
 * SPDX-License-Identifier: MIT
 *
 *     s^T w = 2 (sum of the rows of w that are up) - (sum of all rows)
 *
 * takes time proportional to the spins that are up, few in images and in gene counts.
 */
#include <assert.h>
#include <omp.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/threads.h"
#include "linalg/dense.h"

enum { PORTION = 256 }; /* rows of a thread between two reports */

/* What a row gives if all its spins are down. */
static void sum_down(double *down, isg_matd_view w, const double *bias) {
    for (size_t mu = 0; mu < w.cols; mu++)
        down[mu] = bias ? bias[mu] : 0;
    for (size_t i = 0; i < w.rows; i++)
        for (size_t mu = 0; mu < w.cols; mu++)
            down[mu] -= isg_row_view(w, i)[mu];
}

static void add_row(double *restrict out, const uint64_t *spins, isg_matd_view w,
                    const double *down) {
    memset(out, 0, w.cols * sizeof *out);
    for (size_t word = 0; word < isg_words(w.rows); word++)
        for (uint64_t up = spins[word]; up != 0; up &= up - 1) {
            const double *row = isg_row_view(w, 64 * word + (size_t)__builtin_ctzll(up));
            for (size_t mu = 0; mu < w.cols; mu++)
                out[mu] += row[mu];
        }
    for (size_t mu = 0; mu < w.cols; mu++)
        out[mu] = 2 * out[mu] + down[mu];
}

isg_status isg_spin_product(isg_matd out, const uint64_t *spins, isg_matd_view w,
                            const double *bias, const isg_progress *progress) {
    assert(out.cols == w.cols);
    const size_t words = isg_words(w.rows), portion = PORTION * (size_t)isg_team_size();
    double *down = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(down, w.cols));
    sum_down(down, w, bias);
    for (size_t first = 0; status == ISG_OK && first < out.rows; first += portion) {
        const size_t end = out.rows - first < portion ? out.rows : first + portion;
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
        for (size_t a = first; a < end; a++)
            add_row(out.data + a * out.stride, spins + a * words, w, down);
        if (progress && !progress->report(progress->user, (double)end / (double)out.rows))
            status = isg_fail(ISG_ERR_CANCELLED, "multiplying spins was cancelled");
    }
    isg_release(down);
    return status;
}
