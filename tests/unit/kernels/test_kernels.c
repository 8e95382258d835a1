/* test_kernels.c - every set of kernels against the reference, and how one is chosen
 *
 * SPDX-License-Identifier: MIT
 *
 * Buffers end at a page that may not be touched, and the bytes before an output are watched, so a
 * kernel that reads or writes one element too many is caught.
 */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_wall.h"
#include "kernels/kernels.h"

/* ---- random_words --------------------------------------------------------------------- */

static void random_words_are_the_stream(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall w = wall_create();
    uint32_t *expected = malloc(ROOM);
    assert_non_null(expected);
    isg_cursor cursor = isg_cursor_at(isg_stream_at(3, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 400; trial++) {
        const size_t n = trial < 70 ? trial : (size_t)isg_next_below(&cursor, 3000);
        const isg_stream stream =
            isg_stream_at(isg_next_word64(&cursor), ISG_PURPOSE_TEST,
                          isg_next_word64(&cursor) & ISG_MAX_STEP, isg_next_word(&cursor));
        /* Somewhere inside, or up to the very last draw. */
        const uint64_t first = trial % 2 ? (UINT64_C(1) << 32) - n
                                         : isg_next_below(&cursor, (UINT64_C(1) << 32) - n + 1);
        const uint32_t counter[4] = {(uint32_t)first, stream.counter[1], stream.counter[2],
                                     stream.counter[3]};
        isg_stream_words(&stream, 4 * first, 4 * n, expected);
        for (size_t s = 0; s < n_sets; s++) {
            uint32_t *out = ending_at(&w, 16 * n);
            out[-1] = 0xA5A5A5A5;
            memset(out, 0, 16 * n);
            sets[s]->random_words(n, stream.key, counter, out);
            assert_memory_equal(out, expected, 16 * n);
            assert_int_equal(out[-1], 0xA5A5A5A5);
        }
    }
    free(expected);
    wall_free(&w);
}

/* Outputs at every distance from a vector's boundary. */
static void random_words_need_no_alignment(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    const uint32_t key[2] = {5, 6}, counter[4] = {7, 8, 9, 10};
    static uint32_t expected[4 * 33], buffer[4 * 33 + 32];
    isg_kernels_ref.random_words(33, key, counter, expected);
    for (size_t s = 0; s < n_sets; s++)
        for (size_t offset = 0; offset <= 16; offset++) {
            memset(buffer, 0xEE, sizeof buffer);
            sets[s]->random_words(33, key, counter, buffer + offset);
            assert_memory_equal(buffer + offset, expected, sizeof expected);
            for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++)
                if (i < offset || i >= offset + 4 * 33)
                    assert_int_equal(buffer[i], 0xEEEEEEEE);
        }
}

/* ---- hamming -------------------------------------------------------------------------- */

static void fill_bits(uint64_t *words, size_t n, isg_cursor *cursor) {
    /* Runs of all-set and all-clear words too: full counts are where fields overflow. */
    const uint64_t kind = isg_next_below(cursor, 4);
    for (size_t i = 0; i < n; i++)
        words[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : isg_next_word64(cursor);
}

static void distances_are_counts_of_bits(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall row_wall = wall_create(), rows_wall = wall_create(), out_wall = wall_create();
    isg_cursor cursor = isg_cursor_at(isg_stream_at(4, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 1000; trial++) {
        const size_t words = trial < 100 ? trial : (size_t)isg_next_below(&cursor, 300);
        const size_t m = trial % 50 == 0 ? 0 : 1 + (size_t)isg_next_below(&cursor, 40);
        const size_t stride = words + (trial % 3 == 0 ? 0 : (size_t)isg_next_below(&cursor, 5));
        /* The last row ends at the wall: what would follow it up to the stride is not there. */
        const size_t total = m == 0 ? 0 : (m - 1) * stride + words;
        uint64_t *row = ending_at(&row_wall, words * 8);
        uint64_t *rows = ending_at(&rows_wall, total * 8);
        uint32_t *out = ending_at(&out_wall, m * 4);
        fill_bits(row, words, &cursor);
        fill_bits(rows, total, &cursor);
        for (size_t s = 0; s < n_sets; s++) {
            out[-1] = 0xA5A5A5A5;
            memset(out, 0xFF, m * 4);
            sets[s]->hamming(m, words, row, rows, stride, out);
            for (size_t i = 0; i < m; i++) {
                size_t count = 0;
                for (size_t bit = 0; bit < 64 * words; bit++)
                    count += isg_bit(row, bit) != isg_bit(rows + i * stride, bit);
                assert_int_equal(out[i], count);
            }
            assert_int_equal(out[-1], 0xA5A5A5A5);
        }
    }
    wall_free(&row_wall);
    wall_free(&rows_wall);
    wall_free(&out_wall);
}

/* ---- nearest -------------------------------------------------------------------------- */

/* From the kinds of row that clustering has: few different values, many infinities, all infinite. */
static void fill_row(double *values, size_t n, isg_cursor *cursor) {
    const uint64_t kind = isg_next_below(cursor, 5);
    const uint64_t different = 1 + isg_next_below(cursor, 20);
    for (size_t i = 0; i < n; i++) {
        const double value = sqrt((double)isg_next_below(cursor, different));
        const bool is_far = kind == 0 || (kind == 1 && isg_next_below(cursor, 8) > 0) ||
                            (kind == 2 && isg_next_below(cursor, 8) == 0);
        values[i] = is_far ? HUGE_VAL : kind == 3 ? isg_next_normal(cursor) : value;
    }
    if (kind == 4 && n > 0) { /* one winner, anywhere */
        for (size_t i = 0; i < n; i++)
            values[i] += 1;
        values[isg_next_below(cursor, n)] = 0.5;
    }
}

static void the_nearest_is_the_first_of_the_least(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall w = wall_create();
    isg_cursor cursor = isg_cursor_at(isg_stream_at(5, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 4000; trial++) {
        const size_t n = trial < 1000 ? 1 + trial % 100 : 1 + (size_t)isg_next_below(&cursor, 2000);
        double *values = ending_at(&w, n * sizeof *values);
        fill_row(values, n, &cursor);
        values[-1] = -HUGE_VAL; /* nearer than all, and not in the row */
        size_t best = n - 1;
        for (size_t i = n - 1; i-- > 0;)
            best = values[i] <= values[best] ? i : best;
        for (size_t s = 0; s < n_sets; s++)
            assert_int_equal(sets[s]->nearest(n, values), best);
    }
    wall_free(&w);
}

/* Zeros of either sign are equal, and wherever the row starts makes no difference. */
static void the_nearest_needs_no_alignment(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    double buffer[80];
    for (size_t s = 0; s < n_sets; s++)
        for (size_t offset = 0; offset < 8; offset++)
            for (size_t at = 0; at < 70; at++) {
                for (size_t i = 0; i < 80; i++)
                    buffer[i] = 1;
                buffer[offset + at] = 0.0;
                buffer[offset + 69] = -0.0;
                assert_int_equal(sets[s]->nearest(70, buffer + offset), at);
            }
}

/* ---- ward_distances ------------------------------------------------------------------- */

static void ward_distances_round_alike(void **state) {
    (void)state;
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    wall sizes_wall = wall_create(), dropped_wall = wall_create(), kept_wall = wall_create();
    double *expected = malloc(ROOM), *start = malloc(ROOM);
    assert_true(expected && start);
    isg_cursor cursor = isg_cursor_at(isg_stream_at(6, ISG_PURPOSE_TEST, 0, 0));
    for (size_t trial = 0; trial < 2000; trial++) {
        const size_t n = trial < 100 ? trial : (size_t)isg_next_below(&cursor, 500);
        const size_t bytes = n * sizeof(double);
        double *sizes = ending_at(&sizes_wall, bytes), *dropped = ending_at(&dropped_wall, bytes);
        double *kept = ending_at(&kept_wall, bytes);
        const double size_a = 1 + (double)isg_next_below(&cursor, 3000);
        const double size_b = 1 + (double)isg_next_below(&cursor, 3000);
        const double apart = sqrt((double)isg_next_below(&cursor, 784));
        for (size_t i = 0; i < n; i++) {
            sizes[i] = (double)isg_next_below(&cursor, trial % 2 ? 5 : 3000);
            dropped[i] = apart + isg_next_uniform(&cursor);
            start[i] = apart + sqrt((double)isg_next_below(&cursor, 100));
            if (sizes[i] == 0) /* as clustering has it */
                dropped[i] = start[i] = HUGE_VAL;
            const double x = dropped[i], y = start[i], t = 1.0 / (size_a + size_b + sizes[i]);
            const double from_a = (sizes[i] + size_a) * t * x * x;
            const double from_b = (sizes[i] + size_b) * t * y * y;
            expected[i] = sqrt(from_a + from_b - sizes[i] * t * apart * apart);
        }
        for (size_t s = 0; s < n_sets; s++) {
            kept[-1] = 12345;
            memcpy(kept, start, bytes);
            sets[s]->ward_distances(n, size_a, size_b, apart, sizes, dropped, kept);
            assert_true(kept[-1] == 12345);
            for (size_t i = 0; i < n; i++)
                if (sizes[i] > 0)
                    assert_true(kept[i] == expected[i]);
        }
    }
    free(expected);
    free(start);
    wall_free(&sizes_wall);
    wall_free(&dropped_wall);
    wall_free(&kept_wall);
}

/* ---- Choosing ------------------------------------------------------------------------- */

static void a_set_is_chosen_by_name(void **state) {
    (void)state;
    assert_string_equal(isg_isa_name(0), "ref");
    assert_string_equal(isg_isa_name(1), "baseline");
#if defined(__x86_64__)
    assert_string_equal(isg_isa_name(2), "avx2");
    assert_string_equal(isg_isa_name(3), "avx512");
    assert_null(isg_isa_name(4));
#elif defined(__aarch64__)
    assert_string_equal(isg_isa_name(2), "neon");
    assert_null(isg_isa_name(3));
    assert_string_equal(isg_isa(), "neon");
#endif
    for (size_t i = 0; isg_isa_name(i); i++)
        if (isg_set_isa(isg_isa_name(i)) == ISG_OK) {
            assert_string_equal(isg_isa(), isg_isa_name(i));
            assert_string_equal(isg_kernels_get()->name, isg_isa_name(i));
        }
    const isg_kernels *sets[8];
    const size_t n_sets = runnable(sets);
    assert_int_equal(isg_set_isa("ref"), ISG_OK);
    assert_int_equal(isg_set_isa("best"), ISG_OK);
    assert_ptr_equal(isg_kernels_get(), sets[n_sets - 1]);
    assert_int_equal(isg_set_isa("ref"), ISG_OK);
    assert_int_equal(isg_set_isa(NULL), ISG_OK);
    assert_ptr_equal(isg_kernels_get(), sets[n_sets - 1]);
}

static void a_wrong_name_changes_nothing(void **state) {
    (void)state;
    assert_int_equal(isg_set_isa("baseline"), ISG_OK);
    assert_int_equal(isg_set_isa("sse9"), ISG_ERR_ARGUMENT);
    char expected[128] = "isa: expected one of ";
    for (size_t i = 0; isg_isa_name(i); i++) {
        strcat(expected, isg_isa_name(i));
        strcat(expected, ", ");
    }
    strcat(expected, "best, found \"sse9\"");
    assert_string_equal(isg_error_message(), expected);
    assert_int_equal(isg_set_isa(""), ISG_ERR_ARGUMENT);
    assert_int_equal(isg_set_isa("AVX2"), ISG_ERR_ARGUMENT);
    assert_string_equal(isg_isa(), "baseline");
    assert_int_equal(isg_set_isa(NULL), ISG_OK);
}

static void assert_chosen(const char *name, unsigned features, const isg_kernels *expected) {
    const isg_kernels *kernels = NULL;
    assert_int_equal(isg_kernels_choose(&kernels, name, features), ISG_OK);
    assert_ptr_equal(kernels, expected);
}

static void assert_refused(const char *name, unsigned features, const char *message) {
    const isg_kernels *kernels = NULL;
    assert_int_equal(isg_kernels_choose(&kernels, name, features), ISG_ERR_UNSUPPORTED);
    assert_null(kernels);
    assert_string_equal(isg_error_message(), message);
}

/* Processors that this one is not: what they would get, and be refused. */
static void a_processor_gets_the_best_it_has(void **state) {
    (void)state;
    const isg_kernels *least = isg_kernels_neon ? isg_kernels_neon : &isg_kernels_baseline;
    assert_chosen("best", 0, least);
    assert_chosen(NULL, 0, least);
    assert_chosen("baseline", 0, &isg_kernels_baseline);
    assert_chosen("ref", ISG_HAS_AVX2 | ISG_HAS_AVX512, &isg_kernels_ref);
    if (isg_kernels_avx2) {
        assert_refused(
            "avx2", 0,
            "isa: \"avx2\" needs a processor with AVX2, FMA and POPCNT, found one without");
        assert_chosen("best", ISG_HAS_AVX2, isg_kernels_avx2);
    }
    if (isg_kernels_avx512) {
        assert_refused("avx512", ISG_HAS_AVX2,
                       "isa: \"avx512\" needs a processor with AVX-512 (F, DQ, BW, VL), FMA and "
                       "POPCNT, found one without");
        assert_chosen("best", ISG_HAS_AVX2 | ISG_HAS_AVX512, isg_kernels_avx512);
        assert_chosen("avx2", ISG_HAS_AVX2 | ISG_HAS_AVX512, isg_kernels_avx2);
    }
}

/* tools/test.sh shows this line, so that nobody takes a set for tested that was not. */
static void print_sets(void) {
    char run[64] = "", not_here[64] = "";
    for (size_t i = 0; isg_isa_name(i); i++) {
        char *list = isg_set_isa(isg_isa_name(i)) == ISG_OK ? run : not_here;
        strcat(list, " ");
        strcat(list, isg_isa_name(i));
    }
    printf("instruction sets that were run:%s; that this processor has not:%s; that this build has "
           "not:%s%s%s%s\n",
           run, *not_here ? not_here : " none", isg_kernels_avx2 ? "" : " avx2",
           isg_kernels_avx512 ? "" : " avx512", isg_kernels_neon ? "" : " neon",
           isg_kernels_avx2 && isg_kernels_avx512 && isg_kernels_neon ? " none" : "");
}

static void *ask(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)isg_kernels_get();
}

/* First in the program: nobody has asked before. */
static void threads_that_ask_first_agree(void **state) {
    (void)state;
    pthread_t threads[8];
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (size_t i = 0; i < 8; i++) {
        void *answer = NULL;
        assert_int_equal(pthread_join(threads[i], &answer), 0);
        assert_ptr_equal(answer, isg_kernels_get());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_ask_first_agree),
        cmocka_unit_test(random_words_are_the_stream),
        cmocka_unit_test(random_words_need_no_alignment),
        cmocka_unit_test(distances_are_counts_of_bits),
        cmocka_unit_test(the_nearest_is_the_first_of_the_least),
        cmocka_unit_test(the_nearest_needs_no_alignment),
        cmocka_unit_test(ward_distances_round_alike),
        cmocka_unit_test(a_set_is_chosen_by_name),
        cmocka_unit_test(a_wrong_name_changes_nothing),
        cmocka_unit_test(a_processor_gets_the_best_it_has),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_sets();
    return failed;
}
