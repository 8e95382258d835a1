/* report_html.c - text, files and numbers as HTML
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "paper/report.h"
#include "src/base/file.h"
#include "src/base/text.h"

/* ---- text ------------------------------------------------------------------------------------- */

/* What to write instead of a byte of text; NULL: the byte itself. HTML has no control characters. */
static const char *entity(unsigned char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? "&#65533;" : NULL;
    }
}

static void escape(output *page, const char *text) {
    for (; *text; text++) {
        const char *instead = entity((unsigned char)*text);
        output_bytes(page, instead ? instead : text, instead ? strlen(instead) : 1);
    }
}

void html_print(output *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        output_bytes(page, format, plain);
        format += plain;
        if (strncmp(format, "%s", 2) == 0) {
            escape(page, va_arg(arguments, const char *));
            format += 2;
        } else if (strncmp(format, "%zu", 3) == 0) {
            output_print(page, "%zu", va_arg(arguments, size_t));
            format += 3;
        } else {
            assert(!*format && "only %s and %zu");
            break;
        }
    }
    va_end(arguments);
}

void html_duration(output *page, double seconds) {
    if (!(seconds >= 0 && seconds < 1e15)) { /* it comes from a file */
        output_print(page, "unknown");
        return;
    }
    /* Rounded first, so that nothing is 1 min 60 s. */
    const size_t whole = (size_t)(seconds + 0.5);
    if (seconds < 9.95)
        output_print(page, "%.1f s", seconds);
    else if (whole < 60)
        output_print(page, "%zu s", whole);
    else if (whole < 3600)
        output_print(page, "%zu min %02zu s", whole / 60, whole % 60);
    else
        output_print(page, "%zu h %02zu min", whole / 3600, whole % 3600 / 60);
}

/* ---- files ------------------------------------------------------------------------------------ */

exit_code html_read(output *out, const char *path) {
    char block[8192];
    isg_file *file = NULL;
    isg_status status = isg_file_open(&file, path);
    const uint64_t size = status == ISG_OK ? isg_file_size(file) : 0;
    for (uint64_t at = 0; status == ISG_OK && at < size; at += sizeof block) {
        const size_t count = size - at < sizeof block ? (size_t)(size - at) : sizeof block;
        status = isg_file_read_at(file, at, block, count);
        if (status == ISG_OK)
            output_bytes(out, block, count);
    }
    isg_file_close(file);
    return status == ISG_OK && out->is_out_of_memory ? fail_memory() : fail_status(status);
}

static void base64(output *page, const unsigned char *bytes, size_t n) {
    for (size_t k = 0; k < n; k += 3) {
        char four[4];
        isg_base64(four, bytes + k, n - k);
        output_bytes(page, four, sizeof four);
    }
}

/* Shorter than base64 for text, and readable. What is not encoded is a part of what RFC 3986 allows,
   without anything special to HTML. */
static void percent(output *page, const unsigned char *bytes, size_t n) {
    static const char itself[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,;:/+*()=!~@";
    for (size_t k = 0; k < n; k++)
        if (bytes[k] && strchr(itself, bytes[k]))
            output_bytes(page, (const char *)bytes + k, 1);
        else
            output_print(page, "%%%02X", bytes[k]);
}

static const struct {
    const char *ending, *type;
    bool is_text;
} media[] = {
    {".csv", "text/csv;charset=utf-8", true}, {".gp", "text/plain;charset=utf-8", true},
    {".svg", "image/svg+xml", false},         {".png", "image/png", false},
    {"", "application/octet-stream", false},
};

static size_t medium_of(const char *path) {
    const size_t length = strlen(path);
    for (size_t k = 0;; k++) {
        const size_t ending = strlen(media[k].ending);
        if (length >= ending && strcmp(path + length - ending, media[k].ending) == 0)
            return k;
    }
}

exit_code html_data(output *page, const char *path) {
    const size_t medium = medium_of(path);
    output bytes = {0};
    const exit_code code = html_read(&bytes, path);
    if (code == EXIT_DONE) {
        const unsigned char *data = (const unsigned char *)bytes.text;
        output_print(page, "data:%s%s,", media[medium].type,
                     media[medium].is_text ? "" : ";base64");
        (media[medium].is_text ? percent : base64)(page, data, bytes.length);
    }
    output_free(&bytes);
    return code;
}
