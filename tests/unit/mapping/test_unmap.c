/* test_unmap.c - mapped patterns are found again, and the report is true
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "linalg/linalg.h"
#include "mapping/unmap.h"
#include "rbm/rbm.h"

/* ---- inputs ------------------------------------------------------------------------------------- */

/* Random patterns, mostly -1 and mostly +1 in turn, a share of whose units equals those of the
   first, as real patterns overlap. */
static isg_patterns *make_patterns(size_t n, size_t p, uint64_t seed) {
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 6, 0));
    int8_t *xi = malloc(n * p);
    char names[32][8];
    const char *labels[32];
    isg_patterns *patterns = NULL;
    assert_non_null(xi);
    assert_true(p <= 32);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++) {
            xi[i * p + mu] = isg_next_uniform(&random) < (mu % 2 ? 0.7 : 0.4) ? 1 : -1;
            if (mu > 0 && isg_next_uniform(&random) < 0.3)
                xi[i * p + mu] = xi[i * p];
        }
    for (size_t mu = 0; mu < p; mu++) {
        snprintf(names[mu], sizeof names[mu], "c%zu", 90 - mu);
        labels[mu] = names[mu];
    }
    assert_ok(isg_patterns_create(&patterns, n, p, xi, labels));
    free(xi);
    return patterns;
}

static isg_rbm *map_patterns(const isg_patterns *patterns, isg_decomposition via) {
    isg_mapping_options options = isg_mapping_defaults();
    isg_rbm *rbm = NULL;
    options.via = via;
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
    return rbm;
}

/* Adds normal numbers of this size to the weights, as a stand-in for training. */
static void disturb(isg_rbm *rbm, double size, uint64_t seed) {
    isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_TEST, 7, 0));
    const isg_matd w = isg_rbm_weights(rbm);
    for (size_t k = 0; k < w.rows * w.cols; k++)
        w.data[k] += size * isg_next_normal(&random);
}

static isg_rbm *random_rbm(size_t n, size_t p, uint64_t seed) {
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start_normal(&rbm, n, p, 2, 1 / sqrt((double)n), seed));
    return rbm;
}

/* Explicit P = W W^+, from the columns of W by Gram-Schmidt, twice. */
static double *projector_of(isg_rbm *rbm) {
    const isg_matd w = isg_rbm_weights(rbm);
    const size_t n = w.rows, p = w.cols;
    double *q = malloc(n * p * sizeof *q), *projector = calloc(n * n, sizeof *projector);
    assert_non_null(q);
    assert_non_null(projector);
    memcpy(q, w.data, n * p * sizeof *q);
    for (size_t mu = 0; mu < p; mu++) {
        for (size_t nu = 0; nu < 2 * mu; nu++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += q[i * p + mu] * q[i * p + nu % mu];
            for (size_t i = 0; i < n; i++)
                q[i * p + mu] -= along * q[i * p + nu % mu];
        }
        double square = 0;
        for (size_t i = 0; i < n; i++)
            square += q[i * p + mu] * q[i * p + mu];
        for (size_t i = 0; i < n; i++)
            q[i * p + mu] /= sqrt(square);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t mu = 0; mu < p; mu++)
                projector[i * n + j] += q[i * p + mu] * q[j * p + mu];
    free(q);
    return projector;
}

/* J s, with or without diagonal. */
static double row_times(const double *j, const uint64_t *spins, size_t n, size_t i,
                        bool keep_diagonal) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        if (keep_diagonal || k != i)
            sum += j[i * n + k] * isg_spin(spins, k);
    return sum;
}

/* ---- patterns that are there come back ---------------------------------------------------------- */

static void check_exact(const isg_rbm *rbm, const isg_patterns *patterns,
                        const isg_unmap_options *options) {
    const size_t n = isg_patterns_describe(patterns).n_visible;
    const size_t p = isg_patterns_describe(patterns).n_patterns;
    isg_unmapping *found = NULL;
    assert_ok(isg_unmap(&found, rbm, options, NULL));
    const isg_unmap_report report = isg_unmapping_describe(found);
    assert_int_equal(report.n_patterns, p);
    assert_int_equal(report.rank, p);
    assert_int_equal(report.n_distinct, p);
    assert_true(report.residual < 1e-18);
    assert_true(report.error < 1e-9);
    assert_int_equal(report.verdict, ISG_BINARIZATION_EXACT);
    for (size_t mu = 0; mu < p; mu++) {
        const isg_unmapped_pattern one = isg_unmapping_pattern(found, mu);
        assert_memory_equal(isg_patterns_row(isg_unmapping_patterns(found), mu),
                            isg_patterns_row(patterns, mu), isg_words(n) * sizeof(uint64_t));
        assert_string_equal(isg_patterns_label(isg_unmapping_patterns(found), mu),
                            isg_patterns_label(patterns, mu));
        assert_int_equal(one.bits_changed, 0);
        assert_int_equal(one.known, mu);
        assert_true(one.projector.is_fixed_point && one.projector.is_stable);
        assert_int_equal(one.n_left_over, 0);
    }
    isg_unmapping_free(found);
}

static void test_mapped_patterns_come_back(void **state) {
    (void)state;
    for (size_t p = 1; p <= 9; p += 4) {
        isg_patterns *patterns = make_patterns(130, p, p);
        for (int via = ISG_VIA_QR; via <= ISG_VIA_HEBBIAN; via++) {
            isg_rbm *rbm = map_patterns(patterns, (isg_decomposition)via);
            for (int method = ISG_UNMAP_DESCENT; method <= ISG_UNMAP_ENUMERATE; method++)
                for (int flip = 0; flip < 2; flip++) {
                    isg_unmap_options options = isg_unmap_defaults();
                    options.method = (isg_unmap_method)method;
                    options.flip = flip;
                    check_exact(rbm, patterns, &options);
                }
            isg_rbm_free(rbm);
        }
        isg_patterns_free(patterns);
    }
}

/* A model that has forgotten R and its patterns: enumeration needs neither; the user's patterns only
   say which is which. */
static void test_enumeration_needs_no_start(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(130, 9, 3);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_SVD), *bare = NULL;
    assert_ok(isg_rbm_create(&bare, 130, 9, 2));
    memcpy(isg_rbm_weights(bare).data, isg_rbm_weights(rbm).data, 130 * 9 * sizeof(double));
    isg_unmap_options options = isg_unmap_defaults();
    options.method = ISG_UNMAP_ENUMERATE;
    options.patterns = patterns;
    check_exact(bare, patterns, &options);
    options.patterns = NULL;
    isg_unmapping *found = NULL;
    assert_ok(isg_unmap(&found, bare, &options, NULL));
    const isg_unmap_report report = isg_unmapping_describe(found);
    assert_true(report.is_exhaustive && report.residual < 1e-18);
    assert_int_equal(report.n_starts, 256);
    assert_true(isnan(report.error_before));
    assert_false(isg_patterns_describe(isg_unmapping_patterns(found)).has_labels);
    for (size_t mu = 0; mu < 9; mu++) {
        size_t equal = 0;
        for (size_t nu = 0; nu < 9; nu++) {
            const size_t apart = isg_hamming(isg_patterns_row(isg_unmapping_patterns(found), mu),
                                             isg_patterns_row(patterns, nu), 3);
            equal += apart == 0 || apart == 130;
        }
        assert_int_equal(equal, 1);
        assert_true(2 * isg_patterns_positive(isg_unmapping_patterns(found), mu) <= 130);
        assert_int_equal(isg_unmapping_pattern(found, mu).bits_changed, SIZE_MAX);
    }
    isg_unmapping_free(found);
    isg_rbm_free(bare);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

/* Enumeration sees only J: Q, U and xi (xi^T xi)^-1/2 of the same patterns differ in rounding, which must
   not decide where fields are zero, units alike and candidates equally good. */
static void test_rounding_decides_nothing(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 40; trial++) {
        const size_t n = 30 + 9 * (trial % 3), p = 3 + trial % 4;
        isg_patterns *patterns = make_patterns(n, p, trial);
        isg_unmapping *found[3] = {NULL};
        isg_unmap_options options = isg_unmap_defaults();
        options.method = ISG_UNMAP_ENUMERATE;
        options.flip = trial % 2;
        for (int via = ISG_VIA_QR; via <= ISG_VIA_SQRT; via++) {
            isg_rbm *rbm = map_patterns(patterns, (isg_decomposition)via), *bare = NULL;
            assert_ok(isg_rbm_create(&bare, n, p, 2));
            memcpy(isg_rbm_weights(bare).data, isg_rbm_weights(rbm).data, n * p * sizeof(double));
            assert_ok(isg_unmap(&found[via], bare, &options, NULL));
            isg_rbm_free(bare);
            isg_rbm_free(rbm);
            assert_int_equal(isg_unmapping_describe(found[via]).n_candidates,
                             isg_unmapping_describe(found[0]).n_candidates);
            for (size_t mu = 0; mu < p; mu++)
                assert_memory_equal(isg_patterns_row(isg_unmapping_patterns(found[via]), mu),
                                    isg_patterns_row(isg_unmapping_patterns(found[0]), mu),
                                    isg_words(n) * sizeof(uint64_t));
        }
        for (size_t k = 0; k < 3; k++)
            isg_unmapping_free(found[k]);
        isg_patterns_free(patterns);
    }
}

/* More hidden units than can be enumerated: the patterns themselves are starts, then data are. */
static void test_many_hidden_units(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(300, 26, 5);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR), *bare = NULL;
    isg_unmap_options options = isg_unmap_defaults();
    options.method = ISG_UNMAP_ENUMERATE;
    options.restarts = 3;
    check_exact(rbm, patterns, &options);
    assert_ok(isg_rbm_create(&bare, 300, 26, 2));
    memcpy(isg_rbm_weights(bare).data, isg_rbm_weights(rbm).data, 300 * 26 * sizeof(double));
    int8_t *rows = malloc(300 * 26);
    isg_dataset *data = NULL;
    assert_non_null(rows);
    for (size_t mu = 0; mu < 26; mu++) /* each with a few spins flipped */
        for (size_t i = 0; i < 300; i++)
            rows[mu * 300 + i] =
                (int8_t)(isg_spin(isg_patterns_row(patterns, mu), i) * (i % 31 == mu ? -1 : 1));
    assert_ok(isg_dataset_create(&data, 26, 300, rows, NULL));
    isg_unmapping *found = NULL;
    options.data = data;
    assert_ok(isg_unmap(&found, bare, &options, NULL));
    assert_true(isg_unmapping_describe(found).residual < 1e-18);
    assert_false(isg_unmapping_describe(found).is_exhaustive);
    assert_int_equal(isg_unmapping_describe(found).n_starts, 26 + 78);
    isg_unmapping_free(found);
    free(rows);
    isg_dataset_free(data);
    isg_rbm_free(bare);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

/* ---- the paper's gradient ----------------------------------------------------------------------- */

/* As printed: without alpha in sech^2. */
static void printed_gradient(const isg_descent *descent, const double *x, double *gradient) {
    const isg_matd_view w = descent->weights;
    memset(gradient, 0, w.cols * sizeof *gradient);
    for (size_t i = 0; i < w.rows; i++) {
        double y = 0;
        for (size_t mu = 0; mu < w.cols; mu++)
            y += w.data[i * w.stride + mu] * x[mu];
        const double e = y - tanh(descent->alpha * y), s = 1 / cosh(y);
        for (size_t mu = 0; mu < w.cols; mu++)
            gradient[mu] += 2 * w.data[i * w.stride + mu] * (e - descent->alpha * e * s * s);
    }
}

/* The largest difference from central differences, relative to the largest of those. */
static double gradient_error(const isg_descent *descent, double *x, const double *gradient) {
    double worst = 0, largest = 0;
    for (size_t mu = 0; mu < descent->weights.cols; mu++) {
        const double before = x[mu], step = 1e-6;
        x[mu] = before + step;
        const double up = isg_descent_error(descent, x);
        x[mu] = before - step;
        const double slope = (up - isg_descent_error(descent, x)) / (2 * step);
        x[mu] = before;
        worst = fmax(worst, fabs(slope - gradient[mu]));
        largest = fmax(largest, fabs(slope));
    }
    return worst / largest;
}

static void test_gradient_is_the_slope(void **state) {
    (void)state;
    isg_rbm *rbm = random_rbm(30, 5, 2);
    isg_cursor random = isg_cursor_at(isg_stream_at(4, ISG_PURPOSE_TEST, 8, 0));
    for (double alpha = 1; alpha <= 200; alpha *= 14.142) {
        const isg_descent descent = {isg_rbm_view(rbm), alpha, 0.05, 50};
        double x[5], gradient[5];
        for (size_t mu = 0; mu < 5; mu++)
            x[mu] = 3 * isg_next_normal(&random);
        isg_descent_gradient(&descent, x, gradient);
        assert_true(gradient_error(&descent, x, gradient) < 1e-5);
        printed_gradient(&descent, x, gradient);
        if (alpha > 1) /* where the two are the same */
            assert_true(gradient_error(&descent, x, gradient) > 0.5);
    }
    isg_rbm_free(rbm);
}

/* ---- what relaxation promises ------------------------------------------------------------------- */

/* Each step lowers the residual, written out with P itself; the limit is a fixed point. */
static void test_relaxation_lowers_the_residual(void **state) {
    (void)state;
    enum { N = 90, P = 7 };
    isg_rbm *rbm = random_rbm(N, P, 9);
    double *projector = projector_of(rbm), h[P];
    isg_span span = {0};
    uint64_t spins[2], limit[2];
    assert_ok(isg_span_of_weights(&span, isg_rbm_view(rbm)));
    for (size_t k = 0; k < 30; k++) {
        isg_span_random_state(&span, 77, k, spins, h);
        memcpy(limit, spins, sizeof spins);
        isg_span_relax(&span, limit, h);
        double before = HUGE_VAL, residual = N;
        for (bool is_moving = true; is_moving;) {
            double field[N];
            residual = N;
            is_moving = false;
            for (size_t i = 0; i < N; i++) {
                field[i] = row_times(projector, spins, N, i, true);
                residual -= isg_spin(spins, i) * field[i];
            }
            assert_true(residual < before);
            assert_true(fabs(residual - isg_span_residual(&span, spins, h)) < 1e-10);
            before = residual;
            for (size_t i = 0; i < N; i++) {
                is_moving = is_moving || (field[i] > 0) != isg_bit(spins, i);
                isg_bit_assign(spins, i, field[i] > 0);
            }
        }
        assert_memory_equal(spins, limit, sizeof spins);
        isg_span_flip(&span, limit, h);
        assert_true(isg_span_residual(&span, limit, h) <= residual + 1e-10);
        for (size_t i = 0; i < N; i++)
            assert_true(isg_spin(limit, i) * row_times(projector, limit, N, i, false) > 0);
    }
    free(projector);
    isg_span_free(&span);
    isg_rbm_free(rbm);
}

/* After something like training, relax is nowhere worse than descent from the same start, and all
   that is said of its patterns is so. */
static void check_words(isg_rbm *rbm, const isg_unmapping *found, const isg_patterns *known) {
    const isg_unmap_report report = isg_unmapping_describe(found);
    const size_t n = report.n_visible, p = report.n_hidden, words = isg_words(n);
    const isg_matd w = isg_rbm_weights(rbm);
    const isg_matd_view x = isg_unmapping_coefficients(found);
    double *projector = projector_of(rbm), total = 0, square = 0;
    for (size_t mu = 0; mu < report.n_patterns; mu++) {
        const isg_unmapped_pattern one = isg_unmapping_pattern(found, mu);
        const uint64_t *b = isg_patterns_row(isg_unmapping_patterns(found), mu);
        isg_unmapped_state projected = {true, true, true}, model = {true, true, true};
        double residual = (double)n, error = 0;
        for (size_t i = 0; i < n; i++) {
            const double spin = isg_spin(b, i), field = row_times(projector, b, n, i, true);
            const double rest = row_times(projector, b, n, i, false);
            double y = 0, own = isg_rbm_visible_field(rbm)[i], diagonal = 0;
            for (size_t k = 0; k < p; k++) {
                const double weight = w.data[i * p + k];
                double sum = isg_rbm_hidden_field(rbm)[k];
                for (size_t j = 0; j < n; j++)
                    sum += w.data[j * p + k] * isg_spin(b, j);
                y += weight * x.data[k * x.stride + mu];
                own += weight * sum;
                diagonal += weight * weight;
            }
            residual -= spin * field;
            error += (y - spin) * (y - spin);
            projected.is_fixed_point &= spin * field >= 0;
            projected.is_stable &= spin * rest > 0;
            model.is_fixed_point &= spin * own >= 0;
            model.is_stable &= spin * own - diagonal > 0;
        }
        assert_true(fabs(one.residual - residual) < 1e-9);
        assert_true(fabs(one.error - error) < 1e-9 && one.error > one.residual - 1e-9);
        assert_int_equal(one.projector.is_fixed_point, projected.is_fixed_point);
        assert_int_equal(one.projector.is_stable, projected.is_stable);
        assert_int_equal(one.projector.is_fixed_point_without_diagonal, projected.is_stable);
        assert_int_equal(one.model.is_fixed_point, model.is_fixed_point);
        assert_int_equal(one.model.is_stable, model.is_stable);
        if (one.n_left_over == 0) /* the appendix: either condition everywhere is enough */
            assert_true(one.projector.is_fixed_point);
        assert_int_equal(one.bits_changed,
                         isg_hamming(b, isg_patterns_row(known, one.known), words));
        total += residual;
        square += error;
    }
    assert_true(fabs(report.residual - total) < 1e-8);
    assert_true(fabs(report.error - sqrt(square)) < 1e-9);
    free(projector);
}

static void test_relax_beats_descent(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(100, 6, 8);
    size_t n_lower = 0, n_unfixed = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR);
        isg_unmapping *down = NULL, *relaxed = NULL, *flipped = NULL;
        isg_unmap_options options = isg_unmap_defaults();
        disturb(rbm, 0.06, seed);
        for (size_t i = 0; i < 100; i++)
            isg_rbm_visible_field(rbm)[i] = 0.1 * cos((double)i);
        isg_rbm_hidden_field(rbm)[1] = 0.3;
        options.method = ISG_UNMAP_DESCENT;
        assert_ok(isg_unmap(&down, rbm, &options, NULL));
        options.method = ISG_UNMAP_RELAX;
        assert_ok(isg_unmap(&relaxed, rbm, &options, NULL));
        options.flip = true;
        assert_ok(isg_unmap(&flipped, rbm, &options, NULL));
        for (size_t mu = 0; mu < 6; mu++) {
            const isg_unmapped_pattern a = isg_unmapping_pattern(down, mu);
            const isg_unmapped_pattern b = isg_unmapping_pattern(relaxed, mu);
            const isg_unmapped_pattern c = isg_unmapping_pattern(flipped, mu);
            assert_true(b.residual <= a.residual + 1e-8);
            assert_true(c.residual <= b.residual + 1e-8);
            assert_true(b.projector.is_fixed_point);
            assert_true(c.projector.is_fixed_point && c.projector.is_stable);
            assert_int_equal(b.n_left_over, 0);
            n_lower += b.residual < a.residual - 1e-8;
            n_unfixed += !a.projector.is_fixed_point;
        }
        const isg_unmap_report report = isg_unmapping_describe(relaxed);
        assert_true(report.residual < report.residual_before);
        assert_true(report.error < report.error_before);
        assert_int_equal(report.verdict, ISG_BINARIZATION_APPROXIMATE);
        check_words(rbm, down, patterns);
        check_words(rbm, relaxed, patterns);
        isg_unmapping_free(down);
        isg_unmapping_free(relaxed);
        isg_unmapping_free(flipped);
        isg_rbm_free(rbm);
    }
    assert_true(n_lower > 0 && n_unfixed > 0); /* the comparison is not an empty one */
    isg_patterns_free(patterns);
}

/* The lowest of all states, by trying them, is among the patterns that enumeration chooses. */
static void test_enumeration_finds_the_lowest(void **state) {
    (void)state;
    enum { N = 14, P = 5 };
    isg_patterns *patterns = make_patterns(N, P, 21);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        isg_rbm *rbm = map_patterns(patterns, ISG_VIA_SQRT);
        isg_span span = {0};
        isg_unmapping *found = NULL;
        isg_unmap_options options = isg_unmap_defaults();
        double h[P], lowest = HUGE_VAL, least = HUGE_VAL;
        disturb(rbm, 0.05, seed);
        assert_ok(isg_span_of_weights(&span, isg_rbm_view(rbm)));
        for (uint64_t s = 0; s < 1 << N; s++)
            lowest = fmin(lowest, isg_span_residual(&span, &s, h));
        options.method = ISG_UNMAP_ENUMERATE;
        assert_ok(isg_unmap(&found, rbm, &options, NULL));
        for (size_t mu = 0; mu < isg_unmapping_describe(found).n_patterns; mu++)
            least = fmin(least, isg_unmapping_pattern(found, mu).residual);
        assert_true(fabs(least - lowest) < 1e-10);
        isg_unmapping_free(found);
        isg_span_free(&span);
        isg_rbm_free(rbm);
    }
    isg_patterns_free(patterns);
}

/* ---- weights with nothing behind them ------------------------------------------------------------ */

static void test_random_weights_are_called_so(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        isg_rbm *rbm = random_rbm(200, 6, seed);
        for (int method = ISG_UNMAP_DESCENT; method <= ISG_UNMAP_ENUMERATE; method++) {
            isg_unmapping *found = NULL;
            isg_unmap_options options = isg_unmap_defaults();
            options.method = (isg_unmap_method)method;
            options.restarts = 10;
            options.seed = seed + 100;
            assert_ok(isg_unmap(&found, rbm, &options, NULL));
            const isg_unmap_report report = isg_unmapping_describe(found);
            assert_int_equal(report.verdict, ISG_BINARIZATION_NONE);
            assert_int_equal(report.n_patterns, 6);
            assert_int_equal(report.rank, 6);
            assert_true(fabs(report.sign_baseline - 6 * 194) < 1e-9);
            assert_true(fabs(report.residual / report.random_baseline - 1) < 0.15);
            isg_unmapping_free(found);
        }
        isg_rbm_free(rbm);
    }
}

/* How many of `count` random W are not called so. */
static size_t taken_for_patterns(size_t n, size_t p, isg_unmap_method method, size_t count) {
    size_t taken = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        isg_rbm *rbm = random_rbm(n, p, seed);
        isg_unmapping *found = NULL;
        isg_unmap_options options = isg_unmap_defaults();
        options.method = method;
        options.seed = seed + 100;
        assert_ok(isg_unmap(&found, rbm, &options, NULL));
        taken += isg_unmapping_describe(found).verdict != ISG_BINARIZATION_NONE;
        isg_unmapping_free(found);
        isg_rbm_free(rbm);
    }
    return taken;
}

/* Where hidden units are many, a search gets near binary states of any W, the nearer the more starts
   it has: the measure must have as many. */
static void test_random_weights_are_called_so_after_any_search(void **state) {
    (void)state;
    assert_int_equal(taken_for_patterns(30, 13, ISG_UNMAP_ENUMERATE, 2), 0);
    assert_int_equal(taken_for_patterns(36, 30, ISG_UNMAP_RELAX, 2), 0);
    assert_int_equal(taken_for_patterns(36, 30, ISG_UNMAP_DESCENT, 1), 0);
}

/* ---- the choice ---------------------------------------------------------------------------------- */

/* Neighbors of one deep state must not push out a distant one that is less deep, but a distant one
   that is bad must not push out a good one either. */
static void test_neighbors_do_not_win(void **state) {
    (void)state;
    isg_pool *pool = NULL;
    const uint64_t deep[1] = {0xff}, next[1] = {0xfe}, far[1] = {0xf0f0}, bad[1] = {0x0f0f0f00};
    size_t chosen[4], found = 0;
    assert_ok(isg_pools_create(&pool, 1, 60, 5));
    isg_pool_add(pool, deep, 10, 3);
    isg_pool_add(pool, next, 11, 4);
    isg_pool_add(pool, far, 14, 5);
    isg_pool_add(pool, bad, 35, 6);
    isg_pool_add(pool, far, 14, 2); /* once more, from an earlier start */
    isg_pool_finish(pool);
    assert_int_equal(pool->count, 4);
    assert_int_equal(pool->all[2].source, 2);
    assert_ok(isg_pool_choose(pool, 2, chosen, &found));
    assert_int_equal(found, 2);
    assert_int_equal(chosen[0], 0);
    assert_int_equal(chosen[1], 2);
    assert_ok(isg_pool_choose(pool, 4, chosen, &found));
    assert_int_equal(found, 4);
    isg_pools_free(pool, 1);
}

/* Candidates that are equally good are ordered by bytes, the lowest first, on every machine. */
static void test_equals_have_an_order(void **state) {
    (void)state;
    static const uint64_t rising[][2] = {
        {0x100, 9}, {0x1ff01, 0}, {0xff, 0x100}, {0xff, 1}, {0xff, 0xff}};
    enum { COUNT = sizeof rising / sizeof *rising };
    isg_pool *pool = NULL;
    assert_ok(isg_pools_create(&pool, 1, 128, COUNT));
    for (size_t k = 0; k < COUNT; k++)
        isg_pool_add(pool, rising[3 * k % COUNT], 1, 0);
    isg_pool_finish(pool);
    assert_int_equal(pool->count, COUNT);
    for (size_t k = 0; k < COUNT; k++)
        assert_memory_equal(pool->all[k].spins, rising[k], sizeof rising[k]);
    isg_pools_free(pool, 1);
}

/* More candidates than a pool holds: the best stay, whatever the order. */
static void test_pools_keep_the_best(void **state) {
    (void)state;
    enum { ALL = 6 * ISG_POOL_KEPT };
    isg_pool *pools = NULL;
    assert_ok(isg_pools_create(&pools, 2, 60, ALL));
    for (uint64_t k = 0; k < ALL; k++) {
        const uint64_t up[1] = {k}, down[1] = {ALL - 1 - k};
        isg_pool_add(&pools[0], up, (double)(k % 1000), 0);
        isg_pool_add(&pools[1], down, (double)((ALL - 1 - k) % 1000), 0);
    }
    isg_pool_finish(&pools[0]);
    isg_pool_finish(&pools[1]);
    assert_int_equal(pools[0].count, ISG_POOL_KEPT);
    for (size_t k = 0; k < ISG_POOL_KEPT; k++) {
        assert_int_equal(pools[0].all[k].spins[0], pools[1].all[k].spins[0]);
        assert_true(pools[0].all[k].residual <= 1000.0 * ISG_POOL_KEPT / ALL + 1);
    }
    isg_pools_free(pools, 2);
}

/* ---- threads, memory, refusals ------------------------------------------------------------------- */

static void test_threads_change_nothing(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(100, 12, 8);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR);
    disturb(rbm, 0.05, 1);
    for (int method = ISG_UNMAP_DESCENT; method <= ISG_UNMAP_CAPTURE; method++) {
        isg_unmapping *found[3] = {NULL, NULL, NULL};
        const size_t threads[3] = {1, 2, 7};
        for (size_t k = 0; k < 3; k++) {
            isg_unmap_options options = isg_unmap_defaults();
            options.method = (isg_unmap_method)method;
            options.start = ISG_UNMAP_FROM_RANDOM;
            options.restarts = 5;
            options.samples = 500;
            isg_set_threads(threads[k]);
            assert_ok(isg_unmap(&found[k], rbm, &options, NULL));
        }
        isg_set_threads(0);
        const size_t m = isg_unmapping_describe(found[0]).n_patterns;
        for (size_t k = 1; k < 3; k++) {
            assert_int_equal(isg_unmapping_describe(found[k]).n_patterns, m);
            for (size_t mu = 0; mu < m; mu++)
                assert_memory_equal(isg_patterns_row(isg_unmapping_patterns(found[0]), mu),
                                    isg_patterns_row(isg_unmapping_patterns(found[k]), mu),
                                    2 * sizeof(uint64_t));
            assert_memory_equal(isg_unmapping_coefficients(found[0]).data,
                                isg_unmapping_coefficients(found[k]).data, 12 * m * sizeof(double));
        }
        for (size_t k = 0; k < 3; k++)
            isg_unmapping_free(found[k]);
    }
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static isg_status unmap_job(void *user) {
    const isg_rbm *rbm = user;
    for (int method = ISG_UNMAP_DESCENT; method <= ISG_UNMAP_CAPTURE; method++) {
        isg_unmapping *found = NULL;
        isg_unmap_options options = isg_unmap_defaults();
        options.samples = 100;
        options.method = (isg_unmap_method)method;
        options.flip = method == ISG_UNMAP_ENUMERATE;
        options.restarts = 2;
        options.start = method == ISG_UNMAP_DESCENT ? ISG_UNMAP_FROM_RANDOM : ISG_UNMAP_FROM_MODEL;
        const isg_status status = isg_unmap(&found, rbm, &options, NULL);
        isg_unmapping_free(found);
        if (status != ISG_OK)
            return status;
    }
    return ISG_OK;
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(20, 3, 8);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR);
    disturb(rbm, 0.05, 1);
    isg_set_threads(1);
    assert_true(sweep_allocations(unmap_job, rbm) > 80);
    isg_set_threads(0);
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
}

static bool never(void *user, double fraction) {
    (void)fraction;
    ++*(size_t *)user;
    return false;
}

static void test_refusals(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(30, 4, 1), *fewer = make_patterns(30, 3, 1);
    isg_patterns *longer = make_patterns(31, 4, 1);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR), *wide = random_rbm(5, 6, 1);
    isg_unmapping *found = NULL;
    isg_unmap_options options = isg_unmap_defaults();
    options.start = ISG_UNMAP_FROM_PATTERNS;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "no patterns");
    options.patterns = longer;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_SHAPE, "expected 30 units");
    options.patterns = fewer;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_SHAPE,
                 "one per hidden unit, found 3");
    options = isg_unmap_defaults();
    assert_fails(isg_unmap(&found, wide, &options, NULL), ISG_ERR_DEPENDENT,
                 "no more hidden than visible");
    options.method = ISG_UNMAP_DESCENT;
    options.gamma = 1.5;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "gamma: expected less than 1");
    options.gamma = -1;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "gamma: expected a positive");
    options = isg_unmap_defaults();
    options.alpha = (double)NAN;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "alpha");
    options = isg_unmap_defaults();
    options.restarts = 0;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "restarts");
    options = isg_unmap_defaults();
    options.method = (isg_unmap_method)4;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "method");

    options = isg_unmap_defaults();
    options.method = ISG_UNMAP_CAPTURE;
    options.samples = 0;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "samples");
    options.samples = 10;
    options.stay = true;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "stay: no data");
    options.stay = false;
    options.count = 31;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT, "count: 31 patterns");
    options.count = 11;
    assert_fails(isg_unmap(&found, rbm, &options, NULL), ISG_ERR_ARGUMENT,
                 "as patterns, 11, found 10");

    size_t calls = 0;
    const isg_progress progress = {never, &calls};
    options = isg_unmap_defaults();
    options.method = ISG_UNMAP_ENUMERATE;
    assert_fails(isg_unmap(&found, rbm, &options, &progress), ISG_ERR_CANCELLED, "cancelled");
    options.method = ISG_UNMAP_RELAX;
    options.start = ISG_UNMAP_FROM_RANDOM;
    assert_fails(isg_unmap(&found, rbm, &options, &progress), ISG_ERR_CANCELLED, "cancelled");
    assert_int_equal(calls, 2);

    for (size_t i = 0; i < 30; i++) /* a column of zeros */
        isg_rbm_weights(rbm).data[i * 4 + 2] = 0;
    assert_fails(isg_unmap(&found, rbm, NULL, NULL), ISG_ERR_DEPENDENT, "rank 3 of 4");
    isg_rbm_weights(rbm).data[7] = (double)NAN;
    assert_fails(isg_unmap(&found, rbm, NULL, NULL), ISG_ERR_ARGUMENT, "");
    assert_null(found);
    isg_rbm_free(rbm);
    isg_rbm_free(wide);
    isg_patterns_free(patterns);
    isg_patterns_free(fewer);
    isg_patterns_free(longer);
}

/* ---- capture ------------------------------------------------------------------------------------ */

/* The mean of |Q^T s|^2 / N under the RBM, Q spanning the patterns, by enumeration. */
static double exact_capture(const isg_rbm *rbm, const isg_patterns *patterns) {
    const size_t n = isg_rbm_describe(rbm).n_visible;
    const size_t p = isg_patterns_describe(patterns).n_patterns, states = (size_t)1 << n;
    double *probabilities = malloc(states * sizeof *probabilities), sum = 0;
    assert_non_null(probabilities);
    assert_ok(isg_exact_probabilities(rbm, probabilities));
    isg_rbm *span = NULL;
    assert_ok(isg_rbm_create(&span, n, p, 1));
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            isg_rbm_weights(span).data[i * p + mu] = isg_spin(isg_patterns_row(patterns, mu), i);
    double *projector = projector_of(span);
    for (uint64_t s = 0; s < states; s++)
        for (size_t i = 0; i < n; i++)
            sum += probabilities[s] * isg_spin(&s, i) * row_times(projector, &s, n, i, true);
    free(projector);
    free(probabilities);
    isg_rbm_free(span);
    return sum / (double)n;
}

/* Of all networks a flip away none captures more of the RBM itself, up to the error of the samples. */
static void check_best(const isg_rbm *rbm, const isg_unmap_options *options) {
    const double error = 0.01;
    isg_unmapping *found = NULL;
    assert_ok(isg_unmap(&found, rbm, options, NULL));
    const isg_unmap_report report = isg_unmapping_describe(found);
    const isg_patterns *patterns = isg_unmapping_patterns(found);
    const size_t n = report.n_visible, p = report.n_patterns;
    const double best = exact_capture(rbm, patterns);
    assert_true(fabs(report.capture - best) < error);
    assert_true(report.capture >= report.capture_before);
    int8_t *xi = malloc(n * p);
    assert_non_null(xi);
    for (size_t k = 0; k < n * p; k++) {
        for (size_t j = 0; j < n * p; j++)
            xi[j] =
                (int8_t)((j == k ? -1 : 1) * isg_spin(isg_patterns_row(patterns, j % p), j / p));
        isg_patterns *other = NULL;
        assert_ok(isg_patterns_create(&other, n, p, xi, NULL));
        assert_true(exact_capture(rbm, other) < best + error);
        isg_patterns_free(other);
    }
    free(xi);
    isg_unmapping_free(found);
}

static void test_capture_is_nearest_to_the_model(void **state) {
    (void)state;
    isg_patterns *patterns = make_patterns(10, 2, 3);
    isg_rbm *rbm = map_patterns(patterns, ISG_VIA_QR);
    isg_unmap_options options = isg_unmap_defaults();
    isg_unmapping *found = NULL;
    disturb(rbm, 0.25, 3);
    assert_ok(isg_unmap(&found, rbm, &options, NULL));
    const double relaxed = exact_capture(rbm, isg_unmapping_patterns(found));
    isg_unmapping_free(found);
    options.method = ISG_UNMAP_CAPTURE;
    assert_ok(isg_unmap(&found, rbm, &options, NULL));
    const isg_unmap_report report = isg_unmapping_describe(found);
    assert_true(exact_capture(rbm, isg_unmapping_patterns(found)) > relaxed - 0.01);
    assert_true(fabs(report.capture_before - relaxed) < 0.01);
    isg_unmapping_free(found);
    check_best(rbm, &options);
    for (options.count = 1; options.count < 5; options.count += 3)
        check_best(rbm, &options);
    isg_patterns_free(patterns);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapped_patterns_come_back),
        cmocka_unit_test(test_enumeration_needs_no_start),
        cmocka_unit_test(test_rounding_decides_nothing),
        cmocka_unit_test(test_many_hidden_units),
        cmocka_unit_test(test_gradient_is_the_slope),
        cmocka_unit_test(test_relaxation_lowers_the_residual),
        cmocka_unit_test(test_relax_beats_descent),
        cmocka_unit_test(test_enumeration_finds_the_lowest),
        cmocka_unit_test(test_random_weights_are_called_so),
        cmocka_unit_test(test_random_weights_are_called_so_after_any_search),
        cmocka_unit_test(test_neighbors_do_not_win),
        cmocka_unit_test(test_equals_have_an_order),
        cmocka_unit_test(test_pools_keep_the_best),
        cmocka_unit_test(test_capture_is_nearest_to_the_model),
        cmocka_unit_test(test_threads_change_nothing),
        slow_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
