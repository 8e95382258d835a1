/* gibbs_tuned.h - the Gibbs kernels in vectors; part of tuned.h
 *
 * SPDX-License-Identifier: MIT
 *
 * Lanes are visible units, sixteen to a panel, so that the spins of a chain come out in the order
 * in which they are stored, and a row of W lambda for six chains keeps twelve sums in registers.
 * For every word of 64 units, while their part of W is in the first cache: the products and draws of
 * all chains, then the spins that flipped add their rows of W to the sums over spins.
 *
 * gibbs_draws.h defines the outcome. Here x and exp(-2 beta x) are floats with an error bound, and
 * a spin is drawn from 16 bits; the few that this leaves open are asked for there.
 */
#include "base/bits.h"
#include "kernels/gibbs_draws.h"

typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));

enum {
    PER_PANEL = ISG_PANEL / SINGLES, /* vectors */
    AT_ONCE = 12 / PER_PANEL,        /* chains in one product */
};

static inline singles load_singles(const float *values) {
    singles out;
    memcpy(&out, values, sizeof out);
    return out;
}

static inline words load_words(const uint32_t *values) {
    words out;
    memcpy(&out, values, sizeof out);
    return out;
}

static inline ints load_ints(const int32_t *values) {
    ints out;
    memcpy(&out, values, sizeof out);
    return out;
}

static inline singles spread(float x) {
    return x - (singles){0};
}

static inline singles choose(ints which, singles yes, singles no) {
#if defined(__AVX2__) && VECTOR_BYTES == 32
    return (singles)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)which);
#else
    return (singles)((which & (ints)yes) | (~which & (ints)no));
#endif
}

/* The sign bits of all lanes, that of lane 0 lowest. */
static inline uint32_t signs(singles x) {
#if defined(__AVX2__) && VECTOR_BYTES == 32
    return (uint32_t)_mm256_movemask_ps((__m256)x);
#elif defined(__SSE2__) && VECTOR_BYTES == 16
    return (uint32_t)_mm_movemask_ps((__m128)x);
#else
    uint32_t out = 0;
    for (int k = 0; k < SINGLES; k++)
        out |= (uint32_t)((ints)x)[k] >> 31 << k;
    return out;
#endif
}

static inline singles smaller_single(singles a, singles b) {
#if defined(__AVX2__) && VECTOR_BYTES == 32
    return (singles)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__) && VECTOR_BYTES == 16
    return (singles)_mm_min_ps((__m128)a, (__m128)b);
#else
    return choose((ints)(a < b), a, b);
#endif
}

static inline singles larger_single(singles a, singles b) {
#if defined(__AVX2__) && VECTOR_BYTES == 32
    return (singles)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__) && VECTOR_BYTES == 16
    return (singles)_mm_max_ps((__m128)a, (__m128)b);
#else
    return choose((ints)(a > b), a, b);
#endif
}

static inline singles root_single(singles x) {
#if defined(__AVX2__) && VECTOR_BYTES == 32
    return (singles)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__) && VECTOR_BYTES == 16
    return (singles)_mm_sqrt_ps((__m128)x);
#else
    for (int k = 0; k < SINGLES; k++)
        x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
}

/* ---- hidden_input ----------------------------------------------------------------------------- */

/* `vectors` vectors of the sums over spins as the spins of one word change. A row of W is added for
   every spin that went up. For one that went down its complement is, which is its negative less
   one; `downs` makes that good for all of them at once. */
__attribute__((always_inline)) static inline void add_tile(const int32_t *rows, size_t stride,
                                                           uint64_t flips, uint64_t after,
                                                           int32_t downs, int32_t *input,
                                                           const int vectors) {
    ints sums[8];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
        sums[v] = load_ints(input + v * SINGLES) + downs;
    for (; flips != 0; flips &= flips - 1) {
        const size_t bit = (size_t)__builtin_ctzll(flips);
        const int32_t *row = rows + bit * stride;
        __asm__("" : "+r"(row)); /* one address for all loads, not one for each */
        const ints sign = (int32_t)(after >> bit & 1) - 1 - (ints){0};
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            sums[v] += load_ints(row + v * SINGLES) ^ sign;
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
        memcpy(input + v * SINGLES, &sums[v], sizeof sums[v]);
}

/* `input` as the spins of one word go from `before` to `after`. */
static void follow_flips(const isg_gibbs_weights *w, size_t word, uint64_t before, uint64_t after,
                         int32_t *input) {
    const uint64_t flips = before ^ after;
    if (flips == 0)
        return;
    const int32_t downs = (int32_t)__builtin_popcountll(before & ~after);
    const int32_t *rows = w->rows + 64 * word * w->stride;
    size_t left = w->stride / SINGLES, mu = 0; /* an even number of vectors */
    for (; left >= 8; left -= 8, mu += 8 * SINGLES)
        add_tile(rows + mu, w->stride, flips, after, downs, input + mu, 8);
    if (left == 6)
        add_tile(rows + mu, w->stride, flips, after, downs, input + mu, 6);
    else if (left == 4)
        add_tile(rows + mu, w->stride, flips, after, downs, input + mu, 4);
    else if (left == 2)
        add_tile(rows + mu, w->stride, flips, after, downs, input + mu, 2);
}

static void hidden_input(const isg_gibbs_weights *w, size_t chains, const uint64_t *spins,
                         int32_t *input) {
    for (size_t k = 0; k < chains; k++)
        memcpy(input + k * w->stride, w->all_down, w->stride * sizeof *input);
    for (size_t word = 0; word < w->words; word++)
        for (size_t k = 0; k < chains; k++)
            follow_flips(w, word, 0, spins[k * w->words + word], input + k * w->stride);
}

/* ---- products --------------------------------------------------------------------------------- */

/* out (rows, ISG_PANEL) = start + sum over d < depth of factors_d * panel_d, with one factor to a
   row and panels of ISG_PANEL floats; rows <= AT_ONCE. All sums stay in registers. */
typedef struct factors {
    const float *values;
    size_t row_step, depth_step;
} factors;

__attribute__((always_inline)) static inline void product(const int rows, size_t depth,
                                                          const float *panels, size_t panel_step,
                                                          factors f, const float *start,
                                                          float *out) {
    singles sums[AT_ONCE][PER_PANEL];
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            sums[r][v] = load_singles(start + v * SINGLES);
#pragma GCC unroll 2
    for (size_t d = 0; d < depth; d++, panels += panel_step, f.values += f.depth_step) {
        singles panel[PER_PANEL];
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            panel[v] = load_singles(panels + v * SINGLES);
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++) {
            const singles factor = spread(f.values[(size_t)r * f.row_step]);
#pragma GCC unroll 4
            for (int v = 0; v < PER_PANEL; v++)
                sums[r][v] = multiply_add(panel[v], factor, sums[r][v]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            memcpy(out + r * ISG_PANEL + v * SINGLES, &sums[r][v], sizeof sums[r][v]);
}

/* The same for any number of rows, and `repeat` times over: panels, start and out one after the
   other. A function of its own: as part of a larger one, its sums would not all get registers. */
__attribute__((noinline)) static void products(size_t repeat, size_t rows, size_t depth,
                                               const float *panels, size_t panel_step, factors f,
                                               const float *start, float *out) {
    for (size_t k = 0; k < repeat; k++) {
        switch (rows) {
        case 1:
            product(1, depth, panels, panel_step, f, start, out);
            break;
        case 2:
            product(2, depth, panels, panel_step, f, start, out);
            break;
        case 3:
            product(3, depth, panels, panel_step, f, start, out);
            break;
#if VECTOR_BYTES == 32
        case 4:
            product(4, depth, panels, panel_step, f, start, out);
            break;
        case 5:
            product(5, depth, panels, panel_step, f, start, out);
            break;
        case 6:
            product(6, depth, panels, panel_step, f, start, out);
            break;
#endif
        }
        panels += depth * panel_step;
        start += ISG_PANEL;
        out += AT_ONCE * ISG_PANEL;
    }
}

/* x (panels, AT_ONCE, ISG_PANEL) of `rows` chains. */
static inline void visible_inputs(const isg_gibbs_weights *w, size_t panel, size_t panels,
                                  size_t rows, const float *lambda, float *x) {
    products(panels, rows, w->n_hidden, w->weights + panel * w->n_hidden * ISG_PANEL, ISG_PANEL,
             (factors){lambda, w->stride, 1}, w->field + panel * ISG_PANEL, x);
}

/* ---- gibbs_sweep ------------------------------------------------------------------------------ */

/* The lanes of isg_gibbs_normals(), operation by operation. */
static inline void normals(words high, words low, singles *first, singles *second) {
    const singles v = __builtin_convertvector((ints)(high >> 8), singles) * 0x1p16F +
                      __builtin_convertvector((ints)((high & 0xFF) << 8 | low >> 24), singles) +
                      1.0F;
    const int32_t sqrt_half = 0x3F3504F3;
    const ints bits = (ints)v - sqrt_half;
    const singles e = __builtin_convertvector((bits >> 23) - 40, singles);
    const singles m = (singles)((bits & 0x7FFFFF) + sqrt_half);
    const singles s = (m - 1.0F) / (m + 1.0F), q = s * s;
    const singles series = (((2.0F / 9 * q + 2.0F / 7) * q + 2.0F / 5) * q + 2.0F / 3) * q + 2.0F;
    const singles radius = root_single(-2.0F * (e * 0x1.62e43p-1F + s * series));
    const words octant = low >> 21 & 7;
    const words within = (low ^ (0 - (octant & 1))) & 0x1FFFFF;
    const singles angle =
        __builtin_convertvector((ints)(2 * within + 1), singles) * 0x1.921fb6p-23F;
    const singles a = angle * angle;
    const singles sine =
        angle + angle * (a * (((1.0F / 362880 * a - 1.0F / 5040) * a + 1.0F / 120) * a - 1.0F / 6));
    const singles cosine =
        1.0F + a * (((1.0F / 40320 * a - 1.0F / 720) * a + 1.0F / 24) * a - 0.5F);
    const ints is_swapped = (ints)((octant + 1) << 30) >> 31;
    const words first_sign = (octant + 2) << 29 & 0x80000000;
    const words second_sign = octant << 29 & 0x80000000;
    *first = (singles)((words)(radius * choose(is_swapped, sine, cosine)) ^ first_sign);
    *second = (singles)((words)(radius * choose(is_swapped, cosine, sine)) ^ second_sign);
}

/* What the draws of one chain need to know. */
typedef struct draw_plan {
    float exponent;     /* exp(-2 beta gain x) = 2^(exponent x) */
    float below, above; /* the true exp() is between these times what is computed */
} draw_plan;

/* By how much the exponent -2 beta gain x of exp() may be off, in all: a sum of n products in
   float is off by at most n 2^-24 times the sum of their sizes, the cubic of draw() by 7.5e-5 and
   its argument, at most 100, by 2^-23 of itself. */
static draw_plan plan_draws(const isg_gibbs_weights *w, const isg_gibbs_step *step, double norm) {
    const double factor = 2 * step->beta * step->gain;
    const double sizes = (double)w->row_norm * norm + (double)w->field_size;
    const double error = fabs(factor) * (double)(w->n_hidden + 3) * 0x1.01p-24 * sizes + 1e-4;
    draw_plan plan = {.exponent = (float)(factor * -0x1.71547652b82fep0), 0, HUGE_VALF};
    /* Otherwise, NaN included, every spin is left open. */
    if (error < 20 && isfinite(plan.exponent)) {
        plan.above = (float)(isg_exp(error) * 1.000001);
        plan.below = (float)(isg_exp(-error) * 0.999999);
    }
    return plan;
}

static draw_plan sample_hidden(const isg_gibbs_weights *w, const isg_gibbs_step *step,
                               const uint32_t *random, const int32_t *input, float *lambda) {
    const singles gain = spread((float)step->gain);
    const singles deviation = spread((float)(1 / sqrt(step->beta)));
    singles squares = {0};
    for (size_t group = 0; group < w->stride; group += 16)
        for (size_t half = 0; half < 8; half += SINGLES) {
            singles z[2];
            normals(load_words(random + group + half), load_words(random + group + half + 8), &z[0],
                    &z[1]);
            for (size_t k = 0; k < 2; k++) {
                const size_t mu = group + half + 8 * k;
                const singles mean =
                    __builtin_convertvector(load_ints(input + mu), singles) * w->unit +
                    load_singles(w->hidden_field + mu);
                const singles out = gain * mean + deviation * z[k];
                memcpy(lambda + mu, &out, sizeof out);
                squares += out * out;
            }
        }
    double square = 0;
    for (int k = 0; k < SINGLES; k++)
        square += (double)squares[k];
    /* The sum of squares is in float too. */
    return plan_draws(w, step, sqrt(square * 1.001));
}

/* Vectors that are drawn side by side: each step waits for the one before, so that one alone would
   leave the processor idle most of the time. */
enum { ABREAST = 4, PANELS_ABREAST = ABREAST / PER_PANEL };
#define FOR_ABREAST _Pragma("GCC unroll 4") for (int v = 0; v < ABREAST; v++)

/* e[] = 2^t[] for |t| <= 100, to 7.5e-5 of itself. */
static inline void powers_of_two(const singles t[ABREAST], singles e[ABREAST]) {
    const float magic = 0x1.8p23F; /* adding it rounds to a whole number, in the low bits */
    singles rounded[ABREAST], f[ABREAST];
    FOR_ABREAST rounded[v] = t[v] + magic;
    FOR_ABREAST f[v] = t[v] - (rounded[v] - magic);
    FOR_ABREAST e[v] = multiply_add(f[v], spread(0x1.c3f76p-5F), spread(0x1.f0de1ap-3F));
    FOR_ABREAST e[v] = multiply_add(f[v], e[v], spread(0x1.62f31ap-1F));
    FOR_ABREAST e[v] = multiply_add(f[v], e[v], spread(0x1.fff692p-1F));
    FOR_ABREAST e[v] = (singles)((ints)e[v] + ((ints)rounded[v] << 23));
}

/* Which of the units come out as +1 as far as can be told, and which are left open. `x` has a panel
   every `x_step`. */
static inline uint32_t draw(const float *x, size_t x_step, const uint32_t *random,
                            const draw_plan *plan, uint32_t *open) {
    const singles one = spread(1.0F), end = spread(-65536.0F);
    singles t[ABREAST], e[ABREAST], most[ABREAST], least[ABREAST];
    FOR_ABREAST t[v] =
        plan->exponent * load_singles(x + v / PER_PANEL * x_step + v % PER_PANEL * SINGLES);
    FOR_ABREAST t[v] = larger_single(smaller_single(t[v], spread(100.0F)), spread(-100.0F));
    powers_of_two(t, e);
    /* The uniform is between bits and bits + 1; the 0.02 is more than rounding does here. */
    FOR_ABREAST {
        const words both = load_words(random + v / PER_PANEL * 8 + v * SINGLES % 8);
        const ints bits = (ints)(v % PER_PANEL * SINGLES < 8 ? both & 0xFFFF : both >> 16);
        t[v] = __builtin_convertvector(bits, singles);
    }
    FOR_ABREAST most[v] = multiply_add(e[v], spread(plan->above), one);
    FOR_ABREAST least[v] = multiply_add(e[v], spread(plan->below), one);
    FOR_ABREAST most[v] = multiply_add(t[v] + 1.02F, most[v], end);
    FOR_ABREAST least[v] = multiply_add(t[v] - 0.02F, least[v], end);
    uint32_t up = 0, not_down = 0;
    FOR_ABREAST up |= signs(most[v]) << v * SINGLES;
    FOR_ABREAST not_down |= signs(least[v]) << v * SINGLES;
    *open = up ^ not_down;
    return up;
}

/* The spins of one chain and up to four panels, as one word; both `x` and the random words go on
   to a whole number of PANELS_ABREAST. */
static inline uint64_t draw_word(size_t panels, const float *x, size_t x_step,
                                 const uint32_t *random, const draw_plan *plan, uint64_t *open) {
    uint64_t up = 0;
    *open = 0;
    for (size_t panel = 0; panel < panels; panel += PANELS_ABREAST) {
        uint32_t part;
        up |= (uint64_t)draw(x + panel * x_step, x_step, random + 8 * panel, plan, &part)
              << panel * ISG_PANEL;
        *open |= (uint64_t)part << panel * ISG_PANEL;
    }
    return up;
}

/* The same with nothing left open. */
static uint64_t settle(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chain,
                       size_t word, const uint32_t *random, const float *lambda, uint64_t up,
                       uint64_t open) {
    for (; open != 0; open &= open - 1) {
        const size_t bit = (size_t)__builtin_ctzll(open), i = 64 * word + bit;
        const uint32_t both = random[bit / ISG_PANEL * 8 + bit % 8];
        const uint32_t first = bit % ISG_PANEL < 8 ? both & 0xFFFF : both >> 16;
        if (i < w->n_visible)
            isg_bit_assign(&up, bit, isg_gibbs_spin(w, step, chain, i, first, lambda));
    }
    return up;
}

/* What one call of gibbs_sweep() works on. */
typedef struct sweep {
    const isg_gibbs_weights *w;
    const isg_gibbs_step *step;
    const float *lambda;    /* (chains, stride) */
    const uint32_t *random; /* (chains, random_words) */
    size_t random_words;
    draw_plan plans[ISG_GIBBS_CHAINS];
    uint64_t fresh[ISG_GIBBS_CHAINS]; /* the new spins of one word */
} sweep;

/* The new spins of one word, in up to AT_ONCE chains. */
static inline void draw_chains(sweep *sw, size_t word, size_t first, size_t rows) {
    const isg_gibbs_weights *w = sw->w;
    const size_t panel = 4 * word, panels = w->panels - panel < 4 ? w->panels - panel : 4;
    float x[4 * AT_ONCE * ISG_PANEL];
    visible_inputs(w, panel, panels, rows, sw->lambda + first * w->stride, x);
    if (panels % PANELS_ABREAST != 0) /* random words are there: those of the hidden units */
        memset(x + panels * AT_ONCE * ISG_PANEL, 0, AT_ONCE * ISG_PANEL * sizeof *x);
    for (size_t r = 0; r < rows; r++) {
        const size_t k = first + r;
        const uint32_t *random = sw->random + k * sw->random_words + 8 * panel;
        uint64_t open;
        uint64_t up =
            draw_word(panels, x + r * ISG_PANEL, AT_ONCE * ISG_PANEL, random, &sw->plans[k], &open);
        if (open != 0)
            up = settle(w, sw->step, k, word, random, sw->lambda + k * w->stride, up, open);
        sw->fresh[k] = up;
    }
}

/* The spins of a word that may change. */
static uint64_t free_spins(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t word) {
    const bool is_cut = word == w->words - 1 && w->n_visible % 64 != 0;
    const uint64_t used = is_cut ? (UINT64_C(1) << w->n_visible % 64) - 1 : UINT64_MAX;
    return step->clamped ? used & ~step->clamped[word] : used;
}

static void gibbs_sweep(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chains,
                        uint64_t *spins, int32_t *input, float *lambda, void *scratch) {
    sweep sw = {w, step, lambda, scratch, .random_words = isg_extra_start(w)};
    for (size_t k = 0; k < chains; k++) {
        const uint32_t counter[4] = {step->counter[0], step->counter[1] + (uint32_t)k,
                                     step->counter[2], step->counter[3]};
        uint32_t *random = (uint32_t *)scratch + k * sw.random_words;
        random_words(sw.random_words / 4, step->key, counter, random);
        sw.plans[k] = sample_hidden(w, step, random + isg_normals_start(w), input + k * w->stride,
                                    lambda + k * w->stride);
    }
    for (size_t word = 0; word < w->words; word++) {
        for (size_t first = 0; first < chains; first += AT_ONCE)
            draw_chains(&sw, word, first, chains - first < AT_ONCE ? chains - first : AT_ONCE);
        const uint64_t free = free_spins(w, step, word);
        for (size_t k = 0; k < chains; k++) {
            uint64_t *old = spins + k * w->words + word;
            const uint64_t new = *old ^ ((*old ^ sw.fresh[k]) & free);
            follow_flips(w, word, *old, new, input + k * w->stride);
            *old = new;
        }
    }
}

/* ---- spin_moments ----------------------------------------------------------------------------- */

/* 16 spins as +1 and -1. */
static inline void spread_spins(uint32_t bits, float *out) {
    const ints lane = {
        1,
        2,
        4,
        8,
#if VECTOR_BYTES == 32
        16,
        32,
        64,
        128
#endif
    };
#pragma GCC unroll 4
    for (int v = 0; v < PER_PANEL; v++) {
        const ints is_down = (ints)(((int32_t)(bits >> v * SINGLES) & lane) == 0);
        const ints spin = (ints)spread(1.0F) | (is_down & INT32_MIN);
        memcpy(out + v * SINGLES, &spin, sizeof spin);
    }
}

static void spin_moments(const isg_gibbs_weights *w, size_t panel, size_t samples,
                         const uint64_t *spins, const float *lambda, double sign, double *sums) {
    static const float zeros[ISG_PANEL];
    float spread_out[ISG_MOMENT_SAMPLES * ISG_PANEL], part[AT_ONCE * ISG_PANEL];
    for (size_t first = 0; first < samples; first += ISG_MOMENT_SAMPLES) {
        const size_t count =
            samples - first < ISG_MOMENT_SAMPLES ? samples - first : ISG_MOMENT_SAMPLES;
        for (size_t a = 0; a < count; a++)
            spread_spins(spins[(first + a) * w->words + panel / 4] >> panel % 4 * 16 & 0xFFFF,
                         spread_out + a * ISG_PANEL);
        for (size_t mu = 0; mu < w->stride; mu += ISG_PANEL)
            for (size_t q = 0; q < ISG_PANEL; q += AT_ONCE) {
                const size_t rows = ISG_PANEL - q < AT_ONCE ? ISG_PANEL - q : AT_ONCE;
                const factors f = {spread_out + q, 1, ISG_PANEL};
                products(1, rows, count, lambda + first * w->stride + mu, w->stride, f, zeros,
                         part);
                for (size_t r = 0; r < rows; r++)
                    for (size_t k = 0; k < ISG_PANEL; k++)
                        sums[(q + r) * w->stride + mu + k] +=
                            sign * (double)part[r * ISG_PANEL + k];
            }
    }
}
