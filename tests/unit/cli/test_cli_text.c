/* test_cli_text.c - numbers, suggestions and text output of the command line
 *
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* a name of failure.h */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "number_list.h"
#include "output.h"
#include "parts.h"
#include "share_error.h"
#include "src/base/number.h"
#include "suggest.h"
#include "typed_number.h"

static void whole_numbers(void **state) {
    (void)state;
    uint64_t value = 7;
    assert_true(isg_parse_uint64("0", &value) && value == 0);
    assert_true(isg_parse_uint64("007", &value) && value == 7);
    assert_true(isg_parse_uint64("18446744073709551615", &value) && value == UINT64_MAX);
    value = 7;
    const char *refused[] = {"",
                             "-1",
                             "+1",
                             " 1",
                             "1 ",
                             "1.0",
                             "1e3",
                             "0x1",
                             "1\n",
                             "--1",
                             "18446744073709551616",
                             "99999999999999999999",
                             "184467440737095516150",
                             "a"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(isg_parse_uint64(refused[i], &value));
        assert_int_equal(value, 7);
    }
    size_t size = 0;
    assert_true(isg_parse_size("1024", &size) && size == 1024);
    assert_false(isg_parse_size("-1", &size));
}

static void real_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } accepted[] = {{"0", 0},           {"-0", -0.0}, {"1", 1},       {"+2.5", 2.5},
                    {"-2", -2},         {".5", 0.5},  {"5.", 5},      {"1e-4", 1e-4},
                    {"1E+4", 1e4},      {"0e999", 0}, {"0.01", 0.01}, {"1e308", 1e308},
                    {"5e-324", 5e-324}, {"0.1", 0.1}};
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        double value = 7;
        assert_true(number_double(accepted[i].text, &value));
        assert_memory_equal(&value, &accepted[i].value, sizeof value);
    }
    const char *refused[] = {"",      ".",     "-",        "e5",    "1e",     "1e+",
                             "1e3x",  "0x1p3", "nan",      "-nan",  "inf",    "INF",
                             "1,5",   " 1",    "1 ",       "1e309", "1e-400", "--1",
                             "1.2.3", "1_000", "infinity", "-1e999"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        double value = 7;
        assert_false(number_double(refused[i], &value));
        assert_true(value == 7);
    }
}

static void distances(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {{"", "", 0},
                 {"", "abc", 3},
                 {"abc", "", 3},
                 {"info", "info", 0},
                 {"inof", "info", 1},
                 {"ifno", "info", 1},
                 {"inf", "info", 1},
                 {"infoo", "info", 1},
                 {"ingo", "info", 1},
                 {"INFO", "info", 0},
                 {"ca", "abc", 3},
                 {"kitten", "sitting", 3},
                 {"abcdef", "badcfe", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(edit_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(edit_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    char longest[64], longer[65];
    memset(longest, 'a', sizeof longest);
    memset(longer, 'a', sizeof longer);
    longest[63] = longer[64] = '\0';
    assert_int_equal(edit_distance(longest, longest), 0);
    assert_int_equal(edit_distance(longest, ""), 63);
    assert_true(edit_distance(longer, longer) == SIZE_MAX);
}

static const char *nearest_of(const char *typed, const char *const *candidates) {
    static suggestion nearest;
    nearest = (suggestion){.typed = typed};
    for (; *candidates; candidates++)
        suggest(&nearest, *candidates, *candidates);
    return nearest.best;
}

static void suggestions(void **state) {
    (void)state;
    const char *verbs[] = {"data get", "data info", "patterns", "map", "train", "info", NULL};
    assert_string_equal(nearest_of("inof", verbs), "info");
    assert_string_equal(nearest_of("pattern", verbs), "patterns");
    assert_string_equal(nearest_of("pa", verbs), "patterns");
    assert_string_equal(nearest_of("mpa", verbs), "map");
    assert_string_equal(nearest_of("data-info", verbs), "data info");
    assert_string_equal(nearest_of("x", verbs), "");
    assert_string_equal(nearest_of("m", verbs), "");
    assert_string_equal(nearest_of("", verbs), "");
    assert_string_equal(nearest_of("mxx", verbs), "");
    const char *options[] = {"--seed", "--steps", "--threads", "--threshold", NULL};
    assert_string_equal(nearest_of("-seed", options), "--seed");
    assert_string_equal(nearest_of("--thredas", options), "--threads");
    assert_string_equal(nearest_of("--thres", options), "--threshold");
    assert_string_equal(nearest_of("--", options), "");
}

static void filling(void **state) {
    (void)state;
    output out = {0};
    output_fill(&out, 0, 2, "one two\nthree ");
    output_bytes(&out, "", 1);
    assert_string_equal(out.text, "  one two\n\n  three\n");
    output_free(&out);
    /* Two words of 38 and 39 letters and the indent fill the line exactly; one more does not. */
    char words[82];
    memset(words, 'x', sizeof words);
    words[38] = ' ';
    words[78] = '\0';
    output_fill(&out, 0, 1, words);
    assert_int_equal(out.length, 80);
    assert_null(memchr(out.text, '\n', 79));
    output_free(&out);
    words[78] = 'x';
    words[79] = '\0';
    output_fill(&out, 0, 1, words);
    assert_non_null(memchr(out.text, '\n', 79));
    output_free(&out);
}

static void cells(void **state) {
    static const struct {
        const char *name;
        int columns;
        const char *expected;
    } cases[] = {{"ab", 4, "ab  "},
                 {"ab", -4, "  ab"},
                 {"abcde", 3, "abc"},
                 {"abcde", -3, "abc"},
                 {"\u00e4\u00f6", 3, "\u00e4\u00f6 "},
                 {"\u00e4\u00f6\u00fc", -2, "\u00e4\u00f6"},
                 {"a\nb", 3, "a?b"},
                 {"", 2, "  "}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        output out = {0};
        output_cell(&out, cases[k].name, cases[k].columns);
        output_bytes(&out, "", 1);
        assert_string_equal(out.text, cases[k].expected);
        output_free(&out);
    }
}

static void json_values(void **state) {
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {{"", ""},
                 {"plain", "plain"},
                 {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
                 {"a\xff", "a\xef\xbf\xbd"},
                 {"\xc3", "\xef\xbf\xbd"},
                 {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xed\xa0\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
                 {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *string = json_text(cases[i].text);
        assert_non_null(string);
        assert_string_equal(json_string_value(string), cases[i].json);
        json_decref(string);
    }
    json_t *number = json_number(0.5);
    assert_true(json_is_real(number) && json_real_value(number) == 0.5);
    json_decref(number);
    assert_true(json_is_null(json_number(-HUGE_VAL)) && json_is_null(json_number((double)NAN)));
}

/* All values are in the range, and the ends are what was typed. */
static void lists(void **state) {
    (void)state;
    const number_range range = {.low = 0, .high = HUGE_VAL, .is_above_low = true};
    const char *read[] = {"0.1:0.3:4", "2.1:10:4", "1:1.0000000000000002:9", "1e300:1e308:2"};
    const double ends[][2] = {{0.1, 0.3}, {2.1, 10}, {1, 1.0000000000000002}, {1e300, 1e308}};
    double *values = NULL;
    size_t count = 0;
    bool is_read = false;
    for (size_t k = 0; k < sizeof read / sizeof read[0]; k++) {
        assert_int_equal(number_list_parse(&values, &count, read[k], range, &is_read), 0);
        assert_true(is_read && values[0] == ends[k][0] && values[count - 1] == ends[k][1]);
        for (size_t i = 1; i < count; i++)
            assert_true(values[i] >= values[i - 1] && values[i] <= ends[k][1]);
        memory_release(values);
    }
    /* Evenly spaced numbers between these cannot be computed without overflow. */
    assert_int_equal(number_list_parse(&values, &count, "0.095:1e308:105", range, &is_read), 0);
    assert_false(is_read);
}

static void sentences(void **state) {
    (void)state;
    /* Every status of the library has its exit code. */
    assert_int_equal(fail_status(ISG_OK), 0);
    assert_int_equal(fail_status(ISG_ERR_ARGUMENT), 2);
    assert_int_equal(fail_status(ISG_ERR_SHAPE), 3);
    assert_int_equal(fail_status(ISG_ERR_FORMAT), 3);
    assert_int_equal(fail_status(ISG_ERR_VERSION), 3);
    assert_int_equal(fail_status(ISG_ERR_UNSUPPORTED), 3);
    assert_int_equal(fail_status(ISG_ERR_IO), 4);
    assert_int_equal(fail_status(ISG_ERR_MEMORY), 5);
    assert_int_equal(fail_status(ISG_ERR_DIVERGED), 6);
    assert_int_equal(fail_status(ISG_ERR_CANCELLED), 130);
}

static void parts(void **state) {
    (void)state;
    char part[PART_BYTES], longest[PART_BYTES + 1];
    const char *rest = "a,,bc";
    assert_true(part_cut(&rest, ',', part));
    assert_string_equal(part, "a");
    assert_string_equal(rest, ",bc");
    assert_true(part_cut(&rest, ',', part));
    assert_string_equal(part, "");
    assert_true(part_cut(&rest, ',', part));
    assert_string_equal(part, "bc");
    assert_null(rest);
    rest = "1,"; /* nothing behind a separator is a part, too, for the caller to refuse */
    assert_true(part_cut(&rest, ',', part) && rest && part_cut(&rest, ',', part));
    assert_string_equal(part, "");
    assert_null(rest);
    memset(longest, '1', PART_BYTES);
    longest[PART_BYTES] = '\0';
    rest = longest;
    assert_false(part_cut(&rest, ',', part));
    longest[PART_BYTES - 1] = '\0';
    assert_true(part_cut(&rest, ',', part));
    assert_string_equal(part, longest);
}

static void share_errors(void **state) {
    (void)state;
    assert_true(fabs(share_error(0.25, 300) - 0.025) < 1e-15);
    assert_true(fabs(share_error(0, 100) - sqrt(0.005 * 0.995 / 100)) < 1e-15);
    assert_true(fabs(share_error(1, 100) - share_error(0, 100)) < 1e-15);
    assert_true(share_error(0, 1) == 0.5);
    assert_true(isnan(share_error(0.5, 0)) && isnan(share_error((double)NAN, 5)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers), cmocka_unit_test(real_numbers),
        cmocka_unit_test(distances),     cmocka_unit_test(suggestions),
        cmocka_unit_test(filling),       cmocka_unit_test(cells),
        cmocka_unit_test(json_values),   cmocka_unit_test(lists),
        cmocka_unit_test(sentences),     cmocka_unit_test(parts),
        cmocka_unit_test(share_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
