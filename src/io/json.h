/* json.h - the metadata in our files, as one flat JSON object
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_JSON_H
#define ISG_JSON_H

#include "base/status.h"

/* ---- writing ------------------------------------------------------------------------------- */

typedef enum isg_json_kind { ISG_JSON_TEXT, ISG_JSON_INTEGER, ISG_JSON_NUMBER } isg_json_kind;

/* One member of the object; `kind` says which value is used. */
typedef struct isg_json_pair {
    const char *key;
    isg_json_kind kind;
    const char *text; /* bytes that are not UTF-8, as in a file name, become U+FFFD */
    int64_t integer;
    double number; /* finite */
} isg_json_pair;

/* An object with one member per line, in the order given, as a text that ends in a line feed and
   zero; release it with isg_release(). ISG_ERR_ARGUMENT for a number that is not finite, which JSON
   cannot represent. */
isg_status isg_json_write(char **out, const isg_json_pair *pairs, size_t count);

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct isg_json isg_json;

/* Parses a text that is one object; `name` is copied and begins the error sentences. A repeated key
   is refused. */
isg_status isg_json_parse(isg_json **out, const char *name, const char *text, size_t length);

bool isg_json_has(const isg_json *json, const char *key);

/* The value of a member; ISG_ERR_FORMAT if it is missing or of another kind. The text is valid as
   long as `json`. An integer counts as a number. */
isg_status isg_json_text(const isg_json *json, const char *key, const char **out);
isg_status isg_json_integer(const isg_json *json, const char *key, int64_t *out);
isg_status isg_json_number(const isg_json *json, const char *key, double *out);

void isg_json_free(isg_json *json); /* NULL is fine */

#endif
