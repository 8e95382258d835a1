/* unmap_report.c - how good the patterns found are
 *
 * SPDX-License-Identifier: MIT
 *
 * For every pattern: the residual, the difference from the known one, whether it is a fixed point
 * and a minimum in the projection network of W's span and in the RBM's own network, and the two
 * conditions of appendix D, each sufficient for (J B)_i to have the sign of (W X)_i, J = U U^T.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mapping/rbm_to_hopfield.h"
#include "mapping/unmap.h"

/* Even with the diagonal kept, a flip raises H by 2 s_i times the field without it: if no flip
   lowers H, s is a fixed point without the diagonal too. */
static isg_unmapped_state look(const isg_hopfield *network, const uint64_t *spins,
                               const double *h) {
    const isg_hopfield_state state = isg_hopfield_look(network, spins, h);
    return (isg_unmapped_state){state.is_fixed_point, state.least_rise >= 0, state.is_stable};
}

/* Working space to examine one pattern. */
typedef struct examination {
    isg_unmapping *unmapping;
    const isg_span *span;
    isg_hopfield *model;    /* the RBM's own network */
    double *h, *error_sums; /* (n_hidden) */
} examination;

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
            my->error_sums[k] += e * span->network->u[i * p + k];
    }
    for (size_t i = 0; i < n; i++) {
        const double y = image[i * m],
                     je = isg_hopfield_full_field(span->network, my->error_sums, i);
        const bool is_small = fabs(je) < fabs(y);
        const bool is_compatible = je * y < 0 && fabs(je) > span->network->negligible[i];
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
    out->projector = look(span->network, spins, my->h);
    isg_hopfield_sums(my->model, spins, my->h);
    out->model = look(my->model, spins, my->h);
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
    examination my = {.unmapping = unmapping, .span = span};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_rbm_network(&my.model, rbm));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.h, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(my.error_sums, p));
    for (size_t mu = 0; mu < unmapping->report.n_patterns; mu++)
        examine_pattern(&my, mu);
    sum_up(unmapping);
    ISG_TRY_GOTO(isg_patterns_find_rank(unmapping->patterns, true, &unmapping->report.rank));
done:
    isg_hopfield_free(my.model);
    isg_release(my.h);
    isg_release(my.error_sums);
    return status;
}
