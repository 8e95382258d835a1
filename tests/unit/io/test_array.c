/* test_array.c - decoding of every type in both byte orders
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "io/array.h"
#include "numpy_helper.h"

/* The little-endian bytes of a number and what they mean. */
static const struct {
    isg_dtype dtype;
    uint8_t bytes[8];
    double value;
    int64_t whole;
} numbers[] = {
    {ISG_BOOL, {0}, 0, 0},
    {ISG_BOOL, {1}, 1, 1},
    {ISG_INT8, {0x80}, -128, -128},
    {ISG_INT8, {0x7f}, 127, 127},
    {ISG_UINT8, {0xff}, 255, 255},
    {ISG_INT16, {0x00, 0x80}, -32768, -32768},
    {ISG_INT16, {0x02, 0x01}, 258, 258},
    {ISG_UINT16, {0xfe, 0xff}, 65534, 65534},
    {ISG_INT32, {0xff, 0xff, 0xff, 0xff}, -1, -1},
    {ISG_INT32, {0x04, 0x03, 0x02, 0x01}, 0x01020304, 0x01020304},
    {ISG_UINT32, {0xff, 0xff, 0xff, 0xff}, 4294967295.0, 4294967295},
    {ISG_INT64, {0, 0, 0, 0, 0, 0, 0, 0x80}, -0x1p63, INT64_MIN},
    {ISG_INT64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0x1p63, INT64_MAX},
    {ISG_INT64, {1, 0, 0, 0, 0, 0, 0x20, 0}, 0x1p53, 9007199254740993},
    {ISG_UINT64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0x1p63, INT64_MAX},
    {ISG_FLOAT16, {0x00, 0x3e}, 1.5, 0},
    {ISG_FLOAT16, {0xff, 0xfb}, -65504, 0},
    {ISG_FLOAT16, {0x00, 0x04}, 0x1p-14, 0},
    {ISG_FLOAT16, {0x01, 0x80}, -0x1p-24, 0},
    {ISG_FLOAT16, {0xff, 0x03}, 1023 * 0x1p-24, 0},
    {ISG_FLOAT16, {0x00, 0x7c}, HUGE_VAL, 0},
    {ISG_FLOAT32, {0x00, 0x00, 0xc0, 0x3f}, 1.5, 0},
    {ISG_FLOAT32, {0x01, 0x00, 0x00, 0x80}, -0x1p-149, 0},
    {ISG_FLOAT64, {0x18, 0x2d, 0x44, 0x54, 0xfb, 0x21, 0x09, 0xc0}, -3.141592653589793, 0},
    {ISG_FLOAT64, {0, 0, 0, 0, 0, 0, 0xf0, 0x7f}, HUGE_VAL, 0},
};

static void test_numbers(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        isg_array_type type = isg_array_type_of(numbers[k].dtype, 0, NULL);
        /* Two items, so that a wrong distance between them shows. */
        for (int is_big = 0; is_big < 2; is_big++) {
            uint8_t raw[16] = {0};
            const size_t bytes = type.item_bytes;
            type.is_big_endian = is_big;
            for (size_t i = 0; i < bytes; i++)
                raw[bytes + (is_big ? bytes - 1 - i : i)] = numbers[k].bytes[i];
            double values[2] = {-1, -1};
            isg_array_decode(&type, raw, 2, values);
            assert_true(values[0] == 0 && values[1] == numbers[k].value);
            if (!isg_dtype_is_whole(numbers[k].dtype))
                continue;
            int64_t wholes[2] = {-1, -1};
            assert_true(isg_array_decode_whole(&type, raw, 2, wholes));
            assert_true(wholes[0] == 0 && wholes[1] == numbers[k].whole);
        }
    }
}

static void test_not_a_number(void **state) {
    (void)state;
    const isg_array_type type = {.dtype = ISG_FLOAT32, .item_bytes = 4, .is_big_endian = true};
    double value = 0;
    isg_array_decode(&type, "\x7f\xc0\x00\x00", 1, &value);
    assert_true(isnan(value));
    const isg_array_type half = {.dtype = ISG_FLOAT16, .item_bytes = 2, .is_big_endian = true};
    isg_array_decode(&half, "\x7e\x00", 1, &value);
    assert_true(isnan(value));
}

static void test_too_large_for_int64(void **state) {
    (void)state;
    const isg_array_type type = {.dtype = ISG_UINT64, .item_bytes = 8, .is_big_endian = true};
    int64_t value = 0;
    assert_false(isg_array_decode_whole(&type, "\x80\0\0\0\0\0\0\0", 1, &value));
}

static void test_dtypes(void **state) {
    (void)state;
    assert_string_equal(isg_dtype_name(ISG_BOOL), "bool");
    assert_string_equal(isg_dtype_name(ISG_FLOAT64), "float64");
    assert_int_equal(isg_dtype_bytes(ISG_UINT16), 2);
    assert_int_equal(isg_dtype_bytes(ISG_UNICODE), 0);
    assert_true(isg_dtype_is_whole(ISG_BOOL) && isg_dtype_is_whole(ISG_UINT64));
    assert_false(isg_dtype_is_whole(ISG_FLOAT32) || isg_dtype_is_whole(ISG_BYTES));
    assert_true(isg_dtype_is_text(ISG_BYTES) && isg_dtype_is_text(ISG_UNICODE));
    assert_false(isg_dtype_is_text(ISG_FLOAT64));
}

static void test_native_type(void **state) {
    (void)state;
    const size_t dims[] = {3, 5};
    const isg_array_type type = isg_array_type_of(ISG_INT32, 2, dims);
    const int32_t raw = -70000;
    double value = 0;
    isg_array_decode(&type, &raw, 1, &value);
    assert_true(value == -70000);
    assert_false(type.is_column_major);
    assert_int_equal(isg_array_count(&type), 15);
}

static void test_bytes_text(void **state) {
    (void)state;
    const isg_array_type type = {.dtype = ISG_BYTES, .item_bytes = 4};
    const char raw[] = "ab\0\0abcd\0\0\0\0a\0b\0\xe9xyz";
    char out[5] = "";
    assert_true(isg_array_decode_text(&type, raw, 0, out, 5));
    assert_string_equal(out, "ab");
    assert_true(isg_array_decode_text(&type, raw, 1, out, 5));
    assert_string_equal(out, "abcd");
    assert_false(isg_array_decode_text(&type, raw, 1, out, 4));
    assert_true(isg_array_decode_text(&type, raw, 2, out, 1));
    assert_string_equal(out, "");
    assert_false(isg_array_decode_text(&type, raw, 3, out, 5)); /* a zero inside */
    assert_false(isg_array_decode_text(&type, raw, 4, out, 5)); /* not ASCII */
}

static void store_points(uint8_t *raw, const uint32_t *points, size_t count, bool is_big) {
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < 4; i++)
            raw[4 * k + (is_big ? 3 - i : i)] = (uint8_t)(points[k] >> 8 * i);
}

static void test_unicode_text(void **state) {
    (void)state;
    static const uint32_t all_lengths[4] = {'A', 0xe9, 0x20ac, 0x1f600};
    static const uint32_t surrogate[4] = {0xd800}, beyond[4] = {0x110000},
                          inside[4] = {'a', 0, 'b'};
    for (int is_big = 0; is_big < 2; is_big++) {
        const isg_array_type type = {
            .dtype = ISG_UNICODE, .item_bytes = 16, .is_big_endian = is_big};
        uint8_t raw[16];
        char out[16] = "";
        store_points(raw, all_lengths, 4, is_big);
        assert_true(isg_array_decode_text(&type, raw, 0, out, 11));
        assert_string_equal(out, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
        assert_false(isg_array_decode_text(&type, raw, 0, out, 10));
        store_points(raw, surrogate, 4, is_big);
        assert_false(isg_array_decode_text(&type, raw, 0, out, 16));
        store_points(raw, beyond, 4, is_big);
        assert_false(isg_array_decode_text(&type, raw, 0, out, 16));
        store_points(raw, inside, 4, is_big);
        assert_false(isg_array_decode_text(&type, raw, 0, out, 16));
    }
}

static void test_check(void **state) {
    (void)state;
    uint8_t bytes[48] = {0};
    isg_file *file = NULL;
    isg_source *source = source_over(&file, bytes, sizeof bytes);
    size_t dims[] = {2, 3, 1, 1};
    isg_array_type type = isg_array_type_of(ISG_FLOAT64, 4, dims);
    assert_ok(isg_array_check(&type, source));
    type.dims[2] = 2;
    assert_refused(isg_array_check(&type, source),
                   "test: the header promises 96 bytes of data, but the file has room for 48");
    type.dims[2] = SIZE_MAX / 2;
    assert_refused(isg_array_check(&type, source), "more data than can exist");
    type.dims[0] = 0; /* must not hide the overflow */
    assert_refused(isg_array_check(&type, source), "more data than can exist");
    type.dims[2] = 1000;
    assert_ok(isg_array_check(&type, source));
    type.n_dims = 0;
    type.item_bytes = 49;
    assert_refused(isg_array_check(&type, source), "promises 49 bytes");
    isg_source_free(source);
    isg_file_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_too_large_for_int64),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_native_type),
        cmocka_unit_test(test_bytes_text),
        cmocka_unit_test(test_unicode_text),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
