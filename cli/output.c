/* output.c - results for stdout, readable or JSON, gathered first and written at once
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/allocation.h"
#include "src/base/atomic_file.h"
#include "src/base/number.h"
#include "src/base/text.h"

enum { LABEL_COLUMNS = 20 };

/* Room for `count` more bytes; false, and remembered, if there is no memory. */
static bool make_room(output *out, size_t count) {
    if (out->is_out_of_memory)
        return false;
    if (count <= out->capacity - out->length)
        return true;
    if (count > SIZE_MAX / 4 - out->length) {
        out->is_out_of_memory = true;
        return false;
    }
    const size_t capacity = 2 * (out->length + count) + 1000;
    char *moved = memory_resize(out->text, out->length, capacity);
    if (!moved) {
        out->is_out_of_memory = true;
        return false;
    }
    out->text = moved;
    out->capacity = capacity;
    return true;
}

void output_bytes(output *out, const char *bytes, size_t count) {
    if (count == 0 || !make_room(out, count))
        return;
    memcpy(out->text + out->length, bytes, count);
    out->length += count;
}

static void print_list(output *out, const char *format, va_list arguments) CLI_PRINTF(2, 0);
static void print_list(output *out, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0 && make_room(out, (size_t)length + 1)) {
        vsnprintf(out->text + out->length, (size_t)length + 1, format, again);
        out->length += (size_t)length;
    }
    va_end(again);
}

void output_print(output *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_list(out, format, arguments);
    va_end(arguments);
}

static void replace_controls(output *out, size_t from) {
    for (size_t k = from; k < out->length; k++)
        if ((unsigned char)out->text[k] < 0x20 || out->text[k] == 0x7f)
            out->text[k] = '?';
}

void output_columns(output *out, const char *name, size_t width, bool is_left, size_t most) {
    size_t bytes = 0, used = 0;
    /* A character ends where the next byte does not continue it. */
    for (; name[bytes]; bytes++) {
        const bool is_start = ((unsigned char)name[bytes] & 0xc0) != 0x80;
        if (is_start && used == most)
            break;
        used += is_start;
    }
    const int padding = used < width ? (int)(width - used) : 0;
    output_print(out, "%*s", is_left ? 0 : padding, "");
    const size_t from = out->length;
    output_bytes(out, name, bytes);
    replace_controls(out, from);
    output_print(out, "%*s", is_left ? padding : 0, "");
}

void output_cell(output *out, const char *name, int columns) {
    const size_t width = (size_t)abs(columns);
    output_columns(out, name, width, columns > 0, width);
}

const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Class names and paths may hold anything: keep what was written since `from` one printable line,
   and end it. */
static void end_line(output *out, size_t from) {
    replace_controls(out, from);
    output_print(out, "\n");
}

void output_line(output *out, const char *format, ...) {
    const size_t from = out->length;
    va_list arguments;
    va_start(arguments, format);
    print_list(out, format, arguments);
    va_end(arguments);
    end_line(out, from);
}

void output_label(output *out, const char *label) {
    output_print(out, "%-*s ", LABEL_COLUMNS - 1, label);
}

void output_field(output *out, const char *label, const char *format, ...) {
    const size_t from = out->length;
    output_label(out, label);
    va_list arguments;
    va_start(arguments, format);
    print_list(out, format, arguments);
    va_end(arguments);
    end_line(out, from);
}

void output_fill(output *out, size_t column, size_t indent, const char *text) {
    bool is_first = true;
    while (*text) {
        const bool is_paragraph = *text == '\n';
        text += strspn(text, " \n");
        const size_t length = strcspn(text, " \n");
        if (length == 0)
            break;
        const bool is_full = column + !is_first + length > OUTPUT_COLUMNS;
        if (!is_first && (is_paragraph || is_full)) {
            output_print(out, is_paragraph ? "\n\n%*s" : "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            output_print(out, " ");
            column++;
        } else if (column < indent) {
            output_print(out, "%*s", (int)(indent - column), "");
            column = indent;
        }
        output_bytes(out, text, length);
        column += length;
        text += length;
        is_first = false;
    }
    output_print(out, "\n");
}

void output_csv(output *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        output_bytes(out, text, strlen(text));
        return;
    }
    output_print(out, "\"");
    for (; *text; text++)
        output_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    output_print(out, "\"");
}

void output_shell(output *out, const char *word) {
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (word[0] && word[strspn(word, usual)] == '\0') {
        output_bytes(out, word, strlen(word));
        return;
    }
    output_print(out, "'");
    for (; *word; word++)
        output_bytes(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    output_print(out, "'");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD, for what is not UTF-8 */

void output_json_text(output *out, const char *text) {
    static const char named[] = "\bb\ff\nn\rr\tt\"\"\\\\"; /* pairs of a character and its escape */
    output_print(out, "\"");
    for (size_t length; *text; text += length ? length : 1) {
        const char *escape = named;
        length = isg_utf8_length(text, 4);
        while (*escape && *escape != *text)
            escape += 2;
        if (length == 0)
            output_print(out, "%s", replacement);
        else if (*escape)
            output_print(out, "\\%c", escape[1]);
        else if ((unsigned char)*text < 0x20)
            output_print(out, "\\u%04X", (unsigned)*text);
        else
            output_bytes(out, text, length);
    }
    output_print(out, "\"");
}

void output_json_number(output *out, double value) {
    char text[ISG_NUMBER_ROOM];
    if (!isfinite(value)) {
        output_print(out, "null");
        return;
    }
    isg_format_number(text, sizeof text, value);
    const char *exponent = strchr(text, 'e');
    if (exponent) /* "1e-07" or "1e+20": without what the exponent does not need */
        output_print(out, "%.*s%d", (int)(exponent + 1 - text), text, atoi(exponent + 1));
    else
        output_print(out, "%s%s", text, strchr(text, '.') ? "" : ".0");
}

void output_json_line(output *out, const char *before, size_t depth) {
    output_print(out, "%s\n%*s", before, (int)(2 * depth), "");
}

static int take_json(const char *bytes, size_t count, void *user) {
    output_bytes(user, bytes, count);
    return 0;
}

void output_json(output *out, json_t *document) {
    if (!document || json_dump_callback(document, take_json, out, JSON_INDENT(2)) != 0 ||
        memory_lacked_for_json()) /* in which case jansson may return part of the text */
        out->is_out_of_memory = true;
    output_print(out, "\n");
    json_decref(document);
}

json_t *json_text(const char *text) {
    output valid = {0};
    for (const char *c = text; *c;) {
        const size_t length = isg_utf8_length(c, 4);
        output_bytes(&valid, length ? c : replacement, length ? length : sizeof replacement - 1);
        c += length ? length : 1;
    }
    json_t *string =
        valid.is_out_of_memory ? NULL : json_stringn(valid.text ? valid.text : "", valid.length);
    output_free(&valid);
    return string;
}

json_t *json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- writing ------------------------------------------------------------------------------- */

static exit_code write_failed(int descriptor) {
    return fail(EXIT_FILE, "%s: could not be written: %s",
                descriptor == STDERR_FILENO ? "standard error" : "standard output",
                strerror(errno));
}

exit_code output_write(output *out, int descriptor) {
    if (out->is_out_of_memory)
        return fail_memory();
    for (size_t done = 0; done < out->length;) {
        const ssize_t written = write(descriptor, out->text + done, out->length - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return write_failed(descriptor);
        }
    }
    if (out->length > 0 && descriptor == STDOUT_FILENO && close(descriptor) != 0 && errno != EINTR)
        return write_failed(descriptor);
    return EXIT_DONE;
}

exit_code output_save(const output *out, const char *path) {
    return out->is_out_of_memory ? fail_memory()
                                 : fail_status(isg_write_file(path, out->text, out->length));
}

char *output_text(output *out) {
    output_bytes(out, "", 1);
    if (!out->is_out_of_memory)
        return out->text;
    output_free(out);
    return NULL;
}

void output_free(output *out) {
    memory_release(out->text);
    *out = (output){0};
}

void output_guard_streams(void) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
            continue;
        /* The lowest free number is this one. Opened for the wrong direction on purpose. */
        const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", mode) < 0)
            return;
    }
}
