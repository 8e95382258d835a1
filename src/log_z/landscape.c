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
#include "log_z/mixture.h"

#include <string.h>

#include "base/elementary.h"

typedef isg_pair pair;
typedef isg_whole_pair whole_pair;

enum { PAIRS = ISG_PAIRS, GROUP = 512 };

static inline pair size_of(pair y) {
    return (pair)((whole_pair)y & INT64_MAX);
}

/* exp(-2 y) for y >= 0, but at least exp(-700). z = k ln 2 + r: Taylor's
   series to r^13 leaves 4e-18 of the value, and k goes straight into the exponent. */
static inline pair decay(pair y) {
    static const double inverse_factorials[] = {0x1.6124613a86d09p-33,
                                                0x1.1eed8eff8d898p-29,
                                                0x1.ae64567f544e4p-26,
                                                0x1.27e4fb7789f5cp-22,
                                                0x1.71de3a556c734p-19,
                                                0x1.a01a01a01a01ap-16,
                                                0x1.a01a01a01a01ap-13,
                                                0x1.6c16c16c16c17p-10,
                                                0x1.1111111111111p-7,
                                                0x1.5555555555555p-5,
                                                0x1.5555555555555p-3,
                                                0.5,
                                                1,
                                                1};
    const double magic = 0x1.8p52; /* adding it rounds to a whole number, found in the low bits */
    const pair lowest = isg_spread(-700);
    pair z = -2 * y;
    const whole_pair is_low = z < lowest;
    z = (pair)((is_low & (whole_pair)lowest) | (~is_low & (whole_pair)z));
    const pair shifted = z * 0x1.71547652b82fep0 + magic, k = shifted - magic;
    const pair r = (z - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    pair sum = isg_spread(inverse_factorials[0]);
#pragma GCC unroll 13
    for (int term = 1; term < 14; term++)
        sum = sum * r + inverse_factorials[term];
    return (pair)((whole_pair)sum + ((whole_pair)shifted << 52));
}

/* Contribution of the units so far to sum_i ln cosh y_i, plus ln 2 each. */
typedef struct log_cosh_sum {
    pair sizes[PAIRS], product[PAIRS];
    double logs[ISG_LANES];
} log_cosh_sum;

static void reset_product(log_cosh_sum *sum) {
    for (size_t q = 0; q < PAIRS; q++)
        sum->product[q] = isg_spread(1);
}

static void fold(log_cosh_sum *sum) {
    for (size_t lane = 0; lane < ISG_LANES; lane++)
        sum->logs[lane] += isg_log(sum->product[lane / 2][lane % 2]);
    reset_product(sum);
}

/* y = beta (w.delta + f) of one unit. */
static inline void input(const isg_spin_model *model, size_t i, const double *delta, pair *y) {
    const double *row = model->weights + i * model->p;
    pair x[PAIRS];
#pragma GCC unroll 8
    for (size_t q = 0; q < PAIRS; q++)
        x[q] = isg_spread(model->field[i]);
    for (size_t mu = 0; mu < model->p; mu++)
        isg_add_lanes(x, row[mu], delta + mu * ISG_LANES);
#pragma GCC unroll 8
    for (size_t q = 0; q < PAIRS; q++)
        y[q] = model->beta * x[q];
}

static inline void subtract_row(const isg_spin_model *model, size_t i, const pair *mean,
                                double *gradient) {
    const double *row = model->weights + i * model->p;
    for (size_t mu = 0; mu < model->p; mu++) {
        pair g[PAIRS];
        isg_load_lanes(g, gradient + mu * ISG_LANES);
#pragma GCC unroll 8
        for (size_t q = 0; q < PAIRS; q++)
            g[q] -= row[mu] * mean[q];
        isg_store_lanes(gradient + mu * ISG_LANES, g);
    }
}

void isg_landscape(const isg_spin_model *model, const double *delta, double *values,
                   double *gradient) {
    log_cosh_sum sum = {.logs = {0}};
    reset_product(&sum);
    if (gradient)
        memcpy(gradient, delta, model->p * ISG_LANES * sizeof *gradient);
    for (size_t i = 0; i < model->n; i++) {
        pair y[PAIRS], mean[PAIRS];
        input(model, i, delta, y);
        for (size_t q = 0; q < PAIRS; q++) {
            const pair size = size_of(y[q]), e = decay(size);
            sum.sizes[q] += size;
            sum.product[q] *= 1 + e;
            mean[q] = (1 - e) / (1 + e);
            mean[q] = (pair)((whole_pair)mean[q] | ((whole_pair)y[q] & INT64_MIN));
        }
        if (gradient)
            subtract_row(model, i, mean, gradient);
        if (i % GROUP == GROUP - 1)
            fold(&sum);
    }
    fold(&sum);
    for (size_t lane = 0; lane < ISG_LANES; lane++) {
        double square = 0;
        for (size_t mu = 0; mu < model->p; mu++)
            square += delta[mu * ISG_LANES + lane] * delta[mu * ISG_LANES + lane];
        values[lane] = sum.sizes[lane / 2][lane % 2] + sum.logs[lane] -
                       (double)model->n * ISG_LN_2 - model->beta * square / 2;
    }
}

double isg_landscape_log_constant(const isg_spin_model *model) {
    const double pi = 3.14159265358979323846;
    return (double)model->n * ISG_LN_2 + (double)model->p / 2 * isg_log(model->beta / (2 * pi));
}
