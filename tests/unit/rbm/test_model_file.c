/* test_model_file.c - RBMs in files: round trips, NumPy both ways, damaged, without memory
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "helper_scratch.h"
#include "rbm/rbm.h"

/* An RBM mapped from labelled patterns of 2 x 3 units, with both fields and full-precision
   numbers. */
static isg_rbm *example(void) {
    const int8_t xi[] = {1, 1, -1, 1, -1, 1, 1, 1, -1, -1, 1, 1};
    const char *const labels[] = {"cat", "d\xc3\xb6g"};
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    assert_ok(isg_patterns_create(&patterns, 6, 2, xi, labels));
    patterns->info.image_height = 2;
    patterns->info.image_width = 3;
    isg_mapping_options options = isg_mapping_defaults();
    options.beta = 1.0 / 3;
    assert_ok(isg_rbm_from_patterns(&rbm, patterns, &options, NULL));
    for (size_t i = 0; i < 6; i++)
        isg_rbm_visible_field(rbm)[i] = sin((double)i);
    isg_rbm_visible_field(rbm)[3] = -0.0;
    isg_rbm_hidden_field(rbm)[1] = 5e-324;
    isg_patterns_free(patterns);
    return rbm;
}

static void test_round_trip_is_exact(void **state) {
    (void)state;
    isg_rbm *rbm = example(), *again = NULL;
    assert_ok(isg_rbm_save(rbm, in(directory, "m.npz"), 7, "isinglass map"));
    assert_ok(isg_rbm_load(&again, in(directory, "m.npz")));
    const isg_rbm_info info = isg_rbm_describe(again);
    assert_true(info.n_visible == 6 && info.n_hidden == 2 && info.beta == rbm->info.beta);
    assert_true(info.image_height == 2 && info.image_width == 3);
    assert_memory_equal(again->weights, rbm->weights, 12 * sizeof(double));
    assert_memory_equal(again->b, rbm->b, 6 * sizeof(double));
    assert_memory_equal(again->c, rbm->c, 2 * sizeof(double));
    assert_int_equal(isg_rbm_coefficients(again).cols, 2);
    assert_memory_equal(again->r, rbm->r, 4 * sizeof(double));
    assert_memory_equal(again->patterns->spins, rbm->patterns->spins, 2 * sizeof(uint64_t));
    assert_string_equal(isg_patterns_label(isg_rbm_patterns(again), 1), "d\xc3\xb6g");
    assert_ok(isg_rbm_remove_pattern(again, 0)); /* it is still the RBM of a mapping */
    isg_rbm_free(again);
    isg_rbm_free(rbm);
}

static void test_saves_what_little_is_known(void **state) {
    (void)state;
    isg_rbm *rbm = NULL, *again = NULL;
    assert_ok(isg_rbm_create(&rbm, 3, 2, 1));
    assert_ok(isg_rbm_save(rbm, in(directory, "m.npz"), 0, NULL));
    assert_ok(isg_rbm_load(&again, in(directory, "m.npz")));
    assert_null(isg_rbm_patterns(again));
    assert_null(isg_rbm_coefficients(again).data);
    assert_int_equal(isg_rbm_describe(again).image_height, 0);
    assert_fails(isg_rbm_remove_pattern(again, 0), ISG_ERR_ARGUMENT, "via qr");
    isg_rbm_free(again);
    isg_rbm_free(rbm);
}

static void test_numpy_opens_it(void **state) {
    (void)state;
    isg_rbm *rbm = example();
    assert_ok(isg_rbm_save(rbm, in(directory, "m.npz"), 7, "isinglass map p.npz"));
    run_python(directory, "import json\n"
                          "m = np.load('m.npz')\n"
                          "assert m['W'].shape == (6, 2) and m['W'].dtype == np.float64\n"
                          "assert np.array_equal(m['b'][1], np.sin(1.0)) and m['b'].shape == (6,)\n"
                          "assert m['c'].tolist() == [0, 5e-324]\n"
                          "assert m['beta'].shape == () and m['beta'] == 1 / 3\n"
                          "assert m['xi'].dtype == np.int8 and m['xi'][2].tolist() == [-1, 1]\n"
                          "assert m['labels'].tolist() == ['cat', 'd\\u00f6g']\n"
                          "assert abs(m['W'] @ m['R'] - m['xi']).max() < 1e-15 * 6\n"
                          "meta = json.loads(m['meta.json'])\n"
                          "assert meta['kind'] == 'model' and meta['seed'] == '7', meta\n"
                          "assert meta['command'] == 'isinglass map p.npz', meta\n");
    isg_rbm_free(rbm);
}

/* Lets NumPy write m0.npz, m1.npz, ...; `arguments` (count) are those of np.savez. */
static void write_by_numpy(const char *const *arguments, size_t count) {
    FILE *script = python_begin(directory);
    fputs("W = np.arange(6.).reshape(3, 2) / 7\n"
          "xi = np.array([[1, 1], [1, -1], [-1, 1]])\n",
          script);
    for (size_t k = 0; k < count; k++)
        fprintf(script, "np.savez('m%zu.npz', %s)\n", k, arguments[k]);
    python_end(directory, script);
}

static const char *numbered(size_t k) {
    char name[32];
    snprintf(name, sizeof name, "m%zu.npz", k);
    return in(directory, name);
}

static void test_opens_what_numpy_wrote(void **state) {
    (void)state;
    isg_rbm *rbm = NULL;
    enum { SAME = 4, SINGLE = SAME, COEFFICIENTS };
    const char *const files[] = {
        "W=W, beta=2.5",
        "W=np.asfortranarray(W), beta=np.array([2.5])",
        "W=W.astype('>f8'), beta=np.float32(2.5), b=np.zeros(3), c=np.zeros(2, np.float32)",
        "W=W, beta=2.5, labels=np.array([1, 2])", /* labels of nothing */
        "W=np.float32(W), beta=1, xi=xi, b=[1, 2, 3]",
        "W=W, beta=1, R=np.arange(10).reshape(2, 5)",
    };
    write_by_numpy(files, sizeof files / sizeof files[0]);
    for (size_t k = 0; k < SAME; k++) {
        assert_ok(isg_rbm_load(&rbm, numbered(k)));
        assert_true(isg_rbm_describe(rbm).beta == 2.5);
        for (size_t j = 0; j < 6; j++)
            assert_true(isg_rbm_weights(rbm).data[j] == (double)j / 7);
        for (size_t i = 0; i < 3; i++)
            assert_true(isg_rbm_visible_field(rbm)[i] == 0);
        assert_null(isg_rbm_patterns(rbm));
        isg_rbm_free(rbm);
    }
    assert_ok(isg_rbm_load(&rbm, numbered(SINGLE)));
    assert_true(isg_rbm_weights(rbm).data[5] == (double)(float)(5.0 / 7));
    assert_true(isg_rbm_visible_field(rbm)[2] == 3);
    assert_int_equal(isg_patterns_row(isg_rbm_patterns(rbm), 1)[0], 5);
    assert_null(isg_rbm_coefficients(rbm).data);
    isg_rbm_free(rbm);
    assert_ok(isg_rbm_load(&rbm, numbered(COEFFICIENTS)));
    assert_null(isg_rbm_patterns(rbm));
    assert_int_equal(isg_rbm_coefficients(rbm).cols, 5);
    assert_true(isg_rbm_coefficients(rbm).data[9] == 9);
    assert_ok(isg_rbm_save(rbm, in(directory, "again.npz"), 0, NULL));
    isg_rbm_free(rbm);
    assert_ok(isg_rbm_load(&rbm, in(directory, "again.npz")));
    assert_int_equal(isg_rbm_coefficients(rbm).cols, 5);
    isg_rbm_free(rbm);
}

static void test_refuses_wrong_arrays(void **state) {
    (void)state;
    const struct {
        const char *arguments, *part;
        isg_status status;
    } cases[] = {
        {"beta=1", "W", ISG_ERR_FORMAT},
        {"W=W", "beta", ISG_ERR_FORMAT},
        {"W=W, beta=0", "beta: expected a number from 1e-30 to 1e+30, found 0", ISG_ERR_FORMAT},
        {"W=W, beta=-1", "from 1e-30", ISG_ERR_FORMAT},
        {"W=W, beta=np.nan", "beta, number 1: expected a finite number, found nan", ISG_ERR_FORMAT},
        {"W=W, beta=[1, 2]", "beta: expected one number, found 2", ISG_ERR_FORMAT},
        {"xi=xi, beta=1", "expected an array \"W\" of an RBM, found patterns", ISG_ERR_FORMAT},
        {"W=W[0], beta=1", "visible units x hidden units, found 1 dimension", ISG_ERR_FORMAT},
        {"W=W[None], beta=1", "visible units x hidden units, found 3 dimensions", ISG_ERR_FORMAT},
        {"W=W[:0], beta=1", "visible units x hidden units, found 0 x 2", ISG_ERR_FORMAT},
        {"W=np.where(W > 0.7, np.inf, W), beta=1", "W, row 3, column 2: expected a finite number",
         ISG_ERR_FORMAT},
        {"W=np.float32(W) * np.float32(-np.inf), beta=1",
         "column 1: expected a finite number, found nan", ISG_ERR_FORMAT},
        {"W=W, beta=1, b=[1, 2]", "b: expected 3 numbers", ISG_ERR_SHAPE},
        {"W=W, beta=1, b=W", "b: expected 3 numbers", ISG_ERR_SHAPE},
        {"W=W, beta=1, b=[1, np.nan, 0]", "b, number 2", ISG_ERR_FORMAT},
        {"W=W, beta=1, c=[1, 2, 3]", "c: expected 2 numbers", ISG_ERR_SHAPE},
        {"W=W, beta=1, c=[1, -np.inf]", "found -inf", ISG_ERR_FORMAT},
        {"W=W, beta=1, xi=xi[:2]", "xi: expected 3 rows", ISG_ERR_SHAPE},
        {"W=W, beta=1, xi=0 * xi", "+1 or -1", ISG_ERR_FORMAT},
        {"W=W, beta=1, xi=xi, labels=np.array([1, 2, 3])", "labels", ISG_ERR_SHAPE},
        {"W=W, beta=1, xi=xi, R=np.eye(3)[:2]", "R: expected 2 columns", ISG_ERR_SHAPE},
        {"W=W, beta=1, R=np.eye(3)", "R: expected 2 rows", ISG_ERR_SHAPE},
        {"W=W, beta=1, R=np.ones(2)", "hidden units x patterns", ISG_ERR_SHAPE},
        {"W=W, beta=1, R=[[1, 2], [3, np.nan]]", "R, row 2, column 2", ISG_ERR_FORMAT},
        {"W=np.array([['a', 'b']]), beta=1", "expected numbers, found text", ISG_ERR_FORMAT},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    const char *arguments[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        arguments[k] = cases[k].arguments;
    write_by_numpy(arguments, COUNT);
    for (size_t k = 0; k < COUNT; k++) {
        isg_rbm *rbm = NULL;
        assert_fails(isg_rbm_load(&rbm, numbered(k)), cases[k].status, cases[k].part);
        assert_non_null(strstr(isg_error_message(), ".npz"));
        assert_null(rbm);
    }
    isg_rbm *rbm = NULL;
    assert_fails(isg_rbm_load(&rbm, in(directory, "nothing.npz")), ISG_ERR_IO, "nothing.npz");
}

/* ---- damaged, and without memory ------------------------------------------------------------------- */

static isg_status read_bytes(isg_rbm **out, const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_file_from_memory(&file, "m.npz", bytes, size));
    ISG_TRY_GOTO(isg_zip_open(&zip, file));
    status = isg_rbm_read(out, zip);
done:
    isg_zip_close(zip);
    isg_file_close(file);
    return status;
}

static void test_damaged_files(void **state) {
    (void)state;
    isg_rbm *rbm = example(), *again = NULL;
    assert_ok(isg_rbm_save(rbm, in(directory, "m.npz"), 7, "isinglass map"));
    size_t size = 0;
    uint8_t *bytes = read_file(in(directory, "m.npz"), &size);
    for (size_t length = 0; length < size; length++) {
        assert_int_equal(read_bytes(&again, bytes, length), ISG_ERR_FORMAT);
        assert_null(again);
    }
    for (size_t k = 0; k < size; k++) { /* a flipped bit is noticed, or does not matter */
        bytes[k] ^= 4;
        if (read_bytes(&again, bytes, size) == ISG_OK) {
            assert_memory_equal(again->weights, rbm->weights, 12 * sizeof(double));
            isg_rbm_free(again);
            again = NULL;
        }
        bytes[k] ^= 4;
    }
    assert_ok(read_bytes(&again, bytes, size));
    isg_rbm_free(again);
    free(bytes);
    isg_rbm_free(rbm);
}

static void test_bytes_are_those_of_the_file(void **state) {
    (void)state;
    isg_rbm *rbm = example(), *again = NULL;
    void *bytes = NULL, *same = NULL;
    size_t size = 0, same_size = 0, file_size = 0;
    assert_ok(isg_rbm_save(rbm, in(directory, "m.npz"), 7, "isinglass map"));
    uint8_t *file = read_file(in(directory, "m.npz"), &file_size);
    assert_ok(isg_rbm_to_bytes(rbm, 7, "isinglass map", &bytes, &size));
    assert_int_equal(size, file_size);
    assert_memory_equal(bytes, file, size);
    assert_ok(isg_rbm_from_bytes(&again, "m", bytes, size));
    assert_ok(isg_rbm_to_bytes(again, 7, "isinglass map", &same, &same_size));
    assert_int_equal(size, same_size);
    assert_memory_equal(bytes, same, size);
    isg_rbm_free(again);
    again = NULL;
    assert_fails(isg_rbm_from_bytes(&again, "m", bytes, size - 1), ISG_ERR_FORMAT, "m: ");
    assert_fails(isg_rbm_from_bytes(&again, NULL, bytes, 0), ISG_ERR_FORMAT, "bytes: ");
    assert_null(again);
    isg_bytes_free(bytes);
    isg_bytes_free(same);
    free(file);
    isg_rbm_free(rbm);
}

/* A copy has the same file, and a life of its own. */
static void test_copies_are_whole(void **state) {
    (void)state;
    const double thresholds[] = {1, 2, 3, 4, 5, 6};
    const isg_encoding *encoding = NULL;
    isg_rbm *both[] = {example(), NULL};
    void *bytes = NULL, *same = NULL;
    size_t size = 0, same_size = 0;
    assert_ok(isg_rbm_create(&both[1], 3, 2, 1)); /* little is known of it */
    assert_ok(isg_encoding_from_thresholds(&encoding, 6, thresholds, NULL));
    assert_ok(isg_rbm_set_encoding(both[0], encoding));
    isg_encoding_release(encoding);
    for (size_t k = 0; k < 2; k++) {
        isg_rbm *copy = NULL;
        assert_ok(isg_rbm_to_bytes(both[k], 7, NULL, &bytes, &size));
        assert_ok(isg_rbm_copy(&copy, both[k]));
        isg_rbm_free(both[k]);
        assert_ok(isg_rbm_to_bytes(copy, 7, NULL, &same, &same_size));
        assert_int_equal(size, same_size);
        assert_memory_equal(bytes, same, size);
        isg_rbm_free(copy);
        isg_bytes_free(bytes);
        isg_bytes_free(same);
    }
}

static isg_status save_and_load(void *user) {
    isg_rbm *again = NULL;
    void *bytes = NULL;
    size_t size = 0;
    ISG_TRY(isg_rbm_save(user, in(directory, "m.npz"), 7, "isinglass map"));
    isg_status status = isg_rbm_load(&again, in(directory, "m.npz"));
    isg_rbm_free(again);
    again = NULL;
    if (status == ISG_OK)
        status = isg_rbm_to_bytes(user, 7, NULL, &bytes, &size);
    if (status == ISG_OK)
        status = isg_rbm_from_bytes(&again, NULL, bytes, size);
    isg_bytes_free(bytes);
    isg_rbm_free(again);
    again = NULL;
    if (status == ISG_OK)
        status = isg_rbm_copy(&again, user);
    isg_rbm_free(again);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    isg_rbm *rbm = example();
    assert_true(sweep_allocations(save_and_load, rbm) > 50);
    isg_rbm_free(rbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_saves_what_little_is_known),
        cmocka_unit_test(test_numpy_opens_it),
        cmocka_unit_test(test_opens_what_numpy_wrote),
        cmocka_unit_test(test_refuses_wrong_arrays),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_bytes_are_those_of_the_file),
        cmocka_unit_test(test_copies_are_whole),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
