/* test_rng.c - known answers, exact bytes, and even chances
 *
 * SPDX-License-Identifier: MIT
 *
 * Every statistical check is a function of a source of numbers. It must accept ours and reject a
 * broken twin beside it, with the same number of draws and the same threshold of 5 standard
 * errors; seeds are fixed, so a red test means a change.
 */
#include "test.h"

#include <Random123/philox.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_statistics.h"

static isg_stream test_stream(uint64_t step) {
    return isg_stream_at(20260101, ISG_PURPOSE_TEST, step, 0);
}

/* ---- The core ------------------------------------------------------------------------- */

static void philox_gives_the_published_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], expected[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t out[4];
        isg_philox(cases[i].key, cases[i].counter, out);
        assert_memory_equal(out, cases[i].expected, sizeof out);
    }
}

static void philox_agrees_with_random123(void **state) {
    (void)state;
    uint64_t noise = 1;
    for (size_t i = 0; i < 10000; i++) {
        uint32_t words[6], out[4];
        for (size_t w = 0; w < 6; w++) {
            noise = noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            words[w] = (uint32_t)(noise >> 32);
        }
        const philox4x32_ctr_t counter = {{words[0], words[1], words[2], words[3]}};
        const philox4x32_key_t key = {{words[4], words[5]}};
        const philox4x32_ctr_t expected = philox4x32(counter, key);
        isg_philox(words + 4, words, out);
        assert_memory_equal(out, expected.v, sizeof out);
    }
}

/* ---- Streams -------------------------------------------------------------------------- */

static void a_stream_is_philox_of_its_name(void **state) {
    (void)state;
    const uint64_t seed = UINT64_C(0x0123456789abcdef), step = UINT64_C(0x00a1b2c3d4e5f607);
    const isg_stream stream = isg_stream_at(seed, ISG_PURPOSE_AIS, step, 0x98765432);
    const uint32_t key[2] = {0x89abcdef, 0x01234567};
    const uint32_t counter[4] = {3, 0x98765432, 0xd4e5f607, 0x05a1b2c3};
    uint32_t expected[4], out[4];
    isg_philox(key, counter, expected);
    isg_stream_words(&stream, 12, 4, out);
    assert_memory_equal(out, expected, sizeof out);
}

static int compare_draws(const void *a, const void *b) {
    return memcmp(a, b, 4 * sizeof(uint32_t));
}

static void no_two_names_share_a_draw(void **state) {
    (void)state;
    /* Every field at its ends and around its joints, in all combinations. */
    static const uint64_t seeds[] = {0, 1, UINT64_C(1) << 32, UINT64_MAX};
    static const uint64_t steps[] = {0, 1, 0xffffffff, UINT64_C(1) << 32, (1u << 24), ISG_MAX_STEP};
    static const uint32_t blocks[] = {0, 1, 0xffffffff};
    static const uint64_t draws[] = {0, 1, 0xffffffff};
    static uint32_t found[4 * 6 * 6 * 3 * 3][4];
    size_t n = 0;
    for (size_t a = 0; a < 4; a++)
        for (int purpose = ISG_PURPOSE_SHUFFLE; purpose <= ISG_PURPOSE_TEST; purpose++)
            for (size_t b = 0; b < 6; b++)
                for (size_t c = 0; c < 3; c++)
                    for (size_t d = 0; d < 3; d++) {
                        const isg_stream stream =
                            isg_stream_at(seeds[a], (isg_purpose)purpose, steps[b], blocks[c]);
                        isg_stream_words(&stream, 4 * draws[d], 4, found[n++]);
                    }
    assert_int_equal(n, sizeof found / sizeof *found);
    qsort(found, n, sizeof *found, compare_draws);
    for (size_t i = 1; i < n; i++)
        assert_int_not_equal(compare_draws(found[i - 1], found[i]), 0);
}

static void any_part_can_be_read_alone(void **state) {
    (void)state;
    enum { N = 300 };
    const isg_stream stream = test_stream(1);
    isg_cursor cursor = isg_cursor_at(stream), normals = isg_cursor_at(stream);
    uint32_t words[N], part[N];
    double z[N], part_z[N];
    for (size_t i = 0; i < N; i++) {
        words[i] = isg_next_word(&cursor);
        z[i] = isg_next_normal(&normals);
    }
    for (size_t first = 0; first < N; first += 7)
        for (size_t n = 0; n <= N - first; n += n < 6 ? 1 : 41) {
            memset(part, 0, sizeof part);
            memset(part_z, 0, sizeof part_z);
            isg_stream_words(&stream, first, n, part);
            isg_stream_normals(&stream, first, n, part_z);
            assert_memory_equal(part, words + first, n * sizeof *part);
            assert_memory_equal(part_z, z + first, n * sizeof *part_z);
            if (n < N) /* nothing is written past the end */
                assert_true(part[n] == 0 && part_z[n] == 0);
        }
    isg_stream_words(&stream, ISG_STREAM_WORDS - 3, 3, part); /* the very end */
    const uint32_t last[4] = {0xffffffff, stream.counter[1], stream.counter[2], stream.counter[3]};
    isg_philox(stream.key, last, words);
    assert_memory_equal(part, words + 1, 3 * sizeof *part);
}

static void words_do_not_depend_on_the_threads(void **state) {
    (void)state;
    enum { N = 100003, PIECE = 61 };
    static uint32_t words[3][N];
    static double z[3][N];
    const int threads[] = {1, 2, 7};
    const isg_stream stream = test_stream(2);
    for (size_t run = 0; run < 3; run++) {
#pragma omp parallel for num_threads(threads[run]) schedule(dynamic)
        for (size_t first = 0; first < N; first += PIECE) {
            const size_t n = N - first < PIECE ? N - first : PIECE;
            isg_stream_words(&stream, first, n, words[run] + first);
            isg_stream_normals(&stream, first, n, z[run] + first);
        }
        assert_memory_equal(words[run], words[0], sizeof words[0]);
        assert_memory_equal(z[run], z[0], sizeof z[0]);
    }
}

/* ---- Uniforms and whole numbers ------------------------------------------------------- */

/* A cursor about to read the given two words. */
static isg_cursor injected(uint32_t first, uint32_t second) {
    isg_cursor cursor = isg_cursor_at(test_stream(3));
    cursor.next = 2;
    cursor.words[2] = first;
    cursor.words[3] = second;
    return cursor;
}

static void uniforms_stay_inside(void **state) {
    (void)state;
    isg_cursor cursor = injected(0, 0);
    assert_true(isg_next_uniform(&cursor) == 0x1p-53);
    cursor = injected(UINT32_MAX, UINT32_MAX);
    assert_true(isg_next_uniform(&cursor) == 1 - 0x1p-53);
    cursor = injected(0, 0x80000000);
    assert_true(isg_next_uniform(&cursor) == 0.5 + 0x1p-53);
    cursor = injected(0x89abcdef, 0x01234567);
    assert_true(isg_next_word64(&cursor) == UINT64_C(0x0123456789abcdef));
}

static bool are_even(const size_t *counts, size_t cells, size_t draws) {
    double expected[64];
    assert_true(cells <= 64);
    for (size_t i = 0; i < cells; i++)
        expected[i] = (double)draws / (double)cells;
    return chi_square_score(counts, expected, cells) < 5;
}

static uint64_t below_by_remainder(isg_cursor *cursor, uint64_t bound) {
    return isg_next_word64(cursor) % bound;
}

static bool whole_numbers_are_even(uint64_t (*below)(isg_cursor *, uint64_t), uint64_t bound,
                                   size_t cells) {
    enum { DRAWS = 100000 };
    isg_cursor cursor = isg_cursor_at(test_stream(4));
    size_t counts[64] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        const uint64_t number = below(&cursor, bound);
        assert_true(number < bound);
        counts[number / (bound / cells)]++;
    }
    return are_even(counts, cells, DRAWS);
}

static void whole_numbers_are_unbiased(void **state) {
    (void)state;
    static const struct {
        uint64_t bound;
        size_t cells;
    } cases[] = {{2, 2},
                 {3, 3},
                 {10, 10},
                 {64, 64},
                 {6000, 60},
                 {UINT64_C(3) << 62, 3},
                 {UINT64_C(1) << 63, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(whole_numbers_are_even(isg_next_below, cases[i].bound, cases[i].cells));
    assert_false(whole_numbers_are_even(below_by_remainder, UINT64_C(3) << 62, 3));
    isg_cursor cursor = isg_cursor_at(test_stream(5));
    for (size_t i = 0; i < 100; i++) {
        assert_true(isg_next_below(&cursor, 1) == 0);
        assert_true(isg_next_below(&cursor, UINT64_MAX) < UINT64_MAX);
    }
    /* 2^64 - 1 lies in the cut-off last run of 3 * 2^62 numbers: it is drawn again. */
    cursor = injected(UINT32_MAX, UINT32_MAX);
    isg_next_below(&cursor, UINT64_C(3) << 62);
    assert_true(cursor.next > 4);
    /* 2^63 divides the range: nothing is ever drawn again. */
    cursor = injected(UINT32_MAX, UINT32_MAX);
    assert_true(isg_next_below(&cursor, UINT64_C(1) << 63) == INT64_MAX);
    assert_int_equal(cursor.next, 4);
}

static void shuffle_with_anything(isg_stream stream, size_t *index, size_t n) {
    isg_cursor cursor = isg_cursor_at(stream);
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)isg_next_below(&cursor, n), kept = index[i];
        index[i] = index[j];
        index[j] = kept;
    }
}

static bool orders_are_even(void (*shuffle)(isg_stream, size_t *, size_t)) {
    enum { DRAWS = 100000 };
    size_t counts[64] = {0}, sum = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        size_t order[4] = {0, 1, 2, 3};
        shuffle(test_stream(1000 + i), order, 4);
        size_t place = 0; /* the rank of the order among the 24 */
        for (size_t a = 0; a < 4; a++) {
            size_t smaller = 0;
            for (size_t b = a + 1; b < 4; b++)
                smaller += order[b] < order[a];
            place = place * (4 - a) + smaller;
        }
        counts[place]++;
    }
    for (size_t i = 0; i < 24; i++)
        sum += counts[i];
    assert_int_equal(sum, DRAWS);
    return are_even(counts, 24, DRAWS);
}

static void shuffles_are_unbiased(void **state) {
    (void)state;
    assert_true(orders_are_even(isg_shuffle));
    assert_false(orders_are_even(shuffle_with_anything));
    enum { N = 1000 };
    size_t order[N], again[N], seen[N] = {0};
    for (size_t i = 0; i < N; i++)
        order[i] = again[i] = i;
    isg_shuffle(test_stream(6), order, N);
    isg_shuffle(test_stream(6), again, N);
    assert_memory_equal(order, again, sizeof order);
    for (size_t i = 0; i < N; i++)
        seen[order[i]]++;
    for (size_t i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    isg_shuffle(test_stream(6), order, 0);
    isg_shuffle(test_stream(6), order, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(philox_agrees_with_random123),
        cmocka_unit_test(a_stream_is_philox_of_its_name),
        cmocka_unit_test(no_two_names_share_a_draw),
        cmocka_unit_test(any_part_can_be_read_alone),
        cmocka_unit_test(words_do_not_depend_on_the_threads),
        cmocka_unit_test(uniforms_stay_inside),
        cmocka_unit_test(whole_numbers_are_unbiased),
        cmocka_unit_test(shuffles_are_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
