/* helper_settings.c - what tests take from the environment
 *
 * SPDX-License-Identifier: MIT
 *
 * ISINGLASS_TEST_ISA    the instruction set they begin with
 * ISINGLASS_TEST_QUICK  if set, tests declared with slow_unit_test() are left out
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void take_settings(void) {
    const char *isa = getenv("ISINGLASS_TEST_ISA");
    if (isa && isg_set_isa(isa) != ISG_OK) {
        fprintf(stderr, "ISINGLASS_TEST_ISA: %s\n", isg_error_message());
        abort();
    }
    if (getenv("ISINGLASS_TEST_QUICK"))
        cmocka_set_skip_filter("slow_*");
}
