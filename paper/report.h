/* report.h - one page about everything that reproduce left in a directory
 *
 * SPDX-License-Identifier: MIT
 *
 * DIR/SCALE/report.html needs nothing beside it: pictures and tables are in it, scripts are not. It
 * is made of settings.json, claims.json and the figure.json of every figure, finished in this call or
 * an earlier one, and of nothing else, so that the same directory gives the same bytes.
 */
#ifndef PAPER_REPORT_H
#define PAPER_REPORT_H

#include "paper/paper.h"

/* Replaces the report as a whole; one that would be the same is left alone. Figures that are not
   finished and claims that are not there are named as such. EXIT_CHECKPOINT if claims.json is not as
   it must be. */
exit_code report_write(experiment *my);

#endif
