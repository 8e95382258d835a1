/* value.c - one option's value: from text to the field it sets
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/value.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/typed_number.h"
#include "src/base/number.h"

static_assert(sizeof(isg_header) == sizeof(unsigned), "choices are stored in enums of this size");

bool find_choice(const char *const *choices, const char *text, size_t *index) {
    for (size_t i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *index = i;
            return true;
        }
    return false;
}

/* Whole numbers are compared as doubles too: no range in use goes beyond 2^53. */
static bool is_in_range(const option_entry *option, double value) {
    if (!(option->low < option->high))
        return true;
    const bool is_high_enough = option->is_above_low ? value > option->low : value >= option->low;
    return is_high_enough && value <= option->high;
}

bool value_store(const option_entry *option, const char *text, void *settings) {
    char *field = (char *)settings + option->offset;
    bool flag = true;
    unsigned place = 0;
    size_t size = 0;
    uint64_t whole = 0;
    double real = 0;
    switch (option->kind) {
    case OPTION_FLAG:
        memcpy(field, &flag, sizeof flag);
        return true;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        memcpy(field, &text, sizeof text);
        return true;
    case OPTION_CHOICE:
        if (!find_choice(option->choices, text, &size))
            return false;
        place = (unsigned)size;
        memcpy(field, &place, sizeof place);
        return true;
    case OPTION_SIZE:
        if (!isg_parse_size(text, &size) || !is_in_range(option, (double)size))
            return false;
        memcpy(field, &size, sizeof size);
        return true;
    case OPTION_UINT64:
        if (!isg_parse_uint64(text, &whole) || !is_in_range(option, (double)whole))
            return false;
        memcpy(field, &whole, sizeof whole);
        return true;
    case OPTION_DOUBLE:
        if (!number_double(text, &real) || !is_in_range(option, real))
            return false;
        memcpy(field, &real, sizeof real);
        return true;
    }
    return false;
}

void write_number(char out[WORDS_BYTES], double value) {
    char digits[ISG_NUMBER_ROOM], *exponent;
    isg_format_number(out, WORDS_BYTES, value);
    for (int precision = 0; precision < 17; precision++) {
        snprintf(digits, sizeof digits, "%.*e", precision, value);
        exponent = strchr(digits, 'e');
        if (!exponent || strtod(digits, NULL) == value)
            break;
    }
    if (!exponent) /* not finite */
        return;
    snprintf(exponent, sizeof digits - (size_t)(exponent - digits), "e%ld",
             strtol(exponent + 1, NULL, 10));
    if (strlen(digits) < strlen(out))
        memcpy(out, digits, sizeof digits);
}

const char *value_text(const option_entry *option, const void *settings, char words[WORDS_BYTES]) {
    const char *field = (const char *)settings + option->offset, *text = NULL;
    unsigned place = 0;
    size_t size = 0;
    uint64_t whole = 0;
    double real = 0;
    switch (option->kind) {
    case OPTION_FLAG:
        return NULL;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        memcpy(&text, field, sizeof text);
        return text;
    case OPTION_CHOICE:
        memcpy(&place, field, sizeof place);
        return option->choices[place];
    case OPTION_SIZE:
        memcpy(&size, field, sizeof size);
        snprintf(words, WORDS_BYTES, "%zu", size);
        return words;
    case OPTION_UINT64:
        memcpy(&whole, field, sizeof whole);
        snprintf(words, WORDS_BYTES, "%" PRIu64, whole);
        return words;
    case OPTION_DOUBLE:
        memcpy(&real, field, sizeof real);
        write_number(words, real);
        return words;
    }
    return NULL;
}

bool value_has_default(const option_entry *option) {
    return !option->otherwise && !option->is_required;
}

const char *list_choices(const char *const *choices, char words[WORDS_BYTES]) {
    size_t used = 0;
    words[0] = '\0';
    for (size_t i = 0; choices[i] && used < WORDS_BYTES; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        const int added = snprintf(words + used, WORDS_BYTES - used, "%s%s", before, choices[i]);
        used += added > 0 ? (size_t)added : 0;
    }
    return words;
}

const char *value_expected(const option_entry *option, char words[WORDS_BYTES]) {
    const bool is_whole = option->kind == OPTION_SIZE || option->kind == OPTION_UINT64;
    const char *noun = is_whole ? "a whole number" : "a number";
    const bool has_range = option->low < option->high;
    if (option->kind == OPTION_CHOICE)
        return list_choices(option->choices, words);
    if (!is_whole && option->kind != OPTION_DOUBLE)
        snprintf(words, WORDS_BYTES, "%s", option->metavar);
    else if (!has_range && is_whole)
        snprintf(words, WORDS_BYTES, "%s from 0 to %llu", noun,
                 option->kind == OPTION_SIZE ? (unsigned long long)SIZE_MAX : UINT64_MAX + 0ULL);
    else if (!has_range)
        snprintf(words, WORDS_BYTES, "%s", noun);
    else if (isinf(option->high))
        snprintf(words, WORDS_BYTES, option->is_above_low ? "%s above %.15g" : "%s from %.15g on",
                 noun, option->low);
    else
        snprintf(words, WORDS_BYTES,
                 option->is_above_low ? "%s above %.15g and up to %.15g" : "%s from %.15g to %.15g",
                 noun, option->low, option->high);
    return words;
}
