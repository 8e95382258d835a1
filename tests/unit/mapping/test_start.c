/* test_start.c - one function for all RBMs to start training from
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <string.h>

#include "data/data.h"
#include "helper_allocation.h"
#include "mapping/hopfield_to_rbm.h"

enum { N = 70, SAMPLES = 24, CLASSES = 3 };

static isg_dataset *make_data(bool has_labels) {
    static int8_t spins[SAMPLES * N];
    int64_t labels[SAMPLES];
    isg_dataset *data = NULL;
    isg_cursor random = isg_cursor_at(isg_stream_at(2, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < SAMPLES * N; k++)
        spins[k] = isg_next_below(&random, 3) ? 1 : -1;
    for (size_t a = 0; a < SAMPLES; a++)
        labels[a] = (int64_t)(a % CLASSES);
    assert_ok(isg_dataset_create(&data, SAMPLES, N, spins, has_labels ? labels : NULL));
    data->info.image_height = 7;
    data->info.image_width = 10;
    return data;
}

static void assert_same_weights(const isg_rbm *a, const isg_rbm *b) {
    assert_int_equal(a->info.n_hidden, b->info.n_hidden);
    assert_memory_equal(a->weights, b->weights, N * a->info.n_hidden * sizeof *a->weights);
    assert_true(a->info.beta == b->info.beta);
}

/* Each kind is what its own function makes. */
static void test_kinds(void **state) {
    (void)state;
    isg_dataset *data = make_data(true);
    isg_pattern_options per_class = {.per_class = 2};
    isg_patterns *patterns = NULL;
    assert_ok(isg_patterns_from_data(&patterns, data, &per_class, NULL));
    for (int kind = ISG_START_HOPFIELD; kind <= ISG_START_AXES; kind++) {
        isg_start_options options = isg_start_defaults();
        isg_mapping_options mapping = isg_mapping_defaults();
        isg_rbm *found = NULL, *given = NULL, *wanted = NULL;
        options.kind = (isg_start)kind;
        options.per_class = 2;
        options.beta = mapping.beta = 1.5;
        options.seed = 9;
        assert_ok(isg_rbm_start(&found, &options, NULL, data, NULL));
        assert_ok(isg_rbm_start(&given, &options, patterns, data, NULL));
        if (kind == ISG_START_PCA)
            assert_ok(isg_rbm_start_pca(&wanted, data, ISG_AXES_OF_COVARIANCE, 2 * CLASSES, 1.5));
        if (kind == ISG_START_AXES)
            assert_ok(isg_rbm_start_pca(&wanted, data, ISG_AXES_OF_MOMENTS, 2 * CLASSES, 1.5));
        if (kind == ISG_START_NORMAL)
            assert_ok(isg_rbm_start_normal(&wanted, N, 2 * CLASSES, 1.5, 0.1, 9));
        mapping.via = kind == ISG_START_HEBBIAN ? ISG_VIA_HEBBIAN : ISG_VIA_QR;
        if (!wanted)
            assert_ok(isg_rbm_from_patterns(&wanted, patterns, &mapping, NULL));
        assert_same_weights(found, wanted);
        assert_same_weights(given, wanted);
        assert_true(found->info.image_height == 7 && found->info.image_width == 10);
        isg_rbm_free(found);
        isg_rbm_free(given);
        isg_rbm_free(wanted);
    }
    isg_patterns_free(patterns);
    isg_dataset_free(data);
}

/* Data without labels form one class; n_hidden applies to starts without patterns. */
static void test_sizes(void **state) {
    (void)state;
    isg_dataset *data = make_data(false);
    isg_start_options options = isg_start_defaults();
    isg_rbm *rbm = NULL;
    assert_ok(isg_rbm_start(&rbm, NULL, NULL, data, NULL));
    assert_true(rbm->info.n_hidden == 1 && rbm->info.beta == 2 && isg_rbm_patterns(rbm));
    isg_rbm_free(rbm);
    options.kind = ISG_START_NORMAL;
    options.n_hidden = 5;
    assert_ok(isg_rbm_start(&rbm, &options, NULL, data, NULL));
    assert_int_equal(rbm->info.n_hidden, 5);
    isg_rbm_free(rbm);
    isg_dataset_free(data);
}

static void test_refusals(void **state) {
    (void)state;
    isg_dataset *data = make_data(true);
    isg_start_options options = isg_start_defaults();
    isg_patterns *narrow = NULL, *twins = NULL;
    isg_rbm *rbm = NULL;
    int8_t xi[2 * N];
    for (size_t k = 0; k < 2 * N; k++)
        xi[k] = k / 2 % 3 ? 1 : -1;
    assert_ok(isg_patterns_create(&narrow, 4, 2, xi, NULL));
    assert_ok(isg_patterns_create(&twins, N, 2, xi, NULL));
    assert_fails(isg_rbm_start(&rbm, NULL, narrow, data, NULL), ISG_ERR_SHAPE, "the patterns 4");
    assert_fails(isg_rbm_start(&rbm, NULL, twins, data, NULL), ISG_ERR_DEPENDENT, "pattern 1");
    options.allow_rank_deficient = true;
    assert_ok(isg_rbm_start(&rbm, &options, twins, data, NULL));
    assert_int_equal(rbm->info.n_hidden, 1);
    isg_rbm_free(rbm);
    rbm = NULL;
    options.per_class = 9;
    assert_fails(isg_rbm_start(&rbm, &options, NULL, data, NULL), ISG_ERR_ARGUMENT,
                 "class 0 has 8");
    options.per_class = SIZE_MAX;
    assert_fails(isg_rbm_start(&rbm, &options, NULL, data, NULL), ISG_ERR_MEMORY, "hidden units");
    options = (isg_start_options){.kind = (isg_start)5, .per_class = 1, .beta = 2};
    assert_fails(isg_rbm_start(&rbm, &options, NULL, data, NULL), ISG_ERR_ARGUMENT, "start");
    assert_null(rbm);
    isg_patterns_free(narrow);
    isg_patterns_free(twins);
    isg_dataset_free(data);
}

static isg_status start_all(void *user) {
    for (int kind = ISG_START_HOPFIELD; kind <= ISG_START_AXES; kind++) {
        isg_start_options options = isg_start_defaults();
        isg_rbm *rbm = NULL;
        options.kind = (isg_start)kind;
        ISG_TRY(isg_rbm_start(&rbm, &options, NULL, user, NULL));
        isg_rbm_free(rbm);
    }
    return ISG_OK;
}

static void test_without_memory(void **state) {
    (void)state;
    isg_dataset *data = make_data(true);
    isg_set_threads(1);
    assert_true(sweep_allocations(start_all, data) > 50);
    isg_set_threads(0);
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
