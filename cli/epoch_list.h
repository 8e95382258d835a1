/* epoch_list.h - --error-at on the command line: numbers of epochs with commas between them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_EPOCH_LIST_H
#define CLI_EPOCH_LIST_H

#include "cli/failure.h"

/* "0,1,5" and, if it is larger, `last`. None may be above `last`; in a list restored from a run,
   such numbers are dropped. Release the array with memory_release(). `text` may be NULL. */
exit_code epoch_list_parse(size_t **out, size_t *count, const char *text, bool is_typed,
                           size_t last);

/* Adds the multiples of `every`, 0 included, up to the last of the list. */
exit_code epoch_list_add(size_t **epochs, size_t *count, size_t every);

#endif
