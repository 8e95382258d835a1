/* helper_hopfield.c - Hopfield networks small enough to be written out
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_hopfield.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "test.h"

typedef long double square[PLAIN_PATTERNS][PLAIN_PATTERNS];

/* inverse = a^-1 by Gauss and Jordan; false if a pivot vanishes. */
static bool invert(square a, square inverse, size_t p) {
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++)
            inverse[mu][nu] = mu == nu;
    for (size_t column = 0; column < p; column++) {
        if (fabsl(a[column][column]) < 1e-9L) /* A is positive semidefinite: no other pivot helps */
            return false;
        const long double pivot = a[column][column];
        for (size_t nu = 0; nu < p; nu++) {
            a[column][nu] /= pivot;
            inverse[column][nu] /= pivot;
        }
        for (size_t mu = 0; mu < p; mu++) {
            const long double factor = a[mu][column];
            for (size_t nu = 0; mu != column && nu < p; nu++) {
                a[mu][nu] -= factor * a[column][nu];
                inverse[mu][nu] -= factor * inverse[column][nu];
            }
        }
    }
    return true;
}

static bool couple(plain_network *plain) {
    const size_t n = plain->n, p = plain->p;
    square gram, inverse;
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++) {
            gram[mu][nu] = 0;
            for (size_t i = 0; i < n; i++)
                gram[mu][nu] += plain->xi[i * p + mu] * plain->xi[i * p + nu];
        }
    if (!invert(gram, inverse, p))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            long double sum = 0;
            for (size_t mu = 0; mu < p; mu++)
                for (size_t nu = 0; nu < p; nu++)
                    sum +=
                        plain->xi[i * p + mu] * plain->xi[k * p + nu] *
                        (plain->options.rule == ISG_RULE_PROJECTION ? inverse[mu][nu]
                                                                    : (mu == nu) / (long double)n);
            plain->j[i][k] = i == k && !plain->options.keep_diagonal ? 0 : (double)sum;
        }
    return true;
}

void plain_create(plain_network *out, size_t n, size_t p, isg_rule rule, bool keep_diagonal,
                  double field, uint64_t seed) {
    assert_true(p <= n && n <= PLAIN_UNITS && p <= PLAIN_PATTERNS);
    memset(out, 0, sizeof *out);
    out->n = n;
    out->p = p;
    out->options = isg_hopfield_defaults();
    out->options.rule = rule;
    out->options.keep_diagonal = keep_diagonal;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 77));
    do {
        for (size_t k = 0; k < n * p; k++)
            out->xi[k] = isg_next_below(&random, 2) ? 1 : -1;
    } while (!couple(out));
    for (size_t i = 0; i < n && field > 0; i++)
        out->b[i] = field * isg_next_normal(&random);
    out->options.field = field > 0 ? out->b : NULL;
}

isg_hopfield *plain_build(const plain_network *plain) {
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    isg_hopfield_options options = plain->options;
    options.field = options.field ? plain->b : NULL;
    assert_ok(isg_patterns_create(&patterns, plain->n, plain->p, plain->xi, NULL));
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    isg_patterns_free(patterns);
    return network;
}

int plain_spin(uint64_t state, size_t i) {
    return state >> i & 1 ? 1 : -1;
}

double plain_energy(const plain_network *plain, uint64_t state) {
    double energy = 0;
    for (size_t i = 0; i < plain->n; i++) {
        energy -= plain->b[i] * plain_spin(state, i);
        for (size_t k = 0; k < plain->n; k++)
            energy -= plain->j[i][k] * plain_spin(state, i) * plain_spin(state, k) / 2;
    }
    return energy;
}

double plain_field(const plain_network *plain, uint64_t state, size_t i) {
    double field = plain->b[i];
    for (size_t k = 0; k < plain->n; k++)
        field += plain->j[i][k] * plain_spin(state, k);
    return field;
}

uint64_t test_seed(uint64_t number) {
    const char *text = getenv("ISINGLASS_TEST_SEED");
    return (text ? strtoull(text, NULL, 10) << 16 : 0) + number;
}
