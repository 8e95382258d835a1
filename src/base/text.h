/* text.h - names, UTF-8 and base64, independent of the locale
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_TEXT_H
#define ISG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* The length of the UTF-8 character at `text`, reading at most `left` bytes and none past a zero; 0
   if it is invalid: a stray or missing byte, an overlong form, a surrogate, or beyond the last code
   point (RFC 3629). */
static inline size_t isg_utf8_length(const char *text, size_t left) {
    const unsigned char *c = (const unsigned char *)text;
    const size_t length = c[0] < 0x80   ? 1
                          : c[0] < 0xc2 ? 0
                          : c[0] < 0xe0 ? 2
                          : c[0] < 0xf0 ? 3
                          : c[0] < 0xf5 ? 4
                                        : 0;
    if (length > left)
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    const bool is_long = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool is_none = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return is_long || is_none ? 0 : length;
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
