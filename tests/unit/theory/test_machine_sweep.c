/* test_machine_sweep.c - the samplers of all machines keep p(s)
 *
 * SPDX-License-Identifier: MIT
 *
 * Chains start from exact samples, so that any number of sweeps must leave them distributed as p(s):
 * a sampler that is slow passes, one that is wrong does not.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helper_network.h"
#include "helper_statistics.h"

enum { CHAINS = 5000, SPINS_OF_CHAIN = 6, STATES = 1 << SPINS_OF_CHAIN };

typedef struct ensemble {
    double p[STATES];
    uint64_t spins[CHAINS];
    double lambda[CHAINS * 2], tau[CHAINS * 2];
} ensemble;

/* Exact samples of p(s), with lambda given s and tau given lambda. */
static void draw_ensemble(ensemble *all, const network *net, uint64_t seed) {
    isg_rbm *rbm = network_rbm(net);
    isg_machine *overlap = network_machine(net, ISG_MACHINE_OVERLAP);
    isg_machine *layers = network_machine(net, ISG_MACHINE_THREE_LAYER);
    uint64_t *swept = malloc(CHAINS * sizeof *swept);
    assert_non_null(swept);
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 1, 0));
    assert_ok(isg_exact_probabilities(rbm, all->p));
    for (size_t k = 0; k < CHAINS; k++) {
        double u = isg_next_uniform(&random);
        uint64_t s = 0;
        while (s + 1 < STATES && u >= all->p[s])
            u -= all->p[s++];
        all->spins[k] = swept[k] = s;
    }
    const isg_machine_chains chains = {CHAINS, swept, all->lambda, NULL};
    assert_ok(isg_machine_sweep(overlap, &chains, seed, 1000, 1));
    for (size_t k = 0; k < CHAINS; k++) {
        assert_ok(isg_machine_tau_mean(layers, all->lambda + 2 * k, all->tau + 2 * k));
        for (size_t mu = 0; mu < 2; mu++)
            all->tau[2 * k + mu] += isg_next_normal(&random) / sqrt(net->beta);
    }
    free(swept);
    isg_machine_free(overlap);
    isg_machine_free(layers);
    isg_rbm_free(rbm);
}

/* How surprising the states of all chains are; rare states share a cell. */
static double surprise(const ensemble *all) {
    size_t counts[STATES + 1] = {0}, cells = 1;
    size_t cell_of[STATES];
    double expected[STATES + 1] = {0};
    for (size_t s = 0; s < STATES; s++) {
        const bool is_rare = CHAINS * all->p[s] < 10;
        cell_of[s] = is_rare ? 0 : cells++;
        expected[cell_of[s]] += CHAINS * all->p[s];
    }
    for (size_t k = 0; k < CHAINS; k++)
        counts[cell_of[all->spins[k]]]++;
    const bool has_rare = expected[0] > 0;
    return chi_square_score(counts + !has_rare, expected + !has_rare, cells - !has_rare);
}

/* The largest surprise after 1, 5 and 21 sweeps of a sampler that starts in equilibrium. */
static double stationarity(const isg_machine *machine, const network *net, uint64_t seed) {
    ensemble *all = malloc(sizeof *all);
    assert_non_null(all);
    draw_ensemble(all, net, seed);
    const isg_machine_chains chains = {CHAINS, all->spins, all->lambda, all->tau};
    double worst = surprise(all);
    assert_true(worst < 5);
    for (size_t done = 0; done < 21; done = done ? 4 * done + 1 : 1) {
        const size_t sweeps = done ? 3 * done + 1 : 1;
        assert_ok(isg_machine_sweep(machine, &chains, seed, done, sweeps));
        worst = fmax(worst, surprise(all));
    }
    free(all);
    return worst;
}

static uint64_t test_seed(void) {
    const char *text = getenv("ISINGLASS_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

static void test_samplers_keep_the_distribution(void **state) {
    (void)state;
    network net = network_create(SPINS_OF_CHAIN, 2, 2, true);
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(&net, kind);
        const double right = stationarity(machine, &net, test_seed());
        if (right > 5)
            fail_msg("machine %d: %g standard deviations", kind, right);
        machine->deviation = 1; /* variance 1 for 1 / beta */
        assert_true(stationarity(machine, &net, test_seed()) > 10);
        machine->deviation = 1 / sqrt(net.beta);
        machine->info.beta /= 2; /* 1 / (1 + exp(-beta x)) */
        assert_true(stationarity(machine, &net, test_seed()) > 10);
        machine->info.beta *= 2;
        memset(machine->field, 0, net.n * sizeof *machine->field); /* the field dropped */
        assert_true(stationarity(machine, &net, test_seed()) > 10);
        isg_machine_free(machine);
    }
    network_release(&net);
}

static void test_sweeps_do_not_depend_on_threads_or_cuts(void **state) {
    (void)state;
    enum { COUNT = 100 };
    network net = network_create(9, 3, 1, true);
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(&net, kind);
        uint64_t spins[2][COUNT];
        double lambda[2][COUNT * 3], tau[2][COUNT * 3];
        for (size_t run = 0; run < 4; run++) { /* 1, 2, 7 threads; then cut in two */
            const size_t into = run > 0;
            memset(spins[into], 0, sizeof spins[into]);
            memset(lambda[into], 0, sizeof lambda[into]);
            memset(tau[into], 0, sizeof tau[into]);
            const isg_machine_chains chains = {COUNT, spins[into], lambda[into], tau[into]};
            isg_set_threads((size_t[]){1, 2, 7, 2}[run]);
            assert_ok(isg_machine_sweep(machine, &chains, 5, 0, run == 3 ? 4 : 11));
            if (run == 3)
                assert_ok(isg_machine_sweep(machine, &chains, 5, 4, 7));
            assert_memory_equal(spins[0], spins[into], sizeof spins[0]);
            assert_memory_equal(lambda[0], lambda[into], sizeof lambda[0]);
            assert_memory_equal(tau[0], tau[into], sizeof tau[0]);
        }
        assert_true(spins[0][0] != spins[0][1] || spins[0][0] != spins[0][2]);
        isg_machine_free(machine);
    }
    isg_set_threads(0);
    network_release(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samplers_keep_the_distribution),
        cmocka_unit_test(test_sweeps_do_not_depend_on_threads_or_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
