/* landscape.h - the weight of lambda with the spins summed out, for many lambda side by side
 *
 * SPDX-License-Identifier: MIT
 *
 * With delta = lambda - c and f = b + W c (Eqs. 7 and 8 of the paper),
 *
 *     Z = 2^N (beta / 2 pi)^(p/2) int exp(G(delta)) ddelta,   G = -beta F0
 *     G(delta) = -beta |delta|^2 / 2 + sum_i ln cosh(beta (w_i.delta + f_i))
 *
 * The hidden field is gone: if f = 0, G is even. Without libm, and the same on every machine.
 */
#ifndef ISG_LANDSCAPE_H
#define ISG_LANDSCAPE_H

#include "base/lanes.h"
#include "log_z/exact.h"

/* values (ISG_LANES) = G of delta (p, ISG_LANES), and gradient (p, ISG_LANES) = that of F0,
   delta - W^T tanh(beta (W delta + f)), unless it is NULL. */
void isg_landscape(const isg_spin_model *model, const double *delta, double *values,
                   double *gradient);

/* ln(2^N (beta / 2 pi)^(p/2)), what lies in front of the integral. */
double isg_landscape_log_constant(const isg_spin_model *model);

#endif
