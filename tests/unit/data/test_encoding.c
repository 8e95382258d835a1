/* test_encoding.c - encodings that outlive their models, and thresholds that somebody gave
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_dataset.h"
#include "test.h"

static void an_encoding_stays_while_it_has_users(void **state) {
    (void)state;
    const char text[] = "a,b\n1,0\n0,3\n2,2\n";
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    options.binarize = ISG_BINARIZE_MEAN;
    assert_ok(isg_dataset_load_memory(&data, "a.csv", text, sizeof text - 1, &options, NULL));
    const isg_encoding *kept = isg_encoding_retain(isg_dataset_encoding(data));
    assert_ptr_equal(kept, isg_dataset_encoding(data));
    isg_dataset_free(data);
    assert_string_equal(isg_encoding_unit_name(kept, 1), "b");
    assert_true(isg_encoding_threshold(kept, 0) == 1);
    isg_encoding_release(kept);
    assert_null(isg_encoding_retain(NULL));
    isg_encoding_release(NULL);
}

static void thresholds_make_an_encoding(void **state) {
    (void)state;
    const double equal[] = {2.5, 2.5, 2.5}, zero[] = {0, -0.0, 0}, own[] = {1, 0.5, -2};
    const char *const names[] = {"x", "y", "x"};
    const isg_encoding *encoding = NULL;
    assert_ok(isg_encoding_from_thresholds(&encoding, 3, equal, NULL));
    isg_encoding_info info = isg_encoding_describe(encoding);
    assert_true(info.rule == ISG_BINARIZE_VALUE && info.at == 2.5 && info.threshold == 2.5);
    assert_true(info.n_visible == 3 && info.n_columns == 3 && !info.has_names);
    isg_encoding_release(encoding);
    assert_ok(isg_encoding_from_thresholds(&encoding, 3, zero, NULL));
    info = isg_encoding_describe(encoding);
    assert_true(info.rule == ISG_BINARIZE_ZERO && info.threshold == 0);
    isg_encoding_release(encoding);
    assert_ok(isg_encoding_from_thresholds(&encoding, 3, own, names));
    info = isg_encoding_describe(encoding);
    assert_true(info.rule == ISG_BINARIZE_THRESHOLDS && isnan(info.threshold) && info.has_names);
    assert_true(isnan(info.smallest) && isnan(info.largest) && info.full_scale == 1);
    assert_true(isg_encoding_threshold(encoding, 2) == -2);
    assert_string_equal(isg_encoding_unit_name(encoding, 0), "x");
    assert_string_equal(isg_encoding_unit_name(encoding, 2), "x-1"); /* as in a file */
    isg_encoding_release(encoding);
}

/* They are stored with whatever is made of them, and decide on later data, grey levels or not. */
static void given_thresholds_are_applied_and_stored(void **state) {
    (void)state;
    const double own[] = {100, 0.5, -2, 7};
    const uint8_t pixels[] = {101, 0, 0, 8, 100, 1, 200, 7};
    const isg_values values = {.rows = 2,
                               .columns = 4,
                               .image_height = 2,
                               .image_width = 2,
                               .type = ISG_NUMBER_UINT8,
                               .data = pixels,
                               .row_stride = 4,
                               .column_stride = 1};
    const int expected[2][4] = {{1, -1, 1, 1}, {-1, 1, 1, -1}};
    const isg_encoding *encoding = NULL;
    isg_dataset *data = NULL, *again = NULL;
    isg_patterns *patterns = NULL, *other = NULL;
    isg_dataset_options options = isg_dataset_defaults();
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(isg_encoding_from_thresholds(&encoding, 4, own, NULL));
    options.encoding = encoding;
    assert_ok(isg_dataset_from_values(&data, &values, &options, NULL));
    for (size_t a = 0; a < 2; a++)
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(isg_spin(isg_dataset_row(data, a), i), expected[a][i]);
    assert_ok(isg_patterns_from_data(&patterns, data, NULL, NULL));
    assert_ok(isg_patterns_to_bytes(patterns, 1, NULL, &bytes, &size));
    assert_ok(isg_patterns_from_bytes(&other, NULL, bytes, size));
    assert_same_encoding(encoding, isg_patterns_encoding(other));
    isg_bytes_free(bytes);
    assert_ok(isg_dataset_to_bytes(data, 1, NULL, &bytes, &size));
    assert_ok(isg_dataset_from_bytes(&again, NULL, bytes, size));
    assert_same_dataset(data, again);
    isg_bytes_free(bytes);
    isg_encoding_release(encoding);
    isg_dataset_free(data);
    isg_dataset_free(again);
    isg_patterns_free(patterns);
    isg_patterns_free(other);
}

static void thresholds_are_no_rule_by_name(void **state) {
    (void)state;
    isg_binarize rule = ISG_BINARIZE_ZERO;
    double at = 3;
    char text[ISG_BINARIZE_ROOM];
    isg_binarize_text(ISG_BINARIZE_THRESHOLDS, 0, text);
    assert_string_equal(text, "thresholds");
    assert_fails(isg_binarize_parse("thresholds", &rule, &at), ISG_ERR_ARGUMENT,
                 "found 'thresholds'");
    assert_true(rule == ISG_BINARIZE_ZERO && at == 3);
}

static void senseless_thresholds_are_refused(void **state) {
    (void)state;
    const double good[] = {1, 2}, bad[] = {1, (double)NAN};
    const char *const names[] = {"x", NULL};
    const isg_encoding *none = NULL;
    assert_fails(isg_encoding_from_thresholds(&none, 0, good, NULL), ISG_ERR_ARGUMENT,
                 "n_visible: expected at least one unit");
    assert_fails(isg_encoding_from_thresholds(&none, 2, bad, NULL), ISG_ERR_ARGUMENT,
                 "thresholds: expected finite numbers, found nan for unit 1");
    assert_fails(isg_encoding_from_thresholds(&none, 2, good, names), ISG_ERR_ARGUMENT,
                 "unit_names: expected a name for each unit, found none for unit 1");
    assert_null(none);
}

static isg_status make_one(void *user) {
    const double own[] = {1, 2};
    const char *const names[] = {"x", "x"};
    const isg_encoding *encoding = NULL;
    (void)user;
    const isg_status status = isg_encoding_from_thresholds(&encoding, 2, own, names);
    isg_encoding_release(encoding);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_true(sweep_allocations(make_one, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_encoding_stays_while_it_has_users),
        cmocka_unit_test(thresholds_make_an_encoding),
        cmocka_unit_test(given_thresholds_are_applied_and_stored),
        cmocka_unit_test(thresholds_are_no_rule_by_name),
        cmocka_unit_test(senseless_thresholds_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
