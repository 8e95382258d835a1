/* raster.c - pictures made of pixels: grids of tiles, colors of numbers, PNG and SVG files
 *
 * SPDX-License-Identifier: MIT
 *
 * An SVG holds the PNG as it is, in base64: exact, and no larger than it must be.
 *
 * libpng reports errors by longjmp(), which goes to encode() and no further; no frame it skips owns
 * anything.
 */
#include "cli/raster.h"

#include <assert.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "cli/common.h"
#include "src/base/atomic_file.h"
#include "src/base/memory.h"
#include "src/base/text.h"

enum { MOST_PIXELS = 1000000, COMPRESSION = 6 }; /* per side: libpng's own limit */

typedef struct writer {
    const char *path;
    isg_atomic_file *file;
    bool is_svg;
    uint8_t waiting[3]; /* (n_waiting): bytes that do not make four letters of base64 yet */
    size_t n_waiting;
    isg_status status; /* the error of this file that made libpng stop */
} writer;

static isg_status write_waiting(writer *to) {
    char letters[4];
    isg_base64(letters, to->waiting, to->n_waiting);
    to->n_waiting = 0;
    return isg_atomic_file_write(to->file, letters, sizeof letters);
}

static isg_status write_bytes(writer *to, const uint8_t *bytes, size_t count) {
    if (!to->is_svg)
        return isg_atomic_file_write(to->file, bytes, count);
    for (size_t k = 0; k < count; k++) {
        to->waiting[to->n_waiting++] = bytes[k];
        if (to->n_waiting == sizeof to->waiting)
            ISG_TRY(write_waiting(to));
    }
    return ISG_OK;
}

static png_voidp allocate_for_png(png_structp png, png_alloc_size_t bytes) {
    writer *to = png_get_mem_ptr(png);
    void *pointer = isg_allocate(bytes, 1);
    if (!pointer)
        to->status = ISG_ERR_MEMORY;
    return pointer;
}

static void release_for_png(png_structp png, png_voidp pointer) {
    (void)png;
    isg_release(pointer);
}

_Noreturn static void fail_for_png(png_structp png, png_const_charp why) {
    writer *to = png_get_error_ptr(png);
    if (to->status == ISG_OK)
        to->status = isg_fail(ISG_ERR_IO, "%s: libpng could not write it: %s", to->path, why);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp what) {
    (void)png;
    (void)what;
}

static void write_for_png(png_structp png, png_bytep bytes, size_t count) {
    writer *to = png_get_io_ptr(png);
    to->status = write_bytes(to, bytes, count);
    if (to->status != ISG_OK)
        png_error(png, "stopped");
}

/* Only the commit sends the last bytes to the file, so there is nothing to flush. */
static void flush_for_png(png_structp png) {
    (void)png;
}

/* No variable is set between setjmp() and a jump, so none can be clobbered. */
static isg_status encode(png_structp png, png_infop info, writer *to, const raster *picture) {
    if (setjmp(png_jmpbuf(png)))
        return to->status;
    png_set_write_fn(png, to, write_for_png, flush_for_png);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                 picture->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE); /* best for flat squares */
    png_write_info(png, info);
    for (size_t y = 0; y < picture->height; y++)
        png_write_row(png, picture->pixels + y * picture->width * picture->channels);
    png_write_end(png, NULL);
    return ISG_OK;
}

static isg_status write_png(writer *to, const raster *picture) {
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, to, fail_for_png, ignore_warning, to,
                                  allocate_for_png, release_for_png);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    isg_status status = to->status;
    if (info)
        status = encode(png, info, to, picture);
    else if (status == ISG_OK)
        status = isg_fail(ISG_ERR_UNSUPPORTED, "%s: libpng %s could not be started", to->path,
                          png_get_libpng_ver(NULL));
    png_destroy_write_struct(&png, &info);
    return status;
}

static isg_status write_svg(writer *to, const raster *picture) {
    static const char end[] = "'/>\n</svg>\n";
    char start[500];
    const int length =
        snprintf(start, sizeof start,
                 "<svg xmlns='http://www.w3.org/2000/svg' "
                 "xmlns:xlink='http://www.w3.org/1999/xlink' width='%zu' height='%zu' "
                 "viewBox='0 0 %zu %zu'>\n<image width='%zu' height='%zu' "
                 "style='image-rendering:pixelated' xlink:href='data:image/png;base64,",
                 picture->width, picture->height, picture->width, picture->height, picture->width,
                 picture->height);
    ISG_TRY(isg_atomic_file_write(to->file, start, (size_t)length));
    ISG_TRY(write_png(to, picture));
    if (to->n_waiting > 0)
        ISG_TRY(write_waiting(to));
    return isg_atomic_file_write(to->file, end, sizeof end - 1);
}

static isg_status check_sizes(size_t width, size_t height) {
    if (width < 1 || width > MOST_PIXELS || height < 1 || height > MOST_PIXELS)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "picture: expected 1 to %d pixels each way, found %zu by %zu", MOST_PIXELS,
                        width, height);
    return ISG_OK;
}

isg_status raster_write(const raster *picture, const char *path) {
    assert(picture->channels == 1 || picture->channels == 3);
    ISG_TRY(check_sizes(picture->width, picture->height));
    writer to = {.path = path, .is_svg = ends_in(path, ".svg")};
    ISG_TRY(isg_atomic_file_create(&to.file, path));
    isg_status status = to.is_svg ? write_svg(&to, picture) : write_png(&to, picture);
    if (status == ISG_OK)
        status = isg_atomic_file_commit(to.file);
    isg_atomic_file_free(to.file);
    return status;
}

/* ---- grids of tiles ------------------------------------------------------------------------ */

/* *out = count * (tile * zoom + margin) + margin, in pixels; false if it is zero or too large. */
static bool grid_length(size_t count, size_t tile, size_t zoom, size_t margin, size_t *out) {
    size_t step = 0, length = 0;
    if (count == 0 || tile == 0 || zoom == 0 || margin > MOST_PIXELS ||
        !isg_multiply(&step, tile, zoom) || step > MOST_PIXELS ||
        !isg_multiply(&length, count, step + margin) || length > MOST_PIXELS - margin)
        return false;
    *out = length + margin;
    return true;
}

isg_status raster_create(raster *out, const raster_grid *grid) {
    assert(grid->channels == 1 || grid->channels == 3);
    raster picture = {.channels = grid->channels};
    if (!grid_length(grid->cols, grid->tile_width, grid->zoom, grid->margin, &picture.width) ||
        !grid_length(grid->rows, grid->tile_height, grid->zoom, grid->margin, &picture.height))
        return isg_fail(ISG_ERR_ARGUMENT,
                        "picture: %zu by %zu tiles of %zu by %zu pixels at zoom %zu with margin "
                        "%zu do not make 1 to %d pixels each way",
                        grid->cols, grid->rows, grid->tile_width, grid->tile_height, grid->zoom,
                        grid->margin, MOST_PIXELS);
    const size_t row_bytes = picture.width * picture.channels;
    picture.pixels = isg_allocate(picture.height, row_bytes);
    if (!picture.pixels)
        return ISG_ERR_MEMORY;
    memset(picture.pixels, grid->background, picture.height * row_bytes);
    *out = picture;
    return ISG_OK;
}

void raster_place(raster *picture, const raster_grid *grid, size_t row, size_t col,
                  const uint8_t *tile) {
    assert(row < grid->rows && col < grid->cols && picture->channels == grid->channels);
    const size_t channels = grid->channels, zoom = grid->zoom;
    const size_t row_bytes = picture->width * channels;
    const size_t top = grid->margin + row * (grid->tile_height * zoom + grid->margin);
    const size_t left = grid->margin + col * (grid->tile_width * zoom + grid->margin);
    for (size_t y = 0; y < grid->tile_height; y++) {
        uint8_t *first = picture->pixels + (top + y * zoom) * row_bytes + left * channels;
        uint8_t *next = first;
        for (size_t x = 0; x < grid->tile_width; x++, tile += channels)
            for (size_t k = 0; k < zoom; k++, next += channels)
                memcpy(next, tile, channels);
        for (size_t k = 1; k < zoom; k++)
            memcpy(first + k * row_bytes, first, (size_t)(next - first));
    }
}

void raster_free(raster *picture) {
    isg_release(picture->pixels);
    *picture = (raster){0};
}

/* ---- colors of numbers --------------------------------------------------------------------- */

void raster_color(const float *values, size_t count, float scale, uint8_t *rgb) {
    /* The two ends are about equally dark, so neither sign looks stronger than the other. */
    static const float blue[3] = {25.0f, 90.0f, 180.0f}, red[3] = {190.0f, 25.0f, 35.0f};
    const float white = 255.0f, gray = 128.0f;
    for (size_t k = 0; k < count; k++, rgb += 3) {
        const float magnitude = fabsf(values[k]);
        const float part = magnitude >= scale ? 1.0f : magnitude / scale;
        const float *end = values[k] < 0.0f ? blue : red;
        for (size_t c = 0; c < 3; c++) {
            float level = white + (scale > 0.0f ? part : 0.0f) * (end[c] - white);
            if (isnan(values[k]))
                level = gray;
            rgb[c] = (uint8_t)(level + 0.5f);
        }
    }
}
