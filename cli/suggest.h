/* suggest.h - the word that was probably meant
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* The fewest insertions, deletions, substitutions and swaps of neighbors that turn `a` into `b`,
   no part edited twice (optimal string alignment); capitals count as small letters. SIZE_MAX if either is longer than 63 bytes. */
size_t edit_distance(const char *a, const char *b);

/* Keeps the best of the candidates offered so far. Start with {typed}. */
enum { SUGGESTION_BYTES = 64 };
typedef struct suggestion {
    const char *typed;
    char best[SUGGESTION_BYTES]; /* empty while nothing is near enough */
    size_t distance;
} suggestion;

/* A candidate is near enough with at most one mistake in three letters, or if it starts with what
   was typed. Leading dashes do not count; the first of equally near candidates wins. `shown` is
   what the user should have typed, often the candidate itself. */
void suggest(suggestion *nearest, const char *candidate, const char *shown);

#endif
