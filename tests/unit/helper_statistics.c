/* helper_statistics.c - how surprising a set of counts is
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_statistics.h"

#include <math.h>

double chi_square_score(const size_t *counts, const double *expected, size_t cells) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        const double difference = (double)counts[i] - expected[i];
        sum += difference * difference / expected[i];
    }
    const double freedom = (double)(cells - 1), spread = 2 / (9 * freedom);
    return (cbrt(sum / freedom) - (1 - spread)) / sqrt(spread);
}
