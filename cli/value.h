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

/* "a whole number from 1 to 1024", "qr, svd or sqrt", written to `words`. */
enum { WORDS_BYTES = 256 };
const char *value_expected(const option_entry *option, char words[WORDS_BYTES]);

/* "a, b or c". */
const char *list_choices(const char *const *choices, char words[WORDS_BYTES]);

/* The place of `text` in the list; false if it is not there. */
bool find_choice(const char *const *choices, const char *text, size_t *index);

#endif
