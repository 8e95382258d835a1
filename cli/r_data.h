/* r_data.h - the objects in a file that R's save() or saveRDS() wrote
 *
 * SPDX-License-Identifier: MIT
 *
 * Reads the unpacked bytes of an .rda or .rds file (XDR, versions 2 and 3). Vectors, lists, factors,
 * data frames and the slots of S4 objects can be looked at; functions and byte code are read past.
 * The bytes are not trusted: every length is checked against what is left, and nesting is bounded.
 */
#ifndef CLI_R_DATA_H
#define CLI_R_DATA_H

#include "src/base/status.h"

typedef enum r_kind {
    R_NOTHING, /* NULL, and what is not looked at */
    R_INTEGERS,
    R_NUMBERS,
    R_TEXTS,
    R_LIST,
    R_PAIRS /* a list whose items have tags: variables, slots, attributes */
} r_kind;

typedef struct r_data r_data;
typedef struct r_value {
    r_kind kind;
    size_t count;         /* of items; not for R_PAIRS */
    size_t first;         /* of texts and of the items of a list, in r_data; of pairs */
    const uint8_t *bytes; /* of numbers, in the file */
    size_t attributes;    /* the first pair of them, or 0 */
} r_value;

/* Borrows the bytes. `name` begins error sentences. */
isg_status r_data_read(r_data **out, const char *name, const uint8_t *bytes, size_t size);
void r_data_free(r_data *data); /* NULL is fine */

const r_value *r_root(const r_data *data);

/* The item of this name: by its tag, by the attribute `names` of a list, or else an attribute or slot.
   NULL if there is none, or if `value` is NULL. */
const r_value *r_get(const r_data *data, const r_value *value, const char *name);

/* The first matrix of numbers (it has an attribute `dim`) under this tag, wherever it is. */
const r_value *r_find_matrix(const r_data *data, const char *tag);

/* Item `k` of a vector or list, k < count. */
#define R_MISSING INT32_MIN
int32_t r_integer(const r_value *value, size_t k);
double r_number(const r_value *value, size_t k); /* a missing one is NaN */
const r_value *r_item(const r_data *data, const r_value *value, size_t k);

/* The same for a text: not terminated, *length bytes of valid UTF-8; NULL if it is missing. */
const char *r_text(const r_data *data, const r_value *value, size_t k, size_t *length);

#endif
