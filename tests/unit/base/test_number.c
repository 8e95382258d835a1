/* test_number.c - numbers to text and back, whatever the locale of the process
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

static double parsed(const char *text) {
    double value = (double)NAN;
    const isg_number_kind result = isg_parse_number(text, &value);
    if (result != ISG_NUMBER_OK)
        print_error("parsing \"%s\" gave %d\n", text, (int)result);
    assert_int_equal(result, ISG_NUMBER_OK);
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* splitmix64: any sequence without pattern does here. */
static uint64_t next_word(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void test_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0.0},
        {"1", 1.0},
        {"+7", 7.0},
        {"-12.5", -12.5},
        {"  3 \t", 3.0},
        {".5", 0.5},
        {"-.5", -0.5},
        {"5.", 5.0},
        {"5.e2", 500.0},
        {"007", 7.0},
        {"1e3", 1000.0},
        {"1E+3", 1000.0},
        {"25e-2", 0.25},
        {"0.1", 0.1},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"9007199254740992", 9007199254740992.0},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.00000000000000000000000001", 9007199254740994.0},
        {"18446744073709551616", 18446744073709551616.0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158079e308", DBL_MAX},
        {"2.2250738585072014e-308", DBL_MIN},
        {"4.9406564584124654e-324", DBL_TRUE_MIN},
        {"2e-324", 0.0},
        {"1e-999999999999999999999999", 0.0},
        {"0e999999999999999999999999", 0.0},
        {"000000000000000000000000000000000000000000000000001", 1.0},
        {"0.00000000000000000000000000000000000000000000000001", 1e-50},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (bits_of(parsed(cases[k].text)) != bits_of(cases[k].value))
            fail_msg("\"%s\" gave %a, expected %a", cases[k].text, parsed(cases[k].text),
                     cases[k].value);
    assert_true(signbit(parsed("-0")));
    assert_true(signbit(parsed("-0.000e5")));
}

static void test_refused(void **state) {
    (void)state;
    static const char *const malformed[] = {
        "",      " ",    "+",    "-",    ".",       "-.",       "e5",    "1e",  "1e+",
        "1.5e-", "0x10", "1_0",  "1,5",  "NA",      "1 2",      "1.2.3", "--1", "+-1",
        "1e5.5", "1f",   "0b1",  "1d5",  "a",       "1e5e",     "\n1",   "1\n", "null",
        "i",     "in",   "infi", "nano", "inf inf", "\xd9\xa1", "1'000", "%1",  "nan(1)"};
    static const char *const not_finite[] = {"nan",
                                             "NaN",
                                             "-nan",
                                             "inf",
                                             "-Inf",
                                             "+INFINITY",
                                             " nan ",
                                             "1e309",
                                             "-1e999",
                                             "1.8e308",
                                             "1.7976931348623159e308",
                                             "1e99999999999999999999999999"};
    double value = 42.0;
    for (size_t k = 0; k < sizeof malformed / sizeof *malformed; k++)
        if (isg_parse_number(malformed[k], &value) != ISG_NUMBER_MALFORMED)
            fail_msg("\"%s\" is not refused as malformed", malformed[k]);
    for (size_t k = 0; k < sizeof not_finite / sizeof *not_finite; k++)
        if (isg_parse_number(not_finite[k], &value) != ISG_NUMBER_NOT_FINITE)
            fail_msg("\"%s\" is not refused as not finite", not_finite[k]);
    assert_true(value == 42.0);
}

/* Zeros without end move the point, digits without end do not fit anywhere. */
static void test_long_texts(void **state) {
    (void)state;
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 16);
    assert_non_null(text);
    memset(text, '0', LENGTH);
    text[1] = '.';
    strcpy(text + LENGTH, "1e100000");
    assert_true(parsed(text) == 10.0);
    text[0] = '1';
    memset(text + 1, '0', LENGTH);
    strcpy(text + LENGTH, "e-99999");
    assert_true(parsed(text) == 1.0);
    memset(text, '9', LENGTH);
    text[0] = '0', text[1] = '.', text[LENGTH] = '\0';
    assert_true(parsed(text) == 1.0);
    free(text);
}

/* Exactly half way between two doubles the even one wins, and one more digit, however far to the
   right, decides otherwise. The exact text of the middle comes from the wider long double. */
static void test_ties(void **state) {
    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        skip();
    uint64_t words = 1;
    for (int k = 0; k < 3000; k++) {
        /* a third of them subnormal or close to it, where the texts are longest */
        uint64_t bits = next_word(&words) & UINT64_C(0x7fffffffffffffff);
        if (k % 3 == 0)
            bits >>= 9 + k % 5;
        if (bits >= UINT64_C(0x7fe0000000000000))
            continue;
        const double low = of_bits(bits), high = of_bits(bits + 1);
        char text[1400], exponent[16];
        snprintf(text, sizeof text, "%.1000Le", ((long double)low + (long double)high) / 2.0L);
        text[1] = '.'; /* whatever the locale */
        char *e = strchr(text, 'e');
        strcpy(exponent, e);
        assert_true(bits_of(parsed(text)) == (bits % 2 == 0 ? bits : bits + 1));
        sprintf(e, "%0200d1%s", 0, exponent);
        assert_true(bits_of(parsed(text)) == bits + 1);
    }
}

static void test_round_trip(void **state) {
    (void)state;
    uint64_t words = 2;
    char text[64];
    for (int k = 0; k < 50000; k++) {
        const double value = of_bits(next_word(&words) >> (k % 4 == 0 ? 11 : 0));
        if (!isfinite(value))
            continue;
        isg_format_number(text, sizeof text, value);
        assert_true(strlen(text) < ISG_NUMBER_ROOM);
        assert_true(bits_of(parsed(text)) == bits_of(value));
        snprintf(text, sizeof text, "%.*e", (int)(next_word(&words) % 25), value);
        const double expected = strtod(text, NULL);
        if (isfinite(expected))
            assert_true(bits_of(parsed(text)) == bits_of(expected));
        /* the short way: few digits, small exponents */
        snprintf(text, sizeof text, "%llu.%03de%d",
                 (unsigned long long)(next_word(&words) % 100000), k % 1000,
                 (int)(next_word(&words) % 60) - 30);
        assert_true(bits_of(parsed(text)) == bits_of(strtod(text, NULL)));
    }
}

static void test_format(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-3.0, "-3"},
        {0.1, "0.1"},
        {0.25, "0.25"},
        {120.0, "120"},
        {123.456, "123.456"},
        {0.0001, "0.0001"},
        {0.00012345678901234567, "0.00012345678901234567"},
        {0.00001, "1e-05"},
        {1.5e-7, "1.5e-07"},
        {1e15, "1000000000000000"},
        {9007199254740993.0, "9007199254740992"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1.0 / 3.0, "0.3333333333333333"},
        {2.0 / 3.0, "0.6666666666666666"},
        {0.1 + 0.2, "0.30000000000000004"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {DBL_TRUE_MIN, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
        {-(double)NAN, "nan"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[ISG_NUMBER_ROOM];
        isg_format_number(text, sizeof text, cases[k].value);
        assert_string_equal(text, cases[k].text);
    }
}

static void test_sizes(void **state) {
    (void)state;
    size_t value = 42;
    static const char *const refused[] = {"",    "-1",  "+1",  " 1",  "1 ",
                                          "1.0", "1e3", "0x1", "1,0", "a"};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (isg_parse_size(refused[k], &value))
            fail_msg("\"%s\" is not refused", refused[k]);
    char text[64];
    snprintf(text, sizeof text, "%zu0", SIZE_MAX);
    assert_false(isg_parse_size(text, &value));
    snprintf(text, sizeof text, "%zu", SIZE_MAX);
    text[strlen(text) - 1]++; /* ends in 5: one more than the largest */
    assert_false(isg_parse_size(text, &value));
    assert_int_equal(value, 42);
    text[strlen(text) - 1]--;
    assert_true(isg_parse_size(text, &value) && value == SIZE_MAX);
    assert_true(isg_parse_size("0", &value) && value == 0);
    assert_true(isg_parse_size("000784", &value) && value == 784);
}

/* A locale whose decimal point is a comma, made on the spot, since few machines have one. */
static void test_comma_locale(void **state) {
    (void)state;
    char directory[] = "/tmp/isg-locale-XXXXXX", command[256];
    assert_non_null(mkdtemp(directory));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             directory);
    const int made = system(command);
    (void)made; /* setlocale() tells */
    setenv("LOCPATH", directory, 1);
    const bool has_locale = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    if (!has_locale)
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    test_accepted(state);
    test_refused(state);
    test_format(state);
    test_ties(state);
    assert_true(parsed("3.14159265358979311600") == 3.14159265358979311600);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_texts), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_format),
        cmocka_unit_test(test_sizes),      slow_unit_test(test_comma_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
