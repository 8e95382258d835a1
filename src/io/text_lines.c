/* text_lines.c - reading a source line by line
 *
 * SPDX-License-Identifier: MIT
 *
 * Lines are returned in place, in the buffer; one cut off by its end is moved to the front.
 */
#include "io/text_lines.h"

#include <string.h>

#include "base/memory.h"

/* Twice the longest ordinary line with its end, so that little is moved. */
enum { FIRST_BYTES = 2 * (ISG_MOST_LINE_BYTES + 2) };

struct isg_text_lines {
    isg_source *source;
    size_t number, most_bytes; /* of a line */
    size_t next, available;    /* in the buffer */
    bool is_ended;
    char *buffer;
    size_t capacity; /* one is never filled: the last line may have no end for its zero */
};

isg_status isg_text_lines_create(isg_text_lines **out, isg_source *source) {
    isg_text_lines *lines = NULL;
    ISG_TRY(ISG_ALLOCATE(lines, 1));
    if (ISG_ALLOCATE(lines->buffer, FIRST_BYTES + 1) != ISG_OK) {
        isg_release(lines);
        return ISG_ERR_MEMORY;
    }
    lines->source = source;
    lines->capacity = FIRST_BYTES + 1;
    lines->most_bytes = ISG_MOST_LINE_BYTES;
    *out = lines;
    return ISG_OK;
}

void isg_text_lines_allow(isg_text_lines *lines, size_t most_bytes) {
    lines->most_bytes = most_bytes;
}

static isg_status refill(isg_text_lines *lines) {
    const size_t kept = lines->available - lines->next;
    memmove(lines->buffer, lines->buffer + lines->next, kept);
    lines->next = 0;
    lines->available = kept;
    if (kept == lines->capacity - 1) {
        void *grown = lines->buffer;
        ISG_TRY(isg_grow(&grown, &lines->capacity, lines->capacity + 1, 1));
        lines->buffer = grown;
    }
    const size_t room = lines->capacity - 1 - kept;
    size_t got = 0;
    ISG_TRY(isg_source_read_some(lines->source, lines->buffer + kept, room, &got));
    lines->available += got;
    lines->is_ended = got < room;
    return ISG_OK;
}

/* Takes the next `length` available bytes as a line. */
static isg_status take(isg_text_lines *lines, size_t length, size_t end_bytes, char **line) {
    char *text = lines->buffer + lines->next;
    lines->next += length + end_bytes;
    lines->number++;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    if (length > lines->most_bytes)
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: longer than %zu bytes",
                        isg_source_name(lines->source), lines->number, lines->most_bytes);
    if (memchr(text, '\0', length))
        return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: a NUL byte, so this is not text",
                        isg_source_name(lines->source), lines->number);
    text[length] = '\0';
    *line = text;
    return ISG_OK;
}

isg_status isg_text_lines_next(isg_text_lines *lines, char **line) {
    for (;;) {
        const size_t left = lines->available - lines->next;
        const char *text = lines->buffer + lines->next;
        const char *end = memchr(text, '\n', left);
        if (end)
            return take(lines, (size_t)(end - text), 1, line);
        if (left > lines->most_bytes + 1 || (lines->is_ended && left > 0))
            return take(lines, left, 0, line);
        if (lines->is_ended)
            break;
        ISG_TRY(refill(lines));
    }
    *line = NULL;
    return isg_source_end(lines->source);
}

size_t isg_text_lines_number(const isg_text_lines *lines) {
    return lines->number;
}

uint64_t isg_text_lines_at_most(const isg_text_lines *lines) {
    const uint64_t later = isg_source_at_most(lines->source);
    const uint64_t here = lines->available - lines->next;
    return later > UINT64_MAX - here ? UINT64_MAX : later + here;
}

void isg_text_lines_free(isg_text_lines *lines) {
    if (!lines)
        return;
    isg_release(lines->buffer);
    isg_release(lines);
}
