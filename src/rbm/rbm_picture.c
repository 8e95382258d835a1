/* rbm_picture.c - the patterns above the columns of W, as Fig. 3a of the paper shows them
 *
 * SPDX-License-Identifier: MIT
 *
 * Rows of at most ten tiles: patterns, the columns below them, the next patterns, and so on. One
 * color scale for all columns makes them comparable; it ends at three times the root mean square
 * of the weights, so that a few large ones do not make the others pale.
 */
#include <math.h>

#include "base/memory.h"
#include "io/png.h"
#include "rbm/rbm.h"

enum { PER_ROW = 10, ZOOM = 3, MARGIN = 6, BACKGROUND = 210 };

/* Draws tile number mu of band `band`, out of `bands` bands in every row of tiles. */
static void place(isg_picture *picture, const isg_grid *grid, size_t mu, size_t bands, size_t band,
                  const uint8_t *tile) {
    isg_picture_place(picture, grid, mu / PER_ROW * bands + band, mu % PER_ROW, tile);
}

static void draw(isg_picture *picture, const isg_grid *grid, const isg_rbm *rbm, float *values,
                 uint8_t *tile) {
    const size_t n = rbm->info.n_visible, p = rbm->info.n_hidden;
    const size_t bands = rbm->patterns ? 2 : 1;
    double square = 0;
    for (size_t mu = 0; rbm->patterns && mu < rbm->patterns->info.n_patterns; mu++) {
        for (size_t i = 0; i < n; i++)
            values[i] = (float)isg_spin(isg_patterns_spins(rbm->patterns, mu), i);
        isg_color_values(values, n, 1.0f, tile);
        place(picture, grid, mu, bands, 0, tile);
    }
    for (size_t entry = 0; entry < n * p; entry++)
        square += rbm->weights[entry] * rbm->weights[entry];
    const float scale = (float)(3 * sqrt(square / (double)(n * p)));
    for (size_t mu = 0; mu < p; mu++) {
        for (size_t i = 0; i < n; i++)
            values[i] = (float)rbm->weights[i * p + mu];
        isg_color_values(values, n, scale, tile);
        place(picture, grid, mu, bands, bands - 1, tile);
    }
}

isg_status isg_rbm_picture(const isg_rbm *rbm, const char *path) {
    const size_t p = rbm->info.n_hidden, m = rbm->patterns ? rbm->patterns->info.n_patterns : 0;
    const size_t tiles = p > m ? p : m;
    if (!rbm->info.image_height)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a picture was asked for, but the visible units are no image");
    const isg_grid grid = {.rows = (tiles + PER_ROW - 1) / PER_ROW * (m ? 2 : 1),
                           .cols = tiles < PER_ROW ? tiles : PER_ROW,
                           .tile_width = rbm->info.image_width,
                           .tile_height = rbm->info.image_height,
                           .channels = 3,
                           .zoom = ZOOM,
                           .margin = MARGIN,
                           .background = BACKGROUND};
    isg_picture picture = {0};
    float *values = NULL;
    uint8_t *tile = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_picture_create(&picture, &grid));
    ISG_TRY_GOTO(ISG_ALLOCATE(values, rbm->info.n_visible));
    tile = isg_allocate(rbm->info.n_visible, 3);
    if (!tile)
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    draw(&picture, &grid, rbm, values, tile);
    ISG_TRY_GOTO(isg_picture_write(&picture, path));
done:
    isg_picture_free(&picture);
    isg_release(values);
    isg_release(tile);
    return status;
}
