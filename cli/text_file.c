/* text_file.c - a file of text, whole or not at all
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocation.h"

static bool write_all(int descriptor, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

exit_code text_file_write(const char *path, const output *text) {
    if (text->is_out_of_memory)
        return fail_memory();
    char *temporary = memory_format("%s.XXXXXX", path);
    if (!temporary)
        return fail_memory();
    const int descriptor = mkstemp(temporary);
    const mode_t mask = umask(0);
    umask(mask);
    bool is_written = descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0 &&
                      write_all(descriptor, text->text, text->length) && fsync(descriptor) == 0;
    int problem = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && is_written) {
        is_written = false;
        problem = errno;
    }
    if (is_written && rename(temporary, path) != 0) {
        is_written = false;
        problem = errno;
    }
    if (!is_written && descriptor >= 0)
        unlink(temporary);
    memory_release(temporary);
    return is_written ? EXIT_DONE
                      : fail(EXIT_FILE, "%s: could not be written: %s", path, strerror(problem));
}
