/* sample_picture.c - the spins of chains as images, in the manner of Fig. 4c and d of the paper
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/bits.h"
#include "base/memory.h"
#include "io/png.h"
#include "sample/sample.h"

enum { ZOOM = 2, MARGIN = 4, BACKGROUND = 128, CHANNELS = 3 };

/* Down and up, free and clamped: what was given can be told from what was drawn. */
static const uint8_t colors[2][2][CHANNELS] = {{{0, 0, 0}, {255, 255, 255}},
                                               {{20, 40, 100}, {140, 190, 255}}};

static void draw(const uint64_t *spins, const uint64_t *clamped, size_t n, uint8_t *tile) {
    for (size_t i = 0; i < n; i++)
        for (size_t channel = 0; channel < CHANNELS; channel++)
            tile[i * CHANNELS + channel] =
                colors[clamped && isg_bit(clamped, i)][isg_bit(spins, i)][channel];
}

isg_status isg_chains_picture(const isg_chains *chains, const char *path, size_t columns,
                              size_t height, size_t width) {
    const isg_chains_info info = isg_chains_describe(chains);
    const bool is_given = height > 0 || width > 0;
    const isg_grid grid = {.rows = columns ? (info.count - 1) / columns + 1 : 0,
                           .cols = columns < info.count ? columns : info.count,
                           .tile_width = is_given ? width : info.image_width,
                           .tile_height = is_given ? height : info.image_height,
                           .channels = CHANNELS,
                           .zoom = ZOOM,
                           .margin = MARGIN,
                           .background = BACKGROUND};
    size_t pixels = 0;
    if (!is_given && !info.image_height)
        return isg_fail(ISG_ERR_ARGUMENT, "a picture was asked for, but the visible units are no "
                                          "image; give their shape");
    if (!isg_multiply(&pixels, grid.tile_height, grid.tile_width) || pixels != info.n_visible)
        return isg_fail(ISG_ERR_SHAPE,
                        "a picture was asked for, but an image of %zux%zu does not have the %zu "
                        "visible units",
                        height, width, info.n_visible);
    isg_picture picture = {0};
    uint8_t *tile = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_picture_create(&picture, &grid));
    tile = isg_allocate(info.n_visible, CHANNELS);
    if (!tile)
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    for (size_t k = 0; k < info.count; k++) {
        draw(isg_chains_spins(chains, k), isg_chains_clamped(chains), info.n_visible, tile);
        isg_picture_place(&picture, &grid, k / columns, k % columns, tile);
    }
    ISG_TRY_GOTO(isg_picture_write(&picture, path));
done:
    isg_picture_free(&picture);
    isg_release(tile);
    return status;
}
