/* mosaic.h - rows of images, drawn by gnuplot from a table of pixels
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAPER_MOSAIC_H
#define PAPER_MOSAIC_H

#include "paper/paper.h"

/* A table FIG.csv of n images of height x width, one after the other, row by row, with the columns
   row, column, image and then one per kind of image. */
typedef struct mosaic {
    size_t n, height, width;
    size_t n_kinds;
    const char *const *titles; /* (n_kinds) */
    double limit;              /* values from -limit to limit: blue, white, red */
    const char *scale_title;
} mosaic;

/* The script and the picture: one row of images per kind below each other, with their titles. */
exit_code leave_mosaic(experiment *my, const mosaic *what);

#endif
