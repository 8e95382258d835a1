/* program.h - the program, whoever starts it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/failure.h"

/* Before anything else in main(): may restart the program, with another environment. */
void program_start(char **argv);

/* Does what the command line says; the exit code is that of the process. */
exit_code program_run(int argc, char **argv);

#endif
