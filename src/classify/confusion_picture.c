/* confusion_picture.c - a confusion matrix as a picture
 *
 * SPDX-License-Identifier: MIT
 *
 * A cell is the share of its row, the class that samples are of. What was got right is near one and
 * what was not near zero, so that each has a scale of its own: blue for the diagonal, full at one, red
 * for mistakes, full at the largest of them.
 */
#include <string.h>

#include "base/memory.h"
#include "data/data.h"
#include "io/png.h"
#include "isinglass/classify.h"

enum { SIDE = 28, MARGIN = 2, BACKGROUND = 210 }; /* of a cell where there are no images */

/* The mean of a class, dark where spins are up. */
static void draw_mean(const isg_dataset *data, size_t k, double *ups, uint8_t *tile) {
    const size_t n = data->info.n_visible;
    memset(ups, 0, n * sizeof *ups);
    for (size_t a = 0; a < data->info.n_samples; a++)
        for (size_t i = 0; data->labels.index[a] == k && i < n; i++)
            ups[i] += isg_bit(isg_dataset_spins(data, a), i);
    for (size_t i = 0; i < n; i++) {
        const double size = (double)data->class_sizes[k];
        memset(tile + 3 * i, (int)(255 - (size > 0 ? 255 * ups[i] / size : 0)), 3);
    }
}

static void draw_cell(float value, size_t pixels, uint8_t *tile) {
    uint8_t rgb[3];
    isg_color_values(&value, 1, 1.0f, rgb);
    for (size_t i = 0; i < pixels; i++)
        memcpy(tile + 3 * i, rgb, sizeof rgb);
}

/* shares (n, n) of the rows; returns the largest beside the diagonal. */
static float fill_shares(const size_t *counts, size_t n, float *shares) {
    float largest = 0;
    for (size_t k = 0; k < n; k++) {
        size_t sum = 0;
        for (size_t l = 0; l < n; l++)
            sum += counts[k * n + l];
        for (size_t l = 0; l < n; l++) {
            const float share = sum > 0 ? (float)((double)counts[k * n + l] / (double)sum) : 0;
            shares[k * n + l] = share;
            largest = k != l && share > largest ? share : largest;
        }
    }
    return largest;
}

isg_status isg_confusion_picture(const size_t *counts, size_t n_classes, const isg_dataset *data,
                                 const char *path) {
    const bool has_heads = data && data->info.image_height > 0 && data->info.n_classes == n_classes;
    const size_t height = has_heads ? data->info.image_height : SIDE;
    const size_t width = has_heads ? data->info.image_width : SIDE, head = has_heads ? 1 : 0;
    const isg_grid grid = {.rows = n_classes + head,
                           .cols = n_classes + head,
                           .tile_width = width,
                           .tile_height = height,
                           .channels = 3,
                           .zoom = 1,
                           .margin = MARGIN,
                           .background = BACKGROUND};
    isg_picture picture = {0};
    uint8_t *tile = NULL;
    double *ups = NULL;
    float *shares = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_picture_create(&picture, &grid));
    ISG_TRY_GOTO(ISG_ALLOCATE(tile, 3 * width * height));
    ISG_TRY_GOTO(ISG_ALLOCATE(ups, width * height));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(shares, n_classes, n_classes));
    const float largest = fill_shares(counts, n_classes, shares);
    for (size_t k = 0; k < n_classes; k++) {
        if (has_heads) {
            draw_mean(data, k, ups, tile);
            isg_picture_place(&picture, &grid, 0, k + 1, tile);
            isg_picture_place(&picture, &grid, k + 1, 0, tile);
        }
        for (size_t l = 0; l < n_classes; l++) {
            const float share = shares[k * n_classes + l];
            draw_cell(k == l ? -share : largest > 0 ? share / largest : 0, width * height, tile);
            isg_picture_place(&picture, &grid, k + head, l + head, tile);
        }
    }
    ISG_TRY_GOTO(isg_picture_write(&picture, path));
done:
    isg_picture_free(&picture);
    isg_release(tile);
    isg_release(ups);
    isg_release(shares);
    return status;
}
