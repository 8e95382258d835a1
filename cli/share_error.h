/* share_error.h - how far a share of trials may be from what it estimates
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SHARE_ERROR_H
#define CLI_SHARE_ERROR_H

#include <stddef.h>

/* The binomial standard error. If none or all of the trials were hits, it is that of half a hit or
   half a miss, since the share is still uncertain. NaN without trials. */
double share_error(double share, size_t trials);

#endif
