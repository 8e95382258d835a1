/* rates.h - --rate on the command line: a learning rate that changes at given epochs
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_RATES_H
#define CLI_RATES_H

#include "cli/failure.h"

/* How --rate is written, for help and errors. */
#define RATES_METAVAR "ETA[,ETA@EPOCH...]"

typedef struct rate_schedule {
    isg_rate *rates; /* n_rates */
    size_t n_rates;
    char *text; /* the schedule in the one way in which it is always written */
} rate_schedule;

/* The rate that the library trains with unless told otherwise, as text. */
const char *rates_default(void);

/* Reads "5e-4,1e-4@25": 5e-4 for 25 epochs, then 1e-4. On success what `out` held is released, and
   `text` becomes the schedule's own, so that texts can be compared. */
exit_code rates_read(rate_schedule *out, const char **text);
void rates_free(rate_schedule *schedule); /* one that is all zero is fine */

#endif
