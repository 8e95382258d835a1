/* adam.c - Adam (Kingma and Ba, 2015): steps along gradients, each entry at its own scale
 *
 * SPDX-License-Identifier: MIT
 *
 * Only additions, multiplications, divisions and square roots, which every processor rounds alike.
 */
#include "classify/adam.h"

#include <math.h>

#include "base/memory.h"

static const double first_decay = 0.9, second_decay = 0.999, least = 1e-8;

isg_status isg_adam_create(isg_adam *adam, size_t rows, size_t cols) {
    if (!adam->values)
        ISG_TRY(ISG_ALLOCATE_MATRIX(adam->values, rows, cols));
    ISG_TRY(ISG_ALLOCATE_MATRIX(adam->first, rows, cols));
    return ISG_ALLOCATE_MATRIX(adam->second, rows, cols);
}

void isg_adam_release(isg_adam *adam) {
    isg_release(adam->values);
    isg_release(adam->first);
    isg_release(adam->second);
    *adam = (isg_adam){.values = NULL};
}

/* x^t by squaring, in an order that depends on t alone. */
static double power(double x, uint64_t t) {
    double all = 1;
    for (; t > 0; t /= 2, x *= x)
        if (t % 2 == 1)
            all *= x;
    return all;
}

isg_adam_step isg_adam_step_of(double rate, uint64_t t) {
    return (isg_adam_step){.rate = rate,
                           .first_share = 1 - power(first_decay, t),
                           .second_share = 1 - power(second_decay, t)};
}

void isg_adam_move(const isg_adam_step *step, const isg_adam *from, isg_adam *to, size_t begin,
                   size_t n, const double *gradient, double scale) {
    const double *values = from->values + begin, *first = from->first + begin;
    const double *second = from->second + begin;
    double *restrict new_values = to->values + begin;
    double *restrict m = to->first + begin, *restrict v = to->second + begin;
    const double rate = step->rate / step->first_share, growth = 1 / step->second_share;
#if defined(__GNUC__) && !defined(__clang__) /* which makes vectors of such loops unasked */
#pragma omp simd
#endif
    for (size_t k = 0; k < n; k++) {
        const double g = scale * gradient[k];
        m[k] = first_decay * first[k] + (1 - first_decay) * g;
        v[k] = second_decay * second[k] + (1 - second_decay) * (g * g);
        new_values[k] = values[k] - rate * m[k] / (sqrt(v[k] * growth) + least);
    }
}
