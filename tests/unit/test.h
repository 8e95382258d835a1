/* test.h - what every unit test includes, and a few checks they share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TEST_H
#define ISG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isinglass.h"

/* A test of about a second or more, which `make quick` leaves out. The room needs another test, a quick one,
   that notices when something is plainly wrong. */
#define slow_unit_test(function)                                                                   \
    { "slow_" #function, function, NULL, NULL, NULL }

/* The call succeeds; otherwise the sentence is shown. */
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != ISG_OK)                                                                      \
            fail_msg("%s: %s", #call, isg_error_message());                                        \
    } while (0)

/* The call fails with this status and a sentence that contains `part`. */
#define assert_fails(call, expected, part)                                                         \
    do {                                                                                           \
        assert_int_equal((call), (expected));                                                      \
        if (!strstr(isg_error_message(), (part)))                                                  \
            fail_msg("'%s' is not in '%s'", (part), isg_error_message());                          \
    } while (0)

#endif
