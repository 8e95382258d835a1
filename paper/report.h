/* report.h - report.html: everything that reproduce has computed, on one page
 *
 * SPDX-License-Identifier: MIT
 *
 * DIR/SCALE/report.html needs no other file: pictures and tables are embedded, and it has no
 * scripts. It is made from settings.json, the claims and the figure.json of every figure, whether
 * finished in this call or an earlier one, so that the same results give the same bytes.
 */
#ifndef PAPER_REPORT_H
#define PAPER_REPORT_H

#include "paper/claims.h"

/* Replaces the report; one that would be the same is left alone. Figures that are not finished are
   listed as such. */
exit_code report_write(experiment *my, const findings *claims);

/* ---- report_html.c: text, files and numbers as HTML -------------------------------------------- */

/* Markup with text in it: %s is escaped, between tags as well as in quotes, and %zu is a number.
   There are no other conversions. */
void html_print(output *page, const char *format, ...) CLI_PRINTF(2, 3);

/* A file as a data: URI. */
exit_code html_data(output *page, const char *path);

/* A duration: 0.3 s, 45 s, 3 min 20 s, 2 h 05 min; "unknown" if it is not a sensible number. */
void html_duration(output *page, double seconds);

/* Appends the bytes of a file. EXIT_FILE if it cannot be read. */
exit_code html_read(output *out, const char *path);

/* ---- report_claims.c: the claims --------------------------------------------------------------- */

/* "12 hold, 1 differs": of the claims about the figure of that name, or of all if NULL. */
void report_claims_tally(output *page, const findings *claims, const char *name);

/* The table of all claims, and the list of those about one figure. */
void report_claims_table(output *page, const findings *claims);
void report_claims_list(output *page, const findings *claims, const char *name);

/* ---- report.css, made a C file by embed.sh ------------------------------------------------------ */

extern const char *const report_style[]; /* its lines; ends with NULL */

#endif
