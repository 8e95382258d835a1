/* typed_number.c - real numbers as a user types them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/typed_number.h"

#include <string.h>

#include "src/base/number.h"

bool number_double(const char *text, double *out) {
    double value = 0;
    if (strpbrk(text, " \t") || isg_parse_number(text, &value) != ISG_NUMBER_OK)
        return false;
    const bool is_zero = strcspn(text, "123456789") >= strcspn(text, "eE");
    if (value == 0 && !is_zero)
        return false;
    *out = value;
    return true;
}
