/* typed_number.h - real numbers as a user types them
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_TYPED_NUMBER_H
#define CLI_TYPED_NUMBER_H

#include <stdbool.h>

/* What isg_parse_number() reads from files, but stricter: no blanks around it, and false too if the
   number is too small for a double and not zero. `out` is written only on success. */
bool number_double(const char *text, double *out);

#endif
