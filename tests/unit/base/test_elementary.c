/* test_elementary.c - our exp, log and so on: how accurate, and that their bits never change
 *
 * SPDX-License-Identifier: MIT
 *
 * Three kinds of reference: long double where it has more digits than double, values computed to 60
 * digits and written down here, and the hash of many results, which has to be the same for every
 * compiler, C library and processor.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/elementary.h"
#include "base/elementary_tables.h"
#include "test.h"

enum { MANY = 100000 };

/* Noise for the arguments, independent of the generator under test elsewhere. */
static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Arguments: evenly spread from one number to another, or with every exponent alike and a random
   sign if `from` is negative. Made without libm, since the hashes are of these. */
typedef struct arguments {
    double from, to;
    int low, high; /* exponents, unless they are equal */
} arguments;

static double argument(const arguments *a, uint64_t *state) {
    const double u = noise(state), v = noise(state);
    if (a->low == a->high)
        return a->from + (a->to - a->from) * u;
    const int exponent = a->low + (int)(v * (a->high - a->low));
    const double size = ldexp(1 + u, exponent);
    return a->from < 0 && (bits_of(v) >> 7 & 1) ? -size : size;
}

typedef struct function {
    const char *name;
    double (*ours)(double);
    long double (*exact)(long double);
    double bound; /* in ulp */
    uint64_t hash;
    arguments of[4];
} function;

static double our_hypot(double x) {
    return isg_hypot(x, 1 / (x * x + 1));
}

/* The second argument of hypot is rounded, which the reference has to follow. */
static long double exact_hypot(long double x) {
    const double d = (double)x;
    return hypotl(x, (long double)(1 / (d * d + 1)));
}

static const function functions[] = {
    {"exp",
     isg_exp,
     expl,
     0.52,
     UINT64_C(0x83311f873b64c75d),
     {{-746, 710, 0, 0}, {-1, 1, 0, 0}, {-1, 1, -60, 9}, {-746, -700, 0, 0}}},
    {"expm1",
     isg_expm1,
     expm1l,
     0.52,
     UINT64_C(0x05b8cc77dcb3388e),
     {{-40, 60, 0, 0}, {-1, 1, 0, 0}, {-1, 1, -1074, 9}, {-0.01, 0.01, 0, 0}}},
    {"log",
     isg_log,
     logl,
     0.52,
     UINT64_C(0x2108402dda5ffa7b),
     {{0.5, 2, 0, 0}, {0, 1, -1074, 1023}, {0.99, 1.01, 0, 0}, {1 - 1e-9, 1 + 1e-9, 0, 0}}},
    {"log1p",
     isg_log1p,
     log1pl,
     0.52,
     UINT64_C(0x4f0b66a86a3aad56),
     {{-1, 1, 0, 0}, {0, 1, -1074, 1023}, {-1, 1, -60, -1}, {-0.01, 0.01, 0, 0}}},
    {"log10",
     isg_log10,
     log10l,
     0.52,
     UINT64_C(0xf46bf8b2e9669c2a),
     {{0.5, 2, 0, 0}, {0, 1, -1074, 1023}, {0.99, 1.01, 0, 0}, {1 - 1e-9, 1 + 1e-9, 0, 0}}},
    {"tanh",
     isg_tanh,
     tanhl,
     2.5,
     UINT64_C(0xea5e18e7e9a33c4a),
     {{-25, 25, 0, 0}, {-1, 1, 0, 0}, {-1, 1, -1074, 5}, {-0.1, 0.1, 0, 0}}},
    {"cos",
     isg_cos,
     cosl,
     1,
     UINT64_C(0x7a651e9d904d3ad0),
     {{-10, 10, 0, 0}, {-0x1p20, 0x1p20, 0, 0}, {-1, 1, -30, 19}, {1.57, 1.571, 0, 0}}},
    {"hypot",
     our_hypot,
     exact_hypot,
     1.2,
     UINT64_C(0xa3181084997ee211),
     {{-2, 2, 0, 0}, {-1, 1, -1074, 500}, {-1, 1, -4, 4}, {0, 1, 0, 0}}},
    {"erfc",
     isg_erfc,
     erfcl,
     16,
     UINT64_C(0xcd478f905f7ce0e8),
     {{-6, 27.5, 0, 0}, {0, 2, 0, 0}, {-1, 1, -60, 4}, {26, 27.3, 0, 0}}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* |value - exact| in units of the last place of a double near `exact`. */
static double ulps(double value, long double exact) {
    if (isnan(value) || isnan((double)exact) || isinf((double)exact))
        return (isnan(value) && isnan((double)exact)) || value == (double)exact ? 0 : HUGE_VAL;
    int exponent;
    frexpl(exact, &exponent);
    exponent = exponent < DBL_MIN_EXP ? DBL_MIN_EXP : exponent;
    return (double)fabsl(ldexpl((long double)value - exact, DBL_MANT_DIG - exponent));
}

static void errors_are_within_their_bounds(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64)
        return; /* known_values_are_found has to do */
    for (size_t f = 0; f < FUNCTIONS; f++) {
        const function *of = &functions[f];
        double worst = 0, where = 0;
        uint64_t seed = 1;
        for (size_t k = 0; k < MANY; k++) {
            const double x = argument(&of->of[k % 4], &seed);
            const double error = ulps(of->ours(x), of->exact((long double)x));
            if (!(error <= worst)) {
                worst = error;
                where = x;
            }
        }
        print_message("%s: %.3f ulp at %a\n", of->name, worst, where);
        if (!(worst <= of->bound))
            fail_msg("%s(%a) is off by %g ulp", of->name, where, worst);
    }
}

/* FNV-1a over the bits of the results, lowest byte first. */
static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    bool is_same = true;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        uint64_t seed = 2, hash = UINT64_C(0xcbf29ce484222325);
        for (size_t k = 0; k < MANY; k++) {
            const uint64_t bits =
                bits_of(functions[f].ours(argument(&functions[f].of[k % 4], &seed)));
            for (int shift = 0; shift < 64; shift += 8)
                hash = (hash ^ (bits >> shift & 0xff)) * UINT64_C(0x100000001b3);
        }
        if (hash != functions[f].hash) {
            print_error("%s: the results have the hash 0x%016llx\n", functions[f].name,
                        (unsigned long long)hash);
            is_same = false;
        }
    }
    assert_true(is_same);
}

/* Computed to 120 digits with mpmath, and written as the sum of two doubles. */
static const struct known_value {
    const char *name;
    double x, value, rest;
} known_values[] = {
    /* clang-format off */
    {"exp", 0x1.0000000000000p+0, 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53},
    {"exp", -0x1.4400000000000p+4, 0x1.b93de1e27ca3bp-30, -0x1.6a3c4abdc49a6p-85},
    {"exp", 0x1.61e4f765fd8aep-9, 0x1.00b12fb0f4433p+0, -0x1.c28f26b2f8ba6p-54},
    {"exp", 0x1.62d999999999ap+9, 0x1.d75ae7a50ee14p+1023, -0x1.a7242fe782b54p+968},
    {"exp", -0x1.7210000000000p+9, 0x0.000000000004bp-1022, 0x0.0p+0},
    {"expm1", 0x1.0000000000000p+0, 0x1.b7e151628aed3p+0, -0x1.655023a9dfd8cp-54},
    {"expm1", -0x1.61e4f765fd8aep-9, -0x1.616ac53f40c17p-9, -0x1.e91e4b25386f8p-65},
    {"expm1", 0x1.0000000000000p-30, 0x1.0000000200000p-30, 0x1.55555556aaaabp-93},
    {"expm1", 0x1.3333333333333p-2, 0x1.6641632306a56p-2, 0x1.31472da7130bfp-56},
    {"expm1", -0x1.e800000000000p+4, -0x1.ffffffffffe01p-1, 0x1.c321195a03486p-56},
    {"log", 0x1.0000000000000p+1, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {"log", 0x1.4000000000000p+3, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53},
    {"log", 0x1.00ff972474539p+0, 0x1.fe2fc3cf4b407p-9, -0x1.d26af76589b4ap-65},
    {"log", 0x1.ff06f69446738p-1, -0x1.f28c2072cd21fp-10, 0x1.cf71a5e8ea2bbp-66},
    {"log", 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9, -0x1.8e569fa8ee781p-45},
    {"log", 0x1.e42d130773b76p+1023, 0x1.62dd08fdc6f88p+9, 0x1.16a687db2877dp-45},
    {"log1p", 0x1.0000000000000p+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {"log1p", 0x1.ff2e48e8a71dep-9, 0x1.fe2fc3cf4b3e5p-9, 0x1.2a683a96867f3p-67},
    {"log1p", -0x1.ff80000000000p-1, -0x1.bb9d3beb8c86bp+2, -0x1.6bc5ca07e04f0p-57},
    {"log1p", 0x1.0000000000000p-40, 0x1.ffffffffff000p-41, 0x1.5555555554555p-122},
    {"log1p", 0x1.2a05f20000000p+33, 0x1.7069e2aa3184ep+4, 0x1.8bef93af027d0p-50},
    {"log10", 0x1.0000000000000p+1, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59},
    {"log10", 0x1.00ff972474539p+0, 0x1.bb247691e69dap-10, 0x1.eb93c451886ebp-64},
    {"log10", 0x0.0000000000001p-1022, -0x1.434e6420f4374p+8, 0x1.a0fae8e2e61bep-48},
    {"log10", 0x1.7e43c8800759cp+996, 0x1.2c00000000000p+8, 0x1.a4a1e46e7b5c9p-56},
    {"tanh", 0x1.0000000000000p-1, 0x1.d9353d7568af3p-2, 0x1.944a3b887196cp-56},
    {"tanh", 0x1.0000000000000p-5, 0x1.ffd559992b1dep-6, 0x1.4182fe0b9c110p-61},
    {"tanh", 0x1.8000000000000p+1, 0x1.fd77d111a0b00p-1, -0x1.df50f574f4805p-57},
    {"tanh", 0x1.4f8b588e368f1p-17, 0x1.4f8b588e06854p-17, -0x1.1498293480bd3p-71},
    {"cos", 0x1.0000000000000p+0, 0x1.14a280fb5068cp-1, -0x1.b71edcc9344bcp-55},
    {"cos", 0x1.6000000000000p+4, -0x1.fffadd8d4acdap-1, -0x1.f6b2aa0db6ecdp-61},
    {"cos", 0x1.e848000000000p+19, 0x1.df9df9906d32cp-1, 0x1.abb226a0c6680p-55},
    {"cos", 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110},
    {"erfc", 0x1.0000000000000p-1, 0x1.eb02147ce245cp-2, -0x1.5e809f1a31a28p-56},
    {"erfc", 0x1.ccccccccccccdp-1, 0x1.9fee964dd7469p-3, -0x1.50a540ef6bbe5p-58},
    {"erfc", 0x1.8000000000000p+0, 0x1.15aaa8ec85205p-5, -0x1.e86ee834da4cep-61},
    {"erfc", -0x1.0000000000000p+0, 0x1.d7bb3d3a08445p+0, 0x1.8da0221fb761ap-54},
    {"erfc", 0x1.4000000000000p+2, 0x1.b0c1a759f7739p-40, -0x1.b28568855c7a1p-94},
    /* clang-format on */
};

static void known_values_are_found(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known_values / sizeof *known_values; k++) {
        const struct known_value *one = &known_values[k];
        size_t f = 0;
        while (strcmp(functions[f].name, one->name) != 0)
            f++;
        int exponent;
        frexp(one->value, &exponent);
        exponent = exponent < DBL_MIN_EXP ? DBL_MIN_EXP : exponent;
        const double off = (functions[f].ours(one->x) - one->value) - one->rest;
        const double error = fabs(ldexp(off, DBL_MANT_DIG - exponent));
        if (!(error <= functions[f].bound))
            fail_msg("%s(%a) is off by %g ulp", one->name, one->x, error);
    }
}

/* The value and the sign of zero; NaN is NaN. */
static void assert_gives(double found, double wanted, size_t k) {
    if (!(isnan(wanted) ? isnan(found) : bits_of(found) == bits_of(wanted)))
        fail_msg("case %zu: found %a, expected %a", k, found, wanted);
}

static void special_arguments_are_as_in_annex_f(void **state) {
    (void)state;
    const double inf = HUGE_VAL, nan = (double)NAN, tiny = 0x1p-1074;
    const struct {
        double (*of)(double);
        double x, wanted;
    } cases[] = {
        {isg_exp, 0, 1},
        {isg_exp, -0.0, 1},
        {isg_exp, inf, inf},
        {isg_exp, -inf, 0},
        {isg_exp, tiny, 1},
        {isg_exp, DBL_MAX, inf},
        {isg_exp, -DBL_MAX, 0},
        {isg_expm1, 0, 0},
        {isg_expm1, -0.0, -0.0},
        {isg_expm1, inf, inf},
        {isg_expm1, -inf, -1},
        {isg_expm1, tiny, tiny},
        {isg_expm1, -tiny, -tiny},
        {isg_expm1, DBL_MAX, inf},
        {isg_expm1, -DBL_MAX, -1},
        {isg_log, 1, 0},
        {isg_log, 0, -inf},
        {isg_log, -0.0, -inf},
        {isg_log, inf, inf},
        {isg_log, -inf, nan},
        {isg_log, -tiny, nan},
        {isg_log10, 1, 0},
        {isg_log10, 0, -inf},
        {isg_log10, -0.0, -inf},
        {isg_log10, inf, inf},
        {isg_log10, -1, nan},
        {isg_log1p, 0, 0},
        {isg_log1p, -0.0, -0.0},
        {isg_log1p, -1, -inf},
        {isg_log1p, -2, nan},
        {isg_log1p, inf, inf},
        {isg_log1p, -inf, nan},
        {isg_log1p, tiny, tiny},
        {isg_log1p, -tiny, -tiny},
        {isg_log1p, DBL_MAX, isg_log(DBL_MAX)},
        {isg_tanh, 0, 0},
        {isg_tanh, -0.0, -0.0},
        {isg_tanh, inf, 1},
        {isg_tanh, -inf, -1},
        {isg_tanh, tiny, tiny},
        {isg_tanh, -20, -1},
        {isg_cos, 0, 1},
        {isg_cos, -0.0, 1},
        {isg_cos, inf, nan},
        {isg_cos, -inf, nan},
        {isg_cos, 1048577, nan},
        {isg_erfc, 0, 1},
        {isg_erfc, inf, 0},
        {isg_erfc, -inf, 2},
        {isg_erfc, 30, 0},
        {isg_erfc, -30, 2},
        {isg_erfc, tiny, 1},
        /* the last finite result, the first that is not, and the same at the other end */
        {isg_exp, 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},
        {isg_exp, 0x1.62e42fefa39f0p+9, inf},
        {isg_exp, -0x1.74910d52d3051p+9, tiny},
        {isg_exp, -0x1.74910d52d3052p+9, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_gives(cases[k].of(cases[k].x), cases[k].wanted, k);
    for (size_t f = 0; f < FUNCTIONS; f++)
        assert_true(isnan(functions[f].ours(nan)));
    const double pairs[][3] = {
        {0, 0, 0},       {-0.0, -0.0, 0},       {3, -4, 5},
        {inf, nan, inf}, {nan, -inf, inf},      {nan, 1, nan},
        {1, nan, nan},   {tiny, 0, tiny},       {3 * tiny, 4 * tiny, 5 * tiny},
        {0, -7, 7},      {DBL_MAX, 1, DBL_MAX}, {DBL_MAX, DBL_MAX, inf}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        assert_gives(isg_hypot(pairs[k][0], pairs[k][1]), pairs[k][2], k);
}

static void identities_hold(void **state) {
    (void)state;
    double ten = 1;
    for (int k = 0; k <= 22; k++, ten *= 10) /* exact powers of ten */
        assert_true(isg_log10(ten) == k);
    assert_true(isg_log(2) == ISG_LN_2 && isg_cos(ISG_PI) == -1);
    uint64_t seed = 3;
    for (size_t k = 0; k < MANY; k++) {
        const double x = 20 * (noise(&seed) - 0.5), y = 20 * (noise(&seed) - 0.5), eps = 0x1p-52;
        assert_true(isg_tanh(-x) == -isg_tanh(x) && isg_cos(-x) == isg_cos(x));
        assert_true(fabs(isg_exp(x) * isg_exp(-x) - 1) < 2 * eps);
        assert_true(fabs(isg_log(isg_exp(x)) - x) < eps * (1 + fabs(x)));
        assert_true(fabs(isg_log1p(isg_expm1(x / 20)) - x / 20) < 3 * eps * fabs(x / 20));
        assert_true(isg_exp(x) <= isg_exp(nextafter(x, 11)));
        assert_true(isg_log(y * y) <= isg_log(nextafter(y * y, 101)));
        assert_true(isg_hypot(x, y) == isg_hypot(-y, x));
        assert_true(isg_hypot(x * 0x1p900, y * 0x1p900) == isg_hypot(x, y) * 0x1p900);
        assert_true(fabs(isg_erfc(x / 4) + isg_erfc(-x / 4) - 2) < 3 * eps);
        const double c = isg_cos(x); /* 4 c^3 - 3 c = cos 3x */
        assert_true(fabs((4 * c * c - 3) * c - isg_cos(3 * x)) < 40 * eps);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* a b = high + low exactly, for numbers near 1 (Dekker) */
static void multiply(double a, double b, double *high, double *low) {
    const double split = 0x1p27 + 1;
    const double a1 = a * split - (a * split - a), a2 = a - a1;
    const double b1 = b * split - (b * split - b), b2 = b - b1;
    *high = a * b;
    *low = ((a1 * b1 - *high) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* 2^(k/128) 2^(1/128) = 2^((k+1)/128) to 2^-100, from 1 to 2: no other table does that. */
static void powers_of_two_are_right(void **state) {
    (void)state;
    const double *step = isg_exp_table[1];
    assert_true(isg_exp_table[0][0] == 1 && isg_exp_table[0][1] == 0);
    for (size_t k = 0; k < 128; k++) {
        const double *now = isg_exp_table[k];
        const double next = k < 127 ? isg_exp_table[k + 1][0] : 2;
        const double tail = k < 127 ? isg_exp_table[k + 1][1] : 0;
        double high, low;
        multiply(now[0], step[0], &high, &low);
        const double relative = ((high - next) + low) / next + (now[1] + step[1]);
        assert_true(fabs(relative - tail) < 0x1p-100);
        assert_true(fabs(now[1]) < 0x1p-53);
    }
}

static void logarithms_are_right(void **state) {
    (void)state;
    const long double ln_2 = (long double)isg_ln_2_parts[0] + (long double)isg_ln_2_parts[1];
    const long double bound = LDBL_MANT_DIG < 64 ? 0x1p-53L : 0x1p-62L;
    assert_true(fabsl(ln_2 - logl(2)) < bound);
    const long double step = (long double)isg_exp_step[0] + (long double)isg_exp_step[1];
    assert_true(fabsl(128 * step - ln_2) < bound);
    assert_true(fabs(ldexp(isg_ln_2_parts[1], 43)) <= 1 && fabs(ldexp(isg_exp_step[1], 43)) <= 1);
    assert_true(isg_log_table[75][0] == 1 && isg_log_table[75][1] == 0 &&
                isg_log_table[75][2] == 0);
    for (size_t i = 0; i < 128; i++) {
        const double *row = isg_log_table[i];
        const long double value = (long double)row[1] + (long double)row[2];
        assert_true(fabsl(logl((long double)row[0]) + value) < bound);
        assert_true(ldexp(row[0], 12) == rint(ldexp(row[0], 12)));
        assert_true(ldexp(row[1], 42) == rint(ldexp(row[1], 42)));
        /* both ends of the interval */
        for (int end = 0; end < 2; end++) {
            const double units = (double)i - 75.5 + end;
            const double z = units < 0 ? 1 + units / 256 : 1 + units / 128;
            assert_true(fabs(z * row[0] - 1) < 0.0042);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_their_bounds),
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(known_values_are_found),
        cmocka_unit_test(special_arguments_are_as_in_annex_f),
        cmocka_unit_test(identities_hold),
        cmocka_unit_test(powers_of_two_are_right),
        cmocka_unit_test(logarithms_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
