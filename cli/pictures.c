/* pictures.c - images of spins, and weights, patterns and counts as images or tables
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/plot.h"
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

exit_code check_picture(const char *name, size_t n_units, size_t height, size_t width) {
    return height ? check_image(name, n_units, height, width, "") : plot_available();
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

exit_code draw_samples(const char *path, const isg_dataset *data, size_t columns, size_t height,
                       size_t width) {
    const size_t count = isg_dataset_describe(data).n_samples;
    drawing my = drawing_of_spins((count - 1) / columns + 1, columns < count ? columns : count,
                                  height, width, 3);
    isg_status status = begin(&my);
    for (size_t k = 0; status == ISG_OK && k < count; k++) {
        draw_spins(&my, isg_dataset_row(data, k), NULL);
        place(&my, k / columns, k % columns);
    }
    return finish(&my, status, path);
}

exit_code draw_states(const char *path, const isg_deep_states *states, size_t count, size_t height,
                      size_t width) {
    drawing my = drawing_of_spins((count - 1) / PER_ROW + 1, count < PER_ROW ? count : PER_ROW,
                                  height, width, 3);
    const size_t words = isg_words(height * width);
    uint64_t *all = NULL;
    isg_status status = begin(&my);
    if (status == ISG_OK)
        status = ISG_ALLOCATE(all, words);
    if (status == ISG_OK)
        memset(all, 0xff, words * sizeof *all);
    for (size_t k = 0; status == ISG_OK && k < count; k++) {
        const isg_deep_state state = isg_deep_states_at(states, k);
        draw_spins(&my, state.spins, state.nearest != SIZE_MAX && state.distance > 0 ? all : NULL);
        place(&my, k / PER_ROW, k % PER_ROW);
    }
    isg_release(all);
    return finish(&my, status, path);
}

/* ---- units that are no image ----------------------------------------------------------------- */

enum { MOST_UNITS = 60, MOST_COLUMNS = 100 }; /* in a table that a reader can take in */

typedef struct shown_unit {
    size_t unit, column; /* the column of its largest value */
    double largest, spread;
} shown_unit;

static int by_spread(const void *left, const void *right) {
    const shown_unit *a = left, *b = right;
    if (a->spread != b->spread)
        return a->spread > b->spread ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static int by_column(const void *left, const void *right) {
    const shown_unit *a = left, *b = right;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->largest != b->largest)
        return a->largest > b->largest ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* How much a unit differs between the columns; by its size if there is only one. */
static shown_unit look_at_unit(isg_matd_view values, size_t columns, size_t i) {
    const double *row = values.data + i * values.stride;
    shown_unit one = {.unit = i, .largest = row[0]};
    double mean = 0;
    for (size_t k = 0; k < columns; k++) {
        mean += columns > 1 ? row[k] / (double)columns : 0;
        if (row[k] > one.largest) {
            one.largest = row[k];
            one.column = k;
        }
    }
    for (size_t k = 0; k < columns; k++)
        one.spread += (row[k] - mean) * (row[k] - mean);
    return one;
}

/* The units to show: those given, or those that vary most, together where they are largest. */
static isg_status choose_units(const unit_table *table, size_t columns, size_t *units,
                               size_t count) {
    const size_t n = table->values.rows;
    shown_unit *all = NULL;
    for (size_t k = 0; table->units && k < count; k++)
        units[k] = table->units[k];
    if (table->units)
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE(all, n));
    for (size_t i = 0; i < n; i++)
        all[i] = look_at_unit(table->values, columns, i);
    qsort(all, n, sizeof *all, by_spread);
    qsort(all, count, sizeof *all, by_column);
    for (size_t k = 0; k < count; k++)
        units[k] = all[k].unit;
    isg_release(all);
    return ISG_OK;
}

/* A name, or else a number. */
static char *name_or_number(const char *name, size_t number) {
    return name ? memory_format("%s", name) : memory_format("%zu", number);
}

exit_code draw_units(const char *path, const unit_table *table) {
    const isg_matd_view v = table->values;
    const size_t columns = v.cols < MOST_COLUMNS ? v.cols : MOST_COLUMNS;
    const size_t wanted = table->units ? table->n_units : v.rows;
    const size_t count = wanted < MOST_UNITS ? wanted : MOST_UNITS;
    double *shown = NULL, largest = 0;
    char **names = NULL, title[200], part[60] = "";
    size_t units[MOST_UNITS];
    exit_code code = EXIT_DONE;
    shown = memory_allocate(count, columns * sizeof *shown);
    names = memory_allocate(count + columns, sizeof *names);
    if (!shown || !names)
        code = fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(choose_units(table, columns, units, count));
    for (size_t k = 0; code == EXIT_DONE && k < count + columns; k++) {
        const size_t number = k < count ? units[k] : k - count;
        names[k] = name_or_number(k < count       ? isg_encoding_unit_name(table->encoding, number)
                                  : table->labels ? table->labels[number]
                                                  : NULL,
                                  number);
        code = names[k] ? EXIT_DONE : fail_memory();
        for (size_t j = 0; code == EXIT_DONE && k < count && j < columns; j++) {
            shown[k * columns + j] = v.data[units[k] * v.stride + j];
            largest = fmax(largest, fabs(shown[k * columns + j]));
        }
    }
    if (columns < v.cols)
        snprintf(part, sizeof part, ", the first %zu of %zu columns", columns, v.cols);
    snprintf(title, sizeof title, "%zu of %zu units%s%s", count, v.rows,
             count == v.rows ? ""
             : table->units  ? ", the most distinctive"
                             : ", those that vary most",
             part);
    if (code == EXIT_DONE)
        code =
            plot_in_color(path, &(plot_table){.title = title,
                                              .x_label = table->what,
                                              .y_label = "",
                                              .values = {shown, count, columns, columns},
                                              .scale = table->scale > 0 ? table->scale
                                                       : largest > 0    ? largest
                                                                        : 1,
                                              .row_names = (const char *const *)names,
                                              .column_names = (const char *const *)names + count});
    for (size_t k = 0; names && k < count + columns; k++)
        memory_release(names[k]);
    memory_release(names);
    memory_release(shown);
    return code;
}

/* The labels of patterns that belong to `count` columns; NULL if they do not. */
static const char **column_labels(const isg_patterns *patterns, size_t count) {
    const char **labels = memory_allocate(count, sizeof *labels);
    const bool belong = patterns && isg_patterns_describe(patterns).n_patterns == count;
    for (size_t mu = 0; labels && belong && mu < count; mu++)
        labels[mu] = isg_patterns_label(patterns, mu);
    return labels;
}

static exit_code draw_weight_table(const char *path, isg_rbm *rbm) {
    const isg_matd w = isg_rbm_weights(rbm);
    const char **labels = column_labels(isg_rbm_patterns(rbm), w.cols);
    const bool has_labels = labels && labels[0];
    const exit_code code =
        !labels
            ? fail_memory()
            : draw_units(path,
                         &(unit_table){
                             .what = has_labels ? "hidden units, by the patterns of the same number"
                                                : "hidden units",
                             .values = {w.data, w.rows, w.cols, w.stride},
                             .encoding = isg_rbm_encoding(rbm),
                             .labels = labels});
    memory_release(labels);
    return code;
}

static exit_code draw_pattern_table(const char *path, const isg_patterns *patterns) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    const size_t n = info.n_visible, p = info.n_patterns;
    double *xi = memory_allocate(n, p * sizeof *xi);
    const char **labels = column_labels(patterns, p);
    for (size_t k = 0; xi && k < n * p; k++)
        xi[k] = isg_spin(isg_patterns_row(patterns, k % p), k / p);
    const exit_code code =
        !xi || !labels ? fail_memory()
                       : draw_units(path, &(unit_table){.what = "patterns",
                                                        .values = {xi, n, p, p},
                                                        .scale = 1,
                                                        .encoding = isg_patterns_encoding(patterns),
                                                        .labels = labels});
    memory_release(xi);
    memory_release(labels);
    return code;
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
    if (!info.image_height)
        return draw_weight_table(path, rbm);
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

exit_code draw_patterns(const char *path, const isg_patterns *patterns) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    if (!info.image_height)
        return draw_pattern_table(path, patterns);
    drawing my = drawing_of_bands(info.n_patterns, 1, info.image_height, info.image_width);
    const isg_status status = begin(&my);
    for (size_t mu = 0; status == ISG_OK && mu < info.n_patterns; mu++)
        place_pattern(&my, patterns, mu, mu, 1, 0);
    return finish(&my, status, path);
}

exit_code draw_unmapping(const char *path, const isg_unmapping *unmapping, isg_rbm *rbm,
                         const isg_patterns *known) {
    const isg_patterns *found = isg_unmapping_patterns(unmapping);
    const isg_patterns_info info = isg_patterns_describe(found);
    if (!info.image_height)
        return draw_pattern_table(path, found);
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

static double share(const size_t *row, size_t n, size_t l) {
    size_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += row[k];
    return sum > 0 ? (double)row[l] / (double)sum : 0;
}

exit_code draw_confusion(const char *path, const size_t *counts, size_t n,
                         const char *const *names) {
    double *colors = memory_allocate(n, n * sizeof *colors);
    double largest = 0; /* mistake: shares near zero need a scale of their own */
    size_t samples = 0, right = 0;
    char title[120];
    if (!colors)
        return fail_memory();
    for (size_t k = 0; k < n * n; k++) {
        samples += counts[k];
        right += k / n == k % n ? counts[k] : 0;
        if (k / n != k % n)
            largest = fmax(largest, share(counts + k / n * n, n, k % n));
    }
    for (size_t k = 0; k < n * n; k++) {
        const double part = share(counts + k / n * n, n, k % n);
        colors[k] = k / n == k % n ? -part : largest > 0 ? part / largest : 0;
    }
    snprintf(title, sizeof title, "%zu of %zu samples right", right, samples);
    const exit_code code = plot_in_color(path, &(plot_table){.title = title,
                                                             .x_label = "predicted class",
                                                             .y_label = "class",
                                                             .values = {colors, n, n, n},
                                                             .scale = 1,
                                                             .row_names = names,
                                                             .column_names = names,
                                                             .counts = counts});
    memory_release(colors);
    return code;
}
