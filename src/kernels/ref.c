/* ref.c - what each kernel means, in the plainest loops
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/bits.h"
#include "base/rng.h"
#include "kernels/gibbs_ref.h"
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

static double peak(size_t rounds) {
    enum { SUMS = 8 };
    volatile float start = 0; /* so that nothing can be known beforehand */
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

const isg_kernels isg_kernels_ref = {"ref",       random_words,   hamming,
                                     nearest,     ward_distances, hidden_input,
                                     gibbs_sweep, spin_moments,   peak};
