/* typed_number.h - numbers as a user types them, read strictly
 *
 * SPDX-License-Identifier: MIT
 *
 * The whole text must be the number: no space, no sign where none makes sense, no hexadecimal, no
 * unit, nothing behind it, whatever the locale. `out` is written only on success.
 */
#ifndef CLI_TYPED_NUMBER_H
#define CLI_TYPED_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits only; false also if the value does not fit. */
bool number_uint64(const char *text, uint64_t *out);
bool number_size(const char *text, size_t *out);

/* Decimal, with an optional sign, fraction and exponent: -2, .5, 1e-4. False for inf and nan, and
   for a value too large, or too small but not zero, for a double. */
bool number_double(const char *text, double *out);

#endif
