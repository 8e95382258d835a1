/* test_cli_result.c - the table of results: one source of text, JSON, CSV and the list of keys
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a name of failure.h */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

typedef enum color { RED, GREEN } color;
static const char *const color_names[] = {"red", "green", NULL};

typedef struct pair {
    double value, error;
} pair;

typedef struct row {
    const char *name;
    size_t count;
    pair score;
} row;

typedef struct part {
    size_t extra;
} part;

typedef struct everything {
    size_t size, none;
    double tenth, tiny, whole, nan;
    bool yes;
    const bool *unknown;
    const char *text, *nothing;
    char chars[8];
    color shade;
    pair score;
    const pair *missing, *present;
    result_list rows, numbers, no_list, empty;
    result_rows matrix;
    const part *part, *no_part;
    size_t secret;
} everything;

#define IS(field) RESULT(everything, field, "about " #field)

static const result_entry pair_table[] = {
    RESULT(pair, value, NULL), RESULT(pair, error, NULL), {.key = NULL}};

static const result_entry row_table[] = {
    RESULT(row, name, "about the name"),
    RESULT(row, count, "about the count"),
    RESULT_STRUCT(row, score, pair_table, "about both"),
    {.key = NULL},
};

static const result_entry part_table[] = {
    RESULT(part, extra, "about extra"),
    {.label = "extra", .text = "{extra unit}"},
    {.key = NULL},
};

static const result_entry table[] = {
    IS(size),
    IS(none),
    IS(tenth),
    IS(tiny),
    IS(whole),
    IS(nan),
    IS(yes),
    IS(unknown),
    IS(text),
    IS(nothing),
    RESULT_CHAR_ARRAY(everything, chars, "chars", "about chars"),
    RESULT_ENUM(everything, shade, "color", color_names, "about the color"),
    RESULT_STRUCT(everything, score, pair_table, "about score"),
    RESULT_POINTER(everything, missing, pair_table, "about missing"),
    RESULT_POINTER(everything, present, pair_table, "about present"),
    RESULT_LIST_OF(everything, rows, row_table, NULL),
    RESULT_LIST_OF(everything, numbers, result_numbers, "about numbers"),
    RESULT_LIST_OF(everything, no_list, result_sizes, "about no list"),
    RESULT_LIST_OF(everything, empty, result_texts, "about empty"),
    RESULT_LIST_OF(everything, matrix, result_sizes, "about the matrix"),
    RESULT_MEMBERS(everything, part, part_table, "with a part"),
    RESULT_MEMBERS(everything, no_part, part_table, NULL),
    RESULT_HIDDEN(everything, secret),
    {.label = "size", .text = "{size unit}, {secret class}, {whole:.1f} of {tenth:%.2f} %"},
    {.when = "none", .text = "never"},
    {.when = "!none",
     .label = "none",
     .text = "{none:3}|{nothing:-3}|{nan:.1f}|{nan:6.1f?}|{missing.value}"},
    {.when = "text", .label = "text", .text = "{text:8.2}|{chars:-6}|{color}|{yes}|{yes:on|off}"},
    {.when = "nan", .text = "never"},
    {.when = "color=red", .text = "never"},
    {.when = "color=green&!none&yes", .text = "green"},
    {.when = "color=green&none", .text = "never"},
    {.when = "!color=green", .text = "never"},
    {.when = "color=gree", .text = "never"},
    {.each = "rows", .heading = "\nrows", .text = "{#} {name:-5.4}{count:4} {score.value:6.2fx?}"},
    {.label = "", .text = "{rows row}, {empty class}, {numbers number}"},
    {.key = NULL},
};

static const row some_rows[] = {{"\u00e4\u00f6\u00fc,long", 1, {0.25, 0.5}},
                                {"a\nb\"", SIZE_MAX, {(double)NAN, (double)INFINITY}}};
static const double some_numbers[] = {0.1, -0.0, 1e300};
static const size_t counts[2][3] = {{1, 2, 3}, {4, 5, 6}};
static const pair one_pair = {1, 2};
static const part one_part = {1};

static everything filled(void) {
    return (everything){.size = 1,
                        .none = SIZE_MAX,
                        .tenth = 0.1,
                        .tiny = 1e-12,
                        .whole = 3,
                        .nan = (double)NAN,
                        .yes = true,
                        .text = "a\"\\\n\x01\xff\u20ac",
                        .chars = "chars",
                        .shade = GREEN,
                        .score = {0.5, (double)INFINITY},
                        .present = &one_pair,
                        .rows = {some_rows, 2, sizeof some_rows[0]},
                        .numbers = {some_numbers, 3, sizeof some_numbers[0]},
                        .empty = {NULL, 0, sizeof(char *)},
                        .matrix = {counts, 2, sizeof counts[0], 2},
                        .part = &one_part,
                        .secret = 2};
}

static void check_text(output *out, const char *expected) {
    output_bytes(out, "", 1);
    assert_false(out->is_out_of_memory);
    assert_string_equal(out->text, expected);
    output_free(out);
}

static void documents(void **state) {
    (void)state;
    const everything my = filled();
    output out = {0};
    result_json(&out, table, &my);
    check_text(
        &out,
        "{\n"
        "  \"size\": 1,\n"
        "  \"none\": null,\n"
        "  \"tenth\": 0.1,\n"
        "  \"tiny\": 1e-12,\n"
        "  \"whole\": 3.0,\n"
        "  \"nan\": null,\n"
        "  \"yes\": true,\n"
        "  \"unknown\": null,\n"
        "  \"text\": \"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\u20ac\",\n"
        "  \"nothing\": null,\n"
        "  \"chars\": \"chars\",\n"
        "  \"color\": \"green\",\n"
        "  \"score\": {\n    \"value\": 0.5,\n    \"error\": null\n  },\n"
        "  \"missing\": null,\n"
        "  \"present\": {\n    \"value\": 1.0,\n    \"error\": 2.0\n  },\n"
        "  \"rows\": [\n"
        "    {\n"
        "      \"name\": \"\u00e4\u00f6\u00fc,long\",\n"
        "      \"count\": 1,\n"
        "      \"score\": {\n        \"value\": 0.25,\n        \"error\": 0.5\n      }\n"
        "    },\n"
        "    {\n"
        "      \"name\": \"a\\nb\\\"\",\n"
        "      \"count\": null,\n"
        "      \"score\": {\n        \"value\": null,\n        \"error\": null\n      }\n"
        "    }\n"
        "  ],\n"
        "  \"numbers\": [\n    0.1,\n    -0.0,\n    1e300\n  ],\n"
        "  \"no_list\": null,\n"
        "  \"empty\": [],\n"
        "  \"matrix\": [\n    [\n      1,\n      2\n    ],\n    [\n      4,\n      5\n    ]\n  ],\n"
        "  \"extra\": 1\n"
        "}\n");
}

/* jansson reads the document, and writes it in the same way but for the digits of numbers. */
static void agrees_with_jansson(void **state) {
    (void)state;
    everything my = filled();
    output out = {0}, again = {0};
    my.tenth = 0.125;
    my.tiny = 0.0625;
    my.numbers.count = 0;
    result_json(&out, table, &my);
    json_t *read = json_loadb(out.text, out.length, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(read);
    output_json(&again, read);
    assert_int_equal(out.length, again.length);
    assert_memory_equal(out.text, again.text, out.length);
    output_free(&out);
    output_free(&again);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0.0"},
                 {0.1, "0.1"},
                 {1e-7, "1e-7"},
                 {1e20, "1e20"},
                 {1e15, "1000000000000000.0"},
                 {-2.5e-10, "-2.5e-10"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {(double)NAN, "null"},
                 {-(double)INFINITY, "null"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        output out = {0};
        output_json_number(&out, cases[k].value);
        check_text(&out, cases[k].text);
    }
}

static void texts(void **state) {
    (void)state;
    const everything my = filled();
    output out = {0};
    result_text(&out, table, &my);
    check_text(&out, "extra               1 unit\n"
                     "size                1 unit, 2 classes, 3.0 of 10.00 %\n"
                     "none                  -|-  |nan|     -|-\n"
                     "text                      a\"|chars |green|yes|on\n"
                     "green\n"
                     "\nrows\n"
                     "0 \u00e4\u00f6\u00fc,    1  0.25x\n"
                     "1 a?b\"    -      -\n"
                     "                    2 rows, 0 classes, 3 numbers\n");
}

static void note(output *out, const char *key, const char *what) {
    output_print(out, "%s: %s\n", key ? key : "*", what);
}

static void lists_of_keys(void **state) {
    (void)state;
    output out = {0};
    result_keys(table + 11, "", note, &out);
    check_text(&out, "color: about the color\n"
                     "score{value,error}: about score\n"
                     "missing{value,error}: about missing\n"
                     "present{value,error}: about present\n"
                     "rows[].name: about the name\n"
                     "rows[].count: about the count\n"
                     "rows[].score{value,error}: about both\n"
                     "numbers[]: about numbers\n"
                     "no_list[]: about no list\n"
                     "empty[]: about empty\n"
                     "matrix[][]: about the matrix\n"
                     "*: with a part\n"
                     "extra: about extra\n"
                     "extra: about extra\n");
}

static void tables_of_commas(void **state) {
    (void)state;
    const char *columns = "name,count,score.value:.10g,score.error:.3g?";
    output out = {0};
    result_csv_names(&out, columns);
    for (size_t k = 0; k < 2; k++) {
        output_print(&out, "\n");
        result_csv_cells(&out, row_table, &some_rows[k], columns);
    }
    check_text(&out, "name,count,score,score_error\n"
                     "\"\u00e4\u00f6\u00fc,long\",1,0.25,0.5\n"
                     "\"a\nb\"\"\",,nan,");
}

/* ---- the tables of all verbs --------------------------------------------------------------------- */

static void check_help(output *out, const char *key, const char *what) {
    (void)out;
    if (!*what)
        print_error("%s has no explanation\n", key);
    assert_true(*what != '\0');
    assert_true(what[strlen(what) - 1] != '.' || strstr(what, "..."));
}

static bool is_end(const result_entry *of) {
    return of->kind == RESULT_LINE && !of->text && !of->each && !of->print;
}

static const result_entry *entry_of(const result_entry *of, const char *path, size_t length) {
    const char *dot = memchr(path, '.', length);
    const size_t head = dot ? (size_t)(dot - path) : length;
    for (; !is_end(of); of++) {
        const result_entry *found = NULL;
        if (of->kind == RESULT_PART)
            found = entry_of(of->of, path, length);
        else if (of->key && strlen(of->key) == head && memcmp(of->key, path, head) == 0)
            found = dot ? entry_of(of->of, dot + 1, length - head - 1) : of;
        if (found)
            return found;
    }
    return NULL;
}

static const result_entry *check_key(const result_entry *of, const char *path, size_t length) {
    const result_entry *found = entry_of(of, path, length);
    if (!found)
        print_error("%.*s: no such key\n", (int)length, path);
    assert_non_null(found);
    return found;
}

static void check_keys(const result_entry *of, const char *text) {
    for (const char *next = strchr(text, '{'); next; next = strchr(next, '{')) {
        next++;
        if (*next != '#')
            check_key(of, next, strcspn(next, ": }"));
        assert_non_null(strchr(next, '}'));
    }
}

/* Every key in a text is in the table that the text belongs to. */
static void check_texts(const result_entry *all) {
    for (const result_entry *of = all; !is_end(of); of++) {
        const result_entry *items = all;
        if (of->of)
            check_texts(of->of);
        for (const char *key = of->when; key && *key;) {
            key += *key == '!';
            check_key(all, key, strcspn(key, "=&"));
            key += strcspn(key, "&");
            key += *key == '&';
        }
        if (of->each)
            items = check_key(all, of->each, strlen(of->each))->of;
        if (of->text)
            check_keys(items, of->text);
    }
}

static void verbs(void **state) {
    (void)state;
    for (size_t k = 0; commands[k]; k++) {
        output out = {0};
        assert_non_null(commands[k]->results);
        result_keys(commands[k]->results, "", check_help, &out);
        check_texts(commands[k]->results);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),     cmocka_unit_test(agrees_with_jansson),
        cmocka_unit_test(numbers),       cmocka_unit_test(texts),
        cmocka_unit_test(lists_of_keys), cmocka_unit_test(tables_of_commas),
        cmocka_unit_test(verbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
