/* three_layer.c - the three-layer machine, real and complex
 *
 * SPDX-License-Identifier: MIT
 *
 * The paper's form (end of appendix C) replaces the interaction of the lambda by a third layer tau
 * with an imaginary coupling:
 *
 *     H = |tau|^2 / 2 - i lambda^T (A/N)^1/2 tau - s^T xi lambda / sqrt(N) - b.s
 *
 * Integrating over tau first gives the overlap machine; there is no weight of (lambda, tau) to
 * sample, and the integral over lambda alone does not exist. With c0 at least the largest
 * eigenvalue of A/N and V V^T = c0 I - A/N, the real
 *
 *     H = c0 |lambda|^2 / 2 + |tau|^2 / 2 - lambda^T V tau - s^T xi lambda / sqrt(N) - b.s
 *
 * does the same: the weights between s and lambda are the binary patterns themselves, no units of
 * one layer interact, and integrating over tau gives the overlap machine again.
 */
#include <math.h>

#include "base/memory.h"
#include "linalg/linalg.h"
#include "theory/machines.h"

/* c0 over the largest eigenvalue of A/N: far enough above 1 that rounding cannot make c0 I - A/N
   indefinite, close enough not to slow the sampler. */
static const double headroom = 1 + 0x1p-20;

/* out (p, p) = vectors diag(roots) vectors^T */
static void assemble(size_t p, const double *vectors, const double *roots, double *out) {
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu <= mu; nu++) {
            double sum = 0;
            for (size_t k = 0; k < p; k++)
                sum += vectors[mu * p + k] * roots[k] * vectors[nu * p + k];
            out[mu * p + nu] = out[nu * p + mu] = sum;
        }
}

isg_status isg_three_layer_start(isg_machine *machine, isg_matd_view gram) {
    const size_t p = machine->info.n_hidden;
    const double n = (double)machine->info.n_visible;
    isg_status status = ISG_OK;
    double *values = NULL, *vectors = NULL, *roots = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(machine->coupling, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(machine->imaginary, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(values, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vectors, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(roots, p));
    ISG_TRY_GOTO(isg_symmetric_eigen(values, isg_matd_of(vectors, p, p), gram));
    machine->info.c0 = headroom * values[p - 1] / n;
    for (size_t k = 0; k < p; k++)
        roots[k] = sqrt(machine->info.c0 - values[k] / n);
    assemble(p, vectors, roots, machine->coupling);
    for (size_t k = 0; k < p; k++)
        roots[k] = sqrt(fmax(values[k], 0) / n);
    assemble(p, vectors, roots, machine->imaginary);
done:
    isg_release(values);
    isg_release(vectors);
    isg_release(roots);
    return status;
}

static isg_status need_tau(const isg_machine *machine) {
    if (machine->info.has_tau)
        return ISG_OK;
    return isg_fail(ISG_ERR_ARGUMENT, "only the three-layer machine has units tau");
}

isg_status isg_machine_tau_mean(const isg_machine *machine, const double *lambda, double *tau) {
    ISG_TRY(need_tau(machine));
    isg_machine_apply(machine->info.n_hidden, machine->coupling, lambda, tau);
    return ISG_OK;
}

isg_status isg_machine_complex_energy(const isg_machine *machine, const uint64_t *spins,
                                      const double *lambda, const double *tau, double *real,
                                      double *imaginary) {
    const size_t n = machine->info.n_visible, p = machine->info.n_hidden;
    ISG_TRY(need_tau(machine));
    double *sums = NULL, real_part = 0, imaginary_part = 0;
    ISG_TRY(ISG_ALLOCATE(sums, p));
    isg_machine_pattern_sums(machine, spins, sums);
    for (size_t i = 0; i < n; i++)
        real_part -= isg_spin(spins, i) * machine->field[i];
    for (size_t mu = 0; mu < p; mu++) {
        real_part += tau[mu] * tau[mu] / 2 - lambda[mu] * sums[mu] / sqrt((double)n);
        for (size_t nu = 0; nu < p; nu++)
            imaginary_part -= lambda[mu] * machine->imaginary[mu * p + nu] * tau[nu];
    }
    isg_release(sums);
    *real = real_part;
    *imaginary = imaginary_part;
    return ISG_OK;
}

/* int exp(-beta (|tau|^2 / 2 - i lambda^T B tau)) dtau is a constant times exp(-beta |B lambda|^2 / 2),
   B being symmetric. */
isg_status isg_machine_complex_lambda_energy(const isg_machine *machine, const uint64_t *spins,
                                             const double *lambda, double *out) {
    const size_t p = machine->info.n_hidden;
    ISG_TRY(need_tau(machine));
    double *image = NULL, *tau = NULL, imaginary = 0, energy = 0; /* image = B lambda, tau = 0 */
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(image, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(tau, p));
    ISG_TRY_GOTO(isg_machine_complex_energy(machine, spins, lambda, tau, &energy, &imaginary));
    isg_machine_apply(p, machine->imaginary, lambda, image);
    for (size_t mu = 0; mu < p; mu++)
        energy += image[mu] * image[mu] / 2;
    *out = energy;
done:
    isg_release(image);
    isg_release(tau);
    return status;
}
