/* pictures.h - images of spins, weights, patterns and counts, as PNG or SVG by the ending of the name
 *
 * SPDX-License-Identifier: MIT
 *
 * Where a shape (height, width) is not given, it is that of the object, which must have one: ask
 * check_image() before the work.
 */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "cli/failure.h"

/* EXIT_BAD_INPUT if height is 0, since the units of `name` are not an image, or if their number
   does not fit this shape. `advice` says what to do about the former, or is empty. */
exit_code check_image(const char *name, size_t n_units, size_t height, size_t width,
                      const char *advice);

/* The same for what is drawn as a table by gnuplot if it is no image: draw_weights(),
   draw_patterns(), draw_unmapping(). EXIT_FILE if gnuplot is needed and not there. */
exit_code check_picture(const char *name, size_t n_units, size_t height, size_t width);

/* The first `per_class` samples of every class, one class per row. */
exit_code draw_classes(const char *path, const isg_dataset *data, size_t per_class);

/* The patterns, if known, above the columns of W, as in Fig. 3a of the paper: red is positive, blue
   negative, white zero. */
exit_code draw_weights(const char *path, isg_rbm *rbm);

/* The patterns alone. */
exit_code draw_patterns(const char *path, const isg_patterns *patterns);

/* The spins of all chains in rows of `columns`, in the manner of Fig. 4c and d of the paper: +1 is
   white, -1 black, both blue at the units that are `clamped` (packed; NULL for none). */
exit_code draw_chains(const char *path, const isg_chains *chains, const uint64_t *clamped,
                      size_t columns, size_t height, size_t width);

/* All samples of the data in rows of `columns`. */
exit_code draw_samples(const char *path, const isg_dataset *data, size_t columns, size_t height,
                       size_t width);

/* The first `count` states of the list in rows of 10; if there are patterns, blue are those that are
   none. */
exit_code draw_states(const char *path, const isg_deep_states *states, size_t count, size_t height,
                      size_t width);

/* The known patterns, if not NULL, above WX above the patterns found, as in Fig. D.1 of the paper. */
exit_code draw_unmapping(const char *path, const isg_unmapping *unmapping, isg_rbm *rbm,
                         const isg_patterns *known);

/* A confusion matrix by gnuplot: counts (n_classes, n_classes), one row per class, one column per
   predicted class, with their names (n_classes). Blue on the diagonal is the share of a class that
   was right, red elsewhere a share of mistakes, full at the largest. */
exit_code draw_confusion(const char *path, const size_t *counts, size_t n_classes,
                         const char *const *names);

/* Numbers of units that are no image, as a table in color by gnuplot. */
typedef struct unit_table {
    const char *what;             /* the columns are: "patterns" */
    isg_matd_view values;         /* (n_visible, columns) */
    double scale;                 /* of full color; 0: the largest that is shown */
    const isg_encoding *encoding; /* for the names of units, or NULL */
    const char *const *labels;    /* (columns), NULL if unknown, all or some of them */
    const size_t *units; /* (n_units) to show; NULL: those that differ most between columns */
    size_t n_units;
} unit_table;

exit_code draw_units(const char *path, const unit_table *table);

#endif
