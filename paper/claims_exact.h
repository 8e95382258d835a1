/* claims_exact.h - the network of some patterns, computed from A = xi^T xi alone
 *
 * SPDX-License-Identifier: MIT
 *
 * It uses none of the library's decompositions, so that these can be checked against it.
 */
#ifndef PAPER_CLAIMS_EXACT_H
#define PAPER_CLAIMS_EXACT_H

#include "paper/claims.h"

typedef struct reference {
    const isg_patterns *patterns; /* borrowed */
    size_t n, p;
    double *gram, *inverse; /* A and A^-1 (p, p) */
    double *v, *u;          /* scratch (p) */
} reference;

exit_code reference_create(reference *out, const isg_patterns *patterns);
void reference_free(reference *of); /* even if creating failed */

/* H(s) = -v^T A^-1 v / 2 with v = xi^T s, which is left in `v`, and A^-1 v in `u`. */
double reference_energy(reference *of, const uint64_t *spins);

double larger(double so_far, double size); /* once NaN, always NaN */
double relative(double value,
                double expected); /* |value - expected| / |expected|, or / 1 if smaller */

/* `count` patterns of `n` random spins that are linearly independent. */
exit_code random_patterns(isg_patterns **out, size_t n, size_t count, uint64_t seed);

/* ---- the pieces behind claims, see claims.h for their values ------------------------------------ */

/* The numbers of a mapping: `rbm` is held against the network of the patterns, which is computed
   here from A = xi^T xi alone. */
exit_code exact_mapping(const isg_patterns *patterns, isg_rbm *rbm, uint64_t seed, double *values);
exit_code exact_family(const isg_patterns *patterns, uint64_t seed, double *values);
exit_code exact_machines(const isg_patterns *patterns, uint64_t seed, double *values);
exit_code exact_projections(const isg_patterns *patterns, const isg_dataset *data, double *values);
exit_code exact_landscape(isg_rbm *rbm, const isg_dataset *data, double *values);
exit_code exact_partition(uint64_t seed, double *values);
exit_code exact_gradients(uint64_t seed, double *values);

#endif
