/* test_dataset_values.c - values in memory give the data set that a file of them gives
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_dataset.h"
#include "helper_progress.h"
#include "io/npy.h"
#include "io/npz.h"
#include "test.h"

enum { ROWS = 37, COLUMNS = 70, COUNT = ROWS * COLUMNS };

static const struct {
    isg_number number;
    isg_dtype dtype;
    size_t bytes;
    bool is_signed, is_float;
} types[] = {{ISG_NUMBER_BOOL, ISG_BOOL, 1, false, false},
             {ISG_NUMBER_INT8, ISG_INT8, 1, true, false},
             {ISG_NUMBER_UINT8, ISG_UINT8, 1, false, false},
             {ISG_NUMBER_INT16, ISG_INT16, 2, true, false},
             {ISG_NUMBER_UINT16, ISG_UINT16, 2, false, false},
             {ISG_NUMBER_INT32, ISG_INT32, 4, true, false},
             {ISG_NUMBER_UINT32, ISG_UINT32, 4, false, false},
             {ISG_NUMBER_INT64, ISG_INT64, 8, true, false},
             {ISG_NUMBER_UINT64, ISG_UINT64, 8, false, false},
             {ISG_NUMBER_FLOAT32, ISG_FLOAT32, 4, true, true},
             {ISG_NUMBER_FLOAT64, ISG_FLOAT64, 8, true, true}};
enum { N_TYPES = sizeof types / sizeof types[0], FLOATS = 9 };

static const struct {
    isg_binarize rule;
    double at;
} rules[] = {{ISG_BINARIZE_AUTO, 0},     {ISG_BINARIZE_ZERO, 0},       {ISG_BINARIZE_VALUE, 2.5},
             {ISG_BINARIZE_VALUE, -1},   {ISG_BINARIZE_MEAN, 0},       {ISG_BINARIZE_MEDIAN, 0},
             {ISG_BINARIZE_MIDPOINT, 0}, {ISG_BINARIZE_QUANTILE, 0.3}, {ISG_BINARIZE_OTSU, 0},
             {ISG_BINARIZE_MIXTURE, 0}};
enum { N_RULES = sizeof rules / sizeof rules[0] };

/* Mixtures take long; two types will do. */
static size_t rules_for(size_t type) {
    return types[type].dtype == ISG_UINT8 || types[type].dtype == ISG_FLOAT64 ? N_RULES
                                                                              : N_RULES - 1;
}

/* ---- a table, in memory and as a file --------------------------------------------------------- */

typedef struct table {
    double numbers[COUNT]; /* by rows */
    size_t type;           /* of types */
} table;

static void store(size_t type, double number, char *at) {
    const struct {
        int64_t whole;
        float single;
    } as = {isnan(number) ? 0 : (int64_t)number, (float)number};
    if (types[type].number == ISG_NUMBER_FLOAT64)
        memcpy(at, &number, sizeof number);
    else if (types[type].number == ISG_NUMBER_FLOAT32)
        memcpy(at, &as.single, sizeof as.single);
    else /* the low bytes come first: what the tests run on */
        memcpy(at, &as.whole, types[type].bytes);
}

/* Every column has its own range; column 3 is constant, and column 4 missing where numbers can be. */
static table *make_table(size_t type, bool has_missing) {
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->type = type;
    for (size_t k = 0; k < COUNT; k++) {
        const size_t row = k / COLUMNS, column = k % COLUMNS;
        double number = (double)((row * row * 7 + column * 13 + row * column) % (3 + column % 9));
        if (column % 5 == 2)
            number -= types[type].is_signed ? 3 : 0;
        if (types[type].is_float)
            number *= 0.3;
        if (column == 3)
            number = 1;
        if (types[type].dtype == ISG_BOOL)
            number = number > 1;
        if (has_missing && ((row == 5 && column % 17 == 4) || (row * column) % 29 == 28))
            number = (double)NAN;
        t->numbers[k] = number;
    }
    return t;
}

static const char *const layouts[] = {"by rows", "by columns", "with gaps", "backwards",
                                      "both ways"};
enum { N_LAYOUTS = 5, GAP = 3 };

/* The values in this layout, in a block of just that size, to be freed. */
static char *lay_out(const table *t, size_t layout, isg_values *out) {
    const ptrdiff_t size = (ptrdiff_t)types[t->type].bytes;
    const ptrdiff_t strides[N_LAYOUTS][2] = {{COLUMNS * size, size},
                                             {size, ROWS * size},
                                             {COLUMNS * GAP * size + 1, GAP * size},
                                             {-COLUMNS * size, -size},
                                             {-size, ROWS * size}};
    const ptrdiff_t *stride = strides[layout];
    ptrdiff_t low = 0, high = size;
    *(stride[0] < 0 ? &low : &high) += (ROWS - 1) * stride[0];
    *(stride[1] < 0 ? &low : &high) += (COLUMNS - 1) * stride[1];
    char *block = malloc((size_t)(high - low));
    assert_non_null(block);
    memset(block, 0xff, (size_t)(high - low));
    for (ptrdiff_t k = 0; k < COUNT; k++)
        store(t->type, t->numbers[k],
              block - low + k / COLUMNS * stride[0] + k % COLUMNS * stride[1]);
    *out = (isg_values){.name = "a.npy",
                        .rows = ROWS,
                        .columns = COLUMNS,
                        .type = types[t->type].number,
                        .data = block - low,
                        .row_stride = stride[0],
                        .column_stride = stride[1]};
    return block;
}

/* As an array of a file, by rows or by columns, to be freed. */
static char *as_array(const table *t, bool is_by_column, isg_array_type *type) {
    const size_t bytes = types[t->type].bytes;
    char *array = malloc(COUNT * bytes);
    assert_non_null(array);
    *type = isg_array_type_of(types[t->type].dtype, 2, (const size_t[]){ROWS, COLUMNS});
    type->is_column_major = is_by_column;
    for (size_t k = 0; k < COUNT; k++)
        store(t->type, t->numbers[k],
              array + bytes * (is_by_column ? k % COLUMNS * ROWS + k / COLUMNS : k));
    return array;
}

static isg_status load_npy(isg_dataset **out, const table *t, bool is_by_column,
                           const isg_dataset_options *options) {
    isg_array_type type;
    char *array = as_array(t, is_by_column, &type);
    uint8_t *file = malloc(ISG_NPY_HEADER_BYTES + COUNT * type.item_bytes);
    assert_non_null(file);
    const size_t head = isg_npy_header(&type, file);
    memcpy(file + head, array, COUNT * type.item_bytes);
    const isg_status status =
        isg_dataset_load_memory(out, "a.npy", file, head + COUNT * type.item_bytes, options, NULL);
    free(file);
    free(array);
    return status;
}

/* A refusal has the sentence of a file by rows: the first row that is at fault. */
static void compare(const table *t, const isg_dataset_options *options) {
    for (size_t layout = 0; layout < N_LAYOUTS; layout++) {
        isg_dataset *expected = NULL, *found = NULL;
        isg_values values;
        char sentence[512];
        char *block = lay_out(t, layout, &values);
        const isg_status status = load_npy(&expected, t, layout == 1 || layout == 4, options);
        if (status != ISG_OK)
            assert_int_equal(load_npy(&expected, t, false, options), status);
        snprintf(sentence, sizeof sentence, "%s", isg_error_message());
        const isg_status own = isg_dataset_from_values(&found, &values, options, NULL);
        if (own != (status == ISG_ERR_FORMAT ? ISG_ERR_ARGUMENT : status))
            fail_msg("%s: status %d, not %d: %s", layouts[layout], own, status,
                     isg_error_message());
        if (status == ISG_OK)
            assert_same_dataset(expected, found);
        else
            assert_string_equal(sentence, isg_error_message());
        isg_dataset_free(expected);
        isg_dataset_free(found);
        free(block);
    }
}

static void every_type_layout_and_rule(void **state) {
    (void)state;
    for (size_t type = 0; type < N_TYPES; type++) {
        table *t = make_table(type, false);
        for (size_t rule = 0; rule < rules_for(type); rule++) {
            isg_dataset_options options = isg_dataset_defaults();
            options.binarize = rules[rule].rule;
            options.binarize_at = rules[rule].at;
            options.drop_constant = rule % 2;
            compare(t, &options);
        }
        free(t);
    }
}

static void every_way_of_missing(void **state) {
    (void)state;
    for (size_t type = FLOATS; type < N_TYPES; type++) {
        table *t = make_table(type, true);
        for (size_t rule = 0; rule < rules_for(type); rule++)
            for (isg_missing missing = ISG_MISSING_REFUSE; missing <= ISG_MISSING_IMPUTE;
                 missing++) {
                isg_dataset_options options = isg_dataset_defaults();
                options.binarize = rules[rule].rule;
                options.binarize_at = rules[rule].at;
                options.missing = missing;
                compare(t, &options);
            }
        free(t);
    }
}

static void other_options(void **state) {
    (void)state;
    const isg_dataset_options plain = isg_dataset_defaults();
    isg_dataset_options cases[6] = {plain, plain, plain, plain, plain, plain};
    cases[0].limit = 11;
    cases[1].full_scale = 255;
    cases[2].image_height = 7;
    cases[2].image_width = 10;
    cases[3].image_height = 8; /* refused */
    cases[3].image_width = 10;
    cases[4].transpose = true;
    cases[5].transpose = true;
    cases[5].binarize = ISG_BINARIZE_MEDIAN;
    for (size_t type = 0; type < N_TYPES; type++) {
        table *t = make_table(type, false);
        for (size_t k = 0; k < 6; k++)
            compare(t, &cases[k]);
        free(t);
    }
    for (size_t bad = 0; bad < 2; bad++) { /* too large to be a number */
        table *t = make_table(FLOATS + bad, false);
        t->numbers[100] = (double)INFINITY;
        compare(t, &plain);
        free(t);
    }
}

/* The encoding of training data decides on columns and thresholds. */
static void an_encoding_decides(void **state) {
    (void)state;
    table *train = make_table(N_TYPES - 1, true), *test = make_table(2, false);
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    options.binarize = ISG_BINARIZE_MEAN;
    options.missing = ISG_MISSING_MAJORITY;
    options.drop_constant = true;
    assert_ok(load_npy(&data, train, false, &options));
    options = isg_dataset_defaults();
    options.encoding = isg_dataset_encoding(data);
    compare(test, &options);
    options.missing = ISG_MISSING_MAJORITY;
    compare(train, &options);
    options.use_own_rule = true;
    options.binarize = ISG_BINARIZE_OTSU;
    compare(train, &options);
    isg_dataset_free(data);
    free(train);
    free(test);
}

/* ---- images ----------------------------------------------------------------------------------- */

static void images_are_as_in_a_file(void **state) {
    (void)state;
    for (size_t type = 0; type < N_TYPES; type++)
        for (size_t scale = 1; scale <= 40; scale += 39) {
            table *t = make_table(type, false);
            isg_values values;
            isg_dataset *expected = NULL, *found = NULL;
            for (size_t k = 0; k < COUNT && types[type].dtype != ISG_BOOL; k++)
                t->numbers[k] = fabs(t->numbers[k]) * (types[type].bytes > 1 ? (double)scale : 1);
            char *block = lay_out(t, 0, &values);
            isg_array_type array =
                isg_array_type_of(types[type].dtype, 3, (const size_t[]){ROWS, 7, 10});
            uint8_t file[ISG_NPY_HEADER_BYTES + 8 * COUNT];
            const size_t head = isg_npy_header(&array, file), bytes = COUNT * array.item_bytes;
            memcpy(file + head, block, bytes);
            values.image_height = 7;
            values.image_width = 10;
            assert_ok(isg_dataset_load_memory(&expected, "a.npy", file, head + bytes, NULL, NULL));
            assert_ok(isg_dataset_from_values(&found, &values, NULL, NULL));
            assert_same_dataset(expected, found);
            assert_int_equal(isg_dataset_describe(found).image_width, 10);
            isg_dataset_free(expected);
            isg_dataset_free(found);
            free(block);
            free(t);
        }
}

/* A model of fewer pixels than the images have is one of no images. */
static void some_pixels_are_no_image(void **state) {
    (void)state;
    table *t = make_table(2, false);
    isg_values values;
    isg_dataset *train = NULL, *test = NULL;
    char *block = lay_out(t, 0, &values);
    isg_dataset_options options = isg_dataset_defaults();
    values.image_height = 7;
    values.image_width = 10;
    options.drop_constant = true;
    assert_ok(isg_dataset_from_values(&train, &values, &options, NULL));
    options = isg_dataset_defaults();
    options.encoding = isg_dataset_encoding(train);
    options.use_own_rule = true;
    assert_ok(isg_dataset_from_values(&test, &values, &options, NULL));
    assert_true(isg_dataset_describe(test).n_visible < COLUMNS);
    assert_int_equal(isg_dataset_describe(test).image_height, 0);
    isg_dataset_free(train);
    isg_dataset_free(test);
    free(block);
    free(t);
}

/* ---- labels and names -------------------------------------------------------------------------- */

typedef struct texts {
    char room[COLUMNS][16];
    const char *of[COLUMNS];
} texts;

static void fill_texts(texts *out, size_t count, const char *word, size_t modulus) {
    for (size_t k = 0; k < count; k++) {
        snprintf(out->room[k], sizeof out->room[k], "%s%zu", word, k * 5 % modulus);
        out->of[k] = out->room[k];
    }
}

static void add_texts(isg_npz_writer *writer, const char *name, const texts *t, size_t count) {
    uint32_t items[COLUMNS][16] = {{0}};
    isg_array_type type = isg_array_type_of(ISG_INT32, 1, &count);
    type.dtype = ISG_UNICODE;
    type.item_bytes = sizeof items[0];
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; t->of[k] && t->of[k][i]; i++)
            items[k][i] = (uint32_t)t->of[k][i];
    assert_ok(isg_npz_writer_add_array(writer, name, &type, items));
}

static isg_status load_npz(isg_dataset **out, const table *t, const texts *labels,
                           const texts *units, const texts *ids,
                           const isg_dataset_options *options) {
    isg_npz_writer *writer = NULL;
    isg_array_type type;
    void *bytes = NULL;
    size_t size = 0;
    const bool is_transposed = options->transpose;
    char *array = as_array(t, false, &type);
    assert_ok(isg_npz_writer_create(&writer, NULL));
    assert_ok(isg_npz_writer_add_array(writer, "X", &type, array));
    add_texts(writer, "y", labels, is_transposed ? COLUMNS : ROWS);
    add_texts(writer, "units", units, is_transposed ? ROWS : COLUMNS);
    add_texts(writer, "ids", ids, is_transposed ? COLUMNS : ROWS);
    assert_ok(isg_npz_writer_end(writer, ISG_OK, &bytes, &size));
    const isg_status status = isg_dataset_load_memory(out, "a.npz", bytes, size, options, NULL);
    isg_bytes_free(bytes);
    free(array);
    return status;
}

static void labels_and_names_are_as_in_a_file(void **state) {
    (void)state;
    table *t = make_table(N_TYPES - 1, false);
    isg_values values;
    isg_dataset *expected = NULL, *found = NULL;
    texts labels, units, ids;
    char *block = lay_out(t, 0, &values);
    fill_texts(&labels, COLUMNS, "", 12);     /* 10 comes after 9, not after 1 */
    fill_texts(&units, COLUMNS, "gene ", 60); /* some twice */
    fill_texts(&ids, COLUMNS, "cell ", SIZE_MAX);
    labels.of[7] = labels.of[9] = NULL;
    labels.of[8] = "nan";
    values.labels = labels.of;
    values.unit_names = units.of;
    values.ids = ids.of;
    isg_dataset_options cases[5];
    for (size_t k = 0; k < 5; k++)
        cases[k] = isg_dataset_defaults();
    cases[1].keep_unlabelled = true;
    cases[2].only_class = "10";
    cases[3].limit = 3;
    cases[3].binarize = ISG_BINARIZE_MEAN;
    cases[4].transpose = true;
    for (size_t k = 0; k < 5; k++) {
        assert_ok(load_npz(&expected, t, &labels, &units, &ids, &cases[k]));
        assert_ok(isg_dataset_from_values(&found, &values, &cases[k], NULL));
        assert_same_dataset(expected, found);
        isg_dataset_free(expected);
        isg_dataset_free(found);
    }
    assert_ok(isg_dataset_from_values(&found, &values, NULL, NULL));
    assert_string_equal(isg_dataset_class_name(found, 10), "10");
    assert_string_equal(isg_dataset_sample_id(found, 1), "cell 5");
    /* Other data: columns in another order, joined by name. */
    const char *turned[COLUMNS];
    for (size_t k = 0; k < COLUMNS; k++)
        turned[k] = isg_encoding_unit_name(isg_dataset_encoding(found), COLUMNS - 1 - k);
    isg_dataset_options options = isg_dataset_defaults();
    options.encoding = isg_dataset_encoding(found);
    values.unit_names = turned;
    isg_dataset *other = NULL;
    assert_ok(isg_dataset_from_values(&other, &values, &options, NULL));
    for (size_t i = 0; i < COLUMNS; i++)
        assert_int_equal(isg_spin(isg_dataset_row(other, 2), i),
                         t->numbers[2 * COLUMNS + COLUMNS - 1 - i] > 0 ? 1 : -1);
    isg_dataset_free(other);
    isg_dataset_free(found);
    free(block);
    free(t);
}

/* ---- sparse ------------------------------------------------------------------------------------ */

typedef struct sparse {
    size_t n;
    int64_t *indices, *indptr;
    int32_t *narrow_indices, *narrow_indptr;
    char *data;
} sparse;

static void *exactly(size_t bytes) {
    void *block = malloc(bytes ? bytes : 1);
    assert_non_null(block);
    return block;
}

/* The values that are not 0, and some that are; columns in no order. */
static sparse make_sparse(const table *t) {
    const size_t bytes = types[t->type].bytes;
    sparse s = {.indptr = exactly((ROWS + 1) * sizeof(int64_t)),
                .narrow_indptr = exactly((ROWS + 1) * sizeof(int32_t)),
                .indices = exactly(COUNT * sizeof(int64_t)),
                .narrow_indices = exactly(COUNT * sizeof(int32_t)),
                .data = exactly(COUNT * bytes)};
    s.indptr[0] = s.narrow_indptr[0] = 0;
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            const size_t column = k * 29 % COLUMNS;
            const double number = t->numbers[row * COLUMNS + column];
            if (number == 0 && (row + column) % 7)
                continue;
            s.indices[s.n] = s.narrow_indices[s.n] = (int32_t)column;
            store(t->type, number, s.data + bytes * s.n++);
        }
        s.indptr[row + 1] = s.narrow_indptr[row + 1] = (int32_t)s.n;
    }
    return s;
}

static void sparse_free(sparse *s) {
    free(s->indices);
    free(s->indptr);
    free(s->narrow_indices);
    free(s->narrow_indptr);
    free(s->data);
}

static isg_values sparse_values(const sparse *s, const table *t, bool is_narrow) {
    return (isg_values){.name = "a.npz",
                        .rows = ROWS,
                        .columns = COLUMNS,
                        .type = types[t->type].number,
                        .data = s->data,
                        .indices = is_narrow ? (const void *)s->narrow_indices : s->indices,
                        .indptr = is_narrow ? (const void *)s->narrow_indptr : s->indptr,
                        .index_type = is_narrow ? ISG_NUMBER_INT32 : ISG_NUMBER_INT64,
                        .n_stored = s->n};
}

static isg_status load_scipy(isg_dataset **out, const table *t, const sparse *s,
                             const isg_dataset_options *options) {
    const size_t one = 1, two = 2, ends = ROWS + 1;
    const int64_t shape[] = {ROWS, COLUMNS};
    const uint32_t format[] = {'c', 's', 'r'};
    isg_npz_writer *writer = NULL;
    void *bytes = NULL;
    size_t size = 0;
    isg_array_type type = isg_array_type_of(ISG_INT64, 1, &s->n);
    assert_ok(isg_npz_writer_create(&writer, NULL));
    assert_ok(isg_npz_writer_add_array(writer, "indices", &type, s->indices));
    type = isg_array_type_of(ISG_INT64, 1, &ends);
    assert_ok(isg_npz_writer_add_array(writer, "indptr", &type, s->indptr));
    type = isg_array_type_of(ISG_INT64, 1, &two);
    assert_ok(isg_npz_writer_add_array(writer, "shape", &type, shape));
    type = isg_array_type_of(types[t->type].dtype, 1, &s->n);
    assert_ok(isg_npz_writer_add_array(writer, "data", &type, s->data));
    type = isg_array_type_of(ISG_INT32, 1, &one);
    type.dtype = ISG_UNICODE;
    type.item_bytes = sizeof format;
    assert_ok(isg_npz_writer_add_array(writer, "format", &type, format));
    assert_ok(isg_npz_writer_end(writer, ISG_OK, &bytes, &size));
    const isg_status status = isg_dataset_load_memory(out, "a.npz", bytes, size, options, NULL);
    isg_bytes_free(bytes);
    return status;
}

static void sparse_is_as_in_a_file(void **state) {
    (void)state;
    for (size_t type = 0; type < N_TYPES; type++) {
        table *t = make_table(type, types[type].is_float);
        sparse s = make_sparse(t);
        for (size_t rule = 0; rule < rules_for(type); rule++)
            for (size_t way = 0; way < 4; way++) { /* bit 0: narrow, bit 1: transposed */
                isg_dataset_options options = isg_dataset_defaults();
                isg_dataset *expected = NULL, *dense = NULL, *found = NULL;
                const isg_values values = sparse_values(&s, t, way & 1);
                options.binarize = rules[rule].rule;
                options.binarize_at = rules[rule].at;
                options.missing = ISG_MISSING_IMPUTE;
                options.transpose = way & 2;
                assert_ok(load_scipy(&expected, t, &s, &options));
                assert_ok(load_npy(&dense, t, false, &options));
                assert_ok(isg_dataset_from_values(&found, &values, &options, NULL));
                assert_same_dataset(expected, found);
                assert_same_dataset(dense, found);
                isg_dataset_free(expected);
                isg_dataset_free(dense);
                isg_dataset_free(found);
            }
        sparse_free(&s);
        free(t);
    }
}

#define assert_values_refused(values, options, expected, part)                                     \
    do {                                                                                           \
        isg_dataset *refused = NULL;                                                               \
        assert_fails(isg_dataset_from_values(&refused, &(values), (options), NULL), (expected),    \
                     (part));                                                                      \
        assert_null(refused);                                                                      \
    } while (0)

static void sparse_arrays_may_be_longer_or_empty(void **state) {
    (void)state;
    table *t = make_table(2, false);
    sparse s = make_sparse(t);
    isg_dataset *found = NULL, *whole = NULL;
    isg_values values = sparse_values(&s, t, true);
    assert_ok(isg_dataset_from_values(&whole, &values, NULL, NULL));
    values.n_stored += 5; /* which nobody reads */
    assert_ok(isg_dataset_from_values(&found, &values, NULL, NULL));
    assert_same_dataset(whole, found);
    isg_dataset_free(found);
    isg_dataset_free(whole);
    memset(s.narrow_indptr, 0, (ROWS + 1) * sizeof *s.narrow_indptr);
    values.n_stored = 0;
    values.data = NULL;
    assert_ok(isg_dataset_from_values(&found, &values, NULL, NULL));
    assert_true(isg_dataset_positive_fraction(found) == 0);
    isg_dataset_free(found);
    sparse_free(&s);
    free(t);
}

static void damaged_sparse_arrays_are_refused(void **state) {
    (void)state;
    table *t = make_table(N_TYPES - 1, false);
    sparse s = make_sparse(t);
    isg_values values = sparse_values(&s, t, false);
    const int64_t first = s.indices[0];
    s.indices[0] = COLUMNS;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT,
                          "a.npz: indices, row 1: expected 0 to 69, found 70");
    s.indices[0] = -1;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "found -1");
    s.indices[0] = s.indices[1];
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT,
                          "is listed twice; call sum_duplicates() on the matrix");
    s.indices[0] = first;
    values.n_stored--;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: indptr ends at");
    values.n_stored++;
    s.indptr[4] = s.indptr[3] - 1;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: indptr: decreases");
    s.indptr[4] = INT64_MAX;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: indptr: decreases");
    s.indptr[0] = -3;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "indptr: expected 0 as its first");
    s.indptr[ROWS] = -3;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "indptr: expected 0 as its first");
    values.indptr = NULL;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: indptr: expected an array");
    values = sparse_values(&s, t, false);
    values.indices = NULL;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: indices: expected an array");
    values = sparse_values(&s, t, false);
    values.index_type = ISG_NUMBER_UINT64;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: index_type: expected");
    values = sparse_values(&s, t, false);
    values.data = NULL;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: data: expected values");
    values = sparse_values(&s, t, false);
    values.image_height = values.image_width = 3;
    assert_values_refused(values, NULL, ISG_ERR_ARGUMENT, "a.npz: image_height: ");
    sparse_free(&s);
    free(t);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void options_of_files_are_refused(void **state) {
    (void)state;
    const uint8_t bytes[] = {0, 1};
    const isg_values values = {.rows = 1,
                               .columns = 2,
                               .type = ISG_NUMBER_UINT8,
                               .data = bytes,
                               .row_stride = 2,
                               .column_stride = 1};
    const isg_dataset_options plain = isg_dataset_defaults();
    const struct {
        isg_dataset_options options;
        const char *name;
    } cases[] = {
        {{.labels_path = "y"}, "X: the option labels_path "},
        {{.label_column = "y"}, "X: the option label_column "},
        {{.id_column = "y"}, "X: the option id_column "},
        {{.ignore_columns = "y"}, "X: the option ignore_columns "},
        {{.header = ISG_HEADER_NO}, "X: the option header "},
        {{.one_hot = true}, "X: the option one_hot "},
        {{.expected_sha256 = "y"}, "X: the option expected_sha256 "},
        {{.expected_labels_sha256 = "y"}, "X: the option expected_labels_sha256 "},
        {{.binarize = ISG_BINARIZE_THRESHOLDS}, "binarize: thresholds are given as an encoding"},
        {{.binarize_at = (double)NAN}, "a finite threshold"},
        {{.image_height = 2}, "an image needs a height and a width"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_values_refused(values, &cases[k].options, ISG_ERR_ARGUMENT, cases[k].name);
    isg_dataset *data = NULL;
    assert_ok(isg_dataset_from_values(&data, &values, &plain, NULL));
    isg_dataset_free(data);
}

static void bad_values_are_refused(void **state) {
    (void)state;
    const uint8_t bytes[] = {0, 1, 2, 1};
    const char *const names[] = {"a", NULL}, *const words[] = {"yes", "no"};
    char long_label[400];
    const char *const labels[] = {"1", long_label}, *const none[] = {NULL, NULL};
    const isg_values good = {.rows = 2,
                             .columns = 2,
                             .type = ISG_NUMBER_UINT8,
                             .data = bytes,
                             .row_stride = 2,
                             .column_stride = 1};
    isg_values v = good;
    memset(long_label, 'x', sizeof long_label - 1);
    long_label[sizeof long_label - 1] = '\0';
    v.data = NULL;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: data: expected values, found NULL");
    v = good;
    v.rows = 0;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: there are no rows");
    v = good;
    v.columns = 0;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: the rows are empty");
    v = good;
    v.rows = SIZE_MAX / 2;
    v.columns = 3;
    assert_values_refused(v, NULL, ISG_ERR_MEMORY, "do not fit in memory");
    v = good;
    v.type = (isg_number)11;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: type: 11 is no type of numbers");
    v = good;
    v.type = ISG_NUMBER_BOOL;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: expected 0 or 1 for a bool, found 2");
    v.column_stride = -1;
    v.data = bytes + 1;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: expected 0 or 1 for a bool, found 2");
    v = good;
    v.image_height = 3;
    assert_values_refused(v, NULL, ISG_ERR_SHAPE, "X: a row of 2 values is not an image of 3 x 0");
    v.image_height = 1;
    v.image_width = 2;
    assert_values_refused(v, &(isg_dataset_options){.transpose = true}, ISG_ERR_ARGUMENT,
                          "X: images cannot be transposed");
    v = good;
    v.unit_names = names;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: unit_names: expected a name");
    v = good;
    v.ids = names;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: ids: expected a name");
    v = good;
    v.labels = labels;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: label 2: the label is longer than 255");
    v.labels = none;
    assert_values_refused(v, NULL, ISG_ERR_ARGUMENT, "X: no sample has a label");
    v.labels = words;
    v.name = "table";
    assert_values_refused(v, &(isg_dataset_options){.only_class = "maybe"}, ISG_ERR_ARGUMENT,
                          "table: there is no class 'maybe'; the classes are no, yes");
}

/* ---- speed and memory -------------------------------------------------------------------------- */

typedef struct job {
    const isg_values *values;
    isg_dataset_options options;
} job;

static isg_status read_values(void *user) {
    const job *my = user;
    isg_dataset *data = NULL;
    const isg_status status = isg_dataset_from_values(&data, my->values, &my->options, NULL);
    isg_dataset_free(data);
    return status;
}

static void values_are_not_copied(void **state) {
    (void)state;
    enum { N = 2000 };
    double *numbers = exactly(N * N * sizeof *numbers);
    uint8_t *bytes = exactly(N * N);
    for (size_t k = 0; k < N * N; k++)
        numbers[k] = bytes[k] = (uint8_t)(k * k % 3);
    isg_values values = {.rows = N,
                         .columns = N,
                         .type = ISG_NUMBER_UINT8,
                         .data = bytes,
                         .row_stride = N,
                         .column_stride = 1};
    job my = {.values = &values, .options = isg_dataset_defaults()};
    const size_t spins = N * ((N + 63) / 64) * 8, rest = 256 * N; /* a few numbers per unit */
    assert_true(peak_allocation(read_values, &my) < spins + rest);
    values.type = ISG_NUMBER_FLOAT64;
    values.data = numbers;
    values.row_stride = N * sizeof *numbers;
    values.column_stride = sizeof *numbers;
    my.options.binarize = ISG_BINARIZE_MEAN;
    assert_true(peak_allocation(read_values, &my) < spins + rest);
    values.column_stride = values.row_stride;
    values.row_stride = sizeof *numbers;
    assert_true(peak_allocation(read_values, &my) < spins + rest);
    free(numbers);
    free(bytes);
}

static void progress_can_cancel(void **state) {
    (void)state;
    enum { N = 2500 };
    float *numbers = exactly(N * N * sizeof *numbers);
    memset(numbers, 0, N * N * sizeof *numbers);
    isg_values values = {.rows = N,
                         .columns = N,
                         .type = ISG_NUMBER_FLOAT32,
                         .data = numbers,
                         .row_stride = N * sizeof *numbers,
                         .column_stride = sizeof *numbers};
    isg_dataset_options options = isg_dataset_defaults();
    isg_dataset *data = NULL;
    for (size_t way = 0; way < 4; way++) {
        patience all = {.may_stay = true}, few = {.last_call = 2};
        const isg_progress to_the_end = {lose_patience, &all}, in_vain = {lose_patience, &few};
        options.binarize = way & 1 ? ISG_BINARIZE_MEAN : ISG_BINARIZE_ZERO;
        values.row_stride = (ptrdiff_t)sizeof *numbers * (way & 2 ? 1 : N);
        values.column_stride = (ptrdiff_t)sizeof *numbers * (way & 2 ? N : 1);
        assert_ok(isg_dataset_from_values(&data, &values, &options, &to_the_end));
        assert_true(all.calls > 4 && all.fraction == 1);
        isg_dataset_free(data);
        data = NULL;
        assert_fails(isg_dataset_from_values(&data, &values, &options, &in_vain), ISG_ERR_CANCELLED,
                     "X: reading was cancelled");
        assert_null(data);
    }
    int32_t *indices = exactly(N * N * sizeof *indices), indptr[N + 1];
    for (int32_t k = 0; k < N * N; k++)
        indices[k] = k % N;
    for (int32_t row = 0; row <= N; row++)
        indptr[row] = row * N;
    values.indices = indices;
    values.indptr = indptr;
    values.index_type = ISG_NUMBER_INT32;
    values.n_stored = N * N;
    patience all = {.may_stay = true};
    const isg_progress to_the_end = {lose_patience, &all};
    assert_ok(isg_dataset_from_values(&data, &values, &options, &to_the_end));
    assert_true(all.calls > 4 && all.fraction == 1);
    isg_dataset_free(data);
    free(indices);
    free(numbers);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    table *t = make_table(N_TYPES - 1, true);
    isg_values values;
    texts labels, units, ids;
    char *block = lay_out(t, 0, &values);
    job my = {.values = &values, .options = isg_dataset_defaults()};
    fill_texts(&labels, ROWS, "", 12);
    fill_texts(&units, COLUMNS, "gene ", 60);
    fill_texts(&ids, ROWS, "cell ", SIZE_MAX);
    values.labels = labels.of;
    values.unit_names = units.of;
    values.ids = ids.of;
    my.options.binarize = ISG_BINARIZE_MEAN;
    my.options.missing = ISG_MISSING_IMPUTE;
    assert_true(sweep_allocations(read_values, &my) > 30);
    sparse s = make_sparse(t);
    const isg_values listed = sparse_values(&s, t, true);
    my.values = &listed;
    assert_true(sweep_allocations(read_values, &my) > 10);
    sparse_free(&s);
    free(block);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_rule),
        cmocka_unit_test(every_way_of_missing),
        cmocka_unit_test(other_options),
        cmocka_unit_test(an_encoding_decides),
        cmocka_unit_test(images_are_as_in_a_file),
        cmocka_unit_test(some_pixels_are_no_image),
        cmocka_unit_test(labels_and_names_are_as_in_a_file),
        cmocka_unit_test(sparse_is_as_in_a_file),
        cmocka_unit_test(sparse_arrays_may_be_longer_or_empty),
        cmocka_unit_test(damaged_sparse_arrays_are_refused),
        cmocka_unit_test(options_of_files_are_refused),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(values_are_not_copied),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
