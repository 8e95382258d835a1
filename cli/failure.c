/* failure.c - how the program fails: an exit code and one sentence
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing here allocates, so that running out of memory can be reported too.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/failure.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/signals.h"

const exit_meaning exit_meanings[] = {
    {"0", "done"},
    {"1", "failed for another reason, such as a failed check"},
    {"2", "misused: a verb, option or argument is wrong"},
    {"3", "bad input: a file could be read, but its content is invalid"},
    {"4", "a file could not be read or written"},
    {"5", "out of memory"},
    {"6", "diverged: a computation produced infinity or NaN"},
    {"7", "checkpoint refused: a run cannot be resumed from its files"},
    {"130", "stopped by Ctrl-C (SIGINT), after saving what could be saved"},
    {"143", "stopped by SIGTERM, after saving what could be saved"},
    {NULL, NULL},
};

/* Room for two paths of usual length; a longer sentence ends in "...". */
enum { SENTENCE_BYTES = 1200 };
static char sentence[SENTENCE_BYTES];

/* Arguments and file names may hold anything: keep the result one printable line. */
static void format_line(char line[SENTENCE_BYTES], const char *format, va_list arguments)
    CLI_PRINTF(2, 0);
static void format_line(char line[SENTENCE_BYTES], const char *format, va_list arguments) {
    const int length = vsnprintf(line, SENTENCE_BYTES, format, arguments);
    if (length < 0)
        line[0] = '\0';
    else if (length >= SENTENCE_BYTES)
        memcpy(line + SENTENCE_BYTES - 4, "...", 4);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

static void print_line(const char *line) {
    char text[SENTENCE_BYTES + 16];
    const int length = snprintf(text, sizeof text, "isinglass: %s\n", line);
    /* One write, so that lines of several processes do not mix; a failure cannot be reported. */
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        return;
}

exit_code fail(exit_code code, const char *format, ...) {
    char line[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    format_line(line, format, arguments);
    va_end(arguments);
    memcpy(sentence, line, sizeof sentence);
    return code;
}

static const char no_memory[] = "out of memory";

exit_code fail_memory(void) {
    return fail(EXIT_NO_MEMORY, "%s", no_memory);
}

static exit_code stopped(void) {
    if (signals_caught() == SIGTERM)
        return fail(EXIT_TERMINATED, "stopped by SIGTERM");
    return fail(EXIT_INTERRUPTED, "stopped by Ctrl-C");
}

exit_code fail_status(isg_status status) {
    switch (status) {
    case ISG_OK:
        return EXIT_DONE;
    case ISG_ERR_ARGUMENT:
        return fail(EXIT_MISUSED, "%s", isg_error_message());
    case ISG_ERR_SHAPE:
    case ISG_ERR_FORMAT:
    case ISG_ERR_VERSION:
    case ISG_ERR_UNSUPPORTED:
    case ISG_ERR_DEPENDENT:
        return fail(EXIT_BAD_INPUT, "%s", isg_error_message());
    case ISG_ERR_IO:
        return fail(EXIT_FILE, "%s", isg_error_message());
    case ISG_ERR_MEMORY: /* also of the program's own, for which the library has no sentence */
        return strncmp(isg_error_message(), no_memory, strlen(no_memory)) == 0
                   ? fail(EXIT_NO_MEMORY, "%s", isg_error_message())
                   : fail_memory();
    case ISG_ERR_DIVERGED:
        return fail(EXIT_DIVERGED, "%s", isg_error_message());
    case ISG_ERR_CANCELLED:
        return stopped();
    }
    return fail(EXIT_FAILED, "%s", isg_error_message());
}

const char *failure_sentence(void) {
    return sentence;
}

void failure_print(void) {
    if (sentence[0])
        print_line(sentence);
}

void notice(bool is_quiet, const char *format, ...) {
    if (is_quiet)
        return;
    char line[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    format_line(line, format, arguments);
    va_end(arguments);
    print_line(line);
}
