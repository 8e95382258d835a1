/* dynamics_zero.c - Hopfield networks at zero temperature
 *
 * SPDX-License-Identifier: MIT
 *
 *     s_i <- sgn((J s + b)_i),   sgn(0) keeps the spin
 *
 * One unit after another this never raises H: a flip needs s_i x_i < 0, and changes H by
 * 2 s_i x_i - 2 J_ii, x_i being the field with the diagonal.
 *
 * All at once, -s(t+1)^T J s(t) - b.(s(t+1) + s(t)) never rises (Goles), so the end is a fixed point
 * or a cycle of two states; keeping the spin where the field is zero does not make longer cycles.
 * With J positive semidefinite, as with the diagonal kept, H itself never rises, and there are no
 * cycles: adding up (s' - s).(J s + b) > 0 and (s - s').(J s' + b) > 0 would give
 * (s' - s)^T J (s' - s) < 0.
 */
#include <string.h>

#include "hopfield/hopfield.h"

size_t isg_sweep_asynchronous(isg_walker *walker, isg_stream random) {
    const isg_hopfield *network = walker->network;
    const size_t n = network->info.n_visible;
    size_t flips = 0;
    for (size_t i = 0; i < n; i++)
        walker->order[i] = i;
    if (!walker->options->fixed_order)
        isg_shuffle(random, walker->order, n);
    for (size_t k = 0; k < n; k++) {
        const size_t i = walker->order[k];
        if (walker->clamped && isg_bit(walker->clamped, i))
            continue;
        const double x = isg_hopfield_field(network, walker->h, walker->spins, i);
        if (isg_spin(walker->spins, i) * x < 0) {
            isg_hopfield_flip(network, walker->spins, walker->h, i);
            flips++;
        }
    }
    return flips;
}

size_t isg_sweep_synchronous(isg_walker *walker, isg_stream random) {
    (void)random;
    const isg_hopfield *network = walker->network;
    memcpy(walker->next, walker->spins, network->words * sizeof *walker->next);
    for (size_t i = 0; i < network->info.n_visible; i++) {
        const double x = isg_hopfield_field(network, walker->h, walker->spins, i);
        if (x != 0)
            isg_bit_assign(walker->next, i, x > 0);
    }
    isg_keep_clamped(walker);
    const size_t bytes = network->words * sizeof *walker->next;
    walker->is_two_cycle = walker->has_before && memcmp(walker->next, walker->before, bytes) == 0;
    walker->has_before = true;
    memcpy(walker->before, walker->spins, bytes);
    memcpy(walker->spins, walker->next, bytes);
    return isg_hamming(walker->spins, walker->before, network->words);
}
