/* rng.h - random numbers as a function of (seed, purpose, step, block, index)
 *
 * SPDX-License-Identifier: MIT
 *
 * There is no generator state to share, save or seed twice: the same name gives the same bits, on
 * any thread and any machine. The core is Philox4x32-10 (Salmon et al., SC 2011), which maps a
 * counter of 128 bits under a key of 64 bits to 128 random bits. The key is the seed; the counter
 * holds the rest in fields that do not overlap, so no two names share a draw:
 *
 *     word 0: number of the draw    word 2: step, low 32 bits
 *     word 1: block                 word 3: step, high 24 bits | purpose << 24
 *
 * A stream is all draws of one (seed, purpose, step, block): 2^32 draws, 2^34 words. Everything
 * here uses exact integers, or double in a fixed order of operations without libm, so uniforms and
 * normals are equal to the last bit on every machine with IEEE arithmetic.
 * docs/design/0001-generator.md has the reasons.
 */
#ifndef ISG_RNG_H
#define ISG_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a draw is for. The numbers are part of every result: append new ones, never renumber. */
typedef enum isg_purpose {
    ISG_PURPOSE_SHUFFLE = 1, /* the order of samples in an epoch */
    ISG_PURPOSE_SPLIT,       /* which samples go to which part of a data set */
    ISG_PURPOSE_INIT,        /* starting weights and states */
    ISG_PURPOSE_GIBBS,       /* spins and hidden units in sampling */
    ISG_PURPOSE_AIS,         /* annealed importance sampling */
    ISG_PURPOSE_TEST,        /* the tests' own inputs */
    ISG_PURPOSE_DYNAMICS,    /* dynamics of Hopfield networks */
    ISG_PURPOSE_VERIFY,      /* states and networks for checking identities */
    ISG_PURPOSE_TRAIN,       /* spins and hidden units in training */
    ISG_PURPOSE_START,       /* states that chains start from */
    ISG_PURPOSE_RECONSTRUCT, /* one sweep from the data, for the reconstruction error */
    ISG_PURPOSE_AIS_REVERSE, /* annealing in reverse, from the model to free spins */
    ISG_PURPOSE_AIS_PILOT,   /* pilot chains that space a schedule */
    ISG_PURPOSE_EXACT,       /* exact samples of small models */
    ISG_PURPOSE_MIXTURE,     /* importance sampling of ln Z */
    ISG_PURPOSE_EXPERTS,     /* seeds of experts */
    ISG_PURPOSE_CORRUPT,     /* corruption of states to be recalled */
    ISG_PURPOSE_RECALL,      /* dynamics of recall */
    ISG_PURPOSE_COMMITTOR,   /* trajectories from a state to the patterns */
    ISG_PURPOSE_UNMAP,       /* states and subspaces in the search for patterns */
    ISG_PURPOSE_IMPUTE,      /* spins and hidden units while missing values are filled in */
    ISG_PURPOSE_VALIDATE,    /* the same in validation data */
    ISG_PURPOSE_POPULATION,  /* population annealing of ln Z */
    ISG_PURPOSE_WELLS,       /* chains and draws confined to wells */
    ISG_PURPOSE_STATES,      /* starts of the search for deep states */
    ISG_PURPOSE_LEARN,       /* random patterns to learn from */
    ISG_PURPOSE_JUMP = 40,   /* proposals that lead chains to other modes */
    ISG_PURPOSE_TEMPER,      /* chains at higher temperatures */
    ISG_PURPOSE_SWAP,        /* swaps between temperatures */
    ISG_PURPOSE_SHIFT = 50,  /* shifts of images in fine-tuning */
    ISG_PURPOSE_DEEP = 60,   /* samples of deep models */
    ISG_PURPOSE_STIFF = 70   /* spins in wells that sweeps hardly flip */
} isg_purpose;

#define ISG_MAX_STEP     ((UINT64_C(1) << 56) - 1)
#define ISG_STREAM_WORDS (UINT64_C(1) << 34)

typedef struct isg_stream {
    uint32_t key[2];
    uint32_t counter[4]; /* of draw 0 */
} isg_stream;

/* step <= ISG_MAX_STEP. */
isg_stream isg_stream_at(uint64_t seed, isg_purpose purpose, uint64_t step, uint32_t block);

/* out[j] = word first + j of the stream, for j < n; first + n <= ISG_STREAM_WORDS. The kernel
   `random_words` makes the same words faster. */
void isg_stream_words(const isg_stream *stream, uint64_t first, size_t n, uint32_t *out);

/* out[j] = normal number first + j of the stream; two per draw, as by isg_normal_pair(), so first +
   n <= ISG_STREAM_WORDS / 2. */
void isg_stream_normals(const isg_stream *stream, uint64_t first, size_t n, double *out);

/* Two independent standard normals from one draw, by Box and Muller: words 0 and 1 give the
   radius, 2 and 3 the angle, the low word first. All 64 bits of the radius count, so |z| reaches
   9.41; always finite. */
void isg_normal_pair(const uint32_t words[4], double z[2]);

/* The two functions behind it, declared for the tests: -ln((k + 1) / 2^64), with a relative error
   of 4e-16, and cos and sin of 2 pi (k + 1/2) / 2^64, likewise. */
double isg_minus_log_fraction(uint64_t k);
void isg_cos_sin_turn(uint64_t k, double *cosine, double *sine);

/* ---- One after another ---------------------------------------------------------------- */

/* Reads a stream from its start. A normal uses a whole draw and keeps the second of the pair. */
typedef struct isg_cursor {
    isg_stream stream;
    uint64_t next;     /* the next word */
    uint32_t words[4]; /* the draw it is in, unless it begins a draw */
    double spare;
    bool has_spare;
} isg_cursor;

isg_cursor isg_cursor_at(isg_stream stream);
uint32_t isg_next_word(isg_cursor *cursor);
uint64_t isg_next_word64(isg_cursor *cursor); /* two words, the low one first */

/* An odd multiple of 2^-53, each with the same probability: never 0, never 1, mean 1/2. */
double isg_next_uniform(isg_cursor *cursor);

/* The same from 64 random bits: 52 of them and a one below make 53, which a double holds exactly;
   one more would round up to 1 at the end of the range. */
static inline double isg_uniform_of(uint64_t bits) {
    return (double)((bits >> 12) * 2 + 1) * 0x1p-53;
}

/* A whole number from 0 to bound - 1, all equally likely; bound > 0. */
uint64_t isg_next_below(isg_cursor *cursor, uint64_t bound);

/* An index below n >= 1 drawn by weight; cumulated[i] is the sum of the first i + 1 weights. */
size_t isg_next_of(isg_cursor *cursor, const double *cumulated, size_t n);
double isg_next_normal(isg_cursor *cursor);

/* Shuffles the n numbers in `index`, every order equally likely (Fisher-Yates). */
void isg_shuffle(isg_stream stream, size_t *index, size_t n);

/* ---- The core ------------------------------------------------------------------------- */

/* Philox4x32-10; in the header so that the kernels can use it too. */
static inline void isg_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]) {
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t key_0 = key[0], key_1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t from_a = UINT64_C(0xD2511F53) * a, from_c = UINT64_C(0xCD9E8D57) * c;
        a = (uint32_t)(from_c >> 32) ^ b ^ key_0;
        b = (uint32_t)from_c;
        c = (uint32_t)(from_a >> 32) ^ d ^ key_1;
        d = (uint32_t)from_a;
        key_0 += UINT32_C(0x9E3779B9); /* the golden ratio */
        key_1 += UINT32_C(0xBB67AE85); /* sqrt(3) - 1 */
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

#endif
