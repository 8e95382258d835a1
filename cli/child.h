/* child.h - running another program
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include "cli/failure.h"

/* Runs a program found in PATH, with both its outputs in the file `log`. EXIT_FILE with the last
   line of its output if it fails; `advice` says what to do if it is not installed. */
exit_code child_run(const char *const *arguments, const char *log, const char *advice);

/* Removes a directory and its contents; what cannot be removed stays. */
void remove_tree(const char *path);

#endif
