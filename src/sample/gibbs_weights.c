/* gibbs_weights.c - an RBM in the form that the Gibbs kernels read
 *
 * SPDX-License-Identifier: MIT
 *
 * The unit of the integer copy of W is the smallest power of two for which no sum over spins exceeds
 * 31 bits. For orthonormal columns of 784 units that is 2^-25, finer than the rounding of a
 * float sum of that size.
 */
#include "sample/sample.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/special.h"
#include "base/threads.h"
#include "kernels/gibbs_draws.h"

/* No column of W may have a larger sum: far from float overflow, products with lambda included. */
static const double largest_sum = 0x1p100;

static size_t round_up(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

isg_status isg_gibbs_weights_create(isg_gibbs_weights *w, size_t n_visible, size_t n_hidden) {
    *w = (isg_gibbs_weights){.n_visible = n_visible, .n_hidden = n_hidden};
    /* Sums over spins have 31 bits, of which rounding may take one per spin. */
    if (n_visible > 1 << 28 || n_hidden > 1 << 28)
        return isg_fail(ISG_ERR_MEMORY, "%zu x %zu units are too many to sample", n_visible,
                        n_hidden);
    w->words = isg_words(n_visible);
    w->panels = round_up(n_visible, ISG_PANEL) / ISG_PANEL;
    w->stride = round_up(n_hidden, ISG_PANEL);
    w->unit = 1;
    ISG_TRY(ISG_ALLOCATE_MATRIX(w->weights, w->panels * ISG_PANEL, n_hidden));
    ISG_TRY(ISG_ALLOCATE(w->field, w->panels * ISG_PANEL));
    ISG_TRY(ISG_ALLOCATE(w->hidden_field, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(w->rows, n_visible, w->stride));
    ISG_TRY(ISG_ALLOCATE(w->all_down, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(w->column_sums, w->panels, w->stride));
    ISG_TRY(ISG_ALLOCATE_MATRIX(w->panel_down, w->panels, w->stride));
    return ISG_ALLOCATE(w->panel_norms, w->panels);
}

void isg_gibbs_weights_release(isg_gibbs_weights *w) {
    isg_release(w->weights);
    isg_release(w->field);
    isg_release(w->hidden_field);
    isg_release(w->rows);
    isg_release(w->all_down);
    isg_release(w->column_sums);
    isg_release(w->panel_down);
    isg_release(w->panel_norms);
}

size_t isg_gibbs_scratch_bytes(const isg_gibbs_weights *w) {
    /* The random words of all chains of a call, and their lambda in another order. */
    return ISG_GIBBS_CHAINS * (isg_extra_start(w) * sizeof(uint32_t) + w->n_hidden * sizeof(float));
}

/* One panel as floats, its longest row, and its part of the sums of |W| over columns. */
void isg_gibbs_weights_set_panel(isg_gibbs_weights *w, size_t panel, const double *weights,
                                 const double *b) {
    const size_t first = panel * ISG_PANEL, p = w->n_hidden;
    double *sums = w->column_sums + panel * w->stride;
    double largest_square = 0;
    memset(sums, 0, w->stride * sizeof *sums);
    for (size_t q = 0; q < ISG_PANEL && first + q < w->n_visible; q++) {
        const double *row = weights + (first + q) * p;
        float *out = w->weights + first * p + q;
        double square = 0;
        for (size_t mu = 0; mu < p; mu++) {
            out[mu * ISG_PANEL] = (float)row[mu];
            sums[mu] += fabs(row[mu]);
            square += row[mu] * row[mu];
        }
        w->field[first + q] = (float)b[first + q];
        largest_square = fmax(largest_square, square);
    }
    w->panel_norms[panel] = sqrt(largest_square);
}

/* The integer rows of one panel. */
void isg_gibbs_weights_set_rows(isg_gibbs_weights *w, size_t panel, const double *weights) {
    const size_t first = panel * ISG_PANEL, p = w->n_hidden;
    int32_t *down = w->panel_down + panel * w->stride;
    memset(down, 0, w->stride * sizeof *down);
    const double scale = 1 / (double)w->unit, magic = 0x1.8p52; /* adding it rounds */
    for (size_t i = first; i < first + ISG_PANEL && i < w->n_visible; i++)
        for (size_t mu = 0; mu < p; mu++) {
            const double whole = weights[i * p + mu] * scale + magic - magic;
            w->rows[i * w->stride + mu] = 2 * (int32_t)whole;
            down[mu] -= (int32_t)whole;
        }
}

void isg_gibbs_weights_end(isg_gibbs_weights *w) {
    memset(w->all_down, 0, w->stride * sizeof *w->all_down);
    for (size_t panel = 0; panel < w->panels; panel++)
        for (size_t mu = 0; mu < w->stride; mu++)
            w->all_down[mu] += w->panel_down[panel * w->stride + mu];
}

/* The largest sum of |W| over a column, which bounds everything; NaN passes through. */
static double largest_column_sum(isg_gibbs_weights *w) {
    double largest = 0;
    for (size_t mu = 0; mu < w->n_hidden; mu++) {
        double sum = 0;
        for (size_t panel = 0; panel < w->panels; panel++)
            sum += w->column_sums[panel * w->stride + mu];
        if (!(sum <= largest))
            largest = sum;
        if (isnan(sum))
            return sum;
    }
    return largest;
}

static isg_status diverged(const isg_gibbs_weights *w, const double *weights, const double *b,
                           const double *c) {
    const size_t n = w->n_visible, p = w->n_hidden;
    for (size_t k = 0; k < n * p; k++)
        if (!(fabs(weights[k]) <= largest_sum))
            return isg_fail(ISG_ERR_DIVERGED,
                            "the weight between visible unit %zu and hidden "
                            "unit %zu is %g",
                            k / p, k % p, weights[k]);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(b[i]) <= largest_sum))
            return isg_fail(ISG_ERR_DIVERGED, "the field of visible unit %zu is %g", i, b[i]);
    for (size_t mu = 0; mu < p; mu++)
        if (!(fabs(c[mu]) <= largest_sum))
            return isg_fail(ISG_ERR_DIVERGED, "the field of hidden unit %zu is %g", mu, c[mu]);
    return isg_fail(ISG_ERR_DIVERGED, "the weights of a hidden unit add up to more than %g",
                    largest_sum);
}

/* The largest absolute value; NaN passes through. */
static double largest_size(const double *values, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n && !isnan(largest); i++)
        if (!(fabs(values[i]) <= largest))
            largest = fabs(values[i]);
    return largest;
}

isg_status isg_gibbs_weights_scale(isg_gibbs_weights *w, const double *weights, const double *b,
                                   const double *c) {
    const size_t p = w->n_hidden;
    const double sum = largest_column_sum(w), field = largest_size(b, w->n_visible);
    if (!(sum <= largest_sum && field <= largest_sum && largest_size(c, p) <= largest_sum))
        return diverged(w, weights, b, c);
    /* Rounding adds half a unit per spin, hence the N. */
    int exponent = 0;
    frexp(sum / (0x1p30 - (double)w->n_visible), &exponent);
    w->unit = (float)ldexp(1, exponent > -126 ? exponent : -126);
    for (size_t mu = 0; mu < p; mu++)
        w->hidden_field[mu] = (float)c[mu];
    double norm = 0;
    for (size_t panel = 0; panel < w->panels; panel++)
        norm = fmax(norm, w->panel_norms[panel]);
    /* Rounding to float may have lengthened the row. */
    w->row_norm = (float)(norm * 1.000001);
    w->field_size = (float)(field * 1.000001);
    return ISG_OK;
}

isg_status isg_gibbs_weights_set(isg_gibbs_weights *w, const double *weights, const double *b,
                                 const double *c) {
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t panel = 0; panel < w->panels; panel++)
        isg_gibbs_weights_set_panel(w, panel, weights, b);
    ISG_TRY(isg_gibbs_weights_scale(w, weights, b, c));
#pragma omp parallel for schedule(static) num_threads(isg_team_size())
    for (size_t panel = 0; panel < w->panels; panel++)
        isg_gibbs_weights_set_rows(w, panel, weights);
    isg_gibbs_weights_end(w);
    return ISG_OK;
}
