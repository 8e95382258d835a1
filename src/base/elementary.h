/* elementary.h - elementary functions with the same bits on every machine
 *
 * SPDX-License-Identifier: MIT
 *
 * The functions of libm differ in their last bits between C libraries and, within one, between
 * CPUs. Everything drawn, stored or printed uses these instead: additions, multiplications,
 * divisions and square roots of doubles in a fixed order, which IEEE 754 defines to the last bit.
 * They require rounding to nearest and compilation without contraction.
 *
 * Errors are given in units of the last place (ulp) of the exact result. Infinities, NaN, signed
 * zeros, overflow and underflow are as in C's Annex F; errno and the exception flags mean nothing.
 * sqrt, fabs, floor, fmin, ldexp and the like are exact in every libm and used directly.
 */
#ifndef ISG_ELEMENTARY_H
#define ISG_ELEMENTARY_H

#define ISG_PI   0x1.921fb54442d18p+1
#define ISG_LN_2 0x1.62e42fefa39efp-1

/* Within 0.52 ulp, subnormal results included. */
double isg_exp(double x);
double isg_expm1(double x); /* exp(x) - 1 */
double isg_log(double x);
double isg_log1p(double x); /* ln(1 + x) */
double isg_log10(double x); /* exact for powers of ten */

/* Within 2.5 ulp. */
double isg_tanh(double x);

/* Within 1 ulp; NaN for |x| > 2^20, where reducing the angle would take more digits of pi. */
double isg_cos(double x);

/* Within 1.2 ulp: sqrt(x^2 + y^2), without overflow or underflow on the way. */
double isg_hypot(double x, double y);

/* Within 16 ulp, and slow: 1 - erf(x). */
double isg_erfc(double x);

#endif
