/* unit_ranges.c - a choice of units, as a user types it
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/unit_ranges.h"

#include "cli/parts.h"
#include "src/base/number.h"

/* "0:392", or "400" for a single unit. */
static bool read_range(const char *range, size_t *begin, size_t *end) {
    char first[PART_BYTES];
    const char *behind = range;
    if (!part_cut(&behind, ':', first) || !isg_parse_size(first, begin))
        return false;
    if (!behind)
        *end = *begin + 1;
    else if (!isg_parse_size(behind, end))
        return false;
    return *begin < *end;
}

exit_code ranges_parse(const char *option, const char *text, size_t n_units, uint64_t *units,
                       size_t *chosen) {
    size_t count = 0;
    for (const char *rest = text; rest;) {
        char range[PART_BYTES];
        size_t begin = 0, end = 0;
        if (!part_cut(&rest, ',', range) || !read_range(range, &begin, &end))
            return fail(EXIT_MISUSED,
                        "%s: expected units such as 0:392,400 (the last of a range is not in it), "
                        "found '%s'",
                        option, text);
        if (end > n_units)
            return fail(EXIT_MISUSED, "%s: expected units from 0 to %zu, found '%s'", option,
                        n_units - 1, range);
        for (size_t i = begin; i < end; i++) {
            const uint64_t bit = UINT64_C(1) << i % 64;
            count += (units[i / 64] & bit) == 0;
            units[i / 64] |= bit;
        }
    }
    *chosen = count;
    return EXIT_DONE;
}
