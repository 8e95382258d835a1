/* elementary.c - elementary functions with the same bits on every machine
 *
 * SPDX-License-Identifier: MIT
 *
 * The exponential. With h = ln(2) / 128, whole m = 128 k + i and |r| <= h / 2,
 *
 *     x = m h + r,   exp(x) = 2^k 2^(i/128) exp(r)
 *
 * 2^(i/128) is in a table, with twice the digits; exp(r) - 1 is Taylor's series to r^5, which omits
 * r^6 / 720 < 6e-19. The rounded factor is near 1 and the terms added to it are below 0.003, so
 * their rounding errors hardly count.
 *
 * The logarithm. x = 2^k z with z around 1, in interval i of 128, and a short number c near 1 / z
 * from a table, with ln c to twice the digits:
 *
 *     r = c z - 1,   ln(x) = k ln(2) - ln(c) + ln(1 + r),   |r| < 0.0042
 *
 * c has at most 13 bits, so c times half the digits of z is exact, and so is r as a sum of two
 * numbers. ln(1 + r) is Taylor's series to r^7. The interval around 1 has c = 1, so nothing cancels
 * there; the first parts of ln(2) and ln(c) are multiples of 2^-42, so k ln(2) - ln(c) is exact in
 * them.
 */
#include "base/elementary.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/circle_series.h"
#include "base/elementary_tables.h"

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double must be IEEE 754's binary64");

/* Adding and subtracting it rounds to a whole number, which is in the low bits of the sum. */
static const double magic = 0x1.8p52;

/* A number as a sum of two, the second far smaller. */
typedef struct parts {
    double high, low;
} parts;

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x without its last 27 bits: the product of two such numbers is exact. */
static inline double head_of(double x) {
    return from_bits(bits_of(x) & ~UINT64_C(0x7ffffff));
}

/* ---- the exponential ------------------------------------------------------------------------- */

/* exp(x) = 2^k power (1 + tail) exp(r + r_low), exp(r) = 1 + r + curve */
typedef struct reduced_exp {
    uint64_t k; /* modulo 2^64 */
    double power, tail, r, r_low, curve;
} reduced_exp;

static inline reduced_exp reduce_exp(double x) {
    const double shifted = x * 0x1.71547652b82fep+7 + magic, m = shifted - magic;
    const uint64_t whole = bits_of(shifted) - bits_of(magic);
    const double *row = isg_exp_table[whole % 128];
    /* The first difference is exact. */
    const double first = x - m * isg_exp_step[0], second = m * isg_exp_step[1];
    const double r = first - second, square = r * r;
    return (reduced_exp){.k = (uint64_t)((int64_t)whole >> 7),
                         .power = row[0],
                         .tail = row[1],
                         .r = r,
                         .r_low = (first - r) - second,
                         .curve = square * (0.5 + r * (1.0 / 6)) +
                                  square * square * (1.0 / 24 + r * (1.0 / 120))};
}

/* For 2^k that is not a normal number, or a result that may not be one. */
static double exp_of_large(double x) {
    if (isnan(x))
        return x;
    if (x > 710)
        return HUGE_VAL;
    if (x < -746)
        return 0;
    const reduced_exp e = reduce_exp(x);
    const double more = e.tail + e.r + e.curve;
    if (x > 0) { /* half of it does not overflow */
        const double half = from_bits(bits_of(e.power) + ((e.k - 1) << 52));
        return 2 * (half + half * more);
    }
    /* Scaled by 2^1022: subnormal numbers become multiples of 2^-52, to which a sum with 1 is
       rounded. The error of the first rounding is added back before the second. */
    const double scaled = from_bits(bits_of(e.power) + ((e.k + 1022) << 52));
    double y = scaled + scaled * more;
    if (y < 1) {
        const double lost = (scaled - y) + scaled * more, sum = 1 + y;
        y = (sum + (((1 - sum) + y) + lost)) - 1;
    }
    return y * 0x1p-1022;
}

double isg_exp(double x) {
    if (!(fabs(x) < 700)) /* further down, the second product would be subnormal */
        return exp_of_large(x);
    const reduced_exp e = reduce_exp(x);
    const double scaled = from_bits(bits_of(e.power) + (e.k << 52));
    return scaled + scaled * (e.tail + e.r + e.curve);
}

/* With s = 2^k 2^(i/128): (s - 1) + r + (s - 1) r + s (expm1(r) - r). The first two terms, the
   only large ones, are added without loss. The sum may be as small as r, hence a term in r^6,
   and the product of tail and r. */
double isg_expm1(double x) {
    if (!(fabs(x) < 40))
        return x < 0 ? -1 : isg_exp(x) - 1; /* or NaN */
    const reduced_exp e = reduce_exp(x);
    const double s = from_bits(bits_of(e.power) + (e.k << 52));
    const double difference = s - 1;
    const double cut = s > 1 ? (s - difference) - 1 : s - (1 + difference);
    /* |difference| > |r| or it is zero */
    const double high = difference + e.r, low = (difference - high) + e.r;
    const double square = e.r * e.r, curve = e.curve + square * square * square * (1.0 / 720);
    const double more = low + cut + e.r_low + difference * e.r + s * (curve + e.tail * (1 + e.r));
    return high == 0 ? x : high + more; /* -0 stays -0 */
}

/* ---- the logarithm --------------------------------------------------------------------------- */

/* The bits of the least z, half an interval of 2^45 below the 75th before 1: 0.705. */
static const uint64_t log_start =
    UINT64_C(0x3ff0000000000000) - UINT64_C(151) * (UINT64_C(1) << 44);

/* ln(1 + r) - r */
static inline double log_curve(double r) {
    const double square = r * r;
    return square * ((r * (1.0 / 3) - 0.5) +
                     square * ((r * (1.0 / 5) - 1.0 / 4) + square * (r * (1.0 / 7) - 1.0 / 6)));
}

/* ln(2^scale (x + *rest)), for x with these bits, positive and normal; *rest is at most its ulp,
   and NULL means 0. */
static inline parts log_parts(uint64_t bits, const double *rest, int scale) {
    const uint64_t above = bits - log_start;
    const int64_t k = (int64_t)above >> 52;
    const double *row = isg_log_table[above >> 45 & 127];
    const double z = from_bits(bits - ((uint64_t)k << 52)), head = head_of(z);
    const double first = head * row[0] - 1;
    double second = (z - head) * row[0];
    if (rest)
        second += *rest * from_bits((uint64_t)(1023 - k) << 52) * row[0];
    const double r = first + second, r_low = second - (r - first);
    const double whole = (double)(k + scale);
    const double offset = whole * isg_ln_2_parts[0] + row[1];
    const double high = offset + r; /* |offset| > |r| or it is zero */
    const double low = ((offset - high) + r) + r_low + (whole * isg_ln_2_parts[1] + row[2]);
    return (parts){high, low + log_curve(r)};
}

/* For anything but a positive normal number. */
static parts log_of_special(double x) {
    if (x > 0 && x < DBL_MIN)
        return log_parts(bits_of(x * 0x1p52), NULL, -52);
    if (x == 0)
        return (parts){-HUGE_VAL, 0};
    return (parts){x > 0 || isnan(x) ? x : (double)NAN, 0};
}

static inline parts log_in_parts(double x) {
    const uint64_t bits = bits_of(x), least = UINT64_C(1) << 52;
    return bits - least < (UINT64_C(0x7ff) << 52) - least ? log_parts(bits, NULL, 0)
                                                          : log_of_special(x);
}

double isg_log(double x) {
    const parts y = log_in_parts(x);
    return y.high + y.low;
}

double isg_log1p(double x) {
    if (fabs(x) < 0x1p-9)
        return x == 0 ? x : x + log_curve(x); /* -0 stays -0 */
    const double sum = 1 + x;
    if (!(x > -1 && x < 0x1p60))
        return isg_log(sum);
    const double lost = x > 1 ? 1 - (sum - x) : x - (sum - 1);
    const parts y = log_parts(bits_of(sum), &lost, 0);
    return y.high + y.low;
}

double isg_log10(double x) {
    const double first = 0x1.bcb7b18p-2, second = -0x1.6c8d78e6acaa4p-29; /* 1 / ln 10 */
    const parts y = log_in_parts(x);
    if (!isfinite(y.high))
        return y.high;
    const double high = y.high + y.low, low = (y.high - high) + y.low, head = head_of(high);
    return head * first + ((high - head) * first + (high * second + low * first));
}

/* ---- the rest -------------------------------------------------------------------------------- */

double isg_tanh(double x) {
    const double size = fabs(x);
    if (size > 20) /* exp(-40) < 2^-57 */
        return copysign(1, x);
    const double e = isg_expm1(2 * size);
    return copysign(size < 0.5 ? e / (e + 2) : 1 - 2 / (e + 2), x);
}

/* The sum and its rounding error. */
static inline parts exact_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return (parts){sum, (a - (sum - part)) + (b - part)};
}

/* sin(r) and cos(r) for |r| <= pi / 4 by Taylor's series. */
static double sine_near_0(parts r) {
    const double q = r.high * r.high;
    return r.high + (r.high * q * isg_sine_series(q) + r.low * (1 - q / 2));
}

static double cosine_near_0(parts r) {
    const double q = r.high * r.high, half = q / 2, near = 1 - half;
    return near + (((1 - near) - half) + (q * q * isg_cosine_series(q) - r.high * r.low));
}

/* x = m pi/2 + r. The first two parts of pi / 2 have 33 bits, so m times each is exact. */
double isg_cos(double x) {
    if (!(fabs(x) <= 0x1p20))
        return isnan(x) ? x : (double)NAN;
    const double m = x * 0x1.45f306dc9c883p-1 + magic - magic;
    parts r = exact_sum(x - m * 0x1.921fb544p+0, -(m * 0x1.0b4611a6p-34));
    r.low -= m * 0x1.3198a2e037073p-69;
    r = exact_sum(r.high, r.low);
    switch ((int)m & 3) {
    case 0:
        return cosine_near_0(r);
    case 1:
        return -sine_near_0(r);
    case 2:
        return -cosine_near_0(r);
    default:
        return sine_near_0(r);
    }
}

double isg_hypot(double x, double y) {
    if (isinf(x) || isinf(y))
        return HUGE_VAL;
    int exponent;
    frexp(fmax(fabs(x), fabs(y)), &exponent);
    const double a = ldexp(x, -exponent), b = ldexp(y, -exponent);
    return isnan(x) || isnan(y) ? x + y : ldexp(sqrt(a * a + b * b), exponent);
}

/* exp(-x^2), corrected for the rounding of x^2 */
static double exp_of_minus_square(double x) {
    const double head = head_of(x);
    return isg_exp(-(x - head) * (x + head)) * isg_exp(-head * head);
}

/* With all terms positive,
       erf(x) = 2 / sqrt(pi) exp(-x^2) (x + 2/3 x^3 + 4/15 x^5 + ...),
   and further out the continued fraction
       erfc(x) = 1 / sqrt(pi) exp(-x^2) / (x + 1/2 / (x + 1 / (x + 3/2 / (x + ...)))).
   20 terms and 240 levels leave less than 2^-58 of the result for x <= 1 and x >= 1. */
double isg_erfc(double x) {
    const double size = fabs(x), inverse_sqrt_pi = 0x1.20dd750429b6dp-1;
    if (isnan(x) || size > 28)
        return isnan(x) ? x : x > 0 ? 0 : 2;
    if (size < 1) {
        double sum = 1;
        for (int k = 20; k > 0; k--)
            sum = 1 + sum * (2 * x * x / (2 * k + 1));
        return 1 - 2 * inverse_sqrt_pi * exp_of_minus_square(x) * x * sum;
    }
    double fraction = size;
    for (int k = 240; k > 0; k--)
        fraction = size + k / 2.0 / fraction;
    const double tail = inverse_sqrt_pi / fraction * exp_of_minus_square(size);
    return x > 0 ? tail : 2 - tail;
}
