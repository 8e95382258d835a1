/* clock.h - a monotonic clock
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_CLOCK_H
#define ISG_CLOCK_H

/* Seconds since a fixed moment in the past; unaffected by changes of the system time. */
double isg_clock_s(void);

#endif
