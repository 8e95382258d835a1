/* beta_schedule.c - inverse temperatures of the steps of a chain, as a user types them
 *
 * SPDX-License-Identifier: MIT
 */
#include "beta_schedule.h"

#include <string.h>

#include "typed_number.h"

/* One part, "20@19", or "2" for the first. */
static bool read_part(const char *text, size_t length, bool is_first, double *beta, size_t *from) {
    char part[64] = "";
    if (length >= sizeof part)
        return false;
    memcpy(part, text, length);
    char *at = strchr(part, '@');
    if ((at == NULL) != is_first)
        return false;
    if (at)
        *at = '\0';
    return number_double(part, beta) && *beta > 0 && (!at || number_size(at + 1, from));
}

exit_code betas_parse(beta_schedule *out, const char *text, size_t steps) {
    beta_schedule found = {.parts = 0};
    for (const char *part = text; part; found.parts++) {
        const size_t k = found.parts, length = strcspn(part, ",");
        if (k == BETA_PARTS)
            return fail(EXIT_MISUSED, "--beta: expected at most %d parts, found '%s'", BETA_PARTS,
                        text);
        if (!read_part(part, length, k == 0, &found.beta[k], &found.from[k]) ||
            (k > 0 && found.from[k] <= found.from[k - 1]))
            return fail(EXIT_MISUSED,
                        "--beta: expected a positive number, and others from later and later steps "
                        "on, such as 2,20@19, found '%s'",
                        text);
        if (found.from[k] >= steps)
            return fail(EXIT_MISUSED, "--beta: '%.*s' comes after the last of the %zu --steps",
                        (int)length, part, steps);
        part = part[length] ? part + length + 1 : NULL;
    }
    found.from[found.parts] = steps;
    *out = found;
    return EXIT_DONE;
}
