/* test_dataset_hdf5.c - cells in HDF5 files: one set of spins, names and labels, whatever the form
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <string.h>

#include "helper_allocation.h"
#include "helper_hdf5.h"

static h5_maker maker;

static isg_status load(isg_dataset **out, size_t size, const char *label_column,
                       bool keep_unlabelled) {
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = label_column;
    options.keep_unlabelled = keep_unlabelled;
    return isg_dataset_load_memory(out, "cells.h5ad", maker.bytes, size, &options, NULL);
}

static void check_cells(const isg_dataset *data) {
    static const uint64_t rows[] = {5, 4, 3, 6}; /* bit i: gene i */
    static const char *const cells[] = {"AAAC-1", "AAAG-1", "AACT-1", "AAGG-1"};
    static const char *const genes[] = {"CD3E", "LYZ", "NKG7"};
    const isg_dataset_info info = isg_dataset_describe(data);
    assert_int_equal(info.n_samples, 4);
    assert_int_equal(info.n_visible, 3);
    assert_true(info.smallest == 0 && info.largest == 7);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(isg_dataset_row(data, k)[0], rows[k]);
        assert_string_equal(isg_dataset_sample_id(data, k), cells[k]);
    }
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(isg_encoding_unit_name(isg_dataset_encoding(data), i), genes[i]);
}

static void test_forms(void **state) {
    (void)state;
    for (const char *form = "drc12"; *form; form++)
        for (size_t per_node = 0; per_node <= 2; per_node += 2) {
            isg_dataset *data = NULL;
            const bool is_anndata = *form != '1' && *form != '2';
            maker.per_node = per_node;
            h5_make_cells(&maker, *form);
            maker.per_node = 0;
            assert_ok(load(&data, maker.size, is_anndata ? "cell_type" : NULL, true));
            check_cells(data);
            const uint32_t labels[] = {0, 1, ISG_UNLABELLED, 0};
            if (is_anndata) {
                assert_memory_equal(isg_dataset_labels(data), labels, sizeof labels);
                assert_string_equal(isg_dataset_class_name(data, 0), "T");
                assert_string_equal(isg_dataset_class_name(data, 1), "mono");
            }
            isg_dataset_free(data);
        }
}

/* Thresholds that are learned take a second pass: the means are 1.25, 2.75 and 3. */
static void test_learned_thresholds(void **state) {
    (void)state;
    static const uint64_t rows[] = {0, 0, 3, 6};
    for (const char *form = "drc12"; *form; form++) {
        isg_dataset_options options = isg_dataset_defaults();
        isg_dataset *data = NULL;
        options.binarize = ISG_BINARIZE_MEAN;
        h5_make_cells(&maker, *form);
        assert_ok(isg_dataset_load_memory(&data, "x.h5", maker.bytes, maker.size, &options, NULL));
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(isg_dataset_row(data, k)[0], rows[k]);
        isg_dataset_free(data);
    }
}

/* A category called "nan" is none, as in a table: pandas makes such texts of missing values. */
static void test_words_for_no_label(void **state) {
    (void)state;
    const uint32_t labels[] = {0, ISG_UNLABELLED, ISG_UNLABELLED, 0};
    isg_dataset *data = NULL;
    size_t n_found = 0;
    h5_make_cells(&maker, 'd');
    for (size_t k = 0; k + 4 <= maker.size; k++)
        if (memcmp(maker.bytes + k, "mono", 4) == 0) {
            memcpy(maker.bytes + k, "nan", 4);
            n_found++;
        }
    assert_int_equal(n_found, 1);
    assert_ok(load(&data, maker.size, "cell_type", true));
    assert_memory_equal(isg_dataset_labels(data), labels, sizeof labels);
    isg_dataset_free(data);
}

static void test_refused(void **state) {
    (void)state;
    isg_dataset *data = NULL;
    isg_dataset_options options = isg_dataset_defaults();
    h5_make_cells(&maker, 'r');
    assert_fails(load(&data, maker.size, "type", false), ISG_ERR_FORMAT,
                 "cells.h5ad(/obs): there is no column 'type'; the columns are cell_type");
    assert_fails(load(&data, maker.size, "cell_type/codes", false), ISG_ERR_FORMAT,
                 "there is no column 'cell_type/codes'");
    options.transpose = true;
    assert_fails(isg_dataset_load_memory(&data, "a.h5ad", maker.bytes, maker.size, &options, NULL),
                 ISG_ERR_ARGUMENT, "the samples already, without --transpose");
    options = isg_dataset_defaults();
    options.expected_sha256 = "00";
    assert_fails(isg_dataset_load_memory(&data, "a.h5ad", maker.bytes, maker.size, &options, NULL),
                 ISG_ERR_UNSUPPORTED, ".h5ad files cannot be checked");
    assert_fails(isg_dataset_load_memory(&data, "a.h5ad.gz", maker.bytes, maker.size, NULL, NULL),
                 ISG_ERR_FORMAT, "may end in .gz");
    h5_make_cells(&maker, '2');
    assert_fails(load(&data, maker.size, "type", false), ISG_ERR_ARGUMENT,
                 "a file of 10x has no columns of labels; give a file with --labels");
    h5_make_sample(&maker);
    assert_fails(load(&data, maker.size, NULL, false), ISG_ERR_FORMAT,
                 "expected /X as AnnData writes it, or /matrix as Cell Ranger does, found group");
}

static isg_status load_and_free(void *user) {
    isg_dataset *data = NULL;
    const isg_status status = load(&data, *(const size_t *)user, "cell_type", false);
    isg_dataset_free(data);
    return status;
}

static void test_truncation(void **state) {
    (void)state;
    for (const char *form = "dc"; *form; form++) {
        h5_make_cells(&maker, *form);
        for (size_t size = 0; size < maker.size; size++)
            assert_int_equal(run_without_leak(load_and_free, &size), ISG_ERR_FORMAT);
    }
}

/* Whatever comes of it, nothing leaks. */
static void test_flipped_bits(void **state) {
    (void)state;
    for (const char *form = "dc"; *form; form++) {
        h5_make_cells(&maker, *form);
        for (size_t k = 0; k < 8 * maker.size; k++) {
            maker.bytes[k / 8] ^= (uint8_t)(1 << k % 8);
            run_without_leak(load_and_free, &maker.size);
            maker.bytes[k / 8] ^= (uint8_t)(1 << k % 8);
        }
    }
}

static void test_allocation_failures(void **state) {
    (void)state;
    for (const char *form = "dr"; *form; form++) {
        h5_make_cells(&maker, *form);
        assert_true(sweep_allocations(load_and_free, &maker.size) > 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_learned_thresholds),
        cmocka_unit_test(test_words_for_no_label),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_allocation_failures),
        slow_unit_test(test_flipped_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
