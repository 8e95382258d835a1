/* text_mutator.c - changes to words of a text that leave what stands between them
 *
 * SPDX-License-Identifier: MIT
 *
 * Good for whatever has words and something between them: JSON, tables, matrices, lists, command lines.
 */
#include <stdbool.h>
#include <string.h>

#include "mutator.h"

enum { MOST_WORDS = 256, MOST_WORD = 64 };

typedef struct span {
    size_t begin, length;
} span;

static bool is_in_word(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+' || c == '_' || c >= 0x80;
}

static size_t find_words(const uint8_t *bytes, size_t size, span words[MOST_WORDS]) {
    size_t count = 0;
    for (size_t k = 0; k < size && count < MOST_WORDS;) {
        const size_t begin = k;
        while (k < size && is_in_word(bytes[k]))
            k++;
        if (k > begin)
            words[count++] = (span){begin, k - begin};
        else
            k++;
    }
    return count;
}

/* 0 if there is no room. */
static size_t replace(uint8_t *bytes, size_t size, size_t room, span old, const uint8_t *text,
                      size_t length) {
    if (size - old.length + length > room)
        return 0;
    uint8_t *rest = bytes + old.begin + old.length;
    memmove(bytes + old.begin + length, rest, size - old.begin - old.length);
    memcpy(bytes + old.begin, text, length);
    return size - old.length + length;
}

/* The word and what separates it from the next, once more or not at all. */
static size_t repeat(uint8_t *bytes, size_t size, size_t room, const span words[], size_t count,
                     size_t index, bool is_dropped) {
    uint8_t text[MOST_WORD];
    const size_t begin = words[index].begin;
    const span all = {begin, (index + 1 < count ? words[index + 1].begin : size) - begin};
    if (is_dropped)
        return size > all.length ? replace(bytes, size, room, all, text, 0) : 0;
    if (all.length > sizeof text)
        return 0;
    memcpy(text, bytes + begin, all.length);
    return replace(bytes, size, room, (span){begin, 0}, text, all.length);
}

size_t mutate_text(uint8_t *bytes, size_t size, size_t room, uint32_t *state) {
    static const char *const known[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "10",
                                        "255",
                                        "0.5",
                                        "1e308",
                                        "1e-320",
                                        "18446744073709551615",
                                        "9223372036854775807",
                                        "1e400",
                                        "nan",
                                        "inf",
                                        "true",
                                        "false",
                                        "null",
                                        "007",
                                        "-0",
                                        "1.",
                                        ".1"};
    span words[MOST_WORDS];
    uint8_t text[MOST_WORD];
    const size_t count = find_words(bytes, size, words);
    if (count == 0)
        return 0;
    const size_t index = draw(state, (uint32_t)count), other = draw(state, (uint32_t)count);
    const span word = words[index];
    const char *taken = known[draw(state, sizeof known / sizeof known[0])];
    size_t length = word.length < sizeof text ? word.length : sizeof text;
    switch (draw(state, 6)) {
    case 0:
        return replace(bytes, size, room, word, (const uint8_t *)taken, strlen(taken));
    case 1: /* that of another place */
        length = words[other].length < sizeof text ? words[other].length : sizeof text;
        memcpy(text, bytes + words[other].begin, length);
        return replace(bytes, size, room, word, text, length);
    case 2:
        return repeat(bytes, size, room, words, count, index, false);
    case 3:
        return repeat(bytes, size, room, words, count, index, true);
    case 4: /* a digit, or whatever is there */
        bytes[word.begin + draw(state, (uint32_t)word.length)] = (uint8_t)('0' + draw(state, 10));
        return size;
    default:
        memcpy(text, bytes + word.begin, length);
        return replace(bytes, size, room, (span){word.begin, length}, text,
                       LLVMFuzzerMutate(text, length, sizeof text));
    }
}
