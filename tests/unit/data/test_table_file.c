/* test_table_file.c - numbers of samples in an .npz, read back as arrays
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/data.h"
#include "helper_allocation.h"
#include "helper_scratch.h"
#include "io/npz.h"

static const char text[] = "kind,u,v\nx,1,0\nx,0,1\ny,1,1\n";
static const double values[] = {1, 2, 3, 4, 5, 6};
static const char *const columns[] = {"first", "second"};

/* Three samples, the second of which may lack its label. */
static isg_dataset *load(bool has_unlabelled) {
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    options.label_column = "kind";
    assert_ok(isg_dataset_load_memory(&data, "x.csv", text, strlen(text), &options, NULL));
    if (has_unlabelled)
        data->labels.index[1] = ISG_UNLABELLED;
    isg_names_clear(&data->ids);
    for (const char *id = "abc"; *id; id++)
        assert_ok(isg_names_add(&data->ids, id, 1));
    return data;
}

static isg_status save(void *user) {
    const isg_dataset *data = user;
    return isg_dataset_save_table(data, in(directory, "t.npz"), "T",
                                  (isg_matd_view){values, 3, 2, 2}, columns, 1, "test");
}

static void expect_texts(isg_zip *zip, const char *array, const char *const *expected, size_t n) {
    isg_names names = {0};
    assert_ok(isg_names_read(&names, zip, array));
    assert_int_equal(names.count, n);
    for (size_t k = 0; k < n; k++)
        assert_string_equal(isg_names_at(&names, k), expected[k]);
    isg_names_clear(&names);
}

static void numbers_and_names_are_there(void **state) {
    (void)state;
    static const char *const ids[] = {"a", "b", "c"};
    static const char *const classes[2][3] = {{"x", "x", "y"}, {"x", "", "y"}};
    for (int k = 0; k <= 1; k++) {
        isg_dataset *data = load(k == 1);
        isg_zip *zip = NULL;
        isg_array_type type;
        double *found = NULL;
        assert_ok(save(data));
        assert_ok(isg_zip_open_path(&zip, in(directory, "t.npz")));
        assert_ok(isg_npz_read_doubles(zip, "T", &type, &found));
        assert_true(type.n_dims == 2 && type.dims[0] == 3 && type.dims[1] == 2);
        assert_memory_equal(found, values, sizeof values);
        expect_texts(zip, "columns", columns, 2);
        expect_texts(zip, "ids", ids, 3);
        expect_texts(zip, "y", classes[k], 3);
        isg_release(found);
        isg_zip_close(zip);
        assert_true(sweep_allocations(save, data) > 3);
        isg_dataset_free(data);
    }
}

static void refuses_nonsense(void **state) {
    (void)state;
    isg_dataset *data = load(true);
    const isg_matd_view few = {values, 2, 2, 2}, gaps = {values, 3, 1, 2};
    assert_fails(isg_dataset_save_table(data, "t.npz", "T", few, NULL, 1, NULL), ISG_ERR_SHAPE,
                 "3 samples");
    assert_fails(isg_dataset_save_table(data, "t.npz", "T", gaps, NULL, 1, NULL), ISG_ERR_SHAPE,
                 "without gaps");
    isg_dataset_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_names_are_there),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
