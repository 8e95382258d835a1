/* test_json.c - flat JSON objects, written and read
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "helper_allocation.h"
#include "io/json.h"

static const isg_json_pair pairs[] = {
    {.key = "version", .kind = ISG_JSON_TEXT, .text = "0.1.0"},
    {.key = "seed", .kind = ISG_JSON_INTEGER, .integer = INT64_MAX},
    {.key = "low", .kind = ISG_JSON_INTEGER, .integer = INT64_MIN},
    {.key = "beta", .kind = ISG_JSON_NUMBER, .number = 0.1},
    {.key = "rate", .kind = ISG_JSON_NUMBER, .number = -1.25e-300},
    {.key = "whole", .kind = ISG_JSON_NUMBER, .number = 2.0},
    {.key = "command", .kind = ISG_JSON_TEXT, .text = "train \"a\\b\"\n\t\x7f \xc3\xa4.csv"},
};
enum { N_PAIRS = sizeof pairs / sizeof *pairs };

static void test_write(void **state) {
    (void)state;
    char *text = NULL;
    assert_int_equal(isg_json_write(&text, pairs, N_PAIRS), ISG_OK);
    assert_string_equal(text, "{\n"
                              "  \"version\": \"0.1.0\",\n"
                              "  \"seed\": 9223372036854775807,\n"
                              "  \"low\": -9223372036854775808,\n"
                              "  \"beta\": 0.1,\n"
                              "  \"rate\": -1.25e-300,\n"
                              "  \"whole\": 2,\n"
                              "  \"command\": \"train \\\"a\\\\b\\\"\\u000a\\u0009\\u007f "
                              "\xc3\xa4.csv\"\n"
                              "}\n");
    isg_release(text);
    assert_int_equal(isg_json_write(&text, NULL, 0), ISG_OK);
    assert_string_equal(text, "{}\n");
    isg_release(text);
    const isg_json_pair bad[] = {{.key = "beta", .kind = ISG_JSON_NUMBER, .number = (double)NAN}};
    char *none = NULL;
    assert_int_equal(isg_json_write(&none, bad, 1), ISG_ERR_ARGUMENT);
    assert_string_equal(isg_error_message(), "beta: expected a finite number");
    assert_null(none);
}

static void test_round_trip(void **state) {
    (void)state;
    char *text = NULL;
    isg_json *json = NULL;
    assert_int_equal(isg_json_write(&text, pairs, N_PAIRS), ISG_OK);
    assert_int_equal(isg_json_parse(&json, "m.npz(meta.json)", text, strlen(text)), ISG_OK);
    isg_release(text);
    for (size_t k = 0; k < N_PAIRS; k++) {
        const char *found = NULL;
        int64_t integer = 0;
        double number = 0.0;
        assert_true(isg_json_has(json, pairs[k].key));
        if (pairs[k].kind == ISG_JSON_TEXT) {
            assert_int_equal(isg_json_text(json, pairs[k].key, &found), ISG_OK);
            assert_string_equal(found, pairs[k].text);
        } else if (pairs[k].kind == ISG_JSON_INTEGER) {
            assert_int_equal(isg_json_integer(json, pairs[k].key, &integer), ISG_OK);
            assert_true(integer == pairs[k].integer);
        } else {
            assert_int_equal(isg_json_number(json, pairs[k].key, &number), ISG_OK);
            assert_true(number == pairs[k].number);
        }
    }
    isg_json_free(json);
}

/* Every way not to be UTF-8 gives replacement characters, and what jansson then accepts. */
static void test_bad_utf8(void **state) {
    (void)state;
#define BAD "\xef\xbf\xbd"
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"a\xff"
         "b",
         "a" BAD "b"},
        {"\x80", BAD},
        {"\xc3", BAD},                                 /* cut by the end */
        {"\xe2\x82", BAD BAD},                         /* the same */
        {"\xf0\x9f\x98", BAD BAD BAD},                 /* the same */
        {"\xc0\x80", BAD BAD},                         /* zero in two bytes */
        {"\xe0\x80\xaf", BAD BAD BAD},                 /* a slash in three */
        {"\xf0\x80\x80\xaf", BAD BAD BAD BAD},         /* a slash in four */
        {"\xed\xa0\x80", BAD BAD BAD},                 /* a surrogate */
        {"\xf4\x90\x80\x80", BAD BAD BAD BAD},         /* beyond the last code point */
        {"\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD}, /* five bytes */
        {"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xe0\xa0\x80\xf0\x90\x80\x80",
         "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xe0\xa0\x80\xf0\x90\x80\x80"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const isg_json_pair pair = {.key = "t", .kind = ISG_JSON_TEXT, .text = cases[k].text};
        char *text = NULL;
        isg_json *json = NULL;
        const char *found = NULL;
        assert_int_equal(isg_json_write(&text, &pair, 1), ISG_OK);
        assert_int_equal(isg_json_parse(&json, "t", text, strlen(text)), ISG_OK);
        assert_int_equal(isg_json_text(json, "t", &found), ISG_OK);
        assert_string_equal(found, cases[k].expected);
        isg_json_free(json);
        isg_release(text);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.json: line 1: not JSON: '[' or '{' expected near end of file"},
        {"[1]", "t.json: expected a JSON object, found something else"},
        {"{\n\"a\": 1,\n}", "t.json: line 3: not JSON: string or '}' expected near '}'"},
        {"{\"a\": 1, \"a\": 2}", "t.json: line 1: not JSON: duplicate object key near '\"a\"'"},
        {"{\"a\": 99999999999999999999}", "t.json: line 1: not JSON: too big integer near "
                                          "'99999999999999999999'"},
        {"{\"a\": 1} x", "t.json: line 1: not JSON: end of file expected near 'x'"},
    };
    isg_json *json = NULL;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(isg_json_parse(&json, "t.json", cases[k].text, strlen(cases[k].text)),
                         ISG_ERR_FORMAT);
        assert_string_equal(isg_error_message(), cases[k].message);
        assert_null(json);
    }
    /* brackets without end must not exhaust the stack */
    static char deep[200000];
    memset(deep, '[', sizeof deep);
    assert_int_equal(isg_json_parse(&json, "t.json", deep, sizeof deep), ISG_ERR_FORMAT);
}

static void test_wrong_kind(void **state) {
    (void)state;
    static const char text[] = "{\"a\": 1.5, \"b\": \"x\", \"c\": null}";
    isg_json *json = NULL;
    int64_t integer = 42;
    double number = 42.0;
    const char *found = NULL;
    assert_int_equal(isg_json_parse(&json, "t.json", text, sizeof text - 1), ISG_OK);
    assert_int_equal(isg_json_integer(json, "a", &integer), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(),
                        "t.json: expected a whole number for \"a\", found something else");
    assert_int_equal(isg_json_number(json, "b", &number), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(),
                        "t.json: expected a number for \"b\", found something else");
    assert_int_equal(isg_json_number(json, "d", &number), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(), "t.json: expected a number for \"d\", found nothing");
    assert_int_equal(isg_json_text(json, "d", &found), ISG_ERR_FORMAT);
    assert_string_equal(isg_error_message(), "t.json: expected a text for \"d\", found nothing");
    assert_int_equal(isg_json_text(json, "c", &found), ISG_ERR_FORMAT);
    assert_true(integer == 42 && number == 42.0 && !found);
    assert_true(isg_json_has(json, "c") && !isg_json_has(json, "d"));
    isg_json_free(json);
}

static isg_status write_and_parse(void *user) {
    (void)user;
    char *text = NULL;
    isg_json *json = NULL;
    ISG_TRY(isg_json_write(&text, pairs, N_PAIRS));
    const isg_status status = isg_json_parse(&json, "t", text, strlen(text));
    isg_release(text);
    if (status == ISG_OK)
        isg_json_free(json);
    return status;
}

/* Nothing but one kind of character, so that room runs out in the middle of them. */
static isg_status write_long(void *user) {
    char *text = NULL, value[65] = "";
    memset(value, *(const char *)user, 64);
    const isg_json_pair pair = {.key = "a", .kind = ISG_JSON_TEXT, .text = value};
    const isg_status status = isg_json_write(&text, &pair, 1);
    assert_true((text != NULL) == (status == ISG_OK));
    isg_release(text);
    return status;
}

static void test_allocation_failures(void **state) {
    (void)state;
    char kinds[] = "a\"\n\xff";
    assert_true(sweep_allocations(write_and_parse, NULL) > 4);
    for (size_t k = 0; k < 4; k++)
        assert_true(sweep_allocations(write_long, kinds + k) > 3);
}

/* jansson allocates by itself. */
static size_t jansson_calls, jansson_fails_at, jansson_blocks;
static bool jansson_fails_for_ever;

static void *jansson_allocate(size_t bytes) {
    jansson_calls++;
    if (jansson_calls == jansson_fails_at ||
        (jansson_fails_for_ever && jansson_calls > jansson_fails_at))
        return NULL;
    void *block = malloc(bytes);
    jansson_blocks += block != NULL;
    return block;
}

static void jansson_release(void *block) {
    jansson_blocks -= block != NULL;
    free(block);
}

static void check_content(const isg_json *json) {
    const char *text = NULL;
    double number = 0;
    assert_int_equal(isg_json_text(json, "b", &text), ISG_OK);
    assert_string_equal(text, "a longer text than fits in a few bytes");
    assert_int_equal(isg_json_number(json, "c", &number), ISG_OK);
    assert_true(number == 1.2345678901234567);
}

/* A text that is right is never called wrong, a wrong one never right, and nothing is left out. */
static void check_without_memory(const char *text, isg_status expected) {
    size_t n = 1;
    for (; jansson_calls + 1 >= n; n++) {
        isg_json *json = NULL;
        jansson_fails_at = n;
        jansson_calls = jansson_blocks = 0;
        const isg_status status = isg_json_parse(&json, "t", text, strlen(text));
        if (status != ISG_ERR_MEMORY)
            assert_int_equal(status, expected);
        else
            assert_string_equal(isg_error_message(), "t: out of memory");
        assert_true((json != NULL) == (status == ISG_OK));
        if (json)
            check_content(json);
        if (jansson_fails_for_ever && jansson_calls >= n)
            assert_int_equal(status, ISG_ERR_MEMORY);
        isg_json_free(json);
        assert_int_equal(jansson_blocks, 0);
    }
    assert_true(n > 8);
    jansson_calls = 0;
}

static void test_parser_without_memory(void **state) {
    (void)state;
    static const char right[] = "{\"a\": 1, \"b\": \"a longer text than fits in a few bytes\", "
                                "\"c\": 1.2345678901234567, \"d\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}";
    static const char wrong[] = "{\"a\": 1, \"b\": \"a longer text than fits in a few bytes\", x}";
    json_set_alloc_funcs(jansson_allocate, jansson_release);
    for (int k = 0; k < 2; k++) {
        jansson_fails_for_ever = k;
        check_without_memory(right, ISG_OK);
        check_without_memory(wrong, ISG_ERR_FORMAT);
    }
    json_set_alloc_funcs(malloc, free);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_utf8),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_wrong_kind),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_parser_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
