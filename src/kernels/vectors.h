/* vectors.h - what the tuned kernels need from an instruction set; part of tuned.h
 *
 * SPDX-License-Identifier: MIT
 *
 * The types of VECTOR_BYTES bytes, then the same list of functions once for every instruction set.
 * Most of the kernels is plain arithmetic on these types, which the compiler handles; the functions
 * are for what C has no operator for, or compilers generate poor code for. All of them round like
 * the plain ones at the end, except multiply_add(), which may round once or twice.
 */
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(VECTOR_NEON)
#include <arm_neon.h>
#endif

typedef uint64_t lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t uints __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));
typedef double reals __attribute__((vector_size(VECTOR_BYTES)));
typedef float singles __attribute__((vector_size(VECTOR_BYTES)));

enum {
    LANES = VECTOR_BYTES / 8,
    REALS = VECTOR_BYTES / 8,
    SINGLES = VECTOR_BYTES / 4,
};

#define LOAD(type, name, element)                                                                  \
    static inline type name(const element *values) {                                               \
        type out;                                                                                  \
        memcpy(&out, values, sizeof out);                                                          \
        return out;                                                                                \
    }
LOAD(reals, load_reals, double)
LOAD(singles, load_singles, float)
LOAD(uints, load_uints, uint32_t)
LOAD(ints, load_ints, int32_t)

static inline singles spread(float x) {
    return x - (singles){0};
}

/* Eight elements of 4 bytes from `a` and, if a vector has 16, eight more from `b`; a shorter vector
   takes as many as fit from `a`. */
static inline lanes load_eights(const void *a, const void *b) {
#if VECTOR_BYTES == 64
    /* Plain C would assemble these in memory, and wait for it. */
    return (lanes)_mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(a)),
                                     _mm256_loadu_si256(b), 1);
#else
    lanes out;
    (void)b;
    memcpy(&out, a, sizeof out);
    return out;
#endif
}

static inline void store_eights(singles x, float *a, float *b) {
#if VECTOR_BYTES == 64
    _mm256_storeu_ps(a, _mm512_castps512_ps256((__m512)x));
    _mm256_storeu_ps(b, _mm512_extractf32x8_ps((__m512)x, 1));
#else
    (void)b;
    memcpy(a, &x, sizeof x);
#endif
}

/* SUMS          vectors of sums that a product keeps in registers
   multiply_low  the products of the low halves, in full
   exclusive     a ^ b ^ c
   join          the low halves of a, and those of b above them
   lower, upper  the even or odd lanes of a and b, alternating: a0 b0 a2 b2 ...
   smaller       a < b ? a : b
   choose        `which` is all ones or all zeros
   signs         the sign bits of all lanes, that of lane 0 lowest
   spins_of      +1 for every bit that is set, -1 for the others, from bit 0 on */

#if VECTOR_BYTES == 64 /* AVX-512 F, DQ, BW and VL */

enum { SUMS = 24 };

static inline lanes multiply_low(lanes a, lanes b) {
    return (lanes)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}

static inline lanes exclusive(lanes a, lanes b, lanes c) {
    return (lanes)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}

static inline lanes join(lanes a, lanes b) {
    return (lanes)_mm512_mask_shuffle_epi32((__m512i)a, 0xAAAA, (__m512i)b, _MM_PERM_CCAA);
}

static inline lanes lower(lanes a, lanes b) {
    return (lanes)_mm512_unpacklo_epi64((__m512i)a, (__m512i)b);
}

static inline lanes upper(lanes a, lanes b) {
    return (lanes)_mm512_unpackhi_epi64((__m512i)a, (__m512i)b);
}

static inline reals smaller(reals a, reals b) {
    return (reals)_mm512_min_pd((__m512d)a, (__m512d)b);
}

static inline reals square_root(reals x) {
    return (reals)_mm512_sqrt_pd((__m512d)x);
}

static inline singles multiply_add(singles a, singles b, singles c) {
    return (singles)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline singles choose(ints which, singles yes, singles no) {
    return (singles)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)which), (__m512)no,
                                         (__m512)yes);
}

static inline uint32_t signs(singles x) {
    return (uint32_t)_mm512_movepi32_mask((__m512i)x);
}

static inline singles spins_of(uint32_t bits) {
    return (singles)_mm512_mask_blend_ps((__mmask16)bits, (__m512)spread(-1.0F),
                                         (__m512)spread(1.0F));
}

static inline singles smaller_single(singles a, singles b) {
    return (singles)_mm512_min_ps((__m512)a, (__m512)b);
}

static inline singles larger_single(singles a, singles b) {
    return (singles)_mm512_max_ps((__m512)a, (__m512)b);
}

static inline singles root_single(singles x) {
    return (singles)_mm512_sqrt_ps((__m512)x);
}

#elif VECTOR_BYTES == 32 /* AVX2 and FMA */

enum { SUMS = 12 };

static inline lanes multiply_low(lanes a, lanes b) {
    return (lanes)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}

static inline lanes exclusive(lanes a, lanes b, lanes c) {
    return a ^ (b ^ c);
}

static inline lanes join(lanes a, lanes b) {
    return (a & 0xFFFFFFFF) | b << 32;
}

static inline lanes lower(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
}

static inline lanes upper(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
}

static inline reals smaller(reals a, reals b) {
    return (reals)_mm256_min_pd((__m256d)a, (__m256d)b);
}

static inline reals square_root(reals x) {
    return (reals)_mm256_sqrt_pd((__m256d)x);
}

static inline singles multiply_add(singles a, singles b, singles c) {
    return (singles)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline singles choose(ints which, singles yes, singles no) {
    return (singles)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)which);
}

static inline uint32_t signs(singles x) {
    return (uint32_t)_mm256_movemask_ps((__m256)x);
}

static inline singles spins_of(uint32_t bits) {
    const ints lane = {1, 2, 4, 8, 16, 32, 64, 128};
    return choose((ints)(((int32_t)bits & lane) == 0), spread(-1.0F), spread(1.0F));
}

static inline singles smaller_single(singles a, singles b) {
    return (singles)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline singles larger_single(singles a, singles b) {
    return (singles)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline singles root_single(singles x) {
    return (singles)_mm256_sqrt_ps((__m256)x);
}

#elif defined(VECTOR_NEON) /* of 64 bits, with 32 registers */

enum { SUMS = 24 };

static inline lanes multiply_low(lanes a, lanes b) {
    return (lanes)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}

static inline lanes exclusive(lanes a, lanes b, lanes c) {
    return a ^ (b ^ c);
}

static inline lanes join(lanes a, lanes b) {
    return (lanes)vsliq_n_u64((uint64x2_t)a, (uint64x2_t)b, 32);
}

static inline lanes lower(lanes a, lanes b) {
    return (lanes)vzip1q_u64((uint64x2_t)a, (uint64x2_t)b);
}

static inline lanes upper(lanes a, lanes b) {
    return (lanes)vzip2q_u64((uint64x2_t)a, (uint64x2_t)b);
}

static inline reals smaller(reals a, reals b) {
    return (reals)vminnmq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline reals square_root(reals x) {
    return (reals)vsqrtq_f64((float64x2_t)x);
}

static inline singles multiply_add(singles a, singles b, singles c) {
    return (singles)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline singles choose(ints which, singles yes, singles no) {
    return (singles)vbslq_f32((uint32x4_t)which, (float32x4_t)yes, (float32x4_t)no);
}

static inline uint32_t signs(singles x) {
    const int32x4_t places = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32((uint32x4_t)x, 31), places));
}

static inline singles spins_of(uint32_t bits) {
    const uint32x4_t lane = {1, 2, 4, 8};
    return choose((ints)vtstq_u32(vdupq_n_u32(bits), lane), spread(1.0F), spread(-1.0F));
}

/* If one is NaN, the other; vminq_f32() would return the NaN. */
static inline singles smaller_single(singles a, singles b) {
    return (singles)vminnmq_f32((float32x4_t)a, (float32x4_t)b);
}

static inline singles larger_single(singles a, singles b) {
    return (singles)vmaxnmq_f32((float32x4_t)a, (float32x4_t)b);
}

static inline singles root_single(singles x) {
    return (singles)vsqrtq_f32((float32x4_t)x);
}

#else /* any processor; on x86-64 that means SSE2 */

enum { SUMS = 12 };

static inline lanes multiply_low(lanes a, lanes b) {
#if defined(__SSE2__)
    return (lanes)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

static inline lanes exclusive(lanes a, lanes b, lanes c) {
    return a ^ (b ^ c);
}

static inline lanes join(lanes a, lanes b) {
    return (a & 0xFFFFFFFF) | b << 32;
}

static inline lanes lower(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 0, 2);
}

static inline lanes upper(lanes a, lanes b) {
    return __builtin_shufflevector(a, b, 1, 3);
}

static inline reals smaller(reals a, reals b) {
    const lanes first = (lanes)(a < b);
    return (reals)(((lanes)a & first) | ((lanes)b & ~first));
}

static inline reals square_root(reals x) {
#if defined(__SSE2__)
    return (reals)_mm_sqrt_pd((__m128d)x);
#else
    for (int k = 0; k < REALS; k++)
        x[k] = __builtin_sqrt(x[k]);
    return x;
#endif
}

static inline singles multiply_add(singles a, singles b, singles c) {
    return a * b + c;
}

static inline singles choose(ints which, singles yes, singles no) {
    return (singles)((which & (ints)yes) | (~which & (ints)no));
}

static inline uint32_t signs(singles x) {
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)x);
#else
    uint32_t out = 0;
    for (int k = 0; k < SINGLES; k++)
        out |= (uint32_t)((ints)x)[k] >> 31 << k;
    return out;
#endif
}

static inline singles spins_of(uint32_t bits) {
    const ints lane = {1, 2, 4, 8};
    const ints is_down = (ints)(((int32_t)bits & lane) == 0);
    return (singles)((ints)spread(1.0F) | (is_down & INT32_MIN));
}

static inline singles smaller_single(singles a, singles b) {
#if defined(__SSE2__)
    return (singles)_mm_min_ps((__m128)a, (__m128)b);
#else
    return choose((ints)(a < b), a, b);
#endif
}

static inline singles larger_single(singles a, singles b) {
#if defined(__SSE2__)
    return (singles)_mm_max_ps((__m128)a, (__m128)b);
#else
    return choose((ints)(a > b), a, b);
#endif
}

static inline singles root_single(singles x) {
#if defined(__SSE2__)
    return (singles)_mm_sqrt_ps((__m128)x);
#else
    for (int k = 0; k < SINGLES; k++)
        x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
}

#endif
