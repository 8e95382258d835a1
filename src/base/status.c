/* status.c - the error sentence of the calling thread
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for two paths of usual length; a longer sentence ends in "...". */
static _Thread_local char message[1024];

isg_status isg_fail(isg_status status, const char *format, ...) {
    /* Formatted in a separate buffer, since an argument may be the previous message. */
    char sentence[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (length < 0)
        sentence[0] = '\0';
    else if ((size_t)length >= sizeof sentence)
        memcpy(sentence + sizeof sentence - 4, "...", 4);
    /* The sentence may quote file contents: keep it to one printable line. */
    for (char *c = sentence; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    memcpy(message, sentence, sizeof message);
    return status;
}

const char *isg_error_message(void) {
    return message;
}

const char *isg_version(void) {
    return ISG_VERSION;
}
