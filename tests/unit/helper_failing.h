/* helper_failing.h - what happens when there is no memory
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELPER_FAILING_H
#define HELPER_FAILING_H

#include "isinglass.h"

/* Work that allocates; it releases what it made, and returns how it went. */
typedef isg_status failing_work(void *user);

/* Runs the work again and again, with its 1st, 2nd, ... allocation failing, until none does: it
   must say ISG_ERR_MEMORY each time and then ISG_OK, and never keep a block. Returns how many
   allocations there are. */
size_t fail_each_allocation(failing_work *work, void *user);

/* The most bytes the work has allocated at any one time. */
size_t peak_allocation(failing_work *work, void *user);

#endif
