/* hopfield.c - Hopfield networks as low-rank objects
 *
 * SPDX-License-Identifier: MIT
 *
 *     H(s) = -s^T J s / 2 - b.s,   J = xi (xi^T xi)^-1 xi^T  or  J = xi xi^T / N
 *
 * (Eqs. 1, 3 of the paper.) With xi = q t, q orthonormal, projection has J = q q^T; the Hebbian J
 * is u u^T with u = xi / sqrt(N). The pseudo-inverse of t, here called dual, gives the projections
 * a = (xi^T xi)^-1 xi^T s = dual q^T s, also where patterns are dependent and the inverse is only a
 * pseudo-inverse. A network of any other u has no patterns unless it is given some.
 */
#include "hopfield/hopfield.h"

#include <string.h>

#include "base/memory.h"
#include "base/special.h"
#include "linalg/linalg.h"

/* ---- building ---------------------------------------------------------------------------------- */

isg_hopfield_options isg_hopfield_defaults(void) {
    return (isg_hopfield_options){.rule = ISG_RULE_PROJECTION, .keep_diagonal = true};
}

/* order (p) begins with `rank` patterns that span all of them: those that pivoted QR takes first,
   each adding most to the ones before. These, and then the others, are in ascending order. */
static isg_status choose_independent(size_t *order, isg_matd xi, size_t rank) {
    const size_t n = xi.rows, p = xi.cols, k = p < n ? p : n;
    double *r = NULL;
    bool *is_chosen = NULL;
    size_t found = 0;
    isg_status status = ISG_OK;
    for (size_t mu = 0; mu < p; mu++)
        order[mu] = mu;
    if (rank == p)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_chosen, p));
    ISG_TRY_GOTO(isg_pivoted_qr(isg_matd_of(r, k, p), order, &found, isg_matd_const(xi),
                                isg_rank_tolerance(n, p)));
    for (size_t j = 0; j < rank; j++)
        is_chosen[order[j]] = true;
    for (size_t mu = 0, first = 0, rest = rank; mu < p; mu++)
        order[is_chosen[mu] ? first++ : rest++] = mu;
done:
    isg_release(r);
    isg_release(is_chosen);
    return status;
}

/* xi (n, p) = q r with an orthonormal basis q (n, rank) of the span, by QR of the independent
   patterns in their order: r (rank, p) is a triangle for these, q^T xi for the others. */
static isg_status find_basis(isg_matd q, double *r, isg_matd xi, const size_t *order) {
    const size_t n = xi.rows, p = xi.cols, rank = q.cols;
    double *triangle = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(triangle, rank, rank));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rank; j++)
            q.data[i * rank + j] = xi.data[i * p + order[j]];
    const isg_status status = isg_qr(q, isg_matd_of(triangle, rank, rank), isg_matd_const(q));
    for (size_t j = 0; status == ISG_OK && j < p; j++) {
        double *column = r + order[j];
        for (size_t mu = 0; j < rank && mu <= j; mu++)
            column[mu * p] = triangle[mu * rank + j];
        for (size_t i = 0; j >= rank && i < n; i++)
            for (size_t mu = 0; mu < rank; mu++)
                column[mu * p] += q.data[i * rank + mu] * xi.data[i * p + order[j]];
    }
    isg_release(triangle);
    return status;
}

/* dual (p, rank) = t^+ for t = q^T xi (rank, p) of full rank: with t^T = z r, it is z r^-T. */
static isg_status find_dual(isg_matd dual, isg_matd q, isg_matd xi) {
    const size_t p = dual.rows, rank = dual.cols;
    double *r = NULL, *transposed = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, rank, rank));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(transposed, rank, p));
    ISG_TRY_GOTO(isg_matrix_multiply(dual, isg_matd_const(xi), ISG_TRANSPOSED, isg_matd_const(q),
                                     ISG_AS_IS));
    const isg_matd triangle = isg_matd_of(r, rank, rank);
    ISG_TRY_GOTO(isg_qr(dual, triangle, isg_matd_const(dual)));
    for (size_t mu = 0; mu < p; mu++)
        for (size_t k = 0; k < rank; k++)
            transposed[k * p + mu] = dual.data[mu * rank + k];
    ISG_TRY_GOTO(isg_triangular_solve(isg_matd_of(transposed, rank, p), isg_matd_const(triangle),
                                      ISG_UPPER, ISG_AS_IS));
    for (size_t mu = 0; mu < p; mu++)
        for (size_t k = 0; k < rank; k++)
            dual.data[mu * rank + k] = transposed[k * p + mu];
done:
    isg_release(r);
    isg_release(transposed);
    return status;
}

/* Finds order, r and dual from patterns of known rank. *q (n, rank) becomes the basis of their
   span; the caller releases it. */
static isg_status decompose(isg_hopfield *network, isg_matd xi, bool has_projections, double **q) {
    const size_t n = xi.rows, p = xi.cols, rank = network->info.rank;
    ISG_TRY(ISG_ALLOCATE_MATRIX(*q, n, rank));
    ISG_TRY(ISG_ALLOCATE(network->order, p));
    ISG_TRY(ISG_ALLOCATE_MATRIX(network->r, rank, p));
    const isg_matd basis = isg_matd_of(*q, n, rank);
    ISG_TRY(choose_independent(network->order, xi, rank));
    ISG_TRY(find_basis(basis, network->r, xi, network->order));
    if (!has_projections)
        return ISG_OK;
    ISG_TRY(ISG_ALLOCATE_MATRIX(network->dual, p, rank));
    return find_dual(isg_matd_of(network->dual, p, rank), basis, xi);
}

/* By Cauchy and Schwarz |(J s)_i| <= |u_i| |u^T s| <= |u_i| norm sqrt(N), and sums of N terms round
   to about sqrt(N) units in the last place; 1e-12 is far above that, and far below any true field:
   the Hebbian field is a multiple of 1 / N. */
static isg_status set_sums(isg_hopfield *network, double norm) {
    const size_t n = network->info.n_visible, columns = network->n_columns;
    ISG_TRY(ISG_ALLOCATE(network->total, columns));
    for (size_t mu = 0; mu < columns; mu++) {
        isg_sum sum = {0};
        for (size_t i = 0; i < n; i++)
            isg_sum_add(&sum, network->u[i * columns + mu]);
        network->total[mu] = isg_sum_value(sum);
    }
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t mu = 0; mu < columns; mu++)
            sum += network->u[i * columns + mu] * network->u[i * columns + mu];
        network->diagonal[i] = sum;
        network->info.trace += sum;
        network->negligible[i] = 1e-12 * (norm * sqrt((double)n * sum) + fabs(network->b[i]));
    }
    return ISG_OK;
}

/* A network with a field, but no couplings yet. */
static isg_status prepare(isg_hopfield **out, const isg_hopfield_info *info, const double *field) {
    const size_t n = info->n_visible;
    isg_hopfield *network = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE(network, 1));
    network->info = *info;
    network->words = isg_words(n);
    ISG_TRY_GOTO(ISG_ALLOCATE(network->diagonal, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(network->b, n));
    ISG_TRY_GOTO(ISG_ALLOCATE(network->negligible, n));
    if (field)
        memcpy(network->b, field, n * sizeof *network->b);
    *out = network;
    network = NULL;
done:
    isg_hopfield_free(network);
    return status;
}

/* Sets u and its number of columns by the rule, and all that depends on the patterns. */
static isg_status factor(isg_hopfield *network, const isg_patterns *patterns,
                         bool has_projections) {
    const size_t n = network->info.n_visible, p = network->info.n_patterns;
    const bool is_projection = network->info.rule == ISG_RULE_PROJECTION;
    double *xi = NULL, *q = NULL;
    isg_status status = ISG_OK;
    size_t count = 0;
    if (!isg_multiply(&count, n, p)) /* an upper bound on the sizes below: rank <= n, p */
        return isg_fail(ISG_ERR_MEMORY, "%zu x %zu weights do not fit in memory", n, p);
    ISG_TRY_GOTO(ISG_ALLOCATE(xi, count));
    isg_patterns_fill(patterns, isg_matd_of(xi, n, p));
    if (is_projection || has_projections)
        ISG_TRY_GOTO(decompose(network, isg_matd_of(xi, n, p), has_projections, &q));
    network->n_columns = is_projection ? network->info.rank : p;
    network->u = is_projection ? q : xi;
    if (is_projection) {
        q = NULL;
    } else {
        const double root = sqrt((double)n);
        for (size_t k = 0; k < count; k++)
            xi[k] /= root;
        xi = NULL;
    }
    ISG_TRY_GOTO(set_sums(network, 1));
done:
    isg_release(xi);
    isg_release(q);
    return status;
}

static isg_status check_options(const isg_patterns *patterns, const isg_hopfield_options *options) {
    if (options->rule != ISG_RULE_PROJECTION && options->rule != ISG_RULE_HEBBIAN)
        return isg_fail(ISG_ERR_ARGUMENT, "rule: expected projection or Hebbian, found number %d",
                        (int)options->rule);
    for (size_t i = 0; options->field && i < patterns->info.n_visible; i++)
        if (!isfinite(options->field[i]))
            return isg_fail(ISG_ERR_ARGUMENT, "field of unit %zu: expected a number, found %g", i,
                            options->field[i]);
    return ISG_OK;
}

isg_status isg_hopfield_build(isg_hopfield **out, const isg_patterns *patterns,
                              const isg_hopfield_options *options, bool has_projections) {
    const bool is_hebbian = options->rule == ISG_RULE_HEBBIAN;
    isg_hopfield_info info = {.n_visible = patterns->info.n_visible,
                              .n_patterns = patterns->info.n_patterns,
                              .rule = options->rule,
                              .keeps_diagonal = options->keep_diagonal,
                              .has_field = options->field != NULL};
    isg_hopfield *network = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_options(patterns, options));
    if (!is_hebbian || has_projections)
        ISG_TRY(isg_patterns_find_rank(patterns, options->allow_rank_deficient || is_hebbian,
                                       &info.rank));
    ISG_TRY(prepare(&network, &info, options->field));
    ISG_TRY_GOTO(isg_patterns_copy(&network->patterns, patterns, SIZE_MAX, NULL, NULL));
    ISG_TRY_GOTO(factor(network, patterns, has_projections));
    *out = network;
    network = NULL;
done:
    isg_hopfield_free(network);
    return status;
}

isg_status isg_hopfield_create(isg_hopfield **out, const isg_patterns *patterns,
                               const isg_hopfield_options *options) {
    const isg_hopfield_options defaults = isg_hopfield_defaults();
    return isg_hopfield_build(out, patterns, options ? options : &defaults, true);
}

isg_status isg_hopfield_of_factor(isg_hopfield **out, isg_matd_view u, const double *field,
                                  double norm) {
    const isg_hopfield_info info = {.n_visible = u.rows,
                                    .rule = ISG_RULE_WEIGHTS,
                                    .keeps_diagonal = true,
                                    .has_field = field != NULL};
    isg_hopfield *network = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(prepare(&network, &info, field));
    network->n_columns = u.cols;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(network->u, u.rows, u.cols));
    for (size_t i = 0; i < u.rows; i++)
        memcpy(network->u + i * u.cols, u.data + i * u.stride, u.cols * sizeof *u.data);
    ISG_TRY_GOTO(set_sums(network, norm));
    *out = network;
    network = NULL;
done:
    isg_hopfield_free(network);
    return status;
}

isg_status isg_hopfield_know(isg_hopfield *network, const isg_patterns *patterns) {
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    double *xi = NULL, *q = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_patterns_find_rank(patterns, true, &network->info.rank));
    ISG_TRY_GOTO(isg_patterns_copy(&network->patterns, patterns, SIZE_MAX, NULL, NULL));
    network->info.n_patterns = p;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(xi, n, p));
    isg_patterns_fill(patterns, isg_matd_of(xi, n, p));
    ISG_TRY_GOTO(decompose(network, isg_matd_of(xi, n, p), true, &q));
done:
    isg_release(xi);
    isg_release(q);
    return status;
}

void isg_hopfield_free(isg_hopfield *network) {
    if (!network)
        return;
    isg_patterns_free(network->patterns);
    isg_release(network->u);
    isg_release(network->total);
    isg_release(network->diagonal);
    isg_release(network->b);
    isg_release(network->negligible);
    isg_release(network->order);
    isg_release(network->r);
    isg_release(network->dual);
    isg_release(network);
}

isg_hopfield_info isg_hopfield_describe(const isg_hopfield *network) {
    return network->info;
}

const isg_patterns *isg_hopfield_patterns(const isg_hopfield *network) {
    return network->patterns;
}

/* ---- sums and fields --------------------------------------------------------------------------- */

enum {
    CHUNK = 16,  /* columns at a time */
    STRETCH = 8, /* words summed separately, to limit rounding */
};

/* part (CHUNK) = the sum of the rows of u, from column `first` on, over the units that are up in
   words `begin` to `end`. */
static inline void sum_stretch(const isg_hopfield *network, const uint64_t *spins, size_t begin,
                               size_t end, size_t first, size_t width, double *part) {
    const size_t columns = network->n_columns;
    memset(part, 0, CHUNK * sizeof *part);
    for (size_t w = begin; w < end; w++)
        for (uint64_t up = spins[w]; up != 0; up &= up - 1) {
            const double *row =
                network->u + (64 * w + (size_t)__builtin_ctzll(up)) * columns + first;
            if (width == CHUNK)
                for (size_t q = 0; q < CHUNK; q++)
                    part[q] += row[q];
            else
                for (size_t q = 0; q < width; q++)
                    part[q] += row[q];
        }
}

/* u^T s = 2 (sum over the units that are up) - (sum over all): in images most are down. */
void isg_hopfield_sums(const isg_hopfield *network, const uint64_t *spins, double *h) {
    const size_t columns = network->n_columns, words = network->words;
    for (size_t first = 0; first < columns; first += CHUNK) {
        const size_t width = columns - first < CHUNK ? columns - first : CHUNK;
        double sums[CHUNK] = {0}, part[CHUNK];
        for (size_t w = 0; w < words; w += STRETCH) {
            sum_stretch(network, spins, w, words - w < STRETCH ? words : w + STRETCH, first, width,
                        part);
            for (size_t q = 0; q < CHUNK; q++)
                sums[q] += part[q];
        }
        for (size_t q = 0; q < width; q++)
            h[first + q] = 2 * sums[q] - network->total[first + q];
    }
}

void isg_hopfield_flip(const isg_hopfield *network, uint64_t *spins, double *h, size_t i) {
    const size_t columns = network->n_columns;
    const double *row = network->u + i * columns, change = -2 * isg_spin(spins, i);
    for (size_t mu = 0; mu < columns; mu++)
        h[mu] += change * row[mu];
    isg_bit_assign(spins, i, !isg_bit(spins, i));
}

/* ---- what a state is like ---------------------------------------------------------------------- */

void isg_hopfield_overlaps(const isg_hopfield *network, const uint64_t *spins, double *m) {
    const double n = (double)network->info.n_visible;
    for (size_t mu = 0; mu < network->info.n_patterns; mu++) {
        const uint64_t *pattern = isg_patterns_spins(network->patterns, mu);
        m[mu] = (n - 2 * (double)isg_hamming(pattern, spins, network->words)) / n;
    }
}

size_t isg_hopfield_nearest(const isg_hopfield *network, const uint64_t *spins, double *overlap) {
    const double n = (double)network->info.n_visible;
    size_t nearest = 0, least = SIZE_MAX;
    for (size_t mu = 0; mu < network->info.n_patterns; mu++) {
        const size_t distance =
            isg_hamming(isg_patterns_spins(network->patterns, mu), spins, network->words);
        if (distance < least) {
            least = distance;
            nearest = mu;
        }
    }
    *overlap = (n - 2 * (double)least) / n;
    return nearest;
}

isg_status isg_hopfield_need_patterns(const isg_hopfield *network) {
    return network->patterns
               ? ISG_OK
               : isg_fail(ISG_ERR_ARGUMENT,
                          "network: expected one with patterns, found one made from an RBM "
                          "without patterns");
}

isg_status isg_hopfield_projections(const isg_hopfield *network, const uint64_t *spins, double *a) {
    const size_t p = network->info.n_patterns, rank = network->info.rank;
    double *h = NULL;
    ISG_TRY(isg_hopfield_need_patterns(network));
    ISG_TRY(ISG_ALLOCATE(h, rank));
    if (network->info.rule == ISG_RULE_PROJECTION) {
        isg_hopfield_sums(network, spins, h);
    } else { /* q^T s = dual^T xi^T s */
        isg_hopfield_overlaps(network, spins, a);
        for (size_t mu = 0; mu < p; mu++)
            for (size_t k = 0; k < rank; k++)
                h[k] += network->dual[mu * rank + k] * ((double)network->info.n_visible * a[mu]);
    }
    for (size_t mu = 0; mu < p; mu++) {
        a[mu] = 0;
        for (size_t k = 0; k < rank; k++)
            a[mu] += network->dual[mu * rank + k] * h[k];
    }
    isg_release(h);
    return ISG_OK;
}

isg_status isg_hopfield_local_field(const isg_hopfield *network, const uint64_t *spins, double *x) {
    double *h = NULL;
    ISG_TRY(ISG_ALLOCATE(h, network->n_columns));
    isg_hopfield_sums(network, spins, h);
    for (size_t i = 0; i < network->info.n_visible; i++)
        x[i] = network->info.keeps_diagonal ? isg_hopfield_full_field(network, h, i)
                                            : isg_hopfield_flip_field(network, h, spins, i);
    isg_release(h);
    return ISG_OK;
}

static double energy_of(const isg_hopfield *network, const uint64_t *spins, const double *h) {
    double energy = network->info.keeps_diagonal ? 0 : network->info.trace / 2;
    for (size_t mu = 0; mu < network->n_columns; mu++)
        energy -= h[mu] * h[mu] / 2;
    for (size_t i = 0; network->info.has_field && i < network->info.n_visible; i++)
        energy -= network->b[i] * isg_spin(spins, i);
    return energy;
}

isg_status isg_hopfield_energy(const isg_hopfield *network, const uint64_t *spins, double *energy) {
    double *h = NULL;
    ISG_TRY(ISG_ALLOCATE(h, network->n_columns));
    isg_hopfield_sums(network, spins, h);
    *energy = energy_of(network, spins, h);
    isg_release(h);
    return ISG_OK;
}

isg_hopfield_state isg_hopfield_look(const isg_hopfield *network, const uint64_t *spins,
                                     const double *h) {
    isg_hopfield_state out = {
        .energy = energy_of(network, spins, h), .least_rise = HUGE_VAL, .is_fixed_point = true};
    for (size_t i = 0; i < network->info.n_visible; i++) {
        const int spin = isg_spin(spins, i);
        double field = isg_hopfield_flip_field(network, h, spins, i);
        field = fabs(field) <= network->negligible[i] ? 0 : field;
        const double rise = field == 0 ? 0 : 2 * spin * field; /* never -0 */
        out.least_rise = rise < out.least_rise ? rise : out.least_rise;
        out.n_unstable += !(spin * field > 0);
        if (spin * isg_hopfield_field(network, h, spins, i) < 0)
            out.is_fixed_point = false;
    }
    out.is_stable = out.n_unstable == 0;
    return out;
}

isg_status isg_hopfield_examine(const isg_hopfield *network, const uint64_t *spins,
                                isg_hopfield_state *out) {
    double *h = NULL;
    ISG_TRY(ISG_ALLOCATE(h, network->n_columns));
    isg_hopfield_sums(network, spins, h);
    *out = isg_hopfield_look(network, spins, h);
    isg_release(h);
    return ISG_OK;
}
