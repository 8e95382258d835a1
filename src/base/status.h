/* status.h - how every function of the library fails
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_STATUS_H
#define ISG_STATUS_H

#include "isinglass/base.h"

#if defined(__GNUC__)
#define ISG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define ISG_PRINTF(text, first)
#endif

/* Stores the sentence for isg_error_message() and returns `status`. The sentence starts with the
   file or argument concerned and says what was found and what was expected. */
isg_status isg_fail(isg_status status, const char *format, ...) ISG_PRINTF(2, 3);

/* Forwards a failure to the caller. */
#define ISG_TRY(call)                                                                              \
    do {                                                                                           \
        const isg_status isg_try_status = (call);                                                  \
        if (isg_try_status != ISG_OK)                                                              \
            return isg_try_status;                                                                 \
    } while (0)

/* The same where something must be released first: sets the local `status`, jumps to `done`. */
#define ISG_TRY_GOTO(call)                                                                         \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != ISG_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

#endif
