/* dynamics_thermal.c - Hopfield networks at a temperature
 *
 * SPDX-License-Identifier: MIT
 *
 * A spin becomes +1 with probability 1 / (1 + exp(-2 beta x)), where x is:
 *
 *   - Glauber: the field without J_ii s_i, since the rise of H by a flip is 2 s_i times that. With
 *     s_i^2 = 1 the diagonal adds a constant to H and nothing to differences, so it does not
 *     matter whether it is kept; putting J_ii s_i into x would make another law, not this one.
 *   - parallel (Little): the field J s + b as the network has it, for all units at once. The
 *     transition matrix is symmetric up to a factor for each side if J is, and the law it keeps is
 *     exp(beta b.s) prod_i 2 cosh(beta (J s + b)_i), in which the diagonal does matter.
 *   - block Gibbs: x = u lambda + b with lambda ~ Normal(u^T s, 1 / beta), the RBM of Eq. 6.
 */
#include <math.h>
#include <string.h>

#include "dynamics.h"

static bool draw_up(isg_cursor *random, double beta, double x) {
    return isg_next_uniform(random) * (1 + exp(-2 * beta * x)) < 1;
}

size_t isg_sweep_glauber(isg_walker *walker, isg_stream random) {
    const isg_hopfield *network = walker->network;
    isg_cursor cursor = isg_cursor_at(random);
    size_t flips = 0;
    for (size_t step = 0; step < network->info.n_visible; step++) {
        const size_t i = (size_t)isg_next_below(&cursor, network->info.n_visible);
        const double x = isg_hopfield_flip_field(network, walker->h, walker->spins, i);
        if (draw_up(&cursor, walker->options->beta, x) != isg_bit(walker->spins, i)) {
            isg_hopfield_flip(network, walker->spins, walker->h, i);
            flips++;
        }
    }
    return flips;
}

/* Replaces the spins by those drawn, and counts the changes. */
static size_t take_next(isg_walker *walker) {
    const size_t words = walker->network->words;
    const size_t flips = isg_hamming(walker->next, walker->spins, words);
    memcpy(walker->spins, walker->next, words * sizeof *walker->next);
    return flips;
}

size_t isg_sweep_parallel(isg_walker *walker, isg_stream random) {
    const isg_hopfield *network = walker->network;
    isg_cursor cursor = isg_cursor_at(random);
    for (size_t i = 0; i < network->info.n_visible; i++) {
        const double x = isg_hopfield_field(network, walker->h, walker->spins, i);
        isg_bit_assign(walker->next, i, draw_up(&cursor, walker->options->beta, x));
    }
    return take_next(walker);
}

size_t isg_sweep_gibbs(isg_walker *walker, isg_stream random) {
    const isg_hopfield *network = walker->network;
    const double deviation = 1 / sqrt(walker->options->beta);
    isg_cursor cursor = isg_cursor_at(random);
    for (size_t mu = 0; mu < network->n_columns; mu++)
        walker->h[mu] += deviation * isg_next_normal(&cursor);
    for (size_t i = 0; i < network->info.n_visible; i++) {
        const double x = isg_hopfield_full_field(network, walker->h, i);
        isg_bit_assign(walker->next, i, draw_up(&cursor, walker->options->beta, x));
    }
    return take_next(walker);
}
