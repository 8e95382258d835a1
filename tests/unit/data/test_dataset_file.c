/* test_dataset_file.c - data sets as bytes: nothing is lost, nothing else is taken for one
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "helper_dataset.h"
#include "io/npz.h"
#include "numpy_helper.h"

static isg_dataset *from_csv(const char *text, const isg_dataset_options *options) {
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_load_memory(&data, "a.csv", text, strlen(text), options, NULL));
    return data;
}

static isg_dataset *round_trip(const isg_dataset *data) {
    isg_dataset *again = NULL;
    void *bytes = NULL, *same = NULL;
    size_t size = 0, same_size = 0;
    assert_ok(isg_dataset_to_bytes(data, 7, "a command", &bytes, &size));
    assert_ok(isg_dataset_from_bytes(&again, "a", bytes, size));
    assert_same_dataset(data, again);
    assert_ok(isg_dataset_to_bytes(again, 7, "a command", &same, &same_size));
    assert_int_equal(size, same_size); /* the fill of the encoding among them */
    assert_memory_equal(bytes, same, size);
    isg_bytes_free(bytes);
    isg_bytes_free(same);
    return again;
}

static const char cells[] = ",kind,x,y,z,one\nc1,b,1,,3,1\nc2,a,0.1,5,-1e-300,1\n"
                            "c3,,2,4,0,1\nc4,10,-1,3,,1\nc5,a,7,7,7,1\n";

static isg_dataset *example(void) {
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "kind";
    options.missing = ISG_MISSING_IMPUTE;
    options.keep_unlabelled = true;
    options.drop_constant = true;
    options.binarize = ISG_BINARIZE_MEAN;
    return from_csv(cells, &options);
}

static void nothing_is_lost(void **state) {
    (void)state;
    isg_dataset *data = example(), *again = round_trip(data);
    const isg_dataset_info info = isg_dataset_describe(again);
    assert_true(info.n_unlabelled == 1 && info.n_missing == 2 && info.n_constant == 1);
    assert_int_equal(isg_dataset_labels(again)[2], ISG_UNLABELLED);
    assert_string_equal(isg_dataset_sample_id(again, 3), "c4");
    assert_non_null(isg_dataset_missing(again, 3));
    isg_dataset_free(data);
    isg_dataset_free(again);
}

static void classes_without_samples_stay(void **state) {
    (void)state;
    isg_dataset_options options = isg_dataset_defaults();
    options.label_column = "y";
    options.limit = 2;
    isg_dataset *data = from_csv("y,a,b\n9,1,0\n9,0,1\n10,1,1\n", &options);
    isg_dataset *again = round_trip(data);
    assert_int_equal(isg_dataset_describe(again).n_classes, 2);
    assert_string_equal(isg_dataset_class_name(again, 1), "10");
    assert_int_equal(isg_dataset_class_size(again, 1), 0);
    isg_dataset_free(data);
    isg_dataset_free(again);
}

static void small_and_odd_ones(void **state) {
    (void)state;
    int8_t spins[3 * 200];
    const int64_t labels[] = {-5, 5, -5};
    isg_dataset *data = NULL, *part = NULL;
    for (size_t k = 0; k < sizeof spins; k++)
        spins[k] = (int8_t)(k * k % 7 < 3);
    for (size_t n = 1; n <= 200; n += n < 20 || (n > 60 && n < 70) ? 1 : 7) {
        assert_ok(isg_dataset_create(&data, 3, n, spins, n % 2 ? labels : NULL));
        isg_dataset *again = round_trip(data);
        assert_null(isg_dataset_encoding(again));
        isg_dataset_free(again);
        assert_ok(isg_dataset_select(&part, data, (const size_t[]){2}, 1));
        isg_dataset_free(round_trip(part));
        isg_dataset_free(part);
        isg_dataset_free(data);
    }
    /* Labels that are all missing, and images of grey levels. */
    isg_dataset_options options = isg_dataset_defaults();
    options.keep_unlabelled = true;
    const uint8_t pixels[] = {0, 9, 8, 255, 3, 2};
    const char *const none[] = {NULL};
    const isg_values values = {.rows = 1,
                               .columns = 6,
                               .image_height = 2,
                               .image_width = 3,
                               .type = ISG_NUMBER_UINT8,
                               .data = pixels,
                               .column_stride = 1,
                               .labels = none};
    assert_ok(isg_dataset_from_values(&data, &values, &options, NULL));
    isg_dataset *again = round_trip(data);
    assert_int_equal(isg_dataset_describe(again).image_width, 3);
    assert_true(isg_dataset_describe(again).full_scale == 255);
    assert_non_null(isg_dataset_labels(again));
    isg_dataset_free(again);
    isg_dataset_free(data);
}

static void numpy_opens_it(void **state) {
    (void)state;
    char *scratch = scratch_create();
    isg_dataset *data = example();
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(isg_dataset_to_bytes(data, 7, "a command", &bytes, &size));
    write_file(in(scratch, "d.npz"), bytes, size);
    run_python(scratch,
               "import json\n"
               "d = np.load('d.npz')\n"
               "meta = json.loads(d['meta.json'])\n"
               "assert meta['kind'] == 'dataset' and meta['command'] == 'a command', meta\n"
               "spins = np.unpackbits(d['spins'], axis=1)[:, :3]\n"
               "assert spins[4].tolist() == [1, 1, 1] and spins[1].tolist() == [0, 1, 0], spins\n"
               "assert np.unpackbits(d['missing'], axis=1)[:, :3].sum() == 2\n"
               "assert d['labels'].tolist() == [2, 1, -1, 0, 1]\n"
               "assert d['classes'].tolist() == ['10', 'a', 'b']\n"
               "assert d['units'].tolist() == ['x', 'y', 'z']\n"
               "assert json.loads(d['dataset.json'])['n_missing'] == 2\n");
    isg_bytes_free(bytes);
    isg_dataset_free(data);
    scratch_remove(scratch);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    isg_dataset *data = example(), *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(isg_dataset_to_bytes(data, 7, "a command", &bytes, &size));
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    for (size_t length = 0; length < size; length++) {
        assert_int_equal(isg_dataset_from_bytes(&again, NULL, bytes, length), ISG_ERR_FORMAT);
        assert_non_null(strstr(isg_error_message(), "bytes"));
        assert_null(again);
    }
    for (size_t k = 0; k < size; k++) {
        copy[k] ^= 4;
        if (isg_dataset_from_bytes(&again, NULL, copy, size) == ISG_OK) {
            assert_same_dataset(data, again);
            isg_dataset_free(again);
            again = NULL;
        }
        copy[k] ^= 4;
    }
    free(copy);
    isg_bytes_free(bytes);
    isg_dataset_free(data);
}

static void other_files_are_refused(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    isg_dataset *data = example(), *none = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(isg_rbm_create(&rbm, 3, 2, 1));
    assert_ok(isg_rbm_to_bytes(rbm, 1, NULL, &bytes, &size));
    assert_fails(isg_dataset_from_bytes(&none, "m.npz", bytes, size), ISG_ERR_FORMAT,
                 "m.npz: expected a text \"dataset.json\", found \"W\"");
    isg_bytes_free(bytes);
    isg_rbm_free(rbm);
    assert_ok(isg_dataset_to_bytes(data, 7, NULL, &bytes, &size));
    rbm = NULL;
    assert_fails(isg_rbm_from_bytes(&rbm, "d.npz", bytes, size), ISG_ERR_FORMAT,
                 "d.npz: expected an array \"W\"");
    assert_null(rbm);
    assert_fails(isg_dataset_load_memory(&none, "d.npz", bytes, size, NULL, NULL), ISG_ERR_FORMAT,
                 "d.npz: expected an array \"X\"");
    assert_null(none);
    isg_bytes_free(bytes);
    isg_dataset_free(data);
}

/* An archive whose parts contradict each other. */
typedef struct forgery {
    const char *samples, *units;  /* numbers of dataset.json */
    size_t rows, bytes, n_labels; /* of the arrays; no labels if 0 */
    int64_t label;
    const char *class_name;
    isg_status status;
    const char *sentence;
} forgery;

static isg_status read_forgery(const forgery *f) {
    char text[1024];
    const uint8_t zeros[64] = {0};
    const int64_t labels[3] = {f->label, 0, 0};
    isg_dataset *data = NULL;
    isg_npz_writer *writer = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(isg_npz_writer_create(&writer, NULL));
    snprintf(text, sizeof text,
             "{\"n_samples\": %s, \"n_visible\": %s, \"has_values\": 0, \"n_constant\": 0, "
             "\"n_unused_columns\": 0, \"n_missing\": 0, \"n_missing_samples\": 0, "
             "\"n_unlabelled\": 0, \"n_unmatched_labels\": 0, \"columns_by_position\": 0, "
             "\"joined_by_id\": 0}",
             f->samples, f->units);
    assert_ok(isg_npz_writer_add_text(writer, "dataset.json", text));
    isg_array_type type = isg_array_type_of(ISG_UINT8, 2, (const size_t[]){f->rows, f->bytes});
    assert_ok(isg_npz_writer_add_array(writer, "spins", &type, zeros));
    if (f->n_labels) {
        type = isg_array_type_of(ISG_INT64, 1, &f->n_labels);
        assert_ok(isg_npz_writer_add_array(writer, "labels", &type, labels));
        uint32_t name[300] = {0};
        for (size_t k = 0; f->class_name[k]; k++)
            name[k] = (uint32_t)f->class_name[k];
        type = isg_array_type_of(ISG_INT32, 1, (const size_t[]){1});
        type.dtype = ISG_UNICODE;
        type.item_bytes = sizeof name;
        assert_ok(isg_npz_writer_add_array(writer, "classes", &type, name));
    }
    assert_ok(isg_npz_writer_end(writer, ISG_OK, &bytes, &size));
    const isg_status status = isg_dataset_from_bytes(&data, "f", bytes, size);
    isg_bytes_free(bytes);
    isg_dataset_free(data);
    return status;
}

static void contradictions_are_refused(void **state) {
    (void)state;
    char long_name[280];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const forgery forgeries[] = {
        {"0", "9", 0, 2, 0, 0, "", ISG_ERR_FORMAT, "f: dataset.json: expected at least one"},
        {"3", "0", 3, 0, 0, 0, "", ISG_ERR_FORMAT, "f: dataset.json: expected at least one"},
        {"-3", "9", 3, 2, 0, 0, "", ISG_ERR_FORMAT, "f: n_samples: expected a number of at least"},
        {"3", "17", 3, 2, 0, 0, "", ISG_ERR_SHAPE, "f: spins: expected 3 x 3 bytes"},
        {"4", "9", 3, 2, 0, 0, "", ISG_ERR_SHAPE, "f: spins: expected 4 x 2 bytes"},
        {"9223372036854775807", "9223372036854775807", 3, 2, 0, 0, "", ISG_ERR_SHAPE, "f: spins"},
        {"3", "9", 3, 2, 2, 0, "a", ISG_ERR_SHAPE, "f: labels: expected one for each of 3"},
        {"3", "9", 3, 2, 3, 1, "a", ISG_ERR_FORMAT, "f: labels: expected the numbers of classes"},
        {"3", "9", 3, 2, 3, -2, "a", ISG_ERR_FORMAT, "f: labels: expected the numbers of classes"},
        {"3", "9", 3, 2, 3, 0, "", ISG_ERR_FORMAT, "f: classes: expected names of 1 to 255"},
        {"3", "9", 3, 2, 3, 0, long_name, ISG_ERR_FORMAT, "f: classes: expected names of 1 to"},
    };
    for (size_t k = 0; k < sizeof forgeries / sizeof forgeries[0]; k++)
        assert_fails(read_forgery(&forgeries[k]), forgeries[k].status, forgeries[k].sentence);
    const forgery good = {"3", "9", 3, 2, 3, -1, "a", ISG_OK, ""};
    assert_ok(read_forgery(&good));
}

static isg_status there_and_back(void *user) {
    isg_dataset *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    ISG_TRY(isg_dataset_to_bytes(user, 7, "a command", &bytes, &size));
    const isg_status status = isg_dataset_from_bytes(&again, NULL, bytes, size);
    isg_bytes_free(bytes);
    isg_dataset_free(again);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    isg_dataset *data = example();
    assert_true(sweep_allocations(there_and_back, data) > 50);
    isg_dataset_free(data);
    isg_bytes_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(classes_without_samples_stay),
        cmocka_unit_test(small_and_odd_ones),
        cmocka_unit_test(numpy_opens_it),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
