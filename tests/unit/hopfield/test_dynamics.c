/* test_dynamics.c - the dynamics of Hopfield networks, against explicit J and exact laws
 *
 * SPDX-License-Identifier: MIT
 *
 * At zero temperature every state of small networks is compared with a plain simulation. At a
 * temperature, states drawn exactly from a law must still follow it after 1, 5 and 21 sweeps; the
 * same test must notice samplers that are wrong by design.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "helper_progress.h"
#include "helper_statistics.h"
#include "hopfield/hopfield.h"
#include "test.h"

enum { MAX_STATES = 1 << PLAIN_UNITS };

static isg_dynamics_options options_of(isg_dynamics kind, double beta, size_t sweeps) {
    isg_dynamics_options options = isg_dynamics_defaults();
    options.kind = kind;
    options.beta = beta;
    options.sweeps = sweeps;
    return options;
}

/* ---- zero temperature ------------------------------------------------------------------------------ */

/* What a plain simulation finds; fields below 1e-10 are zero. */
typedef struct plain_run {
    uint64_t state;
    size_t sweeps, flips;
    bool is_two_cycle;
} plain_run;

static bool wants_flip(const plain_network *plain, uint64_t state, size_t i) {
    return plain_field(plain, state, i) * plain_spin(state, i) < -1e-10;
}

static plain_run run_in_order(const plain_network *plain, uint64_t state) {
    plain_run run = {.state = state};
    for (size_t flips = 1; flips > 0; run.flips += flips, run.sweeps += flips > 0) {
        flips = 0;
        for (size_t i = 0; i < plain->n; i++)
            if (wants_flip(plain, run.state, i)) {
                run.state ^= UINT64_C(1) << i;
                flips++;
            }
    }
    return run;
}

static plain_run run_at_once(const plain_network *plain, uint64_t state) {
    plain_run run = {.state = state};
    uint64_t before = UINT64_MAX;
    while (!run.is_two_cycle) {
        uint64_t next = run.state;
        for (size_t i = 0; i < plain->n; i++)
            if (wants_flip(plain, run.state, i))
                next ^= UINT64_C(1) << i;
        if (next == run.state)
            break;
        run.is_two_cycle = next == before;
        run.flips += (size_t)__builtin_popcountll(next ^ run.state);
        run.sweeps++;
        before = run.state;
        run.state = next;
    }
    return run;
}

typedef plain_run plain_dynamics(const plain_network *, uint64_t);

/* Runs all states, and the plain simulation if there is one; returns the number of cycles. */
static size_t compare_all(const plain_network *plain, isg_dynamics_options options,
                          plain_dynamics *simulate) {
    static uint64_t states[MAX_STATES];
    static isg_dynamics_report reports[MAX_STATES];
    const size_t count = (size_t)1 << plain->n;
    size_t n_cycles = 0;
    isg_hopfield *network = plain_build(plain);
    for (size_t a = 0; a < count; a++)
        states[a] = a;
    assert_ok(isg_hopfield_run(network, states, count, &options, reports, NULL));
    for (size_t a = 0; a < count; a++) {
        isg_hopfield_state end;
        assert_ok(isg_hopfield_examine(network, &states[a], &end));
        assert_true(end.energy == reports[a].state.energy);
        assert_true(end.least_rise == reports[a].state.least_rise);
        assert_int_equal(end.n_unstable, reports[a].state.n_unstable);
        assert_int_equal(end.is_stable, reports[a].state.is_stable);
        assert_int_equal(end.is_fixed_point, reports[a].state.is_fixed_point);
        assert_true(end.is_fixed_point != reports[a].is_two_cycle);
        n_cycles += reports[a].is_two_cycle;
        if (!simulate)
            continue;
        const plain_run expected = simulate(plain, a);
        assert_int_equal(states[a], expected.state);
        assert_int_equal(reports[a].sweeps, expected.sweeps);
        assert_int_equal(reports[a].flips, expected.flips);
        assert_int_equal(reports[a].is_two_cycle, expected.is_two_cycle);
    }
    isg_hopfield_free(network);
    return n_cycles;
}

static void zero_temperature_equals_a_plain_simulation(void **state) {
    (void)state;
    size_t cycles_kept = 0, cycles_removed = 0;
    for (unsigned k = 0; k < 24; k++) {
        plain_network plain;
        plain_create(&plain, 3 + k % 8, 1 + k % 3, k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION,
                     k & 2, k & 4 ? 0.3 : 0, k);
        isg_dynamics_options options = options_of(ISG_DYNAMICS_ASYNCHRONOUS, 0, 100);
        assert_int_equal(compare_all(&plain, options, NULL), 0);
        options.fixed_order = true;
        assert_int_equal(compare_all(&plain, options, run_in_order), 0);
        options.kind = ISG_DYNAMICS_SYNCHRONOUS;
        *(plain.options.keep_diagonal ? &cycles_kept : &cycles_removed) +=
            compare_all(&plain, options, run_at_once);
    }
    assert_int_equal(cycles_kept, 0); /* J is positive semidefinite */
    assert_true(cycles_removed > 0);
}

/* (++) and (--) each lead to the other once the diagonal is removed. */
static void two_states_may_take_turns(void **state) {
    (void)state;
    const int8_t xi[2] = {1, -1};
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 2, 1, xi, NULL));
    for (int keep = 0; keep < 2; keep++) {
        isg_hopfield_options how = isg_hopfield_defaults();
        how.keep_diagonal = keep;
        isg_hopfield *network = NULL;
        assert_ok(isg_hopfield_create(&network, patterns, &how));
        uint64_t spins = 3;
        isg_dynamics_report report;
        isg_dynamics_options options = options_of(ISG_DYNAMICS_SYNCHRONOUS, 0, 100);
        assert_ok(isg_hopfield_run(network, &spins, 1, &options, &report, NULL));
        assert_int_equal(spins, 3);
        assert_int_equal(report.is_two_cycle, !keep);
        assert_int_equal(report.sweeps, keep ? 0 : 2);
        assert_int_equal(report.flips, keep ? 0 : 4);
        assert_int_equal(report.state.is_fixed_point, keep);
        options.sweeps = 1; /* too few to notice */
        assert_ok(isg_hopfield_run(network, &spins, 1, &options, &report, NULL));
        assert_int_equal(spins, keep ? 3 : 0);
        assert_false(report.is_two_cycle);
        isg_hopfield_free(network);
    }
    isg_patterns_free(patterns);
}

/* One sweep at a time, from every state. */
static void energy_never_rises_at_zero_temperature(void **state) {
    (void)state;
    static uint64_t states[MAX_STATES];
    static isg_dynamics_report reports[MAX_STATES];
    static double before[MAX_STATES];
    bool has_risen = false; /* synchronously, without the diagonal, it may */
    for (unsigned k = 0; k < 24; k++) {
        plain_network plain;
        const bool keep = k & 1, is_synchronous = k & 2;
        plain_create(&plain, 8 + k % 3, 1 + k % 3, k & 4 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION,
                     keep, k & 8 ? 0.3 : 0, 100 + k);
        isg_hopfield *network = plain_build(&plain);
        isg_dynamics_options options =
            options_of(is_synchronous ? ISG_DYNAMICS_SYNCHRONOUS : ISG_DYNAMICS_ASYNCHRONOUS, 0, 1);
        const size_t count = (size_t)1 << plain.n;
        for (size_t a = 0; a < count; a++) {
            states[a] = a;
            before[a] = plain_energy(&plain, a);
        }
        for (options.first_sweep = 0; options.first_sweep < 6; options.first_sweep++) {
            assert_ok(isg_hopfield_run(network, states, count, &options, reports, NULL));
            for (size_t a = 0; a < count; a++) {
                const bool rises = reports[a].state.energy > before[a] + 1e-10;
                if (keep || !is_synchronous)
                    assert_false(rises);
                has_risen = has_risen || rises;
                before[a] = reports[a].state.energy;
            }
        }
        isg_hopfield_free(network);
    }
    assert_true(has_risen);
}

/* A random order is new in every sweep and for every state; the fixed order is another one. */
static void orders_differ_where_they_should(void **state) {
    (void)state;
    plain_network plain;
    plain_create(&plain, 12, 3, ISG_RULE_HEBBIAN, false, 0, 5);
    isg_hopfield *network = plain_build(&plain);
    static uint64_t ends[3][4096];
    for (unsigned run = 0; run < 3; run++) {
        isg_dynamics_options options = isg_dynamics_defaults();
        options.seed = run;
        for (uint64_t start = 0; start < 4096; start++)
            ends[run][start] = start;
        options.fixed_order = run == 2;
        assert_ok(isg_hopfield_run(network, ends[run], 4096, &options, NULL, NULL));
    }
    assert_memory_not_equal(ends[0], ends[1], sizeof ends[0]);
    assert_memory_not_equal(ends[0], ends[2], sizeof ends[0]);
    /* The same start many times: random orders lead to several ends. */
    size_t n_starts = 0;
    for (uint64_t start = 0; start < 4096; start += 97) {
        isg_dynamics_options options = isg_dynamics_defaults();
        for (size_t a = 0; a < 64; a++)
            ends[0][a] = start;
        assert_ok(isg_hopfield_run(network, ends[0], 64, &options, NULL, NULL));
        size_t a = 1;
        while (a < 64 && ends[0][a] == ends[0][0])
            a++;
        n_starts += a < 64;
    }
    assert_true(n_starts > 0);
    isg_hopfield_free(network);
}

/* 400 units, 8 patterns, one spin in ten flipped: both dynamics recover the pattern. */
static void a_damaged_pattern_is_recalled(void **state) {
    (void)state;
    enum { N = 400, P = 8, WORDS = 7 };
    static int8_t xi[N * P];
    isg_cursor random = isg_cursor_at(isg_stream_at(6, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < N * P; k++)
        xi[k] = isg_next_below(&random, 2) ? 1 : -1;
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    assert_ok(isg_patterns_create(&patterns, N, P, xi, NULL));
    assert_ok(isg_hopfield_create(&network, patterns, NULL));
    for (int kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_SYNCHRONOUS; kind++) {
        uint64_t states[P][WORDS];
        isg_dynamics_report reports[P];
        const isg_dynamics_options options = options_of((isg_dynamics)kind, 0, 100);
        for (size_t mu = 0; mu < P; mu++) {
            memcpy(states[mu], isg_patterns_row(patterns, mu), sizeof states[mu]);
            for (size_t i = mu; i < N; i += 10)
                isg_bit_assign(states[mu], i, !isg_bit(states[mu], i));
        }
        assert_ok(isg_hopfield_run(network, states[0], P, &options, reports, NULL));
        for (size_t mu = 0; mu < P; mu++) {
            assert_memory_equal(states[mu], isg_patterns_row(patterns, mu), sizeof states[mu]);
            assert_true(reports[mu].sweeps > 0 && reports[mu].state.is_stable);
        }
    }
    isg_hopfield_free(network);
    isg_patterns_free(patterns);
}

/* ---- laws ------------------------------------------------------------------------------------------- */

typedef enum law { GIBBS_LAW, LITTLE_LAW } law;

/* p (2^n): exp(-beta H) / Z, or what parallel dynamics keeps. */
static void find_law(const plain_network *plain, law which, double beta, double *p) {
    double z = 0;
    for (uint64_t s = 0; s < UINT64_C(1) << plain->n; s++) {
        if (which == GIBBS_LAW) {
            p[s] = exp(-beta * plain_energy(plain, s));
        } else {
            p[s] = 1;
            for (size_t i = 0; i < plain->n; i++)
                p[s] *= exp(beta * plain->b[i] * plain_spin(s, i)) * 2 *
                        cosh(beta * plain_field(plain, s, i));
        }
        z += p[s];
    }
    for (uint64_t s = 0; s < UINT64_C(1) << plain->n; s++)
        p[s] /= z;
}

/* Parallel dynamics: the probability of going from one state to another. */
static double parallel_step(const plain_network *plain, double beta, uint64_t from, uint64_t to) {
    double probability = 1;
    for (size_t i = 0; i < plain->n; i++)
        probability /= 1 + exp(-2 * beta * plain_field(plain, from, i) * plain_spin(to, i));
    return probability;
}

/* The largest |(p T)(s) - p(s)| for the exact transition matrix T of parallel dynamics. */
static double drift(const plain_network *plain, double beta, const double *p) {
    double largest = 0;
    for (uint64_t to = 0; to < UINT64_C(1) << plain->n; to++) {
        double sum = 0;
        for (uint64_t from = 0; from < UINT64_C(1) << plain->n; from++)
            sum += p[from] * parallel_step(plain, beta, from, to);
        largest = fmax(largest, fabs(sum - p[to]));
    }
    return largest;
}

static void parallel_dynamics_keeps_its_own_law(void **state) {
    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        plain_network plain;
        double p[64];
        plain_create(&plain, 6, 2, k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION, k & 2,
                     k & 4 ? 0.5 : 0, 200 + k);
        find_law(&plain, LITTLE_LAW, 0.9, p);
        assert_true(drift(&plain, 0.9, p) < 1e-15);
        /* which is not that of Gibbs, nor at another temperature */
        find_law(&plain, GIBBS_LAW, 0.9, p);
        assert_true(drift(&plain, 0.9, p) > 1e-4);
        find_law(&plain, LITTLE_LAW, 0.81, p);
        assert_true(drift(&plain, 0.9, p) > 1e-4);
    }
}

/* ---- samplers ---------------------------------------------------------------------------------------- */

enum { UNITS = 6, CELLS = 1 << UNITS, CHAINS = 20000 };

static const double beta = 2.5;

static void draw_exactly(const double *p, uint64_t seed, uint64_t *states) {
    double cumulative[CELLS], sum = 0;
    for (size_t s = 0; s < CELLS; s++)
        cumulative[s] = sum += p[s];
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 0, 0));
    for (size_t a = 0; a < CHAINS; a++) {
        const double u = isg_next_uniform(&random) * sum;
        for (states[a] = 0; cumulative[states[a]] < u;)
            states[a]++;
    }
}

/* Rare states count as one. */
static double score_of(const uint64_t *states, const double *p) {
    size_t counts[CELLS + 1] = {0}, cells = 1, cell_of[CELLS];
    double expected[CELLS + 1] = {0};
    for (size_t s = 0; s < CELLS; s++) {
        cell_of[s] = CHAINS * p[s] < 10 ? 0 : cells++;
        expected[cell_of[s]] += CHAINS * p[s];
    }
    for (size_t a = 0; a < CHAINS; a++)
        counts[cell_of[states[a]]]++;
    assert_true(cells > 8);
    const bool is_first_empty = expected[0] == 0;
    return chi_square_score(counts + is_first_empty, expected + is_first_empty,
                            cells - is_first_empty);
}

/* Starts from the law of `plain` at beta, sweeps the network that `moved` describes, and says how
   far from that law this leads. */
static double stationarity(const plain_network *plain, law which, const plain_network *moved,
                           isg_dynamics_options options) {
    static uint64_t states[CHAINS];
    double p[CELLS];
    isg_hopfield *network = plain_build(moved);
    find_law(plain, which, beta, p);
    draw_exactly(p, options.seed, states);
    assert_true(fabs(score_of(states, p)) < 5);
    assert_ok(isg_hopfield_run(network, states, CHAINS, &options, NULL, NULL));
    isg_hopfield_free(network);
    return score_of(states, p);
}

static void assert_kept(isg_dynamics kind, law which, unsigned network_options) {
    plain_network plain;
    plain_create(&plain, UNITS, 2, network_options & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION,
                 network_options & 2, network_options & 4 ? 0.15 : 0, 300 + network_options);
    static const size_t sweeps[] = {1, 5, 21};
    for (size_t k = 0; k < 3; k++) {
        isg_dynamics_options options = options_of(kind, beta, sweeps[k]);
        options.seed = test_seed(10 * (uint64_t)kind + k);
        const double score = stationarity(&plain, which, &plain, options);
        if (!(score < 5))
            fail_msg("kind %d, network %u, %zu sweeps: %.1f standard deviations", (int)kind,
                     network_options, sweeps[k], score);
    }
}

static void samplers_keep_their_laws(void **state) {
    (void)state;
    assert_kept(ISG_DYNAMICS_GLAUBER, GIBBS_LAW, 2 | 4);
    assert_kept(ISG_DYNAMICS_GLAUBER, GIBBS_LAW, 1 | 4);
    assert_kept(ISG_DYNAMICS_GIBBS, GIBBS_LAW, 2 | 4);
    assert_kept(ISG_DYNAMICS_GIBBS, GIBBS_LAW, 1 | 2 | 4);
    assert_kept(ISG_DYNAMICS_GIBBS, GIBBS_LAW, 2);
    assert_kept(ISG_DYNAMICS_PARALLEL, LITTLE_LAW, 2 | 4);
    assert_kept(ISG_DYNAMICS_PARALLEL, LITTLE_LAW, 1 | 4);
}

/* The same test on samplers with a mistake. */
static void broken_samplers_are_noticed(void **state) {
    (void)state;
    static const isg_dynamics kinds[] = {ISG_DYNAMICS_GLAUBER, ISG_DYNAMICS_GIBBS,
                                         ISG_DYNAMICS_PARALLEL};
    for (size_t k = 0; k < 3; k++) {
        const law which = kinds[k] == ISG_DYNAMICS_PARALLEL ? LITTLE_LAW : GIBBS_LAW;
        plain_network plain, other;
        plain_create(&plain, UNITS, 2, ISG_RULE_PROJECTION, true, 0.15, 306);
        isg_dynamics_options options = options_of(kinds[k], beta, 5);
        options.seed = test_seed(100 + k);
        options.beta = beta / 2; /* the factor 2 of 2 beta x is missing */
        assert_true(stationarity(&plain, which, &plain, options) > 8);
        options.beta = beta * beta;
        assert_true(stationarity(&plain, which, &plain, options) > 8);
        options.beta = beta;
        other = plain;
        other.options.field = NULL;
        assert_true(stationarity(&plain, which, &other, options) > 8);
        if (kinds[k] == ISG_DYNAMICS_PARALLEL) {
            other = plain;
            other.options.keep_diagonal = false;
            assert_true(stationarity(&plain, which, &other, options) > 8);
            assert_true(stationarity(&plain, GIBBS_LAW, &plain, options) > 8);
        }
    }
}

/* Glauber with the self-coupling left in the field, an easy mistake. */
static void the_diagonal_has_no_place_in_glauber(void **state) {
    (void)state;
    static uint64_t states[CHAINS];
    double p[CELLS];
    for (int with_self = 0; with_self < 2; with_self++) {
        plain_network plain;
        plain_create(&plain, UNITS, 2, ISG_RULE_PROJECTION, true, 0.15, 306);
        find_law(&plain, GIBBS_LAW, beta, p);
        draw_exactly(p, test_seed(200), states);
        isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(201), ISG_PURPOSE_TEST, 0, 0));
        for (size_t a = 0; a < CHAINS; a++)
            for (size_t step = 0; step < 5 * UNITS; step++) {
                const size_t i = (size_t)isg_next_below(&random, UNITS);
                const double self = plain.j[i][i] * plain_spin(states[a], i);
                const double x = plain_field(&plain, states[a], i) - (with_self ? 0 : self);
                isg_bit_assign(&states[a], i,
                               isg_next_uniform(&random) * (1 + exp(-2 * beta * x)) < 1);
            }
        const double score = score_of(states, p);
        assert_true(with_self ? score > 8 : score < 5);
    }
}

/* Block Gibbs with a variance of 1 instead of 1 / beta, and the correct one, in plain loops. */
static void the_variance_of_lambda_matters(void **state) {
    (void)state;
    static uint64_t states[CHAINS];
    double p[CELLS];
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        plain_network plain;
        plain_create(&plain, UNITS, 2, ISG_RULE_HEBBIAN, true, 0.15, 307);
        find_law(&plain, GIBBS_LAW, beta, p);
        draw_exactly(p, test_seed(210), states);
        isg_cursor random = isg_cursor_at(isg_stream_at(test_seed(211), ISG_PURPOSE_TEST, 0, 0));
        for (size_t a = 0; a < CHAINS; a++)
            for (size_t sweep = 0; sweep < 5; sweep++) {
                double x[UNITS];
                memcpy(x, plain.b, sizeof x);
                for (size_t mu = 0; mu < 2; mu++) { /* W = xi / sqrt(N) */
                    double lambda = sqrt(is_wrong ? 1 : 1 / beta) * isg_next_normal(&random);
                    for (size_t i = 0; i < UNITS; i++)
                        lambda += plain.xi[2 * i + mu] * plain_spin(states[a], i) / sqrt(UNITS);
                    for (size_t i = 0; i < UNITS; i++)
                        x[i] += plain.xi[2 * i + mu] * lambda / sqrt(UNITS);
                }
                for (size_t i = 0; i < UNITS; i++)
                    isg_bit_assign(&states[a], i,
                                   isg_next_uniform(&random) * (1 + exp(-2 * beta * x[i])) < 1);
            }
        const double score = score_of(states, p);
        assert_true(is_wrong ? score > 8 : score < 5);
    }
}

/* Removing the diagonal changes H by a constant, and a Glauber run not at all. */
static void glauber_does_not_see_the_diagonal(void **state) {
    (void)state;
    uint64_t states[2][100];
    isg_dynamics_report reports[2][100];
    double trace = 0;
    for (unsigned keep = 0; keep < 2; keep++) {
        plain_network plain;
        plain_create(&plain, 11, 3, ISG_RULE_PROJECTION, keep, 0.2, 400);
        isg_hopfield *network = plain_build(&plain);
        trace = isg_hopfield_describe(network).trace;
        const isg_dynamics_options options = options_of(ISG_DYNAMICS_GLAUBER, 1, 9);
        for (size_t a = 0; a < 100; a++)
            states[keep][a] = 20 * a;
        assert_ok(isg_hopfield_run(network, states[keep], 100, &options, reports[keep], NULL));
        isg_hopfield_free(network);
    }
    assert_memory_equal(states[0], states[1], sizeof states[0]);
    for (size_t a = 0; a < 100; a++) {
        const double shift = reports[0][a].state.energy - reports[1][a].state.energy;
        assert_true(fabs(shift - trace / 2) < 1e-12);
        assert_int_equal(reports[0][a].flips, reports[1][a].flips);
    }
}

/* One parallel step from one state, many times: the row of the transition matrix itself. */
static void a_parallel_step_has_the_exact_probabilities(void **state) {
    (void)state;
    static uint64_t states[CHAINS];
    for (uint64_t from = 3; from < CELLS; from += 20) {
        plain_network plain;
        double p[CELLS];
        plain_create(&plain, UNITS, 2, ISG_RULE_HEBBIAN, true, 0.2, 410);
        for (uint64_t to = 0; to < CELLS; to++)
            p[to] = parallel_step(&plain, 0.3, from, to);
        for (unsigned broken = 0; broken < 2; broken++) {
            plain.options.keep_diagonal = !broken;
            isg_hopfield *network = plain_build(&plain);
            isg_dynamics_options options = options_of(ISG_DYNAMICS_PARALLEL, 0.3, 1);
            options.seed = test_seed(500 + from);
            for (size_t a = 0; a < CHAINS; a++)
                states[a] = from;
            assert_ok(isg_hopfield_run(network, states, CHAINS, &options, NULL, NULL));
            isg_hopfield_free(network);
            const double score = score_of(states, p);
            assert_true(broken ? score > 8 : score < 5);
        }
    }
}

/* ---- the same for all ---------------------------------------------------------------------------------- */

/* 70 units, so that states have a second word, mostly empty. */
enum { LARGE_N = 70, LARGE_STATES = 101 };

static isg_hopfield *large_network(void) {
    static int8_t xi[LARGE_N * 3];
    static double field[LARGE_N];
    isg_cursor random = isg_cursor_at(isg_stream_at(7, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < LARGE_N * 3; k++)
        xi[k] = isg_next_below(&random, 2) ? 1 : -1;
    for (size_t i = 0; i < LARGE_N; i++)
        field[i] = 0.1 * isg_next_normal(&random);
    isg_patterns *patterns = NULL;
    isg_hopfield *network = NULL;
    isg_hopfield_options options = isg_hopfield_defaults();
    options.field = field;
    assert_ok(isg_patterns_create(&patterns, LARGE_N, 3, xi, NULL));
    assert_ok(isg_hopfield_create(&network, patterns, &options));
    isg_patterns_free(patterns);
    return network;
}

static void start_anywhere(uint64_t (*states)[2]) {
    isg_cursor random = isg_cursor_at(isg_stream_at(8, ISG_PURPOSE_TEST, 0, 0));
    for (size_t a = 0; a < LARGE_STATES; a++) {
        states[a][0] = isg_next_word64(&random);
        states[a][1] = isg_next_below(&random, 1 << (LARGE_N - 64));
    }
}

static void threads_change_nothing(void **state) {
    (void)state;
    isg_hopfield *network = large_network();
    static const size_t threads[] = {1, 2, 7};
    for (int kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        static uint64_t states[3][LARGE_STATES][2];
        static isg_dynamics_report reports[3][LARGE_STATES];
        const isg_dynamics_options options = options_of((isg_dynamics)kind, 0.5, 12);
        memset(reports, 0, sizeof reports);
        for (size_t k = 0; k < 3; k++) {
            isg_set_threads(threads[k]);
            start_anywhere(states[k]);
            assert_ok(
                isg_hopfield_run(network, states[k][0], LARGE_STATES, &options, reports[k], NULL));
            assert_memory_equal(states[k], states[0], sizeof states[0]);
            for (size_t a = 0; a < LARGE_STATES; a++) {
                assert_true(reports[k][a].state.energy == reports[0][a].state.energy);
                assert_int_equal(reports[k][a].sweeps, reports[0][a].sweeps);
                assert_int_equal(reports[k][a].flips, reports[0][a].flips);
                assert_int_equal(states[k][a][1] >> (LARGE_N - 64), 0);
            }
        }
    }
    isg_set_threads(0);
    isg_hopfield_free(network);
}

static void a_run_can_be_continued(void **state) {
    (void)state;
    isg_hopfield *network = large_network();
    for (int kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        static uint64_t whole[LARGE_STATES][2], parts[LARGE_STATES][2], again[LARGE_STATES][2];
        isg_dynamics_options options = options_of((isg_dynamics)kind, 0.5, 21);
        start_anywhere(whole);
        start_anywhere(parts);
        start_anywhere(again);
        assert_ok(isg_hopfield_run(network, whole[0], LARGE_STATES, &options, NULL, NULL));
        options.sweeps = 1;
        assert_ok(isg_hopfield_run(network, parts[0], LARGE_STATES, &options, NULL, NULL));
        options.first_sweep = 1;
        options.sweeps = 20;
        assert_ok(isg_hopfield_run(network, parts[0], LARGE_STATES, &options, NULL, NULL));
        assert_memory_equal(parts, whole, sizeof whole);
        /* Another sweep number or seed gives other draws; without draws there is no difference. */
        const bool is_random = kind != ISG_DYNAMICS_SYNCHRONOUS;
        options.sweeps = 21;
        assert_ok(isg_hopfield_run(network, again[0], LARGE_STATES, &options, NULL, NULL));
        assert_int_equal(memcmp(again, whole, sizeof whole) != 0, is_random);
        start_anywhere(again);
        options.first_sweep = 0;
        options.seed = 2;
        assert_ok(isg_hopfield_run(network, again[0], LARGE_STATES, &options, NULL, NULL));
        assert_int_equal(memcmp(again, whole, sizeof whole) != 0, is_random);
    }
    isg_hopfield_free(network);
}

/* ---- refusals, cancelling, memory ----------------------------------------------------------------------- */

static void senseless_requests_are_refused(void **state) {
    (void)state;
    plain_network plain;
    plain_create(&plain, 5, 2, ISG_RULE_PROJECTION, false, 0, 1);
    isg_hopfield *network = plain_build(&plain);
    uint64_t spins = 9;
    isg_dynamics_options options = options_of(ISG_DYNAMICS_GIBBS, 1, 5);
    assert_fails(isg_hopfield_run(network, &spins, 1, &options, NULL, NULL), ISG_ERR_UNSUPPORTED,
                 "expected a network that keeps it, found one without");
    const double betas[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t k = 0; k < 4; k++) {
        options = options_of(ISG_DYNAMICS_GLAUBER, betas[k], 5);
        assert_fails(isg_hopfield_run(network, &spins, 1, &options, NULL, NULL), ISG_ERR_ARGUMENT,
                     "beta: expected a positive number");
        options.kind = ISG_DYNAMICS_PARALLEL;
        assert_fails(isg_hopfield_run(network, &spins, 1, &options, NULL, NULL), ISG_ERR_ARGUMENT,
                     "beta");
    }
    options = options_of((isg_dynamics)5, 1, 5);
    assert_fails(isg_hopfield_run(network, &spins, 1, &options, NULL, NULL), ISG_ERR_ARGUMENT,
                 "expected a known kind, found number 5");
    options = options_of(ISG_DYNAMICS_GLAUBER, 1, 5);
    options.first_sweep = UINT64_MAX - 2;
    assert_fails(isg_hopfield_run(network, &spins, 1, &options, NULL, NULL), ISG_ERR_ARGUMENT,
                 "sweeps");
    assert_int_equal(spins, 9);
    isg_hopfield_free(network);
}

static void nothing_to_do_is_done(void **state) {
    (void)state;
    plain_network plain;
    plain_create(&plain, 5, 2, ISG_RULE_PROJECTION, true, 0, 1);
    isg_hopfield *network = plain_build(&plain);
    assert_ok(isg_hopfield_run(network, NULL, 0, NULL, NULL, NULL));
    for (int kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        const isg_dynamics_options options = options_of((isg_dynamics)kind, 1, 0);
        uint64_t spins = 9;
        isg_dynamics_report report;
        assert_ok(isg_hopfield_run(network, &spins, 1, &options, &report, NULL));
        assert_int_equal(spins, 9);
        assert_int_equal(report.sweeps, 0);
        assert_true(fabs(report.state.energy - plain_energy(&plain, 9)) < 1e-12);
    }
    isg_hopfield_free(network);
}

static void a_cancelled_run_leaves_no_trace(void **state) {
    (void)state;
    isg_hopfield *network = large_network();
    uint64_t states[LARGE_STATES][2], before[LARGE_STATES][2];
    isg_dynamics_report reports[LARGE_STATES] = {{.sweeps = 77}};
    start_anywhere(states);
    start_anywhere(before);
    isg_set_threads(1); /* more reports */
    patience p = {.last_call = 1};
    const isg_progress progress = {lose_patience, &p};
    assert_fails(isg_hopfield_run(network, states[0], LARGE_STATES, NULL, reports, &progress),
                 ISG_ERR_CANCELLED, "cancelled");
    assert_memory_equal(states, before, sizeof states);
    assert_int_equal(reports[0].sweeps, 77);
    p = (patience){.last_call = 0};
    assert_ok(isg_hopfield_run(network, states[0], LARGE_STATES, NULL, reports, &progress));
    assert_true(p.fraction == 1 && p.calls > 1);
    assert_memory_not_equal(states, before, sizeof states);
    isg_set_threads(0);
    isg_hopfield_free(network);
}

/* Somebody who has enough need not wait for 64 of them. */
static void long_walks_are_reported_one_by_one(void **state) {
    (void)state;
    isg_hopfield *network = large_network();
    const isg_hopfield_info info = isg_hopfield_describe(network);
    const size_t sweeps = ((size_t)1 << 26) / (info.n_visible * (info.n_patterns + 8)) + 1;
    const isg_dynamics_options options = options_of(ISG_DYNAMICS_PARALLEL, 2, sweeps);
    uint64_t states[LARGE_STATES][2];
    start_anywhere(states);
    isg_set_threads(1);
    patience p = {.last_call = 1};
    const isg_progress progress = {lose_patience, &p};
    assert_fails(isg_hopfield_run(network, states[0], LARGE_STATES, &options, NULL, &progress),
                 ISG_ERR_CANCELLED, "cancelled");
    assert_true(p.fraction == 1.0 / LARGE_STATES);
    isg_set_threads(0);
    isg_hopfield_free(network);
}

static isg_status run_once(void *user) {
    const isg_hopfield *network = user;
    uint64_t states[LARGE_STATES][2], before[LARGE_STATES][2];
    start_anywhere(states);
    start_anywhere(before);
    const isg_status status = isg_hopfield_run(network, states[0], LARGE_STATES, NULL, NULL, NULL);
    if (status != ISG_OK)
        assert_memory_equal(states, before, sizeof states);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    isg_hopfield *network = large_network();
    isg_set_threads(3);
    assert_int_equal(sweep_allocations(run_once, network), 3 + 3 * 6);
    isg_set_threads(0);
    isg_hopfield_free(network);
}

/* The largest z below 16: the draw looks at this point of the table and at the next. */
static void the_table_of_the_logistic_function_ends_late_enough(void **state) {
    (void)state;
    const int last = (int)((nextafter(16, 0) + 16) * ISG_LOGISTIC_STEPS);
    assert_true(last + 1 < ISG_LOGISTIC_POINTS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_temperature_equals_a_plain_simulation),
        cmocka_unit_test(two_states_may_take_turns),
        cmocka_unit_test(energy_never_rises_at_zero_temperature),
        cmocka_unit_test(orders_differ_where_they_should),
        cmocka_unit_test(a_damaged_pattern_is_recalled),
        cmocka_unit_test(parallel_dynamics_keeps_its_own_law),
        slow_unit_test(samplers_keep_their_laws),
        cmocka_unit_test(broken_samplers_are_noticed),
        cmocka_unit_test(the_diagonal_has_no_place_in_glauber),
        cmocka_unit_test(the_variance_of_lambda_matters),
        cmocka_unit_test(glauber_does_not_see_the_diagonal),
        cmocka_unit_test(a_parallel_step_has_the_exact_probabilities),
        cmocka_unit_test(the_table_of_the_logistic_function_ends_late_enough),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_run_can_be_continued),
        cmocka_unit_test(senseless_requests_are_refused),
        cmocka_unit_test(nothing_to_do_is_done),
        cmocka_unit_test(a_cancelled_run_leaves_no_trace),
        cmocka_unit_test(long_walks_are_reported_one_by_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
