/* helper_statistics.h - how surprising a set of counts is
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_STATISTICS_H
#define HELPER_STATISTICS_H

#include <stddef.h>

/* How many standard deviations the chi-square of the counts lies above its mean, after the
   transformation of Wilson and Hilferty; the tests take 5 as impossible. The expected counts are
   given, so there are cells - 1 degrees of freedom. */
double chi_square_score(const size_t *counts, const double *expected, size_t cells);

#endif
