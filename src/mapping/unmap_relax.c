/* unmap_relax.c - relaxes binary states toward the span of W
 *
 * SPDX-License-Identifier: MIT
 *
 * For fixed b the best x is W^+ b and leaves N - b^T P b. Since P is a projector, b' = sgn(P b) has
 * b'^T P b' - b^T P b = |P (b' - b)|^2 + 2 (b' - b)^T P b, where the last term is 4 |P b|_i summed over
 * the spins that change: the residual falls until b is a fixed point of the projection network.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "linalg/linalg.h"
#include "mapping/unmap.h"

/* Streams of ISG_PURPOSE_UNMAP: steps of random states and of random spans, a block each. */
enum { STEP_STATES = 0, STEP_SPANS = 1 };

void isg_span_free(isg_span *span) {
    isg_hopfield_free(span->network);
    isg_release(span->sigma);
    isg_release(span->vt);
    *span = (isg_span){0};
}

/* The projection network of orthonormal columns u. */
static isg_status set_network(isg_span *span, isg_matd u) {
    span->n = u.rows;
    span->p = u.cols;
    span->words = isg_words(u.rows);
    return isg_hopfield_of_factor(&span->network, isg_matd_const(u), NULL, 1);
}

static isg_status check_rank(const isg_span *span) {
    const double least = isg_rank_tolerance(span->n, span->p) * span->sigma[0];
    size_t rank = 0;
    while (rank < span->p && span->sigma[rank] > least)
        rank++;
    if (rank < span->p)
        return isg_fail(ISG_ERR_DEPENDENT,
                        "W: expected linearly independent columns, found rank %zu of %zu, so that "
                        "no X makes %zu independent patterns of it",
                        rank, span->p, span->p);
    return ISG_OK;
}

isg_status isg_span_of_weights(isg_span *out, isg_matd_view weights) {
    const size_t n = weights.rows, p = weights.cols;
    isg_span span = {.n = n, .p = p};
    double *u = NULL;
    isg_status status = ISG_OK;
    if (p > n)
        return isg_fail(ISG_ERR_DEPENDENT,
                        "W: expected no more hidden than visible units, found %zu and %zu, so that "
                        "its columns are linearly dependent",
                        p, n);
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(span.sigma, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(span.vt, p, p));
    ISG_TRY_GOTO(isg_svd(isg_matd_of(u, n, p), span.sigma, isg_matd_of(span.vt, p, p), weights));
    ISG_TRY_GOTO(check_rank(&span));
    ISG_TRY_GOTO(set_network(&span, isg_matd_of(u, n, p)));
    *out = span;
    span = (isg_span){0};
done:
    isg_release(u);
    isg_span_free(&span);
    return status;
}

isg_status isg_span_random(isg_span *out, size_t n, size_t p, uint64_t seed, uint32_t number) {
    const isg_stream stream = isg_stream_at(seed, ISG_PURPOSE_UNMAP, STEP_SPANS, number);
    isg_span span = {0};
    double *u = NULL, *r = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(span.sigma, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(span.vt, p, p));
    for (size_t mu = 0; mu < p; mu++)
        span.sigma[mu] = span.vt[mu * p + mu] = 1;
    isg_stream_normals(&stream, 0, n * p, u);
    const isg_matd columns = isg_matd_of(u, n, p);
    ISG_TRY_GOTO(isg_qr(columns, isg_matd_of(r, p, p), isg_matd_const(columns)));
    ISG_TRY_GOTO(set_network(&span, columns));
    *out = span;
    span = (isg_span){0};
done:
    isg_release(u);
    isg_release(r);
    isg_span_free(&span);
    return status;
}

/* Not isg_hopfield_sums(), which sums in another order: the patterns found depend on every bit. */
void isg_span_sums(const isg_span *span, const uint64_t *spins, double *h) {
    memset(h, 0, span->p * sizeof *h);
    isg_add_spin_rows(h, spins, span->network->u, span->n, span->p);
}

double isg_span_residual(const isg_span *span, const uint64_t *spins, double *h) {
    double sum = 0;
    isg_span_sums(span, spins, h);
    for (size_t i = 0; i < span->n; i++) {
        const double left = isg_spin(spins, i) - isg_hopfield_full_field(span->network, h, i);
        sum += left * left;
    }
    return sum;
}

void isg_span_relax(const isg_span *span, uint64_t *spins, double *h) {
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        isg_span_sums(span, spins, h);
        for (size_t i = 0; i < span->n; i++) {
            const double field = isg_hopfield_field(span->network, h, spins, i);
            if (field != 0 && (field > 0) != isg_bit(spins, i)) {
                isg_bit_assign(spins, i, field > 0);
                is_moving = true;
            }
        }
    }
}

void isg_span_flip(const isg_span *span, uint64_t *spins, double *h) {
    const isg_hopfield *network = span->network;
    isg_span_sums(span, spins, h);
    for (;;) {
        size_t best = span->n;
        double least = 0; /* a flip changes the residual by 4 (s_i (P s)_i - P_ii) */
        for (size_t i = 0; i < span->n; i++) {
            const double rise =
                isg_spin(spins, i) * isg_hopfield_full_field(network, h, i) - network->diagonal[i];
            if (rise < least - network->negligible[i]) { /* the first of equals */
                least = rise;
                best = i;
            }
        }
        if (best == span->n)
            break;
        isg_hopfield_flip(network, spins, h, best);
    }
    isg_span_sums(span, spins, h);
}

void isg_span_pull_back(const isg_span *span, const uint64_t *spins, double *h, double *x) {
    const size_t p = span->p;
    isg_span_sums(span, spins, h);
    memset(x, 0, p * sizeof *x);
    for (size_t k = 0; k < p; k++)
        for (size_t mu = 0; mu < p; mu++)
            x[mu] += span->vt[k * p + mu] * (h[k] / span->sigma[k]);
}

void isg_span_random_state(const isg_span *span, uint64_t seed, size_t k, uint64_t *spins,
                           double *h) {
    const isg_stream stream = isg_stream_at(seed, ISG_PURPOSE_UNMAP, STEP_STATES, (uint32_t)k);
    isg_stream_normals(&stream, 0, span->p, h);
    memset(spins, 0, span->words * sizeof *spins);
    for (size_t i = 0; i < span->n; i++)
        isg_bit_assign(spins, i, isg_hopfield_full_field(span->network, h, i) > 0);
}
