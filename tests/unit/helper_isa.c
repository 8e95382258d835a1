/* helper_isa.c - the instruction set that tests begin with, from outside: ISINGLASS_TEST_ISA
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "isinglass.h"

__attribute__((constructor)) static void take_isa(void) {
    const char *name = getenv("ISINGLASS_TEST_ISA");
    if (name && isg_set_isa(name) != ISG_OK) {
        fprintf(stderr, "ISINGLASS_TEST_ISA: %s\n", isg_error_message());
        abort();
    }
}
