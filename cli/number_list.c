/* number_list.c - several numbers on the command line
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/number_list.h"

#include <string.h>

#include "cli/allocation.h"
#include "cli/parts.h"
#include "cli/typed_number.h"
#include "src/base/number.h"

static bool is_within(double value, number_range range) {
    return value >= range.low && value <= range.high && !(range.is_above_low && value <= range.low);
}

static bool read_range(double *out, size_t *count, const char *text, number_range range) {
    char parts[3][PART_BYTES];
    const char *rest = text;
    double first = 0, last = 0;
    for (size_t k = 0; k < 3; k++)
        if (!rest || !part_cut(&rest, ':', parts[k]))
            return false;
    if (rest || !number_double(parts[0], &first) || !number_double(parts[1], &last) ||
        !isg_parse_size(parts[2], count) || !is_within(first, range) || !is_within(last, range) ||
        !(first < last) || *count < 2 || *count > NUMBER_LIST_MOST)
        return false;
    /* The last is set directly, since rounding may put it beyond the range; the others exceed it
       only if the numbers are so large that this overflows. */
    out[*count - 1] = last;
    for (size_t k = 0; k + 1 < *count; k++) {
        out[k] = first + (last - first) * (double)k / (double)(*count - 1);
        if (!(out[k] <= last))
            return false;
    }
    return true;
}

static bool read_numbers(double *out, size_t *count, const char *text, number_range range) {
    const char *rest = text;
    for (*count = 0; rest; ++*count) {
        char part[PART_BYTES];
        if (*count == NUMBER_LIST_MOST || !part_cut(&rest, ',', part) ||
            !number_double(part, &out[*count]) || !is_within(out[*count], range))
            return false;
    }
    return true;
}

exit_code number_list_parse(double **out, size_t *count, const char *text, number_range range,
                            bool *is_read) {
    double *values = memory_allocate(NUMBER_LIST_MOST, sizeof *values);
    if (!values)
        return fail_memory();
    *is_read = strchr(text, ':') ? read_range(values, count, text, range)
                                 : read_numbers(values, count, text, range);
    if (*is_read)
        *out = values;
    else
        memory_release(values);
    return EXIT_DONE;
}
