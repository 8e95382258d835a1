/* claims_machines.c - the other machines of the network, its overlaps, and its free energy
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "paper/claims_exact.h"
#include "src/base/bits.h"
#include "src/base/elementary.h"

enum { N_STATES = 200, N_STARTS_OF_DYNAMICS = 100, MOST_STEPS = 1000 };

/* ---- machines of appendix C ------------------------------------------------------------------- */

/* Integrating out a Gaussian lambda leaves the lowest energy, that at the mean. */
static exit_code compare_machine(reference *of, const isg_machine *machine,
                                 const isg_chains *states, double *lambda, double *largest) {
    const bool has_tau = isg_machine_describe(machine).has_tau;
    exit_code code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < N_STATES; k++) {
        const uint64_t *spins = isg_chains_spins(states, k);
        const double expected = reference_energy(of, spins);
        double energy = 0;
        isg_machine_hidden_mean(machine, spins, NULL, lambda);
        code =
            fail_status(has_tau ? isg_machine_complex_lambda_energy(machine, spins, lambda, &energy)
                                : isg_machine_energy(machine, spins, lambda, NULL, &energy));
        *largest = larger(*largest, relative(energy, expected));
    }
    return code;
}

/* Re H of the three layers at tau = 0 and lambda = t xi^T s / |xi^T s|, t = 1 and 1000. */
static exit_code go_far(reference *of, const isg_machine *machine, const uint64_t *spins,
                        double *lambda, double *values) {
    double size = 0, imaginary = 0;
    double *tau = memory_allocate(of->p, sizeof *tau);
    if (!tau)
        return fail_memory();
    reference_energy(of, spins);
    for (size_t mu = 0; mu < of->p; mu++)
        size += of->v[mu] * of->v[mu];
    for (size_t mu = 0; mu < of->p; mu++)
        lambda[mu] = of->v[mu] / sqrt(size);
    exit_code code = fail_status(
        isg_machine_complex_energy(machine, spins, lambda, tau, &values[MACHINE_NEAR], &imaginary));
    for (size_t mu = 0; mu < of->p; mu++)
        lambda[mu] *= 1000;
    if (code == EXIT_DONE)
        code = fail_status(isg_machine_complex_energy(machine, spins, lambda, tau,
                                                      &values[MACHINE_FAR], &imaginary));
    memory_release(tau);
    return code;
}

exit_code exact_machines(const isg_patterns *patterns, uint64_t seed, double *values) {
    static const isg_machine_kind kinds[] = {ISG_MACHINE_OVERLAP, ISG_MACHINE_PROJECTION,
                                             ISG_MACHINE_THREE_LAYER};
    reference of = {0};
    isg_rbm *rbm = NULL;
    isg_chains *states = NULL;
    memset(values, 0, MACHINE_VALUES * sizeof *values);
    exit_code code = reference_create(&of, patterns);
    double *lambda = code == EXIT_DONE ? memory_allocate(of.p, sizeof *lambda) : NULL;
    if (code == EXIT_DONE)
        code =
            lambda ? fail_status(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL)) : fail_memory();
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_create(&states, rbm, N_STATES, seed));
    for (size_t k = 0; code == EXIT_DONE && k < 3; k++) {
        isg_machine *machine = NULL;
        code = fail_status(isg_machine_create(&machine, kinds[k], patterns, NULL, 2));
        if (code == EXIT_DONE)
            code = compare_machine(&of, machine, states, lambda, &values[MACHINE_OVERLAP + k]);
        if (code == EXIT_DONE && kinds[k] == ISG_MACHINE_THREE_LAYER)
            code = go_far(&of, machine, isg_chains_spins(states, 0), lambda, values);
        isg_machine_free(machine);
    }
    isg_chains_free(states);
    isg_rbm_free(rbm);
    memory_release(lambda);
    reference_free(&of);
    return code;
}

/* ---- overlaps and projections of appendix A --------------------------------------------------- */

static double square_form(const double *matrix, const double *x, size_t p) {
    double sum = 0;
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++)
            sum += x[mu] * matrix[mu * p + nu] * x[nu];
    return sum;
}

/* m and a of one image; A^-1 m is u / N, as reference_energy() leaves it. */
static void take_image(reference *of, const uint64_t *spins, const double *m, const double *a,
                       double *values) {
    const double n = (double)of->n, energy = reference_energy(of, spins);
    double product = 0, size = 0, printed = 0;
    for (size_t mu = 0; mu < of->p; mu++) {
        values[PROJECTION_IMAGES] = larger(values[PROJECTION_IMAGES], fabs(a[mu]));
        values[PROJECTION_OVERLAP] = larger(values[PROJECTION_OVERLAP], fabs(m[mu]));
        product += m[mu] * a[mu];
        size += a[mu] * a[mu];
        printed += of->u[mu] / n * (of->u[mu] / n);
    }
    values[PROJECTION_FACTOR] = sqrt(size / printed);
    values[PROJECTION_PRODUCT] =
        larger(values[PROJECTION_PRODUCT], relative(-n / 2 * product, energy));
    const double first = -n * n / 2 * square_form(of->inverse, m, of->p);
    const double second = -square_form(of->gram, a, of->p) / 2;
    values[PROJECTION_FORMS] = larger(values[PROJECTION_FORMS], relative(first, energy));
    values[PROJECTION_FORMS] = larger(values[PROJECTION_FORMS], relative(second, energy));
}

/* a is linear in s: row mu of A^-1 xi^T is largest on the state of its own signs. */
static double largest_projection(const reference *of) {
    double largest = 0;
    for (size_t mu = 0; mu < of->p; mu++) {
        double sum = 0;
        for (size_t i = 0; i < of->n; i++) {
            double entry = 0;
            for (size_t nu = 0; nu < of->p; nu++)
                entry +=
                    of->inverse[mu * of->p + nu] * isg_spin(isg_patterns_row(of->patterns, nu), i);
            sum += fabs(entry);
        }
        largest = larger(largest, sum);
    }
    return largest;
}

exit_code exact_projections(const isg_patterns *patterns, const isg_dataset *data, double *values) {
    reference of = {0};
    isg_hopfield *network = NULL;
    memset(values, 0, PROJECTION_VALUES * sizeof *values);
    exit_code code = reference_create(&of, patterns);
    double *m = code == EXIT_DONE ? memory_allocate(2 * of.p, sizeof *m) : NULL;
    if (code == EXIT_DONE)
        code = m ? fail_status(isg_hopfield_create(&network, patterns, NULL)) : fail_memory();
    for (size_t row = 0; code == EXIT_DONE && row < isg_dataset_describe(data).n_samples; row++) {
        const uint64_t *spins = isg_dataset_row(data, row);
        isg_hopfield_overlaps(network, spins, m);
        code = fail_status(isg_hopfield_projections(network, spins, m + of.p));
        if (code == EXIT_DONE)
            take_image(&of, spins, m, m + of.p, values);
    }
    if (code == EXIT_DONE)
        values[PROJECTION_LARGEST] = largest_projection(&of);
    values[PROJECTION_UNITS] = (double)of.n;
    isg_hopfield_free(network);
    memory_release(m);
    reference_free(&of);
    return code;
}

/* ---- the free energy -------------------------------------------------------------------------- */

/* One step of the mean dynamics, lambda <- W^T <s> with <s> = tanh(beta (W lambda + b)), + c. */
static void mean_step(isg_matd w, const double *b, const double *c, double beta, double *x,
                      double *lambda) {
    for (size_t i = 0; i < w.rows; i++) {
        x[i] = b[i];
        for (size_t mu = 0; mu < w.cols; mu++)
            x[i] += w.data[i * w.stride + mu] * lambda[mu];
        x[i] = isg_tanh(beta * x[i]);
    }
    for (size_t mu = 0; mu < w.cols; mu++) {
        lambda[mu] = c[mu];
        for (size_t i = 0; i < w.rows; i++)
            lambda[mu] += w.data[i * w.stride + mu] * x[i];
    }
}

static void follow(isg_rbm *rbm, const uint64_t *spins, double *x, double *lambda, double *slope,
                   double *values) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    isg_rbm_hidden_input(rbm, spins, lambda);
    const double start = isg_rbm_free_energy(rbm, lambda);
    double now = start;
    for (size_t t = 0; t < MOST_STEPS; t++) {
        const double before = now;
        mean_step(isg_rbm_weights(rbm), isg_rbm_visible_field(rbm), isg_rbm_hidden_field(rbm),
                  info.beta, x, lambda);
        now = isg_rbm_free_energy(rbm, lambda);
        values[LANDSCAPE_RISE] =
            larger(values[LANDSCAPE_RISE], (now - before) / fmax(1, fabs(before)));
        if (fabs(now - before) < 1e-13 * fabs(now))
            break;
    }
    values[LANDSCAPE_FALL] += (start - now) / N_STARTS_OF_DYNAMICS;
    isg_rbm_free_energy_gradient(rbm, lambda, slope);
    for (size_t mu = 0; mu < info.n_hidden; mu++)
        values[LANDSCAPE_SLOPE] = larger(values[LANDSCAPE_SLOPE], fabs(slope[mu]));
}

exit_code exact_landscape(isg_rbm *rbm, const isg_dataset *data, double *values) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    double *x = memory_allocate(info.n_visible + 2 * info.n_hidden, sizeof *x);
    if (!x)
        return fail_memory();
    memset(values, 0, LANDSCAPE_VALUES * sizeof *values);
    const size_t n = isg_dataset_describe(data).n_samples;
    for (size_t k = 0; k < N_STARTS_OF_DYNAMICS; k++)
        follow(rbm, isg_dataset_row(data, k * n / N_STARTS_OF_DYNAMICS), x, x + info.n_visible,
               x + info.n_visible + info.n_hidden, values);
    memory_release(x);
    return EXIT_DONE;
}
