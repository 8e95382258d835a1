/* typed_number.c - numbers as a user types them, read strictly
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/typed_number.h"

#include <math.h>
#include <stdlib.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool number_uint64(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (!is_digit(*text))
        return false;
    for (; is_digit(*text); text++) {
        const unsigned digit = (unsigned)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    if (*text)
        return false;
    *out = value;
    return true;
}

bool number_size(const char *text, size_t *out) {
    uint64_t value = 0;
    if (!number_uint64(text, &value) || value > SIZE_MAX)
        return false;
    *out = (size_t)value;
    return true;
}

/* The digits at *text; true if there was one, *is_zero cleared if one was not 0. */
static bool skip_digits(const char **text, bool *is_zero) {
    const char *start = *text;
    for (; is_digit(**text); (*text)++)
        if (**text != '0')
            *is_zero = false;
    return *text > start;
}

bool number_double(const char *text, double *out) {
    /* The grammar is checked here, so that strtod sees neither spaces, hexadecimal nor names. It
       reads a point, since the program never leaves the C locale. */
    const char *c = text;
    bool is_zero = true, is_ignored = true;
    c += *c == '-' || *c == '+';
    bool has_digits = skip_digits(&c, &is_zero);
    if (*c == '.') {
        c++;
        has_digits |= skip_digits(&c, &is_zero);
    }
    if (!has_digits)
        return false;
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '-' || *c == '+';
        if (!skip_digits(&c, &is_ignored))
            return false;
    }
    if (*c)
        return false;
    const double value = strtod(text, NULL);
    if (!isfinite(value) || (value == 0 && !is_zero))
        return false;
    *out = value;
    return true;
}
