/* suggest.c - the word that was probably meant
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t max(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Capitals do not count as mistakes. */
static bool is_same_letter(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t edit_distance(const char *a, const char *b) {
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    /* Rows i-2, i-1 and i of the table of distances between prefixes, in turn. */
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t edited = min(row[j - 1], above[j]) + 1;
            row[j] = min(edited, above[j - 1] + !is_same_letter(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
                is_same_letter(a[i - 2], b[j - 1]))
                row[j] = min(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

/* Dashes say that a word is an option, not which one. */
static const char *letters(const char *word) {
    return word + strspn(word, "-");
}

void suggest(suggestion *nearest, const char *candidate, const char *shown) {
    const char *typed = letters(nearest->typed), *other = letters(candidate);
    size_t distance = edit_distance(typed, other);
    if (distance == SIZE_MAX)
        return;
    const size_t length = strlen(typed), longer = max(length, strlen(other));
    if (distance > 0 && length >= 2 && strncmp(typed, other, length) == 0)
        distance = 1;
    else if (3 * distance > longer)
        return;
    if (!nearest->best[0] || distance < nearest->distance) {
        snprintf(nearest->best, sizeof nearest->best, "%s", shown);
        nearest->distance = distance;
    }
}
