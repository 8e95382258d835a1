/* dynamics_thermal.c - Hopfield networks at a temperature
 *
 * SPDX-License-Identifier: MIT
 *
 * A spin becomes +1 with probability 1 / (1 + exp(-2 beta x)), where x is:
 *
 *   - Glauber: the field without J_ii s_i, since a flip raises H by 2 s_i times that. With s_i^2 = 1 the diagonal adds a constant to H and nothing to differences, so keeping it makes no difference; including J_ii s_i in x would give a different law.
 *   - parallel (Little): the network's field J s + b, for all units at once. If J is symmetric, so is the transition matrix up to a factor for each side, and its invariant law is exp(beta b.s) prod_i 2 cosh(beta (J s + b)_i), in which the diagonal does matter.
 *   - block Gibbs: x = u lambda + b with lambda ~ Normal(u^T s, 1 / beta), the RBM of Eq. 6.
 *
 * A table of the logistic function around 2 beta x usually decides u (1 + exp(-2 beta x)) < 1
 * without an exponential: it rises by at most 1/64 between two points.
 */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "hopfield/hopfield.h"
#include "kernels/kernels.h"

void isg_dynamics_fill_table(double *logistic) {
    for (size_t k = 0; k < ISG_LOGISTIC_POINTS; k++)
        logistic[k] = 1 / (1 + isg_exp(16 - (double)k / ISG_LOGISTIC_STEPS));
}

/* u (1 + exp(-2 beta x)) < 1; the margin is far above the rounding of either side. No branch
   depends on the outcome, which the processor could not predict. */
static inline bool is_up(const isg_walker *walker, double u, double x) {
    const double z = 2 * walker->options->beta * x, margin = 1e-12;
    if (fabs(z) < 16) {
        const double *point = walker->logistic + (int)((z + 16) * ISG_LOGISTIC_STEPS);
        const bool is_below = u<point[0] - margin, is_above = u> point[1] + margin;
        if (is_below | is_above)
            return is_below;
    }
    return u * (1 + isg_exp(-z)) < 1;
}

size_t isg_sweep_glauber(isg_walker *walker, isg_stream random) {
    const isg_hopfield *network = walker->network;
    isg_cursor cursor = isg_cursor_at(random);
    size_t flips = 0;
    for (size_t step = 0; step < network->info.n_visible; step++) {
        const size_t i = (size_t)isg_next_below(&cursor, network->info.n_visible);
        if (walker->clamped && isg_bit(walker->clamped, i))
            continue;
        const double x = isg_hopfield_flip_field(network, walker->h, walker->spins, i);
        if (is_up(walker, isg_next_uniform(&cursor), x) != isg_bit(walker->spins, i)) {
            isg_hopfield_flip(network, walker->spins, walker->h, i);
            flips++;
        }
    }
    return flips;
}

/* Draws all spins at once, with the uniforms of a cursor that reads the stream from draw `first`
   on; replaces the spins that are not clamped, and counts the changes. */
static size_t draw_all(isg_walker *walker, isg_stream random, uint32_t first, bool has_diagonal) {
    const isg_hopfield *network = walker->network;
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = network->info.n_visible;
    enum { DRAWS = 32 }; /* of four words each, for 64 units */
    uint32_t words[4 * DRAWS];
    random.counter[0] += first;
    for (size_t w = 0; w < network->words; w++, random.counter[0] += DRAWS) {
        const size_t units = n - 64 * w < 64 ? n - 64 * w : 64;
        uint64_t up = 0;
        kernels->random_words((units + 1) / 2, random.key, random.counter, words);
        for (size_t k = 0; k < units; k++) {
            const size_t i = 64 * w + k;
            const double x = has_diagonal
                                 ? isg_hopfield_full_field(network, walker->h, i)
                                 : isg_hopfield_field(network, walker->h, walker->spins, i);
            const double u = isg_uniform_of((uint64_t)words[2 * k + 1] << 32 | words[2 * k]);
            up |= (uint64_t)is_up(walker, u, x) << k;
        }
        walker->next[w] = up;
    }
    isg_keep_clamped(walker);
    const size_t flips = isg_hamming(walker->next, walker->spins, network->words);
    memcpy(walker->spins, walker->next, network->words * sizeof *walker->next);
    return flips;
}

size_t isg_sweep_parallel(isg_walker *walker, isg_stream random) {
    return draw_all(walker, random, 0, false);
}

size_t isg_sweep_gibbs(isg_walker *walker, isg_stream random) {
    const size_t columns = walker->network->n_columns;
    const double deviation = 1 / sqrt(walker->options->beta);
    isg_cursor cursor = isg_cursor_at(random);
    for (size_t mu = 0; mu < columns; mu++)
        walker->h[mu] += deviation * isg_next_normal(&cursor);
    return draw_all(walker, random, (uint32_t)((columns + 1) / 2), true);
}
