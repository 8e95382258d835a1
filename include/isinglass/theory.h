/* isinglass/theory.h - other machines of the same p(s), and checks of the identities
 *
 * SPDX-License-Identifier: MIT
 *
 * Unstable: these declarations serve appendix C of the paper and `isinglass verify`, and may change
 * in any release. The other headers follow semantic versioning.
 */
#ifndef ISINGLASS_THEORY_H
#define ISINGLASS_THEORY_H

#include "isinglass/patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Other Boltzmann machines of the projection network (appendix C of the paper) ------------ */

/* Machines with the same p(s) and Z as the projection network of patterns xi, with A = xi^T xi,
   made of spins and real variables lambda (n_hidden) that interact with each other or with a third
   layer tau:
       overlap      H = lambda^T A lambda / 2 N - s^T xi lambda / sqrt(N) - b.s
       projection   H = lambda^T A^-1 lambda / 2 - s^T xi A^-1 lambda - b.s
       three layers H = c0 |lambda|^2 / 2 + |tau|^2 / 2 - lambda^T V tau
                        - s^T xi lambda / sqrt(N) - b.s,  V V^T = c0 I - A / N
   Without a third layer, `tau` is ignored. */
typedef struct isg_machine isg_machine;

typedef enum isg_machine_kind {
    ISG_MACHINE_OVERLAP,
    ISG_MACHINE_PROJECTION,
    ISG_MACHINE_THREE_LAYER
} isg_machine_kind;

typedef struct isg_machine_info {
    isg_machine_kind kind;
    size_t n_visible;
    size_t n_hidden; /* the number of patterns; also of tau, if present */
    double beta;
    bool has_tau;
    double c0; /* three layers: 1 + 2^-20 times the largest eigenvalue of A / N; else 0 */
} isg_machine_info;

/* `field` is b (n_visible); NULL means zero. ISG_ERR_DEPENDENT, naming the combination, if the
   patterns are linearly dependent. */
ISG_API isg_status isg_machine_create(isg_machine **out, isg_machine_kind kind,
                                      const isg_patterns *patterns, const double *field,
                                      double beta);
ISG_API void isg_machine_free(isg_machine *machine); /* NULL is fine */
ISG_API isg_machine_info isg_machine_describe(const isg_machine *machine);

/* H(s, lambda, tau). */
ISG_API isg_status isg_machine_energy(const isg_machine *machine, const uint64_t *spins,
                                      const double *lambda, const double *tau, double *out);

/* The mean of lambda given s and tau, or given s alone if `tau` is NULL. */
ISG_API void isg_machine_hidden_mean(const isg_machine *machine, const uint64_t *spins,
                                     const double *tau, double *lambda);

/* The paper's own three layers, for a three-layer machine:
       H = |tau|^2 / 2 - i lambda^T (A / N)^1/2 tau - s^T xi lambda / sqrt(N) - b.s
   Integrating over tau first gives the same Z with the same constant. */
ISG_API isg_status isg_machine_complex_energy(const isg_machine *machine, const uint64_t *spins,
                                              const double *lambda, const double *tau, double *real,
                                              double *imaginary);

/* The same with tau integrated out, up to the constant (2 pi / beta)^(p/2): it is real, and
   smallest at the mean of lambda given s, where it equals H(s). */
ISG_API isg_status isg_machine_complex_lambda_energy(const isg_machine *machine,
                                                     const uint64_t *spins, const double *lambda,
                                                     double *out);

/* ---- Verification ---------------------------------------------------------------------------- */

/* A quantity that is zero in theory, and a bound on what rounding may make of it. */
typedef struct isg_check {
    char name[96];
    double value;
    double bound;
    bool ok; /* value <= bound */
} isg_check;

typedef struct isg_checks isg_checks;

/* Checks the identities behind the mappings: on the given patterns, with energies of 10000 random
   states, or, if `patterns` is NULL, energies and ln Z over all states of small random networks,
   with and without field, at beta 0.5, 1 and 2. `progress` may be NULL. */
ISG_API isg_status isg_verify(isg_checks **out, const isg_patterns *patterns, uint64_t seed,
                              const isg_progress *progress);
ISG_API size_t isg_checks_count(const isg_checks *checks);
ISG_API const isg_check *isg_checks_get(const isg_checks *checks, size_t k);
ISG_API void isg_checks_free(isg_checks *checks); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
