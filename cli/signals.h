/* signals.h - Ctrl-C and SIGTERM as a request to stop, while there is something to save
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* For the whole program: a file at the limit of its size (ulimit -f) is an error like a full disk. */
void signals_start(void);

/* From now on the first SIGINT or SIGTERM is only remembered; the second one ends the program at
   once. A closed stderr no longer ends it either. Signals ignored at the start (nohup, a background
   job) stay ignored. Calls nest. */
void signals_catch(void);
void signals_release(void);

/* The signal remembered, SIGINT or SIGTERM; 0 if none came. Of several ranks, only rank 0 stops; its end
   ends the others. */
int signals_caught(void);

#endif
