/* rng.c - random numbers as a function of (seed, purpose, step, block, index)
 *
 * SPDX-License-Identifier: MIT
 *
 * The logarithm, cosine and sine are our own: libm chooses variants per processor, whose last bits
 * differ. They use plain Taylor series after an exact reduction in integers, so every coefficient
 * can be checked by eye.
 */
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/circle_series.h"

isg_stream isg_stream_at(uint64_t seed, isg_purpose purpose, uint64_t step, uint32_t block) {
    assert(step <= ISG_MAX_STEP);
    return (isg_stream){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, block, (uint32_t)step, (uint32_t)(step >> 32) | (uint32_t)purpose << 24}};
}

static void draw_at(const isg_stream *stream, uint64_t number, uint32_t out[4]) {
    const uint32_t counter[4] = {(uint32_t)number, stream->counter[1], stream->counter[2],
                                 stream->counter[3]};
    isg_philox(stream->key, counter, out);
}

void isg_stream_words(const isg_stream *stream, uint64_t first, size_t n, uint32_t *out) {
    assert(first <= ISG_STREAM_WORDS && n <= ISG_STREAM_WORDS - first);
    while (n > 0) {
        uint32_t words[4];
        draw_at(stream, first / 4, words);
        const size_t skip = first % 4, part = n < 4 - skip ? n : 4 - skip;
        memcpy(out, words + skip, part * sizeof *out);
        out += part;
        first += part;
        n -= part;
    }
}

void isg_stream_normals(const isg_stream *stream, uint64_t first, size_t n, double *out) {
    assert(first <= ISG_STREAM_WORDS / 2 && n <= ISG_STREAM_WORDS / 2 - first);
    while (n > 0) {
        uint32_t words[4];
        double z[2];
        draw_at(stream, first / 2, words);
        isg_normal_pair(words, z);
        const size_t skip = first % 2, part = n < 2 - skip ? n : 2 - skip;
        memcpy(out, z + skip, part * sizeof *out);
        out += part;
        first += part;
        n -= part;
    }
}

/* Write m = k + 1 as 2^(64 - e) (1 + t) with 1 + t between sqrt(1/2) and sqrt(2). Then
   -ln(m / 2^64) = e ln 2 - ln(1 + t), where the two parts cannot cancel: t < 0 when e = 0.
   With s = t / (2 + t):  ln(1 + t) = 2 artanh s = t - s (t - 2 (s^2/3 + s^4/5 + ...)). */
double isg_minus_log_fraction(uint64_t k) {
    const uint64_t m = k + 1;
    if (m == 0) /* the fraction is 1 */
        return 0;
    const int zeros = __builtin_clzll(m);
    const uint64_t digits = m << zeros;                   /* top bit set: m = digits / 2^zeros */
    const uint64_t sqrt_2 = UINT64_C(0xB504F333F9DE6484); /* 2^63 sqrt(2) */
    double t, e;
    if (digits < sqrt_2) {
        t = (double)(digits - (UINT64_C(1) << 63)) * 0x1p-63;
        e = zeros + 1;
    } else {
        t = -(double)(0 - digits) * 0x1p-64;
        e = zeros;
    }
    const double s = t / (2 + t), q = s * s;
    double series = 1.0 / 25;
    series = series * q + 1.0 / 23;
    series = series * q + 1.0 / 21;
    series = series * q + 1.0 / 19;
    series = series * q + 1.0 / 17;
    series = series * q + 1.0 / 15;
    series = series * q + 1.0 / 13;
    series = series * q + 1.0 / 11;
    series = series * q + 1.0 / 9;
    series = series * q + 1.0 / 7;
    series = series * q + 1.0 / 5;
    series = series * q + 1.0 / 3;
    const double logarithm = t - s * (t - 2 * q * series);
    /* ln 2 in two parts: the first has 42 bits, so e times it is exact. */
    return e * 0x1.62e42fefa38p-1 + (e * 0x1.ef35793c7673p-45 - logarithm);
}

/* cos and sin of x eighths of a turn, 0 < x < 1. */
static void first_octant(double x, double *cosine, double *sine) {
    const double angle = x * 0x1.921fb54442d18p-1; /* pi / 4 */
    const double q = angle * angle;
    *cosine = 1 - (q / 2 - isg_cosine_series(q) * q * q);
    *sine = angle + angle * (q * isg_sine_series(q));
}

/* The top three bits are the octant. In odd octants the angle is measured back from the end, which
   in units of half a step is the complement of the bits. */
void isg_cos_sin_turn(uint64_t k, double *cosine, double *sine) {
    const unsigned octant = (unsigned)(k >> 61);
    const uint64_t mask = (UINT64_C(1) << 61) - 1;
    const uint64_t within = (octant & 1 ? ~k : k) & mask;
    double c, s;
    first_octant((double)(2 * within + 1) * 0x1p-62, &c, &s);
    const bool is_swapped = ((octant + 1) & 2) != 0; /* octants 1, 2, 5, 6 */
    const double x = is_swapped ? s : c, y = is_swapped ? c : s;
    *cosine = ((octant + 2) & 4) != 0 ? -x : x; /* octants 2 to 5 */
    *sine = (octant & 4) != 0 ? -y : y;         /* octants 4 to 7 */
}

void isg_normal_pair(const uint32_t words[4], double z[2]) {
    const uint64_t low = words[0] | (uint64_t)words[1] << 32;
    const uint64_t high = words[2] | (uint64_t)words[3] << 32;
    const double radius = sqrt(2 * isg_minus_log_fraction(low));
    double cosine, sine;
    isg_cos_sin_turn(high, &cosine, &sine);
    z[0] = radius * cosine;
    z[1] = radius * sine;
}

/* ---- One after another ---------------------------------------------------------------- */

isg_cursor isg_cursor_at(isg_stream stream) {
    return (isg_cursor){.stream = stream};
}

uint32_t isg_next_word(isg_cursor *cursor) {
    assert(cursor->next < ISG_STREAM_WORDS);
    if (cursor->next % 4 == 0)
        draw_at(&cursor->stream, cursor->next / 4, cursor->words);
    return cursor->words[cursor->next++ % 4];
}

uint64_t isg_next_word64(isg_cursor *cursor) {
    const uint64_t low = isg_next_word(cursor);
    return low | (uint64_t)isg_next_word(cursor) << 32;
}

double isg_next_uniform(isg_cursor *cursor) {
    return isg_uniform_of(isg_next_word64(cursor));
}

uint64_t isg_next_below(isg_cursor *cursor, uint64_t bound) {
    assert(bound > 0);
    for (;;) {
        const uint64_t word = isg_next_word64(cursor), rest = word % bound;
        /* word - rest starts a run of `bound` numbers; the last run may be cut off at 2^64, and its
           remainders would then come up too often. */
        if (word - rest <= 0 - bound)
            return rest;
    }
}

size_t isg_next_of(isg_cursor *cursor, const double *cumulated, size_t n) {
    const double wanted = isg_next_uniform(cursor) * cumulated[n - 1];
    size_t low = 0, high = n - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cumulated[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double isg_next_normal(isg_cursor *cursor) {
    if (cursor->has_spare) {
        cursor->has_spare = false;
        return cursor->spare;
    }
    cursor->next = (cursor->next + 3) / 4 * 4;
    uint32_t words[4];
    for (size_t i = 0; i < 4; i++)
        words[i] = isg_next_word(cursor);
    double z[2];
    isg_normal_pair(words, z);
    cursor->spare = z[1];
    cursor->has_spare = true;
    return z[0];
}

void isg_shuffle(isg_stream stream, size_t *index, size_t n) {
    isg_cursor cursor = isg_cursor_at(stream);
    for (size_t left = n; left > 1; left--) {
        const size_t chosen = (size_t)isg_next_below(&cursor, left);
        const size_t last = index[left - 1];
        index[left - 1] = index[chosen];
        index[chosen] = last;
    }
}
