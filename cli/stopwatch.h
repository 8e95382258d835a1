/* stopwatch.h - time as the user waits it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_STOPWATCH_H
#define CLI_STOPWATCH_H

/* Seconds since some moment, which never jump. */
double stopwatch_s(void);

#endif
