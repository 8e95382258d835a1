/* options.h - the command line, read by the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* Fills `call`, which starts as all zeros, up to the first mistake. Options are accepted before and
   after the verb and between arguments, each at most once, as "--name VALUE", "--name=VALUE",
   "-x VALUE" or "-xVALUE"; "--" ends them. Numbers of arguments are checked by options_check(). */
exit_code options_parse(invocation *call, int argc, char *const *argv);

/* Whether a verb was given, with all its arguments and required options. Notes on stderr which
   options have been renamed. */
exit_code options_check(const invocation *call);

/* Whether -h or --help is anywhere among the options: a user who asks for help in a wrong command
   line gets help. `name` is "-h" or "--help". */
bool options_mention(int argc, char *const *argv, const char *name);

void options_free(invocation *call);

/* The settings of a verb without any option, to be released with memory_release(); NULL if memory
   ran out. */
void *default_settings(const command *verb);

/* "data get": the words of a verb. */
enum { TITLE_BYTES = 64 };
const char *command_title(const command *verb, char title[TITLE_BYTES]);

#endif
