/* beta_list.c - --betas on the command line
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/beta_list.h"

#include <math.h>

#include "cli/number_list.h"

static exit_code refuse_repeats(const double *betas, size_t count) {
    for (size_t k = 0; k < count; k++)
        for (size_t m = 0; m < k; m++)
            if (betas[m] == betas[k])
                return fail(EXIT_MISUSED, "--betas: expected different values, found %g twice",
                            betas[k]);
    return EXIT_DONE;
}

exit_code beta_list_parse(double **out, size_t *count, const char *text) {
    const number_range range = {.low = 0, .high = HUGE_VAL, .is_above_low = true};
    bool is_read = false;
    exit_code code = number_list_parse(out, count, text, range, &is_read);
    if (code == EXIT_DONE && is_read)
        code = refuse_repeats(*out, *count);
    if (code != EXIT_DONE || is_read)
        return code;
    return fail(EXIT_MISUSED,
                "--betas: expected A:B:n with 0 < A < B and 2 to %d values, or positive numbers "
                "separated by commas, found '%s'",
                NUMBER_LIST_MOST, text);
}
