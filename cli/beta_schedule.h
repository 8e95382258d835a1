/* beta_schedule.h - inverse temperatures of the steps of a chain, as a user types them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_BETA_SCHEDULE_H
#define CLI_BETA_SCHEDULE_H

#include "cli/failure.h"

#define BETAS_METAVAR "B[,B@STEP...]"

enum { BETA_PARTS = 64 };

/* Part k is steps from[k] to from[k + 1] - 1, counted from 0; the last part runs to the end. */
typedef struct beta_schedule {
    size_t parts;
    double beta[BETA_PARTS];
    size_t from[BETA_PARTS + 1]; /* from[0] is 0, from[parts] the number of steps */
} beta_schedule;

/* "2,20@19": beta 2, and 20 once 19 steps are done. EXIT_MISUSED for anything else, and if a part
   would begin after the last of `steps`. */
exit_code betas_parse(beta_schedule *out, const char *text, size_t steps);

#endif
