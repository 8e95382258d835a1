/* number_list.h - several numbers on the command line: A:B:n, or numbers with commas between them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_NUMBER_LIST_H
#define CLI_NUMBER_LIST_H

#include "cli/failure.h"

enum { NUMBER_LIST_MOST = 10000 };

/* Which numbers may be there. */
typedef struct number_range {
    double low, high;
    bool is_above_low; /* then `low` itself is not allowed */
} number_range;

/* "0.5:10:20" is 20 values from 0.5 to 10, evenly spaced; "1,2,4" is these. `is_read` tells whether
   the text is such a list with all values in the range; the caller says what was expected. Release the
   array with memory_release(). EXIT_NO_MEMORY is the only failure. */
exit_code number_list_parse(double **out, size_t *count, const char *text, number_range range,
                            bool *is_read);

#endif
