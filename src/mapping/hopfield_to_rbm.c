/* hopfield_to_rbm.c - the RBM that is a given Hopfield network, exactly
 *
 * SPDX-License-Identifier: MIT
 *
 * The projection rule J = xi (xi^T xi)^-1 xi^T is Q Q^T with xi = QR (Eqs. 2 and 3 of the paper),
 * and a Gaussian integral turns exp(beta s^T Q Q^T s / 2) into a layer of hidden units with weights
 * Q (Eqs. 5 and 6). Any W = Q O with an orthogonal O does as well (appendix B). So everything
 * here is one QR of the patterns, then a p x p problem for O:
 *
 *     qr: O = 1      svd: O = U      sqrt: O = U V^T      where R = U S V^T
 *
 * and O^T R becomes the new R, since W O^T R = Q R = xi.
 */
#include "mapping/hopfield_to_rbm.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/linalg.h"

isg_mapping_options isg_mapping_defaults(void) {
    return (isg_mapping_options){.via = ISG_VIA_QR, .beta = 2};
}

isg_status isg_patterns_copy(isg_patterns **out, const isg_patterns *from, size_t skip,
                             const uint64_t *extra, const char *label) {
    const size_t p = from->info.n_patterns, kept = p - (skip < p);
    isg_patterns *copy = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_patterns_allocate(&copy, from->info.n_visible, kept + (extra != NULL)));
    const size_t n_patterns = copy->info.n_patterns, row = copy->words * sizeof *copy->spins;
    copy->info = from->info;
    copy->info.n_patterns = n_patterns;
    if (kept < p)
        copy->info.n_ties = 0; /* which of them the pattern had is not known */
    for (size_t mu = 0, nu = 0; mu < p; mu++) {
        if (mu == skip)
            continue;
        memcpy(isg_patterns_spins(copy, nu), isg_patterns_spins(from, mu), row);
        copy->members[nu++] = from->members[mu];
        if (from->labels.count)
            ISG_TRY_GOTO(
                isg_labels_add_text(&copy->labels, isg_patterns_label(from, mu), "labels"));
    }
    if (extra) {
        uint64_t *last = isg_patterns_spins(copy, kept);
        memcpy(last, extra, row);
        isg_clear_tail(last, from->info.n_visible);
    }
    if (extra && label)
        ISG_TRY_GOTO(isg_labels_add_text(&copy->labels, label, "label"));
    ISG_TRY_GOTO(isg_labels_finish(&copy->labels));
    *out = copy;
    copy = NULL;
done:
    isg_patterns_free(copy);
    return status;
}

/* Moves the first `rank` numbers of `order` (p) to the front in rising order, the others behind. */
static void sort_chosen(size_t *order, size_t rank, size_t p, bool *is_chosen) {
    for (size_t j = 0; j < rank; j++)
        is_chosen[order[j]] = true;
    size_t first = 0, rest = rank;
    for (size_t mu = 0; mu < p; mu++)
        order[is_chosen[mu] ? first++ : rest++] = mu;
}

/* `order` (p) begins with `rank` patterns that span all of them: those that pivoted QR takes first,
   each adding most to the ones before. */
static isg_status choose_independent(size_t *order, const isg_patterns *patterns, size_t rank) {
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    const size_t least = n < p ? n : p;
    isg_status status = ISG_OK;
    double *xi = NULL, *r = NULL;
    bool *is_chosen = NULL;
    size_t found = 0;
    for (size_t mu = 0; mu < p; mu++)
        order[mu] = mu;
    if (rank == p)
        return ISG_OK;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(xi, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, least, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(is_chosen, p));
    isg_patterns_fill(patterns, isg_matd_of(xi, n, p));
    ISG_TRY_GOTO(isg_pivoted_qr(isg_matd_of(r, least, p), order, &found,
                                isg_matd_const(isg_matd_of(xi, n, p)), isg_rank_tolerance(n, p)));
    sort_chosen(order, rank, p, is_chosen);
done:
    isg_release(xi);
    isg_release(r);
    isg_release(is_chosen);
    return status;
}

/* W = Q and the R of the chosen patterns, then R = Q^T xi for those that depend on them. */
static isg_status set_qr(isg_rbm *rbm, const size_t *order) {
    const size_t n = rbm->info.n_visible, k = rbm->info.n_hidden, p = rbm->r_cols;
    const isg_matd q = isg_rbm_weights(rbm);
    double *triangle = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(triangle, k, k));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            q.data[i * k + j] = isg_spin(isg_patterns_spins(rbm->patterns, order[j]), i);
    const isg_status status = isg_qr(q, isg_matd_of(triangle, k, k), isg_matd_const(q));
    for (size_t j = 0; status == ISG_OK && j < p; j++) {
        const uint64_t *spins = isg_patterns_spins(rbm->patterns, order[j]);
        double *column = rbm->r + order[j];
        for (size_t mu = 0; j < k && mu <= j; mu++)
            column[mu * p] = triangle[mu * k + j];
        for (size_t i = 0; j >= k && i < n; i++)
            for (size_t mu = 0; mu < k; mu++)
                column[mu * p] += q.data[i * k + mu] * isg_spin(spins, i);
    }
    isg_release(triangle);
    return status;
}

/* O from the singular vectors of R: U of all its columns, or U V^T of the chosen ones, which for
   independent patterns are all. */
static isg_status find_rotation(isg_matd rotation, const isg_rbm *rbm, const size_t *order,
                                isg_decomposition via) {
    const size_t k = rbm->info.n_hidden, p = rbm->r_cols, cols = via == ISG_VIA_SVD ? p : k;
    isg_status status = ISG_OK;
    double *r = NULL, *u = NULL, *sigma = NULL, *vt = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, cols));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(u, k, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(sigma, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(vt, k, cols));
    for (size_t mu = 0; mu < k; mu++)
        for (size_t j = 0; j < cols; j++)
            r[mu * cols + j] = rbm->r[mu * p + order[j]];
    const isg_matd left = isg_matd_of(u, k, k), right = isg_matd_of(vt, k, cols);
    ISG_TRY_GOTO(isg_svd(left, sigma, right, isg_matd_const(isg_matd_of(r, k, cols))));
    if (via == ISG_VIA_SVD)
        memcpy(rotation.data, u, k * k * sizeof *u);
    else
        ISG_TRY_GOTO(isg_matrix_multiply(rotation, isg_matd_const(left), ISG_AS_IS,
                                         isg_matd_const(right), ISG_AS_IS));
done:
    isg_release(r);
    isg_release(u);
    isg_release(sigma);
    isg_release(vt);
    return status;
}

/* W becomes W O, R becomes O^T R. */
static isg_status rotate(isg_rbm *rbm, isg_matd_view rotation) {
    const size_t n = rbm->info.n_visible, k = rbm->info.n_hidden, p = rbm->r_cols;
    isg_status status = ISG_OK;
    double *weights = NULL, *r = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(weights, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, p));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(weights, n, k), isg_rbm_view(rbm), ISG_AS_IS,
                                     rotation, ISG_AS_IS));
    ISG_TRY_GOTO(isg_matrix_multiply(isg_matd_of(r, k, p), rotation, ISG_TRANSPOSED,
                                     isg_rbm_coefficients(rbm), ISG_AS_IS));
    isg_release(rbm->weights);
    isg_release(rbm->r);
    rbm->weights = weights;
    rbm->r = r;
    return ISG_OK;
done:
    isg_release(weights);
    isg_release(r);
    return status;
}

static isg_status set_projection(isg_rbm *rbm, isg_decomposition via) {
    const size_t k = rbm->info.n_hidden;
    isg_status status = ISG_OK;
    size_t *order = NULL;
    double *rotation = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE(order, rbm->r_cols));
    ISG_TRY_GOTO(choose_independent(order, rbm->patterns, k));
    ISG_TRY_GOTO(set_qr(rbm, order));
    if (via != ISG_VIA_QR) {
        ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(rotation, k, k));
        ISG_TRY_GOTO(find_rotation(isg_matd_of(rotation, k, k), rbm, order, via));
        ISG_TRY_GOTO(rotate(rbm, isg_matd_const(isg_matd_of(rotation, k, k))));
    }
done:
    isg_release(order);
    isg_release(rotation);
    return status;
}

static void set_hebbian(isg_rbm *rbm) {
    const size_t n = rbm->info.n_visible, p = rbm->r_cols;
    const double root = sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            rbm->weights[i * p + mu] = isg_spin(isg_patterns_spins(rbm->patterns, mu), i) / root;
    for (size_t mu = 0; mu < p; mu++)
        rbm->r[mu * p + mu] = root;
}

static isg_status check_options(const isg_mapping_options *options, size_t n_visible) {
    if ((unsigned)options->via > ISG_VIA_HEBBIAN)
        return isg_fail(ISG_ERR_ARGUMENT, "via: expected qr, svd, sqrt or hebbian, found %d",
                        (int)options->via);
    for (size_t i = 0; options->field && i < n_visible; i++)
        if (!isfinite(options->field[i]))
            return isg_fail(ISG_ERR_ARGUMENT,
                            "field: expected finite numbers, found %g at unit %zu",
                            options->field[i], i);
    return ISG_OK;
}

/* An RBM with patterns, field and room for R, but no weights yet. */
static isg_status prepare(isg_rbm **out, const isg_patterns *patterns, size_t n_hidden,
                          const isg_mapping_options *options) {
    const isg_patterns_info *info = &patterns->info;
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_rbm_create(&rbm, info->n_visible, n_hidden, options->beta));
    rbm->info.image_height = info->image_height;
    rbm->info.image_width = info->image_width;
    rbm->r_cols = info->n_patterns;
    if (options->field)
        memcpy(rbm->b, options->field, info->n_visible * sizeof *rbm->b);
    ISG_TRY_GOTO(isg_patterns_copy(&rbm->patterns, patterns, SIZE_MAX, NULL, NULL));
    rbm->r = isg_allocate(n_hidden, info->n_patterns * sizeof *rbm->r);
    if (!rbm->r)
        ISG_TRY_GOTO(ISG_ERR_MEMORY);
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    return status;
}

isg_status isg_rbm_from_patterns(isg_rbm **out, const isg_patterns *patterns,
                                 const isg_mapping_options *options, isg_mapping_report *report) {
    const isg_mapping_options chosen = options ? *options : isg_mapping_defaults();
    const bool is_hebbian = chosen.via == ISG_VIA_HEBBIAN;
    isg_mapping_report found = {.via = chosen.via, .rank = patterns->info.n_patterns};
    isg_rbm *rbm = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(check_options(&chosen, patterns->info.n_visible));
    if (!is_hebbian || report)
        ISG_TRY(isg_patterns_find_rank(patterns, chosen.allow_rank_deficient || is_hebbian,
                                       &found.rank));
    ISG_TRY(prepare(&rbm, patterns, is_hebbian ? patterns->info.n_patterns : found.rank, &chosen));
    if (is_hebbian)
        set_hebbian(rbm);
    else
        ISG_TRY_GOTO(set_projection(rbm, chosen.via));
    if (report) {
        ISG_TRY_GOTO(isg_mapping_check(rbm, &found));
        *report = found;
    }
    *out = rbm;
    rbm = NULL;
done:
    isg_rbm_free(rbm);
    return status;
}

isg_matd_view isg_rbm_coefficients(const isg_rbm *rbm) {
    return (isg_matd_view){rbm->r, rbm->info.n_hidden, rbm->r_cols, rbm->r_cols};
}
