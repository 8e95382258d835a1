/* helper_dataset.c - two data sets that should be one
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_dataset.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "test.h"

static void assert_same_number(double a, double b) {
    if (!(isnan(a) && isnan(b)) && memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%.17g is not %.17g", a, b);
}

static void assert_same_text(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

void assert_same_encoding(const isg_encoding *a, const isg_encoding *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (!a)
        return;
    const isg_encoding_info x = isg_encoding_describe(a), y = isg_encoding_describe(b);
    assert_int_equal(x.n_visible, y.n_visible);
    assert_int_equal(x.n_columns, y.n_columns);
    assert_int_equal(x.rule, y.rule);
    assert_int_equal(x.has_names, y.has_names);
    assert_same_number(x.at, y.at);
    assert_same_number(x.full_scale, y.full_scale);
    assert_same_number(x.threshold, y.threshold);
    assert_same_number(x.smallest, y.smallest);
    assert_same_number(x.largest, y.largest);
    for (size_t i = 0; i < x.n_visible; i++) {
        assert_same_number(isg_encoding_threshold(a, i), isg_encoding_threshold(b, i));
        assert_same_text(isg_encoding_unit_name(a, i), isg_encoding_unit_name(b, i));
    }
}

static void assert_same_info(isg_dataset_info x, isg_dataset_info y) {
    assert_int_equal(x.n_samples, y.n_samples);
    assert_int_equal(x.n_visible, y.n_visible);
    assert_int_equal(x.n_classes, y.n_classes);
    assert_int_equal(x.image_height, y.image_height);
    assert_int_equal(x.image_width, y.image_width);
    assert_int_equal(x.has_values, y.has_values);
    assert_same_number(x.smallest, y.smallest);
    assert_same_number(x.largest, y.largest);
    assert_same_number(x.full_scale, y.full_scale);
    assert_same_number(x.threshold, y.threshold);
    assert_int_equal(x.n_constant, y.n_constant);
    assert_int_equal(x.n_unused_columns, y.n_unused_columns);
    assert_int_equal(x.n_missing, y.n_missing);
    assert_int_equal(x.n_missing_samples, y.n_missing_samples);
    assert_int_equal(x.n_unlabelled, y.n_unlabelled);
    assert_int_equal(x.n_unmatched_labels, y.n_unmatched_labels);
    assert_int_equal(x.columns_by_position, y.columns_by_position);
    assert_int_equal(x.joined_by_id, y.joined_by_id);
}

void assert_same_dataset(const isg_dataset *a, const isg_dataset *b) {
    const isg_dataset_info info = isg_dataset_describe(a);
    const size_t row_bytes = isg_words(info.n_visible) * sizeof(uint64_t);
    char x[65], y[65];
    assert_same_info(info, isg_dataset_describe(b));
    isg_dataset_checksum(a, x);
    isg_dataset_checksum(b, y);
    assert_string_equal(x, y);
    assert_int_equal(isg_dataset_labels(a) == NULL, isg_dataset_labels(b) == NULL);
    for (size_t k = 0; k < info.n_samples; k++) {
        const uint64_t *one = isg_dataset_missing(a, k), *other = isg_dataset_missing(b, k);
        assert_memory_equal(isg_dataset_row(a, k), isg_dataset_row(b, k), row_bytes);
        assert_int_equal(one == NULL, other == NULL);
        if (one)
            assert_memory_equal(one, other, row_bytes);
        if (isg_dataset_labels(a))
            assert_int_equal(isg_dataset_labels(a)[k], isg_dataset_labels(b)[k]);
        assert_same_text(isg_dataset_sample_id(a, k), isg_dataset_sample_id(b, k));
    }
    for (size_t c = 0; c < info.n_classes; c++) {
        assert_string_equal(isg_dataset_class_name(a, c), isg_dataset_class_name(b, c));
        assert_int_equal(isg_dataset_class_size(a, c), isg_dataset_class_size(b, c));
    }
    assert_same_encoding(isg_dataset_encoding(a), isg_dataset_encoding(b));
}
