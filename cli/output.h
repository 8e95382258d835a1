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

/* One line; what may not stand in it, such as a line feed in a class name, becomes '?'. */
void output_line(output *out, const char *format, ...) CLI_PRINTF(2, 3);

/* Likewise "label     value", values of all fields below each other. */
void output_field(output *out, const char *label, const char *format, ...) CLI_PRINTF(3, 4);

/* Text broken at spaces to lines that start at column `indent`; the cursor stands at `column`, and
   ends on a new line. A newline in the text gives an empty line and a new paragraph. */
void output_fill(output *out, size_t column, size_t indent, const char *text);

/* Takes the document over; NULL, jansson's way to say that memory ran out, is accepted. */
void output_json(output *out, json_t *document);

/* A JSON string of a text that may be no valid UTF-8, such as a file name: what is not becomes
   U+FFFD, where json_string() would give NULL. */
json_t *json_text(const char *text);

/* A JSON number, or null for what JSON cannot write: infinity and NaN. */
json_t *json_number(double value);

/* Writes everything to the descriptor, and closes stdout, since some errors show only then.
   EXIT_NO_MEMORY or EXIT_FILE with the sentence set. */
exit_code output_write(output *out, int descriptor);

void output_free(output *out);

/* Makes descriptors 0 to 2 exist, so that a file opened later is never taken for stdout. Reading
   or writing one that was closed still fails. */
void output_guard_streams(void);

#endif
