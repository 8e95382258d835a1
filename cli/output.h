/* output.h - results for stdout, readable or JSON, gathered first and written at once
 *
 * SPDX-License-Identifier: MIT
 *
 * A command that fails half-way therefore prints nothing. Running out of memory is remembered and
 * reported by output_write(), so that writing a line needs no check.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/failure.h"

enum { OUTPUT_COLUMNS = 79 };

typedef struct output {
    char *text; /* not terminated */
    size_t length, capacity;
    bool is_out_of_memory;
} output;

void output_print(output *out, const char *format, ...) CLI_PRINTF(2, 3);
void output_bytes(output *out, const char *bytes, size_t count);

/* A name in so many columns, cut or padded by characters of UTF-8, not bytes; negative: at the right
   of them. Control characters become '?'. */
void output_cell(output *out, const char *name, int columns);

/* The same with at least `width` columns, at their right unless `is_left`, and at most `most`. */
void output_columns(output *out, const char *name, size_t width, bool is_left, size_t most);

/* What makes a noun agree with its number: "%zu epoch%s", n, plural(n). */
const char *plural(uint64_t count);

/* One line; characters that cannot be in it, such as a line feed in a class name, become '?'. */
void output_line(output *out, const char *format, ...) CLI_PRINTF(2, 3);

/* The same for "label     value", with the values of all fields aligned. */
void output_field(output *out, const char *label, const char *format, ...) CLI_PRINTF(3, 4);

/* The label alone; the caller prints the rest. */
void output_label(output *out, const char *label);

/* Text broken at spaces to lines that start at column `indent`; the cursor stands at `column`, and
   ends on a new line. A newline in the text gives an empty line and a new paragraph. */
void output_fill(output *out, size_t column, size_t indent, const char *text);

/* A cell of a comma-separated table, in quotes where the text needs them. */
void output_csv(output *out, const char *text);

/* A word as a shell reads it back, quoted if anything unusual is in it. */
void output_shell(output *out, const char *word);

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Takes ownership of the document; accepts NULL, which jansson returns when memory ran out. For
   files; what a verb prints is written by result.h, with fewer digits. */
void output_json(output *out, json_t *document);

/* A string; what is not UTF-8, as in a file name, becomes U+FFFD. */
void output_json_text(output *out, const char *text);

/* The shortest number that reads back to the same double, with a point or an exponent; null for what
   JSON cannot write: infinity and NaN. */
void output_json_number(output *out, double value);

/* The beginning of a line in `depth` objects and arrays, after the end of the previous line. */
void output_json_line(output *out, const char *before, size_t depth);

/* The same two as values of jansson, where json_string() and json_real() would give NULL. */
json_t *json_text(const char *text);
json_t *json_number(double value);

/* ---- writing ------------------------------------------------------------------------------- */

/* Writes everything to the descriptor, and closes stdout, since some errors show only then.
   EXIT_NO_MEMORY or EXIT_FILE with the sentence set. */
exit_code output_write(output *out, int descriptor);

/* Writes everything to a file, replacing an existing one. EXIT_NO_MEMORY if gathering ran out of
   memory, EXIT_FILE if the file cannot be written. */
exit_code output_save(const output *out, const char *path);

/* What was gathered, NUL-terminated; the caller releases it. NULL if there was no memory. */
char *output_text(output *out);

void output_free(output *out);

/* Opens descriptors 0 to 2 if they are closed, so that a file opened later never becomes stdout.
   Reading or writing one that was closed still fails. */
void output_guard_streams(void);

#endif
