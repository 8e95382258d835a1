/* tuned.h - the tuned kernels, compiled once per instruction set
 *
 * SPDX-License-Identifier: MIT
 *
 * The including file defines VECTOR_BYTES, the size of the vectors that everything is written for,
 * and VECTOR_NEON if vectors of 16 bytes are NEON's. vectors.h has what differs between instruction
 * sets.
 */
#ifndef VECTOR_BYTES
#error "VECTOR_BYTES says how wide the vectors are"
#endif

#include "kernels/kernels.h"
#include "kernels/vectors.h"

/* ---- random_words --------------------------------------------------------------------- */

/* One draw per lane of 64 bits, one vector for each word of the counter. Only the low halves of the
   lanes matter: the multiplication ignores the high ones, so a single shift gives both halves of a
   product, which are never split. */
enum { GROUP = 2 * LANES };

static inline lanes all(uint32_t word) {
    return word - (lanes){0};
}

/* The numbers `first`, `first` + 1, ... of the draws of one vector. The lanes hold them in the
   order that lower() and upper() turn into the order in memory. */
static inline lanes draw_numbers(uint32_t first) {
#if VECTOR_BYTES == 64
    return all(first) + (lanes){0, 4, 1, 5, 2, 6, 3, 7};
#elif VECTOR_BYTES == 32
    return all(first) + (lanes){0, 2, 1, 3};
#else
    return all(first) + (lanes){0, 1};
#endif
}

static inline void store_draws(lanes a, lanes b, lanes c, lanes d, uint32_t *out) {
    const lanes front = join(a, b), back = join(c, d);
    const lanes low = lower(front, back), high = upper(front, back);
    memcpy(out, &low, sizeof low);
    memcpy(out + VECTOR_BYTES / 4, &high, sizeof high);
}

/* The keys of all rounds, spread over the lanes once per call. */
typedef struct round_keys {
    lanes even[10], odd[10];
} round_keys;

static inline void spread_keys(const uint32_t key[2], round_keys *out) {
    for (uint32_t round = 0; round < 10; round++) {
        out->even[round] = all(key[0] + round * 0x9E3779B9);
        out->odd[round] = all(key[1] + round * 0xBB67AE85);
    }
}

/* GROUP draws as two vectors side by side; one alone would wait for its multiplications. */
static inline void random_group(const round_keys *keys, const uint32_t counter[4], uint32_t first,
                                uint32_t *out) {
    const lanes factor_a = all(0xD2511F53), factor_c = all(0xCD9E8D57);
    lanes a0 = draw_numbers(first), a1 = draw_numbers(first + LANES);
    lanes b0 = all(counter[1]), b1 = b0;
    lanes c0 = all(counter[2]), c1 = c0;
    lanes d0 = all(counter[3]), d1 = d0;
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        const lanes from_a0 = multiply_low(a0, factor_a), from_a1 = multiply_low(a1, factor_a);
        const lanes from_c0 = multiply_low(c0, factor_c), from_c1 = multiply_low(c1, factor_c);
        a0 = exclusive(from_c0 >> 32, b0, keys->even[round]);
        a1 = exclusive(from_c1 >> 32, b1, keys->even[round]);
        c0 = exclusive(from_a0 >> 32, d0, keys->odd[round]);
        c1 = exclusive(from_a1 >> 32, d1, keys->odd[round]);
        b0 = from_c0;
        b1 = from_c1;
        d0 = from_a0;
        d1 = from_a1;
    }
    store_draws(a0, b0, c0, d0, out);
    store_draws(a1, b1, c1, d1, out + LANES * 4);
}

static void random_words(size_t n, const uint32_t key[2], const uint32_t counter[4],
                         uint32_t *out) {
    round_keys keys;
    spread_keys(key, &keys);
    uint32_t first = counter[0];
    for (; n >= GROUP; n -= GROUP, first += GROUP, out += GROUP * 4)
        random_group(&keys, counter, first, out);
    if (n > 0) {
        uint32_t last[GROUP * 4];
        random_group(&keys, counter, first, last);
        memcpy(out, last, n * 4 * sizeof *out);
    }
}

/* ---- hamming -------------------------------------------------------------------------- */

#if defined(VECTOR_NEON)

/* Counts of bits in bytes: a word adds at most 8 to each, so 31 pairs fit before they are added. */
static inline uint32_t distance(size_t words, const uint64_t *a, const uint64_t *b) {
    uint32_t total = 0;
    for (size_t w = 0; w + 2 <= words;) {
        const size_t end = words - w < 62 ? words : w + 62;
        uint8x16_t bytes = vdupq_n_u8(0);
        for (; w + 2 <= end; w += 2)
            bytes = vaddq_u8(bytes, vcntq_u8(vreinterpretq_u8_u64(
                                        veorq_u64(vld1q_u64(a + w), vld1q_u64(b + w)))));
        total += vaddlvq_u8(bytes);
    }
    return words % 2 == 0 ? total
                          : total + (uint32_t)__builtin_popcountll(a[words - 1] ^ b[words - 1]);
}

#elif defined(__POPCNT__) || !defined(__x86_64__)

static inline uint32_t distance(size_t words, const uint64_t *a, const uint64_t *b) {
    uint32_t even = 0, odd = 0;
    size_t w = 0;
    for (; w + 2 <= words; w += 2) {
        even += (uint32_t)__builtin_popcountll(a[w] ^ b[w]);
        odd += (uint32_t)__builtin_popcountll(a[w + 1] ^ b[w + 1]);
    }
    if (w < words)
        even += (uint32_t)__builtin_popcountll(a[w] ^ b[w]);
    return even + odd;
}

#else

/* Without a popcount instruction: counts in fields of 2, 4, then 8 bits. A word adds at most 8 to a
   field, so 31 words fit before the fields must be added up. */
static inline uint32_t distance(size_t words, const uint64_t *a, const uint64_t *b) {
    const uint64_t twos = UINT64_C(0x3333333333333333), fours = UINT64_C(0x0F0F0F0F0F0F0F0F);
    uint32_t total = 0;
    for (size_t w = 0; w < words;) {
        const size_t end = words - w < 31 ? words : w + 31;
        uint64_t bytes = 0;
        for (; w < end; w++) {
            uint64_t x = a[w] ^ b[w];
            x -= x >> 1 & UINT64_C(0x5555555555555555);
            x = (x & twos) + (x >> 2 & twos);
            bytes += (x + (x >> 4)) & fours;
        }
        const uint64_t pairs =
            (bytes & UINT64_C(0x00FF00FF00FF00FF)) + (bytes >> 8 & UINT64_C(0x00FF00FF00FF00FF));
        total += (uint32_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
    }
    return total;
}

#endif

static void hamming(size_t m, size_t words, const uint64_t *row, const uint64_t *rows,
                    size_t stride, uint32_t *distances) {
    for (size_t i = 0; i < m; i++)
        distances[i] = distance(words, row, rows + i * stride);
}

/* ---- nearest and ward_distances ------------------------------------------------------------- */

/* First finds the smallest value, then where it is. */
static size_t nearest(size_t n, const double *values) {
    double least = values[0];
    size_t i = 0;
    if (n >= 4 * REALS) {
        reals a = load_reals(values), b = a, c = a, d = a;
        for (; i + 4 * REALS <= n; i += 4 * REALS) {
            a = smaller(load_reals(values + i), a);
            b = smaller(load_reals(values + i + REALS), b);
            c = smaller(load_reals(values + i + 2 * REALS), c);
            d = smaller(load_reals(values + i + 3 * REALS), d);
        }
        const reals all_least = smaller(smaller(a, b), smaller(c, d));
        for (int k = 0; k < REALS; k++)
            least = all_least[k] < least ? all_least[k] : least;
    }
    for (; i < n; i++)
        least = values[i] < least ? values[i] : least;
    for (i = 0; values[i] != least; i++)
        ;
    return i;
}

static inline reals ward_group(reals size_a, reals size_b, double apart, reals size, reals dropped,
                               reals kept) {
    const reals t = 1.0 / (size_a + size_b + size);
    return square_root((size + size_a) * t * dropped * dropped + (size + size_b) * t * kept * kept -
                       size * t * apart * apart);
}

static void ward_distances(size_t n, double size_a, double size_b, double apart,
                           const double *sizes, const double *dropped, double *kept) {
    const reals zero = {0}, a = zero + size_a, b = zero + size_b;
    size_t i = 0;
    for (; i + REALS <= n; i += REALS) {
        const reals out = ward_group(a, b, apart, load_reals(sizes + i), load_reals(dropped + i),
                                     load_reals(kept + i));
        memcpy(kept + i, &out, sizeof out);
    }
    if (i < n) {
        reals size = zero, x = zero, y = zero;
        memcpy(&size, sizes + i, (n - i) * sizeof *sizes);
        memcpy(&x, dropped + i, (n - i) * sizeof *dropped);
        memcpy(&y, kept + i, (n - i) * sizeof *kept);
        const reals out = ward_group(a, b, apart, size, x, y);
        memcpy(kept + i, &out, (n - i) * sizeof *kept);
    }
}

/* ---- peak ------------------------------------------------------------------------------------- */

/* As many sums as the product W lambda keeps; all different, or the compiler would notice that one
   is enough. */
static double peak(size_t rounds) {
    volatile float start = 1; /* so that the compiler cannot know it */
    const singles factor = spread(0.999F * start), more = spread(0.001F * start);
    singles sums[SUMS];
#pragma GCC unroll 24
    for (int k = 0; k < SUMS; k++)
        sums[k] = spread(start);
    for (size_t r = 0; r < rounds; r++)
#pragma GCC unroll 24
        for (int k = 0; k < SUMS; k++)
            sums[k] = multiply_add(sums[k], factor, more);
#pragma GCC unroll 24
    for (int k = 0; k < SUMS; k++)
        start = sums[k][0];
    return 2.0 * SUMS * SINGLES * (double)rounds;
}

#include "kernels/gibbs_tuned.h"
#include "kernels/linear_tuned.h"
#include "kernels/log_cosh_tuned.h"
