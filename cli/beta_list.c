/* beta_list.c - --betas on the command line
 *
 * SPDX-License-Identifier: MIT
 */
#include "beta_list.h"

#include <string.h>

#include "allocation.h"
#include "typed_number.h"

enum { MOST = 10000, LONGEST = 64 };

/* The part of a text before a separator, and what follows it, NULL at the end. */
static bool cut(const char **rest, char separator, char part[LONGEST]) {
    const char *end = strchr(*rest, separator);
    const size_t length = end ? (size_t)(end - *rest) : strlen(*rest);
    if (length >= LONGEST)
        return false;
    memcpy(part, *rest, length);
    part[length] = '\0';
    *rest = end ? end + 1 : NULL;
    return true;
}

static exit_code misused(const char *text) {
    return fail(EXIT_MISUSED,
                "--betas: expected A:B:n with 0 < A < B and 2 to %d values, or positive numbers "
                "with commas between them, found '%s'",
                MOST, text);
}

static exit_code parse_range(double *out, size_t *count, const char *text) {
    char parts[3][LONGEST];
    const char *rest = text;
    double first = 0, last = 0;
    for (size_t k = 0; k < 3; k++)
        if (!rest || !cut(&rest, ':', parts[k]))
            return misused(text);
    if (rest || !number_double(parts[0], &first) || !number_double(parts[1], &last) ||
        !number_size(parts[2], count) || !(first > 0 && first < last) || *count < 2 ||
        *count > MOST)
        return misused(text);
    for (size_t k = 0; k < *count; k++)
        out[k] = first + (last - first) * (double)k / (double)(*count - 1);
    return EXIT_DONE;
}

static exit_code parse_numbers(double *out, size_t *count, const char *text) {
    const char *rest = text;
    for (*count = 0; rest; ++*count) {
        char part[LONGEST];
        if (*count == MOST || !cut(&rest, ',', part) || !number_double(part, &out[*count]) ||
            !(out[*count] > 0))
            return misused(text);
    }
    return EXIT_DONE;
}

exit_code beta_list_parse(double **out, size_t *count, const char *text) {
    double *values = memory_allocate(MOST, sizeof *values);
    if (!values)
        return fail_memory();
    const exit_code code =
        strchr(text, ':') ? parse_range(values, count, text) : parse_numbers(values, count, text);
    if (code == EXIT_DONE)
        *out = values;
    else
        memory_release(values);
    return code;
}
