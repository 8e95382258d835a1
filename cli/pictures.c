/* pictures.c - images of spins, weights and counts
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/pictures.h"

#include <math.h>
#include <string.h>

#include "cli/raster.h"
#include "src/base/bits.h"
#include "src/base/memory.h"

enum { PER_ROW = 10, DARK = 128, PALE = 210 }; /* tiles in a row, and backgrounds */

exit_code check_image(const char *name, size_t n_units, size_t height, size_t width,
                      const char *advice) {
    if (!height)
        return fail(EXIT_BAD_INPUT, "%s: cannot be drawn: its units are not known to be pixels%s",
                    name, advice);
    if (n_units % height != 0 || n_units / height != width)
        return fail(EXIT_BAD_INPUT, "%s: has %zu units, which do not fit an image of %zu x %zu",
                    name, n_units, height, width);
    return EXIT_DONE;
}

/* A picture on its way. */
typedef struct drawing {
    raster_grid grid;
    raster picture;
    float *values; /* of one tile, and */
    uint8_t *tile; /* their colors */
} drawing;

static isg_status begin(drawing *my) {
    ISG_TRY(raster_create(&my->picture, &my->grid));
    const size_t pixels = my->grid.tile_width * my->grid.tile_height;
    ISG_TRY(ISG_ALLOCATE(my->values, pixels));
    return ISG_ALLOCATE_MATRIX(my->tile, pixels, 3);
}

static exit_code finish(drawing *my, isg_status status, const char *path) {
    if (status == ISG_OK)
        status = raster_write(&my->picture, path);
    raster_free(&my->picture);
    isg_release(my->values);
    isg_release(my->tile);
    return fail_status(status);
}

static void place(drawing *my, size_t row, size_t col) {
    raster_place(&my->picture, &my->grid, row, col, my->tile);
}

/* ---- samples and chains --------------------------------------------------------------------- */

/* Down and up, free and clamped: shows which units were given and which were drawn. */
static void draw_spins(drawing *my, const uint64_t *spins, const uint64_t *clamped) {
    static const uint8_t colors[2][2][3] = {{{0, 0, 0}, {255, 255, 255}},
                                            {{20, 40, 100}, {140, 190, 255}}};
    const size_t n = my->grid.tile_width * my->grid.tile_height, channels = my->grid.channels;
    for (size_t i = 0; i < n; i++)
        memcpy(my->tile + channels * i, colors[clamped && isg_bit(clamped, i)][isg_bit(spins, i)],
               channels);
}

static drawing drawing_of_spins(size_t rows, size_t cols, size_t height, size_t width,
                                size_t channels) {
    return (drawing){.grid = {.rows = rows,
                              .cols = cols,
                              .tile_width = width,
                              .tile_height = height,
                              .channels = channels,
                              .zoom = 2,
                              .margin = 4,
                              .background = DARK}};
}

exit_code draw_classes(const char *path, const isg_dataset *data, size_t per_class) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const uint32_t *labels = isg_dataset_labels(data);
    const size_t n_classes = info.n_classes ? info.n_classes : 1;
    drawing my = drawing_of_spins(n_classes, per_class, info.image_height, info.image_width, 1);
    size_t *drawn = NULL; /* of each class */
    isg_status status = begin(&my);
    if (status == ISG_OK)
        status = ISG_ALLOCATE(drawn, n_classes);
    for (size_t a = 0; status == ISG_OK && a < info.n_samples; a++) {
        const size_t c = labels ? labels[a] : 0;
        if (drawn[c] == per_class)
            continue;
        draw_spins(&my, isg_dataset_row(data, a), NULL);
        place(&my, c, drawn[c]++);
    }
    isg_release(drawn);
    return finish(&my, status, path);
}

exit_code draw_chains(const char *path, const isg_chains *chains, const uint64_t *clamped,
                      size_t columns, size_t height, size_t width) {
    const isg_chains_info info = isg_chains_describe(chains);
    const bool is_given = height > 0 || width > 0;
    drawing my = drawing_of_spins(
        columns ? (info.count - 1) / columns + 1 : 0, columns < info.count ? columns : info.count,
        is_given ? height : info.image_height, is_given ? width : info.image_width, 3);
    isg_status status = begin(&my);
    for (size_t k = 0; status == ISG_OK && k < info.count; k++) {
        draw_spins(&my, isg_chains_spins(chains, k), clamped);
        place(&my, k / columns, k % columns);
    }
    return finish(&my, status, path);
}

/* ---- weights and patterns -------------------------------------------------------------------- */

/* Rows of at most ten tiles in bands: patterns, what belongs to them below, the next patterns, ... */
static drawing drawing_of_bands(size_t tiles, size_t bands, size_t height, size_t width) {
    return (drawing){.grid = {.rows = (tiles + PER_ROW - 1) / PER_ROW * bands,
                              .cols = tiles < PER_ROW ? tiles : PER_ROW,
                              .tile_width = width,
                              .tile_height = height,
                              .channels = 3,
                              .zoom = 3,
                              .margin = 6,
                              .background = PALE}};
}

/* Tile number mu of a band, out of its values. */
static void place_values(drawing *my, float scale, size_t mu, size_t bands, size_t band) {
    raster_color(my->values, my->grid.tile_width * my->grid.tile_height, scale, my->tile);
    place(my, mu / PER_ROW * bands + band, mu % PER_ROW);
}

static void place_pattern(drawing *my, const isg_patterns *patterns, size_t nu, size_t mu,
                          size_t bands, size_t band) {
    const uint64_t *spins = isg_patterns_row(patterns, nu);
    for (size_t i = 0; i < my->grid.tile_width * my->grid.tile_height; i++)
        my->values[i] = isg_bit(spins, i) ? 1.0f : -1.0f;
    place_values(my, 1.0f, mu, bands, band);
}

exit_code draw_weights(const char *path, isg_rbm *rbm) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const isg_patterns *patterns = isg_rbm_patterns(rbm);
    const isg_matd w = isg_rbm_weights(rbm);
    const size_t n = info.n_visible, p = info.n_hidden, bands = patterns ? 2 : 1;
    const size_t m = patterns ? isg_patterns_describe(patterns).n_patterns : 0;
    drawing my = drawing_of_bands(p > m ? p : m, bands, info.image_height, info.image_width);
    const isg_status status = begin(&my);
    if (status != ISG_OK)
        return finish(&my, status, path);
    /* One scale for all columns makes them comparable; it ends at three times the root mean square,
       so that a few large weights do not make the others pale. */
    double square = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            square += w.data[i * w.stride + mu] * w.data[i * w.stride + mu];
    const float scale = (float)(3 * sqrt(square / (double)(n * p)));
    for (size_t mu = 0; mu < m; mu++)
        place_pattern(&my, patterns, mu, mu, bands, 0);
    for (size_t mu = 0; mu < p; mu++) {
        for (size_t i = 0; i < n; i++)
            my.values[i] = (float)w.data[i * w.stride + mu];
        place_values(&my, scale, mu, bands, bands - 1);
    }
    return finish(&my, status, path);
}

exit_code draw_unmapping(const char *path, const isg_unmapping *unmapping, isg_rbm *rbm,
                         const isg_patterns *known) {
    const isg_patterns *found = isg_unmapping_patterns(unmapping);
    const isg_patterns_info info = isg_patterns_describe(found);
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view x = isg_unmapping_coefficients(unmapping);
    const size_t bands = known ? 3 : 2;
    drawing my = drawing_of_bands(info.n_patterns, bands, info.image_height, info.image_width);
    const isg_status status = begin(&my);
    for (size_t mu = 0; status == ISG_OK && mu < info.n_patterns; mu++) {
        const isg_unmapped_pattern one = isg_unmapping_pattern(unmapping, mu);
        if (one.known != SIZE_MAX)
            place_pattern(&my, known, one.known, mu, bands, 0);
        /* To the scale of the patterns: pale places are those where WX is not binary. */
        for (size_t i = 0; i < info.n_visible; i++) {
            double sum = 0;
            for (size_t k = 0; k < w.cols; k++)
                sum += w.data[i * w.stride + k] * x.data[k * x.stride + mu];
            my.values[i] = (float)sum;
        }
        place_values(&my, 1.0f, mu, bands, bands - 2);
        place_pattern(&my, found, mu, mu, bands, bands - 1);
    }
    return finish(&my, status, path);
}

/* ---- confusion matrices ---------------------------------------------------------------------- */

/* The mean of a class, dark where spins are up. */
static void draw_mean(drawing *my, const isg_dataset *data, size_t k) {
    const size_t n = my->grid.tile_width * my->grid.tile_height;
    const size_t samples = isg_dataset_describe(data).n_samples;
    const uint32_t *labels = isg_dataset_labels(data);
    const double size = (double)isg_dataset_class_size(data, k);
    memset(my->values, 0, n * sizeof *my->values);
    for (size_t a = 0; a < samples; a++)
        for (size_t i = 0; labels[a] == k && i < n; i++)
            my->values[i] += isg_bit(isg_dataset_row(data, a), i) ? 1.0f : 0.0f;
    for (size_t i = 0; i < n; i++) {
        const double ups = (double)my->values[i];
        memset(my->tile + 3 * i, (int)(255 - (size > 0 ? 255 * ups / size : 0)), 3);
    }
}

/* A whole tile in the color of one value. */
static void draw_cell(drawing *my, float value) {
    const size_t n = my->grid.tile_width * my->grid.tile_height;
    for (size_t i = 0; i < n; i++)
        my->values[i] = value;
    raster_color(my->values, n, 1.0f, my->tile);
}

static float share(const size_t *row, size_t n, size_t l) {
    size_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += row[k];
    return sum > 0 ? (float)((double)row[l] / (double)sum) : 0;
}

exit_code draw_confusion(const char *path, const size_t *counts, size_t n_classes,
                         const isg_dataset *data) {
    const isg_dataset_info info =
        data ? isg_dataset_describe(data) : (isg_dataset_info){.n_samples = 0};
    const bool has_heads = info.image_height > 0 && info.n_classes == n_classes;
    const size_t head = has_heads ? 1 : 0, side = 28; /* of a cell where there are no images */
    drawing my = {.grid = {.rows = n_classes + head,
                           .cols = n_classes + head,
                           .tile_width = has_heads ? info.image_width : side,
                           .tile_height = has_heads ? info.image_height : side,
                           .channels = 3,
                           .zoom = 1,
                           .margin = 2,
                           .background = PALE}};
    const isg_status status = begin(&my);
    float largest = 0; /* mistake: shares near zero need a scale of their own */
    for (size_t k = 0; k < n_classes; k++)
        for (size_t l = 0; l < n_classes; l++)
            if (k != l)
                largest = fmaxf(largest, share(counts + k * n_classes, n_classes, l));
    for (size_t k = 0; status == ISG_OK && k < n_classes; k++) {
        if (has_heads) {
            draw_mean(&my, data, k);
            place(&my, 0, k + 1);
            place(&my, k + 1, 0);
        }
        for (size_t l = 0; l < n_classes; l++) {
            const float part = share(counts + k * n_classes, n_classes, l);
            draw_cell(&my, k == l ? -part : largest > 0 ? part / largest : 0);
            place(&my, k + head, l + head);
        }
    }
    return finish(&my, status, path);
}
