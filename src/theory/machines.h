/* machines.h - what is inside an isg_machine
 *
 * SPDX-License-Identifier: MIT
 *
 * With A = xi^T xi = L L^T and coordinates y, all machines of appendix C are one: integrated over
 * tau,
 *
 *     H(s, y) = y^T A y / 2 - s^T xi y - b.s
 *
 * with y = lambda / sqrt(N) in the overlap and three-layer machines and y = A^-1 lambda in the
 * projection machine. The inverse of A is never formed; L does all.
 */
#ifndef ISG_MACHINES_H
#define ISG_MACHINES_H

#include "base/rng.h"
#include "isinglass/theory.h"
#include "patterns/patterns.h"

struct isg_machine {
    isg_machine_info info;
    size_t words;      /* of a state */
    double deviation;  /* beta^-1/2 */
    double log_det;    /* ln det A */
    double *xi;        /* (n_visible, n_hidden) */
    double *field;     /* b (n_visible) */
    double *factor;    /* L (n_hidden, n_hidden), lower triangle */
    double *coupling;  /* V (n_hidden, n_hidden), symmetric, V^2 = c0 I - A / N; three layers */
    double *imaginary; /* (A / N)^1/2, symmetric; three layers */
};

/* out (p) = matrix (p, p) vector (p); `out` is apart from `vector`. */
void isg_machine_apply(size_t p, const double *matrix, const double *vector, double *out);

/* y = L^-1 y, L^-T y, L y, in place. */
void isg_machine_solve_lower(const isg_machine *machine, double *y);
void isg_machine_solve_upper(const isg_machine *machine, double *y);
void isg_machine_multiply_lower(const isg_machine *machine, double *y);

/* out (p) = xi^T s: whole numbers, exactly. */
void isg_machine_pattern_sums(const isg_machine *machine, const uint64_t *spins, double *out);

/* y from lambda, and x = xi y + b. */
void isg_machine_coordinates(const isg_machine *machine, const double *lambda, double *y);
void isg_machine_input(const isg_machine *machine, const double *y, double *x);

/* V, (A / N)^1/2 and c0 of the three-layer machine. */
isg_status isg_three_layer_start(isg_machine *machine, isg_matd_view gram);

#endif
