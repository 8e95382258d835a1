/* ref.c - the definition of each kernel, as a plain loop
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/bits.h"
#include "base/rng.h"
#include "kernels/decay.h"
#include "kernels/gibbs_draws.h"
#include "kernels/kernels.h"

static void random_words(size_t n, const uint32_t key[2], const uint32_t counter[4],
                         uint32_t *out) {
    uint32_t next[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (size_t i = 0; i < n; i++, next[0]++)
        isg_philox(key, next, out + 4 * i);
}

static void hamming(size_t m, size_t words, const uint64_t *row, const uint64_t *rows,
                    size_t stride, uint32_t *distances) {
    for (size_t i = 0; i < m; i++)
        distances[i] = (uint32_t)isg_hamming(row, rows + i * stride, words);
}

static size_t nearest(size_t n, const double *values) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (values[i] < values[best])
            best = i;
    return best;
}

static void ward_distances(size_t n, double size_a, double size_b, double apart,
                           const double *sizes, const double *dropped, double *kept) {
    for (size_t i = 0; i < n; i++) {
        const double t = 1.0 / (size_a + size_b + sizes[i]);
        kept[i] = sqrt((sizes[i] + size_a) * t * dropped[i] * dropped[i] +
                       (sizes[i] + size_b) * t * kept[i] * kept[i] - sizes[i] * t * apart * apart);
    }
}

/* ---- Gibbs sweeps ------------------------------------------------------------------------------ */

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
        if (step->clamped && isg_bit(step->clamped + chain * step->clamped_stride, i))
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

/* ---- linear algebra ---------------------------------------------------------------------------- */

static void tile(size_t n, const double *a, const double *b, double *c) {
    for (size_t i = 0; i < ISG_TILE; i++)
        for (size_t j = 0; j < ISG_TILE; j++) {
            double sum = 0;
            for (size_t l = 0; l < n; l++)
                sum += a[l * ISG_TILE + i] * b[l * ISG_TILE + j];
            c[i * ISG_TILE + j] = sum;
        }
}

static void add_multiple(size_t n, double factor, const double *x, double *y) {
    for (size_t i = 0; i < n; i++)
        y[i] += factor * x[i];
}

static double dot(size_t n, const double *x, const double *y) {
    double sums[ISG_DOT_LANES] = {0};
    for (size_t i = 0; i < n; i++)
        sums[i % ISG_DOT_LANES] += x[i] * y[i];
    for (size_t half = ISG_DOT_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

static void rotate(size_t n, double c, double s, double *x, double *y) {
    for (size_t i = 0; i < n; i++) {
        const double before = x[i];
        x[i] = c * before + s * y[i];
        y[i] = c * y[i] - s * before;
    }
}

/* exp(-2 y) for y >= 0 */
static double decay(double y) {
    const double z = -2 * y < isg_decay_lowest ? isg_decay_lowest : -2 * y;
    const double shifted = z * isg_decay_per_ln_2 + isg_decay_magic, k = shifted - isg_decay_magic;
    const double r = (z - k * isg_decay_ln_2_high) - k * isg_decay_ln_2_low;
    double sum = isg_decay_terms[0];
    for (size_t term = 1; term < ISG_DECAY_TERMS; term++)
        sum = sum * r + isg_decay_terms[term];
    uint64_t bits = 0, power = 0;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static void log_cosh(size_t n, size_t p, double beta, const double *weights, const double *field,
                     const double *delta, double *sizes, double *product, double *gradient) {
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        for (size_t i = 0; i < n; i++) {
            double x = field[i];
            for (size_t mu = 0; mu < p; mu++)
                x += weights[i * p + mu] * delta[mu * ISG_LANES + lane];
            const double y = beta * x, e = decay(fabs(y));
            sizes[lane] += fabs(y);
            product[lane] *= 1 + e;
            for (size_t mu = 0; gradient && mu < p; mu++)
                gradient[mu * ISG_LANES + lane] -=
                    weights[i * p + mu] * copysign((1 - e) / (1 + e), y);
        }
}

static double peak(size_t rounds) {
    enum { SUMS = 8 };
    volatile float start = 0; /* so that the compiler cannot know it */
    float sums[SUMS], factor = start + 0.999F, more = start + 0.001F;
    for (size_t k = 0; k < SUMS; k++)
        sums[k] = start;
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < SUMS; k++)
            sums[k] = sums[k] * factor + more;
    for (size_t k = 0; k < SUMS; k++)
        start = sums[k];
    return 2.0 * SUMS * (double)rounds;
}

const isg_kernels isg_kernels_ref = {
    "ref",        random_words, hamming,      nearest, ward_distances, hidden_input, gibbs_sweep,
    spin_moments, tile,         add_multiple, dot,     rotate,         log_cosh,     peak};
