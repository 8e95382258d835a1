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
    char *text; /* the schedule in its canonical form */
} rate_schedule;

/* The default learning rate of the library, as text. */
const char *rates_default(void);

/* Reads "5e-4,1e-4@25": 5e-4 for 25 epochs, then 1e-4. On success, releases what `out` held and
   sets `text` to the canonical form, so that texts can be compared. */
exit_code rates_read(rate_schedule *out, const char **text);
void rates_free(rate_schedule *schedule); /* one that is all zero is fine */

#endif
