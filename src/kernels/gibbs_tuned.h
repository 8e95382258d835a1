/* gibbs_tuned.h - the Gibbs kernels in vectors; part of tuned.h
 *
 * SPDX-License-Identifier: MIT
 *
 * Lanes are visible units, sixteen to a panel, so the spins of a chain come out in the order in
 * which they are stored, and the sums of W lambda for several chains stay in registers: 6 chains
 * with AVX2 and NEON, 24 with AVX-512, 3 elsewhere. For each word of 64 units, while its part of W
 * is in the first-level cache, all chains compute their products and draws; then the spins that
 * flipped add their rows of W to the sums over spins.
 *
 * gibbs_draws.h defines the outcome. Here x and exp(-2 beta x) are floats with an error bound, and
 * a spin is drawn from 16 bits; the few that this leaves open are settled by that definition.
 */
#include "base/bits.h"
#include "kernels/gibbs_draws.h"

enum {
    PER_PANEL = ISG_PANEL / SINGLES, /* vectors */
    AT_ONCE = SUMS / PER_PANEL,      /* chains in one product */
};

/* ---- hidden_input ----------------------------------------------------------------------------- */

/* Updates `vectors` vectors of the sums over spins when the spins of one word change. Every spin
   that went up adds its row of W; one that went down adds the complement, which is the negative
   minus one, and `downs` corrects for that in all of them at once. */
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
        __asm__("" : "+r"(row)); /* one address for all loads instead of one each */
        const ints sign = (int32_t)(after >> bit & 1) - 1 - (ints){0};
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            sums[v] += load_ints(row + v * SINGLES) ^ sign;
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
        memcpy(input + v * SINGLES, &sums[v], sizeof sums[v]);
}

/* Updates `input` when the spins of one word go from `before` to `after`. */
static void follow_flips(const isg_gibbs_weights *w, size_t word, uint64_t before, uint64_t after,
                         int32_t *input) {
    const uint64_t flips = before ^ after;
    if (flips == 0)
        return;
    const int32_t downs = (int32_t)__builtin_popcountll(before & ~after);
    const int32_t *rows = w->rows + 64 * word * w->stride;
    size_t left = w->stride / SINGLES, mu = 0;
    for (; left >= 8; left -= 8, mu += 8 * SINGLES)
        add_tile(rows + mu, w->stride, flips, after, downs, input + mu, 8);
        /* The stride is a multiple of PER_PANEL vectors. */
#define TILE(k)                                                                                    \
    case k:                                                                                        \
        if (k % PER_PANEL == 0)                                                                    \
            add_tile(rows + mu, w->stride, flips, after, downs, input + mu, k);                    \
        break
    switch (left) {
        TILE(1);
        TILE(2);
        TILE(3);
        TILE(4);
        TILE(5);
        TILE(6);
        TILE(7);
    }
#undef TILE
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

/* out (rows, ISG_PANEL) = start + sum over d < depth of factors_d * panel_d, with one factor per
   row, `factor_step` apart from one d to the next, and panels of ISG_PANEL floats; rows <= AT_ONCE.
   All sums stay in registers. */
__attribute__((always_inline)) static inline void product(const int rows, size_t depth,
                                                          const float *panels, size_t panel_step,
                                                          const float *factors, size_t factor_step,
                                                          const float *start, float *out) {
    singles sums[AT_ONCE][PER_PANEL];
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            sums[r][v] = load_singles(start + v * SINGLES);
#pragma GCC unroll 2
    for (size_t d = 0; d < depth; d++, panels += panel_step, factors += factor_step) {
        singles panel[PER_PANEL];
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            panel[v] = load_singles(panels + v * SINGLES);
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++) {
            const singles factor = spread(factors[r]);
#pragma GCC unroll 4
            for (int v = 0; v < PER_PANEL; v++)
                sums[r][v] = multiply_add(panel[v], factor, sums[r][v]);
        }
    }
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < PER_PANEL; v++)
            memcpy(out + r * ISG_PANEL + v * SINGLES, &sums[r][v], sizeof sums[r][v]);
}

#define ROWS(k)                                                                                    \
    case k:                                                                                        \
        if (k <= AT_ONCE)                                                                          \
            product(k <= AT_ONCE ? k : 1, depth, panels, panel_step, factors, factor_step, start,  \
                    out);                                                                          \
        break
#define EIGHT_ROWS(k)                                                                              \
    ROWS(k);                                                                                       \
    ROWS(k + 1);                                                                                   \
    ROWS(k + 2);                                                                                   \
    ROWS(k + 3);                                                                                   \
    ROWS(k + 4);                                                                                   \
    ROWS(k + 5);                                                                                   \
    ROWS(k + 6);                                                                                   \
    ROWS(k + 7)

/* The same for any number of rows, `repeat` times: panels, start and out follow one another. Not
   inlined, because in a larger function the sums would not all get registers. */
__attribute__((noinline)) static void products(size_t repeat, size_t rows, size_t depth,
                                               const float *panels, size_t panel_step,
                                               const float *factors, size_t factor_step,
                                               const float *start, float *out) {
    for (size_t k = 0; k < repeat; k++) {
        switch (rows) {
            EIGHT_ROWS(1);
            EIGHT_ROWS(9);
            EIGHT_ROWS(17);
        }
        panels += depth * panel_step;
        start += ISG_PANEL;
        out += AT_ONCE * ISG_PANEL;
    }
}

/* lambda (chains, stride) in the layout that the products read: AT_ONCE chains at a time (n_hidden,
   AT_ONCE), so one address is enough for all of them, whatever the stride. */
static void pack(const isg_gibbs_weights *w, size_t chain, const float *lambda, float *packed) {
    float *out = packed + chain / AT_ONCE * AT_ONCE * w->n_hidden + chain % AT_ONCE;
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        out[mu * AT_ONCE] = lambda[mu];
}

/* x (panels, AT_ONCE, ISG_PANEL) of `rows` chains from `chain` on. */
static inline void visible_inputs(const isg_gibbs_weights *w, size_t panel, size_t panels,
                                  size_t chain, size_t rows, const float *packed, float *x) {
    products(panels, rows, w->n_hidden, w->weights + panel * w->n_hidden * ISG_PANEL, ISG_PANEL,
             packed + chain * w->n_hidden, AT_ONCE, w->field + panel * ISG_PANEL, x);
}

/* ---- gibbs_sweep ------------------------------------------------------------------------------ */

/* isg_gibbs_normals() in lanes, operation by operation. */
static inline void normals(uints high, uints low, singles *first, singles *second) {
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
    const uints octant = low >> 21 & 7;
    const uints within = (low ^ (0 - (octant & 1))) & 0x1FFFFF;
    const singles angle =
        __builtin_convertvector((ints)(2 * within + 1), singles) * 0x1.921fb6p-23F;
    const singles a = angle * angle;
    const singles sine =
        angle + angle * (a * (((1.0F / 362880 * a - 1.0F / 5040) * a + 1.0F / 120) * a - 1.0F / 6));
    const singles cosine =
        1.0F + a * (((1.0F / 40320 * a - 1.0F / 720) * a + 1.0F / 24) * a - 0.5F);
    const ints is_swapped = (ints)((octant + 1) << 30) >> 31;
    const uints first_sign = (octant + 2) << 29 & 0x80000000;
    const uints second_sign = octant << 29 & 0x80000000;
    *first = (singles)((uints)(radius * choose(is_swapped, sine, cosine)) ^ first_sign);
    *second = (singles)((uints)(radius * choose(is_swapped, cosine, sine)) ^ second_sign);
}

/* What the draws of one chain need to know. */
typedef struct draw_plan {
    float exponent;     /* exp(-2 beta gain x) = 2^(exponent x) */
    float below, above; /* the exact exp() is between these factors times the computed one */
} draw_plan;

/* The bound on the total error of the exponent -2 beta gain x of exp(): a sum of n products in
   float has an error of at most n 2^-24 times the sum of their sizes, the cubic of draw() of
   7.5e-5, and its argument, at most 100, of 2^-23 of itself. */
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

/* Eight pairs of words give sixteen hidden units. A vector of sixteen lanes takes two such groups
   side by side. */
enum { GROUPS = SINGLES > 8 ? SINGLES / 8 : 1 };

static draw_plan sample_hidden(const isg_gibbs_weights *w, const isg_gibbs_step *step,
                               const uint32_t *random, const int32_t *input, float *lambda) {
    const singles gain = spread((float)step->gain);
    const singles deviation = spread((float)(1 / sqrt(step->beta)));
    singles squares = {0};
    for (size_t group = 0; group < w->stride; group += GROUPS * 16)
        for (size_t half = 0; half < 8; half += SINGLES) {
            /* A last group without a partner takes both places: the same values are stored twice,
               and the sum of squares is too large, which is allowed. */
            const size_t here = group + half, there = here + (group + 16 < w->stride ? 16 : 0);
            singles z[2];
            normals((uints)load_eights(random + here, random + there),
                    (uints)load_eights(random + here + 8, random + there + 8), &z[0], &z[1]);
            for (size_t k = 0; k < 2; k++) {
                const size_t mu = here + 8 * k, nu = there + 8 * k;
                const singles sums =
                    __builtin_convertvector((ints)load_eights(input + mu, input + nu), singles);
                const singles field =
                    (singles)load_eights(w->hidden_field + mu, w->hidden_field + nu);
                const singles out = gain * (sums * w->unit + field) + deviation * z[k];
                store_eights(out, lambda + mu, lambda + nu);
                squares += out * out;
            }
        }
    double square = 0;
    for (int k = 0; k < SINGLES; k++)
        square += (double)squares[k];
    /* The sum of squares is in float too. */
    return plan_draws(w, step, sqrt(square * 1.001));
}

/* Vectors drawn side by side: each step waits for the one before, so one vector alone would leave
   the processor idle most of the time. */
enum { ABREAST = VECTOR_BYTES == 64 ? 2 : 4, PANELS_ABREAST = ABREAST / PER_PANEL };
#define FOR_ABREAST _Pragma("GCC unroll 4") for (int v = 0; v < ABREAST; v++)

/* e[] = 2^t[] for |t| <= 100, with a relative error of 7.5e-5. */
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

/* The first 16 bits of the units `from`, `from` + 1, ... of a panel with these words. */
static inline ints first_bits(const uint32_t *random, int from) {
#if VECTOR_BYTES == 64
    const uints both = (uints)load_eights(random, random);
    const uints places = {0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16};
    return (ints)(both >> (places + (uint32_t)from) & 0xFFFF);
#else
    const uints both = load_uints(random + from % 8);
    return (ints)(from < 8 ? both & 0xFFFF : both >> 16);
#endif
}

/* Which units are known to be +1, and which are left open. The panels of `x` are `x_step` apart. */
static inline uint32_t draw(const float *x, size_t x_step, const uint32_t *random,
                            const draw_plan *plan, uint32_t *open) {
    const singles one = spread(1.0F), end = spread(-65536.0F);
    singles t[ABREAST], e[ABREAST], most[ABREAST], least[ABREAST];
    FOR_ABREAST t[v] =
        plan->exponent * load_singles(x + v / PER_PANEL * x_step + v % PER_PANEL * SINGLES);
    FOR_ABREAST t[v] = larger_single(smaller_single(t[v], spread(100.0F)), spread(-100.0F));
    powers_of_two(t, e);
    /* The uniform is between bits and bits + 1; 0.02 exceeds the rounding error here. */
    FOR_ABREAST t[v] = __builtin_convertvector(
        first_bits(random + v / PER_PANEL * 8, v % PER_PANEL * SINGLES), singles);
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

/* The spins of one chain and up to four panels, as one word; `x` and the random words extend to a
   multiple of PANELS_ABREAST. */
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
    const float *packed;    /* the same, by pack() */
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
    visible_inputs(w, panel, panels, first, rows, sw->packed, x);
    if (panels % PANELS_ABREAST != 0) /* the random words of the hidden units follow */
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

/* The spins of a word that may change in one chain. */
static uint64_t free_spins(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chain,
                           size_t word) {
    const bool is_cut = word == w->words - 1 && w->n_visible % 64 != 0;
    const uint64_t used = is_cut ? (UINT64_C(1) << w->n_visible % 64) - 1 : UINT64_MAX;
    return step->clamped ? used & ~step->clamped[chain * step->clamped_stride + word] : used;
}

static void gibbs_sweep(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chains,
                        uint64_t *spins, int32_t *input, float *lambda, void *scratch) {
    uint32_t *random = scratch;
    float *packed = (float *)(random + ISG_GIBBS_CHAINS * isg_extra_start(w));
    sweep sw = {w, step, lambda, packed, random, .random_words = isg_extra_start(w)};
    for (size_t k = 0; k < chains; k++) {
        const uint32_t counter[4] = {step->counter[0], step->counter[1] + (uint32_t)k,
                                     step->counter[2], step->counter[3]};
        random_words(sw.random_words / 4, step->key, counter, random + k * sw.random_words);
        sw.plans[k] = sample_hidden(w, step, random + k * sw.random_words + isg_normals_start(w),
                                    input + k * w->stride, lambda + k * w->stride);
        pack(w, k, lambda + k * w->stride, packed);
    }
    for (size_t word = 0; word < w->words; word++) {
        for (size_t first = 0; first < chains; first += AT_ONCE)
            draw_chains(&sw, word, first, chains - first < AT_ONCE ? chains - first : AT_ONCE);
        for (size_t k = 0; k < chains; k++) {
            uint64_t *old = spins + k * w->words + word;
            const uint64_t new = *old ^ ((*old ^ sw.fresh[k]) & free_spins(w, step, k, word));
            follow_flips(w, word, *old, new, input + k * w->stride);
            *old = new;
        }
    }
}

/* ---- spin_moments ----------------------------------------------------------------------------- */

/* 16 spins as +1 and -1. */
static inline void spread_spins(uint32_t bits, float *out) {
#pragma GCC unroll 4
    for (int v = 0; v < PER_PANEL; v++) {
        const singles spin = spins_of(bits >> v * SINGLES);
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
                products(1, rows, count, lambda + first * w->stride + mu, w->stride, spread_out + q,
                         ISG_PANEL, zeros, part);
                for (size_t r = 0; r < rows; r++)
                    for (size_t k = 0; k < ISG_PANEL; k++)
                        sums[(q + r) * w->stride + mu + k] +=
                            sign * (double)part[r * ISG_PANEL + k];
            }
    }
}
