/* claims_exact.c - how exact the mappings are for given patterns
 *
 * SPDX-License-Identifier: MIT
 */
#include "paper/claims_exact.h"

#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "src/base/bits.h"

enum { N_STATES = 1000 };

double larger(double so_far, double size) {
    return size > so_far || isnan(size) ? size : so_far;
}

double relative(double value, double expected) {
    return fabs(value - expected) / fmax(1, fabs(expected));
}

/* ---- the reference ---------------------------------------------------------------------------- */

/* Gauss-Jordan elimination with pivoting by columns; overwrites `a` (p, p). */
static void invert(size_t p, double *a, double *inverse) {
    for (size_t k = 0; k < p * p; k++)
        inverse[k] = k % (p + 1) == 0;
    for (size_t c = 0; c < p; c++) {
        size_t pivot = c;
        for (size_t r = c; r < p; r++)
            if (fabs(a[r * p + c]) > fabs(a[pivot * p + c]))
                pivot = r;
        for (size_t k = 0; k < p; k++) {
            const double left = a[c * p + k], right = inverse[c * p + k];
            a[c * p + k] = a[pivot * p + k];
            a[pivot * p + k] = left;
            inverse[c * p + k] = inverse[pivot * p + k];
            inverse[pivot * p + k] = right;
        }
        const double pivot_inverse = 1 / a[c * p + c];
        for (size_t k = 0; k < p; k++) {
            a[c * p + k] *= pivot_inverse;
            inverse[c * p + k] *= pivot_inverse;
        }
        for (size_t r = 0; r < p; r++) {
            const double factor = r == c ? 0 : a[r * p + c];
            for (size_t k = 0; k < p; k++) {
                a[r * p + k] -= factor * a[c * p + k];
                inverse[r * p + k] -= factor * inverse[c * p + k];
            }
        }
    }
}

exit_code reference_create(reference *out, const isg_patterns *patterns) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    const size_t p = info.n_patterns;
    *out = (reference){.patterns = patterns,
                       .n = info.n_visible,
                       .p = p,
                       .gram = memory_allocate(p * p, sizeof(double)),
                       .inverse = memory_allocate(p * p, sizeof(double)),
                       .v = memory_allocate(p, sizeof(double)),
                       .u = memory_allocate(p, sizeof(double))};
    double *scratch = memory_allocate(p * p, sizeof *scratch);
    if (!out->gram || !out->inverse || !out->v || !out->u || !scratch) {
        memory_release(scratch);
        return fail_memory();
    }
    for (size_t mu = 0; mu < p; mu++)
        for (size_t nu = 0; nu < p; nu++)
            for (size_t i = 0; i < out->n; i++)
                out->gram[mu * p + nu] += isg_spin(isg_patterns_row(patterns, mu), i) *
                                          isg_spin(isg_patterns_row(patterns, nu), i);
    memcpy(scratch, out->gram, p * p * sizeof *scratch);
    invert(p, scratch, out->inverse);
    memory_release(scratch);
    return EXIT_DONE;
}

void reference_free(reference *of) {
    memory_release(of->gram);
    memory_release(of->inverse);
    memory_release(of->v);
    memory_release(of->u);
}

double reference_energy(reference *of, const uint64_t *spins) {
    double energy = 0;
    for (size_t mu = 0; mu < of->p; mu++) {
        of->v[mu] = 0;
        for (size_t i = 0; i < of->n; i++)
            of->v[mu] += isg_spin(isg_patterns_row(of->patterns, mu), i) * isg_spin(spins, i);
    }
    for (size_t mu = 0; mu < of->p; mu++) {
        of->u[mu] = 0;
        for (size_t nu = 0; nu < of->p; nu++)
            of->u[mu] += of->inverse[mu * of->p + nu] * of->v[nu];
        energy -= of->u[mu] * of->v[mu] / 2;
    }
    return energy;
}

/* (xi A^-1 xi^T) of two units, or (xi xi^T) / N. */
static double coupling(const reference *of, size_t i, size_t j, bool is_hebbian) {
    double sum = 0;
    for (size_t mu = 0; mu < of->p; mu++) {
        const int left = isg_spin(isg_patterns_row(of->patterns, mu), i);
        double row = 0;
        for (size_t nu = 0; nu < of->p && !is_hebbian; nu++)
            row += of->inverse[mu * of->p + nu] * isg_spin(isg_patterns_row(of->patterns, nu), j);
        if (is_hebbian)
            row = isg_spin(isg_patterns_row(of->patterns, mu), j) / (double)of->n;
        sum += left * row;
    }
    return sum;
}

/* The largest entry of W W^T - xi A^-1 xi^T, or of W W^T - xi xi^T / N. */
static double reference_distance(const reference *of, isg_matd w, bool is_hebbian) {
    double largest = 0;
    for (size_t i = 0; i < of->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double found = 0;
            for (size_t mu = 0; mu < w.cols; mu++)
                found += w.data[i * w.stride + mu] * w.data[j * w.stride + mu];
            largest = larger(largest, fabs(found - coupling(of, i, j, is_hebbian)));
        }
    return largest;
}

exit_code random_patterns(isg_patterns **out, size_t n, size_t count, uint64_t seed) {
    isg_rbm *free_spins = NULL;
    isg_chains *chains = NULL;
    char sentence[100];
    int8_t *xi = memory_allocate(n * count, sizeof *xi);
    exit_code code = xi ? fail_status(isg_rbm_create(&free_spins, n, 1, 1)) : fail_memory();
    for (size_t rank = 0; code == EXIT_DONE && rank < count; seed++) {
        isg_patterns_free(*out);
        *out = NULL;
        isg_chains_free(chains);
        chains = NULL;
        code = fail_status(isg_chains_create(&chains, free_spins, count, seed));
        for (size_t k = 0; code == EXIT_DONE && k < n * count; k++)
            xi[k] = (int8_t)isg_spin(isg_chains_spins(chains, k % count), k / count);
        if (code == EXIT_DONE)
            code = fail_status(isg_patterns_create(out, n, count, xi, NULL));
        if (code == EXIT_DONE)
            code = fail_status(isg_patterns_rank(*out, &rank, sentence, sizeof sentence));
    }
    isg_chains_free(chains);
    isg_rbm_free(free_spins);
    memory_release(xi);
    return code;
}

/* ---- the mapping ------------------------------------------------------------------------------ */

static exit_code compare_energies(reference *of, const isg_rbm *rbm, const isg_chains *states,
                                  double *largest) {
    exit_code code = EXIT_DONE;
    for (size_t k = 0; code == EXIT_DONE && k < isg_chains_describe(states).count; k++) {
        double energy = 0;
        code = fail_status(isg_rbm_spin_energy(rbm, isg_chains_spins(states, k), &energy));
        *largest =
            larger(*largest, relative(energy, reference_energy(of, isg_chains_spins(states, k))));
    }
    return code;
}

static void compare_weights(const reference *of, isg_rbm *rbm, double *values) {
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    values[MAPPING_COUPLINGS] = reference_distance(of, w, false);
    for (size_t mu = 0; mu < w.cols; mu++)
        for (size_t nu = 0; nu < w.cols; nu++) {
            double sum = mu == nu ? -1 : 0;
            for (size_t i = 0; i < w.rows; i++)
                sum += w.data[i * w.stride + mu] * w.data[i * w.stride + nu];
            values[MAPPING_ORTHOGONALITY] = larger(values[MAPPING_ORTHOGONALITY], fabs(sum));
        }
    for (size_t i = 0; i < w.rows; i++)
        for (size_t mu = 0; mu < of->p; mu++) {
            double sum = -isg_spin(isg_patterns_row(of->patterns, mu), i);
            for (size_t nu = 0; nu < w.cols; nu++)
                sum += w.data[i * w.stride + nu] * r.data[nu * r.stride + mu];
            values[MAPPING_RECOVERED] = larger(values[MAPPING_RECOVERED], fabs(sum));
        }
}

static exit_code count_stored(const isg_patterns *patterns, isg_rule rule, double *fixed,
                              double *stable) {
    isg_hopfield_options options = isg_hopfield_defaults();
    isg_hopfield *network = NULL;
    options.rule = rule;
    exit_code code = fail_status(isg_hopfield_create(&network, patterns, &options));
    *fixed = *stable = 0;
    for (size_t mu = 0; code == EXIT_DONE && mu < isg_patterns_describe(patterns).n_patterns;
         mu++) {
        isg_hopfield_state state = {0};
        code = fail_status(isg_hopfield_examine(network, isg_patterns_row(patterns, mu), &state));
        *fixed += state.is_fixed_point;
        *stable += state.is_fixed_point && state.is_stable;
    }
    isg_hopfield_free(network);
    return code;
}

exit_code exact_mapping(const isg_patterns *patterns, isg_rbm *rbm, uint64_t seed, double *values) {
    reference of = {0};
    isg_chains *states = NULL;
    double fixed = 0;
    memset(values, 0, MAPPING_VALUES * sizeof *values);
    exit_code code = reference_create(&of, patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_create(&states, rbm, N_STATES, seed));
    if (code == EXIT_DONE)
        code = compare_energies(&of, rbm, states, &values[MAPPING_ENERGY]);
    if (code == EXIT_DONE)
        code = count_stored(patterns, ISG_RULE_PROJECTION, &fixed, &values[MAPPING_STABLE]);
    if (code == EXIT_DONE)
        code = count_stored(patterns, ISG_RULE_HEBBIAN, &values[MAPPING_HEBB_FIXED], &fixed);
    if (code == EXIT_DONE) {
        compare_weights(&of, rbm, values);
        values[MAPPING_PATTERNS] = (double)of.p;
        values[MAPPING_UNITS] = (double)of.n;
    }
    for (size_t mu = 0; code == EXIT_DONE && mu < of.p; mu++) {
        double energy = 0;
        code = fail_status(isg_rbm_spin_energy(rbm, isg_patterns_row(patterns, mu), &energy));
        values[MAPPING_DEPTH] = larger(values[MAPPING_DEPTH], fabs(energy + (double)of.n / 2));
    }
    isg_chains_free(states);
    reference_free(&of);
    return code;
}

/* ---- variants of it --------------------------------------------------------------------------- */

static exit_code distance_via(const reference *of, const isg_patterns *patterns,
                              isg_decomposition via, double *out) {
    isg_rbm *rbm = NULL;
    isg_mapping_options options = isg_mapping_defaults();
    options.via = via;
    const exit_code code = fail_status(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
    if (code == EXIT_DONE)
        *out = reference_distance(of, isg_rbm_weights(rbm), false);
    isg_rbm_free(rbm);
    return code;
}

/* The patterns in reverse order, the first of them negated. */
static exit_code reorder(isg_patterns **out, const isg_patterns *patterns) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    const size_t n = info.n_visible, p = info.n_patterns;
    int8_t *xi = memory_allocate(n * p, sizeof *xi);
    if (!xi)
        return fail_memory();
    for (size_t k = 0; k < n * p; k++)
        xi[k] = (int8_t)((k % p == 0 ? -1 : 1) *
                         isg_spin(isg_patterns_row(patterns, p - 1 - k % p), k / p));
    const exit_code code = fail_status(isg_patterns_create(out, n, p, xi, NULL));
    memory_release(xi);
    return code;
}

static exit_code other_order(const reference *of, const isg_patterns *patterns, double *values) {
    isg_patterns *other = NULL;
    isg_rbm *first = NULL, *second = NULL;
    exit_code code = reorder(&other, patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&first, patterns, NULL, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&second, other, NULL, NULL));
    if (code == EXIT_DONE) {
        const isg_matd a = isg_rbm_weights(first), b = isg_rbm_weights(second);
        values[FAMILY_ORDER] = reference_distance(of, b, false);
        for (size_t i = 0; i < a.rows; i++)
            for (size_t mu = 0; mu < a.cols; mu++)
                values[FAMILY_ORDER_WEIGHTS] =
                    larger(values[FAMILY_ORDER_WEIGHTS],
                           fabs(a.data[i * a.stride + mu] - b.data[i * b.stride + mu]));
    }
    isg_rbm_free(first);
    isg_rbm_free(second);
    isg_patterns_free(other);
    return code;
}

/* Energies with the field b_i = (i mod 7 - 3) / 10. */
static exit_code with_field(reference *of, const isg_patterns *patterns, uint64_t seed,
                            double *largest) {
    isg_rbm *rbm = NULL;
    isg_chains *states = NULL;
    isg_mapping_options options = isg_mapping_defaults();
    double *field = memory_allocate(of->n, sizeof *field);
    if (!field)
        return fail_memory();
    for (size_t i = 0; i < of->n; i++)
        field[i] = ((double)(i % 7) - 3) / 10;
    options.field = field;
    exit_code code = fail_status(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_create(&states, rbm, N_STATES, seed));
    for (size_t k = 0; code == EXIT_DONE && k < N_STATES; k++) {
        const uint64_t *spins = isg_chains_spins(states, k);
        double energy = 0, expected = reference_energy(of, spins);
        for (size_t i = 0; i < of->n; i++)
            expected -= field[i] * isg_spin(spins, i);
        code = fail_status(isg_rbm_spin_energy(rbm, spins, &energy));
        *largest = larger(*largest, relative(energy, expected));
    }
    isg_chains_free(states);
    isg_rbm_free(rbm);
    memory_release(field);
    return code;
}

/* Rows 1, 2, 4 and 8 of the Hadamard matrix of 16: the signs of the bits of i. */
static exit_code orthogonal_patterns(isg_patterns **out) {
    int8_t xi[16 * 4];
    for (size_t k = 0; k < sizeof xi; k++)
        xi[k] = k / 4 >> k % 4 & 1 ? 1 : -1;
    return fail_status(isg_patterns_create(out, 16, 4, xi, NULL));
}

static exit_code hebbian_distance(const isg_patterns *patterns, double *out) {
    reference of = {0};
    isg_rbm *rbm = NULL;
    exit_code code = reference_create(&of, patterns);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    if (code == EXIT_DONE)
        *out = reference_distance(&of, isg_rbm_weights(rbm), true);
    isg_rbm_free(rbm);
    reference_free(&of);
    return code;
}

exit_code exact_family(const isg_patterns *patterns, uint64_t seed, double *values) {
    reference of = {0};
    isg_patterns *orthogonal = NULL;
    memset(values, 0, FAMILY_VALUES * sizeof *values);
    exit_code code = reference_create(&of, patterns);
    if (code == EXIT_DONE)
        code = distance_via(&of, patterns, ISG_VIA_SVD, &values[FAMILY_SVD]);
    if (code == EXIT_DONE)
        code = distance_via(&of, patterns, ISG_VIA_SQRT, &values[FAMILY_SQRT]);
    if (code == EXIT_DONE)
        code = other_order(&of, patterns, values);
    if (code == EXIT_DONE)
        code = with_field(&of, patterns, seed, &values[FAMILY_FIELD]);
    if (code == EXIT_DONE)
        code = orthogonal_patterns(&orthogonal);
    if (code == EXIT_DONE)
        code = hebbian_distance(orthogonal, &values[FAMILY_ORTHOGONAL]);
    if (code == EXIT_DONE)
        code = hebbian_distance(patterns, &values[FAMILY_CORRELATED]);
    isg_patterns_free(orthogonal);
    reference_free(&of);
    return code;
}
