/* test_normal.c - the normal numbers: their functions, their bits, their distribution
 *
 * SPDX-License-Identifier: MIT
 *
 * Every statistical check is a function of a sample. It must accept ours and reject a broken twin,
 * with the same number of draws and the same threshold of 5 standard errors.
 */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "helper_statistics.h"

static isg_stream test_stream(uint64_t step) {
    return isg_stream_at(20260101, ISG_PURPOSE_TEST, step, 1);
}

static double relative_error(double value, long double exact) {
    return (double)fabsl(((long double)value - exact) / exact);
}

/* The octant is taken off in integers here too, since pi in long double is not exact enough near
   the axes; the signs are checked against the whole angle. */
static double angle_error(uint64_t k) {
    const long double pi = 3.14159265358979323846264338327950288L;
    const uint64_t mask = UINT64_MAX >> 3;
    const unsigned octant = (unsigned)(k >> 61);
    const uint64_t within = octant % 2 ? mask - (k & mask) : k & mask;
    const long double angle = (long double)(2 * within + 1) * 0x1p-62L * (pi / 4);
    const bool is_swapped = octant == 1 || octant == 2 || octant == 5 || octant == 6;
    double cosine, sine;
    isg_cos_sin_turn(k, &cosine, &sine);
    const long double whole = ((long double)k + 0.5L) * 0x1p-63L * pi;
    assert_true(fabsl((long double)cosine - cosl(whole)) < 1e-15L);
    assert_true(fabsl((long double)sine - sinl(whole)) < 1e-15L);
    return fmax(relative_error(fabs(cosine), is_swapped ? sinl(angle) : cosl(angle)),
                relative_error(fabs(sine), is_swapped ? cosl(angle) : sinl(angle)));
}

static double log_error(uint64_t k) {
    const long double from_one = (long double)(UINT64_MAX - k) * 0x1p-64L;
    const long double exact = k >> 63 ? -log1pl(-from_one) : -logl(((long double)k + 1) * 0x1p-64L);
    return relative_error(isg_minus_log_fraction(k), exact);
}

static void log_cos_sin_are_accurate(void **state) {
    (void)state;
    isg_cursor cursor = isg_cursor_at(test_stream(7));
    double worst_log = 0, worst_angle = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        /* All magnitudes, from both ends. */
        const uint64_t small = isg_next_word64(&cursor) >> (i % 64);
        const uint64_t k = i % 128 < 64 ? small : ~small;
        if (k != UINT64_MAX)
            worst_log = fmax(worst_log, log_error(k));
        worst_angle = fmax(worst_angle, angle_error(k));
    }
    for (unsigned shift = 1; shift < 64; shift++) /* where the reductions change over */
        for (uint64_t k = (UINT64_C(1) << shift) - 3; k != (UINT64_C(1) << shift) + 3; k++) {
            worst_log = fmax(worst_log, log_error(k));
            worst_angle = fmax(worst_angle, angle_error(k));
        }
    for (uint64_t octant = 0; octant < 8; octant++)
        worst_angle =
            fmax(worst_angle, fmax(angle_error(octant << 61), angle_error((octant << 61) - 1)));
    const uint64_t near_sqrt_2 = UINT64_C(0xB504F333F9DE6484);
    for (uint64_t k = near_sqrt_2 - 1000; k < near_sqrt_2 + 1000; k++)
        worst_log = fmax(worst_log, log_error(k));
    assert_true(worst_log < 4e-16);
    assert_true(worst_angle < 4e-16);
    assert_true(isg_minus_log_fraction(UINT64_MAX) == 0);
    assert_true(isg_minus_log_fraction(UINT64_MAX - 1) == 0x1p-64);
}

static double largest_of(const uint32_t words[4]) {
    double z[2];
    isg_normal_pair(words, z);
    assert_true(isfinite(z[0]) && isfinite(z[1]));
    return fmax(fabs(z[0]), fabs(z[1]));
}

static void normals_reach_far_and_stay_finite(void **state) {
    (void)state;
    static const uint32_t ends[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    double largest = 0;
    for (size_t i = 0; i < 6 * 6 * 6 * 6; i++) {
        const uint32_t words[4] = {ends[i % 6], ends[i / 6 % 6], ends[i / 36 % 6], ends[i / 216]};
        largest = fmax(largest, largest_of(words));
    }
    assert_true(fabs(largest - sqrt(128 * log(2))) < 1e-14); /* 9.419 */
    /* With only 32 bits in the radius the tail would end here. */
    const uint32_t shorter[4] = {0xffffffff, 0, 0, 0};
    assert_true(largest_of(shorter) < 6.67);
    const uint32_t none[4] = {UINT32_MAX, UINT32_MAX, 5, 6};
    assert_true(largest_of(none) == 0);
}

static void normals_have_these_very_bits(void **state) {
    (void)state;
    /* They hold on every machine; a compiler that fuses or reorders operations changes them. */
    const isg_stream stream = isg_stream_at(1, ISG_PURPOSE_TEST, 0, 0);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t first = 0; first < 1000000; first += 100) {
        double z[100];
        uint64_t bits[100];
        isg_stream_normals(&stream, first, 100, z);
        memcpy(bits, z, sizeof bits);
        for (size_t i = 0; i < 100; i++)
            hash = (hash ^ bits[i]) * UINT64_C(0x100000001b3);
    }
    assert_int_equal(hash, UINT64_C(0x61998f45b54192e3));
}

typedef void normal_source(const isg_stream *stream, uint64_t first, size_t n, double *out);

enum { NORMALS = 10000000, PIECE = 10000, CELLS = 66 };

typedef struct sample {
    double moments[5]; /* sums of z^k */
    double products, square_products;
    size_t beyond[5]; /* |z| > k */
    size_t counts[CELLS];
} sample;

/* Cells of width 1/8 from -4 to 4 and the two tails. */
static double cell_end(size_t cell) {
    return cell >= CELLS - 1 ? HUGE_VAL : -4 + (double)cell / 8;
}

static void take_sample(sample *out, normal_source *source) {
    static double z[PIECE];
    const isg_stream stream = test_stream(8);
    memset(out, 0, sizeof *out);
    for (uint64_t first = 0; first < NORMALS; first += PIECE) {
        source(&stream, first, PIECE, z);
        for (size_t i = 0; i < PIECE; i++) {
            double power = 1;
            for (size_t k = 0; k < 5; k++, power *= z[i])
                out->moments[k] += power;
            for (size_t k = 0; k < 5; k++)
                out->beyond[k] += fabs(z[i]) > (double)k;
            const double place = floor((z[i] + 4) * 8) + 1;
            out->counts[(size_t)fmin(fmax(place, 0), CELLS - 1)]++;
        }
        for (size_t i = 0; i < PIECE; i += 2) {
            out->products += z[i] * z[i + 1];
            out->square_products += (z[i] * z[i] - 1) * (z[i + 1] * z[i + 1] - 1);
        }
    }
}

static bool has_normal_moments(const sample *s) {
    /* Means of z, z^2, z^3, z^4 and their variances: E z^2k - (E z^k)^2. */
    const double means[] = {1, 0, 1, 0, 3}, variances[] = {0, 1, 2, 15, 96};
    for (size_t k = 1; k < 5; k++)
        if (fabs(s->moments[k] / NORMALS - means[k]) > 5 * sqrt(variances[k] / NORMALS))
            return false;
    return true;
}

static bool has_normal_tails(const sample *s) {
    for (size_t k = 1; k < 5; k++) {
        const double p = erfc((double)k / sqrt(2));
        if (fabs((double)s->beyond[k] - NORMALS * p) > 5 * sqrt(NORMALS * p * (1 - p)))
            return false;
    }
    return true;
}

static bool has_normal_shape(const sample *s) {
    double expected[CELLS], below = 0;
    for (size_t i = 0; i < CELLS; i++) {
        const double end = erfc(-cell_end(i) / sqrt(2)) / 2;
        expected[i] = NORMALS * (end - below);
        below = end;
    }
    return chi_square_score(s->counts, expected, CELLS) < 5;
}

static bool has_independent_pairs(const sample *s) {
    const double pairs = NORMALS / 2;
    return fabs(s->products / pairs) < 5 / sqrt(pairs) &&
           fabs(s->square_products / pairs) < 5 * 2 / sqrt(pairs);
}

static void wide_normals(const isg_stream *stream, uint64_t first, size_t n, double *out) {
    isg_stream_normals(stream, first, n, out);
    for (size_t i = 0; i < n; i++)
        out[i] *= sqrt(1.02);
}

/* The sum of a dozen uniforms: right mean and variance, tails too light. */
static void light_normals(const isg_stream *stream, uint64_t first, size_t n, double *out) {
    for (size_t i = 0; i < n; i++) {
        uint32_t words[12];
        isg_stream_words(stream, (first + i) * 12, 12, words);
        double sum = -6;
        for (size_t w = 0; w < 12; w++)
            sum += (double)words[w] * 0x1p-32;
        out[i] = sum;
    }
}

/* Each number normal, but the second of a pair leans on the first. */
static void leaning_normals(const isg_stream *stream, uint64_t first, size_t n, double *out) {
    isg_stream_normals(stream, first, n, out);
    for (size_t i = 0; i < n; i += 2)
        out[i + 1] = 0.01 * out[i] + sqrt(1 - 0.01 * 0.01) * out[i + 1];
}

static void normals_are_normal(void **state) {
    (void)state;
    static sample s;
    take_sample(&s, isg_stream_normals);
    assert_true(has_normal_moments(&s));
    assert_true(has_normal_tails(&s));
    assert_true(has_normal_shape(&s));
    assert_true(has_independent_pairs(&s));
}

static void wrong_normals_are_noticed(void **state) {
    (void)state;
    static sample s;
    take_sample(&s, wide_normals);
    assert_false(has_normal_moments(&s));
    assert_false(has_normal_tails(&s));
    assert_false(has_normal_shape(&s));
    take_sample(&s, light_normals);
    assert_true(fabs(s.moments[2] / NORMALS - 1) < 5 * sqrt(2.0 / NORMALS));
    assert_false(has_normal_tails(&s));
    assert_false(has_normal_shape(&s));
    take_sample(&s, leaning_normals);
    assert_true(has_normal_shape(&s));
    assert_false(has_independent_pairs(&s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_cos_sin_are_accurate),
        cmocka_unit_test(normals_reach_far_and_stay_finite),
        cmocka_unit_test(normals_have_these_very_bits),
        cmocka_unit_test(normals_are_normal),
        slow_unit_test(wrong_normals_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
