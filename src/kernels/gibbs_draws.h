/* gibbs_draws.h - the exact use of random words in a Gibbs sweep, one unit at a time
 *
 * SPDX-License-Identifier: MIT
 *
 * The stream of one chain and one sweep, in words of 32 bits (P = panels, p = n_hidden):
 *
 *     8 P                  spins: the units q and q + 8 of a panel share word q, low half first
 *     p, to whole 16s      hidden units: word q and q + 8 of 16 make a pair of normals
 *     n_visible            spins again: 32 more bits for each
 *
 * A spin is +1 if u (1 + exp(-2 beta x)) < 1, with u an odd multiple of 2^-49 made of both its
 * words and x summed in double: that is the definition, for every instruction set. The tuned
 * kernels compute x and exp() in float, with an error bound, and look at only the first 16 bits of
 * u; only where these leave the outcome open, about one spin in ten thousand, do they use this
 * definition. Nothing is approximate, and no result depends on the order in which a product was
 * summed.
 *
 * Everything uses IEEE operations in a fixed order, without libm.
 */
#ifndef ISG_GIBBS_DRAWS_H
#define ISG_GIBBS_DRAWS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/elementary.h"
#include "base/rng.h"
#include "kernels/kernels.h"

enum { ISG_DRAW_WORDS = 4 };

static inline size_t isg_normals_start(const isg_gibbs_weights *w) {
    return ISG_PANEL / 2 * w->panels;
}

static inline size_t isg_extra_start(const isg_gibbs_weights *w) {
    return isg_normals_start(w) + w->stride;
}

static inline uint32_t isg_gibbs_word(const isg_gibbs_step *step, size_t chain, size_t index) {
    const uint32_t counter[4] = {step->counter[0] + (uint32_t)(index / ISG_DRAW_WORDS),
                                 step->counter[1] + (uint32_t)chain, step->counter[2],
                                 step->counter[3]};
    uint32_t out[4];
    isg_philox(step->key, counter, out);
    return out[index % ISG_DRAW_WORDS];
}

/* ---- spins ---------------------------------------------------------------------------------- */

/* x_i = (W lambda)_i + b_i */
static inline double isg_gibbs_visible_input(const isg_gibbs_weights *w, size_t i,
                                             const float *lambda) {
    const size_t panel = i / ISG_PANEL, q = i % ISG_PANEL;
    const float *weights = w->weights + panel * w->n_hidden * ISG_PANEL + q;
    double x = (double)w->field[i];
    for (size_t mu = 0; mu < w->n_hidden; mu++)
        x += (double)weights[mu * ISG_PANEL] * (double)lambda[mu];
    return x;
}

/* Whether spin i of a chain comes out as +1, given its first 16 random bits. */
static inline bool isg_gibbs_spin(const isg_gibbs_weights *w, const isg_gibbs_step *step,
                                  size_t chain, size_t i, uint32_t first, const float *lambda) {
    const uint32_t more = isg_gibbs_word(step, chain, isg_extra_start(w) + i);
    const double u = ((double)first * 0x1p32 + (double)more + 0.5) * 0x1p-48;
    const double x = isg_gibbs_visible_input(w, i, lambda);
    return u + u * isg_exp(-2 * step->beta * step->gain * x) < 1;
}

/* ---- hidden units --------------------------------------------------------------------------- */

/* Two standard normals from two words by Box and Muller: 40 bits for the radius, so that |z|
   reaches 7.45, and 24 for the angle. In float: the error is 5e-7 of the radius r, or 3e-8 / r
   where that is more, but never more than 3e-4. */
static inline void isg_gibbs_normals(uint32_t high, uint32_t low, float z[2]) {
    /* v = 40 bits and one more, rounded to 24; v / 2^40 = 2^e m with m around 1 */
    const float v = (float)(int32_t)(high >> 8) * 0x1p16F +
                    (float)(int32_t)((high & 0xFF) << 8 | low >> 24) + 1.0F;
    int32_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int32_t sqrt_half = 0x3F3504F3;
    bits -= sqrt_half;
    const float e = (float)((bits >> 23) - 40);
    bits = (bits & 0x7FFFFF) + sqrt_half;
    float m;
    memcpy(&m, &bits, sizeof m);
    /* ln m = 2 artanh s */
    const float s = (m - 1.0F) / (m + 1.0F), q = s * s;
    const float series = (((2.0F / 9 * q + 2.0F / 7) * q + 2.0F / 5) * q + 2.0F / 3) * q + 2.0F;
    const float radius = sqrtf(-2.0F * (e * 0x1.62e43p-1F + s * series));
    /* the angle in eighths of a turn and the rest, counted backwards in odd ones */
    const uint32_t octant = low >> 21 & 7;
    const uint32_t within = (low ^ (0 - (octant & 1))) & 0x1FFFFF;
    const float angle = (float)(int32_t)(2 * within + 1) * 0x1.921fb6p-23F; /* pi / 4 / 2^22 */
    const float a = angle * angle;
    const float sine =
        angle + angle * (a * (((1.0F / 362880 * a - 1.0F / 5040) * a + 1.0F / 120) * a - 1.0F / 6));
    const float cosine = 1.0F + a * (((1.0F / 40320 * a - 1.0F / 720) * a + 1.0F / 24) * a - 0.5F);
    const bool is_swapped = ((octant + 1) & 2) != 0; /* octants 1, 2, 5, 6 */
    const float x = radius * (is_swapped ? sine : cosine);
    const float y = radius * (is_swapped ? cosine : sine);
    z[0] = ((octant + 2) & 4) != 0 ? -x : x; /* octants 2 to 5 */
    z[1] = (octant & 4) != 0 ? -y : y;       /* octants 4 to 7 */
}

/* lambda = gain (h + c) + deviation z */
static inline float isg_gibbs_hidden(const isg_gibbs_weights *w, float gain, float deviation,
                                     int32_t input, size_t mu, float z) {
    return gain * ((float)input * w->unit + w->hidden_field[mu]) + deviation * z;
}

#endif
