/* number.h - numbers to text and back, independent of the locale
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_NUMBER_H
#define ISG_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum isg_number_kind {
    ISG_NUMBER_OK,
    ISG_NUMBER_MALFORMED,
    ISG_NUMBER_NOT_FINITE
} isg_number_kind;

/* The double nearest to the decimal number in `text`, which may have spaces and tabs around it but
   nothing else: an optional sign, digits with at most one point among or beside them, an optional
   exponent. NOT_FINITE for nan, inf and infinity, ignoring case, and for numbers too large for a
   double; anything else (empty, hexadecimal, a decimal comma, digit groups) is MALFORMED. */
isg_number_kind isg_parse_number(const char *text, double *out);

/* Accepts decimal digits only; false if there are none or the number does not fit. */
bool isg_parse_size(const char *text, size_t *out);
bool isg_parse_uint64(const char *text, uint64_t *out);

enum { ISG_NUMBER_ROOM = 32 }; /* enough for any number that isg_format_number() writes */

/* Writes `value` with the fewest digits that read back to the same bits, in the style of %g: "0.1",
   "-3", "1e-07", "nan", "inf". `room` must be at least ISG_NUMBER_ROOM. */
void isg_format_number(char *out, size_t room, double value);

#endif
