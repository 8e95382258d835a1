/* linear_tuned.h - the kernels of dense linear algebra, for vectors of VECTOR_BYTES
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tuned.h, whose vectors it uses. Vectors run along independent elements: columns of a
 * tile, elements of a row, lanes of a dot product; so no sum depends on their width. Products are
 * rounded before they are added (no fused multiply-add), since not every processor can fuse them.
 */

static inline void store_reals(double *out, reals x) {
    memcpy(out, &x, sizeof x);
}

/* As many rows at a time as the registers can hold sums for, besides a row of b. */
enum {
    TILE_VECTORS = ISG_TILE / REALS,
    TILE_ROWS = VECTOR_BYTES == 64   ? 8
                : VECTOR_BYTES == 32 ? 4
                                     : 2
};

static inline void tile_rows(size_t n, const double *a, const double *b, double *c) {
    const reals zero = {0};
    reals sums[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 8
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t v = 0; v < TILE_VECTORS; v++)
            sums[i][v] = zero;
    for (size_t l = 0; l < n; l++) {
        reals right[TILE_VECTORS];
#pragma GCC unroll 4
        for (size_t v = 0; v < TILE_VECTORS; v++)
            right[v] = load_reals(b + l * ISG_TILE + v * REALS);
#pragma GCC unroll 8
        for (size_t i = 0; i < TILE_ROWS; i++) {
            const reals left = a[l * ISG_TILE + i] - zero;
#pragma GCC unroll 4
            for (size_t v = 0; v < TILE_VECTORS; v++)
                sums[i][v] += left * right[v];
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t v = 0; v < TILE_VECTORS; v++)
            store_reals(c + i * ISG_TILE + v * REALS, sums[i][v]);
}

static void tile(size_t n, const double *a, const double *b, double *c) {
    for (size_t i = 0; i < ISG_TILE; i += TILE_ROWS)
        tile_rows(n, a + i, b, c + i * ISG_TILE);
}

static void add_multiple(size_t n, double factor, const double *x, double *y) {
    const reals spread = factor - (reals){0};
    size_t i = 0;
    for (; i + 2 * REALS <= n; i += 2 * REALS) {
        const reals first = load_reals(y + i) + spread * load_reals(x + i);
        const reals second = load_reals(y + i + REALS) + spread * load_reals(x + i + REALS);
        store_reals(y + i, first);
        store_reals(y + i + REALS, second);
    }
    for (; i < n; i++)
        y[i] += factor * x[i];
}

static double dot(size_t n, const double *x, const double *y) {
    enum { VECTORS = ISG_DOT_LANES / REALS };
    const reals zero = {0};
    reals sums[VECTORS];
    double lanes_of[ISG_DOT_LANES];
#pragma GCC unroll 8
    for (size_t v = 0; v < VECTORS; v++)
        sums[v] = zero;
    size_t i = 0;
    for (; i + ISG_DOT_LANES <= n; i += ISG_DOT_LANES)
#pragma GCC unroll 8
        for (size_t v = 0; v < VECTORS; v++)
            sums[v] += load_reals(x + i + v * REALS) * load_reals(y + i + v * REALS);
#pragma GCC unroll 8
    for (size_t v = 0; v < VECTORS; v++)
        store_reals(lanes_of + v * REALS, sums[v]);
    for (size_t l = 0; i < n; i++, l++)
        lanes_of[l] += x[i] * y[i];
    for (size_t half = ISG_DOT_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes_of[l] += lanes_of[l + half];
    return lanes_of[0];
}

static void rotate(size_t n, double c, double s, double *x, double *y) {
    const reals cosine = c - (reals){0}, sine = s - (reals){0};
    size_t i = 0;
    for (; i + REALS <= n; i += REALS) {
        const reals first = load_reals(x + i), second = load_reals(y + i);
        store_reals(x + i, cosine * first + sine * second);
        store_reals(y + i, cosine * second - sine * first);
    }
    for (; i < n; i++) {
        const double before = x[i];
        x[i] = c * before + s * y[i];
        y[i] = c * y[i] - s * before;
    }
}
