/* beta_list.h - --betas on the command line: A:B:n, or numbers with commas between them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_BETA_LIST_H
#define CLI_BETA_LIST_H

#include "cli/failure.h"

#define BETA_LIST_METAVAR "A:B:n"

/* "0.5:10:20" is 20 values from 0.5 to 10, evenly spaced; "1,2,4" is these. Release the array with
   memory_release(). */
exit_code beta_list_parse(double **out, size_t *count, const char *text);

#endif
