/* beta_schedule.c - inverse temperatures of the steps of a chain, as a user types them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/beta_schedule.h"

#include "cli/parts.h"
#include "cli/typed_number.h"
#include "src/base/number.h"

/* "20@19", or "2" for the first. */
static bool read_part(const char *part, bool is_first, double *beta, size_t *from) {
    char number[PART_BYTES];
    const char *step = part;
    return part_cut(&step, '@', number) && (step == NULL) == is_first &&
           number_double(number, beta) && *beta > 0 && (is_first || isg_parse_size(step, from));
}

exit_code betas_parse(beta_schedule *out, const char *text, size_t steps) {
    beta_schedule found = {.parts = 0};
    for (const char *rest = text; rest; found.parts++) {
        const size_t k = found.parts;
        char part[PART_BYTES];
        if (k == BETA_PARTS)
            return fail(EXIT_MISUSED, "--beta: expected at most %d parts, found '%s'", BETA_PARTS,
                        text);
        if (!part_cut(&rest, ',', part) ||
            !read_part(part, k == 0, &found.beta[k], &found.from[k]) ||
            (k > 0 && found.from[k] <= found.from[k - 1]))
            return fail(EXIT_MISUSED,
                        "--beta: expected a positive number, and others from later and later steps "
                        "on, such as 2,20@19, found '%s'",
                        text);
        if (found.from[k] >= steps)
            return fail(EXIT_MISUSED, "--beta: '%s' comes after the last of the %zu --sweeps", part,
                        steps);
    }
    found.from[found.parts] = steps;
    *out = found;
    return EXIT_DONE;
}
