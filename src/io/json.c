/* json.c - the metadata in our files, as one flat JSON object
 *
 * SPDX-License-Identifier: MIT
 *
 * Reading uses jansson, which keeps 64-bit integers exact. Writing is our own: a member needs no
 * tree, numbers must not depend on the locale, and a file name that is not UTF-8 must not prevent a
 * model from being saved. jansson's allocator belongs to the whole process and is left alone.
 */
#include "io/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct text_buffer {
    char *bytes;
    size_t length, capacity;
} text_buffer;

static isg_status append(text_buffer *to, const char *bytes, size_t count) {
    void *grown = to->bytes;
    ISG_TRY(isg_grow(&grown, &to->capacity, to->length + count + 1, 1));
    to->bytes = grown;
    memcpy(to->bytes + to->length, bytes, count);
    to->length += count;
    to->bytes[to->length] = '\0';
    return ISG_OK;
}

static isg_status append_text(text_buffer *to, const char *text) {
    return append(to, text, strlen(text));
}

static isg_status append_quoted(text_buffer *to, const char *text) {
    ISG_TRY(append_text(to, "\""));
    while (*text) {
        const size_t length = isg_utf8_length(text, 4);
        const unsigned char c = (unsigned char)*text;
        char escape[8];
        if (length == 0) {
            ISG_TRY(append_text(to, "\xef\xbf\xbd"));
        } else if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", c);
            ISG_TRY(append_text(to, escape));
        } else if (c < 0x20 || c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            ISG_TRY(append_text(to, escape));
        } else {
            ISG_TRY(append(to, text, length));
        }
        text += length ? length : 1;
    }
    return append_text(to, "\"");
}

static isg_status append_value(text_buffer *to, const isg_json_pair *pair) {
    char text[ISG_NUMBER_ROOM];
    switch (pair->kind) {
    case ISG_JSON_TEXT:
        return append_quoted(to, pair->text);
    case ISG_JSON_INTEGER:
        snprintf(text, sizeof text, "%" PRId64, pair->integer);
        return append_text(to, text);
    case ISG_JSON_NUMBER:
        break;
    }
    if (!isfinite(pair->number))
        return isg_fail(ISG_ERR_ARGUMENT, "%s: expected a finite number", pair->key);
    isg_format_number(text, sizeof text, pair->number);
    return append_text(to, text);
}

isg_status isg_json_write(char **out, const isg_json_pair *pairs, size_t count) {
    text_buffer text = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(append_text(&text, "{"));
    for (size_t k = 0; k < count; k++) {
        ISG_TRY_GOTO(append_text(&text, k == 0 ? "\n  " : ",\n  "));
        ISG_TRY_GOTO(append_quoted(&text, pairs[k].key));
        ISG_TRY_GOTO(append_text(&text, ": "));
        ISG_TRY_GOTO(append_value(&text, &pairs[k]));
    }
    ISG_TRY_GOTO(append_text(&text, count ? "\n}\n" : "}\n"));
    *out = text.bytes;
    text.bytes = NULL;
done:
    isg_release(text.bytes);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct isg_json {
    char *name;
    json_t *object;
};

/* jansson reports most failed allocations as a syntax error, or gives no reason at all, and where
   its buffer for a text or number cannot grow it silently drops a character. So everything is read
   twice: the content of a text, or the error in it, is the same both times. */
static isg_status load(isg_json *json, const char *text, size_t length) {
    json_error_t error, other_error;
    json->object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    json_t *other = json_loadb(text, length, JSON_REJECT_DUPLICATES, &other_error);
    const bool is_read = json->object && other && json_equal(json->object, other);
    const bool is_wrong = !json->object && !other && error.text[0] &&
                          json_error_code(&error) != json_error_out_of_memory &&
                          error.position == other_error.position &&
                          strcmp(error.text, other_error.text) == 0;
    json_decref(other);
    if (is_wrong)
        return isg_fail(ISG_ERR_FORMAT, "%s: line %d: not JSON: %s", json->name, error.line,
                        error.text);
    if (!is_read)
        return isg_fail(ISG_ERR_MEMORY, "%s: out of memory", json->name);
    if (!json_is_object(json->object))
        return isg_fail(ISG_ERR_FORMAT, "%s: expected a JSON object, found something else",
                        json->name);
    return ISG_OK;
}

isg_status isg_json_parse(isg_json **out, const char *name, const char *text, size_t length) {
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(json, 1));
    json->name = isg_copy_text(name);
    ISG_TRY_GOTO(json->name ? ISG_OK : ISG_ERR_MEMORY);
    ISG_TRY_GOTO(load(json, text, length));
    *out = json;
    json = NULL;
done:
    isg_json_free(json);
    return status;
}

bool isg_json_has(const isg_json *json, const char *key) {
    return json_object_get(json->object, key) != NULL;
}

static isg_status missing(const isg_json *json, const char *key, const char *what) {
    return isg_fail(ISG_ERR_FORMAT, "%s: expected %s for \"%s\", found %s", json->name, what, key,
                    isg_json_has(json, key) ? "something else" : "nothing");
}

isg_status isg_json_text(const isg_json *json, const char *key, const char **out) {
    const json_t *value = json_object_get(json->object, key);
    if (!json_is_string(value))
        return missing(json, key, "a text");
    *out = json_string_value(value);
    return ISG_OK;
}

isg_status isg_json_integer(const isg_json *json, const char *key, int64_t *out) {
    const json_t *value = json_object_get(json->object, key);
    if (!json_is_integer(value))
        return missing(json, key, "a whole number");
    *out = json_integer_value(value);
    return ISG_OK;
}

isg_status isg_json_number(const isg_json *json, const char *key, double *out) {
    const json_t *value = json_object_get(json->object, key);
    if (!json_is_number(value))
        return missing(json, key, "a number");
    *out = json_number_value(value);
    return ISG_OK;
}

void isg_json_free(isg_json *json) {
    if (!json)
        return;
    json_decref(json->object);
    isg_release(json->name);
    isg_release(json);
}
