/* verify.c - the identities that make a Hopfield network and an RBM one object, as numbers
 *
 * SPDX-License-Identifier: MIT
 *
 * Every check computes a quantity that is zero in theory and compares it with a bound on rounding.
 * The network and the RBM via qr share a decomposition; the other mappings, the machines and the
 * product of overlaps and projections compute the energy independently. Checks on given patterns
 * cost O(N p) per state; built-in checks run over all states of small random networks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"
#include "isinglass/hopfield.h"
#include "isinglass/log_z.h"
#include "isinglass/mapping.h"
#include "linalg/linalg.h"
#include "rbm/rbm.h"
#include "theory/machines.h"

enum {
    N_STATES = 10000, /* random states to compare energies on; fewer for huge networks */
    ALL_ROWS = 4096,  /* up to this many rows of J are all compared, beyond that SOME_ROWS */
    SOME_ROWS = 512,
    MAX_SUMMED = 24,    /* units up to which ln Z is summed over all states */
    MAX_INTEGRATED = 3, /* hidden units up to which it is integrated as well */
    N_DECOMPOSITIONS = 3,
    N_MACHINES = 3
};

static const char *const via_names[] = {"qr", "svd", "sqrt"};
static const char *const machine_names[] = {"overlap", "projection", "three layers"};

struct isg_checks {
    isg_check *list;
    size_t count, capacity;
};

static isg_status add_check(isg_checks *checks, double value, double bound, const char *group,
                            const char *name) {
    void *list = checks->list;
    ISG_TRY(isg_grow(&list, &checks->capacity, checks->count + 1, sizeof *checks->list));
    checks->list = list;
    isg_check *check = &checks->list[checks->count++];
    *check = (isg_check){.value = value, .bound = bound, .ok = value <= bound};
    snprintf(check->name, sizeof check->name, "%s: %s", group, name);
    return ISG_OK;
}

/* What rounding may make of each kind of zero, with u = 2^-53 and c^2 the condition number of
   A = xi^T xi.

   Rounding errors of n operations add up like a random walk: they exceed LAMBDA sqrt(n) u only in a
   share exp(-LAMBDA^2 / 2) of all cases (Higham and Mary 2019). A sum over N units is split into
   stretches of at most 512, so its error relative to the sum of the absolute values of its terms is

       e = LAMBDA u sqrt(min(N, 512) + N / 512).

   orthogonality: W is made by p reflectors, each applied with an error e of a unit vector; another e
       comes from the product that checks it. sqrt(p) of them: 2 sqrt(p) e. Rotating W, for svd and
       sqrt, adds as much again.
   patterns: the same errors on columns of xi, which are sqrt(N) long.
   projector: |W E W^T|_ij <= |W_i| |E| |W_j| <= |E|, at most p times the largest entry of E.
   energy: H = -|h|^2 / 2 with h = W^T s. Each h is a sum whose terms have sizes of up to sqrt(N) in
       all, of a W that is off by `orthogonality`; |dH| <= |h| |dh| = sqrt(2 |H|) |dh|, which relative
       to the larger of 1 and |H| is at most sqrt(2 p N) (2 e + orthogonality).
   machine: these solve with the Cholesky factor of A, which is exact for a matrix that is off by
       p u |A| or so; the solution by c^2 times that. */
typedef struct bounds {
    double orthogonality, patterns, projector, energy, machine;
} bounds;

enum { LAMBDA = 4 };

static bounds find_bounds(size_t n_visible, size_t n_patterns, double condition) {
    const double u = DBL_EPSILON / 2, n = (double)n_visible, p = (double)n_patterns;
    const double e = LAMBDA * u * sqrt(fmin(n, 512) + n / 512);
    bounds out = {.orthogonality = 4 * sqrt(p) * e};
    out.patterns = sqrt(n) * out.orthogonality;
    out.projector = p * out.orthogonality;
    out.energy = sqrt(2 * p * n) * (2 * e + out.orthogonality);
    out.machine = out.energy + 8 * u * p * condition * condition;
    return out;
}

/* The largest singular value of the patterns over the smallest, from those of R. */
static isg_status find_condition(const isg_rbm *rbm, double *out) {
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    double *u = NULL, *sigma = NULL, *vt = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, r.rows, r.rows));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, r.rows));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, r.rows, r.cols));
    ISG_TRY_GOTO(
        isg_svd(isg_matd_of(u, r.rows, r.rows), sigma, isg_matd_of(vt, r.rows, r.cols), r));
    *out = sigma[0] / sigma[r.rows - 1];
done:
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    return status;
}

/* Enough states to compare in seconds. */
static size_t random_states(const isg_patterns_info *info) {
    const double affordable = 5e9 / ((double)info->n_visible * (double)info->n_patterns);
    return affordable > N_STATES ? N_STATES : affordable > 100 ? (size_t)affordable : 100;
}

/* The larger of two sizes; NaN is kept, so that its check fails. */
static double larger(double so_far, double size) {
    return size > so_far || isnan(size) ? size : so_far;
}

/* All forms of one network. */
typedef struct views {
    const isg_patterns *patterns;
    isg_hopfield *network;
    isg_rbm *rbms[N_DECOMPOSITIONS];
    isg_mapping_report reports[N_DECOMPOSITIONS];
    isg_machine *machines[N_MACHINES];
    bounds bounds;
} views;

static void views_free(views *all) {
    isg_hopfield_free(all->network);
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++)
        isg_rbm_free(all->rbms[k]);
    for (size_t k = 0; k < N_MACHINES; k++)
        isg_machine_free(all->machines[k]);
}

static isg_status views_create(views *all, const isg_patterns *patterns, const double *field,
                               double beta) {
    *all = (views){.patterns = patterns};
    isg_hopfield_options network = isg_hopfield_defaults();
    network.field = field;
    ISG_TRY(isg_hopfield_create(&all->network, patterns, &network));
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++)
        ISG_TRY(isg_rbm_from_hopfield(&all->rbms[k], all->network, (isg_decomposition)k, beta,
                                      &all->reports[k]));
    for (size_t k = 0; k < N_MACHINES; k++)
        ISG_TRY(isg_machine_create(&all->machines[k], (isg_machine_kind)k, patterns, field, beta));
    const isg_patterns_info info = isg_patterns_describe(patterns);
    double condition = 0;
    ISG_TRY(find_condition(all->rbms[ISG_VIA_QR], &condition));
    all->bounds = find_bounds(info.n_visible, info.n_patterns, condition);
    return ISG_OK;
}

/* ---- mappings ------------------------------------------------------------------------------------ */

/* The largest entry of J_1 - J_2 in some of its rows; row i of J = W W^T is W times W_i. */
static double largest_difference(const isg_rbm *one, const isg_rbm *two) {
    const isg_matd_view a = isg_rbm_view(one), b = isg_rbm_view(two);
    const size_t n = a.rows, step = n <= ALL_ROWS ? 1 : n / SOME_ROWS;
    double largest = 0;
    for (size_t i = 0; i < n; i += step)
        for (size_t j = 0; j <= i; j++) {
            double first = 0, second = 0;
            for (size_t mu = 0; mu < a.cols; mu++)
                first += a.data[i * a.stride + mu] * a.data[j * a.stride + mu];
            for (size_t mu = 0; mu < b.cols; mu++)
                second += b.data[i * b.stride + mu] * b.data[j * b.stride + mu];
            largest = larger(largest, fabs(first - second));
        }
    return largest;
}

static isg_status check_mappings(isg_checks *checks, const views *all) {
    const bounds *most = &all->bounds;
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++) {
        const isg_mapping_report *report = &all->reports[k];
        const char *via = via_names[k];
        const double p = (double)report->n_hidden, trace_error = fabs(report->trace - p) / p;
        ISG_TRY(add_check(checks, report->orthogonality_error, most->orthogonality, via,
                          "|W^T W - I|"));
        ISG_TRY(add_check(checks, report->reconstruction_error, most->patterns, via, "|W R - xi|"));
        ISG_TRY(add_check(checks, report->projector_error, most->projector, via, "|J^2 - J|"));
        ISG_TRY(add_check(checks, report->fixed_point_error, most->patterns, via, "|J xi - xi|"));
        ISG_TRY(add_check(checks, trace_error, most->orthogonality, via, "|tr J - p| / p"));
        if (k > 0)
            ISG_TRY(add_check(checks, largest_difference(all->rbms[0], all->rbms[k]),
                              most->projector, via, "|J - J of qr|"));
    }
    return ISG_OK;
}

static isg_status check_hebbian(isg_checks *checks, const isg_patterns *patterns) {
    isg_mapping_options mapping = isg_mapping_defaults();
    mapping.via = ISG_VIA_HEBBIAN;
    isg_rbm *rbm = NULL;
    ISG_TRY(isg_rbm_from_patterns(&rbm, patterns, &mapping, NULL));
    const isg_matd_view w = isg_rbm_view(rbm);
    double largest = 0;
    for (size_t i = 0; i < w.rows; i++)
        for (size_t mu = 0; mu < w.cols; mu++)
            largest = larger(
                largest, fabs(w.data[i * w.stride + mu] -
                              isg_spin(isg_patterns_row(patterns, mu), i) / sqrt((double)w.rows)));
    isg_rbm_free(rbm);
    return add_check(checks, largest, 1e-15, "hebbian", "|W - xi / sqrt(N)|");
}

static isg_status check_fixed_points(isg_checks *checks, const views *all) {
    size_t moved = 0;
    for (size_t mu = 0; mu < isg_patterns_describe(all->patterns).n_patterns; mu++) {
        isg_hopfield_state state;
        ISG_TRY(isg_hopfield_examine(all->network, isg_patterns_row(all->patterns, mu), &state));
        moved += !state.is_fixed_point;
    }
    return add_check(checks, (double)moved, 0, "network", "patterns that sgn(J xi) changes");
}

/* ---- energies -------------------------------------------------------------------------------------- */

/* The largest relative differences found so far. */
typedef struct differences {
    double rbms[N_DECOMPOSITIONS], machines[N_MACHINES], complex_layers, overlaps;
} differences;

static void take(double *largest, double value, double expected) {
    *largest = larger(*largest, fabs(value - expected) / fmax(1, fabs(expected)));
}

static isg_status compare_energies(differences *found, const views *all, const uint64_t *spins,
                                   bool has_field, double *m, double *a) {
    const isg_patterns_info info = isg_patterns_describe(all->patterns);
    double expected = 0, energy = 0, product = 0;
    ISG_TRY(isg_hopfield_energy(all->network, spins, &expected));
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++) {
        ISG_TRY(isg_rbm_spin_energy(all->rbms[k], spins, &energy));
        take(&found->rbms[k], energy, expected);
    }
    for (size_t k = 0; k < N_MACHINES; k++) {
        ISG_TRY(isg_machine_spin_energy(all->machines[k], spins, &energy));
        take(&found->machines[k], energy, expected);
    }
    const isg_machine *layers = all->machines[ISG_MACHINE_THREE_LAYER];
    isg_machine_hidden_mean(layers, spins, NULL, a); /* where the energy is smallest: H(s) */
    ISG_TRY(isg_machine_complex_lambda_energy(layers, spins, a, &energy));
    take(&found->complex_layers, energy, expected);
    if (has_field)
        return ISG_OK;
    isg_hopfield_overlaps(all->network, spins, m);
    ISG_TRY(isg_hopfield_projections(all->network, spins, a));
    for (size_t mu = 0; mu < info.n_patterns; mu++)
        product += m[mu] * a[mu];
    take(&found->overlaps, -(double)info.n_visible / 2 * product, expected);
    return ISG_OK;
}

/* Over random states, or over all states if there are no more than that. */
static isg_status check_energies(isg_checks *checks, const views *all, bool has_field,
                                 uint64_t seed, const char *group, const isg_progress *progress) {
    const isg_patterns_info info = isg_patterns_describe(all->patterns);
    const bounds *most = &all->bounds;
    const bool is_small = info.n_visible <= 12;
    const size_t words = isg_words(info.n_visible);
    const size_t n_states = is_small ? (size_t)1 << info.n_visible : random_states(&info);
    uint64_t *spins = NULL;
    double *m = NULL, *a = NULL;
    differences found = {.overlaps = 0};
    isg_status status = ISG_OK;
    char name[64];
    ISG_TRY_GOTO(ISG_ALLOCATE(spins, words));
    ISG_TRY_GOTO(ISG_ALLOCATE(m, info.n_patterns));
    ISG_TRY_GOTO(ISG_ALLOCATE(a, info.n_patterns));
    for (size_t k = 0; k < n_states; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_VERIFY, k, 0));
        for (size_t w = 0; w < words; w++)
            spins[w] = is_small ? k : isg_next_word64(&random);
        isg_clear_tail(spins, info.n_visible);
        ISG_TRY_GOTO(compare_energies(&found, all, spins, has_field, m, a));
        if (progress && k % 256 == 0 &&
            !progress->report(progress->user, (double)k / (double)n_states))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "verification was cancelled"));
    }
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++) {
        snprintf(name, sizeof name, "H of the RBM via %s / H - 1", via_names[k]);
        ISG_TRY_GOTO(add_check(checks, found.rbms[k], most->energy, group, name));
    }
    for (size_t k = 0; k < N_MACHINES; k++) {
        snprintf(name, sizeof name, "H of the %s machine / H - 1", machine_names[k]);
        ISG_TRY_GOTO(add_check(checks, found.machines[k], most->machine, group, name));
    }
    ISG_TRY_GOTO(add_check(checks, found.complex_layers, most->machine, group,
                           "H of the complex three layers / H - 1"));
    if (!has_field)
        ISG_TRY_GOTO(add_check(checks, found.overlaps, most->machine, group, "-(N/2) m.a / H - 1"));
done:
    isg_release(spins);
    isg_release(m);
    isg_release(a);
    return status;
}

/* ---- partition functions ---------------------------------------------------------------------------- */

/* exp(-beta F0) is a sum of equal Gaussians, one for each state: where they lie and how wide they
   are, for two hidden units. */
typedef struct gaussians {
    double farthest[2]; /* largest |mean| of each unit */
    double widest[2];   /* standard deviation of each unit */
    double narrowest;   /* in any direction */
} gaussians;

static void find_gaussians(gaussians *out, const views *all, size_t kind, double beta) {
    double gram[4];
    isg_patterns_gram(all->patterns, isg_matd_of(gram, 2, 2));
    const double n = gram[0], overlap = gram[1];
    /* The covariance is N A^-1 / beta, or A / beta for the projection machine; both matrices have
       equal diagonals, and eigenvectors (1, 1) and (1, -1). */
    const bool is_projection = kind == ISG_MACHINE_PROJECTION;
    const double plus = is_projection ? n + overlap : n / (n + overlap);
    const double minus = is_projection ? n - overlap : n / (n - overlap);
    *out = (gaussians){.narrowest = sqrt(fmin(plus, minus) / beta)};
    for (size_t mu = 0; mu < 2; mu++)
        out->widest[mu] = sqrt((plus + minus) / 2 / beta);
    for (uint64_t spins = 0; spins < UINT64_C(1) << isg_patterns_describe(all->patterns).n_visible;
         spins++) {
        double mean[2];
        isg_machine_hidden_mean(all->machines[kind], &spins, NULL, mean);
        for (size_t mu = 0; mu < 2; mu++)
            out->farthest[mu] = fmax(out->farthest[mu], fabs(mean[mu]));
    }
}

/* By the trapezoid rule, whose error on Gaussians is exp(-2 (pi sd / step)^2): nothing for half a
   standard deviation. */
static isg_status machine_log_z(const views *all, size_t kind, double beta, double *out) {
    const isg_machine *machine = all->machines[kind];
    gaussians shape;
    find_gaussians(&shape, all, kind, beta);
    const double step = shape.narrowest / 2;
    size_t n[2];
    for (size_t mu = 0; mu < 2; mu++)
        n[mu] = (size_t)ceil((shape.farthest[mu] + 9 * shape.widest[mu]) / step);
    const size_t cols = 2 * n[1] + 1, count = (2 * n[0] + 1) * cols;
    double *terms = NULL, energy = 0;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(terms, count));
    for (size_t k = 0; k < count; k++) {
        const double lambda[2] = {step * ((double)(k / cols) - (double)n[0]),
                                  step * ((double)(k % cols) - (double)n[1])};
        ISG_TRY_GOTO(isg_machine_free_energy(machine, lambda, &energy));
        terms[k] = -beta * energy;
    }
    *out =
        isg_log_sum_exp(terms, count) + 2 * isg_log(step) + isg_machine_log_free_constant(machine);
done:
    isg_release(terms);
    return status;
}

/* ln of the sum of exp(-beta H) over all states of the network itself. */
static isg_status network_log_z(const isg_hopfield *network, double beta, double *out) {
    const size_t n_states = (size_t)1 << isg_hopfield_describe(network).n_visible;
    double *terms = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(terms, n_states));
    for (size_t k = 0; k < n_states; k++) {
        const uint64_t spins = k;
        ISG_TRY_GOTO(isg_hopfield_energy(network, &spins, &terms[k]));
        terms[k] *= -beta;
    }
    *out = isg_log_sum_exp(terms, n_states);
done:
    isg_release(terms);
    return status;
}

/* Also stores ln Z of the network itself, which the others are compared with, in *expected. */
static isg_status check_rbm_log_z(isg_checks *checks, const views *all, double beta,
                                  const char *group, double *expected) {
    double value = 0, error = 0;
    char name[64];
    ISG_TRY(network_log_z(all->network, beta, expected));
    for (size_t k = 0; k < N_DECOMPOSITIONS; k++) {
        ISG_TRY(isg_exact_enumerate(all->rbms[k], &value, NULL));
        snprintf(name, sizeof name, "|ln Z of the RBM via %s - ln Z|", via_names[k]);
        ISG_TRY(add_check(checks, fabs(value - *expected), 1e-9, group, name));
    }
    if (isg_rbm_describe(all->rbms[0]).n_hidden > MAX_INTEGRATED)
        return ISG_OK;
    ISG_TRY(isg_exact_quadrature(all->rbms[0], &value, &error, NULL));
    return add_check(checks, fabs(value - *expected), 1e-9, group, "|ln Z by quadrature - ln Z|");
}

static isg_status check_log_z(isg_checks *checks, const views *all, double beta,
                              const char *group) {
    double expected = 0, value = 0;
    char name[64];
    ISG_TRY(check_rbm_log_z(checks, all, beta, group, &expected));
    for (size_t k = 0; k < N_MACHINES; k++) {
        ISG_TRY(machine_log_z(all, k, beta, &value));
        snprintf(name, sizeof name, "|ln Z of the %s machine - ln Z|", machine_names[k]);
        ISG_TRY(add_check(checks, fabs(value - expected), 1e-9, group, name));
    }
    return ISG_OK;
}

/* The paper's complex form of the three layers, with tau integrated first by the trapezoid rule,
   has the energy of the overlap machine. The integrand is a Gaussian of variance 1 / beta that
   oscillates slowly for the lambda chosen here. */
static isg_status check_complex(isg_checks *checks, const views *all, double beta, uint64_t seed,
                                const char *group) {
    enum { HALF = 90 };
    const double deviation = 1 / sqrt(beta), step = deviation / 10;
    double largest = 0;
    for (uint64_t spins = 0; spins < 16; spins++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_VERIFY, spins, 3));
        const double lambda[2] = {isg_next_uniform(&random) - 0.5, isg_next_uniform(&random) - 0.5};
        double sum = 0, real = 0, imaginary = 0, expected = 0;
        for (int k = -HALF; k <= HALF; k++)
            for (int l = -HALF; l <= HALF; l++) {
                const double tau[2] = {step * k, step * l};
                ISG_TRY(isg_machine_complex_energy(all->machines[ISG_MACHINE_THREE_LAYER], &spins,
                                                   lambda, tau, &real, &imaginary));
                sum += isg_exp(-beta * real) * isg_cos(beta * imaginary);
            }
        /* A free tau would leave (2 pi / beta)^(1/2) for each of the two. */
        const double energy = -isg_log(sum * step * step * beta / (2 * ISG_PI)) / beta;
        ISG_TRY(isg_machine_energy(all->machines[ISG_MACHINE_OVERLAP], &spins, lambda, NULL,
                                   &expected));
        take(&largest, energy, expected);
    }
    return add_check(checks, largest, 1e-12, group,
                     "H of the complex form, tau integrated / H - 1");
}

/* Without its diagonal the network has the same states at shifted energies. */
static isg_status check_diagonal(isg_checks *checks, const views *all, const double *field,
                                 double beta, const char *group) {
    isg_hopfield_options options = isg_hopfield_defaults();
    options.field = field;
    options.keep_diagonal = false;
    isg_hopfield *bare = NULL;
    double kept = 0, removed = 0;
    ISG_TRY(isg_hopfield_create(&bare, all->patterns, &options));
    isg_status status = network_log_z(all->network, beta, &kept);
    if (status == ISG_OK)
        status = network_log_z(bare, beta, &removed);
    const double trace = isg_hopfield_describe(bare).trace;
    isg_hopfield_free(bare);
    ISG_TRY(status);
    return add_check(checks, fabs(kept - removed - beta * trace / 2), 1e-9, group,
                     "|shift of ln Z without diagonal - beta tr(J) / 2|");
}

/* ---- all together ------------------------------------------------------------------------------------ */

enum { SMALL_N = 10, SMALL_P = 2 };

/* Two random patterns of ten units, which are independent for all but unlucky seeds. */
static isg_status small_patterns(isg_patterns **out, uint64_t seed, uint64_t number) {
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_VERIFY, number, 1));
    int8_t xi[SMALL_N * SMALL_P];
    for (size_t attempt = 0; attempt < 100; attempt++) {
        isg_patterns *patterns = NULL;
        size_t rank = 0;
        char sentence[8];
        for (size_t k = 0; k < SMALL_N * SMALL_P; k++)
            xi[k] = isg_next_word(&random) >> 31 ? 1 : -1;
        ISG_TRY(isg_patterns_create(&patterns, SMALL_N, SMALL_P, xi, NULL));
        const isg_status status = isg_patterns_rank(patterns, &rank, sentence, sizeof sentence);
        if (status == ISG_OK && rank == SMALL_P) {
            *out = patterns;
            return ISG_OK;
        }
        isg_patterns_free(patterns);
        ISG_TRY(status);
    }
    return isg_fail(ISG_ERR_DIVERGED, "no independent patterns were drawn");
}

static isg_status check_small(isg_checks *checks, uint64_t seed, double beta, bool has_field) {
    isg_patterns *patterns = NULL;
    views all = {0};
    double field[SMALL_N];
    char group[64];
    isg_status status = ISG_OK;
    const uint64_t number = (uint64_t)(2 * beta) * 2 + has_field;
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_VERIFY, number, 2));
    for (size_t i = 0; i < SMALL_N; i++)
        field[i] = 0.3 * isg_next_normal(&random);
    snprintf(group, sizeof group, "N=%d p=%d beta=%g%s", SMALL_N, SMALL_P, beta,
             has_field ? " field" : "");
    ISG_TRY(small_patterns(&patterns, seed, number));
    ISG_TRY_GOTO(views_create(&all, patterns, has_field ? field : NULL, beta));
    ISG_TRY_GOTO(check_energies(checks, &all, has_field, seed, group, NULL));
    ISG_TRY_GOTO(check_complex(checks, &all, beta, seed, group));
    ISG_TRY_GOTO(check_log_z(checks, &all, beta, group));
    ISG_TRY_GOTO(check_diagonal(checks, &all, has_field ? field : NULL, beta, group));
done:
    views_free(&all);
    isg_patterns_free(patterns);
    return status;
}

static isg_status check_patterns(isg_checks *checks, const isg_patterns *patterns, uint64_t seed,
                                 const isg_progress *progress) {
    const double beta = isg_mapping_defaults().beta;
    views all = {0};
    double log_z = 0;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(views_create(&all, patterns, NULL, beta));
    ISG_TRY_GOTO(check_mappings(checks, &all));
    ISG_TRY_GOTO(check_hebbian(checks, patterns));
    ISG_TRY_GOTO(check_fixed_points(checks, &all));
    ISG_TRY_GOTO(check_energies(checks, &all, false, seed, "network", progress));
    if (isg_patterns_describe(patterns).n_visible <= MAX_SUMMED)
        ISG_TRY_GOTO(check_rbm_log_z(checks, &all, beta, "network", &log_z));
done:
    views_free(&all);
    return status;
}

isg_status isg_verify(isg_checks **out, const isg_patterns *patterns, uint64_t seed,
                      const isg_progress *progress) {
    static const double betas[] = {0.5, 1, 2};
    isg_checks *checks = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(ISG_ALLOCATE(checks, 1));
    if (patterns)
        ISG_TRY_GOTO(check_patterns(checks, patterns, seed, progress));
    for (size_t k = 0; !patterns && k < 6; k++) {
        if (progress && !progress->report(progress->user, (double)k / 6))
            ISG_TRY_GOTO(isg_fail(ISG_ERR_CANCELLED, "verification was cancelled"));
        ISG_TRY_GOTO(check_small(checks, seed, betas[k / 2], k % 2));
    }
    *out = checks;
    checks = NULL;
done:
    isg_checks_free(checks);
    return status;
}

size_t isg_checks_count(const isg_checks *checks) {
    return checks->count;
}

const isg_check *isg_checks_get(const isg_checks *checks, size_t k) {
    return k < checks->count ? &checks->list[k] : NULL;
}

void isg_checks_free(isg_checks *checks) {
    if (!checks)
        return;
    isg_release(checks->list);
    isg_release(checks);
}
