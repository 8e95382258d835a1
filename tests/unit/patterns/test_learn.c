/* test_learn.c - gains of single flips are what flipping them does, and no flip is left that gains
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "helper_matrix.h"
#include "patterns/learn.h"

/* Samples near one of `classes` random prototypes. */
static isg_dataset *make_data(size_t m, size_t n, size_t classes, bool labelled) {
    int8_t *spins = malloc(m * n), *prototypes = malloc(classes * n);
    int64_t *labels = calloc(m, sizeof *labels);
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(m, ISG_PURPOSE_TEST, n, 7));
    assert_true(spins && prototypes && labels);
    for (size_t k = 0; k < classes * n; k++)
        prototypes[k] = isg_next_uniform(&random) < 0.4 ? 1 : -1;
    for (size_t a = 0; a < m; a++) {
        labels[a] = (int64_t)(a % classes);
        for (size_t i = 0; i < n; i++) {
            const int8_t spin = prototypes[a % classes * n + i];
            spins[a * n + i] = (int8_t)(isg_next_uniform(&random) < 0.4 ? -spin : spin);
        }
    }
    assert_ok(isg_dataset_create(&data, m, n, spins, labelled ? labels : NULL));
    free(spins);
    free(prototypes);
    free(labels);
    return data;
}

static isg_patterns *random_patterns(size_t n, size_t p) {
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_random(&patterns, n, p, 3));
    return patterns;
}

/* tr(P C) / N by a projector from the singular vectors, and the samples one by one. */
static double plain_capture(const isg_patterns *patterns, const isg_dataset *data) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    const size_t n = info.n_visible, p = info.n_patterns, m = isg_dataset_describe(data).n_samples;
    isg_matd xi = matrix_framed(n, p), u = matrix_framed(n, p), vt = matrix_framed(p, p);
    double *sigma = calloc(p, sizeof *sigma), sum = 0;
    assert_non_null(sigma);
    isg_patterns_fill(patterns, xi);
    assert_ok(isg_svd(u, sigma, vt, matrix_view(xi)));
    for (size_t a = 0; a < m; a++)
        for (size_t mu = 0; mu < p; mu++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += *matrix_at(u, i, mu) * isg_spin(isg_dataset_row(data, a), i);
            sum += along * along;
        }
    matrix_release(xi);
    matrix_release(u);
    matrix_release(vt);
    free(sigma);
    return sum / ((double)m * (double)n);
}

/* Of flipping unit i of pattern mu, with the memory of means found from the labels. */
static double plain_gain(const isg_patterns *patterns, const isg_dataset *data, size_t mu, size_t i,
                         double memory) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    isg_patterns *flipped = NULL;
    uint32_t *nearest = malloc(isg_dataset_describe(data).n_samples * sizeof *nearest);
    double mean = 0, count = 0;
    assert_non_null(nearest);
    assert_ok(isg_patterns_copy(&flipped, patterns, SIZE_MAX, NULL, NULL));
    isg_patterns_spins(flipped, mu)[i / 64] ^= UINT64_C(1) << i % 64;
    assert_ok(isg_patterns_nearest(patterns, data, nearest));
    for (size_t a = 0; a < isg_dataset_describe(data).n_samples; a++)
        if (nearest[a] == mu) {
            mean += isg_spin(isg_dataset_row(data, a), i);
            count++;
        }
    const double now = isg_spin(isg_patterns_row(flipped, mu), i);
    const double gain =
        (double)info.n_visible * (plain_capture(flipped, data) - plain_capture(patterns, data));
    isg_patterns_free(flipped);
    free(nearest);
    return gain + (count > 0 ? memory * 2 * now * mean / count : 0);
}

static void check_gains(const isg_ascent *my, const isg_patterns *start, double memory) {
    for (size_t i = 0; i < my->n; i++) {
        const double plain = plain_gain(my->patterns, my->data, my->visited, i, 0);
        const double of_memory = memory > 0 ? plain_gain(start, my->data, my->visited, i, memory) -
                                                  plain_gain(start, my->data, my->visited, i, 0)
                                            : 0;
        const double sign = isg_spin(isg_patterns_row(start, my->visited), i) *
                            isg_spin(isg_patterns_row(my->patterns, my->visited), i);
        assert_true(fabs(my->gains[i] - (plain + sign * of_memory)) < 1e-10);
    }
}

/* Before and after a few flips, of every pattern. */
static void check_flips(size_t m, size_t n, size_t p, double memory) {
    isg_dataset *data = make_data(m, n, 4, false);
    isg_patterns *start = random_patterns(n, p);
    isg_ascent my = {0};
    double capture = 0;
    assert_ok(isg_ascent_start(&my, start, data, memory));
    for (size_t mu = 0; mu < p; mu++) {
        assert_ok(isg_ascent_visit(&my, mu));
        check_gains(&my, start, memory);
        for (size_t k = 0; k < 3; k++)
            isg_ascent_flip(&my, (7 * k + mu) % n);
        check_gains(&my, start, memory);
    }
    assert_ok(isg_ascent_capture(&my, &capture));
    assert_true(fabs(capture - plain_capture(my.patterns, data)) < 1e-12);
    isg_ascent_release(&my);
    isg_patterns_free(start);
    isg_dataset_free(data);
}

static void test_gains(void **state) {
    (void)state;
    check_flips(50, 20, 1, 0);
    check_flips(70, 33, 4, 0);
    check_flips(64, 70, 5, 0.3);
}

/* The result is a maximum: no single flip raises what was asked for, and the capture is as reported. */
static void test_maximum(void **state) {
    (void)state;
    isg_dataset *data = make_data(60, 40, 4, true);
    isg_patterns *start = NULL, *learned = NULL, *again = NULL;
    isg_learning report;
    double ceiling = 0, capture = 0;
    assert_ok(isg_patterns_from_data(&start, data, NULL, NULL));
    assert_ok(isg_patterns_learn(&learned, start, data, NULL, &report, NULL));
    assert_true(report.is_finished && report.flips > 0 && report.rounds > 1);
    assert_true(fabs(report.capture_before - plain_capture(start, data)) < 1e-12);
    assert_true(fabs(report.capture - plain_capture(learned, data)) < 1e-12);
    assert_ok(isg_patterns_capture(learned, data, &capture));
    assert_true(capture == report.capture);
    assert_ok(isg_capture_ceiling(data, 4, &ceiling));
    assert_true(report.capture_before < report.capture && report.capture < ceiling);
    assert_string_equal(isg_patterns_label(learned, 2), isg_patterns_label(start, 2));
    for (size_t mu = 0; mu < 4; mu++)
        for (size_t i = 0; i < 40; i++)
            assert_true(plain_gain(learned, data, mu, i, 0) < 1e-8);
    assert_ok(isg_patterns_learn(&again, learned, data, NULL, &report, NULL));
    assert_int_equal(report.flips, 0);
    isg_patterns_free(start);
    isg_patterns_free(learned);
    isg_patterns_free(again);
    isg_dataset_free(data);
}

/* Memory keeps patterns near their means, at the cost of capture; much of it keeps them there. */
static void test_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data(60, 40, 4, true);
    isg_patterns *start = NULL;
    double last = 1;
    size_t flips = SIZE_MAX;
    assert_ok(isg_patterns_from_data(&start, data, NULL, NULL));
    static const double memories[] = {0, 0.05, 0.3, 100};
    for (size_t k = 0; k < 4; k++) {
        isg_learn_options options = isg_learn_defaults();
        isg_learning report;
        isg_patterns *learned = NULL;
        options.memory = memories[k];
        assert_ok(isg_patterns_learn(&learned, start, data, &options, &report, NULL));
        assert_true(k == 3 || report.capture < last);
        assert_true(report.capture <= last && report.flips <= flips);
        last = report.capture;
        flips = report.flips;
        isg_patterns_free(learned);
    }
    assert_int_equal(flips, 0); /* signs of means already */
    isg_patterns_free(start);
    isg_dataset_free(data);
}

/* Rounds one at a time lead to the same patterns as all at once, on any number of threads. */
static void test_rounds(void **state) {
    (void)state;
    isg_dataset *data = make_data(150, 50, 5, false);
    isg_patterns *now = random_patterns(50, 6), *all = NULL;
    isg_learn_options options = {.rounds = 1};
    isg_learning report;
    char one[65], other[65];
    isg_set_threads(2);
    assert_ok(isg_patterns_learn(&all, now, data, NULL, NULL, NULL));
    isg_set_threads(1);
    do {
        isg_patterns *next = NULL;
        assert_ok(isg_patterns_learn(&next, now, data, &options, &report, NULL));
        assert_int_equal(report.rounds, 1);
        isg_patterns_free(now);
        now = next;
    } while (!report.is_finished);
    assert_ok(isg_patterns_checksum(now, one));
    assert_ok(isg_patterns_checksum(all, other));
    assert_string_equal(one, other);
    isg_patterns_free(now);
    isg_patterns_free(all);
    isg_dataset_free(data);
}

/* Says stop after so many reports. */
static bool count_down(void *user, double fraction) {
    size_t *left = user;
    (void)fraction;
    return (*left)-- > 1;
}

/* Stopped after so many reports, everything is as reported, and learning goes on from whole rounds to `all`.
   Whether it was stopped before it was over. */
static bool check_stop(size_t reports, const isg_patterns *start, const isg_dataset *data,
                       const char *all, isg_learning *report) {
    const isg_learn_options options = {.keep = true};
    const isg_progress stop = {count_down, &reports};
    isg_patterns *some = NULL, *rest = NULL;
    char found[65];
    assert_ok(isg_patterns_learn(&some, start, data, &options, report, &stop));
    assert_true(report->is_cancelled != report->is_finished);
    assert_true(fabs(report->capture - plain_capture(some, data)) < 1e-12);
    assert_true(report->capture >= report->capture_before);
    if (report->rounds > 0) {
        assert_ok(isg_patterns_learn(&rest, some, data, NULL, NULL, NULL));
        assert_ok(isg_patterns_checksum(rest, found));
        assert_string_equal(found, all);
    }
    isg_patterns_free(some);
    isg_patterns_free(rest);
    return report->is_cancelled;
}

static void test_stop(void **state) {
    (void)state;
    isg_dataset *data = make_data(70, 30, 5, false);
    isg_patterns *start = random_patterns(30, 4), *all = NULL, *none = NULL;
    isg_learning report;
    char checksum[65];
    size_t in_first = 0, in_others = 0, left = 3;
    const isg_progress stop = {count_down, &left};
    assert_ok(isg_patterns_learn(&all, start, data, NULL, &report, NULL));
    assert_false(report.is_cancelled);
    assert_ok(isg_patterns_checksum(all, checksum));
    for (size_t reports = 1; check_stop(reports, start, data, checksum, &report); reports++) {
        in_first += report.rounds == 0;
        in_others += report.rounds > 0;
    }
    assert_true(in_first > 1 && in_others > 1);
    assert_int_equal(isg_patterns_learn(&none, start, data, NULL, NULL, &stop), ISG_ERR_CANCELLED);
    assert_null(none);
    isg_patterns_free(start);
    isg_patterns_free(all);
    isg_dataset_free(data);
}

static void test_labels_ignored(void **state) {
    (void)state;
    isg_dataset *data = make_data(60, 20, 3, true), *plain = make_data(60, 20, 3, false);
    isg_patterns *ignoring = NULL, *without = NULL;
    isg_pattern_options options = isg_pattern_defaults();
    char one[65], other[65];
    options.per_class = 4;
    assert_ok(isg_patterns_from_data(&without, plain, &options, NULL));
    options.ignore_labels = true;
    assert_ok(isg_patterns_from_data(&ignoring, data, &options, NULL));
    assert_int_equal(isg_patterns_describe(ignoring).n_patterns, 4);
    assert_null(isg_patterns_label(ignoring, 0));
    assert_ok(isg_patterns_checksum(ignoring, one));
    assert_ok(isg_patterns_checksum(without, other));
    assert_string_equal(one, other);
    isg_patterns_free(ignoring);
    isg_patterns_free(without);
    isg_dataset_free(data);
    isg_dataset_free(plain);
}

static void test_refused(void **state) {
    (void)state;
    isg_dataset *data = make_data(30, 12, 2, false);
    isg_patterns *out = NULL, *wide = random_patterns(13, 2), *start = random_patterns(12, 2);
    isg_patterns *twins = NULL;
    isg_learn_options options = {.memory = -1};
    assert_fails(isg_patterns_learn(&out, wide, data, NULL, NULL, NULL), ISG_ERR_SHAPE, "13");
    assert_fails(isg_patterns_learn(&out, start, data, &options, NULL, NULL), ISG_ERR_ARGUMENT,
                 "found -1");
    assert_ok(isg_patterns_copy(&twins, start, SIZE_MAX, isg_patterns_row(start, 1), NULL));
    assert_fails(isg_patterns_learn(&out, twins, data, NULL, NULL, NULL), ISG_ERR_DEPENDENT, "2");
    assert_fails(isg_patterns_random(&out, 0, 2, 1), ISG_ERR_ARGUMENT, "at least one");
    assert_null(out);
    isg_patterns_free(wide);
    isg_patterns_free(start);
    isg_patterns_free(twins);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains),          cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_stop),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_labels_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
