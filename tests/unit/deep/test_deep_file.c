/* test_deep_file.c - deep models in files: every bit back, the RBM alone, and damage
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <math.h>

#include "helper_deep.h"
#include "helper_scratch.h"

static isg_deep_model *small_model(size_t parts) {
    isg_rbm *rbm = deep_rbm(0.9, 0.6);
    isg_dataset *data = deep_data();
    isg_deep_model *model = NULL;
    isg_deep_options options = isg_deep_defaults();
    options.toward = ISG_SHRINK_DIAGONAL;
    options.betas = (const double[]){1.25};
    options.shrinkages = (const double[]){0.125};
    options.n_betas = options.n_shrinkages = 1;
    options.parts = parts;
    assert_ok(isg_rbm_set_image(rbm, 2, 3));
    assert_ok(isg_deep_model_fit(&model, rbm, data, &options, NULL));
    isg_dataset_free(data);
    isg_rbm_free(rbm);
    return model;
}

static void assert_same(const isg_deep_model *a, const isg_deep_model *b) {
    const isg_deep_model_info one = isg_deep_model_describe(a), two = isg_deep_model_describe(b);
    assert_true(one.beta == two.beta && one.rbm_beta == two.rbm_beta);
    assert_true(one.shrinkage == two.shrinkage && one.toward == two.toward);
    assert_true(one.image_height == two.image_height && one.image_width == two.image_width);
    assert_int_equal(one.n_classes, two.n_classes);
    for (size_t k = 0; k < one.n_classes; k++)
        assert_string_equal(isg_deep_model_class_name(a, k), isg_deep_model_class_name(b, k));
    assert_int_equal(one.parts, two.parts);
    const size_t n = one.n_classes * one.parts;
    assert_memory_equal(a->shares, b->shares, n * sizeof(double));
    assert_memory_equal(a->means, b->means, n * 2 * sizeof(double));
    assert_memory_equal(a->covariances, b->covariances, n * 4 * sizeof(double));
    assert_memory_equal(a->factors, b->factors, n * 4 * sizeof(double));
    assert_memory_equal(a->logs, b->logs, n * sizeof(double));
    assert_memory_equal(a->rbm->weights, b->rbm->weights,
                        DEEP_UNITS * DEEP_HIDDEN * sizeof(double));
    assert_memory_equal(a->rbm->b, b->rbm->b, DEEP_UNITS * sizeof(double));
    assert_memory_equal(a->rbm->c, b->rbm->c, DEEP_HIDDEN * sizeof(double));
}

static void check_round_trip(size_t parts) {
    isg_deep_model *model = small_model(parts), *again = NULL, *bytes_of = NULL;
    isg_rbm *rbm = NULL;
    size_t size = 0, count = 9;
    void *bytes = NULL;
    assert_ok(isg_deep_model_save(model, in(directory, "deep.npz"), 3, "as typed"));
    assert_ok(isg_deep_model_load(&again, in(directory, "deep.npz")));
    assert_same(model, again);
    isg_deep_model_trials(again, &count);
    assert_int_equal(count, 0);
    assert_ok(isg_deep_model_to_bytes(model, 3, "as typed", &bytes, &size));
    assert_ok(isg_deep_model_from_bytes(&bytes_of, NULL, bytes, size));
    assert_same(model, bytes_of);
    size_t file_size = 0;
    uint8_t *file = read_file(in(directory, "deep.npz"), &file_size);
    assert_int_equal(file_size, size);
    assert_memory_equal(file, bytes, size);
    free(file);
    isg_bytes_free(bytes);
    /* the RBM alone, at the beta of the model */
    assert_ok(isg_rbm_load(&rbm, in(directory, "deep.npz")));
    assert_true(isg_rbm_describe(rbm).beta == 1.25);
    assert_memory_equal(rbm->weights, model->rbm->weights, DEEP_UNITS * 2 * sizeof(double));
    /* and that is no deep model */
    assert_ok(isg_rbm_save(rbm, in(directory, "rbm.npz"), 1, NULL));
    isg_deep_model *none = NULL;
    assert_refused(isg_deep_model_load(&none, in(directory, "rbm.npz")), "without a top layer");
    isg_rbm_free(rbm);
    isg_deep_model_free(model);
    isg_deep_model_free(again);
    isg_deep_model_free(bytes_of);
}

static void test_round_trip(void **state) {
    (void)state;
    check_round_trip(1);
    check_round_trip(2);
}

/* What NumPy may have written, and what not. */
static void test_numpy(void **state) {
    (void)state;
    static const struct {
        const char *change, *part;
    } all[] = {
        {"a['means'] = np.asfortranarray(a['means'])", NULL},
        {"a['classes'] = np.array(['a', 'b', 'c'])", NULL},
        {"del a['top']", "top"},
        {"a['top'] = np.array([1., 2., 0.])", "found 1, 2 and 0"},
        {"a['top'] = np.array([1., .5, 2.])", "found 1, 0.5 and 2"},
        {"a['top'] = np.array([0., .5, 0.])", "found 0, 0.5 and 0"},
        {"a['shares'][1] = -a['shares'][1]", "number 2: expected a positive"},
        {"a['shares'] = 2 * a['shares']", "sum of 1, found 2"},
        {"a['shares'] = a['shares'][:2]", "shares: expected 3 numbers"},
        {"a['means'] = a['means'].T.copy()", "means: expected 3 x 2 numbers"},
        {"a['means'][0, 1] = np.nan", "means, number 2"},
        {"a['covariances'] = a['covariances'][:2]", "expected 3 x 2 x 2"},
        {"a['covariances'][2, 0, 1] += 1", "symmetric matrices, but that of class '2'"},
        {"a['covariances'][1] -= 9 * np.eye(2)", "class '1': its covariance is not positive"},
        {"a['covariances'][1, 0, 0] = np.inf", "number 5"},
        {"a['classes'] = np.array([2, 1, 0])", "ascending"},
        {"a['classes'] = np.array([], dtype='i8')", "at least one"},
        {"a['beta'] = np.array(-1.)", "beta"},
        {"del a['covariances']", "without a top layer"},
        {"del a['W']", "W"},
    };
    isg_deep_model *model = small_model(1);
    assert_ok(isg_deep_model_save(model, in(directory, "deep.npz"), 3, NULL));
    isg_deep_model_free(model);
    FILE *script = python_begin(directory);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        fprintf(script,
                "a = {k: v.copy() for k, v in np.load('deep.npz').items() if k != 'meta.json'}\n"
                "%s\nnp.savez('changed%zu.npz', **a)\n",
                all[k].change, k);
    python_end(directory, script);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char name[32];
        isg_deep_model *found = NULL;
        snprintf(name, sizeof name, "changed%zu.npz", k);
        const isg_status status = isg_deep_model_load(&found, in(directory, name));
        if (!all[k].part) {
            assert_int_equal(status, ISG_OK);
        } else {
            assert_true(status == ISG_ERR_FORMAT || status == ISG_ERR_SHAPE);
            assert_message(all[k].part);
            assert_message(name);
        }
        isg_deep_model_free(found);
    }
}

static isg_status load(void *user) {
    isg_deep_model *model = NULL;
    const isg_status status = isg_deep_model_load(&model, user);
    isg_deep_model_free(model);
    return status;
}

static isg_status save(void *user) {
    return isg_deep_model_save(user, in(directory, "saved.npz"), 1, NULL);
}

static void test_memory(void **state) {
    (void)state;
    char path[256];
    isg_deep_model *model = small_model(1);
    snprintf(path, sizeof path, "%s", in(directory, "deep.npz"));
    assert_ok(isg_deep_model_save(model, path, 3, NULL));
    assert_true(sweep_allocations(load, path) > 20);
    assert_true(sweep_allocations(save, model) > 5);
    isg_deep_model_free(model);
}

/* Cut short anywhere, it is refused. */
static void test_truncation(void **state) {
    (void)state;
    size_t size = 0;
    void *bytes = NULL;
    isg_deep_model *model = small_model(1), *found = NULL;
    assert_ok(isg_deep_model_to_bytes(model, 3, NULL, &bytes, &size));
    for (size_t cut = 0; cut < size; cut += 1 + cut / 17)
        assert_int_not_equal(isg_deep_model_from_bytes(&found, "cut", bytes, cut), ISG_OK);
    isg_bytes_free(bytes);
    isg_deep_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_numpy),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_truncation),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
