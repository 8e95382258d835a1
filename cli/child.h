/* child.h - running another program
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "cli/failure.h"

/* Runs a program found in PATH, both its outputs going to the file `log`. EXIT_FILE with the last
   line of its output if it fails; `advice` says what to do if it is not there. */
exit_code child_run(const char *const *arguments, const char *log, const char *advice);

/* Removes a directory with all that is in it; what cannot be removed is left. */
void remove_tree(const char *path);

#endif
