/* result.c - the results of a verb: one table for text, JSON, CSV and the list of keys
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/result.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define SCALAR(is, type)                                                                           \
    {                                                                                              \
        {.kind = is, .key = "", .bytes = sizeof(type)}, {                                          \
            .key = NULL                                                                            \
        }                                                                                          \
    }
const result_entry result_sizes[] = SCALAR(RESULT_SIZE, size_t);
const result_entry result_numbers[] = SCALAR(RESULT_NUMBER, double);
const result_entry result_texts[] = SCALAR(RESULT_TEXT, char *);

const result_entry result_estimates[] = {
    RESULT(result_estimate, value, NULL), RESULT(result_estimate, error, NULL), {.key = NULL}};

static bool is_end(const result_entry *entry) {
    return entry->kind == RESULT_LINE && !entry->text && !entry->each && !entry->print;
}

/* ---- values -------------------------------------------------------------------------------- */

/* A value of a struct, or of none: `at` is NULL then. */
typedef struct value {
    const result_entry *entry;
    const void *at;
} value;

static const void *pointer_at(const void *at) {
    const void *pointer = NULL;
    if (at)
        memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static value value_of(const result_entry *entry, const void *results) {
    return (value){entry, results ? (const char *)results + entry->offset : NULL};
}

/* What a value that has members is made of; NULL if it is null. */
static const void *object_of(value of) {
    return of.entry->kind == RESULT_OBJECT ? of.at : pointer_at(of.at);
}

static size_t size_of(value of) {
    size_t size = SIZE_MAX;
    unsigned number = 0; /* an enum */
    uint64_t count = 0;
    if (of.at && of.entry->bytes == sizeof number) {
        memcpy(&number, of.at, sizeof number);
        size = number;
    } else if (of.at && of.entry->bytes == sizeof count) {
        memcpy(&count, of.at, sizeof count);
        size = (size_t)count;
    } else if (of.at) {
        memcpy(&size, of.at, sizeof size);
    }
    return size;
}

static double number_of(value of) {
    double number = (double)NAN;
    if (of.at)
        memcpy(&number, of.at, sizeof number);
    return number;
}

static const char *text_of(value of) {
    if (!of.at || of.entry->kind == RESULT_CHARS)
        return of.at;
    return of.entry->kind == RESULT_NAME ? of.entry->names[size_of(of)] : pointer_at(of.at);
}

/* NULL for null. */
static const bool *flag_of(value of) {
    return of.entry->kind == RESULT_FLAG ? of.at : pointer_at(of.at);
}

static result_list list_of(value of) {
    result_list list = {NULL, 0, 0};
    if (of.at)
        memcpy(&list, of.at, sizeof list); /* with which result_rows begins, too */
    return list;
}

static const void *item_of(const result_list *list, size_t k) {
    return (const char *)list->items + k * list->bytes;
}

/* The value called by the first `length` characters of `path`. */
static bool find(value *out, const result_entry *table, const void *results, const char *path,
                 size_t length) {
    const char *dot = memchr(path, '.', length);
    const size_t head = dot ? (size_t)(dot - path) : length;
    for (; !is_end(table); table++) {
        const value found = value_of(table, results);
        if (table->kind == RESULT_PART) {
            if (find(out, table->of, object_of(found), path, length))
                return true;
        } else if (table->key && strlen(table->key) == head &&
                   memcmp(table->key, path, head) == 0) {
            *out = found;
            return !dot || find(out, table->of, object_of(found), dot + 1, length - head - 1);
        }
    }
    return false;
}

static value look_up(const result_entry *table, const void *results, const char *path,
                     size_t length) {
    value found = {NULL, NULL};
    const bool is_found = find(&found, table, results, path, length);
    assert(is_found); /* a text names a key that is not in the table */
    (void)is_found;
    return found;
}

static bool is_list(const result_entry *entry) {
    return entry->kind == RESULT_LIST || entry->kind == RESULT_ROWS;
}

static bool is_text(const result_entry *entry) {
    return entry->kind == RESULT_TEXT || entry->kind == RESULT_CHARS || entry->kind == RESULT_NAME;
}

static bool is_flag(const result_entry *entry) {
    return entry->kind == RESULT_FLAG || entry->kind == RESULT_FLAG_AT;
}

/* Whether it has a value that JSON can write. */
static bool has_value(value of) {
    return of.entry->kind == RESULT_SIZE     ? size_of(of) != SIZE_MAX
           : of.entry->kind == RESULT_NUMBER ? isfinite(number_of(of))
           : is_flag(of.entry)               ? flag_of(of) != NULL
           : is_text(of.entry)               ? text_of(of) != NULL
           : is_list(of.entry)               ? list_of(of).bytes > 0
                                             : object_of(of) != NULL;
}

/* For a condition. */
static bool is_there(value of) {
    return has_value(of) && !(of.entry->kind == RESULT_SIZE && size_of(of) == 0) &&
           !(is_flag(of.entry) && !*flag_of(of)) && !(is_text(of.entry) && !*text_of(of)) &&
           !(is_list(of.entry) && list_of(of).count == 0);
}

/* "key", "!key", "key=text" or several of them, "a&b" */
static bool is_met(const char *condition, const result_entry *table, const void *results) {
    for (bool is_last = false; !is_last;) {
        const bool is_wanted = *condition != '!';
        const char *key = condition + !is_wanted;
        const size_t length = strcspn(key, "=&");
        const value of = look_up(table, results, key, length);
        const char *word = key[length] == '=' ? key + length + 1 : NULL, *text = NULL;
        const size_t n = strcspn(word ? word : key, "&");
        if (word)
            text = text_of(of);
        const bool is_so =
            word ? text && strlen(text) == n && memcmp(text, word, n) == 0 : is_there(of);
        if (is_so != is_wanted)
            return false;
        condition = (word ? word : key) + n;
        is_last = *condition++ == '\0';
    }
    return true;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_value(output *out, value of, size_t depth);

/* Returns whether anything was written, or had been. */
static bool write_members(output *out, const result_entry *table, const void *results, size_t depth,
                          bool has_members) {
    for (const result_entry *whole = table; !is_end(table); table++) {
        const value of = value_of(table, results);
        if (table->kind == RESULT_PART) {
            if (object_of(of))
                has_members = write_members(out, table->of, object_of(of), depth, has_members);
        } else if (table->kind != RESULT_LINE && !table->is_private &&
                   (!table->when || is_met(table->when, whole, results))) {
            output_json_line(out, has_members ? "," : "", depth);
            output_json_text(out, table->key);
            output_print(out, ": ");
            write_value(out, of, depth);
            has_members = true;
        }
    }
    return has_members;
}

static void write_object(output *out, const result_entry *table, const void *results,
                         size_t depth) {
    output_print(out, "{");
    if (write_members(out, table, results, depth + 1, false))
        output_json_line(out, "", depth);
    output_print(out, "}");
}

static bool is_scalar(const result_entry *table) {
    return table->key && !*table->key;
}

/* `columns`: 0, or each item is a row of so many scalars. */
static void write_list(output *out, const result_entry *table, result_list list, size_t columns,
                       size_t depth) {
    output_print(out, "[");
    for (size_t k = 0; k < list.count; k++) {
        const void *item = item_of(&list, k);
        output_json_line(out, k > 0 ? "," : "", depth + 1);
        if (columns > 0)
            write_list(out, table, (result_list){item, columns, table->bytes}, 0, depth + 1);
        else if (is_scalar(table))
            write_value(out, value_of(table, item), depth + 1);
        else
            write_object(out, table, item, depth + 1);
    }
    if (list.count > 0)
        output_json_line(out, "", depth);
    output_print(out, "]");
}

static void write_value(output *out, value of, size_t depth) {
    const result_entry *entry = of.entry;
    if (!has_value(of)) {
        output_print(out, "null");
    } else if (entry->kind == RESULT_SIZE) {
        output_print(out, "%zu", size_of(of));
    } else if (entry->kind == RESULT_NUMBER) {
        output_json_number(out, number_of(of));
    } else if (is_flag(entry)) {
        output_print(out, *flag_of(of) ? "true" : "false");
    } else if (is_text(entry)) {
        output_json_text(out, text_of(of));
    } else if (is_list(entry)) {
        result_rows rows = {.columns = 0};
        memcpy(&rows, of.at, entry->kind == RESULT_ROWS ? sizeof rows : sizeof(result_list));
        write_list(out, entry->of, list_of(of), rows.columns, depth);
    } else {
        write_object(out, entry->of, object_of(of), depth);
    }
}

void result_json(output *out, const result_entry *table, const void *results) {
    write_object(out, table, results, 0);
    output_print(out, "\n");
}

/* ---- texts --------------------------------------------------------------------------------- */

enum { NUMBER_BYTES = 400 }; /* the largest double with decimals */

/* How a value is written. */
typedef struct format {
    bool is_percent, is_left, has_dash;
    size_t width, precision;  /* SIZE_MAX: none */
    char letter;              /* f, e or g */
    const char *words, *noun; /* not terminated, up to `end` */
    const char *end;
    const char *suffix; /* of a number */
    size_t n_suffix;
} format;

/* Reads what follows a key, up to `end`. */
static format parse_format(const char *next, const char *end) {
    format how = {.precision = SIZE_MAX, .letter = 'g', .suffix = "", .end = end};
    if (next < end && *next == ' ')
        how.noun = next + 1;
    if (next == end || *next++ != ':')
        return how;
    if (memchr(next, '|', (size_t)(end - next))) {
        how.words = next;
        return how;
    }
    char *rest = NULL;
    if (*next == '%' && next++)
        how.is_percent = true;
    if (*next == '-' && next++)
        how.is_left = true;
    how.width = strtoul(next, &rest, 10);
    if (*rest == '.')
        how.precision = strtoul(rest + 1, &rest, 10);
    if (rest < end && *rest != '?')
        how.letter = *rest++;
    how.has_dash = end[-1] == '?';
    how.suffix = rest;
    how.n_suffix = (size_t)(end - rest) - how.has_dash;
    return how;
}

static void format_number(char text[NUMBER_BYTES], double number, const format *how) {
    const int precision = how->precision == SIZE_MAX ? 6 : (int)how->precision;
    const double shown = how->is_percent ? 100 * number : number;
    const int length = how->letter == 'f' ? snprintf(text, NUMBER_BYTES, "%.*f", precision, shown)
                       : how->letter == 'e'
                           ? snprintf(text, NUMBER_BYTES, "%.*e", precision, shown)
                           : snprintf(text, NUMBER_BYTES, "%.*g", precision, shown);
    snprintf(text + length, NUMBER_BYTES - (size_t)length, "%.*s", (int)how->n_suffix, how->suffix);
}

/* "yes|no" */
static void format_flag(char text[NUMBER_BYTES], bool flag, const format *how) {
    const char *words = how->words ? how->words : "yes|no";
    const char *end = how->words ? how->end : words + strlen(words);
    const char *bar = memchr(words, '|', (size_t)(end - words));
    const char *from = flag ? words : bar + 1;
    snprintf(text, NUMBER_BYTES, "%.*s", (int)((flag ? bar : end) - from), from);
}

/* The text of a value, of a list its length; `room` may hold it. `none` stands for null. */
static const char *text_as(char room[NUMBER_BYTES], value of, const format *how, const char *none) {
    const result_entry *entry = of.entry;
    if (entry->kind == RESULT_NUMBER && of.at && (!how->has_dash || has_value(of)))
        format_number(room, number_of(of), how);
    else if (!has_value(of))
        return none;
    else if (is_flag(entry))
        format_flag(room, *flag_of(of), how);
    else if (is_text(entry))
        return text_of(of);
    else
        snprintf(room, NUMBER_BYTES, "%zu", is_list(entry) ? list_of(of).count : size_of(of));
    return room;
}

/* One thing in braces, from behind the first up to the second. */
static void print_value(output *out, const result_entry *table, const void *results, size_t place,
                        const char *next, const char *end) {
    static const result_entry place_entry = {.kind = RESULT_SIZE};
    char room[NUMBER_BYTES];
    const size_t length = strcspn(next, ": }");
    const value of =
        *next == '#' ? (value){&place_entry, &place} : look_up(table, results, next, length);
    const format how = parse_format(next + length, end);
    const char *text = text_as(room, of, &how, "-");
    const bool is_cut = of.entry->kind != RESULT_NUMBER;
    output_columns(out, text, how.width, how.is_left, is_cut ? how.precision : SIZE_MAX);
    if (how.noun) {
        const size_t count = is_list(of.entry) ? list_of(of).count : size_of(of);
        output_print(out, " %.*s%s%s", (int)(end - how.noun), how.noun,
                     end[-1] == 's' && count != 1 ? "e" : "", plural(count));
    }
}

static void print_text(output *out, const result_entry *table, const void *results, size_t place,
                       const char *text) {
    for (size_t plain; *text; text += plain) {
        plain = strcspn(text, "{");
        output_bytes(out, text, plain);
        if (text[plain] == '{') {
            const char *end = strchr(text + plain, '}');
            print_value(out, table, results, place, text + plain + 1, end);
            plain = (size_t)(end + 1 - text);
        }
    }
}

static void print_items(output *out, const result_entry *line, value of) {
    if (of.entry->kind == RESULT_OBJECT || of.entry->kind == RESULT_OBJECT_AT) {
        if (object_of(of))
            result_text(out, of.entry->of, object_of(of));
        return;
    }
    const result_list list = list_of(of);
    if (line->heading && list.count > 0)
        output_print(out, "%s\n", line->heading);
    for (size_t k = 0; k < list.count; k++)
        if (line->text) {
            print_text(out, of.entry->of, item_of(&list, k), k, line->text);
            output_print(out, "\n");
        } else {
            result_text(out, of.entry->of, item_of(&list, k));
        }
}

static void print_line(output *out, const result_entry *line, const result_entry *table,
                       const void *results) {
    if (line->when && !is_met(line->when, table, results))
        return;
    if (line->print) {
        line->print(out, results);
    } else if (line->each) {
        print_items(out, line, look_up(table, results, line->each, strlen(line->each)));
    } else {
        if (line->label)
            output_label(out, line->label);
        print_text(out, table, results, 0, line->text);
        output_print(out, "\n");
    }
}

void result_text(output *out, const result_entry *table, const void *results) {
    for (const result_entry *entry = table; !is_end(entry); entry++) {
        const void *part = entry->kind == RESULT_PART ? object_of(value_of(entry, results)) : NULL;
        if (entry->kind == RESULT_LINE)
            print_line(out, entry, table, results);
        else if (part)
            result_text(out, entry->of, part);
    }
}

void result_show(const invocation *call, const void *results) {
    if (call->common.json)
        result_json(call->out, call->verb->results, results);
    else
        result_text(call->out, call->verb->results, results);
}

/* ---- the list of keys ---------------------------------------------------------------------- */

enum { PATH_BYTES = 400 };

/* "{value,error}": all keys of a table, for a row that explains them together. */
static void add_group(char path[PATH_BYTES], const result_entry *table) {
    const char *before = "{";
    for (; !is_end(table); table++)
        if (table->key && !table->is_private) {
            const size_t length = strlen(path);
            snprintf(path + length, PATH_BYTES - length, "%s%s", before, table->key);
            before = ",";
            if (table->of && !is_scalar(table->of))
                add_group(path, table->of);
        }
    const size_t length = strlen(path);
    snprintf(path + length, PATH_BYTES - length, "}");
}

static bool has_help(const result_entry *table) {
    for (; !is_end(table); table++)
        if (table->key && table->help)
            return true;
    return false;
}

void result_keys(const result_entry *table, const char *before, result_key_printer *each,
                 output *out) {
    for (; !is_end(table); table++) {
        char path[PATH_BYTES];
        if (table->kind == RESULT_PART) {
            if (table->help)
                each(out, NULL, table->help);
            result_keys(table->of, before, each, out);
        }
        if (!table->key || table->is_private)
            continue;
        snprintf(path, sizeof path, "%s%s%s", before, table->key,
                 table->kind == RESULT_LIST   ? "[]"
                 : table->kind == RESULT_ROWS ? "[][]"
                                              : "");
        const bool has_keys = table->of && !is_scalar(table->of);
        const bool is_listed = has_keys && has_help(table->of) && !table->is_known;
        if (has_keys && table->is_known)
            snprintf(path + strlen(path), sizeof path - strlen(path), "{}");
        else if (has_keys && !is_listed)
            add_group(path, table->of);
        if (table->help || !is_listed)
            each(out, path, table->help ? table->help : "");
        if (is_listed) {
            const size_t length = strlen(path);
            snprintf(path + length, sizeof path - length, ".");
            result_keys(table->of, path, each, out);
        }
    }
}

/* ---- CSV ----------------------------------------------------------------------------------- */

void result_csv_names(output *out, const char *columns) {
    for (const char *next = columns; *next;) {
        const size_t length = strcspn(next, ":,");
        const char *dot = memchr(next, '.', length);
        const size_t head = dot ? (size_t)(dot - next) : length;
        output_print(out, "%s%.*s", next == columns ? "" : ",", (int)head, next);
        if (dot && strncmp(dot, ".value", length - head) != 0)
            output_print(out, "_%.*s", (int)(length - head - 1), dot + 1);
        next += length;
        next += strcspn(next, ",");
        next += *next == ',';
    }
}

void result_csv_cells(output *out, const result_entry *table, const void *item,
                      const char *columns) {
    for (const char *next = columns; *next;) {
        char room[NUMBER_BYTES];
        const size_t length = strcspn(next, ":,");
        const char *end = next + length + strcspn(next + length, ",");
        const format how = parse_format(next + length, end);
        output_print(out, next == columns ? "" : ",");
        output_csv(out, text_as(room, look_up(table, item, next, length), &how, ""));
        next = end + (*end == ',');
    }
}

exit_code result_csv(const char *path, const result_entry *table, result_list rows,
                     const char *columns) {
    output text = {0};
    result_csv_names(&text, columns);
    output_print(&text, "\n");
    for (size_t k = 0; k < rows.count; k++) {
        result_csv_cells(&text, table, item_of(&rows, k), columns);
        output_print(&text, "\n");
    }
    const exit_code code = output_save(&text, path);
    output_free(&text);
    return code;
}
