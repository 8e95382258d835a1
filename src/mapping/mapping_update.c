/* mapping_update.c - adds or removes one pattern without decomposing all of them again
 *
 * SPDX-License-Identifier: MIT
 *
 * With xi = QR known, a new pattern x adds the column x - Q Q^T x, normalized, to Q and the column
 * (Q^T x, its length) to R. One pass of Gram-Schmidt loses orthogonality to the degree that x is
 * nearly dependent; a second pass restores it to rounding ("twice is enough").
 *
 * Removing column mu from R leaves entries below the diagonal from there on. Rotations of
 * neighboring rows remove them one by one and also rotate the columns of Q; the last column of Q is
 * then orthogonal to all remaining patterns. The diagonal stays positive: each new entry is the
 * length of two old ones.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "linalg/linalg.h"
#include "mapping/hopfield_to_rbm.h"

/* Anything below this fraction of a pattern's length is taken as rounding. */
static const double smallest_share = 1e-12;

/* ---- is it the RBM of a qr mapping? ------------------------------------------------------------ */

static bool has_triangle(const isg_rbm *rbm) {
    const size_t p = rbm->info.n_hidden;
    if (!rbm->r || !rbm->patterns || rbm->r_cols != p)
        return false;
    for (size_t mu = 0; mu < p; mu++) {
        for (size_t nu = 0; nu < mu; nu++)
            if (rbm->r[mu * p + nu] != 0)
                return false;
        if (!(rbm->r[mu * p + mu] > 0))
            return false;
    }
    return true;
}

/* Checks W R = xi and W^T xi = R, each applied to one vector v: weights that have since been
   trained or set by hand would hardly pass, and the check costs no more than the update. */
static isg_status fits_weights(const isg_rbm *rbm, bool *fits) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    double *v = NULL, *y = NULL, *back = NULL, size = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(v, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(y, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(back, p));
    for (size_t mu = 0; mu < p; mu++) {
        v[mu] = 1 + isg_cos((double)mu);
        size += v[mu];
    }
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = mu; nu < p; nu++)
            y[mu] += rbm->r[mu * p + nu] * v[nu];
    bool is_close = true;
    for (size_t i = 0; i < n; i++) {
        double wanted = 0, found = 0;
        for (size_t mu = 0; mu < p; mu++) {
            wanted += isg_spin(isg_patterns_spins(rbm->patterns, mu), i) * v[mu];
            found += rbm->weights[i * p + mu] * y[mu];
        }
        is_close = is_close && fabs(found - wanted) < 1e-9 * size;
        for (size_t mu = 0; mu < p; mu++)
            back[mu] += rbm->weights[i * p + mu] * wanted;
    }
    for (size_t mu = 0; mu < p; mu++)
        is_close = is_close && fabs(back[mu] - y[mu]) < 1e-9 * size * sqrt((double)n);
    *fits = is_close;
done:
    isg_release(v);
    isg_release(y);
    isg_release(back);
    return status;
}

static isg_status require_qr(const isg_rbm *rbm) {
    bool fits = false;
    if (has_triangle(rbm))
        ISG_TRY(fits_weights(rbm, &fits));
    return fits ? ISG_OK
                : isg_fail(ISG_ERR_ARGUMENT,
                           "RBM: expected the weights of a mapping via qr, found others");
}

/* ---- the new arrays ----------------------------------------------------------------------------- */

typedef struct replacement {
    size_t n_hidden;
    double *weights; /* (n_visible, n_hidden) */
    double *c;       /* (n_hidden) */
    double *r;       /* (n_hidden, n_hidden) */
    isg_patterns *patterns;
} replacement;

static isg_status allocate(replacement *next, const isg_rbm *rbm) {
    size_t count = 0;
    if (!isg_multiply(&count, rbm->info.n_visible, next->n_hidden))
        return isg_fail(ISG_ERR_MEMORY, "%zu x %zu weights do not fit in memory",
                        rbm->info.n_visible, next->n_hidden);
    ISG_TRY(ISG_ALLOCATE(next->weights, count));
    ISG_TRY(ISG_ALLOCATE(next->c, next->n_hidden));
    return ISG_ALLOCATE_MATRIX(next->r, next->n_hidden, next->n_hidden);
}

static void discard(replacement *next) {
    isg_release(next->weights);
    isg_release(next->c);
    isg_release(next->r);
    isg_patterns_free(next->patterns);
}

static void install(isg_rbm *rbm, replacement *next) {
    const replacement old = {rbm->info.n_hidden, rbm->weights, rbm->c, rbm->r, rbm->patterns};
    rbm->info.n_hidden = rbm->r_cols = next->n_hidden;
    rbm->weights = next->weights;
    rbm->c = next->c;
    rbm->r = next->r;
    rbm->patterns = next->patterns;
    *next = old;
}

/* ---- one more ---------------------------------------------------------------------------------- */

/* Subtracts W W^T x from x and adds W^T x to h; `part` (n_hidden) is scratch. */
static void project_out(const isg_rbm *rbm, double *x, double *h, double *part) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    memset(part, 0, p * sizeof *part);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            part[mu] += rbm->weights[i * p + mu] * x[i];
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            x[i] -= rbm->weights[i * p + mu] * part[mu];
    for (size_t mu = 0; mu < p; mu++)
        h[mu] += part[mu];
}

static isg_status refuse_dependent(const isg_patterns *patterns) {
    char sentence[512] = "";
    size_t rank = 0;
    ISG_TRY(isg_patterns_rank(patterns, &rank, sentence, sizeof sentence));
    return isg_fail(ISG_ERR_DEPENDENT, "pattern: depends linearly on the existing patterns%s%s",
                    sentence[0] ? ": " : "", sentence);
}

/* The new column of W and the new row and column of the triangle, from the new pattern's part x
   outside the span of the others, of this length, and its part h inside it. */
static void fill_appended(replacement *next, const isg_rbm *rbm, const double *x, const double *h,
                          double length) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, wider = p + 1;
    for (size_t i = 0; i < n; i++) {
        memcpy(next->weights + i * wider, rbm->weights + i * p, p * sizeof *rbm->weights);
        next->weights[i * wider + p] = x[i] / length;
    }
    for (size_t mu = 0; mu < p; mu++) {
        memcpy(next->r + mu * wider, rbm->r + mu * p, p * sizeof *rbm->r);
        next->r[mu * wider + p] = h[mu];
    }
    next->r[p * wider + p] = length;
    memcpy(next->c, rbm->c, p * sizeof *rbm->c);
}

isg_status isg_rbm_append_pattern(isg_rbm *rbm, const uint64_t *pattern, const char *label) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    replacement next = {.n_hidden = p + 1};
    double *x = NULL, *h = NULL, *part = NULL, square = 0;
    isg_status status = ISG_OK;
    ISG_TRY(require_qr(rbm));
    if (rbm->patterns->info.has_labels != (label != NULL))
        return isg_fail(ISG_ERR_ARGUMENT, "label: expected %s, as for the existing patterns",
                        label ? "none" : "one");
    ISG_TRY_GOTO(isg_patterns_copy(&next.patterns, rbm->patterns, SIZE_MAX, pattern, label));
    ISG_TRY_GOTO(allocate(&next, rbm));
    ISG_TRY_GOTO(ISG_ALLOCATE(x, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(h, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(part, p));
    for (size_t i = 0; i < n; i++)
        x[i] = isg_spin(pattern, i);
    project_out(rbm, x, h, part);
    project_out(rbm, x, h, part);
    for (size_t i = 0; i < n; i++)
        square += x[i] * x[i];
    if (sqrt(square) <= fmax(smallest_share, isg_rank_tolerance(n, p + 1)) * sqrt((double)n))
        ISG_TRY_GOTO(refuse_dependent(next.patterns));
    fill_appended(&next, rbm, x, h, sqrt(square));
    install(rbm, &next);
done:
    discard(&next);
    isg_release(x);
    isg_release(h);
    isg_release(part);
    return status;
}

/* ---- one less ---------------------------------------------------------------------------------- */

/* A rotation of two neighbors. */
typedef struct rotation {
    double cosine, sine;
} rotation;

static void turn(rotation by, double *a, double *b) {
    const double first = by.cosine * *a + by.sine * *b;
    *b = by.cosine * *b - by.sine * *a;
    *a = first;
}

/* The triangle (p, p) without column mu, made triangular again by `turns`, one for each row from mu
   on. The last row becomes zero. `work` is (p, p - 1). */
static void turn_triangle(const isg_rbm *rbm, size_t mu, rotation *turns, double *work) {
    const size_t p = rbm->info.n_hidden, cols = p - 1;
    for (size_t row = 0; row < p; row++)
        for (size_t j = 0; j < cols; j++)
            work[row * cols + j] = rbm->r[row * p + j + (j >= mu)];
    for (size_t j = mu; j < cols; j++) {
        double *upper = work + j * cols, *lower = upper + cols;
        const double length = isg_hypot(upper[j], lower[j]);
        turns[j] = (rotation){upper[j] / length, lower[j] / length};
        upper[j] = length;
        lower[j] = 0;
        for (size_t nu = j + 1; nu < cols; nu++)
            turn(turns[j], &upper[nu], &lower[nu]);
    }
}

/* Rotates `row` (p) of W, or c, in place. */
static void turn_row(const rotation *turns, size_t mu, size_t p, double *row) {
    for (size_t j = mu; j + 1 < p; j++)
        turn(turns[j], &row[j], &row[j + 1]);
}

isg_status isg_rbm_remove_pattern(isg_rbm *rbm, size_t mu) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden, less = p - 1;
    replacement next = {.n_hidden = less};
    rotation *turns = NULL;
    double *row = NULL, *triangle = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(require_qr(rbm));
    if (mu >= p)
        return isg_fail(ISG_ERR_ARGUMENT, "pattern %zu: there are only %zu", mu, p);
    if (p == 1)
        return isg_fail(ISG_ERR_ARGUMENT, "pattern 0: cannot remove the only pattern");
    ISG_TRY_GOTO(isg_patterns_copy(&next.patterns, rbm->patterns, mu, NULL, NULL));
    ISG_TRY_GOTO(allocate(&next, rbm));
    ISG_TRY_GOTO(ISG_ALLOCATE(turns, less));
    ISG_TRY_GOTO(ISG_ALLOCATE(row, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(triangle, p, less));
    turn_triangle(rbm, mu, turns, triangle);
    memcpy(next.r, triangle, less * less * sizeof *triangle);
    for (size_t i = 0; i < n; i++) {
        memcpy(row, rbm->weights + i * p, p * sizeof *row);
        turn_row(turns, mu, p, row);
        memcpy(next.weights + i * less, row, less * sizeof *row);
    }
    memcpy(row, rbm->c, p * sizeof *row);
    turn_row(turns, mu, p, row);
    memcpy(next.c, row, less * sizeof *row);
    install(rbm, &next);
done:
    discard(&next);
    isg_release(turns);
    isg_release(row);
    isg_release(triangle);
    return status;
}
