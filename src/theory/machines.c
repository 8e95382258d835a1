/* machines.c - the alternative Boltzmann machines of the projection network
 *
 * SPDX-License-Identifier: MIT
 *
 * Appendix C of the paper: spins and p real variables lambda that interact with each other,
 *
 *     overlap      H = lambda^T A lambda / 2 N - s^T xi lambda / sqrt(N) - b.s
 *     projection   H = lambda^T A^-1 lambda / 2 - s^T xi A^-1 lambda - b.s
 *
 * and the three layers of three_layer.c. Each writes the Gaussian integral for exp(-beta H(s)) with
 * H(s) = -s^T xi A^-1 xi^T s / 2 - b.s in another way, so all have the p(s) and the Z of the
 * projection network.
 */
#include "theory/machines.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "base/special.h"
#include "linalg/linalg.h"

/* ---- making one ---------------------------------------------------------------------------- */

static isg_status check(isg_machine_kind kind, const isg_patterns *patterns, const double *field,
                        double beta) {
    if (kind != ISG_MACHINE_OVERLAP && kind != ISG_MACHINE_PROJECTION &&
        kind != ISG_MACHINE_THREE_LAYER)
        return isg_fail(ISG_ERR_ARGUMENT, "kind: expected a known machine, found number %d",
                        (int)kind);
    if (!(beta > 0 && isfinite(beta)))
        return isg_fail(ISG_ERR_ARGUMENT, "beta: expected a positive number, found %g", beta);
    for (size_t i = 0; field && i < patterns->info.n_visible; i++)
        if (!isfinite(field[i]))
            return isg_fail(ISG_ERR_ARGUMENT, "field: unit %zu is not finite", i);
    size_t rank = 0;
    return isg_patterns_find_rank(patterns, false, &rank);
}

static isg_status start(isg_machine *machine, const isg_patterns *patterns, const double *field) {
    const size_t n = machine->info.n_visible, p = machine->info.n_hidden;
    isg_status status = ISG_OK;
    double *gram = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(machine->xi, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(machine->field, n));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(machine->factor, p, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(gram, p, p));
    isg_patterns_fill(patterns, isg_matd_of(machine->xi, n, p));
    if (field)
        memcpy(machine->field, field, n * sizeof *field);
    const isg_matd square = isg_matd_of(gram, p, p);
    isg_patterns_gram(patterns, square);
    ISG_TRY_GOTO(isg_cholesky(isg_matd_of(machine->factor, p, p), isg_matd_const(square)));
    for (size_t mu = 0; mu < p; mu++)
        machine->log_det += 2 * isg_log(machine->factor[mu * p + mu]);
    if (machine->info.has_tau)
        ISG_TRY_GOTO(isg_three_layer_start(machine, isg_matd_const(square)));
done:
    isg_release(gram);
    return status;
}

isg_status isg_machine_create(isg_machine **out, isg_machine_kind kind,
                              const isg_patterns *patterns, const double *field, double beta) {
    ISG_TRY(check(kind, patterns, field, beta));
    isg_machine *machine = NULL;
    ISG_TRY(ISG_ALLOCATE(machine, 1));
    machine->info = (isg_machine_info){.kind = kind,
                                       .n_visible = patterns->info.n_visible,
                                       .n_hidden = patterns->info.n_patterns,
                                       .beta = beta,
                                       .has_tau = kind == ISG_MACHINE_THREE_LAYER};
    machine->words = patterns->words;
    machine->deviation = 1 / sqrt(beta);
    const isg_status status = start(machine, patterns, field);
    if (status != ISG_OK) {
        isg_machine_free(machine);
        return status;
    }
    *out = machine;
    return ISG_OK;
}

void isg_machine_free(isg_machine *machine) {
    if (!machine)
        return;
    isg_release(machine->xi);
    isg_release(machine->field);
    isg_release(machine->factor);
    isg_release(machine->coupling);
    isg_release(machine->imaginary);
    isg_release(machine);
}

isg_machine_info isg_machine_describe(const isg_machine *machine) {
    return machine->info;
}

/* ---- A, through its factor ------------------------------------------------------------------- */

void isg_machine_apply(size_t p, const double *matrix, const double *vector, double *out) {
    for (size_t mu = 0; mu < p; mu++) {
        double sum = 0;
        for (size_t nu = 0; nu < p; nu++)
            sum += matrix[mu * p + nu] * vector[nu];
        out[mu] = sum;
    }
}

void isg_machine_solve_lower(const isg_machine *machine, double *y) {
    const size_t p = machine->info.n_hidden;
    for (size_t mu = 0; mu < p; mu++) {
        const double *row = machine->factor + mu * p;
        for (size_t nu = 0; nu < mu; nu++)
            y[mu] -= row[nu] * y[nu];
        y[mu] /= row[mu];
    }
}

void isg_machine_solve_upper(const isg_machine *machine, double *y) {
    const size_t p = machine->info.n_hidden;
    for (size_t mu = p; mu-- > 0;) {
        const double *row = machine->factor + mu * p;
        y[mu] /= row[mu];
        for (size_t nu = 0; nu < mu; nu++)
            y[nu] -= row[nu] * y[mu];
    }
}

void isg_machine_multiply_lower(const isg_machine *machine, double *y) {
    const size_t p = machine->info.n_hidden;
    for (size_t mu = p; mu-- > 0;) {
        const double *row = machine->factor + mu * p;
        double sum = 0;
        for (size_t nu = 0; nu <= mu; nu++)
            sum += row[nu] * y[nu];
        y[mu] = sum;
    }
}

void isg_machine_pattern_sums(const isg_machine *machine, const uint64_t *spins, double *out) {
    const size_t p = machine->info.n_hidden;
    memset(out, 0, p * sizeof *out);
    isg_add_spin_rows(out, spins, machine->xi, machine->info.n_visible, p);
}

void isg_machine_coordinates(const isg_machine *machine, const double *lambda, double *y) {
    const double scale = sqrt((double)machine->info.n_visible);
    memcpy(y, lambda, machine->info.n_hidden * sizeof *y);
    if (machine->info.kind == ISG_MACHINE_PROJECTION) {
        isg_machine_solve_lower(machine, y);
        isg_machine_solve_upper(machine, y);
        return;
    }
    for (size_t mu = 0; mu < machine->info.n_hidden; mu++)
        y[mu] /= scale;
}

static double input_of_unit(const isg_machine *machine, const double *y, size_t i) {
    const size_t p = machine->info.n_hidden;
    double x = machine->field[i];
    for (size_t mu = 0; mu < p; mu++)
        x += machine->xi[i * p + mu] * y[mu];
    return x;
}

void isg_machine_input(const isg_machine *machine, const double *y, double *x) {
    for (size_t i = 0; i < machine->info.n_visible; i++)
        x[i] = input_of_unit(machine, y, i);
}

/* y^T A y / 2 = |L^T y|^2 / 2 */
static double quadratic(const isg_machine *machine, const double *y) {
    const size_t p = machine->info.n_hidden;
    double square = 0;
    for (size_t mu = 0; mu < p; mu++) {
        double sum = 0;
        for (size_t nu = mu; nu < p; nu++)
            sum += machine->factor[nu * p + mu] * y[nu];
        square += sum * sum;
    }
    return square / 2;
}

/* |tau - V lambda|^2 / 2, by which three layers exceed the overlap machine:
       c0 |lambda|^2 + |tau|^2 - 2 lambda^T V tau = lambda^T A lambda / N + |tau - V lambda|^2
   The left side would cancel badly where A is nearly singular. */
static double quadratic_of_tau(const isg_machine *machine, const double *lambda,
                               const double *tau) {
    const size_t p = machine->info.n_hidden;
    double square = 0;
    for (size_t mu = 0; mu < p; mu++) {
        double difference = tau[mu];
        for (size_t nu = 0; nu < p; nu++)
            difference -= machine->coupling[mu * p + nu] * lambda[nu];
        square += difference * difference;
    }
    return square / 2;
}

/* ---- energies ------------------------------------------------------------------------------ */

isg_status isg_machine_energy(const isg_machine *machine, const uint64_t *spins,
                              const double *lambda, const double *tau, double *out) {
    double *y = NULL;
    ISG_TRY(ISG_ALLOCATE(y, machine->info.n_hidden));
    isg_machine_coordinates(machine, lambda, y);
    double energy = quadratic(machine, y);
    if (machine->info.has_tau)
        energy += quadratic_of_tau(machine, lambda, tau);
    for (size_t i = 0; i < machine->info.n_visible; i++)
        energy -= isg_spin(spins, i) * input_of_unit(machine, y, i);
    isg_release(y);
    *out = energy;
    return ISG_OK;
}

/* A Gaussian integral is its largest value times a constant, so H(s) is the smallest energy over
   lambda and tau, found at their means; a small error there hardly matters. */
isg_status isg_machine_spin_energy(const isg_machine *machine, const uint64_t *spins, double *out) {
    const size_t p = machine->info.n_hidden;
    double *means = NULL;
    ISG_TRY(ISG_ALLOCATE(means, 2 * p));
    isg_machine_hidden_mean(machine, spins, NULL, means);
    if (machine->info.has_tau)
        isg_machine_apply(p, machine->coupling, means, means + p);
    const isg_status status = isg_machine_energy(machine, spins, means, means + p, out);
    isg_release(means);
    return status;
}

isg_status isg_machine_free_energy(const isg_machine *machine, const double *lambda, double *out) {
    const double beta = machine->info.beta;
    double *y = NULL, sum = 0;
    ISG_TRY(ISG_ALLOCATE(y, machine->info.n_hidden));
    isg_machine_coordinates(machine, lambda, y);
    for (size_t i = 0; i < machine->info.n_visible; i++)
        sum += isg_log_cosh(beta * input_of_unit(machine, y, i));
    *out = quadratic(machine, y) - sum / beta;
    isg_release(y);
    return ISG_OK;
}

/* With respect to y the gradient is A y - xi^T tanh(beta x); A y is A lambda / sqrt(N), or lambda
   itself. */
isg_status isg_machine_free_energy_gradient(const isg_machine *machine, const double *lambda,
                                            double *gradient) {
    const size_t p = machine->info.n_hidden;
    double *y = NULL, *slope = NULL;
    ISG_TRY(ISG_ALLOCATE(y, 2 * p));
    slope = y + p;
    isg_machine_coordinates(machine, lambda, y);
    for (size_t i = 0; i < machine->info.n_visible; i++) {
        const double x = input_of_unit(machine, y, i);
        const double force = x - machine->field[i] - isg_tanh(machine->info.beta * x);
        for (size_t mu = 0; mu < p; mu++)
            slope[mu] += machine->xi[i * p + mu] * force;
    }
    isg_machine_coordinates(machine, slope, gradient);
    isg_release(y);
    return ISG_OK;
}

/* ---- conditionals and constants ---------------------------------------------------------------- */

isg_status isg_machine_visible_input(const isg_machine *machine, const double *lambda, double *x) {
    double *y = NULL;
    ISG_TRY(ISG_ALLOCATE(y, machine->info.n_hidden));
    isg_machine_coordinates(machine, lambda, y);
    isg_machine_input(machine, y, x);
    isg_release(y);
    return ISG_OK;
}

void isg_machine_hidden_mean(const isg_machine *machine, const uint64_t *spins, const double *tau,
                             double *lambda) {
    const size_t p = machine->info.n_hidden;
    const double scale = sqrt((double)machine->info.n_visible);
    isg_machine_pattern_sums(machine, spins, lambda);
    if (machine->info.kind == ISG_MACHINE_PROJECTION)
        return;
    if (machine->info.has_tau && tau) {
        for (size_t mu = 0; mu < p; mu++) {
            lambda[mu] /= scale;
            for (size_t nu = 0; nu < p; nu++)
                lambda[mu] += machine->coupling[mu * p + nu] * tau[nu];
            lambda[mu] /= machine->info.c0;
        }
        return;
    }
    isg_machine_solve_lower(machine, lambda);
    isg_machine_solve_upper(machine, lambda);
    for (size_t mu = 0; mu < p; mu++)
        lambda[mu] *= scale;
}

/* ln of the factor that normalizes a Gaussian over p variables with precision beta K, for ln det K:
   (p ln(beta / 2 pi) + ln det K) / 2 */
static double log_gauss(const isg_machine *machine, double log_det) {
    const double pi = 3.14159265358979323846;
    return ((double)machine->info.n_hidden * isg_log(machine->info.beta / (2 * pi)) + log_det) / 2;
}

double isg_machine_log_free_constant(const isg_machine *machine) {
    const double n = (double)machine->info.n_visible, p = (double)machine->info.n_hidden;
    const double log_det = machine->info.kind == ISG_MACHINE_PROJECTION
                               ? -machine->log_det
                               : machine->log_det - p * isg_log(n);
    return n * ISG_LN_2 + log_gauss(machine, log_det);
}

double isg_machine_log_constant(const isg_machine *machine) {
    return isg_machine_log_free_constant(machine) - (double)machine->info.n_visible * ISG_LN_2 +
           (machine->info.has_tau ? log_gauss(machine, 0) : 0);
}
