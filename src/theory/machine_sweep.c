/* machine_sweep.c - block Gibbs sampling of the machines of appendix C
 *
 * SPDX-License-Identifier: MIT
 *
 * A sweep draws lambda given the other layers, then those given lambda. Given s, the coordinates
 * y of machines.h are Normal(A^-1 xi^T s, A^-1 / beta), so with A = L L^T and standard normals z
 *
 *     overlap      lambda = sqrt(N) L^-T (L^-1 xi^T s + z / sqrt(beta))
 *     projection   lambda = xi^T s + L z / sqrt(beta)
 *
 * and in three layers everything is independent given the neighbors.
 */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "rbm/rbm.h"
#include "theory/machines.h"

static void draw_lambda(const isg_machine *machine, isg_cursor *random, const uint64_t *spins,
                        const double *tau, double *lambda, double *scratch) {
    const size_t p = machine->info.n_hidden;
    const double scale = sqrt((double)machine->info.n_visible);
    for (size_t mu = 0; mu < p; mu++)
        scratch[mu] = machine->deviation * isg_next_normal(random);
    if (machine->info.kind == ISG_MACHINE_OVERLAP) {
        isg_machine_pattern_sums(machine, spins, lambda);
        isg_machine_solve_lower(machine, lambda);
        for (size_t mu = 0; mu < p; mu++)
            lambda[mu] = scale * (lambda[mu] + scratch[mu]);
        isg_machine_solve_upper(machine, lambda);
        return;
    }
    isg_machine_hidden_mean(machine, spins, tau, lambda);
    double shrink = 1;
    if (machine->info.kind == ISG_MACHINE_PROJECTION)
        isg_machine_multiply_lower(machine, scratch);
    else
        shrink = 1 / sqrt(machine->info.c0);
    for (size_t mu = 0; mu < p; mu++)
        lambda[mu] += shrink * scratch[mu];
}

/* `scratch` holds n_visible + n_hidden numbers. */
static void sweep(const isg_machine *machine, isg_cursor *random, uint64_t *spins, double *lambda,
                  double *tau, double *scratch) {
    const size_t n = machine->info.n_visible, p = machine->info.n_hidden;
    double *x = scratch, *y = scratch + n;
    draw_lambda(machine, random, spins, tau, lambda, y);
    isg_machine_coordinates(machine, lambda, y);
    isg_machine_input(machine, y, x);
    isg_sample_spins(random, n, machine->info.beta, x, spins);
    if (!machine->info.has_tau)
        return;
    isg_machine_apply(p, machine->coupling, lambda, tau);
    for (size_t mu = 0; mu < p; mu++)
        tau[mu] += machine->deviation * isg_next_normal(random);
}

isg_status isg_machine_sweep(const isg_machine *machine, const isg_machine_chains *chains,
                             uint64_t seed, uint64_t step, size_t sweeps) {
    enum { LANES = 64 }; /* chains run at once, each with its scratch */
    const size_t count = chains->count, lanes = count < LANES ? count : LANES;
    const size_t p = machine->info.n_hidden, room = machine->info.n_visible + p;
    if (count > UINT32_MAX)
        return isg_fail(ISG_ERR_ARGUMENT, "expected fewer than 2^32 chains, found %zu", count);
    if (step > ISG_MAX_STEP || sweeps > ISG_MAX_STEP - step)
        return isg_fail(ISG_ERR_ARGUMENT, "expected steps below 2^56");
    if (machine->info.has_tau && !chains->tau)
        return isg_fail(ISG_ERR_ARGUMENT, "the chains of a three-layer machine need tau");
    double *scratch = isg_allocate(room, (lanes > 0 ? lanes : 1) * sizeof *scratch);
    if (!scratch)
        return ISG_ERR_MEMORY;
#pragma omp parallel for schedule(dynamic) num_threads(isg_team_size())
    for (size_t lane = 0; lane < lanes; lane++)
        for (size_t k = lane; k < count; k += lanes)
            for (size_t t = 0; t < sweeps; t++) {
                isg_cursor random =
                    isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_GIBBS, step + t, (uint32_t)k));
                sweep(machine, &random, chains->spins + k * machine->words, chains->lambda + k * p,
                      chains->tau ? chains->tau + k * p : NULL, scratch + lane * room);
            }
    isg_release(scratch);
    return ISG_OK;
}
