/* png.h - pictures: PNG files, grids of tiles, and a color map for weights
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_PNG_H
#define ISG_PNG_H

#include "base/status.h"

/* Writes rows of width * channels bytes, top row first; 1 channel is gray, 3 are red, green, blue.
   The file appears whole or not at all, and the same pixels give the same file. ISG_ERR_ARGUMENT
   unless both sizes are from 1 to a million. */
isg_status isg_png_write(const char *path, const uint8_t *pixels, size_t width, size_t height,
                         size_t channels);

/* ---- grids of tiles ------------------------------------------------------------------------ */

/* Tiles of the same size in rows and columns, each pixel drawn as a square of zoom * zoom, with
   `margin` pixels of background around and between them. */
typedef struct isg_grid {
    size_t rows, cols;
    size_t tile_width, tile_height;
    size_t channels;    /* 1 or 3 */
    size_t zoom;        /* at least 1 */
    size_t margin;      /* not zoomed; may be 0 */
    uint8_t background; /* of every channel */
} isg_grid;

typedef struct isg_picture {
    uint8_t *pixels; /* owned: release with isg_picture_free() */
    size_t width, height, channels;
} isg_picture;

/* A picture with nothing but background. ISG_ERR_ARGUMENT if a size is zero or the picture would
   be wider or higher than isg_png_write() takes. */
isg_status isg_picture_create(isg_picture *out, const isg_grid *grid);

/* Draws one tile, given as tile_height rows of tile_width * channels bytes. Places left out stay
   background. */
void isg_picture_place(isg_picture *picture, const isg_grid *grid, size_t row, size_t col,
                       const uint8_t *tile);

isg_status isg_picture_write(const isg_picture *picture, const char *path);

void isg_picture_free(isg_picture *picture); /* leaves it empty; may be called again */

/* ---- colors of numbers --------------------------------------------------------------------- */

/* Three bytes per value: white at zero, to full red at +scale and to full blue at -scale, where
   they stay beyond. A scale of zero makes everything white; what is no number is gray. */
void isg_color_values(const float *values, size_t count, float scale, uint8_t *rgb);

#endif
