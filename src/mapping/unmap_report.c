/* unmap_report.c - what the patterns found are worth
 *
 * SPDX-License-Identifier: MIT
 *
 * Of every pattern: the residual, what changed from the known one, whether it is a fixed point and a
 * minimum in the projection network of W's span and in the network that the RBM itself is, and the
 * two conditions of appendix D, each enough for (J B)_i to have the sign of (W X)_i, J = U U^T.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mapping/rbm_to_hopfield.h"
#include "mapping/unmap.h"

/* A network, as far as a state's neighbors see it, and the fields in that state. */
typedef struct surroundings {
    size_t n;
    double *field, *diagonal, *negligible; /* (n) J s + field, J_ii, what rounding leaves of zero */
} surroundings;

static isg_status surroundings_create(surroundings *out, size_t n) {
    out->n = n;
    ISG_TRY(ISG_ALLOCATE(out->field, n));
    ISG_TRY(ISG_ALLOCATE(out->diagonal, n));
    return ISG_ALLOCATE(out->negligible, n);
}

static void surroundings_free(surroundings *all) {
    isg_release(all->field);
    isg_release(all->diagonal);
    isg_release(all->negligible);
}

static isg_unmapped_state look(const surroundings *in, const uint64_t *spins) {
    isg_unmapped_state out = {true, true, true};
    for (size_t i = 0; i < in->n; i++) {
        const double spin = isg_spin(spins, i), pull = spin * in->field[i];
        const double rest = pull - in->diagonal[i]; /* half the rise of H by a flip */
        out.is_fixed_point = out.is_fixed_point && pull >= -in->negligible[i];
        out.is_fixed_point_without_diagonal =
            out.is_fixed_point_without_diagonal && rest >= -in->negligible[i];
        out.is_stable = out.is_stable && rest > in->negligible[i];
    }
    return out;
}

/* What one pattern is examined with. */
typedef struct examination {
    isg_unmapping *unmapping;
    const isg_rbm *rbm;
    const isg_span *span;
    surroundings projector, model;
    double *h, *error_sums; /* (n_hidden) */
} examination;

/* |w_i|^2, and with |W^T s| <= sigma_1 sqrt(N) a bound on what a field is made of. */
static void prepare_networks(examination *my) {
    const size_t n = my->span->n, p = my->span->p;
    double length = 0;
    for (size_t mu = 0; mu < p; mu++)
        length += my->rbm->c[mu] * my->rbm->c[mu];
    length = my->span->sigma[0] * sqrt((double)n) + sqrt(length);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t mu = 0; mu < p; mu++)
            square += my->rbm->weights[i * p + mu] * my->rbm->weights[i * p + mu];
        my->model.diagonal[i] = square;
        my->model.negligible[i] = 1e-12 * (sqrt(square) * length + fabs(my->rbm->b[i]));
        my->projector.diagonal[i] = my->span->diagonal[i];
        my->projector.negligible[i] = my->span->negligible[i];
    }
}

/* Conditions (a) and (b), unit by unit, for column mu of W X. */
static void count_conditions(examination *my, size_t mu, const uint64_t *spins,
                             isg_unmapped_pattern *out) {
    const isg_span *span = my->span;
    const size_t n = span->n, p = span->p, m = my->unmapping->report.n_patterns;
    const double *image = my->unmapping->image + mu;
    memset(my->error_sums, 0, p * sizeof *my->error_sums);
    for (size_t i = 0; i < n; i++) {
        const double e = image[i * m] - isg_spin(spins, i);
        out->error += e * e;
        for (size_t k = 0; k < p; k++)
            my->error_sums[k] += e * span->u[i * p + k];
    }
    for (size_t i = 0; i < n; i++) {
        const double y = image[i * m], je = isg_span_field(span, my->error_sums, i);
        const bool is_small = fabs(je) < fabs(y);
        const bool is_compatible = je * y < 0 && fabs(je) > span->negligible[i];
        out->n_small += is_small;
        out->n_compatible += is_compatible;
        out->n_left_over += !is_small && !is_compatible;
    }
}

static void examine_pattern(examination *my, size_t mu) {
    isg_unmapping *unmapping = my->unmapping;
    isg_unmapped_pattern *out = &unmapping->each[mu];
    const isg_span *span = my->span;
    const uint64_t *spins = isg_patterns_spins(unmapping->patterns, mu);
    out->residual = isg_span_residual(span, spins, my->h);
    for (size_t i = 0; i < span->n; i++)
        my->projector.field[i] = isg_span_field(span, my->h, i);
    out->projector = look(&my->projector, spins);
    isg_rbm_hidden_input(my->rbm, spins, my->h);
    isg_rbm_visible_input(my->rbm, my->h, my->model.field);
    out->model = look(&my->model, spins);
    count_conditions(my, mu, spins, out);
    out->bits_changed = SIZE_MAX;
    if (out->known != SIZE_MAX)
        out->bits_changed =
            isg_hamming(spins, isg_patterns_spins(unmapping->known, out->known), span->words);
    for (out->same_as = 0; out->same_as < mu; out->same_as++) {
        const size_t different =
            isg_hamming(spins, isg_patterns_spins(unmapping->patterns, out->same_as), span->words);
        if (different == 0 || different == span->n)
            break;
    }
}

static void sum_up(isg_unmapping *unmapping) {
    isg_unmap_report *report = &unmapping->report;
    double square = 0;
    for (size_t mu = 0; mu < report->n_patterns; mu++) {
        report->residual += unmapping->each[mu].residual;
        square += unmapping->each[mu].error;
        report->n_distinct += unmapping->each[mu].same_as == mu;
    }
    report->error = sqrt(square);
    report->sign_baseline =
        (double)report->n_patterns * (double)(report->n_visible - report->n_hidden);
}

isg_status isg_unmapping_examine(isg_unmapping *unmapping, const isg_rbm *rbm,
                                 const isg_span *span) {
    const size_t p = span->p;
    examination my = {.unmapping = unmapping, .rbm = rbm, .span = span};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(surroundings_create(&my.projector, span->n));
    ISG_TRY_GOTO(surroundings_create(&my.model, span->n));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.h, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.error_sums, p));
    prepare_networks(&my);
    for (size_t mu = 0; mu < unmapping->report.n_patterns; mu++)
        examine_pattern(&my, mu);
    sum_up(unmapping);
    ISG_TRY_GOTO(isg_patterns_find_rank(unmapping->patterns, true, &unmapping->report.rank));
done:
    surroundings_free(&my.projector);
    surroundings_free(&my.model);
    isg_release(my.h);
    isg_release(my.error_sums);
    return status;
}
