/* meta.h - meta.json: where one of our files comes from
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_META_H
#define ISG_META_H

#include "io/npz.h"

typedef struct isg_meta {
    const char *kind;    /* "patterns", "model" */
    uint64_t seed;       /* of the command that made it */
    const char *command; /* as typed; NULL if unknown */
    size_t image_height, image_width;
} isg_meta;

isg_status isg_meta_write(const isg_meta *meta, isg_npz_writer *writer);

/* Reads the image shape, the only part needed later. A file without meta.json, as NumPy writes it,
   has no shape. ISG_ERR_VERSION if a later version with another major number wrote it. */
isg_status isg_meta_read(isg_meta *out, isg_zip *zip);

/* Takes the shape if it has n_visible pixels; else height and width stay unchanged. */
void isg_meta_take_shape(const isg_meta *meta, size_t n_visible, size_t *height, size_t *width);

#endif
