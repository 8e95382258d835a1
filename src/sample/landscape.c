/* landscape.c - the weight of lambda with the spins summed out, for many lambda side by side
 *
 * SPDX-License-Identifier: MIT
 *
 * With e = exp(-2 |y|),
 *
 *     sum_i ln cosh y_i = sum_i |y_i| + ln prod_i (1 + e_i) - N ln 2,   |tanh y| = (1 - e) / (1 + e)
 *
 * takes one exponential per unit and one logarithm for many units: a product of 512 factors below 2
 * is far from overflow.
 */
#include "sample/sample.h"

#include <string.h>

#include "base/elementary.h"
#include "kernels/kernels.h"

enum { GROUP = 512 };

void isg_landscape(const isg_spin_model *model, const double *delta, double *values,
                   double *gradient) {
    const isg_kernels *kernels = isg_kernels_get();
    const size_t n = model->n, p = model->p;
    double sizes[ISG_LANES] = {0}, logs[ISG_LANES] = {0}, product[ISG_LANES];
    if (gradient)
        memcpy(gradient, delta, p * ISG_LANES * sizeof *gradient);
    for (size_t i = 0; i < n; i += GROUP) {
        for (size_t lane = 0; lane < ISG_LANES; lane++)
            product[lane] = 1;
        kernels->log_cosh(n - i < GROUP ? n - i : GROUP, p, model->beta, model->weights + i * p,
                          model->field + i, delta, sizes, product, gradient);
        for (size_t lane = 0; lane < ISG_LANES; lane++)
            logs[lane] += isg_log(product[lane]);
    }
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        double square = 0;
        for (size_t mu = 0; mu < p; mu++)
            square += delta[mu * ISG_LANES + lane] * delta[mu * ISG_LANES + lane];
        values[lane] = sizes[lane] + logs[lane] - (double)n * ISG_LN_2 - model->beta * square / 2;
    }
}

double isg_landscape_log_constant(const isg_spin_model *model) {
    const double pi = 3.14159265358979323846;
    return (double)model->n * ISG_LN_2 + (double)model->p / 2 * isg_log(model->beta / (2 * pi));
}
