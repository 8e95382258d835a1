/* test_sampler_limits.c - samplers that are refused, out of memory, or large
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "helper_network.h"
#include "log_z/exact.h"
#include "rbm/rbm.h"
#include "sample/sample.h"
#include "test.h"

/* ---- refusals ----------------------------------------------------------------------------------------- */

static const size_t too_many = (size_t)UINT32_MAX + 1;

static void refused_machine_sweeps(void **state) {
    (void)state;
    network net = network_create(6, 2, 1, false);
    isg_machine *overlap = network_machine(&net, ISG_MACHINE_OVERLAP);
    isg_machine *layers = network_machine(&net, ISG_MACHINE_THREE_LAYER);
    uint64_t spins = 5;
    double lambda[2] = {42, 42};
    isg_machine_chains chains = {1, &spins, lambda, NULL};
    assert_fails(isg_machine_sweep(layers, &chains, 1, 0, 1), ISG_ERR_ARGUMENT, "need tau");
    assert_fails(isg_machine_sweep(overlap, &chains, 1, ISG_MAX_STEP + 1, 0), ISG_ERR_ARGUMENT,
                 "expected steps below 2^56");
    assert_fails(isg_machine_sweep(overlap, &chains, 1, ISG_MAX_STEP, 1), ISG_ERR_ARGUMENT,
                 "expected steps below 2^56");
    chains.count = too_many;
    assert_fails(isg_machine_sweep(overlap, &chains, 1, 0, 1), ISG_ERR_ARGUMENT,
                 "expected fewer than 2^32 chains, found 4294967296");
    chains.count = 0;
    assert_ok(isg_machine_sweep(overlap, &chains, 1, 0, 1));
    assert_true(spins == 5 && lambda[0] == 42 && lambda[1] == 42);
    isg_machine_free(overlap);
    isg_machine_free(layers);
    network_release(&net);
}

static void refused_dynamics(void **state) {
    (void)state;
    plain_network plain;
    plain_create(&plain, 8, 2, ISG_RULE_PROJECTION, true, 0, 1);
    isg_hopfield *hopfield = plain_build(&plain);
    isg_dynamics_options options = isg_dynamics_defaults();
    isg_dynamics_report report = {.sweeps = 42};
    uint64_t spins = 5;
    assert_fails(isg_hopfield_run(hopfield, &spins, too_many, &options, &report, NULL),
                 ISG_ERR_SHAPE, "4294967296 states are too many for one run");
    options.first_sweep = ISG_MAX_STEP + 1;
    assert_fails(isg_hopfield_run(hopfield, &spins, 1, &options, &report, NULL), ISG_ERR_ARGUMENT,
                 "sweeps: expected numbers below 2^56");
    options.first_sweep = ISG_MAX_STEP;
    options.sweeps = 1;
    assert_fails(isg_hopfield_run(hopfield, &spins, 1, &options, &report, NULL), ISG_ERR_ARGUMENT,
                 "sweeps: expected numbers below 2^56");
    assert_true(spins == 5 && report.sweeps == 42);
    isg_hopfield_free(hopfield);
}

static void refused_exact_samples(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    uint64_t spins = 42;
    assert_ok(isg_rbm_create(&rbm, 4, 1, 1));
    assert_fails(isg_exact_samples(rbm, too_many, 1, &spins), ISG_ERR_ARGUMENT,
                 "expected at most 2^32 - 1 samples, found 4294967296");
    rbm->weights[0] = (double)NAN;
    assert_int_not_equal(isg_exact_samples(rbm, 1, 1, &spins), ISG_OK);
    assert_int_equal(spins, 42);
    isg_rbm_free(rbm);
}

/* ---- every allocation fails in turn ---------------------------------------------------------------------- */

static isg_status sweep_machine(void *user) {
    uint64_t spins[3] = {1, 2, 3};
    double lambda[6] = {0}, tau[6] = {0};
    const isg_machine_chains chains = {3, spins, lambda, tau};
    const isg_status status = isg_machine_sweep(user, &chains, 1, 0, 2);
    assert_true((lambda[0] == 0) == (status != ISG_OK));
    return status;
}

static isg_status sample_exactly(void *user) {
    uint64_t spins[3] = {42, 42, 42};
    const isg_status status = isg_exact_samples(user, 3, 1, spins);
    assert_true((spins[2] == 42) == (status != ISG_OK));
    return status;
}

static void allocations(void **state) {
    (void)state;
    network net = network_create(6, 2, 1, false);
    isg_rbm *rbm = network_rbm(&net);
    isg_set_threads(1);
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(&net, kind);
        assert_int_equal(sweep_allocations(sweep_machine, machine), 1);
        isg_machine_free(machine);
    }
    assert_true(sweep_allocations(sample_exactly, rbm) > 0);
    isg_set_threads(0);
    isg_rbm_free(rbm);
    network_release(&net);
}

/* ---- large ones ------------------------------------------------------------------------------------------ */

enum { N = 1100, P = 64, CHAINS = 70, WORDS = (N + 63) / 64 };

/* Weights beyond the second cache are shared by more chains at a time, energies of many chains by the
   threads: neither may be seen in the results. */
static void large_machines(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    static uint64_t first[CHAINS * WORDS];
    const size_t threads[] = {1, 3};
    assert_ok(isg_rbm_start_normal(&rbm, N, P, 1, 0.1, 1));
    for (size_t i = 0; isg_isa_name(i); i++)
        for (size_t t = 0; t < 2; t++) {
            if (isg_set_isa(isg_isa_name(i)) != ISG_OK)
                continue;
            isg_set_threads(threads[t]);
            assert_ok(isg_chains_create(&chains, rbm, CHAINS, 1));
            assert_ok(isg_chains_sweep(chains, 2, 1));
            for (size_t k = 0; k < CHAINS; k++) {
                const uint64_t *spins = isg_chains_spins(chains, k);
                if (i == 0 && t == 0)
                    memcpy(first + k * WORDS, spins, sizeof *first * WORDS);
                assert_memory_equal(first + k * WORDS, spins, sizeof *first * WORDS);
            }
            isg_chains_free(chains);
        }
    assert_ok(isg_set_isa(NULL));
    enum { MANY = 1000 };
    static double energies[2][MANY];
    for (size_t t = 0; t < 2; t++) {
        isg_set_threads(threads[t]);
        assert_ok(isg_chains_create(&chains, rbm, MANY, 1));
        isg_chains_energy(chains, energies[t]);
        double exact = 0;
        assert_ok(isg_rbm_spin_energy(rbm, isg_chains_spins(chains, MANY - 1), &exact));
        assert_true(fabs(energies[t][MANY - 1] - exact) < 1e-4 * fabs(exact));
        isg_chains_free(chains);
    }
    assert_memory_equal(energies[0], energies[1], sizeof energies[0]);
    isg_set_threads(0);
    isg_rbm_free(rbm);
}

/* ---- the rest -------------------------------------------------------------------------------------------- */

static void clamped_units(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    const uint64_t units = 6;
    assert_ok(isg_rbm_create(&rbm, 4, 1, 1));
    assert_ok(isg_chains_create(&chains, rbm, 1, 1));
    assert_null(isg_chains_clamped(chains));
    isg_chains_clamp(chains, &units);
    assert_int_equal(*isg_chains_clamped(chains), units);
    isg_chains_clamp(chains, NULL);
    assert_null(isg_chains_clamped(chains));
    isg_chains_free(chains);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_machine_sweeps), cmocka_unit_test(refused_dynamics),
        cmocka_unit_test(refused_exact_samples),  cmocka_unit_test(allocations),
        cmocka_unit_test(large_machines),         cmocka_unit_test(clamped_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
