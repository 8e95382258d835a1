/* unit_ranges.c - a choice of units, as a user types it
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit_ranges.h"

#include <string.h>

#include "typed_number.h"

/* "0:392", or "400" for a single unit. */
static bool read_range(const char *text, size_t length, size_t *begin, size_t *end) {
    char range[64] = "";
    if (length >= sizeof range)
        return false;
    memcpy(range, text, length);
    char *colon = strchr(range, ':');
    if (colon)
        *colon = '\0';
    if (!number_size(range, begin) || (colon && !number_size(colon + 1, end)))
        return false;
    if (!colon)
        *end = *begin + 1;
    return *begin < *end;
}

exit_code ranges_parse(const char *option, const char *text, size_t n_units, uint64_t *units,
                       size_t *chosen) {
    size_t count = 0;
    for (const char *range = text; range;) {
        const size_t length = strcspn(range, ",");
        size_t begin = 0, end = 0;
        if (!read_range(range, length, &begin, &end))
            return fail(EXIT_MISUSED,
                        "%s: expected units such as 0:392,400 (the last of a range is not in it), "
                        "found '%s'",
                        option, text);
        if (end > n_units)
            return fail(EXIT_MISUSED, "%s: expected units from 0 to %zu, found '%.*s'", option,
                        n_units - 1, (int)length, range);
        for (size_t i = begin; i < end; i++) {
            const uint64_t bit = UINT64_C(1) << i % 64;
            count += (units[i / 64] & bit) == 0;
            units[i / 64] |= bit;
        }
        range = range[length] ? range + length + 1 : NULL;
    }
    *chosen = count;
    return EXIT_DONE;
}
