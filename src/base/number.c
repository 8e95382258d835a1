/* number.c - numbers to text and back, independent of the locale
 *
 * SPDX-License-Identifier: MIT
 *
 * The locale affects strtod() and printf() through the decimal point alone. So strtod() is only
 * given digits and an exponent, and only the digits of printf()'s output are kept: we handle the
 * point in both directions, and the C library does the exact rounding.
 */
#include "base/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A number halfway between two doubles has at most 767 digits: of any that follow, all that
       matters is whether one is not zero. */
    MOST_DIGITS = 770,
    WORD_DIGITS = 19,  /* always fits in 64 bits */
    EXACT_POWER = 22,  /* 10^22 is the last power of ten that is a double */
    HUGE_POWER = 1200, /* beyond it any MOST_DIGITS digits give zero or infinity */
};

/* The number is (digits) * 10^power; `digits` has neither point nor leading zeros. */
typedef struct decimal {
    size_t n_digits; /* kept below */
    int64_t power;
    uint64_t word; /* of the first WORD_DIGITS digits */
    bool is_negative;
    bool is_cut; /* nonzero digits were dropped */
    char digits[MOST_DIGITS];
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

static void keep_digit(decimal *number, char digit, bool is_fraction) {
    if (is_fraction)
        number->power--;
    if (number->n_digits == 0 && digit == '0')
        return;
    if (number->n_digits == MOST_DIGITS) {
        number->power++;
        number->is_cut |= digit != '0';
        return;
    }
    if (number->n_digits < WORD_DIGITS)
        number->word = 10 * number->word + (uint64_t)(digit - '0');
    number->digits[number->n_digits++] = digit;
}

/* Reads the exponent after the 'e'; NULL if it has no digits. */
static const char *read_exponent(decimal *number, const char *text) {
    const bool is_negative = *text == '-';
    if (*text == '+' || *text == '-')
        text++;
    if (!is_digit(*text))
        return NULL;
    int64_t exponent = 0;
    for (; is_digit(*text); text++)
        if (exponent < INT64_MAX / 100) /* more than the digits of any text can offset */
            exponent = 10 * exponent + (*text - '0');
    number->power += is_negative ? -exponent : exponent;
    return text;
}

/* Reads the number at `text`, after its sign; NULL if there is no number. */
static const char *read_decimal(decimal *number, const char *text) {
    bool has_digits = false, is_fraction = false;
    for (; is_digit(*text) || (*text == '.' && !is_fraction); text++) {
        if (*text == '.') {
            is_fraction = true;
        } else {
            has_digits = true;
            keep_digit(number, *text, is_fraction);
        }
    }
    if (!has_digits)
        return NULL;
    return *text == 'e' || *text == 'E' ? read_exponent(number, text + 1) : text;
}

/* The usual case: the digits and the power of ten are both exact, so the one operation between them
   rounds correctly. */
static bool convert_short(const decimal *number, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || number->n_digits > WORD_DIGITS ||
        number->word > UINT64_C(1) << DBL_MANT_DIG || number->power < -EXACT_POWER ||
        number->power > EXACT_POWER)
        return false;
    const double whole = (double)number->word;
    *out = number->power < 0 ? whole / powers[-number->power] : whole * powers[number->power];
    return true;
}

static double convert_long(const decimal *number) {
    char text[MOST_DIGITS + 16];
    int64_t power = number->power;
    size_t length = number->n_digits;
    memcpy(text, number->digits, length);
    if (number->is_cut) {
        text[length++] = '1'; /* stands for all that was dropped */
        power--;
    }
    if (power > HUGE_POWER || power < -HUGE_POWER)
        power = power < 0 ? -HUGE_POWER : HUGE_POWER;
    snprintf(text + length, sizeof text - length, "e%d", (int)power);
    return strtod(text, NULL);
}

/* Whether `text` is `word`, ignoring case, followed by nothing but blanks. */
static bool is_word(const char *text, const char *word) {
    for (; *word; text++, word++)
        if ((*text | 0x20) != *word)
            return false;
    return *skip_blanks(text) == '\0';
}

/* Most numbers in data files are small and whole; this is a shortcut for them. */
static bool convert_small(const char *text, double *out) {
    const char *next = text + (*text == '-'), *last = next + DBL_DIG;
    int64_t value = 0;
    if (!is_digit(*next))
        return false;
    for (; is_digit(*next) && next < last; next++)
        value = 10 * value + (*next - '0');
    if (*next != '\0')
        return false;
    *out = *text == '-' ? -(double)value : (double)value; /* in this order for -0 */
    return true;
}

isg_number_kind isg_parse_number(const char *text, double *out) {
    if (convert_small(text, out))
        return ISG_NUMBER_OK;
    decimal number; /* left uninitialized: most of it is digits */
    number.n_digits = 0;
    number.power = 0;
    number.word = 0;
    number.is_cut = false;
    text = skip_blanks(text);
    number.is_negative = *text == '-';
    if (*text == '+' || *text == '-')
        text++;
    const char *end = read_decimal(&number, text);
    if (!end) {
        const bool is_name =
            is_word(text, "nan") || is_word(text, "inf") || is_word(text, "infinity");
        return is_name ? ISG_NUMBER_NOT_FINITE : ISG_NUMBER_MALFORMED;
    }
    if (*skip_blanks(end) != '\0')
        return ISG_NUMBER_MALFORMED;
    double value = 0.0;
    if (number.n_digits > 0 && !convert_short(&number, &value))
        value = convert_long(&number);
    if (!isfinite(value))
        return ISG_NUMBER_NOT_FINITE;
    *out = number.is_negative ? -value : value;
    return ISG_NUMBER_OK;
}

bool isg_parse_uint64(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (!is_digit(*text))
        return false;
    for (; is_digit(*text); text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    if (*text != '\0')
        return false;
    *out = value;
    return true;
}

bool isg_parse_size(const char *text, size_t *out) {
    uint64_t value = 0;
    if (!isg_parse_uint64(text, &value) || value > SIZE_MAX)
        return false;
    *out = (size_t)value;
    return true;
}

/* ---- writing ------------------------------------------------------------------------------- */

enum { MOST_WRITTEN = 17 }; /* enough digits to tell any double from its neighbors */

/* The first `count` digits of a positive value, correctly rounded, and its power of ten. */
static int leading_digits(double value, int count, char digits[MOST_WRITTEN + 1]) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    const char *next = text;
    for (int kept = 0; kept < count; next++)
        if (is_digit(*next))
            digits[kept++] = *next;
    digits[count] = '\0';
    return atoi(strchr(next, 'e') + 1);
}

/* The fewest digits that read back as `value`; returns the power of ten of the first. */
static int shortest_digits(double value, char digits[MOST_WRITTEN + 1]) {
    /* A normal double that fits in 15 digits is found there, followed by zeros. */
    int power = 0;
    for (int count = value < DBL_MIN ? 1 : DBL_DIG; count <= MOST_WRITTEN; count++) {
        char text[64];
        double back = 0.0;
        power = leading_digits(value, count, digits);
        snprintf(text, sizeof text, "%se%d", digits, power - (count - 1));
        if (isg_parse_number(text, &back) == ISG_NUMBER_OK && back == value)
            break;
    }
    for (size_t length = strlen(digits); length > 1 && digits[length - 1] == '0';)
        digits[--length] = '\0';
    return power;
}

void isg_format_number(char *out, size_t room, double value) {
    assert(room >= ISG_NUMBER_ROOM);
    const char *sign = signbit(value) && !isnan(value) ? "-" : "";
    if (!isfinite(value) || value == 0.0) {
        snprintf(out, room, "%s%s", sign, isnan(value) ? "nan" : value == 0.0 ? "0" : "inf");
        return;
    }
    char digits[MOST_WRITTEN + 1];
    const int power = shortest_digits(fabs(value), digits);
    const int count = (int)strlen(digits);
    if (power < -4 || power >= 16) {
        snprintf(out, room, "%s%c%s%se%c%02d", sign, digits[0], count > 1 ? "." : "", digits + 1,
                 power < 0 ? '-' : '+', abs(power));
    } else if (power < 0) {
        snprintf(out, room, "%s0.%.*s%s", sign, -power - 1, "000", digits);
    } else if (count <= power + 1) {
        snprintf(out, room, "%s%s%.*s", sign, digits, power + 1 - count, "000000000000000");
    } else {
        snprintf(out, room, "%s%.*s.%s", sign, power + 1, digits, digits + power + 1);
    }
}
