/* share_error.c - how far a share of trials may be from what it estimates
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/share_error.h"

#include <math.h>

double share_error(double share, size_t trials) {
    if (trials == 0 || isnan(share))
        return (double)NAN;
    const double n = (double)trials, least = 0.5 / n;
    const double p = fmin(fmax(share, least), 1 - least);
    return sqrt(p * (1 - p) / n);
}
