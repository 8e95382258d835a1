/* circle_series.h - Taylor's series of sine and cosine, for angles up to pi / 4
 *
 * SPDX-License-Identifier: MIT
 *
 * Behind their first terms, so that the caller can add these as exactly as it needs; q is the square of
 * the angle.
 */
#ifndef ISG_CIRCLE_SERIES_H
#define ISG_CIRCLE_SERIES_H

/* (sin(r) / r - 1) / q */
static inline double isg_sine_series(double q) {
    double sum = 1.0 / 355687428096000; /* 17! */
    sum = sum * q - 1.0 / 1307674368000;
    sum = sum * q + 1.0 / 6227020800;
    sum = sum * q - 1.0 / 39916800;
    sum = sum * q + 1.0 / 362880;
    sum = sum * q - 1.0 / 5040;
    sum = sum * q + 1.0 / 120;
    return sum * q - 1.0 / 6;
}

/* (cos(r) - 1 + q / 2) / q^2 */
static inline double isg_cosine_series(double q) {
    double sum = -1.0 / 6402373705728000; /* 18! */
    sum = sum * q + 1.0 / 20922789888000;
    sum = sum * q - 1.0 / 87178291200;
    sum = sum * q + 1.0 / 479001600;
    sum = sum * q - 1.0 / 3628800;
    sum = sum * q + 1.0 / 40320;
    sum = sum * q - 1.0 / 720;
    return sum * q + 1.0 / 24;
}

#endif
