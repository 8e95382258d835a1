/* result.h - the results of a verb: one table for text, JSON, CSV and the list of keys
 *
 * SPDX-License-Identifier: MIT
 *
 * A verb fills a plain struct and describes it once, in the table that its `const command` names.
 * Rows of values become the members of the JSON document, in their order, and the list of keys in
 * help and manual; rows of text become the readable result. What is not in the table cannot be
 * printed, so that no key of the document is missing from the manual.
 *
 * A text may name values in braces, "{n_patterns} of {n_visible unit}, rank {rank}":
 *     {key}          as it is: a number as %g, a flag as yes or no, nothing (null) as "-"
 *     {key:8.3f}     as printf would; -8 is at the left of 8 columns, and a precision cuts a text
 *     {key:%.2f}     a share in percent
 *     {key:8.2fx}    with what follows the letter, all in 8 columns
 *     {key:.2f?}     "-" for a number that is not finite
 *     {key:ok|bad}   a flag in words
 *     {key unit}     with the noun, "1 unit", "2 units"
 *     {object.key}   a member of an object
 *     {list}         how many items it has
 *     {#}            in a list: the place of the item, from 0
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "cli/output.h"

typedef enum result_kind {
    RESULT_LINE,      /* a row of text */
    RESULT_SIZE,      /* size_t; SIZE_MAX is null */
    RESULT_NUMBER,    /* double; what is not finite is null */
    RESULT_FLAG,      /* bool */
    RESULT_FLAG_AT,   /* const bool *; NULL is null */
    RESULT_TEXT,      /* const char *; NULL is null. What is not UTF-8 becomes U+FFFD in JSON. */
    RESULT_CHARS,     /* an array of char */
    RESULT_NAME,      /* an index into `names`, in an enum or a size_t */
    RESULT_OBJECT,    /* a struct */
    RESULT_OBJECT_AT, /* a pointer to one; NULL is null */
    RESULT_PART,      /* the same, whose members are those of the object it is in; NULL: none */
    RESULT_LIST,      /* result_list */
    RESULT_ROWS       /* result_rows */
} result_kind;

/* `count` items, each `bytes` behind the one before. All zero is null, and no empty list. */
typedef struct result_list {
    const void *items;
    size_t count, bytes;
} result_list;

/* A matrix of numbers: rows that are `bytes` apart. */
typedef struct result_rows {
    const void *items;
    size_t count, bytes, columns;
} result_rows;

/* A table ends with a row that is all zero. */
typedef struct result_entry {
    result_kind kind;

    const char *key;  /* of a value */
    const char *help; /* for the list of keys; of a part, a heading there. NULL in a table all rows
                         of which are explained by the object that they belong to. */
    size_t offset, bytes;
    const struct result_entry *of; /* the table of an object, a part, or the items of a list */
    const char *const *names;
    const char *when; /* a line, or a member, only if this value is there: neither null nor false,
                         empty or 0; "!key": if it is not; "key=text"; "a&b": if both hold */
    bool is_private;  /* only for texts: no key of the document */
    bool is_known;    /* an object whose keys are explained elsewhere */

    const char *label; /* of a line "label    value"; NULL for one without */
    const char *text;  /* as above */
    const char *each;  /* once for every item of this list, by the text or else by the table of the
                            items; or an object, by its table */
    const char *heading;                             /* above the items */
    void (*print)(output *out, const void *results); /* in place of a text */
} result_entry;

/* clang-format off */
/* The kind of a field, by its type; what is not in the list does not compile. */
#define RESULT_KIND(type, field)                                                                   \
    _Generic(&((type *)NULL)->field,                                                               \
             size_t *: RESULT_SIZE, double *: RESULT_NUMBER,                                       \
             bool *: RESULT_FLAG, const bool **: RESULT_FLAG_AT,                                   \
             const char **: RESULT_TEXT, char **: RESULT_TEXT,                                     \
             result_list *: RESULT_LIST, result_rows *: RESULT_ROWS)

#define RESULT_AS(type, field, name, what)                                                         \
    {.kind = RESULT_KIND(type, field), .key = name, .help = what, .offset = offsetof(type, field)}
#define RESULT_COUNT(type, field, name, what) /* a size_t or uint64_t */                          \
    {.kind = RESULT_SIZE, .key = name, .help = what, .offset = offsetof(type, field),              \
     .bytes = sizeof(((type *)NULL)->field)}
#define RESULT(type, field, what) RESULT_AS(type, field, #field, what)
#define RESULT_HIDDEN(type, field) RESULT_HIDDEN_AS(type, field, #field)
#define RESULT_HIDDEN_AS(type, field, name)                                                        \
    {.kind = RESULT_KIND(type, field), .key = name, .offset = offsetof(type, field),               \
     .is_private = true}
#define RESULT_CHAR_ARRAY(type, field, name, what)                                                 \
    {.kind = RESULT_CHARS, .key = name, .help = what, .offset = offsetof(type, field)}
#define RESULT_ENUM(type, field, name, list, what)                                                 \
    {.kind = RESULT_NAME, .key = name, .help = what, .offset = offsetof(type, field),              \
     .bytes = sizeof(((type *)NULL)->field), .names = list}
#define RESULT_LIST_OF(type, field, table, what)                                                   \
    {.kind = RESULT_KIND(type, field), .key = #field, .help = what,                                \
     .offset = offsetof(type, field), .of = table}
#define RESULT_LIST_IF(type, field, condition, table, what)                                        \
    {.kind = RESULT_KIND(type, field), .key = #field, .help = what, .when = condition,             \
     .offset = offsetof(type, field), .of = table}
#define RESULT_STRUCT(type, field, table, what)                                                    \
    {.kind = RESULT_OBJECT, .key = #field, .help = what, .offset = offsetof(type, field), .of = table}
#define RESULT_POINTER(type, field, table, what)                                                   \
    {.kind = RESULT_OBJECT_AT, .key = #field, .help = what, .offset = offsetof(type, field),       \
     .of = table}
#define RESULT_MEMBERS(type, field, table, what)                                                   \
    {.kind = RESULT_PART, .help = what, .offset = offsetof(type, field), .of = table}
/* clang-format on */

/* Items that are not structs. */
extern const result_entry result_sizes[], result_numbers[], result_texts[];

/* A number with its error. */
typedef struct result_estimate {
    double value, error;
} result_estimate;
extern const result_entry result_estimates[];

/* Prints the results of a verb, as JSON with --json, else as text. */
struct invocation;
void result_show(const struct invocation *call, const void *results);

void result_json(output *out, const result_entry *table, const void *results);
void result_text(output *out, const result_entry *table, const void *results);

/* Calls `each` for every key of the document, with its place, "data[].classes[].samples", and what it
   means; with a NULL key for the heading of a part. `before` is "", or what all keys begin with. */
typedef void result_key_printer(output *out, const char *key, const char *what);
void result_keys(const result_entry *table, const char *before, result_key_printer *each,
                 output *out);

/* A table of commas, with a row for every item. `columns` are keys with their formats,
   "epochs,exact.value:.10g"; the latter is called exact, exact.error is exact_error. */
exit_code result_csv(const char *path, const result_entry *table, result_list rows,
                     const char *columns);

/* The parts of it, for a table with more columns than that; lines are not ended. */
void result_csv_names(output *out, const char *columns);
void result_csv_cells(output *out, const result_entry *table, const void *item,
                      const char *columns);

#endif
