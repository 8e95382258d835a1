/* unit_ranges.h - a choice of units, as a user types it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_UNIT_RANGES_H
#define CLI_UNIT_RANGES_H

#include "cli/failure.h"

#define RANGES_METAVAR "A:B[,A:B...]"

/* "0:392,400": the units 0 to 391 and 400, as bits of `units` (n_units / 64 words, rounded up), all
   clear before; their number goes to `chosen`. EXIT_MISUSED, with a message that begins with
   `option`, for anything else, an empty range or a unit that does not exist. */
exit_code ranges_parse(const char *option, const char *text, size_t n_units, uint64_t *units,
                       size_t *chosen);

#endif
