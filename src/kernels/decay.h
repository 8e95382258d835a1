/* decay.h - the numbers behind exp(-2 y), for ref.c and the tuned kernels alike
 *
 * SPDX-License-Identifier: MIT
 *
 * z = -2 y = k ln 2 + r: Taylor's series to r^13 leaves 4e-18 of the value, and k goes straight into
 * the exponent.
 */
#ifndef ISG_DECAY_H
#define ISG_DECAY_H

enum { ISG_DECAY_TERMS = 14 };

static const double isg_decay_terms[ISG_DECAY_TERMS] = {0x1.6124613a86d09p-33,
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

static const double isg_decay_lowest = -700; /* z is at least this */
static const double isg_decay_per_ln_2 = 0x1.71547652b82fep0;
static const double isg_decay_ln_2_high = 0x1.62e42feep-1;
static const double isg_decay_ln_2_low = 0x1.a39ef35793c76p-33;
static const double isg_decay_magic = 0x1.8p52; /* adding it rounds to a whole number, found in the
                                                   low bits */

#endif
