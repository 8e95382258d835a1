/* claims_small.c - networks so small that every sum and integral can be computed
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "paper/claims_exact.h"
#include "src/base/bits.h"
#include "src/base/elementary.h"

enum { UNITS = 12, N_SMALL_STATES = 1 << UNITS, HIDDEN = 3 };
static const double beta = 2;

/* For what decays like a Gaussian, the error of the trapezoid rule is negligible. */
static const double step = 0.05;
enum { N_NODES = 801 }; /* lambda from -20 to 20; |W^T s| is at most sqrt(UNITS) */

static double node(size_t k) {
    return step * ((double)k - (N_NODES - 1) / 2.0);
}

static double log_sum(const double *terms, size_t n) {
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, terms[k]);
    for (size_t k = 0; k < n; k++)
        sum += isg_exp(terms[k] - largest);
    return largest + isg_log(sum);
}

static exit_code small_rbm(isg_rbm **out, const isg_patterns *patterns) {
    isg_mapping_options options = isg_mapping_defaults();
    options.beta = beta;
    return fail_status(isg_rbm_from_patterns(out, patterns, &options, NULL));
}

/* ln Z of the network itself, over all its states. */
static exit_code network_log_z(const isg_patterns *patterns, double *out) {
    reference of = {0};
    double *terms = memory_allocate(N_SMALL_STATES, sizeof *terms);
    const exit_code code = terms ? reference_create(&of, patterns) : fail_memory();
    if (code == EXIT_DONE) {
        for (uint64_t spins = 0; spins < N_SMALL_STATES; spins++)
            terms[spins] = -beta * reference_energy(&of, &spins);
        *out = log_sum(terms, N_SMALL_STATES);
    }
    reference_free(&of);
    memory_release(terms);
    return code;
}

/* ---- partition functions ---------------------------------------------------------------------- */

static exit_code with_three(uint64_t seed, double *values) {
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    double expected = 0, found = 0, integrated = 0, error = 0;
    exit_code code = random_patterns(&patterns, UNITS, HIDDEN, seed);
    if (code == EXIT_DONE)
        code = small_rbm(&rbm, patterns);
    if (code == EXIT_DONE)
        code = network_log_z(patterns, &expected);
    if (code == EXIT_DONE)
        code = fail_status(isg_exact_enumerate(rbm, &found, NULL));
    if (code == EXIT_DONE)
        code = fail_status(isg_exact_quadrature(rbm, &integrated, &error, NULL));
    values[PARTITION_ENUMERATED] = fabs(found - expected);
    values[PARTITION_LAMBDA] = fabs(integrated - expected);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

static exit_code with_one(uint64_t seed, double *values) {
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    double expected = 0, right[N_NODES], printed[N_NODES];
    exit_code code = random_patterns(&patterns, UNITS, 1, seed);
    if (code == EXIT_DONE)
        code = small_rbm(&rbm, patterns);
    if (code == EXIT_DONE)
        code = network_log_z(patterns, &expected);
    for (size_t k = 0; code == EXIT_DONE && k < N_NODES; k++) {
        const double lambda = node(k), f0 = isg_rbm_free_energy(rbm, &lambda);
        right[k] = -beta * f0;
        printed[k] = -f0;
    }
    if (code == EXIT_DONE) {
        values[PARTITION_FREE] = fabs(log_sum(right, N_NODES) + isg_log(step) + UNITS * ISG_LN_2 +
                                      isg_log(beta / (2 * ISG_PI)) / 2 - expected);
        values[PARTITION_PRINTED] = log_sum(printed, N_NODES) + isg_log(step) - expected;
    }
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

/* Fields b_i and c that are not zero, so that their terms are seen too. */
static void set_fields(isg_rbm *rbm) {
    for (size_t i = 0; i < UNITS; i++)
        isg_rbm_visible_field(rbm)[i] = ((double)i - 5) / 20;
    isg_rbm_hidden_field(rbm)[0] = 0.3;
}

static exit_code integrate_hidden(uint64_t seed, double *largest) {
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    double terms[N_NODES];
    exit_code code = random_patterns(&patterns, UNITS, 1, seed);
    if (code == EXIT_DONE)
        code = small_rbm(&rbm, patterns);
    if (code == EXIT_DONE)
        set_fields(rbm);
    for (uint64_t spins = 0; code == EXIT_DONE && spins < N_SMALL_STATES; spins += 41) {
        double energy = 0;
        for (size_t k = 0; k < N_NODES; k++) {
            const double lambda = node(k);
            terms[k] = -beta * isg_rbm_energy(rbm, &spins, &lambda);
        }
        const double integral =
            log_sum(terms, N_NODES) + isg_log(step) + isg_log(beta / (2 * ISG_PI)) / 2;
        code = fail_status(isg_rbm_spin_energy(rbm, &spins, &energy));
        *largest = larger(*largest, fabs(-integral / beta - energy));
    }
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

exit_code exact_partition(uint64_t seed, double *values) {
    memset(values, 0, PARTITION_VALUES * sizeof *values);
    exit_code code = with_three(seed, values);
    if (code == EXIT_DONE)
        code = with_one(seed, values);
    return code == EXIT_DONE ? integrate_hidden(seed, &values[PARTITION_HIDDEN]) : code;
}

/* ---- gradients -------------------------------------------------------------------------------- */

static exit_code log_probability(isg_rbm *rbm, const uint64_t *spins, double *out) {
    double energy = 0, log_z = 0;
    exit_code code = fail_status(isg_rbm_spin_energy(rbm, spins, &energy));
    if (code == EXIT_DONE)
        code = fail_status(isg_exact_enumerate(rbm, &log_z, NULL));
    *out = -beta * energy - log_z;
    return code;
}

/* (f(w + h) - f(w - h)) / 2 h of ln p(s). */
static exit_code slope_of(isg_rbm *rbm, const uint64_t *spins, size_t i, size_t mu, double *out) {
    const isg_matd w = isg_rbm_weights(rbm);
    double *at = &w.data[i * w.stride + mu];
    const double kept = *at, h = 1e-4;
    double above = 0, below = 0;
    *at = kept + h;
    exit_code code = log_probability(rbm, spins, &above);
    *at = kept - h;
    if (code == EXIT_DONE)
        code = log_probability(rbm, spins, &below);
    *at = kept;
    *out = (above - below) / (2 * h);
    return code;
}

/* Over the model: the mean of s_i h_mu with h = W^T s + c, that of lambda_mu given s. */
static exit_code model_mean(isg_rbm *rbm, double *means) {
    double h[HIDDEN];
    double *probabilities = memory_allocate(N_SMALL_STATES, sizeof *probabilities);
    if (!probabilities)
        return fail_memory();
    const exit_code code = fail_status(isg_exact_probabilities(rbm, probabilities));
    for (uint64_t spins = 0; code == EXIT_DONE && spins < N_SMALL_STATES; spins++) {
        isg_rbm_hidden_input(rbm, &spins, h);
        for (size_t k = 0; k < UNITS * HIDDEN; k++)
            means[k] += probabilities[spins] * isg_spin(&spins, k / HIDDEN) * h[k % HIDDEN];
    }
    memory_release(probabilities);
    return code;
}

/* The printed second term weighs s_i lambda_mu with exp(-beta H(s_a, lambda)), which does not
   depend on the s summed over: it is zero, since every s_i has both signs equally often. */
static exit_code likelihood_slopes(const isg_patterns *patterns, double *values) {
    isg_rbm *rbm = NULL;
    double h[HIDDEN], means[UNITS * HIDDEN] = {0};
    const uint64_t spins = 0x5c9;
    exit_code code = small_rbm(&rbm, patterns);
    if (code == EXIT_DONE) {
        set_fields(rbm);
        isg_rbm_hidden_input(rbm, &spins, h);
        code = model_mean(rbm, means);
    }
    for (size_t k = 0; code == EXIT_DONE && k < UNITS * HIDDEN; k++) {
        const double first = beta * isg_spin(&spins, k / HIDDEN) * h[k % HIDDEN];
        double slope = 0;
        code = slope_of(rbm, &spins, k / HIDDEN, k % HIDDEN, &slope);
        values[SLOPE_RIGHT] = larger(values[SLOPE_RIGHT], fabs(first - beta * means[k] - slope));
        values[SLOPE_PRINTED] = larger(values[SLOPE_PRINTED], fabs(first - slope));
        values[SLOPE_SIZE] = larger(values[SLOPE_SIZE], fabs(slope));
    }
    isg_rbm_free(rbm);
    return code;
}

/* |W X - tanh(alpha W X)|^2, at an alpha at which difference quotients are good. */
static const double alpha = 3;

static double product(isg_matd w, const double *x, size_t i, size_t nu) {
    double sum = 0;
    for (size_t mu = 0; mu < HIDDEN; mu++)
        sum += w.data[i * w.stride + mu] * x[mu * HIDDEN + nu];
    return sum;
}

static double softened(isg_matd w, const double *x) {
    double sum = 0;
    for (size_t k = 0; k < UNITS * HIDDEN; k++) {
        const double at = product(w, x, k / HIDDEN, k % HIDDEN), e = at - isg_tanh(alpha * at);
        sum += e * e;
    }
    return sum;
}

/* Entry (mu, nu) of 2 W^T (E - alpha E o sech^2(steepness W X)). */
static double gradient(isg_matd w, const double *x, size_t mu, size_t nu, double steepness) {
    double sum = 0;
    for (size_t i = 0; i < UNITS; i++) {
        const double at = product(w, x, i, nu), e = at - isg_tanh(alpha * at);
        const double mean = isg_tanh(steepness * at); /* sech^2 = 1 - tanh^2 */
        sum += 2 * w.data[i * w.stride + mu] * (e - alpha * e * (1 - mean * mean));
    }
    return sum;
}

static exit_code binarize_slopes(const isg_patterns *patterns, double *values) {
    isg_rbm *rbm = NULL;
    double x[HIDDEN * HIDDEN], size = 0, right = 0, printed = 0;
    const exit_code code = small_rbm(&rbm, patterns);
    if (code != EXIT_DONE)
        return code;
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    for (size_t k = 0; k < HIDDEN * HIDDEN; k++)
        x[k] = 0.5 * r.data[k / HIDDEN * r.stride + k % HIDDEN] + 0.1 * (double)k;
    for (size_t k = 0; k < HIDDEN * HIDDEN; k++) {
        const double kept = x[k], h = 1e-5;
        x[k] = kept + h;
        const double above = softened(w, x);
        x[k] = kept - h;
        const double slope = (above - softened(w, x)) / (2 * h);
        x[k] = kept;
        const double good = gradient(w, x, k / HIDDEN, k % HIDDEN, alpha) - slope;
        const double bad = gradient(w, x, k / HIDDEN, k % HIDDEN, 1) - slope;
        size += slope * slope;
        right += good * good;
        printed += bad * bad;
    }
    values[BINARIZE_RIGHT] = sqrt(right / size);
    values[BINARIZE_PRINTED] = sqrt(printed / size);
    isg_rbm_free(rbm);
    return EXIT_DONE;
}

exit_code exact_gradients(uint64_t seed, double *values) {
    isg_patterns *patterns = NULL;
    memset(values, 0, GRADIENT_VALUES * sizeof *values);
    exit_code code = random_patterns(&patterns, UNITS, HIDDEN, seed);
    if (code == EXIT_DONE)
        code = likelihood_slopes(patterns, values);
    if (code == EXIT_DONE)
        code = binarize_slopes(patterns, values);
    isg_patterns_free(patterns);
    return code;
}
