/* dependence.c - which patterns are linear combinations of others
 *
 * SPDX-License-Identifier: MIT
 *
 * Pivoted QR gives the rank. To name a dependent pattern, plain QR takes the patterns in their
 * order: the first whose diagonal of R vanishes lies in the span of those before it, and solving
 * the triangle above gives the combination.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "linalg/linalg.h"
#include "patterns/patterns.h"

/* A generous bound on what rounding makes of a zero coefficient. */
static const double negligible = 1e-6;

/* Longer combinations are cut off: nobody reads them. */
enum { MAX_TERMS = 8 };

/* Appends one term, " - pattern 3" or " + 0.5 pattern 3", to the sentence. */
static void append_term(char *sentence, size_t room, size_t *used, bool is_first, double factor,
                        size_t pattern) {
    const char *sign = factor < 0 ? (is_first ? "-" : " - ") : (is_first ? "" : " + ");
    char size[32] = "";
    if (fabs(fabs(factor) - 1) > negligible)
        snprintf(size, sizeof size, "%.4g ", fabs(factor));
    const int length =
        snprintf(sentence + *used, room - *used, "%s%spattern %zu", sign, size, pattern);
    *used = length > 0 && (size_t)length < room - *used ? *used + (size_t)length : room - 1;
}

/* The first dependent pattern and its combination, into the sentence. */
static isg_status name_culprit(isg_matd xi, char *sentence, size_t room) {
    const size_t n = xi.rows, p = xi.cols, k = p < n ? p : n;
    isg_status status = ISG_OK;
    double *q = NULL, *r = NULL, *solution = NULL;
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(q, n, k));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, k));
    ISG_TRY_GOTO(ISG_ALLOCATE(solution, p));
    /* With more patterns than units, the first n + 1 are already dependent. */
    const isg_matd_view leading = {xi.data, n, k, xi.stride};
    const isg_matd factor_r = isg_matd_of(r, k, k);
    ISG_TRY_GOTO(isg_qr(isg_matd_of(q, n, k), factor_r, leading));
    size_t culprit = 0;
    while (culprit < k && r[culprit * k + culprit] > 1e-8 * sqrt((double)n))
        culprit++;
    if (culprit == p) { /* by rounding, the two decompositions disagree on the rank */
        snprintf(sentence, room, "too close to dependent to name the combination");
        goto done;
    }
    for (size_t mu = 0; mu < culprit; mu++) {
        if (culprit < k) {
            solution[mu] = r[mu * k + culprit];
            continue;
        }
        for (size_t i = 0; i < n; i++)
            solution[mu] += q[i * k + mu] * xi.data[i * xi.stride + culprit];
    }
    const isg_matd_view triangle = {r, culprit, culprit, k};
    if (culprit > 0)
        ISG_TRY_GOTO(isg_triangular_solve(isg_matd_of(solution, culprit, 1), triangle, ISG_UPPER,
                                          ISG_AS_IS));
    size_t used = 0;
    const int length = snprintf(sentence, room, "pattern %zu = ", culprit);
    used = length > 0 && (size_t)length < room ? (size_t)length : room - 1;
    size_t n_terms = 0, n_written = 0;
    for (size_t mu = 0; mu < culprit; mu++)
        n_terms += fabs(solution[mu]) > negligible;
    for (size_t mu = 0; mu < culprit && n_written < MAX_TERMS; mu++)
        if (fabs(solution[mu]) > negligible)
            append_term(sentence, room, &used, n_written++ == 0, solution[mu], mu);
    if (n_terms > n_written)
        snprintf(sentence + used, room - used, " and %zu more terms", n_terms - n_written);
done:
    isg_release(q);
    isg_release(r);
    isg_release(solution);
    return status;
}

isg_status isg_patterns_rank(const isg_patterns *patterns, size_t *rank, char *sentence,
                             size_t room) {
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    const size_t k = p < n ? p : n;
    isg_status status = ISG_OK;
    double *xi = NULL, *r = NULL;
    size_t *order = NULL, found = 0;
    if (room > 0)
        sentence[0] = '\0';
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(xi, n, p));
    ISG_TRY_GOTO(ISG_ALLOCATE_MATRIX(r, k, p));
    ISG_TRY_GOTO(ISG_ALLOCATE(order, p));
    const isg_matd matrix = isg_matd_of(xi, n, p);
    isg_patterns_fill(patterns, matrix);
    ISG_TRY_GOTO(isg_pivoted_qr(isg_matd_of(r, k, p), order, &found, isg_matd_const(matrix),
                                isg_rank_tolerance(n, p)));
    if (found < p && room > 1)
        ISG_TRY_GOTO(name_culprit(matrix, sentence, room));
    *rank = found;
done:
    isg_release(xi);
    isg_release(r);
    isg_release(order);
    return status;
}

isg_status isg_patterns_find_rank(const isg_patterns *patterns, bool may_depend, size_t *rank) {
    char sentence[512];
    size_t found = 0;
    ISG_TRY(isg_patterns_rank(patterns, &found, sentence, sizeof sentence));
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    if (found < p && !may_depend && p > n)
        return isg_fail(
            ISG_ERR_DEPENDENT,
            "the %zu patterns are linearly dependent, of rank %zu: %s (counted from 0); "
            "xi is %zu x %zu, units x patterns: if it is transposed, save xi.T",
            p, found, sentence, n, p);
    if (found < p && !may_depend)
        return isg_fail(ISG_ERR_DEPENDENT,
                        "the %zu patterns are linearly dependent, of rank %zu: %s (counted from 0)",
                        p, found, sentence);
    *rank = found;
    return ISG_OK;
}
