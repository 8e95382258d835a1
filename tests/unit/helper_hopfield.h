/* helper_hopfield.h - Hopfield networks small enough to be written out
 *
 * SPDX-License-Identifier: MIT
 *
 * J as a matrix, found by eliminating in long double; everything else from its definition. States
 * are numbers here: bit i set is spin i = +1, which is also how one packed word looks.
 */
#ifndef HELPER_HOPFIELD_H
#define HELPER_HOPFIELD_H

#include <stdbool.h>

#include "isinglass.h"

enum { PLAIN_UNITS = 12, PLAIN_PATTERNS = 6 };

typedef struct plain_network {
    size_t n, p;
    isg_hopfield_options options; /* its field is b, or NULL */
    int8_t xi[PLAIN_UNITS * PLAIN_PATTERNS];
    double b[PLAIN_UNITS];
    double j[PLAIN_UNITS][PLAIN_UNITS]; /* with or without diagonal, as the options have it */
} plain_network;

/* Random independent patterns; b of normal size `field`, or none for 0. */
void plain_create(plain_network *out, size_t n, size_t p, isg_rule rule, bool keep_diagonal,
                  double field, uint64_t seed);

/* The library's network of the same patterns and options. */
isg_hopfield *plain_build(const plain_network *plain);

int plain_spin(uint64_t state, size_t i);
double plain_energy(const plain_network *plain, uint64_t state);
double plain_field(const plain_network *plain, uint64_t state, size_t i); /* (J s + b)_i */

/* Seed number `number` of the statistical tests, which ISINGLASS_TEST_SEED changes. */
uint64_t test_seed(uint64_t number);

#endif
