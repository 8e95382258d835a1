/* unmap_picture.c - known patterns, W X, and the patterns found, below each other (Fig. D.1)
 *
 * SPDX-License-Identifier: MIT
 *
 * Rows of at most ten tiles, in bands: known patterns, if any, then W X, then its signs. W X is drawn
 * to the scale of the patterns, full color at 1, so that pale places are those where it is not
 * binary.
 */
#include "base/memory.h"
#include "io/png.h"
#include "mapping/unmap.h"

enum { PER_ROW = 10, ZOOM = 3, MARGIN = 6, BACKGROUND = 210 };

typedef struct drawing {
    isg_picture picture;
    isg_grid grid;
    size_t bands;
    float *values; /* (n_visible) */
    uint8_t *tile; /* (n_visible, 3) */
} drawing;

static void draw_tile(drawing *my, size_t mu, size_t band) {
    isg_color_values(my->values, my->grid.tile_width * my->grid.tile_height, 1.0f, my->tile);
    isg_picture_place(&my->picture, &my->grid, mu / PER_ROW * my->bands + band, mu % PER_ROW,
                      my->tile);
}

static void draw_spins(drawing *my, const uint64_t *spins, size_t n, size_t mu, size_t band) {
    for (size_t i = 0; i < n; i++)
        my->values[i] = (float)isg_spin(spins, i);
    draw_tile(my, mu, band);
}

static void draw(drawing *my, const isg_unmapping *unmapping) {
    const size_t n = unmapping->report.n_visible, m = unmapping->report.n_patterns;
    for (size_t mu = 0; mu < m; mu++) {
        const size_t known = unmapping->each[mu].known;
        if (known != SIZE_MAX)
            draw_spins(my, isg_patterns_spins(unmapping->known, known), n, mu, 0);
        for (size_t i = 0; i < n; i++)
            my->values[i] = (float)unmapping->image[i * m + mu];
        draw_tile(my, mu, my->bands - 2);
        draw_spins(my, isg_patterns_spins(unmapping->patterns, mu), n, mu, my->bands - 1);
    }
}

isg_status isg_unmapping_picture(const isg_unmapping *unmapping, const char *path) {
    const size_t n = unmapping->report.n_visible, m = unmapping->report.n_patterns;
    const isg_patterns_info *info = &unmapping->patterns->info;
    if (!info->image_height)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a picture was asked for, but the visible units are no image");
    drawing my = {.bands = unmapping->known ? 3 : 2};
    my.grid = (isg_grid){.rows = (m + PER_ROW - 1) / PER_ROW * my.bands,
                         .cols = m < PER_ROW ? m : PER_ROW,
                         .tile_width = info->image_width,
                         .tile_height = info->image_height,
                         .channels = 3,
                         .zoom = ZOOM,
                         .margin = MARGIN,
                         .background = BACKGROUND};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_picture_create(&my.picture, &my.grid));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.values, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(my.tile, n, 3));
    draw(&my, unmapping);
    ISG_TRY_GOTO(isg_picture_write(&my.picture, path));
done:
    isg_picture_free(&my.picture);
    isg_release(my.values);
    isg_release(my.tile);
    return status;
}
