/* clock.h - how long something takes
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CLOCK_H
#define ISG_CLOCK_H

/* Seconds since some moment in the past, whatever happens to the time of day meanwhile. */
double isg_clock_s(void);

#endif
