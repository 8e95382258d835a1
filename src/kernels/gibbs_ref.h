/* gibbs_ref.h - what the Gibbs kernels mean, in the plainest loops; part of ref.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/bits.h"
#include "kernels/gibbs_draws.h"

static void hidden_input(const isg_gibbs_weights *w, size_t chains, const uint64_t *spins,
                         int32_t *input) {
    for (size_t k = 0; k < chains; k++, spins += w->words, input += w->stride) {
        memcpy(input, w->all_down, w->stride * sizeof *input);
        for (size_t i = 0; i < w->n_visible; i++)
            if (isg_bit(spins, i))
                for (size_t mu = 0; mu < w->n_hidden; mu++)
                    input[mu] += w->rows[i * w->stride + mu];
    }
}

static void sample_hidden(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chain,
                          const int32_t *input, float *lambda) {
    const float gain = (float)step->gain, deviation = (float)(1 / sqrt(step->beta));
    for (size_t mu = 0; mu < w->n_hidden; mu++) {
        const size_t group = isg_normals_start(w) + mu / 16 * 16, q = mu % 16;
        float z[2];
        isg_gibbs_normals(isg_gibbs_word(step, chain, group + q % 8),
                          isg_gibbs_word(step, chain, group + q % 8 + 8), z);
        lambda[mu] = isg_gibbs_hidden(w, gain, deviation, input[mu], mu, z[q / 8]);
    }
}

static void sample_visible(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chain,
                           const float *lambda, uint64_t *spins) {
    for (size_t i = 0; i < w->n_visible; i++) {
        if (step->clamped && isg_bit(step->clamped, i))
            continue;
        const size_t q = i % ISG_PANEL;
        const uint32_t word = isg_gibbs_word(step, chain, i / ISG_PANEL * (ISG_PANEL / 2) + q % 8);
        const uint32_t first = q < 8 ? word & 0xFFFF : word >> 16;
        isg_bit_assign(spins, i, isg_gibbs_spin(w, step, chain, i, first, lambda));
    }
}

static void gibbs_sweep(const isg_gibbs_weights *w, const isg_gibbs_step *step, size_t chains,
                        uint64_t *spins, int32_t *input, float *lambda, void *scratch) {
    (void)scratch;
    for (size_t k = 0; k < chains; k++) {
        sample_hidden(w, step, k, input + k * w->stride, lambda + k * w->stride);
        sample_visible(w, step, k, lambda + k * w->stride, spins + k * w->words);
    }
    hidden_input(w, chains, spins, input);
}

static void spin_moments(const isg_gibbs_weights *w, size_t panel, size_t samples,
                         const uint64_t *spins, const float *lambda, double sign, double *sums) {
    for (size_t q = 0; q < ISG_PANEL && panel * ISG_PANEL + q < w->n_visible; q++)
        for (size_t mu = 0; mu < w->n_hidden; mu++)
            for (size_t first = 0; first < samples; first += ISG_MOMENT_SAMPLES) {
                float part = 0;
                for (size_t a = first; a < samples && a < first + ISG_MOMENT_SAMPLES; a++) {
                    const float l = lambda[a * w->stride + mu];
                    part += isg_bit(spins + a * w->words, panel * ISG_PANEL + q) ? l : -l;
                }
                sums[q * w->stride + mu] += sign * (double)part;
            }
}
