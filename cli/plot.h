/* plot.h - pictures of numbers, drawn by gnuplot
 *
 * SPDX-License-Identifier: MIT
 *
 * Either curves, by plot_curves(), or a script of one's own:
 *
 *     plot picture;
 *     code = plot_begin(&picture, path, width, height);
 *     fprintf(picture.script, ...);             the terminal is set, the output too
 *     code = plot_end(&picture, code);          runs gnuplot, and cleans up
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdio.h>

#include "cli/common.h"
#include "isinglass.h"

/* Whether a picture may be written; call it before the work. Needs a name that ends in .png or
   .svg, no existing file unless --force was given, and gnuplot. */
exit_code plot_may_write(const common_settings *common, const char *path);

/* EXIT_FILE if gnuplot is not there: asked before the work, so that nobody waits for a picture that
   cannot be drawn. */
exit_code plot_available(void);

typedef struct plot {
    FILE *script;     /* where commands of gnuplot go */
    const char *path; /* borrowed */
    char *directory;  /* beside the picture, for as long as it takes */
} plot;

/* EXIT_FILE if a directory beside `path` cannot be created. After a failure, do not call
   plot_end(). */
exit_code plot_begin(plot *picture, const char *path, size_t width, size_t height);

/* Draws the picture, unless `code` is already a failure; always cleans up. */
exit_code plot_end(plot *picture, exit_code code);

/* A text in the quotes of gnuplot; characters that cannot be in a line become '?'. */
void plot_text(FILE *script, const char *text);

/* Runs the caller's script in the directory where it and its data stay; it draws `picture` there.
   Both names are without the directory. An unfinished picture is removed. */
exit_code plot_draw(const char *directory, const char *script, const char *picture);

/* ---- curves ------------------------------------------------------------------------------------ */

typedef struct plot_curve {
    const char *name; /* in the legend */
    const double *x, *y;
    const double *error; /* of y; NULL for none */
    size_t count;
} plot_curve;

typedef struct plot_axes {
    const char *title, *x_label, *y_label;
    double x_low, x_high, y_low, y_high; /* NaN: as the curves need */
} plot_axes;

exit_code plot_curves(const char *path, const plot_axes *axes, const plot_curve *curves,
                      size_t n_curves);

/* ---- tables in color --------------------------------------------------------------------------- */

/* One cell for every value: white at zero, full red at +scale, full blue at -scale. */
typedef struct plot_table {
    const char *title, *x_label, *y_label;
    isg_matd_view values; /* what is not finite is white */
    double scale;
    const char *const *row_names, *const *column_names;
    const size_t *counts; /* (rows, columns) to write into the cells; NULL: a scale of colors */
} plot_table;

exit_code plot_in_color(const char *path, const plot_table *table);

#endif
