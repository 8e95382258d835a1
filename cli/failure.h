/* failure.h - how the program fails: an exit code and one sentence
 *
 * SPDX-License-Identifier: MIT
 *
 * Like the library: whatever fails returns a code and leaves a sentence, and main() prints it once,
 * after everything has been cleaned up. Scripts rely on the codes.
 */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include "isinglass.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,     /* anything else: a check that failed */
    EXIT_MISUSED = 2,    /* the command line makes no sense */
    EXIT_BAD_INPUT = 3,  /* a file was read, but its content is wrong */
    EXIT_FILE = 4,       /* a file could not be read or written */
    EXIT_NO_MEMORY = 5,  /* an allocation failed */
    EXIT_DIVERGED = 6,   /* numbers stopped being finite */
    EXIT_CHECKPOINT = 7, /* a run cannot be resumed from its files */
    EXIT_INTERRUPTED = 130,
    EXIT_TERMINATED = 143
} exit_code;

/* The table behind the list of exit codes in help and manual; ends with a NULL meaning. */
typedef struct exit_meaning {
    const char *code, *meaning;
} exit_meaning;
extern const exit_meaning exit_meanings[];

/* Keeps the sentence and returns `code`. The sentence starts with the option, argument or file
   concerned, says what was expected and what was found, and has no trailing period. */
exit_code fail(exit_code code, const char *format, ...) CLI_PRINTF(2, 3);
exit_code fail_memory(void);

/* The exit code of a library call; its sentence is kept. ISG_OK gives EXIT_DONE. */
exit_code fail_status(isg_status status);

/* The kept sentence, empty if nothing failed yet. */
const char *failure_sentence(void);

/* Prints the kept sentence on stderr, if there is one, as "isinglass: SENTENCE". */
void failure_print(void);

/* A line for the reader on stderr that is not a failure; nothing if `is_quiet`. */
void notice(bool is_quiet, const char *format, ...) CLI_PRINTF(2, 3);

#endif
