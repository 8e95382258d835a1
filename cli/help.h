/* help.h - help, manual page and completion, all from the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* What the program is, in one line. */
extern const char program_summary[];

/* The list of verbs; in full with common options, environment and exit codes. */
void help_overview(output *out, bool is_full);
void help_group(output *out, const char *group);

/* One verb: usage and options; in full, everything. */
void help_command(output *out, const command *verb, bool is_full);

void print_manual(output *out);     /* roff, for man */
void print_completion(output *out); /* a bash script to be sourced */

/* Shared by help and manual. "[options] -o FILE DATA": what follows the verb. */
void print_usage(output *out, const command *verb);

enum { HELP_BYTES = 512 };

/* What an option does, with the words it takes: "Whether ...: auto, yes or no". */
const char *shown_help(const option_entry *option, char text[HELP_BYTES]);

/* The default as help shows it, from settings without any option; NULL if there is none to show. */
const char *shown_default(const option_entry *option, const void *settings, char text[HELP_BYTES]);

#endif
