/* text.h - comparing and trimming names, whatever the locale, and base64
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TEXT_H
#define ISG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the first n characters agree, capitals of ASCII counting as small letters. */
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

/* Advances *text over the blanks it begins with; returns its length without those it ends in. */
static inline size_t isg_trim(const char **text) {
    *text += strspn(*text, " \t");
    size_t length = strlen(*text);
    while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
        length--;
    return length;
}

/* The letters of 1 to 3 bytes by RFC 4648, section 4; no zero at the end. */
static inline void isg_base64(char out[4], const uint8_t *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned group = (unsigned)bytes[0] << 16 | (count > 1 ? (unsigned)bytes[1] << 8 : 0) |
                           (count > 2 ? bytes[2] : 0);
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = count > 1 ? digits[group >> 6 & 63] : '=';
    out[3] = count > 2 ? digits[group & 63] : '=';
}

#endif
