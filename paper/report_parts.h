/* report_parts.h - what report.c is made of
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PAPER_REPORT_PARTS_H
#define PAPER_REPORT_PARTS_H

#include "paper/paper.h"

/* ---- report_html.c: text, files and numbers as HTML -------------------------------------------- */

/* Markup with texts in it: %s is escaped, so that it may stand between tags and between quotes, and %zu
   is a number. There is nothing else. */
void html_print(output *page, const char *format, ...) CLI_PRINTF(2, 3);

/* A file as data: URI. */
exit_code html_data(output *page, const char *path);

/* A duration as people say it: 0.3 s, 45 s, 3 min 20 s, 2 h 05 min; "unknown" if it is none. */
void html_duration(output *page, double seconds);

/* Appends the bytes of a file. EXIT_FILE if it cannot be read. */
exit_code html_read(output *out, const char *path);

/* ---- report_claims.c: claims.json ------------------------------------------------------------- */

/* In the order of the page: what differs comes first. */
typedef enum verdict { DIFFERS, HOLDS, NOT_TESTABLE, NOT_COMPUTED, N_VERDICTS } verdict;

/* claims.json, checked; NULL if there is none. */
exit_code report_claims_load(const experiment *my, json_t **out);

/* How many there are of every verdict; `about`: the name of a figure, or NULL for all. */
void report_claims_count(const json_t *claims, const char *about, size_t count[N_VERDICTS]);

/* The counts in words, "12 hold, 1 differs"; nothing if there are no claims. */
void report_claims_tally(output *page, const json_t *claims, const char *about);

/* The table of all of them, and the list of those about one figure. */
void report_claims_table(output *page, const json_t *claims);
void report_claims_list(output *page, const json_t *claims, const char *about);

/* ---- report_style.c --------------------------------------------------------------------------- */

extern const char *const report_style[]; /* the style sheet, in pieces; ends with NULL */

#endif
