/* unmap_descent.c - the paper's method to find patterns: gradient descent on X
 *
 * SPDX-License-Identifier: MIT
 *
 *     f(X) = |E|_F^2, E = W X - tanh(alpha W X)
 *     G(X) = 2 W^T (E - alpha E o sech^2(alpha W X)),   X <- X - gamma G
 *
 * (Appendix D, whose printed gradient lacks the alpha within sech^2.) The columns of X are
 * independent, so everything here is about one column x.
 */
#include <string.h>

#include "base/elementary.h"
#include "mapping/unmap.h"

static double visible(const isg_descent *descent, const double *x, size_t i) {
    const double *row = descent->weights.data + i * descent->weights.stride;
    double y = 0;
    for (size_t mu = 0; mu < descent->weights.cols; mu++)
        y += row[mu] * x[mu];
    return y;
}

double isg_descent_error(const isg_descent *descent, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < descent->weights.rows; i++) {
        const double y = visible(descent, x, i), e = y - isg_tanh(descent->alpha * y);
        sum += e * e;
    }
    return sum;
}

void isg_descent_gradient(const isg_descent *descent, const double *x, double *gradient) {
    const size_t p = descent->weights.cols;
    memset(gradient, 0, p * sizeof *gradient);
    for (size_t i = 0; i < descent->weights.rows; i++) {
        const double *row = descent->weights.data + i * descent->weights.stride;
        const double y = visible(descent, x, i), t = isg_tanh(descent->alpha * y);
        const double factor = 2 * (y - t) * (1 - descent->alpha * (1 - t * t));
        for (size_t mu = 0; mu < p; mu++)
            gradient[mu] += row[mu] * factor;
    }
}

void isg_descent_run(const isg_descent *descent, double *x, double *gradient) {
    for (size_t t = 0; t < descent->steps; t++) {
        isg_descent_gradient(descent, x, gradient);
        for (size_t mu = 0; mu < descent->weights.cols; mu++)
            x[mu] -= descent->gamma * gradient[mu];
    }
}

double isg_descent_signs(const isg_descent *descent, const double *x, uint64_t *spins) {
    const size_t n = descent->weights.rows;
    double sum = 0;
    memset(spins, 0, isg_words(n) * sizeof *spins);
    for (size_t i = 0; i < n; i++) {
        const double y = visible(descent, x, i), e = y - (y > 0 ? 1 : -1);
        isg_bit_assign(spins, i, y > 0);
        sum += e * e;
    }
    return sum;
}
