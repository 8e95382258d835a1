/* fuzz_cli_options.c - any words as a command line
 *
 * SPDX-License-Identifier: MIT
 *
 * Words end with a line feed.
 */
#include <string.h>

#include "mutator.h"
#include "options.h"
#include "target.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(FORM_TEXT, bytes, size, room, seed);
}

enum { MOST_TEXT = 1024, MOST_WORDS = 24 };

/* The text that is kept of a command line holds every word. */
static void check(const invocation *call, int argc) {
    if (!call->command_line || strncmp(call->command_line, "isinglass", 9) != 0 ||
        call->n_arguments > (size_t)argc)
        abort();
    for (size_t k = 0; k < call->n_arguments; k++)
        if (!call->arguments[k] || !call->arguments[k][0])
            abort();
}

depth attack(const uint8_t *bytes, size_t size) {
    static char program[] = "isinglass";
    char text[MOST_TEXT], *words[MOST_WORDS] = {program};
    int count = 1;
    if (size >= sizeof text)
        return REFUSED;
    memcpy(text, bytes, size);
    text[size] = '\0';
    for (char *next = text; *next && count < MOST_WORDS;) {
        const size_t length = strcspn(next, "\n");
        const bool is_last = next[length] == '\0';
        next[length] = '\0';
        words[count++] = next;
        next += length + !is_last;
    }
    invocation call = {.verb = NULL};
    exit_code code = options_parse(&call, count, words);
    const bool has_verb = call.verb != NULL;
    check(&call, count);
    if (code == EXIT_DONE)
        code = options_check(&call);
    if (code != EXIT_DONE && !failure_sentence()[0])
        abort();
    options_free(&call);
    return code == EXIT_DONE ? ACCEPTED : has_verb ? BEGUN : REFUSED;
}
