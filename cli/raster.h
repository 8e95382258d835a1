/* raster.h - pictures made of pixels: grids of tiles, colors of numbers, PNG and SVG files
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_RASTER_H
#define CLI_RASTER_H

#include "src/base/status.h"

typedef struct raster {
    uint8_t *pixels; /* rows of width * channels bytes, top row first; owned */
    size_t width, height;
    size_t channels; /* 1 is gray, 3 are red, green, blue */
} raster;

/* Tiles of the same size in rows and columns, each pixel drawn as a square of zoom * zoom, with
   `margin` pixels of background around and between them. */
typedef struct raster_grid {
    size_t rows, cols;
    size_t tile_width, tile_height;
    size_t channels;
    size_t zoom;        /* at least 1 */
    size_t margin;      /* not zoomed; may be 0 */
    uint8_t background; /* of every channel */
} raster_grid;

/* A picture of background only. ISG_ERR_ARGUMENT if a size is zero or the picture would be too wide
   or high for raster_write(). */
isg_status raster_create(raster *out, const raster_grid *grid);

/* Draws one tile, given as tile_height rows of tile_width * channels bytes. Places left out stay
   background. */
void raster_place(raster *picture, const raster_grid *grid, size_t row, size_t col,
                  const uint8_t *tile);

/* A PNG, or an SVG around one if the name ends in .svg. The file is always complete, and the same
   pixels give the same file. ISG_ERR_ARGUMENT unless both sizes are from 1 to a million. */
isg_status raster_write(const raster *picture, const char *path);

void raster_free(raster *picture); /* leaves it empty; may be called again */

/* Three bytes per value: white at zero, to full red at +scale and to full blue at -scale, where
   they stay beyond. A scale of zero makes everything white; NaN is gray. */
void raster_color(const float *values, size_t count, float scale, uint8_t *rgb);

#endif
