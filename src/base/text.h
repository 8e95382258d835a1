/* text.h - comparing and trimming names, independent of the locale
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TEXT_H
#define ISG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the first n characters agree, ignoring the case of ASCII letters. */
static inline bool isg_same_letters(const char *a, const char *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        const char x = a[k] >= 'A' && a[k] <= 'Z' ? (char)(a[k] + 'a' - 'A') : a[k];
        const char y = b[k] >= 'A' && b[k] <= 'Z' ? (char)(b[k] + 'a' - 'A') : b[k];
        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
    return true;
}

/* Advances *text past its leading blanks; returns its length without trailing ones. */
static inline size_t isg_trim(const char **text) {
    *text += strspn(*text, " \t");
    size_t length = strlen(*text);
    while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
        length--;
    return length;
}

#endif
