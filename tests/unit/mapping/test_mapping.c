/* test_mapping.c - from Hopfield networks to RBMs: every decomposition, dependent patterns, updates
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "base/rng.h"
#include "linalg/linalg.h"
#include "mapping/hopfield_to_rbm.h"
#include "numpy_helper.h"

enum { FIRST = ISG_VIA_QR, LAST = ISG_VIA_HEBBIAN };

static const double exactly = 1e-12;

static isg_cursor inputs(uint64_t step) {
    return isg_cursor_at(isg_stream_at(19820415, ISG_PURPOSE_TEST, step, 0));
}

static int8_t draw_spin(isg_cursor *random) {
    return isg_next_word(random) & 1 ? 1 : -1;
}

static isg_patterns *patterns_of(const int8_t *xi, size_t n, size_t p) {
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, n, p, xi, NULL));
    return patterns;
}

/* Random patterns; with `similarity` > 0 each repeats the first one except for some of the
   units. */
static isg_patterns *random_patterns(size_t n, size_t p, double similarity) {
    isg_cursor random = inputs(n * 1000 + p);
    int8_t *xi = malloc(n * p);
    assert_non_null(xi);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++) {
            const int8_t spin = draw_spin(&random);
            const bool is_same = mu > 0 && isg_next_uniform(&random) < similarity;
            xi[i * p + mu] = is_same ? xi[i * p] : spin;
        }
    isg_patterns *patterns = patterns_of(xi, n, p);
    free(xi);
    return patterns;
}

static isg_rbm *mapped(const isg_patterns *patterns, isg_decomposition via) {
    isg_mapping_options options = isg_mapping_defaults();
    options.via = via;
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
    return rbm;
}

/* J (n, n) of the rule itself, which the library never forms: xi A^-1 xi^T or xi xi^T / N. */
static double *couplings(const isg_patterns *patterns, isg_decomposition via) {
    const size_t n = patterns->info.n_visible, p = patterns->info.n_patterns;
    double *xi = calloc(n * p, sizeof *xi), *right = calloc(n * p, sizeof *right);
    double *gram = calloc(p * p, sizeof *gram), *j = calloc(n * n, sizeof *j);
    assert_true(xi && right && gram && j);
    isg_patterns_fill(patterns, isg_matd_of(xi, n, p));
    isg_patterns_gram(patterns, isg_matd_of(gram, p, p));
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            right[mu * n + i] = xi[i * p + mu] / (via == ISG_VIA_HEBBIAN ? (double)n : 1);
    if (via != ISG_VIA_HEBBIAN) {
        const isg_matd l = isg_matd_of(gram, p, p);
        assert_ok(isg_cholesky(l, isg_matd_const(l)));
        assert_ok(isg_cholesky_solve(isg_matd_of(right, p, n), isg_matd_const(l)));
    }
    assert_ok(isg_matrix_multiply(isg_matd_of(j, n, n), isg_matd_const(isg_matd_of(xi, n, p)),
                                  ISG_AS_IS, isg_matd_const(isg_matd_of(right, p, n)), ISG_AS_IS));
    free(xi);
    free(right);
    free(gram);
    return j;
}

static double *own_couplings(isg_rbm *rbm) {
    const isg_matd_view w = isg_matd_const(isg_rbm_weights(rbm));
    double *j = calloc(w.rows * w.rows, sizeof *j);
    assert_non_null(j);
    assert_ok(isg_matrix_multiply(isg_matd_of(j, w.rows, w.rows), w, ISG_AS_IS, w, ISG_TRANSPOSED));
    return j;
}

static double largest_difference(const double *a, const double *b, size_t count) {
    double largest = 0;
    for (size_t k = 0; k < count; k++) {
        assert_true(isfinite(a[k]) && isfinite(b[k]));
        largest = fmax(largest, fabs(a[k] - b[k]));
    }
    return largest;
}

/* ---- every decomposition ------------------------------------------------------------------------ */

static void test_couplings_are_those_of_the_network(void **state) {
    (void)state;
    const size_t shapes[][2] = {{1, 1}, {12, 3}, {64, 7}, {65, 30}, {200, 150}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        for (int via = FIRST; via <= LAST; via++) {
            const size_t n = shapes[k][0], p = shapes[k][1];
            isg_patterns *patterns = random_patterns(n, p, 0.5);
            isg_rbm *rbm = mapped(patterns, (isg_decomposition)via);
            double *wanted = couplings(patterns, (isg_decomposition)via),
                   *found = own_couplings(rbm);
            assert_int_equal(isg_rbm_describe(rbm).n_hidden, p);
            assert_true(largest_difference(wanted, found, n * n) < exactly);
            free(wanted);
            free(found);
            isg_rbm_free(rbm);
            isg_patterns_free(patterns);
        }
}

/* What W and R are: each decomposition by what defines it. */
static void test_factors_are_what_they_are_called(void **state) {
    (void)state;
    enum { N = 100, P = 12 };
    isg_patterns *patterns = random_patterns(N, P, 0.6);
    double gram[P * P], product[P * P];
    isg_patterns_gram(patterns, isg_matd_of(gram, P, P));
    for (int via = FIRST; via <= LAST; via++) {
        isg_rbm *rbm = mapped(patterns, (isg_decomposition)via);
        const isg_matd_view r = isg_rbm_coefficients(rbm);
        assert_true(r.rows == P && r.cols == P);
        assert_ok(isg_matrix_multiply(isg_matd_of(product, P, P), r, ISG_AS_IS, r, ISG_TRANSPOSED));
        for (size_t mu = 0; mu < P; mu++)
            for (size_t nu = 0; nu < P; nu++) {
                const double entry = r.data[mu * P + nu];
                if (via == ISG_VIA_QR)
                    assert_true(nu < mu ? entry == 0 : nu > mu || entry > 0);
                if (via == ISG_VIA_SVD) /* R R^T = S^2, falling */
                    assert_true(nu == mu
                                    ? mu == 0 || product[mu * (P + 1)] < product[(mu - 1) * (P + 1)]
                                    : fabs(product[mu * P + nu]) < 1e-10);
                if (via == ISG_VIA_SQRT) { /* symmetric, R^2 = A; positive by the test below */
                    assert_true(fabs(entry - r.data[nu * P + mu]) < exactly);
                    assert_true(fabs(product[mu * P + nu] - gram[mu * P + nu]) < 1e-10);
                }
                if (via == ISG_VIA_HEBBIAN)
                    assert_true(entry == (mu == nu ? sqrt(N) : 0));
            }
        if (via == ISG_VIA_SQRT)
            assert_ok(isg_cholesky(isg_matd_of(product, P, P), r));
        for (size_t i = 0; via == ISG_VIA_HEBBIAN && i < N; i++)
            for (size_t mu = 0; mu < P; mu++)
                assert_true(isg_rbm_weights(rbm).data[i * P + mu] ==
                            isg_spin(isg_patterns_row(patterns, mu), i) / sqrt(N));
        isg_rbm_free(rbm);
    }
    isg_patterns_free(patterns);
}

/* The report against J itself, across blocks of rows: hebbian, where errors are no small numbers,
   shows every entry that were forgotten. */
static void test_report_is_true(void **state) {
    (void)state;
    const size_t sizes[] = {40, 512, 1100};
    for (size_t k = 0; k < 3; k++)
        for (int via = FIRST; via <= LAST; via++) {
            enum { P = 3 };
            const size_t n = sizes[k];
            isg_patterns *patterns = random_patterns(n, P, 0.3);
            isg_mapping_options options = isg_mapping_defaults();
            options.via = (isg_decomposition)via;
            isg_mapping_report report;
            isg_rbm *rbm = NULL;
            assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, &report));
            const isg_matd_view w = isg_matd_const(isg_rbm_weights(rbm));
            double *j = own_couplings(rbm), *square = calloc(n * n, sizeof *square), inner[P * P];
            const isg_matd_view full = {j, n, n, n};
            double trace = 0, fixed = 0, orthogonality = 0;
            assert_ok(
                isg_matrix_multiply(isg_matd_of(square, n, n), full, ISG_AS_IS, full, ISG_AS_IS));
            assert_ok(
                isg_matrix_multiply(isg_matd_of(inner, P, P), w, ISG_TRANSPOSED, w, ISG_AS_IS));
            for (size_t i = 0; i < n; i++) {
                trace += j[i * n + i];
                for (size_t mu = 0; mu < P; mu++) {
                    const uint64_t *spins = isg_patterns_row(patterns, mu);
                    double field = 0;
                    for (size_t other = 0; other < n; other++)
                        field += j[i * n + other] * isg_spin(spins, other);
                    fixed = fmax(fixed, fabs(field - isg_spin(spins, i)));
                }
            }
            for (size_t entry = 0; entry < P * P; entry++)
                orthogonality = fmax(orthogonality, fabs(inner[entry] - (entry % (P + 1) == 0)));
            assert_int_equal(report.via, via);
            assert_int_equal(report.n_hidden, P);
            assert_int_equal(report.rank, P);
            assert_true(fabs(report.trace - trace) < exactly);
            assert_true(fabs(report.fixed_point_error - fixed) < exactly);
            assert_true(fabs(report.orthogonality_error - orthogonality) < exactly);
            assert_true(fabs(report.projector_error - largest_difference(square, j, n * n)) <
                        exactly);
            assert_true(report.reconstruction_error < exactly);
            if (via == ISG_VIA_HEBBIAN)
                assert_true(report.projector_error > 1e-4 && report.fixed_point_error > 0.1);
            else
                assert_true(report.projector_error < exactly && report.fixed_point_error < exactly);
            free(j);
            free(square);
            isg_rbm_free(rbm);
            isg_patterns_free(patterns);
        }
}

/* H(s) of the network, -s^T J s / 2 - b.s, is that of each RBM, over all states. */
static void test_energies_over_all_states(void **state) {
    (void)state;
    enum { N = 9, P = 4 };
    isg_patterns *patterns = random_patterns(N, P, 0.2);
    isg_cursor random = inputs(1);
    double field[N];
    for (size_t i = 0; i < N; i++)
        field[i] = isg_next_normal(&random);
    for (int via = FIRST; via <= LAST; via++) {
        isg_mapping_options options = isg_mapping_defaults();
        options.via = (isg_decomposition)via;
        options.field = field;
        options.beta = 0.7;
        isg_rbm *rbm = NULL;
        assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
        assert_true(isg_rbm_describe(rbm).beta == 0.7);
        assert_memory_equal(isg_rbm_visible_field(rbm), field, sizeof field);
        double *j = couplings(patterns, (isg_decomposition)via);
        for (uint64_t spins = 0; spins < 1 << N; spins++) {
            double wanted = 0, found = 0;
            for (size_t i = 0; i < N; i++) {
                wanted -= field[i] * isg_spin(&spins, i);
                for (size_t k = 0; k < N; k++)
                    wanted -= j[i * N + k] * isg_spin(&spins, i) * isg_spin(&spins, k) / 2;
            }
            assert_ok(isg_rbm_spin_energy(rbm, &spins, &found));
            assert_true(fabs(wanted - found) < exactly);
        }
        free(j);
        isg_rbm_free(rbm);
    }
    isg_patterns_free(patterns);
}

static void test_keeps_patterns(void **state) {
    (void)state;
    const int8_t xi[] = {1, -1, 1, 1, -1, 1, 1, 1};
    const char *const labels[] = {"cat", "dog"};
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 4, 2, xi, labels));
    patterns->info.image_height = patterns->info.image_width = 2;
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    isg_patterns_free(patterns);
    assert_true(isg_rbm_describe(rbm).beta == 2 && isg_rbm_describe(rbm).image_width == 2);
    assert_int_equal(isg_patterns_row(isg_rbm_patterns(rbm), 1)[0], 14);
    assert_string_equal(isg_patterns_label(isg_rbm_patterns(rbm), 1), "dog");
    isg_rbm_free(rbm);
}

static void test_refuses_wrong_options(void **state) {
    (void)state;
    isg_patterns *patterns = random_patterns(8, 2, 0);
    isg_mapping_options options = isg_mapping_defaults();
    double field[8] = {0};
    isg_rbm *rbm = NULL;
    options.beta = -1;
    assert_fails(isg_rbm_from_patterns(&rbm, patterns, &options, NULL), ISG_ERR_ARGUMENT, "beta");
    options = isg_mapping_defaults();
    options.via = (isg_decomposition)7;
    assert_fails(isg_rbm_from_patterns(&rbm, patterns, &options, NULL), ISG_ERR_ARGUMENT, "via");
    options = isg_mapping_defaults();
    options.field = field;
    field[5] = (double)NAN;
    assert_fails(isg_rbm_from_patterns(&rbm, patterns, &options, NULL), ISG_ERR_ARGUMENT, "unit 5");
    assert_null(rbm);
    isg_patterns_free(patterns);
}

/* ---- dependent patterns --------------------------------------------------------------------------- */

enum { UNITS = 70, WITH_ONE = 6 };

typedef enum dependence { DUPLICATE, NEGATIVE, SUM_OF_THREE, DEPENDENCES } dependence;

/* Six patterns, the last of which depends on others. */
static isg_patterns *dependent_patterns(dependence kind) {
    isg_cursor random = inputs(2);
    int8_t xi[UNITS * WITH_ONE];
    for (size_t i = 0; i < UNITS; i++) {
        int8_t *row = xi + i * WITH_ONE;
        for (size_t mu = 0; mu < WITH_ONE; mu++)
            row[mu] = draw_spin(&random);
        if (kind == SUM_OF_THREE && row[0] == row[2])
            row[4] = (int8_t)-row[0]; /* so that the sum is +1 or -1 */
        row[5] = kind == DUPLICATE  ? row[3]
                 : kind == NEGATIVE ? (int8_t)-row[1]
                                    : (int8_t)(row[0] + row[2] + row[4]);
    }
    return patterns_of(xi, UNITS, WITH_ONE);
}

static void test_dependent_patterns_are_named(void **state) {
    (void)state;
    const char *const named[] = {"pattern 5 = pattern 3", "pattern 5 = -pattern 1",
                                 "pattern 5 = pattern 0 + pattern 2 + pattern 4"};
    for (int kind = 0; kind < DEPENDENCES; kind++) {
        isg_patterns *patterns = dependent_patterns((dependence)kind);
        for (int via = FIRST; via < LAST; via++) {
            isg_mapping_options options = isg_mapping_defaults();
            options.via = (isg_decomposition)via;
            isg_mapping_report report = {.rank = 99};
            isg_rbm *rbm = NULL;
            assert_fails(isg_rbm_from_patterns(&rbm, patterns, &options, &report),
                         ISG_ERR_DEPENDENT, named[kind]);
            assert_true(rbm == NULL && report.rank == 99);
        }
        isg_patterns_free(patterns);
    }
}

/* Mapped on request: W spans the patterns, W R is still xi, and all three are one J. */
static void test_dependent_patterns_are_mapped_on_request(void **state) {
    (void)state;
    for (int kind = 0; kind < DEPENDENCES; kind++) {
        isg_patterns *patterns = dependent_patterns((dependence)kind);
        double *reference = NULL;
        for (int via = FIRST; via < LAST; via++) {
            isg_mapping_options options = isg_mapping_defaults();
            options.via = (isg_decomposition)via;
            options.allow_rank_deficient = true;
            isg_mapping_report report;
            isg_rbm *rbm = NULL;
            assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, &report));
            assert_true(report.rank == WITH_ONE - 1 && report.n_hidden == WITH_ONE - 1);
            assert_true(isg_rbm_coefficients(rbm).rows == WITH_ONE - 1 &&
                        isg_rbm_coefficients(rbm).cols == WITH_ONE);
            assert_true(report.orthogonality_error < exactly);
            assert_true(report.reconstruction_error < exactly);
            assert_true(report.projector_error < exactly);
            assert_true(report.fixed_point_error < exactly);
            double *j = own_couplings(rbm);
            if (!reference)
                reference = j;
            else {
                assert_true(largest_difference(reference, j, UNITS * UNITS) < exactly);
                free(j);
            }
            assert_fails(isg_rbm_remove_pattern(rbm, 0), ISG_ERR_ARGUMENT, "via qr");
            isg_rbm_free(rbm);
        }
        free(reference);
        isg_rbm_free(mapped(patterns, ISG_VIA_HEBBIAN)); /* does not mind */
        isg_patterns_free(patterns);
    }
}

static void test_more_patterns_than_units(void **state) {
    (void)state;
    isg_patterns *patterns = random_patterns(5, 9, 0);
    isg_mapping_options options = isg_mapping_defaults();
    isg_mapping_report report;
    isg_rbm *rbm = NULL;
    assert_fails(isg_rbm_from_patterns(&rbm, patterns, &options, NULL), ISG_ERR_DEPENDENT, "rank");
    options.allow_rank_deficient = true;
    for (int via = FIRST; via <= LAST; via++) {
        options.via = (isg_decomposition)via;
        assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, &report));
        assert_int_equal(report.n_hidden, via == ISG_VIA_HEBBIAN ? 9 : report.rank);
        assert_true(report.rank <= 5 && report.reconstruction_error < exactly);
        isg_rbm_free(rbm);
    }
    isg_patterns_free(patterns);
}

/* ---- one more, one less --------------------------------------------------------------------------- */

/* The RBM is the one that its own patterns give anew. */
static void assert_as_fresh(isg_rbm *rbm) {
    isg_rbm *fresh = mapped(isg_rbm_patterns(rbm), ISG_VIA_QR);
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    assert_true(isg_rbm_describe(fresh).n_hidden == w.cols && r.rows == w.cols && r.cols == w.cols);
    assert_true(largest_difference(w.data, isg_rbm_weights(fresh).data, w.rows * w.cols) < exactly);
    assert_true(largest_difference(r.data, isg_rbm_coefficients(fresh).data, w.cols * w.cols) <
                exactly * sqrt((double)w.rows));
    for (size_t mu = 0; mu < w.cols; mu++)
        assert_true(r.data[mu * (w.cols + 1)] > 0);
    isg_rbm_free(fresh);
}

/* Twenty random steps; new patterns resemble the first one in all but `flips` units. */
static void walk(size_t n, size_t flips) {
    isg_patterns *patterns = random_patterns(n, 3, 0);
    isg_rbm *rbm = mapped(patterns, ISG_VIA_QR);
    isg_cursor random = inputs(n + flips);
    uint64_t *pattern = calloc(isg_words(n), sizeof *pattern);
    assert_non_null(pattern);
    for (size_t step = 0; step < 20; step++) {
        const size_t p = isg_rbm_describe(rbm).n_hidden;
        if (p > 1 && isg_next_below(&random, 5) < 2) {
            const size_t mu = (size_t)isg_next_below(&random, p);
            uint64_t *next = isg_patterns_spins(rbm->patterns, (mu + 1) % p);
            const uint64_t first_word = next[0];
            assert_ok(isg_rbm_remove_pattern(rbm, mu));
            assert_true(isg_patterns_row(isg_rbm_patterns(rbm), mu + 1 < p ? mu : 0)[0] ==
                        first_word);
        } else {
            memcpy(pattern, isg_patterns_row(isg_rbm_patterns(rbm), 0),
                   isg_words(n) * sizeof *pattern);
            for (size_t k = 0; k < flips; k++) {
                const size_t i = (size_t)isg_next_below(&random, n);
                isg_bit_assign(pattern, i, !isg_bit(pattern, i));
            }
            assert_ok(isg_rbm_append_pattern(rbm, pattern, NULL));
        }
        assert_as_fresh(rbm);
    }
    free(pattern);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void test_updates_are_fresh_mappings(void **state) {
    (void)state;
    walk(64, 20);
    walk(100, 30);
    walk(784, 300);
}

/* Patterns that differ from each other in one to three units of 784: nearly parallel. */
static void test_updates_of_nearly_parallel_patterns(void **state) {
    (void)state;
    walk(784, 3);
    walk(784, 1);
}

static void test_labels_follow_updates(void **state) {
    (void)state;
    const int8_t xi[] = {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1};
    const char *const labels[] = {"a", "b", "c"};
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_create(&patterns, 4, 3, xi, labels));
    isg_rbm *rbm = mapped(patterns, ISG_VIA_QR);
    const uint64_t stray = UINT64_C(0xfffffffffffffff7); /* +++-, and bits that mean nothing */
    assert_ok(isg_rbm_remove_pattern(rbm, 1));
    assert_fails(isg_rbm_append_pattern(rbm, &stray, NULL), ISG_ERR_ARGUMENT, "label");
    assert_ok(isg_rbm_append_pattern(rbm, &stray, "d"));
    const isg_patterns *now = isg_rbm_patterns(rbm);
    assert_string_equal(isg_patterns_label(now, 0), "a");
    assert_string_equal(isg_patterns_label(now, 1), "c");
    assert_string_equal(isg_patterns_label(now, 2), "d");
    assert_int_equal(isg_patterns_row(now, 2)[0], 7);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

/* Rotations turn the hidden field with the weights: W c of the patterns left does not change if
   c lies in their span. */
static void test_hidden_field_turns_along(void **state) {
    (void)state;
    enum { N = 30, P = 5, GONE = 1 };
    isg_patterns *patterns = random_patterns(N, P, 0.3);
    isg_rbm *rbm = mapped(patterns, ISG_VIA_QR);
    double before[N], after[N];
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    for (size_t mu = 0; mu < P; mu++) /* c = R v with v = 0 for the pattern that goes */
        for (size_t nu = 0; nu < P; nu++)
            isg_rbm_hidden_field(rbm)[mu] += nu == GONE ? 0 : 0.1 * r.data[mu * P + nu];
    isg_rbm_visible_input(rbm, isg_rbm_hidden_field(rbm), before);
    assert_ok(isg_rbm_remove_pattern(rbm, GONE));
    isg_rbm_visible_input(rbm, isg_rbm_hidden_field(rbm), after);
    assert_true(largest_difference(before, after, N) < exactly);
    assert_ok(isg_rbm_append_pattern(rbm, isg_patterns_row(patterns, GONE), NULL));
    isg_rbm_visible_input(rbm, isg_rbm_hidden_field(rbm), after);
    assert_true(largest_difference(before, after, N) < exactly);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static void test_updates_refuse(void **state) {
    (void)state;
    for (int kind = 0; kind < DEPENDENCES; kind++) {
        const char *const named[] = {"pattern 5 = pattern 3", "pattern 5 = -pattern 1",
                                     "pattern 5 = pattern 0 + pattern 2 + pattern 4"};
        isg_patterns *patterns = dependent_patterns((dependence)kind), *independent = NULL;
        assert_ok(isg_patterns_copy(&independent, patterns, WITH_ONE - 1, NULL, NULL));
        isg_rbm *rbm = mapped(independent, ISG_VIA_QR);
        assert_fails(isg_rbm_append_pattern(rbm, isg_patterns_row(patterns, WITH_ONE - 1), NULL),
                     ISG_ERR_DEPENDENT, named[kind]);
        assert_fails(isg_rbm_append_pattern(rbm, isg_patterns_row(patterns, 0), "x"),
                     ISG_ERR_ARGUMENT, "label");
        assert_fails(isg_rbm_remove_pattern(rbm, WITH_ONE - 1), ISG_ERR_ARGUMENT, "only 5");
        assert_as_fresh(rbm);
        isg_rbm_weights(rbm).data[17] += 1e-5; /* trained, say */
        assert_fails(isg_rbm_remove_pattern(rbm, 0), ISG_ERR_ARGUMENT, "via qr");
        isg_rbm_free(rbm);
        for (int via = ISG_VIA_SVD; via <= LAST; via++) {
            rbm = mapped(independent, (isg_decomposition)via);
            assert_fails(isg_rbm_remove_pattern(rbm, 0), ISG_ERR_ARGUMENT, "via qr");
            isg_rbm_free(rbm);
        }
        isg_patterns_free(independent);
        isg_patterns_free(patterns);
    }
    isg_patterns *one = random_patterns(7, 1, 0);
    isg_rbm *rbm = mapped(one, ISG_VIA_QR);
    assert_fails(isg_rbm_remove_pattern(rbm, 0), ISG_ERR_ARGUMENT, "the only pattern");
    isg_rbm_free(rbm);
    isg_patterns_free(one);
}

/* ---- without memory, and pictures ------------------------------------------------------------------ */

static isg_status map_everything(void *user) {
    const isg_patterns *patterns = user;
    isg_mapping_options options = isg_mapping_defaults();
    options.allow_rank_deficient = true;
    for (int via = LAST; via >= FIRST; via--) {
        isg_mapping_report report;
        isg_rbm *rbm = NULL;
        options.via = (isg_decomposition)via;
        ISG_TRY(isg_rbm_from_patterns(&rbm, patterns, &options, &report));
        isg_rbm_free(rbm);
    }
    return ISG_OK;
}

static isg_status update_everything(void *user) {
    const isg_patterns *patterns = user;
    isg_rbm *rbm = NULL;
    ISG_TRY(isg_rbm_from_patterns(&rbm, patterns, NULL, NULL));
    isg_status status = isg_rbm_remove_pattern(rbm, 1);
    if (status == ISG_OK)
        status = isg_rbm_append_pattern(rbm, isg_patterns_row(patterns, 1), NULL);
    else
        assert_int_equal(isg_rbm_describe(rbm).n_hidden, 3); /* as before */
    isg_rbm_free(rbm);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    isg_patterns *dependent = dependent_patterns(SUM_OF_THREE),
                 *patterns = random_patterns(9, 3, 0);
    assert_true(sweep_allocations(map_everything, dependent) > 50);
    assert_true(sweep_allocations(update_everything, patterns) > 20);
    isg_patterns_free(dependent);
    isg_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_couplings_are_those_of_the_network),
        cmocka_unit_test(test_factors_are_what_they_are_called),
        cmocka_unit_test(test_report_is_true),
        cmocka_unit_test(test_energies_over_all_states),
        cmocka_unit_test(test_keeps_patterns),
        cmocka_unit_test(test_refuses_wrong_options),
        cmocka_unit_test(test_dependent_patterns_are_named),
        cmocka_unit_test(test_dependent_patterns_are_mapped_on_request),
        cmocka_unit_test(test_more_patterns_than_units),
        cmocka_unit_test(test_updates_are_fresh_mappings),
        cmocka_unit_test(test_updates_of_nearly_parallel_patterns),
        cmocka_unit_test(test_labels_follow_updates),
        cmocka_unit_test(test_hidden_field_turns_along),
        cmocka_unit_test(test_updates_refuse),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
