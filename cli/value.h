/* value.h - one option's value: from text to the field it sets
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "cli/command.h"

/* Reads `text` as the table says and stores it in `settings`. False if it is not acceptable;
   value_expected() then says what would be. `text` is NULL for a flag. */
bool value_store(const option_entry *option, const char *text, void *settings);

/* The value in `settings` as it would be typed, written to `words`; NULL for a flag and for a text that
   is not set. */
enum { WORDS_BYTES = 256 };
const char *value_text(const option_entry *option, const void *settings, char words[WORDS_BYTES]);

/* Whether the option has a value even if it was not typed: `otherwise` stands for something that is
   not in the field. */
bool value_has_default(const option_entry *option);

/* The shorter of "0.001" and "1e-3"; both read back to the same bits. */
void write_number(char words[WORDS_BYTES], double value);

/* "a whole number from 1 to 1024", "qr, svd or sqrt", written to `words`. */
const char *value_expected(const option_entry *option, char words[WORDS_BYTES]);

/* "a, b or c". */
const char *list_choices(const char *const *choices, char words[WORDS_BYTES]);

/* The position of `text` in the list; false if it is not in it. */
bool find_choice(const char *const *choices, const char *text, size_t *index);

#endif
