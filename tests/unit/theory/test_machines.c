/* test_machines.c - four machines, one p(s), one ln Z
 *
 * SPDX-License-Identifier: MIT
 *
 * The energies of the network come from its definition, its ln Z from enumeration of the RBM that
 * QR gives. The samplers are tested in test_machine_sweep.c.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/special.h"
#include "helper_network.h"

/* Runs a check on networks of several sizes, with and without field, at several temperatures. */
static void for_networks(void (*run)(const network *net), size_t largest_p) {
    const double betas[] = {0.5, 1, 2};
    const size_t sizes[] = {4, 7, 10};
    for (size_t k = 0; k < 18; k++)
        for (size_t p = 1; p <= largest_p; p++) {
            network net = network_create(sizes[k % 3], p, betas[k / 3 % 3], k >= 9);
            run(&net);
            network_release(&net);
        }
}

/* ---- energies ------------------------------------------------------------------------------ */

static void check_spin_energies(const network *net) {
    isg_rbm *rbm = network_rbm(net);
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(net, kind);
        for (uint64_t s = 0; s < UINT64_C(1) << net->n; s++) {
            const double expected = network_energy(net, s);
            double energy = 0;
            assert_ok(isg_machine_spin_energy(machine, &s, &energy));
            assert_within(energy, expected, 1e-12 * (1 + fabs(expected)));
            assert_ok(isg_rbm_spin_energy(rbm, &s, &energy));
            assert_within(energy, expected, 1e-12 * (1 + fabs(expected)));
        }
        isg_machine_free(machine);
    }
    isg_rbm_free(rbm);
}

static void test_spin_energies_are_the_network_s(void **state) {
    (void)state;
    for_networks(check_spin_energies, 3);
}

/* The formulas of the header, written out. */
static double written_energy(const network *net, const isg_machine *machine, uint64_t s,
                             const double *lambda, const double *tau) {
    const size_t p = net->p;
    const double root = sqrt((double)net->n);
    double energy = 0;
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++) {
            const double inverse = (double)net->inverse[mu * p + nu];
            if (machine->info.kind == ISG_MACHINE_OVERLAP)
                energy += lambda[mu] * net->gram[mu * p + nu] * lambda[nu] / (2 * (double)net->n);
            else if (machine->info.kind == ISG_MACHINE_PROJECTION)
                energy += lambda[mu] * inverse * lambda[nu] / 2;
            else
                energy -= lambda[mu] * machine->coupling[mu * p + nu] * tau[nu];
        }
    for (size_t mu = 0; machine->info.has_tau && mu < p; mu++)
        energy += machine->info.c0 * lambda[mu] * lambda[mu] / 2 + tau[mu] * tau[mu] / 2;
    for (size_t i = 0; i < net->n; i++) {
        double x = net->field ? net->field[i] : 0;
        for (size_t mu = 0; mu < p; mu++) {
            double y = lambda[mu] / root;
            for (size_t nu = 0; nu < p && machine->info.kind == ISG_MACHINE_PROJECTION; nu++)
                y = (nu == 0 ? 0 : y) + (double)net->inverse[mu * p + nu] * lambda[nu];
            x += net->xi[i * p + mu] * y;
        }
        energy -= isg_spin(&s, i) * x;
    }
    return energy;
}

/* Energies, inputs, and means as the stationary points of the quadratic energy. */
static void check_joint_energies(const network *net) {
    const size_t p = net->p;
    isg_cursor random = isg_cursor_at(isg_stream_at(3, ISG_PURPOSE_TEST, net->n, (uint32_t)p));
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(net, kind);
        double lambda[MAX_P], tau[MAX_P], x[16], up = 0, down = 0, mean[MAX_P];
        for (size_t mu = 0; mu < p; mu++) {
            lambda[mu] = 2 * isg_next_normal(&random);
            tau[mu] = 2 * isg_next_normal(&random);
        }
        uint64_t s = isg_next_word(&random) & ((1u << net->n) - 1);
        assert_ok(isg_machine_visible_input(machine, lambda, x));
        for (size_t i = 0; i < net->n; i++) {
            isg_bit_assign(&s, i, true);
            assert_ok(isg_machine_energy(machine, &s, lambda, tau, &up));
            assert_within(up, written_energy(net, machine, s, lambda, tau), 1e-11);
            isg_bit_assign(&s, i, false);
            assert_ok(isg_machine_energy(machine, &s, lambda, tau, &down));
            assert_within(down - up, 2 * x[i], 1e-11);
        }
        isg_machine_hidden_mean(machine, &s, tau, mean);
        for (size_t mu = 0; mu < p; mu++) { /* a parabola is even around its least point */
            mean[mu] += 1.5;
            assert_ok(isg_machine_energy(machine, &s, mean, tau, &up));
            mean[mu] -= 3;
            assert_ok(isg_machine_energy(machine, &s, mean, tau, &down));
            mean[mu] += 1.5;
            assert_within(up, down, 1e-10);
        }
        for (size_t mu = 0; machine->info.has_tau && mu < p; mu++) {
            assert_ok(isg_machine_tau_mean(machine, lambda, mean));
            mean[mu] += 1.5;
            assert_ok(isg_machine_energy(machine, &s, lambda, mean, &up));
            mean[mu] -= 3;
            assert_ok(isg_machine_energy(machine, &s, lambda, mean, &down));
            assert_within(up, down, 1e-10);
        }
        isg_machine_free(machine);
    }
}

static void test_joint_energies_and_means(void **state) {
    (void)state;
    for_networks(check_joint_energies, 3);
}

static void check_gradients(const network *net) {
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(net, kind);
        double lambda[MAX_P], gradient[MAX_P];
        for (size_t mu = 0; mu < net->p; mu++)
            lambda[mu] = 1.3 * cos((double)(mu + net->n));
        assert_ok(isg_machine_free_energy_gradient(machine, lambda, gradient));
        for (size_t mu = 0; mu < net->p; mu++) {
            const double step = 1e-5, middle = lambda[mu];
            double above = 0, below = 0;
            lambda[mu] = middle + step;
            assert_ok(isg_machine_free_energy(machine, lambda, &above));
            lambda[mu] = middle - step;
            assert_ok(isg_machine_free_energy(machine, lambda, &below));
            lambda[mu] = middle;
            assert_within(gradient[mu], (above - below) / (2 * step), 1e-8);
        }
        isg_machine_free(machine);
    }
}

static void test_gradients(void **state) {
    (void)state;
    for_networks(check_gradients, 3);
}

/* ---- Z ------------------------------------------------------------------------------------- */

/* The trapezoid rule for a mixture of Gaussians whose deviations lie between `narrow` and `wide`,
   around means of size at most `reach`: ln of the integral of exp(exponent) over R^p. */
static double integrate(double (*exponent)(const void *context, const double *point),
                        const void *context, size_t p, double narrow, double wide, double reach) {
    const double step = 0.8 * narrow;
    const long half = (long)ceil((reach + 8 * wide) / step), side = 2 * half + 1;
    const long count = p == 1 ? side : side * side;
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (long k = 0; k < count; k++) {
        const double point[] = {step * (double)(k % side - half), step * (double)(k / side - half)};
        values[k] = exponent(context, point);
    }
    const double log_sum = isg_log_sum_exp(values, (size_t)count);
    free(values);
    return log_sum + (double)p * log(step);
}

static double free_exponent(const void *context, const double *lambda) {
    const isg_machine *machine = context;
    double energy = 0;
    assert_ok(isg_machine_free_energy(machine, lambda, &energy));
    return -machine->info.beta * energy;
}

/* The constants of two layers as the paper prints them: sqrt(det A) for dlambda / sqrt(2 pi N / beta),
   and 1 / sqrt(det A) for dlambda / sqrt(2 pi / beta). */
static double printed_constant(const network *net, bool is_projection) {
    const double two_pi = 6.28318530717958647693, p = (double)net->p, n = (double)net->n;
    return is_projection ? -log(net->det) / 2 - p * log(two_pi / net->beta) / 2
                         : log(net->det) / 2 - p * log(two_pi * n / net->beta) / 2;
}

/* Four machines, one ln Z: the variance of lambda given s is A / beta, or N A^-1 / beta. */
static void check_log_z(const network *net) {
    const double n = (double)net->n, low = net->eigenvalues[0], high = net->eigenvalues[net->p - 1];
    isg_rbm *rbm = network_rbm(net);
    double expected = 0;
    assert_ok(isg_exact_enumerate(rbm, &expected, NULL));
    for (int kind = 0; kind < KINDS_OF_MACHINE; kind++) {
        isg_machine *machine = network_machine(net, kind);
        const bool is_projection = kind == ISG_MACHINE_PROJECTION;
        const double narrow = sqrt((is_projection ? low : n / high) / net->beta);
        const double wide = sqrt((is_projection ? high : n / low) / net->beta);
        const double integral = integrate(free_exponent, machine, net->p, narrow, wide,
                                          is_projection ? n : n / sqrt(low));
        assert_within(isg_machine_log_free_constant(machine) + integral, expected, 1e-9);
        if (!machine->info.has_tau)
            assert_within(isg_machine_log_constant(machine), printed_constant(net, is_projection),
                          1e-12);
        assert_within(printed_constant(net, is_projection) + n * log(2) + integral, expected, 1e-9);
        isg_machine_free(machine);
    }
    isg_rbm_free(rbm);
}

static void test_one_log_z(void **state) {
    (void)state;
    for_networks(check_log_z, 2);
}

/* For fixed s and lambda, exp(-beta H) as a function of tau. */
typedef struct slice {
    const isg_machine *machine;
    uint64_t spins;
    const double *lambda;
} slice;

static double tau_exponent(const void *context, const double *tau) {
    const slice *at = context;
    double energy = 0;
    assert_ok(isg_machine_energy(at->machine, &at->spins, at->lambda, tau, &energy));
    return -at->machine->info.beta * energy;
}

/* int exp(-beta H) dtau for the complex form, real and imaginary part. */
static void integrate_complex(const slice *at, size_t p, double beta, double out[2]) {
    const double step = 0.2 / sqrt(beta);
    const long half = 50, side = 2 * half + 1, count = p == 1 ? side : side * side;
    isg_sum sums[2] = {{0}};
    for (long k = 0; k < count; k++) {
        const double tau[] = {step * (double)(k % side - half), step * (double)(k / side - half)};
        double real = 0, imaginary = 0;
        assert_ok(isg_machine_complex_energy(at->machine, &at->spins, at->lambda, tau, &real,
                                             &imaginary));
        isg_sum_add(&sums[0], exp(-beta * real) * cos(beta * imaginary));
        isg_sum_add(&sums[1], -exp(-beta * real) * sin(beta * imaginary));
    }
    for (int k = 0; k < 2; k++)
        out[k] = isg_sum_value(sums[k]) * pow(step, (double)p);
}

/* With tau integrated first, both three-layer machines are the overlap machine, up to the constant
   (2 pi / beta)^(p/2); and the constant printed in the paper, sqrt(det(beta^2 xi^T xi / N)) for
   integrals over dtau / sqrt(2 pi) and dlambda / sqrt(2 pi), is the one of both. */
static void check_tau_integrals(const network *net) {
    const double p = (double)net->p, pi = 3.14159265358979323846;
    isg_machine *layers = network_machine(net, ISG_MACHINE_THREE_LAYER);
    isg_machine *overlap = network_machine(net, ISG_MACHINE_OVERLAP);
    for (uint64_t s = 0; s < 4; s++) {
        const double lambda[] = {0.3 * (double)s, -0.4};
        const slice at = {layers, s, lambda};
        double energy = 0, integral[2];
        assert_ok(isg_machine_energy(overlap, &s, lambda, NULL, &energy));
        const double expected = -net->beta * energy + p * log(2 * pi / net->beta) / 2;
        const double width = 1 / sqrt(net->beta);
        assert_within(integrate(tau_exponent, &at, net->p, width, width, 3), expected, 1e-12);
        integrate_complex(&at, net->p, net->beta, integral);
        assert_within(integral[0] / exp(expected), 1, 1e-10);
        assert_within(integral[1] / exp(expected), 0, 1e-10);
        assert_ok(isg_machine_complex_lambda_energy(layers, &s, lambda, &energy));
        assert_within(-net->beta * energy + p * log(2 * pi / net->beta) / 2, log(integral[0]),
                      1e-10);
    }
    const double printed = log(net->beta * net->beta / (double)net->n) * p / 2 + log(net->det) / 2;
    assert_within(isg_machine_log_constant(layers), printed - p * log(2 * pi), 1e-12);
    isg_machine_free(layers);
    isg_machine_free(overlap);
}

static void test_tau_integrated_gives_the_overlap_machine(void **state) {
    (void)state;
    for_networks(check_tau_integrals, 2);
}

/* Without field and at tau = 0 the complex energy is linear in lambda, so that exp(-beta H) grows
   without bound in some direction: the integral over lambda must come second. */
static void test_complex_form_is_only_formal(void **state) {
    (void)state;
    network net = network_create(7, 2, 1, false);
    isg_machine *layers = network_machine(&net, ISG_MACHINE_THREE_LAYER);
    const double lambda[] = {1, 0}, far[] = {1e6, 0}, tau[] = {0, 0};
    const uint64_t *pattern = isg_patterns_row(net.patterns, 0);
    double near_energy = 0, far_energy = 0, imaginary = 0;
    assert_ok(isg_machine_complex_energy(layers, pattern, lambda, tau, &near_energy, &imaginary));
    assert_ok(isg_machine_complex_energy(layers, pattern, far, tau, &far_energy, &imaginary));
    assert_within(near_energy, -sqrt(7), 1e-12);
    assert_within(far_energy, -1e6 * sqrt(7), 1e-6);
    isg_machine_free(layers);
    network_release(&net);
}

static void test_coupling_of_the_layers(void **state) {
    (void)state;
    network net = network_create(10, 3, 1, false);
    isg_machine *layers = network_machine(&net, ISG_MACHINE_THREE_LAYER);
    const isg_machine_info info = isg_machine_describe(layers);
    assert_within(info.c0 * 10 / net.eigenvalues[2], 1 + 0x1p-20, 1e-14);
    assert_true(info.has_tau && info.n_visible == 10 && info.n_hidden == 3);
    for (size_t mu = 0; mu < 3; mu++)
        for (size_t nu = 0; nu < 3; nu++) {
            double square = net.gram[mu * 3 + nu] / 10, root = 0;
            for (size_t k = 0; k < 3; k++) {
                square += layers->coupling[mu * 3 + k] * layers->coupling[nu * 3 + k];
                root += layers->imaginary[mu * 3 + k] * layers->imaginary[nu * 3 + k];
            }
            assert_within(square, mu == nu ? info.c0 : 0, 1e-13);
            assert_within(root, net.gram[mu * 3 + nu] / 10, 1e-13);
        }
    isg_machine_free(layers);
    network_release(&net);
}

/* The projection a = A^-1 xi^T s is the mean of lambda over sqrt(N) in the overlap machine. With
   a = A^-1 m, as appendix A has it, H = -(N/2) m.a would be wrong by the factor N; and a leaves
   [-1, 1]: with these four patterns it reaches 2. */
static void test_projections_of_appendix_a(void **state) {
    (void)state;
    static const char signs[] = "---- ---+ +++- +--+ --++";
    int8_t spins[20];
    for (size_t i = 0; i < 5; i++)
        for (size_t mu = 0; mu < 4; mu++)
            spins[i * 4 + mu] = signs[i * 5 + mu] == '+' ? 1 : -1;
    isg_patterns *patterns = NULL;
    isg_machine *overlap = NULL;
    assert_ok(isg_patterns_create(&patterns, 5, 4, spins, NULL));
    assert_ok(isg_machine_create(&overlap, ISG_MACHINE_OVERLAP, patterns, NULL, 1));
    double largest = 0;
    for (uint64_t s = 0; s < 32; s++) {
        double a[4], energy = 0, product = 0;
        isg_machine_hidden_mean(overlap, &s, NULL, a);
        for (size_t mu = 0; mu < 4; mu++) {
            double m = 0;
            for (size_t i = 0; i < 5; i++)
                m += spins[i * 4 + mu] * isg_spin(&s, i) / 5.0;
            a[mu] /= sqrt(5);
            product += m * a[mu];
            largest = fmax(largest, fabs(a[mu]));
        }
        assert_ok(isg_machine_spin_energy(overlap, &s, &energy));
        assert_within(energy, -5.0 / 2 * product, 1e-12);
    }
    assert_within(largest, 2, 1e-12);
    isg_machine_free(overlap);
    isg_patterns_free(patterns);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void test_refusals(void **state) {
    (void)state;
    isg_machine *machine = NULL;
    isg_patterns *patterns = NULL;
    double field[4] = {0, 0, (double)NAN, 0}, value = 0;
    const int8_t twins[] = {1, 1, -1, -1, 1, 1, 1, -1, -1, 1, 1, -1};
    const int8_t pair[] = {1, 1, -1, 1, 1, 1, 1, -1};
    assert_ok(isg_patterns_create(&patterns, 4, 3, twins, NULL));
    assert_fails(isg_machine_create(&machine, ISG_MACHINE_OVERLAP, patterns, NULL, 1),
                 ISG_ERR_DEPENDENT, "linearly dependent, of rank 2: pattern 2 = -pattern 0");
    isg_patterns_free(patterns);
    assert_ok(isg_patterns_create(&patterns, 4, 2, pair, NULL));
    assert_fails(isg_machine_create(&machine, ISG_MACHINE_OVERLAP, patterns, NULL, 0),
                 ISG_ERR_ARGUMENT, "beta");
    assert_fails(isg_machine_create(&machine, ISG_MACHINE_OVERLAP, patterns, field, 1),
                 ISG_ERR_ARGUMENT, "unit 2");
    assert_fails(isg_machine_create(&machine, (isg_machine_kind)7, patterns, NULL, 1),
                 ISG_ERR_ARGUMENT, "found number 7");
    assert_null(machine);
    assert_ok(isg_machine_create(&machine, ISG_MACHINE_OVERLAP, patterns, NULL, 1));
    assert_fails(isg_machine_tau_mean(machine, &value, &value), ISG_ERR_ARGUMENT, "three-layer");
    isg_machine_free(machine);
    assert_ok(isg_machine_create(&machine, ISG_MACHINE_THREE_LAYER, patterns, NULL, 1));
    uint64_t spins = 0;
    double lambda[2] = {0};
    const isg_machine_chains chains = {1, &spins, lambda, NULL};
    assert_fails(isg_machine_sweep(machine, &chains, 1, 0, 1), ISG_ERR_ARGUMENT, "need tau");
    isg_machine_free(machine);
    isg_machine_free(NULL);
    isg_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_energies_are_the_network_s),
        cmocka_unit_test(test_joint_energies_and_means),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_one_log_z),
        cmocka_unit_test(test_tau_integrated_gives_the_overlap_machine),
        cmocka_unit_test(test_complex_form_is_only_formal),
        cmocka_unit_test(test_coupling_of_the_layers),
        cmocka_unit_test(test_projections_of_appendix_a),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
