/* test_shift.c - images of packed spins moved by whole pixels
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include "base/bits.h"
#include "base/rng.h"
#include "classify/shift.h"

enum { MOST_WORDS = 16 };

/* Pixel by pixel. */
static bool plain(size_t height, size_t width, ptrdiff_t y, ptrdiff_t x, const uint64_t *in) {
    return y >= 0 && x >= 0 && y < (ptrdiff_t)height && x < (ptrdiff_t)width &&
           isg_bit(in, (size_t)y * width + (size_t)x);
}

static void check(size_t height, size_t width, size_t most) {
    isg_cursor random = isg_cursor_at(isg_stream_at(height, ISG_PURPOSE_TEST, width, 0));
    uint64_t in[MOST_WORDS], out[MOST_WORDS];
    const size_t words = isg_words(height * width);
    const ptrdiff_t n = (ptrdiff_t)most;
    isg_shifts shifts;
    assert_true(words <= MOST_WORDS);
    for (size_t w = 0; w < words; w++)
        in[w] = isg_next_word64(&random);
    isg_clear_tail(in, height * width);
    assert_ok(isg_shifts_create(&shifts, height, width, most));
    for (ptrdiff_t down = -n; down <= n; down++)
        for (ptrdiff_t right = -n; right <= n; right++) {
            uint64_t expected[MOST_WORDS] = {0};
            for (size_t i = 0; i < height * width; i++)
                isg_bit_assign(expected, i,
                               plain(height, width, (ptrdiff_t)(i / width) - down,
                                     (ptrdiff_t)(i % width) - right, in));
            isg_shift(&shifts, down, right, in, out);
            assert_memory_equal(out, expected, words * sizeof *out);
        }
    isg_shifts_release(&shifts);
}

static void test_as_pixel_by_pixel(void **state) {
    (void)state;
    check(28, 28, 4);
    check(7, 10, 6);
    check(10, 7, 6);
    check(2, 2, 1);
    check(3, 64, 2);
    check(4, 128, 3);
    check(5, 200, 4);
    check(30, 3, 2);
    check(13, 77, 12);
}

static void test_back_and_forth(void **state) {
    (void)state;
    const uint64_t dot = UINT64_C(1) << 27; /* row 3, column 3 of 8 x 8 */
    uint64_t out = 0, back = 0;
    isg_shifts shifts;
    assert_ok(isg_shifts_create(&shifts, 8, 8, 4));
    isg_shift(&shifts, 2, -1, &dot, &out);
    assert_true(out == UINT64_C(1) << (5 * 8 + 2));
    isg_shift(&shifts, -2, 1, &out, &back);
    assert_true(back == dot);
    isg_shift(&shifts, 0, -4, &dot, &out);
    assert_true(out == 0);
    isg_shifts_release(&shifts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_pixel_by_pixel),
        cmocka_unit_test(test_back_and_forth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
