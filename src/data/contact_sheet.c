/* contact_sheet.c - some samples of every class as one picture
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/memory.h"
#include "data/data.h"
#include "io/png.h"

enum { ZOOM = 2, MARGIN = 4, BACKGROUND = 128, UP = 255, DOWN = 0 };

static void draw(const isg_dataset *data, size_t row, uint8_t *tile) {
    const uint64_t *spins = isg_dataset_spins(data, row);
    for (size_t i = 0; i < data->info.n_visible; i++)
        tile[i] = isg_bit(spins, i) ? UP : DOWN;
}

isg_status isg_dataset_contact_sheet(const isg_dataset *data, const char *path, size_t per_class) {
    const isg_dataset_info *info = &data->info;
    if (!info->image_height)
        return isg_fail(ISG_ERR_ARGUMENT,
                        "a picture needs samples that are images; give their shape");
    if (per_class == 0)
        return isg_fail(ISG_ERR_ARGUMENT, "a picture needs at least one sample of a class");
    const size_t n_classes = info->n_classes ? info->n_classes : 1;
    const isg_grid grid = {.rows = n_classes,
                           .cols = per_class,
                           .tile_width = info->image_width,
                           .tile_height = info->image_height,
                           .channels = 1,
                           .zoom = ZOOM,
                           .margin = MARGIN,
                           .background = BACKGROUND};
    isg_picture picture = {0};
    uint8_t *tile = NULL;
    size_t *drawn = NULL; /* per class */
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_picture_create(&picture, &grid));
    ISG_TRY_GOTO(ISG_ALLOCATE(tile, info->n_visible));
    ISG_TRY_GOTO(ISG_ALLOCATE(drawn, n_classes));
    for (size_t a = 0; a < info->n_samples; a++) {
        const size_t c = data->labels.count ? data->labels.index[a] : 0;
        if (drawn[c] == per_class)
            continue;
        draw(data, a, tile);
        isg_picture_place(&picture, &grid, c, drawn[c]++, tile);
    }
    ISG_TRY_GOTO(isg_picture_write(&picture, path));
done:
    isg_picture_free(&picture);
    isg_release(tile);
    isg_release(drawn);
    return status;
}
