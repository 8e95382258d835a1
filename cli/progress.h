/* progress.h - what a waiting user sees on stderr
 *
 * SPDX-License-Identifier: MIT
 *
 *     progress bar;
 *     progress_start(&bar, call->common.quiet, "clustering");
 *     status = isg_something(..., progress_callback(&bar));
 *     progress_finish(&bar);
 *
 * or, for work made of steps, progress_update() after each of them. On a terminal one line with a
 * bar is redrawn, at most ten times a second, and cleared at the end; elsewhere, or with
 * TERM=dumb, a line is written every ten seconds. Nothing shows before half a second has passed;
 * where something has, so does 100 %.
 * Between start and finish Ctrl-C and SIGTERM only make progress_update() return false.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "isinglass.h"

typedef struct progress {
    const char *title; /* borrowed */
    const char *unit;  /* borrowed; NULL: no rate is shown */
    double total;      /* in units */
    double origin;     /* fraction that was done before the start, when a run is resumed */
    double started_s, shown_s;
    double shown; /* the last fraction shown */
    bool is_quiet, is_live, has_color, is_visible;
    isg_progress callback;
} progress;

void progress_start(progress *bar, bool is_quiet, const char *title);

/* The total amount of work, so that a rate can be shown: 60000, "images". Optional. */
void progress_measure(progress *bar, double total, const char *unit);

/* `fraction` of the work is done, 0 to 1; `text` is shown after the numbers, NULL for none. False
   once the user wants to stop. */
bool progress_update(progress *bar, double fraction, const char *text);

/* The same as the callback that the library takes. */
const isg_progress *progress_callback(progress *bar);

/* Clears the line. Once for every start, after failures too. */
void progress_finish(progress *bar);

#endif
