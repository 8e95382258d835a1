/* machines.h - what is inside an isg_machine
 *
 * SPDX-License-Identifier: MIT
 *
 * With A = xi^T xi = L L^T and coordinates y, all machines of appendix C are the same: with tau
 * integrated out,
 *
 *     H(s, y) = y^T A y / 2 - s^T xi y - b.s
 *
 * with y = lambda / sqrt(N) in the overlap and three-layer machines and y = A^-1 lambda in the
 * projection machine. The inverse of A is never formed; L is enough.
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

/* H(s) = -s^T xi A^-1 xi^T s / 2 - b.s, with all but s integrated out:
       Z = sum over s of exp(-beta H(s))
         = exp(log_constant) sum over s of int exp(-beta H(s, lambda, tau)) dlambda dtau */
isg_status isg_machine_spin_energy(const isg_machine *machine, const uint64_t *spins, double *out);
double isg_machine_log_constant(const isg_machine *machine);

/* F0(lambda), with tau integrated and s summed out, and its gradient (n_hidden):
       Z = exp(log_free_constant) int exp(-beta F0(lambda)) dlambda */
isg_status isg_machine_free_energy(const isg_machine *machine, const double *lambda, double *out);
isg_status isg_machine_free_energy_gradient(const isg_machine *machine, const double *lambda,
                                            double *gradient);
double isg_machine_log_free_constant(const isg_machine *machine);

/* The input x (n_visible) to the spins given lambda; the mean of tau given lambda. */
isg_status isg_machine_visible_input(const isg_machine *machine, const double *lambda, double *x);
isg_status isg_machine_tau_mean(const isg_machine *machine, const double *lambda, double *tau);

/* States of many copies of a machine, one per row. */
typedef struct isg_machine_chains {
    size_t count;
    uint64_t *spins; /* (count, words of 64 spins), packed */
    double *lambda;  /* (count, n_hidden) */
    double *tau;     /* (count, n_hidden); NULL without a third layer */
} isg_machine_chains;

/* Block-Gibbs sweeps: lambda given the rest, then the rest given lambda. Sweep t of chain k is a
   function of the seed, step + t and k, so a run can be split into calls anywhere. */
isg_status isg_machine_sweep(const isg_machine *machine, const isg_machine_chains *chains,
                             uint64_t seed, uint64_t step, size_t sweeps);

/* out (p) = matrix (p, p) vector (p); `out` must not overlap `vector`. */
void isg_machine_apply(size_t p, const double *matrix, const double *vector, double *out);

/* y = L^-1 y, L^-T y, L y, in place. */
void isg_machine_solve_lower(const isg_machine *machine, double *y);
void isg_machine_solve_upper(const isg_machine *machine, double *y);
void isg_machine_multiply_lower(const isg_machine *machine, double *y);

/* out (p) = xi^T s: exact integers. */
void isg_machine_pattern_sums(const isg_machine *machine, const uint64_t *spins, double *out);

/* y from lambda, and x = xi y + b. */
void isg_machine_coordinates(const isg_machine *machine, const double *lambda, double *y);
void isg_machine_input(const isg_machine *machine, const double *y, double *x);

/* V, (A / N)^1/2 and c0 of the three-layer machine. */
isg_status isg_three_layer_start(isg_machine *machine, isg_matd_view gram);

#endif
